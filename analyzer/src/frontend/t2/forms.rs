//! Linear forms over the symbols of a block, and comparisons as constraints on them.
//!
//! A part that is not linear becomes a symbol of its own, as long as no drawn value is in it. Drawn
//! values are locals here, numbered within their block; globals are the program's variables.

use kleene_domains::expr::{BinaryOp, CompareOp, Var};
use kleene_domains::int::Int;
use kleene_domains::linear::LinearExpr;
use rustc_hash::FxHashMap;

use super::super::arith;
use crate::ir::{Cond, Expr, Place, VariableId};

#[derive(Debug, Default)]
pub struct Forms {
    opaque: Vec<Expr>,
    numbers: FxHashMap<Expr, u32>,
}

/// A comparison of a form with 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    Zero(LinearExpr),
    NotZero(LinearExpr),
    /// Not negative.
    AtLeastZero(LinearExpr),
}

/// The symbol of a drawn value.
pub fn drawn(number: u32) -> Var {
    Var(number * 3 + 1)
}

/// The drawn value behind a symbol.
pub fn as_drawn(symbol: Var) -> Option<u32> {
    (symbol.0 % 3 == 1).then_some(symbol.0 / 3)
}

pub fn reads_drawn(expr: &Expr) -> bool {
    let mut found = false;
    expr.for_each_variable(&mut |place| found |= matches!(place.variable, VariableId::Local(_)));
    found
}

pub fn cond_reads_drawn(cond: &Cond) -> bool {
    let mut found = false;
    cond.for_each_variable(&mut |place| found |= matches!(place.variable, VariableId::Local(_)));
    found
}

impl Forms {
    /// The form of an expression; `None` where a drawn value is in a part that is not linear.
    pub fn of(&mut self, expr: &Expr) -> Option<LinearExpr> {
        Some(match expr {
            Expr::Constant(value) => LinearExpr::constant(value.clone()),
            Expr::Variable(place) => LinearExpr::variable(match place.variable {
                VariableId::Global(index) => Var(index * 3),
                VariableId::Local(index) => drawn(index),
            }),
            Expr::Negate(inner) => self.of(inner)?.scaled(&Int::MINUS_ONE),
            Expr::Binary(BinaryOp::Add, left, right) => self.of(left)?.plus(&self.of(right)?),
            Expr::Binary(BinaryOp::Sub, left, right) => self.of(left)?.minus(&self.of(right)?),
            Expr::Binary(BinaryOp::Mul, left, right) => {
                let (left, right) = (self.of(left)?, self.of(right)?);
                match (left.as_constant(), right.as_constant()) {
                    (Some(factor), _) => right.scaled(factor),
                    (_, Some(factor)) => left.scaled(factor),
                    _ => return self.symbol(expr),
                }
            }
            _ => return self.symbol(expr),
        })
    }

    /// An expression as a symbol of its own.
    fn symbol(&mut self, expr: &Expr) -> Option<LinearExpr> {
        if reads_drawn(expr) {
            return None;
        }
        let next = self.opaque.len() as u32;
        let number = *self.numbers.entry(expr.clone()).or_insert(next);
        if number == next {
            self.opaque.push(expr.clone());
        }
        Some(LinearExpr::variable(Var(number * 3 + 2)))
    }

    /// The comparison as constraints that all hold or not; `None` as for `of`.
    pub fn constraint(&mut self, op: CompareOp, left: &Expr, right: &Expr) -> Option<Constraint> {
        let difference = self.of(left)?.minus(&self.of(right)?);
        let negated = || difference.scaled(&Int::MINUS_ONE);
        let one = LinearExpr::constant(Int::ONE);
        Some(match op {
            CompareOp::Equal => Constraint::Zero(difference),
            CompareOp::NotEqual => Constraint::NotZero(difference),
            CompareOp::GreaterEqual => Constraint::AtLeastZero(difference),
            CompareOp::Greater => Constraint::AtLeastZero(difference.minus(&one)),
            CompareOp::LessEqual => Constraint::AtLeastZero(negated()),
            CompareOp::Less => Constraint::AtLeastZero(negated().minus(&one)),
        })
    }

    fn term(&self, symbol: Var) -> Expr {
        let index = symbol.0 / 3;
        match symbol.0 % 3 {
            0 => arith::read(Place::variable(VariableId::Global(index))),
            1 => arith::read(Place::variable(VariableId::Local(index))),
            _ => self.opaque[index as usize].clone(),
        }
    }

    /// An expression with the form's values, positive terms first.
    pub fn expr(&self, form: &LinearExpr) -> Expr {
        let positive = form.terms().iter().filter(|(_, factor)| factor.is_positive());
        let negative = form.terms().iter().filter(|(_, factor)| factor.is_negative());
        let term = |symbol: Var, factor: &Int| match factor.abs() {
            one if one.is_one() => self.term(symbol),
            factor => Expr::binary(BinaryOp::Mul, Expr::Constant(factor), self.term(symbol)),
        };
        let sum = positive.map(|(symbol, factor)| term(*symbol, factor));
        let sum = sum.reduce(|sum, term| Expr::binary(BinaryOp::Add, sum, term));
        let offset = form.offset();
        let (mut sum, rest) = match sum {
            Some(sum) => (sum, offset.clone()),
            None => (Expr::Constant(offset.clone()), Int::ZERO),
        };
        for (symbol, factor) in negative {
            sum = match sum {
                Expr::Constant(zero) if zero.is_zero() => arith::negate(term(*symbol, factor)),
                sum => Expr::binary(BinaryOp::Sub, sum, term(*symbol, factor)),
            };
        }
        match rest.signum() {
            0 => sum,
            1 => Expr::binary(BinaryOp::Add, sum, Expr::Constant(rest)),
            _ => Expr::binary(BinaryOp::Sub, sum, Expr::Constant(rest.neg())),
        }
    }

    /// The constraint as a comparison, with the negative terms on the other side.
    pub fn cond(&self, constraint: &Constraint) -> Cond {
        let (op, form) = match constraint {
            Constraint::Zero(form) => (CompareOp::Equal, form),
            Constraint::NotZero(form) => (CompareOp::NotEqual, form),
            Constraint::AtLeastZero(form) => (CompareOp::GreaterEqual, form),
        };
        let side = |sign: i32| {
            let own = form.terms().iter().filter(|(_, factor)| factor.signum() == sign);
            LinearExpr::from_terms(own.map(|(symbol, factor)| (*symbol, factor.abs())), Int::ZERO)
        };
        let (left, right) = (side(1), side(-1));
        let offset = LinearExpr::constant(form.offset().clone());
        // `x >= 3` and `3 >= x` read better than `x + -3 >= 0`; a lone constant goes to the other side.
        if left.terms().is_empty() {
            return arith::compare(op.swapped(), self.expr(&right), self.expr(&offset));
        }
        arith::compare(op, self.expr(&left), self.expr(&right.minus(&offset)))
    }
}

impl Constraint {
    pub fn form(&self) -> &LinearExpr {
        match self {
            Self::Zero(form) | Self::NotZero(form) | Self::AtLeastZero(form) => form,
        }
    }

    pub fn map(&self, change: impl FnOnce(&LinearExpr) -> LinearExpr) -> Self {
        match self {
            Self::Zero(form) => Self::Zero(change(form)),
            Self::NotZero(form) => Self::NotZero(change(form)),
            Self::AtLeastZero(form) => Self::AtLeastZero(change(form)),
        }
    }

    pub fn reads_drawn(&self) -> bool {
        self.form().terms().iter().any(|(symbol, _)| as_drawn(*symbol).is_some())
    }

    /// Divided by what the factors have in common; decided where no term is left or the constant does
    /// not fit.
    pub fn reduced(&self) -> Result<Self, bool> {
        let form = self.form();
        let offset = form.offset();
        let divisor = form.divisor();
        match self {
            Self::Zero(_) if divisor.is_zero() => Err(offset.is_zero()),
            Self::NotZero(_) if divisor.is_zero() => Err(!offset.is_zero()),
            Self::AtLeastZero(_) if divisor.is_zero() => Err(!offset.is_negative()),
            Self::Zero(_) if !divisor.divides(offset) => Err(false),
            Self::NotZero(_) if !divisor.divides(offset) => Err(true),
            _ => Ok(self.map(|form| form.divided(&divisor))),
        }
    }
}
