//! The stack of assertions every solver works on, and the ranges that can be read off it.

use std::collections::BTreeMap;

use kleene_domains::{Bound, CompareOp, Cond, Expr, IntType, Interval, Var};

/// What values a variable takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Every integer.
    Integer,
    /// The values of a machine type. Arithmetic stays exact: what wraps says so by `Expr::Wrap`.
    Machine(IntType),
}

/// Declarations and assertions, in the order they were made.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    sorts: BTreeMap<Var, Sort>,
    assertions: Vec<Cond>,
    /// The number of assertions at each `push`.
    frames: Vec<usize>,
}

impl Problem {
    /// Declarations are not undone by `pop`; a variable never declared is an unbounded integer.
    pub fn declare(&mut self, variable: Var, sort: Sort) {
        self.sorts.insert(variable, sort);
    }

    /// Answers the index under which an unsatisfiable core names the assertion.
    pub fn assert(&mut self, cond: &Cond) -> usize {
        self.assertions.push(cond.clone());
        self.assertions.len() - 1
    }

    pub fn push(&mut self) {
        self.frames.push(self.assertions.len());
    }

    /// Forgets the assertions since the matching `push`.
    ///
    /// # Panics
    /// If there is none: pushes and pops are the caller's to balance.
    pub fn pop(&mut self) {
        let kept = self.frames.pop().expect("a pop has its push");
        self.assertions.truncate(kept);
    }

    pub fn assertions(&self) -> &[Cond] {
        &self.assertions
    }

    pub fn sort(&self, variable: Var) -> Sort {
        self.sorts.get(&variable).copied().unwrap_or(Sort::Integer)
    }

    /// Every declared variable and every one that occurs, in order.
    pub fn variables(&self) -> Vec<Var> {
        let mut all = self.sorts.clone();
        for cond in &self.assertions {
            cond.for_each_variable(&mut |variable| {
                all.entry(*variable).or_insert(Sort::Integer);
            });
        }
        all.into_keys().collect()
    }

    /// The same declarations with some of the assertions.
    pub fn restricted(&self, indices: &[usize]) -> Problem {
        let assertions = indices.iter().map(|index| self.assertions[*index].clone()).collect();
        Problem { sorts: self.sorts.clone(), assertions, frames: Vec::new() }
    }

    /// What sorts and plain comparisons with constants say of each variable. A range that turns out
    /// empty is left as it was: the assertions still contradict each other.
    pub(crate) fn ranges(&self) -> BTreeMap<Var, Range> {
        let mut ranges = BTreeMap::new();
        for variable in self.variables() {
            let values = match self.sort(variable) {
                Sort::Integer => Interval::TOP,
                Sort::Machine(ty) => ty.range(),
            };
            ranges.insert(variable, Range { values, sources: Vec::new() });
        }
        for (index, cond) in self.assertions.iter().enumerate() {
            narrow(cond, index, &mut ranges);
        }
        ranges
    }
}

/// The values a variable can take, and the assertions that say so.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub values: Interval,
    pub sources: Vec<usize>,
}

fn narrow(cond: &Cond, index: usize, ranges: &mut BTreeMap<Var, Range>) {
    let (op, variable, constant) = match cond {
        Cond::And(left, right) => {
            narrow(left, index, ranges);
            return narrow(right, index, ranges);
        }
        Cond::Compare(op, Expr::Variable(variable), Expr::Constant(value)) => (*op, variable, value),
        Cond::Compare(op, Expr::Constant(value), Expr::Variable(variable)) => (op.swapped(), variable, value),
        _ => return,
    };
    let one = kleene_domains::Int::ONE;
    let (low, high) = match op {
        CompareOp::Equal => (Bound::Finite(constant.clone()), Bound::Finite(constant.clone())),
        CompareOp::NotEqual => return,
        CompareOp::Less => (Bound::NegInfinity, Bound::Finite(constant - one)),
        CompareOp::LessEqual => (Bound::NegInfinity, Bound::Finite(constant.clone())),
        CompareOp::Greater => (Bound::Finite(constant + one), Bound::PosInfinity),
        CompareOp::GreaterEqual => (Bound::Finite(constant.clone()), Bound::PosInfinity),
    };
    let Some(said) = Interval::new(low, high) else { return };
    let Some(range) = ranges.get_mut(variable) else { return };
    if let Some(narrower) = range.values.meet(&said)
        && narrower != range.values
    {
        range.values = narrower;
        range.sources.push(index);
    }
}
