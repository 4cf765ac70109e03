//! Pairs gain and lose columns: products over disjoint variables and the way back, variables that
//! an equality defines, affine maps. None of it converts: both sides are known all along.

use super::bits::Bits;
use super::pair::{Echelon, MAX_ROWS, Pair};
use super::rows::{Matrix, eliminate, is_constant, normalise, support};
use super::scalar::{Limit, Limited, Scalar};

/// A pair whose column `i` (from 1) is column `columns[i - 1]` of a product.
pub struct Factor<'a, S> {
    pub pair: &'a Pair<S>,
    pub columns: Vec<usize>,
}

/// `x := (factor * x + row · (1, ..)) / divisor` of the column x; the row is 0 there.
pub struct AffineMap<'a, S> {
    pub column: usize,
    pub factor: &'a S,
    pub row: &'a [S],
    pub divisor: &'a S,
}

impl<S: Scalar> AffineMap<'_, S> {
    /// What a constraint says of the new value.
    pub fn constraint(&self, row: &mut [S]) -> Limited<()> {
        let old = row[self.column].clone();
        if old.is_zero() {
            return Ok(());
        }
        let (size, old) = match self.factor.signum() {
            -1 => (self.factor.negated(), old.negated()),
            _ => (self.factor.clone(), old),
        };
        let minus = old.negated();
        for (value, by) in row.iter_mut().zip(self.row) {
            *value = S::combined(&size, value, &minus, by)?;
        }
        row[self.column] = old.times(self.divisor)?;
        normalise(row);
        Ok(())
    }

    fn generator(&self, row: &mut [S]) -> Limited<()> {
        let value = S::combined(self.factor, &row[self.column], &S::ONE, &S::dot(self.row, row)?)?;
        for entry in row.iter_mut() {
            *entry = entry.times(self.divisor)?;
        }
        row[self.column] = value;
        normalise(row);
        Ok(())
    }
}

impl<S: Scalar> Pair<S> {
    /// All points whose parts are in the factors. The factors have no equalities.
    pub fn product(width: usize, factors: &[Factor<'_, S>], free: &[usize]) -> Limited<Self> {
        if let ([only], []) = (factors, free)
            && only.columns.iter().copied().eq(1..width)
        {
            return Ok(only.pair.clone());
        }
        let points = factors.iter().map(|factor| factor.pair.rays().filter(|ray| !ray[0].is_zero()).count());
        let many = points.fold(1, |product: usize, count| product.saturating_mul(count));
        if many > MAX_ROWS {
            return Err(Limit::Rows);
        }
        let positivity = |factor: &Factor<'_, S>| factor.pair.inequalities().any(is_constant);
        let open = factors.iter().all(positivity);
        let facets: usize = factors.iter().map(|factor| factor.pair.facets().count()).sum();
        let mut constraints = Matrix::with_capacity(width, facets + 1);
        let mut generators = Matrix::with_capacity(width, many + free.len());
        for &column in free {
            generators.push_zeros()[column] = S::ONE;
        }
        let mut lines = free.len();
        let mut rays = Matrix::new(width);
        let mut ray_bits = Bits::new(facets + usize::from(open));
        let mut points = Matrix::new(width);
        points.push_zeros()[0] = S::ONE;
        let mut point_bits = Bits::new(facets + usize::from(open));
        point_bits.push_empty();
        let mut offset = 0;
        for factor in factors {
            let to: Vec<usize> = std::iter::once(0).chain(factor.columns.iter().copied()).collect();
            let pair = factor.pair;
            let place = |target: &mut [S], row: &[S]| {
                to.iter().zip(row).for_each(|(&column, value)| target[column] = value.clone());
            };
            pair.facets().for_each(|row| place(constraints.push_zeros(), row));
            pair.generators.iter().take(pair.lines).for_each(|row| place(generators.push_zeros(), row));
            lines += pair.lines;
            let own: Vec<usize> = (0..pair.incidence.columns())
                .filter(|&column| !is_constant(pair.constraints.row(column)))
                .collect();
            let mut next = Matrix::with_capacity(width, many);
            let mut next_bits = Bits::new(facets + usize::from(open));
            for (index, row) in pair.rays().enumerate() {
                let on = own.iter().enumerate().filter(|&(_, &column)| pair.incidence.get(index, column));
                let on: Vec<usize> = on.map(|(position, _)| offset + position).collect();
                if row[0].is_zero() {
                    place(rays.push_zeros(), row);
                    ray_bits.push_full(facets + usize::from(open));
                    (offset..offset + own.len())
                        .for_each(|column| ray_bits.clear(ray_bits.len() - 1, column));
                    on.iter().for_each(|&column| ray_bits.set(ray_bits.len() - 1, column));
                    continue;
                }
                for (point, bits) in points.iter().zip(point_bits.iter()) {
                    let target = next.push_zeros();
                    for (target, value) in target.iter_mut().zip(point) {
                        *target = value.times(&row[0])?;
                    }
                    for (&column, value) in to.iter().zip(row).skip(1) {
                        target[column] = value.times(&point[0])?;
                    }
                    normalise(target);
                    next_bits.push(bits.iter().copied());
                    on.iter().for_each(|&column| next_bits.set(next_bits.len() - 1, column));
                }
            }
            (points, point_bits) = (next, next_bits);
            offset += own.len();
        }
        if open {
            constraints.push_zeros()[0] = S::ONE;
        }
        let mut incidence = ray_bits;
        point_bits.iter().for_each(|bits| incidence.push(bits.iter().copied()));
        rays.iter().chain(points.iter()).for_each(|row| generators.push(row));
        Ok(Self { constraints, equalities: 0, generators, lines, incidence })
    }

    /// Takes the equalities out, and the columns that they define. Answers the equalities and the
    /// columns that are left.
    pub fn extract(&mut self) -> Limited<(Matrix<S>, Vec<usize>)> {
        let mut system = Echelon::of(&self.constraints, self.equalities)?;
        let mut left: Vec<usize> = (0..self.width()).collect();
        if system.pivots.is_empty() {
            return Ok((system.rows, left));
        }
        for index in 0..system.pivots.len() {
            let (by, pivot) = (system.rows.row(index).to_vec(), system.pivots[index]);
            for other in (0..system.pivots.len()).filter(|other| *other != index) {
                eliminate(system.rows.row_mut(other), &by, pivot)?;
            }
        }
        let mut inequalities = Matrix::with_capacity(self.width(), self.constraints.len());
        for row in self.inequalities() {
            let mut row = row.to_vec();
            for (by, &pivot) in system.rows.iter().zip(&system.pivots) {
                eliminate(&mut row, by, pivot)?;
            }
            inequalities.push(&row);
        }
        left.retain(|column| !system.pivots.contains(column));
        self.constraints = inequalities.columns(&left);
        self.generators = self.generators.columns(&left);
        self.equalities = 0;
        Ok((system.rows, left))
    }

    /// Projects a column away that an equality of the pair, the given row, defines.
    pub fn project_defined(&mut self, row: &[S], column: usize) -> Limited<()> {
        let mut equalities = Matrix::new(self.width());
        for index in 0..self.equalities {
            let mut other = self.constraints.row(index).to_vec();
            eliminate(&mut other, row, column)?;
            if other.iter().any(|value| !value.is_zero()) {
                equalities.push(&other);
            }
        }
        let count = equalities.len();
        for inequality in self.inequalities() {
            let mut inequality = inequality.to_vec();
            eliminate(&mut inequality, row, column)?;
            equalities.push(&inequality);
        }
        let left: Vec<usize> = (0..self.width()).filter(|other| *other != column).collect();
        self.constraints = equalities.columns(&left);
        self.equalities = count;
        self.generators = self.generators.columns(&left);
        Ok(())
    }

    /// Projects a column away.
    pub fn project(self, column: usize) -> Limited<Self> {
        let mut line = vec![S::ZERO; self.width()];
        line[column] = S::ONE;
        let left: Vec<usize> = (0..self.width()).filter(|other| *other != column).collect();
        let mut dual = self.dual();
        dual.add(&line, crate::relation::ConstraintKind::Zero)?;
        dual.minimise()?;
        let mut pair = dual.dual();
        let mut lines = Echelon { rows: Matrix::new(left.len()), pivots: Vec::new() };
        let flat = pair.generators.columns(&left);
        flat.iter().take(pair.lines).try_for_each(|row| lines.insert(row).map(|_| ()))?;
        let mut generators = lines.rows;
        let count = generators.len();
        flat.iter().skip(pair.lines).for_each(|row| generators.push(row));
        pair.constraints = pair.constraints.columns(&left);
        pair.generators = generators;
        pair.lines = count;
        Ok(pair)
    }

    /// The invertible map, applied.
    pub fn map(&mut self, map: &AffineMap<'_, S>) -> Limited<()> {
        let mut result = self.clone();
        result.constraints.rows_mut().try_for_each(|row| map.constraint(row))?;
        result.generators.rows_mut().try_for_each(|row| map.generator(row))?;
        *self = result;
        Ok(())
    }

    /// The columns in another order; column 0 stays.
    pub fn permuted(&self, order: &[usize]) -> Self {
        Self {
            constraints: self.constraints.columns(order),
            generators: self.generators.columns(order),
            ..self.clone()
        }
    }

    /// The independent parts, with the columns of each; columns without constraints are left out.
    pub fn parts(self) -> Limited<Vec<(Vec<usize>, Self)>> {
        let groups = components(self.width(), self.facets().map(|row| support(row).collect()));
        if let [only] = &groups[..]
            && only.len() == self.variables()
        {
            return Ok(vec![(only.clone(), self)]);
        }
        let mut lines = Echelon::of(&self.generators, self.lines)?;
        for index in (0..lines.pivots.len()).rev() {
            let (by, pivot) = (lines.rows.row(index).to_vec(), lines.pivots[index]);
            for other in 0..index {
                eliminate(lines.rows.row_mut(other), &by, pivot)?;
            }
        }
        let mut rays = Matrix::with_capacity(self.width(), self.generators.len());
        for ray in self.rays() {
            let mut ray = ray.to_vec();
            for (by, &pivot) in lines.rows.iter().zip(&lines.pivots) {
                eliminate(&mut ray, by, pivot)?;
            }
            rays.push(&ray);
        }
        groups.into_iter().map(|group| Ok((group.clone(), self.part(&group, &lines.rows, &rays)?))).collect()
    }

    fn part(&self, group: &[usize], lines: &Matrix<S>, rays: &Matrix<S>) -> Limited<Self> {
        let columns: Vec<usize> = std::iter::once(0).chain(group.iter().copied()).collect();
        let mut basis = Echelon { rows: Matrix::new(columns.len()), pivots: Vec::new() };
        lines.columns(&columns).iter().try_for_each(|row| basis.insert(row).map(|_| ()))?;
        let mut generators = basis.rows;
        let lines = generators.len();
        let bounded = rays.iter().all(|ray| !ray[0].is_zero());
        for ray in rays.columns(&columns).iter().filter(|ray| ray.iter().any(|value| !value.is_zero())) {
            if generators.iter().skip(lines).all(|other| other != ray) {
                generators.push(ray);
            }
        }
        let mut constraints = Matrix::new(columns.len());
        let inside = self.facets().filter(|row| group.iter().any(|&column| !row[column].is_zero()));
        inside.for_each(|row| {
            let target = constraints.push_zeros();
            columns.iter().zip(target).for_each(|(&column, target)| *target = row[column].clone());
        });
        let mut pair = Self { constraints, equalities: 0, generators, lines, incidence: Bits::new(0) }
            .with_incidence()?;
        if !bounded {
            pair = pair.with_positivity()?;
        }
        Ok(pair)
    }

    /// With `d >= 0` among the inequalities, if the others do not imply it.
    fn with_positivity(mut self) -> Limited<Self> {
        self.constraints.push_zeros()[0] = S::ONE;
        self = self.with_incidence()?;
        self.minimise()?;
        Ok(self)
    }
}

/// The sets of columns that are connected by rows, given by the columns of each.
pub fn components(width: usize, rows: impl Iterator<Item = Vec<usize>>) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = vec![usize::MAX; width];
    for row in rows {
        let Some(&first) = row.iter().min_by_key(|&&column| group[column].min(column)) else { continue };
        let name = group[first].min(first);
        let old: Vec<usize> =
            row.iter().map(|&column| group[column]).filter(|name| *name != usize::MAX).collect();
        row.iter().for_each(|&column| group[column] = name);
        group.iter_mut().filter(|name| old.contains(name)).for_each(|other| *other = name);
    }
    let mut names: Vec<usize> = group.iter().copied().filter(|name| *name != usize::MAX).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().map(|name| (0..width).filter(|&column| group[column] == *name).collect()).collect()
}
