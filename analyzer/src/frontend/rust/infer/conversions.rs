//! What conversions that are asked for say about types that are still open: `S: AsRef<[u8]>`, `S: Into<Storage<u8>>`, and
//! `let map: Map<_, _> = pairs.into()`.
//!
//! A type is learned only where there is one way to have the conversion, whatever crates there are: what std has for arrays,
//! slices and lists, and the impls of a type's own crate. By the orphan rule nobody else can add one.

use super::super::context::Environment;
use super::super::hir::{AdtId, FnId, ImplId, TypeRef};
use super::super::items::{Bound, Predicate};
use super::super::traits::{Bindings, TraitName, matches};
use super::super::types::Ty;
use super::Infer;
use super::traits::is_open;

impl Infer<'_, '_> {
    pub(super) fn by_conversion(&mut self, predicate: &Predicate, environment: &Environment) {
        let Bound::Trait(path, _) = &predicate.bound else { return };
        let TraitName::Standard(name) = self.context.trait_named(path) else { return };
        let Some([argument]) = path.segments.last().map(|last| last.arguments.as_slice()) else { return };
        let known = |ty: &TypeRef| self.variables.known(&self.context.type_of(ty, environment));
        let (subject, wanted) = (known(&predicate.subject), known(argument));
        if !is_open(&subject) || is_open(&wanted) {
            return;
        }
        match (name.as_str(), &wanted) {
            ("convert::AsRef" | "convert::AsMut", Ty::Slice(element)) => self.by_elements(&subject, element),
            ("convert::Into", Ty::Adt(id, _)) => self.by_only_source(&subject, *id, &wanted),
            _ => {}
        }
    }

    /// What values that were converted are made of says what their types are, as soon as it is known into what.
    pub(super) fn settle_conversions(&mut self) {
        if self.converting.is_empty() {
            return;
        }
        for (from, to) in std::mem::take(&mut self.converting) {
            let (known, wanted) = (self.variables.known(&from), self.variables.known(&to));
            match &wanted {
                Ty::Variable(_) => self.converting.push((from, to)),
                Ty::Adt(id, _) if is_open(&wanted) => drop(self.by_only_target(&known, *id, &wanted)),
                _ => {}
            }
        }
    }

    /// The only impl that makes such a type of such a value says what is open in both. Its function, with the types of
    /// the parameters of the impl.
    pub(super) fn by_only_target(&mut self, from: &Ty, id: AdtId, to: &Ty) -> Option<(FnId, Vec<Ty>)> {
        let (context, items) = (self.context, self.context.items);
        let module = items.adt(id).module;
        let is_elements =
            matches!(from, Ty::Array(..)) && MADE_OF_ARRAYS.contains(&items.adt(id).name.as_str());
        let of_std = items.is_std_module(module);
        let opaque = |ty: &Ty| ty.any(&mut |part| *part == Ty::Opaque);
        let hidden = items.crate_of(module).hides || context.hides_impls() || of_std && !is_elements;
        // What is made of itself stays what it is.
        if hidden || opaque(from) || matches!(from, Ty::Variable(_)) || has_form(to, from) {
            return None;
        }
        let into = TraitName::Standard("convert::Into".into());
        if context.impls_of(&into).any(|(_, target)| has_form(target, from)) {
            return None;
        }
        let mut only = None;
        for (owner, target) in context.impls_of(&TraitName::Standard("convert::From".into())) {
            if !has_form(target, to) {
                continue;
            }
            let found = &items.impls[owner.index()];
            let path = found.of_trait.as_ref().and_then(|path| path.segments.last());
            let Some([source]) = path.map(|last| last.arguments.as_slice()) else { return None };
            let names: Bindings =
                found.generics.iter().map(|it| (it.name.clone(), self.variables.fresh())).collect();
            let target = target.substitute(&names);
            let environment = Environment { names, own: Some(target.clone()), ..Environment::default() };
            let source = context.type_of(source, &environment);
            let generics = environment.names.into_iter().map(|(_, ty)| ty).collect();
            if has_form(&source, from) && only.replace((*owner, generics, source, target)).is_some() {
                return None;
            }
        }
        let (owner, generics, source, target): (ImplId, Vec<Ty>, Ty, Ty) =
            only.filter(|(.., source, target)| !opaque(source) && !opaque(target))?;
        let function = *items.impls[owner.index()].functions.get("from")?;
        self.variables.unify(&target, to);
        self.variables.unify(&source, from);
        Some((function, generics))
    }

    /// Arrays, slices and lists are lent as one slice, that of their elements.
    fn by_elements(&mut self, subject: &Ty, element: &Ty) {
        let mut lent = subject;
        while let Ty::Reference(_, inner) = lent {
            lent = inner;
        }
        let own = match lent {
            Ty::Array(own, _) | Ty::Slice(own) => &**own,
            Ty::Adt(id, parts) if self.context.items.is_standard(*id, "Vec") => match parts.first() {
                Some(own) => own,
                None => return,
            },
            _ => return,
        };
        self.variables.unify(own, element);
    }

    /// A type is made of values of this form in one way only.
    fn by_only_source(&mut self, subject: &Ty, id: AdtId, wanted: &Ty) {
        let (context, items) = (self.context, self.context.items);
        let module = items.adt(id).module;
        if items.is_std_module(module) || items.crate_of(module).hides || context.hides_impls() {
            return;
        }
        let into = TraitName::Standard("convert::Into".into());
        if context.impls_of(&into).any(|(_, target)| has_form(target, subject)) {
            return;
        }
        let mut only = None;
        for (owner, target) in context.impls_of(&TraitName::Standard("convert::From".into())) {
            let found = &items.impls[owner.index()];
            let mut names = Bindings::new();
            if !matches(target, wanted, &mut names) {
                continue;
            }
            let path = found.of_trait.as_ref().and_then(|path| path.segments.last());
            let Some([from]) = path.map(|last| last.arguments.as_slice()) else { return };
            // What is not bound by the type is any type there.
            let unbound =
                found.generics.iter().filter(|generic| names.iter().all(|(name, _)| *name != generic.name));
            let unbound: Bindings = unbound.map(|generic| (generic.name.clone(), Ty::Opaque)).collect();
            names.extend(unbound);
            let environment = Environment { names, own: Some(wanted.clone()), ..Environment::default() };
            let from = context.type_of(from, &environment);
            if has_form(&from, subject) && only.replace(from).is_some() {
                return;
            }
        }
        if let Some(only) = only.filter(|only| !is_open(only)) {
            self.variables.unify(subject, &only);
        }
    }
}

/// Collections of std that are made of arrays in one way.
const MADE_OF_ARRAYS: [&str; 6] = ["BTreeMap", "BTreeSet", "BinaryHeap", "HashMap", "HashSet", "VecDeque"];

/// Whether a type may be that of an impl, as far as the outermost of it says.
fn has_form(pattern: &Ty, ty: &Ty) -> bool {
    match (pattern, ty) {
        (Ty::Parameter(_) | Ty::Opaque | Ty::Variable(_), _) | (_, Ty::Variable(_) | Ty::Opaque) => true,
        (Ty::Adt(one, _), Ty::Adt(other, _)) => one == other,
        (Ty::Reference(one, first), Ty::Reference(other, second)) => one == other && has_form(first, second),
        (Ty::Tuple(one), Ty::Tuple(other)) => one.len() == other.len(),
        (Ty::Array(..), Ty::Array(..)) | (Ty::Slice(_), Ty::Slice(_)) => true,
        (pattern, ty) => pattern == ty,
    }
}
