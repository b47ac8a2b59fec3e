//! Requests that reach a brake, honestly and under each attack.

use crate::support::{BRAKES_NS, example, go, recording, try_drive};
use waywarden_vehicle_road::{RequestCause, RoadAttack, RoadError, RoadOutcome};

/// Counts of true and false requests at the brakes of both cars.
fn requests(outcome: &RoadOutcome) -> (usize, usize) {
    let count = |is_true| {
        let requests = outcome.requests.iter();
        requests.filter(|one| one.is_true == is_true).count()
    };
    (count(true), count(false))
}

/// The example without its authentication: its attackers' frames are as good as others.
fn without_authentication() -> String {
    let text = example();
    let begin = text.find("[[authentication]]").unwrap();
    let end = text[begin..].find("# With --attack").unwrap() + begin;
    [&text[..begin], &text[end..]].concat()
}

#[test]
fn hard_braking_reaches_the_brake_of_the_car_behind() {
    let outcome = go(&example(), RoadAttack::None, true);
    assert_eq!(requests(&outcome), (1, 0));
    let request = outcome.requests[0];
    assert_eq!((request.receiver, request.cause), (1, RequestCause::Car(0)));
    assert!((BRAKES_NS..BRAKES_NS + 200_000_000).contains(&request.at_ns));
    let metres = request.metres.unwrap();
    assert!((0.1..3.0).contains(&metres), "{metres}");
    assert!(outcome.latencies.len() > 20);
    for parts in &outcome.latencies {
        assert!(parts.total() < 400_000_000, "{parts:?}");
        assert!(parts.parts().iter().all(|part| *part > 0), "{parts:?}");
    }
    assert_eq!(outcome.cars[0].hard_brakings, 1);
    assert_eq!(outcome.cars[0].signals_forged, 0);
    assert_eq!(outcome.remarks(|car| car.to_string()), Vec::<String>::new());
}

#[test]
fn without_braking_nothing_is_requested() {
    let outcome = go(&example(), RoadAttack::None, false);
    assert_eq!(requests(&outcome), (0, 0));
    assert!(!outcome.latencies.is_empty());
}

#[test]
fn forged_wheel_frames_change_nothing_under_secoc() {
    let outcome = go(&example(), RoadAttack::Wheel, false);
    assert_eq!(requests(&outcome), (0, 0));
    for car in &outcome.cars {
        assert_eq!(car.signals_forged, 0);
        assert!(car.signals_refused > 100, "{car:?}");
        assert!(car.signals_accepted > 100, "{car:?}");
    }
}

#[test]
fn forged_wheel_frames_reach_the_brake_without_authentication() {
    let outcome = go(&without_authentication(), RoadAttack::Wheel, false);
    let (none, many) = requests(&outcome);
    assert_eq!(none, 0);
    assert!(many > 0);
    assert!(outcome.cars[0].signals_forged > 100);
}

#[test]
fn forged_and_repeated_messages_are_refused() {
    for (attack, code) in [
        (RoadAttack::ForgedCam, "CryptoVerificationFailure"),
        (RoadAttack::Replay, "RelevanceReplayedSpdu"),
    ] {
        let outcome = go(&example(), attack, true);
        assert!(outcome.attack_frames > 5, "{attack:?}");
        assert_eq!(requests(&outcome), (1, 0), "{attack:?}");
        let refused = &outcome.cars[1].refused;
        assert!(refused[code] > 5, "{attack:?}: {refused:?}");
    }
}

#[test]
fn valid_certificates_of_an_attacker_reach_the_brake() {
    let outcome = go(&example(), RoadAttack::Sybil, false);
    let (none, many) = requests(&outcome);
    assert_eq!(none, 0);
    assert!(many > 0);
    let causes = outcome.requests.iter().map(|one| one.cause);
    assert!(causes.eq(outcome.requests.iter().map(|_| RequestCause::RoadAttacker)));
}

#[test]
fn a_flood_makes_verification_late() {
    let longest = |attack| {
        let outcome = go(&example(), attack, true);
        let parts = outcome.latencies.iter().filter(|one| one.receiver == 1);
        parts.map(|one| one.verification).max().unwrap()
    };
    let (calm, flooded) = (longest(RoadAttack::None), longest(RoadAttack::Flood));
    assert!(flooded > 2 * calm, "{calm} {flooded}");
}

#[test]
fn nothing_reaches_the_brake_through_a_dead_gateway() {
    let dead = "[[fault]]\nkind = \"reset\"\necu = \"gateway\"\nfrom = \"1ms\"\nuntil = \"1h\"\n";
    let text = [&example(), dead].concat();
    let outcome = go(&text, RoadAttack::None, true);
    assert_eq!(requests(&outcome), (0, 0));
    assert_eq!(outcome.latencies, []);
    let remarks = outcome.remarks(|car| car.to_string());
    assert_eq!(remarks.len(), 5, "{remarks:?}");
    for car in &outcome.cars {
        assert!(car.sent > 0 && car.sent_without_speed == car.sent);
    }
}

#[test]
fn the_same_seed_gives_the_same_outcome() {
    let outcome = || go(&example(), RoadAttack::Sybil, true);
    assert_eq!(outcome(), outcome());
}

#[test]
fn what_cannot_drive_is_refused() {
    let text = example();
    let without = &text[..text.find("[v2x]").unwrap()];
    let outcome = try_drive(without, RoadAttack::None, &recording(true));
    assert!(matches!(outcome, Err(RoadError::NoV2x)));
    let mut short = recording(true);
    for step in &mut short.steps {
        step.vehicles.retain(|one| one.number != 1);
    }
    let outcome = try_drive(&text, RoadAttack::None, &short);
    assert!(matches!(outcome, Err(RoadError::NoSuchVehicle(1))));
}
