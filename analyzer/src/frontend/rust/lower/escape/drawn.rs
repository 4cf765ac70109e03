//! Loops over iterators that are lent: each turn draws from the iterator where it is.

use super::super::super::hir::{ExprId, ExprKind, Mutability, PatId, PatKind};
use super::super::super::infer::Callee;
use super::super::super::types::Ty;
use super::Escape;

impl Escape<'_, '_> {
    /// A loop that draws from an iterator where it is: `for x in &mut it`, `for x in it.by_ref()`. What it draws must
    /// not be a borrow itself.
    pub(super) fn draws(&self, id: ExprId, pat: PatId, iterated: ExprId) -> bool {
        let is_there = match &self.body.expr(iterated).kind {
            ExprKind::Reference(_, inner) => self.is_place(*inner),
            ExprKind::Local(_) | ExprKind::Method { .. } => self.is_place(iterated),
            _ => false,
        };
        let drawn = matches!(self.typing.callees.get(&id), Some(Callee::Function(..)));
        drawn && is_there && self.borrows(iterated) && !self.binds_borrows(pat)
    }

    /// `for (k, v) in &mut map`: only the values of a map of std are lent, and nobody follows which.
    pub(super) fn lends_values(&mut self, iterated: ExprId) -> bool {
        let ExprKind::Reference(Mutability::Mutable, place) = self.body.expr(iterated).kind else {
            return false;
        };
        let Ty::Adt(id, _) = self.context.behind(self.ty(place)) else { return false };
        let items = self.context.items;
        let is_map = ["BTreeMap", "HashMap"].iter().any(|name| items.is_standard(id, name));
        let ty = self.context.behind(self.ty(place));
        let (true, Some((at, values))) = (is_map, self.context.field_named(&ty, "values")) else {
            return false;
        };
        if let Some((local, range)) = self.range(place) {
            let start = range.start + at;
            let end = (start + self.context.leaf_count(&values)).min(range.end);
            self.hide(local, (start + 2).min(end)..end);
        }
        true
    }

    fn binds_borrows(&self, pat: PatId) -> bool {
        let mut work = vec![pat];
        while let Some(pat) = work.pop() {
            match &self.body.pat(pat).kind {
                PatKind::Bind { local, inner, .. } => {
                    if self.may_hold(&self.typing.locals[local.index()], 0) {
                        return true;
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
        false
    }
}
