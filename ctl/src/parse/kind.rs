//! Second pass: sorts the mixed tree into formulas and terms.
//!
//! All complaints about operands of the wrong kind are made here, among them the classical trap that
//! `AG x <= 10` reads as `(AG x) <= 10`.

use super::ParseError;
use super::expression::{Binary, Expression, ExpressionKind, PathOperator, Prefix};
use crate::formula::Formula;
use crate::syntax::{Atom, Comparison, SourceSpan, Term};

type Sorted<T> = Result<T, ParseError>;

pub(super) fn formula(text: &str, tree: Expression) -> Sorted<Formula<Atom>> {
    let span = tree.span;
    let boxed = |tree: Box<Expression>| formula(text, *tree).map(Box::new);
    Ok(match tree.kind {
        ExpressionKind::Literal(value) => Formula::Literal(value),
        ExpressionKind::Name(name) => Formula::Atom(Atom::Boolean(name)),
        ExpressionKind::Element(name, index) => {
            Formula::Atom(Atom::BooleanElement(name, Box::new(term(text, *index)?)))
        }
        ExpressionKind::Place(atom) => Formula::Atom(atom),
        ExpressionKind::Prefix(Prefix::Not, f) => Formula::Not(boxed(f)?),
        ExpressionKind::Prefix(Prefix::Next(q), f) => Formula::Next(q, boxed(f)?),
        ExpressionKind::Prefix(Prefix::Future(q), f) => Formula::Future(q, boxed(f)?),
        ExpressionKind::Prefix(Prefix::Globally(q), f) => Formula::Globally(q, boxed(f)?),
        ExpressionKind::Binary(Binary::And, f, g) => Formula::And(boxed(f)?, boxed(g)?),
        ExpressionKind::Binary(Binary::Or, f, g) => Formula::Or(boxed(f)?, boxed(g)?),
        ExpressionKind::Binary(Binary::Implies, f, g) => Formula::Implies(boxed(f)?, boxed(g)?),
        ExpressionKind::Binary(Binary::Iff, f, g) => Formula::Iff(boxed(f)?, boxed(g)?),
        ExpressionKind::Binary(Binary::Compare(op), left, right) => {
            return comparison(text, op, *left, *right);
        }
        ExpressionKind::Path(PathOperator::Until, q, f, g) => Formula::Until(q, boxed(f)?, boxed(g)?),
        ExpressionKind::Path(PathOperator::Release, q, f, g) => Formula::Release(q, boxed(f)?, boxed(g)?),
        ExpressionKind::Path(PathOperator::WeakUntil, q, f, g) => Formula::WeakUntil(q, boxed(f)?, boxed(g)?),
        ExpressionKind::Integer(_)
        | ExpressionKind::Power(..)
        | ExpressionKind::Prefix(Prefix::Negate, _)
        | ExpressionKind::Binary(Binary::Arithmetic(_), ..) => return Err(number_as_formula(text, span)),
    })
}

fn term(text: &str, tree: Expression) -> Sorted<Term> {
    let boxed = |tree: Box<Expression>| term(text, *tree).map(Box::new);
    Ok(match tree.kind {
        ExpressionKind::Integer(digits) => Term::Integer(digits),
        ExpressionKind::Name(name) => Term::Name(name),
        ExpressionKind::Element(name, index) => Term::Element(name, boxed(index)?),
        ExpressionKind::Prefix(Prefix::Negate, inner) => Term::Negate(boxed(inner)?),
        ExpressionKind::Power(base, exponent) => Term::Power(boxed(base)?, exponent),
        ExpressionKind::Binary(Binary::Arithmetic(op), left, right) => {
            Term::Binary(op, boxed(left)?, boxed(right)?)
        }
        _ => {
            let shown = excerpt(text, tree.span);
            return Err(ParseError::new(
                format!("`{shown}` is a formula, but a number is needed here"),
                tree.span,
            ));
        }
    })
}

fn comparison(text: &str, op: Comparison, left: Expression, right: Expression) -> Sorted<Formula<Atom>> {
    if let Some(error) = bound_too_tightly(text, op, &left, &right) {
        return Err(error);
    }
    if let (Comparison::Equal | Comparison::NotEqual, Some(literal)) =
        (op, literal(&left).or(literal(&right)))
    {
        let other = if matches!(left.kind, ExpressionKind::Literal(_)) { right } else { left };
        return truth_value(text, other, literal == (op == Comparison::Equal));
    }
    Ok(Formula::Atom(Atom::Compare(op, term(text, left)?, term(text, right)?)))
}

fn literal(tree: &Expression) -> Option<bool> {
    if let ExpressionKind::Literal(value) = tree.kind { Some(value) } else { None }
}

/// `flag == true` and its three relatives mean `flag` or `!flag`.
fn truth_value(text: &str, tree: Expression, wanted: bool) -> Sorted<Formula<Atom>> {
    if !matches!(tree.kind, ExpressionKind::Name(_) | ExpressionKind::Element(..)) {
        let shown = excerpt(text, tree.span);
        return Err(ParseError::new(format!("`{shown}` cannot be compared with a truth value"), tree.span)
            .with_help("use `<->` between formulas"));
    }
    let plain = formula(text, tree)?;
    Ok(if wanted { plain } else { plain.not() })
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
