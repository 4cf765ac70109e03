//! A non-empty polyhedron as equalities and independent blocks over the variables they leave.
//!
//! Equalities define variables; a block knows only variables that none defines, and is
//! full-dimensional over them, so cost follows what inequalities really relate. Variables of no
//! block and no equality are free. The operations here change the parts in place; an error leaves
//! them unusable.

use super::affine::Equalities;
use super::block::{Block, Cone, add_all};
use super::columns::{Factor, components};
use super::pair::Pair;
use super::rows::{Matrix, is_constant, misses_integers, support, tighten};
use super::scalar::{Limit, Limited, Scalar};
use crate::relation::ConstraintKind;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Parts<S> {
    pub width: usize,
    pub equalities: Equalities<S>,
    /// Over disjoint columns, none of them defined by an equality.
    pub blocks: Vec<Block<S>>,
    pub degraded: bool,
}

/// Whether rational points may be cut off that no integer point needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    Integer,
    Rational,
}

/// Why the parts are no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Empty,
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

pub type Step = Result<(), Stop>;

impl<S: Scalar> Parts<S> {
    pub fn top(width: usize) -> Self {
        Self { width, equalities: Equalities::new(width), blocks: Vec::new(), degraded: false }
    }

    pub fn is_degraded(&self) -> bool {
        self.degraded || self.blocks.iter().any(|block| block.cone.is_degraded())
    }

    pub fn block_with(&self, column: usize) -> Option<usize> {
        self.blocks.iter().position(|block| block.columns.binary_search(&column).is_ok())
    }

    /// Which columns occur nowhere.
    pub fn free(&self) -> Vec<bool> {
        let mut free = vec![true; self.width];
        let blocks = self.blocks.iter().flat_map(|block| block.columns.iter().copied());
        blocks.chain(self.equalities.rows().iter().flat_map(support)).for_each(|column| free[column] = false);
        free
    }

    /// Replaces blocks that turned out to be several.
    pub fn split(&mut self) -> Limited<()> {
        for index in 0..self.blocks.len() {
            if let Some(parts) = self.blocks[index].split()? {
                self.degraded |= self.blocks[index].cone.is_degraded();
                let mut parts = parts.into_iter();
                if let Some(first) = parts.next() {
                    self.blocks[index] = first;
                } else {
                    self.blocks[index].columns = Arc::default();
                }
                self.blocks.extend(parts);
            }
        }
        self.blocks.retain(|block| !block.columns.is_empty());
        Ok(())
    }

    /// Runs a step that changes nothing where it fails; if it fails for good, the parts are degraded.
    pub fn attempt(&mut self, step: impl FnOnce(&mut Self) -> Step) -> Step {
        match step(self) {
            Err(Stop::Limit(limit)) if limit.is_final::<S>() => {
                self.degraded = true;
                Ok(())
            }
            done => done,
        }
    }

    /// Keeps what satisfies the rows.
    pub fn constrain(&mut self, rows: Vec<(ConstraintKind, Vec<S>)>, rounding: Rounding) -> Step {
        self.split()?;
        let (equalities, inequalities): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|(kind, _)| *kind == ConstraintKind::Zero);
        for (_, row) in equalities {
            self.attempt(|parts| parts.equate(row, rounding))?;
        }
        self.restrict(inequalities.into_iter().map(|(_, row)| row), rounding)
    }

    pub fn equate(&mut self, mut row: Vec<S>, rounding: Rounding) -> Step {
        self.equalities.reduce(&mut row)?;
        let Some(column) = row.iter().rposition(|value| !value.is_zero()) else { return Ok(()) };
        if column == 0 || (rounding == Rounding::Integer && misses_integers(&row)) {
            return Err(Stop::Empty);
        }
        if self.block_with(column).is_none() {
            self.equalities.insert(row)?;
            return self.check_equalities(rounding);
        }
        let columns = self.closed(support(&row).collect());
        let mut pair = self.merged(&columns)?;
        pair.add(&local(&columns, &row), ConstraintKind::Zero)?;
        self.adopt(columns, pair, rounding)
    }

    pub fn check_equalities(&self, rounding: Rounding) -> Step {
        let empty = rounding == Rounding::Integer && self.equalities.misses_integers();
        if empty { Err(Stop::Empty) } else { Ok(()) }
    }

    fn restrict(&mut self, rows: impl Iterator<Item = Vec<S>>, rounding: Rounding) -> Step {
        let mut pending = Vec::new();
        for mut row in rows {
            match self.equalities.reduce(&mut row).and_then(|()| self.implies_reduced(&row)) {
                Ok(true) => {}
                Ok(false) if is_constant(&row) => return Err(Stop::Empty),
                Ok(false) => {
                    if rounding == Rounding::Integer {
                        tighten(&mut row);
                    }
                    pending.push(row);
                }
                Err(limit) if limit.is_final::<S>() => self.degraded = true,
                Err(limit) => return Err(limit.into()),
            }
        }
        let touched = self.blocks.iter().filter(|block| pending.iter().any(|row| block.touches(row)));
        let links = pending.iter().map(|row| support(row).collect());
        let groups = components(self.width, links.chain(touched.map(|block| block.columns.to_vec())));
        for columns in groups {
            let rows: Vec<Vec<S>> = pending
                .iter()
                .filter(|row| columns.iter().any(|&column| !row[column].is_zero()))
                .map(|row| local(&columns, row))
                .collect();
            self.attempt(|parts| parts.restrict_group(columns, &rows, rounding))?;
        }
        Ok(())
    }

    fn restrict_group(&mut self, columns: Vec<usize>, rows: &[Vec<S>], rounding: Rounding) -> Step {
        if self.is_contradicted(&columns, rows) {
            return Err(Stop::Empty);
        }
        let pair = match self.merged(&columns) {
            Ok(mut pair) => {
                self.degraded |= add_all(&mut pair, rows.iter().map(Vec::as_slice))?;
                pair
            }
            Err(Limit::Rows) => self.converted(&columns, rows)?,
            Err(limit) => return Err(limit.into()),
        };
        self.adopt(columns, pair, rounding)
    }

    /// The group from its constraints alone, new ones first: where the product of the blocks is too
    /// large, what remains of it may not be.
    fn converted(&self, columns: &[usize], rows: &[Vec<S>]) -> Limited<Pair<S>> {
        let mut pair = Pair::top(columns.len());
        rows.iter().try_for_each(|row| pair.add(row, ConstraintKind::AtLeastZero))?;
        for block in self.blocks.iter().filter(|block| columns.contains(&block.columns[0])) {
            for row in block.cone.facets()? {
                let row = local(columns, &block.global(row, self.width));
                pair.add(&row, ConstraintKind::AtLeastZero)?;
            }
        }
        Ok(pair)
    }

    /// The columns with those of every block that they touch, sorted.
    pub fn closed(&self, mut columns: Vec<usize>) -> Vec<usize> {
        let touched = |block: &&Block<S>| block.columns.iter().any(|column| columns.contains(column));
        let more: Vec<usize> =
            self.blocks.iter().filter(touched).flat_map(|block| block.columns.iter().copied()).collect();
        columns.extend(more);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The product of the blocks over closed columns.
    pub fn merged(&self, columns: &[usize]) -> Limited<Pair<S>> {
        let position = |column: &usize| columns.binary_search(column).map_or(0, |index| index + 1);
        let inside = || self.blocks.iter().filter(|block| columns.binary_search(&block.columns[0]).is_ok());
        let factors = inside().map(|block| {
            let columns = block.columns.iter().map(position).collect();
            Ok(Factor { pair: block.cone.pair()?, columns })
        });
        let factors: Vec<Factor<'_, S>> = factors.collect::<Limited<_>>()?;
        let covered: Vec<usize> = factors.iter().flat_map(|factor| factor.columns.iter().copied()).collect();
        let free: Vec<usize> = (1..=columns.len()).filter(|column| !covered.contains(column)).collect();
        Pair::product(columns.len() + 1, &factors, &free)
    }

    /// The pair takes the place of the blocks over these columns. Changes nothing on a limit.
    pub fn adopt(&mut self, mut columns: Vec<usize>, mut pair: Pair<S>, rounding: Rounding) -> Step {
        let replaced = columns.clone();
        let mut equalities: Option<Equalities<S>> = None;
        loop {
            if pair.is_empty() {
                return Err(Stop::Empty);
            }
            pair.minimise()?;
            if pair.equalities > 0 {
                let (rows, left) = pair.extract()?;
                let system = equalities.get_or_insert_with(|| self.equalities.clone());
                for row in rows.iter() {
                    let mut row = global(&columns, row, self.width);
                    system.reduce(&mut row)?;
                    system.insert(row)?;
                }
                columns = left.iter().skip(1).map(|&column| columns[column - 1]).collect();
            }
            if rounding == Rounding::Rational || !self.round(&mut pair)? {
                break;
            }
        }
        pair.constraints.check_length()?;
        pair.generators.check_length()?;
        let parts = pair.parts()?;
        self.release(&replaced);
        if let Some(equalities) = equalities {
            self.equalities = equalities;
            self.check_equalities(rounding)?;
        }
        for (part, pair) in parts {
            let columns = part.iter().map(|&column| columns[column - 1]).collect();
            self.blocks.push(Block::new(columns, pair));
        }
        Ok(())
    }

    /// Removes the blocks over these columns.
    fn release(&mut self, columns: &[usize]) {
        self.degraded |= self.is_degraded();
        let inside = |column: &usize| columns.binary_search(column).is_ok();
        self.blocks.retain(|block| !block.columns.iter().any(inside));
    }

    /// Adds the integer versions of loose inequalities. Whether there were any.
    fn round(&mut self, pair: &mut Pair<S>) -> Limited<bool> {
        let tight = pair.facets().filter_map(|row| {
            let mut row = row.to_vec();
            tighten(&mut row).then_some(row)
        });
        let tight: Vec<Vec<S>> = tight.collect();
        let dropped = add_all(pair, tight.iter().map(Vec::as_slice))?;
        self.degraded |= dropped;
        Ok(!tight.is_empty() && !dropped)
    }

    /// Rounds every block.
    pub fn round_all(&mut self) -> Step {
        self.split()?;
        self.check_equalities(Rounding::Integer)?;
        for block in self.blocks.clone() {
            let loose = block.cone.facets()?.any(|row| tighten(&mut row.to_vec()));
            if loose {
                self.attempt(|parts| {
                    let pair = block.cone.pair()?.clone();
                    parts.adopt(block.columns.to_vec(), pair, Rounding::Integer)
                })?;
            }
        }
        Ok(())
    }

    /// New blocks of rows, none of which follows from others, over columns of no block.
    pub fn add_known(&mut self, rows: &[Vec<S>]) {
        for columns in components(self.width, rows.iter().map(|row| support(row).collect())) {
            let mut constraints = Matrix::new(columns.len() + 1);
            for row in rows.iter().filter(|row| columns.iter().any(|&column| !row[column].is_zero())) {
                constraints.push(&local(&columns, row));
            }
            self.blocks
                .push(Block { columns: columns.into(), cone: Arc::new(Cone::of_constraints(constraints)) });
        }
    }

    pub fn cast<T: Scalar>(&self) -> Limited<Parts<T>> {
        self.with_cones(self.equalities.cast()?, |cone| Ok(Arc::new(cone.cast()?)))
    }

    /// As [`Parts::cast`] to the next wider scalar, remembered.
    pub fn widened<T: Scalar>(&self) -> Limited<Parts<T>> {
        self.with_cones(self.equalities.cast()?, |cone| cone.widened())
    }

    fn with_cones<T: Scalar>(
        &self,
        equalities: Equalities<T>,
        cone: impl Fn(&Cone<S>) -> Limited<Arc<Cone<T>>>,
    ) -> Limited<Parts<T>> {
        let block = |block: &Block<S>| Ok(Block { columns: block.columns.clone(), cone: cone(&block.cone)? });
        let blocks = self.blocks.iter().map(block).collect::<Limited<_>>()?;
        Ok(Parts { width: self.width, equalities, blocks, degraded: self.degraded })
    }
}

/// The entries of a row at these columns, after its constant.
pub fn local<S: Scalar>(columns: &[usize], row: &[S]) -> Vec<S> {
    std::iter::once(&row[0]).chain(columns.iter().map(|&column| &row[column])).cloned().collect()
}

pub fn global<S: Scalar>(columns: &[usize], row: &[S], width: usize) -> Vec<S> {
    let mut result = vec![S::ZERO; width];
    result[0] = row[0].clone();
    columns.iter().zip(&row[1..]).for_each(|(&column, value)| result[column] = value.clone());
    result
}
