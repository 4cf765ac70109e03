//! The part of a program that runs of one entry can come to: the functions it calls, directly or not.
//!
//! What an analysis costs then depends on that part and not on the file it stands in.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::variables::{
    read_by_cond, read_by_effect, read_by_expr, read_by_indices, read_by_input, read_by_place,
    written_by_effect,
};
use super::{Effect, Function, FunctionId, Initialiser, Program, Type, Variable, VariableId};

/// A program of its own, with the function each of its functions was.
#[derive(Clone, Debug)]
pub struct Slice {
    pub program: Program,
    pub origin: Vec<FunctionId>,
    known: FxHashMap<FunctionId, FunctionId>,
}

/// What each function of a program names: looked through once for all slices of it.
#[derive(Default)]
pub struct Names {
    globals: Vec<Vec<u32>>,
    callees: Vec<Vec<FunctionId>>,
}

impl Names {
    pub fn of(program: &Program) -> Self {
        let (globals, callees) = program
            .functions
            .par_iter()
            .map(|function| {
                let mut used = FixedBitSet::new();
                add_named(function, &mut used);
                let mut known = FxHashSet::default();
                let callees = callees(function).filter(|callee| known.insert(*callee)).collect();
                (used.ones().map(|index| index as u32).collect(), callees)
            })
            .unzip();
        Self { globals, callees }
    }

    /// The functions that runs of an entry can come to, itself first.
    pub fn reached(&self, entry: FunctionId) -> Vec<FunctionId> {
        reached_by(entry, |id| self.callees[id.0 as usize].iter().copied())
    }
}

impl Slice {
    pub fn of(program: &Program, names: &Names, entry: FunctionId) -> Self {
        Self::beginning_with(program, names, entry, &program.initialisers)
    }

    /// The same with other first values of globals; those that are not named may have any.
    pub fn beginning_with(
        program: &Program,
        names: &Names,
        entry: FunctionId,
        initialisers: &[Initialiser],
    ) -> Self {
        let origin = names.reached(entry);
        let known: FxHashMap<FunctionId, FunctionId> =
            origin.iter().zip(0..).map(|(id, own)| (*id, FunctionId(own))).collect();
        let functions = origin.iter().map(|id| {
            let mut function = program.function(*id).clone();
            for edge in function.graph.edge_weights_mut() {
                if let Effect::Call { function: callee, .. } = edge.effect
                    && let Effect::Call { function, .. } = &mut Arc::make_mut(edge).effect
                {
                    *function = known[&callee];
                }
            }
            function
        });
        let mut named = FixedBitSet::with_capacity(program.globals.len());
        named.extend(origin.iter().flat_map(|id| &names.globals[id.0 as usize]).map(|index| *index as usize));
        add_first_values(&mut named, initialisers);
        let program = of_named(functions.collect(), &named, &program.globals, initialisers);
        Self { program, origin, known }
    }

    /// One function without others; its locations have the numbers that they have in the program.
    pub fn single(program: Program, origin: FunctionId) -> Self {
        Self { program, origin: vec![origin], known: FxHashMap::from_iter([(origin, FunctionId(0))]) }
    }

    /// The function of the slice that this one became.
    pub fn own(&self, id: FunctionId) -> Option<FunctionId> {
        self.known.get(&id).copied()
    }
}

/// A program that begins with the first of these functions; globals that nobody names keep their numbers and nothing else,
/// and behind the last that somebody names there are none.
pub fn of_functions(functions: Vec<Function>, globals: &[Variable], initialisers: &[Initialiser]) -> Program {
    let named = named_globals(&functions, initialisers);
    of_named(functions, &named, globals, initialisers)
}

fn of_named(
    functions: Vec<Function>,
    named: &FixedBitSet,
    globals: &[Variable],
    initialisers: &[Initialiser],
) -> Program {
    let count = named.maximum().map_or(0, |last| last + 1);
    let globals = globals.iter().take(count).enumerate().map(|(index, global)| match named.contains(index) {
        true => global.clone(),
        false => Variable { name: String::new(), ty: Type::Struct(Vec::new()), ..*global },
    });
    let is_named = |first: &&Initialiser| match first.place().variable {
        VariableId::Global(index) => named.contains(index as usize),
        VariableId::Local(_) => true,
    };
    Program {
        globals: globals.collect(),
        entry: FunctionId(0),
        initialisers: initialisers.iter().filter(is_named).cloned().collect(),
        functions,
    }
}

/// The globals that functions name, and those that the first values of these are made of.
pub fn named_globals(functions: &[Function], initialisers: &[Initialiser]) -> FixedBitSet {
    let mut used = FixedBitSet::new();
    functions.iter().for_each(|function| add_named(function, &mut used));
    add_first_values(&mut used, initialisers);
    used
}

fn add(used: &mut FixedBitSet, variable: VariableId) {
    if let VariableId::Global(index) = variable {
        used.grow_and_insert(index as usize);
    }
}

fn add_named(function: &Function, used: &mut FixedBitSet) {
    let mut note = |variable: VariableId| add(used, variable);
    for location in function.graph.node_weights() {
        read_by_cond(&location.ends, &mut note);
        for input in &location.inputs {
            note(input.place.variable);
            read_by_input(input, &mut note);
        }
    }
    for edge in function.graph.edge_weights() {
        read_by_cond(&edge.guard, &mut note);
        read_by_effect(&edge.effect, &mut note);
        written_by_effect(&edge.effect, &mut note);
    }
    for view in function.views.iter() {
        view.form.for_each_place(&mut |place| read_by_place(place, &mut note));
    }
}

/// The first values of later globals may be made of those of earlier ones.
fn add_first_values(used: &mut FixedBitSet, initialisers: &[Initialiser]) {
    for initialiser in initialisers.iter().rev() {
        let VariableId::Global(index) = initialiser.place().variable else { continue };
        if !used.contains(index as usize) {
            continue;
        }
        let mut note = |variable: VariableId| add(used, variable);
        read_by_indices(initialiser.place(), &mut note);
        match initialiser {
            Initialiser::Assign(_, value) => read_by_expr(value, &mut note),
            Initialiser::Input(input) => read_by_input(input, &mut note),
        }
    }
}

/// The functions that runs of an entry can come to, itself first.
pub fn reached(program: &Program, entry: FunctionId) -> Vec<FunctionId> {
    reached_by(entry, |id| callees(program.function(id)))
}

fn reached_by<C: Iterator<Item = FunctionId>>(
    entry: FunctionId,
    callees: impl Fn(FunctionId) -> C,
) -> Vec<FunctionId> {
    let mut reached = vec![entry];
    let mut known = FxHashSet::from_iter([entry]);
    let mut next = 0;
    while let Some(id) = reached.get(next).copied() {
        next += 1;
        reached.extend(callees(id).filter(|callee| known.insert(*callee)));
    }
    reached
}

/// The functions a function calls, in the order of its graph.
pub fn callees(function: &Function) -> impl Iterator<Item = FunctionId> {
    function.graph.edge_weights().filter_map(|edge| match edge.effect {
        Effect::Call { function, .. } => Some(function),
        _ => None,
    })
}
