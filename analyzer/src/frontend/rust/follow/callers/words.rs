//! What the text of a crate and its tests speaks of: numbers, letters and texts that its code may look for.
//!
//! That of constants and of other crates, tests above all, is there from the beginning; that of functions when a run has
//! come to them.

use rustc_hash::FxHashSet;

use super::super::super::hir::{Body, ExprId, ExprKind, FnId};
use super::super::super::items::Items;
use crate::source::sink::{Digest, Sink};

const LONGEST_TEXT: usize = 96;
/// A list of numbers may be a whole packet.
const LONGEST_LIST: usize = 512;
const SHORTEST_LIST: usize = 4;
const MOST_WORDS: usize = 1 << 14;

#[derive(Debug, Default)]
pub struct Words {
    pub numbers: Vec<i128>,
    pub letters: Vec<char>,
    pub texts: Vec<Vec<u8>>,
    met: FxHashSet<Word>,
    /// Functions that runs have come to, and what they speak of.
    functions: FxHashSet<FnId>,
    learned: Vec<Word>,
    /// How many there were at the beginning.
    first: [usize; 3],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Word {
    Number(i128),
    Letter(char),
    Text(Vec<u8>),
}

impl Words {
    pub fn of(items: &Items) -> Self {
        let mut words = Self::default();
        for (_, body) in items.bodies().filter(|(function, _)| !items.is_own_module(function.module)) {
            words.add(body);
        }
        let own = items.constants.iter().filter(|constant| !items.is_std_module(constant.module));
        for body in own.filter_map(|constant| constant.body.as_ref()) {
            words.add(body);
        }
        words.learned.clear();
        words.first = [words.numbers.len(), words.letters.len(), words.texts.len()];
        words
    }

    pub fn digest(&self) -> Digest {
        Sink::of(&(&self.numbers, &self.letters, &self.texts))
    }

    /// Runs have come to these functions, and to no others.
    pub fn learn(&mut self, items: &Items, functions: &FxHashSet<FnId>) {
        if self.functions.len() == functions.len() {
            return;
        }
        let mut new: Vec<FnId> = functions.difference(&self.functions).copied().collect();
        new.sort_unstable();
        for id in new {
            self.functions.insert(id);
            if items.is_own_module(items.function(id).module) {
                items.body(id).into_iter().for_each(|body| self.add(body));
            }
        }
    }

    /// Only what was there at the beginning.
    pub fn forget(&mut self) {
        self.functions.clear();
        for word in self.learned.drain(..) {
            self.met.remove(&word);
        }
        let [numbers, letters, texts] = self.first;
        self.numbers.truncate(numbers);
        self.letters.truncate(letters);
        self.texts.truncate(texts);
    }

    fn add(&mut self, body: &Body) {
        for expr in &body.exprs {
            let word = match &expr.kind {
                ExprKind::Integer(value, _) => value.to_i128().map(Word::Number),
                ExprKind::Char(letter) => Some(Word::Letter(*letter)),
                ExprKind::Text(Some(text)) => Some(Word::Text(text.as_bytes().to_vec())),
                ExprKind::Bytes(bytes) => Some(Word::Text(bytes.clone())),
                ExprKind::Array(elements) => bytes_of(body, elements).map(Word::Text),
                _ => None,
            };
            let Some(word) = word else { continue };
            let longest = if matches!(expr.kind, ExprKind::Array(_)) { LONGEST_LIST } else { LONGEST_TEXT };
            if self.met.len() >= MOST_WORDS || !self.met.insert(word.clone()) {
                continue;
            }
            match &word {
                Word::Number(number) => self.numbers.push(*number),
                Word::Letter(letter) => self.letters.push(*letter),
                Word::Text(text) if text.len() <= longest && !text.is_empty() => {
                    self.texts.push(text.clone());
                }
                Word::Text(_) => {}
            }
            self.learned.push(word);
        }
    }
}

/// A list of numbers that may be bytes.
fn bytes_of(body: &Body, elements: &[ExprId]) -> Option<Vec<u8>> {
    if !(SHORTEST_LIST..=LONGEST_LIST).contains(&elements.len()) {
        return None;
    }
    let byte = |id: &ExprId| match &body.expr(*id).kind {
        ExprKind::Integer(value, _) => u8::try_from(value.to_i128()?).ok(),
        _ => None,
    };
    elements.iter().map(byte).collect()
}
