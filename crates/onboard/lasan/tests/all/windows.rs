//! Windows that are shorter than the pauses between requests: an ECU that is refused for now
//! receives the time to ask again, and misses none of them.

use waywarden_lasan::Address;
use waywarden_lasan::{
    Credentials, DenialReason, EcuEvent, FourQSchnorrQ, LasanKind, LasanProfile, ModuleEvent,
    NetworkTime, Permission,
};
use waywarden_work::Duration;

use crate::lab::Lab;
use crate::network::{NetworkConfig, permission, stream_of};

const SAFE: [LasanProfile; 2] = [LasanProfile::Hardened, LasanProfile::Compact];

/// The time when the clocks of the tests show zero.
const ZERO: u64 = 1_000_000;

/// ECU 1 may send to ECU 2 in these windows, in milliseconds from the start; pauses between
/// requests grow to 2 s.
fn windows(profile: LasanProfile, windows: &[(u64, u64)]) -> Lab<FourQSchnorrQ> {
    let mut network_config = NetworkConfig::new(profile, Credentials::Keys, 2);
    network_config.timing.patience = Duration::from_millis(2_000);
    let to: [Address; 1] = [Address(2)];
    network_config.streams = windows
        .iter()
        .map(|&(from, until)| Permission {
            from: NetworkTime(ZERO + from),
            until: NetworkTime(ZERO + until),
            ..permission(1, to.into_iter().collect())
        })
        .collect();
    println!("{profile:?} {windows:?}");
    Lab::new(&network_config)
}

/// Asserts that sender and receiver have a key for most of a window and none outside.
fn assert_used(lab: &mut Lab<FourQSchnorrQ>, (from, until): (u64, u64)) {
    let now = |lab: &Lab<FourQSchnorrQ>| lab.now.as_nanos() / 1_000_000;
    let mut held = 0;
    while now(lab) < until + 2 {
        lab.run(1);
        let keys = [lab.stream_key(1, 1), lab.stream_key(2, 1)];
        if now(lab) < from {
            assert_eq!(keys, [None; 2], "before the window");
        }
        held += u64::from(keys[0].is_some() && keys[0] == keys[1]);
    }
    assert_eq!(lab.stream_key(1, 1), None, "after the window");
    assert!(held + 5 >= until - from, "{held} ms of {from} to {until}");
}

#[test]
fn a_short_window_is_used_whenever_it_opens() {
    for profile in SAFE {
        for from in (1_000..5_000).step_by(130) {
            let window = (from, from + 300);
            let mut lab = windows(profile, &[window]);
            assert_used(&mut lab, window);
        }
    }
}

/// An ECU that loses a stream at the end of a window learns when the next one opens.
#[test]
fn windows_in_a_row_are_all_used() {
    for profile in SAFE {
        let all = [
            (1_000, 1_300),
            (1_500, 1_800),
            (1_850, 2_000),
            (6_000, 6_100),
        ];
        let mut lab = windows(profile, &all);
        for window in all {
            assert_used(&mut lab, window);
        }
    }
}

/// No ECU asks while no window is open, but for once a little before it opens; and when the last
/// one is over no ECU asks any more.
#[test]
fn every_request_is_answered() {
    for profile in SAFE {
        let mut lab = windows(profile, &[(60_000, 60_300)]);
        lab.run(59_999);
        let asked = lab.heard_of(LasanKind::Request, 0).len();
        assert!(asked <= 2, "{asked} requests");
        let denied = EcuEvent::Denied {
            stream: stream_of(1),
            reason: DenialReason::NotNow,
        };
        assert!(lab.ecu_events(1).contains(&denied));
        assert_used(&mut lab, (60_000, 60_300));
        let mark = lab.heard.len();
        lab.run(20_000);
        assert!(lab.heard_of(LasanKind::Request, mark).is_empty());
        let refused = |event: &ModuleEvent| matches!(event, ModuleEvent::Refused { .. });
        assert!(
            lab.module_events()
                .iter()
                .filter(|one| refused(one))
                .count()
                <= 3
        );
    }
}
