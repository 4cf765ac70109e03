//! Iterators: what `for` draws from a value, and ranges and arrays at the beginning of a chain.
//!
//! `for` over a plain range or array needs no iterator. Where a method of `Iterator` is called on one, it
//! becomes the structure that our own text of std has for it.

use super::super::hir::{ExprId, ExprKind, FnId, Mutability, PatId, PatKind, TraitId};
use super::super::items::Definition;
use super::super::std_table::{Meaning, WalkStep};
use super::super::traits::TraitName;
use super::super::types::{Length, Ty};
use super::path::{Item, Through};
use super::{Callee, Infer};

/// A call in a chain, what it says, and its argument.
type Step = (ExprId, WalkStep, Option<ExprId>);

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
            ExprKind::Range { low: Some(_), high: None, .. } => {
                let Ty::Range(bound) = self.resolved(&self.typing.exprs[id.index()]) else { return None };
                self.context.standard_adt("ops::RangeFrom", vec![*bound])
            }
            ExprKind::Method { receiver, name, .. } => self.promoted_method(id, *receiver, name)?,
            _ => return None,
        };
        self.typing.exprs[id.index()] = ty.clone();
        Some(ty)
    }

    /// `for (n, x) in xs.iter_mut().enumerate()` and the like: what `x` stands for are the places themselves.
    pub(super) fn walked(&mut self, pat: PatId, iterated: ExprId) -> Option<Ty> {
        let (steps, elements) = self.walk_steps(pat, iterated)?;
        self.looped = Some(elements);
        let ty = self.value(elements);
        let walked =
            matches!(self.typing.callees.get(&elements), Some(Callee::Standard(Meaning::Iterate, _)));
        if !walked || !matches!(ty, Ty::Reference(Mutability::Mutable, _)) {
            return None;
        }
        let mut item = self.iterated(&ty);
        for (id, step, argument) in steps.into_iter().rev() {
            item = match (step, argument) {
                (WalkStep::Numbered, _) => Ty::Tuple(vec![self.context.usize(), item]),
                (WalkStep::Zipped, Some(argument)) => {
                    let other = self.zipped(id, argument)?;
                    Ty::Tuple(vec![item, other])
                }
                (_, Some(argument)) => {
                    let usize = self.context.usize();
                    self.check(argument, &usize);
                    item
                }
                (_, None) => item,
            };
            self.typing.callees.insert(id, Callee::Standard(Meaning::Walked(step), ty.clone()));
            self.typing.exprs[id.index()] = ty.clone();
        }
        Some(item)
    }

    /// The steps of a chain, the last one first, and the call it begins with. Patterns must take apart what they are
    /// given, so that nothing but a name stands for a place.
    fn walk_steps(&self, mut pat: PatId, iterated: ExprId) -> Option<(Vec<Step>, ExprId)> {
        let (mut steps, mut id) = (Vec::new(), iterated);
        let place = loop {
            let ExprKind::Method { receiver, name, arguments, .. } = &self.body.expr(id).kind else {
                return None;
            };
            let step = match (name.as_str(), arguments.as_slice()) {
                ("iter_mut", []) if !steps.is_empty() => break *receiver,
                ("enumerate", []) => WalkStep::Numbered,
                ("rev", []) => WalkStep::Reversed,
                ("skip", [_]) => WalkStep::Skipped,
                ("take", [_]) => WalkStep::Taken,
                ("zip", [_]) if steps.is_empty() => WalkStep::Zipped,
                _ => return None,
            };
            let part = match step {
                WalkStep::Numbered => Some(1),
                WalkStep::Zipped => Some(0),
                _ => None,
            };
            if let Some(part) = part {
                let PatKind::Tuple(pats, None) = &self.body.pat(pat).kind else { return None };
                if pats.len() != 2 || step == WalkStep::Numbered && self.is_numbered(&steps) {
                    return None;
                }
                pat = pats[part];
            }
            steps.push((id, step, arguments.first().copied()));
            id = *receiver;
        };
        let mut base = place;
        while let ExprKind::Field(inner, _) | ExprKind::Deref(inner) = &self.body.expr(base).kind {
            base = *inner;
        }
        matches!(self.body.expr(base).kind, ExprKind::Local(_)).then_some((steps, id))
    }

    fn is_numbered(&self, steps: &[Step]) -> bool {
        steps.iter().any(|(_, step, _)| *step == WalkStep::Numbered)
    }

    /// What an iterator beside the places gives; nothing that can be written.
    fn zipped(&mut self, id: ExprId, argument: ExprId) -> Option<Ty> {
        let ty = self.value(argument);
        let ty = self.promoted(argument).unwrap_or(ty);
        let (next, item) = self.next_of(&ty)?;
        let writes = |ty: &Ty| ty.any(&mut |part| matches!(part, Ty::Reference(Mutability::Mutable, _)));
        if writes(&self.variables.known(&ty)) || writes(&self.variables.known(&item)) {
            return None;
        }
        self.typing.draws.insert(id, next);
        Some(item)
    }

    /// `for x in a..`: what counts without an end is drawn like from any other iterator.
    pub(super) fn endless(&mut self, id: ExprId) -> Option<Ty> {
        match self.body.expr(id).kind {
            ExprKind::Range { low: Some(_), high: None, .. } => self.promoted(id),
            _ => None,
        }
    }

    fn promoted_method(&mut self, id: ExprId, receiver: ExprId, name: &str) -> Option<Ty> {
        let Some(Callee::Standard(meaning, own)) = self.typing.callees.get(&id).cloned() else { return None };
        let (callee, ty) = match (meaning, self.resolved(&own)) {
            (Meaning::Iterate, Ty::Array(element, Length::Known(length))) => {
                let held = self.resolved(&self.typing.exprs[receiver.index()]);
                let by_value = name == "into_iter" && self.gives_elements(id);
                if matches!(held, Ty::Reference(Mutability::Mutable, _)) && name == "into_iter" {
                    return None;
                }
                let (function, adt) = match (name, by_value) {
                    ("iter_mut", _) => return None,
                    (_, true) => ("iter::owned_elements", "iter::OwnedElements"),
                    (_, false) => ("iter::elements", "iter::Elements"),
                };
                let generics = vec![*element, Ty::Constant(i128::from(length))];
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

    /// Whether `into_iter` gives the elements of an array themselves: of one that is borrowed, and of all before 2021, it
    /// lends them.
    pub(super) fn gives_elements(&self, call: ExprId) -> bool {
        let ExprKind::Method { receiver, .. } = &self.body.expr(call).kind else { return false };
        let items = self.context.items;
        let edition = items.crates.get(self.krate().0 as usize).and_then(|krate| krate.edition);
        let mut held = self.resolved(&self.typing.exprs[receiver.index()]);
        let mut is_borrowed = false;
        while !matches!(held, Ty::Array(..)) {
            is_borrowed = matches!(held, Ty::Reference(..));
            let Some(inner) = self.context.dereferenced(&held) else { return false };
            held = self.resolved(&inner);
        }
        !is_borrowed && edition.is_none_or(|edition| edition >= 2021)
    }

    /// What `for` draws from an iterator, and the function that draws it.
    pub(super) fn drawn(&mut self, id: ExprId, ty: &Ty) -> Option<Ty> {
        let known = self.variables.known(ty);
        // Of an iterator that is lent, the same is drawn.
        let lent = match (self.through_collection(&known), known) {
            (Some(through), _) => through,
            (None, Ty::Reference(Mutability::Mutable, inner)) => *inner,
            (None, ty) => ty,
        };
        let (next, item) = self.next_of(&lent)?;
        self.typing.callees.insert(id, Callee::Function(next.0, next.1));
        Some(item)
    }

    /// What `for` draws from a value of the crate's own, by its `into_iter`. Places that are lent to be written are not
    /// followed.
    pub(super) fn entered(&mut self, id: ExprId, ty: &Ty) -> Option<Ty> {
        let known = self.variables.known(ty);
        let held = match &known {
            Ty::Reference(Mutability::Shared, inner) => inner,
            ty => ty,
        };
        let Ty::Adt(adt, _) = held else { return None };
        if self.context.items.is_std_module(self.context.items.adt(*adt).module) {
            return None;
        }
        let of_trait = Through::Trait(TraitName::Standard("iter::IntoIterator".into()));
        let Item::Function(function, generics) = self.associated(&known, &of_trait, "into_iter", &[]) else {
            return None;
        };
        let (parameters, iterator) = self.signature(function, &generics);
        let writes = |ty: &Ty| ty.any(&mut |part| matches!(part, Ty::Reference(Mutability::Mutable, _)));
        if parameters.len() != 1 || writes(&self.variables.known(&iterator)) {
            return None;
        }
        self.variables.unify(&parameters[0], &known);
        let (next, item) = self.next_of(&iterator)?;
        self.typing.callees.insert(id, Callee::Function(next.0, next.1));
        self.typing.entered.insert(id, (function, generics));
        Some(item)
    }

    pub(super) fn next_of(&mut self, ty: &Ty) -> Option<((FnId, Vec<Ty>), Ty)> {
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
        Some(((next, generics), arguments.first().cloned()?))
    }
}
