//! Guards on boxes, in both directions: nothing lost, and what is marked exact keeps nothing more.

mod support;

use kleene_domains::concrete::eval;
use kleene_domains::laws::Numbers;
use kleene_domains::{BinaryOp, BoxState, CompareOp, Cond, Expr, Int, IntType, Lattice, NumericState, Var};
use support::*;

#[test]
fn comparisons_of_two_variables_are_exact() {
    let points = points(2, 4);
    for a in ranges(4) {
        for b in ranges(4) {
            let state = boxed(&[a, b]);
            for op in COMPARISONS {
                let cond = compare(op, x(), y());
                let assumed = check_guard(&state, &cond, &points);
                assert_eq!(assumed, hull_of_solutions(&state, &cond, &points), "{state} {op:?}");
            }
        }
    }
}

#[test]
fn comparisons_with_constants_and_multiples_are_exact() {
    let points = points(1, 6);
    for a in ranges(6) {
        let state = boxed(&[a]);
        for bound in -7..=7 {
            for op in COMPARISONS {
                for factor in [-2, 1, 2, 3] {
                    let cond = compare(op, binary(BinaryOp::Mul, int(factor), x()), int(bound));
                    let assumed = check_guard(&state, &cond, &points);
                    assert_eq!(assumed, hull_of_solutions(&state, &cond, &points), "{state} {cond:?}");
                    assert_eq!(state.decide(&cond) == Some(false), assumed.is_bottom());
                }
            }
        }
    }
}

#[test]
fn sums_refine_all_three_exactly() {
    let points = points(3, 2);
    for a in ranges(2) {
        for b in ranges(2) {
            for c in ranges(2) {
                let state = boxed(&[a, b, c]);
                for op in COMPARISONS {
                    let cond = compare(op, binary(BinaryOp::Add, x(), y()), z());
                    let assumed = check_guard(&state, &cond, &points);
                    if op != CompareOp::NotEqual {
                        assert_eq!(assumed, hull_of_solutions(&state, &cond, &points), "{state} {cond:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_operator_refines_soundly() {
    let points = points(2, 4);
    for op in BinaryOp::ALL {
        for bound in -3..=3 {
            for comparison in COMPARISONS {
                let cond = compare(comparison, binary(op, x(), y()), int(bound));
                for a in ranges(4).into_iter().step_by(2) {
                    for b in ranges(4).into_iter().step_by(3) {
                        check_guard(&boxed(&[a, b]), &cond, &points);
                    }
                }
            }
        }
    }
}

#[test]
fn wrapped_guards_refine_soundly() {
    let points = points(1, 40);
    for ty in [IntType::signed(4), IntType::unsigned(4)] {
        for a in [(-40, 40), (0, 20), (-9, -7), (14, 18), (3, 3)] {
            for bound in -9..=17 {
                for op in COMPARISONS {
                    let sum = binary(BinaryOp::Add, x(), int(1));
                    let cond = compare(op, Expr::Wrap(ty, Box::new(sum)), int(bound));
                    check_guard(&boxed(&[a]), &cond, &points);
                }
            }
        }
    }
    let mut state = boxed(&[(0, 300)]);
    state.assume(&compare(CompareOp::Equal, Expr::Wrap(IntType::U8, Box::new(x())), int(7)));
    assert_eq!(state.get(Var(0)).members(3), Some(vec![Int::from(7), Int::from(263)]));
}

#[test]
fn random_conditions_and_expressions_are_sound() {
    let points = points(3, 3);
    let mut numbers = Numbers::seeded(2024);
    let (mut decided, mut refuted) = (0, 0);
    for _ in 0..6000 {
        let state = BoxState::from_values((0..3).map(|_| random_value(&mut numbers)).collect());
        let cond = random_cond(&mut numbers, 3);
        let assumed = check_guard(&state, &cond, &points);
        decided += usize::from(state.decide(&cond).is_some());
        refuted += usize::from(assumed.is_bottom());
        let expr = random_expr(&mut numbers, 3);
        let value = state.value(&expr);
        let mut assigned = state.clone();
        assigned.assign(Var(1), &expr);
        for point in points.iter().filter(|point| state.contains(point)) {
            let read = &mut |variable: &Var| point[variable.0 as usize].clone();
            if let Some(result) = eval(&expr, read) {
                assert!(value.contains(&result), "{expr:?} is {result} in {state}, not in {value}");
                let after = [point[0].clone(), result, point[2].clone()];
                assert!(assigned.contains(&after), "{state} with {expr:?} = {assigned} loses {after:?}");
            }
        }
    }
    assert!(decided > 1200 && refuted > 500, "{decided} decided, {refuted} refuted");
}

#[test]
fn impossible_guards_are_refuted() {
    let top = BoxState::top(3);
    let even = compare(CompareOp::Equal, binary(BinaryOp::Mul, int(2), x()), int(7));
    let sum = binary(BinaryOp::Add, binary(BinaryOp::Mul, int(2), x()), binary(BinaryOp::Mul, int(4), y()));
    let odd_sum = compare(CompareOp::Equal, sum, int(3));
    let square = compare(CompareOp::Less, binary(BinaryOp::Mul, x(), x()), int(0));
    let remainder = compare(CompareOp::Greater, binary(BinaryOp::Rem, x(), int(3)), int(2));
    let successor = compare(CompareOp::LessEqual, binary(BinaryOp::Add, x(), int(1)), x());
    let self_difference = compare(CompareOp::NotEqual, binary(BinaryOp::Sub, x(), x()), int(0));
    for cond in [even, odd_sum, square, remainder, successor, self_difference] {
        let mut state = top.clone();
        state.assume(&cond);
        assert!(state.is_bottom(), "{cond:?}");
        assert_eq!(top.decide(&cond), Some(false), "{cond:?}");
        assert_eq!(top.decide(&cond.clone().negated()), Some(true), "not {cond:?}");
    }
}

#[test]
fn disjunctions_are_one_question() {
    let top = BoxState::top(2);
    let is_zero = || compare(CompareOp::Equal, x(), int(0));
    let overlap = compare(CompareOp::Less, x(), int(5)).or(compare(CompareOp::Greater, x(), int(3)));
    assert_eq!(top.decide(&overlap), Some(true));
    let excluded_middle = Cond::Or(Box::new(is_zero()), Box::new(Cond::Not(Box::new(is_zero()))));
    assert_eq!(top.decide(&excluded_middle), Some(true));
    assert_eq!(top.decide(&Cond::Not(Box::new(excluded_middle))), Some(false));
    let contradiction = Cond::And(Box::new(is_zero()), Box::new(Cond::Not(Box::new(is_zero()))));
    assert_eq!(top.decide(&contradiction), Some(false));
    let parity = |residue| compare(CompareOp::Equal, binary(BinaryOp::Rem, x(), int(2)), int(residue));
    let mut positive = top.clone();
    positive.assume(&compare(CompareOp::GreaterEqual, x(), int(0)));
    assert_eq!(positive.decide(&parity(0).or(parity(1))), Some(true));
    assert_eq!(top.decide(&parity(0).or(parity(1))), None);
    assert_eq!(BoxState::bottom(2).decide(&is_zero()), None);
}

#[test]
fn short_circuit_guards_definedness() {
    let state = boxed(&[(-3, 3), (-3, 3)]);
    let divides = || compare(CompareOp::Greater, binary(BinaryOp::Div, int(10), x()), int(2));
    let nonzero = || compare(CompareOp::NotEqual, x(), int(0));
    assert!(state.may_be_undefined(&divides()));
    assert!(!state.may_be_undefined(&Cond::And(Box::new(nonzero()), Box::new(divides()))));
    assert!(state.may_be_undefined(&Cond::And(Box::new(divides()), Box::new(nonzero()))));
    let zero_or = Cond::Or(Box::new(compare(CompareOp::Equal, x(), int(0))), Box::new(divides()));
    assert!(!state.may_be_undefined(&zero_or));
    let guarded = Expr::IfThenElse(
        Box::new(nonzero()),
        Box::new(binary(BinaryOp::Div, int(10), x())),
        Box::new(int(0)),
    );
    assert!(!state.may_be_undefined(&compare(CompareOp::Equal, guarded, int(1))));
    // Not true at 0, where it is undefined: no definite answer, though no point makes it false.
    let always = compare(CompareOp::LessEqual, binary(BinaryOp::Div, int(10), x()), int(10));
    assert_eq!(state.decide(&always), None);
    let mut assumed = state.clone();
    assumed.assume(&always);
    assert!(!assumed.get(Var(0)).contains(&Int::ZERO));
    let mut assigned = state.clone();
    assigned.assign(Var(1), &binary(BinaryOp::Rem, int(7), x()));
    assert!(!assigned.get(Var(0)).contains(&Int::ZERO));
    assigned.assign(Var(1), &binary(BinaryOp::Div, x(), int(0)));
    assert!(assigned.is_bottom());
}

#[test]
fn branches_of_an_expression_are_refined_apart() {
    let state = boxed(&[(-5, 5)]);
    let negated = Expr::Negate(Box::new(x()));
    let magnitude =
        Expr::IfThenElse(Box::new(compare(CompareOp::Less, x(), int(0))), Box::new(negated), Box::new(x()));
    assert_eq!(state.value(&magnitude), range(0, 5));
    let mut assumed = state.clone();
    assumed.assume(&compare(CompareOp::GreaterEqual, magnitude.clone(), int(4)));
    assert_eq!(assumed.get(Var(0)), range(-5, -4).join(&range(4, 5)));
    assert_eq!(state.decide(&compare(CompareOp::Less, magnitude, int(0))), Some(false));
}

#[test]
fn conditions_stored_as_booleans_are_looked_through() {
    let stored = |cond: Cond| Expr::IfThenElse(Box::new(cond), Box::new(int(1)), Box::new(int(0)));
    let mut cond = compare(CompareOp::Less, x(), y());
    for level in 0..40 {
        // Alternately `(c ? 1 : 0) != 0` and `0 == (c ? 1 : 0)`: the second negates.
        cond = if level % 2 == 0 {
            compare(CompareOp::NotEqual, stored(cond), int(0))
        } else {
            compare(CompareOp::Equal, int(0), stored(cond))
        };
    }
    let state = boxed(&[(0, 9), (0, 9)]);
    let assumed = check_guard(&state, &cond, &points(2, 9));
    assert_eq!(assumed, boxed(&[(0, 8), (1, 9)]));
    let middle = compare(CompareOp::Less, x(), int(5)).or(compare(CompareOp::Greater, x(), int(3)));
    let through = compare(CompareOp::Greater, stored(middle), int(0));
    assert_eq!(BoxState::top(1).decide(&through), Some(true));
    for (a, b) in [((0, 3), (5, 9)), ((5, 9), (0, 3)), ((0, 5), (3, 9))] {
        let state = boxed(&[a, b]);
        let less = compare(CompareOp::Less, x(), y());
        let (is_set, is_clear) = (CompareOp::NotEqual, CompareOp::Equal);
        assert_eq!(state.decide(&compare(is_set, stored(less.clone()), int(0))), state.decide(&less));
        let cleared = compare(is_clear, stored(less.clone()), int(0));
        assert_eq!(state.decide(&cleared), state.decide(&less).map(|answer| !answer), "{state}");
    }
    let always = compare(CompareOp::LessEqual, stored(compare(CompareOp::Less, x(), y())), int(1));
    assert_eq!(state.decide(&always), Some(true));
}

#[test]
fn nested_choices_stay_affordable() {
    // An array read as a chain of choices, and choices inside conditions.
    let element = |index: i64, rest: Expr| {
        let here = compare(CompareOp::Equal, x(), int(index));
        Expr::IfThenElse(Box::new(here), Box::new(int(index * index)), Box::new(rest))
    };
    let read = (0..60).rev().fold(int(-1), |rest, index| element(index, rest));
    let mut state = boxed(&[(0, 100), (0, 100)]);
    state.assume(&compare(CompareOp::Equal, read, int(49)));
    assert_eq!(state.get(Var(0)), kleene_domains::Value::constant(7));
    let mut nested = binary(BinaryOp::Add, x(), y());
    for _ in 0..5 {
        let above = compare(CompareOp::Greater, nested.clone(), int(3));
        nested = Expr::IfThenElse(Box::new(above), Box::new(x()), Box::new(nested));
    }
    let state = boxed(&[(-3, 3), (-3, 3)]);
    check_guard(&state, &compare(CompareOp::Less, nested, int(-5)), &points(2, 3));
}
