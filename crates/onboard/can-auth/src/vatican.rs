//! vatiCAN as \[VULCAN\] runs it, frame by frame as its published code: interoperable, and as weak.
//! For what it should be see [`crate::paired`] with [`WireForm::Vatican`](crate::paired::WireForm).
//!
//! A message keeps its frame; 64 bits of tag follow in a frame of the identifier above. The tag is
//! over a nonce of 32 bits (one more than that of the last message), the identifier and the payload
//! filled up with zeros, 14 bytes. The nonce never travels, so one lost frame parts a sender from
//! its receivers for good; against that there is the [`NonceGenerator`]. No receiver has a reason
//! to believe it, and every receiver does.
//!
//! Kept from the published code, with an attack in the tests for each: a receiver takes whatever
//! frame comes next for the tag; the nonce begins at zero at each boot; the generator is not
//! authenticated; the length of the payload is bound by nothing.

use waywarden_can::{Format, Frame, Id, MessageHandle, StandardId};
use waywarden_work::{Meter, NoMeter};

use crate::event::{CanPayload, FrameOutcome};
use crate::key_store::{KeyId, KeyStoreError, MacKeyStore};
use crate::paired::{OddIdError, ProtectError, ProtectedMessage, above};

/// The identifier of the nonce generator in the published demonstration.
pub const GENERATOR_ID: u16 = 0x0AA;
/// Bytes a tag is computed over.
const ASSOCIATED: usize = 14;
/// Bits of tag that travel.
const TAG_BITS: usize = 64;

/// One stream: the identifier of its data, which is even, its key, and the nonce of its last
/// message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaticanConnection {
    id: StandardId,
    tag_id: StandardId,
    key: KeyId,
    nonce: u32,
}

/// Protects the messages of one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaticanSender(VaticanConnection);

/// Checks the messages of all streams that an ECU receives; `S` is storage of connections.
#[derive(Clone, Debug)]
pub struct VaticanReceiver<S> {
    connections: S,
    /// The stream whose data came last, and the data: the next frame is its tag, whatever it is.
    waiting: Option<(usize, CanPayload)>,
    listens: bool,
    /// Of the message that the last event is about, unless the frame says it.
    about: MessageHandle,
}

/// The nonce generator: it sets the nonce of all ECUs, by a frame that any node can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonceGenerator;

impl VaticanConnection {
    /// A stream before its first message.
    ///
    /// # Errors
    /// [`OddIdError`].
    pub fn new(id: StandardId, key: KeyId) -> Result<Self, OddIdError> {
        Ok(VaticanConnection {
            id,
            tag_id: above(id)?,
            key,
            nonce: 0,
        })
    }

    /// Returns the identifier of the data.
    #[must_use]
    pub const fn id(&self) -> StandardId {
        self.id
    }

    /// Returns the payload that a frame of this stream carries, **nothing of it checked**; none for
    /// a tag and for other frames.
    #[must_use]
    pub fn carried<'a>(&self, frame: &'a Frame) -> Option<&'a [u8]> {
        let own = frame.id() == Id::Standard(self.id) && is_data(frame);
        own.then(|| frame.data())
    }

    /// Returns the stream behind a message with this nonce.
    #[must_use]
    pub const fn behind(self, nonce: u32) -> Self {
        VaticanConnection { nonce, ..self }
    }

    /// Returns the nonce of the last message; 0 before the first.
    #[must_use]
    pub const fn nonce(&self) -> u32 {
        self.nonce
    }

    /// Nonce, identifier, payload.
    fn associated(&self, nonce: u32, payload: &[u8]) -> [u8; ASSOCIATED] {
        let mut bytes = [0; ASSOCIATED];
        bytes[..4].copy_from_slice(&nonce.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.id.raw().to_le_bytes());
        bytes[6..6 + payload.len()].copy_from_slice(payload);
        bytes
    }

    fn apply(&mut self, frame: &Frame) -> bool {
        let Some(nonce) = NonceGenerator::parse(frame) else {
            return false;
        };
        self.nonce = nonce;
        true
    }
}

impl VaticanSender {
    /// Begins a stream.
    #[must_use]
    pub const fn new(connection: VaticanConnection) -> Self {
        VaticanSender(connection)
    }

    /// Returns the stream.
    #[must_use]
    pub const fn connection(&self) -> &VaticanConnection {
        &self.0
    }

    /// Protects a message under the next nonce, which is taken up by [`VaticanSender::sent`]. A
    /// message protected before that has the same.
    ///
    /// # Errors
    /// [`ProtectError`].
    pub fn protect(
        &self,
        payload: &[u8],
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<ProtectedMessage, ProtectError> {
        let too_long = |_| ProtectError::Length(payload.len());
        let data = Frame::classic(self.0.id, payload).map_err(too_long)?;
        let nonce = self.0.nonce.checked_add(1).ok_or(ProtectError::Exhausted)?;
        let associated = self.0.associated(nonce, payload);
        let tag = key_store
            .tag(self.0.key, &[&associated], meter)?
            .leading::<8>();
        let tag = Frame::classic(self.0.tag_id, &tag).map_err(too_long)?;
        Ok(ProtectedMessage { data, tag })
    }

    /// Both frames of a message were sent.
    pub const fn sent(&mut self) {
        self.0.nonce = self.0.nonce.saturating_add(1);
    }

    /// Takes any frame, and the nonce if it is the generator's; returns whether it was.
    pub fn receive(&mut self, frame: &Frame) -> bool {
        self.0.apply(frame)
    }
}

impl<S: AsRef<[VaticanConnection]> + AsMut<[VaticanConnection]>> VaticanReceiver<S> {
    /// Begins to receive streams; with `listens` it follows the nonce generator.
    #[must_use]
    pub const fn new(connections: S, listens: bool) -> Self {
        VaticanReceiver {
            connections,
            waiting: None,
            listens,
            about: MessageHandle::NONE,
        }
    }

    /// Takes any frame.
    ///
    /// # Errors
    /// [`KeyStoreError`]; what waited for its tag is gone.
    pub fn accept(
        &mut self,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        self.about = MessageHandle::NONE;
        if let Some((index, payload)) = self.waiting.take() {
            self.about = payload.message();
            let connection = &mut self.connections.as_mut()[index];
            return connection
                .finish(payload, frame, key_store, meter)
                .map(Some);
        }
        if self.listens && NonceGenerator::parse(frame).is_some() {
            for connection in self.connections.as_mut() {
                connection.apply(frame);
            }
            return Ok(None);
        }
        match self.find(frame) {
            Some(index) => {
                let payload = CanPayload::new(frame.data()).with_message(frame.message());
                self.waiting = Some((index, payload));
                Ok(None)
            }
            None => Ok(Some(FrameOutcome::UnknownId(frame.id()))),
        }
    }

    /// Searches the nonce of a tag that [`VaticanReceiver::accept`] just refused for `payload`: the
    /// next one and all above it, nearest first. Computes at most `left` tags, and counts them off.
    /// For logs, which begin anywhere and have gaps: no ECU does this work, and no meter has it.
    ///
    /// # Errors
    /// [`KeyStoreError`]; then nothing changed.
    pub fn search(
        &mut self,
        payload: &[u8],
        tag: &Frame,
        left: &mut u64,
        key_store: &mut impl MacKeyStore,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        let mut own = self.connections.as_mut().iter_mut();
        let is_tag =
            |own: &&mut VaticanConnection| tag.id() == Id::Standard(own.tag_id) && is_data(tag);
        let Some(connection) = own.find(is_tag) else {
            return Ok(None);
        };
        let payload = CanPayload::new(payload);
        let last = *connection;
        while *left > 0 {
            *left -= 1;
            let found = connection.finish(payload, tag, key_store, &mut NoMeter);
            match found {
                Ok(FrameOutcome::Authentic { .. }) => return found.map(Some),
                Ok(_) if connection.nonce < u32::MAX => connection.nonce += 1,
                _ => {
                    *connection = last;
                    return found.map(|_| None);
                }
            }
        }
        *connection = last;
        Ok(None)
    }

    /// Returns the message that the last event is about, if that is not the one of the frame that
    /// brought it.
    pub(crate) const fn about(&self) -> MessageHandle {
        self.about
    }

    /// Returns the streams, as far as it took them.
    #[must_use]
    pub fn connections(&self) -> &[VaticanConnection] {
        self.connections.as_ref()
    }

    /// Returns true if a frame has an effect: data of its streams, frames of the generator if it
    /// listens, and any frame that follows data.
    #[must_use]
    pub fn knows(&self, frame: &Frame) -> bool {
        let is_heard = self.listens && NonceGenerator::parse(frame).is_some();
        self.waiting.is_some() || is_heard || self.find(frame).is_some()
    }

    /// The stream that a frame has the data of.
    fn find(&self, frame: &Frame) -> Option<usize> {
        let mut connections = self.connections.as_ref().iter();
        connections.position(|own| own.carried(frame).is_some())
    }
}

impl VaticanConnection {
    /// Takes the frame that came next for the tag.
    fn finish(
        &mut self,
        payload: CanPayload,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<FrameOutcome, KeyStoreError> {
        let Some(nonce) = self.nonce.checked_add(1) else {
            return Ok(FrameOutcome::WrongTag(self.id));
        };
        let associated = self.associated(nonce, payload.as_bytes());
        let own = frame.id() == Id::Standard(self.tag_id) && frame.data().len() == TAG_BITS / 8;
        if !key_store.check(self.key, &[&associated], frame.data(), TAG_BITS, meter)? || !own {
            return Ok(FrameOutcome::WrongTag(self.id));
        }
        self.nonce = nonce;
        Ok(FrameOutcome::Authentic {
            stream: self.id,
            payload: payload.with_message(frame.message()),
        })
    }
}

fn is_data(frame: &Frame) -> bool {
    frame.format() == Format::Classic
}

impl NonceGenerator {
    /// The frame that sets all nonces to `nonce`: the next messages have the one above.
    ///
    /// # Panics
    /// Never: identifier and length are constants that a frame has.
    #[must_use]
    pub fn frame(nonce: u32) -> Frame {
        let id = StandardId::new(GENERATOR_ID).expect("an 11-bit identifier");
        Frame::classic(id, &nonce.to_be_bytes()).expect("four bytes")
    }

    fn parse(frame: &Frame) -> Option<u32> {
        let own = matches!(frame.id(), Id::Standard(id) if id.raw() == GENERATOR_ID);
        let nonce = frame.data().try_into().ok()?;
        (own && is_data(frame)).then(|| u32::from_be_bytes(nonce))
    }
}
