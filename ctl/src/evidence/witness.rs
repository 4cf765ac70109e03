//! Paths and lassos of cells for definite answers that one run shows.

use super::Explanation;
use crate::bits::BitSet;
use crate::check::{Checked, Node, SubformulaId};
use crate::formula::Quantifier::{All, Exists};
use crate::kripke::{CellId, Model};
use crate::truth::Truth;

/// Follows the formula from the top as long as one run shows its value.
pub(super) fn witness(model: &Model, checked: &Checked, start: CellId) -> Explanation {
    let mut path = vec![start];
    let mut sub = checked.root();
    loop {
        let cell = *path.last().expect("a path has a cell");
        let truth = checked.truth_of(sub, cell);
        if !truth.is_definite() {
            // A cell without concrete states, proved both ways: there is nothing to show in it.
            return Explanation::Path(path);
        }
        sub = match step(checked, sub, truth, cell) {
            Step::Operand(operand) => operand,
            Step::Next(operand) => {
                let targets = checked.chosen_edge(sub, cell).expect("a definite step has an edge");
                path.push(targets[0]);
                operand
            }
            Step::Reach => {
                let reached = reach(model, checked, sub, truth, cell);
                path.extend(reached.into_iter().skip(1));
                let Some(operand) = decisive_operand(checked, sub, *path.last().expect("not empty")) else {
                    return Explanation::Path(path);
                };
                operand
            }
            Step::Stay => return stay(checked, sub, path),
            Step::Decided => return Explanation::Path(path),
        };
    }
}

enum Step {
    /// The value is that of this operand in the same cell.
    Operand(SubformulaId),
    Next(SubformulaId),
    /// A finite run to a goal shows it.
    Reach,
    /// An infinite run shows it.
    Stay,
    /// There is nothing more to show by one run.
    Decided,
}

fn step(checked: &Checked, sub: SubformulaId, truth: Truth, cell: CellId) -> Step {
    let operands = checked.operands(sub);
    let holds = truth == Truth::True;
    match checked.node(sub) {
        Node::Not(_) => Step::Operand(operands[0]),
        Node::And(..) | Node::Or(..) | Node::Implies(..) => connective(checked, sub, holds, cell),
        Node::Next(Exists, _) if holds => Step::Next(operands[0]),
        Node::Next(All, _) if !holds => Step::Next(operands[0]),
        Node::Future(Exists, _) | Node::Until(Exists, ..) if holds => Step::Reach,
        Node::Globally(All, _) | Node::Release(All, ..) | Node::WeakUntil(All, ..) if !holds => Step::Reach,
        Node::Globally(Exists, _) | Node::Release(Exists, ..) | Node::WeakUntil(Exists, ..) if holds => {
            Step::Stay
        }
        Node::Future(All, _) | Node::Until(All, ..) if !holds => Step::Stay,
        _ => Step::Decided,
    }
}

/// The operand that decides alone, or the first temporal one where all of them are needed.
fn connective(checked: &Checked, sub: SubformulaId, holds: bool, cell: CellId) -> Step {
    let operands = checked.operands(sub);
    let alone = match checked.node(sub) {
        Node::And(..) => !holds,
        _ => holds,
    };
    let decides = |place: usize| {
        let truth = checked.truth_of(operands[place], cell);
        let flipped = place == 0 && matches!(checked.node(sub), Node::Implies(..));
        (if flipped { truth.not() } else { truth }) == Truth::from_bool(holds)
    };
    let candidates: Vec<usize> = (0..2).filter(|place| !alone || decides(*place)).collect();
    let temporal = candidates.iter().find(|place| !checked.subformula(operands[**place]).is_propositional());
    match temporal.or(candidates.first()) {
        Some(place) => Step::Operand(operands[*place]),
        None => Step::Decided,
    }
}

/// A shortest path of may edges, within the cells where the operator has this value, to a cell where it has
/// it by itself: where no edge needed to be chosen.
fn reach(model: &Model, checked: &Checked, sub: SubformulaId, truth: Truth, start: CellId) -> Vec<CellId> {
    let mut parent: Vec<Option<CellId>> = vec![None; model.cells()];
    let mut seen = BitSet::empty(model.cells());
    seen.insert(start.index());
    let mut queue = vec![start];
    let mut head = 0;
    while let Some(&cell) = queue.get(head) {
        head += 1;
        if checked.chosen_edge(sub, cell).is_none() {
            return path_to(&parent, cell);
        }
        for &to in model.may_successors(cell) {
            if !seen.contains(to.index()) && checked.truth_of(sub, to) == truth {
                seen.insert(to.index());
                parent[to.index()] = Some(cell);
                queue.push(to);
            }
        }
    }
    vec![start]
}

fn path_to(parent: &[Option<CellId>], end: CellId) -> Vec<CellId> {
    let mut path = vec![end];
    while let Some(before) = parent[path[path.len() - 1].index()] {
        path.push(before);
    }
    path.reverse();
    path
}

/// At the end of a reached path: the operand whose value there is worth following.
fn decisive_operand(checked: &Checked, sub: SubformulaId, end: CellId) -> Option<SubformulaId> {
    let operands = checked.operands(sub);
    match checked.node(sub) {
        Node::Future(..) | Node::Globally(..) => Some(operands[0]),
        Node::Until(..) => Some(operands[1]),
        Node::Release(..) => Some(operands[1]),
        Node::WeakUntil(..) => Some(operands[0]),
        _ => None,
    }
    .filter(|operand| checked.truth_of(*operand, end).is_definite())
}

/// Follows chosen edges until a cell comes again or the promise is kept without going on.
fn stay(checked: &Checked, sub: SubformulaId, mut path: Vec<CellId>) -> Explanation {
    let stem = path.len() - 1;
    let mut place = rustc_hash::FxHashMap::default();
    loop {
        let cell = *path.last().expect("a path has a cell");
        if let Some(first) = place.insert(cell, path.len() - 1) {
            path.pop();
            let cycle = path.split_off(first);
            debug_assert!(path.len() >= stem, "the cycle lies behind the stem");
            return Explanation::Lasso { stem: path, cycle };
        }
        match checked.chosen_edge(sub, cell) {
            Some(targets) => path.push(targets[0]),
            None => return Explanation::Path(path),
        }
    }
}
