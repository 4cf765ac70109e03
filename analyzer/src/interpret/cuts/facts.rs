//! What one function says of cuts, whatever program it stands in: found once, and put together for every part of a program
//! that somebody looks at.

use std::sync::OnceLock;

use fixedbitset::FixedBitSet;
use kleene_domains::Int;
use rustc_hash::FxHashMap;

use super::Flow;
use super::collect::{Collector, Compared};
use crate::ir::variables::written_by_effect;
use crate::ir::{Effect, Expr, Function, FunctionId, Initialiser, Place, Program, VariableId};

/// Of each function what it says, once somebody asks.
#[derive(Debug, Default)]
pub struct AllFacts {
    first: Vec<Option<Int>>,
    functions: Vec<OnceLock<Facts>>,
}

impl AllFacts {
    pub fn new(program: &Program) -> Self {
        let mut functions = Vec::new();
        functions.resize_with(program.functions.len(), OnceLock::new);
        Self { first: first_values(program), functions }
    }

    pub fn of(&self, program: &Program, id: FunctionId) -> &Facts {
        let new = || Facts::of(program.function(id), id, &self.first);
        self.functions[id.0 as usize].get_or_init(new)
    }
}

/// Numbers are those of globals, then those of the function's own locals, then those of what it names of others.
#[derive(Debug)]
pub struct Facts {
    names: Names,
    pub said: Said,
    /// By the number of the target, where nothing else flows to it: no argument of others, no result.
    pub(super) own_flows: Vec<(u32, Vec<Flow>)>,
    pub(super) shared_flows: Vec<(u32, Vec<Flow>)>,
    /// What its results are made of, and what that says where somebody takes them.
    pub(super) returned_flows: Vec<Flow>,
    pub returned: Said,
    /// Globals that it writes.
    pub written: Vec<u32>,
}

/// Cuts of variables, by their numbers.
#[derive(Debug)]
pub struct Said {
    pub cuts: Vec<(u32, Vec<Int>)>,
    pub compared: Vec<Compared>,
}

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    Global(u32),
    Local(u32),
    Parameter(FunctionId, u32),
    Result(FunctionId),
}

#[derive(Debug)]
struct Names {
    own: FunctionId,
    globals: u32,
    locals: u32,
    others: Vec<Named>,
    known: FxHashMap<Named, u32>,
}

impl Names {
    fn number(&mut self, function: FunctionId, variable: VariableId) -> u32 {
        match variable {
            VariableId::Global(index) => index,
            VariableId::Local(index) if function == self.own => self.globals + index,
            VariableId::Local(index) => self.other(Named::Parameter(function, index)),
        }
    }

    fn named(&self, number: u32) -> Named {
        match number.checked_sub(self.globals) {
            None => Named::Global(number),
            Some(local) if local < self.locals => Named::Local(local),
            Some(other) => self.others[(other - self.locals) as usize],
        }
    }

    fn other(&mut self, named: Named) -> u32 {
        let next = self.globals + self.locals + self.others.len() as u32;
        let others = &mut self.others;
        *self.known.entry(named).or_insert_with(|| {
            others.push(named);
            next
        })
    }
}

impl Facts {
    /// `first` says of each global what it begins with, where it may be that it never changes.
    fn of(function: &Function, own: FunctionId, first: &[Option<Int>]) -> Self {
        let (globals, locals) = (first.len() as u32, function.locals.len() as u32);
        let mut names = Names { own, globals, locals, others: Vec::new(), known: FxHashMap::default() };
        let (mut said, mut returned) = (Collector::new(first), Collector::new(first));
        for edge in function.graph.edge_weights() {
            said.condition(&edge.guard, &mut |place: &Place| Some(names.number(own, place.variable)));
            said.effect(&mut |function, variable| names.number(function, variable), own, &edge.effect);
            match &edge.effect {
                Effect::Call { function: callee, result: Some(place), .. } => {
                    let result = names.other(Named::Result(*callee));
                    said.flow(names.number(own, place.variable), Flow::plain(result));
                }
                Effect::Return(Some(value)) => {
                    let number = &mut |function, variable| names.number(function, variable);
                    returned.assignment(number, 0, own, value);
                }
                _ => {}
            }
        }
        let is_own = |(target, flows): &(u32, Vec<Flow>)| {
            let is_result = |flow: &Flow| matches!(names.named(flow.source), Named::Result(_));
            matches!(names.named(*target), Named::Local(local) if local >= function.parameters)
                && !flows.iter().any(is_result)
        };
        let (own_flows, shared_flows) = listed(said.flows).into_iter().partition(is_own);
        Self {
            own_flows,
            shared_flows,
            said: Said { cuts: listed(said.cuts), compared: said.compared },
            returned_flows: returned.flows.into_iter().next().unwrap_or_default(),
            returned: Said { cuts: listed(returned.cuts), compared: returned.compared },
            written: written(function),
            names,
        }
    }

    pub fn named(&self, number: u32) -> Named {
        self.names.named(number)
    }

    /// From here on numbers are those of its own locals.
    pub fn globals(&self) -> u32 {
        self.names.globals
    }
}

/// Those that are not empty, by their numbers.
fn listed<T>(lists: Vec<Vec<T>>) -> Vec<(u32, Vec<T>)> {
    (0..).zip(lists).filter(|(_, list)| !list.is_empty()).collect()
}

pub fn written(function: &Function) -> Vec<u32> {
    let mut written = FixedBitSet::new();
    let mut write = |variable: VariableId| {
        if let VariableId::Global(index) = variable {
            written.grow_and_insert(index as usize);
        }
    };
    let inputs = function.graph.node_weights().flat_map(|location| &location.inputs);
    inputs.for_each(|input| write(input.place.variable));
    for edge in function.graph.edge_weights() {
        written_by_effect(&edge.effect, &mut write);
    }
    written.ones().map(|index| index as u32).collect()
}

/// By the number of the global: its first value, where that is a constant.
pub fn first_values(program: &Program) -> Vec<Option<Int>> {
    let mut first = vec![None; program.globals.len()];
    for initialiser in &program.initialisers {
        let VariableId::Global(index) = initialiser.place().variable else { continue };
        first[index as usize] = match initialiser {
            Initialiser::Assign(Place { path, .. }, Expr::Constant(value)) if path.is_empty() => {
                Some(value.clone())
            }
            _ => None,
        };
    }
    first
}
