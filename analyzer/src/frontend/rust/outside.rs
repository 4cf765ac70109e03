//! Who can be called from outside: what is effectively public, and what unseen code may come by.
//!
//! Effectively public is what a path of public names leads to, re-exports followed. Beyond that, code of others calls
//! methods of traits it knows, and public methods of values it is given. Nothing is known of bodies here.

use rustc_hash::FxHashSet;

use super::defs::{Namespace, Resolved};
use super::hir::{AdtId, ConstId, FnId, ImplId, ModuleId, Mutability, Path, TraitId, TypeRef};
use super::items::{Bound, ConstantKind, Definition, Items, KrateId, Owner, Predicate, Visibility};
use super::privacy::HARMLESS;

/// What paths of public names lead to.
#[derive(Debug, Default)]
pub struct Exposed {
    modules: FxHashSet<ModuleId>,
    pub functions: FxHashSet<FnId>,
    pub adts: FxHashSet<AdtId>,
    pub traits: FxHashSet<TraitId>,
    pub constants: FxHashSet<ConstId>,
}

/// Aliases may lead to aliases.
const HOPS: u32 = 8;

impl Items {
    /// Functions and methods that everybody can call, in order.
    pub fn effectively_public(&self) -> Vec<FnId> {
        let exposed = self.exposed(ModuleId(0));
        let callable = |id: &FnId| {
            let function = self.function(*id);
            match function.owner {
                Owner::Module => exposed.functions.contains(id),
                Owner::Trait(of) => exposed.traits.contains(&of),
                Owner::Impl(of) => {
                    let ty = self.implementor(of);
                    let own = ty.is_some_and(|ty| exposed.adts.contains(&ty));
                    match &self.impls[of.index()].of_trait {
                        None => own && function.visibility == Visibility::Public,
                        Some(path) => match self.local_trait(path) {
                            Some(of) => exposed.traits.contains(&of) && (own || ty.is_none()),
                            None => own,
                        },
                    }
                }
            }
        };
        self.own_functions().filter(callable).collect()
    }

    /// Functions that code of others may call without a path to their name: methods of traits that are not private,
    /// public methods of types that it may have values of.
    pub fn callable_through_values(&self) -> FxHashSet<FnId> {
        let (adts, traits) = self.declared_public();
        let handed_out = self.handed_out();
        let unsure = self.modules.iter().any(|module| module.krate == KrateId::OWN && module.opaque);
        let callable = |id: &FnId| {
            let function = self.function(*id);
            let public = function.visibility == Visibility::Public;
            match function.owner {
                Owner::Module => public && unsure,
                Owner::Trait(of) => traits.contains(&of),
                Owner::Impl(of) => match &self.impls[of.index()].of_trait {
                    Some(path) => self.local_trait(path).is_none_or(|of| traits.contains(&of)),
                    None => {
                        let hidden = |ty: AdtId| {
                            !adts.contains(&ty) && !handed_out.contains(self.adt(ty).name.as_str())
                        };
                        public && (unsure || !self.implementor(of).is_some_and(hidden))
                    }
                },
            }
        };
        self.own_functions().filter(callable).collect()
    }

    /// Functions that operators, ends of values and code of others call by traits of others, of types that nobody else
    /// can name.
    pub fn called_without_a_name(&self) -> FxHashSet<FnId> {
        let (adts, _) = self.declared_public();
        let closed = |ty: &TypeRef| {
            let mut parts = vec![ty];
            while let Some(ty) = parts.pop() {
                match ty {
                    TypeRef::Path(path) => {
                        parts.extend(path.segments.iter().flat_map(|segment| &segment.arguments));
                        let own = |id: &AdtId| self.is_own_module(self.adt(*id).module);
                        if self.named_type(ty, HOPS).filter(own).is_some_and(|id| !adts.contains(&id)) {
                            return true;
                        }
                    }
                    TypeRef::Tuple(inner) => parts.extend(inner),
                    TypeRef::Array(inner, _)
                    | TypeRef::Slice(inner)
                    | TypeRef::Reference(_, inner)
                    | TypeRef::Pointer(_, inner) => parts.push(inner),
                    TypeRef::Never | TypeRef::Infer | TypeRef::Opaque | TypeRef::Const(_) => {}
                }
            }
            false
        };
        let is_unnamed = |id: &FnId| {
            let Owner::Impl(of) = self.function(*id).owner else { return false };
            let found = &self.impls[of.index()];
            let Some(path) = &found.of_trait else { return false };
            let given = path.segments.iter().flat_map(|segment| &segment.arguments);
            self.local_trait(path).is_none() && [&found.target].into_iter().chain(given).any(closed)
        };
        self.own_functions().filter(is_unnamed).collect()
    }

    /// Functions of the program that have a body.
    pub fn own_functions(&self) -> impl Iterator<Item = FnId> {
        let all = (0..self.functions.len() as u32).map(FnId);
        all.filter(|id| self.function(*id).has_body() && self.is_own_module(self.function(*id).module))
    }

    /// The type of ours that an impl is for.
    fn implementor(&self, id: ImplId) -> Option<AdtId> {
        self.named_type(&self.impls[id.index()].target, HOPS)
    }

    fn named_type(&self, ty: &TypeRef, hops: u32) -> Option<AdtId> {
        match ty {
            TypeRef::Reference(_, inner) => self.named_type(inner, hops),
            TypeRef::Path(path) if hops > 0 => match self.definition(path, Namespace::Types)? {
                Definition::Adt(id) => Some(id),
                Definition::Alias(id) => self.named_type(&self.aliases[id.index()].ty, hops - 1),
                _ => None,
            },
            _ => None,
        }
    }

    fn local_trait(&self, path: &Path) -> Option<TraitId> {
        match self.definition(path, Namespace::Types)? {
            Definition::Trait(id) => Some(id).filter(|id| self.is_own_module(self.traits[id.index()].module)),
            _ => None,
        }
    }

    fn definition(&self, path: &Path, namespace: Namespace) -> Option<Definition> {
        let target = self.resolve(path, namespace);
        match target.found {
            Resolved::Definition(definition) if target.rest.is_empty() => Some(definition),
            _ => None,
        }
    }

    /// Types that everybody can name.
    pub fn exposed_types(&self) -> FxHashSet<AdtId> {
        self.exposed(ModuleId(0)).adts
    }

    /// Traits that everybody can name.
    pub fn exposed_traits(&self) -> FxHashSet<TraitId> {
        self.exposed(ModuleId(0)).traits
    }

    /// Constants that everybody can name, in order.
    pub fn exposed_constants(&self) -> Vec<ConstId> {
        let roots = [ModuleId(0)].into_iter().chain(self.std_root);
        let exposed = roots.flat_map(|root| self.exposed(root).constants);
        let mut found: Vec<ConstId> =
            exposed.filter(|id| self.constant(*id).kind == ConstantKind::Constant).collect();
        // Those of types that everybody can name.
        let types = self.exposed_types();
        for own in self.impls.iter().filter(|own| self.is_own_module(own.module) && !own.opaque) {
            let of_type = own.of_trait.is_none() && own.generics.is_empty();
            if of_type && self.named_type(&own.target, HOPS).is_some_and(|id| types.contains(&id)) {
                found.extend(own.constants.values().filter(|id| self.constant(**id).is_public));
            }
        }
        found.sort_unstable();
        found
    }

    /// Types and functions of other packages that whoever depends on them can name.
    pub fn offered_by_others(&self) -> (FxHashSet<AdtId>, FxHashSet<FnId>) {
        let (mut adts, mut functions) = (FxHashSet::default(), FxHashSet::default());
        for krate in self.crates.iter().filter(|krate| self.is_foreign_module(krate.root)) {
            let exposed = self.exposed(krate.root);
            adts.extend(exposed.adts);
            functions.extend(exposed.functions);
        }
        (adts, functions)
    }

    pub fn exposed(&self, root: ModuleId) -> Exposed {
        let mut exposed = Exposed::default();
        let mut work = vec![Definition::Module(root)];
        while let Some(next) = work.pop() {
            match next {
                Definition::Module(id) if exposed.modules.insert(id) => self.offers(id, &mut work),
                Definition::Function(id) => drop(exposed.functions.insert(id)),
                Definition::Adt(id) => drop(exposed.adts.insert(id)),
                Definition::Trait(id) => drop(exposed.traits.insert(id)),
                Definition::Constant(id) => drop(exposed.constants.insert(id)),
                Definition::Alias(id) => {
                    exposed.adts.extend(self.named_type(&self.aliases[id.index()].ty, HOPS));
                }
                _ => {}
            }
        }
        exposed
    }

    /// What a module has for others.
    fn offers(&self, id: ModuleId, work: &mut Vec<Definition>) {
        let module = self.module(id);
        // A set, so the order of names does not matter.
        for name in &module.exported {
            work.extend(module.types.get(name).into_iter().chain(module.values.get(name)).copied());
        }
        for import in module.uses.iter().filter(|import| import.visibility == Visibility::Public) {
            let both = [Namespace::Types, Namespace::Values];
            work.extend(both.into_iter().filter_map(|namespace| self.definition(&import.path, namespace)));
        }
        let public = module.globs.iter().filter(|glob| glob.reach.is_everywhere());
        let globs = public.filter_map(|glob| self.definition(&glob.path, Namespace::Types));
        work.extend(globs.filter(|found| matches!(found, Definition::Module(_))));
    }

    /// Types and traits that are declared `pub`, wherever.
    fn declared_public(&self) -> (FxHashSet<AdtId>, FxHashSet<TraitId>) {
        let (mut adts, mut traits) = (FxHashSet::default(), FxHashSet::default());
        for module in &self.modules {
            for definition in module.exported.iter().filter_map(|name| module.types.get(name)) {
                match definition {
                    Definition::Adt(id) => drop(adts.insert(*id)),
                    Definition::Trait(id) => drop(traits.insert(*id)),
                    _ => {}
                }
            }
        }
        (adts, traits)
    }

    /// Types that code of others can neither name nor be given a value of: no function has one in its result, or in what
    /// it fills or calls, no field, constant, alias or associated type is one, and nothing is left to inference.
    pub fn kept_inside(&self) -> FxHashSet<AdtId> {
        if self.crates.first().is_some_and(|own| own.hides) {
            return FxHashSet::default();
        }
        let (given, exposed) = (self.given_out(), self.exposed_types());
        let renamed: FxHashSet<&str> = self
            .modules
            .iter()
            .flat_map(|module| &module.uses)
            .filter_map(|import| Some((import, import.path.segments.last()?)))
            .filter(|(import, last)| last.name != import.name)
            .map(|(_, last)| last.name.as_str())
            .collect();
        let is_kept = |id: &AdtId| {
            let adt = self.adt(*id);
            let harmless = |name: &String| name != "Default" && HARMLESS.contains(&name.as_str());
            let named = given.contains(adt.name.as_str()) || renamed.contains(adt.name.as_str());
            self.is_own_module(adt.module)
                && !adt.opaque
                && !named
                && !exposed.contains(id)
                && adt.derives.iter().all(harmless)
        };
        (0..self.adts.len() as u32).map(AdtId).filter(is_kept).collect()
    }

    /// Names of types that others may get values of.
    fn given_out(&self) -> FxHashSet<&str> {
        let mut names = FxHashSet::default();
        for function in self.functions.iter().filter(|function| self.is_own_module(function.module)) {
            let (own, of_trait) = match function.owner {
                Owner::Impl(id) => {
                    let found = &self.impls[id.index()];
                    (Some(&found.target), found.of_trait.is_some())
                }
                Owner::Trait(_) => (None, true),
                Owner::Module => (None, false),
            };
            if function.visibility == Visibility::Public || of_trait {
                let mut result = FxHashSet::default();
                words(&function.result, &mut result);
                if let Some(own) = own.filter(|_| result.contains("Self")) {
                    words(own, &mut result);
                }
                names.extend(result);
                function.parameters.iter().for_each(|ty| filled(ty, &mut names));
            }
            asked_for(&function.predicates, &mut names);
        }
        for found in self.impls.iter().filter(|found| self.is_own_module(found.module)) {
            asked_for(&found.predicates, &mut names);
            found.types.values().for_each(|ty| words(ty, &mut names));
            // Its trait may make one by a function of its own.
            let makes = |id: TraitId| {
                let functions = self.traits[id.index()].functions.values();
                functions.into_iter().any(|id| {
                    let mut result = FxHashSet::default();
                    words(&self.function(*id).result, &mut result);
                    result.contains("Self")
                })
            };
            if found.of_trait.as_ref().and_then(|path| self.local_trait(path)).is_some_and(makes) {
                words(&found.target, &mut names);
            }
        }
        self.traits.iter().for_each(|found| asked_for(&found.predicates, &mut names));
        let fields = self.adts.iter().flat_map(|adt| &adt.variants).flat_map(|variant| &variant.fields);
        let open = fields.filter(|field| field.visibility != Visibility::Private);
        open.for_each(|field| words(&field.ty, &mut names));
        self.aliases.iter().for_each(|alias| words(&alias.ty, &mut names));
        self.constants.iter().for_each(|constant| words(&constant.ty, &mut names));
        names
    }

    /// Names of types that public functions, fields and impls speak of.
    fn handed_out(&self) -> FxHashSet<&str> {
        let mut names = FxHashSet::default();
        let public = self
            .functions
            .iter()
            .filter(|function| function.visibility == Visibility::Public || function.owner != Owner::Module);
        for function in public {
            function.parameters.iter().chain([&function.result]).for_each(|ty| words(ty, &mut names));
        }
        let fields = self.adts.iter().flat_map(|adt| &adt.variants).flat_map(|variant| &variant.fields);
        for field in fields.filter(|field| field.visibility != Visibility::Private) {
            words(&field.ty, &mut names);
        }
        self.impls.iter().flat_map(|found| found.types.values()).for_each(|ty| words(ty, &mut names));
        self.aliases.iter().for_each(|alias| words(&alias.ty, &mut names));
        names
    }
}

/// Names in what a parameter of this type may be filled with: what stands behind `&mut` and in cells.
fn filled<'t>(ty: &'t TypeRef, names: &mut FxHashSet<&'t str>) {
    match ty {
        TypeRef::Reference(Mutability::Shared, inner) | TypeRef::Array(inner, _) | TypeRef::Slice(inner) => {
            filled(inner, names);
        }
        TypeRef::Reference(Mutability::Mutable, inner) => match &**inner {
            TypeRef::Path(path) => {
                let arguments = path.segments.iter().flat_map(|segment| &segment.arguments);
                arguments.for_each(|ty| words(ty, names));
            }
            inner => words(inner, names),
        },
        TypeRef::Tuple(parts) => parts.iter().for_each(|part| filled(part, names)),
        TypeRef::Path(path) => {
            let plain = ["Option", "Result", "Vec", "Box"];
            let holds = path.segments.last().is_some_and(|last| plain.contains(&last.name.as_str()));
            for argument in path.segments.iter().flat_map(|segment| &segment.arguments) {
                if holds { filled(argument, names) } else { words(argument, names) }
            }
        }
        other => words(other, names),
    }
}

/// Names in what is asked of types: closures are called with values.
fn asked_for<'t>(predicates: &'t [Predicate], names: &mut FxHashSet<&'t str>) {
    for predicate in predicates {
        match &predicate.bound {
            Bound::Trait(path, items) => {
                let arguments = path.segments.iter().flat_map(|segment| &segment.arguments);
                arguments.chain(items.iter().map(|(_, ty)| ty)).for_each(|ty| words(ty, names));
            }
            Bound::Callable(inputs, output) => {
                inputs.iter().chain([output]).for_each(|ty| words(ty, names));
            }
        }
    }
}

/// Every name in a type.
pub fn words<'t>(ty: &'t TypeRef, names: &mut FxHashSet<&'t str>) {
    match ty {
        TypeRef::Path(path) => {
            for segment in &path.segments {
                names.insert(&segment.name);
                segment.arguments.iter().for_each(|argument| words(argument, names));
            }
        }
        TypeRef::Tuple(parts) => parts.iter().for_each(|part| words(part, names)),
        TypeRef::Array(inner, _)
        | TypeRef::Slice(inner)
        | TypeRef::Reference(_, inner)
        | TypeRef::Pointer(_, inner) => {
            words(inner, names);
        }
        TypeRef::Never | TypeRef::Infer | TypeRef::Opaque | TypeRef::Const(_) => {}
    }
}
