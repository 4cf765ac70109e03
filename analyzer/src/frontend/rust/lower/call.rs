//! Calls: arguments, results, what `&mut` parameters leave behind; bodies that are inlined; unknown ones.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::context::Environment;
use super::super::hir::{ExprId, ExprKind, FnId, Mutability};
use super::super::infer::{Callee, Typing, infer};
use super::super::types::Ty;
use super::sequence::Lent;
use super::steps::{Frame, Goal, Lowerer, Returning};
use super::value::{Spot, Value};
use super::{Instance, ProgramLowerer, escape};
use crate::ir::{Effect, Expr, FunctionId, Place, StepKind};
use crate::source::Span;

/// How an instance of a function is called.
#[derive(Debug)]
pub struct Signature {
    pub parameters: Vec<Ty>,
    pub result: Ty,
    pub environment: Environment,
}

impl Signature {
    pub fn is_mutable(&self, parameter: usize) -> bool {
        matches!(self.parameters.get(parameter), Some(Ty::Reference(Mutability::Mutable, _)))
    }
}

/// More generic instances than this are not looked into: generic recursion may ask for new ones for ever.
const INSTANCE_LIMIT: usize = 2_000;
const DEEPEST_TYPE: u32 = 48;
pub const INLINE_DEPTH: u32 = 24;
/// So many nodes are lowered in place of calls in one function.
pub const INLINE_LIMIT: usize = 12_000;

impl<'p> ProgramLowerer<'p, '_> {
    pub fn signature(&mut self, instance: &Instance) -> Rc<Signature> {
        let (id, generics) = instance;
        let items = self.context.items;
        let function = items.function(*id);
        let environment = self.context.environment_of(*id, generics);
        let parameters =
            function.parameters.iter().map(|ty| self.context.type_of(ty, &environment)).collect();
        let result = self.context.type_of(&function.result, &environment);
        Rc::new(Signature { parameters, result, environment })
    }

    /// Types of an instance's body, and what of its locals unknown code may write.
    pub fn typing(&mut self, instance: &Instance, signature: &Signature) -> Option<(Rc<Typing>, Hidden)> {
        if let Some(known) = self.typed.get(instance) {
            return Some(known.clone());
        }
        let context: &'p super::super::context::Context<'_> = self.context;
        let body = context.body(instance.0)?;
        // Closures are those of one reading, and which of them get into unknown code turns out on the way.
        let is_plain = !body.exprs.iter().any(|expr| matches!(expr.kind, ExprKind::Closure(_)));
        let typing = match is_plain && !context.is_computing() {
            true => context.typed(instance.0, &instance.1, body),
            false => {
                let Signature { parameters, result, environment } = signature;
                Rc::new(infer(context, body, environment, parameters, result.clone()))
            }
        };
        let around = Some(super::known_by(instance));
        let escapes = |expr: ExprId| self.escaping.contains(&(around.clone(), expr));
        let found = (typing.clone(), Rc::new(escape::hidden(context, body, &typing, &escapes)));
        if is_plain {
            self.typed.insert(instance.clone(), found.clone());
        }
        Some(found)
    }

    /// The registers that carry a value of a type, leaf by leaf.
    pub fn value_registers(
        &mut self,
        ty: &Ty,
        next: &mut FxHashMap<crate::ir::Type, u32>,
    ) -> Vec<Vec<Place>> {
        let leaves = self.context.leaves(ty);
        leaves
            .iter()
            .map(|leaf| {
                let count: usize = leaf.dimensions.iter().map(|length| *length as usize).product();
                (0..count)
                    .map(|_| {
                        let number = next.entry(leaf.scalar.clone()).or_default();
                        *number += 1;
                        let number = *number;
                        self.register(&leaf.scalar, number)
                    })
                    .collect()
            })
            .collect()
    }

    /// The type of a result that travels with the return itself.
    pub fn scalar_result(&self, ty: &Ty) -> Option<crate::ir::Type> {
        match &*self.context.leaves(ty) {
            [only] if only.dimensions.is_empty() => Some(only.scalar.clone()),
            _ => None,
        }
    }
}

pub type Hidden = Rc<escape::Hidden>;

impl<'p> Lowerer<'_, 'p, '_> {
    pub fn call(&mut self, id: ExprId, ty: &Ty, span: Span) -> Value {
        if let Some(spot) = self.looked_up(id, span) {
            return self.read(&spot, span);
        }
        let (arguments, site) = self.arguments(id, span);
        let callee = self.frame.typing.callees.get(&id).cloned();
        match callee {
            Some(Callee::Number(value, ty)) => {
                Value::scalar(ty, super::super::super::arith::constant(kleene_domains::int::Int::from(value)))
            }
            Some(Callee::Variant(adt, variant)) => self.construct(adt, variant, &arguments, ty, span),
            Some(Callee::Standard(meaning, own)) => {
                self.standard(meaning, &own, &arguments, ty, (span, site))
            }
            Some(Callee::Function(function, generics)) => {
                self.program.note_lowered(self.frame.body, id);
                // An operator names nobody, nor does `.into()`: others may call the same function unseen.
                let named = match &self.frame.body.expr(id).kind {
                    ExprKind::Call(..) => true,
                    ExprKind::Method { name, .. } => *name == self.context.items.function(function).name,
                    _ => false,
                };
                if !named {
                    self.program.note_hidden(function);
                }
                if self.points_into_writable(function, &arguments) {
                    let _ = self.values(&arguments);
                    // Its number is 0.
                    return self.context.zero(ty);
                }
                self.call_function(function, generics, &arguments, ty, site)
            }
            Some(Callee::Closure(closure)) => match self.frame.body.expr(id).kind {
                ExprKind::Call(callee, _) => self.call_closure(closure, callee, &arguments, ty, span),
                _ => self.call_unknown("a call", &arguments, ty, span),
            },
            Some(Callee::Unknown(reason)) => {
                self.program.note_unknown(self.frame.body, id);
                self.call_unknown(reason, &arguments, ty, span)
            }
            None => {
                self.program.note_unknown(self.frame.body, id);
                self.call_unknown("a call", &arguments, ty, span)
            }
        }
    }

    /// Whether an operator is a call of a function of the file.
    pub fn is_overloaded(&self, id: ExprId) -> bool {
        self.frame.typing.callees.contains_key(&id)
    }

    /// The arguments of a call, the receiver first, and where rustc reports what fails in it.
    fn arguments(&self, id: ExprId, span: Span) -> (Vec<ExprId>, Span) {
        match &self.frame.body.expr(id).kind {
            ExprKind::Call(_, arguments) => (arguments.clone(), span),
            ExprKind::Method { receiver, arguments, site, .. } => {
                (std::iter::once(*receiver).chain(arguments.iter().copied()).collect(), self.here(site.0))
            }
            ExprKind::Binary(_, left, right) | ExprKind::Update(_, left, right) => {
                (vec![*left, *right], span)
            }
            ExprKind::Not(inner) | ExprKind::Negate(inner) => (vec![*inner], span),
            _ => (Vec::new(), span),
        }
    }

    fn construct(
        &mut self,
        adt: super::super::hir::AdtId,
        variant: u32,
        arguments: &[ExprId],
        ty: &Ty,
        span: Span,
    ) -> Value {
        let values = self.values(arguments);
        let Ty::Adt(_, generics) = ty else {
            values.iter().for_each(|value| self.lose(&value.ty));
            return Value::empty(Ty::Opaque);
        };
        let mut fields = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let wanted = self.context.field_type(adt, variant, index, generics);
            fields.push(self.fitted(value, &wanted, span));
        }
        match self.context.variant_value(adt, variant, generics, &fields) {
            Some(value) => value,
            None => self.unseen_value(ty, "a variant", span),
        }
    }

    /// The place that an argument lends, if it is a place we know.
    fn lent_argument(&mut self, id: ExprId) -> Option<Spot> {
        let inner = match &self.frame.body.expr(id).kind {
            ExprKind::Reference(Mutability::Mutable, inner) => *inner,
            _ => id,
        };
        if !self.is_place(inner) {
            return None;
        }
        let span = self.span(id);
        let spot = self.spot(inner);
        Some(self.settled(spot, span))
    }

    /// The place that an argument lends to a parameter of this type. An array is lent as a slice through a copy.
    fn lend(&mut self, id: ExprId, parameter: &Ty) -> Option<Lent> {
        let span = self.span(id);
        if let Some(element) = self.context.element_type(parameter) {
            let inner = match &self.frame.body.expr(id).kind {
                ExprKind::Reference(_, inner) => *inner,
                _ => id,
            };
            let (array, range) = match &self.frame.body.expr(inner).kind {
                ExprKind::Index(base, range) if self.context.is_range(&self.ty(*range)) => {
                    (*base, Some(*range))
                }
                _ => (inner, None),
            };
            let ty = self.context.behind(&self.ty(array));
            if matches!(ty, Ty::Array(..)) && self.is_place(array) {
                let array = self.spot(array);
                let array = self.settled(array, span);
                let slice = Ty::Slice(Box::new(element));
                let value = self.read(&array, span).with_type(ty.clone());
                let spot = match self.as_slice(&value, &slice) {
                    Some(value) => self.placed(&value, span),
                    None => Spot::nowhere(slice.clone()),
                };
                let bounds = range.and_then(|range| self.bounds(range));
                let spot = match bounds {
                    Some(bounds) => self.part(&spot, &slice, &bounds, span),
                    None => spot,
                };
                return Some(Lent { spot, array: Some(self.context.retyped(array, ty)) });
            }
        }
        self.lent_argument(id).map(|spot| Lent { spot, array: None })
    }

    fn call_function(
        &mut self,
        function: FnId,
        generics: Vec<Ty>,
        arguments: &[ExprId],
        ty: &Ty,
        span: Span,
    ) -> Value {
        let items = self.context.items;
        let found = items.function(function);
        if let Some(reason) = found.opaque {
            self.program.note_hidden(function);
            return self.call_unknown(reason, arguments, ty, span);
        }
        if !found.has_body() {
            return self.call_unknown("a function without a body", arguments, ty, span);
        }
        let instance = (function, generics);
        let signature = self.program.signature(&instance);
        let bound = instance.1.iter().chain(&signature.parameters).any(|ty| self.is_bound(ty));
        let known = self.is_known(&instance, &signature);
        let new = !instance.1.is_empty() && !self.program.instances.contains_key(&instance);
        let endless = instance.1.iter().any(|ty| ty.is_deep(DEEPEST_TYPE));
        let too_many =
            endless || new && self.program.instances.len() >= INSTANCE_LIMIT + items.functions.len();
        let fits = known && self.may_inline() || !bound && !too_many;
        if signature.parameters.len() != arguments.len() || !fits {
            self.program.note_hidden(function);
            return self.call_unknown("a call that is not looked into", arguments, ty, span);
        }
        let (values, lent) = self.passed(arguments, &signature);
        let spots = lent.iter().map(|lent| lent.as_ref().map(|lent| lent.spot.clone())).collect();
        let value = self.call_instance(instance, &signature, values, spots, (known, span));
        lent.iter().flatten().for_each(|lent| self.restore(lent, span));
        value
    }

    /// Calls a function that nobody names, with values that are there and none that is lent.
    pub fn call_plain(
        &mut self,
        instance: Instance,
        signature: &Signature,
        values: Vec<Value>,
        span: Span,
    ) -> Value {
        let items = self.context.items;
        let found = items.function(instance.0);
        let new = !instance.1.is_empty() && !self.program.instances.contains_key(&instance);
        let endless = instance.1.iter().any(|ty| ty.is_deep(DEEPEST_TYPE));
        let too_many =
            endless || new && self.program.instances.len() >= INSTANCE_LIMIT + items.functions.len();
        let bound = instance.1.iter().chain(&signature.parameters).any(|ty| self.is_bound(ty));
        if found.opaque.is_some() || !found.has_body() || too_many || bound {
            return self.unknown_value(&signature.result, "a call that is not looked into", span);
        }
        let lent = values.iter().map(|_| None).collect();
        self.call_step(instance, signature, values, lent, span)
    }

    /// Calls an instance with values and places that are there; `known`: its body may stand here.
    pub fn call_instance(
        &mut self,
        instance: Instance,
        signature: &Signature,
        values: Vec<Value>,
        lent: Vec<Option<Spot>>,
        (known, span): (bool, Span),
    ) -> Value {
        let items = self.context.items;
        if known && self.may_inline() {
            let standard = items.is_std_module(items.function(instance.0).module);
            let at = standard.then_some(span);
            return self.inline(&instance, signature, values, lent, (at, span));
        }
        self.call_step(instance, signature, values, lent, span)
    }

    /// Whether the body of an instance may stand where it is called.
    pub fn is_known(&mut self, instance: &Instance, signature: &Signature) -> bool {
        let items = self.context.items;
        let bound = instance.1.iter().chain(&signature.parameters).any(|ty| self.is_bound(ty));
        items.is_std_module(items.function(instance.0).module)
            || bound && self.may_take_in(instance.0, instance, signature)
    }

    /// Whether a function of the file that takes a closure can be lowered where it is called.
    fn may_take_in(&mut self, function: FnId, instance: &Instance, signature: &Signature) -> bool {
        if self.inlining.contains(&function) {
            return false;
        }
        let context = self.context;
        let Some(body) = context.body(function) else { return false };
        let Some((typing, _)) = self.program.typing(instance, signature) else { return false };
        super::ends::ends(context, body, &typing, &signature.result).is_empty()
    }

    /// Values of the arguments, and the places that are lent.
    pub fn passed(&mut self, arguments: &[ExprId], signature: &Signature) -> (Vec<Value>, Vec<Option<Lent>>) {
        let mut values = Vec::new();
        let mut lent = Vec::new();
        self.open_scope();
        for (index, argument) in arguments.iter().enumerate() {
            let span = self.span(*argument);
            let spot = match signature.is_mutable(index) {
                true => self.lend(*argument, &signature.parameters[index]),
                false => None,
            };
            let later = arguments[index + 1..].iter().any(|later| self.needs_steps(*later));
            let value = match &spot {
                Some(_) => Value::unit(),
                None => {
                    let value = self.value(*argument);
                    let value = self.fitted(&value, &signature.parameters[index], span);
                    let value = self.hold(*argument, value, span);
                    if later { self.keep(value, span) } else { value }
                }
            };
            values.push(value);
            lent.push(spot);
        }
        self.hand_over();
        for ((value, spot), parameter) in values.iter_mut().zip(&lent).zip(&signature.parameters) {
            if let Some(lent) = spot {
                let span = self.builder.span;
                let read = self.read(&lent.spot, span);
                *value = self.fitted(&read, parameter, span);
            }
        }
        (values, lent)
    }

    pub fn call_step(
        &mut self,
        instance: Instance,
        signature: &Signature,
        values: Vec<Value>,
        lent: Vec<Option<Spot>>,
        span: Span,
    ) -> Value {
        if instance.1.iter().chain(&signature.parameters).any(|ty| self.is_bound(ty)) {
            // Its places are here and nowhere else.
            let mut written: Vec<Spot> = lent.into_iter().flatten().collect();
            for value in &values {
                written.extend(self.reach(&value.ty));
                self.lose(&value.ty);
            }
            written.retain(|spot| spot.leaves.is_some());
            return self.unknown_step(&signature.result, &written, "a closure in other hands", span);
        }
        let maker = instance.0;
        let function = self.program.instance(instance);
        let result = self.temporary(&signature.result, span);
        let value = self.call_number(function, signature, values, lent, &result, span);
        self.made_for_standard(maker, &signature.result, span);
        value
    }

    /// Calls a function of the program; its result goes to a place.
    pub fn call_number(
        &mut self,
        function: FunctionId,
        signature: &Signature,
        values: Vec<Value>,
        lent: Vec<Option<Spot>>,
        result: &Spot,
        span: Span,
    ) -> Value {
        let arguments: Vec<Expr> = values.iter().flat_map(|value| value.slots().cloned()).collect();
        let scalar = self.program.scalar_result(&signature.result);
        let direct = match (&scalar, result.leaves.as_deref()) {
            (Some(_), Some([only])) => Some(Place::variable(only.variable)),
            _ => None,
        };
        let effect = Effect::Call { function, arguments, result: direct };
        self.advance(StepKind::Call, span, effect);
        let mut next = FxHashMap::default();
        let mut writes = Vec::new();
        let mut cleared = Vec::new();
        if scalar.is_none() {
            self.collect_back(&signature.result, Some(result), &mut next, &mut writes, &mut cleared);
        }
        for (index, spot) in lent.iter().enumerate() {
            if signature.is_mutable(index) {
                let ty = signature.parameters[index].clone();
                self.collect_back(&ty, spot.as_ref(), &mut next, &mut writes, &mut cleared);
            }
        }
        if !cleared.is_empty() {
            writes.extend(cleared.into_iter().map(|place| (place, super::super::super::arith::constant(0))));
            self.advance(StepKind::Return, span, Effect::Assign(writes));
        }
        if signature.result == Ty::Never {
            // Nobody comes back to here; a function is left by steps that say so.
            let pending = self.taken();
            self.builder.end(StepKind::Skip, span, pending, Effect::Stop);
            self.dead();
        }
        self.read(result, span)
    }

    /// Takes a value out of the registers, into a place if there is one.
    fn collect_back(
        &mut self,
        ty: &Ty,
        spot: Option<&Spot>,
        next: &mut FxHashMap<crate::ir::Type, u32>,
        writes: &mut Vec<(Place, Expr)>,
        cleared: &mut Vec<Place>,
    ) {
        let registers = self.program.value_registers(ty, next);
        let places =
            spot.map(|spot| self.context.scalar_places(&self.context.retyped(spot.clone(), ty.clone())));
        for (index, leaf) in registers.iter().enumerate() {
            let into =
                places.as_ref().and_then(|places| places.get(index)).and_then(|(_, places)| places.clone());
            for (place, register) in into.into_iter().flatten().zip(leaf) {
                writes.push((place, super::super::super::arith::read(register.clone())));
            }
            cleared.extend(leaf.iter().cloned());
        }
    }

    /// A call of something that is not understood: it may write what it is lent.
    pub fn call_unknown(&mut self, reason: &'static str, arguments: &[ExprId], ty: &Ty, span: Span) -> Value {
        let mut lent = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let borrowed = matches!(self.ty(*argument), Ty::Reference(Mutability::Mutable, _));
            // A receiver may be borrowed without a sign; what cannot be written does not change.
            let receiver = index == 0
                && self.is_place(*argument)
                && escape::writable(self.frame.body, &self.frame.typing, *argument);
            if borrowed || receiver {
                match self.lent_argument(*argument) {
                    Some(spot) => lent.push(spot),
                    None => self.run(*argument, &Goal::Nothing),
                }
            } else {
                self.run(*argument, &Goal::Nothing);
            }
            // A closure that is written here is known only now.
            let given = self.ty(*argument);
            if self.frame.ends.owned.contains(argument) {
                self.unnamed_end(&given, span);
            }
            lent.extend(self.reach(&given));
            self.lose(&given);
        }
        let written: Vec<Spot> = lent.into_iter().filter(|spot| spot.leaves.is_some()).collect();
        self.unknown_step(ty, &written, reason, span)
    }

    /// Lowers a body in place of a call.
    fn inline(
        &mut self,
        instance: &Instance,
        signature: &Signature,
        values: Vec<Value>,
        lent: Vec<Option<Spot>>,
        (at, span): (Option<Span>, Span),
    ) -> Value {
        let context = self.context;
        let body = context.body(instance.0);
        let typed = self.program.typing(instance, signature);
        let (Some(body), Some((typing, hidden))) = (body, typed) else {
            return self.unknown_value(&signature.result, "a function without a body", span);
        };
        let result = self.temporary(&signature.result, span);
        let after = self.builder.point();
        let returning = Returning::Inline(result.clone(), after);
        let frame = Frame::new(body, typing, hidden, signature.result.clone());
        let frame = Frame { returning, at, function: Some(super::known_by(instance)), ..frame };
        let around = std::mem::replace(&mut self.frame, frame);
        let unwritten = std::mem::replace(&mut self.unwritten, u32::from(at.is_some()));
        self.program.inlined += body.exprs.len();
        self.program.looked_into.insert(instance.0);
        self.inlining.push(instance.0);
        self.depth += 1;
        for ((pat, value), spot) in body.parameters.iter().zip(&values).zip(&lent) {
            if !matches!(body.pat(*pat).kind, super::super::hir::PatKind::Bind { inner: None, .. }) {
                self.unnamed_end(&value.ty, span);
            }
            self.bind_pattern_from(*pat, value, spot.as_ref(), span);
        }
        if let Some(root) = body.root {
            self.run(root, &Goal::Return);
        }
        let given_up: Vec<Spot> = body
            .parameters
            .iter()
            .zip(lent)
            .filter(|(pat, _)| self.is_given_up(**pat))
            .filter_map(|(_, spot)| spot.filter(|spot| spot.leaves.is_some()))
            .collect();
        self.depth -= 1;
        self.inlining.pop();
        self.unwritten = unwritten;
        self.frame = around;
        self.dead();
        self.builder.current = after;
        if !given_up.is_empty() {
            self.unknown_step(&Ty::UNIT, &given_up, "a place that unknown code may write", span);
        }
        self.made_for_standard(instance.0, &signature.result, span);
        self.read(&result, span)
    }

    /// Whether unknown code may write what a parameter lends.
    pub(super) fn is_given_up(&self, pat: super::super::hir::PatId) -> bool {
        match &self.frame.body.pat(pat).kind {
            super::super::hir::PatKind::Bind { local, .. } => self.frame.hidden.contains_key(local),
            // Nobody has a name to write it by.
            super::super::hir::PatKind::Wild => false,
            _ => true,
        }
    }

    pub fn bind_pattern_from(
        &mut self,
        pat: super::super::hir::PatId,
        value: &Value,
        spot: Option<&Spot>,
        span: Span,
    ) {
        use super::super::hir::PatKind;
        if let (PatKind::Bind { local, .. }, Some(spot)) = (&self.frame.body.pat(pat).kind, spot) {
            let ty = self.frame.typing.locals[local.index()].clone();
            self.retypes(&spot.ty, &ty);
            let mut spot = self.context.retyped(spot.clone(), ty);
            if self.frame.hidden.is_late(*local) {
                self.frame.before.insert(*local, spot.clone());
            }
            if let (Some(hidden), Some(leaves)) = (self.frame.hidden.get(local), &mut spot.leaves) {
                for (leaf, hidden) in leaves.iter_mut().zip(hidden) {
                    leaf.hidden |= *hidden;
                }
            }
            let local = *local;
            let spot = self.with_own_ends(local, spot, span);
            self.frame.locals[local.index()] = Some(spot);
            return;
        }
        self.bind_pattern(pat, value, None, StepKind::Assignment, span);
    }

    /// `?`: goes on with the value, or returns.
    pub fn question(&mut self, id: ExprId, inner: ExprId, span: Span) -> Value {
        let value = self.value(inner);
        let value = self.keep(value, span);
        let ty = self.ty(id);
        let items = self.context.items;
        let (adt, arguments) = match value.ty.behind() {
            Ty::Adt(adt, arguments) => (*adt, arguments.clone()),
            Ty::Never => return value,
            _ => return self.unknown_question(&ty, span),
        };
        let option = items.is_standard(adt, "Option");
        if !option && !items.is_standard(adt, "Result") {
            return self.unknown_question(&ty, span);
        }
        let good = if option { 1 } else { 0 };
        let Some(tag) = value.leaves.first().and_then(|leaf| leaf.first()).cloned() else {
            return self.unknown_question(&ty, span);
        };
        let (yes, no) = (self.builder.point(), self.builder.point());
        use super::super::super::arith;
        let cond = arith::compare(kleene_domains::expr::CompareOp::Equal, tag, arith::constant(good));
        self.unwritten += 1;
        self.split(span, cond, yes, no);
        self.builder.current = no;
        let result = self.frame.result.clone();
        let left = self.residual(&value, adt, option, &arguments, &result, span);
        self.return_value(&left, span);
        self.unwritten -= 1;
        self.builder.current = yes;
        let (at, part) = self.context.field_leaves(adt, good as u32, 0, &arguments);
        match self.context.value_part(&value, at, part) {
            Some(value) => value,
            None => self.unseen_value(&ty, "the value behind `?`", span),
        }
    }

    /// What `?` returns: `None`, or the error in the function's own result type.
    fn residual(
        &mut self,
        value: &Value,
        adt: super::super::hir::AdtId,
        option: bool,
        arguments: &[Ty],
        result: &Ty,
        span: Span,
    ) -> Value {
        let generics = match result {
            Ty::Adt(wanted, generics) if *wanted == adt => generics,
            _ => {
                self.unnamed_end(&value.ty, span);
                return self.unknown_value(result, "what `?` returns", span);
            }
        };
        if option {
            let none = self.context.variant_value(adt, 0, generics, &[]);
            return none.unwrap_or_else(|| Value::empty(Ty::Opaque));
        }
        let (at, part) = self.context.field_leaves(adt, 1, 0, arguments);
        let target = generics.get(1).cloned().unwrap_or(Ty::Opaque);
        let error = match self.context.value_part(value, at, part.clone()) {
            Some(error) if part == target => error,
            Some(error) if self.context.conversion(&part, &target).is_some() => {
                let instance = self.context.conversion(&part, &target).expect("it was just found");
                self.program.note_hidden(instance.0);
                let signature = self.program.signature(&instance);
                let error = self.fitted(&error, &signature.parameters[0], span);
                self.call_step(instance, &signature, vec![error], vec![None], span)
            }
            _ => {
                self.unnamed_end(&part, span);
                self.unknown_value(&target, "a conversion of an error", span)
            }
        };
        let error = self.fitted(&error, &target, span);
        match self.context.variant_value(adt, 1, generics, &[error]) {
            Some(value) => value,
            None => self.unknown_value(result, "what `?` returns", span),
        }
    }

    fn unknown_question(&mut self, ty: &Ty, span: Span) -> Value {
        let value = self.unknown_value(&Ty::Bool, "`?` on a value of unknown type", span);
        let (yes, no) = (self.builder.point(), self.builder.point());
        let cond = self.truth(&value, span);
        self.unwritten += 1;
        self.split(span, cond, yes, no);
        self.builder.current = no;
        let result = self.frame.result.clone();
        let left = self.unknown_value(&result, "what `?` returns", span);
        self.return_value(&left, span);
        self.unwritten -= 1;
        self.builder.current = yes;
        self.unseen_value(ty, "the value behind `?`", span)
    }
}
