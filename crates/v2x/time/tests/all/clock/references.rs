//! The system's clock and the table of leap seconds, with which the receiver's time is compared.

use std::time::Duration;

use waywarden_v2x_security::time::{LeapSeconds, from_unix};
use waywarden_v2x_time::clock::{Clock, ClockSettings};
use waywarden_v2x_time::{ClockEvent, LeapSecondFault, UntrustedTime};

use super::Drive;

/// A table of leap seconds that expires at the end of 2030.
const RENEWED: &str = "\
#$ 3960835200\n#@ 4133894400\n
3124137600 32\n3345062400 33\n3439756800 34\n3550089600 35\n3644697600 36\n3692217600 37
#h 8636d16d b48a98e8 b0ea5b25 df96c8eb f229491a\n";

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
            require.then_some(UntrustedTime::SystemClockDiffers)
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
        let expected = require_leap_seconds.then_some(UntrustedTime::LeapSecondsExpired);
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

/// Whole leap seconds are a fault of their own, also below the bound for other differences, and
/// both are reasons against a time that is used nevertheless.
#[test]
fn time_that_is_leap_seconds_off_is_reported_with_the_likely_cause() {
    use LeapSecondFault::{SourceIsGpsTime, SystemIsTai, TableOutdated};
    for (by, fault, doubt) in [
        (
            18_000_000,
            SourceIsGpsTime,
            UntrustedTime::SystemClockDiffers,
        ),
        (-37_000_000, SystemIsTai, UntrustedTime::SystemClockDiffers),
        (1_000_000, TableOutdated, UntrustedTime::LeapSecondsDiffer),
        (-1_800_000, TableOutdated, UntrustedTime::LeapSecondsDiffer),
    ] {
        let mut drive = Drive::with_fix(ClockSettings::default());
        assert_eq!(drive.clock.doubt(), None);
        drive.system_error = -by;
        drive.fixes(3);
        assert_eq!(drive.read().distrust, None, "it is used");
        assert_eq!(drive.clock.doubt(), Some(doubt), "{by}");
        let events = drive.events();
        let differs = ClockEvent::LeapSecondsDiffer { by, fault };
        assert_eq!(events.last(), Some(&differs), "{events:?}");
        let is_far = doubt == UntrustedTime::SystemClockDiffers;
        assert_eq!(events.len(), if is_far { 3 } else { 2 }, "{events:?}");
        drive.system_error = 0;
        drive.fixes(3);
        assert_eq!(drive.clock.doubt(), None);
        assert!(drive.events().contains(&ClockEvent::LeapSecondsAgree));
    }
}
