//! The atoms of the formula language as the user wrote them.
//!
//! Names are not resolved here: this module knows no program, no types and no values. Equality and
//! hashing ignore spans, so that two occurrences of one text are one atom.

use std::hash::{Hash, Hasher};

/// Byte offsets into the formula text, `start` included, `end` excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceSpan {
    pub start: usize,
    pub end: usize,
}

impl SourceSpan {
    pub fn new(start: usize, end: usize) -> SourceSpan {
        SourceSpan { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: SourceSpan) -> SourceSpan {
        SourceSpan { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// `x`, `f::x`, `self.f`, `Enum::Variant`: `path` is split at `::`, `fields` are the parts after each dot.
#[derive(Clone, Debug)]
pub struct Name {
    pub path: Vec<String>,
    pub fields: Vec<String>,
    pub span: SourceSpan,
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.path == other.path && self.fields == other.fields
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.path.hash(state);
        self.fields.hash(state);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl TermOp {
    pub fn symbol(self) -> &'static str {
        match self {
            TermOp::Add => "+",
            TermOp::Sub => "-",
            TermOp::Mul => "*",
            TermOp::Div => "/",
            TermOp::Rem => "%",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// Decimal digits without a sign, of any length, without leading zeros.
    Integer(String),
    Name(Name),
    Element(Name, Box<Term>),
    Negate(Box<Term>),
    Binary(TermOp, Box<Term>, Box<Term>),
    Power(Box<Term>, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }

    /// The comparison that holds exactly where this one does not.
    pub fn negated(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::GreaterEqual,
            Comparison::LessEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessEqual,
            Comparison::GreaterEqual => Comparison::Less,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Atom {
    Compare(Comparison, Term, Term),
    /// A bare name used as a truth value.
    Boolean(Name),
    /// A bare array element used as a truth value.
    BooleanElement(Name, Box<Term>),
    At(String, SourceSpan),
    Line(u32, SourceSpan),
    Terminated,
    Failed(Option<String>, SourceSpan),
}

impl PartialEq for Atom {
    fn eq(&self, other: &Atom) -> bool {
        match (self, other) {
            (Atom::Compare(op, a, b), Atom::Compare(other_op, c, d)) => op == other_op && a == c && b == d,
            (Atom::Boolean(a), Atom::Boolean(b)) => a == b,
            (Atom::BooleanElement(a, i), Atom::BooleanElement(b, j)) => a == b && i == j,
            (Atom::At(a, _), Atom::At(b, _)) => a == b,
            (Atom::Line(a, _), Atom::Line(b, _)) => a == b,
            (Atom::Terminated, Atom::Terminated) => true,
            (Atom::Failed(a, _), Atom::Failed(b, _)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Atom {}

impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Atom::Compare(op, left, right) => (op, left, right).hash(state),
            Atom::Boolean(name) => name.hash(state),
            Atom::BooleanElement(name, index) => (name, index).hash(state),
            Atom::At(label, _) => label.hash(state),
            Atom::Line(line, _) => line.hash(state),
            Atom::Terminated => {}
            Atom::Failed(kind, _) => kind.hash(state),
        }
    }
}

impl Term {
    /// Where the term names something of the program; `None` for pure numbers.
    pub fn span(&self) -> Option<SourceSpan> {
        match self {
            Term::Integer(_) => None,
            Term::Name(name) | Term::Element(name, _) => Some(name.span),
            Term::Negate(inner) | Term::Power(inner, _) => inner.span(),
            Term::Binary(_, left, right) => match (left.span(), right.span()) {
                (Some(a), Some(b)) => Some(a.to(b)),
                (a, b) => a.or(b),
            },
        }
    }
}
