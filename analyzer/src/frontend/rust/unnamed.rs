//! Types without a name: what functions give as `impl Iterator` and the like is what their bodies give.
//!
//! Rust forgets everything about such a type but the bounds. So a type counts only if it has nothing of its own that a
//! name could mean in the place of what the bounds have: methods of the crate, or its impls of other traits. Only who follows
//! runs asks; elsewhere such values are of an unknown type.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::context::Context;
use super::hir::FnId;
use super::items::Bound;
use super::traits::TraitName;
use super::types::{Called, Ty};

/// Functions whose bodies are being looked into.
pub type Giving = RefCell<FxHashSet<(FnId, Vec<Ty>)>>;

impl Context<'_> {
    /// Whether the type that a function gives has no name, and its body says which it is.
    pub fn gives_unnamed(&self, id: FnId) -> bool {
        let gives = &self.items.function(id).gives;
        // A method of a trait of the crate would be meant before one that the type has itself.
        let is_plain = |bound: &Bound| match bound {
            Bound::Callable(..) => true,
            Bound::Trait(path, _) => self.is_of_std(&self.trait_named(path)),
        };
        let all = || gives.iter().all(|predicate| is_plain(&predicate.bound));
        self.follows.get() && !gives.is_empty() && !self.is_of_trait(id) && all()
    }

    fn is_of_std(&self, name: &TraitName) -> bool {
        match name {
            TraitName::Standard(_) => true,
            TraitName::Seen(id) => self.items.is_std_trait(*id),
            TraitName::Unknown => false,
        }
    }

    /// The type that a function gives that declares none, for these types in the place of its parameters.
    pub fn unnamed(&self, id: FnId, generics: &[Ty]) -> Option<Ty> {
        if !self.gives_unnamed(id) || generics.iter().any(is_open) {
            return None;
        }
        let body = self.body(id)?;
        let asked = (id, generics.to_vec());
        if !self.giving.borrow_mut().insert(asked.clone()) {
            return None;
        }
        let typing = self.typed(id, generics, body);
        self.giving.borrow_mut().remove(&asked);
        let ty = typing.exprs[body.root?.index()].clone();
        (!is_open(&ty) && self.has_only_what_is_of_std(&ty)).then_some(ty)
    }

    fn has_only_what_is_of_std(&self, ty: &Ty) -> bool {
        let id = match ty {
            Ty::Callable(Called::Closure(_), _) => return true,
            Ty::Adt(id, _) => *id,
            _ => return false,
        };
        if self.hides_impls_for(ty) {
            return false;
        }
        let items = self.items;
        self.impls.iter().all(|(found, target)| {
            let found = &items.impls[found.index()];
            if !matches!(target, Ty::Adt(of, _) if *of == id) || items.is_std_module(found.module) {
                return true;
            }
            match &found.of_trait {
                Some(path) => self.is_of_std(&self.trait_named(path)),
                None => found.functions.values().all(|function| !items.function(*function).takes_self),
            }
        })
    }
}

fn is_open(ty: &Ty) -> bool {
    ty.any(&mut |part| matches!(part, Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_)))
}
