//! Seeded random numbers, formulas and graphs.

use crate::explicit::Graph;
use kleene_ctl::{AtomId, Formula, Quantifier};

/// Marsaglia's xorshift64*; good enough for test inputs and the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 33) as usize) % bound
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

pub fn quantifier(random: &mut Random) -> Quantifier {
    random.pick(&[Quantifier::All, Quantifier::Exists])
}

/// A formula of at most the given depth, over whatever atoms `atom` makes.
pub fn formula<A>(random: &mut Random, depth: usize, atom: &mut impl FnMut(&mut Random) -> A) -> Formula<A> {
    if depth == 0 || random.one_in(6) {
        return if random.one_in(8) {
            Formula::Literal(random.one_in(2))
        } else {
            Formula::Atom(atom(random))
        };
    }
    let q = quantifier(random);
    let kind = random.below(11);
    let left = Box::new(formula(random, depth - 1, atom));
    if kind < 4 {
        return match kind {
            0 => Formula::Not(left),
            1 => Formula::Next(q, left),
            2 => Formula::Future(q, left),
            _ => Formula::Globally(q, left),
        };
    }
    let right = Box::new(formula(random, depth - 1, atom));
    match kind {
        4 => Formula::And(left, right),
        5 => Formula::Or(left, right),
        6 => Formula::Implies(left, right),
        7 => Formula::Iff(left, right),
        8 => Formula::Until(q, left, right),
        9 => Formula::Release(q, left, right),
        _ => Formula::WeakUntil(q, left, right),
    }
}

pub fn atom_formula(random: &mut Random, depth: usize, atoms: usize) -> Formula<AtomId> {
    formula(random, depth, &mut |random| AtomId(random.below(atoms) as u32))
}

/// A total graph of `states` states with one to three successors each.
pub fn graph(random: &mut Random, states: usize, atoms: usize) -> Graph {
    let mut successors = vec![Vec::new(); states];
    for row in &mut successors {
        for _ in 0..=random.below(3) {
            row.push(random.below(states));
        }
        row.sort_unstable();
        row.dedup();
    }
    let labels = (0..atoms).map(|_| (0..states).map(|_| random.one_in(2)).collect()).collect();
    Graph { successors, labels }
}
