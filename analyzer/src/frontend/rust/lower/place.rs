//! Place expressions: locals, fields, elements, what references refer to.

use super::super::super::arith;
use super::super::hir::{ExprId, ExprKind, LocalId};
use super::super::infer::{Callee, Named};
use super::super::types::{Length, Ty};
use super::Instance;
use super::steps::Lowerer;
use super::value::{Spot, Value};
use crate::ir::{Expr, FailKind};
use crate::source::Span;
use kleene_domains::expr::CompareOp;

impl Lowerer<'_, '_, '_> {
    pub fn spot(&mut self, id: ExprId) -> Spot {
        let body = self.frame.body;
        let (ty, span) = (self.ty(id), self.span(id));
        match &body.expr(id).kind {
            _ if self.frame.typing.is_place_behind(id) => self.spot_behind(id, span),
            _ if self.frame.typing.behind.contains_key(&id) => {
                let value = self.value_behind(id, span);
                self.placed(&value, span)
            }
            ExprKind::Local(local) if self.frame.hidden.is_before(*local, id) => {
                let before = self.frame.before.get(local).cloned();
                before.unwrap_or_else(|| self.local(*local, span))
            }
            ExprKind::Local(local) => self.local(*local, span),
            ExprKind::Field(base, name) => {
                let behind = self.is_field_behind(*base, name);
                let base = self.spot(*base);
                if behind {
                    self.run_deref(&base.ty, span);
                }
                match self.context.field_named(&base.ty, name) {
                    Some((at, part)) => self.context.spot_part(&base, at, part),
                    None => Spot::nowhere(ty),
                }
            }
            ExprKind::Deref(inner) if self.is_pointer(*inner) => {
                let value = self.pointed_value(*inner, &ty, span);
                self.placed(&value, span)
            }
            ExprKind::Deref(inner) if self.has_own_deref(*inner) => {
                let of = self.spot(*inner).ty;
                self.run_deref(&of, span);
                Spot::nowhere(ty)
            }
            // A reference has the leaves of what it refers to.
            ExprKind::Deref(inner) | ExprKind::Reference(_, inner) => {
                let spot = self.spot(*inner);
                self.context.retyped(spot, ty)
            }
            ExprKind::Method { receiver, .. } if self.is_place(id) => {
                let spot = self.spot(*receiver);
                self.context.retyped(spot, ty)
            }
            ExprKind::Index(base, index) => match self.frame.typing.callees.get(&id).cloned() {
                Some(Callee::Function(function, generics)) => {
                    self.found_at((*base, *index), (function, generics), span)
                }
                _ => match self.looked_up(id, span) {
                    Some(spot) => spot,
                    None => self.element(*base, *index, ty, span),
                },
            },
            ExprKind::Path(_) => match self.frame.typing.paths.get(&id).cloned() {
                Some(Named::Constant(constant, arguments)) => {
                    // Each use makes a value of its own.
                    self.unnamed_end(&ty, span);
                    match self.program.table(constant, &arguments, &ty) {
                        Some(spot) => spot,
                        None => {
                            let value = self.constant(constant, &arguments, &ty, span);
                            self.placed(&value, span)
                        }
                    }
                }
                _ => {
                    let value = self.value(id);
                    self.placed(&value, span)
                }
            },
            _ => {
                let value = self.value(id);
                self.placed(&value, span)
            }
        }
    }

    /// Whether `*value` runs code of the crate that is not known to name a place.
    pub fn has_own_deref(&self, id: ExprId) -> bool {
        self.is_own(&self.frame.typing.exprs[id.index()])
    }

    /// Whether a field is one of what lies behind a value, and not of the value.
    pub fn is_field_behind(&self, base: ExprId, name: &str) -> bool {
        let ty = &self.frame.typing.exprs[base.index()];
        self.is_own(ty.behind()) && self.context.field_named(ty, name).is_none()
    }

    fn is_own(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Adt(of, _) if !self.context.items.is_std_module(self.context.items.adt(*of).module))
    }

    /// A `deref` that is not followed: it need not come back.
    fn run_deref(&mut self, of: &Ty, span: Span) {
        for function in self.context.turning(of) {
            self.program.note_hidden(function);
        }
        let _ = self.unknown_value(&Ty::UNIT, "what lies behind a value by its own Deref", span);
    }

    /// The place in a value that its own `deref` gives.
    fn spot_behind(&mut self, id: ExprId, span: Span) -> Spot {
        let ty = self.ty(id);
        let Some(behind) = self.frame.typing.behind.get(&id).cloned() else { return Spot::nowhere(ty) };
        let Some(at) = behind.part else { return Spot::nowhere(ty) };
        self.program.note_hidden(behind.function);
        behind.writing.into_iter().for_each(|function| self.program.note_hidden(function));
        let spot = self.spot_before(id, &behind.own, span);
        self.context.spot_part(&spot, at, ty)
    }

    /// The place of the value that is asked for what lies behind it.
    fn spot_before(&mut self, id: ExprId, own: &Ty, span: Span) -> Spot {
        match &self.frame.body.expr(id).kind {
            ExprKind::Local(local) if self.frame.hidden.is_before(*local, id) => {
                let before = self.frame.before.get(local).cloned();
                before.unwrap_or_else(|| self.local(*local, span))
            }
            ExprKind::Local(local) => self.local(*local, span),
            ExprKind::Field(base, name) => {
                let base = self.spot(*base);
                match self.context.field_named(&base.ty, name) {
                    Some((at, part)) => self.context.spot_part(&base, at, part),
                    None => Spot::nowhere(own.clone()),
                }
            }
            _ => Spot::nowhere(own.clone()),
        }
    }

    /// What the `deref` of a place gives.
    pub fn value_behind(&mut self, id: ExprId, span: Span) -> Value {
        let ty = self.ty(id);
        let Some(behind) = self.frame.typing.behind.get(&id).cloned() else { return self.unseen(&ty, span) };
        let spot = self.spot_before(id, &behind.own, span);
        let value = self.read(&spot, span);
        self.program.note_hidden(behind.function);
        let instance = (behind.function, behind.generics);
        let signature = self.program.signature(&instance);
        let Some(parameter) = signature.parameters.first().cloned() else { return self.unseen(&ty, span) };
        let value = self.fitted(&value, &parameter, span);
        let value = self.call_plain(instance, &signature, vec![value], span);
        self.fitted(&value, &ty, span)
    }

    /// A place whose indices stay as they are now.
    pub fn settled(&mut self, mut spot: Spot, span: Span) -> Spot {
        for index in &mut spot.indices {
            let kept = self.keep(Value::scalar(self.context.usize(), index.clone()), span);
            if let Some(expr) = kept.expr() {
                *index = expr.clone();
            }
        }
        spot
    }

    pub fn local(&mut self, local: LocalId, span: Span) -> Spot {
        if let Some(spot) = &self.frame.locals[local.index()] {
            return spot.clone();
        }
        let declared = self.frame.body.local(local).clone();
        let ty = self.frame.typing.locals[local.index()].clone();
        let hidden = self.frame.hidden.clone();
        let at = self.frame.at.unwrap_or(declared.span);
        let spot = match self.frame.at {
            Some(_) => self.temporary(&ty, span),
            None => self.named(&declared.name, &ty, hidden.get(&local), at),
        };
        self.frame.locals[local.index()] = Some(spot.clone());
        spot
    }

    /// `map[&key]`: what a call of our own text of std finds.
    fn found_at(&mut self, (base, index): (ExprId, ExprId), instance: Instance, span: Span) -> Spot {
        let whole = self.spot(base);
        let whole = if self.needs_steps(index) { self.settled(whole, span) } else { whole };
        let key = self.value(index);
        let key = self.keep(key, span);
        let signature = self.program.signature(&instance);
        let map = self.read(&whole, span);
        let given = [map, key];
        let fitted = given.iter().zip(&signature.parameters);
        let values: Vec<Value> = fitted.map(|(value, ty)| self.fitted(value, ty, span)).collect();
        let known = self.is_known(&instance, &signature);
        let found = self.call_instance(instance, &signature, values, vec![None, None], (known, span));
        self.placed(&found, span)
    }

    fn element(&mut self, base: ExprId, index: ExprId, ty: Ty, span: Span) -> Spot {
        let later = self.needs_steps(index);
        let base_ty = self.context.behind(&self.ty(base));
        let spot = match self.frame.body.expr(base).kind {
            ExprKind::Array(_) | ExprKind::Repeat(..) | ExprKind::Bytes(_) if !later => None,
            _ => Some(self.spot(base)),
        };
        let spot = match spot {
            Some(spot) => spot,
            None => {
                let value = self.value(base);
                let value = self.fitted(&value, &base_ty, span);
                self.placed(&value, span)
            }
        };
        let spot = if later { self.settled(spot, span) } else { spot };
        if self.context.is_range(&self.ty(index)) {
            return self.part_of(&spot, &base_ty, index, ty, span);
        }
        let at = self.value(index);
        if let (Some(element), Some(at)) = (self.context.element_type(&base_ty), at.expr().cloned()) {
            return self.indexed(&spot, &element, at, span);
        }
        match (&base_ty, at.expr().cloned()) {
            (Ty::Array(element, Length::Known(length)), Some(at)) => {
                let at = self.checked_index(at, *length, span);
                let inner = (**element).clone();
                if spot.leaves.is_none() || !self.context.is_followed(&base_ty) {
                    return Spot::nowhere(inner);
                }
                let mut indices = spot.indices.clone();
                indices.push(at);
                Spot { ty: inner, leaves: spot.leaves.clone(), indices }
            }
            _ => {
                self.maybe_fails(FailKind::Index, "an index into something of unknown length", span);
                Spot::nowhere(ty)
            }
        }
    }

    /// `xs[a..b]`: the same elements where they are those of a slice, a copy of them where they are an array's.
    fn part_of(&mut self, spot: &Spot, base: &Ty, range: ExprId, ty: Ty, span: Span) -> Spot {
        let bounds = self.bounds(range);
        let spot = match base {
            Ty::Array(..) => {
                let value = self.read(spot, span).with_type(base.clone());
                self.as_slice(&value, &ty).map(|value| self.placed(&value, span))
            }
            _ => self.context.element_type(base).map(|_| spot.clone()),
        };
        match (spot, bounds) {
            (Some(spot), Some(bounds)) => self.part(&spot, &ty, &bounds, span),
            (_, None) => {
                self.run(range, &super::steps::Goal::Nothing);
                self.maybe_fails(FailKind::Index, "a part of something of unknown length", span);
                Spot::nowhere(ty)
            }
            _ => {
                self.maybe_fails(FailKind::Index, "a part of something of unknown length", span);
                Spot::nowhere(ty)
            }
        }
    }

    /// The index of an element; the step fails where it is out of bounds.
    pub fn checked_index(&mut self, at: Expr, length: u64, span: Span) -> Expr {
        let bound = arith::constant(kleene_domains::int::Int::from(length));
        let outside = arith::compare(CompareOp::GreaterEqual, at.clone(), bound);
        let folded = arith::as_constant(&at).is_some() && outside == crate::ir::Cond::Literal(true);
        self.fails_if(outside, FailKind::Index, span);
        // Never reached: any index will do, but it must be one.
        if folded { arith::constant(0) } else { at }
    }

    /// A site that may fail for all we know.
    pub fn maybe_fails(&mut self, kind: FailKind, reason: &'static str, span: Span) {
        let value = self.unknown_value(&Ty::Bool, reason, span);
        if let Some(expr) = value.expr() {
            self.fails_if(arith::truth(expr.clone()), kind, span);
        }
        self.flush(span);
    }

    /// The place of an element that is known to be there.
    pub fn element_spot(&self, spot: &Spot, at: Expr) -> Spot {
        let Ty::Array(element, _) = spot.ty.behind() else { return Spot::nowhere(Ty::Opaque) };
        let mut indices = spot.indices.clone();
        indices.push(at);
        let leaves = spot.leaves.clone().filter(|_| self.context.is_followed(spot.ty.behind()));
        Spot { ty: (**element).clone(), leaves, indices }
    }
}
