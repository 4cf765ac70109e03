//! The types of the slice and the values that have them.

use kleene_domains::int::Int;
use kleene_domains::machine::IntType;

use crate::ir::{Expr, Type};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Bool,
    Int(IntType),
}

#[derive(Clone, Debug)]
pub struct Value {
    pub expr: Expr,
    pub ty: Ty,
}

impl Ty {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "i8" => Self::Int(IntType::I8),
            "i16" => Self::Int(IntType::I16),
            "i32" => Self::Int(IntType::I32),
            "i64" | "isize" => Self::Int(IntType::I64),
            "i128" => Self::Int(IntType::I128),
            "u8" => Self::Int(IntType::U8),
            "u16" => Self::Int(IntType::U16),
            "u32" => Self::Int(IntType::U32),
            "u64" | "usize" => Self::Int(IntType::U64),
            "u128" => Self::Int(IntType::U128),
            _ => return None,
        })
    }

    /// `None` for a type the slice does not have. `()` is not asked for here.
    pub fn of(ty: &syn::Type) -> Option<Self> {
        match ty {
            syn::Type::Path(path) if path.qself.is_none() => Self::named(&path.path.get_ident()?.to_string()),
            syn::Type::Paren(inner) => Self::of(&inner.elem),
            syn::Type::Group(inner) => Self::of(&inner.elem),
            _ => None,
        }
    }

    pub fn stored(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Int(ty) => Type::Machine(ty),
        }
    }

    pub fn name(self) -> String {
        match self {
            Self::Bool => "bool".into(),
            Self::Int(ty) => ty.name(),
        }
    }
}

/// The associated constants `MIN` and `MAX` of an integer type.
pub fn bound_of(ty: &str, name: &str) -> Option<(Int, Ty)> {
    let Some(ty @ Ty::Int(int)) = Ty::named(ty) else { return None };
    match name {
        "MIN" => Some((int.min(), ty)),
        "MAX" => Some((int.max(), ty)),
        _ => None,
    }
}
