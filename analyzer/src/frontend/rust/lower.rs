//! Functions and statements of the slice.
//!
//! Steps are those of C-: a `let`, an assignment, a condition, a call, a return, a macro without
//! effect. `if` as the value of a `let`, an assignment or a function is control flow: a condition step,
//! then the step that uses the value, once per branch.

use rustc_hash::FxHashMap;
use syn::visit::Visit;
use syn::{Expr, Stmt};

use super::super::build::{FunctionBuilder, Pending, Point};
use super::super::{Arithmetic, FrontendOptions, arith};
use super::Places;
use super::types::{Ty, Value};
use crate::ir::{
    Effect, Function, FunctionId, Input, InputSource, Place, Program, StepKind, VariableId, VariableKind,
};
use crate::source::{Diagnostic, Severity, Span};

/// A mistake that is reported already.
pub(super) struct Refused;

pub(super) type Lowering<T> = Result<T, Refused>;

#[derive(Clone)]
pub(super) struct Signature {
    pub id: FunctionId,
    pub parameters: Vec<Ty>,
    pub result: Option<Ty>,
}

pub(super) struct Lowerer<'a> {
    pub places: &'a Places<'a>,
    pub arithmetic: Arithmetic,
    pub diagnostics: &'a mut Vec<Diagnostic>,
    pub signatures: FxHashMap<String, Signature>,
    pub scopes: Vec<FxHashMap<String, (VariableId, Ty)>>,
    pub constants: FxHashMap<String, Value>,
    pub builder: FunctionBuilder,
    result: Option<Ty>,
    loops: Vec<Loop>,
    main_loops: Vec<(Point, bool)>,
}

struct Loop {
    label: Option<String>,
    outside: Point,
    again: Point,
}

/// Where the value of a block goes.
#[derive(Clone)]
enum Goal {
    /// Nowhere: a statement.
    Nothing,
    Return,
    Store(Place, Ty, StepKind),
}

pub(super) fn program(
    syntax: &syn::File,
    places: &Places<'_>,
    options: &FrontendOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let start = Span::new(places.file.id, 0, 0);
    let mut lowerer = Lowerer {
        places,
        arithmetic: options.arithmetic,
        diagnostics,
        signatures: FxHashMap::default(),
        scopes: Vec::new(),
        constants: FxHashMap::default(),
        builder: FunctionBuilder::new("", start),
        result: None,
        loops: Vec::new(),
        main_loops: Vec::new(),
    };
    let mut attributes = Attributes(Vec::new());
    attributes.visit_file(syntax);
    for span in attributes.0 {
        let span = places.span(span);
        let _: Lowering<()> = lowerer.refuse(span, "not supported yet: this attribute");
    }
    let bodies = lowerer.collect(syntax);
    let entry_is_called = super::expression::calls(syntax, &options.entry);
    let functions: Vec<Function> = bodies
        .iter()
        .map(|item| lowerer.function(item, item.sig.ident == options.entry, entry_is_called))
        .collect();
    let Some(entry) = lowerer.signatures.get(&options.entry).map(|signature| signature.id) else {
        let known: Vec<_> = bodies.iter().take(20).map(|item| format!("`{}`", item.sig.ident)).collect();
        let known = if known.is_empty() {
            "it has no functions".into()
        } else {
            format!("it has {}", known.join(", "))
        };
        let message = format!("the program has no function `{}`; {known}", options.entry);
        lowerer.diagnostics.push(Diagnostic { severity: Severity::Error, message, span: None, help: None });
        return None;
    };
    let clean = diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
    clean.then(|| Program { globals: Vec::new(), functions, entry, initialisers: Vec::new() })
}

/// Attributes that may change what the code means.
struct Attributes(Vec<proc_macro2::Span>);

impl<'ast> Visit<'ast> for Attributes {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        const HARMLESS: [&str; 9] =
            ["doc", "allow", "warn", "deny", "expect", "inline", "must_use", "cold", "rustfmt"];
        let first = attribute.path().segments.first().map(|segment| segment.ident.to_string());
        if !first.is_some_and(|name| HARMLESS.contains(&name.as_str())) {
            self.0.push(attribute.pound_token.spans[0]);
        }
    }
}

impl<'a> Lowerer<'a> {
    pub(super) fn refuse<T>(&mut self, span: Span, message: impl Into<String>) -> Lowering<T> {
        self.diagnostics.push(Diagnostic::error(span, message));
        Err(Refused)
    }

    pub(super) fn unsupported<T>(&mut self, node: &impl syn::spanned::Spanned, what: &str) -> Lowering<T> {
        let span = self.places.of(node);
        self.refuse(span, format!("not supported yet: {what}"))
    }

    /// The functions to lower; fills the tables of names.
    fn collect<'s>(&mut self, syntax: &'s syn::File) -> Vec<&'s syn::ItemFn> {
        let mut bodies = Vec::new();
        for item in &syntax.items {
            match item {
                syn::Item::Fn(function) => {
                    if let Ok(signature) = self.signature(function, FunctionId(bodies.len() as u32)) {
                        bodies.push(function);
                        let name = function.sig.ident.to_string();
                        if self.signatures.insert(name.clone(), signature).is_some() {
                            let span = self.places.of(&function.sig.ident);
                            let _: Lowering<()> =
                                self.refuse(span, format!("the function `{name}` is defined twice"));
                        }
                    }
                }
                syn::Item::Const(constant) => {
                    let _ = self.constant(constant);
                }
                syn::Item::Use(_) => {}
                other => {
                    let _: Lowering<()> = self.unsupported(other, "items other than functions and constants");
                }
            }
        }
        bodies
    }

    fn constant(&mut self, item: &syn::ItemConst) -> Lowering<()> {
        let Some(ty) = Ty::of(&item.ty) else { return self.unsupported(&*item.ty, "this type") };
        let mut pending = Pending::default();
        let value = self.value(&item.expr, Some(ty), &mut pending)?;
        if pending.can_fail() || arith::as_constant(&value.expr).is_none() {
            return self.unsupported(&*item.expr, "this constant");
        }
        self.constants.insert(item.ident.to_string(), value);
        Ok(())
    }

    fn signature(&mut self, item: &syn::ItemFn, id: FunctionId) -> Lowering<Signature> {
        let sig = &item.sig;
        if sig.asyncness.is_some()
            || sig.abi.is_some()
            || sig.variadic.is_some()
            || !sig.generics.params.is_empty()
        {
            return self.unsupported(&sig.ident, "async, extern and generic functions");
        }
        let mut parameters = Vec::new();
        for input in &sig.inputs {
            match input {
                syn::FnArg::Typed(typed) => match Ty::of(&typed.ty) {
                    Some(ty) => parameters.push(ty),
                    None => return self.unsupported(&*typed.ty, "this type"),
                },
                syn::FnArg::Receiver(receiver) => return self.unsupported(receiver, "methods"),
            }
        }
        let result = match &sig.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) if matches!(&**ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty()) => {
                None
            }
            syn::ReturnType::Type(_, ty) => match Ty::of(ty) {
                Some(ty) => Some(ty),
                None => return self.unsupported(&**ty, "this type"),
            },
        };
        Ok(Signature { id, parameters, result })
    }

    fn function(&mut self, item: &syn::ItemFn, is_entry: bool, entry_is_called: bool) -> Function {
        let name = item.sig.ident.to_string();
        let signature = self.signatures.get(&name).cloned();
        self.builder = FunctionBuilder::new(name, self.places.of(&item.sig));
        self.result = signature.as_ref().and_then(|signature| signature.result);
        self.builder.result = self.result.map(Ty::stored);
        self.main_loops.clear();
        self.scopes = vec![FxHashMap::default()];
        for (input, ty) in
            item.sig.inputs.iter().zip(signature.iter().flat_map(|signature| &signature.parameters))
        {
            if let syn::FnArg::Typed(typed) = input {
                let _ = self.parameter(typed, *ty);
            }
        }
        self.builder.parameters = self.builder.locals.len() as u32;
        let goal = if self.result.is_some() { Goal::Return } else { Goal::Nothing };
        self.block(&item.block, &goal);
        let end = self.places.span(item.block.brace_token.span.close());
        if is_entry && !entry_is_called && self.result.is_none() {
            self.builder.join(FunctionBuilder::EXIT, end);
        } else {
            self.builder.implicit_return(end);
        }
        if is_entry {
            let endless = self.main_loops.iter().find(|(_, endless)| *endless);
            if let Some((head, _)) = endless.or(self.main_loops.first()) {
                self.builder.mark_tick(*head);
            }
        }
        if let Some(span) = self.builder.too_large {
            let _: Lowering<()> =
                self.refuse(span, "too many operations that can fail in one statement; split it");
        }
        std::mem::replace(&mut self.builder, FunctionBuilder::new("", end)).finish(end)
    }

    fn parameter(&mut self, typed: &syn::PatType, ty: Ty) -> Lowering<()> {
        let name = match &*typed.pat {
            syn::Pat::Ident(ident) if ident.subpat.is_none() && ident.by_ref.is_none() => {
                ident.ident.to_string()
            }
            syn::Pat::Wild(_) => "_".into(),
            other => return self.unsupported(other, "patterns"),
        };
        let span = self.places.of(&*typed.pat);
        let variable = self.builder.local(&name, ty.stored(), VariableKind::Parameter, span);
        self.bind(name, variable, ty);
        Ok(())
    }

    fn bind(&mut self, name: String, variable: VariableId, ty: Ty) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, (variable, ty));
        }
    }

    /// The statements of a block; its last value goes to `goal`.
    fn block(&mut self, block: &syn::Block, goal: &Goal) {
        self.scopes.push(FxHashMap::default());
        let count = block.stmts.len();
        for (index, statement) in block.stmts.iter().enumerate() {
            let last = index + 1 == count;
            let _ = match statement {
                Stmt::Expr(expr, None) if last => self.deliver(expr, goal),
                Stmt::Expr(expr, _) => self.deliver(expr, &Goal::Nothing),
                Stmt::Local(local) => self.local(local),
                Stmt::Macro(statement) => {
                    let span = self.places.of(statement);
                    self.macro_statement(&statement.mac, span)
                }
                Stmt::Item(item) => self.unsupported(item, "items inside functions"),
            };
        }
        self.scopes.pop();
    }

    fn local(&mut self, local: &syn::Local) -> Lowering<()> {
        let span = self.places.of(local);
        let (pat, declared) = match &local.pat {
            syn::Pat::Type(typed) => match Ty::of(&typed.ty) {
                Some(ty) => (&*typed.pat, Some(ty)),
                None => return self.unsupported(&*typed.ty, "this type"),
            },
            other => (other, None),
        };
        let init = match &local.init {
            Some(init) if init.diverge.is_some() => return self.unsupported(local, "`let … else`"),
            init => init.as_ref().map(|init| &*init.expr),
        };
        let name = match pat {
            syn::Pat::Ident(ident) if ident.subpat.is_none() && ident.by_ref.is_none() => {
                ident.ident.to_string()
            }
            syn::Pat::Wild(_) => return init.map_or(Ok(()), |init| self.discard(init, declared, span)),
            other => return self.unsupported(other, "patterns"),
        };
        let Some(ty) = declared.or_else(|| init.and_then(|init| self.type_of(init))) else {
            return self.refuse(span, format!("type needed: write `let {name}: …`"));
        };
        let variable = self.builder.local(&name, ty.stored(), VariableKind::Local, self.places.of(pat));
        let place = Place::variable(variable);
        match init {
            None => {
                let input = Input { place, source: InputSource::Type, span };
                self.builder.advance(StepKind::Declaration, span, Pending::drawing(input), Effect::SKIP);
            }
            Some(init) => {
                let lowered = self.initialise(place, ty, init, span);
                // Known even after a mistake, so that its uses are not mistakes too.
                self.bind(name, variable, ty);
                return lowered;
            }
        }
        self.bind(name, variable, ty);
        Ok(())
    }

    fn initialise(&mut self, place: Place, ty: Ty, init: &Expr, span: Span) -> Lowering<()> {
        if matches!(init, Expr::If(_) | Expr::Block(_)) {
            return self.deliver(init, &Goal::Store(place, ty, StepKind::Declaration));
        }
        let mut pending = Pending::default();
        let value = self.value(init, Some(ty), &mut pending)?;
        let effect = Effect::Assign(vec![(place, value.expr)]);
        self.builder.advance(StepKind::Declaration, span, pending, effect);
        Ok(())
    }

    /// A value that nobody reads: only its checks matter.
    pub(super) fn discard(&mut self, expr: &Expr, expected: Option<Ty>, span: Span) -> Lowering<()> {
        let mut pending = Pending::default();
        let expected = expected.or_else(|| self.type_of(expr));
        self.value(expr, expected, &mut pending)?;
        self.builder.advance(StepKind::Skip, span, pending, Effect::SKIP);
        Ok(())
    }

    /// Lowers an expression whose value goes to `goal`, as control flow where it is that.
    fn deliver(&mut self, expr: &Expr, goal: &Goal) -> Lowering<()> {
        match expr {
            Expr::Paren(inner) => self.deliver(&inner.expr, goal),
            Expr::Block(block) if block.label.is_none() => {
                self.block(&block.block, goal);
                Ok(())
            }
            Expr::If(_) => self.if_chain(expr, goal),
            Expr::While(inner) => self.while_loop(inner),
            Expr::Loop(inner) => self.endless_loop(inner),
            Expr::Break(inner) if inner.expr.is_some() => self.unsupported(inner, "`break` with a value"),
            Expr::Break(inner) => self.jump(inner.label.as_ref(), expr, |target| target.outside),
            Expr::Continue(inner) => self.jump(inner.label.as_ref(), expr, |target| target.again),
            Expr::Return(inner) => self.return_expression(inner),
            Expr::Assign(inner) => self.assign(inner),
            Expr::Binary(inner) if self.compound(&inner.op).is_some() => self.compound_assign(inner),
            Expr::Macro(inner) if !matches!(goal, Goal::Store(..)) => {
                let span = self.places.of(inner);
                self.macro_statement(&inner.mac, span)
            }
            _ => self.plain(expr, goal),
        }
    }

    fn plain(&mut self, expr: &Expr, goal: &Goal) -> Lowering<()> {
        let span = self.places.of(expr);
        let mut pending = Pending::default();
        match (goal, expr) {
            (Goal::Nothing, Expr::Call(call)) => {
                self.call(call, super::expression::Use::Nothing, &mut pending).map(|_| ())
            }
            (Goal::Nothing, Expr::Tuple(unit)) if unit.elems.is_empty() => Ok(()),
            (Goal::Nothing, _) => self.discard(expr, None, span),
            (Goal::Return, _) => {
                let value = self.value(expr, self.result, &mut pending)?;
                self.builder.end(StepKind::Return, span, pending, Effect::Return(Some(value.expr)));
                Ok(())
            }
            (Goal::Store(place, ty, what), _) => {
                let value = self.value(expr, Some(*ty), &mut pending)?;
                let effect = Effect::Assign(vec![(place.clone(), value.expr)]);
                self.builder.advance(*what, span, pending, effect);
                Ok(())
            }
        }
    }

    /// An `if … else if …` chain, walked in a loop since it may be long.
    fn if_chain(&mut self, chain: &Expr, goal: &Goal) -> Lowering<()> {
        let after = self.builder.point();
        let mut at = chain;
        while let Expr::If(arm) = at {
            let span = self.places.of(&arm.if_token);
            let [yes, no] = [self.builder.point(), self.builder.point()];
            self.branch(&arm.cond, yes, no)?;
            self.builder.current = yes;
            self.block(&arm.then_branch, goal);
            self.builder.join(after, span);
            self.builder.current = no;
            match &arm.else_branch {
                Some((_, next)) => at = next,
                None if matches!(goal, Goal::Nothing) => return self.finish_chain(after, span),
                None => return self.refuse(span, "an `if` with a value needs an `else`"),
            }
        }
        let span = self.places.of(chain);
        self.deliver(at, goal)?;
        self.finish_chain(after, span)
    }

    fn finish_chain(&mut self, after: Point, span: Span) -> Lowering<()> {
        self.builder.join(after, span);
        Ok(())
    }

    fn enter_loop(&mut self, label: Option<&syn::Label>, outside: Point, again: Point, endless: bool) {
        let label = label.map(|label| label.name.ident.to_string());
        if let Some(label) = &label {
            self.builder.label(label);
        }
        if self.loops.is_empty() {
            self.main_loops.push((self.builder.current, endless));
        }
        self.loops.push(Loop { label, outside, again });
    }

    fn while_loop(&mut self, inner: &syn::ExprWhile) -> Lowering<()> {
        let span = self.places.of(&inner.while_token);
        let head = self.builder.current;
        let [inside, after] = [self.builder.point(), self.builder.point()];
        let endless = matches!(&*inner.cond, Expr::Lit(lit) if matches!(&lit.lit, syn::Lit::Bool(value) if value.value));
        self.enter_loop(inner.label.as_ref(), after, head, endless);
        let condition = self.branch(&inner.cond, inside, after);
        if condition.is_ok() {
            self.builder.current = inside;
            self.block(&inner.body, &Goal::Nothing);
            self.builder.join(head, span);
            self.builder.current = after;
        }
        self.loops.pop();
        condition
    }

    fn endless_loop(&mut self, inner: &syn::ExprLoop) -> Lowering<()> {
        let span = self.places.of(&inner.loop_token);
        let head = self.builder.current;
        let after = self.builder.point();
        self.enter_loop(inner.label.as_ref(), after, head, true);
        self.block(&inner.body, &Goal::Nothing);
        self.builder.join(head, span);
        self.loops.pop();
        self.builder.current = after;
        Ok(())
    }

    fn jump(
        &mut self,
        label: Option<&syn::Lifetime>,
        expr: &Expr,
        to: impl Fn(&Loop) -> Point,
    ) -> Lowering<()> {
        let span = self.places.of(expr);
        let wanted = label.map(|label| label.ident.to_string());
        let target = self.loops.iter().rev().find(|target| wanted.is_none() || target.label == wanted);
        match target.map(to) {
            Some(point) => {
                self.builder.jump(point, span);
                Ok(())
            }
            None => self.refuse(span, "there is no such loop around this"),
        }
    }

    fn return_expression(&mut self, inner: &syn::ExprReturn) -> Lowering<()> {
        let span = self.places.of(inner);
        let mut pending = Pending::default();
        let value = match (&inner.expr, self.result) {
            (None, None) => None,
            (Some(expr), Some(ty)) => Some(self.value(expr, Some(ty), &mut pending)?.expr),
            _ => return self.refuse(span, "this `return` does not fit the function's type"),
        };
        self.builder.end(StepKind::Return, span, pending, Effect::Return(value));
        Ok(())
    }

    fn assign(&mut self, inner: &syn::ExprAssign) -> Lowering<()> {
        let (place, ty) = self.target(&inner.left)?;
        match &*inner.right {
            Expr::If(_) | Expr::Block(_) => {
                self.deliver(&inner.right, &Goal::Store(place, ty, StepKind::Assignment))
            }
            right => {
                let mut pending = Pending::default();
                let value = self.value(right, Some(ty), &mut pending)?;
                let span = self.places.of(inner);
                let effect = Effect::Assign(vec![(place, value.expr)]);
                self.builder.advance(StepKind::Assignment, span, pending, effect);
                Ok(())
            }
        }
    }

    fn compound_assign(&mut self, inner: &syn::ExprBinary) -> Lowering<()> {
        let span = self.places.of(inner);
        let Some(op) = self.compound(&inner.op) else { return self.unsupported(&inner.op, "this operator") };
        let (place, ty) = self.target(&inner.left)?;
        let mut pending = Pending::default();
        let right = self.value(&inner.right, Some(ty), &mut pending)?;
        let left = Value { expr: arith::read(place.clone()), ty };
        let value = self.arithmetic(op, left, right, span, &mut pending)?;
        let effect = Effect::Assign(vec![(place, value.expr)]);
        self.builder.advance(StepKind::Assignment, span, pending, effect);
        Ok(())
    }

    fn target(&mut self, expr: &Expr) -> Lowering<(Place, Ty)> {
        let name = match expr {
            Expr::Path(path) if path.qself.is_none() => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        let Some(name) = name else { return self.unsupported(expr, "assignment to anything but a variable") };
        match self.lookup(&name) {
            Some((variable, ty)) => Ok((Place::variable(variable), ty)),
            None => {
                let span = self.places.of(expr);
                self.refuse(span, format!("`{name}` is not a variable of this function"))
            }
        }
    }

    pub(super) fn lookup(&self, name: &str) -> Option<(VariableId, Ty)> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }
}
