//! Bit operations, shifts, powers and their like, gate by gate. Where an operator is undefined its result may be
//! anything.

use kleene_domains::{BinaryOp, UnaryOp};

use super::{Bits, Word, bit, sign, trimmed};
use crate::embedded::gates::Signal;

/// Counts of shifts and exponents have so many bits that matter.
const COUNT_BITS: usize = 8;
/// Wider words are given up.
const WIDEST: usize = 1 << 12;

impl Bits {
    pub(super) fn operate(&mut self, op: BinaryOp, left: &Word, right: &Word) -> Word {
        match op {
            BinaryOp::ShiftLeft => self.shift(left, right, |word, by| {
                let zeros = std::iter::repeat_n(Signal::FALSE, by);
                zeros.chain(word.iter().copied()).collect()
            }),
            BinaryOp::ShiftRight => self.shift(left, right, |word, by| match word.len() > by {
                true => word[by..].to_vec(),
                false => vec![sign(word)],
            }),
            BinaryOp::Power => self.power(left, right),
            _ => {
                let width = left.len().max(right.len());
                let mut word = Vec::with_capacity(width);
                for index in 0..width {
                    let (a, b) = (bit(left, index), bit(right, index));
                    word.push(match op {
                        BinaryOp::BitAnd => self.gates.and(a, b),
                        BinaryOp::BitOr => self.gates.or(a, b),
                        _ => self.gates.differ(a, b),
                    });
                }
                trimmed(word)
            }
        }
    }

    /// One stage per bit of the count.
    fn shift(&mut self, word: &Word, count: &Word, by: impl Fn(&Word, usize) -> Word) -> Word {
        let mut word = word.clone();
        for stage in 0..COUNT_BITS {
            let condition = bit(count, stage);
            if condition == Signal::FALSE {
                continue;
            }
            if self.too_wide(&word) {
                return vec![Signal::FALSE];
            }
            let shifted = by(&word, 1 << stage);
            word = self.select(condition, &shifted, &word);
        }
        trimmed(word)
    }

    /// Square and multiply.
    fn power(&mut self, base: &Word, exponent: &Word) -> Word {
        let mut result = vec![Signal::TRUE, Signal::FALSE];
        let mut square = base.clone();
        let stages = (0..COUNT_BITS).rev().find(|stage| bit(exponent, *stage) != Signal::FALSE);
        for stage in 0..=stages.unwrap_or(0) {
            if stage > 0 {
                square = self.multiply(&square, &square);
            }
            let product = self.multiply(&result, &square);
            result = self.select(bit(exponent, stage), &product, &result);
            if self.too_wide(&result) {
                return vec![Signal::FALSE];
            }
        }
        result
    }

    fn too_wide(&mut self, word: &Word) -> bool {
        self.exceeded |= word.len() > WIDEST;
        self.full()
    }

    pub(super) fn operate_unary(&mut self, op: UnaryOp, word: &Word) -> Word {
        match op {
            UnaryOp::CountOnes => self.ones(word),
            UnaryOp::BitLength => {
                let indices = 0..word.len();
                self.first_one(word, indices, 1)
            }
            UnaryOp::TrailingZeros => {
                let indices = (0..word.len()).rev();
                self.first_one(word, indices, 0)
            }
            UnaryOp::SquareRoot => self.root(word),
        }
    }

    /// The sum of all bits, in halves.
    fn ones(&mut self, word: &[Signal]) -> Word {
        match word {
            [] => vec![Signal::FALSE],
            [only] => vec![*only, Signal::FALSE],
            _ => {
                let (low, high) = word.split_at(word.len() / 2);
                let (low, high) = (self.ones(low), self.ones(high));
                self.add(&low, &high)
            }
        }
    }

    /// The index of the one that comes last in the order, plus an offset; 0 if there is none.
    fn first_one(&mut self, word: &Word, indices: impl Iterator<Item = usize>, offset: usize) -> Word {
        let mut found = vec![Signal::FALSE];
        for index in indices {
            let number = self.small(index + offset);
            found = self.select(word[index], &number, &found);
        }
        found
    }

    fn small(&mut self, number: usize) -> Word {
        let width = (usize::BITS - number.leading_zeros()) as usize;
        let bits = (0..=width).map(|index| Signal::constant(number >> index & 1 == 1));
        trimmed(bits.collect())
    }

    /// Digit by digit: a root twice as large fits if the rest is at least `4 * root + 1`.
    fn root(&mut self, word: &Word) -> Word {
        let mut rest: Word = vec![Signal::FALSE];
        let mut root: Word = vec![Signal::FALSE];
        for pair in (0..word.len().div_ceil(2)).rev() {
            if self.full() {
                return vec![Signal::FALSE];
            }
            // The sign of what is defined is zero.
            let digit = |index: usize| word.get(index).copied().unwrap_or(Signal::FALSE);
            rest.splice(0..0, [digit(2 * pair), digit(2 * pair + 1)]);
            let mut tried = vec![Signal::TRUE, Signal::FALSE];
            tried.extend(&root);
            let less = self.subtract(&rest, &tried);
            let fits = !sign(&less);
            rest = self.select(fits, &less, &rest);
            root.insert(0, fits);
        }
        trimmed(root)
    }
}
