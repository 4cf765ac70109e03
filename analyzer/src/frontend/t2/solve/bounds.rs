//! Bounds of one drawn value, as expressions.

use kleene_domains::expr::{BinaryOp, CompareOp, Var};
use kleene_domains::int::Int;
use kleene_domains::linear::LinearExpr;

use super::super::super::arith;
use super::super::forms::{Constraint, Forms};
use crate::ir::Expr;

/// `factor * value` is at least, or at most, `form`; the factor is positive.
#[derive(Clone, Debug)]
pub struct Bound {
    pub factor: Int,
    pub form: LinearExpr,
}

/// All that is known of one value, beside what is not about it.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    pub low: Vec<Bound>,
    pub high: Vec<Bound>,
    pub different: usize,
    pub others: Vec<Constraint>,
}

impl Bounds {
    /// Splits constraints by what they say of the symbol. None of them is an equation about it.
    pub fn of(symbol: Var, constraints: &[Constraint]) -> Self {
        let mut bounds = Self::default();
        for constraint in constraints {
            let form = constraint.form();
            let factor = form.factor(symbol);
            let rest = || form.substituted(symbol, &LinearExpr::constant(Int::ZERO));
            match (constraint, factor.signum()) {
                (_, 0) => bounds.others.push(constraint.clone()),
                (Constraint::AtLeastZero(_), 1) => {
                    bounds.low.push(Bound { factor, form: rest().scaled(&Int::MINUS_ONE) });
                }
                (Constraint::AtLeastZero(_), _) => {
                    bounds.high.push(Bound { factor: factor.abs(), form: rest() });
                }
                _ => bounds.different += 1,
            }
        }
        bounds
    }

    /// Whether a pair of bounds has to be rounded although something drawn is left in it.
    pub fn is_exact(&self) -> bool {
        let rough = |bound: &&Bound| !bound.factor.is_one();
        let drawn = |bound: &Bound| Constraint::Zero(bound.form.clone()).reads_drawn();
        let (low, high): (Vec<_>, Vec<_>) =
            (self.low.iter().filter(rough).collect(), self.high.iter().filter(rough).collect());
        low.is_empty() || high.is_empty() || !low.into_iter().chain(high).any(drawn)
    }

    pub fn pairs(&self) -> usize {
        self.low.len() * self.high.len()
    }

    /// The least value allowed.
    pub fn lowest(&self, forms: &Forms) -> Option<Expr> {
        let values = self.low.iter().map(|bound| bound.rounded_up(forms));
        values.reduce(|a, b| arith::binary(BinaryOp::Max, a, b))
    }

    /// The greatest value allowed.
    pub fn highest(&self, forms: &Forms) -> Option<Expr> {
        let values = self.high.iter().map(|bound| bound.rounded_down(forms));
        values.reduce(|a, b| arith::binary(BinaryOp::Min, a, b))
    }
}

impl Bound {
    pub fn rounded_up(&self, forms: &Forms) -> Expr {
        // ⌈a/b⌉ = -⌊-a/b⌋
        match self.factor.is_one() {
            true => forms.expr(&self.form),
            false => {
                let negated = Self { factor: self.factor.clone(), form: self.form.scaled(&Int::MINUS_ONE) };
                arith::negate(negated.rounded_down(forms))
            }
        }
    }

    pub fn rounded_down(&self, forms: &Forms) -> Expr {
        let value = forms.expr(&self.form);
        if self.factor.is_one() {
            return value;
        }
        let by = Expr::Constant(self.factor.clone());
        let divide = |value: Expr| arith::binary(BinaryOp::Div, value, by.clone());
        // Division truncates: below 0 it would round up.
        let step = Expr::Constant(&self.factor - &Int::ONE);
        let below = divide(arith::binary(BinaryOp::Sub, value.clone(), step));
        let negative = arith::compare(CompareOp::Less, value.clone(), arith::constant(0));
        arith::choose(negative, below, divide(value))
    }
}
