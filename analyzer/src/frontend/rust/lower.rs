//! The functions of a file, their names and types.

use rustc_hash::FxHashMap;
use syn::visit::Visit;

use super::super::build::{FunctionBuilder, Pending, Point};
use super::super::{Arithmetic, FrontendOptions, arith};
use super::Places;
use super::statement::Goal;
use super::types::{Ty, Value};
use crate::ir::{Function, FunctionId, Program, VariableId, VariableKind};
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
    /// Result of the function under construction.
    pub result: Option<Ty>,
    pub loops: Vec<Loop>,
    /// Outermost loops of the function under construction: head, and whether they are endless.
    pub main_loops: Vec<(Point, bool)>,
}

/// A loop around the statement under construction.
pub(super) struct Loop {
    pub label: Option<String>,
    pub outside: Point,
    pub again: Point,
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
    let entry_is_called = super::call::calls(syntax, &options.entry);
    let functions: Vec<Function> = bodies
        .iter()
        .map(|item| lowerer.function(item, item.sig.ident == options.entry, entry_is_called))
        .collect();
    let named = lowerer.signatures.get(&options.entry).map(|signature| signature.id);
    let first = (options.entry.is_empty() && !functions.is_empty()).then_some(crate::ir::FunctionId(0));
    let Some(entry) = named.or(first) else {
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

    pub(super) fn bind(&mut self, name: String, variable: VariableId, ty: Ty) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, (variable, ty));
        }
    }

    pub(super) fn lookup(&self, name: &str) -> Option<(VariableId, Ty)> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }
}
