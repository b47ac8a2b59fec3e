//! A value that the whole image shares.

use core::cell::UnsafeCell;

/// A value for one thread of execution.
pub(crate) struct Global<T>(UnsafeCell<T>);

// SAFETY: an image has one core and enables no interrupt. The handlers of faults and of the
// watchdog use values without regard to what they interrupted, and never return to it.
unsafe impl<T> Sync for Global<T> {}

impl<T> Global<T> {
    pub(crate) const fn new(value: T) -> Self {
        Global(UnsafeCell::new(value))
    }

    /// Returns the value.
    ///
    /// # Safety
    /// No other reference to it is in use, save those of code that will not be returned to.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn get(&self) -> &mut T {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.0.get() }
    }
}
