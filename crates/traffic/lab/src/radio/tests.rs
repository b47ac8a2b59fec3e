//! Shortcuts that make the radio fast must not change receptions.

use std::sync::Arc;

use super::neighbours::Neighbours;
use super::*;
use waywarden_random::Random;

const SECOND: u64 = 1_000_000_000;

/// Keeps all receptions.
#[derive(Default)]
struct Receptions(Vec<RadioReception>);

impl RadioSink for Receptions {
    fn sent(&mut self, _time_ns: u64, _sender: usize) {}

    fn received(&mut self, reception: &RadioReception) {
        self.0.push(*reception);
    }
}

/// Lets stations drive about on a square map for half a second, a tenth of them away at times, and
/// stand still for another fifth of a second.
fn drive(mut medium: Medium, (stations, side_m): (usize, u64), seed: u64) -> Vec<RadioReception> {
    let mut random = Random::new(seed);
    let mut places: Vec<_> = (0..stations)
        .map(|_| [random.below(side_m) as f64, random.below(side_m) as f64])
        .collect();
    let mut receptions = Receptions::default();
    for step in 1..=5 {
        for (station, place) in places.iter_mut().enumerate() {
            *place = place.map(|metres| metres + random.below(40) as f64 / 10.0);
            let [x_m, y_m] = *place;
            let heading = random.below(360) as f64;
            let position = random.below(10).checked_sub(1).map(|_| VehiclePosition {
                place: PlanePoint { x_m, y_m },
                heading_degrees: Some(heading),
            });
            medium.place(station, position);
        }
        medium.run_until(step * SECOND / 10, &mut receptions);
    }
    medium.run_until(7 * SECOND / 10, &mut receptions);
    receptions.0
}

#[test]
fn receptions_on_a_large_map_are_the_same_with_and_without_cells() {
    for (seed, exponent, gains_dbi) in [
        (1, 2.0, vec![]),
        (2, 2.5, vec![3.0, -5.0]),
        (3, 3.0, vec![]),
    ] {
        let propagation = Propagation {
            exponent,
            antenna: Antenna::new(&gains_dbi),
            ..Propagation::FREE_SPACE
        };
        let medium = Medium::new(
            RadioSettings::DEFAULT,
            propagation,
            (460, SECOND / 10),
            seed,
        );
        let mut without = medium.clone();
        without.neighbours = Neighbours::new(f64::INFINITY);
        let map = (1_500, 30_000);
        let with = drive(medium, map, seed);
        assert!(with.len() > 100, "{}", with.len());
        assert_eq!(with, drive(without, map, seed), "seed {seed}");
    }
}

#[test]
fn receptions_between_buildings_are_the_same_with_and_without_kept_pairs() {
    let path = waywarden_testkit::workspace().join("examples/traffic/campus/buildings.poly.xml");
    let text = std::fs::read(path).unwrap();
    let outlines = waywarden_vehicle_tracks::read_buildings(text.as_slice()).unwrap();
    let buildings = Arc::new(Buildings::new(&outlines));
    for (seed, gains_dbi) in [(1, vec![]), (2, vec![1.0, -3.0, 0.0, -3.0]), (3, vec![])] {
        let propagation = Propagation {
            antenna: Antenna::new(&gains_dbi),
            buildings: Some(Arc::clone(&buildings)),
            ..Propagation::FREE_SPACE
        };
        let medium = Medium::new(
            RadioSettings::DEFAULT,
            propagation,
            (460, SECOND / 10),
            seed,
        );
        let mut without = medium.clone();
        assert!(without.pairs.take().is_some());
        let map = (150, 1_400);
        let with = drive(medium, map, seed);
        assert!(with.len() > 5_000, "{}", with.len());
        assert_eq!(with, drive(without, map, seed), "seed {seed}");
    }
}

#[test]
fn messages_made_at_the_same_time_collide() {
    let received = |phases_within_ns| {
        let settings = RadioSettings {
            phases_within_ns,
            ..RadioSettings::DEFAULT
        };
        let messages = (460, SECOND / 10);
        let mut medium = Medium::new(settings, Propagation::FREE_SPACE, messages, 7);
        let mut receptions = Receptions::default();
        for station in 0..60_u32 {
            // They come one after the other, and fall in with the others.
            medium.run_until(u64::from(station) * 7_000_000, &mut receptions);
            let place = PlanePoint {
                x_m: f64::from(station) * 5.0,
                y_m: 0.0,
            };
            let position = VehiclePosition {
                place,
                heading_degrees: None,
            };
            medium.place(station as usize, Some(position));
        }
        medium.run_until(3 * SECOND, &mut receptions);
        assert!(
            receptions.0.iter().all(|one| {
                phases_within_ns.is_none_or(|within| one.made_ns % (SECOND / 10) <= within)
            }),
            "{phases_within_ns:?}"
        );
        receptions.0.len()
    };
    let spread = received(None);
    assert!(received(Some(0)) < spread / 2, "{spread}");
    assert!(received(Some(90_000_000)) > received(Some(5_000_000)));
}
