//! TOML tables whose every key and value is checked, and every mistake reported with its place.

use std::sync::Arc;

use clap::ValueEnum;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::report::{Origin, Remark};
use crate::source::spelling::closest;
use crate::source::{Diagnostic, FileId, SourceFile, Span};

/// A text that mistakes can be shown in.
#[derive(Clone, Debug)]
pub struct Text {
    pub text: String,
    pub origin: Origin,
}

pub struct Reader<'f> {
    pub file: &'f Arc<SourceFile>,
    pub remarks: Vec<Remark>,
}

impl<'f> Reader<'f> {
    pub fn new(file: &'f Arc<SourceFile>) -> Self {
        Self { file, remarks: Vec::new() }
    }

    /// The whole file; `None` if it is no TOML, which is said then.
    pub fn table(&mut self) -> Option<Spanned<DeTable<'f>>> {
        let (table, errors) = DeTable::parse_recoverable(&self.file.text);
        for error in &errors {
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            self.error(error.span().unwrap_or(0..0), message);
        }
        errors.is_empty().then_some(table)
    }

    /// A table inside another, with these keys.
    pub fn section<'v>(
        &mut self,
        table: &'v DeTable<'f>,
        name: &str,
        known: &[&str],
    ) -> Option<&'v DeTable<'f>> {
        let value = table.get(name)?;
        let Some(inner) = value.get_ref().as_table() else {
            self.error(value.span(), format!("`{name}` is a table, not a {}", value.get_ref().type_str()));
            self.help(format!("write `[{name}]` on a line of its own"));
            return None;
        };
        self.known_keys(inner, known);
        Some(inner)
    }

    pub fn error(&mut self, at: std::ops::Range<usize>, message: String) {
        let span = Span::new(self.file.id, at.start, at.end);
        self.remarks.push(Remark::of(self.file, Diagnostic::error(span, message)));
    }

    pub fn help(&mut self, help: impl Into<String>) {
        if let Some(last) = self.remarks.last_mut() {
            last.diagnostic.help = Some(help.into());
        }
    }

    pub fn known_keys(&mut self, table: &DeTable<'_>, known: &[&str]) {
        // The map sorts by name; people read from top to bottom.
        let mut keys: Vec<_> = table.keys().collect();
        keys.sort_by_key(|key| key.span().start);
        for key in keys {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            self.error(key.span(), format!("unknown key `{name}`"));
            match closest(name, known.iter().copied()) {
                Some(near) => self.help(format!("did you mean `{near}`?")),
                None => self.help(format!("the keys here are {}", known.join(", "))),
            }
        }
    }

    pub fn string(&mut self, table: &DeTable<'_>, key: &str) -> Option<Text> {
        let value = table.get(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(self.text(text, value.span())),
            other => {
                self.error(value.span(), format!("`{key}` is a string, not a {}", other.type_str()));
                None
            }
        }
    }

    /// A string written with escapes does not stand in the file as it is: it is shown on its own.
    fn text(&self, text: &str, span: std::ops::Range<usize>) -> Text {
        let raw = self.file.text.get(span.clone()).unwrap_or("");
        let origin = match raw.find(text) {
            Some(at) => Origin { file: self.file.clone(), start: span.start + at },
            None => {
                let (line, _) = self.file.position(span.start as u32);
                let name = format!("{} (string on line {line})", self.file.name);
                Origin { file: SourceFile::new(FileId(0), name, text), start: 0 }
            }
        };
        Text { text: text.into(), origin }
    }

    pub fn strings(&mut self, table: &DeTable<'_>, key: &str) -> Option<Vec<String>> {
        let value = table.get(key)?;
        let list = value.get_ref().as_array();
        let words =
            list.and_then(|list| list.iter().map(|word| word.get_ref().as_str()).collect::<Option<Vec<_>>>());
        if words.is_none() {
            self.error(value.span(), format!("`{key}` is a list of strings"));
            self.help(format!("for example {key} = [\"x\", \"y\"]"));
        }
        Some(words?.into_iter().map(str::to_string).collect())
    }

    /// The value of an option that the command line knows too.
    pub fn choice<T: ValueEnum>(&mut self, table: &DeTable<'_>, key: &str) -> Option<T> {
        let text = self.string(table, key)?;
        T::from_str(&text.text, false).ok().or_else(|| {
            let names: Vec<String> = T::value_variants()
                .iter()
                .filter_map(ValueEnum::to_possible_value)
                .map(|value| value.get_name().to_string())
                .collect();
            self.error(table.get(key)?.span(), format!("`{}` is no {key}", text.text));
            self.help(format!("one of {}", names.join(", ")));
            None
        })
    }
}
