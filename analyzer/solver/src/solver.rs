//! The seam: what a solver is asked and what it may answer.

use std::collections::BTreeMap;
use std::fmt;

use kleene_domains::concrete::holds;
use kleene_domains::{Cond, Int, Var};

use crate::budget::{Budget, Limit};
use crate::problem::{Problem, Sort};

/// A decision procedure for conditions over integers.
///
/// An assertion is satisfied where [`holds`] answers `Some(true)`: conditions are evaluated left to right
/// with short circuit, division truncates, and where a division by zero (or an `Expr::Any`) is reached the
/// condition is *undefined*, hence not satisfied, and neither is its negation.
///
/// An implementation supplies its name, its problem and `solve`; the rest is the same for all. In
/// particular [`check`](Solver::check) evaluates every model before it hands it on.
pub trait Solver {
    /// For reports: `embedded`, `z3 (Z3 version 4.13.0 - 64 bit)`.
    fn name(&self) -> String;

    fn problem(&self) -> &Problem;

    fn problem_mut(&mut self) -> &mut Problem;

    /// Decides the problem as it stands, unchecked. *Unsat* must be right; a wrong model does no harm.
    fn solve(&mut self, budget: &Budget) -> Answer;

    fn declare(&mut self, variable: Var, sort: Sort) {
        self.problem_mut().declare(variable, sort);
    }

    /// Answers the index under which a core names the assertion.
    fn assert(&mut self, cond: &Cond) -> usize {
        self.problem_mut().assert(cond)
    }

    fn push(&mut self) {
        self.problem_mut().push();
    }

    fn pop(&mut self) {
        self.problem_mut().pop();
    }

    /// Decides the assertions. A model that does not satisfy every one of them becomes
    /// `Unknown(InvalidModel)`.
    fn check(&mut self, budget: &Budget) -> Answer {
        match self.solve(budget) {
            Answer::Sat(model) if !model.satisfies(self.problem()) => Answer::Unknown(Reason::InvalidModel),
            answer => answer,
        }
    }
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn problem(&self) -> &Problem {
        (**self).problem()
    }

    fn problem_mut(&mut self) -> &mut Problem {
        (**self).problem_mut()
    }

    fn solve(&mut self, budget: &Budget) -> Answer {
        (**self).solve(budget)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Sat(Model),
    /// No values satisfy even the assertions of these indices (sorted). A solver that does not know
    /// better names them all.
    Unsat(Vec<usize>),
    Unknown(Reason),
}

impl Answer {
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// This answer, or the other if this is none; if that is none either, this one's reason.
    pub(crate) fn or_else(self, other: impl FnOnce() -> Answer) -> Answer {
        match self {
            Answer::Unknown(reason) => match other() {
                Answer::Unknown(_) => Answer::Unknown(reason),
                answer => answer,
            },
            answer => answer,
        }
    }

    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }
}

/// A value for every variable of the problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model(BTreeMap<Var, Int>);

impl Model {
    /// A variable without a value is 0.
    pub fn value(&self, variable: Var) -> Int {
        self.0.get(&variable).cloned().unwrap_or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = (Var, &Int)> {
        self.0.iter().map(|(variable, value)| (*variable, value))
    }

    /// Whether the values are of their sorts and every assertion holds.
    pub fn satisfies(&self, problem: &Problem) -> bool {
        let of_sort = |variable: &Var| match problem.sort(*variable) {
            Sort::Integer => true,
            Sort::Machine(ty) => ty.contains(&self.value(*variable)),
        };
        let holds = |cond: &Cond| holds(cond, &mut |variable: &Var| self.value(*variable)) == Some(true);
        problem.variables().iter().all(of_sort) && problem.assertions().iter().all(holds)
    }
}

impl FromIterator<(Var, Int)> for Model {
    fn from_iter<I: IntoIterator<Item = (Var, Int)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A part of the budget ran out.
    Limit(Limit),
    /// A model was offered that does not satisfy the assertions.
    InvalidModel,
    /// No solver process could be started, with the system's words.
    NotStarted(String),
    /// The solver process ended before it answered; its status.
    Exited(String),
    /// The solver process answered something that is no answer; its beginning.
    Garbage(String),
    /// The solver process wrote more than any answer needs.
    TooMuchOutput,
    /// The solver process gave up; its words.
    GaveUp(String),
    /// The recording has no such question.
    NotRecorded,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Limit(limit) => write!(f, "the limit of {} was met", limit.text()),
            Reason::InvalidModel => f.write_str("the solver's model does not satisfy the question"),
            Reason::NotStarted(why) => write!(f, "the solver could not be started: {why}"),
            Reason::Exited(status) => write!(f, "the solver ended early ({status})"),
            Reason::Garbage(text) => write!(f, "the solver answered {text:?}"),
            Reason::TooMuchOutput => f.write_str("the solver answered without end"),
            Reason::GaveUp(why) => write!(f, "the solver gave up: {why}"),
            Reason::NotRecorded => f.write_str("the question was not recorded"),
        }
    }
}
