//! Exact integers: an `i64` inline, a boxed big integer beyond.
//!
//! The form is canonical (whatever fits an `i64` is `Small`), so equality, hashing and order are
//! structural. Nothing here knows of machine types or intervals; growth is bounded by the domains,
//! which ask [`Int::bits`].

mod arithmetic;
mod bits;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// An exact integer of 16 bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

/// Invariant: `Big` holds only what does not fit an `i64`.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Box<IBig>),
}

use Repr::{Big, Small};

impl Int {
    pub const ZERO: Int = Int(Small(0));
    pub const ONE: Int = Int(Small(1));
    pub const MINUS_ONE: Int = Int(Small(-1));

    /// An `Int` usable in constants.
    pub const fn small(value: i64) -> Self {
        Self(Small(value))
    }

    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Small(value) => Some(*value),
            Big(_) => None,
        }
    }

    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Small(value) => Some(i128::from(*value)),
            Big(value) => i128::try_from(&**value).ok(),
        }
    }

    pub fn to_usize(&self) -> Option<usize> {
        match &self.0 {
            Small(value) => usize::try_from(*value).ok(),
            Big(_) => self.to_i128().and_then(|value| usize::try_from(value).ok()),
        }
    }

    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1))
    }

    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    pub fn is_even(&self) -> bool {
        match &self.0 {
            Small(value) => value % 2 == 0,
            Big(value) => !value.bit(0),
        }
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(value) => value.signum() as i32,
            Big(value) if value.sign() == dashu_int::Sign::Negative => -1,
            Big(_) => 1,
        }
    }

    /// The number of bits of the magnitude: 0 for 0, 1 for ±1, 64 for 2^63.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Small(value) => u64::from(64 - value.unsigned_abs().leading_zeros()),
            Big(value) => magnitude_bits(value),
        }
    }

    /// Restores the invariant.
    fn from_big(value: IBig) -> Self {
        match i64::try_from(&value) {
            Ok(small) => Self(Small(small)),
            Err(_) => Self(Big(Box::new(value))),
        }
    }

    fn to_big(&self) -> IBig {
        match &self.0 {
            Small(value) => IBig::from(*value),
            Big(value) => (**value).clone(),
        }
    }
}

fn magnitude_bits(value: &IBig) -> u64 {
    let (_, words) = value.as_sign_words();
    match words.split_last() {
        None => 0,
        Some((top, rest)) => {
            let word_bits = dashu_int::Word::BITS as u64;
            rest.len() as u64 * word_bits + word_bits - u64::from(top.leading_zeros())
        }
    }
}

impl Default for Int {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.cmp(b),
            (Big(a), Big(b)) => a.cmp(b),
            // A big number is beyond every small one, on the side of its sign.
            (Small(_), Big(_)) => 0.cmp(&other.signum()),
            (Big(_), Small(_)) => self.signum().cmp(&0),
        }
    }
}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(value) => value.fmt(f),
            Big(value) => value.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a decimal integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseIntError;

impl fmt::Display for ParseIntError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a decimal integer")
    }
}

impl std::error::Error for ParseIntError {}

impl FromStr for Int {
    type Err = ParseIntError;

    /// An optional sign and decimal digits, nothing else (the big-integer parser alone would also
    /// take digit separators).
    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseIntError);
        }
        match text.parse::<i64>() {
            Ok(value) => Ok(Self(Small(value))),
            Err(_) => text.parse().map(Self::from_big).map_err(|_| ParseIntError),
        }
    }
}

macro_rules! from_small {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Int {
            fn from(value: $ty) -> Self {
                Self(Small(i64::from(value)))
            }
        }
    )*};
}
from_small!(i8, u8, i16, u16, i32, u32, i64, bool);

macro_rules! from_wide {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Int {
            fn from(value: $ty) -> Self {
                match i64::try_from(value) {
                    Ok(small) => Self(Small(small)),
                    Err(_) => Self(Big(Box::new(IBig::from(value)))),
                }
            }
        }
    )*};
}
from_wide!(u64, usize, isize, i128, u128);

impl From<&Int> for Int {
    fn from(value: &Int) -> Self {
        value.clone()
    }
}
