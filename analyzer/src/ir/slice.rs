//! The part of a program that runs of one entry can come to: the functions it calls, directly or not.
//!
//! What an analysis costs then depends on that part and not on the file it stands in.

use super::{Effect, Function, FunctionId, Program};

/// A program of its own, with the function each of its functions was.
#[derive(Clone, Debug)]
pub struct Slice {
    pub program: Program,
    pub origin: Vec<FunctionId>,
}

impl Slice {
    pub fn of(program: &Program, entry: FunctionId) -> Self {
        let mut origin = vec![entry];
        let mut next = 0;
        while let Some(id) = origin.get(next).copied() {
            next += 1;
            for callee in callees(program.function(id)) {
                if !origin.contains(&callee) {
                    origin.push(callee);
                }
            }
        }
        let own = |id: FunctionId| {
            let at = origin.iter().position(|known| *known == id).expect("a callee was collected");
            FunctionId(at as u32)
        };
        let functions = origin.iter().map(|id| {
            let mut function = program.function(*id).clone();
            for edge in function.graph.edge_weights_mut() {
                if let Effect::Call { function, .. } = &mut edge.effect {
                    *function = own(*function);
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
        Self { program: sliced, origin }
    }

    /// The function of the slice that this one became.
    pub fn own(&self, id: FunctionId) -> Option<FunctionId> {
        self.origin.iter().position(|known| *known == id).map(|at| FunctionId(at as u32))
    }
}

/// The functions a function calls, in the order of its graph.
pub fn callees(function: &Function) -> impl Iterator<Item = FunctionId> {
    function.graph.edge_weights().filter_map(|edge| match edge.effect {
        Effect::Call { function, .. } => Some(function),
        _ => None,
    })
}
