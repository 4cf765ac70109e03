//! Boxes with relations: no point is ever lost, answers are right, and relations are found.

mod support;

use std::sync::Arc;

use kleene_domains::concrete::{eval, holds};
use kleene_domains::laws::Numbers;
use kleene_domains::packs::{Pack, Packed, Shape};
use kleene_domains::relation::Relation;
use kleene_domains::{
    BinaryOp, CompareOp, Cond, Expr, Int, Lattice, NumericState, Octagon, Polyhedron, Thresholds, Value, Var,
    Widen,
};
use support::*;

const DIMENSIONS: usize = 3;

fn shape<R: Relation>(packs: &[&[u32]]) -> Arc<Shape<R>> {
    let packs = packs.iter().map(|variables| {
        let variables: Vec<Var> = variables.iter().map(|index| Var(*index)).collect();
        let dimensions = variables.len();
        Pack::new(variables, R::top(dimensions), &[])
    });
    Shape::new(packs.collect())
}

fn of_point<R: Relation>(shape: &Arc<Shape<R>>, point: &[Int]) -> Packed<R> {
    let mut state = Packed::top(DIMENSIONS);
    state.reshape(DIMENSIONS, Some(shape));
    for (index, value) in point.iter().enumerate() {
        state.set(Var(index as u32), Value::constant(value.clone()));
    }
    state
}

fn at(point: &[Int]) -> impl FnMut(&Var) -> Int {
    |variable: &Var| point[variable.0 as usize].clone()
}

/// A state with points that belong to it.
struct Tracked<R> {
    state: Packed<R>,
    points: Vec<Vec<Int>>,
}

impl<R: Relation> Tracked<R> {
    fn new(numbers: &mut Numbers, shape: &Arc<Shape<R>>) -> Self {
        let point = |numbers: &mut Numbers| -> Vec<Int> {
            (0..DIMENSIONS).map(|_| Int::from(numbers.between(-4, 4))).collect()
        };
        let first = point(numbers);
        let mut tracked = Self { state: of_point(shape, &first), points: vec![first] };
        for _ in 0..numbers.below(4) {
            let next = point(numbers);
            tracked.state = tracked.state.join(&of_point(shape, &next));
            tracked.points.push(next);
        }
        tracked
    }

    fn check(&self, what: &dyn std::fmt::Debug) {
        for point in &self.points {
            assert!(self.state.contains(point), "{what:?} loses {point:?}: {}", self.state);
        }
        assert!(!self.state.is_bottom() || self.points.is_empty());
    }

    fn step(&mut self, numbers: &mut Numbers, other: &Self) {
        match numbers.below(9) {
            0..=2 => {
                let (variable, expr) = (Var(numbers.below(DIMENSIONS) as u32), random_expr(numbers, 2));
                let value = self.state.value(&expr);
                self.state.assign(variable, &expr);
                self.points.retain_mut(|point| {
                    let Some(result) = eval(&expr, &mut at(point)) else { return false };
                    assert!(value.contains(&result), "{expr:?} at {point:?} is not in {value}");
                    point[variable.0 as usize] = result;
                    true
                });
                self.check(&(variable, expr));
            }
            3..=5 => {
                let cond = random_cond(numbers, 2);
                let truths: Vec<_> = self.points.iter().map(|point| holds(&cond, &mut at(point))).collect();
                if let Some(decided) = self.state.decide(&cond) {
                    let right = truths.iter().all(|truth| *truth == Some(decided));
                    assert!(right, "{} decides {cond:?} as {decided}", self.state);
                }
                if !self.state.may_be_undefined(&cond) {
                    assert!(truths.iter().all(Option::is_some), "{cond:?} in {}", self.state);
                }
                // Keep points: a state without any checks nothing.
                let cond = match truths.contains(&Some(true)) {
                    true => cond,
                    false => cond.negated(),
                };
                let before = self.state.clone();
                self.state.assume(&cond);
                assert!(self.state.leq(&before), "{before} grew to {}", self.state);
                self.points.retain(|point| holds(&cond, &mut at(point)) == Some(true));
                self.check(&cond);
            }
            6 => {
                let variable = Var(numbers.below(DIMENSIONS) as u32);
                self.state.forget(variable);
                let value = Int::from(numbers.between(-9, 9));
                self.points.iter_mut().for_each(|point| point[variable.0 as usize] = value.clone());
                self.check(&("forget", variable));
            }
            7 => {
                let joined = self.state.join(&other.state);
                assert!(self.state.leq(&joined) && other.state.leq(&joined), "join is above both: {joined}");
                self.state = joined;
                self.points.extend(other.points.iter().cloned());
                self.points.truncate(8);
                self.check(&"join");
            }
            _ => {
                let joined = self.state.join(&other.state);
                let widened = self.state.widen(&joined, &Thresholds::none());
                assert!(joined.leq(&widened), "{joined} is not in its widening {widened}");
                let narrowed = widened.narrow(&joined);
                assert!(joined.leq(&narrowed) && narrowed.leq(&widened), "{narrowed} is between");
                self.state = narrowed;
                self.points.extend(other.points.iter().cloned());
                self.points.truncate(8);
                self.check(&"widen");
            }
        }
    }
}

fn no_point_is_lost<R: Relation>(seed: u64, packs: &[&[u32]]) {
    let mut numbers = Numbers::seeded(seed);
    let shape = shape::<R>(packs);
    let mut steps = 0;
    for _ in 0..1500 {
        let mut tracked = Tracked::new(&mut numbers, &shape);
        let mut other = Tracked::new(&mut numbers, &shape);
        for _ in 0..10 {
            tracked.step(&mut numbers, &other);
            steps += tracked.points.len();
            std::mem::swap(&mut tracked, &mut other);
        }
    }
    assert!(steps > 20_000, "only {steps} points were checked");
}

#[test]
fn polyhedra_lose_no_point() {
    no_point_is_lost::<Polyhedron>(41, &[&[0, 1, 2]]);
}

#[test]
fn octagons_lose_no_point() {
    no_point_is_lost::<Octagon>(42, &[&[0, 1, 2]]);
}

#[test]
fn packs_that_leave_variables_out_lose_no_point() {
    no_point_is_lost::<Polyhedron>(43, &[&[0, 1]]);
    no_point_is_lost::<Polyhedron>(44, &[&[0, 2], &[1, 2]]);
    no_point_is_lost::<Octagon>(45, &[&[1, 2]]);
}

fn add(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Add, left, right)
}

/// `x = 0; y = n; while (x < n) { x = x + 1; y = y - 1; }` keeps x + y == n, and ends with y == 0.
fn counting_up_and_down<R: Relation>() {
    let shape = shape::<R>(&[&[0, 1, 2]]);
    let mut head = Packed::top(DIMENSIONS);
    head.reshape(DIMENSIONS, Some(&shape));
    head.assume(&compare(CompareOp::GreaterEqual, z(), int(0)));
    head.assign(Var(0), &int(0));
    head.assign(Var(1), &z());
    let entry = head.clone();
    for round in 0.. {
        assert!(round < 12, "the loop does not stabilise: {head}");
        let mut body = head.clone();
        body.assume(&compare(CompareOp::Less, x(), z()));
        body.assign(Var(0), &add(x(), int(1)));
        body.assign(Var(1), &binary(BinaryOp::Sub, y(), int(1)));
        let next = entry.join(&body);
        if next.leq(&head) {
            head = head.narrow(&next);
            break;
        }
        head = head.widen(&head.join(&next), &Thresholds::none());
    }
    let kept = compare(CompareOp::Equal, add(x(), y()), z());
    assert_eq!(head.decide(&kept), Some(true), "{head}");
    head.assume(&compare(CompareOp::GreaterEqual, x(), z()));
    assert_eq!(head.decide(&compare(CompareOp::Equal, y(), int(0))), Some(true), "{head}");
}

#[test]
fn polyhedra_find_the_sum_of_two_counters() {
    counting_up_and_down::<Polyhedron>();
}

#[test]
fn joined_constants_are_related() {
    let shape = shape::<Octagon>(&[&[0, 1]]);
    let points = [[1, 1, 0], [2, 2, 0]].map(|point| point.map(Int::from));
    let joined = of_point(&shape, &points[0]).join(&of_point(&shape, &points[1]));
    assert_eq!(joined.decide(&compare(CompareOp::Equal, x(), y())), Some(true));
    assert_eq!(joined.value(&binary(BinaryOp::Sub, x(), y())), Value::constant(0));
    let different = joined.join(&of_point(&shape, &[1, 2, 0].map(Int::from)));
    assert_eq!(different.decide(&compare(CompareOp::LessEqual, x(), y())), Some(true));
    assert_eq!(different.decide(&compare(CompareOp::Equal, x(), y())), None);
}

#[test]
fn divisions_by_constants_are_related() {
    let shape = shape::<Polyhedron>(&[&[0, 1]]);
    let mut state = Packed::top(DIMENSIONS);
    state.reshape(DIMENSIONS, Some(&shape));
    state.assume(&compare(CompareOp::GreaterEqual, x(), int(0)));
    state.assign(Var(1), &binary(BinaryOp::Div, x(), int(2)));
    let doubled = binary(BinaryOp::Mul, int(2), y());
    assert_eq!(state.decide(&compare(CompareOp::LessEqual, doubled.clone(), x())), Some(true), "{state}");
    let above = compare(CompareOp::GreaterEqual, add(doubled, int(1)), x());
    assert_eq!(state.decide(&above), Some(true), "{state}");
    let positive: Cond = compare(CompareOp::Greater, x(), int(0));
    state.assume(&positive);
    assert_eq!(state.decide(&compare(CompareOp::Less, y(), x())), Some(true), "{state}");
}

#[test]
fn what_stays_in_a_pack_is_carried_over() {
    let (old, new) = (shape::<Polyhedron>(&[&[0, 1, 2]]), shape::<Polyhedron>(&[&[0, 2, 3]]));
    let mut state = Packed::top(3);
    state.reshape(3, Some(&old));
    state.assign(Var(2), &add(x(), int(1)));
    state.reshape(4, Some(&new));
    assert_eq!(state.decide(&compare(CompareOp::Less, x(), z())), Some(true), "{state}");
    state.assign(Var(3), &z());
    state.reshape(2, None);
    assert_eq!(state.dimensions(), 2);
    assert_eq!(state.decide(&compare(CompareOp::Less, x(), y())), None);
}
