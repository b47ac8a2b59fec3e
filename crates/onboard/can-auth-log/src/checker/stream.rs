//! A stream: its receiver, and the messages that wait for their tags as the receiver has them.

use std::collections::VecDeque;

use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::paired::WireForm;
use waywarden_can_auth::secoc::{self, FreshnessValue, FreshnessWidths, Trailer};
use waywarden_can_auth::stream::{Check as _, EcuMoment};
use waywarden_can_log::Record;
use waywarden_work::{Instant, NoMeter};

use super::FreshnessReport;
use super::allowance::CounterSearch;
use super::judge::StreamJudge;
use super::pending::{PendingRecord, PendingRecords};
use crate::error::CheckLogError;
use crate::judging::Judging;
use crate::plan::{AuthenticationPlan, StreamMatch};
use crate::records::with_frame;
use crate::secured_frame::{self, NO_SECURED_FRAME};
use crate::stream_keys::StreamKeys;
use crate::stream_state::{self, StreamReceiver};
use crate::verdict::FrameVerdict;

/// A stream.
pub(super) struct CheckedStream {
    pub(super) table: usize,
    /// The index of its counts.
    pub(super) row: usize,
    pub(super) keys: StreamKeys,
    /// The receiver; several while it is not known which layout the frames have.
    pub(super) receivers: Vec<StreamReceiver>,
    pub(super) is_layout_known: bool,
    /// Judges SecOC's frames, unless a receiver does.
    pub(super) judge: Option<StreamJudge>,
    /// Finds the counter of vatiCAN's and LeiA's messages, unless a receiver judges them.
    pub(super) counter_search: Option<CounterSearch>,
    /// Messages that wait for their tags, oldest first, as the receiver has them.
    pub(super) untagged: VecDeque<UntaggedMessage>,
    /// Cryptographic PDUs that may have overtaken their messages, oldest first.
    pub(super) early: VecDeque<EarlyCode>,
}

/// A message whose tag has not come yet.
#[derive(Clone, Copy)]
pub(super) struct UntaggedMessage {
    pub(super) number: u64,
    pub(super) payload: CanPayload,
    pub(super) id: Id,
}

/// A cryptographic PDU that no message before it fits.
pub(super) struct EarlyCode {
    pub(super) number: u64,
    pub(super) received: Trailer,
    /// The verdict unless a message follows.
    pub(super) fallback: FrameVerdict,
    pub(super) until: Instant,
}

/// Kind of a frame in a stream whose tags have frames of their own.
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
        judging: Judging,
    ) -> Result<Self, CheckLogError> {
        let table = &plan.tables[found.table];
        let mut keys = found.keys(table)?;
        let mut receivers = Vec::new();
        let is_layout_known = table.profile().is_none() || found.layout.is_some();
        if is_layout_known {
            let secured = found.secured(found.layout.unwrap_or(NO_SECURED_FRAME));
            let begin = (plan.epoch, plan.first_counter(found));
            let receiver =
                stream_state::receiver(&table.protocol, found.id, secured, begin, &mut keys)?;
            receivers.push(receiver);
        }
        Ok(CheckedStream {
            table: found.table,
            row,
            keys,
            receivers,
            is_layout_known,
            judge: match judging {
                Judging::Log | Judging::Live => table.profile().map(|profile| {
                    let counter = plan.first_counter(found);
                    StreamJudge::new(before_counter(profile.freshness(), counter))
                }),
                Judging::Ecu => None,
            },
            counter_search: match judging {
                Judging::Log | Judging::Live => {
                    let is_given = plan.first_counter(found).is_some();
                    let search = |_| CounterSearch::new(table.mac, is_given);
                    table.wire().map(search)
                }
                Judging::Ecu => None,
            },
            untagged: VecDeque::new(),
            early: VecDeque::new(),
        })
    }

    /// Returns true if its codes have PDUs of their own.
    pub(super) fn is_separate(&self) -> bool {
        matches!(self.receivers[..], [StreamReceiver::SeparateSecoc(_)])
    }

    /// Returns the counter of the first authentic message, where freshness is a counter.
    pub(super) fn first_counter(&self) -> Option<u64> {
        if let Some(search) = &self.counter_search {
            return search.first;
        }
        let first = self.judge.as_ref()?.first()?;
        first.message.filter(|_| first.epoch.is_none())
    }

    /// Has a message wait for its tag.
    pub(super) fn await_tag(&mut self, number: u64, payload: CanPayload, id: Id) {
        self.untagged.push_back(UntaggedMessage {
            number,
            payload,
            id,
        });
    }

    /// Tries all layouts that a secured frame may have, until one frame was authentic.
    pub(super) fn renew_layouts(
        &mut self,
        plan: &AuthenticationPlan,
        found: &StreamMatch<'_>,
        frame: &Frame,
    ) {
        let table = &plan.tables[self.table];
        if let (false, Some(profile)) = (self.is_layout_known, table.profile()) {
            let layouts = secured_frame::possible_layouts(profile, frame, table.widens).into_iter();
            let (begin, keys) = ((plan.epoch, None), &mut self.keys);
            self.receivers = layouts
                .filter_map(|layout| {
                    let secured = found.secured(layout);
                    stream_state::receiver(&table.protocol, found.id, secured, begin, keys).ok()
                })
                .collect();
        }
    }

    /// Returns true if it is a stream of this table.
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
        moment: &EcuMoment,
        pending: &mut PendingRecords,
    ) -> Result<(), KeyStoreError> {
        self.renew_layouts(plan, found, frame);
        let table = &plan.tables[self.table];
        let (mut verdict, mut message) = (FrameVerdict::WrongTag, None);
        let mut report = match &self.receivers[..] {
            [only] => secoc_report(only, frame, moment),
            _ => FreshnessReport::default(),
        };
        for at in 0..self.receivers.len() {
            let receiver = &mut self.receivers[at];
            stream_state::retain(receiver);
            let event = receiver.accept(frame, moment, &mut self.keys, &mut NoMeter);
            match event? {
                Some(FrameOutcome::Authentic { payload, .. }) => {
                    (verdict, message) = (FrameVerdict::Authentic, Some(payload));
                    report.verified = secoc_receiver(receiver).and_then(secoc::SecocReceiver::last);
                    report.received = secoc_report(receiver, frame, moment).received;
                    self.receivers.swap(0, at);
                    self.receivers.truncate(1);
                    self.is_layout_known = true;
                    break;
                }
                Some(FrameOutcome::WrongTag(_)) | None => {}
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

    /// Judges the messages up to one whose tag came, which have waited in this order.
    pub(super) fn settle_at(&mut self, at: usize, pending: &mut PendingRecords) {
        for (place, own) in self.untagged.drain(..=at).enumerate() {
            let verdict = match place == at {
                true => FrameVerdict::Authentic,
                false => FrameVerdict::Missing,
            };
            pending.judge(own.number, verdict);
        }
    }

    pub(super) fn drop_first(&mut self, verdict: FrameVerdict, pending: &mut PendingRecords) {
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
        if is_first && self.judge.is_some() && self.is_separate() {
            self.drop_first(FrameVerdict::Missing, pending);
        } else if is_first
            && let Some(receiver) = self.receivers.first_mut()
            && receiver.expire(now).is_some()
        {
            self.drop_first(FrameVerdict::Missing, pending);
        }
    }
}

/// Returns the value before the first counter of a stream: `counter`, or 1 as in AUTOSAR.
fn before_counter(freshness: FreshnessWidths, counter: Option<u64>) -> Option<FreshnessValue> {
    let before = counter.unwrap_or(1).checked_sub(1)?;
    freshness.is_counter().then_some(FreshnessValue {
        epoch: None,
        message: Some(before),
    })
}

pub(super) fn secoc_receiver(receiver: &StreamReceiver) -> Option<&secoc::SecocReceiver> {
    match receiver {
        StreamReceiver::Secoc(receiver) => Some(receiver),
        _ => None,
    }
}

/// Returns the freshness at SecOC's receiver before it takes a frame.
fn secoc_report(receiver: &StreamReceiver, frame: &Frame, moment: &EcuMoment) -> FreshnessReport {
    let receiver = secoc_receiver(receiver);
    FreshnessReport {
        verified: None,
        expected: receiver.and_then(|receiver| receiver.expected(&moment.freshness_state)),
        received: receiver.and_then(|receiver| receiver.stream().trailer(frame)),
    }
}

impl PairedFrameKind {
    /// Tells a message from its cryptographic PDU.
    pub(super) const fn of_separate(is_message: bool) -> Self {
        match is_message {
            true => PairedFrameKind::Message,
            false => PairedFrameKind::Tag,
        }
    }

    /// Tells it by the identifier.
    pub(super) fn of(wire: WireForm, frame: &Frame) -> Self {
        match (wire, frame.id()) {
            _ if frame.is_fd() => PairedFrameKind::Foreign,
            (WireForm::Leia, Id::Standard(_)) => PairedFrameKind::Foreign,
            (WireForm::Vatican, Id::Standard(id)) if id.raw() % 2 == 0 => PairedFrameKind::Message,
            (WireForm::Vatican, Id::Standard(_)) => PairedFrameKind::Tag,
            (WireForm::Leia, Id::Extended(id)) => match (id.raw() >> 16 & 3, id.base() % 2) {
                (0, 0) => PairedFrameKind::Message,
                (1, 1) => PairedFrameKind::Tag,
                _ => PairedFrameKind::Resynchronisation,
            },
            _ => PairedFrameKind::Resynchronisation,
        }
    }
}
