//! Loops over iterators that are lent: each turn draws from the iterator where it is.

use super::super::super::hir::{ExprId, ExprKind, PatId, PatKind};
use super::super::super::infer::Callee;
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
