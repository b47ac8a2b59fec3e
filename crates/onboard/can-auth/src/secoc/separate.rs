//! Secured messages whose authenticator is in a PDU of its own \[AUTOSAR-SECOC §7.1\]: the
//! authentic PDU travels as it would without SecOC, and a cryptographic PDU under another
//! identifier has freshness and code. An ECU without keys reads the authentic PDU as it is.
//!
//! The cryptographic PDU is freshness and code from its first bit on, filled up with zeros to whole
//! bytes, on CAN FD to a length that a frame has. It belongs to the authentic PDU that came before
//! it, of which up to [`CANDIDATES`](crate::paired::CANDIDATES) wait, each for
//! [`TAG_WITHIN`]: an injected one displaces none until there are so
//! many. They are compared newest first, and a message that is taken ends the waiting of all that
//! are older.

use waywarden_can::frame::DATA_MAX;
use waywarden_can::{Format, Frame, Id, MessageHandle, StandardId};
use waywarden_work::{Instant, Meter};

use super::bits::{put, take, take_aligned};
use super::freshness::{FreshnessState, Position};
use super::stream::frame_length;
use super::{Carrier, Layout, Profile, ProtectError, Receiver, Sender, Stream, StreamError};
use crate::event::{Event, Payload};
use crate::key_store::{KeyId, KeyStore, KeyStoreError};
use crate::mac::Tag;
use crate::paired::TAG_WITHIN;
use crate::pending::{Candidate, Pending};

/// A stream with two PDUs a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeparateStream {
    pub(super) stream: Stream,
    carrier: Carrier,
    length: u8,
    pub(super) cryptographic: Id,
}

/// The frames of a message, in the order in which they leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeparateMessage {
    /// The payload, as it would be without SecOC.
    pub authentic: Frame,
    /// The cryptographic PDU: freshness and code.
    pub cryptographic: Frame,
}

/// Protects the messages of one stream.
#[derive(Clone, Debug)]
pub struct SeparateSender {
    pub(super) frames: SeparateStream,
    pub(super) sender: Sender,
}

/// Checks the messages of one stream.
#[derive(Clone, Debug)]
pub struct SeparateReceiver {
    frames: SeparateStream,
    receiver: Receiver,
    data: Pending<Payload>,
    /// Of the message that the last event is about, unless the frame says it.
    pub(crate) about: MessageHandle,
}

/// The fields of a cryptographic PDU, of which only the form is checked.
pub(super) struct Cryptographic {
    pub(super) truncated: u64,
    pub(super) code: [u8; 16],
    message: MessageHandle,
}

impl SeparateStream {
    /// A stream of payloads of `length` bytes under `id`, which is its data id too, with freshness
    /// and code under the identifier `cryptographic`.
    ///
    /// # Errors
    /// [`StreamError`]: the payload has no room in a frame, or freshness and code have none.
    pub fn new(
        profile: Profile,
        (carrier, length): (Carrier, u8),
        (id, cryptographic): (StandardId, Id),
        key: KeyId,
    ) -> Result<Self, StreamError> {
        let room = match carrier {
            Carrier::Classic => 8,
            Carrier::Fd => DATA_MAX,
        };
        if usize::from(length) > room {
            return Err(StreamError::TooLong(length.into()));
        }
        if profile.trailer_length() > room {
            return Err(StreamError::TooLong(profile.trailer_length()));
        }
        let layout = Layout::fixed(carrier, length);
        Ok(SeparateStream {
            stream: Stream::unframed(profile, layout, id, key),
            carrier,
            length,
            cryptographic,
        })
    }

    /// The same with another data id: see [`Stream::with_data_id`].
    #[must_use]
    pub const fn with_data_id(self, data_id: u16) -> Self {
        SeparateStream {
            stream: self.stream.with_data_id(data_id),
            ..self
        }
    }

    /// The same with its authentic PDU under another identifier, which may have 29 bits: see
    /// [`Stream::with_frame_id`].
    #[must_use]
    pub const fn with_frame_id(self, frame_id: Id) -> Self {
        SeparateStream {
            stream: self.stream.with_frame_id(frame_id),
            ..self
        }
    }

    /// Returns the identifier by which events call it.
    #[must_use]
    pub const fn id(&self) -> StandardId {
        self.stream.id()
    }

    /// Returns the identifier of its authentic PDUs.
    #[must_use]
    pub const fn frame_id(&self) -> Id {
        self.stream.frame_id()
    }

    /// Returns the identifier of its cryptographic PDUs.
    #[must_use]
    pub const fn cryptographic_id(&self) -> Id {
        self.cryptographic
    }

    /// Returns the profile.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.stream.profile()
    }

    /// Returns the payload of an authentic PDU, **nothing of it checked but its form**; none for
    /// another frame.
    #[must_use]
    pub fn carried<'a>(&self, frame: &'a Frame) -> Option<&'a [u8]> {
        let is_own = frame.id() == self.frame_id() && self.is_carried(frame);
        let payload = frame.data().get(..usize::from(self.length))?;
        let expected = self.wire_length(self.length.into());
        (is_own && frame.data().len() == expected).then_some(payload)
    }

    /// Returns true if a frame has the form of one of its PDUs.
    pub(crate) fn knows(&self, frame: &Frame) -> bool {
        let is_own = [self.frame_id(), self.cryptographic].contains(&frame.id());
        is_own && frame.format() != Format::Remote
    }

    fn is_carried(&self, frame: &Frame) -> bool {
        frame.format() != Format::Remote && frame.is_fd() == (self.carrier == Carrier::Fd)
    }

    /// Returns the data length of a frame with so many bytes.
    fn wire_length(&self, bytes: usize) -> usize {
        match self.carrier {
            Carrier::Classic => bytes,
            Carrier::Fd => frame_length(bytes),
        }
    }

    fn frame(&self, id: Id, data: &[u8]) -> Option<Frame> {
        let mut bytes = [0; DATA_MAX];
        bytes.get_mut(..data.len())?.copy_from_slice(data);
        let bytes = bytes.get(..self.wire_length(data.len()))?;
        match self.carrier {
            Carrier::Classic => Frame::classic(id, bytes).ok(),
            Carrier::Fd => Frame::fd(id, bytes).ok(),
        }
    }

    fn cryptographic_frame(&self, at: Position, tag: &Tag) -> Option<Frame> {
        let profile = self.stream.profile();
        let (truncated, code) = (profile.truncated.into(), profile.mac.into());
        let mut bytes = [0; DATA_MAX];
        put(&mut bytes, 0, profile.truncate(at).into(), truncated);
        let leading = u128::from_be_bytes(tag.leading()) >> (128 - code);
        put(&mut bytes, truncated, leading, code);
        self.frame(self.cryptographic, bytes.get(..profile.trailer_length())?)
    }

    pub(super) fn parse(&self, frame: &Frame) -> Option<Cryptographic> {
        let profile = self.stream.profile();
        let (data, filled) = (frame.data(), profile.trailer_length());
        if !self.is_carried(frame) || data.len() != self.wire_length(filled) {
            return None;
        }
        let (truncated, code) = (profile.truncated.into(), usize::from(profile.mac));
        let end = truncated + code;
        let is_clean =
            take(data, end, 8 * filled - end) == 0 && data[filled..].iter().all(|byte| *byte == 0);
        is_clean.then(|| Cryptographic {
            truncated: take(data, 0, truncated),
            code: take_aligned(data, truncated, code),
            message: frame.message(),
        })
    }
}

impl SeparateSender {
    /// Begins to send under a key that was never used.
    #[must_use]
    pub fn under_fresh_key(frames: SeparateStream) -> Self {
        Self::resumed(frames, 0)
    }

    /// Goes on to send: see [`Sender::resumed`].
    #[must_use]
    pub fn resumed(frames: SeparateStream, retained: u64) -> Self {
        let sender = Sender::resumed(frames.stream, retained);
        SeparateSender { frames, sender }
    }

    /// Returns the stream.
    #[must_use]
    pub const fn stream(&self) -> &SeparateStream {
        &self.frames
    }

    /// Returns the counter to be retained over a reset now: see [`Sender::to_retain`].
    #[must_use]
    pub fn to_retain(&self) -> Option<u64> {
        self.sender.to_retain()
    }

    /// Takes note that a value is retained.
    pub fn retained(&mut self, value: u64) {
        self.sender.retained(value);
    }

    /// Protects a message: see [`Sender::protect`]. The authentic PDU may leave while the code is
    /// computed.
    ///
    /// # Errors
    /// [`ProtectError`]; then nothing changed.
    pub fn protect(
        &mut self,
        payload: &[u8],
        freshness_state: &FreshnessState,
        key_store: &mut impl KeyStore,
        meter: &mut Meter,
    ) -> Result<SeparateMessage, ProtectError> {
        let (frames, wrong) = (&self.frames, ProtectError::Length(payload.len()));
        let at = self.sender.next(payload.len(), freshness_state)?;
        let bytes = frames.stream.authenticated(payload, at);
        let tag = key_store.tag(frames.stream.key, &[bytes.as_bytes()], meter)?;
        let authentic = frames.frame(frames.frame_id(), payload);
        let cryptographic = frames.cryptographic_frame(at, &tag);
        let (Some(authentic), Some(cryptographic)) = (authentic, cryptographic) else {
            return Err(wrong);
        };
        self.sender.use_up(at);
        Ok(SeparateMessage {
            authentic,
            cryptographic,
        })
    }
}

impl SeparateReceiver {
    /// Begins to receive under a key that was never used.
    #[must_use]
    pub fn under_fresh_key(frames: SeparateStream) -> Self {
        Self::resumed(frames, 0)
    }

    /// Goes on to receive: see [`Receiver::resumed`].
    #[must_use]
    pub fn resumed(frames: SeparateStream, retained: u64) -> Self {
        SeparateReceiver {
            frames,
            receiver: Receiver::resumed(frames.stream, retained),
            data: Pending::new(),
            about: MessageHandle::NONE,
        }
    }

    /// Returns the stream.
    #[must_use]
    pub const fn stream(&self) -> &SeparateStream {
        &self.frames
    }

    /// Returns the counter to be retained over a reset now: see [`Receiver::to_retain`].
    #[must_use]
    pub fn to_retain(&self) -> Option<u64> {
        self.receiver.to_retain()
    }

    /// Takes note that a value is retained.
    pub fn retained(&mut self, value: u64) {
        self.receiver.retained(value);
    }

    /// Returns a sender that goes on after the last message taken.
    #[cfg(feature = "attacks")]
    pub(crate) fn counterpart(&self) -> SeparateSender {
        SeparateSender {
            frames: self.frames,
            sender: self.receiver.counterpart(),
        }
    }

    /// Takes any frame. A cryptographic PDU brings an event, an authentic one only if it displaces
    /// another, whose cryptographic PDU is missing. At most
    /// [`CANDIDATES`](crate::paired::CANDIDATES) times the profile's attempts codes are computed.
    ///
    /// # Errors
    /// [`KeyStoreError`]; then nothing changed.
    pub fn accept(
        &mut self,
        now: Instant,
        frame: &Frame,
        freshness_state: &FreshnessState,
        key_store: &mut impl KeyStore,
        meter: &mut Meter,
    ) -> Result<Option<Event>, KeyStoreError> {
        self.about = MessageHandle::NONE;
        if let Some(payload) = self.frames.carried(frame) {
            let candidate = Candidate {
                low: None,
                what: Payload::new(payload).with_message(frame.message()),
                until: now + TAG_WITHIN,
            };
            let displaced = self.data.push(candidate);
            return Ok(displaced.map(|data| self.missing(&data)));
        }
        if frame.id() != self.frames.cryptographic || frame.format() == Format::Remote {
            return Ok(None);
        }
        let Some(cryptographic) = self.frames.parse(frame) else {
            return Ok(Some(Event::WrongTag(self.frames.id())));
        };
        self.take(&cryptographic, freshness_state, key_store, meter)
            .map(Some)
    }

    fn take(
        &mut self,
        cryptographic: &Cryptographic,
        freshness_state: &FreshnessState,
        key_store: &mut impl KeyStore,
        meter: &mut Meter,
    ) -> Result<Event, KeyStoreError> {
        let stream = self.frames.stream;
        let (id, profile) = (stream.id, stream.profile);
        if self.data.matching(0).next().is_none() {
            return Ok(Event::TagWithoutData(id));
        }
        let Some(freshness_state) = self.receiver.freshness_state(freshness_state) else {
            self.forget_oldest();
            return Ok(Event::OutOfStep(id));
        };
        let last = self.receiver.last;
        let mut event = Event::Replay(id);
        for (place, payload) in self.data.matching(0) {
            for at in profile.candidates(last, freshness_state, cryptographic.truncated) {
                let bytes = stream.authenticated(payload.as_bytes(), at);
                let bits = profile.mac.into();
                if key_store.check(
                    stream.key,
                    &[bytes.as_bytes()],
                    &cryptographic.code,
                    bits,
                    meter,
                )? {
                    self.data.take_until(place);
                    // Data may come from another hand; the code says which message they are.
                    let payload = payload.with_message(cryptographic.message);
                    return Ok(self.receiver.take(at, payload));
                }
                event = Event::WrongTag(id);
            }
        }
        Ok(event)
    }

    /// The cryptographic PDU came, so the message that it belongs to does not miss it.
    fn forget_oldest(&mut self) {
        if let Some((oldest, _)) = self.data.matching(0).last() {
            self.data.take(oldest);
        }
    }

    /// Returns a message whose cryptographic PDU did not come in time; to be called until there is
    /// none.
    pub fn expire(&mut self, now: Instant) -> Option<Event> {
        let data = self.data.expire(now)?;
        Some(self.missing(&data))
    }

    fn missing(&mut self, data: &Payload) -> Event {
        self.about = data.message();
        Event::Missing(self.frames.id())
    }

    /// Returns the time at which [`SeparateReceiver::expire`] has something next.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        self.data.deadline()
    }
}
