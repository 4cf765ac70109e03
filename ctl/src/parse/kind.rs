//! Second pass: sorts the mixed tree into formulas and terms.
//!
//! All complaints about operands of the wrong kind are made here, among them the classical trap that
//! `AG x <= 10` reads as `(AG x) <= 10`.

use super::ParseError;
use super::expression::{Expression, ExpressionKind};
use super::operators::{Binary, PathOperator, Prefix};
use crate::formula::Formula;
use crate::syntax::{Atom, Comparison, SourceSpan, Term};

/// Boxed like the results of the first pass, and for the same reason: this recurses on the tree.
type Sorted<T> = Result<Box<T>, Box<ParseError>>;
type Tree = Box<Expression>;

#[allow(clippy::boxed_local)] // the tree is owned by its boxes
pub(super) fn formula(text: &str, tree: Tree) -> Sorted<Formula<Atom>> {
    let span = tree.span;
    match tree.kind {
        ExpressionKind::Prefix(operator, f) if operator != Prefix::Negate => {
            let f = formula(text, f)?;
            Ok(Box::new(prefixed(operator, f)))
        }
        ExpressionKind::Binary(
            operator @ (Binary::And | Binary::Or | Binary::Implies | Binary::Iff),
            f,
            g,
        ) => {
            let f = formula(text, f)?;
            let g = formula(text, g)?;
            Ok(Box::new(connected(operator, f, g)))
        }
        ExpressionKind::Path(operator, q, f, g) => {
            let f = formula(text, f)?;
            let g = formula(text, g)?;
            Ok(Box::new(match operator {
                PathOperator::Until => Formula::Until(q, f, g),
                PathOperator::Release => Formula::Release(q, f, g),
                PathOperator::WeakUntil => Formula::WeakUntil(q, f, g),
            }))
        }
        ExpressionKind::Binary(Binary::Compare(op), left, right) => comparison(text, op, left, right),
        leaf => atom(text, leaf, span),
    }
}

fn prefixed(operator: Prefix, f: Box<Formula<Atom>>) -> Formula<Atom> {
    match operator {
        Prefix::Next(q) => Formula::Next(q, f),
        Prefix::Future(q) => Formula::Future(q, f),
        Prefix::Globally(q) => Formula::Globally(q, f),
        Prefix::Not | Prefix::Negate => Formula::Not(f),
    }
}

fn connected(operator: Binary, f: Box<Formula<Atom>>, g: Box<Formula<Atom>>) -> Formula<Atom> {
    match operator {
        Binary::Iff => Formula::Iff(f, g),
        Binary::Implies => Formula::Implies(f, g),
        Binary::Or => Formula::Or(f, g),
        Binary::And | Binary::Compare(_) | Binary::Arithmetic(_) => Formula::And(f, g),
    }
}

/// What has no formula below it.
fn atom(text: &str, kind: ExpressionKind, span: SourceSpan) -> Sorted<Formula<Atom>> {
    Ok(Box::new(match kind {
        ExpressionKind::Literal(value) => Formula::Literal(value),
        ExpressionKind::Name(name) => Formula::Atom(Atom::Boolean(*name)),
        ExpressionKind::Element(name, index) => {
            Formula::Atom(Atom::BooleanElement(*name, term(text, index)?))
        }
        ExpressionKind::Place(atom) => Formula::Atom(*atom),
        _ => return Err(Box::new(number_as_formula(text, span))),
    }))
}

#[allow(clippy::boxed_local)] // as above
fn term(text: &str, tree: Tree) -> Sorted<Term> {
    let span = tree.span;
    Ok(Box::new(match tree.kind {
        ExpressionKind::Integer(digits) => Term::Integer(digits),
        ExpressionKind::Name(name) => Term::Name(*name),
        ExpressionKind::Element(name, index) => Term::Element(*name, term(text, index)?),
        ExpressionKind::Prefix(Prefix::Negate, inner) => Term::Negate(term(text, inner)?),
        ExpressionKind::Power(base, exponent) => Term::Power(term(text, base)?, exponent),
        ExpressionKind::Binary(Binary::Arithmetic(op), left, right) => {
            Term::Binary(op, term(text, left)?, term(text, right)?)
        }
        _ => return Err(formula_as_number(text, span)),
    }))
}

#[cold]
fn formula_as_number(text: &str, span: SourceSpan) -> Box<ParseError> {
    let shown = excerpt(text, span);
    Box::new(ParseError::new(format!("`{shown}` is a formula, but a number is needed here"), span))
}

fn comparison(text: &str, op: Comparison, left: Tree, right: Tree) -> Sorted<Formula<Atom>> {
    if let Some(error) = bound_too_tightly(text, op, &left, &right) {
        return Err(Box::new(error));
    }
    if let (Comparison::Equal | Comparison::NotEqual, Some(literal)) =
        (op, literal(&left).or(literal(&right)))
    {
        let other = if matches!(left.kind, ExpressionKind::Literal(_)) { right } else { left };
        return truth_value(text, other, literal == (op == Comparison::Equal));
    }
    Ok(Box::new(Formula::Atom(Atom::Compare(op, *term(text, left)?, *term(text, right)?))))
}

fn literal(tree: &Expression) -> Option<bool> {
    if let ExpressionKind::Literal(value) = tree.kind { Some(value) } else { None }
}

/// `flag == true` and its three relatives mean `flag` or `!flag`.
fn truth_value(text: &str, tree: Tree, wanted: bool) -> Sorted<Formula<Atom>> {
    if !matches!(tree.kind, ExpressionKind::Name(_) | ExpressionKind::Element(..)) {
        let shown = excerpt(text, tree.span);
        let message = format!("`{shown}` cannot be compared with a truth value");
        return Err(Box::new(ParseError::new(message, tree.span).with_help("use `<->` between formulas")));
    }
    let plain = formula(text, tree)?;
    Ok(if wanted { plain } else { Box::new(Formula::Not(plain)) })
}

/// The prefix operators bind tighter than comparisons; say what was probably meant.
fn bound_too_tightly(
    text: &str,
    op: Comparison,
    left: &Expression,
    right: &Expression,
) -> Option<ParseError> {
    // Parentheses widen a span without changing the tree: then the user grouped it on purpose.
    let grouped = text[left.span.start..].starts_with('(');
    let mut operand = left;
    let mut outermost = true;
    while let ExpressionKind::Prefix(prefix, inner) = &operand.kind {
        if *prefix == Prefix::Negate {
            break;
        }
        operand = inner;
        outermost = false;
    }
    if outermost || grouped {
        return None;
    }
    let operators = text[left.span.start..operand.span.start].trim();
    let operand = excerpt(text, operand.span);
    let right = excerpt(text, right.span);
    let message = format!("`{}` is a formula, but a number is needed here", excerpt(text, left.span));
    let symbol = op.symbol();
    let space = if operators.ends_with('!') { "" } else { " " };
    Some(ParseError::new(message, left.span).with_help(format!(
        "`!` and temporal operators bind tightest: write `{operators}{space}({operand} {symbol} {right})`"
    )))
}

fn number_as_formula(text: &str, span: SourceSpan) -> ParseError {
    let shown = excerpt(text, span);
    ParseError::new(format!("`{shown}` is a number, but a formula is needed here"), span)
        .with_help("compare it with something, for example `… != 0`")
}

/// At most forty characters of the text, for messages.
fn excerpt(text: &str, span: SourceSpan) -> String {
    const LONGEST: usize = 40;
    let shown = &text[span.start..span.end];
    match shown.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown.to_string(),
    }
}
