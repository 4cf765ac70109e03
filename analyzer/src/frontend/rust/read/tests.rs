//! Tests that stand inside a library: modules that only tests have.
//!
//! They are read as a crate of its own that sees what the modules around it see. So nothing in them counts as code of
//! the library, and nothing there can mean them; which of them keep to what others can use is `in_use`'s question.

use super::super::cfg::Kept;
use super::super::hir::{FnId, ModuleId};
use super::super::items::{Krate, KrateId, Owner};
use super::super::macros::Standing;
use super::types::name_of;
use super::{Places, Reader, new_module};

/// Where one stands.
pub struct Module<'s> {
    item: &'s syn::ItemMod,
    around: ModuleId,
    text: usize,
    places: Places,
    standing: Standing,
}

impl<'s> Reader<'_, 's> {
    /// Remembers a module that the configuration leaves out and tests have.
    pub(super) fn note_tests(&mut self, item: &'s syn::Item) {
        let (Some(of_tests), syn::Item::Mod(item)) = (self.of_tests, item) else { return };
        if of_tests.keeps(&item.attrs) == Kept::Plain {
            let places = self.places.clone();
            let (around, text, standing) = (self.module, self.text, self.standing);
            self.tests.push(Module { item, around, text, places, standing });
        }
    }

    /// Remembers a function that is run by itself: a test, or the beginning of an example.
    pub(super) fn note_test(&mut self, item: &syn::ItemFn, id: FnId) {
        let krate = self.items.crate_of(self.module);
        if !krate.in_use {
            return;
        }
        let begins = krate.root == self.module && item.sig.ident == "main";
        let is_run = begins || self.has_attribute(&item.attrs, "test");
        if is_run && !self.has_attribute(&item.attrs, "ignore") {
            self.items.tests.push(id);
        }
    }

    /// Reads the modules that were left out, once all else is known.
    pub(super) fn modules_of_tests(&mut self) {
        let tests = std::mem::take(&mut self.tests);
        let Some(of_tests) = self.of_tests.take().filter(|_| !tests.is_empty()) else { return };
        self.configuration = of_tests;
        let own = &self.items.crates[KrateId::OWN.0 as usize];
        let krate = Krate {
            root: own.root,
            named: own.named.clone(),
            described: own.described.clone(),
            public: own.public.clone(),
            edition: own.edition,
            hides: false,
            in_use: true,
        };
        let number = KrateId(self.items.crates.len() as u32);
        self.items.crates.push(krate);
        for test in tests {
            let module = new_module(name_of(&test.item.ident), Some(test.around), number);
            self.items.modules.push(module);
            (self.module, self.owner) = (ModuleId(self.items.modules.len() as u32 - 1), Owner::Module);
            (self.text, self.places, self.standing) = (test.text, test.places, test.standing);
            self.test_module(test.item);
        }
        self.deferred_items();
        self.bodies();
        let mut own = self.items.modules.iter().filter(|module| module.krate == number);
        let hides = own.any(|module| module.opaque || module.hides_impls);
        self.items.crates[number.0 as usize].hides = hides;
    }

    fn test_module(&mut self, item: &'s syn::ItemMod) {
        match &item.content {
            Some((_, items)) => self.item_list(items),
            None => {
                let start = self.places.of(item).start;
                let texts = self.texts;
                if let Some(Ok(text)) = texts.list[self.text].modules.get(&start).copied() {
                    self.turn_to(text);
                    self.item_list(&texts.list[text].syntax.items);
                }
            }
        }
    }
}
