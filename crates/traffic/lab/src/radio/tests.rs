//! Shortcuts that make the radio fast must not change receptions.

use std::sync::Arc;

use super::neighbours::Neighbours;
use super::*;
use waywarden_random::Random;
use waywarden_v2x_congestion::BusyRatio;

const SECOND: u64 = 1_000_000_000;

/// Keeps all receptions.
#[derive(Default)]
struct Receptions(Vec<RadioReception>);

impl RadioSink for Receptions {
    fn sent(&mut self, _time_ns: u64, _sender: usize, _frame: &RadioFrame) {}

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

/// Gives each frame a number, and notes which of them have left.
#[derive(Default)]
struct Numbered {
    random: Option<Random>,
    made: u32,
    ended: Vec<u32>,
    ratios: Vec<Vec<f64>>,
}

impl RadioSink for Numbered {
    fn due(&mut self, _time_ns: u64, _station: usize, beacon: RadioFrame) -> Option<RadioFrame> {
        let message = self.made;
        self.made += 1;
        let random = self.random.as_mut();
        Some(RadioFrame {
            airtime_ns: random.map_or(beacon.airtime_ns, |random| {
                100_000 + random.below(3_000_000)
            }),
            power_share: 1.0,
            message,
        })
    }

    fn sent(&mut self, _time_ns: u64, _sender: usize, _frame: &RadioFrame) {}

    fn received(&mut self, one: &RadioReception) {
        assert!(!self.ended.contains(&one.message), "{one:?} has left");
    }

    fn ended(&mut self, frame: &RadioFrame) {
        self.ended.push(frame.message);
    }

    fn measured(&mut self, _time_ns: u64, station: usize, ratio: BusyRatio) {
        if self.ratios.len() <= station {
            self.ratios.resize(station + 1, Vec::new());
        }
        self.ratios[station].push(ratio.share());
    }
}

/// Whatever becomes of a frame, it leaves once: sent, dropped from a full queue, or gone with its
/// station.
#[test]
fn each_frame_leaves_once() {
    for seed in 1..4 {
        let mut random = Random::new(seed);
        let messages = (460, SECOND / 100);
        let mut medium = Medium::new(
            RadioSettings::DEFAULT,
            Propagation::FREE_SPACE,
            messages,
            seed,
        );
        let mut sink = Numbered {
            random: Some(Random::new(seed)),
            ..Numbered::default()
        };
        for step in 1..=20 {
            for station in 0..12 {
                let position = random.below(4).checked_sub(1).map(|_| VehiclePosition {
                    place: PlanePoint {
                        x_m: random.below(900) as f64,
                        y_m: 0.0,
                    },
                    heading_degrees: None,
                });
                medium.place(station, position);
            }
            medium.run_until(step * SECOND / 20, &mut sink);
        }
        for station in 0..12 {
            medium.place(station, None);
        }
        medium.run_until(2 * SECOND, &mut sink);
        sink.ended.sort_unstable();
        let all: Vec<u32> = (0..sink.made).collect();
        assert!(all.len() > 500, "{}", all.len());
        assert_eq!(sink.ended, all, "seed {seed}");
    }
}

/// A frame of 664 us each 100 ms makes the channel busy for 0.664 %, for the sender and for who
/// gets more than -85 dBm of it: up to 321 m, by hand.
#[test]
fn the_busy_ratio_is_that_of_the_frames_in_reach() {
    let messages = (460, SECOND / 10);
    let settings = RadioSettings::DEFAULT;
    let medium = Medium::new(settings, Propagation::FREE_SPACE, messages, 1);
    let mut medium = medium.measuring();
    // The others say nothing within the time of the test.
    for station in 1..4 {
        medium.send_each(station, 100 * SECOND);
    }
    for (station, x_m) in [0.0, 300.0, 320.0, 323.0].into_iter().enumerate() {
        let place = PlanePoint { x_m, y_m: 0.0 };
        medium.place(station, Some(VehiclePosition::from(place)));
    }
    let mut sink = Numbered::default();
    medium.run_until(SECOND + 1, &mut sink);
    let expected = settings.airtime_ns(460) as f64 / 1e8;
    for (station, busy) in [(0, expected), (1, expected), (2, expected), (3, 0.0)] {
        // The first message of the others may fall into the first period.
        let ratios = &sink.ratios[station];
        assert_eq!(ratios.len(), 10);
        let wrong = ratios[1..]
            .iter()
            .find(|ratio| (**ratio - busy).abs() > 1e-9);
        assert_eq!(wrong, None, "{station}: {ratios:?}");
    }
}
