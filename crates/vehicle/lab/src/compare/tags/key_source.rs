//! The source of a variant's authentication keys: a group agrees on one, a security module grants
//! them, or they are in place when the car starts.

use std::collections::BTreeMap;

use waywarden_vehicle_file::{EcuIndex, StreamIndex, VehicleFile};

use super::super::choice::{KeyChoice, head};
use super::super::keys::{KeyProvider, providers};
use super::{Car, ends};

/// Streams whose keys come from one source.
pub(super) struct KeySource {
    /// Provider of the keys; none if they are in place when the car starts.
    pub(super) provider: Option<KeyProvider>,
    pub(super) streams: Vec<StreamIndex>,
}

/// Divides streams by the source of their keys: a group or a security module, if all who send or
/// check a stream get its keys and have room for them. The keys of protected modules are in place
/// when the car starts.
pub(super) fn by_source(
    file: &VehicleFile,
    keys: KeyChoice,
    key_store: &str,
    streams: &[StreamIndex],
) -> Vec<KeySource> {
    let mut sources = Vec::new();
    let mut rest = streams.to_vec();
    if key_store == "software" {
        for provider in providers(file, keys) {
            let (streams, others) = served(file, &provider, rest);
            rest = others;
            sources.push(KeySource {
                provider: Some(provider),
                streams,
            });
        }
    }
    sources.push(KeySource {
        provider: None,
        streams: rest,
    });
    sources.retain(|source| !source.streams.is_empty());
    sources
}

/// Divides streams into those that a provider has keys for, and the others.
fn served(
    file: &VehicleFile,
    provider: &KeyProvider,
    streams: Vec<StreamIndex>,
) -> (Vec<StreamIndex>, Vec<StreamIndex>) {
    let mut held: BTreeMap<EcuIndex, usize> = BTreeMap::new();
    streams.into_iter().partition(|at| {
        let ends = ends(file, *at);
        let has_room = |ecu: EcuIndex| {
            let held = held.get(&ecu).copied().unwrap_or(0);
            provider.room(file, ecu).is_none_or(|room| held < room)
        };
        let mut all = ends.iter().copied();
        let is_served = all.all(|ecu| provider.holds(file, ecu) && has_room(ecu));
        for ecu in ends.into_iter().filter(|_| is_served) {
            *held.entry(ecu).or_default() += 1;
        }
        is_served
    })
}

impl KeySource {
    /// Returns who announces freshness: the file's own master, else who is in charge of keys or has
    /// the most ports; one that gets the same keys.
    pub(super) fn master(&self, car: Car<'_>) -> Option<EcuIndex> {
        let file = car.file;
        let provider = self.provider.as_ref();
        let holds = |ecu: EcuIndex| provider.is_none_or(|one| one.holds(file, ecu));
        let own = car.masters.iter().map(|master| master.ecu);
        let mut own = own.filter(|ecu| holds(*ecu));
        let widest = || {
            let there = (0..file.ecus.len()).map(EcuIndex).filter(|ecu| holds(*ecu));
            let most = there.map(|ecu| file.ecu(ecu).ports.len()).max()?;
            head(file, |ecu| holds(ecu) && file.ecu(ecu).ports.len() == most)
        };
        own.next().or_else(widest)
    }

    /// Leaves out streams on buses that the freshness master is not on.
    pub(super) fn keep_reached(&mut self, car: Car<'_>) {
        let Some(master) = self.master(car) else {
            return;
        };
        let file = car.file;
        let ports = &file.ecu(master).ports;
        self.streams.retain(|at| {
            let mut carried = file.stream(*at).carried.iter();
            carried.all(|one| ports.contains(&one.bus))
        });
    }
}
