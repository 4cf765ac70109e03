//! Conditions that always have the same outcome.

use super::Reach;
use crate::ir::{Cond, Edge, Effect, Function, LocationId, StepKind};
use crate::pipeline::Verdict;

/// A step that only decides between two ways. What is written as a constant is meant.
pub fn is_site(function: &Function, location: LocationId) -> bool {
    let edges = || function.graph.edges(location).map(|edge| edge.weight());
    function.graph[location].what == StepKind::Condition
        && edges().filter(|edge| is_way(edge)).count() == 2
        && edges().filter(|edge| is_way(edge)).all(|edge| !matches!(edge.guard, Cond::Literal(_)))
}

/// An edge by which the program goes on.
pub fn is_way(edge: &Edge) -> bool {
    !matches!(edge.effect, Effect::Fail(_) | Effect::Discard)
}

/// It fires only if the condition is reached and one way is never taken. Answers the way that always is.
pub fn judge(at: Reach, yes: Reach, no: Reach) -> (Verdict, Option<bool>) {
    match (at, yes, no) {
        (Reach::Never, ..) => (Verdict::True, None),
        (_, Reach::Reached, Reach::Reached) => (Verdict::True, None),
        (Reach::Reached, Reach::Never, Reach::Never) => (Verdict::True, None),
        (Reach::Reached, Reach::Never, _) => (Verdict::False, Some(false)),
        (Reach::Reached, _, Reach::Never) => (Verdict::False, Some(true)),
        _ => (Verdict::Maybe, None),
    }
}
