//! Values that must survive a reset: asked for by a call-back, and never taken as stored early.

#[cfg(any(feature = "secoc", feature = "paired"))]
mod keeper;

use core::ffi::c_void;

#[cfg(any(feature = "secoc", feature = "paired"))]
pub(crate) use keeper::Keeper;

/// Answer of a call-back: the value is stored and will be there after a reset.
pub const WAYWARDEN_STORED: i32 = 0;
/// Answer of a call-back: the value is being stored; `..._retained` will say when it is, or with 0
/// that it was not.
pub const WAYWARDEN_LATER: i32 = 1;

/// Keeps a value over resets. Called from inside a function, in its thread, with the `context` of
/// the retention; it may not call functions on the same object, which answer WAYWARDEN_STATUS_BUSY.
///
/// Returns WAYWARDEN_STORED, WAYWARDEN_LATER, or another number for a failure: then the message
/// that needed it is refused with WAYWARDEN_STATUS_RETENTION, and the value is asked for again with
/// the next one.
pub type RetainFunction = Option<unsafe extern "C" fn(context: *mut c_void, value: u64) -> i32>;

/// The call-back that keeps what must survive a reset.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Retention {
    /// The function; `waywarden_retain_nothing` where the device never starts again under this key.
    pub retain: RetainFunction,
    /// Handed to the function as it is. Must live as long as the object.
    pub context: *mut c_void,
}

/// Keeps nothing and says that it did: for tests, and for keys that are used for one run alone.
/// **After a reset under the same key, messages of the run before are taken once more.**
#[unsafe(no_mangle)]
pub extern "C" fn waywarden_retain_nothing(_context: *mut c_void, _value: u64) -> i32 {
    WAYWARDEN_STORED
}
