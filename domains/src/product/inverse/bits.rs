//! Backward bit operations. As in the parent: each answers an over-approximation of one operand.

use super::factor;
use crate::concrete::{apply, apply_unary};
use crate::congruence::Congruence;
use crate::expr::{BinaryOp, UnaryOp};
use crate::int::Int;
use crate::interval::{Bound, Interval, MAX_BOUND_BITS};
use crate::machine::IntType;
use crate::product::Value;

/// So many members are tried one by one.
const TRIED: usize = 64;

/// The left operand, or either one of `&`, `|` and `^`.
pub(super) fn left(op: BinaryOp, wanted: &Value, known: &Value, right: &Value) -> Value {
    if let Some(constant) = right.as_constant()
        && let Some(members) = known.members(TRIED)
    {
        let fits = |member: &Int| apply(op, member, constant).is_some_and(|result| wanted.contains(&result));
        let kept = members.into_iter().filter(fits).map(Interval::constant);
        return Value::from_intervals(kept.collect::<Vec<_>>());
    }
    match op {
        BinaryOp::BitAnd => masked(wanted, known, right),
        BinaryOp::BitOr => ored(wanted, known, right),
        BinaryOp::BitXor => Value::binary(BinaryOp::BitXor, wanted, right),
        BinaryOp::ShiftLeft => factor(wanted, &right.powers_of_two()),
        BinaryOp::ShiftRight => match right.as_constant() {
            Some(_) => {
                let factor = right.powers_of_two();
                let rest = factor
                    .sub(&Value::constant(1))
                    .hull()
                    .and_then(|rest| Interval::new(Bound::Finite(Int::ZERO), rest.high().clone()));
                match rest {
                    Some(rest) => wanted.mul(&factor).add(&Value::from_interval(rest)),
                    None => Value::bottom(),
                }
            }
            None => known.clone(),
        },
        _ => known.clone(),
    }
}

/// The right operand; for a commutative operator as the left one.
pub(super) fn right(op: BinaryOp, wanted: &Value, left_value: &Value, known: &Value) -> Value {
    match op {
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => left(op, wanted, known, left_value),
        _ => {
            let known = op.needs().1.allowed(known);
            match (left_value.as_constant(), known.members(TRIED)) {
                (Some(constant), Some(members)) => {
                    let fits = |member: &Int| {
                        apply(op, constant, member).is_some_and(|result| wanted.contains(&result))
                    };
                    let kept = members.into_iter().filter(fits).map(Interval::constant);
                    Value::from_intervals(kept.collect::<Vec<_>>())
                }
                _ => known,
            }
        }
    }
}

/// The x with x & y ∈ `wanted` for some y: x is at least as large if it is not negative.
fn masked(wanted: &Value, known: &Value, other: &Value) -> Value {
    let mut result = known.clone();
    let natural = |value: &Value| value.low() >= Bound::Finite(Int::ZERO);
    if let Some(mask) = other.as_constant()
        && mask.is_positive()
    {
        let bits = mask.bits() as u32;
        if bits <= 128 && *mask == Int::power_of_two(bits) - Int::ONE {
            return Value::inverse_wrap(IntType::unsigned(bits), wanted, known);
        }
        // The highest bit of the mask is not in the result, and there is none above it: it is zero.
        let top = Int::power_of_two(bits - 1);
        let above = Bound::Finite(&top + &top);
        if natural(known) && known.high() < above && wanted.high() < Bound::Finite(top.clone()) {
            result = result.meet_interval(&Interval::at_most(top - Int::ONE));
        }
    }
    match (natural(known), wanted.low()) {
        (true, Bound::Finite(low)) => result.meet_interval(&Interval::at_least(low)),
        _ => result,
    }
}

/// The x with x | y ∈ `wanted` for some y: x is at most as large if y is not negative.
fn ored(wanted: &Value, known: &Value, other: &Value) -> Value {
    match (other.low() >= Bound::Finite(Int::ZERO), wanted.high()) {
        (true, Bound::Finite(high)) => known.meet_interval(&Interval::at_most(high)),
        _ => known.clone(),
    }
}

impl Value {
    /// The members of `operand` whose result is in `wanted`.
    pub fn inverse_unary(op: UnaryOp, wanted: &Value, operand: &Value) -> Value {
        let known = op.needs().allowed(operand);
        if let Some(members) = known.members(TRIED) {
            let fits = |member: &Int| apply_unary(op, member).is_some_and(|result| wanted.contains(&result));
            let kept = members.into_iter().filter(fits).map(Interval::constant);
            return Value::from_intervals(kept.collect::<Vec<_>>());
        }
        let Some(hull) = wanted.meet_interval(&Interval::at_least(0)).hull() else {
            return Value::bottom();
        };
        let (low, high) = (hull.low().finite(), hull.high().finite());
        let power = |exponent: &Int| {
            let exponent = u32::try_from(exponent.to_i64()?).ok()?;
            (u64::from(exponent) < MAX_BOUND_BITS).then(|| Int::power_of_two(exponent))
        };
        let (at_least, at_most) = match op {
            UnaryOp::BitLength => {
                let least = low.filter(|low| low.is_positive()).and_then(|low| power(&(low - Int::ONE)));
                (least, high.and_then(power).map(|power| power - Int::ONE))
            }
            UnaryOp::SquareRoot => {
                let next = high.map(|high| high + Int::ONE);
                (low.map(|low| low * low), next.map(|next| &next * &next - Int::ONE))
            }
            UnaryOp::CountOnes => {
                let none = high.filter(|high| high.is_zero()).cloned();
                (low.and_then(power).map(|power| power - Int::ONE), none)
            }
            UnaryOp::TrailingZeros => {
                let step = low.and_then(power).unwrap_or(Int::ONE);
                let multiples = match wanted.as_constant() {
                    Some(_) => Congruence::new(&step + &step, step),
                    None => Congruence::new(step, Int::ZERO),
                };
                return known.meet(&Value::from_congruence(multiples));
            }
        };
        let known = at_least.map_or(known.clone(), |least| known.meet_interval(&Interval::at_least(least)));
        at_most.map_or(known.clone(), |most| known.meet_interval(&Interval::at_most(most)))
    }
}
