//! Conditions that held in every state seen at the head of a loop: guesses, which a solver keeps or drops.

use kleene_domains::numeric::NumericState;
use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, LinearExpr, Var};

use super::strides::divides;
use crate::interpret::context::NodeId;
use crate::interpret::explore::Exploration;

/// States looked at, and how many there have to be.
const MOST_POINTS: usize = 200;
const LEAST_POINTS: usize = 5;
/// Variables that are combined.
const MOST_SLOTS: usize = 6;

/// What the single states of a node have in common.
pub fn at(exploration: &Exploration<'_>, node: NodeId) -> Vec<Cond> {
    let states = exploration.cells.iter().filter(|cell| cell.node == node && !cell.history.rest);
    let states: Vec<&crate::interpret::State> = states.map(|cell| &cell.state).collect();
    if states.len() < LEAST_POINTS {
        return Vec::new();
    }
    // Of every run some.
    let states: Vec<_> = states.iter().copied().step_by(states.len().div_ceil(MOST_POINTS)).collect();
    let dimensions = states[0].dimensions() as u32;
    let column = |slot: Var| -> Option<Vec<Int>> {
        states.iter().map(|state| state.get(slot).as_constant().cloned()).collect()
    };
    let columns = (0..dimensions).map(Var).filter_map(|slot| Some((slot, column(slot)?)));
    let columns = columns.filter(|(_, values)| {
        let mut distinct: Vec<&Int> = values.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.len() > 2
    });
    let columns: Vec<(Var, Vec<Int>)> = columns.take(MOST_SLOTS).collect();
    let mut found = Vec::new();
    congruences(&columns, &mut found);
    products(&columns, &mut found);
    found
}

/// Remainders of sums and differences of two.
fn congruences(columns: &[(Var, Vec<Int>)], found: &mut Vec<Cond>) {
    for (at, (x, xs)) in columns.iter().enumerate() {
        for (y, ys) in &columns[at + 1..] {
            for sign in [Int::ONE, Int::MINUS_ONE] {
                let sums: Vec<Int> = xs.iter().zip(ys).map(|(x, y)| x + &(y * &sign)).collect();
                let divisor = sums.iter().fold(Int::ZERO, |divisor, sum| divisor.gcd(&(sum - &sums[0])));
                if divisor > Int::ONE {
                    let sum = LinearExpr::from_terms([(*x, Int::ONE), (*y, sign)], -&sums[0]);
                    found.push(divides(&divisor, &sum));
                }
            }
        }
    }
}

/// Values that are products of two others, squares and sums of the first numbers.
fn products(columns: &[(Var, Vec<Int>)], found: &mut Vec<Cond>) {
    let variable = |slot: Var| Expr::Variable(slot);
    let times = |left: Expr, right: Expr| Expr::binary(BinaryOp::Mul, left, right);
    let mut add = |left: Expr, right: Expr| found.push(Cond::Compare(CompareOp::Equal, left, right));
    for (a, values) in columns {
        for (at, (b, bs)) in columns.iter().enumerate().filter(|(_, (b, _))| b != a) {
            for (c, cs) in columns[at..].iter().filter(|(c, _)| c != a) {
                if values.iter().zip(bs.iter().zip(cs)).all(|(a, (b, c))| *a == b * c) {
                    add(variable(*a), times(variable(*b), variable(*c)));
                }
            }
            for step in [Int::ONE, Int::MINUS_ONE] {
                if values.iter().zip(bs).all(|(a, b)| a + a == b * &(b + &step)) {
                    let next = Expr::binary(BinaryOp::Add, variable(*b), Expr::Constant(step));
                    add(times(Expr::constant(2), variable(*a)), times(variable(*b), next));
                }
            }
        }
    }
}
