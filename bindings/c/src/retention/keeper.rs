//! The retention of one object.

use core::ffi::c_void;

use waywarden_can_auth::stream::Persistent;

use super::{Retention, WAYWARDEN_LATER, WAYWARDEN_STORED};
use crate::status::Status;

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
