//! From text to outline, by walking over the syntax once.

use std::ops::Range;
use std::path::Path;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, ImplItemFn, ItemFn, ItemImpl, Pat, Signature, TraitItemFn};

use super::attributes;
use super::names::{is_name, used};
use super::{Attribute, Function, Named, Names, Outline};
use crate::source::{SourceFile, Span, skim};

/// Holds the recursion over what the front end lets through.
const STACK: usize = 512 << 20;

pub fn outline(source: &SourceFile, asked: &[Span]) -> Outline {
    let texts: Vec<&SourceFile> =
        std::iter::once(source).chain(source.modules().iter().map(|module| &**module)).collect();
    // The parser keeps its positions in the thread.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let work = move || {
            let mut outline = Outline::default();
            texts.iter().for_each(|text| read(text, &texts, asked, &mut outline));
            outline
        };
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => Outline::default(),
        }
    })
}

fn read(file: &SourceFile, texts: &[&SourceFile], asked: &[Span], outline: &mut Outline) {
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
    let short = text.is_ascii().then(|| skim::without_bodies(text, |body| says_nothing(file, body, asked)).0);
    let Ok(syntax) = syn::parse_str::<syn::File>(short.as_deref().unwrap_or(text)) else { return };
    let offset = file.text.len() - text.len();
    let mut reader = Reader {
        file,
        texts,
        offset,
        outline,
        functions: Vec::new(),
        modules: Vec::new(),
        of_trait: None,
        in_operator: false,
    };
    let whole = Span::new(file.id, 0, file.text.len());
    reader.allowed_in(&syntax.attrs, whole);
    reader.visit_file(&syntax);
}

/// Whether nobody asks for what stands in a body: no place of those asked lies there, it declares nothing, and neither
/// attributes nor comments in it allow something.
fn says_nothing(file: &SourceFile, body: Range<usize>, asked: &[Span]) -> bool {
    let at = Span::new(file.id, body.start, body.end);
    let text = &file.text[body];
    let is_told = text.contains('#') || text.contains("kleene") || text.contains("mod ");
    !is_told
        && skim::can_wait(text)
        && !asked.iter().any(|place| place.file == at.file && place.start < at.end && at.start < place.end)
}

struct Reader<'r> {
    file: &'r SourceFile,
    texts: &'r [&'r SourceFile],
    offset: usize,
    outline: &'r mut Outline,
    /// Those around the current place, the innermost last.
    functions: Vec<Function>,
    /// Modules around the current place, inside of this file.
    modules: Vec<String>,
    /// The trait whose impl this is.
    of_trait: Option<String>,
    in_operator: bool,
}

impl Reader<'_> {
    fn span(&self, of: &impl Spanned) -> Span {
        let span = of.span();
        // The parser searches long to count bytes.
        let at = |place: proc_macro2::LineColumn| self.file.byte_at(place.line, place.column);
        if let (0, Some(start), Some(end)) = (self.offset, at(span.start()), at(span.end())) {
            return Span::new(self.file.id, start, end);
        }
        let range = span.byte_range();
        Span::new(self.file.id, range.start + self.offset, range.end + self.offset)
    }

    fn text(&self, span: Span) -> &str {
        self.file.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn names(&self, of: &impl Spanned) -> Names {
        used(self.text(self.span(of)))
    }

    fn named(&self, of: &impl Spanned) -> Named {
        let span = self.span(of);
        Named { span, names: used(self.text(span)) }
    }

    /// What attributes of a piece of text allow there.
    fn allowed(&mut self, attributes: &[syn::Attribute], of: &impl Spanned) {
        let covers = self.span(of);
        self.allowed_in(attributes, covers);
    }

    fn allowed_in(&mut self, attributes: &[syn::Attribute], covers: Span) {
        let found = attributes
            .iter()
            .filter_map(|attribute| attributes::level(attribute).map(|level| (attribute, level)));
        for (attribute, (expects, lints)) in found {
            let at = self.span(attribute);
            self.outline.attributes.push(Attribute { at, covers, expects, lints });
        }
    }

    /// The file of a module that is declared here.
    fn declared(&mut self, item: &syn::ItemMod) {
        let names = attributes::module_files(&self.file.name, &self.modules, item);
        let found = self.texts.iter().find(|text| names.iter().any(|name| Path::new(&text.name) == name));
        if let Some(found) = found {
            self.outline.declared.push((found.id, self.span(item)));
        }
    }

    fn function(&mut self, span: Span, attributes: &[syn::Attribute], signature: &Signature, block: &Block) {
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(bound(&typed.pat)),
            FnArg::Receiver(_) => None,
        });
        let mut function = Function {
            span,
            head: self.span(signature),
            documents_panics: attributes::documents_panics(attributes),
            implements: self.of_trait.clone().map(|name| (name, signature.ident.to_string())),
            is_operator: self.in_operator,
            parameters: parameters.flatten().collect(),
            conditions: Vec::new(),
            expected: Vec::new(),
            dangers: Vec::new(),
            stores: Vec::new(),
            checked: Names::new(),
            switches: Vec::new(),
            alternatives: Vec::new(),
        };
        if matches!(signature.safety, syn::Safety::Unsafe(_)) {
            function.dangers.push(Named { span: self.span(block), names: Names::new() });
        }
        self.functions.push(function);
        let operator = std::mem::replace(&mut self.in_operator, false);
        let of_trait = self.of_trait.take();
        self.visit_block(block);
        (self.in_operator, self.of_trait) = (operator, of_trait);
        self.outline.functions.extend(self.functions.pop());
    }

    /// A condition holds, or not, wherever control comes to behind it.
    fn condition(&mut self, names: Names, behind: Span) {
        if let Some(function) = self.functions.last_mut() {
            function.conditions.push(Named { span: behind, names });
        }
    }

    /// A condition that may be constant, with the text that nobody comes to then.
    fn switch(&mut self, condition: Span, behind: impl IntoIterator<Item = Span>) {
        if let Some(function) = self.functions.last_mut() {
            function.switches.push(condition);
            function.alternatives.extend(behind);
        }
    }

    /// Behind a branch without another one: the rest of the function.
    fn rest(&self, branch: Span) -> Option<Span> {
        let function = self.functions.last()?.span;
        Some(Span { start: branch.end, ..function })
    }

    fn danger(&mut self, of: &impl Spanned) {
        let danger = self.named(of);
        if let Some(function) = self.functions.last_mut() {
            function.dangers.push(danger);
        }
    }

    fn store(&mut self, names: Names, value: &impl Spanned) {
        let span = self.span(value);
        let of_arguments = self.names(value);
        let Some(function) = self.functions.last_mut() else { return };
        // What is made of arguments only is as good as an argument.
        if function.is_of_arguments(&of_arguments) {
            function.parameters.extend(names.iter().cloned());
        }
        function.stores.push(Named { span, names });
    }

    fn call(&mut self, name: &str, receiver: Option<&Expr>, arguments: &[&Expr]) {
        if attributes::ALLOCATING.contains(&name) {
            arguments.iter().for_each(|argument| self.danger(*argument));
        }
        if name.starts_with("checked_") {
            let all = receiver.into_iter().chain(arguments.iter().copied());
            let names: Names = all.flat_map(|part| self.names(part)).collect();
            if let Some(function) = self.functions.last_mut() {
                function.checked.extend(names);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        self.allowed(attributes::of_item(item), item);
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_none() {
            return self.declared(item);
        }
        self.modules.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.modules.pop();
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        let attributes = match statement {
            syn::Stmt::Local(local) => local.attrs.as_slice(),
            syn::Stmt::Macro(called) => called.attrs.as_slice(),
            syn::Stmt::Expr(expression, _) => attributes::of_expression(expression),
            syn::Stmt::Item(_) => &[],
        };
        self.allowed(attributes, statement);
        let span = self.span(statement);
        if !matches!(statement, syn::Stmt::Item(_)) && !self.text(span).contains('{') {
            self.outline.statements.push(span);
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.allowed(&arm.attrs, arm);
        visit::visit_arm(self, arm);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(self.span(item), &item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.allowed(&item.attrs, item);
        self.function(self.span(item), &item.attrs, &item.sig, &item.block);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        for part in &item.items {
            if let syn::TraitItem::Fn(function) = part
                && attributes::documents_panics(&function.attrs)
            {
                self.outline.documented.insert((item.ident.to_string(), function.sig.ident.to_string()));
            }
        }
        visit::visit_item_trait(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.allowed(&item.attrs, item);
        if let Some(block) = &item.default {
            self.function(self.span(item), &item.attrs, &item.sig, block);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let last = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        let is_operator =
            last.is_some_and(|last| attributes::OPERATORS.iter().any(|operator| last.ident == operator));
        let around = std::mem::replace(&mut self.in_operator, is_operator);
        let outer = std::mem::replace(&mut self.of_trait, last.map(|last| last.ident.to_string()));
        visit::visit_item_impl(self, item);
        (self.in_operator, self.of_trait) = (around, outer);
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        let names = self.names(&branch.cond);
        if names.is_empty() {
            let other = match &branch.else_branch {
                Some((_, other)) => Some(self.span(other)),
                None => self.rest(self.span(branch)),
            };
            let behind = [Some(self.span(&branch.then_branch)), other];
            self.switch(self.span(&branch.cond), behind.into_iter().flatten());
        }
        self.condition(names.clone(), self.span(&branch.then_branch));
        if let Some((_, other)) = &branch.else_branch {
            self.condition(names, self.span(other));
        }
        visit::visit_expr_if(self, branch);
    }

    fn visit_expr_match(&mut self, choice: &'ast syn::ExprMatch) {
        let names = self.names(&choice.expr);
        if self.functions.last().is_some_and(|function| function.is_of_arguments(&names)) {
            // Parts of an argument are arguments.
            let parts: Names = choice.arms.iter().flat_map(|arm| bound(&arm.pat)).collect();
            if let Some(function) = self.functions.last_mut() {
                function.parameters.extend(parts);
            }
        }
        for (index, arm) in choice.arms.iter().enumerate() {
            let guard = match &arm.pat {
                Pat::Guard(guarded) => {
                    self.switch(self.span(&guarded.guard), None);
                    self.names(&guarded.guard)
                }
                _ => Names::new(),
            };
            let is_needed = !choice.arms[index + 1..].iter().any(|later| takes_all(&later.pat));
            if is_needed && !matches!(arm.pat, Pat::Guard(_)) {
                let body = self.span(&arm.body);
                self.functions.iter_mut().last().into_iter().for_each(|it| it.alternatives.push(body));
            }
            self.condition(names.union(&guard).cloned().collect(), self.span(&arm.body));
        }
        visit::visit_expr_match(self, choice);
    }

    fn visit_expr_while(&mut self, repeated: &'ast syn::ExprWhile) {
        self.condition(self.names(&repeated.cond), self.span(&repeated.body));
        visit::visit_expr_while(self, repeated);
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast syn::ExprForLoop) {
        self.condition(self.names(&repeated.expr), self.span(&repeated.body));
        visit::visit_expr_for_loop(self, repeated);
    }

    fn visit_expr_unsafe(&mut self, code: &'ast syn::ExprUnsafe) {
        self.danger(code);
        visit::visit_expr_unsafe(self, code);
    }

    fn visit_expr_index(&mut self, indexed: &'ast syn::ExprIndex) {
        self.danger(&indexed.index);
        visit::visit_expr_index(self, indexed);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        let arguments: Vec<&Expr> = call.args.iter().collect();
        self.call(&name, Some(&call.receiver), &arguments);
        if name == "expect" || name == "expect_err" {
            let expected = Named { span: self.span(&call.method), names: self.names(&call.receiver) };
            if let Some(function) = self.functions.last_mut() {
                function.expected.push(expected);
            }
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && let Some(last) = path.path.segments.last()
        {
            let arguments: Vec<&Expr> = call.args.iter().collect();
            self.call(&last.ident.to_string(), None, &arguments);
        }
        visit::visit_expr_call(self, call);
    }

    /// `vec![element; count]` allocates.
    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let is_vec = called.path.segments.last().is_some_and(|last| last.ident == "vec");
        let span = self.span(called);
        if is_vec && let Some(at) = self.text(span).rfind(';') {
            let count = Span { start: span.start + at as u32 + 1, ..span };
            let names = used(self.text(count));
            if let Some(function) = self.functions.last_mut() {
                function.dangers.push(Named { span: count, names });
            }
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.store(bound(&local.pat), &init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.switch(self.span(local), Some(self.span(otherwise)));
            }
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        if let Expr::Path(_) = &*assign.left {
            self.store(self.names(&assign.left), &assign.right);
        }
        visit::visit_expr_assign(self, assign);
    }

    /// `x += y` is computed and stored.
    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let written = self.text(self.span(&binary.op));
        if written.ends_with('=') && !matches!(written, "==" | "<=" | ">=" | "!=") {
            let store = Named { span: self.span(binary), names: self.names(&binary.left) };
            if let Some(function) = self.functions.last_mut() {
                function.stores.push(store);
            }
        }
        visit::visit_expr_binary(self, binary);
    }
}

/// `_`, or a name.
fn takes_all(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(name) => name.subpat.is_none() && is_name(&name.ident.to_string()),
        _ => false,
    }
}

/// The names that a pattern binds.
fn bound(pattern: &Pat) -> Names {
    struct Bound(Names);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            let name = pattern.ident.to_string();
            if is_name(&name) {
                self.0.insert(name);
            }
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut found = Bound(Names::new());
    found.visit_pat(pattern);
    found.0
}
