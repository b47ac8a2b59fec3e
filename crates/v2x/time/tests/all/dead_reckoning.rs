//! Positions between fixes: where a vehicle is at the time of a reading, and how sure that is.

use waywarden_testkit::{Random, each_seed};
use waywarden_testkit_v2x::drive::{Path, TestDrive, at};
use waywarden_v2x_security::region::ErrorEllipse;
use waywarden_v2x_time::clock::ClockSettings;
use waywarden_v2x_time::{FixMode, ReceiverFix, StationPosition, TimeReading, UntrustedTime};

const STRAIGHT: Path = Path::Straight {
    speed: 20.0,
    bearing: 70.0,
};
const CIRCLE: Path = Path::Circle {
    speed: 10.0,
    radius: 30.0,
};

/// A change to a fix: something left out, or made up.
type Change = fn(&mut ReceiverFix);

fn drive(path: Path) -> TestDrive {
    TestDrive::new(path, at(48.1, 11.5), ClockSettings::default())
}

/// Drives for some seconds with so many fixes a second, which arrive at once, and reads each
/// 10 ms. Returns the errors of the places in metres.
fn errors(drive: &mut TestDrive, per_second: i64, seconds: i64) -> Vec<f64> {
    let mut errors = Vec::new();
    for us in (0..seconds * 1_000_000).step_by(10_000) {
        drive.us = us;
        if us % (1_000_000 / per_second) == 0 {
            let fix = drive.fix(us);
            drive.handle(&fix);
        }
        let reading = drive.read();
        assert_eq!(reading.distrust, None, "{us}");
        // Turns are known from the second fix on.
        if us >= 2_000_000 / per_second {
            errors.push(drive.error_m(&reading));
        }
    }
    errors
}

fn largest(errors: &[f64]) -> f64 {
    errors.iter().copied().fold(0.0, f64::max)
}

fn position(reading: &TimeReading) -> StationPosition {
    reading.position.expect("a position")
}

#[test]
fn position_between_fixes_is_that_of_the_time_of_the_reading() {
    for per_second in [1, 5, 10] {
        let straight = largest(&errors(&mut drive(STRAIGHT), per_second, 20));
        assert!(straight < 0.05, "{per_second} Hz, straight: {straight} m");
        let circle = largest(&errors(&mut drive(CIRCLE), per_second, 20));
        assert!(circle < 0.1, "{per_second} Hz, circle: {circle} m");
    }
}

#[test]
fn speed_and_heading_go_on_and_a_braking_vehicle_comes_to_a_stand() {
    let mut drive = drive(CIRCLE);
    for us in (0..=3_000_000).step_by(200_000) {
        drive.us = us;
        let fix = drive.fix(us);
        drive.handle(&fix);
    }
    drive.us += 150_000;
    let found = position(&drive.read());
    let truth = drive.truth(drive.us);
    assert_eq!(found.heading, Some((truth.heading * 100.0).round() as u16));
    assert_eq!((found.speed, found.acceleration), (Some(1_000), Some(0)));
    // 10 m/s on 30 m to the right.
    assert_eq!(found.turn_rate, Some(-1_910));
    // From 10 m/s with 8 m/s² it stands after 1.25 s and 7.8 m.
    let mut drive = self::drive(STRAIGHT);
    for (us, speed) in [(0, 18.0), (1_000_000, 10.0)] {
        drive.us = us;
        let fix = ReceiverFix {
            speed: Some(speed),
            latitude: Some(48.1),
            longitude: Some(11.5),
            track: Some(0.0),
            ..drive.fix(us)
        };
        drive.handle(&fix);
    }
    drive.us += 1_500_000;
    let found = position(&drive.read());
    assert_eq!((found.speed, found.acceleration), (Some(0), Some(-800)));
    let north = found.location.latitude.0 - 481_000_000;
    // 6.25 m at 89.93 units a metre.
    assert!((north - 562).abs() <= 1, "{north}");
}

#[test]
fn errors_come_from_the_receiver_and_grow_with_the_age_of_its_fix() {
    let mut drive = drive(STRAIGHT);
    let fix = drive.fix(0);
    drive.handle(&fix);
    let at_once = position(&drive.read()).accuracy;
    let ellipse = ErrorEllipse {
        semi_major_cm: 250,
        semi_minor_cm: 150,
        orientation_decidegrees: 0,
    };
    assert_eq!(at_once.ellipse, Some(ellipse));
    let others = |one: StationPosition| {
        let accuracy = one.accuracy;
        (
            accuracy.elevation_cm,
            accuracy.speed_cm_s,
            accuracy.heading_decidegrees,
        )
    };
    assert_eq!(
        others(position(&drive.read())),
        (Some(400), Some(20), Some(10))
    );
    drive.us = 1_000_000;
    let later = position(&drive.read());
    // To a side: 20 m at 1 + 5 degrees are 2.09 m, and half of 1.5 m/s² are 0.75 m.
    let grown = later.accuracy.ellipse.unwrap();
    assert_eq!((grown.semi_major_cm, grown.semi_minor_cm), (535, 435));
    assert_eq!(others(later), (Some(600), Some(170), Some(60)));
    // Errors that a receiver leaves out or makes up are not known.
    let cases: [Change; 5] = [
        |fix| fix.errors = Default::default(),
        |fix| fix.errors.east = None,
        |fix| fix.errors.north = Some(f64::NAN),
        |fix| fix.errors.east = Some(-1.0),
        |fix| fix.errors.north = Some(f64::INFINITY),
    ];
    for change in cases {
        let mut drive = self::drive(STRAIGHT);
        let mut fix = drive.fix(0);
        change(&mut fix);
        drive.handle(&fix);
        // `eph` alone is an error to all sides.
        let ellipse = position(&drive.read()).accuracy.ellipse.unwrap();
        assert_eq!((ellipse.semi_major_cm, ellipse.semi_minor_cm), (300, 300));
        fix.accuracy = None;
        drive.handle(&fix);
        assert_eq!(position(&drive.read()).accuracy.ellipse, None);
    }
    let mut drive = self::drive(STRAIGHT);
    let flat = ReceiverFix {
        mode: FixMode::TwoD,
        ..drive.fix(0)
    };
    drive.handle(&flat);
    assert_eq!(position(&drive.read()).accuracy.elevation_cm, None);
}

#[test]
fn old_position_is_not_known_and_its_age_is_said_until_gpsd_is_back() {
    let mut drive = drive(STRAIGHT);
    let fix = drive.fix(0);
    drive.handle(&fix);
    drive.us = 1_500_000;
    let reading = drive.read();
    assert!(reading.position.is_some() && reading.stale_position.is_none());
    drive.us += 1;
    for (us, distrust) in [
        (1_500_001, None),
        (2_000_000, None),
        (2_000_001, Some(UntrustedTime::StaleFix)),
        (60_000_000, Some(UntrustedTime::StaleFix)),
    ] {
        drive.us = us;
        let reading = drive.read();
        assert_eq!((reading.position, reading.distrust), (None, distrust));
        let age = reading.stale_position.unwrap();
        assert_eq!(age.as_micros(), us as u128);
    }
    drive.us = 70_000_000;
    let fix = drive.fix(drive.us);
    drive.handle(&fix);
    drive.us += 40_000;
    let reading = drive.read();
    assert_eq!((reading.distrust, reading.stale_position), (None, None));
    assert!(drive.error_m(&reading) < 0.05);
    // Fixes of before the silence say nothing of the turn.
    assert_eq!(position(&reading).turn_rate, None);
    // A receiver that has lost its fix is no old position.
    let none = ReceiverFix {
        mode: FixMode::None,
        ..ReceiverFix::default()
    };
    drive.handle(&none);
    drive.us += 5_000_000;
    let reading = drive.read();
    assert_eq!(reading.stale_position, None);
    assert_eq!(reading.distrust, Some(UntrustedTime::NoFix));
}

#[test]
fn missing_speed_and_course_follow_from_two_fixes_and_before_them_nothing_does() {
    let cases: [(&str, Change); 4] = [
        ("speed", |fix| fix.speed = None),
        ("speed of no vehicle", |fix| fix.speed = Some(101.0)),
        ("course", |fix| fix.track = None),
        ("both", |fix| (fix.speed, fix.track) = (None, None)),
    ];
    for (name, change) in cases {
        let mut drive = drive(STRAIGHT);
        let handle = |drive: &mut TestDrive, us| {
            drive.us = us;
            let mut fix = drive.fix(us);
            change(&mut fix);
            drive.handle(&fix);
        };
        handle(&mut drive, 0);
        let reading = drive.read();
        assert_eq!((reading.distrust, reading.position), (None, None), "{name}");
        handle(&mut drive, 1_000_000);
        drive.us += 900_000;
        let reading = drive.read();
        let error = drive.error_m(&reading);
        assert!(error < 0.1, "{name}: {error} m");
        // The message does not say what the receiver does not.
        let found = position(&reading);
        assert_eq!(found.speed.is_some(), name == "course", "{name}");
        let is_sure = found.accuracy.speed_cm_s.is_some();
        assert_eq!(is_sure, name == "course", "{name}");
    }
}

#[test]
fn what_was_before_a_jump_is_not_compared_with_what_is_after_it() {
    let mut drive = drive(STRAIGHT);
    let mut largest = 0.0_f64;
    for us in (0..6_000_000).step_by(100_000) {
        if us == 3_000_000 {
            // A spoofer, for good, a kilometre away.
            drive.begin = at(48.11, 11.5);
        }
        drive.us = us;
        let fix = ReceiverFix {
            speed: None,
            ..drive.fix(us)
        };
        drive.handle(&fix);
        drive.us += 90_000;
        let reading = drive.read();
        assert!(us < 4_200_000 || reading.position.is_some(), "{us}");
        if reading.position.is_some() {
            largest = largest.max(drive.error_m(&reading));
        }
    }
    assert!(largest < 0.1, "{largest} m");
}

#[test]
fn vehicle_at_rest_stays_where_it_is() {
    let mut drive = drive(Path::Straight {
        speed: 0.0,
        bearing: 0.0,
    });
    for us in (0..5_000_000).step_by(1_000_000) {
        drive.us = us;
        let fix = ReceiverFix {
            // Noise.
            track: Some(us as f64 / 20_000.0),
            speed: Some(0.3),
            ..drive.fix(us)
        };
        drive.handle(&fix);
        drive.us += 990_000;
        let reading = drive.read();
        assert!(drive.error_m(&reading) < 0.01);
        let found = position(&reading);
        assert_eq!((found.heading, found.speed), (None, Some(30)));
        assert_eq!(
            (found.turn_rate, found.accuracy.heading_decidegrees),
            (None, None)
        );
    }
}

#[test]
fn date_line_and_poles_are_driven_across() {
    for (name, begin, bearing) in [
        ("date line, east", at(-16.5, 179.999_5), 88.0),
        ("date line, west", at(65.0, -179.999_5), 275.0),
        ("north pole", at(89.999_3, 20.0), 1.0),
        ("south pole", at(-89.999_3, -120.0), 180.0),
    ] {
        let path = Path::Straight {
            speed: 30.0,
            bearing,
        };
        for per_second in [1, 10] {
            let mut drive = TestDrive::new(path, begin, ClockSettings::default());
            let error = largest(&errors(&mut drive, per_second, 10));
            // At a pole the course turns within a metre, as the circle around it is so short.
            let bound = if name.contains("pole") { 3.0 } else { 0.1 };
            assert!(error < bound, "{name}, {per_second} Hz: {error} m");
        }
    }
}

/// Fixes that are late by up to 150 ms, come twice, out of order, or a little from the future, and
/// some that never come.
fn disturbed(seed: u64) -> (bool, f64, usize) {
    let mut random = Random::new(seed);
    let is_straight = random.once_in(2);
    let mut drive = drive(if is_straight { STRAIGHT } else { CIRCLE });
    let period = [100_000, 200_000, 1_000_000][random.index(3)];
    let mut arrivals: Vec<(i64, ReceiverFix)> = Vec::new();
    for us in (0..20_000_000).step_by(period) {
        if random.once_in(20) {
            continue;
        }
        let mut fix = drive.fix(us);
        if random.once_in(20) {
            // A receiver whose clock is ahead of its place.
            fix.unix = fix.unix.map(|unix| unix + random.below(20_000) as i64);
        }
        let late = random.below(90_000) as i64;
        arrivals.push((us + late, fix));
        if random.once_in(10) {
            arrivals.push((us + late + random.below(90_000) as i64, fix));
        }
    }
    arrivals.sort_by_key(|(arrival, _)| *arrival);
    let mut arrivals = arrivals.into_iter().peekable();
    let (mut worst, mut count, mut latest) = (0.0_f64, 0, 0);
    for us in (0..20_000_000).step_by(10_000) {
        while let Some((arrival, fix)) = arrivals.next_if(|(arrival, _)| *arrival <= us) {
            drive.us = arrival;
            drive.handle(&fix);
        }
        drive.us = us;
        let reading = drive.read();
        let Some(position) = reading.position.filter(|_| reading.distrust.is_none()) else {
            continue;
        };
        if !is_straight && position.turn_rate.is_none() {
            continue;
        }
        assert!(reading.time.0 >= latest);
        latest = reading.time.0;
        worst = worst.max(drive.error_m(&reading));
        count += 1;
    }
    (is_straight, worst, count)
}

#[test]
fn disturbed_fixes_leave_places_right_for_the_time_that_is_said() {
    let found = each_seed(100, disturbed);
    let count: usize = found.iter().map(|(_, _, count)| count).sum();
    assert!(count > 100_000, "{count} readings");
    // 20 ms from the future at 20 m/s are 0.4 m; on the circle a turn is measured by two fixes.
    for (is_straight, bound) in [(true, 0.5), (false, 1.0)] {
        let those = found.iter().filter(|one| one.0 == is_straight);
        let worst = those.map(|(_, worst, _)| *worst).fold(0.0, f64::max);
        assert!(worst < bound, "straight: {is_straight}: {worst} m");
    }
}
