//! Plan of a log's protection: its messages, their protocols and keys.
//!
//! A plan is made from tables that stand alone ([`AuthenticationPlan::add_table`]) or from a
//! vehicle ([`VehiclePlan`]). It has no state: any number of logs can be protected and checked by
//! one plan.

mod buses;
mod stand_alone;
mod table;
mod vehicle;

use std::collections::HashMap;
use std::num::NonZeroU32;

use waywarden_can::{Format, Frame, Id, StandardId};
use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::paired::WireForm;
use waywarden_can_auth::secoc::Layout;
use waywarden_can_log::Channels;
use waywarden_vehicle_file::LogStream;

pub use self::buses::UnknownBusError;
pub use self::vehicle::{BusAssignmentError, VehicleKeys, VehiclePlan, VehiclePlanError};

use self::buses::ChannelBuses;
pub(crate) use self::table::{AuthenticationTable, FreshnessAnnouncements};
use crate::stream_keys::{StreamKeys, derived_keys, stream_keys};
use crate::stream_state::SecuredMessage;

/// Plan of a log's protection: its messages, their protocols and keys.
pub struct AuthenticationPlan {
    pub(crate) tables: Vec<AuthenticationTable>,
    pub(crate) epoch: u32,
    first_counters: FirstCounters,
    buses: ChannelBuses,
}

/// The first counters of a log's streams, as given by the caller.
#[derive(Clone, Debug, Default)]
struct FirstCounters {
    all: Option<u64>,
    named: HashMap<String, u64>,
}

/// The stream that a frame belongs to.
pub(crate) struct StreamMatch<'a> {
    /// The index of its table.
    pub(crate) table: usize,
    /// The identifier of its messages when they are not protected.
    pub(crate) id: Id,
    name: Option<&'a str>,
    /// True if streams of other identifiers have the name, too.
    shares_name: bool,
    /// None if it is learned from the frames.
    pub(crate) layout: Option<Layout>,
    /// SecOC's data id, if it is not the identifier.
    pub(crate) data_id: Option<u16>,
    /// The identifier of its cryptographic PDUs, if its codes have such.
    pub(crate) cryptographic: Option<Id>,
    key: &'a MacKey,
}

impl AuthenticationPlan {
    /// Makes a plan without tables, in which each channel of a log is a bus of its own.
    ///
    /// `epoch` is the number of the start since the keys are in use: trip and epoch of the senders.
    /// Each log that is protected under the same keys needs a higher one, or frames of one log are
    /// authentic in another.
    #[must_use]
    pub fn new(epoch: NonZeroU32) -> Self {
        AuthenticationPlan {
            tables: Vec::new(),
            epoch: epoch.get(),
            first_counters: FirstCounters::default(),
            buses: ChannelBuses::Own,
        }
    }

    /// Sets the counter of the first message of a stream in a log to be checked, by its name or
    /// identifier, or of all streams. Lower counters are then replays, and the first message need
    /// not be searched for. Only streams whose freshness is a counter of their own have one.
    pub fn set_first_counter(&mut self, stream: Option<&str>, counter: u64) {
        match stream {
            None => self.first_counters.all = Some(counter),
            Some(name) => {
                self.first_counters.named.insert(name.to_owned(), counter);
            }
        }
    }

    /// Returns the counter that a stream begins with, if the caller set one.
    pub(crate) fn first_counter(&self, stream: &StreamMatch<'_>) -> Option<u64> {
        let FirstCounters { all, named } = &self.first_counters;
        let own = named.get(&stream.name());
        own.or_else(|| named.get(&id_text(stream.id)))
            .copied()
            .or(*all)
    }

    /// Returns true if a table has announcements of freshness: then a first pass over a log
    /// ([`crate::LogSurvey`]) tells more than one pass can.
    #[must_use]
    pub fn has_announcements(&self) -> bool {
        self.tables
            .iter()
            .any(|table| table.announcements.is_some())
    }

    /// Returns the reason why no frame of a log belongs to any table: the messages of the tables,
    /// and the channels of the log.
    #[must_use]
    pub fn nothing_found(&self, channels: &Channels) -> String {
        let tables: Vec<String> = self.tables.iter().map(AuthenticationTable::about).collect();
        let channels: Vec<&str> = channels.iter().map(|(_, name)| name).collect();
        let channels = match channels.is_empty() {
            true => "nothing".to_owned(),
            false => table::listed(&channels),
        };
        format!(
            "no frame belongs to a stream; the tables are about {}; the log has {channels}",
            tables.join(", and ")
        )
    }

    /// Returns which bus a channel of the log is.
    pub(crate) fn bus(&self, channel: &str) -> Result<String, UnknownBusError> {
        self.buses.of(channel)
    }

    /// Finds the stream of a message that is not protected.
    pub(crate) fn stream_of_plain(&self, bus: &str, frame: &Frame) -> Option<StreamMatch<'_>> {
        let mut streams = self.streams(bus, frame, move |table| {
            let is_covered = !table.is_all() || table.carries(frame);
            is_covered.then_some(frame.id())
        });
        streams.next()
    }

    /// Finds the streams that a frame of a protected log may belong to, as a message, a tag or
    /// otherwise, first the one that it would belong to if there were all of them.
    pub(crate) fn streams_of_protected<'p, 'f>(
        &'p self,
        bus: &'f str,
        frame: &'f Frame,
    ) -> impl Iterator<Item = StreamMatch<'p>> {
        let even = |raw: u16| StandardId::new(raw & !1).ok().map(Id::Standard);
        self.streams(bus, frame, move |table| match (table.wire(), frame.id()) {
            (None, id) => Some(table.message_of(id)),
            (Some(WireForm::Vatican), Id::Standard(id)) => even(id.raw()),
            // Besides LeiA's messages, answers to receivers that ask.
            (Some(_), Id::Extended(id)) => even(id.base()),
            // Only a forger sends under the identifiers that LeiA's messages are given back with.
            (Some(WireForm::Leia), id @ Id::Standard(own)) => (own.raw() % 2 == 0).then_some(id),
        })
    }

    /// Returns true if only messages in the stream's form may have its identifier: for a named
    /// stream any frame, under "all" those that would have been protected.
    pub(crate) fn owns(&self, stream: &StreamMatch<'_>, frame: &Frame) -> bool {
        let table = &self.tables[stream.table];
        frame.id() == stream.id && (!table.is_all() || table.carries(frame))
    }

    /// Returns true if announcements on a bus have this identifier.
    pub(crate) fn announces(&self, bus: &str, id: Id) -> bool {
        let mut tables = self.tables.iter();
        tables.any(|table| table.is_on(bus) && table.announces(id))
    }

    /// Finds the streams of a frame by the identifier that it has for a table. Streams that are
    /// named come before "all".
    fn streams<'p, 'f>(
        &'p self,
        bus: &'f str,
        frame: &'f Frame,
        id: impl Fn(&AuthenticationTable) -> Option<Id> + Copy,
    ) -> impl Iterator<Item = StreamMatch<'p>> {
        let is_data = frame.format() != Format::Remote;
        let kinds = [true, false].into_iter().filter(move |_| is_data);
        kinds.flat_map(move |named| {
            let tables = self.tables.iter().enumerate();
            let tables = tables.filter(move |(_, one)| one.is_all() != named && one.is_on(bus));
            tables.filter_map(move |(table, own)| {
                let id = id(own)?;
                let (name, shares_name, layout, key) = own.find(id)?;
                Some(StreamMatch {
                    table,
                    id,
                    name,
                    shares_name,
                    layout,
                    data_id: own.data_ids.get(&id).copied(),
                    cryptographic: own.cryptographic_of(id),
                    key,
                })
            })
        })
    }
}

impl StreamMatch<'_> {
    /// Returns its name, or its identifier; both where others have the name, too.
    pub(crate) fn name(&self) -> String {
        match self.name {
            Some(_) if self.shares_name => self.title(),
            Some(name) => name.to_owned(),
            None => id_text(self.id),
        }
    }

    /// Returns how its messages are secured in this layout.
    pub(crate) fn secured(&self, layout: Layout) -> SecuredMessage {
        let (data_id, cryptographic) = (self.data_id, self.cryptographic);
        SecuredMessage {
            layout,
            data_id,
            cryptographic,
        }
    }

    /// Returns its name and its identifier, for errors.
    pub(crate) fn title(&self) -> String {
        match self.name.filter(|name| **name != id_text(self.id)) {
            Some(name) => format!("{name} ({})", id_text(self.id)),
            None => id_text(self.id),
        }
    }

    /// Makes the keys of the stream. One that shares its key with others under 11-bit identifiers
    /// has it as it is, for the identifier is in each authenticator; so has one with a data id that
    /// the table gives it.
    pub(crate) fn keys(&self, table: &AuthenticationTable) -> Result<StreamKeys, KeyStoreError> {
        match self.id {
            Id::Extended(id) if table.shares_keys && self.data_id.is_none() => {
                derived_keys(table.mac, self.key, id)
            }
            _ => stream_keys(table.mac, self.key),
        }
    }
}

/// Writes an identifier, of 11 bits with three digits, of 29 with eight.
pub(crate) fn id_text(id: Id) -> String {
    LogStream::unnamed(id).name
}
