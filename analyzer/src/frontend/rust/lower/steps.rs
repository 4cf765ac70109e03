//! The function under construction: frames, and the steps that everything else is made of.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::super::arith;
use super::super::super::build::{Exit, FunctionBuilder, Pending, Point};
use super::super::context::Context;
use super::super::hir::{Body, ExprId, LocalId, PatId};
use super::super::infer::Typing;
use super::super::types::Ty;
use super::ProgramLowerer;
use super::call::Hidden;
use super::ends::Ends;
use super::value::{Spot, Stored, Value};
use crate::ir::view::When;
use crate::ir::{Cond, Effect, Expr, FailKind, Input, InputSource, Place, StepKind, VariableKind};
use crate::source::Span;

/// Which of its alternatives is meant, for patterns that have some.
pub type Way = Vec<(PatId, usize)>;

/// A body being lowered: that of the function, or one inlined into it.
pub struct Frame<'p> {
    pub body: &'p Body,
    pub typing: Rc<Typing>,
    pub locals: Vec<Option<Spot>>,
    /// Leaves of locals that code we do not see may write.
    pub hidden: Hidden,
    /// Parameters as they are until they are lent for good.
    pub before: FxHashMap<LocalId, Spot>,
    pub targets: FxHashMap<ExprId, Target>,
    pub returning: Returning,
    /// Result of the function.
    pub result: Ty,
    /// Inlined code stands where it is called.
    pub at: Option<Span>,
    pub needs_steps: Vec<Option<bool>>,
    pub ends: Rc<Ends>,
    /// What ends with its scope, as far as it is there; the innermost scope last.
    pub scopes: Vec<Vec<Owned>>,
    /// The function whose body it is.
    pub function: Option<Rc<super::Instance>>,
    /// The alternatives that are looked at now, where it is one at a time.
    pub chosen: Way,
}

impl<'p> Frame<'p> {
    /// The frame of a body of its own, in which nothing ends.
    pub fn new(body: &'p Body, typing: Rc<Typing>, hidden: Hidden, result: Ty) -> Self {
        Self {
            body,
            typing,
            locals: vec![None; body.locals.len()],
            hidden,
            before: FxHashMap::default(),
            targets: FxHashMap::default(),
            returning: Returning::Step,
            result,
            at: None,
            needs_steps: vec![None; body.exprs.len()],
            ends: Rc::default(),
            scopes: Vec::new(),
            function: None,
            chosen: Way::new(),
        }
    }
}

/// What ends where a scope is left.
#[derive(Clone)]
pub enum Owned {
    Local(LocalId),
    /// A value without a name.
    Value(Spot),
}

#[derive(Clone)]
pub struct Target {
    pub outside: Point,
    pub again: Option<Point>,
    pub value: Option<Spot>,
    /// The scopes around it.
    pub scopes: usize,
}

#[derive(Clone)]
pub enum Returning {
    /// A step back to the caller, which leaves these places behind in registers.
    Step,
    /// To a point of the function it is inlined into.
    Inline(Spot, Point),
}

/// Where the value of an expression goes.
#[derive(Clone)]
pub enum Goal {
    Nothing,
    Store(Spot, StepKind, Option<Span>),
    Return,
    Branch(Point, Point),
}

impl Goal {
    /// The same goal from inside a branch: the step stands where the value does.
    pub fn inner(&self) -> Goal {
        match self {
            Goal::Store(spot, kind, _) => {
                let kind = if *kind == StepKind::Declaration { StepKind::Assignment } else { *kind };
                Goal::Store(spot.clone(), kind, None)
            }
            other => other.clone(),
        }
    }
}

pub struct Lowerer<'f, 'p, 'c> {
    pub program: &'f mut ProgramLowerer<'p, 'c>,
    pub context: &'p Context<'c>,
    pub builder: FunctionBuilder,
    pub pending: Pending,
    pub frame: Frame<'p>,
    /// Spots of `&mut` parameters, in order: what they hold at the end goes back.
    pub outs: Vec<Spot>,
    pub depth: u32,
    /// Outermost loops: their heads, and whether they are endless.
    pub main_loops: Vec<(Point, bool)>,
    pub loop_depth: u32,
    /// Above 0: what is lowered stands in no text (`?`, inlined bodies), and its steps are named after nothing.
    pub unwritten: u32,
    /// Functions of which the body is lowered in place of a call, the innermost last.
    pub inlining: Vec<super::super::hir::FnId>,
}

impl<'f, 'p, 'c> Lowerer<'f, 'p, 'c> {
    pub fn new(program: &'f mut ProgramLowerer<'p, 'c>, builder: FunctionBuilder, frame: Frame<'p>) -> Self {
        Self {
            context: program.context,
            program,
            builder,
            pending: Pending::default(),
            frame,
            outs: Vec::new(),
            depth: 0,
            main_loops: Vec::new(),
            loop_depth: 0,
            unwritten: 0,
            inlining: Vec::new(),
        }
    }
}

/// Expressions larger than this become steps of their own.
const LARGE: usize = 160;
/// More checks than this are not made in one step: each guard repeats those before it.
const CHECK_LIMIT: usize = 8;

impl Lowerer<'_, '_, '_> {
    pub fn span(&self, id: ExprId) -> Span {
        self.frame.at.unwrap_or(self.frame.body.expr(id).span)
    }

    pub fn here(&self, span: Span) -> Span {
        self.frame.at.unwrap_or(span)
    }

    pub fn ty(&self, id: ExprId) -> Ty {
        self.frame.typing.exprs[id.index()].clone()
    }

    /// The step under construction, with its checks and inputs.
    pub fn taken(&mut self) -> Pending {
        self.pending.take()
    }

    /// What a step is called: code that nobody wrote is not reported as a condition or a statement.
    pub fn called(&self, what: StepKind) -> StepKind {
        if self.unwritten > 0 { StepKind::Skip } else { what }
    }

    pub fn advance(&mut self, what: StepKind, span: Span, effect: Effect) {
        let pending = self.taken();
        let what = self.called(what);
        self.builder.advance(what, span, pending, effect);
    }

    /// Checks made so far become a step, so that what comes next happens after them.
    pub fn flush(&mut self, span: Span) {
        if self.pending.can_fail() || !self.pending.inputs.is_empty() {
            self.advance(StepKind::Skip, span, Effect::SKIP);
        }
    }

    /// A site: the step fails where `cond` holds.
    pub fn fails_if(&mut self, cond: Cond, kind: FailKind, span: Span) {
        let span = self.here(span);
        self.pending.site(cond, kind, span);
    }

    /// A dead point: nothing leads to what follows.
    pub fn dead(&mut self) {
        self.pending = Pending::default();
        self.builder.current = self.builder.point();
    }

    pub fn split(&mut self, span: Span, cond: Cond, yes: Point, no: Point) {
        let pending = self.taken();
        let ways = [(Effect::SKIP, yes), (Effect::SKIP, no)];
        self.builder.split(self.called(StepKind::Condition), span, pending, cond, ways);
        self.dead();
    }

    pub fn exits(&mut self, what: StepKind, span: Span, exits: Vec<Exit>) {
        let pending = self.taken();
        let what = self.called(what);
        self.builder.step(what, span, pending, exits);
        self.dead();
    }

    /// New variables for a value of a type.
    pub fn temporary(&mut self, ty: &Ty, span: Span) -> Spot {
        let leaves = self.context.leaves(ty);
        let stored = leaves.iter().map(|leaf| {
            let place = self.builder.temporary(leaf.ty(), span);
            Stored { variable: place.variable, hidden: false }
        });
        let stored = stored.collect();
        Spot { ty: ty.clone(), leaves: Some(stored), indices: Vec::new() }
    }

    pub fn named(&mut self, name: &str, ty: &Ty, hidden: Option<&Vec<bool>>, span: Span) -> Spot {
        let leaves = self.context.leaves(ty);
        let stored = leaves.iter().enumerate().map(|(index, leaf)| {
            let name = format!("{name}{}", leaf.name);
            let hidden = hidden.is_some_and(|hidden| hidden.get(index).copied().unwrap_or(false));
            // What may be written unseen is no value to speak of.
            let kind = if hidden { VariableKind::Temporary } else { VariableKind::Local };
            let variable = self.builder.local(&name, leaf.ty(), kind, span);
            Stored { variable, hidden }
        });
        let stored: Vec<Stored> = stored.collect();
        self.view(name, ty, &stored, When::Always, span);
        Spot { ty: ty.clone(), leaves: Some(stored), indices: Vec::new() }
    }

    /// The assignments that store a value. Parts that do not fit are drawn as unknown instead.
    pub fn writes(&mut self, spot: &Spot, value: &Value, span: Span) -> Vec<(Place, Expr)> {
        if value.ty == Ty::Never {
            return Vec::new();
        }
        let value = self.fitted(value, &spot.ty, span);
        let places = self.context.scalar_places(spot);
        let mut writes = Vec::new();
        for ((_, places), leaf) in places.into_iter().zip(&value.leaves) {
            for (place, expr) in places.into_iter().flatten().zip(leaf) {
                if *expr != arith::read(place.clone()) {
                    writes.push((place, expr.clone()));
                }
            }
        }
        writes
    }

    /// A value of exactly this type: one that does not fit is unknown.
    pub fn fitted(&mut self, value: &Value, ty: &Ty, span: Span) -> Value {
        self.retypes(&value.ty, ty);
        self.forgotten_end(&value.ty, ty, span);
        if self.context.is_turned(&value.ty, ty) {
            for function in self.context.turning(&value.ty) {
                self.program.note_hidden(function);
            }
            return self.unknown_value(ty, "what lies behind a value by its own Deref", span);
        }
        let leaves = self.context.leaves(ty);
        let fits = leaves.len() == value.leaves.len()
            && leaves.iter().zip(&value.leaves).all(|(leaf, slots)| {
                slots.len() == leaf.dimensions.iter().map(|length| *length as usize).product::<usize>()
            });
        if fits {
            return value.clone().with_type(ty.clone());
        }
        // A pointer that comes from elsewhere: its number is 0.
        if self.context.is_pointer(ty)
            && (self.context.is_pointer(&value.ty) || matches!(value.ty, Ty::Reference(..)))
        {
            return self.context.zero(ty);
        }
        if let (Ty::Slice(_), Some(slice)) = (ty.behind(), self.as_slice(value, ty)) {
            return slice;
        }
        // What goes through the elements of an array goes through those of a slice.
        if let (Some(element), Ty::Array(..)) =
            (self.context.gone_through(ty), self.context.behind(&value.ty))
            && let Some(slice) = self.as_slice(value, &Ty::Slice(Box::new(element)))
        {
            return slice.with_type(ty.clone());
        }
        self.unseen_value(ty, "a value of a type that is not known", span)
    }

    pub fn store(&mut self, spot: &Spot, value: &Value, what: StepKind, span: Span) {
        let writes = self.writes(spot, value, span);
        self.advance(what, span, Effect::Assign(writes));
    }

    pub fn read(&mut self, spot: &Spot, span: Span) -> Value {
        let places = self.context.scalar_places(spot);
        let mut leaves = Vec::new();
        for (leaf, places) in places {
            match places {
                Some(places) => leaves.push(places.into_iter().map(arith::read).collect()),
                None => leaves.push(self.drawn_leaf(&leaf, span)),
            }
        }
        Value { ty: spot.ty.clone(), leaves }
    }

    /// What can be seen of a place; leaves that unknown code may write are empty.
    pub fn seen(&self, spot: &Spot) -> Value {
        let places = self.context.scalar_places(spot).into_iter();
        let leaves = places.map(|(_, places)| places.into_iter().flatten().map(arith::read).collect());
        Value { ty: spot.ty.clone(), leaves: leaves.collect() }
    }

    /// A leaf that nobody can see: a new value each time it is read. Whoever writes it, reading it is no code of theirs.
    fn drawn_leaf(&mut self, leaf: &super::super::types::Leaf, span: Span) -> Vec<Expr> {
        let place = self.builder.temporary(leaf.ty(), span);
        self.pending.inputs.push(Input { place: place.clone(), source: InputSource::Unseen, span });
        self.program
            .unknown
            .push(crate::frontend::Unknown { span, reason: "a place that unknown code may write" });
        super::value::tuples(&leaf.dimensions)
            .iter()
            .map(|tuple| {
                let path = tuple.iter().map(|index| {
                    crate::ir::Projection::Element(Box::new(arith::constant(i64::from(*index))))
                });
                arith::read(Place { variable: place.variable, path: path.collect() })
            })
            .collect()
    }

    /// Keeps a value as it is now, whatever happens to the places it was read from.
    pub fn keep(&mut self, value: Value, span: Span) -> Value {
        let stays = |expr: &Expr| match expr {
            Expr::Constant(_) => true,
            Expr::Variable(place) => self.is_temporary(place),
            _ => false,
        };
        if value.slots().all(stays) {
            return value;
        }
        let spot = self.temporary(&value.ty, span);
        let value = self.fitted(&value, &spot.ty, span);
        self.store(&spot, &value, StepKind::Assignment, span);
        self.read(&spot, span)
    }

    pub fn is_temporary(&self, place: &Place) -> bool {
        match place.variable {
            crate::ir::VariableId::Local(index) => {
                place.path.is_empty() && self.builder.locals[index as usize].kind == VariableKind::Temporary
            }
            crate::ir::VariableId::Global(_) => false,
        }
    }

    /// Large expressions are stored, so that guards and later expressions do not repeat them.
    pub fn bounded(&mut self, value: Value, span: Span) -> Value {
        let large = value.slots().any(|expr| arith::expr_size(expr, LARGE) >= LARGE)
            || self.pending.checks_made() > CHECK_LIMIT;
        if large && self.pending.reached().is_none() { self.keep(value, span) } else { value }
    }
}
