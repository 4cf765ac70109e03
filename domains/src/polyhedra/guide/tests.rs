//! Guided answers are those of the generators, whatever the solver says.

use std::cell::RefCell;

use super::program::{Answer, MicroLp, Program, Solver};
use super::*;
use crate::laws::Numbers;
use crate::polyhedra::order::least_in;
use crate::polyhedra::pair::Pair;
use crate::polyhedra::parts::{Rounding, Stop};
use crate::relation::ConstraintKind;

/// A number of the size that a kind of system has.
fn number(numbers: &mut Numbers, kind: usize) -> Int {
    let small = Int::from(numbers.between(-3, 3));
    let power = [0, 0, 0, 62, 101, 140][kind];
    if power == 0 || small.is_zero() {
        return small;
    }
    &small * &Int::from(2).pow(power) + Int::from(numbers.between(-2, 2))
}

/// Small numbers with all constants positive, any, or zero; numbers around 2^62, 2^101, 2^140.
const KINDS: usize = 6;

fn random_row(numbers: &mut Numbers, width: usize, kind: usize) -> Vec<Int> {
    let mut row: Vec<Int> = (0..width).map(|_| number(numbers, kind)).collect();
    match kind {
        0 => row[0] = Int::from(numbers.between(1, 9)),
        2 => row[0] = Int::ZERO,
        _ => {}
    }
    row
}

/// Some rows twice, some with their opposite.
fn random_system(numbers: &mut Numbers, width: usize, kind: usize) -> Vec<Vec<Int>> {
    let mut rows = Vec::new();
    for _ in 0..1 + numbers.below(2 * width) {
        let row = random_row(numbers, width, kind);
        match numbers.below(8) {
            0 => rows.push(row.clone()),
            1 => rows.push(row.iter().map(Int::neg).collect()),
            _ => {}
        }
        rows.push(row);
    }
    rows
}

/// `None` where a generator would be longer than the limit.
fn converted(rows: &[Vec<Int>]) -> Option<Pair<Int>> {
    let mut pair = Pair::top(rows[0].len() - 1);
    rows.iter().try_for_each(|row| pair.add(row, ConstraintKind::AtLeastZero)).ok()?;
    Some(pair)
}

#[derive(Default, Debug)]
struct Tally {
    asked: usize,
    answered: usize,
    empty: usize,
    unbounded: usize,
    implied: usize,
}

impl Tally {
    fn compare<T: PartialEq + std::fmt::Debug>(&mut self, guided: Option<T>, exact: T, rows: &[Vec<Int>]) {
        self.asked += 1;
        self.answered += usize::from(guided.is_some());
        assert!(guided.as_ref().is_none_or(|guided| *guided == exact), "{guided:?}, not {exact:?}: {rows:?}");
    }
}

fn compare<L: Solver + Copy>(solver: L, kind: usize, rounds: usize) -> Tally {
    let mut numbers = Numbers::seeded(40 + kind as u64);
    let mut tally = Tally::default();
    for round in 0..rounds {
        let width = 2 + round % 5;
        let rows = random_system(&mut numbers, width, kind);
        let Some(guide) = Guide::new(rows.clone(), solver) else { continue };
        let Some(pair) = converted(&rows) else { continue };
        let empty = pair.is_empty();
        tally.compare(guide.is_empty(), empty, &rows);
        tally.empty += usize::from(empty);
        if empty {
            continue;
        }
        let cone = Cone::of_pair(pair);
        for _ in 0..4 {
            let mut row = random_row(&mut numbers, width, kind);
            let implied = cone.implies(&row).expect("exact");
            tally.implied += usize::from(implied);
            tally.compare(guide.implies(&row), implied, &rows);
            row[0] = Int::ZERO;
            let least = match least_in(&cone, &row).expect("exact") {
                Some((value, by)) => Lowest::At(Fraction::new(value, &by)),
                None => Lowest::Unbounded,
            };
            tally.unbounded += usize::from(least == Lowest::Unbounded);
            tally.compare(guide.least(&row), least, &rows);
        }
    }
    tally
}

#[test]
fn guided_answers_are_exact() {
    for kind in 0..KINDS {
        let tally = compare(MicroLp, kind, 600);
        println!("{kind}: {tally:?}");
        let share = tally.answered as f64 / tally.asked.max(1) as f64;
        assert!(kind > 2 || share > 0.9, "{tally:?}");
        assert!(kind != 1 || (tally.empty > 20 && tally.implied > 20 && tally.unbounded > 20), "{tally:?}");
        assert!(kind == 5 || tally.asked > 1000, "{tally:?}");
        assert!(kind != 5 || tally.asked == 0, "beyond double words nothing is asked");
    }
}

/// Says anything: what is true in another order, shifted, nothing, or the opposite.
#[derive(Clone, Copy)]
struct Liar<'a>(&'a RefCell<Numbers>);

impl Solver for Liar<'_> {
    fn minimise(&self, program: &Program) -> Option<Answer> {
        let mut numbers = self.0.borrow_mut();
        let size = program.objective.len();
        let truth = match MicroLp.minimise(program) {
            Some(Answer::At(values)) => values,
            _ => vec![0.0; size],
        };
        Some(match numbers.below(8) {
            0 => Answer::Infeasible,
            1 => Answer::Unbounded,
            2 => Answer::At(truth.into_iter().rev().collect()),
            3 => Answer::At(truth.iter().map(|value| value + numbers.between(-1, 1) as f64).collect()),
            4 => Answer::At(vec![f64::NAN; size]),
            5 => Answer::At((0..size).map(|_| numbers.between(-2, 2) as f64).collect()),
            6 => Answer::At(vec![1.0; size]),
            _ => Answer::At(truth),
        })
    }
}

#[test]
fn a_lying_guide_changes_no_answer() {
    let numbers = RefCell::new(Numbers::seeded(9));
    for kind in 0..KINDS {
        let tally = compare(Liar(&numbers), kind, 400);
        assert!(kind > 2 || (tally.answered > 0 && tally.answered < tally.asked), "{tally:?}");
    }
}

#[test]
fn wrong_multipliers_prove_nothing() {
    let row = |values: [i64; 3]| values.map(Int::from).to_vec();
    let rows = [row([0, 1, 0]), row([3, -1, 1])];
    let proof = |weights: [i64; 2], divisor: i64| Multipliers {
        weights: weights.into_iter().map(Int::from).enumerate().collect(),
        divisor: Int::from(divisor),
    };
    let wanted = row([0, 0, 1]);
    let bound = proof([1, 1], 1).bound(&rows, &wanted);
    assert_eq!(bound, Some(Fraction::new(Int::from(-3), &Int::ONE)));
    for (weights, divisor) in [([1, 2], 1), ([0, 1], 1), ([1, 1], 2), ([1, 1], 0), ([-1, -1], -1)] {
        assert_eq!(proof(weights, divisor).bound(&rows, &wanted), None, "{weights:?} / {divisor}");
    }
    assert_eq!(proof([-1, 0], 1).bound(&rows, &row([0, -1, 0])), None);
}

/// `0 <= x0 <= 9`, and each next variable near the one before it: known by constraints only.
fn corridor(variables: usize, near: i64) -> Parts<i64> {
    let mut rows = Vec::new();
    for column in 1..=variables {
        for sign in [1, -1] {
            let mut row = vec![0; variables + 1];
            row[column] = sign;
            row[0] = near;
            match column {
                1 => row[0] = if sign > 0 { 0 } else { 9 },
                _ => row[column - 1] = -2 * sign,
            }
            rows.push(row);
        }
    }
    let mut parts = Parts::top(variables + 1);
    parts.add_known(&rows);
    parts
}

#[test]
fn large_blocks_are_not_converted_for_a_question() {
    let mut numbers = Numbers::seeded(2);
    for (variables, near) in [(8, 1), (8, 5), (9, 3)] {
        let (guided, exact) = (corridor(variables, near), corridor(variables, near));
        exact.blocks[0].cone.pair().expect("within limits");
        for _ in 0..60 {
            let row: Vec<i64> = (0..=variables).map(|_| numbers.between(-2, 2)).collect();
            let bounds = guided.bounds(&row).expect("fits");
            assert_eq!(bounds, exact.bounds(&row).expect("fits"));
            assert_eq!(guided.implies(&row), exact.implies(&row));
            let mut lowest = row.clone();
            let low = bounds.and_then(|bounds| bounds.low().finite()?.to_i64()).expect("bounded");
            lowest[0] -= low + numbers.between(-1, 1);
            assert_eq!(guided.implies(&lowest), exact.implies(&lowest));
        }
        let wider = corridor(variables, near + 1);
        assert_eq!((guided.leq(&wider), wider.leq(&guided)), (Ok(true), Ok(false)));
        // A row that is implied leaves everything as it is, one that contradicts leaves nothing.
        let mut kept = guided.clone();
        let mut row = vec![0; variables + 1];
        (row[0], row[1], row[2]) = (20 + near, -1, -1);
        row[0] += 7;
        kept.constrain(vec![(ConstraintKind::AtLeastZero, row.clone())], Rounding::Integer).expect("kept");
        (row[0], row[1], row[2]) = (-28 - near, 1, 1);
        let gone = guided.clone().constrain(vec![(ConstraintKind::AtLeastZero, row)], Rounding::Integer);
        assert_eq!(gone, Err(Stop::Empty));
        for parts in [&guided, &kept, &wider] {
            assert!(parts.blocks[0].cone.known().is_none(), "asked the generators");
        }
    }
}
