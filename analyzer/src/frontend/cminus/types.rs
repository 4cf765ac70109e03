//! The integer types of C- and C and their conversions.

use kleene_domains::machine::IntType;

use super::super::Integers;
use super::super::arith;
use crate::ir::{Expr, Type};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Bool,
    Int(IntType),
}

pub const INT: Scalar = Scalar::Int(IntType::I32);

/// A pure value and its type. In the unbounded reading the type says only what inputs may be.
#[derive(Clone, Debug)]
pub struct Value {
    pub expr: Expr,
    pub ty: Scalar,
}

impl Scalar {
    pub fn stored(self, integers: Integers) -> Type {
        match (self, integers) {
            (Self::Bool, _) => Type::Bool,
            (Self::Int(ty), Integers::Machine) => Type::Machine(ty),
            (Self::Int(ty), Integers::Unbounded) if ty.signed => Type::Integer,
            (Self::Int(_), Integers::Unbounded) => Type::Natural,
        }
    }

    /// Integer promotion: nothing is computed in less than `int`.
    pub fn promoted(self) -> IntType {
        match self {
            Self::Int(ty) if ty.bits >= 32 => ty,
            _ => IntType::I32,
        }
    }

    /// C's usual arithmetic conversions.
    pub fn common(self, other: Scalar) -> IntType {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal => IntType { signed: a.signed && b.signed, bits: a.bits },
        }
    }
}

/// Whether every value of `from` is a value of `to`.
fn fits(from: Scalar, to: IntType) -> bool {
    match from {
        Scalar::Bool => true,
        Scalar::Int(from) if from.signed == to.signed => from.bits <= to.bits,
        Scalar::Int(from) => !from.signed && from.bits < to.bits,
    }
}

/// Conversion as by assignment.
pub fn convert(value: Value, to: Scalar, integers: Integers) -> Expr {
    match to {
        Scalar::Bool if value.ty == Scalar::Bool => value.expr,
        Scalar::Bool => arith::number(arith::truth(value.expr)),
        Scalar::Int(to) => convert_int(value, to, integers),
    }
}

/// Conversion to an integer type, skipped where it changes nothing.
pub fn convert_int(value: Value, to: IntType, integers: Integers) -> Expr {
    match integers {
        Integers::Unbounded => value.expr,
        Integers::Machine if fits(value.ty, to) => value.expr,
        Integers::Machine => match value.expr {
            // Reducing modulo a multiple first changes nothing.
            Expr::Wrap(from, inner) if from.bits >= to.bits => arith::wrap(to, *inner),
            expr => arith::wrap(to, expr),
        },
    }
}
