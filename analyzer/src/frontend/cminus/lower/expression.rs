//! Expressions: pure values and conditions, and the steps that must come before them.

use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;

use super::super::super::Integers;
use super::super::super::arith;
use super::super::super::build::{Pending, Point};
use super::super::ast::{Bump, Expr, ExprKind, Fix, Operator, TypeName, UnaryOp};
use super::super::types::{INT, Scalar, Value, convert, convert_int};
use super::Lowerer;
use super::names::Binding;
use crate::ir::{Cond, Effect, FailKind, StepKind};
use crate::source::Span;

impl<'a> Lowerer<'a, '_> {
    /// Stands for a value that could not be built; the mistake is reported already.
    pub(super) fn nothing() -> Value {
        Value { expr: arith::constant(0), ty: INT }
    }

    pub(super) fn value(&mut self, expr: &Expr<'a>, pending: &mut Pending) -> Value {
        let truth = |cond| Value { expr: arith::number(cond), ty: Scalar::Bool };
        match &expr.kind {
            ExprKind::Integer(value, ty) => Value { expr: arith::constant(value.clone()), ty: *ty },
            ExprKind::Name(name) => match self.lookup(name) {
                Some(Binding::Constant(value, ty)) => Value { expr: arith::constant(value), ty },
                _ => self.read(expr, pending),
            },
            ExprKind::Index(..) => self.read(expr, pending),
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Binary(Operator::Compare(_), ..) => {
                truth(self.condition(expr, pending))
            }
            ExprKind::Unary(operator, inner) => {
                let inner = self.value(inner, pending);
                self.unary(*operator, inner)
            }
            ExprKind::Binary(operator, left, right) => {
                let left = self.value(left, pending);
                let right = self.value(right, pending);
                self.binary(*operator, left, right, expr.span, pending)
            }
            ExprKind::And(_, right) | ExprKind::Or(_, right) => match self.needs_steps(right) {
                true => self.sequenced_truth(expr),
                false => truth(self.condition(expr, pending)),
            },
            ExprKind::Conditional(condition, yes, no) => self.conditional(expr, condition, yes, no, pending),
            ExprKind::Assign(operator, target, value) => self.assign(*operator, target, value, expr.span),
            ExprKind::Bump { target, by, fix } => self.bump(target, *by, *fix, expr.span),
            ExprKind::Call { name, name_span, arguments } => {
                self.call_value(name, *name_span, arguments, expr.span, pending)
            }
            ExprKind::Anything => self.any_value(INT, expr.span, pending),
            ExprKind::Cast(TypeName::Scalar(ty), inner) => {
                let inner = self.value(inner, pending);
                Value { expr: convert(inner, *ty, self.integers), ty: *ty }
            }
            ExprKind::Comma(first, second) => {
                self.effect_before(first, pending);
                self.value(second, pending)
            }
            ExprKind::Cast(TypeName::Void, _) => self.refused(expr.span, "a `void` expression has no value"),
            ExprKind::Text => self.refused(expr.span, "not supported: a string as a value"),
            ExprKind::Address(_) => {
                self.refused(expr.span, "not supported: pointers (the address of a variable)")
            }
        }
    }

    fn refused(&mut self, span: Span, message: &str) -> Value {
        self.error(span, message);
        Self::nothing()
    }

    fn read(&mut self, expr: &Expr<'a>, pending: &mut Pending) -> Value {
        match self.place(expr, pending) {
            Some(target) => Value { expr: arith::read(target.place), ty: target.ty },
            None => Self::nothing(),
        }
    }

    pub(super) fn condition(&mut self, expr: &Expr<'a>, pending: &mut Pending) -> Cond {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => arith::not(self.condition(inner, pending)),
            ExprKind::Binary(Operator::Compare(op), left, right) => {
                let left = self.value(left, pending);
                let right = self.value(right, pending);
                self.compare(*op, left, right)
            }
            ExprKind::And(left, right) if !self.needs_steps(right) => {
                let left = self.condition(left, pending);
                pending.enter(left.clone());
                let right = self.condition(right, pending);
                pending.leave();
                left.and(right)
            }
            ExprKind::Or(left, right) if !self.needs_steps(right) => {
                let left = self.condition(left, pending);
                pending.enter(arith::not(left.clone()));
                let right = self.condition(right, pending);
                pending.leave();
                left.or(right)
            }
            // Any integer is zero or not: one bit says as much.
            ExprKind::Anything => arith::truth(self.any_value(Scalar::Bool, expr.span, pending).expr),
            ExprKind::Call { name, arguments, .. } if arguments.is_empty() && self.is_free_choice(name) => {
                arith::truth(self.any_value(Scalar::Bool, expr.span, pending).expr)
            }
            _ => arith::truth(self.value(expr, pending).expr),
        }
    }

    pub(super) fn compare(&mut self, op: CompareOp, left: Value, right: Value) -> Cond {
        let common = left.ty.common(right.ty);
        let left = convert_int(left, common, self.integers);
        arith::compare(op, left, convert_int(right, common, self.integers))
    }

    fn unary(&mut self, operator: UnaryOp, inner: Value) -> Value {
        let ty = inner.ty.promoted();
        let expr = match operator {
            UnaryOp::Minus => self.reduced(ty, arith::negate(inner.expr)),
            UnaryOp::Complement => {
                let result = arith::binary(BinaryOp::Sub, arith::constant(-1), inner.expr);
                self.reduced(ty, result)
            }
            UnaryOp::Plus | UnaryOp::Not => inner.expr,
        };
        Value { expr, ty: Scalar::Int(ty) }
    }

    /// A result of arithmetic in type `ty`: machine integers wrap.
    pub(super) fn reduced(
        &self,
        ty: kleene_domains::machine::IntType,
        expr: crate::ir::Expr,
    ) -> crate::ir::Expr {
        match self.integers {
            Integers::Unbounded => expr,
            Integers::Machine => arith::wrap(ty, expr),
        }
    }

    pub(super) fn binary(
        &mut self,
        operator: Operator,
        left: Value,
        right: Value,
        span: Span,
        pending: &mut Pending,
    ) -> Value {
        match operator {
            Operator::Arithmetic(op) => self.arithmetic(op, left, right, span, pending),
            Operator::Compare(op) => {
                Value { expr: arith::number(self.compare(op, left, right)), ty: Scalar::Bool }
            }
            _ => self.bitwise(operator, left, right, span, pending),
        }
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
        pending: &mut Pending,
    ) -> Value {
        let ty = left.ty.common(right.ty);
        let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
        // Sums and products may mix representatives, since the result is reduced; quotients may not.
        let (left, right) = match divides {
            true => (convert_int(left, ty, self.integers), convert_int(right, ty, self.integers)),
            false => (left.expr, right.expr),
        };
        if divides {
            let zero = arith::compare(CompareOp::Equal, right.clone(), arith::constant(0));
            pending.fails_if(zero, FailKind::DivisionByZero, span);
        }
        let result = arith::binary(op, left, right);
        // Only MIN / -1 leaves the range by division, and a remainder never does.
        let stays = op == BinaryOp::Rem || (op == BinaryOp::Div && !ty.signed);
        let expr = if stays { result } else { self.reduced(ty, result) };
        Value { expr, ty: Scalar::Int(ty) }
    }

    fn conditional(
        &mut self,
        whole: &Expr<'a>,
        condition: &Expr<'a>,
        yes: &Expr<'a>,
        no: &Expr<'a>,
        pending: &mut Pending,
    ) -> Value {
        if self.needs_steps(yes) || self.needs_steps(no) {
            return self.sequenced_choice(whole, condition, yes, no);
        }
        let cond = self.condition(condition, pending);
        pending.enter(cond.clone());
        let yes = self.value(yes, pending);
        pending.leave();
        pending.enter(arith::not(cond.clone()));
        let no = self.value(no, pending);
        pending.leave();
        let ty = joined(yes.ty, no.ty);
        let yes = convert(yes, ty, self.integers);
        Value { expr: arith::choose(cond, yes, convert(no, ty, self.integers)), ty }
    }

    /// A logical value whose parts need steps: several condition steps, then 1 or 0.
    fn sequenced_truth(&mut self, expr: &Expr<'a>) -> Value {
        let place = self.temporary(Scalar::Bool, expr.span);
        let [yes, no, after] = [self.builder.point(), self.builder.point(), self.builder.point()];
        self.branch(expr, yes, no);
        for (point, value) in [(yes, 1), (no, 0)] {
            self.builder.current = point;
            let effect = Effect::Assign(vec![(place.clone(), arith::constant(value))]);
            self.builder.advance(StepKind::Assignment, expr.span, Pending::default(), effect);
            self.builder.join(after, expr.span);
        }
        Value { expr: arith::read(place), ty: Scalar::Bool }
    }

    fn sequenced_choice(
        &mut self,
        whole: &Expr<'a>,
        condition: &Expr<'a>,
        yes: &Expr<'a>,
        no: &Expr<'a>,
    ) -> Value {
        let ty = joined(self.type_of(yes), self.type_of(no));
        let place = self.temporary(ty, whole.span);
        let [at_yes, at_no, after] = [self.builder.point(), self.builder.point(), self.builder.point()];
        self.branch(condition, at_yes, at_no);
        for (point, part) in [(at_yes, yes), (at_no, no)] {
            self.builder.current = point;
            let mut pending = Pending::default();
            let value = self.value(part, &mut pending);
            let effect = Effect::Assign(vec![(place.clone(), convert(value, ty, self.integers))]);
            self.builder.advance(StepKind::Assignment, part.span, pending, effect);
            self.builder.join(after, part.span);
        }
        Value { expr: arith::read(place), ty }
    }

    /// A condition step, or several where a lazy part needs steps of its own.
    pub(super) fn branch(&mut self, expr: &Expr<'a>, yes: Point, no: Point) {
        if !self.splits(expr) {
            let mut pending = Pending::default();
            let cond = self.condition(expr, &mut pending);
            let ways = [(Effect::SKIP, yes), (Effect::SKIP, no)];
            return self.builder.split(StepKind::Condition, expr.span, pending, cond, ways);
        }
        let middle = self.builder.point();
        match &expr.kind {
            ExprKind::And(left, right) => {
                self.branch(left, middle, no);
                self.builder.current = middle;
                self.branch(right, yes, no);
            }
            ExprKind::Or(left, right) => {
                self.branch(left, yes, middle);
                self.builder.current = middle;
                self.branch(right, yes, no);
            }
            ExprKind::Conditional(condition, first, second) => {
                let other = self.builder.point();
                self.branch(condition, middle, other);
                self.builder.current = middle;
                self.branch(first, yes, no);
                self.builder.current = other;
                self.branch(second, yes, no);
            }
            ExprKind::Unary(UnaryOp::Not, inner) => self.branch(inner, no, yes),
            _ => unreachable!("only lazy operators split"),
        }
    }

    /// Whether the condition needs several condition steps.
    fn splits(&self, expr: &Expr<'a>) -> bool {
        match &expr.kind {
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.needs_steps(right) || self.splits(left) || self.splits(right)
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.needs_steps(yes) || self.needs_steps(no) || self.splits(condition)
            }
            ExprKind::Unary(UnaryOp::Not, inner) => self.splits(inner),
            _ => false,
        }
    }

    /// `++` and `--` as a value: one step, and a copy of the old value where it is asked for.
    fn bump(&mut self, target: &Expr<'a>, by: Bump, fix: Fix, span: Span) -> Value {
        let mut pending = Pending::default();
        let Some(target) = self.place(target, &mut pending) else { return Self::nothing() };
        let old = Value { expr: arith::read(target.place.clone()), ty: target.ty };
        let new = self.bumped(&old, by, span, &mut pending);
        let new = convert(new, target.ty, self.integers);
        let copied = fix == Fix::Postfix || !target.place.path.is_empty();
        let mut writes = vec![(target.place.clone(), new.clone())];
        let mut result = target.place;
        if copied {
            result = self.temporary(target.ty, span);
            writes.push((result.clone(), if fix == Fix::Postfix { old.expr } else { new }));
        }
        self.builder.advance(StepKind::Assignment, span, pending, Effect::Assign(writes));
        Value { expr: arith::read(result), ty: target.ty }
    }

    pub(super) fn bumped(&mut self, old: &Value, by: Bump, span: Span, pending: &mut Pending) -> Value {
        let op = if by == Bump::Up { BinaryOp::Add } else { BinaryOp::Sub };
        let one = Value { expr: arith::constant(Int::from(1)), ty: INT };
        self.arithmetic(op, old.clone(), one, span, pending)
    }
}

/// The type of `c ? a : b`.
pub(super) fn joined(a: Scalar, b: Scalar) -> Scalar {
    if a == b { a } else { Scalar::Int(a.common(b)) }
}
