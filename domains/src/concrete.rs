//! Concrete evaluation: what the abstract operators are measured against.

use crate::expr::{BinaryOp, Cond, Expr};
use crate::int::Int;

/// The value of an expression; `None` where it divides by zero or meets `Any`, which has no single
/// value. Both operands are evaluated, left first; `IfThenElse` evaluates one side only.
pub fn eval<V>(expr: &Expr<V>, read: &mut impl FnMut(&V) -> Int) -> Option<Int> {
    match expr {
        Expr::Constant(value) => Some(value.clone()),
        Expr::Variable(variable) => Some(read(variable)),
        Expr::Any(_) => None,
        Expr::Negate(inner) => Some(-eval(inner, read)?),
        Expr::Binary(op, left, right) => {
            let left = eval(left, read)?;
            apply(*op, &left, &eval(right, read)?)
        }
        Expr::Wrap(ty, inner) => Some(ty.wrap(&eval(inner, read)?)),
        Expr::IfThenElse(cond, yes, no) => {
            if holds(cond, read)? {
                eval(yes, read)
            } else {
                eval(no, read)
            }
        }
    }
}

/// Whether a condition holds, with short circuit; `None` where what is evaluated is undefined.
pub fn holds<V>(cond: &Cond<V>, read: &mut impl FnMut(&V) -> Int) -> Option<bool> {
    match cond {
        Cond::Literal(value) => Some(*value),
        Cond::Compare(op, left, right) => {
            let left = eval(left, read)?;
            Some(op.holds(&left, &eval(right, read)?))
        }
        Cond::Not(inner) => Some(!holds(inner, read)?),
        Cond::And(left, right) => Some(holds(left, read)? && holds(right, read)?),
        Cond::Or(left, right) => Some(holds(left, read)? || holds(right, read)?),
    }
}

/// One operator; `None` for division by zero.
pub fn apply(op: BinaryOp, left: &Int, right: &Int) -> Option<Int> {
    match op {
        BinaryOp::Add => Some(left + right),
        BinaryOp::Sub => Some(left - right),
        BinaryOp::Mul => Some(left * right),
        BinaryOp::Div => left.div_trunc(right),
        BinaryOp::Rem => left.rem_trunc(right),
        BinaryOp::Min => Some(left.min(right).clone()),
        BinaryOp::Max => Some(left.max(right).clone()),
    }
}
