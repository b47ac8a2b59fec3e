//! The hardened vatiCAN and LeiA behind the seam: an end for each stream.

use waywarden_can::{Frame, Id, MessageHandle};
use waywarden_work::{Instant, Meter};

#[cfg(feature = "attacks")]
use super::impersonated;
use super::{Check, EcuMoment, PendingMessage, Persistent, Protect};
use crate::error::ProtectError;
use crate::event::FrameOutcome;
use crate::key_store::{KeyStoreError, MacKeyStore};
use crate::paired::{PairedReceiver, PairedSender};

impl Persistent for PairedSender {
    /// The number of the boot is the epoch: it is retained before the first message leaves.
    fn begin(&mut self, boot: u32, _counter: u64) {
        *self = PairedSender::in_epoch(*self.connection(), boot);
    }
}

impl Protect for PairedSender {
    fn covers(&self, id: Id) -> bool {
        id == Id::Standard(self.connection().id())
    }

    fn protect(
        &mut self,
        _id: Id,
        payload: &[u8],
        _moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<PendingMessage, ProtectError> {
        let message = self.protect(payload, key_store, meter)?;
        Ok(PendingMessage {
            ahead: Some(message.data),
            sealed: message.tag,
        })
    }

    fn hears(&self, frame: &Frame) -> bool {
        self.is_asked(frame)
    }

    fn receive(
        &mut self,
        frame: &Frame,
        _key_store: &mut impl MacKeyStore,
        _meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, ProtectError> {
        self.receive(frame);
        Ok(None)
    }

    fn outgoing(
        &mut self,
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<Frame>, ProtectError> {
        self.outgoing(moment.now, key_store, meter)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next_deadline()
    }
}

/// Retains nothing: it asks where the stream stands at each boot.
impl Persistent for PairedReceiver {}

impl Check for PairedReceiver {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        self.accept(moment.now, frame, key_store, meter)
    }

    fn knows(&self, frame: &Frame) -> bool {
        self.knows(frame)
    }

    fn about(&self) -> MessageHandle {
        self.about()
    }

    #[cfg(feature = "attacks")]
    fn impersonate(
        &self,
        id: Id,
        payload: &[u8],
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
    ) -> Option<PendingMessage> {
        impersonated(self.counterpart()?, id, payload, moment, key_store)
    }

    fn outgoing(&mut self, now: Instant) -> Option<Frame> {
        self.outgoing(now)
    }

    fn expire(&mut self, now: Instant) -> Option<FrameOutcome> {
        self.expire(now)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next_deadline()
    }
}
