//! Comparisons of values and backward arithmetic, exhaustively on small sets.

use kleene_domains::concrete::apply;
use kleene_domains::{BinaryOp, CompareOp, Congruence, Int, IntType, Interval, Value};

const COMPARISONS: [CompareOp; 6] = [
    CompareOp::Equal,
    CompareOp::NotEqual,
    CompareOp::Less,
    CompareOp::LessEqual,
    CompareOp::Greater,
    CompareOp::GreaterEqual,
];

fn ints(low: i64, high: i64) -> Vec<Int> {
    (low..=high).map(Int::from).collect()
}

fn best(values: &[Int]) -> Value {
    Value::from_intervals(values.iter().map(|value| Interval::constant(value.clone())))
}

fn subsets(values: &[Int]) -> Vec<Value> {
    let chosen = |mask: u32| {
        let picked = values.iter().enumerate().filter(move |(index, _)| mask >> index & 1 == 1);
        best(&picked.map(|(_, value)| value.clone()).collect::<Vec<_>>())
    };
    (0..1u32 << values.len()).map(chosen).collect()
}

fn intervals(span: i64) -> Vec<Value> {
    let all =
        (-span..=span).flat_map(|low| (low..=span).filter_map(move |high| Interval::between(low, high)));
    all.map(Value::from_interval).collect()
}

#[test]
fn comparisons_are_exact() {
    let universe = subsets(&ints(-3, 3));
    for a in &universe {
        for b in &universe {
            let (in_a, in_b) = (a.members(9).unwrap(), b.members(9).unwrap());
            for op in COMPARISONS {
                let answers = || in_a.iter().flat_map(|x| in_b.iter().map(move |y| op.holds(x, y)));
                let expected = match (answers().any(|yes| yes), answers().any(|yes| !yes)) {
                    (true, false) => Some(true),
                    (false, true) => Some(false),
                    _ => None,
                };
                assert_eq!(Value::compare(op, a, b), expected, "{a} {op:?} {b}");
            }
        }
    }
}

#[test]
fn refinement_is_exact_on_both_sides() {
    let universe = subsets(&ints(-3, 3));
    for a in &universe {
        for b in &universe {
            let (in_a, in_b) = (a.members(9).unwrap(), b.members(9).unwrap());
            for op in COMPARISONS {
                let left: Vec<Int> =
                    in_a.iter().filter(|x| in_b.iter().any(|y| op.holds(*x, y))).cloned().collect();
                let right: Vec<Int> =
                    in_b.iter().filter(|y| in_a.iter().any(|x| op.holds(x, *y))).cloned().collect();
                let refined = Value::refine(op, a, b);
                assert_eq!(refined, (best(&left), best(&right)), "{a} {op:?} {b}");
            }
        }
    }
}

#[test]
fn refinement_with_steps_and_infinity() {
    let even = Value::from_congruence(Congruence::new(Int::from(2), Int::ZERO));
    let (below, above) = Value::refine(CompareOp::Less, &even, &Value::constant(5));
    assert_eq!(below.high(), kleene_domains::Bound::Finite(Int::from(4)));
    assert_eq!(above, Value::constant(5));
    assert_eq!(Value::compare(CompareOp::Equal, &even, &Value::constant(7)), Some(false));
    let (all, _) = Value::refine(CompareOp::NotEqual, &Value::top(), &Value::constant(0));
    assert_eq!(all, Value::from_intervals([Interval::at_most(-1), Interval::at_least(1)]));
    let positive = Value::from_interval(Interval::at_least(0));
    assert_eq!(Value::compare(CompareOp::Less, &Value::top(), &positive), None);
    let (smaller, _) = Value::refine(CompareOp::Less, &positive, &positive);
    assert_eq!(smaller, positive);
}

#[test]
fn splits_partition_the_members() {
    for value in subsets(&ints(-3, 4)) {
        for cuts in [vec![], ints(0, 0), ints(-1, 1), vec![Int::from(3), Int::from(-2)]] {
            let parts = value.split_at(&cuts);
            let mut listed: Vec<Int> =
                parts.iter().flat_map(|part| part.members(9).expect("a finite part")).collect();
            listed.sort();
            assert_eq!(listed, value.members(9).unwrap(), "{value} at {cuts:?}");
            for part in &parts {
                assert!(part.witness().is_some(), "{value} at {cuts:?}");
                let sides = cuts.iter().all(|cut| {
                    let cut = Value::constant(cut);
                    Value::compare(CompareOp::Less, part, &cut).is_some()
                        && Value::compare(CompareOp::Greater, part, &cut).is_some()
                });
                assert!(sides, "{part} straddles one of {cuts:?}");
            }
        }
    }
    let halves = Value::top().split_at(&[Int::ZERO]);
    assert_eq!(halves.len(), 3);
    let even = Value::from_congruence(Congruence::new(Int::from(2), Int::ZERO));
    assert_eq!(even.split_at(&[Int::ONE]).len(), 2);
}

/// Every pair of members whose result is wanted must survive in the answered operands.
fn assert_inverse_sound(op: BinaryOp, wanted: &Value, a: &Value, b: &Value) {
    let left = Value::inverse_left(op, wanted, a, b);
    let right = Value::inverse_right(op, wanted, a, b);
    for x in a.members(20).unwrap() {
        for y in b.members(20).unwrap() {
            if apply(op, &x, &y).is_some_and(|result| wanted.contains(&result)) {
                assert!(left.contains(&x), "{a} {op:?} {b} in {wanted}: {x} lost from {left}");
                assert!(right.contains(&y), "{a} {op:?} {b} in {wanted}: {y} lost from {right}");
            }
        }
    }
}

#[test]
fn inverses_are_sound() {
    let operands = intervals(4);
    let mut wanted = intervals(3);
    wanted.extend(subsets(&ints(-2, 2)));
    wanted.push(Value::from_interval(Interval::at_least(2)));
    wanted.push(Value::from_congruence(Congruence::new(Int::from(3), Int::from(1))));
    for op in BinaryOp::ALL {
        for wanted in &wanted {
            for a in &operands {
                for b in &operands {
                    assert_inverse_sound(op, wanted, a, b);
                }
            }
        }
    }
}

#[test]
fn inverse_of_multiplication_by_a_constant_is_exact() {
    for wanted in subsets(&ints(-4, 4)) {
        for k in [-3i64, -2, -1, 1, 2, 3] {
            let expected: Vec<Int> =
                ints(-6, 6).into_iter().filter(|x| wanted.contains(&(x * Int::from(k)))).collect();
            let answered = Value::inverse_left(BinaryOp::Mul, &wanted, &Value::top(), &Value::constant(k));
            assert_eq!(answered, best(&expected), "x * {k} in {wanted}");
        }
    }
}

#[test]
fn inverse_of_wrap_is_exact_near_the_type() {
    for bits in 3..=4 {
        for ty in [IntType::signed(bits), IntType::unsigned(bits)] {
            for low in -12..=12 {
                for high in low..=12 {
                    let operand = Value::from_interval(Interval::between(low, high).unwrap());
                    for target in [vec![0], vec![1, 2], vec![-1], vec![-2, 0, 1], vec![30]] {
                        let wanted = best(&target.iter().map(|value| Int::from(*value)).collect::<Vec<_>>());
                        let answered = Value::inverse_wrap(ty, &wanted, &operand);
                        let hits: Vec<Int> =
                            ints(low, high).into_iter().filter(|x| wanted.contains(&ty.wrap(x))).collect();
                        assert_eq!(answered, best(&hits), "x as {ty} in {wanted}, x in {operand}");
                    }
                }
            }
        }
    }
    let byte = Value::inverse_wrap(IntType::U8, &Value::constant(3), &Value::top());
    assert_eq!(byte, Value::from_congruence(Congruence::new(Int::from(256), Int::from(3))));
}
