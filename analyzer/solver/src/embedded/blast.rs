//! A problem decided bit by bit, where every variable has a finite range; elsewhere only models of
//! small values are looked for.

use std::rc::Rc;
use std::time::Instant;

use batsat::{EmptyTheory, Lit};
use kleene_domains::{Int, Var};

use super::bits::{Bits, Word};
use super::lower::satisfied;
use super::sat::{Found, Sat};
use crate::budget::{Budget, Limit, Meter};
use crate::problem::Problem;
use crate::solver::{Answer, Model, Reason};

/// Widths tried where there is no finite range.
const GUESSES: [usize; 2] = [5, 12];

/// Whether every variable has a finite range.
pub fn is_finite(problem: &Problem) -> bool {
    problem.ranges().values().all(|range| range.values.low().is_finite() && range.values.high().is_finite())
}

/// A model of small values, if there is one.
pub fn guess(problem: &Problem, budget: &Budget, deadline: Instant) -> Answer {
    let found = GUESSES.iter().map(|width| decide(problem, *width, budget, deadline)).find(Answer::is_sat);
    found.unwrap_or(Answer::Unknown(Reason::Limit(Limit::Rounds)))
}

/// Every variable must have a finite range.
pub fn exact(problem: &Problem, budget: &Budget, deadline: Instant) -> Answer {
    decide(problem, 0, budget, deadline)
}

fn decide(problem: &Problem, guess: usize, budget: &Budget, deadline: Instant) -> Answer {
    let mut bits = Bits::new(problem, guess, budget.gates);
    let is_too_large = |bits: &Bits| bits.exceeded || bits.circuit().len() > 2 * budget.gates;
    let mut roots = Vec::new();
    for cond in problem.assertions() {
        if is_too_large(&bits) {
            break;
        }
        roots.push(satisfied(&mut bits, cond));
    }
    if is_too_large(&bits) {
        return Answer::Unknown(Reason::Limit(Limit::Gates));
    }
    let meter = Rc::new(Meter::new(budget, deadline));
    let mut sat = Sat::new(meter.clone());
    for side in &bits.sides {
        sat.require(bits.circuit(), *side);
    }
    let assumptions: Vec<Lit> = roots.iter().map(|root| sat.literal(bits.circuit(), *root)).collect();
    let found = sat.solve(&mut EmptyTheory::new(), &assumptions);
    match (found, meter.met()) {
        (Found::Conflict(mut core), _) => {
            core.extend(problem.ranges().values().flat_map(|range| range.sources.iter().copied()));
            core.sort_unstable();
            core.dedup();
            Answer::Unsat(core)
        }
        (Found::Model, _) => {
            let value = |(variable, word): (&Var, &Word)| (*variable, number(&sat, word));
            Answer::Sat(bits.variables.iter().map(value).collect::<Model>())
        }
        (Found::Stopped, limit) => Answer::Unknown(Reason::Limit(limit.unwrap_or(Limit::Conflicts))),
    }
}

fn number(sat: &Sat, word: &Word) -> Int {
    let mut value = Int::ZERO;
    for (index, _) in word.iter().enumerate().filter(|(_, bit)| sat.value(**bit)) {
        let weight = Int::from(2).pow(index as u32);
        // The last bit is the sign.
        value = if index + 1 == word.len() { value - weight } else { value + weight };
    }
    value
}
