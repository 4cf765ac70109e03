//! Drivers: functions of our own that make values through public calls and then call an entry with them.
//!
//! For a type whose fields are not public, one function calls one of its makers with any arguments, then any number of
//! its changers, and gives the value back; a driver calls that for each parameter which needs it. So one exploration
//! finds what holds of all values that can be made, and a run of it is a list of calls that anybody can write.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::super::arith;
use super::super::super::build::{Exit, FunctionBuilder, Pending, Point};
use super::super::hir::{AdtId, Body, FnId};
use super::super::privacy::{Change, Made, Touching, Wrapped};
use super::super::types::Ty;
use super::call::Signature;
use super::function::Begins;
use super::steps::{Frame, Lowerer};
use super::value::{Spot, Value};
use super::{Instance, ProgramLowerer};
use crate::frontend::{Driver, Drivers, Example};
use crate::ir::{self, Cond, Effect, FunctionId, Input, InputSource, StepKind};
use crate::source::Span;
use kleene_domains::expr::CompareOp;

/// Bytes of arguments that a run may begin with.
pub const LARGE: u64 = 1 << 20;

/// Drivers stand in no text.
static NOTHING: Body = Body {
    exprs: Vec::new(),
    pats: Vec::new(),
    locals: Vec::new(),
    parameters: Vec::new(),
    root: None,
    end: None,
};

/// The function that makes values of a type, and whether it makes all of them.
#[derive(Clone, Copy)]
struct Maker {
    function: FunctionId,
    complete: bool,
}

struct Making {
    known: FxHashMap<Ty, Option<Maker>>,
    added: Vec<FunctionId>,
    touching: Option<Touching>,
}

impl<'p> ProgramLowerer<'p, '_> {
    /// A driver for each entry that takes values which not everybody can make, where there is a way to make them.
    pub fn drivers(&mut self, entries: &[FunctionId]) -> Drivers {
        let mut instances: Vec<(FunctionId, Instance)> =
            self.instances.iter().map(|(instance, id)| (*id, instance.clone())).collect();
        let entries: FxHashSet<FunctionId> = entries.iter().copied().collect();
        instances.retain(|(id, _)| entries.contains(id));
        instances.sort_unstable_by_key(|(id, _)| *id);
        let mut making = Making { known: FxHashMap::default(), added: Vec::new(), touching: None };
        let mut list = Vec::new();
        for (id, instance) in instances {
            let signature = self.signature(&instance);
            self.make_callable(id, &instance, &signature);
            let bytes = signature.parameters.iter().map(|ty| self.context.bytes(ty));
            if bytes.fold(0, u64::saturating_add) > LARGE {
                self.large.push(id);
            }
            if signature.parameters.iter().any(|ty| self.context.is_uninhabited(ty)) {
                self.private.push(id);
                continue;
            }
            if !signature.parameters.iter().any(|ty| self.context.is_private(ty)) {
                continue;
            }
            self.private.push(id);
            list.extend(self.driver(id, &instance, &signature, &mut making));
        }
        self.work();
        Drivers { list, added: making.added, idle: Vec::new() }
    }

    /// Public entries with types in the place of their parameters, and drivers for them where they need one.
    pub fn examples(&mut self, entries: &[FunctionId], drivers: &mut Drivers) -> Vec<Example> {
        let entries: FxHashSet<FunctionId> = entries.iter().copied().collect();
        let mut generic: Vec<(FunctionId, FnId)> = self
            .instances
            .iter()
            .filter(|((_, arguments), id)| !arguments.is_empty() && entries.contains(*id))
            .map(|((function, _), id)| (*id, *function))
            .collect();
        generic.sort_unstable();
        let mut making = Making { known: FxHashMap::default(), added: Vec::new(), touching: None };
        let mut list = Vec::new();
        for (entry, function) in generic {
            let Some(arguments) = self.context.example(function) else { continue };
            let instance = (function, arguments);
            let signature = self.signature(&instance);
            let parameters = &signature.parameters;
            let bytes = parameters.iter().map(|ty| self.context.bytes(ty));
            let open = parameters.iter().any(|ty| ty.any(&mut |part| *part == Ty::Opaque));
            if open
                || bytes.fold(0, u64::saturating_add) > LARGE
                || parameters.iter().any(|ty| self.context.is_uninhabited(ty))
            {
                continue;
            }
            let own = self.instance(instance.clone());
            self.make_callable(own, &instance, &signature);
            let begins = match parameters.iter().any(|ty| self.context.is_private(ty)) {
                true => match self.driver(own, &instance, &signature, &mut making) {
                    Some(driver) => driver.driver,
                    None => {
                        drivers.idle.push(own);
                        continue;
                    }
                },
                false => own,
            };
            list.push(Example { entry, begins });
        }
        self.work();
        drivers.added.extend(making.added);
        list
    }

    fn make_callable(&mut self, id: FunctionId, instance: &Instance, signature: &Signature) {
        if let Some(callable) = self.context.callable(instance, &signature.parameters) {
            // How its result is taken apart may be known already.
            self.callables.entry(id).or_insert(callable);
        }
    }

    fn driver(
        &mut self,
        entry: FunctionId,
        instance: &Instance,
        signature: &Rc<Signature>,
        making: &mut Making,
    ) -> Option<Driver> {
        let open = instance.1.iter().any(|ty| ty.any(&mut |part| matches!(part, Ty::Parameter(_))));
        if open {
            return None;
        }
        let mut makers = Vec::new();
        for ty in &signature.parameters {
            makers.push(match self.context.is_private(ty) {
                true => Some(self.maker(ty, making)?),
                false => None,
            });
        }
        let complete = makers.iter().flatten().all(|maker| maker.complete);
        let span = self.context.items.function(instance.0).span;
        let name = format!("{} after public calls", self.context.items.function_path(instance.0));
        let instance = instance.clone();
        let signature = signature.clone();
        let driver = self.unwritten(name, Ty::UNIT, span, |lowerer| {
            let mut spots = Vec::new();
            for (index, (ty, maker)) in signature.parameters.iter().zip(&makers).enumerate() {
                spots.push(match maker {
                    Some(maker) => lowerer.made_value(ty, maker.function, span),
                    None => lowerer.drawn(&parameter_name(lowerer, instance.0, index), ty, span),
                });
            }
            let result = lowerer.temporary(&signature.result, span);
            lowerer.call_with(instance, &signature, &spots, &result, span);
            lowerer.flush(span);
            lowerer.builder.implicit_return(span);
        });
        making.added.push(driver);
        Some(Driver { entry, driver, complete })
    }

    /// The function that makes values of a parameter's type, if it is one that calls can make.
    fn maker(&mut self, ty: &Ty, making: &mut Making) -> Option<Maker> {
        let referred = match ty {
            Ty::Reference(_, inner) => inner,
            ty => ty,
        };
        let referred: &Ty = referred;
        let Ty::Adt(id, _) = referred else { return None };
        if !self.context.has_private_field(*id) {
            return None;
        }
        if let Some(known) = making.known.get(referred) {
            return *known;
        }
        let touching = making.touching.get_or_insert_with(|| self.context.touching());
        let made = self.context.made(referred, touching);
        let found = (!made.makers.is_empty() || made.by_default).then(|| {
            let function = self.making_function(*id, referred, &made);
            making.added.push(function);
            Maker { function, complete: made.complete }
        });
        making.known.insert(referred.clone(), found);
        found
    }

    fn making_function(&mut self, id: AdtId, ty: &Ty, made: &Made) -> FunctionId {
        let span = match made.makers.first() {
            Some(((function, _), _)) => self.context.items.function(*function).span,
            None => self.start,
        };
        let default = made.by_default.then(|| self.default_function(ty, span));
        for (function, wrapped) in &made.makers {
            self.note_result(function, *wrapped);
        }
        for (function, change) in &made.changers {
            if let Change::Replaced(wrapped) = change {
                self.note_result(function, *wrapped);
            }
        }
        let name = format!("a value of {}", self.context.items.adt(id).name);
        self.unwritten(name, ty.clone(), span, |lowerer| lowerer.make(ty, made, default, span))
    }

    /// How the made value is taken out of a result is part of the call.
    fn note_result(&mut self, instance: &Instance, wrapped: Wrapped) {
        let id = self.instance(instance.clone());
        if !self.callables.contains_key(&id) {
            let signature = self.signature(instance);
            self.make_callable(id, instance, &signature);
        }
        if let Some(callable) = self.callables.get_mut(&id) {
            callable.unwrap = if wrapped == Wrapped::Plain { "" } else { ".unwrap()" };
        }
    }

    /// `Default::default` as `derive` writes it.
    fn default_function(&mut self, ty: &Ty, span: Span) -> FunctionId {
        let name = format!("{}::default", super::super::types::shown(self.context, ty));
        let id = self.unwritten(name, ty.clone(), span, |lowerer| {
            let zero = lowerer.context.zero(ty);
            lowerer.return_value(&zero, span);
            lowerer.builder.implicit_return(span);
        });
        if let Some(callable) = self.context.default_callable(ty) {
            self.callables.insert(id, callable);
        }
        id
    }

    /// A function that stands in no text.
    fn unwritten(
        &mut self,
        name: String,
        result: Ty,
        span: Span,
        build: impl FnOnce(&mut Lowerer<'_, 'p, '_>),
    ) -> FunctionId {
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(None);
        let mut builder = FunctionBuilder::new(name, span);
        builder.result = self.scalar_result(&result);
        let frame = Frame::new(&NOTHING, Rc::default(), Rc::default(), result);
        let mut lowerer = Lowerer::new(self, builder, frame);
        build(&mut lowerer);
        let function = lowerer.builder.finish(span);
        self.functions[id.0 as usize] = Some(function);
        id
    }
}

fn parameter_name(lowerer: &Lowerer<'_, '_, '_>, function: FnId, index: usize) -> String {
    use super::super::hir::PatKind;
    let body = lowerer.context.items.function(function).body.as_ref();
    let pat = body.and_then(|body| Some((body, body.pat(*body.parameters.get(index)?))));
    match pat {
        Some((body, pat)) => match &pat.kind {
            PatKind::Bind { local, .. } => body.local(*local).name.clone(),
            _ => format!("parameter{}", index + 1),
        },
        None => format!("parameter{}", index + 1),
    }
}

impl Lowerer<'_, '_, '_> {
    /// Any value of a type, as an input with a name.
    fn drawn(&mut self, name: &str, ty: &Ty, span: Span) -> Spot {
        self.flush(span);
        let spot = self.named(name, ty, None, span);
        let inputs = self.context.leaf_places(&spot);
        let inputs = inputs.into_iter().map(|place| Input { place, source: InputSource::Type, span });
        self.pending.inputs.extend(inputs);
        self.advance(StepKind::Input, span, Effect::SKIP);
        self.first_slices(std::slice::from_ref(&spot), Begins::AtTheFirst, StepKind::Skip, span);
        let value = self.read(&spot, span);
        self.assume_valid(&value, StepKind::Input, span);
        spot
    }

    fn made_value(&mut self, ty: &Ty, maker: FunctionId, span: Span) -> Spot {
        let spot = self.named("made", ty.behind(), None, span);
        self.call_bare(maker, &spot, span);
        spot
    }

    /// Calls a function without parameters.
    pub fn call_bare(&mut self, function: FunctionId, into: &Spot, span: Span) {
        let signature =
            Signature { parameters: Vec::new(), result: into.ty.clone(), environment: Default::default() };
        self.call_number(function, &signature, Vec::new(), Vec::new(), into, span);
    }

    /// Calls a function with what stands in these places; what it lends is written back.
    fn call_with(
        &mut self,
        instance: Instance,
        signature: &Signature,
        spots: &[Spot],
        into: &Spot,
        span: Span,
    ) -> Value {
        let mut values = Vec::new();
        let mut lent = Vec::new();
        for ((index, spot), ty) in spots.iter().enumerate().zip(&signature.parameters) {
            let read = self.read(spot, span);
            values.push(self.fitted(&read, ty, span));
            lent.push(signature.is_mutable(index).then(|| spot.clone()));
        }
        let function = self.program.instance(instance);
        self.call_number(function, signature, values, lent, into, span)
    }

    /// One way of several, by an input.
    pub fn choose(&mut self, count: usize, span: Span) -> Vec<Point> {
        let ways: Vec<Point> = (0..count).map(|_| self.builder.point()).collect();
        if let [only] = ways.as_slice() {
            self.builder.join(*only, span);
            return ways;
        }
        let choice = self.builder.temporary(ir::Type::Below(count as u32), span);
        self.pending.inputs.push(Input { place: choice.clone(), source: InputSource::Type, span });
        let is = |op: CompareOp, index: usize| {
            arith::compare(op, arith::read(choice.clone()), arith::constant(index as i64))
        };
        let guard = |index: usize| match index + 1 == count {
            true => (0..index).map(|other| is(CompareOp::NotEqual, other)).reduce(Cond::and),
            false => Some(is(CompareOp::Equal, index)),
        };
        let exits = ways.iter().enumerate().map(|(index, way)| Exit {
            guard: guard(index).unwrap_or(Cond::Literal(true)),
            effect: Effect::SKIP,
            target: *way,
            span,
        });
        let exits = exits.collect();
        self.exits(StepKind::Skip, span, exits);
        ways
    }

    /// A maker, then changers, then the value.
    fn make(&mut self, ty: &Ty, made: &Made, default: Option<FunctionId>, span: Span) {
        let value = self.named("made", ty, None, span);
        let again = self.builder.point();
        let ways = self.choose(made.makers.len() + usize::from(default.is_some()), span);
        for (index, way) in ways.iter().enumerate() {
            self.builder.current = *way;
            match (made.makers.get(index), default) {
                (Some((function, wrapped)), _) => self.step_of(function, None, *wrapped, &value),
                (None, Some(default)) => self.call_bare(default, &value, span),
                (None, None) => {}
            }
            self.flush(span);
            self.builder.jump(again, span);
        }
        self.builder.current = again;
        // The first way leaves.
        let ways = self.choose(made.changers.len() + 1, span);
        for ((function, change), way) in made.changers.iter().zip(&ways[1..]) {
            self.builder.current = *way;
            match change {
                Change::Lent => self.step_of(function, Some(&value), Wrapped::Plain, &value),
                Change::Replaced(wrapped) => self.step_of(function, Some(&value), *wrapped, &value),
            }
            self.flush(span);
            self.builder.jump(again, span);
        }
        self.builder.current = ways[0];
        let result = self.read(&value, span);
        self.return_value(&result, span);
        self.builder.implicit_return(span);
    }

    /// One public call: with the value where it takes one, into the value where it gives one.
    fn step_of(&mut self, instance: &Instance, given: Option<&Spot>, wrapped: Wrapped, value: &Spot) {
        let function = instance.0;
        let span = self.context.items.function(function).span;
        let signature = self.program.signature(instance);
        let mut spots = Vec::new();
        for (index, ty) in signature.parameters.iter().enumerate() {
            spots.push(match given.filter(|_| self.context.is_private(ty)) {
                Some(given) => given.clone(),
                None => self.drawn(&parameter_name(self, function, index), ty, span),
            });
        }
        let lends = signature
            .parameters
            .iter()
            .enumerate()
            .any(|(index, ty)| signature.is_mutable(index) && self.context.is_private(ty));
        let direct = !lends && wrapped == Wrapped::Plain;
        let into = if direct { value.clone() } else { self.temporary(&signature.result, span) };
        let result = self.call_with(instance.clone(), &signature, &spots, &into, span);
        if lends {
            return;
        }
        let inner = match wrapped {
            Wrapped::Plain => None,
            Wrapped::Some => self.taken_out(&result, 1, span),
            Wrapped::Ok => self.taken_out(&result, 0, span),
        };
        if let Some(inner) = inner {
            self.store(value, &inner, StepKind::Assignment, span);
        }
    }

    /// The value in a variant; without one the run is over.
    fn taken_out(&mut self, result: &Value, variant: u32, span: Span) -> Option<Value> {
        let Ty::Adt(id, arguments) = &result.ty else { return None };
        let tag = result.leaves.first()?.first()?.clone();
        let (yes, no) = (self.builder.point(), self.builder.point());
        let has = arith::compare(CompareOp::Equal, tag, arith::constant(i64::from(variant)));
        let pending = self.taken();
        let ways = [(Effect::SKIP, yes), (Effect::SKIP, no)];
        self.builder.split(StepKind::Skip, span, pending, has, ways);
        self.builder.current = no;
        self.builder.end(StepKind::Skip, span, Pending::default(), Effect::Stop);
        self.builder.current = yes;
        let (at, part) = self.context.field_leaves(*id, variant, 0, arguments);
        self.context.value_part(result, at, part)
    }
}
