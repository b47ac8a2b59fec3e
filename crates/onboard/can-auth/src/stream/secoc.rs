//! SecOC behind the seam: an end for each stream, whose counter lasts unless the car's epochs take
//! its place. The code is in the frame of the message, or in a cryptographic PDU of its own.

use waywarden_can::{Frame, Id, MessageHandle, StandardId};
use waywarden_work::{Instant, Meter};

#[cfg(feature = "attacks")]
use super::impersonated;
use super::{Check, EcuMoment, PendingMessage, Persistent, Protect};
use crate::error::ProtectError;
use crate::event::FrameOutcome;
use crate::key_store::{KeyStoreError, MacKeyStore};
use crate::secoc::{SecocReceiver, SecocSender, SeparateReceiver, SeparateSender};

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

persistent!(SecocSender, SecocReceiver, SeparateSender, SeparateReceiver);

impl Protect for SecocSender {
    fn covers(&self, id: Id) -> bool {
        id == self.stream().frame_id()
    }

    /// Nothing goes ahead: the code is in the frame of the message.
    fn protect(
        &mut self,
        _id: Id,
        payload: &[u8],
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<PendingMessage, ProtectError> {
        let sealed = self.protect(payload, &moment.freshness_state, key_store, meter)?;
        Ok(PendingMessage {
            ahead: None,
            sealed,
        })
    }
}

impl Check for SecocReceiver {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
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
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
    ) -> Option<PendingMessage> {
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
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<PendingMessage, ProtectError> {
        let message = self.protect(payload, &moment.freshness_state, key_store, meter)?;
        Ok(PendingMessage {
            ahead: Some(message.authentic),
            sealed: message.cryptographic,
        })
    }
}

impl Check for SeparateReceiver {
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        self.accept(moment.now, frame, &moment.freshness_state, key_store, meter)
    }

    fn knows(&self, frame: &Frame) -> bool {
        self.stream().knows(frame)
    }

    fn about(&self) -> MessageHandle {
        self.about
    }

    fn expire(&mut self, now: Instant) -> Option<FrameOutcome> {
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
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
    ) -> Option<PendingMessage> {
        impersonated(self.counterpart(), id, payload, moment, key_store)
    }
}
