//! Pointers to elements, `*const T`: the slice that was borrowed, how far into it they point, and which borrow it was.
//!
//! Elements are those of the time of the borrow. Only pointers into what a parameter lends are followed: the borrow lasts
//! at least as long as the function, and longer where the result names its lifetime. Where a pointer comes from elsewhere
//! its number is 0, and nothing is known of it.

use super::super::super::arith;
use super::super::hir::{ExprId, ExprKind, FnId, Mutability, Operator, PatId, PatKind};
use super::super::items::Definition;
use super::super::types::Ty;
use super::steps::Lowerer;
use super::value::Value;
use crate::ir::{Cond, Effect, StepKind};
use crate::source::Span;
use kleene_domains::expr::CompareOp;

impl Lowerer<'_, '_, '_> {
    pub fn is_pointer(&self, id: ExprId) -> bool {
        self.context.is_pointer(&self.frame.typing.exprs[id.index()])
    }

    /// Whether a pointer is made into what may be written while it is used: who reads it later may see something else.
    pub fn points_into_writable(&mut self, function: FnId, arguments: &[ExprId]) -> bool {
        let items = self.context.items;
        let found = items.function(function);
        let Some(receiver) = arguments.first() else { return false };
        if !matches!(found.name.as_str(), "as_ptr" | "as_ptr_range") || !items.is_std_module(found.module) {
            return false;
        }
        // Only pointers into slices are followed.
        let element = self.context.element_type(&self.ty(*receiver));
        if element.is_none_or(|element| {
            self.context.unfollowed(&self.context.pointer_to(Mutability::Shared, element)).is_some()
        }) {
            return true;
        }
        let Some(instance) = self.frame.function.clone() else { return true };
        let around = items.function(instance.0);
        if items.is_std_module(around.module) {
            return false;
        }
        let Some(parameter) = self.borrowed_parameter(*receiver) else { return true };
        let signature = self.program.signature(&instance);
        let stores = |ty: &Ty| self.context.may_keep(ty.behind(), 0);
        let leaves = self.context.may_keep(&signature.result, 0) && !around.kept[parameter];
        leaves || signature.parameters.iter().any(stores)
    }

    /// The parameter that lends a place: nobody writes what is behind its shared reference before the function is through.
    fn borrowed_parameter(&self, id: ExprId) -> Option<usize> {
        let body = self.frame.body;
        let (mut at, mut is_shared) = (id, false);
        let local = loop {
            is_shared |= matches!(self.ty(at), Ty::Reference(Mutability::Shared, _));
            match &body.expr(at).kind {
                ExprKind::Local(local) => break *local,
                ExprKind::Field(inner, _) | ExprKind::Deref(inner) | ExprKind::Index(inner, _) => at = *inner,
                _ => return None,
            }
        };
        let is_bound = |pattern: &PatId| matches!(body.pat(*pattern).kind, PatKind::Bind { local: found, .. } if found == local);
        let number = body.parameters.iter().position(is_bound)?;
        (is_shared && !body.local(local).mutable).then_some(number)
    }

    /// `*p`: a copy, because nobody writes it.
    pub fn pointed_value(&mut self, pointer: ExprId, ty: &Ty, span: Span) -> Value {
        let value = self.value(pointer);
        if self.context.unfollowed(&value.ty).is_some() {
            return self.unseen(ty, span);
        }
        match self.ask_of_pointers("pointed", vec![value], span) {
            Some(found) => self.fitted(&found, ty, span),
            None => self.unknown_value(ty, "what a pointer points to", span),
        }
    }

    /// Pointers into one borrow compare as their places do; how others do nobody knows.
    pub fn compare_pointers(
        &mut self,
        op: CompareOp,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Option<Cond> {
        if self.context.unfollowed(&left.ty).is_some() {
            let same = self.unseen(&Ty::Bool, span);
            return Some(self.truth(&same, span));
        }
        self.context.pointed_to(&left.ty)?;
        if left.ty != right.ty {
            return None;
        }
        let distance = self.ask_of_pointers("distance", vec![left.clone(), right.clone()], span)?;
        Some(arith::compare(op, distance.expr()?.clone(), arith::constant(0)))
    }

    /// `p as usize - q as usize`: nobody knows either address, but how far they are apart.
    pub fn address_difference(
        &mut self,
        operator: Operator,
        (left, right): (ExprId, ExprId),
        ty: &Ty,
        span: Span,
    ) -> Option<Value> {
        let (one, other) = (self.cast_pointer(left)?, self.cast_pointer(right)?);
        if operator != Operator::Sub || self.ty(one) != self.ty(other) {
            return None;
        }
        let values = self.values(&[one, other]);
        let values: Vec<Value> = values.into_iter().map(|value| self.keep(value, span)).collect();
        let [one, other] = values.as_slice() else { return None };
        let first = self.ask_of_pointers("address", vec![one.clone(), other.clone()], span)?;
        let first = self.keep(first, span);
        let second = self.ask_of_pointers("address", vec![other.clone(), one.clone()], span)?;
        Some(self.operate(operator, &first, &second, ty, span))
    }

    /// The pointer in `p as usize`.
    fn cast_pointer(&self, id: ExprId) -> Option<ExprId> {
        let ExprKind::Cast(inner, _) = &self.frame.body.expr(id).kind else { return None };
        let followed = self.context.pointed_to(&self.frame.typing.exprs[inner.index()]).is_some();
        (self.ty(id) == self.context.usize() && followed).then_some(*inner)
    }

    /// Calls a function of our own text of std with pointers to the same type.
    fn ask_of_pointers(&mut self, name: &str, values: Vec<Value>, span: Span) -> Option<Value> {
        let element = self.context.pointed_to(&values.first()?.ty)?.clone();
        let Some(Definition::Function(function)) = self.context.items.standard(&format!("ptr::{name}"))
        else {
            return None;
        };
        let instance = (function, vec![element]);
        let signature = self.program.signature(&instance);
        let lent = values.iter().map(|_| None).collect();
        Some(self.call_instance(instance, &signature, values, lent, (true, span)))
    }

    /// A number that no earlier step of the run has made, and never 0.
    pub fn fresh_number(&mut self, ty: &Ty, span: Span) -> Value {
        let Ty::Integer(integer) = self.context.usize() else { return self.unseen(ty, span) };
        let counter = self.program.counter(&crate::ir::Type::Machine(integer.ty));
        let next = super::sequence::sum(arith::read(counter.clone()), arith::constant(1));
        let effect = Effect::Assign(vec![(counter.clone(), arith::wrap(integer.ty, next))]);
        self.flush(span);
        self.advance(StepKind::Skip, span, effect);
        let value = Value::scalar(ty.clone(), arith::read(counter));
        self.keep(value, span)
    }
}
