//! Statements and control flow.

use super::super::super::arith;
use super::super::glue::Glue;
use super::super::hir::{AdtId, ExprId, ExprKind, Operator, PatId, PatKind, Statement};
use super::super::items::Field;
use super::super::types::Ty;
use super::steps::{Goal, Lowerer, Returning, Target};
use super::value::{Spot, Value};
use crate::ir::{Effect, StepKind};
use crate::source::Span;

impl Lowerer<'_, '_, '_> {
    /// Evaluates an expression; its value goes to `goal`.
    pub fn run(&mut self, id: ExprId, goal: &Goal) {
        let body = self.frame.body;
        let span = self.span(id);
        match &body.expr(id).kind {
            ExprKind::Block { statements, tail, labelled } => {
                if body.constants.contains(&id) {
                    self.note_if_failing(id);
                }
                self.block(id, statements, *tail, *labelled, goal)
            }
            ExprKind::If { cond, then, otherwise } => {
                let (yes, no, after) = (self.builder.point(), self.builder.point(), self.builder.point());
                self.branch(*cond, yes, no);
                self.builder.current = yes;
                self.run(*then, &goal.inner());
                self.join(after, span);
                self.builder.current = no;
                match otherwise {
                    Some(otherwise) => self.run(*otherwise, &goal.inner()),
                    None => self.deliver(&Value::unit(), goal, span),
                }
                self.join(after, span);
                self.builder.current = after;
            }
            ExprKind::Match(scrutinee, arms) => self.matching(*scrutinee, arms, goal, span),
            ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } => {
                self.looping(id, goal, span)
            }
            ExprKind::Break(target, value) => self.breaking(*target, *value, span),
            ExprKind::Continue(target) => {
                let target = self.frame.targets.get(target);
                if let Some((again, depth)) = target.and_then(|target| Some((target.again?, target.scopes))) {
                    self.leave_scopes(depth, span);
                    self.flush(span);
                    self.builder.jump(again, span);
                }
                self.dead();
            }
            ExprKind::Return(value) => {
                let scopes = self.frame.scopes.clone();
                self.give_back(id);
                match value {
                    Some(value) => self.run(*value, &Goal::Return),
                    None => self.return_value(&Value::unit(), span),
                }
                // Other ways still have what was given back.
                self.frame.scopes = scopes;
                self.dead();
            }
            ExprKind::Assign(left, right) => {
                self.assign(*left, *right, span);
                self.deliver(&Value::unit(), goal, span);
            }
            ExprKind::Update(..) if self.is_overloaded(id) => {
                self.call(id, &Ty::UNIT, span);
                self.deliver(&Value::unit(), goal, span);
            }
            ExprKind::Update(operator, left, right) => {
                self.update(*operator, *left, *right, span);
                self.deliver(&Value::unit(), goal, span);
            }
            ExprKind::Assert(_)
            | ExprKind::AssertCompare { .. }
            | ExprKind::Panic(_)
            | ExprKind::Format { .. }
            | ExprKind::Assume(_) => {
                self.assertion(id, goal, span);
            }
            ExprKind::Let(..) => {
                let (yes, no) = (self.builder.point(), self.builder.point());
                self.branch(id, yes, no);
                self.truth_goal(goal, yes, no, span);
            }
            ExprKind::Lazy(..) if self.needs_steps(id) => match goal {
                Goal::Branch(yes, no) => self.branch(id, *yes, *no),
                _ => {
                    let (yes, no) = (self.builder.point(), self.builder.point());
                    self.branch(id, yes, no);
                    self.truth_goal(goal, yes, no, span);
                }
            },
            _ => match goal {
                Goal::Branch(yes, no) => self.branch_value(id, *yes, *no, span),
                _ => {
                    let value = match goal {
                        Goal::Nothing => self.effect(id),
                        _ => self.value(id),
                    };
                    self.deliver(&value, goal, span);
                }
            },
        }
    }

    fn branch_value(
        &mut self,
        id: ExprId,
        yes: super::super::super::build::Point,
        no: super::super::super::build::Point,
        span: Span,
    ) {
        let cond = self.cond(id);
        self.split(span, cond, yes, no);
    }

    /// An expression whose value nobody wants.
    fn effect(&mut self, id: ExprId) -> Value {
        match &self.frame.body.expr(id).kind {
            ExprKind::Local(_) | ExprKind::Path(_) if !self.frame.ends.loose.contains(&id) => Value::unit(),
            _ => self.value(id),
        }
    }

    /// True at `yes`, false at `no`, both to the goal.
    fn truth_goal(
        &mut self,
        goal: &Goal,
        yes: super::super::super::build::Point,
        no: super::super::super::build::Point,
        span: Span,
    ) {
        if let Goal::Branch(wanted, other) = goal {
            self.builder.current = yes;
            self.builder.jump(*wanted, span);
            self.builder.current = no;
            self.builder.jump(*other, span);
            self.dead();
            return;
        }
        let after = self.builder.point();
        for (point, value) in [(yes, 1), (no, 0)] {
            self.builder.current = point;
            self.deliver(&Value::scalar(Ty::Bool, arith::constant(value)), &goal.inner(), span);
            self.join(after, span);
        }
        self.builder.current = after;
    }

    pub fn join(&mut self, after: super::super::super::build::Point, span: Span) {
        self.flush(span);
        self.builder.join(after, span);
    }

    /// Brings a value to its goal.
    pub fn deliver(&mut self, value: &Value, goal: &Goal, span: Span) {
        match goal {
            Goal::Nothing => self.flush(span),
            Goal::Store(spot, what, at) => {
                let at = at.unwrap_or(span);
                if value.ty == Ty::Never {
                    return self.flush(span);
                }
                self.store(spot, value, *what, at);
            }
            Goal::Return => self.return_value(value, span),
            Goal::Branch(yes, no) => {
                let cond = self.truth(value, span);
                self.split(span, cond, *yes, *no);
            }
        }
    }

    fn block(
        &mut self,
        id: ExprId,
        statements: &[Statement],
        tail: Option<ExprId>,
        labelled: bool,
        goal: &Goal,
    ) {
        let span = self.span(id);
        let outside = self.builder.point();
        let goal = match (labelled, goal) {
            // A labelled block is left with a value: it needs a place of its own.
            (true, Goal::Return | Goal::Branch(..)) => {
                let ty = self.ty(id);
                let spot = self.temporary(&ty, span);
                self.block(
                    id,
                    statements,
                    tail,
                    true,
                    &Goal::Store(spot.clone(), StepKind::Assignment, None),
                );
                let value = self.read(&spot, span);
                return self.deliver(&value, goal, span);
            }
            // What ends with the block ends before anything follows from its value.
            (false, Goal::Branch(..)) if self.frame.ends.blocks.contains(&id) => {
                let ty = self.ty(id);
                let spot = self.temporary(&ty, span);
                let store = Goal::Store(spot.clone(), StepKind::Assignment, None);
                self.block(id, statements, tail, false, &store);
                let value = self.read(&spot, span);
                return self.deliver(&value, goal, span);
            }
            (_, goal) => goal.clone(),
        };
        let depth = self.frame.scopes.len();
        self.open_scope();
        if labelled {
            let value = match &goal {
                Goal::Store(spot, ..) => Some(spot.clone()),
                _ => None,
            };
            self.frame.targets.insert(id, Target { outside, again: None, value, scopes: depth });
        }
        for statement in statements {
            self.statement(statement);
        }
        match tail {
            Some(tail) => self.run(tail, &if labelled { goal.inner() } else { goal }),
            None => {
                let unit = if self.ty(id) == Ty::Never { Value::empty(Ty::Never) } else { Value::unit() };
                // The end of a block stands at its last statement's end, not at its beginning.
                let end = Span { start: span.end.saturating_sub(1), ..span };
                self.deliver(&unit, &goal, self.here(end));
            }
        }
        let end = Span { start: span.end.saturating_sub(1), ..span };
        self.close_scope(self.here(end));
        if labelled {
            self.join(outside, span);
            self.builder.current = outside;
        }
    }

    pub fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expr(id) => self.run(*id, &Goal::Nothing),
            Statement::Let { pat, init, otherwise, span, .. } => {
                let span = self.here(span.0);
                match (init, otherwise) {
                    (None, _) => self.declare(*pat, span),
                    (Some(init), None) => self.let_plain(*pat, *init, span),
                    (Some(init), Some(otherwise)) => {
                        let (yes, no) = (self.builder.point(), self.builder.point());
                        self.let_condition(*pat, *init, yes, no, span);
                        self.builder.current = no;
                        self.run(*otherwise, &Goal::Nothing);
                        self.dead();
                        self.builder.current = yes;
                    }
                }
            }
        }
    }

    /// `let x;`: the variable exists; Rust makes sure that it is written before it is read.
    fn declare(&mut self, pat: PatId, span: Span) {
        if let PatKind::Bind { local, .. } = self.frame.body.pat(pat).kind {
            self.local(local, span);
            self.begin(local);
        }
    }

    fn let_plain(&mut self, pat: PatId, init: ExprId, span: Span) {
        let body = self.frame.body;
        match &body.pat(pat).kind {
            PatKind::Bind { local, inner: None, .. } if !self.frame.typing.references.contains_key(&pat) => {
                if let Some(spot) = self.lent(init) {
                    let ty = self.frame.typing.locals[local.index()].clone();
                    self.retypes(&spot.ty, &ty);
                    let turned = self.context.is_turned(&spot.ty, &ty);
                    let spot = if turned { self.context.retyped(spot, ty) } else { spot };
                    let spot = self.with_own_ends(*local, spot, span);
                    self.frame.locals[local.index()] = Some(spot);
                    return;
                }
                let spot = self.local(*local, span);
                self.run(init, &Goal::Store(spot, StepKind::Declaration, Some(span)));
                self.loose_end(init, span);
                self.begin(*local);
            }
            PatKind::Wild => {
                // `let _ = place;` reads nothing.
                if self.is_place(init) {
                    let _ = self.spot(init);
                    return self.flush(span);
                }
                let value = self.value(init);
                let _ = value;
                self.advance(StepKind::Skip, span, Effect::SKIP);
            }
            _ => {
                let (value, spot) = self.scrutinee(init);
                self.bind_pattern(pat, &value, spot.as_ref(), StepKind::Declaration, span);
                for part in body.inside(pat) {
                    if let PatKind::Bind { local, .. } = body.pat(part).kind {
                        self.begin(local);
                    }
                }
            }
        }
    }

    /// The place behind `&mut place`, or behind another reference that is handed on: a name for it is the place.
    pub fn lent(&mut self, id: ExprId) -> Option<Spot> {
        use super::super::hir::Mutability::Mutable;
        match (&self.frame.body.expr(id).kind, self.ty(id)) {
            (ExprKind::Reference(Mutable, inner), ty) if self.is_place(*inner) => {
                let span = self.span(id);
                let spot = self.spot(*inner);
                let spot = self.settled(spot, span);
                self.flush(span);
                Some(self.context.retyped(spot, ty))
            }
            (ExprKind::Local(_), Ty::Reference(Mutable, _)) => {
                let spot = self.spot(id);
                Some(spot)
            }
            (ExprKind::Method { .. }, _) if self.is_place(id) => {
                let span = self.span(id);
                let spot = self.spot(id);
                let spot = self.settled(spot, span);
                self.flush(span);
                Some(spot)
            }
            _ => None,
        }
    }

    pub fn is_place(&self, id: ExprId) -> bool {
        match &self.frame.body.expr(id).kind {
            _ if self.frame.typing.is_called_behind(id) => false,
            ExprKind::Local(_) => true,
            ExprKind::Deref(inner) if self.is_pointer(*inner) => false,
            ExprKind::Field(inner, _) | ExprKind::Deref(inner) | ExprKind::Index(inner, _) => {
                self.is_place(*inner)
            }
            ExprKind::Method { receiver, .. } => {
                self.frame.typing.reborrows.contains(&id) && self.is_place(*receiver)
            }
            _ => false,
        }
    }

    fn assign(&mut self, left: ExprId, right: ExprId, span: Span) {
        let body = self.frame.body;
        match &body.expr(left).kind {
            ExprKind::Underscore if self.context.glue(&self.ty(right)) == Glue::Nothing => {
                self.run(right, &Goal::Nothing);
            }
            // Places stay as they are; a value ends here.
            ExprKind::Underscore if self.is_place(right) => {
                let _ = self.spot(right);
                self.flush(span);
            }
            ExprKind::Underscore => {
                let value = self.value(right);
                let spot = self.placed(&value, span);
                self.end_of(&spot, span);
            }
            ExprKind::Local(local) => {
                let spot = self.spot(left);
                if self.context.glue(&spot.ty) != Glue::Nothing {
                    let value = self.value(right);
                    let value = self.keep(value, span);
                    self.replaced(Some(*local), &spot, span);
                    return self.store(&spot, &value, StepKind::Assignment, span);
                }
                if self.set_ends(*local, &spot, right, span) {
                    return;
                }
                self.run(right, &Goal::Store(spot, StepKind::Assignment, Some(span)));
            }
            _ if body.taking_apart(left).is_some() => {
                let value = self.value(right);
                let value = self.keep(value, span);
                // What no place takes ends here, too.
                self.unnamed_end(&value.ty, span);
                self.take_apart(left, Some(&value), span);
            }
            _ => {
                // The value first, then the place.
                let value = self.value(right);
                self.open_scope();
                let value = self.hold(right, value, span);
                let value = if self.needs_steps(left) { self.keep(value, span) } else { value };
                let spot = self.spot(left);
                self.hand_over();
                if self.context.glue(&spot.ty) != Glue::Nothing {
                    let value = self.keep(value, span);
                    let spot = self.settled(spot, span);
                    self.replaced(None, &spot, span);
                    return self.store(&spot, &value, StepKind::Assignment, span);
                }
                self.store(&spot, &value, StepKind::Assignment, span);
            }
        }
    }

    /// Stores the parts of a value where the left of an assignment says, one after the other.
    fn take_apart(&mut self, left: ExprId, value: Option<&Value>, span: Span) {
        let body = self.frame.body;
        let Some(places) = body.taking_apart(left) else {
            if is_skipped(&body.expr(left).kind) {
                return;
            }
            let ty = self.ty(left);
            let spot = self.spot(left);
            if self.context.glue(&spot.ty) != Glue::Nothing {
                self.unsure_end(&ty, span);
            }
            let part = match value {
                Some(part) => part.clone(),
                None => self.unseen_value(&ty, "a part of an assignment", span),
            };
            return self.store(&spot, &part, StepKind::Assignment, span);
        };
        // `..` says nothing about how many parts it stands for.
        let skips = places.iter().any(|place| matches!(body.expr(*place).kind, ExprKind::Range { .. }));
        for (index, place) in places.into_iter().enumerate() {
            let part = value.filter(|_| !skips).and_then(|value| self.assigned_part(left, index, value));
            self.take_apart(place, part.as_ref(), span);
        }
    }

    /// The part of a value that stands behind one of the places on the left of an assignment.
    fn assigned_part(&self, left: ExprId, index: usize, value: &Value) -> Option<Value> {
        let (at, own) = match (&self.frame.body.expr(left).kind, value.ty.behind()) {
            (ExprKind::Array(_), Ty::Array(..)) => return self.context.element_value(value, index as u64),
            (ExprKind::Tuple(_), Ty::Tuple(parts)) => {
                let at = parts.get(..index)?.iter().map(|part| self.context.leaf_count(part)).sum();
                (at, parts.get(index)?.clone())
            }
            (ExprKind::Struct { fields, .. }, Ty::Adt(id, arguments)) => {
                let declared = self.single_variant(*id)?;
                let field = declared.iter().position(|field| field.name == fields[index].0)?;
                self.context.field_leaves(*id, 0, field, arguments)
            }
            (ExprKind::Call(..), Ty::Adt(id, arguments)) => {
                self.single_variant(*id)?.get(index)?;
                self.context.field_leaves(*id, 0, index, arguments)
            }
            _ => return None,
        };
        self.context.value_part(value, at, own)
    }

    fn single_variant(&self, id: AdtId) -> Option<&[Field]> {
        match self.context.items.adt(id).variants.as_slice() {
            [only] => Some(&only.fields),
            _ => None,
        }
    }

    fn update(&mut self, operator: Operator, left: ExprId, right: ExprId, span: Span) {
        let primitive = |ty: &Ty| matches!(ty.behind(), Ty::Integer(_) | Ty::Bool | Ty::Float(_) | Ty::Char);
        let (left_ty, right_ty) = (self.ty(left), self.ty(right));
        if !primitive(&left_ty) || !primitive(&right_ty) {
            let spot = self.spot(left);
            self.run(right, &Goal::Nothing);
            self.lose(&right_ty);
            let left = Value::empty(left_ty);
            let _ = self.operate(operator, &left, &Value::empty(right_ty), &Ty::UNIT, span);
            self.unknown_step(&Ty::UNIT, &[spot], "an operator on values of unknown type", span);
            return;
        }
        // Primitive operands: the right one first.
        let value = self.value(right);
        let value = if self.needs_steps(left) { self.keep(value, span) } else { value };
        let spot = self.spot(left);
        let old = self.read(&spot, span);
        let new = self.operate(operator, &old, &value, &left_ty, span);
        self.store(&spot, &new, StepKind::Assignment, span);
    }

    fn breaking(&mut self, target: ExprId, value: Option<ExprId>, span: Span) {
        let found = self.frame.targets.get(&target).cloned();
        match (value, found.as_ref().and_then(|found| found.value.clone())) {
            (Some(value), Some(spot)) => self.run(value, &Goal::Store(spot, StepKind::Assignment, None)),
            (Some(value), None) => self.run(value, &Goal::Nothing),
            (None, _) => {}
        }
        if let Some(found) = found {
            self.leave_scopes(found.scopes, span);
            self.flush(span);
            self.builder.jump(found.outside, span);
        }
        self.dead();
    }

    pub fn return_value(&mut self, value: &Value, span: Span) {
        if value.ty == Ty::Never {
            self.flush(span);
            return self.dead();
        }
        let kept;
        let value = match self.frame.scopes.iter().all(Vec::is_empty) {
            true => value,
            false => {
                kept = self.keep(value.clone(), span);
                self.leave_scopes(0, span);
                &kept
            }
        };
        match self.frame.returning.clone() {
            Returning::Inline(spot, point) => {
                match self.context.leaf_count(&spot.ty) {
                    0 => self.retypes(&value.ty, &spot.ty),
                    _ => self.store(&spot, value, StepKind::Return, span),
                }
                self.flush(span);
                self.builder.jump(point, span);
            }
            Returning::Step => self.return_step(value, span),
        }
        self.dead();
    }
}

/// `_` and `..` on the left of an assignment.
fn is_skipped(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Underscore | ExprKind::Range { .. })
}
