//! Conditions in the logic of integers. Division there is Euclidean and total, so truncation and
//! definedness are written out: a term and, where it has divisions, a guard.

use std::fmt::Write;

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, IntType, Needs, Var};

use super::bits;

use crate::problem::{Problem, Sort};

pub fn variable_name(variable: Var) -> String {
    format!("v{}", variable.0)
}

pub fn assertion_name(index: usize) -> String {
    format!("a{index}")
}

/// Declarations and named assertions, one per line.
pub fn script(problem: &Problem) -> String {
    let mut text = String::new();
    for variable in problem.variables() {
        let name = variable_name(variable);
        let _ = writeln!(text, "(declare-const {name} Int)");
        if let Sort::Machine(ty) = problem.sort(variable) {
            let _ = writeln!(text, "(assert (<= {} {name} {}))", number(&ty.min()), number(&ty.max()));
        }
    }
    for (index, cond) in problem.assertions().iter().enumerate() {
        let _ = writeln!(text, "(assert (! {} :named {}))", satisfied(cond), assertion_name(index));
    }
    text
}

/// True where the condition is defined and holds.
fn satisfied(cond: &Cond) -> String {
    match defined(cond) {
        Some(guard) => format!("(and {guard} {})", truth(cond)),
        None => truth(cond),
    }
}

fn truth(cond: &Cond) -> String {
    match cond {
        Cond::Literal(value) => value.to_string(),
        Cond::Compare(op, left, right) => {
            let (left, right) = (term(left), term(right));
            match op {
                CompareOp::Equal => format!("(= {left} {right})"),
                CompareOp::NotEqual => format!("(distinct {left} {right})"),
                _ => format!("({} {left} {right})", op.symbol()),
            }
        }
        Cond::Not(inner) => format!("(not {})", truth(inner)),
        Cond::And(left, right) => format!("(and {} {})", truth(left), truth(right)),
        Cond::Or(left, right) => format!("(or {} {})", truth(left), truth(right)),
    }
}

pub(super) fn term(expr: &Expr) -> String {
    match expr {
        Expr::Constant(value) => number(value),
        Expr::Variable(variable) => variable_name(*variable),
        // Never defined, so any value will do.
        Expr::Any(_) => "0".to_string(),
        Expr::Negate(inner) => format!("(- {})", term(inner)),
        Expr::Unary(op, inner) => format!("({} {})", op.name(), term(inner)),
        Expr::Binary(op, left, right) => {
            if let Some(text) = bits::binary(*op, left, right) {
                return text;
            }
            let (left, right) = (term(left), term(right));
            let operator = match op {
                BinaryOp::Add => "+",
                BinaryOp::Sub => "-",
                BinaryOp::Mul => "*",
                _ => return format!("(let ((l {left}) (r {right})) {})", named(*op)),
            };
            format!("({operator} {left} {right})")
        }
        Expr::Wrap(ty, inner) => wrapped(*ty, &term(inner)),
        Expr::IfThenElse(cond, yes, no) => format!("(ite {} {} {})", truth(cond), term(yes), term(no)),
    }
}

/// An operator on `l` and `r`, which are named because they occur more than once.
fn named(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Div => "(ite (>= l 0) (div l r) (- (div (- l) r)))",
        BinaryOp::Rem => "(ite (>= l 0) (mod l r) (- (mod (- l) r)))",
        BinaryOp::Min => "(ite (<= l r) l r)",
        BinaryOp::Max => "(ite (<= l r) r l)",
        BinaryOp::Add => "(+ l r)",
        BinaryOp::Sub => "(- l r)",
        BinaryOp::Mul => "(* l r)",
        // Never sent: see `expressible`.
        BinaryOp::BitAnd => "(bit-and l r)",
        BinaryOp::BitOr => "(bit-or l r)",
        BinaryOp::BitXor => "(bit-xor l r)",
        BinaryOp::ShiftLeft => "(shift-left l r)",
        BinaryOp::ShiftRight => "(shift-right l r)",
        BinaryOp::Power => "(power l r)",
    }
}

fn wrapped(ty: IntType, inner: &str) -> String {
    let modulus = ty.modulus();
    if !ty.signed {
        return format!("(mod {inner} {modulus})");
    }
    let half = ty.min().neg();
    format!("(- (mod (+ {inner} {half}) {modulus}) {half})")
}

fn number(value: &Int) -> String {
    if value.is_negative() { format!("(- {})", value.abs()) } else { value.to_string() }
}

/// Where the condition is defined; `None`: everywhere.
fn defined(cond: &Cond) -> Option<String> {
    match cond {
        Cond::Literal(_) => None,
        Cond::Compare(_, left, right) => both(defined_term(left), defined_term(right)),
        Cond::Not(inner) => defined(inner),
        Cond::And(left, right) => {
            let reached = defined(right).map(|guard| format!("(=> {} {guard})", truth(left)));
            both(defined(left), reached)
        }
        Cond::Or(left, right) => {
            let reached = defined(right).map(|guard| format!("(or {} {guard})", truth(left)));
            both(defined(left), reached)
        }
    }
}

fn defined_term(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Constant(_) | Expr::Variable(_) => None,
        Expr::Any(_) => Some("false".to_string()),
        Expr::Negate(inner) | Expr::Wrap(_, inner) => defined_term(inner),
        Expr::Binary(op, left, right) => {
            let sides = both(defined_term(left), defined_term(right));
            let (of_left, of_right) = op.needs();
            let guard = |needs: Needs, operand: &Expr| match (&needs, operand) {
                (Needs::NotZero, Expr::Constant(value)) if value.is_zero() => {
                    Some("(distinct 0 0)".to_string())
                }
                _ => needs.condition(operand).map(|cond| truth(&cond)),
            };
            both(sides, both(guard(of_left, left), guard(of_right, right)))
        }
        Expr::Unary(op, inner) => {
            both(defined_term(inner), op.needs().condition(inner).map(|cond| truth(&cond)))
        }
        Expr::IfThenElse(cond, yes, no) => {
            let sides = match (defined_term(yes), defined_term(no)) {
                (None, None) => None,
                (yes, no) => {
                    let side = |guard: Option<String>| guard.unwrap_or_else(|| "true".to_string());
                    Some(format!("(ite {} {} {})", truth(cond), side(yes), side(no)))
                }
            };
            both(defined(cond), sides)
        }
    }
}

fn both(left: Option<String>, right: Option<String>) -> Option<String> {
    match (left, right) {
        (Some(left), Some(right)) => Some(format!("(and {left} {right})")),
        (left, right) => left.or(right),
    }
}
