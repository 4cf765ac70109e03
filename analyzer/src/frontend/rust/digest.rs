//! What was read as digests: one of all but the bodies of functions, and one of each of these.
//!
//! Whoever is given the items and nothing else, and looks into some bodies only, comes to the same as long as these digests
//! are the same. Where things stand is left out, and so is our own text of std, which is part of the program. Every structure
//! is taken apart field by field, so that a new field is a question here and not an oversight.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};

use super::hir::FnId;
use super::items::{Adt, Constant, Function, Impl, Items, Module, Trait, Written};
use crate::source::sink::{Digest, Sink};

impl Items {
    /// Of everything but the bodies of functions.
    pub fn put_frame(&self, sink: &mut Sink) {
        let Self {
            modules,
            functions,
            adts,
            constants,
            impls,
            traits,
            aliases,
            unknown: _,
            inner,
            mentions,
            std_root,
            standard_text: _,
            crates,
            tests,
            known: _,
        } = self;
        let own = modules.iter().take(std_root.map_or(modules.len(), |root| root.index()));
        own.for_each(|module| module.hash(sink));
        let is_std = |module| self.is_std_module(module);
        functions.iter().filter(|it| !is_std(it.module)).for_each(|it| it.hash(sink));
        adts.iter().filter(|it| !is_std(it.module)).for_each(|it| it.hash(sink));
        constants.iter().filter(|it| !is_std(it.module)).for_each(|it| it.hash(sink));
        impls.iter().filter(|it| !is_std(it.module)).for_each(|it| it.hash(sink));
        traits.iter().filter(|it| !is_std(it.module)).for_each(|it| it.hash(sink));
        let counts = [modules.len(), functions.len(), adts.len(), constants.len(), impls.len(), traits.len()];
        (counts, aliases, inner, mentions.writes_through_addresses(), std_root, crates, tests).hash(sink);
    }

    /// Of one body; nothing where there is none.
    pub fn digest_of_body(&self, id: FnId) -> Option<Digest> {
        let function = self.functions.get(id.index())?;
        match &function.written {
            Written::Read(body) => Some(Sink::of(body)),
            Written::Nothing | Written::Late(..) => None,
        }
    }
}

fn put_map<K: Hash + Ord, V: Hash, H: Hasher>(map: &FxHashMap<K, V>, state: &mut H) {
    let mut all: Vec<(&K, &V)> = map.iter().collect();
    all.sort_unstable_by(|left, right| left.0.cmp(right.0));
    all.hash(state);
}

fn put_set<T: Hash + Ord, H: Hasher>(set: &FxHashSet<T>, state: &mut H) {
    let mut all: Vec<&T> = set.iter().collect();
    all.sort_unstable();
    all.hash(state);
}

impl Hash for Module {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self {
            name,
            parent,
            krate,
            block,
            types,
            values,
            uses,
            globs,
            reach,
            exported,
            macros,
            opaque,
            hides_impls,
            made,
            end: _,
        } = self;
        (name, parent, krate, block, uses, globs, opaque, hides_impls, made).hash(state);
        put_map(types, state);
        put_map(values, state);
        put_map(reach, state);
        put_set(exported, state);
        put_set(macros, state);
    }
}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self {
            name,
            module,
            owner,
            generics,
            predicates,
            parameters,
            alone,
            brief,
            kept,
            takes_self,
            result,
            gives,
            visibility,
            is_unsafe,
            opaque,
            written,
            span: _,
        } = self;
        (name, module, owner, generics, predicates, parameters).hash(state);
        (alone, brief, kept, takes_self, result, gives).hash(state);
        (visibility, is_unsafe, opaque).hash(state);
        matches!(written, Written::Nothing).hash(state);
    }
}

impl Hash for Adt {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self {
            name,
            module,
            kind,
            generics,
            predicates,
            variants,
            derives,
            opaque,
            is_extensible,
            alignment,
            arranged,
            visibility,
        } = self;
        (name, module, kind, generics, predicates, variants).hash(state);
        (opaque, is_extensible, alignment, arranged, visibility).hash(state);
        put_set(derives, state);
    }
}

impl Hash for Constant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { name, module, owner, ty, kind, body, span: _, is_public } = self;
        (name, module, owner, ty, kind, body, is_public).hash(state);
    }
}

impl Hash for Impl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { module, generics, predicates, target, of_trait, functions, constants, types, opaque } =
            self;
        (module, generics, predicates, target, of_trait, opaque).hash(state);
        put_map(functions, state);
        put_map(constants, state);
        put_map(types, state);
    }
}

impl Hash for Trait {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { name, module, generics, predicates, functions, constants, opaque } = self;
        (name, module, generics, predicates, opaque).hash(state);
        put_map(functions, state);
        put_map(constants, state);
    }
}
