//! Reads the choices of SecOC.

use waywarden_can::StandardId;
use waywarden_can_auth::secoc::{FreshnessWidths, ProfileParameters, SecocProfile};

use super::log_tables::Announcements;
use super::{data_ids, separate};
use crate::draft::Draft;
use crate::model::{BusIndex, EcuIndex, FreshnessMasterPlace, Secoc, StreamIndex};
use crate::place::Located;
use crate::problem::Problem;
use crate::reader::Section;

/// Reads profile, master and secured areas.
pub(super) fn secoc(
    section: &mut Section<'_>,
    named: &[Located<usize>],
    draft: &Draft,
) -> Option<Secoc> {
    let profile = profile(section);
    let areas = areas(section, named, draft);
    let data_ids = data_ids::of_vehicle(section, named, draft);
    let cryptographic_ids = separate::cryptographic_ids(section, named, draft);
    let master = master(section, profile.as_ref(), named, draft);
    Some(Secoc {
        cryptographic_ids,
        profile: profile?,
        master: master?,
        areas,
        data_ids,
    })
}

/// The keys of a freshness master, which only synchronised freshness has.
pub(super) const ANNOUNCEMENT_KEYS: [&str; 3] = ["master", "announce", "announce_id"];

/// Reads a preset, and the deviations from it. "toyota" is another name of "production".
pub(super) fn profile(section: &mut Section<'_>) -> Option<SecocProfile> {
    let preset = match section.word("profile") {
        "jaspar" => SecocProfile::JASPAR,
        "autosar-1" => SecocProfile::AUTOSAR_1,
        "autosar-2" => SecocProfile::AUTOSAR_2_SYNCHRONISED,
        "autosar-2-as-published" => SecocProfile::AUTOSAR_2_AS_PUBLISHED,
        _ => SecocProfile::PRODUCTION,
    };
    let mac = section.number("mac_bits");
    let truncated = section.number("freshness_bits");
    let attempts = section.number("attempts");
    let freshness = match section.table("freshness") {
        None => preset.freshness(),
        Some(mut table) => {
            let mut part = |key| table.whole(key) as u8;
            let (trip, reset) = (part("trip"), part("reset"));
            let (message, flag) = (part("message"), part("flag"));
            table.finish()?;
            FreshnessWidths {
                trip,
                reset,
                message,
                flag,
            }
        }
    };
    let or = |one: Option<Located<i64>>, other: u8| one.map_or(other, |one| one.value as u8);
    let made = SecocProfile::as_found(ProfileParameters {
        freshness,
        truncated_bits: or(truncated, preset.truncated_bits()),
        mac_bits: or(mac, preset.mac_bits()),
        attempts: or(attempts, preset.attempts()),
    });
    match made {
        Ok(profile) => Some(profile),
        Err(error) => {
            let keys = ["freshness", "freshness_bits", "mac_bits", "attempts"];
            let key = keys.into_iter().find(|key| section.has(key));
            let at = section.location(key.unwrap_or("profile"));
            section.fault(
                &at,
                Problem::Relation {
                    found: error.to_string(),
                    remedy: "`freshness`, `freshness_bits`, `mac_bits` and `attempts` go together; \
                             without them the profile's own are taken",
                },
            );
            None
        }
    }
}

/// Reads which part of a payload is authenticated.
fn areas(
    section: &mut Section<'_>,
    named: &[Located<usize>],
    draft: &Draft,
) -> Vec<(StreamIndex, u8, u8)> {
    let mut areas: Vec<(StreamIndex, u8, u8)> = Vec::new();
    for mut entry in section.tables("areas") {
        let stream = entry.reference("stream", &draft.stream_names);
        let offset = entry.whole("offset") as u8;
        let length = entry.number("length");
        entry.need("length");
        let span = entry.span.clone();
        if let (Some(stream), Some(length)) = (stream, length) {
            let length = length.value as u8;
            let is_own = named.iter().any(|one| one.value == stream);
            entry.demand(is_own, &span, || Problem::Relation {
                found: "this stream is not one of `protect`".to_owned(),
                remedy: "add it there, or take its area out",
            });
            let bytes = draft.stream(stream).map_or(0, |one| one.stream.length);
            let within = u16::from(offset) + u16::from(length) <= u16::from(bytes);
            entry.demand(within, &span, || Problem::OutOfRange {
                what: "secured area",
                found: format!("{length} bytes from byte {offset} on"),
                range: format!("within the {bytes} bytes of the payload"),
            });
            let is_new = areas.iter().all(|(one, ..)| one.0 != stream);
            entry.demand(is_new, &span, || Problem::Relation {
                found: "this stream has a secured area already".to_owned(),
                remedy: "keep one of them",
            });
            areas.push((StreamIndex(stream), offset, length));
        }
        if entry.finish().is_none() {
            section.broken();
        }
    }
    areas
}

/// Reads the freshness master, which is required where freshness is synchronised.
fn master(
    section: &mut Section<'_>,
    profile: Option<&SecocProfile>,
    named: &[Located<usize>],
    draft: &Draft,
) -> Option<Option<FreshnessMasterPlace>> {
    let Some(profile) = profile else {
        section.allow(&ANNOUNCEMENT_KEYS);
        return None;
    };
    if !announces(section, profile)? {
        section.allow(&ANNOUNCEMENT_KEYS);
        return Some(None);
    }
    let ecu = if section.has("master") {
        section.reference("master", &draft.ecu_names)
    } else {
        section.need("master");
        None
    };
    // Read in any case, so that no key of theirs is taken for unknown.
    let announcements = announcements(section);
    let (ecu, Announcements { id, period }) = (ecu?, announcements?);
    let buses = buses(section, ecu, id.raw(), named, draft);
    Some(Some(FreshnessMasterPlace {
        ecu: EcuIndex(ecu),
        id,
        period,
        buses,
    }))
}

/// Returns true if a master has to announce. Where none has to, notes what the file says of
/// announcements as a fault, if it says anything, and then returns nothing.
pub(super) fn announces(section: &mut Section<'_>, profile: &SecocProfile) -> Option<bool> {
    if profile.freshness().is_synchronised() {
        return Some(true);
    }
    for key in ANNOUNCEMENT_KEYS {
        if section.has(key) {
            let at = section.location(key);
            let (found, remedy) = (
                "this profile has no trip and reset counters to announce".to_owned(),
                "leave it out, or take a profile that has, such as \"production\"",
            );
            section.fault(&at, Problem::Relation { found, remedy });
            section.allow(&ANNOUNCEMENT_KEYS);
            return None;
        }
    }
    Some(false)
}

/// Reads how often is announced, and under which identifier.
pub(super) fn announcements(section: &mut Section<'_>) -> Option<Announcements> {
    let period = section.time_or_preset("announce");
    let id = section.whole("announce_id");
    Some(Announcements {
        id: StandardId::new(id as u16).ok()?,
        period: period?,
    })
}

/// Returns the buses on which streams travel with their tags: the master is on all of them, and no
/// stream there has the identifier of its announcements.
fn buses(
    section: &mut Section<'_>,
    master: usize,
    id: u16,
    named: &[Located<usize>],
    draft: &Draft,
) -> Vec<BusIndex> {
    let streams = named.iter().filter_map(|one| draft.stream(one.value));
    let mut buses: Vec<BusIndex> = streams
        .map(|one| &one.stream)
        .flat_map(|stream| stream.carried.iter().map(move |carried| (stream, carried)))
        .filter(|(stream, carried)| !draft.is_verified(stream, carried))
        .map(|(_, carried)| carried.bus)
        .collect();
    buses.sort();
    buses.dedup();
    let at = section.location("master");
    if let Some(ecu) = draft.ecus.get(master).and_then(Option::as_ref) {
        for bus in buses.iter().filter(|bus| !ecu.ports.contains(bus)) {
            section.fault(
                &at,
                Problem::Relation {
                    found: format!(
                        "the freshness master {:?} is not on bus {:?}, which carries streams that \
                         need its announcements",
                        ecu.name.value,
                        draft.bus_names.name(bus.0)
                    ),
                    remedy: "let the gateway be the master, or protect the streams of its own \
                             buses only",
                },
            );
        }
    }
    for stream in draft.streams.iter().flatten() {
        let there = stream.stream.carried.iter();
        let meets = there
            .into_iter()
            .any(|carried| buses.contains(&carried.bus));
        let same =
            matches!(stream.stream.id.value, waywarden_can::Id::Standard(one) if one.raw() == id);
        let at = section.location("announce_id");
        section.demand(!(meets && same), &at, || Problem::Relation {
            found: format!(
                "announcements have the identifier 0x{id:03X} of stream {:?}",
                stream.stream.name.value
            ),
            remedy: "write another `announce_id`",
        });
    }
    buses
}
