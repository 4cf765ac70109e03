//! Statements: control flow, and expressions for their effect.

use kleene_domains::expr::CompareOp;
use kleene_domains::int::Int;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::super::arith;
use super::super::super::build::{Exit, Pending, Point};
use super::super::ast::{Expr, For, Mark, Statement, StatementKind};
use super::super::types::{Scalar, convert};
use super::{Jumps, Label, Lowerer};
use crate::ir::{Cond, Effect, StepKind};
use crate::source::Span;

impl<'a> Lowerer<'a, '_> {
    pub(super) fn block(&mut self, statements: &[Statement<'a>]) {
        self.scopes.push(FxHashMap::default());
        for statement in statements {
            self.statement(statement);
        }
        self.scopes.pop();
    }

    pub(super) fn statement(&mut self, statement: &Statement<'a>) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Empty => {}
            StatementKind::Expression(expr) => self.effect(expr),
            StatementKind::Declaration(declaration) => self.local_declaration(declaration),
            StatementKind::Block(statements) => self.block(statements),
            StatementKind::If { arms, otherwise } => self.if_chain(arms, otherwise.as_deref(), span),
            StatementKind::While { condition, body } => self.while_loop(condition, body, span),
            StatementKind::DoWhile { body, condition } => self.do_loop(body, condition, span),
            StatementKind::For(head) => self.for_loop(head, span),
            StatementKind::Break => match self.jumps.last() {
                Some(Jumps { outside, .. }) => {
                    let outside = *outside;
                    self.builder.jump(outside, span);
                }
                None => self.error(span, "`break` outside of a loop"),
            },
            StatementKind::Continue => match self.jumps.iter().rev().find_map(|jumps| jumps.again) {
                Some(again) => self.builder.jump(again, span),
                None => self.error(span, "`continue` outside of a loop"),
            },
            StatementKind::Return(value) => self.return_statement(value.as_ref(), span),
            StatementKind::Goto(name, name_span) => {
                let point = self.label_point(name, *name_span);
                self.builder.jump(point, span);
            }
            StatementKind::Switch { value, body } => self.switch(value, body, span),
            StatementKind::Marked(marks, body) => {
                for mark in marks {
                    self.mark(mark);
                }
                self.statement(body);
            }
        }
    }

    /// A statement with a scope of its own even without braces.
    fn body(&mut self, statement: &Statement<'a>) {
        self.block(std::slice::from_ref(statement));
    }

    fn if_chain(
        &mut self,
        arms: &[(Expr<'a>, Statement<'a>)],
        otherwise: Option<&Statement<'a>>,
        span: Span,
    ) {
        let after = self.builder.point();
        for (condition, body) in arms {
            let [yes, no] = [self.builder.point(), self.builder.point()];
            self.branch(condition, yes, no);
            self.builder.current = yes;
            self.body(body);
            self.builder.join(after, span);
            self.builder.current = no;
        }
        if let Some(body) = otherwise {
            self.body(body);
        }
        self.builder.join(after, span);
    }

    /// Remembers an outermost loop, one of which may be the system's main loop.
    fn enter_loop(&mut self, outside: Point, again: Point, condition: Option<&Expr<'a>>) {
        let endless =
            condition.is_none_or(|condition| self.constant(condition).is_some_and(|value| !value.is_zero()));
        if self.jumps.iter().all(|jumps| jumps.again.is_none()) {
            self.main_loops.push((self.builder.current, endless));
        }
        self.jumps.push(Jumps { outside, again: Some(again) });
    }

    fn while_loop(&mut self, condition: &Expr<'a>, body: &Statement<'a>, span: Span) {
        let head = self.builder.current;
        let [inside, after] = [self.builder.point(), self.builder.point()];
        self.enter_loop(after, head, Some(condition));
        self.branch(condition, inside, after);
        self.builder.current = inside;
        self.body(body);
        self.builder.join(head, span);
        self.jumps.pop();
        self.builder.current = after;
    }

    fn do_loop(&mut self, body: &Statement<'a>, condition: &Expr<'a>, span: Span) {
        let head = self.builder.current;
        let [test, after] = [self.builder.point(), self.builder.point()];
        self.enter_loop(after, test, Some(condition));
        self.body(body);
        self.builder.join(test, span);
        self.branch(condition, head, after);
        self.jumps.pop();
        self.builder.current = after;
    }

    fn for_loop(&mut self, parts: &For<'a>, span: Span) {
        self.scopes.push(FxHashMap::default());
        if let Some(start) = &parts.start {
            self.statement(start);
        }
        let head = self.builder.current;
        let [again, after] = [self.builder.point(), self.builder.point()];
        self.enter_loop(after, again, parts.condition.as_ref());
        if let Some(condition) = &parts.condition {
            let inside = self.builder.point();
            self.branch(condition, inside, after);
            self.builder.current = inside;
        }
        self.body(&parts.body);
        self.builder.join(again, span);
        if let Some(step) = &parts.step {
            self.effect(step);
        }
        self.builder.join(head, span);
        self.jumps.pop();
        self.scopes.pop();
        self.builder.current = after;
    }

    fn return_statement(&mut self, value: Option<&Expr<'a>>, span: Span) {
        let mut pending = Pending::default();
        let result = match (value, self.result) {
            (None, None) => None,
            (Some(value), Some(ty)) => {
                let value = self.value(value, &mut pending);
                Some(convert(value, ty, self.integers))
            }
            (Some(value), None) => {
                self.error(value.span, "a `void` function returns no value");
                None
            }
            (None, Some(_)) => {
                self.error(span, "`return` needs a value here");
                None
            }
        };
        self.builder.end(StepKind::Return, span, pending, Effect::Return(result));
    }

    fn label_point(&mut self, name: &'a str, used: Span) -> Point {
        let builder = &mut self.builder;
        self.labels.entry(name).or_insert_with(|| Label { point: builder.point(), defined: None, used }).point
    }

    fn mark(&mut self, mark: &Mark<'a>) {
        match mark {
            Mark::Label(name, span) => {
                let point = self.label_point(name, *span);
                let twice = match self.labels.get_mut(name) {
                    Some(label) => label.defined.replace(*span).is_some(),
                    None => false,
                };
                if twice {
                    return self.error(*span, format!("the label `{name}` stands twice in this function"));
                }
                self.builder.join(point, *span);
                self.builder.label(name);
            }
            Mark::Case(_, span) | Mark::Default(span) => match self.cases.remove(span) {
                Some(point) => self.builder.join(point, *span),
                None => self.error(*span, "this `case` or `default` belongs to no `switch`"),
            },
        }
    }

    fn switch(&mut self, value: &Expr<'a>, body: &Statement<'a>, span: Span) {
        let mut pending = Pending::default();
        let subject = self.value(value, &mut pending);
        let ty = subject.ty.promoted();
        let subject = convert(subject, Scalar::Int(ty), self.integers);
        let after = self.builder.point();
        let mut marks = Vec::new();
        collect_marks(body, &mut marks);
        let mut exits = Vec::new();
        let mut other = (Cond::Literal(true), after, span);
        let mut seen: FxHashSet<Int> = FxHashSet::default();
        let mut has_default = false;
        for mark in marks {
            let point = self.builder.point();
            match mark {
                Mark::Default(span) => {
                    (other.1, other.2) = (point, *span);
                    self.cases.insert(*span, point);
                    if std::mem::replace(&mut has_default, true) {
                        self.error(*span, "a second `default` in one `switch`");
                    }
                }
                Mark::Case(label, span) => {
                    self.cases.insert(*span, point);
                    let Some(label_value) = self.constant(label) else {
                        self.error(label.span, "a `case` needs a constant");
                        continue;
                    };
                    if !seen.insert(label_value.clone()) {
                        self.error(label.span, format!("`case {label_value}` stands twice in one `switch`"));
                    }
                    let label_value = arith::constant(label_value);
                    let guard = arith::compare(CompareOp::Equal, subject.clone(), label_value);
                    other.0 = other.0.and(arith::not(guard.clone()));
                    exits.push(Exit { guard, effect: Effect::SKIP, target: point, span: *span });
                }
                Mark::Label(..) => {}
            }
        }
        exits.push(Exit { guard: other.0, effect: Effect::SKIP, target: other.1, span: other.2 });
        self.builder.step(StepKind::Condition, value.span, pending, exits);
        self.builder.current = self.builder.point();
        self.jumps.push(Jumps { outside: after, again: None });
        self.body(body);
        self.jumps.pop();
        self.builder.join(after, span);
    }
}

/// The cases of a switch, not those of switches inside it.
fn collect_marks<'s, 'a>(statement: &'s Statement<'a>, out: &mut Vec<&'s Mark<'a>>) {
    match &statement.kind {
        StatementKind::Block(statements) => {
            statements.iter().for_each(|statement| collect_marks(statement, out))
        }
        StatementKind::If { arms, otherwise } => {
            arms.iter().for_each(|(_, body)| collect_marks(body, out));
            otherwise.iter().for_each(|body| collect_marks(body, out));
        }
        StatementKind::While { body, .. } | StatementKind::DoWhile { body, .. } => collect_marks(body, out),
        StatementKind::For(parts) => collect_marks(&parts.body, out),
        StatementKind::Marked(marks, body) => {
            out.extend(marks.iter().filter(|mark| !matches!(mark, Mark::Label(..))));
            collect_marks(body, out);
        }
        _ => {}
    }
}
