//! Linear forms and constraints to and from APRON.

use std::ffi::c_uint;
use std::ptr;

use kleene_domains::{Bound, Constraint, Int, Interval, LinearExpr, Var};

use crate::ffi;
use crate::number::{Value, set_coeff, value};

/// An owned linear expression.
pub struct Form(*mut ffi::LinExpr0);

impl Form {
    pub fn new(form: &LinearExpr) -> Self {
        // SAFETY: the expression is fresh and sparse; `coeffref` answers null for `DIM_MAX` only.
        unsafe {
            let expr = ffi::ap_linexpr0_alloc(ffi::LINEXPR_SPARSE, form.terms().len());
            set_coeff(&raw mut (*expr).constant, form.offset());
            for (variable, factor) in form.terms() {
                set_coeff(ffi::ap_linexpr0_coeffref(expr, variable.0), factor);
            }
            Self(expr)
        }
    }

    pub fn as_ptr(&self) -> *mut ffi::LinExpr0 {
        self.0
    }

    fn into_raw(self) -> *mut ffi::LinExpr0 {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for Form {
    fn drop(&mut self) {
        // SAFETY: owned, freed once.
        unsafe { ffi::ap_linexpr0_free(self.0) }
    }
}

/// An owned array of constraints.
pub struct Constraints(ffi::LinCons0Array);

impl Constraints {
    pub fn new(constraints: &[Constraint]) -> Self {
        // SAFETY: the array has room for as many items, each null until set; it owns them after.
        unsafe {
            let array = ffi::ap_lincons0_array_make(constraints.len());
            for (index, constraint) in constraints.iter().enumerate() {
                let constyp = if constraint.is_equality() { ffi::CONS_EQ } else { ffi::CONS_SUPEQ };
                let linexpr = Form::new(constraint.form()).into_raw();
                array.items.add(index).write(ffi::LinCons0 { linexpr, constyp, scalar: ptr::null_mut() });
            }
            Self(array)
        }
    }

    /// Takes over an array that APRON returned.
    ///
    /// # Safety
    /// The array is live and nothing else owns it.
    pub unsafe fn owning(array: ffi::LinCons0Array) -> Self {
        Self(array)
    }

    pub fn as_mut_ptr(&mut self) -> *mut ffi::LinCons0Array {
        &mut self.0
    }

    /// The first item, for the functions that take one constraint.
    pub fn first(&mut self) -> *mut ffi::LinCons0 {
        assert!(self.0.size > 0, "a constraint");
        self.0.items
    }

    /// As integer constraints. What is no linear equality or inequality is left out, which is sound.
    pub fn read(&self) -> Vec<Constraint> {
        // SAFETY: the array holds `size` live constraints.
        let items = (0..self.0.size).map(|index| unsafe { &*self.0.items.add(index) });
        // SAFETY: their expressions are live, too.
        items
            .filter_map(|item| Some((item.constyp, unsafe { read_form(item.linexpr) }?)))
            .filter_map(constraint)
            .collect()
    }
}

impl Drop for Constraints {
    fn drop(&mut self) {
        // SAFETY: owned, cleared once.
        unsafe { ffi::ap_lincons0_array_clear(&mut self.0) }
    }
}

fn constraint((constyp, form): (i32, LinearExpr)) -> Option<Constraint> {
    match constyp {
        ffi::CONS_EQ => Some(Constraint::zero(form)),
        ffi::CONS_SUPEQ => Some(Constraint::at_least_zero(form)),
        ffi::CONS_SUP => Some(Constraint::at_least_zero(form.minus(&LinearExpr::constant(Int::ONE)))),
        _ => None,
    }
}

/// The expression times the common denominator; `None` if a coefficient is an interval.
///
/// # Safety
/// `expr` points to a live expression.
unsafe fn read_form(expr: *const ffi::LinExpr0) -> Option<LinearExpr> {
    // SAFETY: by contract, with `size` terms of the kind that `discr` says.
    let (constant, terms) = unsafe {
        let expr = &*expr;
        let term = |index: usize| match expr.discr {
            ffi::LINEXPR_DENSE => (index as c_uint, &*expr.terms.cast::<ffi::Coeff>().add(index)),
            _ => {
                let term = &*expr.terms.cast::<ffi::LinTerm>().add(index);
                (term.dim, &term.coeff)
            }
        };
        let terms = (0..expr.size).map(term).filter(|(dim, _)| *dim != ffi::DIM_MAX);
        let terms: Option<Vec<_>> = terms.map(|(dim, coeff)| Some((Var(dim), rational(coeff)?))).collect();
        (rational(&expr.constant)?, terms?)
    };
    let denominators = terms.iter().map(|(_, (_, denominator))| denominator).chain([&constant.1]);
    let common = denominators.fold(Int::ONE, |common, denominator| {
        let shared = common.gcd(denominator);
        common.div_trunc(&shared).expect("denominators are positive") * denominator
    });
    let scaled = |(numerator, denominator): &(Int, Int)| {
        numerator * &common.div_trunc(denominator).expect("denominators are positive")
    };
    let terms = terms.iter().map(|(variable, factor)| (*variable, scaled(factor)));
    Some(LinearExpr::from_terms(terms, scaled(&constant)))
}

/// # Safety
/// The coefficient is live.
unsafe fn rational(coeff: &ffi::Coeff) -> Option<(Int, Int)> {
    if coeff.discr != ffi::COEFF_SCALAR {
        return None;
    }
    // SAFETY: by contract, and `discr` says that it is a scalar.
    match unsafe { value(coeff.value.cast()) } {
        Value::Finite(numerator, denominator) => Some((numerator, denominator)),
        Value::Infinite(_) => None,
    }
}

/// What of a rational interval is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// The integers in it.
    Inward,
    /// Integer bounds around it.
    Outward,
}

/// An interval that APRON returned, which is freed; `None` if nothing is in it.
///
/// # Safety
/// The interval is live and owned by the caller.
pub unsafe fn take_interval(interval: *mut ffi::Interval, rounding: Rounding) -> Option<Interval> {
    // SAFETY: by contract.
    let (low, high) = unsafe {
        let ends = (value((*interval).low), value((*interval).high));
        ffi::ap_interval_free(interval);
        ends
    };
    let up = |numerator: Int, denominator: Int| numerator.div_ceil(&denominator).map(Bound::Finite);
    let down = |numerator: Int, denominator: Int| numerator.div_floor(&denominator).map(Bound::Finite);
    let inward = rounding == Rounding::Inward;
    let low = match low {
        Value::Finite(numerator, denominator) if inward => up(numerator, denominator)?,
        Value::Finite(numerator, denominator) => down(numerator, denominator)?,
        Value::Infinite(bound) => bound,
    };
    let high = match high {
        Value::Finite(numerator, denominator) if inward => down(numerator, denominator)?,
        Value::Finite(numerator, denominator) => up(numerator, denominator)?,
        Value::Infinite(bound) => bound,
    };
    Interval::new(low, high)
}
