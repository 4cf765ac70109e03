//! Conditions on drawn values, solved: for which states is there a value, and how is one drawn.
//!
//! `x := nondet(); assume(x >= lo && x <= hi)` is possible where lo <= hi, and then x is any number
//! between them. Disjunctions and inequations make cases, equations define a value, and what is left
//! is projected by pairing lower with upper bounds. Integers are kept exact: a pair is combined only
//! where one factor is 1 or nothing drawn is left in it. Everything else is refused.

mod bounds;
mod project;

use kleene_domains::expr::CompareOp;
use rustc_hash::FxHashSet;

use self::project::{Projection, project};
use super::super::arith;
use super::block::{Draft, Outcome, balanced};
use super::forms::{Constraint, Forms, cond_reads_drawn};
use super::surface;
use crate::ir::{Cond, Expr, Place, VariableId};

/// Cases one way through a block may fall into.
const CASE_LIMIT: usize = 128;

/// A possible step: where it can be taken, what it draws and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Over globals only, defined everywhere.
    pub enabled: Cond,
    /// In the order of drawing: number of the drawn value and where it comes from. Later ones may
    /// refer to earlier ones.
    pub draws: Vec<(u32, Draw)>,
    /// Over globals and drawn values.
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draw {
    Any,
    AtLeast(Expr),
    AtMost(Expr),
    Between(Expr, Expr),
}

/// Why there is no exact solution.
#[derive(Clone, Copy, Debug)]
pub enum Unsolved {
    NotLinear,
    TooManyCases,
}

/// The alternatives of one way through a block, none of them impossible.
pub fn solve(draft: &Draft, forms: &mut Forms) -> Result<Vec<Alternative>, Unsolved> {
    let mut cases = Cases { forms, found: Vec::new() };
    let todo = draft.conds.iter().rev().cloned().collect();
    cases.split(todo, Case::default())?;
    let found = cases.found;
    let mut alternatives: Vec<Alternative> = Vec::new();
    for case in found {
        let projections = project(case.constraints, &drawn_in(&draft.outcome), forms)?;
        for projection in projections {
            let alternative = finish(&case.plain, projection, &draft.outcome, forms)?;
            add(&mut alternatives, alternative, forms);
        }
        if alternatives.len() > CASE_LIMIT {
            return Err(Unsolved::TooManyCases);
        }
    }
    Ok(alternatives)
}

/// Alternatives that do the same are one.
fn add(alternatives: &mut Vec<Alternative>, new: Alternative, forms: &mut Forms) {
    if new.enabled == Cond::Literal(false) || surface::exclusive(forms, &[&new.enabled]) {
        return;
    }
    let same = alternatives.iter_mut().find(|old| old.draws == new.draws && old.outcome == new.outcome);
    match same {
        Some(old) if old.enabled == new.enabled => {}
        Some(old) => {
            let enabled = std::mem::replace(&mut old.enabled, Cond::Literal(false));
            old.enabled = enabled.or(new.enabled);
        }
        None => alternatives.push(new),
    }
}

/// A conjunction under construction.
#[derive(Clone, Debug, Default)]
struct Case {
    /// Without drawn values, in order of evaluation.
    plain: Vec<Cond>,
    constraints: Vec<Constraint>,
}

struct Cases<'f> {
    forms: &'f mut Forms,
    found: Vec<Case>,
}

impl Cases<'_> {
    /// Takes conditions apart as far as drawn values are in them. `todo` is read from its end.
    fn split(&mut self, mut todo: Vec<Cond>, mut case: Case) -> Result<(), Unsolved> {
        while let Some(cond) = todo.pop() {
            if !cond_reads_drawn(&cond) {
                case.add(cond);
                continue;
            }
            match cond {
                Cond::And(left, right) => todo.extend([*right, *left]),
                Cond::Or(left, right) => {
                    let mut first = todo.clone();
                    // What may be undefined is looked at only where it is evaluated.
                    if may_be_undefined(&right) {
                        todo.push(*right);
                        todo.push(arith::not((*left).clone()));
                    } else {
                        todo.push(*right);
                    }
                    first.push(*left);
                    self.split(first, case.clone())?;
                }
                Cond::Compare(op, left, right) => {
                    let constraint = self.forms.constraint(op, &left, &right).ok_or(Unsolved::NotLinear)?;
                    match constraint.reduced() {
                        Err(true) => {}
                        Err(false) => return Ok(()),
                        Ok(constraint) if case.constraints.contains(&constraint) => {}
                        Ok(constraint) => case.constraints.push(constraint),
                    }
                }
                Cond::Not(inner) => todo.push(arith::not(*inner)),
                Cond::Literal(_) => {}
            }
        }
        if !case.plain.contains(&Cond::Literal(false)) {
            self.found.push(case);
        }
        if self.found.len() > CASE_LIMIT { Err(Unsolved::TooManyCases) } else { Ok(()) }
    }
}

impl Case {
    fn add(&mut self, cond: Cond) {
        match cond {
            Cond::And(left, right) => {
                self.add(*left);
                self.add(*right);
            }
            Cond::Literal(true) => {}
            cond if self.plain.contains(&cond) => {}
            cond => self.plain.push(cond),
        }
    }
}

fn finish(
    plain: &[Cond],
    projection: Projection,
    outcome: &Outcome,
    forms: &mut Forms,
) -> Result<Alternative, Unsolved> {
    let mut conds = plain.to_vec();
    for cond in &projection.conds {
        if !conds.contains(cond) {
            conds.push(cond.clone());
        }
    }
    let undefined = |draw: &Draw| match draw {
        Draw::Any => false,
        Draw::AtLeast(bound) | Draw::AtMost(bound) => divides(bound),
        Draw::Between(low, high) => divides(low) || divides(high),
    };
    // Values are drawn before anything is tested.
    if projection.draws.iter().any(|(_, draw)| undefined(draw)) {
        return Err(Unsolved::NotLinear);
    }
    let outcome = match outcome {
        Outcome::DivisionByZero(span) => Outcome::DivisionByZero(*span),
        Outcome::Assign(writes) => {
            let mut value = |expr: &Expr| {
                let value = expr.map(&mut |place: &Place| match place.variable {
                    VariableId::Local(number) => projection.value(number, forms),
                    VariableId::Global(_) => arith::read(place.clone()),
                });
                match forms.of(&value) {
                    Some(form) => forms.expr(&form),
                    None => value,
                }
            };
            Outcome::Assign(writes.iter().map(|(variable, expr)| (*variable, value(expr))).collect())
        }
    };
    let enabled = balanced(conds, Cond::and).unwrap_or(Cond::Literal(true));
    Ok(Alternative { enabled, draws: projection.draws, outcome })
}

/// The drawn values an outcome depends on.
fn drawn_in(outcome: &Outcome) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    if let Outcome::Assign(writes) = outcome {
        for (_, value) in writes {
            value.for_each_variable(&mut |place| {
                if let VariableId::Local(number) = place.variable {
                    found.insert(number);
                }
            });
        }
    }
    found
}

fn may_be_undefined(cond: &Cond) -> bool {
    let mut found = false;
    cond.for_each_comparison(&mut |_, left, right| found |= divides(left) || divides(right));
    found
}

/// Whether an operator of the expression may be undefined.
fn divides(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => false,
        Expr::Negate(inner) | Expr::Wrap(_, inner) => divides(inner),
        Expr::Unary(..) => true,
        Expr::Binary(op, left, right) => {
            let (of_left, of_right) = op.needs();
            let lacks = of_left.condition(left).is_some() || of_right.condition(right).is_some();
            lacks || divides(left) || divides(right)
        }
        Expr::IfThenElse(cond, yes, no) => may_be_undefined(cond) || divides(yes) || divides(no),
    }
}

/// `left <= right`
fn at_most(left: Expr, right: Expr) -> Cond {
    arith::compare(CompareOp::LessEqual, left, right)
}
