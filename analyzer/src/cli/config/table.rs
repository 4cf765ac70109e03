//! One table of settings: its keys, and everything that can be wrong with them.

use toml::de::{DeTable, DeValue};

use super::super::levels;
use super::super::tables::Reader;
use super::{Config, cfg, pointer_width};
use crate::frontend::rust::{Intrinsics, RustOptions};
use crate::lints::{Levels, Selector, Stance};

const SECTIONS: [&str; 3] = ["lints", "rust", "intrinsics"];
const LINTS: [(&str, Stance); 3] = [("warn", Stance::Warn), ("deny", Stance::Deny), ("allow", Stance::Allow)];
const RUST: [&str; 4] = ["features", "cfg", "target-pointer-width", "debug-assertions"];
const INTRINSICS: [&str; 3] = ["any", "assume", "assert"];

/// `more` are keys that others read.
pub fn config<'f>(reader: &mut Reader<'f>, table: &DeTable<'f>, more: &[&str]) -> Config {
    let known: Vec<&str> = SECTIONS.iter().chain(more).copied().collect();
    reader.known_keys(table, &known);
    let mut config = Config::default();
    if let Some(lints) = reader.section(table, "lints", &LINTS.map(|(key, _)| key)) {
        config.levels = levels(reader, lints);
    }
    if let Some(rust) = reader.section(table, "rust", &RUST) {
        config.rust = rust_options(reader, rust);
    }
    if let Some(section) = reader.section(table, "intrinsics", &INTRINSICS) {
        let mut list = |key: &str| reader.strings(section, key).unwrap_or_default();
        config.rust.intrinsics =
            Intrinsics { any: list("any"), assume: list("assume"), assert: list("assert") };
    }
    config
}

/// Lists have no order among each other: a lint goes before its groups, and nothing stands in two lists.
fn levels(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Levels {
    let mut said: Vec<(Selector, Stance)> = Vec::new();
    for (key, stance) in LINTS {
        for name in reader.strings(table, key).unwrap_or_default() {
            match Selector::from_name(&name) {
                Some(selector)
                    if said.iter().any(|(known, other)| *known == selector && *other != stance) =>
                {
                    reader.error(place(table, key, &name), format!("`{name}` stands in two lists"));
                }
                Some(selector) => said.push((selector, stance)),
                None => {
                    let [message, help] = levels::unknown(&name);
                    reader.error(place(table, key, &name), message);
                    reader.help(help);
                }
            }
        }
    }
    // The widest first.
    said.sort_by_key(|(selector, _)| std::cmp::Reverse(selector.lints().len()));
    let mut levels = Levels::default();
    for (selector, stance) in said {
        levels.set(selector, stance);
    }
    levels
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
