//! Bodies: scopes, labels, statements.

use super::super::defs::Resolved;
use super::super::hir::{
    At, Binding, Body, Expr, ExprId, ExprKind, Local, LocalId, Mutability, Opaque, Pat, PatId, PatKind,
    Statement,
};
use super::super::items::{Definition, Owner};
use super::super::macros::{DefinitionId, base, outermost};
use super::ends;
use super::expand::Flat;
use super::kept::Tree;
use super::macros::Position;
use super::types::marked_name_of;
use super::{Places, Reader, new_module};
use crate::frontend::rust::hir::ModuleId;
use crate::source::Span;

pub(super) struct BodyReader<'r, 'a, 's> {
    pub reader: &'r mut Reader<'a, 's>,
    pub body: Body,
    /// Innermost last.
    pub scopes: Vec<Vec<Named>>,
    pub breakables: Vec<Breakable>,
}

/// What a scope has, in order.
pub(super) enum Named {
    Local(String, LocalId),
    /// A macro declared here, inside of this many breakables: names of its own text are looked up from here on
    /// as those of the text around it.
    Macro(DefinitionId, usize),
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
        let shown = base(&name).to_string();
        self.body.locals.push(Local { name: shown, span, mutable: false, hidden: false });
        let local = LocalId(self.body.locals.len() as u32 - 1);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(Named::Local(name, local));
        }
        local
    }

    pub fn lookup(&self, name: &str) -> Option<LocalId> {
        let mut name = name;
        for named in self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()) {
            match named {
                Named::Local(known, local) if known == name => return Some(*local),
                Named::Local(..) => {}
                Named::Macro(definition, _) => name = self.outside(name, *definition),
            }
        }
        None
    }

    /// A name, seen from before the macro was declared.
    fn outside<'n>(&self, name: &'n str, definition: DefinitionId) -> &'n str {
        match outermost(name) {
            Some((rest, mark)) if self.reader.macros.origin(mark) == Some(definition) => rest,
            _ => name,
        }
    }

    /// The loop or block that a label means, or the innermost loop.
    pub fn breakable(&self, label: Option<&syn::Lifetime>) -> Option<ExprId> {
        let Some(label) = label.map(|label| label.ident.to_string()) else {
            return self.breakables.iter().rev().find(|it| it.is_loop).map(|it| it.id);
        };
        let mut label = label.as_str();
        let mut macros =
            self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()).filter_map(|named| match named {
                Named::Macro(definition, around) => Some((*definition, *around)),
                Named::Local(..) => None,
            });
        let mut next = macros.next();
        for (index, it) in self.breakables.iter().enumerate().rev() {
            while let Some((definition, _)) = next.filter(|(_, around)| *around > index) {
                label = self.outside(label, definition);
                next = macros.next();
            }
            if it.label.as_deref() == Some(label) {
                return Some(it.id);
            }
        }
        None
    }

    /// Whether a plain name in a pattern is a constant or a variant rather than a new local.
    pub fn names_a_value(&self, name: &str) -> Option<bool> {
        match self.reader.items.value_named(self.reader.module, name) {
            Some(Resolved::Definition(Definition::Constant(_) | Definition::Variant(..))) => Some(true),
            Some(Resolved::Standard(path)) => {
                // Whatever its name here: functions are the only other values that std has.
                Some(path.rsplit("::").next().is_some_and(is_capital))
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
                proc_macro2::TokenTree::Ident(ident) => found.extend(self.lookup(&marked_name_of(&ident))),
                proc_macro2::TokenTree::Group(group) => work.extend(group.stream()),
                // What texts name is only lent: `captured_by_texts`.
                _ => {}
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Locals that a name in braces may mean: a text does not say which expansion wrote it.
    pub fn meant_in_text(&self, name: &str) -> Vec<String> {
        if !self.reader.standing.is_expanded() {
            return Vec::from_iter(self.lookup(name).map(|_| name.to_string()));
        }
        let locals = self.scopes.iter().flatten().filter_map(|named| match named {
            Named::Local(known, _) if base(known) == name => Some(known.clone()),
            _ => None,
        });
        let mut found: Vec<String> = locals.filter(|known| self.lookup(known).is_some()).collect();
        found.sort();
        found.dedup();
        found
    }

    /// Borrows of the locals that texts in a macro that is not understood may show.
    pub fn captured_by_texts(&mut self, tokens: proc_macro2::TokenStream, span: Span) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut work: Vec<proc_macro2::TokenTree> = tokens.into_iter().collect();
        while let Some(token) = work.pop() {
            match token {
                proc_macro2::TokenTree::Group(group) => work.extend(group.stream()),
                proc_macro2::TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                    let braces = text.contains('{');
                    let words = words.filter(|word| braces && !word.is_empty());
                    let named = words.flat_map(|word| self.meant_in_text(word));
                    found.extend(named.filter_map(|name| self.lookup(&name)));
                }
                _ => {}
            }
        }
        found.sort();
        found.dedup();
        let lent = found.into_iter().map(|local| {
            let place = self.add(ExprKind::Local(local), span);
            self.add(ExprKind::Reference(Mutability::Shared, place), span)
        });
        lent.collect()
    }

    /// After a macro that may declare them, these names may mean anything.
    pub fn rebind(&mut self, locals: &[LocalId]) {
        for local in locals {
            let span = self.body.local(*local).span;
            let known = self.scopes.iter().flatten().find_map(|named| match named {
                Named::Local(name, known) if known == local => Some(name.clone()),
                _ => None,
            });
            if let Some(name) = known {
                let again = self.bind(name, span);
                self.body.locals[again.index()].hidden = true;
            }
        }
    }

    /// Every local in scope.
    pub fn everything(&self) -> Vec<LocalId> {
        let locals = self.scopes.iter().flatten().filter_map(|named| match named {
            Named::Local(_, local) => Some(*local),
            Named::Macro(..) => None,
        });
        locals.collect()
    }

    /// Whether a macro is declared in the body so far: unknown code that calls it may name any local.
    pub fn declares_macros(&self) -> bool {
        self.scopes.iter().flatten().any(|named| matches!(named, Named::Macro(..)))
    }

    pub fn block(&mut self, block: &'s syn::Block, label: Option<String>) -> ExprId {
        let span = self.reader.places.span(ends::of_block(block));
        // The number is needed inside, so the node is made first and filled later.
        let id = self.add(ExprKind::Tuple(Vec::new()), span);
        let labelled = label.is_some();
        if labelled {
            self.breakables.push(Breakable { label, id, is_loop: false });
        }
        let around = (self.reader.module, self.reader.standing);
        let flat = self.enter_items(block);
        self.scopes.push(Vec::new());
        let (statements, tail) = self.statements(block, &flat);
        self.scopes.pop();
        (self.reader.module, self.reader.standing) = around;
        if labelled {
            self.breakables.pop();
        }
        self.body.exprs[id.index()].kind = ExprKind::Block { statements, tail, labelled };
        id
    }

    /// Declares the items of a block in a module of its own; gives its statements.
    fn enter_items(&mut self, block: &'s syn::Block) -> Vec<Flat<'s>> {
        let is_item = |statement: &syn::Stmt| matches!(statement, syn::Stmt::Item(_));
        let own = block.stmts.iter().any(is_item);
        if own {
            self.enter_module();
        }
        // Imports may bring the macros that other statements call.
        let is_use = |item: &syn::Item| matches!(item, syn::Item::Use(_));
        for statement in &block.stmts {
            if let syn::Stmt::Item(item) = statement
                && is_use(item)
            {
                self.reader.item(item);
            }
        }
        let mut flat = Vec::new();
        self.flat(&block.stmts, &mut flat);
        if !own && flat.iter().any(|it| is_item(it.statement)) {
            self.enter_module();
        }
        self.declared_by_macros(&flat);
        // They belong to the block: nothing of an impl or a trait around them is theirs.
        let after = self.reader.standing;
        let owner = std::mem::replace(&mut self.reader.owner, Owner::Module);
        for Flat { statement, standing, definition, .. } in &flat {
            let made = standing.is_expanded();
            if let syn::Stmt::Item(item) = statement
                && definition.is_none()
                && (made || !is_use(item))
            {
                self.reader.standing = *standing;
                self.reader.item(item);
            }
        }
        (self.reader.owner, self.reader.standing) = (owner, after);
        flat
    }

    pub(super) fn enter_module(&mut self) {
        let mut module = new_module(String::new(), Some(self.reader.module), self.reader.krate());
        module.block = true;
        self.reader.items.modules.push(module);
        self.reader.module = ModuleId(self.reader.items.modules.len() as u32 - 1);
    }

    fn statements(&mut self, block: &'s syn::Block, flat: &[Flat<'s>]) -> (Vec<Statement>, Option<ExprId>) {
        let mut statements = Vec::new();
        let mut tail = None;
        let mut from = self.place(&block.brace_token.span.open()).end as usize;
        let last = flat.iter().rposition(|next| !self.is_left(next.statement));
        for (index, next) in flat.iter().enumerate() {
            self.reader.standing = next.standing;
            let span = self.reader.places.span(ends::of_statement(next.statement));
            self.assumptions(from, span.start as usize, &mut statements);
            from = from.max(span.end as usize);
            self.statement(next, Some(index) == last, &mut statements, &mut tail);
        }
        let to = self.place(&block.brace_token.span.close()).start as usize;
        // An assumption behind the value of a block restricts nothing that follows in it.
        if tail.is_none() {
            self.assumptions(from, to, &mut statements);
        }
        (statements, tail)
    }

    /// Whether `#[cfg(…)]` leaves a statement out.
    fn is_left(&self, statement: &syn::Stmt) -> bool {
        let attributes = match statement {
            syn::Stmt::Local(local) => &local.attrs,
            syn::Stmt::Expr(expr, _) => expression_attributes(expr),
            syn::Stmt::Macro(item) => &item.attrs,
            syn::Stmt::Item(_) => return false,
        };
        self.reader.keeps(attributes) == super::super::cfg::Kept::Left
    }

    fn statement(
        &mut self,
        flat: &Flat<'s>,
        is_last: bool,
        statements: &mut Vec<Statement>,
        tail: &mut Option<ExprId>,
    ) {
        let (id, semicolon) = match flat.statement {
            syn::Stmt::Local(local) => {
                let span = self.reader.places.span(ends::of_statement(flat.statement));
                return self.local(local, span, statements);
            }
            syn::Stmt::Item(_) => {
                let named = flat.definition.map(|definition| Named::Macro(definition, self.breakables.len()));
                if let Some(scope) = self.scopes.last_mut() {
                    scope.extend(named);
                }
                return;
            }
            syn::Stmt::Expr(expr, semicolon) => {
                if self.is_left(flat.statement) {
                    return;
                }
                (self.expr(expr), semicolon)
            }
            syn::Stmt::Macro(item) => {
                let span = self.reader.places.of(&item.mac);
                let id = match flat.refused {
                    Some(reason) => self.unknown_macro(&item.mac, span, Position::Statement, reason),
                    None => self.macro_call(&item.mac, span, Position::Statement),
                };
                (id, &item.semi_token)
            }
        };
        // Without a semicolon at the end it is the block's value, whatever its brackets.
        match is_last && semicolon.is_none() {
            true => *tail = Some(id),
            false => statements.push(Statement::Expr(id)),
        }
    }

    fn local(&mut self, local: &'s syn::Local, span: Span, statements: &mut Vec<Statement>) {
        if self.reader.keeps(&local.attrs) == super::super::cfg::Kept::Left {
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
        statements.push(Statement::Let { pat, ty, init, otherwise, span: At(span) });
    }

    /// `// kleene: assume(…)` between two statements.
    fn assumptions(&mut self, from: usize, to: usize, statements: &mut Vec<Statement>) {
        let said = &self.reader.texts.list[self.reader.text].assumptions;
        let found: Vec<(usize, usize, String)> =
            said.iter().filter(|(at, ..)| from <= *at && *at < to).cloned().collect();
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

    /// An expression that the parser made apart from the file.
    pub fn detached(&mut self, expr: &syn::Expr) -> ExprId {
        match self.reader.keep(Tree::Expression(expr.clone())) {
            Tree::Expression(expr) => self.expr(expr),
            _ => self.opaque("an expression that was not kept", self.place(expr)),
        }
    }
}

pub(super) fn is_capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

pub(super) fn expression_attributes(expr: &syn::Expr) -> &[syn::Attribute] {
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
        syn::Expr::Path(inner) => &inner.attrs,
        syn::Expr::Lit(inner) => &inner.attrs,
        syn::Expr::Reference(inner) => &inner.attrs,
        syn::Expr::Unary(inner) => &inner.attrs,
        syn::Expr::Field(inner) => &inner.attrs,
        syn::Expr::Index(inner) => &inner.attrs,
        syn::Expr::Cast(inner) => &inner.attrs,
        syn::Expr::Struct(inner) => &inner.attrs,
        syn::Expr::Tuple(inner) => &inner.attrs,
        syn::Expr::Array(inner) => &inner.attrs,
        syn::Expr::Paren(inner) => &inner.attrs,
        syn::Expr::Closure(inner) => &inner.attrs,
        _ => &[],
    }
}
