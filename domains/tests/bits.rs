//! Bit operations, shifts and powers on values that are too large to be computed member by member.

mod support;

use kleene_domains::concrete::{apply, apply_unary};
use kleene_domains::laws::Numbers;
use kleene_domains::{BinaryOp, CompareOp, Congruence, Expr, Int, IntType, Interval, UnaryOp, Value};
use support::*;

const NEW: [BinaryOp; 6] = [
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
    BinaryOp::Power,
];

fn ints(low: i64, high: i64) -> Vec<Int> {
    (low..=high).map(Int::from).collect()
}

fn best(values: &[Int]) -> Value {
    Value::from_intervals(values.iter().map(|value| Interval::constant(value.clone())))
}

/// A range of up to a hundred numbers, sometimes under a step.
fn random(numbers: &mut Numbers) -> Value {
    let low = numbers.between(-90, 90);
    let value = range(low, low + numbers.between(0, 100));
    match numbers.below(3) {
        0 => {
            let modulus = Int::from(1i64 << numbers.below(5));
            value.meet(&Value::from_congruence(Congruence::new(modulus, Int::from(numbers.between(0, 30)))))
        }
        _ => value,
    }
}

fn members(value: &Value) -> Vec<Int> {
    value.members(1000).expect("a finite value")
}

#[test]
fn operators_on_wide_ranges_are_sound() {
    let mut numbers = Numbers::seeded(5);
    for _ in 0..600 {
        let (a, b) = (random(&mut numbers), random(&mut numbers));
        for op in NEW {
            let result = Value::binary(op, &a, &b);
            for x in members(&a).iter().step_by(3) {
                for y in members(&b).iter().step_by(2) {
                    if let Some(value) = apply(op, x, y) {
                        assert!(result.contains(&value), "{a} {op:?} {b} = {result} loses {x} {op:?} {y}");
                    }
                }
            }
        }
        for op in UnaryOp::ALL {
            let result = a.unary(op);
            for value in members(&a).iter().filter_map(|x| apply_unary(op, x)) {
                assert!(result.contains(&value), "{op:?} {a} = {result} loses {value}");
            }
        }
    }
}

/// The hulls of `&`, `|` and `^` are the best ones, per combination of signs.
#[test]
fn bitwise_bounds_are_exact_on_ranges_of_one_sign() {
    let mut numbers = Numbers::seeded(6);
    for _ in 0..1500 {
        let mut side = || {
            let low = numbers.between(0, 60);
            let (low, high) = (low, low + numbers.between(9, 40));
            if numbers.below(2) == 0 { (low, high) } else { (-high - 1, -low - 1) }
        };
        let (a, b) = (side(), side());
        for op in [BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor] {
            let result = Value::binary(op, &range(a.0, a.1), &range(b.0, b.1));
            let pairs = ints(a.0, a.1)
                .into_iter()
                .flat_map(|x| ints(b.0, b.1).into_iter().map(move |y| (x.clone(), y)));
            let results: Vec<Int> = pairs.filter_map(|(x, y)| apply(op, &x, &y)).collect();
            let hull = Interval::finite(
                results.iter().min().unwrap().clone(),
                results.iter().max().unwrap().clone(),
            );
            assert_eq!(result.hull(), hull, "{a:?} {op:?} {b:?}");
        }
    }
}

#[test]
fn unary_operators_are_exact_on_long_ranges() {
    for low in 0..40 {
        for width in [64, 65, 70, 100, 128, 200] {
            for op in UnaryOp::ALL {
                let results: Vec<Int> =
                    ints(low, low + width).iter().filter_map(|x| apply_unary(op, x)).collect();
                let hull = Interval::finite(
                    results.iter().min().unwrap().clone(),
                    results.iter().max().unwrap().clone(),
                );
                assert_eq!(range(low, low + width).unary(op).hull(), hull, "{op:?} [{low}, +{width}]");
            }
        }
    }
}

#[test]
fn masks_and_shifts_by_constants_are_exact() {
    for low in (-300..300).step_by(41) {
        for width in [0, 1, 5, 40, 64, 100, 300] {
            let value = range(low, low + width);
            for k in 0..6 {
                let exactly = |op, constant: i64| {
                    let results: Vec<Int> = ints(low, low + width)
                        .iter()
                        .map(|x| apply(op, x, &Int::from(constant)).unwrap())
                        .collect();
                    let answered = Value::binary(op, &value, &Value::constant(constant));
                    assert_eq!(answered, best(&results), "{value} {op:?} {constant}");
                };
                exactly(BinaryOp::BitAnd, (1 << k) - 1);
                exactly(BinaryOp::BitAnd, -(1 << k));
                exactly(BinaryOp::ShiftLeft, k);
                exactly(BinaryOp::ShiftRight, k);
                exactly(BinaryOp::BitXor, -1);
            }
        }
    }
    let any = Value::top();
    let low_byte = Value::binary(BinaryOp::BitAnd, &any, &Value::constant(255));
    assert_eq!(low_byte, Value::from_interval(IntType::U8.range()));
    let even = Value::binary(BinaryOp::BitAnd, &any, &Value::constant(-2));
    assert_eq!(even.congruence(), Congruence::new(Int::from(2), Int::ZERO));
    let odd = Value::binary(BinaryOp::BitOr, &any, &Value::constant(1));
    assert_eq!(odd.congruence(), Congruence::new(Int::from(2), Int::ONE));
    let aligned = Value::binary(BinaryOp::BitAnd, &range(0, 1000), &Value::constant(0x1f0));
    assert_eq!(aligned.congruence(), Congruence::new(Int::from(16), Int::ZERO));
    assert_eq!(aligned.high(), Interval::between(0, 0x1f0).unwrap().high().clone());
}

#[test]
fn undefined_shifts_and_powers_have_no_result() {
    for op in [BinaryOp::ShiftLeft, BinaryOp::ShiftRight, BinaryOp::Power] {
        assert!(Value::binary(op, &range(1, 9), &range(-5, -1)).is_bottom());
        assert!(Value::binary(op, &range(1, 9), &range(256, 900)).is_bottom());
        assert_eq!(apply(op, &Int::ONE, &Int::from(-1)), None);
        assert_eq!(apply(op, &Int::ONE, &Int::from(256)), None);
        let some = Value::binary(op, &range(1, 900), &range(-5, 0));
        assert_eq!(some, if op == BinaryOp::Power { Value::constant(1) } else { range(1, 900) });
    }
    let huge = Int::from(2).pow(256);
    assert_eq!(apply(BinaryOp::Power, &huge, &Int::from(2)), None);
    assert_eq!(apply(BinaryOp::Power, &(&huge - Int::ONE), &Int::from(2)).map(|x| x.bits()), Some(512));
    for op in UnaryOp::ALL {
        assert!(range(-900, -1).unary(op).is_bottom());
    }
    assert!(Value::constant(0).unary(UnaryOp::TrailingZeros).is_bottom());
}

#[test]
fn values_in_a_loop_stay_small() {
    let mut value = range(2, 9);
    for _ in 0..40 {
        value = Value::binary(BinaryOp::Power, &value, &range(2, 200)).join(&value);
        value = Value::binary(BinaryOp::ShiftLeft, &value, &range(0, 255));
    }
    assert!(!value.is_bottom());
}

#[test]
fn unary_inverses_are_sound_and_useful() {
    let mut wanted: Vec<Value> = (0..9).flat_map(|low| (low..9).map(move |high| range(low, high))).collect();
    wanted.push(Value::from_interval(Interval::at_least(3)));
    wanted.push(Value::top());
    for op in UnaryOp::ALL {
        for wanted in &wanted {
            for (low, high) in [(-3, 200), (0, 90), (10, 500), (5, 9)] {
                let operand = range(low, high);
                let inverse = Value::inverse_unary(op, wanted, &operand);
                for x in ints(low, high) {
                    let hit = apply_unary(op, &x).is_some_and(|result| wanted.contains(&result));
                    assert!(!hit || inverse.contains(&x), "{op:?} {x} in {wanted}: {inverse}");
                }
            }
        }
    }
    let inverse = |op, wanted: i64| Value::inverse_unary(op, &Value::constant(wanted), &range(0, 1000));
    assert_eq!(inverse(UnaryOp::BitLength, 4), range(8, 15));
    assert_eq!(inverse(UnaryOp::SquareRoot, 5), range(25, 35));
    assert_eq!(inverse(UnaryOp::CountOnes, 0), Value::constant(0));
    assert_eq!(inverse(UnaryOp::TrailingZeros, 3).congruence(), Congruence::new(Int::from(16), Int::from(8)));
}

#[test]
fn guards_over_wide_ranges_refine_soundly() {
    let points = points(1, 130);
    for op in NEW {
        for constant in [0, 1, 2, 3, 7, 8, 12, -1, -4] {
            for bound in [-9, -1, 0, 1, 4, 8, 33] {
                for comparison in COMPARISONS {
                    let cond = compare(comparison, binary(op, x(), int(constant)), int(bound));
                    for a in [(-130, 130), (0, 127), (-100, -20), (1, 16)] {
                        check_guard(&boxed(&[a]), &cond, &points);
                    }
                }
            }
        }
    }
    for op in UnaryOp::ALL {
        for bound in 0..8 {
            for comparison in COMPARISONS {
                let cond = compare(comparison, Expr::unary(op, x()), int(bound));
                for a in [(-130, 130), (0, 127), (0, 3), (1, 100)] {
                    check_guard(&boxed(&[a]), &cond, &points);
                }
            }
        }
    }
}

#[test]
fn guards_on_bits_are_used() {
    let points = points(1, 130);
    let bit = compare(CompareOp::Equal, binary(BinaryOp::BitAnd, x(), int(64)), int(0));
    assert_eq!(check_guard(&boxed(&[(0, 127)]), &bit, &points), boxed(&[(0, 63)]));
    let set = compare(CompareOp::NotEqual, binary(BinaryOp::BitAnd, x(), int(64)), int(0));
    assert_eq!(check_guard(&boxed(&[(0, 127)]), &set, &points), boxed(&[(64, 127)]));
    let shifted = compare(CompareOp::Less, binary(BinaryOp::ShiftRight, x(), int(3)), int(4));
    assert_eq!(check_guard(&boxed(&[(0, 127)]), &shifted, &points), boxed(&[(0, 31)]));
    let toggled = compare(CompareOp::Equal, binary(BinaryOp::BitXor, x(), int(3)), int(4));
    assert_eq!(check_guard(&boxed(&[(0, 127)]), &toggled, &points), boxed(&[(7, 7)]));
    let none = compare(CompareOp::Equal, binary(BinaryOp::BitOr, x(), int(0)), int(0));
    assert_eq!(check_guard(&boxed(&[(0, 127)]), &none, &points), boxed(&[(0, 0)]));
}
