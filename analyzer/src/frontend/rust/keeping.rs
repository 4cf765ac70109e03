//! What values of a type may hold that is lent.

use super::context::Context;
use super::hir::Mutability;
use super::types::Ty;

const DEPTH_LIMIT: u32 = 24;

impl Context<'_> {
    /// Whether a value of a type may hold a mutable borrow, through which fields are written.
    pub fn may_keep(&self, ty: &Ty, depth: u32) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str | Ty::Never | Ty::Constant(_) => {
                false
            }
            _ if self.is_pointer(ty) => true,
            Ty::Tuple(parts) => parts.iter().any(|part| self.may_keep(part, depth)),
            Ty::Array(inner, _) | Ty::Slice(inner) | Ty::Range(inner) => self.may_keep(inner, depth),
            Ty::Reference(Mutability::Shared, inner) => self.may_keep(inner, depth),
            Ty::Adt(id, arguments) if !self.items.adt(*id).opaque && depth < DEPTH_LIMIT => {
                self.items.adt(*id).variants.iter().enumerate().any(|(index, variant)| {
                    (0..variant.fields.len()).any(|field| {
                        self.may_keep(&self.field_type(*id, index as u32, field, arguments), depth + 1)
                    })
                })
            }
            _ => true,
        }
    }

    /// Whether a lifetime may stand in a type: it may hold a borrow, or speak of one.
    pub fn has_lifetime(&self, ty: &Ty, depth: u32) -> bool {
        let inner = |ty: &Ty| self.has_lifetime(ty, depth + 1);
        match ty {
            _ if depth > DEPTH_LIMIT => true,
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str | Ty::Never | Ty::Constant(_) => {
                false
            }
            Ty::Tuple(parts) => parts.iter().any(inner),
            Ty::Array(element, _) | Ty::Slice(element) | Ty::Range(element) => inner(element),
            Ty::Adt(id, arguments) if !self.items.adt(*id).opaque => {
                arguments.iter().chain(&self.field_types(*id, arguments)).any(inner)
            }
            _ => true,
        }
    }

    /// Whether a borrow may be stored behind a parameter of this type.
    pub fn keeps_borrows(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Reference(Mutability::Mutable, inner) => self.may_keep(inner, 0),
            Ty::Reference(Mutability::Shared, inner) => self.keeps_borrows(inner),
            Ty::Opaque => true,
            _ => false,
        }
    }
}
