//! One channel of a log that is protected: its streams, its announcements, its identifiers.

use std::collections::HashMap;

use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::error::ProtectError;
use waywarden_can_auth::paired::WireForm;
use waywarden_can_auth::stream::{EcuMoment, Protect as _};
use waywarden_can_log::Record;
use waywarden_work::{Instant, NoMeter};

use super::announcements::AnnouncementSender;
use super::frame_format;
use crate::error::{AnnouncementError, InsertedFrames, ProtectLogError, ProtectStreamError};
use crate::plan::{AuthenticationPlan, AuthenticationTable, StreamMatch, id_text};
use crate::records::{inserted, with_frame};
use crate::secured_frame::{self, NO_SECURED_FRAME};
use crate::stream_keys::StreamKeys;
use crate::stream_state::{self, StreamSender};

/// A channel.
pub(super) struct ProtectedChannel {
    bus: String,
    streams: HashMap<Id, ProtectedStream>,
    masters: Vec<AnnouncementSender>,
    /// The latest time so far: it does not go back where the log's does.
    now: Instant,
    /// Identifiers in the log: those of 11 bits, and the first 11 of those of 29.
    seen: [Box<[bool; 2048]>; 2],
    /// Identifiers of 11 bits in CAN FD frames that stay as they are.
    unprotected_fd: Box<[bool; 2048]>,
}

struct ProtectedStream {
    table: usize,
    sender: StreamSender,
    keys: StreamKeys,
}

impl ProtectedChannel {
    pub(super) fn new(plan: &AuthenticationPlan, bus: String) -> Result<Self, AnnouncementError> {
        let masters = plan.tables.iter().enumerate().filter_map(|(at, table)| {
            let own = table.announcements.as_ref().filter(|_| table.is_on(&bus));
            own.map(|own| AnnouncementSender::new(own, at, plan.epoch))
        });
        Ok(ProtectedChannel {
            masters: masters.collect::<Result<_, _>>()?,
            bus,
            streams: HashMap::new(),
            now: Instant::ZERO,
            seen: [Box::new([false; 2048]), Box::new([false; 2048])],
            unprotected_fd: Box::new([false; 2048]),
        })
    }

    /// Goes on to the time of a record.
    pub(super) fn advance(&mut self, at_ns: u64) {
        self.now = self.now.max(Instant::from_nanos(at_ns));
    }

    /// Inserts the announcements that are due before a record.
    pub(super) fn announce(
        &mut self,
        record: &Record,
        out: &mut Vec<Record>,
    ) -> Result<(), AnnouncementError> {
        for master in &mut self.masters {
            if master.is_due(self.now) {
                let frame = master.announce(self.now)?;
                out.push(inserted(record, frame));
            }
        }
        Ok(())
    }

    /// Notes an identifier of the log that is not yet a stream's; refuses one that is that of
    /// an inserted frame.
    pub(super) fn note_identifier(
        &mut self,
        plan: &AuthenticationPlan,
        frame: &Frame,
        stream: Option<&StreamMatch<'_>>,
    ) -> Result<(), ProtectLogError> {
        let id = frame.id();
        let (kind, base) = match id {
            Id::Standard(id) => (0, id.raw()),
            Id::Extended(id) => (1, id.base()),
        };
        self.seen[kind][usize::from(base)] = true;
        // CAN FD under "all" of vatiCAN or LeiA, which have classic frames.
        let stays_fd = stream.is_none() && frame.is_fd() && kind == 0;
        let is_mixed = match stays_fd {
            true => self.streams.contains_key(&id),
            false => stream.is_some() && kind == 0 && self.unprotected_fd[usize::from(base)],
        };
        if is_mixed {
            let (stream, is_fd) = (id_text(id), frame.is_fd());
            let cause = ProtectStreamError::MixedFormats { is_fd };
            return Err(ProtectLogError::Stream { stream, cause });
        }
        self.unprotected_fd[usize::from(base)] |= stays_fd;
        match self.inserted_under(plan, (kind, base), frame, stream) {
            Some(frames) => Err(ProtectLogError::IdentifierInUse {
                id: id_text(id),
                frames,
            }),
            None => Ok(()),
        }
    }

    /// Returns which inserted frames would have the identifier of a frame, or its tags one that the
    /// log has.
    fn inserted_under(
        &self,
        plan: &AuthenticationPlan,
        (kind, base): (usize, u16),
        frame: &Frame,
        stream: Option<&StreamMatch<'_>>,
    ) -> Option<InsertedFrames> {
        let is_leia = |table: &AuthenticationTable| table.wire() == Some(WireForm::Leia);
        if plan.announces(&self.bus, frame.id()) {
            return Some(InsertedFrames::Announcements);
        }
        let has_pdu = |table: &AuthenticationTable| table.has_cryptographic(frame.id());
        let mut own = plan.tables.iter().filter(|table| table.is_on(&self.bus));
        if own.any(has_pdu) {
            return Some(InsertedFrames::Tags);
        }
        let mut all = plan.tables.iter().filter(|table| table.is_on(&self.bus));
        if kind == 1 && all.any(|table| is_leia(table) && table.is_all()) {
            return Some(InsertedFrames::Leia);
        }
        // What its tags would have, if it is a stream with tags; whose tags it would be, if not.
        let own = stream.map(|stream| &plan.tables[stream.table]);
        let has_tags = match own.and_then(AuthenticationTable::wire) {
            Some(WireForm::Vatican) => self.seen[0][usize::from(base | 1)],
            Some(WireForm::Leia) => [base, base | 1]
                .iter()
                .any(|own| self.seen[1][usize::from(*own)]),
            None => false,
        };
        let even = StandardId::new(base & !1).map(Id::Standard);
        let other = even.ok().and_then(|even| self.streams.get(&even));
        let is_tag = other.is_some_and(|other| match plan.tables[other.table].wire() {
            Some(WireForm::Vatican) => kind == 0,
            Some(WireForm::Leia) => kind == 1,
            None => false,
        });
        (has_tags || is_tag).then_some(InsertedFrames::Tags)
    }

    /// Begins a stream with its first message.
    pub(super) fn add_stream(
        &mut self,
        plan: &AuthenticationPlan,
        stream: &StreamMatch<'_>,
        frame: &Frame,
    ) -> Result<(), ProtectStreamError> {
        let added = ProtectedStream::new(plan, stream, frame)?;
        self.streams.insert(stream.id, added);
        Ok(())
    }

    /// Protects a message of a stream that there is.
    pub(super) fn protect(
        &mut self,
        plan: &AuthenticationPlan,
        found: &StreamMatch<'_>,
        (record, frame): (&Record, &Frame),
        out: &mut Vec<Record>,
    ) -> Result<(), ProtectStreamError> {
        let mixed = ProtectStreamError::MixedFormats {
            is_fd: frame.is_fd(),
        };
        let table = &plan.tables[found.table];
        let own = self.streams.get_mut(&found.id);
        let Some(stream) = own.filter(|own| own.table == found.table) else {
            return Err(mixed);
        };
        frame_format::check(table, frame)?;
        let mut masters = self.masters.iter_mut();
        let mut master = masters.find(|own| own.is_of(found.table));
        let mut moment = EcuMoment::at(self.now);
        // A counter that is at its end goes on with the next announcement: one more is put in.
        for attempt in 0..2 {
            if let Some(master) = &master {
                moment.freshness_state = master.freshness_state();
            }
            stream_state::retain(&mut stream.sender);
            let meter = &mut NoMeter;
            let (sender, keys) = (&mut stream.sender, &mut stream.keys);
            match (
                sender.protect(found.id, frame.data(), &moment, keys, meter),
                &mut master,
            ) {
                (Ok(message), _) => {
                    let is_remade = table.profile().is_some();
                    let is_fd = frame.is_fd() || table.widens;
                    if is_remade && message.sealed.is_fd() != is_fd {
                        return Err(mixed);
                    }
                    // As it was, to the last bit of its length code, where its identifier stays.
                    let ahead = message.ahead.map(|data| match data.id() == frame.id() {
                        true => *frame,
                        false => data,
                    });
                    let sealed = frame_format::with_flags_of(message.sealed, frame);
                    let both = ahead.into_iter().chain([sealed]);
                    out.extend(both.map(|one| with_frame(record, one)));
                    return Ok(());
                }
                (Err(ProtectError::Exhausted), Some(master)) if attempt == 0 => {
                    let announced = master.announce(self.now)?;
                    out.push(inserted(record, announced));
                }
                (Err(error), _) => return Err(frame_format::refusal(table, error, frame)),
            }
        }
        Err(frame_format::refusal(table, ProtectError::Exhausted, frame))
    }

    pub(super) fn bus(&self) -> &str {
        &self.bus
    }

    pub(super) fn has_stream(&self, id: Id) -> bool {
        self.streams.contains_key(&id)
    }
}

impl ProtectedStream {
    fn new(
        plan: &AuthenticationPlan,
        found: &StreamMatch<'_>,
        frame: &Frame,
    ) -> Result<Self, ProtectStreamError> {
        let table = &plan.tables[found.table];
        frame_format::check(table, frame)?;
        let mut keys = found.keys(table).map_err(ProtectError::KeyStore)?;
        let layout = match (found.layout, table.profile()) {
            (Some(layout), _) => layout,
            (None, Some(profile)) => secured_frame::layout_for(profile, frame, table.widens),
            (None, None) => NO_SECURED_FRAME,
        };
        let (id, epoch) = (found.id, plan.epoch);
        let secured = found.secured(layout);
        let sender = stream_state::sender(&table.protocol, id, secured, epoch, &mut keys)?;
        let table = found.table;
        Ok(ProtectedStream {
            table,
            sender,
            keys,
        })
    }
}
