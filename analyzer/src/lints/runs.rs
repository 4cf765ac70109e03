//! Single runs on boundary, remembered and random values: what they come to needs no proof.
//!
//! Deterministic: the same program is run on the same values. Everything a run shows is replayed before it is told.

use kleene_domains::Int;
use rustc_hash::FxHashMap;

use super::Place;
use crate::concrete::{Choice, Interpreter, State, Status};
use crate::interpret::cuts::Cuts;
use crate::ir::{FunctionId, LocationId, Program, Type, VariableId};
use crate::precision::Script;

/// Runs, and steps of each and of all together.
const MOST_RUNS: u64 = 48;
const LONGEST: usize = 3_000;
const MOST_STEPS: usize = 30_000;
/// Values that may be copied: states with large arrays are followed for fewer steps.
const MOST_VALUES: usize = 20_000_000;
/// Runs in a row that show nothing new.
const IDLE_RUNS: usize = 14;

/// The states of one run and what was drawn between them.
pub struct Journey {
    pub states: Vec<State>,
    pub drawn: Vec<Vec<Int>>,
    /// Where the last state was seen first, if the run came back to it.
    pub cycle: Option<usize>,
    /// Some value was chosen out of several.
    pub chose: bool,
}

impl Journey {
    /// The places the run came to, each with the first step at which it did.
    pub fn places(&self) -> Vec<(Place, usize)> {
        let mut first: FxHashMap<(FunctionId, LocationId), usize> = FxHashMap::default();
        for (at, state) in self.states.iter().enumerate() {
            if state.status == Status::Running
                && let Some(frame) = state.frames.last()
            {
                first.entry((frame.function, frame.location)).or_insert(at);
            }
        }
        let mut places: Vec<(Place, usize)> =
            first.into_iter().map(|((function, location), at)| (Place { function, location }, at)).collect();
        places.sort_unstable_by_key(|(place, at)| (*at, *place));
        places
    }
}

pub struct Runs<'r, 'p> {
    interpreter: &'r Interpreter<'p>,
    cuts: Cuts,
    /// Slots of the initial state: type, and constants worth trying.
    slots: Vec<(Type, Vec<Int>)>,
    globals: usize,
}

impl<'r, 'p> Runs<'r, 'p> {
    pub fn new(interpreter: &'r Interpreter<'p>) -> Self {
        let program = interpreter.program;
        let cuts = Cuts::of(program, std::iter::empty());
        let slots = slots(program, &cuts);
        Self { interpreter, cuts, slots, globals: interpreter.layout.global_slots as usize }
    }

    /// Follows runs until `tell` has heard enough (answers `None`) or nothing new comes (answers `Some(false)`).
    pub fn walk(&self, tell: &mut dyn FnMut(&Journey) -> Option<bool>) {
        let (mut steps, mut idle) = (0, 0);
        let most = MOST_STEPS.min(self.affordable());
        for round in 0..MOST_RUNS {
            let mut policy = Policy::new(round);
            let Some(journey) = self.one(&mut policy, LONGEST.min(most - steps)) else { continue };
            steps += journey.drawn.len();
            match tell(&journey) {
                None => return,
                Some(true) => idle = 0,
                Some(false) => idle += 1,
            }
            let alone = !journey.chose && self.slots.is_empty();
            if idle >= IDLE_RUNS || steps >= most || alone {
                return;
            }
        }
    }

    /// Steps that can be paid for.
    fn affordable(&self) -> usize {
        MOST_VALUES / (self.slots.len() + 20)
    }

    fn one(&self, policy: &mut Policy, longest: usize) -> Option<Journey> {
        let point = self.slots.iter().map(|(ty, cuts)| policy.of_type(ty, cuts)).collect();
        self.follow(point, longest, &mut |choice, cuts| policy.choose(choice, cuts))
    }

    /// The run that a script proposes.
    pub fn scripted(&self, script: &Script) -> Option<Journey> {
        let mut draws = script.draws.iter();
        let mut point = script.start.clone();
        point.resize(self.slots.len(), Int::ZERO);
        self.follow(point, LONGEST.min(self.affordable()), &mut |choice, _| {
            choice.nearest(draws.next().unwrap_or(&Int::ZERO))
        })
    }

    fn follow(
        &self,
        mut point: Vec<Int>,
        longest: usize,
        choose: &mut dyn FnMut(&Choice<'_>, &[Int]) -> Int,
    ) -> Option<Journey> {
        let locals = point.split_off(self.globals.min(point.len()));
        let wanted = point.clone();
        let own = &mut |choice: &Choice<'_>| Some(choice.nearest(&wanted[choice.slot as usize]));
        let start = self.interpreter.initial(point, locals, own).ok()?;
        let mut journey = Journey { states: vec![start], drawn: Vec::new(), cycle: None, chose: false };
        // A state kept at every power of two meets itself again in any cycle.
        let mut kept = 0;
        while journey.drawn.len() < longest {
            let state = journey.states.last()?;
            if state.status != Status::Running {
                break;
            }
            let function = state.frames.last()?.function;
            let mut drawn = Vec::new();
            let next = self.interpreter.step(state, &mut |choice: &Choice<'_>| {
                let cuts = self.cuts.of_variable(function, choice.input.place.variable);
                let value = choose(choice, &cuts);
                drawn.push(value.clone());
                Some(value)
            });
            // What nobody may choose ends what a run can show.
            let Ok(next) = next else { break };
            journey.chose |= !drawn.is_empty();
            journey.drawn.push(drawn);
            journey.states.push(next);
            let at = journey.drawn.len();
            if journey.states[at] == journey.states[kept] && journey.states[at].status == Status::Running {
                journey.cycle = Some(kept);
                break;
            }
            if at.is_power_of_two() {
                kept = at;
            }
        }
        Some(journey)
    }
}

/// The slots of the initial state in their order; only parameters and globals have values worth trying.
fn slots(program: &Program, cuts: &Cuts) -> Vec<(Type, Vec<Int>)> {
    let entry = program.entry_function();
    let globals = (0..program.globals.len() as u32).map(VariableId::Global);
    let locals = (0..entry.locals.len() as u32).map(VariableId::Local);
    let mut slots = Vec::new();
    for variable in globals.chain(locals) {
        let cuts = cuts.of_variable(program.entry, variable);
        let scalars = program.variable(program.entry, variable).ty.scalars();
        slots.extend(scalars.into_iter().map(|ty| (ty.clone(), cuts.clone())));
    }
    slots
}

struct Policy {
    round: u64,
    random: u64,
}

impl Policy {
    fn new(round: u64) -> Self {
        Self { round, random: 0x9E37_79B9_7F4A_7C15 ^ (round << 17) ^ 0xD1B5 }
    }

    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn of_type(&mut self, ty: &Type, cuts: &[Int]) -> Int {
        let range = ty.range();
        self.value(range.low().finite(), range.high().finite(), cuts)
    }

    fn choose(&mut self, choice: &Choice<'_>, cuts: &[Int]) -> Int {
        self.value(choice.low.as_ref(), choice.high.as_ref(), cuts)
    }

    /// Zero, one, its negative and the bounds first; then a mixture of those, the constants of the program and anything.
    fn value(&mut self, low: Option<&Int>, high: Option<&Int>, cuts: &[Int]) -> Int {
        let nearest = |value: Int| match (low, high) {
            (Some(low), _) if value < *low => low.clone(),
            (_, Some(high)) if value > *high => high.clone(),
            _ => value,
        };
        let bound = |bound: Option<&Int>, inward: i64, other: i64| match bound {
            Some(bound) => bound + &Int::from(inward),
            None => Int::from(other),
        };
        let random = self.next();
        let value = match self.round {
            0 => Int::ZERO,
            1 => Int::ONE,
            2 => Int::MINUS_ONE,
            3 => bound(high, 0, 1 << 16),
            4 => bound(low, 0, -(1 << 16)),
            _ => match random % 8 {
                0 => bound(low, (random >> 8 & 1) as i64, -((random >> 9 & 0xffff) as i64)),
                1 => bound(high, -((random >> 8 & 1) as i64), (random >> 9 & 0xffff) as i64),
                2..=4 if !cuts.is_empty() => {
                    let cut = &cuts[(random >> 8) as usize % cuts.len()];
                    cut + &Int::from((random >> 40) as i64 % 3 - 1)
                }
                5 => self.anything(low, high),
                _ => Int::from((random >> 8) as i64 % 19 - 4),
            },
        };
        nearest(value)
    }

    fn anything(&mut self, low: Option<&Int>, high: Option<&Int>) -> Int {
        let random = Int::from(self.next()) * Int::from(self.next());
        match (low, high) {
            (Some(low), Some(high)) => {
                let span = high - low + Int::ONE;
                random.rem_euclid(&span).map_or(low.clone(), |offset| low + offset)
            }
            _ => random.rem_euclid(&Int::from(1i64 << 32)).unwrap_or_default() - Int::from(1i64 << 31),
        }
    }
}
