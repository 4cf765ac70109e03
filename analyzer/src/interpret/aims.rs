//! Values worth drawing: those with which a comparison behind the step becomes an equation, or just misses it.
//!
//! An input may be anything, so every state can draw the value of an expression over the others: `x == y + 1`
//! can be made true whatever y is. No part of constants says that.

use kleene_domains::{Cond, Expr, Int, LinearExpr, Var};

use super::compile::{Command, Effect};

const MOST_AIMS: usize = 9;

/// An expression over values before the step, for one of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    pub input: usize,
    pub value: Expr,
}

/// Aims of a command; `behind` has the conditions of interest behind each of its edges.
pub fn aims(command: &Command, behind: &[Vec<Cond>]) -> Vec<Aim> {
    let mut found: Vec<Aim> = Vec::new();
    for (edge, conditions) in command.edges.iter().zip(behind) {
        let assigned: &[(Var, Expr)] = match &edge.effect {
            Effect::Assign(assignments) => assignments,
            _ => &[],
        };
        let before = |slot: Var| match assigned.iter().find(|(written, _)| *written == slot) {
            Some((_, value)) => LinearExpr::of(value),
            None => Some(LinearExpr::variable(slot)),
        };
        for condition in conditions {
            condition.for_each_comparison(&mut |_, left, right| {
                let difference = LinearExpr::of(left).zip(LinearExpr::of(right));
                let difference = difference.map(|(left, right)| left.minus(&right));
                if let Some(difference) = difference.and_then(|form| form.try_replaced(before)) {
                    add(command, &difference, &mut found);
                }
            });
        }
        edge.guard.for_each_comparison(&mut |_, left, right| {
            if let Some((left, right)) = LinearExpr::of(left).zip(LinearExpr::of(right)) {
                add(command, &left.minus(&right), &mut found);
            }
        });
    }
    found
}

/// What each input has to be for the form to be 0, or next to it.
fn add(command: &Command, form: &LinearExpr, found: &mut Vec<Aim>) {
    for (input, drawn) in command.inputs.iter().enumerate() {
        let [(slot, _)] = drawn.targets.as_slice() else { continue };
        if drawn.source.is_given() {
            continue;
        }
        let factor = form.factor(*slot);
        if factor.abs() != Int::ONE {
            continue;
        }
        let rest = form.minus(&LinearExpr::variable(*slot).scaled(&factor));
        let draws = command.drawn().any(|slot| !rest.factor(slot).is_zero());
        // Constants are cut at anyway.
        if draws || rest.as_constant().is_some() {
            continue;
        }
        let value = rest.scaled(&-factor);
        for offset in [0, 1, -1] {
            let aim = Aim { input, value: value.plus(&LinearExpr::constant(Int::from(offset))).to_expr() };
            if found.len() < MOST_AIMS && !found.contains(&aim) {
                found.push(aim);
            }
        }
    }
}
