//! Traits of the file and of our own text of std: which impl a type has, what its associated types are.
//!
//! Types may hold variables of an inference under way; they match only themselves. Where more than one impl
//! could be meant, there is no answer.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::context::{Context, Environment};
use super::defs::{Namespace, Resolved};
use super::hir::{AdtId, FnId, ImplId, Mutability, Path, TraitId, TypeRef};
use super::items::{AdtKind, Bound, Definition, Predicate};
use super::types::{Length, Ty};

/// What an impl is for: a trait that is seen, or one of std by its path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TraitName {
    Seen(TraitId),
    Standard(String),
    Unknown,
}

/// Types of generic parameters by their names.
pub type Bindings = Vec<(String, Ty)>;

const FUEL: u32 = 12;

/// Types of std whose default value has no elements.
const ZERO_BY_DEFAULT: [&str; 9] =
    ["Option", "Vec", "VecDeque", "String", "BTreeMap", "BTreeSet", "HashMap", "HashSet", "BinaryHeap"];

impl Context<'_> {
    pub fn trait_named(&self, path: &Path) -> TraitName {
        let target = self.items.resolve(path, Namespace::Types);
        match self.known(target.found) {
            Resolved::Definition(Definition::Trait(id)) if target.rest.is_empty() => TraitName::Seen(id),
            Resolved::Standard(path) => TraitName::Standard(path),
            _ => TraitName::Unknown,
        }
    }

    /// The trait an impl is for, with the types it is given.
    pub fn trait_of(&self, id: ImplId) -> Option<&TraitName> {
        let named = |of_trait: &Option<Path>| of_trait.as_ref().map(|path| self.trait_named(path));
        let all = || self.items.impls.iter().map(|found| named(&found.of_trait)).collect();
        self.traits.get_or_init(all)[id.index()].as_ref()
    }

    /// Whether a value of one type is wanted as one of another: `Deref` of a crate says what lies behind it.
    pub fn is_turned(&self, from: &Ty, to: &Ty) -> bool {
        let (from, to) = (self.behind(from), self.behind(to));
        let Ty::Adt(id, _) = &from else { return false };
        let other = match &to {
            Ty::Adt(other, _) => other != id,
            Ty::Opaque | Ty::Parameter(_) | Ty::Variable(_) | Ty::Never => false,
            _ => true,
        };
        other && !self.is_pointer(&to) && !self.items.is_std_module(self.items.adt(*id).module)
    }

    /// The functions that say what lies behind a type.
    pub fn turning(&self, ty: &Ty) -> Vec<FnId> {
        let ty = self.behind(ty);
        let wanted = ["ops::Deref", "ops::DerefMut"].map(|name| TraitName::Standard(name.into()));
        let impls = wanted.iter().flat_map(|name| self.impls_of(name));
        let fitting = impls.filter(|(_, target)| matches(target, &ty, &mut Vec::new()));
        fitting.flat_map(|(id, _)| self.items.impls[id.index()].functions.values().copied()).collect()
    }

    /// The impls of a trait, in order.
    pub fn impls_of(&self, of_trait: &TraitName) -> impl Iterator<Item = &(ImplId, Ty)> {
        let all = self.by_trait.get_or_init(|| {
            let mut all: FxHashMap<TraitName, Vec<ImplId>> = FxHashMap::default();
            for id in (0..self.items.impls.len() as u32).map(ImplId) {
                if let Some(name) = self.trait_of(id) {
                    all.entry(name.clone()).or_default().push(id);
                }
            }
            all
        });
        self.listed(all.get(of_trait))
    }

    /// The impls that say what an associated type of this name is, in order.
    fn impls_with_type(&self, name: &str) -> impl Iterator<Item = &(ImplId, Ty)> {
        let all = self.by_type.get_or_init(|| {
            let mut all: FxHashMap<&str, Vec<ImplId>> = FxHashMap::default();
            for (found, id) in self.items.impls.iter().zip(0..) {
                found.types.keys().for_each(|name| all.entry(name).or_default().push(ImplId(id)));
            }
            all
        });
        self.listed(all.get(name))
    }

    fn listed<'s>(&'s self, list: Option<&'s Vec<ImplId>>) -> impl Iterator<Item = &'s (ImplId, Ty)> {
        list.into_iter().flatten().filter_map(|id| self.impls.get(id.index()))
    }

    /// Whether an impl or its trait has a function or a constant of this name.
    pub fn has_item(&self, id: ImplId, name: &str) -> bool {
        let owner = &self.items.impls[id.index()];
        let of_trait = || match self.trait_of(id) {
            Some(TraitName::Seen(seen)) => {
                let seen = &self.items.traits[seen.index()];
                seen.functions.contains_key(name) || seen.constants.contains_key(name)
            }
            _ => false,
        };
        owner.functions.contains_key(name) || owner.constants.contains_key(name) || of_trait()
    }

    /// Types of the generic parameters of a trait, `Self` first, in an impl of it.
    pub fn trait_arguments(&self, id: ImplId, own: &Ty, bound: &Bindings) -> Vec<Ty> {
        let found = &self.items.impls[id.index()];
        let environment =
            Environment { names: bound.clone(), own: Some(own.clone()), within: Some(id), of: None };
        let written = found.of_trait.as_ref().and_then(|path| path.segments.last());
        let given = written.into_iter().flat_map(|segment| &segment.arguments);
        let given = given.map(|ty| self.type_of(ty, &environment));
        let count = match self.trait_of(id) {
            Some(TraitName::Seen(seen)) => self.items.traits[seen.index()].generics.len(),
            _ => 1,
        };
        let mut arguments: Vec<Ty> = [own.clone()].into_iter().chain(given).collect();
        // A parameter that is left out is `Self` by default where it has one; nobody else knows.
        arguments.resize(count, Ty::Opaque);
        arguments
    }

    /// Adds what bounds say about parameters that the type of the impl does not name.
    pub fn complete(&self, id: ImplId, bound: &mut Bindings, fuel: u32) {
        let found = &self.items.impls[id.index()];
        for _ in 0..2 {
            for generic in &found.generics {
                if bound.iter().any(|(name, _)| *name == generic.name) {
                    continue;
                }
                let answer =
                    found.predicates.iter().find_map(|it| self.answered(it, &generic.name, bound, fuel));
                if let Some(ty) = answer {
                    bound.push((generic.name.clone(), ty));
                }
            }
        }
    }

    /// What a bound says a parameter is: `F: Fn(A) -> B`, `I: Iterator<Item = B>`.
    fn answered(&self, predicate: &Predicate, name: &str, bound: &Bindings, fuel: u32) -> Option<Ty> {
        let environment = Environment { names: bound.clone(), ..Environment::default() };
        let subject = self.type_of(&predicate.subject, &environment);
        // What is asked for, with the parameter itself in it, against what there is.
        let mut names = bound.clone();
        names.push((name.into(), Ty::Parameter(name.into())));
        let open = Environment { names, ..Environment::default() };
        let learned = |written: &TypeRef, found: &Ty| {
            let mut learned = Vec::new();
            matches(&self.type_of(written, &open), found, &mut learned);
            learned.into_iter().find(|(known, _)| known == name).map(|(_, ty)| ty)
        };
        match &predicate.bound {
            Bound::Callable(_, output) => {
                let (_, _, result) = subject.behind().called()?;
                learned(output, result)
            }
            Bound::Trait(_, items) => {
                let fuel = fuel.checked_sub(1)?;
                items.iter().find_map(|(item, ty)| learned(ty, &self.projected(&subject, item, fuel)))
            }
        }
    }

    /// `ty::name`: the associated type of the one impl that has it.
    pub fn projected(&self, ty: &Ty, name: &str, fuel: u32) -> Ty {
        self.projected_by(None, ty, name, fuel)
    }

    /// `<ty as of_trait>::name`, with the types that the trait is given.
    pub fn projected_by(&self, asked: Option<(&TraitName, &[Ty])>, ty: &Ty, name: &str, fuel: u32) -> Ty {
        let of_trait = asked.map(|(of_trait, _)| of_trait);
        if fuel == 0
            || of_trait == Some(&TraitName::Unknown)
            || matches!(ty, Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_))
        {
            return Ty::Opaque;
        }
        let mut found = Vec::new();
        for (id, target) in self.impls_with_type(name) {
            let owner = &self.items.impls[id.index()];
            let Some(written) = owner.types.get(name) else { continue };
            if of_trait.is_some() && self.trait_of(*id) != of_trait {
                continue;
            }
            let mut bound = Vec::new();
            if !matches(target, ty, &mut bound) || !self.allows(*id, &bound, fuel - 1) {
                continue;
            }
            self.complete(*id, &mut bound, fuel - 1);
            let differs = |(one, other): (&Ty, &Ty)| {
                let open = |ty: &Ty| {
                    ty.any(&mut |part| matches!(part, Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_)))
                };
                one != other && !open(one) && !open(other)
            };
            let given = asked.map(|(_, given)| given).unwrap_or_default();
            if !given.is_empty() && self.trait_arguments(*id, ty, &bound)[1..].iter().zip(given).any(differs)
            {
                continue;
            }
            let unbound = owner.generics.iter().filter(|it| bound.iter().all(|(name, _)| *name != it.name));
            let open: Vec<_> = unbound.map(|it| (it.name.clone(), Ty::Opaque)).collect();
            bound.extend(open);
            let environment =
                Environment { names: bound, own: Some(ty.clone()), within: Some(*id), of: None };
            found.push(self.resolve_type(written, &environment, &mut |_| Ty::Opaque, fuel - 1));
        }
        match found.as_slice() {
            [only] => only.clone(),
            _ => Ty::Opaque,
        }
    }

    /// Whether the bounds of an impl on traits that are seen hold.
    pub fn allows(&self, id: ImplId, bound: &Bindings, fuel: u32) -> bool {
        let predicates = &self.items.impls[id.index()].predicates;
        if predicates.is_empty() {
            return true;
        }
        let environment = Environment { names: bound.clone(), ..Environment::default() };
        let traits = self.traits_in_bounds(id);
        predicates.iter().zip(traits.iter()).all(|(predicate, seen)| match &predicate.bound {
            Bound::Trait(..) => match seen {
                Some(seen) => {
                    let subject = self.type_of(&predicate.subject, &environment);
                    matches!(subject, Ty::Opaque | Ty::Variable(_)) || self.implements(&subject, *seen, fuel)
                }
                None => true,
            },
            // What has no code of its own cannot be called, whatever else it is.
            Bound::Callable(..) => {
                let subject = self.type_of(&predicate.subject, &environment);
                !matches!(subject.behind(), Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str)
                    && !matches!(subject.behind(), Ty::Slice(_) | Ty::Array(..) | Ty::Tuple(_))
                    && !matches!(subject.behind(), Ty::Adt(id, _) if !self.items.is_standard(*id, "Box"))
            }
        })
    }

    fn traits_in_bounds(&self, id: ImplId) -> Rc<[Option<TraitId>]> {
        if let Some(known) = self.bounds.borrow().get(&id) {
            return known.clone();
        }
        let seen = |predicate: &Predicate| match &predicate.bound {
            Bound::Trait(path, _) => match self.trait_named(path) {
                TraitName::Seen(seen) => Some(seen),
                _ => None,
            },
            Bound::Callable(..) => None,
        };
        let found: Rc<[Option<TraitId>]> = self.items.impls[id.index()].predicates.iter().map(seen).collect();
        self.bounds.borrow_mut().insert(id, found.clone());
        found
    }

    /// Whether a type has a trait, as far as impls say so.
    pub fn implements(&self, ty: &Ty, wanted: TraitId, fuel: u32) -> bool {
        fuel > 0
            && self.impls_of(&TraitName::Seen(wanted)).any(|(id, target)| {
                let mut bound = Vec::new();
                matches(target, ty, &mut bound) && self.allows(*id, &bound, fuel - 1)
            })
    }

    /// The function of the file that makes one type of another: `impl From<A> for B`.
    pub fn conversion(&self, from: &Ty, to: &Ty) -> Option<(FnId, Vec<Ty>)> {
        let wanted = TraitName::Standard("convert::From".into());
        let mut found = Vec::new();
        for (id, target) in self.impls_of(&wanted) {
            let owner = &self.items.impls[id.index()];
            let mut bound = Vec::new();
            if !matches(target, to, &mut bound) {
                continue;
            }
            let written = owner.of_trait.as_ref().and_then(|path| path.segments.last()?.arguments.first());
            let names = super::context::parameters(owner.generics.iter());
            let environment =
                Environment { names, own: Some(to.clone()), within: Some(*id), ..Environment::default() };
            let source = written.map(|ty| self.type_of(ty, &environment));
            if !source.is_some_and(|source| matches(&source, from, &mut bound)) {
                continue;
            }
            if let Some(function) = owner.functions.get("from") {
                let named = |name: &str| bound.iter().find(|(it, _)| it == name).map(|(_, ty)| ty.clone());
                let generics: Option<Vec<Ty>> = owner.generics.iter().map(|it| named(&it.name)).collect();
                found.push((*function, generics, self.allows(*id, &bound, FUEL)));
            }
        }
        match found.as_slice() {
            [(only, Some(generics), true)] if self.items.function(*only).has_body() => {
                Some((*only, generics.clone()))
            }
            _ => None,
        }
    }

    /// Whether a clone of a value is the value once more, and nobody's code runs for it.
    pub fn clones_plainly(&self, ty: &Ty, depth: u32) -> bool {
        let plain = |ty: &Ty| self.clones_plainly(ty, depth + 1);
        match ty {
            _ if depth > FUEL => false,
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str | Ty::Callable(..) => true,
            Ty::Reference(Mutability::Shared, _) | Ty::Range(_) => true,
            // Nothing is known of such values anyway.
            Ty::Opaque | Ty::Parameter(_) | Ty::Never => true,
            Ty::Tuple(parts) => parts.iter().all(plain),
            Ty::Array(element, _) | Ty::Slice(element) => plain(element),
            Ty::Adt(id, arguments) => {
                let adt = self.items.adt(*id);
                let derived = adt.derives.contains("Clone") || self.items.is_std_module(adt.module);
                let variants = adt.variants.iter().enumerate();
                let mut fields = variants.flat_map(|(variant, found)| {
                    (0..found.fields.len()).map(move |field| (variant as u32, field))
                });
                derived
                    && !adt.opaque
                    && fields.all(|(variant, field)| plain(&self.field_type(*id, variant, field, arguments)))
            }
            _ => false,
        }
    }

    /// Whether values of two types compare part by part, by what is derived: no code of others is asked, and equal values
    /// are the same. A text is one however it is kept, and so are lists.
    pub fn compares_plainly(&self, one: &Ty, other: &Ty, derives: &[&str]) -> bool {
        let (one, other) = (self.kept_plainly(one), self.kept_plainly(other));
        one == other && self.has_plain(&one, derives, 0)
    }

    fn kept_plainly(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Reference(_, inner) => self.kept_plainly(inner),
            Ty::Adt(id, arguments) if self.items.is_standard(*id, "Box") => {
                arguments.first().map_or(Ty::Opaque, |inner| self.kept_plainly(inner))
            }
            Ty::Adt(id, _) if self.items.is_standard(*id, "String") => Ty::Str,
            Ty::Adt(id, arguments) if self.items.is_standard(*id, "Vec") => {
                Ty::Slice(Box::new(arguments.first().cloned().unwrap_or(Ty::Opaque)))
            }
            ty => ty.clone(),
        }
    }

    fn has_plain(&self, ty: &Ty, derives: &[&str], depth: u32) -> bool {
        let plain = |ty: &Ty| self.has_plain(ty, derives, depth + 1);
        let of_std =
            ["String", "Vec", "VecDeque", "Box", "Option", "Result", "Ordering", "Reverse", "Duration"];
        match ty {
            _ if depth > FUEL => false,
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Str => true,
            Ty::Reference(_, inner) | Ty::Array(inner, _) | Ty::Slice(inner) => plain(inner),
            Ty::Tuple(parts) => parts.iter().all(plain),
            Ty::Adt(id, arguments) if self.items.is_std_module(self.items.adt(*id).module) => {
                of_std.iter().any(|name| self.items.is_standard(*id, name)) && arguments.iter().all(plain)
            }
            Ty::Adt(id, arguments) => {
                let adt = self.items.adt(*id);
                !adt.opaque
                    && derives.iter().all(|name| adt.derives.contains(*name))
                    && self.field_types(*id, arguments).iter().all(plain)
            }
            _ => false,
        }
    }

    /// Whether the default value of a type is the one whose every scalar is 0.
    pub fn is_zero_by_default(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) => true,
            // An empty slice, an empty text.
            Ty::Reference(_, inner) => matches!(**inner, Ty::Slice(_) | Ty::Str),
            Ty::Tuple(parts) => parts.iter().all(|part| self.is_zero_by_default(part)),
            Ty::Array(element, Length::Known(_)) => self.is_zero_by_default(element),
            Ty::Adt(id, _) if ZERO_BY_DEFAULT.iter().any(|it| self.items.is_standard(*id, it)) => true,
            Ty::Adt(id, arguments) => {
                let adt = self.items.adt(*id);
                adt.kind == AdtKind::Struct
                    && !adt.opaque
                    && adt.derives.contains("Default")
                    && self.field_types(*id, arguments).iter().all(|ty| self.is_zero_by_default(ty))
            }
            _ => false,
        }
    }

    /// Whether it is known what `Default::default()` gives.
    pub fn has_known_default(&self, ty: &Ty, depth: u32) -> bool {
        if self.is_zero_by_default(ty) || self.default_function(ty).is_some() {
            return true;
        }
        let Ty::Adt(id, arguments) = ty else { return false };
        let adt = self.items.adt(*id);
        if self.default_variant(*id).is_some() {
            return true;
        }
        let of_fields = adt.derives.contains("Default") || self.items.is_standard(*id, "Box");
        let fields = self.field_types(*id, arguments);
        of_fields
            && adt.kind == AdtKind::Struct
            && !adt.opaque
            && depth < FUEL
            && fields.iter().all(|field| self.has_known_default(field, depth + 1))
    }

    /// The variant without fields that an enumeration is by default.
    pub fn default_variant(&self, id: AdtId) -> Option<u32> {
        let adt = self.items.adt(id);
        let at = adt.variants.iter().position(|variant| variant.is_default)?;
        let derived = adt.kind == AdtKind::Enum && !adt.opaque && adt.derives.contains("Default");
        (derived && adt.variants[at].fields.is_empty()).then_some(at as u32)
    }

    /// The impl of the crate that says what a type's default is.
    pub fn default_function(&self, ty: &Ty) -> Option<(FnId, Vec<Ty>)> {
        let wanted = TraitName::Standard("default::Default".into());
        let mut found = None;
        for (id, target) in self.impls_of(&wanted) {
            let owner = &self.items.impls[id.index()];
            let mut bound = Vec::new();
            if !matches(target, ty, &mut bound) || !self.allows(*id, &bound, FUEL) {
                continue;
            }
            let function = owner.functions.get("default").copied()?;
            let named = |name: &str| bound.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone());
            let generics: Option<Vec<Ty>> = owner.generics.iter().map(|it| named(&it.name)).collect();
            if found.replace((function, generics?)).is_some() {
                return None;
            }
        }
        found
    }

    pub fn fuel(&self) -> u32 {
        FUEL
    }
}

/// Whether a type is one that an impl for `pattern` is for; parameters are bound on the way.
pub fn matches(pattern: &Ty, ty: &Ty, bound: &mut Bindings) -> bool {
    let mut all = |one: &[Ty], other: &[Ty]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| matches(one, other, bound))
    };
    match (pattern, ty) {
        (Ty::Parameter(name), _) => match bound.iter().find(|(known, _)| known == name) {
            Some((_, known)) => known == ty,
            None => {
                bound.push((name.clone(), ty.clone()));
                true
            }
        },
        (Ty::Opaque, _) | (_, Ty::Opaque) => false,
        (Ty::Adt(a, first), Ty::Adt(b, second)) => a == b && all(first, second),
        (Ty::Tuple(first), Ty::Tuple(second)) => all(first, second),
        (Ty::Array(one, a), Ty::Array(other, b)) => {
            a.fits(b, |a, b| matches(a, b, bound)) && matches(one, other, bound)
        }
        (Ty::Slice(one), Ty::Slice(other)) => matches(one, other, bound),
        (Ty::Reference(a, one), Ty::Reference(b, other)) => a == b && matches(one, other, bound),
        (pattern, ty) => pattern == ty,
    }
}
