//! Sets of at most 64 values numbered from 0: booleans and small enums.
//!
//! Exact: every operation answers precisely the set of concrete results. Knows numbers only; what
//! they name is the caller's.

use std::fmt;

use crate::interval::Thresholds;
use crate::lattice::{Lattice, Widen};

/// A subset of `0..64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FiniteSet(u64);

impl FiniteSet {
    pub const BOTTOM: FiniteSet = FiniteSet(0);
    pub const FALSE: FiniteSet = FiniteSet(1);
    pub const TRUE: FiniteSet = FiniteSet(2);
    pub const EITHER: FiniteSet = FiniteSet(3);

    /// All values below `count`; `None` beyond 64.
    pub fn all(count: u32) -> Option<Self> {
        match count {
            0..=63 => Some(Self((1 << count) - 1)),
            64 => Some(Self(u64::MAX)),
            _ => None,
        }
    }

    /// `None` beyond 63.
    pub fn constant(value: u32) -> Option<Self> {
        (value < 64).then(|| Self(1 << value))
    }

    pub fn boolean(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    pub fn contains(self, value: u32) -> bool {
        value < 64 && self.0 >> value & 1 == 1
    }

    pub fn size(self) -> u32 {
        self.0.count_ones()
    }

    pub fn as_constant(self) -> Option<u32> {
        (self.size() == 1).then(|| self.0.trailing_zeros())
    }

    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |&value| self.contains(value))
    }

    /// The values of `self` that are not in `other`. Exact.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The results of a function of one value; those beyond 63 are the caller's error and panic.
    /// Exact.
    pub fn map(self, function: impl Fn(u32) -> u32) -> Self {
        self.iter().fold(Self::BOTTOM, |set, value| {
            let image = function(value);
            assert!(image < 64, "a finite set holds values below 64, not {image}");
            Self(set.0 | 1 << image)
        })
    }

    /// Pointwise negation of booleans. Exact.
    pub fn negation(self) -> Self {
        Self((self.0 & 1) << 1 | self.0 >> 1 & 1)
    }

    /// Pointwise conjunction of booleans. Exact.
    pub fn conjunction(self, other: Self) -> Self {
        let may_false = (self.0 & 1 != 0 && other.0 & 3 != 0) || (other.0 & 1 != 0 && self.0 & 3 != 0);
        let may_true = self.0 & other.0 & 2 != 0;
        Self(u64::from(may_false) | u64::from(may_true) << 1)
    }

    /// Pointwise disjunction of booleans. Exact.
    pub fn disjunction(self, other: Self) -> Self {
        self.negation().conjunction(other.negation()).negation()
    }
}

impl Lattice for FiniteSet {
    fn is_bottom(&self) -> bool {
        self.0 == 0
    }

    fn leq(&self, other: &Self) -> bool {
        self.0 & !other.0 == 0
    }

    fn join(&self, other: &Self) -> Self {
        Self(self.0 | other.0)
    }

    fn meet(&self, other: &Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// The lattice is finite, so join and meet do.
impl Widen for FiniteSet {
    fn widen(&self, other: &Self, _: &Thresholds) -> Self {
        self.join(other)
    }

    fn narrow(&self, other: &Self) -> Self {
        self.meet(other)
    }
}

impl fmt::Display for FiniteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Debug for FiniteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;

    fn universe(count: u32) -> Vec<FiniteSet> {
        (0..1u64 << count).map(FiniteSet).collect()
    }

    #[test]
    fn lattice_laws() {
        let universe = universe(5);
        let points: Vec<u32> = (0..70).collect();
        laws::order(&universe);
        laws::transitivity(&universe);
        laws::membership(&universe, &points, |set, point| set.contains(*point));
        laws::order_is_inclusion(&universe, &points, |set, point| set.contains(*point));
        laws::widening(&universe, &Thresholds::none(), 5);
        laws::narrowing(&universe, 5);
    }

    #[test]
    fn boolean_operators_are_exact() {
        for a in universe(2) {
            for b in universe(2) {
                let pairs = || a.iter().flat_map(|x| b.iter().map(move |y| (x == 1, y == 1)));
                let image = |results: Vec<bool>| {
                    results
                        .into_iter()
                        .fold(FiniteSet::BOTTOM, |set, value| set.join(&FiniteSet::boolean(value)))
                };
                assert_eq!(a.conjunction(b), image(pairs().map(|(x, y)| x && y).collect()));
                assert_eq!(a.disjunction(b), image(pairs().map(|(x, y)| x || y).collect()));
            }
            assert_eq!(a.negation(), a.map(|value| 1 - value));
        }
    }

    #[test]
    fn sixty_four_values_fit() {
        let all = FiniteSet::all(64).unwrap();
        assert_eq!(all.size(), 64);
        assert_eq!(FiniteSet::all(65), None);
        assert_eq!(FiniteSet::constant(64), None);
        let last = FiniteSet::constant(63).unwrap();
        assert_eq!(last.as_constant(), Some(63));
        assert_eq!(all.without(last), FiniteSet::all(63).unwrap());
        assert_eq!(all.as_constant(), None);
        assert_eq!(FiniteSet::EITHER.to_string(), "{0, 1}");
    }
}
