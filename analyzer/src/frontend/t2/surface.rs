//! Whether conditions can hold together, as far as bounds of single linear forms show it.
//!
//! `x > y` and `x <= y - 1` exclude each other, and one of `x > 0`, `x == 0`, `x < 0` always holds:
//! that much is needed to find the choices of a location and its ends. "Yes" is the answer in doubt.

use kleene_domains::expr::CompareOp;
use kleene_domains::int::Int;
use kleene_domains::linear::LinearExpr;

use super::super::arith;
use super::forms::{Constraint, Forms};
use crate::ir::{Cond, Expr};

/// Comparisons looked at before the answer is "yes".
const EFFORT: usize = 4000;

/// What is known of one form.
#[derive(Clone, Debug, Default)]
struct Known {
    low: Option<Int>,
    high: Option<Int>,
    excluded: Vec<Int>,
}

impl Known {
    /// Whether a value is left.
    fn add(&mut self, constraint: &Constraint, flipped: bool) -> bool {
        // The form plus its constant is compared with 0.
        let bound = constraint.form().offset().neg();
        let bound = if flipped { bound.neg() } else { bound };
        match (constraint, flipped) {
            (Constraint::Zero(_), _) => {
                self.raise(&bound);
                self.lower(&bound);
            }
            (Constraint::NotZero(_), _) => self.excluded.push(bound),
            (Constraint::AtLeastZero(_), false) => self.raise(&bound),
            (Constraint::AtLeastZero(_), true) => self.lower(&bound),
        }
        let excluded = |value: &Int| self.excluded.contains(value);
        match (&mut self.low, &mut self.high) {
            (Some(low), Some(high)) => {
                while low <= high && excluded(low) {
                    *low += Int::ONE;
                }
                while low <= high && excluded(high) {
                    *high = &*high - &Int::ONE;
                }
                low <= high
            }
            _ => true,
        }
    }

    fn raise(&mut self, bound: &Int) {
        if self.low.as_ref().is_none_or(|low| low < bound) {
            self.low = Some(bound.clone());
        }
    }

    fn lower(&mut self, bound: &Int) {
        if self.high.as_ref().is_none_or(|high| high > bound) {
            self.high = Some(bound.clone());
        }
    }
}

struct Search<'f> {
    forms: &'f mut Forms,
    effort: usize,
}

type Facts = Vec<(LinearExpr, Known)>;

/// Whether the conditions surely exclude each other.
pub fn exclusive(forms: &mut Forms, conds: &[&Cond]) -> bool {
    let mut search = Search { forms, effort: EFFORT };
    !search.possible(Vec::new(), conds.to_vec(), Vec::new())
}

/// The comparison, or its truth where it is always the same.
pub fn compare(forms: &mut Forms, op: CompareOp, left: Expr, right: Expr) -> Cond {
    match forms.constraint(op, &left, &right).map(|constraint| constraint.reduced()) {
        Some(Err(truth)) => Cond::Literal(truth),
        _ => arith::compare(op, left, right),
    }
}

impl Search<'_> {
    /// `todo` and `choices` all have to hold; the choices are disjunctions, looked at last.
    fn possible<'c>(
        &mut self,
        mut facts: Facts,
        mut todo: Vec<&'c Cond>,
        mut choices: Vec<&'c Cond>,
    ) -> bool {
        while let Some(cond) = todo.pop() {
            match cond {
                Cond::Literal(true) => {}
                Cond::Literal(false) => return false,
                Cond::And(left, right) => todo.extend([&**right, &**left]),
                Cond::Compare(op, left, right) => {
                    if self.effort == 0 {
                        return true;
                    }
                    self.effort -= 1;
                    if !self.learn(&mut facts, *op, left, right) {
                        return false;
                    }
                }
                other => choices.push(other),
            }
        }
        match choices.pop() {
            Some(Cond::Or(left, right)) => {
                self.possible(facts.clone(), vec![left], choices.clone())
                    || self.possible(facts, vec![right], choices)
            }
            _ => true,
        }
    }

    fn learn(&mut self, facts: &mut Facts, op: CompareOp, left: &Expr, right: &Expr) -> bool {
        let Some(constraint) = self.forms.constraint(op, left, right) else { return true };
        let constraint = match constraint.reduced() {
            Err(truth) => return truth,
            Ok(constraint) => constraint,
        };
        let form = constraint.form().without_offset();
        let flipped = form.terms().first().is_some_and(|(_, factor)| factor.is_negative());
        let form = if flipped { form.scaled(&Int::MINUS_ONE) } else { form };
        let at = facts.iter().position(|(known, _)| *known == form).unwrap_or_else(|| {
            facts.push((form, Known::default()));
            facts.len() - 1
        });
        facts[at].1.add(&constraint, flipped)
    }
}
