//! The bits of a value as one of another type: numbers and arrays of them, which have no bits but their own.

use super::super::super::arith;
use super::super::types::{Length, Ty};
use super::standard::arith_unsigned;
use super::steps::Lowerer;
use super::value::Value;
use crate::ir::Expr;
use crate::source::Span;
use kleene_domains::expr::BinaryOp;
use kleene_domains::int::Int;
use kleene_domains::machine::IntType;

/// More bits than these are not put together.
const BIT_LIMIT: usize = 256;

/// What a value is made of: so many numbers of one type.
fn numbers(ty: &Ty) -> Option<(IntType, usize)> {
    match ty {
        Ty::Integer(integer) => Some((integer.ty, 1)),
        Ty::Float(bits) => Some((IntType::unsigned(*bits), 1)),
        Ty::Array(element, Length::Known(length)) => {
            let (number, count) = numbers(element)?;
            Some((number, count.checked_mul(usize::try_from(*length).ok()?)?))
        }
        _ => None,
    }
}

impl Lowerer<'_, '_, '_> {
    pub fn transmuted(&mut self, value: &Value, ty: &Ty, span: Span) -> Value {
        let (Some((from, given)), Some((to, wanted))) = (numbers(&value.ty), numbers(ty)) else {
            return self.unknown_value(ty, "the bits of a value of this type", span);
        };
        let parts: Vec<Expr> = value.slots().cloned().collect();
        let bits = from.bits as usize * given;
        let fits = parts.len() == given && bits == to.bits as usize * wanted && bits <= BIT_LIMIT;
        if !fits || !self.context.configuration.is_little_endian() {
            return self.unseen_value(ty, "the bits of a value that is not known", span);
        }
        // The first number has the lowest bits.
        let terms = parts.into_iter().enumerate().map(|(at, part)| {
            let low = Expr::Constant(Int::from(2).pow(from.bits * at as u32));
            arith::binary(BinaryOp::Mul, arith_unsigned(from, part), low)
        });
        let whole = terms.reduce(|sum, term| arith::binary(BinaryOp::Add, sum, term));
        let whole = Value::scalar(ty.clone(), whole.unwrap_or(arith::constant(0)));
        let slots = (0..wanted).map(|at| {
            let low = Expr::Constant(Int::from(2).pow(to.bits * at as u32));
            let above = whole.expr().map(|whole| arith::binary(BinaryOp::Div, whole.clone(), low));
            arith::wrap(to, above.unwrap_or(arith::constant(0)))
        });
        let leaves = vec![slots.collect()];
        self.keep(Value { ty: ty.clone(), leaves }, span)
    }
}
