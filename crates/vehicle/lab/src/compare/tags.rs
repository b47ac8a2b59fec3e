//! Writes the `[[authentication]]` of a variant, over the streams that can carry it.

mod key_source;

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};
use waywarden_can::Id;
use waywarden_can_auth::paired::Wire;
use waywarden_can_auth::secoc::{PRODUCTION_ID, Profile};
use waywarden_ecu::COUNTERS;
use waywarden_work::Algorithm;

use self::key_source::{KeySource, by_source};
use super::choice::{AuthenticationChoice, KeyChoice, KeyLocation, Variant};
use super::keys;
use crate::composing::{names, tables};
use waywarden_vehicle_file::{
    AUTHENTICATED_MAX, AuthenticationProtocol, BusIndex, EcuIndex, FrameFormat, HELD_MAX,
    PROTECTED_MAX, Secoc, Stream, StreamIndex, VehicleFile, fits, protected_length,
};

/// A car, and the streams of it that are to be protected.
#[derive(Clone, Copy)]
pub(super) struct Car<'a> {
    pub(super) file: &'a VehicleFile,
    pub(super) streams: &'a [StreamIndex],
}

/// Settings written over streams: the scheme and its profile, and the storage of the keys.
#[derive(Clone, Copy)]
struct Scheme {
    name: &'static str,
    profile: &'static str,
    key_store: &'static str,
}

/// Replaces `[[authentication]]`; routes that verify go on doing so where there are tags.
pub(super) fn write(table: &mut Table, car: Car<'_>, variant: Variant, key_store: KeyLocation) {
    if variant.authentication == AuthenticationChoice::File {
        return;
    }
    table.remove("authentication");
    let scheme = |name, profile| Scheme {
        name,
        profile,
        key_store: key_store.word(car.file),
    };
    let keys = variant.keys;
    let covered = match variant.authentication {
        AuthenticationChoice::Vatican => in_pairs(
            table,
            car,
            keys,
            scheme("vatican", "hardened"),
            Wire::Vatican,
        ),
        AuthenticationChoice::Leia => {
            in_pairs(table, car, keys, scheme("leia", "hardened"), Wire::Leia)
        }
        AuthenticationChoice::Secoc(profile) => secoc(table, car, keys, scheme("secoc", profile)),
        AuthenticationChoice::Lasan => {
            granted(table, car);
            BTreeSet::new()
        }
        AuthenticationChoice::None | AuthenticationChoice::File => BTreeSet::new(),
    };
    verify_only(table, car.file, &covered);
}

/// Writes tags in frames of their own.
fn in_pairs(
    table: &mut Table,
    car: Car<'_>,
    keys: KeyChoice,
    scheme: Scheme,
    wire: Wire,
) -> BTreeSet<StreamIndex> {
    let streams = paired(car, keys, wire);
    let sources = by_source(car.file, keys, scheme.key_store, &streams);
    insert(table, car.file, scheme, &sources)
}

/// The streams to protect that no security module of the file protects.
fn open(car: Car<'_>, keys: KeyChoice) -> impl Iterator<Item = (StreamIndex, &Stream)> {
    let granted = move |at: StreamIndex| {
        let mut networks = car.file.lasan.iter();
        let by = |line: &waywarden_vehicle_file::Protected| line.stream == at;
        keys == KeyChoice::File && networks.any(|one| one.protected.iter().any(by))
    };
    let all = car
        .streams
        .iter()
        .map(move |at| (*at, car.file.stream(*at)));
    all.filter(move |(at, _)| !granted(*at))
}

/// The streams that can have tags in a second frame.
fn paired(car: Car<'_>, keys: KeyChoice, wire: Wire) -> Vec<StreamIndex> {
    let mac = Algorithm::Aes128Cmac;
    let protocol = AuthenticationProtocol::Paired { wire, mac };
    // An ECU without the key cannot read LeiA's identifiers.
    let readable = |stream: &Stream| {
        let unchecked = unchecked(car.file);
        let is_unchecked = |one: &waywarden_vehicle_file::Receiver| unchecked.contains(&one.ecu);
        wire != Wire::Leia || !stream.receivers.iter().any(is_unchecked)
    };
    open(car, keys)
        .filter(|(_, stream)| readable(stream) && fits(car.file, &protocol, stream))
        .map(|(at, _)| at)
        .take(AUTHENTICATED_MAX)
        .collect()
}

/// The receivers of the file that have no keys.
fn unchecked(file: &VehicleFile) -> BTreeSet<EcuIndex> {
    let tables = file.authentications.iter();
    tables.flat_map(|one| &one.unchecked).copied().collect()
}

/// Writes a table for each source of keys; returns the streams in them.
fn insert(
    table: &mut Table,
    file: &VehicleFile,
    scheme: Scheme,
    sources: &[KeySource],
) -> BTreeSet<StreamIndex> {
    let of = |(number, source): (usize, &KeySource)| {
        let mut written = Table::new();
        let name = match number {
            0 => scheme.name.to_owned(),
            number => format!("{}-{}", scheme.name, number + 1),
        };
        written.insert("name".to_owned(), name.into());
        written.insert("scheme".to_owned(), scheme.name.into());
        written.insert("profile".to_owned(), scheme.profile.into());
        written.insert("key_store".to_owned(), scheme.key_store.into());
        if let Some(provider) = &source.provider {
            provider.write(&mut written);
        }
        let streams = source.streams.iter().map(|at| file.stream(*at));
        let protect = streams.clone().map(|stream| stream.name.value.as_str());
        written.insert("protect".to_owned(), names(protect));
        if scheme.name != "leia" {
            let receives = |ecu: &EcuIndex| {
                streams
                    .clone()
                    .any(|stream| stream.receivers.iter().any(|one| one.ecu == *ecu))
            };
            let unchecked = unchecked(file).into_iter().filter(receives);
            let unchecked: Vec<&str> = unchecked
                .map(|ecu| file.ecu(ecu).name.value.as_str())
                .collect();
            written.insert("unchecked".to_owned(), names(unchecked));
        }
        Value::Table(written)
    };
    let written: Vec<Value> = sources.iter().enumerate().map(of).collect();
    if !written.is_empty() {
        table.insert("authentication".to_owned(), Value::Array(written));
    }
    sources
        .iter()
        .flat_map(|one| one.streams.iter().copied())
        .collect()
}

/// Writes SecOC; streams on CAN FD buses all their way become CAN FD where only that has room.
fn secoc(
    table: &mut Table,
    car: Car<'_>,
    keys: KeyChoice,
    scheme: Scheme,
) -> BTreeSet<StreamIndex> {
    let file = car.file;
    let profile = match scheme.profile {
        "jaspar" => Profile::JASPAR,
        "autosar-1" => Profile::AUTOSAR_1,
        _ => Profile::PRODUCTION,
    };
    let is_synchronised = profile.freshness().is_synchronised();
    let protocol = AuthenticationProtocol::Secoc(Secoc {
        cryptographic_ids: Vec::new(),
        profile,
        master: None,
        areas: Vec::new(),
        data_ids: Vec::new(),
    });
    let mut chosen: Vec<(StreamIndex, bool)> = open(car, keys)
        .filter_map(|(at, stream)| Some((at, widened(file, &protocol, stream)?)))
        .collect();
    if !is_synchronised {
        countable(file, &mut chosen);
    }
    chosen.truncate(AUTHENTICATED_MAX);
    let streams: Vec<StreamIndex> = chosen.iter().map(|(at, _)| *at).collect();
    let mut sources = by_source(file, keys, scheme.key_store, &streams);
    if is_synchronised {
        sources
            .iter_mut()
            .for_each(|source| source.keep_reached(file));
        sources.retain(|source| !source.streams.is_empty());
    }
    let covered = insert(table, file, scheme, &sources);
    for (at, _) in chosen
        .iter()
        .filter(|(at, widened)| *widened && covered.contains(at))
    {
        make_fd(table, &file.stream(*at).name.value);
    }
    if is_synchronised {
        let mut id = PRODUCTION_ID;
        for (written, source) in tables(table, "authentication").zip(&sources) {
            if let Some(ecu) = source.master(file) {
                id = announce_id(file, id);
                let name = file.ecu(ecu).name.value.as_str();
                written.insert("master".to_owned(), name.into());
                written.insert("announce_id".to_owned(), i64::from(id).into());
                id = id.saturating_add(1);
            }
        }
    }
    covered
}

/// Returns true if a stream has to become CAN FD to carry a tag; none if that does not suffice
/// either.
fn widened(file: &VehicleFile, protocol: &AuthenticationProtocol, stream: &Stream) -> Option<bool> {
    if fits(file, protocol, stream) {
        return Some(false);
    }
    let is_fd = |bus: BusIndex| file.bus(bus).fd.is_some();
    if !stream.carried.iter().all(|carried| is_fd(carried.bus)) {
        return None;
    }
    let format = FrameFormat::Fd {
        bit_rate_switch: true,
    };
    let wide = Stream {
        format,
        ..stream.clone()
    };
    fits(file, protocol, &wide).then_some(true)
}

/// Leaves out streams for whose counters an ECU has no room, the most urgent ones last.
fn countable(file: &VehicleFile, chosen: &mut Vec<(StreamIndex, bool)>) {
    chosen.sort_by_key(|(at, _)| file.stream(*at).deadline);
    let mut counters: BTreeMap<EcuIndex, usize> = BTreeMap::new();
    chosen.retain(|(at, _)| {
        let ends = ends(file, *at);
        let has_room = |ecu: &EcuIndex| counters.get(ecu).is_none_or(|count| *count < COUNTERS);
        let fits = ends.iter().all(has_room);
        for ecu in ends.into_iter().filter(|_| fits) {
            *counters.entry(ecu).or_default() += 1;
        }
        fits
    });
    chosen.sort();
}

/// Sender and receivers of a stream, and gateways on its way, which may verify it.
fn ends(file: &VehicleFile, at: StreamIndex) -> BTreeSet<EcuIndex> {
    let stream = file.stream(at);
    let receivers = stream.receivers.iter().map(|one| one.ecu);
    let verifying = file.routes.iter().filter(|route| route.verify.is_some());
    let gateways = verifying.filter(|route| route.streams.contains(&at));
    let gateways = gateways.map(|route| route.gateway);
    receivers.chain(gateways).chain([stream.sender]).collect()
}

/// The first identifier from this one on that no stream has.
fn announce_id(file: &VehicleFile, from: u16) -> u16 {
    let taken = |id: u16| {
        let same =
            |stream: &Stream| matches!(stream.id.value, Id::Standard(one) if one.raw() == id);
        file.streams.iter().any(same)
    };
    (from..=0x7FF).find(|id| !taken(*id)).unwrap_or(from)
}

/// Makes a stream CAN FD, wherever the file has it.
fn make_fd(table: &mut Table, name: &str) {
    let make = |stream: &mut Table| {
        if stream.get("name").and_then(Value::as_str) == Some(name) {
            stream.insert("format".to_owned(), "fd".into());
        }
    };
    tables(table, "stream").for_each(make);
    for ecu in tables(table, "ecu") {
        tables(ecu, "sends").for_each(make);
    }
}

/// Lets the security modules of a variant protect what they can: CAN FD streams with room, between
/// their members.
fn granted(table: &mut Table, car: Car<'_>) {
    let file = car.file;
    let mut held: BTreeMap<EcuIndex, usize> = BTreeMap::new();
    for written in tables(table, "keys") {
        let listed = written.get("buses").and_then(Value::as_array);
        let listed: Vec<&str> = listed
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let buses = (0..file.buses.len()).map(BusIndex);
        let buses: Vec<BusIndex> = buses
            .filter(|bus| listed.contains(&file.bus(*bus).name.value.as_str()))
            .collect();
        let module = keys::module_of(file, &buses);
        let mut protect = Vec::new();
        for (at, stream) in open(car, KeyChoice::None) {
            let ends: BTreeSet<EcuIndex> = stream.receivers.iter().map(|one| one.ecu).collect();
            let ends = ends.into_iter().chain([stream.sender]);
            let ends: Vec<EcuIndex> = ends.collect();
            let is_within = stream.carried.iter().all(|one| buses.contains(&one.bus));
            let has_room = matches!(stream.format, FrameFormat::Fd { .. })
                && protected_length(stream.length).is_some();
            let can_hold = |ecu: &EcuIndex| held.get(ecu).is_none_or(|count| *count < HELD_MAX);
            let holds = ends.iter().all(|ecu| Some(*ecu) != module && can_hold(ecu));
            if is_within && has_room && holds && protect.len() < PROTECTED_MAX {
                ends.iter()
                    .for_each(|ecu| *held.entry(*ecu).or_default() += 1);
                protect.push(file.stream(at).name.value.as_str());
            }
        }
        written.insert("protect".to_owned(), names(protect));
    }
}

/// A route verifies only if all its streams have tags.
fn verify_only(table: &mut Table, file: &VehicleFile, covered: &BTreeSet<StreamIndex>) {
    let routes = tables(table, "route").zip(&file.routes);
    for (written, route) in routes {
        if !route.streams.iter().all(|stream| covered.contains(stream)) {
            written.remove("verify");
            written.remove("warning");
        }
    }
}
