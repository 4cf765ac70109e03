//! Bit operations, shifts, powers and their like on values.
//!
//! Masks and shifts by constants are what they are in arithmetic: `x & (2^k - 1)` reduces into k bits, `x << k` is a
//! product. *Exact* means: as if every pair of members had been computed, up to the limit on parts.

use super::Value;
use super::arithmetic::{PAIRS, from_members};
use super::reduce::reduce;
use crate::concrete::apply_unary;
use crate::congruence::Congruence;
use crate::expr::{BinaryOp, UnaryOp};
use crate::int::Int;
use crate::interval::shift_counts;
use crate::machine::IntType;

impl Value {
    /// Of the members for which it is defined. Exact on small sets and intervals; else sound.
    pub fn unary(&self, op: UnaryOp) -> Value {
        if let Some(value) = self.as_constant() {
            return apply_unary(op, value).map_or_else(Value::bottom, Value::constant);
        }
        if let Some(members) = self.members(PAIRS as usize) {
            return from_members(members.iter().filter_map(|member| apply_unary(op, member)));
        }
        let parts = self.parts().iter().filter_map(|part| part.unary(op)).collect();
        reduce(parts, self.congruence().unary(op))
    }

    /// The powers of two with these exponents, as far as they are defined.
    pub(super) fn powers_of_two(&self) -> Value {
        let Some((least, most)) = self.hull().and_then(|hull| shift_counts(&hull)) else {
            return Value::bottom();
        };
        let counts = (least..=most).filter(|count| self.contains(&Int::from(*count)));
        from_members(counts.map(Int::power_of_two))
    }
}

/// An operator by a constant that is plain arithmetic.
pub(super) fn by_constant(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    match op {
        BinaryOp::BitAnd => match (left.as_constant(), right.as_constant()) {
            (_, Some(mask)) => masked(left, mask),
            (Some(mask), _) => masked(right, mask),
            _ => None,
        },
        BinaryOp::BitOr | BinaryOp::BitXor => {
            let zero_or_ones = |value: &Int| value.is_zero() || *value == Int::MINUS_ONE;
            let (constant, other) = match (left.as_constant(), right.as_constant()) {
                (_, Some(constant)) if zero_or_ones(constant) => (constant, left),
                (Some(constant), _) if zero_or_ones(constant) => (constant, right),
                _ => return None,
            };
            Some(match (op, constant.is_zero()) {
                (_, true) => other.clone(),
                (BinaryOp::BitOr, false) => Value::constant(-1),
                _ => Value::constant(-1).sub(other),
            })
        }
        BinaryOp::ShiftLeft => Some(left.mul(&right.powers_of_two())),
        _ => None,
    }
}

/// `value & mask` where the mask's ones are the lowest bits, or all but the lowest. Exact.
fn masked(value: &Value, mask: &Int) -> Option<Value> {
    let low_bits = |mask: &Int| {
        let bits = (mask + Int::ONE).trailing_zeros().filter(|bits| (1..=128).contains(bits))?;
        (Int::power_of_two(bits as u32) == mask + Int::ONE).then_some(bits as u32)
    };
    if mask.is_zero() {
        return Some(Value::constant(0));
    }
    if *mask == Int::MINUS_ONE {
        return Some(value.clone());
    }
    if !mask.is_negative() {
        return low_bits(mask).map(|bits| value.wrap(IntType::unsigned(bits)));
    }
    let bits = Value::constant(low_bits(&mask.complement())?);
    let shifted = Value::binary(BinaryOp::ShiftRight, value, &bits);
    Some(Value::binary(BinaryOp::ShiftLeft, &shifted, &bits))
}

pub(super) fn congruence_of(op: BinaryOp, a: &Congruence, b: &Congruence) -> Congruence {
    let count = || b.as_constant().and_then(Int::to_i64).and_then(|count| u32::try_from(count).ok());
    match (op, count()) {
        (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, _) => a.bitwise(op, b),
        (BinaryOp::ShiftRight, Some(by)) => a.shift_right(by),
        (BinaryOp::Power, Some(exponent)) => a.power(exponent),
        _ => Congruence::TOP,
    }
}
