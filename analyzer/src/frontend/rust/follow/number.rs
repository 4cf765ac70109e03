//! Arithmetic of machine numbers, on all of their bits.

use std::cmp::Ordering;

use kleene_domains::machine::IntType;

use super::super::std_table::Arith;

/// The bits of a number as one of this type.
pub fn wrapped(ty: IntType, value: i128) -> i128 {
    if ty.bits >= 128 {
        return value;
    }
    let mask = (1_i128 << ty.bits) - 1;
    let low = value & mask;
    if ty.signed && low >> (ty.bits - 1) & 1 == 1 { low | !mask } else { low }
}

pub fn least(ty: IntType) -> i128 {
    match (ty.signed, ty.bits) {
        (false, _) => 0,
        (true, 128) => i128::MIN,
        (true, bits) => -(1 << (bits - 1)),
    }
}

/// The bits of the greatest number.
pub fn greatest(ty: IntType) -> i128 {
    match (ty.signed, ty.bits) {
        (false, 128) => -1,
        (true, 128) => i128::MAX,
        (false, bits) => (1 << bits) - 1,
        (true, bits) => (1 << (bits - 1)) - 1,
    }
}

/// How two numbers of a type compare.
pub fn compared(ty: IntType, one: i128, other: i128) -> Ordering {
    match (ty.signed, ty.bits) {
        (false, 128) => (one as u128).cmp(&(other as u128)),
        _ => one.cmp(&other),
    }
}

/// The bits as a number that is not negative.
pub fn bits(ty: IntType, value: i128) -> u128 {
    match ty.bits {
        128 => value as u128,
        bits => value as u128 & ((1_u128 << bits) - 1),
    }
}

/// Whether a number of one type is one of another.
pub fn fits(from: IntType, value: i128, to: IntType) -> bool {
    let huge = !from.signed && from.bits == 128 && value < 0;
    if huge {
        return !to.signed && to.bits == 128;
    }
    if !to.signed && to.bits == 128 {
        return value >= 0;
    }
    value >= least(to) && value <= greatest(to)
}

/// What an operation gives.
pub struct Outcome {
    /// Its bits, as if it wrapped.
    pub value: i128,
    /// It leaves the type.
    pub overflows: bool,
}

/// `None`: a division by zero.
pub fn computed(op: Arith, ty: IntType, one: i128, other: i128) -> Option<Outcome> {
    let plain = |(value, overflows): (i128, bool)| Outcome { value, overflows };
    if matches!(op, Arith::Shl | Arith::Shr) {
        // Counts are of another type: what is not below the width is too much.
        let overflows = other < 0 || other >= i128::from(ty.bits);
        let count = (other & i128::from(ty.bits - 1)) as u32;
        let value = match (op, ty.signed) {
            (Arith::Shl, _) => wrapped(ty, ((one as u128) << count) as i128),
            (_, true) => one >> count,
            (_, false) => (bits(ty, one) >> count) as i128,
        };
        return Some(Outcome { value, overflows });
    }
    if op == Arith::Pow {
        return Some(power(ty, one, bits(IntType::U32, other) as u32));
    }
    let divides = matches!(op, Arith::Div | Arith::Rem | Arith::DivEuclid | Arith::RemEuclid);
    if divides && other == 0 {
        return None;
    }
    if !ty.signed && ty.bits == 128 {
        let (one, other) = (one as u128, other as u128);
        let (value, overflows) = match op {
            Arith::Add => one.overflowing_add(other),
            Arith::Sub => one.overflowing_sub(other),
            Arith::Mul => one.overflowing_mul(other),
            Arith::Div | Arith::DivEuclid => (one / other, false),
            Arith::Rem | Arith::RemEuclid => (one % other, false),
            Arith::Neg => one.overflowing_neg(),
            _ => (one, false),
        };
        return Some(plain((value as i128, overflows)));
    }
    let (value, beyond) = match op {
        Arith::Add => one.overflowing_add(other),
        Arith::Sub => one.overflowing_sub(other),
        Arith::Mul => one.overflowing_mul(other),
        Arith::Div => one.overflowing_div(other),
        Arith::Rem => one.overflowing_rem(other),
        Arith::DivEuclid => one.overflowing_div_euclid(other),
        Arith::RemEuclid => one.overflowing_rem_euclid(other),
        Arith::Neg => one.overflowing_neg(),
        Arith::Abs => one.overflowing_abs(),
        Arith::Shl | Arith::Shr | Arith::Pow => (one, false),
    };
    let kept = wrapped(ty, value);
    // `MIN % -1` is 0 and overflows all the same.
    let quotient = divides && ty.signed && one == least(ty) && other == -1;
    Some(Outcome { value: kept, overflows: beyond || kept != value || quotient })
}

fn power(ty: IntType, base: i128, exponent: u32) -> Outcome {
    let (mut value, mut overflows) = (1_i128, false);
    let mut left = exponent;
    // What does not change any more need not be multiplied again.
    while left > 0 {
        let next = computed(Arith::Mul, ty, value, base).unwrap_or(Outcome { value, overflows });
        overflows |= next.overflows;
        if next.value == value && !next.overflows {
            break;
        }
        value = next.value;
        left -= 1;
        if exponent - left > 4_096 {
            // Modulo 2^bits a power of an even number is 0 by now; others are squared.
            return Outcome { value: squared(ty, base, exponent), overflows };
        }
    }
    Outcome { value, overflows }
}

fn squared(ty: IntType, base: i128, exponent: u32) -> i128 {
    let (mut value, mut factor, mut left) = (1_i128, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            value = wrapped(ty, value.wrapping_mul(factor));
        }
        factor = wrapped(ty, factor.wrapping_mul(factor));
        left >>= 1;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(op: Arith, ty: IntType, one: i128, other: i128) -> Option<(i128, bool)> {
        computed(op, ty, one, other).map(|outcome| (outcome.value, outcome.overflows))
    }

    #[test]
    fn bytes_compute_as_machines_do() {
        for one in i8::MIN..=i8::MAX {
            for other in i8::MIN..=i8::MAX {
                let wide = |(value, overflows): (i8, bool)| Some((i128::from(value), overflows));
                let pair = (i128::from(one), i128::from(other));
                let of = |op| all(op, IntType::I8, pair.0, pair.1);
                assert_eq!(of(Arith::Add), wide(one.overflowing_add(other)), "{one} + {other}");
                assert_eq!(of(Arith::Sub), wide(one.overflowing_sub(other)), "{one} - {other}");
                assert_eq!(of(Arith::Mul), wide(one.overflowing_mul(other)), "{one} * {other}");
                if other != 0 {
                    assert_eq!(of(Arith::Div), wide(one.overflowing_div(other)), "{one} / {other}");
                    assert_eq!(of(Arith::Rem), wide(one.overflowing_rem(other)), "{one} % {other}");
                    let euclid = one.overflowing_rem_euclid(other);
                    assert_eq!(of(Arith::RemEuclid), wide(euclid), "{one} mod {other}");
                } else {
                    assert_eq!(of(Arith::Div), None);
                }
                if (0..8).contains(&other) {
                    let count = other as u32;
                    assert_eq!(of(Arith::Shl), wide(one.overflowing_shl(count)), "{one} << {other}");
                    assert_eq!(of(Arith::Shr), wide(one.overflowing_shr(count)), "{one} >> {other}");
                }
                if other >= 0 {
                    assert_eq!(of(Arith::Pow), wide(one.overflowing_pow(other as u32)), "{one} ^ {other}");
                }
            }
        }
    }

    #[test]
    fn the_widest_compute_too() {
        let (most, ty) = (u128::MAX as i128, IntType::unsigned(128));
        assert_eq!(all(Arith::Add, ty, most, 1), Some((0, true)));
        assert_eq!(all(Arith::Div, ty, most, 2), Some(((u128::MAX / 2) as i128, false)));
        assert_eq!(all(Arith::Shr, ty, most, 127), Some((1, false)));
        assert_eq!(all(Arith::Mul, IntType::unsigned(64), u64::MAX.into(), u64::MAX.into()), Some((1, true)));
        assert_eq!(compared(ty, most, 1), Ordering::Greater);
        assert!(!fits(ty, most, IntType::signed(64)) && fits(ty, 7, IntType::U8));
        let (pow, _) = all(Arith::Pow, IntType::U32, 3, 1_000_000).expect("no division");
        assert_eq!(pow, i128::from(3_u32.wrapping_pow(1_000_000)));
    }
}
