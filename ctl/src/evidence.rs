//! Why a cell has the truth value it has: a path, a lasso, or the cause of a Maybe.
//!
//! Everything here is about cells. Whether a concrete run follows such a path is for others to find out.

mod cause;
mod witness;

use crate::check::{Checked, SubformulaId};
use crate::kripke::{AtomId, CellId, Model};
use crate::truth::Truth;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// For a definite value: cells from the initial one to where the value is decided. A path of the initial
    /// cell alone says that no single run shows the value; it is a statement about all of them.
    Path(Vec<CellId>),
    /// For a definite value that an infinite run shows: `stem`, then `cycle` for ever (the step from the last
    /// cell of the cycle to its first is an edge, and so is the one from the stem to the cycle).
    Lasso { stem: Vec<CellId>, cycle: Vec<CellId> },
    /// For Maybe.
    Cause(Cause),
}

/// What is not definite, at the nearest cell where that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    pub cell: CellId,
    pub kind: CauseKind,
    /// The operator or atom that is Maybe in `cell` for this reason.
    pub subformula: SubformulaId,
    /// A shortest may path from the initial cell to `cell` along which the answer is undecided.
    pub path: Vec<CellId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CauseKind {
    /// The atom is Maybe there.
    Label(AtomId),
    /// The edge to this cell may be taken but is not known to be, and the answer depends on it.
    Edge { to: CellId },
    /// A loop is not known to be left, nor known to go on for ever.
    Loop,
}

/// Explains the truth of the whole formula in `initial_cell`. Deterministic; of several causes the nearest.
pub fn explain(model: &Model, checked: &Checked, initial_cell: CellId) -> Explanation {
    match checked.truth(initial_cell) {
        Truth::Maybe => Explanation::Cause(cause::nearest(model, checked, initial_cell)),
        _ => witness::witness(model, checked, initial_cell),
    }
}
