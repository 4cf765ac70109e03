//! Polyhedra: laws, exactness on small point sets, canonical form, wide numbers, limits.

mod relation_fuzz;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use kleene_domains::laws::{self, Numbers};
use kleene_domains::{
    CompareOp, Constraint, Int, Interval, Lattice, LinearExpr, Polyhedron, Relation, Thresholds, Var, Widen,
};

fn form(factors: &[i64], constant: i64) -> LinearExpr {
    let terms = factors.iter().enumerate().map(|(index, &factor)| (Var(index as u32), Int::from(factor)));
    LinearExpr::from_terms(terms, Int::from(constant))
}

/// `factors · v + constant >= 0`.
fn at_least(factors: &[i64], constant: i64) -> Constraint {
    Constraint::at_least_zero(form(factors, constant))
}

fn equal(factors: &[i64], constant: i64) -> Constraint {
    Constraint::zero(form(factors, constant))
}

fn polyhedron(dimensions: usize, constraints: &[Constraint]) -> Polyhedron {
    let mut result = Polyhedron::top(dimensions);
    result.constrain(constraints);
    result
}

fn point(values: &[i64]) -> Vec<Int> {
    values.iter().copied().map(Int::from).collect()
}

fn single(values: &[i64]) -> Polyhedron {
    let mut result = Polyhedron::top(values.len());
    for (index, &value) in values.iter().enumerate() {
        result.assign(Var(index as u32), &LinearExpr::constant(Int::from(value)));
    }
    result
}

fn hull(points: &[Vec<i64>]) -> Polyhedron {
    let bottom = Polyhedron::bottom(points[0].len());
    points.iter().fold(bottom, |hull, point| hull.join(&single(point)))
}

fn hash(polyhedron: &Polyhedron) -> u64 {
    let mut hasher = DefaultHasher::new();
    polyhedron.hash(&mut hasher);
    hasher.finish()
}

fn grid(dimensions: usize, span: i64) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for _ in 0..dimensions {
        points = points
            .iter()
            .flat_map(|point: &Vec<i64>| (-span..=span).map(|value| [point.clone(), vec![value]].concat()))
            .collect();
    }
    points
}

/// As [`Widened`], by the closer widening.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Closely(Polyhedron);

impl Lattice for Closely {
    fn is_bottom(&self) -> bool {
        self.0.is_bottom()
    }
    fn leq(&self, other: &Self) -> bool {
        self.0.leq(&other.0)
    }
    fn join(&self, other: &Self) -> Self {
        Self(self.0.join(&other.0))
    }
    fn meet(&self, other: &Self) -> Self {
        Self(self.0.meet(&other.0))
    }
}

impl Widen for Closely {
    fn widen(&self, other: &Self, _: &Thresholds) -> Self {
        let closely = self.0.widen_closely(&other.0);
        let standard = self.0.widen(&self.0.join(&other.0), &[]);
        assert!(closely.leq(&standard), "{:?} widen {:?} = {closely:?}, not {standard:?}", self.0, other.0);
        Self(closely)
    }
    fn narrow(&self, other: &Self) -> Self {
        Self(self.0.narrow(&other.0))
    }
}

/// The laws speak of [`Widen`]; a relation's thresholds are constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Widened(Polyhedron);

impl Lattice for Widened {
    fn is_bottom(&self) -> bool {
        self.0.is_bottom()
    }
    fn leq(&self, other: &Self) -> bool {
        self.0.leq(&other.0)
    }
    fn join(&self, other: &Self) -> Self {
        Self(self.0.join(&other.0))
    }
    fn meet(&self, other: &Self) -> Self {
        Self(self.0.meet(&other.0))
    }
}

impl Widen for Widened {
    fn widen(&self, other: &Self, thresholds: &Thresholds) -> Self {
        let unlimited = *thresholds == Thresholds::none();
        let bounds = [at_least(&[-1, 0], 2), at_least(&[0, -1], 3), at_least(&[-1, -1], 4)];
        Self(self.0.widen(&other.0, if unlimited { &[] } else { &bounds }))
    }
    fn narrow(&self, other: &Self) -> Self {
        Self(self.0.narrow(&other.0))
    }
}

fn random_constraint(numbers: &mut Numbers, dimensions: usize) -> Constraint {
    let factors: Vec<i64> = (0..dimensions).map(|_| numbers.between(-2, 2)).collect();
    let constant = numbers.between(-3, 4);
    if numbers.below(5) == 0 { equal(&factors, constant) } else { at_least(&factors, constant) }
}

fn universe(dimensions: usize, count: usize, seed: u64) -> Vec<Polyhedron> {
    let mut numbers = Numbers::seeded(seed);
    let mut universe = vec![Polyhedron::bottom(dimensions), Polyhedron::top(dimensions)];
    while universe.len() < count {
        let constraints: Vec<Constraint> =
            (0..1 + numbers.below(4)).map(|_| random_constraint(&mut numbers, dimensions)).collect();
        let mut element = polyhedron(dimensions, &constraints);
        if numbers.below(3) == 0 {
            let other = &universe[numbers.below(universe.len())];
            element = element.join(other);
        }
        universe.push(element);
    }
    universe
}

#[test]
fn lattice_laws() {
    for dimensions in 1..=3 {
        let universe = universe(dimensions, 40, 5 + dimensions as u64);
        laws::order(&universe);
        laws::transitivity(&universe[..24]);
        let points: Vec<Vec<Int>> = grid(dimensions, 2).iter().map(|values| point(values)).collect();
        laws::membership(&universe[..24], &points, |element, point| element.contains(point));
    }
}

#[test]
fn widening_and_narrowing_laws() {
    let universe: Vec<Widened> = universe(2, 40, 77).into_iter().map(Widened).collect();
    laws::widening(&universe, &Thresholds::none(), 8);
    laws::widening(&universe, &Thresholds::new([Int::ONE]), 10);
    laws::narrowing(&universe, 12);
}

#[test]
fn closer_widening_laws() {
    for dimensions in 2..=3 {
        let universe: Vec<Closely> = universe(dimensions, 30, 31).into_iter().map(Closely).collect();
        laws::widening(&universe, &Thresholds::none(), 12);
    }
}

#[test]
fn the_closer_widening_is_closer() {
    let mut numbers = Numbers::seeded(17);
    let mut random = |dimensions: usize| {
        let point = |numbers: &mut Numbers| (0..dimensions).map(|_| numbers.between(-4, 4)).collect();
        let mut element = hull(&(0..5).map(|_| point(&mut numbers)).collect::<Vec<_>>());
        if numbers.below(2) == 0 {
            element = element.widen(&element.join(&hull(&[point(&mut numbers)])), &[]);
        }
        element
    };
    let mut closer = 0;
    for round in 0..200 {
        let old = random(2 + round % 2);
        let new = old.join(&random(2 + round % 2));
        let (closely, standard) = (old.widen_closely(&new), old.widen(&new, &[]));
        assert!(new.leq(&closely) && closely.leq(&standard), "{old} widen {new} = {closely}");
        closer += usize::from(closely != standard);
    }
    assert!(closer > 50, "closer {closer} times only");
    let steps = |count: i64| hull(&[vec![0, 0], vec![count, 0], vec![count, count]]);
    let (mut chain, mut changes) = (steps(1), 0);
    for count in 2..40 {
        let next = chain.widen_closely(&chain.join(&steps(count)));
        changes += usize::from(next != chain);
        chain = next;
    }
    assert!(changes <= 3 && chain.entails(&at_least(&[1, -1], 0)), "{changes} changes to {chain}");
}

/// The hull of a point set has exactly its vertices as corners: bounds in every small direction are
/// those of the points, and it is the same whatever the order.
#[test]
fn hulls_of_point_sets_are_exact() {
    let mut numbers = Numbers::seeded(3);
    for round in 0..300 {
        let dimensions = 1 + round % 3;
        let points: Vec<Vec<i64>> = (0..1 + numbers.below(7))
            .map(|_| (0..dimensions).map(|_| numbers.between(-4, 4)).collect())
            .collect();
        let joined = hull(&points);
        let mut reversed = points.clone();
        reversed.reverse();
        assert_eq!(joined, hull(&reversed));
        assert_eq!(hash(&joined), hash(&hull(&reversed)));
        for direction in grid(dimensions, 2) {
            let value = |point: &Vec<i64>| point.iter().zip(&direction).map(|(a, b)| a * b).sum::<i64>();
            let (low, high) =
                (points.iter().map(value).min().unwrap(), points.iter().map(value).max().unwrap());
            assert_eq!(
                joined.bounds(&form(&direction, 0)),
                Interval::between(low, high),
                "{points:?} along {direction:?}"
            );
        }
        // Rebuilt from what it reports.
        assert_eq!(polyhedron(dimensions, &joined.constraints()), joined, "{points:?}");
        let found = joined.integer_point().expect("a vertex");
        assert!(points.iter().any(|values| point(values) == found), "{found:?}");
    }
}

#[test]
fn projection_of_point_sets_is_exact() {
    let mut numbers = Numbers::seeded(8);
    for _ in 0..200 {
        let points: Vec<Vec<i64>> =
            (0..2 + numbers.below(6)).map(|_| (0..3).map(|_| numbers.between(-3, 3)).collect()).collect();
        let kept = numbers.below(3);
        let (first, second) = ((kept + 1) % 3, (kept + 2) % 3);
        let flat: Vec<Vec<i64>> = points.iter().map(|point| vec![point[second], point[first]]).collect();
        let from = [Some(Var(second as u32)), Some(Var(first as u32))];
        assert_eq!(hull(&points).rearranged(&from), hull(&flat), "{points:?}");
    }
}

/// Every combination of facets of a bounded polyhedron that meets in a point inside is a vertex: the
/// bounds are those of linear programming.
#[test]
fn bounds_are_those_of_vertices() {
    let mut numbers = Numbers::seeded(12);
    for _ in 0..200 {
        let mut constraints =
            vec![at_least(&[1, 0], 5), at_least(&[-1, 0], 5), at_least(&[0, 1], 5), at_least(&[0, -1], 5)];
        constraints.extend(
            (0..numbers.below(4))
                .map(|_| at_least(&[numbers.between(-3, 3), numbers.between(-3, 3)], numbers.between(0, 6))),
        );
        let element = polyhedron(2, &constraints);
        let rows: Vec<(i64, i64, i64)> = element
            .constraints()
            .iter()
            .map(|one| {
                let factor = |index| one.form().factor(Var(index)).to_i64().unwrap();
                (factor(0), factor(1), one.form().offset().to_i64().unwrap())
            })
            .collect();
        let direction = (numbers.between(-3, 3), numbers.between(-3, 3));
        let mut best: Option<(i64, i64)> = None;
        for (index, a) in rows.iter().enumerate() {
            for b in &rows[index + 1..] {
                let determinant = a.0 * b.1 - a.1 * b.0;
                if determinant == 0 {
                    continue;
                }
                let sign = determinant.signum();
                let (x, y, by) =
                    (sign * (a.1 * b.2 - b.1 * a.2), sign * (b.0 * a.2 - a.0 * b.2), determinant.abs());
                if rows.iter().all(|row| row.0 * x + row.1 * y + row.2 * by >= 0) {
                    let value = direction.0 * x + direction.1 * y;
                    if best.is_none_or(|(least, divisor)| value * divisor < least * by) {
                        best = Some((value, by));
                    }
                }
            }
        }
        let bounds = element.bounds(&form(&[direction.0, direction.1], 0)).expect("0 is inside");
        let (value, by) = best.expect("bounded");
        let ceil = value.div_euclid(by) + i64::from(value.rem_euclid(by) != 0);
        assert_eq!(bounds.low().finite(), Some(&Int::from(ceil)), "{element} along {direction:?}");
    }
}

#[test]
fn canonical_whatever_the_order() {
    let mut numbers = Numbers::seeded(21);
    for _ in 0..200 {
        let mut constraints: Vec<Constraint> =
            (0..2 + numbers.below(5)).map(|_| random_constraint(&mut numbers, 3)).collect();
        let at_once = polyhedron(3, &constraints);
        let exact = at_once.constraints() == polyhedron(3, &at_once.constraints()).constraints();
        assert!(exact, "{at_once} is stable");
        for _ in 0..3 {
            let other = numbers.below(constraints.len());
            constraints.swap(0, other);
            let mut one_by_one = Polyhedron::top(3);
            constraints.iter().for_each(|constraint| one_by_one.constrain(std::slice::from_ref(constraint)));
            let renamed = one_by_one.rearranged(&[Some(Var(2)), Some(Var(0)), Some(Var(1))]);
            let back = renamed.rearranged(&[Some(Var(1)), Some(Var(2)), Some(Var(0))]);
            assert!(
                back.leq(&one_by_one) && one_by_one.leq(&back),
                "{one_by_one} renamed and back is {back}"
            );
            assert_eq!(back, one_by_one);
            assert_eq!(hash(&back), hash(&one_by_one));
        }
    }
}

#[test]
fn integers_cut_facets_and_equalities() {
    let mut element = polyhedron(2, &[equal(&[1, -2], 0), at_least(&[1, 0], 0), at_least(&[-1, 0], 5)]);
    element.forget(Var(0));
    assert_eq!(element.constraints(), [at_least(&[0, -1], 2), at_least(&[0, 1], 0)]);
    let odd = polyhedron(3, &[equal(&[1, -2, 0], 0), equal(&[1, 0, -2], -1)]);
    assert!(odd.is_bottom());
    let thin = polyhedron(2, &[at_least(&[2, -2], -1), at_least(&[-2, 2], 1)]);
    assert!(thin.is_bottom());
}

#[test]
fn assignments_keep_relations() {
    let mut loop_body =
        polyhedron(3, &[equal(&[1, -1, 0], 0), at_least(&[1, 0, 0], 0), at_least(&[-1, 0, 1], 0)]);
    loop_body.assign(Var(0), &form(&[1, 0, 0], 1));
    assert!(loop_body.entails(&equal(&[1, -1, 0], -1)));
    loop_body.assign(Var(1), &form(&[2, 1, 0], 0));
    assert!(loop_body.entails(&equal(&[3, -1, 0], -1)));
    loop_body.assign(Var(0), &form(&[0, 0, 1], 0));
    assert!(loop_body.entails(&equal(&[1, 0, -1], 0)));
    loop_body.assign(Var(2), &form(&[-1, 0, 2], 3));
    assert!(loop_body.entails(&equal(&[1, 0, -1], 3)));
}

/// `i = 0; s = 0; while i < n { i += 1; s += 2 }`, with n at least 0.
#[test]
fn a_loop_finds_its_invariant() {
    let mut entry = polyhedron(3, &[at_least(&[0, 0, 1], 0)]);
    entry.assign(Var(0), &form(&[], 0));
    entry.assign(Var(1), &form(&[], 0));
    let mut head = entry.clone();
    loop {
        let mut body = head.clone();
        body.constrain(&[at_least(&[-1, 0, 1], -1)]);
        body.assign(Var(0), &form(&[1, 0, 0], 1));
        body.assign(Var(1), &form(&[0, 1, 0], 2));
        let next = head.widen(&head.join(&body), &[]);
        if next == head {
            break;
        }
        head = next;
    }
    assert!(head.entails(&equal(&[2, -1, 0], 0)), "{head}");
    assert!(head.entails(&at_least(&[-1, 0, 1], 0)), "{head}");
    let mut exit = head.clone();
    exit.constrain(&[at_least(&[1, 0, -1], 0)]);
    assert!(exit.entails(&equal(&[0, 1, -2], 0)), "{exit}");
}

#[test]
fn thresholds_that_both_satisfy_are_kept() {
    let (old, new) = (hull(&[vec![0, 0]]), hull(&[vec![0, 0], vec![1, 2]]));
    let limit = at_least(&[-1, -1], 10);
    assert!(!old.widen(&new, &[]).entails(&limit));
    assert!(old.widen(&new, std::slice::from_ref(&limit)).entails(&limit));
}

/// Coefficients beyond 64 and 128 bits on the way, and back.
#[test]
fn wide_numbers_are_exact() {
    for bits in [40u32, 62, 63, 64, 100, 126, 127, 128, 200] {
        let big = Int::from(2).pow(bits);
        let scaled =
            |factor: &Int| LinearExpr::from_terms([(Var(0), factor.clone()), (Var(1), Int::ONE)], Int::ZERO);
        let mut element = Polyhedron::top(2);
        element.assign(Var(1), &LinearExpr::constant(Int::from(3)));
        element.assign(Var(0), &LinearExpr::constant(big.clone()));
        let other = hull(&[vec![0, 0], vec![1, 7]]);
        let joined = element.join(&other);
        let product = &big * &big + Int::from(3);
        assert_eq!(joined.bounds(&scaled(&big)), Interval::finite(Int::ZERO, product), "{bits}");
        assert!(joined.contains(&[big.clone(), Int::from(3)]) && !joined.is_degraded());
        assert!(other.leq(&joined) && element.leq(&joined));
        let mut back = joined.clone();
        back.constrain(&[at_least(&[-1, 0], 1)]);
        assert!(other.leq(&back));
        let small = back.meet(&other);
        assert_eq!(small, other, "{bits}");
        assert_eq!(hash(&small), hash(&other));
        let mut moved = element.clone();
        moved.assign(Var(0), &LinearExpr::from_terms([(Var(0), Int::ONE)], big.neg()));
        assert_eq!(moved, single(&[0, 3]), "{bits}");
    }
}

#[test]
fn limits_degrade_and_keep_points() {
    let dimensions = 14;
    let all: Vec<Option<Var>> = (0..dimensions).map(|index| Some(Var(index))).collect();
    let cube = |low: i64, high: i64| {
        let mut cube = Polyhedron::top(dimensions as usize);
        for index in 0..dimensions as usize {
            let mut up = vec![0; index + 1];
            up[index] = 1;
            let down: Vec<i64> = up.iter().map(|factor| -factor).collect();
            cube.constrain(&[at_least(&up, -low), at_least(&down, high)]);
        }
        cube
    };
    let joined = cube(0, 1).join(&cube(3, 5));
    assert!(joined.is_degraded());
    for value in [0, 1, 3, 5] {
        assert!(joined.contains(&vec![Int::from(value); dimensions as usize]));
    }
    assert_eq!(joined.bounds(&form(&[1], 0)), Interval::between(0, 5));
    assert!(joined.rearranged(&all).is_degraded(), "sticky");
    let mut huge = Polyhedron::top(1);
    huge.constrain(&[Constraint::compare(
        CompareOp::LessEqual,
        &form(&[1], 0),
        &LinearExpr::constant(Int::from(2).pow(600)),
    )
    .unwrap()]);
    assert!(huge.is_degraded() && !huge.is_bottom());
    // A sum over many bounded variables is left out rather than enumerated.
    let mut sum = cube(0, 1);
    sum.constrain(&[at_least(&vec![-1; dimensions as usize], 3)]);
    assert!(sum.contains(&vec![Int::ZERO; dimensions as usize]) && sum.leq(&cube(0, 1)));
}

#[test]
fn points_are_never_lost() {
    for (seed, (dimensions, span)) in (1..).zip([(2, 6), (3, 6), (4, 8), (6, 3), (3, i64::MAX / 4)]) {
        relation_fuzz::run::<Polyhedron>(dimensions, span, seed, 400);
    }
}
