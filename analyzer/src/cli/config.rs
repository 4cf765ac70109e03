//! `--config FILE`: settings of the built-in checks.

use std::path::Path;

use serde::Deserialize;

use super::files;
use crate::lints::Lint;
use crate::report::Remark;
use crate::source::{Diagnostic, Span};

#[derive(Debug, Default)]
pub struct Config {
    pub warn: Vec<Lint>,
    pub allow: Vec<Lint>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    lints: Lints,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Lints {
    warn: Vec<String>,
    allow: Vec<String>,
}

/// The settings, or what is wrong with the file, with its place.
pub fn read(path: &Path) -> Result<Config, Remark> {
    let source = files::read_small(path).map_err(|unreadable| {
        let source = unreadable.source.clone();
        Remark::of(&source, unreadable.diagnostic)
    })?;
    let refused = |start: usize, end: usize, message: String| {
        Remark::of(&source, Diagnostic::error(Span::new(source.id, start, end), message))
    };
    let file: File = toml::from_str(&source.text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        refused(span.start, span.end, error.message().to_string())
    })?;
    let named = |names: &[String]| -> Result<Vec<Lint>, Remark> {
        let lint = |name: &String| {
            let at = source.text.find(name.as_str()).unwrap_or(0);
            let unknown = || refused(at, at + name.len(), format!("there is no lint `{name}`"));
            Lint::from_name(name).ok_or_else(unknown)
        };
        names.iter().map(lint).collect()
    };
    Ok(Config { warn: named(&file.lints.warn)?, allow: named(&file.lints.allow)? })
}
