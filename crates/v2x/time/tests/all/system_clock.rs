//! The system's clock as source of time.

use std::fs;
use std::time::Duration;

use waywarden_v2x_security::time::{LeapSeconds, from_unix};
use waywarden_v2x_time::system::{SystemClock, SystemMonitor, SystemSettings};
use waywarden_v2x_time::{ClockEvent, ClockReading, TimeReading, TimeSource, UntrustedTime};

use crate::clock::START;

struct Bench {
    monitor: SystemMonitor,
    events: Vec<ClockEvent>,
}

impl Bench {
    fn new() -> Self {
        let settings = SystemSettings::default();
        Self {
            monitor: SystemMonitor::new(settings, LeapSeconds::built_in()),
            events: Vec::new(),
        }
    }

    /// Reads when the monotonic clock shows `ms`, and the system's one as much later than `START`.
    fn read(&mut self, ms: i64, system_ms: i64) -> TimeReading {
        let now = ClockReading {
            monotonic: Duration::from_millis(ms as u64),
            system: START + system_ms * 1_000,
        };
        self.monitor.read(now, true, &mut self.events)
    }
}

#[test]
fn a_clock_set_back_is_not_trusted_until_it_has_caught_up() {
    let mut bench = Bench::new();
    assert_eq!(bench.read(0, 0).distrust, None);
    let latest = bench.read(1_000, 1_000);
    assert_eq!(latest.time, from_unix(START + 1_000_000).unwrap());
    // 30 ms back are bridged by a time that stands still.
    assert_eq!(bench.read(1_010, 980), latest);
    bench.events.clear();
    let reading = bench.read(1_100, -9_000);
    assert_eq!(reading.distrust, Some(UntrustedTime::Jump));
    assert_eq!(reading.time, from_unix(START - 9_000_000).unwrap());
    let names: Vec<&str> = bench.events.iter().map(ClockEvent::name).collect();
    assert_eq!(names, ["systemClockStepped", "timeBehind"]);
    bench.events.clear();
    assert_eq!(bench.read(11_040, 940).distrust, Some(UntrustedTime::Jump));
    assert_eq!(bench.read(11_060, 960).time, latest.time);
    assert_eq!(bench.read(11_160, 1_060).distrust, None);
    assert_eq!(bench.events, [ClockEvent::Recovered]);
}

#[test]
fn a_clock_set_forward_is_reported() {
    let mut bench = Bench::new();
    bench.read(0, 0);
    bench.events.clear();
    assert_eq!(bench.read(100, 5_100).distrust, None);
    assert_eq!(
        bench.events,
        [ClockEvent::SystemClockStepped { by: 5_000_000 }]
    );
}

#[test]
fn the_second_that_the_system_repeats_is_the_leap_second() {
    let leap = (1_483_228_800_000_000 - START) / 1_000;
    let first = from_unix(1_483_228_800_000_000).unwrap().0 as i64 - 1_000_000;
    let mut bench = Bench::new();
    for ms in (-2_000..3_000).step_by(10) {
        let system = if ms < 0 { ms } else { ms - 1_000 };
        let reading = bench.read(10_000 + ms, leap + system);
        assert_eq!(reading.distrust, None, "{ms}");
        assert_eq!(reading.time.0 as i64, first + ms * 1_000);
    }
    assert_eq!(bench.events, [ClockEvent::Synchronized]);
}

#[test]
fn a_clock_that_is_not_synchronised_is_not_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("synchronized");
    let settings = SystemSettings {
        synchronized_file: Some(file.clone()),
        ..SystemSettings::default()
    };
    let new = || SystemClock::new(settings.clone(), LeapSeconds::built_in(), |_| ());
    let reading = new().read();
    assert_eq!(reading.distrust, Some(UntrustedTime::NotSynchronized));
    fs::write(&file, "").unwrap();
    let clock = new();
    assert_eq!(clock.read().distrust, None);
    let (one, two) = (clock.read().time, clock.read().time);
    assert!(one <= two);
}
