//! Jumps of the position and of the time, and receivers that repeat a fix.

use waywarden_v2x_time::clock::ClockSettings;
use waywarden_v2x_time::{ClockEvent, ReceiverFix, UntrustedTime};

use super::Drive;

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
        (Some(UntrustedTime::Jump), None)
    );
    drive.changed_fixes(9, |fix| fix.latitude = Some(48.101));
    assert_eq!(drive.read().distrust, Some(UntrustedTime::Jump));
    // One that disagrees begins the count again, and is not reported again.
    drive.fixes(10);
    assert_eq!(drive.read().distrust, Some(UntrustedTime::Jump));
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
    assert_eq!(drive.read().distrust, Some(UntrustedTime::Jump));
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
    let late = |fix: &mut ReceiverFix| fix.unix = fix.unix.map(|unix| unix + ahead);
    drive.changed_fixes(1, late);
    assert_eq!(drive.events(), [ClockEvent::TimeJump { by: ahead }]);
    let reading = drive.read();
    assert_eq!(reading.distrust, Some(UntrustedTime::Jump));
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
        (Some(UntrustedTime::Jump), 0)
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
    assert_eq!(drive.read().distrust, Some(UntrustedTime::Jump));
}
