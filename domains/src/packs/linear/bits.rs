//! Shifts, masks and bitwise operators as linear forms: exact by constants, bounded by the operands elsewhere.

use super::{Lineariser, sign, within_bounds};
use crate::expr::{BinaryOp, Expr};
use crate::int::Int;
use crate::interval::Interval;
use crate::linear::LinearExpr;
use crate::numeric::NumericState;
use crate::product::Value;
use crate::relation::{Constraint, Relation};

impl<R: Relation> Lineariser<'_, R> {
    pub(super) fn bits(
        &mut self,
        whole: &Expr,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
    ) -> Option<LinearExpr> {
        let constant = self.boxes.value(right).as_constant().cloned();
        let count = constant.as_ref().and_then(Int::to_i64).filter(|count| (0..256).contains(count));
        match (op, count, constant) {
            (BinaryOp::ShiftLeft, Some(count), _) => {
                Some(self.form(left)?.scaled(&Int::power_of_two(count as u32)))
            }
            (BinaryOp::ShiftRight, Some(count), _) => {
                Some(self.rounded_down(left, &Int::power_of_two(count as u32))?.1)
            }
            (BinaryOp::BitAnd, _, Some(mask)) if is_low_mask(&mask) => {
                let by = mask + Int::ONE;
                let (value, quotient) = self.rounded_down(left, &by)?;
                Some(value.minus(&quotient.scaled(&by)))
            }
            (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, ..) => {
                self.bitwise(whole, op, left, right)
            }
            _ => self.anything(whole),
        }
    }

    /// The value and its quotient by a positive constant, rounded down.
    fn rounded_down(&mut self, value: &Expr, by: &Int) -> Option<(LinearExpr, LinearExpr)> {
        let count = Value::constant(by.bits() - 1);
        let quotients = Value::binary(BinaryOp::ShiftRight, &self.boxes.value(value), &count);
        let form = self.form(value)?;
        let quotient = self.temporary(quotients.hull())?;
        let rest = form.minus(&quotient.scaled(by));
        self.constraints.extend(within_bounds(&rest, &Interval::finite(Int::ZERO, by - Int::ONE)?));
        Some((form, quotient))
    }

    /// Of numbers that are not negative: `a & b` is at most both, `a | b` at least both, and no more than `a + b`.
    fn bitwise(&mut self, whole: &Expr, op: BinaryOp, left: &Expr, right: &Expr) -> Option<LinearExpr> {
        let result = self.anything(whole)?;
        let natural = |expr: &Expr| sign(&self.boxes.value(expr)) == Some(true);
        if !natural(left) || !natural(right) {
            return Some(result);
        }
        let (left, right) = (self.form(left)?, self.form(right)?);
        if op != BinaryOp::BitXor {
            for side in [&left, &right] {
                let gap = if op == BinaryOp::BitAnd { side.minus(&result) } else { result.minus(side) };
                self.constraints.push(Constraint::at_least_zero(gap));
            }
        }
        if op != BinaryOp::BitAnd {
            self.constraints.push(Constraint::at_least_zero(left.plus(&right).minus(&result)));
        }
        Some(result)
    }
}

/// Whether the ones of a mask are its lowest bits, and there is one.
fn is_low_mask(mask: &Int) -> bool {
    mask.is_positive() && mask.bits() < 256 && (mask & &(mask + Int::ONE)).is_zero()
}
