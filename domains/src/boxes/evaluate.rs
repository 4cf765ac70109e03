//! Forward evaluation in a box, and the questions asked of conditions.

use super::linear;
use super::refine::{self, Empty, restricted};
use super::view::View;
use crate::expr::{BinaryOp, CompareOp, Cond, Expr, Var};
use crate::linear::LinearExpr;
use crate::operator::Needs;
use crate::product::Value;

/// As [`value`], with the terms of repeated variables collected where the expression is linear.
pub(super) fn collected_value(values: &View<'_>, expr: &Expr) -> Value {
    let plain = value(values, expr);
    if plain.as_constant().is_none()
        && linear::repeats_variable(expr, None)
        && let Some(form) = LinearExpr::of(expr)
    {
        return plain.meet(&linear::value(values, &form));
    }
    plain
}

/// Contains every defined value of the expression.
pub(super) fn value(values: &View<'_>, expr: &Expr) -> Value {
    match expr {
        Expr::Constant(value) => Value::constant(value),
        Expr::Variable(Var(index)) => values[*index as usize].clone(),
        Expr::Any(interval) => Value::from_interval(interval.clone()),
        Expr::Negate(inner) => value(values, inner).neg(),
        Expr::Unary(op, inner) => value(values, inner).unary(*op),
        Expr::Binary(BinaryOp::Mul, left, right) if is_square(left, right) => value(values, left).square(),
        Expr::Binary(op, left, right) => Value::binary(*op, &value(values, left), &value(values, right)),
        Expr::Wrap(ty, inner) => value(values, inner).wrap(*ty),
        Expr::IfThenElse(cond, yes, no) => match quick(values, cond) {
            Some(true) => value(values, yes),
            Some(false) => value(values, no),
            None => {
                let taken = value_where(values, cond, true, yes);
                taken.join(&value_where(values, cond, false, no))
            }
        },
    }
}

/// Two readings of one variable give the same value, unlike two of `Any`.
fn is_square(left: &Expr, right: &Expr) -> bool {
    matches!((left, right), (Expr::Variable(a), Expr::Variable(b)) if a == b)
}

/// The truth value wherever the condition is defined, as far as values alone tell; nothing is
/// copied.
pub(super) fn quick(values: &View<'_>, cond: &Cond) -> Option<bool> {
    match cond {
        Cond::Literal(literal) => Some(*literal),
        Cond::Not(inner) => quick(values, inner).map(|answer| !answer),
        Cond::Compare(op, left, right) => match tested_condition(*op, left, right) {
            Some(tested) => match tested.outcomes {
                (true, true) => Some(true),
                (false, false) => Some(false),
                (when_true, _) => quick(values, tested.cond).map(|answer| answer == when_true),
            },
            None => Value::compare(*op, &value(values, left), &value(values, right)),
        },
        Cond::And(left, right) => match (quick(values, left), quick(values, right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Cond::Or(left, right) => match (quick(values, left), quick(values, right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
    }
}

/// A condition stored as one of two constants and compared with a third: `(c ? 1 : 0) != 0`.
pub(super) struct TestedCondition<'a> {
    pub(super) cond: &'a Cond,
    /// The truth of the comparison where the condition is true, and where it is false.
    pub(super) outcomes: (bool, bool),
}

/// Recognises conditions that took the way through a boolean variable's expression. Without this
/// each level of nesting would be refined several times over.
pub(super) fn tested_condition<'a>(
    op: CompareOp,
    left: &'a Expr,
    right: &'a Expr,
) -> Option<TestedCondition<'a>> {
    match (left, right) {
        (Expr::IfThenElse(cond, yes, no), Expr::Constant(with)) => {
            let (Expr::Constant(yes), Expr::Constant(no)) = (&**yes, &**no) else {
                return None;
            };
            Some(TestedCondition { cond, outcomes: (op.holds(yes, with), op.holds(no, with)) })
        }
        (Expr::Constant(_), Expr::IfThenElse(..)) => tested_condition(op.swapped(), right, left),
        _ => None,
    }
}

/// The value of the expression at the points where the condition is as expected.
pub(super) fn value_where(values: &View<'_>, cond: &Cond, expected: bool, expr: &Expr) -> Value {
    match refine::restricted_once(values, cond, expected) {
        Ok(restricted) => value(&restricted, expr),
        Err(Empty) => Value::bottom(),
    }
}

/// The one truth value of the condition at all points, where it is defined at all of them.
pub(super) fn decide(values: &View<'_>, cond: &Cond) -> Option<bool> {
    let answer = decide_defined(values, cond)?;
    let defined = !has_partial(cond) || !cond_may_be_undefined(values, cond);
    defined.then_some(answer)
}

fn decide_defined(values: &View<'_>, cond: &Cond) -> Option<bool> {
    if let Some(answer) = quick(values, cond) {
        return Some(answer);
    }
    if refine::compares_distinct_leaves(cond) {
        // Comparing values is exact then: both answers occur.
        return None;
    }
    let may_hold = restricted(values, cond, true).is_ok();
    let may_fail = restricted(values, cond, false).is_ok();
    match (may_hold, may_fail) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        // Neither: nowhere defined. Both: open.
        _ => None,
    }
}

/// Whether evaluating the condition, with short circuit, may meet an operator where it is undefined.
pub(super) fn cond_may_be_undefined(values: &View<'_>, cond: &Cond) -> bool {
    if !has_partial(cond) {
        return false;
    }
    match cond {
        Cond::Literal(_) => false,
        Cond::Compare(_, left, right) => {
            expr_may_be_undefined(values, left) || expr_may_be_undefined(values, right)
        }
        Cond::Not(inner) => cond_may_be_undefined(values, inner),
        Cond::And(left, right) => {
            cond_may_be_undefined(values, left)
                || restricted(values, left, true).is_ok_and(|values| cond_may_be_undefined(&values, right))
        }
        Cond::Or(left, right) => {
            cond_may_be_undefined(values, left)
                || restricted(values, left, false).is_ok_and(|values| cond_may_be_undefined(&values, right))
        }
    }
}

fn expr_may_be_undefined(values: &View<'_>, expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => false,
        Expr::Negate(inner) | Expr::Wrap(_, inner) => expr_may_be_undefined(values, inner),
        Expr::Unary(op, inner) => lacks(values, &op.needs(), inner) || expr_may_be_undefined(values, inner),
        Expr::Binary(op, left, right) => {
            let (of_left, of_right) = op.needs();
            lacks(values, &of_left, left)
                || lacks(values, &of_right, right)
                || expr_may_be_undefined(values, left)
                || expr_may_be_undefined(values, right)
        }
        Expr::IfThenElse(cond, yes, no) => {
            cond_may_be_undefined(values, cond)
                || restricted(values, cond, true).is_ok_and(|values| expr_may_be_undefined(&values, yes))
                || restricted(values, cond, false).is_ok_and(|values| expr_may_be_undefined(&values, no))
        }
    }
}

/// Whether the operand may have a value it must not have.
fn lacks(values: &View<'_>, needs: &Needs, operand: &Expr) -> bool {
    if *needs == Needs::Anything {
        return false;
    }
    needs.exclude_some(&value(values, operand))
}

fn has_partial(cond: &Cond) -> bool {
    match cond {
        Cond::Literal(_) => false,
        Cond::Compare(_, left, right) => is_partial_expr(left) || is_partial_expr(right),
        Cond::Not(inner) => has_partial(inner),
        Cond::And(left, right) | Cond::Or(left, right) => has_partial(left) || has_partial(right),
    }
}

pub(super) fn is_partial_expr(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => false,
        Expr::Unary(..) => true,
        Expr::Binary(op, ..) if op.is_partial() => true,
        Expr::Negate(inner) | Expr::Wrap(_, inner) => is_partial_expr(inner),
        Expr::Binary(_, left, right) => is_partial_expr(left) || is_partial_expr(right),
        Expr::IfThenElse(cond, yes, no) => has_partial(cond) || is_partial_expr(yes) || is_partial_expr(no),
    }
}
