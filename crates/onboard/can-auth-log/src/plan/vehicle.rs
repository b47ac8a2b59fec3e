//! The authentication tables of a vehicle as a plan.

use std::collections::HashMap;
use std::num::NonZeroU32;

use waywarden_can::Id;
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::secoc::SynchronisationError;
use waywarden_vehicle_file::{
    Authentication, AuthenticationProtocol, BusIndex, Secoc, StreamIndex, VehicleFile,
};

use super::AuthenticationPlan;
use super::FirstCounters;
use super::buses::ChannelBuses;
use super::table::{AuthenticationTable, FreshnessAnnouncements, NamedMessage, ProtectedMessages};

/// Source of a vehicle's keys: its simulated runs, or a key store.
pub trait VehicleKeys {
    /// Returns the key of a stream's messages; `authentication` is an index into
    /// [`VehicleFile::authentications`].
    fn message_key(&self, authentication: usize, stream: StreamIndex) -> MacKey;

    /// Returns the key of the announcements of the freshness master.
    fn announcement_key(&self, authentication: usize) -> MacKey;
}

/// The plan of a vehicle's logs while it is made: first which channels are which buses, then
/// [`VehiclePlan::finish`].
pub struct VehiclePlan<'f> {
    file: &'f VehicleFile,
    assigned: HashMap<String, String>,
}

/// Reason why the logs of a vehicle cannot be protected or checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VehiclePlanError {
    /// The vehicle has no `[[authentication]]`.
    #[error(
        "{file}: authenticates nothing; add an [[authentication]] with at least `scheme` and \
         `protect`, see docs/vehicle-file.md"
    )]
    NothingAuthenticated {
        /// The vehicle file.
        file: String,
    },
    /// All keys are agreed on while the vehicle runs.
    #[error("{file}: no [[authentication]] has keys that are in place when the car starts")]
    NoKeysAtStart {
        /// The vehicle file.
        file: String,
    },
    /// A profile has no announcements.
    #[error("{file}: {error}")]
    Announcements {
        /// The vehicle file.
        file: String,
        /// The cause.
        error: SynchronisationError,
    },
}

/// Reason why a channel cannot be assigned to a bus.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BusAssignmentError {
    /// The vehicle has no bus of this name.
    #[error("{file} has no bus {bus}; its buses: {}", .buses.join(", "))]
    UnknownBus {
        /// The vehicle file.
        file: String,
        /// The name that no bus has.
        bus: String,
        /// The buses that the vehicle has.
        buses: Vec<String>,
    },
    /// The channel has a bus already.
    #[error("{channel} is given twice; give each channel one bus")]
    AssignedTwice {
        /// The channel.
        channel: String,
    },
}

impl<'f> VehiclePlan<'f> {
    /// Begins the plan of a vehicle. A channel is the bus of the same name, or the only one.
    ///
    /// # Errors
    /// [`VehiclePlanError::NothingAuthenticated`].
    pub fn new(file: &'f VehicleFile) -> Result<Self, VehiclePlanError> {
        if file.authentications.is_empty() {
            let file = file.source.file_name().to_owned();
            return Err(VehiclePlanError::NothingAuthenticated { file });
        }
        Ok(VehiclePlan {
            file,
            assigned: HashMap::new(),
        })
    }

    /// Says which bus a channel of the log is.
    ///
    /// # Errors
    /// [`BusAssignmentError`].
    pub fn assign(&mut self, channel: &str, bus: &str) -> Result<(), BusAssignmentError> {
        let buses = self.buses();
        if !buses.iter().any(|name| name == bus) {
            return Err(BusAssignmentError::UnknownBus {
                file: self.file.source.file_name().to_owned(),
                bus: bus.to_owned(),
                buses,
            });
        }
        let before = self.assigned.insert(channel.to_owned(), bus.to_owned());
        match before {
            None => Ok(()),
            Some(_) => Err(BusAssignmentError::AssignedTwice {
                channel: channel.to_owned(),
            }),
        }
    }

    /// Returns the names of the buses, in the order of the file.
    #[must_use]
    pub fn buses(&self) -> Vec<String> {
        let buses = self.file.buses.iter();
        buses.map(|bus| bus.name.value.clone()).collect()
    }

    /// Returns the names of the authentications whose keys ECUs agree on or are granted while the
    /// car runs. No log shows such keys, so the plan leaves their streams out.
    pub fn with_session_keys(&self) -> impl Iterator<Item = &'f str> {
        let tables = self.file.authentications.iter();
        let renewed = tables.filter(|table| table.keys.is_session_key());
        renewed.map(|table| table.name.value.as_str())
    }

    /// Makes the plan; for `epoch` see [`AuthenticationPlan::new`].
    ///
    /// # Errors
    /// [`VehiclePlanError`].
    pub fn finish(
        self,
        keys: &impl VehicleKeys,
        epoch: NonZeroU32,
    ) -> Result<AuthenticationPlan, VehiclePlanError> {
        let file = || self.file.source.file_name().to_owned();
        let tables = tables(self.file, keys);
        let tables = tables.map_err(|error| {
            let file = file();
            VehiclePlanError::Announcements { file, error }
        })?;
        if tables.is_empty() {
            let file = file();
            return Err(VehiclePlanError::NoKeysAtStart { file });
        }
        Ok(AuthenticationPlan {
            tables,
            epoch: epoch.get(),
            first_counters: FirstCounters::default(),
            buses: ChannelBuses::Vehicle {
                file: file(),
                names: self.buses(),
                assigned: self.assigned,
            },
        })
    }
}

/// The tables of a vehicle, one for each bus that carries streams with their tags.
fn tables(
    file: &VehicleFile,
    keys: &impl VehicleKeys,
) -> Result<Vec<AuthenticationTable>, SynchronisationError> {
    let mut tables = Vec::new();
    for (at, table) in file.authentications.iter().enumerate() {
        if table.keys.is_session_key() {
            continue;
        }
        for (index, bus) in file.buses.iter().enumerate() {
            let named = messages(file, (at, table), BusIndex(index), keys);
            if named.is_empty() {
                continue;
            }
            let secoc = match &table.protocol {
                AuthenticationProtocol::Secoc(secoc) => Some(secoc),
                _ => None,
            };
            let master = secoc.and_then(|secoc| Some((secoc, secoc.master.as_ref()?)));
            let announcements = master.map(|(secoc, master)| {
                let key = keys.announcement_key(at);
                FreshnessAnnouncements::new(secoc, master.id, master.period, key)
            });
            tables.push(AuthenticationTable {
                protocol: table.protocol.clone(),
                mac: table.mac(),
                protocol_name: table.protocol_name(),
                widens: false,
                announcements: announcements.transpose()?,
                data_ids: data_ids(file, table),
                cryptographic: cryptographic(file, secoc),
                shares_keys: false,
                asking: table.asking.iter().map(|(_, id)| *id).collect(),
                bus: Some(bus.name.value.clone()),
                messages: ProtectedMessages::Named(named),
            });
        }
    }
    Ok(tables)
}

/// The data ids that are not the identifiers of their streams.
fn data_ids(file: &VehicleFile, table: &Authentication) -> HashMap<Id, u16> {
    let streams = table.streams.iter();
    let given = streams.filter_map(|&stream| {
        let data_id = table.data_id(stream)?;
        Some((file.stream(stream).id.value, data_id))
    });
    given.collect()
}

/// The cryptographic PDUs: their identifiers, and those of their messages.
fn cryptographic(file: &VehicleFile, secoc: Option<&Secoc>) -> HashMap<Id, Id> {
    let given = secoc.into_iter().flat_map(|secoc| &secoc.cryptographic_ids);
    given
        .map(|(stream, id)| (*id, file.stream(*stream).id.value))
        .collect()
}

/// The streams of an authentication that a bus carries with their tags.
fn messages(
    file: &VehicleFile,
    (at, table): (usize, &Authentication),
    bus: BusIndex,
    keys: &impl VehicleKeys,
) -> HashMap<Id, NamedMessage> {
    let here = table.streams.iter().copied().filter(|&stream| {
        let mut carried = file.stream(stream).carried.iter();
        let carried = carried.find(|carried| carried.bus == bus);
        carried.is_some_and(|carried| !file.is_verified(stream, carried.bus))
    });
    let message = |stream: StreamIndex| {
        let own = file.stream(stream);
        let layout = Some(table.layout(stream, own));
        let (name, key) = (own.name.value.clone(), keys.message_key(at, stream));
        (own.id.value, NamedMessage { name, key, layout })
    };
    here.map(message).collect()
}
