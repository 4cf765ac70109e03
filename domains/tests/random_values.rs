//! Values with more parts than the limit allows and with mixed steps, drawn at random: everything
//! must stay sound where merging makes it inexact.

use kleene_domains::concrete::apply;
use kleene_domains::laws::Numbers;
use kleene_domains::{BinaryOp, CompareOp, Congruence, Int, IntType, Interval, Thresholds, Value};

const SPAN: i64 = 40;

const OPERATORS: [BinaryOp; 13] = BinaryOp::ALL;

const COMPARISONS: [CompareOp; 6] = [
    CompareOp::Equal,
    CompareOp::NotEqual,
    CompareOp::Less,
    CompareOp::LessEqual,
    CompareOp::Greater,
    CompareOp::GreaterEqual,
];

/// A union of up to eight short intervals, sometimes under a step.
fn random(numbers: &mut Numbers) -> Value {
    let count = numbers.below(9);
    let intervals: Vec<Interval> = (0..count)
        .map(|_| {
            let low = numbers.between(-SPAN, SPAN);
            let width = numbers.between(0, 6) * numbers.between(0, 3);
            Interval::between(low, (low + width).min(SPAN)).unwrap()
        })
        .collect();
    let value = Value::from_intervals(intervals);
    match numbers.below(3) {
        0 => {
            let modulus = Int::from(numbers.between(2, 7));
            value.meet(&Value::from_congruence(Congruence::new(modulus, Int::from(numbers.between(0, 6)))))
        }
        _ => value,
    }
}

fn members(value: &Value) -> Vec<Int> {
    value.members(1000).expect("a finite value")
}

#[test]
fn order_and_operations_agree_with_members() {
    let mut numbers = Numbers::seeded(99);
    for _ in 0..4000 {
        let (a, b) = (random(&mut numbers), random(&mut numbers));
        let in_a = members(&a);
        assert_eq!(a.leq(&b), in_a.iter().all(|value| b.contains(value)), "{a} <= {b}");
        assert_eq!(a.size(), Some(in_a.len() as u64));
        let (join, meet) = (a.join(&b), a.meet(&b));
        assert!(a.leq(&join) && b.leq(&join), "{a} join {b} = {join}");
        assert!(meet.leq(&a), "{a} meet {b} = {meet}");
        for value in in_a.iter().filter(|value| b.contains(value)) {
            assert!(meet.contains(value), "{a} meet {b} = {meet} loses {value}");
        }
        let widened = a.widen(&b, &Thresholds::new([Int::from(7), Int::from(-20)]));
        assert!(a.leq(&widened) && b.leq(&widened), "{a} widen {b} = {widened}");
        let narrowed = widened.narrow(&a);
        assert!(a.leq(&narrowed) && narrowed.leq(&widened), "{widened} narrow {a} = {narrowed}");
    }
}

#[test]
fn operators_lose_nothing() {
    let mut numbers = Numbers::seeded(3);
    for _ in 0..500 {
        let (a, b) = (random(&mut numbers), random(&mut numbers));
        for op in OPERATORS {
            let result = Value::binary(op, &a, &b);
            for x in &members(&a) {
                for y in &members(&b) {
                    if let Some(value) = apply(op, x, y) {
                        assert!(result.contains(&value), "{a} {op:?} {b} = {result} loses {value}");
                    }
                }
            }
        }
        let square = a.square();
        assert!(members(&a).iter().all(|x| square.contains(&(x * x))), "{a}² = {square}");
        for ty in [IntType::signed(4), IntType::unsigned(5), IntType::U8] {
            let wrapped = a.wrap(ty);
            assert!(members(&a).iter().all(|x| wrapped.contains(&ty.wrap(x))), "{a} as {ty} = {wrapped}");
        }
    }
}

#[test]
fn inverses_lose_nothing() {
    let mut numbers = Numbers::seeded(17);
    for _ in 0..250 {
        let (a, b, wanted) = (random(&mut numbers), random(&mut numbers), random(&mut numbers));
        for op in OPERATORS {
            let left = Value::inverse_left(op, &wanted, &a, &b);
            let right = Value::inverse_right(op, &wanted, &a, &b);
            for x in &members(&a) {
                for y in &members(&b) {
                    if apply(op, x, y).is_some_and(|value| wanted.contains(&value)) {
                        let kept = left.contains(x) && right.contains(y);
                        assert!(kept, "{a} {op:?} {b} in {wanted}: ({x}, {y}) lost from {left}, {right}");
                    }
                }
            }
        }
        let ty = IntType::signed(5);
        let operand = Value::inverse_wrap(ty, &wanted, &a);
        for x in members(&a).iter().filter(|x| wanted.contains(&ty.wrap(x))) {
            assert!(operand.contains(x), "{a} as {ty} in {wanted}: {x} lost from {operand}");
        }
    }
}

#[test]
fn guards_and_splits_lose_nothing() {
    let mut numbers = Numbers::seeded(23);
    for _ in 0..1000 {
        let (a, b) = (random(&mut numbers), random(&mut numbers));
        let (in_a, in_b) = (members(&a), members(&b));
        for op in COMPARISONS {
            let (left, right) = Value::refine(op, &a, &b);
            assert!(left.leq(&a), "{a} {op:?} {b} leaves {left}");
            let decided = Value::compare(op, &a, &b);
            for x in &in_a {
                for y in &in_b {
                    let holds = op.holds(x, y);
                    assert!(decided.is_none_or(|answer| answer == holds), "{a} {op:?} {b} is {decided:?}");
                    assert!(!holds || left.contains(x) && right.contains(y), "{a} {op:?} {b} at {x}, {y}");
                }
            }
        }
        let cuts = [numbers.between(-SPAN, SPAN), numbers.between(-SPAN, SPAN)].map(Int::from);
        let mut listed: Vec<Int> = a.split_at(&cuts).iter().flat_map(members).collect();
        listed.sort();
        assert_eq!(listed, in_a, "{a} at {cuts:?}");
        let excluded = Int::from(numbers.between(-SPAN, SPAN));
        let without = a.without(&excluded);
        assert!(without.leq(&a));
        assert!(in_a.iter().all(|value| *value == excluded || without.contains(value)));
    }
}

#[test]
fn widening_chains_stop() {
    let mut numbers = Numbers::seeded(41);
    let thresholds = Thresholds::new([-30, -5, 0, 12, 35].map(Int::from));
    for _ in 0..300 {
        let mut chain = random(&mut numbers);
        let mut changes = 0;
        for _ in 0..60 {
            let next = chain.widen(&random(&mut numbers), &thresholds);
            changes += usize::from(next != chain);
            chain = next;
        }
        // Six moves of each bound, four gaps, and as often a modulus may lose a divisor.
        assert!(changes <= 20, "{changes} changes up to {chain}");
    }
}
