//! Linear forms: a constant plus integer multiples of distinct variables.
//!
//! Collecting terms is what a tree walk cannot do: `x - x` is 0 and `x + 1 > x` is true whatever is
//! known of x. Knows no values; the states evaluate it.

use crate::expr::{BinaryOp, Expr, Var};
use crate::int::Int;

/// Invariant: sorted by variable, each once, no factor 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinearExpr {
    terms: Vec<(Var, Int)>,
    constant: Int,
}

impl LinearExpr {
    pub fn constant(value: Int) -> Self {
        Self { terms: Vec::new(), constant: value }
    }

    pub fn variable(variable: Var) -> Self {
        Self { terms: vec![(variable, Int::ONE)], constant: Int::ZERO }
    }

    /// The form of an expression built from sums, differences and multiples by constants; such an
    /// expression is defined everywhere. `None` for any other.
    pub fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Constant(value) => Some(Self::constant(value.clone())),
            Expr::Variable(variable) => Some(Self::variable(*variable)),
            Expr::Negate(inner) => Some(Self::of(inner)?.scaled(&Int::MINUS_ONE)),
            Expr::Binary(BinaryOp::Add, left, right) => Some(Self::of(left)?.plus(&Self::of(right)?)),
            Expr::Binary(BinaryOp::Sub, left, right) => Some(Self::of(left)?.minus(&Self::of(right)?)),
            Expr::Binary(BinaryOp::Mul, left, right) => {
                let (left, right) = (Self::of(left)?, Self::of(right)?);
                match (left.as_constant(), right.as_constant()) {
                    (Some(factor), _) => Some(right.scaled(factor)),
                    (_, Some(factor)) => Some(left.scaled(factor)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub fn terms(&self) -> &[(Var, Int)] {
        &self.terms
    }

    /// The value where every variable is 0.
    pub fn offset(&self) -> &Int {
        &self.constant
    }

    pub fn as_constant(&self) -> Option<&Int> {
        self.terms.is_empty().then_some(&self.constant)
    }

    pub fn plus(&self, other: &Self) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        while let (Some((a, factor_a)), Some((b, factor_b))) = (left.peek(), right.peek()) {
            if a == b {
                let factor = factor_a + factor_b;
                if !factor.is_zero() {
                    terms.push((*a, factor));
                }
                left.next();
                right.next();
            } else {
                let smaller = if a < b { &mut left } else { &mut right };
                terms.extend(smaller.next().cloned());
            }
        }
        terms.extend(left.cloned());
        terms.extend(right.cloned());
        Self { terms, constant: &self.constant + &other.constant }
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.scaled(&Int::MINUS_ONE))
    }

    pub fn scaled(&self, factor: &Int) -> Self {
        if factor.is_zero() {
            return Self::constant(Int::ZERO);
        }
        let terms = self.terms.iter().map(|(variable, by)| (*variable, by * factor));
        Self { terms: terms.collect(), constant: &self.constant * factor }
    }

    /// The value at a point.
    pub fn at(&self, point: &[Int]) -> Int {
        let products = self.terms.iter().map(|(variable, factor)| factor * &point[variable.0 as usize]);
        products.fold(self.constant.clone(), |sum, product| sum + product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concrete::eval;
    use crate::laws::Numbers;

    fn random(numbers: &mut Numbers, depth: usize) -> Expr {
        match numbers.below(if depth == 0 { 2 } else { 6 }) {
            0 => Expr::constant(numbers.between(-3, 3)),
            1 => Expr::Variable(Var(numbers.below(3) as u32)),
            2 => Expr::Negate(Box::new(random(numbers, depth - 1))),
            3 => Expr::binary(BinaryOp::Mul, random(numbers, depth - 1), random(numbers, depth - 1)),
            4 => Expr::binary(BinaryOp::Sub, random(numbers, depth - 1), random(numbers, depth - 1)),
            _ => Expr::binary(BinaryOp::Add, random(numbers, depth - 1), random(numbers, depth - 1)),
        }
    }

    #[test]
    fn a_form_has_the_values_of_its_expression() {
        let mut numbers = Numbers::seeded(11);
        let mut linear = 0;
        for _ in 0..3000 {
            let expr = random(&mut numbers, 4);
            let Some(form) = LinearExpr::of(&expr) else { continue };
            linear += 1;
            assert!(form.terms().windows(2).all(|pair| pair[0].0 < pair[1].0));
            assert!(form.terms().iter().all(|(_, factor)| !factor.is_zero()));
            let point: Vec<Int> = (0..3).map(|_| Int::from(numbers.between(-5, 5))).collect();
            let value = eval(&expr, &mut |variable: &Var| point[variable.0 as usize].clone());
            assert_eq!(value, Some(form.at(&point)), "{expr:?}");
        }
        assert!(linear > 1000, "only {linear} linear expressions");
    }

    #[test]
    fn terms_cancel() {
        let x = || Expr::Variable(Var(0));
        let form = LinearExpr::of(&Expr::binary(BinaryOp::Sub, x(), x())).unwrap();
        assert_eq!(form.as_constant(), Some(&Int::ZERO));
        assert_eq!(LinearExpr::of(&Expr::binary(BinaryOp::Mul, x(), x())), None);
        assert_eq!(LinearExpr::of(&Expr::binary(BinaryOp::Div, x(), Expr::constant(1))), None);
    }
}
