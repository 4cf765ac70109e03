//! Reads of locals before anything was stored in them: a bit per variable remembers, and a read while it is not set
//! passes a place of its own.
//!
//! Only declarations without an initialiser matter. A read on the right of `&&` happens only where it is evaluated: an
//! edge counts as reading what its guard, being true, must have read, and what its effect reads in any case.

use std::collections::BTreeSet;
use std::sync::Arc;

use kleene_domains::expr::CompareOp;
use petgraph::visit::EdgeRef;

use crate::ir::{
    Cond, Edge, Effect, Expr, Function, Graph, Input, InputSource, Location, LocationId, Place, Projection,
    StepKind, Type, Variable, VariableId, VariableKind,
};
use crate::source::Span;

type Locals = BTreeSet<u32>;

/// Ways of evaluating a condition that are told apart.
const MOST_WAYS: usize = 8;

/// The function with its bits, and its reads.
pub struct Watched {
    pub function: Function,
    pub reads: Vec<Read>,
}

/// A step that reads something declared without a value, and where only an early read comes to: one that certainly
/// happens there, or one that does if it is evaluated.
pub struct Read {
    pub span: Span,
    pub certain: Vec<LocationId>,
    pub possible: Vec<LocationId>,
}

pub fn watched(function: &Function) -> Watched {
    let declared = declared(function);
    let mut result = Watched { function: function.clone(), reads: Vec::new() };
    if declared.is_empty() {
        return result;
    }
    let mut bits = Vec::new();
    for local in &declared {
        let at = result.function.locals.len() as u32;
        let span = function.locals[*local as usize].span;
        let name = format!("{} is set", function.locals[*local as usize].name);
        let kind = VariableKind::Temporary;
        Arc::make_mut(&mut result.function.locals).push(Variable { name, ty: Type::Bool, kind, span });
        bits.push((*local, at));
    }
    let missing = missing(function, &declared);
    let watch = Watch { function, bits, missing };
    result.function.graph = watch.graph(&mut result.reads);
    result
}

/// Locals that some declaration leaves without a value.
fn declared(function: &Function) -> Locals {
    let locations = function.graph.node_weights().filter(|location| location.what == StepKind::Declaration);
    let inputs = locations.flat_map(|location| &location.inputs);
    let open =
        inputs.filter(|input| matches!(input.source, InputSource::Type) && input.place.path.is_empty());
    let locals = open.filter_map(|input| match input.place.variable {
        VariableId::Local(local) if function.locals[local as usize].kind == VariableKind::Local => {
            Some(local)
        }
        _ => None,
    });
    locals.collect()
}

/// Per location: what some path has left without a value.
fn missing(function: &Function, declared: &Locals) -> Vec<Locals> {
    let graph = &function.graph;
    let mut missing = vec![Locals::new(); graph.node_count()];
    let mut pending: Vec<LocationId> = graph.node_indices().collect();
    while let Some(location) = pending.pop() {
        let mut after = missing[location.index()].clone();
        for input in &graph[location].inputs {
            let VariableId::Local(local) = input.place.variable else { continue };
            match declares(&graph[location], input) && declared.contains(&local) {
                true => after.insert(local),
                false => after.remove(&local),
            };
        }
        for edge in graph.edges(location) {
            let mut after = after.clone();
            let written: Vec<VariableId> = match &edge.weight().effect {
                Effect::Assign(writes) => writes.iter().map(|(place, _)| place.variable).collect(),
                Effect::Call { result: Some(place), .. } => vec![place.variable],
                _ => Vec::new(),
            };
            after.retain(|local| !written.contains(&VariableId::Local(*local)));
            let known = &mut missing[edge.target().index()];
            if !after.is_subset(known) {
                known.extend(after);
                pending.push(edge.target());
            }
        }
    }
    missing
}

fn declares(location: &Location, input: &Input) -> bool {
    location.what == StepKind::Declaration
        && matches!(input.source, InputSource::Type)
        && input.place.path.is_empty()
}

struct Watch<'f> {
    function: &'f Function,
    /// Each watched local with its bit.
    bits: Vec<(u32, u32)>,
    missing: Vec<Locals>,
}

impl Watch<'_> {
    fn graph(&self, reads: &mut Vec<Read>) -> Graph {
        let old = &self.function.graph;
        let mut graph = Graph::new();
        for location in old.node_weights() {
            graph.add_node(location.clone());
        }
        for edge in old.edge_references() {
            let (from, to) = (edge.source(), edge.target());
            let mut read = Read { span: old[from].span, certain: Vec::new(), possible: Vec::new() };
            let mut reads_some = false;
            for case in self.told_apart(from, edge.weight()) {
                reads_some |= self.edge(&mut graph, from, to, &case, &mut read);
            }
            if reads_some {
                reads.push(read);
            }
        }
        graph
    }

    /// The edge, once for every way its guard can come to hold, where that matters for what is read.
    fn told_apart(&self, from: LocationId, edge: &Edge) -> Vec<Edge> {
        let (certain, possible) = self.read_by(edge, &Locals::new());
        let doubtful = possible.difference(&certain).any(|bit| self.may_be_missing(from, *bit));
        let ways = if doubtful { ways(&edge.guard, true) } else { None };
        match ways {
            Some(ways) => ways.into_iter().map(|guard| Edge { guard, ..edge.clone() }).collect(),
            None => vec![edge.clone()],
        }
    }

    /// Adds an edge, and before it a place for every early read; whether it reads anything that is watched.
    fn edge(
        &self,
        graph: &mut Graph,
        from: LocationId,
        to: LocationId,
        edge: &Edge,
        read: &mut Read,
    ) -> bool {
        let (drawn, mut weight) = self.drawn(&self.function.graph[from], edge);
        let (certain, possible) = self.read_by(edge, &drawn);
        for bit in possible.iter().filter(|bit| self.may_be_missing(from, **bit)) {
            let is_set = |value: i64| {
                Cond::Compare(CompareOp::Equal, Expr::Variable(local(*bit)), Expr::constant(value))
            };
            let middle = place(graph, read.span);
            let guard = weight.guard.clone().and(is_set(0));
            graph.add_edge(from, middle, Edge { guard, effect: Effect::SKIP, span: weight.span }.into());
            let (target, on) = self.written(graph, weight.clone(), to);
            graph.add_edge(middle, target, Edge { guard: Cond::Literal(true), ..on }.into());
            weight.guard = weight.guard.clone().and(is_set(1));
            let places = if certain.contains(bit) { &mut read.certain } else { &mut read.possible };
            places.push(middle);
        }
        let (target, weight) = self.written(graph, weight, to);
        graph.add_edge(from, target, weight.into());
        !possible.is_empty()
    }

    fn may_be_missing(&self, location: LocationId, bit: u32) -> bool {
        let local = self.bits.iter().find(|(_, of)| *of == bit).map(|(local, _)| *local);
        local.is_some_and(|local| self.missing[location.index()].contains(&local))
    }

    fn bit(&self, variable: VariableId) -> Option<u32> {
        let VariableId::Local(local) = variable else { return None };
        self.bits.iter().find(|(watched, _)| *watched == local).map(|(_, bit)| *bit)
    }

    /// What drawing inputs does to the bits, put into the edge; and the bits that are then known to be set.
    fn drawn(&self, location: &Location, edge: &Edge) -> (Locals, Edge) {
        let mut edge = edge.clone();
        let mut set = Locals::new();
        for input in &location.inputs {
            let Some(bit) = self.bit(input.place.variable) else { continue };
            let declares = declares(location, input);
            if let Effect::Assign(writes) = &mut edge.effect {
                writes.retain(|(place, _)| *place != local(bit));
                writes.push((local(bit), Expr::constant(i64::from(!declares))));
            }
            if !declares {
                set.insert(bit);
            }
        }
        (set, edge)
    }

    /// The bits of what the edge certainly reads, and of what it may read.
    fn read_by(&self, edge: &Edge, drawn: &Locals) -> (Locals, Locals) {
        let (mut certain, mut possible) = (Locals::new(), Locals::new());
        let fresh = |variable: VariableId| self.bit(variable).filter(|bit| !drawn.contains(bit));
        let mut note = |variable: VariableId| certain.extend(fresh(variable));
        cond_reads(&edge.guard, true, &mut note);
        effect_reads(&edge.effect, &mut |expr| expr_reads(expr, &mut note));
        let mut all = |expr: &Expr| {
            expr.for_each_variable(&mut |place| {
                possible.extend(fresh(place.variable));
                path_reads(place, &mut |variable| possible.extend(fresh(variable)));
            });
        };
        edge.guard.for_each_comparison(&mut |_, left, right| {
            all(left);
            all(right);
        });
        effect_reads(&edge.effect, &mut all);
        possible.extend(&certain);
        (certain, possible)
    }

    /// Sets the bits of what an edge writes; the result of a call is there behind it.
    fn written(&self, graph: &mut Graph, mut edge: Edge, to: LocationId) -> (LocationId, Edge) {
        match &mut edge.effect {
            Effect::Assign(writes) => {
                let bits: Locals = writes.iter().filter_map(|(place, _)| self.bit(place.variable)).collect();
                let new = bits.into_iter().map(|bit| (local(bit), Expr::constant(1)));
                writes.extend(new.collect::<Vec<_>>());
                (to, edge)
            }
            Effect::Call { result: Some(place), .. } => match self.bit(place.variable) {
                Some(bit) => {
                    let behind = self::place(graph, edge.span);
                    let effect = Effect::Assign(vec![(local(bit), Expr::constant(1))]);
                    let set = Edge { guard: Cond::Literal(true), effect, span: edge.span };
                    graph.add_edge(behind, to, set.into());
                    (behind, edge)
                }
                None => (to, edge),
            },
            _ => (to, edge),
        }
    }
}

/// The expressions an effect evaluates.
fn effect_reads(effect: &Effect, read: &mut dyn FnMut(&Expr)) {
    let index = |place: &Place, read: &mut dyn FnMut(&Expr)| {
        for projection in &place.path {
            if let Projection::Element(index) = projection {
                read(index);
            }
        }
    };
    match effect {
        Effect::Assign(writes) => {
            for (place, value) in writes {
                index(place, read);
                read(value);
            }
        }
        Effect::Call { arguments, result, .. } => {
            arguments.iter().for_each(&mut *read);
            result.iter().for_each(|place| index(place, read));
        }
        Effect::Return(Some(value)) => read(value),
        _ => {}
    }
}

fn local(bit: u32) -> Place {
    Place::variable(VariableId::Local(bit))
}

fn place(graph: &mut Graph, span: Span) -> LocationId {
    graph.add_node(Location {
        span,
        what: StepKind::Skip,
        inputs: Vec::new(),
        tick: false,
        overlapping: false,
        ends: Cond::Literal(false),
    })
}

/// Exclusive conditions that together say that the condition has this outcome, each with one way of evaluating it;
/// `None` if there are many.
fn ways(cond: &Cond, outcome: bool) -> Option<Vec<Cond>> {
    let both = |left: Vec<Cond>, right: Vec<Cond>| {
        let pairs = left.iter().flat_map(|a| right.iter().map(move |b| a.clone().and(b.clone())));
        pairs.collect::<Vec<Cond>>()
    };
    let found = match (cond, outcome) {
        (Cond::Literal(_) | Cond::Compare(..), true) => vec![cond.clone()],
        (Cond::Literal(_) | Cond::Compare(..), false) => vec![cond.clone().negated()],
        (Cond::Not(inner), _) => ways(inner, !outcome)?,
        (Cond::And(left, right), true) => both(ways(left, true)?, ways(right, true)?),
        (Cond::Or(left, right), false) => both(ways(left, false)?, ways(right, false)?),
        (Cond::And(left, right), false) => {
            let mut found = ways(left, false)?;
            found.extend(both(ways(left, true)?, ways(right, false)?));
            found
        }
        (Cond::Or(left, right), true) => {
            let mut found = ways(left, true)?;
            found.extend(both(ways(left, false)?, ways(right, true)?));
            found
        }
    };
    (found.len() <= MOST_WAYS).then_some(found)
}

/// What evaluating a condition to this outcome has read in any case.
fn cond_reads(cond: &Cond, outcome: bool, note: &mut dyn FnMut(VariableId)) {
    match cond {
        Cond::Literal(_) => {}
        Cond::Compare(_, left, right) => {
            expr_reads(left, note);
            expr_reads(right, note);
        }
        Cond::Not(inner) => cond_reads(inner, !outcome, note),
        Cond::And(left, right) if outcome => {
            cond_reads(left, true, note);
            cond_reads(right, true, note);
        }
        Cond::Or(left, right) if !outcome => {
            cond_reads(left, false, note);
            cond_reads(right, false, note);
        }
        // Only the left side is sure to be looked at, and not with which outcome.
        Cond::And(left, _) | Cond::Or(left, _) => first_reads(left, note),
    }
}

/// What is read whatever the outcome.
fn first_reads(cond: &Cond, note: &mut dyn FnMut(VariableId)) {
    match cond {
        Cond::Not(inner) => first_reads(inner, note),
        Cond::And(left, _) | Cond::Or(left, _) => first_reads(left, note),
        other => cond_reads(other, true, note),
    }
}

fn expr_reads(expr: &Expr, note: &mut dyn FnMut(VariableId)) {
    match expr {
        Expr::Constant(_) | Expr::Any(_) => {}
        Expr::Variable(place) => {
            note(place.variable);
            path_reads(place, note);
        }
        Expr::Negate(inner) | Expr::Unary(_, inner) | Expr::Wrap(_, inner) => expr_reads(inner, note),
        Expr::Binary(_, left, right) => {
            expr_reads(left, note);
            expr_reads(right, note);
        }
        Expr::IfThenElse(cond, _, _) => first_reads(cond, note),
    }
}

fn path_reads(place: &Place, note: &mut dyn FnMut(VariableId)) {
    for projection in &place.path {
        if let Projection::Element(index) = projection {
            expr_reads(index, note);
        }
    }
}
