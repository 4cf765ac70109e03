//! How much work a check may do. Steps are counted, so the same question gets the same answer on
//! every machine; the clock is a backstop only.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::clock;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Conflicts of the boolean search.
    pub conflicts: u64,
    /// Pivots of the simplex tableau.
    pub pivots: u64,
    /// Nodes of branch and bound.
    pub nodes: u64,
    /// Refinements of products of variables.
    pub rounds: u64,
    /// Gates of the circuit an engine may build.
    pub gates: usize,
    /// For the whole check; the only limit an external process is given.
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            conflicts: 100_000,
            pivots: 100_000,
            nodes: 10_000,
            rounds: 60,
            gates: 400_000,
            time: Duration::from_secs(20),
        }
    }
}

impl Budget {
    /// A part of the steps, in the same time and space.
    pub(crate) fn divided(&self, by: u64) -> Budget {
        Budget {
            conflicts: self.conflicts / by,
            pivots: self.pivots / by,
            nodes: self.nodes / by,
            ..self.clone()
        }
    }
}

/// Which part of a budget ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Conflicts,
    Pivots,
    Nodes,
    Rounds,
    Gates,
    Time,
}

impl Limit {
    pub fn text(self) -> &'static str {
        match self {
            Limit::Conflicts => "conflicts",
            Limit::Pivots => "pivots",
            Limit::Nodes => "nodes of branch and bound",
            Limit::Rounds => "refinements of products",
            Limit::Gates => "gates",
            Limit::Time => "time",
        }
    }
}

/// Counts the work of one engine on one check and remembers the first limit it met.
#[derive(Debug)]
pub(crate) struct Meter {
    budget: Budget,
    deadline: Instant,
    conflicts: Cell<u64>,
    pivots: Cell<u64>,
    nodes: Cell<u64>,
    met: Cell<Option<Limit>>,
}

impl Meter {
    pub fn new(budget: &Budget, deadline: Instant) -> Self {
        let zero = || Cell::new(0);
        Self {
            budget: budget.clone(),
            deadline,
            conflicts: zero(),
            pivots: zero(),
            nodes: zero(),
            met: Cell::new(None),
        }
    }

    pub fn met(&self) -> Option<Limit> {
        if self.met.get().is_none() && Instant::now() >= self.deadline {
            clock::had_a_say();
            self.met.set(Some(Limit::Time));
        }
        self.met.get()
    }

    pub fn meet(&self, limit: Limit) {
        if self.met.get().is_none() {
            self.met.set(Some(limit));
        }
    }

    fn count(&self, counter: &Cell<u64>, most: u64, limit: Limit) {
        counter.set(counter.get() + 1);
        if counter.get() > most {
            self.meet(limit);
        }
    }

    pub fn conflict(&self) {
        self.count(&self.conflicts, self.budget.conflicts, Limit::Conflicts);
    }

    pub fn pivot(&self) {
        self.count(&self.pivots, self.budget.pivots, Limit::Pivots);
    }

    pub fn node(&self) {
        self.count(&self.nodes, self.budget.nodes, Limit::Nodes);
    }
}
