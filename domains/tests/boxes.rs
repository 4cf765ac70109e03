//! Boxes: laws, assignments, canonical form, and a loop run to its invariant.

mod support;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use kleene_domains::laws::{self, Numbers};
use kleene_domains::{
    BinaryOp, Bound, BoxState, CompareOp, Congruence, Expr, Int, IntType, Interval, Lattice, NumericState,
    Thresholds, Value, Var, Widen,
};
use support::*;

#[test]
fn lattice_laws() {
    let mut universe = vec![BoxState::bottom(2), BoxState::top(2)];
    for a in ranges(1) {
        universe.extend(ranges(1).into_iter().map(|b| boxed(&[a, b])));
    }
    let half = Value::from_interval(Interval::at_least(0));
    universe.push(BoxState::from_values(vec![half.clone(), range(0, 1)]));
    universe.push(BoxState::from_values(vec![Value::top(), half]));
    laws::order(&universe);
    laws::transitivity(&universe);
    laws::membership(&universe, &points(2, 2), |state, point| state.contains(point));
    laws::order_is_inclusion(&universe, &points(2, 3), |state, point| state.contains(point));
    laws::widening(&universe, &Thresholds::none(), 5);
    laws::widening(&universe, &Thresholds::new([Int::ONE]), 9);
    laws::narrowing(&universe, 5);
}

#[test]
fn any_is_drawn_anew() {
    let any = || Expr::Any(Interval::between(0, 3).unwrap());
    let state = BoxState::top(1);
    assert_eq!(state.value(&any()), range(0, 3));
    assert_eq!(state.decide(&compare(CompareOp::Equal, any(), any())), None);
    assert_eq!(state.value(&binary(BinaryOp::Sub, any(), any())), range(-3, 3));
    let mut assumed = state.clone();
    assumed.assume(&compare(CompareOp::Less, x(), any()));
    assert_eq!(assumed.get(Var(0)).high(), Bound::Finite(Int::from(2)));
}

#[test]
fn collecting_terms_sharpens_values() {
    let state = boxed(&[(0, 9), (0, 9)]);
    let doubled = binary(BinaryOp::Add, x(), x());
    let even = range(0, 18).meet(&Value::from_congruence(Congruence::new(Int::from(2), Int::ZERO)));
    assert_eq!(state.value(&doubled), even);
    assert_eq!(state.value(&binary(BinaryOp::Sub, x(), x())), Value::constant(0));
    assert_eq!(boxed(&[(-5, 3)]).value(&binary(BinaryOp::Mul, x(), x())).low(), Bound::Finite(Int::ZERO));
    let wide = boxed(&[(-500, 300)]).value(&binary(BinaryOp::Mul, x(), x()));
    assert_eq!(wide, range(0, 250_000));
}

#[test]
fn states_are_canonical() {
    let hash = |state: &BoxState| {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        hasher.finish()
    };
    let mut empty = boxed(&[(0, 3), (0, 3)]);
    empty.assume(&compare(CompareOp::Greater, x(), int(9)));
    assert_eq!(empty, BoxState::bottom(2));
    assert_eq!(hash(&empty), hash(&BoxState::bottom(2)));
    assert_ne!(BoxState::bottom(2), BoxState::bottom(3));
    let mut set = boxed(&[(0, 3)]);
    set.set(Var(0), Value::bottom());
    assert!(set.is_bottom());
    set.forget(Var(0));
    assert!(set.is_bottom(), "nothing revives an empty state");
    let joined = boxed(&[(0, 1)]).join(&boxed(&[(2, 3)]));
    assert_eq!(joined, boxed(&[(0, 3)]));
    assert_eq!(hash(&joined), hash(&boxed(&[(0, 3)])));
}

#[test]
fn dimensions_come_and_go() {
    let mut state = boxed(&[(0, 3), (1, 2)]);
    state.resize(3);
    assert_eq!(state.get(Var(2)), Value::top());
    state.resize(1);
    assert_eq!(state, boxed(&[(0, 3)]));
    let mut bottom = BoxState::bottom(1);
    bottom.resize(4);
    assert_eq!(bottom, BoxState::bottom(4));
    assert_eq!(BoxState::top(0).sample(), Some(vec![]));
    assert_eq!(BoxState::bottom(0).sample(), None);
}

#[test]
fn samples_are_members() {
    let mut numbers = Numbers::seeded(5);
    for _ in 0..500 {
        let state = BoxState::from_values((0..4).map(|_| random_value(&mut numbers)).collect());
        let sample = state.sample().expect("no value is bottom");
        assert!(state.contains(&sample));
    }
    assert!(!BoxState::top(2).contains(&[Int::ZERO]));
}

#[test]
fn a_counting_loop_converges_with_thresholds() {
    // x = 0; while x < 100 { x += 3 }
    let head = || compare(CompareOp::Less, x(), int(100));
    let mut invariant = boxed(&[(0, 0)]);
    let thresholds = Thresholds::new([Int::from(99), Int::from(100)]);
    let mut rounds = 0;
    loop {
        let mut body = invariant.clone();
        body.assume(&head());
        body.assign(Var(0), &binary(BinaryOp::Add, x(), int(3)));
        let next = invariant.widen(&boxed(&[(0, 0)]).join(&body), &thresholds);
        if next == invariant {
            break;
        }
        invariant = next;
        rounds += 1;
    }
    assert!(rounds <= 4, "{rounds}");
    let narrowed = {
        let mut body = invariant.clone();
        body.assume(&head());
        body.assign(Var(0), &binary(BinaryOp::Add, x(), int(3)));
        invariant.narrow(&boxed(&[(0, 0)]).join(&body))
    };
    assert!(narrowed.get(Var(0)).members(40).is_some(), "{narrowed} is not finite");
    let mut exit = narrowed;
    exit.assume(&head().negated());
    assert_eq!(exit.get(Var(0)), Value::constant(102));
}

#[test]
fn beyond_every_machine_word() {
    let big = Int::from(2).pow(128);
    let mut state = BoxState::top(2);
    state.assume(&compare(CompareOp::Greater, x(), Expr::Constant(big.clone())));
    state.assume(&compare(CompareOp::Equal, binary(BinaryOp::Add, x(), y()), int(0)));
    assert_eq!(state.get(Var(1)).high(), Bound::Finite(-(&big + Int::ONE)));
    let point = state.sample().unwrap();
    assert!(state.contains(&point));
    let next = Expr::Wrap(IntType::U64, Box::new(binary(BinaryOp::Add, x(), int(1))));
    let mut counter = BoxState::from_values(vec![Value::constant(u64::MAX), Value::top()]);
    counter.assign(Var(1), &next);
    assert_eq!(counter.get(Var(1)), Value::constant(0));
}
