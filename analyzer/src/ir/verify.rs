//! Well-formedness of programs: what every stage behind the front ends relies on.
//!
//! Checked structurally: ids in range, well-typed places, where effects may lead, arguments and
//! results. Guards are checked to be exclusive and exhaustive as far as comparisons show it.

mod guards;

use std::sync::Arc;

use petgraph::visit::EdgeRef;

use super::{
    Cond, Edge, Effect, Expr, Function, FunctionId, Initialiser, Input, InputSource, LocationId, Place,
    Program, Projection, StepKind, Type, VariableId,
};

/// All violations found, in the order of the program.
pub fn verify(program: &Program) -> Result<(), Vec<String>> {
    let mut checker = Checker { program, function: None, violations: Vec::new() };
    checker.program();
    if checker.violations.is_empty() { Ok(()) } else { Err(checker.violations) }
}

struct Checker<'p> {
    program: &'p Program,
    /// `None` in initialisers, which see globals only.
    function: Option<FunctionId>,
    violations: Vec<String>,
}

impl<'p> Checker<'p> {
    fn report(&mut self, place: &str, what: impl AsRef<str>) {
        self.violations.push(format!("{place}: {}", what.as_ref()));
    }

    fn program(&mut self) {
        if self.program.entry.0 as usize >= self.program.functions.len() {
            return self.report("program", "the entry function does not exist");
        }
        for initialiser in &self.program.initialisers {
            match initialiser {
                Initialiser::Assign(place, value) => {
                    self.scalar(place, "initialiser");
                    self.expr(value, "initialiser");
                }
                Initialiser::Input(input) => self.input(input, "initialiser"),
            }
        }
        for (index, function) in self.program.functions.iter().enumerate() {
            self.function = Some(FunctionId(index as u32));
            self.function(function);
        }
    }

    fn function(&mut self, function: &'p Function) {
        let name = &function.name;
        if function.parameters as usize > function.locals.len() {
            self.report(name, "more parameters than locals");
        }
        let count = function.graph.node_count();
        if function.exit.index() >= count || function.entry.index() >= count {
            return self.report(name, "entry or exit is no location");
        }
        for (label, location) in &function.labels {
            if location.index() >= count {
                self.report(name, format!("label {label} is at no location"));
            }
        }
        for location in function.graph.node_indices() {
            self.location(function, location);
        }
    }

    fn location(&mut self, function: &'p Function, id: LocationId) {
        let location = &function.graph[id];
        let place = format!("{} at {}", function.name, id.index());
        let edges: Vec<_> = function.graph.edges(id).collect();
        if id == function.exit {
            if !edges.is_empty() || location.what != StepKind::End {
                self.report(&place, "the exit has edges or is no end");
            }
            return;
        }
        if edges.is_empty() {
            self.report(&place, "a location without edges");
        }
        for input in &location.inputs {
            self.input(input, &place);
        }
        for edge in &edges {
            self.edge(function, edge.weight(), edge.target(), &place);
        }
        self.cond(&location.ends, &place);
        let loops = |edge: &petgraph::graph::EdgeReference<'_, Arc<Edge>, u32>| {
            let Edge { guard, effect, .. } = &**edge.weight();
            let idle = matches!(effect, Effect::Assign(writes) if writes.is_empty());
            idle && edge.target() == id && *guard == location.ends
        };
        if location.ends != Cond::Literal(false) && !edges.iter().any(loops) {
            self.report(&place, "an end without a loop");
        }
        if !location.overlapping {
            let guards: Vec<&Cond> = edges.iter().map(|edge| &edge.weight().guard).collect();
            if let Err(what) = guards::exactly_one(&guards) {
                self.report(&place, what);
            }
        }
    }

    fn edge(&mut self, function: &'p Function, edge: &Edge, target: LocationId, place: &str) {
        self.cond(&edge.guard, place);
        let to_exit = target == function.exit;
        let is_entry = self.function == Some(self.program.entry);
        match &edge.effect {
            Effect::Assign(writes) => {
                for (target, value) in writes {
                    self.scalar(target, place);
                    self.expr(value, place);
                }
            }
            Effect::Call { function: callee, arguments, result } => {
                self.call(*callee, arguments, result.as_ref(), place);
            }
            Effect::Return(value) => {
                if value.is_some() != function.result.is_some() {
                    self.report(place, "a return that does not fit the result type");
                }
                if let Some(value) = value {
                    self.expr(value, place);
                }
            }
            Effect::Fail(_) | Effect::Discard | Effect::Stop => {}
        }
        let goes_on = matches!(edge.effect, Effect::Assign(_) | Effect::Call { .. });
        if !goes_on && !to_exit {
            self.report(place, "an effect that ends the function must lead to its exit");
        }
        if goes_on && to_exit && !is_entry {
            self.report(place, "only a return leaves a function that is not the entry");
        }
    }

    fn call(&mut self, callee: FunctionId, arguments: &[Expr], result: Option<&Place>, place: &str) {
        for argument in arguments {
            self.expr(argument, place);
        }
        if let Some(result) = result {
            self.scalar(result, place);
        }
        let Some(callee) = self.program.functions.get(callee.0 as usize) else {
            return self.report(place, "a call of no function");
        };
        if arguments.len() != callee.parameters as usize {
            self.report(place, "a call with the wrong number of arguments");
        }
        if result.is_some() && callee.result.is_none() {
            self.report(place, "the result of a function without one");
        }
    }

    fn input(&mut self, input: &Input, place: &str) {
        let ty = self.place(&input.place, place);
        match &input.source {
            InputSource::Type => {}
            InputSource::Range(low, high) => {
                self.expr(low, place);
                self.expr(high, place);
                if ty.is_some_and(|ty| !is_scalar(ty)) {
                    self.report(place, "a range for a whole array");
                }
            }
            InputSource::Looked(_, index) => {
                self.expr(index, place);
                if ty.is_some_and(|ty| !is_scalar(ty)) {
                    self.report(place, "a number of a table for a whole array");
                }
            }
            InputSource::Unknown | InputSource::Unseen => {}
        }
    }

    fn expr(&mut self, expr: &Expr, place: &str) {
        if matches!(expr, Expr::Any(_)) {
            self.report(place, "a choice inside an expression");
        }
        let mut places = Vec::new();
        expr.for_each_variable(&mut |variable: &Place| places.push(variable.clone()));
        places.iter().for_each(|read| self.scalar(read, place));
    }

    fn cond(&mut self, cond: &Cond, place: &str) {
        let mut places = Vec::new();
        cond.for_each_variable(&mut |variable: &Place| places.push(variable.clone()));
        places.iter().for_each(|read| self.scalar(read, place));
    }

    fn scalar(&mut self, target: &Place, place: &str) {
        if self.place(target, place).is_some_and(|ty| !is_scalar(ty)) {
            self.report(place, "a whole array or structure used as a number");
        }
    }

    /// The type of what a place holds.
    fn place(&mut self, target: &Place, place: &str) -> Option<&'p Type> {
        let program: &'p Program = self.program;
        let variable = match target.variable {
            VariableId::Global(index) => program.globals.get(index as usize),
            VariableId::Local(index) => {
                self.function.and_then(|function| program.function(function).locals.get(index as usize))
            }
        };
        let Some(variable) = variable else {
            self.report(place, "a variable that does not exist");
            return None;
        };
        let mut ty = &variable.ty;
        for projection in &target.path {
            let inner = match (projection, ty) {
                (Projection::Field(field), Type::Struct(fields)) => {
                    fields.get(*field as usize).map(|(_, ty)| ty)
                }
                (Projection::Element(index), Type::Array(element, _)) => {
                    self.expr(index, place);
                    Some(&**element)
                }
                _ => None,
            };
            let Some(inner) = inner else {
                self.report(place, format!("a part of `{}` that its type has not", variable.name));
                return None;
            };
            ty = inner;
        }
        Some(ty)
    }
}

fn is_scalar(ty: &Type) -> bool {
    !matches!(ty, Type::Array(..) | Type::Struct(_))
}
