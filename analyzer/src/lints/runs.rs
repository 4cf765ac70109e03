//! Single runs on boundary, remembered and random values: what they come to needs no proof.
//!
//! Deterministic: the same program is run on the same values. Everything a run shows is replayed before it is told.

mod aimed;
mod texts;

use std::ops::Range;
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use kleene_domains::Int;
use rustc_hash::FxHashMap;

use super::Place;
use crate::concrete::{Choice, Interpreter, State, Status};
use crate::interpret::cuts::Cuts;
use crate::ir::{FunctionId, LocationId, Program, VariableId};
use crate::precision::Script;
use texts::Texts;

/// How much is run.
#[derive(Clone, Copy, Debug)]
pub struct Walks {
    /// Runs, and steps of each and of all together.
    most: u64,
    longest: usize,
    steps: usize,
    /// Values that may be copied: states with large arrays are followed for fewer steps.
    values: usize,
    /// Runs in a row that show nothing new.
    idle: usize,
    /// Open places for which there are more of all of them.
    counted: usize,
    /// Constants that are tried for one variable, about, and of programs where values flow in very many ways.
    cuts: [usize; 2],
}

impl Walks {
    pub const FEW: Self = Self {
        most: 80,
        longest: 1_000,
        steps: 8_000,
        values: 4_000_000,
        idle: 16,
        counted: 0,
        cuts: [8, 0],
    };
    pub const USUAL: Self = Self {
        most: 160,
        longest: 3_000,
        steps: 30_000,
        values: 20_000_000,
        idle: 32,
        counted: 500,
        cuts: [32, 4],
    };
}

/// Steps and runs more for an open place.
const STEPS_FOR_ONE: usize = 300;
const RUNS_FOR_ONE: u64 = 4;
/// The first states of a run are not worth keeping to see whether it comes back to one: most runs are short.
const FIRST_KEPT: usize = 16;
/// Beginnings of runs that showed something new.
const MOST_KEPT: usize = 24;

/// Who is told of runs.
pub trait Audience {
    /// Nothing is left to show.
    fn is_done(&self) -> bool;

    /// How much is left to show.
    fn open(&self) -> usize;

    /// Whether such a run may show something new.
    fn wants(&self, glimpse: &Glimpse) -> bool;

    /// What a run shows; whether something of it is new.
    fn learn(&mut self, journey: &Journey) -> bool;

    /// What others have shown: runs that come there come near the rest.
    fn landmarks(&self) -> &[Place] {
        &[]
    }

    /// Whether it counts how runs go on behind the last location that is new in them.
    fn wants_ends(&self) -> bool {
        true
    }

    /// Whether a place needs no more runs.
    fn has_settled(&self, place: Place) -> bool;
}

/// What is seen of a run while it goes on.
pub struct Glimpse {
    first: Vec<usize>,
    visited: FixedBitSet,
    pub cycles: bool,
    steps: usize,
    /// The steps to the last location that the run had not been at before.
    new: usize,
    drawn: Vec<Int>,
}

impl Glimpse {
    pub fn came_to(&self, place: Place) -> bool {
        self.visited.contains(self.first[place.function.0 as usize] + place.location.index())
    }
}

/// The states of one run and what was drawn between them.
pub struct Journey {
    pub states: Vec<State>,
    pub drawn: Vec<Vec<Int>>,
    /// Where the last state was seen first, if the run came back to it.
    pub cycle: Option<usize>,
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

/// A slot of the initial state.
struct Slot {
    low: Option<Int>,
    high: Option<Int>,
    /// Constants worth trying.
    cuts: Rc<[Int]>,
}

impl Slot {
    fn any(&self, policy: &mut Policy) -> Int {
        policy.value(self.low.as_ref(), self.high.as_ref(), &self.cuts)
    }

    fn holds(&self, value: &Int) -> bool {
        self.low.as_ref().is_none_or(|low| low <= value)
            && self.high.as_ref().is_none_or(|high| value <= high)
    }
}

pub struct Runs<'r, 'p> {
    interpreter: &'r Interpreter<'p>,
    walks: Walks,
    cuts: Cuts,
    slots: Vec<Slot>,
    globals: usize,
    texts: Texts,
    /// The slots a caller chooses.
    parameters: Range<usize>,
}

impl<'r, 'p> Runs<'r, 'p> {
    pub fn new(interpreter: &'r Interpreter<'p>, walks: Walks) -> Self {
        let program = interpreter.program;
        let cuts = Cuts::carrying(program, walks.cuts);
        let slots = slots(program, &cuts);
        let globals = interpreter.layout.global_slots as usize;
        let entry = program.entry_function();
        let parameters = entry.locals.iter().take(entry.parameters as usize);
        let count: usize = parameters.map(|parameter| parameter.ty.slots() as usize).sum();
        let texts = Texts::of(interpreter, &cuts);
        Self { interpreter, walks, cuts, slots, globals, texts, parameters: globals..globals + count }
    }

    pub fn interpreter(&self) -> &'r Interpreter<'p> {
        self.interpreter
    }

    /// Follows runs until nobody wants to hear more or nothing new comes. Runs that showed something are varied; how
    /// they began is answered.
    pub fn walk(&self, audience: &mut dyn Audience) -> Vec<Beginning> {
        self.walk_within(None, audience)
    }

    /// The same with values up to a limit, as far as types allow.
    pub fn walk_within(&self, limit: Option<i64>, audience: &mut dyn Audience) -> Vec<Beginning> {
        let (mut steps, mut idle) = (0, 0);
        let open = audience.open().min(self.walks.counted);
        let most = (self.walks.steps + open * STEPS_FOR_ONE).min(self.affordable());
        let most_idle = self.walks.idle + open / 2;
        let mut kept: Vec<Beginning> = Vec::new();
        let mut landmarks = audience.landmarks().to_vec();
        for round in 0..self.walks.most + RUNS_FOR_ONE * open as u64 {
            if audience.is_done() {
                return kept;
            }
            let mut policy = Policy { limit, ..Policy::new(round) };
            let mut point = self.point(&mut policy, &kept);
            self.texts.mend(&mut point, &mut || policy.next());
            let longest = self.walks.longest.min(most - steps);
            let Some(glimpse) = self.glimpse(&point, longest, &mut policy, &mut |_| true) else { continue };
            steps += glimpse.steps;
            let before = landmarks.len();
            landmarks.retain(|place| !glimpse.came_to(*place));
            let mut news = landmarks.len() < before;
            if audience.wants(&glimpse) {
                news |= self.told(&point, longest, &glimpse, audience);
            }
            let alone = glimpse.drawn.is_empty() && self.slots.is_empty();
            idle = if news { 0 } else { idle + 1 };
            if idle >= most_idle || steps >= most || alone {
                return kept;
            }
            if news {
                if kept.len() >= MOST_KEPT {
                    kept.remove(0);
                }
                kept.push(Beginning { point, drawn: glimpse.drawn });
            }
        }
        kept
    }

    /// Follows a run again, with all its states, for somebody who wants to hear of it; whether that showed something.
    fn told(&self, point: &[Int], longest: usize, glimpse: &Glimpse, audience: &mut dyn Audience) -> bool {
        let whole = glimpse.cycles || audience.wants_ends();
        // What fails does so in the step behind.
        let longest = if whole { longest } else { longest.min(glimpse.new + 1) };
        let mut drawn = glimpse.drawn.iter();
        let again = &mut |choice: &Choice<'_>, _: &[Int]| match drawn.next() {
            Some(value) => value.clone(),
            None => choice.nearest(&Int::ZERO),
        };
        let journey = self.follow(point.to_vec(), longest, again);
        journey.is_some_and(|journey| audience.learn(&journey))
    }

    /// Steps that can be paid for.
    fn affordable(&self) -> usize {
        self.walks.values / (self.slots.len() + 20)
    }

    /// Where to begin: somewhere, or near where a run began that showed something new.
    fn point(&self, policy: &mut Policy, kept: &[Beginning]) -> Vec<Int> {
        if let Some(beginning) = policy.near(kept) {
            let mut point = beginning.point.clone();
            policy.earlier = beginning.drawn.clone();
            let among = if self.parameters.is_empty() { 0..point.len() } else { self.parameters.clone() };
            // What two runs showed may be needed together.
            let other = policy.near(kept).filter(|_| policy.next() >> 9 & 1 == 0);
            if let Some(other) = other {
                for slot in among.clone().filter(|_| policy.next() >> 9 & 1 == 0) {
                    point[slot] = other.point[slot].clone();
                }
            }
            let fewest = u64::from(other.is_none());
            for _ in 0..fewest + policy.next() % 3 {
                if among.is_empty() {
                    break;
                }
                let slot = among.start + (policy.next() >> 5) as usize % among.len();
                point[slot] = self.slots[slot].any(policy);
            }
            return point;
        }
        self.slots.iter().map(|slot| slot.any(policy)).collect()
    }

    /// A run without its states, as long as whoever watches it wants to see more.
    fn glimpse(
        &self,
        point: &[Int],
        longest: usize,
        policy: &mut Policy,
        watch: &mut dyn FnMut(&State) -> bool,
    ) -> Option<Glimpse> {
        let program = self.interpreter.program;
        let mut first = Vec::with_capacity(program.functions.len());
        let mut count = 0;
        for function in &program.functions {
            first.push(count);
            count += function.graph.node_count();
        }
        let visited = FixedBitSet::with_capacity(count);
        let mut glimpse = Glimpse { first, visited, cycles: false, steps: 0, new: 0, drawn: Vec::new() };
        let mut state = self.start(point.to_vec())?;
        let mut kept = state.clone();
        let mut place = state.frames.last().map(|frame| frame.location);
        while state.status == Status::Running {
            let (function, location) = state.frames.last().map(|frame| (frame.function, frame.location))?;
            if !glimpse.visited.put(glimpse.first[function.0 as usize] + location.index()) {
                glimpse.new = glimpse.steps;
            }
            if !watch(&state) || glimpse.steps >= longest {
                break;
            }
            let drawn = &mut glimpse.drawn;
            let moved = self.interpreter.advance(&mut state, &mut |choice: &Choice<'_>| {
                let cuts = self.cuts.of_variable(function, choice.input.place.variable);
                let value = policy.choose(choice, cuts, drawn.len());
                drawn.push(value.clone());
                Some(value)
            });
            if moved.is_err() {
                break;
            }
            glimpse.steps += 1;
            // Most states are somewhere else.
            let here = state.frames.last().map(|frame| frame.location);
            if here == place && state == kept {
                glimpse.cycles = true;
                break;
            }
            if glimpse.steps.is_power_of_two() && glimpse.steps >= FIRST_KEPT {
                kept.clone_from(&state);
                place = here;
            }
        }
        Some(glimpse)
    }

    fn start(&self, mut point: Vec<Int>) -> Option<State> {
        let locals = point.split_off(self.globals.min(point.len()));
        let wanted = point.clone();
        let own = &mut |choice: &Choice<'_>| Some(choice.nearest(&wanted[choice.slot as usize]));
        self.interpreter.initial(point, locals, own).ok()
    }

    /// The run that a script proposes.
    pub fn scripted(&self, script: &Script) -> Option<Journey> {
        let mut draws = script.draws.iter();
        let mut point = script.start.clone();
        point.resize(self.slots.len(), Int::ZERO);
        self.follow(point, self.walks.longest.min(self.affordable()), &mut |choice, _| {
            choice.nearest(draws.next().unwrap_or(&Int::ZERO))
        })
    }

    fn follow(
        &self,
        point: Vec<Int>,
        longest: usize,
        choose: &mut dyn FnMut(&Choice<'_>, &[Int]) -> Int,
    ) -> Option<Journey> {
        let start = self.start(point)?;
        let mut journey = Journey { states: vec![start], drawn: Vec::new(), cycle: None };
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
                let value = choose(choice, cuts);
                drawn.push(value.clone());
                Some(value)
            });
            // What nobody may choose ends what a run can show.
            let Ok(next) = next else { break };
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
fn slots(program: &Program, cuts: &Cuts) -> Vec<Slot> {
    let entry = program.entry_function();
    let globals = (0..program.globals.len() as u32).map(VariableId::Global);
    let locals = (0..entry.locals.len() as u32).map(VariableId::Local);
    let mut slots = Vec::new();
    for variable in globals.chain(locals) {
        let cuts: Rc<[Int]> = cuts.of_variable(program.entry, variable).into();
        for ty in program.variable(program.entry, variable).ty.scalars() {
            let range = ty.range();
            let [low, high] = [range.low(), range.high()].map(|bound| bound.finite().cloned());
            slots.push(Slot { low, high, cuts: cuts.clone() });
        }
    }
    slots
}

/// How a run began, and what it drew.
#[derive(Clone, Debug)]
pub struct Beginning {
    point: Vec<Int>,
    drawn: Vec<Int>,
}

struct Policy {
    round: u64,
    random: u64,
    /// What the run drew that this one is a variant of.
    earlier: Vec<Int>,
    /// Draws what that run drew, and zeros after it.
    sticks: bool,
    /// Larger values are not tried.
    limit: Option<i64>,
}

/// Rounds in which all values are alike.
const PLAIN_ROUNDS: u64 = 5;
/// Lengths in those, and lengths below which most others lie: of longer slices little is followed.
const PLAIN_LENGTHS: [i64; PLAIN_ROUNDS as usize] = [0, 1, 4, 8, 7];
const SHORT: i64 = 10;
/// Types of at most so many values have no values that are more interesting than others.
const FEW: i64 = 16;

impl Policy {
    fn new(round: u64) -> Self {
        Self {
            round,
            random: 0x9E37_79B9_7F4A_7C15 ^ (round << 17) ^ 0xD1B5,
            earlier: Vec::new(),
            sticks: false,
            limit: None,
        }
    }

    /// Draws what was drawn before.
    fn again() -> Self {
        Self { sticks: true, ..Self::new(0) }
    }

    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Two of three runs are variants, most often of late ones.
    fn near<'k>(&mut self, kept: &'k [Beginning]) -> Option<&'k Beginning> {
        if self.round < PLAIN_ROUNDS || kept.is_empty() || self.next().is_multiple_of(3) {
            return None;
        }
        let back = (self.next() >> 7) as usize % kept.len();
        let further = (self.next() >> 7) as usize % kept.len();
        kept.get(kept.len() - 1 - back.min(further))
    }

    fn choose(&mut self, choice: &Choice<'_>, cuts: &[Int], at: usize) -> Int {
        if let Some(earlier) = self.earlier.get(at).cloned()
            && (self.sticks || !self.next().is_multiple_of(4))
        {
            return choice.nearest(&earlier);
        }
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
        if is_length(low, high) && (self.round < PLAIN_ROUNDS || random & 3 != 0) {
            let length = PLAIN_LENGTHS.get(self.round as usize).copied();
            return Int::from(length.unwrap_or((random >> 8) as i64 % SHORT));
        }
        let is_small = |low: Option<&Int>, high: Option<&Int>| match (low, high) {
            (Some(low), Some(high)) => high - low < Int::from(FEW),
            _ => false,
        };
        let value = match self.round {
            0 => Int::ZERO,
            1 => Int::ONE,
            2 => Int::MINUS_ONE,
            3 => bound(high, 0, 1 << 16),
            4 => bound(low, 0, -(1 << 16)),
            _ if is_small(low, high) => self.anything(low, high),
            _ => match random % 8 {
                0 => bound(low, (random >> 8 & 1) as i64, -((random >> 9 & 0xffff) as i64)),
                1 => bound(high, -((random >> 8 & 1) as i64), (random >> 9 & 0xffff) as i64),
                2..=4 if !cuts.is_empty() => {
                    let cut = &cuts[(random >> 8) as usize % cuts.len()];
                    cut + &Int::from((random >> 40) as i64 % 3 - 1)
                }
                3 | 5 => self.anything(low, high),
                // As many bits as any other number of bits.
                6 => {
                    let bits = (random >> 8) % 63;
                    let value = Int::from((self.next() & ((1 << bits) - 1) | (1 << bits)) as i64);
                    if random >> 32 & 3 == 0 { -value } else { value }
                }
                _ => Int::from((random >> 8) as i64 % 19 - 4),
            },
        };
        nearest(match self.limit {
            Some(limit) if value > Int::from(limit) => Int::from(limit),
            Some(limit) if value < Int::from(-limit) => Int::from(-limit),
            _ => value,
        })
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

/// Whether a value of this range is the length of a slice: front ends give those a type of one bit less.
fn is_length(low: Option<&Int>, high: Option<&Int>) -> bool {
    let high = high.and_then(Int::to_i64);
    low.is_some_and(Int::is_zero) && (high == Some(i64::MAX) || high == Some(i64::from(i32::MAX)))
}
