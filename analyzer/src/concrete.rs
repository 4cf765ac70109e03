//! The concrete interpreter: one step at a time, exactly as `docs/semantics.md` says.
//!
//! It replays runs before they are reported and explores short ones. It shares the program and its
//! layout with the abstract interpreter, and nothing else.

mod compiled;
mod unseen;
mod values;

use std::sync::Arc;

use kleene_domains::Int;
use kleene_domains::concrete as arithmetic;
use petgraph::graph::{EdgeIndex, EdgeReference};
use petgraph::visit::EdgeRef;
use smallvec::SmallVec;

pub use self::compiled::{Compiled, Drawn, Kept, Machine};
use self::unseen::{Bounded, Found};
pub use self::values::Values;
use crate::ir::layout::Layout;
use crate::ir::{
    Cond, Edge, Effect, Expr, FailKind, Function, FunctionId, Initialiser, Input, InputSource, LocationId,
    Place, Program, StepKind, Type, VariableId,
};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub globals: Values,
    /// Outermost first; never empty.
    pub frames: Vec<Frame>,
    pub status: Status,
    /// Globals whose values nobody knows.
    bounded: Bounded,
}

impl State {
    /// Equality that looks at the innermost frame first: that is where most states differ.
    pub fn is_same(&self, other: &Self) -> bool {
        self.frames.len() == other.frames.len()
            && self.frames.iter().rev().eq(other.frames.iter().rev())
            && self == other
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub function: FunctionId,
    /// The next location, or the location of the call that is under way.
    pub location: LocationId,
    /// The call under way, in all frames but the innermost.
    pub pending: Option<EdgeIndex<u32>>,
    pub locals: Values,
    /// Locals whose values nobody knows.
    bounded: Bounded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    Running,
    Ended,
    Failed(FailKind),
    Discarded,
}

/// The values an input may take: those of the type between the bounds; a missing bound is infinite.
#[derive(Clone, Debug)]
pub struct Choice<'a> {
    pub input: &'a Input,
    /// Where the value will be stored: among the globals or in the frame, by the input's variable.
    pub slot: u32,
    pub low: Option<Int>,
    pub high: Option<Int>,
}

impl Choice<'_> {
    /// The allowed value nearest to this one.
    pub fn nearest(&self, value: &Int) -> Int {
        match (&self.low, &self.high) {
            (Some(low), _) if value < low => low.clone(),
            (_, Some(high)) if value > high => high.clone(),
            _ => value.clone(),
        }
    }
}

/// Why a state has no successor that this interpreter may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The chooser gave no value.
    NoChoice,
    /// The step draws a value nobody may choose.
    Unknown,
    /// The chooser's value is not one of the allowed ones.
    NotAllowed,
    /// What happens next depends on a value that nobody knows.
    Unseen,
}

/// What is done with values that nobody may choose, of steps that certainly go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unseen {
    /// Their step has no successor.
    Ends,
    /// The run goes on as long as their bounds decide every guard.
    Bounded,
}

#[derive(Clone, Debug)]
pub struct Interpreter<'p> {
    pub program: &'p Program,
    pub layout: Layout,
    unseen: Unseen,
}

impl<'p> Interpreter<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self { program, layout: Layout::of(program), unseen: Unseen::Ends }
    }

    /// One whose runs go on with unseen values: whatever those are, the run is the same.
    pub fn bounding_unseen(program: &'p Program) -> Self {
        Self { unseen: Unseen::Bounded, ..Self::new(program) }
    }

    /// The initial state with the given values of globals that no initialiser sets and of the entry
    /// function's locals; initialiser inputs ask `choose`.
    pub fn initial(
        &self,
        globals: Vec<Int>,
        locals: Vec<Int>,
        choose: &mut dyn FnMut(&Choice<'_>) -> Option<Int>,
    ) -> Result<State, Stop> {
        let entry = self.program.entry;
        let location = self.program.entry_function().entry;
        let bounded = Bounded::default();
        let (globals, locals) = (Values::from(globals), Values::from(locals));
        let frame = Frame { function: entry, location, pending: None, locals, bounded };
        let bounded = Bounded::default();
        let mut state = State { globals, frames: vec![frame], status: Status::Running, bounded };
        for initialiser in &self.program.initialisers {
            match initialiser {
                Initialiser::Assign(place, value) => {
                    let value = self.found(&state, value)?;
                    self.write(&mut state, place, value)?;
                }
                Initialiser::Input(input) => self.draw(&mut state, input, choose, None)?,
            }
        }
        self.settle(&mut state);
        Ok(state)
    }

    /// One step. End, fail and discarded states loop on themselves.
    pub fn step(
        &self,
        state: &State,
        choose: &mut dyn FnMut(&Choice<'_>) -> Option<Int>,
    ) -> Result<State, Stop> {
        let mut next = state.clone();
        self.advance(&mut next, choose)?;
        Ok(next)
    }

    /// One step in place. What an error leaves behind is of no use.
    pub fn advance(
        &self,
        state: &mut State,
        choose: &mut dyn FnMut(&Choice<'_>) -> Option<Int>,
    ) -> Result<(), Stop> {
        if state.status != Status::Running {
            return Ok(());
        }
        let frame = state.frames.last().expect("a state has a frame");
        let function = self.program.function(frame.function);
        if frame.location == function.exit {
            return self.leave(state, None);
        }
        let (location, inputs) = (frame.location, &function.graph[frame.location].inputs);
        // What fails or is discarded has drawn nothing.
        let mut before = (!inputs.is_empty() && may_undo(function, location)).then(Overwritten::new);
        for input in inputs {
            if self.has_empty_range(state, input)? {
                restore(state, before);
                state.status = Status::Failed(FailKind::EmptyRange);
                return Ok(());
            }
            self.draw(state, input, choose, before.as_mut())?;
        }
        let begins = function.graph[location].what == StepKind::Begin && state.frames.len() > 1;
        let mut edges = function.graph.edges(location);
        let edge = loop {
            let edge = edges.next().expect("guards of a location are exhaustive");
            match self.decided(state, &edge.weight().guard) {
                Ok(true) => break edge,
                Ok(false) => {}
                // Calls pass values that somebody has: where nobody knows them, these are none that nobody can have.
                Err(_) if begins && is_for_beginnings(function, edge) => {}
                Err(_) if begins => break edge,
                Err(stop) => return Err(stop),
            }
        };
        let (id, target) = (edge.id(), edge.target());
        let effect = &edge.weight().effect;
        if let Effect::Fail(_) | Effect::Discard = effect {
            restore(state, before);
        }
        self.perform(state, id, effect, target)
    }

    fn perform(
        &self,
        state: &mut State,
        edge: EdgeIndex<u32>,
        effect: &Effect,
        target: LocationId,
    ) -> Result<(), Stop> {
        match effect {
            Effect::Assign(assignments) => {
                self.assign(state, assignments)?;
                state.frames.last_mut().expect("a state has a frame").location = target;
                self.settle(state);
            }
            Effect::Call { function, arguments, .. } => {
                let frame = self.entered(state, *function, arguments)?;
                state.frames.last_mut().expect("a state has a frame").pending = Some(edge);
                state.frames.push(frame);
            }
            Effect::Return(value) => {
                let value = value.as_ref().map(|value| self.found(state, value)).transpose()?;
                self.leave(state, value)?;
            }
            Effect::Fail(kind) => state.status = Status::Failed(*kind),
            Effect::Discard => state.status = Status::Discarded,
            Effect::Stop => state.status = Status::Ended,
        }
        Ok(())
    }

    fn entered(&self, state: &State, function: FunctionId, arguments: &[Expr]) -> Result<Frame, Stop> {
        let locals = Values::zeros(self.layout.frame(function) as usize);
        let location = self.program.function(function).entry;
        let mut frame = Frame { function, location, pending: None, locals, bounded: Bounded::default() };
        for (index, argument) in arguments.iter().enumerate() {
            let slot = self.layout.first_slot(function, VariableId::Local(index as u32));
            let value = self.found(state, argument)?;
            value.put(slot, &mut frame.locals, &mut frame.bounded);
        }
        Ok(frame)
    }

    /// All values are computed before any is stored.
    fn assign(&self, state: &mut State, assignments: &[(Place, Expr)]) -> Result<(), Stop> {
        let evaluated =
            |(place, value): &(Place, Expr)| Ok((self.slot(state, place)?, self.found(state, value)?));
        if assignments.is_empty() {
            return Ok(());
        }
        if let [(place, _)] = assignments {
            let (slot, value) = evaluated(&assignments[0])?;
            state.put(place.variable, slot, value);
            return Ok(());
        }
        let values: Result<SmallVec<[_; 4]>, Stop> = assignments.iter().map(evaluated).collect();
        for ((place, _), (slot, value)) in assignments.iter().zip(values?) {
            state.put(place.variable, slot, value);
        }
        Ok(())
    }

    /// Pops the innermost frame, or ends the run.
    fn leave(&self, state: &mut State, value: Option<Found>) -> Result<(), Stop> {
        if state.frames.len() == 1 {
            let frame = state.frames.last_mut().expect("a state has a frame");
            frame.location = self.program.function(frame.function).exit;
            state.status = Status::Ended;
            return Ok(());
        }
        state.frames.pop();
        let caller = state.frames.last_mut().expect("a caller");
        let function = self.program.function(caller.function);
        let edge = caller.pending.take().expect("a pending call");
        let target = function.graph.edge_endpoints(edge).expect("the call's edge").1;
        caller.location = target;
        if let (Effect::Call { result: Some(place), .. }, Some(value)) = (&function.graph[edge].effect, value)
        {
            self.write(state, place, value)?;
        }
        self.settle(state);
        Ok(())
    }

    /// Arriving at the entry function's exit is the end of the run.
    fn settle(&self, state: &mut State) {
        if let [frame] = state.frames.as_slice()
            && frame.location == self.program.function(frame.function).exit
        {
            state.status = Status::Ended;
        }
    }

    /// Whether the run is over, at the end of the program or at a location that ends it.
    pub fn has_ended(&self, state: &State) -> bool {
        match (state.status, state.frames.as_slice()) {
            (Status::Running, [frame]) => {
                let location = &self.program.function(frame.function).graph[frame.location];
                location.ends != Cond::Literal(false) && self.holds(state, &location.ends)
            }
            (status, _) => status == Status::Ended,
        }
    }

    fn has_empty_range(&self, state: &State, input: &Input) -> Result<bool, Stop> {
        match &input.source {
            InputSource::Range(low, high) => Ok(self.exactly(state, low)? > self.exactly(state, high)?),
            _ => Ok(false),
        }
    }

    fn draw(
        &self,
        state: &mut State,
        input: &Input,
        choose: &mut dyn FnMut(&Choice<'_>) -> Option<Int>,
        mut before: Option<&mut Overwritten>,
    ) -> Result<(), Stop> {
        let function = state.frames.last().expect("a state has a frame").function;
        let mut keep = |state: &State, slot: u32| {
            if let Some(before) = &mut before {
                before.push((input.place.variable, slot, state.found_in(input.place.variable, slot)));
            }
        };
        if self.is_passed(state, input) {
            let slot = self.slot(state, &input.place)?;
            keep(state, slot);
            state.put(input.place.variable, slot, Found::Exactly(Int::ZERO));
            return Ok(());
        }
        if let Some(value) = self.looked(state, input)? {
            return self.write(state, &input.place, value);
        }
        let unseen = matches!(input.source, InputSource::Unseen);
        if input.source.is_given() && !(unseen && self.unseen == Unseen::Bounded) {
            return Err(Stop::Unknown);
        }
        let ty = self.program.place_type(function, &input.place);
        let first = self.slot(state, &input.place)?;
        for (offset, scalar) in ty.scalars().into_iter().enumerate() {
            let slot = first + offset as u32;
            keep(state, slot);
            if unseen {
                state.put(input.place.variable, slot, Found::within(scalar.any_value()));
                continue;
            }
            let (low, high) = self.bounds(state, input, scalar)?;
            let choice = Choice { input, slot, low: low.clone(), high: high.clone() };
            let value = choose(&choice).ok_or(Stop::NoChoice)?;
            if low.is_some_and(|low| value < low) || high.is_some_and(|high| value > high) {
                return Err(Stop::NotAllowed);
            }
            state.put(input.place.variable, slot, Found::Exactly(value));
        }
        Ok(())
    }

    /// What a step finds in a table, if that is what it draws.
    fn looked(&self, state: &State, input: &Input) -> Result<Option<Found>, Stop> {
        let InputSource::Looked(table, index) = &input.source else { return Ok(None) };
        Ok(Some(match self.found(state, index)? {
            Found::Exactly(index) => Found::Exactly(table.at(&index)),
            Found::Within(indices) => Found::within(table.within(&indices)),
        }))
    }

    /// Whether an input only keeps runs from beginning here: a call passes what somebody has, and there is one value to
    /// draw.
    fn is_passed(&self, state: &State, input: &Input) -> bool {
        let frame = state.frames.last().expect("a state has a frame");
        state.frames.len() > 1
            && matches!(input.source, InputSource::Unknown)
            && self.program.function(frame.function).graph[frame.location].what == StepKind::Begin
            && matches!(self.program.place_type(frame.function, &input.place), Type::Below(1))
    }

    fn bounds(
        &self,
        state: &State,
        input: &Input,
        scalar: &Type,
    ) -> Result<(Option<Int>, Option<Int>), Stop> {
        let range = scalar.range();
        let (mut low, mut high) = (range.low().finite().cloned(), range.high().finite().cloned());
        if let InputSource::Range(from, to) = &input.source {
            let (from, to) = (self.exactly(state, from)?, self.exactly(state, to)?);
            low = Some(low.map_or(from.clone(), |low| low.max(from)));
            high = Some(high.map_or(to.clone(), |high| high.min(to)));
        }
        Ok((low, high))
    }

    pub fn eval(&self, state: &State, expr: &Expr) -> Int {
        self.try_eval(state, expr).expect("an expression is defined where its guard holds")
    }

    /// `None` where it is undefined, or where nobody knows what it reads.
    pub fn try_eval(&self, state: &State, expr: &Expr) -> Option<Int> {
        let mut defined = true;
        let value = arithmetic::eval(expr, &mut |place: &Place| {
            self.read(state, place).unwrap_or_else(|| {
                defined = false;
                Int::ZERO
            })
        });
        value.filter(|_| defined)
    }

    pub fn holds(&self, state: &State, cond: &Cond) -> bool {
        arithmetic::holds(cond, &mut |place: &Place| {
            self.read(state, place).expect("a guard reads in bounds")
        })
        .expect("a guard is defined where it is evaluated")
    }

    /// The value in a place of the innermost frame or of the globals; `None` where nobody knows it.
    pub fn read(&self, state: &State, place: &Place) -> Option<Int> {
        let slot = self.try_slot(state, place)?;
        let frame = state.frames.last().expect("a state has a frame");
        let (values, bounded) = match place.variable {
            VariableId::Global(_) => (&state.globals, &state.bounded),
            VariableId::Local(_) => (&frame.locals, &frame.bounded),
        };
        (!bounded.contains(slot)).then(|| values[slot as usize].clone())
    }

    /// Where a place is; `None` where nobody knows what its indices read.
    pub fn try_slot(&self, state: &State, place: &Place) -> Option<u32> {
        let function = state.frames.last().expect("a state has a frame").function;
        if place.path.is_empty() {
            return Some(self.layout.first_slot(function, place.variable));
        }
        self.layout.slot(self.program, function, place, |index| self.try_eval(state, index))
    }

    fn write(&self, state: &mut State, place: &Place, value: Found) -> Result<(), Stop> {
        let slot = self.slot(state, place)?;
        state.put(place.variable, slot, value);
        Ok(())
    }
}

/// What stood where a step draws something.
type Overwritten = SmallVec<[(VariableId, u32, Found); 2]>;

/// Undoes what was drawn.
fn restore(state: &mut State, before: Option<Overwritten>) {
    for (variable, slot, found) in before.into_iter().flatten().rev() {
        state.put(variable, slot, found);
    }
}

/// Whether a step from here may leave the state as it was before it drew something.
fn may_undo(function: &Function, location: LocationId) -> bool {
    let inputs = &function.graph[location].inputs;
    inputs.iter().any(|input| matches!(input.source, InputSource::Range(..)))
        || function
            .graph
            .edges(location)
            .any(|edge| matches!(edge.weight().effect, Effect::Fail(_) | Effect::Discard))
}

/// Of the ways from where a function begins: whether this one is for values that nobody can have or make.
fn is_for_beginnings(function: &Function, edge: EdgeReference<'_, Arc<Edge>, u32>) -> bool {
    let target = &function.graph[edge.target()];
    let stops = target.what == StepKind::Begin && !target.inputs.is_empty();
    matches!(edge.weight().effect, Effect::Discard) || stops
}
