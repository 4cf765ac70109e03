//! Which lines of a file stand in functions with unsafe code.

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Functions and macro calls of a file: what a site can stand in.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    list: Vec<Region>,
}

#[derive(Clone, Copy, Debug)]
struct Region {
    first: usize,
    last: usize,
    is_unsafe: bool,
}

impl Regions {
    /// A file that cannot be read or parsed has none.
    pub fn of(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut found = Self::default();
        if let Ok(file) = syn::parse_file(&text) {
            found.visit_file(&file);
        }
        found
    }

    /// Whether the innermost function or macro around a line has unsafe code.
    pub fn is_unsafe(&self, line: usize) -> bool {
        let around = self.list.iter().filter(|region| region.first <= line && line <= region.last);
        around.min_by_key(|region| region.last - region.first).is_some_and(|region| region.is_unsafe)
    }

    fn add(&mut self, item: &impl Spanned, is_unsafe: bool) {
        let span = item.span();
        self.list.push(Region { first: span.start().line, last: span.end().line, is_unsafe });
    }

    fn function(&mut self, item: &impl Spanned, signature: &syn::Signature, block: &syn::Block) {
        let mut blocks = Blocks(matches!(signature.safety, syn::Safety::Unsafe(_)));
        blocks.visit_block(block);
        self.add(item, blocks.0);
    }
}

impl<'ast> Visit<'ast> for Regions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function(function, &function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.function(function, &function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(function, &function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_macro(&mut self, call: &'ast syn::ItemMacro) {
        self.add(call, mentions(call.mac.tokens.clone()));
    }
}

/// Whether there is unsafe code in a body, macro calls included.
struct Blocks(bool);

impl<'ast> Visit<'ast> for Blocks {
    fn visit_expr_unsafe(&mut self, _: &'ast syn::ExprUnsafe) {
        self.0 = true;
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.0 |= mentions(call.tokens.clone());
    }
}

fn mentions(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(group.stream()),
        TokenTree::Ident(word) => word == "unsafe",
        _ => false,
    })
}
