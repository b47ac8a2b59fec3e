//! Draws of unknown offsets, and vehicles in which a seed changes nothing.

use waywarden_can_sim::trace::Discard;
use waywarden_testkit::each_seed;
use waywarden_vehicle_file::{Offset, VehicleFile};
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::phases::in_phase;
use waywarden_vehicle_lab::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::{Resources, needed};
use waywarden_work::Duration;

/// One sender of three streams of one period, of which two offsets are unknown.
const CAR: &str = r#"
[vehicle]
name = "car"
duration = "200ms"
[[bus]]
name = "main"
bitrate = "500k"
[[ecu]]
name = "cluster"
ports = ["main"]
[[ecu]]
name = "engine"
ports = ["main"]

[[stream]]
name = "a"
id = 0x10
sender = "engine"
receivers = ["cluster"]
length = 8
period = "10ms"
data = "zero"
offset = "unknown"
[[stream]]
name = "b"
id = 0x11
sender = "engine"
receivers = ["cluster"]
length = 8
period = "10ms"
data = "zero"
offset = "3ms"
[[stream]]
name = "c"
id = 0x12
sender = "engine"
receivers = ["cluster"]
length = 8
period = "10ms"
data = "zero"
offset = "unknown"
"#;

fn car() -> VehicleFile {
    VehicleFile::parse("car.toml", CAR).unwrap_or_else(|errors| panic!("{errors}"))
}

fn offsets(file: &VehicleFile) -> Vec<Offset> {
    file.streams.iter().map(|stream| stream.offset).collect()
}

fn report(file: &VehicleFile, seed: u64) -> Report {
    let lowered = lower(file, &Resources::default(), Some(seed)).unwrap();
    let outcome = run::run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(file, seed, &outcome)
}

#[test]
fn phase_0_has_unknown_offsets_at_0_and_stated_ones_as_they_are() {
    let millis = |ms| Offset::Stated(Duration::from_millis(ms));
    assert_eq!(
        offsets(&in_phase(&car(), 5, 0)),
        [millis(0), millis(3), millis(0)]
    );
}

#[test]
fn drawn_offsets_are_below_the_period_even_and_repeatable() {
    let file = car();
    let mut quarters = [0_u32; 4];
    each_seed(10, |seed| {
        for phase in 1..40 {
            let drawn = in_phase(&file, seed, phase);
            assert_eq!(drawn, in_phase(&file, seed, phase));
            assert_eq!(drawn.streams[1].offset, file.streams[1].offset);
            let [a, _, c] = offsets(&drawn)[..] else {
                panic!("three streams");
            };
            assert_ne!(a, c, "seed {seed}, phase {phase}");
            assert!(!a.is_unknown() && a.or_zero() < Duration::from_millis(10));
            assert_eq!(a.or_zero().as_nanos() % 1_000, 0);
        }
    });
    for phase in 1..2_001 {
        let drawn = in_phase(&file, 0, phase).streams[0].offset.or_zero();
        quarters[(drawn.as_nanos() / 2_500_000) as usize] += 1;
    }
    // 500 each, give or take five standard deviations of 19.4.
    assert!(
        quarters.iter().all(|&of| (403..597).contains(&of)),
        "{quarters:?}"
    );
}

#[test]
fn two_streams_wait_for_each_other_at_the_critical_instant_alone() {
    let file = car();
    let worst = |phase| {
        report(&in_phase(&file, 1, phase), 1).streams[2]
            .worst_ms
            .unwrap()
    };
    let critical = worst(0);
    // A frame of 8 zero bytes at 500 kbit/s takes over 0.2 ms; the second waits for the first.
    assert!(critical > 0.4, "{critical}");
    let drawn: Vec<f64> = (1..9).map(worst).collect();
    assert!(drawn.iter().all(|worst| *worst <= critical), "{drawn:?}");
    assert!(drawn.iter().any(|worst| *worst < 0.3), "{drawn:?}");
}

#[test]
fn vehicle_without_random_choices_runs_alike_with_every_seed() {
    let folder = waywarden_testkit::workspace().join("examples");
    let mut unmoved = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let is_toml = entry.path().extension().is_some_and(|end| end == "toml");
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        let parsed = VehicleFile::parse("car.toml", &text);
        let Some(mut file) = parsed.ok().filter(|_| is_toml) else {
            continue;
        };
        if file.is_random() || needed(&file).next().is_some() {
            continue;
        }
        unmoved += 1;
        file.duration = file.duration.min(Duration::from_millis(500));
        let figures = |seed| {
            let mut report = report(&file, seed);
            report.seed = 0;
            serde_json::to_string(&report).unwrap()
        };
        assert_eq!(figures(1), figures(2), "{}", entry.path().display());
    }
    assert!(unmoved > 0);
    assert!(!car().is_random());
    let text = CAR.replace("data = \"zero\"", "jitter = \"1ms\"");
    let jittered = VehicleFile::parse("car.toml", &text).unwrap();
    assert!(jittered.is_random());
    assert_ne!(
        report(&jittered, 1).start_up_ms,
        report(&jittered, 2).start_up_ms
    );
}
