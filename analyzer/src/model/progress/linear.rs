//! Linear expressions over slots, with exact coefficients.

use std::collections::BTreeMap;

use kleene_domains::{BinaryOp, Expr, Int, Var};

/// Σ factor·slot + constant; no factor is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    factors: BTreeMap<Var, Int>,
    constant: Int,
}

impl Linear {
    pub fn constant(value: Int) -> Self {
        Self { factors: BTreeMap::new(), constant: value }
    }

    pub fn variable(slot: Var) -> Self {
        Self { factors: BTreeMap::from([(slot, Int::ONE)]), constant: Int::ZERO }
    }

    /// The expression, if it is linear as written.
    pub fn of(expr: &Expr) -> Option<Self> {
        Some(match expr {
            Expr::Constant(value) => Self::constant(value.clone()),
            Expr::Variable(slot) => Self::variable(*slot),
            Expr::Negate(inner) => Self::of(inner)?.negated(),
            Expr::Binary(BinaryOp::Add, left, right) => Self::of(left)?.minus(&Self::of(right)?.negated()),
            Expr::Binary(BinaryOp::Sub, left, right) => Self::of(left)?.minus(&Self::of(right)?),
            Expr::Binary(BinaryOp::Mul, left, right) => {
                let (left, right) = (Self::of(left)?, Self::of(right)?);
                if left.is_constant() {
                    right.times(&left.constant)
                } else if right.is_constant() {
                    left.times(&right.constant)
                } else {
                    return None;
                }
            }
            _ => return None,
        })
    }

    pub fn is_constant(&self) -> bool {
        self.factors.is_empty()
    }

    pub fn factor(&self, slot: Var) -> Option<&Int> {
        self.factors.get(&slot)
    }

    pub fn variables(&self) -> impl Iterator<Item = Var> {
        self.factors.keys().copied()
    }

    pub fn times(&self, factor: &Int) -> Self {
        if factor.is_zero() {
            return Self::constant(Int::ZERO);
        }
        let factors = self.factors.iter().map(|(slot, own)| (*slot, own * factor)).collect();
        Self { factors, constant: &self.constant * factor }
    }

    pub fn negated(&self) -> Self {
        self.times(&Int::MINUS_ONE)
    }

    pub fn minus(&self, other: &Self) -> Self {
        let mut factors = self.factors.clone();
        for (slot, factor) in &other.factors {
            let own = factors.entry(*slot).or_insert(Int::ZERO);
            *own = &*own - factor;
        }
        factors.retain(|_, factor| !factor.is_zero());
        Self { factors, constant: &self.constant - &other.constant }
    }

    pub fn without_constant(mut self) -> Self {
        self.constant = Int::ZERO;
        self
    }

    pub fn to_expr(&self) -> Expr {
        let mut sum: Option<Expr> = None;
        for (slot, factor) in &self.factors {
            let term = match factor {
                one if *one == Int::ONE => Expr::Variable(*slot),
                factor => Expr::binary(BinaryOp::Mul, Expr::Constant(factor.clone()), Expr::Variable(*slot)),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => Expr::binary(BinaryOp::Add, sum, term),
            });
        }
        match sum {
            None => Expr::Constant(self.constant.clone()),
            Some(sum) if self.constant.is_zero() => sum,
            Some(sum) => Expr::binary(BinaryOp::Add, sum, Expr::Constant(self.constant.clone())),
        }
    }
}
