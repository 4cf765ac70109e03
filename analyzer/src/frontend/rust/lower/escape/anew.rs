//! Names for slices: what is written through them, and names that are set to another slice.

use std::ops::Range;

use super::super::super::hir::{Body, ExprId, ExprKind, LocalId, Mutability, PatKind, Statement};
use super::super::super::types::Ty;
use super::Escape;

/// Whether a local is set to something else after it was declared.
pub fn is_set_anew(body: &Body, local: LocalId) -> bool {
    let is_local = |id: &ExprId| matches!(body.expr(*id).kind, ExprKind::Local(named) if named == local);
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Assign(left, _) => body.assigned(*left).iter().any(is_local),
        _ => false,
    })
}

/// Whether a name stands for a slice that it can write.
pub fn names_slice(ty: &Ty) -> bool {
    matches!(ty, Ty::Reference(Mutability::Mutable, inner) if matches!(**inner, Ty::Slice(_) | Ty::Str))
}

impl Escape<'_, '_> {
    /// `xs = &mut xs[a..]`: other ends of the same elements.
    pub(super) fn set_anew(&mut self, left: ExprId, right: ExprId) {
        let ExprKind::Local(local) = self.body.expr(left).kind else { return };
        let ExprKind::Reference(Mutability::Mutable, part) = self.body.expr(right).kind else { return };
        let mut base = part;
        while let ExprKind::Index(inner, _) | ExprKind::Deref(inner) = self.body.expr(base).kind {
            base = inner;
        }
        let same = matches!(self.body.expr(base).kind, ExprKind::Local(named) if named == local);
        if same && self.is_cut_out(part) && names_slice(&self.typing.locals[local.index()]) {
            self.accept(left);
            self.accept(right);
        }
    }

    /// Where a name is a part of what a pattern matched, or of an element, setting it anew changes what it stands in.
    pub(super) fn names_of_parts(&mut self) {
        for index in 0..self.typing.locals.len() {
            let local = LocalId(index as u32);
            let ty = &self.typing.locals[index];
            if names_slice(ty) && is_set_anew(self.body, local) && !self.has_own_ends(local) {
                let count = self.context.leaf_count(ty);
                self.hide(local, 0..count);
            }
        }
    }

    /// A parameter, or a name that a plain `let` declares: where it starts and how long it is are its own.
    fn has_own_ends(&self, local: LocalId) -> bool {
        let binds = |pat| matches!(self.body.pat(pat).kind, PatKind::Bind { local: bound, inner: None, .. } if bound == local);
        let declared = |statement: &Statement| match statement {
            Statement::Let { pat, init, otherwise: None, .. } => {
                binds(*pat) && init.is_none_or(|init| !self.has_index_of_elements(init))
            }
            _ => false,
        };
        self.body.parameters.iter().any(|pat| binds(*pat))
            || self.body.exprs.iter().any(|expr| match &expr.kind {
                ExprKind::Block { statements, .. } => statements.iter().any(declared),
                ExprKind::Closure(closure) => closure.parameters.iter().any(|(pat, _)| binds(*pat)),
                _ => false,
            })
    }

    /// Whether a place is one of several elements, or lies in one.
    fn has_index_of_elements(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Index(base, at) => {
                !self.context.is_range(self.ty(*at)) || self.has_index_of_elements(*base)
            }
            ExprKind::Field(inner, _) | ExprKind::Deref(inner) | ExprKind::Reference(_, inner) => {
                self.has_index_of_elements(*inner)
            }
            ExprKind::Method { receiver, .. } => self.reborrows(id) && self.has_index_of_elements(*receiver),
            _ => false,
        }
    }

    /// The leaves of a place that are given up where some of its name are: of a slice only the elements, as long as
    /// nobody else sets the name anew.
    pub(super) fn given_through(&self, name: LocalId, range: Range<usize>) -> Option<Range<usize>> {
        let leaves = self.hidden.get(&name).filter(|leaves| leaves.contains(&true))?;
        let named = names_slice(&self.typing.locals[name.index()]);
        if !named || leaves.iter().take(2).any(|hidden| *hidden) {
            return Some(range);
        }
        match range.len() {
            same if same == leaves.len() => Some(range.start + 2..range.end),
            _ => Some(range),
        }
    }
}
