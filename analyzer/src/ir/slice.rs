//! The part of a program that runs of one entry can come to: the functions it calls, directly or not.
//!
//! What an analysis costs then depends on that part and not on the file it stands in.

use rustc_hash::FxHashMap;

use super::{Effect, Function, FunctionId, Program};

/// A program of its own, with the function each of its functions was.
#[derive(Clone, Debug)]
pub struct Slice {
    pub program: Program,
    pub origin: Vec<FunctionId>,
    known: FxHashMap<FunctionId, FunctionId>,
}

impl Slice {
    pub fn of(program: &Program, entry: FunctionId) -> Self {
        let mut origin = vec![entry];
        let mut known: FxHashMap<FunctionId, FunctionId> = FxHashMap::from_iter([(entry, FunctionId(0))]);
        let mut next = 0;
        while let Some(id) = origin.get(next).copied() {
            next += 1;
            for callee in callees(program.function(id)) {
                known.entry(callee).or_insert_with(|| {
                    origin.push(callee);
                    FunctionId(origin.len() as u32 - 1)
                });
            }
        }
        let functions = origin.iter().map(|id| {
            let mut function = program.function(*id).clone();
            for edge in function.graph.edge_weights_mut() {
                if let Effect::Call { function, .. } = &mut edge.effect {
                    *function = known[function];
                }
            }
            function
        });
        let functions = functions.collect();
        let sliced = Program {
            globals: program.globals.clone(),
            functions,
            entry: FunctionId(0),
            initialisers: program.initialisers.clone(),
        };
        Self { program: sliced, origin, known }
    }

    /// The function of the slice that this one became.
    pub fn own(&self, id: FunctionId) -> Option<FunctionId> {
        self.known.get(&id).copied()
    }
}

/// The functions a function calls, in the order of its graph.
pub fn callees(function: &Function) -> impl Iterator<Item = FunctionId> {
    function.graph.edge_weights().filter_map(|edge| match edge.effect {
        Effect::Call { function, .. } => Some(function),
        _ => None,
    })
}
