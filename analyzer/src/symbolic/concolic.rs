//! Runs by turns: one is followed on values and as conditions at the same time, then one of its branches is turned
//! by a solver, and the next run goes on from there (Godefroid, Klarlund, Sen: DART, PLDI 2005).
//!
//! A run is one path however long it is, so this comes where paths cannot be counted: behind long loops that nobody
//! chooses anything in. Expressions that grow too large are replaced by their values.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use kleene_ctl::CellId;
use kleene_domains::concrete::{eval, holds};
use kleene_domains::{Cond, Expr, Int, Value, Var};
use kleene_solver::{Answer, Solver};
use rustc_hash::FxHashMap;

use super::nodes::Nodes;
use super::path::{Path, Why};
use super::{Found, LONGEST_QUESTION, ask, is_failure, question_time};
use crate::budget::Budget;
use crate::interpret::compile::{Command, Input, Source};
use crate::interpret::context::NodeId;

const LONGEST_RUN: usize = 20_000;
/// Branches a run may depend on: what is long is followed where nobody chooses.
const MOST_CONDITIONS: usize = 150;
const MOST_QUESTIONS: usize = 32;
const MOST_RUNS: usize = 8;
/// Branches of one run that may be turned.
const MOST_BRANCHES: usize = 200;
/// What it costs to have turned the same branch before.
const TURNED_BEFORE: usize = 3;
/// What it costs to begin once more.
const ANOTHER_START: usize = 4;

pub fn seek(
    nodes: &mut Nodes<'_, '_>,
    starts: Vec<Path>,
    solver: &mut dyn Solver,
    budget: &Budget,
    found: &mut Found,
) {
    let mut seeker = Seeker {
        nodes,
        turns: Vec::new(),
        pending: BinaryHeap::new(),
        turned: FxHashMap::default(),
        found,
        budget,
    };
    for (number, start) in starts.into_iter().enumerate() {
        seeker.pending.push(Reverse((ANOTHER_START * number, seeker.turns.len())));
        seeker.turns.push(Turn { start: start.clone(), path: start });
    }
    seeker.go(solver);
}

/// A way that a run did not go: the path up to there, with what would have to hold.
struct Turn {
    start: Path,
    path: Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Branch {
    Edge(NodeId, usize),
    Into(CellId),
}

struct Seeker<'s, 'e, 'p> {
    nodes: &'s mut Nodes<'e, 'p>,
    turns: Vec<Turn>,
    pending: BinaryHeap<Reverse<(usize, usize)>>,
    turned: FxHashMap<Branch, usize>,
    found: &'s mut Found,
    budget: &'s Budget,
}

/// The values of a path's variables.
type Values = FxHashMap<Var, Int>;

impl Seeker<'_, '_, '_> {
    fn go(&mut self, solver: &mut dyn Solver) {
        for _ in 0..MOST_QUESTIONS {
            let Some(Reverse((_, at))) = self.pending.pop() else { return };
            let Some(time) = question_time(self.budget, LONGEST_QUESTION) else { return };
            if self.found.runs.len() >= MOST_RUNS || self.nodes.is_done() {
                return;
            }
            match ask(&self.turns[at].path, Vec::new(), solver, time) {
                Answer::Sat(model) => {
                    let turn = &self.turns[at];
                    let (start, known) = (turn.start.clone(), turn.path.variables());
                    let values = known.map(|variable| (variable, model.value(variable))).collect();
                    if self.run(start, values).is_none() {
                        return;
                    }
                }
                Answer::Unsat(_) => {}
                Answer::Unknown(reason) => {
                    let fails = is_failure(&reason);
                    self.found.trouble = Some(reason);
                    if fails {
                        return;
                    }
                }
            }
        }
    }

    /// Follows one run and remembers what it could have done instead. `None` if the budget is used up.
    fn run(&mut self, start: Path, mut values: Values) -> Option<()> {
        let exploration = self.nodes.exploration;
        let transfer = &exploration.transfer;
        let (mut path, mut node) = (start.clone(), exploration.cells[start.cell.index()].node);
        let first = self.turns.len();
        let mut conditions = 0;
        for _ in 0..LONGEST_RUN {
            self.budget.tick().ok()?;
            self.arrive(&start, &path, node, &values);
            if transfer.is_terminal(node) {
                break;
            }
            let Some(command) = transfer.known_command(node) else { break };
            if draw(&mut path, node, &command, &mut values).is_none() {
                break;
            }
            let read = &mut |variable: &Var| values.get(variable).cloned().unwrap_or_default();
            let guards: Vec<Cond> = command.edges.iter().map(|edge| path.condition(&edge.guard)).collect();
            let taken = guards.iter().position(|guard| holds(guard, read) == Some(true));
            if taken.is_none() && !command.edges.is_empty() {
                break;
            }
            for (index, guard) in guards.iter().enumerate() {
                let turns = Some(index) != taken && *guard != Cond::Literal(false);
                if turns && self.turns.len() < first + MOST_BRANCHES {
                    let Some(to) = self.nodes.behind(node, Some(&command.edges[index])) else { continue };
                    let distance = self.nodes.distance(to).unwrap_or(0);
                    self.remember(&start, &path, guard.clone(), Branch::Edge(node, index), distance);
                }
            }
            let edge = taken.map(|taken| &command.edges[taken]);
            let Some(to) = self.nodes.behind(node, edge) else { break };
            if let Some(taken) = taken {
                conditions += usize::from(!matches!(guards[taken], Cond::Literal(_)));
                if conditions > MOST_CONDITIONS {
                    break;
                }
                path.require(guards[taken].clone(), Why::Taken);
                if command.overlapping {
                    path.choose(taken);
                }
            }
            if path.perform(transfer, node, edge, to).is_none() {
                path.settle(&|variable| values.get(&variable).cloned().unwrap_or_default());
                if path.perform(transfer, node, edge, to).is_none() {
                    break;
                }
            }
            node = to;
            path.length += 1;
        }
        Some(())
    }

    /// Where wanted cells are: the run is in them, or could be with other values.
    fn arrive(&mut self, start: &Path, path: &Path, node: NodeId, values: &Values) {
        for goal in self.nodes.goals(node).to_vec() {
            let inside = path.inside(&self.nodes.exploration.cells[goal.index()].state);
            let read = &mut |variable: &Var| values.get(variable).cloned().unwrap_or_default();
            if inside.iter().all(|condition| holds(condition, read) == Some(true)) {
                let value = |variable: Var| values.get(&variable).cloned().unwrap_or_default();
                self.found.runs.push(path.script(&value));
                self.nodes.reached(goal);
            } else if !inside.contains(&Cond::Literal(false)) {
                let inside = inside.into_iter().fold(Cond::Literal(true), Cond::and);
                self.remember(start, path, inside, Branch::Into(goal), 0);
            }
        }
    }

    fn remember(&mut self, start: &Path, path: &Path, condition: Cond, branch: Branch, distance: usize) {
        let turned = self.turned.entry(branch).or_default();
        let cost = distance + TURNED_BEFORE * *turned;
        *turned += 1;
        let mut path = path.clone();
        path.require(condition, Why::Taken);
        self.pending.push(Reverse((cost, self.turns.len())));
        self.turns.push(Turn { start: start.clone(), path });
    }
}

/// Draws the inputs of a step, with the values that are known or the first that fit. `None` for what nobody may
/// choose.
fn draw(path: &mut Path, node: NodeId, command: &Command, values: &mut Values) -> Option<()> {
    let inputs = command.inputs.iter().filter(|input| !input.targets.is_empty());
    let proposals: Vec<Int> = inputs.map(|input| proposal(path, input, values)).collect::<Option<_>>()?;
    let drawn = path.draw_on(node, command)?;
    for (variable, proposal) in drawn.into_iter().zip(proposals) {
        values.entry(variable).or_insert(proposal);
    }
    Some(())
}

fn proposal(path: &Path, input: &Input, values: &Values) -> Option<Int> {
    let all = input.targets.iter().fold(Value::top(), |all, (_, value)| all.meet(value));
    let near = match &input.source {
        Source::Unknown | Source::Unseen | Source::Looked(..) => return None,
        Source::Type => Int::ZERO,
        Source::Range(low, _) => {
            let low: Expr = low.map(&mut |slot: &Var| path.values()[slot.0 as usize].clone());
            eval(&low, &mut |variable: &Var| values.get(variable).cloned().unwrap_or_default())?
        }
    };
    let hull = all.hull()?;
    let low = hull.low().finite().filter(|low| **low > near);
    let high = hull.high().finite().filter(|high| **high < near);
    Some(low.or(high).cloned().unwrap_or(near))
}
