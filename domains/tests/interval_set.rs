//! Interval sets: the laws over all subsets of seven values, the operators against the concrete
//! ones, and what the limit on parts does.

use kleene_domains::concrete::apply;
use kleene_domains::interval_set::LIMIT;
use kleene_domains::laws::{self, Abstraction, Quality};
use kleene_domains::{BinaryOp, Int, IntType, Interval, IntervalSet, Lattice, Thresholds, Widen};

fn set(parts: &[(i64, i64)]) -> IntervalSet {
    IntervalSet::from_intervals(parts.iter().map(|&(low, high)| Interval::between(low, high).unwrap()))
}

fn best(values: &[Int]) -> IntervalSet {
    IntervalSet::from_intervals(values.iter().map(|value| Interval::constant(value.clone())))
}

fn ints(low: i64, high: i64) -> Vec<Int> {
    (low..=high).map(Int::from).collect()
}

/// Every subset of `low..=high`; at most four parts for up to eight values, so nothing is merged.
fn subsets(low: i64, high: i64) -> Vec<IntervalSet> {
    let values = ints(low, high);
    let chosen = |mask: u32| {
        let picked = values.iter().enumerate().filter(move |(index, _)| mask >> index & 1 == 1);
        best(&picked.map(|(_, value)| value.clone()).collect::<Vec<_>>())
    };
    (0..1u32 << values.len()).map(chosen).collect()
}

fn members(set: &IntervalSet) -> Vec<Int> {
    ints(-6, 6).into_iter().filter(|value| set.contains(value)).collect()
}

const ABSTRACTION: Abstraction<'static, IntervalSet> =
    Abstraction { members: &members, contains: &IntervalSet::contains, best: &best };

fn operate(op: BinaryOp, a: &IntervalSet, b: &IntervalSet) -> IntervalSet {
    match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::Div => a.div(b),
        BinaryOp::Rem => a.rem(b),
        BinaryOp::Min => a.min(b),
        BinaryOp::Max => a.max(b),
        _ => a.bits(op, b),
    }
}

#[test]
fn lattice_laws() {
    let universe = subsets(-3, 3);
    laws::order(&universe);
    laws::transitivity(&subsets(-2, 3));
    laws::membership(&universe, &ints(-4, 4), IntervalSet::contains);
    laws::order_is_inclusion(&universe, &ints(-4, 4), IntervalSet::contains);
    for thresholds in [Thresholds::none(), Thresholds::new(ints(-2, 2))] {
        laws::widening(&universe, &thresholds, 2 * (thresholds.values().len() + 1) + LIMIT);
    }
    laws::narrowing(&universe, 3);
}

#[test]
fn laws_hold_with_infinite_parts() {
    let mut universe = subsets(-2, 2);
    for bound in -2..=2 {
        let half = [Interval::at_least(bound), Interval::at_most(bound)];
        for part in half {
            universe.push(IntervalSet::from_intervals([part.clone(), Interval::constant(4)]));
            universe.push(IntervalSet::from_intervals([part, Interval::constant(-4)]));
        }
        let low = Interval::at_most(bound - 4);
        universe.push(IntervalSet::from_intervals([low, Interval::at_least(bound)]));
    }
    universe.push(IntervalSet::top());
    laws::order(&universe);
    laws::membership(&universe, &ints(-8, 8), IntervalSet::contains);
    laws::widening(&universe, &Thresholds::new(ints(-1, 1)), 8 + LIMIT);
    laws::narrowing(&universe, 3);
}

#[test]
fn exact_operators() {
    // Sums, minima and constant magnitudes lose nothing while the limit is kept.
    let universe = subsets(-2, 3);
    for op in [BinaryOp::Min, BinaryOp::Max, BinaryOp::Add, BinaryOp::Sub] {
        laws::binary_operator(
            format!("{op:?}"),
            Quality::Exact,
            &universe,
            &ABSTRACTION,
            |a, b| operate(op, a, b),
            |x, y| apply(op, x, y),
        );
    }
    laws::unary_operator("neg", Quality::Exact, &universe, &ABSTRACTION, IntervalSet::neg, |x| Some(-x));
    for divisor in -5..=5i64 {
        let constant = set(&[(divisor, divisor)]);
        laws::unary_operator(
            format!("% {divisor} of"),
            Quality::Exact,
            &universe,
            &ABSTRACTION,
            |a| a.rem(&constant),
            |x| x.rem_trunc(&Int::from(divisor)),
        );
    }
    for bits in 1..=4 {
        for ty in [IntType::signed(bits), IntType::unsigned(bits)] {
            laws::unary_operator(
                ty,
                Quality::Exact,
                &universe,
                &ABSTRACTION,
                |a| a.wrap(ty),
                |x| Some(ty.wrap(x)),
            );
        }
    }
}

#[test]
fn sound_operators() {
    for op in BinaryOp::ALL {
        laws::binary_operator(
            format!("{op:?}"),
            Quality::Sound,
            &subsets(-3, 3),
            &ABSTRACTION,
            |a, b| operate(op, a, b),
            |x, y| apply(op, x, y),
        );
    }
}

#[test]
fn the_smallest_gap_is_filled_beyond_the_limit() {
    let six = set(&[(0, 0), (10, 10), (20, 20), (23, 23), (40, 40), (60, 60)]);
    assert_eq!(six, set(&[(0, 0), (10, 10), (20, 23), (40, 40), (60, 60)]));
    assert_eq!(six.parts().len(), LIMIT);
    assert_eq!(set(&[(5, 6), (0, 2), (3, 4), (9, 9)]).to_string(), "{[0, 6], [9, 9]}");
}

#[test]
fn a_meet_beyond_the_limit_stays_below_its_left_side() {
    let a = set(&[(0, 10), (20, 30), (40, 50), (60, 70), (80, 90)]);
    let b = set(&[(5, 22), (28, 44), (46, 63), (65, 83), (88, 88)]);
    let meet = a.meet(&b);
    assert!(meet.leq(&a));
    assert!(b.meet(&a).leq(&b));
    for value in ints(0, 95) {
        assert!(!(a.contains(&value) && b.contains(&value)) || meet.contains(&value));
    }
}

#[test]
fn widening_closes_touched_gaps_only() {
    let old = set(&[(0, 1), (10, 11), (20, 21)]);
    let none = Thresholds::none();
    assert_eq!(old.widen(&set(&[(5, 5)]), &none), set(&[(0, 11), (20, 21)]));
    let beyond = old.widen(&set(&[(0, 30)]), &Thresholds::new([Int::from(50)]));
    assert_eq!(beyond, set(&[(0, 50)]));
    let above = old.widen(&set(&[(25, 25)]), &none);
    let expected =
        [Interval::between(0, 1).unwrap(), Interval::between(10, 11).unwrap(), Interval::at_least(20)];
    assert_eq!(above, IntervalSet::from_intervals(expected));
}

#[test]
fn complement_holds_the_rest() {
    for set in subsets(-3, 3) {
        let rest = set.complement();
        for value in ints(-6, 6) {
            let outside = rest.iter().any(|part| part.contains(&value));
            assert_ne!(outside, set.contains(&value), "{set} at {value}");
        }
    }
}
