//! What lies ahead: the locations from which runs may still come to places that somebody asks about. Elsewhere a look
//! for those places may stop.

use fixedbitset::FixedBitSet;
use petgraph::Direction;
use petgraph::visit::EdgeRef;

use super::Place;
use crate::ir::slice::callees;
use crate::ir::{Cond, Edge, Effect, Function, FunctionId, Graph, Location, LocationId, Program};

pub struct Ahead {
    /// Per function: its locations that lead to a place, the places included.
    leading: Vec<FixedBitSet>,
}

impl Ahead {
    /// Before these places, and all along these loops: in everything that is called from them too, because a call that
    /// never returns never leaves the loop.
    pub fn of<'a>(
        program: &Program,
        places: impl Iterator<Item = Place>,
        loops: impl Iterator<Item = &'a [Place]>,
    ) -> Self {
        let sizes = program.functions.iter().map(|function| function.graph.node_count());
        let mut ahead = Self { leading: sizes.map(FixedBitSet::with_capacity).collect() };
        let mut pending = Vec::new();
        places.for_each(|place| ahead.add(place, &mut pending));
        for place in loops.flatten() {
            ahead.add(*place, &mut pending);
            ahead.add_called(program, *place, &mut pending);
        }
        let callers = callers(program);
        while let Some(place) = pending.pop() {
            ahead.add_before(program, &callers, place, &mut pending);
        }
        ahead
    }

    pub fn leads(&self, function: FunctionId, location: LocationId) -> bool {
        self.leading[function.0 as usize].contains(location.index())
    }

    fn add(&mut self, place: Place, pending: &mut Vec<Place>) {
        if !self.leading[place.function.0 as usize].put(place.location.index()) {
            pending.push(place);
        }
    }

    fn add_called(&mut self, program: &Program, from: Place, pending: &mut Vec<Place>) {
        let graph = &program.function(from.function).graph;
        let mut called: Vec<FunctionId> =
            graph.edges(from.location).filter_map(|edge| called(edge.weight())).collect();
        let mut next = 0;
        while let Some(function) = called.get(next).copied() {
            next += 1;
            for location in program.function(function).graph.node_indices() {
                self.add(Place { function, location }, pending);
            }
            for callee in callees(program.function(function)) {
                if !called.contains(&callee) {
                    called.push(callee);
                }
            }
        }
    }

    /// Steps back: along edges, from entries to calls, and from behind calls to the ends of what they call.
    fn add_before(&mut self, program: &Program, callers: &[Vec<Place>], to: Place, pending: &mut Vec<Place>) {
        let function = program.function(to.function);
        for edge in function.graph.edges_directed(to.location, Direction::Incoming) {
            self.add(Place { function: to.function, location: edge.source() }, pending);
            if let Some(callee) = called(edge.weight()) {
                let location = program.function(callee).exit;
                self.add(Place { function: callee, location }, pending);
            }
        }
        if to.location == function.entry {
            callers[to.function.0 as usize].iter().for_each(|call| self.add(*call, pending));
        }
    }

    /// The program that stops where nothing lies ahead; `None` if that is nowhere. Locations keep their numbers.
    pub fn trimmed(&self, program: &Program) -> Option<Program> {
        let stops = |(function, leading): (&Function, &FixedBitSet)| {
            let others = function.graph.node_indices().filter(|location| *location != function.exit);
            others.into_iter().any(|location| !leading.contains(location.index()))
        };
        let functions = program.functions.iter().zip(&self.leading);
        if !functions.clone().any(stops) {
            return None;
        }
        let functions = functions.map(|(function, leading)| Function {
            name: function.name.clone(),
            locals: function.locals.clone(),
            result: function.result.clone(),
            graph: trimmed(function, leading),
            labels: Vec::new(),
            views: Default::default(),
            ..*function
        });
        Some(Program {
            globals: program.globals.clone(),
            functions: functions.collect(),
            entry: program.entry,
            initialisers: program.initialisers.clone(),
        })
    }
}

fn called(edge: &Edge) -> Option<FunctionId> {
    match edge.effect {
        Effect::Call { function, .. } => Some(function),
        _ => None,
    }
}

/// Per function: where it is called.
fn callers(program: &Program) -> Vec<Vec<Place>> {
    let mut callers = vec![Vec::new(); program.functions.len()];
    for (index, function) in program.functions.iter().enumerate() {
        for edge in function.graph.edge_references() {
            if let Some(callee) = called(edge.weight()) {
                let place = Place { function: FunctionId(index as u32), location: edge.source() };
                callers[callee.0 as usize].push(place);
            }
        }
    }
    callers
}

fn trimmed(function: &Function, leading: &FixedBitSet) -> Graph {
    let stops = |location: LocationId| location != function.exit && !leading.contains(location.index());
    let mut graph = Graph::with_capacity(function.graph.node_count(), function.graph.edge_count());
    for location in function.graph.node_indices() {
        let weight = &function.graph[location];
        graph.add_node(match stops(location) {
            true => {
                Location { inputs: Vec::new(), overlapping: false, ends: Cond::Literal(false), ..*weight }
            }
            false => weight.clone(),
        });
    }
    for edge in function.graph.edge_references().filter(|edge| !stops(edge.source())) {
        graph.add_edge(edge.source(), edge.target(), edge.weight().clone());
    }
    for location in function.graph.node_indices().filter(|location| stops(*location)) {
        let span = function.graph[location].span;
        graph.add_edge(
            location,
            function.exit,
            Edge { guard: Cond::Literal(true), effect: Effect::Stop, span }.into(),
        );
    }
    graph
}
