//! A concrete run in the words of the source: replayed from its inputs alone before anybody sees it.

use kleene_domains::Int;

use super::shown;
pub use super::shown::Parts;
use crate::concrete::{Choice, Interpreter, State, Status};
use crate::evidence::{Run, RunStep, Start};
use crate::ir::{FunctionId, Variable, VariableId, VariableKind};

/// Steps of a run that are kept for showing, at its start and at its end.
const SHOWN_STEPS: usize = 400;

/// All states of a run with the inputs drawn between them.
pub struct Trail<'t, 'p> {
    pub interpreter: &'t Interpreter<'p>,
    pub states: &'t [State],
    pub drawn: &'t [Vec<Int>],
    /// Where the last state is seen first, if the run comes back to it.
    pub cycle: Option<usize>,
}

impl Trail<'_, '_> {
    /// `None` if it does not replay. Steps that `shown` refuses are left out.
    pub fn run(&self, conclusion: String, shown: &dyn Fn(usize) -> bool) -> Option<Run> {
        let parts = &mut Parts::new(self.interpreter);
        self.replays().then(|| self.replayed(self.start(), conclusion, shown, parts))
    }

    /// All that is known of the first state.
    pub fn start(&self) -> Start {
        Start {
            initial: named_values(self.interpreter, &self.states[0], 0).into(),
            shown: shown::initial(self.interpreter, &self.states[0]).into(),
        }
    }

    /// The run, or the beginning of one, that is known to replay.
    pub fn replayed(
        &self,
        start: Start,
        conclusion: String,
        shown: &dyn Fn(usize) -> bool,
        parts: &mut Parts<'_>,
    ) -> Run {
        let length = self.drawn.len();
        let steps = (0..length).filter(|at| shown(*at));
        let steps =
            steps.filter(|at| length <= 2 * SHOWN_STEPS || *at < SHOWN_STEPS || *at + SHOWN_STEPS >= length);
        Run {
            start,
            steps: steps.map(|at| self.shown_step(at, parts)).collect(),
            cycle: self.cycle,
            length,
            conclusion,
            calls: Vec::new(),
        }
    }

    pub fn replays(&self) -> bool {
        self.replays_between(0, self.drawn.len()) && self.comes_back()
    }

    /// Whether its last state is the one that it says it comes back to, if it does.
    pub fn comes_back(&self) -> bool {
        self.cycle.is_none_or(|start| Some(&self.states[start]) == self.states.last())
    }

    /// Whether these of its steps do.
    pub fn replays_between(&self, from: usize, to: usize) -> bool {
        let mut state = self.states[from].clone();
        for (inputs, after) in self.drawn[from..to].iter().zip(&self.states[from + 1..]) {
            let mut chosen = inputs.iter().cloned();
            let moved = self.interpreter.advance(&mut state, &mut |_| chosen.next());
            if moved.is_err() || state != *after {
                return false;
            }
            // Equal, and what they share need not be compared again.
            state.clone_from(after);
        }
        true
    }

    fn shown_step(&self, at: usize, parts: &mut Parts<'_>) -> RunStep {
        let (before, after) = (&self.states[at], &self.states[at + 1]);
        let frame = before.frames.last().expect("a state has a frame");
        let location = &self.interpreter.program.function(frame.function).graph[frame.location];
        // Values that nobody chose are not told: nobody knows them.
        let chosen = location.inputs.iter().filter(|input| !input.source.is_given());
        let inputs = chosen.zip(&self.drawn[at]).map(|(input, value)| {
            let variable = self.interpreter.program.variable(frame.function, input.place.variable);
            let name = match variable.kind {
                VariableKind::Temporary => "nondet()".to_string(),
                _ => variable.name.clone(),
            };
            (name, value.clone())
        });
        let outcome = match (before.status, after.status) {
            (Status::Running, Status::Ended) => Some("ends".to_string()),
            (Status::Running, Status::Failed(kind)) => Some(format!("fails ({kind})")),
            (Status::Running, Status::Discarded) => Some("is discarded".to_string()),
            _ => None,
        };
        RunStep {
            index: at,
            span: location.span,
            what: location.what,
            inputs: inputs.collect(),
            changes: changes(self.interpreter, before, after),
            shown: shown::changes(parts, before, after),
            outcome,
        }
    }

    /// The place the run has come to. A failed or ended run is shown at the step that ended it.
    pub fn place(&self) -> crate::source::Span {
        let running = self.states.iter().rev().find(|state| state.status == Status::Running);
        let state = running.unwrap_or(&self.states[0]);
        let frame = state.frames.last().expect("a state has a frame");
        self.interpreter.program.function(frame.function).graph[frame.location].span
    }
}

/// The initial state at a point of the entry's slots, its untracked globals initialised as written.
pub fn initial_state(interpreter: &Interpreter<'_>, point: &[Int]) -> Option<State> {
    let globals = interpreter.layout.global_slots as usize;
    let (own, locals) = (point[..globals].to_vec(), point[globals..].to_vec());
    let wanted = own.clone();
    interpreter
        .initial(own, locals, &mut |choice: &Choice<'_>| Some(choice.nearest(&wanted[choice.slot as usize])))
        .ok()
}

/// A scalar that has a name, and where its value is.
struct Named<'p> {
    variable: &'p Variable,
    /// Which part of a variable of several.
    part: Option<u64>,
    id: VariableId,
    slot: usize,
}

impl Named<'_> {
    fn name(&self) -> String {
        match self.part {
            None => self.variable.name.clone(),
            Some(part) => format!("{}[{part}]", self.variable.name),
        }
    }

    /// `None` if nobody knows it.
    fn value<'s>(&self, state: &'s State, depth: usize) -> Option<&'s Int> {
        let known = state.knows(depth, self.id, self.slot as u32);
        known.then(|| match self.id {
            VariableId::Global(_) => &state.globals[self.slot],
            VariableId::Local(_) => &state.frames[depth].locals[self.slot],
        })
    }
}

/// The scalars a function can name, globals first.
fn named<'p>(interpreter: &Interpreter<'p>, function: FunctionId, visit: &mut dyn FnMut(Named<'p>)) {
    let program = interpreter.program;
    let globals = program.globals.iter().zip((0..).map(VariableId::Global));
    let locals = program.function(function).locals.iter().zip((0..).map(VariableId::Local));
    for (variable, id) in globals.chain(locals) {
        if variable.kind == VariableKind::Temporary {
            continue;
        }
        let first = interpreter.layout.first_slot(function, id) as usize;
        let slots = variable.ty.slots();
        for offset in 0..slots {
            let part = (slots != 1).then_some(offset);
            visit(Named { variable, part, id, slot: first + offset as usize });
        }
    }
}

/// Named scalars of a state: globals, and the locals of the frame at `depth`.
pub fn named_values(interpreter: &Interpreter<'_>, state: &State, depth: usize) -> Vec<(String, Int)> {
    let mut values = Vec::new();
    named(interpreter, state.frames[depth].function, &mut |scalar| {
        values.extend(scalar.value(state, depth).map(|value| (scalar.name(), value.clone())));
    });
    values
}

fn changes(interpreter: &Interpreter<'_>, before: &State, after: &State) -> Vec<(String, Int)> {
    let depth = before.frames.len().min(after.frames.len()) - 1;
    let same = before.frames[depth].function == after.frames[depth].function;
    let depth = if same { depth } else { 0 };
    let function = after.frames[depth].function;
    let [globals, locals] = before.changed(after, depth);
    let layout = &interpreter.layout;
    let globals = globals.into_iter().map(|slot| (VariableId::Global(layout.global_at(slot)), slot));
    let locals = locals.into_iter().map(|slot| (VariableId::Local(layout.local_at(function, slot)), slot));
    let mut changed: Vec<(String, Int)> = Vec::new();
    for (id, slot) in globals.chain(locals) {
        let variable = interpreter.program.variable(function, id);
        if variable.kind == VariableKind::Temporary {
            continue;
        }
        let part = (variable.ty.slots() != 1).then(|| u64::from(slot - layout.first_slot(function, id)));
        let scalar = Named { variable, part, id, slot: slot as usize };
        let new = scalar.value(after, depth);
        if scalar.value(before, depth) != new {
            changed.extend(new.map(|new| (scalar.name(), new.clone())));
        }
    }
    if after.frames.len() > before.frames.len() {
        changed.extend(arguments(interpreter, after));
    }
    changed
}

/// Parameters of the frame that was just entered.
fn arguments(interpreter: &Interpreter<'_>, state: &State) -> Vec<(String, Int)> {
    let frame = state.frames.last().expect("a state has a frame");
    let function: FunctionId = frame.function;
    let callee = interpreter.program.function(function);
    let parameters = callee.locals.iter().take(callee.parameters as usize).enumerate();
    let depth = state.frames.len() - 1;
    parameters
        .filter_map(|(index, parameter)| {
            let variable = VariableId::Local(index as u32);
            let slot = interpreter.layout.first_slot(function, variable);
            let value = state.knows(depth, variable, slot).then(|| frame.locals[slot as usize].clone())?;
            Some((format!("{}::{}", callee.name, parameter.name), value))
        })
        .collect()
}
