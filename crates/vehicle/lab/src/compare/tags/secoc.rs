//! Writes the SecOC of a variant: freshness and code behind the payload, or in PDUs of their own.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};
use waywarden_can::Id;
use waywarden_can_auth::secoc::{ProfileError, ProfileParameters, SecocProfile};
use waywarden_ecu::COUNTERS;

use super::identifiers::Identifiers;
use super::key_source::{KeySource, by_source};
use super::{Car, Scheme, ends, insert, limited, make_fd, open};
use crate::compare::choice::KeyChoice;
use crate::compare::obstacle::{Laid, Obstacle};
use crate::composing::{nanos, tables};
use waywarden_vehicle_file::{
    AuthenticationProtocol, BusIndex, EcuIndex, FrameFormat, Secoc, Stream, StreamIndex,
    VehicleFile, fits, obstacles,
};

/// SecOC as `[[authentication]]` has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecocScheme {
    /// Name of the profile in vehicle files.
    pub(crate) profile: &'static str,
    /// Bits of freshness and of the code that travel, if not those of the profile.
    pub(crate) bits: Option<(u8, u8)>,
    /// Frames of freshness and code.
    pub(crate) carrier: SecocCarrier,
    /// Location of the keys, as vehicle files have it.
    pub(crate) key_store: &'static str,
}

/// Frames of freshness and code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecocCarrier {
    /// The message's own frame as it is.
    Own,
    /// The message's own frame, which becomes CAN FD where only that has room.
    Widened,
    /// A cryptographic PDU.
    Separate,
}

/// Returns a profile by its name in vehicle files, with other bits of freshness and code.
///
/// # Errors
/// [`ProfileError`]: the bits contradict the profile.
pub(crate) fn profile(name: &str, bits: Option<(u8, u8)>) -> Result<SecocProfile, ProfileError> {
    let preset = match name {
        "jaspar" => SecocProfile::JASPAR,
        "autosar-1" => SecocProfile::AUTOSAR_1,
        _ => SecocProfile::PRODUCTION,
    };
    let (truncated, mac) = bits.unwrap_or((preset.truncated_bits(), preset.mac_bits()));
    SecocProfile::new(ProfileParameters {
        freshness: preset.freshness(),
        truncated_bits: truncated,
        mac_bits: mac,
        attempts: preset.attempts(),
    })
}

fn protocol(profile: SecocProfile) -> AuthenticationProtocol {
    AuthenticationProtocol::Secoc(Secoc {
        cryptographic_ids: Vec::new(),
        profile,
        master: None,
        areas: Vec::new(),
        data_ids: Vec::new(),
    })
}

/// Writes SecOC; streams on CAN FD buses all their way become CAN FD where only that has room, if
/// the carrier is [`SecocCarrier::Widened`].
pub(crate) fn lay_secoc(
    table: &mut Table,
    car: Car<'_>,
    keys: KeyChoice,
    scheme: &SecocScheme,
) -> Laid {
    let file = car.file;
    let mut laid = Laid::default();
    let chosen = open(car, keys, &mut laid);
    let profile = match profile(scheme.profile, scheme.bits) {
        Ok(profile) => profile,
        Err(error) => {
            let streams = chosen.iter().map(|(at, _)| *at);
            laid.leave_out(file, streams, |_| {
                Obstacle::new(error.to_string(), "take other bits of freshness and code")
            });
            return laid;
        }
    };
    let mut carried: Vec<(StreamIndex, bool)> = Vec::new();
    for (at, stream) in chosen {
        match carry(file, profile, scheme.carrier, stream) {
            Ok(is_widened) => carried.push((at, is_widened)),
            Err(obstacle) => laid.leave_out(file, [at], |_| obstacle.clone()),
        }
    }
    if !profile.freshness().is_synchronised() {
        countable(file, &mut carried, &mut laid);
    }
    let streams: Vec<StreamIndex> = carried.iter().map(|(at, _)| *at).collect();
    let streams = limited(file, streams, &mut laid);
    let mut sources = by_source(file, keys, scheme.key_store, &streams);
    if profile.freshness().is_synchronised() {
        reachable(car, &mut sources, &mut laid);
    }
    let is_synchronised = profile.freshness().is_synchronised();
    let mut identifiers = Identifiers::of(file);
    // Before those of PDUs: an announcement is the more urgent one.
    let announcements: Vec<u16> = match is_synchronised {
        true => sources.iter().map(|_| identifiers.announcement()).collect(),
        false => Vec::new(),
    };
    let pdus = match scheme.carrier {
        SecocCarrier::Separate => separate(file, &mut identifiers, &mut sources, &mut laid),
        _ => BTreeMap::new(),
    };
    sources.retain(|source| !source.streams.is_empty());
    let written = Scheme {
        name: "secoc",
        profile: scheme.profile,
        key_store: scheme.key_store,
    };
    laid.covered = insert(table, file, written, &sources);
    for (at, _) in carried.iter().filter(|one| one.1) {
        if laid.covered.contains(at) {
            make_fd(table, &file.stream(*at).name.value);
            laid.widened.insert(*at);
        }
    }
    complete(table, car, scheme, &sources, &announcements, &pdus);
    laid
}

/// Writes the choices that each table has besides its streams; only synchronised freshness has
/// announcements.
fn complete(
    table: &mut Table,
    car: Car<'_>,
    scheme: &SecocScheme,
    sources: &[KeySource],
    announcements: &[u16],
    pdus: &BTreeMap<StreamIndex, Id>,
) {
    let file = car.file;
    let mut announcements = announcements.iter().copied();
    for (written, source) in tables(table, "authentication").zip(sources) {
        if let Some((freshness, mac)) = scheme.bits {
            written.insert("freshness_bits".to_owned(), i64::from(freshness).into());
            written.insert("mac_bits".to_owned(), i64::from(mac).into());
        }
        if !pdus.is_empty() {
            let own = source
                .streams
                .iter()
                .filter_map(|at| Some(pdu(&file.stream(*at).name.value, *pdus.get(at)?)));
            written.insert("cryptographic_pdus".to_owned(), Value::Array(own.collect()));
        }
        let id = announcements.next();
        if let Some((ecu, id)) = source.master(car).zip(id) {
            let name = file.ecu(ecu).name.value.as_str();
            written.insert("master".to_owned(), name.into());
            written.insert("announce_id".to_owned(), i64::from(id).into());
            if let Some(own) = car.masters.iter().find(|one| one.ecu == ecu) {
                written.insert("announce".to_owned(), nanos(own.period));
            }
        }
    }
}

/// Returns true if a stream has to become CAN FD to carry freshness and code.
fn carry(
    file: &VehicleFile,
    profile: SecocProfile,
    carrier: SecocCarrier,
    stream: &Stream,
) -> Result<bool, Obstacle> {
    let bytes = profile.trailer_length();
    if carrier == SecocCarrier::Separate {
        return match stream.format == FrameFormat::Classic && bytes > 8 {
            true => Err(Obstacle::new(
                format!(
                    "stream {:?} is classic CAN, and freshness and code take {bytes} bytes",
                    stream.name.value
                ),
                "let at most 64 bits travel, or make it CAN FD",
            )),
            false => Ok(false),
        };
    }
    let protocol = protocol(profile);
    let Some(problem) = obstacles(file, &protocol, stream).into_iter().next() else {
        return Ok(false);
    };
    match carrier == SecocCarrier::Widened && fits_wide(file, &protocol, stream) {
        true => Ok(true),
        false => Err(Obstacle::from(&problem)),
    }
}

/// Returns true if a stream has to become CAN FD to carry the tags of a profile; none if that does
/// not suffice either.
pub(crate) fn widened(file: &VehicleFile, name: &str, stream: &Stream) -> Option<bool> {
    let profile = profile(name, None).ok()?;
    carry(file, profile, SecocCarrier::Widened, stream).ok()
}

/// Returns true if a stream can carry tags as CAN FD, on buses that have it.
fn fits_wide(file: &VehicleFile, protocol: &AuthenticationProtocol, stream: &Stream) -> bool {
    let is_fd = |bus: BusIndex| file.bus(bus).fd.is_some();
    let format = FrameFormat::Fd {
        bit_rate_switch: true,
    };
    let wide = Stream {
        format,
        ..stream.clone()
    };
    stream.carried.iter().all(|carried| is_fd(carried.bus)) && fits(file, protocol, &wide)
}

/// Leaves out streams for whose counters an ECU has no room, the most urgent ones last.
fn countable(file: &VehicleFile, chosen: &mut Vec<(StreamIndex, bool)>, laid: &mut Laid) {
    chosen.sort_by_key(|(at, _)| file.stream(*at).deadline);
    let mut counters: BTreeMap<EcuIndex, usize> = BTreeMap::new();
    chosen.retain(|(at, _)| {
        let ends = ends(file, *at);
        let has_room = |ecu: &EcuIndex| counters.get(ecu).is_none_or(|count| *count < COUNTERS);
        let full = ends.iter().find(|ecu| !has_room(ecu)).copied();
        if let Some(full) = full {
            laid.leave_out(file, [*at], |name| {
                let ecu = &file.ecu(full).name.value;
                Obstacle::new(
                    format!("ECU {ecu:?} has no room for a counter of stream {name:?}"),
                    "an ECU retains 16 counters, for the most urgent streams: protect fewer, or \
                     take a profile with synchronised freshness",
                )
            });
            return false;
        }
        for ecu in ends {
            *counters.entry(ecu).or_default() += 1;
        }
        true
    });
    chosen.sort();
}

/// Leaves out streams on buses that their freshness master is not on.
fn reachable(car: Car<'_>, sources: &mut [KeySource], laid: &mut Laid) {
    let file = car.file;
    for source in sources {
        let before = source.streams.clone();
        source.keep_reached(car);
        let lost = before.into_iter();
        let lost = lost.filter(|at| !source.streams.contains(at));
        let master = source.master(car);
        let master = master.map_or("-", |ecu| file.ecu(ecu).name.value.as_str());
        laid.leave_out(file, lost, |name| {
            Obstacle::new(
                format!("the freshness master {master:?} is not on all buses of stream {name:?}"),
                "give it ports there, or protect the streams of its buses only",
            )
        });
    }
}

/// Gives each stream the identifier of a cryptographic PDU.
fn separate(
    file: &VehicleFile,
    identifiers: &mut Identifiers,
    sources: &mut [KeySource],
    laid: &mut Laid,
) -> BTreeMap<StreamIndex, Id> {
    let mut pdus = BTreeMap::new();
    let mut full = BTreeSet::new();
    for at in sources.iter().flat_map(|source| source.streams.iter()) {
        match identifiers.beside(file.stream(*at).id.value) {
            Some(id) => drop(pdus.insert(*at, id)),
            None => drop(full.insert(*at)),
        }
    }
    for source in sources {
        source.streams.retain(|at| !full.contains(at));
    }
    laid.leave_out(file, full, |name| {
        Obstacle::new(
            format!(
                "no identifier above that of stream {name:?} is free for its cryptographic PDU, \
                 which must not come before it"
            ),
            "give it a more urgent identifier, or a carrier in its own frame",
        )
    });
    pdus
}

fn pdu(stream: &str, id: Id) -> Value {
    let mut entry = Table::new();
    entry.insert("stream".to_owned(), stream.into());
    let raw = match id {
        Id::Standard(id) => u32::from(id.raw()),
        Id::Extended(id) => {
            entry.insert("extended".to_owned(), true.into());
            id.raw()
        }
    };
    entry.insert("id".to_owned(), i64::from(raw).into());
    Value::Table(entry)
}
