//! The boolean search: signals as clauses of `batsat`, within a budget.

use std::rc::Rc;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, Theory, lbool};

use super::gates::{Gates, Node, Signal};
use crate::budget::Meter;

/// Counts conflicts and stops the search when the meter says so.
struct Watch(Rc<Meter>);

impl Callbacks for Watch {
    fn on_new_clause(&mut self, _: &[Lit], _: ClauseKind) {
        self.0.conflict();
    }

    fn stop(&self) -> bool {
        self.0.met().is_some()
    }
}

pub struct Sat {
    solver: Solver<Watch>,
    /// The literal of each node that has been written down.
    literals: Vec<Option<Lit>>,
}

/// What the search found, before any theory has a say in the model.
pub enum Found {
    Model,
    /// The assumptions, by position, that contradict each other.
    Conflict(Vec<usize>),
    Stopped,
}

impl Sat {
    pub fn new(meter: Rc<Meter>) -> Self {
        Self { solver: Solver::new(SolverOpts::default(), Watch(meter)), literals: Vec::new() }
    }

    fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// The literal of a signal; the gates below it that are not yet clauses are written down.
    pub fn literal(&mut self, gates: &Gates, signal: Signal) -> Lit {
        self.literals.resize(gates.len().max(self.literals.len()), None);
        let mut pending = vec![signal.node()];
        while let Some(node) = pending.pop() {
            if self.literals[node].is_some() {
                continue;
            }
            match gates.node(node) {
                Node::True => {
                    let literal = self.fresh();
                    self.literals[node] = Some(literal);
                    self.clause(&[literal]);
                }
                Node::Input => self.literals[node] = Some(self.fresh()),
                Node::And(a, b) => match (self.written(a), self.written(b)) {
                    (Some(a), Some(b)) => {
                        let literal = self.fresh();
                        self.literals[node] = Some(literal);
                        self.clause(&[!literal, a]);
                        self.clause(&[!literal, b]);
                        self.clause(&[literal, !a, !b]);
                    }
                    _ => pending.extend([node, b.node(), a.node()]),
                },
            }
        }
        self.written(signal).expect("the node was just written")
    }

    /// The literal of a signal, if it has been written down.
    pub fn written(&self, signal: Signal) -> Option<Lit> {
        let literal = (*self.literals.get(signal.node())?)?;
        Some(if signal.is_negated() { !literal } else { literal })
    }

    pub fn clause(&mut self, literals: &[Lit]) {
        self.solver.add_clause_reuse(&mut literals.to_vec());
    }

    /// Makes a signal true for good. A disjunction becomes one clause.
    pub fn require(&mut self, gates: &Gates, signal: Signal) {
        let mut literals = Vec::new();
        let mut pending = vec![signal];
        while let Some(part) = pending.pop() {
            match gates.node(part.node()) {
                Node::And(a, b) if part.is_negated() => pending.extend([!a, !b]),
                _ => literals.push(self.literal(gates, part)),
            }
        }
        self.clause(&literals);
    }

    pub fn solve(&mut self, theory: &mut impl Theory, assumptions: &[Lit]) -> Found {
        let result = self.solver.solve_limited_th(theory, assumptions);
        if result == lbool::TRUE {
            return Found::Model;
        }
        if result != lbool::FALSE {
            return Found::Stopped;
        }
        let core = self.solver.unsat_core();
        let named = |literal: &Lit| core.iter().any(|named| named.var() == literal.var());
        let conflict = assumptions.iter().enumerate().filter(|(_, literal)| named(literal));
        Found::Conflict(conflict.map(|(position, _)| position).collect())
    }

    /// The value of a signal in the last model; what was never written down is free, hence false.
    pub fn value(&self, signal: Signal) -> bool {
        match self.written(signal) {
            Some(literal) => self.solver.value_lit(literal) == lbool::TRUE,
            None => signal == Signal::TRUE || (signal != Signal::FALSE && signal.is_negated()),
        }
    }
}
