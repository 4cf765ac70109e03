//! Collects a model edge by edge and packs it.

use super::{AtomId, CellId, Label, Model, ModelData, MustEdge, Rows};
use crate::bits::BitSet;
use crate::truth::Truth;
use std::fmt;
use std::sync::Arc;

/// What is wrong with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    UnknownCell(CellId),
    UnknownAtom(AtomId),
    /// A must hyper-edge has a target that is no may successor of its source.
    MustOutsideMay {
        from: CellId,
        to: CellId,
    },
    /// A must hyper-edge without targets would claim that its source is empty.
    EmptyMust {
        from: CellId,
    },
    /// More cells or edges than 32-bit places can number.
    TooLarge,
}

impl fmt::Display for ModelError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::UnknownCell(cell) => write!(out, "cell {} does not exist", cell.0),
            ModelError::UnknownAtom(atom) => write!(out, "atom {} does not exist", atom.0),
            ModelError::MustOutsideMay { from, to } => {
                write!(out, "a must edge leads from cell {} to cell {}, but no may edge does", from.0, to.0)
            }
            ModelError::EmptyMust { from } => write!(out, "a must edge of cell {} has no target", from.0),
            ModelError::TooLarge => write!(out, "the model has more than 2^32 - 3 cells or edges"),
        }
    }
}

impl std::error::Error for ModelError {}

/// Collects cells, edges and labels; [`ModelBuilder::build`] checks and packs them.
///
/// A cell without may successor gets a self-loop, may and must: the step relation is total.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    cells: usize,
    may: Vec<(CellId, CellId)>,
    must_sources: Vec<CellId>,
    must_targets: Rows<CellId>,
    labels: Vec<[BitSet; 2]>,
    initial: Vec<CellId>,
    error: Option<ModelError>,
}

/// Places of edges and cells are 32-bit, and the largest values mark "none" and "all may successors".
const LARGEST: usize = u32::MAX as usize - 3;

impl ModelBuilder {
    /// Cells `0..cells`, and atoms `0..atoms` that are False everywhere until labelled.
    pub fn new(cells: usize, atoms: usize) -> ModelBuilder {
        ModelBuilder {
            cells,
            may: Vec::new(),
            must_sources: Vec::new(),
            must_targets: Rows { starts: vec![0], values: Vec::new() },
            labels: vec![[BitSet::empty(cells), BitSet::empty(cells)]; atoms],
            initial: Vec::new(),
            error: (cells > LARGEST).then_some(ModelError::TooLarge),
        }
    }

    pub fn may(&mut self, from: CellId, to: CellId) {
        if self.knows(from) && self.knows(to) {
            self.may.push((from, to));
        }
    }

    /// One hyper-edge; the targets have to be may successors when the model is built.
    pub fn must(&mut self, from: CellId, targets: &[CellId]) {
        if targets.is_empty() {
            self.error.get_or_insert(ModelError::EmptyMust { from });
        }
        if self.knows(from) && targets.iter().all(|target| self.knows(*target)) {
            let first = self.must_targets.values.len();
            self.must_targets.values.extend_from_slice(targets);
            let added = &mut self.must_targets.values[first..];
            added.sort_unstable();
            let kept = dedup_sorted(added);
            self.must_targets.values.truncate(first + kept);
            self.must_targets.starts.push(self.must_targets.values.len() as u32);
            self.must_sources.push(from);
        }
    }

    /// A may edge that every state of `from` can take: `may(from, to)` and `must(from, {to})`.
    pub fn step(&mut self, from: CellId, to: CellId) {
        self.may(from, to);
        self.must(from, &[to]);
    }

    /// The last label given to a cell counts.
    pub fn label(&mut self, atom: AtomId, cell: CellId, truth: Truth) {
        if atom.index() >= self.labels.len() {
            self.error.get_or_insert(ModelError::UnknownAtom(atom));
        } else if self.knows(cell) {
            let [must_true, may_true] = &mut self.labels[atom.index()];
            put(must_true, cell, truth == Truth::True);
            put(may_true, cell, truth != Truth::False);
        }
    }

    pub fn initial(&mut self, cell: CellId) {
        if self.knows(cell) {
            self.initial.push(cell);
        }
    }

    fn knows(&mut self, cell: CellId) -> bool {
        let known = cell.index() < self.cells;
        if !known {
            self.error.get_or_insert(ModelError::UnknownCell(cell));
        }
        known
    }

    /// Checks that must ⊆ may, makes the step relation total, drops repeated edges and packs everything.
    pub fn build(mut self) -> Result<Model, ModelError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.may.len().max(self.must_targets.values.len()) > LARGEST - self.cells {
            return Err(ModelError::TooLarge);
        }
        self.make_total();
        let may_successors = sorted_rows(self.cells, &self.may);
        drop(self.may);
        let must = pack_must(self.cells, &self.must_sources, &self.must_targets);
        check_must_inside_may(&must, &may_successors)?;
        let edges_are_exact = singletons_cover(&must, &may_successors);
        self.initial.sort_unstable();
        self.initial.dedup();
        let data = ModelData {
            may_predecessors: transposed(self.cells, &may_successors),
            may_successors,
            must_by_target: edges_by_target(self.cells, &must.targets),
            must_starts: must.starts,
            must_sources: must.sources,
            must_targets: must.targets,
            initial: self.initial,
            edges_are_exact,
        };
        Ok(Model { data: Arc::new(data), labels: self.labels.into_iter().map(share).collect() })
    }

    fn make_total(&mut self) {
        let mut moving = BitSet::empty(self.cells);
        self.may.iter().for_each(|(from, _)| moving.insert(from.index()));
        for stuck in moving.complement().iter() {
            self.step(CellId(stuck as u32), CellId(stuck as u32));
        }
    }
}

fn put(set: &mut BitSet, cell: CellId, member: bool) {
    if member { set.insert(cell.index()) } else { set.remove(cell.index()) }
}

pub(super) fn share([must_true, may_true]: [BitSet; 2]) -> Label {
    if must_true == may_true {
        let both = Arc::new(must_true);
        return Label { must_true: both.clone(), may_true: both };
    }
    Label { must_true: Arc::new(must_true), may_true: Arc::new(may_true) }
}

/// Moves the distinct values of a sorted slice to its front and says how many there are.
fn dedup_sorted(values: &mut [CellId]) -> usize {
    let mut kept = 0;
    for index in 0..values.len() {
        if index == 0 || values[index] != values[kept - 1] {
            values[kept] = values[index];
            kept += 1;
        }
    }
    kept
}

/// Where each row starts if `counts[r + 1]` is the length of row `r`.
fn prefix_sums(mut counts: Vec<u32>) -> Vec<u32> {
    for index in 1..counts.len() {
        counts[index] += counts[index - 1];
    }
    counts
}

/// Counting sort by source; each row ascending and without repetition.
fn sorted_rows(cells: usize, edges: &[(CellId, CellId)]) -> Rows<CellId> {
    let mut counts = vec![0u32; cells + 1];
    edges.iter().for_each(|(from, _)| counts[from.index() + 1] += 1);
    let starts = prefix_sums(counts);
    let mut next = starts.clone();
    let mut values = vec![CellId(0); edges.len()];
    for (from, to) in edges {
        values[next[from.index()] as usize] = *to;
        next[from.index()] += 1;
    }
    let mut packed = Rows { starts: Vec::with_capacity(cells + 1), values: Vec::new() };
    let mut end = 0;
    packed.starts.push(0);
    for row in 0..cells {
        let (first, last) = (starts[row] as usize, starts[row + 1] as usize);
        values[first..last].sort_unstable();
        let kept = dedup_sorted(&mut values[first..last]);
        values.copy_within(first..first + kept, end);
        end += kept;
        packed.starts.push(end as u32);
    }
    values.truncate(end);
    packed.values = values;
    packed
}

fn transposed(cells: usize, rows: &Rows<CellId>) -> Rows<CellId> {
    let mut counts = vec![0u32; cells + 1];
    rows.values.iter().for_each(|to| counts[to.index() + 1] += 1);
    let starts = prefix_sums(counts);
    let mut next = starts.clone();
    let mut values = vec![CellId(0); rows.values.len()];
    for from in 0..cells {
        for to in rows.row(from) {
            values[next[to.index()] as usize] = CellId(from as u32);
            next[to.index()] += 1;
        }
    }
    Rows { starts, values }
}

fn edges_by_target(cells: usize, targets: &Rows<CellId>) -> Rows<MustEdge> {
    let mut counts = vec![0u32; cells + 1];
    targets.values.iter().for_each(|to| counts[to.index() + 1] += 1);
    let starts = prefix_sums(counts);
    let mut next = starts.clone();
    let mut values = vec![MustEdge(0); targets.values.len()];
    for edge in 0..targets.starts.len() - 1 {
        for to in targets.row(edge) {
            values[next[to.index()] as usize] = MustEdge(edge as u32);
            next[to.index()] += 1;
        }
    }
    Rows { starts, values }
}

struct PackedMust {
    starts: Vec<u32>,
    sources: Vec<CellId>,
    targets: Rows<CellId>,
}

/// Orders the hyper-edges by source, then by targets, and drops repeated ones.
fn pack_must(cells: usize, sources: &[CellId], targets: &Rows<CellId>) -> PackedMust {
    let mut counts = vec![0u32; cells + 1];
    sources.iter().for_each(|from| counts[from.index() + 1] += 1);
    let starts = prefix_sums(counts);
    let mut next = starts.clone();
    let mut order = vec![0u32; sources.len()];
    for (edge, from) in sources.iter().enumerate() {
        order[next[from.index()] as usize] = edge as u32;
        next[from.index()] += 1;
    }
    let mut packed = PackedMust {
        starts: vec![0],
        sources: Vec::with_capacity(sources.len()),
        targets: Rows { starts: vec![0], values: Vec::with_capacity(targets.values.len()) },
    };
    for cell in 0..cells {
        let edges = &mut order[starts[cell] as usize..starts[cell + 1] as usize];
        edges.sort_unstable_by(|a, b| targets.row(*a as usize).cmp(targets.row(*b as usize)));
        for (place, edge) in edges.iter().enumerate() {
            let row = targets.row(*edge as usize);
            if place == 0 || row != targets.row(edges[place - 1] as usize) {
                packed.sources.push(CellId(cell as u32));
                packed.targets.values.extend_from_slice(row);
                packed.targets.starts.push(packed.targets.values.len() as u32);
            }
        }
        packed.starts.push(packed.sources.len() as u32);
    }
    packed
}

fn check_must_inside_may(must: &PackedMust, may_successors: &Rows<CellId>) -> Result<(), ModelError> {
    for (edge, from) in must.sources.iter().enumerate() {
        let may = may_successors.row(from.index());
        if let Some(to) = must.targets.row(edge).iter().find(|to| may.binary_search(to).is_err()) {
            return Err(ModelError::MustOutsideMay { from: *from, to: *to });
        }
    }
    Ok(())
}

/// Each cell has as many singleton hyper-edges as may successors (a lone may successor is one by totality).
fn singletons_cover(must: &PackedMust, may_successors: &Rows<CellId>) -> bool {
    (0..may_successors.starts.len() - 1).all(|cell| {
        let edges = must.starts[cell] as usize..must.starts[cell + 1] as usize;
        let may = may_successors.row(cell).len();
        may == 1 || edges.filter(|edge| must.targets.row(*edge).len() == 1).count() == may
    })
}
