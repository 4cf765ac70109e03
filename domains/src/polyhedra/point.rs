//! Points: membership, and integer points at vertices.

use super::parts::{Parts, Stop};
use super::scalar::{Limited, Scalar};
use crate::int::Int;

/// How many choices of vertices are tried.
const MAX_TRIES: usize = 64;

impl<S: Scalar> Parts<S> {
    pub fn contains(&self, point: &[Int]) -> Limited<bool> {
        let sum = |constant: &S, entries: &mut dyn Iterator<Item = (usize, &S)>| {
            entries.fold(constant.to_int(), |sum, (column, factor)| {
                sum + factor.to_int() * point[column - 1].clone()
            })
        };
        for row in self.equalities.rows().iter() {
            if !sum(&row[0], &mut row.iter().enumerate().skip(1)).is_zero() {
                return Ok(false);
            }
        }
        for block in &self.blocks {
            for row in block.cone.facets()? {
                if sum(&row[0], &mut block.columns.iter().copied().zip(&row[1..])).is_negative() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// A choice of integral vertices that gives defined variables integers too.
    pub fn integer_point(&self) -> Result<Option<Vec<Int>>, Stop> {
        let mut choices: Vec<Vec<Vec<Int>>> = Vec::new();
        for block in &self.blocks {
            let vertices = integral_vertices(block.cone.pair()?.rays());
            if vertices.is_empty() {
                return Ok(None);
            }
            choices.push(vertices);
        }
        for attempt in 0..MAX_TRIES {
            let mut point = vec![Int::ZERO; self.width];
            point[0] = Int::ONE;
            for (block, vertices) in self.blocks.iter().zip(&choices) {
                let vertex = &vertices[attempt % vertices.len()];
                block.columns.iter().zip(vertex).for_each(|(&column, value)| point[column] = value.clone());
            }
            for column in (1..self.width).filter(|&column| self.block_with(column).is_none()) {
                point[column] = Int::from(attempt as i64);
            }
            if self.define(&mut point)? {
                return Ok(Some(point.split_off(1)));
            }
        }
        Ok(None)
    }

    /// Sets the defined columns; `false` if one would not be an integer.
    fn define(&self, point: &mut [Int]) -> Limited<bool> {
        for (defined, row) in self.equalities.iter() {
            let others = (0..self.width).filter(|&column| column != defined && !row[column].is_zero());
            let sum =
                others.fold(Int::ZERO, |sum, column| sum + row[column].to_int() * point[column].clone());
            let divisor = row[defined].to_int();
            if !divisor.divides(&sum) {
                return Ok(false);
            }
            point[defined] = sum.neg().div_floor(&divisor).unwrap_or(Int::ZERO);
        }
        Ok(true)
    }
}

fn integral_vertices<'a, S: Scalar>(rays: impl Iterator<Item = &'a [S]>) -> Vec<Vec<Int>> {
    let integral = rays.filter(|ray| ray[0] == S::ONE);
    integral.map(|ray| ray[1..].iter().map(S::to_int).collect()).collect()
}
