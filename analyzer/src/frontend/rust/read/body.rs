//! Bodies: scopes, labels, statements.

use super::super::defs::Resolved;
use super::super::hir::{
    Binding, Body, Expr, ExprId, ExprKind, Local, LocalId, Opaque, Pat, PatId, PatKind, Statement,
};
use super::super::items::Definition;
use super::types::name_of;
use super::{Places, Reader, new_module};
use crate::frontend::rust::hir::ModuleId;
use crate::source::Span;

pub(super) struct BodyReader<'r, 'a, 's> {
    pub reader: &'r mut Reader<'a, 's>,
    pub body: Body,
    /// Innermost last; `None` stands for a name that unknown code may have bound anew.
    pub scopes: Vec<Vec<(String, LocalId)>>,
    pub breakables: Vec<Breakable>,
}

pub(super) struct Breakable {
    pub label: Option<String>,
    pub id: ExprId,
    /// An unlabelled `break` means it.
    pub is_loop: bool,
}

pub(super) fn function<'s>(
    reader: &mut Reader<'_, 's>,
    sig: &'s syn::Signature,
    block: &'s syn::Block,
) -> Body {
    let mut own = BodyReader::new(reader);
    for input in &sig.inputs {
        let pat = match input {
            syn::FnArg::Typed(typed) => own.pattern(&typed.pat),
            syn::FnArg::Receiver(receiver) => {
                let span = own.reader.places.span(receiver.self_token.span);
                let local = own.bind("self".into(), span);
                own.body.locals[local.index()].mutable = receiver.mutability.is_some();
                let kind = PatKind::Bind { local, by: Binding::Move, inner: None };
                own.add_pat(kind, span)
            }
        };
        own.body.parameters.push(pat);
    }
    let root = own.block(block, None);
    own.body.root = Some(root);
    own.body.end = Some(own.reader.places.span(block.brace_token.span.close()));
    own.body
}

pub(super) fn constant<'s>(reader: &mut Reader<'_, 's>, expr: &'s syn::Expr) -> Body {
    let mut own = BodyReader::new(reader);
    let root = own.expr(expr);
    own.body.root = Some(root);
    own.body.end = Some(own.span(root));
    own.body
}

impl<'r, 'a, 's> BodyReader<'r, 'a, 's> {
    fn new(reader: &'r mut Reader<'a, 's>) -> Self {
        Self { reader, body: Body::default(), scopes: vec![Vec::new()], breakables: Vec::new() }
    }

    pub fn add(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.body.exprs.push(Expr { kind, span });
        ExprId(self.body.exprs.len() as u32 - 1)
    }

    pub fn add_pat(&mut self, kind: PatKind, span: Span) -> PatId {
        self.body.pats.push(Pat { kind, span });
        PatId(self.body.pats.len() as u32 - 1)
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.body.expr(id).span
    }

    pub fn place(&self, node: &impl syn::spanned::Spanned) -> Span {
        self.reader.places.of(node)
    }

    pub fn bind(&mut self, name: String, span: Span) -> LocalId {
        self.body.locals.push(Local { name: name.clone(), span, mutable: false, hidden: false });
        let local = LocalId(self.body.locals.len() as u32 - 1);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name, local));
        }
        local
    }

    pub fn lookup(&self, name: &str) -> Option<LocalId> {
        self.scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev())
            .find(|(known, _)| known == name)
            .map(|(_, local)| *local)
    }

    /// Whether a plain name in a pattern is a constant or a variant rather than a new local.
    pub fn names_a_value(&self, name: &str) -> Option<bool> {
        match self.reader.items.value_named(self.reader.module, name) {
            Some(Resolved::Definition(Definition::Constant(_) | Definition::Variant(..))) => Some(true),
            Some(Resolved::Standard(path)) => {
                Some(path.ends_with("Option::None") || path.ends_with(name) && is_capital(name))
            }
            Some(Resolved::Unknown) if is_capital(name) => None,
            _ => Some(false),
        }
    }

    pub fn opaque(&mut self, reason: &'static str, span: Span) -> ExprId {
        self.opaque_with(reason, Vec::new(), span)
    }

    pub fn opaque_with(&mut self, reason: &'static str, operands: Vec<ExprId>, span: Span) -> ExprId {
        let opaque =
            Opaque { reason, operands, leaves: false, around: None, mentions: Vec::new(), idle: false };
        self.add(ExprKind::Opaque(opaque), span)
    }

    /// The locals that a text names, each once.
    pub fn mentioned(&self, tokens: proc_macro2::TokenStream) -> Vec<LocalId> {
        let mut found = Vec::new();
        let mut work: Vec<proc_macro2::TokenTree> = tokens.into_iter().collect();
        while let Some(token) = work.pop() {
            match token {
                proc_macro2::TokenTree::Ident(ident) => found.extend(self.lookup(&name_of(&ident))),
                proc_macro2::TokenTree::Group(group) => work.extend(group.stream()),
                // Format strings name locals too, but only read them.
                _ => {}
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// After a macro that may declare them, these names may mean anything.
    pub fn rebind(&mut self, locals: &[LocalId]) {
        for local in locals {
            let Local { name, span, .. } = self.body.local(*local).clone();
            let again = self.bind(name, span);
            self.body.locals[again.index()].hidden = true;
        }
    }

    /// Every local in scope.
    pub fn everything(&self) -> Vec<LocalId> {
        self.scopes.iter().flatten().map(|(_, local)| *local).collect()
    }

    pub fn block(&mut self, block: &'s syn::Block, label: Option<String>) -> ExprId {
        let span = self.place(block);
        // The number is needed inside, so the node is made first and filled later.
        let id = self.add(ExprKind::Tuple(Vec::new()), span);
        let labelled = label.is_some();
        if labelled {
            self.breakables.push(Breakable { label, id, is_loop: false });
        }
        let around = self.enter_items(block);
        self.scopes.push(Vec::new());
        let (statements, tail) = self.statements(block);
        self.scopes.pop();
        self.reader.module = around;
        if labelled {
            self.breakables.pop();
        }
        self.body.exprs[id.index()].kind = ExprKind::Block { statements, tail, labelled };
        id
    }

    /// Declares the items of a block in a module of its own; gives the module around it.
    fn enter_items(&mut self, block: &'s syn::Block) -> ModuleId {
        let around = self.reader.module;
        let items: Vec<&syn::Item> = block
            .stmts
            .iter()
            .filter_map(|statement| match statement {
                syn::Stmt::Item(item) => Some(item),
                _ => None,
            })
            .collect();
        if !items.is_empty() {
            let mut module = new_module(String::new(), Some(around));
            module.block = true;
            self.reader.items.modules.push(module);
            self.reader.module = ModuleId(self.reader.items.modules.len() as u32 - 1);
            let owner = self.reader.owner;
            items.into_iter().for_each(|item| self.reader.item(item));
            self.reader.owner = owner;
        }
        around
    }

    fn statements(&mut self, block: &'s syn::Block) -> (Vec<Statement>, Option<ExprId>) {
        let mut statements = Vec::new();
        let mut tail = None;
        let mut from = self.place(&block.brace_token.span.open()).end as usize;
        let count = block.stmts.len();
        for (index, statement) in block.stmts.iter().enumerate() {
            let span = self.place(statement);
            self.assumptions(from, span.start as usize, &mut statements);
            from = span.end as usize;
            match statement {
                syn::Stmt::Local(local) => self.local(local, span, &mut statements),
                syn::Stmt::Item(syn::Item::Macro(item)) if item.ident.is_some() => {
                    // Its body may name any local in scope.
                    let mentions = self.everything();
                    let opaque = Opaque {
                        reason: "a macro declared in a function",
                        operands: Vec::new(),
                        leaves: false,
                        around: None,
                        mentions,
                        idle: true,
                    };
                    let id = self.add(ExprKind::Opaque(opaque), span);
                    statements.push(Statement::Expr(id));
                }
                syn::Stmt::Item(_) => {}
                syn::Stmt::Expr(expr, semi) => {
                    let attributes = expression_attributes(expr);
                    if self.reader.configuration.keeps(attributes) == super::super::cfg::Kept::Left {
                        continue;
                    }
                    let id = self.expr(expr);
                    if semi.is_none() && index + 1 == count {
                        tail = Some(id);
                    } else {
                        statements.push(Statement::Expr(id));
                    }
                }
                syn::Stmt::Macro(item) => {
                    if self.reader.configuration.keeps(&item.attrs) == super::super::cfg::Kept::Left {
                        continue;
                    }
                    let span = self.reader.places.of(&item.mac);
                    let id = self.macro_call(&item.mac, span, super::macros::Position::Statement);
                    // Without a semicolon at the end it is the block's value, whatever its brackets.
                    if item.semi_token.is_none() && index + 1 == count {
                        tail = Some(id);
                    } else {
                        statements.push(Statement::Expr(id));
                    }
                }
            }
        }
        let to = self.place(&block.brace_token.span.close()).start as usize;
        // An assumption behind the value of a block restricts nothing that follows in it.
        if tail.is_none() {
            self.assumptions(from, to, &mut statements);
        }
        (statements, tail)
    }

    fn local(&mut self, local: &'s syn::Local, span: Span, statements: &mut Vec<Statement>) {
        if self.reader.configuration.keeps(&local.attrs) == super::super::cfg::Kept::Left {
            return;
        }
        let (pat, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(self.reader.type_ref(&typed.ty))),
            other => (other, None),
        };
        // The names of the pattern are not in scope of the value.
        let init = local.init.as_ref().map(|init| self.expr(&init.expr));
        let otherwise =
            local.init.as_ref().and_then(|init| init.diverge.as_ref()).map(|(_, other)| self.expr(other));
        let pat = self.pattern(pat);
        statements.push(Statement::Let { pat, ty, init, otherwise, span });
    }

    /// `// kleene: assume(…)` between two statements.
    fn assumptions(&mut self, from: usize, to: usize, statements: &mut Vec<Statement>) {
        let said = self.reader.texts.map(|texts| &texts.list[self.reader.text].assumptions);
        let found: Vec<(usize, usize, String)> =
            said.into_iter().flatten().filter(|(at, ..)| from <= *at && *at < to).cloned().collect();
        for (comment, inside, text) in found {
            let span = Span::new(self.reader.places.file.id, comment, inside + text.len() + 1);
            let Ok(condition) = syn::parse_str::<syn::Expr>(&text) else {
                self.reader.unknown("an assumption that is no expression", span);
                continue;
            };
            let around = self.reader.places.clone();
            self.reader.places = Places { file: around.file.clone(), offset: inside };
            let id = self.detached(&condition);
            self.reader.places = around;
            let id = self.add(ExprKind::Assume(id), span);
            statements.push(Statement::Expr(id));
        }
    }

    /// An expression that the parser made apart from the file: nothing in it is kept for later.
    pub fn detached(&mut self, expr: &syn::Expr) -> ExprId {
        self.detached_with(|nested| nested.expr(expr))
    }

    pub fn detached_with<'t, T>(&mut self, read: impl FnOnce(&mut BodyReader<'_, '_, 't>) -> T) -> T {
        // Bodies inside (array lengths, nested items) would outlive `expr`; they are read here and now.
        let mut inner = Reader {
            texts: None,
            text: 0,
            places: self.reader.places.clone(),
            configuration: self.reader.configuration,
            intrinsics: self.reader.intrinsics,
            items: std::mem::take(&mut self.reader.items),
            module: self.reader.module,
            owner: self.reader.owner,
            pending: Default::default(),
        };
        let mut nested = BodyReader {
            reader: &mut inner,
            body: std::mem::take(&mut self.body),
            scopes: std::mem::take(&mut self.scopes),
            breakables: std::mem::take(&mut self.breakables),
        };
        let id = read(&mut nested);
        (self.body, self.scopes, self.breakables) = (nested.body, nested.scopes, nested.breakables);
        inner.bodies();
        self.reader.items = inner.items;
        id
    }
}

pub(super) fn is_capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

fn expression_attributes(expr: &syn::Expr) -> &[syn::Attribute] {
    match expr {
        syn::Expr::Block(inner) => &inner.attrs,
        syn::Expr::If(inner) => &inner.attrs,
        syn::Expr::Call(inner) => &inner.attrs,
        syn::Expr::MethodCall(inner) => &inner.attrs,
        syn::Expr::Assign(inner) => &inner.attrs,
        syn::Expr::Binary(inner) => &inner.attrs,
        syn::Expr::Macro(inner) => &inner.attrs,
        syn::Expr::Match(inner) => &inner.attrs,
        syn::Expr::While(inner) => &inner.attrs,
        syn::Expr::ForLoop(inner) => &inner.attrs,
        syn::Expr::Return(inner) => &inner.attrs,
        syn::Expr::Unsafe(inner) => &inner.attrs,
        _ => &[],
    }
}
