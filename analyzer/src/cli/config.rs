//! `--config FILE`: settings of the built-in checks, and how Rust is read.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::arguments::RustReading;
use super::files;
use super::tables::Reader;
use crate::frontend::rust::{Intrinsics, RustOptions};
use crate::lints::Lint;
use crate::report::Remark;
use crate::source::spelling::closest;

#[derive(Debug, Default)]
pub struct Config {
    pub warn: Vec<Lint>,
    pub allow: Vec<Lint>,
    pub rust: RustOptions,
}

const SECTIONS: [&str; 3] = ["lints", "rust", "intrinsics"];
const LINTS: [&str; 2] = ["warn", "allow"];
const RUST: [&str; 4] = ["features", "cfg", "target-pointer-width", "debug-assertions"];
const INTRINSICS: [&str; 3] = ["any", "assume", "assert"];

/// The settings of the file and, nearer, those of the call; or what is wrong with the file.
pub fn of_call(path: Option<&Path>, call: &RustReading) -> Result<Config, Vec<Remark>> {
    let mut config = path.map_or(Ok(Config::default()), read)?;
    let rust = &mut config.rust;
    rust.features.extend(call.features.iter().cloned());
    rust.cfg.extend(call.cfg.iter().cloned());
    rust.pointer_width = call.target_pointer_width.or(rust.pointer_width);
    rust.debug_assertions = call.debug_assertions.or(rust.debug_assertions);
    Ok(config)
}

fn read(path: &Path) -> Result<Config, Vec<Remark>> {
    let source = files::read_small(path).map_err(|unreadable| {
        let source = unreadable.source.clone();
        vec![Remark::of(&source, unreadable.diagnostic)]
    })?;
    let mut reader = Reader::new(&source);
    let mut config = Config::default();
    if let Some(table) = reader.table() {
        let table = table.get_ref();
        reader.known_keys(table, &SECTIONS);
        if let Some(lints) = reader.section(table, "lints", &LINTS) {
            config.warn = named(&mut reader, lints, "warn");
            config.allow = named(&mut reader, lints, "allow");
        }
        if let Some(rust) = reader.section(table, "rust", &RUST) {
            config.rust = rust_options(&mut reader, rust);
        }
        if let Some(section) = reader.section(table, "intrinsics", &INTRINSICS) {
            let mut list = |key: &str| reader.strings(section, key).unwrap_or_default();
            config.rust.intrinsics =
                Intrinsics { any: list("any"), assume: list("assume"), assert: list("assert") };
        }
    }
    if reader.remarks.is_empty() { Ok(config) } else { Err(reader.remarks) }
}

fn named(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str) -> Vec<Lint> {
    let mut found = Vec::new();
    for name in reader.strings(table, key).unwrap_or_default() {
        match Lint::from_name(&name) {
            Some(lint) => found.push(lint),
            None => {
                reader.error(place(table, key, &name), format!("there is no lint `{name}`"));
                if let Some(near) = closest(&name, Lint::ALL.map(Lint::name)) {
                    reader.help(format!("did you mean `{near}`?"));
                }
            }
        }
    }
    found
}

/// Where a word of a list stands.
fn place(table: &DeTable<'_>, key: &str, word: &str) -> std::ops::Range<usize> {
    let list = table.get(key);
    let words = list.and_then(|list| list.get_ref().as_array());
    let same = words.and_then(|words| words.iter().find(|value| value.get_ref().as_str() == Some(word)));
    same.or(list).map_or(0..0, |value| value.span())
}

fn rust_options(reader: &mut Reader<'_>, table: &DeTable<'_>) -> RustOptions {
    let mut options = RustOptions {
        features: reader.strings(table, "features").unwrap_or_default(),
        ..RustOptions::default()
    };
    for text in reader.strings(table, "cfg").unwrap_or_default() {
        match cfg(&text) {
            Ok(cfg) => options.cfg.push(cfg),
            Err(problem) => reader.error(place(table, "cfg", &text), problem),
        }
    }
    if let Some(value) = table.get("target-pointer-width") {
        let width = match value.get_ref() {
            DeValue::Integer(number) => {
                number.as_str().parse().ok().and_then(|width| pointer_width(width).ok())
            }
            _ => None,
        };
        options.pointer_width = width;
        if width.is_none() {
            reader.error(value.span(), "`target-pointer-width` is 16, 32 or 64".into());
        }
    }
    if let Some(value) = table.get("debug-assertions") {
        options.debug_assertions = value.get_ref().as_bool();
        if options.debug_assertions.is_none() {
            reader.error(value.span(), "`debug-assertions` is true or false".into());
        }
    }
    options
}

pub fn pointer_width(bits: u32) -> Result<u32, String> {
    match bits {
        16 | 32 | 64 => Ok(bits),
        _ => Err("pointers have 16, 32 or 64 bits".into()),
    }
}

/// `name` or `name="value"`, as for rustc.
pub fn cfg(text: &str) -> Result<(String, Option<String>), String> {
    let is_name = |name: &str| {
        let first = name.chars().next();
        first.is_some_and(|first| first.is_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (text.trim(), None),
    };
    let value = value.map(|value| value.strip_prefix('"').and_then(|value| value.strip_suffix('"')));
    match value {
        _ if !is_name(name) => Err(format!("`{text}` is no `name` and no `name=\"value\"`")),
        Some(None) => Err(format!("the value in `{text}` stands in quotes: `{name}=\"value\"`")),
        Some(Some(value)) => Ok((name.into(), Some(value.into()))),
        None => Ok((name.into(), None)),
    }
}
