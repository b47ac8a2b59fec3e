//! Which messages of a log are protected how, and under which keys.

mod arrangement;

use std::collections::{HashMap, HashSet};

use waywarden_can::{ExtendedId, Format, Frame, Id, StandardId};
use waywarden_can_auth::mac::Key;
use waywarden_can_auth::paired::Wire;
use waywarden_can_auth::secoc::{Layout, Profile, Synchronisation};
use waywarden_vehicle::file::{AuthenticationProtocol, LogStream};
use waywarden_work::{Algorithm, Duration};

pub(super) use self::arrangement::Arrangement;
use super::codes::Codes;

/// Which messages are protected how.
pub(super) struct Plan {
    pub(super) tables: Vec<Table>,
    pub(super) epoch: u32,
    buses: Buses,
}

/// Messages that are protected in the same way.
pub(super) struct Table {
    pub(super) protocol: AuthenticationProtocol,
    pub(super) mac: Algorithm,
    /// The protocol in a word or two.
    pub(super) protocol_name: String,
    /// Whether classic frames of SecOC become CAN FD frames.
    pub(super) widens: bool,
    pub(super) announcements: Option<Announcements>,
    /// Under which identifiers ECUs ask where a stream stands.
    asking: Vec<StandardId>,
    /// The only bus it is about.
    bus: Option<String>,
    members: Members,
}

/// Who announces the time of the car.
pub(super) struct Announcements {
    pub(super) sync: Synchronisation,
    pub(super) period: Duration,
    key: Key,
}

enum Members {
    All { except: HashSet<Id>, key: Key },
    Named(HashMap<Id, Member>),
}

struct Member {
    name: String,
    key: Key,
    /// None is learned from the frames.
    layout: Option<Layout>,
}

/// A stream that a frame belongs to.
pub(super) struct Found<'a> {
    /// The place of its table.
    pub(super) table: usize,
    /// The identifier of its messages when they are not protected.
    pub(super) id: Id,
    name: Option<&'a str>,
    pub(super) layout: Option<Layout>,
    key: &'a Key,
}

/// Which bus a channel of the log is.
enum Buses {
    /// Each is one of its own.
    Channels,
    /// Those of a vehicle, in whose file they are.
    Vehicle {
        file: String,
        names: Vec<String>,
        given: HashMap<String, String>,
    },
}

impl Announcements {
    /// The key of the announcements.
    pub(super) fn codes(&self) -> Result<Codes, String> {
        Codes::new(Algorithm::Aes128Cmac, &self.key).map_err(|error| error.to_string())
    }
}

impl Table {
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

    /// Whether a frame that nobody named can be protected: all messages that can are.
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
            Members::All { except, key } => (!except.contains(&id)).then_some((None, None, key)),
            Members::Named(named) => {
                let Member { name, key, layout } = named.get(&id)?;
                Some((Some(name), *layout, key))
            }
        }
    }

    /// Whether it is about all messages that it can carry.
    pub(super) fn is_all(&self) -> bool {
        matches!(self.members, Members::All { .. })
    }
}

impl Plan {
    /// Returns which bus a channel of the log is.
    pub(super) fn bus(&self, channel: &str) -> Result<String, String> {
        let Buses::Vehicle { file, names, given } = &self.buses else {
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

    /// Finds the stream of a message that is not protected.
    pub(super) fn of_plain(&self, bus: &str, frame: &Frame) -> Option<Found<'_>> {
        self.found(bus, frame, |table| {
            let is_covered = !table.is_all() || table.carries(frame);
            is_covered.then_some(frame.id())
        })
    }

    /// Finds the stream that a frame of a protected log may belong to, whichever its part in it.
    pub(super) fn of_protected(&self, bus: &str, frame: &Frame) -> Option<Found<'_>> {
        let even = |raw: u16| StandardId::new(raw & !1).ok().map(Id::Standard);
        self.found(bus, frame, |table| match (table.wire(), frame.id()) {
            (None, id) => Some(id),
            (Some(Wire::Vatican), Id::Standard(id)) => even(id.raw()),
            // Besides LeiA's messages, answers to those who ask.
            (Some(_), Id::Extended(id)) => even(id.base()),
            (Some(Wire::Leia), Id::Standard(_)) => None,
        })
    }

    /// Returns the table whose announcements have this identifier.
    pub(super) fn announcing(&self, bus: &str, id: Id) -> Option<usize> {
        let mut tables = self.tables.iter();
        tables.position(|table| table.is_on(bus) && table.announces(id))
    }

    /// Finds the stream of a frame by the identifier that it has for a table. Streams that are
    /// named come before "all".
    fn found(
        &self,
        bus: &str,
        frame: &Frame,
        id: impl Fn(&Table) -> Option<Id>,
    ) -> Option<Found<'_>> {
        if frame.format() == Format::Remote {
            return None;
        }
        [true, false].into_iter().find_map(|named| {
            let tables = self.tables.iter().enumerate();
            let mut tables = tables.filter(|(_, one)| one.is_all() != named && one.is_on(bus));
            tables.find_map(|(table, own)| {
                let id = id(own)?;
                let (name, layout, key) = own.find(id)?;
                Some(Found {
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

impl Found<'_> {
    /// Its name, or its identifier.
    pub(super) fn name(&self) -> String {
        self.name.map_or(written(self.id), str::to_owned)
    }

    /// Its name and its identifier, for errors.
    pub(super) fn title(&self) -> String {
        match self.name.filter(|name| **name != written(self.id)) {
            Some(name) => format!("{name} ({})", written(self.id)),
            None => written(self.id),
        }
    }

    /// The keys of the stream. One that shares its key with others under 11-bit identifiers has it
    /// as it is, for the identifier is in each code.
    pub(super) fn codes(&self, table: &Table) -> Result<Codes, String> {
        let codes = match self.id {
            Id::Extended(id) => Codes::of_extended(table.mac, self.key, id),
            Id::Standard(_) => Codes::new(table.mac, self.key),
        };
        codes.map_err(|error| error.to_string())
    }
}

/// An identifier, of 11 bits with three digits, of 29 with eight.
pub(super) fn written(id: Id) -> String {
    LogStream::unnamed(id).name
}
