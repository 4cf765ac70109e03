//! Text to tokens. Names may hold the characters that provers put into them (`x!15`, `x^post_1`, `i'`,
//! `a.b`, `$t`); comments are `//`, `#` and `/* */`.

use std::sync::Arc;

use crate::source::{Diagnostic, SourceFile, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    Number,
    /// With its quotes.
    Text,
    Symbol,
    /// A character of no meaning, reported already.
    Unknown,
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub span: Span,
}

impl Token<'_> {
    pub fn is(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    /// How messages name the token.
    pub fn shown(&self) -> String {
        match self.kind {
            TokenKind::End => "the end of the file".into(),
            TokenKind::Text => "a string".into(),
            _ if self.text.len() > 40 => format!("`{}…`", &self.text[..self.text.floor_char_boundary(40)]),
            _ => format!("`{}`", self.text),
        }
    }
}

/// Longest first, so that the first match is the right one.
const SYMBOLS: [&str; 21] = [
    ":=", "<=", ">=", "==", "!=", "&&", "||", "(", ")", "+", "-", "*", "/", "%", "!", ";", ":", ",", "<",
    ">", "=",
];

pub fn tokenize<'a>(file: &'a Arc<SourceFile>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token<'a>> {
    let mut lexer = Lexer { file, text: &file.text, at: 0, diagnostics };
    let mut tokens = Vec::with_capacity(file.text.len() / 4);
    while let Some(token) = lexer.next() {
        tokens.push(token);
    }
    let end = Span::new(file.id, file.text.len(), file.text.len());
    tokens.push(Token { kind: TokenKind::End, text: "", span: end });
    tokens
}

struct Lexer<'a, 'd> {
    file: &'a SourceFile,
    text: &'a str,
    at: usize,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'a> Lexer<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blank();
        let first = self.rest().chars().next()?;
        let start = self.at;
        let kind = match first {
            '0'..='9' => self.number(),
            '"' => self.quoted(),
            _ if starts_name(first) => {
                self.at += name_length(self.rest());
                TokenKind::Word
            }
            _ => self.symbol(first),
        };
        let span = Span::new(self.file.id, start, self.at);
        Some(Token { kind, text: &self.text[start..self.at], span })
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with(|c: char| c.is_ascii_whitespace() || c == '\u{b}') {
                self.at += 1;
            } else if rest.starts_with("//") || rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.block_comment();
            } else if self.at == 0 && rest.starts_with('\u{feff}') {
                // A byte order mark is no character of the program.
                self.at = '\u{feff}'.len_utf8();
            } else {
                return;
            }
        }
    }

    fn block_comment(&mut self) {
        match self.rest()[2..].find("*/") {
            Some(length) => self.at += length + 4,
            None => {
                let opening = Span::new(self.file.id, self.at, self.at + 2);
                self.diagnostics.push(Diagnostic::error(opening, "the comment `/*` is never closed"));
                self.at = self.text.len();
            }
        }
    }

    fn quoted(&mut self) -> TokenKind {
        let inside = &self.rest()[1..];
        match inside.find(['"', '\n']) {
            Some(length) if inside[length..].starts_with('"') => {
                self.at += length + 2;
                TokenKind::Text
            }
            other => {
                let opening = Span::new(self.file.id, self.at, self.at + 1);
                self.diagnostics.push(Diagnostic::error(opening, "the string is not closed on its line"));
                self.at += 1 + other.unwrap_or(inside.len());
                TokenKind::Unknown
            }
        }
    }

    /// Digits; with a `_` behind them they start a name.
    fn number(&mut self) -> TokenKind {
        let start = self.at;
        self.at += length_of(self.rest(), |c| c.is_ascii_digit());
        if self.rest().starts_with('_') {
            self.at += name_length(self.rest());
            return TokenKind::Word;
        }
        let rest = self.rest();
        let after = rest.strip_prefix(['.', 'e', 'E']);
        let after = after.map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
        if !after.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            return TokenKind::Number;
        }
        let exponent = |text: &str| text.ends_with(['e', 'E']);
        while let Some(next) = self.rest().chars().next() {
            let sign = matches!(next, '+' | '-') && exponent(&self.text[start..self.at]);
            if !(next.is_ascii_alphanumeric() || next == '.' || sign) {
                break;
            }
            self.at += next.len_utf8();
        }
        let message = format!("`{}` is not an integer", &self.text[start..self.at]);
        let span = Span::new(self.file.id, start, self.at);
        self.diagnostics.push(Diagnostic::error(span, message));
        TokenKind::Unknown
    }

    fn symbol(&mut self, first: char) -> TokenKind {
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
            self.at += symbol.len();
            return TokenKind::Symbol;
        }
        let span = Span::new(self.file.id, self.at, self.at + first.len_utf8());
        self.at += first.len_utf8();
        let message = format!("unknown character `{}`", first.escape_debug());
        self.diagnostics.push(Diagnostic::error(span, message));
        TokenKind::Unknown
    }
}

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '\'' | '@')
}

fn length_of(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// `!`, `^` and `~` belong to a name only between parts of it: `x!15` is a name, `x!=15` a comparison.
fn name_length(text: &str) -> usize {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '\'' | '@');
    let mut length = length_of(text, part);
    loop {
        let rest = &text[length..];
        let Some(inside) = rest.strip_prefix(['!', '^', '~']) else { return length };
        match length_of(inside, part) {
            0 => return length,
            more => length += 1 + more,
        }
    }
}
