//! Widening and narrowing.
//!
//! The standard widening (Cousot and Halbwachs, POPL 1978; Halbwachs, 1979) keeps the constraints of
//! the older side that the newer one satisfies: the dimension grows or the number of facets falls.

use super::block::{Block, Shape};
use super::parts::{Parts, Rounding, Stop};
use super::rows::support;
use super::scalar::{Limited, Scalar};
use crate::relation::ConstraintKind;

impl<S: Scalar> Parts<S> {
    /// Above both. Thresholds are kept that both sides satisfy: they only ever become fewer, and
    /// what is not a threshold is an older constraint.
    pub fn widen(&self, newer: &Self, thresholds: &[(ConstraintKind, Vec<S>)]) -> Result<Self, Stop> {
        let mut result = self.standard_widening(newer)?;
        let mut kept = Vec::new();
        for (kind, row) in thresholds {
            if *kind == ConstraintKind::AtLeastZero && self.implies(row)? && newer.implies(row)? {
                kept.push((*kind, row.clone()));
            }
        }
        result.constrain(kept, Rounding::Rational)?;
        Ok(result)
    }

    pub fn standard_widening(&self, newer: &Self) -> Result<Self, Stop> {
        let equalities = self.equalities.common(&newer.equalities)?;
        let degraded = self.is_degraded() || newer.is_degraded();
        let mut result = Self { equalities, degraded, ..Self::top(self.width) };
        if result.equalities == self.equalities {
            for block in &self.blocks {
                result.keep_stable(block, newer)?;
            }
            return Ok(result);
        }
        let mut rows = Vec::new();
        for row in self.inequalities()? {
            if newer.implies(&row)? {
                rows.push(row);
            }
        }
        match self.aligned(newer).and_then(|aligned| aligned.inherited_facets()) {
            Ok(mut inherited) => rows.append(&mut inherited),
            Err(limit) if limit.is_final::<S>() => {}
            Err(limit) => return Err(limit.into()),
        }
        let rows = rows.into_iter().map(|row| (ConstraintKind::AtLeastZero, row)).collect();
        result.constrain(rows, Rounding::Rational)?;
        Ok(result)
    }

    /// Adds the constraints of a block that the newer side satisfies; their number falls, or the
    /// block stays as it is.
    fn keep_stable(&mut self, block: &Block<S>, newer: &Self) -> Limited<()> {
        if newer.blocks.iter().any(|other| other.is_known_same(block)) {
            self.blocks.push(block.clone());
            return Ok(());
        }
        let (mut rows, mut count) = (Vec::new(), 0);
        for row in block.cone.facets()? {
            count += 1;
            if newer.implies_facet(block, row)? {
                rows.push(block.global(row, self.width));
            }
        }
        if rows.len() == count {
            self.blocks.push(block.clone());
        } else {
            self.add_known(&rows);
        }
        Ok(())
    }

    /// Between both: adds equalities, constraints across lines of this side, and bounds of
    /// variables, sums and differences that this side lacks. The dimension, the number of lines, or
    /// that of such bounds falls.
    pub fn narrow(&self, smaller: &Self) -> Result<Self, Stop> {
        let mut result = self.clone();
        result.split()?;
        let mut rows: Vec<_> =
            smaller.equalities.rows().iter().map(|row| (ConstraintKind::Zero, row.to_vec())).collect();
        for row in smaller.facets()? {
            if self.lacks(&row)? {
                rows.push((ConstraintKind::AtLeastZero, row));
            }
        }
        result.constrain(rows, Rounding::Rational)?;
        result.degraded |= smaller.is_degraded();
        Ok(result)
    }

    fn lacks(&self, row: &[S]) -> Limited<bool> {
        let (row, _) = self.reduced_form(row)?;
        let unit = |value: &S| value.is_zero() || *value == S::ONE || *value == S::ONE.negated();
        let template = support(&row).count() <= 2 && row[1..].iter().all(unit);
        let mut across = support(&row).any(|column| self.block_with(column).is_none());
        for block in self.blocks.iter().filter(|block| block.touches(&row)) {
            let local = block.local(&row);
            let bounded = block.cone.all_generators(|generator, shape| {
                let value = super::scalar::Scalar::dot(&local[1..], &generator[1..])?;
                Ok(match shape {
                    Shape::Line => value.is_zero(),
                    Shape::Ray => !(template && generator[0].is_zero() && value.signum() < 0),
                })
            })?;
            across |= !bounded;
        }
        Ok(across)
    }
}
