//! The variables by whose values joined states are told apart: those that never change, and those that only
//! ever hold a few values.

use kleene_domains::{Expr, Int, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::compile::Scope;
use crate::ir::variables::written_by_effect;
use crate::ir::{Effect, FunctionId, Type, VariableId};
use crate::precision::{Domain, Precision};

/// Values a variable may be seen to be given and still count as small.
const MOST_VALUES: usize = 8;
const MOST_SLOTS: usize = 8;

/// What the program's text says about the values a variable is given.
#[derive(Default)]
struct Given {
    constants: FxHashSet<Int>,
    anything_else: bool,
}

/// Slots of the entry's states: tracked scalars that no step writes (runs that differ in them never meet), then
/// a few booleans and variables that are only given constants.
pub fn telling_slots(scope: &Scope<'_>, base: u32, precision: &Precision) -> Vec<Var> {
    let program = scope.program;
    let given = given(scope);
    let globals = (0..program.globals.len() as u32).map(|index| (VariableId::Global(index), 0));
    let locals =
        (0..program.entry_function().locals.len() as u32).map(|index| (VariableId::Local(index), base));
    let tracked = globals.chain(locals).filter(|(variable, _)| {
        scope.relevance.tracks(program.entry, *variable)
            && program.variable(program.entry, *variable).ty.slots() == 1
    });
    let slot =
        |(variable, base): (VariableId, u32)| Var(base + scope.layout.first_slot(program.entry, variable));
    let (fixed, changing): (Vec<_>, Vec<_>) =
        tracked.partition(|(variable, _)| !given.contains_key(&owned(program.entry, *variable)));
    let is_small = |(variable, _): &(VariableId, u32)| {
        let given = &given[&owned(program.entry, *variable)];
        let few = match &program.variable(program.entry, *variable).ty {
            Type::Bool => true,
            Type::Below(count) => *count as usize <= MOST_VALUES,
            _ => false,
        };
        few || !given.anything_else && given.constants.len() <= MOST_VALUES
    };
    let parameters = program.entry_function().parameters;
    // Relations cut the values of a fixed variable wherever it is compared: too many to tell apart.
    let tells = precision.domain == Domain::Intervals;
    let fixed = fixed.into_iter().filter(|(variable, _)| match variable {
        VariableId::Global(_) => tells,
        VariableId::Local(index) => tells && *index < parameters,
    });
    let fixed = fixed.take(precision.fixed_variables);
    let small = changing.into_iter().filter(is_small).take(precision.small_variables);
    fixed.chain(small).map(slot).take(MOST_SLOTS.max(precision.small_variables)).collect()
}

fn owned(function: FunctionId, variable: VariableId) -> (Option<FunctionId>, VariableId) {
    (matches!(variable, VariableId::Local(_)).then_some(function), variable)
}

/// Every variable that some step writes.
fn given(scope: &Scope<'_>) -> FxHashMap<(Option<FunctionId>, VariableId), Given> {
    let mut all: FxHashMap<_, Given> = FxHashMap::default();
    for (id, function) in scope.program.functions.iter().enumerate() {
        let id = FunctionId(id as u32);
        for input in function.graph.node_weights().flat_map(|location| &location.inputs) {
            all.entry(owned(id, input.place.variable)).or_default().anything_else = true;
        }
        for edge in function.graph.edge_weights() {
            if let Effect::Assign(assignments) = &edge.effect {
                for (place, value) in assignments {
                    let given = all.entry(owned(id, place.variable)).or_default();
                    match value {
                        Expr::Constant(value) => drop(given.constants.insert(value.clone())),
                        _ => given.anything_else = true,
                    }
                }
            } else {
                written_by_effect(&edge.effect, &mut |variable| {
                    all.entry(owned(id, variable)).or_default().anything_else = true;
                });
            }
        }
    }
    all
}
