//! Tokens to blocks, by recursive descent.
//!
//! A mistake is reported once and the parser goes on behind the next `;`, so one file shows all its
//! errors. Nesting is bounded: the parser and every walk over its tree may recurse.

use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;

use super::ast::{Block, Command, Name, Node, NodeKind, Unit};
use super::token::{Token, TokenKind};
use crate::source::{Diagnostic, Span};

/// How deep parentheses and signs may nest.
const NESTING_LIMIT: u32 = 400;
/// How high one expression's tree may grow (`a + a + … + a` is as high as it is long).
const HEIGHT_LIMIT: u32 = 1000;
/// Longer numbers are refused: reading them takes time that grows with the square of their length.
const DIGIT_LIMIT: usize = 4000;

/// Lines that concern only the prover they were written for.
const IGNORED_HEADERS: [&str; 4] = ["CUTPOINT", "CP", "ERROR", "AT"];

/// A reported mistake: the command under way is given up.
struct Bail;

type Parsed<T> = Result<T, Bail>;

pub fn parse<'a>(tokens: &'a [Token<'a>], diagnostics: &mut Vec<Diagnostic>) -> Unit<'a> {
    let mut parser = Parser { tokens, at: 0, diagnostics, nesting: 0 };
    let mut unit = Unit::default();
    while parser.peek().kind != TokenKind::End {
        let start = parser.at;
        if parser.item(&mut unit).is_err() {
            parser.skip_command(start);
        }
    }
    unit
}

struct Parser<'a, 'd> {
    tokens: &'a [Token<'a>],
    at: usize,
    diagnostics: &'d mut Vec<Diagnostic>,
    nesting: u32,
}

impl<'a> Parser<'a, '_> {
    fn peek(&self) -> &'a Token<'a> {
        &self.tokens[self.at]
    }

    fn next(&mut self) -> &'a Token<'a> {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn follows(&self, symbol: &str) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.is(symbol))
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.peek().is(symbol);
        if found {
            self.next();
        }
        found
    }

    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        // What follows from a character reported already is no mistake of its own.
        if self.peek().kind != TokenKind::Unknown {
            self.diagnostics.push(Diagnostic::error(span, message));
        }
        Err(Bail)
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.peek();
        self.error(token.span, format!("expected {wanted}, found {}", token.shown()))
    }

    fn expect(&mut self, symbol: &str, place: &str) -> Parsed<Span> {
        if self.peek().is(symbol) {
            return Ok(self.next().span);
        }
        let found = self.peek().shown();
        // A forgotten semicolon is best shown where it belongs, not at the next line.
        let previous = self.tokens[self.at.saturating_sub(1)].span;
        let span = match symbol {
            ";" => Span { start: previous.end.saturating_sub(1), ..previous },
            _ => self.peek().span,
        };
        self.error(span, format!("expected `{symbol}` {place}, found {found}"))
    }

    /// Gives up what began at `start`: to the next `;` or the next block, whichever comes first.
    fn skip_command(&mut self, start: usize) {
        self.nesting = 0;
        if self.at == start {
            self.next();
        }
        loop {
            let token = self.peek();
            let starts = token.is_word("FROM") || token.is_word("TO") || token.is_word("START");
            if token.kind == TokenKind::End || starts && self.follows(":") {
                return;
            }
            if self.next().is(";") {
                return;
            }
        }
    }

    fn item(&mut self, unit: &mut Unit<'a>) -> Parsed<()> {
        let token = *self.peek();
        match token.text {
            _ if token.kind != TokenKind::Word => self.unexpected("`START:` or `FROM:`"),
            "START" => {
                let start = self.header("the start location")?;
                if unit.start.is_some() {
                    return self.error(token.span, "`START` is given twice");
                }
                unit.start = Some(start);
                Ok(())
            }
            "FROM" => {
                let block = self.block()?;
                unit.blocks.extend(block);
                Ok(())
            }
            "SHADOW" => self.shadow(),
            header if IGNORED_HEADERS.contains(&header) && self.follows(":") => {
                self.header("a location").map(|_| ())
            }
            "TO" => self.error(token.span, "`TO:` without a `FROM:` before it"),
            _ => self.unexpected("`START:` or `FROM:`"),
        }
    }

    /// `WORD: location;`
    fn header(&mut self, wanted: &str) -> Parsed<Name<'a>> {
        self.next();
        self.expect(":", "here")?;
        let name = self.location(wanted)?;
        // Some files leave out the semicolon where the next line shows that the location is over.
        let next = self.peek().text;
        if !matches!(next, "FROM" | "TO" | "START" | "CUTPOINT") || !self.follows(":") {
            self.expect(";", "behind the location")?;
        }
        Ok(name)
    }

    fn location(&mut self, wanted: &str) -> Parsed<Name<'a>> {
        let token = *self.peek();
        let text = match token.kind {
            TokenKind::Word => token.text,
            TokenKind::Number => {
                let digits = token.text.trim_start_matches('0');
                if digits.is_empty() { "0" } else { digits }
            }
            TokenKind::Text => &token.text[1..token.text.len() - 1],
            _ => return self.unexpected(wanted),
        };
        self.next();
        Ok(Name { text, span: token.span })
    }

    /// `SHADOW(a, b);` pairs variables for one prover's use.
    fn shadow(&mut self) -> Parsed<()> {
        self.next();
        self.expect("(", "behind `SHADOW`")?;
        self.variable()?;
        self.expect(",", "between the two variables")?;
        self.variable()?;
        self.expect(")", "behind the two variables")?;
        self.expect(";", "behind `SHADOW(…)`").map(|_| ())
    }

    fn variable(&mut self) -> Parsed<Name<'a>> {
        let token = *self.peek();
        if token.kind != TokenKind::Word || is_keyword(token.text) {
            return self.unexpected("a variable");
        }
        self.next();
        Ok(Name { text: token.text, span: token.span })
    }

    /// A block, unless its text breaks off. Mistakes in its commands are reported and skipped.
    fn block(&mut self) -> Parsed<Option<Block<'a>>> {
        let start = self.peek().span;
        let from = self.header("a location")?;
        let span = start.to(from.span);
        let mut commands = Vec::new();
        loop {
            let token = self.peek();
            if token.is_word("TO") {
                let to = self.header("a location")?;
                return Ok(Some(Block { from, to, commands, span }));
            }
            if token.kind == TokenKind::End || token.is_word("FROM") && self.follows(":") {
                let message = format!("expected `TO:`, found {}: the block has no target", token.shown());
                self.diagnostics.push(Diagnostic::error(span, message));
                return Ok(None);
            }
            let start = self.at;
            match self.command() {
                Ok(command) => commands.push(command),
                Err(Bail) => self.skip_command(start),
            }
        }
    }

    fn command(&mut self) -> Parsed<Command<'a>> {
        self.origin()?;
        let token = *self.peek();
        let command = if token.is_word("assume") {
            self.next();
            self.expect("(", "behind `assume`")?;
            let condition = self.any()?;
            self.expect(")", "behind the condition")?;
            Command::Assume(condition)
        } else if token.kind == TokenKind::Word && !is_keyword(token.text) {
            let target = self.variable()?;
            self.expect(":=", "behind the variable")?;
            Command::Assign(target, self.any()?)
        } else {
            return self.unexpected("`assume(…)`, an assignment or `TO:`");
        };
        self.expect(";", "behind the command")?;
        Ok(command)
    }

    /// `AT(12, "file.c")` before a command says where it was written first.
    fn origin(&mut self) -> Parsed<()> {
        if !self.peek().is_word("AT") {
            return Ok(());
        }
        self.next();
        self.expect("(", "behind `AT`")?;
        self.eat("-");
        if self.peek().kind != TokenKind::Number {
            return self.unexpected("a line number");
        }
        self.next();
        self.expect(",", "behind the line number")?;
        if self.peek().kind != TokenKind::Text {
            return self.unexpected("the name of a file in quotes");
        }
        self.next();
        self.expect(")", "behind the name of the file").map(|_| ())
    }

    fn enter(&mut self) -> Parsed<()> {
        self.nesting += 1;
        if self.nesting > NESTING_LIMIT {
            let span = self.peek().span;
            return self.error(span, format!("nested deeper than {NESTING_LIMIT} levels"));
        }
        Ok(())
    }

    fn node(&mut self, kind: NodeKind<'a>, span: Span) -> Parsed<Node<'a>> {
        use NodeKind::*;
        let below = match &kind {
            Number(_) | Variable(_) | Nondet | Literal(_) => 0,
            Negate(inner) | Not(inner) => inner.height,
            Arithmetic(_, left, right) | Compare(_, left, right) => left.height.max(right.height),
            And(parts) | Or(parts) => parts.iter().map(|part| part.height).max().unwrap_or(0),
        };
        if below >= HEIGHT_LIMIT {
            return self.error(span, format!("an expression with more than {HEIGHT_LIMIT} levels"));
        }
        Ok(Node { kind, span, height: below + 1 })
    }

    /// A term or a condition.
    fn any(&mut self) -> Parsed<Node<'a>> {
        self.enter()?;
        let parts = self.list("||", Self::conjunction)?;
        self.nesting -= 1;
        self.joined(parts, NodeKind::Or)
    }

    fn conjunction(&mut self) -> Parsed<Node<'a>> {
        let parts = self.list("&&", Self::negation)?;
        self.joined(parts, NodeKind::And)
    }

    fn list(&mut self, symbol: &str, part: fn(&mut Self) -> Parsed<Node<'a>>) -> Parsed<Vec<Node<'a>>> {
        let mut parts = vec![part(self)?];
        while self.eat(symbol) {
            parts.push(part(self)?);
        }
        Ok(parts)
    }

    fn joined(
        &mut self,
        mut parts: Vec<Node<'a>>,
        join: fn(Vec<Node<'a>>) -> NodeKind<'a>,
    ) -> Parsed<Node<'a>> {
        let span = parts[0].span.to(parts[parts.len() - 1].span);
        match parts.pop() {
            Some(single) if parts.is_empty() => Ok(single),
            last => {
                parts.extend(last);
                self.node(join(parts), span)
            }
        }
    }

    /// `!` reaches over a whole comparison: `!x == 1` is `!(x == 1)`.
    fn negation(&mut self) -> Parsed<Node<'a>> {
        let start = self.peek().span;
        if !self.eat("!") {
            return self.comparison();
        }
        self.enter()?;
        let inner = self.negation()?;
        self.nesting -= 1;
        let span = start.to(inner.span);
        self.node(NodeKind::Not(Box::new(inner)), span)
    }

    fn comparison(&mut self) -> Parsed<Node<'a>> {
        let left = self.sum()?;
        let Some(op) = comparison(self.peek()) else { return Ok(left) };
        self.next();
        let right = self.sum()?;
        if comparison(self.peek()).is_some() {
            let span = self.peek().span;
            return self.error(span, "comparisons cannot be chained");
        }
        let span = left.span.to(right.span);
        self.node(NodeKind::Compare(op, Box::new(left), Box::new(right)), span)
    }

    fn sum(&mut self) -> Parsed<Node<'a>> {
        self.chain(&[("+", BinaryOp::Add), ("-", BinaryOp::Sub)], |parser| {
            let factors = [("*", BinaryOp::Mul), ("/", BinaryOp::Div), ("%", BinaryOp::Rem)];
            parser.chain(&factors, Self::signed)
        })
    }

    fn chain(
        &mut self,
        operators: &[(&str, BinaryOp)],
        operand: fn(&mut Self) -> Parsed<Node<'a>>,
    ) -> Parsed<Node<'a>> {
        let mut left = operand(self)?;
        while let Some((_, op)) = operators.iter().find(|(symbol, _)| self.peek().is(symbol)) {
            self.next();
            let right = operand(self)?;
            let span = left.span.to(right.span);
            left = self.node(NodeKind::Arithmetic(*op, Box::new(left), Box::new(right)), span)?;
        }
        Ok(left)
    }

    fn signed(&mut self) -> Parsed<Node<'a>> {
        let start = self.peek().span;
        if !self.eat("-") {
            return self.primary();
        }
        self.enter()?;
        let inner = self.signed()?;
        self.nesting -= 1;
        let span = start.to(inner.span);
        self.node(NodeKind::Negate(Box::new(inner)), span)
    }

    fn primary(&mut self) -> Parsed<Node<'a>> {
        let token = *self.peek();
        let kind = match token.kind {
            TokenKind::Number => {
                let value = (token.text.len() <= DIGIT_LIMIT).then(|| token.text.parse::<Int>().ok());
                let Some(value) = value.flatten() else {
                    return self.error(token.span, format!("a number of more than {DIGIT_LIMIT} digits"));
                };
                NodeKind::Number(value)
            }
            TokenKind::Symbol if token.text == "(" => return self.parenthesised(),
            TokenKind::Word if matches!(token.text, "nondet" | "NONDET") => {
                self.next();
                self.expect("(", "behind `nondet`")?;
                let end = self.expect(")", "behind `nondet(`")?;
                return self.node(NodeKind::Nondet, token.span.to(end));
            }
            TokenKind::Word if self.follows("(") => {
                let message = format!("unknown function `{}`; there is only `nondet()`", token.text);
                return self.error(token.span, message);
            }
            TokenKind::Word if token.text == "true" => NodeKind::Literal(true),
            TokenKind::Word if token.text == "false" => NodeKind::Literal(false),
            TokenKind::Word if !is_keyword(token.text) => NodeKind::Variable(token.text),
            _ => return self.unexpected("a number, a variable, `nondet()` or `(`"),
        };
        self.next();
        self.node(kind, token.span)
    }

    fn parenthesised(&mut self) -> Parsed<Node<'a>> {
        let open = self.next().span;
        let mut inner = self.any()?;
        inner.span = open.to(self.expect(")", "to close the parenthesis")?);
        Ok(inner)
    }
}

fn comparison(token: &Token<'_>) -> Option<CompareOp> {
    if token.kind != TokenKind::Symbol {
        return None;
    }
    Some(match token.text {
        "==" | "=" => CompareOp::Equal,
        "!=" => CompareOp::NotEqual,
        "<" => CompareOp::Less,
        "<=" => CompareOp::LessEqual,
        ">" => CompareOp::Greater,
        ">=" => CompareOp::GreaterEqual,
        _ => return None,
    })
}

fn is_keyword(word: &str) -> bool {
    matches!(word, "START" | "FROM" | "TO" | "CUTPOINT" | "SHADOW" | "AT" | "assume" | "nondet" | "NONDET")
}
