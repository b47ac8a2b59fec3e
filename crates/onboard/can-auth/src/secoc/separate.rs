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
use waywarden_can::{Frame, Id, MessageHandle, StandardId};
use waywarden_work::{Instant, Meter};

use super::freshness::FreshnessState;
use super::stream::Secured;
use super::{
    Layout, ProtectError, SecocCarrier, SecocProfile, SecocReceiver, SecocSender, SecocStream,
    StreamError,
};
use crate::event::{CanPayload, FrameOutcome};
use crate::key_store::{KeyId, KeyStoreError, MacKeyStore};
use crate::paired::TAG_WITHIN;
use crate::pending::{Candidate, Pending};

/// A stream with two PDUs a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeparateStream {
    pub(super) stream: SecocStream,
    cryptographic: Id,
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
    pub(super) sender: SecocSender,
}

/// Checks the messages of one stream.
#[derive(Clone, Debug)]
pub struct SeparateReceiver {
    frames: SeparateStream,
    receiver: SecocReceiver,
    data: Pending<CanPayload>,
    /// Of the message that the last event is about, unless the frame says it.
    pub(crate) about: MessageHandle,
}

impl SeparateStream {
    /// A stream of payloads of `length` bytes under `id`, which is its data id too, with freshness
    /// and code under the identifier `cryptographic`.
    ///
    /// # Errors
    /// [`StreamError`]: the payload has no room in a frame, or freshness and code have none.
    pub fn new(
        profile: SecocProfile,
        (carrier, length): (SecocCarrier, u8),
        (id, cryptographic): (StandardId, Id),
        key: KeyId,
    ) -> Result<Self, StreamError> {
        for bytes in [length.into(), profile.trailer_length()] {
            if bytes > carrier.room() {
                return Err(StreamError::TooLong(bytes));
            }
        }
        let layout = Layout::fixed(carrier, length);
        Ok(SeparateStream {
            stream: SecocStream::unframed(profile, layout, id, key),
            cryptographic,
        })
    }

    /// The same with another data id: see [`SecocStream::with_data_id`].
    #[must_use]
    pub const fn with_data_id(self, data_id: u16) -> Self {
        SeparateStream {
            stream: self.stream.with_data_id(data_id),
            ..self
        }
    }

    /// The same with its authentic PDU under another identifier, which may have 29 bits: see
    /// [`SecocStream::with_frame_id`].
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
    pub const fn profile(&self) -> SecocProfile {
        self.stream.profile()
    }

    /// Returns the payload of an authentic PDU, **nothing of it checked but its form**; none for
    /// another frame.
    #[must_use]
    pub fn carried<'a>(&self, frame: &'a Frame) -> Option<&'a [u8]> {
        let (carrier, length) = self.stream.layout().carried();
        let length = usize::from(length);
        let has_form = self.stream.knows(frame)
            && frame.is_fd() == (carrier == SecocCarrier::Fd)
            && frame.data().len() == carrier.wire_length(length);
        frame.data().get(..length).filter(|_| has_form)
    }

    /// Returns true if a frame has the form of one of its PDUs.
    pub(crate) fn knows(&self, frame: &Frame) -> bool {
        self.stream.knows(frame) || self.trailers().knows(frame)
    }

    /// Returns the stream of its cryptographic PDUs: messages without a payload in their frames.
    pub(super) const fn trailers(&self) -> SecocStream {
        let (carrier, _) = self.stream.layout().carried();
        let without_payload = self.stream.with_layout(Layout::fixed(carrier, 0));
        without_payload.with_frame_id(self.cryptographic)
    }

    fn authentic_frame(&self, payload: &[u8]) -> Option<Frame> {
        let (carrier, _) = self.stream.layout().carried();
        let mut bytes = [0; DATA_MAX];
        bytes.get_mut(..payload.len())?.copy_from_slice(payload);
        carrier.frame(self.frame_id(), &mut bytes, payload.len(), 0)
    }
}

impl SeparateSender {
    /// Begins to send under a key that was never used.
    #[must_use]
    pub fn under_fresh_key(frames: SeparateStream) -> Self {
        Self::resumed(frames, 0)
    }

    /// Goes on to send: see [`SecocSender::resumed`].
    #[must_use]
    pub fn resumed(frames: SeparateStream, retained: u64) -> Self {
        let sender = SecocSender::resumed(frames.stream, retained);
        SeparateSender { frames, sender }
    }

    /// Returns the stream.
    #[must_use]
    pub const fn stream(&self) -> &SeparateStream {
        &self.frames
    }

    /// Returns the counter to be retained over a reset now: see [`SecocSender::to_retain`].
    #[must_use]
    pub fn to_retain(&self) -> Option<u64> {
        self.sender.to_retain()
    }

    /// Takes note that a value is retained.
    pub fn retained(&mut self, value: u64) {
        self.sender.retained(value);
    }

    /// Protects a message: see [`SecocSender::protect`]. The authentic PDU may leave while the code
    /// is computed.
    ///
    /// # Errors
    /// [`ProtectError`]; then nothing changed.
    pub fn protect(
        &mut self,
        payload: &[u8],
        freshness_state: &FreshnessState,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<SeparateMessage, ProtectError> {
        let (frames, wrong) = (&self.frames, ProtectError::Length(payload.len()));
        let at = self.sender.next(payload.len(), freshness_state)?;
        let bytes = frames.stream.authenticated(payload, at);
        let tag = key_store.tag(frames.stream.key, &[bytes.as_bytes()], meter)?;
        let authentic = frames.authentic_frame(payload);
        let cryptographic = frames.trailers().frame(&[], at, &tag);
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

    /// Goes on to receive: see [`SecocReceiver::resumed`].
    #[must_use]
    pub fn resumed(frames: SeparateStream, retained: u64) -> Self {
        SeparateReceiver {
            frames,
            receiver: SecocReceiver::resumed(frames.stream, retained),
            data: Pending::new(),
            about: MessageHandle::NONE,
        }
    }

    /// Returns the stream.
    #[must_use]
    pub const fn stream(&self) -> &SeparateStream {
        &self.frames
    }

    /// Returns the counter to be retained over a reset now: see [`SecocReceiver::to_retain`].
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
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        self.about = MessageHandle::NONE;
        if let Some(payload) = self.frames.carried(frame) {
            let candidate = Candidate {
                low: None,
                what: CanPayload::new(payload).with_message(frame.message()),
                until: now + TAG_WITHIN,
            };
            let displaced = self.data.push(candidate);
            return Ok(displaced.map(|data| self.missing(&data)));
        }
        let trailers = self.frames.trailers();
        if !trailers.knows(frame) {
            return Ok(None);
        }
        let Some(cryptographic) = trailers.parse(frame) else {
            return Ok(Some(FrameOutcome::WrongTag(self.frames.id())));
        };
        let message = frame.message();
        self.take(&cryptographic, message, freshness_state, key_store, meter)
            .map(Some)
    }

    /// Takes a cryptographic PDU that came in this message.
    fn take(
        &mut self,
        cryptographic: &Secured<'_>,
        message: MessageHandle,
        freshness_state: &FreshnessState,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<FrameOutcome, KeyStoreError> {
        let id = self.frames.id();
        if self.data.matching(0).next().is_none() {
            return Ok(FrameOutcome::TagWithoutData(id));
        }
        let Some(freshness_state) = self.receiver.freshness_state(freshness_state) else {
            self.forget_oldest();
            return Ok(FrameOutcome::OutOfStep(id));
        };
        let mut event = FrameOutcome::Replay(id);
        for (place, payload) in self.data.matching(0) {
            let secured = Secured {
                payload: payload.as_bytes(),
                ..*cryptographic
            };
            let found = self
                .receiver
                .position(&secured, freshness_state, key_store, meter)?;
            match found {
                Ok(at) => {
                    self.data.take_until(place);
                    // Data may come from another hand; the code says which message they are.
                    return Ok(self.receiver.take(at, payload.with_message(message)));
                }
                Err(refused) => event = refused,
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
    pub fn expire(&mut self, now: Instant) -> Option<FrameOutcome> {
        let data = self.data.expire(now)?;
        Some(self.missing(&data))
    }

    fn missing(&mut self, data: &CanPayload) -> FrameOutcome {
        self.about = data.message();
        FrameOutcome::Missing(self.frames.id())
    }

    /// Returns the time at which [`SeparateReceiver::expire`] has something next.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        self.data.deadline()
    }
}
