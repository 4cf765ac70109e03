//! Operands that are made before others of the same expression, where one of those may leave it: `(value, other()?)`.
//!
//! Nobody owns such a value when the expression is left, so it ends on that way.

use super::super::super::hir::{ExprId, ExprKind};
use super::Finder;

impl Finder<'_, '_> {
    pub(super) fn held(&mut self) {
        let leaving: Vec<usize> =
            (0..self.body.exprs.len()).filter(|index| self.may_leave(ExprId(*index as u32))).collect();
        if leaving.is_empty() {
            return;
        }
        let closures: Vec<(usize, usize)> = self.nodes_of_closures().collect();
        // Of closures inside of each other the one that is read first is the inner one.
        let around =
            |index: usize| closures.iter().position(|(first, last)| (*first..*last).contains(&index));
        for index in 0..self.body.exprs.len() {
            let id = ExprId(index as u32);
            for operand in self.operands(id) {
                let awaited = operand.index()..index;
                let left = leaving.iter().any(|at| awaited.contains(at) && around(*at) == around(index));
                if left && self.is_made(operand) {
                    self.ends.held.insert(operand);
                }
            }
            if let ExprKind::Assign(left, right) = self.body.expr(id).kind
                && self.is_made(right)
                && self.body.assigned(left).into_iter().any(|place| self.is_left_at(place, &leaving))
            {
                self.ends.held.insert(right);
            }
        }
    }

    fn may_leave(&self, id: ExprId) -> bool {
        match &self.body.expr(id).kind {
            ExprKind::Return(_) | ExprKind::Try(_) | ExprKind::Break(..) | ExprKind::Continue(_) => true,
            ExprKind::Opaque(opaque) => opaque.leaves,
            _ => false,
        }
    }

    /// The nodes of each closure.
    fn nodes_of_closures(&self) -> impl Iterator<Item = (usize, usize)> {
        self.body.exprs.iter().enumerate().filter_map(|(index, expr)| match &expr.kind {
            ExprKind::Closure(closure) => Some((closure.first.index(), index)),
            _ => None,
        })
    }

    /// What is evaluated one after the other, and read in the same order.
    fn operands(&self, id: ExprId) -> Vec<ExprId> {
        match &self.body.expr(id).kind {
            ExprKind::Tuple(parts) | ExprKind::Array(parts) | ExprKind::Call(_, parts) => parts.clone(),
            ExprKind::Struct { fields, .. } => fields.iter().map(|(_, value)| *value).collect(),
            ExprKind::Method { receiver, arguments, .. } => {
                std::iter::once(*receiver).chain(arguments.iter().copied()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A value of its own that somebody will own. What is moved out of a local may be gone or not, and that is known.
    fn is_made(&self, id: ExprId) -> bool {
        self.matters(id) && self.ends.owned.contains(&id) && self.root(id).is_none()
    }

    fn is_left_at(&self, place: ExprId, leaving: &[usize]) -> bool {
        match &self.body.expr(place).kind {
            ExprKind::Field(inner, _) | ExprKind::Deref(inner) => self.is_left_at(*inner, leaving),
            ExprKind::Index(base, index) => {
                leaving.iter().any(|at| (base.index()..=index.index()).contains(at))
                    || self.is_left_at(*base, leaving)
            }
            ExprKind::Local(_) | ExprKind::Underscore | ExprKind::Path(_) => false,
            _ => !leaving.is_empty(),
        }
    }
}
