//! Which impl is meant where others may be that are not seen: the one that takes what is given.
//!
//! `impl PartialEq<Id> for u8` stands beside those of the standard library, `impl From<u8> for Id` beside the one that makes
//! an `Id` of itself.

use super::super::hir::{ExprId, FnId, ImplId};
use super::super::items::Owner;
use super::super::traits::TraitName;
use super::super::types::Ty;
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
            parameters.iter().zip(&types).all(|(parameter, ty)| self.matches(parameter, ty, &mut bound));
        let found = |ty: &Ty| match ty {
            Ty::Parameter(name) => bound.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone()),
            _ => None,
        };
        fits.then(|| {
            let filled = asked.iter().zip(generics);
            filled.map(|(asked, given)| found(asked).unwrap_or_else(|| given.clone())).collect()
        })
    }
}
