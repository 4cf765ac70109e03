//! Interval arithmetic. *Exact* means: the smallest interval that holds every concrete result.
//!
//! Bounds are kept below 2^4096: a result bound beyond is replaced by infinity, or by ±2^4096 where
//! it is the inner bound. That only enlarges the interval, so it is sound, and it keeps a program
//! that squares in a loop from filling the memory.

use super::{Bound, Interval};
use crate::int::Int;
use crate::machine::IntType;

/// Magnitudes of more bits than this are not kept as bounds.
pub const MAX_BOUND_BITS: u64 = 4096;

/// Divisor ranges up to this size are tried value by value.
const REM_ENUMERATION: i64 = 16;

impl Interval {
    /// Exact.
    pub fn add(&self, other: &Interval) -> Interval {
        bounded(
            add_bounds(&self.low, &other.low, Bound::NegInfinity),
            add_bounds(&self.high, &other.high, Bound::PosInfinity),
        )
    }

    /// Exact.
    pub fn sub(&self, other: &Interval) -> Interval {
        self.add(&other.neg())
    }

    /// Exact.
    pub fn neg(&self) -> Interval {
        Interval { low: neg_bound(&self.high), high: neg_bound(&self.low) }
    }

    /// Exact.
    pub fn mul(&self, other: &Interval) -> Interval {
        hull_of_corners([
            mul_bounds(&self.low, &other.low),
            mul_bounds(&self.low, &other.high),
            mul_bounds(&self.high, &other.low),
            mul_bounds(&self.high, &other.high),
        ])
    }

    /// Truncating division by the non-zero values of `other`; `None` if there is none. Exact.
    pub fn div(&self, other: &Interval) -> Option<Interval> {
        let parts = other.without_zero();
        let mut quotients = parts.into_iter().flatten().map(|divisor| {
            hull_of_corners([
                div_bounds(&self.low, &divisor.low),
                div_bounds(&self.low, &divisor.high),
                div_bounds(&self.high, &divisor.low),
                div_bounds(&self.high, &divisor.high),
            ])
        });
        let first = quotients.next()?;
        Some(quotients.fold(first, |hull, quotient| hull.join(&quotient)))
    }

    /// Remainder (sign of the dividend) by the non-zero values of `other`. Exact for divisors of
    /// at most 16 magnitudes, sound beyond.
    pub fn rem(&self, other: &Interval) -> Option<Interval> {
        let mut parts = self.rem_parts(other).into_iter();
        let first = parts.next()?;
        Some(parts.fold(first, |hull, part| hull.join(&part)))
    }

    /// The remainders as intervals that may overlap: exact as a set if the divisor has one
    /// magnitude.
    pub fn rem_parts(&self, other: &Interval) -> Vec<Interval> {
        let Some(magnitude) = other.magnitude_without_zero() else {
            return Vec::new();
        };
        let mut parts = Vec::new();
        if let Some(positive) = self.meet(&Interval::at_least(0)) {
            parts.extend(rem_of_nonnegative(&positive, &magnitude));
        }
        if let Some(negative) = self.meet(&Interval::at_most(-1)) {
            let mirrored = rem_of_nonnegative(&negative.neg(), &magnitude);
            parts.extend(mirrored.iter().map(Interval::neg));
        }
        parts
    }

    /// Exact.
    pub fn min(&self, other: &Interval) -> Interval {
        Interval {
            low: self.low.clone().min(other.low.clone()),
            high: self.high.clone().min(other.high.clone()),
        }
    }

    /// Exact.
    pub fn max(&self, other: &Interval) -> Interval {
        Interval {
            low: self.low.clone().max(other.low.clone()),
            high: self.high.clone().max(other.high.clone()),
        }
    }

    /// The values reduced into the type: one or two intervals. Exact as a set.
    pub fn wrap(&self, ty: IntType) -> (Interval, Option<Interval>) {
        let (Bound::Finite(low), Bound::Finite(high)) = (&self.low, &self.high) else {
            return (ty.range(), None);
        };
        if ty.contains(low) && ty.contains(high) {
            return (self.clone(), None);
        }
        if high - low + Int::ONE >= ty.modulus() {
            return (ty.range(), None);
        }
        let (wrapped_low, wrapped_high) = (ty.wrap(low), ty.wrap(high));
        if wrapped_low <= wrapped_high {
            return (ordered(wrapped_low, wrapped_high), None);
        }
        (ordered(ty.min(), wrapped_high), Some(ordered(wrapped_low, ty.max())))
    }

    /// The negative and the positive part.
    pub fn without_zero(&self) -> [Option<Interval>; 2] {
        [self.meet(&Interval::at_most(-1)), self.meet(&Interval::at_least(1))]
    }

    /// The range of |x| over the non-zero x.
    fn magnitude_without_zero(&self) -> Option<Interval> {
        match self.without_zero() {
            [None, positive] => positive,
            [Some(negative), None] => Some(negative.neg()),
            [Some(negative), Some(positive)] => Some(negative.neg().join(&positive)),
        }
    }
}

fn ordered(low: Int, high: Int) -> Interval {
    Interval { low: Bound::Finite(low), high: Bound::Finite(high) }
}

/// `dividend >= 0`, `magnitude >= 1`.
fn rem_of_nonnegative(dividend: &Interval, magnitude: &Interval) -> Vec<Interval> {
    if dividend.high < magnitude.low {
        return vec![dividend.clone()];
    }
    if let Some(constant) = magnitude.as_constant() {
        return rem_by_constant(dividend, constant);
    }
    if let (Bound::Finite(least), Some(width)) = (&magnitude.low, magnitude.width())
        && width <= Int::from(REM_ENUMERATION)
    {
        let count = width.to_i64().expect("at most sixteen");
        return (0..count)
            .map(|offset| least + Int::from(offset))
            .flat_map(|divisor| rem_by_constant(dividend, &divisor))
            .collect();
    }
    let below_divisor = match &magnitude.high {
        Bound::Finite(high) => Bound::Finite(high - Int::ONE),
        unbounded => unbounded.clone(),
    };
    vec![Interval { low: Bound::Finite(Int::ZERO), high: below_divisor.min(dividend.high.clone()) }]
}

/// `dividend >= 0`, `divisor >= 1`.
fn rem_by_constant(dividend: &Interval, divisor: &Int) -> Vec<Interval> {
    let last = divisor - Int::ONE;
    let all = ordered(Int::ZERO, last.clone());
    let (Bound::Finite(low), Bound::Finite(high)) = (&dividend.low, &dividend.high) else {
        return vec![all];
    };
    if high - low >= last {
        return vec![all];
    }
    let remainder = |value: &Int| value.rem_euclid(divisor).expect("the divisor is positive");
    let (low, high) = (remainder(low), remainder(high));
    if low <= high { vec![ordered(low, high)] } else { vec![ordered(Int::ZERO, high), ordered(low, last)] }
}

fn add_bounds(left: &Bound, right: &Bound, infinity: Bound) -> Bound {
    match (left, right) {
        (Bound::Finite(left), Bound::Finite(right)) => Bound::Finite(left + right),
        _ => infinity,
    }
}

fn neg_bound(bound: &Bound) -> Bound {
    match bound {
        Bound::NegInfinity => Bound::PosInfinity,
        Bound::Finite(value) => Bound::Finite(value.neg()),
        Bound::PosInfinity => Bound::NegInfinity,
    }
}

fn sign_of(bound: &Bound) -> i32 {
    match bound {
        Bound::NegInfinity => -1,
        Bound::Finite(value) => value.signum(),
        Bound::PosInfinity => 1,
    }
}

fn infinity_of_sign(sign: i32) -> Bound {
    match sign {
        0 => Bound::Finite(Int::ZERO),
        sign if sign < 0 => Bound::NegInfinity,
        _ => Bound::PosInfinity,
    }
}

/// With 0 · ∞ = 0: the bound 0 is itself a value, and 0 times anything is 0.
fn mul_bounds(left: &Bound, right: &Bound) -> Bound {
    match (left, right) {
        (Bound::Finite(left), Bound::Finite(right)) => Bound::Finite(left * right),
        _ => infinity_of_sign(sign_of(left) * sign_of(right)),
    }
}

/// The divisor is not 0. A finite value over an infinite one is 0, and so is ∞ / ∞: the corner
/// with the finite divisor bound supplies the infinity.
fn div_bounds(left: &Bound, right: &Bound) -> Bound {
    match (left, right) {
        (Bound::Finite(left), Bound::Finite(right)) => {
            Bound::Finite(left.div_trunc(right).expect("zero was removed"))
        }
        (_, Bound::Finite(_)) => infinity_of_sign(sign_of(left) * sign_of(right)),
        _ => Bound::Finite(Int::ZERO),
    }
}

fn hull_of_corners(corners: [Bound; 4]) -> Interval {
    let [a, b, c, d] = corners;
    let (low_ab, high_ab) = if a <= b { (a, b) } else { (b, a) };
    let (low_cd, high_cd) = if c <= d { (c, d) } else { (d, c) };
    bounded(low_ab.min(low_cd), high_ab.max(high_cd))
}

/// Replaces bounds of more than [`MAX_BOUND_BITS`] by weaker ones.
pub(super) fn bounded(low: Bound, high: Bound) -> Interval {
    Interval {
        low: match low {
            Bound::Finite(value) if value.bits() > MAX_BOUND_BITS => {
                if value.is_negative() {
                    Bound::NegInfinity
                } else {
                    Bound::Finite(largest())
                }
            }
            kept => kept,
        },
        high: match high {
            Bound::Finite(value) if value.bits() > MAX_BOUND_BITS => {
                if value.is_negative() {
                    Bound::Finite(largest().neg())
                } else {
                    Bound::PosInfinity
                }
            }
            kept => kept,
        },
    }
}

fn largest() -> Int {
    Int::from(2).pow(MAX_BOUND_BITS as u32 - 1)
}
