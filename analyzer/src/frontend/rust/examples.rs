//! Types that callers may put in the place of type parameters: what a function does with one of them it can do.

use super::context::{Context, Environment};
use super::hir::{AdtId, FnId, ImplId, Mutability, Path, TraitId, TypeRef};
use super::items::{Bound, Definition, Generic, GenericKind, Owner, Predicate};
use super::traits::{Bindings, TraitName, matches};
use super::types::{Called, Length, Ty, U8, U32};

/// What a constant parameter is.
const COUNT: i128 = 4;
/// Bytes of what a closure answers.
const MOST_ANSWERED: u64 = 64;
const DEPTH_LIMIT: u32 = 6;
/// Types that are tried because bounds speak of them.
const MOST_NAMED: usize = 12;

impl Context<'_> {
    /// Types, and values of constants, that a generic function can be called with.
    pub fn example(&self, id: FnId) -> Option<Vec<Ty>> {
        Some(self.example_within(id, &[])?.into_iter().map(|(_, ty)| ty).collect())
    }

    /// The same where some of them are given, each with its name.
    pub fn example_within(&self, id: FnId, given: &[(String, Ty)]) -> Option<Bindings> {
        let function = self.items.function(id);
        if let Owner::Trait(of) = function.owner
            && given.is_empty()
        {
            let names = self.items.traits[of.index()].generics.iter().map(|generic| generic.name.clone());
            let names: Vec<String> = names.collect();
            let mut taking = self.taking_default(id).into_iter().filter(|types| types.len() == names.len());
            return taking.find_map(|types| {
                let given: Vec<(String, Ty)> = names.iter().cloned().zip(types).collect();
                self.example_within(id, &given)
            });
        }
        let around: &[Predicate] = match function.owner {
            Owner::Impl(owner) => &self.items.impls[owner.index()].predicates,
            Owner::Trait(owner) => &self.items.traits[owner.index()].predicates,
            Owner::Module => &[],
        };
        let asked: Vec<&Predicate> = around.iter().chain(&function.predicates).collect();
        let mut chosen: Bindings = Vec::new();
        let all = self.items.generics_of(function);
        for generic in in_order(&all, &asked) {
            let known = given.iter().find(|(name, _)| *name == generic.name);
            let later: Vec<&str> = all
                .iter()
                .map(|other| other.name.as_str())
                .filter(|name| *name != generic.name && chosen.iter().all(|(known, _)| known != name))
                .collect();
            let candidates = match generic.kind {
                _ if known.is_some() => known.into_iter().map(|(_, ty)| ty.clone()).collect(),
                // The type of a constant that has bounds is an integer's.
                GenericKind::Constant => {
                    generic.bounds.as_ref()?;
                    vec![Ty::Constant(COUNT)]
                }
                GenericKind::Type => {
                    let mut candidates = self.said_by_others(&generic.name, &asked, &chosen);
                    candidates.extend(self.named_in_bounds(&generic.name, &asked, &chosen, &later));
                    let relaxes = |it: &&Predicate| it.relaxes && subject(it) == Some(generic.name.as_str());
                    match asked.iter().any(relaxes) {
                        // Whoever lends bytes lends them as they are.
                        true => candidates.push(Ty::Slice(Box::new(U8))),
                        false => candidates.retain(|ty| !matches!(ty, Ty::Slice(_) | Ty::Str)),
                    }
                    candidates.extend(self.candidates());
                    candidates
                }
            };
            let ty = candidates.into_iter().find(|ty| {
                let mut names = chosen.clone();
                names.push((generic.name.clone(), ty.clone()));
                let about = |predicate: &&&Predicate| {
                    subject(predicate) == Some(generic.name.as_str()) && !speaks_of(&predicate.bound, &later)
                };
                asked.iter().filter(about).all(|predicate| self.meets(predicate, &names))
            })?;
            chosen.push((generic.name.clone(), ty));
        }
        let place = |(name, _): &(String, Ty)| all.iter().position(|generic| generic.name == *name);
        chosen.sort_by_key(place);
        let met = asked.iter().all(|predicate| self.meets(predicate, &chosen));
        (met && self.is_let_by_trait(id, &chosen)).then_some(chosen)
    }

    /// Types that have a function of a trait as the trait says it, each with the types that the trait is given there.
    fn taking_default(&self, id: FnId) -> Vec<Vec<Ty>> {
        let function = self.items.function(id);
        let Owner::Trait(of) = function.owner else { return Vec::new() };
        let mut found = Vec::new();
        for (owner, target) in &self.impls {
            let declared = &self.items.impls[owner.index()];
            if self.trait_of(*owner) != Some(&TraitName::Seen(of))
                || declared.functions.contains_key(&function.name)
            {
                continue;
            }
            let targets = match target {
                Ty::Parameter(name) => {
                    let asked: Vec<&Predicate> = declared.predicates.iter().collect();
                    let named = self.named_in_bounds(name, &asked, &Vec::new(), &[]);
                    named.into_iter().map(|ty| (vec![(name.clone(), ty.clone())], ty)).collect()
                }
                target => vec![(Vec::new(), target.clone())],
            };
            for (names, target) in targets {
                let path = declared.of_trait.as_ref();
                let own = Some(target.clone());
                let environment = Environment { names, own, ..Environment::default() };
                let given = path.map_or(Vec::new(), |path| self.written(path, &environment));
                if self.can_be_named(&target) && self.has_with(&target, of, &given, 0) {
                    found.push([target].into_iter().chain(given).collect());
                }
            }
        }
        found.truncate(MOST_NAMED);
        found
    }

    /// What the parameters of a function are if the impl around it is for this type, and everything it asks for is there.
    pub fn instance_for(&self, id: FnId, ty: &Ty) -> Option<Bindings> {
        let Owner::Impl(owner) = self.items.function(id).owner else { return None };
        let mut bound = Vec::new();
        let fits = matches(&self.impls[owner.index()].1, ty, &mut bound);
        if fits { self.example_within(id, &bound) } else { None }
    }

    /// Types that bounds on a parameter speak of: `T: Into<X>` has `X`, `T: Local` has what the trait is declared for.
    /// What is chosen later is a number then.
    fn named_in_bounds(
        &self,
        name: &str,
        asked: &[&Predicate],
        chosen: &Bindings,
        later: &[&str],
    ) -> Vec<Ty> {
        let later = later.iter().map(|name| (name.to_string(), U8));
        let names = chosen.iter().cloned().chain(later).collect();
        let environment = Environment { names, ..Environment::default() };
        let mut found = Vec::new();
        let mut callable = None;
        for predicate in asked.iter().filter(|predicate| is_about(predicate, name)) {
            let (path, items) = match &predicate.bound {
                Bound::Trait(path, items) => (path, items),
                Bound::Callable(inputs, output) => {
                    callable = self.answering(inputs, output, &environment);
                    continue;
                }
            };
            match self.trait_named(path) {
                // What everybody can go through.
                TraitName::Seen(id) if self.is_iterator(id) => {
                    for item in items.iter().map(|(_, ty)| self.type_of(ty, &environment)) {
                        found.push(self.standard_adt("vec::IntoIter", vec![item]));
                    }
                }
                TraitName::Seen(id) => {
                    let of_it = |(it, _): &&(ImplId, Ty)| self.trait_of(*it) == Some(&TraitName::Seen(id));
                    let given = self.written(path, &environment);
                    let impls = self.impls.iter().filter(of_it);
                    let mut types: Vec<Ty> =
                        impls.filter_map(|(owner, ty)| self.filled(*owner, ty, &given)).collect();
                    // Everybody has values of types of std; arrays of some elements show most.
                    types.sort_by_key(|ty| match ty {
                        Ty::Array(_, Length::Known(length)) => (false, length.abs_diff(COUNT as u64)),
                        ty => (self.is_of_crate(ty), 0),
                    });
                    found.extend(types);
                }
                TraitName::Standard(path) if path == "iter::IntoIterator" => {
                    let items = items.iter().map(|(_, ty)| self.type_of(ty, &environment));
                    found.extend(items.map(|item| self.vec_of(item)));
                }
                TraitName::Standard(name) if name == "iter::Extend" => {
                    found.extend(self.written(path, &environment).into_iter().map(|item| self.vec_of(item)));
                }
                TraitName::Standard(name) if name == "slice::SliceIndex" => found.push(self.usize()),
                TraitName::Standard(name) if name == "ops::RangeBounds" => {
                    let bounds = self.written(path, &environment).into_iter();
                    found.extend(bounds.map(|bound| self.range_of(bound)));
                }
                TraitName::Standard(_) => found.extend(self.written(path, &environment)),
                TraitName::Unknown => {}
            }
        }
        found.retain(|ty| self.can_be_named(ty));
        found.truncate(MOST_NAMED);
        found.extend(callable);
        found
    }

    /// What bounds on others say that a parameter is: in `I: IntoIterator<Item = T>` what `I` gives.
    fn said_by_others(&self, name: &str, asked: &[&Predicate], chosen: &Bindings) -> Vec<Ty> {
        let environment = Environment { names: chosen.clone(), ..Environment::default() };
        let is_it = |ty: &TypeRef| matches!(ty, TypeRef::Path(path) if path.single() == Some(name));
        let mut found = Vec::new();
        for predicate in asked {
            let Bound::Trait(path, items) = &predicate.bound else { continue };
            let Some((item, _)) = items.iter().find(|(_, ty)| is_it(ty)) else { continue };
            let ty = self.type_of(&predicate.subject, &environment);
            found.push(self.item_of(&ty, path, item, &environment));
        }
        found.retain(|ty| self.can_be_named(ty));
        found
    }

    /// `<T as Trait>::Item`.
    fn item_of(&self, ty: &Ty, path: &Path, item: &str, environment: &Environment) -> Ty {
        match self.trait_named(path) {
            TraitName::Standard(name) if name == "iter::IntoIterator" && item == "Item" => {
                self.element_given(ty).unwrap_or(Ty::Opaque)
            }
            of_trait @ TraitName::Seen(_) => {
                let given = self.written(path, environment);
                self.projected_by(Some((&of_trait, &given)), ty, item, self.fuel())
            }
            _ => Ty::Opaque,
        }
    }

    /// What whoever goes through a value gets.
    fn element_given(&self, ty: &Ty) -> Option<Ty> {
        let lent = |ty: &Ty| Ty::Reference(Mutability::Shared, Box::new(ty.clone()));
        let element = |ty: &Ty| match ty {
            Ty::Adt(_, arguments) => {
                arguments.first().filter(|element| *ty == self.vec_of((*element).clone())).cloned()
            }
            _ => None,
        };
        match ty {
            Ty::Reference(Mutability::Shared, inner) => element(inner).map(|element| lent(&element)),
            ty => element(ty),
        }
    }

    fn is_iterator(&self, id: TraitId) -> bool {
        self.items.standard("iter::Iterator") == Some(Definition::Trait(id))
    }

    /// The type that an impl is for, with examples in the place of the parameters that its trait does not give.
    fn filled(&self, owner: ImplId, target: &Ty, given: &[Ty]) -> Option<Ty> {
        if !target.any(&mut |part| matches!(part, Ty::Parameter(_))) {
            return Some(target.clone());
        }
        if matches!(target, Ty::Parameter(_)) {
            return None;
        }
        let found = &self.items.impls[owner.index()];
        let mut names = self.given_to(owner, given)?;
        for generic in &found.generics {
            if names.iter().any(|(name, _)| *name == generic.name) {
                continue;
            }
            let candidates = match generic.kind {
                GenericKind::Constant => generic.bounds.as_ref().map(|_| vec![Ty::Constant(COUNT)])?,
                GenericKind::Type => self.candidates(),
            };
            let ty = candidates.into_iter().find(|ty| {
                let mut names = names.clone();
                names.push((generic.name.clone(), ty.clone()));
                let about = |predicate: &&Predicate| subject(predicate) == Some(generic.name.as_str());
                found.predicates.iter().filter(about).all(|predicate| self.meets(predicate, &names))
            })?;
            names.push((generic.name.clone(), ty));
        }
        Some(target.substitute(&names))
    }

    /// What the parameters of an impl are if its trait has these types.
    fn given_to(&self, owner: ImplId, given: &[Ty]) -> Option<Bindings> {
        let found = &self.items.impls[owner.index()];
        let environment = Environment {
            names: super::context::parameters(found.generics.iter()),
            own: Some(self.impls[owner.index()].1.clone()),
            ..Environment::default()
        };
        let written = self.written(found.of_trait.as_ref()?, &environment);
        let mut names = Vec::new();
        let fits = written.len() == given.len()
            && written.iter().zip(given).all(|(written, given)| matches(written, given, &mut names));
        fits.then_some(names)
    }

    /// A closure that answers what whoever makes it chooses, if everybody has such answers.
    fn answering(&self, inputs: &[TypeRef], output: &TypeRef, environment: &Environment) -> Option<Ty> {
        let paths = ["to_none", "to_one", "to_two", "to_three", "to_four"];
        let path = &format!("answers::{}", paths.get(inputs.len())?);
        let Some(Definition::Function(id)) = self.items.standard(path) else { return None };
        let inputs: Vec<Ty> = inputs.iter().map(|ty| self.type_of(ty, environment)).collect();
        let output = self.type_of(output, environment);
        let unknown =
            |ty: &Ty| ty.any(&mut |part| matches!(part, Ty::Opaque | Ty::Parameter(_) | Ty::Variable(_)));
        let borrowed = |part: &Ty| {
            matches!(
                part,
                Ty::Reference(..) | Ty::Slice(_) | Ty::Str | Ty::Never | Ty::Callable(..) | Ty::Range(_)
            )
        };
        let plain = !output.any(&mut |part| borrowed(part)) && !self.is_private(&output);
        let none = self.is_had_by_nobody(&output);
        if inputs.iter().any(unknown)
            || unknown(&output)
            || !plain
            || none
            || self.bytes(&output) > MOST_ANSWERED
        {
            return None;
        }
        let generics = inputs.iter().cloned().chain([output.clone()]);
        let parts: Vec<Ty> = generics.chain(inputs.iter().cloned()).chain([output.clone()]).collect();
        Some(Ty::Callable(Called::Function(id, inputs.len() + 1), parts))
    }

    fn is_of_crate(&self, ty: &Ty) -> bool {
        ty.any(&mut |part| matches!(part, Ty::Adt(id, _) if !self.items.is_std_module(self.items.adt(*id).module)))
    }

    /// Whether code of others can write a type down.
    fn can_be_named(&self, ty: &Ty) -> bool {
        !ty.any(&mut |part| match part {
            Ty::Adt(id, _) => !self.is_exposed(*id),
            Ty::Opaque | Ty::Variable(_) | Ty::Parameter(_) | Ty::Callable(..) => true,
            _ => false,
        })
    }

    fn candidates(&self) -> Vec<Ty> {
        let of_bytes = |mutability| Ty::Reference(mutability, Box::new(Ty::Slice(Box::new(U8))));
        let text = Ty::Reference(Mutability::Shared, Box::new(Ty::Str));
        let integers = ["u16", "u64", "usize", "u128", "i32", "i64", "i8", "i16", "i128", "isize"];
        [U8, of_bytes(Mutability::Shared), of_bytes(Mutability::Mutable), text, U32]
            .into_iter()
            .chain(integers.map(|name| self.primitive(name)))
            .chain([Ty::Bool, Ty::Char, self.string(), self.vec_of(U8)])
            .collect()
    }

    pub fn meets(&self, predicate: &Predicate, names: &Bindings) -> bool {
        self.meets_within(predicate, names, 0)
    }

    /// Whether an impl of a trait with these types is for a type, and all that it asks for is there.
    fn has_with(&self, ty: &Ty, id: TraitId, given: &[Ty], depth: u32) -> bool {
        let fits = |(owner, target): &(ImplId, Ty)| {
            let Some(mut names) = self.given_to(*owner, given) else { return false };
            let asked = &self.items.impls[owner.index()].predicates;
            matches(target, ty, &mut names)
                && asked.iter().all(|predicate| self.meets_within(predicate, &names, depth + 1))
        };
        depth < DEPTH_LIMIT && self.impls_of(&TraitName::Seen(id)).any(fits)
    }

    fn meets_within(&self, predicate: &Predicate, names: &Bindings, depth: u32) -> bool {
        if predicate.relaxes {
            return true;
        }
        let own = names.iter().find(|(name, _)| name == "Self").map(|(_, ty)| ty.clone());
        let environment = Environment { names: names.clone(), own, ..Environment::default() };
        let ty = self.type_of(&predicate.subject, &environment);
        let (path, items) = match &predicate.bound {
            Bound::Trait(path, items) => (path, items),
            Bound::Callable(inputs, output) => {
                return self.answering(inputs, output, &environment) == Some(ty);
            }
        };
        match self.trait_named(path) {
            TraitName::Seen(id) => {
                let is_said = |(name, wanted): &(String, TypeRef)| {
                    let wanted = self.type_of(wanted, &environment);
                    wanted != Ty::Opaque && self.item_of(&ty, path, name, &environment) == wanted
                };
                items.iter().all(is_said)
                    && self.implements(&ty, id, self.fuel())
                    && self.has_with(&ty, id, &self.written(path, &environment), depth)
            }
            TraitName::Standard(name) => {
                let items: Vec<(&str, Ty)> =
                    items.iter().map(|(name, ty)| (name.as_str(), self.type_of(ty, &environment))).collect();
                self.has_standard(&ty, &name, &self.written(path, &environment), &items)
            }
            TraitName::Unknown => false,
        }
    }

    fn written(&self, path: &Path, environment: &Environment) -> Vec<Ty> {
        let arguments = path.segments.last().into_iter().flat_map(|segment| &segment.arguments);
        arguments.map(|ty| self.type_of(ty, environment)).collect()
    }

    /// Whether a type has a trait of std, as far as we know; `items` are what its associated types must be.
    fn has_standard(&self, ty: &Ty, path: &str, arguments: &[Ty], items: &[(&str, Ty)]) -> bool {
        let name = path.rsplit("::").next().unwrap_or(path);
        let scalar = matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Char);
        let text = Ty::Reference(Mutability::Shared, Box::new(Ty::Str));
        let owned = *ty == self.string() || *ty == self.vec_of(U8);
        let (reference, bytes) = match ty {
            Ty::Reference(_, inner) => (true, **inner == Ty::Slice(Box::new(U8))),
            _ => (false, false),
        };
        let mutable = matches!(ty, Ty::Reference(Mutability::Mutable, _));
        let known = self.is_ordinary(ty);
        if *ty == Ty::Slice(Box::new(U8)) {
            return matches!((name, items), ("AsRef" | "AsMut", [])) && arguments == std::slice::from_ref(ty);
        }
        match (name, arguments, items) {
            ("Into" | "From", [other], []) => other == ty,
            ("RangeBounds", [bound], []) => match ty {
                Ty::Adt(_, arguments) if self.is_range(ty) => arguments.first() == Some(bound),
                _ => false,
            },
            ("IntoIterator", [], items) => self
                .element_given(ty)
                .is_some_and(|given| items.iter().all(|(name, item)| *name == "Item" && *item == given)),
            ("Extend", [item], []) => *ty == self.vec_of(item.clone()),
            ("SliceIndex", [Ty::Slice(_)], []) => *ty == self.usize(),
            ("Send" | "Sync" | "Copy" | "Clone", [], []) if matches!(ty, Ty::Callable(..)) => true,
            ("Sized", [], []) => !matches!(ty, Ty::Str | Ty::Slice(_)),
            ("Default" | "Clone" | "Copy" | "Debug" | "Send" | "Sync" | "Unpin", [], [])
                if self.is_hashing(ty) =>
            {
                true
            }
            (name, [], []) if self.derives(ty, name) => true,
            ("Send" | "Sync" | "Unpin", [], []) => self.goes_anywhere(ty, 0),
            _ if !known => false,
            ("Debug" | "PartialEq" | "Eq" | "PartialOrd" | "Ord" | "Hash", [], []) => true,
            ("Default", [], []) => scalar || owned || bytes || *ty == text || is_short_array(ty),
            ("PartialEq" | "PartialOrd" | "Borrow", [other], []) => other == ty,
            ("Binary" | "LowerHex" | "UpperHex" | "Octal" | "LowerExp" | "UpperExp", [], []) => {
                matches!(ty, Ty::Integer(_))
            }
            ("Pointer", [], []) => reference,
            ("Copy", [], []) => self.is_copied(ty),
            ("Clone", [], []) => !ty.any(&mut |part| matches!(part, Ty::Reference(Mutability::Mutable, _))),
            ("Display", [], []) => scalar || *ty == text || *ty == self.string(),
            ("AsRef" | "AsMut", [Ty::Slice(element)], []) if matches!(ty, Ty::Array(..)) => {
                matches!(ty, Ty::Array(own, _) if own == element)
            }
            ("AsRef", [Ty::Slice(element)], []) => **element == U8 && (bytes || owned || *ty == text),
            ("AsRef", [Ty::Str], []) => *ty == text || *ty == self.string(),
            ("AsMut", [Ty::Slice(element)], []) => **element == U8 && (mutable || *ty == self.vec_of(U8)),
            ("Add" | "Sub" | "Mul" | "Div" | "Rem" | "BitAnd" | "BitOr" | "BitXor", given, items) => {
                matches!(ty, Ty::Integer(_))
                    && given.iter().all(|given| given == ty)
                    && items.iter().all(|(name, output)| *name == "Output" && output == ty)
            }
            _ => false,
        }
    }
}

impl Context<'_> {
    /// Numbers, texts and lists of such, borrowed or not: they have what everything has.
    fn is_ordinary(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char => true,
            Ty::Reference(Mutability::Shared, inner) => match &**inner {
                Ty::Str => true,
                Ty::Slice(element) => self.is_ordinary(element),
                inner => self.is_ordinary(inner),
            },
            Ty::Reference(Mutability::Mutable, inner) => **inner == Ty::Slice(Box::new(U8)),
            Ty::Array(element, Length::Known(_)) => self.is_ordinary(element),
            Ty::Adt(_, arguments) => match arguments.as_slice() {
                [] => *ty == self.string(),
                [element] => *ty == self.vec_of(element.clone()) && self.is_ordinary(element),
                _ => false,
            },
            _ => false,
        }
    }

    fn is_copied(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Reference(Mutability::Shared, _) => true,
            Ty::Array(element, _) => self.is_copied(element),
            _ => false,
        }
    }

    /// Whether a type is `Send`, `Sync` and `Unpin` because all its parts are, and nobody says otherwise.
    fn goes_anywhere(&self, ty: &Ty, depth: u32) -> bool {
        let inner = |ty: &Ty| self.goes_anywhere(ty, depth + 1);
        match ty {
            _ if depth > DEPTH_LIMIT => false,
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str => true,
            Ty::Reference(_, referred) | Ty::Slice(referred) | Ty::Array(referred, _) => inner(referred),
            Ty::Tuple(parts) => parts.iter().all(inner),
            Ty::Adt(id, arguments) => {
                let adt = self.items.adt(*id);
                if self.items.is_std_module(adt.module) {
                    let holds = ["String", "Vec", "Option", "Result"];
                    return holds.iter().any(|name| self.items.is_standard(*id, name))
                        && arguments.iter().all(inner);
                }
                let says = |(owner, target): &(ImplId, Ty)| {
                    let of_trait = self.items.impls[owner.index()].of_trait.as_ref();
                    let name = of_trait.and_then(|path| path.segments.last()).map(|last| last.name.as_str());
                    matches!(target, Ty::Adt(of, _) if of == id)
                        && matches!(name, Some("Send" | "Sync" | "Unpin"))
                };
                !adt.opaque
                    && !self.hides_impls_for(ty)
                    && !self.impls.iter().any(says)
                    && self.field_types(*id, arguments).iter().all(inner)
            }
            _ => false,
        }
    }

    /// Whether `derive` gives a type without parameters a trait.
    fn derives(&self, ty: &Ty, name: &str) -> bool {
        let traits = ["Debug", "Clone", "Copy", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default"];
        match ty {
            Ty::Adt(id, arguments) if arguments.is_empty() => {
                let adt = self.items.adt(*id);
                traits.contains(&name) && adt.derives.contains(name) && !self.items.is_std_module(adt.module)
            }
            _ => false,
        }
    }

    /// Whether a type makes hashers: one of std, or one as callers have.
    fn is_hashing(&self, ty: &Ty) -> bool {
        ["hash::LastWritten", "hash::RandomState"]
            .iter()
            .any(|path| *ty == self.standard_adt(path, Vec::new()))
    }

    /// Whether a path of public names leads to a type; those of std have one.
    pub fn is_exposed(&self, id: AdtId) -> bool {
        self.items.is_std_module(self.items.adt(id).module)
            || self.exposed.get_or_init(|| self.named_by_all()).contains(&id)
    }
}

impl Context<'_> {
    fn named_by_all(&self) -> rustc_hash::FxHashSet<AdtId> {
        let mut found = self.items.exposed_types();
        found.extend(self.items.offered_by_others().0);
        found
    }
}

/// Arrays of scalars that have a default value.
fn is_short_array(ty: &Ty) -> bool {
    matches!(ty, Ty::Array(element, Length::Known(0..=32)) if matches!(**element, Ty::Integer(_) | Ty::Bool | Ty::Char))
}

/// Whether a bound is on a parameter, or on a borrow of it.
fn is_about(predicate: &Predicate, name: &str) -> bool {
    let lent = match &predicate.subject {
        TypeRef::Reference(Mutability::Shared, inner) => Some(&**inner),
        _ => None,
    };
    subject(predicate) == Some(name)
        || matches!(lent, Some(TypeRef::Path(path)) if path.single() == Some(name))
}

/// Parameters, those first that bounds of others speak of: what a closure answers comes before the closure.
fn in_order<'g>(all: &[&'g Generic], asked: &[&Predicate]) -> Vec<&'g Generic> {
    let mut left: Vec<&Generic> = all.to_vec();
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let waits = |generic: &Generic| {
            let others: Vec<&str> =
                left.iter().map(|it| it.name.as_str()).filter(|name| *name != generic.name).collect();
            let own = |it: &&&Predicate| subject(it) == Some(generic.name.as_str());
            asked.iter().filter(own).any(|predicate| speaks_of(&predicate.bound, &others))
        };
        let next = left.iter().position(|generic| !waits(generic)).unwrap_or(0);
        ordered.push(left.remove(next));
    }
    ordered
}

/// Whether a bound speaks of one of these names.
fn speaks_of(bound: &Bound, names: &[&str]) -> bool {
    let mut words = rustc_hash::FxHashSet::default();
    match bound {
        Bound::Trait(path, items) => {
            let arguments = path.segments.iter().flat_map(|segment| &segment.arguments);
            arguments
                .chain(items.iter().map(|(_, ty)| ty))
                .for_each(|ty| super::outside::words(ty, &mut words));
        }
        Bound::Callable(inputs, output) => {
            inputs.iter().chain([output]).for_each(|ty| super::outside::words(ty, &mut words));
        }
    }
    names.iter().any(|name| words.contains(name))
}

/// The parameter that a bound is on.
fn subject(predicate: &Predicate) -> Option<&str> {
    match &predicate.subject {
        TypeRef::Path(path) => path.single(),
        _ => None,
    }
}
