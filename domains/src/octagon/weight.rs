//! What a bound is stored as: a machine word while that suffices, an exact integer beyond.
//!
//! Nothing wraps around: a weight is *roomy* if sums of eight such weights are exact, a kernel adds
//! at most that many, and the matrix moves to the next level before the next kernel runs.

use std::hash::Hash;

use crate::int::Int;
use crate::interval::Bound;

/// Ordered; plus infinity is the greatest and absorbs.
pub(super) trait Weight: Clone + Ord + Hash {
    const ZERO: Self;
    const INFINITE: Self;

    fn is_finite(&self) -> bool;

    fn is_roomy(&self) -> bool;

    fn plus(&self, other: &Self) -> Self;

    /// Rounded down.
    fn halved(&self) -> Self;

    /// The bound is plus infinity or roomy at this level.
    fn from_bound(bound: &Bound) -> Self;

    fn to_bound(&self) -> Bound;
}

macro_rules! machine_weight {
    ($($ty:ty, $bits:ident = $value:expr, $read:ident;)*) => {$(
        pub(super) const $bits: u64 = $value;

        impl Weight for $ty {
            const ZERO: Self = 0;
            const INFINITE: Self = <$ty>::MAX;

            fn is_finite(&self) -> bool {
                *self != Self::INFINITE
            }

            fn is_roomy(&self) -> bool {
                !self.is_finite() || self.unsigned_abs() < 1 << $bits
            }

            fn plus(&self, other: &Self) -> Self {
                if self.is_finite() && other.is_finite() { self + other } else { Self::INFINITE }
            }

            fn halved(&self) -> Self {
                if self.is_finite() { self >> 1 } else { Self::INFINITE }
            }

            fn from_bound(bound: &Bound) -> Self {
                bound.finite().map_or(Self::INFINITE, |value| value.$read().expect("the level fits"))
            }

            fn to_bound(&self) -> Bound {
                if self.is_finite() { Bound::Finite(Int::from(*self)) } else { Bound::PosInfinity }
            }
        }
    )*};
}
machine_weight! {
    i64, WORD_BITS = 60, to_i64;
    i128, WIDE_BITS = 124, to_i128;
}

impl Weight for Bound {
    const ZERO: Self = Bound::Finite(Int::ZERO);
    const INFINITE: Self = Bound::PosInfinity;

    fn is_finite(&self) -> bool {
        *self != Bound::PosInfinity
    }

    fn is_roomy(&self) -> bool {
        true
    }

    fn plus(&self, other: &Self) -> Self {
        match (self, other) {
            (Bound::Finite(a), Bound::Finite(b)) => Bound::Finite(a + b),
            _ => Bound::PosInfinity,
        }
    }

    fn halved(&self) -> Self {
        match self {
            Bound::Finite(value) => Bound::Finite(value.div_floor(&Int::small(2)).expect("two is not zero")),
            infinite => infinite.clone(),
        }
    }

    fn from_bound(bound: &Bound) -> Self {
        bound.clone()
    }

    fn to_bound(&self) -> Bound {
        self.clone()
    }
}
