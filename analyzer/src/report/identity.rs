//! What a finding is, whatever line it stands on: crate, function, lint, and the text of the expression.
//!
//! The same text several times in one function is told apart by counting.

use super::{Entry, FileReport};
use crate::source::digest::sha256;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    pub krate: String,
    pub function: String,
    pub lint: String,
    /// Words with one blank between them.
    pub text: String,
}

impl Identity {
    /// `None` for what is no finding with a place.
    pub fn of(report: &FileReport, entry: &Entry) -> Option<Self> {
        let (lint, span) = (entry.lint?, entry.span?);
        Some(Self {
            krate: crate_of(report),
            function: entry.function.clone().unwrap_or_default(),
            lint: lint.name().into(),
            text: normalised(report.source.snippet(span)),
        })
    }

    /// The same for the `ordinal`-th of those with this identity, as one short word.
    pub fn fingerprint(&self, ordinal: usize) -> String {
        let Self { krate, function, lint, text } = self;
        let digest = sha256(&format!("{krate}\n{function}\n{lint}\n{text}\n{ordinal}"));
        digest[..32].to_string()
    }
}

/// The package; a file by itself goes by its name.
pub fn crate_of(report: &FileReport) -> String {
    match &report.unit {
        Some(unit) => unit.package.clone(),
        None => report.name.clone(),
    }
}

fn normalised(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
