//! Expressions.

use kleene_domains::expr::CompareOp;
use kleene_domains::int::Int;
use syn::{BinOp, UnOp};

use super::super::cfg::Kept;
use super::super::hir::{Arm, At, Closure, ExprId, ExprKind, Lazy, Opaque, Operator, Path, Statement};
use super::super::intrinsics::Intrinsic;
use super::super::macros::base;
use super::body::{BodyReader, Breakable};
use super::ends;
use super::macros::Position;
use super::types::{marked_name_of, mutability, name_of};
use crate::source::Span;

/// Longer literal arrays are not looked into.
const TABLE_LIMIT: usize = 1024;

impl<'s> BodyReader<'_, '_, 's> {
    pub fn expr(&mut self, expr: &'s syn::Expr) -> ExprId {
        match expr {
            syn::Expr::Paren(inner) => return self.parenthesised(inner),
            syn::Expr::Group(inner) => return self.expr(&inner.expr),
            _ => {}
        }
        let span = self.reader.places.span(ends::of_expr(expr));
        let kind = match expr {
            syn::Expr::Lit(literal) => match self.literal_kind(&literal.lit) {
                Some(kind) => kind,
                None => return self.opaque("a literal of this kind", span),
            },
            syn::Expr::Path(path) => self.path_expr(path),
            syn::Expr::Infer(_) => ExprKind::Underscore,
            syn::Expr::Unary(unary) => {
                let inner = self.expr(&unary.expr);
                match unary.op {
                    UnOp::Not(_) => ExprKind::Not(inner),
                    UnOp::Neg(_) => ExprKind::Negate(inner),
                    UnOp::Deref(_) => ExprKind::Deref(inner),
                    _ => return self.opaque_with("this operator", vec![inner], span),
                }
            }
            syn::Expr::Binary(binary) => return self.binary(binary, span),
            syn::Expr::Assign(assign) => {
                let left = self.expr(&assign.left);
                let right = self.expr(&assign.right);
                ExprKind::Assign(left, right)
            }
            syn::Expr::Reference(reference) => {
                let inner = self.expr(&reference.expr);
                ExprKind::Reference(mutability(reference.mutability.is_some()), inner)
            }
            syn::Expr::Cast(cast) => {
                let inner = self.expr(&cast.expr);
                ExprKind::Cast(inner, self.reader.type_ref(&cast.ty))
            }
            syn::Expr::Call(call) => return self.call(call, span),
            syn::Expr::MethodCall(call) => self.method(call),
            syn::Expr::Field(field) => {
                let inner = self.expr(&field.base);
                ExprKind::Field(inner, member(&field.member))
            }
            syn::Expr::Index(index) => {
                let base = self.expr(&index.expr);
                ExprKind::Index(base, self.expr(&index.index))
            }
            syn::Expr::Tuple(tuple) => ExprKind::Tuple(self.exprs(&tuple.elems)),
            syn::Expr::Array(array) => return self.array(array, span),
            syn::Expr::Repeat(repeat) => {
                let element = self.expr(&repeat.expr);
                let usize = self.reader.usize_ref();
                ExprKind::Repeat(element, self.reader.anonymous(&repeat.len, usize))
            }
            syn::Expr::Struct(inner) => self.structure(inner),
            syn::Expr::Range(range) => ExprKind::Range {
                low: range.start.as_ref().map(|low| self.expr(low)),
                high: range.end.as_ref().map(|high| self.expr(high)),
                inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)),
            },
            syn::Expr::Try(inner) => ExprKind::Try(self.expr(&inner.expr)),
            syn::Expr::Return(inner) => ExprKind::Return(inner.expr.as_ref().map(|value| self.expr(value))),
            syn::Expr::Macro(inner) => {
                let span = self.place(&inner.mac);
                return self.macro_call(&inner.mac, span, Position::Expression);
            }
            syn::Expr::Let(inner) => {
                // The names are bound for what follows in the condition, not for the value.
                let value = self.expr(&inner.expr);
                ExprKind::Let(self.pattern(&inner.pat), value)
            }
            other => return self.control(other, span),
        };
        self.add(kind, span)
    }

    /// rustc takes what stands in parentheses with these. Of places only the lines are said, so that others stay where
    /// they are.
    fn parenthesised(&mut self, outer: &'s syn::ExprParen) -> ExprId {
        let id = self.expr(&outer.expr);
        let (open, begin) = (outer.paren_token.span.open(), ends::of_expr(&outer.expr));
        if open.start().line < begin.start().line {
            let around = self.reader.places.span(ends::joined(open, outer.paren_token.span.close()));
            let span = &mut self.body.exprs[id.index()].span;
            if around.file == span.file && around.start <= span.start && span.end <= around.end {
                *span = around;
            }
        }
        id
    }

    fn exprs(&mut self, list: &'s syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>) -> Vec<ExprId> {
        let kept = list.iter().filter(|expr| {
            let attributes = super::body::expression_attributes(expr);
            self.reader.keeps(attributes) != Kept::Left
        });
        let kept: Vec<&'s syn::Expr> = kept.collect();
        kept.into_iter().map(|expr| self.expr(expr)).collect()
    }

    fn control(&mut self, expr: &'s syn::Expr, span: Span) -> ExprId {
        match expr {
            syn::Expr::Block(inner) => {
                let label = inner.label.as_ref().map(|label| label.name.ident.to_string());
                let id = self.block(&inner.block, label);
                self.body.exprs[id.index()].span = span;
                id
            }
            syn::Expr::Unsafe(inner) => self.block(&inner.block, None),
            syn::Expr::Const(inner) => {
                let id = self.block(&inner.block, None);
                self.body.constants.push(id);
                id
            }
            syn::Expr::If(inner) => {
                self.scopes.push(Vec::new());
                let cond = self.expr(&inner.cond);
                let then = self.block(&inner.then_branch, None);
                self.scopes.pop();
                let otherwise = inner.else_branch.as_ref().map(|(_, other)| self.expr(other));
                self.add(ExprKind::If { cond, then, otherwise }, span)
            }
            syn::Expr::Match(inner) => {
                let scrutinee = self.expr(&inner.expr);
                let arms = inner.arms.iter().filter_map(|arm| self.arm(arm)).collect();
                self.add(ExprKind::Match(scrutinee, arms), span)
            }
            syn::Expr::Loop(_) | syn::Expr::While(_) | syn::Expr::ForLoop(_) => self.loop_expr(expr, span),
            syn::Expr::Break(inner) => {
                let value = inner.expr.as_ref().map(|value| self.expr(value));
                match self.breakable(inner.label.as_ref()) {
                    Some(target) => self.add(ExprKind::Break(target, value), span),
                    None => self.opaque("a `break` out of nothing", span),
                }
            }
            syn::Expr::Continue(inner) => match self.breakable(inner.label.as_ref()) {
                Some(target) => self.add(ExprKind::Continue(target), span),
                None => self.opaque("a `continue` of nothing", span),
            },
            syn::Expr::Closure(closure) if is_plain(closure) => self.closure(closure, span),
            syn::Expr::Closure(_) => self.beyond("a closure", expr, span, Making::Idle),
            syn::Expr::Async(_) => self.beyond("async code", expr, span, Making::Idle),
            syn::Expr::Await(_) => self.beyond("async code", expr, span, Making::Acting),
            syn::Expr::RawAddr(_) => self.beyond("a raw pointer", expr, span, Making::Idle),
            _ => self.beyond("an expression of this kind", expr, span, Making::Acting),
        }
    }

    /// An expression that is not looked into.
    fn beyond(&mut self, reason: &'static str, expr: &'s syn::Expr, span: Span, making: Making) -> ExprId {
        let mentions = self.mentioned(quoted(expr));
        let opaque = Opaque {
            reason,
            operands: Vec::new(),
            leaves: making == Making::Acting,
            around: self.breakables.iter().rev().find(|it| it.is_loop).map(|it| it.id),
            mentions,
            idle: making == Making::Idle,
        };
        self.add(ExprKind::Opaque(opaque), span)
    }

    pub fn literal_kind(&mut self, literal: &syn::Lit) -> Option<ExprKind> {
        Some(match literal {
            syn::Lit::Bool(value) => ExprKind::Bool(value.value),
            syn::Lit::Int(value) => match value.suffix() {
                suffix @ ("f32" | "f64") => ExprKind::Float(float_bits(value.base10_digits()), suffix.into()),
                suffix => ExprKind::Integer(value.base10_digits().parse::<Int>().ok()?, suffix.into()),
            },
            syn::Lit::Byte(value) => ExprKind::Integer(Int::from(i64::from(value.value())), "u8".into()),
            syn::Lit::Char(value) => ExprKind::Char(value.value()),
            syn::Lit::Str(text) => ExprKind::Text(Some(text.value())),
            syn::Lit::ByteStr(value) => ExprKind::Bytes(value.value()),
            syn::Lit::Float(value) => {
                ExprKind::Float(float_bits(value.base10_digits()), value.suffix().into())
            }
            _ => return None,
        })
    }

    fn path_expr(&mut self, path: &'s syn::ExprPath) -> ExprKind {
        if let (None, Some(ident)) = (&path.qself, path.path.get_ident())
            && let Some(local) = self.lookup(&marked_name_of(ident))
        {
            return ExprKind::Local(local);
        }
        ExprKind::Path(self.reader.qualified(path.qself.as_ref(), &path.path))
    }

    fn binary(&mut self, binary: &'s syn::ExprBinary, span: Span) -> ExprId {
        let left = self.expr(&binary.left);
        let right = self.expr(&binary.right);
        let kind = match &binary.op {
            BinOp::And(_) => ExprKind::Lazy(Lazy::And, left, right),
            BinOp::Or(_) => ExprKind::Lazy(Lazy::Or, left, right),
            op => match (operator(op), update(op)) {
                (Some(op), _) => ExprKind::Binary(op, left, right),
                (None, Some(op)) => ExprKind::Update(op, left, right),
                _ => return self.opaque_with("this operator", vec![left, right], span),
            },
        };
        self.add(kind, span)
    }

    fn call(&mut self, call: &'s syn::ExprCall, span: Span) -> ExprId {
        if let syn::Expr::Path(path) = &*call.func
            && self.lookup_path(path).is_none()
        {
            let called = self.reader.path(&path.path);
            if let Some(meaning) = self.reader.meaning(&called) {
                let arguments = self.exprs(&call.args);
                return self.intrinsic(meaning, Some(called), arguments, span);
            }
        }
        let callee = self.expr(&call.func);
        let arguments = self.exprs(&call.args);
        self.add(ExprKind::Call(callee, arguments), span)
    }

    fn lookup_path(&self, path: &syn::ExprPath) -> Option<super::super::hir::LocalId> {
        path.path.get_ident().and_then(|ident| self.lookup(&marked_name_of(ident)))
    }

    pub fn intrinsic(
        &mut self,
        meaning: Intrinsic,
        path: Option<Path>,
        arguments: Vec<ExprId>,
        span: Span,
    ) -> ExprId {
        let kind = match (meaning, arguments.as_slice()) {
            (Intrinsic::Any, []) => ExprKind::Any(path),
            (Intrinsic::Any, _) => {
                let any = self.add(ExprKind::Any(path), span);
                let statements = arguments.into_iter().map(Statement::Expr).collect();
                ExprKind::Block { statements, tail: Some(any), labelled: false }
            }
            (Intrinsic::Assume, [cond, ..]) => ExprKind::Assume(*cond),
            (Intrinsic::Assert, [cond, ..]) => ExprKind::Assert(*cond),
            _ => return self.opaque_with("an intrinsic without a condition", arguments, span),
        };
        self.add(kind, span)
    }

    fn method(&mut self, call: &'s syn::ExprMethodCall) -> ExprKind {
        let receiver = self.expr(&call.receiver);
        let name_span = self.reader.places.span(call.method.span());
        let end = self.reader.places.span(call.paren_token.span.close());
        let generics = call.turbofish.as_ref().map(|inside| self.reader.generic_arguments(inside));
        let arguments = self.exprs(&call.args);
        ExprKind::Method {
            module: self.reader.module,
            receiver,
            name: name_of(&call.method),
            site: At(name_span.to(end)),
            generics: generics.unwrap_or_default(),
            arguments,
        }
    }

    fn array(&mut self, array: &'s syn::ExprArray, span: Span) -> ExprId {
        if array.elems.len() <= TABLE_LIMIT {
            let elements = self.exprs(&array.elems);
            return self.add(ExprKind::Array(elements), span);
        }
        let plain = |expr: &syn::Expr| match expr {
            syn::Expr::Unary(unary) => matches!(*unary.expr, syn::Expr::Lit(_)),
            other => matches!(other, syn::Expr::Lit(_)),
        };
        let simple = array.elems.iter().all(|element| match element {
            syn::Expr::Tuple(tuple) => tuple.elems.iter().all(plain),
            syn::Expr::Array(inner) => inner.elems.iter().all(plain),
            other => plain(other),
        });
        match array.elems.first().filter(|_| simple) {
            Some(first) => {
                let first = self.expr(first);
                self.reader.unknown("a long table", span);
                self.add(ExprKind::Table(array.elems.len() as u64, first), span)
            }
            None => self.opaque("a long table", span),
        }
    }

    fn structure(&mut self, inner: &'s syn::ExprStruct) -> ExprKind {
        let path = self.reader.qualified(inner.qself.as_ref(), &inner.path);
        let mut fields = Vec::new();
        for field in &inner.fields {
            if self.reader.keeps(&field.attrs) != Kept::Left {
                fields.push((member(&field.member), self.expr(&field.expr)));
            }
        }
        let base = inner.rest.as_ref().map(|base| self.expr(base));
        ExprKind::Struct { path, fields, base }
    }

    fn arm(&mut self, arm: &'s syn::Arm) -> Option<Arm> {
        if self.reader.keeps(&arm.attrs) == Kept::Left {
            return None;
        }
        self.scopes.push(Vec::new());
        let (pat, guard) = match &arm.pat {
            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            other => (other, None),
        };
        let pat = self.pattern(pat);
        let guard = guard.map(|guard| self.expr(guard));
        let body = self.expr(&arm.body);
        self.scopes.pop();
        Some(Arm { pat, guard, body })
    }

    fn loop_expr(&mut self, expr: &'s syn::Expr, span: Span) -> ExprId {
        let id = self.add(ExprKind::Tuple(Vec::new()), span);
        let named = |label: &Option<syn::Label>| label.as_ref().map(|label| label.name.ident.to_string());
        let shown = |label: Option<String>| label.map(|label| base(&label).to_string());
        let kind = match expr {
            syn::Expr::Loop(inner) => {
                let label = named(&inner.label);
                self.breakables.push(Breakable { label: label.clone(), id, is_loop: true });
                let body = self.block(&inner.body, None);
                self.breakables.pop();
                ExprKind::Loop { label: shown(label), body }
            }
            syn::Expr::While(inner) => {
                let label = named(&inner.label);
                self.breakables.push(Breakable { label: label.clone(), id, is_loop: true });
                self.scopes.push(Vec::new());
                let cond = self.expr(&inner.cond);
                let body = self.block(&inner.body, None);
                self.scopes.pop();
                self.breakables.pop();
                ExprKind::While { label: shown(label), cond, body }
            }
            syn::Expr::ForLoop(inner) => {
                let label = named(&inner.label);
                let iterated = self.expr(&inner.expr);
                self.breakables.push(Breakable { label: label.clone(), id, is_loop: true });
                self.scopes.push(Vec::new());
                let pat = self.pattern(&inner.pat);
                let body = self.block(&inner.body, None);
                self.scopes.pop();
                self.breakables.pop();
                ExprKind::For { label: shown(label), pat, iterated, body }
            }
            _ => ExprKind::Underscore,
        };
        self.body.exprs[id.index()].kind = kind;
        id
    }

    fn closure(&mut self, closure: &'s syn::ExprClosure, span: Span) -> ExprId {
        let (first, locals) = (ExprId(self.body.exprs.len() as u32), self.body.locals.len());
        let breakables = std::mem::take(&mut self.breakables);
        self.scopes.push(Vec::new());
        let mut parameters = Vec::new();
        for input in &closure.inputs {
            parameters.push(match input {
                syn::Pat::Type(typed) => (self.pattern(&typed.pat), Some(self.reader.type_ref(&typed.ty))),
                other => (self.pattern(other), None),
            });
        }
        let result = match &closure.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(self.reader.type_ref(ty)),
        };
        let body = self.expr(&closure.body);
        self.scopes.pop();
        self.breakables = breakables;
        let mut names = Vec::new();
        for inside in &self.body.exprs[first.index()..] {
            match &inside.kind {
                ExprKind::Local(local) => names.push(*local),
                ExprKind::Opaque(opaque) => names.extend(&opaque.mentions),
                _ => {}
            }
        }
        names.retain(|local| local.index() < locals);
        names.sort();
        names.dedup();
        let by_move = closure.capture.is_some();
        let locals = locals..self.body.locals.len();
        let closure = Closure { parameters, result, body, by_move, names, first, locals };
        self.add(ExprKind::Closure(closure), span)
    }
}

/// Neither async nor with attributes that may rewrite it.
fn is_plain(closure: &syn::ExprClosure) -> bool {
    closure.asyncness.is_none() && closure.attrs.is_empty() && closure.lifetimes.is_none()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Making {
    Idle,
    Acting,
}

/// The tokens of an expression, without printing it.
fn quoted(expr: &syn::Expr) -> proc_macro2::TokenStream {
    struct Idents(Vec<proc_macro2::TokenTree>);
    impl<'ast> syn::visit::Visit<'ast> for Idents {
        fn visit_ident(&mut self, ident: &'ast syn::Ident) {
            self.0.push(proc_macro2::TokenTree::Ident(ident.clone()));
        }
        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            self.0.extend(mac.tokens.clone());
        }
        fn visit_token_stream(&mut self, tokens: &'ast proc_macro2::TokenStream) {
            self.0.extend(tokens.clone());
        }
    }
    let mut idents = Idents(Vec::new());
    syn::visit::Visit::visit_expr(&mut idents, expr);
    idents.0.into_iter().collect()
}

pub(super) fn member(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name_of(name),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

fn operator(op: &BinOp) -> Option<Operator> {
    Some(match op {
        BinOp::Add(_) => Operator::Add,
        BinOp::Sub(_) => Operator::Sub,
        BinOp::Mul(_) => Operator::Mul,
        BinOp::Div(_) => Operator::Div,
        BinOp::Rem(_) => Operator::Rem,
        BinOp::BitAnd(_) => Operator::And,
        BinOp::BitOr(_) => Operator::Or,
        BinOp::BitXor(_) => Operator::Xor,
        BinOp::Shl(_) => Operator::ShiftLeft,
        BinOp::Shr(_) => Operator::ShiftRight,
        BinOp::Eq(_) => Operator::Compare(CompareOp::Equal),
        BinOp::Ne(_) => Operator::Compare(CompareOp::NotEqual),
        BinOp::Lt(_) => Operator::Compare(CompareOp::Less),
        BinOp::Le(_) => Operator::Compare(CompareOp::LessEqual),
        BinOp::Gt(_) => Operator::Compare(CompareOp::Greater),
        BinOp::Ge(_) => Operator::Compare(CompareOp::GreaterEqual),
        _ => return None,
    })
}

fn update(op: &BinOp) -> Option<Operator> {
    Some(match op {
        BinOp::AddAssign(_) => Operator::Add,
        BinOp::SubAssign(_) => Operator::Sub,
        BinOp::MulAssign(_) => Operator::Mul,
        BinOp::DivAssign(_) => Operator::Div,
        BinOp::RemAssign(_) => Operator::Rem,
        BinOp::BitAndAssign(_) => Operator::And,
        BinOp::BitOrAssign(_) => Operator::Or,
        BinOp::BitXorAssign(_) => Operator::Xor,
        BinOp::ShlAssign(_) => Operator::ShiftLeft,
        BinOp::ShrAssign(_) => Operator::ShiftRight,
        _ => return None,
    })
}

/// Bits of the value that a literal is nearest to, as an `f32` and as an `f64`.
fn float_bits(digits: &str) -> Option<(u32, u64)> {
    Some((digits.parse::<f32>().ok()?.to_bits(), digits.parse::<f64>().ok()?.to_bits()))
}
