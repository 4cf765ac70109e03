//! Bits of [`Int`] in the infinite two's complement reading, and roots.

use std::ops::{BitAnd, BitOr, BitXor};

use dashu_int::IBig;
use dashu_int::ops::BitTest;

use super::Int;
use super::Repr::{Big, Small};

macro_rules! bitwise {
    ($($op:ident $method:ident;)*) => {$(
        impl $op<&Int> for &Int {
            type Output = Int;

            fn $method(self, other: &Int) -> Int {
                match (&self.0, &other.0) {
                    (Small(a), Small(b)) => Int(Small($op::$method(*a, *b))),
                    _ => Int::from_big($op::$method(self.to_big(), other.to_big())),
                }
            }
        }
    )*};
}
bitwise! {
    BitAnd bitand;
    BitOr bitor;
    BitXor bitxor;
}

impl Int {
    /// 2^exponent.
    pub fn power_of_two(exponent: u32) -> Int {
        match exponent {
            0..=62 => Int(Small(1 << exponent)),
            _ => Int::from_big(IBig::ONE << exponent as usize),
        }
    }

    /// Every bit flipped: `-x - 1`.
    pub fn complement(&self) -> Int {
        self.neg() - Int::ONE
    }

    /// Times 2^by.
    pub fn shifted_left(&self, by: u32) -> Int {
        match &self.0 {
            Small(value) if by < 63 && value.unsigned_abs().leading_zeros() > by + 1 => {
                Int(Small(value << by))
            }
            _ => Int::from_big(self.to_big() << by as usize),
        }
    }

    /// Divided by 2^by, rounded down.
    pub fn shifted_right(&self, by: u32) -> Int {
        match &self.0 {
            Small(value) => Int(Small(value >> by.min(63))),
            Big(value) => Int::from_big((**value).clone() >> by as usize),
        }
    }

    /// Whether the bit of weight 2^index is one.
    pub fn bit(&self, index: u32) -> bool {
        match &self.0 {
            Small(value) => value >> index.min(63) & 1 == 1,
            Big(value) => value.bit(index as usize),
        }
    }

    /// The number of ones; `None` for negative numbers, which have no end of them.
    pub fn count_ones(&self) -> Option<u64> {
        if self.is_negative() {
            return None;
        }
        Some(match &self.0 {
            Small(value) => u64::from(value.count_ones()),
            Big(value) => value.as_sign_words().1.iter().map(|word| u64::from(word.count_ones())).sum(),
        })
    }

    /// The number of zeros below the lowest one; `None` for 0.
    pub fn trailing_zeros(&self) -> Option<u64> {
        if self.is_zero() {
            return None;
        }
        match &self.0 {
            Small(value) => Some(u64::from(value.trailing_zeros())),
            Big(value) => {
                let mut zeros = 0;
                for word in value.as_sign_words().1 {
                    zeros += u64::from(word.trailing_zeros());
                    if *word != 0 {
                        break;
                    }
                }
                Some(zeros)
            }
        }
    }

    /// Rounded down; `None` for negative numbers.
    pub fn square_root(&self) -> Option<Int> {
        if self.is_negative() {
            return None;
        }
        if let Small(value) = &self.0 {
            return Some(Int(Small(value.isqrt())));
        }
        // Newton's method from above; every step but the last decreases.
        let mut root = Int::power_of_two((self.bits() as u32).div_ceil(2));
        loop {
            let next = (&root + self.div_trunc(&root)?).shifted_right(1);
            if next >= root {
                return Some(root);
            }
            root = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<i128> {
        let mut samples: Vec<i128> = (-9..=9).collect();
        for shift in [31, 61, 62, 63, 64, 65, 100] {
            for offset in -2..=2 {
                samples.push((1 << shift) + offset);
                samples.push(-(1 << shift) + offset);
            }
        }
        samples
    }

    #[test]
    fn bits_agree_with_i128() {
        for a in samples() {
            let x = Int::from(a);
            assert_eq!(x.complement(), Int::from(!a));
            for b in samples() {
                let y = Int::from(b);
                assert_eq!(&x & &y, Int::from(a & b), "{a} & {b}");
                assert_eq!(&x | &y, Int::from(a | b), "{a} | {b}");
                assert_eq!(&x ^ &y, Int::from(a ^ b), "{a} ^ {b}");
            }
            for by in [0, 1, 2, 13, 31, 62, 63, 64, 65, 100, 127] {
                assert_eq!(x.shifted_right(by), Int::from(a >> by), "{a} >> {by}");
                assert_eq!(x.bit(by), a >> by & 1 == 1, "bit {by} of {a}");
                assert_eq!(x.shifted_left(by), &x * Int::from(2).pow(by), "{a} << {by}");
            }
            let natural = (a >= 0).then_some(a);
            assert_eq!(x.count_ones(), natural.map(|a| u64::from(a.count_ones())));
            assert_eq!(x.square_root(), natural.map(|a| Int::from(a.isqrt())));
            assert_eq!(x.trailing_zeros(), (a != 0).then(|| u64::from(a.trailing_zeros())));
        }
    }

    #[test]
    fn roots_of_large_squares() {
        let big = Int::power_of_two(300) + Int::from(12_345);
        let square = &big * &big;
        assert_eq!(square.square_root(), Some(big.clone()));
        assert_eq!((&square - Int::ONE).square_root(), Some(&big - Int::ONE));
        assert_eq!((&square + &big + &big).square_root(), Some(big));
    }
}
