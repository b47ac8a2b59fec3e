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
    /// Fails to compile if the memory is too small.
    const FITS: () = {
        assert!(size_of::<Held<Self::Value>>() <= size_of::<Self>());
        assert!(align_of::<Held<Self::Value>>() <= align_of::<Self>());
    };
}

/// The mark of an object that is in use.
const BUSY: u32 = 0xB5B5_B5B5;

/// The value of an object. The mark changes atomically, so that two threads that break the rules do
/// not both get the value.
#[repr(C)]
pub(crate) struct Held<T> {
    mark: AtomicU32,
    value: T,
}

/// A value in use. Drop ends that.
pub(crate) struct Lease<H: Holder> {
    held: *mut Held<H::Value>,
}

/// Puts a value into the memory of an object.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn put<H: Holder>(place: *mut H, value: H::Value) -> Result<(), Status> {
    let held = aligned(place)?;
    // SAFETY: it is not null, aligned, and large enough by `FITS`.
    unsafe {
        ptr::write_bytes(place, 0, 1);
        held.write(Held {
            mark: AtomicU32::new(H::MARK),
            value,
        });
    }
    Ok(())
}

/// Takes the value of an object into use.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn lease<H: Holder>(place: *mut H) -> Result<Lease<H>, Status> {
    let held = aligned(place)?;
    // SAFETY: it is not null and aligned; every pattern of bits is a mark.
    let mark = unsafe { &(*held).mark };
    match mark.compare_exchange(H::MARK, BUSY, Ordering::Acquire, Ordering::Relaxed) {
        Ok(_) => Ok(Lease { held }),
        Err(BUSY) => Err(Status::Busy),
        Err(_) => Err(Status::NotInitialised),
    }
}

/// Wipes an object: its memory is all zeros behind it.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn clear<H: Holder>(place: *mut H) -> Result<(), Status> {
    // SAFETY: by the caller.
    let lease = unsafe { lease(place) }?;
    let held = lease.held;
    core::mem::forget(lease);
    // SAFETY: the mark said that there is a value, and that nothing else uses it; behind it the
    // memory is plain bytes.
    unsafe {
        ptr::drop_in_place(&raw mut (*held).value);
        slice::from_raw_parts_mut(place.cast::<u8>(), size_of::<H>()).zeroize();
    }
    Ok(())
}

fn aligned<H: Holder>(place: *mut H) -> Result<*mut Held<H::Value>, Status> {
    let () = H::FITS;
    if place.is_null() {
        return Err(Status::NullPointer);
    }
    match place.is_aligned() {
        true => Ok(place.cast()),
        false => Err(Status::Alignment),
    }
}

impl<H: Holder> Lease<H> {
    /// Returns the value.
    pub(crate) fn value(&mut self) -> &mut H::Value {
        // SAFETY: the mark said that there is one, and keeps all others away from it.
        unsafe { &mut (*self.held).value }
    }
}

impl<H: Holder> Drop for Lease<H> {
    fn drop(&mut self) {
        // SAFETY: as in `lease`.
        unsafe { (*self.held).mark.store(H::MARK, Ordering::Release) }
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

pub(crate) use holds;
