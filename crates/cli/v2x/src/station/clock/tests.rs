//! Stations whose position comes from gpsd, in virtual time: the rules of CAMs are kept between
//! fixes, and what CAMs say is where the vehicle is.

use std::sync::{Arc, Mutex};

use waywarden_testkit_v2x::drive::{DriveTruth, Path, START, TestDrive, at};
use waywarden_v2x_neighbourhood::virtual_time::{PlacedStation, run};
use waywarden_v2x_neighbourhood::{
    CertificateForm, CertificateUse, InProcess, Laboratory, NeighbourhoodEvent, NotSentCause,
    Participant, ParticipantSettings, Tickets,
};
use waywarden_v2x_schedule::{Bounds, Policy};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_security::region::distance;
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_signing::Seed;
use waywarden_v2x_station::content::MessageContent;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_station::{MessageService, Station, StationSettings, StationTask, VehicleType};
use waywarden_v2x_time::TimeReading;
use waywarden_v2x_time::clock::ClockSettings;

use super::*;

const STEP_US: i64 = 10_000;
const STRAIGHT: Path = Path::Straight {
    speed: 20.0,
    bearing: 70.0,
};
const CIRCLE: Path = Path::Circle {
    speed: 12.0,
    radius: 40.0,
};

/// A gpsd whose receiver has so many fixes a second, which arrive late by turns, but for a silence.
struct FakeGpsd {
    drive: Mutex<TestDrive>,
    period_us: i64,
    late_us: fn(i64) -> i64,
    silent: std::ops::Range<i64>,
}

impl TimeSource for FakeGpsd {
    fn read(&self) -> TimeReading {
        self.drive.lock().unwrap().read()
    }
}

impl FakeGpsd {
    fn new(path: Path, per_second: i64) -> Self {
        let drive = TestDrive::new(path, at(48.1, 11.5), ClockSettings::default());
        Self {
            drive: Mutex::new(drive),
            period_us: 1_000_000 / per_second,
            late_us: |_| 0,
            silent: 0..0,
        }
    }

    /// Goes on to a moment, and hands over the fixes that arrive until then.
    fn advance(&self, to: i64) {
        let mut drive = self.drive.lock().unwrap();
        let from = drive.us;
        let first = (from / self.period_us - 1).max(0);
        for number in first..=to / self.period_us {
            let measured = number * self.period_us;
            let arrival = measured + (self.late_us)(number);
            let is_due = arrival <= to && (arrival > from || to == 0);
            if is_due && !self.silent.contains(&measured) {
                drive.us = arrival;
                let fix = drive.fix(measured);
                drive.handle(&fix);
            }
        }
        drive.us = to;
    }
}

/// A station's view of the drive as time goes on.
struct OnDrive {
    gpsd: Arc<FakeGpsd>,
    position: FromGpsd,
}

impl OnDrive {
    fn new(gpsd: FakeGpsd) -> Self {
        let gpsd = Arc::new(gpsd);
        Self {
            position: FromGpsd(Arc::<FakeGpsd>::clone(&gpsd) as _),
            gpsd,
        }
    }
}

impl PositionAndTime for OnDrive {
    fn read(&mut self, elapsed: Duration) -> Option<StationFix> {
        self.gpsd.advance(elapsed.as_micros() as i64);
        self.position.read(elapsed)
    }
}

fn settings() -> StationSettings {
    StationSettings {
        vehicle: VehicleType::CAR,
        service: MessageService::CamOverGeoNetworking,
        change: ChangeRules::ON_DEMAND,
    }
}

/// CAMs of a drive: how many a second, and how far their places are from the truth, in metres.
#[derive(Debug)]
struct Measured {
    per_second: f64,
    median_m: f64,
    largest_m: f64,
}

/// True if a vehicle has moved so much that a CAM is due, by the truth: a little more than the
/// rules say, as messages have tenths of degrees.
fn is_due(now: &DriveTruth, last: &DriveTruth) -> bool {
    let turned = (now.heading - last.heading + 180.0).rem_euclid(360.0) - 180.0;
    distance(&now.place, &last.place) > 4.1 || turned.abs() > 4.2
}

/// Drives for 30 s and checks each step against the rules.
fn drive(gpsd: FakeGpsd) -> Measured {
    let epoch = from_unix(START).unwrap();
    let mut position = OnDrive::new(gpsd);
    let mut station = Station::new(settings(), epoch, &Seed::new([7; 32]));
    let (mut last, mut errors): (Option<(u64, DriveTruth)>, Vec<f64>) = (None, Vec::new());
    const SECONDS: i64 = 30;
    for us in (0..SECONDS * 1_000_000).step_by(STEP_US as usize) {
        let fix = position.read(Duration::from_micros(us as u64)).unwrap();
        let Some(motion) = fix.motion.filter(|_| fix.distrust.is_none()) else {
            continue;
        };
        assert_eq!(motion.time, fix.time);
        let truth = |time: Time64| {
            let drive = position.gpsd.drive.lock().unwrap();
            drive.truth(time.0 as i64 - epoch.0 as i64)
        };
        let Some(StationTask::Message(message)) = station.poll(&motion, fix.time).unwrap() else {
            if let Some((sent, then)) = &last {
                let elapsed = fix.time.0 - sent;
                assert!(elapsed < 1_000_000, "{us}: none for a second");
                let is_late = elapsed >= 100_000 && is_due(&truth(fix.time), then);
                // From the second fix on the turn is known.
                let is_known = us > 2 * position.gpsd.period_us;
                assert!(!is_late || !is_known, "{us}: a CAM is due for {elapsed} us");
            }
            continue;
        };
        if let Some((sent, _)) = &last {
            assert!(fix.time.0 - sent >= 100_000, "{us}: too soon");
        }
        let now = truth(fix.time);
        let place = MessageContent::of(message.psid, &message.payload)
            .place
            .unwrap();
        errors.push(distance(&place, &now.place));
        last = Some((fix.time.0, now));
    }
    errors.sort_by(f64::total_cmp);
    Measured {
        per_second: errors.len() as f64 / SECONDS as f64,
        median_m: errors[errors.len() / 2],
        largest_m: errors.last().copied().unwrap(),
    }
}

#[test]
fn cams_keep_their_rules_and_say_the_place_of_their_time_at_each_rate_of_fixes() {
    println!("| fixes a second | path | CAMs a second | median error (m) | largest error (m) |");
    println!("|---|---|---|---|---|");
    let paths = [
        ("straight, 20 m/s", STRAIGHT),
        ("circle of 40 m, 12 m/s", CIRCLE),
    ];
    for (name, path) in paths {
        for rate in [1, 5, 10] {
            let found = drive(FakeGpsd::new(path, rate));
            println!(
                "| {rate} | {name} | {:.2} | {:.3} | {:.3} |",
                found.per_second, found.median_m, found.largest_m
            );
            // 4 m at 20 m/s are 200 ms, and the step after it; 4 degrees at 17.2 a second are 233.
            let expected = if path_is_straight(path) { 4.76 } else { 4.0 };
            let off = (found.per_second - expected).abs();
            assert!(off < 0.3, "{name}, {rate} Hz: {found:?}");
            // Before the second fix the turn is not known: at 1 Hz that is the first second.
            let bound = match (path_is_straight(path), rate) {
                (true, _) => 0.5,
                (false, 1) => 2.0,
                (false, _) => 0.5,
            };
            assert!(found.largest_m < bound, "{name}, {rate} Hz: {found:?}");
            assert!(found.median_m < 0.1, "{name}, {rate} Hz: {found:?}");
        }
    }
}

fn path_is_straight(path: Path) -> bool {
    matches!(path, Path::Straight { .. })
}

#[test]
fn fixes_that_are_late_by_turns_leave_the_places_of_cams_right() {
    for rate in [1, 5, 10] {
        let gpsd = FakeGpsd {
            // 0 to 90 ms.
            late_us: |number| number * 7 % 10 * 10_000,
            ..FakeGpsd::new(STRAIGHT, rate)
        };
        let found = drive(gpsd);
        assert!(found.largest_m < 0.5, "{rate} Hz: {found:?}");
        assert!(found.per_second > 4.0, "{rate} Hz: {found:?}");
    }
}

/// A station of the laboratory, with its events.
fn events(gpsd: FakeGpsd, seconds: u64) -> Vec<(i64, NeighbourhoodEvent)> {
    let epoch = from_unix(START).unwrap();
    let laboratory = Arc::new(Mutex::new(Laboratory::new(7, 1, [3; 32]).unwrap()));
    let tickets = Tickets::new(&laboratory, 0, CertificateForm::Explicit);
    let verifier = Verifier::default();
    let security = InProcess::new(
        CertificateUse::DirectSender,
        Box::new(tickets),
        verifier,
        epoch,
        [4; 32],
    );
    let settings = ParticipantSettings {
        station: settings(),
        policy: Policy::FIFO,
        bounds: Bounds::DEFAULT,
        is_listening: false,
    };
    let actor = Participant::new(settings, Box::new(security.unwrap()), epoch, [5; 32]);
    let mut places = [PlacedStation {
        actor: Box::new(actor),
        position: Box::new(OnDrive::new(gpsd)),
    }];
    let mut events = Vec::new();
    run(&mut places, Duration::from_secs(seconds), &mut |happened| {
        events.push((happened.now.elapsed.as_micros() as i64, happened.event));
    });
    events
}

#[test]
fn station_whose_gpsd_falls_silent_says_once_why_it_sends_nothing_and_goes_on_after_it() {
    let gpsd = FakeGpsd {
        silent: 5_100_000..20_000_000,
        ..FakeGpsd::new(STRAIGHT, 10)
    };
    let events = events(gpsd, 25);
    let sent = events
        .iter()
        .filter(|(_, event)| matches!(event, NeighbourhoodEvent::Sent { .. }));
    let sent: Vec<i64> = sent.map(|(at, _)| *at).collect();
    // The last fix is of 5.0 s.
    let is_in_gap = |at: &&i64| (6_500_001..20_000_000).contains(*at);
    assert_eq!(sent.iter().find(is_in_gap), None);
    assert!(sent.iter().any(|at| (6_200_000..6_500_001).contains(at)));
    assert!(sent.iter().any(|at| (20_000_000..20_500_000).contains(at)));
    let of_causes = events.iter().filter_map(|(at, event)| match event {
        NeighbourhoodEvent::Impaired(cause) => Some((*at, cause, true)),
        NeighbourhoodEvent::Recovered(cause) => Some((*at, cause, false)),
        _ => None,
    });
    let of_causes: Vec<_> = of_causes.filter(|(at, ..)| *at > 1_000_000).collect();
    let [(impaired, why, true), (recovered, over, false)] = &of_causes[..] else {
        panic!("{of_causes:?}");
    };
    assert!((6_500_001..6_520_000).contains(impaired), "{impaired}");
    assert!((20_000_000..20_020_000).contains(recovered), "{recovered}");
    assert_eq!(why, over);
    assert!(matches!(why, NotSentCause::StalePosition(_)), "{why:?}");
    assert!(
        why.to_string().contains("the last position is 1.5 s old"),
        "{why}"
    );
}
