//! Which traits a body sees, and what others may add to a method call without our seeing it.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::context::Context;
use super::defs::{HOPS, Namespace, Resolved};
use super::hir::{ModuleId, Path, Segment, TraitId, TypeRef};
use super::items::{Alias, Bound, Definition, Generic, Items, KrateId, Use, Visibility};
use super::reach::Reach;
use super::traits::TraitName;
use super::types::Ty;

/// The traits whose methods bodies of a module may call.
#[derive(Debug, Default)]
pub struct Scope {
    seen: FxHashSet<TraitId>,
    /// Traits that may be in scope, or hidden by something of their name.
    doubted: FxHashSet<TraitId>,
    /// Traits of std that are imported, by their paths.
    standard: FxHashSet<String>,
    /// A glob of std may bring in any of its traits.
    any_standard: bool,
    /// There may be traits that we do not see.
    pub others: bool,
    /// Methods of traits of other crates that are in the table.
    foreign: FxHashSet<&'static str>,
    /// The crate of the module.
    pub krate: KrateId,
}

impl Scope {
    /// Whether a trait that we do not see may have a method of this name.
    pub fn may_have(&self, name: &str) -> bool {
        self.others || self.foreign.contains(name)
    }

    /// Whether a trait is in scope; `None`: it may be.
    pub fn has(&self, items: &Items, name: &TraitName) -> Option<bool> {
        match name {
            TraitName::Seen(id) if self.seen.contains(id) || items.is_always_there(*id) => Some(true),
            TraitName::Seen(id) if self.doubted.contains(id) => None,
            TraitName::Seen(id) if items.is_std_trait(*id) => {
                let is_it = |path: &String| items.standard(path) == Some(Definition::Trait(*id));
                let named = self.standard.iter().any(is_it);
                if named { Some(true) } else { Some(false).filter(|_| !self.any_standard && !self.others) }
            }
            TraitName::Standard(path) if self.standard.contains(path) || Items::is_in_prelude(path) => {
                Some(true)
            }
            TraitName::Standard(_) if self.any_standard => None,
            TraitName::Unknown if !self.foreign.is_empty() => None,
            _ if self.others => None,
            _ => Some(false),
        }
    }
}

/// How many modules may bring traits into one.
const MOST_MODULES: u32 = 1_000;

/// The search for the traits of one scope.
struct Search<'n> {
    named: Option<&'n FxHashSet<(ModuleId, String)>>,
    open: Vec<ModuleId>,
    left: u32,
}

/// A trait that has a name in a module; `_` for those without one.
struct Brought {
    name: String,
    found: Found,
    reach: Reach,
    doubted: bool,
}

impl Brought {
    fn new(name: &str, found: Found, reach: Reach) -> Self {
        Self { name: name.into(), found, reach, doubted: false }
    }
}

#[derive(PartialEq)]
enum Found {
    Trait(TraitId),
    Standard(String),
    AnyStandard,
    /// Traits of others with these methods.
    Methods(Vec<&'static str>),
    Others,
}

/// Traits of other crates with all their methods: crate, the last name of the path, methods. A module stands for all
/// that its glob brings in.
const FOREIGN: &str = include_str!("foreign_traits.txt");

fn foreign_methods(krate: &str, name: &str) -> Option<std::str::SplitWhitespace<'static>> {
    FOREIGN.lines().find_map(|line| {
        let methods = line.strip_prefix(krate)?.strip_prefix(' ')?.strip_prefix(name)?;
        (methods.is_empty() || methods.starts_with(' ')).then(|| methods.split_whitespace())
    })
}

/// Names of the methods that numbers, texts, slices and other types of std have themselves, in order: more than our
/// own text of std declares.
const OF_STD: &str = include_str!("method_names.txt");

/// Whether some type of std may have a method of its own of this name.
pub fn is_method_of_std(name: &str) -> bool {
    static NAMES: std::sync::LazyLock<FxHashSet<&'static str>> =
        std::sync::LazyLock::new(|| OF_STD.lines().collect());
    NAMES.contains(name)
}

/// Names in that list that numbers have no methods of: texts, vectors and pointers do.
pub fn is_not_of_integers(name: &str) -> bool {
    matches!(name, "truncate" | "extend" | "get" | "new" | "push" | "pop" | "insert" | "remove" | "clear")
        || matches!(name, "add" | "sub" | "offset" | "read" | "write" | "swap")
}

/// Names in that list that one type of std has no method of, stable or not: another does.
const LACKING: &[(&str, &[&str])] = &[
    ("net::Ipv6Addr", &["is_link_local", "is_private", "is_broadcast"]),
    ("str", &["width"]),
    ("char", &["width"]),
];

impl Context<'_> {
    /// Whether it is certain that a type of std has no method of its own of this name.
    pub fn lacks_method(&self, ty: &Ty, name: &str) -> bool {
        let is_it = |path: &str| match ty {
            Ty::Adt(id, _) => self.items.standard(path) == Some(Definition::Adt(*id)),
            Ty::Str => path == "str",
            Ty::Char => path == "char",
            _ => false,
        };
        LACKING.iter().any(|(path, names)| names.contains(&name) && is_it(path))
    }

    /// Whether code that is not seen may have an impl for a type: code of the crate that can name it.
    pub fn hides_impls_for(&self, ty: &Ty) -> bool {
        let Ty::Adt(id, _) = ty else {
            return self.hides_impls() && !matches!(ty, Ty::Integer(_) | Ty::Bool);
        };
        let adt = self.items.adt(*id);
        // Others have no more to say about a type than what its own crate says, and no methods of its own.
        if self.items.is_foreign_module(adt.module) {
            return self.items.crate_of(adt.module).hides;
        }
        if self.items.is_std_module(adt.module) || !self.hides_impls() {
            return false;
        }
        // What is private is seen in its own module, and in those inside of it.
        let within = |module: ModuleId| {
            let parent = |id: &ModuleId| self.items.module(*id).parent;
            std::iter::successors(Some(module), parent).any(|around| around == adt.module)
        };
        let opaque =
            self.items.modules.iter().enumerate().filter(|(_, module)| module.opaque || module.hides_impls);
        let mut opaque = opaque.map(|(index, _)| ModuleId(index as u32));
        // Another name for it may be seen further.
        let renamed = |alias: &Alias| match &alias.ty {
            TypeRef::Path(path) => path.segments.last().is_some_and(|last| last.name == adt.name),
            _ => false,
        };
        let seen = adt.visibility != Visibility::Private || self.items.aliases.iter().any(renamed);
        opaque.any(|module| self.items.is_own_module(module) && (seen || within(module)))
    }

    /// Whether code of the crate is not seen that may declare impls.
    pub fn hides_impls(&self) -> bool {
        *self.hides.get_or_init(|| self.items.crates.first().is_some_and(|own| own.hides))
    }

    /// The traits in scope in a block, or in a module.
    pub fn scope(&self, module: ModuleId) -> Rc<Scope> {
        if let Some(known) = self.scopes.borrow().get(&module) {
            return known.clone();
        }
        // Since 2021 the name of a trait alone is no type.
        let modern = self.items.crate_of(module).edition.is_some_and(|edition| edition >= 2021);
        let types = modern.then(|| self.named_types.get_or_init(|| self.items.named_types()));
        let scope = Rc::new(self.items.scope(module, types));
        self.scopes.borrow_mut().insert(module, scope.clone());
        scope
    }
}

impl Items {
    /// `named`: names that stand for types, by the modules they stand in.
    fn scope(&self, module: ModuleId, named: Option<&FxHashSet<(ModuleId, String)>>) -> Scope {
        let krate = self.module(module).krate;
        let mut scope = Scope { krate, ..Scope::default() };
        let mut search = Search { named, open: Vec::new(), left: MOST_MODULES };
        // Blocks outward to the module.
        let around = |id: &ModuleId| self.module(*id).parent.filter(|_| self.module(*id).block);
        for at in std::iter::successors(Some(module), around) {
            for brought in self.traits_in(at, &mut search) {
                match brought.found {
                    Found::Trait(id) if brought.doubted => drop(scope.doubted.insert(id)),
                    Found::Trait(id) => drop(scope.seen.insert(id)),
                    Found::Standard(path) => drop(scope.standard.insert(path)),
                    Found::AnyStandard => scope.any_standard = true,
                    Found::Methods(methods) => scope.foreign.extend(methods),
                    Found::Others => scope.others = true,
                }
            }
        }
        // A trait that is not seen as a whole may have any method.
        let mut all = scope.seen.iter().chain(&scope.doubted);
        let opaque = all.any(|id| self.traits[id.index()].opaque);
        scope.others |= opaque;
        scope
    }

    /// The traits that have a name in a module, and those that nobody can name.
    fn traits_in(&self, module: ModuleId, search: &mut Search<'_>) -> Vec<Brought> {
        let others = || Brought::new("_", Found::Others, Reach::Everywhere);
        if search.left == 0 {
            return vec![others()];
        }
        // Round a circle of globs there is nothing new.
        if search.open.contains(&module) {
            return Vec::new();
        }
        search.left -= 1;
        let found = self.module(module);
        let mut all: Vec<Brought> = Vec::new();
        all.extend(found.opaque.then(others));
        // A set of sets, so the order of names does not matter.
        all.extend(found.types.iter().filter_map(|(name, definition)| match definition {
            Definition::Trait(id) => {
                let reach = self.reach_of(module, name, Namespace::Types);
                Some(Brought::new(name, Found::Trait(*id), reach))
            }
            _ => None,
        }));
        let types = self.types_by_value(module);
        for import in &found.uses {
            let is_type = types.contains(import.name.as_str())
                || search.named.is_some_and(|named| named.contains(&(module, import.name.clone())));
            let brought = self.brought(import, is_type);
            all.extend(brought.map(|found| Brought::new(&import.name, found, import.reach)));
        }
        search.open.push(module);
        let mut by_globs: Vec<Brought> = Vec::new();
        for glob in &found.globs {
            match self.imported(&glob.path, Namespace::Types) {
                Some(Resolved::Definition(Definition::Module(inner))) => {
                    for mut brought in self.traits_in(inner, search) {
                        let seen = self.sees(module, brought.reach);
                        brought.doubted |= seen.is_none();
                        brought.reach = self.nearer(glob.reach, brought.reach);
                        by_globs.extend(Some(brought).filter(|_| seen != Some(false)));
                    }
                }
                Some(Resolved::Definition(_) | Resolved::Primitive(_)) => {}
                Some(Resolved::Standard(_)) => {
                    by_globs.push(Brought::new("_", Found::AnyStandard, glob.reach));
                }
                _ => by_globs.push(Brought::new("_", self.outsiders(&glob.path), glob.reach)),
            }
        }
        search.open.pop();
        self.cover(module, &mut by_globs);
        all.extend(by_globs);
        all
    }

    /// What is declared or imported by name goes before what globs bring, and of two globs with one name nobody knows
    /// which goes first.
    fn cover(&self, module: ModuleId, by_globs: &mut Vec<Brought>) {
        let twice = |one: &Brought, all: &[Brought]| {
            all.iter().any(|other| other.name == one.name && other.found != one.found)
        };
        let doubted: Vec<bool> = by_globs.iter().map(|one| one.name != "_" && twice(one, by_globs)).collect();
        by_globs.iter_mut().zip(doubted).for_each(|(brought, doubted)| brought.doubted |= doubted);
        let found = self.module(module);
        by_globs.retain(|brought| brought.name == "_" || !found.types.contains_key(&brought.name));
        for import in found.uses.iter().filter(|import| import.name != "_") {
            let is_one = |brought: &&mut Brought| brought.name == import.name;
            if !by_globs.iter_mut().any(|brought| is_one(&brought)) {
                continue;
            }
            match self.imported(&import.path, Namespace::Types) {
                None => {}
                Some(Resolved::Unknown) => {
                    by_globs.iter_mut().filter(is_one).for_each(|brought| brought.doubted = true);
                }
                Some(_) => by_globs.retain(|brought| brought.name != import.name),
            }
        }
    }

    /// Plain names that the text uses as types, by the modules they stand in. Those of generic parameters are
    /// left out, wherever they are declared.
    fn named_types(&self) -> FxHashSet<(ModuleId, String)> {
        let mut work: Vec<&TypeRef> = Vec::new();
        let mut generics: Vec<&Generic> = Vec::new();
        for function in &self.functions {
            work.extend(function.parameters.iter().chain([&function.result]));
            generics.extend(&function.generics);
        }
        for adt in &self.adts {
            let fields = adt.variants.iter().flat_map(|variant| &variant.fields);
            work.extend(fields.map(|field| &field.ty));
            generics.extend(&adt.generics);
        }
        for found in &self.impls {
            work.extend([&found.target].into_iter().chain(found.types.values()));
            generics.extend(&found.generics);
        }
        self.traits.iter().for_each(|found| generics.extend(&found.generics));
        for alias in &self.aliases {
            work.push(&alias.ty);
            generics.extend(&alias.generics);
        }
        work.extend(self.constants.iter().map(|constant| &constant.ty));
        let bounds = self.functions.iter().flat_map(|function| &function.predicates);
        for predicate in bounds.chain(self.impls.iter().flat_map(|found| &found.predicates)) {
            work.push(&predicate.subject);
            match &predicate.bound {
                Bound::Callable(taken, given) => work.extend(taken.iter().chain([given])),
                Bound::Trait(path, items) => {
                    work.extend(path.segments.iter().flat_map(|segment| &segment.arguments));
                    work.extend(items.iter().map(|(_, ty)| ty));
                }
            }
        }
        let parameters: FxHashSet<&str> = generics.iter().map(|generic| generic.name.as_str()).collect();
        let mut found = FxHashSet::default();
        while let Some(ty) = work.pop() {
            match ty {
                TypeRef::Tuple(parts) => work.extend(parts),
                TypeRef::Array(inner, _)
                | TypeRef::Slice(inner)
                | TypeRef::Reference(_, inner)
                | TypeRef::Pointer(_, inner) => {
                    work.push(inner);
                }
                TypeRef::Path(path) => {
                    work.extend(path.segments.iter().flat_map(|segment| &segment.arguments));
                    work.extend(path.qself.iter().map(|qself| &qself.ty));
                    let plain = path.qself.is_none() && !path.global;
                    if let ([only], true) = (path.segments.as_slice(), plain)
                        && !parameters.contains(only.name.as_str())
                    {
                        found.insert((path.module, only.name.clone()));
                    }
                }
                TypeRef::Never | TypeRef::Infer | TypeRef::Opaque | TypeRef::Const(_) => {}
            }
        }
        found
    }

    /// Names that functions of a module take or give by value: no trait is one of them.
    fn types_by_value(&self, module: ModuleId) -> FxHashSet<&str> {
        let mut found = FxHashSet::default();
        for function in self.functions.iter().filter(|function| function.module == module) {
            let generics = self.generics_of(function);
            let mut work: Vec<&TypeRef> = function.parameters.iter().chain([&function.result]).collect();
            while let Some(ty) = work.pop() {
                match ty {
                    TypeRef::Tuple(parts) => work.extend(parts),
                    TypeRef::Array(element, _) => work.push(element),
                    TypeRef::Path(path) => {
                        if let Some(name) = path.single()
                            && generics.iter().all(|generic| generic.name != name)
                        {
                            found.insert(name);
                        }
                        let sized = |name: &str| matches!(name, "Option" | "Result" | "Vec");
                        if let [only] = path.segments.as_slice()
                            && sized(&only.name)
                        {
                            work.extend(&only.arguments);
                        }
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// What an import brings that may be a trait. `is_type`: its name stands where a type does.
    fn brought(&self, import: &Use, is_type: bool) -> Option<Found> {
        match self.imported(&import.path, Namespace::Types) {
            Some(Resolved::Definition(Definition::Trait(id))) => return Some(Found::Trait(id)),
            Some(Resolved::Standard(path)) => return Some(Found::Standard(path)),
            Some(Resolved::Definition(_) | Resolved::Primitive(_)) => return None,
            _ => {}
        }
        // The names of traits that are not seen are taken to be written as usual, but where nothing else would explain why
        // somebody imports one.
        let last = import.path.segments.last().map_or("", |last| last.name.as_str());
        let is_unusual = !is_capital(last) || is_constant(last);
        let own = self.is_own_module(import.path.module) && !import.reach.is_everywhere();
        let explained = import.name != "_" && (!own || self.mentions.speaks_of(&import.name));
        if is_type || is_unusual && explained {
            return None;
        }
        let value = self.imported(&import.path, Namespace::Values);
        let is_value = matches!(value, Some(found) if found != Resolved::Unknown);
        (!is_value).then(|| self.outsiders(&import.path))
    }

    /// Traits of another crate: those in the table have the methods it says, all others may have any.
    fn outsiders(&self, path: &Path) -> Found {
        let methods = self.outside(path, HOPS).and_then(|(krate, name)| foreign_methods(&krate, &name));
        methods.map_or(Found::Others, |methods| Found::Methods(methods.collect()))
    }

    /// The crate of the registry that a path leads into, re-exports followed, and its last name there.
    fn outside(&self, path: &Path, hops: u32) -> Option<(String, String)> {
        let (last, before) = path.segments.split_last().filter(|_| hops > 0)?;
        let first = before.first().map_or(&last.name, |first| &first.name);
        let public = &self.crate_of(path.module).public;
        if !before.is_empty() && public.contains(first) && self.is_crate(path, first) {
            return Some((first.clone(), last.name.clone()));
        }
        let around = Path { segments: before.to_vec(), ..path.clone() };
        let module = match self.imported(&around, Namespace::Types) {
            Some(Resolved::Definition(Definition::Module(id))) => id,
            _ => return None,
        };
        let mut imports = self.module(module).uses.iter().filter(|import| import.name == last.name);
        let only = imports.next().filter(|_| imports.next().is_none())?;
        self.outside(&only.path, hops - 1)
    }

    /// Whether a path that begins with this name begins with a crate: nothing else in scope has the name.
    fn is_crate(&self, path: &Path, name: &str) -> bool {
        let segment = Segment { name: name.into(), arguments: Vec::new() };
        let own = Path { segments: vec![segment], global: false, ..path.clone() };
        path.global || matches!(self.imported(&own, Namespace::Types), None | Some(Resolved::Unknown))
    }

    /// Whether a trait of our own text of std needs no import.
    pub fn is_always_there(&self, id: TraitId) -> bool {
        let imported = ["io::Read", "io::Write", "io::BufRead", "hash::BuildHasher"];
        let name = self.traits[id.index()].name.as_str();
        let is_one = |path: &&str| path.ends_with(name) && self.standard(path) == Some(Definition::Trait(id));
        !imported.iter().any(is_one) && self.is_std_trait(id)
    }

    pub fn is_std_trait(&self, id: TraitId) -> bool {
        let functions = &self.traits[id.index()].functions;
        functions.values().next().is_some_and(|function| self.is_std_module(self.function(*function).module))
    }
}

/// Whether a name is written like that of a constant: no trait is.
pub fn is_constant(name: &str) -> bool {
    name.contains('_') && name.len() > 1 && !name.contains(char::is_lowercase)
}

pub fn is_capital(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
