//! Writes the `[[authentication]]` of a variant, over the streams that can carry it.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};
use waywarden_can::Id;
use waywarden_can_auth::paired::Wire;
use waywarden_can_auth::secoc::{PRODUCTION_ID, Profile};
use waywarden_ecu::COUNTERS;
use waywarden_work::Algorithm;

use super::choice::{AuthenticationChoice, KeyChoice, Variant, Vault, head};
use super::{keys, tables};
use crate::composing::names;
use waywarden_vehicle_file::{
    AUTHENTICATED_MAX, AuthenticationProtocol, BusIndex, EcuIndex, FrameFormat, HELD_MAX,
    PROTECTED_MAX, Protection, Secoc, Stream, StreamIndex, VehicleFile, fits, protected_length,
};

/// Replaces `[[authentication]]`; routes that verify go on doing so where there are tags.
pub(super) fn write(table: &mut Table, file: &VehicleFile, variant: Variant, vault: Vault) {
    if variant.authentication == AuthenticationChoice::File {
        return;
    }
    table.remove("authentication");
    let covered = match variant.authentication {
        AuthenticationChoice::Vatican => {
            let of = paired(file, variant.keys, Wire::Vatican);
            insert(table, file, ("vatican", "hardened"), (&of, vault))
        }
        AuthenticationChoice::Leia => {
            let of = paired(file, variant.keys, Wire::Leia);
            insert(table, file, ("leia", "hardened"), (&of, vault))
        }
        AuthenticationChoice::Secoc(profile) => secoc(table, file, variant.keys, (profile, vault)),
        AuthenticationChoice::Lasan => {
            granted(table, file);
            BTreeSet::new()
        }
        AuthenticationChoice::None | AuthenticationChoice::File => BTreeSet::new(),
    };
    verify_only(table, file, &covered);
}

/// Streams that an ECU receives and no security module of the file protects.
fn open(file: &VehicleFile, keys: KeyChoice) -> impl Iterator<Item = (StreamIndex, &Stream)> {
    let granted = move |at: StreamIndex| {
        let mut networks = file.lasan.iter();
        let by = |line: &waywarden_vehicle_file::Protected| line.stream == at;
        keys == KeyChoice::File && networks.any(|one| one.protected.iter().any(by))
    };
    let all = file.streams.iter().enumerate();
    all.map(|(at, stream)| (StreamIndex(at), stream))
        .filter(move |(at, stream)| !stream.receivers.is_empty() && !granted(*at))
}

/// The streams that can have tags in a second frame.
fn paired(file: &VehicleFile, keys: KeyChoice, wire: Wire) -> Vec<StreamIndex> {
    let mac = Algorithm::Aes128Cmac;
    let protocol = AuthenticationProtocol::Paired { wire, mac };
    // An ECU without the key cannot read LeiA's identifiers.
    let readable = |stream: &Stream| {
        let unchecked = |ecu: EcuIndex| {
            file.authentications
                .iter()
                .any(|t| t.unchecked.contains(&ecu))
        };
        wire != Wire::Leia || !stream.receivers.iter().any(|one| unchecked(one.ecu))
    };
    open(file, keys)
        .filter(|(_, stream)| readable(stream) && fits(file, &protocol, stream))
        .map(|(at, _)| at)
        .take(AUTHENTICATED_MAX)
        .collect()
}

/// Writes a table; returns the streams in it.
fn insert(
    table: &mut Table,
    file: &VehicleFile,
    (scheme, profile): (&str, &str),
    (streams, vault): (&[StreamIndex], Vault),
) -> BTreeSet<StreamIndex> {
    if streams.is_empty() {
        return BTreeSet::new();
    }
    let mut written = Table::new();
    written.insert("name".to_owned(), scheme.into());
    written.insert("scheme".to_owned(), scheme.into());
    written.insert("profile".to_owned(), profile.into());
    written.insert("vault".to_owned(), vault.word(file).into());
    let protect = streams
        .iter()
        .map(|at| file.stream(*at).name.value.as_str());
    written.insert("protect".to_owned(), names(protect));
    if scheme != "leia" {
        let unchecked = file.authentications.iter().flat_map(|one| &one.unchecked);
        let unchecked: BTreeSet<EcuIndex> = unchecked.copied().collect();
        let unchecked = unchecked
            .into_iter()
            .map(|ecu| file.ecu(ecu).name.value.as_str());
        written.insert("unchecked".to_owned(), names(unchecked));
    }
    let written = Value::Array(vec![Value::Table(written)]);
    table.insert("authentication".to_owned(), written);
    streams.iter().copied().collect()
}

/// Writes SecOC; streams on CAN FD buses all their way become CAN FD where only that has room.
fn secoc(
    table: &mut Table,
    file: &VehicleFile,
    keys: KeyChoice,
    (preset, vault): (&str, Vault),
) -> BTreeSet<StreamIndex> {
    let profile = match preset {
        "jaspar" => Profile::JASPAR,
        "autosar-1" => Profile::AUTOSAR_1,
        _ => Profile::PRODUCTION,
    };
    let is_synchronised = profile.freshness().is_synchronised();
    let master = is_synchronised.then(|| master(file)).flatten();
    let protocol = AuthenticationProtocol::Secoc(Secoc {
        profile,
        master: None,
        areas: Vec::new(),
    });
    let reached = |stream: &Stream| match master {
        Some(ecu) => stream
            .carried
            .iter()
            .all(|one| file.ecu(ecu).ports.contains(&one.bus)),
        None => true,
    };
    let mut chosen: Vec<(StreamIndex, bool)> = open(file, keys)
        .filter(|(_, stream)| reached(stream))
        .filter_map(|(at, stream)| Some((at, widened(file, &protocol, stream)?)))
        .collect();
    if !is_synchronised {
        countable(file, &mut chosen);
    }
    chosen.truncate(AUTHENTICATED_MAX);
    for (at, _) in chosen.iter().filter(|(_, widened)| *widened) {
        make_fd(table, &file.stream(*at).name.value);
    }
    let streams: Vec<StreamIndex> = chosen.into_iter().map(|(at, _)| at).collect();
    let covered = insert(table, file, ("secoc", preset), (&streams, vault));
    if let Some(ecu) = master {
        for written in tables(table, "authentication") {
            let name = file.ecu(ecu).name.value.as_str();
            written.insert("master".to_owned(), name.into());
            written.insert("announce_id".to_owned(), announce_id(file).into());
        }
    }
    covered
}

/// Whether a stream has to become CAN FD to carry a tag; nothing if that would not do either.
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

/// The file's own freshness master, else who is in charge of keys or has the most ports.
fn master(file: &VehicleFile) -> Option<EcuIndex> {
    let mut own = file
        .authentications
        .iter()
        .filter_map(|one| match &one.protocol {
            AuthenticationProtocol::Secoc(secoc) => secoc.master.as_ref(),
            _ => None,
        });
    let widest = || {
        let most = file.ecus.iter().map(|ecu| ecu.ports.len()).max()?;
        head(file, |ecu| file.ecu(ecu).ports.len() == most)
    };
    own.next().map(|master| master.ecu).or_else(widest)
}

/// The usual identifier of announcements, or the next one that no stream has.
fn announce_id(file: &VehicleFile) -> i64 {
    let taken = |id: u16| {
        let same =
            |stream: &Stream| matches!(stream.id.value, Id::Standard(one) if one.raw() == id);
        file.streams.iter().any(same)
    };
    let free = (PRODUCTION_ID..=0x7FF).find(|id| !taken(*id));
    i64::from(free.unwrap_or(PRODUCTION_ID))
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
fn granted(table: &mut Table, file: &VehicleFile) {
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
        for (at, stream) in open(file, KeyChoice::None) {
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

/// Whether a stream of a variant travels with tags or under a granted key.
pub(super) fn is_covered(stream: &Stream) -> bool {
    stream.protection != Protection::None
}
