//! A stream: its receiver, and the messages that wait for their tags as the receiver has them.

use std::collections::VecDeque;

use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::{Event, Payload};
use waywarden_can_auth::paired::Wire;
use waywarden_can_auth::stream::{Check as _, Moment};
use waywarden_can_log::{Entry, Record};
use waywarden_work::{Instant, Meter};

use super::queue::{Queue, Waiting};
use crate::auth::codes::Codes;
use crate::auth::ends::{self, Checking};
use crate::auth::plan::{Found, Plan, Table};
use crate::auth::verdict::Verdict;

/// A stream.
pub(super) struct Line {
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

/// Which part a frame has in a stream whose tags have frames of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Data,
    Tag,
    Other,
    /// None: a CAN FD frame, or a message that is in no frame of LeiA's.
    Foreign,
}

impl Line {
    pub(super) fn new(plan: &Plan, found: &Found<'_>, row: usize) -> Result<Self, String> {
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

    /// Whether it is a stream of this table.
    pub(super) fn is_of(&self, table: usize) -> bool {
        self.table == table
    }

    /// Refuses a frame that is in no form that the stream has: no receiver checks it.
    pub(super) fn refuse(&self, record: &Record, queue: &mut Queue) {
        queue.push(Waiting::judged(record, self.row, Verdict::WrongTag, None));
    }

    /// Takes a secured frame of SecOC. Until one was authentic, each is tried in all the layouts
    /// that it may have.
    pub(super) fn secured(
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

    /// Takes a frame of vatiCAN or LeiA. A message that waits for its tag is returned by its
    /// number.
    pub(super) fn paired(
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
            Part::Foreign => {
                self.refuse(record, queue);
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

    /// Gives up a message that waits, if the receiver does. One as published waits for as long as
    /// it takes, and so does its message here.
    pub(super) fn expire(&mut self, number: u64, now: Instant, queue: &mut Queue) {
        let is_first = self.pending.front().is_some_and(|own| own.number == number);
        if is_first
            && let Some(end) = self.ends.first_mut()
            && end.expire(now).is_some()
        {
            self.drop_first(Verdict::Missing, queue);
        }
    }
}

/// Tells it by the identifier.
pub(super) fn part(wire: Wire, frame: &Frame) -> Part {
    match (wire, frame.id()) {
        _ if frame.is_fd() => Part::Foreign,
        (Wire::Leia, Id::Standard(_)) => Part::Foreign,
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
