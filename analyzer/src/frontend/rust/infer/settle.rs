//! What bounds say about types that are still open: the callee asks for a trait, and what there is has it in one way only.

use super::super::context::Environment;
use super::super::hir::{AdtId, FnId, TraitId};
use super::super::items::{Bound, Owner, Predicate};
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::Infer;
use super::only::NESTED;
use super::traits::is_open;

/// What asks for something: a function that is called, or a type whose values are made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asking {
    Function(FnId),
    Type(AdtId),
}

impl<'c> Infer<'_, 'c> {
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

    pub(super) fn asked_trait(
        &self,
        predicate: &Predicate,
        environment: &Environment,
    ) -> Option<(TraitId, Vec<Ty>)> {
        let Bound::Trait(path, _) = &predicate.bound else { return None };
        let TraitName::Seen(seen) = self.context.trait_named(path) else { return None };
        let last = path.segments.last()?;
        Some((seen, last.arguments.iter().map(|ty| self.context.type_of(ty, environment)).collect()))
    }

    /// Learns from what is asked of generic parameters what they are.
    pub(super) fn settle(&mut self, asking: Asking, generics: &[Ty]) {
        if !generics.iter().any(|ty| is_open(&self.variables.known(ty))) {
            return;
        }
        self.unsettled.push((asking, generics.to_vec()));
        self.settle_now(asking, generics);
    }

    /// What is known at the end may settle what was open before. What is asked of the rest, and not understood, may say
    /// more about it than we see.
    pub(super) fn settle_rest(&mut self) {
        let unsettled = std::mem::take(&mut self.unsettled);
        let is_unsettled =
            |infer: &Self, generics: &[Ty]| generics.iter().any(|ty| is_open(&infer.variables.known(ty)));
        for (asking, generics) in &unsettled {
            if is_unsettled(self, generics) {
                self.settle_now(*asking, generics);
            }
        }
        for (asking, generics) in &unsettled {
            if is_unsettled(self, generics) {
                self.doubt(*asking, generics);
            }
        }
    }

    fn settle_now(&mut self, asking: Asking, generics: &[Ty]) {
        let environment = self.environment_of(asking, generics);
        for predicate in self.asked_by(asking) {
            self.by_items(predicate, &environment);
            self.by_conversion(predicate, &environment);
            let Some((seen, arguments)) = self.asked_trait(predicate, &environment) else { continue };
            let subject = self.context.type_of(&predicate.subject, &environment);
            if !self.by_own_bounds(&subject, seen, &arguments) {
                self.by_only_type(&subject, seen, &arguments);
                self.by_only_impl(&subject, seen, &arguments, NESTED);
            }
        }
        if let Asking::Function(function) = asking {
            self.by_what_is_drawn(function, generics);
        }
    }

    fn doubt(&mut self, asking: Asking, generics: &[Ty]) {
        let environment = self.environment_of(asking, generics);
        for predicate in self.asked_by(asking).into_iter().filter(|predicate| !predicate.relaxes) {
            if !self.is_understood(asking, predicate, &environment) {
                let types = self.types_of(predicate, &environment);
                types.iter().for_each(|ty| self.variables.taint(ty));
            }
        }
        if let Asking::Function(function) = asking
            && !self.by_what_is_drawn(function, generics)
        {
            generics.iter().for_each(|ty| self.variables.taint(ty));
        }
    }

    pub(super) fn environment_of(&self, asking: Asking, generics: &[Ty]) -> Environment {
        match asking {
            Asking::Function(function) => self.context.environment_of(function, generics),
            Asking::Type(adt) => {
                let names = self.context.items.adt(adt).generics.iter().map(|generic| generic.name.clone());
                let names = names.zip(generics.iter().cloned()).collect();
                Environment { names, own: Some(Ty::Adt(adt, generics.to_vec())), ..Environment::default() }
            }
        }
    }

    fn asked_by(&self, asking: Asking) -> Vec<&'c Predicate> {
        let items = self.context.items;
        let (own, around): (&[Predicate], &[Predicate]) = match asking {
            Asking::Function(function) => {
                let found = items.function(function);
                let around: &[Predicate] = match found.owner {
                    Owner::Impl(id) => &items.impls[id.index()].predicates,
                    _ => &[],
                };
                (&found.predicates, around)
            }
            Asking::Type(adt) => (&items.adt(adt).predicates, &[]),
        };
        own.iter().chain(around).collect()
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
