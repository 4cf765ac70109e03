//! Arithmetic on values: pairs of intervals and the congruence side by side, then reduction.
//!
//! Small sets are computed member by member instead, which the limit on parts may then coarsen.
//! *Exact* means: as if every pair of members had been computed, up to that limit.

use super::Value;
use super::bits;
use super::reduce::reduce;
use crate::concrete;
use crate::congruence::Congruence;
use crate::expr::BinaryOp;
use crate::int::Int;
use crate::interval::{Bound, Interval, MAX_BOUND_BITS};
use crate::machine::IntType;

/// Up to this many pairs are computed one by one.
pub(super) const PAIRS: u64 = 64;

impl Value {
    /// Exact on small sets and on single runs of equal step; else sound.
    pub fn add(&self, other: &Value) -> Value {
        Self::binary(BinaryOp::Add, self, other)
    }

    /// As `add`.
    pub fn sub(&self, other: &Value) -> Value {
        Self::binary(BinaryOp::Sub, self, other)
    }

    /// Exact on small sets and by constants; else sound.
    pub fn mul(&self, other: &Value) -> Value {
        Self::binary(BinaryOp::Mul, self, other)
    }

    /// Truncates toward zero; a divisor 0 gives no result. Exact on small sets; else sound.
    pub fn div(&self, other: &Value) -> Value {
        Self::binary(BinaryOp::Div, self, other)
    }

    /// Sign of the dividend; a divisor 0 gives no result. Exact on small sets; else sound.
    pub fn rem(&self, other: &Value) -> Value {
        Self::binary(BinaryOp::Rem, self, other)
    }

    /// Exact on small sets and intervals; else sound.
    pub fn min(&self, other: &Value) -> Value {
        Self::binary(BinaryOp::Min, self, other)
    }

    /// As `min`.
    pub fn max(&self, other: &Value) -> Value {
        Self::binary(BinaryOp::Max, self, other)
    }

    /// Exact.
    pub fn neg(&self) -> Value {
        match self.as_constant() {
            Some(value) => Value::constant(-value),
            None => reduce(self.parts().iter().map(Interval::neg).collect(), self.congruence().neg()),
        }
    }

    /// The products of each member with itself. Exact on small sets; else sound.
    pub fn square(&self) -> Value {
        if let Some(members) = self.members(PAIRS as usize)
            && members.iter().all(|member| 2 * member.bits() <= MAX_BOUND_BITS)
        {
            return from_members(members.iter().map(|member| member * member));
        }
        // x² = |x|², and the magnitudes do not pass zero.
        let magnitude = self.magnitude();
        self.mul(self).meet(&magnitude.mul(&magnitude))
    }

    /// The absolute values, as an interval.
    pub(super) fn magnitude(&self) -> Value {
        let (Some(hull), Some(nearest)) = (self.hull(), self.witness()) else {
            return Value::bottom();
        };
        let furthest = hull.max(&hull.neg()).high().clone();
        let magnitudes = Interval::new(Bound::Finite(nearest.abs()), furthest);
        Value::from_interval(magnitudes.expect("the nearest is not beyond the furthest"))
    }

    /// The members reduced into the type. Exact on small sets and on steps that divide 2^bits; else
    /// sound.
    pub fn wrap(&self, ty: IntType) -> Value {
        if let Some(value) = self.as_constant() {
            return Value::constant(ty.wrap(value));
        }
        let range = ty.range();
        if self.low() >= *range.low() && self.high() <= *range.high() {
            return self.clone();
        }
        if let Some(members) = self.members(PAIRS as usize) {
            return from_members(members.iter().map(|member| ty.wrap(member)));
        }
        let parts = self.parts().into_iter().flat_map(|part| {
            let (first, second) = part.wrap(ty);
            [Some(first), second].into_iter().flatten()
        });
        reduce(parts.collect(), self.congruence().wrap(ty))
    }

    /// The results of an operator over all pairs of members where it is defined.
    pub fn binary(op: BinaryOp, left: &Value, right: &Value) -> Value {
        if left.is_bottom() || right.is_bottom() {
            return Value::bottom();
        }
        if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
            match concrete::apply(op, a, b) {
                None => return Value::bottom(),
                Some(result) if result.bits() <= MAX_BOUND_BITS => return Value::constant(result),
                Some(_) => {}
            }
        }
        if let Some(same) = identity(op, left, right) {
            return same;
        }
        if let Some(result) = by_intervals(op, left, right) {
            return result;
        }
        if let Some(result) = by_members(op, left, right).or_else(|| bits::by_constant(op, left, right)) {
            return result;
        }
        let Some(congruence) = congruence_of(op, &left.congruence(), &right.congruence()) else {
            return Value::bottom();
        };
        let (left, right) = (left.parts(), right.parts());
        let mut results = Vec::with_capacity(left.len() * right.len());
        for a in &left {
            for b in &right {
                interval_of(op, a, b, &mut results);
            }
        }
        reduce(results, congruence)
    }
}

/// The commonest trivial cases, which need no arithmetic and lose nothing.
fn identity(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let right_is = |constant: &Int| right.as_constant() == Some(constant);
    let left_is = |constant: &Int| left.as_constant() == Some(constant);
    match op {
        BinaryOp::Add | BinaryOp::Sub if right_is(&Int::ZERO) => Some(left.clone()),
        BinaryOp::Mul | BinaryOp::Div if right_is(&Int::ONE) => Some(left.clone()),
        BinaryOp::Add if left_is(&Int::ZERO) => Some(right.clone()),
        BinaryOp::Mul if left_is(&Int::ONE) => Some(right.clone()),
        BinaryOp::Mul if left_is(&Int::ZERO) || right_is(&Int::ZERO) => Some(Value::constant(0)),
        BinaryOp::Min if left.high() <= right.low() => Some(left.clone()),
        BinaryOp::Min if right.high() <= left.low() => Some(right.clone()),
        BinaryOp::Max if left.high() <= right.low() => Some(right.clone()),
        BinaryOp::Max if right.high() <= left.low() => Some(left.clone()),
        _ => None,
    }
}

/// One interval each, under operators that then give exactly one interval.
fn by_intervals(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let operate = match op {
        BinaryOp::Add => Interval::add,
        BinaryOp::Sub => Interval::sub,
        BinaryOp::Min => Interval::min,
        BinaryOp::Max => Interval::max,
        _ => return None,
    };
    let (left, right) = (left.as_interval()?, right.as_interval()?);
    Some(Value::from_interval(operate(&left, &right)))
}

/// Pair by pair, where that is cheap and intervals would lose something.
fn by_members(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let shifted_or_scaled = left.as_constant().is_some() || right.as_constant().is_some();
    let exact_on_intervals = shifted_or_scaled && matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
    if exact_on_intervals {
        return None;
    }
    let pairs = left.size()?.checked_mul(right.size()?)?;
    if pairs > PAIRS {
        return None;
    }
    let left = left.members(PAIRS as usize)?;
    let right = right.members(PAIRS as usize)?;
    let results: Vec<Int> =
        left.iter().flat_map(|a| right.iter().filter_map(move |b| concrete::apply(op, a, b))).collect();
    let small = results.iter().all(|result| result.bits() <= MAX_BOUND_BITS);
    small.then(|| from_members(results))
}

pub(super) fn from_members(members: impl IntoIterator<Item = Int>) -> Value {
    let parts = members.into_iter().map(Interval::constant).collect();
    reduce(parts, Congruence::TOP)
}

fn interval_of(op: BinaryOp, a: &Interval, b: &Interval, results: &mut Vec<Interval>) {
    match op {
        BinaryOp::Add => results.push(a.add(b)),
        BinaryOp::Sub => results.push(a.sub(b)),
        BinaryOp::Mul => results.push(a.mul(b)),
        BinaryOp::Div => {
            let parts = b.without_zero();
            results.extend(parts.iter().flatten().filter_map(|part| a.div(part)));
        }
        BinaryOp::Rem => results.extend(a.rem_parts(b)),
        BinaryOp::Min => results.push(a.min(b)),
        BinaryOp::Max => results.push(a.max(b)),
        _ => results.extend(a.bits(op, b)),
    }
}

fn congruence_of(op: BinaryOp, a: &Congruence, b: &Congruence) -> Option<Congruence> {
    match op {
        BinaryOp::Add => Some(a.add(b)),
        BinaryOp::Sub => Some(a.sub(b)),
        BinaryOp::Mul => Some(a.mul(b)),
        BinaryOp::Div => a.div(b),
        BinaryOp::Rem => a.rem(b),
        // The result is one of the two.
        BinaryOp::Min | BinaryOp::Max => Some(a.join(b)),
        _ => Some(bits::congruence_of(op, a, b)),
    }
}
