//! What names mean: scopes, functions, constants, and suggestions for unknown ones.

use kleene_domains::int::Int;
use kleene_domains::machine::IntType;

use super::super::ast::{Expr, ExprKind, FunctionItem, Initialiser, Statement, StatementKind};
use super::super::types::Scalar;
use super::{Language, Lowerer};
use crate::ir::{FunctionId, VariableId};
use crate::source::{Diagnostic, Span};

#[derive(Clone, Debug)]
pub enum Binding {
    Scalar(VariableId, Scalar),
    Array(VariableId, Scalar, u32),
    Constant(Int, Scalar),
    /// Its declaration was wrong; every use is fine.
    Broken,
}

#[derive(Clone, Debug)]
pub struct Signature {
    pub id: FunctionId,
    pub parameters: Vec<Scalar>,
    pub result: Option<Scalar>,
}

impl<'a> Lowerer<'a, '_> {
    pub(super) fn bind(&mut self, name: &'a str, span: Span, binding: Binding) {
        let Some(scope) = self.scopes.last_mut() else { return };
        if scope.insert(name, binding).is_some() && !name.is_empty() {
            let place = if self.scopes.len() == 1 { "" } else { " in this block" };
            self.error(span, format!("`{name}` is declared twice{place}"));
        }
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Binding> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(name).cloned());
        local.or_else(|| (self.language == Language::C).then(|| header_constant(name)).flatten())
    }

    /// Reports an unknown variable, once per function.
    pub(super) fn unknown_variable(&mut self, name: &'a str, span: Span) {
        let known: Vec<&str> = self.scopes.iter().flat_map(|scope| scope.keys().copied()).collect();
        if !self.skipped_names.contains(name) {
            let diagnostic = if self.signatures.contains_key(name) {
                Diagnostic::error(span, format!("`{name}` is a function; only calls of it are supported"))
            } else {
                with_suggestion(Diagnostic::error(span, format!("`{name}` is not declared")), name, known)
            };
            self.diagnostics.push(diagnostic);
        }
        let inner = self.scopes.len().min(2) - 1;
        self.scopes[inner].insert(name, Binding::Broken);
    }

    pub(super) fn unknown_function(&mut self, name: &'a str, span: Span) {
        if self.skipped_names.contains(name) {
            return;
        }
        let mut known: Vec<&str> = self.signatures.keys().copied().collect();
        known.extend(super::intrinsic::NAMES);
        let message = format!("there is no function `{name}`");
        self.diagnostics.push(with_suggestion(Diagnostic::error(span, message), name, known));
    }
}

fn with_suggestion(diagnostic: Diagnostic, name: &str, mut known: Vec<&str>) -> Diagnostic {
    known.sort_unstable();
    let limit = name.len().div_ceil(3).min(3);
    let close = known.into_iter().map(|other| (distance(name, other, limit), other)).min();
    match close {
        Some((edits, other)) if edits <= limit && !other.is_empty() => {
            diagnostic.with_help(format!("did you mean `{other}`?"))
        }
        _ => diagnostic,
    }
}

/// Edits between two words; anything above `limit` may come out as `limit + 1`.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    if a.len().abs_diff(b.len()) > limit || a.len() > 200 {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(!x.eq_ignore_ascii_case(&y));
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Constants that headers would define.
fn header_constant(name: &str) -> Option<Binding> {
    let (ty, value) = match name {
        "INT_MAX" => (IntType::I32, IntType::I32.max()),
        "INT_MIN" => (IntType::I32, IntType::I32.min()),
        "UINT_MAX" => (IntType::U32, IntType::U32.max()),
        "LONG_MAX" | "LLONG_MAX" => (IntType::I64, IntType::I64.max()),
        "LONG_MIN" | "LLONG_MIN" => (IntType::I64, IntType::I64.min()),
        "ULONG_MAX" | "ULLONG_MAX" => (IntType::U64, IntType::U64.max()),
        "SHRT_MAX" => (IntType::I32, IntType::I16.max()),
        "SHRT_MIN" => (IntType::I32, IntType::I16.min()),
        "USHRT_MAX" => (IntType::I32, IntType::U16.max()),
        "CHAR_MAX" | "SCHAR_MAX" => (IntType::I32, IntType::I8.max()),
        "CHAR_MIN" | "SCHAR_MIN" => (IntType::I32, IntType::I8.min()),
        "UCHAR_MAX" => (IntType::I32, IntType::U8.max()),
        "EXIT_SUCCESS" => (IntType::I32, Int::from(0)),
        "EXIT_FAILURE" => (IntType::I32, Int::from(1)),
        _ => return None,
    };
    Some(Binding::Constant(value, Scalar::Int(ty)))
}

/// Whether some body calls `name`.
pub fn calls(bodies: &[&FunctionItem<'_>], name: &str) -> bool {
    bodies.iter().any(|body| body.body.iter().any(|statement| statement_calls(statement, name)))
}

fn statement_calls(statement: &Statement<'_>, name: &str) -> bool {
    let in_expr = |expr: &Expr<'_>| expression_calls(expr, name);
    let inside = |statement: &Statement<'_>| statement_calls(statement, name);
    match &statement.kind {
        StatementKind::Empty | StatementKind::Break | StatementKind::Continue | StatementKind::Goto(..) => {
            false
        }
        StatementKind::Expression(expr) => in_expr(expr),
        StatementKind::Declaration(declaration) => {
            declaration.declarators.iter().any(|declarator| match &declarator.initialiser {
                None => false,
                Some(Initialiser::Value(value)) => in_expr(value),
                Some(Initialiser::List(values)) => values.iter().any(in_expr),
            })
        }
        StatementKind::Block(statements) => statements.iter().any(inside),
        StatementKind::If { arms, otherwise } => {
            arms.iter().any(|(condition, body)| in_expr(condition) || inside(body))
                || otherwise.as_ref().is_some_and(|body| inside(body))
        }
        StatementKind::While { condition, body } | StatementKind::DoWhile { body, condition } => {
            in_expr(condition) || inside(body)
        }
        StatementKind::For(head) => {
            head.start.as_ref().is_some_and(inside)
                || head.condition.as_ref().is_some_and(in_expr)
                || head.step.as_ref().is_some_and(in_expr)
                || inside(&head.body)
        }
        StatementKind::Return(value) => value.as_ref().is_some_and(in_expr),
        StatementKind::Switch { value, body } => in_expr(value) || inside(body),
        StatementKind::Marked(_, body) => inside(body),
    }
}

fn expression_calls(expr: &Expr<'_>, name: &str) -> bool {
    if matches!(&expr.kind, ExprKind::Call { name: called, .. } if *called == name) {
        return true;
    }
    let mut found = false;
    expr.for_each_child(|child| found = found || expression_calls(child, name));
    found
}
