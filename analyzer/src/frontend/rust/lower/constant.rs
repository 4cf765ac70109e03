//! Constants: lowered like functions and run by the concrete interpreter.

use kleene_domains::int::Int;
use rustc_hash::FxHashSet;

use super::super::super::arith;
use super::super::super::build::FunctionBuilder;
use super::super::context::{BodyOf, Context, Environment};
use super::super::hir::{Body, ConstId, ExprId, ExprKind, Operator};
use super::super::infer::{Callee, Named, Typing};
use super::super::items::{ConstantKind, Owner};
use super::super::outside::words;
use super::super::std_table::Meaning;
use super::super::types::{Length, Ty};
use super::steps::{Frame, Goal, Lowerer};
use super::value::{Spot, Stored, Value, tuples};
use super::{ProgramLowerer, escape};
use crate::concrete::{Interpreter, Status};
use crate::ir::{FunctionId, Initialiser, Place, Projection, StepKind, VariableId, VariableKind};
use crate::source::Span;

/// A constant that takes longer is not known.
const STEP_LIMIT: usize = 20_000;
const NESTING_LIMIT: u32 = 16;

impl Context<'_> {
    /// The scalars of a constant, leaf by leaf; `None` where its value cannot be computed.
    pub fn constant_value(&self, id: ConstId, environment: &Environment) -> Option<Vec<Int>> {
        let types = environment.names.iter().map(|(_, ty)| ty.clone());
        let key = (id, types.collect::<Vec<_>>(), self.widely.get());
        if let Some(known) = self.constants.borrow().get(&key) {
            return known.clone();
        }
        // While it is under way it has no value: a constant that needs itself is wrong.
        self.constants.borrow_mut().insert(key.clone(), None);
        if *self.depth.borrow() >= NESTING_LIMIT {
            return None;
        }
        *self.depth.borrow_mut() += 1;
        let around = self.resolving.replace((0, 0));
        let value = self.evaluate(id, environment).or_else(|| self.evaluate_widely(id, environment));
        self.resolving.set(around);
        *self.depth.borrow_mut() -= 1;
        self.constants.borrow_mut().insert(key, value.clone());
        value
    }

    pub fn constant_environment(&self, id: ConstId, arguments: &[Ty]) -> Environment {
        let of = Some(BodyOf::Constant(id));
        match self.items.constant(id).owner {
            Owner::Impl(owner) => {
                let generics = &self.items.impls[owner.index()].generics;
                let names: Vec<(String, Ty)> = generics
                    .iter()
                    .map(|generic| generic.name.clone())
                    .zip(arguments.iter().cloned())
                    .collect();
                let own = self.impls.get(owner.index()).map(|(_, ty)| ty.substitute(&names));
                Environment { names, own, within: Some(owner), of }
            }
            Owner::Trait(owner) => {
                let generics = &self.items.traits[owner.index()].generics;
                let names = generics.iter().map(|generic| generic.name.clone());
                let names: Vec<(String, Ty)> = names.zip(arguments.iter().cloned()).collect();
                let own = arguments.first().cloned();
                Environment { names, own, within: None, of }
            }
            _ => Environment { of, ..Environment::default() },
        }
    }

    /// With the whole of long literals and arrays on the way, where the value itself has none.
    fn evaluate_widely(&self, id: ConstId, environment: &Environment) -> Option<Vec<Int>> {
        let ty = &self.items.constant(id).ty;
        if self.widely.get() || matches!(ty, super::super::hir::TypeRef::Infer) {
            return None;
        }
        let ty = self.type_of(ty, environment);
        let leaves = self.leaves(&ty);
        if leaves.is_empty() || self.widely(|| self.leaves(&ty)) != leaves {
            return None;
        }
        self.widely(|| self.evaluate(id, environment))
    }

    /// Whether what a constant is may be another thing for other types.
    pub fn depends_on_types(&self, id: ConstId, environment: &Environment) -> bool {
        let constant = self.items.constant(id);
        let Some(body) = &constant.body else { return !environment.names.is_empty() };
        let is_meant =
            |name: &str| name == "Self" || environment.names.iter().any(|(known, _)| known == name);
        let speaks = |kind: &ExprKind| match kind {
            ExprKind::Path(path) => {
                let mut names = FxHashSet::default();
                let arguments = path.segments.iter().flat_map(|segment| &segment.arguments);
                arguments.for_each(|ty| words(ty, &mut names));
                names.extend(path.segments.iter().map(|segment| segment.name.as_str()));
                path.qself.is_some() || names.into_iter().any(is_meant)
            }
            ExprKind::Opaque(_) => true,
            _ => false,
        };
        !environment.names.is_empty() && body.exprs.iter().any(|expr| speaks(&expr.kind))
    }

    /// Whether a constant that is not computed can only be another number, whatever the sizes of types are.
    pub fn cannot_fail(&self, id: ConstId, environment: &Environment) -> bool {
        let constant = self.items.constant(id);
        let Some((body, root)) = constant.body.as_ref().and_then(|body| Some((body, body.root?))) else {
            return false;
        };
        let ty = self.type_of(&constant.ty, environment);
        let typing = super::super::infer::infer(self, body, environment, &[], ty);
        self.is_harmless(body, &typing, root)
    }

    fn is_harmless(&self, body: &Body, typing: &Typing, id: ExprId) -> bool {
        let harmless = |id: &ExprId| self.is_harmless(body, typing, *id);
        match &body.expr(id).kind {
            ExprKind::Integer(..) | ExprKind::Bool(_) => true,
            ExprKind::Path(_) => matches!(typing.paths.get(&id), Some(Named::Number(_))),
            ExprKind::Cast(inner, _) => harmless(inner),
            ExprKind::Call(..) => matches!(
                typing.callees.get(&id),
                Some(Callee::Number(..) | Callee::Standard(Meaning::SizeOf, _))
            ),
            ExprKind::Binary(Operator::Compare(_), left, right) => harmless(left) && harmless(right),
            ExprKind::Binary(Operator::Div | Operator::Rem, left, right) => {
                let sized = |ty: &Ty| self.takes_room(ty, 0);
                let divides = match typing.callees.get(right) {
                    Some(Callee::Standard(Meaning::SizeOf, ty)) => sized(ty),
                    _ => false,
                };
                divides && harmless(left)
            }
            _ => false,
        }
    }

    fn evaluate(&self, id: ConstId, environment: &Environment) -> Option<Vec<Int>> {
        let constant = self.items.constant(id);
        if constant.kind == ConstantKind::StaticMut {
            return None;
        }
        let body = constant.body.as_ref()?;
        let root = body.root?;
        let ty = match &constant.ty {
            super::super::hir::TypeRef::Infer => {
                let typing = super::super::infer::infer(self, body, environment, &[], Ty::Opaque);
                match typing.exprs.get(root.index()) {
                    Some(ty @ Ty::Integer(_)) => ty.clone(),
                    _ => self.primitive("isize"),
                }
            }
            ty => self.type_of(ty, environment),
        };
        if let ExprKind::Integer(value, _) = &body.expr(root).kind
            && matches!(&ty, Ty::Integer(integer) if integer.ty.contains(value))
        {
            return Some(vec![value.clone()]);
        }
        let typing = super::super::infer::infer(self, body, environment, &[], ty.clone());
        let hidden = escape::hidden(self, body, &typing, &|_| false);
        let mut program = ProgramLowerer::new(self, constant.span);
        program.functions.push(None);
        let frame = Frame::new(body, typing.into(), hidden.into(), ty.clone());
        let builder = FunctionBuilder::new("constant", constant.span);
        let mut lowerer = Lowerer::new(&mut program, builder, frame);
        let spot = lowerer.named("value", &ty, None, constant.span);
        lowerer.run(root, &Goal::Store(spot.clone(), StepKind::Assignment, None));
        lowerer.flush(constant.span);
        lowerer.builder.join(FunctionBuilder::EXIT, constant.span);
        let function = lowerer.builder.finish(constant.span);
        if program.again {
            return None;
        }
        program.functions[0] = Some(function);
        program.work();
        let done = program.finish(vec![FunctionId(0)]);
        if !done.too_large.is_empty() {
            return None;
        }
        run(&done.program, &spot)
    }
}

/// Runs a program without inputs and reads a variable at its end.
fn run(program: &crate::ir::Program, spot: &Spot) -> Option<Vec<Int>> {
    let interpreter = Interpreter::new(program);
    let globals =
        program.globals.iter().flat_map(|global| vec![Int::ZERO; global.ty.slots() as usize]).collect();
    let locals = vec![Int::ZERO; interpreter.layout.frame(program.entry) as usize];
    let mut nothing = |_: &crate::concrete::Choice<'_>| None;
    let mut state = interpreter.initial(globals, locals, &mut nothing).ok()?;
    for _ in 0..STEP_LIMIT {
        if state.status != Status::Running {
            break;
        }
        interpreter.advance(&mut state, &mut nothing).ok()?;
    }
    if state.status != Status::Ended {
        return None;
    }
    let frame = state.frames.first()?;
    let mut values = Vec::new();
    for leaf in spot.leaves.as_ref()? {
        let first = interpreter.layout.first_slot(program.entry, leaf.variable) as usize;
        let slots = program.variable(program.entry, leaf.variable).ty.slots() as usize;
        for slot in first..first + slots {
            values.push(frame.locals.get(slot)?.clone());
        }
    }
    Some(values)
}

impl ProgramLowerer<'_, '_> {
    /// The global that holds a constant array, so that it can be indexed.
    pub fn table(&mut self, id: ConstId, arguments: &[Ty], ty: &Ty) -> Option<Spot> {
        if !matches!(ty.behind(), Ty::Array(_, Length::Known(_))) {
            return None;
        }
        let key = (id, arguments.to_vec());
        if !self.tables.contains_key(&key) {
            let variables = self.new_table(id, arguments, ty);
            self.tables.insert(key.clone(), variables);
        }
        let variables = self.tables.get(&key)?.as_ref()?;
        let stored = variables.iter().map(|variable| Stored { variable: *variable, hidden: false });
        Some(Spot { ty: ty.clone(), leaves: Some(stored.collect()), indices: Vec::new() })
    }

    fn new_table(&mut self, id: ConstId, arguments: &[Ty], ty: &Ty) -> Option<Vec<VariableId>> {
        let environment = self.context.constant_environment(id, arguments);
        let mut values = self.context.constant_value(id, &environment)?.into_iter();
        let constant = self.context.items.constant(id);
        let kind = match constant.kind {
            ConstantKind::Static => VariableKind::Global,
            _ => VariableKind::Temporary,
        };
        let leaves = self.context.leaves(ty);
        let mut variables = Vec::new();
        for leaf in leaves.iter() {
            let name = format!("{}{}", constant.name, leaf.name);
            let variable = self.global(name, leaf.ty(), kind, constant.span);
            for tuple in tuples(&leaf.dimensions) {
                let path = tuple
                    .iter()
                    .map(|index| Projection::Element(Box::new(arith::constant(i64::from(*index)))));
                let place = Place { variable, path: path.collect() };
                self.initialisers.push(Initialiser::Assign(place, arith::constant(values.next()?)));
            }
            variables.push(variable);
        }
        Some(variables)
    }
}

impl Lowerer<'_, '_, '_> {
    pub fn constant(&mut self, id: ConstId, arguments: &[Ty], ty: &Ty, span: Span) -> Value {
        if self.context.items.constant(id).kind == ConstantKind::StaticMut {
            let spot = Spot::nowhere(ty.clone());
            return self.read(&spot, span);
        }
        if self.context.leaf_count(ty) == 0 {
            return Value::empty(ty.clone());
        }
        let environment = self.context.constant_environment(id, arguments);
        let Some(values) = self.context.constant_value(id, &environment) else {
            return self.unseen_value(ty, "a constant whose value is not computed", span);
        };
        let mut values = values.into_iter();
        let mut leaves = Vec::new();
        for leaf in self.context.leaves(ty).iter() {
            let count: usize = leaf.dimensions.iter().map(|length| *length as usize).product();
            leaves.push(values.by_ref().take(count).map(arith::constant).collect());
        }
        self.fitted(&Value { ty: ty.clone(), leaves }, ty, span)
    }

    /// Notes where a constant that this body names may fail for types in the place of parameters, used or not.
    pub fn note_failing_constants(&mut self) {
        let typing = self.frame.typing.clone();
        for index in 0..self.frame.body.exprs.len() as u32 {
            let Some(Named::Constant(id, arguments)) = typing.paths.get(&ExprId(index)) else { continue };
            let environment = self.context.constant_environment(*id, arguments);
            if self.context.depends_on_types(*id, &environment)
                && self.context.constant_value(*id, &environment).is_none()
                && !self.context.cannot_fail(*id, &environment)
            {
                self.program.failing.extend(self.program.current);
            }
        }
    }

    /// Notes where a `const { … }` may fail for types in the place of parameters.
    pub fn note_if_failing(&mut self, id: ExprId) {
        let instance = self.frame.function.clone();
        // What is computed here has its own way to say so.
        let Some(current) = self.program.current else { return };
        if instance.is_some_and(|instance| instance.1.is_empty()) {
            return;
        }
        let span = self.span(id);
        let mut program = ProgramLowerer::new(self.context, span);
        program.functions.push(None);
        let frame =
            Frame::new(self.frame.body, self.frame.typing.clone(), self.frame.hidden.clone(), Ty::UNIT);
        let mut lowerer = Lowerer::new(&mut program, FunctionBuilder::new("constant", span), frame);
        lowerer.run(id, &Goal::Nothing);
        lowerer.flush(span);
        lowerer.builder.join(FunctionBuilder::EXIT, span);
        let function = lowerer.builder.finish(span);
        let again = program.again;
        program.functions[0] = Some(function);
        program.work();
        let done = program.finish(vec![FunctionId(0)]);
        let nothing = Spot { leaves: Some(Vec::new()), ..Spot::nowhere(Ty::UNIT) };
        let ends = !again && done.too_large.is_empty() && run(&done.program, &nothing).is_some();
        if !ends {
            self.program.failing.insert(current);
        }
    }

    pub fn is_known_constant(&self, id: ConstId, arguments: &[Ty]) -> bool {
        let environment = self.context.constant_environment(id, arguments);
        self.context.constant_value(id, &environment).is_some()
    }
}
