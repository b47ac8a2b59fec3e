//! Writes the `[[authentication]]` of a variant, over the streams that can carry it.

mod granted;
mod identifiers;
mod key_source;
mod secoc;

use std::collections::BTreeSet;

use toml::{Table, Value};
use waywarden_can_auth::paired::WireForm;
use waywarden_work::Algorithm;

use self::key_source::{KeySource, by_source};
use super::choice::{AuthenticationChoice, KeyChoice, KeyLocation, Variant};
use super::obstacle::{Laid, Obstacle};
use crate::composing::{change_stream, names, tables};
use waywarden_vehicle_file::{
    AUTHENTICATED_MAX, AuthenticationProtocol, EcuIndex, FreshnessMasterPlace, Stream, StreamIndex,
    VehicleFile, obstacles,
};

pub(super) use secoc::widened;
pub(crate) use secoc::{SecocCarrier, SecocScheme, lay_secoc, profile};

/// A car, and the streams of it that are to be protected.
#[derive(Clone, Copy)]
pub(crate) struct Car<'a> {
    pub(crate) file: &'a VehicleFile,
    pub(crate) streams: &'a [StreamIndex],
    /// The freshness masters that stay.
    pub(crate) masters: &'a [FreshnessMasterPlace],
}

/// Returns the freshness masters of a vehicle.
pub(crate) fn masters(file: &VehicleFile) -> Vec<FreshnessMasterPlace> {
    let tables = file.authentications.iter();
    let mut masters: Vec<FreshnessMasterPlace> = Vec::new();
    for place in tables.filter_map(|one| one.freshness_master()) {
        if masters.iter().all(|one| one.ecu != place.ecu) {
            masters.push(place.clone());
        }
    }
    masters
}

/// Settings written over streams: the scheme and its profile, and the storage of the keys.
#[derive(Clone, Copy)]
struct Scheme {
    name: &'static str,
    profile: &'static str,
    key_store: &'static str,
}

/// Replaces `[[authentication]]`; routes that verify go on doing so where there are tags.
pub(super) fn write(
    table: &mut Table,
    car: Car<'_>,
    variant: Variant,
    key_store: KeyLocation,
) -> Laid {
    if variant.authentication == AuthenticationChoice::File {
        return of_file(car);
    }
    table.remove("authentication");
    let key_store = key_store.word(car.file);
    let scheme = |name| Scheme {
        name,
        profile: "hardened",
        key_store,
    };
    let keys = variant.keys;
    let of_profile = |profile, carrier| SecocScheme {
        profile,
        bits: None,
        carrier,
        key_store,
    };
    let laid = match variant.authentication {
        AuthenticationChoice::Vatican => {
            in_pairs(table, car, keys, scheme("vatican"), WireForm::Vatican)
        }
        AuthenticationChoice::Leia => in_pairs(table, car, keys, scheme("leia"), WireForm::Leia),
        AuthenticationChoice::Secoc(profile) => {
            let own = of_profile(profile, SecocCarrier::Widened);
            lay_secoc(table, car, keys, &own)
        }
        AuthenticationChoice::SecocPdus(profile) => {
            let separate = of_profile(profile, SecocCarrier::Separate);
            lay_secoc(table, car, keys, &separate)
        }
        AuthenticationChoice::Lasan => granted::write(table, car),
        AuthenticationChoice::NoneOnFd(profile) => {
            for at in all_widened(car, profile) {
                make_fd(table, &car.file.stream(at).name.value);
            }
            Laid::default()
        }
        AuthenticationChoice::None | AuthenticationChoice::File => Laid::default(),
    };
    let covered = match variant.authentication {
        // Gateways verify tags, not what security modules protect.
        AuthenticationChoice::Lasan => &BTreeSet::new(),
        _ => &laid.covered,
    };
    verify_only(table, car.file, covered);
    laid
}

/// Returns the streams that SecOC in the message makes CAN FD, with keys in place when the car
/// starts: those without room that it protects, and no others.
pub(super) fn all_widened(car: Car<'_>, profile: &'static str) -> BTreeSet<StreamIndex> {
    let scheme = SecocScheme {
        profile,
        bits: None,
        carrier: SecocCarrier::Widened,
        key_store: KeyLocation::Software.word(car.file),
    };
    lay_secoc(&mut Table::new(), car, KeyChoice::None, &scheme).widened
}

/// Returns the streams that the file's own tables protect, and those that none of them names.
fn of_file(car: Car<'_>) -> Laid {
    let tables = car.file.authentications.iter();
    let mut laid = Laid {
        covered: tables.flat_map(|one| one.streams.iter().copied()).collect(),
        ..Laid::default()
    };
    let all = car.streams.iter().copied();
    let others: Vec<_> = all.filter(|at| !laid.covered.contains(at)).collect();
    laid.leave_out(car.file, others, |name| {
        Obstacle::new(
            format!("no [[authentication]] of the file names stream {name:?}"),
            "name it in a `protect`, or choose other streams by --protect",
        )
    });
    laid
}

/// Writes tags in frames of their own.
fn in_pairs(
    table: &mut Table,
    car: Car<'_>,
    keys: KeyChoice,
    scheme: Scheme,
    wire: WireForm,
) -> Laid {
    let mut laid = Laid::default();
    let streams = paired(car, keys, wire, &mut laid);
    let sources = by_source(car.file, keys, scheme.key_store, &streams);
    laid.covered = insert(table, car.file, scheme, &sources);
    laid
}

/// Returns the streams to protect that no security module of the file protects; notes the others.
fn open<'a>(car: Car<'a>, keys: KeyChoice, laid: &mut Laid) -> Vec<(StreamIndex, &'a Stream)> {
    let is_granted = |at: StreamIndex| {
        let mut networks = car.file.lasan.iter();
        let by = |line: &waywarden_vehicle_file::ProtectedStream| line.stream == at;
        keys == KeyChoice::File && networks.any(|one| one.protected.iter().any(by))
    };
    let all = car.streams.iter().copied();
    let (granted, open): (Vec<_>, Vec<_>) = all.partition(|at| is_granted(*at));
    laid.leave_out(car.file, granted, |name| {
        Obstacle::new(
            format!("a security module protects stream {name:?} already"),
            "take it out of the `protect` of [[keys]]",
        )
    });
    let open = open.into_iter().map(|at| (at, car.file.stream(at)));
    open.collect()
}

/// The streams that can have tags in a second frame.
fn paired(car: Car<'_>, keys: KeyChoice, wire: WireForm, laid: &mut Laid) -> Vec<StreamIndex> {
    let mac = Algorithm::Aes128Cmac;
    let protocol = AuthenticationProtocol::Paired { wire, mac };
    // An ECU without the key cannot read LeiA's identifiers.
    let unchecked = unchecked(car.file);
    let is_unchecked = |one: &waywarden_vehicle_file::StreamReceiver| unchecked.contains(&one.ecu);
    let mut chosen = Vec::new();
    for (at, stream) in open(car, keys, laid) {
        if wire == WireForm::Leia && stream.receivers.iter().any(is_unchecked) {
            laid.leave_out(car.file, [at], |name| {
                Obstacle::new(
                    format!("an ECU without keys receives stream {name:?}"),
                    "such an ECU cannot read LeiA's 29-bit identifiers: take vatican or secoc",
                )
            });
        } else if let Some(problem) = obstacles(car.file, &protocol, stream).first() {
            laid.leave_out(car.file, [at], |_| Obstacle::from(problem));
        } else {
            chosen.push(at);
        }
    }
    limited(car.file, chosen, laid)
}

/// Leaves out the streams beyond the most that one vehicle may authenticate.
fn limited(file: &VehicleFile, mut chosen: Vec<StreamIndex>, laid: &mut Laid) -> Vec<StreamIndex> {
    let beyond = chosen.split_off(chosen.len().min(AUTHENTICATED_MAX));
    laid.leave_out(file, beyond, |name| {
        Obstacle::new(
            format!("stream {name:?} is beyond the first {AUTHENTICATED_MAX}"),
            "a table protects no more: choose fewer streams",
        )
    });
    chosen
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

/// Sender and receivers of a stream, and gateways on its way, which may verify it.
fn ends(file: &VehicleFile, at: StreamIndex) -> BTreeSet<EcuIndex> {
    let stream = file.stream(at);
    let receivers = stream.receivers.iter().map(|one| one.ecu);
    let verifying = file.routes.iter().filter(|route| route.verify.is_some());
    let gateways = verifying.filter(|route| route.streams.contains(&at));
    let gateways = gateways.map(|route| route.gateway);
    receivers.chain(gateways).chain([stream.sender]).collect()
}

/// A route verifies only if all its streams have tags.
pub(crate) fn verify_only(table: &mut Table, file: &VehicleFile, covered: &BTreeSet<StreamIndex>) {
    let routes = tables(table, "route").zip(&file.routes);
    for (written, route) in routes {
        if !route.streams.iter().all(|stream| covered.contains(stream)) {
            written.remove("verify");
            written.remove("warning");
        }
    }
}

/// Makes a stream CAN FD, wherever the file has it.
fn make_fd(table: &mut Table, name: &str) {
    change_stream(table, name, |stream| {
        stream.insert("format".to_owned(), "fd".into());
    });
}
