//! Types without values.

use super::context::Context;
use super::hir::AdtId;
use super::items::AdtKind;
use super::types::{Length, Ty};

const DEPTH_LIMIT: usize = 24;

/// Types of std that have a value only where what they hold has one, or in other variants.
const HOLDING: &[&str] = &[
    "Option",
    "Result",
    "Box",
    "Range",
    "RangeInclusive",
    "RangeFrom",
    "Bound",
    "Wrapping",
    "Reverse",
    "Infallible",
];

impl Context<'_> {
    /// Whether a type has no values.
    pub fn is_uninhabited(&self, ty: &Ty) -> bool {
        self.is_empty_within(ty, &mut Vec::new())
    }

    /// `around`: the types it is a part of. Values of those end somewhere, so what needs another one of them is none.
    fn is_empty_within(&self, ty: &Ty, around: &mut Vec<Ty>) -> bool {
        match ty {
            Ty::Never => true,
            _ if around.len() > DEPTH_LIMIT => false,
            Ty::Reference(_, referred) => {
                around.push(ty.clone());
                let found = self.is_empty_within(referred, around);
                around.pop();
                found
            }
            Ty::Tuple(parts) => parts.iter().any(|part| self.is_empty_within(part, around)),
            Ty::Array(element, Length::Known(1..)) => self.is_empty_within(element, around),
            Ty::Adt(id, arguments) if self.is_taken_at_its_word(*id) => {
                if let Some(at) = around.iter().position(|outer| outer == ty) {
                    // A static may borrow itself.
                    return !around[at..].iter().any(|outer| matches!(outer, Ty::Reference(..)));
                }
                around.push(ty.clone());
                let count = self.items.adt(*id).variants.len() as u32;
                let found = (0..count).all(|variant| self.is_empty_variant(*id, variant, arguments, around));
                around.pop();
                found
            }
            _ => false,
        }
    }

    fn is_empty_variant(&self, id: AdtId, variant: u32, arguments: &[Ty], around: &mut Vec<Ty>) -> bool {
        let fields = self.items.adt(id).variants[variant as usize].fields.len();
        (0..fields).any(|field| self.is_empty_within(&self.field_type(id, variant, field, arguments), around))
    }

    /// Whether no value is in this variant.
    pub fn is_uninhabited_variant(&self, id: AdtId, variant: u32, arguments: &[Ty]) -> bool {
        self.is_empty_variant(id, variant, arguments, &mut Vec::new())
    }

    /// Whether a type has what its text says and nothing else.
    fn is_taken_at_its_word(&self, id: AdtId) -> bool {
        let adt = self.items.adt(id);
        let of_std = self.items.is_std_module(adt.module);
        !adt.opaque && (!of_std || HOLDING.contains(&adt.name.as_str()))
    }

    /// Whether some variants of a type, or slices of some lengths, have no values: its scalars say more than there is.
    pub fn is_emptied(&self, ty: &Ty) -> bool {
        if matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str) {
            return false;
        }
        if let Some(known) = self.emptied.borrow().get(ty) {
            return *known;
        }
        // What is a part of itself says it elsewhere.
        self.emptied.borrow_mut().insert(ty.clone(), false);
        let found = match ty {
            Ty::Reference(_, inner) | Ty::Array(inner, _) => self.is_emptied(inner),
            Ty::Slice(element) => self.is_uninhabited(element) || self.is_emptied(element),
            Ty::Tuple(parts) => parts.iter().any(|part| self.is_emptied(part)),
            Ty::Adt(id, arguments) if !self.items.adt(*id).opaque => {
                let empty = self.is_taken_at_its_word(*id) && self.items.adt(*id).kind == AdtKind::Enum;
                (0..self.items.adt(*id).variants.len() as u32).any(|variant| {
                    let fields = self.items.adt(*id).variants[variant as usize].fields.len();
                    empty && self.is_uninhabited_variant(*id, variant, arguments)
                        || (0..fields)
                            .any(|field| self.is_emptied(&self.field_type(*id, variant, field, arguments)))
                })
            }
            _ => false,
        };
        self.emptied.borrow_mut().insert(ty.clone(), found);
        found
    }

    /// Whether nobody has a value of a type, or it is not followed which of them somebody has: elements of slices are
    /// any of their type.
    pub fn is_had_by_nobody(&self, ty: &Ty) -> bool {
        let strange = |part: &Ty| match part {
            Ty::Slice(element) => !self.is_uninhabited(element) && self.is_emptied(element),
            _ => false,
        };
        self.is_uninhabited(ty) || self.is_emptied(ty) && self.some_part(ty, &strange, &mut Vec::new())
    }

    fn some_part(&self, ty: &Ty, is_it: &dyn Fn(&Ty) -> bool, around: &mut Vec<Ty>) -> bool {
        if is_it(ty) {
            return true;
        }
        match ty {
            Ty::Reference(_, inner) | Ty::Array(inner, _) | Ty::Slice(inner) => {
                self.some_part(inner, is_it, around)
            }
            Ty::Tuple(parts) => parts.iter().any(|part| self.some_part(part, is_it, around)),
            Ty::Adt(..) if around.contains(ty) || around.len() > DEPTH_LIMIT => false,
            Ty::Adt(id, arguments) => {
                around.push(ty.clone());
                let found =
                    self.field_types(*id, arguments).iter().any(|part| self.some_part(part, is_it, around));
                around.pop();
                found
            }
            _ => false,
        }
    }
}
