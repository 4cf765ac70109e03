//! The contract of a relational domain: linear constraints over a few integer variables.
//!
//! γ is a set of *integer* points; a domain may work on rationals inside as long as no integer point
//! is lost. Octagons and polyhedra keep it, and so can a foreign library. What a program's variables
//! are, how expressions become linear forms and which variables share a relation is decided above.

use std::fmt;
use std::hash::Hash;

use crate::expr::{CompareOp, Var};
use crate::int::Int;
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::LinearExpr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstraintKind {
    Zero,
    AtLeastZero,
}

/// A linear form that is zero, or at least zero.
///
/// Tight: the factors have no common divisor, so the bounding hyperplane of an inequality touches
/// integer points. An equality's first factor is positive. Constraints with the same integer
/// solutions are equal, as far as these rules can tell.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Constraint {
    kind: ConstraintKind,
    form: LinearExpr,
}

impl Constraint {
    /// `form >= 0`.
    pub fn at_least_zero(form: LinearExpr) -> Self {
        let divisor = form.divisor();
        let form = if divisor > Int::ONE { form.divided(&divisor) } else { form };
        Self { kind: ConstraintKind::AtLeastZero, form }
    }

    /// `form == 0`. Without an integer solution it becomes `-1 == 0`.
    pub fn zero(form: LinearExpr) -> Self {
        let Some((_, first)) = form.terms().first() else {
            let constant = if form.offset().is_zero() { Int::ZERO } else { Int::MINUS_ONE };
            return Self { kind: ConstraintKind::Zero, form: LinearExpr::constant(constant) };
        };
        let form = if first.is_negative() { form.scaled(&Int::MINUS_ONE) } else { form };
        let divisor = form.divisor();
        let form = if divisor.is_one() {
            form
        } else if divisor.divides(form.offset()) {
            form.divided(&divisor)
        } else {
            LinearExpr::constant(Int::MINUS_ONE)
        };
        Self { kind: ConstraintKind::Zero, form }
    }

    /// `left op right`; `None` for `!=`, which is no convex set.
    pub fn compare(op: CompareOp, left: &LinearExpr, right: &LinearExpr) -> Option<Self> {
        let one = LinearExpr::constant(Int::ONE);
        match op {
            CompareOp::Equal => Some(Self::zero(left.minus(right))),
            CompareOp::NotEqual => None,
            CompareOp::LessEqual => Some(Self::at_least_zero(right.minus(left))),
            CompareOp::Less => Some(Self::at_least_zero(right.minus(left).minus(&one))),
            CompareOp::GreaterEqual => Some(Self::at_least_zero(left.minus(right))),
            CompareOp::Greater => Some(Self::at_least_zero(left.minus(right).minus(&one))),
        }
    }

    pub fn kind(&self) -> ConstraintKind {
        self.kind
    }

    pub fn form(&self) -> &LinearExpr {
        &self.form
    }

    pub fn is_equality(&self) -> bool {
        self.kind == ConstraintKind::Zero
    }

    /// Every point satisfies it: no variable occurs and the constant is right.
    pub fn is_trivial(&self) -> bool {
        self.form.as_constant().is_some_and(|constant| self.accepts(constant))
    }

    /// No point satisfies it: no variable occurs and the constant is wrong.
    pub fn is_absurd(&self) -> bool {
        self.form.as_constant().is_some_and(|constant| !self.accepts(constant))
    }

    pub fn holds(&self, point: &[Int]) -> bool {
        self.accepts(&self.form.at(point))
    }

    fn accepts(&self, value: &Int) -> bool {
        match self.kind {
            ConstraintKind::Zero => value.is_zero(),
            ConstraintKind::AtLeastZero => !value.is_negative(),
        }
    }

    /// The inequalities that say the same: one, or two for an equality.
    pub fn inequalities(&self) -> impl Iterator<Item = Self> {
        let opposite = self.is_equality().then(|| Self::at_least_zero(self.form.scaled(&Int::MINUS_ONE)));
        std::iter::once(Self::at_least_zero(self.form.clone())).chain(opposite)
    }

    /// The integer complement of an inequality: `form < 0`. `None` for an equality.
    pub fn complement(&self) -> Option<Self> {
        let below = || self.form.scaled(&Int::MINUS_ONE).minus(&LinearExpr::constant(Int::ONE));
        (!self.is_equality()).then(|| Self::at_least_zero(below()))
    }

    pub fn variables(&self) -> impl Iterator<Item = Var> {
        self.form.terms().iter().map(|(variable, _)| *variable)
    }

    /// As people write it, with a name for each variable: `2*x >= y + 3`, `x <= 5`.
    pub fn shown(&self, name: impl Fn(Var) -> String) -> String {
        let part = |negative: bool| {
            let terms = self.form.terms().iter().filter(|(_, factor)| factor.is_negative() == negative);
            LinearExpr::from_terms(terms.cloned(), Int::ZERO)
        };
        let (left, right) = (part(false), part(true).scaled(&Int::MINUS_ONE));
        let constant = LinearExpr::constant(self.form.offset().clone());
        let (left, op, right) = match (self.is_equality(), left.terms().is_empty()) {
            (true, _) => (left, "==", right.minus(&constant)),
            (false, false) => (left, ">=", right.minus(&constant)),
            (false, true) => (right, "<=", constant),
        };
        format!("{} {op} {}", left.shown(&name), right.shown(&name))
    }

    /// The same constraint on other dimensions.
    pub fn renamed(&self, to: impl Fn(Var) -> Var) -> Self {
        let form = self.form.renamed(to);
        match self.kind {
            ConstraintKind::Zero => Self::zero(form),
            ConstraintKind::AtLeastZero => Self { kind: self.kind, form },
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(|variable| format!("v{}", variable.0)))
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Binary operations take relations of the same number of dimensions.
///
/// Where a result would grow beyond a domain's limits it keeps fewer constraints instead, and
/// [`Relation::is_degraded`] says so from then on.
pub trait Relation: Lattice + Clone + Eq + Hash + fmt::Display + fmt::Debug {
    /// Every point.
    fn top(dimensions: usize) -> Self;

    /// No point.
    fn bottom(dimensions: usize) -> Self;

    fn dimensions(&self) -> usize;

    /// Keeps every integer point that satisfies all of them. Never grows.
    fn constrain(&mut self, constraints: &[Constraint]);

    /// Keeps p[variable := form(p)] for every point p.
    fn assign(&mut self, variable: Var, form: &LinearExpr);

    /// The variable may have any value.
    fn forget(&mut self, variable: Var);

    /// Contains the value of `form` at every integer point. `None` if γ is empty.
    fn bounds(&self, form: &LinearExpr) -> Option<Interval>;

    /// `true`: every integer point satisfies it.
    fn entails(&self, constraint: &Constraint) -> bool;

    /// Constraints whose integer points are those of γ (or fewer than γ's rational ones, never
    /// fewer integer ones), none implied by the others. An absurd one for bottom.
    fn constraints(&self) -> Vec<Constraint>;

    /// Dimension `i` of the result is dimension `from[i]` of this one, each used at most once;
    /// `None` is a new, unconstrained one. Dimensions not named are projected away.
    fn rearranged(&self, from: &[Option<Var>]) -> Self;

    /// As [`crate::lattice::Widen::widen`]. Where possible, a threshold that both sides satisfy is
    /// kept.
    fn widen(&self, newer: &Self, thresholds: &[Constraint]) -> Self;

    /// As [`crate::lattice::Widen::narrow`].
    fn narrow(&self, smaller: &Self) -> Self;

    fn contains(&self, point: &[Int]) -> bool {
        !self.is_bottom() && self.constraints().iter().all(|constraint| constraint.holds(point))
    }

    /// Whether some operation on the way here gave up constraints for size. No part of equality.
    fn is_degraded(&self) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(x: i64, y: i64, constant: i64) -> LinearExpr {
        LinearExpr::from_terms([(Var(0), Int::from(x)), (Var(1), Int::from(y))], Int::from(constant))
    }

    #[test]
    fn constraints_are_tight() {
        assert_eq!(Constraint::at_least_zero(form(2, 4, -3)).to_string(), "v0 + 2*v1 >= 2");
        assert_eq!(Constraint::at_least_zero(form(-2, 0, 7)).to_string(), "v0 <= 3");
        assert_eq!(Constraint::zero(form(-2, 4, -6)).to_string(), "v0 == 2*v1 - 3");
        assert!(Constraint::zero(form(2, 4, 1)).is_absurd());
        assert!(Constraint::zero(form(0, 0, 3)).is_absurd());
        assert!(Constraint::at_least_zero(form(0, 0, 3)).is_trivial());
    }

    /// Over a grid: what a comparison, its complement and its inequalities accept.
    #[test]
    fn constraints_accept_what_they_say() {
        let (left, right) = (form(2, -3, 1), form(-1, 1, 0));
        let ops = [
            CompareOp::Equal,
            CompareOp::Less,
            CompareOp::LessEqual,
            CompareOp::Greater,
            CompareOp::GreaterEqual,
        ];
        for (x, y) in (-6..=6).flat_map(|x| (-6..=6).map(move |y| (x, y))) {
            let point = [Int::from(x), Int::from(y)];
            for op in ops {
                let constraint = Constraint::compare(op, &left, &right).unwrap();
                let expected = op.holds(&left.at(&point), &right.at(&point));
                assert_eq!(constraint.holds(&point), expected, "{constraint} at {point:?}");
                assert_eq!(constraint.inequalities().all(|part| part.holds(&point)), expected);
                if let Some(complement) = constraint.complement() {
                    assert_eq!(complement.holds(&point), !expected, "not {constraint} at {point:?}");
                }
            }
        }
        assert_eq!(Constraint::compare(CompareOp::NotEqual, &left, &right), None);
    }
}
