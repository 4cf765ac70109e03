//! The laws of every domain, as checks to run over a small universe of elements and points.
//!
//! A check panics with the law and the elements that break it; it is meant for tests, here and in
//! crates that add a domain. *Sound*: the abstract result holds every concrete one. *Exact*: it is
//! the best abstraction of precisely those.

use std::fmt::{Debug, Display};

use crate::int::Int;
use crate::interval::Thresholds;
use crate::lattice::{Lattice, Widen};

/// `leq` is a partial order whose equality is `Eq`; bottom is below everything; joins are above
/// both sides and idempotent; meets are below the left side and idempotent.
pub fn order<D: Lattice + Eq + Debug>(elements: &[D]) {
    for a in elements {
        assert!(a.leq(a), "reflexive: {a:?}");
        assert!(a.join(a) == *a, "join is idempotent: {a:?}, not {:?}", a.join(a));
        assert!(a.meet(a) == *a, "meet is idempotent: {a:?}, not {:?}", a.meet(a));
        for b in elements {
            if a.leq(b) && b.leq(a) {
                assert!(a == b, "antisymmetric: {a:?}, {b:?}");
            }
            if a.is_bottom() {
                assert!(a.leq(b), "bottom is below {b:?}");
            }
            let join = a.join(b);
            assert!(a.leq(&join) && b.leq(&join), "{a:?} join {b:?} = {join:?} is above both");
            let meet = a.meet(b);
            assert!(meet.leq(a), "{a:?} meet {b:?} = {meet:?} is below the first");
        }
    }
}

/// `leq` is transitive. Cubic: give it fewer elements.
pub fn transitivity<D: Lattice + Debug>(elements: &[D]) {
    for a in elements {
        for b in elements.iter().filter(|b| a.leq(b)) {
            for c in elements.iter().filter(|c| b.leq(c)) {
                assert!(a.leq(c), "transitive: {a:?} <= {b:?} <= {c:?}");
            }
        }
    }
}

/// The order and the lattice operations agree with membership: order is inclusion, joins hold the
/// points of both, meets the common ones, bottom none.
pub fn membership<D: Lattice + Debug, P: Debug>(
    elements: &[D],
    points: &[P],
    contains: impl Fn(&D, &P) -> bool,
) {
    for a in elements {
        for b in elements {
            let (below, join, meet) = (a.leq(b), a.join(b), a.meet(b));
            for point in points {
                let (in_a, in_b) = (contains(a, point), contains(b, point));
                assert!(!(in_a && a.is_bottom()), "bottom {a:?} holds {point:?}");
                assert!(!below || !in_a || in_b, "{a:?} <= {b:?} but for {point:?}");
                if in_a || in_b {
                    assert!(contains(&join, point), "{a:?} join {b:?} = {join:?} loses {point:?}");
                }
                if in_a && in_b {
                    assert!(contains(&meet, point), "{a:?} meet {b:?} = {meet:?} loses {point:?}");
                }
            }
        }
    }
}

/// The order is inclusion in both directions, for elements that `points` tell apart.
pub fn order_is_inclusion<D: Lattice + Debug, P>(
    elements: &[D],
    points: &[P],
    contains: impl Fn(&D, &P) -> bool,
) {
    for a in elements {
        for b in elements {
            let included = points.iter().all(|point| !contains(a, point) || contains(b, point));
            assert_eq!(a.leq(b), included, "{a:?} <= {b:?} is inclusion");
        }
    }
}

/// Widening is above both sides, and every chain through the elements, in either direction and from
/// any start, stops changing. `most` bounds the changes of one chain.
pub fn widening<D: Lattice + Widen + Eq + Clone + Debug>(
    elements: &[D],
    thresholds: &Thresholds,
    most: usize,
) {
    for (start, a) in elements.iter().enumerate() {
        for b in elements {
            let widened = a.widen(b, thresholds);
            assert!(a.leq(&widened) && b.leq(&widened), "{a:?} widen {b:?} = {widened:?} is above both");
            if b.leq(a) {
                assert!(widened == *a, "{a:?} widen {b:?} = {widened:?} is stable");
            }
        }
        let forward = (0..elements.len()).map(|offset| &elements[(start + offset) % elements.len()]);
        assert_stops(a, forward, thresholds, most);
        let backward =
            (0..elements.len()).map(|offset| &elements[(start + elements.len() - offset) % elements.len()]);
        assert_stops(a, backward, thresholds, most);
    }
}

fn assert_stops<'a, D: Lattice + Widen + Eq + Clone + Debug + 'a>(
    start: &D,
    steps: impl Iterator<Item = &'a D>,
    thresholds: &Thresholds,
    most: usize,
) {
    let mut chain = start.clone();
    let mut changes = 0;
    for step in steps {
        let next = chain.widen(&chain.join(step), thresholds);
        changes += usize::from(next != chain);
        chain = next;
    }
    assert!(changes <= most, "a chain from {start:?} changed {changes} times");
}

/// Narrowing by something smaller lies between the two, and chains stop within `most` changes.
pub fn narrowing<D: Lattice + Widen + Eq + Clone + Debug>(elements: &[D], most: usize) {
    for a in elements {
        let mut chain = a.clone();
        let mut changes = 0;
        for b in elements {
            let smaller = a.meet(b);
            if smaller.leq(a) {
                let narrowed = a.narrow(&smaller);
                let between = smaller.leq(&narrowed) && narrowed.leq(a);
                assert!(between, "{a:?} narrow {smaller:?} = {narrowed:?} is between");
            }
            let next = chain.narrow(&chain.meet(b));
            changes += usize::from(next != chain);
            chain = next;
        }
        assert!(changes <= most, "narrowing from {a:?} changed {changes} times");
    }
}

/// How good an abstract operator has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Holds every concrete result.
    Sound,
    /// Equals the best abstraction of the concrete results.
    Exact,
}

/// How the elements of a domain relate to integers.
pub struct Abstraction<'a, D> {
    /// The members of an element, all of them.
    pub members: &'a dyn Fn(&D) -> Vec<Int>,
    pub contains: &'a dyn Fn(&D, &Int) -> bool,
    /// The best element that holds these integers.
    pub best: &'a dyn Fn(&[Int]) -> D,
}

/// A binary operator against the concrete one, over all pairs of elements and of their members.
/// Where the concrete operator answers `None` it is undefined and gives no result.
pub fn binary_operator<D: Eq + Debug>(
    name: impl Display,
    quality: Quality,
    elements: &[D],
    abstraction: &Abstraction<'_, D>,
    operate: impl Fn(&D, &D) -> D,
    concrete: impl Fn(&Int, &Int) -> Option<Int>,
) {
    let members: Vec<Vec<Int>> = elements.iter().map(abstraction.members).collect();
    for (a, a_members) in elements.iter().zip(&members) {
        for (b, b_members) in elements.iter().zip(&members) {
            let pairs = a_members.iter().flat_map(|x| b_members.iter().map(move |y| (x, y)));
            let expected: Vec<Int> = pairs.filter_map(|(x, y)| concrete(x, y)).collect();
            let result = operate(a, b);
            let context = || format!("{a:?} {name} {b:?} = {result:?}");
            judge(quality, abstraction, &result, &expected, context);
        }
    }
}

/// As [`binary_operator`], for one operand.
pub fn unary_operator<D: Eq + Debug>(
    name: impl Display,
    quality: Quality,
    elements: &[D],
    abstraction: &Abstraction<'_, D>,
    operate: impl Fn(&D) -> D,
    concrete: impl Fn(&Int) -> Option<Int>,
) {
    for a in elements {
        let expected: Vec<Int> = (abstraction.members)(a).iter().filter_map(&concrete).collect();
        let result = operate(a);
        judge(quality, abstraction, &result, &expected, || format!("{name} {a:?} = {result:?}"));
    }
}

fn judge<D: Eq + Debug>(
    quality: Quality,
    abstraction: &Abstraction<'_, D>,
    result: &D,
    expected: &[Int],
    context: impl Fn() -> String,
) {
    for value in expected {
        assert!((abstraction.contains)(result, value), "{} loses {value}", context());
    }
    if quality == Quality::Exact {
        let best = (abstraction.best)(expected);
        assert!(*result == best, "{}, best is {best:?}", context());
    }
}

/// A small deterministic source of numbers for randomised checks (xorshift64).
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    pub fn seeded(seed: u64) -> Self {
        Self(seed.max(1))
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number of `0..below`; `below` is positive.
    pub fn below(&mut self, below: usize) -> usize {
        (self.next_u64() % below as u64) as usize
    }

    /// A number of `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }
}
