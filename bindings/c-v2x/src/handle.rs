//! Objects that the library makes, and texts of the caller.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;

use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_v2x_input::time;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::error::Failure;

/// The longest message, as of a file: 16 MiB.
pub(crate) const MESSAGE_MAX: usize = 16 << 20;

/// Returns an object behind a pointer.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn object<'a, T>(from: *const T) -> Result<&'a T, Failure> {
    // SAFETY: null, or made by the library and not freed, by the caller.
    unsafe { from.as_ref() }.ok_or_else(|| Failure::from(Status::NullPointer))
}

/// Hands an object over.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn give<T>(to: *mut *mut T, object: T) -> Result<(), Failure> {
    checked(to)?;
    // SAFETY: not null, by the caller a place for a pointer.
    unsafe { to.write(Box::into_raw(Box::new(object))) };
    Ok(())
}

/// Checks the place for a result, before there is one.
pub(crate) fn checked<T>(to: *mut T) -> Result<(), Failure> {
    match to.is_null() {
        true => Err(Status::NullPointer.into()),
        false => Ok(()),
    }
}

/// Frees an object; nothing for null.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: made by `give`, and not freed before, by the caller.
        drop(unsafe { Box::from_raw(object) });
    }
}

/// Copies bytes of the caller.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn copied(place: &str, from: Bytes, most: usize) -> Result<Vec<u8>, Failure> {
    if from.length > most {
        let why = format!("{} bytes; at most {most}", from.length);
        return Err(Failure::argument(place, why));
    }
    match (from.length, from.data.is_null()) {
        (0, _) => Ok(Vec::new()),
        (_, true) => Err(Status::NullPointer.into()),
        // SAFETY: not null and of this length, by the caller.
        (_, false) => Ok(unsafe { std::slice::from_raw_parts(from.data, from.length) }.to_vec()),
    }
}

/// Returns a text of the caller, in UTF-8.
///
/// # Safety
/// See [the rules on pointers](crate). It ends with a zero byte.
pub(crate) unsafe fn text<'a>(place: &str, from: *const c_char) -> Result<&'a str, Failure> {
    if from.is_null() {
        return Err(Status::NullPointer.into());
    }
    // SAFETY: not null, and it ends, by the caller.
    let text = unsafe { CStr::from_ptr(from) }.to_str();
    text.map_err(|_| Failure::argument(place, "the text is not UTF-8"))
}

/// Returns a path of the caller: any bytes.
///
/// # Safety
/// See [the rules on pointers](crate). It ends with a zero byte.
pub(crate) unsafe fn path(from: *const c_char) -> Result<PathBuf, Failure> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    if from.is_null() {
        return Err(Status::NullPointer.into());
    }
    // SAFETY: not null, and it ends, by the caller.
    let bytes = unsafe { CStr::from_ptr(from) }.to_bytes();
    Ok(PathBuf::from(OsStr::from_bytes(bytes)))
}

/// Returns a time; now for 0.
pub(crate) fn moment(at: u64) -> Time64 {
    match at {
        0 => time::now(),
        at => Time64(at),
    }
}

/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn fill<T>(to: *mut T, value: T) -> Status {
    if to.is_null() {
        return Status::NullPointer;
    }
    // SAFETY: not null, by the caller a place for it.
    unsafe { to.write(value) };
    Status::Ok
}
