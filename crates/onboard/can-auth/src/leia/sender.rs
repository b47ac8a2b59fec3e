//! The sender of a stream, which answers AUTH_FAIL.

use waywarden_can::Frame;
use waywarden_work::Meter;

use super::LeiaConnection;
use crate::key_store::MacKeyStore;
use crate::paired::{Command, ProtectError, ProtectedMessage};

/// Protects the messages of one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeiaSender(LeiaConnection);

impl LeiaSender {
    /// Sends on a stream that has begun.
    #[must_use]
    pub const fn new(connection: LeiaConnection) -> Self {
        LeiaSender(connection)
    }

    /// Returns the stream.
    #[must_use]
    pub const fn connection(&self) -> &LeiaConnection {
        &self.0
    }

    /// Protects a message under the next counter, which [`LeiaSender::sent`] takes up. A message
    /// protected before that has the same.
    ///
    /// # Errors
    /// [`ProtectError`].
    pub fn protect(
        &self,
        payload: &[u8],
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<ProtectedMessage, ProtectError> {
        self.0
            .message([Command::Data, Command::Tag], payload, key_store, meter)
    }

    /// Both frames of a message were sent.
    ///
    /// # Errors
    /// [`ProtectError::Exhausted`] if that was the last message of the last epoch.
    pub fn sent(
        &mut self,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<(), ProtectError> {
        self.0.advance(key_store, meter)
    }

    /// Answers an AUTH_FAIL about `failed`, as a [`super::LeiaReceiver`] heard it: if that is this
    /// stream, a new epoch begins, and the frames that say so are returned.
    ///
    /// # Errors
    /// [`ProtectError`].
    pub fn answer(
        &mut self,
        failed: u16,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<ProtectedMessage>, ProtectError> {
        if failed != self.0.id.raw() {
            return Ok(None);
        }
        self.0.next_epoch(key_store, meter)?;
        let epoch = self.0.epoch.to_le_bytes();
        let commands = [Command::Epoch, Command::EpochTag];
        self.0.message(commands, &epoch, key_store, meter).map(Some)
    }

    /// Says, over a stream of failures, that a message of `failed` was refused: a new epoch begins,
    /// which the message states beside the identifier.
    ///
    /// # Errors
    /// [`ProtectError`].
    pub fn fail(
        &mut self,
        failed: u16,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<[Frame; 2], ProtectError> {
        self.0.next_epoch(key_store, meter)?;
        let mut payload = self.0.epoch.to_le_bytes();
        payload[6..].copy_from_slice(&failed.to_le_bytes());
        let commands = [Command::Epoch, Command::EpochTag];
        let ProtectedMessage { data, tag } =
            self.0.message(commands, &payload, key_store, meter)?;
        Ok([data, tag])
    }
}
