//! What would decide a Maybe: conditions on the initial state under which the answer is known.

use kleene_ctl::CellId;
use kleene_domains::lattice::Lattice;
use kleene_domains::numeric::NumericState;
use kleene_domains::relation::Relation;
use kleene_domains::{Bound, Value, Var};
use rustc_hash::FxHashMap;

use super::Prepared;
use crate::interpret::State;
use crate::interpret::context::Contexts;
use crate::interpret::explore::Exploration;
use crate::ir::{VariableId, VariableKind};

/// Longer ones help nobody.
const MOST_PARTS: usize = 5;

/// The plainest condition that leaves only initial states that are `wanted`, as `--assume` understands it:
/// one for all of them if there is one.
pub fn plainest(
    prepared: &Prepared,
    exploration: &Exploration<'_>,
    wanted: impl Fn(CellId) -> bool,
) -> Option<String> {
    let (good, bad): (Vec<_>, Vec<_>) =
        exploration.initial.iter().partition(|(cell, _)| wanted(CellId(cell.0)));
    let good = || good.iter().map(|(_, initial)| &initial.state);
    let all = good().cloned().reduce(|all, state| all.join(&state))?;
    let apart = bad.iter().all(|(_, initial)| all.meet(&initial.state).is_bottom());
    let whole = apart.then(|| condition(prepared, exploration, &all)).flatten();
    let single = || {
        let conditions = good().filter_map(|state| condition(prepared, exploration, state));
        conditions.min_by_key(|parts| (parts.len(), parts.join(" && ")))
    };
    whole.or_else(single).map(|parts| parts.join(" && "))
}

/// Everything a state of the entry says, in parts. `None` if that cannot be written, or is nothing or too much.
fn condition(prepared: &Prepared, exploration: &Exploration<'_>, state: &State) -> Option<Vec<String>> {
    let program = &prepared.program;
    let scope = &exploration.transfer.scope;
    let base = exploration.transfer.contexts.get(Contexts::ROOT).base;
    let globals = (0..program.globals.len() as u32).map(VariableId::Global);
    let locals = (0..program.entry_function().locals.len() as u32).map(VariableId::Local);
    let mut names: FxHashMap<Var, String> = FxHashMap::default();
    let mut parts = Vec::new();
    for id in globals.chain(locals).filter(|id| scope.relevance.tracks(program.entry, *id)) {
        let variable = program.variable(program.entry, id);
        let base = if matches!(id, VariableId::Local(_)) { base } else { 0 };
        let first = base + scope.layout.first_slot(program.entry, id);
        let initialised = program.initialisers.iter().any(|initialiser| initialiser.place().variable == id);
        for (offset, ty) in variable.ty.scalars().into_iter().enumerate() {
            let slot = Var(first + offset as u32);
            let value = state.get(slot);
            let name = match variable.ty.slots() {
                1 => variable.name.clone(),
                _ => format!("{}[{offset}]", variable.name),
            };
            names.insert(slot, name.clone());
            // What the program itself sets is no assumption.
            if initialised && value.as_constant().is_some() || value == ty.any_value() || value.is_top() {
                continue;
            }
            if variable.kind == VariableKind::Temporary {
                return None;
            }
            parts.extend(bounds(&name, &value)?);
        }
    }
    for (variables, relation) in state.relations() {
        for constraint in relation.constraints() {
            let mentioned: Vec<Var> = constraint.variables().map(|at| variables[at.0 as usize]).collect();
            if mentioned.len() > 1 {
                if !mentioned.iter().all(|slot| names.contains_key(slot)) {
                    return None;
                }
                parts.push(constraint.shown(|at| names[&variables[at.0 as usize]].clone()));
            }
        }
    }
    (!parts.is_empty() && parts.len() <= MOST_PARTS).then_some(parts)
}

/// `None` for what is no interval.
fn bounds(name: &str, value: &Value) -> Option<Vec<String>> {
    if Value::from_interval(value.hull()?) != *value {
        return None;
    }
    Some(match (value.low(), value.high()) {
        (Bound::Finite(low), Bound::Finite(high)) if low == high => vec![format!("{name} == {low}")],
        (low, high) => {
            let low = low.finite().map(|low| format!("{name} >= {low}"));
            let high = high.finite().map(|high| format!("{name} <= {high}"));
            low.into_iter().chain(high).collect()
        }
    })
}
