//! Tokens to a syntax tree, by recursive descent.
//!
//! A mistake is reported once and the parser goes on behind the statement that holds it, so one file
//! shows all its errors. Nesting is bounded: the parser and every walk over its tree may recurse.

mod declaration;
mod expression;
mod statement;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Language;
use super::ast::{TypeName, Unit};
use super::token::{Token, TokenKind};
use crate::source::{Diagnostic, Span};

/// How deep statements, brackets and operators may nest.
const NESTING_LIMIT: u32 = 400;
/// How high one expression's tree may grow (`a + a + … + a` is as high as it is long).
const HEIGHT_LIMIT: u32 = 1000;

/// A reported mistake: the statement under way is given up.
#[derive(Debug)]
pub struct Bail;

pub type Parsed<T> = Result<T, Bail>;

pub struct Parser<'a, 'd> {
    tokens: &'a [Token<'a>],
    at: usize,
    language: Language,
    diagnostics: &'d mut Vec<Diagnostic>,
    typedefs: FxHashMap<&'a str, TypeName>,
    /// The file declares `true` and `false` itself, as C did before it had them.
    declares_truth: bool,
    nesting: u32,
    /// The rest of the file cannot be read: nothing more is reported.
    stopped: bool,
    /// Names in text that was given up: whether they are declared is not known.
    pub skipped_names: FxHashSet<&'a str>,
}

pub fn parse<'a>(
    tokens: &'a [Token<'a>],
    language: Language,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Unit<'a>, FxHashSet<&'a str>) {
    let mut parser = Parser {
        tokens,
        at: 0,
        language,
        diagnostics,
        typedefs: declaration::known_typedefs(language),
        declares_truth: false,
        nesting: 0,
        stopped: false,
        skipped_names: FxHashSet::default(),
    };
    let unit = parser.unit();
    (unit, parser.skipped_names)
}

impl<'a> Parser<'a, '_> {
    fn unit(&mut self) -> Unit<'a> {
        let mut unit = Unit::default();
        while self.peek().kind != TokenKind::End {
            let start = self.at;
            if self.item(&mut unit).is_err() {
                self.skip_item(start);
            }
        }
        unit
    }

    fn peek(&self) -> &'a Token<'a> {
        &self.tokens[self.at]
    }

    fn ahead(&self, distance: usize) -> &'a Token<'a> {
        &self.tokens[(self.at + distance).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> &'a Token<'a> {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// The span of the token before the current one.
    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn at_symbol(&self, symbol: &str) -> bool {
        self.peek().is(symbol)
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek().is_word(word)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.next();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, symbol: &str, place: &str) -> Parsed<Span> {
        if self.at_symbol(symbol) {
            return Ok(self.next().span);
        }
        let found = self.peek().shown();
        // A forgotten semicolon is best shown where it belongs, not at the next line.
        let span = match symbol {
            ";" => {
                let end = self.previous().end;
                Span { start: end.saturating_sub(1), ..self.previous() }
            }
            _ => self.peek().span,
        };
        self.error(span, format!("expected `{symbol}` {place}, found {found}"))
    }

    fn name(&mut self, place: &str) -> Parsed<(&'a str, Span)> {
        let token = *self.peek();
        if token.kind == TokenKind::Word && !is_keyword(token.text) {
            self.next();
            return Ok((token.text, token.span));
        }
        self.error(token.span, format!("expected a name {place}, found {}", token.shown()))
    }

    /// A name that C has not always kept for itself, where a file of C may declare it.
    fn name_or(&mut self, once_free: [&str; 2], place: &str) -> Parsed<(&'a str, Span)> {
        let token = *self.peek();
        if self.language == Language::C && once_free.iter().any(|word| token.is_word(word)) {
            self.next();
            return Ok((token.text, token.span));
        }
        self.name(place)
    }

    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        // What follows from a mistake that is reported already is none of its own.
        if !self.stopped && self.peek().kind != TokenKind::Unknown {
            self.diagnostics.push(Diagnostic::error(span, message));
        }
        Err(Bail)
    }

    /// Reports a mistake after which the file makes no sense.
    fn stop<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        self.at = self.tokens.len() - 1;
        let result = self.error(span, message);
        self.stopped = true;
        result
    }

    fn unsupported<T>(&mut self, span: Span, what: &str) -> Parsed<T> {
        self.error(span, format!("not supported: {what}"))
    }

    /// C that C- does not have.
    fn only_in_c(&mut self, span: Span, what: &str) -> Parsed<()> {
        if self.language == Language::C {
            return Ok(());
        }
        self.diagnostics.push(
            Diagnostic::error(span, format!("{what} is C, not C-")).with_help("files named `.c` may use it"),
        );
        Err(Bail)
    }

    /// Runs `inner` one level deeper.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == NESTING_LIMIT {
            let span = self.peek().span;
            return self.stop(span, format!("nested too deeply (more than {NESTING_LIMIT} levels)"));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// Skips a broken statement: behind its `;`, or before the `}` that ends the block.
    fn skip_statement(&mut self, start: usize) {
        // A missing `;` is noticed at the next statement: nothing to skip if that begins a line.
        let fresh = self.at > start && self.peek().opens_line && starts_statement(self.peek());
        if !fresh && !self.at_symbol("}") {
            self.skip_to_end(Stop::BeforeBrace);
        }
        self.remember_names(start);
    }

    /// Skips a broken item: behind its `;` or its block.
    fn skip_item(&mut self, start: usize) {
        if self.at == start {
            self.next();
        }
        self.skip_to_end(Stop::BehindBrace);
        self.remember_names(start);
    }

    /// Behind the next `;` or block, counting from a point outside of blocks.
    fn skip_to_end(&mut self, stop: Stop) {
        let mut depth = 0usize;
        loop {
            let token = self.peek();
            if token.kind == TokenKind::End || (depth == 0 && token.is("}") && stop == Stop::BeforeBrace) {
                return;
            }
            self.next();
            match token.text {
                "{" => depth += 1,
                "}" if depth <= 1 => return,
                "}" => depth -= 1,
                ";" if depth == 0 => return,
                _ => {}
            }
        }
    }

    fn remember_names(&mut self, start: usize) {
        let words = self.tokens[start..self.at].iter().filter(|token| token.kind == TokenKind::Word);
        self.skipped_names.extend(words.map(|token| token.text));
    }
}

/// What a `}` without its `{` means to skipped text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    BeforeBrace,
    BehindBrace,
}

fn starts_statement(token: &Token<'_>) -> bool {
    const STARTS: [&str; 12] = [
        "if", "while", "for", "do", "return", "break", "continue", "int", "bool", "switch", "goto",
        "unsigned",
    ];
    token.kind == TokenKind::Word && STARTS.contains(&token.text)
}

pub fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 47] = [
        "int",
        "bool",
        "boolean",
        "void",
        "if",
        "else",
        "while",
        "for",
        "do",
        "break",
        "continue",
        "return",
        "true",
        "false",
        "unsigned",
        "signed",
        "long",
        "short",
        "char",
        "_Bool",
        "float",
        "double",
        "struct",
        "union",
        "enum",
        "typedef",
        "const",
        "static",
        "volatile",
        "inline",
        "register",
        "extern",
        "auto",
        "goto",
        "switch",
        "case",
        "default",
        "sizeof",
        "restrict",
        "_Noreturn",
        "__inline",
        "__inline__",
        "__extension__",
        "__const",
        "__volatile__",
        "__signed__",
        "__restrict",
    ];
    KEYWORDS.contains(&word)
}
