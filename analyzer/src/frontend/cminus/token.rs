//! Text to tokens. Comments, spaces and line splices vanish; every mistake is reported and skipped.

use std::sync::Arc;

use crate::source::{Diagnostic, SourceFile, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a keyword.
    Word,
    Number,
    Character,
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
    /// First token of its line: where a directive may start.
    pub opens_line: bool,
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
const SYMBOLS: [&str; 47] = [
    "<<=", ">>=", "...", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "++", "--", "<<", ">>", "->", "+", "-", "*", "/", "%", "=", "<", ">", "!", "&", "|", "^", "~", "?", ":",
    ";", ",", "(", ")", "{", "}", "[", "]", ".", "#",
];

pub fn tokenize<'a>(file: &'a Arc<SourceFile>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token<'a>> {
    let mut lexer = Lexer { file, text: &file.text, at: 0, opens_line: true, diagnostics };
    let mut tokens = Vec::with_capacity(file.text.len() / 4);
    while let Some(token) = lexer.next() {
        tokens.push(token);
    }
    let end = Span::new(file.id, file.text.len(), file.text.len());
    tokens.push(Token { kind: TokenKind::End, text: "", span: end, opens_line: true });
    tokens
}

struct Lexer<'a, 'd> {
    file: &'a SourceFile,
    text: &'a str,
    at: usize,
    opens_line: bool,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'a> Lexer<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file.id, start, self.at)
    }

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blank();
        let first = self.rest().bytes().next()?;
        let start = self.at;
        let kind = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.quoted(b'"', TokenKind::Text),
            b'\'' => self.quoted(b'\'', TokenKind::Character),
            _ => self.symbol(),
        };
        let opens_line = std::mem::replace(&mut self.opens_line, false);
        Some(Token { kind, text: &self.text[start..self.at], span: self.span(start), opens_line })
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match (bytes.get(self.at), bytes.get(self.at + 1)) {
                (Some(b'\n'), _) => {
                    self.opens_line = true;
                    self.at += 1;
                }
                (Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c), _) => self.at += 1,
                (Some(b'\\'), Some(b'\n')) => self.at += 2,
                (Some(b'\\'), Some(b'\r')) if bytes.get(self.at + 2) == Some(&b'\n') => self.at += 3,
                (Some(b'/'), Some(b'/')) => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                (Some(b'/'), Some(b'*')) => self.block_comment(),
                // A byte order mark is no character of the program.
                _ if self.at == 0 && self.text.starts_with('\u{feff}') => self.at = 3,
                _ => return,
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.rest()[2..].find("*/") {
            Some(length) => self.at += length + 4,
            None => {
                self.at = self.text.len();
                let opening = Span::new(self.file.id, start, start + 2);
                self.diagnostics.push(Diagnostic::error(opening, "the comment `/*` is never closed"));
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += length;
        if !rest[..length].is_ascii() {
            let message = format!("the name `{}` is not written in ASCII", &rest[..length]);
            self.diagnostics.push(Diagnostic::error(self.span(start), message));
        }
        TokenKind::Word
    }

    /// Digits with whatever letters follow; the parser judges prefix and suffix.
    fn number(&mut self) -> TokenKind {
        let rest = self.rest();
        let length =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        self.at += length;
        TokenKind::Number
    }

    fn quoted(&mut self, quote: u8, kind: TokenKind) -> TokenKind {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            match bytes.get(at) {
                Some(b'\\') => at += 2,
                Some(byte) if *byte == quote => {
                    self.at = at + 1;
                    return kind;
                }
                None | Some(b'\n') => break,
                Some(_) => at += 1,
            }
        }
        self.at = at.min(self.text.len());
        let what = if quote == b'"' { "string" } else { "character" };
        let opening = Span::new(self.file.id, start, start + 1);
        self.diagnostics.push(Diagnostic::error(opening, format!("the {what} is not closed on its line")));
        TokenKind::Unknown
    }

    fn symbol(&mut self) -> TokenKind {
        let start = self.at;
        let rest = self.rest();
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            self.at += symbol.len();
            return TokenKind::Symbol;
        }
        let unknown = rest.chars().next().unwrap_or(' ');
        if unknown.is_alphabetic() {
            return self.word();
        }
        self.at += unknown.len_utf8();
        let message = format!("unknown character `{}`", unknown.escape_debug());
        self.diagnostics.push(Diagnostic::error(self.span(start), message));
        TokenKind::Unknown
    }
}
