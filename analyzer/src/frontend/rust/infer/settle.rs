//! What bounds say about types that are still open: the callee asks for a trait, and what there is has it in one way only.

use super::super::context::Environment;
use super::super::hir::{FnId, TraitId};
use super::super::items::{Bound, Owner, Predicate};
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::Infer;
use super::traits::is_open;

impl Infer<'_, '_> {
    /// What the bounds around the body ask of a type: traits with their arguments.
    pub(super) fn bounds_on(&self, ty: &Ty) -> Vec<(TraitId, Vec<Ty>)> {
        let ty = self.variables.known(ty);
        // Where two parameters are of one type it is not known whose bounds are meant.
        if self.environment.names.iter().filter(|(_, own)| *own == ty).count() > 1 {
            return Vec::new();
        }
        let asked = self.predicates().into_iter().filter_map(|predicate| {
            let subject = self.context.type_of(&predicate.subject, self.environment);
            let (seen, arguments) = self.asked_trait(predicate, self.environment)?;
            (subject == ty).then_some((seen, arguments))
        });
        asked.collect()
    }

    fn asked_trait(&self, predicate: &Predicate, environment: &Environment) -> Option<(TraitId, Vec<Ty>)> {
        let Bound::Trait(path, _) = &predicate.bound else { return None };
        let TraitName::Seen(seen) = self.context.trait_named(path) else { return None };
        let last = path.segments.last()?;
        Some((seen, last.arguments.iter().map(|ty| self.context.type_of(ty, environment)).collect()))
    }

    /// Learns from the bounds of a function that is called what its generic parameters are.
    pub(super) fn settle(&mut self, function: FnId, generics: &[Ty]) {
        if !generics.iter().any(|ty| is_open(&self.variables.known(ty))) {
            return;
        }
        self.unsettled.push((function, generics.to_vec()));
        self.settle_now(function, generics);
    }

    /// What is known at the end may settle what was open before.
    pub(super) fn settle_rest(&mut self) {
        for (function, generics) in std::mem::take(&mut self.unsettled) {
            if generics.iter().any(|ty| is_open(&self.variables.known(ty))) {
                self.settle_now(function, &generics);
            }
        }
    }

    fn settle_now(&mut self, function: FnId, generics: &[Ty]) {
        let items = self.context.items;
        let found = items.function(function);
        let around: &[Predicate] = match found.owner {
            Owner::Impl(id) => &items.impls[id.index()].predicates,
            _ => &[],
        };
        let environment = self.context.environment_of(function, generics);
        for predicate in found.predicates.iter().chain(around) {
            let Some((seen, arguments)) = self.asked_trait(predicate, &environment) else { continue };
            let subject = self.context.type_of(&predicate.subject, &environment);
            if !self.by_own_bounds(&subject, seen, &arguments) {
                self.by_only_type(&subject, seen, &arguments);
            }
        }
    }

    /// A bound of the body itself goes before impls: it says what the trait's arguments are.
    fn by_own_bounds(&mut self, subject: &Ty, seen: TraitId, arguments: &[Ty]) -> bool {
        if is_open(&self.variables.known(subject)) {
            return false;
        }
        let own = self.bounds_on(subject);
        let mut fitting = own.iter().filter(|(of, _)| *of == seen);
        let Some((_, given)) = fitting.next().filter(|_| fitting.next().is_none()) else { return false };
        for (open, known) in arguments.iter().zip(given).filter(|(_, known)| !is_open(known)) {
            self.variables.unify(open, known);
        }
        true
    }

    /// A type that is known but for its arguments has the trait in every way for the same arguments: those are meant.
    /// Nothing of the crates that could say more may be hidden, and what the trait is asked with must be known, because
    /// crates that are not read have impls for types of their own.
    fn by_only_type(&mut self, subject: &Ty, seen: TraitId, arguments: &[Ty]) {
        let (context, items) = (self.context, self.context.items);
        let known = self.variables.known(subject);
        let Ty::Adt(id, parts) = &known else { return };
        let hides = |module| items.crate_of(module).hides;
        let hidden = hides(items.adt(*id).module) || hides(items.traits[seen.index()].module);
        let open = arguments.iter().any(|ty| is_open(&self.variables.known(ty)));
        if !parts.iter().any(is_open) || hidden || open || context.hides_impls() {
            return;
        }
        let mut only: Option<&Ty> = None;
        for (owner, target) in &context.impls {
            if context.trait_of(*owner) != Some(&TraitName::Seen(seen)) {
                continue;
            }
            match target {
                Ty::Adt(of, _) if of != id => {}
                Ty::Adt(..) if target.any(&mut |part| matches!(part, Ty::Parameter(_) | Ty::Opaque)) => {
                    return;
                }
                Ty::Adt(..) if only.is_none_or(|only| only == target) => only = Some(target),
                Ty::Adt(..) | Ty::Parameter(_) | Ty::Opaque => return,
                _ => {}
            }
        }
        if let Some(only) = only {
            self.variables.unify(subject, only);
        }
    }
}
