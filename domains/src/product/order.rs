//! Order, joins, meets and widening of values.

use std::sync::Arc;

use super::Repr::{Bottom, Constant, Many, Top};
use super::Value;
use super::reduce::reduce;
use crate::congruence::Congruence;
use crate::interval::{Interval, Thresholds};
use crate::interval_set::IntervalSet;
use crate::lattice::{Lattice, Widen};

/// Runs with up to this many members are written out before a coarser step would fill them.
const WRITTEN_OUT: usize = 16;

impl Value {
    /// Exact: γ(self) ⊆ γ(other).
    pub fn leq(&self, other: &Value) -> bool {
        match (&self.0, &other.0) {
            (Bottom, _) | (_, Top) => true,
            (_, Bottom) | (Top, _) => false,
            (Constant(value), _) => other.contains(value),
            (Many(_), Constant(_)) => false,
            (Many(a), Many(b)) => {
                Arc::ptr_eq(a, b)
                    || (a.congruence.leq(&b.congruence)
                        && (a.set.leq(&b.set) || avoids(&a.set, &a.congruence, &b.set)))
            }
        }
    }

    /// Sound; exact if within the limit on parts and nothing is filled by a coarser step.
    pub fn join(&self, other: &Value) -> Value {
        match (&self.0, &other.0) {
            (Bottom, _) | (_, Top) => return other.clone(),
            (_, Bottom) | (Top, _) => return self.clone(),
            (Constant(a), Constant(b)) if a == b => return self.clone(),
            _ => {}
        }
        if other.leq(self) {
            return self.clone();
        }
        if self.leq(other) {
            return other.clone();
        }
        let congruence = self.congruence().join(&other.congruence());
        let mut parts = self.parts_for_step(&congruence);
        parts.extend(other.parts_for_step(&congruence));
        reduce(parts, congruence)
    }

    /// Below `self`. Exact if within the limit on parts.
    pub fn meet(&self, other: &Value) -> Value {
        match (&self.0, &other.0) {
            (Bottom, _) | (_, Top) => self.clone(),
            (_, Bottom) | (Top, _) => other.clone(),
            (Constant(value), _) if other.contains(value) => self.clone(),
            (_, Constant(value)) if self.contains(value) => other.clone(),
            (Constant(_), _) | (_, Constant(_)) => Value::bottom(),
            (Many(a), Many(b)) => {
                if Arc::ptr_eq(a, b) {
                    return self.clone();
                }
                if let (Some(left), Some(right)) = (a.as_interval(), b.as_interval()) {
                    return meet_of_intervals(self, left, other, right);
                }
                match a.congruence.meet(&b.congruence) {
                    Some(congruence) => {
                        let common = reduce(a.set.common_parts(&b.set), congruence);
                        self.unless_grown(common)
                    }
                    None => Value::bottom(),
                }
            }
        }
    }

    /// The members within the interval. Exact if within the limit on parts.
    pub fn meet_interval(&self, interval: &Interval) -> Value {
        match &self.0 {
            Bottom => self.clone(),
            Constant(value) if interval.contains(value) => self.clone(),
            Constant(_) => Value::bottom(),
            Top => Value::from_interval(interval.clone()),
            Many(product) => {
                if self.low() >= *interval.low() && self.high() <= *interval.high() {
                    return self.clone();
                }
                if let Some(only) = product.as_interval() {
                    return only.meet(interval).map_or(Value::bottom(), Value::from_interval);
                }
                let limits = IntervalSet::from_interval(interval.clone());
                reduce(product.set.common_parts(&limits), product.congruence.clone())
            }
        }
    }

    /// Above both; chains stop: bounds go to thresholds and infinity, gaps close and never open,
    /// moduli only lose divisors.
    pub fn widen(&self, other: &Value, thresholds: &Thresholds) -> Value {
        if other.leq(self) {
            return self.clone();
        }
        if self.is_bottom() {
            return other.clone();
        }
        let congruence = self.congruence().join(&other.congruence());
        let old = IntervalSet::from_normalised(self.parts());
        let new = IntervalSet::from_normalised(other.parts());
        reduce(old.widened_parts(&new, thresholds), congruence)
    }

    /// For `other <= self`: infinite bounds and a missing congruence improve, nothing else.
    pub fn narrow(&self, other: &Value) -> Value {
        let (Some(old), Some(new)) = (self.hull(), other.hull()) else {
            return Value::bottom();
        };
        let congruence = self.congruence().narrow(&other.congruence());
        let trimmed = self.meet_interval(&old.narrow(&new));
        if congruence == trimmed.congruence() {
            return trimmed;
        }
        trimmed.meet(&Value::from_congruence(congruence))
    }

    /// A result of restricting `self`: dropped where the limit on parts made it larger than `self`.
    pub(super) fn unless_grown(&self, restricted: Value) -> Value {
        if restricted.leq(self) { restricted } else { self.clone() }
    }

    /// The parts, as single values where a coarser step would add members and there are few.
    pub(super) fn parts_for_step(&self, coarser: &Congruence) -> Vec<Interval> {
        if let Many(product) = &self.0
            && product.congruence.modulus() != coarser.modulus()
            && let Some(members) = self.members(WRITTEN_OUT)
        {
            return members.into_iter().map(Interval::constant).collect();
        }
        self.parts()
    }
}

/// Shares the smaller value where one includes the other.
fn meet_of_intervals(a: &Value, left: &Interval, b: &Value, right: &Interval) -> Value {
    if left.leq(right) {
        a.clone()
    } else if right.leq(left) {
        b.clone()
    } else {
        left.meet(right).map_or(Value::bottom(), Value::from_interval)
    }
}

/// Whether no member of `set` under the congruence lies outside `other`.
fn avoids(set: &IntervalSet, congruence: &Congruence, other: &IntervalSet) -> bool {
    other.complement().iter().all(|outside| {
        set.parts()
            .iter()
            .all(|part| part.meet(outside).is_none_or(|common| congruence.tighten(&common).is_none()))
    })
}

impl Lattice for Value {
    fn is_bottom(&self) -> bool {
        Value::is_bottom(self)
    }

    fn leq(&self, other: &Self) -> bool {
        Value::leq(self, other)
    }

    fn join(&self, other: &Self) -> Self {
        Value::join(self, other)
    }

    fn meet(&self, other: &Self) -> Self {
        Value::meet(self, other)
    }
}

impl Widen for Value {
    fn widen(&self, other: &Self, thresholds: &Thresholds) -> Self {
        Value::widen(self, other, thresholds)
    }

    fn narrow(&self, other: &Self) -> Self {
        Value::narrow(self, other)
    }
}
