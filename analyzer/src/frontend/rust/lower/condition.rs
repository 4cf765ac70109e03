//! Conditions, as one guard where they can be and as control flow where they need steps.

use super::super::super::arith;
use super::super::super::build::Point;
use super::super::hir::{ExprId, ExprKind, Lazy, Operator};
use super::super::items::AdtKind;
use super::super::types::{Length, Ty};
use super::steps::{Goal, Lowerer};
use super::value::Value;
use crate::ir::{Cond, Expr};
use crate::source::Span;
use kleene_domains::expr::CompareOp;

impl Lowerer<'_, '_, '_> {
    /// A condition that needs no steps on its right sides.
    pub fn cond(&mut self, id: ExprId) -> Cond {
        let body = self.frame.body;
        match &body.expr(id).kind {
            ExprKind::Not(inner) if self.ty(*inner) == Ty::Bool => arith::not(self.cond(*inner)),
            ExprKind::Lazy(lazy, left, right) if !self.needs_steps(*right) => {
                let left = self.cond(*left);
                let reached = if *lazy == Lazy::And { left.clone() } else { arith::not(left.clone()) };
                self.pending.enter(reached);
                let right = self.cond(*right);
                self.pending.leave();
                if *lazy == Lazy::And { left.and(right) } else { left.or(right) }
            }
            ExprKind::Binary(Operator::Compare(op), left, right) if !self.is_overloaded(id) => {
                self.comparison(*op, *left, *right, self.span(id))
            }
            _ => {
                let value = self.value(id);
                self.truth(&value, self.span(id))
            }
        }
    }

    pub fn truth(&mut self, value: &Value, span: Span) -> Cond {
        match value.expr() {
            Some(expr) => arith::truth(expr.clone()),
            None if value.ty == Ty::Never => Cond::Literal(true),
            None => {
                let value = self.unseen_value(&Ty::Bool, "a condition of unknown type", span);
                value.expr().map_or(Cond::Literal(true), |expr| arith::truth(expr.clone()))
            }
        }
    }

    /// Goes to `yes` or `no`. What follows is dead.
    pub fn branch(&mut self, id: ExprId, yes: Point, no: Point) {
        let body = self.frame.body;
        let span = self.span(id);
        if self.needs_steps(id) {
            match &body.expr(id).kind {
                ExprKind::Not(inner) if self.ty(*inner) == Ty::Bool => return self.branch(*inner, no, yes),
                ExprKind::Lazy(lazy, left, right) => {
                    let middle = self.builder.point();
                    match lazy {
                        Lazy::And => self.branch(*left, middle, no),
                        Lazy::Or => self.branch(*left, yes, middle),
                    }
                    self.builder.current = middle;
                    return self.branch(*right, yes, no);
                }
                ExprKind::Let(pat, value) => return self.let_condition(*pat, *value, yes, no, span),
                ExprKind::If { .. } | ExprKind::Match(..) | ExprKind::Block { .. } => {
                    return self.run(id, &Goal::Branch(yes, no));
                }
                _ => {}
            }
        }
        let cond = self.cond(id);
        self.split(span, cond, yes, no);
    }

    fn comparison(&mut self, op: CompareOp, left: ExprId, right: ExprId, span: Span) -> Cond {
        let [left, right]: [Value; 2] = match self.values(&[left, right]).try_into() {
            Ok(pair) => pair,
            Err(_) => return Cond::Literal(true),
        };
        self.compare_values(op, &left, &right, span)
    }

    /// How two values compare; unknown where the types are not understood.
    pub fn compare_values(&mut self, op: CompareOp, left: &Value, right: &Value, span: Span) -> Cond {
        let scalar = |value: &Value| matches!(value.ty.behind(), Ty::Integer(_) | Ty::Bool | Ty::Char);
        if let (Some(one), Some(other), true, true) = (left.expr(), right.expr(), scalar(left), scalar(right))
        {
            return arith::compare(op, one.clone(), other.clone());
        }
        if let Some(found) = self.compare_pointers(op, left, right, span) {
            return found;
        }
        let ty = left.ty.behind().clone();
        if let Some(same) = self.compare_slices(op, left, right, span) {
            return same;
        }
        if matches!(op, CompareOp::Equal | CompareOp::NotEqual)
            && ty == *right.ty.behind()
            && let Some(equal) = self.equal(&ty, left, right)
        {
            return if op == CompareOp::Equal { equal } else { arith::not(equal) };
        }
        if let Some(found) = self.compare_derived(op, left, right) {
            return found;
        }
        let unknown = self.unknown_value(&Ty::Bool, "a comparison of values of this type", span);
        unknown.expr().map_or(Cond::Literal(true), |expr| arith::truth(expr.clone()))
    }

    /// Whether values are the same that compare by what is derived; what is not computed is not known.
    pub fn plainly_equal(&mut self, left: &Value, right: &Value, span: Span) -> Cond {
        if let Some(same) = self.compare_slices(CompareOp::Equal, left, right, span) {
            return same;
        }
        let ty = left.ty.behind().clone();
        if ty == *right.ty.behind()
            && let Some(equal) = self.equal(&ty, left, right)
        {
            return equal;
        }
        let unseen = self.unseen(&Ty::Bool, span);
        unseen.expr().map_or(Cond::Literal(true), |expr| arith::truth(expr.clone()))
    }

    /// Slices and texts: the same where their elements are, in any order of theirs elsewhere.
    fn compare_slices(&mut self, op: CompareOp, left: &Value, right: &Value, span: Span) -> Option<Cond> {
        let array = |ty: &Ty| match self.context.behind(ty) {
            Ty::Array(element, Length::Known(_)) => Some(*element),
            _ => None,
        };
        let known = |ty: &Ty| self.context.element_type(ty);
        let element = known(&left.ty).or_else(|| known(&right.ty))?;
        let other =
            known(&left.ty).or_else(|| array(&left.ty)).zip(known(&right.ty).or_else(|| array(&right.ty)));
        if other.is_none_or(|(one, other)| one != element || other != element) {
            return None;
        }
        let slice = Ty::Slice(Box::new(element.clone()));
        let (left, right) = (self.fitted(left, &slice, span), self.fitted(right, &slice, span));
        let same = match op {
            CompareOp::Equal | CompareOp::NotEqual => self.same_elements(&element, &left, &right, span),
            _ => None,
        };
        let same = match same {
            Some(same) => same,
            None => {
                let unseen = self.unseen_comparison(&element, span);
                unseen.expr().map_or(Cond::Literal(true), |expr| arith::truth(expr.clone()))
            }
        };
        Some(if op == CompareOp::NotEqual { arith::not(same) } else { same })
    }

    /// Derived equality, part by part; `None` if a part has an equality of its own.
    fn equal(&self, ty: &Ty, left: &Value, right: &Value) -> Option<Cond> {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char => {
                Some(arith::compare(CompareOp::Equal, left.expr()?.clone(), right.expr()?.clone()))
            }
            Ty::Float(bits) => {
                Some(super::order::compare_floats(CompareOp::Equal, *bits, left.expr()?, right.expr()?))
            }
            Ty::Reference(_, inner) => self.equal(inner, left, right),
            Ty::Tuple(parts) => {
                let mut at = 0;
                let mut all = Cond::Literal(true);
                for part in parts {
                    let (one, other) = (
                        self.context.value_part(left, at, part.clone())?,
                        self.context.value_part(right, at, part.clone())?,
                    );
                    all = all.and(self.equal(part, &one, &other)?);
                    at += self.context.leaf_count(part);
                }
                Some(all)
            }
            Ty::Array(element, Length::Known(length)) if self.context.is_followed(ty) => {
                let mut all = Cond::Literal(true);
                let (left, right) = (left.clone().with_type(ty.clone()), right.clone().with_type(ty.clone()));
                for index in 0..*length {
                    let one = self.context.element_value(&left, index)?;
                    let other = self.context.element_value(&right, index)?;
                    all = all.and(self.equal(element, &one, &other)?);
                }
                Some(all)
            }
            Ty::Adt(id, arguments) => self.equal_adts(*id, arguments, left, right),
            _ => None,
        }
    }

    fn equal_adts(
        &self,
        id: super::super::hir::AdtId,
        arguments: &[Ty],
        left: &Value,
        right: &Value,
    ) -> Option<Cond> {
        let adt = self.context.items.adt(id);
        if adt.opaque || !adt.derives.contains("PartialEq") {
            return None;
        }
        let tag = |value: &Value| -> Option<Expr> { value.leaves.first()?.first().cloned() };
        let mut all = match adt.kind {
            AdtKind::Enum => arith::compare(CompareOp::Equal, tag(left)?, tag(right)?),
            AdtKind::Struct => Cond::Literal(true),
        };
        for (index, variant) in adt.variants.iter().enumerate() {
            let mut fields = Cond::Literal(true);
            for field in 0..variant.fields.len() {
                let (at, ty) = self.context.field_leaves(id, index as u32, field, arguments);
                let one = self.context.value_part(left, at, ty.clone())?;
                let other = self.context.value_part(right, at, ty.clone())?;
                fields = fields.and(self.equal(&ty, &one, &other)?);
            }
            if adt.kind == AdtKind::Enum && fields != Cond::Literal(true) {
                let number = arith::constant(index as i64);
                fields = arith::compare(CompareOp::NotEqual, tag(left)?, number).or(fields);
            }
            all = all.and(fields);
        }
        Some(all)
    }
}
