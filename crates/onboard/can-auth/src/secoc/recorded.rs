//! Checks at stated freshness values, for programs that judge recorded frames with hindsight.
//!
//! Nothing here has a state: a [`super::SecocReceiver`] decides as an ECU does, a reader of a
//! recording may know more. The caller bounds how many values it tries; each makes forging easier.

use waywarden_can::Frame;

use super::freshness::{Epoch, FreshnessState, FreshnessValue, Position, lowest};
use super::profile::SecocProfile;
use super::separate::SeparateStream;
use super::stream::{Authenticated, SecocStream, Trailer};
use crate::key_store::{KeyStoreError, MacKeyStore};

/// A value with what a code would be computed over.
struct Supposed {
    value: FreshnessValue,
    bytes: Authenticated,
}

impl FreshnessState {
    /// The freshness state of a reader of a recording, which retains nothing: epochs up to `after`
    /// are over, `latest` is the last one known.
    #[must_use]
    pub const fn recorded(after: Option<Epoch>, latest: Option<Epoch>) -> Self {
        let until = Epoch {
            trip: u32::MAX,
            reset: u32::MAX,
        };
        FreshnessState {
            after,
            latest,
            until: Some(until),
        }
    }
}

impl SecocProfile {
    /// Returns the values that a receiver tries for a frame, in its order: above `last`, at most as
    /// many as there are attempts.
    pub fn values_tried(
        self,
        last: Option<FreshnessValue>,
        freshness_state: &FreshnessState,
        received: &Trailer,
    ) -> impl Iterator<Item = FreshnessValue> {
        let freshness_state = match self.freshness.is_synchronised() {
            true => *freshness_state,
            false => FreshnessState::UNSYNCHRONISED,
        };
        let candidates = self.candidates(
            last.map(Position::from),
            freshness_state,
            received.freshness,
        );
        candidates.map(move |at| self.value(at))
    }

    /// Returns the lowest value that the next message may have, see
    /// [`super::SecocReceiver::expected`].
    #[must_use]
    pub fn value_expected(
        self,
        last: Option<FreshnessValue>,
        freshness_state: &FreshnessState,
    ) -> Option<FreshnessValue> {
        let latest = match self.freshness.is_synchronised() {
            true => freshness_state.latest?,
            false => Epoch::NONE,
        };
        self.expected(last.map(Position::from), latest)
    }

    /// Returns the values of one epoch, none where freshness is not synchronised, that a frame may
    /// have: all above `last` with the bits that travel, the lowest first.
    pub fn values_in(
        self,
        epoch: Option<Epoch>,
        last: Option<FreshnessValue>,
        received: &Trailer,
    ) -> impl Iterator<Item = FreshnessValue> {
        let epoch = epoch.unwrap_or(Epoch::NONE);
        let TravellingBits { low, is_of } = self.travelling(received.freshness, epoch);
        let from = lowest(last.map(Position::from), epoch).filter(|_| is_of);
        let carries = if self.freshness.message == 0 {
            1
        } else {
            u64::MAX
        };
        (0..carries).map_while(move |carry| {
            let message = self.ahead(from?, low, carry)?;
            Some(self.value(Position { epoch, message }))
        })
    }

    /// Splits what travels: the low bits of the message counter, and true if the flag is that of
    /// the epoch.
    fn travelling(self, truncated: u64, epoch: Epoch) -> TravellingBits {
        let flag = match self.truncated {
            0 => 0,
            _ => self.freshness.flag,
        };
        let flag_mask = (1u64 << flag) - 1;
        TravellingBits {
            low: truncated >> flag,
            is_of: (u64::from(epoch.reset) ^ truncated) & flag_mask == 0,
        }
    }

    fn value(self, at: Position) -> FreshnessValue {
        FreshnessValue {
            epoch: self.freshness.is_synchronised().then_some(at.epoch),
            message: (self.freshness.message > 0).then_some(at.message),
        }
    }
}

/// The transmitted bits of a freshness value, compared with one epoch.
struct TravellingBits {
    low: u64,
    is_of: bool,
}

impl SecocStream {
    /// Computes the codes of a payload for each of `values`, and hands on those values whose code
    /// is the received one, in any order. Returns how many codes were computed: as many as there
    /// are values, none for a payload of a length that the stream never has.
    ///
    /// # Errors
    /// [`KeyStoreError`]; the key has to be one that may protect.
    pub fn find(
        &self,
        payload: &[u8],
        received: &Trailer,
        values: impl Iterator<Item = FreshnessValue>,
        key_store: &mut impl MacKeyStore,
        mut found: impl FnMut(FreshnessValue),
    ) -> Result<u64, KeyStoreError> {
        if !self.carries(payload.len()) {
            return Ok(0);
        }
        let mut computed = 0;
        let messages = values.map(|value| Supposed {
            value,
            bytes: self.authenticated(payload, Position::from(value)),
        });
        let bits = self.profile.mac.into();
        key_store.tag_batch(self.key, messages, |_, supposed, tag| {
            computed += 1;
            if tag.matches(&received.code, bits) {
                found(supposed.value);
            }
        })?;
        Ok(computed)
    }
}

impl SeparateStream {
    /// Returns the stream whose payloads have frames of their own, for [`SecocStream::find`].
    #[must_use]
    pub const fn payloads(&self) -> &SecocStream {
        &self.stream
    }

    /// Returns freshness and code as a cryptographic PDU carries them, **nothing of it checked but
    /// its form**; none for another frame.
    #[must_use]
    pub fn trailer(&self, frame: &Frame) -> Option<Trailer> {
        self.trailers().trailer(frame)
    }
}

impl AsRef<[u8]> for Supposed {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_bytes()
    }
}

impl From<FreshnessValue> for Position {
    fn from(value: FreshnessValue) -> Self {
        Position {
            epoch: value.epoch.unwrap_or(Epoch::NONE),
            message: value.message.unwrap_or(0),
        }
    }
}
