//! CTL formulas of the oracle and their text in the contract's syntax.

use std::fmt;

use crate::compile::FailKind;
use crate::print;
use crate::program::{Cond, Name};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    All,
    Some,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    Next,
    Finally,
    Globally,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Until,
    Release,
    WeakUntil,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A condition over globals, evaluated with short circuit as in a program.
    Atom(Cond),
    At(Name),
    Terminated,
    Failed(Option<FailKind>),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    Unary(Path, Unary, Box<Formula>),
    Binary(Path, Binary, Box<Formula>, Box<Formula>),
}

impl Formula {
    pub fn unary(path: Path, operator: Unary, inner: Formula) -> Self {
        Formula::Unary(path, operator, Box::new(inner))
    }

    pub fn binary(path: Path, operator: Binary, left: Formula, right: Formula) -> Self {
        Formula::Binary(path, operator, Box::new(left), Box::new(right))
    }

    #[expect(clippy::should_implement_trait, reason = "a constructor beside the others")]
    pub fn not(inner: Formula) -> Self {
        Formula::Not(Box::new(inner))
    }

    pub fn and(left: Formula, right: Formula) -> Self {
        Formula::And(Box::new(left), Box::new(right))
    }

    pub fn or(left: Formula, right: Formula) -> Self {
        Formula::Or(Box::new(left), Box::new(right))
    }

    pub fn implies(left: Formula, right: Formula) -> Self {
        Formula::Implies(Box::new(left), Box::new(right))
    }

    /// The operands, left to right.
    pub fn children(&self) -> Vec<&Formula> {
        match self {
            Formula::Atom(_) | Formula::At(_) | Formula::Terminated | Formula::Failed(_) => Vec::new(),
            Formula::Not(inner) | Formula::Unary(_, _, inner) => vec![inner],
            Formula::And(left, right)
            | Formula::Or(left, right)
            | Formula::Implies(left, right)
            | Formula::Iff(left, right)
            | Formula::Binary(_, _, left, right) => vec![left, right],
        }
    }

    /// Itself and everything below it.
    pub fn walk<'f>(&'f self, visit: &mut dyn FnMut(&'f Formula)) {
        visit(self);
        self.children().into_iter().for_each(|child| child.walk(visit));
    }

    pub fn is_propositional(&self) -> bool {
        let mut temporal = false;
        self.walk(&mut |part| temporal |= matches!(part, Formula::Unary(..) | Formula::Binary(..)));
        !temporal
    }

    /// What statistics call it: the operator at the root.
    pub fn root(&self) -> String {
        match self {
            Formula::Atom(_) | Formula::At(_) | Formula::Terminated | Formula::Failed(_) => "atom".into(),
            Formula::Not(inner) => format!("!{}", inner.root()),
            Formula::And(..) => "&&".into(),
            Formula::Or(..) => "||".into(),
            Formula::Implies(..) => "->".into(),
            Formula::Iff(..) => "<->".into(),
            // Alternations of F and G are questions of their own kind.
            Formula::Unary(path, operator, inner) => match **inner {
                Formula::Unary(second, inner, _) if *operator != Unary::Next && inner != Unary::Next => {
                    format!("{} {}", unary_text(*path, *operator), unary_text(second, inner))
                }
                _ => unary_text(*path, *operator),
            },
            Formula::Binary(path, operator, ..) => binary_text(*path, *operator),
        }
    }
}

fn path_text(path: Path) -> char {
    match path {
        Path::All => 'A',
        Path::Some => 'E',
    }
}

fn unary_text(path: Path, operator: Unary) -> String {
    let operator = match operator {
        Unary::Next => 'X',
        Unary::Finally => 'F',
        Unary::Globally => 'G',
    };
    format!("{}{operator}", path_text(path))
}

fn binary_text(path: Path, operator: Binary) -> String {
    let operator = match operator {
        Binary::Until => 'U',
        Binary::Release => 'R',
        Binary::WeakUntil => 'W',
    };
    format!("{}{operator}", path_text(path))
}

/// Binding strength of the connectives, loosest first.
fn strength(formula: &Formula) -> u8 {
    match formula {
        Formula::Iff(..) => 0,
        Formula::Implies(..) => 1,
        Formula::Or(..) | Formula::Atom(Cond::Or(..)) => 2,
        Formula::And(..) | Formula::Atom(Cond::And(..)) => 3,
        Formula::Atom(Cond::Compare(..) | Cond::Nonzero(_)) => 4,
        _ => 5,
    }
}

fn write_at(formula: &Formula, least: u8, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    if strength(formula) < least { write!(out, "({formula})") } else { write!(out, "{formula}") }
}

impl fmt::Display for Formula {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut infix = |left: &Formula, sign: &str, right: &Formula, least: (u8, u8)| {
            write_at(left, least.0, out)?;
            write!(out, " {sign} ")?;
            write_at(right, least.1, out)
        };
        match self {
            Formula::And(left, right) => infix(left, "&&", right, (3, 4)),
            Formula::Or(left, right) => infix(left, "||", right, (2, 3)),
            Formula::Implies(left, right) => infix(left, "->", right, (2, 1)),
            Formula::Iff(left, right) => infix(left, "<->", right, (1, 1)),
            Formula::Atom(cond) => write!(out, "{}", print::cond(cond)),
            Formula::At(label) => write!(out, "at({label})"),
            Formula::Terminated => write!(out, "terminated"),
            Formula::Failed(None) => write!(out, "failed"),
            Formula::Failed(Some(kind)) => write!(out, "failed({})", kind.name()),
            Formula::Not(inner) => {
                write!(out, "!")?;
                write_at(inner, 5, out)
            }
            Formula::Unary(path, operator, inner) => {
                write!(out, "{} ", unary_text(*path, *operator))?;
                write_at(inner, 5, out)
            }
            Formula::Binary(path, operator, left, right) => {
                let text = binary_text(*path, *operator);
                write!(out, "{}[{left} {} {right}]", &text[..1], &text[1..])
            }
        }
    }
}
