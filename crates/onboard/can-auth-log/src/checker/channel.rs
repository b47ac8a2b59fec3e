//! One channel of a log that is checked: its streams, its announcements, and until when messages
//! wait for their tags.

use std::collections::{HashMap, VecDeque};

use waywarden_can::{Frame, Id};
use waywarden_can_auth::paired::TAG_WITHIN;
use waywarden_can_auth::stream::Moment;
use waywarden_can_auth::vault::VaultError;
use waywarden_can_log::Record;
use waywarden_work::Instant;

use super::announcements::AnnouncementReceiver;
use super::pending::{PENDING_MAX, PendingRecord, PendingRecords};
use super::stream::{CheckedStream, PairedFrameKind};
use crate::error::CheckLogError;
use crate::plan::{AuthenticationPlan, StreamMatch, id_text};
use crate::summary::StreamCounts;
use crate::verdict::FrameVerdict;

/// A channel.
pub(super) struct CheckedChannel {
    name: String,
    bus: String,
    streams: HashMap<Id, CheckedStream>,
    followers: Vec<AnnouncementReceiver>,
    /// The latest time so far: it does not go back where the log's does.
    now: Instant,
    /// The index of the counts of frames of no stream.
    unknown: Option<usize>,
    /// Which messages are given up when, in order.
    deadlines: VecDeque<(Instant, Id, u64)>,
}

impl CheckedChannel {
    pub(super) fn new(
        plan: &AuthenticationPlan,
        name: &str,
        bus: String,
        counts: &mut Vec<StreamCounts>,
    ) -> Result<Self, VaultError> {
        let mut followers = Vec::new();
        for (at, table) in plan.tables.iter().enumerate() {
            let own = table.announcements.as_ref().filter(|_| table.is_on(&bus));
            if let Some(own) = own {
                let row = counts.len();
                let stream = format!("{}, announcements", id_text(Id::Standard(own.sync.id())));
                counts.push(StreamCounts::new(name, stream, table.protocol_name.clone()));
                followers.push(AnnouncementReceiver::new(own, at, row, plan.epoch)?);
            }
        }
        Ok(CheckedChannel {
            name: name.to_owned(),
            bus,
            streams: HashMap::new(),
            followers,
            now: Instant::ZERO,
            unknown: None,
            deadlines: VecDeque::new(),
        })
    }

    /// Goes on to the time of a record: gives up messages whose tags did not come in time. Where
    /// the log's time stands still, the oldest deadlines are forgotten; the records that wait have
    /// a bound of their own.
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

    /// Takes a frame if it is an announcement.
    pub(super) fn announced(
        &mut self,
        frame: &Frame,
        record: &Record,
        pending: &mut PendingRecords,
    ) -> Result<bool, VaultError> {
        for own in &mut self.followers {
            let before = own.report(frame);
            if let Some(event) = own.accept(frame)? {
                let verdict = FrameVerdict::of(&event);
                let judged = PendingRecord::judged(record, own.row(), verdict, None);
                pending.push(judged.with_freshness(own.completed(before, verdict)));
                return Ok(true);
            }
        }
        Ok(false)
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
            let wire = plan.tables[found.table].wire();
            wire.map(|wire| PairedFrameKind::of(wire, frame))
        };
        let mut all = plan.streams_of_protected(&self.bus, frame);
        // What is no message makes no stream, unless it has the name of one.
        let found = all.find(|found| match kind_in(found) {
            None | Some(PairedFrameKind::Message) => true,
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
            let stream = CheckedStream::new(plan, &found, row)?;
            self.streams.insert(found.id, stream);
        }
        let follower = self.followers.iter().find(|own| own.is_of(found.table));
        let mut moment = Moment::at(self.now);
        if let Some(own) = follower {
            moment.horizon = own.horizon();
        }
        let Some(stream) = self.streams.get_mut(&found.id) else {
            return Ok(false);
        };
        match kind {
            _ if !stream.is_of(found.table) => stream.refuse(record, pending),
            Some(PairedFrameKind::Foreign) => stream.refuse(record, pending),
            None => stream.secured(plan, &found, (record, frame), &moment, pending)?,
            Some(kind) => {
                let both = (record, frame);
                let waits = stream.paired(table, kind, both, &moment, found.id, pending)?;
                if let Some(number) = waits {
                    self.deadlines
                        .push_back((self.now + TAG_WITHIN, found.id, number));
                }
            }
        }
        Ok(true)
    }
}
