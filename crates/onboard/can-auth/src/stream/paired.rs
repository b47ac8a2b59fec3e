//! The hardened vatiCAN and LeiA behind the seam: an end for each stream.

use waywarden_can::{Frame, Id, MessageHandle};
use waywarden_work::{Instant, Meter};

#[cfg(feature = "attacks")]
use super::impersonated;
use super::{Check, Message, Moment, Persistent, Protect};
use crate::error::ProtectError;
use crate::event::Event;
use crate::key_store::{KeyStore, KeyStoreError};
use crate::paired::{Receiver, Sender};

impl Persistent for Sender {
    /// The number of the boot is the epoch: it is retained before the first message leaves.
    fn begin(&mut self, boot: u32, _counter: u64) {
        *self = Sender::in_epoch(*self.connection(), boot);
    }
}

impl Protect for Sender {
    fn covers(&self, id: Id) -> bool {
        id == Id::Standard(self.connection().id())
    }

    fn protect(
        &mut self,
        _id: Id,
        payload: &[u8],
        _moment: &Moment,
        key_store: &mut impl KeyStore,
        meter: &mut impl Meter,
    ) -> Result<Message, ProtectError> {
        let message = self.protect(payload, key_store, meter)?;
        Ok(Message {
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
        _key_store: &mut impl KeyStore,
        _meter: &mut impl Meter,
    ) -> Result<Option<Event>, ProtectError> {
        self.receive(frame);
        Ok(None)
    }

    fn outgoing(
        &mut self,
        moment: &Moment,
        key_store: &mut impl KeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<Frame>, ProtectError> {
        self.outgoing(moment.now, key_store, meter)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next_deadline()
    }
}

/// Retains nothing: it asks where the stream stands at each boot.
impl Persistent for Receiver {}

impl Check for Receiver {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &Moment,
        key_store: &mut impl KeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<Event>, KeyStoreError> {
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
        moment: &Moment,
        key_store: &mut impl KeyStore,
    ) -> Option<Message> {
        impersonated(self.counterpart()?, id, payload, moment, key_store)
    }

    fn outgoing(&mut self, now: Instant) -> Option<Frame> {
        self.outgoing(now)
    }

    fn expire(&mut self, now: Instant) -> Option<Event> {
        self.expire(now)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next_deadline()
    }
}
