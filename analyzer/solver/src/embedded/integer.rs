//! Integer values within the bounds of a simplex tableau: divisibility (`tighten`), then branch and bound.
//!
//! A contradiction found by branching is explained by what its two halves have in common with the
//! caller's bounds, so it is a lemma like any other. On unbounded regions branching need not end: the
//! meter ends it, and so does the depth.

use kleene_domains::Int;

use super::simplex::{Cause, Explanation, Side, Simplex};
use super::tighten::tighten;
use crate::budget::Meter;

/// Causes from here on are branches, not literals.
const FIRST_BRANCH: Cause = 1 << 30;

/// Causes from here on are several others.
const FIRST_DERIVED: Cause = 1 << 31;

const MAX_DEPTH: u32 = 150;

/// How often bounds are tightened before branching.
const TIGHTENINGS: usize = 4;

pub enum Integers {
    /// The value of every variable.
    Found(Vec<Int>),
    None(Explanation),
    /// The meter or the depth ran out.
    Open,
}

/// The bounds are as before when it returns. The tableau must be rationally feasible.
pub fn integers(simplex: &mut Simplex, meter: &Meter) -> Integers {
    let mark = simplex.mark();
    let mut search = Search { simplex, meter, derived: Vec::new() };
    let found = search.divide_and_branch(0);
    simplex.undo(mark);
    found
}

struct Search<'a> {
    simplex: &'a mut Simplex,
    meter: &'a Meter,
    /// What each derived cause stands for: literals and branches.
    derived: Vec<Explanation>,
}

impl Search<'_> {
    fn divide_and_branch(&mut self, depth: u32) -> Integers {
        match self.tightened() {
            Err(explanation) => Integers::None(self.resolved(explanation)),
            Ok(false) => Integers::Open,
            Ok(true) => self.branch(depth),
        }
    }

    fn branch(&mut self, depth: u32) -> Integers {
        let Some(variable) = fractional(self.simplex) else {
            let values = (0..self.simplex.variables()).map(|variable| self.simplex.value(variable).floor());
            return Integers::Found(values.collect());
        };
        if depth == MAX_DEPTH {
            return Integers::Open;
        }
        let floor = self.simplex.value(variable).floor();
        let cause = FIRST_BRANCH + depth;
        let halves = [(Side::Upper, floor.clone()), (Side::Lower, floor + Int::ONE)];
        let (mut union, mut open) = (Vec::new(), false);
        for (side, value) in halves {
            self.meter.node();
            if self.meter.met().is_some() {
                return Integers::Open;
            }
            let (mark, derived) = (self.simplex.mark(), self.derived.len());
            let half = self.half(depth, (variable, side, value, cause));
            self.simplex.undo(mark);
            self.derived.truncate(derived);
            match half {
                Integers::None(explanation) if !explanation.contains(&cause) => {
                    return Integers::None(explanation);
                }
                Integers::None(explanation) => {
                    union.extend(explanation.into_iter().filter(|other| *other != cause))
                }
                Integers::Found(values) => return Integers::Found(values),
                Integers::Open => open = true,
            }
        }
        if open {
            return Integers::Open;
        }
        union.sort_unstable();
        union.dedup();
        Integers::None(union)
    }

    fn half(&mut self, depth: u32, (variable, side, value, cause): (usize, Side, Int, Cause)) -> Integers {
        let bounded = self.simplex.bound(variable, side, value, cause);
        match bounded.and_then(|()| self.simplex.check(self.meter)) {
            Err(explanation) => Integers::None(self.resolved(explanation)),
            Ok(false) => Integers::Open,
            // Divisibility has something new to say only where there is a new equation.
            Ok(true) if self.simplex.fixed(variable).is_some() => self.divide_and_branch(depth + 1),
            Ok(true) => self.branch(depth + 1),
        }
    }

    /// Tightens bounds by divisibility while that says something new. `Ok(false)`: out of budget.
    fn tightened(&mut self) -> Result<bool, Explanation> {
        for _ in 0..TIGHTENINGS {
            let tighter = tighten(self.simplex)?;
            if tighter.is_empty() {
                break;
            }
            for bound in tighter {
                let cause = FIRST_DERIVED + self.derived.len() as Cause;
                let causes = self.resolved(bound.causes);
                self.derived.push(causes);
                self.simplex.bound(bound.variable, bound.side, bound.value, cause)?;
            }
            if !self.simplex.check(self.meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Without derived causes.
    fn resolved(&self, explanation: Explanation) -> Explanation {
        let mut causes = Vec::new();
        for cause in explanation {
            match cause.checked_sub(FIRST_DERIVED) {
                Some(index) => causes.extend(&self.derived[index as usize]),
                None => causes.push(cause),
            }
        }
        causes.sort_unstable();
        causes.dedup();
        causes
    }
}

/// A variable whose value is no integer: the one with the fewest values left, the first of those.
fn fractional(simplex: &Simplex) -> Option<usize> {
    let open = simplex.rows().iter().map(|row| row.basic).filter(|basic| !simplex.value(*basic).is_integer());
    open.min_by_key(|variable| {
        let (lower, upper) = (simplex.limit(*variable, Side::Lower), simplex.limit(*variable, Side::Upper));
        let width = lower.zip(upper).map(|(lower, upper)| &upper.value - &lower.value);
        (width.is_none(), width, *variable)
    })
}
