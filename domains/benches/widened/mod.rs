//! Polyhedra as widening leaves them: known by constraints only.

use kleene_domains::laws::Numbers;
use kleene_domains::{Constraint, Int, Lattice, LinearExpr, Polyhedron, Relation, Var};

/// Random constraints of two variables each, a ring of them first so that all are related, at least
/// seven more than variables; those that exceed the limits of a conversion are left out. The polyhedron is made anew by every call; the constraint follows from three of
/// its own.
pub fn random(dimensions: usize) -> (impl Fn() -> Polyhedron, Constraint) {
    for seed in 0.. {
        let rows = rows(dimensions, &mut Numbers::seeded(seed));
        let (old, new) = (capped(dimensions, &rows, 1), capped(dimensions, &rows, 2));
        let widened = old.widen(&new, &[]);
        let kept = widened.constraints();
        if new.leq(&old) || kept.len() < dimensions + 7 {
            continue;
        }
        let one = LinearExpr::constant(Int::ONE);
        let sum = kept[..3].iter().fold(one, |sum, constraint| sum.plus(constraint.form()));
        return (move || old.widen(&new, &[]), Constraint::at_least_zero(sum));
    }
    unreachable!("some seed will do")
}

fn rows(dimensions: usize, numbers: &mut Numbers) -> Vec<Constraint> {
    let row = |index: usize| {
        let other = if index < dimensions { index + 1 } else { numbers.below(dimensions) };
        let columns = [index % dimensions, other % dimensions];
        let terms = columns.map(|column| (Var(column as u32), Int::from(2 * numbers.between(-2, 1) + 1)));
        Constraint::at_least_zero(LinearExpr::from_terms(terms, Int::from(numbers.between(1, 9))))
    };
    (0..2 * dimensions).map(row).collect()
}

fn capped(dimensions: usize, rows: &[Constraint], most: i64) -> Polyhedron {
    let cap = LinearExpr::from_terms([(Var(0), Int::MINUS_ONE)], Int::from(most));
    let mut result = Polyhedron::top(dimensions);
    result.constrain(rows);
    result.constrain(&[Constraint::at_least_zero(cap)]);
    result
}
