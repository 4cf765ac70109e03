//! Calls: of the program's functions, of inputs, and of code that is not in the file.

use kleene_domains::expr::{BinaryOp, CompareOp};

use super::super::super::Integers;
use super::super::super::arith;
use super::super::super::build::Pending;
use super::super::ast::{CHOICE, Expr, ExprKind, TypeName};
use super::super::types::{INT, Scalar, Value, convert};
use super::intrinsic::Callee;
use super::names::Binding;
use super::{Lowerer, expression};
use crate::ir::{Effect, FunctionId, Input, InputSource, Place, StepKind, Type, VariableId};
use crate::source::{Diagnostic, Span};

/// An input before it has a place.
pub enum Draw {
    Whole(Scalar),
    Range(crate::ir::Expr, crate::ir::Expr, Scalar),
}

impl Draw {
    fn ty(&self) -> Scalar {
        match self {
            Self::Whole(ty) | Self::Range(_, _, ty) => *ty,
        }
    }

    fn source(self) -> InputSource {
        match self {
            Self::Whole(_) => InputSource::Type,
            Self::Range(low, high, _) => InputSource::Range(low, high),
        }
    }
}

impl<'a> Lowerer<'a, '_> {
    pub(super) fn call_value(
        &mut self,
        name: &'a str,
        name_span: Span,
        arguments: &[Expr<'a>],
        span: Span,
        pending: &mut Pending,
    ) -> Value {
        match self.callee(name) {
            Callee::User(id) => match self.call(name, id, arguments, span, Use::Value) {
                Some(value) => value,
                None => Self::nothing(),
            },
            Callee::Nondet(ty) => match self.draw(name, ty, arguments, span, pending) {
                Some(draw) => self.drawn(draw, span, pending),
                None => Self::nothing(),
            },
            Callee::Opaque(Some(ty)) => self.opaque(name, ty, arguments, span),
            Callee::Missing => {
                self.unknown_function(name, name_span);
                Self::nothing()
            }
            Callee::Unsupported => {
                self.unsupported(name_span, &format!("inputs of the type of `{name}`"));
                Self::nothing()
            }
            _ => {
                self.error(span, format!("`{name}` gives no value"));
                Self::nothing()
            }
        }
    }

    /// Puts an input into a temporary of the step under construction.
    pub(super) fn drawn(&mut self, draw: Draw, span: Span, pending: &mut Pending) -> Value {
        let ty = draw.ty();
        let place = self.temporary(ty, span);
        pending.inputs.push(Input { place: place.clone(), source: draw.source(), span });
        Value { expr: arith::read(place), ty }
    }

    pub(super) fn any_value(&mut self, ty: Scalar, span: Span, pending: &mut Pending) -> Value {
        self.drawn(Draw::Whole(ty), span, pending)
    }

    /// The input that an expression is, if it is nothing else.
    pub(super) fn draw_of(&mut self, expr: &Expr<'a>, pending: &mut Pending) -> Option<Draw> {
        match &expr.kind {
            ExprKind::Anything => Some(Draw::Whole(INT)),
            ExprKind::Call { name, arguments, .. } => match self.callee(name) {
                Callee::Nondet(ty) => self.draw(name, ty, arguments, expr.span, pending),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn is_draw(&self, expr: &Expr<'a>) -> bool {
        match &expr.kind {
            ExprKind::Anything => true,
            ExprKind::Call { name, .. } => matches!(self.callee(name), Callee::Nondet(_)),
            _ => false,
        }
    }

    fn draw(
        &mut self,
        name: &str,
        ty: Scalar,
        arguments: &[Expr<'a>],
        span: Span,
        pending: &mut Pending,
    ) -> Option<Draw> {
        match arguments {
            [] => Some(match self.input_range(ty) {
                Some(range) => Draw::Range(arith::constant(range.min()), arith::constant(range.max()), ty),
                None => Draw::Whole(ty),
            }),
            [low, high] if name == "nondet" || name == CHOICE => {
                let low = self.bound(low, pending);
                let high = self.bound(high, pending);
                let never_empty = match (arith::as_constant(&low), arith::as_constant(&high)) {
                    (Some(low), Some(high)) => low <= high,
                    _ => false,
                };
                // Where the input is not reached its range must not be empty.
                Some(match pending.reached() {
                    Some(reached) if !never_empty => {
                        let only = |bound| arith::choose(reached.clone(), bound, arith::constant(0));
                        Draw::Range(only(low), only(high), ty)
                    }
                    _ => Draw::Range(low, high, ty),
                })
            }
            _ if name == "nondet" => {
                self.error(span, "`nondet` takes no argument or two: `nondet()`, `nondet(low, high)`");
                None
            }
            _ => {
                for argument in arguments {
                    self.effect_before(argument, pending);
                }
                Some(Draw::Whole(ty))
            }
        }
    }

    /// A bound of an input. Inputs are drawn before the checks of their step, so a bound that can fail
    /// is computed in a step before it.
    fn bound(&mut self, expr: &Expr<'a>, pending: &mut Pending) -> crate::ir::Expr {
        let mut own = Pending::default();
        let value = self.value(expr, &mut own);
        let ty = value.ty;
        let value = convert(value, ty, self.integers);
        if !own.can_fail() {
            pending.inputs.append(&mut own.inputs);
            return value;
        }
        let place = self.temporary(ty, expr.span);
        let effect = Effect::Assign(vec![(place.clone(), value)]);
        self.builder.advance(StepKind::Assignment, expr.span, own, effect);
        arith::read(place)
    }

    /// Whether an input can be drawn straight into a variable of type `ty`: the values are the same.
    pub(super) fn draws_directly(&self, draw: &Draw, ty: Scalar) -> bool {
        let within = |expr: &crate::ir::Expr, low: i64, high: Option<i64>| {
            arith::as_constant(expr).is_some_and(|value| {
                CompareOp::GreaterEqual.holds(value, &low.into())
                    && high.is_none_or(|high| CompareOp::LessEqual.holds(value, &high.into()))
            })
        };
        match (draw, ty, self.integers) {
            (Draw::Whole(_), Scalar::Bool, _) => true,
            (Draw::Whole(Scalar::Bool), _, _) => false,
            (Draw::Whole(Scalar::Int(from)), Scalar::Int(to), Integers::Machine) => to.bits <= from.bits,
            (Draw::Whole(from), to, Integers::Unbounded) => {
                let (from, to) = (from.stored(self.integers), to.stored(self.integers));
                from == to || to == Type::Natural
            }
            (Draw::Range(low, high, _), Scalar::Bool, _) => {
                within(low, 0, Some(1)) && within(high, 0, Some(1))
            }
            (Draw::Range(low, ..), to, Integers::Unbounded) => {
                to.stored(self.integers) == Type::Integer || within(low, 0, None)
            }
            (Draw::Range(_, _, from), to, Integers::Machine) => *from == to,
        }
    }

    pub(super) fn input_into(draw: Draw, place: Place, span: Span) -> Input {
        Input { place, source: draw.source(), span }
    }

    /// A call step. The result, if asked for, lands in a temporary.
    pub(super) fn call(
        &mut self,
        name: &'a str,
        function: FunctionId,
        arguments: &[Expr<'a>],
        span: Span,
        wanted: Use,
    ) -> Option<Value> {
        let signature = self.signatures.get(name)?.clone();
        if signature.parameters.len() != arguments.len() {
            let message =
                format!("`{name}` takes {}, not {}", counted(signature.parameters.len()), arguments.len());
            self.error(span, message);
            return None;
        }
        let mut pending = Pending::default();
        let mut values = Vec::new();
        for (argument, ty) in arguments.iter().zip(&signature.parameters) {
            let value = self.value(argument, &mut pending);
            values.push(convert(value, *ty, self.integers));
        }
        if wanted == Use::Value && signature.result.is_none() {
            self.error(span, format!("`{name}` is `void`: it gives no value"));
        }
        let ty = signature.result.filter(|_| wanted == Use::Value);
        let result = ty.map(|ty| self.temporary(ty, span));
        let effect = Effect::Call { function, arguments: values, result: result.clone() };
        self.builder.advance(StepKind::Call, span, pending, effect);
        Some(Value { expr: arith::read(result?), ty: ty? })
    }

    /// A call of code we cannot see: a step of its own that draws a value nobody may choose.
    pub(super) fn opaque(&mut self, name: &str, ty: Scalar, arguments: &[Expr<'a>], span: Span) -> Value {
        let message =
            format!("`{name}` is declared but not defined: it may fail, not return, and change any global");
        self.diagnostics.push(Diagnostic::warning(span, message));
        let mut pending = Pending::default();
        for argument in arguments {
            if !matches!(argument.kind, ExprKind::Text) {
                self.value(argument, &mut pending);
            }
        }
        // The unknown value is drawn before any check of its step, so the arguments' checks go first.
        if pending.can_fail() {
            self.skip_step(span, pending);
        }
        let place = self.temporary(ty, span);
        let mut pending =
            Pending::drawing(Input { place: place.clone(), source: InputSource::Unknown, span });
        for global in 0..self.globals.len() as u32 {
            let place = Place::variable(VariableId::Global(global));
            pending.inputs.push(Input { place, source: InputSource::Unknown, span });
        }
        self.builder.advance(StepKind::Call, span, pending, Effect::SKIP);
        Value { expr: arith::read(place), ty }
    }

    /// Whether evaluating the expression needs a step of its own: a call, a write, or an input with bounds
    /// that may fail.
    pub(super) fn needs_steps(&self, expr: &Expr<'a>) -> bool {
        match &expr.kind {
            ExprKind::Assign(..) | ExprKind::Bump { .. } => return true,
            ExprKind::Call { name, arguments, .. } => match self.callee(name) {
                Callee::Nondet(_) => {
                    if let [low, high] = arguments.as_slice() {
                        return !is_total(low) || !is_total(high);
                    }
                }
                _ => return true,
            },
            _ => {}
        }
        let mut found = false;
        expr.for_each_child(|child| found = found || self.needs_steps(child));
        found
    }

    /// The type `value` will give, without building anything.
    pub(super) fn type_of(&self, expr: &Expr<'a>) -> Scalar {
        use super::super::ast::{Operator, UnaryOp};
        let promoted = |ty: Scalar| Scalar::Int(ty.promoted());
        match &expr.kind {
            ExprKind::Integer(_, ty) => *ty,
            ExprKind::Name(name) => match self.lookup(name) {
                Some(Binding::Scalar(_, ty) | Binding::Constant(_, ty)) => ty,
                _ => INT,
            },
            ExprKind::Index(base, _) => match &base.kind {
                ExprKind::Name(name) => match self.lookup(name) {
                    Some(Binding::Array(_, ty, _)) => ty,
                    _ => INT,
                },
                _ => INT,
            },
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Unary(UnaryOp::Not, _) => Scalar::Bool,
            ExprKind::Binary(Operator::Compare(_), ..) => Scalar::Bool,
            ExprKind::Binary(Operator::ShiftLeft | Operator::ShiftRight, left, _) => {
                promoted(self.type_of(left))
            }
            ExprKind::Binary(_, left, right) => Scalar::Int(self.type_of(left).common(self.type_of(right))),
            ExprKind::Unary(_, inner) => promoted(self.type_of(inner)),
            ExprKind::Conditional(_, yes, no) => expression::joined(self.type_of(yes), self.type_of(no)),
            ExprKind::Assign(_, target, _) | ExprKind::Bump { target, .. } => self.type_of(target),
            ExprKind::Comma(_, second) => self.type_of(second),
            ExprKind::Cast(TypeName::Scalar(ty), _) => *ty,
            ExprKind::Call { name, .. } => match self.callee(name) {
                Callee::User(_) => {
                    self.signatures.get(name).and_then(|signature| signature.result).unwrap_or(INT)
                }
                Callee::Nondet(ty) | Callee::Opaque(Some(ty)) => ty,
                _ => INT,
            },
            ExprKind::Text
            | ExprKind::Address(_)
            | ExprKind::Anything
            | ExprKind::Cast(TypeName::Void, _) => INT,
        }
    }
}

/// Names, numbers and what can be made of them without failing.
fn is_total(expr: &Expr<'_>) -> bool {
    use super::super::ast::Operator;
    let own = match &expr.kind {
        ExprKind::Integer(..) | ExprKind::Name(_) | ExprKind::Unary(..) | ExprKind::Cast(..) => true,
        ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Conditional(..) => true,
        ExprKind::Binary(Operator::Arithmetic(op), ..) => {
            matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
        }
        ExprKind::Binary(Operator::Compare(_), ..) => true,
        _ => false,
    };
    let mut total = own;
    expr.for_each_child(|child| total = total && is_total(child));
    total
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Value,
    Nothing,
}

fn counted(arguments: usize) -> String {
    match arguments {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        more => format!("{more} arguments"),
    }
}
