//! The three-valued model checker.
//!
//! Every subformula gets two sets of cells: where it must hold (True) and where it may hold (not False).
//! Existential operators take must hyper-edges for the first and may edges for the second, universal ones
//! the other way round. A two-valued graph needs one pass for both.
//!
//! The checker knows nothing of what a cell stands for. That a loop is left comes in through [`Progress`].

mod evaluate;
mod nodes;

use crate::bits::BitSet;
use crate::formula::Formula;
use crate::kripke::{AtomId, CellId, Model};
use crate::truth::Truth;
use evaluate::Value;
pub(crate) use nodes::{Node, NodeId};
use nodes::{Nodes, Occurrences};

/// A source of proofs that loops are left, for instance by ranking functions.
///
/// Soundness rests on the answers: `true` has to mean that a proof exists. `false` means "not known".
pub trait Progress {
    /// No concrete run stays inside `cells` for ever, whichever may edges inside it follows.
    fn no_infinite_stay(&self, model: &Model, cells: &[CellId]) -> bool;

    /// The same for runs that follow only the chosen hyper-edges: from a state of `cell` the next step
    /// leads into one of its `targets`. Targets that have no pair of their own count as having left.
    fn no_infinite_stay_under(&self, model: &Model, strategy: &[(CellId, Vec<CellId>)]) -> bool;

    /// `true` promises that every answer is `false`, so that nobody has to look for loops to ask about.
    fn is_trivial(&self) -> bool {
        false
    }
}

/// Knows no proof: least fixpoints stay out of all loops.
pub struct NoProgress;

impl Progress for NoProgress {
    fn no_infinite_stay(&self, _: &Model, _: &[CellId]) -> bool {
        false
    }

    fn no_infinite_stay_under(&self, _: &Model, _: &[(CellId, Vec<CellId>)]) -> bool {
        false
    }

    fn is_trivial(&self) -> bool {
        true
    }
}

/// One occurrence of a subformula, numbered in post order: operands come before their operator, and the
/// whole formula is the last. Equal occurrences have ids of their own but are evaluated once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubformulaId(pub u32);

/// The truth of every subformula in every cell.
#[derive(Clone, Debug)]
pub struct Checked {
    model: Model,
    nodes: Nodes,
    occurrences: Occurrences,
    values: Vec<Value>,
}

/// Evaluates `formula` in every cell of the model, in time linear in the size of the formula times the
/// size of the model (and whatever `progress` costs).
///
/// # Panics
/// If the formula mentions an atom that the model does not have.
pub fn check(model: &Model, formula: &Formula<AtomId>, progress: &dyn Progress) -> Checked {
    let (nodes, occurrences) = nodes::share(formula);
    let values = evaluate::evaluate(model, &nodes, progress);
    Checked { model: model.clone(), nodes, occurrences, values }
}

impl Checked {
    /// The truth of the whole formula.
    pub fn truth(&self, cell: CellId) -> Truth {
        self.truth_of(self.root(), cell)
    }

    pub fn truth_of(&self, sub: SubformulaId, cell: CellId) -> Truth {
        self.values[self.node_id(sub).index()].truth(cell)
    }

    /// True if True in all initial cells, False if False in one of them, else Maybe. Without initial cells
    /// that is True; whether such a model is an error is for the caller to say.
    pub fn verdict_over_initial(&self) -> Truth {
        self.model.initial().iter().fold(Truth::True, |verdict, cell| verdict.and(self.truth(*cell)))
    }

    pub fn root(&self) -> SubformulaId {
        SubformulaId(self.occurrences.nodes.len() as u32 - 1)
    }

    /// All occurrences, in post order.
    pub fn subformulas(&self) -> impl Iterator<Item = SubformulaId> + use<> {
        (0..self.occurrences.nodes.len() as u32).map(SubformulaId)
    }

    pub fn parent(&self, sub: SubformulaId) -> Option<SubformulaId> {
        self.occurrences.parents[sub.0 as usize]
    }

    /// The direct operands, in reading order.
    pub fn operands(&self, sub: SubformulaId) -> Vec<SubformulaId> {
        self.occurrences.operands[sub.0 as usize].into_iter().flatten().collect()
    }

    pub fn subformula(&self, sub: SubformulaId) -> Formula<AtomId> {
        self.nodes.formula(self.node_id(sub))
    }

    /// The cells in which the subformula is proved True.
    pub fn must_hold(&self, sub: SubformulaId) -> &BitSet {
        &self.values[self.node_id(sub).index()].must
    }

    /// The cells in which the subformula is not proved False.
    pub fn may_hold(&self, sub: SubformulaId) -> &BitSet {
        &self.values[self.node_id(sub).index()].may
    }

    /// Cells in which a subformula was proved both True and False. Such a cell has no concrete state, or an
    /// answer of [`Progress`] was wrong; the truth is given as Maybe there.
    pub fn contradictions(&self) -> Vec<(SubformulaId, CellId)> {
        let mut found = Vec::new();
        for sub in self.subformulas() {
            let both_ways = self.must_hold(sub).difference(self.may_hold(sub));
            found.extend(both_ways.iter().map(|cell| (sub, CellId(cell as u32))));
        }
        found
    }

    /// The hyper-edge by which an existential operator is True (a universal one False) in `cell`, as its
    /// targets: a state of the cell can always step into one of them and keep the promise from there.
    ///
    /// For least fixpoints the targets were justified before the cell, or lie in a loop that [`Progress`]
    /// vouched for; for greatest ones they lie inside the fixpoint. (Targets in [`Checked::contradictions`] have
    /// no concrete state.) `None` where the operator is of another
    /// kind, is not definite this way, or is justified by the cell itself (the goal is reached).
    pub fn chosen_edge(&self, sub: SubformulaId, cell: CellId) -> Option<Vec<CellId>> {
        evaluate::chosen_edge(&self.model, &self.nodes, &self.values, self.node_id(sub), cell)
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub(crate) fn node_id(&self, sub: SubformulaId) -> NodeId {
        self.occurrences.nodes[sub.0 as usize]
    }

    pub(crate) fn node(&self, sub: SubformulaId) -> Node {
        self.nodes.get(self.node_id(sub))
    }
}
