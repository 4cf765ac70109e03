//! A formula over a program: its names resolved, its propositional parts turned into predicates on states.
//!
//! Every maximal subformula without a temporal operator becomes one predicate, so that the domains decide
//! `x < 5 || x > 3` as one question. Knows the program's names, not the abstract model.

mod aggregate;
pub mod evaluate;
mod resolve;

use std::sync::Arc;

use kleene_ctl::{AtomId, Formula};
use kleene_domains::expr;

use crate::ir::{FailKind, FunctionId, LocationId};

pub use resolve::{PropertyError, Resolver};

/// What an atom of a formula reads in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// A scalar global, or an element of one; undefined outside the bounds.
    Global {
        variable: u32,
        element: Option<Box<expr::Expr<Leaf>>>,
    },
    /// A local in the innermost frame of its function; undefined where there is none.
    Local {
        function: FunctionId,
        variable: u32,
        element: Option<Box<expr::Expr<Leaf>>>,
    },
    /// 1 where the next step is one of these.
    At(Arc<[(FunctionId, LocationId)]>),
    Terminated,
    Failed(Option<FailKind>),
    Discarded,
}

pub type Predicate = expr::Cond<Leaf>;
pub type Term = expr::Expr<Leaf>;

/// The predicate "this leaf is not 0".
pub fn is_set(leaf: Leaf) -> Predicate {
    Predicate::Compare(
        expr::CompareOp::NotEqual,
        expr::Expr::Variable(leaf),
        expr::Expr::Constant(kleene_domains::Int::ZERO),
    )
}

/// A table of the predicates that formulas speak about; equal ones share an id.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    list: Vec<Predicate>,
}

impl Predicates {
    pub fn id(&mut self, predicate: Predicate) -> AtomId {
        let index = self.list.iter().position(|known| *known == predicate).unwrap_or_else(|| {
            self.list.push(predicate);
            self.list.len() - 1
        });
        AtomId(index as u32)
    }

    pub fn get(&self, id: AtomId) -> &Predicate {
        &self.list[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Predicate> {
        self.list.iter()
    }

    /// Folds every maximal propositional subformula into one predicate.
    pub fn compress(&mut self, formula: &Formula<Predicate>) -> Formula<AtomId> {
        if let Some(predicate) = as_predicate(formula) {
            return match predicate {
                Predicate::Literal(value) => Formula::Literal(value),
                other => Formula::Atom(self.id(other)),
            };
        }
        let mut both = |left: &Formula<Predicate>, right: &Formula<Predicate>| {
            let left = Box::new(self.compress(left));
            (left, Box::new(self.compress(right)))
        };
        match formula {
            Formula::Literal(_) | Formula::Atom(_) => unreachable!("propositional"),
            Formula::And(left, right) => {
                let (left, right) = both(left, right);
                Formula::And(left, right)
            }
            Formula::Or(left, right) => {
                let (left, right) = both(left, right);
                Formula::Or(left, right)
            }
            Formula::Implies(left, right) => {
                let (left, right) = both(left, right);
                Formula::Implies(left, right)
            }
            Formula::Iff(left, right) => {
                let (left, right) = both(left, right);
                Formula::Iff(left, right)
            }
            Formula::Until(path, left, right) => {
                let (left, right) = both(left, right);
                Formula::Until(*path, left, right)
            }
            Formula::Release(path, left, right) => {
                let (left, right) = both(left, right);
                Formula::Release(*path, left, right)
            }
            Formula::WeakUntil(path, left, right) => {
                let (left, right) = both(left, right);
                Formula::WeakUntil(*path, left, right)
            }
            Formula::Not(inner) => Formula::Not(Box::new(self.compress(inner))),
            Formula::Next(path, inner) => Formula::Next(*path, Box::new(self.compress(inner))),
            Formula::Future(path, inner) => Formula::Future(*path, Box::new(self.compress(inner))),
            Formula::Globally(path, inner) => Formula::Globally(*path, Box::new(self.compress(inner))),
        }
    }
}

/// The formula as one predicate, if it has no temporal operator.
pub fn as_predicate(formula: &Formula<Predicate>) -> Option<Predicate> {
    Some(match formula {
        Formula::Literal(value) => Predicate::Literal(*value),
        Formula::Atom(atom) => atom.clone(),
        Formula::Not(inner) => as_predicate(inner)?.negated(),
        Formula::And(left, right) => as_predicate(left)?.and(as_predicate(right)?),
        Formula::Or(left, right) => as_predicate(left)?.or(as_predicate(right)?),
        Formula::Implies(left, right) => as_predicate(left)?.negated().or(as_predicate(right)?),
        Formula::Iff(left, right) => {
            let (left, right) = (as_predicate(left)?, as_predicate(right)?);
            let both = left.clone().and(right.clone());
            both.or(left.negated().and(right.negated()))
        }
        _ => return None,
    })
}
