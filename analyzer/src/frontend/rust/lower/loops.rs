//! Loops.

mod walk;

use super::super::super::arith;
use super::super::super::build::{Exit, Point};
use super::super::glue::Glue;
use super::super::hir::{ExprId, ExprKind, Mutability, PatId, PatKind};
use super::super::infer::Callee;
use super::super::std_table::Meaning;
use super::super::types::{Length, Ty};
use super::Instance;
use super::steps::{Goal, Lowerer, Target};
use super::value::{Spot, Value};
use crate::ir::{Cond, Effect, Expr, FailKind, Input, InputSource, Place, StepKind, Type};
use crate::source::Span;
use kleene_domains::expr::{BinaryOp, CompareOp};
use walk::Walk;

/// What a `for` loop goes through.
enum Source {
    /// From `first` in steps of `step`, while the counter has not passed `last`.
    Counted {
        first: Expr,
        last: Expr,
        step: Expr,
        down: bool,
        ty: Ty,
    },
    /// The places of a slice, and what type they have in the pattern.
    Elements(Spot, Ty, Box<Walk>),
    /// What a function takes out of an iterator, until there is nothing left.
    Drawn(Spot, Instance),
    Unknown,
}

impl Lowerer<'_, '_, '_> {
    pub fn looping(&mut self, id: ExprId, goal: &Goal, span: Span) {
        let body = self.frame.body;
        let (head, outside) = (self.builder.point(), self.builder.point());
        let value = match (&body.expr(id).kind, goal) {
            (ExprKind::Loop { .. }, Goal::Store(spot, ..)) => Some(spot.clone()),
            (ExprKind::Loop { .. }, Goal::Return | Goal::Branch(..)) => {
                let ty = self.ty(id);
                Some(self.temporary(&ty, span))
            }
            _ => None,
        };
        let label = match &body.expr(id).kind {
            ExprKind::Loop { label, .. } | ExprKind::While { label, .. } | ExprKind::For { label, .. } => {
                label.clone()
            }
            _ => None,
        };
        match &body.expr(id).kind {
            ExprKind::Loop { body: inner, .. } => {
                self.start(
                    id,
                    head,
                    Target {
                        outside,
                        again: Some(head),
                        value: value.clone(),
                        scopes: self.frame.scopes.len(),
                    },
                    label,
                    true,
                    span,
                );
                self.run(*inner, &Goal::Nothing);
                self.repeat(head, span);
            }
            ExprKind::While { cond, body: inner, .. } => {
                self.start(
                    id,
                    head,
                    Target { outside, again: Some(head), value: None, scopes: self.frame.scopes.len() },
                    label,
                    false,
                    span,
                );
                let inside = self.builder.point();
                self.branch(*cond, inside, outside);
                self.builder.current = inside;
                self.run(*inner, &Goal::Nothing);
                self.repeat(head, span);
            }
            ExprKind::For { pat, iterated, body: inner, .. } => {
                self.for_loop(id, (*pat, *iterated, *inner), (head, outside), label, span);
            }
            _ => {}
        }
        self.loop_depth -= 1;
        self.dead();
        self.builder.current = outside;
        match (goal, value) {
            (Goal::Return | Goal::Branch(..), Some(spot)) => {
                let value = self.read(&spot, span);
                self.deliver(&value, goal, span);
            }
            (Goal::Store(..), Some(_)) => {}
            _ => self.deliver(&Value::unit(), goal, span),
        }
    }

    fn start(
        &mut self,
        id: ExprId,
        head: Point,
        target: Target,
        label: Option<String>,
        endless: bool,
        span: Span,
    ) {
        self.join(head, span);
        self.builder.current = head;
        if let Some(label) = label.filter(|_| self.frame.at.is_none() && self.depth == 0) {
            self.builder.label(&label);
        }
        if self.loop_depth == 0 && self.frame.at.is_none() && self.depth == 0 {
            self.main_loops.push((head, endless));
        }
        self.loop_depth += 1;
        self.frame.targets.insert(id, target);
    }

    fn repeat(&mut self, head: Point, span: Span) {
        self.flush(span);
        self.builder.jump(head, span);
    }

    /// Whether what is drawn from is an iterator with the scalars of what a loop goes through, and not that itself.
    fn is_gone_through(&mut self, over: &Ty, next: &Instance) -> bool {
        let signature = self.program.signature(next);
        let iterator = signature.parameters.first().map(|ty| ty.behind().clone());
        match (over.behind(), iterator) {
            (Ty::Adt(one, _), Some(Ty::Adt(other, _))) => {
                *one != other && self.context.items.is_std_module(self.context.items.adt(*one).module)
            }
            _ => false,
        }
    }

    fn for_loop(
        &mut self,
        id: ExprId,
        (pat, iterated, inner): (PatId, ExprId, ExprId),
        (head, outside): (Point, Point),
        label: Option<String>,
        span: Span,
    ) {
        let at = self.span(iterated);
        let over = self.ty(iterated);
        if self.context.glue(&over) != Glue::Nothing {
            self.unsure_end(&over, at);
        }
        let entered = self.frame.typing.entered.get(&id).cloned();
        let source = match (self.frame.typing.callees.get(&id).cloned(), entered) {
            (Some(Callee::Function(next, generics)), Some(entered)) => {
                let iterator = self.entered(iterated, entered, at);
                Source::Drawn(iterator, (next, generics))
            }
            (Some(Callee::Function(next, generics)), None)
                if self.is_gone_through(&over, &(next, generics.clone())) =>
            {
                let value = self.value(iterated);
                let next = (next, generics);
                let iterator = self.program.signature(&next).parameters[0].behind().clone();
                let value = self.fitted(&value, &iterator, at);
                Source::Drawn(self.placed(&value, at), next)
            }
            (Some(Callee::Function(next, generics)), None) if matches!(over, Ty::Reference(..)) => {
                match self.lent(iterated) {
                    Some(spot) => {
                        Source::Drawn(self.context.retyped(spot, over.behind().clone()), (next, generics))
                    }
                    None => self.unknown_source(iterated),
                }
            }
            (Some(Callee::Function(next, generics)), None) => {
                let value = self.value(iterated);
                Source::Drawn(self.placed(&value, at), (next, generics))
            }
            _ => self.source(iterated),
        };
        let target = Target { outside, again: Some(head), value: None, scopes: self.frame.scopes.len() };
        match source {
            Source::Counted { first, last, step, down, ty } => {
                let counter = self.builder.temporary(Type::Integer, at);
                let limit = self.kept_number(last, at);
                let step = self.kept_number(step, at);
                self.advance(StepKind::Assignment, at, Effect::Assign(vec![(counter.clone(), first)]));
                self.start(id, head, target, label, false, span);
                let now = arith::read(counter.clone());
                let op = if down { CompareOp::GreaterEqual } else { CompareOp::LessEqual };
                let more = arith::compare(op, now.clone(), limit);
                let op = if down { BinaryOp::Sub } else { BinaryOp::Add };
                let next = (counter, arith::binary(op, now.clone(), step));
                let value = Value::scalar(ty, now);
                self.turn(pat, more, vec![next], &value, None, (outside, at));
            }
            Source::Elements(spot, ty, walk) => {
                let (counter, index) = (self.builder.temporary(Type::Integer, at), self.index_variable(at));
                self.advance(
                    StepKind::Assignment,
                    at,
                    Effect::Assign(vec![(counter.clone(), arith::constant(0))]),
                );
                self.start(id, head, target, label, false, span);
                let now = arith::read(counter.clone());
                let more = arith::compare(CompareOp::Less, now.clone(), walk.count.clone());
                let next = (counter, arith::binary(BinaryOp::Add, now.clone(), arith::constant(1)));
                let mut writes = vec![next, (index.clone(), walk.place(now.clone()))];
                let number = self.number_variable(&walk, &index, at);
                writes.extend(walk.number(now).map(|value| (number.clone(), value)));
                let inside = self.builder.point();
                let exits = vec![
                    Exit { guard: more.clone(), effect: Effect::Assign(writes), target: inside, span: at },
                    Exit { guard: arith::not(more), effect: Effect::SKIP, target: outside, span: at },
                ];
                self.exits(StepKind::Condition, at, exits);
                self.builder.current = inside;
                let pat = match &walk.beside {
                    Some((drawn, next)) => self.beside(pat, drawn, next, outside, at),
                    None => pat,
                };
                let element = match self.context.element_type(&spot.ty) {
                    Some(element) => self.near_or_far(&spot, &element, arith::read(index), at),
                    None => self.element_spot(&spot, arith::read(index)),
                };
                let value = self.read(&element, at).with_type(ty.clone());
                let element = self.context.retyped(element, ty);
                let pat = self.bind_number(pat, &walk, number, at);
                self.bind_pattern(pat, &value, Some(&element), StepKind::Declaration, at);
            }
            Source::Drawn(spot, next) => {
                self.start(id, head, target, label, false, span);
                self.next_item(pat, &spot, next, outside, at);
            }
            Source::Unknown => {
                self.start(id, head, target, label, false, span);
                let more = self.builder.temporary(Type::Bool, at);
                self.note_unknown("a loop over something unknown", at);
                self.pending.inputs.push(Input {
                    place: more.clone(),
                    source: InputSource::Unknown,
                    span: at,
                });
                let inside = self.builder.point();
                self.split(at, arith::truth(arith::read(more)), inside, outside);
                self.builder.current = inside;
                self.bind_unknown(pat, at);
            }
        }
        self.run(inner, &Goal::Nothing);
        self.repeat(head, span);
    }

    /// The iterator that a value's own `into_iter` gives.
    fn entered(&mut self, iterated: ExprId, entered: Instance, span: Span) -> Spot {
        self.program.note_hidden(entered.0);
        let signature = self.program.signature(&entered);
        let value = self.value(iterated);
        let value = self.fitted(&value, &signature.parameters[0], span);
        let known = self.is_known(&entered, &signature);
        self.unwritten += 1;
        let iterator = self.call_instance(entered, &signature, vec![value], vec![None], (known, span));
        self.unwritten -= 1;
        if self.context.glue(&iterator.ty) != Glue::Nothing {
            self.unsure_end(&iterator.ty, span);
        }
        self.placed(&iterator, span)
    }

    /// `(x, y)` of a loop over places and an iterator beside them: what is drawn for `y`, and the pattern of `x`.
    fn beside(&mut self, pat: PatId, drawn: &Spot, next: &Instance, outside: Point, span: Span) -> PatId {
        let PatKind::Tuple(pats, None) = &self.frame.body.pat(pat).kind else { return pat };
        let (own, other) = (pats[0], pats[1]);
        self.next_item(other, drawn, next.clone(), outside, span);
        own
    }

    /// One more turn with what an iterator gives, or out of the loop.
    fn next_item(&mut self, pat: PatId, spot: &Spot, next: Instance, outside: Point, span: Span) {
        self.program.note_hidden(next.0);
        let signature = self.program.signature(&next);
        let lent = Ty::Reference(Mutability::Mutable, Box::new(spot.ty.clone()));
        let lent = self.context.retyped(spot.clone(), lent);
        let value = self.read(&lent, span);
        let known = self.is_known(&next, &signature);
        self.unwritten += 1;
        let item = self.call_instance(next, &signature, vec![value], vec![Some(lent)], (known, span));
        let item = self.keep(item, span);
        self.unwritten -= 1;
        let tag = item.leaves.first().and_then(|leaf| leaf.first()).cloned();
        let some = match tag {
            Some(tag) => arith::compare(CompareOp::Equal, tag, arith::constant(1)),
            None => {
                let more = self.unknown_value(&Ty::Bool, "a loop over something unknown", span);
                self.truth(&more, span)
            }
        };
        // What never ends decides nothing.
        if !self.context.never_ends(&spot.ty) {
            let inside = self.builder.point();
            self.split(span, some, inside, outside);
            self.builder.current = inside;
        }
        let part = match &item.ty {
            Ty::Adt(option, arguments) => {
                let (at, part) = self.context.field_leaves(*option, 1, 0, arguments);
                self.context.value_part(&item, at, part)
            }
            _ => None,
        };
        match part {
            Some(value) => {
                self.unnamed_end(&value.ty, span);
                self.bind_pattern(pat, &value, None, StepKind::Declaration, span);
            }
            None => self.bind_unknown(pat, span),
        }
    }

    /// How many elements a loop goes through.
    fn count(&mut self, spot: &Spot, span: Span) -> Option<Expr> {
        match self.context.behind(&spot.ty) {
            Ty::Array(_, Length::Known(length)) => {
                Some(arith::constant(kleene_domains::int::Int::from(length)))
            }
            _ => {
                let (_, length) = self.ends(spot, span)?;
                Some(self.kept_number(length, span))
            }
        }
    }

    fn index_variable(&mut self, span: Span) -> Place {
        self.builder.temporary(Type::Integer, span)
    }

    /// A number that stays as it is: a constant or a variable of its own.
    pub fn kept_number(&mut self, expr: Expr, span: Span) -> Expr {
        let stays = match &expr {
            Expr::Constant(_) => true,
            Expr::Variable(place) => self.is_temporary(place),
            _ => false,
        };
        if stays {
            return expr;
        }
        let place = self.builder.temporary(Type::Integer, span);
        self.advance(StepKind::Assignment, span, Effect::Assign(vec![(place.clone(), expr)]));
        arith::read(place)
    }

    /// The head of a loop: one more turn with a new value, or out of it.
    fn turn(
        &mut self,
        pat: PatId,
        more: Cond,
        mut writes: Vec<(Place, Expr)>,
        value: &Value,
        spot: Option<&Spot>,
        (outside, span): (Point, Span),
    ) {
        let body = self.frame.body;
        if let super::super::hir::PatKind::Bind { local, inner: None, .. } = body.pat(pat).kind
            && spot.is_none()
        {
            let target = self.local(local, span);
            let new = self.writes(&target, value, span);
            writes.extend(new);
        }
        let inside = self.builder.point();
        let exits = vec![
            Exit { guard: more.clone(), effect: Effect::Assign(writes), target: inside, span },
            Exit { guard: arith::not(more), effect: Effect::SKIP, target: outside, span },
        ];
        self.exits(StepKind::Condition, span, exits);
        self.builder.current = inside;
    }

    /// What a loop goes through, as far as it is understood.
    fn source(&mut self, id: ExprId) -> Source {
        let body = self.frame.body;
        let span = self.span(id);
        match &body.expr(id).kind {
            ExprKind::Range { low: Some(low), high: Some(high), inclusive } => {
                let (inclusive, ty) = (*inclusive, self.ty(*low));
                let values = self.values(&[*low, *high]);
                let (Some(first), Some(high), true) =
                    (values[0].expr().cloned(), values[1].expr().cloned(), is_counted(&ty))
                else {
                    self.flush(span);
                    return Source::Unknown;
                };
                let last =
                    if inclusive { high } else { arith::binary(BinaryOp::Sub, high, arith::constant(1)) };
                // Both bounds are evaluated before the loop begins.
                let first = self.kept_number(first, span);
                let last = self.kept_number(last, span);
                Source::Counted { first, last, step: arith::constant(1), down: false, ty }
            }
            ExprKind::Method { receiver, arguments, site, .. } => {
                let meaning = match self.frame.typing.callees.get(&id) {
                    Some(Callee::Standard(meaning, _)) => Some(*meaning),
                    _ => None,
                };
                let (receiver, arguments, site) = (*receiver, arguments.clone(), site.0);
                match meaning {
                    Some(Meaning::Iterate) if matches!(self.ty(receiver).behind(), Ty::Range(_)) => {
                        self.source(receiver)
                    }
                    Some(Meaning::Iterate) => self.elements(receiver, id),
                    Some(Meaning::Walked(step)) => self.walked(id, step, (receiver, &arguments)),
                    Some(Meaning::Reversed) => {
                        let inner = self.source(receiver);
                        self.reversed(inner, span)
                    }
                    Some(Meaning::StepBy) => {
                        let inner = self.source(receiver);
                        self.stepped(inner, arguments[0], site)
                    }
                    // Elements that a method gives.
                    _ if self.is_plain_array(&self.ty(id)) || self.lends_elements(&self.ty(id)) => {
                        self.elements(id, id)
                    }
                    _ => self.unknown_source(id),
                }
            }
            ExprKind::Reference(_, inner) if self.has_elements(&self.ty(*inner)) => self.elements(*inner, id),
            _ if self.has_elements(&self.ty(id)) => self.elements(id, id),
            _ => self.unknown_source(id),
        }
    }

    fn has_elements(&self, ty: &Ty) -> bool {
        matches!(self.context.behind(ty), Ty::Array(_, Length::Known(_)))
            || !matches!(self.context.behind(ty), Ty::Str) && self.context.element_type(ty).is_some()
    }

    /// Whether it is an array of values, none of which can be written through.
    fn is_plain_array(&self, ty: &Ty) -> bool {
        let lends = |part: &Ty| matches!(part, Ty::Reference(Mutability::Mutable, _) | Ty::Opaque);
        matches!(ty, Ty::Array(_, Length::Known(_))) && !ty.any(&mut |part| lends(part))
    }

    /// Whether it is a borrow of elements that nobody writes.
    fn lends_elements(&self, ty: &Ty) -> bool {
        let lends = |part: &Ty| matches!(part, Ty::Reference(Mutability::Mutable, _) | Ty::Opaque);
        matches!(ty, Ty::Reference(Mutability::Shared, _))
            && self.has_elements(ty)
            && !ty.any(&mut |part| lends(part))
    }

    fn unknown_source(&mut self, id: ExprId) -> Source {
        self.run(id, &Goal::Nothing);
        Source::Unknown
    }

    /// The elements of an array; `whole` has the type that says how they are passed.
    fn elements(&mut self, array: ExprId, whole: ExprId) -> Source {
        let span = self.span(array);
        let ty = self.context.behind(&self.ty(array));
        let element = match &ty {
            Ty::Array(element, Length::Known(_)) => Some((**element).clone()),
            ty => self.context.element_type(ty),
        };
        let Some(element) = element else { return self.unknown_source(array) };
        let item = match self.ty(whole) {
            Ty::Reference(mutability, _) => Ty::Reference(mutability, Box::new(element)),
            _ => element,
        };
        let by_value = !matches!(item, Ty::Reference(..)) || !self.is_place(array);
        let spot = if by_value {
            let value = self.value(array);
            let value = self.fitted(&value, &ty, span);
            self.placed(&value, span)
        } else {
            let spot = self.spot(array);
            let spot = self.settled(spot, span);
            self.flush(span);
            spot
        };
        let spot = self.context.retyped(spot, ty);
        match self.count(&spot, span) {
            Some(count) => Source::Elements(spot, item, Box::new(Walk::over(count))),
            None => Source::Unknown,
        }
    }

    fn reversed(&mut self, source: Source, span: Span) -> Source {
        match source {
            Source::Counted { first, last, step, down: false, ty } => {
                // The last value on the way up is the first one on the way down.
                let begin = match arith::as_constant(&step) {
                    Some(step) if step.is_one() => last,
                    _ => {
                        let distance = arith::binary(BinaryOp::Sub, last.clone(), first.clone());
                        let turns = arith::binary(BinaryOp::Div, distance, step.clone());
                        let reach = arith::binary(BinaryOp::Mul, turns, step.clone());
                        let top = arith::binary(BinaryOp::Add, first.clone(), reach);
                        let empty = arith::compare(CompareOp::Less, last.clone(), first.clone());
                        let below = arith::binary(BinaryOp::Sub, first.clone(), arith::constant(1));
                        let begin = arith::choose(empty, below, top);
                        self.kept_number(begin, span)
                    }
                };
                Source::Counted { first: begin, last: first, step, down: true, ty }
            }
            _ => Source::Unknown,
        }
    }

    fn stepped(&mut self, source: Source, by: ExprId, site: Span) -> Source {
        let value = self.value(by);
        match (source, value.expr().cloned()) {
            (Source::Counted { first, last, step, down, ty }, Some(by))
                if arith::as_constant(&step).is_some_and(|step| step.is_one()) =>
            {
                let zero = arith::compare(CompareOp::Equal, by.clone(), arith::constant(0));
                self.fails_if(zero, FailKind::Panic, site);
                let at = self.here(site);
                self.flush(at);
                let step = self.kept_number(by, at);
                Source::Counted { first, last, step, down, ty }
            }
            _ => {
                let at = self.here(site);
                self.maybe_fails(FailKind::Panic, "a step of unknown size", at);
                Source::Unknown
            }
        }
    }
}

fn is_counted(ty: &Ty) -> bool {
    matches!(ty, Ty::Integer(_))
}
