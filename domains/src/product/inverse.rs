//! Backward arithmetic: which operands can give a wanted result.
//!
//! For `left op right ∈ wanted`, each function answers an over-approximation of one operand, given
//! the other; the caller meets it with what it already knows. All are sound; those marked exact are
//! the best answer, up to the limit on parts.

mod bits;

use super::Value;
use super::reduce::reduce;
use crate::congruence::Congruence;
use crate::expr::BinaryOp;
use crate::int::Int;
use crate::interval::{Bound, Interval};
use crate::machine::IntType;

/// How many copies of a machine range a wrapped value is searched in.
const WRAP_COPIES: i64 = 5;

impl Value {
    /// The values of the left operand for which `left op right` can be in `wanted`.
    pub fn inverse_left(op: BinaryOp, wanted: &Value, left: &Value, right: &Value) -> Value {
        match op {
            BinaryOp::Add => wanted.sub(right),
            BinaryOp::Sub => wanted.add(right),
            BinaryOp::Mul => factor(wanted, right),
            BinaryOp::Div => dividend(wanted, right),
            BinaryOp::Rem => remaindered(wanted, left, right),
            BinaryOp::Min => chosen_least(wanted, right),
            BinaryOp::Max => chosen_least(&wanted.neg(), &right.neg()).neg(),
            _ => bits::left(op, wanted, left, right),
        }
    }

    /// The values of the right operand for which `left op right` can be in `wanted`.
    pub fn inverse_right(op: BinaryOp, wanted: &Value, left: &Value, right: &Value) -> Value {
        match op {
            BinaryOp::Add => wanted.sub(left),
            BinaryOp::Sub => left.sub(wanted),
            BinaryOp::Mul => factor(wanted, left),
            BinaryOp::Div => divisor(wanted, left, right),
            BinaryOp::Rem => modulus(wanted, right),
            BinaryOp::Min => chosen_least(wanted, left),
            BinaryOp::Max => chosen_least(&wanted.neg(), &left.neg()).neg(),
            _ => bits::right(op, wanted, left, right),
        }
    }

    /// The members of `operand` that the type reduces into `wanted`.
    pub fn inverse_wrap(ty: IntType, wanted: &Value, operand: &Value) -> Value {
        let wanted = wanted.meet_interval(&ty.range());
        if wanted.is_bottom() {
            return wanted;
        }
        let modulus = ty.modulus();
        if let Some(hull) = operand.hull()
            && let (Bound::Finite(low), Bound::Finite(high)) = (hull.low(), hull.high())
        {
            let copy_of =
                |value: &Int| (value - ty.min()).div_floor(&modulus).expect("a power of two is not zero");
            let (first, last) = (copy_of(low), copy_of(high));
            if &last - &first < Int::from(WRAP_COPIES) {
                let count = (&last - &first).to_i64().expect("a small difference");
                return (0..=count).fold(Value::bottom(), |union, offset| {
                    let shift = &modulus * (&first + Int::from(offset));
                    union.join(&wanted.add(&Value::constant(shift)).meet(operand))
                });
            }
        }
        operand.meet(&Value::from_congruence(wanted.congruence().add(&Congruence::new(modulus, Int::ZERO))))
    }
}

/// The x with x · y ∈ `product` for some y in `other`. Exact for a constant y.
fn factor(product: &Value, other: &Value) -> Value {
    if product.is_bottom() || other.is_bottom() {
        return Value::bottom();
    }
    if other.contains(&Int::ZERO) && product.contains(&Int::ZERO) {
        return Value::top();
    }
    if let Some(constant) = other.as_constant() {
        return exact_quotient(product, constant);
    }
    let products = product.parts();
    let mut parts = Vec::new();
    for factors in other.parts() {
        for signed in factors.without_zero().iter().flatten() {
            parts.extend(products.iter().filter_map(|part| real_quotient(part, signed)));
        }
    }
    reduce(parts, Congruence::TOP)
}

/// The x with x · divisor ∈ `product`; none for divisor 0, for then `product` does not hold 0. Exact.
fn exact_quotient(product: &Value, divisor: &Int) -> Value {
    let multiples = Congruence::new(divisor.clone(), Int::ZERO);
    // Where a size limit keeps the meet from leaving multiples only, truncation errs outward.
    let multiples = product.meet(&Value::from_congruence(multiples));
    let parts = multiples.parts();
    let by = Interval::constant(divisor.clone());
    let quotients = parts.iter().filter_map(|part| part.div(&by));
    let congruence = multiples.congruence().div(&Congruence::constant(divisor.clone()));
    match congruence {
        Some(congruence) => reduce(quotients.collect(), congruence),
        None => Value::bottom(),
    }
}

/// The integers within the hull of the real quotients; the divisor has one sign.
fn real_quotient(product: &Interval, divisor: &Interval) -> Option<Interval> {
    let negative = divisor.high() < &Bound::Finite(Int::ZERO);
    let (product, divisor) =
        if negative { (product.neg(), divisor.neg()) } else { (product.clone(), divisor.clone()) };
    // With 0 < y: the least x is low/y, least at the smallest y if low < 0 and at the greatest else.
    let low = match product.low() {
        Bound::Finite(low) if low.is_negative() => Bound::Finite(low.div_ceil(divisor.low().finite()?)?),
        Bound::Finite(low) => match divisor.high() {
            Bound::Finite(high) => Bound::Finite(low.div_ceil(high)?),
            _ => Bound::Finite(Int::from(low.signum())),
        },
        unbounded => unbounded.clone(),
    };
    let high = match product.high() {
        Bound::Finite(high) if high.is_positive() => Bound::Finite(high.div_floor(divisor.low().finite()?)?),
        Bound::Finite(high) => match divisor.high() {
            Bound::Finite(greatest) => Bound::Finite(high.div_floor(greatest)?),
            _ => Bound::Finite(Int::from(high.signum())),
        },
        unbounded => unbounded.clone(),
    };
    Interval::new(low, high)
}

/// The x with x / y ∈ `quotient`: x = q·y + r with |r| < |y|, and r has the sign of x.
fn dividend(quotient: &Value, divisor: &Value) -> Value {
    let magnitudes = divisor.without(&Int::ZERO).magnitude();
    let Some(rest) = magnitudes.hull().map(|hull| hull.high().clone()) else {
        return Value::bottom();
    };
    let rest = match rest {
        Bound::Finite(high) => Bound::Finite(high - Int::ONE),
        unbounded => unbounded,
    };
    let upward = Interval::new(Bound::Finite(Int::ZERO), rest).expect("a magnitude is positive");
    let (upward, downward) = (upward.clone(), upward.neg());
    let mut parts = Vec::new();
    if quotient.contains(&Int::ZERO) {
        parts.push(upward.join(&downward));
    }
    let divisors = divisor.parts();
    for quotients in quotient.parts() {
        for quotients in quotients.without_zero().iter().flatten() {
            for divisors in &divisors {
                for divisors in divisors.without_zero().iter().flatten() {
                    let product = quotients.mul(divisors);
                    let positive = product.low() > &Bound::Finite(Int::ZERO);
                    let rest = if positive { &upward } else { &downward };
                    parts.push(product.add(rest));
                }
            }
        }
    }
    reduce(parts, Congruence::TOP)
}

/// The y with x / y ∈ `quotient` for some x: never 0, and |y| ≤ |x| / |q| where q cannot be 0.
fn divisor(quotient: &Value, dividend: &Value, known: &Value) -> Value {
    let known = known.without(&Int::ZERO);
    if quotient.contains(&Int::ZERO) {
        return known;
    }
    let (Some(largest), Some(smallest)) = (dividend.magnitude().hull(), quotient.magnitude().hull()) else {
        return Value::bottom();
    };
    let (Bound::Finite(largest), Bound::Finite(smallest)) = (largest.high(), smallest.low()) else {
        return known;
    };
    match largest.div_floor(smallest) {
        Some(limit) => match Interval::finite(limit.neg(), limit) {
            Some(limits) => known.meet_interval(&limits),
            None => Value::bottom(),
        },
        None => known,
    }
}

/// The x with x % y ∈ `wanted`: congruent to it modulo every common divisor of the y, at least as
/// far from 0, and equal to it if nearer to 0 than every y.
fn remaindered(wanted: &Value, known: &Value, divisor: &Value) -> Value {
    let divisor = divisor.without(&Int::ZERO);
    let (Some(wanted_hull), Some(magnitude)) = (wanted.hull(), divisor.magnitude().hull()) else {
        return Value::bottom();
    };
    let step = divisor.congruence();
    let step = Congruence::new(step.modulus().gcd(step.residue()), Int::ZERO);
    let mut result = known.meet(&Value::from_congruence(wanted.congruence().add(&step)));
    if wanted_hull.low() > &Bound::Finite(Int::ZERO) {
        let outward = Interval::new(wanted_hull.low().clone(), Bound::PosInfinity);
        result = result.meet_interval(&outward.expect("a low bound"));
    } else if wanted_hull.high() < &Bound::Finite(Int::ZERO) {
        let outward = Interval::new(Bound::NegInfinity, wanted_hull.high().clone());
        result = result.meet_interval(&outward.expect("a high bound"));
    }
    let nearer = known.magnitude().high() < *magnitude.low();
    if nearer { result.meet(wanted) } else { result }
}

/// The y with x % y ∈ `wanted` for some x: |y| exceeds the remainder.
fn modulus(wanted: &Value, known: &Value) -> Value {
    let known = known.without(&Int::ZERO);
    let Bound::Finite(least) = wanted.magnitude().low() else {
        return known;
    };
    let outside = [Interval::at_most(least.neg() - Int::ONE), Interval::at_least(least + Int::ONE)];
    known.meet(&Value::from_intervals(outside))
}

/// The x with min(x, y) ∈ `wanted` for some y. Exact for intervals.
fn chosen_least(wanted: &Value, other: &Value) -> Value {
    if wanted.is_bottom() || other.is_bottom() {
        return Value::bottom();
    }
    if wanted.meet(other).is_bottom() {
        // The other operand is never the result.
        return wanted.clone();
    }
    let at_least = Interval::new(wanted.low(), Bound::PosInfinity);
    Value::from_interval(at_least.expect("a low bound"))
}
