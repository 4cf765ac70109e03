//! Runs that turn a branch of an earlier one: a run is followed on values and as conditions on what was chosen at the
//! same time, and where it could have gone to where none was, a solver is asked for other choices (Godefroid, Klarlund,
//! Sen: DART, PLDI 2005). What it answers is a beginning like any other: nothing is believed of it.

use std::time::Duration;

use fixedbitset::FixedBitSet;
use kleene_domains::{CompareOp, Cond, Expr, Int, Var};
use kleene_solver::{Answer, Budget, Embedded, Solver};
use petgraph::graph::EdgeIndex;
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::policy::Policy;
use super::{Audience, Beginning, Glimpse, Runs};
use crate::concrete::{Choice, Drawn, Interpreter, Machine, Stop};
use crate::ir::{self, Effect, FunctionId, Input, InputSource, LocationId, StepKind, VariableId};
use crate::lints::Place;
use crate::lints::ahead::Ahead;
use crate::symbolic;

/// Expressions with more variables are taken for their values.
const LARGEST: usize = 24;
/// Beginnings that are turned first: some of plain values, and the last of those that showed something.
const PLAIN: [u64; 2] = [1, 7];
const MOST_STARTS: usize = 6;
/// Steps of a run that are followed as conditions.
const LONGEST: usize = 800;
/// Questions in a row that lead nowhere new.
const MOST_IN_VAIN: usize = 10;
/// Answers that one run is turned by.
const MOST_OF_ONE: usize = 12;
/// How often one way is asked for.
const MOST_OF_A_WAY: u8 = 2;
/// Conditions that a question may rest on.
const MOST_CONDITIONS: usize = 60;
/// What a question counts for that has no answer: the next ones will hardly be easier.
const NO_ANSWER: usize = 10;
/// Questions are easy, or not worth the while.
const EASY: Budget =
    Budget { conflicts: 100, pivots: 150, nodes: 20, rounds: 2, gates: 1_500, time: Duration::from_secs(2) };

/// What was asked so far.
struct Asking {
    solver: Embedded,
    ways: FxHashMap<(FunctionId, EdgeIndex<u32>), u8>,
    left: usize,
    in_vain: usize,
}

impl Asking {
    fn is_over(&self) -> bool {
        self.left == 0 || self.in_vain >= MOST_IN_VAIN
    }
}

/// A way that a run did not go: how many of its conditions stand before it, and what would have to hold.
struct Way {
    edge: (FunctionId, EdgeIndex<u32>),
    before: usize,
    condition: Cond,
}

impl Runs<'_, '_> {
    /// Runs that leave those of these beginnings on ways to places that are open, and so on from there.
    pub fn turn(&self, open: &[Place], kept: &[Beginning], audience: &mut dyn Audience) {
        let [for_one, most] = self.walks.questions;
        let left = most.min(for_one * open.len());
        if left == 0 || audience.is_done() {
            return;
        }
        let mut asking = Asking { solver: Embedded::new(), ways: FxHashMap::default(), left, in_vain: 0 };
        let ahead = Ahead::of(self.interpreter.program, open.iter().copied(), std::iter::empty());
        let longest = self.walks.longest.min(self.affordable());
        let mut covered = FixedBitSet::with_capacity(self.compiled.locations());
        let mut pending: Vec<Beginning> = PLAIN.iter().filter_map(|round| self.plain(*round)).collect();
        pending.extend(kept.iter().rev().take(MOST_STARTS).rev().cloned());
        for beginning in &pending {
            if let Some(glimpse) = self.again(beginning, longest) {
                covered.union_with(&glimpse.visited);
            }
        }
        // What was found last is nearest to something new.
        while let Some(beginning) = pending.pop() {
            for changed in self.turned(&beginning, longest, &covered, &ahead, &mut asking) {
                let Some(glimpse) = self.again(&changed, longest) else { continue };
                if audience.wants(&glimpse) {
                    self.told(&changed.point, longest, &glimpse, audience);
                }
                if !glimpse.visited.is_subset(&covered) {
                    covered.union_with(&glimpse.visited);
                    asking.in_vain = 0;
                    pending.push(Beginning { point: changed.point, drawn: glimpse.drawn });
                }
            }
            if asking.is_over() || audience.is_done() {
                return;
            }
        }
    }

    /// A beginning of plain values.
    fn plain(&self, round: u64) -> Option<Beginning> {
        let mut policy = Policy::new(round, &self.worth().kinds);
        let point = self.point(&mut policy, &[]);
        let glimpse = self.glimpse(&point, self.walks.longest, &mut policy, &mut |_| true)?;
        Some(Beginning { point, drawn: glimpse.drawn })
    }

    fn again(&self, beginning: &Beginning, longest: usize) -> Option<Glimpse> {
        let mut policy = Policy::again(beginning.drawn.clone(), &self.worth().kinds);
        self.glimpse(&beginning.point, longest, &mut policy, &mut |_| true)
    }

    /// Beginnings that go where no run was, from where this one came.
    fn turned(
        &self,
        beginning: &Beginning,
        longest: usize,
        covered: &FixedBitSet,
        ahead: &Ahead,
        asking: &mut Asking,
    ) -> Vec<Beginning> {
        let Ok(machine) = Machine::new(&self.compiled, &beginning.point) else { return Vec::new() };
        let mut run = Followed::new(self.interpreter, machine);
        for slot in self.parameters.clone() {
            let (low, high) = (self.worth().slots[slot].low.clone(), self.worth().slots[slot].high.clone());
            let variable = run.chosen(Source::Point(slot), low, high);
            run.frames[0].insert((slot - self.globals) as u32, variable);
        }
        let leads = |machine: &Machine<'_, '_, '_>, function: FunctionId, to: LocationId| {
            let mut callers = machine.places().take(machine.depth() - 1);
            !covered.contains(self.compiled.number(function, to))
                && (ahead.leads(function, to) || callers.any(|(caller, at)| ahead.leads(caller, at)))
        };
        let mut ways = Vec::new();
        for _ in 0..longest.min(LONGEST) {
            if run.step(&beginning.drawn, &leads, &mut ways).is_none() {
                break;
            }
        }
        let mut found = Vec::new();
        for way in ways.iter().rev() {
            if found.len() == MOST_OF_ONE || asking.is_over() {
                break;
            }
            let times = asking.ways.entry(way.edge).or_default();
            if *times < MOST_OF_A_WAY {
                *times += 1;
                asking.left -= 1;
                asking.in_vain += 1;
                match run.solved(way, beginning, &mut asking.solver) {
                    Some(changed) => found.extend(changed),
                    None => asking.left = asking.left.saturating_sub(NO_ANSWER),
                }
            }
        }
        found
    }
}

/// Where a value was chosen.
#[derive(Clone, Copy)]
enum Source {
    Point(usize),
    Drawn(usize),
}

struct Chosen {
    from: Source,
    low: Option<Int>,
    high: Option<Int>,
}

/// What slots hold, over what was chosen; the others hold their values.
type Slots = FxHashMap<u32, Expr>;

/// What a step makes of what slots hold.
enum Held<'p> {
    Stored(Vec<(VariableId, u32, Option<Expr>)>),
    Passed(Slots),
    /// Where a call puts what it gets, and what that is.
    Returned(Option<&'p ir::Place>, Option<Expr>),
}

struct Followed<'c, 'r, 'p> {
    interpreter: &'r Interpreter<'p>,
    machine: Machine<'c, 'r, 'p>,
    globals: Slots,
    frames: Vec<Slots>,
    choices: Vec<Chosen>,
    draws: usize,
    conditions: Vec<Cond>,
}

impl<'c, 'r, 'p> Followed<'c, 'r, 'p> {
    fn new(interpreter: &'r Interpreter<'p>, machine: Machine<'c, 'r, 'p>) -> Self {
        Self {
            interpreter,
            machine,
            globals: Slots::default(),
            frames: vec![Slots::default()],
            choices: Vec::new(),
            draws: 0,
            conditions: Vec::new(),
        }
    }

    fn chosen(&mut self, from: Source, low: Option<Int>, high: Option<Int>) -> Expr {
        self.choices.push(Chosen { from, low, high });
        Expr::Variable(Var(self.choices.len() as u32 - 1))
    }

    fn slots(&mut self, variable: VariableId) -> &mut Slots {
        match variable {
            VariableId::Global(_) => &mut self.globals,
            VariableId::Local(_) => self.frames.last_mut().expect("a run has a frame"),
        }
    }

    fn put(&mut self, variable: VariableId, slot: u32, value: Option<Expr>) {
        let slots = self.slots(variable);
        match value {
            Some(value) => slots.insert(slot, value),
            None => slots.remove(&slot),
        };
    }

    /// One step; the ways from here that lead to something new. `None` where the run is over.
    fn step(
        &mut self,
        drawn: &[Int],
        leads: &dyn Fn(&Machine<'c, 'r, 'p>, FunctionId, LocationId) -> bool,
        ways: &mut Vec<Way>,
    ) -> Option<()> {
        if !self.machine.is_running() {
            return None;
        }
        let (id, location) = self.machine.here();
        let function = self.interpreter.program.function(id);
        if location == function.exit {
            self.frames.pop();
            return self.machine.go(Drawn::default()).ok();
        }
        // Guards read what was drawn.
        let put_back = self.draw(&function.graph[location].inputs, drawn);
        if !self.machine.is_running() {
            return None;
        }
        let mut taken = None;
        let begins = function.graph[location].what == StepKind::Begin;
        for (number, edge) in function.graph.edges(location).enumerate() {
            let condition = self.condition(&edge.weight().guard);
            if taken.is_none() && self.machine.holds(number) == Some(true) {
                taken = Some((edge, condition));
                continue;
            }
            let fails = matches!(edge.weight().effect, Effect::Fail(_) | Effect::Discard);
            if !fails
                && !begins
                && leads(&self.machine, id, edge.target())
                && let Some(condition) = condition.filter(|cond| !matches!(cond, Cond::Literal(_)))
            {
                ways.push(Way { edge: (id, edge.id()), before: self.conditions.len(), condition });
            }
        }
        let put_back = put_back.ok()?;
        let (edge, condition) = taken?;
        self.conditions.extend(condition.filter(|cond| !matches!(cond, Cond::Literal(_))));
        let held = self.performed(&edge.weight().effect)?;
        self.machine.go(put_back).ok()?;
        self.hold(held)
    }

    fn draw(&mut self, inputs: &[Input], drawn: &[Int]) -> Result<Drawn, Stop> {
        let mut made = Vec::new();
        let first = self.draws;
        let put_back = self.machine.draw(&mut |choice: &Choice<'_>| {
            let value = choice.nearest(drawn.get(first + made.len()).unwrap_or(&Int::ZERO));
            made.push((choice.input.place.variable, choice.slot, choice.low.clone(), choice.high.clone()));
            Some(value)
        });
        for (variable, slot, low, high) in made {
            let chosen = self.chosen(Source::Drawn(self.draws), low, high);
            self.put(variable, slot, Some(chosen));
            self.draws += 1;
        }
        for input in inputs.iter().filter(|input| matches!(input.source, InputSource::Looked(..))) {
            if let Some(slot) = self.machine.slot(&input.place) {
                self.put(input.place.variable, slot, None);
            }
        }
        put_back
    }

    /// What an effect makes of what slots hold, before it is performed. `None` where the run is over.
    fn performed(&self, effect: &'p Effect) -> Option<Held<'p>> {
        Some(match effect {
            Effect::Assign(assignments) => {
                let value = |(place, value): &(ir::Place, ir::Expr)| {
                    let slot = self.machine.slot(place)?;
                    Some((place.variable, slot, self.expression(value)))
                };
                Held::Stored(assignments.iter().map(value).collect::<Option<_>>()?)
            }
            Effect::Call { function, arguments, .. } => {
                let slot = |index: usize| {
                    let parameter = VariableId::Local(index as u32);
                    self.interpreter.layout.first_slot(*function, parameter)
                };
                let values = arguments.iter().enumerate();
                let values = values.filter_map(|(index, value)| Some((slot(index), self.expression(value)?)));
                Held::Passed(values.collect())
            }
            Effect::Return(value) => {
                let value = value.as_ref().and_then(|value| self.expression(value));
                match &self.machine.pending_call()?.effect {
                    Effect::Call { result, .. } => Held::Returned(result.as_ref(), value),
                    _ => Held::Returned(None, None),
                }
            }
            Effect::Fail(_) | Effect::Discard | Effect::Stop => return None,
        })
    }

    /// Behind the step: slots hold what it made.
    fn hold(&mut self, held: Held<'p>) -> Option<()> {
        match held {
            Held::Stored(values) => {
                for (variable, slot, value) in values {
                    self.put(variable, slot, value);
                }
            }
            Held::Passed(values) => self.frames.push(values),
            Held::Returned(place, value) => {
                self.frames.pop();
                if let Some(place) = place {
                    let slot = self.machine.slot(place)?;
                    self.put(place.variable, slot, value);
                }
            }
        }
        Some(())
    }

    /// Whether a place holds something over what was chosen.
    fn is_chosen(&self, place: &ir::Place) -> bool {
        let slots = match place.variable {
            VariableId::Global(_) => Some(&self.globals),
            VariableId::Local(_) => self.frames.last(),
        };
        slots.is_some_and(|slots| !slots.is_empty())
            && self
                .machine
                .slot(place)
                .is_some_and(|slot| slots.is_some_and(|slots| slots.contains_key(&slot)))
    }

    /// What a place holds; `None` where nobody knows.
    fn held(&self, place: &ir::Place) -> Option<Expr> {
        let slot = self.machine.slot(place)?;
        let slots = match place.variable {
            VariableId::Global(_) => &self.globals,
            VariableId::Local(_) => self.frames.last()?,
        };
        let value = || self.machine.read(place).map(Expr::Constant);
        slots.get(&slot).cloned().or_else(value)
    }

    /// A condition over what was chosen; `None` where it reads nothing of that or what nobody knows, or has grown too
    /// large.
    fn condition(&self, guard: &ir::Cond) -> Option<Cond> {
        let mut chosen = false;
        guard.for_each_variable(&mut |place| chosen |= self.is_chosen(place));
        if !chosen {
            return None;
        }
        let (mut known, mut size) = (true, 0);
        let condition = guard.map(&mut |place: &ir::Place| {
            let held = self.held(place);
            known &= held.is_some();
            held.unwrap_or(Expr::constant(0))
        });
        condition.for_each_variable(&mut |_| size += 1);
        (known && size <= LARGEST).then(|| symbolic::simplified(condition))
    }

    /// An expression over what was chosen; `None` where it is a value.
    fn expression(&self, value: &ir::Expr) -> Option<Expr> {
        let mut chosen = false;
        value.for_each_variable(&mut |place| chosen |= self.is_chosen(place));
        if !chosen {
            return None;
        }
        let (mut known, mut size) = (true, 0);
        let expr = value.map(&mut |place: &ir::Place| {
            let held = self.held(place);
            known &= held.is_some();
            held.unwrap_or(Expr::constant(0))
        });
        expr.for_each_variable(&mut |_| size += 1);
        (known && size > 0 && size <= LARGEST).then(|| symbolic::folded(expr))
    }

    /// Other choices with which the run goes that way, as far as the solver can tell, if there are some; `None` if it
    /// cannot.
    fn solved(&self, way: &Way, beginning: &Beginning, solver: &mut Embedded) -> Option<Option<Beginning>> {
        let mut variables: FxHashSet<Var> = FxHashSet::default();
        way.condition.for_each_variable(&mut |variable| {
            variables.insert(*variable);
        });
        let Some(conditions) = self.concerned(way, &mut variables) else { return Some(None) };
        let mut variables: Vec<Var> = variables.into_iter().collect();
        variables.sort_unstable();
        solver.push();
        for variable in &variables {
            let Chosen { low, high, .. } = &self.choices[variable.0 as usize];
            let bound = |op: CompareOp, bound: &Int| {
                Cond::Compare(op, Expr::Variable(*variable), Expr::Constant(bound.clone()))
            };
            low.iter().for_each(|low| _ = solver.assert(&bound(CompareOp::GreaterEqual, low)));
            high.iter().for_each(|high| _ = solver.assert(&bound(CompareOp::LessEqual, high)));
        }
        for condition in conditions.into_iter().chain([&way.condition]) {
            solver.assert(condition);
        }
        let answer = solver.check(&EASY);
        solver.pop();
        let model = match answer {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => return Some(None),
            Answer::Unknown(_) => return None,
        };
        let mut changed = beginning.clone();
        for variable in variables {
            let value = model.value(variable);
            match self.choices[variable.0 as usize].from {
                Source::Point(slot) => changed.point[slot] = value,
                Source::Drawn(at) => {
                    // What was drawn behind the end of the earlier run was zero.
                    let length = changed.drawn.len().max(at + 1);
                    changed.drawn.resize(length, Int::ZERO);
                    changed.drawn[at] = value;
                }
            }
        }
        Some((changed != *beginning).then_some(changed))
    }

    /// The conditions before a way that speak of the same choices, or of some that those speak of; `None` for too many.
    fn concerned(&self, way: &Way, variables: &mut FxHashSet<Var>) -> Option<Vec<&Cond>> {
        let mut open: Vec<&Cond> = self.conditions[..way.before].iter().collect();
        let mut found = Vec::new();
        loop {
            let (concerned, others): (Vec<&Cond>, Vec<&Cond>) = open.into_iter().partition(|condition| {
                let mut shares = false;
                condition.for_each_variable(&mut |variable| shares |= variables.contains(variable));
                shares
            });
            if concerned.is_empty() {
                return Some(found);
            }
            for condition in &concerned {
                condition.for_each_variable(&mut |variable| {
                    variables.insert(*variable);
                });
            }
            found.extend(concerned);
            if found.len() > MOST_CONDITIONS {
                return None;
            }
            open = others;
        }
    }
}
