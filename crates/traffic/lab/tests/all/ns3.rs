//! Results of ns-3 3.37 for stations that stand still, beside those of this radio.
//!
//! `tests/oracles/ns3_broadcast.cc` made the answers in `ns3.json`.

use serde_json::Value;
use waywarden_traffic_lab::radio::{
    DataRate, Medium, PlanePoint, Propagation, RadioFrame, RadioReception, RadioSettings, RadioSink,
};

const SECOND: u64 = 1_000_000_000;
const PERIOD: u64 = SECOND / 10;
/// Time at the begin that is not counted, in ns, as in the other program.
const WARM_UP: u64 = SECOND / 2;
const BIN_M: f64 = 50.0;
/// Distance within which half of the frames arrive if no other station sends, in metres.
const REACH_M: f64 = 700.0;

/// A case, and what ns-3 gave.
struct Case {
    name: String,
    places: Vec<PlanePoint>,
    bytes: u32,
    seconds: u64,
    mean: f64,
    delivered: Vec<f64>,
}

fn cases() -> Vec<Case> {
    let all: Value = serde_json::from_str(include_str!("ns3.json")).unwrap();
    let numbers = |value: &Value| -> Vec<f64> {
        let all = value.as_array().unwrap().iter();
        all.map(|one| one.as_f64().unwrap()).collect()
    };
    let case = |value: &Value| Case {
        name: value["name"].as_str().unwrap().to_owned(),
        places: value["places"]
            .as_array()
            .unwrap()
            .iter()
            .map(|place| PlanePoint {
                x_m: place[0].as_f64().unwrap(),
                y_m: place[1].as_f64().unwrap(),
            })
            .collect(),
        bytes: value["bytes"].as_u64().unwrap() as u32,
        seconds: value["seconds"].as_u64().unwrap(),
        mean: value["mean"].as_f64().unwrap(),
        delivered: numbers(&value["delivered"]),
    };
    all.as_array().unwrap().iter().map(case).collect()
}

/// Counts as the other program does.
struct Counts<'c> {
    places: &'c [PlanePoint],
    end: u64,
    heard: Vec<u64>,
    total: u64,
}

impl RadioSink for Counts<'_> {
    fn sent(&mut self, _time_ns: u64, _sender: usize, _frame: &RadioFrame) {}

    fn received(&mut self, one: &RadioReception) {
        if (WARM_UP..self.end).contains(&one.time_ns) {
            self.total += 1;
            let distance = self.places[one.sender].distance_m(&self.places[one.receiver]);
            if let Some(bin) = self.heard.get_mut((distance / BIN_M) as usize) {
                *bin += 1;
            }
        }
    }
}

/// The mean of receptions in 100 ms, and the share that arrives by distance.
fn run(case: &Case, seed: u64) -> (f64, Vec<f64>) {
    let messages = (case.bytes, PERIOD);
    let mut medium = Medium::new(
        RadioSettings::DEFAULT,
        Propagation::FREE_SPACE,
        messages,
        seed,
    );
    for (at, place) in case.places.iter().enumerate() {
        medium.place(at, Some((*place).into()));
    }
    let bins = case.delivered.len();
    let end = case.seconds * SECOND;
    let mut counts = Counts {
        places: &case.places,
        end,
        heard: vec![0; bins],
        total: 0,
    };
    medium.run_until(end, &mut counts);
    let windows = (end - WARM_UP) / PERIOD;
    let mut possible = vec![0; bins];
    for (at, one) in case.places.iter().enumerate() {
        for (other_at, other) in case.places.iter().enumerate() {
            let bin = (one.distance_m(other) / BIN_M) as usize;
            if at != other_at && bin < bins {
                possible[bin] += windows;
            }
        }
    }
    let shares = counts.heard.iter().zip(possible);
    let shares = shares.map(|(heard, possible)| *heard as f64 / (possible as f64).max(1.0));
    let mean = counts.total as f64 / windows as f64 / case.places.len() as f64;
    (mean, shares.collect())
}

/// Means over so many seeds.
fn mean_of(case: &Case, seeds: u64) -> (f64, Vec<f64>) {
    let runs: Vec<_> = (1..=seeds).map(|seed| run(case, seed)).collect();
    let mean = runs.iter().map(|(mean, _)| mean).sum::<f64>() / seeds as f64;
    let share = |bin: usize| runs.iter().map(|(_, shares)| shares[bin]).sum::<f64>() / seeds as f64;
    (mean, (0..case.delivered.len()).map(share).collect())
}

/// Returns true if the stations within reach of one offer frames for three quarters of the time.
fn is_saturated(case: &Case) -> bool {
    let near = |one: &PlanePoint| {
        let others = case.places.iter();
        others
            .filter(|other| one.distance_m(other) < REACH_M)
            .count()
    };
    let most = case.places.iter().map(near).max().unwrap_or(0);
    4 * most as u64 * DataRate::Mbps6.airtime_ns(case.bytes) > 3 * PERIOD
}

#[test]
fn receptions_agree_with_those_of_ns3() {
    for case in cases() {
        let (mean, delivered) = mean_of(&case, 16);
        let tolerance = if is_saturated(&case) { 0.08 } else { 0.05 };
        let name = &case.name;
        println!(
            "{name}: {mean:.2} received in 100 ms, ns-3 {:.2}",
            case.mean
        );
        for (bin, (ours, theirs)) in delivered.iter().zip(&case.delivered).enumerate() {
            // -1: no two stations are so far from each other.
            if *theirs >= 0.0 {
                let from = bin as f64 * BIN_M;
                println!("  from {from} m: {ours:.3} {theirs:.3}");
                assert!(
                    (ours - theirs).abs() <= tolerance,
                    "{name}, {from} m: {ours} {theirs}"
                );
            }
        }
        assert!(
            (mean / case.mean - 1.0).abs() <= 0.1,
            "{name}: {mean} {}",
            case.mean
        );
    }
}

#[test]
fn same_seed_gives_the_same_receptions_and_another_one_others() {
    let case = &cases()[0];
    assert_eq!(run(case, 5), run(case, 5));
    assert_ne!(run(case, 5).1, run(case, 6).1);
}
