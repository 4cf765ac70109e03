//! Closures and functions as values: what `Fn(A) -> B` says about them, and calls of them.

use super::super::context::BodyOf;
use super::super::hir::{Closure, ExprId, ExprKind, FnId};
use super::super::items::{Bound, Owner, Predicate};
use super::super::std_table::Meaning;
use super::super::types::{Called, ClosureId, Ty};
use super::path::Item;
use super::settle::Asking;
use super::{Callee, Expected, Infer};

impl Infer<'_, '_> {
    /// A closure where values that are called with these types are wanted.
    pub(super) fn closure(&mut self, id: ExprId, closure: &Closure, expected: &Expected) -> Ty {
        let wanted = match expected {
            Expected::Callable(inputs, output) if inputs.len() == closure.parameters.len() => {
                Some((inputs.clone(), output.clone()))
            }
            _ => None,
        };
        let mut parts = Vec::new();
        for (index, (pat, written)) in closure.parameters.iter().enumerate() {
            let wanted = wanted.as_ref().map(|(inputs, _)| inputs[index].clone());
            let ty = match (written.as_ref().map(|ty| self.ty(ty)), wanted) {
                (Some(ty), Some(wanted)) => {
                    self.variables.unify(&ty, &wanted);
                    ty
                }
                (Some(ty), None) | (None, Some(ty)) => ty,
                (None, None) => self.variables.fresh(),
            };
            self.pattern(*pat, ty.clone());
            parts.push(ty);
        }
        let result = match (&closure.result, wanted) {
            (Some(ty), _) => self.ty(ty),
            (None, Some((_, output))) => output,
            (None, None) => self.variables.fresh(),
        };
        let around = std::mem::replace(&mut self.result, result.clone());
        let found = self.expr(closure.body, &Expected::Has(result.clone()));
        self.coerce(&found, &result);
        self.result = around;
        parts.push(result);
        Ty::Callable(Called::Closure(ClosureId { reading: self.reading, expr: id }), parts)
    }

    /// What a closure takes and answers that a body gives as `impl Fn(A) -> B`.
    pub(super) fn given_closure(&self, root: ExprId) -> Option<Expected> {
        let mut last = root;
        while let ExprKind::Block { tail: Some(tail), .. } = &self.body.expr(last).kind {
            last = *tail;
        }
        let (ExprKind::Closure(_), Some(BodyOf::Function(function))) =
            (&self.body.expr(last).kind, self.environment.of)
        else {
            return None;
        };
        self.context.items.function(function).gives.iter().find_map(|predicate| match &predicate.bound {
            Bound::Callable(inputs, output) => {
                let ty = |written| self.context.type_of(written, self.environment);
                Some(Expected::Callable(inputs.iter().map(ty).collect(), ty(output)))
            }
            _ => None,
        })
    }

    /// The type of a path to a function, a constructor or an operation of a primitive type as a value.
    pub(super) fn callable(&mut self, item: &Item) -> Option<Ty> {
        match item {
            Item::Function(function, generics) => {
                let (parameters, result) = self.signature(*function, generics);
                self.settle(Asking::Function(*function), generics);
                let called = Called::Function(*function, generics.len());
                let parts = generics.iter().cloned().chain(parameters).chain([result]);
                Some(Ty::Callable(called, parts.collect()))
            }
            Item::Variant(adt, variant, generics) => {
                let count = self.context.items.adt(*adt).variants[*variant as usize].fields.len();
                let fields = (0..count).map(|field| self.part_type(*adt, *variant, field, generics));
                let parts: Vec<Ty> = fields.chain([Ty::Adt(*adt, generics.clone())]).collect();
                self.settle(Asking::Type(*adt), generics);
                Some(Ty::Callable(Called::Variant(*adt, *variant), parts))
            }
            Item::Associated(ty @ Ty::Integer(integer), name) if name != "from" => {
                let method = super::super::std_table::find(ty, name)?;
                let own = method.takes_self.then(|| ty.clone());
                let others = method.parameters.iter().map(|kind| kind.ty(*integer, self.context));
                let result = method.result.ty(*integer, self.context);
                let parts = [ty.clone()].into_iter().chain(own).chain(others).chain([result]);
                Some(Ty::Callable(Called::Standard(method.meaning), parts.collect()))
            }
            // The only ones there are, where the file has none: what is given becomes known with the call.
            Item::Associated(ty @ (Ty::Integer(_) | Ty::Char), name) if name == "from" => {
                let given = self.variables.fresh();
                Some(Ty::Callable(Called::Standard(Meaning::From), vec![ty.clone(), given, ty.clone()]))
            }
            _ => None,
        }
    }

    /// A call of a value; `None` if it is not known what is called.
    pub(super) fn call_value(&mut self, id: ExprId, callee: &Ty, arguments: &[ExprId]) -> Option<Ty> {
        let mut callee = self.resolved(callee);
        while let Ty::Reference(_, inner) = callee {
            callee = self.resolved(&inner);
        }
        let (called, parameters, result) = callee.called()?;
        if parameters.len() != arguments.len() {
            return None;
        }
        let (parameters, result) = (parameters.to_vec(), result.clone());
        self.check_arguments(arguments, &parameters, &[]);
        let Ty::Callable(_, parts) = &callee else { return None };
        let found = match called {
            Called::Closure(closure) => Callee::Closure(closure),
            Called::Function(function, count) => Callee::Function(function, parts[..count].to_vec()),
            Called::Variant(adt, variant) => Callee::Variant(adt, variant),
            Called::Standard(meaning) => Callee::Standard(meaning, parts[0].clone()),
        };
        self.typing.callees.insert(id, found);
        self.through.insert(id, called);
        Some(result)
    }

    /// Checks arguments as rustc does: closures last, when the others have said what they can.
    pub(super) fn check_arguments(&mut self, arguments: &[ExprId], parameters: &[Ty], asked: &[Asked]) {
        let body = self.body;
        let is_closure = |id: &ExprId| matches!(body.expr(*id).kind, ExprKind::Closure(_));
        for late in [false, true] {
            if late {
                self.answer(asked);
            }
            for (argument, parameter) in arguments.iter().zip(parameters) {
                if is_closure(argument) != late {
                    continue;
                }
                let known = self.resolved(parameter);
                let wanted = asked.iter().find(|asked| self.resolved(&asked.subject) == known);
                match wanted.filter(|_| late && matches!(known, Ty::Variable(_))) {
                    Some(Asked { inputs, output, .. }) => {
                        let expected = Expected::Callable(inputs.clone(), output.clone());
                        let found = self.expr(*argument, &expected);
                        self.variables.unify(&found, parameter);
                    }
                    None => self.check(*argument, parameter),
                }
            }
        }
        self.answer(asked);
    }

    /// What bounds say about the types of values that are called.
    fn answer(&mut self, asked: &[Asked]) {
        for Asked { subject, inputs, output } in asked {
            let mut subject = self.resolved(subject);
            while let Ty::Reference(_, inner) = subject {
                subject = self.resolved(&inner);
            }
            match subject.called() {
                Some((_, parameters, result)) if parameters.len() == inputs.len() => {
                    let (parameters, result) = (parameters.to_vec(), result.clone());
                    inputs.iter().zip(&parameters).for_each(|(one, other)| self.variables.unify(one, other));
                    self.variables.unify(output, &result);
                }
                Some(_) => self.variables.taint(output),
                None if matches!(subject, Ty::Variable(_)) => {}
                None => {
                    // Another way to be called: nobody knows what comes of it.
                    inputs.iter().chain([output]).for_each(|ty| self.variables.taint(ty));
                }
            }
        }
    }

    /// The `Fn` bounds of a function and its impl, read with the types of its generic parameters.
    pub(super) fn asked(&mut self, function: FnId, generics: &[Ty]) -> Vec<Asked> {
        let items = self.context.items;
        let found = items.function(function);
        let of_owner: &[Predicate] = match found.owner {
            Owner::Impl(owner) => &items.impls[owner.index()].predicates,
            _ => &[],
        };
        let predicates = of_owner.iter().chain(&found.predicates);
        let environment = self.context.environment_of(function, generics);
        let mut asked = Vec::new();
        for predicate in predicates {
            if let Bound::Callable(inputs, output) = &predicate.bound {
                asked.push(Asked {
                    subject: self.context.type_of(&predicate.subject, &environment),
                    inputs: inputs.iter().map(|ty| self.context.type_of(ty, &environment)).collect(),
                    output: self.context.type_of(output, &environment),
                });
            }
        }
        asked
    }
}

/// `subject: Fn(inputs) -> output`.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    subject: Ty,
    inputs: Vec<Ty>,
    output: Ty,
}
