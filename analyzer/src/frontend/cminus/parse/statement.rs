//! Statements and blocks.

use super::super::ast::{For, Mark, Statement, StatementKind};
use super::super::token::TokenKind;
use super::{Parsed, Parser, is_keyword};
use crate::source::Span;

impl<'a> Parser<'a, '_> {
    /// The statements behind an opening brace, and the closing one.
    pub(super) fn block(&mut self, open: Span) -> Parsed<Vec<Statement<'a>>> {
        let mut statements = Vec::new();
        while !self.eat("}") {
            if self.peek().kind == TokenKind::End {
                return self.stop(open, "this `{` is never closed");
            }
            let start = self.at;
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(_) => self.skip_statement(start),
            }
        }
        Ok(statements)
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement<'a>> {
        self.deeper(|parser| {
            let start = parser.peek().span;
            let kind = parser.statement_kind()?;
            Ok(Statement { kind, span: start.to(parser.previous()) })
        })
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind<'a>> {
        let token = *self.peek();
        match (token.kind, token.text) {
            (TokenKind::Symbol, ";") => {
                self.next();
                Ok(StatementKind::Empty)
            }
            (TokenKind::Symbol, "{") => {
                self.next();
                Ok(StatementKind::Block(self.block(token.span)?))
            }
            (TokenKind::Symbol, "#") => {
                self.only_in_c(token.span, "a line that starts with `#`")?;
                self.error(token.span, "a directive must stand on a line of its own")
            }
            (TokenKind::Word, "if") => self.if_chain(),
            (TokenKind::Word, "while") => self.while_loop(),
            (TokenKind::Word, "do") => self.do_loop(),
            (TokenKind::Word, "for") => self.for_loop(),
            (TokenKind::Word, "break") => self.simple(StatementKind::Break),
            (TokenKind::Word, "continue") => self.simple(StatementKind::Continue),
            (TokenKind::Word, "return") => {
                self.next();
                let value = if self.at_symbol(";") { None } else { Some(self.expression()?) };
                self.expect(";", "after `return`")?;
                Ok(StatementKind::Return(value))
            }
            (TokenKind::Word, "goto") => {
                self.only_in_c(token.span, "`goto`")?;
                self.next();
                let (name, span) = self.name("of a label")?;
                self.expect(";", "after `goto`")?;
                Ok(StatementKind::Goto(name, span))
            }
            (TokenKind::Word, "switch") => self.switch(),
            (TokenKind::Word, "case" | "default") => self.marked(),
            (TokenKind::Word, "else") => self.error(token.span, "this `else` has no `if`"),
            (TokenKind::Word, word) if !is_keyword(word) && self.ahead(1).is(":") => self.marked(),
            _ if self.starts_type(0) => Ok(StatementKind::Declaration(self.declaration()?)),
            _ => self.expression_statement(),
        }
    }

    fn simple(&mut self, kind: StatementKind<'a>) -> Parsed<StatementKind<'a>> {
        let word = self.next().text;
        self.expect(";", &format!("after `{word}`"))?;
        Ok(kind)
    }

    fn expression_statement(&mut self) -> Parsed<StatementKind<'a>> {
        let token = *self.peek();
        let strange_type = token.kind == TokenKind::Word
            && !is_keyword(token.text)
            && self.ahead(1).kind == TokenKind::Word
            && !is_keyword(self.ahead(1).text);
        if strange_type {
            return self.error(token.span, format!("unknown type or statement `{}`", token.text));
        }
        let expression = self.expression()?;
        self.expect(";", "after the statement")?;
        Ok(StatementKind::Expression(expression))
    }

    fn condition(&mut self, word: &str) -> Parsed<super::super::ast::Expr<'a>> {
        self.expect("(", &format!("after `{word}`"))?;
        let condition = self.expression()?;
        self.expect(")", &format!("after the condition of `{word}`"))?;
        Ok(condition)
    }

    fn if_chain(&mut self) -> Parsed<StatementKind<'a>> {
        let mut arms = Vec::new();
        loop {
            self.next();
            let condition = self.condition("if")?;
            arms.push((condition, self.recovered()?));
            if !self.eat_word("else") {
                return Ok(StatementKind::If { arms, otherwise: None });
            }
            if !self.at_word("if") {
                let otherwise = Some(Box::new(self.recovered()?));
                return Ok(StatementKind::If { arms, otherwise });
            }
        }
    }

    /// A statement inside another one: a mistake in it must not take the outer one along.
    fn recovered(&mut self) -> Parsed<Statement<'a>> {
        let start = self.at;
        let span = self.peek().span;
        match self.statement() {
            Ok(statement) => Ok(statement),
            Err(bail) if self.peek().kind == TokenKind::End => Err(bail),
            Err(_) => {
                self.skip_statement(start);
                Ok(Statement { kind: StatementKind::Empty, span })
            }
        }
    }

    fn while_loop(&mut self) -> Parsed<StatementKind<'a>> {
        self.next();
        let condition = self.condition("while")?;
        Ok(StatementKind::While { condition, body: Box::new(self.recovered()?) })
    }

    fn do_loop(&mut self) -> Parsed<StatementKind<'a>> {
        self.next();
        let body = Box::new(self.recovered()?);
        if !self.at_word("while") {
            let token = *self.peek();
            return self.error(
                token.span,
                format!("expected `while` after the body of `do`, found {}", token.shown()),
            );
        }
        self.next();
        let condition = self.condition("while")?;
        self.expect(";", "after `do … while (…)`")?;
        Ok(StatementKind::DoWhile { body, condition })
    }

    fn for_loop(&mut self) -> Parsed<StatementKind<'a>> {
        self.next();
        self.expect("(", "after `for`")?;
        let start = if self.eat(";") { None } else { Some(self.for_start()?) };
        let condition = if self.at_symbol(";") { None } else { Some(self.expression()?) };
        self.expect(";", "after the condition of `for`")?;
        let step = if self.at_symbol(")") { None } else { Some(self.expression()?) };
        self.expect(")", "after the head of `for`")?;
        let body = self.recovered()?;
        Ok(StatementKind::For(Box::new(For { start, condition, step, body })))
    }

    fn for_start(&mut self) -> Parsed<Statement<'a>> {
        let span = self.peek().span;
        let kind = if self.starts_type(0) {
            StatementKind::Declaration(self.declaration()?)
        } else {
            let expression = self.expression()?;
            self.expect(";", "after the start of `for`")?;
            StatementKind::Expression(expression)
        };
        Ok(Statement { kind, span: span.to(self.previous()) })
    }

    fn switch(&mut self) -> Parsed<StatementKind<'a>> {
        let span = self.peek().span;
        self.only_in_c(span, "`switch`")?;
        self.next();
        let value = self.condition("switch")?;
        Ok(StatementKind::Switch { value, body: Box::new(self.recovered()?) })
    }

    /// Labels and cases, then the statement they stand before.
    fn marked(&mut self) -> Parsed<StatementKind<'a>> {
        let mut marks = Vec::new();
        loop {
            let token = *self.peek();
            match token.text {
                "case" => {
                    self.only_in_c(token.span, "`case`")?;
                    self.next();
                    let value = self.conditional()?;
                    marks.push(Mark::Case(value, token.span));
                }
                "default" => {
                    self.only_in_c(token.span, "`default`")?;
                    self.next();
                    marks.push(Mark::Default(token.span));
                }
                word if token.kind == TokenKind::Word && !is_keyword(word) && self.ahead(1).is(":") => {
                    self.next();
                    marks.push(Mark::Label(word, token.span));
                }
                _ => break,
            }
            self.expect(":", "after the label")?;
        }
        let inner = if self.at_symbol("}") {
            Statement { kind: StatementKind::Empty, span: self.previous() }
        } else {
            self.statement()?
        };
        Ok(StatementKind::Marked(marks, Box::new(inner)))
    }
}
