//! First pass: an operator-precedence parser into one tree for terms and formulas alike.
//!
//! It knows how tightly each operator binds and nothing about which operands make sense.

use super::operators::{Binary, COMPARISON, LOOSEST, PathOperator, Prefix, binary, prefix};
use super::{MAX_DEPTH, MAX_NODES, ParseError, is_reserved};
use crate::formula::Quantifier;
use crate::lex::{self, Token, TokenKind};
use crate::syntax::{Atom, Name, SourceSpan};

pub(super) struct Expression {
    pub kind: ExpressionKind,
    pub span: SourceSpan,
    depth: u32,
}

pub(super) enum ExpressionKind {
    Literal(bool),
    Integer(String),
    Name(Box<Name>),
    Element(Box<Name>, Box<Expression>),
    /// `at(L)`, `line(N)`, `terminated`, `failed`, `failed(K)`.
    Place(Box<Atom>),
    Prefix(Prefix, Box<Expression>),
    Power(Box<Expression>, u32),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Path(PathOperator, Quantifier, Box<Expression>, Box<Expression>),
}

/// Boxed on both sides: the parser calls itself, and what it hands up would lie on every level of the stack.
type Parsed<T> = Result<T, Box<ParseError>>;
type Tree = Box<Expression>;

pub(super) fn read(text: &str, tokens: &[Token]) -> Parsed<Tree> {
    let mut parser = Parser { text, tokens, at: 0, nesting: 0, nodes: 0 };
    let tree = parser.expression(LOOSEST)?;
    match parser.peek().kind {
        TokenKind::End => Ok(tree),
        _ => fail(parser.unexpected("an operator or the end of the formula")),
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    nesting: u32,
    nodes: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn advance(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn peek_is(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Symbol(found) if found == symbol)
    }

    fn slice(&self, token: Token) -> &str {
        &self.text[token.span.start..token.span.end]
    }

    fn expect(&mut self, symbol: &str) -> Parsed<Token> {
        if self.peek_is(symbol) { Ok(self.advance()) } else { fail(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> ParseError {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the formula".to_string(),
            _ => format!("`{}`", self.slice(token)),
        };
        ParseError::new(format!("expected {wanted}, found {found}"), token.span)
    }

    fn node(&mut self, kind: ExpressionKind, span: SourceSpan) -> Parsed<Tree> {
        use ExpressionKind::*;
        let below = match &kind {
            Literal(_) | Integer(_) | Name(_) | Place(_) => 0,
            Element(_, inner) | Prefix(_, inner) | Power(inner, _) => inner.depth,
            Binary(_, left, right) | Path(_, _, left, right) => left.depth.max(right.depth),
        };
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return fail(too_large(span));
        }
        if below >= MAX_DEPTH {
            return fail(too_deep(span));
        }
        Ok(Box::new(Expression { kind, span, depth: below + 1 }))
    }

    /// Called wherever the parser is about to call itself, directly or not.
    fn enter(&mut self) -> Parsed<()> {
        self.nesting += 1;
        if self.nesting > MAX_DEPTH { fail(too_deep(self.peek().span)) } else { Ok(()) }
    }

    fn expression(&mut self, loosest: u8) -> Parsed<Tree> {
        self.enter()?;
        let mut left = self.prefix()?;
        while let Some((operator, level)) = binary(self.peek()) {
            if level < loosest {
                break;
            }
            self.advance();
            // `->` groups to the right, everything else to the left.
            let right = self.expression(if operator == Binary::Implies { level } else { level + 1 })?;
            let span = left.span.to(right.span);
            left = self.node(ExpressionKind::Binary(operator, left, right), span)?;
            if level == COMPARISON && binary(self.peek()).is_some_and(|(_, next)| next == COMPARISON) {
                return self.fail_at_next("comparisons cannot be chained", "write `a < b && b < c`");
            }
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn prefix(&mut self) -> Parsed<Tree> {
        let start = self.peek();
        let tree = match (prefix(self.slice(start)), start.kind) {
            (Some(operator), _) => self.prefixed(operator)?,
            (None, TokenKind::Symbol("(")) => self.parenthesised()?,
            (None, TokenKind::Word) if matches!(self.slice(start), "A" | "E") => self.path_formula()?,
            _ => self.primary()?,
        };
        // `-x ** 2` has its power inside the prefix already.
        if self.peek_is("**") { self.power(tree) } else { Ok(tree) }
    }

    fn prefixed(&mut self, operator: Prefix) -> Parsed<Tree> {
        self.enter()?;
        let start = self.advance().span;
        let operand = self.prefix()?;
        self.nesting -= 1;
        let span = start.to(operand.span);
        self.node(ExpressionKind::Prefix(operator, operand), span)
    }

    /// The span grows to the parentheses, so that a later complaint shows all of what was written.
    fn parenthesised(&mut self) -> Parsed<Tree> {
        let open = self.advance();
        let mut inner = self.expression(LOOSEST)?;
        if !self.peek_is(")") {
            return self.unclosed(open);
        }
        inner.span = open.span.to(self.advance().span);
        Ok(inner)
    }

    fn path_formula(&mut self) -> Parsed<Tree> {
        let start = self.advance();
        let quantifier = if self.slice(start) == "A" { Quantifier::All } else { Quantifier::Exists };
        if !self.peek_is("[") {
            return reserved_quantifier(quantifier, start.span);
        }
        self.advance();
        let left = self.expression(LOOSEST)?;
        let operator = self.path_operator()?;
        let right = self.expression(LOOSEST)?;
        let span = start.span.to(self.expect("]")?.span);
        self.node(ExpressionKind::Path(operator, quantifier, left, right), span)
    }

    fn path_operator(&mut self) -> Parsed<PathOperator> {
        let operator = match (self.peek().kind, self.slice(self.peek())) {
            (TokenKind::Word, "U") => PathOperator::Until,
            (TokenKind::Word, "R") => PathOperator::Release,
            (TokenKind::Word, "W") => PathOperator::WeakUntil,
            _ => return fail(self.unexpected("`U`, `R` or `W`")),
        };
        self.advance();
        Ok(operator)
    }

    #[cold]
    fn unclosed(&self, open: Token) -> Parsed<Tree> {
        let error = self.unexpected("`)`");
        if error.span.start < self.text.len() {
            return fail(error);
        }
        fail(ParseError { span: open.span, ..error }.with_help("the parenthesis opened here is not closed"))
    }

    #[cold]
    fn fail_at_next<T>(&self, message: &str, help: &str) -> Parsed<T> {
        fail(ParseError::new(message, self.peek().span).with_help(help))
    }

    fn power(&mut self, base: Tree) -> Parsed<Tree> {
        self.advance();
        let token = self.peek();
        if token.kind != TokenKind::Integer {
            return fail(self.unexpected("a constant exponent"));
        }
        let exponent = self.slice(token).parse::<u32>().ok().filter(|exponent| *exponent <= MAX_EXPONENT);
        let Some(exponent) = exponent else {
            return fail(ParseError::new(format!("exponents go up to {MAX_EXPONENT}"), token.span));
        };
        self.advance();
        let span = base.span.to(token.span);
        let power = self.node(ExpressionKind::Power(base, exponent), span)?;
        if self.peek_is("**") {
            return fail(
                ParseError::new("`**` cannot be chained", self.peek().span).with_help("use parentheses"),
            );
        }
        Ok(power)
    }

    /// What is neither bracketed nor under a prefix operator; nothing here nests except an index.
    fn primary(&mut self) -> Parsed<Tree> {
        let token = self.peek();
        let kind = match token.kind {
            TokenKind::Integer => {
                let digits = self.slice(token).trim_start_matches('0');
                ExpressionKind::Integer(if digits.is_empty() { "0".into() } else { digits.into() })
            }
            TokenKind::Character => {
                let (_, code) = lex::character(self.text, token.span.start)?;
                ExpressionKind::Integer(code.to_string())
            }
            TokenKind::Word => return self.word(),
            _ => return fail(self.unexpected("a formula or a term")),
        };
        self.advance();
        self.node(kind, token.span)
    }

    fn word(&mut self) -> Parsed<Tree> {
        let token = self.peek();
        let called = matches!(self.tokens[self.at + 1].kind, TokenKind::Symbol("("));
        let qualified = matches!(self.tokens[self.at + 1].kind, TokenKind::Symbol("::" | "." | "["));
        match (self.slice(token), called) {
            ("true", _) => self.leaf(ExpressionKind::Literal(true)),
            ("false", _) => self.leaf(ExpressionKind::Literal(false)),
            ("at" | "line" | "failed", true) => self.place(),
            ("terminated", false) if !qualified => {
                self.leaf(ExpressionKind::Place(Box::new(Atom::Terminated)))
            }
            ("failed", false) if !qualified => {
                self.leaf(ExpressionKind::Place(Box::new(Atom::Failed(None, token.span))))
            }
            (_, true) => self.not_callable(),
            _ => self.name(),
        }
    }

    #[cold]
    fn not_callable(&self) -> Parsed<Tree> {
        let token = self.peek();
        let message = format!("`{}` cannot be called in a formula", self.slice(token));
        fail(
            ParseError::new(message, token.span)
                .with_help("the calls are `at(LABEL)`, `line(N)` and `failed(KIND)`"),
        )
    }

    fn leaf(&mut self, kind: ExpressionKind) -> Parsed<Tree> {
        let span = self.advance().span;
        self.node(kind, span)
    }

    fn place(&mut self) -> Parsed<Tree> {
        let word = self.advance();
        self.expect("(")?;
        let argument = self.peek();
        let atom = match self.slice(word) {
            "line" if argument.kind == TokenKind::Integer => {
                let Ok(line) = self.slice(argument).parse() else {
                    return fail(ParseError::new("this line number is too large", argument.span));
                };
                self.advance();
                Atom::Line(line, word.span)
            }
            "line" => return fail(self.unexpected("a line number")),
            "at" if argument.kind == TokenKind::Word => Atom::At(self.label()?, word.span),
            // Transition systems number their locations.
            "at" if argument.kind == TokenKind::Integer => {
                let digits = self.slice(argument).trim_start_matches('0');
                let label = if digits.is_empty() { "0" } else { digits }.to_string();
                self.advance();
                Atom::At(label, word.span)
            }
            "at" => return fail(self.unexpected("a label")),
            _ if argument.kind == TokenKind::Word => Atom::Failed(Some(self.label()?), word.span),
            _ => return fail(self.unexpected("a kind of failure")),
        };
        let span = word.span.to(self.expect(")")?.span);
        let atom = match atom {
            Atom::Line(line, _) => Atom::Line(line, span),
            Atom::At(label, _) => Atom::At(label, span),
            Atom::Failed(kind, _) => Atom::Failed(kind, span),
            other => other,
        };
        self.node(ExpressionKind::Place(Box::new(atom)), span)
    }

    /// A label or kind, possibly qualified: `L`, `f::L`.
    fn label(&mut self) -> Parsed<String> {
        let mut label = self.slice(self.peek()).to_string();
        self.advance();
        while self.peek_is("::") {
            self.advance();
            label.push_str("::");
            label.push_str(&self.part()?.0);
        }
        Ok(label)
    }

    fn name(&mut self) -> Parsed<Tree> {
        let name = self.plain_name()?;
        let span = name.span;
        if self.peek_is("[") { self.element(name) } else { self.node(ExpressionKind::Name(name), span) }
    }

    fn element(&mut self, name: Box<Name>) -> Parsed<Tree> {
        self.advance();
        let index = self.expression(LOOSEST)?;
        let span = name.span.to(self.expect("]")?.span);
        if self.peek_is("[") || self.peek_is(".") {
            return self.fail_at_next("elements of elements cannot be named", "only `a[i]` and `s.f[i]` can");
        }
        self.node(ExpressionKind::Element(name, index), span)
    }

    fn plain_name(&mut self) -> Parsed<Box<Name>> {
        let (first, span) = self.part()?;
        let mut name = Name { path: vec![first], fields: Vec::new(), span };
        while self.peek_is("::") {
            self.advance();
            let (part, end) = self.part()?;
            name.path.push(part);
            name.span = span.to(end);
        }
        while self.peek_is(".") {
            self.advance();
            let (field, end) = self.field()?;
            name.fields.push(field);
            name.span = span.to(end);
        }
        Ok(Box::new(name))
    }

    fn part(&mut self) -> Parsed<(String, SourceSpan)> {
        let token = self.peek();
        let word = self.slice(token).to_string();
        if token.kind != TokenKind::Word {
            return fail(self.unexpected("a name"));
        }
        if is_reserved(&word) {
            return fail(ParseError::new(format!("`{word}` is reserved and cannot be a name"), token.span));
        }
        self.advance();
        Ok((word, token.span))
    }

    /// Fields may be numbers too: `pair.0`.
    fn field(&mut self) -> Parsed<(String, SourceSpan)> {
        let token = self.peek();
        if token.kind != TokenKind::Integer {
            return self.part();
        }
        self.advance();
        Ok((self.slice(token).to_string(), token.span))
    }
}

/// Beyond this no machine or unbounded value is worth computing.
const MAX_EXPONENT: u32 = 1_000;

/// Out of the callers' way, so that their frames stay small.
#[cold]
fn fail<T>(error: ParseError) -> Parsed<T> {
    Err(Box::new(error))
}

fn too_large(span: SourceSpan) -> ParseError {
    ParseError::new(format!("this formula has more than {MAX_NODES} operators and names"), span)
        .with_help("split it into several properties")
}

#[cold]
fn reserved_quantifier(quantifier: Quantifier, span: SourceSpan) -> Parsed<Tree> {
    let letter = quantifier.letter();
    fail(
        ParseError::new(format!("`{letter}` is reserved for path quantifiers"), span)
            .with_help(format!("write `{letter}[f U g]`, `{letter}[f R g]` or `{letter}[f W g]`")),
    )
}

fn too_deep(span: SourceSpan) -> ParseError {
    ParseError::new(format!("this formula is nested more than {MAX_DEPTH} levels deep"), span)
        .with_help("split it into several properties")
}
