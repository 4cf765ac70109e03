//! Linear forms: a constant plus integer multiples of distinct variables.
//!
//! Collecting terms is what a tree walk cannot do: `x - x` is 0 and `x + 1 > x` is true whatever is
//! known of x. Knows no values; the states evaluate it.

use std::fmt;

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

    /// The sum of the terms, in any order, and the constant. A variable may occur more than once.
    pub fn from_terms(terms: impl IntoIterator<Item = (Var, Int)>, constant: Int) -> Self {
        let mut terms: Vec<(Var, Int)> = terms.into_iter().collect();
        terms.sort_by_key(|(variable, _)| *variable);
        terms.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 = &kept.1 + &later.1;
            }
            same
        });
        terms.retain(|(_, factor)| !factor.is_zero());
        Self { terms, constant }
    }

    /// The factor of a variable, 0 where it does not occur.
    pub fn factor(&self, variable: Var) -> Int {
        match self.terms.binary_search_by_key(&variable, |(variable, _)| *variable) {
            Ok(index) => self.terms[index].1.clone(),
            Err(_) => Int::ZERO,
        }
    }

    /// The greatest common divisor of the factors, without the constant; 0 if there are none.
    pub fn divisor(&self) -> Int {
        self.terms.iter().fold(Int::ZERO, |divisor, (_, factor)| divisor.gcd(factor))
    }

    /// Divided by a positive divisor of every factor; the constant is rounded down.
    pub fn divided(&self, divisor: &Int) -> Self {
        let quotient = |number: &Int| number.div_floor(divisor).unwrap_or(Int::ZERO);
        debug_assert!(divisor.is_positive() && self.terms.iter().all(|(_, factor)| divisor.divides(factor)));
        let terms = self.terms.iter().map(|(variable, factor)| (*variable, quotient(factor)));
        Self { terms: terms.collect(), constant: quotient(&self.constant) }
    }

    pub fn without_offset(&self) -> Self {
        Self { terms: self.terms.clone(), constant: Int::ZERO }
    }

    /// The same form over other variables; several may become one.
    pub fn renamed(&self, to: impl Fn(Var) -> Var) -> Self {
        let terms = self.terms.iter().map(|(variable, factor)| (to(*variable), factor.clone()));
        Self::from_terms(terms, self.constant.clone())
    }

    /// The variable replaced by a form.
    pub fn substituted(&self, variable: Var, form: &Self) -> Self {
        let factor = self.factor(variable);
        if factor.is_zero() {
            return self.clone();
        }
        let terms = self.terms.iter().filter(|(other, _)| *other != variable).cloned().collect();
        Self { terms, constant: self.constant.clone() }.plus(&form.scaled(&factor))
    }

    /// The form with every variable replaced by a form.
    pub fn replaced(&self, value: impl Fn(Var) -> Self) -> Self {
        let start = Self::constant(self.offset().clone());
        self.terms().iter().fold(start, |sum, (variable, factor)| sum.plus(&value(*variable).scaled(factor)))
    }

    /// The same where a variable may have no form; then there is none.
    pub fn try_replaced(&self, value: impl Fn(Var) -> Option<Self>) -> Option<Self> {
        let start = Self::constant(self.offset().clone());
        self.terms()
            .iter()
            .try_fold(start, |sum, (variable, factor)| Some(sum.plus(&value(*variable)?.scaled(factor))))
    }

    /// An expression with these values.
    pub fn to_expr(&self) -> Expr {
        let term = |(variable, factor): &(Var, Int)| match factor.is_one() {
            true => Expr::Variable(*variable),
            false => Expr::binary(BinaryOp::Mul, Expr::Constant(factor.clone()), Expr::Variable(*variable)),
        };
        let constant = (!self.constant.is_zero()).then(|| Expr::Constant(self.constant.clone()));
        let sum = self.terms.iter().map(term).chain(constant);
        let sum = sum.reduce(|sum, term| Expr::binary(BinaryOp::Add, sum, term));
        sum.unwrap_or(Expr::Constant(Int::ZERO))
    }

    /// As people write it, with a name for each variable.
    pub fn shown(&self, name: impl Fn(Var) -> String) -> String {
        let mut text = String::new();
        for (variable, factor) in &self.terms {
            text.push_str(match (text.is_empty(), factor.is_negative()) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            let magnitude = factor.abs();
            if !magnitude.is_one() {
                text.push_str(&format!("{magnitude}*"));
            }
            text.push_str(&name(*variable));
        }
        match (text.is_empty(), self.constant.signum()) {
            (true, _) => text.push_str(&self.constant.to_string()),
            (false, 0) => {}
            (false, sign) => {
                text.push_str(&format!(" {} {}", if sign < 0 { '-' } else { '+' }, self.constant.abs()))
            }
        }
        text
    }

    /// The value at a point.
    pub fn at(&self, point: &[Int]) -> Int {
        let products = self.terms.iter().map(|(variable, factor)| factor * &point[variable.0 as usize]);
        products.fold(self.constant.clone(), |sum, product| sum + product)
    }
}

impl fmt::Display for LinearExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(|variable| format!("v{}", variable.0)))
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
            assert_eq!(LinearExpr::of(&form.to_expr()), Some(form));
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

    #[test]
    fn forms_are_built_shown_and_substituted() {
        let (x, y) = (Var(0), Var(1));
        let terms = [(y, Int::from(2)), (x, Int::ONE), (y, Int::from(-3)), (Var(2), Int::ZERO)];
        let form = LinearExpr::from_terms(terms, Int::from(-4));
        assert_eq!(form.to_string(), "v0 - v1 - 4");
        assert_eq!(form.substituted(y, &form).to_string(), "v1");
        assert_eq!(form.scaled(&Int::from(6)).divisor(), Int::from(6));
        assert_eq!(LinearExpr::constant(Int::from(7)).to_string(), "7");
    }
}
