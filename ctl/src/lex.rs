//! Tokens of the formula language.
//!
//! Every mistake that can be seen in the characters alone (`=`, `&`, `=>`, a stray byte) is reported here
//! with the spelling that was probably meant.

use crate::parse::ParseError;
use crate::syntax::SourceSpan;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Integer,
    Character,
    Symbol(&'static str),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: SourceSpan,
}

/// Longest first: the first one that matches is the token.
const SYMBOLS: [&str; 25] = [
    "<->", "->", "&&", "||", "==", "!=", "<=", ">=", "::", "**", "(", ")", "[", "]", "!", "<", ">", "+", "-",
    "*", "/", "%", ".", ",", ":",
];

/// Spellings from other languages and what they are called here.
const MISTAKES: [(&str, &str); 16] = [
    ("<=>", "did you mean `<->`?"),
    ("===", "did you mean `==`?"),
    ("==>", "did you mean `->`?"),
    ("=>", "did you mean `->`?"),
    ("=<", "did you mean `<=`?"),
    ("<>", "did you mean `!=`?"),
    ("/\\", "did you mean `&&`?"),
    ("\\/", "did you mean `||`?"),
    ("&&&", "did you mean `&&`?"),
    ("&", "did you mean `&&`?"),
    ("|", "did you mean `||`?"),
    ("=", "did you mean `==`?"),
    ("~", "did you mean `!`?"),
    ("¬", "did you mean `!`?"),
    ("∧", "did you mean `&&`?"),
    ("∨", "did you mean `||`?"),
];

pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let token = token_at(text, at, first)?;
        at = token.span.end;
        found.push(token);
    }
    found.push(Token { kind: TokenKind::End, span: SourceSpan::new(text.len(), text.len()) });
    Ok(found)
}

fn token_at(text: &str, at: usize, first: char) -> Result<Token, ParseError> {
    if is_word_start(first) {
        return Ok(word(text, at));
    }
    if first.is_ascii_digit() {
        return integer(text, at);
    }
    if first == '\'' {
        return character(text, at).map(|(token, _)| token);
    }
    let rest = &text[at..];
    let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
    for (wrong, help) in MISTAKES {
        // `&&` is a symbol although it starts with the mistake `&`; `=>` is a mistake although no symbol.
        if rest.starts_with(wrong) && symbol.is_none_or(|symbol| symbol.len() < wrong.len()) {
            let span = SourceSpan::new(at, at + wrong.len());
            return Err(
                ParseError::new(format!("`{wrong}` is not an operator of formulas"), span).with_help(help)
            );
        }
    }
    match symbol {
        Some(symbol) => {
            Ok(Token { kind: TokenKind::Symbol(symbol), span: SourceSpan::new(at, at + symbol.len()) })
        }
        None => {
            let span = SourceSpan::new(at, at + first.len_utf8());
            Err(ParseError::new(format!("unexpected character {first:?}"), span))
        }
    }
}

fn run(text: &str, at: usize, kind: TokenKind, belongs: fn(char) -> bool) -> Token {
    let length = text[at..].find(|c| !belongs(c)).unwrap_or(text.len() - at);
    Token { kind, span: SourceSpan::new(at, at + length) }
}

/// A name. Provers put `!` and `^` between its parts (`x!15`, `x^post_1`), where no operator can stand.
fn word(text: &str, at: usize) -> Token {
    let mut token = run(text, at, TokenKind::Word, is_word_part);
    while let Some(rest) = text[token.span.end..].strip_prefix(['!', '^'])
        && rest.starts_with(is_word_part)
        && !crate::parse::is_reserved(&text[at..token.span.end])
    {
        let part = run(text, token.span.end + 1, TokenKind::Word, is_word_part);
        token.span.end = part.span.end;
    }
    token
}

fn integer(text: &str, at: usize) -> Result<Token, ParseError> {
    let token = run(text, at, TokenKind::Integer, is_word_part);
    let written = &text[at..token.span.end];
    if written.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(token);
    }
    Err(ParseError::new(format!("`{written}` is not a decimal integer"), token.span)
        .with_help("integers are written in decimal digits; names start with a letter or `_`"))
}

/// A character literal: its token and its code.
pub(crate) fn character(text: &str, at: usize) -> Result<(Token, u32), ParseError> {
    let mut chars = text[at + 1..].char_indices();
    let code = match chars.next() {
        Some((_, '\\')) => match chars.next() {
            Some((_, 'n')) => Some('\n'),
            Some((_, 't')) => Some('\t'),
            Some((_, 'r')) => Some('\r'),
            Some((_, '0')) => Some('\0'),
            Some((_, quoted @ ('\\' | '\'' | '"'))) => Some(quoted),
            _ => None,
        },
        Some((_, plain)) if plain != '\'' && plain != '\n' => Some(plain),
        _ => None,
    };
    match (code, chars.next()) {
        (Some(code), Some((offset, '\''))) => {
            let span = SourceSpan::new(at, at + 1 + offset + 1);
            Ok((Token { kind: TokenKind::Character, span }, u32::from(code)))
        }
        _ => Err(ParseError::new("this character literal is not complete", SourceSpan::new(at, at + 1))
            .with_help("a character literal is one character in quotes, like 'a' or '\\n'")),
    }
}

pub(crate) fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

pub(crate) fn is_word_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
