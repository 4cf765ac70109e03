//! Formulas, terms and atoms as text, with as few parentheses as the binding strengths allow.
//!
//! What is printed parses back to the same tree.

use crate::formula::Formula;
use crate::syntax::{Atom, Name, Term, TermOp};
use std::fmt::{self, Display, Formatter, Write};

// Binding strengths, loosest first, as in the parser.
const IFF: u8 = 1;
const IMPLIES: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const COMPARISON: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const PREFIX: u8 = 8;
const POWER: u8 = 9;
const PRIMARY: u8 = 10;

impl<A: Display> Display for Formula<A> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        formula(self, IFF, out)
    }
}

fn formula<A: Display>(f: &Formula<A>, loosest: u8, out: &mut Formatter<'_>) -> fmt::Result {
    match f {
        Formula::Literal(value) => write!(out, "{value}"),
        Formula::Atom(name) => atom(name, loosest, out),
        Formula::Not(f) => prefixed("!", f, out),
        Formula::Next(q, f) => temporal(q.letter(), 'X', f, out),
        Formula::Future(q, f) => temporal(q.letter(), 'F', f, out),
        Formula::Globally(q, f) => temporal(q.letter(), 'G', f, out),
        Formula::And(f, g) => infix([f, g], "&&", [AND, AND + 1], loosest, out),
        Formula::Or(f, g) => infix([f, g], "||", [OR, OR + 1], loosest, out),
        Formula::Implies(f, g) => infix([f, g], "->", [IMPLIES + 1, IMPLIES], loosest, out),
        Formula::Iff(f, g) => infix([f, g], "<->", [IFF, IFF + 1], loosest, out),
        Formula::Until(q, f, g) => path(q.letter(), 'U', [f, g], out),
        Formula::Release(q, f, g) => path(q.letter(), 'R', [f, g], out),
        Formula::WeakUntil(q, f, g) => path(q.letter(), 'W', [f, g], out),
    }
}

/// The two levels are those the operands are printed at; the looser one is the operator's own.
fn infix<A: Display>(
    operands: [&Formula<A>; 2],
    symbol: &str,
    levels: [u8; 2],
    loosest: u8,
    out: &mut Formatter<'_>,
) -> fmt::Result {
    let parenthesised = levels[0].min(levels[1]) < loosest;
    if parenthesised {
        out.write_char('(')?;
    }
    formula(operands[0], levels[0], out)?;
    write!(out, " {symbol} ")?;
    formula(operands[1], levels[1], out)?;
    if parenthesised {
        out.write_char(')')?;
    }
    Ok(())
}

fn prefixed<A: Display>(operator: &str, f: &Formula<A>, out: &mut Formatter<'_>) -> fmt::Result {
    out.write_str(operator)?;
    formula(f, PREFIX, out)
}

fn temporal<A: Display>(
    quantifier: char,
    operator: char,
    f: &Formula<A>,
    out: &mut Formatter<'_>,
) -> fmt::Result {
    write!(out, "{quantifier}{operator} ")?;
    formula(f, PREFIX, out)
}

fn path<A: Display>(
    quantifier: char,
    operator: char,
    [f, g]: [&Formula<A>; 2],
    out: &mut Formatter<'_>,
) -> fmt::Result {
    write!(out, "{quantifier}[{f} {operator} {g}]")
}

/// An atom of unknown kind is put into parentheses if its text could fall apart.
fn atom<A: Display>(name: &A, loosest: u8, out: &mut Formatter<'_>) -> fmt::Result {
    let text = name.to_string();
    if loosest > COMPARISON && !holds_together(&text) {
        write!(out, "({text})")
    } else {
        out.write_str(&text)
    }
}

/// No space outside brackets: the atoms of the formula language that bind looser than a prefix operator
/// are the comparisons, and those are printed with spaces.
fn holds_together(text: &str) -> bool {
    let mut open = 0i32;
    text.chars().all(|c| {
        match c {
            '(' | '[' => open += 1,
            ')' | ']' => open -= 1,
            _ => {}
        }
        open > 0 || !c.is_whitespace()
    })
}

impl Display for Atom {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Compare(op, left, right) => {
                term(left, SUM, out)?;
                write!(out, " {} ", op.symbol())?;
                term(right, SUM, out)
            }
            Atom::Boolean(name) => write!(out, "{name}"),
            Atom::BooleanElement(name, index) => write!(out, "{name}[{index}]"),
            Atom::At(label, _) => write!(out, "at({label})"),
            Atom::Line(line, _) => write!(out, "line({line})"),
            Atom::Terminated => out.write_str("terminated"),
            Atom::Failed(None, _) => out.write_str("failed"),
            Atom::Failed(Some(kind), _) => write!(out, "failed({kind})"),
        }
    }
}

impl Display for Name {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.path.join("::"))?;
        self.fields.iter().try_for_each(|field| write!(out, ".{field}"))
    }
}

impl Display for Term {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        term(self, SUM, out)
    }
}

fn term(tree: &Term, loosest: u8, out: &mut Formatter<'_>) -> fmt::Result {
    let level = strength(tree);
    if level < loosest {
        out.write_char('(')?;
    }
    match tree {
        Term::Integer(digits) => out.write_str(digits)?,
        Term::Name(name) => write!(out, "{name}")?,
        Term::Element(name, index) => write!(out, "{name}[{index}]")?,
        Term::Negate(inner) => {
            out.write_char('-')?;
            term(inner, PREFIX, out)?;
        }
        Term::Power(base, exponent) => {
            term(base, PRIMARY, out)?;
            write!(out, " ** {exponent}")?;
        }
        Term::Binary(op, left, right) => {
            term(left, level, out)?;
            write!(out, " {} ", op.symbol())?;
            term(right, level + 1, out)?;
        }
    }
    if level < loosest {
        out.write_char(')')?;
    }
    Ok(())
}

fn strength(tree: &Term) -> u8 {
    match tree {
        Term::Integer(_) | Term::Name(_) | Term::Element(..) => PRIMARY,
        Term::Power(..) => POWER,
        Term::Negate(_) => PREFIX,
        Term::Binary(TermOp::Mul | TermOp::Div | TermOp::Rem, ..) => PRODUCT,
        Term::Binary(TermOp::Add | TermOp::Sub, ..) => SUM,
    }
}
