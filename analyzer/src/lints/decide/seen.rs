//! Where runs can come without a value that nobody may choose: elsewhere no run shows anything, and a closer look could
//! only exclude.

use fixedbitset::FixedBitSet;
use petgraph::visit::EdgeRef;

use super::Place;
use crate::ir::{Effect, FunctionId, InputSource, LocationId, Program};

pub struct Seen {
    /// Per function: its locations that runs may come to.
    reached: Vec<FixedBitSet>,
    /// Functions that may return.
    returns: FixedBitSet,
    /// Per function: behind its calls.
    waiting: Vec<Vec<Place>>,
    pending: Vec<Place>,
}

impl Seen {
    /// By the graph alone: guards are not looked at.
    pub fn of(program: &Program) -> Self {
        let count = program.functions.len();
        let sizes = program.functions.iter().map(|function| function.graph.node_count());
        let mut seen = Self {
            reached: sizes.map(FixedBitSet::with_capacity).collect(),
            returns: FixedBitSet::with_capacity(count),
            waiting: vec![Vec::new(); count],
            pending: Vec::new(),
        };
        seen.add(program.entry, program.entry_function().entry);
        while let Some(place) = seen.pending.pop() {
            seen.step(program, place);
        }
        seen
    }

    pub fn contains(&self, place: Place) -> bool {
        self.reached[place.function.0 as usize].contains(place.location.index())
    }

    fn add(&mut self, function: FunctionId, location: LocationId) {
        if !self.reached[function.0 as usize].put(location.index()) {
            self.pending.push(Place { function, location });
        }
    }

    fn step(&mut self, program: &Program, Place { function, location }: Place) {
        let graph = &program.function(function).graph;
        if location == program.function(function).exit {
            self.add_return(function);
        }
        if graph[location].inputs.iter().any(|input| matches!(input.source, InputSource::Unknown)) {
            return;
        }
        for edge in graph.edges(location) {
            match &edge.weight().effect {
                Effect::Assign(_) => self.add(function, edge.target()),
                Effect::Call { function: callee, .. } => {
                    self.add(*callee, program.function(*callee).entry);
                    match self.returns.contains(callee.0 as usize) {
                        true => self.add(function, edge.target()),
                        false => {
                            self.waiting[callee.0 as usize].push(Place { function, location: edge.target() })
                        }
                    }
                }
                Effect::Return(_) => self.add_return(function),
                Effect::Fail(_) | Effect::Discard | Effect::Stop => {}
            }
        }
    }

    fn add_return(&mut self, function: FunctionId) {
        if !self.returns.put(function.0 as usize) {
            for Place { function, location } in std::mem::take(&mut self.waiting[function.0 as usize]) {
                self.add(function, location);
            }
        }
    }
}
