//! SecOC behind the seam: an end for each stream, whose counter lasts unless the car's epochs take
//! its place.

use waywarden_can::{Frame, Id, StandardId};
use waywarden_work::Meter;

use super::{Check, Message, Moment, Persistent, Protect};
use crate::error::ProtectError;
use crate::event::Event;
use crate::key_store::{KeyStore, KeyStoreError};
use crate::secoc::{Receiver, Sender, Stream};

/// The name of an end's counter, if it has one of its own.
fn counter(stream: &Stream) -> Option<StandardId> {
    let is_counter = stream.profile().freshness().is_counter();
    is_counter.then(|| stream.id())
}

impl Persistent for Sender {
    fn begin(&mut self, _boot: u32, counter: u64) {
        *self = Sender::resumed(*self.stream(), counter);
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

impl Protect for Sender {
    fn covers(&self, id: Id) -> bool {
        id == self.stream().frame_id()
    }

    /// Nothing goes ahead: the code is in the frame of the message.
    fn protect(
        &mut self,
        _id: Id,
        payload: &[u8],
        moment: &Moment,
        key_store: &mut impl KeyStore,
        meter: &mut Meter,
    ) -> Result<Message, ProtectError> {
        let sealed = self.protect(payload, &moment.freshness_state, key_store, meter)?;
        Ok(Message {
            ahead: None,
            sealed,
        })
    }
}

impl Persistent for Receiver {
    fn begin(&mut self, _boot: u32, counter: u64) {
        *self = Receiver::resumed(*self.stream(), counter);
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

impl Check for Receiver {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &Moment,
        key_store: &mut impl KeyStore,
        meter: &mut Meter,
    ) -> Result<Option<Event>, KeyStoreError> {
        self.accept(frame, &moment.freshness_state, key_store, meter)
    }

    fn knows(&self, frame: &Frame) -> bool {
        self.knows(frame)
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
        let sealed = sender.protect(payload, &moment.freshness_state, key_store, meter);
        Some(Message {
            ahead: None,
            sealed: sealed.ok()?,
        })
    }
}
