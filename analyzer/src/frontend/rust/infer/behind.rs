//! What lies behind a value by its own `Deref`: methods of slices and texts that it is asked for as if it were one.
//!
//! Only what borrows it shared is understood: the call of `deref` gives a value, not a place.

use super::super::hir::{ExprId, ExprKind, Mutability, TypeRef};
use super::super::items::Owner;
use super::super::scope::Scope;
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::method::Passing;
use super::path::{Item, Through};
use super::standing::Standing;
use super::{Behind, Expected, Infer};

/// What types may have of traits that nobody writes an impl for.
const OF_TRAITS: &[&str] = &[
    "clone",
    "clone_from",
    "eq",
    "ne",
    "cmp",
    "partial_cmp",
    "lt",
    "le",
    "gt",
    "ge",
    "max",
    "min",
    "clamp",
    "hash",
    "fmt",
    "to_string",
    "to_owned",
    "into",
    "try_into",
    "borrow",
    "borrow_mut",
    "as_ref",
    "as_mut",
    "type_id",
    "into_iter",
    "by_ref",
    "default",
    "index",
    "index_mut",
    "deref",
    "deref_mut",
    "extend",
];

impl Infer<'_, '_> {
    /// A method that the type itself does not have, of the slice or the text that its `deref` gives.
    pub(super) fn method_behind(
        &mut self,
        (id, place): (ExprId, ExprId),
        own: &Ty,
        (name, written): (&str, &[TypeRef]),
        arguments: &[ExprId],
        (expected, scope): (&Expected, &Scope),
    ) -> Option<Ty> {
        let own = self.variables.known(own);
        let Ty::Adt(adt, _) = &own else { return None };
        let items = self.context.items;
        let of_std = items.is_std_module(items.adt(*adt).module);
        let hidden = self.context.hides_impls_for(&own) || scope.may_have(name);
        if of_std
            || hidden
            || name.ends_with("_mut")
            || OF_TRAITS.contains(&name)
            || !self.is_plain_place(place)
        {
            return None;
        }
        let through = Through::Trait(TraitName::Standard("ops::Deref".into()));
        let Item::Function(function, generics) = self.associated(&own, &through, "deref", &[]) else {
            return None;
        };
        let (_, result) = self.signature(function, &generics);
        let Ty::Reference(Mutability::Shared, target) = self.variables.known(&result) else { return None };
        if !matches!(*target, Ty::Slice(_) | Ty::Str) {
            return None;
        }
        let before = self.typing.exprs[place.index()].clone();
        self.typing.exprs[place.index()] = Ty::Reference(Mutability::Shared, target.clone());
        let behind = Behind { function, generics, own: before.clone() };
        self.typing.behind.insert(place, behind);
        let ty = self.of_target((id, &target), (name, written), arguments, (expected, scope));
        if ty.is_none() {
            self.typing.behind.remove(&place);
            self.typing.exprs[place.index()] = before;
        }
        ty
    }

    fn of_target(
        &mut self,
        (id, target): (ExprId, &Ty),
        (name, written): (&str, &[TypeRef]),
        arguments: &[ExprId],
        (expected, scope): (&Expected, &Scope),
    ) -> Option<Ty> {
        if let Some(ty) = self.of_slice(id, target, name, written, arguments) {
            return Some(ty);
        }
        let shared = Passing::Reference(Mutability::Shared);
        let candidates = self.candidates(target, shared, (Standing::Itself, scope), name);
        let [only] = candidates.as_slice() else { return None };
        let items = self.context.items;
        let function = items.function(only.function);
        let inherent = match function.owner {
            Owner::Impl(owner) => items.impls[owner.index()].of_trait.is_none(),
            _ => false,
        };
        let borrows = matches!(function.parameters.first(), Some(TypeRef::Reference(Mutability::Shared, _)));
        if !inherent || !borrows || !items.is_std_module(function.module) {
            return None;
        }
        let (function, generics) = (only.function, only.generics.clone());
        Some(self.call_method(id, (function, &generics), written, arguments, expected))
    }

    /// A local, or a field of one.
    fn is_plain_place(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Local(_) => true,
            ExprKind::Field(inner, _) => self.is_plain_place(*inner),
            _ => false,
        }
    }
}
