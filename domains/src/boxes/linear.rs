//! Boxes and linear forms, for expressions in which a variable occurs more than once.

use super::refine::{Empty, shrink};
use super::view::View;
use crate::expr::{BinaryOp, CompareOp, Expr, Var};
use crate::linear::LinearExpr;
use crate::product::Value;

/// More occurrences than this are not looked through.
const OCCURRENCES: usize = 16;

/// Whether some variable occurs twice, so that collecting terms may help.
pub(super) fn repeats_variable(left: &Expr, right: Option<&Expr>) -> bool {
    let mut seen = [Var(0); OCCURRENCES];
    let mut count = 0;
    let mut repeats = false;
    let mut visit = |variable: &Var| {
        if repeats || count == OCCURRENCES {
            return;
        }
        repeats = seen[..count].contains(variable);
        seen[count] = *variable;
        count += 1;
    };
    left.for_each_variable(&mut visit);
    if let Some(right) = right {
        right.for_each_variable(&mut visit);
    }
    repeats
}

/// Contains the value of the form at every point.
pub(super) fn value(values: &View<'_>, form: &LinearExpr) -> Value {
    let offset = Value::constant(form.offset());
    form.terms().iter().fold(offset, |sum, (Var(index), factor)| {
        sum.add(&values[*index as usize].mul(&Value::constant(factor)))
    })
}

/// Keeps the points at which `form op 0` may hold, solving for each variable in turn; whether a
/// value changed.
pub(super) fn assume(values: &mut View<'_>, op: CompareOp, form: &LinearExpr) -> Result<bool, Empty> {
    let zero = Value::constant(0);
    if Value::refine(op, &value(values, form), &zero).0.is_bottom() {
        return Err(Empty);
    }
    let mut changed = false;
    for (solved, (Var(index), factor)) in form.terms().iter().enumerate() {
        let factor = Value::constant(factor);
        let mut rest = Value::constant(form.offset());
        for (other, (Var(index), factor)) in form.terms().iter().enumerate() {
            if other != solved {
                rest = rest.add(&values[*index as usize].mul(&Value::constant(factor)));
            }
        }
        let known = &values[*index as usize];
        let (term, _) = Value::refine(op, &known.mul(&factor), &rest.neg());
        let wanted = Value::inverse_left(BinaryOp::Mul, &term, known, &factor);
        changed |= shrink(values, *index as usize, &wanted)?;
    }
    Ok(changed)
}
