//! Random regions: where a message of a station is accepted, its authority is valid too. So no
//! region of a station leaves that of its authority unnoticed, whatever their kinds.

use waywarden_testkit::{Random, seeds};

use super::build::{
    Draft, Pki, Place, Region, at_now, circle, country, identified, made_at, polygon, rectangles,
};

/// Between 0 and 1.
fn share(random: &mut Random) -> f64 {
    (random.u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn between(random: &mut Random, from: f64, to: f64) -> f64 {
    from + (to - from) * share(random)
}

/// A longitude in the range that longitudes have.
fn turned(longitude: f64) -> f64 {
    let turned = (longitude + 180.0).rem_euclid(360.0) - 180.0;
    if turned <= -180.0 { 180.0 } else { turned }
}

/// A place so many degrees north and east; east as the meridians stand at the equator.
fn moved((latitude, longitude): Place, north: f64, east: f64) -> Place {
    (
        (latitude + north).clamp(-90.0, 90.0),
        turned(longitude + east),
    )
}

/// Returns a degree of longitude as a fraction of one at the equator; bounded near the poles.
fn narrowing(center: Place) -> f64 {
    center.0.to_radians().cos().max(0.005)
}

/// A region around a place that reaches about so many degrees, and sometimes around the Earth.
fn region(random: &mut Random, center: Place, reach: f64) -> Region {
    let east = reach / narrowing(center);
    match random.index(8) {
        0..=2 => circle(center, (reach * 111_000.0).min(65_535.0) as u16),
        3..=5 => {
            let (north, south) = (moved(center, reach, 0.0).0, moved(center, -reach, 0.0).0);
            let (west, east) = (
                moved(center, 0.0, -east * share(random)).1,
                moved(center, 0.0, east * share(random)).1,
            );
            // The same meridians, the other way round.
            match random.index(4) {
                0 => rectangles(&[[north, east, south, west]]),
                _ => rectangles(&[[north, west, south, east]]),
            }
        }
        6 => {
            let east = east.min(40.0);
            let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
            let at = |(up, right): (f64, f64)| moved(center, up * reach, right * east);
            polygon(&corners.map(at))
        }
        _ => identified(vec![country(380)]),
    }
}

/// Places in and around regions near a place: on circles about it, and on the far side.
fn places(random: &mut Random, center: Place, reach: f64) -> Vec<Place> {
    let mut places = vec![center, moved(center, 0.0, 180.0), (90.0, 0.0), (-90.0, 0.0)];
    for _ in 0..8 {
        let angle = between(random, 0.0, core::f64::consts::TAU);
        let share = between(random, 0.5, 1.5) * reach;
        let (north, east) = (angle.sin() * share, angle.cos() * share);
        places.push(moved(center, north, east / narrowing(center)));
    }
    places
}

#[test]
fn where_a_station_is_accepted_its_authority_is_valid() {
    let mut random = Random::of_test("accepted places");
    let centers = [
        (43.5551, 10.3036),
        (0.0, 0.0),
        (0.0, 179.99),
        (64.0, -179.9),
        (89.8, 12.0),
        (-89.7, -100.0),
        (-33.9, 151.2),
    ];
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..seeds(300) {
        let center = centers[random.index(centers.len())];
        let reach = between(&mut random, 0.05, 0.55);
        let outer = region(&mut random, center, reach);
        let near = moved(
            center,
            between(&mut random, -0.1, 0.1),
            between(&mut random, -0.1, 0.1),
        );
        let own = reach * between(&mut random, 0.1, 1.2);
        let inner = region(&mut random, near, own);
        let pki = |inner| {
            Pki::new(&[
                Draft::authority(1),
                Draft::authority(2).within(Some(outer)),
                Draft::station(3).within(inner),
            ])
        };
        // The station of the second has the region of the authority.
        let (station, authority) = (pki(Some(inner)), pki(None));
        for place in places(&mut random, near, own) {
            let is_accepted = |pki: &Pki| {
                let message = pki.sign(&made_at(place));
                pki.verifier().verify(&message, &at_now()).is_ok()
            };
            if !is_accepted(&station) {
                refused += 1;
                continue;
            }
            accepted += 1;
            assert!(
                is_accepted(&authority),
                "round {round}: accepted at {place:?}, in {inner:?}, outside of {outer:?}"
            );
        }
    }
    println!("{accepted} messages accepted, {refused} refused");
    assert!(accepted > 100, "{accepted} messages accepted");
}
