//! A quick look at Rust text: tokens, brackets, and where bodies of functions stand. Nothing is parsed.

use std::ops::Range;

use rustc_hash::FxHashMap;

#[derive(PartialEq)]
pub enum Kind {
    Blank,
    Open,
    Close,
    Separator,
    Other,
}

pub fn token(bytes: &[u8], at: usize) -> (Kind, usize) {
    let find = |from: usize, end: &[u8]| {
        let rest = bytes.get(from..).unwrap_or(&[]);
        rest.windows(end.len())
            .position(|window| window == end)
            .map_or(bytes.len(), |found| from + found + end.len())
    };
    match (bytes[at], bytes.get(at + 1)) {
        (b' ' | b'\t' | b'\r' | b'\n', _) => {
            let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            (Kind::Blank, at + bytes[at..].iter().take_while(is_blank).count())
        }
        (b'/', Some(b'/')) => (Kind::Blank, find(at, b"\n")),
        (b'/', Some(b'*')) => (Kind::Blank, find(at + 2, b"*/")),
        (b'"', _) => (Kind::Other, string(bytes, at)),
        (b'\'', _) => (Kind::Other, quote(bytes, at)),
        (b'(' | b'[' | b'{', _) => (Kind::Open, at + 1),
        (b')' | b']' | b'}', _) => (Kind::Close, at + 1),
        (b';' | b',', _) => (Kind::Separator, at + 1),
        (byte, _) if is_word(byte) => {
            let length = bytes[at..].iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len() - at);
            match &bytes[at..at + length] {
                b"r" | b"br" => (Kind::Other, raw_string(bytes, at + length).unwrap_or(at + length)),
                _ => (Kind::Other, at + length),
            }
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

/// The end of a text in which nothing is escaped; `at` is behind its prefix.
fn raw_string(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at..].iter().take_while(|byte| **byte == b'#').count();
    let begin = at + hashes + 1;
    if bytes.get(begin - 1) != Some(&b'"') {
        return None;
    }
    let is_end = |from: &usize| {
        bytes[*from] == b'"'
            && bytes.get(from + 1..=from + hashes).is_some_and(|end| end.iter().all(|byte| *byte == b'#'))
    };
    Some((begin..bytes.len()).find(is_end).map_or(bytes.len(), |end| end + 1 + hashes))
}

/// A character literal, or the tick of a lifetime.
fn quote(bytes: &[u8], at: usize) -> usize {
    match (bytes.get(at + 1), bytes.get(at + 2), bytes.get(at + 3)) {
        (Some(b'\\'), Some(_), Some(b'\'')) => at + 4,
        (Some(_), Some(b'\''), _) => at + 3,
        _ => at + 1,
    }
}

/// A text in which some bodies of functions are blank and all else stands where it stood, by lines and columns; where
/// those bodies end, by where they begin. Of functions in others only the outermost is asked about.
pub fn without_bodies(
    text: &str,
    is_left_out: impl Fn(Range<usize>) -> bool,
) -> (String, FxHashMap<u32, u32>) {
    let (mut short, mut left) = (String::with_capacity(text.len() / 2), FxHashMap::default());
    let (mut at, mut copied) = (0, 0);
    while let Some((word, end)) = next(text, at) {
        at = end;
        match &text[word..end] {
            "fn" => {
                let Some(body) = body_after(text, end) else { continue };
                at = body.end;
                if is_left_out(body.clone()) {
                    short.push_str(&text[copied..=body.start]);
                    blank(&text[body.start + 1..body.end - 1], &mut short);
                    copied = body.end - 1;
                    left.insert(body.start as u32, body.end as u32);
                }
            }
            // What a macro takes is no item yet.
            "!" => at = macro_after(text, end),
            _ => {}
        }
    }
    short.push_str(&text[copied..]);
    (short, left)
}

/// The next token that is no blank, and its end.
pub fn next(text: &str, mut at: usize) -> Option<(usize, usize)> {
    while at < text.len() {
        let (kind, end) = token(text.as_bytes(), at);
        if kind != Kind::Blank {
            return Some((at, end));
        }
        at = end;
    }
    None
}

/// From an opening bracket to behind the one that closes it; nothing where none opens.
pub fn group(text: &str, start: usize) -> Range<usize> {
    let (mut depth, mut at) = (0, start);
    while at < text.len() {
        let (kind, end) = token(text.as_bytes(), at);
        depth = match kind {
            Kind::Open => depth + 1,
            Kind::Close => depth - 1,
            _ => depth,
        };
        at = end;
        if depth == 0 {
            break;
        }
    }
    start..at
}

/// Behind what a macro takes; one that is declared has its name before.
fn macro_after(text: &str, at: usize) -> usize {
    let Some((start, end)) = next(text, at) else { return at };
    let is_name = text[start..end].starts_with(|letter: char| letter.is_alphabetic());
    let open = if is_name { next(text, end).map_or(end, |(open, _)| open) } else { start };
    group(text, open).end
}

/// The body of the function whose name comes next; a type `fn(…)` has no name, and a function of a trait may have no body.
fn body_after(text: &str, at: usize) -> Option<Range<usize>> {
    let (name, mut at) = next(text, at)?;
    if text[name..at].starts_with('(') {
        return None;
    }
    loop {
        let (start, end) = next(text, at)?;
        at = match &text[start..end] {
            ";" => return None,
            "{" => return Some(group(text, start)),
            "(" | "[" => group(text, start).end,
            _ => end,
        };
    }
}

/// Whether a body declares nothing, not even the length of an array.
pub fn can_wait(body: &str) -> bool {
    let (mut at, mut open) = (0, Vec::new());
    while let Some((start, end)) = next(body, at) {
        match &body[start..end] {
            "use" | "fn" | "const" | "static" | "struct" | "enum" | "impl" | "macro_rules" => return false,
            ";" if open.last() == Some(&"[") => return false,
            bracket @ ("(" | "[" | "{") => open.push(bracket),
            ")" | "]" | "}" => drop(open.pop()),
            _ => {}
        }
        at = end;
    }
    true
}

/// Nothing, as many lines and columns of it.
fn blank(text: &str, out: &mut String) {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count();
    let columns = text.len() - text.rfind('\n').map_or(0, |line| line + 1);
    out.extend(std::iter::repeat_n('\n', lines).chain(std::iter::repeat_n(' ', columns)));
}
