//! Recursion: calls looked at apart from their returns.
//!
//! A run that goes on for ever has calls that return and calls that never do. Stepping over the former, its path
//! goes into the latter one frame after the other, and no return is left on it but those of calls from before
//! it began, of which there are finitely many. So if no such path is infinite, no run is. Expressions speak of
//! the frame the path is in: into a call it becomes the callee's, over a call it stays with the result unknown.

use std::collections::BTreeSet;
use std::rc::Rc;

use kleene_ctl::CellId;

use super::steps::{Crossing, StepFacts};
use super::{MOST_TRANSITIONS, Proof, Ranking, System, Transition, Transitions, candidates};
use crate::interpret::compile::Effect;
use crate::interpret::context::{Context, ContextKind, Node, Point};
use crate::interpret::explore::Exploration;

/// Why no run stays for ever in cells some of which stand for calls of any depth.
pub fn terminates(ranking: &Ranking<'_, '_>, strategy: &[(CellId, Vec<CellId>)]) -> Option<Proof> {
    let exploration = ranking.exploration;
    // Not every cell of a model stands for states of the program.
    if strategy.iter().any(|(cell, _)| cell.index() >= exploration.cells.len())
        || !strategy.iter().any(|(cell, _)| is_summary(context(exploration, *cell)))
    {
        return None;
    }
    let all =
        System { ranking, transitions: transitions(ranking, strategy)?, candidates: Vec::new(), slots: 0 };
    let whole: Vec<usize> = (0..all.transitions.len()).collect();
    let mut proof = Vec::new();
    for component in all.components(&whole) {
        let part = component.iter().map(|index| all.transitions[*index].clone()).collect();
        proof.extend(part_of(ranking, part).terminates()?);
    }
    Some(Proof { transitions: Transitions::CallsApart, removals: proof.into() })
}

/// A loop of paths, with the slots that all its frames have.
fn part_of<'r>(ranking: &'r Ranking<'_, '_>, transitions: Vec<Transition>) -> System<'r> {
    let ends = transitions.iter().flat_map(|transition| [transition.from, transition.to]);
    let slots = ends.map(|cell| context(ranking.exploration, cell).dimensions).min().unwrap_or(0);
    let candidates = candidates(&transitions, slots);
    System { ranking, transitions, candidates, slots }
}

fn transitions(ranking: &Ranking<'_, '_>, strategy: &[(CellId, Vec<CellId>)]) -> Option<Vec<Transition>> {
    let exploration = ranking.exploration;
    let inside: BTreeSet<CellId> = strategy.iter().map(|(cell, _)| *cell).collect();
    let mut found = Vec::new();
    for (from, targets) in strategy {
        for step in ranking.steps(*from)?.iter() {
            if found.len() > MOST_TRANSITIONS {
                return None;
            }
            let mut add = |to: CellId, step: &Rc<StepFacts>| {
                found.push(Transition { from: *from, to, step: step.clone() });
            };
            let leaves = match step.edge() {
                None => true,
                Some(edge) => matches!(edge.effect, Effect::Return(_)),
            };
            if leaves && is_summary(context(exploration, *from)) {
                continue;
            }
            let mut summarised = false;
            for to in targets.iter().filter(|to| inside.contains(to) && step.leads_to(exploration, **to)) {
                let callee = context(exploration, *to);
                if is_call(step) && is_summary(callee) {
                    let crossing = Crossing::Into { base: callee.base, dimensions: callee.dimensions as u32 };
                    add(*to, &Rc::new(step.crossing(crossing)));
                    summarised = true;
                } else {
                    add(*to, step);
                }
            }
            if let (Some(edge), true) = (step.edge(), summarised) {
                let behind = Node { context: step.context(), point: Point::At(edge.target) };
                let step = Rc::new(step.crossing(Crossing::Over));
                let returned = inside.iter().filter(|to| node(exploration, **to) == behind);
                returned.for_each(|to| add(*to, &step));
            }
        }
    }
    Some(found)
}

fn node(exploration: &Exploration<'_>, cell: CellId) -> Node {
    exploration.transfer.contexts.node(exploration.cells[cell.index()].node)
}

fn context<'e>(exploration: &'e Exploration<'_>, cell: CellId) -> &'e Context {
    exploration.transfer.contexts.get(node(exploration, cell).context)
}

fn is_call(step: &StepFacts) -> bool {
    step.edge().is_some_and(|edge| matches!(edge.effect, Effect::Call { .. }))
}

fn is_summary(context: &Context) -> bool {
    context.kind == ContextKind::Summary
}
