//! Which variables share a relation.

use std::sync::Arc;

use crate::expr::Var;
use crate::relation::Constraint;

/// Variables that are looked at together, in ascending order; dimension `i` of the relation is the `i`-th.
#[derive(Clone, Debug)]
pub struct Pack<R> {
    variables: Vec<Var>,
    /// The relation that knows nothing: it says what kind of relation this pack has.
    pub(super) top: R,
    /// Constraints, over the relation's dimensions, at which widening may stop.
    pub(super) thresholds: Vec<Constraint>,
}

impl<R> Pack<R> {
    /// The variables have to be sorted, each once; thresholds that mention others are left out.
    pub fn new(variables: Vec<Var>, top: R, thresholds: &[Constraint]) -> Self {
        debug_assert!(variables.is_sorted_by(|a, b| a < b));
        let mut pack = Self { variables, top, thresholds: Vec::new() };
        let inside = |constraint: &&Constraint| {
            constraint.form().terms().iter().all(|(variable, _)| pack.dimension(*variable).is_some())
        };
        let own = thresholds.iter().filter(inside);
        pack.thresholds =
            own.map(|known| known.renamed(|variable| pack.dimension(variable).unwrap_or(variable))).collect();
        pack
    }

    pub fn variables(&self) -> &[Var] {
        &self.variables
    }

    /// The dimension of a variable in this pack's relation.
    pub fn dimension(&self, variable: Var) -> Option<Var> {
        self.variables.binary_search(&variable).ok().map(|at| Var(at as u32))
    }
}

/// The packs of a state. Equal shapes are shared.
#[derive(Debug)]
pub struct Shape<R> {
    packs: Vec<Pack<R>>,
}

impl<R> Shape<R> {
    pub fn new(packs: Vec<Pack<R>>) -> Arc<Self> {
        Arc::new(Self { packs })
    }

    pub fn packs(&self) -> &[Pack<R>] {
        &self.packs
    }
}
