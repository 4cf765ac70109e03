//! The only impl there is: a trait that types of one form have in one way says what is still open in them, as rustc learns
//! from the only candidate. Nothing of what could declare another one may be hidden.

use super::super::context::{Environment, parameters};
use super::super::hir::{ImplId, TraitId};
use super::super::items::{Bound, KrateId};
use super::super::traits::{Bindings, TraitName};
use super::super::types::Ty;
use super::Infer;
use super::traits::is_open;

/// How far impls ask for others.
pub(super) const NESTED: u32 = 4;

impl Infer<'_, '_> {
    /// A trait of the crate that a type of this form has in one way only: the impl says what is open in both. What it asks for
    /// must be understood itself. Only crates that use this one could have more impls, and what they use is this text.
    pub(super) fn by_only_impl(&mut self, subject: &Ty, seen: TraitId, arguments: &[Ty], fuel: u32) -> bool {
        let (context, items) = (self.context, self.context.items);
        let known = self.variables.known(subject);
        let given: Vec<Ty> = arguments.iter().map(|ty| self.variables.known(ty)).collect();
        let krate = &items.crates[self.krate().0 as usize];
        let is_own = items.is_own_module(items.traits[seen.index()].module)
            && (self.krate() == KrateId::OWN || krate.in_use);
        if !is_own || context.hides_impls() || krate.hides || fuel == 0 || !matches!(known, Ty::Adt(..)) {
            return false;
        }
        // What is asked around the body goes before impls.
        let asked_around = self.predicates().into_iter().any(|predicate| {
            let subject = context.type_of(&predicate.subject, self.environment);
            self.asked_trait(predicate, self.environment).is_some_and(|(of, _)| of == seen)
                && self.may_be(&subject, &known)
        });
        if asked_around {
            return false;
        }
        let mut only = None;
        for (owner, target) in context.impls_of(&TraitName::Seen(seen)) {
            let names: Bindings = parameters(items.impls[owner.index()].generics.iter());
            let asked = context.trait_arguments(*owner, target, &names);
            let is_one = self.may_be(target, &known)
                && asked.len() == given.len() + 1
                && asked[1..].iter().zip(&given).all(|(asked, given)| self.may_be(asked, given));
            if is_one && only.replace((*owner, target)).is_some() {
                return false;
            }
        }
        let Some((owner, target)) = only else { return false };
        let owned = &items.impls[owner.index()];
        let names: Bindings =
            owned.generics.iter().map(|generic| (generic.name.clone(), self.variables.fresh())).collect();
        let target = target.substitute(&names);
        let asked = context.trait_arguments(owner, &target, &names);
        let opaque = |ty: &Ty| ty.any(&mut |part| *part == Ty::Opaque);
        if owned.opaque || opaque(&target) || asked.iter().any(opaque) {
            return false;
        }
        self.variables.unify(subject, &target);
        arguments.iter().zip(&asked[1..]).for_each(|(given, asked)| self.variables.unify(given, asked));
        let environment =
            Environment { names, own: Some(target), within: Some(owner), ..Environment::default() };
        owned.predicates.iter().filter(|predicate| !predicate.relaxes).all(|predicate| {
            let types = self.types_of(predicate, &environment);
            match self.asked_trait(predicate, &environment) {
                _ if !types.iter().any(is_open) => true,
                Some((seen, arguments)) if !arguments.is_empty() => {
                    self.by_only_impl(&types[0], seen, &arguments, fuel - 1)
                }
                _ => self.is_plainly_understood(predicate, &types),
            }
        })
    }

    /// Two values of which one is of a type of the crates that are read, with one way to compare it with the other: the impl
    /// says what is open in both, and equality of numbers is of one type.
    pub(super) fn by_only_equality(&mut self, left: &Ty, right: &Ty) -> bool {
        let (known, with) = (self.variables.known(left), self.variables.known(right));
        let Ty::Adt(id, _) = &known else { return false };
        let is_itself =
            self.context.items.adt(*id).derives.contains("PartialEq") && self.may_be(&known, &with);
        let open = is_open(&known) || is_open(&with);
        open && !is_itself && self.by_only_standard("cmp::PartialEq", left, right)
    }

    /// A type of the crates that are read that has a trait of std for such an argument in one way.
    pub(super) fn by_only_standard(&mut self, of_trait: &str, left: &Ty, right: &Ty) -> bool {
        let (context, items) = (self.context, self.context.items);
        let (known, with) = (self.variables.known(left), self.variables.known(right));
        let Ty::Adt(id, _) = &known else { return false };
        let module = items.adt(*id).module;
        let opaque = |ty: &Ty| ty.any(&mut |part| *part == Ty::Opaque);
        let hidden = items.is_std_module(module)
            || items.crate_of(module).hides
            || items.crates[self.krate().0 as usize].hides
            || context.hides_impls();
        let any = matches!(with, Ty::Variable(_)) && !self.variables.is_number(&with);
        if hidden || opaque(&known) || opaque(&with) || any {
            return false;
        }
        let mut only = None;
        for (owner, target) in context.impls_of(&TraitName::Standard(of_trait.into())) {
            let names = parameters(items.impls[owner.index()].generics.iter());
            let compared = self.compared_with(*owner, target, &names);
            let is_one = self.may_be(target, &known) && self.may_be(&compared, &with);
            if is_one && only.replace((*owner, target)).is_some() {
                return false;
            }
        }
        let Some((owner, target)) = only else { return false };
        let owned = &items.impls[owner.index()];
        let names: Bindings =
            owned.generics.iter().map(|generic| (generic.name.clone(), self.variables.fresh())).collect();
        let target = target.substitute(&names);
        let compared = self.compared_with(owner, &target, &names);
        if owned.opaque || opaque(&target) || opaque(&compared) {
            return false;
        }
        self.variables.unify(left, &target);
        self.variables.unify(right, &compared);
        let environment =
            Environment { names, own: Some(target), within: Some(owner), ..Environment::default() };
        for predicate in owned.predicates.iter().filter(|predicate| !predicate.relaxes) {
            let types = self.types_of(predicate, &environment);
            let of_equality = matches!(&predicate.bound, Bound::Trait(path, _) if context.trait_named(path) == TraitName::Standard("cmp::PartialEq".into()));
            match types.as_slice() {
                [one, other] if of_equality && self.variables.is_number(one) => {
                    self.variables.unify(one, other);
                }
                [one, other] if of_equality && self.variables.is_number(other) => {
                    self.variables.unify(one, other);
                }
                types if self.is_plainly_understood(predicate, types) || !types.iter().any(is_open) => {}
                types => match self.asked_trait(predicate, &environment) {
                    Some((seen, arguments)) if self.by_only_impl(&types[0], seen, &arguments, NESTED) => {}
                    _ => types.iter().for_each(|ty| self.variables.taint(ty)),
                },
            }
        }
        true
    }

    /// What an impl of a trait is given: its own type, where nothing is written.
    fn compared_with(&self, owner: ImplId, target: &Ty, names: &Bindings) -> Ty {
        let path = self.context.items.impls[owner.index()].of_trait.as_ref();
        match path.and_then(|path| path.segments.last()?.arguments.first()) {
            Some(written) => {
                let environment = Environment {
                    names: names.clone(),
                    own: Some(target.clone()),
                    within: Some(owner),
                    ..Environment::default()
                };
                self.context.type_of(written, &environment)
            }
            None => target.clone(),
        }
    }

    /// Whether a type may be one that an impl is for, as far as it is known.
    pub(super) fn may_be(&self, target: &Ty, ty: &Ty) -> bool {
        let all = |first: &[Ty], second: &[Ty]| {
            first.len() == second.len()
                && first.iter().zip(second).all(|(one, other)| self.may_be(one, other))
        };
        match (target, ty) {
            (Ty::Parameter(_) | Ty::Opaque | Ty::Variable(_), _) => true,
            (_, Ty::Parameter(_) | Ty::Opaque) => true,
            (target, Ty::Variable(_)) => {
                !self.variables.is_number(ty) || matches!(target, Ty::Integer(_) | Ty::Float(_))
            }
            (Ty::Adt(one, first), Ty::Adt(other, second)) => one == other && all(first, second),
            (Ty::Tuple(first), Ty::Tuple(second)) => all(first, second),
            (Ty::Reference(a, one), Ty::Reference(b, other)) => a == b && self.may_be(one, other),
            (Ty::Array(one, a), Ty::Array(other, b)) => {
                (a == b || !a.is_known() || !b.is_known()) && self.may_be(one, other)
            }
            (Ty::Slice(one), Ty::Slice(other)) => self.may_be(one, other),
            (one, other) => one == other,
        }
    }
}
