//! Values of constant expressions: array lengths, `case` labels, `enum` constants.

use kleene_domains::expr::BinaryOp;
use kleene_domains::int::Int;

use super::super::arith;
use super::ast::{Expr, ExprKind, Operator, TypeName, UnaryOp};
use super::types::Scalar;

/// Shifts by more bits than this are not folded.
const SHIFT_LIMIT: i64 = 4096;

/// The value of an expression without variables; `named` knows the constants.
pub fn evaluate<'a>(expr: &Expr<'a>, named: &dyn Fn(&'a str) -> Option<Int>) -> Option<Int> {
    let truth = |value: bool| Int::from(i64::from(value));
    match &expr.kind {
        ExprKind::Integer(value, _) => Some(value.clone()),
        ExprKind::Name(name) => named(name),
        ExprKind::Unary(UnaryOp::Plus, inner) => evaluate(inner, named),
        ExprKind::Cast(ty, inner) => {
            let keeps = |value: &Int| match ty {
                TypeName::Scalar(Scalar::Int(ty)) => ty.contains(value),
                TypeName::Scalar(Scalar::Bool) => [Int::from(0), Int::from(1)].contains(value),
                TypeName::Void => false,
            };
            evaluate(inner, named).filter(keeps)
        }
        ExprKind::Unary(UnaryOp::Minus, inner) => Some(evaluate(inner, named)?.neg()),
        ExprKind::Unary(UnaryOp::Not, inner) => Some(truth(evaluate(inner, named)?.is_zero())),
        ExprKind::Unary(UnaryOp::Complement, inner) => Some(complement(&evaluate(inner, named)?)),
        ExprKind::Binary(operator, left, right) => {
            binary(*operator, &evaluate(left, named)?, &evaluate(right, named)?)
        }
        ExprKind::And(left, right) => match evaluate(left, named)?.is_zero() {
            true => Some(truth(false)),
            false => Some(truth(!evaluate(right, named)?.is_zero())),
        },
        ExprKind::Or(left, right) => match evaluate(left, named)?.is_zero() {
            true => Some(truth(!evaluate(right, named)?.is_zero())),
            false => Some(truth(true)),
        },
        ExprKind::Conditional(condition, yes, no) => match evaluate(condition, named)?.is_zero() {
            true => evaluate(no, named),
            false => evaluate(yes, named),
        },
        _ => None,
    }
}

pub fn complement(value: &Int) -> Int {
    Int::from(-1) - value
}

/// An operation on constants, in the infinite two's complement reading.
pub fn binary(operator: Operator, a: &Int, b: &Int) -> Option<Int> {
    match operator {
        Operator::Arithmetic(op) => arith::fold(op, a, b),
        Operator::Compare(op) => Some(Int::from(i64::from(op.holds(a, b)))),
        Operator::ShiftLeft => arith::fold(BinaryOp::Mul, a, &power(b)?),
        Operator::ShiftRight => a.div_floor(&power(b)?),
        Operator::BitAnd => arith::fold(BinaryOp::BitAnd, a, b),
        Operator::BitOr => arith::fold(BinaryOp::BitOr, a, b),
        Operator::BitXor => arith::fold(BinaryOp::BitXor, a, b),
    }
}

/// 2^exponent, for the shift by `exponent`.
pub fn power(exponent: &Int) -> Option<Int> {
    let exponent = exponent.to_i64().filter(|exponent| (0..=SHIFT_LIMIT).contains(exponent))?;
    Some(Int::from(2).pow(exponent as u32))
}
