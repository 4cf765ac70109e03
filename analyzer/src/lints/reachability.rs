//! Code that no run comes to: one site where each stretch of code begins.

use fixedbitset::FixedBitSet;
use petgraph::Direction;
use petgraph::visit::EdgeRef;

use super::conditions::is_way;
use crate::ir::{Cond, Edge, Effect, FailKind, Function, LocationId, StepKind};
use crate::source::Span;

/// Where control may arrive by choice, behind a call, or from nowhere at all.
pub fn leaders(function: &Function) -> Vec<LocationId> {
    let graph = &function.graph;
    let branches =
        |location: LocationId| graph.edges(location).filter(|edge| is_way(edge.weight())).count() > 1;
    let (all, meant) = (reachable(function, &|_| true), reachable(function, &is_possible));
    let begins = |location: &LocationId| {
        // What a constant switches off is meant to be off.
        if all.contains(location.index()) && !meant.contains(location.index()) {
            return false;
        }
        if *location == function.entry
            || matches!(
                graph[*location].what,
                StepKind::End | StepKind::Skip | StepKind::Begin | StepKind::Cast
            )
        {
            return false;
        }
        // The brace that ends a function is no code.
        let Span { start, end, .. } = graph[*location].span;
        let mut returns = graph.edges(*location).map(|edge| &edge.weight().effect);
        let answers = returns.any(|effect| matches!(effect, Effect::Return(Some(_))));
        if graph[*location].what == StepKind::Return && end <= start + 1 && !answers {
            return false;
        }
        // What only fails says itself that no run should come: `_ => unreachable!()`, `debug_assert!(false)`.
        let mut leaving = graph.edges(*location).filter(|edge| is_possible(edge.weight()));
        if graph.edges(*location).next().is_some()
            && leaving.all(|edge| {
                matches!(edge.weight().effect, Effect::Fail(FailKind::Panic | FailKind::Assertion))
            })
        {
            return false;
        }
        let mut arriving = graph.edges_directed(*location, Direction::Incoming).peekable();
        arriving.peek().is_none()
            || arriving.any(|edge| {
                let called = matches!(edge.weight().effect, Effect::Call { .. });
                is_way(edge.weight()) && (called || branches(edge.source()))
            })
    };
    graph.node_indices().filter(begins).collect()
}

fn is_possible(edge: &Edge) -> bool {
    edge.guard != Cond::Literal(false)
}

/// Where one can come along such edges.
fn reachable(function: &Function, along: &dyn Fn(&Edge) -> bool) -> FixedBitSet {
    let mut reached = FixedBitSet::with_capacity(function.graph.node_count());
    let mut pending = vec![function.entry];
    while let Some(location) = pending.pop() {
        if !reached.put(location.index()) {
            let edges = function.graph.edges(location).filter(|edge| along(edge.weight()));
            pending.extend(edges.map(|edge| edge.target()));
        }
    }
    reached
}
