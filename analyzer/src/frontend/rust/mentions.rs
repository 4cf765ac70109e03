//! Where the names of functions stand in the text, whoever understands it.
//!
//! A function whose every mention is a call that was lowered is called in no other way. Mentions in closures, macros,
//! function pointers or bodies that are not looked into are found here, because here nothing but names is looked at;
//! code that `cfg` leaves out does not count. Names that a macro puts together from parts are not seen: where such
//! macros are, anything may be called.

use proc_macro2::{TokenStream, TokenTree};
use rustc_hash::{FxHashMap, FxHashSet};
use syn::visit::{self, Visit};

use super::cfg::{Configuration, Kept};
use super::modules::{Text, Texts};
use super::read::{Places, STANDARD_MACROS};
use crate::source::Span;

#[derive(Debug, Default)]
pub struct Mentions {
    /// By name: the places of the word.
    places: FxHashMap<String, Vec<Span>>,
    /// There is code that is not seen at all, or that makes up names.
    pub anything: bool,
    /// There are pointers somewhere, or numbers made of addresses.
    addresses: bool,
    /// The word without which nobody writes through a pointer stands somewhere.
    has_unsafe: bool,
    /// Macros that are called, and those that are declared here: what others bring may write through pointers.
    called: FxHashSet<String>,
    declared: FxHashSet<String>,
    /// The first words of paths, and all words of what macros and attributes are given.
    spoken: FxHashSet<String>,
}

/// Macros that bring in text or names from elsewhere.
const MAKES_NAMES: &[&str] = &["paste", "concat_idents", "include"];

/// Words without which nobody has the address of something, besides `*const` and `*mut`.
const MAKES_ADDRESSES: &[&str] = &[
    "as_ptr",
    "as_mut_ptr",
    "as_ptr_range",
    "as_mut_ptr_range",
    "from_ref",
    "from_mut",
    "addr_of",
    "addr_of_mut",
    "raw",
    "NonNull",
    "AtomicPtr",
    "transmute",
    "transmute_copy",
];

/// Attributes that let others call a function whose name nobody writes.
const HANDS_OUT: &[&str] = &[
    "no_mangle",
    "export_name",
    "unsafe",
    "panic_handler",
    "alloc_error_handler",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
];

impl Mentions {
    /// All mentions of some names in all texts.
    pub fn of(texts: &Texts, names: FxHashSet<String>, configuration: &Configuration) -> Self {
        let missing = |text: &Text| text.modules.values().any(Result::is_err);
        let anything = texts.inner || texts.own().iter().any(missing);
        let mut found = Self { anything, ..Self::default() };
        for text in texts.own() {
            let places = text.places();
            let taken_in = |at: u32| matches!(text.modules.get(&at), Some(Ok(_)));
            let mut finder =
                Finder { found: &mut found, names: &names, places, configuration, taken_in: &taken_in };
            finder.visit_file(&text.syntax);
        }
        found
    }

    /// Whether a path begins with a name, or a macro is given it.
    pub fn speaks_of(&self, name: &str) -> bool {
        self.spoken.contains(name)
    }

    /// Whether code of the crate may write through an address that was put away.
    pub fn writes_through_addresses(&self) -> bool {
        let is_known = |name: &String| {
            self.declared.contains(name) || STANDARD_MACROS.contains(&name.as_str()) || name == "macro_rules"
        };
        self.addresses && (self.has_unsafe || !self.called.iter().all(is_known))
    }

    pub fn of_name(&self, name: &str) -> &[Span] {
        self.places.get(name).map_or(&[], Vec::as_slice)
    }
}

struct Finder<'f> {
    found: &'f mut Mentions,
    names: &'f FxHashSet<String>,
    places: Places,
    configuration: &'f Configuration,
    /// Whether the text of a file that is taken in at a place is one of those looked at.
    taken_in: &'f dyn Fn(u32) -> bool,
}

impl Finder<'_> {
    fn word(&mut self, ident: &syn::Ident) {
        let text = ident.to_string();
        let name = text.strip_prefix("r#").unwrap_or(&text);
        self.found.addresses |= MAKES_ADDRESSES.contains(&name);
        if self.names.contains(name) {
            let span = self.places.span(ident.span());
            self.found.places.entry(name.into()).or_default().push(span);
        }
    }

    fn speak(&mut self, ident: &syn::Ident) {
        let text = ident.to_string();
        self.found.spoken.insert(text.strip_prefix("r#").unwrap_or(&text).into());
    }

    /// Words of a text that stands in an attribute: `#[serde(default = "path::of")]`.
    fn text(&mut self, text: &str, span: proc_macro2::Span) {
        for name in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            if self.names.contains(name) {
                let span = self.places.span(span);
                self.found.places.entry(name.into()).or_default().push(span);
            }
        }
    }

    fn tokens(&mut self, tokens: TokenStream, strings: Strings) {
        let (mut declares, mut pointer) = (false, false);
        // `name` and `name!`, right before.
        let (mut word, mut call) = (None, None);
        for token in tokens {
            let before = (word.take(), call.take());
            match &token {
                TokenTree::Ident(ident) => word = Some(ident.to_string()),
                TokenTree::Punct(sign) if sign.as_char() == '!' => call = before.0,
                TokenTree::Group(_) => self.found.called.extend(before.1),
                _ => {}
            }
            let mut next_declares = false;
            let star = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '*');
            match token {
                TokenTree::Ident(ident) if ident == "fn" => next_declares = true,
                TokenTree::Ident(ident) => {
                    let makes = MAKES_NAMES.iter().any(|name| ident == name);
                    self.found.anything |= makes && strings == Strings::Skip;
                    self.found.addresses |= pointer && (ident == "const" || ident == "mut");
                    self.found.has_unsafe |= ident == "unsafe";
                    self.speak(&ident);
                    if !declares {
                        self.word(&ident);
                    }
                }
                TokenTree::Group(group) => self.tokens(group.stream(), strings),
                TokenTree::Literal(literal) if strings == Strings::Read => {
                    self.text(&literal.to_string(), literal.span());
                }
                _ => {}
            }
            (declares, pointer) = (next_declares, star);
        }
    }

    fn is_left(&self, attributes: &[syn::Attribute]) -> bool {
        self.configuration.keeps(attributes) == Kept::Left
    }
}

/// Whether words inside of string literals count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strings {
    Read,
    Skip,
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let taken_in = match item {
            syn::Item::Macro(call) if call.mac.path.is_ident("include") => {
                (self.taken_in)(self.places.of(call).start)
            }
            _ => false,
        };
        if !taken_in && !self.is_left(super::read::attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let hands_out =
            |attribute: &syn::Attribute| HANDS_OUT.iter().any(|name| attribute.path().is_ident(name));
        if item.attrs.iter().any(hands_out) || self.configuration.keeps(&item.attrs) == Kept::Rewritten {
            self.word(&item.sig.ident);
        }
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !self.is_left(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if !self.is_left(&item.attrs) {
            visit::visit_trait_item_fn(self, item);
        }
    }

    /// An import calls nothing; one under another name hides calls.
    fn visit_use_rename(&mut self, renamed: &'ast syn::UseRename) {
        self.word(&renamed.ident);
    }

    /// Only the last word of a path can be a function.
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(last) = path.segments.last() {
            self.word(&last.ident);
        }
        if let Some(first) = path.segments.first() {
            self.speak(&first.ident);
        }
        path.segments.iter().for_each(|segment| self.visit_path_arguments(&segment.arguments));
    }

    fn visit_type_ptr(&mut self, pointer: &'ast syn::TypePtr) {
        self.found.addresses = true;
        visit::visit_type_ptr(self, pointer);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.found.declared.extend(item.ident.as_ref().map(ToString::to_string));
        visit::visit_item_macro(self, item);
    }

    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        self.found.has_unsafe = true;
        visit::visit_expr_unsafe(self, block);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.found.has_unsafe |= matches!(signature.safety, syn::Safety::Unsafe(_));
        visit::visit_signature(self, signature);
    }

    fn visit_item_foreign_mod(&mut self, block: &'ast syn::ItemForeignMod) {
        self.found.has_unsafe = true;
        visit::visit_item_foreign_mod(self, block);
    }

    fn visit_expr_raw_addr(&mut self, place: &'ast syn::ExprRawAddr) {
        self.found.addresses = true;
        visit::visit_expr_raw_addr(self, place);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.word(&call.method);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        call.path.segments.iter().for_each(|segment| self.speak(&segment.ident));
        let name = call.path.segments.last().map(|segment| segment.ident.to_string());
        self.found.called.extend(name.clone());
        self.found.anything |= name.is_some_and(|name| MAKES_NAMES.contains(&name.as_str()));
        self.tokens(call.tokens.clone(), Strings::Skip);
    }

    fn visit_token_stream(&mut self, tokens: &'ast TokenStream) {
        self.tokens(tokens.clone(), Strings::Skip);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        attribute.path().segments.first().into_iter().for_each(|first| self.speak(&first.ident));
        match &attribute.meta {
            meta if meta.path().is_ident("doc") => {}
            syn::Meta::List(list) => self.tokens(list.tokens.clone(), Strings::Read),
            syn::Meta::NameValue(pair) => {
                if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value {
                    self.text(&text.value(), text.span());
                }
            }
            syn::Meta::Path(_) => {}
        }
    }
}
