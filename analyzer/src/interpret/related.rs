//! The relation a pack has: octagons or polyhedra behind one type, so that a precision can choose. Our own, or
//! APRON's with the feature `apron`.

use std::fmt;

use kleene_domains::lattice::Lattice;
use kleene_domains::relation::{Constraint, Relation};
use kleene_domains::{Int, Interval, LinearExpr, Var};

#[cfg(all(feature = "apron", not(feature = "record")))]
use kleene_apron::{ApronOctagon as Octagon, ApronPolyhedron as Polyhedron};
#[cfg(not(any(feature = "apron", feature = "record")))]
use kleene_domains::{Octagon, Polyhedron};
#[cfg(feature = "record")]
use recorded::{Octagon, Polyhedron};

/// Ours, and what is asked of them written down.
#[cfg(feature = "record")]
mod recorded {
    use kleene_domains::recording::Recorded;

    pub type Octagon = Recorded<kleene_domains::Octagon>;
    pub type Polyhedron = Recorded<kleene_domains::Polyhedron>;
}

/// Packs keep their kind: both sides of an operation have the same.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Related {
    Octagon(Octagon),
    Polyhedron(Polyhedron),
}

use Related::{Octagon as Oct, Polyhedron as Poly};

impl Related {
    pub fn octagon(dimensions: usize) -> Self {
        Oct(Octagon::top(dimensions))
    }

    pub fn polyhedron(dimensions: usize) -> Self {
        Poly(Polyhedron::top(dimensions))
    }

    /// The other side in this one's kind.
    fn same_kind(&self, other: &Self) -> Self {
        let mut same = match self {
            Oct(_) => Self::octagon(other.dimensions()),
            Poly(_) => Self::polyhedron(other.dimensions()),
        };
        same.constrain(&other.constraints());
        same
    }
}

macro_rules! each {
    ($relation:expr, $inner:ident => $result:expr) => {
        match $relation {
            Oct($inner) => $result,
            Poly($inner) => $result,
        }
    };
}

macro_rules! both {
    ($left:expr, $right:expr, $operation:ident $(, $more:expr)*) => {
        match ($left, $right) {
            (Oct(left), Oct(right)) => Oct(left.$operation(right $(, $more)*)),
            (Poly(left), Poly(right)) => Poly(left.$operation(right $(, $more)*)),
            (left, right) => left.$operation(&left.same_kind(right) $(, $more)*),
        }
    };
}

impl Lattice for Related {
    fn is_bottom(&self) -> bool {
        each!(self, relation => relation.is_bottom())
    }

    fn leq(&self, other: &Self) -> bool {
        match (self, other) {
            (Oct(left), Oct(right)) => left.leq(right),
            (Poly(left), Poly(right)) => left.leq(right),
            (left, right) => left.is_bottom() || right.constraints().iter().all(|known| left.entails(known)),
        }
    }

    fn join(&self, other: &Self) -> Self {
        both!(self, other, join)
    }

    fn meet(&self, other: &Self) -> Self {
        both!(self, other, meet)
    }
}

impl Relation for Related {
    fn top(dimensions: usize) -> Self {
        Self::polyhedron(dimensions)
    }

    fn bottom(dimensions: usize) -> Self {
        Poly(Polyhedron::bottom(dimensions))
    }

    fn dimensions(&self) -> usize {
        each!(self, relation => relation.dimensions())
    }

    fn constrain(&mut self, constraints: &[Constraint]) {
        each!(self, relation => relation.constrain(constraints));
    }

    fn assign(&mut self, variable: Var, form: &LinearExpr) {
        each!(self, relation => relation.assign(variable, form));
    }

    fn forget(&mut self, variable: Var) {
        each!(self, relation => relation.forget(variable));
    }

    fn bounds(&self, form: &LinearExpr) -> Option<Interval> {
        each!(self, relation => relation.bounds(form))
    }

    fn entails(&self, constraint: &Constraint) -> bool {
        each!(self, relation => relation.entails(constraint))
    }

    fn constraints(&self) -> Vec<Constraint> {
        each!(self, relation => relation.constraints())
    }

    fn rearranged(&self, from: &[Option<Var>]) -> Self {
        match self {
            Oct(relation) => Oct(relation.rearranged(from)),
            Poly(relation) => Poly(relation.rearranged(from)),
        }
    }

    fn widen(&self, newer: &Self, thresholds: &[Constraint]) -> Self {
        both!(self, newer, widen, thresholds)
    }

    fn narrow(&self, smaller: &Self) -> Self {
        both!(self, smaller, narrow)
    }

    fn contains(&self, point: &[Int]) -> bool {
        each!(self, relation => relation.contains(point))
    }

    fn is_degraded(&self) -> bool {
        each!(self, relation => relation.is_degraded())
    }
}

impl fmt::Display for Related {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, relation => relation.fmt(f))
    }
}

impl fmt::Debug for Related {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
