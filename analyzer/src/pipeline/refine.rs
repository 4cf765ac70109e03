//! From the cause of a Maybe to what should be told apart next.
//!
//! Three sources, in this order: loops that could not be proved to be left (what they compare, and whether
//! their steps bring them nearer to their end), branches taken where a subformula is undecided, and the
//! weakest preconditions of what is told apart already. All are conditions on concrete states: telling cells
//! apart by them cannot make an answer wrong.

use kleene_ctl::{CellId, Checked, Truth};
use kleene_domains::{CompareOp, Cond, Expr, LinearExpr, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interpret::compile::Effect;
use crate::interpret::explore::Exploration;
use crate::model::progress::Ranking;
use crate::property::Predicate;

/// New predicates of one round.
const MOST_AT_ONCE: usize = 4;
/// Factors of a precondition that is still worth telling apart.
const MOST_TERMS: usize = 3;

/// Predicates by which the undecided cells should be told apart, beside those that are known.
pub fn suggestions(
    exploration: &Exploration<'_>,
    checked: &Checked,
    ranking: &Ranking<'_, '_>,
    known: &[Predicate],
) -> Vec<Predicate> {
    let mut found = Suggestions { exploration, known, list: Vec::new() };
    let contexts = &exploration.transfer.contexts;
    for (context, condition) in ranking.obstacles() {
        found.add(contexts.get(context), &condition);
    }
    let undecided = undecided(exploration, checked);
    found.branches(&undecided);
    found.preconditions(&undecided);
    found.list
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
    known: &'s [Predicate],
    list: Vec<Predicate>,
}

impl Suggestions<'_, '_> {
    fn add(&mut self, context: &crate::interpret::context::Context, condition: &Cond) {
        if self.list.len() >= MOST_AT_ONCE {
            return;
        }
        let Some(condition) = tidy(condition) else { return };
        let Some(predicate) = self.exploration.transfer.scope.as_predicate(context, &condition) else {
            return;
        };
        let opposite = predicate.clone().negated();
        let is_new = |list: &[Predicate]| !list.contains(&predicate) && !list.contains(&opposite);
        if is_new(self.known) && is_new(&self.list) {
            self.list.push(predicate);
        }
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
                let values: FxHashMap<Var, &Expr> =
                    assignments.iter().map(|(slot, value)| (*slot, value)).collect();
                for predicate in self.known {
                    let behind = transfer.scope.predicate(predicate, context, at.point);
                    let mut changed = false;
                    let before = behind.map(&mut |slot| match values.get(slot) {
                        Some(value) => {
                            changed = true;
                            (*value).clone()
                        }
                        None => Expr::Variable(*slot),
                    });
                    if changed && !mentions(&before, &drawn) {
                        self.add(context, &before);
                    }
                }
            }
        }
    }
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
