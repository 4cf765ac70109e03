//! An abstract value of APRON's, owned.

use std::ptr::NonNull;
use std::rc::Rc;

use crate::ffi;
use crate::manager::Manager;

/// An owned abstract value with its manager.
pub struct Handle {
    value: NonNull<ffi::Abstract0>,
    pub manager: Rc<Manager>,
}

impl Handle {
    /// Takes over what an operation returned. `None` after an exception: the value is not used then.
    ///
    /// # Safety
    /// `value` is live, belongs to the manager and nothing else owns it.
    pub unsafe fn owning(manager: &Rc<Manager>, value: *mut ffi::Abstract0) -> Option<Self> {
        let value = NonNull::new(value)?;
        let fine = manager.went_well();
        let handle = Self { value, manager: manager.clone() };
        fine.then_some(handle)
    }

    pub fn as_ptr(&self) -> *mut ffi::Abstract0 {
        self.value.as_ptr()
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        // SAFETY: the value is live and of this manager.
        let copy = unsafe { ffi::ap_abstract0_copy(self.manager.as_ptr(), self.as_ptr()) };
        Self { value: NonNull::new(copy).expect("a copy"), manager: self.manager.clone() }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: owned, freed once, before its manager.
        unsafe { ffi::ap_abstract0_free(self.manager.as_ptr(), self.as_ptr()) }
    }
}
