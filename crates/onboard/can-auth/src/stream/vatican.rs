//! vatiCAN as published behind the seam: one end for all streams of an ECU. Its weaknesses are
//! those of [`crate::vatican`]; nothing here takes one away.

use waywarden_can::{Frame, Id, MessageHandle};
use waywarden_work::{Meter, NoMeter};

use super::{Check, EcuMoment, PendingMessage, Persistent, Protect};
use crate::error::ProtectError;
use crate::event::FrameOutcome;
use crate::key_store::{KeyStoreError, MacKeyStore};
use crate::vatican::{VaticanConnection, VaticanReceiver, VaticanSender};

/// The streams that an ECU sends; `S` is storage of senders.
#[derive(Clone, Debug)]
pub struct VaticanSenders<S> {
    senders: S,
    listens: bool,
}

impl<S: AsRef<[VaticanSender]> + AsMut<[VaticanSender]>> VaticanSenders<S> {
    /// Begins to send; with `listens` they follow the nonce generator.
    #[must_use]
    pub const fn new(senders: S, listens: bool) -> Self {
        VaticanSenders { senders, listens }
    }
}

/// Retains nothing: as published, the nonce begins at zero at each boot.
impl<S> Persistent for VaticanSenders<S> {}

impl<S: AsRef<[VaticanSender]> + AsMut<[VaticanSender]>> Protect for VaticanSenders<S> {
    fn covers(&self, id: Id) -> bool {
        let mut senders = self.senders.as_ref().iter();
        senders.any(|sender| id == Id::Standard(sender.connection().id()))
    }

    /// The nonce is taken up at once, not when the frames left: several messages are on their way
    /// at a time, and as published each is sent to its end before the next is made.
    fn protect(
        &mut self,
        id: Id,
        payload: &[u8],
        _moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<PendingMessage, ProtectError> {
        let mut senders = self.senders.as_mut().iter_mut();
        let own = senders.find(|sender| id == Id::Standard(sender.connection().id()));
        let sender = own.ok_or(ProtectError::Length(payload.len()))?;
        let message = sender.protect(payload, key_store, meter)?;
        sender.sent();
        Ok(PendingMessage {
            ahead: Some(message.data),
            sealed: message.tag,
        })
    }

    fn hears(&self, _frame: &Frame) -> bool {
        self.listens
    }

    fn receive(
        &mut self,
        frame: &Frame,
        _key_store: &mut impl MacKeyStore,
        _meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, ProtectError> {
        let listens = self.listens;
        let senders = self.senders.as_mut().iter_mut().filter(|_| listens);
        senders.for_each(|sender| {
            sender.receive(frame);
        });
        Ok(None)
    }
}

/// Retains nothing, as its senders.
impl<S> Persistent for VaticanReceiver<S> {}

impl<S: AsRef<[VaticanConnection]> + AsMut<[VaticanConnection]>> Check for VaticanReceiver<S> {
    fn accept(
        &mut self,
        frame: &Frame,
        _moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        match self.knows(frame) {
            true => self.accept(frame, key_store, meter),
            false => Ok(None),
        }
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
        _moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
    ) -> Option<PendingMessage> {
        let mut connections = self.connections().iter();
        let own = connections.find(|own| Id::Standard(own.id()) == id)?;
        let sender = VaticanSender::new(*own);
        let protected = sender.protect(payload, key_store, &mut NoMeter).ok()?;
        Some(PendingMessage {
            ahead: Some(protected.data),
            sealed: protected.tag,
        })
    }
}
