//! Methods of slices and texts that our own text of std cannot declare, because their types depend on more than the
//! receiver's.

use super::super::hir::{ExprId, ExprKind, FnId, Mutability, TypeRef};
use super::super::items::{Bound, Definition, Predicate};
use super::super::std_table::{Meaning, SliceOp};
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::{Callee, Expected, Infer};

impl Infer<'_, '_> {
    pub(super) fn of_slice(
        &mut self,
        id: ExprId,
        receiver: &Ty,
        name: &str,
        written: &[TypeRef],
        arguments: &[ExprId],
    ) -> Option<Ty> {
        if !matches!(receiver, Ty::Slice(_) | Ty::Str) {
            return None;
        }
        let (meaning, ty) = match (name, arguments) {
            ("len", []) => (Meaning::Length, self.context.usize()),
            // A loop goes through the elements themselves; all others take an iterator of our own text.
            ("iter" | "iter_mut", []) if matches!(receiver, Ty::Slice(_)) && self.looped == Some(id) => {
                let mutability = if name == "iter_mut" { Mutability::Mutable } else { Mutability::Shared };
                (Meaning::Iterate, Ty::Reference(mutability, Box::new(receiver.clone())))
            }
            ("get" | "get_mut", [range]) if self.is_range(*range) => {
                let found = self.expr(*range, &Expected::Nothing);
                if let Ty::Range(bound) = self.resolved(&found) {
                    self.variables.unify(&bound, &self.context.usize());
                }
                let mutability = if name == "get_mut" { Mutability::Mutable } else { Mutability::Shared };
                let part = Ty::Reference(mutability, Box::new(receiver.clone()));
                (Meaning::Slice(SliceOp::GetPart), self.context.option_of(part))
            }
            ("parse", []) if *receiver == Ty::Str => {
                let value = match written {
                    [written] => self.ty(written),
                    _ => self.variables.fresh(),
                };
                self.typing
                    .callees
                    .insert(id, Callee::Standard(Meaning::Slice(SliceOp::Parse), value.clone()));
                // What goes wrong with numbers is known where the type is written.
                let error = match self.resolved(&value) {
                    Ty::Integer(_) => self.context.standard_adt("num::ParseIntError", Vec::new()),
                    _ => Ty::Opaque,
                };
                return Some(self.context.result_of(value, error));
            }
            _ => return None,
        };
        self.typing.callees.insert(id, Callee::Standard(meaning, receiver.clone()));
        Some(ty)
    }

    /// Looks at what a method of `str` looks for. Arrays of letters and borrowed texts of any kind are patterns
    /// like slices of letters and texts.
    pub(super) fn takes_pattern(&mut self, function: FnId, last: ExprId, parameters: &[Ty]) -> bool {
        let items = self.context.items;
        let Some(Definition::Trait(wanted)) = items.standard("patterns::Pattern") else { return false };
        let found = items.function(function);
        let is_pattern = |predicate: &Predicate| match &predicate.bound {
            Bound::Trait(path, _) => self.context.trait_named(path) == TraitName::Seen(wanted),
            Bound::Callable(..) => false,
        };
        let is_closure = matches!(self.body.expr(last).kind, ExprKind::Closure(_));
        if is_closure || !items.is_std_module(found.module) || !found.predicates.iter().any(is_pattern) {
            return false;
        }
        let Some(parameter) = parameters.last() else { return false };
        let ty = self.expr(last, &Expected::Nothing);
        let ty = self.variables.known(&ty);
        let pattern = match (ty.behind(), &ty) {
            (Ty::Array(letter, _) | Ty::Slice(letter), _) if **letter == Ty::Char => {
                Ty::Slice(Box::new(Ty::Char))
            }
            (Ty::Adt(id, _), Ty::Reference(..)) if items.is_standard(*id, "String") => Ty::Str,
            (Ty::Str, _) => Ty::Str,
            _ => {
                self.variables.unify(&ty, parameter);
                return true;
            }
        };
        self.variables.unify(&Ty::Reference(Mutability::Shared, Box::new(pattern)), parameter);
        true
    }

    pub(super) fn is_range(&self, id: ExprId) -> bool {
        matches!(self.body.expr(id).kind, ExprKind::Range { .. })
    }
}
