//! What the text of a crate and its tests speaks of: numbers, letters and texts that its code may look for.

use rustc_hash::FxHashSet;

use super::super::super::hir::{Body, ExprKind};
use super::super::super::items::Items;

const LONGEST_TEXT: usize = 96;
const MOST_WORDS: usize = 1 << 14;

#[derive(Debug, Default)]
pub struct Words {
    pub numbers: Vec<i128>,
    pub letters: Vec<char>,
    pub texts: Vec<Vec<u8>>,
}

impl Words {
    pub fn of(items: &Items) -> Self {
        let mut words = Self::default();
        let mut met = FxHashSet::default();
        for (_, body) in items.bodies() {
            words.add(body, &mut met);
        }
        let own = items.constants.iter().filter(|constant| !items.is_std_module(constant.module));
        for body in own.filter_map(|constant| constant.body.as_ref()) {
            words.add(body, &mut met);
        }
        words
    }

    fn add<'b>(&mut self, body: &'b Body, met: &mut FxHashSet<Word<'b>>) {
        for expr in &body.exprs {
            let word = match &expr.kind {
                ExprKind::Integer(value, _) => value.to_i128().map(Word::Number),
                ExprKind::Char(letter) => Some(Word::Letter(*letter)),
                ExprKind::Text(Some(text)) => Some(Word::Text(text.as_bytes())),
                ExprKind::Bytes(bytes) => Some(Word::Text(bytes)),
                _ => None,
            };
            let Some(word) = word else { continue };
            if met.len() >= MOST_WORDS || !met.insert(word) {
                continue;
            }
            match word {
                Word::Number(number) => self.numbers.push(number),
                Word::Letter(letter) => self.letters.push(letter),
                Word::Text(text) if text.len() <= LONGEST_TEXT && !text.is_empty() => {
                    self.texts.push(text.to_vec());
                }
                Word::Text(_) => {}
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Word<'b> {
    Number(i128),
    Letter(char),
    Text(&'b [u8]),
}
