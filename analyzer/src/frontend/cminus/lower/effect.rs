//! Expressions evaluated for what they do: assignments, calls as statements, intrinsics.

use super::super::super::arith;
use super::super::super::build::Pending;
use super::super::ast::{Expr, ExprKind, Operator, TypeName};
use super::super::types::{INT, Value, convert};
use super::Lowerer;
use super::call::Use;
use super::intrinsic::Callee;
use crate::ir::{Effect, FailKind, Input, InputSource, Place, StepKind};
use crate::source::Span;

impl<'a> Lowerer<'a, '_> {
    /// An expression as a statement.
    pub(super) fn effect(&mut self, expr: &Expr<'a>) {
        match &expr.kind {
            ExprKind::Assign(operator, target, value) => {
                self.write(*operator, target, value, expr.span);
            }
            ExprKind::Bump { target, by, .. } => {
                let mut pending = Pending::default();
                let Some(target) = self.place(target, &mut pending) else { return };
                let old = Value { expr: arith::read(target.place.clone()), ty: target.ty };
                let new = self.bumped(&old, *by, expr.span, &mut pending);
                let effect = Effect::Assign(vec![(target.place, convert(new, target.ty, self.integers))]);
                self.builder.advance(StepKind::Assignment, expr.span, pending, effect);
            }
            ExprKind::Call { name, name_span, arguments } => {
                self.call_statement(name, *name_span, arguments, expr.span);
            }
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.effect(second);
            }
            ExprKind::Conditional(condition, yes, no) if self.needs_steps(yes) || self.needs_steps(no) => {
                self.choice(condition, Some(yes), Some(no), expr.span);
            }
            ExprKind::And(left, right) if self.needs_steps(right) => {
                self.choice(left, Some(right), None, expr.span);
            }
            ExprKind::Or(left, right) if self.needs_steps(right) => {
                self.choice(left, None, Some(right), expr.span);
            }
            ExprKind::Cast(TypeName::Void, inner) => self.effect(inner),
            _ => {
                let mut pending = Pending::default();
                self.value(expr, &mut pending);
                self.skip_step(expr.span, pending);
            }
        }
    }

    /// The ignored part of a larger expression: only what it does, or how it fails, matters.
    pub(super) fn effect_before(&mut self, expr: &Expr<'a>, pending: &mut Pending) {
        match self.needs_steps(expr) {
            true => self.effect(expr),
            false => {
                self.value(expr, pending);
            }
        }
    }

    fn choice(&mut self, condition: &Expr<'a>, yes: Option<&Expr<'a>>, no: Option<&Expr<'a>>, span: Span) {
        let [at_yes, at_no, after] = [self.builder.point(), self.builder.point(), self.builder.point()];
        self.branch(condition, at_yes, at_no);
        for (point, part) in [(at_yes, yes), (at_no, no)] {
            self.builder.current = point;
            if let Some(part) = part {
                self.effect(part);
            }
            self.builder.join(after, span);
        }
    }

    /// An assignment as a value: its own step, then the place (or a copy, if the place may move).
    pub(super) fn assign(
        &mut self,
        operator: Option<Operator>,
        target: &Expr<'a>,
        value: &Expr<'a>,
        span: Span,
    ) -> Value {
        match self.write(operator, target, value, span) {
            Some(value) => value,
            None => Self::nothing(),
        }
    }

    fn write(
        &mut self,
        operator: Option<Operator>,
        target: &Expr<'a>,
        value: &Expr<'a>,
        span: Span,
    ) -> Option<Value> {
        let mut pending = Pending::default();
        let target = self.place(target, &mut pending);
        let Some(target) = target else {
            // The right side may hold mistakes of its own.
            self.value(value, &mut pending);
            return None;
        };
        let result = Value { expr: arith::read(target.place.clone()), ty: target.ty };
        if operator.is_none() && self.is_draw(value) && target.is_fixed() && !pending.can_fail() {
            self.store(target.place, target.ty, value, StepKind::Assignment, span);
            return Some(result);
        }
        let mut new = self.value(value, &mut pending);
        if let Some(operator) = operator {
            new = self.binary(operator, result.clone(), new, span, &mut pending);
        }
        let new = convert(new, target.ty, self.integers);
        let effect = Effect::Assign(vec![(target.place, new)]);
        self.builder.advance(StepKind::Assignment, span, pending, effect);
        Some(result)
    }

    /// Stores a value in a fixed place; an input is drawn right there.
    pub(super) fn store(
        &mut self,
        place: Place,
        ty: super::super::types::Scalar,
        value: &Expr<'a>,
        what: StepKind,
        span: Span,
    ) {
        let mut pending = Pending::default();
        let draw = self.draw_of(value, &mut pending);
        let new = match draw {
            Some(draw) if self.draws_directly(&draw, ty) => {
                pending.inputs.push(Self::input_into(draw, place, value.span));
                return self.builder.advance(StepKind::Input, span, pending, Effect::SKIP);
            }
            Some(draw) => self.drawn(draw, value.span, &mut pending),
            None => self.value(value, &mut pending),
        };
        let effect = Effect::Assign(vec![(place, convert(new, ty, self.integers))]);
        self.builder.advance(what, span, pending, effect);
    }

    fn call_statement(&mut self, name: &'a str, name_span: Span, arguments: &[Expr<'a>], span: Span) {
        match self.callee(name) {
            Callee::User(id) => {
                self.call(name, id, arguments, span, Use::Nothing);
            }
            Callee::Scan { skipped } => self.scan(name, arguments.get(skipped..).unwrap_or(&[]), span),
            Callee::Quiet { skipped } => self.quiet(arguments.get(skipped..).unwrap_or(&[]), span),
            Callee::Assert => {
                self.check(name, arguments, span, StepKind::Assert, Effect::Fail(FailKind::Assertion))
            }
            Callee::Assume => self.check(name, arguments, span, StepKind::Assume, Effect::Discard),
            Callee::Tick => {
                if !arguments.is_empty() {
                    self.error(span, "`tick` takes no arguments");
                }
                self.builder.tick(span);
            }
            Callee::Error => {
                self.builder.end(
                    StepKind::Assert,
                    span,
                    Pending::default(),
                    Effect::Fail(FailKind::Assertion),
                );
            }
            Callee::Abort => {
                self.builder.end(StepKind::Return, span, Pending::default(), Effect::Fail(FailKind::Abort));
            }
            Callee::Exit => {
                let mut pending = Pending::default();
                for argument in arguments {
                    self.value(argument, &mut pending);
                }
                self.builder.end(StepKind::Return, span, pending, Effect::Stop);
            }
            Callee::Opaque(ty) => {
                self.opaque(name, ty.unwrap_or(INT), arguments, span);
            }
            Callee::Nondet(_) | Callee::Missing | Callee::Unsupported => {
                let mut pending = Pending::default();
                self.call_value(name, name_span, arguments, span, &mut pending);
                self.skip_step(span, pending);
            }
        }
    }

    /// `assert` and `assume`: on, or away.
    fn check(&mut self, name: &str, arguments: &[Expr<'a>], span: Span, what: StepKind, violated: Effect) {
        let [condition] = arguments else {
            return self.error(span, format!("`{name}` takes 1 argument"));
        };
        let mut pending = Pending::default();
        let cond = self.condition(condition, &mut pending);
        let after = self.builder.point();
        let ways = [(Effect::SKIP, after), (violated, super::FunctionBuilder::EXIT)];
        self.builder.split(what, span, pending, cond, ways);
        self.builder.current = after;
    }

    /// One step that reads all its targets.
    fn scan(&mut self, name: &str, arguments: &[Expr<'a>], span: Span) {
        let mut pending = Pending::default();
        let mut targets = Vec::new();
        for argument in arguments {
            let target = match &argument.kind {
                ExprKind::Text => continue,
                ExprKind::Address(inner) => inner,
                _ => argument,
            };
            targets.push((self.place(target, &mut pending), argument.span));
        }
        if targets.is_empty() {
            self.error(span, format!("`{name}` needs a variable to read into"));
        }
        let mut writes = Vec::new();
        for (target, span) in targets {
            let Some(target) = target else { continue };
            // A step that fails changes nothing, so it may draw only into temporaries.
            let place = if target.is_fixed() && !pending.can_fail() {
                target.place
            } else {
                let copy = self.temporary(target.ty, span);
                writes.push((target.place, arith::read(copy.clone())));
                copy
            };
            pending.inputs.push(Input { place, source: InputSource::Type, span });
        }
        self.builder.advance(StepKind::Input, span, pending, Effect::Assign(writes));
    }

    /// Output: the arguments are evaluated, nothing else happens.
    fn quiet(&mut self, arguments: &[Expr<'a>], span: Span) {
        let mut pending = Pending::default();
        for argument in arguments {
            if !matches!(argument.kind, ExprKind::Text) {
                self.effect_before(argument, &mut pending);
            }
        }
        self.skip_step(span, pending);
    }
}
