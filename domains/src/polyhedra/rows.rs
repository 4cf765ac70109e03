//! Matrices of scalars in one flat vector, and what is done to their rows.
//!
//! Column 0 is the constant of a constraint, or the denominator of a generator: rows are
//! homogeneous, and a multiple of a row by a positive number is the same row.

use super::scalar::{Limit, Limited, Scalar};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix<S> {
    width: usize,
    data: Vec<S>,
}

impl<S: Scalar> Matrix<S> {
    /// No rows yet; the width is positive.
    pub fn new(width: usize) -> Self {
        Self { width, data: Vec::new() }
    }

    pub fn with_capacity(width: usize, rows: usize) -> Self {
        Self { width, data: Vec::with_capacity(width * rows) }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn len(&self) -> usize {
        self.data.len() / self.width
    }

    pub fn row(&self, index: usize) -> &[S] {
        &self.data[index * self.width..(index + 1) * self.width]
    }

    pub fn row_mut(&mut self, index: usize) -> &mut [S] {
        &mut self.data[index * self.width..(index + 1) * self.width]
    }

    pub fn iter(&self) -> std::slice::ChunksExact<'_, S> {
        self.data.chunks_exact(self.width)
    }

    pub fn rows_mut(&mut self) -> std::slice::ChunksExactMut<'_, S> {
        self.data.chunks_exact_mut(self.width)
    }

    pub fn push(&mut self, row: &[S]) {
        debug_assert_eq!(row.len(), self.width);
        self.data.extend_from_slice(row);
    }

    pub fn push_zeros(&mut self) -> &mut [S] {
        self.data.resize(self.data.len() + self.width, S::ZERO);
        let start = self.data.len() - self.width;
        &mut self.data[start..]
    }

    pub fn insert(&mut self, index: usize, row: &[S]) {
        self.data.splice(index * self.width..index * self.width, row.iter().cloned());
    }

    pub fn remove(&mut self, index: usize) {
        self.data.drain(index * self.width..(index + 1) * self.width);
    }

    /// Pushes `a * x + b * y` without common divisor.
    pub fn push_combined(&mut self, a: &S, x: &[S], b: &S, y: &[S]) -> Limited<()> {
        let start = self.data.len();
        for (x, y) in x.iter().zip(y) {
            match S::combined(a, x, b, y) {
                Ok(value) => self.data.push(value),
                Err(limit) => {
                    self.data.truncate(start);
                    return Err(limit);
                }
            }
        }
        normalise(&mut self.data[start..]);
        check_length(&self.data[start..]).inspect_err(|_| self.data.truncate(start))
    }

    /// The rows over these columns of theirs, without common divisors.
    pub fn columns(&self, columns: &[usize]) -> Self {
        let mut result = Self::with_capacity(columns.len(), self.len());
        for row in self.iter() {
            let start = result.data.len();
            result.data.extend(columns.iter().map(|&column| row[column].clone()));
            normalise(&mut result.data[start..]);
        }
        result
    }

    pub fn check_length(&self) -> Limited<()> {
        check_length(&self.data)
    }

    pub fn cast<T: Scalar>(&self) -> Limited<Matrix<T>> {
        let data = self.data.iter().map(|value| T::from_int(&value.to_int())).collect::<Limited<_>>()?;
        Ok(Matrix { width: self.width, data })
    }
}

/// Whether rows may keep these numbers.
pub fn check_length<S: Scalar>(row: &[S]) -> Limited<()> {
    if row.iter().any(S::is_too_long) { Err(Limit::Width) } else { Ok(()) }
}

/// Divides by the greatest common divisor.
pub fn normalise<S: Scalar>(row: &mut [S]) {
    let divisor = divisor(row);
    if divisor > S::ONE {
        row.iter_mut().filter(|value| !value.is_zero()).for_each(|value| *value = value.divided(&divisor));
    }
}

fn divisor<S: Scalar>(row: &[S]) -> S {
    let mut divisor = S::ZERO;
    for value in row {
        if !value.is_zero() {
            divisor = divisor.gcd(value);
            if divisor == S::ONE {
                break;
            }
        }
    }
    divisor
}

/// Whether the factors of an inequality have a common divisor that its constant lacks; if so, it is
/// divided by it and the constant rounded down.
pub fn tighten<S: Scalar>(row: &mut [S]) -> bool {
    let divisor = divisor(&row[1..]);
    let loose = divisor > S::ONE;
    if loose {
        row.iter_mut().for_each(|value| *value = value.divided(&divisor));
    }
    loose
}

/// Whether no integers solve this equality, which has no common divisor.
pub fn misses_integers<S: Scalar>(row: &[S]) -> bool {
    let divisor = divisor(&row[1..]);
    divisor > S::ONE || (divisor.is_zero() && !row[0].is_zero())
}

/// Makes a column 0 by adding a multiple of `by`, whose column is not; the row keeps its side.
pub fn eliminate<S: Scalar>(row: &mut [S], by: &[S], column: usize) -> Limited<()> {
    if row[column].is_zero() {
        return Ok(());
    }
    let divisor = row[column].gcd(&by[column]);
    let (mut factor, mut times) = (by[column].divided(&divisor), row[column].divided(&divisor).negated());
    if factor.signum() < 0 {
        (factor, times) = (factor.negated(), times.negated());
    }
    for (value, other) in row.iter_mut().zip(by) {
        *value = S::combined(&factor, value, &times, other)?;
    }
    normalise(row);
    Ok(())
}

/// Whether no variable occurs.
pub fn is_constant<S: Scalar>(row: &[S]) -> bool {
    row[1..].iter().all(S::is_zero)
}

/// The columns of the variables that occur.
pub fn support<S: Scalar>(row: &[S]) -> impl Iterator<Item = usize> + '_ {
    (1..row.len()).filter(|&column| !row[column].is_zero())
}

pub fn negate<S: Scalar>(row: &mut [S]) {
    row.iter_mut().for_each(|value| *value = value.negated());
}
