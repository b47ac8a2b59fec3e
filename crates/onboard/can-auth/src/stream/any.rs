//! An end of any of the protocols, chosen when it is made: for ECUs whose streams have several, and
//! for programs that read from a file which one it is.

use waywarden_can::{Frame, Id, MessageHandle, StandardId};
use waywarden_work::{Instant, Meter};

use super::{Check, EcuMoment, PendingMessage, Persistent, Protect};
use crate::error::ProtectError;
use crate::event::FrameOutcome;
use crate::key_store::{KeyStoreError, MacKeyStore};
use crate::{paired, secoc};

/// No end: what stands for the protocols as published where there are none.
#[derive(Clone, Copy, Debug)]
pub enum NoEnd {}

/// A sending end of any protocol. `V` and `L` are the ends of vatiCAN and LeiA as published, with
/// their storage: `VaticanSenders` and `LeiaSenders` (feature `as-published`). As large as the
/// largest of them.
#[non_exhaustive]
pub enum AnySender<V = NoEnd, L = NoEnd> {
    /// The tag follows in a frame of its own.
    Paired(paired::PairedSender),
    /// Freshness and code share the frame with the message.
    Secoc(secoc::SecocSender),
    /// Freshness and code have a PDU of their own.
    SeparateSecoc(secoc::SeparateSender),
    /// vatiCAN as published.
    Vatican(V),
    /// LeiA as published.
    Leia(L),
}

/// A receiving end of any protocol. `V` and `L` are the ends of vatiCAN and LeiA as published, with
/// their storage: `vatican::VaticanReceiver` and `LeiaReceivers` (feature `as-published`). As large
/// as the largest of them.
#[non_exhaustive]
pub enum AnyReceiver<V = NoEnd, L = NoEnd> {
    /// The tag follows in a frame of its own.
    Paired(paired::PairedReceiver),
    /// Freshness and code share the frame with the message.
    Secoc(secoc::SecocReceiver),
    /// Freshness and code have a PDU of their own.
    SeparateSecoc(secoc::SeparateReceiver),
    /// vatiCAN as published.
    Vatican(V),
    /// LeiA as published.
    Leia(L),
}

/// Does the same with the end of each protocol.
macro_rules! each_protocol {
    ($any:expr, $end:ident => $does:expr) => {
        match $any {
            Self::Paired($end) => $does,
            Self::Secoc($end) => $does,
            Self::SeparateSecoc($end) => $does,
            Self::Vatican($end) => $does,
            Self::Leia($end) => $does,
        }
    };
}

/// Implements `Persistent`, which is the same at both ends.
macro_rules! lasting {
    ($($any:ident),*) => {$(
        impl<V: Persistent, L: Persistent> Persistent for $any<V, L> {
            fn begin(&mut self, boot: u32, counter: u64) {
                each_protocol!(self, end => end.begin(boot, counter));
            }

            fn counter(&self) -> Option<StandardId> {
                each_protocol!(self, end => end.counter())
            }

            fn to_retain(&self) -> Option<u64> {
                each_protocol!(self, end => Persistent::to_retain(end))
            }

            fn retained(&mut self, value: u64) {
                each_protocol!(self, end => Persistent::retained(end, value));
            }
        }
    )*};
}

lasting!(AnySender, AnyReceiver);

impl<V: Protect, L: Protect> Protect for AnySender<V, L> {
    fn covers(&self, id: Id) -> bool {
        each_protocol!(self, end => end.covers(id))
    }

    fn protect(
        &mut self,
        id: Id,
        payload: &[u8],
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<PendingMessage, ProtectError> {
        each_protocol!(self, end => Protect::protect(end, id, payload, moment, key_store, meter))
    }

    fn checks(&self, frame: &Frame) -> bool {
        each_protocol!(self, end => end.checks(frame))
    }

    fn hears(&self, frame: &Frame) -> bool {
        each_protocol!(self, end => end.hears(frame))
    }

    fn receive(
        &mut self,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, ProtectError> {
        each_protocol!(self, end => Protect::receive(end, frame, key_store, meter))
    }

    fn outgoing(
        &mut self,
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<Frame>, ProtectError> {
        each_protocol!(self, end => Protect::outgoing(end, moment, key_store, meter))
    }

    fn next_deadline(&self) -> Option<Instant> {
        each_protocol!(self, end => Protect::next_deadline(end))
    }
}

impl<V: Check, L: Check> Check for AnyReceiver<V, L> {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        each_protocol!(self, end => Check::accept(end, frame, moment, key_store, meter))
    }

    fn knows(&self, frame: &Frame) -> bool {
        each_protocol!(self, end => Check::knows(end, frame))
    }

    fn about(&self) -> MessageHandle {
        each_protocol!(self, end => Check::about(end))
    }

    #[cfg(feature = "attacks")]
    fn impersonate(
        &self,
        id: Id,
        payload: &[u8],
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
    ) -> Option<PendingMessage> {
        each_protocol!(self, end => end.impersonate(id, payload, moment, key_store))
    }

    fn outgoing(&mut self, now: Instant) -> Option<Frame> {
        each_protocol!(self, end => Check::outgoing(end, now))
    }

    fn expire(&mut self, now: Instant) -> Option<FrameOutcome> {
        each_protocol!(self, end => Check::expire(end, now))
    }

    fn next_deadline(&self) -> Option<Instant> {
        each_protocol!(self, end => Check::next_deadline(end))
    }
}

impl Persistent for NoEnd {}

impl Protect for NoEnd {
    fn covers(&self, _id: Id) -> bool {
        match *self {}
    }

    fn protect(
        &mut self,
        _id: Id,
        _payload: &[u8],
        _moment: &EcuMoment,
        _key_store: &mut impl MacKeyStore,
        _meter: &mut impl Meter,
    ) -> Result<PendingMessage, ProtectError> {
        match *self {}
    }
}

impl Check for NoEnd {
    fn accept(
        &mut self,
        _frame: &Frame,
        _moment: &EcuMoment,
        _key_store: &mut impl MacKeyStore,
        _meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        match *self {}
    }

    fn knows(&self, _frame: &Frame) -> bool {
        match *self {}
    }
}
