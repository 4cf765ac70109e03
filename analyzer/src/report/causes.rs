//! Findings of one root cause, put together for people: machines get every place.
//!
//! The same check, in the same function, on the same variables is one cause: `table[i]` three times is one mistake.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::FileReport;
use crate::lints::{Lint, Severity};
use crate::outline::{self, Names};
use crate::pipeline::Verdict;

/// The first place of a cause, and the others.
#[derive(Debug)]
pub struct Cause<'r> {
    pub first: &'r super::Entry,
    pub others: Vec<&'r super::Entry>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key<'r> {
    function: Option<&'r str>,
    lint: Option<Lint>,
    verdict: Verdict,
    rated: Option<Severity>,
    what: What,
}

#[derive(PartialEq, Eq, Hash)]
enum What {
    Names(Names),
    /// Without names the place.
    Place(String),
    /// What a macro of the crate writes goes wrong wherever it is called.
    Macro(String),
}

/// In the order of the first places.
pub fn grouped<'r>(report: &FileReport, entries: impl Iterator<Item = &'r super::Entry>) -> Vec<Cause<'r>> {
    let mut found: Vec<Cause<'r>> = Vec::new();
    let mut places: FxHashMap<Key<'r>, usize> = FxHashMap::default();
    for entry in entries {
        let what = what(report, entry);
        // The functions that a macro writes are one text.
        let function = entry.function.as_deref().filter(|_| !matches!(what, What::Macro(_)));
        let key = Key { function, lint: entry.lint, verdict: entry.verdict, rated: entry.rated, what };
        match places.entry(key) {
            Entry::Occupied(known) => found[*known.get()].others.push(entry),
            Entry::Vacant(new) => {
                new.insert(found.len());
                found.push(Cause { first: entry, others: Vec::new() });
            }
        }
    }
    found
}

fn what(report: &FileReport, entry: &super::Entry) -> What {
    let Some(span) = entry.span else { return What::Place(String::new()) };
    let text = report.source.snippet(span);
    if let Some(name) = called_macro(text) {
        return What::Macro(name.to_string());
    }
    // Code that nobody reaches and loops are places, not values.
    let is_a_place = matches!(
        entry.lint,
        Some(Lint::UnreachableCode | Lint::NonTermination | Lint::ConstantCondition | Lint::ReachablePanic)
    );
    let names = outline::names_in(text);
    if is_a_place || names.is_empty() {
        let (line, column) = report.source.place(span);
        return What::Place(format!("{line}:{column}"));
    }
    What::Names(names)
}

/// The macro that a text is a call of, if it is not one of std's.
fn called_macro(text: &str) -> Option<&str> {
    const STANDARD: [&str; 12] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "panic",
        "unreachable",
        "todo",
        "unimplemented",
        "vec",
        "write",
    ];
    let (name, _) = text.split_once('!')?;
    let last = name.rsplit("::").next().unwrap_or(name).trim();
    let is_name = !last.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
    (is_name && !STANDARD.contains(&last)).then_some(last)
}
