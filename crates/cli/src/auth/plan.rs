//! Which messages of a log are protected how, and under which keys: from a vehicle file, or from
//! tables that stand alone.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use waywarden_can::{ExtendedId, Format, Frame, Id, StandardId};
use waywarden_can_auth::mac::Key;
use waywarden_can_auth::paired::Wire;
use waywarden_can_auth::secoc::{Carrier, Layout, Profile, Synchronisation};
use waywarden_vehicle::dbc;
use waywarden_vehicle::file::{
    AuthenticationFile, AuthenticationProtocol, KEY_FILE_MAX, KeySource, LogAuthentication,
    LogStreams, Problem, StreamIndex, VehicleFile,
};
use waywarden_vehicle::lower::{announcement_key, message_key};
use waywarden_work::{Algorithm, Duration};

use super::codes::{Codes, MESSAGES};
use crate::exit::Failure;
use crate::files;

/// What says which messages are protected, and how.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Arrangement {
    /// The vehicle whose streams and [[authentication]] tables these are; the keys are those that
    /// its runs have.
    #[arg(long, value_name = "CAR.toml", required_unless_present = "config")]
    vehicle: Option<PathBuf>,
    /// Tables that stand alone, with keys; docs/auth.md describes them.
    #[arg(long, value_name = "AUTH.toml", conflicts_with = "vehicle")]
    config: Option<PathBuf>,
    /// The message matrix whose names the tables use.
    #[arg(long, value_name = "MATRIX.dbc", requires = "config")]
    dbc: Option<PathBuf>,
    /// Classic frames of SecOC become CAN FD frames, as if all its tables said `fd = true`.
    #[arg(long, requires = "config")]
    fd: bool,
    /// The log's CHANNEL is this bus of the vehicle; without it, the bus of the same name, or the
    /// only one.
    #[arg(long, value_name = "CHANNEL=BUS", requires = "vehicle")]
    channel: Vec<String>,
    /// The number of the start since the keys are in use, from 1: trip and epoch of the senders.
    /// Each log that is protected under the same keys needs a higher one.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    epoch: u32,
}

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
    pub(super) name: Option<&'a str>,
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

impl Arrangement {
    /// Reads the files.
    pub(super) fn plan(&self) -> Result<Plan, Failure> {
        let (tables, buses) = match (&self.vehicle, &self.config) {
            (Some(path), _) => self.of_vehicle(path)?,
            (None, Some(path)) => (self.alone(path)?, Buses::Channels),
            (None, None) => return Err(Failure::new("give a --vehicle or a --config")),
        };
        Ok(Plan {
            tables,
            epoch: self.epoch,
            buses,
        })
    }

    fn of_vehicle(&self, path: &Path) -> Result<(Vec<Table>, Buses), Failure> {
        let text = files::text(path)?;
        let name = path.display().to_string();
        let file = VehicleFile::parse(&name, &text)
            .map_err(|errors| Failure::all(errors.listed().iter().map(ToString::to_string)))?;
        if file.authentications.is_empty() {
            return Err(Failure::new(format_args!(
                "{name}: authenticates nothing; add an [[authentication]] with at least `scheme` \
                 and `protect`, see docs/vehicle-file.md"
            )));
        }
        let names: Vec<String> = file
            .buses
            .iter()
            .map(|bus| bus.name.value.clone())
            .collect();
        let mut given = HashMap::new();
        for word in &self.channel {
            let pair = word.split_once('=');
            let pair = pair.filter(|(_, bus)| names.iter().any(|name| name == bus));
            let Some((channel, bus)) = pair else {
                return Err(Failure::new(format_args!(
                    "--channel {word}: give a channel of the log and a bus of {name}, such as \
                     can0={}; its buses: {}",
                    names.first().map_or("main", String::as_str),
                    names.join(", ")
                )));
            };
            given.insert(channel.to_owned(), bus.to_owned());
        }
        let tables =
            vehicle_tables(&file).map_err(|why| Failure::new(format_args!("{name}: {why}")));
        let buses = Buses::Vehicle {
            file: name.clone(),
            names,
            given,
        };
        Ok((tables?, buses))
    }

    fn alone(&self, path: &Path) -> Result<Vec<Table>, Failure> {
        let matrix = self.dbc.as_deref().map(matrix).transpose()?;
        let text = files::text(path)?;
        let name = path.display().to_string();
        let file = AuthenticationFile::parse(&name, &text, matrix.as_ref())
            .map_err(|errors| Failure::all(errors.listed().iter().map(ToString::to_string)))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let tables = file.tables.iter().map(|table| {
            let key = key(folder, &file, &table.key)?;
            Table::alone(table, key, self.fd).map_err(|why| {
                let (found, remedy) = (why, "take another profile");
                let problem = Problem::Relation { found, remedy };
                Failure::new(file.source.error(&table.name.span, problem))
            })
        });
        tables.collect()
    }
}

/// Reads a message matrix.
fn matrix(path: &Path) -> Result<dbc::Matrix, Failure> {
    let bytes = files::bytes(path, dbc::TEXT_MAX)?;
    let path = path.display();
    dbc::import(&dbc::decode(&bytes)).map_err(|error| match error.line() {
        Some(line) => Failure::new(format_args!("{path}:{line}: {error}")),
        None => Failure::new(format_args!("{path}: {error}")),
    })
}

/// Reads the key that a table names.
fn key(folder: &Path, file: &AuthenticationFile, source: &KeySource) -> Result<Key, Failure> {
    let located = match source {
        KeySource::Bytes(bytes) => return Ok(Key::from_bytes(*bytes)),
        KeySource::File(path) => path,
    };
    let path = folder.join(&located.value);
    let text = files::bytes(&path, KEY_FILE_MAX)?;
    let bytes = std::str::from_utf8(&text).ok().and_then(KeySource::read);
    bytes.map(Key::from_bytes).ok_or_else(|| {
        let problem = Problem::Relation {
            found: format!("{} has no key", path.display()),
            remedy: "put 16 bytes in hexadecimal there, 32 digits",
        };
        Failure::new(file.source.error(&located.span, problem))
    })
}

/// The tables of a vehicle, one for each bus that carries streams with their tags.
fn vehicle_tables(file: &VehicleFile) -> Result<Vec<Table>, String> {
    let mut tables = Vec::new();
    for (at, table) in file.authentications.iter().enumerate() {
        for (index, bus) in file.buses.iter().enumerate() {
            let here = table.streams.iter().copied().filter(|&stream| {
                let mut carried = file.stream(stream).carried.iter();
                let carried = carried.find(|carried| carried.bus.0 == index);
                carried.is_some_and(|carried| !file.is_verified(stream, carried.bus))
            });
            let member = |stream: StreamIndex| {
                let own = file.stream(stream);
                let layout = Some(table.layout(stream, own));
                let (name, key) = (own.name.value.clone(), message_key(file, at, stream));
                (own.id.value, Member { name, key, layout })
            };
            let members: HashMap<Id, Member> = here.map(member).collect();
            if members.is_empty() {
                continue;
            }
            let master = match &table.protocol {
                AuthenticationProtocol::Secoc(secoc) => secoc.master.as_ref(),
                _ => None,
            };
            let announcements = master.map(|master| {
                let key = announcement_key(file, at);
                announcements(&table.protocol, master.id, master.period, key)
            });
            tables.push(Table {
                protocol: table.protocol.clone(),
                mac: table.mac(),
                protocol_name: table.protocol_name(),
                widens: false,
                announcements: announcements.transpose()?,
                asking: table.asking.iter().map(|(_, id)| *id).collect(),
                bus: Some(bus.name.value.clone()),
                members: Members::Named(members),
            });
        }
    }
    Ok(tables)
}

/// Announcements are in classic frames where their counters leave room for a code, as in vehicle
/// files.
fn announcements(
    protocol: &AuthenticationProtocol,
    id: StandardId,
    period: Duration,
    key: Key,
) -> Result<Announcements, String> {
    let AuthenticationProtocol::Secoc(secoc) = protocol else {
        return Err("no announcements without SecOC".to_owned());
    };
    let made =
        |profile: &Profile, carrier, mac| Synchronisation::new(profile, carrier, id, mac, MESSAGES);
    let mac = secoc.profile.mac_bits();
    let sync = made(&secoc.profile, Carrier::Classic, mac.min(28))
        .or_else(|_| made(&secoc.profile, Carrier::Fd, mac));
    Ok(Announcements {
        sync: sync.map_err(|error| error.to_string())?,
        period,
        key,
    })
}

impl Announcements {
    /// The key of the announcements.
    pub(super) fn codes(&self) -> Result<Codes, String> {
        Codes::new(Algorithm::Aes128Cmac, &self.key).map_err(|error| error.to_string())
    }
}

impl Table {
    fn alone(table: &LogAuthentication, key: Key, fd: bool) -> Result<Self, String> {
        let announcements = table
            .announcements
            .map(|own| announcements(&table.protocol, own.id, own.period, key.duplicate()));
        let except: HashSet<Id> = table.except.iter().copied().collect();
        let members = match &table.streams {
            LogStreams::All => Members::All { except, key },
            LogStreams::Named(named) => {
                let named = named.iter().filter(|one| !except.contains(&one.id));
                Members::Named(
                    named
                        .map(|one| {
                            let (name, key) = (one.name.clone(), key.duplicate());
                            let layout = None;
                            (one.id, Member { name, key, layout })
                        })
                        .collect(),
                )
            }
        };
        let is_secoc = matches!(table.protocol, AuthenticationProtocol::Secoc(_));
        Ok(Table {
            mac: table.protocol.mac(),
            protocol_name: table.protocol.name(),
            protocol: table.protocol.clone(),
            widens: is_secoc && (fd || table.widens),
            announcements: announcements.transpose()?,
            asking: Vec::new(),
            bus: table.channel.clone(),
            members,
        })
    }

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
                "channel {channel} is no bus of {file}; say which with --channel {channel}=BUS, one \
                 of {}",
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

    /// Finds the stream of a frame by the identifier that it has for a table. Streams that are named
    /// come before "all".
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
