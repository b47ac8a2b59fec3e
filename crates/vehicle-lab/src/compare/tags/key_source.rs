//! Where the keys of a variant's message authentication come from: a group of ECUs that agree on a
//! key, or they are in place when the car starts.

use waywarden_vehicle_file::{AuthenticationProtocol, EcuIndex, StreamIndex, VehicleFile};

use super::super::choice::{KeyChoice, head};
use super::super::keys::{Group, groups_of};
use super::ends;

/// Streams whose keys come from one source.
pub(super) struct KeySource {
    /// The group whose key it is; none if the keys are in place when the car starts.
    pub(super) group: Option<Group>,
    pub(super) streams: Vec<StreamIndex>,
}

/// Divides streams by the source of their keys: the key of a group, if all who send or check a
/// stream hold it. The keys of protected modules are in place when the car starts.
pub(super) fn by_source(
    file: &VehicleFile,
    keys: KeyChoice,
    vault: &str,
    streams: &[StreamIndex],
) -> Vec<KeySource> {
    let mut sources = Vec::new();
    let mut rest = streams.to_vec();
    if vault == "software" {
        for group in groups_of(file, keys) {
            let holds = |at: &StreamIndex| {
                let ends = ends(file, *at);
                ends.into_iter().all(|ecu| group.holds(file, ecu))
            };
            let (streams, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(holds);
            rest = others;
            sources.push(KeySource {
                group: Some(group),
                streams,
            });
        }
    }
    sources.push(KeySource {
        group: None,
        streams: rest,
    });
    sources.retain(|source| !source.streams.is_empty());
    sources
}

impl KeySource {
    /// Returns who announces freshness: the file's own master, else who is in charge of keys or has
    /// the most ports; for a group, one of its ECUs.
    pub(super) fn master(&self, file: &VehicleFile) -> Option<EcuIndex> {
        let holds = |ecu: EcuIndex| match &self.group {
            Some(group) => group.holds(file, ecu),
            None => true,
        };
        let tables = file.authentications.iter();
        let own = tables.filter_map(|one| match &one.protocol {
            AuthenticationProtocol::Secoc(secoc) => secoc.master.as_ref(),
            _ => None,
        });
        let mut own = own.map(|master| master.ecu).filter(|ecu| holds(*ecu));
        let widest = || {
            let there = (0..file.ecus.len()).map(EcuIndex).filter(|ecu| holds(*ecu));
            let most = there.map(|ecu| file.ecu(ecu).ports.len()).max()?;
            head(file, |ecu| holds(ecu) && file.ecu(ecu).ports.len() == most)
        };
        own.next().or_else(widest)
    }

    /// Leaves out streams on buses that the freshness master is not on.
    pub(super) fn keep_reached(&mut self, file: &VehicleFile) {
        let Some(master) = self.master(file) else {
            return;
        };
        let ports = &file.ecu(master).ports;
        self.streams.retain(|at| {
            let mut carried = file.stream(*at).carried.iter();
            carried.all(|one| ports.contains(&one.bus))
        });
    }
}
