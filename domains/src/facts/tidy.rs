//! One way of writing a comparison, so that equal facts look equal. Truth and definedness stay the same.

use crate::expr::{BinaryOp, CompareOp, Cond, Expr, Var};
use crate::int::Int;
use crate::linear::LinearExpr;

use super::polynomial::Polynomial;

/// The condition with its polynomials multiplied out and sorted; a statement about divisibility with its numbers reduced.
pub fn tidy(cond: &Cond) -> Cond {
    match cond {
        Cond::Literal(_) => cond.clone(),
        Cond::Compare(op, left, right) => compare(*op, left, right),
        Cond::Not(inner) => tidy(inner).negated(),
        Cond::And(left, right) => Cond::And(Box::new(tidy(left)), Box::new(tidy(right))),
        Cond::Or(left, right) => Cond::Or(Box::new(tidy(left)), Box::new(tidy(right))),
    }
}

fn compare(op: CompareOp, left: &Expr, right: &Expr) -> Cond {
    if let (Some(a), Some(b)) = (Polynomial::of(left), Polynomial::of(right))
        && let Some(difference) = a.minus(&b)
    {
        let (terms, constant) = difference.parts();
        // Of a polynomial and its opposite the one that begins with a positive factor.
        return match terms.leading().is_some_and(Int::is_negative) {
            true => {
                Cond::Compare(op.swapped(), terms.scaled(&Int::MINUS_ONE).to_expr(), Expr::Constant(constant))
            }
            false => Cond::Compare(op, terms.to_expr(), Expr::Constant(-constant)),
        };
    }
    let (left, right) = (expr(left), expr(right));
    if let (CompareOp::Equal | CompareOp::NotEqual, Expr::Constant(zero)) = (op, &right)
        && zero.is_zero()
        && let Expr::Binary(BinaryOp::Rem, value, modulus) = &left
        && let (Some(form), Expr::Constant(modulus)) = (LinearExpr::of(value), &**modulus)
        && modulus.is_positive()
    {
        let rest =
            Expr::binary(BinaryOp::Rem, reduced(&form, modulus).to_expr(), Expr::Constant(modulus.clone()));
        return Cond::Compare(op, rest, right);
    }
    Cond::Compare(op, left, right)
}

/// A form that the modulus divides at the same points.
fn reduced(form: &LinearExpr, modulus: &Int) -> LinearExpr {
    let modulo = |form: &LinearExpr| {
        let rest = |number: &Int| number.rem_euclid(modulus).unwrap_or(Int::ZERO);
        let terms = form.terms().iter().map(|(variable, factor)| (*variable, rest(factor)));
        LinearExpr::from_terms(terms, rest(form.offset()))
    };
    let (positive, negative) = (modulo(form), modulo(&form.scaled(&Int::MINUS_ONE)));
    let first = |form: &LinearExpr| form.terms().first().map(|(_, factor)| factor.clone());
    if first(&negative) < first(&positive) { negative } else { positive }
}

fn expr(of: &Expr) -> Expr {
    if let Some(polynomial) = Polynomial::of(of) {
        return polynomial.to_expr();
    }
    match of {
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => of.clone(),
        Expr::Negate(inner) => Expr::Negate(Box::new(expr(inner))),
        Expr::Unary(op, inner) => Expr::Unary(*op, Box::new(expr(inner))),
        Expr::Binary(op, left, right) => Expr::binary(*op, expr(left), expr(right)),
        Expr::Wrap(ty, inner) => Expr::Wrap(*ty, Box::new(expr(inner))),
        Expr::IfThenElse(cond, yes, no) => {
            Expr::IfThenElse(Box::new(tidy(cond)), Box::new(expr(yes)), Box::new(expr(no)))
        }
    }
}

/// What a variable was before it became the value of an expression, in terms of what it is now: only where
/// nothing is lost, as in `x := y - x`.
pub fn inverse(variable: Var, value: &Expr) -> Option<Expr> {
    let form = LinearExpr::of(value)?;
    let factor = form.factor(variable);
    if factor != Int::ONE && factor != Int::MINUS_ONE {
        return None;
    }
    let rest = form.minus(&LinearExpr::variable(variable).scaled(&factor));
    Some(LinearExpr::variable(variable).minus(&rest).scaled(&factor).to_expr())
}
