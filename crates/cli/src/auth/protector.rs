//! Protects the messages of a log: record by record, each channel a bus of its own.
//!
//! The tag of a message that has a frame of its own follows the message at once, with the same
//! time: when it would have left depends on how busy the bus was and on who computed it, and a log
//! that is made up here should not look as if that had been measured.

mod frame_format;

use std::collections::HashMap;

use waywarden_can::{Format, Frame, Id, StandardId};
use waywarden_can_auth::error::ProtectError;
use waywarden_can_auth::paired::Wire;
use waywarden_can_auth::secoc::FreshnessMaster;
use waywarden_can_auth::stream::{Moment, Protect as _};
use waywarden_can_log::{Channel, Channels, Record};
use waywarden_work::{Instant, Meter};

use super::plan::{
    self, AuthenticationPlan, AuthenticationTable, FreshnessAnnouncements, StreamMatch,
};
use super::stream_keys::StreamKeys;
use super::stream_state::{self, StreamSender};

use frame_format::{direction, other_form, with, with_flags_of};

/// How many streams a log may have, over all channels: each takes some kilobytes.
pub(super) const LOG_STREAMS_MAX: usize = 8_192;

/// Protects one log.
pub(super) struct LogProtector<'p> {
    plan: &'p AuthenticationPlan,
    lanes: Vec<ProtectedChannel>,
    streams: usize,
    protected: u64,
    passed: u64,
}

/// A channel.
struct ProtectedChannel {
    bus: String,
    lines: HashMap<Id, ProtectedStream>,
    masters: Vec<AnnouncementSender>,
    /// The latest time so far: it does not go back where the log's does.
    now: Instant,
    /// Which identifiers the log has: of 11 bits, and the first 11 of those of 29.
    seen: [Box<[bool; 2048]>; 2],
    /// Which identifiers of 11 bits it has in CAN FD frames that pass as they are.
    passed_by: Box<[bool; 2048]>,
}

/// A stream.
struct ProtectedStream {
    table: usize,
    end: StreamSender,
    codes: StreamKeys,
}

/// Who announces on a channel.
struct AnnouncementSender {
    table: usize,
    master: FreshnessMaster,
    codes: StreamKeys,
}

impl<'p> LogProtector<'p> {
    pub(super) fn new(plan: &'p AuthenticationPlan) -> Self {
        LogProtector {
            plan,
            lanes: Vec::new(),
            streams: 0,
            protected: 0,
            passed: 0,
        }
    }

    /// Protects a record: hands what takes its place to `out`, in order.
    ///
    /// # Errors
    /// Why it cannot be protected, and what to do, in words.
    pub(super) fn take(
        &mut self,
        record: &Record,
        channels: &Channels,
        out: &mut Vec<Record>,
    ) -> Result<(), String> {
        let at = self.lane(record.channel, channels)?;
        let (plan, lane) = (self.plan, &mut self.lanes[at]);
        lane.now = lane.now.max(Instant::from_nanos(record.at_ns));
        lane.announce(record, out)?;
        let Some(frame) = record.entry.frame() else {
            out.push(*record);
            return Ok(());
        };
        let found = plan.stream_of_plain(&lane.bus, frame);
        let is_known = |found: &StreamMatch<'_>| lane.lines.contains_key(&found.id);
        let is_new = !found.as_ref().is_some_and(is_known);
        // A remote frame has nothing to be protected, and is the tag of no message.
        if is_new && frame.format() != Format::Remote {
            lane.see(plan, frame, found.as_ref())?;
        }
        let Some(found) = found else {
            self.passed += 1;
            out.push(*record);
            return Ok(());
        };
        let named = |why: String| format!("{}: {why}", found.title());
        if is_new {
            if self.streams == LOG_STREAMS_MAX {
                let why = format!("more than {LOG_STREAMS_MAX} streams; protect fewer");
                return Err(named(why));
            }
            self.streams += 1;
            let line = ProtectedStream::new(plan, &found, frame).map_err(named)?;
            lane.lines.insert(found.id, line);
        }
        let is_of = |line: &ProtectedStream| line.table == found.table;
        if !lane.lines.get(&found.id).is_some_and(is_of) {
            return Err(named(other_form(frame)));
        }
        lane.protect(plan, &found, (record, frame), out)
            .map_err(named)?;
        self.protected += 1;
        Ok(())
    }

    /// Returns how many messages are protected, and of how many streams.
    pub(super) fn protected(&self) -> (u64, usize) {
        (self.protected, self.streams)
    }

    /// Returns how many frames passed as they are.
    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    fn lane(&mut self, channel: Channel, channels: &Channels) -> Result<usize, String> {
        // Channels are numbered in the order in which they come.
        for (_, name) in channels.iter().skip(self.lanes.len()) {
            self.lanes
                .push(ProtectedChannel::new(self.plan, self.plan.bus(name)?)?);
        }
        Ok(channel.index())
    }
}

impl ProtectedChannel {
    fn new(plan: &AuthenticationPlan, bus: String) -> Result<Self, String> {
        let masters = plan.tables.iter().enumerate().filter_map(|(at, table)| {
            let own = table.announcements.as_ref().filter(|_| table.is_on(&bus));
            own.map(|own| AnnouncementSender::new(own, at, plan.epoch))
        });
        Ok(ProtectedChannel {
            masters: masters.collect::<Result<_, _>>()?,
            bus,
            lines: HashMap::new(),
            now: Instant::ZERO,
            seen: [Box::new([false; 2048]), Box::new([false; 2048])],
            passed_by: Box::new([false; 2048]),
        })
    }

    /// Announces what is due.
    fn announce(&mut self, record: &Record, out: &mut Vec<Record>) -> Result<(), String> {
        for master in &mut self.masters {
            if master.master.wish().is_none_or(|due| due <= self.now) {
                let frame = master.next(self.now)?;
                out.push(with(record, frame, None));
            }
        }
        Ok(())
    }

    /// Notes an identifier of the log that is not yet a stream's; refuses one that is that of
    /// something which is put in.
    fn see(
        &mut self,
        plan: &AuthenticationPlan,
        frame: &Frame,
        found: Option<&StreamMatch<'_>>,
    ) -> Result<(), String> {
        let id = frame.id();
        let (kind, base) = match id {
            Id::Standard(id) => (0, id.raw()),
            Id::Extended(id) => (1, id.base()),
        };
        self.seen[kind][usize::from(base)] = true;
        // CAN FD under "all" of vatiCAN or LeiA, which have classic frames.
        let passes_by = found.is_none() && frame.is_fd() && kind == 0;
        let mixed = match passes_by {
            true => self.lines.contains_key(&id),
            false => found.is_some() && kind == 0 && self.passed_by[usize::from(base)],
        };
        if mixed {
            return Err(format!("{}: {}", plan::id_text(id), other_form(frame)));
        }
        self.passed_by[usize::from(base)] |= passes_by;
        let is_leia = |table: &AuthenticationTable| table.wire() == Some(Wire::Leia);
        let refused = |what: &str| {
            Err(format!(
                "{} is the identifier of {what} that would be put in; protect other messages, or \
                 take another scheme or `announce_id`",
                plan::id_text(id)
            ))
        };
        if plan.announcing(&self.bus, id).is_some() {
            return refused("announcements");
        }
        let mut all = plan.tables.iter().filter(|table| table.is_on(&self.bus));
        if kind == 1 && all.any(|table| is_leia(table) && table.is_all()) {
            return refused("LeiA's frames");
        }
        // What its tags would have, if it is a stream with tags; whose tags it would be, if not.
        let own = found.map(|found| &plan.tables[found.table]);
        let tags = match own.and_then(AuthenticationTable::wire) {
            Some(Wire::Vatican) => self.seen[0][usize::from(base | 1)],
            Some(Wire::Leia) => [base, base | 1]
                .iter()
                .any(|own| self.seen[1][usize::from(*own)]),
            None => false,
        };
        let even = StandardId::new(base & !1).map(Id::Standard);
        let other = even.ok().and_then(|even| self.lines.get(&even));
        let is_tag = other.is_some_and(|other| match plan.tables[other.table].wire() {
            Some(Wire::Vatican) => kind == 0,
            Some(Wire::Leia) => kind == 1,
            None => false,
        });
        match tags || is_tag {
            true => refused("tags"),
            false => Ok(()),
        }
    }

    /// Protects a message of a stream that there is.
    fn protect(
        &mut self,
        plan: &AuthenticationPlan,
        found: &StreamMatch<'_>,
        (record, frame): (&Record, &Frame),
        out: &mut Vec<Record>,
    ) -> Result<(), String> {
        let table = &plan.tables[found.table];
        let Some(line) = self.lines.get_mut(&found.id) else {
            return Ok(());
        };
        table.check_form(frame)?;
        let mut master = self.masters.iter_mut().find(|own| own.table == found.table);
        let mut moment = Moment::at(self.now);
        // A counter that is at its end goes on with the next announcement: one more is put in.
        for attempt in 0..2 {
            if let Some(master) = &master {
                moment.horizon = master.master.horizon();
            }
            stream_state::retain(&mut line.end);
            let meter = &mut Meter::new();
            let (end, codes) = (&mut line.end, &mut line.codes);
            match (
                end.protect(found.id, frame.data(), &moment, codes, meter),
                &mut master,
            ) {
                (Ok(message), _) => {
                    let is_remade = table.profile().is_some();
                    let is_fd = frame.is_fd() || table.widens;
                    if is_remade && message.sealed.is_fd() != is_fd {
                        return Err(other_form(frame));
                    }
                    // As it was, to the last bit of its length code, where its identifier stays.
                    let ahead = message.ahead.map(|data| match data.id() == frame.id() {
                        true => *frame,
                        false => data,
                    });
                    let sealed = with_flags_of(message.sealed, frame);
                    let both = ahead.into_iter().chain([sealed]);
                    out.extend(both.map(|one| with(record, one, direction(record))));
                    return Ok(());
                }
                (Err(ProtectError::Exhausted), Some(master)) if attempt == 0 => {
                    let announced = master.next(self.now)?;
                    out.push(with(record, announced, None));
                }
                (Err(error), _) => return Err(table.explain(error, frame)),
            }
        }
        Err(table.explain(ProtectError::Exhausted, frame))
    }
}

impl ProtectedStream {
    fn new(
        plan: &AuthenticationPlan,
        found: &StreamMatch<'_>,
        frame: &Frame,
    ) -> Result<Self, String> {
        let table = &plan.tables[found.table];
        table.check_form(frame)?;
        let mut codes = found.codes(table)?;
        let layout = match (found.layout, table.profile()) {
            (Some(layout), _) => layout,
            (None, Some(profile)) => stream_state::layout(profile, frame, table.widens),
            (None, None) => stream_state::NO_SECURED_FRAME,
        };
        let end = stream_state::sender(&table.protocol, found.id, layout, plan.epoch, &mut codes)?;
        let table = found.table;
        Ok(ProtectedStream { table, end, codes })
    }
}

impl AnnouncementSender {
    fn new(own: &FreshnessAnnouncements, table: usize, epoch: u32) -> Result<Self, String> {
        let master = FreshnessMaster::new(own.sync, Some(epoch - 1), own.period);
        Ok(AnnouncementSender {
            table,
            master: master
                .map_err(|error| format!("--epoch {epoch}: {error}; take another key"))?,
            codes: own.codes()?,
        })
    }

    /// Makes the next announcement, due or not.
    fn next(&mut self, now: Instant) -> Result<Frame, String> {
        // Behind the last reset of a trip comes another trip, which is to be retained first.
        for _ in 0..2 {
            if let Some(trip) = self.master.to_retain() {
                self.master.retained(trip);
            }
            let now = self.master.wish().map_or(now, |due| due.max(now));
            let said = self
                .master
                .outgoing(now, &mut self.codes, &mut Meter::new());
            if let Some(frame) = said.map_err(|error| error.to_string())? {
                return Ok(frame);
            }
        }
        Err("the trip counter is at its end; take another key".to_owned())
    }
}

impl AuthenticationTable {
    /// Refuses a frame that would not come back as it was.
    fn check_form(&self, frame: &Frame) -> Result<(), String> {
        let is_fd = frame.is_fd();
        if self.wire().is_some() && is_fd {
            return Err(
                "CAN FD, and vatiCAN and LeiA have classic frames; write `scheme = \
                        \"secoc\"`, or leave it out with `except`"
                    .to_owned(),
            );
        }
        if self.widens && is_fd && frame.data_len() <= 8 {
            return Err(
                "CAN FD already, and would come back as a classic frame; protect it in a \
                        table without `fd`"
                    .to_owned(),
            );
        }
        // vatiCAN leaves the message's frame alone.
        let is_remade = self.wire() != Some(Wire::Vatican);
        if is_remade && !is_fd && frame.dlc() > 8 {
            return Err(format!(
                "has the length code {}, which would be lost; leave it out with `except`",
                frame.dlc()
            ));
        }
        Ok(())
    }

    /// Says why a message is not protected.
    fn explain(&self, error: ProtectError, frame: &Frame) -> String {
        let (ProtectError::Length(length), Some(profile)) = (error, self.profile()) else {
            return error.to_string();
        };
        let trailer = profile.trailer_length();
        match self.widens || frame.is_fd() {
            false => format!(
                "{length} bytes, and freshness and code take {trailer} of the 8 that its frame \
                 has; make CAN FD frames with --fd or `fd = true`, or leave it out with `except`"
            ),
            true => format!(
                "{length} bytes, unlike the first message of this stream, and a secured CAN FD \
                 frame would not tell; leave it out with `except`"
            ),
        }
    }
}
