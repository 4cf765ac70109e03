//! Which fields of a parameter a body names: what it gives back refers to nothing else of the argument.
//!
//! A body that only says `self.field`, or calls functions with `self` of which the same is true, has no other way to the
//! argument. Where the argument holds no borrow and no pointer, a number that is only read is not lent, nor is anything by
//! a method that answers a number. What is called, and how, is what types say; bodies that put an address away are not asked.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::super::super::hir::{Binding, Body, ExprId, ExprKind, LocalId, Mutability, PatKind};
use super::super::super::infer::{Callee, Typing};
use super::super::super::types::Ty;
use super::Escape;
use super::stashed::{Position, arguments_of};

/// So many functions are looked at for one call.
const FUNCTIONS: usize = 200;

/// What is looked for: in these leaves of an argument, of this type.
struct Asked {
    whole: (Range<usize>, Ty),
    /// The argument holds nothing that refers to another part of it.
    plain: bool,
    /// Functions that were looked at, or are being.
    seen: FxHashSet<Position>,
    found: Option<Range<usize>>,
}

impl Escape<'_, '_> {
    /// The leaves of an argument that the body of a call names.
    pub(super) fn part_named(
        &self,
        call: ExprId,
        at: usize,
        argument: ExprId,
    ) -> Option<(LocalId, Range<usize>)> {
        let Some(Callee::Function(function, generics)) = self.typing.callees.get(&call) else { return None };
        let (local, whole) = self.range(argument)?;
        let ty = self.context.behind(self.ty(argument));
        let plain = matches!(ty, Ty::Adt(..)) && !self.may_hold(&ty, 0);
        if !plain && !self.context.is_pointer(self.ty(call)) {
            return None;
        }
        let start = whole.start;
        let mut asked = Asked { whole: (whole, ty), plain, seen: FxHashSet::default(), found: None };
        self.named_by((*function, generics.clone(), at), &mut asked)?;
        let nothing = plain.then_some(start..start);
        Some((local, asked.found.or(nothing)?))
    }

    /// Adds the fields that a function names of its parameter; `None` where it has another way to it.
    fn named_by(&self, position: Position, asked: &mut Asked) -> Option<()> {
        if !asked.seen.insert(position.clone()) {
            return Some(());
        }
        let (function, generics, at) = position;
        let items = self.context.items;
        let body = self.context.body(function).filter(|_| items.function(function).opaque.is_none())?;
        let PatKind::Bind { local: parameter, inner: None, .. } = body.pat(*body.parameters.get(at)?).kind
        else {
            return None;
        };
        if asked.seen.len() > FUNCTIONS {
            return None;
        }
        let typing = self.context.typed(function, &generics, body);
        let is_parameter =
            |id: ExprId| matches!(body.expr(id).kind, ExprKind::Local(local) if local == parameter);
        let lends_parts = binds_borrows(body);
        let (mut named, mut taken) = (0, 0);
        for (index, expr) in body.exprs.iter().enumerate() {
            let id = ExprId(index as u32);
            match &expr.kind {
                ExprKind::Opaque(_) | ExprKind::Closure(_) => return None,
                // Our own text of std does not say what such a borrow is of.
                ExprKind::Call(callee, _)
                    if is_unseen(body, *callee) && self.may_hold(&typing.exprs[index], 0) =>
                {
                    return None;
                }
                ExprKind::Field(base, _) if is_parameter(*base) => {
                    let (part, ty) = self.part(body, id, parameter, asked.whole.clone())?;
                    let read = asked.plain && !lends_parts && is_number(&ty);
                    if !read || self.is_lent(body, &typing, id) {
                        asked.add(part);
                    }
                    taken += 1;
                }
                // What lies behind it by its own `Deref` is no field of it.
                ExprKind::Local(_) if is_parameter(id) => {
                    if typing.behind.contains_key(&id) {
                        return None;
                    }
                    named += 1;
                }
                ExprKind::Method { .. } | ExprKind::Call(..) => {
                    for (at, _) in
                        arguments_of(body, id).iter().enumerate().filter(|(_, it)| is_parameter(**it))
                    {
                        self.named_by_call(&typing, (id, at), asked)?;
                        taken += 1;
                    }
                }
                _ => {}
            }
        }
        (named == taken).then_some(())
    }

    /// The same for what a call names that gets the parameter.
    fn named_by_call(&self, typing: &Typing, (call, at): (ExprId, usize), asked: &mut Asked) -> Option<()> {
        let Some(Callee::Function(function, generics)) = typing.callees.get(&call) else { return None };
        let found = self.context.items.function(*function);
        let environment = self.context.environment_of(*function, generics);
        let Ty::Reference(_, of) = self.context.type_of(found.parameters.get(at)?, &environment) else {
            return None;
        };
        if *of != asked.whole.1 {
            return None;
        }
        let result = &typing.exprs[call.index()];
        let answers = matches!(result, Ty::Integer(_) | Ty::Bool | Ty::Char) || *result == Ty::UNIT;
        // What it names it cannot give away.
        if asked.plain && answers && found.parameters.len() == 1 {
            return Some(());
        }
        self.named_by((*function, generics.clone(), at), asked)
    }

    /// Whether a number in a place is lent to be written: by `&mut`, by a method or by an operator of one's own.
    fn is_lent(&self, body: &Body, typing: &Typing, place: ExprId) -> bool {
        body.exprs.iter().enumerate().any(|(index, expr)| {
            let id = ExprId(index as u32);
            match &expr.kind {
                ExprKind::Reference(Mutability::Mutable, inner) => *inner == place,
                ExprKind::Method { receiver, .. } if *receiver == place => {
                    !self.takes_value(typing, (id, place))
                }
                ExprKind::Update(_, left, right) if *left == place => {
                    let ty = typing.exprs[right.index()].behind();
                    typing.callees.contains_key(&id) || !is_number(ty)
                }
                _ => false,
            }
        })
    }

    /// Whether a method of a number takes the number itself, or only reads it.
    fn takes_value(&self, typing: &Typing, (call, receiver): (ExprId, ExprId)) -> bool {
        match typing.callees.get(&call) {
            Some(Callee::Standard(..)) => !typing.reborrows.contains(&call),
            Some(Callee::Function(function, generics)) => {
                let environment = self.context.environment_of(*function, generics);
                let own = self.context.items.function(*function).parameters.first();
                let own = own.map(|ty| self.context.type_of(ty, &environment));
                matches!(own, Some(Ty::Reference(Mutability::Shared, _)))
                    || own.as_ref() == Some(&typing.exprs[receiver.index()])
            }
            _ => false,
        }
    }
}

/// `kleene::unseen` in our own text of std.
fn is_unseen(body: &Body, callee: ExprId) -> bool {
    match &body.expr(callee).kind {
        ExprKind::Path(path) => {
            let mut names = path.segments.iter().rev().map(|segment| segment.name.as_str());
            names.next() == Some("unseen") && names.next() == Some("kleene")
        }
        _ => false,
    }
}

fn is_number(ty: &Ty) -> bool {
    matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_))
}

/// Whether a pattern may lend a part of what it matches.
fn binds_borrows(body: &Body) -> bool {
    body.pats.iter().any(|pat| {
        matches!(
            pat.kind,
            PatKind::Bind { by: Binding::Reference(Mutability::Mutable), .. } | PatKind::Opaque
        )
    })
}

impl Asked {
    fn add(&mut self, part: Range<usize>) {
        self.found = Some(match self.found.take() {
            Some(found) => found.start.min(part.start)..found.end.max(part.end),
            None => part,
        });
    }
}
