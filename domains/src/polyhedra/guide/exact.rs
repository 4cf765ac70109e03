//! What is exact: solutions of small systems of equations, and the checks by which multipliers and
//! points prove anything. The checks do not rely on how the numbers were found.

use crate::int::Int;
use crate::polyhedra::rows::eliminate;

/// Without common divisor, the divisor positive: equal fractions are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    pub value: Int,
    pub divisor: Int,
}

impl Fraction {
    /// Of a positive divisor.
    pub fn new(value: Int, divisor: &Int) -> Self {
        let common = value.gcd(divisor);
        let reduced = |number: &Int| number.div_floor(&common).unwrap_or(Int::ZERO);
        Self { value: reduced(&value), divisor: reduced(divisor) }
    }
}

/// Constraints by index, each so many times, all over a divisor.
#[derive(Clone, Debug)]
pub struct Multipliers {
    pub weights: Vec<(usize, Int)>,
    pub divisor: Int,
}

impl Multipliers {
    pub fn support(&self) -> impl Iterator<Item = usize> {
        self.weights.iter().filter(|(_, weight)| !weight.is_zero()).map(|(index, _)| *index)
    }

    /// What the row is at least wherever the constraints hold, as their combination proves: no
    /// multiplier is negative, and in the variables the combination is the row.
    pub fn bound(&self, rows: &[Vec<Int>], row: &[Int]) -> Option<Fraction> {
        let sum = |column: usize| {
            self.weights.iter().fold(Int::ZERO, |sum, (index, weight)| sum + &rows[*index][column] * weight)
        };
        let proved = self.divisor.is_positive()
            && self.weights.iter().all(|(_, weight)| !weight.is_negative())
            && (1..row.len()).all(|column| sum(column) == &row[column] * &self.divisor);
        proved.then(|| Fraction::new(&row[0] * &self.divisor - sum(0), &self.divisor))
    }
}

/// Multipliers of these constraints whose combination is the row from a column on, or anything else.
pub fn multipliers(rows: &[Vec<Int>], support: &[usize], row: &[Int], from: usize) -> Multipliers {
    let equation = |column: usize| {
        let weights = support.iter().map(|&index| rows[index][column].clone());
        std::iter::once(row[column].neg()).chain(weights).collect()
    };
    let solved = solution((from..row.len()).map(equation), support.len() + 1);
    let weights = support.iter().copied().zip(solved[1..].iter().cloned()).collect();
    Multipliers { weights, divisor: solved[0].clone() }
}

/// Values over a positive divisor, which comes first.
#[derive(Clone, Debug)]
pub struct Point(Vec<Int>);

impl Point {
    pub fn value(&self, row: &[Int]) -> Fraction {
        Fraction::new(dot(row, &self.0), &self.0[0])
    }
}

/// A point on these constraints, or on as many as possible, first ones first.
pub fn point(equations: impl Iterator<Item = Vec<Int>>, width: usize) -> Point {
    Point(solution(equations, width))
}

pub fn contains(rows: &[Vec<Int>], point: &Point) -> bool {
    point.0[0].is_positive() && rows.iter().all(|row| !dot(row, &point.0).is_negative())
}

fn dot(row: &[Int], point: &[Int]) -> Int {
    row.iter().zip(point).fold(Int::ZERO, |sum, (factor, value)| sum + factor * value)
}

/// Solves equations `row · (1, values) = 0`; those that contradict earlier ones are passed over, and
/// what they leave open is 0. The values over a positive divisor, which comes first.
fn solution(equations: impl Iterator<Item = Vec<Int>>, width: usize) -> Vec<Int> {
    let mut solved: Vec<(usize, Vec<Int>)> = Vec::with_capacity(width - 1);
    for mut row in equations {
        if solved.len() + 1 == width {
            break;
        }
        solved.iter().for_each(|(pivot, by)| exactly(&mut row, by, *pivot));
        let Some(pivot) = (1..width).find(|&column| !row[column].is_zero()) else { continue };
        solved.iter_mut().for_each(|(_, other)| exactly(other, &row, pivot));
        solved.push((pivot, row));
    }
    let quotient = |value: &Int, by: &Int| value.div_floor(by).unwrap_or(Int::ZERO);
    let common = solved.iter().fold(Int::ONE, |common, (pivot, row)| {
        let divisor = row[*pivot].abs();
        &common * &quotient(&divisor, &common.gcd(&divisor))
    });
    let mut values = vec![Int::ZERO; width];
    for (pivot, row) in solved {
        values[pivot] = quotient(&(&row[0].neg() * &common), &row[pivot]);
    }
    values[0] = common;
    values
}

/// Integers of any length are within every limit.
fn exactly(row: &mut [Int], by: &[Int], column: usize) {
    eliminate(row, by, column).unwrap_or_default();
}
