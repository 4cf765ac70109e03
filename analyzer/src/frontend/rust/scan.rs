//! How deep a text nests, judged before the parser recurses over it.
//!
//! Depth is bounded by the length of what stands between separators, plus what is nested in it; both
//! brackets and operator chains count. Strings, comments and character literals are skipped roughly:
//! a mistake there can only refuse a strange file or leave the work to the parser's large stack.

use crate::source::{Diagnostic, SourceFile, Span};

const BRACKET_LIMIT: usize = 1_500;
const CHAIN_LIMIT: usize = 5_000;

/// An open bracket: its kind, the chain being counted in it, and the longest one so far.
struct Level {
    bracket: u8,
    chain: usize,
    longest: usize,
}

pub fn too_deep(file: &SourceFile) -> Option<Diagnostic> {
    let bytes = file.text.as_bytes();
    let mut levels = vec![Level { bracket: b'{', chain: 0, longest: 0 }];
    let mut at = 0;
    while at < bytes.len() {
        let (kind, end) = token(bytes, at);
        match kind {
            Kind::Blank => {}
            Kind::Open if levels.len() > BRACKET_LIMIT => {
                let span = Span::new(file.id, at, end);
                return Some(Diagnostic::error(
                    span,
                    format!("nested too deeply (more than {BRACKET_LIMIT} levels)"),
                ));
            }
            Kind::Open => levels.push(Level { bracket: bytes[at], chain: 0, longest: 0 }),
            Kind::Close => close(&mut levels, continues(bytes, end)),
            Kind::Separator => separate(&mut levels),
            Kind::Other => {
                if let Some(level) = levels.last_mut() {
                    level.chain += 1;
                }
            }
        }
        if levels.last().is_some_and(|level| level.chain > CHAIN_LIMIT) {
            let span = Span::new(file.id, at, end);
            return Some(Diagnostic::error(span, format!("one statement of more than {CHAIN_LIMIT} tokens")));
        }
        at = end;
    }
    None
}

fn separate(levels: &mut [Level]) {
    if let Some(level) = levels.last_mut() {
        level.longest = level.longest.max(level.chain);
        level.chain = 0;
    }
}

/// What was nested counts towards the chain it stands in, unless a statement ends with it.
fn close(levels: &mut Vec<Level>, continues: bool) {
    if levels.len() < 2 {
        return;
    }
    let Some(inner) = levels.pop() else { return };
    if let Some(outer) = levels.last_mut() {
        outer.chain += inner.longest.max(inner.chain) + 1;
    }
    if inner.bracket == b'{' && !continues {
        separate(levels);
    }
}

/// Whether the text behind a `}` goes on with the same statement.
fn continues(bytes: &[u8], at: usize) -> bool {
    let mut at = at;
    while at < bytes.len() {
        match token(bytes, at) {
            (Kind::Blank, end) => at = end,
            (Kind::Other, end) => {
                let text = &bytes[at..end];
                return text == b"else"
                    || !(text[0].is_ascii_alphabetic() || text[0] == b'_' || text[0] == b'#');
            }
            _ => return false,
        }
    }
    false
}

#[derive(PartialEq)]
enum Kind {
    Blank,
    Open,
    Close,
    Separator,
    Other,
}

fn token(bytes: &[u8], at: usize) -> (Kind, usize) {
    let find = |from: usize, end: &[u8]| {
        let rest = bytes.get(from..).unwrap_or(&[]);
        rest.windows(end.len())
            .position(|window| window == end)
            .map_or(bytes.len(), |found| from + found + end.len())
    };
    match (bytes[at], bytes.get(at + 1)) {
        (b' ' | b'\t' | b'\r' | b'\n', _) => (Kind::Blank, at + 1),
        (b'/', Some(b'/')) => (Kind::Blank, find(at, b"\n")),
        (b'/', Some(b'*')) => (Kind::Blank, find(at + 2, b"*/")),
        (b'"', _) => (Kind::Other, string(bytes, at)),
        (b'\'', _) => (Kind::Other, quote(bytes, at)),
        (b'(' | b'[' | b'{', _) => (Kind::Open, at + 1),
        (b')' | b']' | b'}', _) => (Kind::Close, at + 1),
        (b';' | b',', _) => (Kind::Separator, at + 1),
        (byte, _) if is_word(byte) => {
            let length = bytes[at..].iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len() - at);
            (Kind::Other, at + length)
        }
        _ => (Kind::Other, at + 1),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A character literal, or the tick of a lifetime.
fn quote(bytes: &[u8], at: usize) -> usize {
    match (bytes.get(at + 1), bytes.get(at + 2), bytes.get(at + 3)) {
        (Some(b'\\'), Some(_), Some(b'\'')) => at + 4,
        (Some(_), Some(b'\''), _) => at + 3,
        _ => at + 1,
    }
}
