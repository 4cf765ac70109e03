//! Linear forms on octagons: bounds, constraints and assignments.
//!
//! Sums of two sides are exact. What is known of a longer form comes from splitting it into such
//! sums, some of the ways only.

use super::blocks::{Blocks, minus, plus, signed, variable_of};
use super::weight::Weight;
use crate::expr::Var;
use crate::int::Int;
use crate::interval::{Bound, Interval, MAX_BOUND_BITS};
use crate::linear::LinearExpr;
use crate::relation::Constraint;

/// `s_a + s_b <= bound` on sides of dimensions.
#[derive(Clone, Debug)]
pub(super) struct Inequality {
    pub a: usize,
    pub b: usize,
    pub bound: Int,
}

impl Inequality {
    pub fn is_kept_by(&self, blocks: &Blocks) -> bool {
        blocks.bound(self.a, self.b) <= Bound::Finite(self.bound.clone())
    }

    /// Beyond this a bound is not worth its digits.
    pub fn is_too_long(&self) -> bool {
        self.bound.bits() > MAX_BOUND_BITS
    }

    /// The constraint in words of [`Constraint`].
    pub fn constraint(&self) -> Constraint {
        let terms = [self.a ^ 1, self.b ^ 1].map(|side| term(side, &Int::ONE));
        Constraint::at_least_zero(LinearExpr::from_terms(terms, self.bound.clone()))
    }
}

/// A variable's side in a sum, `magnitude` times.
type Term = (usize, Int);

fn terms_of(form: &LinearExpr) -> Vec<Term> {
    let side =
        |variable: Var, factor: &Int| if factor.is_negative() { minus(variable) } else { plus(variable) };
    form.terms().iter().map(|(variable, factor)| (side(*variable, factor), factor.abs())).collect()
}

/// The two sides of an octagonal sum; a single one counts twice, as does its bound.
fn as_sides(terms: &[Term]) -> Option<(usize, usize)> {
    match terms {
        [(a, one)] if one.is_one() => Some((*a, *a)),
        [(a, one), (b, other)] if one.is_one() && other.is_one() => Some((*a, *b)),
        _ => None,
    }
}

/// `form >= 0` as one inequality, if it is one.
pub(super) fn as_octagonal(form: &LinearExpr) -> Option<Inequality> {
    let (a, b) = as_sides(&terms_of(form))?;
    let bound = if a == b { form.offset() + form.offset() } else { form.offset().clone() };
    Some(Inequality { a: a ^ 1, b: b ^ 1, bound })
}

/// Contains the values of a form.
pub(super) fn bounds(blocks: &Blocks, form: &LinearExpr) -> Interval {
    let terms = terms_of(form);
    let opposite: Vec<Term> = terms.iter().map(|(side, magnitude)| (side ^ 1, magnitude.clone())).collect();
    let high = match upper(blocks, &terms) {
        Some(high) => Bound::Finite(high + form.offset()),
        None => Bound::PosInfinity,
    };
    let low = match upper(blocks, &opposite) {
        Some(high) => Bound::Finite(form.offset() - high),
        None => Bound::NegInfinity,
    };
    Interval::new(low, high).expect("an octagon that is not empty has points")
}

/// Forms up to this length are split in more ways than the greedy one.
const THOROUGH: usize = 6;

/// An upper bound of a sum; `None` if none is known.
fn upper(blocks: &Blocks, terms: &[Term]) -> Option<Int> {
    if let Some((a, b)) = as_sides(terms) {
        let bound = blocks.bound(a, b);
        let bound = if a == b { bound.halved() } else { bound };
        return bound.finite().cloned();
    }
    let pairs = pairs(blocks, terms);
    let greedy = greedy(blocks, terms.to_vec(), Int::ZERO, &pairs);
    if pairs.len() < 2 || terms.len() > THOROUGH {
        return greedy;
    }
    let starts = pairs.iter().filter_map(|pair| {
        let mut rest = terms.to_vec();
        let sum = pair.take_from(&mut rest);
        self::greedy(blocks, rest, sum, &pairs)
    });
    starts.chain(greedy).min()
}

/// Two terms of a form that are bounded better together than apart.
struct Pair {
    first: usize,
    second: usize,
    bound: Int,
    /// What that saves, for each time; `None` if one of them alone has no bound.
    gain: Option<Int>,
}

impl Pair {
    fn times(&self, terms: &[Term]) -> Int {
        terms[self.first].1.clone().min(terms[self.second].1.clone())
    }

    fn take_from(&self, terms: &mut [Term]) -> Int {
        let times = self.times(terms);
        for term in [self.first, self.second] {
            terms[term].1 -= &times;
        }
        times * &self.bound
    }
}

fn pairs(blocks: &Blocks, terms: &[Term]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for second in 1..terms.len() {
        for first in 0..second {
            let (a, b) = (terms[first].0, terms[second].0);
            let Bound::Finite(bound) = blocks.bound(a, b) else { continue };
            let apart = blocks.bound(a, a).plus(&blocks.bound(b, b)).halved();
            let gain = apart.finite().map(|apart| apart - &bound);
            if gain.as_ref().is_none_or(Int::is_positive) {
                pairs.push(Pair { first, second, bound, gain });
            }
        }
    }
    pairs
}

/// Takes the most gainful pair as often as it goes, then the next; the rest one by one.
fn greedy(blocks: &Blocks, mut terms: Vec<Term>, mut sum: Int, pairs: &[Pair]) -> Option<Int> {
    loop {
        let usable = pairs.iter().filter(|pair| !pair.times(&terms).is_zero());
        let gain =
            |pair: &&Pair| (pair.gain.is_none(), pair.gain.as_ref().map(|gain| gain * pair.times(&terms)));
        let Some(best) = usable.max_by_key(gain) else { break };
        sum += best.take_from(&mut terms);
    }
    for (side, magnitude) in terms.iter().filter(|(_, magnitude)| !magnitude.is_zero()) {
        sum += blocks.bound(*side, *side).halved().finite()? * magnitude;
    }
    Some(sum)
}

/// What `form >= 0` says of each variable and each pair of its variables, beyond what is known.
pub(super) fn consequences(blocks: &Blocks, form: &LinearExpr) -> Vec<Inequality> {
    // The sum of some opposite sides, `times` times, is at most the rest of the form.
    let bound = |sides: &[usize], times: &Int| {
        let sum = LinearExpr::from_terms(sides.iter().map(|side| term(*side, times)), Int::ZERO);
        (upper(blocks, &terms_of(&form.minus(&sum)))? + form.offset()).div_floor(times)
    };
    let terms = terms_of(form);
    let mut found = Vec::new();
    for (index, (a, times)) in terms.iter().enumerate() {
        let alone =
            bound(&[*a], times).map(|bound| Inequality { a: *a ^ 1, b: *a ^ 1, bound: &bound + &bound });
        found.extend(alone);
        for (b, other) in &terms[..index] {
            let together = |times| Some(Inequality { a: *a ^ 1, b: *b ^ 1, bound: bound(&[*a, *b], times)? });
            found.extend(together(times));
            found.extend((other != times).then(|| together(other)).flatten());
        }
    }
    found.retain(|inequality| !inequality.is_kept_by(blocks));
    found
}

fn term(side: usize, times: &Int) -> (Var, Int) {
    (variable_of(side), signed(side, times))
}

/// What will hold of a variable after `variable := form`: its own bounds, and those of its sums with
/// variables that share a block with the form.
pub(super) fn effects(blocks: &Blocks, variable: Var, form: &LinearExpr) -> Vec<Inequality> {
    let mut found = Vec::new();
    let others = blocks.related(form.terms().iter().map(|(variable, _)| *variable));
    for (side, form) in [(plus(variable), form.clone()), (minus(variable), form.scaled(&Int::MINUS_ONE))] {
        let alone = upper(blocks, &terms_of(&form)).map(|bound| bound + form.offset());
        for other in
            others.iter().filter(|other| **other != variable).flat_map(|other| [plus(*other), minus(*other)])
        {
            let sum = form.plus(&LinearExpr::from_terms([term(other, &Int::ONE)], Int::ZERO));
            let Some(bound) = upper(blocks, &terms_of(&sum)) else { continue };
            let bound = bound + form.offset();
            let apart = alone.as_ref().zip(blocks.bound(other, other).halved().finite().cloned());
            if apart.is_none_or(|(alone, other)| bound < alone + other) {
                found.push(Inequality { a: side, b: other, bound });
            }
        }
        found.extend(alone.map(|bound| Inequality { a: side, b: side, bound: &bound + &bound }));
    }
    found
}
