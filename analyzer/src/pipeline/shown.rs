//! Values of a state as the source writes them: variables with a view by their one name, numbers as they are.

use kleene_domains::Int;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::concrete::{Interpreter, State};
use crate::evidence::Shown;
use crate::ir::view::When;
use crate::ir::{Expr, FunctionId, Place, Type, Variable, VariableId, VariableKind};

/// The state in which a run starts.
pub fn initial(interpreter: &Interpreter<'_>, state: &State) -> Vec<Shown> {
    let here = Here { interpreter, state, depth: 0 };
    let function = here.function();
    let parameters = interpreter.program.function(function).parameters;
    let is_argument = |variable: VariableId| match variable {
        VariableId::Global(_) => true,
        VariableId::Local(index) => index < parameters,
    };
    let mut found = Vec::new();
    for part in parts(interpreter, function, |when| when != When::Later) {
        let (first, name, value) = match part {
            Part::View(view, first) => (first, view.name.clone(), view.form.text(&|place| here.value(place))),
            Part::Scalar(scalar) => {
                let value = here.scalar(&scalar).map_or("_".into(), |value| value.to_string());
                (scalar.id, scalar.name(), value)
            }
        };
        found.push(Shown { name, value, argument: is_argument(first) });
    }
    found
}

/// What of the states of each function has a name of its own, for all runs of a program.
pub struct Parts<'p> {
    interpreter: &'p Interpreter<'p>,
    known: FxHashMap<FunctionId, Later<'p>>,
}

/// What has a name once arguments are copied to where they are read, and which of it each variable is in.
struct Later<'p> {
    parts: Vec<Part<'p>>,
    of: FxHashMap<VariableId, Vec<usize>>,
}

impl<'p> Parts<'p> {
    pub fn new(interpreter: &'p Interpreter<'_>) -> Self {
        Self { interpreter, known: FxHashMap::default() }
    }

    fn of(&mut self, function: FunctionId) -> &Later<'p> {
        self.known.entry(function).or_insert_with(|| {
            let parts = parts(self.interpreter, function, |when| when != When::Start);
            let mut of: FxHashMap<VariableId, Vec<usize>> = FxHashMap::default();
            for (at, part) in parts.iter().enumerate() {
                let mut add = |variable| {
                    let parts = of.entry(variable).or_default();
                    if parts.last() != Some(&at) {
                        parts.push(at);
                    }
                };
                match part {
                    Part::View(view, _) => view.form.for_each_place(&mut |place| add(place.variable)),
                    Part::Scalar(scalar) => add(scalar.id),
                }
            }
            Later { parts, of }
        })
    }
}

/// What a step changes, with new values; the arguments of a call that it makes.
pub fn changes(parts: &mut Parts<'_>, before: &State, after: &State) -> Vec<(String, String)> {
    let interpreter = parts.interpreter;
    let depth = before.frames.len().min(after.frames.len()) - 1;
    let same = before.frames[depth].function == after.frames[depth].function;
    let depth = if same { depth } else { 0 };
    let (old, new) = (Here { interpreter, state: before, depth }, Here { interpreter, state: after, depth });
    let function = new.function();
    let [globals, locals] = before.changed(after, depth);
    let globals = globals.into_iter().map(|slot| VariableId::Global(interpreter.layout.global_at(slot)));
    let locals =
        locals.into_iter().map(|slot| VariableId::Local(interpreter.layout.local_at(function, slot)));
    let mut found = Vec::new();
    let later = parts.of(function);
    // What is made of other variables stays as it is.
    let touched = globals.chain(locals).filter_map(|variable| later.of.get(&variable)).flatten();
    let mut touched: Vec<usize> = touched.copied().collect();
    touched.sort_unstable();
    touched.dedup();
    for part in touched.into_iter().map(|at| &later.parts[at]) {
        match part {
            Part::View(view, _) => {
                view.form.changes(
                    &view.name,
                    &|place| old.value(place),
                    &|place| new.value(place),
                    &mut found,
                );
            }
            Part::Scalar(scalar) => {
                let value = new.scalar(scalar);
                if value != old.scalar(scalar) {
                    found.push((scalar.name(), value.map_or("_".into(), |value| value.to_string())));
                }
            }
        }
    }
    if after.frames.len() > before.frames.len() {
        found.extend(arguments(interpreter, after));
    }
    found
}

/// Parameters of the frame that was just entered.
fn arguments(interpreter: &Interpreter<'_>, state: &State) -> Vec<(String, String)> {
    let here = Here { interpreter, state, depth: state.frames.len() - 1 };
    let callee = interpreter.program.function(here.function());
    let is_parameter = |variable| matches!(variable, VariableId::Local(index) if index < callee.parameters);
    let mut found = Vec::new();
    for part in parts(interpreter, here.function(), |when| when != When::Later) {
        match part {
            Part::View(view, first) if is_parameter(first) => {
                let value = view.form.text(&|place| here.value(place));
                found.push((format!("{}::{}", callee.name, view.name), value));
            }
            Part::Scalar(scalar) if is_parameter(scalar.id) => {
                let value = here.scalar(&scalar).map_or("_".into(), |value| value.to_string());
                found.push((format!("{}::{}", callee.name, scalar.name()), value));
            }
            _ => {}
        }
    }
    found
}

/// One frame of a state, and the globals.
struct Here<'h, 'p> {
    interpreter: &'h Interpreter<'p>,
    state: &'h State,
    depth: usize,
}

impl Here<'_, '_> {
    fn function(&self) -> FunctionId {
        self.state.frames[self.depth].function
    }

    fn scalar(&self, scalar: &Scalar<'_>) -> Option<&Int> {
        let first = self.interpreter.layout.first_slot(self.function(), scalar.id);
        let slot = (first + scalar.element.unwrap_or(0)) as usize;
        if !self.state.knows(self.depth, scalar.id, slot as u32) {
            return None;
        }
        match scalar.id {
            VariableId::Global(_) => self.state.globals.get(slot),
            VariableId::Local(_) => self.state.frames[self.depth].locals.get(slot),
        }
    }

    fn value(&self, place: &Place) -> Option<Int> {
        let constant = |index: &Expr| match index {
            Expr::Constant(value) => Some(value.clone()),
            _ => None,
        };
        let Interpreter { layout, program, .. } = self.interpreter;
        let slot = layout.slot(program, self.function(), place, constant)? as usize;
        if !self.state.knows(self.depth, place.variable, slot as u32) {
            return None;
        }
        match place.variable {
            VariableId::Global(_) => self.state.globals.get(slot).cloned(),
            VariableId::Local(_) => self.state.frames[self.depth].locals.get(slot).cloned(),
        }
    }
}

/// What has a name of its own.
enum Part<'p> {
    /// With the first variable it is made of.
    View(&'p crate::ir::view::View, VariableId),
    Scalar(Scalar<'p>),
}

/// A variable, or an element of one.
struct Scalar<'p> {
    id: VariableId,
    variable: &'p Variable,
    element: Option<u32>,
}

impl Scalar<'_> {
    fn name(&self) -> String {
        match self.element {
            None => self.variable.name.clone(),
            Some(index) => format!("{}[{index}]", self.variable.name),
        }
    }
}

/// In the order of variables, globals first.
fn parts<'p>(
    interpreter: &Interpreter<'p>,
    function: FunctionId,
    wanted: impl Fn(When) -> bool,
) -> Vec<Part<'p>> {
    let program = interpreter.program;
    let own = program.function(function);
    let mut covered = FxHashSet::default();
    let mut found = Vec::new();
    for view in own.views.iter() {
        let mut first = None;
        view.form.for_each_place(&mut |place| {
            covered.insert(place.variable);
            first = Some(first.map_or(place.variable, |known: VariableId| known.min(place.variable)));
        });
        found.extend(
            first
                .filter(|_| wanted(view.when) && !view.form.is_hidden())
                .map(|first| Part::View(view, first)),
        );
    }
    let globals =
        program.globals.iter().zip(0..).map(|(variable, index)| (variable, VariableId::Global(index)));
    let locals = own.locals.iter().zip(0..).map(|(variable, index)| (variable, VariableId::Local(index)));
    for (variable, id) in globals.chain(locals) {
        if variable.kind != VariableKind::Temporary && !covered.contains(&id) {
            found.extend(scalars(variable, id));
        }
    }
    found.sort_by_key(|part| match part {
        Part::View(_, first) => *first,
        Part::Scalar(scalar) => scalar.id,
    });
    found
}

fn scalars(variable: &Variable, id: VariableId) -> impl Iterator<Item = Part<'_>> {
    let elements = match &variable.ty {
        Type::Array(element, length) if element.slots() == 1 => 0..*length,
        Type::Array(..) | Type::Struct(_) => 0..0,
        _ => 0..1,
    };
    let is_array = matches!(variable.ty, Type::Array(..));
    elements.map(move |index| Part::Scalar(Scalar { id, variable, element: is_array.then_some(index) }))
}
