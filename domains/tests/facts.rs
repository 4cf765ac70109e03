//! States with facts: no point is ever lost, answers are right, and what is known is kept as long as it holds.

use kleene_domains::concrete::{eval, holds};
use kleene_domains::facts::{Facts, tidy};
use kleene_domains::laws::Numbers;
use kleene_domains::{
    BinaryOp, BoxState, CompareOp, Cond, Expr, Int, Lattice, NumericState, Thresholds, Value, Var, Widen,
};

const DIMENSIONS: usize = 3;
type State = Facts<BoxState>;
type Point = Vec<Int>;

fn at(point: &[Int]) -> impl FnMut(&Var) -> Int {
    |variable: &Var| point[variable.0 as usize].clone()
}

fn variable(numbers: &mut Numbers) -> Expr {
    Expr::Variable(Var(numbers.below(DIMENSIONS) as u32))
}

fn expr(numbers: &mut Numbers, depth: usize) -> Expr {
    match numbers.below(if depth == 0 { 2 } else { 7 }) {
        0 => variable(numbers),
        1 => Expr::constant(numbers.between(-3, 3)),
        2 => Expr::Negate(Box::new(expr(numbers, depth - 1))),
        3 => Expr::binary(BinaryOp::Rem, expr(numbers, depth - 1), Expr::constant(numbers.between(2, 4))),
        4 => Expr::binary(BinaryOp::Mul, expr(numbers, depth - 1), expr(numbers, depth - 1)),
        5 => Expr::binary(BinaryOp::Sub, expr(numbers, depth - 1), expr(numbers, depth - 1)),
        _ => Expr::binary(BinaryOp::Add, expr(numbers, depth - 1), expr(numbers, depth - 1)),
    }
}

fn cond(numbers: &mut Numbers) -> Cond {
    use CompareOp::*;
    let op = [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual][numbers.below(6)];
    let right = if numbers.below(2) == 0 { Expr::constant(0) } else { expr(numbers, 1) };
    Cond::Compare(op, expr(numbers, 2), right)
}

fn of_point(point: &[Int]) -> State {
    let mut state = State::top(DIMENSIONS);
    for (index, value) in point.iter().enumerate() {
        state.set(Var(index as u32), Value::constant(value.clone()));
    }
    state
}

struct Tracked {
    state: State,
    points: Vec<Point>,
}

impl Tracked {
    fn new(numbers: &mut Numbers) -> Self {
        let mut point = || -> Point { (0..DIMENSIONS).map(|_| Int::from(numbers.between(-6, 6))).collect() };
        let points: Vec<Point> = (0..12).map(|_| point()).collect();
        let state = points.iter().map(|point| of_point(point)).reduce(|all, one| all.join(&one));
        Self { state: state.expect("twelve points"), points }
    }

    fn step(&mut self, numbers: &mut Numbers) {
        let slot = Var(numbers.below(DIMENSIONS) as u32);
        match numbers.below(8) {
            0..3 => {
                let fact = cond(numbers);
                self.points.retain(|point| holds(&fact, &mut at(point)) == Some(true));
                self.state.note(&fact);
            }
            3 => {
                let guard = cond(numbers);
                self.points.retain(|point| holds(&guard, &mut at(point)) == Some(true));
                self.state.assume(&guard);
            }
            4 | 5 => {
                let value = match numbers.below(3) {
                    0 => expr(numbers, 2),
                    1 => Expr::binary(BinaryOp::Add, Expr::Variable(slot), variable(numbers)),
                    _ => Expr::binary(BinaryOp::Sub, variable(numbers), Expr::Variable(slot)),
                };
                for point in &mut self.points {
                    let result = eval(&value, &mut at(point)).expect("no division by zero");
                    point[slot.0 as usize] = result;
                }
                self.state.assign(slot, &value);
            }
            6 => {
                let mut other = Self::new(numbers);
                other.step(numbers);
                self.state = match numbers.below(2) {
                    0 => self.state.join(&other.state),
                    _ => self.state.widen(&self.state.join(&other.state), &Thresholds::none()),
                };
                self.points.extend(other.points);
            }
            _ => {
                self.state.forget(slot);
                self.points.iter_mut().for_each(|point| point[slot.0 as usize] = Int::from(17));
            }
        }
    }
}

#[test]
fn no_point_is_lost_and_every_answer_is_right() {
    let mut numbers = Numbers::seeded(41);
    let (mut checks, mut by_facts) = (0, 0);
    for _ in 0..6_000 {
        let mut tracked = Tracked::new(&mut numbers);
        for _ in 0..6 {
            tracked.step(&mut numbers);
            for point in &tracked.points {
                assert!(tracked.state.contains(point), "{point:?} is not in {}", tracked.state);
                checks += 1;
            }
            assert!(tracked.points.is_empty() || !tracked.state.is_bottom());
            by_facts += usize::from(!tracked.state.facts().is_empty());
            let question = cond(&mut numbers);
            if let Some(answer) = tracked.state.decide(&question) {
                let same = |point: &Point| holds(&question, &mut at(point)) == Some(answer);
                assert!(tracked.points.iter().all(same), "{question:?} in {}", tracked.state);
            }
        }
    }
    assert!(checks > 50_000 && by_facts > 5_000, "{checks} points, {by_facts} states with facts");
}

#[test]
fn inclusion_is_inclusion_of_points() {
    let mut numbers = Numbers::seeded(43);
    let mut included = 0;
    for _ in 0..6_000 {
        let (mut left, mut right) = (Tracked::new(&mut numbers), Tracked::new(&mut numbers));
        let fact = cond(&mut numbers);
        for side in [&mut left, &mut right] {
            side.points.retain(|point| holds(&fact, &mut at(point)) == Some(true));
            side.state.note(&fact);
        }
        let above = left.state.join(&right.state);
        assert!(left.state.leq(&above) && right.state.leq(&above));
        if left.state.leq(&right.state) {
            included += 1;
            assert!(left.points.iter().all(|point| right.state.contains(point)));
        }
    }
    assert!(included > 100, "{included}");
}

#[test]
fn tidy_conditions_mean_the_same() {
    let mut numbers = Numbers::seeded(47);
    for _ in 0..20_000 {
        let written = cond(&mut numbers);
        let tidied = tidy(&written);
        let point: Point = (0..DIMENSIONS).map(|_| Int::from(numbers.between(-9, 9))).collect();
        assert_eq!(holds(&written, &mut at(&point)), holds(&tidied, &mut at(&point)), "{written:?}");
        assert_eq!(tidied, tidy(&tidied), "{written:?}");
    }
}

#[test]
fn a_congruence_between_variables_survives_a_stride() {
    let (x, y) = (Expr::Variable(Var(0)), Expr::Variable(Var(1)));
    let plus = |of: &Expr, by: i64| Expr::binary(BinaryOp::Add, of.clone(), Expr::constant(by));
    let difference = Expr::binary(BinaryOp::Sub, x.clone(), y.clone());
    let rest = Expr::binary(BinaryOp::Rem, difference, Expr::constant(3));
    let apart = Cond::Compare(CompareOp::Equal, rest, Expr::constant(0));
    let mut state = State::top(DIMENSIONS);
    state.note(&apart);
    state.assign(Var(0), &plus(&x, 3));
    assert_eq!(state.decide(&apart), Some(true));
    state.assign(Var(0), &plus(&x, 1));
    assert_eq!(state.decide(&apart), None);
    state.assign(Var(1), &plus(&y, 1));
    assert_eq!(state.decide(&apart), Some(true));
    state.forget(Var(1));
    assert_eq!(state.decide(&apart), None);
}
