//! A receiver of streams, among them those of failures.

use waywarden_can::{Format, Frame, MessageHandle};
use waywarden_work::Meter;

use super::{AWAITING, LeiaConnection, LeiaSender, TAG_BITS};
use crate::event::{CanPayload, FrameOutcome};
use crate::key_store::{KeyStoreError, MacKeyStore};
use crate::paired::{Command, Header, ProtectError};

/// Checks the messages of all streams that an ECU receives; `S` is storage of connections.
#[derive(Clone, Debug)]
pub struct LeiaReceiver<S> {
    connections: S,
    /// The stream over which this ECU says what it refused; none if it never does.
    failures: Option<LeiaSender>,
    waiting: Option<Waiting>,
    /// Of the message that the last event is about, unless the frame says it.
    about: MessageHandle,
}

/// The last data or epoch frame: the next frame is its tag, whatever its content.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    index: usize,
    header: Header,
    payload: CanPayload,
}

/// The outcome of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeiaOutcome {
    /// An event for the ECU.
    Event(FrameOutcome),
    /// A receiver refused a message of this identifier, or of one with the same low byte.
    Failed(u16),
}

impl<S: AsRef<[LeiaConnection]> + AsMut<[LeiaConnection]>> LeiaReceiver<S> {
    /// Receives streams that have begun. `failures` is the stream of this ECU's own AUTH_FAIL
    /// messages, which the demonstration leaves out.
    #[must_use]
    pub const fn new(connections: S, failures: Option<LeiaSender>) -> Self {
        LeiaReceiver {
            connections,
            failures,
            waiting: None,
            about: MessageHandle::NONE,
        }
    }

    /// Returns the message that the last event is about, if that is not the one of the frame that
    /// brought it.
    pub(crate) const fn about(&self) -> MessageHandle {
        self.about
    }

    /// The streams, as far as it took them.
    #[cfg(feature = "attacks")]
    pub(crate) fn connections(&self) -> &[LeiaConnection] {
        self.connections.as_ref()
    }

    /// Takes any frame. An event of a refused message comes with the AUTH_FAIL to be sent.
    ///
    /// # Errors
    /// [`ProtectError::KeyStore`], and [`ProtectError::Exhausted`] behind the last epoch.
    pub fn accept(
        &mut self,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<(Option<LeiaOutcome>, Option<[Frame; 2]>), ProtectError> {
        self.about = MessageHandle::NONE;
        if let Some(waiting) = self.waiting.take() {
            self.about = waiting.payload.message();
            return self.finish(waiting, frame, key_store, meter);
        }
        let Some((index, header)) = self.find(frame) else {
            let unknown = FrameOutcome::UnknownId(frame.id());
            return Ok((Some(LeiaOutcome::Event(unknown)), None));
        };
        let connection = &mut self.connections.as_mut()[index];
        let payload = CanPayload::new(frame.data()).with_message(frame.message());
        match header.command {
            Command::Data if connection.counter == AWAITING => Ok((None, None)),
            Command::Data if header.counter < connection.counter => {
                let refused = FrameOutcome::Replay(connection.id);
                self.refuse(index, refused, key_store, meter)
            }
            Command::Epoch if !connection.adopt(payload, key_store, meter)? => Ok((None, None)),
            _ => {
                self.waiting = Some(Waiting {
                    index,
                    header,
                    payload,
                });
                Ok((None, None))
            }
        }
    }

    /// Returns true if a frame has an effect: data and epochs of its streams, and any frame that
    /// follows those.
    #[must_use]
    pub fn knows(&self, frame: &Frame) -> bool {
        self.waiting.is_some() || self.find(frame).is_some()
    }

    /// The stream that a frame with data or an epoch belongs to.
    fn find(&self, frame: &Frame) -> Option<(usize, Header)> {
        let header = Header::of(frame).filter(|_| frame.format() == Format::Classic)?;
        let is_first = matches!(header.command, Command::Data | Command::Epoch);
        let mut own = self.connections.as_ref().iter();
        let index = own.position(|connection| connection.id == header.id)?;
        is_first.then_some((index, header))
    }

    fn finish(
        &mut self,
        waiting: Waiting,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<(Option<LeiaOutcome>, Option<[Frame; 2]>), ProtectError> {
        let Waiting {
            index,
            header,
            payload,
        } = waiting;
        let connection = &mut self.connections.as_mut()[index];
        let is_data = header.command == Command::Data;
        if !connection.verify(&waiting, frame, key_store, meter)? {
            let refused = FrameOutcome::WrongTag(connection.id);
            if is_data {
                return self.refuse(index, refused, key_store, meter);
            }
            return Ok((Some(LeiaOutcome::Event(refused)), None));
        }
        let event = if is_data {
            connection.advance(key_store, meter)?;
            LeiaOutcome::Event(FrameOutcome::Authentic {
                stream: connection.id,
                payload: payload.with_message(frame.message()),
            })
        } else if connection.tag_id == connection.id {
            let low = payload.as_bytes().get(6).copied().unwrap_or(0);
            LeiaOutcome::Failed(u16::from(low))
        } else {
            LeiaOutcome::Event(FrameOutcome::Resynced(connection.id))
        };
        Ok((Some(event), None))
    }

    /// Refuses a message and says so, if this ECU does.
    fn refuse(
        &mut self,
        index: usize,
        event: FrameOutcome,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<(Option<LeiaOutcome>, Option<[Frame; 2]>), ProtectError> {
        let connection = &mut self.connections.as_mut()[index];
        let frames = match &mut self.failures {
            Some(failures) => {
                connection.counter = AWAITING;
                Some(failures.fail(connection.id.raw(), key_store, meter)?)
            }
            None => None,
        };
        Ok((Some(LeiaOutcome::Event(event)), frames))
    }
}

impl LeiaConnection {
    /// Takes over an epoch that is above its own, before anything says whose it is; returns
    /// whether.
    fn adopt(
        &mut self,
        payload: CanPayload,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<bool, KeyStoreError> {
        let Ok(mut bytes) = <[u8; 8]>::try_from(payload.as_bytes()) else {
            return Ok(false);
        };
        if self.tag_id == self.id {
            bytes[6..].fill(0);
        }
        let epoch = u64::from_le_bytes(bytes);
        if epoch <= self.epoch || epoch > super::EPOCH_MAX {
            return Ok(false);
        }
        self.enter(epoch, key_store, meter)?;
        Ok(true)
    }

    fn verify(
        &self,
        waiting: &Waiting,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<bool, KeyStoreError> {
        let associated = self.associated(waiting.header.counter, waiting.payload.as_bytes());
        let tag = frame.data();
        let fits = key_store.check(self.session, &[&associated], tag, TAG_BITS, meter)?;
        let own = Header::of(frame).is_some_and(|header| header.id == self.tag_id);
        Ok(fits && own && tag.len() == TAG_BITS / 8)
    }
}
