//! Evaluation where some variables are only bounded: what holds for every value they may have.

use crate::concrete;
use crate::expr::{BinaryOp, Cond, Expr};
use crate::product::Value;

/// Contains the value of an expression, whatever the values of its variables are; `None` where it may be undefined, or
/// where `read` knows nothing.
pub fn value<V: PartialEq>(expr: &Expr<V>, read: &mut impl FnMut(&V) -> Option<Value>) -> Option<Value> {
    match expr {
        Expr::Constant(value) => Some(Value::constant(value)),
        Expr::Variable(variable) => read(variable),
        Expr::Any(_) => None,
        Expr::Negate(inner) => Some(value(inner, read)?.neg()),
        Expr::Unary(op, inner) => {
            let inner = value(inner, read)?;
            (!op.needs().exclude_some(&inner)).then(|| inner.unary(*op))
        }
        Expr::Binary(op, left, right) => {
            let (left, right) = (value(left, read)?, value(right, read)?);
            applied(*op, &left, &right)
        }
        Expr::Wrap(ty, inner) => Some(value(inner, read)?.wrap(*ty)),
        Expr::IfThenElse(cond, yes, no) => match decide(cond, read) {
            Some(true) => value(yes, read),
            Some(false) => value(no, read),
            None => Some(value(yes, read)?.join(&value(no, read)?)),
        },
    }
}

fn applied(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    let (of_left, of_right) = op.needs();
    if of_left.exclude_some(left) || of_right.exclude_some(right) {
        return None;
    }
    match (left.as_constant(), right.as_constant()) {
        (Some(left), Some(right)) => concrete::apply(op, left, right).map(Value::constant),
        _ => Some(Value::binary(op, left, right)),
    }
}

/// The truth of a condition that is defined, if it is the same for all values of its variables.
pub fn decide<V: PartialEq>(cond: &Cond<V>, read: &mut impl FnMut(&V) -> Option<Value>) -> Option<bool> {
    match cond {
        Cond::Literal(value) => Some(*value),
        Cond::Compare(op, left, right) => {
            if left == right && matches!(left, Expr::Variable(_)) {
                return Some(op.holds(&0, &0));
            }
            Value::compare(*op, &value(left, read)?, &value(right, read)?)
        }
        Cond::Not(inner) => decide(inner, read).map(|answer| !answer),
        Cond::And(left, right) => match decide(left, read) {
            Some(false) => Some(false),
            Some(true) => decide(right, read),
            None => decide(right, read).filter(|answer| !answer),
        },
        Cond::Or(left, right) => match decide(left, read) {
            Some(true) => Some(true),
            Some(false) => decide(right, read),
            None => decide(right, read).filter(|answer| *answer),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{CompareOp, Var};
    use crate::interval::Interval;

    const X: Expr = Expr::Variable(Var(0));
    const Y: Expr = Expr::Variable(Var(1));

    /// The first variable is 5, the second lies between 0 and 3.
    fn read(variable: &Var) -> Option<Value> {
        match variable.0 {
            0 => Some(Value::constant(5)),
            1 => Interval::between(0, 3).map(Value::from_interval),
            _ => None,
        }
    }

    fn less(left: Expr, right: Expr) -> Cond {
        Cond::Compare(CompareOp::Less, left, right)
    }

    #[test]
    fn what_bounds_decide_is_decided() {
        assert_eq!(decide(&less(Y, X), &mut read), Some(true));
        assert_eq!(decide(&less(X, Y), &mut read), Some(false));
        assert_eq!(decide(&less(Y, Expr::Constant(2.into())), &mut read), None);
        assert_eq!(decide(&less(Y, Y), &mut read), Some(false));
    }

    #[test]
    fn one_side_is_enough_where_the_other_is_open() {
        let open = || less(Y, Expr::Constant(2.into()));
        let and = |left, right| Cond::And(Box::new(left), Box::new(right));
        let or = |left, right| Cond::Or(Box::new(left), Box::new(right));
        assert_eq!(decide(&and(open(), less(X, Y)), &mut read), Some(false));
        assert_eq!(decide(&and(open(), less(Y, X)), &mut read), None);
        assert_eq!(decide(&or(open(), less(Y, X)), &mut read), Some(true));
        assert_eq!(decide(&or(open(), less(X, Y)), &mut read), None);
    }

    #[test]
    fn what_may_be_undefined_has_no_value() {
        let over = |op, by| Expr::Binary(op, Box::new(X), Box::new(by));
        assert_eq!(value(&over(BinaryOp::Div, Y), &mut read), None);
        assert_eq!(value(&Expr::Variable(Var(2)), &mut read), None);
        let shifted = value(&over(BinaryOp::ShiftLeft, Y), &mut read).expect("defined for 0 to 3");
        assert!([5, 10, 20, 40].iter().all(|value| shifted.contains(&(*value).into())));
    }
}
