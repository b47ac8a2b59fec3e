//! The clock of a receiver: when it is trusted, by known cases.

use std::time::Duration;

use waywarden_v2x_security::time::{LeapSeconds, from_unix};
use waywarden_v2x_time::clock::{Clock, ClockSettings};
use waywarden_v2x_time::{ClockEvent, Distrust, Fix, FixLoss, FixMode, Now, Reading};

/// 2026-03-01T00:00:00Z in microseconds since 1970.
pub(crate) const START: i64 = 1_772_323_200_000_000;

/// A table of leap seconds that expires at the end of 2030.
const RENEWED: &str = "\
#$ 3960835200\n#@ 4133894400\n
3124137600 32\n3345062400 33\n3439756800 34\n3550089600 35\n3644697600 36\n3692217600 37
#h 8636d16d b48a98e8 b0ea5b25 df96c8eb f229491a\n";

/// A clock, and the true time in milliseconds since `START`.
pub(crate) struct Drive {
    pub(crate) clock: Clock,
    pub(crate) start: i64,
    pub(crate) ms: i64,
    /// How far the system's clock is off, in microseconds.
    pub(crate) system_error: i64,
}

impl Drive {
    pub(crate) fn new(settings: ClockSettings) -> Self {
        let mut drive = Self {
            clock: Clock::new(settings, LeapSeconds::built_in()),
            start: START,
            ms: 0,
            system_error: 0,
        };
        drive.clock.handle_connection(true, drive.now());
        assert_eq!(drive.events(), [ClockEvent::Connected]);
        drive
    }

    /// One with a fix, 10 of them a second for a second.
    fn with_fix(settings: ClockSettings) -> Self {
        let mut drive = Self::new(settings);
        drive.fixes(10);
        assert_eq!(drive.events(), [ClockEvent::FixGained]);
        assert_eq!(drive.read().distrust, None);
        drive
    }

    pub(crate) fn now(&self) -> Now {
        Now {
            // Any beginning will do.
            monotonic: Duration::from_millis(77_000 + self.ms as u64),
            system: self.start + self.ms * 1_000 + self.system_error,
        }
    }

    /// The fix that an honest receiver reports now: at rest.
    pub(crate) fn fix(&self) -> Fix {
        Fix {
            mode: FixMode::ThreeD,
            unix: Some(self.start + self.ms * 1_000),
            latitude: Some(48.1),
            longitude: Some(11.5),
            altitude: Some(592.34),
            track: Some(359.999),
            speed: Some(11.524),
            accuracy: Some(5.0),
        }
    }

    pub(crate) fn handle(&mut self, fix: Fix) {
        self.clock.handle_fix(&fix, self.now());
    }

    /// So many fixes, changed in the same way, 100 ms apart.
    fn changed_fixes(&mut self, count: u32, change: impl Fn(&mut Fix)) {
        for _ in 0..count {
            self.ms += 100;
            let mut fix = self.fix();
            change(&mut fix);
            self.handle(fix);
        }
    }

    fn fixes(&mut self, count: u32) {
        self.changed_fixes(count, |_| ());
    }

    pub(crate) fn read(&mut self) -> Reading {
        self.clock.read(self.now())
    }

    pub(crate) fn events(&mut self) -> Vec<ClockEvent> {
        std::iter::from_fn(|| self.clock.next_event()).collect()
    }

    /// By how many microseconds a reading is later than the truth.
    pub(crate) fn error(&self, reading: &Reading) -> i64 {
        let truth = from_unix(self.start + self.ms * 1_000).unwrap();
        reading.time.0 as i64 - truth.0 as i64
    }
}

#[test]
fn nothing_is_trusted_before_the_first_fix() {
    let settings = ClockSettings::default();
    let mut drive = Drive::new(settings);
    let reading = drive.read();
    assert_eq!(
        (reading.distrust, reading.position),
        (Some(Distrust::NoFix), None)
    );
    assert_eq!(
        drive.error(&reading),
        0,
        "the time is that of the system's clock"
    );
    drive.changed_fixes(1, |fix| fix.mode = FixMode::None);
    drive.changed_fixes(1, |fix| fix.unix = None);
    drive.changed_fixes(1, |fix| fix.longitude = Some(f64::NAN));
    assert_eq!(drive.read().distrust, Some(Distrust::NoFix));
    drive.clock.handle_connection(false, drive.now());
    assert_eq!(drive.read().distrust, Some(Distrust::NotConnected));
    assert_eq!(drive.events(), [ClockEvent::Disconnected]);
}

#[test]
fn a_fix_gives_the_time_and_the_position() {
    let mut drive = Drive::with_fix(ClockSettings::default());
    drive.ms += 70;
    let reading = drive.read();
    assert_eq!(drive.error(&reading), 0, "time advances between fixes");
    let position = reading.position.unwrap();
    let location = position.location;
    assert_eq!(
        (
            location.latitude.0,
            location.longitude.0,
            location.elevation.decimetres()
        ),
        (481_000_000, 115_000_000, 5_923)
    );
    assert_eq!((position.heading, position.speed), (Some(0), Some(1_152)));
    // At rest the track is noise, and two dimensions keep the altitude.
    drive.changed_fixes(1, |fix| {
        (fix.mode, fix.altitude, fix.speed) = (FixMode::TwoD, None, Some(0.1));
        (fix.latitude, fix.longitude) = (Some(48.1), Some(11.5));
    });
    let position = drive.read().position.unwrap();
    assert_eq!((position.heading, position.speed), (None, Some(10)));
    assert_eq!(position.location.elevation.decimetres(), 5_923);
}

#[test]
fn a_lost_and_an_old_fix_are_not_trusted() {
    let mut drive = Drive::with_fix(ClockSettings::default());
    drive.changed_fixes(1, |fix| fix.mode = FixMode::None);
    assert_eq!(drive.read().distrust, Some(Distrust::NoFix));
    drive.fixes(1);
    assert_eq!(drive.read().distrust, None);
    drive.ms += 2_000;
    assert_eq!(drive.read().distrust, None);
    drive.ms += 1;
    let reading = drive.read();
    assert_eq!(
        (reading.distrust, reading.position),
        (Some(Distrust::StaleFix), None)
    );
    assert_eq!(drive.error(&reading), 0, "the best guess goes on");
    drive.fixes(1);
    assert_eq!(drive.read().distrust, None);
    let lost = |why| ClockEvent::FixLost(why);
    let gained = ClockEvent::FixGained;
    let expected = [lost(FixLoss::NoFix), gained, lost(FixLoss::Stale), gained];
    assert_eq!(drive.events(), expected);
}

#[test]
fn a_lost_connection_is_bridged_until_the_fix_is_too_old() {
    let mut drive = Drive::with_fix(ClockSettings::default());
    drive.clock.handle_connection(false, drive.now());
    drive.ms += 1_500;
    assert_eq!(drive.read().distrust, None);
    drive.ms += 600;
    assert_eq!(drive.read().distrust, Some(Distrust::NotConnected));
}

#[test]
fn a_jump_of_the_position_is_distrusted_until_ten_fixes_agree() {
    let mut drive = Drive::with_fix(ClockSettings::default());
    // 0.001 degrees north are 111 m; 10 m by speed, 10 m of margin and twice 5 m are allowed.
    drive.changed_fixes(1, |fix| fix.latitude = Some(48.101));
    let [ClockEvent::PositionJump { moved, allowed }] = drive.events()[..] else {
        panic!("no jump");
    };
    assert!((moved - 111.2).abs() < 0.5, "{moved}");
    assert!((allowed - 30.0).abs() < 0.01, "{allowed}");
    let reading = drive.read();
    assert_eq!(
        (reading.distrust, reading.position),
        (Some(Distrust::Jump), None)
    );
    drive.changed_fixes(9, |fix| fix.latitude = Some(48.101));
    assert_eq!(drive.read().distrust, Some(Distrust::Jump));
    // One that disagrees begins the count again, and is not reported again.
    drive.fixes(10);
    assert_eq!(drive.read().distrust, Some(Distrust::Jump));
    drive.fixes(1);
    assert_eq!(drive.read().distrust, None);
    assert_eq!(drive.events(), [ClockEvent::Recovered]);
}

#[test]
fn a_position_within_reach_of_the_speed_is_no_jump() {
    let mut drive = Drive::with_fix(ClockSettings::default());
    // After a tunnel of 10 s: 1,000 m and 20 m.
    drive.ms += 9_900;
    drive.changed_fixes(1, |fix| fix.latitude = Some(48.109));
    assert_eq!(drive.read().distrust, None);
    drive.ms += 9_900;
    drive.changed_fixes(1, |fix| fix.latitude = Some(48.1));
    drive.events();
    // An error that the receiver claims hides at most 100 m.
    drive.changed_fixes(1, |fix| {
        (fix.latitude, fix.accuracy) = (Some(48.102), Some(1e9));
    });
    assert_eq!(drive.read().distrust, Some(Distrust::Jump));
}

#[test]
fn the_date_line_is_no_jump() {
    let mut drive = Drive::new(ClockSettings::default());
    drive.changed_fixes(1, |fix| fix.longitude = Some(179.999_99));
    drive.changed_fixes(1, |fix| fix.longitude = Some(-180.0));
    let reading = drive.read();
    assert_eq!(reading.distrust, None);
    assert_eq!(
        reading.position.unwrap().location.longitude.0,
        1_800_000_000
    );
}

#[test]
fn a_jump_of_the_time_is_distrusted_and_never_goes_back() {
    let ahead = 3_600_000_000;
    let mut drive = Drive::with_fix(ClockSettings::default());
    let late = |fix: &mut Fix| fix.unix = fix.unix.map(|unix| unix + ahead);
    drive.changed_fixes(1, late);
    assert_eq!(drive.events(), [ClockEvent::TimeJump { by: ahead }]);
    let reading = drive.read();
    assert_eq!(reading.distrust, Some(Distrust::Jump));
    assert_eq!(
        drive.error(&reading),
        0,
        "the guess is that of before the jump"
    );
    // Who insists is believed, and the way back is longer.
    drive.changed_fixes(10, late);
    assert_eq!(drive.read().distrust, None);
    let events = drive.events();
    assert_eq!(events[0], ClockEvent::Recovered);
    assert!(matches!(events[1], ClockEvent::SystemClockDiffers { by } if by == ahead));
    drive.fixes(30);
    let reading = drive.read();
    assert_eq!(
        (reading.distrust, drive.error(&reading)),
        (Some(Distrust::Jump), 0)
    );
    let names: Vec<&str> = drive.events().iter().map(ClockEvent::name).collect();
    assert_eq!(
        names,
        ["timeJump", "recovered", "systemClockAgrees", "timeBehind"]
    );
    // An hour later it has caught up.
    for _ in 0..3_600 {
        drive.ms += 900;
        drive.fixes(1);
    }
    assert_eq!(drive.read().distrust, None);
    assert_eq!(drive.events(), [ClockEvent::Recovered]);
}

#[test]
fn small_steps_back_make_the_time_stand_still() {
    let mut drive = Drive::with_fix(ClockSettings::default());
    let before = drive.read().time;
    drive.changed_fixes(1, |fix| fix.unix = fix.unix.map(|unix| unix - 150_000));
    // The fix claims 50 ms less than the one before: it is older, and is not taken.
    assert_eq!(drive.read().time.0, before.0 + 100_000);
    drive.changed_fixes(1, |fix| fix.unix = fix.unix.map(|unix| unix - 150_000));
    let reading = drive.read();
    assert_eq!(
        (reading.distrust, reading.time.0),
        (None, before.0 + 100_000)
    );
    drive.ms += 60;
    assert_eq!(drive.read().time.0, before.0 + 110_000);
}

#[test]
fn a_receiver_that_repeats_itself_is_found_out() {
    let mut drive = Drive::with_fix(ClockSettings::default());
    let frozen = drive.fix();
    for _ in 0..2 {
        drive.ms += 100;
        drive.handle(frozen);
    }
    assert_eq!((drive.read().distrust, drive.events().len()), (None, 0));
    drive.ms += 100;
    drive.handle(frozen);
    assert_eq!(drive.read().distrust, Some(Distrust::Jump));
}

#[test]
fn a_difference_to_the_systems_clock_is_reported_and_distrusted_if_asked() {
    for require in [false, true] {
        let mut drive = Drive::with_fix(ClockSettings {
            require_system_agreement: require,
            ..ClockSettings::default()
        });
        drive.system_error = -6_000_000;
        drive.fixes(3);
        let reading = drive.read();
        assert_eq!(
            reading.distrust,
            require.then_some(Distrust::SystemClockDiffers)
        );
        assert!(reading.position.is_some());
        let stepped = ClockEvent::SystemClockStepped { by: -6_000_000 };
        let differs = ClockEvent::SystemClockDiffers { by: 6_000_000 };
        assert_eq!(drive.events(), [stepped, differs]);
        drive.system_error = 0;
        drive.fixes(3);
        assert_eq!(drive.read().distrust, None);
        let stepped = ClockEvent::SystemClockStepped { by: 6_000_000 };
        assert_eq!(drive.events(), [stepped, ClockEvent::SystemClockAgrees]);
    }
    let mut drive = Drive::with_fix(ClockSettings {
        max_system_difference: Some(Duration::ZERO),
        require_system_agreement: true,
        ..ClockSettings::default()
    });
    drive.system_error = 9_000_000;
    assert_eq!(drive.read().distrust, None);
}

#[test]
fn an_expired_table_of_leap_seconds_is_reported_and_distrusted_if_asked() {
    for require_leap_seconds in [false, true] {
        let mut drive = Drive::new(ClockSettings {
            require_leap_seconds,
            ..ClockSettings::default()
        });
        drive.start = LeapSeconds::built_in().expiry() * 1_000_000 - 1_000_000;
        drive.clock = Clock::new(
            ClockSettings {
                require_leap_seconds,
                ..ClockSettings::default()
            },
            LeapSeconds::built_in(),
        );
        drive.fixes(9);
        assert_eq!(drive.read().distrust, None);
        assert_eq!(drive.events(), [ClockEvent::FixGained]);
        drive.fixes(1);
        let expected = require_leap_seconds.then_some(Distrust::LeapSecondsExpired);
        assert_eq!(drive.read().distrust, expected);
        assert_eq!(drive.events(), [ClockEvent::LeapSecondsExpired]);
        // A table of tomorrow renews it.
        let new = LeapSeconds::parse(RENEWED.as_bytes()).unwrap();
        drive.clock.set_leap_seconds(new);
        assert_eq!(drive.read().distrust, None);
        assert_eq!(drive.events(), [ClockEvent::LeapSecondsRenewed]);
    }
}

#[test]
fn time_goes_on_through_a_leap_second() {
    // gpsd counts since 1970 and repeats the second after the leap; the system's clock repeats the
    // one before it.
    let leap = 1_483_228_800_000_000;
    let mut drive = Drive::new(ClockSettings::default());
    let first = from_unix(leap).unwrap().0 - 1_000_000;
    for ms in (-2_000..3_000_i64).step_by(100) {
        let (gpsd, system) = match ms {
            ..0 => (ms, ms),
            0..1_000 => (ms, ms - 1_000),
            1_000.. => (ms - 1_000, ms - 1_000),
        };
        drive.ms += 100;
        drive.start = leap + system * 1_000 - drive.ms * 1_000;
        let mut fix = drive.fix();
        fix.unix = Some(leap + gpsd * 1_000);
        drive.handle(fix);
        let reading = drive.read();
        assert_eq!(reading.distrust, None, "{ms}");
        assert_eq!(reading.time.0 as i64, first as i64 + ms * 1_000, "{ms}");
    }
    let names: Vec<&str> = drive.events().iter().map(ClockEvent::name).collect();
    assert!(names.contains(&"fixGained"));
    assert!(
        !names.contains(&"timeJump") && !names.contains(&"systemClockDiffers"),
        "{names:?}"
    );
}

#[test]
fn events_that_are_not_taken_are_counted() {
    let mut drive = Drive::with_fix(ClockSettings::default());
    for _ in 0..50 {
        drive.changed_fixes(1, |fix| fix.mode = FixMode::None);
        drive.fixes(1);
    }
    let events = drive.events();
    assert_eq!(
        (events.len(), events.last()),
        (65, Some(&ClockEvent::Missed(36)))
    );
}
