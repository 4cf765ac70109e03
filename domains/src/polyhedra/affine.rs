//! Systems of equalities in reduced echelon form: each defines its last variable by earlier ones.
//!
//! The form is unique, so equal systems are equal rows, and a variable that a smaller system
//! defines is defined by a larger one too.

use super::rows::{Matrix, eliminate, misses_integers, negate, normalise};
use super::scalar::{Limited, Scalar};

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

    pub fn uses(&self, column: usize) -> bool {
        self.first_with(column).is_some()
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
        self.rows = rows;
        self.defined.insert(index, column);
        Ok(())
    }

    /// Uses a row to eliminate a column from all others.
    pub fn eliminate(&mut self, row: &[S], column: usize) -> Limited<()> {
        self.rows.rows_mut().try_for_each(|other| eliminate(other, row, column))
    }

    pub fn misses_integers(&self) -> bool {
        self.rows.iter().any(misses_integers)
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
