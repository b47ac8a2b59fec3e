//! The sender of a stream.

use waywarden_can::Frame;
use waywarden_work::Meter;

use super::ProtectError;
use super::freshness::{Epoch, FreshnessState, Position};
use super::reserve::Reserve;
use super::stream::SecocStream;
use crate::key_store::MacKeyStore;

/// Protects the messages of one stream.
#[derive(Clone, Debug)]
pub struct SecocSender {
    pub(super) stream: SecocStream,
    /// The position of the last message.
    pub(super) last: Option<Position>,
    /// The reserve of an unsynchronised counter.
    pub(super) reserve: Option<Reserve>,
}

impl SecocSender {
    /// Begins to send under a key that was never used. Under any other key what was sent before is
    /// genuine again: see [`SecocSender::resumed`].
    #[must_use]
    pub fn under_fresh_key(stream: SecocStream) -> Self {
        Self::resumed(stream, 0)
    }

    /// Goes on to send after a reset. `retained` is the last value passed to
    /// [`SecocSender::retained`] under this key; zero if there was none. Streams whose freshness is
    /// synchronised, or which have none, retain nothing themselves.
    #[must_use]
    pub fn resumed(stream: SecocStream, retained: u64) -> Self {
        let (last, mut reserve) = begin(&stream, retained);
        if let Some(reserve) = &mut reserve {
            reserve.want(retained);
        }
        SecocSender {
            stream,
            last,
            reserve,
        }
    }

    /// Returns the stream.
    #[must_use]
    pub const fn stream(&self) -> &SecocStream {
        &self.stream
    }

    /// Returns the counter to be retained over a reset now, if any. Until [`SecocSender::retained`]
    /// confirms it, no counter above the one retained before is used.
    #[must_use]
    pub fn to_retain(&self) -> Option<u64> {
        self.reserve.and_then(|reserve| reserve.wanted())
    }

    /// Takes note that a value is retained.
    pub fn retained(&mut self, value: u64) {
        if let Some(reserve) = &mut self.reserve {
            reserve.confirm(value);
        }
    }

    /// Protects a message. Its freshness is used up, whether or not its frame comes to leave: two
    /// messages never have the same. `freshness_state` is of this ECU's follower or master, or
    /// [`FreshnessState::UNSYNCHRONISED`].
    ///
    /// # Errors
    /// [`ProtectError`]; then nothing changed.
    pub fn protect(
        &mut self,
        payload: &[u8],
        freshness_state: &FreshnessState,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Frame, ProtectError> {
        let at = self.next(payload.len(), freshness_state)?;
        let bytes = self.stream.authenticated(payload, at);
        let tag = key_store.tag(self.stream.key, &[bytes.as_bytes()], meter)?;
        let frame = self.stream.frame(payload, at, &tag);
        let frame = frame.ok_or(ProtectError::Length(payload.len()))?;
        self.use_up(at);
        Ok(frame)
    }

    /// The position of the next message, which has this length.
    pub(super) fn next(
        &self,
        length: usize,
        freshness_state: &FreshnessState,
    ) -> Result<Position, ProtectError> {
        if !self.stream.carries(length) {
            return Err(ProtectError::Length(length));
        }
        let freshness = self.stream.profile.freshness;
        let epoch = match freshness.is_synchronised() {
            true => freshness_state
                .current()
                .ok_or(ProtectError::Unsynchronised)?,
            false => Epoch::NONE,
        };
        let message = match self.last {
            Some(last) if last.epoch > epoch => return Err(ProtectError::Unsynchronised),
            Some(last) if last.epoch == epoch => {
                let next = last.message.checked_add(1).ok_or(ProtectError::Exhausted)?;
                if next > freshness.message_max() {
                    return Err(ProtectError::Exhausted);
                }
                next
            }
            _ => 0,
        };
        match self.reserve {
            Some(reserve) if !reserve.covers(message) => Err(ProtectError::Unretained),
            _ => Ok(Position { epoch, message }),
        }
    }

    /// Goes on behind a position.
    pub(super) fn use_up(&mut self, at: Position) {
        if self.stream.profile.freshness.message > 0 {
            self.last = Some(at);
        }
        if let Some(reserve) = &mut self.reserve {
            reserve.advance(at.message);
        }
    }
}

/// Returns the first position of an end of a stream, with its reserve: an unsynchronised counter
/// begins at the retained value, so that its first message is the one after.
pub(super) fn begin(stream: &SecocStream, retained: u64) -> (Option<Position>, Option<Reserve>) {
    let freshness = stream.profile.freshness;
    if !freshness.is_counter() {
        return (None, None);
    }
    let last = Position {
        epoch: Epoch::NONE,
        message: retained,
    };
    let reserve = Reserve::new(retained, freshness.message_max());
    (Some(last), Some(reserve))
}
