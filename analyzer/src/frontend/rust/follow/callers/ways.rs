//! Ways to a value of a type: public functions that give one, or something that it can be taken out of, and constants.

use std::rc::Rc;

use super::super::super::context::{Context, Environment};
use super::super::super::hir::{ConstId, FnId, Mutability};
use super::super::super::items::{AdtKind, Owner, Visibility};
use super::super::super::lower::Instance;
use super::super::super::privacy::{Made, Touching};
use super::super::super::traits::matches;
use super::super::super::types::Ty;
use super::super::{Flowing, Follower};

/// How to come from what a function gives to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Out {
    /// A field of a tuple or a structure.
    Field(u32),
    /// The only field of a variant, if it is this one.
    Variant(u32),
}

#[derive(Clone, Debug, Default, Hash)]
pub struct Ways {
    pub made: Rc<Made>,
    /// Functions that give something it can be taken out of.
    pub inside: Vec<(Instance, Vec<Out>)>,
    /// Constants of the type, with what stands in the place of the parameters around them.
    pub constants: Vec<(ConstId, Vec<Ty>)>,
}

const DEEPEST: usize = 3;
/// More are not tried one after the other.
const MOST: usize = 8;

impl Ways {
    pub fn count(&self) -> usize {
        let made = &self.made;
        made.makers.len() + made.constants.len() + usize::from(made.by_default) + self.more()
    }

    pub fn more(&self) -> usize {
        self.inside.len() + self.constants.len()
    }
}

impl Follower<'_, '_> {
    pub(super) fn ways(&mut self, ty: &Ty) -> Flowing<Rc<Ways>> {
        let context = self.context;
        let calling = self.calling()?;
        if let Some(known) = calling.ways.get(ty) {
            return Ok(known.clone());
        }
        let made = Rc::new(context.made(ty, &calling.touching));
        let mut ways = Ways { made, ..Ways::default() };
        if ways.count() == 0 {
            ways.constants = constants(context, ty);
            ways.inside = inside(context, ty, &calling.public, &calling.touching);
        }
        let ways = Rc::new(ways);
        calling.ways.insert(ty.clone(), ways.clone());
        Ok(ways)
    }
}

/// Public constants among the items of a type with parameters.
fn constants(context: &Context<'_>, ty: &Ty) -> Vec<(ConstId, Vec<Ty>)> {
    let mut found = Vec::new();
    if !matches!(ty, Ty::Adt(id, _) if context.is_exposed(*id)) {
        return found;
    }
    for (owner, target) in &context.impls {
        let declared = &context.items.impls[owner.index()];
        let mut bound = Vec::new();
        if declared.of_trait.is_some()
            || declared.generics.is_empty()
            || !context.items.is_own_module(declared.module)
            || !matches(target, ty, &mut bound)
            || !context.allows(*owner, &bound, context.fuel())
        {
            continue;
        }
        let named = |name: &str| bound.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone());
        let generics: Option<Vec<Ty>> = declared.generics.iter().map(|it| named(&it.name)).collect();
        let Some(generics) = generics else { continue };
        let mut own: Vec<ConstId> = declared.constants.values().copied().collect();
        own.sort_unstable();
        for id in own {
            let constant = context.items.constant(id);
            let of = context.type_of(&constant.ty, &context.constant_environment(id, &generics));
            if constant.is_public && of == *ty {
                found.push((id, generics.clone()));
            }
        }
    }
    found.truncate(MOST);
    found
}

/// Functions whose result has a value of the type in it.
fn inside(context: &Context<'_>, ty: &Ty, public: &[FnId], touching: &Touching) -> Vec<(Instance, Vec<Out>)> {
    let mut found = Vec::new();
    for function in public {
        if found.len() == MOST {
            break;
        }
        let declared = context.items.function(*function);
        if matches!(declared.owner, Owner::Trait(_)) || !context.is_callable(*function, touching) {
            continue;
        }
        let result = context.type_of(&declared.result, &context.plain_environment(declared));
        let mut ways = Vec::new();
        outs(context, &result, ty, &mut Vec::new(), &mut ways);
        for (out, part) in ways {
            let mut bound = Vec::new();
            if !matches(&part, ty, &mut bound) {
                continue;
            }
            let Some(names) = context.example_within(*function, &bound) else { continue };
            let generics: Vec<Ty> = names.iter().map(|(_, ty)| ty.clone()).collect();
            if is_there(context, *function, &generics, ty) {
                found.push(((*function, generics), out));
            }
        }
    }
    found
}

/// Whether a function with these types can be called, without a value of the type to begin with.
fn is_there(context: &Context<'_>, function: FnId, generics: &[Ty], ty: &Ty) -> bool {
    let environment: Environment = context.environment_of(function, generics);
    let declared = context.items.function(function);
    let parameters: Vec<Ty> =
        declared.parameters.iter().map(|ty| context.type_of(ty, &environment)).collect();
    let same = |part: &Ty| part == ty || *part == Ty::Opaque;
    let circular = parameters.iter().any(|part| part.any(&mut |part| same(part)));
    let by_nobody = parameters.iter().any(|ty| context.is_had_by_nobody(ty));
    !circular && !by_nobody && !context.takes_what_may_be_nobodys(function, generics)
}

/// Parts of a value that may be of the type: behind fields that everybody can name.
fn outs(context: &Context<'_>, whole: &Ty, ty: &Ty, way: &mut Vec<Out>, found: &mut Vec<(Vec<Out>, Ty)>) {
    let is_it = match (whole, ty) {
        (Ty::Adt(one, _), Ty::Adt(other, _)) => one == other,
        (Ty::Reference(one, inner), Ty::Reference(other, wanted)) => {
            let lends = one == other || *other == Mutability::Shared;
            let same = match (&**inner, &**wanted) {
                (Ty::Adt(one, _), Ty::Adt(other, _)) => one == other,
                _ => false,
            };
            lends && same
        }
        _ => false,
    };
    if is_it {
        // What is lent to be written can be lent to be read.
        let part = match (whole, ty) {
            (Ty::Reference(_, inner), Ty::Reference(mutability, _)) => {
                Ty::Reference(*mutability, inner.clone())
            }
            _ => whole.clone(),
        };
        return found.push((way.clone(), part));
    }
    if way.len() == DEEPEST {
        return;
    }
    match whole {
        Ty::Tuple(parts) => {
            for (at, part) in parts.iter().enumerate() {
                way.push(Out::Field(at as u32));
                outs(context, part, ty, way, found);
                way.pop();
            }
        }
        Ty::Adt(id, arguments) => {
            let adt = context.items.adt(*id);
            if adt.opaque || adt.kind != AdtKind::Enum || !has_public_fields(context, *id) {
                return;
            }
            for (at, variant) in adt.variants.iter().enumerate() {
                if variant.fields.len() == 1 {
                    way.push(Out::Variant(at as u32));
                    let field = context.field_type(*id, at as u32, 0, arguments);
                    outs(context, &field, ty, way, found);
                    way.pop();
                }
            }
        }
        _ => {}
    }
}

/// Enumerations of the crate that can be named, `Option` and `Result`.
fn has_public_fields(context: &Context<'_>, id: super::super::super::hir::AdtId) -> bool {
    let adt = context.items.adt(id);
    let std = ["Option", "Result"].iter().any(|name| context.items.is_standard(id, name));
    std || adt.visibility == Visibility::Public
        && context.is_exposed(id)
        && context.items.is_own_module(adt.module)
}
