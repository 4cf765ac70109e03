//! What a file says, before anything is computed from it.

use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;

use crate::source::Span;

#[derive(Debug, Default)]
pub struct Unit<'a> {
    pub start: Option<Name<'a>>,
    pub blocks: Vec<Block<'a>>,
}

/// A location or variable where it is written. Numbers have no leading zeros, strings no quotes.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// One atomic step.
#[derive(Debug)]
pub struct Block<'a> {
    pub from: Name<'a>,
    pub to: Name<'a>,
    pub commands: Vec<Command<'a>>,
    /// Its first line, `FROM: a;`.
    pub span: Span,
}

#[derive(Debug)]
pub enum Command<'a> {
    Assume(Node<'a>),
    Assign(Name<'a>, Node<'a>),
}

/// A term or a condition: which of the two shows only where it is used, because parentheses stand
/// around both.
#[derive(Debug)]
pub struct Node<'a> {
    pub kind: NodeKind<'a>,
    pub span: Span,
    /// How high the tree is.
    pub height: u32,
}

#[derive(Debug)]
pub enum NodeKind<'a> {
    Number(Int),
    Variable(&'a str),
    Nondet,
    Negate(Box<Node<'a>>),
    Arithmetic(BinaryOp, Box<Node<'a>>, Box<Node<'a>>),
    Literal(bool),
    Compare(CompareOp, Box<Node<'a>>, Box<Node<'a>>),
    Not(Box<Node<'a>>),
    And(Vec<Node<'a>>),
    Or(Vec<Node<'a>>),
}
