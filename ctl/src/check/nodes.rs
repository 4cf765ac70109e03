//! The formula as a graph: equal subformulas are one node, occurrences point to nodes.

use super::SubformulaId;
use crate::formula::{Formula, Quantifier};
use crate::kripke::AtomId;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A subformula whose operands are nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Literal(bool),
    Atom(AtomId),
    Not(NodeId),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Implies(NodeId, NodeId),
    Iff(NodeId, NodeId),
    Next(Quantifier, NodeId),
    Future(Quantifier, NodeId),
    Globally(Quantifier, NodeId),
    Until(Quantifier, NodeId, NodeId),
    Release(Quantifier, NodeId, NodeId),
    WeakUntil(Quantifier, NodeId, NodeId),
}

/// Every node stands after its operands.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    all: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(crate) struct Occurrences {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) parents: Vec<Option<SubformulaId>>,
    pub(crate) operands: Vec<[Option<SubformulaId>; 2]>,
}

impl Nodes {
    pub(crate) fn get(&self, id: NodeId) -> Node {
        self.all[id.index()]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Node> + '_ {
        self.all.iter().copied()
    }

    pub(crate) fn formula(&self, id: NodeId) -> Formula<AtomId> {
        let sub = |id: NodeId| Box::new(self.formula(id));
        match self.get(id) {
            Node::Literal(value) => Formula::Literal(value),
            Node::Atom(atom) => Formula::Atom(atom),
            Node::Not(f) => Formula::Not(sub(f)),
            Node::And(f, g) => Formula::And(sub(f), sub(g)),
            Node::Or(f, g) => Formula::Or(sub(f), sub(g)),
            Node::Implies(f, g) => Formula::Implies(sub(f), sub(g)),
            Node::Iff(f, g) => Formula::Iff(sub(f), sub(g)),
            Node::Next(q, f) => Formula::Next(q, sub(f)),
            Node::Future(q, f) => Formula::Future(q, sub(f)),
            Node::Globally(q, f) => Formula::Globally(q, sub(f)),
            Node::Until(q, f, g) => Formula::Until(q, sub(f), sub(g)),
            Node::Release(q, f, g) => Formula::Release(q, sub(f), sub(g)),
            Node::WeakUntil(q, f, g) => Formula::WeakUntil(q, sub(f), sub(g)),
        }
    }
}

/// Numbers the occurrences in post order and gives equal ones the same node. Works with a stack of its own,
/// so that the depth of the formula does not matter.
pub(crate) fn share(formula: &Formula<AtomId>) -> (Nodes, Occurrences) {
    enum Task<'f> {
        Enter(&'f Formula<AtomId>),
        Leave(&'f Formula<AtomId>),
    }
    let mut nodes = Nodes { all: Vec::new() };
    let mut known: FxHashMap<Node, NodeId> = FxHashMap::default();
    let mut occurrences = Occurrences { nodes: Vec::new(), parents: Vec::new(), operands: Vec::new() };
    let mut finished: Vec<SubformulaId> = Vec::new();
    let mut tasks = vec![Task::Enter(formula)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Enter(sub) => {
                tasks.push(Task::Leave(sub));
                tasks.extend(sub.operands().into_iter().rev().flatten().map(Task::Enter));
            }
            Task::Leave(sub) => {
                let count = sub.operands().iter().flatten().count();
                let operands = finished.split_off(finished.len() - count);
                let below: Vec<NodeId> = operands.iter().map(|id| occurrences.nodes[id.0 as usize]).collect();
                let node = node_of(sub, &below);
                let id = *known.entry(node).or_insert_with(|| {
                    nodes.all.push(node);
                    NodeId(nodes.all.len() as u32 - 1)
                });
                finished.push(occurrences.add(id, &operands));
            }
        }
    }
    (nodes, occurrences)
}

impl Occurrences {
    fn add(&mut self, node: NodeId, operands: &[SubformulaId]) -> SubformulaId {
        let id = SubformulaId(self.nodes.len() as u32);
        operands.iter().for_each(|operand| self.parents[operand.0 as usize] = Some(id));
        self.nodes.push(node);
        self.parents.push(None);
        self.operands.push([operands.first().copied(), operands.get(1).copied()]);
        id
    }
}

fn node_of(formula: &Formula<AtomId>, below: &[NodeId]) -> Node {
    match formula {
        Formula::Literal(value) => Node::Literal(*value),
        Formula::Atom(atom) => Node::Atom(*atom),
        Formula::Not(_) => Node::Not(below[0]),
        Formula::And(..) => Node::And(below[0], below[1]),
        Formula::Or(..) => Node::Or(below[0], below[1]),
        Formula::Implies(..) => Node::Implies(below[0], below[1]),
        Formula::Iff(..) => Node::Iff(below[0], below[1]),
        Formula::Next(q, _) => Node::Next(*q, below[0]),
        Formula::Future(q, _) => Node::Future(*q, below[0]),
        Formula::Globally(q, _) => Node::Globally(*q, below[0]),
        Formula::Until(q, ..) => Node::Until(*q, below[0], below[1]),
        Formula::Release(q, ..) => Node::Release(*q, below[0], below[1]),
        Formula::WeakUntil(q, ..) => Node::WeakUntil(*q, below[0], below[1]),
    }
}
