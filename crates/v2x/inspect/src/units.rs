//! Numbers in messages of ETSI ITS [TS 102 894-2] and SAE J2735: in units, and with names.

use waywarden_v2x_input::time;
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// A number with a unit: its types, the number that means "not available", its step, decimals and
/// unit.
type Unit = (&'static [&'static str], i64, f64, usize, &'static str);

const UNITS: [Unit; 16] = [
    (&["SpeedValue"], 16_383, 0.01, 2, "m/s"),
    (&["VelocityComponentValue"], 16_383, 0.01, 2, "m/s"),
    (
        &[
            "HeadingValue",
            "Wgs84AngleValue",
            "WGS84AngleValue",
            "CartesianAngleValue",
        ],
        3_601,
        0.1,
        1,
        "degrees",
    ),
    (&["AltitudeValue"], 800_001, 0.01, 2, "m"),
    (&["YawRateValue"], 32_767, 0.01, 2, "degrees/s"),
    (&["LongitudinalAccelerationValue"], 161, 0.1, 1, "m/s2"),
    (
        &["LateralAccelerationValue", "VerticalAccelerationValue"],
        161,
        0.1,
        1,
        "m/s2",
    ),
    (
        &["AccelerationValue", "AccelerationMagnitudeValue"],
        161,
        0.1,
        1,
        "m/s2",
    ),
    (&["SteeringWheelAngleValue"], 512, 1.5, 1, "degrees"),
    (&["VehicleLengthValue"], 1_023, 0.1, 1, "m"),
    (&["VehicleWidth"], 62, 0.1, 1, "m"),
    (&["SemiAxisLength"], 4_095, 0.01, 2, "m"),
    (&["Speed", "Velocity"], 8_191, 0.02, 2, "m/s"),
    (&["Heading", "Angle"], 28_800, 0.0125, 4, "degrees"),
    (&["Acceleration"], 2_001, 0.01, 2, "m/s2"),
    (&["Elevation"], -4_096, 0.1, 1, "m"),
];

/// Numbers that stand for all values beyond them as well.
const EDGES: [(&str, &[i64]); 11] = [
    ("SpeedValue", &[16_382]),
    ("AltitudeValue", &[-100_000, 800_000]),
    ("YawRateValue", &[-32_766, 32_766]),
    ("LongitudinalAccelerationValue", &[-160, 160]),
    ("LateralAccelerationValue", &[-160, 160]),
    ("VerticalAccelerationValue", &[-160, 160]),
    ("AccelerationValue", &[-160, 160]),
    ("SteeringWheelAngleValue", &[-511, 511]),
    ("VehicleLengthValue", &[1_022]),
    ("VehicleWidth", &[61]),
    ("SemiAxisLength", &[4_094]),
];

const STATIONS: [(i64, &str); 13] = [
    (0, "unknown"),
    (1, "pedestrian"),
    (2, "cyclist"),
    (3, "moped"),
    (4, "motorcycle"),
    (5, "passenger car"),
    (6, "bus"),
    (7, "light truck"),
    (8, "heavy truck"),
    (9, "trailer"),
    (10, "special vehicle"),
    (11, "tram"),
    (15, "road-side unit"),
];

const CAUSES: [(i64, &str); 23] = [
    (1, "traffic condition"),
    (2, "accident"),
    (3, "roadworks"),
    (5, "impassability"),
    (6, "adverse weather: adhesion"),
    (7, "aquaplaning"),
    (9, "hazardous location: surface condition"),
    (10, "hazardous location: obstacle on the road"),
    (11, "hazardous location: animal on the road"),
    (12, "human presence on the road"),
    (14, "wrong way driving"),
    (15, "rescue and recovery work in progress"),
    (17, "adverse weather: extreme weather"),
    (18, "adverse weather: visibility"),
    (19, "adverse weather: precipitation"),
    (26, "slow vehicle"),
    (27, "dangerous end of queue"),
    (91, "vehicle breakdown"),
    (92, "post crash"),
    (94, "stationary vehicle"),
    (95, "emergency vehicle approaching"),
    (97, "collision risk"),
    (99, "dangerous situation"),
];

/// First moment of TimestampIts, 2004-01-01 00:00:00 UTC, is that of IEEE 1609.2 as well; both
/// count leap seconds.
const MICROSECONDS_IN_MILLISECOND: i64 = 1_000;

/// Says what a number means; `None` where it says it itself.
pub(crate) fn of(field: &str, of_type: &str, number: i64) -> Option<String> {
    let named = |names: &[(i64, &str)]| {
        let mut names = names.iter();
        let found = names.find(|(own, _)| *own == number);
        found.map(|(_, name)| (*name).to_owned())
    };
    match of_type {
        "TimestampIts" => {
            let microseconds = number.checked_mul(MICROSECONDS_IN_MILLISECOND)?;
            Some(time::show(Time64(u64::try_from(microseconds).ok()?)))
        }
        // That of SAE J2735 has another step.
        "VehicleWidth" if field != "vehicleWidth" => None,
        "StationType" | "TrafficParticipantType" => named(&STATIONS),
        "CauseCodeType" => named(&CAUSES),
        _ if field == "causeCode" => named(&CAUSES),
        _ => {
            let mut units = UNITS.iter();
            let (_, unavailable, step, decimals, unit) =
                units.find(|(types, ..)| types.contains(&of_type))?;
            if number == *unavailable {
                return Some("not available".to_owned());
            }
            let mut edges = EDGES.iter();
            let is_edge = edges.any(|(own, edges)| *own == of_type && edges.contains(&number));
            let beyond = if is_edge { " or beyond" } else { "" };
            Some(format!(
                "{:.decimals$} {unit}{beyond}",
                number as f64 * step
            ))
        }
    }
}
