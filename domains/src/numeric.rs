//! The contract of a numeric state: what is known of a fixed number of integer variables.
//!
//! γ of a state is a set of points, one integer per dimension. Boxes implement it; relational
//! domains can behind the same trait. Which variable of which program a dimension stands for is the
//! engine's.

use std::hash::Hash;

use crate::expr::{Cond, Expr, Var};
use crate::int::Int;
use crate::lattice::{Lattice, Widen};
use crate::product::Value;

/// Binary operations take states of the same number of dimensions.
pub trait NumericState: Lattice + Widen + Clone + Eq + Hash {
    /// Every point.
    fn top(dimensions: usize) -> Self;

    /// No point.
    fn bottom(dimensions: usize) -> Self;

    fn dimensions(&self) -> usize;

    /// Contains every value that `expr` has at a point of γ where it is defined. Bottom if there is
    /// none.
    fn value(&self, expr: &Expr) -> Value;

    /// `value` of a single variable.
    fn get(&self, variable: Var) -> Value;

    /// Whether no value of the variable is possible here that is not possible there.
    fn is_within(&self, other: &Self, variable: Var) -> bool {
        self.get(variable).leq(&other.get(variable))
    }

    /// Forgets the variable, then restricts it to `value`. A bottom value makes the state bottom.
    fn set(&mut self, variable: Var, value: Value);

    /// Keeps p[variable := expr(p)] for every p of γ at which `expr` is defined.
    fn assign(&mut self, variable: Var, expr: &Expr);

    /// The variable may have any value.
    fn forget(&mut self, variable: Var);

    /// Forgets several variables, most of which may be unconstrained already.
    fn forget_all(&mut self, variables: &[Var]) {
        variables.iter().for_each(|variable| self.forget(*variable));
    }

    /// Keeps every point at which `cond` evaluates, with short circuit, to true. Never grows.
    fn assume(&mut self, cond: &Cond);

    /// `Some(b)`: at every point of γ `cond` is defined and evaluates to `b`. `None`: not known, or
    /// γ is empty, or `cond` may be undefined.
    fn decide(&self, cond: &Cond) -> Option<bool>;

    /// `false`: evaluating `cond` divides by zero at no point of γ.
    fn may_be_undefined(&self, cond: &Cond) -> bool;

    /// Adds unconstrained dimensions at the end, or drops the last ones.
    fn resize(&mut self, dimensions: usize);

    /// A point that is proven to be in γ; `None` if none was found.
    fn sample(&self) -> Option<Vec<Int>>;

    /// Whether the point is in γ.
    fn contains(&self, point: &[Int]) -> bool;
}
