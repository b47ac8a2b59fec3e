//! Messages whose tags have frames of their own: vatiCAN and LeiA, and SecOC's cryptographic PDUs
//! as a receiver takes them.
//!
//! In a recording the counter is learnt from the frames: a tag that the receiver refuses is tried
//! with counters further ahead, where the protocol has any. A tag has 56 bits or more, so one that
//! fits needs no second one to be believed: forged, it fits one of 65,536 counters with a
//! chance of 2^-40.

use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::stream::{Check as _, EcuMoment};
use waywarden_can_log::Record;
use waywarden_work::NoMeter;

use super::pending::{PendingRecord, PendingRecords};
use super::stream::{CheckedStream, PairedFrameKind, UntaggedMessage};
use crate::plan::AuthenticationTable;
use crate::records::with_frame;
use crate::stream_state::{self, StreamReceiver};
use crate::verdict::FrameVerdict;

impl CheckedStream {
    /// Takes the question of a receiver of the recording: its answer tells the stream's epoch and
    /// counter.
    pub(super) fn overhear(&mut self, frame: &Frame) {
        if let (Some(_), Some(StreamReceiver::Paired(receiver))) =
            (&self.counter_search, self.receivers.first_mut())
        {
            receiver.overhear(frame);
        }
    }

    /// Takes a frame of vatiCAN or LeiA. A message that waits for its tag is returned by its
    /// number.
    pub(super) fn paired(
        &mut self,
        table: &AuthenticationTable,
        kind: PairedFrameKind,
        (record, frame): (&Record, &Frame),
        moment: &EcuMoment,
        id: Id,
        pending: &mut PendingRecords,
    ) -> Result<Option<u64>, KeyStoreError> {
        let Some(receiver) = self.receivers.first_mut() else {
            return Ok(None);
        };
        if let StreamReceiver::SeparateSecoc(receiver) = receiver {
            stream_state::retain(receiver);
        }
        let event = receiver.accept(frame, moment, &mut self.keys, &mut NoMeter)?;
        let row = self.row;
        let judged = |verdict| PendingRecord::judged(record, row, verdict, None);
        match kind {
            PairedFrameKind::Resynchronisation => {
                pending.push(judged(FrameVerdict::Unchecked));
                Ok(None)
            }
            PairedFrameKind::Foreign => {
                self.refuse(record, pending);
                Ok(None)
            }
            PairedFrameKind::Tag => {
                let event = self.searched(frame, event)?;
                let verdict = event
                    .as_ref()
                    .map_or(FrameVerdict::TagWithoutData, FrameVerdict::of);
                pending.push(judged(verdict));
                match event {
                    Some(FrameOutcome::Authentic { payload, .. }) => {
                        self.settle(payload, frame, pending);
                    }
                    // A receiver forgets the oldest message with it.
                    Some(FrameOutcome::OutOfStep(_)) if self.is_separate() => {
                        self.drop_first(FrameVerdict::OutOfStep, pending);
                    }
                    // As published, it is over with the message, too.
                    Some(FrameOutcome::WrongTag(_)) if table.is_as_published() => {
                        self.drop_first(FrameVerdict::WrongTag, pending);
                    }
                    _ => {}
                }
                Ok(None)
            }
            PairedFrameKind::Message => {
                match event {
                    Some(FrameOutcome::Missing(_)) => {
                        self.drop_first(FrameVerdict::Missing, pending);
                    }
                    Some(event) => {
                        self.drop_first(FrameVerdict::of(&event), pending);
                        pending.push(judged(FrameVerdict::of(&event)));
                        return Ok(None);
                    }
                    None => {}
                }
                let payload = CanPayload::new(frame.data());
                let plain = match frame.id() == id {
                    true => Some(*frame),
                    false => Frame::classic(id, frame.data()).ok(),
                };
                let plain = plain.map(|frame| with_frame(record, frame));
                let waiting = PendingRecord::waiting(record, self.row, plain);
                let number = pending.push(waiting.or_else(FrameVerdict::Missing));
                self.await_tag(number, payload, frame.id());
                Ok(Some(number))
            }
        }
    }

    /// Returns what a receiver said of a tag, or that it is authentic under a counter further
    /// ahead.
    fn searched(
        &mut self,
        tag: &Frame,
        event: Option<FrameOutcome>,
    ) -> Result<Option<FrameOutcome>, KeyStoreError> {
        let Some(search) = &mut self.counter_search else {
            return Ok(event);
        };
        search.allowance.refill();
        let is_refused = matches!(
            event,
            Some(FrameOutcome::WrongTag(_) | FrameOutcome::Replay(_) | FrameOutcome::OutOfStep(_))
        );
        let keys = &mut self.keys;
        let oldest = self.untagged.front();
        let found = search
            .allowance
            .spend(|left| match &mut self.receivers[..] {
                [StreamReceiver::Paired(receiver)] if is_refused => {
                    receiver.search(tag, left, keys)
                }
                [StreamReceiver::Vatican(receiver)] if is_refused => match oldest {
                    Some(oldest) => {
                        let payload = oldest.payload.as_bytes();
                        receiver.search(payload, tag, left, keys)
                    }
                    None => Ok(None),
                },
                _ => Ok(None),
            })?;
        let event = match found.or(event) {
            // Nothing came before the first authentic message.
            Some(FrameOutcome::Replay(id)) if search.first.is_none() && !search.is_given => {
                Some(FrameOutcome::WrongTag(id))
            }
            event => event,
        };
        if let (None, Some(FrameOutcome::Authentic { .. })) = (search.first, &event) {
            search.first = match &self.receivers[..] {
                [StreamReceiver::Paired(receiver)] => {
                    let next = receiver.next_counter();
                    next.map(|next| u64::from(next.saturating_sub(1)))
                }
                [StreamReceiver::Vatican(receiver)] => {
                    let nonce = receiver.connections().first();
                    nonce.map(|connection| u64::from(connection.nonce()))
                }
                _ => None,
            };
        }
        Ok(event)
    }

    /// A tag was right: the newest message with this payload and counter is authentic, as the
    /// receiver looks for it, and those before it will have no tags any more.
    fn settle(&mut self, payload: CanPayload, tag: &Frame, pending: &mut PendingRecords) {
        let low = |id: Id| match id {
            Id::Extended(id) => id.raw() as u16,
            Id::Standard(_) => 0,
        };
        let is_separate = self.is_separate();
        let is_it = |own: &UntaggedMessage| {
            own.payload.as_bytes() == payload.as_bytes()
                && (is_separate || low(own.id) == low(tag.id()))
        };
        if let Some(at) = self.untagged.iter().rposition(is_it) {
            self.settle_at(at, pending);
        }
    }
}
