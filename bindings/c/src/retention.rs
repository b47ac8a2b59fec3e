//! Values that must survive a reset: asked for by a call-back, and never taken as stored early.

use core::ffi::c_void;

use waywarden_can_auth::stream::Persistent;

use crate::status::Status;

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

/// The retention of one object, with what was asked for and is not confirmed yet.
pub(crate) struct Keeper {
    retain: unsafe extern "C" fn(context: *mut c_void, value: u64) -> i32,
    context: *mut c_void,
    /// Being stored: asked for, and not asked again.
    pending: u64,
}

impl Keeper {
    pub(crate) fn new(retention: &Retention) -> Result<Self, Status> {
        Ok(Keeper {
            retain: retention.retain.ok_or(Status::NullPointer)?,
            context: retention.context,
            pending: 0,
        })
    }

    /// Has a value kept. Returns true once it is.
    pub(crate) fn keep(&mut self, value: u64) -> Result<bool, Status> {
        if value <= self.pending {
            return Ok(false);
        }
        // SAFETY: a function of this type, with its own context, by the rules on pointers.
        match unsafe { (self.retain)(self.context, value) } {
            WAYWARDEN_STORED => Ok(true),
            WAYWARDEN_LATER => {
                self.pending = value;
                Ok(false)
            }
            _ => Err(Status::Retention),
        }
    }

    /// Has all kept that an end asks for.
    pub(crate) fn settle(&mut self, end: &mut impl Persistent) -> Result<(), Status> {
        while let Some(value) = end.to_retain() {
            if !self.keep(value)? {
                break;
            }
            end.retained(value);
        }
        Ok(())
    }

    /// Takes note that a value is stored, which the call-back said that it would be; with 0 that it
    /// was not, so that it is asked for again. Returns the value that is stored. One that was never
    /// asked for is refused: it would be taken as stored without being.
    pub(crate) fn confirmed(&mut self, value: u64) -> Result<Option<u64>, Status> {
        match value {
            0 => {
                self.pending = 0;
                Ok(None)
            }
            _ if value > self.pending => Err(Status::Argument),
            _ => Ok(Some(value)),
        }
    }
}
