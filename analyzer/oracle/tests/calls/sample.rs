//! A small library with what made up calls have to cope with.

use std::collections::VecDeque;

/// A register of readings that keeps the largest ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    readings: Vec<u32>,
    limit: usize,
    closed: bool,
}

impl Default for Register {
    fn default() -> Self {
        Self::with_limit(3)
    }
}

impl Register {
    pub fn with_limit(limit: usize) -> Self {
        Self { readings: Vec::new(), limit: limit % 5 + 1, closed: false }
    }

    pub fn from_text(text: &str) -> Result<Self, Problem> {
        let mut register = Self::with_limit(4);
        for word in text.split(',') {
            let reading = word.trim().parse::<u32>().map_err(|_| Problem::Word(word.len()))?;
            register.add(reading)?;
        }
        Ok(register)
    }

    pub fn add(&mut self, reading: u32) -> Result<usize, Problem> {
        if self.closed {
            return Err(Problem::Closed);
        }
        if self.readings.len() == self.limit {
            let (at, least) =
                self.readings.iter().copied().enumerate().min_by_key(|(_, reading)| *reading).ok_or(Problem::Closed)?;
            if least >= reading {
                return Err(Problem::Small { least });
            }
            self.readings.swap_remove(at);
        }
        self.readings.push(reading);
        Ok(self.readings.len())
    }

    pub fn close(&mut self) -> u64 {
        self.closed = true;
        self.readings.iter().map(|reading| u64::from(*reading)).sum()
    }

    pub fn mean(&self) -> u32 {
        let sum: u32 = self.readings.iter().sum();
        sum / self.readings.len() as u32
    }

    pub fn largest(&self) -> Option<&u32> {
        self.readings.iter().max()
    }

    pub fn walk(&self) -> Walk<'_> {
        Walk { rest: &self.readings, turned: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    Closed,
    Small { least: u32 },
    Word(usize),
}

impl Problem {
    pub fn code(self) -> u16 {
        match self {
            Problem::Closed => 1,
            Problem::Small { least } if least > 100 => 2,
            Problem::Small { .. } => 3,
            Problem::Word(length) => 10 + length as u16 % 7,
        }
    }
}

/// Goes through readings, from either end.
pub struct Walk<'r> {
    rest: &'r [u32],
    turned: bool,
}

impl Walk<'_> {
    pub fn turn(&mut self) {
        self.turned = !self.turned;
    }
}

impl Iterator for Walk<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let (item, rest) = match self.turned {
            true => self.rest.split_last()?,
            false => self.rest.split_first()?,
        };
        self.rest = rest;
        Some(*item)
    }
}

/// A ring of few places.
pub struct Ring<T, const N: usize> {
    places: [Option<T>; N],
    next: usize,
}

impl<T: Copy + PartialOrd, const N: usize> Ring<T, N> {
    const FITS: () = assert!(N > 0);

    pub fn new() -> Self {
        let () = Self::FITS;
        Self { places: [None; N], next: 0 }
    }

    pub fn put(&mut self, item: T) -> Option<T> {
        let old = self.places[self.next].replace(item);
        self.next = (self.next + 1) % N;
        old
    }

    pub fn count_above(&self, bound: T) -> usize {
        self.places.iter().flatten().filter(|item| **item > bound).count()
    }
}

/// What ends tells a counter.
pub struct Ticket<'c> {
    counter: &'c mut u32,
    cost: u32,
}

impl<'c> Ticket<'c> {
    pub fn of(counter: &'c mut u32, cost: u32) -> Self {
        Ticket { counter, cost: cost % 1_000 }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if self.cost > 500 {
            *self.counter = self.counter.wrapping_add(self.cost);
        } else {
            *self.counter ^= 1;
        }
    }
}

pub fn spent(counter: &mut u32, costs: &[u32]) -> u32 {
    for cost in costs {
        let _ticket = Ticket::of(counter, *cost);
    }
    *counter
}

pub fn first_word(text: &str) -> &str {
    match text.char_indices().find(|(_, letter)| letter.is_whitespace()) {
        Some((0, _)) => "",
        Some((end, _)) => &text[..end],
        None => text,
    }
}

pub fn halves(list: &[i16]) -> (i32, i32) {
    let (left, right) = list.split_at(list.len() / 2);
    let sum = |part: &[i16]| part.iter().map(|item| i32::from(*item)).sum();
    (sum(left), sum(right))
}

pub fn turned(list: &[u8], by: usize) -> Vec<u8> {
    let mut queue: VecDeque<u8> = list.iter().copied().collect();
    for _ in 0..by % 9 {
        if let Some(front) = queue.pop_front() {
            queue.push_back(front);
        }
    }
    queue.into_iter().collect()
}

pub fn packed(high: u8, low: u8, wide: bool) -> u16 {
    let joined = u16::from(high) << 8 | u16::from(low);
    if wide { joined } else { joined.rotate_left(u32::from(low) % 16) / u16::from(high) }
}

pub fn digits(number: i64) -> Option<u32> {
    number.checked_abs()?.checked_ilog10().map(|digits| digits + 1)
}
