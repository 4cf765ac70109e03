//! Congruences under bit operations: a modulus 2^k·m says what the lowest k bits are.

use super::Congruence;
use crate::expr::{BinaryOp, UnaryOp};
use crate::int::Int;

/// Bits of constants beyond this are not looked at.
const LOOKED_AT: u64 = 128;

impl Congruence {
    /// How many low bits all members agree in.
    fn known_bits(&self) -> u64 {
        self.modulus.trailing_zeros().unwrap_or(LOOKED_AT)
    }

    /// `&`, `|` or `^`: as many low bits as both sides know, or one side decides alone. Sound.
    pub fn bitwise(&self, op: BinaryOp, other: &Self) -> Self {
        let decides = |known: &Self, index: u32| {
            let bit = u64::from(index) < known.known_bits();
            bit && match op {
                BinaryOp::BitAnd => !known.residue.bit(index),
                BinaryOp::BitOr => known.residue.bit(index),
                _ => false,
            }
        };
        let both = self.known_bits().min(other.known_bits());
        let known = |index: u32| u64::from(index) < both || decides(self, index) || decides(other, index);
        let count = (0..LOOKED_AT as u32).take_while(|index| known(*index)).count() as u32;
        let residue = match op {
            BinaryOp::BitAnd => &self.residue & &other.residue,
            BinaryOp::BitOr => &self.residue | &other.residue,
            _ => &self.residue ^ &other.residue,
        };
        Self::new(Int::power_of_two(count), residue)
    }

    /// Divided by 2^by and rounded down. Sound.
    pub fn shift_right(&self, by: u32) -> Self {
        let factor = Int::power_of_two(by);
        match self.modulus.div_trunc(&factor) {
            Some(modulus) if factor.divides(&self.modulus) => {
                Self::new(modulus, self.residue.shifted_right(by))
            }
            _ => Self::TOP,
        }
    }

    /// To a power that is known. Sound.
    pub fn power(&self, exponent: u32) -> Self {
        let mut residue = Int::ONE;
        for _ in 0..exponent {
            residue = &residue * &self.residue;
            residue = residue.rem_euclid(&self.modulus).unwrap_or(residue);
        }
        Self::new(self.modulus.clone(), residue)
    }

    /// Trailing zeros are known, or at least so many; the others are not. Sound.
    pub fn unary(&self, op: UnaryOp) -> Self {
        let known = self.known_bits().min(LOOKED_AT);
        match (op, self.residue.trailing_zeros()) {
            (UnaryOp::TrailingZeros, Some(zeros)) if zeros < known => Self::constant(Int::from(zeros)),
            _ => Self::TOP,
        }
    }
}
