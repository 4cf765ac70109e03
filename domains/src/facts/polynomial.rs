//! Sums of products of variables, multiplied out and sorted: one way of writing each polynomial.

use std::collections::BTreeMap;

use crate::expr::{BinaryOp, Expr, Var};
use crate::int::Int;

/// Larger ones are left as they are written.
const MOST_TERMS: usize = 24;
const HIGHEST_DEGREE: usize = 4;

/// The factor of each product of variables, none of them 0; the empty product is the constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial(BTreeMap<Vec<Var>, Int>);

impl Polynomial {
    /// `None` if the expression is no polynomial, or too large a one.
    pub fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Constant(value) => Some(Self::term(Vec::new(), value.clone())),
            Expr::Variable(variable) => Some(Self::term(vec![*variable], Int::ONE)),
            Expr::Negate(inner) => Some(Self::of(inner)?.scaled(&Int::MINUS_ONE)),
            Expr::Binary(BinaryOp::Add, left, right) => Self::of(left)?.plus(&Self::of(right)?),
            Expr::Binary(BinaryOp::Sub, left, right) => Self::of(left)?.minus(&Self::of(right)?),
            Expr::Binary(BinaryOp::Mul, left, right) => Self::of(left)?.times(&Self::of(right)?),
            _ => None,
        }
    }

    fn term(product: Vec<Var>, factor: Int) -> Self {
        let mut own = Self::default();
        own.add(product, &factor);
        own
    }

    fn add(&mut self, product: Vec<Var>, factor: &Int) {
        let sum = self.0.get(&product).map_or_else(|| factor.clone(), |known| known + factor);
        match sum.is_zero() {
            true => self.0.remove(&product),
            false => self.0.insert(product, sum),
        };
    }

    fn plus(mut self, other: &Self) -> Option<Self> {
        other.0.iter().for_each(|(product, factor)| self.add(product.clone(), factor));
        (self.0.len() <= MOST_TERMS).then_some(self)
    }

    pub fn minus(self, other: &Self) -> Option<Self> {
        self.plus(&other.clone().scaled(&Int::MINUS_ONE))
    }

    pub fn scaled(self, by: &Int) -> Self {
        Self(self.0.into_iter().map(|(product, factor)| (product, &factor * by)).collect())
    }

    fn times(self, other: &Self) -> Option<Self> {
        let mut all = Self::default();
        for (left, by) in &self.0 {
            for (right, factor) in &other.0 {
                let mut product = [left.as_slice(), right.as_slice()].concat();
                if product.len() > HIGHEST_DEGREE {
                    return None;
                }
                product.sort_unstable();
                all.add(product, &(by * factor));
            }
        }
        (all.0.len() <= MOST_TERMS).then_some(all)
    }

    /// Without its constant, and the constant.
    pub fn parts(mut self) -> (Self, Int) {
        let constant = self.0.remove(&Vec::new()).unwrap_or(Int::ZERO);
        (self, constant)
    }

    /// The factor of the first product.
    pub fn leading(&self) -> Option<&Int> {
        self.0.values().next()
    }

    pub fn to_expr(&self) -> Expr {
        let terms = self.0.iter().map(|(product, factor)| {
            let product = product.iter().map(|variable| Expr::Variable(*variable));
            let product = product.reduce(|left, right| Expr::binary(BinaryOp::Mul, left, right));
            match (product, factor) {
                (None, factor) => Expr::Constant(factor.clone()),
                (Some(product), factor) if factor.is_one() => product,
                (Some(product), factor) => {
                    Expr::binary(BinaryOp::Mul, Expr::Constant(factor.clone()), product)
                }
            }
        });
        terms.reduce(|sum, term| Expr::binary(BinaryOp::Add, sum, term)).unwrap_or(Expr::constant(0))
    }
}
