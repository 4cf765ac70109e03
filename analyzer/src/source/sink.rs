//! Digests of values.

use std::hash::{Hash, Hasher};

pub type Digest = [u8; 32];

/// Takes in whatever has a `Hash`: an encoding in which no value is the beginning of another.
pub struct Sink {
    hasher: blake3::Hasher,
    /// Few large pieces are cheaper than many small ones.
    pending: Vec<u8>,
}

const PIECE: usize = 1 << 14;

impl Default for Sink {
    fn default() -> Self {
        Self { hasher: blake3::Hasher::new(), pending: Vec::with_capacity(PIECE + size_of::<Digest>()) }
    }
}

impl Sink {
    pub fn new() -> Self {
        Self::default()
    }

    /// Of one value.
    pub fn of(value: &(impl Hash + ?Sized)) -> Digest {
        let mut sink = Self::new();
        value.hash(&mut sink);
        sink.digest()
    }

    pub fn digest(mut self) -> Digest {
        self.hasher.update(&self.pending);
        *self.hasher.finalize().as_bytes()
    }

    /// Most numbers are small: seven bits at a time, the last byte says that it is the last.
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.pending.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.pending.push(value as u8);
        self.take_in();
    }

    fn take_in(&mut self) {
        if self.pending.len() >= PIECE {
            self.hasher.update(&self.pending);
            self.pending.clear();
        }
    }
}

impl Hasher for Sink {
    fn write(&mut self, bytes: &[u8]) {
        self.pending.extend(bytes);
        self.take_in();
    }

    fn write_u8(&mut self, value: u8) {
        self.pending.push(value);
    }

    fn write_u32(&mut self, value: u32) {
        self.number(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.number(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.number(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.number(value as u64);
    }

    /// Sixty-four bits are not enough to tell programs apart.
    fn finish(&self) -> u64 {
        unreachable!("the digest is asked for")
    }
}
