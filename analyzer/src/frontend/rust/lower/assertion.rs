//! Assertions, panics, formatting, assumptions.

use super::super::super::arith;
use super::super::super::build::FunctionBuilder;
use super::super::hir::{ExprId, ExprKind, Formatted};
use super::super::types::Ty;
use super::steps::{Goal, Lowerer};
use super::value::Value;
use crate::ir::{Cond, Effect, FailKind, StepKind};
use crate::source::Span;
use kleene_domains::expr::CompareOp;

impl Lowerer<'_, '_, '_> {
    pub fn assertion(&mut self, id: ExprId, goal: &Goal, span: Span) {
        let body = self.frame.body;
        match &body.expr(id).kind {
            ExprKind::Assert(cond) => {
                let cond = self.whole_condition(*cond);
                self.assert(cond, span);
            }
            ExprKind::AssertCompare { equal, left, right } => {
                let op = if *equal { CompareOp::Equal } else { CompareOp::NotEqual };
                let values = self.values(&[*left, *right]);
                let cond = self.compare_values(op, &values[0], &values[1], span);
                self.assert(cond, span);
            }
            ExprKind::Panic(arguments) => {
                // What the message shows is evaluated first.
                for argument in arguments {
                    self.run(*argument, &Goal::Nothing);
                }
                let pending = self.taken();
                self.builder.end(StepKind::Assert, span, pending, Effect::Fail(FailKind::Panic));
                return self.dead();
            }
            ExprKind::Format { arguments, gives: Formatted::Line, .. } => self.line(arguments, span),
            ExprKind::Format { arguments, .. } => {
                for argument in arguments {
                    let value = self.value(*argument);
                    let _ = value;
                }
                let plain = arguments.iter().all(|argument| self.is_plain(&self.ty(*argument)));
                self.advance(StepKind::Call, span, Effect::SKIP);
                if !plain {
                    let _ = self.unknown_value(&Ty::UNIT, "how a value of this type is shown", span);
                }
                let ty = self.ty(id);
                let value = match self.context.leaf_count(&ty) {
                    0 => Value::empty(ty),
                    _ => self.unseen(&ty, span),
                };
                return self.deliver(&value, goal, span);
            }
            ExprKind::Assume(cond) => {
                let cond = self.whole_condition(*cond);
                self.assume(cond, span);
            }
            _ => {}
        }
        self.deliver(&Value::unit(), goal, span);
    }

    /// Whether no code of others makes a text of such a value, compares it or makes a hash of it.
    pub fn is_plain(&self, ty: &Ty) -> bool {
        match ty.behind() {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Str => true,
            Ty::Array(element, _) | Ty::Slice(element) => self.is_plain(element),
            Ty::Tuple(parts) => parts.iter().all(|part| self.is_plain(part)),
            Ty::Adt(id, arguments) => {
                let own = ["String", "Vec", "VecDeque", "Option", "Result"];
                own.iter().any(|name| self.context.items.is_standard(*id, name))
                    && arguments.iter().all(|argument| self.is_plain(argument))
            }
            _ => false,
        }
    }

    /// Without a logger nothing is evaluated. With one the arguments are, and code of others sees them.
    fn line(&mut self, arguments: &[ExprId], span: Span) {
        self.flush(span);
        let after = self.builder.point();
        let [without, with] = self.choose(2, span)[..] else { return };
        self.builder.current = with;
        self.unwritten += 1;
        let _ = self.unknown_value(&Ty::UNIT, "what a logger does", span);
        self.unwritten -= 1;
        arguments.iter().for_each(|argument| self.run(*argument, &Goal::Nothing));
        self.join(after, span);
        self.builder.current = without;
        self.join(after, span);
        self.builder.current = after;
    }

    /// A condition as one guard, with the steps it needs before.
    fn whole_condition(&mut self, id: ExprId) -> Cond {
        if !self.needs_steps(id) {
            return self.cond(id);
        }
        let span = self.span(id);
        let spot = self.temporary(&Ty::Bool, span);
        self.run(id, &Goal::Store(spot.clone(), StepKind::Assignment, None));
        let value = self.read(&spot, span);
        value.expr().map_or(Cond::Literal(true), |expr| arith::truth(expr.clone()))
    }

    fn assert(&mut self, cond: Cond, span: Span) {
        let after = self.builder.point();
        let pending = self.taken();
        let ways = [(Effect::SKIP, after), (Effect::Fail(FailKind::Assertion), FunctionBuilder::EXIT)];
        self.builder.split(StepKind::Assert, span, pending, cond, ways);
        self.builder.current = after;
    }
}
