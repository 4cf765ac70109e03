//! Where the values of a body end: which locals are dropped for certain, and which values nobody owns.
//!
//! Looked at once per body, before it is lowered; empty for bodies without types that do something at their
//! end. What is moved in a way that is not plain ends somewhere, but nobody knows where.

mod held;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::context::Context;
use super::super::glue::Glue;
use super::super::hir::{Binding, Body, ExprId, ExprKind, LocalId, PatId, PatKind, Statement, TypeRef};
use super::super::infer::{Callee, Typing};
use super::super::std_table::Meaning;
use super::super::types::Ty;

#[derive(Debug, Default)]
pub struct Ends {
    /// Locals that are dropped at the end of their scope, if they are still there.
    pub fates: FxHashMap<LocalId, Fate>,
    /// Uses that take a local away for good, on every way through its scope.
    pub last_uses: FxHashSet<ExprId>,
    /// Locals that a `return` gives back: on other ways they stay.
    pub given_back: FxHashMap<ExprId, LocalId>,
    /// Values that somebody takes, who ends them.
    pub owned: FxHashSet<ExprId>,
    /// Values that end at a place that is not followed.
    pub loose: FxHashSet<ExprId>,
    /// Values that end where their expression is left before somebody owns them.
    pub held: FxHashSet<ExprId>,
    /// Locals that closures take with them, by the closure.
    pub taken: FxHashMap<ExprId, Vec<LocalId>>,
    /// Blocks that declare locals with an end.
    pub blocks: FxHashSet<ExprId>,
}

impl Ends {
    pub fn is_empty(&self) -> bool {
        self.fates.is_empty()
            && self.owned.is_empty()
            && self.loose.is_empty()
            && self.taken.is_empty()
            && self.blocks.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// There from its declaration to the end of its scope, or to its last use.
    Kept,
    /// It may be gone.
    Unsure,
}

struct Finder<'f, 'c> {
    context: &'f Context<'c>,
    body: &'f Body,
    typing: &'f Typing,
    ends: Ends,
    /// Expressions that are looked at where they are.
    in_place: FxHashSet<ExprId>,
    assigned: FxHashSet<LocalId>,
    unsure: FxHashSet<LocalId>,
    /// The caller sees what is returned, and ends it.
    returns: bool,
}

pub fn ends(context: &Context<'_>, body: &Body, typing: &Typing, result: &Ty) -> Ends {
    let matters = |ty: &Ty| context.glue(ty) != Glue::Nothing;
    if !typing.locals.iter().chain(&typing.exprs).any(matters) {
        return Ends::default();
    }
    let mut finder = Finder {
        context,
        body,
        typing,
        ends: Ends::default(),
        in_place: FxHashSet::default(),
        assigned: FxHashSet::default(),
        unsure: FxHashSet::default(),
        returns: *result != Ty::Opaque,
    };
    if let Some(root) = body.root.filter(|_| finder.returns) {
        finder.own(root);
    }
    for index in 0..body.exprs.len() {
        finder.parent(ExprId(index as u32));
    }
    finder.values();
    finder.held();
    finder.closures();
    finder.locals();
    finder.ends
}

impl Finder<'_, '_> {
    fn matters(&self, id: ExprId) -> bool {
        self.context.glue(&self.typing.exprs[id.index()]) != Glue::Nothing
    }

    /// The value goes to somebody who ends it; so do the values it may be.
    fn own(&mut self, id: ExprId) {
        if self.matters(id) {
            self.ends.owned.insert(id);
        }
        match &self.body.expr(id).kind {
            ExprKind::Block { tail: Some(tail), labelled: false, .. } => self.own(*tail),
            ExprKind::If { then, otherwise, .. } => {
                self.own(*then);
                otherwise.iter().for_each(|otherwise| self.own(*otherwise));
            }
            ExprKind::Match(_, arms) => arms.iter().for_each(|arm| self.own(arm.body)),
            ExprKind::Try(inner) => self.own(*inner),
            _ => {}
        }
    }

    fn place(&mut self, id: ExprId) {
        self.in_place.insert(id);
    }

    fn parent(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Struct { fields, base, .. } => {
                fields.iter().for_each(|(_, value)| self.own(*value));
                base.iter().for_each(|base| self.taken_apart(*base));
            }
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => parts.iter().for_each(|part| self.own(*part)),
            ExprKind::Call(_, arguments) => self.call(id, arguments, None),
            ExprKind::Method { receiver, arguments, .. } => self.call(id, arguments, Some(*receiver)),
            ExprKind::Return(Some(value)) if self.returns => self.own(*value),
            ExprKind::Assign(left, right) => {
                self.own(*right);
                self.place(*left);
                if let ExprKind::Local(local) = body.expr(*left).kind {
                    self.assigned.insert(local);
                }
            }
            ExprKind::Update(_, left, _) => self.place(*left),
            ExprKind::Field(inner, _) | ExprKind::Index(inner, _) => self.place(*inner),
            ExprKind::Deref(inner) | ExprKind::Reference(_, inner) => self.place(*inner),
            ExprKind::AssertCompare { left, right, .. } => {
                self.place(*left);
                self.place(*right);
            }
            ExprKind::Format { arguments, .. } | ExprKind::Panic(arguments) => {
                arguments.iter().for_each(|argument| self.place(*argument));
            }
            ExprKind::Match(scrutinee, arms) => {
                self.place(*scrutinee);
                arms.iter().for_each(|arm| self.bound(arm.pat, *scrutinee));
            }
            ExprKind::Let(pat, value) => {
                self.place(*value);
                self.bound(*pat, *value);
            }
            ExprKind::Block { statements, .. } => {
                statements.iter().for_each(|statement| self.statement(id, statement))
            }
            ExprKind::Closure(closure) => self.unsure.extend(closure.names.iter().copied()),
            ExprKind::Opaque(opaque) => self.unsure.extend(opaque.mentions.iter().copied()),
            _ => {}
        }
    }

    fn statement(&mut self, block: ExprId, statement: &Statement) {
        let Statement::Let { pat, init, otherwise, .. } = statement else { return };
        let names = self.names(*pat, *init).filter(|_| otherwise.is_none());
        match (names, init) {
            (Some(names), init) => {
                for local in names {
                    if self.context.glue(&self.typing.locals[local.index()]) != Glue::Nothing {
                        let fate = if init.is_some() { Fate::Kept } else { Fate::Unsure };
                        self.ends.fates.insert(local, fate);
                        self.ends.blocks.insert(block);
                    }
                }
                init.iter().for_each(|init| self.own(*init));
            }
            (None, Some(init)) => {
                self.place(*init);
                self.bound(*pat, *init);
            }
            (None, None) => {}
        }
    }

    /// A pattern that moves parts out of a place: what becomes of them, and of the rest, is not followed.
    fn bound(&mut self, pat: PatId, value: ExprId) {
        let mut work = vec![pat];
        while let Some(pat) = work.pop() {
            match &self.body.pat(pat).kind {
                PatKind::Bind { local, inner, .. } => {
                    if self.context.glue(&self.typing.locals[local.index()]) != Glue::Nothing {
                        self.taken_apart(value);
                        self.ends.loose.insert(value);
                    }
                    work.extend(inner);
                }
                PatKind::Reference(inner) => work.push(*inner),
                PatKind::Or(pats)
                | PatKind::Tuple(pats, _)
                | PatKind::TupleStruct(_, pats, _)
                | PatKind::Slice(pats, _) => work.extend(pats),
                PatKind::Struct(_, fields) => work.extend(fields.iter().map(|(_, inner)| inner)),
                _ => {}
            }
        }
    }

    fn taken_apart(&mut self, place: ExprId) {
        if let Some(local) = self.root(place) {
            self.unsure.insert(local);
        }
    }

    fn root(&self, id: ExprId) -> Option<LocalId> {
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => Some(*local),
            ExprKind::Field(inner, _) | ExprKind::Index(inner, _) | ExprKind::Deref(inner) => {
                self.root(*inner)
            }
            _ => None,
        }
    }

    fn call(&mut self, id: ExprId, arguments: &[ExprId], receiver: Option<ExprId>) {
        let all: Vec<ExprId> = receiver.into_iter().chain(arguments.iter().copied()).collect();
        if let Some(receiver) = receiver.filter(|receiver| self.typing.behind.contains_key(receiver)) {
            return self.place(receiver);
        }
        match self.typing.callees.get(&id) {
            Some(Callee::Variant(..)) => all.iter().for_each(|argument| self.own(*argument)),
            Some(Callee::Standard(Meaning::Drop, _)) => all.iter().for_each(|argument| self.own(*argument)),
            Some(Callee::Function(function, _)) => {
                let function = self.context.items.function(*function);
                let of_std = self.context.items.is_std_module(function.module);
                let known = function.has_body() && (!of_std || function.name == "forget");
                for (argument, parameter) in all.iter().zip(&function.parameters) {
                    match parameter {
                        TypeRef::Reference(..) => self.place(*argument),
                        // What the callee does not see the type of it does not end.
                        TypeRef::Opaque => {}
                        _ if known => self.own(*argument),
                        _ => {}
                    }
                }
            }
            // What others take by value ends there; what they borrow does not.
            _ => {
                if let Some(receiver) = receiver.filter(|receiver| self.matters(*receiver)) {
                    self.taken_apart(receiver);
                }
            }
        }
    }

    /// What is neither owned nor looked at in place ends somewhere.
    fn values(&mut self) {
        for index in 0..self.body.exprs.len() {
            let id = ExprId(index as u32);
            if !self.matters(id) {
                continue;
            }
            let is_place = self.root(id).is_some();
            let control = matches!(
                self.body.expr(id).kind,
                ExprKind::Block { .. } | ExprKind::If { .. } | ExprKind::Match(..)
            );
            let kept = self.ends.owned.contains(&id) || (is_place && self.in_place.contains(&id));
            if !kept && !control {
                self.ends.loose.insert(id);
            }
            let whole = matches!(self.body.expr(id).kind, ExprKind::Local(_));
            if is_place && !whole && !self.in_place.contains(&id) {
                self.taken_apart(id);
            }
        }
    }

    /// What a closure takes of the code around it ends with the closure, or where that is called.
    fn closures(&mut self) {
        for (index, expr) in self.body.exprs.iter().enumerate() {
            let ExprKind::Closure(closure) = &expr.kind else { continue };
            let moved = |local: &LocalId| {
                (closure.first.index()..index).any(|at| {
                    let id = ExprId(at as u32);
                    self.root(id) == Some(*local) && self.matters(id) && !self.in_place.contains(&id)
                })
            };
            let ends = |local: &&LocalId| {
                self.context.glue(&self.typing.locals[local.index()]) != Glue::Nothing
                    && (closure.by_move || moved(local))
            };
            let taken: Vec<LocalId> = closure.names.iter().filter(ends).copied().collect();
            if !taken.is_empty() {
                self.ends.taken.insert(ExprId(index as u32), taken);
            }
        }
    }

    /// Parameters, and which locals are certain to be there.
    fn locals(&mut self) {
        for pat in &self.body.parameters {
            if let PatKind::Bind { local, inner: None, .. } = self.body.pat(*pat).kind
                && self.context.glue(&self.typing.locals[local.index()]) != Glue::Nothing
            {
                self.ends.fates.insert(local, Fate::Kept);
            }
        }
        let mut moves: FxHashMap<LocalId, Vec<ExprId>> = FxHashMap::default();
        for index in 0..self.body.exprs.len() {
            let id = ExprId(index as u32);
            if let ExprKind::Local(local) = self.body.expr(id).kind
                && !self.in_place.contains(&id)
            {
                moves.entry(local).or_default().push(id);
            }
        }
        let plain = self.plain_uses();
        let given_back = self.given_back();
        let locals: Vec<LocalId> = self.ends.fates.keys().copied().collect();
        for local in locals {
            let moved = moves.remove(&local).unwrap_or_default();
            let (returned, moved): (Vec<ExprId>, Vec<ExprId>) =
                moved.into_iter().partition(|id| given_back.contains_key(id));
            let certain = match moved.as_slice() {
                [] => true,
                [only] => !self.assigned.contains(&local) && plain.get(only) == Some(&local),
                _ => false,
            };
            if self.unsure.contains(&local) || !certain {
                self.ends.fates.insert(local, Fate::Unsure);
            } else {
                self.ends.last_uses.extend(moved);
                self.ends.given_back.extend(returned.iter().map(|id| (given_back[id], local)));
            }
        }
    }

    /// Uses of locals in `return x` and `return Err(x)`, each with the `return`: nothing of the body comes behind them.
    fn given_back(&self) -> FxHashMap<ExprId, ExprId> {
        let mut found = FxHashMap::default();
        for (index, expr) in self.body.exprs.iter().enumerate() {
            let ExprKind::Return(Some(value)) = expr.kind else { continue };
            let value = match &self.body.expr(value).kind {
                ExprKind::Call(_, arguments)
                    if arguments.len() == 1
                        && matches!(self.typing.callees.get(&value), Some(Callee::Variant(..))) =>
                {
                    arguments[0]
                }
                _ => value,
            };
            if self.returns && matches!(self.body.expr(value).kind, ExprKind::Local(_)) {
                found.insert(value, ExprId(index as u32));
            }
        }
        found
    }

    /// Uses of a local in the block that declares it, which every way to the end of the block passes.
    fn plain_uses(&self) -> FxHashMap<ExprId, LocalId> {
        let mut plain = FxHashMap::default();
        for (index, expr) in self.body.exprs.iter().enumerate() {
            let ExprKind::Block { statements, tail, labelled: false } = &expr.kind else { continue };
            let mut declared: FxHashSet<LocalId> = FxHashSet::default();
            if self.body.root == Some(ExprId(index as u32)) {
                declared.extend(self.body.parameters.iter().filter_map(|pat| self.simple(*pat)));
            }
            for statement in statements {
                match statement {
                    Statement::Let { pat, init, otherwise: None, .. } => {
                        init.iter().for_each(|init| self.passed(*init, &declared, &mut plain));
                        declared.extend(self.names(*pat, *init).into_iter().flatten());
                    }
                    Statement::Let { .. } => {}
                    Statement::Expr(id) => self.passed(*id, &declared, &mut plain),
                }
            }
            tail.iter().for_each(|tail| self.passed(*tail, &declared, &mut plain));
        }
        plain
    }

    /// A name that takes a value, and does not only borrow it.
    fn simple(&self, pat: PatId) -> Option<LocalId> {
        match self.body.pat(pat).kind {
            PatKind::Bind { local, by: Binding::Move, inner: None } => Some(local),
            _ => None,
        }
    }

    /// The names that a value is given to whole: one, or one for each part of a tuple that is no place.
    fn names(&self, pat: PatId, init: Option<ExprId>) -> Option<Vec<LocalId>> {
        match &self.body.pat(pat).kind {
            PatKind::Tuple(parts, None) if init.is_some_and(|init| self.root(init).is_none()) => {
                parts.iter().map(|part| self.simple(*part)).collect()
            }
            _ => Some(vec![self.simple(pat)?]),
        }
    }

    /// Uses in one statement, unless it can be left half-way.
    fn passed(&self, id: ExprId, declared: &FxHashSet<LocalId>, plain: &mut FxHashMap<ExprId, LocalId>) {
        let root = match &self.body.expr(id).kind {
            ExprKind::Return(Some(value)) => *value,
            _ => id,
        };
        let mut work = vec![root];
        let mut found = Vec::new();
        while let Some(id) = work.pop() {
            match &self.body.expr(id).kind {
                ExprKind::Local(local) if declared.contains(local) => found.push((id, *local)),
                ExprKind::Local(_)
                | ExprKind::Integer(..)
                | ExprKind::Bool(_)
                | ExprKind::Char(_)
                | ExprKind::Path(_) => {}
                ExprKind::Not(inner)
                | ExprKind::Negate(inner)
                | ExprKind::Deref(inner)
                | ExprKind::Reference(_, inner)
                | ExprKind::Field(inner, _)
                | ExprKind::Cast(inner, _) => work.push(*inner),
                ExprKind::Binary(_, left, right) | ExprKind::Assign(left, right) => {
                    work.extend([*left, *right]);
                }
                ExprKind::Tuple(parts) | ExprKind::Array(parts) => work.extend(parts),
                ExprKind::Struct { fields, base: None, .. } => {
                    work.extend(fields.iter().map(|(_, value)| *value));
                }
                ExprKind::Call(callee, arguments) => {
                    work.push(*callee);
                    work.extend(arguments);
                }
                ExprKind::Method { receiver, arguments, .. } => {
                    work.push(*receiver);
                    work.extend(arguments);
                }
                // Anything else may leave the statement, or pass a use by.
                _ => return,
            }
        }
        plain.extend(found);
    }
}
