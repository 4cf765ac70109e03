//! Our own text of std, read as far as somebody asks: signatures at once, most bodies when they are wanted.
//!
//! A quick look at the text tells where bodies stand. The parser gets a text without them, in which everything else
//! stands where it stood; each body is parsed by itself later. Bodies that declare something are read with the rest,
//! because others could not see it otherwise, and so is what macros write.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use syn::parse::{ParseStream, Parser};

use super::super::cfg::Configuration;
use super::super::hir::Body;
use super::super::intrinsics::Intrinsics;
use super::super::items::{Function, Items};
use super::super::macros::Macros;
use super::super::modules::{Text, Texts};
use super::super::scan::{Kind, token};
use super::{Held, Reader, body};
use crate::source::SourceFile;

/// What is needed to read a body of std.
#[derive(Debug)]
pub struct Standard {
    file: Arc<SourceFile>,
    configuration: Configuration,
}

impl Standard {
    pub fn new(texts: &Texts, configuration: &Configuration) -> Self {
        Self { file: texts.list[0].file.clone(), configuration: configuration.clone() }
    }

    /// The body of a function whose text, signature included, stands there.
    pub fn body(&self, items: &Items, function: &Function, text: &Range<usize>) -> Body {
        let parser = |input: ParseStream<'_>| -> syn::Result<(syn::Signature, syn::Block)> {
            Ok((input.parse()?, input.parse()?))
        };
        let parsed = parser.parse_str(&self.file.text[text.clone()]);
        let (signature, block) = parsed.unwrap_or_else(|problem| {
            panic!("our own text of std is wrong in `{}`: {problem}", function.name)
        });
        let texts = Texts { list: vec![Text::empty(self.file.clone(), text.start)], ..Texts::default() };
        let (intrinsics, kept) = (Intrinsics::default(), Default::default());
        let all = (Held::Lent(items), Macros::default());
        let mut reader = Reader::new(&texts, all, &self.configuration, &intrinsics, &kept, function.module);
        reader.owner = function.owner;
        body::function(&mut reader, &signature, &block)
    }
}

/// A text without the bodies that can wait, and where those end, by where they begin.
pub fn without_bodies(text: &str) -> (String, FxHashMap<u32, u32>) {
    let (mut short, mut left) = (String::with_capacity(text.len() / 2), FxHashMap::default());
    let (mut at, mut copied) = (0, 0);
    while let Some((word, end)) = next(text, at) {
        at = end;
        match &text[word..end] {
            "fn" => {
                let Some(body) = body_after(text, end) else { continue };
                at = body.end;
                if can_wait(&text[body.clone()]) {
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
fn next(text: &str, mut at: usize) -> Option<(usize, usize)> {
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
fn group(text: &str, start: usize) -> Range<usize> {
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
fn can_wait(body: &str) -> bool {
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
