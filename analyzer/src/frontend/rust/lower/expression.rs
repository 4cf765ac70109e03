//! Expressions that are values, in Rust's order of evaluation.

use super::super::super::arith;
use super::super::hir::{ExprId, ExprKind, Mutability, Operator};
use super::super::infer::{Callee, Named};
use super::super::std_table::{Meaning, SliceOp};
use super::super::types::{Length, Ty};
use super::steps::{Goal, Lowerer};
use super::value::{Spot, Value};
use crate::ir::StepKind;
use crate::source::Span;
use kleene_domains::expr::CompareOp;
use kleene_domains::int::Int;

impl Lowerer<'_, '_, '_> {
    /// The value of an expression. Its checks stand in `pending`; steps it needs are made.
    pub fn value(&mut self, id: ExprId) -> Value {
        let span = self.span(id);
        let value = self.value_kind(id, span);
        if let ExprKind::Local(local) = self.frame.body.expr(id).kind {
            self.used(id, local);
        }
        if self.frame.ends.loose.contains(&id) {
            let value = self.keep(value, span);
            self.loose_end(id, span);
            return value;
        }
        self.bounded(value, span)
    }

    fn value_kind(&mut self, id: ExprId, span: Span) -> Value {
        let body = self.frame.body;
        let ty = self.ty(id);
        match &body.expr(id).kind {
            _ if self.frame.typing.is_place_behind(id) => {
                let spot = self.spot(id);
                self.read(&spot, span)
            }
            _ if self.frame.typing.behind.contains_key(&id) => self.value_behind(id, span),
            ExprKind::Integer(value, _) => match &ty {
                Ty::Integer(integer) => {
                    let value = arith::wrap(integer.ty, arith::constant(value.clone()));
                    Value::scalar(ty, value)
                }
                _ => Value::empty(Ty::Opaque),
            },
            ExprKind::Bool(value) => Value::scalar(Ty::Bool, arith::constant(i64::from(*value))),
            ExprKind::Char(value) => Value::scalar(Ty::Char, arith::constant(i64::from(u32::from(*value)))),
            ExprKind::Text(text) => self.text_value(text.as_deref(), &ty, span),
            ExprKind::Float(Some((single, _)), _) if ty == Ty::Float(32) => {
                Value::scalar(ty, arith::constant(Int::from(*single)))
            }
            ExprKind::Float(Some((_, double)), _) if ty == Ty::Float(64) => {
                Value::scalar(ty, arith::constant(Int::from(*double)))
            }
            ExprKind::Float(..) if matches!(ty, Ty::Float(_)) => self.unseen(&ty, span),
            ExprKind::Float(..) | ExprKind::Underscore => Value::empty(ty),
            ExprKind::Bytes(bytes) => {
                let elements: Vec<Value> = bytes
                    .iter()
                    .map(|byte| Value::scalar(super::super::types::U8, arith::constant(i64::from(*byte))))
                    .collect();
                self.context.array_value(&super::super::types::U8, &elements).with_type(ty)
            }
            ExprKind::Deref(inner) if self.is_pointer(*inner) => self.pointed_value(*inner, &ty, span),
            ExprKind::Local(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Deref(_) => {
                let spot = self.spot(id);
                self.read(&spot, span)
            }
            ExprKind::Path(_) => self.named_value(id, &ty, span),
            ExprKind::Not(_) | ExprKind::Negate(_) if self.is_overloaded(id) => self.call(id, &ty, span),
            ExprKind::Binary(Operator::Compare(op), ..) if self.is_overloaded(id) => {
                let value = self.call(id, &Ty::Bool, span);
                let equal = self.truth(&value, span);
                Value::truth(if *op == CompareOp::Equal { equal } else { arith::not(equal) })
            }
            ExprKind::Binary(..) if self.is_overloaded(id) => self.call(id, &ty, span),
            ExprKind::Not(inner) => self.complement(*inner, &ty, span),
            ExprKind::Negate(inner) => self.negation(*inner, &ty, span),
            ExprKind::Reference(Mutability::Shared, inner) => self.value(*inner).with_type(ty),
            ExprKind::Reference(Mutability::Mutable, inner) => {
                let spot = self.spot(*inner);
                self.read(&spot, span).with_type(ty)
            }
            ExprKind::Binary(operator, left, right) => self.binary(*operator, *left, *right, &ty, span),
            ExprKind::Cast(inner, _) => self.cast(*inner, &ty, span),
            ExprKind::Tuple(parts) => {
                let mut parts = self.values(parts);
                if let Ty::Tuple(wanted) = &ty
                    && wanted.len() == parts.len()
                {
                    parts = parts.iter().zip(wanted).map(|(part, ty)| self.fitted(part, ty, span)).collect();
                }
                let leaves = parts.iter().flat_map(|part| part.leaves.clone()).collect();
                let value =
                    Value { ty: Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect()), leaves };
                self.fitted(&value, &ty, span)
            }
            ExprKind::Array(elements) => {
                let values = self.values(elements);
                let Ty::Array(element, _) = &ty else {
                    values.iter().for_each(|value| self.lose(&value.ty));
                    return Value::empty(Ty::Opaque);
                };
                let values: Vec<Value> =
                    values.iter().map(|value| self.fitted(value, element, span)).collect();
                self.context.array_value(element, &values)
            }
            ExprKind::Table(..) => Value::empty(ty),
            ExprKind::Repeat(element, _) => {
                let value = self.value(*element);
                let Ty::Array(inner, Length::Known(length)) = &ty else { return Value::empty(Ty::Opaque) };
                if !self.context.is_followed(&ty) {
                    return Value::empty(ty);
                }
                let value = self.fitted(&value, inner, span);
                let values: Vec<Value> = (0..*length).map(|_| value.clone()).collect();
                self.context.array_value(inner, &values)
            }
            ExprKind::Struct { fields, base, .. } => self.structure(id, fields, *base, &ty, span),
            ExprKind::Call(..) | ExprKind::Method { .. } => self.call(id, &ty, span),
            ExprKind::Lazy(..) if !self.needs_steps(id) => Value::truth(self.cond(id)),
            ExprKind::If { cond, then, otherwise: Some(otherwise) } if !self.needs_steps(id) => {
                self.choice(*cond, *then, *otherwise, &ty, span)
            }
            ExprKind::Block { statements, tail: Some(tail), labelled: false } if statements.is_empty() => {
                self.value(*tail)
            }
            ExprKind::Any(_) => self.any_value(&ty, span),
            ExprKind::Range { low: Some(low), high: Some(high), inclusive } if matches!(ty, Ty::Adt(..)) => {
                self.counted(*low, *high, *inclusive, &ty, span)
            }
            ExprKind::Range { low: Some(bound), high: None, .. }
            | ExprKind::Range { low: None, high: Some(bound), .. }
                if matches!(ty, Ty::Adt(..)) =>
            {
                let bound = self.value(*bound);
                bound.with_type(ty)
            }
            ExprKind::Range { low, high, .. } => {
                [low, high].into_iter().flatten().for_each(|bound| self.run(*bound, &Goal::Nothing));
                Value::empty(ty)
            }
            ExprKind::Closure(closure) => self.closure(closure, &ty, span),
            ExprKind::Opaque(opaque) => {
                let opaque = opaque.clone();
                self.opaque(id, &opaque)
            }
            ExprKind::Try(inner) => self.question(id, *inner, span),
            _ => self.by_control(id, &ty, span),
        }
    }

    /// A range as the iterator that our own text of std has for it.
    fn counted(&mut self, low: ExprId, high: ExprId, inclusive: bool, ty: &Ty, span: Span) -> Value {
        let mut fields = self.values(&[low, high]);
        if inclusive {
            fields.push(Value::scalar(Ty::Bool, arith::constant(0)));
        }
        let Ty::Adt(adt, arguments) = ty else { return Value::empty(Ty::Opaque) };
        match self.context.variant_value(*adt, 0, arguments, &fields) {
            Some(value) => value,
            None => self.unknown_value(ty, "a range", span),
        }
    }

    /// The value of an expression that is control flow, through a variable.
    fn by_control(&mut self, id: ExprId, ty: &Ty, span: Span) -> Value {
        let spot = self.temporary(ty, span);
        let goal = if self.context.leaf_count(ty) == 0 {
            Goal::Nothing
        } else {
            Goal::Store(spot.clone(), StepKind::Assignment, None)
        };
        self.run(id, &goal);
        self.read(&spot, span)
    }

    /// Values evaluated one after the other: those before a step are kept as they were.
    pub fn values(&mut self, list: &[ExprId]) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::new();
        self.open_scope();
        for (index, id) in list.iter().enumerate() {
            let value = self.value(*id);
            let later = list[index + 1..].iter().any(|later| self.needs_steps(*later));
            let span = self.span(*id);
            let value = self.hold(*id, value, span);
            values.push(if later { self.keep(value, span) } else { value });
        }
        self.hand_over();
        values
    }

    fn choice(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId, ty: &Ty, span: Span) -> Value {
        let cond = self.cond(cond);
        self.pending.enter(cond.clone());
        let yes = self.value(then);
        let yes = self.fitted(&yes, ty, span);
        self.pending.leave();
        self.pending.enter(arith::not(cond.clone()));
        let no = self.value(otherwise);
        let no = self.fitted(&no, ty, span);
        self.pending.leave();
        let leaves = yes.leaves.iter().zip(&no.leaves).map(|(yes, no)| {
            let pairs = yes.iter().zip(no);
            pairs.map(|(yes, no)| arith::choose(cond.clone(), yes.clone(), no.clone())).collect()
        });
        Value { ty: ty.clone(), leaves: leaves.collect() }
    }

    fn named_value(&mut self, id: ExprId, ty: &Ty, span: Span) -> Value {
        let named = self.frame.typing.paths.get(&id).cloned();
        match named {
            Some(Named::Number(value)) => Value::scalar(ty.clone(), arith::constant(value)),
            Some(Named::Variant(adt, variant)) => {
                let Ty::Adt(_, arguments) = ty else { return Value::empty(Ty::Opaque) };
                match self.context.variant_value(adt, variant, arguments, &[]) {
                    Some(value) => value,
                    None => self.unseen_value(ty, "a variant", span),
                }
            }
            Some(Named::Constant(constant, arguments)) => self.constant(constant, &arguments, ty, span),
            Some(Named::Callable) => Value::empty(ty.clone()),
            _ => Value::empty(Ty::Opaque),
        }
    }

    fn structure(
        &mut self,
        id: ExprId,
        fields: &[(String, ExprId)],
        base: Option<ExprId>,
        ty: &Ty,
        span: Span,
    ) -> Value {
        let ids: Vec<ExprId> = fields.iter().map(|(_, id)| *id).chain(base).collect();
        let mut values = self.values(&ids);
        let found = self.frame.typing.structures.get(&id).copied();
        let (Some((adt, variant)), Ty::Adt(_, arguments)) = (found, ty) else {
            values.iter().for_each(|value| self.lose(&value.ty));
            return Value::empty(Ty::Opaque);
        };
        let base = base.and_then(|_| values.pop());
        if self.context.leaf_count(ty) == 0 {
            return Value::empty(ty.clone());
        }
        let declared = &self.context.items.adt(adt).variants[variant as usize].fields;
        let mut parts = Vec::new();
        for (index, field) in declared.iter().enumerate() {
            let (at, ty) = self.context.field_leaves(adt, variant, index, arguments);
            let written = fields.iter().position(|(name, _)| *name == field.name);
            let value = match (written, &base) {
                (Some(written), _) => self.fitted(&values[written], &ty, span),
                (None, Some(base)) => match self.context.value_part(base, at, ty.clone()) {
                    Some(value) => value,
                    None => self.unseen_value(&ty, "a field", span),
                },
                (None, None) => self.unseen_value(&ty, "a field", span),
            };
            parts.push(value);
        }
        match self.context.variant_value(adt, variant, arguments, &parts) {
            Some(value) => value,
            None => self.unseen_value(ty, "a structure", span),
        }
    }

    /// Whether evaluating an expression needs steps of its own.
    pub fn needs_steps(&mut self, id: ExprId) -> bool {
        if let Some(known) = self.frame.needs_steps[id.index()] {
            return known;
        }
        let body = self.frame.body;
        let needed = match &body.expr(id).kind {
            _ if self.frame.typing.is_called_behind(id) => true,
            ExprKind::Integer(..)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Text(Some(_))
            | ExprKind::Bytes(_)
            | ExprKind::Float(Some(_), _)
            | ExprKind::Underscore
            | ExprKind::Table(..) => false,
            ExprKind::Path(_) => !self.is_simple_path(id),
            ExprKind::Local(local) => self.frame.hidden.contains_key(local),
            ExprKind::Not(_) | ExprKind::Negate(_) if self.is_overloaded(id) => true,
            ExprKind::Deref(inner) | ExprKind::Cast(inner, _) if self.is_pointer(*inner) => true,
            ExprKind::Deref(inner) if self.has_own_deref(*inner) => true,
            ExprKind::Field(inner, name) if self.is_field_behind(*inner, name) => true,
            ExprKind::Cast(inner, _) if self.marks_cast(*inner, &self.ty(id)) => true,
            ExprKind::Not(inner) | ExprKind::Negate(inner) | ExprKind::Cast(inner, _) => {
                !self.is_scalar(id) || !self.is_scalar(*inner) || self.needs_steps(*inner)
            }
            ExprKind::Deref(inner) | ExprKind::Reference(_, inner) | ExprKind::Field(inner, _) => {
                self.needs_steps(*inner)
            }
            ExprKind::Repeat(inner, _) => self.needs_steps(*inner),
            ExprKind::Binary(_, left, right) => {
                !self.is_builtin(*left)
                    || !self.is_builtin(*right)
                    || self.needs_steps(*left)
                    || self.needs_steps(*right)
            }
            ExprKind::Index(base, index) => {
                self.needs_steps(*base)
                    || self.needs_steps(*index)
                    || self.context.is_range(&self.ty(*index))
                    || !self.is_indexable(id, *base)
            }
            ExprKind::Lazy(_, left, right) => self.needs_steps(*left) || self.needs_steps(*right),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                parts.iter().any(|part| self.needs_steps(*part))
            }
            ExprKind::Struct { fields, base, .. } => {
                fields.iter().any(|(_, value)| self.needs_steps(*value))
                    || base.is_some_and(|base| self.needs_steps(base))
            }
            ExprKind::If { cond, then, otherwise: Some(otherwise) } => {
                self.ty(id) == Ty::Never
                    || self.ty(*then) == Ty::Never
                    || self.ty(*otherwise) == Ty::Never
                    || self.needs_steps(*cond)
                    || self.needs_steps(*then)
                    || self.needs_steps(*otherwise)
            }
            ExprKind::Block { statements, tail: Some(tail), labelled: false } if statements.is_empty() => {
                self.needs_steps(*tail)
            }
            ExprKind::Method { receiver, arguments, .. } => {
                let simple = match self.frame.typing.callees.get(&id) {
                    Some(Callee::Standard(meaning, own)) => is_simple(*meaning) && *own != Ty::Opaque,
                    _ => false,
                };
                !simple
                    || self.needs_steps(*receiver)
                    || arguments.iter().any(|argument| self.needs_steps(*argument))
            }
            ExprKind::Call(_, arguments) => {
                let simple = match self.frame.typing.callees.get(&id) {
                    Some(Callee::Standard(meaning, own)) => is_simple(*meaning) && *own != Ty::Opaque,
                    Some(Callee::Variant(..)) => true,
                    _ => false,
                };
                !simple || arguments.iter().any(|argument| self.needs_steps(*argument))
            }
            ExprKind::Opaque(opaque) => !opaque.idle,
            ExprKind::Closure(closure) => {
                self.program.escaping.contains(&(self.frame.function.clone(), id))
                    || closure.names.iter().any(|local| self.frame.hidden.contains_key(local))
            }
            _ => true,
        };
        self.frame.needs_steps[id.index()] = Some(needed);
        needed
    }

    fn is_scalar(&self, id: ExprId) -> bool {
        matches!(self.frame.typing.exprs[id.index()].behind(), Ty::Integer(_) | Ty::Bool | Ty::Char)
            || self.is_plain_enum(id)
    }

    fn is_plain_enum(&self, id: ExprId) -> bool {
        matches!(&self.frame.typing.exprs[id.index()], Ty::Adt(..))
    }

    fn is_builtin(&self, id: ExprId) -> bool {
        matches!(self.frame.typing.exprs[id.index()].behind(), Ty::Integer(_) | Ty::Bool | Ty::Char)
    }

    fn is_indexable(&self, id: ExprId, base: ExprId) -> bool {
        let base = self.frame.typing.exprs[base.index()].behind();
        let element = &self.frame.typing.exprs[id.index()];
        matches!(base, Ty::Array(_, Length::Known(_)))
            && self.context.is_followed(base)
            && *element != Ty::Opaque
    }

    fn is_simple_path(&self, id: ExprId) -> bool {
        match self.frame.typing.paths.get(&id) {
            Some(Named::Number(_) | Named::Variant(..) | Named::Callable) => true,
            Some(Named::Constant(constant, arguments)) => self.is_known_constant(*constant, arguments),
            _ => false,
        }
    }

    /// A place of its own for a value.
    pub fn placed(&mut self, value: &Value, span: Span) -> Spot {
        let spot = self.temporary(&value.ty, span);
        self.store(&spot, value, StepKind::Assignment, span);
        spot
    }
}

/// Whether an operation is one expression with checks.
fn is_simple(meaning: Meaning) -> bool {
    use super::super::std_table::Arith::Pow;
    let constant = matches!(meaning, Meaning::Slice(SliceOp::Sight));
    constant
        || !matches!(
            meaning,
            Meaning::Wrapping(Pow)
                | Meaning::Overflowing(Pow)
                | Meaning::Plain(Pow)
                | Meaning::Exit
                | Meaning::Drop
                | Meaning::Iterate
                | Meaning::Walked(_)
                | Meaning::Slice(_)
                | Meaning::Reversed
                | Meaning::StepBy
                | Meaning::StartBound
                | Meaning::EndBound
                | Meaning::TryFrom
                | Meaning::RotateLeft
                | Meaning::RotateRight
        )
}
