//! The parser of the formula language.
//!
//! Parentheses may stand around a term or around a formula, and which of the two it is shows only later.
//! So the text is first read into one tree of mixed kind ([`expression`]), by operator precedence and
//! without backtracking, and then sorted into formulas and terms ([`kind`]). Names stay unresolved.

mod expression;
mod kind;
mod operators;

use crate::formula::Formula;
use crate::lex;
use crate::syntax::{Atom, SourceSpan};
use std::fmt;

/// Deeper formulas are refused: everything downstream may recurse on a formula that was parsed.
pub const MAX_DEPTH: u32 = 500;

/// Larger formulas are refused: the checker's cost is the size of the formula times that of the model.
pub const MAX_NODES: usize = 10_000;

/// A mistake in a formula, with the place and, where one can be guessed, the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub message: String,
    pub span: SourceSpan,
    pub help: Option<String>,
}

impl ParseError {
    pub(crate) fn new(message: impl Into<String>, span: SourceSpan) -> ParseError {
        ParseError { message: message.into(), span, help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> ParseError {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (at byte {})", self.message, self.span.start)?;
        match &self.help {
            Some(help) => write!(out, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// Reads one formula. The whole text has to be one.
pub fn parse(text: &str) -> Result<Formula<Atom>, ParseError> {
    let tokens = lex::tokens(text)?;
    let formula = expression::read(text, &tokens).and_then(|tree| kind::formula(text, tree));
    formula.map(|formula| *formula).map_err(|error| *error)
}

/// Words that cannot be names, because a formula means something else by them.
pub fn is_reserved(word: &str) -> bool {
    const RESERVED: [&str; 13] =
        ["A", "E", "U", "R", "W", "AX", "EX", "AF", "EF", "AG", "EG", "true", "false"];
    RESERVED.contains(&word)
}
