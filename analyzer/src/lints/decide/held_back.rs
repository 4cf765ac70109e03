//! Answers of entries that not everybody can call with everything: what runs show is held back, and what another entry
//! says takes its place.

use rustc_hash::FxHashSet;

use super::super::Reach;
use super::super::standing::{Standing, Wanted};
use super::Answers;
use crate::evidence::{Cause, CauseKind, Evidence};
use crate::pipeline::Verdict;

/// Numbers of places and of sites that are loops.
#[derive(Clone, Debug, Default)]
pub struct OpenQuestions {
    pub(super) places: FxHashSet<usize>,
    pub(super) loops: FxHashSet<usize>,
}

/// A part of the questions, asked again.
pub struct Asked<'q> {
    pub open: &'q OpenQuestions,
    /// Where there are few of them, more may be done for each.
    pub closely: bool,
    /// Single runs may show something; else they are not made.
    pub by_runs: bool,
}

impl OpenQuestions {
    /// In order.
    pub fn places(&self) -> Vec<usize> {
        sorted(&self.places)
    }

    pub fn loops(&self) -> Vec<usize> {
        sorted(&self.loops)
    }

    pub fn add_place(&mut self, index: usize) {
        self.places.insert(index);
    }

    pub fn add_loop(&mut self, site: usize) {
        self.loops.insert(site);
    }

    /// Only what somebody still wants to know.
    pub fn without_settled(mut self, standing: &Standing<'_>) -> Self {
        self.places.retain(|index| standing.of_place(*index) != Wanted::Nothing);
        self.loops.retain(|site| standing.of_loop(*site) != Wanted::Nothing);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.loops.is_empty()
    }
}

fn sorted(numbers: &FxHashSet<usize>) -> Vec<usize> {
    let mut sorted: Vec<usize> = numbers.iter().copied().collect();
    sorted.sort_unstable();
    sorted
}

impl Answers {
    pub fn open(&self) -> OpenQuestions {
        let places = self.places.iter().filter(|(_, known)| known.answer == Reach::Open);
        let loops = self.loops.iter().filter(|(_, known)| known.answer == Verdict::Maybe);
        OpenQuestions {
            places: places.map(|(index, _)| *index).collect(),
            loops: loops.map(|(index, _)| *index).collect(),
        }
    }

    /// What stayed open because something was too much.
    pub fn unfinished(&self) -> OpenQuestions {
        fn is_unfinished(evidence: &Evidence) -> bool {
            let Evidence::Cause(cause) = evidence else { return false };
            cause.tried.iter().any(|attempt| attempt.limit.is_some())
                || cause.tried.is_empty() && cause.kind != CauseKind::Unknown
        }
        let places = self.places.iter().filter(|(_, known)| known.answer == Reach::Open);
        let loops = self.loops.iter().filter(|(_, known)| known.answer == Verdict::Maybe);
        OpenQuestions {
            places: places
                .filter(|(_, known)| is_unfinished(&known.evidence))
                .map(|(index, _)| *index)
                .collect(),
            loops: loops.filter(|(_, known)| is_unfinished(&known.evidence)).map(|(site, _)| *site).collect(),
        }
    }

    /// What another proved, in the place of what was open.
    pub fn take_proofs(&mut self, told: &Answers) {
        for (index, known) in told.places.iter().filter(|(_, known)| known.answer == Reach::Never) {
            if self.places.get(index).is_some_and(|own| own.answer == Reach::Open) {
                self.places.insert(*index, known.clone());
            }
        }
        for (site, known) in told.loops.iter().filter(|(_, known)| known.answer == Verdict::True) {
            if self.loops.get(site).is_some_and(|own| own.answer == Verdict::Maybe) {
                self.loops.insert(*site, known.clone());
            }
        }
    }

    /// What another says of all the runs there can be, in the place of what was open.
    pub fn take_over(&mut self, told: &Answers) {
        for (index, known) in told.places.iter().filter(|(_, known)| known.answer != Reach::Reached) {
            self.places.insert(*index, known.clone());
        }
        for (index, known) in told.loops.iter().filter(|(_, known)| known.answer != Verdict::False) {
            self.loops.insert(*index, known.clone());
        }
    }

    /// Only what runs show.
    pub fn reached(mut self) -> Self {
        self.places.retain(|_, known| known.answer == Reach::Reached);
        self.loops.retain(|_, known| known.answer == Verdict::False);
        self
    }

    /// What runs show becomes open: not everybody can call the entry like that.
    pub fn held_back(mut self, message: &str) -> Self {
        let cause = || {
            let cause = Cause::limit(None, Vec::new());
            Evidence::Cause(Cause { kind: CauseKind::Unknown, message: message.into(), help: None, ..cause })
        };
        for known in self.places.values_mut().filter(|known| known.answer == Reach::Reached) {
            (known.answer, known.evidence) = (Reach::Open, cause());
        }
        for known in self.loops.values_mut().filter(|known| known.answer == Verdict::False) {
            (known.answer, known.evidence) = (Verdict::Maybe, cause());
        }
        self
    }
}
