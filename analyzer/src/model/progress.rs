//! Loops that are left: lexicographic rankings by linear expressions whose steps are known.
//!
//! A set of cells is proved by removing, again and again, the transitions that decrease an expression no
//! other transition of the same strongly connected component increases, until no cycle remains. A removed
//! transition either has the expression bounded below where it starts, or every cycle through it passes a
//! transition that bounds it. Every fact is about concrete steps: states are over-approximated, commands
//! are exact.

mod linear;

use std::cell::RefCell;
use std::rc::Rc;

use kleene_ctl::{CellId, Model, Progress};
use kleene_domains::lattice::Lattice;
use kleene_domains::numeric::NumericState;
use kleene_domains::{BinaryOp, Bound, CompareOp, Cond, Expr, Int, Value, Var};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use self::linear::Linear;
use crate::budget::Budget;
use crate::interpret::State;
use crate::interpret::compile::{Command, Effect};
use crate::interpret::context::{ContextId, ContextKind, Node, Point};
use crate::interpret::explore::Exploration;
use crate::ir;

/// Larger loops are not looked at.
const MOST_TRANSITIONS: usize = 20_000;
const MOST_CANDIDATES: usize = 60;

pub struct Ranking<'e, 'p> {
    pub exploration: &'e Exploration<'p>,
    /// Nothing is proved once it is used up.
    pub budget: &'e Budget,
    /// Answers already given, by the cells and targets asked about.
    known: RefCell<FxHashMap<Strategy, bool>>,
    steps: RefCell<FxHashMap<CellId, Option<Steps>>>,
}

/// What a cell can do, command by command.
type Steps = Rc<[Rc<StepFacts>]>;

type Strategy = Vec<(CellId, Vec<CellId>)>;

impl<'e, 'p> Ranking<'e, 'p> {
    pub fn new(exploration: &'e Exploration<'p>, budget: &'e Budget) -> Self {
        Self { exploration, budget, known: RefCell::default(), steps: RefCell::default() }
    }

    fn steps(&self, cell: CellId) -> Option<Steps> {
        let mut known = self.steps.borrow_mut();
        known.entry(cell).or_insert_with(|| steps_of(self.exploration, cell).map(Steps::from)).clone()
    }

    /// How many loops were proved to be left.
    pub fn proved(&self) -> usize {
        self.known.borrow().values().filter(|proved| **proved).count()
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
            return *known;
        }
        let system = System::collect(self, strategy);
        let proved = system.is_some_and(|system| system.terminates(self.budget));
        self.known.borrow_mut().insert(strategy.to_vec(), proved);
        proved
    }
}

/// A guarded command taken from one cell to another of the set.
struct Transition {
    from: CellId,
    to: CellId,
    step: Rc<StepFacts>,
}

/// A guarded command of a cell, with the state in which its guard holds.
struct StepFacts {
    context: ContextId,
    before: State,
    guarded: State,
    command: Rc<Command>,
    edge: Option<usize>,
    stored: Stored,
}

/// Where a return puts its result.
#[derive(Clone)]
enum Stored {
    Slots(Vec<Var>),
    /// Some caller stores it into a global.
    Anywhere,
}

struct System {
    transitions: Vec<Transition>,
    candidates: Vec<Linear>,
}

impl System {
    fn collect(ranking: &Ranking<'_, '_>, strategy: &[(CellId, Vec<CellId>)]) -> Option<Self> {
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
        Some(Self { transitions, candidates })
    }

    /// No infinite sequence of concrete steps follows the transitions.
    fn terminates(&self, budget: &Budget) -> bool {
        let mut pending: Vec<Vec<usize>> = vec![(0..self.transitions.len()).collect()];
        while let Some(part) = pending.pop() {
            for component in self.components(&part) {
                match self.remove_ranked(&component, budget) {
                    Some(rest) => pending.push(rest),
                    None => return false,
                }
            }
        }
        true
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

    /// The component without the transitions that some candidate ranks; `None` if no candidate ranks any.
    fn remove_ranked(&self, component: &[usize], budget: &Budget) -> Option<Vec<usize>> {
        self.candidates.iter().find_map(|rank| self.ranked_by(component, rank, budget))
    }

    fn ranked_by(&self, component: &[usize], rank: &Linear, budget: &Budget) -> Option<Vec<usize>> {
        let mut decreasing = vec![false; component.len()];
        for (at, index) in component.iter().enumerate() {
            budget.tick().ok()?;
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
        let rest: Vec<usize> = component
            .iter()
            .zip(&decreasing)
            .filter(|(index, decreasing)| !**decreasing || kept.contains(index))
            .map(|(index, _)| *index)
            .collect();
        (rest.len() < component.len()).then_some(rest)
    }
}

/// `None` for a cell that runs never leave.
fn steps_of(exploration: &Exploration<'_>, cell: CellId) -> Option<Vec<Rc<StepFacts>>> {
    let before = exploration.cells.get(cell.index())?;
    if exploration.transfer.is_terminal(before.node) {
        return None;
    }
    let command = exploration.transfer.known_command(before.node)?;
    let context = exploration.transfer.contexts.node(before.node).context;
    let stored = stored_by_return(exploration, context);
    let facts = |guarded: State, edge: Option<usize>| {
        let (command, stored) = (command.clone(), stored.clone());
        Rc::new(StepFacts { context, before: before.state.clone(), guarded, command, edge, stored })
    };
    if command.edges.is_empty() {
        return Some(vec![facts(before.state.clone(), None)]);
    }
    let (_, enabled) = exploration.transfer.enabled(&command, &before.state, &[]);
    let enabled = enabled.into_iter().filter(|enabled| enabled.edge.is_some());
    Some(enabled.map(|enabled| facts(enabled.state, enabled.edge)).collect())
}

impl StepFacts {
    /// Whether the command can arrive in a cell, as far as their places say.
    fn leads_to(&self, exploration: &Exploration<'_>, to: CellId) -> bool {
        let Some(edge) = self.edge.map(|edge| &self.command.edges[edge]) else { return true };
        let Some(to) = exploration.cells.get(to.index()) else { return true };
        let node = exploration.transfer.contexts.node(to.node);
        match &edge.effect {
            Effect::Assign(_) => node.context == self.context && node.point == Point::At(edge.target),
            Effect::Call { function, .. } => {
                exploration.transfer.contexts.get(node.context).function == *function
            }
            Effect::Return(_) => true,
            Effect::Fail(_) | Effect::Discard | Effect::Stop => false,
        }
    }
}

fn stored_by_return(exploration: &Exploration<'_>, context: ContextId) -> Stored {
    let transfer = &exploration.transfer;
    match transfer.contexts.get(context).kind {
        ContextKind::Root => Stored::Slots(Vec::new()),
        ContextKind::Exact { caller, edge } => {
            let owner = transfer.contexts.get(caller);
            let graph = &transfer.scope.program.function(owner.function).graph;
            let location = graph.edge_endpoints(edge).expect("the call's edge").0;
            let node = transfer.contexts.known_node(Node { context: caller, point: Point::At(location) });
            let command = node.and_then(|node| transfer.known_command(node));
            let call = command.as_ref().and_then(|all| all.edges.iter().find(|compiled| compiled.id == edge));
            match call.map(|call| &call.effect) {
                Some(Effect::Call { result, .. }) => Stored::Slots(result.clone()),
                _ => Stored::Anywhere,
            }
        }
        // Ranks over summaries speak of globals only.
        ContextKind::Summary => {
            let mut edges = transfer.scope.program.functions.iter().flat_map(|f| f.graph.edge_weights());
            let global = edges.any(|edge| match &edge.effect {
                ir::Effect::Call { result: Some(place), .. } => {
                    matches!(place.variable, ir::VariableId::Global(_))
                }
                _ => false,
            });
            if global { Stored::Anywhere } else { Stored::Slots(Vec::new()) }
        }
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
fn candidates(transitions: &[Transition], slots: usize) -> Vec<Linear> {
    let mut found: Vec<Linear> = Vec::new();
    let mut add = |rank: Linear| {
        let fits = !rank.is_constant() && rank.variables().all(|slot| (slot.0 as usize) < slots);
        if fits && found.len() < MOST_CANDIDATES && !found.contains(&rank) {
            found.push(rank);
        }
    };
    let mut seen = FxHashSet::default();
    for transition in transitions {
        let step = &transition.step;
        let Some(edge) = step.edge.map(|edge| &step.command.edges[edge]) else { continue };
        if !seen.insert(std::ptr::from_ref(edge)) {
            continue;
        }
        edge.guard.for_each_comparison(&mut |_, left, right| {
            if let (Some(left), Some(right)) = (Linear::of(left), Linear::of(right)) {
                let difference = left.minus(&right).without_constant();
                add(difference.negated());
                add(difference);
            }
        });
        if let Effect::Assign(assignments) = &edge.effect {
            for (slot, _) in assignments {
                add(Linear::variable(*slot));
                add(Linear::variable(*slot).negated());
            }
        }
    }
    found
}

impl StepFacts {
    /// An upper bound of how much the step adds to the expression.
    fn change(&self, rank: &Linear) -> Bound {
        let mut total = Value::constant(0);
        for input in &self.command.inputs {
            for (slot, _) in &input.targets {
                if let Some(factor) = rank.factor(*slot) {
                    let change = self.guarded.get(*slot).sub(&self.before.get(*slot));
                    total = total.add(&change.mul(&Value::constant(factor.clone())));
                }
            }
        }
        match self.edge.map(|edge| &self.command.edges[edge].effect) {
            Some(Effect::Assign(assignments)) => {
                for (slot, value) in assignments {
                    if let Some(factor) = rank.factor(*slot) {
                        let change = difference(&self.guarded, *slot, value);
                        total = total.add(&change.mul(&Value::constant(factor.clone())));
                    }
                }
            }
            Some(Effect::Return(_)) | None => {
                let changed = match &self.stored {
                    Stored::Slots(slots) => slots.iter().any(|slot| rank.factor(*slot).is_some()),
                    Stored::Anywhere => true,
                };
                if changed {
                    return Bound::PosInfinity;
                }
            }
            Some(_) => {}
        }
        total.high()
    }

    /// Whether the expression is bounded below where the step starts.
    fn bounds(&self, rank: &Linear) -> bool {
        // What is known behind an input says nothing of the value before it.
        let mut drawn = self.command.inputs.iter().flat_map(|input| &input.targets);
        if drawn.any(|(slot, _)| rank.factor(*slot).is_some()) {
            return false;
        }
        if matches!(self.guarded.value(&rank.to_expr()).low(), Bound::Finite(_)) {
            return true;
        }
        self.edge.is_some_and(|edge| bounded_by(&self.command.edges[edge].guard, rank))
    }
}

/// Whether a condition alone bounds the expression from below.
fn bounded_by(cond: &Cond, rank: &Linear) -> bool {
    match cond {
        Cond::And(left, right) => bounded_by(left, rank) || bounded_by(right, rank),
        Cond::Compare(op, left, right) => {
            let (Some(left), Some(right)) = (Linear::of(left), Linear::of(right)) else { return false };
            let difference = left.minus(&right).without_constant();
            match op {
                CompareOp::Greater | CompareOp::GreaterEqual => difference == *rank,
                CompareOp::Less | CompareOp::LessEqual => difference.negated() == *rank,
                CompareOp::Equal => difference == *rank || difference.negated() == *rank,
                CompareOp::NotEqual => false,
            }
        }
        Cond::Not(inner) => match &**inner {
            Cond::Compare(op, left, right) => {
                bounded_by(&Cond::Compare(op.negated(), left.clone(), right.clone()), rank)
            }
            Cond::Or(left, right) => {
                let negated = |side: &Cond| side.clone().negated();
                bounded_by(&negated(left), rank) || bounded_by(&negated(right), rank)
            }
            _ => false,
        },
        Cond::Literal(_) | Cond::Or(..) => false,
    }
}

/// The values of `value - slot`.
fn difference(state: &State, slot: Var, value: &Expr) -> Value {
    match value {
        Expr::IfThenElse(cond, yes, no) => {
            let mut holds = state.clone();
            holds.assume(cond);
            let mut fails = state.clone();
            fails.assume(&(**cond).clone().negated());
            let side = |state: &State, value: &Expr| {
                if state.is_bottom() { Value::bottom() } else { difference(state, slot, value) }
            };
            side(&holds, yes).join(&side(&fails, no))
        }
        Expr::Wrap(ty, inner) => {
            let unwrapped = state.value(inner);
            if unwrapped.leq(&Value::from_interval(ty.range())) {
                return difference(state, slot, inner);
            }
            state.value(value).sub(&state.get(slot))
        }
        _ => match (shrinks(state, slot, value), Linear::of(value)) {
            (Some(change), _) => change,
            (None, Some(linear)) => state.value(&linear.minus(&Linear::variable(slot)).to_expr()),
            (None, None) => state.value(value).sub(&state.get(slot)),
        },
    }
}

/// `v / c` with c ≥ 2 is nearer to 0 than a positive v.
fn shrinks(state: &State, slot: Var, value: &Expr) -> Option<Value> {
    let Expr::Binary(BinaryOp::Div, left, right) = value else { return None };
    let (Expr::Variable(of), Expr::Constant(by)) = (&**left, &**right) else { return None };
    if *of != slot || *by < Int::from(2) {
        return None;
    }
    let most = match state.get(slot).low() {
        Bound::Finite(low) if low >= Int::ONE => -1,
        Bound::Finite(low) if low >= Int::ZERO => 0,
        _ => return None,
    };
    Some(Value::from_interval(kleene_domains::Interval::at_most(Int::from(most))))
}
