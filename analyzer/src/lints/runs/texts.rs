//! Texts that runs begin with, letter by letter: changing a byte of one makes it no text, most often, or one of another
//! length than it says.

use kleene_domains::Int;

use super::Runs;
use super::kinds::Kind;
use super::policy::{Policy, is_length};
use super::worth::Slot;

/// The slots of a text: how long it is, and what it begins with. One more stands for what lies behind.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    length: usize,
    bytes: usize,
}

impl Text {
    /// The texts among the values of a caller.
    pub fn all(slots: &[Slot], among: std::ops::Range<usize>) -> Vec<Self> {
        let is_letter = |at: usize| among.contains(&at) && slots[at].kind == Kind::Letter;
        let is_text = |first: &usize| {
            *first > among.start
                && is_letter(*first)
                && !is_letter(*first - 1)
                && is_length(slots[*first - 1].low.as_ref(), slots[*first - 1].high.as_ref())
        };
        among
            .clone()
            .filter(is_text)
            .map(|first| {
                let count = (first..).take_while(|at| is_letter(*at)).count();
                Self { length: first - 1, bytes: count.saturating_sub(1) }
            })
            .collect()
    }

    /// Its letters, as far as they are seen; `None` where there are bytes that are none.
    pub fn letters(&self, point: &[Int]) -> Option<Vec<char>> {
        let length = point[self.length].to_usize()?.min(self.bytes);
        let bytes = &point[self.length + 1..self.length + 1 + length];
        let bytes: Option<Vec<u8>> =
            bytes.iter().map(|byte| byte.to_i64().and_then(|byte| u8::try_from(byte).ok())).collect();
        Some(String::from_utf8(bytes?).ok()?.chars().collect())
    }

    /// Puts as many of the letters into it as there is room for. What lies behind those that are seen stays.
    pub fn spell(&self, letters: &[char], point: &mut [Int]) {
        let behind = point[self.length].to_usize().unwrap_or(0).saturating_sub(self.bytes);
        let mut at = 0;
        for letter in letters {
            let mut room = [0; 4];
            let bytes = letter.encode_utf8(&mut room).as_bytes();
            if at + bytes.len() > self.bytes {
                break;
            }
            for byte in bytes {
                at += 1;
                point[self.length + at] = Int::from(*byte);
            }
        }
        point[self.length] = Int::from((at + behind) as u64);
    }
}

/// A new text has at most so many letters.
const MOST_LETTERS: u64 = 4;

impl Runs<'_, '_> {
    /// Other letters in one of the texts; whether there are texts.
    pub(super) fn respell(&self, point: &mut [Int], policy: &mut Policy<'_>) -> bool {
        if self.worth().texts.is_empty() {
            return false;
        }
        let text = &self.worth().texts[(policy.next() >> 7) as usize % self.worth().texts.len()];
        let Some(mut letters) = text.letters(point) else { return false };
        let random = policy.next() >> 5;
        let at = (random >> 8) as usize % (letters.len() + 1);
        match (random % 8, letters.get(at).copied()) {
            (0 | 1, Some(_)) => letters[at] = policy.any_letter(),
            (2, Some(_)) => _ = letters.remove(at),
            (3, Some(letter)) => letters.insert(at, letter),
            (4, Some(_)) => letters.truncate(at),
            _ => letters.insert(at, policy.any_letter()),
        }
        text.spell(&letters, point);
        true
    }

    /// New texts of letters that the program compares with.
    pub(super) fn spelled(&self, point: &mut [Int], policy: &mut Policy<'_>) {
        for text in &self.worth().texts {
            let count = policy.next() % (MOST_LETTERS + 1);
            let letters: Vec<char> = (0..count).map(|_| policy.any_letter()).collect();
            point[text.length] = Int::ZERO;
            text.spell(&letters, point);
        }
    }
}
