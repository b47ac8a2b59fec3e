//! A receiver of a stream.

use waywarden_can::Frame;
use waywarden_work::Meter;

use super::freshness::{FreshnessState, FreshnessValue, Position};
use super::reserve::Reserve;
#[cfg(feature = "attacks")]
use super::sender::SecocSender;
use super::sender::begin;
use super::stream::{SecocStream, Secured};
use crate::event::{CanPayload, FrameOutcome};
use crate::key_store::{KeyStoreError, MacKeyStore};

/// Checks the messages of one stream.
#[derive(Clone, Debug)]
pub struct SecocReceiver {
    pub(super) stream: SecocStream,
    /// Of the last message taken.
    pub(super) last: Option<Position>,
    /// The reserve of an unsynchronised counter.
    reserve: Option<Reserve>,
}

impl SecocReceiver {
    /// Begins to receive under a key that was never used. Under any other key it takes what was
    /// sent before once more: see [`SecocReceiver::resumed`].
    #[must_use]
    pub fn under_fresh_key(stream: SecocStream) -> Self {
        Self::resumed(stream, 0)
    }

    /// Goes on to receive after a reset. `retained` is the last value passed to
    /// [`SecocReceiver::retained`] under this key; zero if there was none. Streams whose freshness
    /// is synchronised, or which have none, retain nothing themselves.
    #[must_use]
    pub fn resumed(stream: SecocStream, retained: u64) -> Self {
        let (last, mut reserve) = begin(&stream, retained);
        // Under a fresh key only: else each of several starts in a row would lead it further ahead
        // of its sender.
        if let Some(reserve) = reserve.as_mut().filter(|_| retained == 0) {
            reserve.want(0);
        }
        SecocReceiver {
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

    /// Returns the freshness of the last message taken; before the first one what was retained of a
    /// counter, else none; none in profiles without freshness.
    #[must_use]
    pub fn last(&self) -> Option<FreshnessValue> {
        self.stream.profile.freshness.freshness_value(self.last?)
    }

    /// Returns the lowest freshness that the next message may have in the newest epoch that this
    /// receiver knows; none before the first announcement, while the counter of messages is at its
    /// end, and in profiles without freshness. Messages of the epoch before may be taken as well.
    #[must_use]
    pub fn expected(&self, freshness_state: &FreshnessState) -> Option<FreshnessValue> {
        let latest = self.freshness_state(freshness_state)?.latest?;
        self.stream.profile.expected(self.last, latest)
    }

    /// Returns a sender that goes on after the last message taken. It retains nothing.
    #[cfg(feature = "attacks")]
    pub(crate) const fn counterpart(&self) -> SecocSender {
        SecocSender {
            stream: self.stream,
            last: self.last,
            reserve: None,
        }
    }

    /// Returns the counter to be retained over a reset now, if any. Until
    /// [`SecocReceiver::retained`] confirms it, no message above the one retained before is taken:
    /// after a reset the first message that the sender sends above that is lost.
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

    /// Returns true if a frame has this stream's identifier.
    #[must_use]
    pub fn knows(&self, frame: &Frame) -> bool {
        self.stream.knows(frame)
    }

    /// Takes any frame. A data frame of this stream's identifier brings an event; for others there
    /// is none. At most as many codes are computed as the profile has attempts, and none for a
    /// frame that cannot be right. `freshness_state` is of this ECU's follower or master, or
    /// [`FreshnessState::UNSYNCHRONISED`].
    ///
    /// # Errors
    /// [`KeyStoreError`]; then nothing changed.
    pub fn accept(
        &mut self,
        frame: &Frame,
        freshness_state: &FreshnessState,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        if !self.knows(frame) {
            return Ok(None);
        }
        let id = self.stream.id;
        let Some(secured) = self.stream.parse(frame) else {
            return Ok(Some(FrameOutcome::WrongTag(id)));
        };
        let Some(freshness_state) = self.freshness_state(freshness_state) else {
            return Ok(Some(FrameOutcome::OutOfStep(id)));
        };
        let found = self.position(&secured, freshness_state, key_store, meter)?;
        Ok(Some(match found {
            Ok(at) => {
                let payload = CanPayload::new(secured.payload).with_message(frame.message());
                self.take(at, payload)
            }
            Err(refused) => refused,
        }))
    }

    /// Returns the position that the code of a message is right for, else the event of its refusal.
    /// Computes at most as many codes as the profile has attempts.
    pub(super) fn position(
        &self,
        secured: &Secured<'_>,
        freshness_state: FreshnessState,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Result<Position, FrameOutcome>, KeyStoreError> {
        let SecocStream {
            profile, id, key, ..
        } = self.stream;
        let mut refused = FrameOutcome::Replay(id);
        for at in profile.candidates(self.last, freshness_state, secured.truncated) {
            let bytes = self.stream.authenticated(secured.payload, at);
            let bits = profile.mac.into();
            if key_store.check(key, &[bytes.as_bytes()], &secured.mac, bits, meter)? {
                return Ok(Ok(at));
            }
            refused = FrameOutcome::WrongTag(id);
        }
        Ok(Err(refused))
    }

    /// The freshness state that matters to this stream; none before the first announcement.
    pub(super) fn freshness_state(
        &self,
        freshness_state: &FreshnessState,
    ) -> Option<FreshnessState> {
        match self.stream.profile.freshness.is_synchronised() {
            true => freshness_state.current().map(|_| *freshness_state),
            false => Some(FreshnessState::UNSYNCHRONISED),
        }
    }

    /// Takes a message whose code is right, unless its counter is not yet marked as used: then it
    /// is lost, and the mark is asked for.
    pub(super) fn take(&mut self, at: Position, payload: CanPayload) -> FrameOutcome {
        let stream = self.stream.id;
        if let Some(reserve) = &mut self.reserve {
            if !reserve.covers(at.message) {
                reserve.want(at.message);
                return FrameOutcome::OutOfStep(stream);
            }
            reserve.advance(at.message);
        }
        if self.stream.profile.freshness.message > 0 {
            self.last = Some(at);
        }
        FrameOutcome::Authentic { stream, payload }
    }
}
