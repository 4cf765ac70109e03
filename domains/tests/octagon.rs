//! Octagons: laws, and exactness against sets of points on small grids.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use kleene_domains::laws::{self, Numbers};
use kleene_domains::{Bound, Constraint, Int, Interval, Lattice, LinearExpr, Octagon, Relation, Var};

const SPAN: i64 = 3;

fn form(factors: &[i64], offset: i64) -> LinearExpr {
    let terms = factors.iter().enumerate().map(|(index, factor)| (Var(index as u32), Int::from(*factor)));
    LinearExpr::from_terms(terms, Int::from(offset))
}

fn at_least_zero(factors: &[i64], offset: i64) -> Constraint {
    Constraint::at_least_zero(form(factors, offset))
}

fn zero(factors: &[i64], offset: i64) -> Constraint {
    Constraint::zero(form(factors, offset))
}

fn octagon(dimensions: usize, constraints: &[Constraint]) -> Octagon {
    let mut octagon = Octagon::top(dimensions);
    octagon.constrain(constraints);
    octagon
}

fn grid(dimensions: usize, span: i64) -> Vec<Vec<Int>> {
    let mut points = vec![Vec::new()];
    for _ in 0..dimensions {
        let longer = |point: &Vec<Int>| {
            let point = point.clone();
            (-span..=span).map(move |value| [point.as_slice(), &[Int::from(value)]].concat())
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}

/// The least octagon that holds the points, by the definition.
fn hull<'a>(dimensions: usize, points: impl IntoIterator<Item = &'a Vec<Int>>) -> Octagon {
    let points: Vec<&Vec<Int>> = points.into_iter().collect();
    if points.is_empty() {
        return Octagon::bottom(dimensions);
    }
    let mut sums = Vec::new();
    for x in 0..dimensions {
        for y in 0..=x {
            for (a, b) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                let mut factors = vec![0; dimensions];
                factors[x] += a;
                factors[y] += if x == y { 0 } else { b };
                sums.push(factors);
            }
        }
    }
    let constraints = sums.iter().map(|factors| {
        let sum = form(factors, 0);
        let most = points.iter().map(|point| sum.at(point)).max().unwrap();
        Constraint::at_least_zero(LinearExpr::constant(most).minus(&sum))
    });
    octagon(dimensions, &constraints.collect::<Vec<_>>())
}

fn random_octagonal(numbers: &mut Numbers, dimensions: usize, reach: i64) -> Constraint {
    let mut factors = vec![0; dimensions];
    for _ in 0..2 {
        factors[numbers.below(dimensions)] = numbers.between(-1, 1);
    }
    let offset = numbers.between(-reach, reach);
    if numbers.below(5) == 0 { zero(&factors, offset) } else { at_least_zero(&factors, offset) }
}

fn random_long(numbers: &mut Numbers, dimensions: usize) -> Constraint {
    let factors: Vec<i64> = (0..dimensions).map(|_| numbers.between(-3, 3)).collect();
    let offset = numbers.between(-6, 6);
    if numbers.below(3) == 0 { zero(&factors, offset) } else { at_least_zero(&factors, offset) }
}

fn cube(dimensions: usize) -> Vec<Constraint> {
    let faces = (0..dimensions).flat_map(|at| [1, -1].map(|sign| (at, sign)));
    let face = |(at, sign): (usize, i64)| {
        let mut factors = vec![0; dimensions];
        factors[at] = sign;
        at_least_zero(&factors, SPAN)
    };
    faces.map(face).collect()
}

fn universe() -> Vec<Octagon> {
    let mut numbers = Numbers::seeded(7);
    let mut universe = vec![Octagon::bottom(2), Octagon::top(2)];
    for _ in 0..90 {
        let count = numbers.below(5);
        let constraints: Vec<_> = (0..count).map(|_| random_octagonal(&mut numbers, 2, 3)).collect();
        universe.push(octagon(2, &constraints));
    }
    universe
}

#[test]
fn lattice_laws() {
    let universe = universe();
    laws::order(&universe);
    laws::transitivity(&universe);
    laws::membership(&universe, &grid(2, 5), |octagon, point| octagon.contains(point));
    laws::order_is_inclusion(&universe, &grid(2, 9), |octagon, point| octagon.contains(point));
}

/// A closed octagon inside the cube is the hull of its integer points, whatever the constraints'
/// order; and so are joins of points.
#[test]
fn closure_is_tight() {
    let mut numbers = Numbers::seeded(8);
    let (mut inhabited, mut empty) = (0, 0);
    for round in 0..1500 {
        let dimensions = 2 + round % 2;
        let points = grid(dimensions, SPAN);
        let mut constraints = cube(dimensions);
        constraints.extend((0..numbers.below(6)).map(|_| random_octagonal(&mut numbers, dimensions, 5)));
        let inside = || points.iter().filter(|point| constraints.iter().all(|known| known.holds(point)));
        let built = octagon(dimensions, &constraints);
        assert_eq!(built, hull(dimensions, inside()), "{constraints:?}");
        assert_eq!(built.is_bottom(), inside().next().is_none());
        let single = |point: &Vec<Int>| hull(dimensions, [point]);
        let joined = inside().map(single).fold(Octagon::bottom(dimensions), |sum, point| sum.join(&point));
        assert_eq!(built, joined, "{constraints:?}");
        *(if built.is_bottom() { &mut empty } else { &mut inhabited }) += 1;
    }
    assert!(inhabited > 500 && empty > 100, "{inhabited}, {empty}");
}

#[test]
fn operations_are_exact_where_they_say_so() {
    let mut numbers = Numbers::seeded(9);
    for _ in 0..400 {
        let dimensions = 3;
        let mut random = |count: usize| {
            let mut constraints = cube(dimensions);
            constraints.extend((0..count).map(|_| random_octagonal(&mut numbers, dimensions, 4)));
            octagon(dimensions, &constraints)
        };
        let (left, right) = (random(3), random(2));
        let points = grid(dimensions, SPAN);
        let of = |octagon: &Octagon| {
            points.iter().filter(|point| octagon.contains(point)).cloned().collect::<Vec<_>>()
        };
        let (in_left, in_right) = (of(&left), of(&right));
        assert_eq!(left.join(&right), hull(dimensions, in_left.iter().chain(&in_right)));
        assert_eq!(
            left.meet(&right),
            hull(dimensions, in_left.iter().filter(|point| in_right.contains(point)))
        );

        let (x, y) = (numbers.below(3), numbers.below(3));
        let mut factors = [0; 3];
        factors[y] = [1, -1][numbers.below(2)];
        let sum = form(&factors, numbers.between(-5, 5));
        let mut assigned = left.clone();
        assigned.assign(Var(x as u32), &sum);
        let moved: Vec<Vec<Int>> = in_left.iter().map(|point| with(point, x, sum.at(point))).collect();
        assert_eq!(assigned, hull(dimensions, &moved), "{left} then v{x} := {sum}");

        let mut forgotten = left.clone();
        forgotten.forget(Var(x as u32));
        let mut bounded = forgotten.clone();
        bounded.constrain(&cube(dimensions));
        let any = |point: &Vec<Int>| {
            let point = point.clone();
            (-SPAN..=SPAN).map(move |value| with(&point, x, Int::from(value)))
        };
        assert_eq!(bounded, hull(dimensions, &in_left.iter().flat_map(any).collect::<Vec<_>>()));

        let mut order: Vec<Option<Var>> = (0..3).map(|at| Some(Var(at))).collect();
        order.swap(0, x);
        order.swap(1, y);
        order.truncate(2);
        let picked =
            |point: &Vec<Int>| order.iter().map(|from| point[from.unwrap().0 as usize].clone()).collect();
        let picked: Vec<Vec<Int>> = in_left.iter().map(picked).collect();
        assert_eq!(left.rearranged(&order), hull(2, &picked));
        order.insert(numbers.below(3), None);
        assert_eq!(left.rearranged(&order).rearranged(&[Some(Var(0)), None, Some(Var(2))]).dimensions(), 3);
    }
}

fn with(point: &[Int], at: usize, value: Int) -> Vec<Int> {
    let mut point = point.to_vec();
    point[at] = value;
    point
}

/// Longer forms: sound, and bounds of a unit sum of four are the best that pairs give.
#[test]
fn longer_forms_are_bounded_by_pairs() {
    let close = [at_least_zero(&[1, -1, 0, 0], 0), at_least_zero(&[-1, 1, 0, 0], 2)];
    let other = [at_least_zero(&[0, 0, 1, -1], 1), at_least_zero(&[0, 0, -1, 1], 0)];
    let misleading = [at_least_zero(&[-1, 0, 0, 1], 0)];
    let state = octagon(4, &[close.as_slice(), &other, &misleading].concat());
    assert_eq!(state.bounds(&form(&[1, -1, 1, -1], 5)), Interval::between(4, 7));
    assert_eq!(state.bounds(&form(&[3, -3, 0, 0], 0)), Interval::between(0, 6));
    assert_eq!(state.bounds(&form(&[1, 0, 0, 1], 0)), Some(Interval::top()));

    let mut assigned = state.clone();
    assigned.assign(Var(3), &form(&[1, -1, 1, 0], 0));
    assert_eq!(assigned.bounds(&form(&[0, 0, -1, 1], 0)), Interval::between(0, 2));

    let mut guarded = octagon(3, &[at_least_zero(&[0, 0, 1], 0), at_least_zero(&[0, 0, -1], 4)]);
    guarded.constrain(&[zero(&[1, -1, -2], 0)]);
    assert_eq!(guarded.bounds(&form(&[1, -1, 0], 0)), Interval::between(0, 8));
    guarded.constrain(&[
        at_least_zero(&[2, 3, 0], -1),
        at_least_zero(&[0, 1, 0], 0),
        at_least_zero(&[-1, -1, 0], 0),
    ]);
    assert!(guarded.is_bottom());
}

#[test]
fn long_constraints_and_assignments_lose_nothing() {
    let mut numbers = Numbers::seeded(10);
    let mut decided = 0;
    for _ in 0..600 {
        let mut constraints = cube(3);
        constraints.extend((0..2).map(|_| random_octagonal(&mut numbers, 3, 4)));
        let state = octagon(3, &constraints);
        let inside: Vec<_> = grid(3, SPAN).into_iter().filter(|point| state.contains(point)).collect();
        let guard = random_long(&mut numbers, 3);
        let mut guarded = state.clone();
        guarded.constrain(std::slice::from_ref(&guard));
        assert!(guarded.leq(&state));
        assert!(
            inside.iter().all(|point| !guard.holds(point) || guarded.contains(point)),
            "{state}: {guard}"
        );
        if state.entails(&guard) {
            decided += 1;
            assert!(inside.iter().all(|point| guard.holds(point)), "{state} entails {guard}");
        }
        let bounds = state.bounds(guard.form());
        assert!(inside.iter().all(|point| bounds.as_ref().unwrap().contains(&guard.form().at(point))));
        let target = numbers.below(3);
        let mut assigned = state.clone();
        assigned.assign(Var(target as u32), guard.form());
        let moved = inside.iter().map(|point| with(point, target, guard.form().at(point)));
        assert!(hull(3, &moved.collect::<Vec<_>>()).leq(&assigned), "{state}: v{target} := {}", guard.form());
    }
    assert!(decided > 50, "{decided}");
}

#[test]
fn constraints_say_it_all_and_nothing_twice() {
    let mut numbers = Numbers::seeded(12);
    for _ in 0..500 {
        let count = numbers.below(9);
        let constraints: Vec<_> = (0..count).map(|_| random_octagonal(&mut numbers, 4, 6)).collect();
        let state = octagon(4, &constraints);
        let shown = state.constraints();
        assert_eq!(octagon(4, &shown), state, "{state} from {constraints:?}");
        if state.is_bottom() {
            assert!(shown.iter().any(Constraint::is_absurd));
            continue;
        }
        for dropped in 0..shown.len() {
            let mut rest = shown.clone();
            let gone = rest.remove(dropped);
            // Integer rounding may still bring a bound back; sums of others must not.
            let rest = octagon(4, &rest);
            assert!(rest != state || gone.form().terms().len() == 1, "{gone} is implied in {state}");
        }
    }
}

#[test]
fn equal_sets_are_equal() {
    let hash = |octagon: &Octagon| {
        let mut hasher = DefaultHasher::new();
        octagon.hash(&mut hasher);
        hasher.finish()
    };
    let direct = octagon(3, &[zero(&[1, -1, 0], 0), zero(&[0, 1, -1], 0), at_least_zero(&[1, 0, 0], 0)]);
    let other = octagon(3, &[zero(&[1, 0, -1], 0), zero(&[0, 1, -1], 0), at_least_zero(&[0, 0, 1], 0)]);
    assert_eq!(direct, other);
    assert_eq!(hash(&direct), hash(&other));
    // 2x = 1 through two sums: no integer point.
    assert!(octagon(2, &[zero(&[1, 1], 0), zero(&[1, -1], -1)]).is_bottom());
    assert_ne!(Octagon::bottom(2), Octagon::bottom(3));
    let mut revived = Octagon::bottom(2);
    revived.forget(Var(0));
    revived.assign(Var(1), &form(&[0, 0], 3));
    assert!(revived.is_bottom(), "nothing revives an empty octagon");
    assert_eq!(Octagon::top(2).to_string(), "{}");
    assert_eq!(octagon(2, &[zero(&[1, -1], -2)]).to_string(), "{v0 == v1 + 2}");
}

#[test]
fn beyond_machine_words() {
    for bits in [61, 64, 126, 200] {
        let big = Int::from(2).pow(bits);
        let mut state = octagon(2, &[at_least_zero(&[1, 0], 0), at_least_zero(&[-1, 1], 0)]);
        let most = LinearExpr::from_terms([(Var(1), Int::MINUS_ONE)], big.clone());
        state.constrain(&[Constraint::at_least_zero(most)]);
        assert_eq!(state.bounds(&form(&[1, 1], 0)).unwrap().high(), &Bound::Finite(&big + &big));
        let mut shifted = state.clone();
        let by = LinearExpr::variable(Var(0)).plus(&LinearExpr::constant(big.clone()));
        shifted.assign(Var(0), &by);
        assert_eq!(shifted.bounds(&form(&[1, -1], 0)).unwrap().high(), &Bound::Finite(big.clone()));
        shifted.assign(Var(0), &by.minus(&LinearExpr::constant(&big + &big)));
        assert_eq!(shifted, state);
    }
    let mut grown = octagon(1, &[zero(&[1], -1)]);
    for _ in 0..5000 {
        grown.assign(Var(0), &form(&[2], 0));
    }
    assert!(grown.is_degraded() && !grown.is_bottom());
    assert!(!Octagon::top(1).is_degraded());
}

/// The chain that never stops if what widening left is closed before the next step (after Miné 2006):
/// x - y and x - z grow in turn, and closure brings each back through y - z while the other grows.
#[test]
fn widening_does_not_close_its_left_side() {
    let within = |factors: &[i64; 3], bound: i64| {
        let opposite = factors.map(|factor| -factor);
        [at_least_zero(factors, bound), at_least_zero(&opposite, bound)]
    };
    let (growing, fixed) = ([[1, -1, 0], [1, 0, -1]], [0, 1, -1]);
    let mut chain = octagon(3, &[within(&growing[0], 1), within(&fixed, 1)].concat());
    let mut changes = 0;
    for step in 0..50 {
        let mut newer = octagon(3, &within(&fixed, 1));
        for (index, factors) in growing.iter().enumerate() {
            if let Bound::Finite(high) = chain.bounds(&form(factors, 0)).unwrap().high() {
                let high = high.to_i64().unwrap() + i64::from(index == step % 2);
                newer.constrain(&within(factors, high));
            }
        }
        let next = chain.widen(&newer, &[]);
        assert!(chain.leq(&next) && newer.leq(&next));
        changes += usize::from(next != chain);
        chain = next;
    }
    assert!(changes <= 2, "{changes}");
    assert_eq!(chain, octagon(3, &within(&fixed, 1)));
}

#[test]
fn random_chains_stop() {
    let mut numbers = Numbers::seeded(13);
    for _ in 0..150 {
        let dimensions = 3;
        let thresholds: Vec<_> = (0..4).map(|_| random_octagonal(&mut numbers, dimensions, 20)).collect();
        let mut chain = Octagon::bottom(dimensions);
        let mut changes = 0;
        for step in 0..80 {
            let around: Vec<_> =
                (0..6).map(|_| random_octagonal(&mut numbers, dimensions, 3 + step)).collect();
            let newer = octagon(dimensions, &around);
            let joined = if numbers.below(2) == 0 { chain.join(&newer) } else { newer.clone() };
            let next = chain.widen(&joined, &thresholds);
            assert!(chain.leq(&next) && newer.leq(&next), "{chain} widen {newer} = {next}");
            for kept in thresholds.iter().filter(|kept| !kept.is_equality()) {
                assert!(!(chain.entails(kept) && joined.entails(kept)) || next.entails(kept), "{kept}");
            }
            changes += usize::from(next != chain);
            chain = next;
        }
        assert!(changes <= 2 * dimensions * dimensions + thresholds.len() + 1, "{changes}");
        let mut changes = 0;
        for _ in 0..60 {
            let smaller = chain.meet(&octagon(dimensions, &[random_octagonal(&mut numbers, dimensions, 30)]));
            let next = chain.narrow(&smaller);
            assert!(smaller.leq(&next) && next.leq(&chain));
            changes += usize::from(next != chain);
            chain = next;
        }
        assert!(changes <= 2 * dimensions * dimensions, "{changes}");
    }
}

/// i = 0; j = n; while i < n { i++; j-- } with n >= 0: the sum stays, the counter stops at n.
#[test]
fn a_loop_with_two_counters() {
    let (i, j, n) = (Var(0), Var(1), Var(2));
    let mut entry = octagon(3, &[at_least_zero(&[0, 0, 1], 0)]);
    entry.assign(i, &form(&[0, 0, 0], 0));
    entry.assign(j, &LinearExpr::variable(n));
    let guard = at_least_zero(&[-1, 0, 1], -1);
    let step = |invariant: &Octagon| {
        let mut body = invariant.clone();
        body.constrain(std::slice::from_ref(&guard));
        body.assign(i, &form(&[1, 0, 0], 1));
        body.assign(j, &form(&[0, 1, 0], -1));
        entry.join(&body)
    };
    let mut invariant = entry.clone();
    let mut rounds = 0;
    loop {
        let next = invariant.widen(&step(&invariant), &[]);
        if next == invariant {
            break;
        }
        invariant = next;
        rounds += 1;
    }
    assert!(rounds <= 4, "{rounds}");
    let mut narrowed = invariant.narrow(&step(&invariant));
    assert!(narrowed.entails(&at_least_zero(&[-1, 0, 1], 0)), "{narrowed}");
    narrowed.constrain(&[guard.complement().unwrap()]);
    assert!(narrowed.entails(&zero(&[1, 0, -1], 0)), "{narrowed}");
}

/// Unrelated variables do not share a block: the time for many pairs grows with their number.
#[test]
fn many_unrelated_pairs() {
    let dimensions = 400;
    let mut state = Octagon::top(dimensions);
    for pair in (0..dimensions as u32).step_by(2) {
        let difference = LinearExpr::variable(Var(pair)).minus(&LinearExpr::variable(Var(pair + 1)));
        state.constrain(&[Constraint::at_least_zero(difference)]);
        state.constrain(&[Constraint::at_least_zero(LinearExpr::variable(Var(pair)))]);
    }
    let mut moved = state.clone();
    moved.assign(Var(7), &LinearExpr::variable(Var(7)).plus(&LinearExpr::constant(Int::ONE)));
    let joined = state.join(&moved);
    assert!(state.leq(&joined) && moved.leq(&joined));
    assert_eq!(state.constraints().len(), dimensions);
}
