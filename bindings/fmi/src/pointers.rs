//! The importer's pointers: all that trusts one is here.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use crate::instance::{Instance, Mode};
use crate::status::Status;

/// Calls `act` with an instance that is in one of the modes `allowed`. A panic ends the instance.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn call(
    instance: *mut c_void,
    name: &str,
    allowed: &[Mode],
    act: impl FnOnce(&mut Instance) -> Result<Status, String>,
) -> Status {
    let instance = instance.cast::<Instance>();
    if instance.is_null() || !instance.is_aligned() {
        return Status::Error;
    }
    // SAFETY: not null, made by the library and not freed, and no other thread uses it.
    let instance = unsafe { &mut *instance };
    if !instance.is_marked() {
        return Status::Error;
    }
    if !allowed.contains(&instance.mode) {
        let mode = instance.mode;
        instance.log.error(&format!(
            "{name}: not allowed in {mode:?} mode; allowed in {allowed:?}"
        ));
        return Status::Error;
    }
    match catch_unwind(AssertUnwindSafe(|| act(&mut *instance))) {
        Ok(Ok(status)) => status,
        Ok(Err(why)) => {
            instance.log.error(&format!("{name}: {why}"));
            Status::Error
        }
        Err(_) => {
            instance.mode = Mode::Failed;
            instance.log.error(&format!(
                "{name}: a fault of the library; free the instance"
            ));
            Status::Fatal
        }
    }
}

/// Returns the values at a pointer.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn list<'a, T>(from: *const T, count: usize) -> Result<&'a [T], String> {
    checked(from, count)?;
    match count {
        0 => Ok(&[]),
        // SAFETY: not null, aligned, and of this number by the caller.
        count => Ok(unsafe { slice::from_raw_parts(from, count) }),
    }
}

/// Returns the places at a pointer.
///
/// # Safety
/// See [the rules on pointers](crate#pointers). No other reference to them is in use.
pub(crate) unsafe fn places<'a, T>(to: *mut T, count: usize) -> Result<&'a mut [T], String> {
    checked(to, count)?;
    match count {
        0 => Ok(&mut []),
        // SAFETY: as in `list`, and no other reference by the caller.
        count => Ok(unsafe { slice::from_raw_parts_mut(to, count) }),
    }
}

/// Writes a result.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn write<T>(to: *mut T, value: T) -> Result<(), String> {
    checked(to, 1)?;
    // SAFETY: not null and aligned, a place for it by the caller.
    unsafe { to.write(value) };
    Ok(())
}

/// Returns a text; `None` for null and for one that is not UTF-8.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn text<'a>(from: *const c_char) -> Option<&'a str> {
    if from.is_null() {
        return None;
    }
    // SAFETY: not null, and it ends with a zero byte by the caller.
    unsafe { CStr::from_ptr(from) }.to_str().ok()
}

fn checked<T>(pointer: *const T, count: usize) -> Result<(), String> {
    let size = size_of::<T>().max(1);
    match count {
        0 => Ok(()),
        _ if pointer.is_null() => Err("a pointer is null".to_owned()),
        _ if !pointer.is_aligned() => Err("a pointer is not aligned".to_owned()),
        _ if count > isize::MAX.unsigned_abs() / size => Err(format!("{count} values")),
        _ => Ok(()),
    }
}
