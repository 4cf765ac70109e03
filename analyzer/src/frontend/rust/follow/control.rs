//! Statements and control flow.

use super::super::hir::{Arm, Binding, Body, ExprId, ExprKind, Lazy, PatId, PatKind, Statement};
use super::super::infer::Callee;
use super::super::types::Ty;
use super::marks::{ASKED, DONE, NO, YES};
use super::source::Source;
use super::value::{Place, Value};
use super::{Flow, Flowing, Follower, Frame};

impl<'f> Follower<'f, '_> {
    pub(super) fn controlled(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Value> {
        let body = frame.body;
        match &body.expr(id).kind {
            ExprKind::Block { statements, tail, .. } => {
                let ends_here = frame.ending.take() == Some(id);
                let left = self.block(frame, statements, *tail, ends_here);
                broken(left, id)
            }
            ExprKind::If { cond, then, otherwise } => self.whichever_in(frame, |this, frame| {
                let owned = frame.owned.len();
                let holds = this.holds(frame, *cond)?;
                this.decided(frame, owned, *cond)?;
                match (holds, otherwise) {
                    (true, _) => {
                        let value = this.reached(frame, id, *then);
                        this.left(frame, owned, value)
                    }
                    (false, otherwise) => {
                        this.passed(frame, owned)?;
                        let otherwise = otherwise.map(|otherwise| this.reached(frame, id, otherwise));
                        otherwise.unwrap_or_else(|| Ok(Value::unit()))
                    }
                }
            }),
            ExprKind::Match(scrutinee, arms) => self.matched(frame, id, *scrutinee, arms),
            ExprKind::Loop { body: inner, .. } => loop {
                self.count()?;
                match self.turned(frame, *inner, id)? {
                    Some(value) => return Ok(value),
                    None => continue,
                }
            },
            ExprKind::While { cond, body: inner, .. } => {
                loop {
                    self.count()?;
                    let owned = frame.owned.len();
                    let holds = self.holds(frame, *cond)?;
                    self.decided(frame, owned, *cond)?;
                    if !holds {
                        self.passed(frame, owned)?;
                        break;
                    }
                    let turned = self.turned(frame, *inner, id);
                    if let Some(value) = self.left(frame, owned, turned)? {
                        return Ok(value);
                    }
                }
                Ok(Value::unit())
            }
            ExprKind::For { pat, iterated, body: inner, .. } => {
                let mut source = self.source(frame, id, *iterated)?;
                let mut turned = None;
                if let Some((list, items)) = self.scattered_items(&source)?
                    && items.len() > 1
                {
                    return self.scattered(self.asking, &list, |this| {
                        for item in items {
                            this.mark(frame, *iterated, ASKED | YES);
                            match this.turn(frame, (*pat, *inner), item, id)? {
                                Some(_) => return Err(Flow::Stop("an order that nobody knows")),
                                None => continue,
                            }
                        }
                        this.mark(frame, *iterated, ASKED | NO);
                        Ok(Value::unit())
                    });
                }
                while turned.is_none() {
                    self.count()?;
                    let item = self.next(&mut source)?;
                    self.mark(frame, *iterated, ASKED | if item.is_some() { YES } else { NO });
                    turned = match item {
                        Some(item) => self.turn(frame, (*pat, *inner), item, id).transpose(),
                        None => Some(Ok(Value::unit())),
                    };
                }
                let turned = turned.unwrap_or_else(|| Ok(Value::unit()));
                if !matches!(turned, Err(Flow::Panic | Flow::Stop(_))) {
                    self.exhausted(&source)?;
                }
                turned
            }
            ExprKind::Break(target, value) => {
                let value = match value {
                    Some(value) => {
                        let ty = frame.typing.exprs[target.index()].clone();
                        self.fitting(frame, *value, &ty)?
                    }
                    None => Value::unit(),
                };
                Err(Flow::Break(*target, value))
            }
            ExprKind::Continue(target) => Err(Flow::Continue(*target)),
            ExprKind::Return(value) => {
                let result = frame.result.clone();
                let value = match value {
                    Some(value) => self.fitting(frame, *value, &result)?,
                    None => Value::unit(),
                };
                self.mark(frame, id, DONE);
                Err(Flow::Return(value))
            }
            ExprKind::Try(inner) => self.questioned(frame, *inner),
            _ => Err(Flow::Stop("an expression that is not followed")),
        }
    }

    /// One turn of a `for` loop; what it is left with, if it is left.
    fn turn(
        &mut self,
        frame: &mut Frame<'f>,
        (pat, inner): (PatId, ExprId),
        item: Value,
        id: ExprId,
    ) -> Flowing<Option<Value>> {
        let owned = frame.owned.len();
        let place = self.placed(item)?;
        let ty = frame.typing.pats[pat.index()].clone();
        self.owns(frame, place.slot, &ty, true);
        if !self.binds(frame, pat, &place)? {
            return Err(Flow::Stop("a pattern that is not understood"));
        }
        let turned = self.turned(frame, inner, id);
        self.left(frame, owned, turned)
    }

    /// The value of a branch as one of the whole.
    fn reached(&mut self, frame: &mut Frame<'f>, whole: ExprId, branch: ExprId) -> Flowing<Value> {
        let ty = frame.typing.exprs[whole.index()].clone();
        frame.ending = Some(branch);
        self.fitting(frame, branch, &ty)
    }

    /// One turn of a loop; what it is left with, if it is left.
    fn turned(&mut self, frame: &mut Frame<'f>, inner: ExprId, id: ExprId) -> Flowing<Option<Value>> {
        frame.ending = Some(inner);
        match self.value(frame, inner) {
            Ok(_) => Ok(None),
            Err(Flow::Continue(target)) if target == id => Ok(None),
            Err(Flow::Break(target, value)) if target == id => Ok(Some(value)),
            Err(other) => Err(other),
        }
    }

    fn block(
        &mut self,
        frame: &mut Frame<'f>,
        statements: &'f [Statement],
        tail: Option<ExprId>,
        ends_here: bool,
    ) -> Flowing<Value> {
        let owned = frame.owned.len();
        let value = self.statements(frame, statements, tail, ends_here);
        self.left(frame, owned, value)
    }

    fn statements(
        &mut self,
        frame: &mut Frame<'f>,
        statements: &'f [Statement],
        tail: Option<ExprId>,
        ends_here: bool,
    ) -> Flowing<Value> {
        let block = frame.owned.len();
        for statement in statements {
            self.statement(frame, statement)?;
        }
        let Some(tail) = tail else { return Ok(Value::unit()) };
        let names = frame.owned.len();
        frame.ending = (ends_here && names == block).then_some(tail);
        let value = self.value(frame, tail)?;
        self.tail_is_over(frame, (block, names), ends_here)?;
        Ok(value)
    }

    fn statement(&mut self, frame: &mut Frame<'f>, statement: &'f Statement) -> Flowing<()> {
        match statement {
            Statement::Expr(id) => {
                let owned = frame.owned.len();
                let value = self.value(frame, *id)?;
                let ty = frame.typing.exprs[id.index()].clone();
                self.ended(value, &ty)?;
                self.passed(frame, owned)
            }
            Statement::Let { init: None, pat, .. } => self.announced(frame, *pat),
            Statement::Let { pat, init: Some(init), otherwise, .. } => {
                let owned = frame.owned.len();
                let body = frame.body;
                let is_borrow = matches!(body.expr(*init).kind, ExprKind::Reference(..));
                let typing = frame.typing.clone();
                let kind = &body.pat(*pat).kind;
                if let (PatKind::Bind { local, inner: None, .. }, None) = (kind, otherwise)
                    && !typing.references.contains_key(pat)
                {
                    let wanted = &typing.locals[local.index()];
                    let value = self.fitting(frame, *init, wanted)?;
                    let lent = if is_borrow { slot_of(&value) } else { None };
                    self.bound(frame, *local, value)?;
                    self.mark_pat(frame, *pat, DONE);
                    return self.declared(frame, owned, *init, lent);
                }
                if let (PatKind::Wild, None) = (kind, otherwise) {
                    let mut lent = None;
                    if self.is_place(frame, *init) {
                        self.place(frame, *init)?;
                    } else {
                        let value = self.value(frame, *init)?;
                        lent = if is_borrow { slot_of(&value) } else { None };
                        self.ended(value, &typing.exprs[init.index()])?;
                    }
                    self.mark_pat(frame, *pat, DONE);
                    return self.declared(frame, owned, *init, lent);
                }
                let place = self.scrutinee(frame, *init)?;
                let matches = self.binds(frame, *pat, &place)?;
                self.mark_pat(frame, *pat, ASKED | DONE | if matches { YES } else { NO });
                let lent = match is_borrow {
                    true => slot_of(self.memory.whole(&place)?),
                    false => borrows(body, *pat).then_some(place.slot),
                };
                self.declared(frame, owned, *init, lent)?;
                match (matches, otherwise) {
                    (true, _) => Ok(()),
                    (false, Some(otherwise)) => match self.value(frame, *otherwise) {
                        Ok(_) => Err(Flow::Stop("a `let` without a value")),
                        Err(flow) => Err(flow),
                    },
                    (false, None) => Err(Flow::Stop("a pattern that is not understood")),
                }
            }
        }
    }

    /// `let x;`: from here on it has a place, with nothing in it yet.
    fn announced(&mut self, frame: &mut Frame<'f>, pat: PatId) -> Flowing<()> {
        if let PatKind::Bind { local, .. } = frame.body.pat(pat).kind {
            self.bound(frame, local, Value::Moved)?;
        }
        for inner in frame.body.inside(pat) {
            self.announced(frame, inner)?;
        }
        Ok(())
    }

    /// The place of what is matched.
    fn scrutinee(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Place> {
        if frame.typing.behind.contains_key(&id) {
            let place = self.place(frame, id)?;
            return self.placed(Value::Place(place.into()));
        }
        self.place(frame, id)
    }

    /// Whether a condition holds; names that it binds are there then.
    pub(super) fn holds(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<bool> {
        let body = frame.body;
        let holds = match &body.expr(id).kind {
            ExprKind::Not(inner) if frame.typing.exprs[inner.index()] == Ty::Bool => {
                !self.holds(frame, *inner)?
            }
            ExprKind::Lazy(lazy, left, right) => {
                let owned = frame.owned.len();
                let first = self.holds(frame, *left)?;
                self.decided(frame, owned, *left)?;
                match (lazy, first) {
                    (Lazy::And, false) => false,
                    (Lazy::Or, true) => true,
                    _ => {
                        let owned = frame.owned.len();
                        let second = self.holds(frame, *right)?;
                        self.decided(frame, owned, *right)?;
                        second
                    }
                }
            }
            ExprKind::Let(pat, value) => {
                let place = self.scrutinee(frame, *value)?;
                self.binds(frame, *pat, &place)?
            }
            _ => {
                let value = self.value(frame, id)?;
                self.truth(&value)?
            }
        };
        self.mark(frame, id, ASKED | DONE | if holds { YES } else { NO });
        Ok(holds)
    }

    fn matched(
        &mut self,
        frame: &mut Frame<'f>,
        id: ExprId,
        scrutinee: ExprId,
        arms: &'f [Arm],
    ) -> Flowing<Value> {
        let place = self.scrutinee(frame, scrutinee)?;
        for arm in arms {
            self.mark_pat(frame, arm.pat, ASKED);
            let alternatives = match (&frame.body.pat(arm.pat).kind, arm.guard) {
                // A guard is asked for each alternative that matches.
                (PatKind::Or(cases), Some(_)) => cases.as_slice(),
                _ => std::slice::from_ref(&arm.pat),
            };
            for pat in alternatives {
                // A name that takes the value is there only where the guard holds.
                let owned = frame.owned.len();
                if let Some(guard) = arm.guard {
                    if self.takes(frame, *pat) {
                        return Err(Flow::Stop("a guard that looks at what its arm takes"));
                    }
                    if !self.binds(frame, *pat, &place)? {
                        continue;
                    }
                    let holds = self.holds(frame, guard)?;
                    self.decided(frame, owned, guard)?;
                    if !holds {
                        // It is asked once more for each alternative that matches, wherever that stands.
                        if chooses(frame.body, *pat) {
                            return Err(Flow::Stop("a guard behind alternatives"));
                        }
                        continue;
                    }
                } else if !self.binds(frame, *pat, &place)? {
                    continue;
                }
                let value = self.reached(frame, id, arm.body);
                return self.left(frame, owned, value);
            }
        }
        Err(Flow::Stop("a match without an arm"))
    }

    /// `?`: goes on with the value, or returns.
    fn questioned(&mut self, frame: &mut Frame<'f>, inner: ExprId) -> Flowing<Value> {
        let value = self.value(frame, inner)?;
        let typing = frame.typing.clone();
        let Ty::Adt(adt, arguments) = &typing.exprs[inner.index()] else {
            return Err(Flow::Stop("`?` on a value of unknown type"));
        };
        let items = self.context.items;
        let option = items.is_standard(*adt, "Option");
        if !option && !items.is_standard(*adt, "Result") {
            return Err(Flow::Stop("`?` on a value of unknown type"));
        }
        let mut parts = value.into_parts()?;
        if parts.tag == u32::from(option) {
            return Ok(parts.list.swap_remove(0));
        }
        let result = frame.result.clone();
        let generics = match &result {
            Ty::Adt(wanted, generics) if wanted == adt => generics,
            _ => return Err(Flow::Stop("what `?` returns")),
        };
        if option {
            return Err(Flow::Return(Value::option(None)));
        }
        let error = parts.list.swap_remove(0);
        let (from, to) = (&arguments[1], generics.get(1).unwrap_or(&Ty::Opaque));
        let error = match from == to {
            true => error,
            false => match self.context.conversion(from, to) {
                Some((function, generics)) => {
                    let parameters = self.parameters(function, &generics);
                    let wanted = parameters.first().cloned().unwrap_or(Ty::Opaque);
                    let error = self.fitted(error, from, &wanted)?;
                    self.call(function, &generics, vec![error])?
                }
                None => return Err(Flow::Stop("a conversion of an error")),
            },
        };
        Err(Flow::Return(Value::result(Err(error))))
    }

    /// What is left of an iterator ends behind its loop.
    fn exhausted(&mut self, source: &Source) -> Flowing<()> {
        match source {
            Source::Drawn { iterator, ty, by_value: true, .. } => self.end(iterator, ty),
            Source::Elements { list, element: Some(element), .. } if self.ends(element) => {
                for at in 0..self.memory.length(list)? {
                    self.end(&list.at(at as u32), element)?;
                }
                Ok(())
            }
            Source::Numbered { inner, .. } => self.exhausted(inner),
            Source::Zipped { inner, other } => {
                self.exhausted(inner)?;
                self.exhausted(other)
            }
            _ => Ok(()),
        }
    }

    /// What draws from what a loop goes through.
    pub(super) fn next_function(&self, frame: &Frame<'f>, id: ExprId) -> Option<(super::FnId, Vec<Ty>)> {
        match frame.typing.callees.get(&id) {
            Some(Callee::Function(next, generics)) => Some((*next, generics.clone())),
            _ => None,
        }
    }
}

fn slot_of(value: &Value) -> Option<u32> {
    match value {
        Value::Place(place) => Some(place.slot),
        _ => None,
    }
}

/// Whether a pattern says `ref`.
fn borrows(body: &Body, pat: PatId) -> bool {
    matches!(body.pat(pat).kind, PatKind::Bind { by: Binding::Reference(_), .. })
        || body.inside(pat).into_iter().any(|inner| borrows(body, inner))
}

/// Whether a pattern has alternatives in it.
fn chooses(body: &Body, pat: PatId) -> bool {
    matches!(body.pat(pat).kind, PatKind::Or(_))
        || body.inside(pat).into_iter().any(|inner| chooses(body, inner))
}

/// A block that is left from inside with a value.
fn broken(left: Flowing<Value>, id: ExprId) -> Flowing<Value> {
    match left {
        Err(Flow::Break(target, value)) if target == id => Ok(value),
        other => other,
    }
}
