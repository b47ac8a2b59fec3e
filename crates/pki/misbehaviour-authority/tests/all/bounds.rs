//! Memory has its bounds, whatever hostile reporters do.

use waywarden_misbehaviour_authority::{
    ACCUSATIONS_MAX, Accusation, Cases, Counted, MESSAGES_MAX, NotCounted, Policy, REPORTERS_MAX,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

const HOUR: u64 = 3_600_000_000;
const NOW: Time64 = Time64(200_000 * HOUR);

fn accusation(accused: u32, reporter: u32, made: Time64, number: u64) -> Accusation<u32> {
    let mut message = [0; 32];
    message[..8].copy_from_slice(&number.to_be_bytes());
    Accusation {
        accused,
        reporter,
        made,
        message,
    }
}

#[test]
fn flood_of_one_reporter_takes_a_constant() {
    let mut cases = Cases::new(Policy::default()).unwrap();
    let mut refused = 0;
    for number in 0..100_000 {
        let accused = 1 + (number % 1_000) as u32;
        let counted = cases.record(&accusation(accused, 0, NOW, number), NOW);
        refused += usize::from(counted == Err(NotCounted::TooManyAccusations));
    }
    assert_eq!(cases.len(), ACCUSATIONS_MAX);
    assert!(cases.messages() <= ACCUSATIONS_MAX * usize::from(MESSAGES_MAX));
    assert_eq!(refused, 96_800);
    // Old cases make room.
    let later = Time64(NOW.0 + 31 * 24 * HOUR);
    let counted = cases.record(&accusation(2_000, 0, later, 0), later);
    assert!(matches!(counted, Ok(Counted::Open { .. })));
    assert_eq!((cases.len(), cases.messages()), (1, 1));
}

#[test]
fn case_keeps_the_newest_reporters() {
    // So far apart that no window has enough.
    let policy = Policy {
        reporters: REPORTERS_MAX,
        messages: 1,
        window_us: HOUR,
        ..Policy::default()
    };
    let mut cases = Cases::new(policy).unwrap();
    for reporter in 1..200_u32 {
        let made = Time64(NOW.0 + u64::from(reporter) * 2 * HOUR);
        let counted = cases.record(&accusation(0, reporter, made, reporter.into()), made);
        assert!(matches!(counted, Ok(Counted::Open { .. })));
    }
    assert_eq!(cases.messages(), usize::from(REPORTERS_MAX));
    // A reporter that was dropped is not counted as open any more.
    cases.note_revoked(0);
    assert_eq!((cases.len(), cases.messages()), (0, 0));
}
