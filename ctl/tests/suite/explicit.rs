//! CTL on explicit two-valued graphs, written from the textbook: every operator by its own fixpoint
//! equation, iterated naively until nothing changes.

use kleene_ctl::{AtomId, CellId, Formula, Model, ModelBuilder, Quantifier, Truth};

#[derive(Clone, Debug)]
pub struct Graph {
    pub successors: Vec<Vec<usize>>,
    /// By atom, then by state.
    pub labels: Vec<Vec<bool>>,
}

impl Graph {
    pub fn states(&self) -> usize {
        self.successors.len()
    }

    /// The states in which the formula holds.
    pub fn check(&self, formula: &Formula<AtomId>) -> Vec<bool> {
        let both = |f: &Formula<AtomId>, g: &Formula<AtomId>, combine: fn(bool, bool) -> bool| {
            let (f, g) = (self.check(f), self.check(g));
            (0..self.states()).map(|state| combine(f[state], g[state])).collect()
        };
        match formula {
            Formula::Literal(value) => vec![*value; self.states()],
            Formula::Atom(atom) => self.labels[atom.0 as usize].clone(),
            Formula::Not(f) => self.check(f).into_iter().map(|value| !value).collect(),
            Formula::And(f, g) => both(f, g, |f, g| f && g),
            Formula::Or(f, g) => both(f, g, |f, g| f || g),
            Formula::Implies(f, g) => both(f, g, |f, g| !f || g),
            Formula::Iff(f, g) => both(f, g, |f, g| f == g),
            Formula::Next(q, f) => self.next(*q, &self.check(f)),
            Formula::Future(q, f) => {
                let f = self.check(f);
                self.fixpoint(*q, false, |state, next| f[state] || next)
            }
            Formula::Globally(q, f) => {
                let f = self.check(f);
                self.fixpoint(*q, true, |state, next| f[state] && next)
            }
            Formula::Until(q, f, g) => {
                let (f, g) = (self.check(f), self.check(g));
                self.fixpoint(*q, false, |state, next| g[state] || (f[state] && next))
            }
            Formula::WeakUntil(q, f, g) => {
                let (f, g) = (self.check(f), self.check(g));
                self.fixpoint(*q, true, |state, next| g[state] || (f[state] && next))
            }
            Formula::Release(q, f, g) => {
                let (f, g) = (self.check(f), self.check(g));
                self.fixpoint(*q, true, |state, next| g[state] && (f[state] || next))
            }
        }
    }

    pub fn next(&self, q: Quantifier, set: &[bool]) -> Vec<bool> {
        let holds = |row: &Vec<usize>| match q {
            Quantifier::All => row.iter().all(|to| set[*to]),
            Quantifier::Exists => row.iter().any(|to| set[*to]),
        };
        self.successors.iter().map(holds).collect()
    }

    fn fixpoint(&self, q: Quantifier, start: bool, equation: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut set = vec![start; self.states()];
        loop {
            let next = self.next(q, &set);
            let better: Vec<bool> = (0..self.states()).map(|state| equation(state, next[state])).collect();
            if better == set {
                return set;
            }
            set = better;
        }
    }

    /// The same graph as a model: each edge a `step`, state 0 initial.
    pub fn model(&self) -> Model {
        let mut builder = ModelBuilder::new(self.states(), self.labels.len());
        for (from, row) in self.successors.iter().enumerate() {
            row.iter().for_each(|to| builder.step(CellId(from as u32), CellId(*to as u32)));
        }
        for (atom, label) in self.labels.iter().enumerate() {
            for (state, value) in label.iter().enumerate() {
                builder.label(AtomId(atom as u32), CellId(state as u32), Truth::from_bool(*value));
            }
        }
        builder.initial(CellId(0));
        builder.build().expect("a graph is a model")
    }
}
