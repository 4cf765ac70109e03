//! Makes a counterexample small: drops and simplifies one part at a time while the mismatch remains.

use std::time::{Duration, Instant};

use crate::differential::{Engine, Judged, compare};
use crate::generate::Case;
use crate::reference::explore;
use crate::variants;

/// What one counterexample may cost.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub tries: usize,
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self { tries: 4_000, time: Duration::from_secs(90) }
    }
}

/// The smallest case found that is wrong in the same way. `judged` is a wrong answer of `case`.
pub fn shrink(engine: &Engine<'_>, case: &Case, judged: &Judged, budget: Budget) -> (Case, Judged) {
    let mut best = Case { formulas: vec![judged.formula.clone()], ..case.clone() };
    let mut verdict = judged.clone();
    let (deadline, mut tries) = (Instant::now() + budget.time, 0);
    // Start again after every success, but from where it happened: what failed before rarely works now.
    let mut position = 0;
    let mut since = 0;
    loop {
        let candidates = variants::of_case(&best);
        if candidates.is_empty() || since >= candidates.len() {
            return (best, verdict);
        }
        let candidate = &candidates[position % candidates.len()];
        tries += 1;
        if tries > budget.tries || Instant::now() > deadline {
            return (best, verdict);
        }
        if let Some(found) = still_wrong(engine, candidate, &verdict) {
            best = candidate.clone();
            verdict = found;
            since = 0;
        } else {
            position += 1;
            since += 1;
        }
    }
}

fn still_wrong(engine: &Engine<'_>, case: &Case, before: &Judged) -> Option<Judged> {
    let exploration = explore(&case.program, case.class.limits()).ok()?;
    let judged = compare(engine, case, &exploration).pop()?;
    (judged.wrong.is_some() && judged.wrong == before.wrong).then_some(judged)
}
