//! Which part of an argument the result of a call may refer to, where the body of what is called says so.

use std::ops::Range;

use super::super::super::hir::{Body, ExprId, ExprKind, LocalId, Mutability, PatKind};
use super::super::super::infer::Callee;
use super::super::super::types::Ty;
use super::Escape;

impl Escape<'_, '_> {
    /// The leaves that `&mut self.field` in the body of a call lends, for all ways in which it gives a result. Only a
    /// body that says it in one word is looked at: nothing else of the argument gets into the result then.
    pub(super) fn part_given(
        &self,
        call: ExprId,
        at: usize,
        argument: ExprId,
    ) -> Option<(LocalId, Range<usize>)> {
        let Some(Callee::Function(function, _)) = self.typing.callees.get(&call) else { return None };
        let function = self.context.items.function(*function);
        let body = function.body.as_ref().filter(|_| function.opaque.is_none())?;
        let PatKind::Bind { local: parameter, inner: None, .. } = body.pat(*body.parameters.get(at)?).kind
        else {
            return None;
        };
        let leaves = |expr: &ExprKind| {
            matches!(
                expr,
                ExprKind::Return(_) | ExprKind::Try(_) | ExprKind::Opaque(_) | ExprKind::Closure(_)
            )
        };
        if body.exprs.iter().any(|expr| leaves(&expr.kind)) {
            return None;
        }
        let (local, whole) = self.range(argument)?;
        let mut given: Option<Range<usize>> = None;
        let mut work = vec![body.root?];
        while let Some(id) = work.pop() {
            match &body.expr(id).kind {
                ExprKind::Block { tail: Some(tail), labelled: false, .. } => work.push(*tail),
                ExprKind::If { then, otherwise: Some(otherwise), .. } => work.extend([*then, *otherwise]),
                ExprKind::Match(_, arms) => work.extend(arms.iter().map(|arm| arm.body)),
                ExprKind::Panic(_) => {}
                ExprKind::Path(path) if path.segments.last().is_some_and(|name| name.name == "None") => {}
                ExprKind::Call(callee, arguments) if self.is_some(body, *callee) => work.extend(arguments),
                ExprKind::Reference(Mutability::Mutable, place) => {
                    let ty = self.context.behind(self.ty(argument));
                    let (part, _) = self.part(body, *place, parameter, (whole.clone(), ty))?;
                    given = Some(match given {
                        Some(given) => given.start.min(part.start)..given.end.max(part.end),
                        None => part,
                    });
                }
                _ => return None,
            }
        }
        given.map(|given| (local, given))
    }

    fn is_some(&self, body: &Body, callee: ExprId) -> bool {
        match &body.expr(callee).kind {
            ExprKind::Path(path) => path.single().is_some_and(|name| name == "Some" || name == "Ok"),
            _ => false,
        }
    }

    /// The leaves of a place inside the parameter of another body, and its type here.
    fn part(
        &self,
        body: &Body,
        place: ExprId,
        parameter: LocalId,
        whole: (Range<usize>, Ty),
    ) -> Option<(Range<usize>, Ty)> {
        match &body.expr(place).kind {
            ExprKind::Local(local) if *local == parameter => Some(whole),
            ExprKind::Deref(inner) => {
                let (range, ty) = self.part(body, *inner, parameter, whole)?;
                // The parameter is a reference to what was handed over; what a type of the crate says lies behind it is
                // somewhere in the value.
                match body.expr(*inner).kind {
                    ExprKind::Local(_) => Some((range, ty)),
                    _ => Some((range, self.context.dereferenced(&ty).unwrap_or(Ty::Opaque))),
                }
            }
            ExprKind::Field(base, name) => {
                let (range, ty) = self.part(body, *base, parameter, whole)?;
                match self.context.field_named(&ty, name) {
                    Some((at, ty)) => {
                        let start = range.start + at;
                        Some((start..(start + self.context.leaf_count(&ty)).min(range.end), ty))
                    }
                    None => Some((range, Ty::Opaque)),
                }
            }
            ExprKind::Index(base, _) => {
                let (range, ty) = self.part(body, *base, parameter, whole)?;
                match self.context.element_type(&ty) {
                    Some(_) => Some(((range.start + 2).min(range.end)..range.end, Ty::Opaque)),
                    None => Some((range, Ty::Opaque)),
                }
            }
            _ => None,
        }
    }
}
