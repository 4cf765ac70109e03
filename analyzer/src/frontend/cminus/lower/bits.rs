//! Bit operations as exact arithmetic, where a constant operand allows it.
//!
//! All identities hold for the infinite two's complement reading of integers: a mask of a run of bits
//! is a shift and a remainder, `x | c` is `x + c - (x & c)`, `x ^ c` is `x + c - 2 (x & c)`.

use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;
use kleene_domains::machine::IntType;

use super::super::super::Integers;
use super::super::super::arith;
use super::super::ast::Operator;
use super::super::constant;
use super::super::types::{Scalar, Value, convert_int};
use super::Lowerer;
use crate::ir::Expr;
use crate::source::Span;

/// A mask is written as a sum over its runs of ones; more runs than this are refused.
const RUN_LIMIT: usize = 4;
/// The encodings repeat their operand; larger operands are refused.
const OPERAND_LIMIT: usize = 500;

impl Lowerer<'_, '_> {
    pub(super) fn bitwise(&mut self, operator: Operator, left: Value, right: Value, span: Span) -> Value {
        let shifts = matches!(operator, Operator::ShiftLeft | Operator::ShiftRight);
        let ty = if shifts { left.ty.promoted() } else { left.ty.common(right.ty) };
        if !shifts && is_truth(&left) && is_truth(&right) {
            return Value { expr: truths(operator, left.expr, right.expr), ty: Scalar::Bool };
        }
        let left = convert_int(left, ty, self.integers);
        let right = if shifts { right.expr } else { convert_int(right, ty, self.integers) };
        let result = match (arith::as_constant(&left), arith::as_constant(&right)) {
            (Some(a), Some(b)) => constant::binary(operator, a, b).map(Expr::Constant),
            (_, Some(b)) if shifts => self.shift(operator, left.clone(), &b.clone(), ty),
            (_, Some(b)) => self.masked(operator, left.clone(), &b.clone(), ty),
            (Some(a), _) if !shifts => self.masked(operator, right.clone(), &a.clone(), ty),
            _ => None,
        };
        match result {
            Some(expr) => Value { expr: self.reduced(ty, expr), ty: Scalar::Int(ty) },
            None => {
                self.unsupported(span, "this bit operation (a simple constant operand is needed)");
                Self::nothing()
            }
        }
    }

    fn shift(&mut self, operator: Operator, value: Expr, by: &Int, ty: IntType) -> Option<Expr> {
        if self.integers == Integers::Machine && *by >= Int::from(i64::from(ty.bits)) {
            return None;
        }
        let factor = constant::power(by)?;
        match operator {
            Operator::ShiftLeft => Some(arith::binary(BinaryOp::Mul, value, Expr::Constant(factor))),
            _ if self.integers == Integers::Machine && !ty.signed => {
                Some(arith::binary(BinaryOp::Div, value, Expr::Constant(factor)))
            }
            _ => floor_division(value, &factor),
        }
    }

    /// `value & mask`, `value | mask` or `value ^ mask`.
    fn masked(&mut self, operator: Operator, value: Expr, mask: &Int, ty: IntType) -> Option<Expr> {
        let common = and_mask(value.clone(), mask, self.integers == Integers::Machine && !ty.signed)?;
        let sum = |value| arith::binary(BinaryOp::Add, value, Expr::Constant(mask.clone()));
        Some(match operator {
            Operator::BitAnd => common,
            Operator::BitOr => arith::binary(BinaryOp::Sub, sum(value), common),
            _ => {
                let twice = arith::binary(BinaryOp::Mul, arith::constant(2), common);
                arith::binary(BinaryOp::Sub, sum(value), twice)
            }
        })
    }
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

/// Division rounding down, by a positive constant.
fn floor_division(value: Expr, divisor: &Int) -> Option<Expr> {
    if divisor.is_one() {
        return Some(value);
    }
    let divisor_expr = Expr::Constant(divisor.clone());
    if arith::expr_size(&value, OPERAND_LIMIT) >= OPERAND_LIMIT {
        return None;
    }
    let negative = arith::compare(CompareOp::Less, value.clone(), arith::constant(0));
    let lowered = arith::binary(BinaryOp::Sub, value.clone(), Expr::Constant(divisor - Int::from(1)));
    let below = arith::binary(BinaryOp::Div, lowered, divisor_expr.clone());
    Some(arith::choose(negative, below, arith::binary(BinaryOp::Div, value, divisor_expr)))
}

/// The remainder in `0..divisor`, by a positive constant.
fn floor_remainder(value: Expr, divisor: &Int, never_negative: bool) -> Option<Expr> {
    if divisor.is_one() {
        return Some(arith::constant(0));
    }
    let remainder = arith::binary(BinaryOp::Rem, value, Expr::Constant(divisor.clone()));
    if never_negative {
        return Some(remainder);
    }
    if arith::expr_size(&remainder, OPERAND_LIMIT) >= OPERAND_LIMIT {
        return None;
    }
    let negative = arith::compare(CompareOp::Less, remainder.clone(), arith::constant(0));
    let lifted = arith::binary(BinaryOp::Add, remainder.clone(), Expr::Constant(divisor.clone()));
    Some(arith::choose(negative, lifted, remainder))
}

fn and_mask(value: Expr, mask: &Int, never_negative: bool) -> Option<Expr> {
    if mask.is_negative() {
        // The complement has finitely many bits: x & m = x - (x & ~m).
        let removed = and_mask(value.clone(), &constant::complement(mask), never_negative)?;
        return Some(arith::binary(BinaryOp::Sub, value, removed));
    }
    let mut sum: Option<Expr> = None;
    for (low, width) in runs(mask)? {
        let shifted = if never_negative {
            arith::binary(BinaryOp::Div, value.clone(), Expr::Constant(Int::from(2).pow(low)))
        } else {
            floor_division(value.clone(), &Int::from(2).pow(low))?
        };
        let shifted = if low == 0 { value.clone() } else { shifted };
        let field = floor_remainder(shifted, &Int::from(2).pow(width), never_negative)?;
        let term = match low {
            0 => field,
            _ => arith::binary(BinaryOp::Mul, field, Expr::Constant(Int::from(2).pow(low))),
        };
        sum = Some(match sum {
            None => term,
            Some(sum) => arith::binary(BinaryOp::Add, sum, term),
        });
    }
    Some(sum.unwrap_or_else(|| arith::constant(0)))
}

/// Runs of ones in a mask, as (lowest bit, width).
fn runs(mask: &Int) -> Option<Vec<(u32, u32)>> {
    let mut rest = mask.to_i128()?;
    let mut runs = Vec::new();
    let mut at = 0;
    while rest != 0 {
        let zeros = rest.trailing_zeros();
        rest >>= zeros;
        let ones = rest.trailing_ones();
        rest >>= ones;
        runs.push((at + zeros, ones));
        at += zeros + ones;
    }
    (runs.len() <= RUN_LIMIT).then_some(runs)
}
