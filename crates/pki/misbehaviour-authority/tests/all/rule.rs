//! The rule, number by number. Vehicles are numbers here.

use waywarden_misbehaviour_authority::{
    Accusation, Cases, Counted, Decision, NotCounted, Policy, PolicyError,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

const SECOND: u64 = 1_000_000;
const NOW: Time64 = Time64(700_000_000 * SECOND);

const POLICY: Policy = Policy {
    reporters: 3,
    messages: 2,
    window_us: 100 * SECOND,
    retention_us: 1_000 * SECOND,
};

/// A message of vehicle 0, made so many seconds ago.
fn accusation(reporter: u32, ago: u64, message: u8) -> Accusation<u32> {
    Accusation {
        accused: 0,
        reporter,
        made: Time64(NOW.0 - ago * SECOND),
        message: [message; 32],
    }
}

fn open(reporters: usize, messages: usize) -> Result<Counted<u32>, NotCounted> {
    Ok(Counted::Open {
        reporters,
        messages,
    })
}

#[test]
fn three_vehicles_and_two_messages_decide() {
    let mut cases = Cases::new(POLICY).unwrap();
    let mut record =
        |reporter, ago, message| cases.record(&accusation(reporter, ago, message), NOW);
    assert_eq!(record(1, 50, 1), open(1, 1));
    assert_eq!(record(1, 49, 2), open(1, 2));
    assert_eq!(record(2, 50, 1), open(2, 2));
    let decision = Decision {
        accused: 0,
        reporters: vec![1, 2, 3],
        messages: 2,
        first: Time64(NOW.0 - 50 * SECOND),
        last: Time64(NOW.0 - 49 * SECOND),
    };
    assert_eq!(record(3, 50, 1), Ok(Counted::Decided(decision)));
    assert_eq!(record(4, 50, 1), Err(NotCounted::RevokedAccused));
    assert!(cases.is_revoked(0) && cases.is_empty());
}

#[test]
fn one_message_of_three_reporters_is_not_enough() {
    let mut cases = Cases::new(POLICY).unwrap();
    for reporter in 1..=5 {
        let counted = cases.record(&accusation(reporter, 1, 1), NOW);
        assert_eq!(counted, open(reporter as usize, 1));
    }
}

#[test]
fn window_is_of_the_times_that_the_accused_signed() {
    let mut cases = Cases::new(POLICY).unwrap();
    let mut record =
        |reporter, ago, message| cases.record(&accusation(reporter, ago, message), NOW);
    assert_eq!(record(1, 300, 1), open(1, 1));
    assert_eq!(record(2, 200, 2), open(1, 1), "100 seconds are outside");
    assert_eq!(record(3, 201, 3), open(2, 2), "99 seconds are inside");
    assert!(matches!(record(1, 199, 4), Ok(Counted::Decided(_))));
}

#[test]
fn repeated_report_counts_once() {
    let mut cases = Cases::new(POLICY).unwrap();
    assert_eq!(cases.record(&accusation(1, 1, 1), NOW), open(1, 1));
    for _ in 0..10 {
        let again = cases.record(&accusation(1, 1, 1), NOW);
        assert_eq!(again, Err(NotCounted::Duplicate));
    }
    assert_eq!(cases.messages(), 1);
}

#[test]
fn reports_of_and_about_the_wrong_vehicles_count_nothing() {
    let mut cases = Cases::new(POLICY).unwrap();
    let mut record = |accusation: Accusation<u32>| cases.record(&accusation, NOW).unwrap_err();
    assert_eq!(record(accusation(0, 1, 1)), NotCounted::Itself);
    assert_eq!(record(accusation(1, 1_001, 1)), NotCounted::TooOld);
    let ahead = Accusation {
        made: Time64(NOW.0 + 301 * SECOND),
        ..accusation(1, 1, 1)
    };
    assert_eq!(record(ahead), NotCounted::InFuture);
    cases.note_revoked(7);
    let refused = cases.record(&accusation(7, 1, 1), NOW);
    assert_eq!(refused, Err(NotCounted::RevokedReporter));
}

#[test]
fn revoked_reporter_takes_its_reports_along() {
    let mut cases = Cases::new(POLICY).unwrap();
    assert_eq!(cases.record(&accusation(1, 1, 1), NOW), open(1, 1));
    assert_eq!(cases.record(&accusation(2, 1, 2), NOW), open(2, 2));
    cases.note_revoked(1);
    assert_eq!(cases.record(&accusation(3, 1, 1), NOW), open(2, 2));
}

#[test]
fn rules_that_decide_nothing_are_refused() {
    let check = |policy: Policy| policy.check();
    assert_eq!(check(Policy::default()), Ok(()));
    for reporters in [0, 17] {
        let policy = Policy {
            reporters,
            ..POLICY
        };
        assert_eq!(check(policy), Err(PolicyError::Reporters(reporters)));
    }
    for messages in [0, 9] {
        let policy = Policy { messages, ..POLICY };
        assert_eq!(check(policy), Err(PolicyError::Messages(messages)));
    }
    for window_us in [0, 1_001 * SECOND] {
        let policy = Policy {
            window_us,
            ..POLICY
        };
        assert_eq!(check(policy), Err(PolicyError::Window));
    }
}
