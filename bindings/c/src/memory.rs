//! Objects in the caller's memory, and the caller's pointers.
//!
//! All that trusts a pointer is here. An object begins with a mark that says which it is and if it
//! is in use, so that memory of zeros, an object of another type, one in use by another thread and
//! a call-back that calls back are refused instead of being undefined.

use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering};

use zeroize::Zeroize;

use crate::status::Status;

/// A type of `waywarden.h` whose memory holds a value of the library.
///
/// # Safety
/// The type is an array of 8-byte words.
pub(crate) unsafe trait Holder: Sized {
    /// The value that it holds.
    type Value;
    /// The mark of an object that is initialised and not in use, unlike that of any other type.
    const MARK: u32;
    /// Number of bytes of an object that are in use, wherever it lies. Fails to compile if the
    /// object has fewer.
    const FITS: usize = {
        let needed = FRONT + slack::<Self::Value>() + size_of::<Self::Value>();
        assert!(needed <= size_of::<Self>());
        needed
    };
}

/// The mark of an object that is in use.
const BUSY: u32 = 0xB5B5_B5B5;

/// Bytes in front of the value: the mark, which is always the first of an object.
const FRONT: usize = 8;

/// Returns how many bytes may be left out so that a value has its alignment: objects have 8 bytes'.
const fn slack<T>() -> usize {
    align_of::<T>().saturating_sub(FRONT)
}

/// Returns the first place for a `T` from `at` on.
fn aligned_to<T>(at: *mut u8) -> *mut T {
    let behind = at.addr() % align_of::<T>();
    let left_out = (align_of::<T>() - behind) % align_of::<T>();
    at.wrapping_add(left_out).cast()
}

/// The places of an object's mark and value. The mark changes atomically, so that two threads that
/// break the rules do not both get the value.
struct Places<H: Holder> {
    mark: *mut AtomicU32,
    value: *mut H::Value,
}

/// A value in use. Drop ends that.
pub(crate) struct Lease<H: Holder>(Places<H>);

/// Puts a value into the memory of an object.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[cfg(any(feature = "secoc", feature = "paired"))]
pub(crate) unsafe fn put<H: Holder>(place: *mut H, value: H::Value) -> Result<(), Status> {
    let places = places(place)?;
    // SAFETY: it is not null, aligned, and large enough by `FITS`.
    unsafe {
        ptr::write_bytes(place, 0, 1);
        places.value.write(value);
        places.mark.write(AtomicU32::new(H::MARK));
    }
    Ok(())
}

/// An object whose value borrows memory of the same object, behind it: a role with its arrays.
///
/// # Safety
/// As [`Holder`].
#[cfg(any(feature = "group-keys", feature = "lasan"))]
pub(crate) unsafe trait Housing: Holder {
    /// The memory that the value borrows. It is never dropped: [`clear`] wipes its bytes.
    type Memory: 'static;
    /// As [`Holder::FITS`], the memory included.
    const HOUSES: usize = {
        // Between both at most what the alignment of the memory takes.
        let needed = Self::FITS + align_of::<Self::Memory>() + size_of::<Self::Memory>();
        assert!(needed <= size_of::<Self>());
        needed
    };
}

/// Puts `memory` into an object, and a value that `make` creates over it. If there is none the
/// object is all zeros.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[cfg(any(feature = "group-keys", feature = "lasan"))]
pub(crate) unsafe fn house<H: Housing>(
    place: *mut H,
    memory: H::Memory,
    make: impl FnOnce(&'static mut H::Memory) -> Result<H::Value, Status>,
) -> Result<(), Status> {
    let _ = H::HOUSES;
    let places = places(place)?;
    // SAFETY: not null, aligned, and large enough by `HOUSES`. The memory lies behind the value, so
    // that no reference to the value covers it; it stays where it is until `clear` has dropped the
    // value, since an object that is initialised may not be moved.
    let made = unsafe {
        ptr::write_bytes(place, 0, 1);
        let own = aligned_to::<H::Memory>(places.value.add(1).cast());
        own.write(memory);
        make(&mut *own)
    };
    // SAFETY: as above; without a value, what was in the memory is plain bytes now.
    unsafe {
        match made {
            Ok(value) => {
                places.value.write(value);
                places.mark.write(AtomicU32::new(H::MARK));
                Ok(())
            }
            Err(status) => {
                slice::from_raw_parts_mut(place.cast::<u8>(), size_of::<H>()).zeroize();
                Err(status)
            }
        }
    }
}

/// Takes the value of an object into use.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn lease<H: Holder>(place: *mut H) -> Result<Lease<H>, Status> {
    let places = places(place)?;
    // SAFETY: it is not null and aligned; every pattern of bits is a mark.
    let mark = unsafe { &*places.mark };
    match mark.compare_exchange(H::MARK, BUSY, Ordering::Acquire, Ordering::Relaxed) {
        Ok(_) => Ok(Lease(places)),
        Err(BUSY) => Err(Status::Busy),
        Err(_) => Err(Status::NotInitialised),
    }
}

/// Returns true if an object is one of this type that is initialised and not in use.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[cfg(feature = "post-quantum")]
pub(crate) unsafe fn is<H: Holder>(place: *mut H) -> bool {
    let Ok(places) = places(place) else {
        return false;
    };
    // SAFETY: as in `lease`.
    unsafe { (*places.mark).load(Ordering::Relaxed) == H::MARK }
}

/// Wipes an object: its memory is all zeros behind it.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn clear<H: Holder>(place: *mut H) -> Result<(), Status> {
    // SAFETY: by the caller.
    let lease = unsafe { lease(place) }?;
    let value = lease.0.value;
    core::mem::forget(lease);
    // SAFETY: the mark said that there is a value, and that nothing else uses it; behind it the
    // memory is plain bytes.
    unsafe {
        ptr::drop_in_place(value);
        slice::from_raw_parts_mut(place.cast::<u8>(), size_of::<H>()).zeroize();
    }
    Ok(())
}

fn places<H: Holder>(place: *mut H) -> Result<Places<H>, Status> {
    let _ = H::FITS;
    if place.is_null() {
        return Err(Status::NullPointer);
    }
    match place.is_aligned() {
        true => Ok(Places {
            mark: place.cast(),
            value: aligned_to(place.cast::<u8>().wrapping_add(FRONT)),
        }),
        false => Err(Status::Alignment),
    }
}

impl<H: Holder> Lease<H> {
    /// Returns the value.
    pub(crate) fn value(&mut self) -> &mut H::Value {
        // SAFETY: the mark said that there is one, and keeps all others away from it.
        unsafe { &mut *self.0.value }
    }
}

impl<H: Holder> Drop for Lease<H> {
    fn drop(&mut self) {
        // SAFETY: as in `lease`.
        unsafe { (*self.0.mark).store(H::MARK, Ordering::Release) }
    }
}

/// Reads what a pointer points to.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn read<T: Copy>(from: *const T) -> Result<T, Status> {
    match from.is_null() {
        true => Err(Status::NullPointer),
        // SAFETY: not null, and as large as its type by the caller; it may lie anywhere.
        false => Ok(unsafe { from.read_unaligned() }),
    }
}

/// Writes a result.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn write<T: Copy>(to: *mut T, value: T) -> Result<(), Status> {
    writable(to)?;
    // SAFETY: not null, and as large as its type by the caller; it may lie anywhere.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Checks that a result can be written, before there is one.
pub(crate) fn writable<T>(to: *mut T) -> Result<(), Status> {
    match to.is_null() {
        true => Err(Status::NullPointer),
        false => Ok(()),
    }
}

/// Returns the bytes at a pointer; none of length 0, where the pointer may be null.
///
/// # Safety
/// See [the rules on pointers](crate#pointers). The bytes are read before the call returns.
pub(crate) unsafe fn bytes<'a>(from: *const u8, length: usize) -> Result<&'a [u8], Status> {
    match (length, from.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(Status::NullPointer),
        (_, false) if length > isize::MAX.unsigned_abs() => Err(Status::Argument),
        // SAFETY: not null, not longer than memory, and of this length by the caller.
        (_, false) => Ok(unsafe { slice::from_raw_parts(from, length) }),
    }
}

/// Returns the places for `length` bytes at a pointer.
///
/// # Safety
/// See [the rules on pointers](crate#pointers). They are written before the call returns.
#[cfg(feature = "lasan")]
pub(crate) unsafe fn places_at<'a>(to: *mut u8, length: usize) -> Result<&'a mut [u8], Status> {
    match to.is_null() {
        true => Err(Status::NullPointer),
        false if length > isize::MAX.unsigned_abs() => Err(Status::Argument),
        // SAFETY: not null, not longer than memory, and of this length by the caller.
        false => Ok(unsafe { slice::from_raw_parts_mut(to, length) }),
    }
}

/// Says what an object of `waywarden.h` holds. The object itself is written out, for cbindgen
/// expands no macros.
macro_rules! holds {
    ($name:ident, $mark:literal, $value:ty) => {
        // SAFETY: it is an array of 8-byte words.
        unsafe impl $crate::memory::Holder for $name {
            type Value = $value;
            const MARK: u32 = u32::from_be_bytes(*$mark);
        }
    };
}

/// Says what an object of `waywarden.h` holds, and the memory that this borrows behind it.
#[cfg(any(feature = "group-keys", feature = "lasan"))]
macro_rules! houses {
    ($name:ident, $mark:literal, $value:ty, $memory:ty) => {
        $crate::memory::holds!($name, $mark, $value);

        // SAFETY: it is an array of 8-byte words.
        unsafe impl $crate::memory::Housing for $name {
            type Memory = $memory;
        }
    };
}

pub(crate) use holds;
#[cfg(any(feature = "group-keys", feature = "lasan"))]
pub(crate) use houses;
