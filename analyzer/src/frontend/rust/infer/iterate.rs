//! Iterators: what `for` draws from a value, and ranges and arrays at the beginning of a chain.
//!
//! `for` over a plain range or array needs no iterator. Where a method of `Iterator` is called on one, it
//! becomes the structure that our own text of std has for it.

use super::super::hir::{ExprId, ExprKind, FnId, Mutability, PatId, PatKind, TraitId};
use super::super::items::Definition;
use super::super::std_table::Meaning;
use super::super::types::{Length, Ty};
use super::{Callee, Infer};

impl Infer<'_, '_> {
    pub(super) fn iterator_trait(&self) -> Option<TraitId> {
        match self.context.items.standard("iter::Iterator") {
            Some(Definition::Trait(id)) => Some(id),
            _ => None,
        }
    }

    fn iterator_method(&self, name: &str) -> Option<FnId> {
        let id = self.iterator_trait()?;
        self.context.items.traits[id.index()].functions.get(name).copied()
    }

    fn standard_function(&self, path: &str) -> Option<FnId> {
        match self.context.items.standard(path) {
            Some(Definition::Function(id)) => Some(id),
            _ => None,
        }
    }

    /// The receiver of a method of `Iterator`, as an iterator of our own text where it is none yet.
    pub(super) fn iterating(&mut self, receiver: ExprId, name: &str) -> Option<Ty> {
        let of_range = matches!(name, "contains" | "is_empty");
        if !of_range {
            self.iterator_method(name)?;
        }
        let ty = self.resolved(&self.typing.exprs[receiver.index()]);
        let over_range = matches!(ty, Ty::Range(_)) && !matches!(name, "rev" | "step_by");
        let over_array = matches!(
            self.typing.callees.get(&receiver),
            Some(Callee::Standard(Meaning::Iterate, Ty::Array(..)))
        );
        if over_range || over_array && !of_range { self.promoted(receiver) } else { None }
    }

    /// Takes a range or the elements of an array as an iterator of our own text.
    pub(super) fn promoted(&mut self, id: ExprId) -> Option<Ty> {
        let body = self.body;
        let ty = match &body.expr(id).kind {
            ExprKind::Range { low: Some(_), high: Some(_), inclusive } => {
                let Ty::Range(bound) = self.resolved(&self.typing.exprs[id.index()]) else { return None };
                let name = if *inclusive { "iter::CountedInclusive" } else { "ops::Range" };
                self.context.standard_adt(name, vec![*bound])
            }
            ExprKind::Method { receiver, name, .. } => self.promoted_method(id, *receiver, name)?,
            _ => return None,
        };
        self.typing.exprs[id.index()] = ty.clone();
        Some(ty)
    }

    /// `for (n, x) in xs.iter_mut().enumerate()`: what `x` stands for are the places themselves.
    pub(super) fn enumerated(&mut self, pat: PatId, iterated: ExprId) -> Option<Ty> {
        let of = |id: ExprId, wanted: &str| match &self.body.expr(id).kind {
            ExprKind::Method { receiver, name, arguments, .. } if name == wanted && arguments.is_empty() => {
                Some(*receiver)
            }
            _ => None,
        };
        let elements = of(iterated, "enumerate")?;
        let mut place = of(elements, "iter_mut")?;
        while let ExprKind::Field(inner, _) | ExprKind::Deref(inner) = &self.body.expr(place).kind {
            place = *inner;
        }
        let is_pair = matches!(&self.body.pat(pat).kind, PatKind::Tuple(pats, None) if pats.len() == 2);
        if !is_pair || !matches!(self.body.expr(place).kind, ExprKind::Local(_)) {
            return None;
        }
        self.looped = Some(elements);
        let ty = self.value(elements);
        let walked =
            matches!(self.typing.callees.get(&elements), Some(Callee::Standard(Meaning::Iterate, _)));
        if !walked || !matches!(ty, Ty::Reference(Mutability::Mutable, _)) {
            return None;
        }
        self.typing.callees.insert(iterated, Callee::Standard(Meaning::Enumerated, ty.clone()));
        self.typing.exprs[iterated.index()] = ty.clone();
        let item = self.iterated(&ty);
        Some(Ty::Tuple(vec![self.context.usize(), item]))
    }

    fn promoted_method(&mut self, id: ExprId, receiver: ExprId, name: &str) -> Option<Ty> {
        let Some(Callee::Standard(meaning, own)) = self.typing.callees.get(&id).cloned() else { return None };
        let (callee, ty) = match (meaning, self.resolved(&own)) {
            (Meaning::Iterate, Ty::Array(element, Length::Known(length))) => {
                let held = self.resolved(&self.typing.exprs[receiver.index()]);
                let by_value = name == "into_iter" && matches!(held, Ty::Array(..));
                if matches!(held, Ty::Reference(Mutability::Mutable, _)) && name == "into_iter" {
                    return None;
                }
                let (function, adt) = match (name, by_value) {
                    ("iter_mut", _) => return None,
                    (_, true) => ("iter::owned_elements", "iter::OwnedElements"),
                    (_, false) => ("iter::elements", "iter::Elements"),
                };
                let generics = vec![*element, Ty::Constant(length)];
                let callee = Callee::Function(self.standard_function(function)?, generics.clone());
                (callee, self.context.standard_adt(adt, generics))
            }
            (Meaning::Iterate, Ty::Range(_)) => {
                let inner = self.promoted(receiver)?;
                (Callee::Standard(Meaning::Identity, inner.clone()), inner)
            }
            (Meaning::Reversed, _) => {
                let inner = self.promoted(receiver)?;
                let callee = Callee::Function(self.iterator_method("rev")?, vec![inner.clone()]);
                (callee, self.context.standard_adt("iter::Rev", vec![inner]))
            }
            (Meaning::StepBy, _) => {
                let inner = self.promoted(receiver)?;
                let callee = Callee::Function(self.iterator_method("step_by")?, vec![inner.clone()]);
                (callee, self.context.standard_adt("iter::StepBy", vec![inner]))
            }
            _ => return None,
        };
        self.typing.callees.insert(id, callee);
        Some(ty)
    }

    /// What `for` draws from an iterator, and the function that draws it.
    pub(super) fn drawn(&mut self, id: ExprId, ty: &Ty) -> Option<Ty> {
        let ty = self.variables.known(ty);
        if !matches!(ty, Ty::Adt(..)) {
            return None;
        }
        let (next, generics) = self.implemented(self.iterator_trait()?, "next", &ty)?;
        let (_, result) = self.signature(next, &generics);
        let Ty::Adt(option, arguments) = self.resolved(&result) else { return None };
        if !self.context.items.is_standard(option, "Option") {
            return None;
        }
        self.typing.callees.insert(id, Callee::Function(next, generics));
        arguments.first().cloned()
    }
}
