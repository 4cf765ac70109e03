//! Loops that may never be left: one site per loop that has a way out.
//!
//! Loops are nested components: a component without its head falls apart into the loops inside it. A run stays in a
//! loop as long as it is at one of its locations or in a call made from one.

use kleene_ctl::{AtomId, CellId, Formula, Quantifier, Truth, check};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashSet;

use super::Place;
use super::conditions::is_way;
use crate::concrete::{State, Status};
use crate::interpret::context::{ContextKind, Node, Point};
use crate::interpret::explore::Exploration;
use crate::ir::{Cond, Function, Graph, LocationId, StepKind};
use crate::model::Abstraction;
use crate::model::progress::Ranking;
use crate::source::Span;

/// The loops of a function that have a way out, each with the place to show.
pub fn sites(function: &Function) -> Vec<(Span, Vec<LocationId>)> {
    let mut found = Vec::new();
    let mut pending: Vec<Vec<LocationId>> =
        components(&function.graph, function.graph.node_indices().collect());
    while let Some(component) = pending.pop() {
        let head = head(function, &component);
        if let Some(span) = shown(function, &component, head) {
            found.push((span, component.clone()));
        }
        let rest = component.into_iter().filter(|location| *location != head).collect();
        pending.extend(components(&function.graph, rest));
    }
    found
}

/// The strongly connected parts that have a cycle, among these locations.
fn components(graph: &Graph, among: Vec<LocationId>) -> Vec<Vec<LocationId>> {
    let inside: FxHashSet<LocationId> = among.iter().copied().collect();
    let part =
        graph.filter_map(|location, _| inside.contains(&location).then_some(location), |_, _| Some(()));
    let components = petgraph::algo::tarjan_scc(&part).into_iter();
    let looping = components.filter(|nodes| nodes.len() > 1 || part.contains_edge(nodes[0], nodes[0]));
    let own = looping.map(|nodes| {
        let mut own: Vec<LocationId> = nodes.into_iter().map(|node| part[node]).collect();
        own.sort_unstable();
        own
    });
    own.collect()
}

/// Where the loop is entered: the first location with an edge from outside.
fn head(function: &Function, component: &[LocationId]) -> LocationId {
    let entered = |location: &&LocationId| {
        let mut arriving = function.graph.neighbors_directed(**location, petgraph::Direction::Incoming);
        **location == function.entry || arriving.any(|from| component.binary_search(&from).is_err())
    };
    let first_in_text = |location: &&LocationId| function.graph[**location].span;
    *component.iter().filter(entered).min_by_key(first_in_text).unwrap_or(&component[0])
}

/// The place that stands for a loop: the head if it decides to leave, else the first condition that does, else the
/// head again; `None` if there is no way out.
fn shown(function: &Function, component: &[LocationId], head: LocationId) -> Option<Span> {
    let leaves = |location: &LocationId| {
        let mut edges = function.graph.edges(*location);
        edges.any(|edge| {
            let possible = is_way(edge.weight()) && edge.weight().guard != Cond::Literal(false);
            possible && component.binary_search(&edge.target()).is_err()
        })
    };
    // What is left only by steps that stand in no text is a loop of the library.
    let written =
        |location: &&LocationId| !matches!(function.graph[**location].what, StepKind::Skip | StepKind::Begin);
    if !component.iter().filter(written).any(leaves) {
        return None;
    }
    let is_condition = |location: &LocationId| function.graph[*location].what == StepKind::Condition;
    if is_condition(&head) && leaves(&head) {
        return Some(function.graph[head].span);
    }
    let conditions = component.iter().filter(|location| is_condition(location) && leaves(location));
    let first = conditions.map(|location| function.graph[*location].span).min();
    Some(first.unwrap_or(function.graph[head].span))
}

/// Whether a concrete state is in the loop: some frame stands in it.
pub fn holds_in(state: &State, places: &[Place]) -> bool {
    let stands = |place: &Place| {
        let frames = state.frames.iter();
        frames.clone().any(|frame| frame.function == place.function && frame.location == place.location)
    };
    state.status == Status::Running && places.iter().any(stands)
}

/// What a model says of a loop: whether all runs leave it whenever they are in it.
pub struct Leaving<'a, 'e, 'p> {
    pub exploration: &'e Exploration<'p>,
    pub abstraction: &'a Abstraction<'e, 'p>,
    pub ranking: &'a Ranking<'e, 'p>,
    pub may_discard: bool,
}

impl Leaving<'_, '_, '_> {
    /// AG AF outside, over live runs. False only from a proven initial state.
    pub fn decide(&self, places: &[Place]) -> Truth {
        let (inside, discarded) = (AtomId(0), AtomId(1));
        let outside = Formula::Atom(inside).not();
        let mut formula = outside.future(Quantifier::All).globally(Quantifier::All);
        let mut labels = vec![self.labels(|node| self.inside(node, places))];
        if self.may_discard {
            formula = kleene_ctl::restrict_to_live(&formula, discarded);
            labels.push(self.labels(|node| Truth::from_bool(node.point == Point::Discarded)));
        }
        let model = self.abstraction.with_labels(&labels);
        let checked = check(&model, &formula, self.ranking);
        let live = self.may_discard.then(|| check(&model, &kleene_ctl::live(discarded), self.ranking));
        let initial = self.exploration.initial.iter();
        initial.fold(Truth::True, |verdict, (cell, start)| {
            let cell = CellId(cell.0);
            let live = live.as_ref().map_or(Truth::True, |live| live.truth(cell));
            verdict.and(match (live, checked.truth(cell)) {
                (Truth::False, _) | (_, Truth::True) => Truth::True,
                (Truth::True, Truth::False) if start.witness.is_some() => Truth::False,
                _ => Truth::Maybe,
            })
        })
    }

    fn labels(&self, of: impl Fn(Node) -> Truth) -> Vec<Truth> {
        let contexts = &self.exploration.transfer.contexts;
        self.exploration.cells.iter().map(|cell| of(contexts.node(cell.node))).collect()
    }

    /// Up the call string; who called a summary is not known.
    fn inside(&self, node: Node, places: &[Place]) -> Truth {
        let contexts = &self.exploration.transfer.contexts;
        let Point::At(mut location) = node.point else { return Truth::False };
        let mut context = contexts.get(node.context);
        loop {
            if places.contains(&Place { function: context.function, location }) {
                return Truth::True;
            }
            match context.kind {
                ContextKind::Root => return Truth::False,
                ContextKind::Summary => return Truth::Maybe,
                ContextKind::Exact { caller, edge } => {
                    context = contexts.get(caller);
                    let graph = &self.exploration.transfer.scope.program.function(context.function).graph;
                    let Some((from, _)) = graph.edge_endpoints(edge) else { return Truth::Maybe };
                    location = from;
                }
            }
        }
    }
}
