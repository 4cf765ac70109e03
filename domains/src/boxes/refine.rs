//! Restricting a box by a condition. Every function only shrinks values, and keeps each point at
//! which the condition holds.

use super::evaluate::{is_partial_expr, quick, tested_condition, value, value_where};
use super::linear;
use super::view::View;
use crate::expr::{CompareOp, Cond, Expr, Var};
use crate::linear::LinearExpr;
use crate::operator::Needs;
use crate::product::Value;

/// No point is left.
#[derive(Debug)]
pub(super) struct Empty;

/// Rounds of the local fixpoint. Convergence can be slow (x < y && y < x counts down), and stopping
/// early is sound.
const ROUNDS: usize = 8;

/// Keeps the points at which the condition may be as expected.
pub(super) fn assume(values: &mut View<'_>, cond: &Cond, expected: bool) -> Result<(), Empty> {
    for _ in 0..ROUNDS {
        let changed = assume_once(values, cond, expected)?;
        if !changed || compares_distinct_leaves(cond) {
            return Ok(());
        }
    }
    Ok(())
}

/// The values after [`assume`].
pub(super) fn restricted<'v>(values: &View<'v>, cond: &Cond, expected: bool) -> Result<View<'v>, Empty> {
    let mut restricted = values.clone();
    assume(&mut restricted, cond, expected)?;
    Ok(restricted)
}

/// The values after a single round. Used below the top level, where repeated rounds
/// would multiply with the nesting.
pub(super) fn restricted_once<'v>(values: &View<'v>, cond: &Cond, expected: bool) -> Result<View<'v>, Empty> {
    let mut restricted = values.clone();
    assume_once(&mut restricted, cond, expected)?;
    Ok(restricted)
}

/// Such a comparison refines each side by the other as it was, which is already a fixpoint.
pub(super) fn compares_distinct_leaves(cond: &Cond) -> bool {
    let Cond::Compare(_, left, right) = cond else {
        return false;
    };
    let is_leaf = |expr: &Expr| matches!(expr, Expr::Constant(_) | Expr::Variable(_));
    is_leaf(left) && is_leaf(right) && left != right
}

/// Keeps the points at which every operator of the expression is defined. Branches not known to be taken
/// are left alone.
pub(super) fn keep_defined(values: &mut View<'_>, expr: &Expr) -> Result<bool, Empty> {
    if !is_partial_expr(expr) {
        return Ok(false);
    }
    match expr {
        Expr::Negate(inner) | Expr::Wrap(_, inner) => keep_defined(values, inner),
        Expr::Binary(op, left, right) => {
            let mut changed = keep_defined(values, left)?;
            changed |= keep_defined(values, right)?;
            let (of_left, of_right) = op.needs();
            changed |= keep_allowed(values, left, &of_left)?;
            Ok(keep_allowed(values, right, &of_right)? | changed)
        }
        Expr::Unary(op, inner) => {
            let changed = keep_defined(values, inner)?;
            Ok(keep_allowed(values, inner, &op.needs())? | changed)
        }
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) | Expr::IfThenElse(..) => Ok(false),
    }
}

fn keep_allowed(values: &mut View<'_>, operand: &Expr, needs: &Needs) -> Result<bool, Empty> {
    if *needs == Needs::Anything {
        return Ok(false);
    }
    let current = value(values, operand);
    let allowed = needs.allowed(&current);
    project_to(values, operand, &current, &allowed)
}

/// One round with the condition or, if `expected` is false, its negation; whether a value changed.
fn assume_once(values: &mut View<'_>, cond: &Cond, expected: bool) -> Result<bool, Empty> {
    match (cond, expected) {
        (Cond::Literal(literal), _) if *literal == expected => Ok(false),
        (Cond::Literal(_), _) => Err(Empty),
        (Cond::Not(inner), _) => assume_once(values, inner, !expected),
        (Cond::Compare(op, left, right), true) => compare(values, *op, left, right),
        (Cond::Compare(op, left, right), false) => compare(values, op.negated(), left, right),
        (Cond::And(left, right), true) | (Cond::Or(left, right), false) => {
            let changed = assume_once(values, left, expected)?;
            Ok(assume_once(values, right, expected)? | changed)
        }
        (Cond::And(left, right), false) | (Cond::Or(left, right), true) => {
            either(values, left, right, expected)
        }
    }
}

/// The join of both sides, each refined by itself.
fn either(values: &mut View<'_>, left: &Cond, right: &Cond, expected: bool) -> Result<bool, Empty> {
    let left = restricted_once(values, left, expected);
    let right = restricted_once(values, right, expected);
    values.keep_union(left, right)
}

pub(super) fn shrink(values: &mut View<'_>, index: usize, by: &Value) -> Result<bool, Empty> {
    let smaller = values[index].meet(by);
    if smaller.is_bottom() {
        return Err(Empty);
    }
    let changed = smaller != values[index];
    if changed {
        values.set(index, smaller);
    }
    Ok(changed)
}

fn compare(values: &mut View<'_>, op: CompareOp, left: &Expr, right: &Expr) -> Result<bool, Empty> {
    if let Some(tested) = tested_condition(op, left, right) {
        return match tested.outcomes {
            (true, true) => Ok(false),
            (false, false) => Err(Empty),
            (when_true, _) => assume_once(values, tested.cond, when_true),
        };
    }
    if linear::repeats_variable(left, Some(right))
        && let (Some(left), Some(right)) = (LinearExpr::of(left), LinearExpr::of(right))
    {
        return linear::assume(values, op, &left.minus(&right));
    }
    let mut changed = keep_defined(values, left)? | keep_defined(values, right)?;
    let left_value = value(values, left);
    let right_value = value(values, right);
    if left_value.is_bottom() || right_value.is_bottom() {
        return Err(Empty);
    }
    let (left_wanted, right_wanted) = Value::refine(op, &left_value, &right_value);
    if left_wanted.is_bottom() || right_wanted.is_bottom() {
        return Err(Empty);
    }
    changed |= project(values, left, &left_value, &left_wanted)?;
    Ok(project(values, right, &right_value, &right_wanted)? | changed)
}

/// Keeps the points at which the expression, now worth `current`, can have a wanted value.
fn project(values: &mut View<'_>, expr: &Expr, current: &Value, wanted: &Value) -> Result<bool, Empty> {
    if current == wanted {
        return Ok(false);
    }
    match expr {
        Expr::Constant(_) | Expr::Any(_) => Ok(false),
        Expr::Variable(Var(index)) => shrink(values, *index as usize, wanted),
        Expr::Negate(inner) => backward(values, inner, &wanted.neg()),
        Expr::Unary(op, inner) => {
            let inner_value = value(values, inner);
            let inner_wanted = Value::inverse_unary(*op, wanted, &inner_value);
            project_to(values, inner, &inner_value, &inner_wanted)
        }
        Expr::Binary(op, left, right) => {
            let left_value = value(values, left);
            let right_value = value(values, right);
            let left_wanted = Value::inverse_left(*op, wanted, &left_value, &right_value);
            let changed = backward_from(values, left, &left_value, &left_wanted)?;
            let right_wanted = Value::inverse_right(*op, wanted, &left_value, &right_value);
            if changed {
                backward(values, right, &right_wanted)?;
                return Ok(true);
            }
            backward_from(values, right, &right_value, &right_wanted)
        }
        Expr::Wrap(ty, inner) => {
            let inner_value = value(values, inner);
            let inner_wanted = Value::inverse_wrap(*ty, wanted, &inner_value);
            project_to(values, inner, &inner_value, &inner_wanted)
        }
        Expr::IfThenElse(cond, yes, no) => {
            let mut rests = rests(values, expr);
            choose(values, (cond, yes, no), wanted, &mut rests)
        }
    }
}

fn backward(values: &mut View<'_>, expr: &Expr, wanted: &Value) -> Result<bool, Empty> {
    // A leaf needs no forward value: this is the common case.
    if let Expr::Variable(Var(index)) = expr {
        return shrink(values, *index as usize, wanted);
    }
    let current = value(values, expr);
    project_to(values, expr, &current, wanted)
}

/// The same for an expression whose value is known already.
fn backward_from(values: &mut View<'_>, expr: &Expr, current: &Value, wanted: &Value) -> Result<bool, Empty> {
    match expr {
        Expr::Variable(Var(index)) => shrink(values, *index as usize, wanted),
        _ => project_to(values, expr, current, wanted),
    }
}

fn project_to(values: &mut View<'_>, expr: &Expr, current: &Value, wanted: &Value) -> Result<bool, Empty> {
    let wanted = current.meet(wanted);
    if wanted.is_bottom() {
        return Err(Empty);
    }
    project(values, expr, current, &wanted)
}

/// What is behind a condition that fails: the box there, and what the expression behind it is worth in it.
struct Rest<'v> {
    view: View<'v>,
    worth: Value,
}

/// A chain of choices, as elements of arrays are read, has a rest behind each condition that can fail, here from the
/// last. The value of each is that of the next and one more, so that a chain is not evaluated for each of its parts.
fn rests<'v>(values: &View<'v>, chain: &Expr) -> Vec<Rest<'v>> {
    let mut views: Vec<(View<'v>, &Expr)> = Vec::new();
    let mut at = chain;
    while let Expr::IfThenElse(cond, _, no) = at {
        let here = views.last().map_or(values, |(view, _)| view);
        let Ok(rest) = restricted_once(here, cond, false) else { break };
        views.push((rest, no));
        at = no;
    }
    let mut rests: Vec<Rest<'v>> = Vec::with_capacity(views.len());
    for (view, expr) in views.into_iter().rev() {
        let worth = match (expr, rests.last()) {
            (Expr::IfThenElse(cond, yes, no), Some(next)) => match quick(&view, cond) {
                Some(true) => value(&view, yes),
                Some(false) if view.is_same(&next.view) => next.worth.clone(),
                Some(false) => value(&view, no),
                None => value_where(&view, cond, true, yes).join(&next.worth),
            },
            _ => value(&view, expr),
        };
        rests.push(Rest { view, worth });
    }
    rests
}

/// Keeps the points at which one of two sides, the condition being so, can have a wanted value.
fn choose<'v>(
    values: &mut View<'v>,
    (cond, yes, no): (&Cond, &Expr, &Expr),
    wanted: &Value,
    rests: &mut Vec<Rest<'v>>,
) -> Result<bool, Empty> {
    let taken = restricted_once(values, cond, true).and_then(|mut restricted| {
        backward(&mut restricted, yes, wanted)?;
        Ok(restricted)
    });
    let other = rests.pop().ok_or(Empty).and_then(|Rest { mut view, worth }| {
        match no {
            Expr::IfThenElse(cond, yes, no) => {
                let wanted = worth.meet(wanted);
                if wanted.is_bottom() {
                    return Err(Empty);
                }
                if worth != wanted {
                    choose(&mut view, (cond, yes, no), &wanted, rests)?;
                }
            }
            _ => {
                backward_from(&mut view, no, &worth, wanted)?;
            }
        }
        Ok(view)
    });
    values.keep_union(taken, other)
}
