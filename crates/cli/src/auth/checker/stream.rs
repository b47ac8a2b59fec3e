//! A stream: its receiver, and the messages that wait for their tags as the receiver has them.

use std::collections::VecDeque;

use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::{Event, Payload};
use waywarden_can_auth::paired::Wire;
use waywarden_can_auth::stream::{Check as _, Moment};
use waywarden_can_log::{Entry, Record};
use waywarden_work::{Instant, Meter};

use super::pending::{PendingRecord, PendingRecords};
use crate::auth::plan::{AuthenticationPlan, AuthenticationTable, StreamMatch};
use crate::auth::stream_keys::StreamKeys;
use crate::auth::stream_state::{self, StreamReceiver};
use crate::auth::verdict::FrameVerdict;

/// A stream.
pub(super) struct CheckedStream {
    table: usize,
    row: usize,
    codes: StreamKeys,
    /// The receiver; several while it is not known which layout the frames have.
    ends: Vec<StreamReceiver>,
    is_learned: bool,
    /// Messages that wait for their tags, oldest first, as the receiver has them.
    pending: VecDeque<UntaggedMessage>,
}

#[derive(Clone, Copy)]
struct UntaggedMessage {
    number: u64,
    payload: Payload,
    id: Id,
}

/// Which part a frame has in a stream whose tags have frames of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairedFrameKind {
    Message,
    Tag,
    Resynchronisation,
    /// None: a CAN FD frame, or a message that is in no frame of LeiA's.
    Foreign,
}

impl CheckedStream {
    pub(super) fn new(
        plan: &AuthenticationPlan,
        found: &StreamMatch<'_>,
        row: usize,
    ) -> Result<Self, String> {
        let table = &plan.tables[found.table];
        let mut codes = found.codes(table)?;
        let mut line = Vec::new();
        let is_learned = table.profile().is_none() || found.layout.is_some();
        if is_learned {
            let layout = found.layout.unwrap_or(stream_state::NO_SECURED_FRAME);
            let end =
                stream_state::receiver(&table.protocol, found.id, layout, plan.epoch, &mut codes)?;
            line.push(end);
        }
        Ok(CheckedStream {
            table: found.table,
            row,
            codes,
            ends: line,
            is_learned,
            pending: VecDeque::new(),
        })
    }

    /// Whether it is a stream of this table.
    pub(super) fn is_of(&self, table: usize) -> bool {
        self.table == table
    }

    /// Refuses a frame that is in no form that the stream has: no receiver checks it.
    pub(super) fn refuse(&self, record: &Record, queue: &mut PendingRecords) {
        queue.push(PendingRecord::judged(
            record,
            self.row,
            FrameVerdict::WrongTag,
            None,
        ));
    }

    /// Takes a secured frame of SecOC. Until one was authentic, each is tried in all the layouts
    /// that it may have.
    pub(super) fn secured(
        &mut self,
        plan: &AuthenticationPlan,
        found: &StreamMatch<'_>,
        (record, frame): (&Record, &Frame),
        moment: &Moment,
        queue: &mut PendingRecords,
    ) -> Result<(), String> {
        let table = &plan.tables[self.table];
        if let (false, Some(profile)) = (self.is_learned, table.profile()) {
            let layouts = stream_state::layouts(profile, frame, table.widens).into_iter();
            let (epoch, codes) = (plan.epoch, &mut self.codes);
            self.ends = layouts
                .filter_map(|layout| {
                    stream_state::receiver(&table.protocol, found.id, layout, epoch, codes).ok()
                })
                .collect();
        }
        let (mut verdict, mut message) = (FrameVerdict::WrongTag, None);
        for at in 0..self.ends.len() {
            let end = &mut self.ends[at];
            stream_state::retain(end);
            let event = end.accept(frame, moment, &mut self.codes, &mut Meter::new());
            match event.map_err(|error| error.to_string())? {
                Some(Event::Authentic { payload, .. }) => {
                    (verdict, message) = (FrameVerdict::Authentic, Some(payload));
                    self.ends.swap(0, at);
                    self.ends.truncate(1);
                    self.is_learned = true;
                    break;
                }
                Some(Event::BadTag(_)) | None => {}
                Some(event) => verdict = FrameVerdict::of(&event),
            }
        }
        let plain = message.and_then(|payload| {
            let frame = stream_state::plain(found.id, frame, payload.as_bytes(), table.widens)?;
            Some(with(record, frame))
        });
        queue.push(PendingRecord::judged(record, self.row, verdict, plain));
        Ok(())
    }

    /// Takes a frame of vatiCAN or LeiA. A message that waits for its tag is returned by its
    /// number.
    pub(super) fn paired(
        &mut self,
        table: &AuthenticationTable,
        part: PairedFrameKind,
        (record, frame): (&Record, &Frame),
        moment: &Moment,
        id: Id,
        queue: &mut PendingRecords,
    ) -> Result<Option<u64>, String> {
        let Some(end) = self.ends.first_mut() else {
            return Ok(None);
        };
        let event = end.accept(frame, moment, &mut self.codes, &mut Meter::new());
        let event = event.map_err(|error| error.to_string())?;
        let row = self.row;
        let judged = |verdict| PendingRecord::judged(record, row, verdict, None);
        match part {
            PairedFrameKind::Resynchronisation => {
                queue.push(judged(FrameVerdict::Unchecked));
                Ok(None)
            }
            PairedFrameKind::Foreign => {
                self.refuse(record, queue);
                Ok(None)
            }
            PairedFrameKind::Tag => {
                let verdict = event
                    .as_ref()
                    .map_or(FrameVerdict::TagWithoutData, FrameVerdict::of);
                queue.push(judged(verdict));
                match event {
                    Some(Event::Authentic { payload, .. }) => self.settle(payload, frame, queue),
                    // As published, it is over with the message, too.
                    Some(Event::BadTag(_)) if table.is_as_published() => {
                        self.drop_first(FrameVerdict::WrongTag, queue);
                    }
                    _ => {}
                }
                Ok(None)
            }
            PairedFrameKind::Message => {
                match event {
                    Some(Event::Missing(_)) => self.drop_first(FrameVerdict::Missing, queue),
                    Some(event) => {
                        self.drop_first(FrameVerdict::of(&event), queue);
                        queue.push(judged(FrameVerdict::of(&event)));
                        return Ok(None);
                    }
                    None => {}
                }
                let payload = Payload::new(frame.data());
                let plain = match frame.id() == id {
                    true => Some(*frame),
                    false => Frame::classic(id, frame.data()).ok(),
                };
                let number = queue.push(PendingRecord {
                    record: *record,
                    row: Some(self.row),
                    verdict: None,
                    plain: plain.map(|frame| with(record, frame)),
                });
                let id = frame.id();
                self.pending.push_back(UntaggedMessage {
                    number,
                    payload,
                    id,
                });
                Ok(Some(number))
            }
        }
    }

    /// A tag was right: the newest message with this payload and counter is authentic, as the
    /// receiver looks for it, and those before it will have no tags any more.
    fn settle(&mut self, payload: Payload, tag: &Frame, queue: &mut PendingRecords) {
        let low = |id: Id| match id {
            Id::Extended(id) => id.raw() as u16,
            Id::Standard(_) => 0,
        };
        let is_it = |own: &UntaggedMessage| own.payload == payload && low(own.id) == low(tag.id());
        let Some(at) = self.pending.iter().rposition(is_it) else {
            return;
        };
        for (place, own) in self.pending.drain(..=at).enumerate() {
            let verdict = match place == at {
                true => FrameVerdict::Authentic,
                false => FrameVerdict::Missing,
            };
            queue.judge(own.number, verdict);
        }
    }

    fn drop_first(&mut self, verdict: FrameVerdict, queue: &mut PendingRecords) {
        if let Some(own) = self.pending.pop_front() {
            queue.judge(own.number, verdict);
        }
    }

    /// Gives up a message that waits, if the receiver does. One as published waits for as long as
    /// it takes, and so does its message here.
    pub(super) fn expire(&mut self, number: u64, now: Instant, queue: &mut PendingRecords) {
        let is_first = self.pending.front().is_some_and(|own| own.number == number);
        if is_first
            && let Some(end) = self.ends.first_mut()
            && end.expire(now).is_some()
        {
            self.drop_first(FrameVerdict::Missing, queue);
        }
    }
}

/// Tells it by the identifier.
pub(super) fn paired_frame_kind(wire: Wire, frame: &Frame) -> PairedFrameKind {
    match (wire, frame.id()) {
        _ if frame.is_fd() => PairedFrameKind::Foreign,
        (Wire::Leia, Id::Standard(_)) => PairedFrameKind::Foreign,
        (Wire::Vatican, Id::Standard(id)) if id.raw() % 2 == 0 => PairedFrameKind::Message,
        (Wire::Vatican, Id::Standard(_)) => PairedFrameKind::Tag,
        (Wire::Leia, Id::Extended(id)) => match (id.raw() >> 16 & 3, id.base() % 2) {
            (0, 0) => PairedFrameKind::Message,
            (1, 1) => PairedFrameKind::Tag,
            _ => PairedFrameKind::Resynchronisation,
        },
        _ => PairedFrameKind::Resynchronisation,
    }
}

fn with(record: &Record, frame: Frame) -> Record {
    let direction = match record.entry {
        Entry::Frame { direction, .. } => direction,
        Entry::ErrorFrame(_) => None,
    };
    let entry = Entry::Frame { frame, direction };
    Record { entry, ..*record }
}
