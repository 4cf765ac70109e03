//! Machine integer types: a range and the reduction into it.
//!
//! Says nothing of overflow policy: whether leaving the range fails or wraps is the program's.

use std::fmt;

use crate::int::Int;
use crate::interval::Interval;

/// A two's complement (or unsigned) integer of `bits` bits, 1 to 128.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntType {
    pub signed: bool,
    pub bits: u32,
}

impl IntType {
    pub const I8: IntType = Self::signed(8);
    pub const I16: IntType = Self::signed(16);
    pub const I32: IntType = Self::signed(32);
    pub const I64: IntType = Self::signed(64);
    pub const I128: IntType = Self::signed(128);
    pub const U8: IntType = Self::unsigned(8);
    pub const U16: IntType = Self::unsigned(16);
    pub const U32: IntType = Self::unsigned(32);
    pub const U64: IntType = Self::unsigned(64);
    pub const U128: IntType = Self::unsigned(128);

    pub const fn signed(bits: u32) -> Self {
        Self { signed: true, bits }
    }

    pub const fn unsigned(bits: u32) -> Self {
        Self { signed: false, bits }
    }

    /// The type of this name (`u8`, `i128`, …), any width from 1 to 128.
    pub fn from_name(name: &str) -> Option<Self> {
        let signed = match name.as_bytes().first()? {
            b'i' => true,
            b'u' => false,
            _ => return None,
        };
        let digits = &name[1..];
        let bits: u32 = digits.parse().ok()?;
        let canonical = (1..=128).contains(&bits) && digits == bits.to_string();
        canonical.then_some(Self { signed, bits })
    }

    pub fn name(self) -> String {
        self.to_string()
    }

    pub fn min(self) -> Int {
        if !self.signed {
            return Int::ZERO;
        }
        match self.bits {
            ..=128 => Int::from(i128::MIN >> (128 - self.bits)),
            more => Int::from(2).pow(more - 1).neg(),
        }
    }

    pub fn max(self) -> Int {
        match if self.signed { self.bits - 1 } else { self.bits } {
            0 => Int::ZERO,
            bits @ ..=128 => Int::from(u128::MAX >> (128 - bits)),
            bits => Int::from(2).pow(bits) - Int::ONE,
        }
    }

    /// How many values the type has: 2^bits.
    pub fn modulus(self) -> Int {
        Int::from(2).pow(self.bits)
    }

    pub fn contains(self, value: &Int) -> bool {
        // Most values are small and most types wide: then no bound need be built.
        if let Some(small) = value.to_i64() {
            if self.signed && self.bits >= 64 {
                return true;
            }
            if self.signed {
                let limit = 1i64 << (self.bits - 1);
                return -limit <= small && small < limit;
            }
            return small >= 0 && (self.bits >= 63 || small < 1i64 << self.bits);
        }
        self.min() <= *value && *value <= self.max()
    }

    /// The one value of the type that is congruent to `value` modulo 2^bits.
    pub fn wrap(self, value: &Int) -> Int {
        if self.contains(value) {
            return value.clone();
        }
        if let (1..=64, Some(value)) = (self.bits, value.to_i128()) {
            let unused = 128 - self.bits;
            return match self.signed {
                true => Int::from(value << unused >> unused),
                false => Int::from((value as u128) << unused >> unused),
            };
        }
        let modulus = self.modulus();
        let residue = value.rem_euclid(&modulus).expect("a power of two is not zero");
        if residue > self.max() { residue - modulus } else { residue }
    }

    pub fn range(self) -> Interval {
        Interval::finite(self.min(), self.max()).expect("a type has at least one value")
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_the_usual_types() {
        assert_eq!(IntType::U8.max(), Int::from(255));
        assert_eq!(IntType::I8.min(), Int::from(-128));
        assert_eq!(IntType::I64.min(), Int::from(i64::MIN));
        assert_eq!(IntType::U64.max(), Int::from(u64::MAX));
        assert_eq!(IntType::I128.min(), Int::from(i128::MIN));
        assert_eq!(IntType::I128.max(), Int::from(i128::MAX));
        assert_eq!(IntType::U128.max(), Int::from(u128::MAX));
        assert_eq!(IntType::signed(1).min(), Int::MINUS_ONE);
        assert_eq!(IntType::signed(1).max(), Int::ZERO);
    }

    #[test]
    fn wrap_agrees_with_the_hardware() {
        for value in (-70_000i64..70_000).step_by(7) {
            let int = Int::from(value);
            assert_eq!(IntType::U8.wrap(&int), Int::from(value as u8));
            assert_eq!(IntType::I8.wrap(&int), Int::from(value as i8));
            assert_eq!(IntType::I16.wrap(&int), Int::from(value as i16));
            assert_eq!(IntType::U16.wrap(&int), Int::from(value as u16));
        }
        let beyond = Int::from(u64::MAX) + Int::from(5);
        assert_eq!(IntType::U64.wrap(&beyond), Int::from(4));
        assert_eq!(IntType::I64.wrap(&Int::from(u64::MAX)), Int::MINUS_ONE);
        assert_eq!(IntType::U128.wrap(&Int::MINUS_ONE), Int::from(u128::MAX));
    }

    #[test]
    fn wrap_is_the_only_congruent_member() {
        for bits in 1..=8 {
            for ty in [IntType::signed(bits), IntType::unsigned(bits)] {
                for value in -600..600 {
                    let wrapped = ty.wrap(&Int::from(value));
                    assert!(ty.contains(&wrapped));
                    assert!(ty.modulus().divides(&(wrapped - Int::from(value))));
                }
            }
        }
    }

    #[test]
    fn membership_is_the_range() {
        for bits in [1, 4, 8, 62, 63, 64, 65, 127, 128] {
            for ty in [IntType::signed(bits), IntType::unsigned(bits)] {
                assert!(ty.contains(&ty.min()) && ty.contains(&ty.max()));
                assert!(!ty.contains(&(ty.min() - Int::ONE)), "{ty}");
                assert!(!ty.contains(&(ty.max() + Int::ONE)), "{ty}");
            }
        }
    }

    #[test]
    fn names_round_trip() {
        for name in ["u8", "i8", "u128", "i64", "i1"] {
            assert_eq!(IntType::from_name(name).unwrap().name(), name);
        }
        for wrong in ["u0", "u129", "f32", "u", "", "u08", "u+8"] {
            assert_eq!(IntType::from_name(wrong), None, "{wrong}");
        }
    }
}
