//! A stream of secured messages: where things are in its frames, and what its codes are computed
//! over.

use waywarden_can::frame::DATA_MAX;
use waywarden_can::{Format, Frame, Id, StandardId};

use super::bits::{put, take, take_aligned};
use super::carrier::SecocCarrier;
use super::freshness::Position;
use super::layout::Layout;
use super::profile::SecocProfile;
use crate::key_store::KeyId;
use crate::mac::Tag;

/// One stream between a sender and its receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecocStream {
    pub(super) profile: SecocProfile,
    layout: Layout,
    pub(super) id: StandardId,
    frame_id: Id,
    data_id: u16,
    pub(super) key: KeyId,
}

/// The received bits of freshness and code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// The low bits of the freshness value; of an announcement both counters, trip first.
    pub freshness: u64,
    /// Number of its bits in the frame, 0 to 64.
    pub freshness_bits: u8,
    /// The beginning of the code, its first bit first; zero bits follow.
    pub code: [u8; 16],
    /// Number of its bits in the frame, 8 to 128.
    pub code_bits: u8,
}

/// A contradiction between profile and layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamError {
    /// The shortest payload is longer than the longest.
    Lengths {
        /// Length of the shortest payload, in bytes.
        shortest: u8,
        /// Length of the longest payload, in bytes.
        longest: u8,
    },
    /// Payload, freshness and code do not fit the frame: this many bytes.
    TooLong(usize),
    /// The secured area is empty or reaches beyond the shortest payload.
    SecuredArea {
        /// Index of its first byte.
        offset: u8,
        /// Number of its bytes.
        length: u8,
    },
}

/// Bytes that a code is computed over, at most: data id, payload, freshness.
const AUTHENTICATED_MAX: usize = 2 + DATA_MAX + 8;

/// The bytes that a code is computed over.
pub(super) struct Authenticated {
    bytes: [u8; AUTHENTICATED_MAX],
    length: usize,
}

/// A secured frame in parts, nothing of it checked but its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Secured<'a> {
    pub(super) payload: &'a [u8],
    pub(super) truncated: u64,
    /// The code, from the first bit on.
    pub(super) mac: [u8; 16],
}

impl SecocStream {
    /// A stream under the identifier `id`, which is its data id too, under `key`.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn new(
        profile: SecocProfile,
        layout: Layout,
        id: StandardId,
        key: KeyId,
    ) -> Result<Self, StreamError> {
        let Layout {
            carrier,
            shortest,
            longest,
            secured,
            ..
        } = layout;
        if shortest > longest {
            return Err(StreamError::Lengths { shortest, longest });
        }
        let needed = usize::from(longest) + profile.trailer_length();
        if needed > carrier.room() {
            return Err(StreamError::TooLong(needed));
        }
        if let Some((offset, length)) = secured
            && (length == 0 || u16::from(offset) + u16::from(length) > u16::from(shortest))
        {
            return Err(StreamError::SecuredArea { offset, length });
        }
        Ok(Self::unframed(profile, layout, id, key))
    }

    /// A stream whose payload has a frame of its own, with a layout of fixed length.
    pub(super) const fn unframed(
        profile: SecocProfile,
        layout: Layout,
        id: StandardId,
        key: KeyId,
    ) -> Self {
        SecocStream {
            profile,
            layout,
            id,
            frame_id: Id::Standard(id),
            data_id: id.raw(),
            key,
        }
    }

    /// The same with another data id. Under one key no two streams may have the same, nor a stream
    /// that of the synchronisation message.
    #[must_use]
    pub const fn with_data_id(self, data_id: u16) -> Self {
        SecocStream { data_id, ..self }
    }

    /// The same in frames under another identifier, which may have 29 bits. Events go on to call
    /// the stream by the one it was made with; neither is in the code unless the data id says it.
    #[must_use]
    pub const fn with_frame_id(self, frame_id: Id) -> Self {
        SecocStream { frame_id, ..self }
    }

    /// The same with another layout.
    pub(super) const fn with_layout(self, layout: Layout) -> Self {
        SecocStream { layout, ..self }
    }

    /// Returns the layout of its frames.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the identifier by which events call it, which is that of its frames unless
    /// [`SecocStream::with_frame_id`] gave them another.
    #[must_use]
    pub const fn id(&self) -> StandardId {
        self.id
    }

    /// Returns its data id, the first two bytes that a code is computed over.
    #[must_use]
    pub const fn data_id(&self) -> u16 {
        self.data_id
    }

    /// Returns the name of its key.
    #[must_use]
    pub const fn key(&self) -> KeyId {
        self.key
    }

    /// Returns the identifier of its frames.
    #[must_use]
    pub const fn frame_id(&self) -> Id {
        self.frame_id
    }

    /// Returns the profile.
    #[must_use]
    pub const fn profile(&self) -> SecocProfile {
        self.profile
    }

    /// Returns the payload that a frame of this stream carries, **nothing of it checked but its
    /// form**; none for another frame.
    #[must_use]
    pub fn carried<'a>(&self, frame: &'a Frame) -> Option<&'a [u8]> {
        let own = self.knows(frame).then(|| self.parse(frame)).flatten();
        own.map(|secured| secured.payload)
    }

    /// Returns freshness and code as a frame of this stream carries them, **nothing of it checked
    /// but its form**; none for another frame.
    #[must_use]
    pub fn trailer(&self, frame: &Frame) -> Option<Trailer> {
        let own = self.knows(frame).then(|| self.parse(frame)).flatten();
        own.map(|secured| Trailer {
            freshness: secured.truncated,
            freshness_bits: self.profile.truncated,
            code: secured.mac,
            code_bits: self.profile.mac,
        })
    }

    /// Data id and freshness big endian, between them the secured area \[AUTOSAR-SECOC §7.1\].
    pub(super) fn authenticated(&self, payload: &[u8], at: Position) -> Authenticated {
        let (offset, length) = match self.layout.secured {
            Some((offset, length)) => (usize::from(offset), usize::from(length)),
            None => (0, payload.len()),
        };
        let mut bytes = [0; AUTHENTICATED_MAX];
        bytes[..2].copy_from_slice(&self.data_id.to_be_bytes());
        let end = 2 + length;
        bytes[2..end].copy_from_slice(&payload[offset..offset + length]);
        let (freshness, count) = self.profile.freshness.bytes(at);
        bytes[end..end + 8].copy_from_slice(&freshness);
        Authenticated {
            bytes,
            length: end + count,
        }
    }

    /// Returns true if a payload of this length can be sent.
    pub(super) fn carries(&self, length: usize) -> bool {
        let Layout {
            carrier,
            shortest,
            longest,
            ..
        } = self.layout;
        let filled = length + self.profile.trailer_length();
        (usize::from(shortest)..=usize::from(longest)).contains(&length)
            && (carrier == SecocCarrier::Classic
                || shortest == longest
                || carrier.wire_length(filled) == filled)
    }

    /// The frame of a payload that [`SecocStream::carries`]; none for another.
    pub(super) fn frame(&self, payload: &[u8], at: Position, tag: &Tag) -> Option<Frame> {
        let mut bytes = [0; DATA_MAX];
        bytes.get_mut(..payload.len())?.copy_from_slice(payload);
        let (truncated, mac) = (self.profile.truncated.into(), self.profile.mac.into());
        let code = u128::from_be_bytes(tag.leading()) >> (128 - mac);
        let begin = 8 * payload.len();
        put(
            &mut bytes,
            begin,
            self.profile.truncate(at).into(),
            truncated,
        );
        put(&mut bytes, begin + truncated, code, mac);
        let filled = payload.len() + self.profile.trailer_length();
        let Layout {
            carrier, padding, ..
        } = self.layout;
        carrier.frame(self.frame_id, &mut bytes, filled, padding)
    }

    /// Returns true if a frame has the identifier of this stream, and is no remote frame.
    pub(super) fn knows(&self, frame: &Frame) -> bool {
        frame.id() == self.frame_id && frame.format() != Format::Remote
    }

    /// Reads a frame of this stream; nothing if it does not have the form: another format or
    /// length, or set bits where there must be none.
    pub(super) fn parse<'a>(&self, frame: &'a Frame) -> Option<Secured<'a>> {
        let Layout {
            carrier,
            shortest,
            longest,
            padding,
            ..
        } = self.layout;
        if frame.is_fd() != (carrier == SecocCarrier::Fd) {
            return None;
        }
        let (data, trailer) = (frame.data(), self.profile.trailer_length());
        let length = if shortest == longest {
            usize::from(longest)
        } else {
            data.len().checked_sub(trailer)?
        };
        let filled = length + trailer;
        if !self.carries(length) || data.len() != carrier.wire_length(filled) {
            return None;
        }
        let (truncated, mac) = (self.profile.truncated.into(), self.profile.mac.into());
        let end = 8 * length + truncated + mac;
        let is_clean = take(data, end, 8 * filled - end) == 0
            && data[filled..].iter().all(|byte| *byte == padding);
        is_clean.then(|| Secured {
            payload: &data[..length],
            truncated: take(data, 8 * length, truncated),
            mac: take_aligned(data, 8 * length + truncated, mac),
        })
    }
}

impl Authenticated {
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl AsRef<[u8]> for Authenticated {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl core::fmt::Display for StreamError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            StreamError::Lengths { shortest, longest } => {
                write!(f, "payloads of {shortest} to {longest} bytes")
            }
            StreamError::TooLong(bytes) => {
                write!(
                    f,
                    "payload, freshness and code have {bytes} bytes: the frame has fewer"
                )
            }
            StreamError::SecuredArea { offset, length } => write!(
                f,
                "{length} bytes from byte {offset} on are to be authenticated: at least one, and \
                 no more than the shortest payload has"
            ),
        }
    }
}

impl core::error::Error for StreamError {}
