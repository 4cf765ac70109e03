//! Macros that are not expanded, and what they may declare.

use proc_macro2::{TokenStream, TokenTree};

use super::super::defs::{Namespace, Resolved};
use super::super::hir::{Path, Segment};
use super::super::items::Definition;
use super::super::scope::{is_capital, is_constant};
use super::Reader;
use super::body::BodyReader;
use super::expand::{Flat, Meant};
use super::types::name_of;

/// Words that begin items.
const ITEMS: &[&str] = &[
    "impl",
    "fn",
    "struct",
    "enum",
    "union",
    "trait",
    "mod",
    "use",
    "macro_rules",
    "static",
    "const",
    "type",
    "extern",
];
/// Macros of std whose text declares nothing.
const QUIET: &[&str] = &["vec", "format", "matches", "panic"];

impl Reader<'_, '_> {
    /// Impls may be declared that are not seen.
    pub(super) fn hide_impls(&mut self) {
        self.items.modules[self.module.index()].hides_impls = true;
    }

    /// `thread_local! { static NAME: T = … }` of std declares statics, whose values are not followed, and nothing else, where
    /// nobody can name them elsewhere and what they begin with declares nothing either.
    pub(super) fn thread_locals(&self, call: &syn::Macro) -> Option<Vec<String>> {
        let segments: Vec<String> =
            call.path.segments.iter().map(|segment| name_of(&segment.ident)).collect();
        let is_it = match segments.as_slice() {
            [only] => only == "thread_local" && self.is_of_std(only),
            [of, name] => of == "std" && name == "thread_local" && self.names_std(of),
            _ => false,
        };
        let mut names = Vec::new();
        let declared = is_it && self.locals_of_threads(call.tokens.clone(), true, &mut names);
        declared.then_some(names)
    }

    /// Whether nothing but std gives a macro this name here.
    fn is_of_std(&self, name: &str) -> bool {
        self.macros.in_scope(self.standing, name).is_none()
            && matches!(self.macro_around(name), Meant::Nothing)
            && self.macros.used(name).is_none()
    }

    fn names_std(&self, name: &str) -> bool {
        self.is_root_of_std(&[name.into()])
    }

    /// Whether these names lead to std as a whole, as `$crate::_core` may.
    pub(super) fn is_root_of_std(&self, names: &[String]) -> bool {
        let segments =
            names.iter().map(|name| Segment { name: name.clone(), arguments: Vec::new() }).collect();
        let path = Path { module: self.module, global: false, qself: None, segments };
        let target = self.items.resolve(&path, Namespace::Types);
        matches!(target.found, Resolved::Standard(path) if path.is_empty())
    }

    /// The names of statics between such braces; whether nothing else can be declared there.
    fn locals_of_threads(&self, tokens: TokenStream, outside: bool, names: &mut Vec<String>) -> bool {
        let mut tokens = tokens.into_iter().peekable();
        let mut names_lifetime = false;
        while let Some(token) = tokens.next() {
            let is_lifetime = std::mem::take(&mut names_lifetime);
            match token {
                TokenTree::Punct(sign) => names_lifetime = sign.as_char() == '\'',
                TokenTree::Ident(_) if is_lifetime => {}
                TokenTree::Group(group) => {
                    let quiet = self.locals_of_threads(group.stream(), false, names);
                    if !quiet {
                        return false;
                    }
                }
                TokenTree::Ident(name) => match (name.to_string().as_str(), tokens.peek()) {
                    ("static", Some(TokenTree::Ident(declared))) if outside => names.push(name_of(declared)),
                    // What a block takes in declares nothing.
                    ("use", _) if !outside => {}
                    // Values and types that a block declares are its own.
                    ("const" | "type", _) => {}
                    // Items, or who can name the statics.
                    (word, _) if word == "pub" || ITEMS.contains(&word) => return false,
                    (word, Some(TokenTree::Punct(sign))) if sign.as_char() == '!' => {
                        let is_call = !matches!(tokens.clone().nth(1), Some(TokenTree::Punct(_)));
                        // A macro that nobody looked into.
                        if is_call && !(QUIET.contains(&word) && self.is_of_std(word)) {
                            return false;
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        true
    }
}

impl BodyReader<'_, '_, '_> {
    /// What calls of macros among the statements of a block declare in it that are not expanded.
    pub(super) fn declared_by_macros(&mut self, flat: &[Flat<'_>]) {
        for next in flat {
            let syn::Stmt::Macro(call) = next.statement else { continue };
            let around = std::mem::replace(&mut self.reader.standing, next.standing);
            let statics = self.reader.thread_locals(&call.mac);
            let known = next.refused.is_none() && self.is_known(&call.mac);
            self.reader.standing = around;
            let words: &[&str] = if statics.is_some() { &["impl"] } else { ITEMS };
            let takes_in = call.mac.path.is_ident("include");
            let declares = next.refused.is_some() || takes_in || names_item(call.mac.tokens.clone(), words);
            if known || statics.is_none() && !declares {
                continue;
            }
            if !self.reader.items.module(self.reader.module).block {
                self.enter_module();
            }
            let module = &mut self.reader.items.modules[self.reader.module.index()];
            match statics {
                Some(names) => {
                    module.values.extend(names.into_iter().map(|name| (name, Definition::Opaque)));
                }
                None => {
                    module.opaque = true;
                }
            }
        }
    }

    /// Whether a call is one of a macro that reads as an expression.
    fn is_known(&self, mac: &syn::Macro) -> bool {
        let expressions =
            ["assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"];
        let others = ["println", "print", "eprintln", "eprint", "write", "writeln", "unreachable", "todo"];
        let name = mac.path.segments.last().map_or(String::new(), |last| name_of(&last.ident));
        let all = [QUIET, &expressions, &others];
        self.reader.is_intrinsic(&mac.path) || all.iter().any(|names| names.contains(&name.as_str()))
    }
}

/// Whether a macro of others that is given this text may declare impls: they stand there, or the name of a type that they may
/// be for.
pub(super) fn may_declare_impls(tokens: TokenStream) -> bool {
    let mut parts = vec![TokenStream::new()];
    for token in tokens.clone() {
        match &token {
            TokenTree::Punct(sign) if matches!(sign.as_char(), ',' | ';') => parts.push(TokenStream::new()),
            _ => parts.last_mut().expect("there is one").extend([token]),
        }
    }
    names_item(tokens, &["impl"]) || parts.into_iter().any(is_named_type)
}

/// `Name`, `module::Name<T>`: as types are usually written, and no variant of one.
fn is_named_type(tokens: TokenStream) -> bool {
    let Ok(path) = syn::parse2::<syn::TypePath>(tokens) else { return false };
    let mut names = path.path.segments.iter().rev().map(|segment| name_of(&segment.ident));
    let is_type = |name: String| is_capital(&name) && !is_constant(&name);
    names.next().is_some_and(is_type) && !names.next().is_some_and(is_type)
}

/// Whether one of these words stands in a text, other than as a lifetime.
pub(super) fn names_item(tokens: TokenStream, words: &[&str]) -> bool {
    let mut is_lifetime = false;
    tokens.into_iter().any(|token| {
        let after_sign = std::mem::take(&mut is_lifetime);
        match token {
            TokenTree::Punct(sign) => {
                is_lifetime = sign.as_char() == '\'';
                false
            }
            TokenTree::Ident(name) => !after_sign && words.iter().any(|word| name == word),
            TokenTree::Group(group) => names_item(group.stream(), words),
            TokenTree::Literal(_) => false,
        }
    })
}
