//! Places for values that live as long as the image.

use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;

/// A place in static memory for one value, made while the image runs. An image without an
/// allocator keeps what is large there, instead of on its stack.
pub struct Place<T> {
    value: UnsafeCell<MaybeUninit<T>>,
    is_taken: Cell<bool>,
}

// SAFETY: an image has one core and enables no interrupt; no handler uses a place.
unsafe impl<T> Sync for Place<T> {}

impl<T> Default for Place<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Place<T> {
    /// Makes an empty place, which takes no room in flash.
    #[must_use]
    pub const fn new() -> Self {
        Place {
            value: UnsafeCell::new(MaybeUninit::uninit()),
            is_taken: Cell::new(false),
        }
    }

    /// Makes the value and puts it here.
    ///
    /// # Panics
    /// If there is one.
    // On its own: a value on its way here is on the stack no longer than that.
    #[inline(never)]
    #[allow(clippy::mut_from_ref)]
    pub fn put(&'static self, make: impl FnOnce() -> T) -> &'static mut T {
        assert!(!self.is_taken.replace(true), "the place is taken");
        // SAFETY: the place was free until the line above and never is again, so this is the only
        // reference to its value, ever.
        unsafe { (*self.value.get()).write(make()) }
    }
}
