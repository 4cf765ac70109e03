//! Constructors of expressions and conditions that fold constants and keep negations at the leaves.
//!
//! Folding never removes an operation that may fail: a partial operator is folded only where it is
//! defined. Shared by the front ends; knows no source language.

use kleene_domains::concrete;
use kleene_domains::expr::{BinaryOp, CompareOp, UnaryOp};
use kleene_domains::int::Int;
use kleene_domains::machine::IntType;

use crate::ir::{Cond, Expr, Place};

/// Constants are not folded beyond this size: a program must not make us compute for ever.
const FOLD_BITS: u64 = 1 << 14;

pub fn constant(value: impl Into<Int>) -> Expr {
    Expr::Constant(value.into())
}

pub fn read(place: Place) -> Expr {
    Expr::Variable(place)
}

pub fn as_constant(expr: &Expr) -> Option<&Int> {
    match expr {
        Expr::Constant(value) => Some(value),
        _ => None,
    }
}

pub fn negate(expr: Expr) -> Expr {
    match expr {
        Expr::Constant(value) => Expr::Constant(value.neg()),
        other => Expr::Negate(Box::new(other)),
    }
}

pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    match (&left, &right) {
        (Expr::Constant(a), Expr::Constant(b)) => match fold(op, a, b) {
            Some(value) => Expr::Constant(value),
            None => Expr::binary(op, left, right),
        },
        _ => Expr::binary(op, left, right),
    }
}

/// A unary operator; one on a constant in its domain is folded.
pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
    match as_constant(&operand).and_then(|value| concrete::apply_unary(op, value)) {
        Some(value) => Expr::Constant(value),
        None => Expr::unary(op, operand),
    }
}

/// The value of an operation on constants, where it has one of reasonable size.
pub fn fold(op: BinaryOp, a: &Int, b: &Int) -> Option<Int> {
    if a.bits() > FOLD_BITS || b.bits() > FOLD_BITS {
        return None;
    }
    concrete::apply(op, a, b)
}

pub fn wrap(ty: IntType, expr: Expr) -> Expr {
    match expr {
        Expr::Constant(value) => Expr::Constant(ty.wrap(&value)),
        other => Expr::Wrap(ty, Box::new(other)),
    }
}

pub fn choose(cond: Cond, yes: Expr, no: Expr) -> Expr {
    match cond {
        Cond::Literal(true) => yes,
        Cond::Literal(false) => no,
        cond => Expr::IfThenElse(Box::new(cond), Box::new(yes), Box::new(no)),
    }
}

pub fn compare(op: CompareOp, left: Expr, right: Expr) -> Cond {
    match (&left, &right) {
        (Expr::Constant(a), Expr::Constant(b)) => Cond::Literal(op.holds(a, b)),
        _ => Cond::Compare(op, left, right),
    }
}

/// `expr != 0`, undoing `number` where it can.
pub fn truth(expr: Expr) -> Cond {
    match expr {
        Expr::IfThenElse(cond, yes, no) if is(&yes, 1) && is(&no, 0) => *cond,
        other => compare(CompareOp::NotEqual, other, constant(0)),
    }
}

/// 1 where the condition holds, else 0.
pub fn number(cond: Cond) -> Expr {
    choose(cond, constant(1), constant(0))
}

fn is(expr: &Expr, value: i64) -> bool {
    as_constant(expr).is_some_and(|constant| *constant == Int::from(value))
}

/// The complement, with negations pushed to the comparisons. Keeps the order of evaluation.
pub fn not(cond: Cond) -> Cond {
    match cond {
        Cond::And(left, right) => Cond::Or(Box::new(not(*left)), Box::new(not(*right))),
        Cond::Or(left, right) => Cond::And(Box::new(not(*left)), Box::new(not(*right))),
        other => other.negated(),
    }
}

/// Number of nodes, counted up to `limit`.
pub fn cond_size(cond: &Cond, limit: usize) -> usize {
    let mut budget = limit;
    spend_cond(cond, &mut budget);
    limit - budget
}

/// Number of nodes, counted up to `limit`.
pub fn expr_size(expr: &Expr, limit: usize) -> usize {
    let mut budget = limit;
    spend_expr(expr, &mut budget);
    limit - budget
}

fn spend_cond(cond: &Cond, budget: &mut usize) {
    if *budget == 0 {
        return;
    }
    *budget -= 1;
    match cond {
        Cond::Literal(_) => {}
        Cond::Compare(_, left, right) => {
            spend_expr(left, budget);
            spend_expr(right, budget);
        }
        Cond::Not(inner) => spend_cond(inner, budget),
        Cond::And(left, right) | Cond::Or(left, right) => {
            spend_cond(left, budget);
            spend_cond(right, budget);
        }
    }
}

fn spend_expr(expr: &Expr, budget: &mut usize) {
    if *budget == 0 {
        return;
    }
    *budget -= 1;
    match expr {
        Expr::Constant(_) | Expr::Any(_) => {}
        Expr::Variable(place) => {
            for projection in &place.path {
                if let crate::ir::Projection::Element(index) = projection {
                    spend_expr(index, budget);
                }
            }
        }
        Expr::Negate(inner) | Expr::Unary(_, inner) | Expr::Wrap(_, inner) => spend_expr(inner, budget),
        Expr::Binary(_, left, right) => {
            spend_expr(left, budget);
            spend_expr(right, budget);
        }
        Expr::IfThenElse(cond, yes, no) => {
            spend_cond(cond, budget);
            spend_expr(yes, budget);
            spend_expr(no, budget);
        }
    }
}
