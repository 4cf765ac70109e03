//! Single runs on boundary, remembered and random values: what they come to needs no proof.
//!
//! Deterministic: the same program is run on the same values. Everything a run shows is replayed before it is told.

mod aimed;
mod compared;
mod kinds;
mod policy;
mod texts;
mod turned;
mod ways;
mod worth;

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use kleene_domains::Int;
use rustc_hash::FxHashMap;

use self::compared::Compared;
pub use self::kinds::AllSaid;
use self::kinds::Kind;
use self::policy::Policy;
use self::ways::{Taken, Ways};
use self::worth::Worth;
use super::Place;
use super::mark::Marked;
use crate::concrete::{Choice, Compiled, Interpreter, Kept, Machine, State, Status};
use crate::ir::slice::Slice;
use crate::ir::{Cond, FunctionId, LocationId, Type};
use crate::precision::Script;

/// How much of slices a run follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sight {
    Usual,
    Wide,
}

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
    /// Questions to a solver for ways that no run went, for each open place and in all.
    questions: [usize; 2],
    /// How long slices are tried.
    sight: Sight,
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
        questions: [0, 0],
        sight: Sight::Usual,
        cuts: [8, 0],
    };
    pub const USUAL: Self = Self {
        most: 160,
        longest: 3_000,
        steps: 30_000,
        values: 20_000_000,
        idle: 32,
        counted: 500,
        questions: [2, 40],
        sight: Sight::Usual,
        cuts: [32, 4],
    };

    /// One run, of code that somebody has written to show what happens.
    pub const OF_USES: Self = Self {
        most: 1,
        longest: 100_000,
        steps: 100_000,
        values: 20_000_000,
        idle: 1,
        counted: 0,
        questions: [0, 0],
        sight: Sight::Usual,
        cuts: [0, 0],
    };

    pub fn with(self, sight: Sight) -> Self {
        Self { sight, ..self }
    }
}

/// Steps and runs more for an open place.
const STEPS_FOR_ONE: usize = 300;
const RUNS_FOR_ONE: u64 = 4;
/// The first states of a run are not worth keeping to see whether it comes back to one: most runs are short.
const FIRST_KEPT: usize = 16;
/// Beginnings of runs that showed something new.
const FEW_KEPT: usize = 24;
const MOST_KEPT: usize = 40;

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

    /// Whether it counts how runs go on behind the last place they come to that counts.
    fn wants_ends(&self) -> bool {
        true
    }

    /// Whether it counts that a run comes to a place.
    fn wants_place(&self, place: Place) -> bool;

    /// Whether a place needs no more runs.
    fn has_settled(&self, place: Place) -> bool;
}

/// What is seen of a run while it goes on.
pub struct Glimpse {
    first: Rc<[usize]>,
    visited: FixedBitSet,
    pub cycles: bool,
    /// How it was when nobody followed it any more.
    pub status: Status,
    steps: usize,
    /// The locations in the order in which the run first came to them, each with the steps it took.
    new: Vec<((FunctionId, LocationId), usize)>,
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

pub struct Runs<'r, 'p> {
    marked: &'r Marked,
    slice: &'r Slice,
    interpreter: &'r Interpreter<'p>,
    walks: Walks,
    /// Many looks make no runs.
    worth: OnceCell<Worth>,
    compiled: Compiled<'r, 'p>,
    globals: usize,
    /// The slots a caller chooses.
    parameters: Range<usize>,
    ways: RefCell<Ways>,
    /// Room for a state of the run that is followed.
    spare: RefCell<Kept>,
}

impl<'r, 'p> Runs<'r, 'p> {
    /// Of a slice of the marked program, which the interpreter runs.
    pub fn new(marked: &'r Marked, slice: &'r Slice, interpreter: &'r Interpreter<'p>, walks: Walks) -> Self {
        let compiled = Compiled::new(interpreter);
        let globals = interpreter.layout.global_slots as usize;
        let entry = interpreter.program.entry_function();
        let parameters = entry.locals.iter().take(entry.parameters as usize);
        let count: usize = parameters.map(|parameter| parameter.ty.slots() as usize).sum();
        let parameters = globals..globals + count;
        let (worth, ways, spare) = (OnceCell::new(), RefCell::default(), RefCell::default());
        Self { marked, slice, interpreter, walks, worth, compiled, globals, parameters, ways, spare }
    }

    fn worth(&self) -> &Worth {
        self.worth.get_or_init(|| Worth::of(self.marked, self.slice, &self.walks, &self.parameters))
    }

    pub fn interpreter(&self) -> &'r Interpreter<'p> {
        self.interpreter
    }

    pub fn sight(&self) -> Sight {
        self.walks.sight
    }

    /// Follows runs until nobody wants to hear more or nothing new comes. Runs that showed something are varied; how
    /// they began is answered.
    pub fn walk(&self, audience: &mut dyn Audience) -> Vec<Beginning> {
        self.walk_within(None, audience)
    }

    /// The same with values up to a limit, as far as types allow.
    pub fn walk_within(&self, limit: Option<i64>, audience: &mut dyn Audience) -> Vec<Beginning> {
        let (mut steps, mut idle) = (0, 0);
        let Worth { kinds, slots, .. } = self.worth();
        let open = audience.open().min(self.walks.counted);
        let most = (self.walks.steps + open * STEPS_FOR_ONE).min(self.affordable());
        let most_idle = (self.walks.idle + open / 2) * if kinds.has_texts() { 2 } else { 1 };
        let mut kept: Vec<Beginning> = Vec::new();
        let mut landmarks = audience.landmarks().to_vec();
        let mut covered = FixedBitSet::with_capacity(self.compiled.locations());
        let mut compared = Compared::default();
        let mut round = 0;
        for run in 0..self.walks.most + RUNS_FOR_ONE * open as u64 {
            if audience.is_done() {
                return kept;
            }
            let next = if run % 2 == 0 { None } else { compared.next() };
            let (point, mut policy) = match next {
                Some(Beginning { point, drawn }) => (point, Policy::again(drawn, kinds)),
                None => {
                    let mut policy = Policy::within(limit, round, kinds);
                    round += 1;
                    (self.point(&mut policy, &kept), policy)
                }
            };
            let longest = self.walks.longest.min(most - steps);
            let Some(glimpse) = self.glimpse(&point, longest, &mut policy, &mut |_| true) else { continue };
            steps += glimpse.steps;
            let before = landmarks.len();
            landmarks.retain(|place| !glimpse.came_to(*place));
            let mut news = landmarks.len() < before;
            if audience.wants(&glimpse) {
                news |= self.told(&point, longest, &glimpse, audience);
            }
            let alone = glimpse.drawn.is_empty() && slots.is_empty();
            idle = if news { 0 } else { idle + 1 };
            if idle >= most_idle || steps >= most || alone {
                return kept;
            }
            // Where there are texts, what is new anywhere brings runs on.
            let is_new = kinds.has_texts() && !glimpse.visited.is_subset(&covered);
            if news || is_new {
                covered.union_with(&glimpse.visited);
                if kept.len() >= if kinds.has_texts() { MOST_KEPT } else { FEW_KEPT } {
                    kept.remove(0);
                }
                let beginning = Beginning { point, drawn: glimpse.drawn };
                if limit.is_none() && kinds.has_texts() {
                    self.compare(&beginning, longest, &covered, &mut compared);
                }
                kept.push(beginning);
            }
        }
        kept
    }

    /// Follows the one run of a function that nothing is given and that chooses nothing but this, first of all.
    pub fn follow_only(&self, chosen: usize, audience: &mut dyn Audience) {
        let Worth { kinds, slots, .. } = self.worth();
        let point = vec![Int::ZERO; slots.len()];
        let longest = self.walks.longest.min(self.affordable());
        let mut policy = Policy::again(vec![Int::from(chosen as i64)], kinds);
        if let Some(glimpse) = self.glimpse(&point, longest, &mut policy, &mut |_| true)
            && audience.wants(&glimpse)
        {
            self.told(&point, longest, &glimpse, audience);
        }
    }

    /// What a value is for that a run draws.
    fn drawn_kind(&self, function: FunctionId, choice: &Choice<'_>) -> Kind {
        let place = &choice.input.place;
        let mut ty = &self.interpreter.program.variable(function, place.variable).ty;
        while let Type::Array(element, _) = ty {
            ty = element;
        }
        self.worth().kinds.of_variable(function, place.variable, ty)
    }

    /// Follows a run again, with all its states, for somebody who wants to hear of it; whether that showed something.
    fn told(&self, point: &[Int], longest: usize, glimpse: &Glimpse, audience: &mut dyn Audience) -> bool {
        let whole = glimpse.cycles || audience.wants_ends();
        // What fails does so in the step behind.
        let counts = |&((function, location), _): &((FunctionId, LocationId), usize)| {
            glimpse.status == Status::Discarded || audience.wants_place(Place { function, location })
        };
        let last = glimpse.new.iter().rev().find(|new| counts(new)).map_or(0, |(_, steps)| *steps);
        let longest = if whole { longest } else { longest.min(last + 1) };
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
        self.walks.values / (self.worth().slots.len() + 20)
    }

    /// Where to begin: somewhere, or near where a run began that showed something new.
    fn point(&self, policy: &mut Policy<'_>, kept: &[Beginning]) -> Vec<Int> {
        let Worth { kinds, .. } = self.worth();
        let mut point = self.plain_point(policy, kept);
        if kinds.has_texts() && kinds.wide.is_empty() && policy.next() >> 11 & 3 == 0 {
            self.widen(&mut point, policy);
        }
        point
    }

    /// Puts a letter of two bytes into a text.
    fn widen(&self, point: &mut [Int], policy: &mut Policy<'_>) {
        let Worth { slots, .. } = self.worth();
        let is_letter = |slot: usize| slots.get(slot).is_some_and(|slot| slot.kind == Kind::Letter);
        let letters: Vec<usize> =
            self.parameters.clone().filter(|slot| is_letter(*slot) && is_letter(*slot + 1)).collect();
        if !letters.is_empty() {
            let at = letters[(policy.next() >> 5) as usize % letters.len()];
            point[at..at + 2].clone_from_slice(&policy.wide_letter());
        }
    }

    fn plain_point(&self, policy: &mut Policy<'_>, kept: &[Beginning]) -> Vec<Int> {
        let Worth { kinds, slots, texts, .. } = self.worth();
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
            if !kinds.wide.is_empty() && !texts.is_empty() && policy.next() >> 13 & 1 == 0 {
                for _ in 0..fewest + policy.next() % 3 {
                    self.respell(&mut point, policy);
                }
                return point;
            }
            for _ in 0..fewest + policy.next() % 3 {
                if among.is_empty() {
                    break;
                }
                let slot = among.start + (policy.next() >> 5) as usize % among.len();
                point[slot] = slots[slot].any(policy);
            }
            return point;
        }
        let mut point: Vec<Int> = slots.iter().map(|slot| slot.any(policy)).collect();
        if !kinds.wide.is_empty() && !policy.is_plain() && policy.next() >> 13 & 1 == 0 {
            self.spelled(&mut point, policy);
        }
        point
    }

    /// A run without its states, as long as whoever watches it wants to see more.
    fn glimpse(
        &self,
        point: &[Int],
        longest: usize,
        policy: &mut Policy<'_>,
        watch: &mut dyn FnMut(&Machine<'_, 'r, 'p>) -> bool,
    ) -> Option<Glimpse> {
        let cuts = &self.worth().cuts;
        let visited = FixedBitSet::with_capacity(self.compiled.locations());
        let first = self.compiled.first_locations().clone();
        let (status, drawn, new) = (Status::Running, Vec::new(), Vec::new());
        let mut glimpse = Glimpse { first, visited, cycles: false, status, steps: 0, new, drawn };
        let mut machine = Machine::new(&self.compiled, point).ok()?;
        let mut kept = self.spare.take();
        machine.keep(&mut kept);
        let (_, mut place) = machine.here();
        let mut taken = Taken::default();
        while machine.is_running() {
            let (function, location) = machine.here();
            if !glimpse.visited.put(self.compiled.number(function, location)) {
                glimpse.new.push(((function, location), glimpse.steps));
            }
            if !watch(&machine) || glimpse.steps >= longest {
                break;
            }
            let drawn = &mut glimpse.drawn;
            let depth = machine.depth();
            let code = self.interpreter.program.function(function);
            let moved = machine.advance(&mut |choice: &Choice<'_>| {
                let cuts = cuts.of_variable(function, choice.input.place.variable);
                let kind = self.drawn_kind(function, choice);
                let at = drawn.len();
                let mut draw = |policy: &mut Policy<'_>| policy.choose(choice, cuts, kind, at);
                let value = match Ways::is_fork(code, location, choice) {
                    true => {
                        let fork = (function, location);
                        self.ways.borrow_mut().choose(fork, depth, &mut taken, policy, &mut draw)
                    }
                    false => draw(policy),
                };
                drawn.push(value.clone());
                Some(value)
            });
            if moved.is_err() {
                self.ways.borrow_mut().ended(depth, &taken);
                break;
            }
            glimpse.steps += 1;
            // Most states are somewhere else.
            let (_, here) = machine.here();
            if here == place && machine.is_at(&kept) {
                glimpse.cycles = true;
                break;
            }
            if glimpse.steps.is_power_of_two() && glimpse.steps >= FIRST_KEPT {
                machine.keep(&mut kept);
                place = here;
            }
        }
        glimpse.status = machine.status();
        self.spare.replace(kept);
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
        point.resize(self.worth().slots.len(), Int::ZERO);
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
                let cuts = self.worth().cuts.of_variable(function, choice.input.place.variable);
                let value = choose(choice, cuts);
                drawn.push(value.clone());
                Some(value)
            });
            // What nobody may choose ends what a run can show.
            let Ok(next) = next else { break };
            journey.drawn.push(drawn);
            journey.states.push(next);
            let at = journey.drawn.len();
            if journey.states[at].is_same(&journey.states[kept])
                && journey.states[at].status == Status::Running
            {
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

/// How a run began, and what it drew.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Beginning {
    point: Vec<Int>,
    drawn: Vec<Int>,
}

/// Whether a condition is true; `None` where it has no value that somebody knows.
fn holds(machine: &Machine<'_, '_, '_>, cond: &Cond) -> Option<bool> {
    match cond {
        Cond::Literal(value) => Some(*value),
        Cond::Not(inner) => Some(!holds(machine, inner)?),
        Cond::And(left, right) => Some(holds(machine, left)? && holds(machine, right)?),
        Cond::Or(left, right) => Some(holds(machine, left)? || holds(machine, right)?),
        Cond::Compare(op, left, right) => {
            Some(op.holds(&machine.evaluated(left)?, &machine.evaluated(right)?))
        }
    }
}
