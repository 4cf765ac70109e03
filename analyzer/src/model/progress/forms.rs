//! A step as linear constraints between the values before and after it.
//!
//! What is not linear is a variable of its own with the bounds that are known: every concrete step
//! satisfies the constraints, some that satisfy them are no steps.

use kleene_domains::lattice::Lattice;
use kleene_domains::numeric::NumericState;
use kleene_domains::relation::{Constraint, Relation};
use kleene_domains::{BinaryOp, Bound, CompareOp, Cond, Expr, Int, LinearExpr, Value, Var};
use rustc_hash::FxHashMap;

use crate::interpret::State;

/// Constraints of one case of a guarded command. Slots mean the values when the guard is read, behind the
/// inputs; made-up variables come after them.
#[derive(Clone, Debug)]
pub struct LinearStep {
    pub rows: Vec<Constraint>,
    /// Slots whose value before the step is not the one the guard reads.
    before: FxHashMap<Var, LinearExpr>,
    after: FxHashMap<Var, LinearExpr>,
    /// The number of slots.
    first: u32,
    /// The first number no variable has.
    pub next: u32,
}

impl LinearStep {
    /// `None` if no step is possible.
    pub fn new(state: &State, case: &Cond) -> Option<Self> {
        let mut state = state.clone();
        state.assume(case);
        if state.is_bottom() {
            return None;
        }
        let mut step = Self {
            rows: Vec::new(),
            before: FxHashMap::default(),
            after: FxHashMap::default(),
            first: state.dimensions() as u32,
            next: state.dimensions() as u32,
        };
        step.know(&state, usize::MAX, &LinearExpr::variable);
        step.require(&state, case, true);
        Some(step)
    }

    pub fn before(&self, slot: Var) -> LinearExpr {
        self.before.get(&slot).cloned().unwrap_or_else(|| LinearExpr::variable(slot))
    }

    pub fn after(&self, slot: Var) -> LinearExpr {
        self.after.get(&slot).cloned().unwrap_or_else(|| LinearExpr::variable(slot))
    }

    pub fn first_made_up(&self) -> u32 {
        self.first
    }

    /// An expression's value before the step.
    pub fn before_all(&self, rank: &LinearExpr) -> LinearExpr {
        rank.replaced(|slot| self.before(slot))
    }

    /// An expression's value behind the step.
    pub fn after_all(&self, rank: &LinearExpr) -> LinearExpr {
        rank.replaced(|slot| self.after(slot))
    }

    /// What the step adds to an expression.
    pub fn change(&self, rank: &LinearExpr) -> LinearExpr {
        self.after_all(rank).minus(&self.before_all(rank))
    }

    /// The values before and after this step and another one, whose forms `placed` makes forms of this one's
    /// variables. The constraints are not looked at.
    pub fn followed_by(&self, next: &Self, placed: &dyn Fn(&LinearExpr) -> LinearExpr) -> Self {
        let mut after = self.after.clone();
        after.extend(next.after.iter().map(|(slot, form)| (*slot, placed(form))));
        let made_up = next.next - next.first;
        Self {
            rows: Vec::new(),
            before: self.before.clone(),
            after,
            first: self.first,
            next: self.next + made_up,
        }
    }

    /// An input replaces the slot's value.
    pub fn drawn(&mut self, slot: Var, before: &Value) {
        let old = self.unknown(before);
        self.before.insert(slot, old);
    }

    /// An input lies between two values. They are those of the moment it is drawn, when some slots have yet to
    /// get the values the guard reads.
    pub fn ranged(&mut self, state: &State, slot: Var, range: [&Expr; 2], yet_to_draw: &[Var]) {
        let drawn = LinearExpr::variable(slot);
        for (bound, lowest) in range.into_iter().zip([true, false]) {
            let mut reads_old = false;
            bound.for_each_variable(&mut |read| reads_old |= yet_to_draw.contains(read));
            let bound = match (reads_old, LinearExpr::of(bound)) {
                (false, _) => self.form(state, bound),
                (true, Some(form)) => form.replaced(|read| match yet_to_draw.contains(&read) {
                    true => self.before(read),
                    false => LinearExpr::variable(read),
                }),
                (true, None) => continue,
            };
            let over = if lowest { drawn.minus(&bound) } else { bound.minus(&drawn) };
            self.rows.push(Constraint::at_least_zero(over));
        }
    }

    pub fn assigned(&mut self, state: &State, slot: Var, value: &Expr) {
        let form = self.form(state, value);
        self.after.insert(slot, form);
    }

    pub fn overwritten(&mut self, slot: Var) {
        let anything = self.unknown(&Value::top());
        self.after.insert(slot, anything);
    }

    /// What holds behind the step if it arrives in a state, in terms of the first slots only.
    pub fn arriving(&self, state: &State, slots: usize) -> Vec<Constraint> {
        let mut arrived = Self { rows: Vec::new(), ..self.clone() };
        arrived.know(state, slots, &|slot| self.after(slot));
        arrived.rows
    }

    /// What a state says about the values that `place` gives its first slots.
    fn know(&mut self, state: &State, slots: usize, place: &dyn Fn(Var) -> LinearExpr) {
        let slots = slots.min(state.dimensions());
        for slot in (0..slots as u32).map(Var) {
            self.bounded(&place(slot), &state.get(slot));
        }
        for (variables, relation) in state.relations() {
            for constraint in relation.constraints() {
                let mut mentioned = constraint.variables();
                if mentioned.any(|dimension| variables[dimension.0 as usize].0 as usize >= slots) {
                    continue;
                }
                let form = constraint.form().replaced(|dimension| place(variables[dimension.0 as usize]));
                self.rows.push(match constraint.is_equality() {
                    true => Constraint::zero(form),
                    false => Constraint::at_least_zero(form),
                });
            }
        }
    }

    fn bounded(&mut self, form: &LinearExpr, values: &Value) {
        if form.as_constant().is_some() {
            return;
        }
        match (values.low(), values.high()) {
            (Bound::Finite(low), Bound::Finite(high)) if low == high => {
                self.rows.push(Constraint::zero(form.minus(&LinearExpr::constant(low))));
            }
            (low, high) => {
                if let Bound::Finite(low) = low {
                    self.rows.push(Constraint::at_least_zero(form.minus(&LinearExpr::constant(low))));
                }
                if let Bound::Finite(high) = high {
                    self.rows.push(Constraint::at_least_zero(LinearExpr::constant(high).minus(form)));
                }
            }
        }
    }

    /// A made-up variable of which only bounds are known.
    fn unknown(&mut self, values: &Value) -> LinearExpr {
        let made = LinearExpr::variable(Var(self.next));
        self.next += 1;
        self.bounded(&made, values);
        made
    }

    fn require(&mut self, state: &State, cond: &Cond, expected: bool) {
        match cond {
            Cond::Literal(_) => {}
            Cond::Not(inner) => self.require(state, inner, !expected),
            Cond::And(left, right) | Cond::Or(left, right) => {
                if matches!(cond, Cond::And(..)) == expected {
                    self.require(state, left, expected);
                    self.require(state, right, expected);
                }
            }
            Cond::Compare(op, left, right) => {
                let op = if expected { *op } else { op.negated() };
                if op == CompareOp::NotEqual {
                    return;
                }
                let (left, right) = (self.form(state, left), self.form(state, right));
                self.rows.extend(Constraint::compare(op, &left, &right));
            }
        }
    }

    /// The value of an expression that is defined in the state.
    fn form(&mut self, state: &State, expr: &Expr) -> LinearExpr {
        match expr {
            Expr::Constant(value) => LinearExpr::constant(value.clone()),
            Expr::Variable(slot) => LinearExpr::variable(*slot),
            Expr::Negate(inner) => self.form(state, inner).scaled(&Int::MINUS_ONE),
            Expr::Binary(BinaryOp::Add, left, right) => {
                let left = self.form(state, left);
                left.plus(&self.form(state, right))
            }
            Expr::Binary(BinaryOp::Sub, left, right) => {
                let left = self.form(state, left);
                left.minus(&self.form(state, right))
            }
            Expr::Binary(BinaryOp::Mul, left, right) => {
                let values = [state.value(left), state.value(right)];
                let (left, right) = (self.form(state, left), self.form(state, right));
                match (left.as_constant(), right.as_constant()) {
                    (Some(factor), _) => right.scaled(factor),
                    (_, Some(factor)) => left.scaled(factor),
                    _ => self.product([left, right], values, &state.value(expr)),
                }
            }
            Expr::Binary(BinaryOp::Div, left, right) => match &**right {
                Expr::Constant(by) if by.is_positive() => self.quotient(state, left, by, expr),
                _ => {
                    let quotient = self.unknown(&state.value(expr));
                    // At least the divisor's least value goes into what is not negative.
                    if let (Bound::Finite(left_low), Bound::Finite(by)) =
                        (state.value(left).low(), state.value(right).low())
                        && !left_low.is_negative()
                        && by.is_positive()
                    {
                        let rest = self.form(state, left).minus(&quotient.scaled(&by));
                        self.rows.push(Constraint::at_least_zero(rest));
                        self.rows.push(Constraint::at_least_zero(quotient.clone()));
                    }
                    quotient
                }
            },
            Expr::Binary(BinaryOp::Rem, left, right) => match &**right {
                Expr::Constant(by) if by.is_positive() => {
                    let whole = self.form(state, left);
                    let quotient = Expr::binary(BinaryOp::Div, (**left).clone(), (**right).clone());
                    let quotient = self.quotient(state, left, by, &quotient);
                    let rest = whole.minus(&quotient.scaled(by));
                    self.bounded(&rest, &state.value(expr));
                    rest
                }
                _ => {
                    let rest = self.unknown(&state.value(expr));
                    if state.value(right).low() >= Bound::Finite(Int::ONE) {
                        let most = self.form(state, right).minus(&LinearExpr::constant(Int::ONE));
                        self.rows.push(Constraint::at_least_zero(most.minus(&rest)));
                        self.rows.push(Constraint::at_least_zero(most.plus(&rest)));
                    }
                    rest
                }
            },
            Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), left, right) => {
                let greater = self.at_least(state, left, right);
                let (left, right) = (self.form(state, left), self.form(state, right));
                match greater {
                    Some(greater) if greater == (*op == BinaryOp::Max) => return left,
                    Some(_) => return right,
                    None => {}
                }
                let made = self.unknown(&state.value(expr));
                for side in [left, right] {
                    let over = if *op == BinaryOp::Max { made.minus(&side) } else { side.minus(&made) };
                    self.rows.push(Constraint::at_least_zero(over));
                }
                made
            }
            Expr::Binary(op, left, right) => self.bits(state, expr, *op, [left, right]),
            Expr::Unary(..) => self.unknown(&state.value(expr)),
            Expr::Wrap(ty, inner) => {
                if state.value(inner).leq(&Value::from_interval(ty.range())) {
                    return self.form(state, inner);
                }
                self.unknown(&state.value(expr))
            }
            Expr::IfThenElse(cond, yes, no) => match state.decide(cond) {
                Some(true) => self.form(state, yes),
                Some(false) => self.form(state, no),
                None => self.unknown(&state.value(expr)),
            },
            Expr::Any(_) => self.unknown(&state.value(expr)),
        }
    }

    /// A product of two values with bounds: (x - a)(y - b) is not negative if both factors have one sign, not
    /// positive if they have two.
    fn product(&mut self, factors: [LinearExpr; 2], values: [Value; 2], product: &Value) -> LinearExpr {
        let made = self.unknown(product);
        let [left, right] = &factors;
        let [left_ends, right_ends] = values.map(|value| [value.low(), value.high()]);
        for (at, left_end) in left_ends.iter().enumerate() {
            for (to, right_end) in right_ends.iter().enumerate() {
                let (Bound::Finite(a), Bound::Finite(b)) = (left_end, right_end) else { continue };
                let constant = LinearExpr::constant(a * b);
                let over = made.minus(&right.scaled(a)).minus(&left.scaled(b)).plus(&constant);
                let over = if at == to { over } else { over.scaled(&Int::MINUS_ONE) };
                self.rows.push(Constraint::at_least_zero(over));
            }
        }
        made
    }

    /// Whether one value is at least the other, if the state says so, or a single constraint.
    fn at_least(&self, state: &State, left: &Expr, right: &Expr) -> Option<bool> {
        let cond = Cond::Compare(CompareOp::GreaterEqual, left.clone(), right.clone());
        if let Some(decided) = state.decide(&cond) {
            return Some(decided);
        }
        let difference = LinearExpr::of(left)?.minus(&LinearExpr::of(right)?);
        let implied = |form: &LinearExpr| {
            let implies = |row: &Constraint| {
                form.minus(row.form()).as_constant().is_some_and(|more| !more.is_negative())
            };
            self.rows.iter().any(implies)
        };
        if implied(&difference) {
            return Some(true);
        }
        implied(&difference.scaled(&Int::MINUS_ONE)).then_some(false)
    }

    /// `left / by` truncates: the rest has the sign of `left` and is smaller than `by`.
    fn quotient(&mut self, state: &State, left: &Expr, by: &Int, expr: &Expr) -> LinearExpr {
        let values = state.value(left);
        let whole = self.form(state, left);
        let quotient = self.unknown(&state.value(expr));
        let rest = whole.minus(&quotient.scaled(by));
        let most = LinearExpr::constant(by - &Int::ONE);
        let zero = LinearExpr::constant(Int::ZERO);
        let not_negative = values.low() >= Bound::Finite(Int::ZERO);
        let not_positive = values.high() <= Bound::Finite(Int::ZERO);
        let least = if not_negative { zero.clone() } else { zero.minus(&most) };
        let most = if not_positive { zero } else { most };
        self.rows.push(Constraint::at_least_zero(rest.minus(&least)));
        self.rows.push(Constraint::at_least_zero(most.minus(&rest)));
        quotient
    }
}

impl LinearStep {
    /// Shifts and masks by constants; of the others only the values are known.
    fn bits(&mut self, state: &State, expr: &Expr, op: BinaryOp, operands: [&Expr; 2]) -> LinearExpr {
        let [left, right] = operands;
        let constant = match right {
            Expr::Constant(constant) => Some(constant),
            _ => None,
        };
        let power = constant.and_then(Int::to_usize).filter(|count| *count < 256);
        let power = power.map(|count| Int::power_of_two(count as u32));
        match (op, constant, power) {
            (BinaryOp::ShiftLeft, _, Some(by)) => self.form(state, left).scaled(&by),
            (BinaryOp::ShiftRight, _, Some(by)) => self.floor(state, left, &by),
            (BinaryOp::BitAnd, Some(mask), _)
                if mask.is_positive() && (mask & &(mask + &Int::ONE)).is_zero() =>
            {
                let by = mask + &Int::ONE;
                let whole = self.form(state, left);
                whole.minus(&self.floor(state, left, &by).scaled(&by))
            }
            _ => self.unknown(&state.value(expr)),
        }
    }

    /// The quotient by a positive constant, rounded down.
    fn floor(&mut self, state: &State, value: &Expr, by: &Int) -> LinearExpr {
        let whole = self.form(state, value);
        let quotient = self.unknown(&Value::top());
        let rest = whole.minus(&quotient.scaled(by));
        let most = LinearExpr::constant(by - &Int::ONE);
        self.rows.push(Constraint::at_least_zero(rest.clone()));
        self.rows.push(Constraint::at_least_zero(most.minus(&rest)));
        quotient
    }
}
