//! What was there before: findings that a file keeps, so that only new ones count.
//!
//! A finding is known by its crate, function, lint and text, and by how many of them there are; lines do not matter.
//! Entries that nothing answers to any more are stale.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::identity::{self, Identity};
use super::{Entry, FileReport};

const SCHEMA: &str = "kleene/baseline/1";

/// How many of each.
type Counts = BTreeMap<Identity, usize>;

#[derive(Clone, Debug, Default)]
pub struct Baseline {
    known: Counts,
    /// The most that one report had: a text may be looked at as a library and as tests.
    seen: Counts,
    crates: BTreeSet<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: String,
    findings: Vec<Kept>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    #[serde(rename = "crate")]
    krate: String,
    function: String,
    lint: String,
    text: String,
    count: usize,
}

impl Baseline {
    pub fn parsed(text: &str) -> serde_json::Result<Self> {
        let document: Document = serde_json::from_str(text)?;
        if document.schema != SCHEMA {
            let message = format!("the schema is `{}`, not `{SCHEMA}`", document.schema);
            return Err(serde::de::Error::custom(message));
        }
        let mut known = Counts::new();
        for Kept { krate, function, lint, text, count } in document.findings {
            *known.entry(Identity { krate, function, lint, text }).or_insert(0) += count;
        }
        Ok(Self { known, ..Self::default() })
    }

    /// One finding a line: such a file is read in reviews.
    pub fn written(&self) -> String {
        let line = |(identity, count): (&Identity, &usize)| {
            let Identity { krate, function, lint, text } = identity.clone();
            let kept = Kept { krate, function, lint, text, count: *count };
            serde_json::to_string(&kept).expect("plain data")
        };
        let lines: Vec<String> = self.known.iter().map(line).collect();
        let list = if lines.is_empty() { String::new() } else { format!("\n  {}\n", lines.join(",\n  ")) };
        format!("{{\"schema\":\"{SCHEMA}\",\"findings\":[{list}]}}\n")
    }

    pub fn len(&self) -> usize {
        self.known.values().sum()
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Keeps what a report has of these.
    pub fn keep(&mut self, report: &FileReport, counts: &dyn Fn(&Entry) -> bool) {
        let mut found = Counts::new();
        for identity in report
            .entries
            .iter()
            .filter(|entry| counts(entry))
            .filter_map(|entry| Identity::of(report, entry))
        {
            *found.entry(identity).or_insert(0) += 1;
        }
        raise(&mut self.known, found);
    }

    /// Marks what is known already.
    pub fn mark(&mut self, report: &mut FileReport, counts: &dyn Fn(&Entry) -> bool) {
        let mut found = Counts::new();
        let mut known = Vec::new();
        for (index, entry) in report.entries.iter().enumerate().filter(|(_, entry)| counts(entry)) {
            let Some(identity) = Identity::of(report, entry) else { continue };
            let limit = self.known.get(&identity).copied().unwrap_or(0);
            let count = found.entry(identity).or_insert(0);
            *count += 1;
            if *count <= limit {
                known.push(index);
            }
        }
        known.into_iter().for_each(|index| report.entries[index].known = true);
        raise(&mut self.seen, found);
        self.crates.insert(identity::crate_of(report));
    }

    /// What nothing answers to, of the crates that were looked at, with how many too many.
    pub fn stale(&self) -> impl Iterator<Item = (&Identity, usize)> {
        let own = self.known.iter().filter(|(identity, _)| self.crates.contains(&identity.krate));
        own.filter_map(|(identity, count)| {
            let left = count.saturating_sub(self.seen.get(identity).copied().unwrap_or(0));
            (left > 0).then_some((identity, left))
        })
    }
}

fn raise(counts: &mut Counts, found: Counts) {
    for (identity, count) in found {
        let most = counts.entry(identity).or_insert(0);
        *most = (*most).max(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let identity = |text: &str| Identity {
            krate: "parts".into(),
            function: "part".into(),
            lint: "overflow".into(),
            text: text.into(),
        };
        let known: Counts = [(identity("a + \"b\""), 2), (identity("c"), 1)].into();
        let baseline = Baseline { known, ..Baseline::default() };
        let again = Baseline::parsed(&baseline.written()).expect("its own text");
        assert_eq!((again.known, baseline.len()), (baseline.known, 3));
        assert!(Baseline::parsed(&Baseline::default().written()).expect("an empty one").is_empty());
        assert!(Baseline::parsed("{\"schema\":\"other\",\"findings\":[]}").is_err());
    }
}
