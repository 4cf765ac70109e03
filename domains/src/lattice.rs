//! The two contracts every domain keeps, values and states alike.
//!
//! γ(a) is the set of concrete things `a` stands for. How often to join, when to widen and how
//! long to narrow is the engine's business, not a domain's. The checks are in `laws`.

use crate::interval::Thresholds;

/// A partial order with sound joins and meets.
pub trait Lattice {
    /// Whether γ is empty. Domains here answer `true` exactly then; a domain that cannot may answer
    /// `false` for an empty element, never `true` for an inhabited one.
    fn is_bottom(&self) -> bool;

    /// `true` implies γ(self) ⊆ γ(other). Reflexive, transitive, and antisymmetric with respect to
    /// `Eq`.
    fn leq(&self, other: &Self) -> bool;

    /// Above both. Not necessarily the least such element.
    fn join(&self, other: &Self) -> Self;

    /// Below `self`, and keeps γ(self) ∩ γ(other). Not necessarily below `other`: a domain with
    /// bounded elements may have to keep `self` as it is.
    fn meet(&self, other: &Self) -> Self;
}

/// Extrapolation for chains that would not stop, and the way back (Cousot and Cousot, POPL 1977).
pub trait Widen {
    /// Above both; for every sequence `y1, y2, …` the chain `x1 = x`, `x(n+1) = xn ∇ yn` is
    /// stationary from some n on. `self` is the older element.
    fn widen(&self, other: &Self, thresholds: &Thresholds) -> Self;

    /// For `other <= self`: between `other` and `self`; descending chains built with it stop.
    fn narrow(&self, other: &Self) -> Self;
}

/// `None` is the empty value of a domain whose own elements are never empty.
impl<T: Nonempty> Lattice for Option<T> {
    fn is_bottom(&self) -> bool {
        self.is_none()
    }

    fn leq(&self, other: &Self) -> bool {
        match (self, other) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a.included_in(b),
        }
    }

    fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (None, value) | (value, None) => value.clone(),
            (Some(a), Some(b)) => Some(a.union(b)),
        }
    }

    fn meet(&self, other: &Self) -> Self {
        self.as_ref()?.intersection(other.as_ref()?)
    }
}

impl<T: Nonempty> Widen for Option<T> {
    fn widen(&self, other: &Self, thresholds: &Thresholds) -> Self {
        match (self, other) {
            (None, value) | (value, None) => value.clone(),
            (Some(a), Some(b)) => Some(a.extrapolate(b, thresholds)),
        }
    }

    fn narrow(&self, other: &Self) -> Self {
        match (self, other) {
            (Some(a), Some(b)) => Some(a.interpolate(b)),
            _ => None,
        }
    }
}

/// The same operations on a domain without an empty element; `Option` adds it.
pub trait Nonempty: Clone {
    fn included_in(&self, other: &Self) -> bool;
    fn union(&self, other: &Self) -> Self;
    fn intersection(&self, other: &Self) -> Option<Self>;
    fn extrapolate(&self, other: &Self, thresholds: &Thresholds) -> Self;
    fn interpolate(&self, other: &Self) -> Self;
}

macro_rules! nonempty_by_inherent_methods {
    ($domain:ty) => {
        impl Nonempty for $domain {
            fn included_in(&self, other: &Self) -> bool {
                self.leq(other)
            }
            fn union(&self, other: &Self) -> Self {
                self.join(other)
            }
            fn intersection(&self, other: &Self) -> Option<Self> {
                self.meet(other)
            }
            fn extrapolate(&self, other: &Self, thresholds: &Thresholds) -> Self {
                self.widen(other, thresholds)
            }
            fn interpolate(&self, other: &Self) -> Self {
                self.narrow(other)
            }
        }
    };
}
nonempty_by_inherent_methods!(crate::interval::Interval);
nonempty_by_inherent_methods!(crate::congruence::Congruence);
