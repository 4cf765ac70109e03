//! Systems of equalities in reduced echelon form: each defines its last variable by earlier ones.
//!
//! The form is unique, so equal systems are equal rows, and a variable that a smaller system
//! defines is defined by a larger one too.

use super::rows::{Matrix, eliminate, misses_integers, negate, normalise};
use super::scalar::{Limited, MAX_BITS, Scalar};
use crate::int::Int;

/// Sorted by defined column; the factor there is positive, and 0 in every other row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equalities<S> {
    rows: Matrix<S>,
    defined: Vec<usize>,
}

impl<S: Scalar> Equalities<S> {
    pub fn new(width: usize) -> Self {
        Self { rows: Matrix::new(width), defined: Vec::new() }
    }

    pub fn iter(&self) -> impl Iterator<Item = (usize, &[S])> {
        self.defined.iter().copied().zip(self.rows.iter())
    }

    pub fn rows(&self) -> &Matrix<S> {
        &self.rows
    }

    /// The index of the row that defines a column.
    pub fn defining(&self, column: usize) -> Option<usize> {
        self.defined.binary_search(&column).ok()
    }

    /// The row of smallest defined column in which a column occurs.
    pub fn first_with(&self, column: usize) -> Option<usize> {
        self.rows.iter().position(|row| !row[column].is_zero())
    }

    pub fn remove(&mut self, index: usize) -> Vec<S> {
        let row = self.rows.row(index).to_vec();
        self.rows.remove(index);
        self.defined.remove(index);
        row
    }

    /// Replaces the defined columns by what defines them, up to a positive factor.
    pub fn reduce(&self, row: &mut [S]) -> Limited<()> {
        self.iter().try_for_each(|(column, by)| eliminate(row, by, column))
    }

    /// Adds a reduced row that is not constant.
    pub fn insert(&mut self, mut row: Vec<S>) -> Limited<()> {
        normalise(&mut row);
        let column = row.iter().rposition(|value| !value.is_zero()).unwrap_or(0);
        debug_assert!(column > 0, "a constant row defines nothing");
        if row[column].signum() < 0 {
            negate(&mut row);
        }
        let mut rows = self.rows.clone();
        rows.rows_mut().try_for_each(|other| eliminate(other, &row, column))?;
        let index = self.defined.partition_point(|&other| other < column);
        rows.insert(index, &row);
        rows.check_length()?;
        self.rows = rows;
        self.defined.insert(index, column);
        Ok(())
    }

    /// Uses a row to eliminate a column from all others.
    pub fn eliminate(&mut self, row: &[S], column: usize) -> Limited<()> {
        self.rows.rows_mut().try_for_each(|other| eliminate(other, row, column))
    }

    /// Whether no integers solve the system. A row whose factor is 1 always leaves a choice.
    pub fn misses_integers(&self) -> bool {
        let divided: Vec<&[S]> =
            self.iter().filter(|(column, row)| row[*column] != S::ONE).map(|(_, row)| row).collect();
        match &divided[..] {
            [] => false,
            [row] => misses_integers(row),
            rows => {
                !has_integer_solution(rows.iter().map(|row| row.iter().map(S::to_int).collect()).collect())
            }
        }
    }

    /// What both systems say.
    pub fn common(&self, other: &Self) -> Limited<Self> {
        if self == other {
            return Ok(self.clone());
        }
        let width = self.rows.width();
        let mut result = Self::new(width);
        // Rows (what is left of it modulo the other system, the row itself): where nothing is left
        // after elimination, the second half is in both.
        let mut left: Vec<(usize, Vec<S>)> = Vec::new();
        for row in self.rows.iter() {
            let mut pair = row.to_vec();
            pair.extend_from_slice(row);
            for (column, by) in other.iter() {
                eliminate_front(&mut pair, by, column)?;
            }
            for (column, by) in &left {
                eliminate(&mut pair, by, *column)?;
            }
            match pair[..width].iter().rposition(|value| !value.is_zero()) {
                Some(column) => left.push((column, pair)),
                None => {
                    let mut row = pair.split_off(width);
                    result.reduce(&mut row)?;
                    result.insert(row)?;
                }
            }
        }
        Ok(result)
    }

    pub fn cast<T: Scalar>(&self) -> Limited<Equalities<T>> {
        Ok(Equalities { rows: self.rows.cast()?, defined: self.defined.clone() })
    }
}

/// As [`eliminate`] on the front half of a row; the back half is only scaled along.
fn eliminate_front<S: Scalar>(pair: &mut [S], by: &[S], column: usize) -> Limited<()> {
    let mut extended = by.to_vec();
    extended.resize(pair.len(), S::ZERO);
    eliminate(pair, &extended, column)
}

/// Makes a system triangular by unimodular steps on its columns; then each row leaves one division.
/// `true` also where numbers grow too long to tell.
fn has_integer_solution(mut rows: Vec<Vec<Int>>) -> bool {
    while let Some(mut row) = rows.pop() {
        loop {
            let mut occurring: Vec<usize> = (1..row.len()).filter(|&column| !row[column].is_zero()).collect();
            occurring.sort_by_key(|&column| row[column].abs());
            let Some((&least, others)) = occurring.split_first() else {
                if row[0].is_zero() { break } else { return false }
            };
            if others.is_empty() {
                if !row[least].divides(&row[0]) {
                    return false;
                }
                let value = row[0].neg().div_floor(&row[least]).unwrap_or(Int::ZERO);
                for other in &mut rows {
                    let factor = std::mem::take(&mut other[least]);
                    other[0] = &other[0] + &factor * &value;
                }
                break;
            }
            for &column in others {
                let times = row[column].div_floor(&row[least]).unwrap_or(Int::ZERO);
                for row in rows.iter_mut().chain([&mut row]) {
                    row[column] = &row[column] - &(&row[least] * &times);
                    if row[column].bits() > MAX_BITS {
                        return true;
                    }
                }
            }
        }
    }
    true
}
