//! From the cause of a Maybe to what should be told apart next.
//!
//! Three sources, in this order: loops that could not be proved to be left (what they compare, and whether
//! their steps bring them nearer to their end), branches taken where a subformula is undecided, and the
//! weakest preconditions of what is told apart already. Where a solver decides steps there are more: remainders
//! that loops keep, preconditions of any form at the one location they belong to, and guesses at what holds at the
//! head of a loop. All are conditions on concrete states: telling cells apart by them cannot make an answer wrong.

mod candidates;
pub mod strides;

use kleene_ctl::{CellId, Checked, Truth};
use kleene_domains::{CompareOp, Cond, Expr, LinearExpr, Var, facts};
use rustc_hash::FxHashSet;

use crate::interpret::compile::Effect;
use crate::interpret::context::{Context, Node, NodeId, Point};
use crate::interpret::explore::Exploration;
use crate::ir::LocationId;
use crate::model::progress::Ranking;
use crate::precision::Split;
use crate::symbolic;

/// New predicates of one round that apply everywhere, and others.
const MOST_AT_ONCE: usize = 4;
const MOST_LOCAL_AT_ONCE: usize = 12;
/// Factors of a precondition that is still worth telling apart.
const MOST_TERMS: usize = 3;
/// The same for what is not linear.
const MOST_VARIABLES: usize = 6;

/// What may help to decide.
#[derive(Default)]
pub struct Found {
    /// To tell the undecided cells apart.
    pub splits: Vec<Split>,
    /// What may hold at the heads of loops.
    pub candidates: Vec<Split>,
}

/// Predicates that may decide what is undecided, beside those that are known.
pub fn suggestions(
    exploration: &Exploration<'_>,
    checked: &Checked,
    ranking: &Ranking<'_, '_>,
    known: &[Split],
) -> Found {
    let mut found = Suggestions { exploration, known, found: Found::default() };
    let solved = exploration.transfer.precision.solved;
    let undecided = undecided(exploration, checked);
    if solved {
        found.loops();
        // First what only a solver can tell apart.
        for shape in [Shape::Curved, Shape::Linear] {
            found.local_preconditions(&undecided, shape);
        }
    }
    let contexts = &exploration.transfer.contexts;
    for (context, condition) in ranking.obstacles() {
        found.add(contexts.get(context), &condition);
    }
    found.branches(&undecided);
    if !solved {
        found.preconditions(&undecided);
    }
    found.found
}

/// Conditions at nodes, as splits of their locations.
pub fn at_nodes(exploration: &Exploration<'_>, conditions: &[(NodeId, Cond)]) -> Vec<Split> {
    let mut found = Suggestions { exploration, known: &[], found: Found::default() };
    for (node, condition) in conditions {
        if let Some(condition) = small(condition) {
            found.add_at(*node, &condition);
        }
    }
    found.found.splits
}

/// One cell of each node at which some subformula is undecided.
fn undecided(exploration: &Exploration<'_>, checked: &Checked) -> Vec<CellId> {
    let mut nodes = FxHashSet::default();
    let cells = (0..exploration.cells.len() as u32).map(CellId);
    let open = cells.filter(|cell| {
        let mut subformulas = checked.subformulas();
        subformulas.any(|sub| checked.truth_of(sub, *cell) == Truth::Maybe)
    });
    open.filter(|cell| nodes.insert(exploration.cells[cell.index()].node)).collect()
}

struct Suggestions<'s, 'p> {
    exploration: &'s Exploration<'p>,
    known: &'s [Split],
    found: Found,
}

impl Suggestions<'_, '_> {
    fn add(&mut self, context: &Context, condition: &Cond) {
        let Some(condition) = self.worth_it(condition) else { return };
        let Some(predicate) = self.exploration.transfer.scope.as_predicate(context, &condition) else {
            return;
        };
        let everywhere = self.found.splits.iter().filter(|split| split.at.is_none()).count();
        if everywhere < MOST_AT_ONCE {
            self.push(Split::everywhere(predicate));
        }
    }

    /// A condition at one location only.
    fn add_at(&mut self, node: NodeId, condition: &Cond) {
        let transfer = &self.exploration.transfer;
        let Node { context, point: Point::At(location) } = transfer.contexts.node(node) else { return };
        let context = transfer.contexts.get(context);
        let Some(predicate) = transfer.scope.as_predicate(context, condition) else { return };
        if self.found.splits.len() < MOST_LOCAL_AT_ONCE {
            self.push(Split { predicate, at: Some((context.function, location)) });
        }
    }

    fn push(&mut self, split: Split) {
        let opposite = split.predicate.clone().negated();
        let same = |other: &Split| {
            (other.at.is_none() || other.at == split.at)
                && (other.predicate == split.predicate || other.predicate == opposite)
        };
        if !self.known.iter().any(same) && !self.found.splits.iter().any(same) {
            self.found.splits.push(split);
        }
    }

    /// What is not linear is told apart by a solver only.
    fn worth_it(&self, condition: &Cond) -> Option<Cond> {
        match self.exploration.transfer.precision.solved {
            true => tidy(condition).or_else(|| small(condition)),
            false => tidy(condition),
        }
    }

    /// Remainders that loops keep, and what was seen to hold at their heads.
    fn loops(&mut self) {
        let transfer = &self.exploration.transfer;
        for around in strides::loops(self.exploration) {
            let context = transfer.contexts.get(around.context);
            for Split { predicate, .. } in self.known {
                let Some(sum) = compared(&transfer.predicate(predicate, around.nodes[0])) else { continue };
                let Some((divisor, offsets)) = strides::stride(self.exploration, &around, &sum) else {
                    continue;
                };
                for (node, offset) in offsets {
                    let from_there = sum.minus(&LinearExpr::constant(offset));
                    self.add_at(node, &facts::tidy(&strides::divides(&divisor, &from_there)));
                }
            }
            for node in around.nodes.iter().filter(|node| transfer.is_widening_point(**node)) {
                let Point::At(location) = transfer.contexts.node(*node).point else { continue };
                for condition in candidates::at(self.exploration, *node) {
                    let predicate = transfer.scope.as_predicate(context, &condition);
                    let at = Some((context.function, location));
                    self.found.candidates.extend(predicate.map(|predicate| Split { predicate, at }));
                }
            }
        }
    }

    /// What has to hold before the steps of undecided cells for what is told apart behind them to hold.
    fn local_preconditions(&mut self, undecided: &[CellId], shape: Shape) {
        let transfer = &self.exploration.transfer;
        for cell in undecided {
            let node = self.exploration.cells[cell.index()].node;
            let targets = self.exploration.edges[cell.index()].iter().flat_map(|part| &part.targets);
            let mut behind: Vec<NodeId> =
                targets.map(|to| self.exploration.cells[to.0 as usize].node).collect();
            behind.sort_unstable();
            behind.dedup();
            for to in behind {
                let Node { context, point: Point::At(location) } = transfer.contexts.node(to) else {
                    continue;
                };
                for after in self.told_apart(transfer.contexts.get(context), location) {
                    for before in symbolic::preconditions(transfer, node, to, &after) {
                        if let Some(before) = small(&before).filter(|before| shape == Shape::of(before)) {
                            self.add_at(node, &before);
                        }
                    }
                }
            }
        }
    }

    /// The conditions by which the states of a location are told apart: those that are known, and its branches.
    fn told_apart(&self, context: &Context, location: LocationId) -> Vec<Cond> {
        let transfer = &self.exploration.transfer;
        let here = (context.function, location);
        let known = self.known.iter().filter(|split| split.at.is_none_or(|at| at == here));
        let known =
            known.map(|split| transfer.scope.predicate(&split.predicate, context, Point::At(location)));
        let mut all: Vec<Cond> = known.collect();
        let command = transfer.scope.command(context, location);
        let drawn: Vec<Var> = command.drawn().collect();
        for edge in command.edges.iter().skip(1) {
            edge.guard.for_each_comparison(&mut |op, left, right| {
                let comparison = Cond::Compare(op, left.clone(), right.clone());
                if !mentions(&comparison, &drawn) {
                    all.push(comparison);
                }
            });
        }
        all
    }

    /// What the commands of undecided cells compare.
    fn branches(&mut self, undecided: &[CellId]) {
        let transfer = &self.exploration.transfer;
        for cell in undecided {
            let node = self.exploration.cells[cell.index()].node;
            let Some(command) = transfer.known_command(node) else { continue };
            let context = transfer.contexts.get(transfer.contexts.node(node).context);
            let drawn: Vec<Var> = command.drawn().collect();
            for edge in &command.edges {
                edge.guard.for_each_comparison(&mut |op, left, right| {
                    let condition = Cond::Compare(op, left.clone(), right.clone());
                    if !mentions(&condition, &drawn) {
                        self.add(context, &condition);
                    }
                });
            }
        }
    }

    /// What has to hold before the commands of undecided cells for a known predicate to hold behind them.
    fn preconditions(&mut self, undecided: &[CellId]) {
        let transfer = &self.exploration.transfer;
        for cell in undecided {
            let node = self.exploration.cells[cell.index()].node;
            let Some(command) = transfer.known_command(node) else { continue };
            let at = transfer.contexts.node(node);
            let context = transfer.contexts.get(at.context);
            let drawn: Vec<Var> = command.drawn().collect();
            for edge in &command.edges {
                let Effect::Assign(assignments) = &edge.effect else { continue };
                for Split { predicate, .. } in self.known {
                    let behind = transfer.scope.predicate(predicate, context, at.point);
                    let Some(before) = before(&behind, assignments) else { continue };
                    if !mentions(&before, &drawn) {
                        self.add(context, &before);
                    }
                }
            }
        }
    }
}

/// What has to hold before assignments for a condition to hold behind them; `None` if they do not matter.
fn before(behind: &Cond, assignments: &[(Var, Expr)]) -> Option<Cond> {
    let mut changed = false;
    let before = behind.map(&mut |slot| match assignments.iter().find(|(written, _)| written == slot) {
        Some((_, value)) => {
            changed = true;
            value.clone()
        }
        None => Expr::Variable(*slot),
    });
    changed.then_some(before)
}

/// The difference of the sides of a comparison of sums.
fn compared(condition: &Cond) -> Option<LinearExpr> {
    let Cond::Compare(_, left, right) = condition else { return None };
    let sum = LinearExpr::of(left)?.minus(&LinearExpr::of(right)?);
    sum.as_constant().is_none().then_some(sum)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Linear,
    Curved,
}

impl Shape {
    fn of(condition: &Cond) -> Self {
        if compared(condition).is_some() { Self::Linear } else { Self::Curved }
    }
}

/// A comparison of few variables, tidied.
fn small(condition: &Cond) -> Option<Cond> {
    let Cond::Compare(..) = condition else { return None };
    let tidied = facts::tidy(condition);
    let mut variables = 0;
    tidied.for_each_variable(&mut |_| variables += 1);
    (1..=MOST_VARIABLES).contains(&variables).then_some(tidied)
}

fn mentions(condition: &Cond, slots: &[Var]) -> bool {
    let mut found = false;
    condition.for_each_comparison(&mut |_, left, right| {
        for side in [left, right] {
            side.for_each_variable(&mut |slot| found |= slots.contains(slot));
        }
    });
    found
}

/// A single linear comparison in one way of writing it; `None` for what is not worth telling apart.
fn tidy(condition: &Cond) -> Option<Cond> {
    let Cond::Compare(op, left, right) = condition else { return None };
    let form = LinearExpr::of(left)?.minus(&LinearExpr::of(right)?);
    if form.as_constant().is_some() || form.terms().len() > MOST_TERMS {
        return None;
    }
    let constant = LinearExpr::constant(form.offset().clone());
    let positive = form.terms().iter().filter(|(_, factor)| !factor.is_negative()).cloned();
    let positive = LinearExpr::from_terms(positive, kleene_domains::Int::ZERO);
    let negative = positive.plus(&constant).minus(&form);
    let right = negative.minus(&constant);
    let (op, left, right) = match positive.terms().is_empty() {
        true => (op.swapped(), right, positive),
        false => (*op, positive, right),
    };
    let op = match op {
        CompareOp::NotEqual => CompareOp::Equal,
        op => op,
    };
    Some(Cond::Compare(op, left.to_expr(), right.to_expr()))
}
