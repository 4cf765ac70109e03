//! Casts that change the value: the front end gives each a step that only such values take.

use super::{Lint, Place, Question, Site};
use crate::ir::{Function, FunctionId, LocationId, StepKind};

pub fn sites(function: &Function, id: FunctionId) -> Vec<Site> {
    let marked = function.graph.node_indices().filter(|at| function.graph[*at].what == StepKind::Cast);
    let site = |location: LocationId| Site {
        lint: Lint::LossyCast,
        span: function.graph[location].span,
        function: id,
        borrowed: false,
        question: Question::Happens(Place { function: id, location }),
    };
    marked.map(site).collect()
}
