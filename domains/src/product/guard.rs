//! Comparisons of values: deciding them, and what they leave of both sides.

use super::Value;
use super::reduce::reduce;
use crate::congruence::Congruence;
use crate::expr::CompareOp;
use crate::int::Int;
use crate::interval::{Bound, Interval};
use crate::interval_set::IntervalSet;

impl Value {
    /// The answer if it is the same for every pair of members; `None` if not, or if there is no
    /// pair. Exact.
    pub fn compare(op: CompareOp, left: &Value, right: &Value) -> Option<bool> {
        if left.is_bottom() || right.is_bottom() {
            return None;
        }
        if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
            return Some(op.holds(a, b));
        }
        match op {
            CompareOp::Equal => left.meet(right).is_bottom().then_some(false),
            CompareOp::NotEqual => left.meet(right).is_bottom().then_some(true),
            CompareOp::Less => is_less(left, right),
            CompareOp::GreaterEqual => is_less(left, right).map(|less| !less),
            CompareOp::Greater => is_less(right, left),
            CompareOp::LessEqual => is_less(right, left).map(|less| !less),
        }
    }

    /// The members of each side that satisfy the comparison with some member of the other. Exact,
    /// up to the limit on parts.
    pub fn refine(op: CompareOp, left: &Value, right: &Value) -> (Value, Value) {
        if left.is_bottom() || right.is_bottom() {
            return (Value::bottom(), Value::bottom());
        }
        if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
            return if op.holds(a, b) {
                (left.clone(), right.clone())
            } else {
                (Value::bottom(), Value::bottom())
            };
        }
        match op {
            CompareOp::Equal => {
                let common = left.meet(right);
                (common.clone(), common)
            }
            CompareOp::NotEqual => (without_constant(left, right), without_constant(right, left)),
            CompareOp::Less => (below(left, right, &Int::ONE), above(right, left, &Int::ONE)),
            CompareOp::LessEqual => (below(left, right, &Int::ZERO), above(right, left, &Int::ZERO)),
            CompareOp::Greater => (above(left, right, &Int::ONE), below(right, left, &Int::ONE)),
            CompareOp::GreaterEqual => (above(left, right, &Int::ZERO), below(right, left, &Int::ZERO)),
        }
    }

    /// All members but one. Exact if within the limit on parts.
    pub fn without(&self, excluded: &Int) -> Value {
        if !self.contains(excluded) {
            return self.clone();
        }
        if self.as_constant().is_some() {
            return Value::bottom();
        }
        if let Some(interval) = self.as_interval() {
            let (low, high) = (interval.low().clone(), interval.high().clone());
            let below = Interval::new(low, Bound::Finite(excluded - Int::ONE));
            let above = Interval::new(Bound::Finite(excluded + Int::ONE), high);
            return match (below, above) {
                (Some(only), None) | (None, Some(only)) => Value::from_interval(only),
                (below, above) => {
                    let parts = below.into_iter().chain(above).collect();
                    self.unless_grown(reduce(parts, Congruence::TOP))
                }
            };
        }
        let around = [Interval::at_most(excluded - Int::ONE), Interval::at_least(excluded + Int::ONE)];
        let around = IntervalSet::from_intervals(around);
        let set = IntervalSet::from_normalised(self.parts());
        self.unless_grown(reduce(set.common_parts(&around), self.congruence()))
    }

    /// The parts below, at and above each cut. Every part has a member; together they hold
    /// exactly the members of `self`.
    pub fn split_at(&self, cuts: &[Int]) -> Vec<Value> {
        let mut cuts = cuts.to_vec();
        cuts.sort_unstable();
        cuts.dedup();
        let mut low = Bound::NegInfinity;
        let mut pieces = Vec::with_capacity(2 * cuts.len() + 1);
        for cut in &cuts {
            pieces.extend(Interval::new(low, Bound::Finite(cut - Int::ONE)));
            pieces.push(Interval::constant(cut.clone()));
            low = Bound::Finite(cut + Int::ONE);
        }
        pieces.extend(Interval::new(low, Bound::PosInfinity));
        pieces.iter().map(|piece| self.meet_interval(piece)).filter(|part| !part.is_bottom()).collect()
    }
}

/// Whether every (or no) member of `left` is below every member of `right`.
fn is_less(left: &Value, right: &Value) -> Option<bool> {
    if left.high() < right.low() {
        Some(true)
    } else if right.high() <= left.low() {
        Some(false)
    } else {
        None
    }
}

fn without_constant(value: &Value, other: &Value) -> Value {
    match other.as_constant() {
        Some(constant) => value.without(constant),
        None => value.clone(),
    }
}

/// The members at most the greatest of `other`, less the margin.
fn below(value: &Value, other: &Value, margin: &Int) -> Value {
    match other.high() {
        Bound::Finite(high) => value.meet_interval(&Interval::at_most(high - margin)),
        _ => value.clone(),
    }
}

/// The members at least the least of `other`, plus the margin.
fn above(value: &Value, other: &Value, margin: &Int) -> Value {
    match other.low() {
        Bound::Finite(low) => value.meet_interval(&Interval::at_least(low + margin)),
        _ => value.clone(),
    }
}
