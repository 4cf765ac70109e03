//! Parameters that are lent for good, by a call that gives a borrow back or by a borrow that is handed out: before it nobody
//! else writes them.

use std::ops::Deref;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::super::hir::{ExprId, ExprKind, LocalId, Mutability, PatKind};
use super::super::super::types::{Part, Ty};
use super::Escape;
use super::anew::is_set_anew;
use crate::source::Span;

/// Leaves of locals that unknown code may write, and from when on.
#[derive(Clone, Debug, Default)]
pub struct Hidden {
    leaves: FxHashMap<LocalId, Vec<bool>>,
    late: FxHashMap<LocalId, ExprId>,
}

impl Deref for Hidden {
    type Target = FxHashMap<LocalId, Vec<bool>>;

    fn deref(&self) -> &Self::Target {
        &self.leaves
    }
}

impl Hidden {
    /// Gives up a local as a whole, from the beginning.
    pub fn give_up(&mut self, local: LocalId, leaves: usize) {
        self.leaves.insert(local, vec![true; leaves]);
        self.late.remove(&local);
    }

    /// Whether a parameter is written by nobody else as long as it is not lent.
    pub fn is_late(&self, local: LocalId) -> bool {
        self.late.contains_key(&local)
    }

    /// Whether an expression is certainly evaluated before the first call that may keep a borrow.
    pub fn is_before(&self, local: LocalId, id: ExprId) -> bool {
        self.late.get(&local).is_some_and(|call| id < *call)
    }
}

impl Escape<'_, '_> {
    /// A body is read in the order in which it is evaluated, but for what is repeated, what a closure does later, the
    /// left side of an assignment and what an index is into. A call, or a borrow that is handed out, that stands in none of
    /// these comes after all that was read before it; a parameter that is given up by such only, has no other name and is
    /// never set anew, is its own until the first of them.
    pub(super) fn finished(self) -> Hidden {
        let mut first: FxHashMap<LocalId, ExprId> = FxHashMap::default();
        for (local, call) in &self.given {
            let known = first.entry(*local).or_insert(*call);
            *known = (*known).min(*call);
        }
        let mut out_of_order: Vec<Span> = Vec::new();
        let mut captured: FxHashSet<LocalId> = FxHashSet::default();
        for expr in &self.body.exprs {
            match &expr.kind {
                ExprKind::Loop { .. }
                | ExprKind::While { .. }
                | ExprKind::For { .. }
                | ExprKind::Assign(..)
                | ExprKind::Update(..)
                | ExprKind::Index(..)
                | ExprKind::Struct { base: Some(_), .. } => out_of_order.push(expr.span),
                ExprKind::Closure(closure) => {
                    out_of_order.push(expr.span);
                    captured.extend(closure.names.iter().copied());
                }
                _ => {}
            }
        }
        let in_order = |call: &ExprId| {
            let span = self.body.expr(*call).span;
            let holds = |around: &Span| {
                around.file == span.file && around.start <= span.start && span.end <= around.end
            };
            !out_of_order.iter().any(holds)
        };
        let parameters = self.body.parameters.iter().filter_map(|pat| match self.body.pat(*pat).kind {
            PatKind::Bind { local, inner: None, .. } => Some(local),
            _ => None,
        });
        let is_late = |local: &LocalId| {
            let mut given = self.given.iter().filter(|(given, _)| given == local);
            !self.always.contains(local)
                && !is_set_anew(self.body, *local)
                && !captured.contains(local)
                && self.aliases.iter().all(|(_, base, _)| base != local)
                && given.all(|(_, call)| in_order(call))
        };
        let late =
            parameters.filter(is_late).filter_map(|local| Some((local, *first.get(&local)?))).collect();
        Hidden { leaves: self.hidden, late }
    }

    /// Whether all that can be written through a value are numbers and the like: no slice becomes longer or shorter, nor
    /// another one, because of that.
    pub(super) fn lends_numbers(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Reference(Mutability::Mutable, inner) => is_plain(inner),
            Ty::Tuple(parts) => parts.iter().all(|part| self.lends_numbers(part)),
            Ty::Adt(id, arguments)
                if self.context.items.is_standard(*id, "Option")
                    || self.context.items.is_standard(*id, "Result") =>
            {
                arguments.iter().all(|argument| self.lends_numbers(argument))
            }
            other => !self.may_hold(other, 0),
        }
    }

    /// Gives up what a borrow of numbers may write.
    pub(super) fn give_up_numbers(&mut self, place: ExprId) {
        let Some((local, range)) = self.range(place) else { return };
        let leaves = self.context.leaves(&self.typing.locals[local.index()]);
        for (index, leaf) in leaves.iter().enumerate() {
            if range.contains(&index) && !matches!(leaf.part, Part::Start | Part::Length(_)) {
                self.hide(local, index..index + 1);
            }
        }
    }
}

fn is_plain(ty: &Ty) -> bool {
    match ty {
        Ty::Integer(_) | Ty::Float(_) | Ty::Bool | Ty::Char | Ty::Str => true,
        Ty::Slice(element) | Ty::Array(element, _) => is_plain(element),
        _ => false,
    }
}
