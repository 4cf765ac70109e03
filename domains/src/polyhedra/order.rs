//! What parts imply: least values of forms, inclusion, equality. By the generators of one side and the
//! constraints of the other; where generators are not known yet and many, the [`guide`] is asked first.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::block::{Block, Cone, Shape};
use super::guide::{self, Lowest};
use super::parts::Parts;
use super::rows::{negate, support};
use super::scalar::{Limited, Scalar};
use super::template::Least;
use crate::int::Int;
use crate::interval::{Bound, Interval};

impl<S: Scalar> Parts<S> {
    /// Whether the row is at least zero at every rational point.
    pub fn implies(&self, row: &[S]) -> Limited<bool> {
        let mut row = row.to_vec();
        self.equalities.reduce(&mut row)?;
        self.implies_reduced(&row)
    }

    /// As [`Parts::implies`] for a row without defined columns.
    pub fn implies_reduced(&self, row: &[S]) -> Limited<bool> {
        let occurring = support(row).count();
        if occurring == 0 {
            return Ok(row[0].signum() >= 0);
        }
        let mut touched = self.blocks.iter().filter(|block| block.touches(row));
        if let (Some(only), None) = (touched.next(), touched.next()) {
            let local = only.local(row);
            return Ok(support(&local).count() == occurring && implied_by(&only.cone, &local)?);
        }
        Ok(self.least(row)?.is_some_and(|(value, _)| !value.is_negative()))
    }

    /// The least value of a row without defined columns, as a fraction with positive divisor.
    pub fn least(&self, row: &[S]) -> Limited<Option<(Int, Int)>> {
        let (mut sum, mut divisor) = (row[0].to_int(), Int::ONE);
        let mut seen = 0;
        for block in self.blocks.iter().filter(|block| block.touches(row)) {
            let local = block.local(row);
            seen += support(&local).count();
            let Some((value, by)) = least_in(&block.cone, &local)? else { return Ok(None) };
            sum = &sum * &by + &value * &divisor;
            divisor = &divisor * &by;
        }
        Ok((seen == support(row).count()).then_some((sum, divisor)))
    }

    /// The integers between the least and the greatest value of a form. `None` if there is none.
    pub fn bounds(&self, form: &[S]) -> Limited<Option<Interval>> {
        let (mut row, divisor) = self.reduced_form(form)?;
        let divisor = divisor.to_int();
        let low = self.least(&row)?.and_then(|(value, by)| value.div_ceil(&(by * divisor.clone())));
        negate(&mut row);
        let high = self.least(&row)?.and_then(|(value, by)| value.neg().div_floor(&(by * divisor)));
        Ok(Interval::new(
            low.map_or(Bound::NegInfinity, Bound::from),
            high.map_or(Bound::PosInfinity, Bound::from),
        ))
    }

    /// Inclusion of the rational points. A full-dimensional block satisfies no further equality.
    pub fn leq(&self, other: &Self) -> Limited<bool> {
        for row in other.equalities.rows().iter() {
            let mut row = row.to_vec();
            self.equalities.reduce(&mut row)?;
            if row.iter().any(|value| !value.is_zero()) {
                return Ok(false);
            }
        }
        for block in &other.blocks {
            if self.blocks.iter().any(|mine| mine.is_known_same(block)) {
                continue;
            }
            for row in block.cone.facets()? {
                if !self.implies_facet(block, row)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// As [`Parts::implies`] for a row over the columns of a block, of whatever parts.
    pub fn implies_facet(&self, block: &Block<S>, row: &[S]) -> Limited<bool> {
        match self.blocks.iter().find(|mine| mine.columns == block.columns) {
            Some(mine) => implied_by(&mine.cone, row),
            None => self.implies(&block.global(row, self.width)),
        }
    }

    /// The facets over all columns. Unique up to order, as blocks are full-dimensional and have no
    /// columns that an equality defines.
    pub fn facets(&self) -> Limited<Vec<Vec<S>>> {
        let mut rows = Vec::new();
        for block in &self.blocks {
            rows.extend(block.cone.facets()?.map(|row| block.global(row, self.width)));
        }
        Ok(rows)
    }

    pub fn is_same(&self, other: &Self) -> Limited<bool> {
        if self.equalities != other.equalities {
            return Ok(false);
        }
        let (mut left, mut right) = (self.facets()?, other.facets()?);
        left.sort_unstable();
        right.sort_unstable();
        Ok(left == right)
    }

    /// Independent of the order of facets and of the width of scalars.
    pub fn hash_rows(&self) -> Limited<u64> {
        let hashed = |row: &[S]| {
            let mut hasher = FxHasher::default();
            for (column, value) in row.iter().enumerate().filter(|(_, value)| !value.is_zero()) {
                (column, value.to_int()).hash(&mut hasher);
            }
            hasher.finish()
        };
        let equalities = self.equalities.rows().iter().map(|row| hashed(row).rotate_left(7));
        let facets = self.facets()?;
        let facets = facets.iter().map(|row| hashed(row));
        Ok(equalities.chain(facets).fold(0, u64::wrapping_add))
    }
}

/// Whether the row is at least zero at every point of a cone.
fn implied_by<S: Scalar>(cone: &Cone<S>, row: &[S]) -> Limited<bool> {
    match guide::implies(cone, row) {
        Some(known) => Ok(known),
        None => cone.implies(row),
    }
}

/// The least value of a row without its constant, if there is one.
pub fn least_in<S: Scalar>(cone: &Cone<S>, row: &[S]) -> Limited<Option<(Int, Int)>> {
    match guide::least(cone, row) {
        Some(Lowest::At(value)) => return Ok(Some((value.value, value.divisor))),
        Some(Lowest::Unbounded) => return Ok(None),
        None => {}
    }
    let mut least = Least::new();
    cone.all_generators(|generator, shape| {
        least.see(row, generator, shape == Shape::Line)?;
        Ok(!least.is_unbounded())
    })?;
    Ok(least.value().map(|(value, by)| (value.to_int(), by.to_int())))
}
