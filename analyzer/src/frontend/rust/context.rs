//! What all stages behind the reader share: the items, the options, and answers computed once.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use kleene_domains::int::Int;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cfg::Configuration;
use super::defs::{Namespace, Resolved};
use super::glue::Glue;
use super::hir::{
    AdtId, AliasId, Body, ConstId, ExprKind, FnId, ImplId, ModuleId, Mutability, Path, TraitId, TypeRef,
};
use super::infer::{Captures, Typing};
use super::items::{Definition, Generic, Items, Owner};
use super::scope::Scope;
use super::traits::TraitName;
use super::types::{ClosureId, Field, Integer, Leaf, Length, Ty, Window};
use super::unnamed::Giving;
use crate::frontend::Arithmetic;
use crate::ir::table::Table;

/// A function with types in the place of its parameters.
type Typed = (FnId, Vec<Ty>);
/// The same and the position of an argument.
type Handed = (FnId, Vec<Ty>, usize);

pub struct Context<'c> {
    pub items: &'c Items,
    pub configuration: &'c Configuration,
    pub arithmetic: Arithmetic,
    /// How much of slices is followed.
    pub window: Cell<Window>,
    pub known_leaves: RefCell<FxHashMap<Ty, Rc<[Leaf]>>>,
    /// How often a closure was asked for its leaves.
    pub closures_met: Cell<u32>,
    pub leaf_counts: RefCell<FxHashMap<Ty, usize>>,
    /// Types of fields, by the arguments of the type that they are of.
    pub fields: RefCell<FxHashMap<Field, FxHashMap<Vec<Ty>, Ty>>>,
    /// Whether long arrays are followed too, as they are while long constants are computed.
    pub widely: Cell<bool>,
    letters: OnceCell<bool>,
    /// Leaves and their counts of the other of the two: with and without long arrays.
    pub other_leaves: RefCell<FxHashMap<Ty, Rc<[Leaf]>>>,
    pub other_counts: RefCell<FxHashMap<Ty, usize>>,
    /// Long constants, leaf by leaf.
    pub long_tables: RefCell<LongTables>,
    pub recursive: RefCell<FxHashMap<Ty, bool>>,
    /// Whether some of what a type seems to have nobody has.
    pub emptied: RefCell<FxHashMap<Ty, bool>>,
    /// Whether values of a type may hold pointers.
    pub pointing: RefCell<FxHashMap<Ty, bool>>,
    /// Whether values of a type may keep a borrow that writes, so deep in another one.
    pub holding: RefCell<FxHashMap<(Ty, u32), bool>>,
    /// Functions that put the address of a parameter away.
    pub stashing: RefCell<FxHashMap<Handed, bool>>,
    /// Types of bodies that are read for what they do with their parameters.
    typed: RefCell<FxHashMap<Typed, Rc<Typing>>>,
    /// Constants that were evaluated; `None` while under way and where there is no answer.
    pub constants: RefCell<Evaluated>,
    pub depth: RefCell<u32>,
    pub glues: RefCell<FxHashMap<Ty, Glue>>,
    /// Whether a function takes what nobody may have.
    pub nobodys: RefCell<FxHashMap<Typed, bool>>,
    /// Whether code of the crate is not seen that may declare impls.
    pub hides: OnceCell<bool>,
    /// What each impl is for, the impls of each trait, and those that say what an associated type of this name is.
    pub traits: OnceCell<Vec<Option<TraitName>>>,
    pub by_trait: OnceCell<FxHashMap<TraitName, Vec<ImplId>>>,
    pub by_type: OnceCell<FxHashMap<&'c str, Vec<ImplId>>>,
    /// The traits in the bounds of an impl, in their order, if they are seen.
    pub bounds: RefCell<FxHashMap<ImplId, Rc<[Option<TraitId>]>>>,
    /// The traits that bodies of a module see.
    pub scopes: RefCell<FxHashMap<ModuleId, Rc<Scope>>>,
    /// By the name of a method: the impls that have it, in order, and what it is there.
    methods: OnceCell<FxHashMap<&'c str, Vec<(ImplId, FnId)>>>,
    called: OnceCell<FxHashSet<String>>,
    /// Types that paths of public names lead to.
    pub exposed: OnceCell<FxHashSet<AdtId>>,
    /// The same of traits.
    pub open_traits: OnceCell<FxHashSet<TraitId>>,
    /// Types that nobody outside has values of, where it is known who is outside.
    pub kept: OnceCell<FxHashSet<AdtId>>,
    /// Plain names that the text uses as types.
    pub named_types: OnceCell<FxHashSet<(ModuleId, String)>>,
    /// Inherent and trait impls by the kind of type they are for.
    pub impls: Vec<(ImplId, Ty)>,
    closures: RefCell<FxHashMap<ClosureId, Rc<Captures>>>,
    readings: Cell<u32>,
    /// Bodies that were looked into for something that is known here since.
    pub looked: RefCell<FxHashSet<FnId>>,
    /// Runs are followed: what has no name is looked for in bodies.
    pub follows: Cell<bool>,
    pub giving: Giving,
    /// Types that are being resolved, one inside the other, and how many it has been since the outermost one.
    pub resolving: Cell<(u32, u32)>,
}

/// Scalars of constants, by the types of the generic parameters around them.
type Evaluated = FxHashMap<(ConstId, Vec<Ty>, bool), Option<Vec<Int>>>;

/// What stands in the leaves of long constants.
type LongTables = FxHashMap<(ConstId, Vec<Ty>), Option<Rc<[Arc<Table>]>>>;

/// What type names mean besides the items.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub names: Vec<(String, Ty)>,
    pub own: Option<Ty>,
    /// The impl around: what it says its associated types are.
    pub within: Option<ImplId>,
    /// What is read, if that is a body: bounds around it say what its type parameters have.
    pub of: Option<BodyOf>,
}

/// Whose body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyOf {
    Function(FnId),
    Constant(ConstId),
}

const ALIAS_LIMIT: u32 = 16;
/// Types that are resolved for one: some crates count in types.
const RESOLVED_LIMIT: u32 = 200;

impl<'c> Context<'c> {
    pub fn new(items: &'c Items, configuration: &'c Configuration, arithmetic: Arithmetic) -> Self {
        let mut context = Self {
            items,
            configuration,
            arithmetic,
            window: Cell::new(Window::USUAL),
            known_leaves: Default::default(),
            closures_met: Cell::new(0),
            leaf_counts: Default::default(),
            fields: Default::default(),
            widely: Cell::new(false),
            letters: OnceCell::new(),
            other_leaves: Default::default(),
            other_counts: Default::default(),
            long_tables: Default::default(),
            recursive: Default::default(),
            emptied: Default::default(),
            pointing: Default::default(),
            holding: Default::default(),
            stashing: Default::default(),
            typed: Default::default(),
            constants: Default::default(),
            depth: RefCell::new(0),
            glues: Default::default(),
            nobodys: Default::default(),
            hides: OnceCell::new(),
            traits: OnceCell::new(),
            by_trait: OnceCell::new(),
            by_type: OnceCell::new(),
            bounds: Default::default(),
            scopes: Default::default(),
            methods: OnceCell::new(),
            called: OnceCell::new(),
            exposed: OnceCell::new(),
            open_traits: OnceCell::new(),
            kept: OnceCell::new(),
            named_types: OnceCell::new(),
            impls: Vec::new(),
            closures: Default::default(),
            readings: Cell::new(0),
            looked: Default::default(),
            follows: Cell::new(false),
            giving: Giving::default(),
            resolving: Cell::new((0, 0)),
        };
        let mut impls = Vec::new();
        for (index, found) in items.impls.iter().enumerate() {
            let environment =
                Environment { names: parameters(found.generics.iter()), ..Environment::default() };
            impls.push((ImplId(index as u32), context.type_of(&found.target, &environment)));
        }
        context.impls = impls;
        context
    }

    /// The body of a function. Whatever is asked from now on may depend on it.
    pub fn body(&self, id: FnId) -> Option<&'c Body> {
        self.looked.borrow_mut().insert(id);
        self.items.body(id)
    }

    /// Follows more of slices from here on: whatever was known of how values are taken apart is found out again.
    pub fn widen(&self) {
        self.window.set(Window::WIDE);
        self.known_leaves.borrow_mut().clear();
        self.leaf_counts.borrow_mut().clear();
        self.constants.borrow_mut().clear();
    }

    /// Whether a constant is under way, which has no value as long.
    pub fn is_computing(&self) -> bool {
        *self.depth.borrow() > 0
    }

    /// Whether bodies of the package speak of letters of three bytes and more.
    pub fn is_about_letters(&self) -> bool {
        *self.letters.get_or_init(|| {
            let bodies = self.items.own_functions().filter_map(|id| self.items.body(id));
            let mut exprs = bodies.flat_map(|body| &body.exprs);
            exprs.any(|expr| matches!(expr.kind, ExprKind::Char(letter) if letter as u32 >= 0x800))
        })
    }

    /// The impls that have a function of this name, their own or the default of their trait.
    pub fn impls_with(&self, name: &str) -> &[(ImplId, FnId)] {
        let all = self.methods.get_or_init(|| {
            let mut all: FxHashMap<&'c str, Vec<(ImplId, FnId)>> = FxHashMap::default();
            for (id, _) in &self.impls {
                let own = &self.items.impls[id.index()].functions;
                for (name, function) in own {
                    all.entry(name).or_default().push((*id, *function));
                }
                let Some(TraitName::Seen(seen)) = self.trait_of(*id) else { continue };
                let defaults = self.items.traits[seen.index()].functions.iter();
                for (name, function) in defaults.filter(|(name, _)| !own.contains_key(*name)) {
                    if self.items.function(*function).has_body() {
                        all.entry(name).or_default().push((*id, *function));
                    }
                }
            }
            all
        });
        all.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a method of this name may be one of the crate.
    pub fn may_be_own(&self, name: &str) -> bool {
        let of_impls =
            self.impls_with(name).iter().map(|(_, function)| self.items.function(*function).module);
        let of_traits =
            self.items.traits.iter().filter(|it| it.functions.contains_key(name)).map(|it| it.module);
        of_impls.chain(of_traits).any(|module| self.items.is_own_module(module))
    }

    /// A number for one more inference of a body.
    pub fn next_reading(&self) -> u32 {
        self.readings.set(self.readings.get() + 1);
        self.readings.get()
    }

    pub fn note_captures(&self, id: ClosureId, captures: Captures) {
        self.closures.borrow_mut().insert(id, Rc::new(captures));
    }

    /// What a closure keeps; one that nobody has seen is not plain.
    pub fn captures(&self, id: ClosureId) -> Rc<Captures> {
        self.closures.borrow().get(&id).cloned().unwrap_or_default()
    }

    /// Whether code of the file may call a function: something has its name, or it belongs to a trait.
    pub fn may_be_called(&self, id: FnId) -> bool {
        self.is_of_trait(id) || self.called_names().contains(&self.items.function(id).name)
    }

    /// Whether a function is one of a trait, or of an impl of one.
    pub fn is_of_trait(&self, id: FnId) -> bool {
        match self.items.function(id).owner {
            Owner::Impl(owner) => self.items.impls[owner.index()].of_trait.is_some(),
            Owner::Trait(_) => true,
            Owner::Module => false,
        }
    }

    /// Names of what something in the file calls or passes on.
    fn called_names(&self) -> &FxHashSet<String> {
        self.called.get_or_init(|| {
            let names = |kind: &ExprKind| match kind {
                ExprKind::Path(path) => path.segments.last().map(|last| last.name.clone()),
                ExprKind::Method { name, .. } => Some(name.clone()),
                _ => None,
            };
            let items = self.items.bodies().map(|(_, body)| body);
            let constants = self.items.constants.iter().filter_map(|constant| constant.body.as_ref());
            let exprs = items.chain(constants).flat_map(|body| &body.exprs);
            exprs.filter_map(|expr| names(&expr.kind)).collect()
        })
    }

    /// What names mean in a function, given the types of its generic parameters.
    pub fn environment_of(&self, id: FnId, generics: &[Ty]) -> Environment {
        let function = self.items.function(id);
        let names = self.items.generics_of(function).into_iter().map(|generic| generic.name.clone());
        let names: Vec<(String, Ty)> = names.zip(generics.iter().cloned()).collect();
        let (own, within) = match function.owner {
            Owner::Impl(owner) => (Some(self.impls[owner.index()].1.substitute(&names)), Some(owner)),
            Owner::Trait(_) => (names.first().map(|(_, ty)| ty.clone()), None),
            Owner::Module => (None, None),
        };
        Environment { names, own, within, of: Some(BodyOf::Function(id)) }
    }

    /// The types in the body of a function, given those of its generic parameters.
    pub fn typed(&self, id: FnId, generics: &[Ty], body: &Body) -> Rc<Typing> {
        let asked = (id, generics.to_vec());
        if let Some(known) = self.typed.borrow().get(&asked) {
            return known.clone();
        }
        let (function, environment) = (self.items.function(id), self.environment_of(id, generics));
        let parameters: Vec<Ty> =
            function.parameters.iter().map(|ty| self.type_of(ty, &environment)).collect();
        let result = self.type_of(&function.result, &environment);
        let typing = Rc::new(super::infer::infer(self, body, &environment, &parameters, result));
        self.typed.borrow_mut().insert(asked, typing.clone());
        typing
    }

    pub fn type_of(&self, ty: &TypeRef, environment: &Environment) -> Ty {
        self.resolve_type(ty, environment, &mut |_| Ty::Opaque, ALIAS_LIMIT)
    }

    /// `fresh` says what an omitted type is.
    pub fn resolve_type(
        &self,
        ty: &TypeRef,
        environment: &Environment,
        fresh: &mut dyn FnMut(&TypeRef) -> Ty,
        fuel: u32,
    ) -> Ty {
        let (depth, done) = self.resolving.get();
        if fuel == 0 || depth > 0 && done >= RESOLVED_LIMIT {
            return Ty::Opaque;
        }
        self.resolving.set((depth + 1, if depth == 0 { 0 } else { done + 1 }));
        let resolved = self.resolve_one(ty, environment, fresh, fuel);
        self.resolving.set((depth, self.resolving.get().1));
        resolved
    }

    fn resolve_one(
        &self,
        ty: &TypeRef,
        environment: &Environment,
        fresh: &mut dyn FnMut(&TypeRef) -> Ty,
        fuel: u32,
    ) -> Ty {
        let mut inner = |ty: &TypeRef| self.resolve_type(ty, environment, fresh, fuel);
        match ty {
            TypeRef::Tuple(parts) => Ty::Tuple(parts.iter().map(inner).collect()),
            TypeRef::Array(element, length) => {
                let element = inner(element);
                Ty::Array(Box::new(element), self.length(*length, environment))
            }
            TypeRef::Slice(element) => Ty::Slice(Box::new(inner(element))),
            TypeRef::Reference(mutability, referred) => Ty::Reference(*mutability, Box::new(inner(referred))),
            TypeRef::Pointer(mutability, referred) => {
                let referred = inner(referred);
                self.pointer_to(*mutability, referred)
            }
            TypeRef::Never => Ty::Never,
            TypeRef::Infer => fresh(ty),
            TypeRef::Opaque => Ty::Opaque,
            TypeRef::Const(id) => self.argument(*id, environment).map_or(Ty::Opaque, Ty::Constant),
            TypeRef::Path(path) => self.path_type(path, environment, fresh, fuel),
        }
    }

    fn path_type(
        &self,
        path: &Path,
        environment: &Environment,
        fresh: &mut dyn FnMut(&TypeRef) -> Ty,
        fuel: u32,
    ) -> Ty {
        if let Some(qself) = &path.qself {
            let ty = self.resolve_type(&qself.ty, environment, fresh, fuel);
            let of_trait = qself.of_trait.as_ref().map(|path| self.trait_named(path));
            let given = qself.of_trait.as_ref().and_then(|path| path.segments.last());
            let given: Vec<Ty> = given
                .into_iter()
                .flat_map(|last| &last.arguments)
                .map(|ty| self.resolve_type(ty, environment, fresh, fuel))
                .collect();
            let asked = of_trait.as_ref().map(|of_trait| (of_trait, given.as_slice()));
            return match path.segments.as_slice() {
                [name] => self.projected_by(asked, &ty, &name.name, fuel.min(self.fuel())),
                _ => Ty::Opaque,
            };
        }
        if let Some(name) = path.single() {
            if name == "Self" {
                return environment.own.clone().unwrap_or(Ty::Opaque);
            }
            if let Some((_, ty)) = environment.names.iter().find(|(known, _)| known == name) {
                return ty.clone();
            }
        }
        if path.segments.first().is_some_and(|first| first.name == "Self") {
            return self.associated_type(path, environment, fuel);
        }
        if let [first, name] = path.segments.as_slice()
            && let Some((_, ty)) = environment.names.iter().find(|(known, _)| *known == first.name)
        {
            return self.projected(ty, &name.name, fuel.min(self.fuel()));
        }
        let target = self.items.resolve(path, Namespace::Types);
        if !target.rest.is_empty() {
            return Ty::Opaque;
        }
        let arguments: Vec<TypeRef> =
            path.segments[..target.walked].iter().flat_map(|segment| segment.arguments.clone()).collect();
        // `use std::str;` names the module, and the type stays what it is.
        let primitive = path.single().map_or(Ty::Opaque, |name| self.primitive(name));
        match self.known(target.found) {
            Resolved::Primitive(name) => self.primitive(&name),
            Resolved::Standard(_) if primitive != Ty::Opaque => primitive,
            Resolved::Definition(Definition::Module(id)) if self.items.is_std_module(id) => primitive,
            // One with a hasher or an allocator of its own is not what our own text of std declares.
            Resolved::Definition(Definition::Adt(id))
                if self.items.is_std_module(self.items.adt(id).module)
                    && arguments.len() > self.items.adt(id).generics.len() =>
            {
                Ty::Opaque
            }
            Resolved::Definition(Definition::Adt(id)) => {
                Ty::Adt(id, self.arguments(id, &arguments, environment, fresh, fuel))
            }
            Resolved::Definition(Definition::Alias(id)) => {
                self.alias(id, &arguments, environment, fresh, fuel)
            }
            Resolved::Unknown if arguments.is_empty() => {
                self.constant_named(path).map_or(Ty::Opaque, Ty::Constant)
            }
            _ => Ty::Opaque,
        }
    }

    /// `Self::Item` inside an impl that says what it is.
    fn associated_type(&self, path: &Path, environment: &Environment, fuel: u32) -> Ty {
        let ([_, name], Some(own)) = (path.segments.as_slice(), &environment.own) else { return Ty::Opaque };
        let within = environment.within.and_then(|id| self.items.impls[id.index()].types.get(&name.name));
        match within {
            Some(written) => self.resolve_type(written, environment, &mut |_| Ty::Opaque, fuel - 1),
            None => self.projected(own, &name.name, fuel.min(self.fuel())),
        }
    }

    pub fn primitive(&self, name: &str) -> Ty {
        match name {
            "bool" => Ty::Bool,
            "char" => Ty::Char,
            "str" => Ty::Str,
            "f32" => Ty::Float(32),
            "f64" => Ty::Float(64),
            name => match Integer::named(name, self.configuration.pointer_width) {
                Some(integer) => Ty::Integer(integer),
                None => Ty::Opaque,
            },
        }
    }

    pub fn standard_adt(&self, path: &str, arguments: Vec<Ty>) -> Ty {
        match self.items.standard(path) {
            Some(Definition::Adt(id)) => Ty::Adt(id, arguments),
            _ => Ty::Opaque,
        }
    }

    /// `*const T`: elements that are numbers are followed. What others may be, and how large, their types do not say; and
    /// nobody follows what is written through `*mut T`.
    pub fn pointer_to(&self, mutability: Mutability, element: Ty) -> Ty {
        let path = match (mutability, &element) {
            (Mutability::Mutable, _) => "ptr::Writing",
            (_, Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Parameter(_) | Ty::Variable(_)) => {
                "ptr::Pointer"
            }
            _ => "ptr::Reading",
        };
        self.standard_adt(path, vec![element])
    }

    /// What a pointer points to that nobody follows.
    pub fn unfollowed<'t>(&self, ty: &'t Ty) -> Option<&'t Ty> {
        match ty {
            Ty::Adt(id, arguments)
                if self.items.is_standard(*id, "Writing") || self.items.is_standard(*id, "Reading") =>
            {
                arguments.first()
            }
            _ => None,
        }
    }

    pub fn is_pointer(&self, ty: &Ty) -> bool {
        self.pointed_to(ty).is_some() || self.unfollowed(ty).is_some()
    }

    /// What a pointer points to that is followed.
    pub fn pointed_to<'t>(&self, ty: &'t Ty) -> Option<&'t Ty> {
        match ty {
            Ty::Adt(id, arguments) if self.items.is_standard(*id, "Pointer") => arguments.first(),
            _ => None,
        }
    }

    pub fn option_of(&self, ty: Ty) -> Ty {
        self.standard_adt("option::Option", vec![ty])
    }

    pub fn result_of(&self, value: Ty, error: Ty) -> Ty {
        self.standard_adt("result::Result", vec![value, error])
    }

    pub fn string(&self) -> Ty {
        self.standard_adt("string::String", Vec::new())
    }

    pub fn vec_of(&self, element: Ty) -> Ty {
        self.standard_adt("vec::Vec", vec![element])
    }

    /// `a..b` as a value.
    pub fn range_of(&self, bound: Ty) -> Ty {
        self.standard_adt("ops::Range", vec![bound])
    }

    /// Whether a value of a type in brackets names a part.
    pub fn is_range(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Range(_) => true,
            Ty::Adt(id, _) => {
                ["Range", "RangeFrom", "RangeTo"].iter().any(|name| self.items.is_standard(*id, name))
            }
            _ => false,
        }
    }

    /// Whether an iterator of our own text always has one more item.
    pub fn never_ends(&self, ty: &Ty) -> bool {
        const SOURCES: [&str; 3] = ["RangeFrom", "Repeat", "RepeatWith"];
        const ADAPTERS: [&str; 7] = ["Map", "Enumerate", "Filter", "Skip", "StepBy", "Inspect", "Copied"];
        let Ty::Adt(id, arguments) = ty else { return false };
        let named = |names: &[&str]| names.iter().any(|name| self.items.is_standard(*id, name));
        named(&SOURCES) || named(&ADAPTERS) && arguments.first().is_some_and(|inner| self.never_ends(inner))
    }

    pub fn ordering(&self) -> Ty {
        self.standard_adt("cmp::Ordering", Vec::new())
    }

    pub fn usize(&self) -> Ty {
        self.primitive("usize")
    }

    fn arguments(
        &self,
        id: AdtId,
        written: &[TypeRef],
        environment: &Environment,
        fresh: &mut dyn FnMut(&TypeRef) -> Ty,
        fuel: u32,
    ) -> Vec<Ty> {
        self.given(&self.items.adt(id).generics, written, environment, fresh, fuel)
            .into_iter()
            .map(|(_, ty)| ty)
            .collect()
    }

    fn alias(
        &self,
        id: AliasId,
        written: &[TypeRef],
        environment: &Environment,
        fresh: &mut dyn FnMut(&TypeRef) -> Ty,
        fuel: u32,
    ) -> Ty {
        let alias = &self.items.aliases[id.index()];
        let names = self.given(&alias.generics, written, environment, fresh, fuel);
        let inner = Environment { names, ..Environment::default() };
        self.resolve_type(&alias.ty, &inner, fresh, fuel - 1)
    }

    /// What is written for parameters, else their defaults. Where nothing at all is written inside a body, what is meant
    /// shows elsewhere.
    fn given(
        &self,
        generics: &[Generic],
        written: &[TypeRef],
        environment: &Environment,
        fresh: &mut dyn FnMut(&TypeRef) -> Ty,
        fuel: u32,
    ) -> Vec<(String, Ty)> {
        let mut known = Environment::default();
        for (index, generic) in generics.iter().enumerate() {
            let ty = match (written.get(index), &generic.default) {
                (Some(ty), _) => self.resolve_type(ty, environment, fresh, fuel),
                (None, Some(default)) if fuel > 0 => match fresh(&TypeRef::Infer) {
                    Ty::Variable(variable) if written.is_empty() => Ty::Variable(variable),
                    _ => self.resolve_type(default, &known, fresh, fuel - 1),
                },
                (None, _) => fresh(&TypeRef::Infer),
            };
            known.names.push((generic.name.clone(), ty));
        }
        known.names
    }

    /// Paths of the standard library that our own text of it declares are definitions like any other.
    pub fn known(&self, found: Resolved) -> Resolved {
        match found {
            Resolved::Standard(path) => {
                self.items.standard(&path).map_or(Resolved::Standard(path), Resolved::Definition)
            }
            other => other,
        }
    }

    /// The value of a constant in the place of a type.
    fn argument(&self, id: ConstId, environment: &Environment) -> Option<i128> {
        let body = self.items.constant(id).body.as_ref()?;
        match &body.expr(body.root?).kind {
            ExprKind::Integer(value, _) => return value.to_i128(),
            ExprKind::Path(path) => {
                let named = |name: &str| environment.names.iter().find(|(known, _)| known == name);
                if let Some((_, ty)) = path.single().and_then(named) {
                    return match ty {
                        Ty::Constant(value) => Some(*value),
                        _ => None,
                    };
                }
            }
            _ => {}
        }
        self.single(id, environment)
    }

    /// A constant that is one number.
    fn single(&self, id: ConstId, environment: &Environment) -> Option<i128> {
        match self.constant_value(id, environment)?.as_slice() {
            [value] => value.to_i128(),
            _ => None,
        }
    }

    /// A name in the place of a type that is that of a constant.
    fn constant_named(&self, path: &Path) -> Option<i128> {
        let target = self.items.resolve(path, Namespace::Values);
        match (target.found, target.rest) {
            (Resolved::Definition(Definition::Constant(id)), []) => {
                self.single(id, &self.constant_environment(id, &[]))
            }
            _ => None,
        }
    }

    /// The value of a constant that must be a size.
    pub fn length(&self, id: ConstId, environment: &Environment) -> Length {
        let constant = self.items.constant(id);
        let Some(body) = &constant.body else { return Length::Unknown };
        let root = body.root.map(|root| &body.expr(root).kind);
        match root {
            Some(ExprKind::Integer(value, _)) => match value.to_i64() {
                Some(value) if value >= 0 => return Length::Known(value as u64),
                _ => return Length::Unknown,
            },
            Some(ExprKind::Path(path)) => {
                if let Some(name) = path.single()
                    && let Some((_, ty)) = environment.names.iter().find(|(known, _)| known == name)
                {
                    return Length::of(ty);
                }
            }
            _ => {}
        }
        match self.constant_value(id, environment) {
            Some(slots) => match slots.as_slice() {
                [value] => value
                    .to_i64()
                    .and_then(|value| u64::try_from(value).ok())
                    .map_or(Length::Unknown, Length::Known),
                _ => Length::Unknown,
            },
            None => Length::Unknown,
        }
    }
}

pub fn parameters<'g>(generics: impl Iterator<Item = &'g Generic>) -> Vec<(String, Ty)> {
    generics.map(|generic| (generic.name.clone(), Ty::Parameter(generic.name.clone()))).collect()
}
