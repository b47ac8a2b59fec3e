//! Fixes that make the time and the position trusted, and fixes that are too old.

use waywarden_v2x_time::clock::ClockSettings;
use waywarden_v2x_time::{ClockEvent, FixLoss, FixMode, UntrustedTime};

use super::Drive;

#[test]
fn nothing_is_trusted_before_the_first_fix() {
    let settings = ClockSettings::default();
    let mut drive = Drive::new(settings);
    let reading = drive.read();
    assert_eq!(
        (reading.distrust, reading.position),
        (Some(UntrustedTime::NoFix), None)
    );
    assert_eq!(
        drive.error(&reading),
        0,
        "the time is that of the system's clock"
    );
    drive.changed_fixes(1, |fix| fix.mode = FixMode::None);
    drive.changed_fixes(1, |fix| fix.unix = None);
    drive.changed_fixes(1, |fix| fix.longitude = Some(f64::NAN));
    assert_eq!(drive.read().distrust, Some(UntrustedTime::NoFix));
    drive.clock.handle_connection(false, drive.now());
    assert_eq!(drive.read().distrust, Some(UntrustedTime::NotConnected));
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
        // 11.524 m/s for 70 ms are 0.807 m to the north.
        (481_000_073, 115_000_000, 5_923)
    );
    assert_eq!((position.heading, position.speed), (Some(0), Some(1_152)));
    drive.changed_fixes(1, |_| ());
    let location = drive.read().position.unwrap().location;
    assert_eq!(location.latitude.0, 481_000_000);
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
    assert_eq!(drive.read().distrust, Some(UntrustedTime::NoFix));
    drive.fixes(1);
    assert_eq!(drive.read().distrust, None);
    drive.ms += 2_000;
    assert_eq!(drive.read().distrust, None);
    drive.ms += 1;
    let reading = drive.read();
    assert_eq!(
        (reading.distrust, reading.position),
        (Some(UntrustedTime::StaleFix), None)
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
    assert_eq!(drive.read().distrust, Some(UntrustedTime::NotConnected));
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
