//! The widening of Bagnara, Hill, Ricci and Zaffanella ("Precise widening operators for convex
//! polyhedra", SAS 2003): as long as a certificate says that chains cannot go on for ever, anything
//! above both sides will do; the standard widening is the last resort, and always progresses.

use std::cmp::Reverse;

use super::block::Block;
use super::join::Aligned;
use super::pair::{Echelon, Pair};
use super::parts::{Parts, Rounding, Stop};
use super::rows::{eliminate, is_constant, normalise};
use super::scalar::{Limited, Scalar};
use crate::relation::ConstraintKind;

/// Falls, in the order of the fields, with every step of a chain; there is no endless fall.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Certificate {
    equalities: usize,
    lines: Reverse<usize>,
    facets: usize,
    points: usize,
    /// How many rays have so many zeros, fewest zeros first.
    rays: Vec<usize>,
}

impl<S: Scalar> Parts<S> {
    fn certificate(&self) -> Limited<Certificate> {
        let mut free = self.width - 1 - self.equalities.rows().len();
        let (mut lines, mut facets, mut points) = (0, 0, 1usize);
        let mut rays = vec![0; self.width];
        for block in &self.blocks {
            let pair = block.cone.pair()?;
            free -= block.columns.len();
            lines += pair.lines;
            facets += pair.facets().count();
            points = points.saturating_mul(pair.rays().filter(|ray| !ray[0].is_zero()).count());
            let basis = Echelon::of(&pair.generators, pair.lines)?;
            for ray in pair.rays().filter(|ray| ray[0].is_zero()) {
                let mut ray = ray.to_vec();
                for (by, &pivot) in basis.rows.iter().zip(&basis.pivots).rev() {
                    eliminate(&mut ray, by, pivot)?;
                }
                rays[self.width - ray.iter().filter(|value| !value.is_zero()).count()] += 1;
            }
        }
        let equalities = self.equalities.rows().len();
        Ok(Certificate { equalities, lines: Reverse(lines + free), facets, points, rays })
    }

    /// Above both, at or below the standard widening.
    pub fn certified_widening(&self, newer: &Self) -> Result<Self, Stop> {
        if newer.leq(self)? {
            return Ok(self.clone());
        }
        let mut above = self.join(newer)?;
        above.blocks.iter().try_for_each(|block| block.cone.pair().map(|_| ()))?;
        above.split()?;
        let before = self.certificate()?;
        if !above.is_degraded() && above.certificate()? < before {
            return Ok(above);
        }
        let standard = self.standard_widening(&above)?;
        if above.is_degraded() || self.is_degraded() {
            return Ok(standard);
        }
        let mut aligned = self.aligned(&above)?;
        aligned.right.minimise()?;
        for technique in [combined_constraints, evolving_points, evolving_rays] {
            let Some(candidate) = technique(&aligned, &standard)? else { continue };
            let progresses = !candidate.is_degraded() && candidate.certificate()? < before;
            if progresses && !standard.leq(&candidate)? && candidate.leq(&standard)? {
                return Ok(candidate);
            }
        }
        Ok(standard)
    }
}

type Candidate<S> = Result<Option<Parts<S>>, Stop>;

/// At each vertex of the newer side inside the standard widening: the sum of the newer constraints
/// that it lies on.
fn combined_constraints<S: Scalar>(aligned: &Aligned<S>, standard: &Parts<S>) -> Candidate<S> {
    let kept =
        standard.facets()?.iter().map(|row| super::parts::local(&aligned.columns, row)).collect::<Vec<_>>();
    let newer = &aligned.right;
    let mut rows: Vec<(ConstraintKind, Vec<S>)> = Vec::new();
    for vertex in newer.rays().filter(|ray| !ray[0].is_zero()) {
        let on = |row: &[S]| Ok(S::dot(row, vertex)?.is_zero());
        if kept.iter().map(|row| on(row)).collect::<Limited<Vec<bool>>>()?.contains(&true) {
            continue;
        }
        let mut sum = vec![S::ZERO; newer.width()];
        for row in newer.facets() {
            if on(row)? {
                for (sum, value) in sum.iter_mut().zip(row) {
                    *sum = S::combined(&S::ONE, sum, &S::ONE, value)?;
                }
            }
        }
        normalise(&mut sum);
        if !is_constant(&sum) {
            rows.push((
                ConstraintKind::AtLeastZero,
                super::parts::global(&aligned.columns, &sum, standard.width),
            ));
        }
    }
    if rows.is_empty() {
        return Ok(None);
    }
    let mut result = standard.clone();
    result.constrain(rows, Rounding::Rational)?;
    Ok(Some(result))
}

/// Rays from the vertices of the older side to the new ones.
fn evolving_points<S: Scalar>(aligned: &Aligned<S>, standard: &Parts<S>) -> Candidate<S> {
    let is_new = |row: &&[S]| !row[0].is_zero() && !lies_in(&aligned.left, row);
    let mut rays = Vec::new();
    for new in aligned.right.rays().filter(is_new) {
        for old in aligned.left.rays().filter(|ray| !ray[0].is_zero()) {
            let mut ray = Vec::with_capacity(new.len());
            for (to, from) in new.iter().zip(old) {
                ray.push(S::combined(&old[0], to, &new[0].negated(), from)?);
            }
            normalise(&mut ray);
            rays.push(ray);
        }
    }
    with_rays(aligned, rays, standard)
}

/// New rays, with a coordinate set to zero for each in which they turned away from an old one.
fn evolving_rays<S: Scalar>(aligned: &Aligned<S>, standard: &Parts<S>) -> Candidate<S> {
    let is_new = |row: &&[S]| row[0].is_zero() && !lies_in(&aligned.left, row);
    let mut rays = Vec::new();
    for new in aligned.right.rays().filter(is_new) {
        for old in aligned.left.rays().filter(|ray| ray[0].is_zero()) {
            let mut ray = evolved(new, old)?;
            normalise(&mut ray);
            if ray.iter().any(|value| !value.is_zero()) {
                rays.push(ray);
            }
        }
    }
    with_rays(aligned, rays, standard)
}

fn evolved<S: Scalar>(new: &[S], old: &[S]) -> Limited<Vec<S>> {
    let mut ray = new.to_vec();
    let mut seen = vec![false; new.len()];
    for first in 1..new.len() {
        for second in first + 1..new.len() {
            if seen[first] || seen[second] {
                continue;
            }
            let turn = S::combined(&new[first], &old[second], &new[second].negated(), &old[first])?.signum();
            let dropped = match turn * new[first].signum() * new[second].signum() {
                -1 => first,
                1 => second,
                _ => continue,
            };
            ray[dropped] = S::ZERO;
            seen[dropped] = true;
        }
    }
    Ok(ray)
}

fn lies_in<S: Scalar>(pair: &Pair<S>, generator: &[S]) -> bool {
    pair.inequalities().all(|row| S::dot(row, generator).is_ok_and(|value| value.signum() >= 0))
}

/// The newer side with more rays, within the standard widening.
fn with_rays<S: Scalar>(aligned: &Aligned<S>, rays: Vec<Vec<S>>, standard: &Parts<S>) -> Candidate<S> {
    if rays.is_empty() {
        return Ok(None);
    }
    let mut dual = aligned.right.clone().dual();
    for ray in &rays {
        match dual.add(ray, ConstraintKind::AtLeastZero) {
            Err(limit) if limit.is_final::<S>() => return Ok(None),
            added => added?,
        }
    }
    dual.minimise()?;
    let mut result = aligned.shared.clone();
    for (part, pair) in dual.dual().parts()? {
        let columns = part.iter().map(|&column| aligned.columns[column - 1]).collect();
        result.blocks.push(Block::new(columns, pair));
    }
    let rows = standard.facets()?.into_iter().map(|row| (ConstraintKind::AtLeastZero, row)).collect();
    result.constrain(rows, Rounding::Rational)?;
    Ok(Some(result))
}
