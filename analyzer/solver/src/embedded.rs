//! The solver that is always there: no process, no C.
//!
//! Two engines on one boolean search (`sat`, by `batsat`): linear integer arithmetic (`linear`, `simplex`,
//! `integer`) and bit vectors (`bits`). Conditions reach both through the same circuit (`lower`, `gates`).
//! Each engine alone is exact in what it decides; here it is only chosen which one to ask.

mod gates;

mod lower;

mod sat;

mod rational;

mod simplex;

mod tighten;

mod integer;

mod theory;

mod linear;

mod arithmetic;

mod bits;

mod blast;

use std::cell::Cell;
use std::time::Instant;

use arithmetic::Question;
pub(crate) use linear::runs;

use crate::budget::{Budget, Limit};
use crate::problem::Problem;
use crate::solver::{Answer, Reason, Solver};

/// The part of a budget that is tried first.
const SMALL_PART: u64 = 50;

/// See the module.
#[derive(Debug, Default)]
pub struct Embedded {
    problem: Problem,
}

impl Embedded {
    pub fn new() -> Self {
        Self::default()
    }
}

impl Solver for Embedded {
    fn name(&self) -> String {
        "embedded".to_string()
    }

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn problem_mut(&mut self) -> &mut Problem {
        &mut self.problem
    }

    fn solve(&mut self, budget: &Budget) -> Answer {
        decide(&self.problem, budget)
    }
}

/// The engines in turn, with small budgets first: what one finds hard is often easy for the other.
pub(crate) fn decide(problem: &Problem, budget: &Budget) -> Answer {
    let deadline = Instant::now() + budget.time;
    let small = budget.divided(SMALL_PART);
    let question = |budget| Question::new(problem, budget, deadline);
    if !blast::is_finite(problem) {
        return question(budget).decide().or_else(|| blast::guess(problem, budget, deadline));
    }
    let (by_bits, by_lines) = (Attempts::default(), Attempts::default());
    let bits = |budget| by_bits.ask(|| blast::exact(problem, budget, deadline));
    let first = question(&small);
    let early = match first.is_curved() {
        true => bits(&small).or_else(|| by_lines.ask(|| first.decide())),
        false => by_lines.ask(|| first.decide()).or_else(|| bits(&small)),
    };
    early.or_else(|| bits(budget)).or_else(|| by_lines.ask(|| question(budget).decide()))
}

/// What is too large for one engine stays so: a part of a budget has all its gates.
#[derive(Default)]
struct Attempts {
    too_large: Cell<bool>,
}

impl Attempts {
    fn ask(&self, decide: impl FnOnce() -> Answer) -> Answer {
        const TOO_LARGE: Answer = Answer::Unknown(Reason::Limit(Limit::Gates));
        if self.too_large.get() {
            return TOO_LARGE;
        }
        let answer = decide();
        self.too_large.set(answer == TOO_LARGE);
        answer
    }
}
