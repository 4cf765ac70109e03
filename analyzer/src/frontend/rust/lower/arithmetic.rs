//! Operators on integers and casts: exact values, failures, and what wraps.

use super::super::super::{Arithmetic, arith};
use super::super::hir::{ExprId, ExprKind, Operator};
use super::super::items::AdtKind;
use super::super::types::{Integer, Ty};
use super::order::{computed, negated};
use super::steps::Lowerer;
use super::value::Value;
use crate::ir::{Cond, Effect, Expr, FailKind, StepKind};
use crate::source::Span;
use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;
use kleene_domains::machine::IntType;

/// Comparisons of floats are exact, what is computed of them is not followed.
const FLOATS: &str = "arithmetic of floating-point numbers";

impl Lowerer<'_, '_, '_> {
    pub fn binary(&mut self, operator: Operator, left: ExprId, right: ExprId, ty: &Ty, span: Span) -> Value {
        if let Some(value) = self.address_difference(operator, (left, right), ty, span) {
            return value;
        }
        let [left, right]: [Value; 2] = match self.values(&[left, right]).try_into() {
            Ok(pair) => pair,
            Err(_) => return Value::empty(Ty::Opaque),
        };
        if let Operator::Compare(op) = operator {
            return Value::truth(self.compare_values(op, &left, &right, span));
        }
        self.operate(operator, &left, &right, ty, span)
    }

    /// An operator on two values; also that of a compound assignment.
    pub fn operate(&mut self, operator: Operator, left: &Value, right: &Value, ty: &Ty, span: Span) -> Value {
        if left.ty == Ty::Never || right.ty == Ty::Never {
            return Value::empty(Ty::Never);
        }
        match (left.ty.behind().clone(), left.expr().cloned(), right.expr().cloned()) {
            (Ty::Integer(integer), Some(one), Some(other)) => {
                let expr = self.integers(operator, integer, one, other, span);
                Value::scalar(Ty::Integer(integer), expr)
            }
            (Ty::Bool, Some(one), Some(other)) => Value::scalar(Ty::Bool, truths(operator, one, other)),
            (float @ Ty::Float(bits), Some(one), Some(other)) => match computed(operator, bits, &one, &other)
            {
                Some(value) => Value::scalar(float, Expr::Constant(value)),
                None => self.unseen_value(&float, FLOATS, span),
            },
            (float @ Ty::Float(_), ..) => self.unseen_value(&float, FLOATS, span),
            _ => {
                let reason = "an operator on values of unknown type";
                // Operators of types of the user's are calls; all others may be those of integers.
                let own = matches!(left.ty.behind(), Ty::Adt(..));
                if let Some(kind) = may_fail(operator).filter(|_| !own) {
                    self.maybe_fails(kind, reason, span);
                }
                self.unknown_value(ty, reason, span)
            }
        }
    }

    pub fn integers(
        &mut self,
        operator: Operator,
        integer: Integer,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Expr {
        let ty = integer.ty;
        match operator {
            Operator::Add | Operator::Sub | Operator::Mul => {
                let op = plain(operator);
                let exact = arith::binary(op, left.clone(), right.clone());
                self.in_range(ty, exact.clone(), outside(ty, op, &left, &right, &exact), span)
            }
            Operator::Div | Operator::Rem => {
                self.divide_checks(ty, &left, &right, span);
                self.divided(plain(operator), left, right)
            }
            Operator::And => bits(BinaryOp::BitAnd, left, right),
            Operator::Or => bits(BinaryOp::BitOr, left, right),
            Operator::Xor => bits(BinaryOp::BitXor, left, right),
            Operator::ShiftLeft | Operator::ShiftRight => {
                let count = self.shift_count(ty, right, span);
                shifted(operator, ty, left, count)
            }
            Operator::Compare(_) => left,
        }
    }

    /// A result that must fit: fails in debug arithmetic, wraps in release.
    pub fn in_range(&mut self, ty: IntType, exact: Expr, outside: Cond, span: Span) -> Expr {
        match self.context.arithmetic {
            Arithmetic::Release => arith::wrap(ty, exact),
            Arithmetic::Debug => {
                self.fails_if(outside, FailKind::Overflow, span);
                exact
            }
        }
    }

    /// Division fails on 0 and on `MIN / -1`, whatever the arithmetic.
    pub fn divide_checks(&mut self, ty: IntType, left: &Expr, right: &Expr, span: Span) {
        let zero = arith::compare(CompareOp::Equal, right.clone(), arith::constant(0));
        self.fails_if(zero, FailKind::DivisionByZero, span);
        if ty.signed {
            self.fails_if(quotient_overflows(ty, left, right), FailKind::Overflow, span);
        }
    }

    /// A quotient or remainder behind its checks.
    pub fn divided(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        match arith::as_constant(&right) {
            // Behind a check that always fails; the value is never used, but must be defined.
            Some(divisor) if divisor.is_zero() => arith::constant(0),
            _ => arith::binary(op, left, right),
        }
    }

    /// The number of bits to shift by: fails in debug arithmetic where there are not so many, else masked.
    fn shift_count(&mut self, ty: IntType, count: Expr, span: Span) -> Expr {
        let bits = i64::from(ty.bits);
        match self.context.arithmetic {
            Arithmetic::Debug => {
                let beyond = shift_overflows(ty, &count);
                let folded = arith::as_constant(&count).is_some() && beyond == Cond::Literal(true);
                self.fails_if(beyond, FailKind::Shift, span);
                if folded { arith::constant(0) } else { count }
            }
            Arithmetic::Release => masked_count(bits, count),
        }
    }

    pub fn negation(&mut self, inner: ExprId, ty: &Ty, span: Span) -> Value {
        // `-128i8` is one number: 128 alone would not fit.
        if let ExprKind::Integer(value, _) = &self.frame.body.expr(inner).kind
            && let Ty::Integer(integer) = ty
        {
            let negative = value.neg();
            if integer.ty.contains(&negative) {
                return Value::scalar(ty.clone(), arith::constant(negative));
            }
        }
        let value = self.value(inner);
        match (value.ty.behind().clone(), value.expr().cloned()) {
            (Ty::Integer(integer), Some(expr)) => {
                let least = arith::constant(integer.ty.min());
                let overflow = arith::compare(CompareOp::Equal, expr.clone(), least);
                let negated = arith::negate(expr);
                let expr = self.in_range(integer.ty, negated, overflow, span);
                Value::scalar(Ty::Integer(integer), expr)
            }
            (float @ Ty::Float(bits), Some(expr)) => Value::scalar(float, negated(bits, &expr)),
            (Ty::Never, _) => value,
            _ => self.unknown_value(ty, "a negation of a value of unknown type", span),
        }
    }

    pub fn complement(&mut self, inner: ExprId, ty: &Ty, span: Span) -> Value {
        if *self.ty(inner).behind() == Ty::Bool && !matches!(self.ty(inner), Ty::Reference(..)) {
            return match self.needs_steps(inner) {
                false => Value::truth(arith::not(self.cond(inner))),
                true => {
                    let value = self.value(inner);
                    Value::truth(arith::not(self.truth(&value, span)))
                }
            };
        }
        let value = self.value(inner);
        match (value.ty.behind().clone(), value.expr().cloned()) {
            (Ty::Integer(integer), Some(expr)) => {
                Value::scalar(Ty::Integer(integer), inverted(integer.ty, expr))
            }
            (Ty::Bool, Some(expr)) => Value::truth(arith::not(arith::truth(expr))),
            (Ty::Never, _) => value,
            _ => self.unknown_value(ty, "a complement of a value of unknown type", span),
        }
    }

    pub fn cast(&mut self, inner: ExprId, to: &Ty, span: Span) -> Value {
        let mut value = self.value(inner);
        if self.marks_cast(inner, to) {
            value = self.keep(value, span);
            self.mark_cast(&value, to, span);
        }
        self.converted(value, to, span)
    }

    /// Whether a cast is looked at that can change the value.
    pub fn marks_cast(&self, inner: ExprId, to: &Ty) -> bool {
        let Ty::Integer(into) = to else { return false };
        let changes = match self.ty(inner) {
            Ty::Integer(from) => !(into.ty.contains(&from.ty.min()) && into.ty.contains(&from.ty.max())),
            Ty::Char => !into.ty.contains(&Int::from(i64::from(u32::from(char::MAX)))),
            _ => false,
        };
        changes && self.context.configuration.marks_casts && self.frame.at.is_none()
    }

    /// A step that only values take which do not fit.
    fn mark_cast(&mut self, value: &Value, to: &Ty, span: Span) {
        let (Some(expr), Ty::Integer(into)) = (value.expr().cloned(), to) else { return };
        let least = arith::compare(CompareOp::GreaterEqual, expr.clone(), Expr::Constant(into.ty.min()));
        let most = arith::compare(CompareOp::LessEqual, expr, Expr::Constant(into.ty.max()));
        let (changed, after) = (self.builder.point(), self.builder.point());
        self.unwritten += 1;
        self.split(span, least.and(most), after, changed);
        self.unwritten -= 1;
        self.builder.current = changed;
        self.builder.advance(StepKind::Cast, span, Default::default(), Effect::SKIP);
        self.builder.join(after, span);
    }

    pub fn converted(&mut self, value: Value, to: &Ty, span: Span) -> Value {
        match (value.ty.clone(), value.expr().cloned(), to) {
            (Ty::Integer(from), Some(expr), Ty::Integer(into)) => {
                let kept = into.ty.contains(&from.ty.min()) && into.ty.contains(&from.ty.max());
                let expr = if kept { expr } else { arith::wrap(into.ty, expr) };
                Value::scalar(to.clone(), expr)
            }
            (Ty::Bool, Some(expr), Ty::Integer(_)) => Value::scalar(to.clone(), expr),
            (Ty::Char, Some(expr), Ty::Integer(into)) => {
                Value::scalar(to.clone(), arith::wrap(into.ty, expr))
            }
            (Ty::Integer(from), Some(expr), Ty::Char) if from.ty.bits == 8 => Value::scalar(Ty::Char, expr),
            (Ty::Adt(id, _), _, Ty::Integer(into)) => match self.discriminant(id, &value) {
                Some(expr) => Value::scalar(to.clone(), arith::wrap(into.ty, expr)),
                None => self.unseen_value(to, "a cast of a value of this type", span),
            },
            (Ty::Never, ..) => value,
            (from, ..) if from == *to => value,
            (_, _, Ty::Opaque) => Value::empty(to.clone()),
            (_, _, to) if self.context.is_pointer(to) => self.context.zero(to),
            (Ty::Integer(_) | Ty::Float(_), _, Ty::Float(_)) | (Ty::Float(_), _, Ty::Integer(_)) => {
                self.unseen_value(to, FLOATS, span)
            }
            (Ty::Reference(..), _, Ty::Reference(..)) => self.fitted(&value, to, span),
            _ => self.unseen_value(to, "a cast of a value of this type", span),
        }
    }

    /// The number of an enumeration's variant, as `as` gives it.
    fn discriminant(&mut self, id: super::super::hir::AdtId, value: &Value) -> Option<Expr> {
        let adt = self.context.items.adt(id);
        if adt.kind != AdtKind::Enum || adt.opaque {
            return None;
        }
        let tag = value.leaves.first()?.first()?.clone();
        let mut numbers: Vec<Int> = Vec::new();
        for variant in &adt.variants {
            let number = match variant.discriminant {
                Some(constant) => {
                    let slots = self.context.constant_value(constant, &Default::default())?;
                    slots.first()?.clone()
                }
                None => numbers.last().map_or(Int::ZERO, |last| last + &Int::ONE),
            };
            numbers.push(number);
        }
        if numbers.iter().enumerate().all(|(index, number)| *number == Int::from(index as i64)) {
            return Some(tag);
        }
        let last = arith::constant(numbers.pop()?);
        Some(numbers.into_iter().enumerate().rev().fold(last, |rest, (index, number)| {
            let here = arith::compare(CompareOp::Equal, tag.clone(), arith::constant(index as i64));
            arith::choose(here, arith::constant(number), rest)
        }))
    }
}

fn plain(operator: Operator) -> BinaryOp {
    match operator {
        Operator::Add => BinaryOp::Add,
        Operator::Sub => BinaryOp::Sub,
        Operator::Mul => BinaryOp::Mul,
        Operator::Div => BinaryOp::Div,
        _ => BinaryOp::Rem,
    }
}

fn may_fail(operator: Operator) -> Option<FailKind> {
    match operator {
        Operator::Add | Operator::Sub | Operator::Mul => Some(FailKind::Overflow),
        Operator::Div | Operator::Rem => Some(FailKind::DivisionByZero),
        Operator::ShiftLeft | Operator::ShiftRight => Some(FailKind::Shift),
        _ => None,
    }
}

fn truths(operator: Operator, left: Expr, right: Expr) -> Expr {
    let cond = match operator {
        Operator::And => arith::truth(left).and(arith::truth(right)),
        Operator::Or => arith::truth(left).or(arith::truth(right)),
        _ => arith::compare(CompareOp::NotEqual, left, right),
    };
    arith::number(cond)
}

/// Where the exact result of a sum, difference or product leaves the type.
pub fn outside(ty: IntType, op: BinaryOp, left: &Expr, right: &Expr, exact: &Expr) -> Cond {
    let below = arith::compare(CompareOp::Less, exact.clone(), arith::constant(ty.min()));
    let above = arith::compare(CompareOp::Greater, exact.clone(), arith::constant(ty.max()));
    let sign = |expr: &Expr| arith::as_constant(expr).map(Int::signum);
    match (ty.signed, op, sign(left), sign(right)) {
        (false, BinaryOp::Sub, ..) => below,
        (false, ..) => above,
        // Adding what is not negative leaves the type upwards only.
        (true, BinaryOp::Add, Some(0 | 1), _) | (true, BinaryOp::Add, _, Some(0 | 1)) => above,
        (true, BinaryOp::Add, Some(_), _) | (true, BinaryOp::Add, _, Some(_)) => below,
        (true, BinaryOp::Sub, _, Some(0 | 1)) => below,
        (true, BinaryOp::Sub, _, Some(_)) => above,
        _ => below.or(above),
    }
}

/// Where any result leaves the type.
pub fn out_of_range(ty: IntType, exact: &Expr) -> Cond {
    let below = arith::compare(CompareOp::Less, exact.clone(), arith::constant(ty.min()));
    let above = arith::compare(CompareOp::Greater, exact.clone(), arith::constant(ty.max()));
    below.or(above)
}

pub fn quotient_overflows(ty: IntType, left: &Expr, right: &Expr) -> Cond {
    let least = arith::compare(CompareOp::Equal, left.clone(), arith::constant(ty.min()));
    let minus = arith::compare(CompareOp::Equal, right.clone(), arith::constant(-1));
    if minus == Cond::Literal(false) { minus } else { least.and(minus) }
}

pub fn shift_overflows(ty: IntType, count: &Expr) -> Cond {
    let below = arith::compare(CompareOp::Less, count.clone(), arith::constant(0));
    let above = arith::compare(CompareOp::GreaterEqual, count.clone(), arith::constant(i64::from(ty.bits)));
    below.or(above)
}

/// The lowest bits of a shift count, as `wrapping_shl` uses it.
pub fn masked_count(bits: i64, count: Expr) -> Expr {
    match arith::as_constant(&count) {
        Some(value) => arith::constant(value.rem_euclid(&Int::from(bits)).unwrap_or(Int::ZERO)),
        None => bits_and(count, bits - 1),
    }
}

fn bits_and(value: Expr, mask: i64) -> Expr {
    bits(BinaryOp::BitAnd, value, arith::constant(mask))
}

/// A bit operation on integers in two's complement: signs extend to the left for ever.
pub fn bits(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    arith::binary(op, left, right)
}

/// A shift by a count that is in range.
pub fn shifted(operator: Operator, ty: IntType, value: Expr, count: Expr) -> Expr {
    match operator {
        Operator::ShiftLeft => arith::wrap(ty, arith::binary(BinaryOp::ShiftLeft, value, count)),
        _ => arith::binary(BinaryOp::ShiftRight, value, count),
    }
}

/// All bits inverted.
pub fn inverted(ty: IntType, value: Expr) -> Expr {
    match ty.signed {
        true => arith::binary(BinaryOp::Sub, arith::constant(-1), value),
        false => arith::binary(BinaryOp::Sub, Expr::Constant(ty.max()), value),
    }
}
