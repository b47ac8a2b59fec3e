//! Changed, unexpected and repeated messages.

use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki::pseudonym::PseudonymError;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use crate::pseudonym::scms::{FIRST, NOW, Scms};

#[test]
fn changed_responses_are_never_opened() {
    let mut random = Random::of_test("changed_responses_are_never_opened");
    let mut scms = Scms::new(&mut random, 1);
    let (vehicle, position, response) = scms.week(FIRST, 0..1).remove(0);
    for _ in 0..cases(100) {
        let mut changed = response.clone();
        let at = random.index(changed.len());
        match random.below(3) {
            0 => changed.truncate(at),
            1 => changed.insert(at, random.u64() as u8),
            _ => changed[at] ^= 1 << random.below(8),
        }
        if changed != response {
            assert!(scms.open(vehicle, position, &changed).is_err(), "at {at}");
        }
    }
    // No key of a failed attempt stays: the store has room for far fewer.
    assert!(scms.open(vehicle, position, &response).is_ok());
}

#[test]
fn changed_requests_never_panic_and_leave_no_key() {
    let mut random = Random::of_test("changed_requests_never_panic_and_leave_no_key");
    let mut scms = Scms::new(&mut random, 1);
    let request = scms.requests(FIRST, 0..1).remove(0);
    let asked = scms.vehicles[0].request.clone();
    for _ in 0..cases(300) {
        let mut changed = request.clone();
        let at = random.index(changed.len());
        changed[at] ^= 1 << random.below(8);
        let _ = scms.answer(&changed);
        let mut changed = asked.clone();
        let at = random.index(changed.len());
        changed[at] ^= 1 << random.below(8);
        let Scms {
            store, ra, seeds, ..
        } = &mut scms;
        assert!(
            ra.register(&mut store.0, &changed, FIRST, NOW, seeds)
                .is_err(),
            "at {at}"
        );
    }
    assert!(scms.answer(&request).is_ok());
}

#[test]
fn answers_to_nothing_and_second_answers_are_refused() {
    let test = "answers_to_nothing_and_second_answers_are_refused";
    let mut scms = Scms::new(&mut Random::of_test(test), 1);
    let request = scms.requests(FIRST, 0..1).remove(0);
    let answer = scms.answer(&request).unwrap();
    assert!(scms.ra.collect(&answer).is_ok());
    assert_eq!(scms.ra.collect(&answer), Err(PseudonymError::Unknown));
    let request = scms.requests(FIRST, 1..2).remove(0);
    let answer = scms.answer(&request).unwrap();
    scms.ra.give_up();
    assert_eq!(scms.ra.collect(&answer), Err(PseudonymError::Unknown));
    let unknown = scms.ra.linkage_requests(HashedId8([0; 8]), FIRST, 0..1);
    assert_eq!(unknown, Err(PseudonymError::Unknown));
    let id = scms.vehicles[0].id;
    scms.ra.forget(id);
    assert_eq!(
        scms.ra.linkage_requests(id, FIRST, 0..1),
        Err(PseudonymError::Unknown)
    );
}
