//! Paths that are values, and structures.

use std::rc::Rc;

use kleene_domains::int::Int;

use super::super::context::{BodyOf, Environment};
use super::super::defs::{Namespace, Resolved};
use super::super::hir::{AdtId, ConstId, ExprId, FnId, ImplId, ModuleId, Path, Segment, TraitId, TypeRef};
use super::super::items::{AdtKind, Definition, Generic, KrateId, Owner};
use super::super::scope::is_method_of_std;
use super::super::traits::{Bindings, TraitName};
use super::super::types::{Ty, U32};
use super::method::COMPARING;
use super::settle::Asking;
use super::{Expected, Infer, Named};

/// What a path in value position names.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Function(FnId, Vec<Ty>),
    Variant(AdtId, u32, Vec<Ty>),
    Constant(ConstId, Vec<Ty>, Ty),
    Number(Int, Ty),
    /// An associated function of a type that is not ours: `u8::from`, `i32::pow`.
    Associated(Ty, String),
    /// One of these, by the types of its arguments, or else one of a type that is not ours.
    Several(Vec<(FnId, Vec<Ty>)>, Option<(Ty, String)>),
    /// `Trait::name`, by the type of its first argument.
    OfTrait(TraitId, String),
    /// A function that says how many bytes a type has.
    Size(u64),
    /// A function of the standard library by its path.
    Standard(String),
    Unknown,
}

/// How an associated item is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Through {
    /// `Type::name`.
    Type,
    /// `T::name` with a type in the place of the parameter.
    Bounds,
    /// `<Type as Trait>::name`.
    Trait(TraitName),
}

impl Through {
    /// Whether a function that is not seen can be one of std.
    fn may_be_standard(&self, name: &str) -> bool {
        match self {
            Self::Type => true,
            Self::Bounds => {
                matches!(name, "from" | "try_from" | "default" | "from_str" | "from_iter")
                    || COMPARING.contains(&name)
            }
            Self::Trait(of_trait) => matches!(of_trait, TraitName::Standard(_)),
        }
    }
}

impl Infer<'_, '_> {
    pub(super) fn path_value(&mut self, id: ExprId, path: &Path) -> Ty {
        let item = self.item(path);
        let callable = self.callable(&item);
        let (named, ty) = match item {
            Item::Constant(constant, arguments, ty) => (Named::Constant(constant, arguments), ty),
            Item::Number(value, ty) => (Named::Number(value), ty),
            Item::Variant(adt, index, arguments) => {
                let unit = self.context.items.adt(adt).variants[index as usize].fields.is_empty();
                match unit {
                    true => (Named::Variant(adt, index), Ty::Adt(adt, arguments)),
                    false => (Named::Callable, callable.unwrap_or(Ty::Opaque)),
                }
            }
            _ => match callable {
                Some(ty) => (Named::Callable, ty),
                None => (Named::Unknown, Ty::Opaque),
            },
        };
        self.typing.paths.insert(id, named);
        ty
    }

    pub(super) fn item(&mut self, path: &Path) -> Item {
        self.standing_in = Some(path.module);
        if let Some(name) = path.single()
            && let Some((_, Ty::Constant(value))) =
                self.environment.names.iter().find(|(known, _)| known == name)
        {
            let value = Int::from(*value);
            return match self.constant_parameter(name) {
                ty @ (Ty::Integer(_) | Ty::Bool | Ty::Char) => Item::Number(value, ty),
                _ => Item::Unknown,
            };
        }
        if let Some(qself) = &path.qself {
            let ty = self.ty(&qself.ty);
            let through = match &qself.of_trait {
                Some(path) => Through::Trait(self.context.trait_named(path)),
                None if self.is_of_parameter(&qself.ty) => Through::Bounds,
                None => Through::Type,
            };
            return match path.segments.as_slice() {
                [name] if self.is_default_of_any(&ty, &through, &name.name, path.module) => {
                    Item::Standard("default::Default::default".into())
                }
                [name] => self.associated(&ty, &through, &name.name.clone(), &[]),
                _ => Item::Unknown,
            };
        }
        let first = path.segments.first().map(|segment| segment.name.as_str());
        let generic = first.and_then(|first| {
            self.environment.names.iter().find(|(known, _)| known == first).map(|(_, ty)| ty.clone())
        });
        let own = match first {
            Some("Self") => Some(self.environment.own.clone().unwrap_or(Ty::Opaque)),
            _ => generic,
        };
        if let Some(own) = own {
            if first.is_some_and(|first| self.is_parameter(first)) {
                return match (&path.segments[1..], first) {
                    ([name], Some(parameter)) => {
                        let (name, written) = (name.name.clone(), name.arguments.clone());
                        let found = self.associated(&own, &Through::Bounds, &name, &written);
                        self.as_asked_of(found, parameter, &own)
                    }
                    _ => Item::Unknown,
                };
            }
            return self.of_own(&own, path);
        }
        let target = self.context.items.resolve(path, Namespace::Values);
        let written: Vec<Segment> = path.segments[..target.walked].to_vec();
        let rest = target.rest.to_vec();
        match (self.context.known(target.found), rest.as_slice()) {
            (Resolved::Definition(Definition::Function(id)), []) => {
                let arguments = self.generic_arguments(id, &[], written.last());
                Item::Function(id, arguments)
            }
            (Resolved::Definition(Definition::Constant(id)), []) => self.constant(id, Vec::new()),
            (Resolved::Definition(Definition::Variant(id, index)), []) => {
                let arguments = self.adt_arguments(id, &written);
                Item::Variant(id, index, arguments)
            }
            // What our own text of std declares has one name for a type and for what makes it.
            (Resolved::Definition(Definition::Adt(id)), [])
                if self.context.items.is_std_module(self.context.items.adt(id).module)
                    && self.context.items.adt(id).kind == AdtKind::Struct =>
            {
                let arguments = self.adt_arguments(id, &written);
                Item::Variant(id, 0, arguments)
            }
            (Resolved::Definition(Definition::Adt(id)), [name]) => {
                let arguments = self.adt_arguments(id, &written);
                self.associated(
                    &Ty::Adt(id, arguments),
                    &Through::Type,
                    &name.name.clone(),
                    &name.arguments.clone(),
                )
            }
            (Resolved::Definition(Definition::Alias(_)), [_]) => {
                let mut prefix = path.clone();
                let name = prefix.segments.pop().expect("a path with a rest has segments");
                let ty = self.ty(&super::super::hir::TypeRef::Path(prefix));
                self.associated(&ty, &Through::Type, &name.name, &name.arguments)
            }
            (Resolved::Definition(Definition::Trait(id)), [name]) => Item::OfTrait(id, name.name.clone()),
            (Resolved::Primitive(name), [item]) => {
                let ty = self.context.primitive(&name);
                self.associated(&ty, &Through::Type, &item.name.clone(), &item.arguments.clone())
            }
            (Resolved::Standard(path), []) => self.of_standard(&path, &written),
            _ => Item::Unknown,
        }
    }

    /// Whether `<_>::default` is what it says: of a type that is not known, only traits in scope have functions.
    fn is_default_of_any(&self, ty: &Ty, through: &Through, name: &str, module: ModuleId) -> bool {
        let open = name == "default" && matches!(self.resolved(ty), Ty::Variable(_));
        match through {
            Through::Trait(of_trait) => open && *of_trait == TraitName::Standard("default::Default".into()),
            Through::Bounds => false,
            Through::Type => {
                open && !self.context.scope(module).may_have(name) && !self.is_of_seen_trait(name)
            }
        }
    }

    /// Whether a trait of the crates that are read has a function of this name.
    fn is_of_seen_trait(&self, name: &str) -> bool {
        let items = self.context.items;
        let own = items.traits.iter().filter(|found| !items.is_std_module(found.module));
        own.into_iter().any(|found| found.functions.contains_key(name))
    }

    /// A function of std, or one of a type that our own text of it declares: `Vec::new`.
    fn of_standard(&mut self, path: &str, written: &[Segment]) -> Item {
        if let (Some((owner, _)), [before @ .., last]) = (path.rsplit_once("::"), written)
            && let Some(Definition::Adt(id)) = self.context.items.standard(owner)
        {
            let arguments = self.adt_arguments(id, before);
            return self.associated(
                &Ty::Adt(id, arguments),
                &Through::Type,
                &last.name.clone(),
                &last.arguments.clone(),
            );
        }
        if let (Some((owner, _)), [.., last]) = (path.rsplit_once("::"), written)
            && let Some(Definition::Alias(id)) = self.context.items.standard(owner)
            && let alias = &self.context.items.aliases[id.index()]
            && alias.generics.is_empty()
        {
            let ty = self.context.type_of(&alias.ty, &Environment::default());
            return self.associated(&ty, &Through::Type, &last.name.clone(), &last.arguments.clone());
        }
        if let ("mem::size_of", Some([ty])) = (path, written.last().map(|last| last.arguments.as_slice())) {
            let ty = self.ty(ty);
            let ty = self.variables.known(&ty);
            return self.context.size(&ty).map_or(Item::Standard(path.into()), Item::Size);
        }
        self.standard(path)
    }

    /// `Self`, `Self::NAME`, `T::NAME`.
    fn of_own(&mut self, own: &Ty, path: &Path) -> Item {
        match (own, &path.segments[1..]) {
            (Ty::Adt(id, arguments), []) => Item::Variant(*id, 0, arguments.clone()),
            (Ty::Adt(id, arguments), [name]) => {
                let adt = self.context.items.adt(*id);
                let variant = adt.variants.iter().position(|variant| variant.name == name.name);
                match variant.filter(|_| adt.kind == AdtKind::Enum) {
                    Some(index) => Item::Variant(*id, index as u32, arguments.clone()),
                    None => self.associated(own, &Through::Type, &name.name.clone(), &name.arguments.clone()),
                }
            }
            (ty, [name]) => {
                self.associated(&ty.clone(), &Through::Type, &name.name.clone(), &name.arguments.clone())
            }
            _ => Item::Unknown,
        }
    }

    /// Whether a type is a parameter, or one that a parameter names: `T`, `T::Item`.
    fn is_of_parameter(&self, ty: &TypeRef) -> bool {
        let TypeRef::Path(path) = ty else { return false };
        match &path.qself {
            Some(qself) => self.is_of_parameter(&qself.ty),
            None => path.segments.first().is_some_and(|first| self.is_parameter(&first.name)),
        }
    }

    fn adt_arguments(&mut self, id: AdtId, written: &[Segment]) -> Vec<Ty> {
        let given: Vec<_> = written.iter().flat_map(|segment| segment.arguments.clone()).collect();
        let mut known = Environment::default();
        for (index, generic) in self.context.items.adt(id).generics.iter().enumerate() {
            let ty = match (given.get(index), &generic.default) {
                (Some(ty), _) => self.ty(ty),
                // Where some are written, the others are what they are by default.
                (None, Some(default)) if !given.is_empty() => self.context.type_of(default, &known),
                (None, _) => self.variables.fresh(),
            };
            known.names.push((generic.name.clone(), ty));
        }
        known.names.into_iter().map(|(_, ty)| ty).collect()
    }

    /// Types of a function's generic parameters: those of the impl are given, its own written or open.
    pub(super) fn generic_arguments(&mut self, id: FnId, outer: &[Ty], written: Option<&Segment>) -> Vec<Ty> {
        let own = self.context.items.function(id).generics.len();
        let mut arguments = outer.to_vec();
        for index in 0..own {
            let ty = match written.and_then(|segment| segment.arguments.get(index)).cloned() {
                Some(ty) => self.ty(&ty),
                None => self.variables.fresh(),
            };
            arguments.push(ty);
        }
        arguments
    }

    fn constant(&mut self, id: ConstId, arguments: Vec<Ty>) -> Item {
        let constant = self.context.items.constant(id);
        let environment = self.context.constant_environment(id, &arguments);
        let ty = self.context.type_of(&constant.ty, &environment);
        Item::Constant(id, arguments, ty)
    }

    /// `Type::name`: an associated function or constant.
    pub(super) fn associated(&mut self, ty: &Ty, through: &Through, name: &str, written: &[TypeRef]) -> Item {
        let ty = self.resolved(ty);
        let own = *through == Through::Type;
        if let (Ty::Integer(integer), true) = (&ty, own) {
            match name {
                "MAX" => return Item::Number(integer.ty.max(), ty),
                "MIN" => return Item::Number(integer.ty.min(), ty),
                "BITS" => return Item::Number(Int::from(i64::from(integer.ty.bits)), U32),
                _ => {}
            }
        }
        if let (Ty::Char, "MAX", true) = (&ty, name, own) {
            return Item::Number(Int::from(0x10_ffff), Ty::Char);
        }
        let bounds = if own { Rc::default() } else { self.bounds() };
        let krate = self.krate();
        let mut found = Vec::new();
        let mut others = false;
        let mut hidden = matches!(ty, Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_));
        for (id, target) in &self.context.impls {
            let of_trait = self.context.trait_of(*id);
            let asked = match (through, of_trait) {
                (Through::Type, Some(TraitName::Seen(seen))) => self.may_be_in_scope(*seen),
                (Through::Type, _) => true,
                (Through::Bounds, Some(TraitName::Seen(id))) => bounds.has(*id),
                // Our own text of std has some of a trait's functions among a type's own.
                (Through::Bounds, of_trait) => {
                    let owner = &self.context.items.impls[id.index()];
                    of_trait.is_some() || self.context.items.is_std_module(owner.module)
                }
                (Through::Trait(name), of_trait) => of_trait == Some(name),
            };
            let owner = &self.context.items.impls[id.index()];
            // Names tell faster than types.
            if !asked || !owner.opaque && !self.context.has_item(*id, name) {
                continue;
            }
            let Some(bound) = self.matched(*id, target, &ty) else { continue };
            let outer = self.impl_arguments(*id, &bound);
            hidden |= owner.opaque;
            let rank = u8::from(owner.of_trait.is_some());
            let items = self.context.items;
            let kept_back = |id: &&FnId| {
                rank == 0 && !items.can_use(krate, owner.module, items.function(**id).visibility)
            };
            if let Some(function) = owner.functions.get(name).filter(|id| !kept_back(id)) {
                others |= self.has_others(*id, &ty);
                found.push((rank, Ok(*function), outer));
            } else if let Some(constant) = owner.constants.get(name) {
                found.push((rank, Err(*constant), outer));
            } else if let Some(TraitName::Seen(seen)) = of_trait {
                // What the impl leaves out, the trait may say.
                let seen = &self.context.items.traits[seen.index()];
                let function = seen.functions.get(name).map(|function| Ok(*function));
                let default = function.or(seen.constants.get(name).map(|constant| Err(*constant)));
                if let Some(default) = default {
                    found.push((rank, default, self.context.trait_arguments(*id, &ty, &bound)));
                }
            }
        }
        // What a type has itself goes before what a trait has, also where not all of the type is known yet.
        if own && !hidden && found.iter().all(|(rank, ..)| *rank != 0) {
            self.only_inherent(&ty, name, krate, &mut found);
        }
        if let (Through::Bounds, 2..) = (through, found.len()) {
            self.by_bounds(&ty, &mut found);
        }
        // What a type of std has itself goes before traits, whether our own text declares it or not.
        let of_std = match &ty {
            Ty::Adt(id, _) => self.context.items.is_std_module(self.context.items.adt(*id).module),
            _ => true,
        };
        if own && of_std && is_method_of_std(name) {
            found.retain(|(rank, item, _)| {
                let in_std =
                    |id: FnId| self.context.items.is_std_module(self.context.items.function(id).module);
                *rank == 0 || item.is_ok_and(in_std)
            });
        }
        found.sort_by_key(|(rank, ..)| *rank);
        let best: Vec<_> = found.iter().filter(|(rank, ..)| *rank == found[0].0).cloned().collect();
        match best.as_slice() {
            // An inherent item wins over whatever a trait may bring.
            [(rank, item, outer)] if *rank == 0 || !hidden && !others => match item {
                Ok(function) => {
                    let segment = Segment { name: name.into(), arguments: written.to_vec() };
                    Item::Function(*function, self.generic_arguments(*function, outer, Some(&segment)))
                }
                Err(constant) => self.constant(*constant, outer.clone()),
            },
            [] if !hidden && through.may_be_standard(name) && (own || !bounds.others) => {
                Item::Associated(ty, name.into())
            }
            several if !hidden => {
                let functions = several.iter().map(|(_, item, outer)| {
                    let function = (*item).ok()?;
                    let segment = Segment { name: name.into(), arguments: written.to_vec() };
                    Some((function, self.generic_arguments(function, outer, Some(&segment))))
                });
                let standard = others && through.may_be_standard(name) && (own || !bounds.others);
                let otherwise = standard.then(|| (ty.clone(), name.to_string()));
                let functions = functions.collect::<Option<_>>();
                functions.map_or(Item::Unknown, |functions| Item::Several(functions, otherwise))
            }
            _ => Item::Unknown,
        }
    }

    /// Whether `Type::name` may mean what a trait has: those of other packages are to be in scope.
    fn may_be_in_scope(&self, seen: TraitId) -> bool {
        let items = self.context.items;
        let Some(module) = self.standing_in else { return true };
        if !items.is_foreign_module(items.traits[seen.index()].module) {
            return true;
        }
        self.context.scope(module).has(items, &TraitName::Seen(seen)) != Some(false)
    }

    /// Where a type is not known to its last argument, the only impl that has a function of its own of this name says
    /// what is missing.
    fn only_inherent(
        &mut self,
        ty: &Ty,
        name: &str,
        krate: KrateId,
        found: &mut Vec<(u8, Result<FnId, ConstId>, Vec<Ty>)>,
    ) {
        let Ty::Adt(id, arguments) = ty else { return };
        let items = self.context.items;
        let missing = |part: &Ty| matches!(self.resolved(part), Ty::Variable(_));
        if !arguments.iter().any(missing) || items.crate_of(items.adt(*id).module).hides {
            return;
        }
        let of_type = |(owner, target): &&(ImplId, Ty)| {
            let owner = &items.impls[owner.index()];
            let usable = |id: &FnId| items.can_use(krate, owner.module, items.function(*id).visibility);
            owner.of_trait.is_none()
                && matches!(target, Ty::Adt(of, _) if of == id)
                && owner.functions.get(name).is_some_and(usable)
        };
        let mut candidates = self.context.impls.iter().filter(of_type);
        let Some((owner, target)) = candidates.next().filter(|_| candidates.next().is_none()) else { return };
        let owner = &items.impls[owner.index()];
        let Some(function) = owner.functions.get(name) else { return };
        // Whatever the impl is for, its parameters are what the rest of the body says.
        let bound: Bindings =
            owner.generics.iter().map(|generic| (generic.name.clone(), self.variables.fresh())).collect();
        let target = target.substitute(&bound);
        if target.any(&mut |part| *part == Ty::Opaque) {
            return;
        }
        self.variables.unify(ty, &target);
        found.push((0, Ok(*function), bound.into_iter().map(|(_, ty)| ty).collect()));
    }

    /// Of several impls of a trait, those that the bounds around the body speak of.
    fn by_bounds(&mut self, ty: &Ty, found: &mut Vec<(u8, Result<FnId, ConstId>, Vec<Ty>)>) {
        let wanted = self.bounds_on(ty);
        let items = self.context.items;
        found.retain(|(_, item, outer)| {
            let owner = match item {
                Ok(function) => items.function(*function).owner,
                Err(constant) => items.constant(*constant).owner,
            };
            let Owner::Impl(owner) = owner else { return true };
            let Some(TraitName::Seen(seen)) = self.context.trait_of(owner) else { return true };
            let names = items.impls[owner.index()].generics.iter().map(|generic| generic.name.clone());
            let bound: Vec<(String, Ty)> = names.zip(outer.iter().cloned()).collect();
            let given = self.context.trait_arguments(owner, ty, &bound);
            let asked: Vec<&Vec<Ty>> =
                wanted.iter().filter(|(of, _)| *of == *seen).map(|(_, asked)| asked).collect();
            let differs = |one: &Ty, other: &Ty| {
                one != other && !super::traits::is_open(one) && !super::traits::is_open(other)
            };
            // One bound on the trait: its arguments are those of the impl that is meant.
            match asked.as_slice() {
                [only] => !given.iter().skip(1).zip(*only).any(|(one, other)| differs(one, other)),
                _ => true,
            }
        });
    }

    /// The type of a constant parameter.
    fn constant_parameter(&self, name: &str) -> Ty {
        let items = self.context.items;
        let (owner, own): (Owner, &[Generic]) = match self.environment.of {
            Some(BodyOf::Function(id)) => (items.function(id).owner, &items.function(id).generics),
            Some(BodyOf::Constant(id)) => (items.constant(id).owner, &[]),
            None => return self.context.usize(),
        };
        let around: &[Generic] = match owner {
            Owner::Impl(id) => &items.impls[id.index()].generics,
            Owner::Trait(id) => &items.traits[id.index()].generics,
            Owner::Module => &[],
        };
        let declared = own.iter().chain(around).find(|generic| generic.name == name);
        match declared.and_then(|generic| generic.constant.as_ref()) {
            Some(ty) => self.context.type_of(ty, &Environment::default()),
            None => self.context.usize(),
        }
    }

    /// Old paths of constants (`std::u8::MAX`) and functions of std.
    fn standard(&mut self, path: &str) -> Item {
        if let Some((ty, name)) = path.split_once("::")
            && matches!(name, "MAX" | "MIN")
            && let Ty::Integer(integer) = self.context.primitive(ty)
        {
            let value = if name == "MAX" { integer.ty.max() } else { integer.ty.min() };
            return Item::Number(value, Ty::Integer(integer));
        }
        // `use std::char;` names the module, which has what the type has.
        if let Some((ty, name)) = path.split_once("::")
            && !name.contains("::")
            && self.context.primitive(ty) != Ty::Opaque
        {
            return self.associated(&self.context.primitive(ty), &Through::Type, name, &[]);
        }
        Item::Standard(path.into())
    }

    pub(super) fn structure(
        &mut self,
        id: ExprId,
        path: &Path,
        fields: &[(String, ExprId)],
        base: Option<ExprId>,
        expected: &Expected,
    ) -> Ty {
        let Some((adt, variant, arguments)) = self.variant(path) else {
            fields.iter().map(|(_, value)| value).chain(&base).for_each(|value| {
                let ty = self.expr(*value, &Expected::Nothing);
                self.variables.taint(&ty);
            });
            return Ty::Opaque;
        };
        let ty = Ty::Adt(adt, arguments.clone());
        if let Some(wanted) = expected.known().cloned() {
            self.coerce(&ty, &wanted);
        }
        self.typing.structures.insert(id, (adt, variant));
        let declared = &self.context.items.adt(adt).variants[variant as usize].fields;
        for (name, value) in fields {
            let wanted = match declared.iter().position(|field| field.name == *name) {
                Some(index) => self.part_type(adt, variant, index, &arguments),
                None => Ty::Opaque,
            };
            self.check(*value, &wanted);
        }
        if let Some(base) = base {
            self.check(base, &ty);
        }
        self.settle(Asking::Type(adt), &arguments);
        ty
    }

    /// The variant that a path in a structure or a pattern names.
    pub(super) fn variant(&mut self, path: &Path) -> Option<(AdtId, u32, Vec<Ty>)> {
        if let Item::Variant(id, index, arguments) = self.item(path) {
            return Some((id, index, arguments));
        }
        match self.ty(&super::super::hir::TypeRef::Path(path.clone())) {
            Ty::Adt(id, arguments) if self.context.items.adt(id).kind == AdtKind::Struct => {
                Some((id, 0, arguments))
            }
            _ => None,
        }
    }
}
