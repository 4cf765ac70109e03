//! From definitions to what a caller writes: paths, and the shapes of parameters.

use super::super::context::{Context, Environment};
use super::super::defs::{Namespace, Resolved};
use super::super::hir::{AdtId, ConstId, FnId, ImplId, ModuleId, Mutability, TraitId, TypeRef};
use super::super::items::{self, AdtKind, Generic, GenericKind, Owner};
use super::super::lower::Instance;
use super::super::types::{Length, Ty};
use super::{Callable, Kept, STD, Shape, Variant};

/// Traits that a `u8` has and that need no argument.
const ORDINARY: &[&str] = &[
    "Copy",
    "Clone",
    "Debug",
    "Display",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "Hash",
    "Default",
    "Send",
    "Sync",
    "Sized",
    "Unpin",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Not",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "ToString",
    "Any",
    "Binary",
    "LowerHex",
    "UpperHex",
    "Octal",
    "RefUnwindSafe",
    "UnwindSafe",
];

/// Types of std that are not followed and have a default value.
const DEFAULTS: &[&str] = &[
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "LinkedList",
    "Duration",
    "PathBuf",
    "OsString",
    "PhantomData",
    "Wrapping",
    "AtomicUsize",
    "AtomicU32",
    "AtomicU64",
    "AtomicBool",
];

/// Names that need a sign to be names.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

fn in_brackets<'t>(before: &str, parts: impl Iterator<Item = &'t str>) -> String {
    let parts: Vec<&str> = parts.collect();
    if parts.is_empty() { String::new() } else { format!("{before}<{}>", parts.join(", ")) }
}

const DEPTH_LIMIT: u32 = 12;
/// How long an array is of which nothing was asked.
const ANY_LENGTH: u64 = 4;

/// The type that stands for a generic parameter, and a value of it.
struct Chosen {
    name: String,
    ty: String,
    value: Option<String>,
}

impl Context<'_> {
    /// How a function is called from a test in its own module; `None` if nobody can write that down.
    pub fn callable(&self, (id, generics): &Instance, parameters: &[Ty]) -> Option<Callable> {
        let function = self.items.function(*id);
        let is_made = self.items.module(function.module).made;
        if is_made || self.is_inside_block(function.module) {
            return None;
        }
        let chosen = self.choices(function, generics)?;
        let path = self.call_path(*id, generics, &chosen)?;
        let shapes = parameters
            .iter()
            .zip(&function.parameters)
            .map(|(ty, written)| self.shape(ty, Some(written), &chosen, 0));
        Some(Callable {
            module: self.items.module_path(function.module),
            module_end: self.items.module(function.module).end,
            file: function.span.file,
            path,
            parameters: shapes.collect::<Option<_>>()?,
            is_unsafe: function.is_unsafe,
            unwrap: "",
            purpose: super::Use::default(),
            begins: !self.may_be_called(*id),
        })
    }

    /// `Default::default` of a type that derives it.
    pub fn default_callable(&self, ty: &Ty) -> Option<Callable> {
        let Ty::Adt(id, _) = ty else { return None };
        let module = self.items.adt(*id).module;
        Some(Callable {
            module: self.items.module_path(module),
            module_end: self.items.module(module).end,
            // It is never called last, which is what a test stands beside.
            file: crate::source::FileId(u32::MAX),
            path: format!("<{} as {STD}::default::Default>::default", self.type_text(ty, &[])?),
            parameters: Vec::new(),
            is_unsafe: false,
            unwrap: "",
            purpose: super::Use::default(),
            begins: true,
        })
    }

    /// A constant, as if it were called.
    pub fn constant_callable(&self, id: ConstId) -> Callable {
        let constant = self.items.constant(id);
        let of_type = match constant.owner {
            items::Owner::Impl(owner) => self.type_text(&self.impls[owner.index()].1, &[]),
            _ => None,
        };
        let text = match of_type {
            Some(of_type) => format!("<{of_type}>::{}", constant.name),
            None if self.items.is_std_module(constant.module) => {
                self.std_text(constant.module, &constant.name)
            }
            None => self.item_text(constant.module, &constant.name),
        };
        Callable {
            module: self.items.module_path(constant.module),
            module_end: self.items.module(constant.module).end,
            // It is never called last.
            file: crate::source::FileId(u32::MAX),
            path: format!("(|| {text})"),
            parameters: Vec::new(),
            is_unsafe: false,
            unwrap: "",
            purpose: super::Use::default(),
            begins: true,
        }
    }

    /// Items of a block have no path.
    pub fn is_inside_block(&self, module: ModuleId) -> bool {
        let mut at = Some(module);
        while let Some(id) = at {
            if self.items.module(id).block {
                return true;
            }
            at = self.items.module(id).parent;
        }
        false
    }

    fn choices(&self, function: &items::Function, generics: &[Ty]) -> Option<Vec<Chosen>> {
        let all = self.items.generics_of(function).into_iter().zip(generics);
        all.filter(|(_, ty)| matches!(ty, Ty::Parameter(_)))
            .map(|(generic, _)| match function.owner {
                Owner::Trait(of) if generic.name == "Self" => self.inheritor(of, &function.name),
                _ => self.choice(generic),
            })
            .collect()
    }

    /// A type of the file that has a function of a trait as it stands there.
    fn inheritor(&self, of: TraitId, function: &str) -> Option<Chosen> {
        let inherits = |id: &ImplId| {
            let found = &self.items.impls[id.index()];
            let target = found.of_trait.as_ref().map(|path| self.items.resolve(path, Namespace::Types));
            let of_trait = target.filter(|target| target.rest.is_empty()).map(|target| target.found);
            matches!(of_trait, Some(Resolved::Definition(items::Definition::Trait(known))) if known == of)
                && !found.functions.contains_key(function)
        };
        let mut fitting = self.impls.iter().filter(|(id, ty)| inherits(id) && is_closed(ty));
        fitting.find_map(|(_, ty)| {
            let value = self.shape(ty, None, &[], 0).and_then(|shape| shape.text(None));
            Some(Chosen { name: "Self".into(), ty: self.type_text(ty, &[])?, value })
        })
    }

    fn choice(&self, generic: &Generic) -> Option<Chosen> {
        let bounds = generic.bounds.as_ref()?;
        let (ty, value) = match generic.kind {
            GenericKind::Constant => ("1".to_string(), None),
            GenericKind::Type if bounds.iter().all(|bound| ORDINARY.contains(&bound.as_str())) => {
                ("u8".into(), Some("0u8".into()))
            }
            GenericKind::Type => self.implementor(bounds)?,
        };
        Some(Chosen { name: generic.name.clone(), ty, value })
    }

    /// A type of the file that has these traits by impls that stand in it.
    fn implementor(&self, bounds: &[String]) -> Option<(String, Option<String>)> {
        let is_of = |id: ImplId, bound: &String| {
            let of_trait = self.items.impls[id.index()].of_trait.as_ref();
            of_trait.and_then(|path| path.segments.last()).is_some_and(|last| last.name == *bound)
        };
        let having = |bound| -> Vec<&Ty> {
            self.impls.iter().filter(|(id, _)| is_of(*id, bound)).map(|(_, ty)| ty).collect()
        };
        let all: Vec<Vec<&Ty>> = bounds.iter().map(having).collect();
        if all.iter().any(Vec::is_empty) {
            return None;
        }
        let candidates = self.impls.iter().map(|(_, ty)| ty).filter(|ty| is_closed(ty));
        let fitting = candidates.filter(|ty| all.iter().all(|having| having.contains(ty)));
        fitting
            .filter_map(|ty| {
                let value = self.shape(ty, None, &[], 0)?.text(None)?;
                Some((self.type_text(ty, &[])?, Some(value)))
            })
            .next()
    }

    fn call_path(&self, id: FnId, generics: &[Ty], chosen: &[Chosen]) -> Option<String> {
        let function = self.items.function(id);
        let own = function.generics.len();
        let texts = generics.iter().map(|ty| self.type_text(ty, chosen)).collect::<Option<Vec<_>>>()?;
        let (outer, written) = texts.split_at(texts.len().checked_sub(own)?);
        // What has no name cannot be written either.
        let named = function.generics.iter().zip(written).filter(|(generic, _)| !generic.is_anonymous());
        let arguments = in_brackets("::", named.map(|(_, text)| text.as_str()));
        let name = written_name(&function.name);
        if !self.items.is_own_module(function.module)
            && !self.makes_alone(function)
            && self.fills_collection(function).is_none()
        {
            return None;
        }
        let owner = match (function.owner, outer) {
            (Owner::Impl(owner), _) => owner,
            (Owner::Trait(of), [target, others @ ..]) => {
                let of_trait = self.item_text(function.module, &self.items.traits[of.index()].name);
                let others = in_brackets("", others.iter().map(String::as_str));
                return Some(format!("<{target} as {of_trait}{others}>::{name}{arguments}"));
            }
            _ => return Some(format!("{}{arguments}", self.item_text(function.module, &function.name))),
        };
        let found = &self.items.impls[owner.index()];
        let names: Vec<(String, Ty)> =
            found.generics.iter().map(|generic| generic.name.clone()).zip(generics.iter().cloned()).collect();
        let target = self.impls.get(owner.index())?.1.substitute(&names);
        let environment = Environment { names, ..Environment::default() };
        let target = match self.alias_text(&found.target, &environment, chosen) {
            Some(alias) => alias,
            None => self.type_text(&target, chosen)?,
        };
        match &found.of_trait {
            None => Some(format!("<{target}>::{name}{arguments}")),
            Some(path) => {
                let of_trait = self.trait_text(path, &environment, chosen)?;
                Some(format!("<{target} as {of_trait}>::{name}{arguments}"))
            }
        }
    }

    /// What an impl is for, by the alias that it names: what that stands for may have no name that others see.
    fn alias_text(&self, written: &TypeRef, environment: &Environment, chosen: &[Chosen]) -> Option<String> {
        let TypeRef::Path(path) = written else { return None };
        let target = self.items.resolve(path, Namespace::Types);
        let Resolved::Definition(found @ items::Definition::Alias(_)) = target.found else { return None };
        let name = self.declared_text(found).filter(|_| target.rest.is_empty())?;
        self.with_arguments(name, path, environment, chosen)
    }

    /// The trait of an impl, named from the root.
    fn trait_text(
        &self,
        path: &super::super::hir::Path,
        environment: &Environment,
        chosen: &[Chosen],
    ) -> Option<String> {
        let target = self.items.resolve(path, Namespace::Types);
        if !target.rest.is_empty() {
            return None;
        }
        let name = match target.found {
            Resolved::Definition(found @ items::Definition::Trait(_)) => self.declared_text(found)?,
            Resolved::Standard(path) => format!("{STD}::{path}"),
            _ => return None,
        };
        self.with_arguments(name, path, environment, chosen)
    }

    /// What a module of ours declares, named from the root.
    fn declared_text(&self, found: items::Definition) -> Option<String> {
        let declares =
            |module: &items::Module| Some(module.types.iter().find(|(_, known)| **known == found)?.0.clone());
        let mut modules = (0..).map(ModuleId).zip(&self.items.modules);
        let (module, name) = modules.find_map(|(id, module)| Some((id, declares(module)?)))?;
        let own = self.items.is_own_module(module) && !self.is_inside_block(module);
        own.then(|| self.item_text(module, &name))
    }

    /// A name with the arguments that a path has.
    fn with_arguments(
        &self,
        name: String,
        path: &super::super::hir::Path,
        environment: &Environment,
        chosen: &[Chosen],
    ) -> Option<String> {
        let arguments = path.segments.iter().flat_map(|segment| &segment.arguments);
        let arguments: Vec<String> = arguments
            .map(|ty| self.type_text(&self.type_of(ty, environment), chosen))
            .collect::<Option<_>>()?;
        Some(if arguments.is_empty() { name } else { format!("{name}<{}>", arguments.join(", ")) })
    }

    /// How an item is named from the root: past modules that only those around them see, where these name it again.
    fn item_text(&self, module: ModuleId, name: &str) -> String {
        let mut at = module;
        while let Some(parent) = self.items.module(at).parent {
            let around = self.items.module(parent);
            let hidden = around.parent.is_some() && !around.exported.contains(&self.items.module(at).name);
            let again = around.uses.iter().any(|import| {
                let last = import.path.segments.last();
                let same = import.name == name && last.is_some_and(|last| last.name == name);
                same && import.visibility != items::Visibility::Private
            });
            if !hidden || !again {
                break;
            }
            at = parent;
        }
        format!("{}::{}", self.module_text(at), written_name(name))
    }

    /// What our own text of std has is where std has it.
    fn std_text(&self, module: ModuleId, name: &str) -> String {
        let path: Vec<String> = self.items.module_path(module).into_iter().skip(1).collect();
        format!("{STD}::{}::{name}", path.join("::"))
    }

    fn module_text(&self, module: ModuleId) -> String {
        let mut names = vec!["crate".to_string()];
        names.extend(self.items.module_path(module).iter().map(|name| written_name(name)));
        names.join("::")
    }

    pub fn adt_path(&self, id: AdtId) -> Option<String> {
        let adt = self.items.adt(id);
        if self.items.is_std_module(adt.module) {
            // Only our own text has this one.
            return (adt.name != "LastWritten").then(|| self.std_text(adt.module, &adt.name));
        }
        (!self.is_inside_block(adt.module) && self.items.is_own_module(adt.module))
            .then(|| self.item_text(adt.module, &adt.name))
    }

    /// A type without parameters, as its text.
    pub fn plain_type_text(&self, ty: &Ty) -> Option<String> {
        self.type_text(ty, &[])
    }

    fn type_text(&self, ty: &Ty, chosen: &[Chosen]) -> Option<String> {
        let list =
            |parts: &[Ty]| parts.iter().map(|part| self.type_text(part, chosen)).collect::<Option<Vec<_>>>();
        Some(match ty {
            Ty::Integer(integer) => integer.name(),
            Ty::Bool => "bool".into(),
            Ty::Char => "char".into(),
            Ty::Float(bits) => format!("f{bits}"),
            Ty::Str => "str".into(),
            Ty::Tuple(parts) => {
                format!("({})", list(parts)?.iter().map(|part| format!("{part}, ")).collect::<String>())
            }
            Ty::Array(element, length) => {
                let any = || ANY_LENGTH.to_string();
                let length = match length {
                    Length::Known(length) => length.to_string(),
                    Length::Parameter(name) => {
                        chosen.iter().find(|chosen| chosen.name == *name).map_or_else(any, |it| it.ty.clone())
                    }
                    Length::Variable(_) | Length::Unknown => any(),
                };
                format!("[{}; {length}]", self.type_text(element, chosen)?)
            }
            Ty::Slice(element) => format!("[{}]", self.type_text(element, chosen)?),
            Ty::Reference(Mutability::Shared, inner) => format!("&{}", self.type_text(inner, chosen)?),
            Ty::Reference(Mutability::Mutable, inner) => format!("&mut {}", self.type_text(inner, chosen)?),
            Ty::Adt(id, arguments) if arguments.is_empty() => self.adt_path(*id)?,
            Ty::Adt(id, arguments) => format!("{}<{}>", self.adt_path(*id)?, list(arguments)?.join(", ")),
            Ty::Parameter(name) => chosen.iter().find(|chosen| chosen.name == *name)?.ty.clone(),
            Ty::Constant(value) => value.to_string(),
            _ => return None,
        })
    }

    fn shape(&self, ty: &Ty, written: Option<&TypeRef>, chosen: &[Chosen], depth: u32) -> Option<Shape> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        let inner = |ty: &Ty, written: Option<&TypeRef>| self.shape(ty, written, chosen, depth + 1);
        Some(match ty {
            Ty::Integer(integer) => Shape::Integer(integer.name()),
            Ty::Bool => Shape::Bool,
            Ty::Char => Shape::Char,
            Ty::Float(bits) => Shape::Float(*bits),
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|part| inner(part, None));
                Shape::Tuple(parts.collect::<Option<_>>()?)
            }
            Ty::Array(element, length) => Shape::Array {
                element: Box::new(inner(element, None)?),
                length: match length {
                    Length::Known(length) => Some(*length),
                    Length::Parameter(_) | Length::Variable(_) | Length::Unknown => None,
                },
                followed: self.is_followed(ty),
            },
            // Nobody can write to a text that was written down.
            Ty::Reference(Mutability::Mutable, referred) if **referred == Ty::Str => return None,
            Ty::Str => self.sequence_shape(&super::super::types::U8, Kept::Str, chosen, depth)?,
            Ty::Slice(element) if depth == 1 && written.is_some() => {
                self.sequence_shape(element, Kept::Array, chosen, depth)?
            }
            Ty::Slice(element) => self.sequence_shape(element, Kept::Slice, chosen, depth)?,
            Ty::Reference(mutability, referred) => {
                let written = match written {
                    Some(TypeRef::Reference(_, inner)) => Some(&**inner),
                    _ => None,
                };
                Shape::Reference(*mutability, Box::new(inner(referred, written)?))
            }
            Ty::Adt(id, arguments) => self.adt_shape(*id, arguments, chosen, depth)?,
            Ty::Parameter(name) => {
                Shape::Text(chosen.iter().find(|chosen| chosen.name == *name)?.value.clone()?)
            }
            Ty::Opaque => Shape::Text(self.opaque_value(written?)?),
            _ => return None,
        })
    }

    fn sequence_shape(&self, element: &Ty, kind: Kept, chosen: &[Chosen], depth: u32) -> Option<Shape> {
        let window = self.window(element).map(u64::from);
        // A text without elements that are followed would need some that are not private.
        let element = Box::new(self.shape(element, None, chosen, depth + 1)?);
        (!element.is_made()).then_some(Shape::Sequence { element, window, kind })
    }

    /// Types of our own text of std that are written in a way of their own.
    fn wrapper_shape(
        &self,
        id: AdtId,
        arguments: &[Ty],
        chosen: &[Chosen],
        depth: u32,
    ) -> Option<Option<Shape>> {
        let argument = arguments.first().cloned().unwrap_or(Ty::Opaque);
        if self.items.is_standard(id, "Vec") {
            return Some(self.sequence_shape(&argument, Kept::Vec, chosen, depth));
        }
        if self.items.is_standard(id, "VecDeque") {
            return Some(self.sequence_shape(&argument, Kept::VecDeque, chosen, depth));
        }
        if self.items.is_standard(id, "String") {
            return Some(self.sequence_shape(&super::super::types::U8, Kept::String, chosen, depth));
        }
        if self.items.is_standard(id, "Duration") {
            let path = format!("{STD}::time::Duration::new");
            let fields = ["u64", "u32"].map(|name| Shape::Integer(name.into())).into();
            let variants = vec![Variant { path, fields, names: None }];
            return Some(Some(Shape::Variants { variants, tagged: false, held: false }));
        }
        if self.items.is_standard(id, "Box") {
            let inner = match self.leaf_count(&Ty::Adt(id, arguments.to_vec())) {
                0 => None,
                _ => self.shape(&argument, None, chosen, depth + 1),
            };
            return Some(inner.filter(|inner| !inner.is_made()).map(|inner| Shape::Boxed(Box::new(inner))));
        }
        // Only std makes the others, and our own text of them is not what is written.
        let adt = self.items.adt(id);
        let written = WRITTEN.contains(&adt.name.as_str()) || self.has_private_field(id);
        (self.items.is_std_module(adt.module) && !written).then_some(None)
    }

    fn adt_shape(&self, id: AdtId, arguments: &[Ty], chosen: &[Chosen], depth: u32) -> Option<Shape> {
        let adt = self.items.adt(id);
        if let Some(shape) = self.wrapper_shape(id, arguments, chosen, depth) {
            return shape;
        }
        if adt.opaque {
            return None;
        }
        if self.has_private_field(id) {
            let ty = Ty::Adt(id, arguments.to_vec());
            let size = |leaf: &super::super::types::Leaf| {
                leaf.dimensions.iter().map(|length| *length as usize).product()
            };
            return Some(Shape::Made(self.leaves(&ty).iter().map(size).collect()));
        }
        let path = self.adt_path(id)?;
        let mut variants = Vec::new();
        for (index, variant) in adt.variants.iter().enumerate() {
            let fields = (0..variant.fields.len()).map(|field| {
                let ty = self.field_type(id, index as u32, field, arguments);
                self.shape(&ty, Some(&variant.fields[field].ty), chosen, depth + 1)
            });
            let fields: Option<Vec<Shape>> = fields.collect();
            let named = variant.shape == items::Shape::Named;
            let names = named.then(|| variant.fields.iter().map(|field| written_name(&field.name)).collect());
            let path = match adt.kind {
                // Addresses are made of their bytes.
                AdtKind::Struct if path.starts_with(&format!("{STD}::net::")) => format!("{path}::from"),
                AdtKind::Struct => path.clone(),
                AdtKind::Enum => format!("{path}::{}", written_name(&variant.name)),
            };
            variants.push(Variant { path, fields: fields?, names });
        }
        let held = self.is_holder(id, arguments);
        Some(Shape::Variants { variants, tagged: adt.kind == AdtKind::Enum, held })
    }

    /// A value of a type of std that is not followed.
    fn opaque_value(&self, written: &TypeRef) -> Option<String> {
        let TypeRef::Path(path) = written else { return None };
        let target = self.items.resolve(path, Namespace::Types);
        let Resolved::Standard(found) = target.found else { return None };
        let last = found.rsplit("::").next()?;
        (target.rest.is_empty() && DEFAULTS.contains(&last))
            .then(|| format!("{STD}::default::Default::default()"))
    }
}

/// Types of our own text of std that are what they are called.
const WRITTEN: [&str; 11] = [
    "Option",
    "Result",
    "Ordering",
    "Error",
    "Reverse",
    "PhantomData",
    "Range",
    "RangeFrom",
    "IpAddr",
    "Ipv4Addr",
    "Ipv6Addr",
];

/// Whether it is one type, known as a whole.
fn is_closed(ty: &Ty) -> bool {
    !ty.any(&mut |part| matches!(part, Ty::Parameter(_) | Ty::Opaque))
}

fn written_name(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("r#{name}") } else { name.to_string() }
}
