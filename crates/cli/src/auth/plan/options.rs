//! Reads what says which messages are protected: a vehicle file, or tables that stand alone.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use waywarden_can::{Id, StandardId};
use waywarden_can_auth::mac::Key;
use waywarden_can_auth::secoc::{Carrier, Profile, Synchronisation};
use waywarden_vehicle_file::dbc;
use waywarden_vehicle_file::{
    AuthenticationFile, AuthenticationProtocol, KEY_FILE_MAX, KeySource, LogAuthentication,
    LogStreams, Problem, StreamIndex, VehicleFile,
};
use waywarden_vehicle_lab::lower::{announcement_key, message_key};
use waywarden_work::Duration;

use super::{
    AuthenticationPlan, AuthenticationTable, ChannelBuses, FreshnessAnnouncements, NamedMessage,
    ProtectedMessages,
};
use crate::auth::stream_keys::MESSAGE_KEY;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;

/// What says which messages are protected, and how.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PlanOptions {
    /// The vehicle whose streams and authentication tables these are; the keys are those that
    /// its runs have.
    #[arg(long, value_name = "CAR.toml")]
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
    #[arg(long, value_name = "CHANNEL=BUS")]
    channel: Vec<String>,
    /// The number of the start since the keys are in use, from 1: trip and epoch of the senders.
    /// Each log that is protected under the same keys needs a higher one.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    epoch: u32,
}

impl PlanOptions {
    /// Reads the files.
    pub(in crate::auth) fn plan(&self) -> Result<AuthenticationPlan, Failure> {
        if self.vehicle.is_none() && !self.channel.is_empty() {
            return Err(Failure::new(
                "--channel says which bus of a --vehicle a channel is; in the tables of a \
                 --config write `channel`",
            ));
        }
        let (tables, buses) = match (&self.vehicle, &self.config) {
            (Some(path), _) => self.of_vehicle(path)?,
            (None, Some(path)) => (self.alone(path)?, ChannelBuses::Channels),
            (None, None) => {
                return Err(Failure::new(
                    "which messages, under which keys? give --config AUTH.toml with tables and \
                     keys, or --vehicle CAR.toml; see docs/auth.md",
                ));
            }
        };
        Ok(AuthenticationPlan {
            tables,
            epoch: self.epoch,
            buses,
        })
    }

    fn of_vehicle(&self, path: &Path) -> Result<(Vec<AuthenticationTable>, ChannelBuses), Failure> {
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
            if given.insert(channel.to_owned(), bus.to_owned()).is_some() {
                return Err(Failure::new(format_args!(
                    "--channel {word}: {channel} is given twice; give each channel one bus"
                )));
            }
        }
        let tables =
            vehicle_tables(&file).map_err(|why| Failure::new(format_args!("{name}: {why}")));
        let buses = ChannelBuses::Vehicle {
            file: name.clone(),
            names,
            given,
        };
        Ok((tables?, buses))
    }

    fn alone(&self, path: &Path) -> Result<Vec<AuthenticationTable>, Failure> {
        let matrix = self.dbc.as_deref().map(matrix).transpose()?;
        let text = files::text(path)?;
        let name = path.display().to_string();
        let file = AuthenticationFile::parse(&name, &text, matrix.as_ref())
            .map_err(|errors| Failure::all(errors.listed().iter().map(ToString::to_string)))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let tables = file.tables.iter().map(|table| {
            let key = key(folder, &file, &table.key)?;
            AuthenticationTable::alone(table, key, self.fd).map_err(|why| {
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
    let matrix = files::matrix(path)?;
    match matrix.messages.is_empty() {
        true => Err(Failure::new(format_args!(
            "{}: has no message; give the matrix whose names the tables use",
            path.display()
        ))),
        false => Ok(matrix),
    }
}

/// Reads the key that a table names.
fn key(folder: &Path, file: &AuthenticationFile, source: &KeySource) -> Result<Key, Failure> {
    let located = match source {
        KeySource::Bytes(bytes) => return Ok(Key::from_bytes(*bytes)),
        KeySource::File(path) => path,
    };
    let path = folder.join(&located.value);
    let failure = |found: String, remedy| {
        let problem = Problem::Relation { found, remedy };
        Failure::new(file.source.error(&located.span, problem))
    };
    // A pipe may have no end, and a device no beginning.
    match path.metadata() {
        Ok(there) if there.is_file() => {}
        Ok(_) => {
            let found = format!("{} is no file", path.display());
            return Err(failure(found, "name a file with 32 hexadecimal digits"));
        }
        Err(error) => {
            let remedy = "the path is relative to the folder of the tables";
            return Err(failure(format!("{}: {error}", path.display()), remedy));
        }
    }
    let text = files::bytes(&path, KEY_FILE_MAX)?;
    let bytes = std::str::from_utf8(&text).ok().and_then(KeySource::read);
    bytes.map(Key::from_bytes).ok_or_else(|| {
        let found = format!("{} has no key", path.display());
        failure(found, "put 16 bytes in hexadecimal there, 32 digits")
    })
}

/// The tables of a vehicle, one for each bus that carries streams with their tags.
fn vehicle_tables(file: &VehicleFile) -> Result<Vec<AuthenticationTable>, String> {
    let mut tables = Vec::new();
    for (at, table) in file.authentications.iter().enumerate() {
        if table.keys.group_key().is_some() {
            eprintln!(
                "warning: authentication {:?} has keys that the ECUs of a group agree on; no log \
                 shows them, so its streams are not looked at",
                table.name.value
            );
            continue;
        }
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
                (own.id.value, NamedMessage { name, key, layout })
            };
            let members: HashMap<Id, NamedMessage> = here.map(member).collect();
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
            tables.push(AuthenticationTable {
                protocol: table.protocol.clone(),
                mac: table.mac(),
                protocol_name: table.protocol_name(),
                widens: false,
                announcements: announcements.transpose()?,
                asking: table.asking.iter().map(|(_, id)| *id).collect(),
                bus: Some(bus.name.value.clone()),
                members: ProtectedMessages::Named(members),
            });
        }
    }
    if tables.is_empty() {
        return Err(
            "no [[authentication]] has keys that are in place when the car starts".to_owned(),
        );
    }
    Ok(tables)
}

/// FreshnessAnnouncements are in classic frames where their counters leave room for a code, as in vehicle
/// files.
fn announcements(
    protocol: &AuthenticationProtocol,
    id: StandardId,
    period: Duration,
    key: Key,
) -> Result<FreshnessAnnouncements, String> {
    let AuthenticationProtocol::Secoc(secoc) = protocol else {
        return Err("no announcements without SecOC".to_owned());
    };
    let made = |profile: &Profile, carrier, mac| {
        Synchronisation::new(profile, carrier, id, mac, MESSAGE_KEY)
    };
    let mac = secoc.profile.mac_bits();
    let sync = made(&secoc.profile, Carrier::Classic, mac.min(28))
        .or_else(|_| made(&secoc.profile, Carrier::Fd, mac));
    Ok(FreshnessAnnouncements {
        sync: sync.map_err(|error| error.to_string())?,
        period,
        key,
    })
}

impl AuthenticationTable {
    /// Takes a table that stands alone.
    fn alone(table: &LogAuthentication, key: Key, fd: bool) -> Result<Self, String> {
        let announcements = table
            .announcements
            .map(|own| announcements(&table.protocol, own.id, own.period, key.duplicate()));
        let except: HashSet<Id> = table.except.iter().copied().collect();
        let members = match &table.streams {
            LogStreams::All => ProtectedMessages::All { except, key },
            LogStreams::Named(named) => {
                let named = named.iter().filter(|one| !except.contains(&one.id));
                ProtectedMessages::Named(
                    named
                        .map(|one| {
                            let (name, key) = (one.name.clone(), key.duplicate());
                            let layout = None;
                            (one.id, NamedMessage { name, key, layout })
                        })
                        .collect(),
                )
            }
        };
        let is_secoc = matches!(table.protocol, AuthenticationProtocol::Secoc(_));
        Ok(AuthenticationTable {
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
}
