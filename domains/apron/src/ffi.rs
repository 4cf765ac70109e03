//! The part of APRON's level 0 and of GMP that is used, as their headers declare it.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

/// An opaque C object.
macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        }
    )*};
}
opaque! { Abstract0 Scalar }

#[repr(C)]
pub struct Mpz {
    pub alloc: c_int,
    pub size: c_int,
    pub limbs: *mut c_void,
}

#[repr(C)]
pub struct Mpq {
    pub numerator: Mpz,
    pub denominator: Mpz,
}

pub const COEFF_SCALAR: c_int = 0;

#[repr(C)]
pub struct Coeff {
    pub discr: c_int,
    /// `Scalar` or `Interval`, as `discr` says.
    pub value: *mut c_void,
}

#[repr(C)]
pub struct Interval {
    pub low: *mut Scalar,
    pub high: *mut Scalar,
}

#[repr(C)]
pub struct LinTerm {
    pub dim: c_uint,
    pub coeff: Coeff,
}

pub const LINEXPR_DENSE: c_int = 0;
pub const LINEXPR_SPARSE: c_int = 1;
/// A sparse term that stands for nothing.
pub const DIM_MAX: c_uint = c_uint::MAX;

#[repr(C)]
pub struct LinExpr0 {
    pub constant: Coeff,
    pub discr: c_int,
    pub size: usize,
    /// `Coeff` or `LinTerm` array, as `discr` says.
    pub terms: *mut c_void,
}

pub const CONS_EQ: c_int = 0;
pub const CONS_SUPEQ: c_int = 1;
pub const CONS_SUP: c_int = 2;

#[repr(C)]
pub struct LinCons0 {
    pub linexpr: *mut LinExpr0,
    pub constyp: c_int,
    pub scalar: *mut Scalar,
}

#[repr(C)]
pub struct LinCons0Array {
    pub items: *mut LinCons0,
    pub size: usize,
}

#[repr(C)]
pub struct DimChange {
    pub dim: *mut c_uint,
    pub intdim: usize,
    pub realdim: usize,
}

#[repr(C)]
pub struct DimPerm {
    pub dim: *mut c_uint,
    pub size: usize,
}

/// How many operations a manager has options for.
pub const FUNID_SIZE: usize = 51;

#[repr(C)]
pub struct FunOpt {
    pub algorithm: c_int,
    pub timeout: usize,
    pub max_object_size: usize,
    pub exact_wanted: bool,
    pub best_wanted: bool,
}

#[repr(C)]
pub struct Options {
    pub functions: [FunOpt; FUNID_SIZE],
    pub abort_if_exception: [bool; EXC_SIZE as usize],
    pub scalar_discr: c_int,
}

#[repr(C)]
pub struct Outcome {
    pub log: *mut c_void,
    pub exception: c_int,
    pub exact: bool,
    pub best: bool,
}

/// Up to what is read here: the header declares functions for it that the library does not have.
#[repr(C)]
pub struct Manager {
    pub library: *const c_char,
    pub version: *const c_char,
    pub internal: *mut c_void,
    pub functions: [*mut c_void; FUNID_SIZE],
    pub options: Options,
    pub outcome: Outcome,
}

pub const EXC_NONE: c_int = 0;
pub const EXC_NOT_IMPLEMENTED: c_int = 5;
/// One past the last exception.
pub const EXC_SIZE: c_int = 6;

unsafe extern "C" {
    pub fn box_manager_alloc() -> *mut Manager;
    pub fn oct_manager_alloc() -> *mut Manager;
    pub fn pk_manager_alloc(strict: bool) -> *mut Manager;
    pub fn ap_manager_free(man: *mut Manager);
    pub fn ap_manager_set_abort_if_exception(man: *mut Manager, exn: c_int, flag: bool);
    pub fn ap_manager_raise_exception(
        man: *mut Manager,
        exception: c_int,
        function: c_int,
        message: *const c_char,
    );
    pub fn ap_manager_clear_exclog(man: *mut Manager);

    pub fn ap_abstract0_top(man: *mut Manager, intdim: usize, realdim: usize) -> *mut Abstract0;
    pub fn ap_abstract0_bottom(man: *mut Manager, intdim: usize, realdim: usize) -> *mut Abstract0;
    pub fn ap_abstract0_copy(man: *mut Manager, a: *mut Abstract0) -> *mut Abstract0;
    pub fn ap_abstract0_free(man: *mut Manager, a: *mut Abstract0);
    pub fn ap_abstract0_is_bottom(man: *mut Manager, a: *mut Abstract0) -> bool;
    pub fn ap_abstract0_is_leq(man: *mut Manager, a: *mut Abstract0, b: *mut Abstract0) -> bool;
    pub fn ap_abstract0_is_eq(man: *mut Manager, a: *mut Abstract0, b: *mut Abstract0) -> bool;
    pub fn ap_abstract0_sat_lincons(man: *mut Manager, a: *mut Abstract0, c: *mut LinCons0) -> bool;
    pub fn ap_abstract0_bound_linexpr(
        man: *mut Manager,
        a: *mut Abstract0,
        e: *mut LinExpr0,
    ) -> *mut Interval;
    pub fn ap_abstract0_to_lincons_array(man: *mut Manager, a: *mut Abstract0) -> LinCons0Array;
    pub fn ap_abstract0_meet(
        man: *mut Manager,
        destructive: bool,
        a: *mut Abstract0,
        b: *mut Abstract0,
    ) -> *mut Abstract0;
    pub fn ap_abstract0_join(
        man: *mut Manager,
        destructive: bool,
        a: *mut Abstract0,
        b: *mut Abstract0,
    ) -> *mut Abstract0;
    pub fn ap_abstract0_meet_lincons_array(
        man: *mut Manager,
        destructive: bool,
        a: *mut Abstract0,
        array: *mut LinCons0Array,
    ) -> *mut Abstract0;
    pub fn ap_abstract0_assign_linexpr(
        man: *mut Manager,
        destructive: bool,
        a: *mut Abstract0,
        dim: c_uint,
        e: *mut LinExpr0,
        dest: *mut Abstract0,
    ) -> *mut Abstract0;
    pub fn ap_abstract0_forget_array(
        man: *mut Manager,
        destructive: bool,
        a: *mut Abstract0,
        dims: *mut c_uint,
        size: usize,
        project: bool,
    ) -> *mut Abstract0;
    pub fn ap_abstract0_add_dimensions(
        man: *mut Manager,
        destructive: bool,
        a: *mut Abstract0,
        change: *mut DimChange,
        project: bool,
    ) -> *mut Abstract0;
    pub fn ap_abstract0_remove_dimensions(
        man: *mut Manager,
        destructive: bool,
        a: *mut Abstract0,
        change: *mut DimChange,
    ) -> *mut Abstract0;
    pub fn ap_abstract0_permute_dimensions(
        man: *mut Manager,
        destructive: bool,
        a: *mut Abstract0,
        permutation: *mut DimPerm,
    ) -> *mut Abstract0;
    pub fn ap_abstract0_widening(man: *mut Manager, a: *mut Abstract0, b: *mut Abstract0) -> *mut Abstract0;
    pub fn ap_abstract0_oct_narrowing(
        man: *mut Manager,
        a: *mut Abstract0,
        b: *mut Abstract0,
    ) -> *mut Abstract0;

    pub fn ap_linexpr0_alloc(discr: c_int, size: usize) -> *mut LinExpr0;
    pub fn ap_linexpr0_free(e: *mut LinExpr0);
    pub fn ap_linexpr0_coeffref(e: *mut LinExpr0, dim: c_uint) -> *mut Coeff;
    pub fn ap_coeff_set_scalar_int(coeff: *mut Coeff, value: c_long);
    pub fn ap_coeff_set_scalar_mpq(coeff: *mut Coeff, value: *mut Mpq);
    pub fn ap_lincons0_array_make(size: usize) -> LinCons0Array;
    pub fn ap_lincons0_array_clear(array: *mut LinCons0Array);
    pub fn ap_interval_free(interval: *mut Interval);
    pub fn ap_scalar_infty(scalar: *mut Scalar) -> c_int;
    pub fn ap_mpq_set_scalar(mpq: *mut Mpq, scalar: *mut Scalar, round: c_int) -> c_int;

    #[link_name = "__gmpq_init"]
    pub fn mpq_init(q: *mut Mpq);
    #[link_name = "__gmpq_clear"]
    pub fn mpq_clear(q: *mut Mpq);
    #[link_name = "__gmpz_set_str"]
    pub fn mpz_set_str(z: *mut Mpz, text: *const c_char, base: c_int) -> c_int;
    #[link_name = "__gmpz_get_str"]
    pub fn mpz_get_str(text: *mut c_char, base: c_int, z: *const Mpz) -> *mut c_char;
    #[link_name = "__gmpz_sizeinbase"]
    pub fn mpz_sizeinbase(z: *const Mpz, base: c_int) -> usize;
    #[link_name = "__gmpz_fits_slong_p"]
    pub fn mpz_fits_slong(z: *const Mpz) -> c_int;
    #[link_name = "__gmpz_get_si"]
    pub fn mpz_get_si(z: *const Mpz) -> c_long;

    pub fn fegetround() -> c_int;
    pub fn fesetround(mode: c_int) -> c_int;
}
