//! Meanings of numbers: times, places, applications.

use waywarden_v2x_borders::{UNITED_STATES, alpha2_of, name_of, state_of};
use waywarden_v2x_payload::permission_names;
use waywarden_v2x_wire::application::application_meaning;
use waywarden_v2x_wire::coer::LeafValue;
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN, Psid, ServiceSpecificPermissions, Time64,
    UnCountryId,
};

use waywarden_v2x_input::time;

use crate::units;

/// Names the country of a number, with its ISO 3166-1 code, or an area.
fn country(number: u64) -> String {
    let number = u16::try_from(number).ok().map(UnCountryId);
    let name = number.and_then(name_of);
    match (name, number.and_then(alpha2_of)) {
        (Some(name), Some(code)) => format!("{name}, {code}"),
        (Some(name), None) => name.to_owned(),
        (None, _) => "unknown: no number of M49".to_owned(),
    }
}

/// Names a region of a country: only the United States' are defined.
pub(crate) fn region_of(country: u64, region: u64) -> String {
    if country != u64::from(UNITED_STATES.0) {
        return "unknown: not defined for this country".to_owned();
    }
    let state = u8::try_from(region).ok().and_then(state_of);
    match state {
        Some(state) => format!("{}, US-{}", state.name, state.code),
        None => "unknown: no state's number".to_owned(),
    }
}

/// Names the permissions of an SSP of CAM or DENM.
pub(crate) fn permissions(psid: Psid, octets: &[u8]) -> Option<String> {
    let names = permission_names(psid, &ServiceSpecificPermissions::Opaque(octets))?;
    Some(match names.as_slice() {
        [] => "no permission beyond the basic message".to_owned(),
        names => names.join(", "),
    })
}

/// Says what a leaf means, where its number alone does not.
pub(crate) fn annotate(field: &str, of_type: &str, value: &LeafValue<'_>) -> Option<String> {
    match (of_type, value) {
        ("Time32", LeafValue::Unsigned(seconds)) => Some(time::show(Time64(seconds * 1_000_000))),
        ("Time64", LeafValue::Unsigned(microseconds)) => Some(time::show(Time64(*microseconds))),
        ("UnCountryId", LeafValue::Unsigned(number)) => Some(country(*number)),
        ("Psid", LeafValue::Unsigned(psid)) => Some(match application_meaning(Psid(*psid)) {
            Some(meaning) => format!("0x{psid:X}, {meaning}"),
            None => format!("0x{psid:X}"),
        }),
        ("Latitude", LeafValue::Signed(number)) if *number == i64::from(LATITUDE_UNKNOWN) => {
            Some("not known".to_owned())
        }
        ("Longitude", LeafValue::Signed(number)) if *number == i64::from(LONGITUDE_UNKNOWN) => {
            Some("not known".to_owned())
        }
        ("Latitude" | "Longitude", LeafValue::Signed(number)) => {
            Some(format!("{:.7} degrees", *number as f64 / 1e7))
        }
        ("Elevation", LeafValue::Unsigned(number)) => {
            let elevation = Elevation(u16::try_from(*number).ok()?);
            let metres = f64::from(elevation.decimetres()) / 10.0;
            Some(format!("{metres:.1} m above the ellipsoid"))
        }
        (_, LeafValue::Unsigned(metres)) if field == "radius" => Some(format!("{metres} m")),
        ("EndEntityType", LeafValue::Octets(octets)) => {
            let bits = octets.first()?;
            let names = [(0x80, "app"), (0x40, "enrol")];
            let set = names.into_iter().filter(|(bit, _)| bits & bit != 0);
            Some(set.map(|(_, name)| name).collect::<Vec<_>>().join(", "))
        }
        (_, LeafValue::Signed(number)) => units::of(field, of_type, *number),
        _ => None,
    }
}
