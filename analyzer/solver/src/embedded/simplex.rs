//! The general simplex of Dutertre and de Moura (CAV 2006) on exact fractions: variables with bounds,
//! some of them defined as sums of others, and an explanation for every contradiction.
//!
//! Bounds are integers, so none is strict. Knows nothing of atoms: a bound carries a [`Cause`], and an
//! explanation is the causes of bounds that contradict each other. Integrality is `integer`'s.

use std::cmp::Ordering;

use kleene_domains::{Int, LinearExpr, Var};

use super::rational::Rational;
use crate::budget::Meter;

/// Who set a bound.
pub type Cause = u32;

/// Causes of bounds that no rational values keep.
pub type Explanation = Vec<Cause>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Lower,
    Upper,
}

#[derive(Clone, Debug)]
pub struct Limit {
    pub value: Int,
    pub cause: Cause,
}

/// `basic = sum of factor * variable` over variables that are not basic, sorted.
#[derive(Clone, Debug)]
pub struct Row {
    pub basic: usize,
    pub terms: Vec<(usize, Rational)>,
}

#[derive(Debug, Default)]
pub struct Simplex {
    values: Vec<Rational>,
    lower: Vec<Option<Limit>>,
    upper: Vec<Option<Limit>>,
    row_of: Vec<Option<usize>>,
    rows: Vec<Row>,
    /// The variables defined by forms.
    definitions: Vec<(usize, LinearExpr)>,
    trail: Vec<(usize, Side, Option<Limit>)>,
}

impl Simplex {
    /// A new variable without bounds.
    pub fn variable(&mut self) -> usize {
        self.values.push(Rational::ZERO);
        self.lower.push(None);
        self.upper.push(None);
        self.row_of.push(None);
        self.values.len() - 1
    }

    pub fn variables(&self) -> usize {
        self.values.len()
    }

    /// A new variable that always equals the form (its constant left out).
    pub fn define(&mut self, form: &LinearExpr) -> usize {
        let mut terms = Vec::new();
        for (variable, factor) in form.terms() {
            let (index, factor) = (variable.0 as usize, Rational::integer(factor.clone()));
            terms = match self.row_of[index] {
                Some(row) => combined(&terms, &self.rows[row].terms, &factor),
                None => combined(&terms, &[(index, Rational::integer(Int::ONE))], &factor),
            };
        }
        let basic = self.variable();
        self.definitions.push((basic, form.clone()));
        let row = Row { basic, terms };
        self.values[basic] = self.row_value(&row);
        self.row_of[basic] = Some(self.rows.len());
        self.rows.push(row);
        basic
    }

    fn row_value(&self, row: &Row) -> Rational {
        let products = row.terms.iter().map(|(variable, factor)| factor.times(&self.values[*variable]));
        products.fold(Rational::ZERO, |sum, product| sum.plus(&product))
    }

    pub fn value(&self, variable: usize) -> &Rational {
        &self.values[variable]
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// What every variable is in terms of those that are not defined.
    pub fn meanings(&self) -> Vec<LinearExpr> {
        let mut meanings: Vec<LinearExpr> =
            (0..self.variables()).map(|index| LinearExpr::variable(Var(index as u32))).collect();
        for (variable, form) in &self.definitions {
            meanings[*variable] = form.clone();
        }
        meanings
    }

    pub fn limit(&self, variable: usize, side: Side) -> Option<&Limit> {
        match side {
            Side::Lower => self.lower[variable].as_ref(),
            Side::Upper => self.upper[variable].as_ref(),
        }
    }

    pub fn fixed(&self, variable: usize) -> Option<(&Limit, &Limit)> {
        let (lower, upper) = (self.lower[variable].as_ref()?, self.upper[variable].as_ref()?);
        (lower.value == upper.value).then_some((lower, upper))
    }

    /// How many bounds have been set; [`undo`](Self::undo) goes back to such a mark.
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    pub fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let Some((variable, side, limit)) = self.trail.pop() else { return };
            match side {
                Side::Lower => self.lower[variable] = limit,
                Side::Upper => self.upper[variable] = limit,
            }
        }
    }

    /// Tightens a bound. The values of variables that are not basic keep their bounds always.
    pub fn bound(
        &mut self,
        variable: usize,
        side: Side,
        value: Int,
        cause: Cause,
    ) -> Result<(), Explanation> {
        let (own, other) = match side {
            Side::Lower => (&mut self.lower[variable], &self.upper[variable]),
            Side::Upper => (&mut self.upper[variable], &self.lower[variable]),
        };
        let tighter = |new: &Int, old: &Int| match side {
            Side::Lower => new > old,
            Side::Upper => new < old,
        };
        if own.as_ref().is_some_and(|old| !tighter(&value, &old.value)) {
            return Ok(());
        }
        if let Some(other) = other
            && tighter(&value, &other.value)
        {
            return Err(vec![other.cause, cause]);
        }
        let old = own.replace(Limit { value: value.clone(), cause });
        self.trail.push((variable, side, old));
        let outside = match side {
            Side::Lower => Ordering::Less,
            Side::Upper => Ordering::Greater,
        };
        if self.row_of[variable].is_none() && self.values[variable].against(&value) == outside {
            self.update(variable, Rational::integer(value));
        }
        Ok(())
    }

    /// Gives a variable that is not basic a value; the basic ones follow.
    fn update(&mut self, variable: usize, value: Rational) {
        let change = value.minus(&self.values[variable]);
        for row in &self.rows {
            if let Some(factor) = factor_of(&row.terms, variable) {
                let basic = &mut self.values[row.basic];
                *basic = basic.plus(&factor.times(&change));
            }
        }
        self.values[variable] = value;
    }

    /// Finds rational values within all bounds, or bounds that contradict each other. The smallest
    /// candidate is always taken (Bland's rule), so it ends. `Ok(false)`: the meter ran out.
    pub fn check(&mut self, meter: &Meter) -> Result<bool, Explanation> {
        loop {
            let Some((row, side)) = self.broken() else { return Ok(true) };
            if meter.met().is_some() {
                return Ok(false);
            }
            meter.pivot();
            let basic = self.rows[row].basic;
            let entering = self.rows[row].terms.iter().find(|(variable, factor)| {
                let grows = (side == Side::Lower) == factor.is_positive();
                self.can_move(*variable, if grows { Side::Upper } else { Side::Lower })
            });
            let Some(&(entering, _)) = entering else { return Err(self.explain(row, side)) };
            let bound = self.limit(basic, side).expect("a broken bound is set").value.clone();
            self.pivot(row, entering, Rational::integer(bound));
        }
    }

    /// The row of the smallest basic variable that is out of its bounds.
    fn broken(&self) -> Option<(usize, Side)> {
        let sides = self.rows.iter().enumerate().filter_map(|(index, row)| {
            let value = &self.values[row.basic];
            let below = |limit: &Limit| value.against(&limit.value) == Ordering::Less;
            let above = |limit: &Limit| value.against(&limit.value) == Ordering::Greater;
            if self.lower[row.basic].as_ref().is_some_and(below) {
                return Some((row.basic, index, Side::Lower));
            }
            let broken = self.upper[row.basic].as_ref().is_some_and(above);
            broken.then_some((row.basic, index, Side::Upper))
        });
        sides.min_by_key(|(basic, _, _)| *basic).map(|(_, index, side)| (index, side))
    }

    /// Whether a variable may move toward this bound.
    fn can_move(&self, variable: usize, toward: Side) -> bool {
        let limit = self.limit(variable, toward);
        limit.is_none_or(|limit| self.values[variable].against(&limit.value) != Ordering::Equal)
    }

    /// A row whose basic variable cannot come back to its bound: every other variable is held.
    fn explain(&self, row: usize, side: Side) -> Explanation {
        let row = &self.rows[row];
        let mut causes = vec![self.limit(row.basic, side).expect("a broken bound is set").cause];
        for (variable, factor) in &row.terms {
            let grows = (side == Side::Lower) == factor.is_positive();
            let held = self.limit(*variable, if grows { Side::Upper } else { Side::Lower });
            causes.push(held.expect("a held variable has a bound").cause);
        }
        causes.sort_unstable();
        causes.dedup();
        causes
    }

    /// Exchanges the basic variable of a row, which takes the value, with another of the row.
    fn pivot(&mut self, index: usize, entering: usize, value: Rational) {
        let leaving = self.rows[index].basic;
        let mut terms = std::mem::take(&mut self.rows[index].terms);
        let position =
            terms.iter().position(|(variable, _)| *variable == entering).expect("a term of the row");
        let inverse = terms.remove(position).1.inverted();
        let step = value.minus(&self.values[leaving]).times(&inverse);
        // entering = (leaving - the other terms) / factor
        let back = inverse.negated();
        for (_, factor) in &mut terms {
            *factor = factor.times(&back);
        }
        let place = terms.partition_point(|(variable, _)| *variable < leaving);
        terms.insert(place, (leaving, inverse));
        let moved = self.values[entering].plus(&step);
        self.values[leaving] = value;
        for other in (0..self.rows.len()).filter(|other| *other != index) {
            let row = &mut self.rows[other];
            let Some(factor) = factor_of(&row.terms, entering).cloned() else { continue };
            row.terms.retain(|(variable, _)| *variable != entering);
            row.terms = combined(&row.terms, &terms, &factor);
            let basic = &mut self.values[row.basic];
            *basic = basic.plus(&factor.times(&step));
        }
        self.values[entering] = moved;
        self.row_of[leaving] = None;
        self.row_of[entering] = Some(index);
        self.rows[index] = Row { basic: entering, terms };
    }
}

fn factor_of(terms: &[(usize, Rational)], variable: usize) -> Option<&Rational> {
    let found = terms.binary_search_by_key(&variable, |(variable, _)| *variable);
    found.ok().map(|position| &terms[position].1)
}

/// `left + factor * right`.
fn combined(
    left: &[(usize, Rational)],
    right: &[(usize, Rational)],
    factor: &Rational,
) -> Vec<(usize, Rational)> {
    let mut sum = Vec::with_capacity(left.len() + right.len());
    let mut rest = left;
    for (variable, by) in right {
        let smaller = rest.partition_point(|(other, _)| other < variable);
        sum.extend_from_slice(&rest[..smaller]);
        rest = &rest[smaller..];
        let mut total = by.times(factor);
        if let Some((other, already)) = rest.first()
            && other == variable
        {
            total = total.plus(already);
            rest = &rest[1..];
        }
        if !total.is_zero() {
            sum.push((*variable, total));
        }
    }
    sum.extend_from_slice(rest);
    sum
}
