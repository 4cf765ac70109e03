//! The interpreter for runs nobody keeps: locations are compiled when a run first comes there, places are addresses in one
//! row of numbers, and a step changes that row in place.
//!
//! It means what `Interpreter::advance` means. The order of what is done is the same, line by line; code answers by the
//! rules of `kleene_domains::concrete` or not at all, and where it does not, the expression itself is evaluated, first on
//! exact values, then by bounds. Nothing that is shown rests on it: a run that shows something is followed again by the
//! plain interpreter. `tests/compiled.rs` compares the two, step by step.

mod build;
mod cells;
mod code;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use kleene_domains::concrete as arithmetic;
use kleene_domains::{Int, bounded};
use petgraph::graph::EdgeIndex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use self::build::{Action, At, Builder, Draw, Initial, Move, Moves, Step, Target, Value};
use self::cells::{Cell, Memory, NOTHING};
use self::code::{Address, Test};
use super::unseen::{Bounded, Found};
use super::{Choice, Frame, Interpreter, State, Status, Stop, Unseen, Values};
use crate::ir::{Cond, Edge, Effect, Expr, FailKind, FunctionId, InputSource, LocationId, Place, VariableId};

/// A program whose locations are compiled one by one.
#[derive(Debug)]
pub struct Compiled<'r, 'p> {
    interpreter: &'r Interpreter<'p>,
    /// The number of the first location of each function, and of all locations.
    first: Rc<[usize]>,
    steps: Vec<OnceCell<Box<Step<'p>>>>,
    initial: OnceCell<Vec<Initial<'p>>>,
    /// What the last run left behind.
    spare: RefCell<Room>,
}

impl<'r, 'p> Compiled<'r, 'p> {
    pub fn new(interpreter: &'r Interpreter<'p>) -> Self {
        let mut first = Vec::with_capacity(interpreter.program.functions.len());
        let mut locations = 0;
        for function in &interpreter.program.functions {
            first.push(locations);
            locations += function.graph.node_count();
        }
        let mut steps = Vec::new();
        steps.resize_with(locations, OnceCell::new);
        Self { interpreter, first: first.into(), steps, initial: OnceCell::new(), spare: RefCell::default() }
    }

    pub fn first_locations(&self) -> &Rc<[usize]> {
        &self.first
    }

    pub fn locations(&self) -> usize {
        self.steps.len()
    }

    /// The number of a location among those of all functions.
    #[inline]
    pub fn number(&self, function: FunctionId, location: LocationId) -> usize {
        self.first[function.0 as usize] + location.index()
    }

    fn step(&self, function: FunctionId, location: LocationId) -> &Step<'p> {
        let Interpreter { program, layout, .. } = self.interpreter;
        self.steps[self.number(function, location)]
            .get_or_init(|| Box::new(Builder { program, layout, function }.step(location)))
    }
}

/// A call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Active {
    function: FunctionId,
    location: LocationId,
    pending: Option<EdgeIndex<u32>>,
    /// Where its frame begins.
    base: usize,
}

/// A state that changes in place.
#[derive(Debug)]
pub struct Machine<'c, 'r, 'p> {
    code: &'c Compiled<'r, 'p>,
    status: Status,
    room: Room,
}

/// The room that a run takes, and what it found out for others.
#[derive(Debug, Default)]
struct Room {
    memory: Memory,
    frames: Vec<Active>,
    /// What is stored together.
    stored: Vec<(usize, Cell)>,
    values: Known<Cell>,
    answers: Known<bool>,
}

/// What expressions and conditions are where they read these cells; `None` where bounds do not tell.
type Known<T> = FxHashMap<(usize, Read), Option<T>>;
type Read = SmallVec<[Cell; 4]>;

/// So much is remembered.
const MOST_KNOWN: usize = 4_096;
const MOST_BESIDE: usize = 4_096;

/// A state to compare with, of the same run.
#[derive(Debug, Default)]
pub struct Kept {
    frames: Vec<Active>,
    cells: Vec<Cell>,
}

/// What a step drew, as far as it may have to be put back.
#[derive(Debug, Default)]
pub struct Drawn(Option<Overwritten>);

/// What stood where a step draws something.
type Overwritten = SmallVec<[(usize, Cell); 4]>;

impl Drop for Machine<'_, '_, '_> {
    fn drop(&mut self) {
        self.code.spare.replace(std::mem::take(&mut self.room));
    }
}

impl<'c, 'r, 'p> Machine<'c, 'r, 'p> {
    /// The initial state that has these values where no initialiser sets others, globals first, as `Interpreter::initial`
    /// makes it.
    pub fn new(code: &'c Compiled<'r, 'p>, point: &[Int]) -> Result<Self, Stop> {
        let Interpreter { program, layout, .. } = code.interpreter;
        let mut room = code.spare.take();
        if room.memory.beside() > MOST_BESIDE {
            room = Room::default();
        }
        let mut machine = Self { code, status: Status::Running, room };
        let Room { memory, frames, .. } = &mut machine.room;
        memory.cells.clear();
        for value in point {
            let cell = memory.cell_of(value);
            memory.cells.push(cell);
        }
        let (function, base) = (program.entry, layout.global_slots as usize);
        frames.clear();
        let location = program.entry_function().entry;
        frames.push(Active { function, location, pending: None, base });
        let initial = code.initial.get_or_init(|| Builder { program, layout, function }.initial());
        for one in initial {
            match one {
                Initial::Assign(place, value) => {
                    let cell = machine.value(value)?;
                    let at = machine.at(place, base)?;
                    machine.room.memory.cells[at] = cell;
                }
                Initial::Draw(draw) => {
                    let own = &mut |choice: &Choice<'_>| Some(choice.nearest(&point[choice.slot as usize]));
                    machine.draw_one(draw, own, None)?;
                }
            }
        }
        machine.settle();
        Ok(machine)
    }

    /// The same state for whoever looks at it closely.
    pub fn state(&self) -> State {
        let ends =
            self.room.frames.iter().skip(1).map(|frame| frame.base).chain([self.room.memory.cells.len()]);
        let frames = self.room.frames.iter().zip(ends).map(|(active, end)| {
            let Active { function, location, pending, base } = *active;
            let (locals, bounded) = self.unloaded(&self.room.memory.cells[base..end]);
            Frame { function, location, pending, locals, bounded }
        });
        let (globals, bounded) = self.unloaded(&self.room.memory.cells[..self.room.frames[0].base]);
        State { globals, frames: frames.collect(), status: self.status, bounded }
    }

    fn unloaded(&self, cells: &[Cell]) -> (Values, Bounded) {
        let (mut values, mut bounded) = (Values::zeros(cells.len()), Bounded::default());
        for (slot, cell) in cells.iter().enumerate().filter(|(_, cell)| **cell != 0) {
            self.room.memory.found(*cell).put(slot as u32, &mut values, &mut bounded);
        }
        (values, bounded)
    }

    pub fn status(&self) -> Status {
        self.status
    }

    pub fn is_running(&self) -> bool {
        self.status == Status::Running
    }

    /// Where the next step is made.
    pub fn here(&self) -> (FunctionId, LocationId) {
        let frame = self.innermost();
        (frame.function, frame.location)
    }

    /// Where calls are under way, the first one first.
    pub fn places(&self) -> impl Iterator<Item = (FunctionId, LocationId)> {
        self.room.frames.iter().map(|frame| (frame.function, frame.location))
    }

    pub fn depth(&self) -> usize {
        self.room.frames.len()
    }

    pub fn keep(&self, kept: &mut Kept) {
        kept.frames.clone_from(&self.room.frames);
        kept.cells.clone_from(&self.room.memory.cells);
    }

    /// Whether this is that state, which is not the last of its run.
    pub fn is_at(&self, kept: &Kept) -> bool {
        self.is_running() && self.room.frames == kept.frames && self.room.memory.cells == kept.cells
    }

    #[inline]
    fn innermost(&self) -> &Active {
        self.room.frames.last().expect("a state has a frame")
    }

    /// One step, as `Interpreter::advance` makes it.
    pub fn advance(&mut self, choose: &mut dyn FnMut(&Choice<'_>) -> Option<Int>) -> Result<(), Stop> {
        let drawn = self.draw(choose)?;
        self.go(drawn)
    }

    /// The first half of a step: draws its inputs. A range without values ends the run.
    pub fn draw(&mut self, choose: &mut dyn FnMut(&Choice<'_>) -> Option<Int>) -> Result<Drawn, Stop> {
        let code = self.code;
        let (function, location) = self.here();
        let step = code.step(function, location);
        if self.status != Status::Running || step.draws.is_empty() {
            return Ok(Drawn::default());
        }
        let mut before = step.may_undo.then(Overwritten::new);
        for draw in &step.draws {
            if self.has_empty_range(draw)? {
                self.restore(before);
                self.status = Status::Failed(FailKind::EmptyRange);
                return Ok(Drawn::default());
            }
            self.draw_one(draw, choose, before.as_mut())?;
        }
        Ok(Drawn(before))
    }

    /// The second half: takes the way whose guard holds.
    pub fn go(&mut self, Drawn(before): Drawn) -> Result<(), Stop> {
        if self.status != Status::Running {
            return Ok(());
        }
        let code = self.code;
        let (function, location) = self.here();
        let step = code.step(function, location);
        if step.is_exit {
            return self.leave(None);
        }
        let begins = step.begins && self.room.frames.len() > 1;
        let mut ways = step.ways.iter();
        let way = loop {
            let way = ways.next().expect("guards of a location are exhaustive");
            match self.decided(&way.test, way.guard) {
                Ok(true) => break way,
                Ok(false) => {}
                Err(_) if begins && way.is_for_beginnings => {}
                Err(_) if begins => break way,
                Err(stop) => return Err(stop),
            }
        };
        match &way.action {
            Action::Assign(moves) => {
                let base = self.innermost().base;
                self.store(moves, base)?;
                self.room.frames.last_mut().expect("a state has a frame").location = way.target;
                self.settle();
            }
            Action::Call { function, frame, entry, arguments } => {
                let base = self.room.memory.cells.len();
                self.room.memory.cells.resize(base + frame, 0);
                self.store(arguments, base)?;
                self.room.frames.last_mut().expect("a state has a frame").pending = Some(way.edge);
                self.room.frames.push(Active { function: *function, location: *entry, pending: None, base });
            }
            Action::Return(value) => {
                let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                self.leave(value)?;
            }
            Action::Fail(kind) => {
                self.restore(before);
                self.status = Status::Failed(*kind);
            }
            Action::Discard => {
                self.restore(before);
                self.status = Status::Discarded;
            }
            Action::Stop => self.status = Status::Ended,
        }
        Ok(())
    }

    fn restore(&mut self, before: Option<Overwritten>) {
        for (at, cell) in before.into_iter().flatten().rev() {
            self.room.memory.cells[at] = cell;
        }
    }

    /// All values are computed before any is stored; what is stored goes to a frame that begins there, or to globals.
    fn store(&mut self, moves: &Moves<'p>, into: usize) -> Result<(), Stop> {
        let base = self.innermost().base;
        if moves.in_order {
            for one in &moves.list {
                match one {
                    Move::Copy { from, to, count } => {
                        let (from, to) = (from.of(base), to.of(into));
                        self.room.memory.cells.copy_within(from..from + *count as usize, to);
                    }
                    Move::Store { to, value } => {
                        let to = self.at(to, into)?;
                        self.room.memory.cells[to] = self.value(value)?;
                    }
                }
            }
            return Ok(());
        }
        let mut stored = std::mem::take(&mut self.room.stored);
        stored.clear();
        for one in &moves.list {
            match one {
                Move::Copy { from, to, count } => {
                    let (from, to) = (from.of(base), to.of(into));
                    stored
                        .extend((0..*count as usize).map(|at| (to + at, self.room.memory.cells[from + at])));
                }
                Move::Store { to, value } => stored.push((self.at(to, into)?, self.value(value)?)),
            }
        }
        for (at, cell) in &stored {
            self.room.memory.cells[*at] = *cell;
        }
        self.room.stored = stored;
        Ok(())
    }

    fn leave(&mut self, value: Option<Cell>) -> Result<(), Stop> {
        let program = self.code.interpreter.program;
        if let [frame] = self.room.frames.as_mut_slice() {
            frame.location = program.function(frame.function).exit;
            self.status = Status::Ended;
            return Ok(());
        }
        let left = self.room.frames.pop().expect("a state has a frame");
        self.room.memory.cells.truncate(left.base);
        let caller = self.room.frames.last_mut().expect("a caller");
        let function = program.function(caller.function);
        let edge = caller.pending.take().expect("a pending call");
        caller.location = function.graph.edge_endpoints(edge).expect("the call's edge").1;
        if let (Effect::Call { result: Some(place), .. }, Some(value)) = (&function.graph[edge].effect, value)
        {
            let at = self.found_slot(place)?;
            self.room.memory.cells[at] = value;
        }
        self.settle();
        Ok(())
    }

    fn settle(&mut self) {
        if let [frame] = self.room.frames.as_slice()
            && frame.location == self.code.interpreter.program.function(frame.function).exit
        {
            self.status = Status::Ended;
        }
    }

    fn has_empty_range(&mut self, draw: &Draw<'p>) -> Result<bool, Stop> {
        match (&draw.input.source, draw.of.as_slice()) {
            (InputSource::Range(..), [low, high]) => Ok(self.exactly(low)? > self.exactly(high)?),
            _ => Ok(false),
        }
    }

    fn draw_one(
        &mut self,
        draw: &Draw<'p>,
        choose: &mut dyn FnMut(&Choice<'_>) -> Option<Int>,
        mut before: Option<&mut Overwritten>,
    ) -> Result<(), Stop> {
        let base = self.innermost().base;
        let mut put = |memory: &mut Memory, at: usize, cell: Cell| {
            let cells = &mut memory.cells;
            if let Some(before) = &mut before {
                before.push((at, cells[at]));
            }
            cells[at] = cell;
        };
        if draw.is_passed && self.room.frames.len() > 1 {
            let at = self.at(&draw.to, base)?;
            put(&mut self.room.memory, at, 0);
            return Ok(());
        }
        let source = &draw.input.source;
        if let InputSource::Looked(table, _) = source {
            let index = self.value(&draw.of[0])?;
            let found = match self.room.memory.found(index) {
                Found::Exactly(index) => Found::Exactly(table.at(&index)),
                Found::Within(indices) => Found::within(table.within(&indices)),
            };
            let at = self.at(&draw.to, base)?;
            self.room.memory.cells[at] = self.room.memory.cell_of_found(found);
            return Ok(());
        }
        let unseen = matches!(source, InputSource::Unseen);
        if source.is_given() && !(unseen && self.code.interpreter.unseen == Unseen::Bounded) {
            return Err(Stop::Unknown);
        }
        let first = self.at(&draw.to, base)?;
        let is_global = matches!(draw.input.place.variable, VariableId::Global(_));
        for (offset, scalar) in draw.scalars.iter().enumerate() {
            let at = first + offset;
            if unseen {
                let cell = self.room.memory.cell_of_found(Found::within(scalar.ty.any_value()));
                put(&mut self.room.memory, at, cell);
                continue;
            }
            let (mut low, mut high) = (scalar.low.clone(), scalar.high.clone());
            if let [from, to] = draw.of.as_slice() {
                let (from, to) = (self.exactly(from)?, self.exactly(to)?);
                low = Some(low.map_or(from.clone(), |low| low.max(from)));
                high = Some(high.map_or(to.clone(), |high| high.min(to)));
            }
            let slot = if is_global { at } else { at - base } as u32;
            let choice = Choice { input: draw.input, slot, low, high };
            let value = choose(&choice).ok_or(Stop::NoChoice)?;
            let Choice { low, high, .. } = choice;
            if low.is_some_and(|low| value < low) || high.is_some_and(|high| value > high) {
                return Err(Stop::NotAllowed);
            }
            let cell = self.room.memory.cell_of(&value);
            put(&mut self.room.memory, at, cell);
        }
        Ok(())
    }

    /// The cell that a target is at.
    fn at(&self, target: &Target<'p>, base: usize) -> Result<usize, Stop> {
        let found = match &target.at {
            At::Slot(address) => return Ok(address.of(base)),
            At::Element(indexed) => indexed.at(&self.room.memory.cells, base),
            At::Place => None,
        };
        found.map_or_else(|| self.found_slot(target.place.expect("only places have indices")), Ok)
    }

    fn found_slot(&self, place: &Place) -> Result<usize, Stop> {
        self.cell_at(place).ok_or(Stop::Unseen)
    }

    /// The slot of a place of the innermost frame or of the globals; `None` where nobody knows which.
    pub fn slot(&self, place: &Place) -> Option<u32> {
        let Interpreter { program, layout, .. } = self.code.interpreter;
        layout.slot(program, self.innermost().function, place, |index| self.evaluated(index))
    }

    fn cell_at(&self, place: &Place) -> Option<usize> {
        let slot = self.slot(place)?;
        let address = match place.variable {
            VariableId::Global(_) => Address::Global(slot),
            VariableId::Local(_) => Address::Local(slot),
        };
        Some(address.of(self.innermost().base))
    }

    /// The value in a place; `None` where nobody knows it.
    pub fn read(&self, place: &Place) -> Option<Int> {
        self.room.memory.exactly(self.room.memory.cells[self.cell_at(place)?])
    }

    /// Whether the guard of a way from here holds, counted as the graph counts them; `None` where nobody knows.
    pub fn holds(&self, way: usize) -> Option<bool> {
        let (function, location) = self.here();
        let way = &self.code.step(function, location).ways[way];
        way.test.holds(&self.room.memory.cells, self.innermost().base).or_else(|| self.known(way.guard))
    }

    /// The call that the innermost one returns to.
    pub fn pending_call(&self) -> Option<&'p Edge> {
        let caller = self.room.frames.iter().rev().nth(1)?;
        Some(&self.code.interpreter.program.function(caller.function).graph[caller.pending?])
    }

    fn value(&mut self, value: &Value<'p>) -> Result<Cell, Stop> {
        let cell = value.code.value(&self.room.memory.cells, self.innermost().base);
        if cell != NOTHING {
            return Ok(cell);
        }
        let mut read = Read::new();
        value.source.for_each_variable(&mut |place| read.push(self.cell(place)));
        let key = (std::ptr::from_ref(value.source).addr(), read);
        if let Some(known) = self.room.values.get(&key) {
            return known.ok_or(Stop::Unseen);
        }
        let found = match self.evaluated(value.source) {
            Some(value) => Some(Found::Exactly(value)),
            None => {
                let value = bounded::value(value.source, &mut |place: &Place| Some(self.within(place)));
                value.map(Found::within)
            }
        };
        let cell = found.map(|found| self.room.memory.cell_of_found(found));
        remember(&mut self.room.values, key, cell);
        cell.ok_or(Stop::Unseen)
    }

    fn exactly(&mut self, value: &Value<'p>) -> Result<Int, Stop> {
        let cell = self.value(value)?;
        self.room.memory.exactly(cell).ok_or(Stop::Unseen)
    }

    fn decided(&mut self, test: &Test, guard: &Cond) -> Result<bool, Stop> {
        if let Some(answer) = test.holds(&self.room.memory.cells, self.innermost().base) {
            return Ok(answer);
        }
        let mut read = Read::new();
        guard.for_each_variable(&mut |place| read.push(self.cell(place)));
        let key = (std::ptr::from_ref(guard).addr(), read);
        if let Some(known) = self.room.answers.get(&key) {
            return known.ok_or(Stop::Unseen);
        }
        let bounds = || bounded::decide(guard, &mut |place: &Place| Some(self.within(place)));
        let answer = self.known(guard).or_else(bounds);
        remember(&mut self.room.answers, key, answer);
        answer.ok_or(Stop::Unseen)
    }

    /// The truth of a condition on exact values; `None` where it is undefined, or where nobody knows what it reads.
    fn known(&self, cond: &Cond) -> Option<bool> {
        let mut known = true;
        let answer = arithmetic::holds(cond, &mut |place: &Place| self.read_if(place, &mut known));
        answer.filter(|_| known)
    }

    /// What stands in a place; nothing where nobody knows which.
    fn cell(&self, place: &Place) -> Cell {
        self.cell_at(place).map_or(NOTHING, |at| self.room.memory.cells[at])
    }

    /// The value of an expression; `None` where it is undefined, or where nobody knows what it reads.
    pub fn evaluated(&self, expr: &Expr) -> Option<Int> {
        let mut known = true;
        let value = arithmetic::eval(expr, &mut |place: &Place| self.read_if(place, &mut known));
        value.filter(|_| known)
    }

    fn read_if(&self, place: &Place, known: &mut bool) -> Int {
        let value = self.read(place);
        *known &= value.is_some();
        value.unwrap_or(Int::ZERO)
    }

    fn within(&self, place: &Place) -> kleene_domains::Value {
        match self.cell_at(place) {
            Some(at) => self.room.memory.within(self.room.memory.cells[at]),
            None => self.code.interpreter.program.place_type(self.innermost().function, place).any_value(),
        }
    }
}

fn remember<T>(known: &mut Known<T>, key: (usize, Read), value: Option<T>) {
    if known.len() >= MOST_KNOWN {
        known.clear();
    }
    known.insert(key, value);
}
