//! The fixpoint: cells that cover every run, and the edges between them.
//!
//! States are kept apart while the precision allows (loops are really unrolled, input parts and branch
//! histories stay separate); what goes beyond is joined into the rest cells of a location, one per
//! partition, which are widened at loop heads and narrowed at the end. Edges are built only once nothing
//! changes any more, and each is checked again: every move lies inside the cell it leads to.

mod aim;
mod empty;
mod solve;
mod walk;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasher;
use std::rc::Rc;

use kleene_domains::lattice::{Lattice, Widen};
use kleene_domains::numeric::NumericState;
use kleene_domains::{Cond, Thresholds, Value};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::State;
use super::cases::halves;
use super::context::{ContextId, ContextKind, NodeId, Point};
use super::transfer::{Caller, Initial, Part, Transfer};
use crate::budget::Budget;
use crate::property::Predicate;

use empty::{drop_dead_ends, remove_empty};

pub use solve::Steps;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellIndex(pub u32);

#[derive(Clone, Debug)]
pub struct Cell {
    pub node: NodeId,
    pub state: State,
    /// The state when the cell was made.
    pub first: State,
    pub history: History,
}

/// How a cell came to be what it is: the reasons behind a Maybe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Collects what is not kept apart.
    pub rest: bool,
    pub joins: u32,
    pub widened: bool,
}

/// Targets of one way to draw the inputs.
#[derive(Clone, Debug)]
pub struct Edges {
    pub must: bool,
    pub targets: Vec<CellIndex>,
}

/// Limits that were hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub cells: bool,
    pub cells_per_location: bool,
    pub contexts: bool,
    /// Relations gave up constraints, or packs were cut.
    pub relations: bool,
}

/// The stable result.
pub struct Exploration<'p> {
    pub transfer: Transfer<'p>,
    pub cells: Vec<Cell>,
    pub edges: Vec<Vec<Edges>>,
    pub initial: Vec<(CellIndex, Initial)>,
    pub limits: Limits,
    /// What the widening points held after each visit, if the precision asked for it.
    pub visits: Vec<(NodeId, State)>,
}

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    Time,
    Memory,
    /// What moves into a cell was not seen to lie in it: relations may hold the same points and not show it.
    Unsettled,
}

/// Widenings of a cell that stop at thresholds; later ones go to infinity at once.
const THRESHOLD_WIDENINGS: u32 = 8;

/// Widenings of a cell that are cut back to its partition.
const PARTITION_WIDENINGS: u32 = 40;

/// Conditions by which the states of a location are cut.
const MOST_SPLITS: usize = 16;

/// A partition of a location's joined states. Beyond the limit a state joins the nearest one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Key {
    /// Which side of each split condition, 0 where undecided.
    sides: Rc<[i8]>,
    /// Values of variables that the program never changes (runs that differ in them never meet) and of a few
    /// booleans.
    telling: Rc<[Value]>,
}

impl Key {
    /// In how many places two keys differ.
    fn distance(&self, other: &Self) -> usize {
        let sides = self.sides.iter().zip(other.sides.iter()).filter(|(a, b)| a != b).count();
        let telling = self.telling.iter().zip(other.telling.iter()).filter(|(a, b)| a != b).count();
        sides + telling
    }
}

pub struct Explorer<'p, 'q> {
    transfer: Transfer<'p>,
    /// Atomic predicates by which states are told apart.
    splits: &'q [Predicate],
    /// Who is asked about steps that the domains think possible.
    steps: Option<&'q mut dyn Steps>,
    cells: Vec<Cell>,
    /// The partition of each rest cell.
    keys: Vec<Option<Key>>,
    /// The moves of each cell, already split, as long as nothing they depend on has changed.
    moves: Vec<Option<Rc<[Part]>>>,
    /// The cells these moves were put into when the cell was last looked at.
    placed: Vec<Vec<CellIndex>>,
    separate: Separate,
    nodes: FxHashMap<NodeId, NodeCells>,
    split_conditions: FxHashMap<NodeId, Rc<[Cond]>>,
    pending: BinaryHeap<Reverse<(Rc<[u32]>, CellIndex)>>,
    queued: Vec<bool>,
    /// Cells that call into a summary context, and cells that return from it.
    callers: FxHashMap<ContextId, Vec<CellIndex>>,
    returns: FxHashMap<ContextId, Vec<CellIndex>>,
    /// States of single runs, which keep cells of their own.
    walked: FxHashSet<Fingerprint>,
    limits: Limits,
    visits: Vec<(NodeId, State)>,
}

/// A hash of a state at a node: computed once, and never trusted where it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fingerprint(u64);

impl Fingerprint {
    fn of(node: NodeId, state: &State) -> Self {
        Self(FxBuildHasher.hash_one((node, state)))
    }
}

/// The cells that are kept apart, found by their states.
#[derive(Default)]
struct Separate {
    latest: FxHashMap<Fingerprint, CellIndex>,
    /// Earlier cells with the same fingerprint.
    earlier: FxHashMap<CellIndex, CellIndex>,
}

impl Separate {
    fn find(&self, cells: &[Cell], print: Fingerprint, node: NodeId, state: &State) -> Option<CellIndex> {
        let mut next = self.latest.get(&print);
        while let Some(index) = next {
            let cell = &cells[index.0 as usize];
            if cell.node == node && cell.state == *state {
                return Some(*index);
            }
            next = self.earlier.get(index);
        }
        None
    }

    fn insert(&mut self, print: Fingerprint, cell: CellIndex) {
        if let Some(earlier) = self.latest.insert(print, cell) {
            self.earlier.insert(cell, earlier);
        }
    }
}

#[derive(Default)]
struct NodeCells {
    separate: usize,
    rest: FxHashMap<Key, CellIndex>,
    all: Vec<CellIndex>,
    order: Option<Rc<[u32]>>,
}

impl<'p, 'q> Explorer<'p, 'q> {
    pub fn new(transfer: Transfer<'p>, splits: &'q [Predicate], steps: Option<&'q mut dyn Steps>) -> Self {
        Self {
            transfer,
            splits,
            steps,
            cells: Vec::new(),
            keys: Vec::new(),
            moves: Vec::new(),
            placed: Vec::new(),
            separate: Separate::default(),
            nodes: FxHashMap::default(),
            split_conditions: FxHashMap::default(),
            pending: BinaryHeap::new(),
            queued: Vec::new(),
            callers: FxHashMap::default(),
            returns: FxHashMap::default(),
            walked: FxHashSet::default(),
            limits: Limits::default(),
            visits: Vec::new(),
        }
    }

    pub fn run(
        mut self,
        assume: Option<&Predicate>,
        budget: &Budget,
    ) -> Result<Exploration<'p>, Interrupted> {
        let node = self.transfer.entry_node();
        let assume = assume.map(|predicate| self.transfer.predicate(predicate, node));
        let mut seeds = Vec::new();
        for state in self.transfer.initial(assume.as_ref()) {
            let states: Vec<State> = self.split(node, state);
            let states =
                states.into_iter().flat_map(|state| self.solved_start(node, state)).collect::<Vec<_>>();
            for state in states {
                let witness = walk::initial_point(&self.transfer, &state, assume.as_ref());
                seeds.push(Initial { state, witness });
            }
        }
        if self.transfer.precision.walked_steps > 0 {
            let points = walk::walk(&mut self.transfer, &mut self.walked, node, &seeds, assume.as_ref());
            seeds.extend(points);
        }
        for seed in &seeds {
            self.place(node, seed.state.clone(), false);
        }
        self.stabilise(budget)?;
        if self.cells.iter().any(|cell| cell.history.widened) {
            self.narrow(budget)?;
        }
        self.finish(node, seeds, budget)
    }

    fn stabilise(&mut self, budget: &Budget) -> Result<(), Interrupted> {
        while let Some(Reverse((_, cell))) = self.pending.pop() {
            self.queued[cell.0 as usize] = false;
            budget.tick()?;
            let from_rest = self.cells[cell.0 as usize].history.rest;
            let moves = self.moves(cell);
            let placed = moves.iter().flat_map(|part| &part.moves);
            let placed = placed.map(|(node, state)| self.place(*node, state.clone(), from_rest));
            self.placed[cell.0 as usize] = placed.collect();
        }
        Ok(())
    }

    /// The moves of a cell, split. Terminal cells stay; calls into summaries are remembered.
    fn moves(&mut self, index: CellIndex) -> Rc<[Part]> {
        if let Some(known) = &self.moves[index.0 as usize] {
            return known.clone();
        }
        self.take_aim(self.cells[index.0 as usize].node);
        let Cell { node, state, .. } = &self.cells[index.0 as usize];
        let (node, cells, callers) = (*node, &self.cells, &self.callers);
        let mut parts = self.transfer.step(node, state, &mut |context| {
            let known = callers.get(&context).map(Vec::as_slice).unwrap_or_default();
            let cells = known.iter().map(|caller| &cells[caller.0 as usize]);
            cells.map(|cell| Caller { node: cell.node, state: &cell.state }).collect()
        });
        self.remember_calls(index, node, &parts);
        for part in &mut parts {
            let whole = std::mem::take(&mut part.moves);
            for (node, state) in whole {
                for state in self.split(node, state) {
                    let states = self.solved(index, node, state);
                    part.moves.extend(states.into_iter().map(|state| (node, state)));
                }
            }
        }
        let parts: Rc<[Part]> = parts.into();
        self.moves[index.0 as usize] = Some(parts.clone());
        parts
    }

    fn remember_calls(&mut self, index: CellIndex, node: NodeId, parts: &[Part]) {
        let own = self.transfer.contexts.node(node).context;
        if self.transfer.contexts.get(own).kind == ContextKind::Summary {
            let command = self.transfer.command(node);
            let returns = command.is_some_and(|command| {
                command.edges.is_empty()
                    || command
                        .edges
                        .iter()
                        .any(|edge| matches!(edge.effect, super::compile::Effect::Return(_)))
            });
            if returns {
                let known = self.returns.entry(own).or_default();
                if !known.contains(&index) {
                    known.push(index);
                }
            }
        }
        for (target, _) in parts.iter().flat_map(|part| &part.moves) {
            let entered = self.transfer.contexts.node(*target);
            let context = self.transfer.contexts.get(entered.context);
            let entry = self.transfer.scope.program.function(context.function).entry;
            if context.kind != ContextKind::Summary || entered.point != Point::At(entry) {
                continue;
            }
            let is_call = self.transfer.command(node).is_some_and(|command| {
                command.edges.iter().any(|edge| matches!(edge.effect, super::compile::Effect::Call { .. }))
            });
            if is_call {
                self.add_caller(entered.context, index);
            }
        }
    }

    /// A new or changed caller makes every return of the summary look again.
    fn add_caller(&mut self, context: ContextId, caller: CellIndex) {
        let known = self.callers.entry(context).or_default();
        if !known.contains(&caller) {
            known.push(caller);
        }
        for cell in self.returns.get(&context).cloned().unwrap_or_default() {
            self.moves[cell.0 as usize] = None;
            self.enqueue(cell);
        }
    }

    fn enqueue(&mut self, cell: CellIndex) {
        if std::mem::replace(&mut self.queued[cell.0 as usize], true) {
            return;
        }
        let node = self.cells[cell.0 as usize].node;
        let order = self.order(node);
        self.pending.push(Reverse((order, cell)));
    }

    fn order(&mut self, node: NodeId) -> Rc<[u32]> {
        let entry = self.nodes.entry(node).or_default();
        if let Some(order) = &entry.order {
            return order.clone();
        }
        let at = self.transfer.contexts.node(node);
        let context = self.transfer.contexts.get(at.context);
        let position = match at.point {
            Point::At(location) => {
                self.transfer.orders[context.function.0 as usize].position[location.index()]
            }
            _ => u32::MAX,
        };
        let order: Rc<[u32]> = context.prefix.iter().copied().chain([position]).collect();
        entry.order = Some(order.clone());
        order
    }

    fn split_conditions(&mut self, node: NodeId) -> Rc<[Cond]> {
        if let Some(known) = self.split_conditions.get(&node) {
            return known.clone();
        }
        let properties = self.splits.iter().map(|predicate| self.transfer.predicate(predicate, node));
        let mut conditions: Vec<Cond> = properties.collect();
        conditions.extend(self.transfer.local_conditions(node, &self.transfer.precision.splits));
        // Where a location ends the run under several comparisons, no state decides them all at once.
        for whole in conditions.clone() {
            if matches!(whole, Cond::And(..) | Cond::Or(..)) {
                add_comparisons(&whole, &mut conditions);
            }
        }
        // States that keep an assumption are told apart from those that violate it.
        if let Some(command) = self.transfer.command(node) {
            let mut edges = command.edges.iter();
            let violated = edges.find(|edge| matches!(edge.effect, super::compile::Effect::Discard));
            conditions.extend(violated.map(|edge| edge.guard.clone()));
            if self.transfer.precision.branches && command.inputs.is_empty() && violated.is_none() {
                for edge in command.edges.iter().skip(1) {
                    add_comparisons(&edge.guard, &mut conditions);
                }
            }
        }
        // What nobody reads any more has no value to tell apart.
        if !conditions.is_empty() {
            let dead = self.transfer.dead_slots(node);
            conditions.retain(|condition| {
                let mut reads_dead = false;
                condition.for_each_variable(&mut |slot| reads_dead |= dead.contains(slot));
                !reads_dead
            });
        }
        let conditions: Rc<[Cond]> = conditions.into();
        self.split_conditions.insert(node, conditions.clone());
        conditions
    }

    /// The state cut along every predicate that both halves then decide.
    fn split(&mut self, node: NodeId, state: State) -> Vec<State> {
        let conditions = self.split_conditions(node);
        let mut states = vec![state];
        for condition in conditions.iter() {
            if matches!(condition, Cond::Literal(_)) || states.len() > 16 {
                continue;
            }
            let mut at = 0;
            while at < states.len() {
                if let Some((yes, no)) = halves(&states[at], condition) {
                    states[at] = yes;
                    states.insert(at + 1, no);
                    at += 1;
                }
                at += 1;
            }
        }
        states
    }

    /// The partition a joined state belongs to.
    fn key(&mut self, node: NodeId, state: &State) -> Key {
        let conditions = self.split_conditions(node);
        let sides = conditions.iter().map(|condition| match condition {
            Cond::Literal(_) => 0,
            condition => match state.decide(condition) {
                Some(true) => 1,
                Some(false) => -1,
                None => 0,
            },
        });
        let context = self.transfer.contexts.node(node).context;
        let telling = self.transfer.telling_slots(context);
        Key { sides: sides.collect(), telling: telling.map(|slot| state.get(slot)).collect() }
    }

    /// The cell that covers this state: an equal one, a new one, or a rest cell that grows.
    fn place(&mut self, node: NodeId, state: State, from_rest: bool) -> CellIndex {
        let print = self.tells_states_apart().then(|| Fingerprint::of(node, &state));
        if let Some(cell) = print.and_then(|print| self.separate.find(&self.cells, print, node, &state)) {
            return cell;
        }
        let walked = print.is_some_and(|print| self.walked.contains(&print));
        if walked || self.keeps_apart(node, from_rest) {
            let cell = self.new_cell(node, state, History::default());
            print.into_iter().for_each(|print| self.separate.insert(print, cell));
            self.nodes.entry(node).or_default().separate += usize::from(!walked);
            self.enqueue(cell);
            return cell;
        }
        let key = self.rest_key(node, &state);
        let existing = self.nodes.entry(node).or_default().rest.get(&key).copied();
        let Some(cell) = existing else {
            let history = History { rest: true, ..History::default() };
            let cell = self.new_cell(node, state, history);
            self.keys[cell.0 as usize] = Some(key.clone());
            self.nodes.entry(node).or_default().rest.insert(key, cell);
            self.record_visit(cell);
            self.enqueue(cell);
            return cell;
        };
        if !state.leq(&self.cells[cell.0 as usize].state) {
            self.grow(cell, &state);
            self.record_visit(cell);
            self.enqueue(cell);
            self.changed_caller(cell);
        }
        cell
    }

    /// Whether any cell is kept apart, by its limits or because a run goes through it.
    fn tells_states_apart(&self) -> bool {
        self.transfer.precision.cells_per_location > 0 || !self.walked.is_empty()
    }

    fn keeps_apart(&mut self, node: NodeId, from_rest: bool) -> bool {
        let precision = &self.transfer.precision;
        if self.cells.len() >= precision.cells {
            self.limits.cells = true;
            return false;
        }
        let count = self.nodes.entry(node).or_default().separate;
        if count >= precision.cells_per_location {
            self.limits.cells_per_location = true;
            return false;
        }
        !from_rest
    }

    fn rest_key(&mut self, node: NodeId, state: &State) -> Key {
        let key = self.key(node, state);
        let limit = self.transfer.precision.partitions;
        let at = self.nodes.entry(node).or_default();
        if at.rest.len() < limit || at.rest.contains_key(&key) { key } else { self.nearest_key(node, &key) }
    }

    /// Among the partitions of a location the one that differs from a key in the fewest places.
    fn nearest_key(&self, node: NodeId, key: &Key) -> Key {
        let cells = self.nodes.get(&node).map(|at| at.all.as_slice()).unwrap_or_default();
        let keys = cells.iter().filter_map(|cell| self.keys[cell.0 as usize].as_ref());
        keys.min_by_key(|other| key.distance(other)).cloned().unwrap_or_default()
    }

    fn new_cell(&mut self, node: NodeId, state: State, history: History) -> CellIndex {
        let cell = CellIndex(self.cells.len() as u32);
        self.cells.push(Cell { node, first: state.clone(), state, history });
        self.queued.push(false);
        self.keys.push(None);
        self.moves.push(None);
        self.placed.push(Vec::new());
        self.nodes.entry(node).or_default().all.push(cell);
        cell
    }

    fn grow(&mut self, index: CellIndex, state: &State) {
        self.moves[index.0 as usize] = None;
        let node = self.cells[index.0 as usize].node;
        let widening_point = self.transfer.is_widening_point(node);
        let delay = self.transfer.precision.widening_delay;
        let context = self.transfer.contexts.node(node).context;
        let function = self.transfer.contexts.get(context).function;
        let before = self.cells[index.0 as usize].state.clone();
        let mut joined = before.join(state);
        self.remember(node, &before, state, &mut joined);
        let cell = &mut self.cells[index.0 as usize];
        cell.history.joins += 1;
        let visits = cell.history.joins + 1;
        // Much later every location widens: partitions may pass growth around a head.
        if (widening_point && visits >= delay) || visits > 20 * delay {
            cell.history.widened = true;
            let none = Thresholds::none();
            let stops = match visits <= delay + THRESHOLD_WIDENINGS {
                true => self.transfer.scope.cuts.thresholds(function),
                false => &none,
            };
            let mut wide = before.widen(&joined, stops);
            self.remember(node, &before, &joined, &mut wide);
            self.cells[index.0 as usize].state = wide;
            // Cutting back what widening made could go on for ever.
            if visits <= delay + PARTITION_WIDENINGS {
                self.stay_in_partition(index, &joined);
            }
        } else {
            cell.state = joined;
        }
    }

    fn record_visit(&mut self, cell: CellIndex) {
        let Cell { node, state, .. } = &self.cells[cell.0 as usize];
        if self.transfer.precision.records_visits && self.transfer.is_widening_point(*node) {
            self.visits.push((*node, state.clone()));
        }
    }

    /// Widening may leave the partition; what was joined never did.
    fn stay_in_partition(&mut self, index: CellIndex, joined: &State) {
        let (Some(key), node) = (self.keys[index.0 as usize].clone(), self.cells[index.0 as usize].node)
        else {
            return;
        };
        let conditions = self.split_conditions(node);
        let mut state = self.cells[index.0 as usize].state.clone();
        for (condition, side) in conditions.iter().zip(key.sides.iter()) {
            match side {
                1 => state.assume(condition),
                -1 => state.assume(&condition.clone().negated()),
                _ => {}
            }
        }
        if joined.leq(&state) {
            self.cells[index.0 as usize].state = state;
        }
    }

    /// If the cell calls into summaries, what they return to has changed.
    fn changed_caller(&mut self, cell: CellIndex) {
        let contexts: Vec<ContextId> = self
            .callers
            .iter()
            .filter(|(_, callers)| callers.contains(&cell))
            .map(|(context, _)| *context)
            .collect();
        for context in contexts {
            self.add_caller(context, cell);
        }
    }

    /// Descending rounds: a widened cell shrinks to the join of what really arrives in it. A round is undone
    /// as a whole if its result does not cover its own moves.
    fn narrow(&mut self, budget: &Budget) -> Result<(), Interrupted> {
        let Some(mut arriving) = self.arriving(budget)? else { return Ok(()) };
        for _ in 0..self.transfer.precision.narrowing_rounds {
            let mut before = Vec::new();
            for (cell, arrived) in arriving {
                let at = cell.0 as usize;
                let narrowed = self.cells[at].state.narrow(&arrived);
                if narrowed != self.cells[at].state {
                    before.push((cell, std::mem::replace(&mut self.cells[at].state, narrowed)));
                    self.forget_moves(cell);
                }
            }
            if before.is_empty() {
                return Ok(());
            }
            match self.arriving(budget)? {
                Some(next) => arriving = next,
                None => {
                    for (cell, state) in before {
                        self.cells[cell.0 as usize].state = state;
                        self.forget_moves(cell);
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The join of what arrives in each widened cell that is reached; `None` if a move is covered by no cell.
    fn arriving(&mut self, budget: &Budget) -> Result<Option<FxHashMap<CellIndex, State>>, Interrupted> {
        let mut arriving: FxHashMap<CellIndex, State> = FxHashMap::default();
        let covered = self.sweep(budget, &mut |target, cell, state| {
            if cell.history.widened {
                let joined = |all: &mut State| *all = all.join(state);
                arriving.entry(target).and_modify(joined).or_insert_with(|| state.clone());
            }
        })?;
        Ok(covered.then_some(arriving))
    }

    /// After a change outside the fixpoint: the cell's own moves, and those of the returns it waits for.
    fn forget_moves(&mut self, cell: CellIndex) {
        self.moves[cell.0 as usize] = None;
        let waiting = self.callers.iter().filter(|(_, callers)| callers.contains(&cell));
        let returns: Vec<CellIndex> =
            waiting.filter_map(|(context, _)| self.returns.get(context)).flatten().copied().collect();
        returns.into_iter().for_each(|cell| self.moves[cell.0 as usize] = None);
    }

    /// Walks the cells reachable from the initial ones and looks up the cell of every move. `false` if a
    /// move is covered by none.
    fn sweep(
        &mut self,
        budget: &Budget,
        visit: &mut dyn FnMut(CellIndex, &Cell, &State),
    ) -> Result<bool, Interrupted> {
        let mut reached = FxHashSet::default();
        let mut pending: Vec<CellIndex> = Vec::new();
        let node = self.transfer.entry_node();
        for (cell, at) in self.cells.iter().enumerate() {
            if at.node == node {
                pending.push(CellIndex(cell as u32));
            }
        }
        reached.extend(pending.iter().copied());
        // Initial states stay covered: they arrive from outside every cell.
        for cell in &pending {
            let start = &self.cells[cell.0 as usize];
            visit(*cell, start, &start.state);
        }
        while let Some(cell) = pending.pop() {
            budget.tick()?;
            for (at, (node, state)) in self.moves(cell).iter().flat_map(|part| &part.moves).enumerate() {
                let Some(target) = self.cover_move(cell, at, *node, state) else {
                    return Ok(false);
                };
                visit(target, &self.cells[target.0 as usize], state);
                if reached.insert(target) {
                    pending.push(target);
                }
            }
        }
        Ok(true)
    }

    /// The cell of a move: usually the one it was placed in.
    fn cover_move(&mut self, from: CellIndex, at: usize, node: NodeId, state: &State) -> Option<CellIndex> {
        if let Some(cell) = self.placed[from.0 as usize].get(at) {
            let placed = &self.cells[cell.0 as usize];
            if placed.node == node && state.leq(&placed.state) {
                return Some(*cell);
            }
        }
        self.cover(node, state)
    }

    /// A cell whose states include all of these: the most precise one that is quickly found.
    fn cover(&mut self, node: NodeId, state: &State) -> Option<CellIndex> {
        if self.tells_states_apart() {
            let print = Fingerprint::of(node, state);
            if let Some(cell) = self.separate.find(&self.cells, print, node, state) {
                return Some(cell);
            }
        }
        let key = self.key(node, state);
        let entry = self.nodes.get(&node)?;
        let fits = |cell: &CellIndex| state.leq(&self.cells[cell.0 as usize].state);
        let keyed = entry.rest.get(&key).or_else(|| entry.rest.get(&self.nearest_key(node, &key)));
        keyed.filter(|cell| fits(cell)).or_else(|| entry.all.iter().find(|cell| fits(cell))).copied()
    }

    /// Edges between the stable cells, each checked: what moves into a cell lies inside it.
    fn finish(
        mut self,
        node: NodeId,
        seeds: Vec<Initial>,
        budget: &Budget,
    ) -> Result<Exploration<'p>, Interrupted> {
        let mut initial = Vec::new();
        let mut numbers: FxHashMap<CellIndex, CellIndex> = FxHashMap::default();
        let mut order: Vec<CellIndex> = Vec::new();
        let mut number = |cell: CellIndex, order: &mut Vec<CellIndex>| {
            *numbers.entry(cell).or_insert_with(|| {
                order.push(cell);
                CellIndex(order.len() as u32 - 1)
            })
        };
        for seed in seeds {
            let cell = self.cover(node, &seed.state).ok_or(Interrupted::Unsettled)?;
            initial.push((number(cell, &mut order), seed));
        }
        let mut edges: Vec<Vec<Edges>> = Vec::new();
        let mut at = 0;
        while at < order.len() {
            budget.tick()?;
            let mut outgoing = Vec::new();
            let mut before = 0;
            for Part { must, moves } in self.moves(order[at]).iter() {
                let mut targets = Vec::with_capacity(moves.len());
                for (offset, (node, state)) in moves.iter().enumerate() {
                    let cell = self.cover_move(order[at], before + offset, *node, state);
                    targets.push(number(cell.ok_or(Interrupted::Unsettled)?, &mut order));
                }
                before += moves.len();
                targets.sort_unstable();
                targets.dedup();
                outgoing.push(Edges { must: *must, targets });
            }
            drop_dead_ends(&mut outgoing);
            edges.push(outgoing);
            at += 1;
        }
        remove_empty(&mut edges);
        let cells = order.iter().map(|cell| self.cells[cell.0 as usize].clone()).collect();
        let degraded = self.cells.iter().any(|cell| cell.state.is_degraded());
        let limits = Limits {
            contexts: self.transfer.contexts.limited,
            relations: degraded || self.transfer.cut_packs,
            ..self.limits
        };
        Ok(Exploration { transfer: self.transfer, cells, edges, initial, limits, visits: self.visits })
    }
}

fn add_comparisons(of: &Cond, conditions: &mut Vec<Cond>) {
    of.for_each_comparison(&mut |op, left, right| {
        let comparison = Cond::Compare(op, left.clone(), right.clone());
        if conditions.len() < MOST_SPLITS && !conditions.contains(&comparison) {
            conditions.push(comparison);
        }
    });
}
