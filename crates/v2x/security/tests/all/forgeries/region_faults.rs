//! Certificates with a region that there is not, and messages that were made outside of one.

use waywarden_testkit_v2x::world::Holder;
use waywarden_v2x_security::ResultCode::{
    ConsistencyGenerationLocationOutsideValidityRegion, ParsingInvalidInput,
};
use waywarden_v2x_wire::ieee1609dot2::{LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN};

use super::build::{
    Draft, FRANCE, HERE, ITALY, Pki, Place, Region, circle, country, identified, made_at, polygon,
    rectangles,
};
use super::raw;
use super::table::Family;

#[test]
fn regions_that_are_none_and_places_outside_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("place");
    for (name, faulty, sound) in faults() {
        faulty_region(&mut family, name, faulty, sound);
    }
    wire_faults(&mut family);
    outside(&mut family);
    family
}

const NORTH: f64 = 43.6;
const WEST: f64 = 10.2;
const SOUTH: f64 = 43.5;
const EAST: f64 = 10.4;
const UNKNOWN_NORTH: f64 = LATITUDE_UNKNOWN as f64 / 1e7;
const UNKNOWN_EAST: f64 = LONGITUDE_UNKNOWN as f64 / 1e7;

/// A name, a faulty region and its nearest honest one, in which `HERE` is.
type Fault = (&'static str, Region, Region);

fn faults() -> Vec<Fault> {
    [rectangle_faults(), other_faults(), polygon_faults()].concat()
}

fn rectangle_faults() -> Vec<Fault> {
    let square = rectangles(&[[NORTH, WEST, SOUTH, EAST]]);
    let (north, east) = (UNKNOWN_NORTH, UNKNOWN_EAST);
    vec![
        (
            "swapped latitudes",
            rectangles(&[[SOUTH, WEST, NORTH, EAST]]),
            square,
        ),
        (
            "no height",
            rectangles(&[[NORTH, WEST, NORTH, EAST]]),
            square,
        ),
        (
            "no width",
            rectangles(&[[NORTH, WEST, SOUTH, WEST]]),
            square,
        ),
        (
            "unknown north",
            rectangles(&[[north, WEST, SOUTH, EAST]]),
            square,
        ),
        (
            "unknown west",
            rectangles(&[[NORTH, east, SOUTH, EAST]]),
            square,
        ),
        (
            "unknown south",
            rectangles(&[[NORTH, WEST, north, EAST]]),
            square,
        ),
        (
            "unknown east",
            rectangles(&[[NORTH, WEST, SOUTH, east]]),
            square,
        ),
        (
            "second rectangle with swapped latitudes",
            rectangles(&[[NORTH, WEST, SOUTH, EAST], [44.0, WEST, 44.1, EAST]]),
            rectangles(&[[NORTH, WEST, SOUTH, EAST], [44.1, WEST, 44.0, EAST]]),
        ),
        ("no rectangle", rectangles(&[]), square),
    ]
}

/// Identified regions and circles.
fn other_faults() -> Vec<Fault> {
    let (north, east) = (UNKNOWN_NORTH, UNKNOWN_EAST);
    vec![
        (
            "no identified region",
            identified(Vec::new()),
            identified(vec![country(ITALY)]),
        ),
        (
            "unknown latitude of a centre",
            circle((north, WEST), 9_000),
            circle(HERE, 9_000),
        ),
        (
            "unknown longitude of a centre",
            circle((NORTH, east), 9_000),
            circle(HERE, 9_000),
        ),
    ]
}

fn polygon_faults() -> Vec<Fault> {
    let corners = [(SOUTH, WEST), (SOUTH, EAST), (NORTH, EAST), (NORTH, WEST)];
    let [a, b, c, d] = corners;
    let middle = (43.55, 10.3);
    let quadrangle = polygon(&corners);
    let (north, east) = (UNKNOWN_NORTH, UNKNOWN_EAST);
    vec![
        ("crossing sides", polygon(&[a, c, b, d]), quadrangle),
        ("crossing sides beside", polygon(&[a, b, d, c]), quadrangle),
        (
            "five corners with a crossing",
            polygon(&[a, b, (NORTH, WEST + 0.05), (SOUTH - 0.1, WEST + 0.1), d]),
            polygon(&[a, b, c, (NORTH + 0.1, WEST + 0.1), d]),
        ),
        (
            "corner repeated at once",
            polygon(&[a, b, b, c, d]),
            quadrangle,
        ),
        (
            "first corner repeated at the end",
            polygon(&[a, b, c, d, a]),
            quadrangle,
        ),
        (
            "corner passed twice",
            polygon(&[middle, a, b, middle, c, d]),
            quadrangle,
        ),
        ("all corners the same", polygon(&[a, a, a]), quadrangle),
        (
            "sides on each other",
            polygon(&[a, b, (SOUTH, 10.3)]),
            quadrangle,
        ),
        (
            "unknown latitude of a corner",
            polygon(&[a, b, (north, EAST), d]),
            quadrangle,
        ),
        (
            "unknown longitude of a corner",
            polygon(&[a, b, (NORTH, east), d]),
            quadrangle,
        ),
    ]
}

fn pki(authority: Option<Region>, station: Option<Region>) -> Pki {
    Pki::new(&[
        Draft::authority(1),
        Draft::authority(2).within(authority),
        Draft::station(3).within(station),
    ])
}

/// In the station's certificate, and in the authority's, from which the station inherits.
fn faulty_region(family: &mut Family, name: &str, faulty: Region, sound: Region) {
    let message = made_at(HERE);
    let cases = [
        ("station", pki(None, Some(faulty)), pki(None, Some(sound))),
        ("authority", pki(Some(faulty), None), pki(Some(sound), None)),
    ];
    for (holder, forged, honest) in cases {
        family.pair(
            &format!("{holder}: {name}"),
            ParsingInvalidInput,
            &mut forged.verifier(),
            &forged.sign(&message),
            &honest.sign(&message),
        );
    }
}

/// Bytes, and their replacement.
type Patch = (Vec<u8>, Vec<u8>);

/// Forges regions that cannot be encoded: bytes are replaced and signed again.
fn wire_faults(family: &mut Family) {
    let corners = [(SOUTH, WEST), (SOUTH, EAST), (44.0, EAST)];
    let of = |region| pki(None, Some(region));
    let latitude = |degrees: f64| ((degrees * 1e7).round() as i32).to_be_bytes();
    let triangle = of(polygon(&corners));
    let third = [latitude(44.0), latitude(EAST)].concat();
    let round = of(circle(HERE, 9_000));
    let cases: [(&str, &Pki, Vec<Patch>); 4] = [
        (
            "polygon with two corners",
            &triangle,
            vec![(vec![0x82, 1, 3], vec![0x82, 1, 2]), (third, Vec::new())],
        ),
        (
            "latitude beyond the pole",
            &round,
            vec![(
                latitude(HERE.0).to_vec(),
                900_000_002_i32.to_be_bytes().to_vec(),
            )],
        ),
        (
            "longitude beyond the date line",
            &round,
            vec![(
                latitude(HERE.1).to_vec(),
                (-1_800_000_000_i32).to_be_bytes().to_vec(),
            )],
        ),
        (
            "kind of region that there is not",
            &round,
            vec![(
                [&[0x80], &latitude(HERE.0)[..]].concat(),
                [&[0x84], &latitude(HERE.0)[..]].concat(),
            )],
        ),
    ];
    for (name, pki, patches) in cases {
        let honest = pki.sign(&made_at(HERE));
        let station = pki.station();
        let mut tbs = raw::tbs_of_certificate(&station.certificate);
        for (from, to) in patches {
            tbs = raw::replaced(&tbs, &from, &to);
        }
        let authority: &Holder = &pki.holders[1];
        let certificate = raw::certificate(station, &tbs, authority);
        let chain = [&certificate[..], &authority.certificate];
        let forged = raw::message(&raw::tbs_of(&honest), &chain, &station.key);
        use waywarden_v2x_security::ResultCode::ParsingUnsupportedCriticalInformationField;
        let expected = match name {
            "kind of region that there is not" => ParsingUnsupportedCriticalInformationField,
            _ => ParsingInvalidInput,
        };
        family.pair(name, expected, &mut pki.verifier(), &forged, &honest);
    }
}

/// A name, a region, a place outside and one inside.
type Outside = (&'static str, Region, Place, Place);

fn round_places() -> Vec<Outside> {
    vec![
        (
            "circle",
            circle(HERE, 10_000),
            (43.656, 10.3036),
            (43.64, 10.3036),
        ),
        (
            "circle across the date line",
            circle((0.0, 179.95), 9_000),
            (0.0, -179.9),
            (0.0, -180.0 + 1e-7),
        ),
        (
            "circle at the pole",
            circle((90.0, 0.0), 9_000),
            (89.91, 77.0),
            (89.93, -103.0),
        ),
    ]
}

fn rectangle_places() -> Vec<Outside> {
    let square = rectangles(&[[NORTH, WEST, SOUTH, EAST]]);
    let line = rectangles(&[[10.0, 179.0, -10.0, -179.0]]);
    vec![
        (
            "rectangle to the north",
            square,
            (NORTH + 1e-7, 10.3),
            (NORTH, 10.3),
        ),
        (
            "rectangle to the west",
            square,
            (43.55, WEST - 1e-7),
            (43.55, WEST),
        ),
        (
            "rectangle to the south",
            square,
            (SOUTH - 1e-7, 10.3),
            (SOUTH, 10.3),
        ),
        (
            "rectangle to the east",
            square,
            (43.55, EAST + 1e-7),
            (43.55, EAST),
        ),
        (
            "rectangle across the date line",
            line,
            (0.0, 178.9),
            (0.0, -179.5),
        ),
        (
            "rectangle across the date line, other side",
            line,
            (0.0, 0.0),
            (0.0, 179.5),
        ),
    ]
}

/// A polygon and a country.
fn other_places() -> Vec<Outside> {
    let notch = polygon(&[
        (43.0, 10.0),
        (43.0, 11.0),
        (44.0, 11.0),
        (43.1, 10.5),
        (44.0, 10.0),
    ]);
    vec![
        ("notch of a polygon", notch, (43.6, 10.5), (43.05, 10.5)),
        (
            "country",
            identified(vec![country(ITALY)]),
            (48.0, 2.0),
            HERE,
        ),
    ]
}

fn outside(family: &mut Family) {
    let places = [round_places(), rectangle_places(), other_places()];
    for (name, region, far, near) in places.concat() {
        for (holder, pki) in [
            ("station", pki(None, Some(region))),
            ("authority", pki(Some(region), None)),
        ] {
            family.pair(
                &format!("made outside, {name}, of the {holder}"),
                ConsistencyGenerationLocationOutsideValidityRegion,
                &mut pki.verifier(),
                &pki.sign(&made_at(far)),
                &pki.sign(&made_at(near)),
            );
        }
    }
    let unknown = pki(None, Some(identified(vec![country(FRANCE)])));
    let known = pki(
        None,
        Some(identified(vec![country(FRANCE), country(ITALY)])),
    );
    family.pair(
        "made in another country",
        ConsistencyGenerationLocationOutsideValidityRegion,
        &mut unknown.verifier(),
        &unknown.sign(&made_at(HERE)),
        &known.sign(&made_at(HERE)),
    );
}
