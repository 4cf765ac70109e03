//! Bit operations, shifts, powers and their like on intervals.
//!
//! Bitwise operators are reduced to numbers that are not negative (`x & y` with negative `y` is `x` without the bits
//! of `!y`) and there bounded bit by bit from above, after H. S. Warren, "Hacker's Delight", chapter 4.

use super::arithmetic::{MAX_BOUND_BITS, bounded};
use super::{Bound, Interval};
use crate::expr::{BinaryOp, UnaryOp};
use crate::int::Int;
use crate::operator::{BASE_BITS, LARGEST_SHIFT};

/// Bounds of more bits are only bounded coarsely.
const EXACT_BITS: u64 = 127;

/// An operator on numbers that are not negative.
#[derive(Clone, Copy)]
enum Natural {
    And,
    Or,
    Xor,
    /// The bits of the left one that the right one has not.
    Without,
}

impl Interval {
    /// A bit operation, a shift or a power, as intervals that may overlap. Sound.
    pub fn bits(&self, op: BinaryOp, other: &Interval) -> Vec<Interval> {
        match op {
            BinaryOp::ShiftLeft => self.shift_left(other).into_iter().collect(),
            BinaryOp::ShiftRight => self.shift_right(other).into_iter().collect(),
            BinaryOp::Power => self.power(other).into_iter().collect(),
            _ => self.bitwise(op, other),
        }
    }

    /// `&`, `|` or `^`: one interval per combination of signs, each exact up to 127 bits.
    fn bitwise(&self, op: BinaryOp, other: &Interval) -> Vec<Interval> {
        use Natural::{And, Or, Without, Xor};
        let mut results = Vec::with_capacity(4);
        for (left, left_negative) in self.by_sign() {
            for (right, right_negative) in other.by_sign() {
                let natural = match (op, left_negative, right_negative) {
                    (BinaryOp::BitAnd, false, false) | (BinaryOp::BitOr, true, true) => And,
                    (BinaryOp::BitOr, false, false) | (BinaryOp::BitAnd, true, true) => Or,
                    (BinaryOp::BitAnd | BinaryOp::BitOr, _, _) => Without,
                    _ => Xor,
                };
                // Of a mixed pair, `&` keeps bits of the number that is not negative, `|` of the other.
                let swapped = matches!(natural, Without) && (op == BinaryOp::BitAnd) == left_negative;
                let (first, second) = if swapped { (&right, &left) } else { (&left, &right) };
                let result = natural.of(first, second);
                let negative = match op {
                    BinaryOp::BitAnd => left_negative && right_negative,
                    BinaryOp::BitOr => left_negative || right_negative,
                    _ => left_negative != right_negative,
                };
                results.push(if negative { result.complement() } else { result });
            }
        }
        results
    }

    /// The numbers that are not negative, and the complements of the others.
    fn by_sign(&self) -> impl Iterator<Item = (Interval, bool)> {
        let natural = self.meet(&Interval::at_least(0)).map(|part| (part, false));
        let negative = self.meet(&Interval::at_most(-1)).map(|part| (part.complement(), true));
        natural.into_iter().chain(negative)
    }

    /// `-x - 1` of every member. Exact.
    fn complement(&self) -> Interval {
        self.neg().sub(&Interval::constant(1))
    }

    /// Divided by 2^count and rounded down; `None` if no count is defined. Exact.
    fn shift_right(&self, counts: &Interval) -> Option<Interval> {
        let (least, most) = shift_counts(counts)?;
        let shifted = |bound: &Bound, by: u32| match bound {
            Bound::Finite(value) => Bound::Finite(value.shifted_right(by)),
            infinite => infinite.clone(),
        };
        let low_by = if self.low < Bound::Finite(Int::ZERO) { least } else { most };
        let high_by = if self.high < Bound::Finite(Int::ZERO) { most } else { least };
        Interval::new(shifted(&self.low, low_by), shifted(&self.high, high_by))
    }

    /// Times 2^count; `None` if no count is defined. Exact.
    fn shift_left(&self, counts: &Interval) -> Option<Interval> {
        let (least, most) = shift_counts(counts)?;
        Some(self.mul(&Interval::finite(Int::power_of_two(least), Int::power_of_two(most))?))
    }

    /// To the power; `None` if no exponent is defined. Exact for one exponent and for bases that are not negative,
    /// else sound.
    fn power(&self, exponents: &Interval) -> Option<Interval> {
        let most = Int::power_of_two(BASE_BITS) - Int::ONE;
        let base = self.meet(&Interval::finite(most.neg(), most)?)?;
        let (low, high) = (base.low.finite()?, base.high.finite()?);
        let (least, most) = shift_counts(exponents)?;
        let corners = |value: &Int| (value.pow(least), value.pow(most));
        if !low.is_negative() {
            let ((a, b), (c, d)) = (corners(low), corners(high));
            return Some(bounded(Bound::Finite(a.min(b)), Bound::Finite(c.max(d))));
        }
        if least == most {
            let (from, to) = (low.pow(least), high.pow(least));
            let even = least % 2 == 0;
            let low = match even {
                true if base.contains(&Int::ZERO) => Int::from(least == 0),
                _ => (&from).min(&to).clone(),
            };
            return Some(bounded(Bound::Finite(low), Bound::Finite(from.max(to))));
        }
        let widest = low.abs().max(high.abs()).pow(most);
        Some(bounded(Bound::Finite(widest.neg()), Bound::Finite(widest)))
    }

    /// Of the members for which it is defined; `None` if there is none. Exact.
    pub fn unary(&self, op: UnaryOp) -> Option<Interval> {
        let least = if op == UnaryOp::TrailingZeros { 1 } else { 0 };
        let defined = self.meet(&Interval::at_least(least))?;
        let low = defined.low.finite()?;
        let monotone = |of: &dyn Fn(&Int) -> Option<Int>| {
            let high = match &defined.high {
                Bound::Finite(high) => Bound::Finite(of(high)?),
                infinite => infinite.clone(),
            };
            Interval::new(Bound::Finite(of(low)?), high)
        };
        match op {
            UnaryOp::BitLength => monotone(&|value| Some(Int::from(value.bits()))),
            UnaryOp::SquareRoot => monotone(&Int::square_root),
            UnaryOp::CountOnes => count_ones(low, &defined.high),
            UnaryOp::TrailingZeros => trailing_zeros(low, &defined.high),
        }
    }
}

/// The least and the greatest count that is defined.
pub(crate) fn shift_counts(counts: &Interval) -> Option<(u32, u32)> {
    let counts = counts.meet(&Interval::between(0, LARGEST_SHIFT)?)?;
    let count =
        |bound: &Bound| bound.finite().and_then(Int::to_i64).and_then(|count| u32::try_from(count).ok());
    Some((count(&counts.low)?, count(&counts.high)?))
}

/// The index of the highest bit in which two numbers differ.
fn highest_difference(low: &Int, high: &Int) -> Option<u32> {
    (low ^ high).bits().checked_sub(1).map(|index| index as u32)
}

fn count_ones(low: &Int, high: &Bound) -> Option<Interval> {
    let Bound::Finite(high) = high else {
        return Some(Interval::at_least(Int::from(!low.is_zero())));
    };
    let ones = |value: &Int| value.count_ones().map(Int::from);
    let Some(split) = highest_difference(low, high) else {
        return Some(Interval::constant(ones(low)?));
    };
    // Fewest: the common bits and one more, or `low` itself.
    let least = ones(low)?.min(ones(&high.shifted_right(split))?);
    // Most: where a one of `high` becomes zero, everything below may be ones.
    let mut most = ones(high)?;
    for index in (0..=split).filter(|index| high.bit(*index)) {
        let above = ones(&high.shifted_right(index + 1))?;
        most = most.max(above + Int::from(index));
    }
    Interval::finite(least, most)
}

fn trailing_zeros(low: &Int, high: &Bound) -> Option<Interval> {
    let Bound::Finite(high) = high else {
        return Some(Interval::at_least(0));
    };
    let zeros = low.trailing_zeros()?;
    match highest_difference(low, high) {
        None => Some(Interval::constant(zeros)),
        Some(split) => Interval::finite(Int::ZERO, Int::from(zeros.max(u64::from(split)))),
    }
}

impl Natural {
    fn of(self, left: &Interval, right: &Interval) -> Interval {
        self.exact(left, right).unwrap_or_else(|| self.coarse(left, right))
    }

    fn coarse(self, left: &Interval, right: &Interval) -> Interval {
        let zero = Bound::Finite(Int::ZERO);
        let all_ones = match (&left.high, &right.high) {
            (Bound::Finite(a), Bound::Finite(b)) if a.bits().max(b.bits()) < MAX_BOUND_BITS => {
                Bound::Finite(Int::power_of_two(a.bits().max(b.bits()) as u32) - Int::ONE)
            }
            _ => Bound::PosInfinity,
        };
        match self {
            Natural::And => bounded(zero, (&left.high).min(&right.high).clone()),
            Natural::Or => bounded((&left.low).max(&right.low).clone(), all_ones),
            Natural::Xor => bounded(zero, all_ones),
            Natural::Without => bounded(zero, left.high.clone()),
        }
    }

    fn exact(self, left: &Interval, right: &Interval) -> Option<Interval> {
        let word = |bound: &Bound| {
            let value = bound.finite().filter(|value| value.bits() <= EXACT_BITS)?;
            u128::try_from(value.to_i128()?).ok()
        };
        let a = Words { low: word(&left.low)?, high: word(&left.high)? };
        let b = Words { low: word(&right.low)?, high: word(&right.high)? };
        let mask = u128::MAX.checked_shr((a.high | b.high).leading_zeros()).unwrap_or(0);
        let (low, high) = match self {
            Natural::Or => (a.least_or(b), a.most_or(b)),
            Natural::Xor => (a.least_xor(b), a.most_xor(b)),
            Natural::And => a.and(b, mask),
            Natural::Without => a.and(b.flipped(mask), mask),
        };
        Interval::finite(Int::from(low), Int::from(high))
    }
}

/// A range of words of up to 127 bits.
#[derive(Clone, Copy)]
struct Words {
    low: u128,
    high: u128,
}

impl Words {
    fn flipped(self, mask: u128) -> Words {
        Words { low: mask & !self.high, high: mask & !self.low }
    }

    /// By De Morgan, within the mask.
    fn and(self, other: Words, mask: u128) -> (u128, u128) {
        let (left, right) = (self.flipped(mask), other.flipped(mask));
        (mask & !left.most_or(right), mask & !left.least_or(right))
    }

    /// The single bits from the highest that matters down.
    fn bits(self, other: Words) -> impl Iterator<Item = u128> {
        let width = u128::BITS - (self.high | other.high).leading_zeros();
        (0..width).rev().map(|index| 1 << index)
    }

    /// The least member that has the bit and agrees with `low` above it, if there is one.
    fn raised(self, bit: u128) -> Option<u128> {
        let raised = (self.low | bit) & !(bit - 1);
        (raised <= self.high).then_some(raised)
    }

    /// The greatest member that has not the bit and agrees with `high` above it, if there is one.
    fn lowered(self, bit: u128) -> Option<u128> {
        let lowered = (self.high - bit) | (bit - 1);
        (lowered >= self.low).then_some(lowered)
    }

    fn least_or(self, other: Words) -> u128 {
        for bit in self.bits(other) {
            // What the other one has costs nothing, and everything below becomes zero.
            if self.low & bit == 0 && other.low & bit != 0 {
                if let Some(raised) = self.raised(bit) {
                    return raised | other.low;
                }
            } else if self.low & bit != 0
                && other.low & bit == 0
                && let Some(raised) = other.raised(bit)
            {
                return self.low | raised;
            }
        }
        self.low | other.low
    }

    fn most_or(self, other: Words) -> u128 {
        for bit in self.bits(other) {
            // One of two equal ones suffices; the other number gets ones below it.
            if self.high & other.high & bit != 0 {
                if let Some(lowered) = self.lowered(bit) {
                    return lowered | other.high;
                }
                if let Some(lowered) = other.lowered(bit) {
                    return self.high | lowered;
                }
            }
        }
        self.high | other.high
    }

    fn least_xor(mut self, mut other: Words) -> u128 {
        for bit in self.bits(other) {
            if self.low & bit == 0 && other.low & bit != 0 {
                self.low = self.raised(bit).unwrap_or(self.low);
            } else if self.low & bit != 0 && other.low & bit == 0 {
                other.low = other.raised(bit).unwrap_or(other.low);
            }
        }
        self.low ^ other.low
    }

    fn most_xor(mut self, mut other: Words) -> u128 {
        for bit in self.bits(other) {
            if self.high & other.high & bit != 0 {
                match self.lowered(bit) {
                    Some(lowered) => self.high = lowered,
                    None => other.high = other.lowered(bit).unwrap_or(other.high),
                }
            }
        }
        self.high ^ other.high
    }
}
