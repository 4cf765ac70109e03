//! The double description of a cone: constraints and generators, and which lie on which.
//!
//! Chernikova's algorithm ("Algorithm for finding a general formula for the non-negative solutions
//! of a system of linear inequalities", 1965; Le Verge's version, 1992) adds one constraint at a
//! time. It is its own dual: with the sides swapped it adds a generator. Knows nothing of integers
//! nor of variables beyond their columns.

use super::bits::{Bits, count, is_subset};
use super::rows::{Matrix, eliminate, is_constant, negate};
use super::scalar::{Limit, Limited, Scalar};
use crate::relation::ConstraintKind;

/// The most generators, or constraints, a conversion may have on its way.
pub const MAX_ROWS: usize = 512;

/// A cone of rows `(d, x)` with `d >= 0`: those with `d = 1` are the points of a polyhedron.
///
/// Invariant: the rays are extreme and none is there twice; no line is a combination of others, no
/// equality either. After [`Pair::minimise`] the inequalities are facets. `d >= 0` is among them
/// exactly if the others do not imply it.
#[derive(Clone, Debug)]
pub struct Pair<S> {
    pub constraints: Matrix<S>,
    /// So many of the first constraints are equalities, the others inequalities.
    pub equalities: usize,
    pub generators: Matrix<S>,
    /// So many of the first generators are lines, the others rays.
    pub lines: usize,
    /// A row for each ray, a column for each inequality.
    pub incidence: Bits,
}

impl<S: Scalar> Pair<S> {
    /// All points of so many variables.
    pub fn top(variables: usize) -> Self {
        let width = variables + 1;
        let mut generators = Matrix::with_capacity(width, width);
        for column in (1..width).chain([0]) {
            generators.push_zeros()[column] = S::ONE;
        }
        let mut constraints = Matrix::new(width);
        constraints.push_zeros()[0] = S::ONE;
        let mut incidence = Bits::new(1);
        incidence.push_empty();
        Self { constraints, equalities: 0, generators, lines: variables, incidence }
    }

    pub fn width(&self) -> usize {
        self.generators.width()
    }

    pub fn variables(&self) -> usize {
        self.width() - 1
    }

    pub fn inequalities(&self) -> impl Iterator<Item = &[S]> {
        self.constraints.iter().skip(self.equalities)
    }

    /// The inequalities in which a variable occurs.
    pub fn facets(&self) -> impl Iterator<Item = &[S]> {
        self.inequalities().filter(|row| !is_constant(row))
    }

    pub fn rays(&self) -> impl Iterator<Item = &[S]> {
        self.generators.iter().skip(self.lines)
    }

    /// No ray reaches a point.
    pub fn is_empty(&self) -> bool {
        self.rays().all(|ray| ray[0].is_zero())
    }

    /// Generators for constraints and the other way round.
    pub fn dual(self) -> Self {
        Self {
            constraints: self.generators,
            equalities: self.lines,
            generators: self.constraints,
            lines: self.equalities,
            incidence: self.incidence.transposed(),
        }
    }

    /// Adds a constraint, or nothing if it is implied. On a limit the pair is as it was.
    pub fn add(&mut self, row: &[S], kind: ConstraintKind) -> Limited<()> {
        let values =
            self.generators.iter().map(|generator| S::dot(row, generator)).collect::<Limited<Vec<S>>>()?;
        if let Some(line) = values[..self.lines].iter().position(|value| !value.is_zero()) {
            return self.add_across_line(row, kind, &values, line);
        }
        let rays = &values[self.lines..];
        let implied = match kind {
            ConstraintKind::Zero => rays.iter().all(S::is_zero),
            ConstraintKind::AtLeastZero => rays.iter().all(|value| value.signum() >= 0),
        };
        if implied { Ok(()) } else { self.add_across_rays(row, kind, rays) }
    }

    fn push_constraint(&mut self, row: &[S], kind: ConstraintKind) {
        match kind {
            ConstraintKind::Zero => {
                self.constraints.insert(self.equalities, row);
                self.equalities += 1;
            }
            ConstraintKind::AtLeastZero => self.constraints.push(row),
        }
    }

    /// The line leaves the hyperplane: all else is moved along it onto the hyperplane, and one half
    /// of it stays as a ray.
    fn add_across_line(&mut self, row: &[S], kind: ConstraintKind, values: &[S], line: usize) -> Limited<()> {
        let mut direction = self.generators.row(line).to_vec();
        let mut value = values[line].clone();
        if value.signum() < 0 {
            negate(&mut direction);
            value = value.negated();
        }
        let mut generators = Matrix::with_capacity(self.width(), self.generators.len());
        for (index, generator) in self.generators.iter().enumerate().filter(|(index, _)| *index != line) {
            if values[index].is_zero() {
                generators.push(generator);
            } else {
                let divisor = value.gcd(&values[index]);
                let (keep, move_by) = (value.divided(&divisor), values[index].divided(&divisor).negated());
                generators.push_combined(&keep, generator, &move_by, &direction)?;
            }
        }
        if kind == ConstraintKind::AtLeastZero {
            let column = self.incidence.columns();
            let mut incidence = Bits::new(column + 1);
            for (index, old) in self.incidence.iter().enumerate() {
                incidence.push(old.iter().copied());
                incidence.set(index, column);
            }
            incidence.push_full(column);
            generators.push(&direction);
            self.incidence = incidence;
        }
        self.generators = generators;
        self.lines -= 1;
        self.push_constraint(row, kind);
        Ok(())
    }

    /// The rays on the wrong side give way to the points where the edges cross the hyperplane.
    fn add_across_rays(&mut self, row: &[S], kind: ConstraintKind, values: &[S]) -> Limited<()> {
        let inequality = kind == ConstraintKind::AtLeastZero;
        let column = self.incidence.columns();
        let mut incidence = Bits::new(column + usize::from(inequality));
        let mut generators = Matrix::with_capacity(self.width(), self.generators.len() + 4);
        (0..self.lines).for_each(|line| generators.push(self.generators.row(line)));
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (index, value) in values.iter().enumerate() {
            let side = value.signum();
            match side {
                1 => above.push(index),
                -1 => below.push(index),
                _ => {}
            }
            if side == 0 || (side > 0 && inequality) {
                generators.push(self.generators.row(self.lines + index));
                incidence.push(self.incidence.row(index).iter().copied());
                if side == 0 && inequality {
                    incidence.set(incidence.len() - 1, column);
                }
            }
        }
        let pointed = self.width() - self.equalities - self.lines;
        let mut common = vec![0; self.incidence.row(0).len()];
        for &up in &above {
            for &down in &below {
                if !self.are_adjacent(up, down, pointed, &mut common) {
                    continue;
                }
                if generators.len() >= self.lines + MAX_ROWS {
                    return Err(Limit::Rows);
                }
                let (higher, lower) = (&values[up], &values[down]);
                let divisor = higher.gcd(lower);
                let (keep, by) = (lower.negated().divided(&divisor), higher.divided(&divisor));
                let (up, down) =
                    (self.generators.row(self.lines + up), self.generators.row(self.lines + down));
                generators.push_combined(&keep, up, &by, down)?;
                incidence.push(common.iter().copied());
                if inequality {
                    incidence.set(incidence.len() - 1, column);
                }
            }
        }
        self.generators = generators;
        self.incidence = incidence;
        self.push_constraint(row, kind);
        Ok(())
    }

    /// Whether two rays span a face of dimension 2: what both lie on, no third ray lies on. Leaves
    /// what both lie on in `common`.
    fn are_adjacent(&self, up: usize, down: usize, pointed: usize, common: &mut [u64]) -> bool {
        for (word, (a, b)) in
            common.iter_mut().zip(self.incidence.row(up).iter().zip(self.incidence.row(down)))
        {
            *word = a & b;
        }
        if count(common) + 2 < pointed {
            return false;
        }
        let mut others = self.incidence.iter().enumerate();
        !others.any(|(index, row)| is_subset(common, row) && index != up && index != down)
    }

    /// Drops the inequalities that others imply and makes equalities of those on which all
    /// generators lie. Not for a pair without rays.
    pub fn minimise(&mut self) -> Limited<()> {
        let on = self.incidence.transposed();
        let rays = self.incidence.len();
        let inequalities = on.len();
        let sizes: Vec<usize> = on.iter().map(count).collect();
        let implied = |index: usize| {
            let row = on.row(index);
            (0..inequalities).any(|other| {
                other != index
                    && sizes[other] != rays
                    && (sizes[other] > sizes[index] || (sizes[other] == sizes[index] && other < index))
                    && is_subset(row, on.row(other))
            })
        };
        let kept: Vec<usize> =
            (0..inequalities).filter(|&index| sizes[index] != rays && !implied(index)).collect();
        if kept.len() == inequalities {
            return Ok(());
        }
        let mut equalities = Echelon::of(&self.constraints, self.equalities)?;
        for index in (0..inequalities).filter(|&index| sizes[index] == rays) {
            equalities.insert(self.constraints.row(self.equalities + index))?;
        }
        let mut constraints = equalities.rows;
        let count = constraints.len();
        kept.iter().for_each(|&index| constraints.push(self.constraints.row(self.equalities + index)));
        let mut columns = Bits::new(rays);
        kept.iter().for_each(|&index| columns.push(on.row(index).iter().copied()));
        self.constraints = constraints;
        self.equalities = count;
        self.incidence = columns.transposed();
        Ok(())
    }

    /// The incidence, from the rows themselves.
    pub fn with_incidence(mut self) -> Limited<Self> {
        let inequalities = self.constraints.len() - self.equalities;
        let mut incidence = Bits::new(inequalities);
        for (index, ray) in self.generators.iter().skip(self.lines).enumerate() {
            incidence.push_empty();
            for (column, row) in self.constraints.iter().skip(self.equalities).enumerate() {
                if S::dot(row, ray)?.is_zero() {
                    incidence.set(index, column);
                }
            }
        }
        self.incidence = incidence;
        Ok(self)
    }

    pub fn cast<T: Scalar>(&self) -> Limited<Pair<T>> {
        Ok(Pair {
            constraints: self.constraints.cast()?,
            equalities: self.equalities,
            generators: self.generators.cast()?,
            lines: self.lines,
            incidence: self.incidence.clone(),
        })
    }
}

/// Independent rows, each with a column of its own in which those after it are 0.
pub struct Echelon<S> {
    pub rows: Matrix<S>,
    pub pivots: Vec<usize>,
}

impl<S: Scalar> Echelon<S> {
    /// Of the first rows.
    pub fn of(rows: &Matrix<S>, first: usize) -> Limited<Self> {
        let mut result = Self { rows: Matrix::with_capacity(rows.width(), first), pivots: Vec::new() };
        rows.iter().take(first).try_for_each(|row| result.insert(row).map(|_| ()))?;
        Ok(result)
    }

    /// The pivot of the row is its last column that is not 0. Whether it was independent.
    pub fn insert(&mut self, row: &[S]) -> Limited<bool> {
        let mut row = row.to_vec();
        for (by, &pivot) in self.rows.iter().zip(&self.pivots) {
            eliminate(&mut row, by, pivot)?;
        }
        let pivot = row.iter().rposition(|value| !value.is_zero());
        if let Some(pivot) = pivot {
            self.rows.push(&row);
            self.pivots.push(pivot);
        }
        Ok(pivot.is_some())
    }
}
