//! Calls of local macros: which macro a path means, and what it expands to in each position.

use proc_macro2::TokenStream;
use syn::Token;
use syn::parse::{Parse, ParseStream, Parser};
use syn::spanned::Spanned;

use super::super::cfg::Kept as Configured;
use super::super::defs::{Namespace, Resolved};
use super::super::hir::{ModuleId, Path, Segment};
use super::super::items::{Definition, KrateId, Use};
use super::super::macros::{DefinitionId, Expanded, Standing};
use super::super::reach::Reach;
use super::Reader;
use super::body::BodyReader;
use super::kept::{Link, Tree};
use super::types::{marked_name_of, name_of};

/// What the name of a macro means in a module.
pub(super) enum Meant {
    Known(DefinitionId),
    /// Something that is not seen may declare it.
    Unknown,
    Nothing,
}

impl Meant {
    fn known(self) -> Option<DefinitionId> {
        match self {
            Meant::Known(found) => Some(found),
            Meant::Unknown | Meant::Nothing => None,
        }
    }
}

/// Modules whose globs ask for a macro, and whoever was asked before.
type Asked<'s> = (&'s [ModuleId], &'s mut Vec<(ModuleId, String)>);

/// A call at the level of items whose macro is not in scope yet.
#[derive(Clone, Copy)]
pub(super) struct Deferred<'s> {
    pub call: &'s syn::ItemMacro,
    pub module: ModuleId,
    pub standing: Standing,
    pub text: usize,
}

impl<'s> Reader<'_, 's> {
    pub(super) fn keep(&mut self, tree: Tree) -> &'s Tree {
        let link: &'s Link = self.kept.get_or_init(|| Box::new(Link { tree, next: Default::default() }));
        self.kept = &link.next;
        &link.tree
    }

    /// `macro_rules! name { … }`: gives the macro it declares from here on.
    pub(super) fn define_macro(&mut self, item: &syn::ItemMacro, known: bool) -> Option<DefinitionId> {
        let name = name_of(item.ident.as_ref()?);
        let is_rules =
            item.mac.path.segments.last().is_some_and(|last| name_of(&last.ident) == "macro_rules");
        let tokens = (known && is_rules).then(|| item.mac.tokens.clone());
        let definition = self.macros.define(tokens);
        self.macros.declare(&mut self.standing, Some(name.clone()), definition);
        self.items.modules[self.module.index()].macros.insert(name.clone());
        if self.has_attribute(&item.attrs, "macro_export") {
            self.macros.export(name, definition);
            if self.exports_among_themselves(&item.attrs) {
                self.macros.keep_among_themselves(definition);
            }
        }
        Some(definition)
    }

    /// `#[macro_use] extern crate name;`
    pub(super) fn use_macros_of(&mut self, name: &str) {
        if let Some(root) = self.items.crate_named(self.module, name) {
            self.macros.use_all(self.items.module(root).krate);
        }
    }

    pub(super) fn has_attribute(&self, attributes: &[syn::Attribute], name: &str) -> bool {
        let mut applied = attributes.iter().flat_map(|attribute| self.configuration.applied(&attribute.meta));
        applied.any(|meta| meta.path().is_ident(name))
    }

    /// `#[macro_export(local_inner_macros)]`
    fn exports_among_themselves(&self, attributes: &[syn::Attribute]) -> bool {
        let mut applied = attributes.iter().flat_map(|attribute| self.configuration.applied(&attribute.meta));
        applied.any(|meta| match meta {
            syn::Meta::List(list) => {
                // A comma may follow.
                let first = list.tokens.clone().into_iter().next();
                let says = first.is_some_and(|first| first.to_string() == "local_inner_macros");
                list.path.is_ident("macro_export") && says
            }
            _ => false,
        })
    }

    /// The crate in whose root a macro of a plain name is, where the text of a macro says so that brought the name.
    pub(super) fn meant_among_themselves(&self, path: &syn::Path) -> Option<KrateId> {
        let only = path.get_ident()?;
        self.macros.meant_among_themselves(&marked_name_of(only))
    }

    /// The local macro that a path means for certain.
    pub(super) fn macro_named(&self, path: &syn::Path) -> Option<DefinitionId> {
        if let Some(krate) = self.meant_among_themselves(path) {
            return self.macros.exported(krate, &name_of(path.get_ident()?));
        }
        let names: Vec<String> = path.segments.iter().map(|segment| name_of(&segment.ident)).collect();
        let (last, before) = names.split_last()?;
        let global = path.leading_colon.is_some();
        if before.is_empty() && !global {
            return match self.macros.in_scope(self.standing, last) {
                Some(found) => Some(found),
                None => match self.macro_around(last) {
                    Meant::Nothing => self.macros.used(last),
                    found => found.known(),
                },
            };
        }
        let segments = before.iter().map(|name| Segment { name: name.clone(), arguments: Vec::new() });
        let around = Path { module: self.module, global, qself: None, segments: segments.collect() };
        self.macro_behind(&around, last, (&[], &mut Vec::new())).known()
    }

    /// A macro that the module or a block around it declares or imports.
    pub(super) fn macro_around(&self, name: &str) -> Meant {
        let mut at = self.module;
        loop {
            let module = self.items.module(at);
            match (self.macro_of(at, name, (&[], &mut Vec::new())), module.parent) {
                (Meant::Nothing, Some(parent)) if module.block => at = parent,
                (found, _) => return found,
            }
        }
    }

    fn macro_behind(&self, around: &Path, name: &str, (askers, seen): Asked<'_>) -> Meant {
        // The root of the crate has all exported macros, also if it is not seen itself.
        if let ([only], false) = (around.segments.as_slice(), around.global)
            && let Some(root) = self.items.root_named(self.module, &only.name)
            && let Some(found) = self.macros.exported(self.items.module(root).krate, name)
        {
            return Meant::Known(found);
        }
        let target = self.items.resolve(around, Namespace::Types);
        match (target.found, target.rest) {
            (Resolved::Definition(Definition::Module(module)), []) => {
                self.macro_of(module, name, (askers, seen))
            }
            (Resolved::Unknown, _) => Meant::Unknown,
            _ => Meant::Nothing,
        }
    }

    /// A macro that a module declares or imports, as far as all who ask with globs can see it.
    fn macro_of(&self, module: ModuleId, name: &str, (askers, seen): Asked<'_>) -> Meant {
        // Whoever asked first says what there is.
        if seen.iter().any(|(at, asked)| *at == module && asked == name) {
            return Meant::Nothing;
        }
        seen.push((module, name.to_string()));
        let krate = self.items.module(module).krate;
        let is_own = krate == self.krate();
        let is_root = self.items.crate_of(module).root == module && !(is_own && self.items.inner);
        let in_root = is_root.then(|| self.macros.exported(krate, name)).flatten();
        let sees = |reach: Reach| {
            let all: Vec<_> = askers.iter().map(|asker| self.items.sees(*asker, reach)).collect();
            let hidden = all.contains(&Some(false));
            if hidden { Some(false) } else { Some(true).filter(|_| !all.contains(&None)) }
        };
        let in_scope = |import: &&Use| import.name == name && import.path.single().is_some();
        let reach = self.items.module(module).uses.iter().find(in_scope).map(|import| import.reach);
        let imported = self.macros.imported(module, name).filter(|_| is_own);
        let imported = imported.filter(|_| reach.and_then(sees) == Some(true));
        if let Some(found) = imported.or(in_root) {
            return Meant::Known(found);
        }
        // Of another crate only what is public can be meant.
        let imports = self
            .items
            .module(module)
            .uses
            .iter()
            .filter(|import| import.name == name && !import.only_module)
            .filter(|import| is_own && sees(import.reach) != Some(false) || import.reach.is_everywhere());
        let mut is_imported = false;
        for import in imports {
            is_imported = true;
            if let [around @ .., last] = import.path.segments.as_slice()
                && !around.is_empty()
            {
                let around = Path { segments: around.to_vec(), ..import.path.clone() };
                if let Meant::Known(found) = self.macro_behind(&around, &last.name, (&[], seen)) {
                    return Meant::Known(found);
                }
            }
        }
        // What is imported by name goes before globs, and it may be a macro that is not seen.
        if is_imported {
            return Meant::Unknown;
        }
        let mut meant = Meant::Nothing;
        let found = self.items.module(module);
        if !is_own && found.opaque {
            meant = Meant::Unknown;
        }
        let mut askers = askers.to_vec();
        askers.push(module);
        let globs = found.globs.iter().filter(|glob| glob.reach.is_everywhere() || is_own);
        for glob in globs.filter(|glob| sees(glob.reach) != Some(false)) {
            match self.macro_behind(&glob.path, name, (&askers, seen)) {
                Meant::Known(found) => return Meant::Known(found),
                Meant::Unknown => meant = Meant::Unknown,
                Meant::Nothing => {}
            }
        }
        meant
    }

    /// Expands a call; everything below is read inside of it until `standing` is set back.
    pub(super) fn expanded<T>(
        &mut self,
        call: &syn::Macro,
        id: DefinitionId,
        parser: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
    ) -> Result<(T, Standing), &'static str> {
        let tokens: TokenStream = call.tokens.clone();
        let Expanded { tokens, standing } = self.macros.expand(id, tokens, call.span(), self.standing)?;
        let parsed = parser.parse2(tokens).map_err(|_| "a macro whose expansion does not parse")?;
        Ok((parsed, standing))
    }

    /// A call where items stand.
    pub(super) fn item_call(&mut self, call: &'s syn::ItemMacro) {
        match self.macro_named(&call.mac.path) {
            Some(id) => self.expand_items(call, id),
            None if self.included(call) => {}
            None => {
                let (module, standing, text) = (self.module, self.standing, self.text);
                self.deferred.push(Deferred { call, module, standing, text });
            }
        }
    }

    /// Items of a file that is taken in stand where the call stands.
    fn included(&mut self, call: &'s syn::ItemMacro) -> bool {
        if !call.mac.path.is_ident("include") || self.standing.is_expanded() {
            return false;
        }
        let texts = self.texts;
        let start = self.places.of(call).start;
        let Some(Ok(text)) = texts.list[self.text].modules.get(&start).copied() else { return false };
        let syntax = &texts.list[text].syntax;
        if self.configuration.keeps(&syntax.attrs) != Configured::Plain {
            return false;
        }
        let around = self.text;
        self.turn_to(text);
        self.item_list(&syntax.items);
        self.turn_to(around);
        true
    }

    /// The text of a module in a file of its own. One that a macro was given stands there if the macro declares it in the
    /// module it is called in.
    pub(super) fn text_of_module(
        &self,
        item: &syn::ItemMod,
        start: u32,
    ) -> Option<Result<usize, &'static str>> {
        let modules = &self.texts.list[self.text].modules;
        let around = self.items.module(self.module);
        let names_file = |attribute: &syn::Attribute| {
            ["path", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name))
        };
        let elsewhere = !self.standing.is_expanded()
            || around.made && around.end.is_some()
            || item.attrs.iter().any(names_file);
        let given = self.places.span(item.mod_token.span).start;
        let known = modules.get(&start).or_else(|| modules.get(&given).filter(|_| !elsewhere));
        known.copied()
    }

    fn expand_items(&mut self, call: &'s syn::ItemMacro, id: DefinitionId) {
        match self.expanded(&call.mac, id, list::<syn::Item>) {
            Ok((items, inside)) => {
                let Tree::Items(items) = self.keep(Tree::Items(items)) else { return };
                let around = std::mem::replace(&mut self.standing, inside);
                self.item_list(items);
                // What it declares stays in scope behind it.
                self.standing = around.with_scope_of(self.standing);
            }
            Err(reason) => self.unknown_items(call, reason),
        }
    }

    fn unknown_items(&mut self, call: &'s syn::ItemMacro, reason: &'static str) {
        if self.asserts_statically(&call.mac) {
            return;
        }
        let span = self.places.of(call);
        self.unknown(reason, span);
        if let Some(types) = self.flags(&call.mac) {
            types.into_iter().for_each(|(name, public)| {
                if public {
                    self.items.modules[self.module.index()].exported.insert(name.clone());
                }
                self.wrapper(name);
            });
            return;
        }
        if let Some(names) = self.thread_locals(&call.mac) {
            let values = &mut self.items.modules[self.module.index()].values;
            values.extend(names.into_iter().map(|name| (name, Definition::Opaque)));
            return;
        }
        self.items.modules[self.module.index()].opaque = true;
    }

    /// The name of a macro that a path or an import says is one of a crate of the public registry.
    fn macro_of_crate(&self, call: &syn::Macro, krate: &str) -> Option<String> {
        let of_crate = |path: &[Segment]| path.first().is_some_and(|first| first.name == krate);
        let segments: Vec<String> =
            call.path.segments.iter().map(|segment| name_of(&segment.ident)).collect();
        let around = |id: &ModuleId| self.items.module(*id).parent.filter(|_| self.items.module(*id).block);
        let around = std::iter::successors(Some(self.module), around);
        let imported = |name: &str| {
            around.flat_map(|id| &self.items.module(id).uses).any(|import| {
                let path = import.path.segments.as_slice();
                import.name == name && of_crate(path) && path.len() == 2 && path[1].name == name
            })
        };
        let is_known = self.configuration.crates.iter().any(|known| known == krate);
        match segments.as_slice() {
            [only] if is_known && imported(only) => Some(only.clone()),
            [of, name] if is_known && of == krate => Some(name.clone()),
            _ => None,
        }
    }

    /// What the macros of the crate `static_assertions` declare has no name. Before 1.0 one could be given, before a `;`.
    fn asserts_statically(&self, call: &syn::Macro) -> bool {
        let is_label = |token: &proc_macro2::TokenTree| matches!(token, proc_macro2::TokenTree::Punct(sign) if sign.as_char() == ';');
        let name = self.macro_of_crate(call, "static_assertions");
        name.is_some_and(|name| name.starts_with("assert_") || name.starts_with("const_assert"))
            && !call.tokens.clone().into_iter().any(|token| is_label(&token))
    }

    /// `bitflags! { pub struct Name: u8 { … } }` of the crate `bitflags` declares structures around a number, with
    /// methods of their own and traits for them alone; whether they are public is said with their names.
    fn flags(&self, call: &syn::Macro) -> Option<Vec<(String, bool)>> {
        if self.macro_of_crate(call, "bitflags")? != "bitflags" {
            return None;
        }
        let mut found = Vec::new();
        let mut tokens = call.tokens.clone().into_iter().peekable();
        let mut public = false;
        while let Some(token) = tokens.next() {
            match token.to_string().as_str() {
                "pub" => public = !matches!(tokens.peek(), Some(proc_macro2::TokenTree::Group(_))),
                "struct" => {
                    let Some(proc_macro2::TokenTree::Ident(name)) = tokens.next() else { return None };
                    found.push((name_of(&name), std::mem::take(&mut public)));
                }
                // Methods for a type that is declared elsewhere.
                "impl" => return None,
                _ => {}
            }
        }
        Some(found)
    }

    /// Calls whose macros are declared or imported further below.
    pub(super) fn deferred_items(&mut self) {
        loop {
            let waiting = std::mem::take(&mut self.deferred);
            let count = waiting.len();
            for next in waiting {
                self.turn_to(next.text);
                (self.module, self.standing) = (next.module, next.standing);
                self.item_call(next.call);
            }
            if self.deferred.len() >= count {
                break;
            }
        }
        for left in std::mem::take(&mut self.deferred) {
            self.turn_to(left.text);
            (self.module, self.standing) = (left.module, left.standing);
            self.unknown_items(left.call, "a macro that may declare items");
        }
    }

    /// A call among the items of an impl; `None` where it stays unknown.
    pub(super) fn member_call(&mut self, call: &syn::Macro) -> Option<(&'s [syn::ImplItem], Standing)> {
        let id = self.macro_named(&call.path)?;
        let (members, inside) = self.expanded(call, id, list::<syn::ImplItem>).ok()?;
        match self.keep(Tree::Members(members)) {
            Tree::Members(members) => Some((members, inside)),
            _ => None,
        }
    }

    /// A call among the items of a trait; `None` where it stays unknown.
    pub(super) fn trait_call(&mut self, call: &syn::Macro) -> Option<(&'s [syn::TraitItem], Standing)> {
        let id = self.macro_named(&call.path)?;
        let (declared, inside) = self.expanded(call, id, list::<syn::TraitItem>).ok()?;
        match self.keep(Tree::Declared(declared)) {
            Tree::Declared(declared) => Some((declared, inside)),
            _ => None,
        }
    }

    pub(super) fn type_call(&mut self, call: &syn::Macro) -> Option<(&'s syn::Type, Standing)> {
        let id = self.macro_named(&call.path)?;
        let (ty, inside) = self.expanded(call, id, syn::Type::parse).ok()?;
        match self.keep(Tree::Type(ty)) {
            Tree::Type(ty) => Some((ty, inside)),
            _ => None,
        }
    }

    pub(super) fn pattern_call(&mut self, call: &syn::Macro) -> Option<(&'s syn::Pat, Standing)> {
        let id = self.macro_named(&call.path)?;
        let (pat, inside) = self.expanded(call, id, syn::Pat::parse_multi_with_leading_vert).ok()?;
        match self.keep(Tree::Pattern(pat)) {
            Tree::Pattern(pat) => Some((pat, inside)),
            _ => None,
        }
    }

    pub(super) fn expression_call(
        &mut self,
        call: &syn::Macro,
        id: DefinitionId,
    ) -> Result<(&'s syn::Expr, Standing), &'static str> {
        // A semicolon behind the expression is forgiven.
        let parser = |input: ParseStream<'_>| {
            let expr: syn::Expr = input.parse()?;
            let _: Option<Token![;]> = input.parse()?;
            Ok(expr)
        };
        let (expr, inside) = self.expanded(call, id, parser)?;
        match self.keep(Tree::Expression(expr)) {
            Tree::Expression(expr) => Ok((expr, inside)),
            _ => Err("a macro that is not expanded"),
        }
    }

    fn statement_call(
        &mut self,
        call: &syn::StmtMacro,
        id: DefinitionId,
    ) -> Result<(&'s [syn::Stmt], Standing), &'static str> {
        let (mut statements, inside) = self.expanded(&call.mac, id, syn::Block::parse_within)?;
        // The semicolon behind the call ends its last statement.
        if let Some(semicolon) = call.semi_token
            && let Some(last) = statements.pop()
        {
            statements.push(ended(last, semicolon));
        }
        match self.keep(Tree::Statements(statements)) {
            Tree::Statements(statements) => Ok((statements, inside)),
            _ => Err("a macro that is not expanded"),
        }
    }

    pub(super) fn is_intrinsic(&self, path: &syn::Path) -> bool {
        let segments: Vec<String> = path.segments.iter().map(|segment| name_of(&segment.ident)).collect();
        self.intrinsics.meaning(&format!("{}!", segments.join("::"))).is_some()
    }

    pub(super) fn leaves_out(&self, attributes: &[syn::Attribute]) -> bool {
        self.keeps(attributes) == Configured::Left
    }
}

/// A statement of a block, calls of local macros expanded.
#[derive(Clone, Copy)]
pub(super) struct Flat<'s> {
    pub statement: &'s syn::Stmt,
    pub standing: Standing,
    /// The macro it declares.
    pub definition: Option<DefinitionId>,
    /// Why a call of a local macro was not expanded.
    pub refused: Option<&'static str>,
}

impl<'s> BodyReader<'_, '_, 's> {
    /// The statements of a block one by one, and those that macros make of them.
    pub fn flat(&mut self, statements: &'s [syn::Stmt], found: &mut Vec<Flat<'s>>) {
        for statement in statements {
            let (mut definition, mut refused) = (None, None);
            match statement {
                // A semicolon of its own.
                syn::Stmt::Expr(syn::Expr::Verbatim(tokens), Some(_)) if tokens.is_empty() => continue,
                syn::Stmt::Item(syn::Item::Macro(item)) if item.ident.is_some() => {
                    let kept = self.reader.keeps(&item.attrs);
                    if kept == Configured::Left {
                        continue;
                    }
                    definition = self.reader.define_macro(item, kept == Configured::Plain);
                }
                syn::Stmt::Macro(call) if self.reader.leaves_out(&call.attrs) => continue,
                // What the settings say a macro means goes before its definition.
                syn::Stmt::Macro(call) if self.reader.is_intrinsic(&call.mac.path) => {}
                syn::Stmt::Macro(call) => {
                    if let Some(id) = self.reader.macro_named(&call.mac.path) {
                        match self.reader.statement_call(call, id) {
                            Ok((statements, inside)) => {
                                let around = std::mem::replace(&mut self.reader.standing, inside);
                                self.flat(statements, found);
                                self.reader.standing = around.with_scope_of(self.reader.standing);
                                continue;
                            }
                            Err(reason) => refused = Some(reason),
                        }
                    }
                }
                _ => {}
            }
            found.push(Flat { statement, standing: self.reader.standing, definition, refused });
        }
    }
}

/// A statement with a semicolon behind it.
fn ended(statement: syn::Stmt, semicolon: Token![;]) -> syn::Stmt {
    match statement {
        syn::Stmt::Expr(syn::Expr::Macro(call), None) => {
            syn::Stmt::Macro(syn::StmtMacro { attrs: call.attrs, mac: call.mac, semi_token: Some(semicolon) })
        }
        syn::Stmt::Expr(expr, None) => syn::Stmt::Expr(expr, Some(semicolon)),
        syn::Stmt::Macro(mut call) => {
            call.semi_token = call.semi_token.or(Some(semicolon));
            syn::Stmt::Macro(call)
        }
        other => other,
    }
}

/// One after the other to the end.
fn list<T: Parse>(input: ParseStream<'_>) -> syn::Result<Vec<T>> {
    let mut found = Vec::new();
    while !input.is_empty() {
        found.push(input.parse()?);
    }
    Ok(found)
}
