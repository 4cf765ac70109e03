//! Unions of a few disjoint, non-adjacent intervals. The empty set is bottom.
//!
//! At most [`LIMIT`] parts: beyond, the neighbours with the smallest gap are merged. The limit is a
//! constant and not a parameter, because every operation would have to carry it and elements made
//! under different limits would then meet in one state. Knows no steps (`congruence`).

use std::fmt;

use crate::expr::BinaryOp;
use crate::int::Int;
use crate::interval::{Bound, Interval, Thresholds};
use crate::lattice::{Lattice, Widen};
use crate::machine::IntType;

/// The most parts a set may have.
pub const LIMIT: usize = 5;

/// Invariant: sorted, disjoint, not adjacent, at most [`LIMIT`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IntervalSet(Parts);

/// One part, by far the commonest case, needs no allocation. Invariant: `Other` is not of length 1.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Parts {
    One([Interval; 1]),
    Other(Vec<Interval>),
}

impl IntervalSet {
    pub fn bottom() -> Self {
        Self(Parts::Other(Vec::new()))
    }

    pub fn top() -> Self {
        Self::from_interval(Interval::TOP)
    }

    pub fn from_interval(interval: Interval) -> Self {
        Self(Parts::One([interval]))
    }

    /// The union, normalised.
    pub fn from_intervals(intervals: impl IntoIterator<Item = Interval>) -> Self {
        let mut parts: Vec<Interval> = intervals.into_iter().collect();
        normalise(&mut parts, &Int::ONE);
        merge_to_limit(&mut parts);
        Self::from_normalised(parts)
    }

    /// Parts that already satisfy the invariant.
    pub(crate) fn from_normalised(parts: Vec<Interval>) -> Self {
        debug_assert!(parts.len() <= LIMIT);
        match <[Interval; 1]>::try_from(parts) {
            Ok(one) => Self(Parts::One(one)),
            Err(other) => Self(Parts::Other(other)),
        }
    }

    pub fn parts(&self) -> &[Interval] {
        match &self.0 {
            Parts::One(one) => one,
            Parts::Other(other) => other,
        }
    }

    pub fn hull(&self) -> Option<Interval> {
        let (first, last) = (self.parts().first()?, self.parts().last()?);
        Interval::new(first.low().clone(), last.high().clone())
    }

    pub fn contains(&self, value: &Int) -> bool {
        self.parts().iter().any(|part| part.contains(value))
    }

    /// The intervals between and around the parts.
    pub fn complement(&self) -> Vec<Interval> {
        let mut gaps = Vec::with_capacity(self.parts().len() + 1);
        let mut low = Bound::NegInfinity;
        for part in self.parts() {
            if let Bound::Finite(start) = part.low() {
                gaps.extend(Interval::new(low, Bound::Finite(start - Int::ONE)));
            }
            low = match part.high() {
                Bound::Finite(end) => Bound::Finite(end + Int::ONE),
                _ => Bound::PosInfinity,
            };
        }
        gaps.extend(Interval::new(low, Bound::PosInfinity));
        gaps
    }

    /// Exact if within the limit.
    pub fn add(&self, other: &Self) -> Self {
        self.pairwise(other, |a, b| [Some(a.add(b)), None])
    }

    /// Exact if within the limit.
    pub fn sub(&self, other: &Self) -> Self {
        self.pairwise(other, |a, b| [Some(a.sub(b)), None])
    }

    /// Sound; each pair gives its hull.
    pub fn mul(&self, other: &Self) -> Self {
        self.pairwise(other, |a, b| [Some(a.mul(b)), None])
    }

    /// Sound; each pair gives one hull per sign of the divisor.
    pub fn div(&self, other: &Self) -> Self {
        self.pairwise(other, |a, b| b.without_zero().map(|divisor| a.div(&divisor?)))
    }

    /// Sound; exact within the limit for divisors of one magnitude.
    pub fn rem(&self, other: &Self) -> Self {
        self.pairwise(other, |a, b| a.rem_parts(b).into_iter().map(Some))
    }

    /// Exact.
    pub fn neg(&self) -> Self {
        Self::from_normalised(self.parts().iter().rev().map(Interval::neg).collect())
    }

    /// Exact if within the limit.
    pub fn min(&self, other: &Self) -> Self {
        self.pairwise(other, |a, b| [Some(a.min(b)), None])
    }

    /// Exact if within the limit.
    pub fn max(&self, other: &Self) -> Self {
        self.pairwise(other, |a, b| [Some(a.max(b)), None])
    }

    /// Bit operations, shifts and powers. Sound; each pair gives its hull, or one per combination of signs.
    pub fn bits(&self, op: BinaryOp, other: &Self) -> Self {
        self.pairwise(other, |a, b| a.bits(op, b).into_iter().map(Some))
    }

    /// Exact if within the limit.
    pub fn wrap(&self, ty: IntType) -> Self {
        Self::from_intervals(self.parts().iter().flat_map(|part| {
            let (first, second) = part.wrap(ty);
            [Some(first), second].into_iter().flatten()
        }))
    }

    fn pairwise<R: IntoIterator<Item = Option<Interval>>>(
        &self,
        other: &Self,
        operate: impl Fn(&Interval, &Interval) -> R,
    ) -> Self {
        let pairs = self.parts().iter().flat_map(|a| other.parts().iter().map(move |b| (a, b)));
        Self::from_intervals(pairs.flat_map(|(a, b)| operate(a, b)).flatten())
    }

    /// All common values, without regard to the limit.
    pub(crate) fn common_parts(&self, other: &Self) -> Vec<Interval> {
        let mut parts = Vec::new();
        let (mut left, mut right) = (0, 0);
        while let (Some(a), Some(b)) = (self.parts().get(left), other.parts().get(right)) {
            parts.extend(a.meet(b));
            if a.high() <= b.high() {
                left += 1;
            } else {
                right += 1;
            }
        }
        parts
    }

    /// The parts after widening: outer bounds are extrapolated, a gap that `other` touches is
    /// closed, and no gap is ever opened. So a chain closes at most `LIMIT - 1` gaps and stops.
    pub(crate) fn widened_parts(&self, other: &Self, thresholds: &Thresholds) -> Vec<Interval> {
        let old_parts = self.parts();
        let (Some(old), Some(new)) = (self.hull(), other.hull()) else {
            return if old_parts.is_empty() { other.parts() } else { old_parts }.to_vec();
        };
        let outer = old.widen(&new, thresholds);
        let mut parts = Vec::with_capacity(self.parts().len());
        let mut low = outer.low().clone();
        for pair in self.parts().windows(2) {
            let (before, after) = (pair[0].high().clone(), pair[1].low().clone());
            if !other.touches_between(&before, &after) {
                parts.extend(Interval::new(low, before));
                low = after;
            }
        }
        parts.extend(Interval::new(low, outer.high().clone()));
        parts
    }

    /// Whether some value lies strictly between the bounds.
    fn touches_between(&self, before: &Bound, after: &Bound) -> bool {
        self.parts().iter().any(|part| part.low() < after && before < part.high())
    }
}

impl Lattice for IntervalSet {
    fn is_bottom(&self) -> bool {
        self.parts().is_empty()
    }

    /// Exact.
    fn leq(&self, other: &Self) -> bool {
        self.parts().iter().all(|part| other.parts().iter().any(|wider| part.leq(wider)))
    }

    /// Exact if within the limit.
    fn join(&self, other: &Self) -> Self {
        Self::from_intervals(self.parts().iter().chain(other.parts()).cloned())
    }

    /// Exact if within the limit.
    fn meet(&self, other: &Self) -> Self {
        let common = Self::from_intervals(self.common_parts(other));
        // Merging for the limit may have filled a gap of `self`; a meet must not grow.
        if common.leq(self) { common } else { self.clone() }
    }
}

impl Widen for IntervalSet {
    fn widen(&self, other: &Self, thresholds: &Thresholds) -> Self {
        Self::from_normalised(self.widened_parts(other, thresholds))
    }

    /// Outer infinite bounds only.
    fn narrow(&self, other: &Self) -> Self {
        match (self.hull(), other.hull()) {
            (Some(old), Some(new)) => {
                let outer = Self::from_interval(old.narrow(&new));
                Self::from_normalised(self.common_parts(&outer))
            }
            _ => Self::bottom(),
        }
    }
}

/// Sorts and merges what overlaps or lies within `step` of each other. With the step of a
/// congruence whose members all bounds are, only gaps that hold a member remain.
pub(crate) fn normalise(parts: &mut Vec<Interval>, step: &Int) {
    if parts.len() < 2 {
        return;
    }
    parts.sort_unstable_by(|a, b| a.low().cmp(b.low()));
    let mut merged: Vec<Interval> = Vec::with_capacity(parts.len());
    for part in parts.drain(..) {
        match merged.last_mut() {
            Some(last) if reaches(last.high(), part.low(), step) => *last = last.join(&part),
            _ => merged.push(part),
        }
    }
    *parts = merged;
}

fn reaches(high: &Bound, low: &Bound, step: &Int) -> bool {
    match (high, low) {
        (Bound::Finite(high), Bound::Finite(low)) => low <= high || low - high <= *step,
        _ => true,
    }
}

/// Merges the neighbours with the smallest gap until at most [`LIMIT`] parts remain.
pub(crate) fn merge_to_limit(parts: &mut Vec<Interval>) {
    while parts.len() > LIMIT {
        let closest = (1..parts.len())
            .min_by_key(|&at| gap(&parts[at - 1], &parts[at]))
            .expect("more parts than the limit");
        let right = parts.remove(closest);
        parts[closest - 1] = parts[closest - 1].join(&right);
    }
}

fn gap(before: &Interval, after: &Interval) -> Int {
    match (before.high(), after.low()) {
        (Bound::Finite(high), Bound::Finite(low)) => low - high,
        _ => Int::ZERO,
    }
}

impl fmt::Display for IntervalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            [] => f.write_str("⊥"),
            [only] => only.fmt(f),
            parts => {
                f.write_str("{")?;
                for (index, part) in parts.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{part}")?;
                }
                f.write_str("}")
            }
        }
    }
}

impl fmt::Debug for IntervalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
