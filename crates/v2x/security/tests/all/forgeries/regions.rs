//! Certificates that are valid where their issuer's is not.

use waywarden_v2x_security::ResultCode::ChainInconsistentChainPermissions;

use super::build::{
    Draft, FRANCE, HERE, ITALY, Pki, Place, Region, circle, country, identified, made_at, polygon,
    rectangles, regions_of,
};
use super::table::Family;

#[test]
fn certificates_that_leave_their_issuers_region_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("region");
    matrix(&mut family);
    let cases = [wrapping(), date_line(), poles()].concat();
    for (name, place, outer, inner, honest) in cases {
        leaves(&mut family, name, place, outer, inner, honest);
    }
    several(&mut family);
    depths(&mut family);
    family
}

/// A station with a region that leaves its authority's, and one that stays or has none of its own.
fn leaves(
    family: &mut Family,
    name: &str,
    place: Place,
    outer: Region,
    inner: Region,
    honest: Option<Region>,
) {
    let pki = |inner| {
        Pki::new(&[
            Draft::authority(1),
            Draft::authority(2).within(Some(outer)),
            Draft::station(3).within(inner),
        ])
    };
    let (forged, honest) = (pki(Some(inner)), pki(honest));
    let message = made_at(place);
    family.pair(
        name,
        (ChainInconsistentChainPermissions, "region"),
        &mut forged.verifier(),
        &forged.sign(&message),
        &honest.sign(&message),
    );
}

/// Each kind of region in each, partly outside.
fn matrix(family: &mut Family) {
    let square = |half: f64| {
        let (latitude, longitude) = HERE;
        [
            latitude + half,
            longitude - half,
            latitude - half,
            longitude + half,
        ]
    };
    let corners = |half: f64| {
        let [north, west, south, east] = square(half);
        [(south, west), (south, east), (north, east), (north, west)]
    };
    let kinds: [(&str, Region, Region, Region); 4] = [
        // Kind, as the authority's, too large, small.
        (
            "circle",
            circle(HERE, 10_000),
            circle(HERE, 60_000),
            circle(HERE, 900),
        ),
        (
            "rectangle",
            rectangles(&[square(0.3)]),
            rectangles(&[square(0.4)]),
            rectangles(&[square(0.01)]),
        ),
        (
            "polygon",
            polygon(&corners(0.3)),
            polygon(&corners(0.4)),
            polygon(&corners(0.01)),
        ),
        (
            "country",
            identified(vec![country(ITALY)]),
            identified(vec![country(FRANCE)]),
            identified(vec![regions_of(ITALY, &[9])]),
        ),
    ];
    for (outer_name, outer, ..) in kinds {
        for (inner_name, _, large, small) in kinds {
            // Across kinds of names nothing is certain but an inherited region.
            let is_certain = match (inner_name, outer_name) {
                ("country", "country") => true,
                ("country", _) | (_, "country") => false,
                _ => true,
            };
            let name = format!("{inner_name} leaves {outer_name}");
            let honest = is_certain.then_some(small);
            leaves(family, &name, HERE, outer, large, honest);
        }
    }
}

type Case = (&'static str, Place, Region, Region, Option<Region>);

/// Around the Earth.
fn wrapping() -> Vec<Case> {
    let middle = (48.0, 11.0);
    // In the wrapping rectangles and in the honest ones.
    let edge = (48.0, 11.1);
    let equator = (0.0, 11.0);
    let square = rectangles(&[[48.1, 10.9, 47.9, 11.1]]);
    vec![
        (
            "wrapping rectangle leaves circle",
            edge,
            circle(middle, 65_000),
            rectangles(&[[48.1, 11.1, 47.9, 10.9]]),
            Some(square),
        ),
        (
            "wrapping rectangle leaves circle at the equator",
            (0.0, 11.1),
            circle(equator, 65_000),
            rectangles(&[[0.1, 11.1, -0.1, 10.9]]),
            Some(rectangles(&[[0.1, 10.9, -0.1, 11.1]])),
        ),
        (
            "wrapping rectangle a tenth of a microdegree short leaves circle",
            middle,
            circle(middle, 65_000),
            rectangles(&[[48.1, 11.000_000_1, 47.9, 11.0]]),
            Some(square),
        ),
        (
            "wrapping rectangle leaves rectangle",
            middle,
            rectangles(&[[49.0, 10.0, 47.0, 12.0]]),
            rectangles(&[[48.1, 11.1, 47.9, 10.9]]),
            Some(square),
        ),
        (
            "rectangle leaves wrapping rectangle through the gap",
            (48.0, 12.0),
            rectangles(&[[49.0, 11.1, 47.0, 10.9]]),
            rectangles(&[[48.5, 10.8, 47.5, 12.2]]),
            Some(rectangles(&[[48.5, 11.2, 47.5, 12.2]])),
        ),
    ]
}

fn date_line() -> Vec<Case> {
    let line = (0.1, 179.9);
    let across = rectangles(&[[10.0, 179.0, -10.0, -179.0]]);
    vec![
        (
            "rectangle leaves rectangle across the date line",
            line,
            across,
            rectangles(&[[5.0, 178.0, -5.0, -179.5]]),
            Some(rectangles(&[[5.0, 179.5, -5.0, -179.5]])),
        ),
        (
            "rectangle the other way round leaves the date line",
            line,
            across,
            rectangles(&[[5.0, -179.5, -5.0, 179.5]]),
            Some(rectangles(&[[5.0, 179.5, -5.0, -179.5]])),
        ),
        (
            "circle leaves rectangle across the date line",
            line,
            rectangles(&[[1.0, 179.8, -1.0, -179.8]]),
            circle((0.1, 179.95), 60_000),
            Some(circle((0.1, 179.95), 6_000)),
        ),
        (
            "rectangle leaves circle across the date line",
            line,
            circle((0.0, -179.95), 60_000),
            rectangles(&[[0.2, 179.4, -0.2, -179.9]]),
            Some(rectangles(&[[0.2, 179.8, -0.2, -179.9]])),
        ),
        (
            "circle leaves circle across the date line",
            line,
            circle((0.0, -179.95), 60_000),
            circle((0.0, 179.9), 60_000),
            Some(circle((0.0, 179.95), 20_000)),
        ),
    ]
}

fn poles() -> Vec<Case> {
    let pole = (89.9, 10.0);
    let south = (-89.9, 10.0);
    let cap = rectangles(&[[90.0, -170.0, 80.0, 170.0]]);
    vec![
        (
            "circle leaves rectangle at the pole",
            pole,
            cap,
            circle((89.99, 10.0), 30_000),
            None,
        ),
        (
            "rectangle leaves circle at the pole",
            pole,
            circle((90.0, 0.0), 60_000),
            rectangles(&[[90.0, -170.0, 89.4, 170.0]]),
            Some(rectangles(&[[90.0, -80.0, 89.7, 80.0]])),
        ),
        (
            "rectangle leaves circle behind the pole",
            (89.8, 60.0),
            circle((89.8, 0.0), 60_000),
            rectangles(&[[90.0, 60.0, 89.5, -60.0]]),
            None,
        ),
        (
            "rectangle leaves circle at the south pole",
            south,
            circle((-90.0, 0.0), 60_000),
            rectangles(&[[-89.4, -170.0, -90.0, 170.0]]),
            Some(rectangles(&[[-89.7, -80.0, -90.0, 80.0]])),
        ),
        (
            "polygon around the pole leaves rectangle",
            pole,
            cap,
            polygon(&[(89.0, 0.0), (89.0, 120.0), (89.0, -120.0)]),
            None,
        ),
    ]
}

/// Of several parts one leaves.
fn several(family: &mut Family) {
    let (latitude, longitude) = HERE;
    let near = [
        latitude + 0.01,
        longitude - 0.01,
        latitude - 0.01,
        longitude + 0.01,
    ];
    let far = [50.1, 8.0, 50.0, 8.1];
    leaves(
        family,
        "second rectangle leaves",
        HERE,
        circle(HERE, 10_000),
        rectangles(&[near, far]),
        Some(rectangles(&[near])),
    );
    leaves(
        family,
        "gap between two rectangles",
        HERE,
        rectangles(&[[44.0, 10.0, 43.0, 10.4], [44.0, 10.5, 43.0, 11.0]]),
        rectangles(&[[43.6, 10.2, 43.5, 10.8]]),
        Some(rectangles(&[near])),
    );
    leaves(
        family,
        "second country leaves",
        HERE,
        identified(vec![country(ITALY)]),
        identified(vec![country(ITALY), country(FRANCE)]),
        Some(identified(vec![country(ITALY)])),
    );
    leaves(
        family,
        "country leaves its regions",
        HERE,
        identified(vec![regions_of(ITALY, &[9, 10])]),
        identified(vec![country(ITALY)]),
        Some(identified(vec![regions_of(ITALY, &[9])])),
    );
    leaves(
        family,
        "region of a country leaves its other regions",
        HERE,
        identified(vec![regions_of(ITALY, &[9, 10])]),
        identified(vec![regions_of(ITALY, &[9, 11])]),
        Some(identified(vec![regions_of(ITALY, &[10])])),
    );
    leaves(
        family,
        "region of another country",
        HERE,
        identified(vec![regions_of(ITALY, &[9])]),
        identified(vec![regions_of(FRANCE, &[9])]),
        Some(identified(vec![regions_of(ITALY, &[9])])),
    );
}

/// The issuer's region binds through certificates that have none, and every one above binds.
fn depths(family: &mut Family) {
    let (small, middle, large) = (
        circle(HERE, 1_000),
        circle(HERE, 10_000),
        circle(HERE, 50_000),
    );
    let cases: [(&str, [Option<Region>; 4]); 6] = [
        ("root to authority", [Some(middle), Some(large), None, None]),
        (
            "root to sub-authority",
            [Some(middle), None, Some(large), None],
        ),
        ("root to station", [Some(middle), None, None, Some(large)]),
        (
            "authority to station, within the root's",
            [Some(large), Some(small), None, Some(middle)],
        ),
        (
            "authority to sub-authority, station within",
            [None, Some(middle), Some(large), Some(small)],
        ),
        (
            "sub-authority to station, within the authority's",
            [None, Some(large), Some(small), Some(middle)],
        ),
    ];
    let pki = |regions: [Option<Region>; 4], implicit: bool| {
        let drafts = [
            Draft::authority(1),
            Draft::authority(2),
            Draft::authority(3),
            Draft {
                implicit,
                ..Draft::station(4)
            },
        ];
        let drafts: Vec<Draft> = drafts
            .iter()
            .zip(regions)
            .map(|(draft, region)| draft.within(region))
            .collect();
        Pki::new(&drafts)
    };
    for (name, regions) in cases {
        for implicit in [false, true] {
            let kind = if implicit { ", implicit" } else { "" };
            let forged = pki(regions, implicit);
            // The honest ones keep to the root's, or to the largest.
            let honest = pki([regions[0], None, None, Some(small)], implicit);
            let message = made_at(HERE);
            family.pair(
                &format!("{name}{kind}"),
                (ChainInconsistentChainPermissions, "region"),
                &mut forged.verifier(),
                &forged.sign(&message),
                &honest.sign(&message),
            );
        }
    }
}
