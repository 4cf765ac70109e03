//! Values to draw for a must edge: proposals, which `verify` tries.

use kleene_ctl::CellId;
use kleene_domains::numeric::NumericState;
use kleene_domains::{Bound, Int, Interval, LinearExpr, Value};

use super::write::linear;
use crate::evidence::certificate::{Drawn, Number};
use crate::interpret::State;
use crate::interpret::compile::{Input, Source};
use crate::interpret::explore::{CellIndex, Exploration};

/// Attempts for one edge.
const MOST_ATTEMPTS: usize = 12;

/// Lists of values, one per scalar that the cell's step draws.
pub fn draws(exploration: &Exploration<'_>, cell: CellId, targets: &[CellId]) -> Vec<Vec<Drawn>> {
    let transfer = &exploration.transfer;
    let known = &exploration.cells[cell.index()];
    let Some(command) = transfer.known_command(known.node) else { return Vec::new() };
    let seen = command.inputs.iter().any(|input| input.source.is_given());
    if command.inputs.is_empty() || seen || transfer.is_terminal(known.node) {
        return Vec::new();
    }
    let location = match transfer.contexts.node(known.node).point {
        crate::interpret::context::Point::At(location) => location,
        _ => return Vec::new(),
    };
    let function = transfer.contexts.get(transfer.contexts.node(known.node).context).function;
    let written = &transfer.scope.program.function(function).graph[location].inputs;
    let marked = transfer.drawn.get(&known.node).and_then(|states| states.get(&known.state));
    let marked = marked.cloned().unwrap_or_default();
    let aims = transfer.aims.get(&known.node).cloned().unwrap_or_default();
    let (musts, enabled) = transfer.enabled(&command, &known.state, &marked, &aims);
    // Parts in the order of the edges they became, if none was dropped on the way.
    let parts: Vec<usize> =
        (0..musts.len()).filter(|part| enabled.iter().any(|enabled| enabled.part == *part)).collect();
    let edges = &exploration.edges[cell.index()];
    let wanted: Vec<CellIndex> = targets.iter().map(|to| CellIndex(to.0)).collect();
    let aligned = parts.len() == edges.len();
    let mut attempts: Vec<Vec<Drawn>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let fits = if aligned { edges[at].must && edges[at].targets == wanted } else { musts[*part] };
        if !fits {
            continue;
        }
        for state in enabled.iter().filter(|enabled| enabled.part == *part).map(|enabled| &enabled.state) {
            for pick in [Pick::Middle, Pick::Low, Pick::High] {
                let mut values = Vec::new();
                for (input, written) in command.inputs.iter().zip(written) {
                    let ty = transfer.scope.program.place_type(function, &written.place);
                    let scalars = ty.scalars();
                    for (at, ty) in scalars.iter().enumerate() {
                        let allowed = allowed(&known.state, input, &ty.range());
                        let drawn = match input.targets.get(at) {
                            Some((slot, _)) => narrowed(&state.get(*slot), &allowed),
                            None => Value::from_interval(allowed),
                        };
                        values.push(Drawn::Number(Number(pick.of(&drawn))));
                    }
                }
                if !attempts.contains(&values) && attempts.len() < MOST_ATTEMPTS {
                    attempts.push(values);
                }
            }
        }
    }
    let plain = attempts.first().cloned();
    for aim in aims.iter() {
        let (Some(mut values), Some(form)) = (plain.clone(), LinearExpr::of(&aim.value)) else { continue };
        let before = command.inputs.iter().zip(written).take(aim.input);
        let scalars =
            before.map(|(_, written)| transfer.scope.program.place_type(function, &written.place).slots());
        values[scalars.sum::<u64>() as usize] = Drawn::Sum(linear(&form, |slot| slot));
        attempts.push(values);
    }
    attempts
}

/// What every state of the cell can draw, as far as its box says.
fn allowed(state: &State, input: &Input, all: &Interval) -> Interval {
    let Source::Range(low, high) = &input.source else { return all.clone() };
    let (lows, highs) = (state.value(low), state.value(high));
    let range = Interval::new(lows.high(), highs.low());
    range.and_then(|range| range.meet(all)).unwrap_or_else(|| all.clone())
}

/// The allowed ones among these values, if there are any.
fn narrowed(values: &Value, allowed: &Interval) -> Value {
    let met = values.meet_interval(allowed);
    if met.is_bottom() { values.clone() } else { met }
}

#[derive(Clone, Copy)]
enum Pick {
    Middle,
    Low,
    High,
}

impl Pick {
    fn of(self, values: &Value) -> Int {
        let witness = || values.witness().unwrap_or(Int::ZERO);
        let end = |bound: Bound| bound.finite().cloned();
        match self {
            Self::Middle => witness(),
            Self::Low => end(values.low()).unwrap_or_else(witness),
            Self::High => end(values.high()).unwrap_or_else(witness),
        }
    }
}
