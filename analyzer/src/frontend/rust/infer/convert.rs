//! `.into()`, `.to_string()`, and what methods of type parameters give: the bounds of the parameter say so.

use super::super::hir::{ExprId, ExprKind, Mutability, TraitId};
use super::super::items::{Bound, Definition, Function, Owner, Predicate};
use super::super::scope::Scope;
use super::super::std_table::Meaning;
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::method::Passing;
use super::probing::At;
use super::{Callee, Infer, Typing};

impl Infer<'_, '_> {
    /// `x.into()`: every type has the method by value, so the type of the receiver itself decides.
    pub(super) fn converted(
        &mut self,
        (id, place): (ExprId, ExprId),
        receiver: &Ty,
        name: &str,
        arguments: &[ExprId],
    ) -> Option<Ty> {
        let unknown = matches!(receiver, Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_));
        if name != "into" || !arguments.is_empty() || unknown {
            return None;
        }
        // Into what, the bounds say, or the rest of the body. What a type parameter has the bounds say alone.
        let asked = self.asked_into(place);
        if self.is_declared(name, receiver) || asked.is_none() && self.may_have_own(receiver) {
            return None;
        }
        let to = asked.unwrap_or_else(|| self.variables.fresh());
        self.converting.push((receiver.clone(), to.clone()));
        self.typing.callees.insert(id, Callee::Standard(Meaning::From, to.clone()));
        Some(to)
    }

    /// `to_string` of a type of a crate that says how it is shown.
    pub(super) fn shown_by_itself(&mut self, id: ExprId, receiver: &Ty, scope: &Scope) -> Option<Ty> {
        let known = self.variables.known(receiver);
        let own = match &known {
            Ty::Reference(_, inner) => (**inner).clone(),
            ty => ty.clone(),
        };
        let items = self.context.items;
        let Ty::Adt(adt, _) = &own else { return None };
        let at = At { step: &known, first: &known };
        let passing = Some(Passing::Reference(Mutability::Shared));
        if items.is_std_module(items.adt(*adt).module)
            || scope.others
            || self.context.hides_impls_for(&own)
            || self.may_go_before(at, passing, (scope, "to_string"))
        {
            return None;
        }
        self.of_trait(&own, "fmt::Display", "fmt")?;
        let Some(Definition::Function(shown)) = items.standard("fmt::shown") else { return None };
        self.typing.callees.insert(id, Callee::Function(shown, vec![own]));
        Some(self.context.string())
    }

    /// Whether a function of the crate or of another one has a name, other than as the one of `Into`. What types have
    /// themselves no other type has.
    fn is_declared(&self, name: &str, receiver: &Ty) -> bool {
        let items = self.context.items;
        let known = self.variables.known(receiver);
        let counts = |it: &Function| match it.owner {
            Owner::Impl(owner) => match self.context.trait_of(owner) {
                Some(of_trait) => *of_trait != TraitName::Standard("convert::Into".into()),
                None => self.may_be(&self.context.impls[owner.index()].1, known.behind()),
            },
            _ => true,
        };
        let named = |it: &&Function| it.name == name && it.takes_self && !items.is_std_module(it.module);
        items.functions.iter().filter(named).any(counts)
    }

    /// Whether code that is not seen may give a type a method of its own, which goes before one of std's: only the crate
    /// of the type can. A method of another trait would not be told apart from that one.
    fn may_have_own(&self, receiver: &Ty) -> bool {
        let items = self.context.items;
        match receiver.behind() {
            Ty::Adt(id, _) => {
                let module = items.adt(*id).module;
                !items.is_std_module(module) && items.crate_of(module).hides
            }
            _ => false,
        }
    }

    /// `T: Into<X>` says what `.into()` gives on a parameter of type `T`.
    fn asked_into(&self, place: ExprId) -> Option<Ty> {
        let (name, 0) = self.declared_parameter(place)? else { return None };
        let mut found = self.asked_of(&name).filter_map(|bound| match bound {
            Bound::Trait(path, _) if self.is_of_std(bound, "convert::Into") => {
                path.segments.last()?.arguments.first()
            }
            _ => None,
        });
        let only = found.next().filter(|_| found.next().is_none())?;
        Some(self.context.type_of(only, self.environment))
    }

    pub(super) fn is_of_std(&self, bound: &Bound, wanted: &str) -> bool {
        match bound {
            Bound::Trait(path, _) => {
                self.context.trait_named(path) == TraitName::Standard(wanted.to_string())
            }
            Bound::Callable(..) => false,
        }
    }

    /// What the text around the body asks of a parameter.
    pub(super) fn asked_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Bound> + 'a {
        let of_it = move |predicate: &&Predicate| match &predicate.subject {
            super::TypeRef::Path(path) => path.single() == Some(name),
            _ => false,
        };
        self.predicates().into_iter().filter(of_it).map(|predicate| &predicate.bound)
    }

    /// The traits of the crate that a parameter has, with those they include; `None` where some are not seen.
    pub(super) fn traits_of(&self, parameter: &str) -> Option<Vec<TraitId>> {
        let mut seen: Vec<TraitId> = Vec::new();
        let mut asked: Vec<&Bound> = self.asked_of(parameter).collect();
        let mut next = 0;
        loop {
            for bound in asked.drain(..) {
                let Bound::Trait(path, _) = bound else { continue };
                match self.context.trait_named(path) {
                    TraitName::Seen(id) if !seen.contains(&id) => seen.push(id),
                    TraitName::Seen(_) | TraitName::Standard(_) => {}
                    TraitName::Unknown => return None,
                }
            }
            let Some(included) = seen.get(next) else { return Some(seen) };
            let included = &self.context.items.traits[included.index()].predicates;
            asked.extend(included.iter().map(|predicate| &predicate.bound));
            next += 1;
        }
    }

    /// What a method of its bounds gives on a type parameter that nobody has chosen: those go before what all types
    /// have. What it does depends on who chooses.
    pub(super) fn given_by_bounds(&self, parameter: &str, name: &str, scope: &Scope) -> Option<Ty> {
        let traits = self.traits_of(parameter).filter(|_| !scope.may_have(name))?;
        let items = self.context.items;
        let mut found = Vec::new();
        for bound in self.asked_of(parameter) {
            let Bound::Trait(path, _) = bound else { return None };
            let given = path.segments.last().and_then(|last| last.arguments.first());
            let (wanted, mutability) = match name {
                "as_mut" => ("convert::AsMut", Mutability::Mutable),
                _ => ("convert::AsRef", Mutability::Shared),
            };
            if let (Some(given), "as_ref" | "as_mut") = (given, name)
                && self.is_of_std(bound, wanted)
            {
                let given = self.context.type_of(given, self.environment);
                found.push(Ty::Reference(mutability, Box::new(given)));
            }
        }
        let own = traits.iter().filter_map(|id| {
            let of_trait = &items.traits[id.index()];
            let function = *of_trait.functions.get(name)?;
            let plain = of_trait.generics.len() == 1 && items.function(function).generics.is_empty();
            let environment = self.context.environment_of(function, &[Ty::Parameter(parameter.into())]);
            Some(match plain {
                true => self.context.type_of(&items.function(function).result, &environment),
                false => Ty::Opaque,
            })
        });
        found.extend(own);
        match found.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            _ => Some(Ty::Opaque),
        }
    }

    /// What `.into()` calls, now that it is known what it gives.
    pub(super) fn conversions(&self, typing: &mut Typing) {
        for (id, callee) in &mut typing.callees {
            let Callee::Standard(Meaning::From, to) = &*callee else { continue };
            let receiver = match &self.body.expr(*id).kind {
                ExprKind::Method { receiver, .. } => receiver,
                ExprKind::Call(_, arguments) if arguments.len() == 1 => &arguments[0],
                _ => continue,
            };
            let from = &typing.exprs[receiver.index()];
            let scalar = |ty: &Ty| matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_));
            if from == to {
                *callee = Callee::Standard(Meaning::Identity, to.clone());
            } else if !scalar(from) || !scalar(to) {
                *callee = match self.context.conversion(from, to) {
                    Some((function, generics)) => Callee::Function(function, generics),
                    None if self.wraps(from, to) => continue,
                    None => Callee::Unknown("a conversion that is not in this file"),
                };
            }
        }
    }

    /// A text that becomes one of its own, a value that becomes an option.
    fn wraps(&self, from: &Ty, to: &Ty) -> bool {
        let items = self.context.items;
        match (from, to) {
            (Ty::Reference(Mutability::Shared, inner), Ty::Adt(id, _)) if **inner == Ty::Str => {
                items.is_standard(*id, "String")
            }
            (Ty::Integer(_) | Ty::Bool | Ty::Char, Ty::Adt(id, arguments)) => {
                items.is_standard(*id, "Option") && arguments.as_slice() == [from.clone()]
            }
            _ => false,
        }
    }
}
