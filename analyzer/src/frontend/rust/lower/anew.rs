//! Names for slices that are set to a part of them: `rest = &mut rest[n..]`.
//!
//! Such a name has the elements of what it was borrowed from, and ends of its own.

use std::rc::Rc;

use super::super::hir::{ExprId, ExprKind, LocalId, Mutability, PatKind};
use super::super::types::Ty;
use super::escape::{is_set_anew, names_slice};
use super::steps::Lowerer;
use super::value::Spot;
use crate::ir::{Effect, StepKind};
use crate::source::Span;

impl Lowerer<'_, '_, '_> {
    /// The place that a local names, with ends of its own if it is set anew. Where that cannot be said, nothing is
    /// known of what it names.
    pub fn with_own_ends(&mut self, local: LocalId, mut spot: Spot, span: Span) -> Spot {
        let ty = self.frame.typing.locals[local.index()].clone();
        let Ty::Reference(_, whole) = &ty else { return spot };
        if !names_slice(&ty) || !is_set_anew(self.frame.body, local) {
            return spot;
        }
        let hidden = self.frame.hidden.get(&local);
        let sure = hidden.is_none_or(|leaves| !leaves.iter().take(2).any(|hidden| *hidden));
        if sure
            && spot.indices.is_empty()
            && self.context.element_type(&spot.ty).is_some()
            && let Some(ends) = self.ends(&spot, span)
        {
            self.flush(span);
            let own = self.narrowed(&spot, whole, ends, span);
            return self.context.retyped(own, ty);
        }
        if let Some(leaves) = &mut spot.leaves {
            leaves.iter_mut().for_each(|leaf| leaf.hidden = true);
            let count = leaves.len();
            Rc::make_mut(&mut self.frame.hidden).give_up(local, count);
        }
        spot
    }

    pub fn own_ends_of_parameters(&mut self, span: Span) {
        let body = self.frame.body;
        for pat in &body.parameters {
            let PatKind::Bind { local, inner: None, .. } = body.pat(*pat).kind else { continue };
            if let Some(spot) = self.frame.locals[local.index()].clone() {
                let spot = self.with_own_ends(local, spot, span);
                self.frame.locals[local.index()] = Some(spot);
            }
        }
    }

    /// Sets a name to a part of the slice it stands for; whether it is one.
    pub fn set_ends(&mut self, local: LocalId, spot: &Spot, right: ExprId, span: Span) -> bool {
        let ty = self.frame.typing.locals[local.index()].clone();
        let body = self.frame.body;
        let ExprKind::Reference(Mutability::Mutable, inner) = body.expr(right).kind else { return false };
        let mut base = inner;
        while let ExprKind::Index(inner, _) | ExprKind::Deref(inner) = body.expr(base).kind {
            base = inner;
        }
        let same = matches!(body.expr(base).kind, ExprKind::Local(named) if named == local);
        if !same || !names_slice(&ty) || spot.leaves.is_none() || !spot.indices.is_empty() {
            return false;
        }
        let Some(part) = self.lent(right) else { return false };
        let contents = |spot: &Spot| spot.leaves.as_ref().map(|leaves| leaves.get(2..).map(<[_]>::to_vec));
        if contents(&part) != contents(spot) || !part.indices.is_empty() {
            let value = self.read(&part, span);
            self.store(spot, &value, StepKind::Assignment, span);
            return true;
        }
        let ends = [0, 1].map(|at| self.context.spot_part(spot, at, self.context.usize()));
        let (Some((start, length)), false) = (self.ends(&part, span), ends.iter().any(|end| !end.is_plain()))
        else {
            return true;
        };
        let places = ends.iter().flat_map(|end| self.context.leaf_places(end));
        let writes = places.zip([start, length]).collect();
        self.advance(StepKind::Assignment, span, Effect::Assign(writes));
        true
    }
}
