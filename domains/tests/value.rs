//! The reduced product: laws, canonical form, operators and their display.

use kleene_domains::concrete::apply;
use kleene_domains::laws::{self, Abstraction, Numbers, Quality};
use kleene_domains::{BinaryOp, Bound, Congruence, Int, IntType, Interval, Thresholds, Value};

fn ints(low: i64, high: i64) -> Vec<Int> {
    (low..=high).map(Int::from).collect()
}

fn of(values: &[i64]) -> Value {
    best(&values.iter().map(|value| Int::from(*value)).collect::<Vec<_>>())
}

fn range(low: i64, high: i64) -> Value {
    Value::from_interval(Interval::between(low, high).unwrap())
}

fn stepped(low: i64, high: i64, modulus: i64, residue: i64) -> Value {
    let congruence = Congruence::new(Int::from(modulus), Int::from(residue));
    range(low, high).meet(&Value::from_congruence(congruence))
}

fn best(values: &[Int]) -> Value {
    Value::from_intervals(values.iter().map(|value| Interval::constant(value.clone())))
}

/// Every subset; at most five runs for up to nine values, so nothing is merged.
fn subsets(values: &[Int]) -> Vec<Value> {
    let chosen = |mask: u32| {
        let picked = values.iter().enumerate().filter(move |(index, _)| mask >> index & 1 == 1);
        best(&picked.map(|(_, value)| value.clone()).collect::<Vec<_>>())
    };
    (0..1u32 << values.len()).map(chosen).collect()
}

/// Infinite values of several steps.
fn infinite() -> Vec<Value> {
    let mut values = vec![Value::top()];
    for modulus in 1..=3 {
        for residue in 0..modulus {
            let step = Value::from_congruence(Congruence::new(Int::from(modulus), Int::from(residue)));
            for bound in [-2, 0, 3] {
                values.push(step.meet_interval(&Interval::at_least(bound)));
                values.push(step.meet_interval(&Interval::at_most(bound)));
                values.push(step.meet_interval(&Interval::at_most(bound)).join(&Value::constant(5)));
            }
            values.push(step);
        }
    }
    values
}

fn members(value: &Value) -> Vec<Int> {
    ints(-12, 12).into_iter().filter(|member| value.contains(member)).collect()
}

const ABSTRACTION: Abstraction<'static, Value> =
    Abstraction { members: &members, contains: &Value::contains, best: &best };

const OPERATORS: [BinaryOp; 13] = BinaryOp::ALL;

#[test]
fn lattice_laws() {
    let universe = subsets(&ints(-3, 3));
    laws::order(&universe);
    laws::transitivity(&subsets(&ints(-2, 3)));
    laws::membership(&universe, &ints(-4, 4), Value::contains);
    laws::order_is_inclusion(&universe, &ints(-4, 4), Value::contains);
    for thresholds in [Thresholds::none(), Thresholds::new(ints(-2, 2))] {
        laws::widening(&universe, &thresholds, 2 * (thresholds.values().len() + 1) + 8);
    }
    laws::narrowing(&universe, 4);
}

#[test]
fn laws_hold_with_steps_and_infinite_parts() {
    let mut universe = infinite();
    universe.extend(subsets(&ints(-1, 1)));
    for modulus in 2..=4 {
        universe.extend((0..modulus).map(|residue| stepped(-6, 7, modulus, residue)));
    }
    universe.extend([of(&[-5, 3, 11]), of(&[0, 4, 6]), of(&[-4, -3, 0, 2, 3])]);
    laws::order(&universe);
    laws::transitivity(&universe);
    laws::membership(&universe, &ints(-20, 20), Value::contains);
    laws::order_is_inclusion(&universe, &ints(-40, 40), Value::contains);
    for thresholds in [Thresholds::none(), Thresholds::new(ints(-2, 2))] {
        laws::widening(&universe, &thresholds, 2 * (thresholds.values().len() + 1) + 8);
    }
    laws::narrowing(&universe, 4);
}

#[test]
fn meets_and_joins_of_small_sets_are_exact() {
    let universe = subsets(&ints(-3, 3));
    for a in &universe {
        for b in &universe {
            let (in_a, in_b) = (members(a), members(b));
            let common: Vec<Int> = in_a.iter().filter(|value| in_b.contains(value)).cloned().collect();
            assert_eq!(a.meet(b), best(&common), "{a} meet {b}");
            assert_eq!(a.join(b), best(&[in_a, in_b].concat()), "{a} join {b}");
        }
    }
}

#[test]
fn equal_sets_have_equal_representations() {
    let evens = stepped(0, 6, 2, 0);
    let built = [0, 2, 4, 6].map(Value::constant).into_iter().reduce(|a, b| a.join(&b));
    assert_eq!(built.unwrap(), evens);
    assert_eq!(of(&[6, 4, 2, 0]), evens);
    assert_eq!(evens.without(&Int::from(6)).without(&Int::from(0)), of(&[2, 4]));
    assert_eq!(stepped(0, 6, 5, 1), of(&[1, 6]));
    assert_eq!(stepped(1, 4, 7, 0), Value::bottom());
    assert_eq!(stepped(1, 7, 7, 0), Value::constant(7));
    assert_eq!(Value::from_interval(Interval::TOP), Value::top());
    assert_eq!(range(0, 3).join(&range(4, 9)), range(0, 9));
    let mut random = Numbers::seeded(7);
    for _ in 0..2000 {
        let values: Vec<Int> = (0..random.below(5)).map(|_| Int::from(random.between(-9, 9))).collect();
        let mut shuffled = values.clone();
        shuffled.rotate_left(values.len() / 2);
        let joined = shuffled.into_iter().map(Value::constant).fold(Value::bottom(), |a, b| a.join(&b));
        assert_eq!(joined, best(&values));
    }
}

#[test]
fn operators_are_exact_on_small_sets() {
    let universe = subsets(&ints(-3, 3));
    for op in OPERATORS {
        laws::binary_operator(
            format!("{op:?}"),
            Quality::Exact,
            &universe,
            &ABSTRACTION,
            |a, b| Value::binary(op, a, b),
            |x, y| apply(op, x, y),
        );
    }
    laws::unary_operator("neg", Quality::Exact, &universe, &ABSTRACTION, Value::neg, |x| Some(-x));
}

#[test]
fn operators_are_sound_with_steps_and_infinite_parts() {
    let mut universe = infinite();
    for modulus in 1..=4 {
        universe.extend((0..modulus).map(|residue| stepped(-12, 12, modulus, residue)));
    }
    universe.extend([of(&[-5, 3, 11]), of(&[0, 4, 6]), of(&[-4, -3, 0, 2, 3])]);
    for op in OPERATORS {
        laws::binary_operator(
            format!("{op:?}"),
            Quality::Sound,
            &universe,
            &ABSTRACTION,
            |a, b| Value::binary(op, a, b),
            |x, y| apply(op, x, y),
        );
    }
}

#[test]
fn operators_by_a_constant_are_exact_on_long_runs() {
    for k in -4..=4i64 {
        let constant = Value::constant(k);
        let run = |low: i64, high: i64, modulus: i64| {
            best(&ints(low, high).iter().map(|x| x * Int::from(modulus)).collect::<Vec<_>>())
        };
        for modulus in 1..=3 {
            let long = run(-60, 70, modulus);
            let products: Vec<Int> = ints(-60, 70).iter().map(|x| x * Int::from(modulus * k)).collect();
            assert_eq!(long.mul(&constant), best(&products), "{long} * {k}");
            let sums: Vec<Int> =
                ints(-60, 70).iter().map(|x| x * Int::from(modulus) + Int::from(k)).collect();
            assert_eq!(long.add(&constant), best(&sums), "{long} + {k}");
        }
    }
    assert_eq!(range(0, 100).mul(&Value::constant(4)).div(&Value::constant(2)), stepped(0, 200, 2, 0));
    assert_eq!(Value::top().mul(&Value::constant(2)).rem(&Value::constant(2)), Value::constant(0));
    let odd = Value::top().mul(&Value::constant(2)).add(&Value::constant(1));
    assert_eq!(odd.rem(&Value::constant(2)), of(&[-1, 1]));
}

#[test]
fn machine_wrap_is_exact_on_narrow_types() {
    for bits in 4..=8 {
        for ty in [IntType::signed(bits), IntType::unsigned(bits)] {
            for low in (-300..300).step_by(37) {
                for width in [0, 1, 5, 40, 63, 64, 200, 300] {
                    let wrapped: Vec<Int> = ints(low, low + width).iter().map(|x| ty.wrap(x)).collect();
                    assert_eq!(range(low, low + width).wrap(ty), best(&wrapped), "[{low}, +{width}] in {ty}");
                }
            }
        }
    }
}

#[test]
fn machine_wrap_keeps_the_power_of_two_of_a_step() {
    let multiples = Value::top().mul(&Value::constant(12));
    let expected = Value::from_interval(IntType::U8.range()).meet(&stepped(0, 255, 4, 0));
    assert_eq!(multiples.wrap(IntType::U8), expected);
    assert_eq!(stepped(0, 300, 3, 0).wrap(IntType::U8), range(0, 255));
    assert_eq!(stepped(0, 100, 3, 0).wrap(IntType::U8), stepped(0, 100, 3, 0));
    for modulus in 2..=7 {
        for ty in [IntType::signed(4), IntType::unsigned(5)] {
            let long = stepped(-400, 400, modulus, 1);
            let wrapped = long.wrap(ty);
            for value in ints(-400, 400).iter().filter(|value| long.contains(value)) {
                assert!(wrapped.contains(&ty.wrap(value)), "{long} in {ty}");
            }
        }
    }
    assert_eq!(Value::top().wrap(IntType::U128), Value::from_interval(IntType::U128.range()));
}

#[test]
fn repeated_squaring_stays_small() {
    for start in [Value::constant(3), range(2, 9), stepped(2, 8, 3, 2), of(&[-7, 2, 30]), Value::constant(-5)]
    {
        let mut value = start.clone();
        for _ in 0..60 {
            value = value.mul(&value).add(&Value::constant(1));
        }
        assert_eq!(value.high(), Bound::PosInfinity, "from {start}");
        assert!(!value.is_bottom());
    }
}

#[test]
fn beyond_every_machine_word() {
    let big = Int::from(2).pow(130);
    let value = Value::from_interval(Interval::finite(Int::ZERO, big.clone()).unwrap());
    let even = value.mul(&Value::constant(2));
    assert!(even.contains(&(&big * Int::from(2))) && !even.contains(&(&big + Int::ONE)));
    assert_eq!(even.size(), None);
    assert_eq!(
        even.wrap(IntType::U64),
        stepped(0, i64::MAX, 2, 0).join(&{
            let top_half = Interval::finite(Int::from(1u64 << 63), Int::from(u64::MAX)).unwrap();
            Value::from_interval(top_half)
                .meet(&Value::from_congruence(Congruence::new(Int::from(2), Int::ZERO)))
        })
    );
    assert_eq!(value.without(&big).high(), Bound::Finite(&big - Int::ONE));
    let far = Value::constant(big.clone()).join(&Value::constant(-&big));
    assert_eq!(far.members(2), Some(vec![-&big, big]));
}

#[test]
fn size_members_and_witness_agree() {
    for value in subsets(&ints(-3, 4)) {
        let listed = value.members(10).unwrap();
        assert_eq!(listed, members(&value));
        assert_eq!(value.size(), Some(listed.len() as u64));
        let nearest = listed.iter().map(Int::abs).min();
        assert_eq!(value.witness().map(|witness| witness.abs()), nearest);
        assert!(value.witness().is_none_or(|witness| value.contains(&witness)));
        assert_eq!(value.low() <= value.high(), !value.is_bottom());
        assert_eq!(value.members(2).is_some(), listed.len() <= 2);
    }
    for value in infinite() {
        assert_eq!(value.size(), None);
        assert_eq!(value.members(1000), None);
        assert!(value.contains(&value.witness().unwrap()), "{value}");
    }
    assert_eq!(range(i64::MIN, i64::MAX).size(), None);
    assert_eq!(range(1, i64::MAX).size(), Some(i64::MAX as u64));
}

#[test]
fn display() {
    assert_eq!(Value::bottom().to_string(), "⊥");
    assert_eq!(Value::top().to_string(), "any");
    assert_eq!(Value::constant(-5).to_string(), "-5");
    assert_eq!(range(0, 10).to_string(), "[0, 10]");
    assert_eq!(of(&[1, 5]).to_string(), "{1, 5}");
    assert_eq!(stepped(0, 100, 10, 3).to_string(), "[3, 93] ≡ 3 mod 10");
    assert_eq!(range(0, 3).join(&range(7, 9)).to_string(), "{[0, 3], [7, 9]}");
    assert_eq!(Value::from_interval(Interval::at_least(1)).to_string(), "[1, +∞]");
}

#[test]
fn one_value_is_small() {
    assert!(size_of::<Value>() <= 24, "{}", size_of::<Value>());
}

#[test]
fn widening_keeps_the_step_and_thresholds() {
    let thresholds = Thresholds::new([Int::from(10), Int::from(100)]);
    let widened = Value::constant(0).widen(&of(&[0, 2]), &thresholds);
    assert_eq!(widened, stepped(0, 10, 2, 0));
    let widened = widened.widen(&stepped(0, 12, 2, 0), &thresholds);
    assert_eq!(widened, stepped(0, 100, 2, 0));
    let unbounded = widened.widen(&stepped(0, 102, 2, 0), &thresholds);
    assert_eq!(unbounded.high(), Bound::PosInfinity);
    assert_eq!(unbounded.congruence(), Congruence::new(Int::from(2), Int::ZERO));
    assert_eq!(unbounded.narrow(&stepped(0, 40, 2, 0)), stepped(0, 40, 2, 0));
    let odd_one_out = widened.widen(&Value::constant(7), &thresholds);
    assert_eq!(odd_one_out, range(0, 100));
}

#[test]
fn values_travel_between_threads() {
    fn assert_shared<T: Send + Sync>(value: T) -> T {
        value
    }
    let shared = assert_shared(std::sync::Arc::new(range(0, 5)));
    let other = shared.clone();
    let joined = std::thread::spawn(move || other.join(&Value::constant(6))).join().unwrap();
    assert_eq!(joined, range(0, 6));
    assert_eq!(*shared, range(0, 5));
}
