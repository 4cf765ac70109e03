//! APRON behind the contract: laws, no point lost, numbers of any size.

#[path = "../../tests/octagon_points.rs"]
mod points;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use kleene_apron::{Apron, ApronBox, ApronOctagon, ApronPolyhedron, Library};
use kleene_domains::laws::{self, Numbers};
use kleene_domains::{Bound, Constraint, Int, Interval, Lattice, LinearExpr, Relation, Var};

fn form(factors: &[i64], offset: i64) -> LinearExpr {
    let terms = factors.iter().enumerate().map(|(index, factor)| (Var(index as u32), Int::from(*factor)));
    LinearExpr::from_terms(terms, Int::from(offset))
}

fn built<R: Relation>(dimensions: usize, constraints: &[Constraint]) -> R {
    let mut relation = R::top(dimensions);
    relation.constrain(constraints);
    relation
}

fn universe<R: Relation>(reach: i64) -> Vec<R> {
    let mut numbers = Numbers::seeded(5);
    let mut universe = vec![R::bottom(2), R::top(2)];
    for _ in 0..25 {
        let mut random = || {
            form(&[numbers.between(-reach, reach), numbers.between(-reach, reach)], numbers.between(-3, 6))
        };
        universe.push(built(2, &[Constraint::at_least_zero(random()), Constraint::at_least_zero(random())]));
    }
    universe
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn check_laws<L: Library>(reach: i64) {
    let universe: Vec<Apron<L>> = universe(reach);
    laws::order(&universe);
    laws::transitivity(&universe);
    let points: Vec<Vec<Int>> =
        (-4..=4).flat_map(|x| (-4..=4).map(move |y| vec![Int::from(x), Int::from(y)])).collect();
    laws::membership(&universe, &points, |relation, point| relation.contains(point));
    for a in &universe {
        for b in &universe {
            let widened = a.widen(b, &[]);
            assert!(a.leq(&widened) && b.leq(&widened), "{a} widen {b} = {widened}");
            let narrowed = a.narrow(&a.meet(b));
            assert!(a.meet(b).leq(&narrowed) && narrowed.leq(a), "{a} narrow {}", a.meet(b));
            assert!(a != b || hash(a) == hash(b), "{a}, {b}");
        }
    }
}

#[test]
fn laws_of_boxes() {
    check_laws::<kleene_apron::Boxes>(1);
}

#[test]
fn laws_of_octagons() {
    check_laws::<kleene_apron::Octagons>(1);
}

#[test]
fn laws_of_polyhedra() {
    check_laws::<kleene_apron::Polyhedra>(3);
}

fn check_points<R: Relation>(sequences: usize, dimensions: usize) {
    let mut checker = points::Checker::seeded(31);
    for _ in 0..sequences {
        checker.sequence::<R>(20, dimensions);
    }
    assert!(checker.checked.iter().all(|count| *count > 0), "{:?}", checker.checked);
}

#[test]
fn no_point_of_a_box_is_lost() {
    check_points::<ApronBox>(100, 6);
}

#[test]
fn no_point_of_an_octagon_is_lost() {
    check_points::<ApronOctagon>(60, 6);
}

#[test]
fn no_point_of_a_polyhedron_is_lost() {
    check_points::<ApronPolyhedron>(40, 3);
}

fn check_big<R: Relation>() {
    for bits in [31, 62, 63, 64, 200] {
        let big = Int::from(2).pow(bits);
        let mut relation = R::top(2);
        relation.assign(Var(0), &LinearExpr::constant(big.clone()));
        relation.assign(Var(1), &LinearExpr::from_terms([(Var(0), Int::MINUS_ONE)], Int::ONE));
        assert_eq!(relation.bounds(&form(&[1, 0], 0)), Some(Interval::constant(big.clone())));
        assert_eq!(relation.bounds(&form(&[0, 1], 0)), Some(Interval::constant(Int::ONE - &big)));
        let wanted = LinearExpr::variable(Var(0)).minus(&LinearExpr::constant(big.clone()));
        assert!(relation.entails(&Constraint::zero(wanted)));
        assert!(relation.contains(&[big.clone(), Int::ONE - &big]));
        assert!(!relation.is_degraded());
    }
}

#[test]
fn numbers_of_any_size() {
    check_big::<ApronBox>();
    check_big::<ApronOctagon>();
    check_big::<ApronPolyhedron>();
}

fn check_dimensions<R: Relation>() {
    let relation: R =
        built(3, &[Constraint::zero(form(&[1, 0, 0], -4)), Constraint::at_least_zero(form(&[0, 0, 1], 2))]);
    let moved = relation.rearranged(&[None, Some(Var(2)), Some(Var(0)), None]);
    assert_eq!(moved.dimensions(), 4);
    assert_eq!(moved.bounds(&form(&[0, 0, 1, 0], 0)), Interval::between(4, 4));
    assert_eq!(moved.bounds(&form(&[0, 1, 0, 0], 0)).unwrap().low(), &Bound::from(-2));
    assert_eq!(moved.bounds(&form(&[1, 0, 0, 0], 0)), Some(Interval::top()));
    assert_eq!(relation.rearranged(&[]).dimensions(), 0);
    assert!(R::bottom(2).rearranged(&[Some(Var(1))]).is_bottom());
}

#[test]
fn dimensions_come_and_go() {
    check_dimensions::<ApronBox>();
    check_dimensions::<ApronOctagon>();
    check_dimensions::<ApronPolyhedron>();
}

/// The libraries need directed rounding for floats only, which these do not use.
#[test]
fn the_rounding_mode_is_left_alone() {
    let third = std::hint::black_box(1.0_f64) / std::hint::black_box(3.0);
    let _ = (ApronBox::top(1), ApronOctagon::top(1));
    assert_eq!(third.to_bits(), (std::hint::black_box(1.0_f64) / std::hint::black_box(3.0)).to_bits());
}

/// Chains with thresholds stop, and a threshold that all sides satisfy stays.
#[test]
fn chains_stop_at_thresholds_and_for_good() {
    fn check<R: Relation>() {
        let thresholds =
            [Constraint::at_least_zero(form(&[-1, 0], 10)), Constraint::at_least_zero(form(&[-1, 0], 20))];
        let mut chain: R = built(2, &[Constraint::zero(form(&[1, 0], 0))]);
        let mut changes = 0;
        for step in 1..40 {
            let newer = built(2, &[Constraint::zero(form(&[1, 0], -step))]);
            let next = chain.widen(&newer, &thresholds);
            changes += usize::from(next != chain);
            if step <= 10 {
                assert!(next.entails(&thresholds[0]), "{next}");
            }
            chain = next;
        }
        assert!(changes <= 4, "{changes}");
    }
    check::<ApronBox>();
    check::<ApronOctagon>();
    check::<ApronPolyhedron>();
}

/// A form over dimensions that are not there is APRON's invalid argument: what it returns is not used.
#[test]
fn an_exception_degrades() {
    fn check<R: Relation>() {
        let beyond = LinearExpr::variable(Var(9));
        let state: R = built(2, &[Constraint::at_least_zero(form(&[1, 0], 0))]);
        let mut guarded = state.clone();
        guarded.constrain(&[Constraint::at_least_zero(beyond.clone())]);
        assert!(guarded.is_degraded() && guarded == state, "{guarded}");
        let mut assigned = state.clone();
        assigned.assign(Var(0), &beyond);
        assert!(assigned.is_degraded() && assigned == R::top(2), "{assigned}");
        assert!(!state.entails(&Constraint::at_least_zero(beyond.clone())));
        assert_eq!(state.bounds(&beyond), Some(Interval::top()));
        assert!(
            assigned.join(&state).is_degraded() && !state.is_degraded(),
            "and the next operation is fine"
        );
    }
    check::<ApronBox>();
    check::<ApronOctagon>();
    check::<ApronPolyhedron>();
}

/// An element does not shrink because it is asked something: a corner at (1/2, 1) stays.
#[test]
fn widened_polyhedra_keep_what_they_hold() {
    let at_least = |x, y, constant| Constraint::at_least_zero(form(&[x, y], constant));
    let corner = |y: i64| {
        built::<ApronPolyhedron>(2, &[at_least(2, -1, y - 1), at_least(2, 1, -y - 1), at_least(-1, 0, 5)])
    };
    let old = corner(1).join(&corner(3));
    let widened = old.widen(&old.join(&corner(5)), &[]);
    assert!(corner(1).leq(&widened));
    assert!(widened.bounds(&form(&[1, 0], 0)).is_some());
    assert!(corner(1).leq(&widened), "{widened}");
}

#[test]
fn octagons_entail_more_than_octagonal_constraints() {
    let nothing: ApronOctagon =
        built(2, &[Constraint::zero(form(&[1, 0], 0)), Constraint::zero(form(&[0, 1], 0))]);
    assert!(nothing.entails(&Constraint::zero(form(&[1, -32768], 0))));
    assert!(nothing.entails(&Constraint::at_least_zero(form(&[3, 2], 0))));
    assert!(!nothing.entails(&Constraint::at_least_zero(form(&[3, 2], -1))));
}
