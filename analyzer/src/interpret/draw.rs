//! How inputs are drawn: their values are cut into parts, and each part is a way the step can go.
//!
//! The parts of several inputs multiply. Beyond a number of them the other inputs are left whole, each of
//! them is cut once for itself, and where a single run is followed the values it drew stay apart.

use kleene_domains::lattice::Lattice;
use kleene_domains::numeric::NumericState;
use kleene_domains::{CompareOp, Cond, Expr, Int, Interval, Value, Var};

use super::State;
use super::aims::Aim;
use super::compile::{Command, Input, Source};
use super::transfer::{Enabled, Transfer};
use crate::mutation::Mutation;

/// From this many guards to test on, only the runs that are followed are told apart.
const CROWDED: usize = 128;
/// From this many guards on, nothing is.
const FULL: usize = 512;
/// The same where all that arrives is joined.
const JOINED: usize = 32;
/// So many inputs there are drawn whole.
const MANY_INPUTS: usize = 32;
/// The same for `enabled_in_few`.
const FEW: usize = 16;

/// A state some of whose inputs are drawn.
pub(super) struct Drawn {
    pub state: State,
    pub must: bool,
    /// Every input has a value that a single run drew.
    followed: bool,
}

impl Drawn {
    pub fn nothing_yet(state: State) -> Self {
        Self { state, must: true, followed: true }
    }
}

pub(super) enum DrawnPart {
    Value(Drawn),
    EmptyRange(State),
}

/// Ways to draw all inputs, from one pass over them or more.
#[derive(Default)]
struct Parts {
    /// How many parts make a crowd, and how many are too many.
    limits: [usize; 2],
    parts: Vec<Drawn>,
    /// States in which an input has no value.
    empty: Vec<State>,
    /// Inputs for whose parts there was no room.
    left_whole: Vec<usize>,
}

/// How the values of an input are cut.
#[derive(Clone, Copy)]
pub(super) enum Cutting<'a> {
    /// Not at all.
    Whole,
    /// One by one, or at these values, or else where the program makes a difference.
    Parts(&'a [Int]),
    /// The value of an expression, and no other.
    Aimed(&'a Expr),
}

impl Cutting<'_> {
    /// Whether what was drawn is one of the values to cut at.
    fn marks(self, state: &State, input: &Input) -> bool {
        let Self::Parts(marked) = self else { return true };
        input
            .targets
            .iter()
            .all(|(slot, _)| state.get(*slot).as_constant().is_some_and(|value| marked.contains(value)))
    }
}

impl Transfer<'_> {
    /// Draws the inputs and tests the guards.
    /// `drawn` names values per input that get a part of their own.
    pub fn enabled(
        &self,
        command: &Command,
        state: &State,
        drawn: &[Vec<Int>],
        aims: &[Aim],
    ) -> (Vec<bool>, Vec<Enabled>) {
        let ways = command.edges.len().max(1);
        // Where everything is joined behind the step, more parts say little more.
        let joins = self.precision.cells_per_location == 0;
        let limits = if joins { [JOINED / ways; 2] } else { [CROWDED / ways, FULL / ways] };
        let mut passes = Parts { limits, ..Parts::default() };
        let whole = joins && command.inputs.len() > MANY_INPUTS;
        self.draw_all(command, state, &mut passes, &|index| match whole {
            true => Cutting::Whole,
            false => Cutting::Parts(drawn.get(index).map(Vec::as_slice).unwrap_or_default()),
        });
        // What the crowd left whole is cut alone, with all others left whole.
        for left in std::mem::take(&mut passes.left_whole) {
            if joins || passes.parts.len() >= FULL / ways {
                break;
            }
            self.draw_all(command, state, &mut passes, &|index| match index == left {
                true => Cutting::Parts(&[]),
                false => Cutting::Whole,
            });
        }
        for aim in aims {
            self.draw_all(command, state, &mut passes, &|index| match index == aim.input {
                true => Cutting::Aimed(&aim.value),
                false => Cutting::Whole,
            });
        }
        self.guarded(command, passes)
    }

    /// The same in few parts, for those who do not ask what must happen.
    pub fn enabled_in_few(&self, command: &Command, state: &State) -> Vec<Enabled> {
        let limit = (FEW / command.edges.len().max(1)).max(1);
        let mut passes = Parts { limits: [limit; 2], ..Parts::default() };
        self.draw_all(command, state, &mut passes, &|_| Cutting::Parts(&[]));
        self.guarded(command, passes).1
    }

    /// Draws every input, each cut as `cut` says as long as there is room.
    fn draw_all<'a>(
        &self,
        command: &Command,
        state: &State,
        passes: &mut Parts,
        cut: &dyn Fn(usize) -> Cutting<'a>,
    ) {
        let [crowded, full] = passes.limits;
        let mut parts = vec![Drawn::nothing_yet(state.clone())];
        for (index, input) in command.inputs.iter().enumerate() {
            let mut next: Vec<Drawn> = Vec::new();
            let cutting = cut(index);
            let many = parts.len() >= crowded;
            for part in parts {
                let room = next.len() < full && (part.followed || !many);
                if !room && !matches!(cutting, Cutting::Whole) && !passes.left_whole.contains(&index) {
                    passes.left_whole.push(index);
                }
                let followed = part.followed;
                for drawn in self.draw(input, part, if room { cutting } else { Cutting::Whole }) {
                    match drawn {
                        DrawnPart::Value(mut drawn) => {
                            drawn.followed = followed && cutting.marks(&drawn.state, input);
                            next.push(drawn);
                        }
                        DrawnPart::EmptyRange(state) if !passes.empty.contains(&state) => {
                            passes.empty.push(state);
                        }
                        DrawnPart::EmptyRange(_) => {}
                    }
                }
            }
            parts = next;
        }
        passes.parts.extend(parts);
    }

    /// Tests the guards.
    fn guarded(&self, command: &Command, passes: Parts) -> (Vec<bool>, Vec<Enabled>) {
        let mut musts = vec![false; passes.empty.len()];
        let failed = passes.empty.into_iter().enumerate();
        let mut enabled: Vec<Enabled> =
            failed.map(|(part, state)| Enabled { part, edge: None, state }).collect();
        let parts = passes.parts;
        for part in parts {
            let index = musts.len();
            musts.push(part.must && !command.overlapping);
            for (edge, compiled) in command.edges.iter().enumerate() {
                let whole = std::slice::from_ref(&compiled.guard);
                let cases = if self.precision.branches { compiled.cases() } else { whole };
                for case in cases {
                    let mut state = part.state.clone();
                    state.assume(case);
                    if !state.is_bottom() {
                        enabled.push(Enabled { part: index, edge: Some(edge), state });
                    } else if self.mutation == Some(Mutation::MustIntoEmptyCells) {
                        let empty = musts.len();
                        musts.push(true);
                        enabled.push(Enabled { part: empty, edge: Some(edge), state: part.state.clone() });
                    }
                }
            }
        }
        (musts, enabled)
    }

    /// The parts an input's values are cut into; every one has a member.
    pub(super) fn parts_of(&self, values: &Value, cuts: &[Int], cutting: Cutting<'_>) -> Vec<Value> {
        let Cutting::Parts(marked) = cutting else { return vec![values.clone()] };
        if let Some(members) = values.members(self.precision.enumerated_inputs) {
            return members.into_iter().map(Value::constant).collect();
        }
        if !marked.is_empty() {
            return values.split_at(marked);
        }
        let inside: Vec<Int> = cuts.iter().filter(|cut| values.contains(cut)).cloned().collect();
        let most = (self.precision.input_parts.max(3) - 1) / 2;
        let step = inside.len().div_ceil(most).max(1);
        let kept: Vec<Int> = inside.into_iter().step_by(step).collect();
        if kept.is_empty() { vec![values.clone()] } else { values.split_at(&kept) }
    }

    pub(super) fn draw(&self, input: &Input, from: Drawn, cutting: Cutting<'_>) -> Vec<DrawnPart> {
        match &input.source {
            Source::Unknown | Source::Unseen => {
                let Drawn { mut state, followed, .. } = from;
                input.targets.iter().for_each(|(slot, values)| state.set(*slot, values.clone()));
                vec![DrawnPart::Value(Drawn { state, must: false, followed })]
            }
            Source::Looked(table, index) => {
                let Drawn { mut state, must, followed } = from;
                let found = table.within(&state.value(index));
                for (slot, values) in &input.targets {
                    state.set(*slot, values.meet(&found));
                }
                vec![DrawnPart::Value(Drawn { state, must, followed })]
            }
            Source::Type => {
                let Drawn { state, must, followed } = from;
                let parts = match (input.targets.as_slice(), cutting) {
                    ([(slot, values)], Cutting::Aimed(value)) => aimed(state, *slot, values, value),
                    ([(slot, values)], _) => {
                        spread(vec![state], *slot, &self.parts_of(values, &input.cuts, cutting))
                    }
                    _ => arrays(&state, input, cutting),
                };
                let part = |state| DrawnPart::Value(Drawn { state, must, followed });
                parts.into_iter().map(part).collect()
            }
            Source::Range(low, high) => self.draw_range(input, (low, high), from, cutting),
        }
    }

    /// The state that draws an expression's value, if it lies in the range wherever the state is.
    fn aim_within(&self, input: &Input, range: [&Expr; 2], from: Drawn, value: &Expr) -> Vec<DrawnPart> {
        let [low, high] = range.map(Clone::clone);
        let inside = [
            Cond::Compare(CompareOp::LessEqual, low, value.clone()),
            Cond::Compare(CompareOp::LessEqual, value.clone(), high),
        ];
        let [(slot, values)] = input.targets.as_slice() else { return Vec::new() };
        if !inside.iter().all(|cond| from.state.decide(cond) == Some(true)) {
            return Vec::new();
        }
        let Drawn { state, must, followed } = from;
        let part = |state| DrawnPart::Value(Drawn { state, must, followed });
        aimed(state, *slot, values, value).into_iter().map(part).collect()
    }

    fn draw_range(
        &self,
        input: &Input,
        (low, high): (&Expr, &Expr),
        from: Drawn,
        cutting: Cutting<'_>,
    ) -> Vec<DrawnPart> {
        let mut parts = Vec::new();
        let mut must = from.must;
        let nonempty = Cond::Compare(CompareOp::LessEqual, low.clone(), high.clone());
        let mut state = from.state.clone();
        if from.state.decide(&nonempty) != Some(true) {
            let mut failing = from.state.clone();
            failing.assume(&nonempty.clone().negated());
            if !failing.is_bottom() {
                parts.push(DrawnPart::EmptyRange(failing));
                must = false;
            }
            state.assume(&nonempty);
            if state.is_bottom() {
                return parts;
            }
        }
        if let Cutting::Aimed(value) = cutting {
            return self.aim_within(input, [low, high], Drawn { state, must, ..from }, value);
        }
        let (lows, highs) = (state.value(low), state.value(high));
        let [(slot, all)] = input.targets.as_slice() else {
            input.targets.iter().for_each(|(slot, values)| state.set(*slot, values.clone()));
            parts.push(DrawnPart::Value(Drawn { state, must, followed: from.followed }));
            return parts;
        };
        let Some(range) = Interval::new(lows.low(), highs.high()) else { return parts };
        let values = Value::from_interval(range).meet(all);
        // Allowed whatever the state: between the greatest lower and the least upper bound.
        let always = Interval::new(lows.high(), highs.low()).map_or_else(Value::bottom, Value::from_interval);
        let constant = lows.as_constant().is_some() && highs.as_constant().is_some();
        for part in self.parts_of(&values, &input.cuts, cutting) {
            let mut drawn = state.clone();
            let must = must && !part.meet(&always).is_bottom()
                || self.mutation == Some(Mutation::InputMustWithoutWitness);
            if constant {
                drawn.set(*slot, part);
            } else {
                // The bounds may read the very slot that is drawn: relate them before it changes.
                let between = Expr::Any(part.hull().expect("a part is not empty"));
                drawn.assume(&Cond::Compare(CompareOp::LessEqual, low.clone(), between.clone()));
                drawn.assume(&Cond::Compare(CompareOp::GreaterEqual, high.clone(), between));
                if drawn.is_bottom() {
                    continue;
                }
                drawn.set(*slot, part);
                // Bounds that do not read the slot still say the same of what was drawn.
                for (op, bound) in [(CompareOp::GreaterEqual, low), (CompareOp::LessEqual, high)] {
                    let mut reads_slot = false;
                    bound.for_each_variable(&mut |read| reads_slot |= read == slot);
                    if !reads_slot {
                        drawn.assume(&Cond::Compare(op, Expr::Variable(*slot), bound.clone()));
                    }
                }
                if drawn.is_bottom() {
                    continue;
                }
            }
            parts.push(DrawnPart::Value(Drawn { state: drawn, must, followed: from.followed }));
        }
        parts
    }
}
/// The state that draws an expression's value, if every point of it can.
fn aimed(mut state: State, slot: Var, values: &Value, value: &Expr) -> Vec<State> {
    if !state.value(value).leq(values) {
        return Vec::new();
    }
    state.assign(slot, value);
    if state.is_bottom() { Vec::new() } else { vec![state] }
}

/// Everything an array may hold, and beside it the arrays that runs drew: all elements alike.
fn arrays(state: &State, input: &Input, cutting: Cutting<'_>) -> Vec<State> {
    let mut whole = state.clone();
    input.targets.iter().for_each(|(slot, values)| whole.set(*slot, values.clone()));
    let mut parts = vec![whole];
    if let Cutting::Parts(marked) = cutting {
        let allowed = |value: &&Int| input.targets.iter().all(|(_, values)| values.contains(value));
        for value in marked.iter().filter(allowed) {
            let mut part = state.clone();
            input.targets.iter().for_each(|(slot, _)| part.set(*slot, Value::constant(value.clone())));
            parts.push(part);
        }
    }
    parts
}

/// Each state with each part of a slot's values.
pub(super) fn spread(states: Vec<State>, slot: Var, parts: &[Value]) -> Vec<State> {
    let mut all = Vec::with_capacity(states.len() * parts.len());
    if let [whole] = parts {
        all = states;
        all.iter_mut().for_each(|state| state.set(slot, whole.clone()));
        return all;
    }
    for state in states {
        for part in parts {
            let mut next = state.clone();
            next.set(slot, part.clone());
            all.push(next);
        }
    }
    all
}
