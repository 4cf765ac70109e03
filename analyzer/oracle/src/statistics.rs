//! What a run counts: how often the engine decides, by class, granularity, root operator and level.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::differential::{Answer, Judged};
use crate::generate::{Case, Class};
use crate::model::{Expected, Granularity};
use crate::reference::Exploration;

#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// By the reference.
    pub holds: u64,
    pub fails: u64,
    pub errors: u64,
    pub unknown: u64,
    /// By the engine.
    pub decided: u64,
    pub maybe: u64,
    pub wrong: u64,
}

impl Counts {
    fn add(&mut self, judged: &Judged) {
        match judged.expected {
            Expected::True => self.holds += 1,
            Expected::False => self.fails += 1,
            Expected::Unknown => self.unknown += 1,
            Expected::NoRun | Expected::Undefined | Expected::Illegal => self.errors += 1,
        }
        match judged.outcome.answer {
            Answer::True | Answer::False => self.decided += 1,
            Answer::Maybe => self.maybe += 1,
            Answer::Error(_) | Answer::Panic(_) => {}
        }
        self.wrong += u64::from(judged.wrong.is_some());
    }

    pub fn asked(&self) -> u64 {
        self.holds + self.fails + self.errors + self.unknown
    }
}

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub cases: u64,
    /// More initial states than the reference enumerates.
    pub skipped: u64,
    /// Graphs that were cut off: some formulas are unknown to the reference.
    pub open: u64,
    pub states: Vec<usize>,
    by_group: BTreeMap<(Class, Granularity), Counts>,
    by_root: BTreeMap<String, Counts>,
    by_level: BTreeMap<String, u64>,
    /// The slowest cases of the engine.
    pub slowest: Vec<(f64, Class, u64)>,
}

impl Statistics {
    pub fn record(&mut self, case: &Case, exploration: &Exploration, judged: &[Judged], seconds: f64) {
        self.cases += 1;
        self.open += u64::from(!exploration.is_complete());
        self.states.push(exploration.states.len());
        for one in judged {
            self.by_group.entry((case.class, case.granularity)).or_default().add(one);
            self.by_root.entry(one.formula.root()).or_default().add(one);
            if matches!(one.outcome.answer, Answer::True | Answer::False) {
                *self.by_level.entry(one.outcome.level.clone()).or_default() += 1;
            }
        }
        self.slowest.push((seconds, case.class, case.index));
        self.slowest.sort_by(|left, right| right.0.total_cmp(&left.0));
        self.slowest.truncate(5);
    }

    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for counts in self.by_group.values() {
            total.holds += counts.holds;
            total.fails += counts.fails;
            total.errors += counts.errors;
            total.unknown += counts.unknown;
            total.decided += counts.decided;
            total.maybe += counts.maybe;
            total.wrong += counts.wrong;
        }
        total
    }

    pub fn table(&self) -> String {
        let mut text = String::new();
        let mut states = self.states.clone();
        states.sort_unstable();
        let at = |percent: usize| states.get(states.len() * percent / 100).copied().unwrap_or(0);
        let _ = writeln!(
            text,
            "{} programs ({} skipped, {} cut off); states: 10% {}, median {}, 90% {}, largest {}",
            self.cases,
            self.skipped,
            self.open,
            at(10),
            at(50),
            at(90),
            states.last().unwrap_or(&0)
        );
        let _ = writeln!(
            text,
            "{:<18}{:>8}{:>8}{:>8}{:>8}{:>9}{:>9}{:>8}{:>7}",
            "", "asked", "holds", "fails", "errors", "unknown", "decided", "maybe", "wrong"
        );
        for ((class, granularity), counts) in &self.by_group {
            row(&mut text, &format!("{} {}", class.name(), granularity.name()), counts);
        }
        row(&mut text, "all", &self.total());
        text.push('\n');
        for (root, counts) in &self.by_root {
            row(&mut text, root, counts);
        }
        let levels: Vec<String> =
            self.by_level.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let _ = writeln!(text, "\ndecided by level: {}", levels.join(", "));
        let slow: Vec<String> = self
            .slowest
            .iter()
            .map(|(seconds, class, index)| format!("{} {index} {seconds:.2} s", class.name()))
            .collect();
        let _ = writeln!(text, "slowest cases: {}", slow.join(", "));
        text
    }
}

fn row(text: &mut String, name: &str, counts: &Counts) {
    let asked = counts.asked().max(1);
    let _ = writeln!(
        text,
        "{:<18}{:>8}{:>8}{:>8}{:>8}{:>9}{:>9}{:>7.1}%{:>7}",
        name,
        counts.asked(),
        counts.holds,
        counts.fails,
        counts.errors,
        counts.unknown,
        counts.decided,
        counts.maybe as f64 * 100.0 / asked as f64,
        counts.wrong
    );
}
