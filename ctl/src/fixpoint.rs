//! The four fixpoints everything temporal is made of, each linear in the model.
//!
//! | | least: reach `goal` through `path` | greatest: `exit`, or stay in `keep` |
//! |---|---|---|
//! | some may edge | [`may_reach`] | complement of [`AllReach`] |
//! | some must hyper-edge | [`MustReach`] | [`must_stay`] |
//! | all may edges | [`AllReach`] | complement of [`may_reach`] |
//!
//! They work on worklists over the compressed rows; nothing recurses on the graph. Which of them decides
//! which side of which operator is the business of [`crate::check`].

use crate::bits::BitSet;
use crate::kripke::{CellId, Model, MustEdge};

/// No edge was chosen for this cell.
pub(crate) const NO_CHOICE: u32 = u32::MAX;
/// The hyper-edge to all may successors, which is not stored.
pub(crate) const ALL_MAY_SUCCESSORS: u32 = u32::MAX - 1;

/// Cells from which some may path leads through `path` to `goal`: E[path U goal] over may edges.
/// `on_step(a, b)` hears by which edge each cell outside the goal came in, nearest cells first.
pub(crate) fn may_reach(
    model: &Model,
    path: &BitSet,
    goal: &BitSet,
    mut on_step: impl FnMut(CellId, CellId),
) -> BitSet {
    let mut outside = path.difference(goal);
    let mut queue = members(goal);
    let mut head = 0;
    while let Some(&reached) = queue.get(head) {
        head += 1;
        for &before in model.may_predecessors(reached) {
            if outside.contains(before.index()) {
                outside.remove(before.index());
                on_step(before, reached);
                queue.push(before);
            }
        }
    }
    path.union(goal).difference(&outside)
}

/// A[path U goal]: all may successors have to be in before a cell comes in. Can be continued after cells
/// were added for another reason.
pub(crate) struct AllReach<'m> {
    model: &'m Model,
    /// Cells of `path` that have not come in.
    pub(crate) outside: BitSet,
    inside: BitSet,
    /// Per cell, how many may successors are still missing.
    missing: Vec<u32>,
    queue: Vec<CellId>,
    head: usize,
}

impl<'m> AllReach<'m> {
    pub(crate) fn new(model: &'m Model, path: &BitSet, goal: &BitSet) -> AllReach<'m> {
        let mut state = AllReach {
            model,
            outside: path.difference(goal),
            inside: goal.clone(),
            missing: model.cell_ids().map(|cell| model.may_successors(cell).len() as u32).collect(),
            queue: members(goal),
            head: 0,
        };
        state.run();
        state
    }

    pub(crate) fn inside(&self) -> &BitSet {
        &self.inside
    }

    pub(crate) fn into_inside(self) -> BitSet {
        self.inside
    }

    pub(crate) fn add(&mut self, cell: CellId) {
        self.outside.remove(cell.index());
        self.inside.insert(cell.index());
        self.queue.push(cell);
    }

    pub(crate) fn run(&mut self) {
        while let Some(&reached) = self.queue.get(self.head) {
            self.head += 1;
            for &before in self.model.may_predecessors(reached) {
                if self.outside.contains(before.index()) {
                    self.missing[before.index()] -= 1;
                    if self.missing[before.index()] == 0 {
                        self.add(before);
                    }
                }
            }
        }
    }
}

/// E[path U goal] over must hyper-edges: a cell comes in once all targets of one of its edges are in.
/// The edge is kept, so that the targets of a choice always came in before the cell itself.
pub(crate) struct MustReach<'m> {
    model: &'m Model,
    pub(crate) outside: BitSet,
    inside: BitSet,
    missing_of_edge: Vec<u32>,
    missing_of_cell: Vec<u32>,
    queue: Vec<CellId>,
    head: usize,
    pub(crate) choice: Vec<u32>,
}

impl<'m> MustReach<'m> {
    pub(crate) fn new(model: &'m Model, path: &BitSet, goal: &BitSet) -> MustReach<'m> {
        let mut state = MustReach {
            model,
            outside: path.difference(goal),
            inside: goal.clone(),
            missing_of_edge: (0..model.must_edge_count() as u32)
                .map(|edge| model.must_targets(MustEdge(edge)).len() as u32)
                .collect(),
            missing_of_cell: model.cell_ids().map(|cell| model.may_successors(cell).len() as u32).collect(),
            queue: members(goal),
            head: 0,
            choice: vec![NO_CHOICE; model.cells()],
        };
        state.run();
        state
    }

    pub(crate) fn inside(&self) -> &BitSet {
        &self.inside
    }

    pub(crate) fn into_parts(self) -> (BitSet, Vec<u32>) {
        (self.inside, self.choice)
    }

    pub(crate) fn add(&mut self, cell: CellId, choice: u32) {
        self.outside.remove(cell.index());
        self.inside.insert(cell.index());
        self.choice[cell.index()] = choice;
        self.queue.push(cell);
    }

    pub(crate) fn run(&mut self) {
        while let Some(&reached) = self.queue.get(self.head) {
            self.head += 1;
            for &edge in self.model.must_edges_into(reached) {
                let source = self.model.must_source(edge);
                if self.outside.contains(source.index()) {
                    let missing = &mut self.missing_of_edge[edge.0 as usize];
                    *missing -= 1;
                    if *missing == 0 {
                        self.add(source, edge.0);
                    }
                }
            }
            for &before in self.model.may_predecessors(reached) {
                if self.outside.contains(before.index()) {
                    let missing = &mut self.missing_of_cell[before.index()];
                    *missing -= 1;
                    if *missing == 0 {
                        self.add(before, ALL_MAY_SUCCESSORS);
                    }
                }
            }
        }
    }
}

/// The greatest set whose members are in `exit`, or in `keep` with a must hyper-edge wholly inside:
/// E[keep W exit] over must hyper-edges.
pub(crate) fn must_stay(model: &Model, exit: &BitSet, keep: &BitSet) -> BitSet {
    // Members that can still be lost; those in `exit` cannot.
    let mut open = keep.difference(exit);
    // How many hyper-edges of a cell are still whole, the one to all may successors included.
    let mut whole: Vec<u32> =
        model.cell_ids().map(|cell| 1 + model.must_edge_ids(cell).count() as u32).collect();
    let mut broken_edge = BitSet::empty(model.must_edge_count());
    let mut broken_cell = BitSet::empty(model.cells());
    let mut queue = members(&exit.union(keep).complement());
    let mut head = 0;
    while let Some(&lost) = queue.get(head) {
        head += 1;
        for &edge in model.must_edges_into(lost) {
            let source = model.must_source(edge);
            if open.contains(source.index()) && broken_edge.insert_new(edge.0 as usize) {
                lose_edge(source, &mut whole, &mut open, &mut queue);
            }
        }
        for &before in model.may_predecessors(lost) {
            if open.contains(before.index()) && broken_cell.insert_new(before.index()) {
                lose_edge(before, &mut whole, &mut open, &mut queue);
            }
        }
    }
    exit.union(&open)
}

fn lose_edge(source: CellId, whole: &mut [u32], open: &mut BitSet, queue: &mut Vec<CellId>) {
    whole[source.index()] -= 1;
    if whole[source.index()] == 0 {
        open.remove(source.index());
        queue.push(source);
    }
}

pub(crate) fn members(set: &BitSet) -> Vec<CellId> {
    let mut cells = Vec::with_capacity(set.universe());
    cells.extend(set.iter().map(|index| CellId(index as u32)));
    cells
}
