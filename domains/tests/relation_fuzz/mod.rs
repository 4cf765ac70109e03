//! Random operations on relations, each followed by concrete points: none may ever be lost, and no
//! answer may be wrong about one. Knows only the contract, so every relational domain can be run.

use kleene_domains::laws::Numbers;
use kleene_domains::{CompareOp, Constraint, Int, LinearExpr, Relation, Var};

pub const FAMILIES: [&str; 11] = [
    "constrain",
    "assign",
    "forget",
    "rearranged",
    "join",
    "meet",
    "widen",
    "narrow",
    "bounds",
    "order",
    "report",
];

/// Point checks per family.
pub type Counts = [u64; FAMILIES.len()];

#[derive(Clone)]
struct Tracked<R> {
    relation: R,
    points: Vec<Vec<Int>>,
}

const MOST_POINTS: usize = 16;

/// Runs until every family has made `least` point checks.
pub fn run<R: Relation>(dimensions: usize, span: i64, seed: u64, least: u64) -> Counts {
    let mut fuzz = Fuzz { numbers: Numbers::seeded(seed), dimensions, span, counts: Counts::default() };
    while fuzz.counts.iter().any(|&count| count < least) {
        let mut pool: Vec<Tracked<R>> = (0..4).map(|_| fuzz.start()).collect();
        for _ in 0..12 {
            let index = fuzz.numbers.below(pool.len());
            let other = pool[fuzz.numbers.below(pool.len())].clone();
            let next = fuzz.step(&pool[index], &other);
            pool[index] = if next.points.is_empty() { fuzz.start() } else { next };
        }
    }
    fuzz.counts
}

struct Fuzz {
    numbers: Numbers,
    dimensions: usize,
    span: i64,
    counts: Counts,
}

impl Fuzz {
    fn start<R: Relation>(&mut self) -> Tracked<R> {
        let points: Vec<Vec<Int>> = (0..1 + self.numbers.below(4)).map(|_| self.point()).collect();
        let mut relation = R::bottom(self.dimensions);
        for point in &points {
            let mut single = R::top(self.dimensions);
            for (index, value) in point.iter().enumerate() {
                single.assign(Var(index as u32), &LinearExpr::constant(value.clone()));
            }
            relation = relation.join(&single);
        }
        let mut started = Tracked { relation, points };
        if self.numbers.below(3) == 0 {
            started.relation.forget(self.variable());
        }
        started
    }

    fn value(&mut self) -> Int {
        Int::from(self.numbers.between(-self.span, self.span))
    }

    fn point(&mut self) -> Vec<Int> {
        (0..self.dimensions).map(|_| self.value()).collect()
    }

    fn variable(&mut self) -> Var {
        Var(self.numbers.below(self.dimensions) as u32)
    }

    fn form(&mut self) -> LinearExpr {
        let count = self.numbers.below(4);
        let factor = |numbers: &mut Numbers| match numbers.below(4) {
            0 => Int::ONE,
            1 => Int::MINUS_ONE,
            _ => Int::from(numbers.between(-3, 3)),
        };
        let terms: Vec<_> = (0..count).map(|_| (self.variable(), factor(&mut self.numbers))).collect();
        LinearExpr::from_terms(terms, self.value())
    }

    fn constraint(&mut self) -> Constraint {
        let (left, right) = (self.form(), self.form());
        let op = if self.numbers.below(6) == 0 { CompareOp::Equal } else { CompareOp::LessEqual };
        Constraint::compare(op, &left, &right).expect("not a disequality")
    }

    /// Half of them hold at some point, so that states stay inhabited.
    fn constraint_near(&mut self, points: &[Vec<Int>]) -> Constraint {
        let constraint = self.constraint();
        let point = &points[self.numbers.below(points.len())];
        if constraint.holds(point) || self.numbers.below(2) == 0 {
            return constraint;
        }
        let form = constraint.form();
        let shifted = form.minus(&LinearExpr::constant(form.at(point)));
        if constraint.is_equality() { Constraint::zero(shifted) } else { Constraint::at_least_zero(shifted) }
    }

    fn step<R: Relation>(&mut self, state: &Tracked<R>, other: &Tracked<R>) -> Tracked<R> {
        let family = self.numbers.below(FAMILIES.len());
        let mut next = state.clone();
        let mut checks = 0;
        let shown = |relation: &R| format!("{relation}");
        match FAMILIES[family] {
            "constrain" => {
                let constraints: Vec<Constraint> =
                    (0..1 + self.numbers.below(3)).map(|_| self.constraint_near(&state.points)).collect();
                next.relation.constrain(&constraints);
                next.points.retain(|point| constraints.iter().all(|constraint| constraint.holds(point)));
                assert!(
                    next.relation.leq(&state.relation),
                    "{} constrained {constraints:?} grew",
                    state.relation
                );
            }
            "assign" => {
                let (variable, form) = (self.variable(), self.form());
                next.relation.assign(variable, &form);
                for point in &mut next.points {
                    point[variable.0 as usize] = form.at(point);
                }
                check(&next, || format!("{} with {variable:?} := {form}", shown(&state.relation)));
            }
            "forget" => {
                let variable = self.variable();
                next.relation.forget(variable);
                let moved = next.points.clone();
                next.points.extend(moved.into_iter().map(|mut point| {
                    point[variable.0 as usize] = self.value();
                    point
                }));
                check(&next, || format!("{} without {variable:?}", shown(&state.relation)));
            }
            "rearranged" => self.rearrange(&mut next),
            "join" => {
                next.relation = state.relation.join(&other.relation);
                next.points.extend(other.points.iter().cloned());
                check(&next, || format!("{} join {}", shown(&state.relation), shown(&other.relation)));
            }
            "meet" => {
                next.relation = state.relation.meet(&other.relation);
                next.points.extend(other.points.iter().cloned());
                let both =
                    |point: &Vec<Int>| state.relation.contains(point) && other.relation.contains(point);
                next.points.retain(both);
                check(&next, || format!("{} meet {}", shown(&state.relation), shown(&other.relation)));
            }
            "widen" => {
                let thresholds: Vec<Constraint> =
                    (0..self.numbers.below(3)).map(|_| self.constraint()).collect();
                next.relation = state.relation.widen(&other.relation, &thresholds);
                next.points.extend(other.points.iter().cloned());
                check(&next, || format!("{} widen {}", shown(&state.relation), shown(&other.relation)));
            }
            "narrow" => {
                let above = state.relation.join(&other.relation);
                next.relation = above.narrow(&state.relation);
                check(&next, || format!("{} narrow {}", shown(&above), shown(&state.relation)));
            }
            "bounds" => checks += self.ask(state),
            "order" => {
                let (left, right) = (&state.relation, &other.relation);
                if left.leq(right) {
                    assert!(state.points.iter().all(|point| right.contains(point)), "{left} <= {right}");
                    checks += state.points.len() as u64;
                }
                let join = left.join(right);
                let above = left.leq(&join) && right.leq(&join);
                assert!(above || join.is_degraded(), "{left} join {right}");
                assert!(state.points.iter().all(|point| join.contains(point)), "{left} join {right}");
                checks += state.points.len() as u64;
            }
            _ => {
                let constraints = state.relation.constraints();
                for point in &state.points {
                    let broken = constraints.iter().find(|constraint| !constraint.holds(point));
                    assert!(broken.is_none(), "{broken:?} reported of {} at {point:?}", state.relation);
                }
                checks += state.points.len() as u64;
            }
        }
        check(&next, || format!("{} after {}", shown(&state.relation), FAMILIES[family]));
        self.counts[family] += checks + next.points.len() as u64;
        while next.points.len() > MOST_POINTS {
            let index = self.numbers.below(next.points.len());
            next.points.swap_remove(index);
        }
        next
    }

    fn rearrange<R: Relation>(&mut self, next: &mut Tracked<R>) {
        let mut from: Vec<Option<Var>> = (0..self.dimensions).map(|index| Some(Var(index as u32))).collect();
        for index in 0..from.len() {
            let other = self.numbers.below(from.len());
            from.swap(index, other);
        }
        for entry in &mut from {
            if self.numbers.below(6) == 0 {
                *entry = None;
            }
        }
        next.relation = next.relation.rearranged(&from);
        for point in &mut next.points {
            *point = from
                .iter()
                .map(|entry| entry.map_or_else(|| self.value(), |old| point[old.0 as usize].clone()))
                .collect();
        }
    }

    fn ask<R: Relation>(&mut self, state: &Tracked<R>) -> u64 {
        let (form, constraint) = (self.form(), self.constraint());
        let bounds = state.relation.bounds(&form).expect("inhabited");
        let entailed = state.relation.entails(&constraint);
        for point in &state.points {
            assert!(
                bounds.contains(&form.at(point)),
                "{form} in {bounds:?} of {} at {point:?}",
                state.relation
            );
            assert!(
                !entailed || constraint.holds(point),
                "{} entails {constraint} at {point:?}",
                state.relation
            );
        }
        2 * state.points.len() as u64
    }
}

fn check<R: Relation>(state: &Tracked<R>, context: impl Fn() -> String) {
    for point in &state.points {
        assert!(state.relation.contains(point), "{} = {} loses {point:?}", context(), state.relation);
    }
}
