//! Small programs run to their invariants on any relational domain, straight on its operations.

use kleene_domains::{Constraint, Int, LinearExpr, Relation, Var};

fn form(terms: &[(usize, i64)], constant: i64) -> LinearExpr {
    let terms = terms.iter().map(|&(variable, factor)| (Var(variable as u32), Int::from(factor)));
    LinearExpr::from_terms(terms, Int::from(constant))
}

fn at_least(terms: &[(usize, i64)], constant: i64) -> Constraint {
    Constraint::at_least_zero(form(terms, constant))
}

/// Joins, widens from the third time on, until nothing is new.
fn to_invariant<R: Relation>(entry: R, body: impl Fn(&R) -> R) -> R {
    let mut head = entry;
    for round in 0.. {
        let next = head.join(&body(&head));
        if next.leq(&head) {
            return head;
        }
        head = if round < 2 { next } else { head.widen(&next, &[]) };
    }
    unreachable!("widening stops")
}

/// For each four variables i, s, t, n: `i = 0; s = 0; t = n; while i < n { i++; s += 2; if ? { t-- } }`.
pub fn counters<R: Relation>(dimensions: usize) -> R {
    let mut state = R::top(dimensions);
    for first in (0..dimensions).step_by(4) {
        let [i, s, t, n] = [first, first + 1, first + 2, first + 3];
        state.constrain(&[at_least(&[(n, 1)], 0), at_least(&[(n, -1)], 1000)]);
        state.assign(Var(i as u32), &form(&[], 0));
        state.assign(Var(s as u32), &form(&[], 0));
        state.assign(Var(t as u32), &form(&[(n, 1)], 0));
        let mut head = to_invariant(state, |head: &R| {
            let mut body = head.clone();
            body.constrain(&[at_least(&[(n, 1), (i, -1)], -1)]);
            body.assign(Var(i as u32), &form(&[(i, 1)], 1));
            body.assign(Var(s as u32), &form(&[(s, 1)], 2));
            let mut other = body.clone();
            other.assign(Var(t as u32), &form(&[(t, 1)], -1));
            body.join(&other)
        });
        head.constrain(&[at_least(&[(i, 1), (n, -1)], 0)]);
        assert!(head.entails(&Constraint::zero(form(&[(s, 1), (n, -2)], 0))));
        state = head;
    }
    state
}

/// All variables in one chain of inequalities: `x = 0; while ? { choose k with x[k] < x[k-1]: x[k]++ }`,
/// x[0] without limit.
pub fn ladder<R: Relation>(dimensions: usize) -> R {
    let mut entry = R::top(dimensions);
    (0..dimensions).for_each(|k| entry.assign(Var(k as u32), &form(&[], 0)));
    let head = to_invariant(entry, |head: &R| {
        let mut joined = head.clone();
        for k in 0..dimensions {
            let mut branch = head.clone();
            if k > 0 {
                branch.constrain(&[at_least(&[(k - 1, 1), (k, -1)], -1)]);
            }
            branch.assign(Var(k as u32), &form(&[(k, 1)], 1));
            joined = joined.join(&branch);
        }
        joined
    });
    for k in 1..dimensions {
        assert!(head.entails(&at_least(&[(k - 1, 1), (k, -1)], 0)));
    }
    head
}

/// A value passed on through all variables: `x[k] = x[k-1] + x[0]` and back, in a loop.
pub fn relay<R: Relation>(dimensions: usize) -> R {
    let mut entry = R::top(dimensions);
    entry.constrain(&[at_least(&[(0, 1)], 0), at_least(&[(0, -1)], 10)]);
    (1..dimensions).for_each(|k| entry.assign(Var(k as u32), &form(&[(k - 1, 1)], 1)));
    to_invariant(entry, |head: &R| {
        let mut body = head.clone();
        (1..dimensions).for_each(|k| body.assign(Var(k as u32), &form(&[(k - 1, 1), (0, 1)], 0)));
        body.constrain(&[at_least(&[(dimensions - 1, -1)], 1000)]);
        body.assign(Var(0), &form(&[(1, 1), (0, -1)], 0));
        body
    })
}
