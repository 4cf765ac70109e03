//! How deep a text nests, judged before the parser recurses over it, and which bracket has no partner.
//!
//! Depth is bounded by the length of what stands between separators, plus what is nested in it; both
//! brackets and operator chains count. Strings, comments and character literals are skipped roughly:
//! a mistake there can only refuse a strange file or leave the work to the parser's large stack.

use crate::source::skim::{Kind, token};
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

/// The first bracket or quotation mark that has no partner, of a text that is no sequence of tokens.
pub fn unbalanced(file: &SourceFile) -> Option<Diagnostic> {
    let bytes = file.text.as_bytes();
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (kind, end) = token(bytes, at);
        let span = Span::new(file.id, at, end);
        let bracket = bytes[at] as char;
        match kind {
            Kind::Open => open.push((bytes[at], at)),
            Kind::Close => match open.pop() {
                None => return Some(Diagnostic::error(span, format!("this `{bracket}` closes nothing"))),
                Some((own, _)) if closing(own) == bytes[at] => {}
                Some((own, from)) => {
                    let (line, column) = file.position(from as u32);
                    let own = own as char;
                    let message = format!(
                        "this `{bracket}` does not close the `{own}` of line {line}, column {column}"
                    );
                    return Some(Diagnostic::error(span, message));
                }
            },
            Kind::Other if bytes[at] == b'"' && !is_closed(&bytes[at..end]) => {
                let span = Span::new(file.id, at, at + 1);
                return Some(Diagnostic::error(span, "this text is never closed"));
            }
            _ => {}
        }
        at = end;
    }
    let (bracket, from) = open.pop()?;
    let message = format!("this `{}` is never closed", bracket as char);
    Some(Diagnostic::error(Span::new(file.id, from, from + 1), message))
}

fn is_closed(string: &[u8]) -> bool {
    let escapes = string.iter().rev().skip(1).take_while(|byte| **byte == b'\\').count();
    string.len() > 1 && string.ends_with(b"\"") && escapes.is_multiple_of(2)
}

fn closing(bracket: u8) -> u8 {
    match bracket {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
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
