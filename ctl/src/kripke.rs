//! The model: cells, may edges, must hyper-edges and three-valued labels.
//!
//! - *may* `a → b`: some concrete step from `a` may lead into `b`; every concrete step is covered.
//! - *must* `a → B`: every concrete state of `a` has a step into some cell of `B`; `B ⊆ may(a)`. Since
//!   every state has a step, `may(a)` itself always is one: the checker uses it without its being stored.
//! - an atom is True (False) in a cell if it holds in all (none) of its states, else Maybe.
//!
//! Everything lies in compressed sparse rows, and a model is immutable and cheap to clone. What cells stand
//! for is unknown here.

mod build;
mod relabel;

pub use build::{ModelBuilder, ModelError};

use crate::bits::BitSet;
use crate::truth::Truth;
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

impl CellId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(pub u32);

impl AtomId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for AtomId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "p{}", self.0)
    }
}

/// Rows of values in one array: row `r` is `values[starts[r]..starts[r + 1]]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows<T> {
    pub(crate) starts: Vec<u32>,
    pub(crate) values: Vec<T>,
}

impl<T> Rows<T> {
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[T] {
        &self.values[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// A must hyper-edge, by its place in the model: the edges of one cell stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MustEdge(pub(crate) u32);

#[derive(Clone, Debug)]
pub struct Model {
    data: Arc<ModelData>,
    labels: Arc<[Label]>,
}

#[derive(Debug)]
struct ModelData {
    may_successors: Rows<CellId>,
    may_predecessors: Rows<CellId>,
    /// Row `a`: which hyper-edges start in `a`, as a range given by `starts` alone.
    must_starts: Vec<u32>,
    must_sources: Vec<CellId>,
    must_targets: Rows<CellId>,
    must_by_target: Rows<MustEdge>,
    initial: Vec<CellId>,
    edges_are_exact: bool,
}

/// One atom over all cells; where the atom is definite everywhere both sets are one allocation.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) must_true: Arc<BitSet>,
    pub(crate) may_true: Arc<BitSet>,
}

impl Model {
    pub fn cells(&self) -> usize {
        self.data.may_successors.starts.len() - 1
    }

    pub fn cell_ids(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.cells() as u32).map(CellId)
    }

    pub fn atoms(&self) -> usize {
        self.labels.len()
    }

    #[inline]
    pub fn may_successors(&self, cell: CellId) -> &[CellId] {
        self.data.may_successors.row(cell.index())
    }

    #[inline]
    pub fn may_predecessors(&self, cell: CellId) -> &[CellId] {
        self.data.may_predecessors.row(cell.index())
    }

    /// The stored hyper-edges of a cell, each as its ascending targets. `may(cell)` is one too, stored or not.
    pub fn must_edges(&self, cell: CellId) -> impl Iterator<Item = &[CellId]> + '_ {
        self.must_edge_ids(cell).map(|edge| self.must_targets(edge))
    }

    pub fn label(&self, atom: AtomId, cell: CellId) -> Truth {
        let label = &self.labels[atom.index()];
        if label.must_true.contains(cell.index()) {
            Truth::True
        } else if label.may_true.contains(cell.index()) {
            Truth::Maybe
        } else {
            Truth::False
        }
    }

    /// Ascending, without repetition.
    pub fn initial(&self) -> &[CellId] {
        &self.data.initial
    }

    pub fn may_edge_count(&self) -> usize {
        self.data.may_successors.values.len()
    }

    pub fn must_edge_count(&self) -> usize {
        self.data.must_sources.len()
    }

    /// Every may edge `a → b` is also a must edge `a → {b}`: a two-valued graph (its labels may still be Maybe).
    pub fn edges_are_exact(&self) -> bool {
        self.data.edges_are_exact
    }

    pub(crate) fn must_edge_ids(&self, cell: CellId) -> impl Iterator<Item = MustEdge> + use<> {
        let starts = &self.data.must_starts;
        (starts[cell.index()]..starts[cell.index() + 1]).map(MustEdge)
    }

    #[inline]
    pub(crate) fn must_targets(&self, edge: MustEdge) -> &[CellId] {
        self.data.must_targets.row(edge.0 as usize)
    }

    #[inline]
    pub(crate) fn must_source(&self, edge: MustEdge) -> CellId {
        self.data.must_sources[edge.0 as usize]
    }

    /// The hyper-edges that have `cell` among their targets.
    #[inline]
    pub(crate) fn must_edges_into(&self, cell: CellId) -> &[MustEdge] {
        self.data.must_by_target.row(cell.index())
    }

    pub(crate) fn label_sets(&self, atom: AtomId) -> &Label {
        &self.labels[atom.index()]
    }
}
