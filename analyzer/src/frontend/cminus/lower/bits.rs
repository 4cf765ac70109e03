//! Bit operations and shifts. Bits are those of the infinite two's complement reading, which agrees with every machine
//! type on values of that type.

use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;
use kleene_domains::machine::IntType;

use super::super::super::Integers;
use super::super::super::arith;
use super::super::super::build::Pending;
use super::super::ast::Operator;
use super::super::constant;
use super::super::types::{Scalar, Value, convert_int};
use super::Lowerer;
use crate::ir::{Cond, Expr, FailKind};
use crate::source::Span;

impl Lowerer<'_, '_> {
    pub(super) fn bitwise(
        &mut self,
        operator: Operator,
        left: Value,
        right: Value,
        span: Span,
        pending: &mut Pending,
    ) -> Value {
        let op = match operator {
            Operator::BitAnd => BinaryOp::BitAnd,
            Operator::BitOr => BinaryOp::BitOr,
            Operator::BitXor => BinaryOp::BitXor,
            _ => return self.shift(operator, left, right, span, pending),
        };
        if is_truth(&left) && is_truth(&right) {
            return Value { expr: truths(operator, left.expr, right.expr), ty: Scalar::Bool };
        }
        let ty = left.ty.common(right.ty);
        let left = convert_int(left, ty, self.integers);
        let right = convert_int(right, ty, self.integers);
        // Both are of the type, and so is the result.
        Value { expr: arith::binary(op, left, right), ty: Scalar::Int(ty) }
    }

    fn shift(
        &mut self,
        operator: Operator,
        left: Value,
        right: Value,
        span: Span,
        pending: &mut Pending,
    ) -> Value {
        let ty = left.ty.promoted();
        let left = convert_int(left, ty, self.integers);
        let count = right.expr;
        if let Some(by) = arith::as_constant(&count).cloned() {
            return match self.shifted(operator, left, &by, ty) {
                Some(expr) => Value { expr, ty: Scalar::Int(ty) },
                None => {
                    self.unsupported(span, "a shift by a constant that is no valid count");
                    Self::nothing()
                }
            };
        }
        pending.fails_if(arith::not(is_count(&count, ty)), FailKind::Shift, span);
        let expr = match operator {
            Operator::ShiftLeft => self.reduced(ty, arith::binary(BinaryOp::ShiftLeft, left, count)),
            _ => arith::binary(BinaryOp::ShiftRight, left, count),
        };
        Value { expr, ty: Scalar::Int(ty) }
    }

    /// By a constant. A product says more to linear domains than a shift.
    fn shifted(&mut self, operator: Operator, value: Expr, by: &Int, ty: IntType) -> Option<Expr> {
        if self.integers == Integers::Machine && *by >= Int::from(i64::from(ty.bits)) {
            return None;
        }
        let factor = constant::power(by)?;
        Some(match operator {
            Operator::ShiftLeft => {
                self.reduced(ty, arith::binary(BinaryOp::Mul, value, Expr::Constant(factor)))
            }
            _ if self.integers == Integers::Machine && !ty.signed => {
                arith::binary(BinaryOp::Div, value, Expr::Constant(factor))
            }
            _ => arith::binary(BinaryOp::ShiftRight, value, Expr::Constant(by.clone())),
        })
    }
}

/// From 0 to below the width of the type: anything else is undefined in C, whatever integers are.
fn is_count(count: &Expr, ty: IntType) -> Cond {
    let low = arith::compare(CompareOp::GreaterEqual, count.clone(), arith::constant(0));
    low.and(arith::compare(CompareOp::Less, count.clone(), arith::constant(i64::from(ty.bits))))
}

/// Whether a value is 0 or 1 for sure: then bits are truth values.
fn is_truth(value: &Value) -> bool {
    value.ty == Scalar::Bool || arith::as_constant(&value.expr).is_some_and(|it| it.is_zero() || it.is_one())
}

fn truths(operator: Operator, left: Expr, right: Expr) -> Expr {
    let cond = match operator {
        Operator::BitAnd => arith::truth(left).and(arith::truth(right)),
        Operator::BitOr => arith::truth(left).or(arith::truth(right)),
        _ => arith::compare(CompareOp::NotEqual, left, right),
    };
    arith::number(cond)
}
