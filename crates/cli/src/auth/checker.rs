//! Checks the frames of a protected log, and gives back the messages as they were.
//!
//! Each stream is checked by itself, with the frames of its own identifiers: that a receiver as
//! published takes whatever comes next for the tag is its ECU's trouble, not the log's.
//!
//! The verdict on a message whose tag has a frame of its own is known when the tag was there, or
//! should have been. Until then it waits, and all behind it, so that the log keeps its order.

mod pending;
mod stream;

use std::collections::{HashMap, VecDeque};

use waywarden_can::{Frame, Id};
use waywarden_can_auth::paired::TAG_WITHIN;
use waywarden_can_auth::secoc::{Epoch, FreshnessFollower};
use waywarden_can_auth::stream::Moment;
use waywarden_can_log::{Channel, Channels, Record};
use waywarden_work::{Instant, Meter};

use self::pending::{PENDING_MAX, PendingRecord, PendingRecords};
use self::stream::{CheckedStream, PairedFrameKind, paired_frame_kind};
use super::plan::{self, AuthenticationPlan, FreshnessAnnouncements, StreamMatch};
use super::protector::LOG_STREAMS_MAX;
use super::stream_keys::StreamKeys;
use super::summary::{CheckSummary, StreamCounts};
use super::verdict::FrameVerdict;

/// How many announcements are retained ahead: a log has no resets, so each is taken at once.
const AHEAD: u32 = 4;

/// A record with its verdict.
pub(super) struct CheckedRecord {
    pub(super) record: Record,
    pub(super) verdict: FrameVerdict,
    /// What it was before it was protected; none for what was put in, and what is not authentic.
    pub(super) plain: Option<Record>,
}

/// Checks one log.
pub(super) struct LogChecker<'p> {
    plan: &'p AuthenticationPlan,
    lanes: Vec<CheckedChannel>,
    rows: Vec<StreamCounts>,
    queue: PendingRecords,
}

/// A channel.
struct CheckedChannel {
    name: String,
    bus: String,
    lines: HashMap<Id, CheckedStream>,
    followers: Vec<AnnouncementReceiver>,
    now: Instant,
    unknown: Option<usize>,
    /// Which messages are given up when, in order.
    deadlines: VecDeque<(Instant, Id, u64)>,
}

/// Who hears the announcements on a channel.
struct AnnouncementReceiver {
    table: usize,
    row: usize,
    follower: FreshnessFollower,
    codes: StreamKeys,
}

impl<'p> LogChecker<'p> {
    pub(super) fn new(plan: &'p AuthenticationPlan) -> Self {
        LogChecker {
            plan,
            lanes: Vec::new(),
            rows: Vec::new(),
            queue: PendingRecords::default(),
        }
    }

    /// Takes a record; hands out what is judged by then, in order.
    ///
    /// # Errors
    /// Why it cannot be checked, in words.
    pub(super) fn take(
        &mut self,
        record: &Record,
        channels: &Channels,
        out: &mut Vec<CheckedRecord>,
    ) -> Result<(), String> {
        let at = self.lane(record.channel, channels)?;
        let LogChecker {
            plan,
            lanes,
            rows,
            queue,
        } = self;
        let lane = &mut lanes[at];
        lane.now = lane.now.max(Instant::from_nanos(record.at_ns));
        lane.expire(queue);
        match record.entry.frame() {
            None => {
                queue.push(PendingRecord::of_none(record, None));
            }
            Some(frame) => {
                let streams = rows.len();
                let is_full = streams >= LOG_STREAMS_MAX;
                let known = lane.announced(frame, record, queue)?
                    || lane.message(plan, frame, (record, is_full), rows, queue)?;
                if !known {
                    let row = lane.unknown(rows);
                    queue.push(PendingRecord::of_none(record, Some(row)));
                }
            }
        }
        queue.bound();
        queue.hand_out(rows, out);
        Ok(())
    }

    /// Ends the log: what still waits for its tag is missing it.
    pub(super) fn finish(mut self, out: &mut Vec<CheckedRecord>) -> CheckSummary {
        self.queue.end();
        self.queue.hand_out(&mut self.rows, out);
        CheckSummary::new(self.rows)
    }

    fn lane(&mut self, channel: Channel, channels: &Channels) -> Result<usize, String> {
        for (_, name) in channels.iter().skip(self.lanes.len()) {
            let bus = self.plan.bus(name)?;
            let mut followers = Vec::new();
            for (at, table) in self.plan.tables.iter().enumerate() {
                let own = table.announcements.as_ref().filter(|_| table.is_on(&bus));
                if let Some(own) = own {
                    let row = self.rows.len();
                    let stream = format!(
                        "{}, announcements",
                        plan::id_text(Id::Standard(own.sync.id()))
                    );
                    self.rows
                        .push(StreamCounts::new(name, stream, table.protocol_name.clone()));
                    followers.push(AnnouncementReceiver::new(own, at, row, self.plan.epoch)?);
                }
            }
            self.lanes.push(CheckedChannel {
                name: name.to_owned(),
                bus,
                lines: HashMap::new(),
                followers,
                now: Instant::ZERO,
                unknown: None,
                deadlines: VecDeque::new(),
            });
        }
        Ok(channel.index())
    }
}

impl CheckedChannel {
    fn unknown(&mut self, rows: &mut Vec<StreamCounts>) -> usize {
        *self.unknown.get_or_insert_with(|| {
            rows.push(StreamCounts::new(
                &self.name,
                "none".to_owned(),
                String::new(),
            ));
            rows.len() - 1
        })
    }

    /// Takes a frame if it is an announcement.
    fn announced(
        &mut self,
        frame: &Frame,
        record: &Record,
        queue: &mut PendingRecords,
    ) -> Result<bool, String> {
        for own in &mut self.followers {
            let event = own
                .follower
                .accept(frame, &mut own.codes, &mut Meter::new());
            let Some(event) = event.map_err(|error| error.to_string())? else {
                continue;
            };
            if let Some(epoch) = own.follower.to_retain() {
                own.follower.retained(epoch);
            }
            queue.push(PendingRecord::judged(
                record,
                own.row,
                FrameVerdict::of(&event),
                None,
            ));
            return Ok(true);
        }
        Ok(false)
    }

    /// Takes a frame if it is of a stream.
    fn message(
        &mut self,
        plan: &AuthenticationPlan,
        frame: &Frame,
        (record, is_full): (&Record, bool),
        rows: &mut Vec<StreamCounts>,
        queue: &mut PendingRecords,
    ) -> Result<bool, String> {
        let asks = |id| plan.tables.iter().any(|table| table.is_asked_under(id));
        if let Id::Extended(id) = frame.id()
            && asks(id)
        {
            let row = self.unknown(rows);
            queue.push(PendingRecord::judged(
                record,
                row,
                FrameVerdict::Unchecked,
                None,
            ));
            return Ok(true);
        }
        let of = |found: &StreamMatch<'_>| {
            let wire = plan.tables[found.table].wire();
            wire.map(|wire| paired_frame_kind(wire, frame))
        };
        let mut all = plan.streams_of_protected(&self.bus, frame);
        // What is no message makes no stream, unless it has the name of one.
        let found = all.find(|found| match of(found) {
            None | Some(PairedFrameKind::Message) => true,
            Some(PairedFrameKind::Foreign) if plan.owns(found, frame) => true,
            Some(_) => self.lines.contains_key(&found.id),
        });
        let Some(found) = found else {
            return Ok(false);
        };
        let (table, part) = (&plan.tables[found.table], of(&found));
        if !self.lines.contains_key(&found.id) {
            if is_full {
                return Err(format!(
                    "more than {LOG_STREAMS_MAX} streams; name those to be checked"
                ));
            }
            let name = found.name();
            let row = rows.len();
            rows.push(StreamCounts::new(
                &self.name,
                name,
                table.protocol_name.clone(),
            ));
            self.lines
                .insert(found.id, CheckedStream::new(plan, &found, row)?);
        }
        let follower = self.followers.iter().find(|own| own.table == found.table);
        let mut moment = Moment::at(self.now);
        if let Some(own) = follower {
            moment.horizon = own.follower.horizon();
        }
        let Some(line) = self.lines.get_mut(&found.id) else {
            return Ok(false);
        };
        match part {
            _ if !line.is_of(found.table) => line.refuse(record, queue),
            Some(PairedFrameKind::Foreign) => line.refuse(record, queue),
            None => line.secured(plan, &found, (record, frame), &moment, queue)?,
            Some(part) => {
                let waits = line.paired(table, part, (record, frame), &moment, found.id, queue)?;
                if let Some(number) = waits {
                    self.deadlines
                        .push_back((self.now + TAG_WITHIN, found.id, number));
                }
            }
        }
        Ok(true)
    }

    /// Gives up messages whose tags did not come in time. Where the log's time stands still, the
    /// oldest deadlines are forgotten; the records that wait have a bound of their own.
    fn expire(&mut self, queue: &mut PendingRecords) {
        while let Some(&(until, id, number)) = self.deadlines.front()
            && (until <= self.now || self.deadlines.len() > PENDING_MAX)
        {
            self.deadlines.pop_front();
            if let Some(line) = self.lines.get_mut(&id) {
                line.expire(number, self.now, queue);
            }
        }
    }
}

impl AnnouncementReceiver {
    /// Trips before `epoch` are over.
    fn new(
        own: &FreshnessAnnouncements,
        table: usize,
        row: usize,
        epoch: u32,
    ) -> Result<Self, String> {
        let before = Epoch {
            trip: epoch - 1,
            reset: u32::MAX,
        };
        let retained = Some(before).filter(|before| before.trip > 0);
        Ok(AnnouncementReceiver {
            table,
            row,
            follower: FreshnessFollower::new(own.sync, retained, AHEAD),
            codes: own.codes()?,
        })
    }
}
