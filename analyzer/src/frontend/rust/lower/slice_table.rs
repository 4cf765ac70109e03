//! What the operations mean that our own text of std is made of (`kleene::…` there).

use super::super::super::arith;
use super::super::context::Context;
use super::super::hir::{ExprId, ExprKind};
use super::super::items::Definition;
use super::super::std_table::SliceOp;
use super::super::types::{Called, Ty};
use super::Instance;
use super::letters::Letter;
use super::sequence::{difference, sum};
use super::steps::Lowerer;
use super::value::{Spot, Value};
use crate::ir::{Cond, Effect, Expr, FailKind, StepKind};
use crate::source::Span;
use kleene_domains::expr::CompareOp;

fn scalar_of(value: &Value, leaf: usize) -> Option<Expr> {
    value.leaves.get(leaf)?.first().cloned()
}

fn is_text(context: &Context<'_>, ty: &Ty) -> bool {
    match context.dereferenced(ty) {
        Some(inner) => inner == Ty::Str || is_text(context, &inner),
        None => *ty == Ty::Str,
    }
}

impl Context<'_> {
    /// Whether calling closures in a value of this type may write to places around them.
    fn writes(&self, ty: &Ty) -> bool {
        ty.any(&mut |part| match part {
            Ty::Callable(Called::Closure(id), _) => {
                let captures = self.captures(*id);
                !captures.plain || captures.lent.iter().any(|(_, _, writable)| *writable)
            }
            _ => false,
        })
    }
}

impl Lowerer<'_, '_, '_> {
    /// The length of a slice, a text or what stands for one.
    pub fn slice_length(&mut self, receiver: ExprId, ty: &Ty, span: Span) -> Value {
        let spot = self.seen_spot(receiver, span);
        match self.ends(&spot, span) {
            Some((_, length)) => Value::scalar(ty.clone(), length),
            None => self.unseen_value(ty, "the length of something unknown", span),
        }
    }

    /// The place of a value, or a place of its own for one that has none.
    fn seen_spot(&mut self, id: ExprId, span: Span) -> Spot {
        let inner = match &self.frame.body.expr(id).kind {
            ExprKind::Reference(_, inner) => *inner,
            _ => id,
        };
        if self.is_place(inner) {
            return self.spot(inner);
        }
        let value = self.value(id);
        self.placed(&value, span)
    }

    /// An element that is there, of a slice or an array.
    fn unchecked(&mut self, spot: &Spot, element: &Ty, at: Expr, span: Span) -> Spot {
        match spot.ty.behind() {
            Ty::Array(..) => self.element_spot(spot, at),
            _ => self.near_or_far(spot, element, at, span),
        }
    }

    fn number(&mut self, id: ExprId, span: Span) -> Expr {
        let value = self.value(id);
        match value.expr() {
            Some(expr) => expr.clone(),
            None => {
                let usize = self.context.usize();
                let value = self.unseen_value(&usize, "a number that is not known", span);
                value.expr().cloned().unwrap_or(arith::constant(0))
            }
        }
    }

    /// `get(a..b)`: the part, if the bounds lie in order and inside.
    pub fn get_part(&mut self, arguments: &[ExprId], ty: &Ty, span: Span) -> Value {
        let [slice, range] = arguments else { return self.unknown_value(ty, "a part", span) };
        let spot = self.seen_spot(*slice, span);
        let spot = self.settled(spot, span);
        let whole = self.read(&spot, span);
        let Some(bounds) = self.bounds(*range) else { return self.unknown_value(ty, "a part", span) };
        let (Some(start), Some(length)) = (scalar_of(&whole, 0), scalar_of(&whole, 1)) else {
            return self.unknown_value(ty, "a part", span);
        };
        let length = self.kept_number(length, span);
        let low = self.kept_number(bounds.low.clone().unwrap_or(arith::constant(0)), span);
        let high = match bounds.high.clone() {
            Some(high) if bounds.inclusive => self.kept_number(sum(high, arith::constant(1)), span),
            Some(high) => self.kept_number(high, span),
            None => length.clone(),
        };
        let mut inside = arith::compare(CompareOp::LessEqual, low.clone(), high.clone()).and(arith::compare(
            CompareOp::LessEqual,
            high.clone(),
            length.clone(),
        ));
        let text = is_text(self.context, &self.ty(*slice));
        if text {
            let inner = inside.clone();
            let kept = self.keep(Value::truth(inner), span);
            inside = kept.expr().map_or(Cond::Literal(true), |expr| arith::truth(expr.clone()));
            for at in [&low, &high] {
                if let Some(begins) = self.is_boundary(&spot, at.clone(), &length, span) {
                    inside = inside.and(begins);
                }
            }
        }
        let part = |tag: Expr, start: Expr, length: Expr| {
            let mut leaves = vec![vec![tag], vec![start], vec![length]];
            leaves.extend(whole.leaves.iter().skip(2).cloned());
            Value { ty: ty.clone(), leaves }
        };
        let (start, length) = (sum(start, low.clone()), difference(high, low));
        let zero = || arith::constant(0);
        if text {
            let chosen = |expr: Expr| arith::choose(inside.clone(), expr, zero());
            let value = part(arith::number(inside.clone()), chosen(start), chosen(length));
            let value = self.fitted(&value, ty, span);
            return self.keep(value, span);
        }
        let ways = (part(arith::constant(1), start, length), part(zero(), zero(), zero()));
        self.one_of(inside, ways, ty, span)
    }

    /// One of two values, by two ways: who looks for runs sees how near a condition is.
    fn one_of(&mut self, condition: Cond, (yes, no): (Value, Value), ty: &Ty, span: Span) -> Value {
        let result = self.temporary(ty, span);
        let (first, second) = (self.builder.point(), self.builder.point());
        let after = self.builder.point();
        let pending = self.taken();
        let ways = [(Effect::SKIP, first), (Effect::SKIP, second)];
        self.builder.split(StepKind::Skip, span, pending, condition, ways);
        for (way, value) in [(first, yes), (second, no)] {
            self.builder.current = way;
            let value = self.fitted(&value, ty, span);
            self.store(&result, &value, StepKind::Assignment, span);
            self.flush(span);
            self.builder.jump(after, span);
        }
        self.builder.current = after;
        self.read(&result, span)
    }

    /// What a text reads as: integers exactly; other numbers and letters have texts, nobody knows which.
    pub fn parsed(&mut self, of: &Ty, arguments: &[ExprId], ty: &Ty, span: Span) -> Value {
        let values = self.values(arguments);
        match of {
            Ty::Integer(_) => {
                let instance = self.standard_instance("num::parsed", vec![of.clone()]);
                match instance {
                    Some(instance) => self.standard_call(instance, &values, span),
                    None => self.unseen(ty, span),
                }
            }
            Ty::Bool | Ty::Char | Ty::Float(_) => self.unseen(ty, span),
            _ => self.unknown_value(ty, "a text read as a value of this type", span),
        }
    }

    fn standard_instance(&self, path: &str, generics: Vec<Ty>) -> Option<Instance> {
        match self.context.items.standard(path) {
            Some(Definition::Function(function)) => Some((function, generics)),
            _ => None,
        }
    }

    /// Calls a function of our own text of std.
    fn standard_call(&mut self, instance: Instance, values: &[Value], span: Span) -> Value {
        let signature = self.program.signature(&instance);
        let fitted: Vec<Value> = values
            .iter()
            .zip(&signature.parameters)
            .map(|(value, ty)| self.fitted(value, ty, span))
            .collect();
        let known = self.is_known(&instance, &signature);
        let spots = vec![None; fitted.len()];
        self.call_instance(instance, &signature, fitted, spots, (known, span))
    }

    /// How two values compare whose order is derived: texts byte by byte, others part by part, what is in lists nobody
    /// looks at.
    fn plainly_ordered(&mut self, arguments: [ExprId; 2], ty: &Ty, span: Span) -> Value {
        let values = self.values(&arguments);
        let text = |value: &Value| is_text(self.context, &value.ty);
        if values.iter().all(text)
            && let Some(instance) = self.standard_instance("collections::texts", Vec::new())
        {
            return self.standard_call(instance, &values, span);
        }
        let own = values[0].ty.behind().clone();
        let same = own == *values[1].ty.behind();
        match self.ordered(&own, &values[0], &values[1], "Ord").filter(|_| same) {
            Some(order) => Value { ty: ty.clone(), leaves: vec![vec![order]] },
            None => self.unseen(ty, span),
        }
    }

    pub fn slice_operation(&mut self, op: SliceOp, arguments: &[ExprId], ty: &Ty, span: Span) -> Value {
        match (op, arguments) {
            (SliceOp::Empty, []) => {
                let element = self.context.element_type(ty).unwrap_or(Ty::Opaque);
                let zero = self.context.zero(&element);
                self.repeated(&zero, arith::constant(0), ty)
            }
            (SliceOp::Vector, [array]) => {
                let value = self.value(*array);
                match self.as_slice(&value, ty) {
                    Some(slice) => slice,
                    None => self.unseen(ty, span),
                }
            }
            (SliceOp::Repeat, [element, count]) => {
                let element = self.value(*element);
                let wanted = self.context.element_type(ty).unwrap_or(Ty::Opaque);
                let element = self.fitted(&element, &wanted, span);
                let count = self.number(*count, span);
                let value = self.repeated(&element, arith::constant(0), ty);
                let spot = self.placed(&value, span);
                self.set_length(&spot, count, span);
                self.read(&spot, span)
            }
            (SliceOp::Get, [slice, index]) => {
                let spot = self.seen_spot(*slice, span);
                let index = self.number(*index, span);
                let element = self.unchecked(&spot, ty, index, span);
                self.read(&element, span)
            }
            (SliceOp::Put, [slice, index, value]) => {
                let spot = self.seen_spot(*slice, span);
                let value = self.value(*value);
                let value = self.keep(value, span);
                let index = self.number(*index, span);
                let element = self.context.element_type(&spot.ty).unwrap_or(Ty::Opaque);
                let place = self.unchecked(&spot, &element, index, span);
                self.store(&place, &value, StepKind::Skip, span);
                Value::unit()
            }
            (SliceOp::Part, [slice, low, high]) => {
                let value = self.value(*slice);
                let (low, high) = (self.number(*low, span), self.number(*high, span));
                let mut leaves = value.leaves.clone();
                match leaves.as_mut_slice() {
                    [start, length, ..] => {
                        *start = start.iter().map(|start| sum(start.clone(), low.clone())).collect();
                        *length = vec![difference(high, low)];
                        Value { ty: ty.clone(), leaves }
                    }
                    _ => self.unseen(ty, span),
                }
            }
            (SliceOp::SetLength, [slice, length]) => {
                let spot = self.seen_spot(*slice, span);
                let length = self.number(*length, span);
                self.set_length(&spot, length, span);
                Value::unit()
            }
            (SliceOp::Forget, [slice]) => {
                let spot = self.seen_spot(*slice, span);
                self.forget(&spot, span);
                Value::unit()
            }
            (SliceOp::CheckIndex | SliceOp::CheckPanic, [cond]) => {
                let cond = self.cond(*cond);
                let kind = if op == SliceOp::CheckIndex { FailKind::Index } else { FailKind::Panic };
                self.fails_if(arith::not(cond), kind, span);
                self.flush(span);
                Value::unit()
            }
            (SliceOp::Assume, [cond]) => {
                let cond = self.cond(*cond);
                self.go_on_if(cond, span);
                Value::unit()
            }
            (SliceOp::Unseen, []) => self.unseen(ty, span),
            (SliceOp::Foreign, [value]) => {
                self.values(&[*value]);
                if !self.is_plain(&self.ty(*value)) {
                    let _ = self.unknown_value(&Ty::UNIT, "code of others with a value of this type", span);
                }
                Value::unit()
            }
            (SliceOp::Writes, [value]) => Value::truth(Cond::Literal(self.context.writes(&self.ty(*value)))),
            (SliceOp::ClonesPlainly, [value]) => {
                let plainly = match self.ty(*value) {
                    Ty::Reference(_, lent) => self.context.clones_plainly(&lent, 0),
                    _ => false,
                };
                Value::truth(Cond::Literal(plainly))
            }
            (SliceOp::Cloned, [value]) => match self.context.clones_plainly(&self.ty(*value), 0) {
                true => self.value(*value),
                false => {
                    self.values(&[*value]);
                    self.unknown_value(ty, "a clone that its type makes itself", span)
                }
            },
            (SliceOp::Ordered, [one, other]) => self.plainly_ordered([*one, *other], ty, span),
            (SliceOp::Equals, [one, other]) => {
                let values = self.values(&[*one, *other]);
                Value::truth(self.plainly_equal(&values[0], &values[1], span))
            }
            (SliceOp::OrdersPlainly | SliceOp::HashesPlainly, [all, one]) => {
                let element = self.context.element_type(&self.ty(*all)).unwrap_or(Ty::Opaque);
                let derives: &[&str] =
                    if op == SliceOp::OrdersPlainly { &["Ord"] } else { &["Hash", "PartialEq"] };
                let plainly = self.context.compares_plainly(&element, &self.ty(*one), derives);
                Value::truth(Cond::Literal(plainly))
            }
            (SliceOp::Ended, [value]) => {
                let ty = self.ty(*value).behind().clone();
                self.unnamed_end(&ty, span);
                Value::unit()
            }
            // Code of others, or too little memory.
            (SliceOp::Unknown, []) => self.described_unknown(ty, &[], span),
            (SliceOp::Fresh, []) => self.fresh_number(ty, span),
            (SliceOp::Sight, []) => {
                Value::scalar(ty.clone(), arith::constant(self.context.in_sight().elements()))
            }
            (SliceOp::Chosen, []) => self.any_value(ty, span),
            (SliceOp::Add, [left, right]) => {
                let (left, right) = (self.number(*left, span), self.number(*right, span));
                Value::scalar(ty.clone(), sum(left, right))
            }
            (SliceOp::Sub, [left, right]) => {
                let (left, right) = (self.number(*left, span), self.number(*right, span));
                Value::scalar(ty.clone(), difference(left, right))
            }
            (SliceOp::Retype, [value]) => {
                let value = self.value(*value);
                self.fitted(&value, ty, span)
            }
            (SliceOp::Transmute, [value]) => {
                let value = self.value(*value);
                self.transmuted(&value, ty, span)
            }
            (SliceOp::FirstLetter, [text]) => {
                let spot = self.seen_spot(*text, span);
                self.long_letter(Letter::First, &spot, span)
            }
            (SliceOp::LastLetter, [text]) => {
                let spot = self.seen_spot(*text, span);
                self.long_letter(Letter::Last, &spot, span)
            }
            (SliceOp::Boundary, [text, at]) => {
                let spot = self.seen_spot(*text, span);
                let at = self.number(*at, span);
                let Some((_, length)) = self.ends(&spot, span) else { return self.unseen(ty, span) };
                match self.is_boundary(&spot, at, &length, span) {
                    Some(cond) => Value::truth(cond),
                    None => Value::scalar(Ty::Bool, arith::constant(1)),
                }
            }
            _ => self.unknown_value(ty, "an operation that is not in the table", span),
        }
    }
}
