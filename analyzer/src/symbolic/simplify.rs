//! Conditions in fewer words.
//!
//! Takes a list of conditions that hold together and gives one that holds for the same values: first what
//! needs no question (`tidy`), then what the embedded solver shows: conjuncts that the others imply, variables
//! on which nothing depends. Knows no cells and no programs.

mod sum;
mod tidy;
mod words;

use std::time::Duration;

use kleene_domains::{Bound, CompareOp, Cond, Expr, Int, Interval, Var};
use kleene_solver::{Answer, Budget, Embedded, Solver};

use self::sum::{is_total, is_total_cond};
use self::tidy::{Is, Normal, tidy, tidy_expr};
pub use self::words::in_words;

/// Questions to the solver.
const MOST_QUESTIONS: usize = 60;
const MOST_ROUNDS: usize = 8;
/// Longer lists are only tidied.
const MOST_CONJUNCTS: usize = 60;
/// Nobody else's variable.
const FRESH: Var = Var(1 << 24);

/// What is known before, and what may still be asked.
pub struct Simplifier<'s> {
    /// The values a variable can have, whatever else holds.
    pub range: &'s dyn Fn(Var) -> Interval,
    /// More that holds.
    pub known: &'s [Cond],
    questions: usize,
}

impl<'s> Simplifier<'s> {
    pub fn new(range: &'s dyn Fn(Var) -> Interval, known: &'s [Cond]) -> Self {
        Self { range, known, questions: MOST_QUESTIONS }
    }

    /// Conditions that hold together exactly where these do, as far as what is known holds.
    pub fn simplify(&mut self, conds: Vec<Cond>) -> Vec<Cond> {
        let mut conds = combined(conds);
        if conds.len() > MOST_CONJUNCTS {
            return conds;
        }
        if self.is_refuted(&conds) {
            return vec![Cond::Literal(false)];
        }
        for _ in 0..MOST_ROUNDS {
            let before = conds.clone();
            conds = combined(self.without_wraps(conds));
            conds = self.without_implied(conds);
            conds = combined(self.without_irrelevant(conds));
            if conds == before {
                break;
            }
        }
        conds
    }

    /// A conjunct that has a value everywhere and follows from the others is left out, long ones first.
    fn without_implied(&mut self, mut conds: Vec<Cond>) -> Vec<Cond> {
        let mut order: Vec<usize> = (0..conds.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse((size(&conds[*at]), *at)));
        let mut gone = vec![false; conds.len()];
        for at in order {
            if !is_total_cond(&conds[at]) {
                continue;
            }
            gone[at] = true;
            let others = conds.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(cond, _)| cond.clone());
            let otherwise = others.chain([conds[at].clone().negated()]).collect::<Vec<_>>();
            gone[at] = self.is_refuted(&otherwise);
        }
        let mut gone = gone.iter();
        conds.retain(|_| gone.next() == Some(&false));
        conds
    }

    /// A variable is replaced by one of its values if no other value makes a difference.
    fn without_irrelevant(&mut self, mut conds: Vec<Cond>) -> Vec<Cond> {
        if !conds.iter().all(is_total_cond) {
            return conds;
        }
        for var in variables(&conds) {
            if self.known.iter().any(|known| mentions(known, var)) {
                continue;
            }
            let other = conds.iter().map(|cond| replaced(cond, var, &Expr::Variable(FRESH)));
            let differs = other.reduce(Cond::and).unwrap_or(Cond::Literal(true)).negated();
            let range = (self.range)(var);
            let mut question = conds.clone();
            question.push(differs);
            question.extend(within(FRESH, &range));
            if self.is_refuted(&question) {
                let value = Expr::Constant(nearest(&range));
                conds.iter_mut().for_each(|cond| *cond = tidy(&replaced(cond, var, &value)));
            }
        }
        conds
    }

    /// A machine integer that the other conjuncts keep in its range need not be wrapped.
    fn without_wraps(&mut self, mut conds: Vec<Cond>) -> Vec<Cond> {
        for at in 0..conds.len() {
            for wrap in wraps(&conds[at]) {
                let Expr::Wrap(_, inner) = &wrap else { continue };
                let mut question = conds.clone();
                question.remove(at);
                question.push(Cond::Compare(CompareOp::NotEqual, wrap.clone(), (**inner).clone()));
                if is_total(inner) && self.is_refuted(&question) {
                    let plain = tidy_expr(inner);
                    conds[at] = tidy(&exchanged(&conds[at], &wrap, &plain));
                }
            }
        }
        conds
    }

    /// No values satisfy the conditions and what is known.
    fn is_refuted(&mut self, conds: &[Cond]) -> bool {
        let Some(left) = self.questions.checked_sub(1) else { return false };
        self.questions = left;
        let mut solver = Embedded::new();
        for cond in conds.iter().chain(self.known) {
            solver.assert(cond);
        }
        for var in variables(conds.iter().chain(self.known)) {
            if var != FRESH {
                within(var, &(self.range)(var)).iter().for_each(|cond| {
                    solver.assert(cond);
                });
            }
        }
        let budget = Budget {
            conflicts: 400,
            pivots: 2_000,
            nodes: 200,
            rounds: 4,
            gates: 10_000,
            time: Duration::from_millis(500),
        };
        matches!(solver.check(&budget), Answer::Unsat(_))
    }
}

/// Tidy conjuncts, each once, with the values of variables that are known put in.
fn combined(conds: Vec<Cond>) -> Vec<Cond> {
    let mut conds = flat(conds);
    for _ in 0..MOST_ROUNDS {
        let before = conds.clone();
        for at in 0..conds.len() {
            let Some((var, value)) = fixed(&conds[at]) else { continue };
            let value = Expr::Constant(value);
            for other in (0..conds.len()).filter(|other| *other != at) {
                conds[other] = tidy(&replaced(&conds[other], var, &value));
            }
        }
        conds = merged(flat(conds));
        if conds == before {
            break;
        }
    }
    conds
}

fn flat(conds: Vec<Cond>) -> Vec<Cond> {
    let mut kept: Vec<Cond> = Vec::new();
    let mut pending: Vec<Cond> = conds.iter().rev().map(tidy).collect();
    while let Some(cond) = pending.pop() {
        match cond {
            Cond::And(left, right) => {
                pending.push(*right);
                pending.push(*left);
            }
            Cond::Literal(true) => {}
            Cond::Literal(false) => return vec![Cond::Literal(false)],
            cond if kept.contains(&cond) => {}
            cond => kept.push(cond),
        }
    }
    kept
}

/// Two comparisons of the same sum as one.
fn merged(mut conds: Vec<Cond>) -> Vec<Cond> {
    let mut at = 0;
    while at < conds.len() {
        let found = (at + 1..conds.len()).find_map(|other| Some((other, met(&conds[at], &conds[other])?)));
        match found {
            Some((other, cond)) => {
                conds[at] = cond;
                conds.remove(other);
            }
            None => at += 1,
        }
    }
    conds
}

/// One comparison for two, if there is one.
fn met(first: &Cond, second: &Cond) -> Option<Cond> {
    let (first, second) = (Normal::of(first)?, Normal::of(second)?);
    let (first, second) = if first.is == Is::AtLeastZero { (first, second) } else { (second, first) };
    if first.is != Is::AtLeastZero {
        return None;
    }
    let same = second.sum == first.sum || second.sum == first.sum.negated();
    let stronger = match second.is {
        Is::AtLeastZero if second.sum == first.sum.negated() => Normal { is: Is::Zero, sum: first.sum },
        Is::AtLeastZero if second.sum.terms == first.sum.terms => {
            if first.sum.constant <= second.sum.constant { first } else { second }
        }
        Is::NotZero if same => {
            let constant = &first.sum.constant - &Int::ONE;
            Normal { is: Is::AtLeastZero, sum: sum::Sum { constant, ..first.sum } }
        }
        Is::Zero if same => second,
        _ => return None,
    };
    Some(tidy(&stronger.to_cond()))
}

/// A variable with a single value.
fn fixed(cond: &Cond) -> Option<(Var, Int)> {
    match cond {
        Cond::Compare(CompareOp::Equal, Expr::Variable(var), Expr::Constant(value)) => {
            Some((*var, value.clone()))
        }
        _ => None,
    }
}

fn replaced(cond: &Cond, var: Var, by: &Expr) -> Cond {
    cond.map(&mut |own| if *own == var { by.clone() } else { Expr::Variable(*own) })
}

fn mentions(cond: &Cond, var: Var) -> bool {
    let mut found = false;
    cond.for_each_variable(&mut |own| found |= *own == var);
    found
}

fn variables<'c>(conds: impl IntoIterator<Item = &'c Cond>) -> Vec<Var> {
    let mut found = Vec::new();
    for cond in conds {
        cond.for_each_variable(&mut |var| found.push(*var));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn within(var: Var, range: &Interval) -> Vec<Cond> {
    let bound = |op: CompareOp, bound: &Bound| {
        let value = Expr::Constant(bound.finite()?.clone());
        Some(Cond::Compare(op, Expr::Variable(var), value))
    };
    let low = bound(CompareOp::GreaterEqual, range.low());
    low.into_iter().chain(bound(CompareOp::LessEqual, range.high())).collect()
}

/// The value of a range nearest to 0.
fn nearest(range: &Interval) -> Int {
    match (range.low(), range.high()) {
        (Bound::Finite(low), _) if low.is_positive() => low.clone(),
        (_, Bound::Finite(high)) if high.is_negative() => high.clone(),
        _ => Int::ZERO,
    }
}

fn size(cond: &Cond) -> usize {
    let mut size = 0;
    cond.for_each_comparison(&mut |_, left, right| {
        size += 1;
        for side in [left, right] {
            side.for_each_variable(&mut |_| size += 2);
        }
    });
    size
}

/// The wrapped expressions of a condition, inner ones first.
fn wraps(cond: &Cond) -> Vec<Expr> {
    let mut found = Vec::new();
    cond.for_each_comparison(&mut |_, left, right| {
        collect_wraps(left, &mut found);
        collect_wraps(right, &mut found);
    });
    found
}

fn collect_wraps(expr: &Expr, found: &mut Vec<Expr>) {
    match expr {
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => {}
        Expr::Negate(inner) | Expr::Unary(_, inner) => collect_wraps(inner, found),
        Expr::Binary(_, left, right) => {
            collect_wraps(left, found);
            collect_wraps(right, found);
        }
        // What is wrapped on one side of a choice only, is looked at with the choice.
        Expr::IfThenElse(..) => {}
        Expr::Wrap(_, inner) => {
            collect_wraps(inner, found);
            if !found.contains(expr) {
                found.push(expr.clone());
            }
        }
    }
}

/// A condition with another expression in the place of one.
fn exchanged(cond: &Cond, old: &Expr, new: &Expr) -> Cond {
    match cond {
        Cond::Literal(_) => cond.clone(),
        Cond::Compare(op, left, right) => {
            Cond::Compare(*op, exchanged_in(left, old, new), exchanged_in(right, old, new))
        }
        Cond::Not(inner) => Cond::Not(Box::new(exchanged(inner, old, new))),
        Cond::And(left, right) => {
            Cond::And(Box::new(exchanged(left, old, new)), Box::new(exchanged(right, old, new)))
        }
        Cond::Or(left, right) => {
            Cond::Or(Box::new(exchanged(left, old, new)), Box::new(exchanged(right, old, new)))
        }
    }
}

fn exchanged_in(expr: &Expr, old: &Expr, new: &Expr) -> Expr {
    if expr == old {
        return new.clone();
    }
    match expr {
        Expr::Negate(inner) => Expr::Negate(Box::new(exchanged_in(inner, old, new))),
        Expr::Unary(op, inner) => Expr::Unary(*op, Box::new(exchanged_in(inner, old, new))),
        Expr::Wrap(ty, inner) => Expr::Wrap(*ty, Box::new(exchanged_in(inner, old, new))),
        Expr::Binary(op, left, right) => {
            Expr::binary(*op, exchanged_in(left, old, new), exchanged_in(right, old, new))
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
