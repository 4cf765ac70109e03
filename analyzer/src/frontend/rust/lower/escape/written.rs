//! Places behind `Deref` and `Index` of the crate's own: what is written there is written somewhere in the value.

use super::super::super::hir::{ExprId, ExprKind, Mutability, PatId, PatKind, Statement};
use super::super::super::types::Ty;
use super::Escape;

impl Escape<'_, '_> {
    /// Places that an expression writes or lends to be written.
    pub(super) fn written(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Assign(left, _) => {
                body.assigned(*left).into_iter().for_each(|place| self.written_behind(place));
            }
            ExprKind::Update(_, place, _) | ExprKind::Reference(Mutability::Mutable, place) => {
                self.written_behind(*place)
            }
            ExprKind::Method { receiver, .. } if self.lends_mutably(id, *receiver, Some(*receiver)) => {
                self.written_behind(*receiver);
            }
            ExprKind::Match(value, arms) if arms.iter().any(|arm| self.lends_parts(arm.pat)) => {
                self.written_behind(*value);
            }
            ExprKind::Let(pat, value) if self.lends_parts(*pat) => self.written_behind(*value),
            ExprKind::Block { statements, .. } => {
                for statement in statements {
                    if let Statement::Let { pat, init: Some(value), .. } = statement
                        && self.lends_parts(*pat)
                    {
                        self.written_behind(*value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Where a type of the crate says what lies behind it (`Deref`, `Index`), a place there is somewhere in the value.
    fn written_behind(&mut self, place: ExprId) {
        let (base, known) = match &self.body.expr(place).kind {
            ExprKind::Field(base, name) => (*base, self.context.field_named(self.ty(*base), name).is_some()),
            ExprKind::Deref(base) => (*base, self.context.dereferenced(self.ty(*base)).is_some()),
            ExprKind::Index(base, _) => {
                let of = self.context.behind(self.ty(*base));
                (*base, matches!(of, Ty::Array(..)) || self.context.element_type(self.ty(*base)).is_some())
            }
            ExprKind::Reference(_, base) => (*base, true),
            _ => return,
        };
        if !known && self.is_writable(base) {
            self.give_up(base);
        }
        self.written_behind(base);
    }

    /// Whether a pattern binds parts of what it matches to be written.
    fn lends_parts(&self, pat: PatId) -> bool {
        match &self.body.pat(pat).kind {
            PatKind::Bind { local, inner, .. } => {
                matches!(self.typing.locals[local.index()], Ty::Reference(Mutability::Mutable, _))
                    || inner.is_some_and(|inner| self.lends_parts(inner))
            }
            PatKind::Reference(inner) => self.lends_parts(*inner),
            PatKind::Or(pats)
            | PatKind::Tuple(pats, _)
            | PatKind::TupleStruct(_, pats, _)
            | PatKind::Slice(pats, _) => pats.iter().any(|pat| self.lends_parts(*pat)),
            PatKind::Struct(_, fields) => fields.iter().any(|(_, pat)| self.lends_parts(*pat)),
            _ => false,
        }
    }
}
