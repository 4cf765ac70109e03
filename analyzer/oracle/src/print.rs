//! Programs as C- text.
//!
//! Parentheses are printed only where the grammar needs them, so that the engine's reading of operator
//! precedence is tested along with everything else.

use std::fmt::Write;

use crate::program::{Cond, Expr, Function, Global, Initial, Op, Program, Rel, Stmt};

/// Binding strength, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choose,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Unary,
}

pub fn program(program: &Program) -> String {
    let mut text = String::new();
    for item in &program.globals {
        let _ = writeln!(text, "{}", global(item));
    }
    for item in &program.functions {
        text.push('\n');
        function(&mut text, item);
    }
    text
}

fn global(item: &Global) -> String {
    let name = &item.name;
    match &item.initial {
        Initial::Value(value) => format!("int {name} = {};", expr(value)),
        Initial::Free(..) | Initial::Any(_) => format!("int {name};"),
        Initial::Elements(values) => format!("int {name}[{}];", values.len()),
        Initial::Flag(value) => format!("bool {name} = {value};"),
        Initial::FreeFlag => format!("bool {name};"),
    }
}

fn function(text: &mut String, item: &Function) {
    let result = if item.has_result { "int" } else { "void" };
    let parameters: Vec<String> = item.parameters.iter().map(|name| format!("int {name}")).collect();
    let _ = writeln!(text, "{result} {}({}) {{", item.name, parameters.join(", "));
    block(text, &item.body, 1);
    text.push_str("}\n");
}

fn block(text: &mut String, body: &[Stmt], depth: usize) {
    for (index, stmt) in body.iter().enumerate() {
        statement(text, stmt, depth);
        // C wants a statement after a label; the end of a block is none.
        if matches!(stmt, Stmt::Label(_)) && index + 1 == body.len() {
            indent(text, depth);
            text.push_str(";\n");
        }
    }
}

fn indent(text: &mut String, depth: usize) {
    for _ in 0..depth {
        text.push_str("    ");
    }
}

/// The body of a branch or loop; braces only where they are needed.
fn body(text: &mut String, stmts: &[Stmt], depth: usize) {
    let plain = |stmt: &Stmt| {
        matches!(
            stmt,
            Stmt::Assign(..)
                | Stmt::Update(..)
                | Stmt::AssignElement(..)
                | Stmt::AssignFlag(..)
                | Stmt::Assert(_)
                | Stmt::Break
                | Stmt::Continue
                | Stmt::Tick
        )
    };
    match stmts {
        [only] if plain(only) => {
            text.push('\n');
            statement(text, only, depth + 1);
        }
        _ => {
            text.push_str(" {\n");
            block(text, stmts, depth + 1);
            indent(text, depth);
            text.push_str("}\n");
        }
    }
}

fn statement(text: &mut String, stmt: &Stmt, depth: usize) {
    indent(text, depth);
    let line = match stmt {
        Stmt::If(cond_, yes, no) => {
            let _ = write!(text, "if ({})", cond(cond_));
            body(text, yes, depth);
            if !no.is_empty() {
                indent(text, depth);
                text.push_str("else");
                body(text, no, depth);
            }
            return;
        }
        Stmt::While(cond_, inner) => {
            let _ = write!(text, "while ({})", cond(cond_));
            return body(text, inner, depth);
        }
        Stmt::Do(inner, cond_) => {
            text.push_str("do {\n");
            block(text, inner, depth + 1);
            indent(text, depth);
            let _ = writeln!(text, "}} while ({});", cond(cond_));
            return;
        }
        Stmt::For(name, first, cond_, step, inner) => {
            let step = assignment(name, step);
            let _ = write!(text, "for ({name} = {}; {}; {step})", expr(first), cond(cond_));
            return body(text, inner, depth);
        }
        Stmt::Nested(inner) => {
            text.push_str("{\n");
            block(text, inner, depth + 1);
            indent(text, depth);
            text.push_str("}\n");
            return;
        }
        Stmt::Declare(name, value) => format!("int {name} = {};", expr(value)),
        Stmt::Assign(name, value) => format!("{name} = {};", expr(value)),
        Stmt::Update(name, op, value) => format!("{};", update(name, *op, value)),
        Stmt::AssignElement(name, index, value) => format!("{name}[{}] = {};", expr(index), expr(value)),
        Stmt::AssignFlag(name, value) => format!("{name} = {};", cond(value)),
        Stmt::Call(name, values) => format!("{name}({});", arguments(values)),
        Stmt::Break => "break;".into(),
        Stmt::Continue => "continue;".into(),
        Stmt::Return(None) => "return;".into(),
        Stmt::Return(Some(value)) => format!("return {};", expr(value)),
        Stmt::Label(name) => format!("{name}:"),
        Stmt::Assert(value) => format!("assert({});", cond(value)),
        Stmt::Assume(value) => format!("assume({});", cond(value)),
        Stmt::Tick => "tick();".into(),
        Stmt::Print(value) => format!("print({});", expr(value)),
        Stmt::Empty => ";".into(),
    };
    text.push_str(&line);
    text.push('\n');
}

/// The step of a `for`: `i++` where it is one.
fn assignment(name: &str, value: &Expr) -> String {
    match value {
        Expr::Binary(op @ (Op::Add | Op::Sub), left, right) if **left == Expr::Var(name.to_string()) => {
            update(name, *op, right)
        }
        _ => format!("{name} = {}", expr(value)),
    }
}

fn update(name: &str, op: Op, value: &Expr) -> String {
    match (op, value) {
        (Op::Add, Expr::Const(1)) => format!("{name}++"),
        (Op::Sub, Expr::Const(1)) => format!("{name}--"),
        _ => format!("{name} {}= {}", op_text(op), expr(value)),
    }
}

fn arguments(values: &[Expr]) -> String {
    values.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn op_text(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem => "%",
    }
}

pub fn relation(rel: Rel) -> &'static str {
    match rel {
        Rel::Lt => "<",
        Rel::Le => "<=",
        Rel::Gt => ">",
        Rel::Ge => ">=",
        Rel::Eq => "==",
        Rel::Ne => "!=",
    }
}

pub fn expr(value: &Expr) -> String {
    expr_at(value, Level::Choose)
}

pub fn cond(value: &Cond) -> String {
    cond_at(value, Level::Choose)
}

fn wrap(text: String, own: Level, wanted: Level) -> String {
    if own < wanted { format!("({text})") } else { text }
}

fn expr_at(value: &Expr, wanted: Level) -> String {
    let (text, own) = match value {
        Expr::Const(number) => (number.to_string(), Level::Unary),
        Expr::Var(name) => (name.clone(), Level::Unary),
        Expr::Element(name, index) => (format!("{name}[{}]", expr(index)), Level::Unary),
        // A nested sign is kept apart: `--x` would be a decrement.
        Expr::Negate(inner) => match **inner {
            Expr::Var(_) | Expr::Element(..) => (format!("-{}", expr(inner)), Level::Unary),
            _ => (format!("-({})", expr(inner)), Level::Unary),
        },
        Expr::Binary(op, left, right) => {
            let (own, next) = match op {
                Op::Add | Op::Sub => (Level::Sum, Level::Product),
                Op::Mul | Op::Div | Op::Rem => (Level::Product, Level::Unary),
            };
            (format!("{} {} {}", expr_at(left, own), op_text(*op), expr_at(right, next)), own)
        }
        Expr::Choose(test, yes, no) => {
            let test = cond_at(test, Level::Or);
            (format!("{test} ? {} : {}", expr_at(yes, Level::Or), expr_at(no, Level::Or)), Level::Choose)
        }
        Expr::Nondet(low, high) => (format!("nondet({}, {})", expr(low), expr(high)), Level::Unary),
        Expr::Any(_) => ("nondet()".into(), Level::Unary),
        // `(x)` would be the number itself.
        Expr::Truth(test) => match &**test {
            Cond::Nonzero(inner) => (format!("({} != 0)", expr_at(inner, Level::Sum)), Level::Unary),
            test => (format!("({})", cond(test)), Level::Unary),
        },
        Expr::Call(name, values) => (format!("{name}({})", arguments(values)), Level::Unary),
    };
    wrap(text, own, wanted)
}

fn cond_at(value: &Cond, wanted: Level) -> String {
    let (text, own) = match value {
        Cond::Const(constant) => (constant.to_string(), Level::Unary),
        Cond::Flag(name) => (name.clone(), Level::Unary),
        Cond::Compare(rel, left, right) => {
            let (left, right) = (expr_at(left, Level::Sum), expr_at(right, Level::Sum));
            (format!("{left} {} {right}", relation(*rel)), Level::Compare)
        }
        Cond::Nonzero(inner) => (expr_at(inner, Level::Sum), Level::Sum),
        Cond::Not(inner) => (format!("!{}", cond_at(inner, Level::Unary)), Level::Unary),
        Cond::And(left, right) => {
            (format!("{} && {}", cond_at(left, Level::And), cond_at(right, Level::Compare)), Level::And)
        }
        Cond::Or(left, right) => {
            (format!("{} || {}", cond_at(left, Level::Or), cond_at(right, Level::And)), Level::Or)
        }
    };
    wrap(text, own, wanted)
}
