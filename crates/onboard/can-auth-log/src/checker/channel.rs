//! One channel of a log that is checked: its streams, its announcements, and until when messages
//! wait for their tags.

use std::collections::{HashMap, VecDeque};

use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::paired::TAG_WITHIN;
use waywarden_can_auth::secoc::Epoch;
use waywarden_can_auth::stream::EcuMoment;
use waywarden_can_log::Record;
use waywarden_work::Instant;

use super::announcements::{self, AnnouncementReceiver};
use super::epochs::KnownEpochs;
use super::pending::{PENDING_MAX, PendingRecord, PendingRecords};
use super::secured::JudgedAt;
use super::stream::{CheckedStream, PairedFrameKind};
use crate::error::CheckLogError;
use crate::judging::Judging;
use crate::plan::{AuthenticationPlan, StreamMatch, id_text};
use crate::summary::StreamCounts;
use crate::verdict::FrameVerdict;

/// A channel.
pub(super) struct CheckedChannel {
    name: String,
    bus: String,
    streams: HashMap<Id, CheckedStream>,
    /// Receivers of announcements, each with the index of its counts.
    followers: Vec<(usize, AnnouncementReceiver)>,
    judging: Judging,
    /// The latest time so far: it does not go back where the log's does.
    now: Instant,
    /// The index of the counts of frames of no stream.
    unknown: Option<usize>,
    /// Times at which messages are given up, in order.
    deadlines: VecDeque<(Instant, Id, u64)>,
}

impl CheckedChannel {
    pub(super) fn new(
        plan: &AuthenticationPlan,
        (name, bus): (&str, String),
        (judging, announced): (Judging, Vec<Vec<Epoch>>),
        counts: &mut Vec<StreamCounts>,
    ) -> Result<Self, KeyStoreError> {
        let mut followers = Vec::new();
        let mut announced = announced.into_iter();
        for mut own in announcements::receivers(plan, &bus)? {
            own.foresee(announced.next().unwrap_or_default());
            let stream = format!("{}, announcements", id_text(Id::Standard(own.id())));
            let protocol = plan.tables[own.table()].protocol_name.clone();
            followers.push((counts.len(), own));
            counts.push(StreamCounts::new(name, stream, protocol));
        }
        Ok(CheckedChannel {
            name: name.to_owned(),
            bus,
            streams: HashMap::new(),
            followers,
            judging,
            now: Instant::ZERO,
            unknown: None,
            deadlines: VecDeque::new(),
        })
    }

    /// Goes on to the time of a record: gives up messages whose tags did not come in time. Where
    /// the log's time stands still, the oldest deadlines are dropped; waiting records have a bound
    /// of their own.
    pub(super) fn advance(&mut self, at_ns: u64, pending: &mut PendingRecords) {
        self.now = self.now.max(Instant::from_nanos(at_ns));
        while let Some(&(until, id, number)) = self.deadlines.front()
            && (until <= self.now || self.deadlines.len() > PENDING_MAX)
        {
            self.deadlines.pop_front();
            if let Some(stream) = self.streams.get_mut(&id) {
                stream.expire(number, self.now, pending);
            }
        }
    }

    /// Returns the index of the counts of frames of no stream.
    pub(super) fn unknown(&mut self, counts: &mut Vec<StreamCounts>) -> usize {
        *self.unknown.get_or_insert_with(|| {
            counts.push(StreamCounts::new(
                &self.name,
                "none".to_owned(),
                String::new(),
            ));
            counts.len() - 1
        })
    }

    /// Adds to the counts at which counters the streams begin.
    pub(super) fn report_first_counters(&self, counts: &mut [StreamCounts]) {
        for stream in self.streams.values() {
            if let Some(row) = counts.get_mut(stream.row) {
                row.first_counter = stream.first_counter();
            }
        }
    }

    /// Takes a frame if it is an announcement.
    pub(super) fn announced(
        &mut self,
        frame: &Frame,
        record: &Record,
        pending: &mut PendingRecords,
    ) -> Result<bool, KeyStoreError> {
        for (row, own) in &mut self.followers {
            let before = own.report(frame);
            if let Some(event) = own.accept(frame)? {
                let verdict = FrameVerdict::of(&event);
                let judged = PendingRecord::judged(record, *row, verdict, None);
                pending.push(judged.with_freshness(own.completed(before, verdict)));
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Shows the stream that a frame asks about the question.
    pub(super) fn overhear(&mut self, frame: &Frame) {
        if let Some(stream) = question_about(frame).and_then(|id| self.streams.get_mut(&id)) {
            stream.overhear(frame);
        }
    }

    /// Takes a frame if it is of a stream.
    pub(super) fn message(
        &mut self,
        plan: &AuthenticationPlan,
        frame: &Frame,
        (record, is_full): (&Record, bool),
        counts: &mut Vec<StreamCounts>,
        pending: &mut PendingRecords,
    ) -> Result<bool, CheckLogError> {
        let asks = |id| plan.tables.iter().any(|table| table.is_asked_under(id));
        if let Id::Extended(id) = frame.id()
            && asks(id)
        {
            let (row, verdict) = (self.unknown(counts), FrameVerdict::Unchecked);
            pending.push(PendingRecord::judged(record, row, verdict, None));
            return Ok(true);
        }
        let kind_in = |found: &StreamMatch<'_>| {
            let table = &plan.tables[found.table];
            let separate = || table.separate_kind(found.id, frame.id());
            let wire = table.wire().map(|wire| PairedFrameKind::of(wire, frame));
            wire.or_else(|| Some(PairedFrameKind::of_separate(separate()?)))
        };
        let mut all = plan.streams_of_protected(&self.bus, frame);
        // What is no message makes no stream, unless it has the name of one.
        let found = all.find(|found| match kind_in(found) {
            None | Some(PairedFrameKind::Message) => true,
            // The cryptographic PDU may be the first.
            Some(_) if plan.tables[found.table].is_separate(found.id) => true,
            Some(PairedFrameKind::Foreign) if plan.owns(found, frame) => true,
            Some(_) => self.streams.contains_key(&found.id),
        });
        let Some(found) = found else {
            return Ok(false);
        };
        let (table, kind) = (&plan.tables[found.table], kind_in(&found));
        if !self.streams.contains_key(&found.id) {
            if is_full {
                return Err(CheckLogError::TooManyStreams);
            }
            let (name, row) = (found.name(), counts.len());
            let protocol = table.protocol_name.clone();
            counts.push(StreamCounts::new(&self.name, name, protocol));
            let stream = CheckedStream::new(plan, &found, row, self.judging)?;
            self.streams.insert(found.id, stream);
        }
        let mut followers = self.followers.iter().map(|(_, own)| own);
        let follower = followers.find(|own| own.is_of(found.table));
        let mut moment = EcuMoment::at(self.now);
        if let Some(own) = follower {
            moment.freshness_state = own.freshness_state();
        }
        let at = JudgedAt {
            epochs: follower.map_or_else(KnownEpochs::default, AnnouncementReceiver::epochs),
            now: self.now,
            waits: self.judging == Judging::Log,
        };
        let Some(stream) = self.streams.get_mut(&found.id) else {
            return Ok(false);
        };
        match kind {
            _ if !stream.is_of(found.table) => stream.refuse(record, pending),
            Some(PairedFrameKind::Foreign) => stream.refuse(record, pending),
            None if stream.judge.is_some() => {
                stream.judged(plan, &found, (record, frame), &at, pending)?;
            }
            None => stream.secured(plan, &found, (record, frame), &moment, pending)?,
            Some(kind) => {
                let both = (record, frame);
                let waits = match stream.is_separate() && stream.judge.is_some() {
                    true => stream.separate(kind, both, &at, pending)?,
                    false => stream.paired(table, kind, both, &moment, found.id, pending)?,
                };
                if let Some(number) = waits {
                    self.deadlines
                        .push_back((self.now + TAG_WITHIN, found.id, number));
                }
            }
        }
        Ok(true)
    }
}

/// Returns the stream that a frame asks about, if it is a question of vatiCAN's or LeiA's.
fn question_about(frame: &Frame) -> Option<Id> {
    let [low, high, ..] = *frame.data() else {
        return None;
    };
    let id = StandardId::new(u16::from_le_bytes([low, high])).ok()?;
    matches!(frame.id(), Id::Extended(_)).then_some(Id::Standard(id))
}
