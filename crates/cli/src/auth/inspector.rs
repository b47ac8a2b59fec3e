//! Checks the frames of a protected log, and gives back the messages as they were.
//!
//! Each stream is checked by itself, with the frames of its own identifiers: that a receiver as
//! published takes whatever comes next for the tag is its ECU's trouble, not the log's.
//!
//! The verdict on a message whose tag has a frame of its own is known when the tag was there, or
//! should have been. Until then it waits, and all behind it, so that the log keeps its order.

use std::collections::{HashMap, VecDeque};

use waywarden_can::{Format, Frame, Id};
use waywarden_can_auth::event::{Event, Payload};
use waywarden_can_auth::paired::{TAG_WITHIN, Wire};
use waywarden_can_auth::secoc::FreshnessFollower;
use waywarden_can_auth::stream::{Check as _, Moment};
use waywarden_can_log::{Channel, Channels, Entry, Record};
use waywarden_work::{Instant, Meter};

use super::codes::Codes;
use super::ends::{self, Checking};
use super::plan::{Announcements, Found, Plan, Table};
use super::protector::STREAMS_MAX;
use super::summary::{Row, Summary};

/// How many records wait at the most. Where more would, the oldest message is given up.
const WAITING_MAX: usize = 1 << 16;

/// How many announcements are retained ahead: a log has no resets, so each is taken at once.
const AHEAD: u32 = 4;

/// What came of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// From who it says, as it was sent, newer than all before.
    Authentic,
    /// The code is not that of the frame.
    WrongTag,
    /// The counter was there before.
    Replay,
    /// The tag never came.
    Missing,
    /// A tag to which there is no message.
    TagWithoutData,
    /// The state of the stream does not fit: no announcement was heard, or too much was lost.
    OutOfStep,
    /// A question about a stream, or an answer: nobody here asked.
    Unchecked,
    /// Of no stream.
    Unknown,
}

/// A record with its verdict.
pub(super) struct Judged {
    pub(super) record: Record,
    pub(super) verdict: Verdict,
    /// What it was before it was protected; none for what was put in, and what is not authentic.
    pub(super) plain: Option<Record>,
}

/// Checks one log.
pub(super) struct Inspector<'p> {
    plan: &'p Plan,
    lanes: Vec<Lane>,
    rows: Vec<Row>,
    queue: Queue,
}

/// Records that wait for a verdict, theirs or that of one before them.
#[derive(Default)]
struct Queue {
    entries: VecDeque<Waiting>,
    /// How many left.
    gone: u64,
}

struct Waiting {
    record: Record,
    row: Option<usize>,
    verdict: Option<Verdict>,
    plain: Option<Record>,
}

/// A channel.
struct Lane {
    name: String,
    bus: String,
    lines: HashMap<Id, Line>,
    followers: Vec<Follower>,
    now: Instant,
    unknown: Option<usize>,
    /// Which messages are given up when, in order.
    deadlines: VecDeque<(Instant, Id, u64)>,
}

/// A stream.
struct Line {
    table: usize,
    row: usize,
    codes: Codes,
    /// The receiver; several while it is not known which layout the frames have.
    ends: Vec<Checking>,
    is_learned: bool,
    /// Messages that wait for their tags, oldest first, as the receiver has them.
    pending: VecDeque<Pending>,
}

#[derive(Clone, Copy)]
struct Pending {
    number: u64,
    payload: Payload,
    id: Id,
}

/// Who hears the announcements on a channel.
struct Follower {
    table: usize,
    row: usize,
    follower: FreshnessFollower,
    codes: Codes,
}

/// Which part a frame has in a stream whose tags have frames of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Data,
    Tag,
    Other,
}

impl Verdict {
    /// In a word or two.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Verdict::Authentic => "authentic",
            Verdict::WrongTag => "wrong tag",
            Verdict::Replay => "replay",
            Verdict::Missing => "missing",
            Verdict::TagWithoutData => "tag without data",
            Verdict::OutOfStep => "out of step",
            Verdict::Unchecked => "unchecked",
            Verdict::Unknown => "unknown id",
        }
    }

    fn of(event: &Event) -> Self {
        match event {
            Event::Authentic { .. } | Event::Resynced(_) => Verdict::Authentic,
            Event::Replay(_) => Verdict::Replay,
            Event::Missing(_) => Verdict::Missing,
            Event::UnexpectedTag(_) => Verdict::TagWithoutData,
            Event::Desync(_) => Verdict::OutOfStep,
            Event::UnknownId(_) => Verdict::Unknown,
            _ => Verdict::WrongTag,
        }
    }
}

impl<'p> Inspector<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        Inspector {
            plan,
            lanes: Vec::new(),
            rows: Vec::new(),
            queue: Queue::default(),
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
        out: &mut Vec<Judged>,
    ) -> Result<(), String> {
        let at = self.lane(record.channel, channels)?;
        let Inspector {
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
                queue.push(Waiting::of_none(record, None));
            }
            Some(frame) => {
                let streams = rows.len();
                let is_full = streams >= STREAMS_MAX;
                let known = lane.announced(frame, record, queue)?
                    || lane.message(plan, frame, (record, is_full), rows, queue)?;
                if !known {
                    let row = lane.unknown(rows);
                    queue.push(Waiting::of_none(record, Some(row)));
                }
            }
        }
        if queue.entries.len() > WAITING_MAX {
            queue.give_up_first();
        }
        self.hand_out(out);
        Ok(())
    }

    /// Ends the log: what still waits for its tag is missing it.
    pub(super) fn finish(mut self, out: &mut Vec<Judged>) -> Summary {
        for waiting in &mut self.queue.entries {
            waiting.verdict.get_or_insert(Verdict::Missing);
        }
        self.hand_out(out);
        Summary::new(self.rows)
    }

    fn hand_out(&mut self, out: &mut Vec<Judged>) {
        while let Some(waiting) = self.queue.entries.front()
            && let Some(verdict) = waiting.verdict
        {
            if let Some(row) = waiting.row.and_then(|row| self.rows.get_mut(row)) {
                row.count(verdict);
            }
            out.push(Judged {
                record: waiting.record,
                verdict,
                plain: waiting.plain,
            });
            self.queue.entries.pop_front();
            self.queue.gone += 1;
        }
    }

    fn lane(&mut self, channel: Channel, channels: &Channels) -> Result<usize, String> {
        for (_, name) in channels.iter().skip(self.lanes.len()) {
            let bus = self.plan.bus(name)?;
            let mut followers = Vec::new();
            for (at, table) in self.plan.tables.iter().enumerate() {
                let own = table.announcements.as_ref().filter(|_| table.is_on(&bus));
                if let Some(own) = own {
                    let row = self.rows.len();
                    let stream = format!("0x{:X}, announcements", own.sync.id().raw());
                    self.rows
                        .push(Row::new(name, stream, table.protocol_name.clone()));
                    followers.push(Follower::new(own, at, row)?);
                }
            }
            self.lanes.push(Lane {
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

impl Queue {
    /// Adds a record; returns its number.
    fn push(&mut self, waiting: Waiting) -> u64 {
        self.entries.push_back(waiting);
        self.gone + self.entries.len() as u64 - 1
    }

    /// Judges a record that waits; nothing if it was given up.
    fn judge(&mut self, number: u64, verdict: Verdict) {
        let at = number.checked_sub(self.gone).map(|at| at as usize);
        let waiting = at.and_then(|at| self.entries.get_mut(at));
        if let Some(waiting) = waiting {
            waiting.verdict.get_or_insert(verdict);
            if verdict != Verdict::Authentic {
                waiting.plain = None;
            }
        }
    }

    fn give_up_first(&mut self) {
        self.judge(self.gone, Verdict::Missing);
    }
}

impl Waiting {
    /// A record of no stream, which goes on as it is.
    fn of_none(record: &Record, row: Option<usize>) -> Self {
        Waiting {
            record: *record,
            row,
            verdict: Some(Verdict::Unknown),
            plain: Some(*record),
        }
    }

    fn judged(record: &Record, row: usize, verdict: Verdict, plain: Option<Record>) -> Self {
        let is_authentic = verdict == Verdict::Authentic;
        Waiting {
            record: *record,
            row: Some(row),
            verdict: Some(verdict),
            plain: plain.filter(|_| is_authentic),
        }
    }
}

impl Lane {
    fn unknown(&mut self, rows: &mut Vec<Row>) -> usize {
        *self.unknown.get_or_insert_with(|| {
            rows.push(Row::new(&self.name, "none".to_owned(), String::new()));
            rows.len() - 1
        })
    }

    /// Takes a frame if it is an announcement.
    fn announced(
        &mut self,
        frame: &Frame,
        record: &Record,
        queue: &mut Queue,
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
            queue.push(Waiting::judged(record, own.row, Verdict::of(&event), None));
            return Ok(true);
        }
        Ok(false)
    }

    /// Takes a frame if it is of a stream.
    fn message(
        &mut self,
        plan: &Plan,
        frame: &Frame,
        (record, is_full): (&Record, bool),
        rows: &mut Vec<Row>,
        queue: &mut Queue,
    ) -> Result<bool, String> {
        let asks = |id| plan.tables.iter().any(|table| table.is_asked_under(id));
        if let Id::Extended(id) = frame.id()
            && asks(id)
        {
            let row = self.unknown(rows);
            queue.push(Waiting::judged(record, row, Verdict::Unchecked, None));
            return Ok(true);
        }
        let Some(found) = plan.of_protected(&self.bus, frame) else {
            return Ok(false);
        };
        let table = &plan.tables[found.table];
        let part = table.wire().map(|wire| part(wire, frame));
        let is_message = frame.format() == Format::Classic && part == Some(Part::Data);
        if part.is_some() && frame.is_fd() {
            return Ok(false);
        }
        if !self.lines.contains_key(&found.id) {
            // What is no message makes no stream.
            if part.is_some() && !is_message {
                return Ok(false);
            }
            if is_full {
                return Err(format!(
                    "more than {STREAMS_MAX} streams; name those to be checked"
                ));
            }
            let name = found
                .name
                .map_or(format!("0x{:X}", found.id.raw()), str::to_owned);
            let row = rows.len();
            rows.push(Row::new(&self.name, name, table.protocol_name.clone()));
            self.lines.insert(found.id, Line::new(plan, &found, row)?);
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

    /// Gives up messages whose tags did not come in time.
    fn expire(&mut self, queue: &mut Queue) {
        while let Some(&(until, id, number)) = self.deadlines.front()
            && until <= self.now
        {
            self.deadlines.pop_front();
            let Some(line) = self.lines.get_mut(&id) else {
                continue;
            };
            let is_waiting = line.pending.front().is_some_and(|own| own.number == number);
            // A receiver as published waits for as long as it takes; so does its message here.
            if is_waiting && line.expire(self.now) {
                line.pending.pop_front();
                queue.judge(number, Verdict::Missing);
            }
        }
    }
}

impl Line {
    fn new(plan: &Plan, found: &Found<'_>, row: usize) -> Result<Self, String> {
        let table = &plan.tables[found.table];
        let mut codes = found.codes(table)?;
        let mut line = Vec::new();
        let is_learned = table.profile().is_none() || found.layout.is_some();
        if is_learned {
            let layout = found.layout.unwrap_or(ends::NONE);
            let end = ends::receiver(&table.protocol, found.id, layout, plan.epoch, &mut codes)?;
            line.push(end);
        }
        Ok(Line {
            table: found.table,
            row,
            codes,
            ends: line,
            is_learned,
            pending: VecDeque::new(),
        })
    }

    /// Takes a secured frame of SecOC. Until one was authentic, each is tried in all the layouts
    /// that it may have.
    fn secured(
        &mut self,
        plan: &Plan,
        found: &Found<'_>,
        (record, frame): (&Record, &Frame),
        moment: &Moment,
        queue: &mut Queue,
    ) -> Result<(), String> {
        let table = &plan.tables[self.table];
        if let (false, Some(profile)) = (self.is_learned, table.profile()) {
            let layouts = ends::layouts(profile, frame, table.widens).into_iter();
            let (epoch, codes) = (plan.epoch, &mut self.codes);
            self.ends = layouts
                .filter_map(|layout| {
                    ends::receiver(&table.protocol, found.id, layout, epoch, codes).ok()
                })
                .collect();
        }
        let (mut verdict, mut message) = (Verdict::WrongTag, None);
        for at in 0..self.ends.len() {
            let end = &mut self.ends[at];
            ends::retain(end);
            let event = end.accept(frame, moment, &mut self.codes, &mut Meter::new());
            match event.map_err(|error| error.to_string())? {
                Some(Event::Authentic { payload, .. }) => {
                    (verdict, message) = (Verdict::Authentic, Some(payload));
                    self.ends.swap(0, at);
                    self.ends.truncate(1);
                    self.is_learned = true;
                    break;
                }
                Some(Event::BadTag(_)) | None => {}
                Some(event) => verdict = Verdict::of(&event),
            }
        }
        let plain = message.and_then(|payload| {
            let frame = ends::plain(found.id, frame, payload.as_bytes(), table.widens)?;
            Some(with(record, frame))
        });
        queue.push(Waiting::judged(record, self.row, verdict, plain));
        Ok(())
    }

    /// Takes a frame of vatiCAN or LeiA. A message that waits for its tag is returned by its number.
    fn paired(
        &mut self,
        table: &Table,
        part: Part,
        (record, frame): (&Record, &Frame),
        moment: &Moment,
        id: Id,
        queue: &mut Queue,
    ) -> Result<Option<u64>, String> {
        let Some(end) = self.ends.first_mut() else {
            return Ok(None);
        };
        let event = end.accept(frame, moment, &mut self.codes, &mut Meter::new());
        let event = event.map_err(|error| error.to_string())?;
        let row = self.row;
        let judged = |verdict| Waiting::judged(record, row, verdict, None);
        match part {
            Part::Other => {
                queue.push(judged(Verdict::Unchecked));
                Ok(None)
            }
            Part::Tag => {
                let verdict = event.as_ref().map_or(Verdict::TagWithoutData, Verdict::of);
                queue.push(judged(verdict));
                match event {
                    Some(Event::Authentic { payload, .. }) => self.settle(payload, frame, queue),
                    // As published, it is over with the message, too.
                    Some(Event::BadTag(_)) if table.is_as_published() => {
                        self.drop_first(Verdict::WrongTag, queue);
                    }
                    _ => {}
                }
                Ok(None)
            }
            Part::Data => {
                match event {
                    Some(Event::Missing(_)) => self.drop_first(Verdict::Missing, queue),
                    Some(event) => {
                        self.drop_first(Verdict::of(&event), queue);
                        queue.push(judged(Verdict::of(&event)));
                        return Ok(None);
                    }
                    None => {}
                }
                let payload = Payload::new(frame.data());
                let plain = match frame.id() == id {
                    true => Some(*frame),
                    false => Frame::classic(id, frame.data()).ok(),
                };
                let number = queue.push(Waiting {
                    record: *record,
                    row: Some(self.row),
                    verdict: None,
                    plain: plain.map(|frame| with(record, frame)),
                });
                let id = frame.id();
                self.pending.push_back(Pending {
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
    fn settle(&mut self, payload: Payload, tag: &Frame, queue: &mut Queue) {
        let low = |id: Id| match id {
            Id::Extended(id) => id.raw() as u16,
            Id::Standard(_) => 0,
        };
        let is_it = |own: &Pending| own.payload == payload && low(own.id) == low(tag.id());
        let Some(at) = self.pending.iter().rposition(is_it) else {
            return;
        };
        for (place, own) in self.pending.drain(..=at).enumerate() {
            let verdict = match place == at {
                true => Verdict::Authentic,
                false => Verdict::Missing,
            };
            queue.judge(own.number, verdict);
        }
    }

    fn drop_first(&mut self, verdict: Verdict, queue: &mut Queue) {
        if let Some(own) = self.pending.pop_front() {
            queue.judge(own.number, verdict);
        }
    }

    /// Whether the receiver gives a message up.
    fn expire(&mut self, now: Instant) -> bool {
        let end = self.ends.first_mut();
        end.is_some_and(|end| end.expire(now).is_some())
    }
}

impl Follower {
    fn new(own: &Announcements, table: usize, row: usize) -> Result<Self, String> {
        Ok(Follower {
            table,
            row,
            follower: FreshnessFollower::new(own.sync, None, AHEAD),
            codes: own.codes()?,
        })
    }
}

fn part(wire: Wire, frame: &Frame) -> Part {
    match (wire, frame.id()) {
        (Wire::Vatican, Id::Standard(id)) if id.raw() % 2 == 0 => Part::Data,
        (Wire::Vatican, Id::Standard(_)) => Part::Tag,
        (Wire::Leia, Id::Extended(id)) => match (id.raw() >> 16 & 3, id.base() % 2) {
            (0, 0) => Part::Data,
            (1, 1) => Part::Tag,
            _ => Part::Other,
        },
        _ => Part::Other,
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
