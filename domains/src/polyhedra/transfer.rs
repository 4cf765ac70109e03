//! Changes of single variables: projection, assignment, new names.

use std::sync::Arc;

use super::block::Block;
use super::columns::AffineMap;
use super::parts::{Parts, Rounding, Step, Stop, local};
use super::rows::{eliminate, negate, support};
use super::scalar::{Limited, Scalar};
use crate::relation::ConstraintKind;

impl<S: Scalar> Parts<S> {
    /// Projects a column away; it is free afterwards.
    pub fn forget(&mut self, column: usize, rounding: Rounding) -> Step {
        self.split()?;
        if let Some(index) = self.equalities.defining(column) {
            self.equalities.remove(index);
            return Ok(());
        }
        let block = self.block_with(column);
        if let Some(index) = self.equalities.first_with(column) {
            let row = self.equalities.remove(index);
            self.equalities.eliminate(&row, column)?;
            if block.is_some() {
                self.attempt(|parts| parts.exchange(&row, column, rounding))?;
            }
        } else if let Some(index) = block {
            let columns = self.blocks[index].columns.to_vec();
            if columns.len() > 1 {
                self.attempt(|parts| parts.project(columns, column, rounding))?;
            }
        }
        // Where that was too much, what is left of the column goes without being combined.
        if let Some(index) = self.block_with(column) {
            self.drop_column(index, column)?;
        }
        self.check_equalities(rounding)
    }

    /// Replaces a column by the one that the row, no longer an equality, defined by it.
    fn exchange(&mut self, row: &[S], column: usize, rounding: Rounding) -> Step {
        let columns = self.closed(support(row).collect());
        let mut pair = self.merged(&columns)?;
        let row = local(&columns, row);
        pair.add(&row, ConstraintKind::Zero)?;
        let index = columns.binary_search(&column).unwrap_or(0);
        pair.project_defined(&row, index + 1)?;
        self.adopt(columns.into_iter().filter(|other| *other != column).collect(), pair, rounding)
    }

    fn project(&mut self, columns: Vec<usize>, column: usize, rounding: Rounding) -> Step {
        let index = columns.binary_search(&column).unwrap_or(0);
        let pair = self.merged(&columns)?.project(index + 1)?;
        self.adopt(columns.into_iter().filter(|other| *other != column).collect(), pair, rounding)
    }

    fn drop_column(&mut self, index: usize, column: usize) -> Limited<()> {
        let block = self.blocks.swap_remove(index);
        self.degraded |= block.cone.is_degraded();
        let rows: Vec<Vec<S>> = block
            .cone
            .facets()?
            .map(|row| block.global(row, self.width))
            .filter(|row| row[column].is_zero())
            .collect();
        self.add_known(&rows);
        Ok(())
    }

    /// Gives a column the value of a form.
    pub fn assign(&mut self, column: usize, form: &[S]) -> Step {
        self.split()?;
        let (mut form, divisor) = self.reduced_form(form)?;
        let factor = std::mem::replace(&mut form[column], S::ZERO);
        let defining = self.equalities.defining(column);
        if defining.is_none() && !factor.is_zero() {
            return self.map(&AffineMap { column, factor: &factor, row: &form, divisor: &divisor });
        }
        match defining {
            Some(index) => drop(self.equalities.remove(index)),
            None => self.forget(column, Rounding::Integer)?,
        }
        negate(&mut form);
        form[column] = divisor;
        self.attempt(|parts| parts.equate(form, Rounding::Integer))
    }

    /// A form over columns that no equality defines, and what to divide it by.
    pub fn reduced_form(&self, form: &[S]) -> Limited<(Vec<S>, S)> {
        let mut row = form.to_vec();
        row.push(S::ONE);
        for (column, by) in self.equalities.iter().filter(|(column, _)| !form[*column].is_zero()) {
            let mut by = by.to_vec();
            by.push(S::ZERO);
            eliminate(&mut row, &by, column)?;
        }
        let divisor = row.pop().unwrap_or(S::ONE);
        Ok((row, divisor))
    }

    fn map(&mut self, map: &AffineMap<'_, S>) -> Step {
        let mut moved = Vec::new();
        while let Some(index) = self.equalities.first_with(map.column) {
            let mut row = self.equalities.remove(index);
            map.constraint(&mut row)?;
            moved.push(row);
        }
        if let Some(index) = self.block_with(map.column) {
            let mut columns: Vec<usize> = support(map.row).collect();
            let shifted = columns.is_empty();
            columns.push(map.column);
            let columns = self.closed(columns);
            let mut pair = self.merged(&columns)?;
            let row = local(&columns, map.row);
            let column = columns.binary_search(&map.column).unwrap_or(0) + 1;
            pair.map(&AffineMap { column, row: &row, ..*map })?;
            pair.generators.check_length()?;
            if shifted && *map.factor == *map.divisor {
                self.degraded |= self.blocks[index].cone.is_degraded();
                self.blocks[index] = Block::new(columns, pair);
            } else {
                self.adopt(columns, pair, Rounding::Integer)?;
            }
        }
        moved.into_iter().try_for_each(|row| self.equate(row, Rounding::Rational))
    }

    /// Column `i` goes to `to[i]`, for those that are not free; column 0 stays.
    pub fn renamed(&self, width: usize, to: &[usize]) -> Result<Self, Stop> {
        let mut result = Self { width, degraded: self.is_degraded(), ..Self::top(width) };
        for block in &self.blocks {
            let mut order: Vec<(usize, usize)> =
                block.columns.iter().enumerate().map(|(index, &column)| (to[column], index + 1)).collect();
            let sorted = order.is_sorted();
            order.sort_unstable();
            let columns: Arc<[usize]> = order.iter().map(|(column, _)| *column).collect();
            let order: Vec<usize> = std::iter::once(0).chain(order.iter().map(|(_, index)| *index)).collect();
            let cone = if sorted { block.cone.clone() } else { Arc::new(block.cone.permuted(&order)) };
            result.blocks.push(Block { columns, cone });
        }
        for row in self.equalities.rows().iter() {
            let mut renamed = vec![S::ZERO; width];
            renamed[0] = row[0].clone();
            support(row).for_each(|column| renamed[to[column]] = row[column].clone());
            result.attempt(|parts| parts.equate(renamed, Rounding::Rational))?;
        }
        Ok(result)
    }
}
