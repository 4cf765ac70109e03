//! Slots of contexts, and the program's expressions over them.
//!
//! In a context the slots are those of the globals and then of the frames, outermost first. A state in the
//! making is a list of expressions, one per slot, over the slots before the step and the values drawn in it.

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, Interval, Var};
use petgraph::graph::EdgeIndex;
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;

use super::{Checked, wrong};
use crate::evidence::certificate::{self, At};
use crate::ir::layout::Layout;
use crate::ir::{self, Effect, FunctionId, LocationId, Place, Program, Projection, Type, VariableId};
use crate::property::{Leaf, Predicate, Term};

/// One expression per slot.
pub type State = Vec<Expr>;

#[derive(Clone, Debug)]
pub struct Context {
    /// Function and first slot of every frame, outermost first.
    pub frames: Vec<(FunctionId, u32)>,
    pub callers: Callers,
    /// What each slot can hold by its type, where that never changes.
    pub types: Vec<Interval>,
}

/// Who called the code that runs in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callers {
    /// It is the entry function.
    Nobody,
    /// An earlier context, by an edge of its function.
    One(usize, EdgeIndex<u32>),
    /// Anybody: the slots are those of the globals and of the innermost frame.
    Any,
}

impl Context {
    pub fn function(&self) -> FunctionId {
        self.frames.last().expect("a context has a frame").0
    }

    pub fn base(&self) -> u32 {
        self.frames.last().expect("a context has a frame").1
    }

    pub fn slots(&self) -> usize {
        self.types.len()
    }

    /// The state as it is before a step.
    pub fn before(&self) -> State {
        (0..self.slots() as u32).map(|slot| Expr::Variable(Var(slot))).collect()
    }
}

pub struct Slots<'p> {
    pub program: &'p Program,
    pub layout: Layout,
    pub contexts: Vec<Context>,
    /// What a call of a function adds to the global in a slot (`offsets`).
    pub offsets: FxHashMap<(FunctionId, usize), Int>,
}

impl<'p> Slots<'p> {
    pub fn new(program: &'p Program, contexts: &[certificate::Context]) -> Checked<Self> {
        let (layout, offsets) = (Layout::of(program), FxHashMap::default());
        let mut slots = Self { program, layout, contexts: Vec::new(), offsets };
        let mut globals = Vec::new();
        program.globals.iter().for_each(|variable| globals.extend(kept_ranges(&variable.ty)));
        for (index, context) in contexts.iter().enumerate() {
            let known = match context {
                certificate::Context::Root if index == 0 => {
                    let base = globals.len() as u32;
                    let frames = vec![(program.entry, base)];
                    slots.entered(program.entry, Callers::Nobody, frames, globals.clone())
                }
                certificate::Context::Call { caller, edge }
                    if *caller < index && slots.contexts[*caller].callers != Callers::Any =>
                {
                    let from = slots.contexts[*caller].clone();
                    let graph = &program.function(from.function()).graph;
                    let edge = EdgeIndex::new(*edge);
                    let Some(Effect::Call { function, .. }) =
                        graph.edge_weight(edge).map(|edge| &edge.effect)
                    else {
                        return wrong(format!("context {index} is entered by an edge that is no call"));
                    };
                    let mut frames = from.frames;
                    frames.push((*function, from.types.len() as u32));
                    slots.entered(*function, Callers::One(*caller, edge), frames, from.types)
                }
                certificate::Context::Summary { function } if index > 0 => {
                    let Some(function) = slots.named(function) else {
                        return wrong(format!("context {index} is of a function that is not there"));
                    };
                    if slots.summary(function).is_some() {
                        return wrong(format!("context {index} summarises a function once more"));
                    }
                    let frames = vec![(function, globals.len() as u32)];
                    slots.entered(function, Callers::Any, frames, globals.clone())
                }
                _ => return wrong(format!("context {index} is malformed")),
            };
            slots.contexts.push(known);
        }
        if slots.contexts.is_empty() { wrong("there are no contexts") } else { Ok(slots) }
    }

    fn entered(
        &self,
        function: FunctionId,
        callers: Callers,
        frames: Vec<(FunctionId, u32)>,
        mut types: Vec<Interval>,
    ) -> Context {
        let locals = &self.program.function(function).locals;
        locals.iter().for_each(|variable| types.extend(kept_ranges(&variable.ty)));
        Context { frames, callers, types }
    }

    /// The context entered by a call: the one made for it, else the summary of its function.
    pub fn callee(&self, caller: usize, edge: EdgeIndex<u32>) -> Option<usize> {
        let own = self.contexts.iter().position(|context| context.callers == Callers::One(caller, edge));
        own.or_else(|| {
            let graph = &self.program.function(self.contexts[caller].function()).graph;
            match &graph.edge_weight(edge)?.effect {
                Effect::Call { function, .. } => self.summary(*function),
                _ => None,
            }
        })
    }

    pub fn named(&self, function: &str) -> Option<FunctionId> {
        let known = self.program.functions.iter().position(|known| known.name == *function);
        known.map(|known| FunctionId(known as u32))
    }

    fn summary(&self, function: FunctionId) -> Option<usize> {
        let is = |context: &Context| context.callers == Callers::Any && context.function() == function;
        self.contexts.iter().position(is)
    }

    pub fn is_summary(&self, context: usize) -> bool {
        self.contexts[context].callers == Callers::Any
    }

    /// The edges of a place that call into a context.
    pub fn calls(&self, from: usize, at: &At, into: usize) -> Vec<EdgeIndex<u32>> {
        let At::Location(location) = at else { return Vec::new() };
        let graph = &self.program.function(self.contexts[from].function()).graph;
        let edges = graph.edges(LocationId::new(*location)).map(|edge| edge.id());
        edges.filter(|edge| self.callee(from, *edge) == Some(into)).collect()
    }

    /// Whether a place of a context has a step that returns.
    pub fn returns(&self, context: usize, at: &At) -> bool {
        let At::Location(location) = at else { return false };
        let location = LocationId::new(*location);
        let graph = &self.program.function(self.contexts[context].function()).graph;
        let mut edges = graph.edges(location);
        location == self.exit(context) || edges.any(|edge| matches!(edge.weight().effect, Effect::Return(_)))
    }

    pub fn exit(&self, context: usize) -> LocationId {
        self.program.function(self.contexts[context].function()).exit
    }

    /// Runs stay here for ever.
    pub fn is_terminal(&self, context: usize, at: &At) -> bool {
        match at {
            At::Location(location) => context == 0 && *location == self.exit(0).index(),
            _ => true,
        }
    }

    /// The function of a context read over a state of it.
    pub fn frame<'s>(&'s self, context: usize, state: &'s [Expr]) -> Frame<'s> {
        let context = &self.contexts[context];
        Frame {
            program: self.program,
            layout: &self.layout,
            function: context.function(),
            base: context.base(),
            state,
        }
    }

    /// Globals and one frame of a function, whoever called it.
    pub fn innermost<'s>(&'s self, function: FunctionId, state: &'s [Expr]) -> Frame<'s> {
        let (program, base) = (self.program, self.layout.global_slots);
        Frame { program, layout: &self.layout, function, base, state }
    }

    /// A predicate on the states at a place.
    pub fn predicate(&self, predicate: &Predicate, context: usize, at: &At) -> Cond {
        predicate.map(&mut |leaf| self.leaf(leaf, context, at))
    }

    fn leaf(&self, leaf: &Leaf, index: usize, at: &At) -> Expr {
        let context = &self.contexts[index];
        let truth = |value: bool| Expr::Constant(Int::from(value));
        match leaf {
            Leaf::At(places) => truth(match at {
                At::Location(location) => places.contains(&(context.function(), LocationId::new(*location))),
                _ => false,
            }),
            Leaf::Terminated => match at {
                At::Location(location) if index == 0 && !self.is_terminal(index, at) => {
                    let function = self.program.function(context.function());
                    match &function.graph[LocationId::new(*location)].ends {
                        ir::Cond::Literal(ends) => truth(*ends),
                        ends => {
                            let own: Vec<Expr> = (0..context.types.len() as u32)
                                .map(|slot| Expr::Variable(Var(slot)))
                                .collect();
                            let ends = self.frame(index, &own).cond(ends);
                            Expr::IfThenElse(Box::new(ends), Box::new(truth(true)), Box::new(truth(false)))
                        }
                    }
                }
                At::Location(_) => truth(self.is_terminal(index, at)),
                at => truth(*at == At::Stopped),
            },
            Leaf::Failed(wanted) => truth(match at {
                At::Failed(kind) => wanted.is_none_or(|wanted| wanted.name() == kind),
                _ => false,
            }),
            Leaf::Discarded => truth(*at == At::Discarded),
            Leaf::Global { variable, element } => {
                let id = VariableId::Global(*variable);
                self.element(context.function(), 0, id, element.as_deref(), index, at)
            }
            Leaf::Local { function, variable, element } => {
                let innermost = context.frames.iter().rev().find(|(owner, _)| owner == function);
                let Some((_, base)) = innermost else { return undefined() };
                let id = VariableId::Local(*variable);
                self.element(*function, *base, id, element.as_deref(), index, at)
            }
        }
    }

    fn element(
        &self,
        function: FunctionId,
        base: u32,
        id: VariableId,
        element: Option<&Term>,
        context: usize,
        at: &At,
    ) -> Expr {
        let first = base + self.layout.first_slot(function, id);
        match (&self.program.variable(function, id).ty, element) {
            (Type::Array(_, length), Some(index)) => {
                let index = index.map(&mut |leaf| self.leaf(leaf, context, at));
                let elements = (0..*length).map(|at| (equals(&index, at), Expr::Variable(Var(first + at))));
                elements.rev().fold(undefined(), |rest, (cond, value)| {
                    Expr::IfThenElse(Box::new(cond), Box::new(value), Box::new(rest))
                })
            }
            _ => Expr::Variable(Var(first)),
        }
    }
}

/// A natural number of C is one where it is drawn; arithmetic may make it negative.
pub fn kept_ranges(ty: &Type) -> Vec<Interval> {
    let kept = |ty: &&Type| match ty {
        Type::Bool | Type::Machine(_) => ty.range(),
        _ => Interval::top(),
    };
    ty.scalars().iter().map(kept).collect()
}

fn undefined() -> Expr {
    Expr::binary(BinaryOp::Div, Expr::constant(0), Expr::constant(0))
}

fn equals(index: &Expr, at: u32) -> Cond {
    Cond::Compare(CompareOp::Equal, index.clone(), Expr::constant(i64::from(at)))
}

/// A function's variables over a state.
#[derive(Clone, Copy)]
pub struct Frame<'s> {
    program: &'s Program,
    layout: &'s Layout,
    pub function: FunctionId,
    base: u32,
    state: &'s [Expr],
}

impl Frame<'_> {
    pub fn expr(&self, expr: &ir::Expr) -> Expr {
        expr.map(&mut |place| self.read(place))
    }

    pub fn cond(&self, cond: &ir::Cond) -> Cond {
        cond.map(&mut |place| self.read(place))
    }

    /// Places are in bounds wherever they are evaluated, so the last element needs no condition.
    fn read(&self, place: &Place) -> Expr {
        let mut places = self.places(place).into_iter().rev();
        let Some((_, last)) = places.next() else { return undefined() };
        places.fold(self.state[last].clone(), |rest, (cond, slot)| {
            Expr::IfThenElse(Box::new(cond), Box::new(self.state[slot].clone()), Box::new(rest))
        })
    }

    /// The first slots a place may have, each under its condition.
    pub fn places(&self, place: &Place) -> Vec<(Cond, usize)> {
        let mut found = vec![(Cond::Literal(true), self.first(place.variable))];
        let mut ty = &self.program.variable(self.function, place.variable).ty;
        for projection in &place.path {
            match (projection, ty) {
                (Projection::Field(field), Type::Struct(fields)) => {
                    let before: u64 = fields[..*field as usize].iter().map(|(_, ty)| ty.slots()).sum();
                    found.iter_mut().for_each(|(_, slot)| *slot += before as usize);
                    ty = &fields[*field as usize].1;
                }
                (Projection::Element(index), Type::Array(element, length)) => {
                    let index = self.expr(index);
                    let size = element.slots() as usize;
                    let spread = |(cond, slot): (Cond, usize)| {
                        let at = |at: u32| {
                            let is = match &index {
                                Expr::Constant(value) => Cond::Literal(*value == Int::from(i64::from(at))),
                                index => equals(index, at),
                            };
                            (cond.clone().and(is), slot + at as usize * size)
                        };
                        (0..*length).map(at).collect::<Vec<_>>()
                    };
                    found = found.into_iter().flat_map(spread).collect();
                    found.retain(|(cond, _)| *cond != Cond::Literal(false));
                    ty = element;
                }
                _ => return Vec::new(),
            }
        }
        found
    }

    fn first(&self, variable: VariableId) -> usize {
        let slot = self.layout.first_slot(self.function, variable);
        match variable {
            VariableId::Global(_) => slot as usize,
            VariableId::Local(_) => (self.base + slot) as usize,
        }
    }

    /// All values of what a place holds, slot by slot.
    pub fn ranges(&self, place: &Place) -> Vec<Interval> {
        let scalars = self.program.place_type(self.function, place).scalars();
        scalars.iter().map(|ty| ty.range()).collect()
    }
}

/// Writes a value into the one of the places whose condition holds.
pub fn store(state: &mut State, places: &[(Cond, usize)], value: &Expr) {
    for (cond, slot) in places {
        let old = std::mem::replace(&mut state[*slot], Expr::constant(0));
        state[*slot] = match cond {
            Cond::Literal(true) => value.clone(),
            cond => Expr::IfThenElse(Box::new(cond.clone()), Box::new(value.clone()), Box::new(old)),
        };
    }
}
