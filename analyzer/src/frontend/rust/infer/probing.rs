//! The order in which rustc looks for methods, where code that is not seen may have some: by value, borrowed, borrowed to be
//! written, then the same for what lies behind; at each of these what a type has itself goes before traits.

use super::super::hir::{FnId, ImplId, ModuleId, Mutability, TraitId, TypeRef};
use super::super::items::Owner;
use super::super::scope::Scope;
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::Infer;
use super::method::{COMPARING, Passing, TAKING};

/// Methods of std that borrow what they look at.
const LOOKING: &[&str] = &[
    "len", "is_some", "is_none", "is_ok", "is_err", "is_empty", "contains", "iter", "first", "last", "get",
    "clone",
];

/// How far the search has come.
#[derive(Clone, Copy)]
pub(super) struct At<'t> {
    pub step: &'t Ty,
    /// What stands before the dot.
    pub first: &'t Ty,
}

impl At<'_> {
    pub fn is_first(self) -> bool {
        self.step == self.first
    }

    /// Whether nothing lies between what stands before the dot and the type that has the methods.
    pub fn is_direct(self) -> bool {
        self.is_first() && !matches!(self.step, Ty::Reference(..))
    }

    /// Whether a method that takes its first parameter so may be met before one that the type has itself.
    fn is_after(self, own: Option<Passing>, other: Option<&TypeRef>) -> bool {
        let shared = Passing::Reference(Mutability::Shared);
        let lent =
            |first: &Ty| matches!(first, Ty::Reference(Mutability::Shared, inner) if **inner == *self.step);
        match own {
            Some(Passing::Value) if self.is_first() => false,
            // Of a reference to it, it takes the value.
            Some(own) if own == shared && lent(self.first) => false,
            Some(Passing::Reference(mutability)) if self.is_direct() => match other {
                Some(TypeRef::Reference(Mutability::Shared, _)) => mutability == Mutability::Mutable,
                Some(TypeRef::Reference(Mutability::Mutable, _)) => false,
                _ => true,
            },
            _ => true,
        }
    }
}

impl Infer<'_, '_> {
    /// How an operation of the language or of std takes its value; `None` where it is met last.
    pub(super) fn way_of_language(&self, step: &Ty, name: &str) -> Option<Passing> {
        match step {
            _ if TAKING.contains(&name) => Some(Passing::Value),
            Ty::Integer(_) if !COMPARING.contains(&name) => Some(Passing::Value),
            // Arrays are slices last.
            Ty::Array(..) => None,
            _ if LOOKING.contains(&name) || COMPARING.contains(&name) => {
                Some(Passing::Reference(Mutability::Shared))
            }
            _ => Some(Passing::Reference(Mutability::Mutable)),
        }
    }

    /// Whether a trait in scope has a method that goes before one of std, and code that is not seen may say which types
    /// have it.
    pub(super) fn may_go_before(
        &self,
        at: At<'_>,
        own: Option<Passing>,
        (scope, name): (&Scope, &str),
    ) -> bool {
        let items = self.context.items;
        let hides = |module: ModuleId| items.is_foreign_module(module) && items.crate_of(module).hides;
        let all = items.traits.iter().zip(0..).filter(|(found, _)| !items.is_std_module(found.module));
        all.filter(|(found, _)| self.context.hides_impls() || hides(found.module)).any(|(found, id)| {
            let Some(other) = found.functions.get(name) else { return false };
            let other = items.function(*other);
            other.takes_self
                && at.is_after(own, other.parameters.first())
                && scope.has(items, &TraitName::Seen(TraitId(id))) != Some(false)
        })
    }

    /// Whether a function is one of a trait of std that has to be imported.
    pub(super) fn is_imported(&self, function: FnId) -> bool {
        let items = self.context.items;
        let of = match items.function(function).owner {
            Owner::Impl(id) => self.context.trait_of(id).cloned(),
            Owner::Trait(id) => Some(TraitName::Seen(id)),
            Owner::Module => None,
        };
        matches!(of, Some(TraitName::Seen(id)) if items.is_std_trait(id) && !items.is_always_there(id))
    }

    /// Whether values of a type may have the methods of `Ord`.
    pub(super) fn may_be_ordered(&self, ty: &Ty) -> bool {
        let Ty::Adt(id, _) = ty else { return true };
        let ord = TraitName::Standard("cmp::Ord".into());
        let of_type = |(_, target): &(ImplId, Ty)| matches!(target, Ty::Adt(of, _) if of == id);
        self.context.items.adt(*id).derives.contains("Ord")
            || self.context.hides_impls_for(ty)
            || self.context.impls_of(&ord).any(of_type)
    }
}
