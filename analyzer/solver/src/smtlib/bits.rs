//! Bit operations in the logic of integers, where a constant operand allows it. Division and remainder there round
//! down for positive divisors, which is what shifts and masks are.

use std::fmt::Write;

use kleene_domains::{BinaryOp, Cond, Expr, Int};

use super::print::term;
use crate::embedded::runs;
use crate::problem::Problem;

/// Powers up to this are written as products.
const PRODUCTS: i64 = 16;

/// Whether every operator of the problem has a form.
pub fn expressible(problem: &Problem) -> bool {
    problem.assertions().iter().all(cond_expressible)
}

fn cond_expressible(cond: &Cond) -> bool {
    let mut all = true;
    cond.for_each_comparison(&mut |_, left, right| {
        all = all && expr_expressible(left) && expr_expressible(right);
    });
    all
}

fn expr_expressible(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => true,
        Expr::Unary(..) => false,
        Expr::Negate(inner) | Expr::Wrap(_, inner) => expr_expressible(inner),
        Expr::Binary(op, left, right) => {
            let plain = expr_expressible(left) && expr_expressible(right);
            plain && (!is_bit_operation(*op) || binary(*op, left, right).is_some())
        }
        Expr::IfThenElse(cond, yes, no) => {
            cond_expressible(cond) && expr_expressible(yes) && expr_expressible(no)
        }
    }
}

fn is_bit_operation(op: BinaryOp) -> bool {
    use BinaryOp::{BitAnd, BitOr, BitXor, Power, ShiftLeft, ShiftRight};
    matches!(op, BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight | Power)
}

/// The text of an operation by a constant; `None` if there is none, or if it is no bit operation.
pub(super) fn binary(op: BinaryOp, left: &Expr, right: &Expr) -> Option<String> {
    match (op, left, right) {
        (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, value, Expr::Constant(mask))
        | (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, Expr::Constant(mask), value) => {
            let common = masked(mask)?;
            let mask = term(&Expr::Constant(mask.clone()));
            let result = match op {
                BinaryOp::BitAnd => common,
                BinaryOp::BitOr => format!("(- (+ l {mask}) {common})"),
                _ => format!("(- (+ l {mask}) (* 2 {common}))"),
            };
            Some(format!("(let ((l {})) {result})", term(value)))
        }
        (BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::Power, value, Expr::Constant(count)) => {
            let count = count.to_i64()?;
            let value = term(value);
            match op {
                // Undefined, so any value will do.
                _ if !(0..256).contains(&count) => Some("0".to_string()),
                BinaryOp::ShiftLeft => Some(format!("(* {value} {})", Int::power_of_two(count as u32))),
                BinaryOp::ShiftRight => Some(format!("(div {value} {})", Int::power_of_two(count as u32))),
                _ if count > PRODUCTS => None,
                _ => Some(format!("(let ((l {value})) (* 1 1{}))", " l".repeat(count as usize))),
            }
        }
        _ => None,
    }
}

/// `l & mask`, as a sum over the runs of ones.
fn masked(mask: &Int) -> Option<String> {
    if mask.is_negative() {
        return Some(format!("(- l {})", masked(&mask.complement())?));
    }
    let mut sum = "(+ 0 0".to_string();
    for (low, high) in runs(mask)? {
        let (weight, width) = (Int::power_of_two(low), Int::power_of_two(high - low));
        let _ = write!(sum, " (* {weight} (mod (div l {weight}) {width}))");
    }
    Some(sum + ")")
}
