//! Commands of a location in a context, over the slots of its states.
//!
//! Places become slots here: an element at an unknown index is a chain of choices over the elements,
//! untracked variables read as any value of their type.

use std::cell::OnceCell;
use std::sync::Arc;

use kleene_domains::{CompareOp, Cond, Expr, Int, Value, Var};
use petgraph::graph::EdgeIndex;
use petgraph::visit::EdgeRef;

use super::cases::cases;
use super::context::{Context, ContextKind};
use super::cuts::Cuts;
use super::packs::Packs;
use super::relevance::Relevance;
use crate::ir::layout::Layout;
use crate::ir::table::Table;
use crate::ir::{
    self, FailKind, FunctionId, InputSource, LocationId, Place, Program, Projection, Type, VariableId,
};
use crate::property::{Leaf, Predicate};

/// What translating needs to know about the program.
pub struct Scope<'p> {
    pub program: &'p Program,
    pub layout: Layout,
    pub relevance: Relevance,
    pub cuts: Cuts,
    pub packs: Packs,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub inputs: Vec<Input>,
    pub edges: Vec<Edge>,
    pub overlapping: bool,
}

impl Command {
    /// Slots that inputs are drawn into.
    pub fn drawn(&self) -> impl Iterator<Item = Var> {
        self.inputs.iter().flat_map(|input| &input.targets).map(|(slot, _)| *slot)
    }
}

#[derive(Clone, Debug)]
pub struct Input {
    /// The scalars drawn, with all values of their type; empty if nobody looks at them.
    pub targets: Vec<(Var, Value)>,
    pub source: Source,
    pub cuts: Vec<Int>,
}

#[derive(Clone, Debug)]
pub enum Source {
    Type,
    Range(Expr, Expr),
    Unknown,
    Unseen,
    Looked(Arc<Table>, Expr),
}

impl Source {
    /// Whether nobody may choose the value.
    pub fn is_given(&self) -> bool {
        matches!(self, Self::Unknown | Self::Unseen | Self::Looked(..))
    }
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub id: EdgeIndex<u32>,
    pub guard: Cond,
    cases: OnceCell<Vec<Cond>>,
    pub effect: Effect,
    pub target: LocationId,
}

impl Edge {
    /// The guard as conditions that exclude each other.
    pub fn cases(&self) -> &[Cond] {
        self.cases.get_or_init(|| cases(&self.guard))
    }
}

#[derive(Clone, Debug)]
pub enum Effect {
    Assign(Vec<(Var, Expr)>),
    Call {
        function: FunctionId,
        arguments: Vec<(Var, Expr)>,
        /// Slots of the caller's frame that are dead once the call returns.
        forgotten: Vec<Var>,
        /// Where the result lands, in the caller's slots.
        result: Vec<Var>,
    },
    Return(Option<Expr>),
    Fail(FailKind),
    Discard,
    Stop,
}

impl Scope<'_> {
    pub fn command(&self, context: &Context, location: LocationId) -> Command {
        let function = self.program.function(context.function);
        let at = &function.graph[location];
        let frame = Frame { scope: self, function: context.function, base: context.base };
        let inputs = at.inputs.iter().map(|input| frame.input(input)).collect();
        // petgraph lists the newest edge first; programs are read in the order they were built.
        let mut edges: Vec<Edge> = function
            .graph
            .edges(location)
            .map(|edge| Edge {
                id: edge.id(),
                guard: frame.cond(&edge.weight().guard),
                cases: OnceCell::new(),
                effect: frame.effect(&edge.weight().effect, edge.target()),
                target: edge.target(),
            })
            .collect();
        edges.reverse();
        Command { inputs, edges, overlapping: at.overlapping }
    }

    pub fn assignment(&self, context: &Context, place: &Place, value: &ir::Expr) -> Vec<(Var, Expr)> {
        let frame = Frame { scope: self, function: context.function, base: context.base };
        let mut assignments = Vec::new();
        frame.write(place, value, &mut assignments);
        assignments
    }

    pub fn input(&self, context: &Context, input: &ir::Input) -> Input {
        Frame { scope: self, function: context.function, base: context.base }.input(input)
    }

    /// Slots of the context's own frame that nobody reads from this location on.
    pub fn dead_slots(&self, context: &Context, location: LocationId) -> Vec<Var> {
        let frame = Frame { scope: self, function: context.function, base: context.base };
        frame.dead_slots(location)
    }

    /// Of those, the slots that somebody may have read before, and those that were just written, which are in order.
    pub fn newly_dead_slots(
        &self,
        context: &Context,
        before: LocationId,
        after: LocationId,
        written: &[Var],
    ) -> Vec<Var> {
        let function = context.function;
        let frame = Frame { scope: self, function, base: context.base };
        let read_before = self.relevance.newly_dead(function, before.index(), after.index());
        let mut dead: Vec<Var> = read_before.flat_map(|local| frame.slots_of(local)).collect();
        let read = dead.len();
        for slot in written {
            let Some(own) = slot.0.checked_sub(context.base) else { continue };
            let local = self.layout.local_at(function, own);
            if self.relevance.is_dead(function, after.index(), local)
                && dead[..read].binary_search(slot).is_err()
            {
                dead.push(*slot);
            }
        }
        dead.sort_unstable();
        dead.dedup();
        dead
    }

    /// A predicate as a condition on the states of a node; locations and missing frames are resolved.
    pub fn predicate(&self, predicate: &Predicate, context: &Context, node: super::context::Point) -> Cond {
        let condition = predicate.map(&mut |leaf| self.leaf(leaf, context, node));
        fold(condition)
    }

    /// The opposite: a condition on the slots of a context's states as a predicate for every node. `None` if
    /// it speaks of a frame that has no name.
    pub fn as_predicate(&self, context: &Context, condition: &Cond) -> Option<Predicate> {
        let mut nameless = false;
        let predicate = condition.map(&mut |slot| match self.leaf_of_slot(context, *slot) {
            Some(leaf) => Expr::Variable(leaf),
            None => {
                nameless = true;
                Expr::constant(0)
            }
        });
        (!nameless).then_some(predicate)
    }

    fn leaf_of_slot(&self, context: &Context, slot: Var) -> Option<Leaf> {
        let owner = |function: FunctionId, count: usize, global: bool, slot: u32| {
            let id = |index| if global { VariableId::Global(index) } else { VariableId::Local(index) };
            (0..count as u32).find_map(|index| {
                let first = self.layout.first_slot(function, id(index));
                let slots = self.program.variable(function, id(index)).ty.slots() as u32;
                let within = (first..first + slots).contains(&slot);
                within.then(|| (index, (slots > 1).then(|| Box::new(Expr::constant(slot - first)))))
            })
        };
        if slot.0 < self.layout.global_slots {
            let (variable, element) = owner(context.function, self.program.globals.len(), true, slot.0)?;
            return Some(Leaf::Global { variable, element });
        }
        let at = context.frames.iter().rposition(|(_, base)| *base <= slot.0)?;
        let (function, base) = context.frames[at];
        if context.frames[at + 1..].iter().any(|(inner, _)| *inner == function) {
            return None;
        }
        let locals = self.program.function(function).locals.len();
        let (variable, element) = owner(function, locals, false, slot.0 - base)?;
        Some(Leaf::Local { function, variable, element })
    }

    fn leaf(&self, leaf: &Leaf, context: &Context, point: super::context::Point) -> Expr {
        use super::context::Point;
        let truth = |value: bool| Expr::Constant(Int::from(value));
        match leaf {
            Leaf::At(places) => truth(match point {
                Point::At(location) => places.contains(&(context.function, location)),
                _ => false,
            }),
            Leaf::Terminated => match point {
                Point::At(location) if context.kind == ContextKind::Root => {
                    let function = self.program.function(context.function);
                    let frame = Frame { scope: self, function: context.function, base: context.base };
                    match frame.cond(&function.graph[location].ends) {
                        Cond::Literal(ends) => truth(ends || location == function.exit),
                        ends => {
                            Expr::IfThenElse(Box::new(ends), Box::new(truth(true)), Box::new(truth(false)))
                        }
                    }
                }
                point => truth(point == Point::Stopped),
            },
            Leaf::Failed(wanted) => truth(match point {
                Point::Failed(kind) => wanted.is_none_or(|wanted| wanted == kind),
                _ => false,
            }),
            Leaf::Discarded => truth(point == Point::Discarded),
            Leaf::Global { variable, element } => {
                let frame = Frame { scope: self, function: context.function, base: context.base };
                let element =
                    element.as_ref().map(|index| index.map(&mut |leaf| self.leaf(leaf, context, point)));
                frame.element(VariableId::Global(*variable), element)
            }
            Leaf::Local { function, variable, element } => {
                let element =
                    element.as_ref().map(|index| index.map(&mut |leaf| self.leaf(leaf, context, point)));
                self.local_leaf(context, *function, *variable, element)
            }
        }
    }

    fn local_leaf(
        &self,
        context: &Context,
        function: FunctionId,
        variable: u32,
        element: Option<Expr>,
    ) -> Expr {
        let innermost = context.frames.iter().rev().find(|(owner, _)| *owner == function);
        match (innermost, context.kind) {
            (Some((_, base)), _) => {
                let frame = Frame { scope: self, function, base: *base };
                frame.element(VariableId::Local(variable), element)
            }
            (None, ContextKind::Summary) if function == self.program.entry => {
                Expr::Any(self.program.function(function).locals[variable as usize].ty.range())
            }
            // Some caller may or may not have such a frame: any value, perhaps undefined.
            (None, ContextKind::Summary) => Expr::binary(kleene_domains::BinaryOp::Div, any(), any()),
            (None, _) => undefined(),
        }
    }
}

fn any() -> Expr {
    Expr::Any(kleene_domains::Interval::top())
}

/// An expression without a value, as an absent local or an element out of bounds.
fn undefined() -> Expr {
    Expr::binary(kleene_domains::BinaryOp::Div, Expr::constant(0), Expr::constant(0))
}

/// One function's frame at a base slot.
struct Frame<'s, 'p> {
    scope: &'s Scope<'p>,
    function: FunctionId,
    base: u32,
}

impl Frame<'_, '_> {
    fn first(&self, variable: VariableId) -> u32 {
        let slot = self.scope.layout.first_slot(self.function, variable);
        match variable {
            VariableId::Global(_) => slot,
            VariableId::Local(_) => self.base + slot,
        }
    }

    fn tracks(&self, variable: VariableId) -> bool {
        self.scope.relevance.tracks(self.function, variable)
    }

    fn expr(&self, expr: &ir::Expr) -> Expr {
        expr.map(&mut |place| self.read(place))
    }

    fn cond(&self, cond: &ir::Cond) -> Cond {
        fold(cond.map(&mut |place| self.read(place)))
    }

    fn read(&self, place: &Place) -> Expr {
        if !self.tracks(place.variable) {
            return Expr::Any(self.scope.program.place_type(self.function, place).range());
        }
        let cases = self.cases(place);
        chain(cases, undefined())
    }

    /// A scalar variable or one element of it, for properties.
    fn element(&self, variable: VariableId, index: Option<Expr>) -> Expr {
        let ty = &self.scope.program.variable(self.function, variable).ty;
        match (ty, index) {
            (Type::Array(element, length), Some(index)) if !self.tracks(variable) => {
                let inside = in_bounds(&index, *length);
                Expr::IfThenElse(
                    Box::new(inside),
                    Box::new(Expr::Any(element.range())),
                    Box::new(undefined()),
                )
            }
            (Type::Array(_, length), Some(index)) => {
                let first = self.first(variable);
                let cases = (0..*length).map(|at| (equals(&index, at), Var(first + at))).collect();
                chain(cases, undefined())
            }
            _ if !self.tracks(variable) => Expr::Any(ty.range()),
            _ => Expr::Variable(Var(self.first(variable))),
        }
    }

    /// The slots a place may be, each under the condition that it is the one.
    fn cases(&self, place: &Place) -> Vec<(Cond, Var)> {
        let mut cases = vec![(Cond::Literal(true), self.first(place.variable))];
        let mut ty = &self.scope.program.variable(self.function, place.variable).ty;
        for projection in &place.path {
            match (projection, ty) {
                (Projection::Field(field), Type::Struct(fields)) => {
                    let before: u64 = fields[..*field as usize].iter().map(|(_, ty)| ty.slots()).sum();
                    cases.iter_mut().for_each(|(_, slot)| *slot += before as u32);
                    ty = &fields[*field as usize].1;
                }
                (Projection::Element(index), Type::Array(element, length)) => {
                    let index = self.expr(index);
                    let size = element.slots() as u32;
                    cases = cases
                        .into_iter()
                        .flat_map(|(cond, slot)| {
                            let index = &index;
                            (0..*length).map(move |at| {
                                let here = match equals(index, at) {
                                    Cond::Literal(false) => Cond::Literal(false),
                                    here => fold(cond.clone().and(here)),
                                };
                                (here, slot + at * size)
                            })
                        })
                        .filter(|(cond, _)| *cond != Cond::Literal(false))
                        .collect();
                    ty = element;
                }
                _ => panic!("ill-typed place {place:?}: the verifier should have refused it"),
            }
        }
        cases.into_iter().map(|(cond, slot)| (cond, Var(slot))).collect()
    }

    /// The simultaneous assignment of slots that writes `value` into `place`.
    fn write(&self, place: &Place, value: &ir::Expr, assignments: &mut Vec<(Var, Expr)>) {
        if !self.tracks(place.variable) {
            return;
        }
        let value = self.expr(value);
        for (cond, slot) in self.cases(place) {
            // A slot that is not this place keeps what another write of the same step gives it.
            let other = assignments.iter().position(|(written, _)| *written == slot);
            let before = other.map(|at| assignments.remove(at).1);
            let value = match cond {
                Cond::Literal(true) => value.clone(),
                cond => {
                    let kept = before.unwrap_or(Expr::Variable(slot));
                    Expr::IfThenElse(Box::new(cond), Box::new(value.clone()), Box::new(kept))
                }
            };
            assignments.push((slot, value));
        }
    }

    fn input(&self, input: &ir::Input) -> Input {
        let mut targets = Vec::new();
        let mut cuts = Vec::new();
        if self.tracks(input.place.variable) {
            let scalars = self.scope.program.place_type(self.function, &input.place).scalars();
            let firsts: Vec<Var> = self.cases(&input.place).into_iter().map(|(_, slot)| slot).collect();
            for Var(first) in firsts {
                let slots = scalars.iter().enumerate();
                targets.extend(slots.map(|(offset, ty)| (Var(first + offset as u32), ty.any_value())));
            }
            cuts = self.scope.cuts.of_variable(self.function, input.place.variable).to_vec();
        }
        let source = match &input.source {
            InputSource::Type => Source::Type,
            InputSource::Range(low, high) => Source::Range(self.expr(low), self.expr(high)),
            InputSource::Unknown => Source::Unknown,
            InputSource::Unseen => Source::Unseen,
            InputSource::Looked(table, index) => Source::Looked(table.clone(), self.expr(index)),
        };
        Input { targets, source, cuts }
    }

    fn effect(&self, effect: &ir::Effect, target: LocationId) -> Effect {
        match effect {
            ir::Effect::Assign(assignments) => {
                let mut slots = Vec::new();
                assignments.iter().for_each(|(place, value)| self.write(place, value, &mut slots));
                Effect::Assign(slots)
            }
            ir::Effect::Call { function, arguments, result } => {
                let arguments = arguments.iter().enumerate().filter_map(|(index, argument)| {
                    let parameter = VariableId::Local(index as u32);
                    let tracked = self.scope.relevance.tracks(*function, parameter);
                    let slot = self.scope.layout.first_slot(*function, parameter);
                    tracked.then(|| (Var(slot), self.expr(argument)))
                });
                let result = match result {
                    Some(place) if self.tracks(place.variable) => {
                        self.cases(place).into_iter().map(|(_, slot)| slot).collect()
                    }
                    _ => Vec::new(),
                };
                Effect::Call {
                    function: *function,
                    arguments: arguments.collect(),
                    forgotten: self.dead_slots(target),
                    result,
                }
            }
            ir::Effect::Return(value) => Effect::Return(value.as_ref().map(|value| self.expr(value))),
            ir::Effect::Fail(kind) => Effect::Fail(*kind),
            ir::Effect::Discard => Effect::Discard,
            ir::Effect::Stop => Effect::Stop,
        }
    }

    fn dead_slots(&self, location: LocationId) -> Vec<Var> {
        self.dead_locals(location).flat_map(|local| self.slots_of(local)).collect()
    }

    /// Tracked locals that nobody reads from this location on.
    fn dead_locals(&self, location: LocationId) -> impl Iterator<Item = u32> {
        self.scope.relevance.dead(self.function, location.index())
    }

    fn slots_of(&self, local: u32) -> impl Iterator<Item = Var> + use<> {
        let base = self.base;
        self.scope.layout.local_slots(self.function, local).map(move |slot| Var(base + slot))
    }
}

fn equals(index: &Expr, at: u32) -> Cond {
    let at = Int::from(i64::from(at));
    match index {
        Expr::Constant(value) => Cond::Literal(*value == at),
        _ => Cond::Compare(CompareOp::Equal, index.clone(), Expr::Constant(at)),
    }
}

fn in_bounds(index: &Expr, length: u32) -> Cond {
    let low = Cond::Compare(CompareOp::GreaterEqual, index.clone(), Expr::constant(0));
    low.and(Cond::Compare(CompareOp::Less, index.clone(), Expr::constant(i64::from(length))))
}

/// The first case whose condition holds.
fn chain(cases: Vec<(Cond, Var)>, otherwise: Expr) -> Expr {
    cases.into_iter().rev().fold(otherwise, |rest, (cond, slot)| match cond {
        Cond::Literal(true) => Expr::Variable(slot),
        cond => Expr::IfThenElse(Box::new(cond), Box::new(Expr::Variable(slot)), Box::new(rest)),
    })
}

/// Evaluates comparisons of constants and drops decided operands.
pub fn fold(cond: Cond) -> Cond {
    match cond {
        Cond::Compare(op, Expr::Constant(left), Expr::Constant(right)) => {
            Cond::Literal(op.holds(&left, &right))
        }
        // A truth value that was made a number for comparison's sake.
        Cond::Compare(CompareOp::NotEqual, Expr::IfThenElse(cond, yes, no), Expr::Constant(zero))
            if zero.is_zero() && *yes == Expr::constant(1) && *no == Expr::constant(0) =>
        {
            fold(*cond)
        }
        Cond::Not(inner) => fold(*inner).negated(),
        Cond::And(left, right) => match fold(*left) {
            Cond::Literal(false) => Cond::Literal(false),
            left => left.and(fold(*right)),
        },
        Cond::Or(left, right) => match fold(*left) {
            Cond::Literal(true) => Cond::Literal(true),
            left => left.or(fold(*right)),
        },
        other => other,
    }
}
