//! Declarations: globals with their initial values, locals as steps.

use kleene_domains::int::Int;

use super::super::super::arith;
use super::super::super::build::Pending;
use super::super::ast::{Declaration, Declarator, Initialiser as Init, Shape, Storage, TypeName};
use super::super::types::{Scalar, convert};
use super::names::Binding;
use super::{Language, Lowerer};
use crate::ir::{
    Effect, Expr, Initialiser, Input, InputSource, Place, StepKind, Type, VariableId, VariableKind,
};
use crate::source::Span;

/// Every element is a value of its own to the analysis.
const LENGTH_LIMIT: i64 = 65_536;

impl<'a> Lowerer<'a, '_> {
    pub(super) fn global_declaration(&mut self, declaration: &Declaration<'a>) {
        self.enumerators(declaration);
        for declarator in &declaration.declarators {
            self.global(declaration, declarator);
        }
    }

    /// A variable that lives as long as the program: a global, or a `static` local.
    fn global(&mut self, declaration: &Declaration<'a>, declarator: &Declarator<'a>) {
        let Some((ty, length)) = self.shape(declaration, declarator) else {
            return self.bind(declarator.name, declarator.name_span, Binding::Broken);
        };
        let stored = self.stored(ty, length);
        // C lets a file declare a variable several times; one of them may have the value.
        let earlier = self.scopes.len() == 1 && self.language == Language::C;
        let known = if earlier { self.scopes[0].get(declarator.name).cloned() } else { None };
        let variable = match known {
            Some(Binding::Scalar(variable, _) | Binding::Array(variable, ..))
                if declarator.initialiser.is_none() =>
            {
                let _ = variable;
                return;
            }
            Some(Binding::Scalar(variable, known_ty)) if known_ty == ty && length.is_none() => {
                self.initialisers.retain(|initialiser| match initialiser {
                    Initialiser::Assign(place, _) => place.variable != variable,
                    Initialiser::Input(input) => input.place.variable != variable,
                });
                variable
            }
            _ => {
                let variable = self.new_global(declarator.name, stored, declarator.name_span);
                let binding = binding(variable, ty, length);
                self.bind(declarator.name, declarator.name_span, binding);
                variable
            }
        };
        match &declarator.initialiser {
            None if self.language == Language::C && declaration.storage != Storage::Extern => {
                for place in places(variable, length) {
                    self.initialisers.push(Initialiser::Assign(place, arith::constant(0)));
                }
            }
            None => {}
            Some(initialiser) => self.initial_values(declarator, initialiser, variable, ty, length),
        }
    }

    fn initial_values(
        &mut self,
        declarator: &Declarator<'a>,
        initialiser: &Init<'a>,
        variable: VariableId,
        ty: Scalar,
        length: Option<u32>,
    ) {
        let values = match initialiser {
            Init::Value(value) => std::slice::from_ref(value),
            Init::List(values) => values,
        };
        let mut places = places(variable, length);
        for value in values {
            if self.needs_steps(value) && !self.is_draw(value) {
                self.error(value.span, "the initial value of a global must be computable without calls");
                return;
            }
            let mut pending = Pending::default();
            let Some(place) = places.next() else { break };
            let draw = self.draw_of(value, &mut pending);
            let item = match draw {
                Some(draw) if self.draws_directly(&draw, ty) && pending.inputs.is_empty() => {
                    if let super::call::Draw::Range(low, high, _) = &draw
                        && arith::as_constant(low)
                            .zip(arith::as_constant(high))
                            .is_none_or(|(low, high)| low > high)
                    {
                        return self.error(
                            value.span,
                            "the bounds of an initial value must be constants, low to high",
                        );
                    }
                    Initialiser::Input(Self::input_into(draw, place, value.span))
                }
                _ => {
                    let value = self.value(value, &mut pending);
                    Initialiser::Assign(place, convert(value, ty, self.integers))
                }
            };
            if pending.can_fail() {
                return self.error(declarator.span, "the initial value of a global must not be able to fail");
            }
            if !pending.inputs.is_empty() {
                return self.unsupported(declarator.span, "`nondet` as a part of a global's initial value");
            }
            self.initialisers.push(item);
        }
        for place in places {
            self.initialisers.push(Initialiser::Assign(place, arith::constant(0)));
        }
    }

    pub(super) fn local_declaration(&mut self, declaration: &Declaration<'a>) {
        self.enumerators(declaration);
        for declarator in &declaration.declarators {
            match declaration.storage {
                Storage::Static | Storage::Extern => self.global(declaration, declarator),
                _ => self.local(declaration, declarator),
            }
        }
    }

    fn local(&mut self, declaration: &Declaration<'a>, declarator: &Declarator<'a>) {
        let Some((ty, length)) = self.shape(declaration, declarator) else {
            return self.bind(declarator.name, declarator.name_span, Binding::Broken);
        };
        let stored = self.stored(ty, length);
        let mut variable = None;
        let mut declare = |lowerer: &mut Self| {
            let new = lowerer.builder.local(
                declarator.name,
                stored.clone(),
                VariableKind::Local,
                declarator.name_span,
            );
            variable = Some(new);
            new
        };
        match &declarator.initialiser {
            None => {
                let place = Place::variable(declare(self));
                let input = Input { place, source: InputSource::Type, span: declarator.span };
                self.builder.advance(
                    StepKind::Declaration,
                    declarator.span,
                    Pending::drawing(input),
                    Effect::SKIP,
                );
            }
            Some(Init::Value(value)) => {
                let place = Place::variable(declare(self));
                self.store(place, ty, value, StepKind::Declaration, declarator.span);
            }
            Some(Init::List(values)) => {
                let mut pending = Pending::default();
                let mut exprs: Vec<Expr> = Vec::new();
                for value in values {
                    let value = self.value(value, &mut pending);
                    exprs.push(convert(value, ty, self.integers));
                }
                let places = places(declare(self), length);
                let writes =
                    places.zip(exprs.into_iter().chain(std::iter::repeat(arith::constant(0)))).collect();
                self.builder.advance(StepKind::Declaration, declarator.span, pending, Effect::Assign(writes));
            }
        }
        // Bound only now: `int x = x;` reads the outer `x`.
        if let Some(variable) = variable {
            self.bind(declarator.name, declarator.name_span, binding(variable, ty, length));
        }
    }

    fn stored(&self, ty: Scalar, length: Option<u32>) -> Type {
        let stored = ty.stored(self.integers);
        match length {
            None => stored,
            Some(length) => Type::Array(Box::new(stored), length),
        }
    }

    /// Type and, for arrays, length of what is declared; `None` after a mistake.
    fn shape(
        &mut self,
        declaration: &Declaration<'a>,
        declarator: &Declarator<'a>,
    ) -> Option<(Scalar, Option<u32>)> {
        let TypeName::Scalar(ty) = declaration.ty else {
            self.error(declarator.span, format!("`{}` cannot be `void`", declarator.name));
            return None;
        };
        match (&declarator.shape, &declarator.initialiser) {
            (Shape::Scalar, Some(Init::List(values))) if values.len() != 1 => {
                self.error(declarator.span, format!("`{}` is not an array", declarator.name));
                None
            }
            (Shape::Scalar, _) => Some((ty, None)),
            (Shape::Array(_), Some(Init::Value(value))) => {
                self.error(value.span, "an array is initialised by a list: `{ 1, 2, 3 }`");
                None
            }
            (Shape::Array(length), initialiser) => {
                let listed = match initialiser {
                    Some(Init::List(values)) => Some(values.len()),
                    _ => None,
                };
                let span = length.as_ref().map_or(declarator.span, |length| length.span);
                let length = match length {
                    Some(length) => self.constant(length),
                    None => listed.map(Int::from),
                };
                self.length(length, listed, span).map(|length| (ty, Some(length)))
            }
        }
    }

    fn length(&mut self, length: Option<Int>, listed: Option<usize>, span: Span) -> Option<u32> {
        let Some(length) = length else {
            self.error(span, "the length of an array must be a constant");
            return None;
        };
        match length.to_i64() {
            Some(length) if length < 1 => self.error(span, format!("an array cannot have {length} elements")),
            Some(length) if length > LENGTH_LIMIT => {
                self.unsupported(span, &format!("arrays of more than {LENGTH_LIMIT} elements"));
            }
            Some(length) if listed.is_some_and(|listed| listed as i64 > length) => {
                self.error(span, format!("more initial values than the {length} elements"));
            }
            Some(length) => return u32::try_from(length).ok(),
            None => self.unsupported(span, &format!("arrays of more than {LENGTH_LIMIT} elements")),
        }
        None
    }
}

fn binding(variable: VariableId, ty: Scalar, length: Option<u32>) -> Binding {
    match length {
        None => Binding::Scalar(variable, ty),
        Some(length) => Binding::Array(variable, ty, length),
    }
}

/// The scalar parts of a variable.
fn places(variable: VariableId, length: Option<u32>) -> impl Iterator<Item = Place> {
    let elements = length.unwrap_or(1);
    (0..elements).map(move |index| match length {
        None => Place::variable(variable),
        Some(_) => Place::element(variable, arith::constant(i64::from(index))),
    })
}
