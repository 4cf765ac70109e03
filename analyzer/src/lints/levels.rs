//! What is looked for, and how much it counts: as rated unless somebody says otherwise.

use super::{Finding, Lint, Severity};
use crate::pipeline::Verdict;

/// What somebody says of a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// Not looked for.
    Allow,
    /// Every failure is a warning at least.
    Warn,
    /// Every failure is an error.
    Deny,
}

/// Lints that are named together.
#[derive(Debug, PartialEq, Eq)]
pub struct Group {
    pub name: &'static str,
    pub lints: &'static [Lint],
}

pub const GROUPS: [Group; 4] = [
    Group { name: "all", lints: &Lint::ALL },
    Group {
        name: "arithmetic",
        lints: &[Lint::Overflow, Lint::DivisionByZero, Lint::InvalidShift, Lint::LossyCast],
    },
    Group {
        name: "panics",
        lints: &[Lint::IndexOutOfBounds, Lint::UnwrapFailed, Lint::AssertionFailed, Lint::ReachablePanic],
    },
    Group { name: "dead_code", lints: &[Lint::ConstantCondition, Lint::UnreachableCode] },
];

/// A lint or a group, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    One(Lint),
    Group(&'static Group),
}

impl Selector {
    pub fn from_name(name: &str) -> Option<Self> {
        let group = || GROUPS.iter().find(|group| group.name == name).map(Self::Group);
        Lint::from_name(name).map(Self::One).or_else(group)
    }

    /// All that can be named.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Lint::ALL.into_iter().map(Lint::name).chain(GROUPS.iter().map(|group| group.name))
    }

    pub fn lints(&self) -> &[Lint] {
        match self {
            Self::One(lint) => std::slice::from_ref(lint),
            Self::Group(group) => group.lints,
        }
    }

    pub fn is_group(self) -> bool {
        matches!(self, Self::Group(_))
    }
}

/// What is said of each lint; the last word counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels([Option<Stance>; Lint::ALL.len()]);

impl Levels {
    pub fn set(&mut self, selector: Selector, stance: Stance) {
        for lint in selector.lints() {
            self.0[*lint as usize] = Some(stance);
        }
    }

    pub fn of(&self, lint: Lint) -> Option<Stance> {
        self.0[lint as usize]
    }

    /// What others say goes before.
    pub fn then(mut self, nearer: &Self) -> Self {
        for (own, other) in self.0.iter_mut().zip(nearer.0) {
            *own = other.or(*own);
        }
        self
    }

    /// The lints to look for, in their order.
    pub fn wanted(&self) -> Vec<Lint> {
        let is_wanted = |lint: &Lint| match self.of(*lint) {
            Some(stance) => stance != Stance::Allow,
            None => lint.is_on_by_default(),
        };
        Lint::ALL.into_iter().filter(is_wanted).collect()
    }

    /// Gives failures the severity that was asked for.
    pub fn apply(&self, findings: &mut [Finding]) {
        for finding in findings.iter_mut().filter(|finding| finding.verdict == Verdict::False) {
            finding.severity = match self.of(finding.lint) {
                Some(Stance::Deny) => Severity::Error,
                Some(Stance::Warn) => finding.severity.max(Severity::Warning),
                _ => finding.severity,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts() {
        let mut levels = Levels::default();
        assert!(!levels.wanted().contains(&Lint::LossyCast));
        levels.set(Selector::from_name("all").expect("a group"), Stance::Deny);
        levels.set(Selector::One(Lint::Overflow), Stance::Allow);
        assert!(levels.wanted().contains(&Lint::LossyCast) && !levels.wanted().contains(&Lint::Overflow));
        let mut nearer = Levels::default();
        nearer.set(Selector::One(Lint::Overflow), Stance::Warn);
        let both = levels.then(&nearer);
        assert_eq!(both.of(Lint::Overflow), Some(Stance::Warn));
        assert_eq!(both.of(Lint::UnwrapFailed), Some(Stance::Deny));
    }

    #[test]
    fn every_name_is_known_and_no_group_is_a_lint() {
        for name in Selector::names() {
            assert!(Selector::from_name(name).is_some(), "{name}");
        }
        assert!(GROUPS.iter().all(|group| Lint::from_name(group.name).is_none()));
        assert!(Lint::ALL.iter().enumerate().all(|(at, lint)| *lint as usize == at));
    }
}
