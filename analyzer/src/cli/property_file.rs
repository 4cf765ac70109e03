//! Property files: TOML with defaults on top and one `[[property]]` table per property.
//!
//! Every key and every value is checked, and every mistake is reported with its place. A mistake in one
//! property is the answer to that property; the others are still asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::files::Unreadable;
use super::tables::{Reader, Text};
use crate::frontend::Integers;
use crate::granularity::Granularity;
use crate::pipeline::Verdict;
use crate::report::{Expectation, Origin, Remark};
use crate::source::SourceFile;

/// What may stand on top of a file and, but for `entry` and `ints`, in a property too.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub granularity: Option<Granularity>,
    pub watch: Option<Vec<String>>,
    pub assume: Option<Text>,
    pub entry: Option<String>,
    pub ints: Option<Integers>,
}

#[derive(Clone, Debug)]
pub struct Stated {
    pub formula: Text,
    pub name: Option<String>,
    pub settings: Settings,
    /// The one file it speaks of.
    pub file: Option<PathBuf>,
    pub expect: Option<Expectation>,
    /// What is wrong with it.
    pub mistake: Option<Remark>,
}

#[derive(Debug, Default)]
pub struct PropertyFile {
    pub settings: Settings,
    pub properties: Vec<Stated>,
    /// Mistakes outside of properties.
    pub remarks: Vec<Remark>,
}

const TOP_KEYS: [&str; 6] = ["granularity", "watch", "assume", "entry", "ints", "property"];
const PROPERTY_KEYS: [&str; 7] = ["formula", "name", "granularity", "watch", "assume", "file", "expect"];

/// Reads a property file; paths in it are relative to its folder.
pub fn read(path: &Path) -> PropertyFile {
    match super::files::read_small(path) {
        Ok(file) => parse(&file, path.parent().unwrap_or(Path::new(""))),
        Err(unreadable) => {
            let Unreadable { source, diagnostic } = *unreadable;
            PropertyFile { remarks: vec![Remark::of(&source, diagnostic)], ..PropertyFile::default() }
        }
    }
}

fn parse(file: &Arc<SourceFile>, folder: &Path) -> PropertyFile {
    let mut reader = Reader::new(file);
    let Some(table) = reader.table() else {
        return PropertyFile { remarks: reader.remarks, ..PropertyFile::default() };
    };
    let table = table.get_ref();
    reader.known_keys(table, &TOP_KEYS);
    let settings = reader.settings(table);
    let mut properties = Vec::new();
    if let Some(list) = table.get("property") {
        for value in reader.tables(list) {
            properties.push(reader.apart(|inner| inner.property(value, folder)));
        }
    }
    if properties.is_empty() && reader.remarks.is_empty() {
        reader.error(0..0, "the file states no property".into());
        reader.help("each property is a `[[property]]` table with a `formula`");
    }
    PropertyFile { settings, properties, remarks: reader.remarks }
}

type Value<'t> = Spanned<DeValue<'t>>;

impl Reader<'_> {
    /// Reads a property with mistakes of its own: the first goes with the property.
    fn apart(&mut self, read: impl FnOnce(&mut Self) -> Stated) -> Stated {
        let before = self.remarks.len();
        let mut stated = read(self);
        if self.remarks.len() > before {
            stated.mistake = Some(self.remarks.remove(before));
        }
        stated
    }

    fn tables<'v, 't>(&mut self, value: &'v Value<'t>) -> Vec<&'v Value<'t>> {
        match value.get_ref() {
            DeValue::Array(list) => list.iter().collect(),
            other => {
                let message = format!("`property` is a list of tables, not a {}", other.type_str());
                self.error(value.span(), message);
                self.help("write `[[property]]`, in double brackets");
                Vec::new()
            }
        }
    }

    fn settings(&mut self, table: &DeTable<'_>) -> Settings {
        Settings {
            granularity: self.choice(table, "granularity"),
            watch: self.strings(table, "watch"),
            assume: self.string(table, "assume"),
            entry: self.string(table, "entry").map(|entry| entry.text),
            ints: self.choice(table, "ints"),
        }
    }

    fn property(&mut self, value: &Value<'_>, folder: &Path) -> Stated {
        let empty = DeTable::new();
        let table = value.get_ref().as_table().unwrap_or_else(|| {
            self.error(value.span(), "a property is a table".into());
            &empty
        });
        let formula = self.string(table, "formula");
        if formula.is_none() && !table.contains_key("formula") && !table.is_empty() {
            self.error(value.span(), "a property needs a `formula`".into());
        }
        self.known_keys(table, &PROPERTY_KEYS);
        let nowhere = || Text { text: String::new(), origin: Origin { file: self.file.clone(), start: 0 } };
        let formula = formula.unwrap_or_else(nowhere);
        let settings = Settings {
            granularity: self.choice(table, "granularity"),
            watch: self.strings(table, "watch"),
            assume: self.string(table, "assume"),
            ..Settings::default()
        };
        let name = self.string(table, "name").map(|name| name.text);
        let file = self.string(table, "file").map(|file| folder.join(file.text));
        let expect = self.expectation(table);
        Stated { formula, name, settings, file, expect, mistake: None }
    }

    fn expectation(&mut self, table: &DeTable<'_>) -> Option<Expectation> {
        let value = table.get("expect")?;
        let text = self.string(table, "expect")?;
        let known = [Verdict::True, Verdict::False, Verdict::Maybe];
        match known.into_iter().find(|verdict| verdict.name() == text.text) {
            Some(verdict) => Some(Expectation { verdict, origin: text.origin }),
            None => {
                self.error(value.span(), format!("`{}` is no verdict", text.text));
                self.help("one of true, false, maybe");
                None
            }
        }
    }
}
