//! Concrete evaluation: short circuit, definedness, and the rewritings of conditions.

mod support;

use kleene_domains::concrete::{eval, holds};
use kleene_domains::laws::Numbers;
use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, IntType, Interval, Var};
use support::*;

fn at(expr: &Expr, value: i64) -> Option<Int> {
    eval(expr, &mut |_: &Var| Int::from(value))
}

fn undefined() -> Cond {
    compare(CompareOp::Equal, binary(BinaryOp::Div, int(1), int(0)), int(1))
}

fn not(cond: Cond) -> Cond {
    Cond::Not(Box::new(cond))
}

#[test]
fn operators_follow_c() {
    let apply = |op, left, right| at(&binary(op, int(left), int(right)), 0).and_then(|value| value.to_i64());
    assert_eq!(apply(BinaryOp::Div, -7, 2), Some(-3));
    assert_eq!(apply(BinaryOp::Rem, -7, 2), Some(-1));
    assert_eq!(apply(BinaryOp::Rem, 7, -2), Some(1));
    assert_eq!(apply(BinaryOp::Div, 7, 0), None);
    assert_eq!(apply(BinaryOp::Rem, 7, 0), None);
    assert_eq!(apply(BinaryOp::Min, 7, -2), Some(-2));
    assert_eq!(apply(BinaryOp::Max, 7, -2), Some(7));
    assert_eq!(
        at(&Expr::Wrap(IntType::I8, Box::new(binary(BinaryOp::Add, x(), int(1)))), 127),
        Some(Int::from(-128))
    );
    assert_eq!(at(&Expr::Any(Interval::between(3, 3).unwrap()), 0), None);
}

#[test]
fn the_right_side_is_evaluated_only_if_it_matters() {
    let both = |make: fn(Box<Cond>, Box<Cond>) -> Cond, left: Cond, right: Cond| {
        truth(&make(Box::new(left), Box::new(right)), &[])
    };
    assert_eq!(both(Cond::And, Cond::Literal(false), undefined()), Some(false));
    assert_eq!(both(Cond::And, Cond::Literal(true), undefined()), None);
    assert_eq!(both(Cond::And, undefined(), Cond::Literal(false)), None);
    assert_eq!(both(Cond::Or, Cond::Literal(true), undefined()), Some(true));
    assert_eq!(both(Cond::Or, Cond::Literal(false), undefined()), None);
    assert_eq!(both(Cond::Or, undefined(), Cond::Literal(true)), None);
    let choice = |cond| {
        Expr::IfThenElse(Box::new(cond), Box::new(int(1)), Box::new(binary(BinaryOp::Rem, int(1), int(0))))
    };
    assert_eq!(at(&choice(Cond::Literal(true)), 0), Some(Int::ONE));
    assert_eq!(at(&choice(Cond::Literal(false)), 0), None);
    assert_eq!(at(&choice(undefined()), 0), None);
}

#[test]
fn rewritings_keep_the_truth_value_and_definedness() {
    let mut numbers = Numbers::seeded(31);
    let points = points(3, 2);
    let mut undefined = 0;
    for _ in 0..800 {
        let (a, b) = (random_cond(&mut numbers, 3), random_cond(&mut numbers, 2));
        let literal = Cond::Literal(numbers.below(2) == 0);
        for point in points.iter().step_by(4) {
            let value = truth(&a, point);
            undefined += usize::from(value.is_none());
            assert_eq!(truth(&a.clone().negated(), point), value.map(|value| !value), "{a:?}");
            assert_eq!(truth(&not(a.clone()), point), value.map(|value| !value));
            let plain_and = Cond::And(Box::new(a.clone()), Box::new(b.clone()));
            assert_eq!(truth(&a.clone().and(b.clone()), point), truth(&plain_and, point));
            let plain_or = Cond::Or(Box::new(literal.clone()), Box::new(a.clone()));
            assert_eq!(truth(&literal.clone().or(a.clone()), point), truth(&plain_or, point));
            let renamed = a.map(&mut |variable: &Var| Expr::Variable(Var(variable.0 + 1)));
            let shifted = [vec![Int::ZERO], point.clone()].concat();
            assert_eq!(truth(&renamed, &shifted), value, "{a:?} renamed");
        }
    }
    assert!(undefined > 100, "only {undefined} undefined evaluations were seen");
}

#[test]
fn only_read_variables_are_visited() {
    let cond = compare(CompareOp::Less, binary(BinaryOp::Add, x(), z()), int(3)).and(Cond::Literal(true));
    let mut visited = Vec::new();
    cond.for_each_variable(&mut |variable| visited.push(*variable));
    assert_eq!(visited, [Var(0), Var(2)]);
    let mut reads = 0;
    let answer = holds(&cond, &mut |_: &Var| {
        reads += 1;
        Int::ONE
    });
    assert_eq!((answer, reads), (Some(true), 2));
}

#[test]
fn a_comparison_and_its_negation_disagree() {
    for op in COMPARISONS {
        for a in -2..=2 {
            for b in -2..=2 {
                assert_ne!(op.holds(&a, &b), op.negated().holds(&a, &b), "{a} {} {b}", op.symbol());
                assert_eq!(op.holds(&a, &b), op.swapped().holds(&b, &a), "{a} {} {b}", op.symbol());
            }
        }
    }
}
