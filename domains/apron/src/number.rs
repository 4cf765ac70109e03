//! Integers and rationals to and from GMP, of any size.

use std::ffi::{CStr, CString, c_char, c_long};
use std::mem::MaybeUninit;

use kleene_domains::{Bound, Int};

use crate::ffi;

/// An owned GMP rational.
struct Rational(ffi::Mpq);

impl Rational {
    fn zero() -> Self {
        let mut q = MaybeUninit::uninit();
        // SAFETY: `mpq_init` initialises what it is given.
        Self(unsafe {
            ffi::mpq_init(q.as_mut_ptr());
            q.assume_init()
        })
    }
}

impl Drop for Rational {
    fn drop(&mut self) {
        // SAFETY: initialised in `zero`, cleared once.
        unsafe { ffi::mpq_clear(&mut self.0) }
    }
}

/// Sets a coefficient of a live expression to an integer.
///
/// # Safety
/// `coeff` points to an initialised coefficient that nothing else uses meanwhile.
pub unsafe fn set_coeff(coeff: *mut ffi::Coeff, value: &Int) {
    if let Some(small) = value.to_i64().and_then(|small| c_long::try_from(small).ok()) {
        // SAFETY: by contract.
        return unsafe { ffi::ap_coeff_set_scalar_int(coeff, small) };
    }
    let digits = CString::new(value.to_string()).expect("digits hold no zero byte");
    let mut q = Rational::zero();
    // SAFETY: `q` is initialised with denominator 1, which setting the numerator leaves canonical; the
    // digits are a C string; APRON copies `q`.
    unsafe {
        let refused = ffi::mpz_set_str(&mut q.0.numerator, digits.as_ptr(), 10);
        assert_eq!(refused, 0, "GMP reads decimals");
        ffi::ap_coeff_set_scalar_mpq(coeff, &mut q.0);
    }
}

/// # Safety
/// `z` points to an initialised integer.
unsafe fn integer(z: *const ffi::Mpz) -> Int {
    // SAFETY: by contract; the buffer has room for a sign, the digits and the final zero, as GMP asks.
    unsafe {
        if ffi::mpz_fits_slong(z) != 0 {
            return Int::from(ffi::mpz_get_si(z));
        }
        let mut text: Vec<c_char> = vec![0; ffi::mpz_sizeinbase(z, 10) + 2];
        ffi::mpz_get_str(text.as_mut_ptr(), 10, z);
        let digits = CStr::from_ptr(text.as_ptr()).to_str().expect("GMP writes digits");
        digits.parse().expect("GMP writes decimals")
    }
}

/// A scalar of APRON's: minus or plus infinity, or numerator and positive denominator.
pub enum Value {
    Infinite(Bound),
    Finite(Int, Int),
}

/// # Safety
/// `scalar` points to an initialised scalar.
pub unsafe fn value(scalar: *mut ffi::Scalar) -> Value {
    // SAFETY: by contract; conversion to a rational is exact for every kind of finite scalar.
    unsafe {
        match ffi::ap_scalar_infty(scalar) {
            0 => {
                let mut q = Rational::zero();
                ffi::ap_mpq_set_scalar(&mut q.0, scalar, 0);
                Value::Finite(integer(&q.0.numerator), integer(&q.0.denominator))
            }
            sign if sign < 0 => Value::Infinite(Bound::NegInfinity),
            _ => Value::Infinite(Bound::PosInfinity),
        }
    }
}
