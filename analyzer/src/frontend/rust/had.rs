//! Types that only a trait says (`<String as FromStr>::Err`), where nobody knows whether they have values.
//!
//! What a trait says of a type that callers choose they choose, too, unless a bound says it or nobody else implements the
//! trait.

use super::asked::is_projected;
use super::context::{Context, Environment};
use super::defs::{Namespace, Resolved};
use super::hir::{FnId, Path, TypeRef};
use super::items::{Bound, Definition, Owner, Predicate};
use super::traits::TraitName;
use super::types::Ty;

const DEPTH_LIMIT: usize = 16;

/// Where a type is written down.
struct Place<'p> {
    environment: Environment,
    /// What is asked of parameters there.
    asked: &'p [&'p Predicate],
}

impl Context<'_> {
    /// Whether nobody knows that there are values of all that a function takes, with these types in the place of its
    /// parameters.
    pub fn takes_what_may_be_nobodys(&self, id: FnId, generics: &[Ty]) -> bool {
        let asked = (id, generics.to_vec());
        if let Some(known) = self.nobodys.borrow().get(&asked) {
            return *known;
        }
        let found = self.is_given_nobodys(id, generics);
        self.nobodys.borrow_mut().insert(asked, found);
        found
    }

    fn is_given_nobodys(&self, id: FnId, generics: &[Ty]) -> bool {
        let function = self.items.function(id);
        let around: &[Predicate] = match function.owner {
            Owner::Impl(owner) => &self.items.impls[owner.index()].predicates,
            Owner::Trait(of) => &self.items.traits[of.index()].predicates,
            Owner::Module => &[],
        };
        let asked: Vec<&Predicate> = around.iter().chain(&function.predicates).collect();
        let place = Place { environment: self.environment_of(id, generics), asked: &asked };
        let own = match function.owner {
            Owner::Impl(owner) if function.takes_self => Some(&self.items.impls[owner.index()].target),
            _ => None,
        };
        function.parameters.iter().chain(own).any(|ty| self.may_be_nobodys(ty, &place, &mut Vec::new()))
    }

    /// `around`: the types it is a part of.
    fn may_be_nobodys(&self, ty: &TypeRef, place: &Place<'_>, around: &mut Vec<Ty>) -> bool {
        match ty {
            TypeRef::Tuple(parts) => parts.iter().any(|part| self.may_be_nobodys(part, place, around)),
            TypeRef::Array(inner, _) | TypeRef::Slice(inner) | TypeRef::Reference(_, inner) => {
                self.may_be_nobodys(inner, place, around)
            }
            TypeRef::Path(path) => {
                let arguments = path.segments.iter().flat_map(|segment| &segment.arguments);
                self.is_said_by_a_trait(ty, path, place)
                    || arguments.into_iter().any(|ty| self.may_be_nobodys(ty, place, around))
                    || self.declares_nobodys(ty, path, place, around)
            }
            TypeRef::Pointer(..) | TypeRef::Never | TypeRef::Infer | TypeRef::Opaque | TypeRef::Const(_) => {
                false
            }
        }
    }

    /// The same of what an alias stands for, and of fields.
    fn declares_nobodys(&self, ty: &TypeRef, path: &Path, place: &Place<'_>, around: &mut Vec<Ty>) -> bool {
        let found = self.items.resolve(path, Namespace::Types).found;
        if let Resolved::Definition(Definition::Alias(id)) = found {
            let alias = &self.items.aliases[id.index()];
            let written = path.segments.iter().flat_map(|segment| &segment.arguments);
            let given = written.map(|ty| self.type_of(ty, &place.environment));
            let names = alias.generics.iter().map(|generic| generic.name.clone()).zip(given).collect();
            let inner = Place { environment: Environment { names, ..Environment::default() }, asked: &[] };
            return around.len() > DEPTH_LIMIT || {
                around.push(Ty::Opaque);
                let found = self.may_be_nobodys(&alias.ty, &inner, around);
                around.pop();
                found
            };
        }
        let own = self.type_of(ty, &place.environment);
        let Ty::Adt(id, arguments) = &own else { return false };
        let adt = self.items.adt(*id);
        if self.items.is_std_module(adt.module) || around.contains(&own) {
            return false;
        }
        let names = adt.generics.iter().map(|generic| generic.name.clone()).zip(arguments.iter().cloned());
        let environment =
            Environment { names: names.collect(), own: Some(own.clone()), ..Environment::default() };
        let inner = Place { environment, asked: place.asked };
        around.push(own.clone());
        let mut fields = adt.variants.iter().flat_map(|variant| &variant.fields);
        let found =
            around.len() > DEPTH_LIMIT || fields.any(|field| self.may_be_nobodys(&field.ty, &inner, around));
        around.pop();
        found
    }

    /// Whether it is what a trait says, of a type for which that is not known, or not for callers to choose.
    fn is_said_by_a_trait(&self, ty: &TypeRef, path: &Path, place: &Place<'_>) -> bool {
        let Some(name) = path.segments.last().map(|last| last.name.as_str()) else { return false };
        let first = path.segments.first().map(|first| first.name.as_str());
        let of = match &path.qself {
            Some(qself) => self.type_of(&qself.ty, &place.environment),
            None if path.segments.len() < 2 => return false,
            None if first == Some("Self") => place.environment.own.clone().unwrap_or(Ty::Opaque),
            None => match place.environment.names.iter().find(|(known, _)| Some(known.as_str()) == first) {
                Some((_, ty)) => ty.clone(),
                None => return false,
            },
        };
        let open = |ty: &Ty| ty.any(&mut |part| *part == Ty::Opaque);
        if !open(&self.type_of(ty, &place.environment)) {
            return false;
        }
        match of {
            Ty::Parameter(_) => {}
            // What follows from a choice of callers.
            Ty::Opaque if path.qself.as_ref().is_some_and(|qself| is_projected(&qself.ty)) => {}
            _ => return true,
        }
        place.asked.iter().any(|predicate| {
            let Bound::Trait(of_trait, items) = &predicate.bound else { return false };
            let said = items.iter().any(|(item, ty)| {
                let ty = self.type_of(ty, &place.environment);
                item == name && (open(&ty) || self.is_had_by_nobody(&ty))
            });
            let closed = match self.trait_named(of_trait) {
                TraitName::Seen(id) => !self.is_open(id, 0),
                TraitName::Standard(_) | TraitName::Unknown => false,
            };
            said || closed
        })
    }
}
