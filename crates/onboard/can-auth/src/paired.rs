//! Messages of up to 8 bytes whose tag travels in a second frame, hardened: what both vatiCAN and
//! LeiA become once their defects are closed.
//!
//! A message keeps its frame as it was, so that receivers without keys go on as before; its tag
//! follows in a frame of the identifier above. Between one sender and any number of receivers runs
//! one counter per stream of 32 bits under an epoch of 32, both bound by every tag together with
//! the identifier and the length. The low bits travel with the tag. How the two protocols differ is
//! [`WireForm`].
//!
//! What is held here against an attacker who has the bus but not the key:
//! - A tag is matched to data by identifier (and counter, in LeiA), not by what came before it: an
//!   injected frame displaces nothing until there are [`CANDIDATES`] of them.
//! - Nothing advances before a tag verified; a message is never accepted twice.
//! - A receiver that starts or falls behind asks its sender, with a number that no other node can
//!   foresee, and believes only the answer to that; so old frames are worth nothing after a reset
//!   either.
//! - A question changes nothing at the sender, and it answers no more often than every
//!   [`ANSWER_PACE`]; a receiver asks no more often than every [`ASK_FIRST`], then less and less.
//!
//! Frames held back and let through later, in order, are accepted: no scheme without a clock can
//! tell. A sender takes an epoch above all it had before, at each boot, and retains it first.

mod receiver;
mod resync;
mod sender;
mod wire;

use waywarden_can::{Frame, StandardId};
use waywarden_work::Duration;

pub use self::receiver::PairedReceiver;
pub use self::sender::PairedSender;
#[cfg(feature = "as-published")]
pub(crate) use self::wire::{Command, Header};
pub use self::wire::{StreamPosition, WireForm};
pub use crate::error::ProtectError;
use crate::key_store::KeyId;
pub use crate::pending::CANDIDATES;

/// Time that data wait for their tag.
pub const TAG_WITHIN: Duration = Duration::from_millis(20);
/// The shortest time between two answers of a sender about one stream.
pub const ANSWER_PACE: Duration = Duration::from_millis(5);
/// Maximum number of questions of a stream that wait for an answer; further ones displace the
/// oldest.
pub const QUESTIONS: usize = 4;
/// The wait of a receiver for the answer to its first question; it doubles with each further one.
pub const ASK_FIRST: Duration = Duration::from_millis(20);
/// The longest wait for an answer.
pub const ASK_LAST: Duration = Duration::from_millis(320);
/// Failures in a row, bad tags or replays, after which a receiver asks.
pub const FAILURES: u8 = 3;

/// One stream between a sender and its receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairedConnection {
    wire: WireForm,
    id: StandardId,
    tag_id: StandardId,
    key: KeyId,
}

/// A message as it leaves: the data first; the tag may be computed meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtectedMessage {
    /// The message as it was.
    pub data: Frame,
    /// Its tag. What it took is in the meter.
    pub tag: Frame,
}

/// The identifier is odd, so that the one above may be another stream's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OddIdError(pub StandardId);

impl PairedConnection {
    /// A stream with the even identifier `id`, the one above it for its tags, under `key`.
    ///
    /// # Errors
    /// [`OddIdError`].
    pub fn new(wire: WireForm, id: StandardId, key: KeyId) -> Result<Self, OddIdError> {
        Ok(PairedConnection {
            wire,
            id,
            tag_id: above(id)?,
            key,
        })
    }

    /// Returns the identifier of the data.
    #[must_use]
    pub const fn id(&self) -> StandardId {
        self.id
    }

    /// Returns the form of its frames.
    #[must_use]
    pub const fn wire(&self) -> WireForm {
        self.wire
    }

    /// Returns the name of its key.
    #[must_use]
    pub const fn key(&self) -> KeyId {
        self.key
    }

    /// Returns the payload that a frame of this stream carries, **nothing of it checked but its
    /// form**; none for a tag and for other frames.
    #[must_use]
    pub fn carried<'a>(&self, frame: &'a Frame) -> Option<&'a [u8]> {
        match self.wire.parse(self, frame)? {
            wire::Part::Data { payload, .. } => Some(payload),
            wire::Part::Tag { .. } => None,
        }
    }
}

/// The identifier of the tags of an even one.
pub(crate) fn above(id: StandardId) -> Result<StandardId, OddIdError> {
    if id.raw() % 2 == 1 {
        return Err(OddIdError(id));
    }
    StandardId::new(id.raw() + 1).map_err(|_| OddIdError(id))
}

impl core::fmt::Display for OddIdError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let id = self.0.raw();
        write!(
            f,
            "0x{id:03X} is odd: an even identifier leaves the next to tags"
        )
    }
}

impl core::error::Error for OddIdError {}
