//! Evaluates the nodes of a formula, operands first.
//!
//! Everything temporal but `X` is brought to *until*: `Q[keep W exit] = ¬ Q'[¬exit U ¬exit ∧ ¬keep]` with
//! the dual quantifier `Q'`, `R`, `F` and `G` being special cases. So the two sides of two operators, E and A
//! until, are all there is to compute.

use super::nodes::{Node, NodeId, Nodes};
use super::{CellId, Model, Progress};
use crate::bits::BitSet;
use crate::fixpoint::{AllReach, MustReach, NO_CHOICE, may_reach, must_stay};
use crate::formula::Quantifier::{self, All, Exists};
use crate::rank;
use crate::truth::Truth;
use std::sync::Arc;

/// Where a subformula must hold (is True) and where it may hold (is not False). Where both are the same
/// everywhere they are one allocation, and an operator on a two-valued graph needs one pass.
///
/// A cell without concrete states can be proved to be in `must` and out of `may` at once. Both claims are true
/// of all its states, so both may be used further up; only [`super::Checked`] calls such an answer Maybe.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) must: Arc<BitSet>,
    pub(crate) may: Arc<BitSet>,
    pub(crate) strategy: Option<Arc<Strategy>>,
}

/// Per cell, the edge by which it came into a least fixpoint of must edges.
#[derive(Debug)]
pub(crate) enum Strategy {
    /// On a two-valued graph: the successor.
    Successor(Vec<u32>),
    /// The number of the hyper-edge, or the mark for all may successors.
    HyperEdge(Vec<u32>),
}

impl Value {
    fn exact(set: BitSet) -> Value {
        let both = Arc::new(set);
        Value { must: both.clone(), may: both, strategy: None }
    }

    fn new(must: BitSet, may: BitSet) -> Value {
        if must == may {
            return Value::exact(must);
        }
        Value { must: Arc::new(must), may: Arc::new(may), strategy: None }
    }

    pub(crate) fn truth(&self, cell: CellId) -> Truth {
        match (self.must.contains(cell.index()), self.may.contains(cell.index())) {
            (true, true) => Truth::True,
            (false, false) => Truth::False,
            (false, true) | (true, false) => Truth::Maybe,
        }
    }

    fn is_exact(&self) -> bool {
        Arc::ptr_eq(&self.must, &self.may)
    }

    fn not(&self) -> Value {
        let mut value = match self.is_exact() {
            true => Value::exact(self.must.complement()),
            false => Value::new(self.may.complement(), self.must.complement()),
        };
        value.strategy = self.strategy.clone();
        value
    }

    /// A connective that grows with both operands.
    fn monotone(&self, other: &Value, combine: fn(&BitSet, &BitSet) -> BitSet) -> Value {
        if self.is_exact() && other.is_exact() {
            return Value::exact(combine(&self.must, &other.must));
        }
        Value::new(combine(&self.must, &other.must), combine(&self.may, &other.may))
    }

    fn and(&self, other: &Value) -> Value {
        self.monotone(other, BitSet::intersection)
    }

    fn or(&self, other: &Value) -> Value {
        self.monotone(other, BitSet::union)
    }

    /// A value used inside another operator: the strategy belongs to the operator that made it.
    fn plain(mut self) -> Value {
        self.strategy = None;
        self
    }
}

pub(super) fn evaluate(model: &Model, nodes: &Nodes, progress: &dyn Progress) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    let checker = Checker { model, progress };
    for node in nodes.iter() {
        let value = checker.node(node, &values);
        values.push(value);
    }
    values
}

struct Checker<'c> {
    model: &'c Model,
    progress: &'c dyn Progress,
}

impl Checker<'_> {
    fn node(&self, node: Node, values: &[Value]) -> Value {
        let of = |id: NodeId| &values[id.index()];
        match node {
            Node::Literal(value) => self.literal(value),
            Node::Atom(atom) => {
                let label = self.model.label_sets(atom);
                let (must, may) = (label.must_true.clone(), label.may_true.clone());
                Value { must, may, strategy: None }
            }
            Node::Not(f) => of(f).not().plain(),
            Node::And(f, g) => of(f).and(of(g)),
            Node::Or(f, g) => of(f).or(of(g)),
            Node::Implies(f, g) => of(f).not().or(of(g)),
            Node::Iff(f, g) => of(f).not().or(of(g)).and(&of(g).not().or(of(f))),
            Node::Next(Exists, f) => self.exists_next(of(f)),
            Node::Next(All, f) => self.exists_next(&of(f).not()).not(),
            Node::Future(q, f) => self.until(q, &self.literal(true), of(f)),
            Node::Until(q, f, g) => self.until(q, of(f), of(g)),
            Node::Globally(q, f) => self.weak_until(q, of(f), &self.literal(false)),
            Node::WeakUntil(q, f, g) => self.weak_until(q, of(f), of(g)),
            Node::Release(q, f, g) => self.weak_until(q, of(g), &of(f).and(of(g))),
        }
    }

    fn literal(&self, value: bool) -> Value {
        let cells = self.model.cells();
        Value::exact(if value { BitSet::full(cells) } else { BitSet::empty(cells) })
    }

    fn exists_next(&self, f: &Value) -> Value {
        let may = may_step_into(self.model, &f.may);
        if self.model.edges_are_exact() && f.is_exact() {
            return Value::exact(may);
        }
        Value::new(must_step_into(self.model, &f.must), may)
    }

    fn weak_until(&self, q: Quantifier, keep: &Value, exit: &Value) -> Value {
        let no_exit = exit.not();
        self.until(q.dual(), &no_exit, &no_exit.and(&keep.not())).not()
    }

    fn until(&self, q: Quantifier, path: &Value, goal: &Value) -> Value {
        let exact = self.model.edges_are_exact() && path.is_exact() && goal.is_exact();
        match (q, exact) {
            (Exists, true) => self.exact_exists_until(&path.must, &goal.must),
            (Exists, false) => self.exists_until(path, goal),
            (All, true) => Value::exact(AllReach::new(self.model, &path.must, &goal.must).into_inside()),
            (All, false) => self.all_until(path, goal),
        }
    }

    fn exact_exists_until(&self, path: &BitSet, goal: &BitSet) -> Value {
        let mut choice = vec![NO_CHOICE; self.model.cells()];
        let reached = may_reach(self.model, path, goal, |cell, next| choice[cell.index()] = next.0);
        Value { strategy: Some(Arc::new(Strategy::Successor(choice))), ..Value::exact(reached) }
    }

    fn exists_until(&self, path: &Value, goal: &Value) -> Value {
        let mut must = MustReach::new(self.model, &path.must, &goal.must);
        if !self.progress.is_trivial() && !must.outside.is_empty() {
            rank::extend_must(self.model, &mut must, self.progress);
        }
        let (must, choice) = must.into_parts();
        let may = may_reach(self.model, &path.may, &goal.may, |_, _| {});
        Value { strategy: Some(Arc::new(Strategy::HyperEdge(choice))), ..Value::new(must, may) }
    }

    fn all_until(&self, path: &Value, goal: &Value) -> Value {
        let mut must = AllReach::new(self.model, &path.must, &goal.must);
        if !self.progress.is_trivial() && !must.outside.is_empty() {
            rank::extend_all(self.model, &mut must, self.progress);
        }
        // False: some run leaves `path` before the goal, or avoids the goal for ever.
        let left = path.may.union(&goal.may).complement();
        let avoids = must_stay(self.model, &left, &goal.may.complement());
        Value::new(must.into_inside(), avoids.complement())
    }
}

/// EX over may edges.
fn may_step_into(model: &Model, set: &BitSet) -> BitSet {
    let mut before = BitSet::empty(model.cells());
    for cell in model.cell_ids() {
        if model.may_successors(cell).iter().any(|to| set.contains(to.index())) {
            before.insert(cell.index());
        }
    }
    before
}

/// EX over must hyper-edges.
fn must_step_into(model: &Model, set: &BitSet) -> BitSet {
    let mut before = BitSet::empty(model.cells());
    for cell in model.cell_ids() {
        if edge_into(model, cell, |to| set.contains(to.index())).is_some() {
            before.insert(cell.index());
        }
    }
    before
}

/// The smallest must hyper-edge of the cell all of whose targets are wanted.
fn edge_into(model: &Model, cell: CellId, wanted: impl Fn(CellId) -> bool) -> Option<&[CellId]> {
    let all_may = std::iter::once(model.may_successors(cell));
    let edges = model.must_edge_ids(cell).map(|edge| model.must_targets(edge)).chain(all_may);
    edges.filter(|targets| targets.iter().all(|to| wanted(*to))).min_by_key(|targets| targets.len())
}

pub(super) fn chosen_edge(
    model: &Model,
    nodes: &Nodes,
    values: &[Value],
    id: NodeId,
    cell: CellId,
) -> Option<Vec<CellId>> {
    let value = &values[id.index()];
    let node = nodes.get(id);
    // A cell without states may be both; each claim has its edge.
    let holds = value.must.contains(cell.index());
    let fails = !value.may.contains(cell.index());
    let of = |id: NodeId| &values[id.index()];
    let must = |id: NodeId, cell: CellId| of(id).must.contains(cell.index());
    let may = |id: NodeId, cell: CellId| of(id).may.contains(cell.index());
    let targets = match node {
        Node::Next(Exists, f) if holds => edge_into(model, cell, |to| must(f, to)),
        Node::Next(All, f) if fails => edge_into(model, cell, |to| !may(f, to)),
        Node::Future(Exists, _) | Node::Until(Exists, ..) if holds => stored_choice(model, value, cell),
        Node::Globally(All, _) | Node::Release(All, ..) | Node::WeakUntil(All, ..) if fails => {
            stored_choice(model, value, cell)
        }
        Node::Globally(Exists, _) | Node::Release(Exists, ..) | Node::WeakUntil(Exists, ..) if holds => {
            let done = match node {
                Node::Release(_, f, _) => must(f, cell),
                Node::WeakUntil(_, _, g) => must(g, cell),
                _ => false,
            };
            if done { None } else { edge_into(model, cell, |to| value.must.contains(to.index())) }
        }
        Node::Future(All, _) | Node::Until(All, ..) if fails => {
            let done = matches!(node, Node::Until(_, f, _) if !may(f, cell));
            if done { None } else { edge_into(model, cell, |to| !value.may.contains(to.index())) }
        }
        _ => None,
    };
    targets.map(<[CellId]>::to_vec)
}

fn stored_choice<'m>(model: &'m Model, value: &Value, cell: CellId) -> Option<&'m [CellId]> {
    match value.strategy.as_deref()? {
        Strategy::HyperEdge(choice) => {
            Some(rank::targets_of(model, cell, choice[cell.index()])).filter(|targets| !targets.is_empty())
        }
        Strategy::Successor(choice) => {
            let successor = CellId(choice[cell.index()]);
            let successors = model.may_successors(cell);
            successors.binary_search(&successor).ok().map(|place| &successors[place..=place])
        }
    }
}
