//! Conditions as people write them.

use kleene_domains::{BinaryOp, Cond, Expr, Int, Var};

/// How tightly an operator binds; operands that bind less get parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Single,
}

/// A condition in the syntax of formulas, with a name for each variable.
pub fn in_words(cond: &Cond, name: &dyn Fn(Var) -> String) -> String {
    condition(cond, name).0
}

type Worded = (String, Binding);

fn inside((text, own): Worded, outer: Binding) -> String {
    if own < outer { format!("({text})") } else { text }
}

fn condition(cond: &Cond, name: &dyn Fn(Var) -> String) -> Worded {
    match cond {
        Cond::Literal(value) => (value.to_string(), Binding::Single),
        Cond::Compare(op, left, right) => {
            let [left, right] = [left, right].map(|side| inside(expression(side, name), Binding::Sum));
            (format!("{left} {} {right}", op.symbol()), Binding::Comparison)
        }
        Cond::Not(inner) => {
            (format!("!{}", inside(condition(inner, name), Binding::Single)), Binding::Single)
        }
        Cond::And(left, right) => {
            let [left, right] = [left, right].map(|side| inside(condition(side, name), Binding::And));
            (format!("{left} && {right}"), Binding::And)
        }
        Cond::Or(left, right) => {
            let [left, right] = [left, right].map(|side| inside(condition(side, name), Binding::Or));
            (format!("{left} || {right}"), Binding::Or)
        }
    }
}

fn expression(expr: &Expr, name: &dyn Fn(Var) -> String) -> Worded {
    match expr {
        Expr::Constant(value) if value.is_negative() => (value.to_string(), Binding::Sum),
        Expr::Constant(value) => (value.to_string(), Binding::Single),
        Expr::Variable(var) => (name(*var), Binding::Single),
        Expr::Any(values) => (format!("any of {values}"), Binding::Or),
        Expr::Negate(inner) => {
            (format!("-{}", inside(expression(inner, name), Binding::Single)), Binding::Sum)
        }
        Expr::Unary(op, inner) => (format!("{}({})", op.name(), expression(inner, name).0), Binding::Single),
        Expr::Binary(op, left, right) => binary(*op, left, right, name),
        Expr::Wrap(ty, inner) => (format!("wrap_{ty}({})", expression(inner, name).0), Binding::Single),
        Expr::IfThenElse(cond, yes, no) => {
            let cond = inside(condition(cond, name), Binding::Comparison);
            let [yes, no] = [yes, no].map(|side| inside(expression(side, name), Binding::Sum));
            (format!("{cond} ? {yes} : {no}"), Binding::Or)
        }
    }
}

fn binary(op: BinaryOp, left: &Expr, right: &Expr, name: &dyn Fn(Var) -> String) -> Worded {
    let (symbol, own) = match op {
        BinaryOp::Add => ("+", Binding::Sum),
        BinaryOp::Sub => ("-", Binding::Sum),
        BinaryOp::Mul => ("*", Binding::Product),
        BinaryOp::Div => ("/", Binding::Product),
        BinaryOp::Rem => ("%", Binding::Product),
        BinaryOp::Min | BinaryOp::Max => {
            let symbol = if op == BinaryOp::Min { "min" } else { "max" };
            let [left, right] = [left, right].map(|side| expression(side, name).0);
            return (format!("{symbol}({left}, {right})"), Binding::Single);
        }
        BinaryOp::BitAnd => return bits("&", left, right, name),
        BinaryOp::BitOr => return bits("|", left, right, name),
        BinaryOp::BitXor => return bits("^", left, right, name),
        BinaryOp::ShiftLeft => return bits("<<", left, right, name),
        BinaryOp::ShiftRight => return bits(">>", left, right, name),
        BinaryOp::Power => return bits("**", left, right, name),
    };
    if let (BinaryOp::Mul, Expr::Constant(factor)) = (op, left)
        && *factor == Int::MINUS_ONE
    {
        return (format!("-{}", inside(expression(right, name), Binding::Product)), Binding::Sum);
    }
    let left = inside(expression(left, name), own);
    // What is added with a minus sign is subtracted.
    if op == BinaryOp::Add
        && let Some(positive) = opposite(right)
    {
        return (format!("{left} - {}", inside(expression(&positive, name), Binding::Product)), own);
    }
    // Same binding on the right: `a - (b - c)`, `a / (b * c)`.
    let next = if own == Binding::Sum { Binding::Product } else { Binding::Single };
    let right = inside(expression(right, name), next);
    let text =
        if op == BinaryOp::Mul { format!("{left}*{right}") } else { format!("{left} {symbol} {right}") };
    (text, own)
}

/// Nobody remembers how these bind: their operands stand in parentheses, and so do they.
fn bits(symbol: &str, left: &Expr, right: &Expr, name: &dyn Fn(Var) -> String) -> Worded {
    let [left, right] = [left, right].map(|side| inside(expression(side, name), Binding::Single));
    (format!("{left} {symbol} {right}"), Binding::Or)
}

/// The expression without its minus sign.
fn opposite(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Constant(value) if value.is_negative() => Some(Expr::Constant(-value.clone())),
        Expr::Binary(BinaryOp::Mul, factor, term) => match &**factor {
            Expr::Constant(factor) if factor.is_negative() => {
                let positive = -factor.clone();
                Some(match positive.is_one() {
                    true => (**term).clone(),
                    false => Expr::binary(BinaryOp::Mul, Expr::Constant(positive), (**term).clone()),
                })
            }
            _ => None,
        },
        _ => None,
    }
}
