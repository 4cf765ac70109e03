//! What lies behind a value by its own `Deref`: methods of slices and texts that it is asked for as if it were one, elements
//! and parts of it, and `*value`.
//!
//! Where the body of `deref`, and of `deref_mut`, names a place in the value, that place is meant. Else only what borrows it
//! shared is understood: the call of `deref` gives a value, not a place.

use super::super::context::Context;
use super::super::hir::{ExprId, ExprKind, FnId, Mutability, TypeRef};
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

impl Behind {
    /// Where in the value the place lies that its `deref`, and its `deref_mut` if it has one, gives.
    pub fn place(&self, context: &Context<'_>) -> Option<usize> {
        let own = self.own.behind();
        let at = context.place_behind(self.function, own, &self.target)?;
        match self.writing {
            Some(writing) => (context.place_behind(writing, own, &self.target)? == at).then_some(at),
            None => Some(at),
        }
    }

    /// The type of what lies behind, borrowed.
    fn borrowed(&self, mutability: Mutability) -> Ty {
        Ty::Reference(mutability, Box::new(self.target.clone()))
    }
}

impl Infer<'_, '_> {
    /// What a value of a type of the crate says lies behind it, if it is a plain place.
    fn said_behind(&mut self, place: ExprId, own: &Ty) -> Option<Behind> {
        let own = self.variables.known(own);
        let Ty::Adt(adt, _) = &own else { return None };
        let items = self.context.items;
        let of_std = items.is_std_module(items.adt(*adt).module);
        if of_std || self.context.hides_impls_for(&own) || !self.is_plain_place(place) {
            return None;
        }
        let (function, generics) = self.of_trait(&own, "ops::Deref", "deref")?;
        let (_, result) = self.signature(function, &generics);
        let Ty::Reference(Mutability::Shared, target) = self.variables.known(&result) else { return None };
        let writing = self.of_trait(&own, "ops::DerefMut", "deref_mut").map(|(function, _)| function);
        let before = self.typing.exprs[place.index()].clone();
        let known = self.variables.known(&before);
        // Only references lie between the place and the value.
        if *known.behind() != own {
            return None;
        }
        let mut behind =
            Behind { function, writing, generics, own: known, target: (*target).clone(), part: None };
        behind.part = behind.place(self.context);
        Some(behind)
    }

    pub(super) fn of_trait(&mut self, own: &Ty, of_trait: &str, name: &str) -> Option<(FnId, Vec<Ty>)> {
        let through = Through::Trait(TraitName::Standard(of_trait.into()));
        match self.associated(own, &through, name, &[]) {
            Item::Function(function, generics) => Some((function, generics)),
            _ => None,
        }
    }

    /// How what lies behind a place is borrowed: to be written where it can be.
    fn lending(&self, place: ExprId, behind: &Behind) -> Mutability {
        match behind.part.is_some() && behind.writing.is_some() && self.can_be_written(place) {
            true => Mutability::Mutable,
            false => Mutability::Shared,
        }
    }

    fn can_be_written(&self, id: ExprId) -> bool {
        let ty = self.variables.known(&self.typing.exprs[id.index()]);
        match (&self.body.expr(id).kind, ty) {
            (_, Ty::Reference(Mutability::Shared, _)) => false,
            (ExprKind::Local(_), Ty::Reference(Mutability::Mutable, _)) => true,
            (ExprKind::Local(local), _) => self.body.local(*local).mutable,
            (ExprKind::Field(inner, _), _) => self.can_be_written(*inner),
            _ => false,
        }
    }

    /// A method that the type itself does not have, of the slice or the text that its `deref` gives.
    pub(super) fn method_behind(
        &mut self,
        (id, place): (ExprId, ExprId),
        own: &Ty,
        (name, written): (&str, &[TypeRef]),
        arguments: &[ExprId],
        (expected, scope): (&Expected, &Scope),
    ) -> Option<Ty> {
        if scope.may_have(name) || OF_TRAITS.contains(&name) {
            return None;
        }
        let behind = self.said_behind(place, own)?;
        let mutability = self.lending(place, &behind);
        let writes = name.ends_with("_mut") && mutability == Mutability::Shared;
        if !matches!(behind.target, Ty::Slice(_) | Ty::Str) || writes {
            return None;
        }
        let (before, target) = (self.typing.exprs[place.index()].clone(), behind.target.clone());
        self.typing.exprs[place.index()] = behind.borrowed(mutability);
        self.typing.behind.insert(place, behind);
        let asked = (&target, mutability);
        let ty = self.of_target(id, asked, (name, written), arguments, (expected, scope));
        if ty.is_none() {
            self.typing.behind.remove(&place);
            self.typing.exprs[place.index()] = before;
        }
        ty
    }

    fn of_target(
        &mut self,
        id: ExprId,
        (target, mutability): (&Ty, Mutability),
        (name, written): (&str, &[TypeRef]),
        arguments: &[ExprId],
        (expected, scope): (&Expected, &Scope),
    ) -> Option<Ty> {
        if let Some(ty) = self.of_slice(id, target, name, written, arguments) {
            return Some(ty);
        }
        let shared =
            self.candidates(target, Passing::Reference(Mutability::Shared), (Standing::Itself, scope), name);
        let candidates = match (shared.is_empty(), mutability) {
            (true, Mutability::Mutable) => {
                self.candidates(target, Passing::Reference(mutability), (Standing::Itself, scope), name)
            }
            _ => shared,
        };
        let [only] = candidates.as_slice() else { return None };
        let items = self.context.items;
        let function = items.function(only.function);
        let inherent = match function.owner {
            Owner::Impl(owner) => items.impls[owner.index()].of_trait.is_none(),
            _ => false,
        };
        let borrows = matches!(function.parameters.first(), Some(TypeRef::Reference(..)));
        if !inherent || !borrows || !items.is_std_module(function.module) {
            return None;
        }
        let (function, generics) = (only.function, only.generics.clone());
        Some(self.call_method(id, (function, &generics), written, arguments, expected))
    }

    /// What stands before brackets or behind a `*`, where that is a value of the crate and `Deref` says what is meant.
    pub(super) fn place_behind(&mut self, place: ExprId, ty: &Ty) -> Option<Ty> {
        let own = self.variables.known(ty);
        let behind = self.said_behind(place, own.behind())?;
        behind.part?;
        let mutability = self.lending(place, &behind);
        let borrowed = behind.borrowed(mutability);
        self.typing.exprs[place.index()] = borrowed.clone();
        self.typing.behind.insert(place, behind);
        Some(borrowed)
    }

    /// Whether an impl of the crate may say what brackets behind a value of a type mean.
    pub(super) fn may_be_indexed(&self, own: &Ty) -> bool {
        let own = self.variables.known(own);
        let indexes = TraitName::Standard("ops::Index".into());
        let same = |target: &Ty| match (target, own.behind()) {
            (Ty::Adt(one, _), Ty::Adt(other, _)) => one == other,
            _ => true,
        };
        self.context.impls_of(&indexes).any(|(_, target)| same(target))
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
