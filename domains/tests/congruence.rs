//! Congruences: laws over all moduli up to 12, operators against the concrete ones.

use kleene_domains::laws::{self, Abstraction, Quality};
use kleene_domains::{Congruence, Int, IntType, Interval, Thresholds};

type Element = Option<Congruence>;

fn congruence(modulus: i64, residue: i64) -> Congruence {
    Congruence::new(Int::from(modulus), Int::from(residue))
}

fn universe(largest: i64) -> Vec<Element> {
    let mut universe = vec![None];
    universe.extend((-3..=3).map(|value| Some(Congruence::constant(Int::from(value)))));
    for modulus in 1..=largest {
        universe.extend((0..modulus).map(|residue| Some(congruence(modulus, residue))));
    }
    universe
}

fn points(span: i64) -> Vec<Int> {
    (-span..=span).map(Int::from).collect()
}

fn contains(element: &Element, value: &Int) -> bool {
    element.as_ref().is_some_and(|congruence| congruence.contains(value))
}

fn members(element: &Element) -> Vec<Int> {
    points(26).into_iter().filter(|value| contains(element, value)).collect()
}

fn best(values: &[Int]) -> Element {
    let constants = values.iter().map(|value| Congruence::constant(value.clone()));
    constants.reduce(|a, b| a.join(&b))
}

const ABSTRACTION: Abstraction<'static, Element> =
    Abstraction { members: &members, contains: &contains, best: &best };

fn both(
    a: &Element,
    b: &Element,
    operate: impl Fn(&Congruence, &Congruence) -> Option<Congruence>,
) -> Element {
    operate(a.as_ref()?, b.as_ref()?)
}

#[test]
fn lattice_laws() {
    let universe = universe(8);
    laws::order(&universe);
    laws::transitivity(&universe);
    laws::membership(&universe, &points(60), contains);
    laws::order_is_inclusion(&universe, &points(20), contains);
    laws::widening(&universe, &Thresholds::none(), 5);
    laws::narrowing(&universe, 4);
}

#[test]
fn meets_are_exact() {
    for a in universe(9) {
        for b in universe(9) {
            let meet = both(&a, &b, Congruence::meet);
            for point in points(80) {
                let common = contains(&a, &point) && contains(&b, &point);
                assert_eq!(contains(&meet, &point), common, "{a:?} meet {b:?} = {meet:?} at {point}");
            }
        }
    }
}

#[test]
fn exact_operators() {
    let universe = universe(6);
    let add = |a: &Element, b: &Element| both(a, b, |a, b| Some(a.add(b)));
    let sub = |a: &Element, b: &Element| both(a, b, |a, b| Some(a.sub(b)));
    let mul = |a: &Element, b: &Element| both(a, b, |a, b| Some(a.mul(b)));
    laws::binary_operator("+", Quality::Exact, &universe, &ABSTRACTION, add, |x, y| Some(x + y));
    laws::binary_operator("-", Quality::Exact, &universe, &ABSTRACTION, sub, |x, y| Some(x - y));
    laws::binary_operator("*", Quality::Exact, &universe, &ABSTRACTION, mul, |x, y| Some(x * y));
    let neg = |a: &Element| Some(a.as_ref()?.neg());
    laws::unary_operator("neg", Quality::Exact, &universe, &ABSTRACTION, neg, |x| Some(-x));
}

#[test]
fn sound_operators() {
    let universe = universe(8);
    let div = |a: &Element, b: &Element| both(a, b, Congruence::div);
    let rem = |a: &Element, b: &Element| both(a, b, Congruence::rem);
    laws::binary_operator("/", Quality::Sound, &universe, &ABSTRACTION, div, Int::div_trunc);
    laws::binary_operator("%", Quality::Sound, &universe, &ABSTRACTION, rem, Int::rem_trunc);
    for bits in 1..=4 {
        for ty in [IntType::signed(bits), IntType::unsigned(bits)] {
            let wrap = |a: &Element| Some(a.as_ref()?.wrap(ty));
            laws::unary_operator(ty, Quality::Sound, &universe, &ABSTRACTION, wrap, |x| Some(ty.wrap(x)));
        }
    }
}

#[test]
fn division_and_remainder_keep_what_comes_out_even() {
    let constant = |value: i64| Congruence::constant(Int::from(value));
    assert_eq!(congruence(12, 6).div(&constant(3)), Some(congruence(4, 2)));
    assert_eq!(congruence(12, 6).div(&constant(-3)), Some(congruence(4, 2)));
    assert_eq!(congruence(12, 6).div(&constant(4)), Some(Congruence::TOP));
    assert_eq!(constant(7).div(&constant(0)), None);
    assert_eq!(congruence(12, 7).rem(&constant(4)), Some(congruence(4, 3)));
    assert_eq!(congruence(12, 7).rem(&congruence(6, 0)), Some(congruence(6, 1)));
}

#[test]
fn tightening_keeps_the_members() {
    for element in universe(7).into_iter().flatten() {
        for low in -9..=9 {
            for high in low..=9 {
                let interval = Interval::between(low, high).unwrap();
                let tight = element.tighten(&interval);
                let inside: Vec<Int> =
                    (low..=high).map(Int::from).filter(|value| element.contains(value)).collect();
                let hull = inside
                    .first()
                    .zip(inside.last())
                    .and_then(|(first, last)| Interval::finite(first.clone(), last.clone()));
                assert_eq!(tight, hull, "{element} in {interval}");
            }
        }
    }
}

#[test]
fn growth_is_bounded() {
    let mut value = congruence(3, 2);
    for _ in 0..40 {
        value = value.mul(&value);
    }
    assert!(value.modulus().bits() <= 4096);
    let mut constant = Congruence::constant(Int::from(3));
    for _ in 0..40 {
        constant = constant.mul(&constant);
    }
    assert!(constant.is_top());
    let (a, b) = (Int::from(2).pow(3000), Int::from(3).pow(2500));
    let (a, b) = (Congruence::new(a, Int::ZERO), Congruence::new(b, Int::ZERO));
    assert_eq!(a.meet(&b), Some(a.clone()));
}

#[test]
fn narrowing_stops_on_growing_moduli() {
    let mut chain = Congruence::TOP;
    let mut changes = 0;
    for exponent in 1..40 {
        let finer = Congruence::new(Int::from(2).pow(exponent), Int::ZERO);
        let next = chain.narrow(&finer);
        assert!(finer.leq(&next) && next.leq(&chain));
        changes += usize::from(next != chain);
        chain = next;
    }
    assert_eq!((changes, chain), (1, congruence(2, 0)));
}
