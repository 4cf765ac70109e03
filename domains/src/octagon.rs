//! Octagons: constraints `±x ± y <= c` over the integers.
//!
//! Exact for such constraints, for assignments of the form `x := ±y + c`, and for bounds of sums of
//! two variables: the matrices are tightly closed, so every bound is attained at an integer point.
//! Of longer linear forms they know what pairs of variables and intervals tell.

mod blocks;
mod combine;
mod half;
mod linear;
mod matrix;
mod reduce;
mod weight;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::expr::Var;
use crate::int::Int;
use crate::interval::{Bound, Interval, MAX_BOUND_BITS};
use crate::lattice::Lattice;
use crate::linear::LinearExpr;
use crate::relation::{Constraint, Relation};
use blocks::{Block, Blocks, minus, plus, signed, split, variable_of};
use half::Empty;
use linear::Inequality;
use matrix::Combine;

/// How often constraints that are not octagonal are read again after one of them helped.
const ROUNDS: usize = 3;

/// A conjunction of octagonal constraints. Canonical: equal sets of integer points are equal.
#[derive(Clone)]
pub struct Octagon {
    dimensions: usize,
    /// `None` for bottom.
    blocks: Option<Blocks>,
    /// What the next widening compares with. Same points, no part of equality.
    widened: Option<Blocks>,
    degraded: bool,
}

impl PartialEq for Octagon {
    fn eq(&self, other: &Self) -> bool {
        self.dimensions == other.dimensions && self.blocks == other.blocks
    }
}

impl Eq for Octagon {}

impl Hash for Octagon {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.dimensions.hash(hasher);
        self.blocks.hash(hasher);
    }
}

impl Octagon {
    fn of(dimensions: usize, blocks: Result<Blocks, Empty>) -> Self {
        Self { dimensions, blocks: blocks.ok(), widened: None, degraded: false }
    }

    fn degraded_as(self, one: &Self, other: &Self) -> Self {
        Self { degraded: one.degraded || other.degraded, ..self }
    }

    /// Applies a change to the blocks, if there is a point left.
    fn change(&mut self, change: impl FnOnce(&mut Blocks) -> Result<(), Empty>) {
        self.widened = None;
        if let Some(blocks) = &mut self.blocks
            && change(blocks).is_err()
        {
            self.blocks = None;
        }
    }

    /// Whether numbers this long are refused.
    fn refuses(&mut self, form: &LinearExpr) -> bool {
        let factors = form.terms().iter().map(|(_, factor)| factor);
        let refused = factors.chain([form.offset()]).any(|number| number.bits() > MAX_BOUND_BITS);
        self.degraded |= refused;
        refused
    }

    fn admitted(&mut self, inequalities: Vec<Inequality>) -> Vec<Inequality> {
        let (refused, admitted): (Vec<_>, Vec<_>) =
            inequalities.into_iter().partition(Inequality::is_too_long);
        self.degraded |= !refused.is_empty();
        admitted
    }

    fn constrain_one(&mut self, known: &Inequality) {
        self.change(|blocks| {
            if known.is_kept_by(blocks) {
                return Ok(());
            }
            blocks.rework([variable_of(known.a), variable_of(known.b)], |matrix, variables| {
                matrix.constrain(place(variables, known.a), place(variables, known.b), &known.bound)
            })
        });
    }

    /// `form >= 0`. Answers whether something was learnt that may help other constraints.
    fn constrain_long(&mut self, form: &LinearExpr) -> bool {
        let Some(blocks) = &self.blocks else { return false };
        let consequences = linear::consequences(blocks, form);
        let consequences = self.admitted(consequences);
        consequences.iter().for_each(|known| self.constrain_one(known));
        !consequences.is_empty()
    }

    fn assign_sum(&mut self, variable: Var, form: &LinearExpr) {
        let Some(blocks) = &self.blocks else { return };
        let effects = linear::effects(blocks, variable, form);
        let effects = self.admitted(effects);
        self.forget(variable);
        if effects.is_empty() {
            return;
        }
        let touched: Vec<Var> =
            effects.iter().flat_map(|known| [known.a, known.b]).map(variable_of).collect();
        self.change(|blocks| {
            blocks.rework(touched, |matrix, variables| {
                for known in &effects {
                    matrix.note(place(variables, known.a), place(variables, known.b), &known.bound);
                }
                matrix.close_variable(place(variables, plus(variable)) / 2)
            })
        });
    }
}

/// The side of a matrix over these variables.
fn place(variables: &[Var], side: usize) -> usize {
    2 * variables.binary_search(&variable_of(side)).expect("one of the variables") + side % 2
}

impl Lattice for Octagon {
    fn is_bottom(&self) -> bool {
        self.blocks.is_none()
    }

    /// Exact.
    fn leq(&self, other: &Self) -> bool {
        match (&self.blocks, &other.blocks) {
            (None, _) => true,
            (_, None) => false,
            (Some(left), Some(right)) => combine::leq(left, right),
        }
    }

    /// The least octagon above both.
    fn join(&self, other: &Self) -> Self {
        let joined = match (&self.blocks, &other.blocks) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(left), Some(right)) => {
                Self::of(self.dimensions, combine::combined(left, right, Combine::Join))
            }
        };
        joined.degraded_as(self, other)
    }

    /// Exact.
    fn meet(&self, other: &Self) -> Self {
        let blocks = match (&self.blocks, &other.blocks) {
            (Some(left), Some(right)) => combine::combined(left, right, Combine::Meet),
            _ => Err(Empty),
        };
        Self::of(self.dimensions, blocks).degraded_as(self, other)
    }
}

impl Relation for Octagon {
    fn top(dimensions: usize) -> Self {
        Self::of(dimensions, Ok(Blocks::new(dimensions, Vec::new())))
    }

    fn bottom(dimensions: usize) -> Self {
        Self::of(dimensions, Err(Empty))
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Exact for octagonal constraints, which are taken first.
    fn constrain(&mut self, constraints: &[Constraint]) {
        let mut long = Vec::new();
        for constraint in constraints.iter().flat_map(Constraint::inequalities) {
            if constraint.is_absurd() {
                self.change(|_| Err(Empty));
            } else if self.refuses(constraint.form()) {
                continue;
            } else if let Some(known) = linear::as_octagonal(constraint.form()) {
                self.constrain_one(&known);
            } else if !constraint.is_trivial() {
                long.push(constraint);
            }
        }
        for _ in 0..ROUNDS {
            let learnt = long.iter().filter(|constraint| self.constrain_long(constraint.form())).count();
            if learnt == 0 {
                break;
            }
        }
    }

    /// Exact for `±y + c`, whether or not y is the variable.
    fn assign(&mut self, variable: Var, form: &LinearExpr) {
        if self.refuses(form) {
            return self.forget(variable);
        }
        match form.terms() {
            [(of, factor)] if factor.abs().is_one() => self.change(|blocks| {
                blocks.redefine(variable, *of, |matrix, place| {
                    if factor.is_negative() {
                        matrix.negate(place);
                    }
                    matrix.shift(place, form.offset());
                });
                Ok(())
            }),
            _ => self.assign_sum(variable, form),
        }
    }

    /// Exact.
    fn forget(&mut self, variable: Var) {
        self.change(|blocks| {
            blocks.forget(variable);
            Ok(())
        });
    }

    /// Exact for a multiple of one variable and for sums and differences of two.
    fn bounds(&self, form: &LinearExpr) -> Option<Interval> {
        self.blocks.as_ref().map(|blocks| linear::bounds(blocks, form))
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        let Some(bounds) = self.bounds(constraint.form()) else { return true };
        let zero = Bound::Finite(Int::ZERO);
        *bounds.low() >= zero && (!constraint.is_equality() || *bounds.high() <= zero)
    }

    fn constraints(&self) -> Vec<Constraint> {
        match &self.blocks {
            Some(blocks) => blocks.iter().flat_map(|block| reduce::constraints(block)).collect(),
            None => vec![Constraint::at_least_zero(LinearExpr::constant(Int::MINUS_ONE))],
        }
    }

    fn rearranged(&self, from: &[Option<Var>]) -> Self {
        let blocks = self.blocks.as_ref().map(|blocks| {
            let renamed = blocks.iter().flat_map(|block| {
                let kept =
                    (0..from.len()).filter(|to| from[*to].is_some_and(|old| block.variables.contains(&old)));
                let (to, old): (Vec<Var>, Vec<Var>) =
                    kept.filter_map(|to| Some((Var(to as u32), from[to]?))).unzip();
                split(&to, blocks.gather(&old))
            });
            Blocks::new(from.len(), renamed.collect())
        });
        Self { degraded: self.degraded, ..Self::of(from.len(), blocks.ok_or(Empty)) }
    }

    /// Octagonal thresholds are kept, others not. Chains stop as long as each element is the result
    /// of the last step, or a clone of it, and the thresholds do not change for ever.
    fn widen(&self, newer: &Self, thresholds: &[Constraint]) -> Self {
        let joined = self.join(newer);
        let (Some(blocks), Some(above)) = (&self.blocks, &joined.blocks) else { return joined };
        if joined == *self {
            return self.clone().degraded_as(self, newer);
        }
        let octagonal = thresholds.iter().flat_map(Constraint::inequalities);
        let octagonal = octagonal.filter_map(|threshold| linear::as_octagonal(threshold.form()));
        let kept: Vec<Inequality> =
            octagonal.filter(|known| !known.is_too_long() && known.is_kept_by(above)).collect();
        let widened = combine::widened(self.widened.as_ref().unwrap_or(blocks), above, &kept);
        let closed = Self::of(self.dimensions, combine::closed(&widened));
        Self { widened: Some(widened), ..closed }.degraded_as(self, newer)
    }

    fn narrow(&self, smaller: &Self) -> Self {
        let narrowed = match (&self.blocks, &smaller.blocks) {
            (Some(left), Some(right)) => match combine::combined(left, right, Combine::Narrow) {
                Ok(blocks) => Self::of(self.dimensions, Ok(blocks)),
                // Out of contract: keep what is sound.
                Err(Empty) => self.clone(),
            },
            _ => Self::bottom(self.dimensions),
        };
        narrowed.degraded_as(self, smaller)
    }

    fn contains(&self, point: &[Int]) -> bool {
        let value = |side: usize| signed(side, &point[side / 2]);
        let holds = |block: &Arc<Block>| {
            let sides: Vec<usize> =
                block.variables.iter().flat_map(|variable| [plus(*variable), minus(*variable)]).collect();
            let mut pairs = (0..sides.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
            pairs.all(|(i, j)| Bound::Finite(value(sides[i]) + value(sides[j])) <= block.matrix.at(i, j))
        };
        self.blocks.as_ref().is_some_and(|blocks| blocks.iter().all(holds))
    }

    fn is_degraded(&self) -> bool {
        self.degraded
    }
}

impl fmt::Display for Octagon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_bottom() {
            return f.write_str("⊥");
        }
        let shown: Vec<String> = self.constraints().iter().map(Constraint::to_string).collect();
        write!(f, "{{{}}}", shown.join(", "))
    }
}

impl fmt::Debug for Octagon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
