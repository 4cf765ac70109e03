//! Boxes: laws, assignments, and guards in both directions over every small box.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use kleene_domains::concrete::{eval, holds};
use kleene_domains::laws::{self, Numbers};
use kleene_domains::{
    BinaryOp, Bound, BoxState, CompareOp, Cond, Congruence, Expr, Int, IntType, Interval, Lattice,
    NumericState, Thresholds, Value, Var, Widen,
};

fn x() -> Expr {
    Expr::Variable(Var(0))
}

fn y() -> Expr {
    Expr::Variable(Var(1))
}

fn z() -> Expr {
    Expr::Variable(Var(2))
}

fn int(value: i64) -> Expr {
    Expr::constant(value)
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::binary(op, left, right)
}

fn compare(op: CompareOp, left: Expr, right: Expr) -> Cond {
    Cond::Compare(op, left, right)
}

fn range(low: i64, high: i64) -> Value {
    Value::from_interval(Interval::between(low, high).unwrap())
}

fn boxed(ranges: &[(i64, i64)]) -> BoxState {
    BoxState::from_values(ranges.iter().map(|&(low, high)| range(low, high)).collect())
}

fn ranges(span: i64) -> Vec<(i64, i64)> {
    (-span..=span).flat_map(|low| (low..=span).map(move |high| (low, high))).collect()
}

/// All points of a cube.
fn points(dimensions: usize, span: i64) -> Vec<Vec<Int>> {
    let mut points = vec![Vec::new()];
    for _ in 0..dimensions {
        let extend = |point: &Vec<Int>| {
            let point = point.clone();
            (-span..=span).map(move |value| [point.clone(), vec![Int::from(value)]].concat())
        };
        points = points.iter().flat_map(extend).collect();
    }
    points
}

fn truth(cond: &Cond, point: &[Int]) -> Option<bool> {
    holds(cond, &mut |variable: &Var| point[variable.0 as usize].clone())
}

/// Assumes the condition and checks, point by point, that nothing is lost and every answer is right.
fn check_guard(state: &BoxState, cond: &Cond, points: &[Vec<Int>]) -> BoxState {
    let mut assumed = state.clone();
    assumed.assume(cond);
    assert!(assumed.leq(state), "{state} assuming {cond:?} grew to {assumed}");
    let inside: Vec<&Vec<Int>> = points.iter().filter(|point| state.contains(point)).collect();
    let answers: Vec<Option<bool>> = inside.iter().map(|point| truth(cond, point)).collect();
    for (point, answer) in inside.iter().zip(&answers) {
        if *answer == Some(true) {
            assert!(assumed.contains(point), "{state} assuming {cond:?} = {assumed} loses {point:?}");
        }
    }
    if let Some(decided) = state.decide(cond) {
        assert!(
            !answers.is_empty() && answers.iter().all(|answer| *answer == Some(decided)),
            "{state} decides {cond:?} as {decided}"
        );
    }
    if !state.may_be_undefined(cond) {
        assert!(answers.iter().all(Option::is_some), "{cond:?} is undefined somewhere in {state}");
    }
    assumed
}

/// The least box around the solutions.
fn hull_of_solutions(state: &BoxState, cond: &Cond, points: &[Vec<Int>]) -> BoxState {
    let solutions = points.iter().filter(|point| state.contains(point) && truth(cond, point) == Some(true));
    let single = |point: &Vec<Int>| BoxState::from_values(point.iter().map(Value::constant).collect());
    solutions.map(single).fold(BoxState::bottom(state.dimensions()), |hull, point| hull.join(&point))
}

const COMPARISONS: [CompareOp; 6] = [
    CompareOp::Equal,
    CompareOp::NotEqual,
    CompareOp::Less,
    CompareOp::LessEqual,
    CompareOp::Greater,
    CompareOp::GreaterEqual,
];

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
    for op in [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Min,
        BinaryOp::Max,
    ] {
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

/// A random expression over three variables, with every construct.
fn random_expr(numbers: &mut Numbers, depth: usize) -> Expr {
    const OPERATORS: [BinaryOp; 7] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Min,
        BinaryOp::Max,
    ];
    if depth == 0 || numbers.below(4) == 0 {
        return match numbers.below(3) {
            0 => int(numbers.between(-3, 3)),
            _ => Expr::Variable(Var(numbers.below(3) as u32)),
        };
    }
    match numbers.below(10) {
        0 => Expr::Negate(Box::new(random_expr(numbers, depth - 1))),
        1 => Expr::Wrap(IntType::signed(3), Box::new(random_expr(numbers, depth - 1))),
        2 => {
            let cond = random_cond(numbers, depth - 1);
            let yes = random_expr(numbers, depth - 1);
            Expr::IfThenElse(Box::new(cond), Box::new(yes), Box::new(random_expr(numbers, depth - 1)))
        }
        _ => {
            let left = random_expr(numbers, depth - 1);
            binary(OPERATORS[numbers.below(7)], left, random_expr(numbers, depth - 1))
        }
    }
}

fn random_cond(numbers: &mut Numbers, depth: usize) -> Cond {
    let connective = if depth == 0 { 0 } else { numbers.below(6) };
    match connective {
        1 => Cond::Not(Box::new(random_cond(numbers, depth - 1))),
        2 => Cond::And(Box::new(random_cond(numbers, depth - 1)), Box::new(random_cond(numbers, depth - 1))),
        3 => Cond::Or(Box::new(random_cond(numbers, depth - 1)), Box::new(random_cond(numbers, depth - 1))),
        _ => {
            let left = random_expr(numbers, depth);
            compare(COMPARISONS[numbers.below(6)], left, random_expr(numbers, depth))
        }
    }
}

fn random_value(numbers: &mut Numbers) -> Value {
    let picked = (0..1 + numbers.below(3)).map(|_| {
        let low = numbers.between(-3, 3);
        Interval::between(low, numbers.between(low, 3)).unwrap()
    });
    Value::from_intervals(picked.collect::<Vec<_>>())
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
    assert!(decided > 1500 && refuted > 500, "{decided} decided, {refuted} refuted");
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
