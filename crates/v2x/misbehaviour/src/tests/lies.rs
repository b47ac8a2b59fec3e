//! One lie a test: its class is found, and most messages of the liar are suspicious.

use std::vec::Vec;

use super::traffic::{Drive, OBSERVER};
use super::{detector, flagged, has, watch};
use crate::{Claim, MisbehaviourClass as Class, RoadMap, SenderId};

/// Watches drives with a lie in every message from the hundredth on.
fn assert_found(class: Class, share: f64, lie: impl Fn(usize, &mut Claim)) {
    for seed in 0..6 {
        let mut claims = Drive::of_seed(seed).claims(300, false);
        for (index, claim) in claims.iter_mut().enumerate().skip(100) {
            lie(index, claim);
        }
        let findings = watch(&claims);
        assert!(
            flagged(&findings[..100]) <= 0.05,
            "seed {seed}: before the lie"
        );
        assert!(has(&findings[100..], class), "seed {seed}: {class:?}");
        let found = flagged(&findings[100..]);
        assert!(found >= share, "seed {seed}: {found}");
    }
}

fn speed(claim: &mut Claim, change: impl Fn(f64) -> f64) {
    claim.speed_m_s = claim.speed_m_s.map(change);
}

#[test]
fn zero_speed_while_moving_is_found() {
    assert_found(Class::Speed, 0.95, |_, claim| speed(claim, |_| 0.0));
}

#[test]
fn constant_speed_offset_is_found() {
    assert_found(Class::Speed, 0.9, |_, claim| {
        speed(claim, |true_speed| true_speed + 3.0);
    });
}

#[test]
fn reversed_heading_is_found() {
    assert_found(Class::Heading, 0.95, |_, claim| {
        claim.heading_degrees = claim
            .heading_degrees
            .map(|true_heading| true_heading + 180.0);
        // Else the yaw rate tells it.
        claim.heading_degrees = claim.heading_degrees.map(|heading| heading % 360.0);
    });
}

#[test]
fn positions_that_jump_are_found() {
    assert_found(Class::Position, 0.95, |index, claim| {
        claim.x_m += if index % 2 == 0 { 40.0 } else { -30.0 };
    });
}

#[test]
fn positions_that_drift_are_found() {
    assert_found(Class::Speed, 0.7, |index, claim| {
        let drift = (index - 99) as f64 * 1.2;
        let heading = claim.heading_degrees.unwrap().to_radians();
        claim.x_m += drift * heading.sin();
        claim.y_m += drift * heading.cos();
    });
}

#[test]
fn feigned_braking_is_found() {
    assert_found(Class::Acceleration, 0.9, |_, claim| {
        claim.acceleration_m_s2 = Some(-4.0);
    });
}

#[test]
fn exaggerated_acceleration_is_found() {
    assert_found(Class::Acceleration, 0.5, |_, claim| {
        claim.acceleration_m_s2 = claim.acceleration_m_s2.map(|true_value| true_value * 4.0);
    });
}

#[test]
fn sudden_stop_is_found() {
    let stopped = |index: usize, claim: &mut Claim, at: Claim| {
        let (received_us, generated_us) = (claim.received_us, claim.generated_us);
        if index >= 100 {
            *claim = Claim {
                received_us,
                generated_us,
                speed_m_s: Some(0.0),
                ..at
            };
        }
    };
    for seed in 0..6 {
        let mut claims = Drive::of_seed(seed).claims(300, false);
        let at = claims[100];
        for (index, claim) in claims.iter_mut().enumerate() {
            stopped(index, claim, at);
        }
        let findings = watch(&claims);
        assert!(findings[100].of(Class::Speed).is_some(), "seed {seed}");
        assert!(flagged(&findings[100..150]) >= 0.95, "seed {seed}");
    }
}

#[test]
fn heading_without_its_yaw_rate_is_found() {
    assert_found(Class::Heading, 0.5, |index, claim| {
        claim.heading_degrees = claim
            .heading_degrees
            .map(|heading| (heading + if index % 30 < 15 { 60.0 } else { 0.0 }) % 360.0);
    });
}

#[test]
fn values_beyond_vehicles_are_found() {
    assert_found(Class::Speed, 0.99, |_, claim| claim.speed_m_s = Some(90.0));
    assert_found(Class::Acceleration, 0.99, |_, claim| {
        claim.acceleration_m_s2 = Some(-16.0);
    });
    assert_found(Class::Heading, 0.99, |_, claim| {
        claim.heading_degrees = Some(1000.0);
    });
    assert_found(Class::Range, 0.99, |_, claim| claim.x_m += 50_000.0);
    assert_found(Class::Time, 0.99, |_, claim| {
        claim.generated_us -= 10_000_000;
    });
    assert_found(Class::Time, 0.99, |_, claim| {
        claim.generated_us += 10_000_000;
    });
}

#[test]
fn repeated_generation_time_is_found() {
    let mut claims = Drive::of_seed(1).claims(20, false);
    claims[10].generated_us = claims[9].generated_us;
    let findings = watch(&claims);
    assert!(findings[9].is_empty());
    assert!(findings[10].of(Class::Time).is_some());
}

#[test]
fn flood_of_one_sender_is_found_and_ten_messages_a_second_are_none() {
    let claims = Drive::of_seed(2).claims(100, false);
    let paced = |interval_us: u64| {
        let at = |(index, claim): (usize, &Claim)| Claim {
            received_us: 1_000_000 + index as u64 * interval_us,
            generated_us: 1_000_000 + index as u64 * interval_us,
            speed_m_s: None,
            ..*claim
        };
        watch(&claims.iter().enumerate().map(at).collect::<Vec<_>>())
    };
    assert!(!has(&paced(100_000), Class::Frequency));
    let findings = paced(40_000);
    assert!(findings.last().unwrap().of(Class::Frequency).is_some());
}

#[test]
fn copied_claims_are_found_under_any_name() {
    let claims = Drive::of_seed(3).claims(50, false);
    let mut detector = detector();
    for claim in &claims {
        detector.observe(&OBSERVER, SenderId(1), claim);
    }
    for (index, claim) in claims[10..20].iter().enumerate() {
        let later = claim.generated_us + 10_000_000;
        let copy = Claim {
            generated_us: later,
            received_us: later,
            ..*claim
        };
        let findings = detector.observe(&OBSERVER, SenderId(2), &copy);
        assert!(findings.of(Class::Replay).is_some(), "{index}");
        assert!(findings.is_suspicious());
    }
}

/// A pair of drives in one place, the second from its first message to `until`.
fn overlapping(until: usize) -> Vec<crate::Findings> {
    let first = Drive::of_seed(4).claims(100, false);
    let mut detector = detector();
    let mut findings = Vec::new();
    for (index, claim) in first.iter().enumerate() {
        if index < until {
            detector.observe(&OBSERVER, SenderId(1), claim);
        }
        if index >= 50 {
            let beside = Claim {
                x_m: claim.x_m + 0.3,
                received_us: claim.received_us + 1000,
                generated_us: claim.generated_us + 1000,
                ..*claim
            };
            findings.push(detector.observe(&OBSERVER, SenderId(2), &beside));
        }
    }
    findings
}

#[test]
fn vehicle_inside_of_another_is_found() {
    let findings = overlapping(100);
    assert!(has(&findings, Class::Overlap));
    assert!(flagged(&findings[10..]) > 0.9);
}

#[test]
fn change_of_pseudonym_is_no_overlap() {
    assert_eq!(flagged(&overlapping(50)), 0.0);
}

#[test]
fn names_that_appear_together_are_found_unless_the_observer_just_started() {
    let claims = Drive::of_seed(5).claims(60, false);
    for (start, expected) in [(0, false), (40, true)] {
        let mut detector = detector();
        for claim in &claims[..=start] {
            detector.observe(&OBSERVER, SenderId(1), claim);
        }
        let ghost = |number: u64| Claim {
            x_m: claims[start].x_m + 5.0 + number as f64,
            y_m: claims[start].y_m + 5.0,
            ..claims[start]
        };
        let mut found = Vec::new();
        for number in 0..4 {
            found.push(detector.observe(&OBSERVER, SenderId(10 + number), &ghost(number)));
        }
        assert_eq!(
            has(&found, Class::Sybil),
            expected,
            "after {start} messages"
        );
    }
}

#[test]
fn constant_offset_is_found_by_a_map_alone() {
    struct Road;
    impl RoadMap for Road {
        fn off_road_m(&self, x_m: f64, _: f64) -> Option<f64> {
            Some(x_m.abs() - 1000.0)
        }
    }
    let mut detector = detector();
    let claims = Drive::of_seed(8).claims(300, false);
    let middle = claims.iter().map(|claim| claim.x_m).sum::<f64>() / claims.len() as f64;
    let offset = |claim: &Claim| Claim {
        x_m: claim.x_m - middle + 1005.0,
        ..*claim
    };
    let near = crate::Observer {
        x_m: 900.0,
        y_m: 0.0,
    };
    for claim in &claims {
        let x_m = offset(claim).x_m;
        let found = detector.observe_with_map(&near, SenderId(1), &offset(claim), &Road);
        assert_eq!(found.of(Class::Position).is_some(), x_m > 1005.0, "{x_m}");
    }
    assert!(claims.iter().any(|claim| offset(claim).x_m > 1005.0));
}
