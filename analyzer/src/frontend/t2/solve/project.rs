//! Drawn values eliminated from a conjunction, one after the other.

use kleene_domains::expr::{BinaryOp, CompareOp, Var};
use kleene_domains::int::Int;
use kleene_domains::linear::LinearExpr;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::super::arith;
use super::super::forms::{Constraint, Forms, as_drawn, drawn};
use super::bounds::{Bound, Bounds};
use super::{CASE_LIMIT, Draw, Unsolved, at_most};
use crate::ir::{Cond, Expr, Place, VariableId};

/// Constraints a projection may pass through.
const CONSTRAINT_LIMIT: usize = 400;

/// One case of a projection.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    /// Without drawn values: where the others have a solution.
    pub conds: Vec<Cond>,
    /// In the order of drawing.
    pub draws: Vec<(u32, Draw)>,
    /// Values that equations define.
    defined: FxHashMap<u32, LinearExpr>,
}

impl Projection {
    /// A drawn value, in terms of those that are really drawn.
    pub fn value(&self, number: u32, forms: &Forms) -> Expr {
        match self.defined.get(&number) {
            Some(form) => forms.expr(form),
            None => arith::read(Place::variable(VariableId::Local(number))),
        }
    }
}

/// Solves the constraints for the values that are needed; the others only have to exist.
pub fn project(
    constraints: Vec<Constraint>,
    needed: &FxHashSet<u32>,
    forms: &mut Forms,
) -> Result<Vec<Projection>, Unsolved> {
    let mut work = vec![State { constraints, needed: needed.clone(), done: Projection::default() }];
    let mut found = Vec::new();
    while let Some(mut state) = work.pop() {
        if work.len() + found.len() > CASE_LIMIT {
            return Err(Unsolved::TooManyCases);
        }
        match state.run(forms)? {
            Progress::Impossible => {}
            Progress::Done => found.push(state.done),
            Progress::Cases(cases) => work.extend(cases.into_iter().rev()),
        }
    }
    Ok(found)
}

#[derive(Clone, Debug)]
struct State {
    constraints: Vec<Constraint>,
    needed: FxHashSet<u32>,
    done: Projection,
}

enum Progress {
    Done,
    Impossible,
    Cases(Vec<State>),
}

impl State {
    fn run(&mut self, forms: &mut Forms) -> Result<Progress, Unsolved> {
        loop {
            if !self.reduce(forms) {
                return Ok(Progress::Impossible);
            }
            if self.constraints.len() > CONSTRAINT_LIMIT {
                return Err(Unsolved::TooManyCases);
            }
            if let Some((symbol, value)) = self.equation(forms)? {
                self.define(symbol, &value);
                continue;
            }
            let Some((symbol, number)) = self.next_symbol() else { break };
            let bounds = Bounds::of(symbol, &self.constraints);
            let needed = self.needed.contains(&number);
            // Infinitely many values, of which finitely many are excluded.
            let open = bounds.low.is_empty() || bounds.high.is_empty();
            if bounds.different > 0 && (needed || !open) {
                return Ok(Progress::Cases(self.cases(symbol)));
            }
            if !bounds.is_exact() {
                return Err(Unsolved::NotLinear);
            }
            self.eliminate(number, needed, &bounds, forms);
        }
        let mut free: Vec<u32> = self.needed.iter().copied().collect();
        free.sort_unstable();
        self.done.draws.extend(free.into_iter().map(|number| (number, Draw::Any)));
        // The last one eliminated depends on no other.
        self.done.draws.reverse();
        Ok(Progress::Done)
    }

    /// Simplifies the constraints and puts aside those that are about no drawn value.
    fn reduce(&mut self, forms: &Forms) -> bool {
        let mut kept: Vec<Constraint> = Vec::with_capacity(self.constraints.len());
        for constraint in std::mem::take(&mut self.constraints) {
            match constraint.reduced() {
                Err(true) => {}
                Err(false) => return false,
                Ok(constraint) if !constraint.reads_drawn() => {
                    let cond = forms.cond(&constraint);
                    if !self.done.conds.contains(&cond) {
                        self.done.conds.push(cond);
                    }
                }
                Ok(constraint) => weaker_out(&mut kept, constraint),
            }
        }
        self.constraints = kept;
        true
    }

    /// An equation solved for one drawn value, preferably one that nobody needs.
    fn equation(&mut self, forms: &mut Forms) -> Result<Option<(Var, LinearExpr)>, Unsolved> {
        let equations = || {
            self.constraints.iter().filter_map(|constraint| match constraint {
                Constraint::Zero(form) => Some(form),
                _ => None,
            })
        };
        let values = |form: &LinearExpr| -> Vec<(Var, u32, Int)> {
            let terms = form.terms().iter();
            terms.filter_map(|(var, factor)| Some((*var, as_drawn(*var)?, factor.clone()))).collect()
        };
        let mut unit: Option<(Var, &LinearExpr, Int)> = None;
        for form in equations() {
            for (symbol, number, factor) in values(form) {
                let better = unit.is_none() || !self.needed.contains(&number);
                if factor.abs().is_one() && better {
                    unit = Some((symbol, form, factor));
                }
            }
        }
        let without = |symbol: Var, form: &LinearExpr| {
            form.substituted(symbol, &LinearExpr::constant(Int::ZERO)).scaled(&Int::MINUS_ONE)
        };
        if let Some((symbol, form, factor)) = unit {
            return Ok(Some((symbol, without(symbol, form).scaled(&factor))));
        }
        // `2 * d == x` has a solution where x is even.
        for form in equations() {
            let drawn = values(form);
            let [(symbol, _, factor)] = drawn.as_slice() else { continue };
            let rest = forms.expr(&without(*symbol, form));
            let by = || Expr::Constant(factor.clone());
            let remainder = arith::binary(BinaryOp::Rem, rest.clone(), by());
            let quotient = arith::binary(BinaryOp::Div, rest, by());
            let fits = arith::compare(CompareOp::Equal, remainder, arith::constant(0));
            let value = forms.of(&quotient).ok_or(Unsolved::NotLinear)?;
            let symbol = *symbol;
            self.done.conds.push(fits);
            return Ok(Some((symbol, value)));
        }
        match equations().next() {
            Some(_) => Err(Unsolved::NotLinear),
            None => Ok(None),
        }
    }

    fn define(&mut self, symbol: Var, value: &LinearExpr) {
        for constraint in &mut self.constraints {
            *constraint = constraint.map(|form| form.substituted(symbol, value));
        }
        for known in self.done.defined.values_mut() {
            *known = known.substituted(symbol, value);
        }
        let Some(number) = as_drawn(symbol) else { return };
        if self.needed.remove(&number) {
            // What it is made of is needed instead.
            self.needed.extend(value.terms().iter().filter_map(|(symbol, _)| as_drawn(*symbol)));
        }
        self.done.defined.insert(number, value.clone());
    }

    /// The drawn value to eliminate next: those nobody needs first, then the cheapest.
    fn next_symbol(&self) -> Option<(Var, u32)> {
        let mut numbers: Vec<u32> = Vec::new();
        for (symbol, _) in self.constraints.iter().flat_map(|constraint| constraint.form().terms()) {
            numbers.extend(as_drawn(*symbol));
        }
        numbers.sort_unstable();
        numbers.dedup();
        let cost = |number: &u32| {
            let bounds = Bounds::of(drawn(*number), &self.constraints);
            let needed = self.needed.contains(number);
            (needed, !bounds.is_exact(), bounds.pairs(), bounds.different, *number)
        };
        numbers.into_iter().min_by_key(cost).map(|number| (drawn(number), number))
    }

    /// Below and above the first value that is excluded.
    fn cases(&self, symbol: Var) -> Vec<State> {
        let at = self.constraints.iter().position(
            |constraint| matches!(constraint, Constraint::NotZero(form) if !form.factor(symbol).is_zero()),
        );
        let case = |sign: i64| {
            let mut case = self.clone();
            if let Some(at) = at {
                let form = case.constraints[at].form().scaled(&Int::from(sign));
                let beyond = form.minus(&LinearExpr::constant(Int::ONE));
                case.constraints[at] = Constraint::AtLeastZero(beyond);
            }
            case
        };
        vec![case(1), case(-1)]
    }

    fn eliminate(&mut self, number: u32, needed: bool, bounds: &Bounds, forms: &Forms) {
        if needed {
            self.needed.remove(&number);
            let draw = match (bounds.lowest(forms), bounds.highest(forms)) {
                (Some(low), Some(high)) => Draw::Between(low, high),
                (Some(low), None) => Draw::AtLeast(low),
                (None, Some(high)) => Draw::AtMost(high),
                (None, None) => Draw::Any,
            };
            // What the bounds speak of has to be drawn before.
            let terms = bounds.low.iter().chain(&bounds.high).flat_map(|bound| bound.form.terms());
            self.needed.extend(terms.filter_map(|(symbol, _)| as_drawn(*symbol)));
            self.done.draws.push((number, draw));
        }
        let pairs = bounds.low.iter().flat_map(|low| bounds.high.iter().map(move |high| (low, high)));
        self.constraints = bounds.others.clone();
        for (low, high) in pairs {
            match pair(low, high, forms) {
                Ok(constraint) => self.constraints.push(constraint),
                Err(cond) => self.done.conds.push(cond),
            }
        }
    }
}

/// Some integer lies between the bounds.
fn pair(low: &Bound, high: &Bound, forms: &Forms) -> Result<Constraint, Cond> {
    if low.factor.is_one() || high.factor.is_one() {
        let difference = high.form.scaled(&low.factor).minus(&low.form.scaled(&high.factor));
        return Ok(Constraint::AtLeastZero(difference));
    }
    Err(at_most(low.rounded_up(forms), high.rounded_down(forms)))
}

/// Adds a constraint unless one with the same terms says more; drops what says less.
fn weaker_out(kept: &mut Vec<Constraint>, new: Constraint) {
    let terms = |constraint: &Constraint| constraint.form().without_offset();
    if let Constraint::AtLeastZero(form) = &new {
        let same = kept
            .iter_mut()
            .find(|old| matches!(old, Constraint::AtLeastZero(_)) && terms(old) == form.without_offset());
        if let Some(old) = same {
            if form.offset() < old.form().offset() {
                *old = new;
            }
            return;
        }
    } else if kept.contains(&new) {
        return;
    }
    kept.push(new);
}
