//! Places: variables and array elements, read or written.

use kleene_domains::expr::CompareOp;
use kleene_domains::int::Int;

use super::super::super::arith;
use super::super::super::build::Pending;
use super::super::ast::{Expr, ExprKind};
use super::super::constant;
use super::super::types::{Scalar, convert};
use super::Lowerer;
use super::names::Binding;
use crate::ir::{FailKind, Place, Projection};

#[derive(Clone, Debug)]
pub struct Target {
    pub place: Place,
    pub ty: Scalar,
}

impl Target {
    /// Whether the place is the same one wherever it is written down.
    pub fn is_fixed(&self) -> bool {
        self.place.path.iter().all(|part| match part {
            Projection::Field(_) => true,
            Projection::Element(index) => arith::as_constant(index).is_some(),
        })
    }
}

impl<'a> Lowerer<'a, '_> {
    /// A place to read or write; `None` after a mistake, which is reported.
    pub(super) fn place(&mut self, expr: &Expr<'a>, pending: &mut Pending) -> Option<Target> {
        match &expr.kind {
            ExprKind::Name(name) => match self.lookup(name) {
                Some(Binding::Scalar(variable, ty)) => Some(Target { place: Place::variable(variable), ty }),
                Some(Binding::Array(..)) => {
                    self.error(expr.span, format!("`{name}` is an array; one element of it is needed here"));
                    None
                }
                Some(Binding::Constant(..)) => {
                    self.error(expr.span, format!("`{name}` is a constant"));
                    None
                }
                Some(Binding::Broken) => None,
                None => {
                    self.unknown_variable(name, expr.span);
                    None
                }
            },
            ExprKind::Index(base, index) => self.element(expr, base, index, pending),
            _ => {
                self.error(expr.span, "a variable or an array element is needed here");
                None
            }
        }
    }

    fn element(
        &mut self,
        whole: &Expr<'a>,
        base: &Expr<'a>,
        index: &Expr<'a>,
        pending: &mut Pending,
    ) -> Option<Target> {
        let value = self.value(index, pending);
        let ExprKind::Name(name) = &base.kind else {
            self.error(base.span, "only a variable can be indexed");
            return None;
        };
        match self.lookup(name) {
            Some(Binding::Array(variable, ty, length)) => {
                let index = convert(value, Scalar::Int(kleene_domains::machine::IntType::I64), self.integers);
                let below = arith::compare(CompareOp::Less, index.clone(), arith::constant(0));
                let beyond = arith::compare(
                    CompareOp::GreaterEqual,
                    index.clone(),
                    arith::constant(i64::from(length)),
                );
                pending.fails_if(below.or(beyond), FailKind::Index, whole.span);
                Some(Target { place: Place::element(variable, index), ty })
            }
            Some(Binding::Broken) => None,
            Some(_) => {
                self.error(base.span, format!("`{name}` is not an array"));
                None
            }
            None => {
                self.unknown_variable(name, base.span);
                None
            }
        }
    }

    /// The value of a constant expression.
    pub(super) fn constant(&self, expr: &Expr<'a>) -> Option<Int> {
        constant::evaluate(expr, &|name| match self.lookup(name) {
            Some(Binding::Constant(value, _)) => Some(value),
            _ => None,
        })
    }
}
