//! Integer values within the bounds of a simplex tableau: divisibility of rows, then branch and bound.
//!
//! A contradiction found by branching is explained by what its two halves have in common with the
//! caller's bounds, so it is a lemma like any other. On unbounded regions branching need not end: the
//! meter ends it, and so does the depth.

use kleene_domains::Int;

use super::rational::Rational;
use super::simplex::{Cause, Explanation, Row, Side, Simplex};
use crate::budget::Meter;

/// Causes from here on are branches, not literals.
const FIRST_BRANCH: Cause = 1 << 31;

const MAX_DEPTH: u32 = 150;

pub enum Integers {
    /// The value of every variable.
    Found(Vec<Int>),
    None(Explanation),
    /// The meter or the depth ran out.
    Open,
}

/// The bounds are as before when it returns. The tableau must be rationally feasible.
pub fn integers(simplex: &mut Simplex, meter: &Meter) -> Integers {
    branch(simplex, meter, 0)
}

fn branch(simplex: &mut Simplex, meter: &Meter, depth: u32) -> Integers {
    if let Some(explanation) = simplex.rows().iter().find_map(|row| indivisible(simplex, row)) {
        return Integers::None(explanation);
    }
    let Some(variable) = fractional(simplex) else {
        let values = (0..simplex.variables()).map(|variable| simplex.value(variable).floor());
        return Integers::Found(values.collect());
    };
    if depth == MAX_DEPTH {
        return Integers::Open;
    }
    let floor = simplex.value(variable).floor();
    let cause = FIRST_BRANCH + depth;
    let halves = [(Side::Upper, floor.clone()), (Side::Lower, floor + Int::ONE)];
    let (mut union, mut open) = (Vec::new(), false);
    for (side, value) in halves {
        meter.node();
        if meter.met().is_some() {
            return Integers::Open;
        }
        let mark = simplex.mark();
        let half = half(simplex, meter, depth, (variable, side, value, cause));
        simplex.undo(mark);
        match half {
            Integers::None(explanation) if !explanation.contains(&cause) => {
                return Integers::None(explanation);
            }
            Integers::None(explanation) => {
                union.extend(explanation.into_iter().filter(|other| *other != cause))
            }
            Integers::Found(values) => return Integers::Found(values),
            Integers::Open => open = true,
        }
    }
    if open {
        return Integers::Open;
    }
    union.sort_unstable();
    union.dedup();
    Integers::None(union)
}

fn half(simplex: &mut Simplex, meter: &Meter, depth: u32, bound: (usize, Side, Int, Cause)) -> Integers {
    let (variable, side, value, cause) = bound;
    let feasible = simplex.bound(variable, side, value, cause).and_then(|()| simplex.check(meter));
    match feasible {
        Err(explanation) => Integers::None(explanation),
        Ok(false) => Integers::Open,
        Ok(true) => branch(simplex, meter, depth + 1),
    }
}

/// A variable whose value is no integer: the one with the fewest values left, the first of those.
fn fractional(simplex: &Simplex) -> Option<usize> {
    let open = simplex.rows().iter().map(|row| row.basic).filter(|basic| !simplex.value(*basic).is_integer());
    open.min_by_key(|variable| {
        let (lower, upper) = (simplex.limit(*variable, Side::Lower), simplex.limit(*variable, Side::Upper));
        let width = lower.zip(upper).map(|(lower, upper)| &upper.value - &lower.value);
        (width.is_none(), width, *variable)
    })
}

/// The bounds of the fixed variables of a row, if no integers for the others can make up the rest.
fn indivisible(simplex: &Simplex, row: &Row) -> Option<Explanation> {
    let common = row.terms.iter().fold(Int::ONE, |common, (_, factor)| lcm(&common, factor.denominator()));
    let scale = Rational::integer(common.clone());
    let (mut divisor, mut rest, mut causes) = (Int::ZERO, Int::ZERO, Vec::new());
    let terms =
        row.terms.iter().map(|(variable, factor)| (*variable, factor.times(&scale).numerator().clone()));
    for (variable, factor) in terms.chain([(row.basic, common.neg())]) {
        match simplex.fixed(variable) {
            Some((lower, upper)) => {
                rest += &factor * &lower.value;
                causes.extend([lower.cause, upper.cause]);
            }
            None => divisor = divisor.gcd(&factor),
        }
    }
    if divisor.is_zero() || divisor.divides(&rest) {
        return None;
    }
    causes.sort_unstable();
    causes.dedup();
    Some(causes)
}

fn lcm(a: &Int, b: &Int) -> Int {
    let product = a * b;
    product.div_trunc(&a.gcd(b)).unwrap_or(Int::ONE)
}
