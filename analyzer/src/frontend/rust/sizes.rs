//! How many bytes values take: exactly where the language says so, else about.

use super::context::Context;
use super::types::{Length, Ty};

const DEPTH_LIMIT: u32 = 24;

impl Context<'_> {
    /// How many bytes a value takes, where the language says so: `size_of`.
    pub fn size(&self, ty: &Ty) -> Option<u64> {
        let pointer = u64::from(self.configuration.pointer_width / 8);
        match ty {
            Ty::Integer(integer) => Some(u64::from(integer.ty.bits / 8)),
            Ty::Bool => Some(1),
            Ty::Char => Some(4),
            Ty::Tuple(parts) if parts.is_empty() => Some(0),
            Ty::Array(element, Length::Known(length)) => self.size(element)?.checked_mul(*length),
            Ty::Reference(_, referred) => match &**referred {
                Ty::Slice(_) | Ty::Str => Some(2 * pointer),
                Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Array(..) | Ty::Reference(..) => Some(pointer),
                _ => None,
            },
            _ => None,
        }
    }

    /// About how many bytes a value takes.
    pub fn bytes(&self, ty: &Ty) -> u64 {
        self.bytes_within(ty, 0)
    }

    fn bytes_within(&self, ty: &Ty, depth: u32) -> u64 {
        let inner = |ty: &Ty| self.bytes_within(ty, depth + 1);
        match ty {
            _ if depth > DEPTH_LIMIT => 0,
            Ty::Integer(integer) => u64::from(integer.ty.bits / 8),
            Ty::Bool => 1,
            Ty::Char => 4,
            Ty::Float(bits) => u64::from(bits / 8),
            Ty::Constant(_) => 8,
            Ty::Reference(_, referred) | Ty::Range(referred) => inner(referred),
            Ty::Tuple(parts) => {
                let gap = self.gap(ty, depth);
                parts.iter().map(|part| inner(part).saturating_add(gap)).fold(0, u64::saturating_add)
            }
            Ty::Array(element, Length::Known(length)) => inner(element).saturating_mul(*length),
            Ty::Slice(_) | Ty::Str => 16,
            Ty::Adt(..) if self.is_cut(ty) => 8,
            Ty::Adt(id, arguments) if !self.items.adt(*id).opaque => {
                let fields = self.items.adt(*id).variants.iter().enumerate().flat_map(|(index, variant)| {
                    (0..variant.fields.len()).map(move |field| (index as u32, field))
                });
                let gap = self.gap(ty, depth);
                fields
                    .map(|(variant, field)| inner(&self.field_type(*id, variant, field, arguments)))
                    .fold(gap.max(1), |sum, bytes| sum.saturating_add(bytes).saturating_add(gap))
            }
            _ => 0,
        }
    }

    /// What `#[repr(align(N))]` of a part may leave empty between two parts of a value; what numbers leave does not count.
    fn gap(&self, ty: &Ty, depth: u32) -> u64 {
        match ty {
            _ if depth > DEPTH_LIMIT => 0,
            Ty::Array(element, _) => self.gap(element, depth + 1),
            Ty::Tuple(parts) => parts.iter().map(|part| self.gap(part, depth + 1)).max().unwrap_or(0),
            Ty::Adt(..) if self.is_cut(ty) => 0,
            Ty::Adt(id, arguments) if !self.items.adt(*id).opaque => {
                let adt = self.items.adt(*id);
                let fields = (0..adt.variants.len() as u32).flat_map(|variant| {
                    (0..adt.variants[variant as usize].fields.len()).map(move |field| (variant, field))
                });
                let inside = fields.map(|(variant, field)| {
                    self.gap(&self.field_type(*id, variant, field, arguments), depth + 1)
                });
                inside.max().unwrap_or(0).max(if adt.alignment > 16 { adt.alignment } else { 0 })
            }
            _ => 0,
        }
    }
}
