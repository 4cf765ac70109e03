//! Syntax tree to intermediate representation, with name and type checking on the way.
//!
//! One step is one assignment, declaration, input, whole condition, assert, assume, call, return or
//! statement without effect. Calls, assignments and `++` inside an expression are steps of their own
//! before the statement that uses them; a part that is evaluated lazily and needs such a step splits
//! the condition around it. Everything else in an expression, `nondet` included, happens in the one
//! step of its statement.
//!
//! Without a `tick()` mark in the program, the head of the entry function's main loop is the tick:
//! its first outermost loop whose condition is constantly true, else its first outermost loop. The
//! head is the first step of the condition, or of the body where there is no condition before it.

mod bits;
mod call;
mod declaration;
mod effect;
mod expression;
mod intrinsic;
mod names;
mod place;
mod statement;

use kleene_domains::int::Int;
use rustc_hash::{FxHashMap, FxHashSet};

use self::names::{Binding, Signature};
use super::super::build::{FunctionBuilder, Point};
use super::super::{FrontendOptions, Integers, Language};
use super::ast::{Declaration, FunctionItem, Item, Prototype, TypeName, Unit};
use super::types::{INT, Scalar};
use crate::ir::{
    Function, FunctionId, Initialiser, Place, Program, StepKind, Variable, VariableId, VariableKind,
};
use crate::source::{Diagnostic, Severity, Span};

pub struct Lowerer<'a, 'd> {
    language: Language,
    integers: Integers,
    diagnostics: &'d mut Vec<Diagnostic>,
    /// Names the parser gave up on: not knowing them is not another mistake.
    skipped_names: FxHashSet<&'a str>,
    globals: Vec<Variable>,
    initialisers: Vec<Initialiser>,
    signatures: FxHashMap<&'a str, Signature>,
    /// Functions that are only declared, with their result.
    declared: FxHashMap<&'a str, Option<TypeName>>,
    scopes: Vec<FxHashMap<&'a str, Binding>>,
    /// The function under construction; a dummy between functions.
    builder: FunctionBuilder,
    /// Result of the function under construction.
    result: Option<Scalar>,
    jumps: Vec<Jumps>,
    labels: FxHashMap<&'a str, Label>,
    /// Points of the `case` marks of the switches under construction, by the marks' places.
    cases: FxHashMap<Span, Point>,
    /// Outermost loops of the function under construction: head, and whether they are endless.
    main_loops: Vec<(Point, bool)>,
    ticks: bool,
    entry: &'a str,
    entry_is_called: bool,
}

/// Where `break` and `continue` lead.
struct Jumps {
    outside: Point,
    again: Option<Point>,
}

struct Label {
    point: Point,
    defined: Option<Span>,
    used: Span,
}

/// The program, unless it is too broken to have one. Mistakes are in `diagnostics`.
pub fn lower<'a>(
    unit: &Unit<'a>,
    language: Language,
    options: &'a FrontendOptions,
    skipped_names: FxHashSet<&'a str>,
    broken: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let start = Span::new(crate::source::FileId(0), 0, 0);
    let mut lowerer = Lowerer {
        language,
        integers: options.integers,
        diagnostics,
        skipped_names,
        globals: Vec::new(),
        initialisers: Vec::new(),
        signatures: FxHashMap::default(),
        declared: FxHashMap::default(),
        scopes: vec![FxHashMap::default()],
        builder: FunctionBuilder::new("", start),
        result: None,
        jumps: Vec::new(),
        labels: FxHashMap::default(),
        cases: FxHashMap::default(),
        main_loops: Vec::new(),
        ticks: false,
        entry: &options.entry,
        entry_is_called: false,
    };
    lowerer.program(unit, broken)
}

impl<'a> Lowerer<'a, '_> {
    fn program(&mut self, unit: &Unit<'a>, broken: bool) -> Option<Program> {
        let bodies = self.collect_functions(unit);
        self.entry_is_called = names::calls(&bodies, self.entry);
        // A tick anywhere counts, so all bodies are looked at first.
        self.ticks = names::calls(&bodies, "tick") && !self.signatures.contains_key("tick");
        for item in &unit.items {
            if let Item::Variables(declaration) = item {
                self.global_declaration(declaration);
            }
        }
        let functions: Vec<Function> = bodies.iter().map(|body| self.function(body)).collect();
        let named = self.signatures.get(self.entry).map(|signature| signature.id);
        let first = (self.entry.is_empty() && !functions.is_empty()).then_some(crate::ir::FunctionId(0));
        let Some(entry) = named.or(first) else {
            if !broken {
                self.missing_entry(&bodies);
            }
            return None;
        };
        let globals = std::mem::take(&mut self.globals);
        Some(Program { globals, functions, entry, initialisers: std::mem::take(&mut self.initialisers) })
    }

    fn missing_entry(&mut self, bodies: &[&FunctionItem<'a>]) {
        let mut known: Vec<_> = bodies.iter().map(|body| format!("`{}`", body.name)).collect();
        known.truncate(20);
        let functions = if known.is_empty() {
            "it has no functions".into()
        } else {
            format!("it has {}", known.join(", "))
        };
        let message = format!("the program has no function `{}`; {functions}", self.entry);
        self.diagnostics.push(Diagnostic { severity: Severity::Error, message, span: None, help: None });
    }

    /// The functions to lower, in order; fills the tables of names.
    fn collect_functions<'u>(&mut self, unit: &'u Unit<'a>) -> Vec<&'u FunctionItem<'a>> {
        let mut bodies = Vec::new();
        for item in &unit.items {
            match item {
                Item::Prototype(Prototype { name, result }) => {
                    self.declared.entry(name).or_insert(*result);
                }
                Item::Function(function) if self.is_builtin_definition(function.name) => {}
                Item::Function(function) => {
                    let signature = Signature {
                        id: FunctionId(bodies.len() as u32),
                        parameters: function.parameters.iter().map(|parameter| parameter.ty).collect(),
                        result: scalar(function.result),
                    };
                    if self.signatures.insert(function.name, signature).is_some() {
                        self.error(
                            function.name_span,
                            format!("the function `{}` is defined twice", function.name),
                        );
                    }
                    bodies.push(function);
                }
                Item::Variables(_) => {}
            }
        }
        bodies
    }

    fn function(&mut self, item: &FunctionItem<'a>) -> Function {
        let is_entry = item.name == self.entry;
        self.builder = FunctionBuilder::new(item.name, item.span);
        self.builder.result = scalar(item.result).map(|ty| ty.stored(self.integers));
        self.result = scalar(item.result);
        self.labels.clear();
        self.main_loops.clear();
        self.scopes.push(FxHashMap::default());
        for parameter in &item.parameters {
            let ty = parameter.ty.stored(self.integers);
            let variable = self.builder.local(parameter.name, ty, VariableKind::Parameter, parameter.span);
            self.bind(parameter.name, parameter.span, Binding::Scalar(variable, parameter.ty));
        }
        self.builder.parameters = item.parameters.len() as u32;
        self.block(&item.body);
        self.scopes.pop();
        self.close(item, is_entry);
        if is_entry && !self.ticks {
            let endless = self.main_loops.iter().find(|(_, endless)| *endless);
            if let Some((head, _)) = endless.or(self.main_loops.first()) {
                self.builder.mark_tick(*head);
            }
        }
        let empty = FunctionBuilder::new("", item.span);
        std::mem::replace(&mut self.builder, empty).finish(item.end)
    }

    /// The way out at the closing brace, and what only the end of a function shows.
    fn close(&mut self, item: &FunctionItem<'a>, is_entry: bool) {
        if is_entry && !self.entry_is_called {
            self.builder.join(FunctionBuilder::EXIT, item.end);
        } else {
            if self.result.is_some() && !is_entry && self.builder.reachable() {
                let message = format!("`{}` may end without a value; any value is assumed", item.name);
                self.diagnostics.push(Diagnostic::warning(item.end, message));
            }
            self.builder.implicit_return(item.end);
        }
        let mut missing: Vec<_> = self.labels.iter().filter(|(_, label)| label.defined.is_none()).collect();
        missing.sort_by_key(|(_, label)| label.used);
        let missing: Vec<_> = missing.into_iter().map(|(name, label)| (label.used, *name)).collect();
        for (span, name) in missing {
            if !self.skipped_names.contains(name) {
                self.error(span, format!("there is no label `{name}` in this function"));
            }
        }
        if let Some(span) = self.builder.too_large {
            self.error(span, "too many operations that can fail in one statement; split it");
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.error(span, format!("not supported: {what}"));
    }

    /// A fresh temporary of a scalar type.
    fn temporary(&mut self, ty: Scalar, span: Span) -> Place {
        self.builder.temporary(ty.stored(self.integers), span)
    }

    fn new_global(&mut self, name: &str, ty: crate::ir::Type, span: Span) -> VariableId {
        self.globals.push(Variable { name: name.to_owned(), ty, kind: VariableKind::Global, span });
        VariableId::Global(self.globals.len() as u32 - 1)
    }

    fn enumerators(&mut self, declaration: &Declaration<'a>) {
        let mut next = Int::from(0);
        for enumerator in &declaration.enumerators {
            if let Some(value) = &enumerator.value {
                match self.constant(value) {
                    Some(value) => next = value,
                    None => self.error(value.span, "the value of an `enum` constant must be constant"),
                }
            }
            self.bind(enumerator.name, enumerator.span, Binding::Constant(next.clone(), INT));
            next += Int::from(1);
        }
    }

    fn skip_step(&mut self, span: Span, pending: super::super::build::Pending) {
        self.builder.advance(StepKind::Skip, span, pending, crate::ir::Effect::SKIP);
    }
}

fn scalar(ty: TypeName) -> Option<Scalar> {
    match ty {
        TypeName::Void => None,
        TypeName::Scalar(ty) => Some(ty),
    }
}
