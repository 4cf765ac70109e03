//! One non-empty interval over the unbounded integers.
//!
//! There is no empty interval: operations that can lose every value answer an `Option`. Knows
//! nothing of gaps (`interval_set`) or steps (`congruence`).

mod arithmetic;
mod bits;

pub use arithmetic::MAX_BOUND_BITS;
pub(crate) use bits::shift_counts;

use std::fmt;

use crate::int::Int;

/// Ordered as written: minus infinity, the integers, plus infinity.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bound {
    NegInfinity,
    Finite(Int),
    PosInfinity,
}

impl Bound {
    pub fn finite(&self) -> Option<&Int> {
        match self {
            Bound::Finite(value) => Some(value),
            _ => None,
        }
    }

    pub fn is_finite(&self) -> bool {
        self.finite().is_some()
    }
}

impl From<Int> for Bound {
    fn from(value: Int) -> Self {
        Bound::Finite(value)
    }
}

impl From<i64> for Bound {
    fn from(value: i64) -> Self {
        Bound::Finite(Int::from(value))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::NegInfinity => f.write_str("-∞"),
            Bound::Finite(value) => value.fmt(f),
            Bound::PosInfinity => f.write_str("+∞"),
        }
    }
}

/// Invariant: `low <= high`, `low` is not plus infinity, `high` not minus infinity.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Interval {
    low: Bound,
    high: Bound,
}

impl Interval {
    pub const TOP: Interval = Interval { low: Bound::NegInfinity, high: Bound::PosInfinity };

    /// `None` if no integer lies between the bounds.
    pub fn new(low: Bound, high: Bound) -> Option<Interval> {
        let well_formed = low <= high && low != Bound::PosInfinity && high != Bound::NegInfinity;
        well_formed.then_some(Interval { low, high })
    }

    pub fn top() -> Interval {
        Self::TOP
    }

    pub fn constant(value: impl Into<Int>) -> Interval {
        let value = value.into();
        Interval { low: Bound::Finite(value.clone()), high: Bound::Finite(value) }
    }

    pub fn between(low: i64, high: i64) -> Option<Interval> {
        Self::finite(Int::from(low), Int::from(high))
    }

    pub fn finite(low: Int, high: Int) -> Option<Interval> {
        Self::new(Bound::Finite(low), Bound::Finite(high))
    }

    pub fn at_least(low: impl Into<Int>) -> Interval {
        Interval { low: Bound::Finite(low.into()), high: Bound::PosInfinity }
    }

    pub fn at_most(high: impl Into<Int>) -> Interval {
        Interval { low: Bound::NegInfinity, high: Bound::Finite(high.into()) }
    }

    pub fn low(&self) -> &Bound {
        &self.low
    }

    pub fn high(&self) -> &Bound {
        &self.high
    }

    pub fn as_constant(&self) -> Option<&Int> {
        match (&self.low, &self.high) {
            (Bound::Finite(low), Bound::Finite(high)) if low == high => Some(low),
            _ => None,
        }
    }

    pub fn is_top(&self) -> bool {
        *self == Self::TOP
    }

    pub fn contains(&self, value: &Int) -> bool {
        let above = match &self.low {
            Bound::Finite(low) => low <= value,
            _ => true,
        };
        above
            && match &self.high {
                Bound::Finite(high) => value <= high,
                _ => true,
            }
    }

    /// The number of values, if finite.
    pub fn width(&self) -> Option<Int> {
        match (&self.low, &self.high) {
            (Bound::Finite(low), Bound::Finite(high)) => Some(high - low + Int::ONE),
            _ => None,
        }
    }

    /// The member nearest to zero.
    pub fn nearest_to_zero(&self) -> Int {
        match (&self.low, &self.high) {
            (Bound::Finite(low), _) if low.is_positive() => low.clone(),
            (_, Bound::Finite(high)) if high.is_negative() => high.clone(),
            _ => Int::ZERO,
        }
    }

    pub fn leq(&self, other: &Interval) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// The hull of both. Exact as an interval; the gap between them is filled.
    pub fn join(&self, other: &Interval) -> Interval {
        Interval {
            low: self.low.clone().min(other.low.clone()),
            high: self.high.clone().max(other.high.clone()),
        }
    }

    /// The common values. Exact.
    pub fn meet(&self, other: &Interval) -> Option<Interval> {
        let low = self.low.clone().max(other.low.clone());
        let high = self.high.clone().min(other.high.clone());
        Interval::new(low, high)
    }

    /// Above both; a bound that moved goes on to the next threshold, then to infinity, so chains
    /// `x, x ∇ y1, (x ∇ y1) ∇ y2, …` change at most `2 * (thresholds + 1)` times.
    pub fn widen(&self, other: &Interval, thresholds: &Thresholds) -> Interval {
        Interval {
            low: thresholds.widen_low(&self.low, &other.low),
            high: thresholds.widen_high(&self.high, &other.high),
        }
    }

    /// For `other <= self`: between the two; only infinite bounds improve, so chains stop.
    pub fn narrow(&self, other: &Interval) -> Interval {
        let low = match self.low {
            Bound::NegInfinity => other.low.clone(),
            _ => self.low.clone(),
        };
        let high = match self.high {
            Bound::PosInfinity => other.high.clone(),
            _ => self.high.clone(),
        };
        // Out of contract (`other` not below `self`) the mixture may be empty: keep what is sound.
        Interval::new(low, high).unwrap_or_else(|| self.clone())
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.low, self.high)
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The values at which widening stops on its way to infinity. Which ones is the engine's choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thresholds(Vec<Int>);

impl Thresholds {
    pub fn new(values: impl IntoIterator<Item = Int>) -> Self {
        let mut values: Vec<Int> = values.into_iter().collect();
        values.sort_unstable();
        values.dedup();
        Self(values)
    }

    pub fn none() -> Self {
        Self::default()
    }

    pub fn values(&self) -> &[Int] {
        &self.0
    }

    /// The old bound if it still holds, else the greatest threshold not above the new one.
    pub fn widen_low(&self, old: &Bound, new: &Bound) -> Bound {
        if old <= new {
            return old.clone();
        }
        let Bound::Finite(new) = new else {
            return Bound::NegInfinity;
        };
        match self.0.partition_point(|value| value <= new) {
            0 => Bound::NegInfinity,
            after => Bound::Finite(self.0[after - 1].clone()),
        }
    }

    /// The old bound if it still holds, else the least threshold not below the new one.
    pub fn widen_high(&self, old: &Bound, new: &Bound) -> Bound {
        if new <= old {
            return old.clone();
        }
        let Bound::Finite(new) = new else {
            return Bound::PosInfinity;
        };
        let at = self.0.partition_point(|value| value < new);
        match self.0.get(at) {
            Some(value) => Bound::Finite(value.clone()),
            None => Bound::PosInfinity,
        }
    }
}
