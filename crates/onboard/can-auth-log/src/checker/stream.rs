//! A stream: its receiver, and the messages that wait for their tags as the receiver has them.

use std::collections::VecDeque;

use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::{Event, Payload};
use waywarden_can_auth::paired::Wire;
use waywarden_can_auth::secoc;
use waywarden_can_auth::stream::{Check as _, Moment};
use waywarden_can_auth::vault::VaultError;
use waywarden_can_log::Record;
use waywarden_work::{Instant, Meter};

use super::FreshnessReport;
use super::pending::{PendingRecord, PendingRecords};
use crate::error::CheckLogError;
use crate::plan::{AuthenticationPlan, AuthenticationTable, StreamMatch};
use crate::records::with_frame;
use crate::secured_frame::{self, NO_SECURED_FRAME};
use crate::stream_keys::StreamKeys;
use crate::stream_state::{self, StreamReceiver};
use crate::verdict::FrameVerdict;

/// A stream.
pub(super) struct CheckedStream {
    table: usize,
    /// The index of its counts.
    row: usize,
    keys: StreamKeys,
    /// The receiver; several while it is not known which layout the frames have.
    receivers: Vec<StreamReceiver>,
    is_layout_known: bool,
    /// Messages that wait for their tags, oldest first, as the receiver has them.
    untagged: VecDeque<UntaggedMessage>,
}

/// A message whose tag has not come yet.
#[derive(Clone, Copy)]
struct UntaggedMessage {
    number: u64,
    payload: Payload,
    id: Id,
}

/// What a frame is in a stream whose tags have frames of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairedFrameKind {
    Message,
    Tag,
    /// A question about the stream's state, or an answer.
    Resynchronisation,
    /// None of the stream's: a CAN FD frame, or a message that is in no frame of LeiA's.
    Foreign,
}

impl CheckedStream {
    pub(super) fn new(
        plan: &AuthenticationPlan,
        found: &StreamMatch<'_>,
        row: usize,
    ) -> Result<Self, CheckLogError> {
        let table = &plan.tables[found.table];
        let mut keys = found.keys(table)?;
        let mut receivers = Vec::new();
        let is_layout_known = table.profile().is_none() || found.layout.is_some();
        if is_layout_known {
            let secured = found.secured(found.layout.unwrap_or(NO_SECURED_FRAME));
            let receiver =
                stream_state::receiver(&table.protocol, found.id, secured, plan.epoch, &mut keys)?;
            receivers.push(receiver);
        }
        Ok(CheckedStream {
            table: found.table,
            row,
            keys,
            receivers,
            is_layout_known,
            untagged: VecDeque::new(),
        })
    }

    /// Whether it is a stream of this table.
    pub(super) fn is_of(&self, table: usize) -> bool {
        self.table == table
    }

    /// Refuses a frame that is in no form that the stream has: no receiver checks it.
    pub(super) fn refuse(&self, record: &Record, pending: &mut PendingRecords) {
        pending.push(PendingRecord::judged(
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
        pending: &mut PendingRecords,
    ) -> Result<(), VaultError> {
        let table = &plan.tables[self.table];
        if let (false, Some(profile)) = (self.is_layout_known, table.profile()) {
            let layouts = secured_frame::possible_layouts(profile, frame, table.widens).into_iter();
            let (epoch, keys) = (plan.epoch, &mut self.keys);
            self.receivers = layouts
                .filter_map(|layout| {
                    let secured = found.secured(layout);
                    stream_state::receiver(&table.protocol, found.id, secured, epoch, keys).ok()
                })
                .collect();
        }
        let (mut verdict, mut message) = (FrameVerdict::WrongTag, None);
        let mut report = match &self.receivers[..] {
            [only] => secoc_report(only, frame, moment),
            _ => FreshnessReport::default(),
        };
        for at in 0..self.receivers.len() {
            let receiver = &mut self.receivers[at];
            stream_state::retain(receiver);
            let event = receiver.accept(frame, moment, &mut self.keys, &mut Meter::new());
            match event? {
                Some(Event::Authentic { payload, .. }) => {
                    (verdict, message) = (FrameVerdict::Authentic, Some(payload));
                    report.verified = secoc_receiver(receiver).and_then(secoc::Receiver::last);
                    report.received = secoc_report(receiver, frame, moment).received;
                    self.receivers.swap(0, at);
                    self.receivers.truncate(1);
                    self.is_layout_known = true;
                    break;
                }
                Some(Event::WrongTag(_)) | None => {}
                Some(event) => verdict = FrameVerdict::of(&event),
            }
        }
        let plain = message.and_then(|payload| {
            let frame =
                secured_frame::plain_frame(found.id, frame, payload.as_bytes(), table.widens)?;
            Some(with_frame(record, frame))
        });
        let judged = PendingRecord::judged(record, self.row, verdict, plain);
        pending.push(judged.with_freshness(report));
        Ok(())
    }

    /// Takes a frame of vatiCAN or LeiA. A message that waits for its tag is returned by its
    /// number.
    pub(super) fn paired(
        &mut self,
        table: &AuthenticationTable,
        kind: PairedFrameKind,
        (record, frame): (&Record, &Frame),
        moment: &Moment,
        id: Id,
        pending: &mut PendingRecords,
    ) -> Result<Option<u64>, VaultError> {
        let Some(receiver) = self.receivers.first_mut() else {
            return Ok(None);
        };
        let event = receiver.accept(frame, moment, &mut self.keys, &mut Meter::new())?;
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
                let verdict = event
                    .as_ref()
                    .map_or(FrameVerdict::TagWithoutData, FrameVerdict::of);
                pending.push(judged(verdict));
                match event {
                    Some(Event::Authentic { payload, .. }) => self.settle(payload, frame, pending),
                    // As published, it is over with the message, too.
                    Some(Event::WrongTag(_)) if table.is_as_published() => {
                        self.drop_first(FrameVerdict::WrongTag, pending);
                    }
                    _ => {}
                }
                Ok(None)
            }
            PairedFrameKind::Message => {
                match event {
                    Some(Event::Missing(_)) => self.drop_first(FrameVerdict::Missing, pending),
                    Some(event) => {
                        self.drop_first(FrameVerdict::of(&event), pending);
                        pending.push(judged(FrameVerdict::of(&event)));
                        return Ok(None);
                    }
                    None => {}
                }
                let payload = Payload::new(frame.data());
                let plain = match frame.id() == id {
                    true => Some(*frame),
                    false => Frame::classic(id, frame.data()).ok(),
                };
                let number = pending.push(PendingRecord {
                    record: *record,
                    row: Some(self.row),
                    verdict: None,
                    plain: plain.map(|frame| with_frame(record, frame)),
                    freshness: None,
                });
                let id = frame.id();
                self.untagged.push_back(UntaggedMessage {
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
    fn settle(&mut self, payload: Payload, tag: &Frame, pending: &mut PendingRecords) {
        let low = |id: Id| match id {
            Id::Extended(id) => id.raw() as u16,
            Id::Standard(_) => 0,
        };
        let is_it = |own: &UntaggedMessage| own.payload == payload && low(own.id) == low(tag.id());
        let Some(at) = self.untagged.iter().rposition(is_it) else {
            return;
        };
        for (place, own) in self.untagged.drain(..=at).enumerate() {
            let verdict = match place == at {
                true => FrameVerdict::Authentic,
                false => FrameVerdict::Missing,
            };
            pending.judge(own.number, verdict);
        }
    }

    fn drop_first(&mut self, verdict: FrameVerdict, pending: &mut PendingRecords) {
        if let Some(own) = self.untagged.pop_front() {
            pending.judge(own.number, verdict);
        }
    }

    /// Gives up a message that waits, if the receiver does. One as published waits for as long as
    /// it takes, and so does its message here.
    pub(super) fn expire(&mut self, number: u64, now: Instant, pending: &mut PendingRecords) {
        let is_first = self
            .untagged
            .front()
            .is_some_and(|own| own.number == number);
        if is_first
            && let Some(receiver) = self.receivers.first_mut()
            && receiver.expire(now).is_some()
        {
            self.drop_first(FrameVerdict::Missing, pending);
        }
    }
}

fn secoc_receiver(receiver: &StreamReceiver) -> Option<&secoc::Receiver> {
    match receiver {
        StreamReceiver::Secoc(receiver) => Some(receiver),
        _ => None,
    }
}

/// Says what SecOC's receiver knows of a frame before it takes it.
fn secoc_report(receiver: &StreamReceiver, frame: &Frame, moment: &Moment) -> FreshnessReport {
    let receiver = secoc_receiver(receiver);
    FreshnessReport {
        verified: None,
        expected: receiver.and_then(|receiver| receiver.expected(&moment.horizon)),
        received: receiver.and_then(|receiver| receiver.stream().trailer(frame)),
    }
}

impl PairedFrameKind {
    /// Tells it by the identifier.
    pub(super) fn of(wire: Wire, frame: &Frame) -> Self {
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
}
