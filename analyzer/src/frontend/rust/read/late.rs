//! Our own text of std, read as far as somebody asks: signatures at once, most bodies when they are wanted.
//!
//! A quick look at the text tells where bodies stand. The parser gets a text without them, in which everything else
//! stands where it stood; each body is parsed by itself later. Bodies that declare something are read with the rest,
//! because others could not see it otherwise.

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
use super::{Held, Reader, body};
use crate::source::{SourceFile, skim};

/// A text without the bodies that can wait, and where those end, by where they begin.
pub fn without_bodies(text: &str) -> (String, FxHashMap<u32, u32>) {
    skim::without_bodies(text, |body| skim::can_wait(&text[body]))
}

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
