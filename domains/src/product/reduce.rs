//! Reduction: from any intervals and a congruence to the one representation of their common set.

use std::sync::Arc;

use super::Repr::{Constant, Many, Top};
use super::{Product, Value};
use crate::congruence::Congruence;
use crate::int::Int;
use crate::interval::Interval;
use crate::interval_set::{IntervalSet, merge_to_limit, normalise};

/// The integers of some interval that are in the congruence; exact, until the limit on parts
/// fills the smallest gaps.
///
/// Why the result is canonical: the greatest modulus that fits a set is determined by the set (the
/// common divisor of all differences), and so are the maximal runs of that step.
pub(super) fn reduce(mut parts: Vec<Interval>, congruence: Congruence) -> Value {
    if !congruence.is_top() {
        parts = parts.iter().filter_map(|part| congruence.tighten(part)).collect();
    }
    if parts.is_empty() {
        return Value::bottom();
    }
    if let Some(value) = congruence.as_constant() {
        return Value(Constant(value.clone()));
    }
    normalise(&mut parts, congruence.modulus());
    let congruence = sharpen(&mut parts, congruence);
    merge_to_limit(&mut parts);
    match parts.as_slice() {
        [only] if only.as_constant().is_some() => {
            Value(Constant(only.as_constant().expect("just seen").clone()))
        }
        [only] if only.is_top() && congruence.is_top() => Value(Top),
        _ => Value(Many(Arc::new(Product { set: IntervalSet::from_normalised(parts), congruence }))),
    }
}

/// If all parts are single values, their differences may allow a greater modulus; a part with two
/// members or an infinite one does not.
fn sharpen(parts: &mut Vec<Interval>, congruence: Congruence) -> Congruence {
    let Some(first) = parts[0].as_constant().cloned() else {
        return congruence;
    };
    let mut modulus = Int::ZERO;
    for part in &parts[1..] {
        let Some(value) = part.as_constant() else {
            return congruence;
        };
        modulus = modulus.gcd(&(value - &first));
    }
    if modulus.is_zero() || modulus == *congruence.modulus() {
        return congruence;
    }
    let finer = Congruence::new(modulus, first);
    if finer.is_top() {
        return congruence;
    }
    normalise(parts, finer.modulus());
    finer
}
