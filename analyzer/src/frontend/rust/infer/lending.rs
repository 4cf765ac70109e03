//! Methods of std whose meaning hangs on what the receiver lends: `into_iter` of a borrowed list, and `borrow` where the
//! bounds of a type parameter say as what.

use super::super::hir::{ExprId, FnId, ImplId, Mutability, TraitId};
use super::super::items::{Bound, Owner};
use super::super::scope::Scope;
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::method::Candidate;
use super::path::Item;
use super::standing::Standing;
use super::{Callee, Infer};

impl Infer<'_, '_> {
    /// `list.into_iter()` of a list that is borrowed lends its elements, as `iter` does.
    pub(super) fn lends_elements(
        &mut self,
        (id, place): (ExprId, ExprId),
        receiver: &Ty,
        name: &str,
        arguments: &[ExprId],
    ) -> Option<Ty> {
        let Ty::Reference(mutability, inner) = receiver else { return None };
        if name != "into_iter" || !arguments.is_empty() || self.looped == Some(id) {
            return None;
        }
        let items = self.context.items;
        let inner = self.resolved(inner);
        let itself = self.standing(place, receiver) == Standing::Itself;
        let element = match &inner {
            Ty::Slice(element) => (**element).clone(),
            // A parameter in whose place an array stands may be copied.
            Ty::Array(element, _) if itself => (**element).clone(),
            Ty::Adt(adt, parts) if items.is_standard(*adt, "Vec") => parts.first()?.clone(),
            _ => return None,
        };
        if !itself && self.may_others_have(name) {
            return None;
        }
        let method = match mutability {
            Mutability::Shared => "iter",
            Mutability::Mutable => "iter_mut",
        };
        let function = self.of_slices(method)?;
        let generics = vec![element];
        let (_, result) = self.signature(function, &generics);
        self.typing.callees.insert(id, Callee::Function(function, generics));
        Some(result)
    }

    /// Whether a trait of the bounds that is not of std has a method.
    fn may_others_have(&self, name: &str) -> bool {
        let bounds = self.bounds();
        let items = self.context.items;
        let has =
            |id: &TraitId| !items.is_std_trait(*id) && items.traits[id.index()].functions.contains_key(name);
        bounds.others || bounds.leads_on || bounds.seen.iter().any(has)
    }

    /// A method that our own text of std has for slices.
    fn of_slices(&self, name: &str) -> Option<FnId> {
        let items = self.context.items;
        let is_it = |(id, function): &&(ImplId, FnId)| {
            let owner = &items.impls[id.index()];
            owner.of_trait.is_none()
                && items.is_std_module(items.function(*function).module)
                && matches!(&self.context.impls[id.index()].1, Ty::Slice(element) if matches!(**element, Ty::Parameter(_)))
        };
        self.context.impls_with(name).iter().find(is_it).map(|(_, function)| *function)
    }

    /// `key.borrow()`, where the bounds of one type parameter say as what its values are borrowed: nothing else is meant then.
    pub(super) fn borrowed(
        &mut self,
        (id, place): (ExprId, ExprId),
        receiver: &Ty,
        name: &str,
        (arguments, scope): (&[ExprId], &Scope),
    ) -> Option<Ty> {
        if name != "borrow" || !arguments.is_empty() {
            return None;
        }
        let own = self.variables.known(receiver);
        let wanted = match (self.declared_parameter(place), self.standing(place, receiver)) {
            (Some((parameter, 0 | 1)), Standing::Parameter(_)) => self.borrowed_as(&parameter)?,
            // Numbers are borrowed as themselves only.
            (None, Standing::Either) if matches!(own, Ty::Integer(_) | Ty::Char | Ty::Bool) => {
                let hidden = self.may_others_have(name) || scope.may_have(name);
                let asked = self.is_asked_to_borrow(&own) && self.is_declared_nowhere(name);
                (asked && !hidden).then(|| own.clone())?
            }
            _ => return None,
        };
        let own = own.behind().clone();
        let items = self.context.items;
        let (path, generics) = match (&own, &wanted) {
            _ if own == wanted => ("borrowing::as_it_is", vec![own.clone()]),
            (Ty::Adt(adt, _), Ty::Str) if items.is_standard(*adt, "String") => {
                ("borrowing::as_text", Vec::new())
            }
            (Ty::Adt(adt, parts), Ty::Slice(element))
                if items.is_standard(*adt, "Vec") && parts.first() == Some(&**element) =>
            {
                ("borrowing::as_elements", parts.clone())
            }
            (Ty::Reference(_, inner), wanted) if **inner == *wanted => {
                ("borrowing::as_what_is_behind", vec![wanted.clone()])
            }
            _ => return None,
        };
        let Some(super::super::items::Definition::Function(function)) = items.standard(path) else {
            return None;
        };
        self.typing.callees.insert(id, Callee::Function(function, generics));
        Some(Ty::Reference(Mutability::Shared, Box::new(wanted)))
    }

    /// `K: Borrow<Q>`, if that is the only such bound, and no other trait of the parameter has a method of that name.
    fn borrowed_as(&self, parameter: &str) -> Option<Ty> {
        let items = self.context.items;
        let others = self.traits_of(parameter)?;
        if others.iter().any(|id| items.traits[id.index()].functions.contains_key("borrow")) {
            return None;
        }
        let mut found = self.asked_of(parameter).filter_map(|bound| match bound {
            Bound::Trait(path, _) if self.is_of_std(bound, "borrow::Borrow") => {
                path.segments.last()?.arguments.first()
            }
            _ => None,
        });
        let only = found.next().filter(|_| found.next().is_none())?;
        Some(self.variables.known(&self.context.type_of(only, self.environment)))
    }

    /// Whether a bound here says that values of this type are borrowed.
    fn is_asked_to_borrow(&self, own: &Ty) -> bool {
        self.predicates().into_iter().any(|predicate| {
            self.is_of_std(&predicate.bound, "borrow::Borrow")
                && self.context.type_of(&predicate.subject, self.environment) == *own
        })
    }

    /// Whether no code but our own text of std declares a method of a name.
    fn is_declared_nowhere(&self, name: &str) -> bool {
        let items = self.context.items;
        !self.context.hides_impls()
            && !items
                .functions
                .iter()
                .any(|it| it.name == name && it.takes_self && !items.is_std_module(it.module))
    }

    /// The generic arguments of a method of an impl. What the receiver does not say of them the bound of its parameter
    /// does, or the arguments of the call.
    pub(super) fn with_the_rest(&mut self, candidate: &Candidate, standing: Standing, own: &Ty) -> Vec<Ty> {
        let parameter = match standing {
            Standing::Itself => None,
            Standing::Parameter(number) => Some(self.environment.names[number].0.clone()),
            Standing::Either => return candidate.generics.clone(),
        };
        self.learned(candidate.function, &candidate.generics, parameter.as_deref(), own)
    }

    /// `T::name`, with what the bound of the parameter says.
    pub(super) fn as_asked_of(&mut self, item: Item, parameter: &str, own: &Ty) -> Item {
        match item {
            Item::Function(function, generics) => {
                let generics = self.learned(function, &generics, Some(parameter), own);
                Item::Function(function, generics)
            }
            other => other,
        }
    }

    fn learned(&mut self, function: FnId, given: &[Ty], parameter: Option<&str>, own: &Ty) -> Vec<Ty> {
        let items = self.context.items;
        let Owner::Impl(owner) = items.function(function).owner else { return given.to_vec() };
        let Some(TraitName::Seen(seen)) = self.context.trait_of(owner).cloned() else {
            return given.to_vec();
        };
        let count = items.impls[owner.index()].generics.len().min(given.len());
        if !given[..count].contains(&Ty::Opaque) || items.is_std_trait(seen) {
            return given.to_vec();
        }
        let asked = match parameter.map(|name| self.asked_with(name, seen)).as_deref() {
            None => None,
            Some([only]) => Some(only.clone()),
            Some(_) => return given.to_vec(),
        };
        let mut learned = given.to_vec();
        for ty in learned[..count].iter_mut().filter(|ty| **ty == Ty::Opaque) {
            *ty = self.variables.fresh();
        }
        if let Some(asked) = asked {
            let names = items.impls[owner.index()].generics.iter().map(|generic| generic.name.clone());
            let bound = names.zip(learned.iter().cloned()).collect();
            let arguments = self.context.trait_arguments(owner, own, &bound);
            arguments.iter().skip(1).zip(&asked).for_each(|(one, other)| self.variables.unify(one, other));
        }
        learned
    }

    /// What a trait of the crate is asked of a parameter with.
    fn asked_with(&self, parameter: &str, wanted: TraitId) -> Vec<Vec<Ty>> {
        let asked = self.asked_of(parameter).filter_map(|bound| {
            let Bound::Trait(path, _) = bound else { return None };
            let found = self.context.trait_named(path) == TraitName::Seen(wanted);
            let last = path.segments.last().filter(|_| found)?;
            Some(last.arguments.iter().map(|ty| self.context.type_of(ty, self.environment)).collect())
        });
        asked.collect()
    }
}
