//! What the equalities among the bounds say about divisibility.
//!
//! The variables that are fixed are equations. Solved over the integers (as in the Omega test), they
//! leave every other form as a multiple of something plus a constant; a bound between two such values
//! can be moved to the next one. An equation without integer solution is a contradiction.

use fixedbitset::FixedBitSet;
use kleene_domains::{Int, LinearExpr, Var};

use super::simplex::{Cause, Explanation, Side, Simplex};

/// A bound that follows from its causes.
pub struct Tighter {
    pub variable: usize,
    pub side: Side,
    pub value: Int,
    pub causes: Explanation,
}

/// Bounds that are tighter than those set, or a contradiction.
pub fn tighten(simplex: &Simplex) -> Result<Vec<Tighter>, Explanation> {
    let meanings = simplex.meanings();
    let mut solution =
        Solution { equations: Vec::new(), steps: Vec::new(), next: simplex.variables() as u32 };
    for (variable, meaning) in meanings.iter().enumerate() {
        if let Some((lower, upper)) = simplex.fixed(variable) {
            let equation = meaning.minus(&LinearExpr::constant(lower.value.clone()));
            solution.solve(&equation, [lower.cause, upper.cause])?;
        }
    }
    let mut tighter = Vec::new();
    for (variable, meaning) in meanings.iter().enumerate() {
        if simplex.fixed(variable).is_some() {
            continue;
        }
        let sides =
            [Side::Lower, Side::Upper].map(|side| simplex.limit(variable, side).map(|limit| (side, limit)));
        if sides.iter().all(Option::is_none) {
            continue;
        }
        let (form, used) = solution.applied(meaning);
        for (side, limit) in sides.into_iter().flatten() {
            let Some(value) = next(&form, side, &limit.value) else { continue };
            let mut causes = solution.causes(&used);
            causes.push(limit.cause);
            tighter.push(Tighter { variable, side, value, causes });
        }
    }
    Ok(tighter)
}

/// The next value of the form inside the bound, if the bound is none itself.
fn next(form: &LinearExpr, side: Side, bound: &Int) -> Option<Int> {
    let step = form.divisor();
    if step <= Int::ONE {
        return None;
    }
    let distance = bound - form.offset();
    let steps = match side {
        Side::Lower => distance.div_ceil(&step)?,
        Side::Upper => distance.div_floor(&step)?,
    };
    let value = form.offset() + steps * step;
    (value != *bound).then_some(value)
}

/// Variables replaced, one after the other, by forms over those that remain.
struct Solution {
    /// The bounds that make each equation.
    equations: Vec<[Cause; 2]>,
    /// With the equations each replacement follows from.
    steps: Vec<(Var, LinearExpr, FixedBitSet)>,
    next: u32,
}

impl Solution {
    /// The form after all replacements, and the equations those follow from.
    fn applied(&self, form: &LinearExpr) -> (LinearExpr, FixedBitSet) {
        let (mut form, mut used) = (form.clone(), FixedBitSet::new());
        for (variable, replacement, because) in &self.steps {
            if !form.factor(*variable).is_zero() {
                form = form.substituted(*variable, replacement);
                used.union_with(because);
            }
        }
        (form, used)
    }

    fn causes(&self, equations: &FixedBitSet) -> Explanation {
        equations.ones().flat_map(|index| self.equations[index]).collect()
    }

    /// Takes in an equation `form = 0`.
    fn solve(&mut self, equation: &LinearExpr, because: [Cause; 2]) -> Result<(), Explanation> {
        let (mut form, mut used) = self.applied(equation);
        self.equations.push(because);
        used.grow_and_insert(self.equations.len() - 1);
        loop {
            let divisor = form.divisor();
            if !divisor.divides(form.offset()) {
                return Err(self.causes(&used));
            }
            if divisor.is_zero() {
                return Ok(());
            }
            form = form.divided(&divisor);
            let smallest = form.terms().iter().min_by_key(|(_, factor)| factor.abs());
            let Some((variable, factor)) = smallest.cloned() else { return Ok(()) };
            if factor.abs().is_one() {
                // factor * variable = -(the rest)
                let rest = form.minus(&LinearExpr::variable(variable).scaled(&factor));
                self.steps.push((variable, rest.scaled(&factor.neg()), used));
                return Ok(());
            }
            // A new variable takes the place of this one, so that the other factors become smaller: no
            // more than another way to count, so it needs no cause.
            let quotient = |number: &Int| number.div_floor(&factor).unwrap_or_default();
            let others = form.terms().iter().filter(|(other, _)| *other != variable);
            let others = others.map(|(other, by)| (*other, quotient(by).neg()));
            let fresh = (Var(self.next), Int::ONE);
            self.next += 1;
            let replacement = LinearExpr::from_terms(others.chain([fresh]), quotient(form.offset()).neg());
            form = form.substituted(variable, &replacement);
            self.steps.push((variable, replacement, FixedBitSet::new()));
        }
    }
}
