//! SecOC with a cryptographic PDU of its own behind the seam.

use waywarden_can::{Frame, Id, MessageHandle, StandardId};
use waywarden_work::{Instant, Meter};

use super::{Check, Message, Moment, Persistent, Protect};
use crate::error::ProtectError;
use crate::event::Event;
use crate::key_store::{KeyStore, KeyStoreError};
use crate::secoc::{SeparateReceiver, SeparateSender, SeparateStream};

/// The name of an end's counter, if it has one of its own.
fn counter(stream: &SeparateStream) -> Option<StandardId> {
    let is_counter = stream.profile().freshness().is_counter();
    is_counter.then(|| stream.id())
}

impl Persistent for SeparateSender {
    fn begin(&mut self, _boot: u32, counter: u64) {
        *self = SeparateSender::resumed(*self.stream(), counter);
    }

    fn counter(&self) -> Option<StandardId> {
        counter(self.stream())
    }

    fn to_retain(&self) -> Option<u64> {
        self.to_retain()
    }

    fn retained(&mut self, value: u64) {
        self.retained(value);
    }
}

impl Protect for SeparateSender {
    fn covers(&self, id: Id) -> bool {
        id == self.stream().frame_id()
    }

    fn protect(
        &mut self,
        _id: Id,
        payload: &[u8],
        moment: &Moment,
        key_store: &mut impl KeyStore,
        meter: &mut Meter,
    ) -> Result<Message, ProtectError> {
        let message = self.protect(payload, &moment.freshness_state, key_store, meter)?;
        Ok(Message {
            ahead: Some(message.authentic),
            sealed: message.cryptographic,
        })
    }
}

impl Persistent for SeparateReceiver {
    fn begin(&mut self, _boot: u32, counter: u64) {
        *self = SeparateReceiver::resumed(*self.stream(), counter);
    }

    fn counter(&self) -> Option<StandardId> {
        counter(self.stream())
    }

    fn to_retain(&self) -> Option<u64> {
        self.to_retain()
    }

    fn retained(&mut self, value: u64) {
        self.retained(value);
    }
}

impl Check for SeparateReceiver {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &Moment,
        key_store: &mut impl KeyStore,
        meter: &mut Meter,
    ) -> Result<Option<Event>, KeyStoreError> {
        self.accept(moment.now, frame, &moment.freshness_state, key_store, meter)
    }

    fn knows(&self, frame: &Frame) -> bool {
        self.stream().knows(frame)
    }

    fn about(&self) -> MessageHandle {
        self.about
    }

    fn expire(&mut self, now: Instant) -> Option<Event> {
        self.expire(now)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.next_deadline()
    }

    #[cfg(feature = "attacks")]
    fn impersonate(
        &self,
        id: Id,
        payload: &[u8],
        moment: &Moment,
        key_store: &mut impl KeyStore,
    ) -> Option<Message> {
        if self.stream().frame_id() != id {
            return None;
        }
        let mut sender = self.counterpart();
        let meter = &mut Meter::new();
        let message = sender
            .protect(payload, &moment.freshness_state, key_store, meter)
            .ok()?;
        Some(Message {
            ahead: Some(message.authentic),
            sealed: message.cryptographic,
        })
    }
}
