//! Macro calls: those of std that we know are expanded here, all others are opaque.

use kleene_domains::int::Int;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Token};

use super::super::hir::{Arm, At, ExprId, ExprKind, Formatted, Opaque, PatId, PatKind, Path, Piece, Segment};
use super::super::items::Use;
use super::super::macros::{Expanded, Standing, base};
use super::body::BodyReader;
use super::kept::Tree;
use super::types::name_of;
use super::{shown, unseen};
use crate::source::Span;

type Arguments = Punctuated<Expr, Token![,]>;

/// Elements of a vector that are looked at one by one.
const LONG: usize = 64;
const NOT_EXPANDED: &str = "a macro that is not expanded";
const OF_STD: &str = "a macro of std that is not described";
/// Macros of std that declare nothing but what they are given.
pub const STANDARD: &[&str] = &[
    "addr_of",
    "addr_of_mut",
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "include_bytes",
    "include_str",
    "matches",
    "module_path",
    "offset_of",
    "option_env",
    "panic",
    "pin",
    "print",
    "println",
    "ready",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Why a macro of std is not followed.
fn reason_of(name: &str) -> &'static str {
    if STANDARD.contains(&name) { OF_STD } else { NOT_EXPANDED }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    Statement,
    Expression,
}

impl<'s> BodyReader<'_, '_, 's> {
    pub fn macro_call(&mut self, mac: &'s syn::Macro, span: Span, position: Position) -> ExprId {
        let segments: Vec<String> = mac.path.segments.iter().map(|segment| name_of(&segment.ident)).collect();
        let text = format!("{}!", segments.join("::"));
        let meaning = self.reader.intrinsics.meaning(&text);
        if let (None, Some(id)) = (&meaning, self.reader.macro_named(&mac.path)) {
            return match self.reader.expression_call(mac, id) {
                Ok((expr, inside)) => self.inside(inside, |own| own.expr(expr)),
                Err(reason) => self.unknown_macro(mac, span, position, reason),
            };
        }
        if meaning.is_none() && self.reader.meant_among_themselves(&mac.path).is_some() {
            return self.unknown_macro(mac, span, position, NOT_EXPANDED);
        }
        let surface = self.reader.macros.surface(mac.tokens.clone(), mac.span(), self.reader.standing);
        let Expanded { tokens, standing } = match surface {
            Ok(surface) => surface,
            Err(reason) => return self.unknown_macro(mac, span, position, reason),
        };
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Some(meaning) = meaning
            && let Ok(arguments) = parser.parse2(tokens.clone())
        {
            let arguments = arguments.iter().map(|argument| self.detached(argument)).collect();
            return self.intrinsic(meaning, None, arguments, span);
        }
        if self.is_log_macro(&segments)
            && let Ok(arguments) = parser.parse2(tokens.clone())
        {
            let line = self.inside(standing, |own| own.format(&arguments, 1, Formatted::Line));
            return match line {
                Some(line) => self.add(line, span),
                None => self.unknown_macro(mac, span, position, NOT_EXPANDED),
            };
        }
        let name = match segments.as_slice() {
            [name] if self.is_std_macro(name) => name.as_str(),
            [krate, name] if krate == "std" || krate == "core" => name.as_str(),
            [krate, name] if krate == "alloc" && self.is_declared(krate) => name.as_str(),
            [before @ .., name] if before.len() > 1 && self.reader.is_root_of_std(before) => name.as_str(),
            [krate, .., name] if krate == "std" || krate == "core" => {
                return self.unknown_macro(mac, span, position, reason_of(name));
            }
            _ => return self.unknown_macro(mac, span, position, NOT_EXPANDED),
        };
        let plain = syn::Macro { tokens, ..mac.clone() };
        let known = self.inside(standing, |own| match name {
            "matches" => own.matches(&plain, span),
            "vec" => own.vector(&plain, span),
            "cfg" => own.configured(&plain, span),
            "line" if plain.tokens.is_empty() => Some(own.line(span)),
            "stringify" => Some(own.words(plain.tokens.clone(), span)),
            _ => match parser.parse2(plain.tokens.clone()) {
                Ok(arguments) => own.known_macro(name, arguments, span),
                Err(_) => None,
            },
        });
        known.unwrap_or_else(|| self.unknown_macro(mac, span, position, reason_of(name)))
    }

    /// Reads what stands inside an expansion.
    fn inside<T>(&mut self, standing: Standing, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.reader.standing, standing);
        let found = read(self);
        self.reader.standing = around;
        found
    }

    /// `cfg!(…)`, decided like `#[cfg(…)]`.
    fn configured(&mut self, mac: &syn::Macro, span: Span) -> Option<ExprId> {
        let holds = self.reader.configuration.holds_in(mac.tokens.clone())?;
        Some(self.add(ExprKind::Bool(holds), span))
    }

    /// `stringify!(…)`: a name is its own text; how others are set apart is not promised.
    fn words(&mut self, tokens: proc_macro2::TokenStream, span: Span) -> ExprId {
        let mut tokens = tokens.into_iter();
        let text = match (tokens.next(), tokens.next()) {
            (Some(proc_macro2::TokenTree::Ident(name)), None) => Some(name.to_string()),
            _ => None,
        };
        // A mark leaves no sign that a name was raw.
        let text = text.filter(|text| base(text) == text || syn::parse_str::<syn::Ident>(base(text)).is_ok());
        self.add(ExprKind::Text(text.map(|text| base(&text).to_string())), span)
    }

    fn line(&mut self, span: Span) -> ExprId {
        let (line, _) = self.reader.places.file.place(span);
        self.add(ExprKind::Integer(Int::from(line as i64), "u32".into()), span)
    }

    /// Whether nothing in the file gives the name another meaning.
    fn is_std_macro(&self, name: &str) -> bool {
        let items = &self.reader.items;
        let krate = self.reader.krate();
        items.modules.iter().filter(|module| module.krate == krate).all(|module| {
            !module.macros.contains(name)
                && !module.uses.iter().any(|import| {
                    import.name == name && import.path.segments.len() > 1 && !self.is_of_std(&import.path)
                })
        })
    }

    /// Whether a path goes into std, by its own name or by that of an `extern crate`.
    fn is_of_std(&self, path: &Path) -> bool {
        let named: Vec<&str> = path.segments.iter().map(|segment| segment.name.as_str()).collect();
        is_std(path) || matches!(named.as_slice(), ["crate", name, _, ..] if self.is_declared(name))
    }

    /// Whether an `extern crate` of the root gives a part of std this name.
    fn is_declared(&self, name: &str) -> bool {
        let items = &self.reader.items;
        let root = items.module(items.crate_of(self.reader.module).root);
        let own = |import: &Use| import.name == name && import.path.global && is_std(&import.path);
        root.uses.iter().any(own)
    }

    fn known_macro(
        &mut self,
        name: &str,
        arguments: Punctuated<Expr, Token![,]>,
        span: Span,
    ) -> Option<ExprId> {
        let debug = name.starts_with("debug_assert");
        if debug && !self.reader.configuration.debug_assertions {
            return Some(self.add(ExprKind::Tuple(Vec::new()), span));
        }
        let kind = match (name, arguments.len()) {
            ("assert" | "debug_assert", 1..) => {
                let cond = self.detached(&arguments[0]);
                ExprKind::Assert(cond)
            }
            ("assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne", 2..) => {
                let left = self.detached(&arguments[0]);
                let right = self.detached(&arguments[1]);
                ExprKind::AssertCompare { equal: name.ends_with("eq"), left, right }
            }
            ("panic" | "unreachable" | "todo" | "unimplemented", _) => {
                ExprKind::Panic(self.evaluated(&arguments, 1))
            }
            ("println" | "print" | "eprintln" | "eprint", _) => {
                self.format(&arguments, 1, Formatted::Nothing)?
            }
            ("format", _) => self.format(&arguments, 1, Formatted::Text)?,
            ("format_args", 1..) => self.format(&arguments, 1, Formatted::Arguments)?,
            ("write" | "writeln", 1..) => {
                let receiver = self.detached(&arguments[0]);
                let mut text = self.format(&arguments, 2, Formatted::Arguments)?;
                if let (ExprKind::Format { pieces, .. }, "writeln") = (&mut text, name) {
                    let shown = match pieces.take() {
                        None if arguments.len() == 1 => Some(Vec::new()),
                        pieces => pieces.map(Vec::from),
                    };
                    let line =
                        |shown: Vec<Piece>| shown.into_iter().chain([Piece::Text("\n".into())]).collect();
                    *pieces = shown.map(line);
                }
                let arguments = vec![self.add(text, span)];
                let name = "write_fmt".into();
                let module = self.reader.module;
                ExprKind::Method { module, receiver, name, site: At(span), generics: Vec::new(), arguments }
            }
            ("concat" | "file" | "module_path" | "env" | "include_str", _) => ExprKind::Text(None),
            ("is_x86_feature_detected" | "is_aarch64_feature_detected", 1) => {
                return Some(self.unseen(span));
            }
            ("dbg", 1) => return Some(self.detached(&arguments[0])),
            _ => return None,
        };
        Some(self.add(kind, span))
    }

    /// Whether a path means a macro of the crate `log` that writes a line.
    fn is_log_macro(&self, segments: &[String]) -> bool {
        let items = &self.reader.items;
        let levels = ["trace", "debug", "info", "warn", "error"];
        let is_crate =
            self.reader.configuration.crates.iter().any(|known| known == "log")
                && items.modules.iter().filter(|module| module.krate == self.reader.krate()).all(|module| {
                    module.name != "log" && module.uses.iter().all(|import| import.name != "log")
                });
        let imported = |name: &str| {
            let mut uses = items.modules[self.reader.module.index()].uses.iter();
            uses.any(|import| {
                let path: Vec<&str> = import.path.segments.iter().map(|it| it.name.as_str()).collect();
                import.name == name && path == ["log", name]
            })
        };
        match segments {
            [krate, name] => is_crate && krate == "log" && levels.contains(&name.as_str()),
            [name] => is_crate && levels.contains(&name.as_str()) && imported(name),
            _ => false,
        }
    }

    /// What a formatting macro evaluates, behind its text.
    fn evaluated(&mut self, arguments: &Arguments, skipped: usize) -> Vec<ExprId> {
        let values = arguments.iter().skip(skipped).map(|argument| match argument {
            // `name = value`
            Expr::Assign(named) => &*named.right,
            other => other,
        });
        values.map(|value| self.detached(value)).collect()
    }

    /// What a formatting macro shows; its text stands before the arguments.
    fn format(&mut self, arguments: &Arguments, skipped: usize, gives: Formatted) -> Option<ExprKind> {
        let mut values = self.evaluated(arguments, skipped);
        let Some(text) = skipped.checked_sub(1).and_then(|at| literal(arguments.get(at)?)) else {
            return Some(ExprKind::Format { arguments: values, gives, pieces: None });
        };
        let name = |argument: &Expr| match argument {
            Expr::Assign(named) => match &*named.left {
                Expr::Path(path) => path.path.get_ident().map(name_of),
                _ => None,
            },
            _ => None,
        };
        let names: Vec<Option<String>> = arguments.iter().skip(skipped).map(name).collect();
        let read = shown::read(&text.value(), &names)?;
        for name in read.captured {
            let known = match self.meant_in_text(&name).as_slice() {
                [] => name,
                [only] => only.clone(),
                _ => return None,
            };
            let path = syn::Path::from(syn::Ident::new(&known, text.span()));
            values.push(self.detached(&Expr::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path })));
        }
        Some(ExprKind::Format { arguments: values, gives, pieces: Some(read.pieces.into()) })
    }

    fn matches(&mut self, mac: &syn::Macro, span: Span) -> Option<ExprId> {
        type Parsed = (Expr, syn::Pat, Option<Expr>);
        let parser = |input: syn::parse::ParseStream<'_>| -> syn::Result<Parsed> {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.peek(Token![if]) {
                true => {
                    input.parse::<Token![if]>()?;
                    Some(input.parse()?)
                }
                false => None,
            };
            let _: Option<Token![,]> = input.parse()?;
            Ok((value, pat, guard))
        };
        let (value, pat, guard) = parser.parse2(mac.tokens.clone()).ok()?;
        let (pat, guard) = match pat {
            syn::Pat::Guard(guarded) => (*guarded.pat, Some(*guarded.guard)),
            other => (other, guard),
        };
        let scrutinee = self.detached(&value);
        self.scopes.push(Vec::new());
        let pat = self.detached_pattern(&pat);
        let guard = guard.map(|guard| self.detached(&guard));
        self.scopes.pop();
        let (yes, no) = (self.add(ExprKind::Bool(true), span), self.add(ExprKind::Bool(false), span));
        let any = self.add_pat(PatKind::Wild, span);
        let arms = vec![Arm { pat, guard, body: yes }, Arm { pat: any, guard: None, body: no }];
        Some(self.add(ExprKind::Match(scrutinee, arms), span))
    }

    fn detached_pattern(&mut self, pat: &syn::Pat) -> PatId {
        match self.reader.keep(Tree::Pattern(pat.clone())) {
            Tree::Pattern(pat) => self.pattern(pat),
            _ => self.add_pat(PatKind::Opaque, self.place(pat)),
        }
    }

    fn vector(&mut self, mac: &syn::Macro, span: Span) -> Option<ExprId> {
        let text: proc_macro2::TokenStream = std::iter::once(proc_macro2::TokenTree::Group(
            proc_macro2::Group::new(proc_macro2::Delimiter::Bracket, mac.tokens.clone()),
        ))
        .collect();
        let array: Expr = syn::parse2(text).ok()?;
        let (name, arguments) = match &array {
            Expr::Array(array) if array.elems.len() > LONG => {
                let operands = array.elems.iter().map(|element| self.detached(element)).collect();
                return Some(self.opaque_with("a long vector", operands, span));
            }
            Expr::Array(array) => {
                let elements = array.elems.iter().map(|element| self.detached(element)).collect();
                (["kleene", "vector"], vec![self.add(ExprKind::Array(elements), span)])
            }
            Expr::Repeat(repeat) => {
                (["vec", "of_equal"], vec![self.detached(&repeat.expr), self.detached(&repeat.len)])
            }
            _ => return None,
        };
        let segment = |name: &str| Segment { name: name.into(), arguments: Vec::new() };
        let path = Path {
            module: self.reader.module,
            global: true,
            qself: None,
            segments: ["std"].into_iter().chain(name).map(segment).collect(),
        };
        let callee = self.add(ExprKind::Path(path), span);
        Some(self.add(ExprKind::Call(callee, arguments), span))
    }

    /// What the machine says on which the program runs.
    fn unseen(&mut self, span: Span) -> ExprId {
        let segment = |name: &str| Segment { name: name.into(), arguments: Vec::new() };
        let segments = ["std", "kleene", "unseen"].into_iter().map(segment).collect();
        let path = Path { module: self.reader.module, global: true, qself: None, segments };
        let callee = self.add(ExprKind::Path(path), span);
        self.add(ExprKind::Call(callee, Vec::new()), span)
    }

    /// A macro that is not expanded: it may write what it names, leave the function or a loop around it,
    /// and, as a statement, declare the names it is given.
    pub fn unknown_macro(
        &mut self,
        mac: &syn::Macro,
        span: Span,
        position: Position,
        reason: &'static str,
    ) -> ExprId {
        let mut mentions = self.mentioned(mac.tokens.clone());
        if position == Position::Statement {
            self.rebind(&mentions);
        }
        // It may call a macro of the function, whose text names what it likes.
        if self.declares_macros() {
            mentions = self.everything();
        }
        let declares = match reason {
            OF_STD => unseen::names_item(mac.tokens.clone(), &["impl"]),
            NOT_EXPANDED => unseen::may_declare_impls(mac.tokens.clone()),
            _ => true,
        };
        if declares {
            self.reader.hide_impls();
        }
        let opaque = Opaque {
            reason,
            operands: self.captured_by_texts(mac.tokens.clone(), span),
            leaves: true,
            around: self.breakables.iter().rev().find(|it| it.is_loop).map(|it| it.id),
            mentions,
            idle: false,
        };
        self.add(ExprKind::Opaque(opaque), span)
    }
}

/// The text that stands there as it is written.
fn literal(expr: &Expr) -> Option<&syn::LitStr> {
    match expr {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text),
        Expr::Group(inner) => literal(&inner.expr),
        _ => None,
    }
}

fn is_std(path: &super::super::hir::Path) -> bool {
    path.segments.first().is_some_and(|first| matches!(first.name.as_str(), "std" | "core" | "alloc"))
}
