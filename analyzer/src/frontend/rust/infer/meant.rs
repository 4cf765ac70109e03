//! Which impl is meant where others may be that are not seen: the one that takes what is given.
//!
//! `impl PartialEq<Id> for u8` stands beside those of the standard library, `impl From<u8> for Id` beside the one that makes
//! an `Id` of itself.

use super::super::hir::{ExprId, FnId, ImplId, TypeRef};
use super::super::items::{Bound, Owner};
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::related::{DRAWN, is_one_of};
use super::traits::is_open;
use super::{Expected, Infer};

/// Traits that the standard library has for every type.
const OF_ALL_TYPES: [&str; 6] = [
    "borrow::Borrow",
    "borrow::BorrowMut",
    "convert::From",
    "convert::Into",
    "convert::TryFrom",
    "convert::TryInto",
];

/// Stands before the name of a parameter that may be any type; no name begins so.
const ANY: char = '?';

impl Infer<'_, '_> {
    /// Whether the trait of an impl may be there for this type a second time, with other types of its own.
    pub(super) fn has_others(&self, id: ImplId, own: &Ty) -> bool {
        let items = self.context.items;
        let named = items.impls[id.index()].of_trait.as_ref().and_then(|path| path.segments.last());
        if named.is_none_or(|segment| segment.arguments.is_empty()) {
            return false;
        }
        let own = match own {
            Ty::Adt(id, _) => Some(items.adt(*id)).filter(|adt| !items.is_std_module(adt.module)),
            _ => None,
        };
        match (self.context.trait_of(id), own) {
            (Some(TraitName::Seen(_)) | None, _) => false,
            (Some(TraitName::Standard(path)), Some(adt)) => {
                let name = path.rsplit("::").next().unwrap_or_default();
                OF_ALL_TYPES.contains(&path.as_str()) || adt.derives.contains(name)
            }
            (Some(TraitName::Standard(_) | TraitName::Unknown), _) => true,
        }
    }

    /// The generic arguments of a function of an impl, if arguments of the call are of the types it takes. The first
    /// parameters are those of what stands before the dot.
    pub(super) fn taking(
        &mut self,
        function: FnId,
        generics: &[Ty],
        arguments: &[ExprId],
        before: usize,
    ) -> Option<Vec<Ty>> {
        let types: Vec<Ty> = arguments.iter().map(|id| self.expr(*id, &Expected::Nothing)).collect();
        let types: Vec<Ty> = types.iter().map(|ty| self.variables.known(ty)).collect();
        let own = match self.context.items.function(function).owner {
            Owner::Impl(owner) => self.context.items.impls[owner.index()].generics.as_slice(),
            _ => &[],
        };
        let names = own.iter().map(|generic| &generic.name);
        let mut asked = generics.to_vec();
        for (ty, name) in asked.iter_mut().zip(names).filter(|(ty, _)| **ty == Ty::Opaque) {
            *ty = Ty::Parameter(format!("{ANY}{name}"));
        }
        // Those of the function itself, where bounds say what is drawn from them.
        let open = self.context.items.generics_of(self.context.items.function(function));
        let open: Vec<String> = open.iter().skip(asked.len()).map(|generic| generic.name.clone()).collect();
        asked.extend(open.iter().map(|name| Ty::Parameter(format!("{ANY}{name}"))));
        let (parameters, _) = self.signature(function, &asked);
        let parameters: Vec<Ty> = parameters.iter().skip(before).map(|ty| self.variables.known(ty)).collect();
        if parameters.len() != types.len() || types.iter().any(is_open) {
            return None;
        }
        // Parameters of the code around the call stand for themselves.
        let mut bound = Vec::new();
        for ty in &parameters {
            ty.any(&mut |part| {
                if let Ty::Parameter(name) = part
                    && !name.starts_with(ANY)
                {
                    bound.push((name.clone(), part.clone()));
                }
                false
            });
        }
        let fits =
            parameters.iter().zip(&types).all(|(parameter, ty)| self.matches(parameter, ty, &mut bound))
                && open.iter().all(|name| self.gives_such_items((function, &asked), name, &mut bound));
        let found = |ty: &Ty| match ty {
            Ty::Parameter(name) => bound.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone()),
            _ => None,
        };
        fits.then(|| {
            let filled = asked.iter().zip(generics);
            filled.map(|(asked, given)| found(asked).unwrap_or_else(|| given.clone())).collect()
        })
    }

    /// Whether a function of an impl may be given such arguments, as far as their types are known.
    pub(super) fn may_take(
        &mut self,
        function: FnId,
        generics: &[Ty],
        arguments: &[ExprId],
        before: usize,
    ) -> bool {
        let types: Vec<Ty> = arguments.iter().map(|id| self.expr(*id, &Expected::Nothing)).collect();
        let types: Vec<Ty> = types.iter().map(|ty| self.variables.known(ty)).collect();
        let open = self.context.items.generics_of(self.context.items.function(function));
        let open: Vec<String> =
            open.iter().skip(generics.len()).map(|generic| generic.name.clone()).collect();
        let mut asked = generics.to_vec();
        asked.extend(open.iter().map(|name| Ty::Parameter(format!("{ANY}{name}"))));
        let (parameters, _) = self.signature(function, &asked);
        let parameters: Vec<Ty> = parameters.iter().skip(before).map(|ty| self.variables.known(ty)).collect();
        parameters.len() == types.len()
            && parameters.iter().zip(&types).all(|(parameter, ty)| match parameter {
                Ty::Parameter(name) if let Some(name) = name.strip_prefix(ANY) => {
                    match self.wanted_items((function, &asked), name) {
                        Some(wanted) => match self.item_of(ty).map(|item| self.variables.known(&item)) {
                            Some(item) => self.may_be(&wanted, &item),
                            None => true,
                        },
                        None => true,
                    }
                }
                parameter => self.may_be(parameter, ty),
            })
    }

    /// What the bounds of a function say is drawn from a parameter.
    fn wanted_items(&self, (function, generics): (FnId, &[Ty]), name: &str) -> Option<Ty> {
        let context = self.context;
        let environment = context.environment_of(function, generics);
        let wanted = context.items.function(function).predicates.iter().find_map(|predicate| {
            let (TypeRef::Path(subject), Bound::Trait(path, items)) = (&predicate.subject, &predicate.bound)
            else {
                return None;
            };
            let item = items.iter().find(|(item, _)| item == "Item").map(|(_, ty)| ty)?;
            (subject.single() == Some(name) && is_one_of(path, DRAWN)).then_some(item)
        });
        wanted.map(|wanted| context.type_of(wanted, &environment))
    }

    /// Whether what is drawn from a parameter is what the bounds of the function say: `I: IntoIterator<Item = T>`.
    fn gives_such_items(
        &mut self,
        (function, generics): (FnId, &[Ty]),
        name: &str,
        bound: &mut Vec<(String, Ty)>,
    ) -> bool {
        let given = bound.iter().find(|(known, _)| known.strip_prefix(ANY) == Some(name));
        let Some((_, given)) = given.cloned() else { return false };
        let Some(wanted) = self.wanted_items((function, generics), name) else { return false };
        let Some(item) = self.item_of(&given).map(|item| self.variables.known(&item)) else { return false };
        !is_open(&item) && self.matches(&wanted, &item, bound)
    }
}
