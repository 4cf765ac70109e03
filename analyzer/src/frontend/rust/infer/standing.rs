//! Type parameters, in a body that is read with types in their place. What a name means on a parameter its bounds say,
//! whatever the type has of the same name.

use std::rc::Rc;

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
    /// The parameter of this number.
    Parameter(usize),
    Either,
}

/// Whether an impl for a type is the one that is meant where a bound of a parameter has the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    Yes,
    No,
    Doubtful,
}

/// What the type parameters of a body have.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    pub seen: Vec<TraitId>,
    /// Traits that are neither seen nor of std.
    pub others: bool,
    /// What is behind a parameter may have methods of its own.
    pub leads_on: bool,
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
        if let Some((name, _)) = self.declared_parameter(value)
            && let Some(number) = self.environment.names.iter().position(|(known, _)| *known == name)
        {
            return Standing::Parameter(number);
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

    /// A type parameter is of a type as a whole: that what is behind a reference has the method, or a reference to it,
    /// does not count, unless the impl is for references to all.
    pub(super) fn is_meant_by_bounds(
        &self,
        target: &Ty,
        own: &Ty,
        standing: Standing,
        bounds: &Bounds,
    ) -> Meant {
        let own = self.variables.known(own);
        let beside = |argument: &Ty| {
            let argument = self.variables.known(argument);
            argument != own && argument.behind() == own.behind()
        };
        let leads_on = |argument: &Ty| {
            let argument = self.variables.known(argument);
            self.context.dereferenced(&argument).is_some()
        };
        match standing {
            Standing::Itself => Meant::Yes,
            _ if (bounds.leads_on || bounds.others) && self.arguments().any(leads_on) => Meant::Doubtful,
            Standing::Parameter(number) => {
                let argument = self.variables.known(&self.environment.names[number].1);
                match beside(&argument) {
                    false => Meant::Yes,
                    true if is_behind(&own, &argument) || is_of_one(target, &own, &argument) => Meant::No,
                    true => Meant::Doubtful,
                }
            }
            Standing::Either if self.arguments().any(beside) => Meant::Doubtful,
            Standing::Either => Meant::Yes,
        }
    }

    pub(super) fn is_parameter(&self, name: &str) -> bool {
        let mut names = self.environment.names.iter();
        names.any(|(known, ty)| known == name && !matches!(ty, Ty::Constant(_)))
    }

    pub(super) fn arguments(&self) -> impl Iterator<Item = &Ty> {
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
            ExprKind::Deref(of) => match self.declared(*of)? {
                Ty::Reference(_, inner) => Some(*inner),
                _ => None,
            },
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
    pub(super) fn bounds(&self) -> Rc<Bounds> {
        self.bounds.get_or_init(|| Rc::new(self.all_bounds())).clone()
    }

    fn all_bounds(&self) -> Bounds {
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
                    TraitName::Seen(_) => {}
                    TraitName::Standard(name) => bounds.leads_on |= name.contains("Deref"),
                    TraitName::Unknown => bounds.others = true,
                }
            }
            let Some(included) = bounds.seen.get(next) else { return bounds };
            asked.extend(&items.traits[included.index()].predicates);
            next += 1;
        }
    }
}

/// Whether one type is what another refers to.
fn is_behind(one: &Ty, other: &Ty) -> bool {
    matches!(other, Ty::Reference(_, inner) if **inner == *one || is_behind(one, inner))
}

/// Whether an impl for a type that refers to another one is for references to that one only.
fn is_of_one(target: &Ty, own: &Ty, behind: &Ty) -> bool {
    match (target, own) {
        (target, own) if own == behind => !matches!(target, Ty::Parameter(_)),
        (Ty::Reference(_, target), Ty::Reference(_, own)) => is_of_one(target, own, behind),
        _ => false,
    }
}
