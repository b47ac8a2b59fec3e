//! Which messages of a log are protected how, and under which keys.

mod options;

use std::collections::{HashMap, HashSet};

use waywarden_can::{ExtendedId, Format, Frame, Id, StandardId};
use waywarden_can_auth::mac::Key;
use waywarden_can_auth::paired::Wire;
use waywarden_can_auth::secoc::{Layout, Profile, Synchronisation};
use waywarden_can_log::Channels;
use waywarden_vehicle_file::{AuthenticationProtocol, LogStream};
use waywarden_work::{Algorithm, Duration};

pub(super) use self::options::PlanOptions;
use super::stream_keys::StreamKeys;

/// Which messages are protected how.
pub(super) struct AuthenticationPlan {
    pub(super) tables: Vec<AuthenticationTable>,
    pub(super) epoch: u32,
    buses: ChannelBuses,
}

/// Messages that are protected in the same way.
pub(super) struct AuthenticationTable {
    pub(super) protocol: AuthenticationProtocol,
    pub(super) mac: Algorithm,
    /// The protocol in a word or two.
    pub(super) protocol_name: String,
    /// Whether classic frames of SecOC become CAN FD frames.
    pub(super) widens: bool,
    pub(super) announcements: Option<FreshnessAnnouncements>,
    /// Under which identifiers ECUs ask where a stream stands.
    asking: Vec<StandardId>,
    /// The only bus it is about.
    bus: Option<String>,
    members: ProtectedMessages,
}

/// Who announces the time of the car.
pub(super) struct FreshnessAnnouncements {
    pub(super) sync: Synchronisation,
    pub(super) period: Duration,
    key: Key,
}

enum ProtectedMessages {
    All { except: HashSet<Id>, key: Key },
    Named(HashMap<Id, NamedMessage>),
}

struct NamedMessage {
    name: String,
    key: Key,
    /// None is learned from the frames.
    layout: Option<Layout>,
}

/// A stream that a frame belongs to.
pub(super) struct StreamMatch<'a> {
    /// The place of its table.
    pub(super) table: usize,
    /// The identifier of its messages when they are not protected.
    pub(super) id: Id,
    name: Option<&'a str>,
    pub(super) layout: Option<Layout>,
    key: &'a Key,
}

/// Which bus a channel of the log is.
enum ChannelBuses {
    /// Each is one of its own.
    Channels,
    /// Those of a vehicle, in whose file they are.
    Vehicle {
        file: String,
        names: Vec<String>,
        given: HashMap<String, String>,
    },
}

impl FreshnessAnnouncements {
    /// The key of the announcements.
    pub(super) fn codes(&self) -> Result<StreamKeys, String> {
        StreamKeys::new(Algorithm::Aes128Cmac, &self.key).map_err(|error| error.to_string())
    }
}

impl AuthenticationTable {
    /// Returns how frames are laid out where tags have frames of their own.
    pub(super) fn wire(&self) -> Option<Wire> {
        match self.protocol {
            AuthenticationProtocol::Paired { wire, .. }
            | AuthenticationProtocol::Published { wire, .. } => Some(wire),
            AuthenticationProtocol::Secoc(_) => None,
        }
    }

    /// Returns SecOC's profile.
    pub(super) fn profile(&self) -> Option<Profile> {
        match &self.protocol {
            AuthenticationProtocol::Secoc(secoc) => Some(secoc.profile),
            _ => None,
        }
    }

    pub(super) fn is_as_published(&self) -> bool {
        matches!(self.protocol, AuthenticationProtocol::Published { .. })
    }

    /// Whether it announces under this identifier.
    pub(super) fn announces(&self, id: Id) -> bool {
        let mut own = self.announcements.iter();
        own.any(|own| id == Id::Standard(own.sync.id()))
    }

    /// Whether an ECU asks where a stream stands under this 29-bit identifier.
    pub(super) fn is_asked_under(&self, id: ExtendedId) -> bool {
        self.asking.iter().any(|own| own.raw() == id.base())
    }

    pub(super) fn is_on(&self, bus: &str) -> bool {
        self.bus.as_deref().is_none_or(|own| own == bus)
    }

    /// Whether a frame that no option named can be protected: all messages that can are.
    fn carries(&self, frame: &Frame) -> bool {
        let is_data = frame.format() != Format::Remote;
        match (self.wire(), frame.id()) {
            (None, _) => is_data,
            (Some(_), Id::Extended(_)) => false,
            (Some(_), Id::Standard(id)) => frame.format() == Format::Classic && id.raw() % 2 == 0,
        }
    }

    /// Finds a stream by the identifier of its messages when they are not protected.
    fn find(&self, id: Id) -> Option<(Option<&str>, Option<Layout>, &Key)> {
        match &self.members {
            ProtectedMessages::All { except, key } => {
                (!except.contains(&id)).then_some((None, None, key))
            }
            ProtectedMessages::Named(named) => {
                let NamedMessage { name, key, layout } = named.get(&id)?;
                Some((Some(name), *layout, key))
            }
        }
    }

    /// Says which messages it is about.
    fn about(&self) -> String {
        let ids = match &self.members {
            ProtectedMessages::All { except, .. } if except.is_empty() => {
                "all it can carry".to_owned()
            }
            ProtectedMessages::All { except, .. } => {
                format!(
                    "all it can carry except {}",
                    listed(&id_texts(except.iter()))
                )
            }
            ProtectedMessages::Named(named) if named.is_empty() => "no message".to_owned(),
            ProtectedMessages::Named(named) => listed(&id_texts(named.keys())),
        };
        match &self.bus {
            Some(bus) => format!("{ids} on {bus}"),
            None => ids,
        }
    }

    /// Whether it is about all messages that it can carry.
    pub(super) fn is_all(&self) -> bool {
        matches!(self.members, ProtectedMessages::All { .. })
    }
}

impl AuthenticationPlan {
    /// Returns which bus a channel of the log is.
    pub(super) fn bus(&self, channel: &str) -> Result<String, String> {
        let ChannelBuses::Vehicle { file, names, given } = &self.buses else {
            return Ok(channel.to_owned());
        };
        let same = names.iter().find(|name| *name == channel);
        let only = names.first().filter(|_| names.len() == 1);
        let bus = given.get(channel).or(same).or(only);
        bus.cloned().ok_or_else(|| {
            format!(
                "channel {channel} is no bus of {file}; say which with --channel {channel}=BUS, \
                 one of {}",
                names.join(", ")
            )
        })
    }

    /// Says that no frame of a log belongs to any table: what they are about, and what the log has.
    pub(super) fn nothing_found(&self, channels: &Channels) -> String {
        let tables: Vec<String> = self.tables.iter().map(AuthenticationTable::about).collect();
        let channels: Vec<&str> = channels.iter().map(|(_, name)| name).collect();
        let channels = match channels.is_empty() {
            true => "nothing".to_owned(),
            false => listed(&channels),
        };
        format!(
            "no frame belongs to a stream; the tables are about {}; the log has {channels}",
            tables.join(", and ")
        )
    }

    /// Finds the stream of a message that is not protected.
    pub(super) fn stream_of_plain(&self, bus: &str, frame: &Frame) -> Option<StreamMatch<'_>> {
        let mut own = self.found(bus, frame, move |table| {
            let is_covered = !table.is_all() || table.carries(frame);
            is_covered.then_some(frame.id())
        });
        own.next()
    }

    /// Finds the streams that a frame of a protected log may belong to, whichever its part in
    /// them, first the one that it would belong to if there were all of them.
    pub(super) fn streams_of_protected<'p, 'f>(
        &'p self,
        bus: &'f str,
        frame: &'f Frame,
    ) -> impl Iterator<Item = StreamMatch<'p>> {
        let even = |raw: u16| StandardId::new(raw & !1).ok().map(Id::Standard);
        self.found(bus, frame, move |table| match (table.wire(), frame.id()) {
            (None, id) => Some(id),
            (Some(Wire::Vatican), Id::Standard(id)) => even(id.raw()),
            // Besides LeiA's messages, answers to those who ask.
            (Some(_), Id::Extended(id)) => even(id.base()),
            // Only a forger sends under the identifiers that LeiA's messages are given back with.
            (Some(Wire::Leia), id @ Id::Standard(own)) => (own.raw() % 2 == 0).then_some(id),
        })
    }

    /// Whether none but messages in the form of the stream may have its identifier: of a stream
    /// that was named any, of those under "all" what would have been protected.
    pub(super) fn owns(&self, found: &StreamMatch<'_>, frame: &Frame) -> bool {
        let table = &self.tables[found.table];
        frame.id() == found.id && (!table.is_all() || table.carries(frame))
    }

    /// Returns the table whose announcements have this identifier.
    pub(super) fn announcing(&self, bus: &str, id: Id) -> Option<usize> {
        let mut tables = self.tables.iter();
        tables.position(|table| table.is_on(bus) && table.announces(id))
    }

    /// Finds the streams of a frame by the identifier that it has for a table. Streams that are
    /// named come before "all".
    fn found<'p, 'f>(
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
                let (name, layout, key) = own.find(id)?;
                Some(StreamMatch {
                    table,
                    id,
                    name,
                    layout,
                    key,
                })
            })
        })
    }
}

impl StreamMatch<'_> {
    /// Its name, or its identifier.
    pub(super) fn name(&self) -> String {
        self.name.map_or(id_text(self.id), str::to_owned)
    }

    /// Its name and its identifier, for errors.
    pub(super) fn title(&self) -> String {
        match self.name.filter(|name| **name != id_text(self.id)) {
            Some(name) => format!("{name} ({})", id_text(self.id)),
            None => id_text(self.id),
        }
    }

    /// The keys of the stream. One that shares its key with others under 11-bit identifiers has it
    /// as it is, for the identifier is in each code.
    pub(super) fn codes(&self, table: &AuthenticationTable) -> Result<StreamKeys, String> {
        let codes = match self.id {
            Id::Extended(id) => StreamKeys::of_extended(table.mac, self.key, id),
            Id::Standard(_) => StreamKeys::new(table.mac, self.key),
        };
        codes.map_err(|error| error.to_string())
    }
}

/// How many things a message lists at most.
const LISTED_MAX: usize = 8;

/// Lists some, and says how many more there are.
fn listed(all: &[impl AsRef<str>]) -> String {
    let first: Vec<&str> = all.iter().take(LISTED_MAX).map(AsRef::as_ref).collect();
    match all.len().saturating_sub(LISTED_MAX) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Identifiers in order.
fn id_texts<'a>(ids: impl Iterator<Item = &'a Id>) -> Vec<String> {
    let mut all: Vec<String> = ids.map(|id| id_text(*id)).collect();
    all.sort();
    all
}

/// An identifier, of 11 bits with three digits, of 29 with eight.
pub(super) fn id_text(id: Id) -> String {
    LogStream::unnamed(id).name
}
