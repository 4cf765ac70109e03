//! Drivers: functions of our own that make values through public calls and then call an entry with them.
//!
//! For a type whose fields are not public, one function calls one of its makers with any arguments, then any number of
//! its changers, and gives the value back; a driver calls that for each parameter which needs it. So one exploration
//! finds what holds of all values that can be made, and a run of it is a list of calls that anybody can write.

mod plan;
mod wide;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::super::arith;
use super::super::super::build::{Exit, FunctionBuilder, Pending, Point};
use super::super::hir::{Body, ConstId, FnId};
use super::super::privacy::{Change, Made, Touching, Wrapped};
use super::super::replay::Use;
use super::super::types::Ty;
use super::call::Signature;
use super::function::Begins;
use super::steps::{Frame, Lowerer};
use super::value::{Spot, Value};
use super::{Instance, ProgramLowerer};
use crate::frontend::{Driver, Drivers, Example, Group};
use crate::ir::{self, Cond, Effect, FunctionId, Input, InputSource, StepKind};
use crate::source::Span;
use kleene_domains::expr::CompareOp;
use plan::Plan;

/// Bytes of arguments that a run may begin with.
pub const LARGE: u64 = 1 << 20;

/// Tests that one function calls.
const TOGETHER: usize = 16;

/// Drivers stand in no text.
static NOTHING: Body = Body {
    exprs: Vec::new(),
    pats: Vec::new(),
    locals: Vec::new(),
    parameters: Vec::new(),
    root: None,
    end: None,
    constants: Vec::new(),
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
    touching: Touching,
}

/// Makers, changers and constants of a type, each with what it takes to call it.
struct Ways {
    makers: Vec<(Instance, Wrapped, Vec<Plan>)>,
    /// Functions without parameters.
    bare: Vec<FunctionId>,
    changers: Vec<(Instance, Change)>,
}

impl<'p> ProgramLowerer<'p, '_> {
    /// Drivers and examples for entries that everybody can call; `all`: whether no others can be called.
    pub fn driven(&mut self, entries: &[FunctionId], all: bool) -> (Drivers, Vec<Example>) {
        if all {
            self.context.kept.get_or_init(|| self.context.items.kept_inside());
        }
        let among: FxHashSet<FunctionId> = entries.iter().copied().collect();
        let callable =
            self.instances.iter().filter(|(_, id)| among.contains(id)).map(|(instance, _)| instance.0);
        let callable = all.then(|| callable.collect());
        let touching = self.context.touching(callable);
        let mut making = Making { known: FxHashMap::default(), added: Vec::new(), touching };
        let entries = self.instances_of(entries);
        let mut drivers = self.drivers(&entries, &mut making);
        let mut examples = self.examples(&entries, &mut making);
        examples.extend(self.wide(&entries, &drivers.list, &examples, &mut making));
        drivers.added = making.added;
        (drivers, examples)
    }

    /// What these functions are instances of, in order.
    fn instances_of(&self, functions: &[FunctionId]) -> Vec<(FunctionId, Instance)> {
        let among: FxHashSet<FunctionId> = functions.iter().copied().collect();
        let own = self.instances.iter().filter(|(_, id)| among.contains(id));
        let mut instances: Vec<(FunctionId, Instance)> =
            own.map(|(instance, id)| (*id, instance.clone())).collect();
        instances.sort_unstable_by_key(|(id, _)| *id);
        instances
    }

    /// A driver for each entry that takes values which not everybody can make, where there is a way to make them.
    fn drivers(&mut self, entries: &[(FunctionId, Instance)], making: &mut Making) -> Drivers {
        let mut list = Vec::new();
        for (id, instance) in entries {
            let id = *id;
            let signature = self.signature(instance);
            self.make_callable(id, instance, &signature);
            let bytes = signature.parameters.iter().map(|ty| self.context.bytes(ty));
            if bytes.fold(0, u64::saturating_add) > LARGE {
                self.large.push(id);
            }
            let by_nobody = |ty: &Ty| self.context.is_had_by_nobody(ty);
            if signature.parameters.iter().any(by_nobody)
                || !self.context.is_called_by_some(instance.0)
                || self.context.takes_what_may_be_nobodys(instance.0, &instance.1)
            {
                self.private.push(id);
                continue;
            }
            if !signature.parameters.iter().any(|ty| self.context.is_private(ty)) {
                continue;
            }
            self.private.push(id);
            list.extend(self.driver(Some(id), instance, &signature, making));
        }
        self.work();
        Drivers { list, added: Vec::new() }
    }

    /// Public entries with types in the place of their parameters, and drivers for them where they need one.
    fn examples(&mut self, entries: &[(FunctionId, Instance)], making: &mut Making) -> Vec<Example> {
        let mut list = Vec::new();
        for (entry, (function, arguments)) in entries {
            if !arguments.is_empty()
                && let Some(begins) = self.example(*function, making)
            {
                list.push(Example { entry: *entry, begins, wide: false });
            }
        }
        self.work();
        list.retain(|example| self.compiles(example.begins));
        list
    }

    /// Whether a function and what it calls are known to be compiled: no constant fails for types in the place of
    /// parameters.
    pub(super) fn compiles(&self, begins: FunctionId) -> bool {
        let mut met = FxHashSet::from_iter([begins]);
        let mut work = vec![begins];
        while let Some(id) = work.pop() {
            if self.failing.contains(&id) {
                return false;
            }
            let function = self.functions[id.0 as usize].as_ref();
            work.extend(
                function.into_iter().flat_map(ir::slice::callees).filter(|callee| met.insert(*callee)),
            );
        }
        true
    }

    /// Where runs of a function begin that everybody can make, with types in the place of its parameters.
    fn example(&mut self, function: FnId, making: &mut Making) -> Option<FunctionId> {
        let instance = (function, self.context.example(function)?);
        let signature = self.signature(&instance);
        let parameters = &signature.parameters;
        let bytes = parameters.iter().map(|ty| self.context.bytes(ty));
        let open = parameters.iter().any(|ty| ty.any(&mut |part| *part == Ty::Opaque));
        if open
            || bytes.fold(0, u64::saturating_add) > LARGE
            || parameters.iter().any(|ty| self.context.is_had_by_nobody(ty))
            || self.context.takes_what_may_be_nobodys(instance.0, &instance.1)
        {
            return None;
        }
        // One that nobody can call with these types is not there at all.
        let begins = match parameters.iter().any(|ty| self.context.is_private(ty)) {
            true => self.driver(None, &instance, &signature, making)?.driver,
            false => self.instance(instance.clone()),
        };
        let own = self.instance(instance.clone());
        self.make_callable(own, &instance, &signature);
        Some(begins)
    }

    fn make_callable(&mut self, id: FunctionId, instance: &Instance, signature: &Signature) {
        if let Some(callable) = self.context.callable(instance, &signature.parameters) {
            // How its result is taken apart may be known already.
            self.callables.entry(id).or_insert(callable);
        }
    }

    fn driver(
        &mut self,
        entry: Option<FunctionId>,
        instance: &Instance,
        signature: &Rc<Signature>,
        making: &mut Making,
    ) -> Option<Driver> {
        let open = instance.1.iter().any(|ty| ty.any(&mut |part| matches!(part, Ty::Parameter(_))));
        if open {
            return None;
        }
        let plans = self.plans(&signature.parameters, making)?;
        let complete = plans.iter().all(Plan::is_complete);
        let entry = entry.unwrap_or_else(|| self.instance(instance.clone()));
        let span = self.context.items.function(instance.0).span;
        let name = format!("{} after public calls", self.context.items.function_path(instance.0));
        let instance = instance.clone();
        let signature = signature.clone();
        let driver = self.unwritten(name, Ty::UNIT, span, |lowerer| {
            let spots = lowerer.planned(instance.0, &signature.parameters, &plans, span);
            let result = lowerer.temporary(&signature.result, span);
            lowerer.call_with(instance, &signature, &spots, &result, span);
            lowerer.flush(span);
            lowerer.builder.implicit_return(span);
        });
        making.added.push(driver);
        Some(Driver { entry, driver, complete })
    }

    /// The function that makes values of a type with private fields, if calls can make them.
    fn maker(&mut self, ty: &Ty, making: &mut Making) -> Option<Maker> {
        if let Some(known) = making.known.get(ty) {
            return *known;
        }
        // What needs one of its own kind to be made is not made.
        making.known.insert(ty.clone(), None);
        let made = self.context.made(ty, &making.touching);
        let found = self.making_function(ty, &made, making).map(|function| {
            making.added.push(function);
            Maker { function, complete: made.complete }
        });
        making.known.insert(ty.clone(), found);
        found
    }

    fn making_function(&mut self, ty: &Ty, made: &Made, making: &mut Making) -> Option<FunctionId> {
        let Ty::Adt(id, _) = ty else { return None };
        let span = match made.makers.first() {
            Some(((function, _), _)) => self.context.items.function(*function).span,
            None => self.start,
        };
        let mut makers = Vec::new();
        for (function, wrapped) in &made.makers {
            let parameters = self.signature(function).parameters.clone();
            if let Some(plans) = self.plans(&parameters, making) {
                makers.push((function.clone(), *wrapped, plans));
            }
        }
        let mut bare: Vec<FunctionId> =
            made.by_default.then(|| self.default_function(ty, span)).into_iter().collect();
        for constant in &made.constants {
            bare.push(self.constant_function(*constant, ty));
        }
        if makers.is_empty() && bare.is_empty() {
            return None;
        }
        for (function, wrapped, _) in &makers {
            self.note_result(function, *wrapped, Use::MADE);
        }
        for (function, change) in &made.changers {
            match change {
                Change::Replaced(wrapped) => self.note_result(function, *wrapped, Use::MADE),
                Change::Lent => self.note_result(function, Wrapped::Plain, Use::CHANGED),
            }
        }
        let ways = Ways { makers, bare, changers: made.changers.clone() };
        let name = format!("a value of {}", self.context.items.adt(*id).name);
        Some(self.unwritten(name, ty.clone(), span, |lowerer| lowerer.make(ty, &ways, span)))
    }

    /// How the made value is taken out of a result is part of the call.
    fn note_result(&mut self, instance: &Instance, wrapped: Wrapped, purpose: Use) {
        let id = self.instance(instance.clone());
        if !self.callables.contains_key(&id) {
            let signature = self.signature(instance);
            self.make_callable(id, instance, &signature);
        }
        if let Some(callable) = self.callables.get_mut(&id) {
            callable.purpose = callable.purpose.and(purpose);
            if purpose == Use::MADE {
                callable.unwrap = if wrapped == Wrapped::Plain { "" } else { ".unwrap()" };
            }
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

    /// A public constant, as if it were called.
    fn constant_function(&mut self, constant: ConstId, ty: &Ty) -> FunctionId {
        let (name, span) = {
            let found = self.context.items.constant(constant);
            (found.name.clone(), found.span)
        };
        let id = self.unwritten(name, ty.clone(), span, |lowerer| {
            let value = lowerer.constant(constant, &[], ty, span);
            lowerer.return_value(&value, span);
            lowerer.builder.implicit_return(span);
        });
        self.callables.insert(id, self.context.constant_callable(constant));
        id
    }

    /// Functions that choose one of several tests and call it: what runs need is prepared once for all of them.
    pub fn grouped(&mut self, tests: &[FunctionId]) -> Vec<Group> {
        let instances = self.instances_of(tests);
        let groups = instances.chunks(TOGETHER).map(|chunk| {
            let span = self.context.items.function(chunk[0].1.0).span;
            let begins = self.unwritten("tests".into(), Ty::UNIT, span, |lowerer| {
                let ways = lowerer.choose(chunk.len(), span);
                let end = lowerer.builder.point();
                for ((test, instance), way) in chunk.iter().zip(ways) {
                    lowerer.builder.current = way;
                    let result = lowerer.program.signature(instance).result.clone();
                    let result = lowerer.temporary(&result, span);
                    lowerer.call_bare(*test, &result, span);
                    lowerer.flush(span);
                    lowerer.builder.join(end, span);
                }
                lowerer.builder.current = end;
                lowerer.builder.implicit_return(span);
            });
            Group { begins, tests: chunk.iter().map(|(test, _)| *test).collect() }
        });
        groups.collect()
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
    let body = lowerer.context.body(function);
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
    fn make(&mut self, ty: &Ty, made: &Ways, span: Span) {
        let value = self.named("made", ty, None, span);
        let again = self.builder.point();
        let ways = self.choose(made.makers.len() + made.bare.len(), span);
        for ((function, wrapped, plans), way) in made.makers.iter().zip(&ways) {
            self.builder.current = *way;
            let at = self.context.items.function(function.0).span;
            let parameters = self.program.signature(function).parameters.clone();
            let spots = self.planned(function.0, &parameters, plans, at);
            self.step_of(function, &spots, None, *wrapped, &value);
            self.flush(span);
            self.builder.jump(again, span);
        }
        for (function, way) in made.bare.iter().zip(&ways[made.makers.len()..]) {
            self.builder.current = *way;
            self.call_bare(*function, &value, span);
            self.flush(span);
            self.builder.jump(again, span);
        }
        self.builder.current = again;
        // The first way leaves.
        let ways = self.choose(made.changers.len() + 1, span);
        for ((function, change), way) in made.changers.iter().zip(&ways[1..]) {
            self.builder.current = *way;
            let wrapped = match change {
                Change::Lent => Wrapped::Plain,
                Change::Replaced(wrapped) => *wrapped,
            };
            let spots = self.with_value(function, &value);
            self.step_of(function, &spots, Some(*change), wrapped, &value);
            self.flush(span);
            self.builder.jump(again, span);
        }
        self.builder.current = ways[0];
        let result = self.read(&value, span);
        self.return_value(&result, span);
        self.builder.implicit_return(span);
    }

    /// Arguments of a changer: the value where it takes one, and anything for the others.
    fn with_value(&mut self, function: &Instance, value: &Spot) -> Vec<Spot> {
        let span = self.context.items.function(function.0).span;
        let parameters = self.program.signature(function).parameters.clone();
        let mut spots = Vec::new();
        for (index, ty) in parameters.iter().enumerate() {
            spots.push(match self.context.is_private(ty) {
                true => value.clone(),
                false => self.drawn(&parameter_name(self, function.0, index), ty, span),
            });
        }
        spots
    }

    /// One public call, into the value where it gives one.
    fn step_of(
        &mut self,
        instance: &Instance,
        spots: &[Spot],
        change: Option<Change>,
        wrapped: Wrapped,
        value: &Spot,
    ) {
        let span = self.context.items.function(instance.0).span;
        let signature = self.program.signature(instance);
        let lends = change == Some(Change::Lent);
        let direct = !lends && wrapped == Wrapped::Plain;
        let into = if direct { value.clone() } else { self.temporary(&signature.result, span) };
        let result = self.call_with(instance.clone(), &signature, spots, &into, span);
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
