//! Recordings as text, a step per line: the operation, its operands by number, the answer.
//!
//! A form is written `1x0,-2x3,5`, a constraint `>` (at least zero) or `=` before a form. Widenings use the
//! thresholds of the last line that names some. Lines that begin with `#` say where a recording is from.

use std::fmt;
use std::str::{FromStr, SplitWhitespace};

use super::{Answer, Operation, Recording, Step};
use crate::expr::Var;
use crate::int::Int;
use crate::interval::Bound;
use crate::linear::LinearExpr;
use crate::relation::Constraint;

struct Form<'a>(&'a LinearExpr);

impl fmt::Display for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (variable, factor) in self.0.terms() {
            write!(f, "{factor}x{},", variable.0)?;
        }
        write!(f, "{}", self.0.offset())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Element => Ok(()),
            Answer::Truth(truth) => f.write_str(if *truth { "yes" } else { "no" }),
            Answer::Bounds(None) => f.write_str("none"),
            Answer::Bounds(Some(bounds)) => {
                let shown = |bound: &Bound| bound.finite().map(Int::to_string).unwrap_or_default();
                write!(f, "{}..{}", shown(bounds.low()), shown(bounds.high()))
            }
            Answer::Box(bounds) => {
                let all: String =
                    bounds.iter().map(|one| Answer::Bounds(one.clone()).to_string() + " ").collect();
                write!(f, "{:04x}", checksum(&all))
            }
            Answer::Count(count) => count.fmt(f),
        }
    }
}

/// The bounds of boxes are most of what analyses are told: enough to see a difference is kept (FNV-1a).
fn checksum(text: &str) -> u32 {
    let hash =
        text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash >> 16) ^ (hash & 0xffff)
}

fn list(constraints: &[Constraint]) -> String {
    let sign = |one: &Constraint| if one.is_equality() { '=' } else { '>' };
    constraints.iter().map(|one| format!(" {}{}", sign(one), Form(one.form()))).collect()
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut thresholds: &[Constraint] = &[];
        for step in &self.steps {
            match &step.operation {
                Operation::Top(dimensions) => write!(f, "top {dimensions}")?,
                Operation::Bottom(dimensions) => write!(f, "bottom {dimensions}")?,
                Operation::Constrain(one, constraints) => write!(f, "constrain {one}{}", list(constraints))?,
                Operation::Assign(one, variable, form) => {
                    write!(f, "assign {one} {} {}", variable.0, Form(form))?;
                }
                Operation::Forget(one, variable) => write!(f, "forget {one} {}", variable.0)?,
                Operation::Join(one, other) => write!(f, "join {one} {other}")?,
                Operation::Meet(one, other) => write!(f, "meet {one} {other}")?,
                Operation::Widen(one, other, given) => {
                    if given != thresholds {
                        thresholds = given;
                        writeln!(f, "thresholds{}", list(thresholds))?;
                    }
                    write!(f, "widen {one} {other}")?;
                }
                Operation::Narrow(one, other) => write!(f, "narrow {one} {other}")?,
                Operation::Rearrange(one, from) => {
                    write!(f, "rearrange {one}")?;
                    for from in from {
                        match from {
                            Some(from) => write!(f, " {}", from.0)?,
                            None => write!(f, " new")?,
                        }
                    }
                }
                Operation::IsBottom(one) => write!(f, "empty {one}")?,
                Operation::Leq(one, other) => write!(f, "leq {one} {other}")?,
                Operation::Equals(one, other) => write!(f, "equals {one} {other}")?,
                Operation::Entails(one, constraint) => {
                    write!(f, "entails {one}{}", list(std::slice::from_ref(constraint)))?;
                }
                Operation::Bounds(one, form) => write!(f, "bounds {one} {}", Form(form))?,
                Operation::Box(one, variables) => write!(f, "box {one} {variables}")?,
                Operation::Constraints(one) => write!(f, "constraints {one}")?,
            }
            let separator = if step.answer.is_empty() { "" } else { " " };
            writeln!(f, "{separator}{}", step.answer)?;
        }
        Ok(())
    }
}

/// The line that is no step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(pub String);

impl FromStr for Recording {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut thresholds = Vec::new();
        let mut steps = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let error = || ParseError(line.into());
            match line.strip_prefix("thresholds") {
                Some(rest) => thresholds = constraints(rest.split_whitespace()).ok_or_else(error)?,
                None => steps.push(step(line, &thresholds).ok_or_else(error)?),
            }
        }
        Ok(Self { steps })
    }
}

fn step(line: &str, thresholds: &[Constraint]) -> Option<Step> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let words = &mut words;
    let operation = match name {
        "top" => Operation::Top(number(words)?),
        "bottom" => Operation::Bottom(number(words)?),
        "constrain" => Operation::Constrain(number(words)?, constraints(words.by_ref())?),
        "assign" => Operation::Assign(number(words)?, Var(number(words)?), form(words.next()?)?),
        "forget" => Operation::Forget(number(words)?, Var(number(words)?)),
        "join" => Operation::Join(number(words)?, number(words)?),
        "meet" => Operation::Meet(number(words)?, number(words)?),
        "widen" => Operation::Widen(number(words)?, number(words)?, thresholds.to_vec()),
        "narrow" => Operation::Narrow(number(words)?, number(words)?),
        "rearrange" => {
            let one = number(words)?;
            let from = words.by_ref().map(|word| match word {
                "new" => Some(None),
                _ => word.parse().ok().map(|from| Some(Var(from))),
            });
            Operation::Rearrange(one, from.collect::<Option<_>>()?)
        }
        "empty" => Operation::IsBottom(number(words)?),
        "leq" => Operation::Leq(number(words)?, number(words)?),
        "equals" => Operation::Equals(number(words)?, number(words)?),
        "entails" => Operation::Entails(number(words)?, constraint(words.next()?)?),
        "bounds" => Operation::Bounds(number(words)?, form(words.next()?)?),
        "box" => Operation::Box(number(words)?, number(words)?),
        "constraints" => Operation::Constraints(number(words)?),
        _ => return None,
    };
    let answer = words.next();
    let fits = operation.gives_element() == answer.is_none() && words.next().is_none();
    fits.then(|| Step { operation, answer: answer.unwrap_or_default().into() })
}

fn number<N: FromStr>(words: &mut SplitWhitespace<'_>) -> Option<N> {
    words.next()?.parse().ok()
}

fn constraints<'a>(words: impl Iterator<Item = &'a str>) -> Option<Vec<Constraint>> {
    words.map(constraint).collect()
}

fn constraint(word: &str) -> Option<Constraint> {
    match word.strip_prefix('=') {
        Some(rest) => form(rest).map(Constraint::zero),
        None => form(word.strip_prefix('>')?).map(Constraint::at_least_zero),
    }
}

fn form(word: &str) -> Option<LinearExpr> {
    let (terms, offset) = word.rsplit_once(',').unwrap_or(("", word));
    let terms = terms.split(',').filter(|term| !term.is_empty()).map(|term| {
        let (factor, variable) = term.split_once('x')?;
        Some((Var(variable.parse().ok()?), factor.parse::<Int>().ok()?))
    });
    Some(LinearExpr::from_terms(terms.collect::<Option<Vec<_>>>()?, offset.parse().ok()?))
}
