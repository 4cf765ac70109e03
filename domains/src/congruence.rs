//! Arithmetic congruences: the integers x with x ≡ r (mod m).
//!
//! m = 0 is the constant r, m = 1 every integer. Never empty; knows no bounds. After P. Granger,
//! "Static analysis of arithmetical congruences", 1989.

mod bits;

use std::fmt;

use crate::int::Int;
use crate::interval::{Interval, MAX_BOUND_BITS, Thresholds};
use crate::machine::IntType;

/// Invariant: `modulus >= 0`, and `0 <= residue < modulus` unless the modulus is 0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Congruence {
    modulus: Int,
    residue: Int,
}

impl Congruence {
    pub const TOP: Congruence = Congruence { modulus: Int::ONE, residue: Int::ZERO };

    /// Moduli and constants beyond the size limit of bounds become top, which is sound and stops
    /// growth.
    pub fn new(modulus: Int, residue: Int) -> Self {
        if modulus.bits() > MAX_BOUND_BITS || residue.bits() > 2 * MAX_BOUND_BITS {
            return Self::TOP;
        }
        let modulus = modulus.abs();
        match residue.rem_euclid(&modulus) {
            Some(residue) => Self { modulus, residue },
            None if residue.bits() > MAX_BOUND_BITS => Self::TOP,
            None => Self { modulus, residue },
        }
    }

    pub fn constant(value: Int) -> Self {
        Self { modulus: Int::ZERO, residue: value }
    }

    pub fn modulus(&self) -> &Int {
        &self.modulus
    }

    pub fn residue(&self) -> &Int {
        &self.residue
    }

    pub fn is_top(&self) -> bool {
        self.modulus.is_one()
    }

    pub fn as_constant(&self) -> Option<&Int> {
        self.modulus.is_zero().then_some(&self.residue)
    }

    pub fn contains(&self, value: &Int) -> bool {
        self.is_top() || self.modulus.divides(&(value - &self.residue))
    }

    /// Exact.
    pub fn leq(&self, other: &Self) -> bool {
        other.is_top() || (other.modulus.divides(&self.modulus) && other.contains(&self.residue))
    }

    /// The least congruence above both. Exact.
    pub fn join(&self, other: &Self) -> Self {
        let difference = &self.residue - &other.residue;
        let modulus = self.modulus.gcd(&other.modulus).gcd(&difference);
        Self::new(modulus, self.residue.clone())
    }

    /// Common values by the Chinese remainder theorem. Exact, unless the common modulus would pass
    /// the size limit: then `self`.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        if let Some(value) = self.as_constant() {
            return other.contains(value).then(|| self.clone());
        }
        if let Some(value) = other.as_constant() {
            return self.contains(value).then(|| other.clone());
        }
        let (gcd, factor) = gcd_with_factor(&self.modulus, &other.modulus);
        let difference = &other.residue - &self.residue;
        let steps = difference.div_trunc(&gcd)?;
        if !gcd.divides(&difference) {
            return None;
        }
        let other_steps = other.modulus.div_trunc(&gcd)?;
        let modulus = &self.modulus * &other_steps;
        if modulus.bits() > MAX_BOUND_BITS {
            return Some(self.clone());
        }
        let count = (steps * factor).rem_euclid(&other_steps)?;
        Some(Self::new(modulus, &self.residue + &self.modulus * count))
    }

    /// The join: a modulus has finitely many divisors, so chains stop by themselves.
    pub fn widen(&self, other: &Self, _: &Thresholds) -> Self {
        self.join(other)
    }

    /// Improves top only, for moduli can grow forever.
    pub fn narrow(&self, other: &Self) -> Self {
        if self.is_top() { other.clone() } else { self.clone() }
    }

    /// Exact.
    pub fn add(&self, other: &Self) -> Self {
        Self::new(self.modulus.gcd(&other.modulus), &self.residue + &other.residue)
    }

    /// Exact.
    pub fn neg(&self) -> Self {
        Self::new(self.modulus.clone(), self.residue.neg())
    }

    /// Exact.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// Exact.
    pub fn mul(&self, other: &Self) -> Self {
        let modulus = (&self.modulus * &other.modulus)
            .gcd(&(&self.modulus * &other.residue))
            .gcd(&(&self.residue * &other.modulus));
        Self::new(modulus, &self.residue * &other.residue)
    }

    /// Truncating division by non-zero values. Keeps a congruence only where every division comes
    /// out even, or both sides are constant. Sound.
    pub fn div(&self, other: &Self) -> Option<Self> {
        let Some(divisor) = other.as_constant() else {
            return Some(Self::TOP);
        };
        let quotient = self.residue.div_trunc(divisor)?;
        if self.modulus.is_zero() {
            return Some(Self::constant(quotient));
        }
        if divisor.divides(&self.modulus) && divisor.divides(&self.residue) {
            return Some(Self::new(self.modulus.div_trunc(divisor)?, quotient));
        }
        Some(Self::TOP)
    }

    /// Remainder by non-zero values: x - y·q is congruent to x modulo every common divisor of the
    /// y. Sound.
    pub fn rem(&self, other: &Self) -> Option<Self> {
        if let (Some(dividend), Some(divisor)) = (self.as_constant(), other.as_constant()) {
            return dividend.rem_trunc(divisor).map(Self::constant);
        }
        if other.as_constant().is_some_and(Int::is_zero) {
            return None;
        }
        let step = other.modulus.gcd(&other.residue);
        Some(Self::new(self.modulus.gcd(&step), self.residue.clone()))
    }

    /// Reduction modulo 2^bits keeps the power of two in the modulus. Sound.
    pub fn wrap(&self, ty: IntType) -> Self {
        match self.as_constant() {
            Some(value) => Self::constant(ty.wrap(value)),
            None => Self::new(self.modulus.gcd(&ty.modulus()), self.residue.clone()),
        }
    }

    /// The smallest member that is at least `value`; `None` for a smaller constant.
    pub fn next_up(&self, value: &Int) -> Option<Int> {
        if self.is_top() {
            return Some(value.clone());
        }
        match (&self.residue - value).rem_euclid(&self.modulus) {
            Some(distance) => Some(value + distance),
            None => (&self.residue >= value).then(|| self.residue.clone()),
        }
    }

    /// The greatest member that is at most `value`; `None` for a greater constant.
    pub fn next_down(&self, value: &Int) -> Option<Int> {
        if self.is_top() {
            return Some(value.clone());
        }
        match (value - &self.residue).rem_euclid(&self.modulus) {
            Some(distance) => Some(value - distance),
            None => (&self.residue <= value).then(|| self.residue.clone()),
        }
    }

    /// The interval with its bounds moved inward to members; `None` if it has no member.
    pub fn tighten(&self, interval: &Interval) -> Option<Interval> {
        use crate::interval::Bound;
        if self.is_top() {
            return Some(interval.clone());
        }
        if let Some(value) = self.as_constant() {
            return interval.contains(value).then(|| Interval::constant(value.clone()));
        }
        let low = match interval.low() {
            Bound::Finite(low) => Bound::Finite(self.next_up(low)?),
            unbounded => unbounded.clone(),
        };
        let high = match interval.high() {
            Bound::Finite(high) => Bound::Finite(self.next_down(high)?),
            unbounded => unbounded.clone(),
        };
        Interval::new(low, high)
    }
}

/// `(g, f)` with `g = gcd(a, b)` and `a·f ≡ g (mod b)`, for positive a and b.
fn gcd_with_factor(a: &Int, b: &Int) -> (Int, Int) {
    let (mut current, mut next) = (a.clone(), b.clone());
    let (mut factor, mut next_factor) = (Int::ONE, Int::ZERO);
    while let Some(quotient) = current.div_trunc(&next) {
        let remainder = &current - &quotient * &next;
        let remainder_factor = &factor - &quotient * &next_factor;
        (current, next) = (next, remainder);
        (factor, next_factor) = (next_factor, remainder_factor);
    }
    (current, factor)
}

impl fmt::Display for Congruence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modulus.is_zero() {
            write!(f, "{}", self.residue)
        } else {
            write!(f, "{} mod {}", self.residue, self.modulus)
        }
    }
}

impl fmt::Debug for Congruence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
