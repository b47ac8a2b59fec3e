//! LeiA as \[VULCAN\] runs it, frame by frame as its published code: interoperable, and as weak.
//! For what it should be see [`crate::paired`] with [`WireForm::Leia`](crate::paired::WireForm).
//!
//! Frames have 29-bit identifiers: the stream's 11 bits, a command of two, a counter of 16. Data
//! are followed by 64 bits of tag in a frame of the identifier above; the tag is over counter,
//! identifier and payload filled up with zeros, 12 bytes, under the key of an epoch, which is the
//! tag of the epoch (7 bytes) under the stream's key. A receiver that refused something says so,
//! AUTH_FAIL, over a stream of its own; the sender of what was refused then begins a new epoch and
//! says which.
//!
//! Kept from the published code, with an attack in the tests for each: a receiver's counter moves
//! on by one where it should jump to what it saw; an AUTH_FAIL names one byte of an identifier; an
//! epoch is taken over before its tag is looked at; the tag's frame may show any counter; and a
//! receiver takes whatever frame comes next for the tag.

mod receiver;
mod sender;

use waywarden_can::{Format, Frame, StandardId};
use waywarden_work::Meter;

pub use self::receiver::{LeiaOutcome, LeiaReceiver};
pub use self::sender::LeiaSender;
use crate::key_store::{KeyId, KeyStoreError, MacKeyStore};
use crate::paired::{Command, Header, OddIdError, ProtectError, ProtectedMessage, above};

/// The last epoch; after it the stream needs another key.
pub const EPOCH_MAX: u64 = (1 << 56) - 1;
/// The counter of a receiver that waits for the answer to its AUTH_FAIL.
const AWAITING: u16 = 0;
/// The counter of an epoch's first message.
const FIRST: u16 = 1;
/// Bits of tag that travel.
const TAG_BITS: usize = 64;
/// Bytes a tag is computed over.
const ASSOCIATED: usize = 12;

/// One stream, as a sender or a receiver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeiaConnection {
    id: StandardId,
    tag_id: StandardId,
    /// The stream's key, which only makes epochs' keys.
    key: KeyId,
    /// The name under which the key store holds the key of the epoch.
    session: KeyId,
    epoch: u64,
    counter: u16,
}

impl LeiaConnection {
    /// A stream with the even identifier `id`, under `key`. The key store holds the key of its
    /// epoch as `session`, which must be this stream's alone in it. [`LeiaConnection::begin`]
    /// follows.
    ///
    /// # Errors
    /// [`OddIdError`].
    pub fn new(id: StandardId, key: KeyId, session: KeyId) -> Result<Self, OddIdError> {
        Ok(LeiaConnection {
            id,
            tag_id: above(id)?,
            key,
            session,
            epoch: 0,
            counter: AWAITING,
        })
    }

    /// The stream of an ECU's AUTH_FAIL messages, whose tags have its own identifier.
    #[must_use]
    pub const fn of_failures(id: StandardId, key: KeyId, session: KeyId) -> Self {
        LeiaConnection {
            id,
            tag_id: id,
            key,
            session,
            epoch: 0,
            counter: AWAITING,
        }
    }

    /// Begins the first epoch, as each boot does.
    ///
    /// # Errors
    /// [`KeyStoreError`].
    pub fn begin(
        mut self,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Self, KeyStoreError> {
        self.enter(1, key_store, meter)?;
        Ok(self)
    }

    /// Returns the identifier of the data.
    #[must_use]
    pub const fn id(&self) -> StandardId {
        self.id
    }

    /// Returns the payload that a frame of this stream carries, **nothing of it checked but its
    /// form**; none for a tag and for other frames.
    #[must_use]
    pub fn carried<'a>(&self, frame: &'a Frame) -> Option<&'a [u8]> {
        let header = Header::of(frame).filter(|_| frame.format() == Format::Classic)?;
        let own = header.id == self.id && header.command == Command::Data;
        own.then(|| frame.data())
    }

    /// Takes an epoch and its key; the counter begins again.
    fn enter(
        &mut self,
        epoch: u64,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<(), KeyStoreError> {
        let bytes = epoch.to_le_bytes();
        key_store.derive(self.key, self.session, &[&bytes[..7]], meter)?;
        (self.epoch, self.counter) = (epoch, FIRST);
        Ok(())
    }

    fn next_epoch(
        &mut self,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<(), ProtectError> {
        if self.epoch >= EPOCH_MAX {
            return Err(ProtectError::Exhausted);
        }
        Ok(self.enter(self.epoch + 1, key_store, meter)?)
    }

    /// Counts a message; behind the last counter comes the next epoch.
    fn advance(
        &mut self,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<(), ProtectError> {
        self.counter = self.counter.saturating_add(1);
        if self.counter == u16::MAX {
            self.next_epoch(key_store, meter)?;
        }
        Ok(())
    }

    fn associated(&self, counter: u16, payload: &[u8]) -> [u8; ASSOCIATED] {
        let mut bytes = [0; ASSOCIATED];
        bytes[..2].copy_from_slice(&counter.to_le_bytes());
        bytes[2..4].copy_from_slice(&self.id.raw().to_le_bytes());
        bytes[4..4 + payload.len()].copy_from_slice(payload);
        bytes
    }

    /// A message and its tag, under these commands.
    fn message(
        &self,
        commands: [Command; 2],
        payload: &[u8],
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<ProtectedMessage, ProtectError> {
        let too_long = |_| ProtectError::Length(payload.len());
        let counter = self.counter;
        let data = Header::new(self.id, commands[0], counter).id();
        let data = Frame::classic(data, payload).map_err(too_long)?;
        let associated = self.associated(counter, payload);
        let tag = key_store
            .tag(self.session, &[&associated], meter)?
            .leading::<8>();
        let id = Header::new(self.tag_id, commands[1], counter).id();
        let tag = Frame::classic(id, &tag).map_err(too_long)?;
        Ok(ProtectedMessage { data, tag })
    }
}
