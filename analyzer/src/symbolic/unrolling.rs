//! Whole unrollings: all paths up to a length as one question (Biere, Cimatti, Clarke, Zhu: TACAS 1999).
//!
//! A *place* is a node in a round, and a new round begins where a loop goes back: within one everything comes once, as
//! in the verification condition of a block. Where several paths meet in a place, its values are variables, and to be there
//! means to have arrived in one of the ways with its values. So branches that come together again cost a disjunction
//! and not twice the paths; which of them to take is up to the solver.

use std::collections::BTreeMap;
use std::time::Duration;

use kleene_ctl::CellId;
use kleene_domains::concrete::holds;
use kleene_domains::numeric::NumericState;
use kleene_domains::{CompareOp, Cond, Expr, Interval, Var};
use kleene_solver::{Answer, Model, Solver};
use rustc_hash::FxHashMap;

use super::nodes::Nodes;
use super::path::{Path, Why};
use super::{Found, question_time};
use crate::budget::Budget;
use crate::interpret::context::NodeId;
use crate::precision::Script;

/// How far to unroll, and how hard to think about it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    rounds: usize,
    places: usize,
    questions: usize,
    conflicts: u64,
    gates: usize,
    /// The backstop of one question.
    time: Duration,
}

pub const SHORT: Limits = Limits {
    rounds: 60,
    places: 500,
    questions: 4,
    conflicts: 4_000,
    gates: 100_000,
    time: Duration::from_secs(2),
};

pub const LONG: Limits = Limits {
    rounds: 300,
    places: 4_000,
    questions: 12,
    conflicts: 20_000,
    gates: 400_000,
    time: Duration::from_secs(6),
};

/// Occurrences of variables in a value that is carried on as it is.
const LARGEST_VALUE: usize = 6;

pub fn seek(
    nodes: &mut Nodes<'_, '_>,
    starts: Vec<Path>,
    limits: Limits,
    solver: &mut dyn Solver,
    budget: &Budget,
    found: &mut Found,
) {
    let mut unrolling = Unrolling::new(nodes, starts, limits, budget);
    let mut asked = 0;
    while let Some(((round, ..), _)) = unrolling.open.first_key_value() {
        let round = *round;
        let last = unrolling.places.len() >= limits.places || round >= limits.rounds;
        if round >= asked + 1 + asked / 3 || last {
            asked = round;
            if unrolling.ask(solver, found).is_none() || last {
                return;
            }
        }
        if unrolling.step().is_none() {
            return;
        }
    }
    let _ = unrolling.ask(solver, found);
}

/// A node in a round, in the order of the nodes.
type Key = (usize, usize, NodeId);

struct Place {
    key: Key,
    path: Path,
    /// 1 only if a run comes here.
    here: Var,
    arrivals: Vec<Arrival>,
    /// What is known of the variables made up for this place.
    bounds: Vec<Cond>,
}

/// A way into a place.
struct Arrival {
    /// `None` for initial states.
    from: Option<usize>,
    /// What has to hold in the place before, and what the values are then.
    condition: Cond,
    path: Path,
    /// The edge, where several may be enabled.
    edge: Option<u32>,
}

struct Unrolling<'u, 'e, 'p> {
    nodes: &'u mut Nodes<'e, 'p>,
    limits: Limits,
    budget: &'u Budget,
    places: Vec<Place>,
    /// What is arrived at and not settled.
    open: BTreeMap<Key, Vec<Arrival>>,
    order: FxHashMap<NodeId, usize>,
    /// Places of wanted cells that were not asked about.
    wanted: Vec<(usize, CellId)>,
    /// The next variable.
    next: u32,
    questions: usize,
    hulls: FxHashMap<NodeId, Vec<Option<Interval>>>,
}

impl<'u, 'e, 'p> Unrolling<'u, 'e, 'p> {
    fn new(nodes: &'u mut Nodes<'e, 'p>, starts: Vec<Path>, limits: Limits, budget: &'u Budget) -> Self {
        let next = starts.iter().flat_map(Path::variables).map(|variable| variable.0 + 1).max().unwrap_or(0);
        let node = |path: &Path| nodes.exploration.cells[path.cell.index()].node;
        let entries: Vec<NodeId> = starts.iter().map(node).collect();
        let order = nodes.order(&entries);
        let mut open: BTreeMap<Key, Vec<Arrival>> = BTreeMap::new();
        for (start, node) in starts.into_iter().zip(entries) {
            let condition = all(start.conditions());
            let arrival = Arrival { from: None, condition, path: start, edge: None };
            open.entry((0, order[&node], node)).or_default().push(arrival);
        }
        Self {
            nodes,
            limits,
            budget,
            places: Vec::new(),
            open,
            order,
            wanted: Vec::new(),
            next,
            questions: 0,
            hulls: FxHashMap::default(),
        }
    }

    /// Goes on from the first place that is open. `None` if the budget is used up.
    fn step(&mut self) -> Option<()> {
        self.budget.tick().ok()?;
        if let Some((key, arrivals)) = self.open.pop_first() {
            let place = self.settle(key, arrivals);
            self.leave(place);
        }
        Some(())
    }

    /// The ways out of a place.
    fn leave(&mut self, at: usize) {
        let transfer = &self.nodes.exploration.transfer;
        let place = &self.places[at];
        let (round, position, node) = place.key;
        if transfer.is_terminal(node) {
            return;
        }
        let Some(command) = transfer.known_command(node) else { return };
        let before = Path::resumed(place.path.cell, place.path.values().to_vec(), self.next);
        let Some(drawn) = before.draw(node, &command) else { return };
        let here = is_one(place.here);
        let ways: Vec<_> = match command.edges.is_empty() {
            true => vec![(None, None)],
            false => command
                .edges
                .iter()
                .enumerate()
                .map(|(index, edge)| (Some(index as u32), Some(edge)))
                .collect(),
        };
        for (index, edge) in ways {
            let Some(to) = self.nodes.behind(node, edge) else { continue };
            let mut path = drawn.clone();
            if let Some(edge) = edge {
                let guard = path.condition(&edge.guard);
                if guard == Cond::Literal(false) {
                    continue;
                }
                path.require(guard, Why::Taken);
            }
            if path.perform(transfer, node, edge, to).is_none() {
                continue;
            }
            self.next = self.next.max(path.variables().len() as u32);
            let condition = here.clone().and(all(path.conditions()));
            let edge = index.filter(|_| command.overlapping);
            let arrival = Arrival { from: Some(at), condition, path, edge };
            let next = self.order.get(&to).copied().unwrap_or(0);
            let round = if next > position { round } else { round + 1 };
            self.open.entry((round, next, to)).or_default().push(arrival);
        }
    }

    /// Makes the place that was arrived at.
    fn settle(&mut self, key: Key, mut arrivals: Vec<Arrival>) -> usize {
        let here = self.fresh();
        let mut bounds = vec![zero_or_one(here)];
        let slots = arrivals.iter().map(|arrival| arrival.path.values().len()).min().unwrap_or(0);
        let mut values = Vec::with_capacity(slots);
        for slot in 0..slots {
            let first = &arrivals[0].path.values()[slot];
            let same = arrivals.iter().all(|arrival| arrival.path.values()[slot] == *first);
            if same && size(first) <= LARGEST_VALUE {
                values.push(first.clone());
                continue;
            }
            let variable = self.fresh();
            bounds.extend(self.hull(key.2, slot).map(|hull| between(variable, &hull)));
            for arrival in &mut arrivals {
                let value = arrival.path.values()[slot].clone();
                let equal = Cond::Compare(CompareOp::Equal, Expr::Variable(variable), value);
                let known = std::mem::replace(&mut arrival.condition, Cond::Literal(true));
                arrival.condition = known.and(equal);
            }
            values.push(Expr::Variable(variable));
        }
        let path = Path::resumed(arrivals[0].path.cell, values, self.next);
        let place = self.places.len();
        self.wanted.extend(self.nodes.goals(key.2).iter().map(|goal| (place, *goal)));
        self.places.push(Place { key, path, here, arrivals, bounds });
        place
    }

    fn fresh(&mut self) -> Var {
        self.next += 1;
        Var(self.next - 1)
    }

    /// All values of a slot in the cells of a node.
    fn hull(&mut self, node: NodeId, slot: usize) -> Option<Interval> {
        let cells = &self.nodes.exploration.cells;
        let hulls = self.hulls.entry(node).or_insert_with(|| {
            let mut states = cells.iter().filter(|cell| cell.node == node).map(|cell| &cell.state);
            let of = |state: &crate::interpret::State| {
                let slots = (0..state.dimensions() as u32).map(Var);
                slots.map(|slot| state.get(slot).hull()).collect::<Vec<_>>()
            };
            let mut hulls = states.next().map(of).unwrap_or_default();
            for state in states {
                for (known, other) in hulls.iter_mut().zip(of(state)) {
                    *known = known.as_ref().zip(other.as_ref()).map(|(known, other)| known.join(other));
                }
            }
            hulls
        });
        hulls.get(slot).cloned().flatten()
    }

    /// Looks for a run into one of the wanted places. `None` if there is no use in going on.
    fn ask(&mut self, solver: &mut dyn Solver, found: &mut Found) -> Option<()> {
        while !self.wanted.is_empty() {
            self.questions += 1;
            let Limits { conflicts, gates, time, questions, .. } = self.limits;
            let time = question_time(self.budget, time).filter(|_| self.questions <= questions)?;
            let budget = kleene_solver::Budget { conflicts, gates, rounds: 8, time, ..Default::default() };
            solver.push();
            self.cone().into_iter().for_each(|place| self.places[place].assert(solver));
            let inside = |(place, goal): &(usize, CellId)| {
                let state = &self.nodes.exploration.cells[goal.index()].state;
                is_one(self.places[*place].here).and(all(self.places[*place].path.inside(state)))
            };
            let targets: Vec<Cond> = self.wanted.iter().map(inside).collect();
            solver.assert(&any(targets.iter().cloned()));
            let answer = solver.check(&budget);
            solver.pop();
            match answer {
                Answer::Sat(model) => {
                    let reached = targets.iter().position(|target| model_holds(&model, target))?;
                    let (place, goal) = self.wanted[reached];
                    found.runs.push(self.script(place, &model)?);
                    self.nodes.reached(goal);
                    self.wanted.retain(|(_, other)| *other != goal);
                }
                Answer::Unsat(_) => self.wanted.clear(),
                Answer::Unknown(reason) => {
                    found.trouble = Some(reason);
                    return None;
                }
            }
        }
        Some(())
    }

    /// The places before the wanted ones, in order.
    fn cone(&self) -> Vec<usize> {
        let mut needed = vec![false; self.places.len()];
        self.wanted.iter().for_each(|(place, _)| needed[*place] = true);
        let mut cone = Vec::new();
        for (place, known) in self.places.iter().enumerate().rev() {
            if needed[place] {
                cone.push(place);
                known.arrivals.iter().filter_map(|arrival| arrival.from).for_each(|from| needed[from] = true);
            }
        }
        cone.reverse();
        cone
    }

    /// What was chosen on the way into a place.
    fn script(&self, place: usize, model: &Model) -> Option<Script> {
        let mut way: Vec<&Arrival> = Vec::new();
        let mut at = Some(place);
        while let Some(place) = at {
            let arrived = |arrival: &&Arrival| model_holds(model, &arrival.condition);
            let arrival = self.places[place].arrivals.iter().find(arrived)?;
            way.push(arrival);
            at = arrival.from;
        }
        way.reverse();
        let mut script = way.first()?.path.script(&|variable| model.value(variable));
        script.steps = way.len();
        for arrival in &way[1..] {
            script.draws.extend(arrival.path.draws().iter().map(|variable| model.value(*variable)));
            script.edges.extend(arrival.edge);
        }
        Some(script)
    }
}

impl Place {
    fn assert(&self, solver: &mut dyn Solver) {
        for bound in &self.bounds {
            solver.assert(bound);
        }
        let elsewhere = Cond::Compare(CompareOp::Equal, Expr::Variable(self.here), Expr::constant(0));
        let ways = self.arrivals.iter().map(|arrival| arrival.condition.clone());
        solver.assert(&elsewhere.or(any(ways)));
    }
}

fn zero_or_one(variable: Var) -> Cond {
    Interval::between(0, 1).map_or(Cond::Literal(true), |values| between(variable, &values))
}

fn is_one(variable: Var) -> Cond {
    Cond::Compare(CompareOp::Equal, Expr::Variable(variable), Expr::constant(1))
}

fn all(conditions: impl IntoIterator<Item = Cond>) -> Cond {
    conditions.into_iter().fold(Cond::Literal(true), Cond::and)
}

fn any(conditions: impl IntoIterator<Item = Cond>) -> Cond {
    conditions.into_iter().fold(Cond::Literal(false), Cond::or)
}

fn model_holds(model: &Model, condition: &Cond) -> bool {
    holds(condition, &mut |variable: &Var| model.value(*variable)) == Some(true)
}

fn size(value: &Expr) -> usize {
    let mut size = 0;
    value.for_each_variable(&mut |_| size += 1);
    size
}

fn between(variable: Var, values: &Interval) -> Cond {
    let bound = |bound: Option<Cond>| bound.unwrap_or(Cond::Literal(true));
    let low = values.low().finite().map(|low| {
        Cond::Compare(CompareOp::LessEqual, Expr::Constant(low.clone()), Expr::Variable(variable))
    });
    let high = values.high().finite().map(|high| {
        Cond::Compare(CompareOp::LessEqual, Expr::Variable(variable), Expr::Constant(high.clone()))
    });
    bound(low).and(bound(high))
}
