//! The clock of a receiver with random disturbances: what is trusted is right, and never goes back.

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_time::clock::ClockSettings;
use waywarden_v2x_time::{FixMode, ReceiverFix, TimeReading};

use crate::clock::Drive;

/// Honest and small errors of the time in ms: up to 80 ms of delay, and 100 ms either way.
const DELAY: u64 = 80;
const SMALL: i64 = 100;

/// A spoofer for less than ten fixes, and the truth after it.
struct Spoofer {
    fixes_left: u64,
    time: i64,
    latitude: f64,
}

fn nonsense(random: &mut Random) -> f64 {
    let values = [
        f64::NAN,
        f64::INFINITY,
        -1e300,
        91.0,
        1e18,
        -0.0,
        f64::MIN_POSITIVE,
    ];
    values[random.index(values.len())]
}

/// A report that no receiver sends: without a place or a time on Earth.
fn broken(random: &mut Random, mut fix: ReceiverFix) -> ReceiverFix {
    match random.below(4) {
        0 => fix.unix = [None, Some(i64::MIN), Some(-1), Some(0)][random.index(4)],
        1 => fix.latitude = Some(1e9 + nonsense(random).abs()),
        2 => fix.longitude = None,
        _ => fix.mode = FixMode::None,
    }
    for field in [
        &mut fix.altitude,
        &mut fix.track,
        &mut fix.speed,
        &mut fix.accuracy,
    ] {
        *field = Some(nonsense(random));
    }
    fix
}

/// A fix as it was measured, or as a spoofer that begins, goes on or ends has it.
fn handle_fix(
    random: &mut Random,
    drive: &mut Drive,
    spoofer: &mut Option<Spoofer>,
    mut fix: ReceiverFix,
) {
    if spoofer.is_none() && random.once_in(30) {
        let far = 1_000 + random.below(100_000_000) as i64;
        *spoofer = Some(Spoofer {
            fixes_left: 1 + random.below(9),
            time: [0, far, -far][random.index(3)],
            latitude: 3.0,
        });
    }
    match spoofer {
        Some(one) if one.fixes_left > 0 => {
            one.fixes_left -= 1;
            fix.unix = fix.unix.map(|unix| unix + one.time * 1_000);
            fix.latitude = fix.latitude.map(|latitude| latitude + one.latitude);
            drive.handle(fix);
        }
        _ => {
            *spoofer = None;
            let error = random.below(2 * SMALL as u64) as i64 - SMALL;
            fix.unix = fix.unix.map(|unix| unix + error * 1_000);
            for _ in 0..=random.below(2) {
                drive.handle(fix);
            }
            if random.once_in(10) {
                drive.handle(broken(random, fix));
            }
        }
    }
}

/// A trusted reading is right, and not before the latest one.
fn assert_right(drive: &Drive, reading: &TimeReading, latest: u64) {
    let error = drive.error(reading);
    assert!(
        error.abs() <= (DELAY as i64 + SMALL) * 1_000,
        "off by {error} us"
    );
    assert!(
        reading.time.0 >= latest,
        "back by {}",
        latest - reading.time.0
    );
    let Some(position) = reading.position else {
        // A fix that is too old to say where the station is may still say what time it is.
        assert!(reading.stale_position.is_some(), "{reading:?}");
        return;
    };
    // 11.524 m/s to the north, since a fix of at most 1.5 s ago: 15.6 units each 10 ms.
    let latitude = position.location.latitude.0;
    assert!(
        (481_000_000..=481_001_560).contains(&latitude),
        "{latitude}"
    );
}

fn run(seed: u64) -> u64 {
    let mut random = Random::new(seed);
    let mut drive = Drive::new(ClockSettings::default());
    let (mut spoofer, mut latest, mut trusted) = (None::<Spoofer>, 0, 0);
    drive.handle(drive.fix());
    for _ in 0..400 {
        // A fix is measured, and arrives a little later; sometimes there are none for a while.
        let gap = if random.once_in(40) {
            100 * random.below(100) as i64
        } else {
            0
        };
        drive.ms += 100 + gap;
        let fix = drive.fix();
        let delay = random.below(DELAY) as i64;
        drive.ms += delay;
        handle_fix(&mut random, &mut drive, &mut spoofer, fix);
        if random.once_in(50) {
            drive.system_error = random.u64() as i64 >> (24 + random.below(40));
            drive
                .clock
                .handle_connection(random.once_in(2), drive.now());
        }
        for _ in 0..random.below(4) {
            let reading = drive.read();
            if reading.distrust.is_none() {
                assert_right(&drive, &reading, latest);
                latest = reading.time.0;
                trusted += 1;
            }
            drive.ms += random.below(5) as i64;
        }
        drive.ms -= drive.ms % 5;
        if random.once_in(3) {
            drive.events();
        }
    }
    trusted
}

#[test]
fn a_trusted_time_is_right_and_never_goes_back() {
    let trusted: u64 = each_seed(200, run).into_iter().sum();
    assert!(trusted > 1_000, "only {trusted} readings were trusted");
}
