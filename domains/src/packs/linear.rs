//! Expressions as linear forms over the dimensions of a pack.
//!
//! What is not linear, and variables of other packs, become temporary dimensions with whatever linear bounds
//! are known of them (Miné, "Symbolic methods to enhance the precision of numerical abstract domains",
//! VMCAI 2006, takes intervals as coefficients instead).

mod bits;

use super::shape::Pack;
use crate::boxes::BoxState;
use crate::expr::{BinaryOp, Expr, Var};
use crate::int::Int;
use crate::interval::{Bound, Interval};
use crate::linear::LinearExpr;
use crate::numeric::NumericState;
use crate::product::Value;
use crate::relation::{Constraint, Relation};

const MOST_TEMPORARIES: usize = 4;

/// Forms share temporaries: the same foreign variable is the same dimension in all of them.
pub(super) struct Lineariser<'a, R> {
    boxes: &'a BoxState,
    pack: &'a Pack<R>,
    /// Foreign variables, by their temporary.
    foreign: Vec<(Var, Var)>,
    temporaries: usize,
    constraints: Vec<Constraint>,
}

impl<'a, R: Relation> Lineariser<'a, R> {
    pub(super) fn new(boxes: &'a BoxState, pack: &'a Pack<R>) -> Self {
        Self { boxes, pack, foreign: Vec::new(), temporaries: 0, constraints: Vec::new() }
    }

    pub(super) fn is_plain(&self) -> bool {
        self.temporaries == 0
    }

    /// Whether a temporary is bounded by a variable of the pack.
    pub(super) fn bounds_relate(&self) -> bool {
        let own = |dimension: &Var| (dimension.0 as usize) < self.pack.variables().len();
        let mut forms = self.constraints.iter().map(Constraint::form);
        forms.any(|form| form.terms().iter().any(|(dimension, _)| own(dimension)))
    }

    /// The relation with the temporaries as further dimensions.
    pub(super) fn extended(&self, relation: &R) -> R {
        let own = (0..self.pack.variables().len() as u32).map(|at| Some(Var(at)));
        let from: Vec<Option<Var>> = own.chain(std::iter::repeat_n(None, self.temporaries)).collect();
        let mut extended = relation.rearranged(&from);
        extended.constrain(&self.constraints);
        extended
    }

    /// Without the temporaries.
    pub(super) fn projected(&self, extended: &R) -> R {
        let own: Vec<Option<Var>> = (0..self.pack.variables().len() as u32).map(|at| Some(Var(at))).collect();
        extended.rearranged(&own)
    }

    /// The form that has the expression's value at every point where that is defined; `None` if there are too
    /// many temporaries or it is defined nowhere.
    pub(super) fn form(&mut self, expr: &Expr) -> Option<LinearExpr> {
        match expr {
            Expr::Constant(value) => Some(LinearExpr::constant(value.clone())),
            Expr::Variable(variable) => self.variable(*variable),
            Expr::Any(interval) => self.temporary(Some(interval.clone())),
            Expr::Negate(inner) => Some(self.form(inner)?.scaled(&Int::MINUS_ONE)),
            Expr::Unary(..) => self.anything(expr),
            Expr::Binary(op, left, right) => self.binary(expr, *op, left, right),
            Expr::Wrap(ty, inner) => {
                let unchanged = self.boxes.value(inner).leq(&Value::from_interval(ty.range()));
                if unchanged { self.form(inner) } else { self.anything(expr) }
            }
            Expr::IfThenElse(cond, yes, no) => match self.boxes.decide(cond) {
                Some(true) => self.form(yes),
                Some(false) => self.form(no),
                None => self.anything(expr),
            },
        }
    }

    fn variable(&mut self, variable: Var) -> Option<LinearExpr> {
        if let Some(own) = self.pack.dimension(variable) {
            return Some(LinearExpr::variable(own));
        }
        if let Some((_, known)) = self.foreign.iter().find(|(foreign, _)| *foreign == variable) {
            return Some(LinearExpr::variable(*known));
        }
        let value = self.boxes.get(variable);
        if let Some(constant) = value.as_constant() {
            return Some(LinearExpr::constant(constant.clone()));
        }
        let form = self.temporary(value.hull())?;
        self.foreign.push((variable, form.terms()[0].0));
        Some(form)
    }

    fn temporary(&mut self, within: Option<Interval>) -> Option<LinearExpr> {
        let within = within?;
        if self.temporaries == MOST_TEMPORARIES {
            return None;
        }
        let dimension = Var((self.pack.variables().len() + self.temporaries) as u32);
        self.temporaries += 1;
        let form = LinearExpr::variable(dimension);
        self.constraints.extend(within_bounds(&form, &within));
        Some(form)
    }

    /// Only the bounds of the value are known.
    fn anything(&mut self, expr: &Expr) -> Option<LinearExpr> {
        let value = self.boxes.value(expr);
        match value.as_constant() {
            Some(constant) => Some(LinearExpr::constant(constant.clone())),
            None => self.temporary(value.hull()),
        }
    }

    fn binary(&mut self, whole: &Expr, op: BinaryOp, left: &Expr, right: &Expr) -> Option<LinearExpr> {
        match op {
            BinaryOp::Add => Some(self.form(left)?.plus(&self.form(right)?)),
            BinaryOp::Sub => Some(self.form(left)?.minus(&self.form(right)?)),
            BinaryOp::Mul => self.product(whole, left, right),
            BinaryOp::Div => self.quotient(whole, left, right),
            BinaryOp::Rem => self.remainder(whole, left, right),
            BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::Power => self.bits(whole, op, left, right),
            BinaryOp::Min | BinaryOp::Max => {
                let (left, right) = (self.form(left)?, self.form(right)?);
                let least = self.anything(whole)?;
                for side in [left, right] {
                    let gap = if op == BinaryOp::Min { side.minus(&least) } else { least.minus(&side) };
                    self.constraints.push(Constraint::at_least_zero(gap));
                }
                Some(least)
            }
        }
    }

    fn product(&mut self, whole: &Expr, left: &Expr, right: &Expr) -> Option<LinearExpr> {
        let constant = |boxes: &BoxState, expr: &Expr| boxes.value(expr).as_constant().cloned();
        if let Some(factor) = constant(self.boxes, left) {
            return Some(self.form(right)?.scaled(&factor));
        }
        if let Some(factor) = constant(self.boxes, right) {
            return Some(self.form(left)?.scaled(&factor));
        }
        let product = self.anything(whole)?;
        for (factor, other) in [(left, right), (right, left)] {
            let (factor, sign) = (self.boxes.value(factor), sign(&self.boxes.value(other)));
            let Some(nonnegative) = sign else { continue };
            let other = self.form(other)?;
            // low * other <= product <= high * other, or the other way round.
            let between = [(factor.low(), nonnegative), (factor.high(), !nonnegative)];
            for (bound, below) in between {
                let Bound::Finite(bound) = bound else { continue };
                let gap = product.minus(&other.scaled(&bound));
                let gap = if below { gap } else { gap.scaled(&Int::MINUS_ONE) };
                self.constraints.push(Constraint::at_least_zero(gap));
            }
        }
        Some(product)
    }

    fn quotient(&mut self, whole: &Expr, left: &Expr, right: &Expr) -> Option<LinearExpr> {
        let divisor = self.boxes.value(right);
        match divisor.as_constant() {
            Some(by) if !by.is_zero() => {
                let (_, quotient) = self.truncated(left, &by.abs())?;
                Some(if by.is_negative() { quotient.scaled(&Int::MINUS_ONE) } else { quotient })
            }
            _ => {
                let quotient = self.anything(whole)?;
                if sign(&self.boxes.value(left)) == Some(true) && divisor.low() >= Bound::Finite(Int::ONE) {
                    let gap = self.form(left)?.minus(&quotient);
                    self.constraints.push(Constraint::at_least_zero(gap));
                }
                Some(quotient)
            }
        }
    }

    fn remainder(&mut self, whole: &Expr, left: &Expr, right: &Expr) -> Option<LinearExpr> {
        let divisor = self.boxes.value(right);
        match divisor.as_constant() {
            Some(by) if !by.is_zero() => {
                let by = by.abs();
                let (dividend, quotient) = self.truncated(left, &by)?;
                Some(dividend.minus(&quotient.scaled(&by)))
            }
            _ => {
                let rest = self.anything(whole)?;
                if sign(&self.boxes.value(left)) == Some(true) && divisor.low() >= Bound::Finite(Int::ONE) {
                    let one = LinearExpr::constant(Int::ONE);
                    let (dividend, divisor) = (self.form(left)?, self.form(right)?);
                    self.constraints.push(Constraint::at_least_zero(dividend.minus(&rest)));
                    self.constraints.push(Constraint::at_least_zero(divisor.minus(&rest).minus(&one)));
                }
                Some(rest)
            }
        }
    }

    /// The dividend and its quotient by a positive constant, rounded toward zero: `dividend - by * quotient` has the sign of
    /// the dividend and is nearer to 0 than `by`.
    fn truncated(&mut self, dividend: &Expr, by: &Int) -> Option<(LinearExpr, LinearExpr)> {
        let values = self.boxes.value(dividend);
        let form = self.form(dividend)?;
        let quotient = self.temporary(values.div(&Value::constant(by.clone())).hull())?;
        let rest = form.minus(&quotient.scaled(by));
        let most = by - &Int::ONE;
        let (low, high) = match sign(&values) {
            Some(true) => (Int::ZERO, most),
            Some(false) => (most.neg(), Int::ZERO),
            None => (most.neg(), most),
        };
        self.constraints.extend(within_bounds(&rest, &Interval::finite(low, high)?));
        Some((form, quotient))
    }
}

/// Whether all values are non-negative (`true`) or all are non-positive.
fn sign(values: &Value) -> Option<bool> {
    let zero = Bound::Finite(Int::ZERO);
    if values.low() >= zero { Some(true) } else { (values.high() <= zero).then_some(false) }
}

/// Lower and upper bound of a form.
pub(super) fn within_bounds(form: &LinearExpr, within: &Interval) -> impl Iterator<Item = Constraint> {
    let bound = |bound: &Bound| bound.finite().map(|bound| LinearExpr::constant(bound.clone()));
    let low = bound(within.low()).map(|low| Constraint::at_least_zero(form.minus(&low)));
    let high = bound(within.high()).map(|high| Constraint::at_least_zero(high.minus(form)));
    low.into_iter().chain(high)
}
