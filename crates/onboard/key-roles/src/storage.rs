//! The memory of roles, handed in by their maker: arrays that they borrow where there is no
//! allocator, boxes where there is one (feature `alloc`).
//!
//! So a role is compiled once, and not once for each number of ECUs that it is to have room for.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::ops::{Deref, DerefMut};

/// A number of places for values of one type, which does not change.
pub struct Storage<'a, T>(Places<'a, T>);

enum Places<'a, T> {
    Borrowed(&'a mut [T]),
    #[cfg(feature = "alloc")]
    Owned(Box<[T]>),
}

impl<'a, T> Storage<'a, T> {
    /// Places that another owns. What they hold is kept.
    pub const fn borrowed(places: &'a mut [T]) -> Self {
        Storage(Places::Borrowed(places))
    }

    /// As many places on the heap, each filled by `fill`.
    #[cfg(feature = "alloc")]
    pub fn boxed(places: usize, fill: impl FnMut() -> T) -> Self {
        let filled = core::iter::repeat_with(fill).take(places);
        Storage(Places::Owned(filled.collect()))
    }

    /// Puts the default value into every place.
    pub fn clear(&mut self)
    where
        T: Default,
    {
        self.iter_mut().for_each(|place| *place = T::default());
    }
}

impl<T> AsRef<[T]> for Storage<'_, T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T> AsMut<[T]> for Storage<'_, T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T> Deref for Storage<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Places::Borrowed(places) => places,
            #[cfg(feature = "alloc")]
            Places::Owned(places) => places,
        }
    }
}

impl<T> DerefMut for Storage<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Places::Borrowed(places) => places,
            #[cfg(feature = "alloc")]
            Places::Owned(places) => places,
        }
    }
}
