//! Statements of the slice.
//!
//! Steps are those of C-: a `let`, an assignment, a condition, a call, a return, a macro without
//! effect. `if` as the value of a `let`, an assignment or a function is control flow: a condition step,
//! then the step that uses the value, once per branch.

use rustc_hash::FxHashMap;
use syn::{Expr, Stmt};

use super::super::arith;
use super::super::build::{Pending, Point};
use super::call::Use;
use super::lower::{Loop, Lowerer, Lowering};
use super::types::{Ty, Value};
use crate::ir::{Effect, Input, InputSource, Place, StepKind, VariableKind};
use crate::source::Span;

/// Where the value of a block goes.
#[derive(Clone)]
pub(super) enum Goal {
    /// Nowhere: a statement.
    Nothing,
    Return,
    Store(Place, Ty, StepKind),
}

impl Lowerer<'_> {
    /// The statements of a block; its last value goes to `goal`.
    pub(super) fn block(&mut self, block: &syn::Block, goal: &Goal) {
        self.scopes.push(FxHashMap::default());
        let count = block.stmts.len();
        for (index, statement) in block.stmts.iter().enumerate() {
            let last = index + 1 == count;
            let _ = match statement {
                Stmt::Expr(expr, None) if last => self.deliver(expr, goal),
                Stmt::Expr(expr, _) => self.deliver(expr, &Goal::Nothing),
                Stmt::Local(local) => self.local(local),
                Stmt::Macro(statement) => {
                    let span = self.places.of(statement);
                    self.macro_statement(&statement.mac, span)
                }
                Stmt::Item(item) => self.unsupported(item, "items inside functions"),
            };
        }
        self.scopes.pop();
    }

    fn local(&mut self, local: &syn::Local) -> Lowering<()> {
        let span = self.places.of(local);
        let (pat, declared) = match &local.pat {
            syn::Pat::Type(typed) => match Ty::of(&typed.ty) {
                Some(ty) => (&*typed.pat, Some(ty)),
                None => return self.unsupported(&*typed.ty, "this type"),
            },
            other => (other, None),
        };
        let init = match &local.init {
            Some(init) if init.diverge.is_some() => return self.unsupported(local, "`let … else`"),
            init => init.as_ref().map(|init| &*init.expr),
        };
        let name = match pat {
            syn::Pat::Ident(ident) if ident.subpat.is_none() && ident.by_ref.is_none() => {
                ident.ident.to_string()
            }
            syn::Pat::Wild(_) => return init.map_or(Ok(()), |init| self.discard(init, declared, span)),
            other => return self.unsupported(other, "patterns"),
        };
        let Some(ty) = declared.or_else(|| init.and_then(|init| self.type_of(init))) else {
            return self.refuse(span, format!("type needed: write `let {name}: …`"));
        };
        let variable = self.builder.local(&name, ty.stored(), VariableKind::Local, self.places.of(pat));
        let place = Place::variable(variable);
        match init {
            None => {
                let input = Input { place, source: InputSource::Type, span };
                self.builder.advance(StepKind::Declaration, span, Pending::drawing(input), Effect::SKIP);
            }
            Some(init) => {
                let lowered = self.initialise(place, ty, init, span);
                // Known even after a mistake, so that its uses are not mistakes too.
                self.bind(name, variable, ty);
                return lowered;
            }
        }
        self.bind(name, variable, ty);
        Ok(())
    }

    fn initialise(&mut self, place: Place, ty: Ty, init: &Expr, span: Span) -> Lowering<()> {
        if matches!(init, Expr::If(_) | Expr::Block(_)) {
            return self.deliver(init, &Goal::Store(place, ty, StepKind::Declaration));
        }
        let mut pending = Pending::default();
        let value = self.value(init, Some(ty), &mut pending)?;
        let effect = Effect::Assign(vec![(place, value.expr)]);
        self.builder.advance(StepKind::Declaration, span, pending, effect);
        Ok(())
    }

    /// A value that nobody reads: only its checks matter.
    pub(super) fn discard(&mut self, expr: &Expr, expected: Option<Ty>, span: Span) -> Lowering<()> {
        let mut pending = Pending::default();
        let expected = expected.or_else(|| self.type_of(expr));
        self.value(expr, expected, &mut pending)?;
        self.builder.advance(StepKind::Skip, span, pending, Effect::SKIP);
        Ok(())
    }

    /// Lowers an expression whose value goes to `goal`, as control flow where it is that.
    fn deliver(&mut self, expr: &Expr, goal: &Goal) -> Lowering<()> {
        match expr {
            Expr::Paren(inner) => self.deliver(&inner.expr, goal),
            Expr::Block(block) if block.label.is_none() => {
                self.block(&block.block, goal);
                Ok(())
            }
            Expr::If(_) => self.if_chain(expr, goal),
            Expr::While(inner) => self.while_loop(inner),
            Expr::Loop(inner) => self.endless_loop(inner),
            Expr::Break(inner) if inner.expr.is_some() => self.unsupported(inner, "`break` with a value"),
            Expr::Break(inner) => self.jump(inner.label.as_ref(), expr, |target| target.outside),
            Expr::Continue(inner) => self.jump(inner.label.as_ref(), expr, |target| target.again),
            Expr::Return(inner) => self.return_expression(inner),
            Expr::Assign(inner) => self.assign(inner),
            Expr::Binary(inner) if self.compound(&inner.op).is_some() => self.compound_assign(inner),
            Expr::Macro(inner) if !matches!(goal, Goal::Store(..)) => {
                let span = self.places.of(inner);
                self.macro_statement(&inner.mac, span)
            }
            _ => self.plain(expr, goal),
        }
    }

    fn plain(&mut self, expr: &Expr, goal: &Goal) -> Lowering<()> {
        let span = self.places.of(expr);
        let mut pending = Pending::default();
        match (goal, expr) {
            (Goal::Nothing, Expr::Call(call)) => self.call(call, Use::Nothing, &mut pending).map(|_| ()),
            (Goal::Nothing, Expr::Tuple(unit)) if unit.elems.is_empty() => Ok(()),
            (Goal::Nothing, _) => self.discard(expr, None, span),
            (Goal::Return, _) => {
                let value = self.value(expr, self.result, &mut pending)?;
                self.builder.end(StepKind::Return, span, pending, Effect::Return(Some(value.expr)));
                Ok(())
            }
            (Goal::Store(place, ty, what), _) => {
                let value = self.value(expr, Some(*ty), &mut pending)?;
                let effect = Effect::Assign(vec![(place.clone(), value.expr)]);
                self.builder.advance(*what, span, pending, effect);
                Ok(())
            }
        }
    }

    /// An `if … else if …` chain, walked in a loop since it may be long.
    fn if_chain(&mut self, chain: &Expr, goal: &Goal) -> Lowering<()> {
        let after = self.builder.point();
        let mut at = chain;
        while let Expr::If(arm) = at {
            let span = self.places.of(&arm.if_token);
            let [yes, no] = [self.builder.point(), self.builder.point()];
            self.branch(&arm.cond, yes, no)?;
            self.builder.current = yes;
            self.block(&arm.then_branch, goal);
            self.builder.join(after, span);
            self.builder.current = no;
            match &arm.else_branch {
                Some((_, next)) => at = next,
                None if matches!(goal, Goal::Nothing) => return self.finish_chain(after, span),
                None => return self.refuse(span, "an `if` with a value needs an `else`"),
            }
        }
        let span = self.places.of(chain);
        self.deliver(at, goal)?;
        self.finish_chain(after, span)
    }

    fn finish_chain(&mut self, after: Point, span: Span) -> Lowering<()> {
        self.builder.join(after, span);
        Ok(())
    }

    fn enter_loop(&mut self, label: Option<&syn::Label>, outside: Point, again: Point, endless: bool) {
        let label = label.map(|label| label.name.ident.to_string());
        if let Some(label) = &label {
            self.builder.label(label);
        }
        if self.loops.is_empty() {
            self.main_loops.push((self.builder.current, endless));
        }
        self.loops.push(Loop { label, outside, again });
    }

    fn while_loop(&mut self, inner: &syn::ExprWhile) -> Lowering<()> {
        let span = self.places.of(&inner.while_token);
        let head = self.builder.current;
        let [inside, after] = [self.builder.point(), self.builder.point()];
        let endless = matches!(&*inner.cond, Expr::Lit(lit) if matches!(&lit.lit, syn::Lit::Bool(value) if value.value));
        self.enter_loop(inner.label.as_ref(), after, head, endless);
        let condition = self.branch(&inner.cond, inside, after);
        if condition.is_ok() {
            self.builder.current = inside;
            self.block(&inner.body, &Goal::Nothing);
            self.builder.join(head, span);
            self.builder.current = after;
        }
        self.loops.pop();
        condition
    }

    fn endless_loop(&mut self, inner: &syn::ExprLoop) -> Lowering<()> {
        let span = self.places.of(&inner.loop_token);
        let head = self.builder.current;
        let after = self.builder.point();
        self.enter_loop(inner.label.as_ref(), after, head, true);
        self.block(&inner.body, &Goal::Nothing);
        self.builder.join(head, span);
        self.loops.pop();
        self.builder.current = after;
        Ok(())
    }

    fn jump(
        &mut self,
        label: Option<&syn::Lifetime>,
        expr: &Expr,
        to: impl Fn(&Loop) -> Point,
    ) -> Lowering<()> {
        let span = self.places.of(expr);
        let wanted = label.map(|label| label.ident.to_string());
        let target = self.loops.iter().rev().find(|target| wanted.is_none() || target.label == wanted);
        match target.map(to) {
            Some(point) => {
                self.builder.jump(point, span);
                Ok(())
            }
            None => self.refuse(span, "there is no such loop around this"),
        }
    }

    fn return_expression(&mut self, inner: &syn::ExprReturn) -> Lowering<()> {
        let span = self.places.of(inner);
        let mut pending = Pending::default();
        let value = match (&inner.expr, self.result) {
            (None, None) => None,
            (Some(expr), Some(ty)) => Some(self.value(expr, Some(ty), &mut pending)?.expr),
            _ => return self.refuse(span, "this `return` does not fit the function's type"),
        };
        self.builder.end(StepKind::Return, span, pending, Effect::Return(value));
        Ok(())
    }

    fn assign(&mut self, inner: &syn::ExprAssign) -> Lowering<()> {
        let (place, ty) = self.target(&inner.left)?;
        match &*inner.right {
            Expr::If(_) | Expr::Block(_) => {
                self.deliver(&inner.right, &Goal::Store(place, ty, StepKind::Assignment))
            }
            right => {
                let mut pending = Pending::default();
                let value = self.value(right, Some(ty), &mut pending)?;
                let span = self.places.of(inner);
                let effect = Effect::Assign(vec![(place, value.expr)]);
                self.builder.advance(StepKind::Assignment, span, pending, effect);
                Ok(())
            }
        }
    }

    fn compound_assign(&mut self, inner: &syn::ExprBinary) -> Lowering<()> {
        let span = self.places.of(inner);
        let Some(op) = self.compound(&inner.op) else { return self.unsupported(&inner.op, "this operator") };
        let (place, ty) = self.target(&inner.left)?;
        let mut pending = Pending::default();
        let right = self.value(&inner.right, Some(ty), &mut pending)?;
        let left = Value { expr: arith::read(place.clone()), ty };
        let value = self.arithmetic(op, left, right, span, &mut pending)?;
        let effect = Effect::Assign(vec![(place, value.expr)]);
        self.builder.advance(StepKind::Assignment, span, pending, effect);
        Ok(())
    }

    fn target(&mut self, expr: &Expr) -> Lowering<(Place, Ty)> {
        let name = match expr {
            Expr::Path(path) if path.qself.is_none() => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        let Some(name) = name else { return self.unsupported(expr, "assignment to anything but a variable") };
        match self.lookup(&name) {
            Some((variable, ty)) => Ok((Place::variable(variable), ty)),
            None => {
                let span = self.places.of(expr);
                self.refuse(span, format!("`{name}` is not a variable of this function"))
            }
        }
    }
}
