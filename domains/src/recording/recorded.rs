//! A relation that writes down what is asked of it.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::{Answer, Element, LOG, Operation, note};
use crate::expr::Var;
use crate::int::Int;
use crate::interval::Interval;
use crate::lattice::Lattice;
use crate::linear::LinearExpr;
use crate::relation::{Constraint, Relation};

/// Hashing, showing and asking for points is left out: other libraries do not know it.
#[derive(Clone)]
pub struct Recorded<R> {
    relation: R,
    element: Element,
}

impl<R: Relation> Recorded<R> {
    fn new(relation: R, operation: impl FnOnce() -> Operation) -> Self {
        Self { relation, element: note(operation, &Answer::Element) }
    }

    fn changed(&mut self, operation: impl FnOnce() -> Operation) {
        self.element = note(operation, &Answer::Element);
    }

    fn truth(truth: bool, operation: impl FnOnce() -> Operation) -> bool {
        note(operation, &Answer::Truth(truth));
        truth
    }
}

impl<R: Relation> Lattice for Recorded<R> {
    fn is_bottom(&self) -> bool {
        Self::truth(self.relation.is_bottom(), || Operation::IsBottom(self.element))
    }

    fn leq(&self, other: &Self) -> bool {
        Self::truth(self.relation.leq(&other.relation), || Operation::Leq(self.element, other.element))
    }

    fn join(&self, other: &Self) -> Self {
        Self::new(self.relation.join(&other.relation), || Operation::Join(self.element, other.element))
    }

    fn meet(&self, other: &Self) -> Self {
        Self::new(self.relation.meet(&other.relation), || Operation::Meet(self.element, other.element))
    }
}

impl<R: Relation> Relation for Recorded<R> {
    fn top(dimensions: usize) -> Self {
        Self::new(R::top(dimensions), || Operation::Top(dimensions))
    }

    fn bottom(dimensions: usize) -> Self {
        Self::new(R::bottom(dimensions), || Operation::Bottom(dimensions))
    }

    fn dimensions(&self) -> usize {
        self.relation.dimensions()
    }

    fn constrain(&mut self, constraints: &[Constraint]) {
        self.relation.constrain(constraints);
        let before = self.element;
        self.changed(|| Operation::Constrain(before, constraints.to_vec()));
    }

    fn assign(&mut self, variable: Var, form: &LinearExpr) {
        self.relation.assign(variable, form);
        let before = self.element;
        self.changed(|| Operation::Assign(before, variable, form.clone()));
    }

    fn forget(&mut self, variable: Var) {
        self.relation.forget(variable);
        let before = self.element;
        self.changed(|| Operation::Forget(before, variable));
    }

    fn bounds(&self, form: &LinearExpr) -> Option<Interval> {
        let bounds = self.relation.bounds(form);
        LOG.with_borrow_mut(|log| log.iter_mut().for_each(|log| log.bounds(self.element, form, &bounds)));
        bounds
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        let truth = self.relation.entails(constraint);
        Self::truth(truth, || Operation::Entails(self.element, constraint.clone()))
    }

    fn constraints(&self) -> Vec<Constraint> {
        let constraints = self.relation.constraints();
        note(|| Operation::Constraints(self.element), &Answer::Count(constraints.len()));
        constraints
    }

    fn rearranged(&self, from: &[Option<Var>]) -> Self {
        Self::new(self.relation.rearranged(from), || Operation::Rearrange(self.element, from.to_vec()))
    }

    fn widen(&self, newer: &Self, thresholds: &[Constraint]) -> Self {
        let widened = self.relation.widen(&newer.relation, thresholds);
        Self::new(widened, || Operation::Widen(self.element, newer.element, thresholds.to_vec()))
    }

    fn narrow(&self, smaller: &Self) -> Self {
        let narrowed = self.relation.narrow(&smaller.relation);
        Self::new(narrowed, || Operation::Narrow(self.element, smaller.element))
    }

    fn contains(&self, point: &[Int]) -> bool {
        self.relation.contains(point)
    }

    fn is_degraded(&self) -> bool {
        self.relation.is_degraded()
    }
}

impl<R: Relation> PartialEq for Recorded<R> {
    fn eq(&self, other: &Self) -> bool {
        Self::truth(self.relation == other.relation, || Operation::Equals(self.element, other.element))
    }
}

impl<R: Relation> Eq for Recorded<R> {}

impl<R: Relation> Hash for Recorded<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.relation.hash(state);
    }
}

impl<R: Relation> fmt::Display for Recorded<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.relation, f)
    }
}

impl<R: Relation> fmt::Debug for Recorded<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
