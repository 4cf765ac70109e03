//! Values that not everybody can make: types with fields that are not public, and the public functions that make and
//! change them.
//!
//! What is found is *complete* if every value of the type that code elsewhere can hold comes from these functions. That
//! is claimed only where signatures and items leave no other way; wherever something is not understood it is not.

use rustc_hash::{FxHashMap, FxHashSet};

use super::context::{Context, Environment};
use super::defs::{Namespace, Resolved};
use super::hir::{AdtId, Body, ConstId, ExprKind, FnId, Mutability, Path, TraitId, TypeRef};
use super::items::{AdtKind, Bound, Definition, Function, Impl, Owner, Predicate, Visibility};
use super::lower::Instance;
use super::traits::{Bindings, matches};
use super::types::Ty;

const DEPTH_LIMIT: u32 = 24;
/// More functions than this are not tried one after the other.
const FUNCTION_LIMIT: usize = 40;
/// Ways through values of other types.
const MOST_DERIVED: usize = 4;
const MOST_CONSTANTS: usize = 4;

/// Traits whose derived impls neither make values out of nothing nor change any.
pub(super) const HARMLESS: &[&str] =
    &["Clone", "Copy", "Debug", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default"];

/// Functions of std that panic with a value, for whoever catches it.
const THROWING: &[&str] = &["panic_any", "resume_unwind"];

/// Types of std that own what they hold, and lend it only where they are lent.
const CONTAINERS: &[&str] = &[
    "Option",
    "Result",
    "Vec",
    "VecDeque",
    "BTreeMap",
    "BTreeSet",
    "HashMap",
    "HashSet",
    "BinaryHeap",
    "Box",
    "Range",
    "RangeInclusive",
    "Wrapping",
];

/// How values of a type come about.
#[derive(Clone, Debug, Default, Hash)]
pub struct Made {
    pub makers: Vec<(Instance, Wrapped)>,
    pub changers: Vec<(Instance, Change)>,
    /// Public constants.
    pub constants: Vec<ConstId>,
    /// `derive(Default)`: every scalar is 0.
    pub by_default: bool,
    pub complete: bool,
}

/// Where a function's result has the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrapped {
    Plain,
    Some,
    Ok,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// Through `&mut`.
    Lent,
    /// Taken, or looked at, and another one given back.
    Replaced(Wrapped),
}

/// Functions by the types that their signatures speak of.
#[derive(Clone, Debug, Default)]
pub struct Touching {
    /// Functions of the package that everybody can call, if it is known who can call what.
    callable: Option<FxHashSet<FnId>>,
    /// Constants that everybody can name.
    constants: Vec<ConstId>,
    by_type: FxHashMap<AdtId, Vec<FnId>>,
    /// Types and functions of other packages that can be named.
    offered: (FxHashSet<AdtId>, FxHashSet<FnId>),
    /// Generic functions, and those whose types are not all understood.
    any: Vec<FnId>,
    /// Some panic of the package may carry a value to whoever catches it.
    throws: bool,
}

impl Touching {
    /// In order of the text.
    fn of(&self, id: AdtId) -> impl Iterator<Item = FnId> {
        let own = self.by_type.get(&id).map(Vec::as_slice).unwrap_or_default();
        let mut all: Vec<FnId> = own.iter().chain(&self.any).copied().collect();
        all.sort_unstable();
        all.into_iter()
    }
}

/// What a type as written speaks of.
#[derive(Default)]
struct Mentioned {
    types: FxHashSet<AdtId>,
    /// It may speak of any type.
    any: bool,
}

/// What a signature does with a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    None,
    Maker(Wrapped),
    Changer(Change),
    /// It makes one out of others that not everybody can make.
    Derives(Wrapped),
    /// It changes one and lends a part of it: whoever drops that has a changed value, whoever writes there another one.
    Lends,
    /// Values of the type may come out of it in a way that is not followed.
    Leak,
}

impl Context<'_> {
    pub fn has_private_field(&self, id: AdtId) -> bool {
        let adt = self.items.adt(id);
        let mut fields = adt.variants.iter().flat_map(|variant| &variant.fields);
        let hidden = fields.any(|field| field.visibility != Visibility::Public);
        adt.kind == AdtKind::Struct && (hidden || adt.is_extensible)
    }

    /// Whether other crates cannot write down some variant.
    fn has_closed_variant(&self, id: AdtId) -> bool {
        self.items.adt(id).variants.iter().any(|variant| variant.is_extensible)
    }

    /// Whether code of others can neither name a type nor be given a value of it.
    pub fn is_kept(&self, id: AdtId) -> bool {
        self.kept.get().is_some_and(|kept| kept.contains(&id))
    }

    /// Whether some values of a type are made by its own module only.
    pub fn is_private(&self, ty: &Ty) -> bool {
        self.is_private_within(ty, &mut Vec::new())
    }

    /// `around`: the types it is a part of.
    fn is_private_within(&self, ty: &Ty, around: &mut Vec<Ty>) -> bool {
        match ty {
            _ if around.len() > DEPTH_LIMIT as usize => true,
            Ty::Reference(_, referred)
            | Ty::Array(referred, _)
            | Ty::Slice(referred)
            | Ty::Range(referred) => self.is_private_within(referred, around),
            Ty::Tuple(parts) => parts.iter().any(|part| self.is_private_within(part, around)),
            Ty::Adt(..) if around.contains(ty) => false,
            // Nobody asks where it points to.
            Ty::Adt(id, _) if self.unfollowed(ty).is_some() || self.items.is_standard(*id, "NonNull") => {
                false
            }
            Ty::Adt(id, _)
                if self.has_private_field(*id) || self.has_closed_variant(*id) || self.is_kept(*id) =>
            {
                true
            }
            Ty::Adt(id, arguments) => {
                around.push(ty.clone());
                let fields = self.field_types(*id, arguments);
                let mut parts = arguments.iter().chain(&fields);
                let found = parts.any(|part| self.is_private_within(part, around));
                around.pop();
                found
            }
            _ => false,
        }
    }

    pub fn takes_private_state(&self, id: FnId) -> bool {
        let function = self.items.function(id);
        let environment = self.plain_environment(function);
        function.parameters.iter().any(|ty| self.is_private(&self.type_of(ty, &environment)))
    }

    /// Names of a function's generic parameters stand for themselves.
    pub fn plain_environment(&self, function: &Function) -> Environment {
        let names = super::context::parameters(self.items.generics_of(function).into_iter());
        let own = match function.owner {
            Owner::Impl(owner) => self.impls.get(owner.index()).map(|(_, ty)| ty.clone()),
            Owner::Trait(_) => Some(Ty::Parameter("Self".into())),
            Owner::Module => None,
        };
        Environment { names, own, ..Environment::default() }
    }

    /// How values of a type come about.
    pub fn made(&self, ty: &Ty, touching: &Touching) -> Made {
        let Ty::Adt(id, arguments) = ty else { return Made::default() };
        let mut made = match arguments.is_empty() {
            true => self.made_alone(*id, touching),
            false => self.made_for_example(*id, ty, touching),
        };
        if !made.complete {
            made.constants = self.constants_of(ty, touching);
        }
        // Others are a way only where there is no shorter one.
        if made.makers.is_empty() && made.constants.is_empty() && !made.by_default {
            made.complete = false;
            made.makers = self.derived(*id, ty, touching);
        }
        made
    }

    /// Constants of a type, to begin with.
    fn constants_of(&self, ty: &Ty, touching: &Touching) -> Vec<ConstId> {
        let is_of = |id: &&ConstId| {
            let constant = self.items.constant(**id);
            self.type_of(&constant.ty, &self.constant_environment(**id, &[])) == *ty
        };
        let is_known =
            |id: &&ConstId| self.constant_value(**id, &self.constant_environment(**id, &[])).is_some();
        // It has a value that somebody computed when it was compiled, even where nobody knows it here.
        let all: Vec<&ConstId> = touching.constants.iter().filter(is_of).collect();
        let (known, others): (Vec<&ConstId>, Vec<&ConstId>) = all.into_iter().partition(is_known);
        let some = if known.is_empty() { others } else { known };
        some.into_iter().take(MOST_CONSTANTS).copied().collect()
    }

    /// Functions that make a value of others, or with types in the place of their own parameters.
    fn derived(&self, id: AdtId, ty: &Ty, touching: &Touching) -> Vec<(Instance, Wrapped)> {
        let mut found = Vec::new();
        for function in touching.of(id) {
            if found.len() == MOST_DERIVED {
                break;
            }
            let Some((instance, names)) = self.resulting_in(function, ty, touching) else { continue };
            let declared = self.items.function(function);
            let environment = Environment { names, ..self.plain_environment(declared) };
            let own = environment.own.as_ref().map(|own| own.substitute(&environment.names));
            let environment = Environment { own, ..environment };
            match self.plain_role(declared, ty, &environment, true) {
                _ if self.takes_what_may_be_nobodys(instance.0, &instance.1) => {}
                Role::Maker(wrapped) | Role::Derives(wrapped) => found.push((instance, wrapped)),
                Role::None | Role::Changer(_) | Role::Lends | Role::Leak => {}
            }
        }
        found
    }

    /// Whether everybody can call a function, and its body is seen.
    pub fn is_callable(&self, function: FnId, touching: &Touching) -> bool {
        let found = self.items.function(function);
        let plain = found.opaque.is_none() && found.has_body() && !self.is_inside_block(found.module);
        // Nobody calls `drop`.
        let called = match found.owner {
            Owner::Impl(owner) => {
                self.items.impls[owner.index()].of_trait.is_some() && self.is_drop(owner) == Some(false)
            }
            _ => false,
        };
        let public = found.visibility == Visibility::Public || called;
        plain
            && !found.is_unsafe
            && public
            && !self.is_kept_inside(function, touching)
            && self.is_offered(function, touching)
    }

    /// Whether a function of the package is known not to be one that everybody can call.
    fn is_kept_inside(&self, function: FnId, touching: &Touching) -> bool {
        let own = self.items.is_own_module(self.items.function(function).module);
        own && touching.callable.as_ref().is_some_and(|callable| !callable.contains(&function))
    }

    /// A function with types in the place of its parameters so that its result has a value of this type.
    fn resulting_in(&self, function: FnId, ty: &Ty, touching: &Touching) -> Option<(Instance, Bindings)> {
        let found = self.items.function(function);
        if matches!(found.owner, Owner::Trait(_)) || !self.is_callable(function, touching) {
            return None;
        }
        let result = self.type_of(&found.result, &self.plain_environment(found));
        let inner = match &result {
            Ty::Adt(id, arguments)
                if self.items.is_standard(*id, "Option") || self.items.is_standard(*id, "Result") =>
            {
                arguments.first()?
            }
            result => result,
        };
        let mut bound = Vec::new();
        if matches!(inner, Ty::Parameter(_)) || !matches(inner, ty, &mut bound) {
            return None;
        }
        let names = self.example_within(function, &bound)?;
        Some(((function, names.iter().map(|(_, ty)| ty.clone()).collect()), names))
    }

    /// With types in the place of its parameters: some ways, of many.
    fn made_for_example(&self, id: AdtId, ty: &Ty, touching: &Touching) -> Made {
        let mut made = Made::default();
        for function in touching.of(id) {
            if !self.is_callable(function, touching) {
                continue;
            }
            let found = self.items.function(function);
            let Some(names) = self.instance_for(function, ty) else { continue };
            let instance: Instance = (function, names.iter().map(|(_, ty)| ty.clone()).collect());
            let environment = Environment { names, own: Some(ty.clone()), ..Environment::default() };
            let result = self.type_of(&found.result, &environment);
            match self.plain_role(found, ty, &environment, result.any(&mut |part| part == ty)) {
                _ if self.takes_what_may_be_nobodys(instance.0, &instance.1) => {}
                Role::Maker(wrapped) => made.makers.push((instance, wrapped)),
                Role::Changer(change) => made.changers.push((instance, change)),
                Role::Lends => made.changers.push((instance, Change::Lent)),
                Role::None | Role::Derives(_) | Role::Leak => {}
            }
        }
        made.makers.truncate(FUNCTION_LIMIT / 2);
        made.changers.truncate(FUNCTION_LIMIT / 2);
        made
    }

    /// How values of a type without generic parameters come about.
    fn made_alone(&self, id: AdtId, touching: &Touching) -> Made {
        let adt = self.items.adt(id);
        let derived = |name: &str| adt.derives.contains(name);
        // Of another package it is not claimed that all ways are known.
        let own = self.items.is_own_module(adt.module);
        let mut made = Made { complete: own && !touching.throws && self.is_sealed(id), ..Made::default() };
        if derived("Default") {
            made.by_default = self.defaults_to_zero(id);
            made.complete &= made.by_default;
        }
        let names = self.names_of(id, touching);
        for function in touching.of(id) {
            if self.is_kept_inside(function, touching) || !self.is_offered(function, touching) {
                made.complete &= self.role(function, id, &names) == Role::None;
                continue;
            }
            match self.role(function, id, &names) {
                Role::None => {}
                _ if self.takes_what_may_be_nobodys(function, &[]) => made.complete = false,
                Role::Derives(_) => made.complete = false,
                Role::Maker(wrapped) => made.makers.push(((function, Vec::new()), wrapped)),
                Role::Changer(change) => made.changers.push(((function, Vec::new()), change)),
                Role::Lends => {
                    made.complete = false;
                    made.changers.push(((function, Vec::new()), Change::Lent));
                }
                Role::Leak => made.complete = false,
            }
        }
        if made.makers.len() + made.changers.len() > FUNCTION_LIMIT {
            made.complete = false;
            made.makers.truncate(FUNCTION_LIMIT / 2);
            made.changers.truncate(FUNCTION_LIMIT / 2);
        }
        made
    }

    /// Whether everybody can call a function as far as packages go: those of others by a path of public names.
    fn is_offered(&self, function: FnId, touching: &Touching) -> bool {
        let found = self.items.function(function);
        if !self.items.is_foreign_module(found.module) {
            return true;
        }
        match found.owner {
            Owner::Module => touching.offered.1.contains(&function),
            Owner::Impl(owner) => {
                let of_type = match &self.impls[owner.index()].1 {
                    Ty::Adt(id, _) => touching.offered.0.contains(id),
                    _ => false,
                };
                of_type && self.items.impls[owner.index()].of_trait.is_none()
            }
            Owner::Trait(_) => false,
        }
    }

    /// Whether nothing but functions can hand out values of a type.
    fn is_sealed(&self, id: AdtId) -> bool {
        let adt = self.items.adt(id);
        let own_fields = adt.variants.iter().flat_map(|variant| &variant.fields);
        let sealed = own_fields.clone().all(|field| field.visibility == Visibility::Private)
            && own_fields.clone().all(|field| !self.mentions(&field.ty, None, id))
            && adt.derives.iter().all(|name| HARMLESS.contains(&name.as_str()));
        // Types of std hold what they are given, and whoever gives it names it.
        let others = self.items.adts.iter().filter(|other| !self.items.is_std_module(other.module));
        let leaks = others.into_iter().any(|other| {
            let fields = other.variants.iter().flat_map(|variant| &variant.fields);
            fields.into_iter().any(|field| {
                let open = other.kind == AdtKind::Enum || field.visibility != Visibility::Private;
                open && self.mentions(&field.ty, None, id)
            })
        });
        let constants = self.items.constants.iter().any(|constant| {
            let own = match constant.owner {
                Owner::Impl(owner) => Some(&self.items.impls[owner.index()].target),
                _ => None,
            };
            constant.kind != super::items::ConstantKind::Anonymous && self.mentions(&constant.ty, own, id)
        });
        let impls =
            self.items.impls.iter().any(|found| found.opaque && self.mentions(&found.target, None, id));
        sealed && !self.hides_impls() && !leaks && !constants && !impls
    }

    fn defaults_to_zero(&self, id: AdtId) -> bool {
        let plain = |ty: &Ty| {
            !ty.any(&mut |part| {
                !matches!(part, Ty::Integer(_) | Ty::Bool | Ty::Tuple(_) | Ty::Array(..) | Ty::Char)
            })
        };
        let fields = self.items.adt(id).variants.first().map_or(0, |variant| variant.fields.len());
        (0..fields).all(|field| plain(&self.field_type(id, 0, field, &[])))
    }

    fn role(&self, function: FnId, id: AdtId, names: &FxHashSet<&str>) -> Role {
        let found = self.items.function(function);
        let own = match found.owner {
            Owner::Impl(owner) => Some(&self.items.impls[owner.index()]),
            Owner::Trait(of) => return self.role_in_trait(function, of, id, names),
            Owner::Module => None,
        };
        let target = own.map(|own| &own.target);
        let of_trait = own.and_then(|own| own.of_trait.as_ref());
        let gives = self.gives(found, target, id);
        let lends = found.parameters.iter().any(|ty| self.lends(ty, target, id));
        let touches = gives || lends;
        let public = found.visibility == Visibility::Public || of_trait.is_some();
        if !public {
            let leaks = touches && found.visibility == Visibility::Restricted;
            return if leaks { Role::Leak } else { Role::None };
        }
        // A value that is dropped is nobody's any more.
        if matches!(found.owner, Owner::Impl(owner) if self.is_drop(owner) == Some(true)) {
            return Role::None;
        }
        let generic = !self.items.generics_of(found).is_empty();
        let opaque = found.parameters.iter().any(contains_opaque);
        if generic || opaque {
            let takes = found.parameters.iter().any(|ty| self.mentions(ty, target, id));
            let asked = self.is_asked_for(found, own, id);
            let leaks = touches || takes || asked || uses(self.items.body(function), names);
            return if leaks { Role::Leak } else { Role::None };
        }
        if !touches {
            return Role::None;
        }
        if found.opaque.is_some()
            || found.is_unsafe
            || !found.has_body()
            || self.is_inside_block(found.module)
        {
            return Role::Leak;
        }
        let environment = self.plain_environment(found);
        self.plain_role(found, &Ty::Adt(id, Vec::new()), &environment, gives)
    }

    /// What is only declared is done by impls. Whoever implements a trait has the rest, for a `Self` of which nothing is
    /// known but what the trait asks of it.
    fn role_in_trait(&self, function: FnId, of: TraitId, id: AdtId, names: &FxHashSet<&str>) -> Role {
        let found = self.items.function(function);
        let Some(body) = self.items.body(function) else { return Role::None };
        let signature = found.parameters.iter().chain([&found.result]);
        let nothing = Some(&TypeRef::Infer);
        let leaks = signature.into_iter().any(|ty| self.mentions(ty, nothing, id))
            || self.asks_for(&found.predicates, nothing, id)
            || self.asks_for(&self.items.traits[of.index()].predicates, nothing, id)
            || uses(Some(body), &names.iter().copied().filter(|name| *name != "Self").collect());
        if leaks { Role::Leak } else { Role::None }
    }

    /// Whether a result may have a value of the type in it.
    fn gives(&self, found: &Function, own: Option<&TypeRef>, id: AdtId) -> bool {
        let result = self.type_of(&found.result, &self.plain_environment(found));
        let open = result.any(&mut |part| matches!(part, Ty::Opaque | Ty::Parameter(_) | Ty::Variable(_)));
        match open {
            true => self.mentions(&found.result, own, id),
            false => result.any(&mut |part| matches!(part, Ty::Adt(found, _) if *found == id)),
        }
    }

    fn plain_role(&self, found: &Function, own: &Ty, environment: &Environment, gives: bool) -> Role {
        let parameters: Vec<Ty> = found.parameters.iter().map(|ty| self.type_of(ty, environment)).collect();
        let result = self.type_of(&found.result, environment);
        let shared = Ty::Reference(Mutability::Shared, Box::new(own.clone()));
        let private: Vec<&Ty> = parameters.iter().filter(|ty| self.is_private(ty)).collect();
        let wrapped = match &result {
            found if found == own => Some(Wrapped::Plain),
            Ty::Adt(found, arguments) if self.items.is_standard(*found, "Option") && arguments[0] == *own => {
                Some(Wrapped::Some)
            }
            Ty::Adt(found, arguments)
                if self.items.is_standard(*found, "Result")
                    && arguments[0] == *own
                    && !arguments[1].any(&mut |part| part == own) =>
            {
                Some(Wrapped::Ok)
            }
            _ => None,
        };
        match (gives, wrapped, private.as_slice()) {
            (true, Some(wrapped), []) => Role::Maker(wrapped),
            (true, Some(wrapped), [only]) if *only == own || **only == shared => {
                Role::Changer(Change::Replaced(wrapped))
            }
            (true, Some(wrapped), others) if !others.iter().any(|ty| ty.any(&mut |part| part == own)) => {
                Role::Derives(wrapped)
            }
            (false, _, [Ty::Reference(Mutability::Mutable, inner)]) if **inner == *own => {
                let mut others = parameters.iter().filter(|ty| !self.is_private(ty));
                let at = parameters.iter().position(|ty| ty == private[0]);
                let brief = at.and_then(|at| found.brief.get(at)).copied().unwrap_or(false)
                    || !self.has_lifetime(own, 0);
                match others.any(|ty| self.keeps_borrows(ty)) {
                    true => Role::Leak,
                    // What stays lent nobody has afterwards.
                    false if !brief => Role::Leak,
                    false if self.may_keep(&result, 0) => Role::Lends,
                    false => Role::Changer(Change::Lent),
                }
            }
            _ => Role::Leak,
        }
    }

    /// Whether a type as written speaks of a type, or may.
    fn mentions(&self, ty: &TypeRef, own: Option<&TypeRef>, id: AdtId) -> bool {
        let mut found = Mentioned::default();
        self.mentioned(ty, own, 0, &mut found);
        found.any || found.types.contains(&id)
    }

    fn mentioned(&self, ty: &TypeRef, own: Option<&TypeRef>, depth: u32, found: &mut Mentioned) {
        match ty {
            _ if depth > DEPTH_LIMIT => found.any = true,
            TypeRef::Tuple(parts) => {
                parts.iter().for_each(|part| self.mentioned(part, own, depth + 1, found))
            }
            TypeRef::Array(element, _) | TypeRef::Slice(element) | TypeRef::Reference(_, element) => {
                self.mentioned(element, own, depth + 1, found);
            }
            TypeRef::Never | TypeRef::Const(_) | TypeRef::Infer => {}
            TypeRef::Opaque | TypeRef::Pointer(..) => found.any = true,
            TypeRef::Path(path) => self.mentioned_by_path(path, own, depth, found),
        }
    }

    fn mentioned_by_path(&self, path: &Path, own: Option<&TypeRef>, depth: u32, found: &mut Mentioned) {
        if path.qself.is_some() {
            found.any = true;
            return;
        }
        for argument in path.segments.iter().flat_map(|segment| &segment.arguments) {
            self.mentioned(argument, own, depth + 1, found);
        }
        if path.segments.first().is_some_and(|first| first.name == "Self") {
            found.any |= path.segments.len() > 1;
            match own {
                Some(own) => self.mentioned(own, None, depth + 1, found),
                None => found.any = true,
            }
            return;
        }
        let target = self.items.resolve(path, Namespace::Types);
        match self.known(target.found) {
            Resolved::Definition(Definition::Adt(adt)) => {
                found.types.insert(adt);
            }
            Resolved::Definition(Definition::Alias(alias)) => {
                self.mentioned(&self.items.aliases[alias.index()].ty, None, depth + 1, found);
            }
            Resolved::Definition(_) => found.any = true,
            Resolved::Primitive(_) | Resolved::Standard(_) => {}
            // Generic parameters and types of others: they hold it only as an argument.
            Resolved::Unknown => found.any |= path.segments.len() > 1,
        }
    }

    /// Whether a parameter lends a place of the type to be written.
    fn lends(&self, ty: &TypeRef, own: Option<&TypeRef>, id: AdtId) -> bool {
        match ty {
            TypeRef::Reference(Mutability::Mutable, inner) => self.mentions(inner, own, id),
            TypeRef::Reference(Mutability::Shared, inner) => self.lends(inner, own, id),
            TypeRef::Tuple(parts) => parts.iter().any(|part| self.lends(part, own, id)),
            TypeRef::Array(element, _) | TypeRef::Slice(element) => self.lends(element, own, id),
            TypeRef::Path(path) => self.lends_by_path(path, own, id),
            _ => false,
        }
    }

    /// Containers lend what they lend that is in them; cells, channels and whatever else is behind a name may be written
    /// without a mutable borrow.
    fn lends_by_path(&self, path: &Path, own: Option<&TypeRef>, id: AdtId) -> bool {
        if path.single() == Some("Self") {
            return own.is_some_and(|own| self.lends(own, None, id));
        }
        let mut arguments = path.segments.iter().flat_map(|segment| &segment.arguments);
        match self.known(self.items.resolve(path, Namespace::Types).found) {
            Resolved::Definition(Definition::Alias(alias)) => {
                self.lends(&self.items.aliases[alias.index()].ty, None, id)
                    || arguments.any(|ty| self.mentions(ty, own, id))
            }
            Resolved::Definition(Definition::Adt(adt))
                if self.items.is_std_module(self.items.adt(adt).module) =>
            {
                match CONTAINERS.contains(&self.items.adt(adt).name.as_str()) {
                    true => arguments.any(|ty| self.lends(ty, own, id)),
                    false => arguments.any(|ty| self.mentions(ty, own, id)),
                }
            }
            _ => arguments.any(|ty| self.mentions(ty, own, id)),
        }
    }

    /// Whether what a function asks of its type parameters speaks of the type.
    fn is_asked_for(&self, found: &Function, own: Option<&Impl>, id: AdtId) -> bool {
        let target = own.map(|own| &own.target);
        self.asks_for(&found.predicates, target, id)
            || own.is_some_and(|own| self.asks_for(&own.predicates, target, id))
    }

    fn asks_for(&self, predicates: &[Predicate], own: Option<&TypeRef>, id: AdtId) -> bool {
        predicates.iter().any(|predicate| {
            let mut parts: Vec<&TypeRef> = vec![&predicate.subject];
            match &predicate.bound {
                Bound::Trait(path, items) => {
                    parts.extend(path.segments.iter().flat_map(|segment| &segment.arguments));
                    parts.extend(items.iter().map(|(_, ty)| ty));
                }
                Bound::Callable(inputs, output) => parts.extend(inputs.iter().chain([output])),
            }
            parts.into_iter().any(|ty| self.mentions(ty, own, id))
        })
    }

    /// Names that a body uses to make a value of the type: its own, and those of functions that give one.
    fn names_of(&self, id: AdtId, touching: &Touching) -> FxHashSet<&str> {
        let name = self.items.adt(id).name.as_str();
        let mut names: FxHashSet<&str> = FxHashSet::from_iter([name, "Self", "default"]);
        for import in self.items.modules.iter().flat_map(|module| &module.uses) {
            if import.path.segments.last().is_some_and(|last| last.name == name) {
                names.insert(&import.name);
            }
        }
        for other in touching.of(id).map(|function| self.items.function(function)) {
            if self.mentions(&other.result, self.target_of(other), id) {
                names.insert(&other.name);
            }
        }
        names
    }

    fn target_of(&self, function: &Function) -> Option<&TypeRef> {
        match function.owner {
            Owner::Impl(owner) => Some(&self.items.impls[owner.index()].target),
            _ => None,
        }
    }

    /// Whether a function of std makes a value out of nothing, as `Instant::now` does.
    pub fn makes_alone(&self, function: &Function) -> bool {
        let of_std = self.items.is_std_module(function.module);
        let plain = function.parameters.is_empty() && self.items.generics_of(function).is_empty();
        let inherent = match function.owner {
            Owner::Impl(owner) => self.items.impls[owner.index()].of_trait.is_none(),
            _ => false,
        };
        of_std && plain && inherent && function.visibility == Visibility::Public
    }

    /// The collection of std that a function begins or puts something into: maps, sets and heaps are made of such calls.
    pub fn fills_collection(&self, function: &Function) -> Option<AdtId> {
        let Owner::Impl(owner) = function.owner else { return None };
        let Ty::Adt(id, _) = &self.impls.get(owner.index())?.1 else { return None };
        let name = self.items.adt(*id).name.as_str();
        let ways: &[&str] = match name {
            "BTreeMap" | "BTreeSet" | "HashMap" | "HashSet" => &["new", "insert"],
            "BinaryHeap" => &["new", "push"],
            _ => return None,
        };
        let of_std = self.items.is_std_module(function.module) && function.generics.is_empty();
        (of_std && ways.contains(&function.name.as_str())).then_some(*id)
    }

    /// Which functions may have to do with which types, by their signatures.
    pub fn touching(&self, callable: Option<FxHashSet<FnId>>) -> Touching {
        let mut touching = Touching {
            callable,
            constants: self.items.exposed_constants(),
            offered: self.items.offered_by_others(),
            throws: self.throws(),
            ..Touching::default()
        };
        for index in 0..self.items.functions.len() {
            let id = FnId(index as u32);
            let function = self.items.function(id);
            if let Some(collection) = self.fills_collection(function) {
                touching.by_type.entry(collection).or_default().push(id);
                continue;
            }
            if self.items.is_std_module(function.module) && !self.makes_alone(function) {
                continue;
            }
            let mut found = Mentioned::default();
            let target = self.target_of(function);
            for ty in function.parameters.iter().chain([&function.result]) {
                self.mentioned(ty, target, 0, &mut found);
            }
            if found.any || !self.items.generics_of(function).is_empty() {
                touching.any.push(id);
            } else {
                for adt in found.types {
                    touching.by_type.entry(adt).or_default().push(id);
                }
            }
        }
        touching
    }

    fn throws(&self) -> bool {
        let own = self.items.own_functions().filter_map(|id| self.items.body(id));
        let imports = self.items.modules.iter().flat_map(|module| &module.uses);
        let mut last = imports.filter_map(|import| import.path.segments.last());
        let names: FxHashSet<&str> = FxHashSet::from_iter(THROWING.iter().copied());
        last.any(|segment| names.contains(segment.name.as_str()))
            || own.flat_map(|body| &body.exprs).any(|expr| names_one(&expr.kind, &names))
    }
}

/// Whether a body uses one of these names.
fn uses(body: Option<&Body>, names: &FxHashSet<&str>) -> bool {
    let Some(body) = body else { return true };
    let mut kinds = body.exprs.iter().map(|expr| &expr.kind);
    kinds.any(|kind| matches!(kind, ExprKind::Opaque(_)) || names_one(kind, names))
}

fn names_one(kind: &ExprKind, names: &FxHashSet<&str>) -> bool {
    let named = |path: &Path| path.segments.iter().any(|segment| names.contains(segment.name.as_str()));
    match kind {
        ExprKind::Path(path) => named(path),
        ExprKind::Struct { path, .. } => named(path),
        ExprKind::Method { name, .. } => names.contains(name.as_str()),
        _ => false,
    }
}

/// `impl Trait`, closures and the like.
fn contains_opaque(ty: &TypeRef) -> bool {
    match ty {
        TypeRef::Opaque | TypeRef::Pointer(..) => true,
        TypeRef::Tuple(parts) => parts.iter().any(contains_opaque),
        TypeRef::Array(inner, _) | TypeRef::Slice(inner) | TypeRef::Reference(_, inner) => {
            contains_opaque(inner)
        }
        TypeRef::Path(path) => {
            path.segments.iter().flat_map(|segment| &segment.arguments).any(contains_opaque)
        }
        _ => false,
    }
}
