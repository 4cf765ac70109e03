//! The operators of the formula language and how tightly they bind.

use crate::formula::Quantifier;
use crate::lex::{Token, TokenKind};
use crate::syntax::{Comparison, TermOp};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefix {
    Not,
    Negate,
    Next(Quantifier),
    Future(Quantifier),
    Globally(Quantifier),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Iff,
    Implies,
    Or,
    And,
    Compare(Comparison),
    Arithmetic(TermOp),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PathOperator {
    Until,
    Release,
    WeakUntil,
}

/// The level of the loosest operator, and so of a whole formula.
pub(super) const LOOSEST: u8 = 1;
pub(super) const COMPARISON: u8 = 5;

/// The prefix operator a token's text spells; prefix operators bind tightest.
pub(super) fn prefix(text: &str) -> Option<Prefix> {
    use Quantifier::{All, Exists};
    Some(match text {
        "!" => Prefix::Not,
        "-" => Prefix::Negate,
        "AX" => Prefix::Next(All),
        "EX" => Prefix::Next(Exists),
        "AF" => Prefix::Future(All),
        "EF" => Prefix::Future(Exists),
        "AG" => Prefix::Globally(All),
        "EG" => Prefix::Globally(Exists),
        _ => return None,
    })
}

/// The infix operator a token is, and its level: higher ones bind tighter.
pub(super) fn binary(token: Token) -> Option<(Binary, u8)> {
    let TokenKind::Symbol(symbol) = token.kind else { return None };
    Some(match symbol {
        "<->" => (Binary::Iff, 1),
        "->" => (Binary::Implies, 2),
        "||" => (Binary::Or, 3),
        "&&" => (Binary::And, 4),
        "==" => (Binary::Compare(Comparison::Equal), COMPARISON),
        "!=" => (Binary::Compare(Comparison::NotEqual), COMPARISON),
        "<" => (Binary::Compare(Comparison::Less), COMPARISON),
        "<=" => (Binary::Compare(Comparison::LessEqual), COMPARISON),
        ">" => (Binary::Compare(Comparison::Greater), COMPARISON),
        ">=" => (Binary::Compare(Comparison::GreaterEqual), COMPARISON),
        "+" => (Binary::Arithmetic(TermOp::Add), 6),
        "-" => (Binary::Arithmetic(TermOp::Sub), 6),
        "*" => (Binary::Arithmetic(TermOp::Mul), 7),
        "/" => (Binary::Arithmetic(TermOp::Div), 7),
        "%" => (Binary::Arithmetic(TermOp::Rem), 7),
        _ => return None,
    })
}
