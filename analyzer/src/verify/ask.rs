//! Questions to the solver, and the plain interval arithmetic that spares most of them.

use std::time::Duration;

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Interval, Needs, Var};
use kleene_solver::{Answer, Budget, Embedded, Solver};
use rustc_hash::FxHashSet;

use super::steps::within;
use super::{Checked, open, wrong};

/// What is known of the variables of a question.
pub struct Known<'k> {
    /// A range that holds every value of a variable.
    pub range: &'k dyn Fn(Var) -> Interval,
    /// More, in full.
    pub facts: &'k [Cond],
}

pub struct Asker;

impl Asker {
    /// Accepts if no values satisfy the conditions and what is known.
    pub fn impossible(&self, known: &Known<'_>, conds: &[Cond]) -> Checked<()> {
        let conds: Vec<Cond> = conds.iter().map(|cond| simple(cond, known.range)).collect();
        if conds.iter().any(|cond| *cond == Cond::Literal(false)) {
            return Ok(());
        }
        let near = cone(&conds, known.facts);
        let answer = self.ask(known, &conds, &near);
        let answer = match answer {
            // What has nothing to do with the question may still contradict itself.
            Answer::Sat(_) if near.len() < known.facts.len() => self.ask(known, &conds, known.facts),
            answer => answer,
        };
        match answer {
            Answer::Unsat(_) => Ok(()),
            Answer::Sat(model) => {
                let values: Vec<String> =
                    model.iter().take(12).map(|(var, value)| format!("{} = {value}", var.0)).collect();
                wrong(format!("slots {}", values.join(", ")))
            }
            Answer::Unknown(reason) => {
                let mut flat = Flat { range: known.range, made: Vec::new(), next: 1 << 20 };
                let near: Vec<Cond> = near.iter().map(|fact| flat.cond(fact)).collect();
                let conds: Vec<Cond> = conds.iter().map(|cond| flat.cond(cond)).collect();
                let made = flat.made;
                let range = |var: Var| {
                    let own = made.iter().find(|(own, _)| *own == var);
                    own.map_or_else(|| (known.range)(var), |(_, range)| range.clone())
                };
                match self.ask(&Known { range: &range, facts: &[] }, &conds, &near) {
                    Answer::Unsat(_) => Ok(()),
                    _ => open(format!("the solver cannot decide it: {reason}")),
                }
            }
        }
    }

    fn ask(&self, known: &Known<'_>, conds: &[Cond], facts: &[Cond]) -> Answer {
        let mut solver = Embedded::new();
        let mut variables = FxHashSet::default();
        for cond in facts.iter().chain(conds) {
            cond.for_each_variable(&mut |var| {
                variables.insert(*var);
            });
            solver.assert(cond);
        }
        let mut variables: Vec<Var> = variables.into_iter().collect();
        variables.sort_unstable();
        for var in variables {
            let range = (known.range)(var);
            within(&Expr::Variable(var), &range).iter().for_each(|cond| {
                solver.assert(cond);
            });
        }
        let budget = Budget {
            conflicts: 20_000,
            pivots: 20_000,
            nodes: 2_000,
            time: Duration::from_secs(10),
            ..Budget::default()
        };
        solver.check(&budget)
    }
}

/// The facts that share variables with the conditions, directly or through others.
fn cone(conds: &[Cond], facts: &[Cond]) -> Vec<Cond> {
    let mut reached = FxHashSet::default();
    let reach = |cond: &Cond, reached: &mut FxHashSet<Var>| {
        cond.for_each_variable(&mut |var| {
            reached.insert(*var);
        });
    };
    conds.iter().for_each(|cond| reach(cond, &mut reached));
    let mut taken = vec![false; facts.len()];
    loop {
        let mut grown = false;
        for (fact, taken) in facts.iter().zip(&mut taken) {
            let mut touches = false;
            fact.for_each_variable(&mut |var| touches |= reached.contains(var));
            if touches && !*taken {
                *taken = true;
                grown = true;
                reach(fact, &mut reached);
            }
        }
        if !grown {
            break;
        }
    }
    facts.iter().zip(taken).filter(|(_, taken)| *taken).map(|(fact, _)| fact.clone()).collect()
}

/// A range for the values of an expression, where it has any.
pub fn interval(expr: &Expr, range: &dyn Fn(Var) -> Interval) -> Interval {
    match expr {
        Expr::Constant(value) => Interval::constant(value.clone()),
        Expr::Variable(var) => range(*var),
        Expr::Any(values) => values.clone(),
        Expr::Negate(inner) => interval(inner, range).neg(),
        Expr::Unary(op, inner) => interval(inner, range).unary(*op).unwrap_or_else(Interval::top),
        Expr::Binary(op, left, right) => {
            let (left, right) = (interval(left, range), interval(right, range));
            match op {
                BinaryOp::Add => left.add(&right),
                BinaryOp::Sub => left.sub(&right),
                BinaryOp::Mul => left.mul(&right),
                BinaryOp::Div => left.div(&right).unwrap_or_else(Interval::top),
                BinaryOp::Rem => left.rem(&right).unwrap_or_else(Interval::top),
                BinaryOp::Min => left.min(&right),
                BinaryOp::Max => left.max(&right),
                _ => {
                    let parts = left.bits(*op, &right).into_iter();
                    parts.reduce(|hull, part| hull.join(&part)).unwrap_or_else(Interval::top)
                }
            }
        }
        Expr::Wrap(ty, inner) => {
            let inner = interval(inner, range);
            if inner.leq(&ty.range()) { inner } else { ty.range() }
        }
        Expr::IfThenElse(_, yes, no) => interval(yes, range).join(&interval(no, range)),
    }
}

/// The truth of a comparison of ranges, if it is the same for all values.
fn compare(op: CompareOp, left: &Interval, right: &Interval) -> Option<bool> {
    let below = |a: &Interval, b: &Interval| a.high() < b.low();
    let at_most = |a: &Interval, b: &Interval| a.high() <= b.low() && a.high().is_finite();
    match op {
        CompareOp::Equal => match (left.as_constant(), right.as_constant()) {
            (Some(left), Some(right)) => Some(left == right),
            _ if left.meet(right).is_none() => Some(false),
            _ => None,
        },
        CompareOp::Less if below(left, right) => Some(true),
        CompareOp::Less if at_most(right, left) => Some(false),
        CompareOp::LessEqual if at_most(left, right) => Some(true),
        CompareOp::LessEqual if below(right, left) => Some(false),
        CompareOp::Less | CompareOp::LessEqual => None,
        CompareOp::NotEqual | CompareOp::Greater | CompareOp::GreaterEqual => match op {
            CompareOp::Greater => compare(CompareOp::Less, right, left),
            CompareOp::GreaterEqual => compare(CompareOp::LessEqual, right, left),
            _ => compare(CompareOp::Equal, left, right).map(|equal| !equal),
        },
    }
}

/// An expression with the same values where it is defined: what has one value is a constant, what does not
/// wrap is plain, what is decided is decided.
pub fn simple_expr(expr: &Expr, range: &dyn Fn(Var) -> Interval) -> Expr {
    let values = interval(expr, range);
    if let Some(value) = values.as_constant()
        && !is_partial(expr)
    {
        return Expr::Constant(value.clone());
    }
    match expr {
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => expr.clone(),
        Expr::Negate(inner) => Expr::Negate(Box::new(simple_expr(inner, range))),
        Expr::Unary(op, inner) => Expr::unary(*op, simple_expr(inner, range)),
        Expr::Binary(op, left, right) => {
            Expr::binary(*op, simple_expr(left, range), simple_expr(right, range))
        }
        Expr::Wrap(ty, inner) => {
            let plain = interval(inner, range).leq(&ty.range());
            let inner = simple_expr(inner, range);
            if plain { inner } else { Expr::Wrap(*ty, Box::new(inner)) }
        }
        Expr::IfThenElse(cond, yes, no) => match simple(cond, range) {
            Cond::Literal(true) => simple_expr(yes, range),
            Cond::Literal(false) => simple_expr(no, range),
            cond => {
                let (yes, no) = (simple_expr(yes, range), simple_expr(no, range));
                Expr::IfThenElse(Box::new(cond), Box::new(yes), Box::new(no))
            }
        },
    }
}

/// A condition that holds where this one does, in simpler words; literal where ranges decide it.
pub fn simple(cond: &Cond, range: &dyn Fn(Var) -> Interval) -> Cond {
    match cond {
        Cond::Literal(_) => cond.clone(),
        Cond::Compare(op, left, right) => {
            let decided = match is_partial(left) || is_partial(right) {
                true => None,
                false => compare(*op, &interval(left, range), &interval(right, range)),
            };
            match decided {
                Some(value) => Cond::Literal(value),
                None => Cond::Compare(*op, simple_expr(left, range), simple_expr(right, range)),
            }
        }
        Cond::Not(inner) => simple(inner, range).negated(),
        Cond::And(left, right) => match simple(left, range) {
            Cond::Literal(false) => Cond::Literal(false),
            left => left.and(simple(right, range)),
        },
        Cond::Or(left, right) => match simple(left, range) {
            Cond::Literal(true) => Cond::Literal(true),
            left => left.or(simple(right, range)),
        },
    }
}

/// May have no value somewhere.
fn is_partial(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Variable(_) => false,
        Expr::Any(_) => true,
        Expr::Negate(inner) | Expr::Wrap(_, inner) => is_partial(inner),
        Expr::Unary(..) => true,
        Expr::Binary(op, left, right) => {
            let (of_left, of_right) = op.needs();
            let lacks = of_left.condition(left).is_some() || of_right.condition(right).is_some();
            lacks || is_partial(left) || is_partial(right)
        }
        Expr::IfThenElse(cond, yes, no) => is_partial_cond(cond) || is_partial(yes) || is_partial(no),
    }
}

pub fn is_partial_cond(cond: &Cond) -> bool {
    let mut partial = false;
    cond.for_each_comparison(&mut |_, left, right| partial |= is_partial(left) || is_partial(right));
    partial
}

/// Where evaluating a condition, left to right, meets an expression without a value.
pub fn undefined(cond: &Cond) -> Cond {
    match cond {
        Cond::Literal(_) => Cond::Literal(false),
        Cond::Compare(_, left, right) => undefined_expr(left).or(undefined_expr(right)),
        Cond::Not(inner) => undefined(inner),
        Cond::And(left, right) => undefined(left).or((**left).clone().and(undefined(right))),
        Cond::Or(left, right) => undefined(left).or((**left).clone().negated().and(undefined(right))),
    }
}

fn undefined_expr(expr: &Expr) -> Cond {
    if !is_partial(expr) {
        return Cond::Literal(false);
    }
    match expr {
        Expr::Constant(_) | Expr::Variable(_) => Cond::Literal(false),
        Expr::Any(_) => Cond::Literal(true),
        Expr::Negate(inner) | Expr::Wrap(_, inner) => undefined_expr(inner),
        Expr::Binary(op, left, right) => {
            let below = undefined_expr(left).or(undefined_expr(right));
            let (of_left, of_right) = op.needs();
            below.or(lacking(&of_left, left)).or(lacking(&of_right, right))
        }
        Expr::Unary(op, inner) => undefined_expr(inner).or(lacking(&op.needs(), inner)),
        Expr::IfThenElse(cond, yes, no) => {
            let first = (**cond).clone().and(undefined_expr(yes));
            let second = (**cond).clone().negated().and(undefined_expr(no));
            undefined(cond).or(first.or(second))
        }
    }
}

/// The operand has a value it must not have.
fn lacking(needs: &Needs, operand: &Expr) -> Cond {
    needs.condition(operand).map_or(Cond::Literal(false), Cond::negated)
}

/// Replaces what is not linear by variables of its range: satisfied whenever the original is.
struct Flat<'f> {
    range: &'f dyn Fn(Var) -> Interval,
    made: Vec<(Var, Interval)>,
    next: u32,
}

impl Flat<'_> {
    fn cond(&mut self, cond: &Cond) -> Cond {
        match cond {
            Cond::Literal(_) => cond.clone(),
            Cond::Compare(op, left, right) => Cond::Compare(*op, self.expr(left), self.expr(right)),
            Cond::Not(inner) => self.cond(inner).negated(),
            Cond::And(left, right) => self.cond(left).and(self.cond(right)),
            Cond::Or(left, right) => self.cond(left).or(self.cond(right)),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Expr {
        match expr {
            Expr::Constant(_) | Expr::Variable(_) => expr.clone(),
            Expr::Negate(inner) => Expr::Negate(Box::new(self.expr(inner))),
            Expr::Binary(
                op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Min | BinaryOp::Max),
                left,
                right,
            ) => Expr::binary(*op, self.expr(left), self.expr(right)),
            Expr::Binary(BinaryOp::Mul, left, right)
                if matches!(**left, Expr::Constant(_)) || matches!(**right, Expr::Constant(_)) =>
            {
                Expr::binary(BinaryOp::Mul, self.expr(left), self.expr(right))
            }
            Expr::IfThenElse(cond, yes, no) => {
                let (cond, yes, no) = (self.cond(cond), self.expr(yes), self.expr(no));
                Expr::IfThenElse(Box::new(cond), Box::new(yes), Box::new(no))
            }
            other => {
                let var = Var(self.next);
                self.next += 1;
                self.made.push((var, interval(other, self.range)));
                Expr::Variable(var)
            }
        }
    }
}
