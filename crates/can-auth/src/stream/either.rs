//! An end of one of two protocols: for ECUs whose streams have several. Of more than two it is
//! nested.

use waywarden_can::{Frame, Id, StandardId};
use waywarden_work::{Instant, Meter};

use super::{Check, Lasting, Message, Moment, Protect};
use crate::error::ProtectError;
use crate::event::{Event, Payload};
use crate::vault::{Vault, VaultError};

/// An end of this protocol or that.
#[derive(Clone, Copy, Debug)]
pub enum Either<A, B> {
    /// Of the first.
    First(A),
    /// Of the second.
    Second(B),
}

/// Does the same with whichever it is.
macro_rules! whichever {
    ($either:expr, $end:ident => $does:expr) => {
        match $either {
            Either::First($end) => $does,
            Either::Second($end) => $does,
        }
    };
}

impl<A: Lasting, B: Lasting> Lasting for Either<A, B> {
    fn begin(&mut self, boot: u32, counter: u64) {
        whichever!(self, end => end.begin(boot, counter));
    }

    fn counter(&self) -> Option<StandardId> {
        whichever!(self, end => end.counter())
    }

    fn to_retain(&self) -> Option<u64> {
        whichever!(self, end => end.to_retain())
    }

    fn retained(&mut self, value: u64) {
        whichever!(self, end => end.retained(value));
    }
}

impl<A: Protect, B: Protect> Protect for Either<A, B> {
    fn covers(&self, id: Id) -> bool {
        whichever!(self, end => end.covers(id))
    }

    fn carried(&self, frame: &Frame) -> Option<(StandardId, Payload)> {
        whichever!(self, end => end.carried(frame))
    }

    fn protect(
        &mut self,
        id: Id,
        payload: &[u8],
        moment: &Moment,
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Message, ProtectError> {
        whichever!(self, end => end.protect(id, payload, moment, vault, meter))
    }

    fn checks(&self, frame: &Frame) -> bool {
        whichever!(self, end => end.checks(frame))
    }

    fn hears(&self, frame: &Frame) -> bool {
        whichever!(self, end => end.hears(frame))
    }

    fn hear(
        &mut self,
        frame: &Frame,
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Option<Event>, ProtectError> {
        whichever!(self, end => end.hear(frame, vault, meter))
    }

    fn outgoing(
        &mut self,
        moment: &Moment,
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Option<Frame>, ProtectError> {
        whichever!(self, end => end.outgoing(moment, vault, meter))
    }

    fn wish(&self) -> Option<Instant> {
        whichever!(self, end => end.wish())
    }
}

impl<A: Check, B: Check> Check for Either<A, B> {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &Moment,
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Option<Event>, VaultError> {
        whichever!(self, end => end.accept(frame, moment, vault, meter))
    }

    fn knows(&self, frame: &Frame) -> bool {
        whichever!(self, end => end.knows(frame))
    }

    #[cfg(feature = "attacks")]
    fn impersonate(
        &self,
        id: Id,
        payload: &[u8],
        moment: &Moment,
        vault: &mut impl Vault,
    ) -> Option<Message> {
        whichever!(self, end => end.impersonate(id, payload, moment, vault))
    }

    fn outgoing(&mut self, now: Instant) -> Option<Frame> {
        whichever!(self, end => end.outgoing(now))
    }

    fn expire(&mut self, now: Instant) -> Option<Event> {
        whichever!(self, end => end.expire(now))
    }

    fn wish(&self) -> Option<Instant> {
        whichever!(self, end => end.wish())
    }
}
