//! A problem decided by linear integer arithmetic, with lemmas for its products.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::rc::Rc;
use std::time::Instant;

use batsat::Lit;
use kleene_domains::{Int, Var};

use super::gates::Signal;
use super::linear::Linear;
use super::lower::satisfied;
use super::sat::{Found, Sat};
use super::theory::{Atom, Bounds};
use crate::budget::{Budget, Limit, Meter};
use crate::problem::Problem;
use crate::solver::{Answer, Model, Reason};

pub struct Question<'a> {
    problem: &'a Problem,
    linear: Linear,
    roots: Vec<Signal>,
    meter: Rc<Meter>,
    rounds: u64,
    gates: usize,
}

impl<'a> Question<'a> {
    pub fn new(problem: &'a Problem, budget: &Budget, deadline: Instant) -> Self {
        let mut linear = Linear::new(problem);
        let roots = problem.assertions().iter().map(|cond| satisfied(&mut linear, cond)).collect();
        let meter = Rc::new(Meter::new(budget, deadline));
        Self { problem, linear, roots, meter, rounds: budget.rounds, gates: budget.gates }
    }

    /// Whether there are products that lemmas can only approach, or terms that are only bounded.
    pub fn is_curved(&self) -> bool {
        !self.linear.products.is_empty() || self.linear.approximate
    }

    pub fn decide(mut self) -> Answer {
        if self.linear.circuit().len() > self.gates {
            return Answer::Unknown(Reason::Limit(Limit::Gates));
        }
        let mut search = Search::new(&self.meter);
        let assumptions: Vec<Lit> =
            self.roots.iter().map(|root| search.sat.literal(self.linear.circuit(), *root)).collect();
        for _ in 0..=self.rounds {
            search.extend(&self.linear);
            let found = search.sat.solve(&mut search.theory, &assumptions);
            if search.theory.refuted() {
                return self.unsat(Vec::new());
            }
            if let Found::Conflict(core) = found {
                return self.unsat(core);
            }
            if let Some(limit) = self.meter.met() {
                return Answer::Unknown(Reason::Limit(limit));
            }
            let point = search.point();
            let model = self.model(&point);
            if !self.is_curved() || model.satisfies(self.problem) {
                return Answer::Sat(model);
            }
            if !self.linear.refine(&point) {
                return match self.linear.approximate {
                    true => Answer::Unknown(Reason::Limit(Limit::Rounds)),
                    false => Answer::Sat(model),
                };
            }
        }
        Answer::Unknown(Reason::Limit(Limit::Rounds))
    }

    fn unsat(&self, mut core: Vec<usize>) -> Answer {
        core.extend(&self.linear.relied);
        core.sort_unstable();
        core.dedup();
        Answer::Unsat(core)
    }

    fn model(&self, point: &[Int]) -> Model {
        let value = |variable: Var| match self.linear.own.get(&variable) {
            Some(own) => point[own.0 as usize].clone(),
            // It occurs nowhere that matters; 0 is a value of every sort.
            None => Int::ZERO,
        };
        self.problem.variables().into_iter().map(|variable| (variable, value(variable))).collect()
    }
}

/// The boolean search and the tableau, which grow with the lemmas.
struct Search {
    sat: Sat,
    theory: Bounds,
    /// The tableau's variable for each variable, and for each form that has a literal.
    variables: Vec<usize>,
    forms: Vec<Option<usize>>,
    /// The literals of each form, by the constant they compare with.
    literals: Vec<BTreeMap<Int, Lit>>,
    sides: usize,
}

impl Search {
    fn new(meter: &Rc<Meter>) -> Self {
        Self {
            sat: Sat::new(meter.clone()),
            theory: Bounds::new(meter.clone()),
            variables: Vec::new(),
            forms: Vec::new(),
            literals: Vec::new(),
            sides: 0,
        }
    }

    /// Takes in the variables, side conditions and atoms that are new.
    fn extend(&mut self, linear: &Linear) {
        for side in &linear.sides[self.sides..] {
            self.sat.require(linear.circuit(), *side);
        }
        self.sides = linear.sides.len();
        while self.variables.len() < linear.variables() {
            self.variables.push(self.theory.simplex.variable());
        }
        self.forms.resize(linear.forms.len(), None);
        self.literals.resize(linear.forms.len(), BTreeMap::new());
        for (atom, signal) in &linear.atoms {
            let Some(literal) = self.sat.written(*signal) else { continue };
            if self.literals[atom.form].insert(atom.at_most.clone(), literal).is_none() {
                let variable = self.column(linear, atom.form);
                self.theory.atom(literal, Atom { variable, at_most: atom.at_most.clone() });
                self.order(atom.form, &atom.at_most, literal);
            }
        }
    }

    fn column(&mut self, linear: &Linear, form: usize) -> usize {
        if let Some(column) = self.forms[form] {
            return column;
        }
        let renamed = linear.forms[form].renamed(|variable| Var(self.variables[variable.0 as usize] as u32));
        let column = match renamed.terms() {
            // Factors have no common divisor and the first is positive: this is the variable itself.
            [(variable, _)] => variable.0 as usize,
            _ => self.theory.simplex.define(&renamed),
        };
        self.forms[form] = Some(column);
        column
    }

    /// `f <= 3` implies `f <= 5`: said once between neighbours, it need not be found by the theory.
    fn order(&mut self, form: usize, at_most: &Int, literal: Lit) {
        let below = self.literals[form].range(..at_most).next_back().map(|(_, below)| *below);
        let above = (Bound::Excluded(at_most), Bound::Unbounded);
        let above = self.literals[form].range::<Int, _>(above).next().map(|(_, above)| *above);
        if let Some(below) = below {
            self.sat.clause(&[!below, literal]);
        }
        if let Some(above) = above {
            self.sat.clause(&[!literal, above]);
        }
    }

    /// The values of the lowering's variables.
    fn point(&self) -> Vec<Int> {
        let model = self.theory.model();
        self.variables.iter().map(|column| model.get(*column).cloned().unwrap_or_default()).collect()
    }
}
