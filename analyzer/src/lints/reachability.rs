//! Code that no run comes to: one site where each stretch of code begins.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use petgraph::Direction;
use petgraph::graph::EdgeReference;
use petgraph::visit::EdgeRef;

use super::conditions::is_way;
use crate::ir::{Cond, Edge, Effect, FailKind, Function, LocationId, StepKind};
use crate::source::Span;

/// Where control may arrive by choice, behind a call, or from nowhere at all.
pub fn leaders(function: &Function) -> Vec<LocationId> {
    let graph = &function.graph;
    let mut found = FixedBitSet::with_capacity(graph.node_count());
    let arrives =
        |location: &LocationId| graph.edges_directed(*location, Direction::Incoming).next().is_some();
    found.extend(graph.node_indices().filter(|location| !arrives(location)).map(|location| location.index()));
    for location in graph.node_indices() {
        let ends = || ways(function, location).map(|edge| behind(function, location, edge.target()));
        let calls = ways(function, location).any(|edge| is_call(edge.weight()));
        if calls || is_choice(function, location, &ends().collect::<Vec<_>>()) {
            found.extend(ends().flatten().map(|location| location.index()));
        }
    }
    let (all, meant) = (reachable(function, &|_| true), reachable(function, &is_possible));
    // What a constant switches off is meant to be off.
    let is_off = |location: &LocationId| all.contains(location.index()) && !meant.contains(location.index());
    let begins = |location: &LocationId| {
        found.contains(location.index()) && is_code(function, *location) && !is_off(location)
    };
    graph.node_indices().filter(begins).collect()
}

/// The first code behind a step that goes on here, or the end of the function. What is left of the statement around the
/// step has begun before it: to call that unreached would speak of text that runs have passed.
fn behind(function: &Function, step: LocationId, mut at: LocationId) -> Option<LocationId> {
    let graph = &function.graph;
    for _ in 0..graph.node_count() {
        let goes_on = graph[at].what == StepKind::Skip || graph[at].span.covers(graph[step].span);
        if at == function.exit || !goes_on {
            return Some(at);
        }
        let mut ways = ways(function, at).filter(|edge| !is_call(edge.weight()));
        let (Some(only), None) = (ways.next(), ways.next()) else { return None };
        at = only.target();
    }
    None
}

/// Whether a step decides what comes next. Nobody wrote the choices inside functions of the language: they count where they
/// lead out of the statement by different ways, as `?` does.
fn is_choice(function: &Function, location: LocationId, ends: &[Option<LocationId>]) -> bool {
    let is_written = function.graph[location].what != StepKind::Skip;
    ends.len() > 1
        && (is_written || ends.iter().all(Option::is_some) && ends.iter().any(|end| *end != ends[0]))
}

fn ways(
    function: &Function,
    location: LocationId,
) -> impl Iterator<Item = EdgeReference<'_, Arc<Edge>, u32>> {
    function.graph.edges(location).filter(|edge| is_way(edge.weight()))
}

fn is_call(edge: &Edge) -> bool {
    matches!(edge.effect, Effect::Call { .. })
}

/// Whether somebody wrote it, to be reached.
fn is_code(function: &Function, location: LocationId) -> bool {
    let graph = &function.graph;
    let is_unwritten =
        matches!(graph[location].what, StepKind::End | StepKind::Skip | StepKind::Begin | StepKind::Cast);
    if is_unwritten || location == function.entry {
        return false;
    }
    // The brace that ends a function is no code.
    let Span { start, end, .. } = graph[location].span;
    let mut returns = graph.edges(location).map(|edge| &edge.weight().effect);
    let answers = returns.any(|effect| matches!(effect, Effect::Return(Some(_))));
    if graph[location].what == StepKind::Return && end <= start + 1 && !answers {
        return false;
    }
    // What only fails says itself that no run should come: `_ => unreachable!()`, `debug_assert!(false)`.
    let mut leaving = graph.edges(location).filter(|edge| is_possible(edge.weight()));
    let only_fails = |edge: &Edge| matches!(edge.effect, Effect::Fail(FailKind::Panic | FailKind::Assertion));
    graph.edges(location).next().is_none() || !leaving.all(|edge| only_fails(edge.weight()))
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
