//! Intervals: the laws, and every operator against the concrete one over all intervals of -6..=6.

use kleene_domains::concrete::{apply, apply_unary};
use kleene_domains::interval::MAX_BOUND_BITS;
use kleene_domains::laws::{self, Abstraction, Quality};
use kleene_domains::{BinaryOp, Bound, Int, IntType, Interval, Thresholds, UnaryOp};

const SPAN: i64 = 6;

fn small(low: i64, high: i64) -> Interval {
    Interval::between(low, high).unwrap()
}

fn finite_intervals(span: i64) -> Vec<Interval> {
    (-span..=span).flat_map(|low| (low..=span).map(move |high| small(low, high))).collect()
}

/// With the half-open ones, top and, as `None`, the empty one.
fn universe(span: i64) -> Vec<Option<Interval>> {
    let mut universe: Vec<_> = finite_intervals(span).into_iter().map(Some).collect();
    for bound in -span..=span {
        universe.push(Some(Interval::at_least(bound)));
        universe.push(Some(Interval::at_most(bound)));
    }
    universe.extend([Some(Interval::TOP), None]);
    universe
}

fn ints(low: i64, high: i64) -> Vec<Int> {
    (low..=high).map(Int::from).collect()
}

fn contains(interval: &Option<Interval>, value: &Int) -> bool {
    interval.as_ref().is_some_and(|interval| interval.contains(value))
}

fn members(interval: &Option<Interval>) -> Vec<Int> {
    let range = ints(-SPAN, SPAN).into_iter();
    range.filter(|value| contains(interval, value)).collect()
}

fn best(values: &[Int]) -> Option<Interval> {
    Interval::finite(values.iter().min()?.clone(), values.iter().max()?.clone())
}

const ABSTRACTION: Abstraction<'static, Option<Interval>> =
    Abstraction { members: &members, contains: &contains, best: &best };

fn operate(op: BinaryOp, a: &Option<Interval>, b: &Option<Interval>) -> Option<Interval> {
    let (a, b) = (a.as_ref()?, b.as_ref()?);
    match op {
        BinaryOp::Add => Some(a.add(b)),
        BinaryOp::Sub => Some(a.sub(b)),
        BinaryOp::Mul => Some(a.mul(b)),
        BinaryOp::Div => a.div(b),
        BinaryOp::Rem => a.rem(b),
        BinaryOp::Min => Some(a.min(b)),
        BinaryOp::Max => Some(a.max(b)),
        _ => a.bits(op, b).into_iter().reduce(|hull, part| hull.join(&part)),
    }
}

const OPERATORS: [BinaryOp; 13] = BinaryOp::ALL;

#[test]
fn lattice_laws() {
    let universe = universe(3);
    laws::order(&universe);
    laws::transitivity(&universe);
    laws::membership(&universe, &ints(-5, 5), contains);
    laws::order_is_inclusion(&universe, &ints(-5, 5), contains);
    for thresholds in [Thresholds::none(), Thresholds::new(ints(-2, 2))] {
        laws::widening(&universe, &thresholds, 2 * (thresholds.values().len() + 1) + 1);
    }
    laws::narrowing(&universe, 3);
}

#[test]
fn operators_are_exact_on_small_intervals() {
    let mut universe: Vec<_> = finite_intervals(SPAN).into_iter().map(Some).collect();
    universe.push(None);
    for op in OPERATORS {
        // Powers of negative bases with several exponents have both signs.
        let quality = if op == BinaryOp::Power { Quality::Sound } else { Quality::Exact };
        laws::binary_operator(
            format!("{op:?}"),
            quality,
            &universe,
            &ABSTRACTION,
            |a, b| operate(op, a, b),
            |x, y| apply(op, x, y),
        );
    }
    for op in UnaryOp::ALL {
        let operate = |a: &Option<Interval>| a.as_ref()?.unary(op);
        let concrete = |x: &Int| apply_unary(op, x);
        laws::unary_operator(format!("{op:?}"), Quality::Exact, &universe, &ABSTRACTION, operate, concrete);
    }
    let neg = |a: &Option<Interval>| Some(a.as_ref()?.neg());
    laws::unary_operator("neg", Quality::Exact, &universe, &ABSTRACTION, neg, |x| Some(-x));
}

#[test]
fn operators_are_sound_on_infinite_intervals() {
    // The members are those of a window, so only soundness is asked.
    for op in OPERATORS {
        laws::binary_operator(
            format!("{op:?}"),
            Quality::Sound,
            &universe(SPAN),
            &ABSTRACTION,
            |a, b| operate(op, a, b),
            |x, y| apply(op, x, y),
        );
    }
}

#[test]
fn operators_on_infinite_intervals_are_exact_here() {
    let (from_one, to_minus_one) = (Interval::at_least(1), Interval::at_most(-1));
    assert_eq!(from_one.add(&Interval::at_least(4)), Interval::at_least(5));
    assert_eq!(from_one.add(&to_minus_one), Interval::TOP);
    assert_eq!(from_one.mul(&to_minus_one), to_minus_one);
    assert_eq!(to_minus_one.mul(&to_minus_one), from_one);
    assert_eq!(Interval::TOP.mul(&Interval::constant(0)), Interval::constant(0));
    assert_eq!(Interval::at_least(5).div(&from_one), Some(Interval::at_least(0)));
    assert_eq!(Interval::at_least(5).div(&to_minus_one), Some(Interval::at_most(0)));
    assert_eq!(Interval::at_least(7).div(&Interval::constant(2)), Some(Interval::at_least(3)));
    assert_eq!(small(3, 9).div(&Interval::TOP), Some(small(-9, 9)));
    assert_eq!(Interval::TOP.div(&Interval::constant(0)), None);
    assert_eq!(Interval::TOP.rem(&Interval::constant(5)), Some(small(-4, 4)));
    assert_eq!(Interval::at_least(0).rem(&small(-5, 2)), Some(small(0, 4)));
    assert_eq!(small(0, 3).rem(&Interval::at_least(10)), Some(small(0, 3)));
    assert_eq!(Interval::at_least(0).rem(&Interval::TOP), Some(Interval::at_least(0)));
    assert_eq!(Interval::at_least(2).min(&small(0, 5)), small(0, 5));
    assert_eq!(Interval::at_least(2).max(&small(0, 5)), Interval::at_least(2));
}

#[test]
fn remainder_by_many_divisors_is_sound() {
    // Beyond 16 magnitudes the divisors are no longer tried one by one.
    for low in 0..40 {
        for high in low..40 {
            let result = small(low, high).rem(&small(20, 60)).unwrap();
            for x in low..=high {
                for y in 20..=60 {
                    assert!(result.contains(&Int::from(x % y)), "[{low}, {high}] % [20, 60] = {result}");
                }
            }
        }
    }
}

#[test]
fn wrap_is_exact_on_narrow_types() {
    for bits in 4..=8 {
        for ty in [IntType::signed(bits), IntType::unsigned(bits)] {
            let all: Vec<i64> =
                ints(-300, 300).iter().map(|value| ty.wrap(value).to_i64().unwrap()).collect();
            for low in (-300..=300).step_by(11) {
                for high in (low..=300).step_by(7) {
                    let (first, second) = small(low, high).wrap(ty);
                    let parts = [Some(first), second];
                    let mut wrapped = [false; 521];
                    for value in &all[(low + 300) as usize..=(high + 300) as usize] {
                        wrapped[(value + 260) as usize] = true;
                    }
                    for value in -260..=260 {
                        let inside = parts.iter().any(|part| contains(part, &Int::from(value)));
                        let expected = wrapped[(value + 260) as usize];
                        assert_eq!(inside, expected, "[{low}, {high}] in {ty} at {value}");
                    }
                }
            }
        }
    }
}

#[test]
fn ill_formed_intervals_do_not_exist() {
    assert_eq!(Interval::between(1, 0), None);
    assert_eq!(Interval::new(Bound::PosInfinity, Bound::PosInfinity), None);
    assert_eq!(Interval::new(Bound::NegInfinity, Bound::NegInfinity), None);
    assert_eq!(small(0, 3).meet(&small(5, 9)), None);
}

#[test]
fn widening_stops_at_thresholds() {
    let thresholds = Thresholds::new([10, 100, -1].map(Int::from));
    let mut chain = small(0, 0);
    let mut seen = vec![chain.clone()];
    for high in 1..200 {
        let next = chain.widen(&chain.join(&small(0, high)), &thresholds);
        if next != chain {
            seen.push(next.clone());
            chain = next;
        }
    }
    assert_eq!(seen, [small(0, 0), small(0, 10), small(0, 100), Interval::at_least(0)]);
    assert_eq!(small(0, 5).widen(&small(-1, 5), &thresholds), small(-1, 5));
    assert_eq!(small(0, 5).widen(&small(0, 10), &thresholds), small(0, 10));
    assert_eq!(small(0, 5).widen(&small(-2, 5), &thresholds), Interval::at_most(5));
    assert_eq!(Interval::at_least(0).narrow(&small(0, 7)), small(0, 7));
    assert_eq!(small(0, 10).narrow(&small(0, 7)), small(0, 10));
}

#[test]
fn bounds_beyond_every_machine_word() {
    let big = Int::from(2).pow(127);
    let interval = Interval::finite(Int::from(i64::MAX), big.clone()).unwrap();
    let sum = interval.add(&Interval::constant(1));
    assert_eq!(sum, Interval::finite(Int::from(1u64 << 63), &big + Int::ONE).unwrap());
    let square = interval.mul(&interval);
    assert_eq!(square.high(), &Bound::Finite(Int::from(2).pow(254)));
    assert_eq!(square.div(&Interval::constant(big.clone())).unwrap().high(), &Bound::Finite(big));
}

#[test]
fn squaring_does_not_explode() {
    for start in [small(3, 5), small(-5, 5), small(-5, -3), small(7, 7)] {
        let mut interval = start.clone();
        for _ in 0..40 {
            let square = interval.mul(&interval);
            let bits = |bound: &Bound| bound.finite().map_or(0, Int::bits);
            assert!(bits(square.low()) <= MAX_BOUND_BITS && bits(square.high()) <= MAX_BOUND_BITS);
            assert!(square.high() >= interval.high());
            interval = square;
        }
        assert_eq!(interval.high(), &Bound::PosInfinity, "from {start}");
        // A factor of the other sign turns the inner bound around.
        let negated = interval.mul(&Interval::constant(-3));
        assert_eq!(negated.low(), &Bound::NegInfinity);
    }
}
