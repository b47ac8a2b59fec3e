//! SecOC behind the seam: an end for each stream, whose counter lasts unless the car's epochs take
//! its place. The code is in the frame of the message, or in a cryptographic PDU of its own.

use waywarden_can::{Frame, Id, MessageHandle, StandardId};
use waywarden_work::{Instant, Meter};

#[cfg(feature = "attacks")]
use super::impersonated;
use super::{Check, Message, Moment, Persistent, Protect};
use crate::error::ProtectError;
use crate::event::Event;
use crate::key_store::{KeyStore, KeyStoreError};
use crate::secoc::{Receiver, Sender, SeparateReceiver, SeparateSender};

/// Implements `Persistent`, which is the same at both ends and with either PDU.
macro_rules! persistent {
    ($($end:ident),*) => {$(
        impl Persistent for $end {
            fn begin(&mut self, _boot: u32, counter: u64) {
                *self = $end::resumed(*self.stream(), counter);
            }

            fn counter(&self) -> Option<StandardId> {
                let is_counter = self.stream().profile().freshness().is_counter();
                is_counter.then(|| self.stream().id())
            }

            fn to_retain(&self) -> Option<u64> {
                self.to_retain()
            }

            fn retained(&mut self, value: u64) {
                self.retained(value);
            }
        }
    )*};
}

persistent!(Sender, Receiver, SeparateSender, SeparateReceiver);

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
        meter: &mut impl Meter,
    ) -> Result<Message, ProtectError> {
        let sealed = self.protect(payload, &moment.freshness_state, key_store, meter)?;
        Ok(Message {
            ahead: None,
            sealed,
        })
    }
}

impl Check for Receiver {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &Moment,
        key_store: &mut impl KeyStore,
        meter: &mut impl Meter,
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
        impersonated(self.counterpart(), id, payload, moment, key_store)
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
        meter: &mut impl Meter,
    ) -> Result<Message, ProtectError> {
        let message = self.protect(payload, &moment.freshness_state, key_store, meter)?;
        Ok(Message {
            ahead: Some(message.authentic),
            sealed: message.cryptographic,
        })
    }
}

impl Check for SeparateReceiver {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &Moment,
        key_store: &mut impl KeyStore,
        meter: &mut impl Meter,
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
        impersonated(self.counterpart(), id, payload, moment, key_store)
    }
}
