//! Concrete evaluation: what the abstract operators are measured against.

use crate::expr::{BinaryOp, Cond, Expr, UnaryOp};
use crate::int::Int;

/// The value of an expression; `None` where an operator is undefined or meets `Any`, which has no single
/// value. Both operands are evaluated, left first; `IfThenElse` evaluates one side only.
pub fn eval<V>(expr: &Expr<V>, read: &mut impl FnMut(&V) -> Int) -> Option<Int> {
    match expr {
        Expr::Constant(value) => Some(value.clone()),
        Expr::Variable(variable) => Some(read(variable)),
        Expr::Any(_) => None,
        Expr::Negate(inner) => Some(-eval(inner, read)?),
        Expr::Unary(op, inner) => apply_unary(*op, &eval(inner, read)?),
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

/// One operator; `None` where it is undefined.
pub fn apply(op: BinaryOp, left: &Int, right: &Int) -> Option<Int> {
    if op.is_partial() {
        let (of_left, of_right) = op.needs();
        if !of_left.allow(left) || !of_right.allow(right) {
            return None;
        }
    }
    let count = || u32::try_from(right.to_i64()?).ok();
    match op {
        BinaryOp::Add => Some(left + right),
        BinaryOp::Sub => Some(left - right),
        BinaryOp::Mul => Some(left * right),
        BinaryOp::Div => left.div_trunc(right),
        BinaryOp::Rem => left.rem_trunc(right),
        BinaryOp::Min => Some(left.min(right).clone()),
        BinaryOp::Max => Some(left.max(right).clone()),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
        BinaryOp::ShiftLeft => Some(left.shifted_left(count()?)),
        BinaryOp::ShiftRight => Some(left.shifted_right(count()?)),
        BinaryOp::Power => Some(left.pow(count()?)),
    }
}

/// One operator; `None` where it is undefined.
pub fn apply_unary(op: UnaryOp, operand: &Int) -> Option<Int> {
    if !op.needs().allow(operand) {
        return None;
    }
    match op {
        UnaryOp::CountOnes => operand.count_ones().map(Int::from),
        UnaryOp::BitLength => Some(Int::from(operand.bits())),
        UnaryOp::TrailingZeros => operand.trailing_zeros().map(Int::from),
        UnaryOp::SquareRoot => operand.square_root(),
    }
}
