//! LeiA as published behind the seam: one end for all streams that an ECU sends, one for all it
//! receives. Its weaknesses are those of [`crate::leia`]; nothing here takes one away.
//!
//! An AUTH_FAIL of this ECU's receivers waits inside and goes out by [`Check::outgoing`]; those of
//! others are heard by the senders, which say their new epochs by [`Protect::outgoing`].

use waywarden_can::{Frame, Id, MessageHandle};
use waywarden_work::{Instant, Meter, NoMeter};

use super::{Check, EcuMoment, PendingMessage, Persistent, Protect};
use crate::error::ProtectError;
use crate::event::FrameOutcome;
use crate::key_store::{KeyStoreError, MacKeyStore};
use crate::leia::{LeiaConnection, LeiaOutcome, LeiaReceiver, LeiaSender};

/// Maximum number of AUTH_FAIL messages, or answers to them, that wait to be sent. Further ones are
/// not made.
pub const ANSWERS: usize = 4;

/// The streams that an ECU sends; `S` is storage of senders, `F` of the connections over which
/// others say what they refused.
#[derive(Clone, Debug)]
pub struct LeiaSenders<S, F> {
    senders: S,
    failures: LeiaReceiver<F>,
    queue: TransmitQueue,
}

/// The streams that an ECU receives; `S` is storage of connections.
#[derive(Clone, Debug)]
pub struct LeiaReceivers<S> {
    receiver: LeiaReceiver<S>,
    queue: TransmitQueue,
}

/// Frames that wait, in pairs, oldest first.
#[derive(Clone, Debug)]
struct TransmitQueue {
    frames: [Option<Frame>; 2 * ANSWERS],
}

impl TransmitQueue {
    const fn new() -> Self {
        TransmitQueue {
            frames: [None; 2 * ANSWERS],
        }
    }

    fn has_room(&self) -> bool {
        self.frames[2 * ANSWERS - 2].is_none()
    }

    fn is_empty(&self) -> bool {
        self.frames[0].is_none()
    }

    /// Adds a pair; nothing without room.
    fn push(&mut self, pair: [Frame; 2]) {
        let free = self.frames.iter_mut().filter(|place| place.is_none());
        for (place, frame) in free.zip(pair) {
            *place = Some(frame);
        }
    }

    fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames[0].take();
        self.frames.rotate_left(1);
        frame
    }

    /// Returns the time of the next frame: at once, if one waits.
    fn next_deadline(&self) -> Option<Instant> {
        (!self.is_empty()).then_some(Instant::ZERO)
    }
}

impl<S, F> LeiaSenders<S, F>
where
    S: AsRef<[LeiaSender]> + AsMut<[LeiaSender]>,
    F: AsRef<[LeiaConnection]> + AsMut<[LeiaConnection]>,
{
    /// Sends on streams that have begun. `failures` has the connections of others' AUTH_FAIL
    /// messages; with none of them nothing is ever resynchronised.
    #[must_use]
    pub const fn new(senders: S, failures: F) -> Self {
        LeiaSenders {
            senders,
            failures: LeiaReceiver::new(failures, None),
            queue: TransmitQueue::new(),
        }
    }

    /// Has the sender of what was refused begin a new epoch.
    fn answer(
        &mut self,
        failed: u16,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<(), ProtectError> {
        for sender in self.senders.as_mut() {
            if !self.queue.has_room() {
                break;
            }
            if let Some(epoch) = sender.answer(failed, key_store, meter)? {
                self.queue.push([epoch.data, epoch.tag]);
            }
        }
        Ok(())
    }
}

/// Retains nothing: as published, the first epoch begins at each boot.
impl<S, F> Persistent for LeiaSenders<S, F> {}

impl<S, F> Protect for LeiaSenders<S, F>
where
    S: AsRef<[LeiaSender]> + AsMut<[LeiaSender]>,
    F: AsRef<[LeiaConnection]> + AsMut<[LeiaConnection]>,
{
    fn covers(&self, id: Id) -> bool {
        let mut senders = self.senders.as_ref().iter();
        senders.any(|sender| id == Id::Standard(sender.connection().id()))
    }

    /// The counter is taken up at once, not when the frames left: several messages are on their way
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
        sender.sent(key_store, meter)?;
        Ok(PendingMessage {
            ahead: Some(message.data),
            sealed: message.tag,
        })
    }

    fn checks(&self, frame: &Frame) -> bool {
        self.failures.knows(frame)
    }

    fn receive(
        &mut self,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, ProtectError> {
        if !self.checks(frame) {
            return Ok(None);
        }
        let (outcome, _) = self.failures.accept(frame, key_store, meter)?;
        match outcome {
            Some(LeiaOutcome::Failed(failed)) => {
                self.answer(failed, key_store, meter)?;
                Ok(None)
            }
            Some(LeiaOutcome::Event(event)) => Ok(Some(event)),
            None => Ok(None),
        }
    }

    fn outgoing(
        &mut self,
        _moment: &EcuMoment,
        _key_store: &mut impl MacKeyStore,
        _meter: &mut impl Meter,
    ) -> Result<Option<Frame>, ProtectError> {
        Ok(self.queue.pop())
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.queue.next_deadline()
    }
}

impl<S: AsRef<[LeiaConnection]> + AsMut<[LeiaConnection]>> LeiaReceivers<S> {
    /// Receives as `receiver` does, and says what it has to say.
    #[must_use]
    pub const fn new(receiver: LeiaReceiver<S>) -> Self {
        LeiaReceivers {
            receiver,
            queue: TransmitQueue::new(),
        }
    }
}

/// Retains nothing, as its senders.
impl<S> Persistent for LeiaReceivers<S> {}

impl<S: AsRef<[LeiaConnection]> + AsMut<[LeiaConnection]>> Check for LeiaReceivers<S> {
    fn accept(
        &mut self,
        frame: &Frame,
        _moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        if !self.knows(frame) {
            return Ok(None);
        }
        let (outcome, failure) = match self.receiver.accept(frame, key_store, meter) {
            Ok(accepted) => accepted,
            Err(ProtectError::KeyStore(error)) => return Err(error),
            // Behind the last epoch, where a forged one leads: as published that is the end.
            Err(_) => return Ok(Some(FrameOutcome::UnknownId(frame.id()))),
        };
        if let Some(pair) = failure.filter(|_| self.queue.has_room()) {
            self.queue.push(pair);
        }
        Ok(match outcome {
            Some(LeiaOutcome::Event(event)) => Some(event),
            _ => None,
        })
    }

    #[cfg(feature = "attacks")]
    fn impersonate(
        &self,
        id: Id,
        payload: &[u8],
        _moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
    ) -> Option<PendingMessage> {
        let mut connections = self.receiver.connections().iter();
        let own = connections.find(|own| Id::Standard(own.id()) == id)?;
        let sender = LeiaSender::new(*own);
        let protected = sender.protect(payload, key_store, &mut NoMeter).ok()?;
        Some(PendingMessage {
            ahead: Some(protected.data),
            sealed: protected.tag,
        })
    }

    fn knows(&self, frame: &Frame) -> bool {
        self.receiver.knows(frame)
    }

    fn about(&self) -> MessageHandle {
        self.receiver.about()
    }

    fn outgoing(&mut self, _now: Instant) -> Option<Frame> {
        self.queue.pop()
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.queue.next_deadline()
    }
}
