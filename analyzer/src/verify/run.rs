//! Runs: replayed by the concrete interpreter, and what they decide of a formula.

use std::collections::VecDeque;

use kleene_domains::Int;

use super::question::Question;
use super::shape::{Claim, Mode, Shape};
use super::{Checked, wrong};
use crate::concrete::{Choice, Interpreter, State, Status};
use crate::evidence::certificate::{Run, Start};
use crate::ir::VariableId;
use crate::property::evaluate;

/// The initial state with these values, if the program can start in it.
pub fn initial(question: &Question, interpreter: &Interpreter<'_>, start: &Start) -> Checked<State> {
    let program = interpreter.program;
    let layout = &interpreter.layout;
    let frame = layout.frame(program.entry) as usize;
    if start.globals.len() != layout.global_slots as usize || start.locals.len() != frame {
        return wrong("the initial state has other variables than the program");
    }
    let values = |numbers: &[crate::evidence::certificate::Number]| -> Vec<Int> {
        numbers.iter().map(|number| number.0.clone()).collect()
    };
    let (globals, locals) = (values(&start.globals), values(&start.locals));
    let variables = (0..program.globals.len() as u32).map(VariableId::Global);
    let own = (0..program.entry_function().locals.len() as u32).map(VariableId::Local);
    for variable in variables.chain(own) {
        let first = layout.first_slot(program.entry, variable) as usize;
        let held = match variable {
            VariableId::Global(_) => &globals,
            VariableId::Local(_) => &locals,
        };
        let scalars = program.variable(program.entry, variable).ty.scalars();
        let fits = scalars.iter().enumerate().all(|(at, ty)| ty.range().contains(&held[first + at]));
        if !fits {
            let name = &program.variable(program.entry, variable).name;
            return wrong(format!("`{name}` starts with a value its type does not have"));
        }
    }
    let wanted = globals.clone();
    let chosen = |choice: &Choice<'_>| Some(choice.nearest(&wanted[choice.slot as usize]));
    let state = interpreter.initial(globals.clone(), locals.clone(), &mut { chosen });
    let Ok(state) = state else { return wrong("the program cannot start in the initial state") };
    if state.globals != globals.into() || state.frames[0].locals != locals.into() {
        return wrong("the program's initialisers give another initial state");
    }
    match &question.assume {
        Some(assume) if evaluate::holds(interpreter, &state, assume) != Some(true) => {
            wrong("the initial state does not keep the assumption")
        }
        _ => Ok(state),
    }
}

/// All states of a run.
pub fn replay(question: &Question, interpreter: &Interpreter<'_>, run: &Run) -> Checked<Vec<State>> {
    let mut states = vec![initial(question, interpreter, &run.start)?];
    for (at, inputs) in run.inputs.iter().enumerate() {
        let mut values: VecDeque<Int> = inputs.iter().map(|number| number.0.clone()).collect();
        let state = &states[at];
        let Ok(next) = interpreter.step(state, &mut |_| values.pop_front()) else {
            return wrong(format!("step {at} of the run is not possible with the values drawn"));
        };
        if !values.is_empty() {
            return wrong(format!("step {at} of the run draws fewer values than are given"));
        }
        states.push(next);
    }
    match run.cycle {
        Some(start) if start >= run.inputs.len() || states[start] != states[run.inputs.len()] => {
            wrong("the run does not close its cycle")
        }
        _ => Ok(states),
    }
}

/// A run as a graph of its own: each state with the step it takes.
pub struct Path<'r, 'p> {
    pub question: &'r Question,
    pub interpreter: &'r Interpreter<'p>,
    pub states: &'r [State],
    pub cycle: Option<usize>,
}

impl Path<'_, '_> {
    fn next(&self, at: usize) -> Option<usize> {
        let last = self.states.len() - 1;
        match self.cycle {
            _ if at < last => Some(at + 1),
            Some(start) => Some(start + 1),
            None if self.states[at].status != Status::Running => Some(at),
            None => None,
        }
    }

    /// Whether the step is the only one the state has.
    fn is_forced(&self, at: usize) -> bool {
        let state = &self.states[at];
        let Some(frame) = state.frames.last() else { return false };
        let location = &self.interpreter.program.function(frame.function).graph[frame.location];
        state.status != Status::Running || (location.inputs.is_empty() && !location.overlapping)
    }

    /// Whether the run shows that a claim holds in its first state. `known` says what is known of its last.
    pub fn shows(&self, claim: Claim, known: &dyn Fn(Claim) -> bool) -> bool {
        let mut held: Vec<[Vec<bool>; 2]> = Vec::new();
        for node in 0..self.question.nodes.len() {
            let both = [false, true].map(|value| {
                if self.question.nodes.first(node) == node {
                    self.holds(Claim { node, value }, &held, known)
                } else {
                    Vec::new()
                }
            });
            held.push(both);
        }
        held[claim.node][usize::from(claim.value)][0]
    }

    /// Some run from its first state is never discarded.
    pub fn keeps_assumptions(&self, known: &dyn Fn(Claim) -> bool) -> Checked<()> {
        match self.question.live {
            Some(live) if !self.shows(Claim { node: live, value: true }, known) => {
                wrong("the run does not show that the assumptions are kept")
            }
            _ => Ok(()),
        }
    }

    /// The states of the run in which a claim is shown.
    fn holds(&self, claim: Claim, held: &[[Vec<bool>; 2]], known: &dyn Fn(Claim) -> bool) -> Vec<bool> {
        let last = self.states.len() - 1;
        let below = |claim: &Claim, at: usize| held[claim.node][usize::from(claim.value)][at];
        let steps = |mode: Mode, at: usize| match mode {
            Mode::Some => self.next(at),
            Mode::All => self.next(at).filter(|_| self.is_forced(at)),
        };
        let all = |claims: &[Claim], at: usize| claims.iter().all(|claim| below(claim, at));
        let mut found = vec![false; self.states.len()];
        match self.question.nodes.shape(claim) {
            Shape::Literal(value) => found.fill(value),
            Shape::Atom(atom) => {
                let predicate = self.question.predicates.get(atom);
                for (found, state) in found.iter_mut().zip(self.states) {
                    *found = evaluate::holds(self.interpreter, state, predicate) == Some(claim.value);
                }
            }
            Shape::Choice(lists) => {
                for (at, found) in found.iter_mut().enumerate() {
                    *found = lists.iter().any(|list| all(list, at));
                }
            }
            Shape::Step(mode, next) => {
                for (at, found) in found.iter_mut().enumerate() {
                    *found = steps(mode, at).is_some_and(|to| below(&next, to));
                }
            }
            Shape::Least { mode, path, goal } => {
                let walks = |at: usize| path.is_none_or(|path| below(&path, at));
                let start = |at: usize| all(&goal, at) || (at == last && known(claim));
                let keeps = |at: usize, found: &[bool]| {
                    start(at) || (walks(at) && steps(mode, at).is_some_and(|to| found[to]))
                };
                self.sweep(&mut found, keeps);
            }
            Shape::Greatest { mode, keep, exit } => {
                found.fill(true);
                let leaves = |at: usize| exit.as_ref().is_some_and(|exit| all(exit, at));
                let ends = |at: usize| leaves(at) || (at == last && known(claim));
                let keeps = |at: usize, found: &[bool]| {
                    ends(at) || (below(&keep, at) && steps(mode, at).is_some_and(|to| found[to]))
                };
                self.sweep(&mut found, keeps);
            }
        }
        found[last] |= known(claim);
        found
    }

    /// From the end to the start until nothing changes: twice round a cycle.
    fn sweep(&self, found: &mut [bool], keeps: impl Fn(usize, &[bool]) -> bool) {
        loop {
            let mut changed = false;
            for at in (0..found.len()).rev() {
                let now = keeps(at, found);
                changed |= now != found[at];
                found[at] = now;
            }
            if !changed {
                return;
            }
        }
    }
}
