//! Folds of runs: known answers, any order, any split among machines, hostile documents.

use serde_json::Value;
use waywarden_can::Id;
use waywarden_testkit::{Random, each_seed};
use waywarden_vehicle_file::VehicleFile;

use super::*;
use crate::require::{Requirement, RequirementUnit};

const CAR: &str = r#"
[vehicle]
name = "car"
duration = "1s"
[[bus]]
name = "main"
bitrate = "500k"
[[ecu]]
name = "engine"
ports = ["main"]
sends = [
  { name = "a", id = 0x10, length = 8, period = "10ms", offset = "unknown" },
  { name = "b", id = 0x11, length = 8, period = "20ms", offset = "unknown" },
]
"#;

fn stream(name: &str, worst_ms: Option<f64>) -> StreamRow {
    StreamRow {
        stream: name.to_owned(),
        identifier: Id::standard(0x10).unwrap().into(),
        sender: "engine".to_owned(),
        bus: "main".to_owned(),
        released: 3,
        requested: 3,
        skipped: 1,
        withheld: 0,
        delivered: 2,
        repeated: 0,
        late: 1,
        receivers: Vec::new(),
        deadline_ms: 10.0,
        mean_ms: worst_ms,
        p99_ms: worst_ms,
        worst_ms,
        worst_cause: None,
        bound_ms: None,
    }
}

fn report(worst_ms: [Option<f64>; 2]) -> Report {
    let measured = worst_ms[0];
    Report {
        vehicle: "car".to_owned(),
        seed: 0,
        duration_ms: 1_000.0,
        start_up_ms: None,
        keys_ms: None,
        ideal_ecus: Vec::new(),
        ideal_text: None,
        buses: Vec::new(),
        ecus: Vec::new(),
        streams: vec![stream("a", worst_ms[0]), stream("b", worst_ms[1])],
        groups: Vec::new(),
        security_modules: Vec::new(),
        authentication: Vec::new(),
        first_authentic: Vec::new(),
        displays: Vec::new(),
        forgeries: 0,
        requirements: vec![RequirementVerdict {
            requirement: Requirement::Latency,
            subject: Some("a".to_owned()),
            met: measured.is_some_and(|measured| measured <= 5.0),
            required: 5.0,
            measured,
            unit: RequirementUnit::Ms,
            instances_lost: 0,
            title: "latency a".to_owned(),
            required_text: "5ms".to_owned(),
            measured_text: measured.map_or("never".to_owned(), |ms| format!("{ms}ms")),
            place: "car.toml:1:1".to_owned(),
            explain: None,
            cause: None,
        }],
        unknown_offsets: 2,
        phase: 0,
        latency_without_receivers: 0,
        attacks: Vec::new(),
        costs: Vec::new(),
        security_load: Vec::new(),
        hardware_security_modules: Vec::new(),
        images: Vec::new(),
        images_text: None,
    }
}

fn file() -> VehicleFile {
    VehicleFile::parse("car.toml", CAR).unwrap_or_else(|errors| panic!("{errors}"))
}

fn begun(range: RunRange) -> Runs {
    Runs::new(&file(), "00".to_owned(), range)
}

const fn range(first_seed: u64, seeds: u64, phases: u64) -> RunRange {
    RunRange {
        first_seed,
        seeds,
        phases,
    }
}

#[test]
fn worst_median_and_best_of_five_runs() {
    let mut runs = begun(range(7, 1, 5));
    let worsts = [4.0, 2.0, 6.0, 6.0, 3.0];
    for (phase, worst) in (0..).zip(worsts) {
        runs.add(RunId { seed: 7, phase }, &report([Some(worst), None]));
    }
    runs.finish();
    let first = &runs.streams[0];
    assert_eq!(
        (
            first.best_ms,
            first.median_ms,
            first.worst_ms,
            first.critical_ms
        ),
        (Some(2.0), Some(4.0), Some(6.0), Some(4.0))
    );
    assert_eq!(first.worst_in, Some(RunId { seed: 7, phase: 2 }));
    assert_eq!((first.late, first.skipped), (5, 5));
    let second = &runs.streams[1];
    assert_eq!((second.runs_without_delivery, second.worst_ms), (5, None));
    assert_eq!((runs.runs, runs.runs_met, runs.met), (5, 3, false));
    let one = &runs.requirements[0];
    assert_eq!((one.runs_missed, one.worst_in.phase), (2, 2));
    assert_eq!(runs.check(), Ok(()));
    assert_eq!(
        first.cells(),
        ["a", "2.000", "4.000", "6.000", "7/2", "-", "10.000"]
    );
}

#[test]
fn median_of_two_is_the_lower_and_of_none_is_none() {
    let mut worsts = Worsts::default();
    assert_eq!(worsts.median(), None);
    worsts.add(30, 1);
    assert_eq!(worsts.median(), Some(30));
    worsts.add(10, 1);
    assert_eq!(worsts.median(), Some(10));
    worsts.add(10, 1);
    worsts.add(40, 5);
    assert_eq!(worsts.median(), Some(40));
}

/// Runs whose figures follow from their seed and phase.
fn any_report(random: &Random, run: RunId) -> Report {
    let key = run.seed.wrapping_mul(1_000).wrapping_add(run.phase);
    let mut random = Random::new(key ^ random.clone().u64());
    let mut worst = || match random.below(8) {
        0 => None,
        1 => Some(5.0),
        _ => Some(random.below(9_000_000) as f64 / 1e6),
    };
    report([worst(), worst()])
}

fn shuffled(random: &mut Random, mut runs: Vec<RunId>) -> Vec<RunId> {
    for at in (1..runs.len()).rev() {
        runs.swap(at, random.index(at + 1));
    }
    runs
}

fn ids(range: RunRange) -> Vec<RunId> {
    let seeds = range.first_seed..range.first_seed + range.seeds;
    let of = |seed| (0..range.phases).map(move |phase| RunId { seed, phase });
    seeds.flat_map(of).collect()
}

#[test]
fn runs_in_any_order_and_on_any_machines_give_one_result() {
    each_seed(12, |seed| {
        let mut random = Random::new(seed);
        let phases = 1 + random.below(60);
        let split = 1 + random.below(9);
        let (whole, parts) = (
            range(3, 10, phases),
            [
                range(3, split, phases),
                range(3 + split, 10 - split, phases),
            ],
        );
        let key = Random::new(random.u64());
        let mut fold = |range: RunRange| {
            let mut runs = begun(range);
            for run in shuffled(&mut random, ids(range)) {
                runs.add(run, &any_report(&key, run));
            }
            runs.finish();
            assert_eq!(runs.check(), Ok(()), "seed {seed}");
            let text = serde_json::to_string(&runs).unwrap();
            let read: Runs = serde_json::from_str(&text).unwrap();
            assert_eq!(read, runs, "seed {seed}");
            runs
        };
        let (once, mut again) = (fold(whole), fold(whole));
        assert_eq!(once, again, "seed {seed}");
        let [first, second] = parts.map(&mut fold);
        for (mut one, other) in [(first.clone(), second.clone()), (second, first)] {
            one.merge(other).unwrap();
            assert_eq!(one.check(), Ok(()), "seed {seed}");
            again.ranges.clone_from(&one.ranges);
            assert_eq!(one, again, "seed {seed}");
        }
    });
}

#[test]
fn runs_that_do_not_belong_together_are_refused() {
    let of = |first_seed, phases| {
        let range = range(first_seed, 2, phases);
        let mut runs = begun(range);
        for run in ids(range) {
            runs.add(run, &report([Some(1.0), Some(1.0)]));
        }
        runs.finish();
        runs
    };
    let refused = |other: Runs, wanted: &str| {
        let mut whole = of(0, 2);
        let error = whole.merge(other).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
        assert_eq!(whole, of(0, 2));
    };
    let other = |change: fn(&mut Runs)| {
        let mut other = of(2, 2);
        change(&mut other);
        other
    };
    refused(
        other(|runs| runs.vehicle_sha256 = "01".to_owned()),
        "SHA-256",
    );
    refused(
        other(|runs| {
            runs.vehicle_sha256 = "01".to_owned();
            runs.vehicle = "van".to_owned();
        }),
        "runs of the vehicle \"van\", not of \"car\"",
    );
    refused(other(|runs| runs.duration_ms = 2_000.0), "--duration");
    refused(of(1, 3), "has runs of seed 1");
    refused(of(0, 2), "has runs of seed 0");
    let mut whole = of(0, 2);
    whole.merge(of(2, 5)).unwrap();
    assert_eq!(whole.runs, 14);
}

/// Changes a number anywhere in a document.
fn damage(random: &mut Random, value: &mut Value) {
    const NUMBERS: [u64; 6] = [0, 1, 2, 3, 1 << 63, u64::MAX];
    match value {
        Value::Array(list) if !list.is_empty() => {
            let at = random.index(list.len());
            damage(random, &mut list[at]);
        }
        Value::Object(map) if !map.is_empty() => {
            let at = random.index(map.len());
            let inner = map.values_mut().nth(at);
            inner.into_iter().for_each(|inner| damage(random, inner));
        }
        Value::Bool(flag) => *flag = !*flag,
        Value::Array(list) => list.push(Value::from(random.below(3))),
        other => *other = NUMBERS[random.index(NUMBERS.len())].into(),
    }
}

#[test]
fn damaged_documents_are_refused_or_merge_without_overflow() {
    let plain = {
        let mut runs = begun(range(0, 3, 2));
        for run in ids(range(0, 3, 2)) {
            runs.add(run, &report([Some(1.5), None]));
        }
        runs.finish();
        runs
    };
    let mut far = plain.clone();
    far.ranges[0].first_seed = 1_000;
    let refused = each_seed(300, |seed| {
        let mut random = Random::new(seed);
        let mut document = serde_json::to_value(&plain).unwrap();
        for _ in 0..=random.below(3) {
            damage(&mut random, &mut document);
        }
        let Ok(mut read) = serde_json::from_value::<Runs>(document) else {
            return true;
        };
        if read.check().is_err() {
            return true;
        }
        // Figures may be changed without a contradiction: then they merge, either way round.
        let mut other = far.clone();
        let (one, two) = (other.merge(read.clone()), read.merge(far.clone()));
        one.is_err() || two.is_err()
    });
    let refused = refused.iter().filter(|refused| **refused).count();
    assert!(refused > 100, "{refused}");
}
