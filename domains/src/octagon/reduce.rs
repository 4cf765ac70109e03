//! The constraints of an octagon without those that follow from others.
//!
//! Variables equal up to sign and a constant are tied to the first of them. Between the first ones
//! there is no equality left, so what is the sum of two other bounds, or of two halves, can go at once
//! (Bagnara, Hill, Mazzi and Zaffanella, "Widening operators for weakly-relational numeric
//! abstractions", SAS 2005). What follows for integers only stays.

use super::blocks::{Block, plus};
use super::linear::Inequality;
use super::matrix::Matrix;
use super::weight::Weight;
use crate::interval::Bound;
use crate::relation::Constraint;

pub(super) fn constraints(block: &Block) -> Vec<Constraint> {
    let matrix = &block.matrix;
    let mut found = Vec::new();
    let mut first: Vec<usize> = Vec::new();
    for variable in 0..block.variables.len() {
        match tie(matrix, &first, variable) {
            Some((a, b)) => found.push(equality(block, a, b)),
            None => first.push(variable),
        }
    }
    let sides: Vec<usize> = first.iter().flat_map(|variable| [2 * variable, 2 * variable + 1]).collect();
    for (index, i) in sides.iter().enumerate() {
        for j in sides[..=index].iter().filter(|j| **j != i ^ 1) {
            if matrix.at(*i, *j).is_finite() && !follows(matrix, &sides, *i, *j) {
                found.extend(inequality(block, *i, *j).map(|known| known.constraint()));
            }
        }
    }
    found
}

/// Two sides whose sum has one value: the variable's and its own again, or an earlier variable's.
fn tie(matrix: &Matrix, earlier: &[usize], variable: usize) -> Option<(usize, usize)> {
    let side = 2 * variable;
    let candidates = earlier.iter().flat_map(|other| [2 * other, 2 * other + 1]).chain([side]);
    let mut tied = candidates
        .filter(|other| matrix.at(side, *other).plus(&matrix.at(side ^ 1, other ^ 1)) == Bound::ZERO);
    tied.next().map(|other| (side, other))
}

fn follows(matrix: &Matrix, sides: &[usize], i: usize, j: usize) -> bool {
    let bound = matrix.at(i, j);
    let halves = || matrix.at(i, i).plus(&matrix.at(j, j)).halved();
    let via = |k: usize| matrix.at(i, k).plus(&matrix.at(k ^ 1, j));
    (i != j && halves() <= bound) || sides.iter().any(|k| *k != j && *k != i ^ 1 && via(*k) <= bound)
}

fn inequality(block: &Block, i: usize, j: usize) -> Option<Inequality> {
    let side = |i: usize| plus(block.variables[i / 2]) + i % 2;
    let bound = block.matrix.at(i, j).finite()?.clone();
    Some(Inequality { a: side(i), b: side(j), bound })
}

fn equality(block: &Block, i: usize, j: usize) -> Constraint {
    let known = inequality(block, i, j).expect("tied sides have a bound");
    Constraint::zero(known.constraint().form().clone())
}
