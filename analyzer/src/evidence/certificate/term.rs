//! Comparisons of a file as conditions, and back. What has no form in a file is left out by its writer.

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, Var};

use super::{Comparison, Number, Term};

const COMPARISONS: [CompareOp; 6] = [
    CompareOp::Equal,
    CompareOp::NotEqual,
    CompareOp::Less,
    CompareOp::LessEqual,
    CompareOp::Greater,
    CompareOp::GreaterEqual,
];

const OPERATORS: [(&str, BinaryOp); 7] = [
    ("+", BinaryOp::Add),
    ("-", BinaryOp::Sub),
    ("*", BinaryOp::Mul),
    ("/", BinaryOp::Div),
    ("%", BinaryOp::Rem),
    ("min", BinaryOp::Min),
    ("max", BinaryOp::Max),
];

impl Comparison {
    pub fn of(cond: &Cond) -> Option<Self> {
        let Cond::Compare(op, left, right) = cond else { return None };
        Some(Self(op.symbol().into(), Term::of(left)?, Term::of(right)?))
    }

    /// `None` if an operator is unknown.
    pub fn condition(&self) -> Option<Cond> {
        let op = COMPARISONS.into_iter().find(|op| op.symbol() == self.0)?;
        Some(Cond::Compare(op, self.1.expr()?, self.2.expr()?))
    }
}

impl Term {
    fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Constant(value) => Some(Self::Number(Number(value.clone()))),
            Expr::Variable(Var(slot)) => Some(Self::Slot { slot: *slot }),
            Expr::Negate(inner) => {
                let zero = Self::Number(Number(Int::ZERO));
                Some(Self::Apply("-".into(), Box::new(zero), Box::new(Self::of(inner)?)))
            }
            Expr::Binary(op, left, right) => {
                let (name, _) = OPERATORS.iter().find(|(_, own)| own == op)?;
                Some(Self::Apply(name.to_string(), Box::new(Self::of(left)?), Box::new(Self::of(right)?)))
            }
            _ => None,
        }
    }

    fn expr(&self) -> Option<Expr> {
        match self {
            Self::Number(number) => Some(Expr::Constant(number.0.clone())),
            Self::Slot { slot } => Some(Expr::Variable(Var(*slot))),
            Self::Apply(name, left, right) => {
                let (_, op) = OPERATORS.iter().find(|(own, _)| own == name)?;
                Some(Expr::binary(*op, left.expr()?, right.expr()?))
            }
        }
    }
}
