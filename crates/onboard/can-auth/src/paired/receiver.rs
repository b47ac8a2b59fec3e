//! A receiver of a stream.

use waywarden_can::{Frame, MessageHandle, StandardId};
use waywarden_work::{Duration, Instant, Meter, NoMeter};

#[cfg(feature = "attacks")]
use super::PairedSender;
use super::resync::{Answer, parse_answer, parse_question, question_frame};
use super::wire::{Part, Question, StreamPosition, answer, message};
use super::{ASK_FIRST, ASK_LAST, FAILURES, PairedConnection, TAG_WITHIN};
use crate::event::{CanPayload, FrameOutcome};
use crate::key_store::{KeyStoreError, MacKeyStore};
use crate::mac::{Mac as _, MacKey, SipHash};
use crate::pending::{Candidate, Pending};

/// Checks the messages of one stream.
pub struct PairedReceiver {
    connection: PairedConnection,
    /// The identifier this ECU asks under.
    under: StandardId,
    /// Of the message expected next; none before the first answer.
    at: Option<StreamPosition>,
    data: Pending<CanPayload>,
    answers: Pending<StreamPosition>,
    failures: u8,
    asking: Asking,
    /// Of the message that the last event is about, unless the frame says it.
    about: MessageHandle,
}

/// The question under way, and when there may be another.
struct Asking {
    /// Makes the questions, from the seed of this boot.
    source: SipHash,
    count: u64,
    question: Option<Question>,
    wanted: bool,
    next: Instant,
    wait: Duration,
}

impl PairedReceiver {
    /// Begins to receive a stream: asks where it stands, under the identifier `under`, which must
    /// be this ECU's alone. `seed` must be fresh at each boot and differ from stream to stream.
    #[must_use]
    pub fn new(connection: PairedConnection, under: StandardId, seed: &[u8; 16]) -> Self {
        PairedReceiver {
            connection,
            under,
            at: None,
            data: Pending::new(),
            answers: Pending::new(),
            failures: 0,
            asking: Asking {
                source: SipHash::new(&MacKey::from_bytes(*seed)),
                count: 0,
                question: None,
                wanted: true,
                next: Instant::ZERO,
                wait: ASK_FIRST,
            },
            about: MessageHandle::NONE,
        }
    }

    /// Begins to receive a stream in step with a sender whose next message is at `position`; a
    /// sender begins an epoch with 0. Asks nothing, for there is no sender to answer.
    /// For logs, whose frames come once.
    ///
    /// **Not for a bus**: a receiver that begins so after each of its resets takes everything that
    /// was sent in the epoch once more. One that loses step later has no sender to ask either: it
    /// refuses until the sender's counter is ahead of its own again by less than half of what
    /// travels of it, and takes another epoch only from an answer that it
    /// [overhears](PairedReceiver::overhear). [`PairedReceiver::search`] finds counters further
    /// ahead.
    #[must_use]
    pub fn in_step(connection: PairedConnection, position: StreamPosition) -> Self {
        let mut receiver = PairedReceiver::new(connection, connection.id, &[0; 16]);
        receiver.at = Some(position);
        receiver.asking.wanted = false;
        receiver
    }

    /// Takes the question of another receiver for its own, so that it believes the answer. For
    /// logs: on a bus a question that others choose proves nothing about the time of the answer.
    pub fn overhear(&mut self, frame: &Frame) {
        if let Some(question) = parse_question(self.connection.id, frame) {
            self.asking.question = Some(question);
        }
    }

    /// Returns the counter of the message expected next; none before the first answer.
    #[must_use]
    pub const fn next_counter(&self) -> Option<u32> {
        match self.at {
            Some(at) => Some(at.counter),
            None => None,
        }
    }

    /// Returns the stream.
    #[must_use]
    pub const fn connection(&self) -> &PairedConnection {
        &self.connection
    }

    /// Returns a sender that goes on from the position of the stream, if that is known here.
    #[cfg(feature = "attacks")]
    pub(crate) fn counterpart(&self) -> Option<PairedSender> {
        self.at.map(|at| PairedSender::at(self.connection, at))
    }

    /// Returns true if it knows the stream's position. Messages before that are refused.
    #[must_use]
    pub const fn is_synchronised(&self) -> bool {
        self.at.is_some()
    }

    /// Takes any frame. A frame of this stream may bring an event; for others there is none.
    ///
    /// # Errors
    /// [`KeyStoreError`]; then nothing changed.
    pub fn accept(
        &mut self,
        now: Instant,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        self.about = MessageHandle::NONE;
        let PairedConnection {
            wire, id, tag_id, ..
        } = self.connection;
        match wire.parse(&self.connection, frame) {
            Some(Part::Data { low, payload }) => {
                let payload = CanPayload::new(payload).with_message(frame.message());
                Ok(self.take_data(now, low, payload))
            }
            Some(Part::Tag { low, tag }) => {
                let said = (low, tag, frame.message());
                self.take_tag(said, key_store, meter).map(Some)
            }
            None => match parse_answer(id, tag_id, frame) {
                Some(answer) => self.take_answer(now, answer, key_store, meter),
                None => Ok(None),
            },
        }
    }

    /// Returns true if a frame is of this stream: its data, its tags or answers about it.
    #[must_use]
    pub fn knows(&self, frame: &Frame) -> bool {
        let PairedConnection {
            wire, id, tag_id, ..
        } = self.connection;
        wire.parse(&self.connection, frame).is_some() || parse_answer(id, tag_id, frame).is_some()
    }

    fn take_data(
        &mut self,
        now: Instant,
        low: Option<u16>,
        payload: CanPayload,
    ) -> Option<FrameOutcome> {
        let candidate = Candidate {
            low,
            what: payload,
            until: now + TAG_WITHIN,
        };
        let displaced = self.data.push(candidate)?;
        Some(self.missing(&displaced))
    }

    fn missing(&mut self, data: &CanPayload) -> FrameOutcome {
        self.about = data.message();
        FrameOutcome::Missing(self.connection.id)
    }

    /// Returns the message that the last event is about, if that is not the one of the frame that
    /// brought it.
    pub(crate) const fn about(&self) -> MessageHandle {
        self.about
    }

    fn take_tag(
        &mut self,
        (low, tag, message_of_tag): (u16, &[u8], MessageHandle),
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<FrameOutcome, KeyStoreError> {
        let PairedConnection { wire, id, .. } = self.connection;
        let Some(expected) = self.at else {
            // The tag came, so the data it belongs to do not miss it: nothing can be checked yet.
            if let Some((oldest, _)) = self.data.matching(low).last() {
                self.data.take(oldest);
            }
            return Ok(FrameOutcome::OutOfStep(id));
        };
        if self.data.matching(low).next().is_none() {
            return Ok(FrameOutcome::TagWithoutData(id));
        }
        let Some(counter) = ahead(expected.counter, low, wire.counter_bits()) else {
            return Ok(self.failed(FrameOutcome::Replay(id)));
        };
        let at = StreamPosition {
            counter,
            ..expected
        };
        match self.fitting(at, (low, tag), key_store, meter)? {
            // Data may come from another hand; the tag says which message they are.
            Some(payload) => Ok(FrameOutcome::Authentic {
                stream: id,
                payload: payload.with_message(message_of_tag),
            }),
            None => Ok(self.failed(FrameOutcome::WrongTag(id))),
        }
    }

    /// Returns the data that a tag fits at this position, and goes on behind it.
    fn fitting(
        &mut self,
        at: StreamPosition,
        (low, tag): (u16, &[u8]),
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<CanPayload>, KeyStoreError> {
        let PairedConnection { wire, id, key, .. } = self.connection;
        for (place, payload) in self.data.matching(low) {
            let bytes = message(id, at, payload.as_bytes());
            if key_store.check(key, &[&bytes], tag, wire.tag_bits(), meter)? {
                self.data.take_until(place);
                // A sender stops before the last counter: there is always a next one.
                self.at = Some(StreamPosition {
                    counter: at.counter.saturating_add(1),
                    ..at
                });
                self.failures = 0;
                return Ok(Some(payload));
            }
        }
        Ok(None)
    }

    /// Searches the counter of a tag that [`PairedReceiver::accept`] just refused: the expected one
    /// and all above it in its epoch whose low bits are the tag's, nearest first. Computes at most
    /// `left` tags, and counts them off. For logs, which begin anywhere and have gaps: no ECU does
    /// this work, and no meter has it.
    ///
    /// A forged tag fits with the chance of as many attempts; one that came before never does.
    ///
    /// # Errors
    /// [`KeyStoreError`]; then nothing changed.
    pub fn search(
        &mut self,
        frame: &Frame,
        left: &mut u64,
        key_store: &mut impl MacKeyStore,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        let PairedConnection { wire, id, .. } = self.connection;
        let Some((expected, Part::Tag { low, tag })) =
            self.at.zip(wire.parse(&self.connection, frame))
        else {
            return Ok(None);
        };
        let candidates = self.data.matching(low).count() as u64;
        let range = 1u32 << wire.counter_bits();
        let distance = u32::from(low).wrapping_sub(expected.counter) % range;
        let mut next = expected.counter.checked_add(distance);
        while let Some(counter) = next
            && candidates > 0
            && *left >= candidates
        {
            *left -= candidates;
            let at = StreamPosition {
                counter,
                ..expected
            };
            if let Some(payload) = self.fitting(at, (low, tag), key_store, &mut NoMeter)? {
                self.asking.wanted = false;
                return Ok(Some(FrameOutcome::Authentic {
                    stream: id,
                    payload: payload.with_message(frame.message()),
                }));
            }
            next = counter.checked_add(range);
        }
        Ok(None)
    }

    /// Counts a failure; asks after a few.
    fn failed(&mut self, event: FrameOutcome) -> FrameOutcome {
        self.failures = self.failures.saturating_add(1);
        if self.failures < FAILURES || self.asking.wanted {
            return event;
        }
        self.failures = 0;
        self.asking.wanted = true;
        FrameOutcome::OutOfStep(self.connection.id)
    }

    fn take_answer(
        &mut self,
        now: Instant,
        part: Answer,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        let Some(question) = self.asking.question else {
            return Ok(None);
        };
        let PairedConnection { id, key, .. } = self.connection;
        let (low, tag) = match part {
            Answer::Position(at) => {
                self.answers.push(Candidate {
                    low: Some(at.counter as u16),
                    what: at,
                    until: now + TAG_WITHIN,
                });
                return Ok(None);
            }
            Answer::Tag { low, tag } => (low, tag),
        };
        for (_, at) in self.answers.matching(low) {
            if key_store.check(key, &[&answer(id, at, question)], &tag, 64, meter)? {
                return Ok(self.settle(at));
            }
        }
        Ok(None)
    }

    /// Takes over what the sender says. It never leads back, for the same answer is not taken twice
    /// and the sender only counts on.
    fn settle(&mut self, at: StreamPosition) -> Option<FrameOutcome> {
        self.answers.clear();
        self.asking.question = None;
        self.asking.wanted = false;
        self.asking.wait = ASK_FIRST;
        self.failures = 0;
        let is_ahead = self
            .at
            .is_none_or(|own| (own.epoch, own.counter) < (at.epoch, at.counter));
        if is_ahead {
            self.at = Some(at);
        }
        Some(FrameOutcome::Resynced(self.connection.id))
    }

    /// Returns the question to be sent now, if there is one.
    pub fn outgoing(&mut self, now: Instant) -> Option<Frame> {
        let asking = &mut self.asking;
        if !asking.wanted || now < asking.next {
            return None;
        }
        asking.count += 1;
        let fresh = asking.source.compute(&[&asking.count.to_le_bytes()]);
        let question = Question(fresh.leading());
        asking.question = Some(question);
        asking.next = now + asking.wait;
        asking.wait = (asking.wait + asking.wait).min(ASK_LAST);
        question_frame(self.under, self.connection.id, question).ok()
    }

    /// Takes out data whose tag did not come in time; to be called until there is nothing.
    pub fn expire(&mut self, now: Instant) -> Option<FrameOutcome> {
        while self.answers.expire(now).is_some() {}
        let data = self.data.expire(now)?;
        Some(self.missing(&data))
    }

    /// Returns the time at which [`PairedReceiver::outgoing`] or [`PairedReceiver::expire`] has
    /// something next.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        let ask = self.asking.wanted.then_some(self.asking.next);
        let waits = [ask, self.data.deadline(), self.answers.deadline()];
        waits.into_iter().flatten().min()
    }
}

/// The counter with these low bits that is not below `expected` and less than half the range of the
/// low bits above it; none if there is none: then it was there before, or too many were lost.
fn ahead(expected: u32, low: u16, bits: u32) -> Option<u32> {
    let range = 1u32 << bits;
    let distance = u32::from(low).wrapping_sub(expected) % range;
    (distance < range / 2)
        .then(|| expected.checked_add(distance))
        .flatten()
}
