//! The sender of a stream.

use waywarden_can::Frame;
use waywarden_work::{Instant, Meter};

use super::resync::{answer_frames, parse_question};
use super::wire::{Question, StreamPosition, answer, message};
use super::{ANSWER_PACE, PairedConnection, ProtectError, ProtectedMessage, QUESTIONS};
use crate::key_store::MacKeyStore;

/// Protects the messages of a stream and answers those who ask where it stands.
#[derive(Clone, Debug)]
pub struct PairedSender {
    connection: PairedConnection,
    at: StreamPosition,
    questions: [Option<Question>; QUESTIONS],
    /// The time before which it sends no answer.
    pause: Instant,
    /// The tag of an answer whose first frame left.
    half: Option<Frame>,
}

impl PairedSender {
    /// Begins a stream with the first message of `epoch`, which must be above all epochs that were
    /// ever used under this key: a boot retains it before the first message leaves. Under a key
    /// that is fresh at each boot any will do.
    #[must_use]
    pub const fn in_epoch(connection: PairedConnection, epoch: u32) -> Self {
        PairedSender {
            connection,
            at: StreamPosition { epoch, counter: 0 },
            questions: [None; QUESTIONS],
            pause: Instant::ZERO,
            half: None,
        }
    }

    /// Goes on at a position.
    #[cfg(feature = "attacks")]
    pub(super) const fn at(connection: PairedConnection, at: StreamPosition) -> Self {
        PairedSender {
            at,
            ..PairedSender::in_epoch(connection, 0)
        }
    }

    /// Returns the stream.
    #[must_use]
    pub const fn connection(&self) -> &PairedConnection {
        &self.connection
    }

    /// Protects a message. Its counter is used up, whether or not its frames come to leave: two
    /// messages never have the same.
    ///
    /// # Errors
    /// [`ProtectError`]; then nothing changed.
    pub fn protect(
        &mut self,
        payload: &[u8],
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<ProtectedMessage, ProtectError> {
        let PairedConnection { wire, id, key, .. } = self.connection;
        let counter = self.at.counter;
        let too_long = |_| ProtectError::Length(payload.len());
        let data = wire
            .data_frame(&self.connection, counter, payload)
            .map_err(too_long)?;
        let next = counter.checked_add(1).ok_or(ProtectError::Exhausted)?;
        let tag = key_store.tag(key, &[&message(id, self.at, payload)], meter)?;
        let tag = wire
            .tag_frame(&self.connection, counter, tag.leading())
            .map_err(too_long)?;
        self.at.counter = next;
        Ok(ProtectedMessage { data, tag })
    }

    /// Returns true if a frame is a question about this stream.
    #[must_use]
    pub fn is_asked(&self, frame: &Frame) -> bool {
        parse_question(self.connection.id, frame).is_some()
    }

    /// Takes any frame; returns whether it was a question about this stream.
    pub fn receive(&mut self, frame: &Frame) -> bool {
        let Some(question) = parse_question(self.connection.id, frame) else {
            return false;
        };
        if self.questions.contains(&Some(question)) {
            return true;
        }
        match self.questions.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(question),
            None => {
                self.questions.rotate_left(1);
                self.questions[QUESTIONS - 1] = Some(question);
            }
        }
        true
    }

    /// Returns the next frame of an answer, if one is due. To be sent in order, and before any
    /// message that is protected later.
    ///
    /// # Errors
    /// [`ProtectError::KeyStore`]; the question is gone.
    pub fn outgoing(
        &mut self,
        now: Instant,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<Frame>, ProtectError> {
        if let Some(tag) = self.half.take() {
            return Ok(Some(tag));
        }
        if now < self.pause {
            return Ok(None);
        }
        let Some(question) = self.questions[0].take() else {
            return Ok(None);
        };
        self.questions.rotate_left(1);
        self.pause = now + ANSWER_PACE;
        let PairedConnection {
            id, tag_id, key, ..
        } = self.connection;
        let tag = key_store.tag(key, &[&answer(id, self.at, question)], meter)?;
        let frames = answer_frames(id, tag_id, self.at, tag.leading());
        let Ok([position, tag]) = frames else {
            return Ok(None);
        };
        self.half = Some(tag);
        Ok(Some(position))
    }

    /// Returns the time at which [`PairedSender::outgoing`] has something next.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        if self.half.is_some() {
            return Some(Instant::ZERO);
        }
        self.questions[0].map(|_| self.pause)
    }
}
