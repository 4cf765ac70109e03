//! Names to definitions: modules, imports, globs, the prelude.
//!
//! Looked up on demand. "Unknown" is an answer of its own: a glob of another crate or a macro that
//! declares items may bring any name, except that the prelude and the primitive types are taken as they are.

mod known;

use std::cell::{Cell, RefCell};

use super::hir::{ModuleId, Path, Segment};
use super::items::{Definition, Items, Module, Use};
use super::reach::Reach;

pub use known::Known;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Namespace {
    Types,
    Values,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Resolved {
    Definition(Definition),
    /// A type that the language has.
    Primitive(String),
    /// Something of the standard library, by its path without `std`, `core` or `alloc`.
    Standard(String),
    Unknown,
}

/// What a path leads to, and the segments behind it: associated items.
#[derive(Clone, Debug)]
pub struct Target<'p> {
    pub found: Resolved,
    /// How many segments were walked.
    pub walked: usize,
    pub rest: &'p [Segment],
}

/// Imports may lead far, and to the same module in very many ways.
pub const HOPS: u32 = 24;
const MOST_LOOKUPS: u32 = 2_000;

/// What a name means in a module, and who sees it there.
struct Bound {
    found: Resolved,
    reach: Reach,
}

/// A name that is looked up, and how far.
#[derive(Clone, Copy)]
struct Sought<'s> {
    name: &'s str,
    namespace: Namespace,
    hops: u32,
    trail: &'s Trail,
}

/// One question and what is being looked up for it.
struct Trail {
    left: Cell<u32>,
    open: RefCell<Vec<(ModuleId, Namespace, String)>>,
}

impl Trail {
    fn new() -> Self {
        Self { left: Cell::new(MOST_LOOKUPS), open: RefCell::default() }
    }

    fn is_over(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left == 0
    }

    fn is_open(&self, module: ModuleId, namespace: Namespace, name: &str) -> bool {
        let open = self.open.borrow();
        open.iter().any(|at| at.0 == module && at.1 == namespace && at.2 == name)
    }
}

const PRIMITIVES: &[&str] = &[
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "bool", "char",
    "str", "f32", "f64",
];

/// Names of the prelude and where they come from.
const PRELUDE: &[(&str, &str)] = &[
    ("Option", "option::Option"),
    ("Some", "option::Option::Some"),
    ("None", "option::Option::None"),
    ("Result", "result::Result"),
    ("Ok", "result::Result::Ok"),
    ("Err", "result::Result::Err"),
    ("Vec", "vec::Vec"),
    ("String", "string::String"),
    ("Box", "boxed::Box"),
    ("Default", "default::Default"),
    ("From", "convert::From"),
    ("Into", "convert::Into"),
    ("TryFrom", "convert::TryFrom"),
    ("TryInto", "convert::TryInto"),
    ("Clone", "clone::Clone"),
    ("PartialEq", "cmp::PartialEq"),
    ("Eq", "cmp::Eq"),
    ("PartialOrd", "cmp::PartialOrd"),
    ("Ord", "cmp::Ord"),
    ("Iterator", "iter::Iterator"),
    ("IntoIterator", "iter::IntoIterator"),
    ("DoubleEndedIterator", "iter::DoubleEndedIterator"),
    ("ExactSizeIterator", "iter::ExactSizeIterator"),
    ("Extend", "iter::Extend"),
    ("FromIterator", "iter::FromIterator"),
    ("AsMut", "convert::AsMut"),
    ("AsRef", "convert::AsRef"),
    ("ToOwned", "borrow::ToOwned"),
    ("ToString", "string::ToString"),
    ("Fn", "ops::Fn"),
    ("FnMut", "ops::FnMut"),
    ("FnOnce", "ops::FnOnce"),
    ("Unpin", "marker::Unpin"),
    ("Drop", "ops::Drop"),
    ("Copy", "marker::Copy"),
    ("Sized", "marker::Sized"),
    ("Send", "marker::Send"),
    ("Sync", "marker::Sync"),
    ("drop", "mem::drop"),
    ("size_of", "mem::size_of"),
    ("size_of_val", "mem::size_of_val"),
];

impl Items {
    /// Whether everybody sees what std declares under this path.
    pub fn is_in_prelude(path: &str) -> bool {
        PRELUDE.iter().any(|(_, known)| *known == path)
    }

    pub fn resolve<'p>(&self, path: &'p Path, namespace: Namespace) -> Target<'p> {
        let work =
            || self.resolve_from(path.module, path.global, &path.segments, namespace, HOPS, &Trail::new());
        self.known.target(path, namespace, work)
    }

    /// What a plain name means as a value, seen from a module. `None`: nothing.
    pub fn value_named(&self, module: ModuleId, name: &str) -> Option<Resolved> {
        self.lookup(module, Sought { name, namespace: Namespace::Values, hops: HOPS, trail: &Trail::new() })
    }

    fn resolve_from<'p>(
        &self,
        module: ModuleId,
        global: bool,
        segments: &'p [Segment],
        namespace: Namespace,
        hops: u32,
        trail: &Trail,
    ) -> Target<'p> {
        let unknown = |walked: usize| Target { found: Resolved::Unknown, walked, rest: &segments[walked..] };
        let Some(first) = segments.first().filter(|_| hops > 0) else { return unknown(segments.len()) };
        let sought = |name, namespace| Sought { name, namespace, hops: hops - 1, trail };
        let mut walked = 1;
        let only = segments.len() == 1;
        let wanted = if only { namespace } else { Namespace::Types };
        let mut found = match first.name.as_str() {
            "crate" if self.inner && self.is_own_module(module) => return unknown(segments.len()),
            name if !global && self.root_named(module, name).is_some() => match self.root_named(module, name)
            {
                Some(root) => Resolved::Definition(Definition::Module(root)),
                None => return unknown(segments.len()),
            },
            "self" if !global => Resolved::Definition(Definition::Module(self.enclosing(module))),
            "super" if !global => match self.module(self.enclosing(module)).parent {
                Some(parent) => Resolved::Definition(Definition::Module(self.enclosing(parent))),
                None => return unknown(segments.len()),
            },
            "std" | "core" | "alloc"
                if !self.names_itself(module, &first.name)
                    && (global || self.lookup(module, sought(&first.name, Namespace::Types)).is_none()) =>
            {
                Resolved::Standard(String::new())
            }
            name => match self.begun(module, global, sought(name, wanted)) {
                Some(found) => found,
                None => match self.other_crate(module, name) {
                    Some(found) => found,
                    None => return unknown(segments.len()),
                },
            },
        };
        while walked < segments.len() {
            let name = &segments[walked].name;
            let namespace = if walked + 1 == segments.len() { namespace } else { Namespace::Types };
            let next = match &found {
                Resolved::Definition(Definition::Module(_)) if name == "super" => match &found {
                    Resolved::Definition(Definition::Module(inner)) => {
                        let parent = self.module(self.enclosing(*inner)).parent;
                        parent.map(|parent| Resolved::Definition(Definition::Module(self.enclosing(parent))))
                    }
                    _ => None,
                },
                Resolved::Definition(Definition::Module(inner)) => self
                    .lookup_inside(*inner, sought(name, namespace))
                    .or_else(|| self.module_of_tests(module, *inner, name)),
                Resolved::Definition(Definition::Adt(adt)) => {
                    let variant = self.adt(*adt).variants.iter().position(|variant| variant.name == *name);
                    let is_enum = self.adt(*adt).kind == super::items::AdtKind::Enum;
                    match variant.filter(|_| is_enum) {
                        Some(index) => Some(Resolved::Definition(Definition::Variant(*adt, index as u32))),
                        None => break,
                    }
                }
                Resolved::Definition(Definition::Alias(_) | Definition::Trait(_)) => break,
                Resolved::Definition(_) => break,
                Resolved::Primitive(_) => break,
                Resolved::Standard(path) => Some(Resolved::Standard(join(path, name))),
                Resolved::Unknown => None,
            };
            match next {
                Some(next) => found = next,
                None => return unknown(segments.len()),
            }
            walked += 1;
        }
        Target { found, walked, rest: &segments[walked..] }
    }

    /// A module that only tests have, for tests that name it by the module of the library it stands in.
    fn module_of_tests(&self, asking: ModuleId, around: ModuleId, name: &str) -> Option<Resolved> {
        if !self.is_in_use(asking) {
            return None;
        }
        let krate = self.module(asking).krate;
        let stands_there = |module: &Module| {
            module.krate == krate && module.parent == Some(around) && !module.block && module.name == name
        };
        let mut found = (0..).zip(&self.modules).filter(|(_, module)| stands_there(module));
        let (index, _) = found.next().filter(|_| found.next().is_none())?;
        Some(Resolved::Definition(Definition::Module(ModuleId(index))))
    }

    /// The first name of a path, unless it is that of a crate.
    fn begun(&self, module: ModuleId, global: bool, sought: Sought<'_>) -> Option<Resolved> {
        let krate = self.crate_of(module);
        match global {
            false => self.lookup(module, sought),
            true if krate.begins_at_root() => self.lookup_inside(krate.root, sought),
            true => None,
        }
    }

    /// A crate by the name that the code of another has for it.
    fn other_crate(&self, module: ModuleId, name: &str) -> Option<Resolved> {
        if self.crate_of(module).described.iter().any(|known| known == name) {
            return Some(Resolved::Standard(name.into()));
        }
        let own = self.names_itself(module, name).then(|| self.crate_of(module).root);
        let root = own.or_else(|| self.crate_named(module, name));
        root.map(|root| Resolved::Definition(Definition::Module(root)))
    }

    /// Whether `extern crate self as name;` stands in the root.
    fn names_itself(&self, module: ModuleId, name: &str) -> bool {
        let itself =
            |import: &Use| import.only_module && import.name == name && import.path.single() == Some("crate");
        self.module(self.crate_of(module).root).uses.iter().any(itself)
    }

    /// The module around a block.
    pub fn enclosing(&self, module: ModuleId) -> ModuleId {
        let mut at = module;
        while self.module(at).block {
            match self.module(at).parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    /// Lexical lookup: blocks outward to the module, then the prelude.
    fn lookup(&self, module: ModuleId, sought: Sought<'_>) -> Option<Resolved> {
        let Sought { name, namespace, .. } = sought;
        let mut at = module;
        let mut hidden = false;
        loop {
            match self.lookup_inside(at, sought) {
                Some(Resolved::Unknown) => hidden = true,
                // What is not seen in a block goes before what stands around it.
                Some(_) if hidden => return Some(Resolved::Unknown),
                Some(found) => return Some(found),
                None => {}
            }
            match self.module(at).parent {
                Some(parent) if self.module(at).block => at = parent,
                _ => break,
            }
        }
        if namespace == Namespace::Types && PRIMITIVES.contains(&name) {
            return Some(Resolved::Primitive(name.into()));
        }
        if let Some((_, path)) = PRELUDE.iter().find(|(known, _)| *known == name) {
            return Some(Resolved::Standard((*path).into()));
        }
        hidden.then_some(Resolved::Unknown)
    }

    /// A name that a module declares or imports.
    fn lookup_inside(&self, id: ModuleId, sought: Sought<'_>) -> Option<Resolved> {
        self.bound(id, sought).map(|bound| bound.found)
    }

    fn bound(&self, id: ModuleId, sought: Sought<'_>) -> Option<Bound> {
        let Sought { name, namespace, hops, trail } = sought;
        if hops == 0 || trail.is_over() {
            return Some(Bound { found: Resolved::Unknown, reach: Reach::Everywhere });
        }
        if let Some(found) = self.declared(id, name, namespace) {
            return Some(Bound { found, reach: self.reach_of(id, name, namespace) });
        }
        // Round a circle of imports there is nothing new.
        if trail.is_open(id, namespace, name) {
            return None;
        }
        trail.open.borrow_mut().push((id, namespace, name.to_string()));
        let found = self.named(id, sought).or_else(|| self.brought_in(id, sought));
        trail.open.borrow_mut().pop();
        found
    }

    /// A name that a module imports with all others of a module: what that has for those who ask, and not what is
    /// private there.
    fn brought_in(&self, id: ModuleId, sought: Sought<'_>) -> Option<Bound> {
        let Sought { name, namespace, hops, trail } = sought;
        let module = self.module(id);
        let mut unknown = module.opaque;
        let mut found: Option<Bound> = None;
        for glob in &module.globs {
            if trail.is_over() {
                unknown = true;
                break;
            }
            let brought = match self.resolve_import(&glob.path, Namespace::Types, hops - 1, trail) {
                Some(Resolved::Definition(Definition::Module(inner))) => {
                    self.bound(inner, Sought { hops: hops - 1, ..sought })
                }
                Some(Resolved::Definition(Definition::Adt(adt))) => {
                    let variant = self.adt(adt).variants.iter().position(|variant| variant.name == name);
                    variant.map(|index| Bound {
                        found: Resolved::Definition(Definition::Variant(adt, index as u32)),
                        reach: Reach::Everywhere,
                    })
                }
                Some(Resolved::Definition(_)) => None,
                Some(Resolved::Standard(path)) => {
                    let brings = self.std_brings(&path, name, namespace);
                    unknown |= brings.is_none();
                    (brings == Some(true)).then(|| Bound {
                        found: Resolved::Standard(join(&path, name)),
                        reach: Reach::Everywhere,
                    })
                }
                _ => {
                    unknown = true;
                    None
                }
            };
            let Some(brought) = brought else { continue };
            let reach = self.nearer(glob.reach, brought.reach);
            match self.sees(id, brought.reach) {
                Some(false) => {}
                Some(true) if brought.found != Resolved::Unknown => match &mut found {
                    // What comes on two ways reaches as far as the further one.
                    Some(first) if self.nearer(first.reach, reach) == first.reach => first.reach = reach,
                    Some(_) => {}
                    None => found = Some(Bound { found: brought.found, reach }),
                },
                _ => unknown = true,
            }
        }
        let hidden = || unknown.then_some(Bound { found: Resolved::Unknown, reach: Reach::Everywhere });
        found.or_else(hidden)
    }

    /// Whether a glob of std brings a name; `None` where nobody knows. Types of the prelude stay what they are, and vendor
    /// intrinsics have names that nobody else gives.
    fn std_brings(&self, path: &str, name: &str, namespace: Namespace) -> Option<bool> {
        if super::std_table::declares(path, name) {
            return Some(true);
        }
        let is_plain = namespace == Namespace::Types
            || super::std_table::ENUMERATIONS.contains(&path)
            || PRELUDE.iter().any(|(known, _)| *known == name)
            || path.split("::").any(|part| part == "prelude")
            || path.starts_with("arch") && !name.starts_with('_');
        is_plain.then_some(false)
    }

    /// A name that a module imports by name.
    fn named(&self, id: ModuleId, sought: Sought<'_>) -> Option<Bound> {
        let Sought { name, namespace, hops, trail } = sought;
        let is_meant =
            |import: &&Use| import.name == name && (namespace == Namespace::Types || !import.only_module);
        let mut imports = self.module(id).uses.iter().filter(is_meant);
        imports.find_map(|import| {
            let found = self.resolve_import(&import.path, namespace, hops - 1, trail)?;
            Some(Bound { found, reach: import.reach })
        })
    }

    fn declared(&self, id: ModuleId, name: &str, namespace: Namespace) -> Option<Resolved> {
        let module = self.module(id);
        let declared = match namespace {
            Namespace::Types => module.types.get(name),
            Namespace::Values => module.values.get(name),
        };
        declared.map(|definition| match definition {
            Definition::Opaque => Resolved::Unknown,
            definition => Resolved::Definition(*definition),
        })
    }

    /// What an import brings in.
    pub fn imported(&self, path: &Path, namespace: Namespace) -> Option<Resolved> {
        self.resolve_import(path, namespace, HOPS, &Trail::new())
    }

    fn resolve_import(
        &self,
        path: &Path,
        namespace: Namespace,
        hops: u32,
        trail: &Trail,
    ) -> Option<Resolved> {
        // An import begins with a module, a crate or a name in scope; it never means itself.
        if hops == 0 {
            return Some(Resolved::Unknown);
        }
        let first = path.segments.first().map_or("", |first| first.name.as_str());
        let mut named = self.module(path.module).uses.iter().filter(|import| import.name == first);
        let itself = named.any(|import| import.path == *path);
        if itself && path.segments.len() == 1 {
            return Some(match path.segments[0].name.as_str() {
                "std" | "core" | "alloc" => Resolved::Standard(String::new()),
                name => self.other_crate(path.module, name).unwrap_or(Resolved::Unknown),
            });
        }
        let global = path.global || self.begins_with_std(path, hops, trail);
        if itself {
            trail.open.borrow_mut().push((path.module, Namespace::Types, first.to_string()));
        }
        let target = self.resolve_from(path.module, global, &path.segments, namespace, hops, trail);
        if itself {
            trail.open.borrow_mut().pop();
        }
        match (&target.found, target.rest) {
            (Resolved::Unknown, []) if self.lacks(path, global, namespace, hops, trail) => None,
            (found, []) => Some(found.clone()),
            _ => None,
        }
    }

    /// Whether a path leads into another crate, and there is nothing of its last name there: `use cfg_if::cfg_if` brings
    /// in a macro and leaves the name of the crate to mean the crate.
    fn lacks(&self, path: &Path, global: bool, namespace: Namespace, hops: u32, trail: &Trail) -> bool {
        let [around @ .., last] = path.segments.as_slice() else { return false };
        if around.is_empty() {
            return false;
        }
        let target = self.resolve_from(path.module, global, around, Namespace::Types, hops, trail);
        // Another crate was read before; of the same there may be more to come.
        let is_other = |inner| self.module(inner).krate != self.module(path.module).krate;
        match (target.found, target.rest) {
            (Resolved::Definition(Definition::Module(inner)), []) if is_other(inner) => {
                let sought = Sought { name: &last.name, namespace, hops: hops - 1, trail };
                self.lookup_inside(inner, sought).is_none()
            }
            _ => false,
        }
    }
}

impl Items {
    /// Whether an import goes into std, though something that is not seen might have the same name.
    fn begins_with_std(&self, path: &Path, hops: u32, trail: &Trail) -> bool {
        let begins = self.crate_of(path.module).begins_with_crates();
        let Some(first) = path.segments.first().filter(|_| begins) else { return false };
        let namespace = Namespace::Types;
        let sought = Sought { name: &first.name, namespace, hops: hops - 1, trail };
        (matches!(first.name.as_str(), "std" | "core")
            || self.crate_named(path.module, &first.name).is_some())
            && matches!(self.lookup(path.module, sought), None | Some(Resolved::Unknown))
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}::{name}") }
}
