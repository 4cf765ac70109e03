//! Why a path that the cells allow is no run: conditions at the one place where its beginning and its end part.
//!
//! The last cell from which the rest of the path is impossible is looked for; behind its step, what the rest needs is
//! false, yet the next cell does not say so. These needs, as conditions on the states of that next cell, are what an
//! interpolant of the two parts would be made of (McMillan, CAV 2003).

use std::time::Duration;

use kleene_ctl::CellId;
use kleene_domains::numeric::NumericState;
use kleene_domains::{Cond, facts};
use kleene_solver::{Answer, Embedded};

use super::ask;
use super::path::{Path, Taken, Why};
use crate::interpret::State;
use crate::interpret::context::NodeId;
use crate::interpret::explore::Exploration;

/// Longer paths are not looked at, nor earlier steps than these.
const LONGEST: usize = 60;
const LAST_STEPS: usize = 16;
const LONGEST_QUESTION: Duration = Duration::from_millis(300);
const MOST_CONDITIONS: usize = 3;

/// Conditions, each at a node, that tell the states which the impossible path needs from those there are.
pub fn conflict(exploration: &Exploration<'_>, path: &Path) -> Vec<(NodeId, Cond)> {
    let mut steps = path.taken();
    if steps.is_empty() || steps.len() > LONGEST {
        return Vec::new();
    }
    let goal = path.cell;
    let rest = |from: usize, start: &State, steps: &[Taken]| {
        let begin = Path::start(steps[from].from, start, None);
        follow(exploration, begin, &steps[from..], goal)
    };
    let mut solver = Embedded::new();
    let earliest = steps.len().saturating_sub(LAST_STEPS);
    let last = (earliest..steps.len()).rev().find(|at| {
        let state = &exploration.cells[steps[*at].from.index()].state;
        let Some(path) = rest(*at, state, &steps) else { return false };
        let inside = path.inside(&exploration.cells[goal.index()].state);
        matches!(ask(&path, inside, &mut solver, LONGEST_QUESTION), Answer::Unsat(_))
    });
    let Some(behind) = last.map(|at| at + 1).filter(|behind| *behind < steps.len()) else {
        return Vec::new();
    };
    let steps = steps.split_off(behind);
    let node = exploration.cells[steps[0].from.index()].node;
    let contexts = &exploration.transfer.contexts;
    let dimensions = contexts.get(contexts.node(node).context).dimensions;
    let Some(path) = rest(0, &State::top(dimensions), &steps) else { return Vec::new() };
    let needs = path.reasons().filter(|(_, why)| *why == Why::Taken).map(|(condition, _)| condition);
    let needs = needs.chain(path.inside(&exploration.cells[goal.index()].state));
    let mut found: Vec<(NodeId, Cond)> = Vec::new();
    for condition in needs.map(|need| facts::tidy(&need)) {
        let mut known = matches!(condition, Cond::Compare(..));
        condition.for_each_variable(&mut |slot| known &= (slot.0 as usize) < dimensions);
        if known && found.len() < MOST_CONDITIONS && !found.iter().any(|(_, other)| *other == condition) {
            found.push((node, condition));
        }
    }
    found
}

/// A path along steps, into a cell. `None` if it cannot be followed.
fn follow(exploration: &Exploration<'_>, mut path: Path, steps: &[Taken], goal: CellId) -> Option<Path> {
    let transfer = &exploration.transfer;
    for (at, step) in steps.iter().enumerate() {
        let to = steps.get(at + 1).map_or(goal, |next| next.from);
        let (node, to) = (exploration.cells[step.from.index()].node, exploration.cells[to.index()].node);
        let command = transfer.known_command(node)?;
        path = path.draw(node, &command)?;
        let edge = match step.edge {
            Some(id) => Some(command.edges.iter().find(|edge| edge.id == id)?),
            None => None,
        };
        if let Some(edge) = edge {
            let guard = path.condition(&edge.guard);
            path.require(guard, Why::Taken);
        }
        path.perform(transfer, node, edge, to)?;
    }
    Some(path)
}
