//! The ranking rule: loops that are known to be left join a least fixpoint.
//!
//! A least fixpoint stays out of every loop, because a run might go round for ever. Where somebody proves
//! that no concrete run does, the loop may come in. The proof itself comes from [`Progress`]; this module
//! only finds the loops to ask for and keeps to the side conditions of the rule: no exit outside the
//! fixpoint, and one fixed hyper-edge per cell on the existential side.

use crate::bits::BitSet;
use crate::check::Progress;
use crate::fixpoint::{ALL_MAY_SUCCESSORS, AllReach, MustReach, NO_CHOICE, may_reach, members, must_stay};
use crate::kripke::{CellId, Model, MustEdge};
use crate::scc;

/// How often the existential rule is tried again after cells came in: another strategy may do then.
const ROUNDS: usize = 3;

/// A[path U goal]: lets in the cells outside from which every may path stays outside only in loops that
/// are proved to be left, and otherwise ends inside.
pub(crate) fn extend_all(model: &Model, state: &mut AllReach<'_>, progress: &dyn Progress) {
    let elsewhere = state.inside().union(&state.outside).complement();
    let escaping = may_reach(model, &state.outside, &elsewhere, |_, _| {});
    let candidates = state.outside.difference(&escaping);
    if candidates.is_empty() {
        return;
    }
    let proved = proved_cells(
        &candidates,
        |cell| model.may_successors(cell),
        |component| progress.no_infinite_stay(model, component),
    );
    proved.into_iter().for_each(|cell| state.add(cell));
    state.run();
}

/// E[path U goal]: the same along one chosen hyper-edge per cell.
pub(crate) fn extend_must(model: &Model, state: &mut MustReach<'_>, progress: &dyn Progress) {
    for _ in 0..ROUNDS {
        let Some(strategy) = choose(model, state.inside(), &state.outside) else { return };
        let targets = |cell: CellId| targets_of(model, cell, strategy.choice[cell.index()]);
        let proved = proved_cells(&strategy.placed, targets, |component| {
            let steps: Vec<_> = component.iter().map(|cell| (*cell, targets(*cell).to_vec())).collect();
            progress.no_infinite_stay_under(model, &steps)
        });
        if proved.is_empty() {
            return;
        }
        for cell in proved {
            state.add(cell, strategy.choice[cell.index()]);
        }
        state.run();
    }
}

pub(crate) fn targets_of(model: &Model, cell: CellId, choice: u32) -> &[CellId] {
    match choice {
        NO_CHOICE => &[],
        ALL_MAY_SUCCESSORS => model.may_successors(cell),
        edge => model.must_targets(MustEdge(edge)),
    }
}

/// The cells of `part` that cannot reach, inside `part`, a loop without a proof. Asks for each loop once,
/// and not for loops whose cells are lost anyway.
fn proved_cells<'a>(
    part: &BitSet,
    successors: impl Fn(CellId) -> &'a [CellId],
    mut is_left: impl FnMut(&[CellId]) -> bool,
) -> Vec<CellId> {
    let mut lost = BitSet::empty(part.universe());
    let mut proved = Vec::new();
    for component in scc::components(part, &successors) {
        let leads_to_lost =
            component.iter().any(|cell| successors(*cell).iter().any(|to| lost.contains(to.index())));
        let proof = !leads_to_lost && (!scc::can_stay(&component, &successors) || is_left(&component));
        if proof {
            proved.extend(component);
        } else {
            component.iter().for_each(|cell| lost.insert(cell.index()));
        }
    }
    proved
}

struct Strategy {
    placed: BitSet,
    choice: Vec<u32>,
}

/// The greatest set of cells outside that can keep to hyper-edges into itself or inside and come nearer
/// to the inside by each; one edge per cell, `None` if there is no such cell.
fn choose(model: &Model, inside: &BitSet, outside: &BitSet) -> Option<Strategy> {
    let mut candidates = outside.clone();
    loop {
        // Placing alone would come to the same set, but could take a round per lost cell.
        candidates = must_stay(model, inside, &candidates).difference(inside);
        if candidates.is_empty() {
            return None;
        }
        let strategy = place(model, inside, &candidates);
        if strategy.placed == candidates {
            return Some(strategy);
        }
        candidates = strategy.placed;
    }
}

/// Breadth first backwards from the inside. A cell is placed by an edge that stays within candidates and
/// inside and has a target placed before; among those found at once the one with the fewest targets.
fn place(model: &Model, inside: &BitSet, candidates: &BitSet) -> Strategy {
    let mut placement = Placement {
        model,
        region: inside.union(candidates),
        waiting: candidates.clone(),
        through: vec![NO_CHOICE; model.cells()],
        refused: BitSet::empty(model.must_edge_count()),
        leaving: BitSet::empty(model.cells()),
        strategy: Strategy { placed: BitSet::empty(model.cells()), choice: vec![NO_CHOICE; model.cells()] },
        queue: members(inside),
    };
    let mut head = 0;
    while let Some(&near) = placement.queue.get(head) {
        head += 1;
        placement.place_before(near);
    }
    placement.strategy
}

struct Placement<'m> {
    model: &'m Model,
    /// Where chosen edges have to lead.
    region: BitSet,
    waiting: BitSet,
    /// By which nearer cell each one was placed.
    through: Vec<u32>,
    /// Hyper-edges, and cells some of whose may edges, that leave the region: looked at once only.
    refused: BitSet,
    leaving: BitSet,
    strategy: Strategy,
    queue: Vec<CellId>,
}

impl Placement<'_> {
    fn stays(&self, targets: &[CellId]) -> bool {
        targets.iter().all(|to| self.region.contains(to.index()))
    }

    fn place_before(&mut self, near: CellId) {
        let model = self.model;
        for &edge in model.must_edges_into(near) {
            let source = model.must_source(edge);
            let targets = model.must_targets(edge);
            let waits = self.waiting.contains(source.index());
            if !waits && (self.through[source.index()] != near.0 || !self.is_smaller(source, targets)) {
                continue;
            }
            if self.refused.contains(edge.0 as usize) {
                continue;
            }
            if self.stays(targets) {
                self.put(source, edge.0, near);
            } else {
                self.refused.insert(edge.0 as usize);
            }
        }
        for &before in model.may_predecessors(near) {
            if !self.waiting.contains(before.index()) || self.leaving.contains(before.index()) {
                continue;
            }
            if self.stays(model.may_successors(before)) {
                self.put(before, ALL_MAY_SUCCESSORS, near);
            } else {
                self.leaving.insert(before.index());
            }
        }
    }

    fn is_smaller(&self, cell: CellId, targets: &[CellId]) -> bool {
        targets.len() < targets_of(self.model, cell, self.strategy.choice[cell.index()]).len()
    }

    fn put(&mut self, cell: CellId, choice: u32, near: CellId) {
        if self.waiting.contains(cell.index()) {
            self.waiting.remove(cell.index());
            self.queue.push(cell);
        }
        self.strategy.placed.insert(cell.index());
        self.strategy.choice[cell.index()] = choice;
        self.through[cell.index()] = near.0;
    }
}
