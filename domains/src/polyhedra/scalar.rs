//! The numbers of a row: machine words while they suffice, then double words, then exact integers of
//! a bounded size. What does not fit is [`Limit::Width`], and the operation is run again one wider.

use std::fmt::Debug;
use std::hash::Hash;

use crate::int::Int;

/// The most bits a coefficient may have.
pub const MAX_BITS: u64 = 512;

/// Why an operation could not be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A coefficient does not fit this width.
    Width,
    /// More rows than a conversion may have.
    Rows,
}

impl Limit {
    /// No wider scalar will help: something has to be left out.
    pub fn is_final<S: Scalar>(self) -> bool {
        self == Limit::Rows || S::WIDEST
    }
}

pub type Limited<T> = Result<T, Limit>;

pub trait Scalar: Clone + Ord + Hash + Debug + Send + Sync + 'static {
    const WIDEST: bool;
    const ZERO: Self;
    const ONE: Self;

    fn from_int(value: &Int) -> Limited<Self>;
    fn to_int(&self) -> Int;
    fn signum(&self) -> i32;
    fn negated(&self) -> Self;
    fn times(&self, by: &Self) -> Limited<Self>;

    /// `a * x + b * y`.
    fn combined(a: &Self, x: &Self, b: &Self, y: &Self) -> Limited<Self>;

    /// The sum of the products.
    fn dot(left: &[Self], right: &[Self]) -> Limited<Self>;

    /// Not negative; `gcd(0, 0) = 0`.
    fn gcd(&self, other: &Self) -> Self;

    /// By a positive number; exact where it divides, rounded down otherwise.
    fn divided(&self, by: &Self) -> Self;

    /// Beyond what rows may keep; what is only asked may be longer.
    fn is_too_long(&self) -> bool {
        false
    }

    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
}

/// The least number is left out so that every number has a negation.
macro_rules! machine_scalar {
    ($ty:ty, $wide:ty, $from:ident) => {
        impl Scalar for $ty {
            const WIDEST: bool = false;
            const ZERO: Self = 0;
            const ONE: Self = 1;

            fn from_int(value: &Int) -> Limited<Self> {
                value.$from().filter(|value| *value != Self::MIN).ok_or(Limit::Width)
            }

            fn to_int(&self) -> Int {
                Int::from(*self)
            }

            fn signum(&self) -> i32 {
                (*self > 0) as i32 - (*self < 0) as i32
            }

            fn negated(&self) -> Self {
                -*self
            }

            fn times(&self, by: &Self) -> Limited<Self> {
                self.checked_mul(*by).filter(|value| *value != Self::MIN).ok_or(Limit::Width)
            }

            #[inline]
            fn combined(a: &Self, x: &Self, b: &Self, y: &Self) -> Limited<Self> {
                let sum = a.checked_mul(*x).zip(b.checked_mul(*y)).and_then(|(ax, by)| ax.checked_add(by));
                sum.filter(|value| *value != Self::MIN).ok_or(Limit::Width)
            }

            #[inline]
            fn dot(left: &[Self], right: &[Self]) -> Limited<Self> {
                let mut sum: $wide = 0;
                for (a, b) in left.iter().zip(right) {
                    let product = <$wide>::from(*a).checked_mul(<$wide>::from(*b)).ok_or(Limit::Width)?;
                    sum = sum.checked_add(product).ok_or(Limit::Width)?;
                }
                Self::try_from(sum).ok().filter(|value| *value != Self::MIN).ok_or(Limit::Width)
            }

            #[inline]
            fn gcd(&self, other: &Self) -> Self {
                let (mut a, mut b) = (self.unsigned_abs(), other.unsigned_abs());
                if a == 1 || b == 1 {
                    return 1;
                }
                if a == 0 || b == 0 {
                    return (a | b) as Self;
                }
                let shift = (a | b).trailing_zeros();
                a >>= a.trailing_zeros();
                while b != 0 {
                    b >>= b.trailing_zeros();
                    if a > b {
                        std::mem::swap(&mut a, &mut b);
                    }
                    b -= a;
                }
                (a << shift) as Self
            }

            #[inline]
            fn divided(&self, by: &Self) -> Self {
                self.div_euclid(*by)
            }
        }
    };
}
machine_scalar!(i64, i128, to_i64);
machine_scalar!(i128, i128, to_i128);

impl Scalar for Int {
    const WIDEST: bool = true;
    const ZERO: Self = Int::ZERO;
    const ONE: Self = Int::ONE;

    fn from_int(value: &Int) -> Limited<Self> {
        if value.is_too_long() { Err(Limit::Width) } else { Ok(value.clone()) }
    }

    fn to_int(&self) -> Int {
        self.clone()
    }

    fn signum(&self) -> i32 {
        Int::signum(self)
    }

    fn negated(&self) -> Self {
        self.neg()
    }

    fn times(&self, by: &Self) -> Limited<Self> {
        Ok(self * by)
    }

    fn combined(a: &Self, x: &Self, b: &Self, y: &Self) -> Limited<Self> {
        Ok(a * x + b * y)
    }

    fn dot(left: &[Self], right: &[Self]) -> Limited<Self> {
        Ok(left.iter().zip(right).fold(Int::ZERO, |sum, (a, b)| sum + a * b))
    }

    fn gcd(&self, other: &Self) -> Self {
        Int::gcd(self, other)
    }

    fn divided(&self, by: &Self) -> Self {
        self.div_floor(by).unwrap_or(Int::ZERO)
    }

    fn is_too_long(&self) -> bool {
        self.bits() > MAX_BITS
    }
}
