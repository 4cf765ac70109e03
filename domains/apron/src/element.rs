//! An element of one of APRON's libraries, as a relation.

use std::ffi::c_uint;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr;
use std::rc::Rc;

use kleene_domains::{Bound, Constraint, Int, Interval, Lattice, LinearExpr, Relation, Var};

use crate::ffi;
use crate::form::{Constraints, Form, Rounding, take_interval};
use crate::handle::Handle;
use crate::manager::{Boxes, Library, Octagons, Polyhedra};

pub type ApronBox = Apron<Boxes>;
pub type ApronOctagon = Apron<Octagons>;
pub type ApronPolyhedron = Apron<Polyhedra>;

/// All dimensions are integer ones.
pub struct Apron<L: Library> {
    dimensions: usize,
    handle: Handle,
    /// What the next widening starts from, where thresholds cut it.
    widened: Option<Handle>,
    degraded: bool,
    library: PhantomData<L>,
}

impl<L: Library> Clone for Apron<L> {
    fn clone(&self) -> Self {
        let (handle, widened) = (self.handle.clone(), self.widened.clone());
        Self { handle, widened, library: PhantomData, ..*self }
    }
}

impl<L: Library> Apron<L> {
    fn new(dimensions: usize, handle: Handle) -> Self {
        Self { dimensions, handle, widened: None, degraded: false, library: PhantomData }
    }

    fn manager(&self) -> *mut ffi::Manager {
        self.handle.manager.as_ptr()
    }

    fn degraded_as(self, one: &Self, other: &Self) -> Self {
        let degraded = self.degraded || one.degraded || other.degraded;
        Self { degraded, ..self }
    }

    /// The result of an operation, or after an exception the fallback, marked.
    fn result(&self, dimensions: usize, handle: Option<Handle>, fallback: impl FnOnce() -> Self) -> Self {
        match handle {
            Some(handle) => Self { degraded: self.degraded, ..Self::new(dimensions, handle) },
            None => Self { degraded: true, ..fallback() },
        }
    }

    fn top_instead(&self) -> Self {
        Self::top(self.dimensions)
    }

    /// A binary operation of the library.
    ///
    /// # Safety
    /// `operate` takes two live values and returns a live one that it does not keep.
    unsafe fn binary(
        &self,
        other: &Handle,
        operate: unsafe fn(
            *mut ffi::Manager,
            *mut ffi::Abstract0,
            *mut ffi::Abstract0,
        ) -> *mut ffi::Abstract0,
        fallback: impl FnOnce() -> Self,
    ) -> Self {
        assert!(Rc::ptr_eq(&self.handle.manager, &other.manager), "elements of one thread");
        // SAFETY: by contract, both are live and of this manager.
        let handle = unsafe {
            let value = operate(self.manager(), self.handle.as_ptr(), other.as_ptr());
            Handle::owning(&self.handle.manager, value)
        };
        self.result(self.dimensions, handle, fallback)
    }

    fn leq_handle(&self, other: &Handle) -> bool {
        // SAFETY: both are live and of this manager.
        let below = unsafe { ffi::ap_abstract0_is_leq(self.manager(), self.handle.as_ptr(), other.as_ptr()) };
        self.handle.manager.went_well() && below
    }

    /// As the library sees it: every rational point does.
    fn satisfies(&self, constraint: &Constraint) -> bool {
        let mut array = Constraints::new(std::slice::from_ref(constraint));
        // SAFETY: value, manager and constraint are live.
        let holds =
            unsafe { ffi::ap_abstract0_sat_lincons(self.manager(), self.handle.as_ptr(), array.first()) };
        self.handle.manager.went_well() && holds
    }

    fn rounded_bounds(&self, form: &LinearExpr, rounding: Rounding) -> Option<Interval> {
        if self.is_bottom() {
            return None;
        }
        let form = Form::new(form);
        // SAFETY: value, manager and form are live; the interval is ours.
        let interval = unsafe {
            let interval =
                ffi::ap_abstract0_bound_linexpr(self.manager(), self.handle.as_ptr(), form.as_ptr());
            take_interval(interval, rounding)
        };
        if self.handle.manager.went_well() { interval } else { Some(Interval::top()) }
    }

    /// Where this one has no bound of a variable, that of the other.
    fn narrow_bounds(&self, smaller: &Self) -> Self {
        let mut bounds = Vec::new();
        for variable in (0..self.dimensions as u32).map(|index| LinearExpr::variable(Var(index))) {
            let bounds_of = |relation: &Self| relation.rounded_bounds(&variable, Rounding::Outward);
            let (Some(own), Some(other)) = (bounds_of(self), bounds_of(smaller)) else {
                return Self::bottom(self.dimensions);
            };
            if let (Bound::NegInfinity, Bound::Finite(low)) = (own.low(), other.low()) {
                bounds.push(Constraint::at_least_zero(variable.minus(&LinearExpr::constant(low.clone()))));
            }
            if let (Bound::PosInfinity, Bound::Finite(high)) = (own.high(), other.high()) {
                bounds.push(Constraint::at_least_zero(LinearExpr::constant(high.clone()).minus(&variable)));
            }
        }
        let mut narrowed = self.clone();
        if !bounds.is_empty() {
            narrowed.constrain(&bounds);
        }
        narrowed
    }
}

impl<L: Library> PartialEq for Apron<L> {
    fn eq(&self, other: &Self) -> bool {
        if self.dimensions != other.dimensions {
            return false;
        }
        // SAFETY: both are live and of this manager.
        let equal =
            unsafe { ffi::ap_abstract0_is_eq(self.manager(), self.handle.as_ptr(), other.handle.as_ptr()) };
        self.handle.manager.went_well() && equal
    }
}

impl<L: Library> Eq for Apron<L> {}

/// By the bounds of the variables: APRON's own hash depends on the representation.
impl<L: Library> Hash for Apron<L> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.dimensions.hash(hasher);
        for variable in 0..self.dimensions as u32 {
            self.bounds(&LinearExpr::variable(Var(variable))).hash(hasher);
        }
    }
}

impl<L: Library> Lattice for Apron<L> {
    /// Over the rationals; `false` does not promise an integer point.
    fn is_bottom(&self) -> bool {
        // SAFETY: the value is live and of this manager.
        let empty = unsafe { ffi::ap_abstract0_is_bottom(self.manager(), self.handle.as_ptr()) };
        self.handle.manager.went_well() && empty
    }

    fn leq(&self, other: &Self) -> bool {
        assert_eq!(self.dimensions, other.dimensions);
        self.leq_handle(&other.handle)
    }

    fn join(&self, other: &Self) -> Self {
        assert_eq!(self.dimensions, other.dimensions);
        // SAFETY: not destructive.
        let joined = unsafe {
            self.binary(
                &other.handle,
                |man, a, b| ffi::ap_abstract0_join(man, false, a, b),
                || self.top_instead(),
            )
        };
        joined.degraded_as(self, other)
    }

    fn meet(&self, other: &Self) -> Self {
        assert_eq!(self.dimensions, other.dimensions);
        // SAFETY: not destructive.
        let met = unsafe {
            self.binary(&other.handle, |man, a, b| ffi::ap_abstract0_meet(man, false, a, b), || self.clone())
        };
        met.degraded_as(self, other)
    }
}

impl<L: Library> Relation for Apron<L> {
    fn top(dimensions: usize) -> Self {
        let manager = L::manager();
        // SAFETY: the manager is live.
        let value =
            unsafe { Handle::owning(&manager, ffi::ap_abstract0_top(manager.as_ptr(), dimensions, 0)) };
        Self::new(dimensions, value.expect("APRON has a top"))
    }

    fn bottom(dimensions: usize) -> Self {
        let manager = L::manager();
        // SAFETY: the manager is live.
        let value =
            unsafe { Handle::owning(&manager, ffi::ap_abstract0_bottom(manager.as_ptr(), dimensions, 0)) };
        Self::new(dimensions, value.expect("APRON has a bottom"))
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn constrain(&mut self, constraints: &[Constraint]) {
        if constraints.is_empty() {
            return;
        }
        let mut array = Constraints::new(constraints);
        // SAFETY: value, manager and array are live; not destructive.
        let handle = unsafe {
            let value = ffi::ap_abstract0_meet_lincons_array(
                self.manager(),
                false,
                self.handle.as_ptr(),
                array.as_mut_ptr(),
            );
            Handle::owning(&self.handle.manager, value)
        };
        *self = self.result(self.dimensions, handle, || self.clone());
    }

    fn assign(&mut self, variable: Var, form: &LinearExpr) {
        assert!((variable.0 as usize) < self.dimensions);
        let form = Form::new(form);
        // SAFETY: value, manager and form are live; not destructive; no destination.
        let handle = unsafe {
            let value = ffi::ap_abstract0_assign_linexpr(
                self.manager(),
                false,
                self.handle.as_ptr(),
                variable.0,
                form.as_ptr(),
                ptr::null_mut(),
            );
            Handle::owning(&self.handle.manager, value)
        };
        *self = self.result(self.dimensions, handle, || self.top_instead());
    }

    fn forget(&mut self, variable: Var) {
        assert!((variable.0 as usize) < self.dimensions);
        let mut dims: [c_uint; 1] = [variable.0];
        // SAFETY: value and manager are live, one dimension is named; not destructive.
        let handle = unsafe {
            let value = ffi::ap_abstract0_forget_array(
                self.manager(),
                false,
                self.handle.as_ptr(),
                dims.as_mut_ptr(),
                dims.len(),
                false,
            );
            Handle::owning(&self.handle.manager, value)
        };
        *self = self.result(self.dimensions, handle, || self.top_instead());
    }

    fn bounds(&self, form: &LinearExpr) -> Option<Interval> {
        self.rounded_bounds(form, Rounding::Inward)
    }

    /// APRON's octagons deny what is not octagonal without looking, so bounds are asked then.
    fn entails(&self, constraint: &Constraint) -> bool {
        let terms = constraint.form().terms();
        let octagonal = terms.len() <= 2 && terms.iter().all(|(_, factor)| factor.abs().is_one());
        let zero = Bound::Finite(Int::ZERO);
        self.satisfies(constraint)
            || (!octagonal
                && self.bounds(constraint.form()).is_none_or(|bounds| {
                    *bounds.low() >= zero && (!constraint.is_equality() || *bounds.high() <= zero)
                }))
    }

    /// As APRON gives them: octagons name constraints that others imply.
    fn constraints(&self) -> Vec<Constraint> {
        if self.is_bottom() {
            return vec![Constraint::at_least_zero(LinearExpr::constant(Int::MINUS_ONE))];
        }
        // SAFETY: value and manager are live; the array is ours.
        let array = unsafe {
            Constraints::owning(ffi::ap_abstract0_to_lincons_array(self.manager(), self.handle.as_ptr()))
        };
        if self.handle.manager.went_well() {
            array.read().into_iter().filter(|constraint| !constraint.is_trivial()).collect()
        } else {
            Vec::new()
        }
    }

    /// Adds the new dimensions behind the old ones, sorts, and removes what is then behind the named.
    fn rearranged(&self, from: &[Option<Var>]) -> Self {
        let old = self.dimensions;
        let added = from.iter().filter(|from| from.is_none()).count();
        let mut target: Vec<Option<c_uint>> = vec![None; old + added];
        let mut fresh = old..;
        for (to, from) in from.iter().enumerate() {
            let place = from.map_or_else(|| fresh.next().expect("unbounded"), |from| from.0 as usize);
            assert!(target[place].is_none(), "each dimension at most once");
            target[place] = Some(to as c_uint);
        }
        let mut behind = from.len() as c_uint..;
        let mut permutation: Vec<c_uint> =
            target.iter().map(|place| place.unwrap_or_else(|| behind.next().expect("unbounded"))).collect();
        let mut add = vec![old as c_uint; added];
        let mut remove: Vec<c_uint> = (from.len() as c_uint..(old + added) as c_uint).collect();
        let manager = &self.handle.manager;
        let man = manager.as_ptr();
        // SAFETY: values and manager are live; the arrays have the sizes that are given with them, and
        // the permutation is one; not destructive.
        let handle = unsafe {
            let mut change = ffi::DimChange { dim: add.as_mut_ptr(), intdim: add.len(), realdim: 0 };
            let grown =
                ffi::ap_abstract0_add_dimensions(man, false, self.handle.as_ptr(), &mut change, false);
            let sorted = Handle::owning(manager, grown).and_then(|grown| {
                let mut order = ffi::DimPerm { dim: permutation.as_mut_ptr(), size: permutation.len() };
                let sorted = ffi::ap_abstract0_permute_dimensions(man, false, grown.as_ptr(), &mut order);
                Handle::owning(manager, sorted)
            });
            sorted.and_then(|sorted| {
                let mut change =
                    ffi::DimChange { dim: remove.as_mut_ptr(), intdim: remove.len(), realdim: 0 };
                let kept = ffi::ap_abstract0_remove_dimensions(man, false, sorted.as_ptr(), &mut change);
                Handle::owning(manager, kept)
            })
        };
        self.result(from.len(), handle, || Self::top(from.len()))
    }

    /// The library's widening, cut by the thresholds that both sides satisfy. The uncut result is what
    /// the next step widens, so that chains stop as they do without thresholds.
    fn widen(&self, newer: &Self, thresholds: &[Constraint]) -> Self {
        if newer.leq(self) {
            return self.clone().degraded_as(self, newer);
        }
        if self.is_bottom() {
            return newer.clone().degraded_as(self, newer);
        }
        let older = Self::new(self.dimensions, self.widened.as_ref().unwrap_or(&self.handle).clone());
        let joined = older.join(newer);
        // SAFETY: widening is not destructive and the right side is above the left one.
        let mut widened = unsafe {
            older.binary(
                &joined.handle,
                |man, a, b| ffi::ap_abstract0_widening(man, a, b),
                || self.top_instead(),
            )
        };
        let both = |threshold: &&Constraint| self.satisfies(threshold) && newer.satisfies(threshold);
        let kept: Vec<Constraint> = thresholds.iter().filter(both).cloned().collect();
        if !kept.is_empty() {
            let uncut = widened.handle.clone();
            widened.constrain(&kept);
            widened.widened = Some(uncut);
        }
        widened.degraded |= joined.degraded;
        widened.degraded_as(self, newer)
    }

    /// That of the library, or missing bounds of variables.
    fn narrow(&self, smaller: &Self) -> Self {
        let narrowed = if smaller.is_bottom() {
            Self::bottom(self.dimensions)
        } else if L::NARROWS {
            // SAFETY: narrowing is not destructive.
            unsafe {
                self.binary(
                    &smaller.handle,
                    |man, a, b| ffi::ap_abstract0_oct_narrowing(man, a, b),
                    || self.clone(),
                )
            }
        } else {
            self.narrow_bounds(smaller)
        };
        narrowed.degraded_as(self, smaller)
    }

    fn is_degraded(&self) -> bool {
        self.degraded
    }
}

impl<L: Library> fmt::Display for Apron<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_bottom() {
            return f.write_str("⊥");
        }
        let shown: Vec<String> = self.constraints().iter().map(Constraint::to_string).collect();
        write!(f, "{{{}}}", shown.join(", "))
    }
}

impl<L: Library> fmt::Debug for Apron<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
