//! Arithmetic expressions and conditions, generic in what a variable is.
//!
//! Numeric states read them with `V = Var`; programs use the same shape with places as variables,
//! so that one language carries a command from the front end down to every domain.
//! Booleans are the integers 0 and 1. Nothing here evaluates: see `concrete` and the domains.

use crate::int::Int;
use crate::interval::Interval;
use crate::machine::IntType;

pub use crate::operator::{BinaryOp, UnaryOp};

/// A dimension of a numeric state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl CompareOp {
    /// The comparison that holds exactly when this one does not.
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// The comparison with its two sides exchanged.
    pub fn swapped(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::NotEqual => Self::NotEqual,
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
        }
    }

    pub fn holds<T: Ord>(self, left: &T, right: &T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
        }
    }

    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr<V = Var> {
    Constant(Int),
    Variable(V),
    /// Some value of the interval, chosen anew at every evaluation. Abstract states only: programs
    /// draw their inputs explicitly.
    Any(Interval),
    Negate(Box<Expr<V>>),
    Unary(UnaryOp, Box<Expr<V>>),
    Binary(BinaryOp, Box<Expr<V>>, Box<Expr<V>>),
    /// The value reduced into the range of a machine integer, modulo 2^bits.
    Wrap(IntType, Box<Expr<V>>),
    /// Evaluates the condition, then one side only.
    IfThenElse(Box<Cond<V>>, Box<Expr<V>>, Box<Expr<V>>),
}

/// `And` and `Or` evaluate their left side first and the right one only if it matters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cond<V = Var> {
    Literal(bool),
    Compare(CompareOp, Expr<V>, Expr<V>),
    Not(Box<Cond<V>>),
    And(Box<Cond<V>>, Box<Cond<V>>),
    Or(Box<Cond<V>>, Box<Cond<V>>),
}

impl<V> Expr<V> {
    pub fn constant(value: impl Into<Int>) -> Self {
        Self::Constant(value.into())
    }

    pub fn unary(op: UnaryOp, operand: Self) -> Self {
        Self::Unary(op, Box::new(operand))
    }

    pub fn binary(op: BinaryOp, left: Self, right: Self) -> Self {
        Self::Binary(op, Box::new(left), Box::new(right))
    }

    /// Replaces every variable; `leaf` may answer any expression (an element of an array read at an
    /// unknown index becomes `Any`).
    pub fn map<W>(&self, leaf: &mut impl FnMut(&V) -> Expr<W>) -> Expr<W> {
        match self {
            Self::Constant(value) => Expr::Constant(value.clone()),
            Self::Variable(variable) => leaf(variable),
            Self::Any(interval) => Expr::Any(interval.clone()),
            Self::Negate(inner) => Expr::Negate(Box::new(inner.map(leaf))),
            Self::Unary(op, inner) => Expr::unary(*op, inner.map(leaf)),
            Self::Binary(op, left, right) => {
                let left = left.map(leaf);
                Expr::binary(*op, left, right.map(leaf))
            }
            Self::Wrap(ty, inner) => Expr::Wrap(*ty, Box::new(inner.map(leaf))),
            Self::IfThenElse(cond, yes, no) => {
                let cond = cond.map(leaf);
                let yes = yes.map(leaf);
                Expr::IfThenElse(Box::new(cond), Box::new(yes), Box::new(no.map(leaf)))
            }
        }
    }

    pub fn for_each_variable(&self, visit: &mut impl FnMut(&V)) {
        match self {
            Self::Constant(_) | Self::Any(_) => {}
            Self::Variable(variable) => visit(variable),
            Self::Negate(inner) | Self::Unary(_, inner) | Self::Wrap(_, inner) => {
                inner.for_each_variable(visit)
            }
            Self::Binary(_, left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Self::IfThenElse(cond, yes, no) => {
                cond.for_each_variable(visit);
                yes.for_each_variable(visit);
                no.for_each_variable(visit);
            }
        }
    }
}

impl<V> Cond<V> {
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Literal(true), cond) | (cond, Self::Literal(true)) => cond,
            (Self::Literal(false), _) => Self::Literal(false),
            (left, right) => Self::And(Box::new(left), Box::new(right)),
        }
    }

    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Literal(false), cond) | (cond, Self::Literal(false)) => cond,
            (Self::Literal(true), _) => Self::Literal(true),
            (left, right) => Self::Or(Box::new(left), Box::new(right)),
        }
    }

    pub fn negated(self) -> Self {
        match self {
            Self::Literal(value) => Self::Literal(!value),
            Self::Compare(op, left, right) => Self::Compare(op.negated(), left, right),
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    pub fn map<W>(&self, leaf: &mut impl FnMut(&V) -> Expr<W>) -> Cond<W> {
        match self {
            Self::Literal(value) => Cond::Literal(*value),
            Self::Compare(op, left, right) => {
                let left = left.map(leaf);
                Cond::Compare(*op, left, right.map(leaf))
            }
            Self::Not(inner) => Cond::Not(Box::new(inner.map(leaf))),
            Self::And(left, right) => {
                let left = left.map(leaf);
                Cond::And(Box::new(left), Box::new(right.map(leaf)))
            }
            Self::Or(left, right) => {
                let left = left.map(leaf);
                Cond::Or(Box::new(left), Box::new(right.map(leaf)))
            }
        }
    }

    /// Every comparison inside, whatever stands around it.
    pub fn for_each_comparison<'c>(&'c self, visit: &mut impl FnMut(CompareOp, &'c Expr<V>, &'c Expr<V>)) {
        match self {
            Self::Literal(_) => {}
            Self::Compare(op, left, right) => visit(*op, left, right),
            Self::Not(inner) => inner.for_each_comparison(visit),
            Self::And(left, right) | Self::Or(left, right) => {
                left.for_each_comparison(visit);
                right.for_each_comparison(visit);
            }
        }
    }

    pub fn for_each_variable(&self, visit: &mut impl FnMut(&V)) {
        match self {
            Self::Literal(_) => {}
            Self::Compare(_, left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Self::Not(inner) => inner.for_each_variable(visit),
            Self::And(left, right) | Self::Or(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
        }
    }
}
