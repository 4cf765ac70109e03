//! Boxes: one independent [`Value`] per dimension. No relation between variables is kept.
//!
//! Conditions refine by forward evaluation and backward projection (HC4: Benhamou et al., "Revising
//! hull and box consistency", ICLP 1999), repeated to a bounded local fixpoint.

mod evaluate;
mod linear;
mod refine;
mod values;
mod view;

use std::fmt;

use crate::expr::{Cond, Expr, Var};
use crate::int::Int;
use crate::interval::Thresholds;
use crate::lattice::{Lattice, Widen};
use crate::numeric::NumericState;
use crate::product::Value;
use refine::Empty;
use values::Values;
use view::View;

/// A product of values. Canonical: bottom has no entries at all, else no entry is bottom.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BoxState {
    dimensions: usize,
    values: Option<Values>,
}

impl BoxState {
    /// The box of these values; bottom if one of them is.
    pub fn from_values(values: Vec<Value>) -> Self {
        let dimensions = values.len();
        let bottom = values.iter().any(Value::is_bottom);
        Self { dimensions, values: (!bottom).then(|| Values::from_vec(values)) }
    }

    fn become_bottom(&mut self) {
        self.values = None;
    }

    fn restrict(&mut self, by: impl FnOnce(&mut View<'_>) -> Result<(), Empty>) {
        let Some(values) = &mut self.values else { return };
        let mut view = View::of(values);
        match by(&mut view) {
            Ok(()) => {
                for (index, value) in view.into_changes() {
                    values.set(index, value);
                }
            }
            Err(Empty) => self.become_bottom(),
        }
    }

    fn zip_with(&self, other: &Self, operate: impl Fn(&Value, &Value) -> Value) -> Option<Self> {
        let (left, right) = (self.values.as_ref()?, other.values.as_ref()?);
        debug_assert_eq!(self.dimensions, other.dimensions);
        let mut bottom = false;
        let values = left.zip_with(right, |a, b| {
            let value = operate(a, b);
            bottom |= value.is_bottom();
            value
        });
        Some(if bottom {
            Self::bottom(self.dimensions)
        } else {
            Self { dimensions: self.dimensions, values: Some(values) }
        })
    }
}

impl Lattice for BoxState {
    fn is_bottom(&self) -> bool {
        self.values.is_none()
    }

    /// Exact.
    fn leq(&self, other: &Self) -> bool {
        match (&self.values, &other.values) {
            (None, _) => true,
            (_, None) => false,
            (Some(left), Some(right)) => left.all(right, Value::leq),
        }
    }

    fn join(&self, other: &Self) -> Self {
        match self.zip_with(other, Value::join) {
            Some(joined) => joined,
            None if self.is_bottom() => other.clone(),
            None => self.clone(),
        }
    }

    fn meet(&self, other: &Self) -> Self {
        self.zip_with(other, Value::meet).unwrap_or_else(|| Self::bottom(self.dimensions))
    }
}

impl Widen for BoxState {
    fn widen(&self, other: &Self, thresholds: &Thresholds) -> Self {
        match self.zip_with(other, |a, b| a.widen(b, thresholds)) {
            Some(widened) => widened,
            None if self.is_bottom() => other.clone(),
            None => self.clone(),
        }
    }

    fn narrow(&self, other: &Self) -> Self {
        self.zip_with(other, Value::narrow).unwrap_or_else(|| Self::bottom(self.dimensions))
    }
}

impl NumericState for BoxState {
    fn top(dimensions: usize) -> Self {
        Self { dimensions, values: Some(Values::top(dimensions)) }
    }

    fn bottom(dimensions: usize) -> Self {
        Self { dimensions, values: None }
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn value(&self, expr: &Expr) -> Value {
        match &self.values {
            Some(values) => evaluate::collected_value(&View::of(values), expr),
            None => Value::bottom(),
        }
    }

    fn get(&self, variable: Var) -> Value {
        match &self.values {
            Some(values) => values[variable.0 as usize].clone(),
            None => Value::bottom(),
        }
    }

    fn is_within(&self, other: &Self, variable: Var) -> bool {
        match (&self.values, &other.values) {
            (None, _) => true,
            (_, None) => false,
            (Some(own), Some(others)) => own[variable.0 as usize].leq(&others[variable.0 as usize]),
        }
    }

    fn set(&mut self, variable: Var, value: Value) {
        if value.is_bottom() {
            self.become_bottom();
        } else if let Some(values) = &mut self.values {
            values.set(variable.0 as usize, value);
        }
    }

    /// What divides by zero has no successor, so the divisors that remain are not 0.
    fn assign(&mut self, variable: Var, expr: &Expr) {
        self.restrict(|view| refine::keep_defined(view, expr).map(|_| ()));
        let value = self.value(expr);
        self.set(variable, value);
    }

    fn forget(&mut self, variable: Var) {
        self.set(variable, Value::top());
    }

    fn forget_all(&mut self, variables: &[Var]) {
        let Some(values) = &mut self.values else { return };
        for Var(index) in variables {
            if !values[*index as usize].is_top() {
                values.set(*index as usize, Value::top());
            }
        }
    }

    fn assume(&mut self, cond: &Cond) {
        self.restrict(|view| refine::assume(view, cond, true));
    }

    /// Refutes the condition or its negation, so that `x < 5 || x > 3` is decided as one question.
    fn decide(&self, cond: &Cond) -> Option<bool> {
        let values = self.values.as_ref()?;
        evaluate::decide(&View::of(values), cond)
    }

    fn may_be_undefined(&self, cond: &Cond) -> bool {
        match &self.values {
            Some(values) => evaluate::cond_may_be_undefined(&View::of(values), cond),
            None => false,
        }
    }

    fn resize(&mut self, dimensions: usize) {
        self.dimensions = dimensions;
        if let Some(values) = &mut self.values {
            values.resize(dimensions);
        }
    }

    /// Any choice of members is a point of a box.
    fn sample(&self) -> Option<Vec<Int>> {
        self.values.as_ref()?.iter().map(Value::witness).collect()
    }

    fn contains(&self, point: &[Int]) -> bool {
        self.values.as_ref().is_some_and(|values| {
            values.len() == point.len() && values.iter().zip(point).all(|(value, at)| value.contains(at))
        })
    }
}

impl fmt::Display for BoxState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(values) = &self.values else {
            return f.write_str("⊥");
        };
        let shown: Vec<String> = values.iter().map(Value::to_string).collect();
        write!(f, "({})", shown.join(", "))
    }
}

impl fmt::Debug for BoxState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
