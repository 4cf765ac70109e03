//! What whole calls do to globals, where that is always the same: behind a call g is g before it plus a constant.
//!
//! Inside a function every location has its own constant: how far g is from what it was when the function was
//! entered. Found by propagation over the flow graphs, without looking at guards. Only functions of which all
//! locations have one are believed, and only if so are all they call: so each constant can be checked by itself.

use std::cell::OnceCell;

use fixedbitset::FixedBitSet;
use kleene_domains::{BinaryOp, Int};
use petgraph::visit::{Dfs, EdgeRef};

use crate::ir::layout::Layout;
use crate::ir::slice::callees;
use crate::ir::variables::written_by_effect;
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

/// What is known of every function and every global, looked for when it is first asked.
#[derive(Debug)]
pub struct Offsets {
    /// The global of each slot, if it is a scalar.
    scalars: Vec<Option<u32>>,
    /// Per function: the globals that a call of it may write.
    written: Vec<FixedBitSet>,
    /// Of a global that nobody writes.
    untouched: Found,
    /// Per global: the functions that may write it.
    touched: Vec<OnceCell<Vec<Offset>>>,
}

impl Offsets {
    pub fn of(program: &Program, layout: &Layout) -> Self {
        let mut scalars = vec![None; layout.global_slots as usize];
        for (index, global) in program.globals.iter().enumerate() {
            if !matches!(global.ty, Type::Array(..) | Type::Struct(_)) {
                let slot = layout.first_slot(program.entry, VariableId::Global(index as u32));
                scalars[slot as usize] = Some(index as u32);
            }
        }
        let touched = vec![OnceCell::new(); program.globals.len()];
        Self { scalars, written: written(program), untouched: Found::untouched(program), touched }
    }

    /// What a call of the function adds to a global.
    pub fn over(&self, program: &Program, function: FunctionId, slot: u32) -> Option<&Int> {
        let global = self.scalars[slot as usize]?;
        let offset = match self.written[function.0 as usize].contains(global as usize) {
            true => {
                let offsets = self.touched(program, global, slot);
                let at = offsets.binary_search_by_key(&function, |offset| offset.function).ok()?;
                &offsets[at]
            }
            false => self.untouched.believed[function.0 as usize].as_ref()?,
        };
        Some(&offset.by)
    }

    /// All there is, by the global and the function.
    pub fn all(&self, program: &Program) -> Vec<Offset> {
        let mut all = Vec::new();
        for (slot, global) in self.scalars.iter().enumerate() {
            let Some(global) = *global else { continue };
            let slot = slot as u32;
            let others = self.untouched.believed.iter().flatten();
            let others =
                others.filter(|offset| !self.written[offset.function.0 as usize].contains(global as usize));
            let first = all.len();
            all.extend(self.touched(program, global, slot).iter().cloned());
            all.extend(others.map(|offset| Offset { slot, ..offset.clone() }));
            all[first..].sort_unstable_by_key(|offset| offset.function);
        }
        all
    }

    fn touched(&self, program: &Program, global: u32, slot: u32) -> &[Offset] {
        self.touched[global as usize].get_or_init(|| {
            let among = (0..program.functions.len())
                .filter(|function| self.written[*function].contains(global as usize))
                .collect();
            let mut search = Search::new(program, Some(VariableId::Global(global)), among, &self.untouched);
            search.settle();
            search.believed(slot)
        })
    }
}

/// Globals that each function may write, and what it calls.
fn written(program: &Program) -> Vec<FixedBitSet> {
    let mut written: Vec<FixedBitSet> = Vec::with_capacity(program.functions.len());
    for function in &program.functions {
        let mut own = FixedBitSet::with_capacity(program.globals.len());
        let mut add = |variable: VariableId| {
            if let VariableId::Global(index) = variable {
                own.insert(index as usize);
            }
        };
        function.graph.edge_weights().for_each(|edge| written_by_effect(&edge.effect, &mut add));
        let inputs = function.graph.node_weights().flat_map(|location| &location.inputs);
        inputs.for_each(|input| add(input.place.variable));
        written.push(own);
    }
    let called: Vec<Vec<usize>> = program
        .functions
        .iter()
        .map(|function| callees(function).map(|callee| callee.0 as usize).collect())
        .collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (caller, callees) in called.iter().enumerate() {
            for callee in callees.iter().filter(|callee| **callee != caller) {
                if !written[*callee].is_subset(&written[caller]) {
                    let more = written[*callee].clone();
                    written[caller].union_with(&more);
                    changed = true;
                }
            }
        }
    }
    written
}

/// What a search found for all functions.
#[derive(Debug, Default)]
struct Found {
    over: Vec<Change>,
    /// Per function.
    believed: Vec<Option<Offset>>,
}

impl Found {
    fn untouched(program: &Program) -> Self {
        let among = (0..program.functions.len()).collect();
        let nothing = Self::default();
        let mut search = Search::new(program, None, among, &nothing);
        search.settle();
        let mut believed = vec![None; program.functions.len()];
        for offset in search.believed(0) {
            let function = offset.function.0 as usize;
            believed[function] = Some(offset);
        }
        Self { over: search.over, believed }
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

/// The propagation for one global, or for one that nobody writes.
struct Search<'p> {
    program: &'p Program,
    variable: Option<VariableId>,
    /// The functions that may write it, in order.
    among: Vec<usize>,
    /// What is known of the others.
    others: &'p Found,
    /// Per function and location.
    at: Vec<Vec<Change>>,
    /// Per function, over a whole call.
    over: Vec<Change>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, variable: Option<VariableId>, among: Vec<usize>, others: &'p Found) -> Self {
        let mut at = vec![Vec::new(); program.functions.len()];
        let mut over = others.over.clone();
        over.resize(program.functions.len(), Change::Unreached);
        for id in &among {
            let function = &program.functions[*id];
            at[*id] = vec![Change::Unreached; function.graph.node_count()];
            at[*id][function.entry.index()] = Change::By(Int::ZERO);
            over[*id] = Change::Unreached;
        }
        Self { program, variable, among, others, at, over }
    }

    /// Until nothing changes: a change grows at most twice.
    fn settle(&mut self) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for id in self.among.iter().copied() {
                let function = &self.program.functions[id];
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
        let overwritten = inputs.iter().any(|input| Some(input.place.variable) == self.variable);
        if overwritten && *own != Change::Unreached { Change::Unknown } else { own.clone() }
    }

    /// What an effect adds; `None` if it arrives nowhere.
    fn through(&self, effect: &Effect) -> Option<Change> {
        Some(match effect {
            Effect::Assign(assignments) => {
                let mut own = assignments.iter().filter(|(place, _)| Some(place.variable) == self.variable);
                match (own.next(), own.next()) {
                    (None, _) => Change::By(Int::ZERO),
                    (Some((_, value)), None) => self.added(value).map_or(Change::Unknown, Change::By),
                    _ => Change::Unknown,
                }
            }
            Effect::Call { result: Some(place), .. } if Some(place.variable) == self.variable => {
                Change::Unknown
            }
            Effect::Call { function, .. } => self.over[function.0 as usize].clone(),
            Effect::Return(_) | Effect::Fail(_) | Effect::Discard | Effect::Stop => return None,
        })
    }

    /// c, if the value is the variable plus c.
    fn added(&self, value: &Expr) -> Option<Int> {
        match value {
            Expr::Variable(place) if Some(place.variable) == self.variable && place.path.is_empty() => {
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
        let functions = self.among.iter().map(|function| FunctionId(*function as u32));
        let mut found: Vec<Offset> = functions.filter_map(|function| self.offset(function, slot)).collect();
        let mut known = vec![false; self.program.functions.len()];
        for other in self.others.believed.iter().flatten() {
            known[other.function.0 as usize] = true;
        }
        loop {
            self.among.iter().for_each(|function| known[*function] = false);
            found.iter().for_each(|offset| known[offset.function.0 as usize] = true);
            let before = found.len();
            found.retain(|offset| {
                let graph = &self.program.function(offset.function).graph;
                let mut reached = offset.at.iter().flat_map(|(location, _)| graph.edges(*location));
                reached.all(|edge| match &edge.weight().effect {
                    Effect::Call { function, .. } => known[function.0 as usize],
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
