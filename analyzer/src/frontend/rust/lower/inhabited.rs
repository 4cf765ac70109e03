//! Scalars of a type with variants, or elements, that have no values: which of them are those of a value.

use super::super::super::arith;
use super::super::context::Context;
use super::super::items::AdtKind;
use super::super::types::{Length, Part, Ty};
use crate::ir::{Cond, Expr};
use kleene_domains::expr::CompareOp;

impl Context<'_> {
    /// When scalars are those of a value: no variant without values, no elements where there are none to have. What
    /// stands in the elements of slices is not asked.
    pub(super) fn inhabited(&self, ty: &Ty, leaves: &[Vec<Expr>]) -> Cond {
        let yes = Cond::Literal(true);
        if !self.is_emptied(ty) || leaves.len() != self.leaf_count(ty) || leaves.is_empty() {
            return yes;
        }
        let all = |parts: &mut dyn Iterator<Item = Cond>| parts.fold(Cond::Literal(true), Cond::and);
        match ty {
            Ty::Reference(_, inner) => self.inhabited(inner, leaves),
            Ty::Tuple(parts) => {
                let mut at = 0;
                all(&mut parts.iter().map(|part| {
                    let count = self.leaf_count(part);
                    at += count;
                    self.inhabited(part, &leaves[at - count..at])
                }))
            }
            Ty::Array(element, Length::Known(length @ 1..)) => {
                let element_of = |index: usize| -> Option<Vec<Vec<Expr>>> {
                    let part = |slots: &Vec<Expr>| {
                        let each = slots.len() / *length as usize;
                        slots.get(index * each..(index + 1) * each).map(<[Expr]>::to_vec)
                    };
                    leaves.iter().map(part).collect()
                };
                all(&mut (0..*length as usize).map(|index| match element_of(index) {
                    Some(leaves) => self.inhabited(element, &leaves),
                    None => Cond::Literal(true),
                }))
            }
            Ty::Slice(element) if self.is_uninhabited(element) => {
                let is_length = |part: Part| matches!(part, Part::Length(_));
                let at = self.leaves(ty).iter().position(|leaf| is_length(leaf.part));
                match at.and_then(|at| leaves[at].first()) {
                    Some(length) => arith::compare(CompareOp::Equal, length.clone(), arith::constant(0)),
                    None => yes,
                }
            }
            Ty::Adt(id, arguments) => {
                let adt = self.items.adt(*id);
                let fields = |variant: u32| {
                    all(&mut (0..adt.variants[variant as usize].fields.len()).map(|field| {
                        let (at, part) = self.field_leaves(*id, variant, field, arguments);
                        match leaves.get(at..at + self.leaf_count(&part)) {
                            Some(leaves) => self.inhabited(&part, leaves),
                            None => Cond::Literal(true),
                        }
                    }))
                };
                if adt.kind == AdtKind::Struct {
                    return fields(0);
                }
                let Some(tag) = leaves[0].first() else { return yes };
                all(&mut (0..adt.variants.len() as u32).map(|variant| {
                    let other =
                        arith::compare(CompareOp::NotEqual, tag.clone(), arith::constant(i64::from(variant)));
                    match self.is_uninhabited_variant(*id, variant, arguments) {
                        true => other,
                        false => match fields(variant) {
                            Cond::Literal(true) => Cond::Literal(true),
                            inner => other.or(inner),
                        },
                    }
                }))
            }
            _ => yes,
        }
    }
}
