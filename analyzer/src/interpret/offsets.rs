//! What whole calls do to globals, where that is always the same: behind a call g is g before it plus a constant.
//!
//! Inside a function every location has its own constant: how far g is from what it was when the function was
//! entered. Found by propagation over the flow graphs, without looking at guards. Only functions of which all
//! locations have one are believed, and only if so are all they call: so each constant can be checked by itself.

use kleene_domains::{BinaryOp, Int};
use petgraph::visit::{Dfs, EdgeRef};
use rustc_hash::FxHashMap;

use crate::ir::layout::Layout;
use crate::ir::{Effect, Expr, FunctionId, LocationId, Program, Type, VariableId};

/// The constants of one function and one global.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offset {
    pub function: FunctionId,
    /// The global's slot.
    pub slot: u32,
    /// Over a whole call.
    pub by: Int,
    /// At each location that its flow graph reaches.
    pub at: Vec<(LocationId, Int)>,
}

#[derive(Clone, Debug, Default)]
pub struct Offsets {
    list: Vec<Offset>,
    /// Where in the list a function and a slot are.
    places: FxHashMap<(FunctionId, u32), usize>,
}

impl Offsets {
    pub fn of(program: &Program, layout: &Layout) -> Self {
        let mut list = Vec::new();
        for (index, global) in program.globals.iter().enumerate() {
            if matches!(global.ty, Type::Array(..) | Type::Struct(_)) {
                continue;
            }
            let variable = VariableId::Global(index as u32);
            let slot = layout.first_slot(program.entry, variable);
            let mut search = Search::new(program, variable);
            search.settle();
            list.extend(search.believed(slot));
        }
        let key = |offset: &Offset| (offset.function, offset.slot);
        let places = list.iter().enumerate().map(|(at, offset)| (key(offset), at)).collect();
        Self { list, places }
    }

    /// What a call of the function adds to a global.
    pub fn over(&self, function: FunctionId, slot: u32) -> Option<&Int> {
        self.places.get(&(function, slot)).map(|at| &self.list[*at].by)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Offset> {
        self.list.iter()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    Unreached,
    By(Int),
    Unknown,
}

impl Change {
    fn joined(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Unreached, change) | (change, Self::Unreached) => change.clone(),
            (one, other) if one == other => one.clone(),
            _ => Self::Unknown,
        }
    }

    fn plus(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Unreached, _) | (_, Self::Unreached) => Self::Unreached,
            (Self::By(one), Self::By(other)) => Self::By(one + other),
            _ => Self::Unknown,
        }
    }
}

/// The propagation for one global.
struct Search<'p> {
    program: &'p Program,
    variable: VariableId,
    /// Per function and location.
    at: Vec<Vec<Change>>,
    /// Per function, over a whole call.
    over: Vec<Change>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, variable: VariableId) -> Self {
        let functions = program.functions.iter();
        let mut at: Vec<Vec<Change>> =
            functions.map(|function| vec![Change::Unreached; function.graph.node_count()]).collect();
        for (function, at) in program.functions.iter().zip(&mut at) {
            at[function.entry.index()] = Change::By(Int::ZERO);
        }
        let over = vec![Change::Unreached; program.functions.len()];
        Self { program, variable, at, over }
    }

    /// Until nothing changes: a change grows at most twice.
    fn settle(&mut self) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (id, function) in self.program.functions.iter().enumerate() {
                for edge in function.graph.edge_references() {
                    let before = self.drawn(id, edge.source());
                    let (target, after) = match &edge.weight().effect {
                        Effect::Return(_) => (None, before),
                        effect => match self.through(effect) {
                            Some(change) => (Some(edge.target().index()), before.plus(&change)),
                            None => continue,
                        },
                    };
                    let known = match target {
                        Some(target) => &mut self.at[id][target],
                        None => &mut self.over[id],
                    };
                    let joined = known.joined(&after);
                    changed |= joined != *known;
                    *known = joined;
                }
                let joined = self.over[id].joined(&self.at[id][function.exit.index()]);
                changed |= joined != self.over[id];
                self.over[id] = joined;
            }
        }
    }

    /// The change at a location once its inputs are drawn.
    fn drawn(&self, function: usize, location: LocationId) -> Change {
        let inputs = &self.program.functions[function].graph[location].inputs;
        let own = &self.at[function][location.index()];
        let overwritten = inputs.iter().any(|input| input.place.variable == self.variable);
        if overwritten && *own != Change::Unreached { Change::Unknown } else { own.clone() }
    }

    /// What an effect adds; `None` if it arrives nowhere.
    fn through(&self, effect: &Effect) -> Option<Change> {
        Some(match effect {
            Effect::Assign(assignments) => {
                let mut own = assignments.iter().filter(|(place, _)| place.variable == self.variable);
                match (own.next(), own.next()) {
                    (None, _) => Change::By(Int::ZERO),
                    (Some((_, value)), None) => self.added(value).map_or(Change::Unknown, Change::By),
                    _ => Change::Unknown,
                }
            }
            Effect::Call { result: Some(place), .. } if place.variable == self.variable => Change::Unknown,
            Effect::Call { function, .. } => self.over[function.0 as usize].clone(),
            Effect::Return(_) | Effect::Fail(_) | Effect::Discard | Effect::Stop => return None,
        })
    }

    /// c, if the value is the variable plus c.
    fn added(&self, value: &Expr) -> Option<Int> {
        match value {
            Expr::Variable(place) if place.variable == self.variable && place.path.is_empty() => {
                Some(Int::ZERO)
            }
            Expr::Binary(BinaryOp::Add, left, right) => match (&**left, &**right) {
                (inner, Expr::Constant(by)) | (Expr::Constant(by), inner) => Some(&self.added(inner)? + by),
                _ => None,
            },
            Expr::Binary(BinaryOp::Sub, left, right) => match &**right {
                Expr::Constant(by) => Some(&self.added(left)? - by),
                _ => None,
            },
            _ => None,
        }
    }

    /// The functions of which every location has a constant, and every function they call.
    fn believed(&self, slot: u32) -> Vec<Offset> {
        let functions = 0..self.program.functions.len() as u32;
        let mut found: Vec<Offset> =
            functions.filter_map(|function| self.offset(FunctionId(function), slot)).collect();
        loop {
            let known: Vec<FunctionId> = found.iter().map(|offset| offset.function).collect();
            let before = found.len();
            found.retain(|offset| {
                let graph = &self.program.function(offset.function).graph;
                let mut reached = offset.at.iter().flat_map(|(location, _)| graph.edges(*location));
                reached.all(|edge| match &edge.weight().effect {
                    Effect::Call { function, .. } => known.contains(function),
                    _ => true,
                })
            });
            if found.len() == before {
                return found;
            }
        }
    }

    fn offset(&self, function: FunctionId, slot: u32) -> Option<Offset> {
        let Change::By(by) = &self.over[function.0 as usize] else { return None };
        let graph = &self.program.function(function).graph;
        let mut at = Vec::new();
        let mut search = Dfs::new(graph, self.program.function(function).entry);
        let exit = self.program.function(function).exit;
        while let Some(location) = search.next(graph) {
            match &self.at[function.0 as usize][location.index()] {
                Change::By(change) => at.push((location, change.clone())),
                // Returns and failures lead there in the graph only.
                Change::Unreached if location == exit => {}
                _ => return None,
            }
        }
        at.sort_unstable_by_key(|(location, _)| *location);
        Some(Offset { function, slot, by: by.clone(), at })
    }
}
