//! Closed convex polyhedra over exact rationals, tightened for integers.
//!
//! Equalities define variables, and what inequalities relate forms independent blocks, each known by
//! its constraints, its generators or both ([`parts`], [`block`], [`pair`]). Rounding to integers
//! cuts facets, not vertices: an element may be inhabited by rational points only. The order is that
//! of rational inclusion, so joins and widenings do not round; everything that may shrink does.

mod affine;
mod bits;
mod block;
mod certified;
mod columns;
mod guide;
mod join;
mod order;
mod pair;
mod parts;
mod point;
mod rows;
mod scalar;
mod template;
mod transfer;
mod widen;
mod width;

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::expr::Var;
use crate::int::Int;
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::LinearExpr;
use crate::relation::{Constraint, ConstraintKind, Relation};
use parts::{Parts, Rounding, Stop};
use scalar::{Limited, Scalar};
use width::{Body, widths};

/// A convex set of points of so many variables.
#[derive(Clone)]
pub struct Polyhedron {
    dimensions: usize,
    /// `None` is empty.
    body: Option<Body>,
    degraded: bool,
}

impl Polyhedron {
    /// An integer point, if one is found at a vertex of each block.
    pub fn integer_point(&self) -> Option<Vec<Int>> {
        let body = self.body.as_ref()?;
        let point = widths!(S => body.at::<S>()?.integer_point()).unwrap_or(None)?;
        self.contains(&point).then_some(point)
    }

    /// A widening at or below the standard one, more precise and more expensive. Chains stop, but
    /// not if thresholds are mixed in.
    pub fn widen_closely(&self, newer: &Self) -> Self {
        let (Some(left), Some(right)) = (&self.body, &newer.body) else { return self.join(newer) };
        let result = widths!(S => left.at::<S>()?.certified_widening(&*right.at::<S>()?).map(Body::from));
        let mut widened = Self { degraded: self.is_degraded() || newer.is_degraded(), ..self.clone() };
        widened.become_result(result, |this| Self::top(this.dimensions));
        widened
    }

    fn width(&self) -> usize {
        self.dimensions + 1
    }

    fn with(&self, body: Option<Body>) -> Self {
        let degraded = self.is_degraded() || body.as_ref().is_some_and(Body::is_degraded);
        Self { dimensions: self.dimensions, body, degraded }
    }

    /// What an operation made of the body; where nothing was within the limits, what is left.
    fn become_result(&mut self, result: Result<Body, Stop>, otherwise: impl FnOnce(&Self) -> Self) {
        *self = match result {
            Ok(body) => self.with(Some(body)),
            Err(Stop::Empty) => self.with(None),
            Err(Stop::Limit(_)) => Self { degraded: true, ..otherwise(self) },
        };
    }

    fn keep(&mut self, rows: &[(ConstraintKind, &LinearExpr)]) {
        let Some(body) = &self.body else { return };
        let width = self.width();
        let result = widths!(S => {
            let mut parts = body.at::<S>()?.into_owned();
            let mut dense = Vec::with_capacity(rows.len());
            for (kind, form) in rows {
                match dense_row::<S>(width, form) {
                    Ok(row) => dense.push((*kind, row)),
                    Err(limit) if limit.is_final::<S>() => parts.degraded = true,
                    Err(limit) => return Err(limit.into()),
                }
            }
            parts.constrain(dense, Rounding::Integer).map(|()| Body::from(parts))
        });
        self.become_result(result, Self::clone);
    }
}

fn dense_row<S: Scalar>(width: usize, form: &LinearExpr) -> Limited<Vec<S>> {
    let mut row = vec![S::ZERO; width];
    row[0] = S::from_int(form.offset())?;
    for (variable, factor) in form.terms() {
        row[column(*variable)] = S::from_int(factor)?;
    }
    Ok(row)
}

fn column(variable: Var) -> usize {
    variable.0 as usize + 1
}

fn sparse_form<S: Scalar>(row: &[S]) -> LinearExpr {
    let terms = row.iter().enumerate().skip(1).filter(|(_, value)| !value.is_zero());
    let terms = terms.map(|(column, value)| (Var(column as u32 - 1), value.to_int()));
    LinearExpr::from_terms(terms, row[0].to_int())
}

impl Lattice for Polyhedron {
    fn is_bottom(&self) -> bool {
        self.body.is_none()
    }

    /// Exact on rational points.
    fn leq(&self, other: &Self) -> bool {
        match (&self.body, &other.body) {
            (None, _) => true,
            (_, None) => false,
            (Some(left), Some(right)) => {
                widths!(S => left.at::<S>()?.leq(&*right.at::<S>()?).map_err(Stop::from)).unwrap_or(false)
            }
        }
    }

    fn join(&self, other: &Self) -> Self {
        let (left, right) = match (&self.body, &other.body) {
            (None, _) => return Self { degraded: self.degraded || other.is_degraded(), ..other.clone() },
            (_, None) => return Self { degraded: self.is_degraded() || other.degraded, ..self.clone() },
            (Some(left), Some(right)) => (left, right),
        };
        let result = widths!(S => left.at::<S>()?.join(&*right.at::<S>()?).map(Body::from));
        let mut joined = Self { degraded: self.is_degraded() || other.is_degraded(), ..self.clone() };
        joined.become_result(result, |this| Self::top(this.dimensions));
        joined
    }

    fn meet(&self, other: &Self) -> Self {
        let mut met = Self { degraded: self.is_degraded() || other.is_degraded(), ..self.clone() };
        let (Some(left), Some(right)) = (&self.body, &other.body) else {
            met.body = None;
            return met;
        };
        let result = widths!(S => {
            let (mut parts, other) = (left.at::<S>()?.into_owned(), right.at::<S>()?);
            let equalities = other.equalities.rows().iter().map(|row| (ConstraintKind::Zero, row.to_vec()));
            let facets = other.facets()?.into_iter().map(|row| (ConstraintKind::AtLeastZero, row));
            parts.constrain(equalities.chain(facets).collect(), Rounding::Integer).map(|()| Body::from(parts))
        });
        met.become_result(result, Self::clone);
        met
    }
}

impl Relation for Polyhedron {
    fn top(dimensions: usize) -> Self {
        let body = Body::Small(Parts::top(dimensions + 1));
        Self { dimensions, body: Some(body), degraded: false }
    }

    fn bottom(dimensions: usize) -> Self {
        Self { dimensions, body: None, degraded: false }
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn constrain(&mut self, constraints: &[Constraint]) {
        if constraints.iter().any(Constraint::is_absurd) {
            *self = self.with(None);
            return;
        }
        let rows: Vec<_> = constraints.iter().map(|one| (one.kind(), one.form())).collect();
        self.keep(&rows);
    }

    fn assign(&mut self, variable: Var, form: &LinearExpr) {
        let Some(body) = &self.body else { return };
        let width = self.width();
        let result = widths!(S => {
            let mut parts = body.at::<S>()?.into_owned();
            let form = dense_row::<S>(width, form)?;
            parts.assign(column(variable), &form).map(|()| Body::from(parts))
        });
        self.become_result(result, |this| {
            let mut rest = this.clone();
            rest.forget(variable);
            rest
        });
    }

    fn forget(&mut self, variable: Var) {
        let Some(body) = &self.body else { return };
        let result = widths!(S => {
            let mut parts = body.at::<S>()?.into_owned();
            parts.forget(column(variable), Rounding::Integer).map(|()| Body::from(parts))
        });
        self.become_result(result, |this| Self::top(this.dimensions));
    }

    fn bounds(&self, form: &LinearExpr) -> Option<Interval> {
        let body = self.body.as_ref()?;
        let bounds = widths!(S => {
            let form = dense_row::<S>(self.width(), form)?;
            Ok(body.at::<S>()?.bounds(&form)?)
        });
        bounds.unwrap_or(Some(Interval::TOP))
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        let Some(bounds) = self.bounds(constraint.form()) else { return true };
        match constraint.kind() {
            ConstraintKind::Zero => bounds.as_constant().is_some_and(Int::is_zero),
            ConstraintKind::AtLeastZero => bounds.low().finite().is_some_and(|low| !low.is_negative()),
        }
    }

    fn constraints(&self) -> Vec<Constraint> {
        let absurd = || vec![Constraint::at_least_zero(LinearExpr::constant(Int::MINUS_ONE))];
        let Some(body) = &self.body else { return absurd() };
        let result = widths!(S => {
            let mut parts = body.at::<S>()?.into_owned();
            parts.round_all()?;
            let mut facets = parts.facets()?;
            facets.sort_unstable_by(|a, b| a[1..].cmp(&b[1..]));
            let equalities = parts.equalities.rows().iter().map(|row| Constraint::zero(sparse_form(row)));
            let facets = facets.iter().map(|row| Constraint::at_least_zero(sparse_form(row)));
            Ok(equalities.chain(facets).collect())
        });
        match result {
            Ok(constraints) => constraints,
            Err(Stop::Empty) => absurd(),
            Err(Stop::Limit(_)) => Vec::new(),
        }
    }

    fn rearranged(&self, from: &[Option<Var>]) -> Self {
        let empty = Self { dimensions: from.len(), body: None, degraded: self.is_degraded() };
        let Some(body) = &self.body else { return empty };
        let mut to = vec![None; self.width()];
        for (index, variable) in from.iter().enumerate() {
            if let Some(variable) = variable {
                to[column(*variable)] = Some(index + 1);
            }
        }
        let result = widths!(S => {
            let mut parts = body.at::<S>()?.into_owned();
            for column in (1..to.len()).filter(|&column| to[column].is_none()) {
                parts.forget(column, Rounding::Integer)?;
            }
            let to: Vec<usize> = to.iter().map(|column| column.unwrap_or(0)).collect();
            parts.renamed(from.len() + 1, &to).map(Body::from)
        });
        let mut renamed = empty;
        renamed.become_result(result, |this| Self::top(this.dimensions));
        renamed
    }

    fn widen(&self, newer: &Self, thresholds: &[Constraint]) -> Self {
        let (left, right) = match (&self.body, &newer.body) {
            (None, _) | (_, None) => return self.join(newer),
            (Some(left), Some(right)) => (left, right),
        };
        let thresholds: Vec<Constraint> = thresholds.iter().flat_map(Constraint::inequalities).collect();
        let result = widths!(S => {
            let rows = thresholds.iter().map(|one| Ok((one.kind(), dense_row::<S>(self.width(), one.form())?)));
            let rows = rows.collect::<Limited<Vec<_>>>()?;
            left.at::<S>()?.widen(&*right.at::<S>()?, &rows).map(Body::from)
        });
        let mut widened = Self { degraded: self.is_degraded() || newer.is_degraded(), ..self.clone() };
        widened.become_result(result, |this| Self::top(this.dimensions));
        widened
    }

    fn narrow(&self, smaller: &Self) -> Self {
        let (Some(left), Some(right)) = (&self.body, &smaller.body) else {
            return Self {
                body: None,
                degraded: self.is_degraded() || smaller.is_degraded(),
                ..self.clone()
            };
        };
        let result = widths!(S => left.at::<S>()?.narrow(&*right.at::<S>()?).map(Body::from));
        let mut narrowed = Self { degraded: self.is_degraded() || smaller.is_degraded(), ..self.clone() };
        narrowed.become_result(result, Self::clone);
        narrowed
    }

    fn contains(&self, point: &[Int]) -> bool {
        let Some(body) = &self.body else { return false };
        widths!(S => Ok(body.at::<S>()?.contains(point)?)).unwrap_or(true)
    }

    fn is_degraded(&self) -> bool {
        self.degraded || self.body.as_ref().is_some_and(Body::is_degraded)
    }
}

impl PartialEq for Polyhedron {
    fn eq(&self, other: &Self) -> bool {
        self.dimensions == other.dimensions
            && match (&self.body, &other.body) {
                (None, None) => true,
                (Some(left), Some(right)) => {
                    widths!(S => Ok(left.at::<S>()?.is_same(&*right.at::<S>()?)?)).unwrap_or(false)
                }
                _ => false,
            }
    }
}

impl Eq for Polyhedron {}

impl Hash for Polyhedron {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.dimensions.hash(state);
        if let Some(body) = &self.body {
            widths!(S => Ok(body.at::<S>()?.hash_rows()?)).unwrap_or(0).hash(state);
        }
    }
}

impl fmt::Display for Polyhedron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_bottom() {
            return f.write_str("⊥");
        }
        let shown: Vec<String> = self.constraints().iter().map(Constraint::to_string).collect();
        write!(f, "{{{}}}", shown.join(", "))
    }
}

impl fmt::Debug for Polyhedron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
