//! A group of variables that belong together, and a full-dimensional polyhedron over them of which
//! one side may be unknown until it is asked for.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use super::pair::Pair;
use super::rows::{Matrix, is_constant, support};
use super::scalar::{Limit, Limited, Scalar};
use crate::relation::ConstraintKind;

/// Shares its cone, so unchanged blocks cost nothing to copy.
#[derive(Clone, Debug)]
pub struct Block<S> {
    /// Global columns, sorted: local column `i` (from 1) is `columns[i - 1]`.
    pub columns: Arc<[usize]>,
    pub cone: Arc<Cone<S>>,
}

#[derive(Debug)]
pub struct Cone<S> {
    seed: Seed<S>,
    whole: OnceLock<Whole<S>>,
    /// Set once the conversion is known not to fit.
    overflow: OnceLock<()>,
    /// The same cone of wider scalars, for whoever comes back.
    wider: OnceLock<Arc<dyn Any + Send + Sync>>,
}

/// What is known before anything is converted.
#[derive(Clone, Debug)]
enum Seed<S> {
    Whole,
    /// Facets and perhaps `d >= 0`.
    Constraints(Matrix<S>),
    /// The hull of a pair and more generators, of which so many first ones are lines.
    Hull {
        base: Box<Pair<S>>,
        more: Matrix<S>,
        lines: usize,
    },
}

#[derive(Debug)]
struct Whole<S> {
    pair: Pair<S>,
    degraded: bool,
}

impl<S: Scalar> Cone<S> {
    pub fn of_pair(pair: Pair<S>) -> Self {
        Self::new(Seed::Whole, OnceLock::from(Whole { pair, degraded: false }))
    }

    fn new(seed: Seed<S>, whole: OnceLock<Whole<S>>) -> Self {
        Self { seed, whole, overflow: OnceLock::new(), wider: OnceLock::new() }
    }

    /// None of the constraints follows from the others, and no equality does.
    pub fn of_constraints(rows: Matrix<S>) -> Self {
        Self::new(Seed::Constraints(rows), OnceLock::new())
    }

    /// The least polyhedron with the points of both; full-dimensional, by choice of columns.
    pub fn hull(left: Pair<S>, right: Pair<S>) -> Self {
        let swap = left.generators.len() < right.generators.len();
        let (base, other) = if swap { (right, left) } else { (left, right) };
        let seed = Seed::Hull { base: Box::new(base), more: other.generators, lines: other.lines };
        Self::new(seed, OnceLock::new())
    }

    pub fn is_degraded(&self) -> bool {
        self.whole.get().is_some_and(|whole| whole.degraded)
    }

    /// Other cones are made of connected columns only.
    fn may_split(&self) -> bool {
        matches!(self.seed, Seed::Hull { .. })
    }

    /// Both sides, if they are known already.
    pub fn known(&self) -> Option<&Pair<S>> {
        self.whole.get().map(|whole| &whole.pair)
    }

    /// The constraints, if nothing else is known.
    pub fn only_constraints(&self) -> Option<&Matrix<S>> {
        match &self.seed {
            Seed::Constraints(rows) if self.known().is_none() => Some(rows),
            _ => None,
        }
    }

    /// Both sides.
    pub fn pair(&self) -> Limited<&Pair<S>> {
        if let Some(whole) = self.whole.get() {
            return Ok(&whole.pair);
        }
        if self.overflow.get().is_some() {
            return Err(Limit::Width);
        }
        let whole = self.convert().inspect_err(|_| self.overflow.set(()).unwrap_or_default())?;
        // Another thread may have been faster, with the same result.
        Ok(&self.whole.get_or_init(|| whole).pair)
    }

    fn convert(&self) -> Limited<Whole<S>> {
        match &self.seed {
            Seed::Constraints(rows) => from_constraints(rows),
            Seed::Hull { base, more, lines } => hull(base, more, *lines),
            Seed::Whole => unreachable!("a cone without seed is whole"),
        }
    }

    /// The inequalities in which a variable occurs.
    pub fn facets(&self) -> Limited<impl Iterator<Item = &[S]>> {
        let rows = match self.only_constraints() {
            Some(rows) => rows,
            None => &self.pair()?.constraints,
        };
        Ok(rows.iter().filter(|row| !is_constant(row)))
    }

    /// Calls with every line and every ray, not all of which need be extreme, until one refuses.
    pub fn all_generators(&self, mut accept: impl FnMut(&[S], Shape) -> Limited<bool>) -> Limited<bool> {
        let mut all = |rows: &Matrix<S>, lines: usize| {
            for (index, row) in rows.iter().enumerate() {
                if !accept(row, if index < lines { Shape::Line } else { Shape::Ray })? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        match (&self.seed, self.known()) {
            (Seed::Hull { base, more, lines }, None) => {
                Ok(all(&base.generators, base.lines)? && all(more, *lines)?)
            }
            _ => {
                let pair = self.pair()?;
                all(&pair.generators, pair.lines)
            }
        }
    }

    /// Whether the row is at least zero at every point.
    pub fn implies(&self, row: &[S]) -> Limited<bool> {
        self.all_generators(|generator, shape| {
            let sign = S::dot(row, generator)?.signum();
            Ok(sign == 0 || (sign > 0 && shape == Shape::Ray))
        })
    }

    pub fn permuted(&self, order: &[usize]) -> Self {
        let whole = match self.whole.get() {
            Some(whole) => {
                OnceLock::from(Whole { pair: whole.pair.permuted(order), degraded: whole.degraded })
            }
            None => OnceLock::new(),
        };
        let seed = match &self.seed {
            _ if whole.get().is_some() => Seed::Whole,
            Seed::Whole => Seed::Whole,
            Seed::Constraints(rows) => Seed::Constraints(rows.columns(order)),
            Seed::Hull { base, more, lines } => {
                Seed::Hull { base: Box::new(base.permuted(order)), more: more.columns(order), lines: *lines }
            }
        };
        Self::new(seed, whole)
    }

    /// As [`Cone::cast`] to the next wider scalar, but made once, so that what is found out there is
    /// not lost.
    pub fn widened<T: Scalar>(&self) -> Limited<Arc<Cone<T>>> {
        if let Some(wider) = self.wider.get() {
            return wider.clone().downcast().map_err(|_| Limit::Width);
        }
        let wider = Arc::new(self.cast()?);
        let _ = self.wider.set(wider.clone());
        Ok(wider)
    }

    pub fn cast<T: Scalar>(&self) -> Limited<Cone<T>> {
        let Some(whole) = self.whole.get() else {
            let seed = match &self.seed {
                Seed::Whole => Seed::Whole,
                Seed::Constraints(rows) => Seed::Constraints(rows.cast()?),
                Seed::Hull { base, more, lines } => {
                    Seed::Hull { base: Box::new(base.cast()?), more: more.cast()?, lines: *lines }
                }
            };
            return Ok(Cone::new(seed, OnceLock::new()));
        };
        let whole = Whole { pair: whole.pair.cast()?, degraded: whole.degraded };
        Ok(Cone::new(Seed::Whole, OnceLock::from(whole)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Line,
    Ray,
}

/// Rows that would exceed a limit are left out.
fn from_constraints<S: Scalar>(rows: &Matrix<S>) -> Limited<Whole<S>> {
    let mut pair = Pair::top(rows.width() - 1);
    let degraded = add_all(&mut pair, rows.iter())?;
    pair.minimise()?;
    Ok(Whole { pair, degraded })
}

/// Adds inequalities, leaving those out that exceed a final limit. Whether one was.
pub fn add_all<'a, S: Scalar>(pair: &mut Pair<S>, rows: impl Iterator<Item = &'a [S]>) -> Limited<bool> {
    let mut degraded = false;
    for row in rows {
        match pair.add(row, ConstraintKind::AtLeastZero) {
            Err(limit) if limit.is_final::<S>() => degraded = true,
            added => added?,
        }
    }
    Ok(degraded)
}

fn hull<S: Scalar>(base: &Pair<S>, more: &Matrix<S>, lines: usize) -> Limited<Whole<S>> {
    match exact_hull(base.clone().dual(), more, lines) {
        Ok(pair) => Ok(Whole { pair, degraded: false }),
        Err(limit) if limit.is_final::<S>() => bounded_hull(base, more, lines),
        Err(limit) => Err(limit),
    }
}

fn exact_hull<S: Scalar>(mut dual: Pair<S>, more: &Matrix<S>, lines: usize) -> Limited<Pair<S>> {
    for (index, row) in more.iter().enumerate() {
        let kind = if index < lines { ConstraintKind::Zero } else { ConstraintKind::AtLeastZero };
        dual.add(row, kind)?;
    }
    dual.minimise()?;
    Ok(dual.dual())
}

/// Above the hull: what the base knows and the other generators satisfy, and bounds of variables,
/// sums and differences.
fn bounded_hull<S: Scalar>(base: &Pair<S>, more: &Matrix<S>, lines: usize) -> Limited<Whole<S>> {
    let width = base.width();
    let mut rows = Matrix::new(width);
    let candidates = super::template::directions::<S>(width, &(1..width).collect::<Vec<_>>());
    let everything = || {
        let base = base.generators.iter().enumerate().map(|(index, row)| (row, index < base.lines));
        base.chain(more.iter().enumerate().map(|(index, row)| (row, index < lines)))
    };
    let equalities =
        base.constraints.iter().take(base.equalities).map(|row| row.iter().map(S::negated).collect());
    for row in base.constraints.iter().map(<[S]>::to_vec).chain(equalities) {
        let holds = |(generator, line): (&[S], bool)| {
            S::dot(&row, generator).is_ok_and(|value| value.is_zero() || (!line && value.signum() > 0))
        };
        if everything().all(holds) {
            rows.push(&row);
        }
    }
    for mut row in candidates {
        let mut least = super::template::Least::new();
        let seen = everything().try_for_each(|(generator, line)| least.see(&row, generator, line));
        if seen.is_ok() && least.apply(&mut row).is_ok_and(|bounded| bounded) {
            rows.push(&row);
        }
    }
    let mut whole = from_constraints(&rows)?;
    whole.degraded = true;
    Ok(whole)
}

impl<S: Scalar> Block<S> {
    pub fn new(columns: Vec<usize>, pair: Pair<S>) -> Self {
        Self { columns: columns.into(), cone: Arc::new(Cone::of_pair(pair)) }
    }

    /// The block's share of a global row, with its constant.
    pub fn local(&self, row: &[S]) -> Vec<S> {
        std::iter::once(&row[0]).chain(self.columns.iter().map(|&column| &row[column])).cloned().collect()
    }

    pub fn global(&self, row: &[S], width: usize) -> Vec<S> {
        let mut result = vec![S::ZERO; width];
        result[0] = row[0].clone();
        self.columns.iter().zip(&row[1..]).for_each(|(&column, value)| result[column] = value.clone());
        result
    }

    pub fn touches(&self, row: &[S]) -> bool {
        self.columns.iter().any(|&column| !row[column].is_zero())
    }

    /// The independent parts, if both sides are known and there are several.
    pub fn split(&self) -> Limited<Option<Vec<Self>>> {
        let Some(pair) = self.cone.known().filter(|_| self.cone.may_split()) else { return Ok(None) };
        let groups =
            super::columns::components(pair.width(), pair.facets().map(|row| support(row).collect()));
        if groups.len() == 1 && groups[0].len() == self.columns.len() {
            return Ok(None);
        }
        let parts = pair.clone().parts()?.into_iter();
        Ok(Some(parts.map(|(columns, pair)| Self::new(self.named(&columns), pair)).collect()))
    }

    fn named(&self, local: &[usize]) -> Vec<usize> {
        local.iter().map(|&column| self.columns[column - 1]).collect()
    }

    /// Whether both are known to be the same, without converting.
    pub fn is_known_same(&self, other: &Self) -> bool {
        if self.columns != other.columns {
            return false;
        }
        if Arc::ptr_eq(&self.cone, &other.cone) {
            return true;
        }
        match (self.cone.known(), other.cone.known()) {
            (Some(a), Some(b)) => {
                a.facets().count() == b.facets().count()
                    && a.facets().all(|row| b.facets().any(|other| row == other))
            }
            _ => false,
        }
    }
}
