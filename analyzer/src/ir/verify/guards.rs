//! Whether exactly one guard of a location holds, judged by its comparisons alone.
//!
//! Comparisons are taken as independent atoms, except that several comparisons of one expression with
//! constants must have a common solution. An answer "wrong" is certain only up to that reading, so the
//! front ends must build guards whose exclusion shows on the surface.

use kleene_domains::expr::CompareOp;
use kleene_domains::int::Int;

use super::{Cond, Expr};

/// More atoms than this are not tried: their combinations are too many.
const ATOM_LIMIT: usize = 10;

/// A comparison in a canonical direction.
#[derive(PartialEq)]
struct Atom<'e> {
    op: CompareOp,
    left: &'e Expr,
    right: &'e Expr,
}

pub fn exactly_one(guards: &[&Cond]) -> Result<(), &'static str> {
    let mut atoms = Vec::new();
    for guard in guards {
        collect(guard, &mut atoms);
        if atoms.len() > ATOM_LIMIT {
            return Ok(());
        }
    }
    for assignment in 0u32..1 << atoms.len() {
        if !consistent(&atoms, assignment) {
            continue;
        }
        match guards.iter().filter(|guard| holds(guard, &atoms, assignment)).count() {
            0 => return Err("its guards leave a case open"),
            1 => {}
            _ => return Err("its guards overlap"),
        }
    }
    Ok(())
}

/// The atom of a comparison and whether the comparison is the atom itself or its negation.
fn atom<'e>(op: CompareOp, left: &'e Expr, right: &'e Expr) -> (Atom<'e>, bool) {
    let (op, positive) = match op {
        CompareOp::Equal => (CompareOp::Equal, true),
        CompareOp::NotEqual => (CompareOp::Equal, false),
        CompareOp::Less => (CompareOp::Less, true),
        CompareOp::GreaterEqual => (CompareOp::Less, false),
        CompareOp::LessEqual => (CompareOp::LessEqual, true),
        CompareOp::Greater => (CompareOp::LessEqual, false),
    };
    (Atom { op, left, right }, positive)
}

fn collect<'e>(cond: &'e Cond, atoms: &mut Vec<Atom<'e>>) {
    match cond {
        Cond::Literal(_) => {}
        Cond::Compare(op, left, right) => {
            let (atom, _) = atom(*op, left, right);
            if atoms.len() <= ATOM_LIMIT && !atoms.contains(&atom) {
                atoms.push(atom);
            }
        }
        Cond::Not(inner) => collect(inner, atoms),
        Cond::And(left, right) | Cond::Or(left, right) => {
            collect(left, atoms);
            collect(right, atoms);
        }
    }
}

fn holds(cond: &Cond, atoms: &[Atom<'_>], assignment: u32) -> bool {
    match cond {
        Cond::Literal(value) => *value,
        Cond::Compare(op, left, right) => {
            let (atom, positive) = atom(*op, left, right);
            let index = atoms.iter().position(|known| *known == atom).expect("every atom was collected");
            (assignment >> index & 1 == 1) == positive
        }
        Cond::Not(inner) => !holds(inner, atoms, assignment),
        Cond::And(left, right) => holds(left, atoms, assignment) && holds(right, atoms, assignment),
        Cond::Or(left, right) => holds(left, atoms, assignment) || holds(right, atoms, assignment),
    }
}

/// Whether some integer satisfies all comparisons of each expression with constants.
fn consistent(atoms: &[Atom<'_>], assignment: u32) -> bool {
    atoms.iter().all(|first| {
        let same = atoms.iter().enumerate().filter(|(_, other)| other.left == first.left);
        let mut low: Option<Int> = None;
        let mut high: Option<Int> = None;
        let mut excluded = Vec::new();
        for (index, other) in same {
            let Expr::Constant(bound) = other.right else { continue };
            let above = |value: Int, low: &mut Option<Int>| {
                *low = Some(low.take().map_or(value.clone(), |low| low.max(value)));
            };
            let below = |value: Int, high: &mut Option<Int>| {
                *high = Some(high.take().map_or(value.clone(), |high| high.min(value)));
            };
            match (other.op, assignment >> index & 1 == 1) {
                (CompareOp::Less, true) => below(bound - Int::ONE, &mut high),
                (CompareOp::Less, false) => above(bound.clone(), &mut low),
                (CompareOp::LessEqual, true) => below(bound.clone(), &mut high),
                (CompareOp::LessEqual, false) => above(bound + Int::ONE, &mut low),
                (_, true) => {
                    above(bound.clone(), &mut low);
                    below(bound.clone(), &mut high);
                }
                (_, false) => excluded.push(bound),
            }
        }
        match (low, high) {
            (Some(low), Some(high)) if low == high => !excluded.contains(&&low),
            (Some(low), Some(high)) => low < high,
            _ => true,
        }
    })
}
