//! Hulls. What both sides have in common is kept as it is; the rest becomes one block.

use std::sync::Arc;

use super::affine::Equalities;
use super::block::{Block, Cone};
use super::pair::Pair;
use super::parts::{Parts, Rounding, Step, Stop};
use super::rows::{is_constant, negate, support};
use super::scalar::{Limit, Limited, Scalar};
use super::template::{Least, directions};
use crate::relation::ConstraintKind;

/// Two polyhedra over the columns where they differ, and what they share.
pub struct Aligned<S> {
    pub shared: Parts<S>,
    pub columns: Vec<usize>,
    pub left: Pair<S>,
    pub right: Pair<S>,
}

impl<S: Scalar> Parts<S> {
    /// The least parts above both, unless that is too large.
    ///
    /// Facets are not rounded: a side may have vertices that are not integers, and the result is
    /// above it in the order of rational inclusion. The next operation that may shrink rounds.
    pub fn join(&self, other: &Self) -> Result<Self, Stop> {
        let (left, right) = self.without_half_free(other)?;
        match left.aligned(&right) {
            Ok(aligned) => {
                let mut result = aligned.shared;
                if !aligned.columns.is_empty() {
                    let cone = Arc::new(Cone::hull(aligned.left, aligned.right));
                    result.blocks.push(Block { columns: aligned.columns.into(), cone });
                }
                Ok(result)
            }
            Err(limit) if limit.is_final::<S>() => Ok(left.bounded_join(&right)?),
            Err(limit) => Err(limit.into()),
        }
    }

    /// Both, without what is known of variables that are free in the other.
    fn without_half_free(&self, other: &Self) -> Result<(Self, Self), Stop> {
        let (mut left, mut right) = (self.clone(), other.clone());
        left.split()?;
        right.split()?;
        let (free_left, free_right) = (left.free(), right.free());
        for column in 1..self.width {
            match (free_left[column], free_right[column]) {
                (true, false) => right.forget(column, Rounding::Rational)?,
                (false, true) => left.forget(column, Rounding::Rational)?,
                _ => {}
            }
        }
        Ok((left, right))
    }

    pub fn aligned(&self, other: &Self) -> Limited<Aligned<S>> {
        let equalities = self.equalities.common(&other.equalities)?;
        let own = |parts: &Self| {
            let rows = parts.equalities.iter().filter(|(column, _)| equalities.defining(*column).is_none());
            rows.map(|(_, row)| row.to_vec()).collect::<Vec<_>>()
        };
        let (left, right) = (own(self), own(other));
        let mut differs = vec![false; self.width];
        left.iter().chain(&right).flat_map(|row| support(row)).for_each(|column| differs[column] = true);
        let mut same = Vec::new();
        for block in &self.blocks {
            let untouched = !block.columns.iter().any(|&column| differs[column]);
            if untouched && other.blocks.iter().any(|theirs| theirs.is_known_same(block)) {
                same.push(block.clone());
            }
        }
        let shared = |block: &&Block<S>| same.iter().any(|kept| kept.columns == block.columns);
        for block in self.blocks.iter().chain(&other.blocks).filter(|block| !shared(block)) {
            block.columns.iter().for_each(|&column| differs[column] = true);
        }
        let columns: Vec<usize> = (1..self.width).filter(|&column| differs[column]).collect();
        let left = self.over(&columns, &left)?;
        let right = other.over(&columns, &right)?;
        let degraded = self.is_degraded() || other.is_degraded();
        Ok(Aligned {
            shared: Parts { width: self.width, equalities, blocks: same, degraded },
            columns,
            left,
            right,
        })
    }

    /// The pair over these columns, with equalities of which each defines a column of no block.
    fn over(&self, columns: &[usize], equalities: &[Vec<S>]) -> Limited<Pair<S>> {
        let mut pair = self.merged(columns)?;
        for row in equalities {
            pair.add(&super::parts::local(columns, row), ConstraintKind::Zero)?;
        }
        Ok(pair)
    }

    /// Above both: what one side knows and the other satisfies, and bounds of variables, sums and
    /// differences.
    fn bounded_join(&self, other: &Self) -> Result<Self, Stop> {
        let equalities = self.equalities.common(&other.equalities).unwrap_or(Equalities::new(self.width));
        let mut result = Self { equalities, degraded: true, ..Self::top(self.width) };
        let mut rows = Vec::new();
        for (one, another) in [(self, other), (other, self)] {
            for row in one.inequalities()? {
                if another.implies(&row).unwrap_or(false) {
                    rows.push((ConstraintKind::AtLeastZero, row));
                }
            }
        }
        let free: Vec<usize> =
            (1..self.width).filter(|&column| result.equalities.defining(column).is_none()).collect();
        for direction in directions(self.width, &free) {
            let mut least = Least::new();
            let found = [self, other].into_iter().try_for_each(|side| -> Limited<()> {
                let (row, divisor) = side.reduced_form(&direction)?;
                match side.least(&row)? {
                    Some((value, by)) => {
                        let divisor = S::from_int(&(by * divisor.to_int()))?;
                        least.see_value(S::from_int(&value)?, divisor)
                    }
                    None => Err(Limit::Rows),
                }
            });
            let mut row = direction;
            if found.is_ok() && least.apply(&mut row).is_ok_and(|bounded| bounded) {
                rows.push((ConstraintKind::AtLeastZero, row));
            }
        }
        rows.sort_by_key(|(_, row)| support(row).count());
        result.add_each(rows)?;
        Ok(result)
    }

    /// Adds rows one by one, until a few of them were too much.
    fn add_each(&mut self, rows: Vec<(ConstraintKind, Vec<S>)>) -> Step {
        const PATIENCE: usize = 8;
        let mut failures = 0;
        for row in rows {
            self.degraded = false;
            self.constrain(vec![row], Rounding::Rational)?;
            failures += usize::from(self.degraded);
            if failures == PATIENCE {
                break;
            }
        }
        self.degraded = true;
        Ok(())
    }

    /// The facets, and both halves of every equality.
    pub fn inequalities(&self) -> Limited<Vec<Vec<S>>> {
        let mut rows = self.facets()?;
        for row in self.equalities.rows().iter() {
            rows.push(row.to_vec());
            let mut opposite = row.to_vec();
            negate(&mut opposite);
            rows.push(opposite);
        }
        Ok(rows)
    }
}

impl<S: Scalar> Aligned<S> {
    /// The facets of the hull that lie on the left side as one of its own constraints does: what
    /// else the standard widening may keep where the dimension grows.
    pub fn inherited_facets(&self) -> Limited<Vec<Vec<S>>> {
        let hull = Cone::hull(self.left.clone(), self.right.clone());
        let on = |row: &[S]| {
            self.left.rays().map(|ray| Ok(S::dot(row, ray)?.is_zero())).collect::<Limited<Vec<bool>>>()
        };
        let own =
            self.left.inequalities().filter(|row| !is_constant(row)).map(on).collect::<Limited<Vec<_>>>()?;
        let mut rows: Vec<Vec<S>> = Vec::new();
        for row in hull.facets()? {
            let on = on(row)?;
            if on.iter().all(|on| *on) || own.contains(&on) {
                rows.push(super::parts::global(&self.columns, row, self.shared.width));
            }
        }
        Ok(if hull.is_degraded() { Vec::new() } else { rows })
    }
}
