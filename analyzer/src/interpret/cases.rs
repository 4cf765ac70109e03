//! A guard as cases that exclude each other: what a convex state cannot say at once.

use kleene_domains::lattice::Lattice;
use kleene_domains::numeric::NumericState;
use kleene_domains::{CompareOp, Cond, Expr};

use super::State;

const MOST_CASES: usize = 4;

/// Conditions of which exactly one evaluates to true wherever `cond` does, and none elsewhere. `x != y` is
/// less or greater; a disjunction is its first part, or else its second. Just `cond` if there are too many.
pub fn cases(cond: &Cond) -> Vec<Cond> {
    split(cond, true).unwrap_or_else(|| vec![cond.clone()])
}

/// Nothing if there are too many: then there are too many of everything it is part of.
fn split(cond: &Cond, expected: bool) -> Option<Vec<Cond>> {
    let as_expected = |cond: &Cond| if expected { cond.clone() } else { cond.clone().negated() };
    match cond {
        Cond::Literal(_) => Some(vec![as_expected(cond)]),
        Cond::Not(inner) => split(inner, !expected),
        Cond::Compare(op, left, right) => {
            let op = if expected { *op } else { op.negated() };
            let constant = |expr: &Expr| matches!(expr, Expr::Constant(_));
            if op == CompareOp::NotEqual && !constant(left) && !constant(right) {
                let ordered = [CompareOp::Less, CompareOp::Greater];
                Some(ordered.map(|op| Cond::Compare(op, left.clone(), right.clone())).to_vec())
            } else {
                Some(vec![as_expected(cond)])
            }
        }
        Cond::And(left, right) | Cond::Or(left, right) => {
            let (mut first, second) = (split(left, expected)?, split(right, expected)?);
            if matches!(cond, Cond::And(..)) == expected {
                return both(first, second);
            }
            // The second part matters where the first is not as expected.
            first.extend(both(split(left, !expected)?, second)?);
            (first.len() <= MOST_CASES).then_some(first)
        }
    }
}

/// Each of the one with each of the other.
fn both(mut one: Vec<Cond>, mut other: Vec<Cond>) -> Option<Vec<Cond>> {
    if let ([_], [_]) = (one.as_slice(), other.as_slice()) {
        return Some(vec![one.pop()?.and(other.pop()?)]);
    }
    let pairs = one.iter().flat_map(|a| other.iter().map(|b| a.clone().and(b.clone())));
    (one.len() * other.len() <= MOST_CASES).then(|| pairs.collect())
}

/// Both sides of a condition, if the state does not decide it and each side then does.
pub fn halves(state: &State, condition: &Cond) -> Option<(State, State)> {
    if state.decide(condition).is_some() || state.may_be_undefined(condition) {
        return None;
    }
    let mut yes = state.clone();
    yes.assume(condition);
    let mut no = state.clone();
    no.assume(&condition.clone().negated());
    if yes.is_bottom() || no.is_bottom() {
        return None;
    }
    let split = yes.decide(condition) == Some(true) && no.decide(condition) == Some(false);
    split.then_some((yes, no))
}

#[cfg(test)]
mod tests {
    use kleene_domains::laws::Numbers;
    use kleene_domains::{BinaryOp, Int, Var, concrete};

    use super::*;

    fn expr(numbers: &mut Numbers) -> Expr {
        let leaf = |numbers: &mut Numbers| match numbers.below(3) {
            0 => Expr::constant(numbers.between(-2, 2)),
            variable => Expr::Variable(Var(variable as u32 - 1)),
        };
        match numbers.below(4) {
            0 => Expr::binary(BinaryOp::Div, leaf(numbers), leaf(numbers)),
            _ => leaf(numbers),
        }
    }

    fn cond(numbers: &mut Numbers, depth: usize) -> Cond {
        match numbers.below(if depth == 0 { 2 } else { 6 }) {
            0 => Cond::Compare(CompareOp::NotEqual, expr(numbers), expr(numbers)),
            1 | 2 => Cond::Compare(CompareOp::LessEqual, expr(numbers), expr(numbers)),
            3 => Cond::Not(Box::new(cond(numbers, depth - 1))),
            4 => Cond::And(Box::new(cond(numbers, depth - 1)), Box::new(cond(numbers, depth - 1))),
            _ => Cond::Or(Box::new(cond(numbers, depth - 1)), Box::new(cond(numbers, depth - 1))),
        }
    }

    #[test]
    fn exactly_one_case_holds_where_the_guard_does() {
        let mut numbers = Numbers::seeded(5);
        let mut several = 0;
        for _ in 0..4000 {
            let cond = cond(&mut numbers, 3);
            let found = cases(&cond);
            several += usize::from(found.len() > 1);
            for (x, y) in (-2..=2).flat_map(|x| (-2..=2).map(move |y| (x, y))) {
                let mut at = |variable: &Var| Int::from(if variable.0 == 0 { x } else { y });
                let expected = usize::from(concrete::holds(&cond, &mut at) == Some(true));
                let mut holding = 0;
                for case in &found {
                    holding += usize::from(concrete::holds(case, &mut at) == Some(true));
                }
                assert_eq!(holding, expected, "{cond:?} at {x}, {y}: {found:?}");
            }
        }
        assert!(several > 1000, "only {several} guards had cases");
    }
}
