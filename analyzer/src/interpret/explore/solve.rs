//! States told apart by conditions that the domains do not decide, and moves that somebody proves impossible.

use kleene_domains::lattice::Lattice;
use kleene_domains::numeric::NumericState;
use kleene_domains::{BinaryOp, Cond, Expr, Var};

use super::super::State;
use super::super::context::NodeId;
use super::super::transfer::Transfer;
use super::{CellIndex, Explorer};

/// Who can tell that a step is never taken.
pub trait Steps {
    /// `true`: no concrete step from a point of the first state arrives at a point of the second.
    fn impossible(&mut self, transfer: &Transfer<'_>, from: (NodeId, &State), to: (NodeId, &State)) -> bool;

    /// `true`: the state has no point.
    fn empty(&mut self, state: &State) -> bool;
}

/// States a move may be cut into.
const MOST_PARTS: usize = 16;

impl Explorer<'_, '_> {
    /// A move cut by the conditions of its target, as far as the parts are possible.
    pub(super) fn solved(&mut self, from: CellIndex, to: NodeId, state: State) -> Vec<State> {
        if self.steps.is_none() || is_point(&state) {
            return vec![state];
        }
        let (conditions, candidates) = (self.facts(to), self.candidates(to));
        let Some(steps) = self.steps.as_deref_mut() else { return vec![state] };
        let before = &self.cells[from.0 as usize];
        let transfer = &self.transfer;
        cut(state, &conditions, &candidates, &mut |state| {
            !steps.impossible(transfer, (before.node, &before.state), (to, state))
        })
    }

    /// The same for a state in which runs start.
    pub(super) fn solved_start(&mut self, node: NodeId, state: State) -> Vec<State> {
        if self.steps.is_none() || is_point(&state) {
            return vec![state];
        }
        let (conditions, candidates) = (self.facts(node), self.candidates(node));
        let Some(steps) = self.steps.as_deref_mut() else { return vec![state] };
        cut(state, &conditions, &candidates, &mut |state| !steps.empty(state))
    }

    /// What both states of a join know and the joined one does not.
    pub(super) fn remember(&mut self, node: NodeId, before: &State, arrived: &State, joined: &mut State) {
        if self.steps.is_none() {
            return;
        }
        for condition in self.facts(node).iter().chain(&self.candidates(node)) {
            match (before.decide(condition), arrived.decide(condition)) {
                (Some(true), Some(true)) => joined.remember(condition),
                (Some(false), Some(false)) => joined.remember(&condition.clone().negated()),
                _ => {}
            }
        }
    }

    fn facts(&mut self, node: NodeId) -> Vec<Cond> {
        self.split_conditions(node).iter().filter(|condition| is_fact(condition)).cloned().collect()
    }

    fn candidates(&mut self, node: NodeId) -> Vec<Cond> {
        let dead = self.transfer.dead_slots(node);
        let mut own = self.transfer.local_conditions(node, &self.transfer.precision.candidates);
        own.retain(|condition| {
            let mut reads_dead = false;
            condition.for_each_variable(&mut |slot| reads_dead |= dead.contains(slot));
            !reads_dead && is_fact(condition)
        });
        own
    }
}

/// The possible parts of a state: told apart by conditions, with the candidates that hold in all of a part.
fn cut(
    state: State,
    conditions: &[Cond],
    candidates: &[Cond],
    possible: &mut dyn FnMut(&State) -> bool,
) -> Vec<State> {
    if !possible(&state) {
        return Vec::new();
    }
    let mut states = vec![state];
    for condition in conditions {
        let mut parts = Vec::new();
        for state in states.drain(..) {
            if parts.len() >= MOST_PARTS || state.decide(condition).is_some() {
                parts.push(state);
                continue;
            }
            let sides = [condition.clone(), condition.clone().negated()];
            let sides = sides.iter().map(|side| noted(&state, side));
            parts.extend(sides.filter(|part| !part.is_bottom() && possible(part)));
        }
        states = parts;
    }
    for candidate in candidates {
        for state in &mut states {
            if state.decide(candidate).is_none() {
                let without = noted(state, &candidate.clone().negated());
                if without.is_bottom() || !possible(&without) {
                    state.note(candidate);
                }
            }
        }
    }
    states
}

fn noted(state: &State, fact: &Cond) -> State {
    let mut part = state.clone();
    part.note(fact);
    part
}

fn is_point(state: &State) -> bool {
    (0..state.dimensions() as u32).all(|slot| state.get(Var(slot)).as_constant().is_some())
}

/// Comparisons of sums, products and the like, which always have a value.
fn is_fact(condition: &Cond) -> bool {
    let Cond::Compare(_, left, right) = condition else { return false };
    is_total(left) && is_total(right)
}

fn is_total(expr: &Expr) -> bool {
    use BinaryOp::{Add, Div, Max, Min, Mul, Rem, Sub};
    match expr {
        Expr::Constant(_) | Expr::Variable(_) => true,
        Expr::Negate(inner) => is_total(inner),
        Expr::Binary(Add | Sub | Mul | Min | Max, left, right) => is_total(left) && is_total(right),
        Expr::Binary(Div | Rem, left, right) => {
            is_total(left) && matches!(&**right, Expr::Constant(divisor) if !divisor.is_zero())
        }
        _ => false,
    }
}
