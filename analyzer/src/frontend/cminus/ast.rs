//! The syntax tree of C- and C. Names are slices of the source; nothing is resolved yet except
//! `typedef` names, which C needs for parsing.

use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;

use super::types::Scalar;
use crate::source::Span;

/// The function that `[lowest, highest]` calls; no file can declare one of this name.
pub const CHOICE: &str = "[lowest, highest]";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeName {
    Void,
    Scalar(Scalar),
}

#[derive(Debug, Default)]
pub struct Unit<'a> {
    pub items: Vec<Item<'a>>,
}

#[derive(Debug)]
pub enum Item<'a> {
    Variables(Declaration<'a>),
    Function(FunctionItem<'a>),
    Prototype(Prototype<'a>),
}

/// A function that is declared here. Parameters are not kept: the definition has them.
#[derive(Debug)]
pub struct Prototype<'a> {
    pub name: &'a str,
    /// `None` where the type is one we do not read.
    pub result: Option<TypeName>,
}

#[derive(Debug)]
pub struct FunctionItem<'a> {
    pub name: &'a str,
    pub name_span: Span,
    pub result: TypeName,
    pub parameters: Vec<Parameter<'a>>,
    pub body: Vec<Statement<'a>>,
    /// From the name to the end of the parameter list.
    pub span: Span,
    /// The closing brace.
    pub end: Span,
}

#[derive(Debug)]
pub struct Parameter<'a> {
    pub name: &'a str,
    pub ty: Scalar,
    pub span: Span,
}

#[derive(Debug)]
pub struct Declaration<'a> {
    pub ty: TypeName,
    pub storage: Storage,
    /// Constants that an `enum { … }` in the type introduces.
    pub enumerators: Vec<Enumerator<'a>>,
    pub declarators: Vec<Declarator<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Plain,
    Static,
    Extern,
    Typedef,
}

#[derive(Debug)]
pub struct Enumerator<'a> {
    pub name: &'a str,
    pub value: Option<Expr<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Declarator<'a> {
    pub name: &'a str,
    pub shape: Shape<'a>,
    pub initialiser: Option<Initialiser<'a>>,
    pub name_span: Span,
    pub span: Span,
}

#[derive(Debug)]
pub enum Shape<'a> {
    Scalar,
    /// `None`: the initialiser list gives the length.
    Array(Option<Expr<'a>>),
}

#[derive(Debug)]
pub enum Initialiser<'a> {
    Value(Expr<'a>),
    List(Vec<Expr<'a>>),
}

#[derive(Debug)]
pub struct Statement<'a> {
    pub kind: StatementKind<'a>,
    pub span: Span,
}

#[derive(Debug)]
pub enum StatementKind<'a> {
    Empty,
    Expression(Expr<'a>),
    Declaration(Declaration<'a>),
    Block(Vec<Statement<'a>>),
    /// All arms of an `if … else if …` chain, so that long chains are not deep.
    If {
        arms: Vec<(Expr<'a>, Statement<'a>)>,
        otherwise: Option<Box<Statement<'a>>>,
    },
    While {
        condition: Expr<'a>,
        body: Box<Statement<'a>>,
    },
    DoWhile {
        body: Box<Statement<'a>>,
        condition: Expr<'a>,
    },
    For(Box<For<'a>>),
    Break,
    Continue,
    Return(Option<Expr<'a>>),
    Goto(&'a str, Span),
    Switch {
        value: Expr<'a>,
        body: Box<Statement<'a>>,
    },
    Marked(Vec<Mark<'a>>, Box<Statement<'a>>),
}

#[derive(Debug)]
pub struct For<'a> {
    pub start: Option<Statement<'a>>,
    pub condition: Option<Expr<'a>>,
    pub step: Option<Expr<'a>>,
    pub body: Statement<'a>,
}

/// What may stand before a statement and a colon.
#[derive(Debug)]
pub enum Mark<'a> {
    Label(&'a str, Span),
    Case(Expr<'a>, Span),
    Default(Span),
}

#[derive(Debug)]
pub struct Expr<'a> {
    pub kind: ExprKind<'a>,
    pub span: Span,
    /// Height of the tree, bounded by the parser so that every later walk may recurse.
    pub height: u32,
}

#[derive(Debug)]
pub enum ExprKind<'a> {
    Integer(Int, Scalar),
    Text,
    Name(&'a str),
    Index(Box<Expr<'a>>, Box<Expr<'a>>),
    Unary(UnaryOp, Box<Expr<'a>>),
    Binary(Operator, Box<Expr<'a>>, Box<Expr<'a>>),
    And(Box<Expr<'a>>, Box<Expr<'a>>),
    Or(Box<Expr<'a>>, Box<Expr<'a>>),
    Conditional(Box<Expr<'a>>, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `target = value`, or `target op= value`.
    Assign(Option<Operator>, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `++` and `--`.
    Bump {
        target: Box<Expr<'a>>,
        by: Bump,
        fix: Fix,
    },
    Call {
        name: &'a str,
        name_span: Span,
        arguments: Vec<Expr<'a>>,
    },
    Cast(TypeName, Box<Expr<'a>>),
    Comma(Box<Expr<'a>>, Box<Expr<'a>>),
    /// `&x`: understood by `scanf` alone.
    Address(Box<Expr<'a>>),
    /// A bare `?`: any value.
    Anything,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Arithmetic(BinaryOp),
    Compare(CompareOp),
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bump {
    Up,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    Prefix,
    Postfix,
}

impl<'a> Expr<'a> {
    /// Calls `visit` on the direct parts.
    pub fn for_each_child(&self, mut visit: impl FnMut(&Expr<'a>)) {
        match &self.kind {
            ExprKind::Integer(..) | ExprKind::Text | ExprKind::Name(_) | ExprKind::Anything => {}
            ExprKind::Unary(_, inner) | ExprKind::Cast(_, inner) | ExprKind::Address(inner) => visit(inner),
            ExprKind::Bump { target, .. } => visit(target),
            ExprKind::Index(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Comma(a, b) => {
                visit(a);
                visit(b);
            }
            ExprKind::Conditional(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
            ExprKind::Call { arguments, .. } => arguments.iter().for_each(visit),
        }
    }
}
