//! Random operation sequences with concrete points beside them: no point is ever lost.
//!
//! `cargo test` runs a slice; `cargo run --release --example octagon_points` runs this file until
//! every family of operations has had a million points checked, or as many as it is told.

#[cfg(test)]
use kleene_domains::Octagon;
use kleene_domains::laws::Numbers;
use kleene_domains::{Constraint, Int, LinearExpr, Relation, Var};

pub const FAMILIES: [&str; 9] =
    ["constrain", "assign", "forget", "join", "meet", "widen", "narrow", "rearranged", "bounds"];

type Point = Vec<Int>;

/// A relation and some of its points.
#[derive(Clone)]
struct Known<R> {
    state: R,
    points: Vec<Point>,
}

pub struct Checker {
    numbers: Numbers,
    /// Points checked so far, by family.
    pub checked: [u64; FAMILIES.len()],
}

impl Checker {
    pub fn seeded(seed: u64) -> Self {
        Self { numbers: Numbers::seeded(seed), checked: [0; FAMILIES.len()] }
    }

    /// One sequence, over two dimensions up to `most` and numbers around one of four sizes.
    pub fn sequence<R: Relation>(&mut self, length: usize, most: usize) {
        let dimensions = 2 + self.numbers.below(most - 1);
        let unit = Int::from(2).pow([0, 0, 0, 59, 122, 190][self.numbers.below(6)]);
        let mut pool: Vec<Known<R>> = (0..3).map(|_| self.start(dimensions, &unit)).collect();
        for _ in 0..length {
            let (at, with) = (self.numbers.below(3), self.numbers.below(3));
            let family = self.numbers.below(FAMILIES.len());
            let next = self.step(family, &pool[at], &pool[with], &unit);
            assert_eq!(next.state.dimensions(), dimensions);
            for point in &next.points {
                assert!(next.state.contains(point), "{}: {} loses {point:?}", FAMILIES[family], next.state);
            }
            self.checked[family] += next.points.len() as u64;
            pool[at] = if next.points.is_empty() { self.start(dimensions, &unit) } else { next };
        }
    }

    fn value(&mut self, unit: &Int) -> Int {
        Int::from(self.numbers.between(-9, 9)) * unit + Int::from(self.numbers.between(-2, 2))
    }

    fn start<R: Relation>(&mut self, dimensions: usize, unit: &Int) -> Known<R> {
        let count = 12 + self.numbers.below(20);
        let point = |checker: &mut Self| (0..dimensions).map(|_| checker.value(unit)).collect();
        let points: Vec<Point> = (0..count).map(|_| point(self)).collect();
        if self.numbers.below(2) == 0 {
            return Known { state: R::top(dimensions), points };
        }
        let single = |point: &Point| {
            let mut state = R::top(dimensions);
            for (at, value) in point.iter().enumerate() {
                state.assign(Var(at as u32), &LinearExpr::constant(value.clone()));
            }
            state
        };
        let state = points.iter().map(single).fold(R::bottom(dimensions), |sum, one| sum.join(&one));
        Known { state, points }
    }

    fn form(&mut self, dimensions: usize, unit: &Int) -> LinearExpr {
        let octagonal = self.numbers.below(3) > 0;
        let terms = 1 + self.numbers.below(if octagonal { 2 } else { 4 });
        let reach = if octagonal { 1 } else { 3 };
        let term = |checker: &mut Self| {
            let variable = Var(checker.numbers.below(dimensions) as u32);
            (variable, Int::from(checker.numbers.between(-reach, reach)))
        };
        let terms: Vec<_> = (0..terms).map(|_| term(self)).collect();
        LinearExpr::from_terms(terms, self.value(unit))
    }

    /// Satisfied by at least one of the points, if there are any.
    fn constraint<R: Relation>(&mut self, known: &Known<R>, unit: &Int) -> Constraint {
        let form = self.form(known.state.dimensions(), unit);
        let Some(point) = known.points.get(self.numbers.below(known.points.len().max(1))) else {
            return Constraint::at_least_zero(form);
        };
        let moved = form.minus(&LinearExpr::constant(form.at(point)));
        if self.numbers.below(6) == 0 { Constraint::zero(moved) } else { Constraint::at_least_zero(moved) }
    }

    fn step<R: Relation>(
        &mut self,
        family: usize,
        known: &Known<R>,
        other: &Known<R>,
        unit: &Int,
    ) -> Known<R> {
        let Known { state, points } = known;
        let dimensions = state.dimensions();
        let both = || known.points.iter().chain(&other.points).cloned().collect();
        match FAMILIES[family] {
            "constrain" => {
                let count = 1 + self.numbers.below(3);
                let constraints: Vec<_> = (0..count).map(|_| self.constraint(known, unit)).collect();
                let mut guarded = state.clone();
                guarded.constrain(&constraints);
                assert!(guarded.leq(state), "{state} grew to {guarded}");
                let holds = |point: &&Point| constraints.iter().all(|constraint| constraint.holds(point));
                Known { state: guarded, points: points.iter().filter(holds).cloned().collect() }
            }
            "assign" => {
                let form = self.form(dimensions, unit);
                let target = self.numbers.below(dimensions);
                let mut assigned = state.clone();
                assigned.assign(Var(target as u32), &form);
                let moved = points.iter().map(|point| with(point, target, form.at(point)));
                Known { state: assigned, points: moved.collect() }
            }
            "forget" => {
                let target = self.numbers.below(dimensions);
                let mut forgotten = state.clone();
                forgotten.forget(Var(target as u32));
                let moved = points.iter().map(|point| with(point, target, self.value(unit)));
                Known { points: moved.collect(), state: forgotten }
            }
            "join" => Known { state: state.join(&other.state), points: both() },
            "meet" => {
                let all: Vec<Point> = both();
                let common =
                    all.into_iter().filter(|point| state.contains(point) && other.state.contains(point));
                Known { state: state.meet(&other.state), points: common.collect() }
            }
            "widen" => {
                let threshold = self.constraint(known, unit);
                Known { state: state.widen(&other.state, &[threshold]), points: both() }
            }
            "narrow" => {
                let mut smaller = state.clone();
                let constraint = self.constraint(known, unit);
                smaller.constrain(std::slice::from_ref(&constraint));
                let narrowed = state.narrow(&smaller);
                assert!(smaller.leq(&narrowed) && narrowed.leq(state));
                let holds = |point: &&Point| constraint.holds(point);
                Known { state: narrowed, points: points.iter().filter(holds).cloned().collect() }
            }
            "rearranged" => {
                let mut from: Vec<Option<Var>> = (0..dimensions).map(|at| Some(Var(at as u32))).collect();
                from.swap(self.numbers.below(dimensions), self.numbers.below(dimensions));
                if self.numbers.below(3) == 0 {
                    from[self.numbers.below(dimensions)] = None;
                }
                let pick = |checker: &mut Self, point: &Point, from: &Option<Var>| match from {
                    Some(from) => point[from.0 as usize].clone(),
                    None => checker.value(unit),
                };
                let moved =
                    points.iter().map(|point| from.iter().map(|from| pick(self, point, from)).collect());
                Known { points: moved.collect(), state: state.rearranged(&from) }
            }
            _ => {
                let form = self.form(dimensions, unit);
                let constraint = self.constraint(known, unit);
                let (bounds, entailed) = (state.bounds(&form), state.entails(&constraint));
                let shown = state.constraints();
                for point in points {
                    assert!(
                        bounds.as_ref().is_some_and(|bounds| bounds.contains(&form.at(point))),
                        "{state}: {form}"
                    );
                    assert!(!entailed || constraint.holds(point), "{state} entails {constraint}");
                    assert!(shown.iter().all(|constraint| constraint.holds(point)), "{shown:?}");
                }
                known.clone()
            }
        }
    }
}

fn with(point: &[Int], at: usize, value: Int) -> Point {
    let mut point = point.to_vec();
    point[at] = value;
    point
}

#[test]
fn no_point_is_lost() {
    let mut checker = Checker::seeded(21);
    for _ in 0..400 {
        checker.sequence::<Octagon>(30, 6);
    }
    assert!(checker.checked.iter().all(|count| *count > 5_000), "{:?}", checker.checked);
}
