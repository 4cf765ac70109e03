//! Directions whose bounds stand in for a hull that would be too large: variables, sums, differences.

use super::scalar::{Limited, Scalar};

/// The most directions of sums and differences.
const MAX_PAIRED: usize = 64;

/// Rows without constant: bounds of single columns first.
pub fn directions<S: Scalar>(width: usize, columns: &[usize]) -> Vec<Vec<S>> {
    let minus = S::ONE.negated();
    let row = |entries: &[(usize, &S)]| {
        let mut row = vec![S::ZERO; width];
        entries.iter().for_each(|(column, value)| row[*column] = (*value).clone());
        row
    };
    let mut result: Vec<Vec<S>> = Vec::new();
    for &column in columns {
        result.extend([row(&[(column, &S::ONE)]), row(&[(column, &minus)])]);
    }
    let mut paired = Vec::new();
    for (index, &first) in columns.iter().enumerate() {
        for &second in &columns[index + 1..] {
            for (a, b) in [(&S::ONE, &S::ONE), (&S::ONE, &minus), (&minus, &S::ONE), (&minus, &minus)] {
                paired.push(row(&[(first, a), (second, b)]));
            }
        }
    }
    if paired.len() <= MAX_PAIRED {
        result.append(&mut paired);
    }
    result
}

/// The least value of a direction over generators, as a fraction.
pub struct Least<S> {
    value: Option<(S, S)>,
    unbounded: bool,
}

impl<S: Scalar> Least<S> {
    pub fn new() -> Self {
        Self { value: None, unbounded: false }
    }

    pub fn see(&mut self, row: &[S], generator: &[S], line: bool) -> Limited<()> {
        let value = S::dot(&row[1..], &generator[1..])?;
        if generator[0].is_zero() {
            self.unbounded |= value.signum() < 0 || (line && !value.is_zero());
            return Ok(());
        }
        self.see_value(value, generator[0].clone())
    }

    /// The value at a point, as a fraction.
    pub fn see_value(&mut self, value: S, by: S) -> Limited<()> {
        let smaller = match &self.value {
            None => true,
            Some((least, divisor)) => S::combined(&value, divisor, &least.negated(), &by)?.signum() < 0,
        };
        if smaller {
            self.value = Some((value, by));
        }
        Ok(())
    }

    pub fn is_unbounded(&self) -> bool {
        self.unbounded
    }

    pub fn value(self) -> Option<(S, S)> {
        self.value.filter(|_| !self.unbounded)
    }

    /// Makes the direction the constraint that it is at least this. `false` without a bound.
    pub fn apply(self, row: &mut [S]) -> Limited<bool> {
        let Some((value, divisor)) = self.value() else { return Ok(false) };
        for entry in row.iter_mut() {
            *entry = entry.times(&divisor)?;
        }
        row[0] = value.negated();
        super::rows::normalise(row);
        Ok(true)
    }
}
