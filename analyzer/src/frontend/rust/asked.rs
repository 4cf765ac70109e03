//! Functions that nobody can call: what they ask of types no type has, or nobody knows whether there are values of what they
//! take.

use super::context::{Context, parameters};
use super::hir::{FnId, Mutability, Path, TraitId, TypeRef};
use super::items::{Bound, Owner, Predicate};
use super::traits::TraitName;
use super::types::Ty;

const DEPTH_LIMIT: usize = 24;

/// What closures, functions and types that have little else may be, too.
const ANYTHING: [&str; 9] =
    ["Copy", "Clone", "Send", "Sync", "Unpin", "Sized", "UnwindSafe", "RefUnwindSafe", "Any"];
/// Traits that only std implements.
const SEALED: [&str; 2] = ["SliceIndex", "Pattern"];
/// Whoever has the first has the second, with types that follow.
const IMPLIED: [(&str, &str); 6] = [
    ("Iterator", "IntoIterator"),
    ("Future", "IntoFuture"),
    ("From", "TryFrom"),
    ("Into", "TryInto"),
    ("Clone", "ToOwned"),
    ("Copy", "ToOwned"),
];

impl Context<'_> {
    /// Whether there may be types that have what a function asks of them.
    pub fn is_called_by_some(&self, id: FnId) -> bool {
        let function = self.items.function(id);
        let around: &[Predicate] = match function.owner {
            Owner::Impl(owner) => &self.items.impls[owner.index()].predicates,
            Owner::Trait(of) => {
                if !self.is_open(of, 0) && !self.is_inherited(of, &function.name) {
                    return false;
                }
                &self.items.traits[of.index()].predicates
            }
            Owner::Module => &[],
        };
        let names = parameters(self.items.generics_of(function).into_iter());
        let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        let asked: Vec<&Predicate> = around.iter().chain(&function.predicates).collect();
        asked.iter().all(|predicate| self.is_met_by_some(predicate, &names))
            && self.go_together(&asked, &names)
            && self.is_let_by_trait(id, &[])
    }

    /// Whether the type that an impl is for is known to have what its trait asks for where it declares a function: callers
    /// ask the trait, whatever the impl asks less.
    pub fn is_let_by_trait(&self, id: FnId, names: &[(String, Ty)]) -> bool {
        let function = self.items.function(id);
        let Owner::Impl(owner) = function.owner else { return true };
        let Some(TraitName::Seen(of)) = self.trait_of(owner) else { return true };
        let of = &self.items.traits[of.index()];
        let Some(declared) = of.functions.get(&function.name).map(|id| self.items.function(*id)) else {
            return true;
        };
        let about_self = |predicate: &&Predicate| matches!(&predicate.subject, TypeRef::Path(path) if path.single() == Some("Self"));
        let target = self.impls[owner.index()].1.substitute(names);
        let bound = vec![("Self".to_string(), target)];
        declared.predicates.iter().filter(about_self).all(|predicate| self.meets(predicate, &bound))
    }

    /// Whether one type may have all that is asked of it, as far as the language and std say. What other crates can
    /// only add to types of their own is not there for others.
    fn go_together(&self, asked: &[&Predicate], names: &[&str]) -> bool {
        let mut subjects: Vec<&TypeRef> = Vec::new();
        for predicate in asked.iter().filter(|it| !it.relaxes && speaks_of_types(it, names)) {
            if !subjects.contains(&&predicate.subject) {
                subjects.push(&predicate.subject);
            }
        }
        subjects.into_iter().all(|subject| {
            let mut bounds = Vec::new();
            for predicate in asked.iter().filter(|it| !it.relaxes && it.subject == *subject) {
                self.with_included(&predicate.bound, &mut bounds, 0);
            }
            let words: Vec<&str> = bounds.iter().filter_map(|bound| self.word_of_std(bound)).collect();
            match standing(subject, names) {
                Standing::Chosen => self.is_of_some_type(&bounds, &words),
                Standing::Lent(mutability) => is_of_borrows(mutability, &words),
                Standing::Given => true,
                Standing::Around => words.len() == bounds.len() && words.iter().all(|it| is_automatic(it)),
            }
        })
    }

    /// A bound, and what its trait includes.
    fn with_included<'b>(&'b self, bound: &'b Bound, bounds: &mut Vec<&'b Bound>, depth: usize) {
        bounds.push(bound);
        let Bound::Trait(path, _) = bound else { return };
        if let TraitName::Seen(id) = self.trait_named(path)
            && depth < DEPTH_LIMIT
        {
            let of_self = |it: &&Predicate| {
                !it.relaxes && matches!(&it.subject, TypeRef::Path(path) if path.single() == Some("Self"))
            };
            for included in self.items.traits[id.index()].predicates.iter().filter(of_self) {
                if !bounds.iter().any(|known| std::ptr::eq(*known, &included.bound)) {
                    self.with_included(&included.bound, bounds, depth + 1);
                }
            }
        }
    }

    /// The last name of a trait of std.
    fn word_of_std<'b>(&'b self, bound: &'b Bound) -> Option<&'b str> {
        let Bound::Trait(path, _) = bound else { return None };
        match self.trait_named(path) {
            // It may be imported by another name.
            TraitName::Standard(name) => {
                let known = ANYTHING.iter().chain(&SEALED).chain(&["Drop", "DerefMut", "Default"]).copied();
                let implied = IMPLIED.iter().flat_map(|(one, other)| [*one, *other]);
                let last = name.rsplit("::").next().unwrap_or(&name);
                Some(known.chain(implied).find(|word| *word == last).unwrap_or("another"))
            }
            TraitName::Seen(id) => {
                let found = &self.items.traits[id.index()];
                self.items.is_std_module(found.module).then_some(found.name.as_str())
            }
            TraitName::Unknown => None,
        }
    }

    /// Whether some type that everybody may choose, or declare, has all of these.
    fn is_of_some_type(&self, bounds: &[&Bound], words: &[&str]) -> bool {
        let has = |word: &str| words.contains(&word);
        let callable = bounds.iter().filter_map(|bound| match bound {
            Bound::Callable(inputs, output) => Some((inputs, output)),
            Bound::Trait(..) => None,
        });
        let called: Vec<_> = callable.collect();
        let count = |known: &[&str]| words.iter().filter(|word| known.contains(word)).count();
        let others = bounds.len() - called.len() - count(&ANYTHING);
        let excluded = has("Copy") && has("Drop");
        let mixed = match (called.len(), count(&SEALED)) {
            (0, 0) => false,
            (0, 1) => others > 1,
            _ => others > 0,
        };
        let differs = called.iter().any(|one| *one != called[0]);
        let contradicted = bounds.iter().any(|bound| self.says_otherwise(bound, bounds, words));
        !(excluded || mixed || differs || contradicted)
    }

    /// Whether other bounds, or impls for many types, may say something else of associated types than this one.
    fn says_otherwise(&self, bound: &Bound, bounds: &[&Bound], words: &[&str]) -> bool {
        let Bound::Trait(path, items) = bound else { return false };
        if items.is_empty() {
            return false;
        }
        let word = self.word_of_std(bound);
        let implied = IMPLIED.iter().any(|(one, other)| word == Some(*other) && words.contains(one));
        let name = self.trait_named(path);
        let arguments = |path: &Path| path.segments.last().map(|last| last.arguments.clone());
        let differs = |other: &&Bound| match other {
            Bound::Trait(path_there, items_there) => {
                !items_there.is_empty()
                    && items_there != items
                    && self.trait_named(path_there) == name
                    && arguments(path_there) == arguments(path)
            }
            Bound::Callable(..) => false,
        };
        let for_many = match name {
            TraitName::Seen(of) if self.items.is_own_module(self.items.traits[of.index()].module) => {
                self.impls_of_trait(of).any(|found| {
                    let names: Vec<&str> = found.generics.iter().map(|it| it.name.as_str()).collect();
                    matches!(&found.target, TypeRef::Path(path) if path.single().is_some_and(|it| names.contains(&it)))
                })
            }
            _ => false,
        };
        implied || for_many || bounds.iter().any(differs)
    }

    fn is_met_by_some(&self, predicate: &Predicate, names: &[&str]) -> bool {
        let Bound::Trait(path, _) = &predicate.bound else { return true };
        if predicate.relaxes {
            return true;
        }
        if !speaks_of_types(predicate, names) {
            return self.meets(predicate, &Vec::new());
        }
        match self.trait_named(path) {
            TraitName::Seen(of) => self.is_open(of, 0) || self.impls_of_trait(of).next().is_some(),
            TraitName::Standard(_) | TraitName::Unknown => true,
        }
    }

    fn impls_of_trait(&self, of: TraitId) -> impl Iterator<Item = &super::items::Impl> {
        let all = self.impls.iter().map(|(id, _)| *id);
        let of_it = all.filter(move |id| self.trait_of(*id) == Some(&TraitName::Seen(of)));
        of_it.map(|id| &self.items.impls[id.index()])
    }

    /// Whether some impl leaves a function of a trait as it stands there.
    fn is_inherited(&self, of: TraitId, name: &str) -> bool {
        self.impls_of_trait(of).any(|found| !found.functions.contains_key(name))
    }

    /// Whether other crates may implement a trait: everybody can name it and all that it includes.
    pub fn is_open(&self, of: TraitId, depth: usize) -> bool {
        let found = &self.items.traits[of.index()];
        if !self.items.is_own_module(found.module)
            || found.opaque
            || self.hides_impls()
            || depth > DEPTH_LIMIT
        {
            return true;
        }
        let included =
            found.predicates.iter().filter_map(|predicate| match (&predicate.subject, &predicate.bound) {
                (TypeRef::Path(path), Bound::Trait(of, _)) if path.single() == Some("Self") => Some(of),
                _ => None,
            });
        self.exposed_traits().contains(&of)
            && included.into_iter().all(|path| match self.trait_named(path) {
                TraitName::Seen(other) => other == of || self.is_open(other, depth + 1),
                TraitName::Standard(_) | TraitName::Unknown => true,
            })
    }

    fn exposed_traits(&self) -> &rustc_hash::FxHashSet<TraitId> {
        self.open_traits.get_or_init(|| self.items.exposed_traits())
    }
}

/// What bounds are on.
enum Standing {
    /// A type that callers choose, or that follows from such a choice.
    Chosen,
    /// A borrow of one.
    Lent(Mutability),
    /// A type that is written down: others may implement traits for it that speak of types of theirs.
    Given,
    /// A type of others around one: it has what it has.
    Around,
}

fn standing(subject: &TypeRef, names: &[&str]) -> Standing {
    let is_name = |name: &str| name == "Self" || names.contains(&name);
    let chosen = |ty: &TypeRef| match ty {
        TypeRef::Path(path) => {
            let first = path.segments.first().is_some_and(|first| !path.global && is_name(&first.name));
            path.qself.is_some() || first
        }
        _ => false,
    };
    let mut words = rustc_hash::FxHashSet::default();
    super::outside::words(subject, &mut words);
    match subject {
        ty if chosen(ty) => Standing::Chosen,
        TypeRef::Reference(mutability, inner) if chosen(inner) => Standing::Lent(*mutability),
        ty if is_projected(ty) || words.iter().any(|name| is_name(name)) => Standing::Around,
        _ => Standing::Given,
    }
}

fn is_of_borrows(mutability: Mutability, words: &[&str]) -> bool {
    let never: &[&str] = match mutability {
        Mutability::Shared => &["Drop", "DerefMut"],
        Mutability::Mutable => &["Drop", "Copy", "Clone"],
    };
    !words.iter().any(|word| never.contains(word) || SEALED.contains(word))
}

/// What types have because of their parts.
fn is_automatic(word: &str) -> bool {
    matches!(word, "Send" | "Sync" | "Unpin" | "UnwindSafe" | "RefUnwindSafe")
}

/// Whether what is asked depends on types that callers choose.
fn speaks_of_types(predicate: &Predicate, names: &[&str]) -> bool {
    let mut parts = vec![&predicate.subject];
    if let Bound::Trait(path, items) = &predicate.bound {
        parts.extend(path.segments.iter().flat_map(|segment| &segment.arguments));
        parts.extend(items.iter().map(|(_, ty)| ty));
    }
    let mut words = rustc_hash::FxHashSet::default();
    parts.iter().copied().for_each(|ty| super::outside::words(ty, &mut words));
    words.contains("Self")
        || names.iter().any(|name| words.contains(name))
        || parts.into_iter().any(is_projected)
}

/// `<T as Trait>::Item`, of whatever it is.
pub fn is_projected(ty: &TypeRef) -> bool {
    match ty {
        TypeRef::Path(path) => {
            let mut arguments = path.segments.iter().flat_map(|segment| &segment.arguments);
            path.qself.is_some() || arguments.any(is_projected)
        }
        TypeRef::Tuple(parts) => parts.iter().any(is_projected),
        TypeRef::Array(inner, _)
        | TypeRef::Slice(inner)
        | TypeRef::Reference(_, inner)
        | TypeRef::Pointer(_, inner) => is_projected(inner),
        _ => false,
    }
}
