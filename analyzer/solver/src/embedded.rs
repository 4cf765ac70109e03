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

use std::time::Instant;

use crate::budget::Budget;
use crate::problem::Problem;
use crate::solver::{Answer, Solver};

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

fn decide(problem: &Problem, budget: &Budget) -> Answer {
    let deadline = Instant::now() + budget.time;
    let question = arithmetic::Question::new(problem, budget, deadline);
    if question.is_curved() && blast::is_small(problem) {
        let answer = blast::exact(problem, budget, deadline);
        if !matches!(answer, Answer::Unknown(_)) {
            return answer;
        }
    }
    let linear = question.decide();
    if !matches!(linear, Answer::Unknown(_)) {
        return linear;
    }
    match blast::any(problem, budget, deadline) {
        Answer::Unknown(_) => linear,
        answer => answer,
    }
}
