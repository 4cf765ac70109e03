//! What need not be tracked: variables that no guard and no property depends on, and locals whose value
//! is not read any more.
//!
//! Dropping them is exact: steps are total, so runs that differ only in untracked values take the same
//! steps and satisfy the same atoms.

use fixedbitset::FixedBitSet;
use petgraph::visit::EdgeRef;

use crate::ir::variables::{
    overwritten_by_effect, read_by_cond, read_by_effect, read_by_expr, read_by_indices, read_by_input,
};
use crate::ir::{Effect, Function, FunctionId, Initialiser, Place, Program, Type, VariableId};
use crate::property::{Leaf, Predicate};

/// Arrays with more elements than this are not tracked.
pub const TRACKED_ELEMENTS: u64 = 32;

#[derive(Clone, Debug)]
pub struct Relevance {
    globals: FixedBitSet,
    locals: Vec<FixedBitSet>,
    /// Per function and location: locals whose value may still be read.
    live: Vec<Vec<FixedBitSet>>,
}

impl Relevance {
    /// What the predicates depend on. Locals in `asked` have a value everywhere, those in `told_apart` as
    /// long as somebody reads it, except that what was drawn is remembered: it tells which way was chosen.
    pub fn of<'a>(
        program: &Program,
        asked: impl Iterator<Item = &'a Predicate>,
        told_apart: impl Iterator<Item = &'a Predicate>,
    ) -> Self {
        let mut flow = Flow::new(program);
        let none = |function: &Function| FixedBitSet::with_capacity(function.locals.len());
        let unpinned: Vec<FixedBitSet> = program.functions.iter().map(none).collect();
        let mut pinned = unpinned.clone();
        for predicate in told_apart {
            predicate.for_each_variable(&mut |leaf| flow.pin(leaf, &mut pinned));
        }
        let told_apart = std::mem::replace(&mut pinned, unpinned.clone());
        for predicate in asked {
            predicate.for_each_variable(&mut |leaf| flow.pin(leaf, &mut pinned));
        }
        let pinned =
            program.functions.iter().zip(told_apart).zip(pinned).map(|((function, told_apart), asked)| {
                let mut pinned = behind_draws(function, &told_apart);
                pinned.iter_mut().for_each(|pinned| pinned.union_with(&asked));
                pinned
            });
        let pinned: Vec<Vec<FixedBitSet>> = pinned.collect();
        let relevant = flow.close();
        let tracked = |index: usize, ty: &Type| relevant.contains(index) && ty.slots() <= TRACKED_ELEMENTS;
        let mut globals = FixedBitSet::with_capacity(program.globals.len());
        for (index, global) in program.globals.iter().enumerate() {
            globals.set(index, tracked(index, &global.ty));
        }
        let locals = program.functions.iter().enumerate().map(|(id, function)| {
            let first = flow.first_local[id];
            let mut set = FixedBitSet::with_capacity(function.locals.len());
            for (index, local) in function.locals.iter().enumerate() {
                set.set(index, tracked(first + index, &local.ty));
            }
            set
        });
        let locals: Vec<_> = locals.collect();
        let live = program
            .functions
            .iter()
            .zip(&pinned)
            .map(|(function, pinned)| live_locals(function, pinned))
            .collect();
        Self { globals, locals, live }
    }

    pub fn tracks(&self, function: FunctionId, variable: VariableId) -> bool {
        match variable {
            VariableId::Global(index) => self.globals.contains(index as usize),
            VariableId::Local(index) => self.locals[function.0 as usize].contains(index as usize),
        }
    }

    /// Tracked locals whose value is not read any more, in order.
    pub fn dead(&self, function: FunctionId, location: usize) -> impl Iterator<Item = u32> {
        let (tracked, live) = (&self.locals[function.0 as usize], &self.live[function.0 as usize]);
        let words = tracked.as_slice().iter().zip(live[location].as_slice());
        ones(words.map(|(tracked, live)| tracked & !live))
    }

    /// Of those, the locals that somebody may have read before, at another location.
    pub fn newly_dead(&self, function: FunctionId, before: usize, after: usize) -> impl Iterator<Item = u32> {
        let (tracked, live) = (&self.locals[function.0 as usize], &self.live[function.0 as usize]);
        let words = tracked.as_slice().iter().zip(live[before].as_slice()).zip(live[after].as_slice());
        ones(words.map(|((tracked, before), after)| tracked & before & !after))
    }

    /// Whether it is a tracked local whose value is not read any more.
    pub fn is_dead(&self, function: FunctionId, location: usize, local: u32) -> bool {
        self.tracks(function, VariableId::Local(local)) && !self.is_live(function, location, local)
    }

    pub fn is_live(&self, function: FunctionId, location: usize, local: u32) -> bool {
        self.live[function.0 as usize][location].contains(local as usize)
    }
}

/// The numbers of the bits that are set in a row of words.
fn ones(words: impl Iterator<Item = usize>) -> impl Iterator<Item = u32> {
    (0..).step_by(usize::BITS as usize).zip(words).flat_map(|(first, mut word)| {
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros())?;
            word &= word - 1;
            Some(first + bit)
        })
    })
}

/// Which variable's value flows into which, with all variables of the program in one numbering.
struct Flow {
    first_local: Vec<usize>,
    sources: Vec<Vec<u32>>,
    relevant: FixedBitSet,
    pending: Vec<usize>,
}

impl Flow {
    fn new(program: &Program) -> Self {
        let mut next = program.globals.len();
        let mut first_local = Vec::new();
        for function in &program.functions {
            first_local.push(next);
            next += function.locals.len();
        }
        let sources = vec![Vec::new(); next];
        let relevant = FixedBitSet::with_capacity(next);
        let mut flow = Self { first_local, sources, relevant, pending: Vec::new() };
        for initialiser in &program.initialisers {
            match initialiser {
                Initialiser::Assign(place, value) => {
                    let target = flow.index(program.entry, place.variable);
                    read_by_expr(value, &mut |read| flow.edge(program.entry, target, read));
                }
                Initialiser::Input(input) => {
                    read_by_input(input, &mut |read| flow.mark(program.entry, read));
                }
            }
        }
        for (id, function) in program.functions.iter().enumerate() {
            flow.add_function(program, FunctionId(id as u32), function);
        }
        flow
    }

    fn add_function(&mut self, program: &Program, id: FunctionId, function: &Function) {
        for location in function.graph.node_weights() {
            for input in &location.inputs {
                read_by_input(input, &mut |read| self.mark(id, read));
            }
        }
        for edge in function.graph.edge_weights() {
            read_by_cond(&edge.guard, &mut |read| self.mark(id, read));
            match &edge.effect {
                Effect::Assign(assignments) => {
                    for (place, value) in assignments {
                        self.add_assignment(id, place, id, value);
                    }
                }
                Effect::Call { function: callee, arguments, result } => {
                    for (index, argument) in arguments.iter().enumerate() {
                        let parameter = Place::variable(VariableId::Local(index as u32));
                        self.add_assignment(*callee, &parameter, id, argument);
                    }
                    if let Some(place) = result {
                        self.add_result(program, id, place, *callee);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_result(&mut self, program: &Program, id: FunctionId, place: &Place, callee: FunctionId) {
        for edge in program.function(callee).graph.edge_weights() {
            if let Effect::Return(Some(value)) = &edge.effect {
                self.add_assignment(id, place, callee, value);
            }
        }
    }

    fn add_assignment(&mut self, to: FunctionId, place: &Place, from: FunctionId, value: &crate::ir::Expr) {
        let target = self.index(to, place.variable);
        read_by_expr(value, &mut |read| self.edge(from, target, read));
        read_by_indices(place, &mut |read| self.edge(to, target, read));
    }

    fn index(&self, function: FunctionId, variable: VariableId) -> usize {
        match variable {
            VariableId::Global(index) => index as usize,
            VariableId::Local(index) => self.first_local[function.0 as usize] + index as usize,
        }
    }

    fn edge(&mut self, function: FunctionId, target: usize, read: VariableId) {
        let source = self.index(function, read) as u32;
        self.sources[target].push(source);
    }

    fn mark(&mut self, function: FunctionId, variable: VariableId) {
        let index = self.index(function, variable);
        if !self.relevant.put(index) {
            self.pending.push(index);
        }
    }

    fn pin(&mut self, leaf: &Leaf, pinned: &mut [FixedBitSet]) {
        let element = match leaf {
            Leaf::Global { variable, element } => {
                self.mark(FunctionId(0), VariableId::Global(*variable));
                element
            }
            Leaf::Local { function, variable, element } => {
                self.mark(*function, VariableId::Local(*variable));
                pinned[function.0 as usize].insert(*variable as usize);
                element
            }
            _ => return,
        };
        if let Some(index) = element {
            index.for_each_variable(&mut |leaf| self.pin(leaf, pinned));
        }
    }

    fn close(&mut self) -> FixedBitSet {
        while let Some(index) = self.pending.pop() {
            for at in 0..self.sources[index].len() {
                let source = self.sources[index][at] as usize;
                if !self.relevant.put(source) {
                    self.pending.push(source);
                }
            }
        }
        self.relevant.clone()
    }
}

/// Locals that inputs are drawn into.
/// Per location, which of the locals may have been drawn before.
fn behind_draws(function: &Function, locals: &FixedBitSet) -> Vec<FixedBitSet> {
    let mut drawn = vec![FixedBitSet::with_capacity(function.locals.len()); function.graph.node_count()];
    let mut pending: Vec<_> = function.graph.node_indices().collect();
    while let Some(location) = pending.pop() {
        let mut behind = drawn[location.index()].clone();
        for input in &function.graph[location].inputs {
            if let VariableId::Local(index) = input.place.variable {
                behind.insert(index as usize);
            }
        }
        behind.intersect_with(locals);
        for next in function.graph.neighbors(location) {
            if !behind.is_subset(&drawn[next.index()]) {
                drawn[next.index()].union_with(&behind);
                pending.push(next);
            }
        }
    }
    drawn
}

/// Classic backward liveness of a function's locals, at the moment before each location's step.
fn live_locals(function: &Function, pinned: &[FixedBitSet]) -> Vec<FixedBitSet> {
    let mut live = pinned.to_vec();
    let mut pending: Vec<_> = function.graph.node_indices().collect();
    let mut queued = FixedBitSet::with_capacity(live.len());
    queued.insert_range(..);
    while let Some(location) = pending.pop() {
        queued.remove(location.index());
        let before = live_before(function, location, &live, pinned);
        if before != live[location.index()] {
            live[location.index()] = before;
            for previous in function.graph.neighbors_directed(location, petgraph::Incoming) {
                if !queued.put(previous.index()) {
                    pending.push(previous);
                }
            }
        }
    }
    live
}

fn live_before(
    function: &Function,
    location: crate::ir::LocationId,
    live: &[FixedBitSet],
    pinned: &[FixedBitSet],
) -> FixedBitSet {
    let mut before = pinned[location.index()].clone();
    let local = |set: &mut FixedBitSet, variable, alive| {
        if let VariableId::Local(index) = variable {
            set.set(index as usize, alive);
        }
    };
    for edge in function.graph.edges(location) {
        let mut through = match edge.weight().effect {
            Effect::Assign(_) | Effect::Call { .. } => live[edge.target().index()].clone(),
            _ => pinned[edge.target().index()].clone(),
        };
        overwritten_by_effect(&edge.weight().effect, &mut |written| local(&mut through, written, false));
        read_by_effect(&edge.weight().effect, &mut |read| local(&mut through, read, true));
        read_by_cond(&edge.weight().guard, &mut |read| local(&mut through, read, true));
        before.union_with(&through);
    }
    for input in function.graph[location].inputs.iter().rev() {
        if input.place.path.is_empty() {
            local(&mut before, input.place.variable, false);
        }
        read_by_input(input, &mut |read| local(&mut before, read, true));
    }
    before.union_with(&pinned[location.index()]);
    before
}
