//! Type parameters, in a body that is read with types in their place. What a name means on a parameter its bounds say,
//! whatever the type has of the same name.

use super::super::context::BodyOf;
use super::super::hir::{ExprId, ExprKind, PatKind, TraitId};
use super::super::items::{Bound, KrateId, Owner, Predicate};
use super::super::traits::TraitName;
use super::super::types::Ty;
use super::Infer;

/// What the type of a value was in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Itself,
    Parameter,
    Either,
}

/// What the type parameters of a body have.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    pub seen: Vec<TraitId>,
    /// Traits that are neither seen nor of std.
    pub others: bool,
}

impl Bounds {
    pub fn has(&self, id: TraitId) -> bool {
        self.seen.contains(&id)
    }
}

impl Infer<'_, '_> {
    /// The crate whose code the body is.
    pub(super) fn krate(&self) -> KrateId {
        let items = self.context.items;
        match self.environment.of {
            Some(BodyOf::Function(id)) => items.module(items.function(id).module).krate,
            Some(BodyOf::Constant(id)) => items.module(items.constant(id).module).krate,
            None => KrateId::OWN,
        }
    }

    pub(super) fn standing(&self, value: ExprId, ty: &Ty) -> Standing {
        let mut arguments = self.arguments();
        if arguments.next().is_none() {
            return Standing::Itself;
        }
        if self.declared_parameter(value).is_some() {
            return Standing::Parameter;
        }
        let ty = self.variables.known(ty);
        let own = self.environment.own.as_ref().filter(|_| !self.is_parameter("Self"));
        match own {
            Some(own) if own == ty.behind() && !self.may_be_parameter(&ty) => Standing::Itself,
            _ => Standing::Either,
        }
    }

    /// Whether type parameters here may have a method that is not of std.
    pub(super) fn may_bounds_have(&self, name: &str) -> bool {
        let bounds = self.bounds();
        let traits = &self.context.items.traits;
        bounds.others || bounds.seen.iter().any(|id| traits[id.index()].functions.contains_key(name))
    }

    /// Whether a type is one that a parameter has here.
    pub(super) fn may_be_parameter(&self, ty: &Ty) -> bool {
        let ty = self.variables.known(ty);
        self.arguments().any(|argument| {
            let argument = self.variables.known(argument);
            argument == ty || argument == *ty.behind()
        })
    }

    pub(super) fn is_parameter(&self, name: &str) -> bool {
        let mut names = self.environment.names.iter();
        names.any(|(known, ty)| known == name && !matches!(ty, Ty::Constant(_)))
    }

    fn arguments(&self) -> impl Iterator<Item = &Ty> {
        self.environment.names.iter().map(|(_, ty)| ty).filter(|ty| !matches!(ty, Ty::Constant(_)))
    }

    /// The type parameter that a value is declared to be of, behind so many references.
    pub(super) fn declared_parameter(&self, value: ExprId) -> Option<(String, u32)> {
        let mut ty = self.declared(value)?;
        let mut depth = 0;
        while let Ty::Reference(_, inner) = ty {
            ty = *inner;
            depth += 1;
        }
        let Ty::Parameter(name) = ty else { return None };
        self.is_parameter(&name).then_some((name, depth))
    }

    /// The type that the text gives a parameter of the function, or a field of one; type parameters stand for themselves.
    fn declared(&self, value: ExprId) -> Option<Ty> {
        match &self.body.expr(value).kind {
            ExprKind::Local(local) => {
                let Some(BodyOf::Function(function)) = self.environment.of else { return None };
                let binds = |pat: &super::PatId| {
                    let kind = &self.body.pat(*pat).kind;
                    matches!(kind, PatKind::Bind { local: bound, inner: None, .. } if bound == local)
                };
                let at = self.body.parameters.iter().position(binds)?;
                let function = self.context.items.function(function);
                let ty = function.parameters.get(at)?;
                Some(self.context.type_of(ty, &self.context.plain_environment(function)))
            }
            ExprKind::Field(base, name) => {
                let base = self.declared(*base)?;
                let Ty::Adt(id, arguments) = base.behind() else { return None };
                let at = self.meant_field(*id, name)?;
                Some(self.context.field_type(*id, 0, at, arguments))
            }
            _ => None,
        }
    }

    /// What is asked for around the body.
    pub(super) fn predicates(&self) -> Vec<&Predicate> {
        let items = self.context.items;
        let (owner, own): (Owner, &[Predicate]) = match self.environment.of {
            Some(BodyOf::Function(id)) => (items.function(id).owner, &items.function(id).predicates),
            Some(BodyOf::Constant(id)) => (items.constant(id).owner, &[]),
            None => return Vec::new(),
        };
        let around: &[Predicate] = match owner {
            Owner::Impl(id) => &items.impls[id.index()].predicates,
            Owner::Trait(id) => &items.traits[id.index()].predicates,
            Owner::Module => &[],
        };
        own.iter().chain(around).collect()
    }

    /// What the bounds around the body ask for, and what that includes.
    pub(super) fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::default();
        let items = self.context.items;
        let owner = match self.environment.of {
            Some(BodyOf::Function(id)) => items.function(id).owner,
            Some(BodyOf::Constant(id)) => items.constant(id).owner,
            None => return Bounds { others: true, ..bounds },
        };
        if let Owner::Trait(id) = owner {
            bounds.seen.push(id);
        }
        let mut asked: Vec<&Predicate> = self.predicates();
        let mut next = 0;
        loop {
            for predicate in asked.drain(..) {
                let Bound::Trait(path, _) = &predicate.bound else { continue };
                match self.context.trait_named(path) {
                    TraitName::Seen(id) if !bounds.seen.contains(&id) => bounds.seen.push(id),
                    TraitName::Seen(_) | TraitName::Standard(_) => {}
                    TraitName::Unknown => bounds.others = true,
                }
            }
            let Some(included) = bounds.seen.get(next) else { return bounds };
            asked.extend(&items.traits[included.index()].predicates);
            next += 1;
        }
    }
}
