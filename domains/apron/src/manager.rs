//! APRON's managers: one per library and thread, freed with the last element.

use std::ptr::NonNull;
use std::rc::Rc;

use crate::ffi;

/// Not shared between threads: a manager is the working space of its operations.
pub struct Manager(NonNull<ffi::Manager>);

impl Manager {
    /// Keeps the rounding mode of the caller, which APRON changes, and turns aborts into exceptions.
    fn new(alloc: impl FnOnce() -> *mut ffi::Manager) -> Self {
        // SAFETY: reading and setting the rounding mode has no precondition.
        let rounding = unsafe { ffi::fegetround() };
        let manager = NonNull::new(alloc()).expect("APRON gives a manager");
        // SAFETY: as above; the manager is live and the exceptions are in range.
        unsafe {
            ffi::fesetround(rounding);
            for exception in 0..ffi::EXC_SIZE {
                ffi::ap_manager_set_abort_if_exception(manager.as_ptr(), exception, false);
            }
        }
        let manager = Self(manager);
        manager.check_layout();
        manager
    }

    pub fn as_ptr(&self) -> *mut ffi::Manager {
        self.0.as_ptr()
    }

    /// An exception must arrive where this crate looks for it, else the library is another version.
    fn check_layout(&self) {
        let (exception, message) = (ffi::EXC_NOT_IMPLEMENTED, c"layout");
        let fine_before = self.went_well();
        // SAFETY: the manager is live and the message a C string, which APRON copies.
        unsafe { ffi::ap_manager_raise_exception(self.as_ptr(), exception, 0, message.as_ptr()) };
        assert!(fine_before && !self.went_well() && self.went_well(), "libapron has another layout");
    }

    /// Whether the last operation went as it should. Forgets the exception otherwise.
    pub fn went_well(&self) -> bool {
        // SAFETY: the manager is live, and no reference into it is held elsewhere.
        let exception = unsafe { &raw mut (*self.as_ptr()).outcome.exception };
        // SAFETY: as above.
        unsafe {
            let fine = exception.read() == ffi::EXC_NONE;
            if !fine {
                ffi::ap_manager_clear_exclog(self.as_ptr());
                exception.write(ffi::EXC_NONE);
            }
            fine
        }
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        // SAFETY: owned; elements hold a counted reference, so none is left.
        unsafe { ffi::ap_manager_free(self.as_ptr()) }
    }
}

/// One of APRON's libraries.
pub trait Library: Sized + 'static {
    #[doc(hidden)]
    fn manager() -> Rc<Manager>;

    /// Whether the library has a narrowing of its own.
    const NARROWS: bool;
}

macro_rules! library {
    ($($(#[$doc:meta])* $name:ident, $alloc:expr, $narrows:expr;)*) => {$(
        $(#[$doc])*
        pub enum $name {}

        impl Library for $name {
            fn manager() -> Rc<Manager> {
                thread_local! {
                    // SAFETY: allocation of a manager has no precondition.
                    static MANAGER: Rc<Manager> = Rc::new(Manager::new(|| unsafe { $alloc }));
                }
                MANAGER.with(Rc::clone)
            }

            const NARROWS: bool = $narrows;
        }
    )*};
}
library! {
    /// Intervals.
    Boxes, ffi::box_manager_alloc(), false;
    Octagons, ffi::oct_manager_alloc(), true;
    /// NewPolka, without strict inequalities.
    Polyhedra, ffi::pk_manager_alloc(false), false;
}
