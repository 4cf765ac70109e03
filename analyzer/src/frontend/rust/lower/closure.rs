//! Closures: made where they stand, their bodies lowered where they are called.
//!
//! What a closure copies is part of its value. What it uses where it is are places of the function that makes
//! it, so such a closure is called in that function only: whatever takes one is lowered there too. A closure
//! that gets into unknown code may be called at any time with anything: the function is lowered anew with its
//! places hidden, and where the closure is made it may run at once.

use std::rc::Rc;

use super::super::context::Environment;
use super::super::hir::{Body, Closure, ExprId};
use super::super::infer::{Captures, Typing};
use super::super::types::{Called, ClosureId, Ty};
use super::call::{Hidden, INLINE_DEPTH, Signature};
use super::ends::Ends;
use super::steps::{Frame, Goal, Lowerer, Returning};
use super::value::{Spot, Value};
use crate::source::Span;

/// A closure that was made: the frame it stands in.
#[derive(Clone)]
pub struct Made<'p> {
    body: &'p Body,
    typing: Rc<Typing>,
    hidden: Hidden,
    ends: Rc<Ends>,
    at: Option<Span>,
    unwritten: u32,
    locals: Vec<Option<Spot>>,
    function: Option<Rc<super::Instance>>,
    /// The function under construction, whose places it uses.
    lowering: u32,
}

impl<'p> Lowerer<'_, 'p, '_> {
    /// The value of a closure expression: copies of what it keeps.
    pub fn closure(&mut self, closure: &'p Closure, ty: &Ty, span: Span) -> Value {
        let Ty::Callable(Called::Closure(id), _) = ty else {
            self.note_unknown("a closure among others", span);
            return Value::empty(Ty::Opaque);
        };
        let captures = self.context.captures(*id);
        let taken = self.frame.ends.taken.get(&id.expr).cloned().unwrap_or_default();
        for local in taken {
            let ty = self.frame.typing.locals[local.index()].clone();
            self.unsure_end(&ty, span);
        }
        if !captures.plain {
            self.note_unknown("a closure that keeps more than copies and places", span);
            return Value::empty(ty.clone());
        }
        for local in &closure.names {
            self.local(*local, span);
        }
        let made = Made {
            body: self.frame.body,
            typing: self.frame.typing.clone(),
            hidden: self.frame.hidden.clone(),
            ends: self.frame.ends.clone(),
            at: self.frame.at,
            unwritten: self.unwritten,
            locals: self.frame.locals.clone(),
            function: self.frame.function.clone(),
            lowering: self.program.lowering,
        };
        self.program.closures.insert(*id, made);
        let mut leaves = Vec::new();
        for (local, ty) in &captures.copied {
            let spot = self.local(*local, span);
            let value = self.read(&spot, span);
            leaves.extend(self.fitted(&value, ty, span).leaves);
        }
        let value = Value { ty: ty.clone(), leaves };
        if !self.program.escaping.contains(&(self.frame.function.clone(), id.expr)) {
            return value;
        }
        let value = self.keep(value, span);
        self.may_run(*id, &captures, &value, span);
        value
    }

    /// Others may call the closure: a run of its body with any arguments, or none.
    fn may_run(&mut self, id: ClosureId, captures: &Captures, value: &Value, span: Span) {
        let (Some(made), Some((_, parameters, result))) =
            (self.program.closures.get(&id).cloned(), value.ty.called())
        else {
            return;
        };
        self.flush(span);
        self.unwritten += 1;
        let (yes, after) = (self.builder.point(), self.builder.point());
        let chosen = self.unknown_value(&Ty::Bool, "a closure that others may call", span);
        let cond = self.truth(&chosen, span);
        self.split(span, cond, yes, after);
        self.builder.current = yes;
        // What it changes itself is anything by the time it is called.
        let changes = captures.copied.iter().any(|(local, _)| made.body.local(*local).mutable);
        let own = match changes {
            true => self.unknown_value(&value.ty, "what a closure holds", span),
            false => value.clone(),
        };
        let own = self.placed(&own, span);
        let arguments: Vec<Value> =
            parameters.iter().map(|ty| self.unknown_value(ty, "an argument of a closure", span)).collect();
        let frame = self.closure_frame(&made, captures, &own, result.clone());
        let nothing = vec![None; arguments.len()];
        self.inline_closure(id, frame, &made, &arguments, &nothing, span);
        self.join(after, span);
        self.builder.current = after;
        self.unwritten -= 1;
    }

    pub fn call_closure(
        &mut self,
        id: ClosureId,
        callee: ExprId,
        arguments: &[ExprId],
        ty: &Ty,
        span: Span,
    ) -> Value {
        let callable = self.ty(callee).behind().clone();
        let Some((_, parameters, result)) = callable.called() else {
            return self.call_unknown("a call of a value of unknown type", arguments, ty, span);
        };
        let signature = Signature {
            parameters: parameters.to_vec(),
            result: result.clone(),
            environment: Environment::default(),
        };
        let own = if self.is_place(callee) {
            let spot = self.spot(callee);
            self.settled(spot, span)
        } else {
            let value = self.value(callee);
            self.placed(&value, span)
        };
        let own = self.context.retyped(own, callable.clone());
        let (values, lent) = self.passed(arguments, &signature);
        let spots: Vec<Option<Spot>> =
            lent.iter().map(|lent| lent.as_ref().map(|lent| lent.spot.clone())).collect();
        let captures = self.context.captures(id);
        let made = self.program.closures.get(&id).cloned();
        let near = |made: &Made<'_>| captures.lent.is_empty() || made.lowering == self.program.lowering;
        let value = match made.filter(|made| captures.plain && self.may_inline() && near(made)) {
            Some(made) => {
                let frame = self.closure_frame(&made, &captures, &own, signature.result.clone());
                self.inline_closure(id, frame, &made, &values, &spots, span)
            }
            None => {
                let mut written: Vec<Spot> = spots.into_iter().flatten().chain([own]).collect();
                written.extend(self.reach(&callable));
                written.retain(|spot| spot.leaves.is_some());
                self.lose(&callable);
                self.unknown_step(ty, &written, "a closure that is not looked into", span)
            }
        };
        lent.iter().flatten().for_each(|lent| self.restore(lent, span));
        value
    }

    pub fn may_inline(&self) -> bool {
        self.depth < INLINE_DEPTH && self.program.inlined < super::call::INLINE_LIMIT
    }

    /// The frame of a closure's body: that of the code around it, with the closure's own copies.
    fn closure_frame(&self, made: &Made<'p>, captures: &Captures, own: &Spot, result: Ty) -> Frame<'p> {
        let frame = Frame::new(made.body, made.typing.clone(), made.hidden.clone(), result);
        let mut locals = made.locals.clone();
        let mut at = 0;
        for (local, ty) in &captures.copied {
            let mut spot = self.context.spot_part(own, at, ty.clone());
            at += self.context.leaf_count(ty);
            if let (Some(hidden), Some(leaves)) = (made.hidden.get(local), &mut spot.leaves) {
                for (leaf, hidden) in leaves.iter_mut().zip(hidden) {
                    leaf.hidden |= *hidden;
                }
            }
            locals[local.index()] = Some(spot);
        }
        Frame {
            locals,
            ends: made.ends.clone(),
            at: made.at,
            scopes: vec![Vec::new()],
            function: made.function.clone(),
            ..frame
        }
    }

    fn inline_closure(
        &mut self,
        id: ClosureId,
        frame: Frame<'p>,
        made: &Made<'p>,
        values: &[Value],
        lent: &[Option<Spot>],
        span: Span,
    ) -> Value {
        let super::super::hir::ExprKind::Closure(closure) = &made.body.expr(id.expr).kind else {
            return self.unknown_value(&frame.result, "a closure", span);
        };
        self.program.inlined += id.expr.index() - closure.first.index();
        let result = self.temporary(&frame.result, span);
        let after = self.builder.point();
        let mut frame = Frame { returning: Returning::Inline(result.clone(), after), ..frame };
        for local in closure.locals.clone() {
            frame.locals[local] = None;
        }
        let around = std::mem::replace(&mut self.frame, frame);
        // Nobody wrote that the arguments are bound.
        let unwritten = std::mem::replace(&mut self.unwritten, made.unwritten + 1);
        self.depth += 1;
        for (((pat, _), value), spot) in closure.parameters.iter().zip(values).zip(lent) {
            self.bind_pattern_from(*pat, value, spot.as_ref(), span);
        }
        self.unwritten = made.unwritten;
        self.run(closure.body, &Goal::Return);
        let given_up: Vec<Spot> = closure
            .parameters
            .iter()
            .zip(lent)
            .filter(|((pat, _), _)| self.is_given_up(*pat))
            .filter_map(|(_, spot)| spot.clone().filter(|spot| spot.leaves.is_some()))
            .collect();
        self.depth -= 1;
        self.unwritten = unwritten;
        self.frame = around;
        self.dead();
        self.builder.current = after;
        if !given_up.is_empty() {
            self.unknown_step(&Ty::UNIT, &given_up, "a place that unknown code may write", span);
        }
        self.read(&result, span)
    }

    /// The places that closures in a value of this type may write.
    pub fn reach(&self, ty: &Ty) -> Vec<Spot> {
        let mut found = Vec::new();
        for id in ty.closures() {
            let captures = self.context.captures(id);
            let made = self.program.closures.get(&id).filter(|made| made.lowering == self.program.lowering);
            for (local, ty, writable) in &captures.lent {
                let spot = made.and_then(|made| made.locals[local.index()].clone());
                found.extend(spot.filter(|_| *writable));
                found.extend(self.reach(ty));
            }
            found.extend(captures.copied.iter().flat_map(|(_, ty)| self.reach(ty)));
        }
        found
    }

    /// Whether a value of this type uses places of the function that made it.
    pub fn is_bound(&self, ty: &Ty) -> bool {
        ty.closures().into_iter().any(|id| {
            let captures = self.context.captures(id);
            !captures.plain
                || !captures.lent.is_empty()
                || captures.copied.iter().any(|(_, ty)| self.is_bound(ty))
        })
    }

    /// A value of this type gets to where nobody follows it.
    pub fn lose(&mut self, ty: &Ty) {
        for id in ty.closures() {
            self.lose_closure(id);
        }
    }

    fn lose_closure(&mut self, id: ClosureId) {
        let captures = self.context.captures(id);
        let made = self.program.closures.get(&id);
        let function = made.and_then(|made| made.function.clone());
        if captures.plain {
            self.program.again |= self.program.escaping.insert((function, id.expr));
        }
        for ty in captures.lent.iter().map(|(_, ty, _)| ty).chain(captures.copied.iter().map(|(_, ty)| ty)) {
            self.lose(ty);
        }
    }

    /// A value of one type becomes one of another: closures that it does not speak of are lost.
    pub fn retypes(&mut self, from: &Ty, to: &Ty) {
        let lost = from.closures();
        if lost.is_empty() {
            return;
        }
        let kept = to.closures();
        for id in lost.into_iter().filter(|id| !kept.contains(id)) {
            self.lose_closure(id);
        }
    }
}
