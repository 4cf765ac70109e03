//! Method calls: candidates in rustc's order, and only if nothing unknown can hide another one.

use std::rc::Rc;

use super::super::hir::{ExprId, FnId, ImplId, ModuleId, Mutability, TraitId, TypeRef};
use super::super::items::{Function, Owner};
use super::super::scope::{Scope, is_method_of_std, is_not_of_integers};
use super::super::std_table::{self, Meaning};
use super::super::traits::{Bindings, TraitName};
use super::super::types::{Length, Ty};
use super::probing::At;
use super::settle::Asking;
use super::standing::{Meant, Standing};
use super::traits::is_open;
use super::{Callee, Expected, Infer};

/// Operations of the language and of std that take the value itself.
pub(super) const TAKING: &[&str] =
    &["into_iter", "rev", "step_by", "unwrap", "expect", "unwrap_err", "expect_err", "max", "min"];
/// What numbers have that takes a borrow.
pub(super) const COMPARING: &[&str] = &["cmp", "partial_cmp", "eq", "ne", "lt", "le", "gt", "ge"];

/// How the receiver is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    Value,
    Reference(Mutability),
}

pub(super) struct Candidate {
    pub function: FnId,
    pub generics: Vec<Ty>,
    inherent: bool,
    /// Its trait may not be in scope.
    doubtful: bool,
    /// What is given decides whether it is meant.
    pub has_others: bool,
    /// The bounds around the body ask for its trait.
    of_bounds: bool,
    /// It may ask the type for what that says otherwise than our own text.
    otherwise: bool,
}

/// The types that an impl must be for, if its method takes a receiver in some way.
struct OwnTypes {
    of_borrowing: Ty,
    of_taking: Ty,
}

impl OwnTypes {
    fn of(receiver: &Ty, passing: Passing) -> Self {
        let of_borrowing = match (passing, receiver) {
            (Passing::Value, Ty::Reference(_, inner)) => (**inner).clone(),
            _ => receiver.clone(),
        };
        let of_taking = match passing {
            // What is made to borrow it may be what has the method: `impl Trait for &Type`.
            Passing::Reference(mutability) => Ty::Reference(mutability, Box::new(receiver.clone())),
            Passing::Value => receiver.clone(),
        };
        Self { of_borrowing, of_taking }
    }

    fn of_method(&self, method: &Function) -> &Ty {
        match method.parameters.first() {
            Some(TypeRef::Reference(..)) => &self.of_borrowing,
            _ => &self.of_taking,
        }
    }
}

/// What goes before what, where a value may be of a type parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precedence {
    /// What the type itself has.
    Usual,
    /// What the bounds of the parameter have.
    Bounds,
    Open,
}

impl Infer<'_, '_> {
    pub(super) fn method(
        &mut self,
        (id, module): (ExprId, ModuleId),
        receiver: ExprId,
        (name, written): (&str, &[TypeRef]),
        arguments: &[ExprId],
        expected: &Expected,
    ) -> Ty {
        let place = receiver;
        let around = self.chained.replace(receiver);
        let receiver = self.expr(receiver, &Expected::Nothing);
        self.chained = around;
        let receiver = self.iterating(place, name).unwrap_or(receiver);
        let scope = self.context.scope(module);
        let mut step = self.resolved(&receiver);
        if let Some(ty) = self.described((id, place), &step, name, arguments, &scope) {
            return ty;
        }
        let (mut lent, mut shared) = (false, false);
        let first = step.clone();
        loop {
            let at = At { step: &step.clone(), first: &first };
            if let Ty::Parameter(parameter) = &step
                && let Some(ty) = self.given_by_bounds(parameter, name, &scope)
            {
                self.variables.taint(&receiver);
                self.call_unknown(id, "a method of a type parameter", arguments);
                return ty;
            }
            let standing = self.standing(place, &step);
            if let Some(ty) = self.of_reference((id, &step), standing, name, arguments) {
                return ty;
            }
            let precedence = self.precedence(&step, standing, name);
            match precedence {
                Precedence::Usual => {
                    if let Some(ty) = self.converted((id, place), &step, name, arguments) {
                        return ty;
                    }
                    if self.may_be_hidden(&step, name) {
                        return self.call_unknown(id, "a method that another one may hide", arguments);
                    }
                    if !self.is_hidden(&step, (standing, &scope), name)
                        && !self.may_go_before(at, self.way_of_language(&step, name), (&scope, name))
                        && let Some(ty) = self.of_language((id, &step), lent, (name, written), arguments)
                    {
                        return ty;
                    }
                }
                Precedence::Bounds => {}
                Precedence::Open => {
                    return self.call_unknown(id, "a method that another one may hide", arguments);
                }
            }
            for passing in [
                Passing::Value,
                Passing::Reference(Mutability::Shared),
                Passing::Reference(Mutability::Mutable),
            ] {
                let candidates = self.candidates(&step, passing, (standing, &scope), name);
                match candidates.as_slice() {
                    [] => {}
                    found
                        if lent && found.iter().any(|it| self.takes_itself(&step, it.function))
                            || shared && found.iter().any(|it| self.lends_instead(it.function)) =>
                    {
                        self.variables.taint(&receiver);
                        return self.call_unknown(id, "a method of a value that is lent", arguments);
                    }
                    [only] if self.is_certain(&step, only, (passing, at), (&scope, name, precedence)) => {
                        let outer = match only.has_others {
                            true => self.taking(only.function, &only.generics, arguments, 1),
                            false => Some(self.with_the_rest(only, standing, &step)),
                        };
                        return match outer {
                            Some(outer) => {
                                self.call_method(id, (only.function, &outer), written, arguments, expected)
                            }
                            None => self.call_unknown(id, "a method that another one may hide", arguments),
                        };
                    }
                    several => {
                        let certain = |candidate: &Candidate| {
                            self.is_certain(&step, candidate, (passing, at), (&scope, name, precedence))
                        };
                        let all = several.iter().all(certain) && self.are_of_one_trait(several);
                        let fitting = match all {
                            true => self
                                .the_taking(several, arguments)
                                .or_else(|| self.the_giving(several, arguments, expected)),
                            false => None,
                        };
                        return match fitting {
                            Some((function, outer)) => {
                                self.call_method(id, (function, &outer), written, arguments, expected)
                            }
                            None => self.call_unknown(id, "a method that another one may hide", arguments),
                        };
                    }
                }
            }
            if self.is_of_box(&step, name) {
                return self.call_unknown(id, "a method that another one may hide", arguments);
            }
            lent |= matches!(step, Ty::Reference(Mutability::Mutable, _));
            shared |= matches!(step, Ty::Reference(Mutability::Shared, _));
            step = match (self.context.dereferenced(&step), &step) {
                (Some(inner), _) => self.resolved(&inner),
                // What an array does not have its slice may.
                (None, Ty::Array(element, _)) => Ty::Slice(element.clone()),
                (None, own) => {
                    let own = own.clone();
                    let asked = (name, written);
                    match self.method_behind((id, place), &own, asked, arguments, (expected, &scope)) {
                        Some(ty) => return ty,
                        None => break,
                    }
                }
            };
        }
        if (name, arguments) == ("to_string", &[])
            && let Some(ty) = self.shown_by_itself(id, &first, &scope)
        {
            return ty;
        }
        self.variables.taint(&receiver);
        let reason = match step {
            Ty::Opaque | Ty::Variable(_) => "a method of a value of unknown type",
            Ty::Parameter(_) => "a method of a type parameter",
            _ => "a method that is not in this file nor in the table",
        };
        self.call_unknown(id, reason, arguments)
    }

    /// Operations that the language and the table of std have for values of a type.
    fn of_language(
        &mut self,
        (id, step): (ExprId, &Ty),
        lent: bool,
        (name, written): (&str, &[TypeRef]),
        arguments: &[ExprId],
    ) -> Option<Ty> {
        // A slice's own methods take a reference to it, which comes first.
        let walked = self.looped == Some(id) && matches!(name, "iter" | "iter_mut");
        let ranged = arguments.first().is_some_and(|argument| self.is_range(*argument));
        let own = match step {
            Ty::Reference(_, inner) if walked || ranged && name == "get" => self.resolved(inner),
            Ty::Reference(Mutability::Mutable, inner) if ranged && name == "get_mut" => self.resolved(inner),
            _ => step.clone(),
        };
        if let Some(ty) = self.of_slice(id, &own, name, written, arguments) {
            return Some(ty);
        }
        // The elements of what is lent are lent themselves.
        let drawn = lent && name == "into_iter";
        if !drawn && let Some(ty) = self.builtin(id, step, name, arguments) {
            return Some(ty);
        }
        match step {
            Ty::Reference(..) => None,
            _ => self.derived_method(id, step, name, arguments),
        }
    }

    /// Whether a trait of the file has a method that goes before the one of the language or of std: it takes the value
    /// itself where that borrows it, or it is one of arrays where that is one of slices.
    fn is_hidden(&mut self, step: &Ty, (standing, scope): (Standing, &Scope), name: &str) -> bool {
        let (shared, mutable) =
            (Passing::Reference(Mutability::Shared), Passing::Reference(Mutability::Mutable));
        let ways: &[Passing] = match step {
            // These take the value themselves.
            _ if TAKING.contains(&name) => return false,
            Ty::Integer(_) if !COMPARING.contains(&name) => return false,
            Ty::Array(..) => &[Passing::Value, shared, mutable],
            _ => &[Passing::Value],
        };
        let items = self.context.items;
        let is_own = |function: FnId| !items.is_std_module(items.function(function).module);
        ways.iter().any(|passing| {
            let found = self.candidates(step, *passing, (standing, scope), name);
            found.iter().any(|it| is_own(it.function))
        })
    }

    /// Whether a type that is still open may become one that the file has a method for, where std has one, too.
    fn may_be_hidden(&self, step: &Ty, name: &str) -> bool {
        let items = self.context.items;
        let known = self.variables.known(step);
        let open = is_open(&known) || matches!(known, Ty::Range(_));
        let of_std = |ty: &Ty| match ty {
            Ty::Adt(id, _) => items.is_std_module(items.adt(*id).module),
            ty => !matches!(ty, Ty::Variable(_) | Ty::Opaque),
        };
        open && of_std(&known)
            && self.context.impls_with(name).iter().any(|(id, function)| {
                let own = !items.is_std_module(items.function(*function).module);
                own && self.may_become(&known, &self.context.impls[id.index()].1)
            })
    }

    /// Whether a type that is not all known may be the one that an impl is for.
    fn may_become(&self, open: &Ty, target: &Ty) -> bool {
        match (open, target) {
            // What slices have themselves takes a borrow of them, and nothing takes one itself.
            (Ty::Slice(_) | Ty::Str, _) => false,
            (_, Ty::Parameter(_) | Ty::Opaque) | (Ty::Opaque, _) => true,
            (Ty::Variable(_), target) => {
                !self.variables.is_number(open) || matches!(target, Ty::Integer(_) | Ty::Float(_))
            }
            (Ty::Range(_), Ty::Adt(..)) => true,
            (Ty::Adt(one, _), Ty::Adt(other, _)) => one == other,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }

    /// Whether a method takes its value away. Nobody takes away what is only lent, unless it is copied: what is meant is
    /// the method that references have, as those to iterators do.
    fn takes_itself(&self, receiver: &Ty, function: FnId) -> bool {
        let declared = self.context.items.function(function);
        let of_iterator = match declared.owner {
            Owner::Impl(id) => {
                matches!(self.context.trait_of(id), Some(TraitName::Seen(id)) if self.context.items.is_std_trait(*id))
            }
            Owner::Trait(id) => self.context.items.is_std_trait(id),
            Owner::Module => false,
        };
        let by_value = !matches!(declared.parameters.first(), Some(TypeRef::Reference(..)));
        let copied = self.context.copies(&self.variables.known(receiver));
        by_value && (of_iterator || declared.name == "into_iter" || !copied)
    }

    /// Whether a method of std gives elements away that a borrowed value lends: our own text does not say how.
    fn lends_instead(&self, function: FnId) -> bool {
        let declared = self.context.items.function(function);
        let by_value = !matches!(declared.parameters.first(), Some(TypeRef::Reference(..)));
        by_value && declared.name == "into_iter" && self.context.items.is_std_module(declared.module)
    }

    pub(super) fn call_method(
        &mut self,
        id: ExprId,
        (function, outer): (FnId, &[Ty]),
        written: &[TypeRef],
        arguments: &[ExprId],
        expected: &Expected,
    ) -> Ty {
        let function = self.prepared(id, function);
        let segment = super::super::hir::Segment { name: String::new(), arguments: written.to_vec() };
        let generics = self.generic_arguments(function, outer, Some(&segment));
        let (parameters, result) = self.signature(function, &generics);
        if parameters.len() != arguments.len() + 1 {
            return self.call_unknown(id, "a call with another number of arguments", arguments);
        }
        self.expect_result((function, &generics), &result, expected);
        let asked = self.asked(function, &generics);
        let seen = match arguments {
            [before @ .., last] if self.takes_pattern(function, *last, &parameters) => before,
            [before @ .., last] if self.takes_iterated(function, *last, &parameters) => before,
            all => all,
        };
        self.check_arguments(seen, &parameters[1..], &asked);
        self.sought_key(function, &generics);
        self.lengths(function, &generics, arguments);
        self.settle(Asking::Function(function), &generics);
        let result = self.late_result(function, &generics, result);
        self.typing.callees.insert(id, Callee::Function(function, generics));
        result
    }

    /// A type parameter has the methods of its bounds, and a type in its place may have others of the same name.
    fn precedence(&mut self, receiver: &Ty, standing: Standing, name: &str) -> Precedence {
        if standing == Standing::Itself {
            return Precedence::Usual;
        }
        let bounds = self.bounds();
        let ty = self.variables.known(receiver);
        let ty = ty.behind();
        let (mut offered, mut inherent) = (false, false);
        for (id, declared) in self.context.impls_with(name) {
            let (owner, target) = (&self.context.items.impls[id.index()], &self.context.impls[id.index()].1);
            let in_std = self.context.items.is_std_module(self.context.items.function(*declared).module);
            if in_std || self.matched(*id, target, ty).is_none() {
                continue;
            }
            inherent |= owner.of_trait.is_none();
            offered |= matches!(self.context.trait_of(*id), Some(TraitName::Seen(id)) if bounds.has(*id));
        }
        let foreign = bounds.others && self.may_be_parameter(receiver);
        let plain = matches!(ty, Ty::Adt(id, _) if !self.context.items.is_std_module(self.context.items.adt(*id).module));
        // Nor has any number a method of this name.
        let plain = plain || matches!(ty, Ty::Integer(_)) && !is_method_of_std(name);
        match (standing, offered) {
            (Standing::Parameter(_), true) => Precedence::Bounds,
            (_, true) if plain && !inherent => Precedence::Bounds,
            (_, true) => Precedence::Open,
            (_, false) if foreign => Precedence::Open,
            (_, false) => Precedence::Usual,
        }
    }

    /// Methods whose first parameter is the receiver, passed this way.
    pub(super) fn candidates(
        &mut self,
        receiver: &Ty,
        passing: Passing,
        (standing, scope): (Standing, &Scope),
        name: &str,
    ) -> Vec<Candidate> {
        let bounds = if standing == Standing::Itself { Rc::default() } else { self.bounds() };
        let own_types = OwnTypes::of(receiver, passing);
        let mut found = Vec::new();
        for (id, function) in self.context.impls_with(name) {
            let function = *function;
            let (owner, target) = (&self.context.items.impls[id.index()], &self.context.impls[id.index()].1);
            if !self.context.items.function(function).takes_self {
                continue;
            }
            let in_std = self.context.items.is_std_module(owner.module);
            let found_there = self.context.items.function(function);
            // What another crate keeps to itself is passed over.
            if owner.of_trait.is_none()
                && !self.context.items.can_use(scope.krate, owner.module, found_there.visibility)
            {
                continue;
            }
            let in_scope = match self.context.trait_of(*id) {
                None if matches!(standing, Standing::Parameter(_)) && !in_std => Some(false),
                None => Some(true),
                Some(TraitName::Seen(id)) if bounds.has(*id) => Some(true),
                // A type parameter has what its bounds say, and what every type has.
                Some(TraitName::Seen(id))
                    if matches!(standing, Standing::Parameter(_))
                        && !self.context.items.is_std_trait(*id)
                        && !matches!(target.behind(), Ty::Parameter(_)) =>
                {
                    Some(false)
                }
                Some(name) => scope.has(self.context.items, name),
            };
            if in_scope == Some(false) {
                continue;
            }
            let own = own_types.of_method(found_there);
            let Some(bound) = self.matched(*id, target, own) else { continue };
            let in_bounds = match self.context.trait_of(*id) {
                Some(TraitName::Seen(id)) if bounds.has(*id) => Some(*id),
                _ => None,
            };
            let meant = match in_bounds.is_some_and(|id| !self.context.items.is_std_trait(id)) {
                true => self.is_meant_by_bounds(target, own, standing, &bounds),
                false => Meant::Yes,
            };
            if meant == Meant::No {
                continue;
            }
            let generics = match self.context.items.function(function).owner {
                Owner::Trait(_) => self.context.trait_arguments(*id, &self.variables.known(own), &bound),
                _ => self.impl_arguments(*id, &bound),
            };
            let (parameters, _) = self.signature(function, &generics);
            let wanted = match passing {
                Passing::Value => receiver.clone(),
                Passing::Reference(mutability) => Ty::Reference(mutability, Box::new(receiver.clone())),
            };
            if parameters.first().is_some_and(|first| self.same(first, &wanted)) {
                let inherent = owner.of_trait.is_none();
                let doubtful = in_scope.is_none() || meant == Meant::Doubtful;
                let has_others = self.has_others(*id, own);
                let otherwise = self.says_otherwise(*id, function);
                found.push(Candidate {
                    function,
                    generics,
                    inherent,
                    doubtful,
                    has_others,
                    of_bounds: in_bounds.is_some(),
                    otherwise,
                });
            }
        }
        // What the bounds of a parameter have goes before what a type in its place has itself.
        let items = self.context.items;
        let is_asked_for = |candidate: &Candidate| {
            candidate.of_bounds && !items.is_std_module(items.function(candidate.function).module)
        };
        if matches!(standing, Standing::Parameter(_)) && found.iter().any(is_asked_for) {
            found.retain(|candidate| !candidate.inherent);
        }
        if found.iter().any(|candidate| candidate.inherent) {
            found.retain(|candidate| candidate.inherent);
        }
        found
    }

    fn same(&self, one: &Ty, other: &Ty) -> bool {
        self.variables.known(one) == self.variables.known(other)
    }

    /// Whether code that we do not see cannot have a method that goes before this one.
    fn is_certain(
        &self,
        receiver: &Ty,
        candidate: &Candidate,
        (passing, at): (Passing, At<'_>),
        (scope, name, precedence): (&Scope, &str, Precedence),
    ) -> bool {
        let receiver = &self.variables.known(receiver);
        if matches!(receiver, Ty::Opaque | Ty::Variable(_)) {
            return false;
        }
        // Of a type parameter the bounds are asked first, whatever else a type in its place has.
        if candidate.otherwise || precedence == Precedence::Bounds && !candidate.of_bounds {
            return false;
        }
        if candidate.inherent && passing == Passing::Value && at.is_first() {
            return true;
        }
        let items = self.context.items;
        // Our own text of std: methods of its types, which those of traits may go before.
        let imported = self.is_imported(candidate.function);
        if items.is_std_module(items.function(candidate.function).module) && !imported {
            return !self.may_go_before(at, Some(passing), (scope, name));
        }
        let own = match receiver.behind() {
            Ty::Adt(id, _) => !items.is_std_module(items.adt(*id).module),
            Ty::Parameter(_) => true,
            _ => false,
        };
        // What a type of std has itself goes before traits; so do those of its traits that take values.
        let of_number = matches!(receiver.behind(), Ty::Integer(_)) && is_not_of_integers(name);
        let of_std = !candidate.inherent
            && !own
            && !imported
            && precedence != Precedence::Bounds
            && is_method_of_std(name)
            && !self.context.lacks_method(receiver.behind(), name)
            && !of_number;
        let by_value = passing != Passing::Value && matches!(name, "max" | "min" | "clamp");
        if of_std || by_value && self.may_be_ordered(receiver.behind()) {
            return false;
        }
        // Two inherent methods of one name cannot be; one that a macro makes would go before a trait's.
        let alone = candidate.inherent || !self.context.hides_impls_for(receiver.behind());
        let rivals = self.has_rivals(
            receiver.behind(),
            (candidate, passing, at.is_direct()),
            (scope, name, precedence),
        );
        alone && !rivals && !candidate.doubtful && !scope.may_have(name)
    }

    /// Whether another trait has a method of this name, and code that is not seen may say which types have it: code of
    /// the crate, of the one that has the trait, or of the one that has the type. A trait that is not in scope has no
    /// methods for a type of the crate, and what a type has itself goes before what a trait has, where both borrow it alike:
    /// `direct` says that nothing lies between the receiver and the type.
    fn has_rivals(
        &self,
        receiver: &Ty,
        (candidate, passing, direct): (&Candidate, Passing, bool),
        (scope, name, precedence): (&Scope, &str, Precedence),
    ) -> bool {
        let items = self.context.items;
        let function = candidate.function;
        let of_type = matches!(receiver, Ty::Adt(..)) && precedence == Precedence::Usual;
        let comes_later = |other: FnId| {
            matches!(
                (items.function(other).parameters.first(), passing),
                (Some(TypeRef::Reference(..)), Passing::Reference(Mutability::Shared))
                    | (Some(TypeRef::Reference(Mutability::Mutable, _)), Passing::Reference(_))
            )
        };
        let is_in_scope = |index: usize| {
            let name = TraitName::Seen(TraitId(index as u32));
            !of_type || scope.has(items, &name) != Some(false)
        };
        let hides = |module: ModuleId| items.is_foreign_module(module) && items.crate_of(module).hides;
        let hidden =
            self.context.hides_impls() || matches!(receiver, Ty::Adt(id, _) if hides(items.adt(*id).module));
        let all = items.traits.iter().enumerate().filter(|(_, found)| hidden || hides(found.module));
        all.filter(|(index, _)| is_in_scope(*index)).any(|(_, found)| {
            found.functions.get(name).is_some_and(|other| {
                if of_type && candidate.inherent && direct && comes_later(*other) {
                    return false;
                }
                let of_impl = match items.function(function).owner {
                    Owner::Impl(owner) => match self.context.trait_of(owner) {
                        Some(TraitName::Seen(id)) => {
                            items.traits[id.index()].functions.get(name) == Some(other)
                        }
                        _ => false,
                    },
                    _ => false,
                };
                *other != function && !of_impl && !items.is_std_module(items.function(*other).module)
            })
        })
    }

    /// What the generic parameters of an impl are if it is for this type.
    pub(super) fn matched(&self, id: ImplId, target: &Ty, ty: &Ty) -> Option<Bindings> {
        let mut bound: Bindings = Vec::new();
        if !self.matches(target, ty, &mut bound) {
            return None;
        }
        for (_, ty) in &mut bound {
            *ty = self.variables.known(ty);
        }
        let fuel = self.context.fuel();
        if !self.context.allows(id, &bound, fuel) {
            return None;
        }
        self.context.complete(id, &mut bound, fuel);
        Some(bound)
    }

    pub(super) fn impl_arguments(&self, id: ImplId, bound: &Bindings) -> Vec<Ty> {
        let generics = &self.context.items.impls[id.index()].generics;
        let arguments = generics
            .iter()
            .map(|generic| bound.iter().find(|(name, _)| *name == generic.name).map(|(_, ty)| ty.clone()));
        arguments.map(|ty| ty.unwrap_or(Ty::Opaque)).collect()
    }

    pub(super) fn matches(&self, pattern: &Ty, ty: &Ty, bound: &mut Vec<(String, Ty)>) -> bool {
        let ty = self.variables.outer(ty);
        match (pattern, ty.as_ref()) {
            (Ty::Parameter(name), ty) => match bound.iter().find(|(known, _)| known == name) {
                Some((_, known)) => self.same(known, ty),
                None => {
                    bound.push((name.clone(), ty.clone()));
                    true
                }
            },
            (Ty::Opaque, _) | (_, Ty::Opaque) => false,
            (Ty::Adt(a, first), Ty::Adt(b, second)) => {
                a == b && first.iter().zip(second).all(|(pattern, ty)| self.matches(pattern, ty, bound))
            }
            (Ty::Tuple(first), Ty::Tuple(second)) => {
                first.len() == second.len()
                    && first.iter().zip(second).all(|(pattern, ty)| self.matches(pattern, ty, bound))
            }
            (Ty::Array(one, a), Ty::Array(other, b)) => {
                a.fits(b, |a, b| self.matches(a, b, bound)) && self.matches(one, other, bound)
            }
            (Ty::Slice(one), Ty::Slice(other)) => self.matches(one, other, bound),
            (Ty::Reference(a, one), Ty::Reference(b, other)) => a == b && self.matches(one, other, bound),
            (pattern, ty) => pattern == ty,
        }
    }

    /// Operations of the language's own types.
    fn builtin(&mut self, id: ExprId, receiver: &Ty, name: &str, arguments: &[ExprId]) -> Option<Ty> {
        let scalar = matches!(receiver, Ty::Integer(_) | Ty::Bool | Ty::Char);
        if scalar && name == "try_into" && arguments.is_empty() {
            // Into what, the rest of the body says.
            let to = self.variables.fresh();
            self.typing.callees.insert(id, Callee::Standard(Meaning::TryFrom, to.clone()));
            return Some(self.context.result_of(to, Ty::Opaque));
        }
        match receiver {
            Ty::Integer(integer) => {
                let method = std_table::find(receiver, name).filter(|method| method.takes_self)?;
                if method.parameters.len() != arguments.len() {
                    return None;
                }
                for (argument, kind) in arguments.iter().zip(method.parameters) {
                    let wanted = kind.ty(*integer, self.context);
                    self.check(*argument, &wanted);
                }
                self.typing.callees.insert(id, Callee::Standard(method.meaning, receiver.clone()));
                Some(method.result.ty(*integer, self.context))
            }
            Ty::Array(_, Length::Known(_)) if name == "len" && arguments.is_empty() => {
                self.typing.callees.insert(id, Callee::Standard(Meaning::Length, receiver.clone()));
                Some(self.context.usize())
            }
            Ty::Array(element, _)
                if matches!(name, "iter" | "iter_mut" | "into_iter")
                    && arguments.is_empty()
                    && (name == "into_iter"
                        || self.looped == Some(id)
                        || name == "iter" && self.chained == Some(id)) =>
            {
                self.typing.callees.insert(id, Callee::Standard(Meaning::Iterate, receiver.clone()));
                if self.looped != Some(id) && self.chained != Some(id) {
                    return self.promoted(id);
                }
                let mutability = if name == "iter_mut" { Mutability::Mutable } else { Mutability::Shared };
                Some(match name {
                    "into_iter" if self.gives_elements(id) => receiver.clone(),
                    _ => Ty::Reference(
                        mutability,
                        Box::new(Ty::Array(element.clone(), self.length_of(receiver))),
                    ),
                })
            }
            Ty::Range(_) => self.range_method(id, receiver, name, arguments),
            Ty::Adt(adt, generics) => self.adt_method(id, *adt, generics, name, arguments),
            // Not what slices give.
            Ty::Array(..)
                if name == "to_owned" && !self.context.clones_plainly(&self.variables.known(receiver), 0) =>
            {
                Some(self.call_unknown(id, "a clone of an array", arguments))
            }
            Ty::Bool | Ty::Char | Ty::Tuple(_) | Ty::Array(..)
                if matches!(name, "clone" | "to_owned")
                    && arguments.is_empty()
                    && self.context.clones_plainly(&self.variables.known(receiver), 0) =>
            {
                self.typing.callees.insert(id, Callee::Standard(Meaning::Identity, receiver.clone()));
                Some(receiver.clone())
            }
            _ => None,
        }
    }

    fn length_of(&self, ty: &Ty) -> Length {
        match ty {
            Ty::Array(_, length) => length.clone(),
            _ => Length::Unknown,
        }
    }

    fn range_method(&mut self, id: ExprId, receiver: &Ty, name: &str, arguments: &[ExprId]) -> Option<Ty> {
        let meaning = match (name, arguments.len()) {
            ("rev", 0) => Meaning::Reversed,
            ("into_iter" | "iter", 0) => Meaning::Iterate,
            ("step_by", 1) => {
                let usize = self.context.usize();
                self.check(arguments[0], &usize);
                Meaning::StepBy
            }
            ("start_bound" | "end_bound", 0) => return self.range_bound(id, receiver, name),
            ("contains", 1) => {
                let Ty::Range(bound) = receiver else { return None };
                let bound = self.resolved(bound);
                let known = matches!(bound, Ty::Integer(_) | Ty::Char) || self.variables.is_number(&bound);
                return if known { self.range_contains(id, &bound, arguments[0]) } else { None };
            }
            _ => return None,
        };
        self.typing.callees.insert(id, Callee::Standard(meaning, receiver.clone()));
        Some(receiver.clone())
    }

    /// Methods of Option and Result that may fail, and derived ones.
    fn adt_method(
        &mut self,
        id: ExprId,
        adt: super::super::hir::AdtId,
        generics: &[Ty],
        name: &str,
        arguments: &[ExprId],
    ) -> Option<Ty> {
        let items = self.context.items;
        let (option, result) = (items.is_standard(adt, "Option"), items.is_standard(adt, "Result"));
        let receiver = Ty::Adt(adt, generics.to_vec());
        let part = |index: usize| generics.get(index).cloned().unwrap_or(Ty::Opaque);
        let (meaning, ty) = match (name, arguments.len()) {
            ("unwrap", 0) if option || result => (Meaning::Unwrap, part(0)),
            ("expect", 1) if option || result => {
                self.expr(arguments[0], &Expected::Nothing);
                (Meaning::Unwrap, part(0))
            }
            ("unwrap_err", 0) if result => (Meaning::UnwrapErr, part(1)),
            ("expect_err", 1) if result => {
                self.expr(arguments[0], &Expected::Nothing);
                (Meaning::UnwrapErr, part(1))
            }
            ("is_some", 0) if option => (Meaning::HasTag(1), Ty::Bool),
            ("is_none", 0) if option => (Meaning::HasTag(0), Ty::Bool),
            ("is_ok", 0) if result => (Meaning::HasTag(0), Ty::Bool),
            ("is_err", 0) if result => (Meaning::HasTag(1), Ty::Bool),
            ("clone", 0)
                if !self.goes_first(&receiver, name, Passing::Reference(Mutability::Shared))
                    && self.context.clones_plainly(&self.variables.known(&receiver), 0) =>
            {
                (Meaning::Identity, receiver.clone())
            }
            _ => return None,
        };
        self.typing.callees.insert(id, Callee::Standard(meaning, receiver));
        Some(ty)
    }
}
