//! Loops that are left: lexicographic rankings by linear expressions whose steps are known.
//!
//! A set of cells is proved by removing transitions again and again until no cycle remains: first those that
//! decrease an expression which no other transition of the same strongly connected component increases, if the
//! expression is bounded below there or on every cycle through them; then those that `synthesis` finds
//! expressions of several phases for. Every fact is about concrete steps: states are over-approximated,
//! commands are exact.

mod calls;
mod forms;
mod steps;
mod synthesis;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use kleene_ctl::{CellId, Model, Progress};
use kleene_domains::{Bound, CompareOp, Cond, Expr, Int, LinearExpr};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use self::steps::{StepFacts, steps_of};
use crate::budget::Budget;
use crate::interpret::compile::Effect;
use crate::interpret::context::{ContextId, ContextKind};
use crate::interpret::explore::Exploration;

/// Larger loops are not looked at.
const MOST_TRANSITIONS: usize = 20_000;
const MOST_CANDIDATES: usize = 60;
const MOST_WORK: usize = 6_000;
const MOST_OBSTACLES: usize = 12;

pub struct Ranking<'e, 'p> {
    pub exploration: &'e Exploration<'p>,
    /// Nothing is proved once it is used up.
    pub budget: &'e Budget,
    /// Answers already given, by the cells and targets asked about.
    known: RefCell<FxHashMap<Strategy, Option<Proof>>>,
    steps: RefCell<FxHashMap<CellId, Option<Steps>>>,
    /// Constraints of linear programs that may still be looked at.
    work: Cell<usize>,
}

/// How a loop is left.
#[derive(Clone, Debug)]
pub struct Proof {
    pub transitions: Transitions,
    /// What is removed, in order, until no cycle is left.
    pub removals: Rc<[Removal]>,
}

/// Which transitions a proof is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transitions {
    /// The steps between the cells.
    Steps,
    /// Steps into calls and over them, without returns (`calls`).
    CallsApart,
}

/// Transitions no run takes for ever. With f_1 … f_n the phases and Δ the decrease along a transition: f_1
/// never increases, nor does a later f_i; on removed transitions Δf_1 ≥ 1 and Δf_i + f_(i-1) ≥ 1. So f_1
/// becomes negative if they are taken again and again, then f_2, and so on, while f_n is bounded below: on
/// each removed transition, or on every cycle through one.
#[derive(Clone, Debug)]
pub struct Removal {
    pub component: Vec<(CellId, CellId, Option<usize>)>,
    /// Indices into the component.
    pub removed: Vec<usize>,
    /// The expression of each cell, phase by phase.
    pub phases: Vec<BTreeMap<CellId, LinearExpr>>,
}

/// What a cell can do, command by command.
type Steps = Rc<[Rc<StepFacts>]>;

type Strategy = Vec<(CellId, Vec<CellId>)>;

impl<'e, 'p> Ranking<'e, 'p> {
    pub fn new(exploration: &'e Exploration<'p>, budget: &'e Budget) -> Self {
        Self {
            exploration,
            budget,
            known: RefCell::default(),
            steps: RefCell::default(),
            work: Cell::new(MOST_WORK),
        }
    }

    /// Only by expressions that stand in the program: no linear programs.
    pub fn by_candidates(self) -> Self {
        Self { work: Cell::new(0), ..self }
    }

    fn steps(&self, cell: CellId) -> Option<Steps> {
        let mut known = self.steps.borrow_mut();
        known.entry(cell).or_insert_with(|| steps_of(self.exploration, cell).map(Steps::from)).clone()
    }

    /// Conditions that would tell apart the ways through loops that were not proved to be left.
    pub fn obstacles(&self) -> Vec<(ContextId, Cond)> {
        let known = self.known.borrow();
        let open = known.iter().filter(|(_, proof)| proof.is_none());
        let mut open: Vec<&Strategy> = open.map(|(strategy, _)| strategy).collect();
        open.sort_unstable();
        let mut found: Vec<(ContextId, Cond)> = Vec::new();
        for strategy in open.into_iter().take(MOST_OBSTACLES) {
            for obstacle in System::collect(self, strategy).into_iter().flat_map(|system| system.obstacles())
            {
                if !found.contains(&obstacle) {
                    found.push(obstacle);
                }
            }
        }
        found
    }

    /// Why a loop is left, looked for again if nobody asked before.
    pub fn proof(&self, model: &Model, strategy: &[(CellId, Vec<CellId>)]) -> Option<Proof> {
        self.no_infinite_stay_under(model, strategy);
        self.known.borrow().get(strategy).cloned().flatten()
    }

    /// How many loops were proved to be left.
    pub fn proved(&self) -> usize {
        self.known.borrow().values().flatten().count()
    }
}

impl Progress for Ranking<'_, '_> {
    fn no_infinite_stay(&self, model: &Model, cells: &[CellId]) -> bool {
        let strategy: Vec<(CellId, Vec<CellId>)> =
            cells.iter().map(|cell| (*cell, model.may_successors(*cell).to_vec())).collect();
        self.no_infinite_stay_under(model, &strategy)
    }

    fn no_infinite_stay_under(&self, _: &Model, strategy: &[(CellId, Vec<CellId>)]) -> bool {
        // Variants of a formula ask about the same loops again.
        if let Some(known) = self.known.borrow().get(strategy) {
            return known.is_some();
        }
        let proof = System::collect(self, strategy)
            .and_then(|system| system.terminates())
            .map(|removals| Proof { transitions: Transitions::Steps, removals: removals.into() })
            .or_else(|| calls::terminates(self, strategy));
        let proved = proof.is_some();
        self.known.borrow_mut().insert(strategy.to_vec(), proof);
        proved
    }
}

/// A guarded command taken from one cell to another of the set.
#[derive(Clone)]
struct Transition {
    from: CellId,
    to: CellId,
    step: Rc<StepFacts>,
}

struct System<'r> {
    ranking: &'r Ranking<'r, 'r>,
    transitions: Vec<Transition>,
    candidates: Vec<LinearExpr>,
    /// How many slots mean the same everywhere.
    slots: usize,
}

impl<'r> System<'r> {
    fn collect(ranking: &'r Ranking<'_, '_>, strategy: &[(CellId, Vec<CellId>)]) -> Option<Self> {
        let exploration = ranking.exploration;
        let inside: FxHashSet<CellId> = strategy.iter().map(|(cell, _)| *cell).collect();
        let mut transitions = Vec::new();
        for (cell, targets) in strategy {
            let targets: Vec<CellId> =
                targets.iter().copied().filter(|target| inside.contains(target)).collect();
            if targets.is_empty() {
                continue;
            }
            if transitions.len() > MOST_TRANSITIONS {
                return None;
            }
            for step in ranking.steps(*cell)?.iter() {
                let leads = targets.iter().filter(|to| step.leads_to(exploration, **to));
                transitions.extend(leads.map(|to| Transition { from: *cell, to: *to, step: step.clone() }));
            }
        }
        let slots = shared_slots(exploration, strategy.iter().map(|(cell, _)| *cell));
        let candidates = candidates(&transitions, slots);
        Some(Self { ranking, transitions, candidates, slots })
    }

    /// No infinite sequence of concrete steps follows the transitions.
    fn terminates(&self) -> Option<Vec<Removal>> {
        let mut proof = Vec::new();
        let mut pending: Vec<Vec<usize>> = vec![(0..self.transitions.len()).collect()];
        while let Some(part) = pending.pop() {
            for component in self.components(&part) {
                let removal = self.remove(&component)?;
                let kept = (0..component.len()).filter(|at| !removal.removed.contains(at));
                pending.push(kept.map(|at| component[at]).collect());
                proof.push(removal);
            }
        }
        Some(proof)
    }

    /// The transitions inside each strongly connected component that has any.
    fn components(&self, part: &[usize]) -> Vec<Vec<usize>> {
        let mut graph = DiGraph::<(), usize, u32>::default();
        let mut nodes: FxHashMap<CellId, NodeIndex<u32>> = FxHashMap::default();
        for index in part {
            let Transition { from, to, .. } = &self.transitions[*index];
            let from = *nodes.entry(*from).or_insert_with(|| graph.add_node(()));
            let to = *nodes.entry(*to).or_insert_with(|| graph.add_node(()));
            graph.add_edge(from, to, *index);
        }
        let mut number = vec![0; graph.node_count()];
        let components = kosaraju_scc(&graph);
        for (id, component) in components.iter().enumerate() {
            component.iter().for_each(|node| number[node.index()] = id);
        }
        let mut inside = vec![Vec::new(); components.len()];
        for edge in graph.edge_references() {
            let id = number[edge.source().index()];
            if id == number[edge.target().index()] {
                inside[id].push(*edge.weight());
            }
        }
        inside.retain(|transitions| !transitions.is_empty());
        inside
    }

    /// What the transitions compare, and whether they bring a loop nearer to its end.
    fn obstacles(&self) -> Vec<(ContextId, Cond)> {
        let mut found: Vec<(ContextId, Cond)> = Vec::new();
        let mut add = |step: &StepFacts, op: CompareOp, left: Expr, right: Expr| {
            let condition = (step.context(), Cond::Compare(op, left, right));
            if found.len() < MOST_OBSTACLES && !found.contains(&condition) {
                found.push(condition);
            }
        };
        let all: Vec<usize> = (0..self.transitions.len()).collect();
        let cyclic: Vec<usize> = self.components(&all).into_iter().flatten().collect();
        let ordered = |op: CompareOp| match op {
            CompareOp::Equal | CompareOp::NotEqual => CompareOp::Less,
            op => op,
        };
        for index in &cyclic {
            let step = &self.transitions[*index].step;
            let Some(edge) = step.edge() else { continue };
            edge.guard.for_each_comparison(&mut |op, left, right| {
                add(step, ordered(op), left.clone(), right.clone());
            });
        }
        for (rank, index) in self.candidates.iter().flat_map(|rank| cyclic.iter().map(move |at| (rank, at))) {
            let step = &self.transitions[*index].step;
            for form in step.forms() {
                let change = form.change(rank);
                let known = change.terms().iter().all(|(slot, _)| (slot.0 as usize) < self.slots);
                if known && change.as_constant().is_none() {
                    add(step, CompareOp::Less, change.to_expr(), Expr::constant(0));
                }
            }
        }
        found
    }

    /// Some transitions of the component that no run takes for ever.
    fn remove(&self, component: &[usize]) -> Option<Removal> {
        let mut candidates = self.candidates.iter();
        candidates
            .find_map(|rank| self.ranked_by(component, rank))
            .or_else(|| synthesis::remove(self, component))
    }

    fn removal(
        &self,
        component: &[usize],
        removed: Vec<usize>,
        phases: Vec<BTreeMap<CellId, LinearExpr>>,
    ) -> Removal {
        let named = component.iter().map(|index| {
            let Transition { from, to, step } = &self.transitions[*index];
            (*from, *to, step.edge().map(|edge| edge.id.index()))
        });
        Removal { component: named.collect(), removed, phases }
    }

    fn ranked_by(&self, component: &[usize], rank: &LinearExpr) -> Option<Removal> {
        let mut decreasing = vec![false; component.len()];
        for (at, index) in component.iter().enumerate() {
            self.ranking.budget.tick().ok()?;
            match self.transitions[*index].step.change(rank) {
                Bound::Finite(most) if most <= Int::ZERO => decreasing[at] = most < Int::ZERO,
                _ => return None,
            }
        }
        if !decreasing.contains(&true) {
            return None;
        }
        // Cycles that avoid every bounding transition keep their decreasing ones.
        let bounds = |index: &usize| self.transitions[*index].step.bounds(rank);
        let unbounded: Vec<usize> = component.iter().copied().filter(|index| !bounds(index)).collect();
        let kept: FxHashSet<usize> = self.components(&unbounded).into_iter().flatten().collect();
        let removed = (0..component.len()).filter(|at| decreasing[*at] && !kept.contains(&component[*at]));
        let removed: Vec<usize> = removed.collect();
        if removed.is_empty() {
            return None;
        }
        let cells = component.iter().map(|index| (self.transitions[*index].from, rank.clone()));
        Some(self.removal(component, removed, vec![cells.collect()]))
    }
}

/// Slots that mean the same in every cell of the set.
fn shared_slots(exploration: &Exploration<'_>, cells: impl Iterator<Item = CellId>) -> usize {
    let contexts = &exploration.transfer.contexts;
    let globals = exploration.transfer.scope.layout.global_slots as usize;
    let mut seen: Vec<ContextId> = Vec::new();
    for cell in cells {
        let Some(cell) = exploration.cells.get(cell.index()) else { continue };
        let context = contexts.node(cell.node).context;
        if !seen.contains(&context) {
            seen.push(context);
        }
    }
    let summary = seen.iter().any(|context| contexts.get(*context).kind == ContextKind::Summary);
    match seen.as_slice() {
        _ if summary => globals,
        contexts_seen => {
            contexts_seen.iter().map(|context| contexts.get(*context).dimensions).min().unwrap_or(globals)
        }
    }
}

/// Expressions worth trying: differences of compared sides, and every variable that changes.
fn candidates(transitions: &[Transition], slots: usize) -> Vec<LinearExpr> {
    let mut found: Vec<LinearExpr> = Vec::new();
    let mut add = |rank: LinearExpr| {
        let fits =
            rank.as_constant().is_none() && rank.terms().iter().all(|(slot, _)| (slot.0 as usize) < slots);
        if fits && found.len() < MOST_CANDIDATES && !found.contains(&rank) {
            found.push(rank);
        }
    };
    let mut seen = FxHashSet::default();
    for transition in transitions {
        let step = &transition.step;
        let Some(edge) = step.edge() else { continue };
        if !seen.insert(std::ptr::from_ref(edge)) {
            continue;
        }
        edge.guard.for_each_comparison(&mut |_, left, right| {
            if let (Some(left), Some(right)) = (LinearExpr::of(left), LinearExpr::of(right)) {
                let difference = left.minus(&right).without_offset();
                add(difference.scaled(&Int::MINUS_ONE));
                add(difference);
            }
        });
        if let Effect::Assign(assignments) = &edge.effect {
            for (slot, _) in assignments {
                let variable = LinearExpr::variable(*slot);
                add(variable.scaled(&Int::MINUS_ONE));
                add(variable);
            }
        }
    }
    found
}
