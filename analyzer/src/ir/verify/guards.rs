//! Whether exactly one guard of a location holds, judged by its comparisons alone.
//!
//! Comparisons are taken as independent atoms, except that those of one linear form with constants
//! must have a common solution. An answer "wrong" is certain only up to that reading, so the front
//! ends must build guards whose exclusion shows on the surface.

use kleene_domains::expr::{BinaryOp, CompareOp, Var};
use kleene_domains::int::Int;
use kleene_domains::linear::LinearExpr;

use super::{Cond, Expr};

/// More atoms than this are not tried: their combinations are too many.
const ATOM_LIMIT: usize = 10;

/// A comparison in a canonical form.
#[derive(PartialEq)]
enum Atom<'e> {
    /// A linear form without constant, its first factor positive and its factors without a common divisor.
    Equal(LinearExpr, Int),
    AtMost(LinearExpr, Int),
    Other(CompareOp, &'e Expr, &'e Expr),
}

#[derive(Default)]
struct Atoms<'e> {
    list: Vec<Atom<'e>>,
    /// What forms speak of: the variable of its index.
    symbols: Vec<&'e Expr>,
}

pub fn exactly_one(guards: &[&Cond]) -> Result<(), &'static str> {
    let mut atoms = Atoms::default();
    for guard in guards {
        atoms.collect(guard);
        if atoms.list.len() > ATOM_LIMIT {
            return Ok(());
        }
    }
    for assignment in 0u32..1 << atoms.list.len() {
        if !consistent(&atoms.list, assignment) {
            continue;
        }
        match guards.iter().filter(|guard| atoms.holds(guard, assignment)).count() {
            0 => return Err("its guards leave a case open"),
            1 => {}
            _ => return Err("its guards overlap"),
        }
    }
    Ok(())
}

impl<'e> Atoms<'e> {
    /// The atom of a comparison and whether the comparison is the atom itself or its negation.
    fn atom(&mut self, op: CompareOp, left: &'e Expr, right: &'e Expr) -> (Atom<'e>, bool) {
        if let Some(linear) = self.linear(op, left, right) {
            return linear;
        }
        let (op, positive) = match op {
            CompareOp::Equal => (CompareOp::Equal, true),
            CompareOp::NotEqual => (CompareOp::Equal, false),
            CompareOp::Less => (CompareOp::Less, true),
            CompareOp::GreaterEqual => (CompareOp::Less, false),
            CompareOp::LessEqual => (CompareOp::LessEqual, true),
            CompareOp::Greater => (CompareOp::LessEqual, false),
        };
        (Atom::Other(op, left, right), positive)
    }

    /// The form of an expression; what is not linear is a symbol of its own.
    fn form(&mut self, expr: &'e Expr) -> LinearExpr {
        match expr {
            Expr::Constant(value) => return LinearExpr::constant(value.clone()),
            Expr::Negate(inner) => return self.form(inner).scaled(&Int::MINUS_ONE),
            Expr::Binary(BinaryOp::Add, left, right) => return self.form(left).plus(&self.form(right)),
            Expr::Binary(BinaryOp::Sub, left, right) => return self.form(left).minus(&self.form(right)),
            Expr::Binary(BinaryOp::Mul, left, right) => {
                let (left, right) = (self.form(left), self.form(right));
                if let Some(factor) = left.as_constant() {
                    return right.scaled(factor);
                }
                if let Some(factor) = right.as_constant() {
                    return left.scaled(factor);
                }
            }
            _ => {}
        }
        let known = self.symbols.iter().position(|known| *known == expr);
        let index = known.unwrap_or_else(|| {
            self.symbols.push(expr);
            self.symbols.len() - 1
        });
        LinearExpr::variable(Var(index as u32))
    }

    fn linear(&mut self, op: CompareOp, left: &'e Expr, right: &'e Expr) -> Option<(Atom<'e>, bool)> {
        let difference = self.form(left).minus(&self.form(right));
        let (_, first) = difference.terms().first()?;
        let (op, difference) = match first.is_negative() {
            true => (op.swapped(), difference.scaled(&Int::MINUS_ONE)),
            false => (op, difference),
        };
        let divisor = difference.divisor();
        let terms = difference.without_offset().divided(&divisor);
        let bound = difference.offset().neg();
        let at_most = |bound: &Int| Some(Atom::AtMost(terms.clone(), bound.div_floor(&divisor)?));
        let below = &bound - &Int::ONE;
        Some(match op {
            CompareOp::Equal | CompareOp::NotEqual if divisor.divides(&bound) => {
                (Atom::Equal(terms.clone(), bound.div_floor(&divisor)?), op == CompareOp::Equal)
            }
            CompareOp::Equal | CompareOp::NotEqual => return None,
            CompareOp::LessEqual => (at_most(&bound)?, true),
            CompareOp::Less => (at_most(&below)?, true),
            CompareOp::Greater => (at_most(&bound)?, false),
            CompareOp::GreaterEqual => (at_most(&below)?, false),
        })
    }

    fn collect(&mut self, cond: &'e Cond) {
        match cond {
            Cond::Literal(_) => {}
            Cond::Compare(op, left, right) => {
                let (atom, _) = self.atom(*op, left, right);
                if self.list.len() <= ATOM_LIMIT && !self.list.contains(&atom) {
                    self.list.push(atom);
                }
            }
            Cond::Not(inner) => self.collect(inner),
            Cond::And(left, right) | Cond::Or(left, right) => {
                self.collect(left);
                self.collect(right);
            }
        }
    }

    fn holds(&mut self, cond: &'e Cond, assignment: u32) -> bool {
        match cond {
            Cond::Literal(value) => *value,
            Cond::Compare(op, left, right) => {
                let (atom, positive) = self.atom(*op, left, right);
                let index =
                    self.list.iter().position(|known| *known == atom).expect("every atom was collected");
                (assignment >> index & 1 == 1) == positive
            }
            Cond::Not(inner) => !self.holds(inner, assignment),
            Cond::And(left, right) => self.holds(left, assignment) && self.holds(right, assignment),
            Cond::Or(left, right) => self.holds(left, assignment) || self.holds(right, assignment),
        }
    }
}

/// Whether some integer satisfies all comparisons of each form with constants.
fn consistent(atoms: &[Atom<'_>], assignment: u32) -> bool {
    let form = |atom: &Atom<'_>| match atom {
        Atom::Equal(form, _) | Atom::AtMost(form, _) => Some(form.clone()),
        Atom::Other(..) => None,
    };
    atoms.iter().filter_map(form).all(|subject| {
        let (mut low, mut high): (Option<Int>, Option<Int>) = (None, None);
        let mut excluded = Vec::new();
        let above = |value: Int, low: &mut Option<Int>| {
            *low = Some(low.take().map_or(value.clone(), |low| low.max(value)));
        };
        let below = |value: Int, high: &mut Option<Int>| {
            *high = Some(high.take().map_or(value.clone(), |high| high.min(value)));
        };
        for (index, atom) in atoms.iter().enumerate() {
            match (atom, assignment >> index & 1 == 1) {
                (Atom::Equal(form, value), true) if *form == subject => {
                    above(value.clone(), &mut low);
                    below(value.clone(), &mut high);
                }
                (Atom::Equal(form, value), false) if *form == subject => excluded.push(value),
                (Atom::AtMost(form, value), true) if *form == subject => below(value.clone(), &mut high),
                (Atom::AtMost(form, value), false) if *form == subject => above(value + &Int::ONE, &mut low),
                _ => {}
            }
        }
        let (Some(mut low), Some(high)) = (low, high) else { return true };
        while low <= high && excluded.contains(&&low) {
            low += Int::ONE;
        }
        low <= high
    })
}
