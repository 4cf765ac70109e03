//! The item tree: what a file declares, by module, with bodies already read.
//!
//! Everything is in flat tables and named by an id. Items that `cfg` leaves out are not here; items that
//! are not understood leave a mark on their module, because they may hide a name or a method.

use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::defs::{Known, Namespace};
use super::hir::{AdtId, AliasId, Body, ConstId, FnId, ImplId, ModuleId, Path, TraitId, TypeRef};
use super::macros::ORIGIN;
use super::mentions::Mentions;
use super::reach::Reach;
use super::read::Standard;
use crate::source::Span;

#[derive(Debug, Default)]
pub struct Items {
    pub modules: Vec<Module>,
    pub functions: Vec<Function>,
    pub adts: Vec<Adt>,
    pub constants: Vec<Constant>,
    pub impls: Vec<Impl>,
    pub traits: Vec<Trait>,
    pub aliases: Vec<Alias>,
    /// What the reader could not understand, item by item.
    pub unknown: Vec<(&'static str, Span)>,
    /// The given file is a module of a crate that is not seen: `crate` is not known.
    pub inner: bool,
    /// Where names of functions stand in the texts.
    pub mentions: Mentions,
    /// The module of our own text of the standard library.
    pub std_root: Option<ModuleId>,
    /// Where bodies of it are read that nobody has asked for yet.
    pub standard_text: Option<Standard>,
    /// The crate that is looked at first, then those it depends on, then those that use it, then our own text of std.
    pub crates: Vec<Krate>,
    /// Functions of crates that use it which are run by themselves.
    pub tests: Vec<FnId>,
    /// What paths lead to, once all of it is read.
    pub known: Known,
}

/// One crate, and what its code knows of others.
#[derive(Debug, Default, Hash)]
pub struct Krate {
    pub root: ModuleId,
    /// Crates that are read, by the names that its code has for them.
    pub named: Vec<(String, ModuleId)>,
    /// Crates of others that our own text stands for.
    pub described: Vec<String>,
    /// Crates of the public registry that it depends on, under their own names.
    pub public: Vec<String>,
    pub edition: Option<u32>,
    /// Some of it is not seen that may declare impls.
    pub hides: bool,
    /// It uses the one that is looked at: what it does is shown, and nothing else of it counts.
    pub in_use: bool,
}

impl Krate {
    /// Since 2018 an import that begins with the name of a crate means the crate: it is an error if something in scope
    /// has the same name.
    pub fn begins_with_crates(&self) -> bool {
        self.edition.is_some_and(|edition| edition >= 2018)
    }

    /// Before, imports began at the root.
    pub fn begins_at_root(&self) -> bool {
        self.edition.is_some_and(|edition| edition < 2018)
    }
}

/// Which crate, by its place in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KrateId(pub u32);

impl KrateId {
    /// The crate that is looked at.
    pub const OWN: Self = Self(0);
}

#[derive(Debug)]
pub struct Module {
    pub name: String,
    pub parent: Option<ModuleId>,
    pub krate: KrateId,
    /// A block with items: names not found here are looked up around it.
    pub block: bool,
    pub types: FxHashMap<String, Definition>,
    pub values: FxHashMap<String, Definition>,
    pub uses: Vec<Use>,
    pub globs: Vec<Glob>,
    /// How far names reach that are declared here; those that are left out are private.
    pub reach: FxHashMap<(Namespace, String), Reach>,
    /// Names that are declared `pub` here, of types and values.
    pub exported: FxHashSet<String>,
    pub macros: FxHashSet<String>,
    /// A macro or an attribute may declare anything here.
    pub opaque: bool,
    /// A macro in a body here may declare impls.
    pub hides_impls: bool,
    /// A macro has made it: it has no text that anything could be added to.
    pub made: bool,
    /// Where its text ends, right before the closing brace; `None` for whole files.
    pub end: Option<usize>,
}

#[derive(Debug, Hash)]
pub struct Use {
    pub name: String,
    pub path: Path,
    pub visibility: Visibility,
    pub reach: Reach,
    /// `{self}` and `extern crate` bring in a module, and nothing else of its name.
    pub only_module: bool,
}

/// `use path::*;`
#[derive(Debug, Hash)]
pub struct Glob {
    pub path: Path,
    pub reach: Reach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    Public,
    /// `pub(crate)` and the like: code that is not here may use it.
    Restricted,
    Private,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Definition {
    Module(ModuleId),
    Function(FnId),
    Adt(AdtId),
    Variant(AdtId, u32),
    Constant(ConstId),
    Trait(TraitId),
    Alias(AliasId),
    /// Declared, but not understood.
    Opaque,
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub module: ModuleId,
    pub owner: Owner,
    pub generics: Vec<Generic>,
    pub predicates: Vec<Predicate>,
    /// Types of all parameters, `self` first where there is one.
    pub parameters: Vec<TypeRef>,
    /// Parameters that are references with a lifetime nothing else has.
    pub alone: Vec<bool>,
    /// Parameters that are references which need not outlive the call and what it gives.
    pub brief: Vec<bool>,
    /// Parameters that are references with a lifetime that the result names.
    pub kept: Vec<bool>,
    pub takes_self: bool,
    pub result: TypeRef,
    /// What is said of a result without a name: `impl Fn(A) -> B`.
    pub gives: Vec<Predicate>,
    pub visibility: Visibility,
    pub is_unsafe: bool,
    /// Why calls of it are not looked into (`async`, `extern`, an attribute that may rewrite it).
    pub opaque: Option<&'static str>,
    pub written: Written,
    pub span: Span,
}

/// The body of a function.
#[derive(Debug)]
pub enum Written {
    Nothing,
    Read(Body),
    /// It stands in our own text of std, signature included, and is read when somebody asks for it.
    Late(Range<usize>, OnceLock<Body>),
}

impl Function {
    pub fn has_body(&self) -> bool {
        !matches!(self.written, Written::Nothing)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    Module,
    Impl(ImplId),
    Trait(TraitId),
}

#[derive(Clone, Debug, Hash)]
pub struct Generic {
    pub name: String,
    pub kind: GenericKind,
    /// Traits it must have, by their last names; `None` where a bound says more than that.
    pub bounds: Option<Vec<String>>,
    /// The type of a constant.
    pub constant: Option<TypeRef>,
    /// What a type that does not say it has for it.
    pub default: Option<TypeRef>,
}

impl Generic {
    /// A type of which nothing else is said.
    pub fn plain(name: String, bounds: Option<Vec<String>>) -> Self {
        Self { name, kind: GenericKind::Type, bounds, constant: None, default: None }
    }

    /// Whether it stands for an `impl Trait`.
    pub fn is_anonymous(&self) -> bool {
        self.name.starts_with("impl ")
    }
}

/// What bounds and `where` ask of a type.
#[derive(Clone, Debug, Hash)]
pub struct Predicate {
    pub subject: TypeRef,
    pub bound: Bound,
    /// `?Sized`: it asks for nothing.
    pub relaxes: bool,
}

#[derive(Clone, Debug, Hash)]
pub enum Bound {
    /// `Fn(A) -> B`, whichever of the three.
    Callable(Vec<TypeRef>, TypeRef),
    /// A trait, and what its associated types must be.
    Trait(Path, Vec<(String, TypeRef)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GenericKind {
    Type,
    Constant,
}

#[derive(Debug)]
pub struct Adt {
    pub name: String,
    pub module: ModuleId,
    pub kind: AdtKind,
    pub generics: Vec<Generic>,
    pub predicates: Vec<Predicate>,
    pub variants: Vec<Variant>,
    /// `derive`d traits by their last name.
    pub derives: FxHashSet<String>,
    /// A union, or an attribute that may change what it is.
    pub opaque: bool,
    /// `#[non_exhaustive]`: other crates cannot write it down.
    pub is_extensible: bool,
    /// `#[repr(align(N))]`, or 0.
    pub alignment: u64,
    pub arranged: Arrangement,
    pub visibility: Visibility,
}

/// How the parts of a value lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// As rustc likes.
    Free,
    /// One field after the other: `#[repr(C)]`.
    InOrder,
    /// The number of a variant has so many bits: `#[repr(u8)]`.
    Numbered(u32),
    Otherwise,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdtKind {
    Struct,
    Enum,
}

#[derive(Debug, Hash)]
pub struct Variant {
    pub name: String,
    pub fields: Vec<Field>,
    pub shape: Shape,
    pub discriminant: Option<ConstId>,
    /// Whether `derive(Default)` takes it.
    pub is_default: bool,
    /// `#[non_exhaustive]`: other crates cannot write it down.
    pub is_extensible: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    Unit,
    Tuple,
    Named,
}

#[derive(Debug, Hash)]
pub struct Field {
    pub name: String,
    pub ty: TypeRef,
    pub visibility: Visibility,
}

/// `const`, `static`, and the anonymous constants of array lengths and discriminants.
#[derive(Debug)]
pub struct Constant {
    pub name: String,
    pub module: ModuleId,
    pub owner: Owner,
    pub ty: TypeRef,
    pub kind: ConstantKind,
    pub body: Option<Body>,
    pub span: Span,
    /// Declared so among the items of a type.
    pub is_public: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantKind {
    Constant,
    Static,
    StaticMut,
    Anonymous,
}

#[derive(Debug)]
pub struct Impl {
    pub module: ModuleId,
    pub generics: Vec<Generic>,
    pub predicates: Vec<Predicate>,
    pub target: TypeRef,
    pub of_trait: Option<Path>,
    pub functions: FxHashMap<String, FnId>,
    pub constants: FxHashMap<String, ConstId>,
    pub types: FxHashMap<String, TypeRef>,
    pub opaque: bool,
}

#[derive(Debug)]
pub struct Trait {
    pub name: String,
    pub module: ModuleId,
    /// `Self` first.
    pub generics: Vec<Generic>,
    /// What is asked of `Self` is a trait that this one includes.
    pub predicates: Vec<Predicate>,
    pub functions: FxHashMap<String, FnId>,
    pub constants: FxHashMap<String, ConstId>,
    pub opaque: bool,
}

#[derive(Debug, Hash)]
pub struct Alias {
    pub generics: Vec<Generic>,
    pub ty: TypeRef,
}

impl Items {
    pub fn function(&self, id: FnId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn body(&self, id: FnId) -> Option<&Body> {
        let function = self.function(id);
        match &function.written {
            Written::Nothing => None,
            Written::Read(body) => Some(body),
            Written::Late(text, body) => {
                let standard = self.standard_text.as_ref()?;
                Some(body.get_or_init(|| standard.body(self, function, text)))
            }
        }
    }

    /// Functions and their bodies, those of our own text of std left out: it names nothing of others.
    pub fn bodies(&self) -> impl Iterator<Item = (&Function, &Body)> {
        let others = self.functions.iter().filter(|function| !self.is_std_module(function.module));
        others.filter_map(|function| match &function.written {
            Written::Read(body) => Some((function, body)),
            Written::Nothing | Written::Late(..) => None,
        })
    }

    pub fn adt(&self, id: AdtId) -> &Adt {
        &self.adts[id.index()]
    }

    pub fn constant(&self, id: ConstId) -> &Constant {
        &self.constants[id.index()]
    }

    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.index()]
    }

    /// Generic parameters in scope of a function: those of its impl, then its own.
    pub fn generics_of<'i>(&'i self, function: &'i Function) -> Vec<&'i Generic> {
        let outer = match function.owner {
            Owner::Impl(id) => self.impls[id.index()].generics.as_slice(),
            Owner::Trait(id) => self.traits[id.index()].generics.as_slice(),
            Owner::Module => &[],
        };
        outer.iter().chain(&function.generics).collect()
    }

    /// What our own text of the standard library declares under a path.
    pub fn standard(&self, path: &str) -> Option<Definition> {
        let mut at = self.std_root?;
        let mut names = path.split("::").peekable();
        while let Some(name) = names.next() {
            let module = self.module(at);
            let found = module.types.get(name).or_else(|| module.values.get(name)).copied()?;
            match (found, names.peek()) {
                (found, None) => return Some(found),
                (Definition::Module(inner), Some(_)) => at = inner,
                (Definition::Adt(adt), Some(_)) => {
                    let name = names.next()?;
                    let index = self.adt(adt).variants.iter().position(|variant| variant.name == name)?;
                    return names.peek().is_none().then_some(Definition::Variant(adt, index as u32));
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether it is a module of our own text of std.
    pub fn is_std_module(&self, module: ModuleId) -> bool {
        self.std_root.is_some_and(|root| self.module(root).krate == self.module(module).krate)
    }

    /// Whether it is a module of the crate that is looked at.
    pub fn is_own_module(&self, module: ModuleId) -> bool {
        self.module(module).krate == KrateId::OWN
    }

    /// Whether it is a module of another package.
    pub fn is_foreign_module(&self, module: ModuleId) -> bool {
        !self.is_own_module(module) && !self.is_std_module(module)
    }

    /// Whether it is a module of code that uses the crate that is looked at.
    pub fn is_in_use(&self, module: ModuleId) -> bool {
        self.crate_of(module).in_use
    }

    /// The crate of a module.
    pub fn crate_of(&self, module: ModuleId) -> &Krate {
        &self.crates[self.module(module).krate.0 as usize]
    }

    /// The crate that a name stands for in the code of another.
    pub fn crate_named(&self, from: ModuleId, name: &str) -> Option<ModuleId> {
        self.crate_of(from).named.iter().find(|(known, _)| known == name).map(|(_, root)| *root)
    }

    /// `crate`, or what a macro of another crate has written for its own.
    pub fn root_named(&self, from: ModuleId, name: &str) -> Option<ModuleId> {
        if name == "crate" {
            return Some(self.crate_of(from).root);
        }
        let number: usize = name.strip_prefix("crate")?.strip_prefix(ORIGIN)?.parse().ok()?;
        self.crates.get(number).map(|krate| krate.root)
    }

    /// Whether code of one module can use what another declares with this visibility, as far as crates go.
    pub fn can_use(&self, from: KrateId, module: ModuleId, visibility: Visibility) -> bool {
        visibility == Visibility::Public || self.module(module).krate == from || self.is_std_module(module)
    }

    /// Whether a type is the one of this name in our own text of std.
    pub fn is_standard(&self, id: AdtId, name: &str) -> bool {
        let adt = self.adt(id);
        adt.name == name && self.is_std_module(adt.module)
    }

    /// `a::b::f`, `Type::f`: how people name a function.
    pub fn function_path(&self, id: FnId) -> String {
        let function = self.function(id);
        let mut path = self.module_path(function.module);
        match function.owner {
            Owner::Module => {}
            Owner::Impl(owner) => {
                let owner = &self.impls[owner.index()];
                path.push(type_name(&owner.target));
            }
            Owner::Trait(owner) => path.push(self.traits[owner.index()].name.clone()),
        }
        path.push(function.name.clone());
        path.join("::")
    }

    pub fn module_path(&self, id: ModuleId) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at {
            let module = self.module(id);
            if !module.name.is_empty() {
                names.push(module.name.clone());
            }
            at = module.parent;
        }
        names.reverse();
        names
    }
}

fn type_name(ty: &TypeRef) -> String {
    match ty {
        TypeRef::Path(path) => path.segments.last().map_or("_".into(), |segment| segment.name.clone()),
        TypeRef::Reference(_, inner) => type_name(inner),
        _ => "_".into(),
    }
}
