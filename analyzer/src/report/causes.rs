//! Findings of one root cause, put together for people: machines get every place.
//!
//! The same check, in the same function, on the same variables is one cause: `table[i]` three times is one mistake.

use super::{Entry, FileReport};
use crate::lints::{Lint, Severity};
use crate::outline::{self, Names};
use crate::pipeline::Verdict;

/// The first place of a cause, and the others.
#[derive(Debug)]
pub struct Cause<'r> {
    pub first: &'r Entry,
    pub others: Vec<&'r Entry>,
}

#[derive(PartialEq, Eq)]
struct Key<'r> {
    function: Option<&'r str>,
    lint: Option<Lint>,
    verdict: Verdict,
    rated: Option<Severity>,
    what: What,
}

#[derive(PartialEq, Eq)]
enum What {
    Names(Names),
    /// Without names the text itself, whatever its layout.
    Text(String),
}

/// In the order of the first places.
pub fn grouped<'r>(report: &FileReport, entries: impl Iterator<Item = &'r Entry>) -> Vec<Cause<'r>> {
    let mut found: Vec<(Key<'r>, Cause<'r>)> = Vec::new();
    for entry in entries {
        let key = Key {
            function: entry.function.as_deref(),
            lint: entry.lint,
            verdict: entry.verdict,
            rated: entry.rated,
            what: what(report, entry),
        };
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, cause)) => cause.others.push(entry),
            None => found.push((key, Cause { first: entry, others: Vec::new() })),
        }
    }
    found.into_iter().map(|(_, cause)| cause).collect()
}

fn what(report: &FileReport, entry: &Entry) -> What {
    let Some(span) = entry.span else { return What::Text(String::new()) };
    // Code that nobody reaches and loops are places, not values.
    let is_a_place = matches!(
        entry.lint,
        Some(Lint::UnreachableCode | Lint::NonTermination | Lint::ConstantCondition | Lint::ReachablePanic)
    );
    let text = report.source.snippet(span);
    let names = outline::names_in(text);
    if is_a_place || names.is_empty() {
        let (line, column) = report.source.place(span);
        return What::Text(format!("{line}:{column}"));
    }
    What::Names(names)
}
