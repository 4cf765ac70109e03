//! Shared by the tests of states: short names for expressions, small boxes and the points in them,
//! and a guard checker that knows the concrete truth.

// Every test binary compiles this module and uses its own share of it.
#![allow(dead_code)]

use kleene_domains::concrete::holds;
use kleene_domains::laws::Numbers;
use kleene_domains::{
    BinaryOp, BoxState, CompareOp, Cond, Expr, Int, IntType, Interval, Lattice, NumericState, UnaryOp, Value,
    Var,
};

pub fn x() -> Expr {
    Expr::Variable(Var(0))
}

pub fn y() -> Expr {
    Expr::Variable(Var(1))
}

pub fn z() -> Expr {
    Expr::Variable(Var(2))
}

pub fn int(value: i64) -> Expr {
    Expr::constant(value)
}

pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::binary(op, left, right)
}

pub fn compare(op: CompareOp, left: Expr, right: Expr) -> Cond {
    Cond::Compare(op, left, right)
}

pub fn range(low: i64, high: i64) -> Value {
    Value::from_interval(Interval::between(low, high).unwrap())
}

pub fn boxed(ranges: &[(i64, i64)]) -> BoxState {
    BoxState::from_values(ranges.iter().map(|&(low, high)| range(low, high)).collect())
}

pub fn ranges(span: i64) -> Vec<(i64, i64)> {
    (-span..=span).flat_map(|low| (low..=span).map(move |high| (low, high))).collect()
}

/// All points of a cube.
pub fn points(dimensions: usize, span: i64) -> Vec<Vec<Int>> {
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

pub fn truth(cond: &Cond, point: &[Int]) -> Option<bool> {
    holds(cond, &mut |variable: &Var| point[variable.0 as usize].clone())
}

/// Assumes the condition and checks, point by point, that nothing is lost and every answer is right.
pub fn check_guard(state: &BoxState, cond: &Cond, points: &[Vec<Int>]) -> BoxState {
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
pub fn hull_of_solutions(state: &BoxState, cond: &Cond, points: &[Vec<Int>]) -> BoxState {
    let solutions = points.iter().filter(|point| state.contains(point) && truth(cond, point) == Some(true));
    let single = |point: &Vec<Int>| BoxState::from_values(point.iter().map(Value::constant).collect());
    solutions.map(single).fold(BoxState::bottom(state.dimensions()), |hull, point| hull.join(&point))
}

pub const COMPARISONS: [CompareOp; 6] = [
    CompareOp::Equal,
    CompareOp::NotEqual,
    CompareOp::Less,
    CompareOp::LessEqual,
    CompareOp::Greater,
    CompareOp::GreaterEqual,
];

/// A random expression over three variables, with every construct.
pub fn random_expr(numbers: &mut Numbers, depth: usize) -> Expr {
    if depth == 0 || numbers.below(4) == 0 {
        return match numbers.below(3) {
            0 => int(numbers.between(-3, 3)),
            _ => Expr::Variable(Var(numbers.below(3) as u32)),
        };
    }
    match numbers.below(11) {
        10 => Expr::unary(UnaryOp::ALL[numbers.below(4)], random_expr(numbers, depth - 1)),
        0 => Expr::Negate(Box::new(random_expr(numbers, depth - 1))),
        1 => Expr::Wrap(IntType::signed(3), Box::new(random_expr(numbers, depth - 1))),
        2 => {
            let cond = random_cond(numbers, depth - 1);
            let yes = random_expr(numbers, depth - 1);
            Expr::IfThenElse(Box::new(cond), Box::new(yes), Box::new(random_expr(numbers, depth - 1)))
        }
        _ => {
            let left = random_expr(numbers, depth - 1);
            binary(BinaryOp::ALL[numbers.below(13)], left, random_expr(numbers, depth - 1))
        }
    }
}

pub fn random_cond(numbers: &mut Numbers, depth: usize) -> Cond {
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

pub fn random_value(numbers: &mut Numbers) -> Value {
    let picked = (0..1 + numbers.below(3)).map(|_| {
        let low = numbers.between(-3, 3);
        Interval::between(low, numbers.between(low, 3)).unwrap()
    });
    Value::from_intervals(picked.collect::<Vec<_>>())
}
