//! Which values are tried: boundaries first, then a mixture of those, constants of the program and anything.

use kleene_domains::Int;

use super::kinds::{Kind, Kinds};
use super::{Beginning, Sight};
use crate::concrete::Choice;

pub struct Policy<'k> {
    round: u64,
    random: u64,
    kinds: &'k Kinds,
    /// What the run drew that this one is a variant of.
    pub earlier: Vec<Int>,
    /// Draws what that run drew, and zeros after it.
    sticks: bool,
    /// Larger values are not tried.
    limit: Option<i64>,
    /// Which letters most texts of the run are of.
    style: u64,
}

/// What a value may be, and what is worth trying.
pub struct Among<'a> {
    pub low: Option<&'a Int>,
    pub high: Option<&'a Int>,
    pub cuts: &'a [Int],
    pub kind: Kind,
}

/// Rounds in which all values are alike.
const PLAIN_ROUNDS: u64 = 5;
/// Lengths and letters in those.
const PLAIN_LENGTHS: [i64; PLAIN_ROUNDS as usize] = [0, 1, 4, 8, 7];
const PLAIN_LENGTHS_IF_WIDE: [i64; PLAIN_ROUNDS as usize] = [64, 20, 8, 40, 1];
const PLAIN_LETTERS: [i64; PLAIN_ROUNDS as usize] = [0, 49, 97, 48, 32];
/// Most other lengths lie below: of longer slices little is followed.
const SHORT: i64 = 10;
const SHORT_IF_WIDE: i64 = 72;
/// Types of at most so many values have no values that are more interesting than others.
const FEW: i64 = 16;

impl<'k> Policy<'k> {
    /// Without values above a limit.
    pub fn within(limit: Option<i64>, round: u64, kinds: &'k Kinds) -> Self {
        Self { limit, ..Self::new(round, kinds) }
    }

    pub fn new(round: u64, kinds: &'k Kinds) -> Self {
        let mut policy = Self {
            round,
            random: 0x9E37_79B9_7F4A_7C15 ^ (round << 17) ^ 0xD1B5,
            kinds,
            earlier: Vec::new(),
            sticks: false,
            limit: None,
            style: 0,
        };
        policy.style = policy.random.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
        policy
    }

    /// Draws what was drawn before.
    pub fn again(earlier: Vec<Int>, kinds: &'k Kinds) -> Self {
        Self { sticks: true, earlier, ..Self::new(0, kinds) }
    }

    /// Whether it does not repeat what a run did.
    pub fn is_free(&self) -> bool {
        !self.sticks && self.earlier.is_empty()
    }

    /// Whether it goes round as long as it happens to, for what comes of many rounds.
    pub fn goes_round(&self) -> bool {
        self.style >> 7 & 3 == 0
    }

    pub fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Two of three runs are variants, most often of late ones.
    pub fn near<'b>(&mut self, kept: &'b [Beginning]) -> Option<&'b Beginning> {
        if self.round < PLAIN_ROUNDS || kept.is_empty() || self.next().is_multiple_of(3) {
            return None;
        }
        let back = (self.next() >> 7) as usize % kept.len();
        let further = (self.next() >> 7) as usize % kept.len();
        kept.get(kept.len() - 1 - back.min(further))
    }

    /// Whether all values are alike.
    pub fn is_plain(&self) -> bool {
        self.round < PLAIN_ROUNDS
    }

    pub fn choose(&mut self, choice: &Choice<'_>, cuts: &[Int], kind: Kind, at: usize) -> Int {
        if let Some(earlier) = self.earlier.get(at).cloned()
            && (self.sticks || !self.next().is_multiple_of(4))
        {
            return choice.nearest(&earlier);
        }
        self.value(&Among { low: choice.low.as_ref(), high: choice.high.as_ref(), cuts, kind })
    }

    /// Zero, one, its negative and the bounds first; then a mixture of those, the constants of the program and anything.
    pub fn value(&mut self, among: &Among<'_>) -> Int {
        let Among { low, high, cuts, kind } = *among;
        let nearest = |value: Int| match (low, high) {
            (Some(low), _) if value < *low => low.clone(),
            (_, Some(high)) if value > *high => high.clone(),
            _ => value,
        };
        let bound = |bound: Option<&Int>, inward: i64, other: i64| match bound {
            Some(bound) => bound + &Int::from(inward),
            None => Int::from(other),
        };
        let random = self.next();
        match kind {
            Kind::Start if random >> 62 != 0 || self.kinds.has_texts() => return nearest(Int::ZERO),
            Kind::Letter => return nearest(self.letter(random)),
            Kind::Character if random >> 60 & 1 == 0 => return nearest(self.letter(random)),
            Kind::Start | Kind::Character | Kind::Number => {}
        }
        if is_length(low, high) && (self.round < PLAIN_ROUNDS || random & 3 != 0) {
            let (plain, short) = match self.kinds.sight {
                Sight::Usual => (PLAIN_LENGTHS, SHORT),
                Sight::Wide => (PLAIN_LENGTHS_IF_WIDE, SHORT_IF_WIDE),
            };
            let length = plain.get(self.round as usize).copied();
            return Int::from(length.unwrap_or((random >> 8) as i64 % short));
        }
        let is_small = |low: Option<&Int>, high: Option<&Int>| match (low, high) {
            (Some(low), Some(high)) => match (low.to_i128(), high.to_i128()) {
                (Some(low), Some(high)) => high.saturating_sub(low) < i128::from(FEW),
                _ => high - low < Int::from(FEW),
            },
            _ => false,
        };
        let value = match self.round {
            0 => Int::ZERO,
            1 => Int::ONE,
            2 => Int::MINUS_ONE,
            3 => bound(high, 0, 1 << 16),
            4 => bound(low, 0, -(1 << 16)),
            _ if is_truth(low, high) => self.truth(random),
            _ if is_small(low, high) => self.anything(low, high),
            _ => match random % 8 {
                0 => bound(low, (random >> 8 & 1) as i64, -((random >> 9 & 0xffff) as i64)),
                1 => bound(high, -((random >> 8 & 1) as i64), (random >> 9 & 0xffff) as i64),
                2..=4 if !cuts.is_empty() => {
                    let cut = &cuts[(random >> 8) as usize % cuts.len()];
                    cut + &Int::from((random >> 40) as i64 % 3 - 1)
                }
                3 | 5 => self.anything(low, high),
                // As many bits as any other number of bits.
                6 => {
                    let bits = (random >> 8) % 63;
                    let value = Int::from((self.next() & ((1 << bits) - 1) | (1 << bits)) as i64);
                    if random >> 32 & 3 == 0 { -value } else { value }
                }
                _ => Int::from((random >> 8) as i64 % 19 - 4),
            },
        };
        nearest(match self.limit {
            Some(limit) if value > Int::from(limit) => Int::from(limit),
            Some(limit) if value < Int::from(-limit) => Int::from(-limit),
            _ => value,
        })
    }

    /// Most truths of some runs are alike: whoever answers the same again and again is asked more.
    fn truth(&self, random: u64) -> Int {
        let usual = random >> 8 & 15 != 0;
        match self.style >> 4 & 3 {
            0 => Int::from(i64::from(usual)),
            1 => Int::from(i64::from(!usual)),
            _ => Int::from((random >> 12 & 1) as i64),
        }
    }

    /// A letter of one byte: one that the program compares with, a digit, any; of some texts all are alike.
    fn letter(&mut self, random: u64) -> Int {
        if let Some(letter) = PLAIN_LETTERS.get(self.round as usize) {
            return Int::from(*letter);
        }
        let words = &self.kinds.letters;
        let word = |random: u64| words[random as usize % words.len()].clone();
        let kind = if random & 3 != 0 { self.style % 4 } else { random >> 4 & 3 };
        match kind {
            0 | 1 if !words.is_empty() => {
                let beside = if random >> 40 & 7 == 0 { (random >> 48 & 1) as i64 * 2 - 1 } else { 0 };
                word(random >> 8) + Int::from(beside)
            }
            0..=2 => Int::from(48 + (random >> 8) as i64 % 10),
            _ => Int::from(32 + (random >> 8) as i64 % 95),
        }
    }

    /// A letter of two bytes.
    pub fn wide_letter(&mut self) -> [Int; 2] {
        let random = self.next() >> 9;
        [Int::from(0xc2 + (random % 30) as i64), Int::from(0x80 + (random >> 8 & 63) as i64)]
    }

    /// A letter of any number of bytes: most often one that the program compares with, or one beside it.
    pub fn any_letter(&mut self) -> char {
        let random = self.next();
        let wide = &self.kinds.wide;
        if !wide.is_empty() && random >> 60 & 3 != 0 {
            let word = wide[(random >> 8) as usize % wide.len()];
            let beside = if random >> 40 & 7 == 0 { word + (random >> 48 & 3) as u32 } else { word };
            return char::from_u32(beside).unwrap_or('a');
        }
        let letter = self.letter(random).to_i64().and_then(|letter| u8::try_from(letter).ok());
        letter.filter(u8::is_ascii).map_or('a', char::from)
    }

    fn anything(&mut self, low: Option<&Int>, high: Option<&Int>) -> Int {
        let (first, second) = (self.next(), self.next());
        if let (Some(low), Some(high)) = (low.and_then(Int::to_i64), high.and_then(Int::to_i128))
            && let Ok(span) = u128::try_from(high.saturating_sub(i128::from(low)).saturating_add(1))
            && span > 0
            && span <= 1 << 64
        {
            // The same without large numbers.
            let offset = (u128::from(first) * u128::from(second) % span) as i128;
            return Int::from(i128::from(low) + offset);
        }
        let random = Int::from(first) * Int::from(second);
        match (low, high) {
            (Some(low), Some(high)) => {
                let span = high - low + Int::ONE;
                random.rem_euclid(&span).map_or(low.clone(), |offset| low + offset)
            }
            _ => random.rem_euclid(&Int::from(1i64 << 32)).unwrap_or_default() - Int::from(1i64 << 31),
        }
    }
}

fn is_truth(low: Option<&Int>, high: Option<&Int>) -> bool {
    low.is_some_and(Int::is_zero) && high.is_some_and(Int::is_one)
}

/// Whether a value of this range is the length of a slice: front ends give those a type of one bit less.
pub fn is_length(low: Option<&Int>, high: Option<&Int>) -> bool {
    let high = high.and_then(Int::to_i64);
    low.is_some_and(Int::is_zero) && (high == Some(i64::MAX) || high == Some(i64::from(i32::MAX)))
}
