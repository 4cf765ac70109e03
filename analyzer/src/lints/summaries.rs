//! Functions looked at once, whoever calls them: with any arguments, any globals, and what their own callees answer.
//!
//! Bottom-up over the call graph, functions of one height side by side. What no run comes to then is reached by no
//! caller, so it needs no calling context; and what a function can answer is all its callers have to know of it. Used
//! where the calls of an entry are too many to be looked at one by one. Says nothing about loops: a callee that does
//! not return is not seen here.

mod alone;
mod stored;

use fixedbitset::FixedBitSet;
use kleene_domains::Interval;
use petgraph::graph::DiGraph;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::decide;
use super::kept::Desk;
use super::mark::Marked;
use crate::budget::Budget;
use crate::interpret::context::Point;
use crate::interpret::explore::Exploration;
use crate::ir::slice::{Slice, callees};
use crate::ir::variables::written_by_effect;
use crate::ir::{Function, FunctionId, Initialiser, LocationId, Program, VariableId};
use crate::pipeline::{self, Options};
use crate::precision::Precision;

use alone::Alone;
pub use alone::fixed;

/// So many calls of an entry are looked at one by one.
pub const MOST_CONTEXTS: u64 = 64;
/// Units of work for one function, and for each of its locations.
const MOST_STEPS: u64 = 2_000;
const STEPS_PER_LOCATION: u64 = 30;
/// The same where little is done.
const QUICK_STEPS: u64 = 200;
const QUICK_STEPS_PER_LOCATION: u64 = 8;

/// What callers can count on.
#[derive(Clone, Debug)]
pub struct Summary {
    answer: Answer,
    /// Globals that a call may write.
    writes: FixedBitSet,
    /// Where no run of any caller comes.
    never: FxHashSet<LocationId>,
    pub cells: usize,
    pub may_edges: usize,
}

#[derive(Clone, Debug)]
enum Answer {
    /// It does not return.
    Nothing,
    Between(Interval),
    Anything,
}

pub struct Summaries(Vec<Option<Summary>>);

impl Summaries {
    /// Those of the functions that entries with many calls can call.
    pub fn of(marked: &Marked, entries: &[FunctionId], desk: &Desk<'_>, options: &Options) -> Self {
        let program = &marked.program;
        let calls = Calls::of(program);
        let mut wanted = FixedBitSet::with_capacity(program.functions.len());
        entries
            .iter()
            .filter(|entry| calls.are_many(**entry))
            .for_each(|entry| calls.add(*entry, &mut wanted));
        let mut summaries = Self(vec![None; program.functions.len()]);
        if wanted.is_clear() {
            return summaries;
        }
        let written = written(program);
        let fixed = fixed(program, &written);
        for level in calls.levels(&wanted) {
            let made: Vec<(FunctionId, Summary)> = level
                .into_par_iter()
                .map(|(id, recursive)| {
                    let summary = desk.summary(id, &written, || {
                        let writes = summaries.writes(program, id, &calls);
                        let alone = Alone::of(program, id, &fixed, &summaries);
                        made(program, id, recursive, writes, &alone, options)
                    });
                    (id, summary)
                })
                .collect();
            for (id, summary) in made {
                summaries.0[id.0 as usize] = Some(summary);
            }
        }
        summaries
    }

    /// A function as a program of its own, whose calls answer what is known of the callees.
    pub fn single(&self, program: &Program, id: FunctionId, first: &[Initialiser]) -> Slice {
        static NONE: Summaries = Summaries(Vec::new());
        // Callees of a function with a summary have one, too, whoever else is asked.
        let known = if self.get(id).is_some() { self } else { &NONE };
        Slice::single(Alone::of(program, id, first, known).program, id)
    }

    /// The summary of a function in which no run comes to this location.
    pub fn excludes(&self, function: FunctionId, location: LocationId) -> Option<&Summary> {
        self.get(function).filter(|summary| summary.never.contains(&location))
    }

    /// Where no run comes, in order, and from how much that is known.
    pub fn never(&self, function: FunctionId) -> Option<(Vec<LocationId>, usize, usize)> {
        let summary = self.get(function)?;
        let mut never: Vec<LocationId> = summary.never.iter().copied().collect();
        never.sort_unstable();
        Some((never, summary.cells, summary.may_edges))
    }

    fn get(&self, function: FunctionId) -> Option<&Summary> {
        self.0.get(function.0 as usize)?.as_ref()
    }

    /// Its own writes and those of its callees; of a recursive one whatever can be called.
    fn writes(&self, program: &Program, id: FunctionId, calls: &Calls) -> FixedBitSet {
        let mut writes = FixedBitSet::with_capacity(program.globals.len());
        let mut reached = FixedBitSet::with_capacity(program.functions.len());
        match callees(program.function(id)).all(|callee| self.get(callee).is_some()) {
            true => {
                callees(program.function(id))
                    .filter_map(|callee| self.get(callee))
                    .for_each(|summary| writes.union_with(&summary.writes));
                reached.insert(id.0 as usize);
            }
            false => calls.add(id, &mut reached),
        }
        for function in reached.ones() {
            add_writes(&program.functions[function], &mut writes);
        }
        writes
    }
}

fn made(
    program: &Program,
    id: FunctionId,
    recursive: bool,
    writes: FixedBitSet,
    alone: &Alone,
    options: &Options,
) -> Summary {
    let count = program.function(id).graph.node_count();
    let steps = match decide::is_quick(options) {
        true => QUICK_STEPS + QUICK_STEPS_PER_LOCATION * count as u64,
        false => MOST_STEPS + STEPS_PER_LOCATION * count as u64,
    };
    let budget = Budget::new(steps, Some(options.time()));
    let precision = Precision { input_parts: 1, enumerated_inputs: 1, ..Precision::joined() };
    let precision = Precision { partitions: 4, fixed_variables: 0, small_variables: 12, ..precision };
    let explored = pipeline::explore(&alone.program, Vec::new(), None, precision, options.mutation, &budget);
    let Ok(exploration) = explored else {
        return Summary {
            answer: Answer::Anything,
            writes,
            never: FxHashSet::default(),
            cells: 0,
            may_edges: 0,
        };
    };
    let reached = reached(&exploration);
    let never = (0..count).map(LocationId::new).filter(|location| !reached.contains(location));
    let answer = match recursive {
        true => Answer::Anything,
        false => alone.answer(&exploration, &reached),
    };
    let may_edges = exploration.edges.iter().flatten().map(|part| part.targets.len()).sum();
    Summary { answer, writes, never: never.collect(), cells: exploration.cells.len(), may_edges }
}

/// Globals that some step of the program writes.
pub fn written(program: &Program) -> FixedBitSet {
    let mut written = FixedBitSet::with_capacity(program.globals.len());
    program.functions.iter().for_each(|function| add_writes(function, &mut written));
    written
}

/// Globals that steps of a function write.
fn add_writes(function: &Function, writes: &mut FixedBitSet) {
    let mut add = |variable: VariableId| {
        if let VariableId::Global(index) = variable {
            writes.insert(index as usize);
        }
    };
    for edge in function.graph.edge_weights() {
        written_by_effect(&edge.effect, &mut add);
    }
    for input in function.graph.node_weights().flat_map(|location| &location.inputs) {
        add(input.place.variable);
    }
}

fn reached(exploration: &Exploration<'_>) -> FxHashSet<LocationId> {
    let contexts = &exploration.transfer.contexts;
    let points = exploration.cells.iter().map(|cell| contexts.node(cell.node).point);
    let locations = points.filter_map(|point| match point {
        Point::At(location) => Some(location),
        _ => None,
    });
    locations.collect()
}

/// Who calls whom, callees before callers.
struct Calls {
    called: Vec<Vec<FunctionId>>,
    /// Components of functions that call each other.
    components: Vec<Vec<FunctionId>>,
    /// Calls below one call of a function, its own included; very many where it is recursive.
    contexts: Vec<u64>,
}

impl Calls {
    fn of(program: &Program) -> Self {
        let called: Vec<Vec<FunctionId>> =
            program.functions.iter().map(|function| callees(function).collect()).collect();
        let mut graph: DiGraph<(), (), u32> = DiGraph::new();
        for _ in &called {
            graph.add_node(());
        }
        for (from, callees) in called.iter().enumerate() {
            for to in callees {
                graph.add_edge(LocationId::new(from), LocationId::new(to.0 as usize), ());
            }
        }
        let components = petgraph::algo::tarjan_scc(&graph).into_iter();
        let components: Vec<Vec<FunctionId>> = components
            .map(|nodes| nodes.into_iter().map(|node| FunctionId(node.index() as u32)).collect())
            .collect();
        let mut contexts = vec![1u64; called.len()];
        for component in &components {
            for id in component {
                let below = called[id.0 as usize].iter().map(|callee| contexts[callee.0 as usize]);
                let own = below.fold(1, u64::saturating_add);
                contexts[id.0 as usize] = if component.len() > 1 { u64::MAX } else { own };
            }
        }
        Self { called, components, contexts }
    }

    fn are_many(&self, entry: FunctionId) -> bool {
        self.contexts[entry.0 as usize] > MOST_CONTEXTS
    }

    /// Adds what a function can call, itself included.
    fn add(&self, from: FunctionId, reached: &mut FixedBitSet) {
        let mut pending = vec![from];
        while let Some(id) = pending.pop() {
            if !reached.put(id.0 as usize) {
                pending.extend(&self.called[id.0 as usize]);
            }
        }
    }

    /// Functions by the height of the calls below them; whether each is recursive.
    fn levels(&self, wanted: &FixedBitSet) -> Vec<Vec<(FunctionId, bool)>> {
        let mut height = vec![0usize; self.called.len()];
        let mut levels: Vec<Vec<(FunctionId, bool)>> = Vec::new();
        for component in &self.components {
            let below = component.iter().flat_map(|id| &self.called[id.0 as usize]);
            let outside = below.filter(|callee| !component.contains(callee));
            let own = outside.map(|callee| height[callee.0 as usize] + 1).max().unwrap_or(0);
            let recursive =
                component.len() > 1 || component.iter().any(|id| self.called[id.0 as usize].contains(id));
            for id in component {
                height[id.0 as usize] = own;
                if wanted.contains(id.0 as usize) {
                    levels.resize_with(levels.len().max(own + 1), Vec::new);
                    levels[own].push((*id, recursive));
                }
            }
        }
        levels
    }
}
