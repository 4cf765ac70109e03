//! The explicit state graph of a program: every initial state, every step, whole states as nodes.
//!
//! Where the graph is larger than the limit, the states that were seen but not expanded are marked
//! *open*: they have successors nobody knows. The checker stays right on such graphs by answering
//! "unknown" where an open state matters, which lets programs with unbounded counters take part.

use rustc_hash::FxHashMap;

use crate::compile::{Compiled, Instruction, Point, compile};
use crate::evaluate::{Cells, LARGEST, Stop, lists, offset, truths, values};
use crate::program::{Expr, Initial, Program};

/// A call stack deeper than this is outside what the reference explores.
const DEEPEST: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub point: Point,
    pub globals: Vec<i32>,
    /// Innermost last. Empty at the end and in failed and discarded states, where no formula sees them.
    pub frames: Vec<Frame>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The call instruction that made it; none for `main`.
    pub call: Option<u32>,
    /// Zero before the declaration: no program reads it and no formula names it.
    pub locals: Vec<i32>,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub states: usize,
    pub initial: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 60_000, initial: 4_000 }
    }
}

#[derive(Debug)]
pub struct Exploration {
    pub compiled: Compiled,
    pub states: Vec<State>,
    pub initial: Vec<u32>,
    pub successors: Vec<Vec<u32>>,
    /// States whose successors are not (all) known.
    pub open: Vec<bool>,
}

impl Exploration {
    pub fn is_complete(&self) -> bool {
        !self.open.contains(&true)
    }
}

/// Why there is no graph at all.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not a program; only the reducer makes such.
    Invalid(String),
    /// More initial states than the limit.
    TooBig,
}

pub fn explore(program: &Program, limits: Limits) -> Result<Exploration, Refusal> {
    let compiled = compile(program).map_err(Refusal::Invalid)?;
    let roots = initial_states(program, &compiled, limits)?;
    let mut numbers: FxHashMap<State, u32> = FxHashMap::default();
    let mut states = Vec::new();
    let mut number = |state: State, states: &mut Vec<State>| -> u32 {
        *numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() as u32 - 1
        })
    };
    let initial: Vec<u32> = roots.into_iter().map(|state| number(state, &mut states)).collect();
    let (mut successors, mut open) = (Vec::new(), Vec::new());
    while successors.len() < states.len() {
        let state = states[successors.len()].clone();
        let mut targets = Vec::new();
        let mut known = states.len() <= limits.states;
        if known {
            compiled.step(&state, &mut |target| match target {
                Some(target) => targets.push(number(target, &mut states)),
                None => known = false,
            });
        }
        targets.sort_unstable();
        targets.dedup();
        successors.push(targets);
        open.push(!known);
    }
    Ok(Exploration { compiled, states, initial, successors, open })
}

fn initial_states(program: &Program, compiled: &Compiled, limits: Limits) -> Result<Vec<State>, Refusal> {
    let mut found: Vec<Vec<i32>> = vec![Vec::new()];
    for global in &program.globals {
        let mut longer = Vec::new();
        for prefix in &found {
            let mut with = |value: i64| {
                let mut cells = prefix.clone();
                cells.push(value as i32);
                longer.push(cells);
            };
            match &global.initial {
                Initial::Value(value) => each_initial(compiled, value, prefix, &mut with)?,
                Initial::Free(low, high) => (*low..=*high).for_each(with),
                Initial::Any(reach) => (-reach..=*reach).for_each(with),
                Initial::Flag(value) => with(i64::from(*value)),
                Initial::FreeFlag => (0..=1).for_each(with),
                Initial::Elements(values) => {
                    let mut cells = prefix.clone();
                    cells.extend(values.iter().map(|value| *value as i32));
                    longer.push(cells);
                }
            }
            if longer.len() > limits.initial {
                return Err(Refusal::TooBig);
            }
        }
        found = longer;
    }
    if let Some(assume) = &program.assume {
        let assume = compiled.global_cond(assume).map_err(Refusal::Invalid)?;
        let mut total = true;
        found.retain(|globals| {
            let mut keep = false;
            truths(&assume, Cells { globals, locals: &[] }, &mut |value| match value {
                Ok(value) => keep = value,
                Err(_) => total = false,
            });
            keep
        });
        if !total {
            return Err(Refusal::Invalid("the assumption is undefined in an initial state".into()));
        }
    }
    let main = &compiled.functions[compiled.main];
    let point = main.entry.expect("main is compiled");
    let state = |globals: Vec<i32>| {
        let frames = match point {
            Point::At(_) => vec![Frame { call: None, locals: vec![0; main.cells] }],
            _ => Vec::new(),
        };
        State { point, globals, frames }
    };
    Ok(found.into_iter().map(state).collect())
}

fn each_initial(
    compiled: &Compiled,
    value: &Expr,
    prefix: &[i32],
    with: &mut dyn FnMut(i64),
) -> Result<(), Refusal> {
    let value = compiled.global_expr(value).map_err(Refusal::Invalid)?;
    let mut total = true;
    values(&value, Cells { globals: prefix, locals: &[] }, &mut |value| match value {
        Ok(value) if value.abs() <= LARGEST => with(value),
        _ => total = false,
    });
    if total { Ok(()) } else { Err(Refusal::Invalid("an initialiser without a value".into())) }
}

impl Compiled {
    /// Every successor of a state; `None` stands for one beyond the limits.
    pub fn step(&self, state: &State, found: &mut dyn FnMut(Option<State>)) {
        let Point::At(here) = state.point else { return found(Some(state.clone())) };
        let frame = state.frames.last().expect("control is in a frame");
        let cells = Cells { globals: &state.globals, locals: &frame.locals };
        match &self.instructions[here as usize] {
            Instruction::Set { target, index, value, next } => {
                let places: Vec<Expr<_>> = index.iter().chain([value]).cloned().collect();
                lists(&places, cells, &mut |list| {
                    let written = list.and_then(|list| match list[..] {
                        [index, value] => Ok((offset(*target, index)?, value)),
                        [value] => Ok((0, value)),
                        _ => unreachable!("an index at most and a value"),
                    });
                    found(match written {
                        Ok((offset, value)) => state.with(*target, offset, value).map(|made| made.go(*next)),
                        Err(stop) => state.stopped(stop),
                    });
                });
            }
            Instruction::SetFlag { target, value, next } => truths(value, cells, &mut |value| {
                found(match value {
                    Ok(value) => state.with(*target, 0, i64::from(value)).map(|made| made.go(*next)),
                    Err(stop) => state.stopped(stop),
                });
            }),
            Instruction::Branch { test, yes, no } => truths(test, cells, &mut |test| {
                found(match test {
                    Ok(test) => Some(state.clone().go(if test { *yes } else { *no })),
                    Err(stop) => state.stopped(stop),
                });
            }),
            Instruction::Call { function, arguments, .. } => lists(arguments, cells, &mut |list| {
                found(match list {
                    Ok(list) => self.entered(state, here, *function, &list),
                    Err(stop) => state.stopped(stop),
                });
            }),
            Instruction::Return(None) => found(self.left(state, None)),
            Instruction::Return(Some(value)) => values(value, cells, &mut |value| {
                found(match value {
                    Ok(value) => self.left(state, Some(value)),
                    Err(stop) => state.stopped(stop),
                });
            }),
            Instruction::Skip { value: None, next, .. } => found(Some(state.clone().go(*next))),
            Instruction::Skip { value: Some(value), next, .. } => values(value, cells, &mut |value| {
                found(match value {
                    Ok(_) => Some(state.clone().go(*next)),
                    Err(stop) => state.stopped(stop),
                });
            }),
        }
    }

    fn entered(&self, state: &State, call: u32, function: usize, arguments: &[i64]) -> Option<State> {
        let callee = &self.functions[function];
        let small = arguments.iter().all(|argument| argument.abs() <= LARGEST);
        if !small || state.frames.len() >= DEEPEST {
            return None;
        }
        let mut locals: Vec<i32> = arguments.iter().map(|argument| *argument as i32).collect();
        locals.resize(callee.cells, 0);
        let mut made = state.clone();
        made.frames.push(Frame { call: Some(call), locals });
        Some(made.go(callee.entry?))
    }

    fn left(&self, state: &State, value: Option<i64>) -> Option<State> {
        let mut made = state.clone();
        let frame = made.frames.pop().expect("control is in a frame");
        let Some(call) = frame.call else { return Some(made.go(Point::End)) };
        let Instruction::Call { result, next, .. } = &self.instructions[call as usize] else {
            unreachable!("a frame is made by a call")
        };
        if let (Some(result), Some(value)) = (result, value) {
            made = made.with(*result, 0, value)?;
        }
        Some(made.go(*next))
    }
}

impl State {
    fn go(mut self, point: Point) -> State {
        self.point = point;
        if !matches!(point, Point::At(_)) {
            self.frames.clear();
        }
        self
    }

    fn with(&self, slot: crate::compile::Slot, offset: usize, value: i64) -> Option<State> {
        if value.abs() > LARGEST {
            return None;
        }
        let mut made = self.clone();
        let cells = match slot.local {
            true => &mut made.frames.last_mut().expect("control is in a frame").locals,
            false => &mut made.globals,
        };
        cells[slot.base + offset] = value as i32;
        Some(made)
    }

    /// A failing command changes nothing else.
    fn stopped(&self, stop: Stop) -> Option<State> {
        match stop {
            Stop::Fail(kind) => Some(self.clone().go(Point::Fail(kind))),
            Stop::TooBig => None,
        }
    }
}
