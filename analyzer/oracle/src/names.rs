//! Small questions about syntax: which names occur, what may be undefined.

use crate::logic::Formula;
use crate::program::{Block, Cond, Expr, Name, Op, Program, Stmt};

pub fn in_expr(expr: &Expr, found: &mut Vec<Name>) {
    match expr {
        Expr::Const(_) | Expr::Any(_) => {}
        Expr::Truth(test) => in_cond(test, found),
        Expr::Var(name) => found.push(name.clone()),
        Expr::Element(name, index) => {
            found.push(name.clone());
            in_expr(index, found);
        }
        Expr::Negate(inner) => in_expr(inner, found),
        Expr::Binary(_, left, right) | Expr::Nondet(left, right) => {
            in_expr(left, found);
            in_expr(right, found);
        }
        Expr::Choose(test, yes, no) => {
            in_cond(test, found);
            in_expr(yes, found);
            in_expr(no, found);
        }
        Expr::Call(_, arguments) => arguments.iter().for_each(|argument| in_expr(argument, found)),
    }
}

pub fn in_cond(cond: &Cond, found: &mut Vec<Name>) {
    match cond {
        Cond::Const(_) => {}
        Cond::Flag(name) => found.push(name.clone()),
        Cond::Compare(_, left, right) => {
            in_expr(left, found);
            in_expr(right, found);
        }
        Cond::Nonzero(inner) => in_expr(inner, found),
        Cond::Not(inner) => in_cond(inner, found),
        Cond::And(left, right) | Cond::Or(left, right) => {
            in_cond(left, found);
            in_cond(right, found);
        }
    }
}

/// Whether an atom divides or indexes by more than a number: it may lack a value somewhere.
pub fn is_partial(formula: &Formula) -> bool {
    fn expr(value: &Expr) -> bool {
        match value {
            Expr::Binary(Op::Div | Op::Rem, left, right) => {
                !matches!(**right, Expr::Const(divisor) if divisor != 0) || expr(left)
            }
            Expr::Element(_, index) => !matches!(**index, Expr::Const(_)),
            Expr::Binary(_, left, right) => expr(left) || expr(right),
            Expr::Negate(inner) => expr(inner),
            _ => false,
        }
    }
    fn cond(value: &Cond) -> bool {
        match value {
            Cond::Const(_) | Cond::Flag(_) => false,
            Cond::Compare(_, left, right) => expr(left) || expr(right),
            Cond::Nonzero(inner) => expr(inner),
            Cond::Not(inner) => cond(inner),
            Cond::And(left, right) | Cond::Or(left, right) => cond(left) || cond(right),
        }
    }
    let mut found = false;
    formula.walk(&mut |part| {
        if let Formula::Atom(atom) = part {
            found |= cond(atom);
        }
    });
    found
}

/// Every statement of the program, outer before inner.
pub fn each_statement(program: &Program, visit: &mut dyn FnMut(&Stmt)) {
    fn block(body: &Block, visit: &mut dyn FnMut(&Stmt)) {
        for stmt in body {
            visit(stmt);
            match stmt {
                Stmt::If(_, yes, no) => {
                    block(yes, visit);
                    block(no, visit);
                }
                Stmt::While(_, body)
                | Stmt::Do(body, _)
                | Stmt::For(_, _, _, _, body)
                | Stmt::Nested(body) => {
                    block(body, visit);
                }
                _ => {}
            }
        }
    }
    program.functions.iter().for_each(|function| block(&function.body, visit));
}
