//! Arithmetic on [`Int`]: machine words while they suffice, big integers after.

use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use dashu_int::IBig;
use dashu_int::ops::Gcd;

use super::Int;
use super::Repr::{Big, Small};

impl Int {
    pub fn neg(&self) -> Int {
        match &self.0 {
            Small(value) => match value.checked_neg() {
                Some(negated) => Int(Small(negated)),
                None => Int::from(-i128::from(*value)),
            },
            Big(value) => Int::from_big(-(**value).clone()),
        }
    }

    pub fn abs(&self) -> Int {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    pub fn pow(&self, exponent: u32) -> Int {
        if let Small(value) = self.0
            && let Some(power) = value.checked_pow(exponent)
        {
            return Int(Small(power));
        }
        Int::from_big(self.to_big().pow(exponent as usize))
    }

    /// Quotient truncated toward zero; `None` for divisor 0.
    pub fn div_trunc(&self, divisor: &Int) -> Option<Int> {
        match (&self.0, &divisor.0) {
            (_, Small(0)) => None,
            (Small(a), Small(b)) => Some(match a.checked_div(*b) {
                Some(quotient) => Int(Small(quotient)),
                None => Int::from(-i128::from(*a)),
            }),
            _ => Some(Int::from_big(self.to_big() / divisor.to_big())),
        }
    }

    /// Remainder with the sign of the dividend; `None` for divisor 0.
    pub fn rem_trunc(&self, divisor: &Int) -> Option<Int> {
        match (&self.0, &divisor.0) {
            (_, Small(0)) => None,
            (Small(a), Small(b)) => Some(Int(Small(a.wrapping_rem(*b)))),
            _ => Some(Int::from_big(self.to_big() % divisor.to_big())),
        }
    }

    /// Quotient rounded toward minus infinity; `None` for divisor 0.
    pub fn div_floor(&self, divisor: &Int) -> Option<Int> {
        let quotient = self.div_trunc(divisor)?;
        let remainder = self.rem_trunc(divisor)?;
        let below = !remainder.is_zero() && remainder.is_negative() != divisor.is_negative();
        Some(if below { quotient - Int::ONE } else { quotient })
    }

    /// Quotient rounded toward plus infinity; `None` for divisor 0.
    pub fn div_ceil(&self, divisor: &Int) -> Option<Int> {
        let quotient = self.div_trunc(divisor)?;
        let remainder = self.rem_trunc(divisor)?;
        let above = !remainder.is_zero() && remainder.is_negative() == divisor.is_negative();
        Some(if above { quotient + Int::ONE } else { quotient })
    }

    /// The remainder in `0..|divisor|`; `None` for divisor 0.
    pub fn rem_euclid(&self, divisor: &Int) -> Option<Int> {
        let remainder = self.rem_trunc(divisor)?;
        Some(if remainder.is_negative() { remainder + divisor.abs() } else { remainder })
    }

    /// The non-negative greatest common divisor; `gcd(0, 0) = 0`.
    pub fn gcd(&self, other: &Int) -> Int {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => Int::from(gcd_u64(a.unsigned_abs(), b.unsigned_abs())),
            (Small(0), Big(_)) => other.abs(),
            (Big(_), Small(0)) => self.abs(),
            _ => Int::from_big(IBig::from(self.to_big().gcd(other.to_big()))),
        }
    }

    /// Whether `self` divides `other`; 0 divides 0 only.
    pub fn divides(&self, other: &Int) -> bool {
        match other.rem_trunc(self) {
            Some(remainder) => remainder.is_zero(),
            None => other.is_zero(),
        }
    }
}

fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Add<&Int> for &Int {
    type Output = Int;

    #[inline]
    fn add(self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            return match a.checked_add(*b) {
                Some(sum) => Int(Small(sum)),
                None => Int::from(i128::from(*a) + i128::from(*b)),
            };
        }
        Int::from_big(self.to_big() + other.to_big())
    }
}

impl Sub<&Int> for &Int {
    type Output = Int;

    #[inline]
    fn sub(self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            return match a.checked_sub(*b) {
                Some(difference) => Int(Small(difference)),
                None => Int::from(i128::from(*a) - i128::from(*b)),
            };
        }
        Int::from_big(self.to_big() - other.to_big())
    }
}

impl Mul<&Int> for &Int {
    type Output = Int;

    #[inline]
    fn mul(self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            return match a.checked_mul(*b) {
                Some(product) => Int(Small(product)),
                None => Int::from(i128::from(*a) * i128::from(*b)),
            };
        }
        Int::from_big(self.to_big() * other.to_big())
    }
}

macro_rules! forward_owned {
    ($($op:ident $method:ident $assign:ident $assign_method:ident;)*) => {$(
        impl $op<Int> for Int {
            type Output = Int;
            fn $method(self, other: Int) -> Int {
                $op::$method(&self, &other)
            }
        }
        impl $op<&Int> for Int {
            type Output = Int;
            fn $method(self, other: &Int) -> Int {
                $op::$method(&self, other)
            }
        }
        impl $op<Int> for &Int {
            type Output = Int;
            fn $method(self, other: Int) -> Int {
                $op::$method(self, &other)
            }
        }
        impl $assign<&Int> for Int {
            fn $assign_method(&mut self, other: &Int) {
                *self = $op::$method(&*self, other);
            }
        }
        impl $assign<Int> for Int {
            fn $assign_method(&mut self, other: Int) {
                *self = $op::$method(&*self, &other);
            }
        }
    )*};
}
forward_owned! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
}

impl Neg for Int {
    type Output = Int;

    fn neg(self) -> Int {
        Int::neg(&self)
    }
}

impl Neg for &Int {
    type Output = Int;

    fn neg(self) -> Int {
        Int::neg(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values on both sides of every representation boundary.
    fn samples() -> Vec<i128> {
        let mut samples: Vec<i128> = (-7..=7).collect();
        for shift in [31, 62, 63, 64] {
            for offset in -2..=2 {
                samples.push((1 << shift) + offset);
                samples.push(-(1 << shift) + offset);
            }
        }
        samples
    }

    #[test]
    fn operators_agree_with_i128() {
        for a in samples() {
            for b in samples() {
                let (x, y) = (Int::from(a), Int::from(b));
                assert_eq!(&x + &y, Int::from(a + b));
                assert_eq!(&x - &y, Int::from(a - b));
                assert_eq!(x.cmp(&y), a.cmp(&b));
                assert_eq!(x == y, a == b);
                if let Some(product) = a.checked_mul(b) {
                    assert_eq!(&x * &y, Int::from(product));
                }
                assert_eq!(x.div_trunc(&y), a.checked_div(b).map(Int::from));
                assert_eq!(x.rem_trunc(&y), a.checked_rem(b).map(Int::from));
                assert_eq!(x.rem_euclid(&y), a.checked_rem_euclid(b).map(Int::from));
            }
        }
    }

    #[test]
    fn rounded_quotients_bracket_the_exact_one() {
        for a in samples() {
            for b in samples().into_iter().filter(|b| *b != 0) {
                let (x, y) = (Int::from(a), Int::from(b));
                let floor = a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
                let ceil = floor + i128::from(a % b != 0);
                assert_eq!(x.div_floor(&y), Some(Int::from(floor)), "{a} / {b}");
                assert_eq!(x.div_ceil(&y), Some(Int::from(ceil)), "{a} / {b}");
            }
        }
        assert_eq!(Int::ONE.div_floor(&Int::ZERO), None);
    }

    #[test]
    fn beyond_every_machine_word() {
        let huge = Int::from(2).pow(200);
        assert_eq!(huge.bits(), 201);
        assert_eq!((&huge - Int::ONE).bits(), 200);
        assert_eq!((-&huge).to_string(), format!("-{huge}"));
        assert_eq!(huge.to_string().parse::<Int>(), Ok(huge.clone()));
        assert_eq!(&huge - &huge, Int::ZERO);
        assert_eq!((&huge * &huge).div_trunc(&huge), Some(huge.clone()));
        assert_eq!(huge.gcd(&Int::from(96)), Int::from(32));
        assert_eq!(huge.gcd(&Int::ZERO), huge);
        assert!(-&huge < Int::from(i64::MIN) && huge > Int::from(i128::MAX));
        assert_eq!(huge.to_i128(), None);
        assert_eq!(Int::from(i128::MIN).to_i128(), Some(i128::MIN));
    }

    #[test]
    fn i64_min_corners() {
        let min = Int::from(i64::MIN);
        assert_eq!(-&min, Int::from(1u64 << 63));
        assert_eq!(min.div_trunc(&Int::MINUS_ONE), Some(Int::from(1u64 << 63)));
        assert_eq!(min.rem_trunc(&Int::MINUS_ONE), Some(Int::ZERO));
        assert_eq!(min.gcd(&Int::ZERO), Int::from(1u64 << 63));
        assert_eq!(min.bits(), 64);
    }

    #[test]
    fn parsing_takes_decimals_only() {
        assert_eq!("-12".parse::<Int>(), Ok(Int::from(-12)));
        assert_eq!("+12".parse::<Int>(), Ok(Int::from(12)));
        for wrong in ["", "-", "1_000", "0x10", "a", " 1", "1-"] {
            assert!(wrong.parse::<Int>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn sixteen_bytes() {
        assert_eq!(size_of::<Int>(), 16);
        assert_eq!(size_of::<Option<Int>>(), 16);
    }
}
