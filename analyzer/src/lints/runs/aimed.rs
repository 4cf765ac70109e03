//! Runs towards one place: the values a caller chooses are changed, one at a time, as long as the condition that leads
//! there comes nearer to being true (the alternating variable method: Korel, "Automated software test data generation",
//! IEEE TSE 16, 1990).

use std::cell::OnceCell;
use std::ops::Range;

use kleene_domains::{CompareOp, Int};
use petgraph::Direction;
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashSet;

use super::policy::Policy;
use super::{Audience, Beginning, Runs};
use crate::concrete::Machine;
use crate::ir::variables::{read_by_cond, read_by_effect, read_by_expr, written_by_effect};
use crate::ir::{Cond, Effect, FunctionId, Program, VariableId};
use crate::lints::Place;
use crate::lints::ahead::Ahead;

/// Runs for one place and for all.
const MOST_FOR_ONE: usize = 130;
const MOST_FOR_ALL: usize = 280;
const MOST_PLACES: usize = 12;
/// Beginnings to choose from.
const MOST_STARTS: usize = 22;
/// Slots that are changed.
const MOST_SLOTS: usize = 12;
/// Runs that mix the arguments of two.
const MOST_MIXED: usize = 40;
/// How much nearer the first half of a condition is than the second.
const HALF: Int = Int::small(1 << 62);

/// The condition under which a run that is at one place goes to another.
struct Goal {
    at: Place,
    guard: Cond,
    place: Place,
    /// Only goals that a run comes near ask for it.
    ahead: OnceCell<Ahead>,
}

impl<'r, 'p> Runs<'r, 'p> {
    /// Runs towards each of these places, from beginnings that come near them.
    pub fn aim(&self, places: &[Place], kept: &[Beginning], audience: &mut dyn Audience) {
        let goals = places.iter().take(MOST_PLACES).filter_map(|place| Some((*place, self.goal(*place)?)));
        let goals: Vec<(Place, Goal)> = goals.collect();
        let starts: Vec<&Beginning> = kept.iter().rev().take(MOST_STARTS).collect();
        let near = self.distances(&goals, &starts, audience);
        let mut left = MOST_FOR_ALL;
        for (at, (place, goal)) in goals.iter().enumerate() {
            if audience.is_done() {
                return;
            }
            // The beginnings count for every place, though all of them look at the same runs.
            left = left.saturating_sub(starts.len());
            let most = left.min(MOST_FOR_ONE - starts.len());
            let mut climber = Climber { runs: self, goal, left: most, audience: &mut *audience };
            let distances = near.iter().map(|distances| distances[at].clone());
            let known = starts.iter().zip(distances);
            climber.climb(known.filter_map(|(start, near)| Some((near?, *start))).collect(), &starts, *place);
            left -= most - climber.left;
        }
    }

    /// How near runs from these beginnings come to each goal; they are shown if they show something.
    fn distances(
        &self,
        goals: &[(Place, Goal)],
        starts: &[&Beginning],
        audience: &mut dyn Audience,
    ) -> Vec<Vec<Option<Int>>> {
        let mut all = Vec::with_capacity(starts.len());
        for start in starts {
            let mut nearest: Vec<Option<Int>> = vec![None; goals.len()];
            self.watched(&start.point, &start.drawn, audience, &mut |machine| {
                for ((_, goal), nearest) in goals.iter().zip(&mut nearest) {
                    goal.note(machine, nearest);
                }
                true
            });
            all.push(nearest);
        }
        all
    }

    /// A run that somebody watches; it is shown if it shows something.
    fn watched(
        &self,
        point: &[Int],
        drawn: &[Int],
        audience: &mut dyn Audience,
        watch: &mut dyn FnMut(&Machine<'_, 'r, 'p>) -> bool,
    ) {
        let mut policy = Policy::again(drawn.to_vec(), &self.worth().kinds);
        let Some(glimpse) = self.glimpse(point, self.walks.longest, &mut policy, watch) else { return };
        if audience.wants(&glimpse) {
            self.told(point, self.walks.longest, &glimpse, audience);
        }
    }

    /// The slots of each parameter.
    fn arguments(&self) -> Vec<Range<usize>> {
        let program = self.interpreter.program;
        let parameters = (0..program.entry_function().parameters).map(VariableId::Local);
        let slots = parameters.map(|parameter| {
            let first = self.globals + self.interpreter.layout.first_slot(program.entry, parameter) as usize;
            first..first + program.variable(program.entry, parameter).ty.slots() as usize
        });
        slots.collect()
    }

    fn goal(&self, place: Place) -> Option<Goal> {
        let graph = &self.interpreter.program.function(place.function).graph;
        let mut edges = graph.edges_directed(place.location, Direction::Incoming);
        let edge = edges.find(|edge| !matches!(edge.weight().guard, Cond::Literal(_)))?;
        let at = Place { function: place.function, location: edge.source() };
        Some(Goal { at, guard: edge.weight().guard.clone(), place, ahead: OnceCell::new() })
    }

    /// The slots of parameters that what the condition reads is made of.
    fn slots_of(&self, goal: &Goal) -> Vec<usize> {
        let program = self.interpreter.program;
        let mut reached: FxHashSet<(FunctionId, VariableId)> = FxHashSet::default();
        read_by_cond(&goal.guard, &mut |variable| {
            reached.insert((goal.at.function, variable));
        });
        while grown(program, &mut reached) {}
        let parameters = (0..).map(VariableId::Local).zip(self.arguments());
        let made_of = parameters.filter(|(parameter, _)| reached.contains(&(program.entry, *parameter)));
        made_of.flat_map(|(_, slots)| slots).take(MOST_SLOTS).collect()
    }
}

/// Adds what flows into what is there already; whether there was something to add.
fn grown(program: &Program, reached: &mut FxHashSet<(FunctionId, VariableId)>) -> bool {
    let before = reached.len();
    for (id, function) in program.functions.iter().enumerate() {
        let id = FunctionId(id as u32);
        for edge in function.graph.edge_weights() {
            match &edge.effect {
                Effect::Assign(assignments) => {
                    for (to, value) in assignments {
                        if reached.contains(&(id, to.variable)) {
                            read_by_expr(value, &mut |read| {
                                reached.insert((id, read));
                            });
                        }
                    }
                }
                Effect::Call { function: callee, arguments, .. } => {
                    let mut wanted = false;
                    written_by_effect(&edge.effect, &mut |to| wanted |= reached.contains(&(id, to)));
                    let parameters = (0..arguments.len() as u32).map(VariableId::Local);
                    wanted |= parameters.into_iter().any(|parameter| reached.contains(&(*callee, parameter)));
                    if wanted {
                        read_by_effect(&edge.effect, &mut |read| {
                            reached.insert((id, read));
                        });
                    }
                }
                _ => {}
            }
        }
    }
    reached.len() > before
}

impl Goal {
    /// Whether the run may still come to the goal. Callers of the function it is in may lead there too.
    fn is_ahead(&self, program: &Program, machine: &Machine<'_, '_, '_>) -> bool {
        let ahead = || Ahead::of(program, [self.place].into_iter(), std::iter::empty());
        let ahead = self.ahead.get_or_init(ahead);
        machine.places().any(|(function, location)| ahead.leads(function, location))
    }

    /// Remembers how near a state comes, if none came nearer.
    fn note(&self, machine: &Machine<'_, '_, '_>, nearest: &mut Option<Int>) {
        if machine.here() == (self.at.function, self.at.location)
            && let Some(distance) = distance(machine, &self.guard)
            && nearest.as_ref().is_none_or(|nearest| distance < *nearest)
        {
            *nearest = Some(distance);
        }
    }
}

struct Climber<'a, 'r, 'p> {
    runs: &'a Runs<'r, 'p>,
    goal: &'a Goal,
    /// Runs that may still be made.
    left: usize,
    audience: &'a mut dyn Audience,
}

impl Climber<'_, '_, '_> {
    /// From the nearest of the known beginnings.
    fn climb(&mut self, starts: Vec<(Int, &Beginning)>, all: &[&Beginning], place: Place) {
        if starts.is_empty() || self.audience.has_settled(place) {
            return;
        }
        let slots = self.runs.slots_of(self.goal);
        if let Some((distance, beginning)) =
            starts.into_iter().min_by(|(left, _), (right, _)| left.cmp(right))
            && let Some((distance, point)) = self.mixed(distance, beginning, all, place)
        {
            let beginning = Beginning { point, drawn: beginning.drawn.clone() };
            self.climb_from(distance, &beginning, &slots, place);
        }
    }

    /// Arguments of other beginnings in the place of some: a run may have to do first what others did. `None` if there
    /// is nothing more to do.
    fn mixed(
        &mut self,
        mut nearest: Int,
        beginning: &Beginning,
        others: &[&Beginning],
        place: Place,
    ) -> Option<(Int, Vec<Int>)> {
        let mut point = beginning.point.clone();
        let mut policy = Policy::new(MOST_MIXED as u64, &self.runs.worth().kinds);
        let arguments = self.runs.arguments();
        for other in others.iter().cycle().take(MOST_MIXED) {
            let mut next = point.clone();
            for slots in arguments.iter().filter(|_| policy.next() >> 9 & 1 == 0) {
                next[slots.clone()].clone_from_slice(&other.point[slots.clone()]);
            }
            if next == point {
                continue;
            }
            let distance = self.run(&next, &beginning.drawn)?;
            if self.audience.has_settled(place) {
                return None;
            }
            if let Some(distance) = distance.filter(|distance| *distance < nearest) {
                (nearest, point) = (distance, next);
            }
        }
        Some((nearest, point))
    }

    /// `None` if there is nothing more to do.
    fn climb_from(
        &mut self,
        mut nearest: Int,
        beginning: &Beginning,
        slots: &[usize],
        place: Place,
    ) -> Option<()> {
        let mut point = beginning.point.clone();
        loop {
            let before = nearest.clone();
            for (slot, direction) in slots.iter().flat_map(|slot| [(*slot, 1), (*slot, -1)]) {
                let direction = Int::from(direction);
                let mut step = direction.clone();
                while let Some(next) = self.moved(&point, slot, &step) {
                    let distance = self.run(&next, &beginning.drawn)?;
                    if self.audience.has_settled(place) {
                        return None;
                    }
                    match distance {
                        Some(distance) if distance < nearest => {
                            (nearest, point) = (distance, next);
                            step *= Int::from(8);
                        }
                        _ if step == direction => break,
                        _ => step = direction.clone(),
                    }
                }
            }
            if nearest >= before {
                return Some(());
            }
        }
    }

    fn moved(&self, point: &[Int], slot: usize, step: &Int) -> Option<Vec<Int>> {
        let value = &point[slot] + step;
        if !self.runs.worth().slots[slot].holds(&value) {
            return None;
        }
        let mut moved = point.to_vec();
        moved[slot] = value;
        Some(moved)
    }

    /// How near a run came; it is shown if it shows something. `None` if there are no more runs to make.
    fn run(&mut self, point: &[Int], drawn: &[Int]) -> Option<Option<Int>> {
        self.left = self.left.checked_sub(1)?;
        let mut nearest: Option<Int> = None;
        let (goal, runs) = (self.goal, self.runs);
        runs.watched(point, drawn, &mut *self.audience, &mut |machine| {
            goal.note(machine, &mut nearest);
            goal.is_ahead(runs.interpreter.program, machine)
        });
        Some(nearest)
    }
}

/// How far a condition is from being true, 0 if it is; `None` where it has no value.
fn distance(machine: &Machine<'_, '_, '_>, cond: &Cond) -> Option<Int> {
    let both = |left: &Cond, right: &Cond| {
        let left = distance(machine, left)?;
        if left.is_zero() { distance(machine, right) } else { Some(left + HALF) }
    };
    let either = |left: &Cond, right: &Cond| {
        let left = distance(machine, left)?;
        match distance(machine, right) {
            Some(right) if !left.is_zero() => Some(left.min(right)),
            _ => Some(left),
        }
    };
    let negated = |cond: &Cond| Box::new(cond.clone().negated());
    match cond {
        Cond::Literal(true) => Some(Int::ZERO),
        Cond::Literal(false) => None,
        Cond::Compare(op, left, right) => {
            let (left, right) = (machine.evaluated(left)?, machine.evaluated(right)?);
            let above = |by: Int| if by.is_negative() { Int::ZERO } else { by };
            Some(match op {
                CompareOp::Equal => (left - right).abs(),
                CompareOp::NotEqual => Int::from(i64::from(left == right)),
                CompareOp::Less => above(left - right + Int::ONE),
                CompareOp::LessEqual => above(left - right),
                CompareOp::Greater => above(right - left + Int::ONE),
                CompareOp::GreaterEqual => above(right - left),
            })
        }
        Cond::And(left, right) => both(left, right),
        Cond::Or(left, right) => either(left, right),
        Cond::Not(inner) => match &**inner {
            Cond::And(left, right) => either(&negated(left), &negated(right)),
            Cond::Or(left, right) => both(&negated(left), &negated(right)),
            inner => distance(machine, &inner.clone().negated()),
        },
    }
}
