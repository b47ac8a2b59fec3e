//! Extreme numbers, and floods of names.

use waywarden_testkit::{Random, cases};

use super::traffic::{Drive, OBSERVER};
use crate::{Claim, Detector, Observer, SenderId, Thresholds};

const EXTREMES: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e8,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    5e-324,
];

fn number(random: &mut Random) -> f64 {
    match random.below(3) {
        0 => f64::from_bits(random.u64()),
        1 => EXTREMES[random.index(EXTREMES.len())],
        _ => random.below(100) as f64,
    }
}

fn optional(random: &mut Random) -> Option<f64> {
    (!random.once_in(4)).then(|| number(random))
}

fn time(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.u64(),
        1 => u64::MAX,
        2 => 0,
        _ => random.below(10_000_000),
    }
}

fn claim(random: &mut Random) -> Claim {
    Claim {
        received_us: time(random),
        generated_us: time(random),
        x_m: number(random),
        y_m: number(random),
        position_confidence_m: optional(random),
        speed_m_s: optional(random),
        acceleration_m_s2: optional(random),
        heading_degrees: optional(random),
        yaw_rate_degrees_s: optional(random),
        length_m: optional(random),
        width_m: optional(random),
    }
}

#[test]
fn any_numbers_give_finite_findings_in_bounded_memory() {
    let mut random = Random::of_test("any_numbers");
    let mut detector = Detector::new(Thresholds::STANDARD, 8);
    for _ in 0..cases(20_000) {
        let observer = Observer {
            x_m: number(&mut random),
            y_m: number(&mut random),
        };
        let sender = SenderId(random.below(12));
        let findings = detector.observe(&observer, sender, &claim(&mut random));
        for finding in findings.iter() {
            assert!(
                finding.value.is_finite() && finding.limit > 0.0,
                "{finding:?}"
            );
            assert!((1.0..=1000.0).contains(&finding.score()), "{finding:?}");
        }
        let most = Thresholds::STANDARD.evidence_most;
        assert!((0.0..=most).contains(&findings.evidence()), "{findings:?}");
        assert!(detector.senders() <= 8);
    }
}

#[test]
fn numbers_that_are_none_leave_no_trace_in_the_history() {
    for extreme in [f64::NAN, f64::INFINITY, f64::MAX, -1e200] {
        let mut claims = Drive::of_seed(9).claims(900, false);
        claims[20].x_m = extreme;
        claims[21].speed_m_s = Some(extreme);
        claims[22].heading_degrees = Some(extreme);
        claims[23].acceleration_m_s2 = Some(extreme);
        let findings = super::watch(&claims);
        assert!(
            findings[20..24].iter().all(crate::Findings::is_suspicious),
            "{extreme}"
        );
        assert!(
            !findings[899].is_suspicious(),
            "{extreme}: {:?}",
            findings[899]
        );
    }
}

#[test]
fn same_claims_give_the_same_findings() {
    let mut random = Random::of_test("same_claims");
    let mut detectors = [0, 1].map(|_| Detector::new(Thresholds::STANDARD, 4));
    for _ in 0..cases(2000) {
        let (sender, claim) = (SenderId(random.below(6)), claim(&mut random));
        let [a, b] = &mut detectors;
        let (a, b) = (
            a.observe(&OBSERVER, sender, &claim),
            b.observe(&OBSERVER, sender, &claim),
        );
        assert_eq!(std::format!("{a:?}"), std::format!("{b:?}"));
    }
}

#[test]
fn flood_of_names_keeps_established_senders_and_lets_newcomers_in() {
    let claims = Drive::of_seed(10).claims(100, false);
    let mut detector = Detector::new(Thresholds::STANDARD, 16);
    let mut liar = claims.clone();
    liar[30].x_m += 500.0;
    for (index, claim) in liar.iter().enumerate() {
        let findings = detector.observe(&OBSERVER, SenderId(1), claim);
        if index == 30 {
            assert!(findings.is_suspicious());
        }
        if index > 30 {
            assert!(
                findings.evidence() > 0.0,
                "message {index}: the history is lost"
            );
        }
        if index >= 40 {
            for name in 0..50 {
                let name = SenderId(1000 + index as u64 * 50 + name);
                detector.observe(&OBSERVER, name, claim);
            }
        }
        assert!(detector.senders() <= 16);
    }
}

#[test]
fn established_names_leave_a_quarter_of_the_table_to_newcomers() {
    let claims = Drive::of_seed(11).claims(60, false);
    let mut detector = Detector::new(Thresholds::STANDARD, 16);
    for claim in &claims {
        for name in 0..16 {
            let place = Claim {
                x_m: claim.x_m + 30.0 * f64::from(name),
                ..*claim
            };
            detector.observe(&OBSERVER, SenderId(name as u64), &place);
        }
    }
    let last = claims.last().unwrap();
    let mut newcomer = Claim {
        y_m: last.y_m + 60.0,
        ..*last
    };
    detector.observe(&OBSERVER, SenderId(99), &newcomer);
    newcomer.generated_us += 200_000;
    newcomer.received_us += 200_000;
    newcomer.x_m += 400.0;
    let findings = detector.observe(&OBSERVER, SenderId(99), &newcomer);
    assert!(findings.of(crate::MisbehaviourClass::Position).is_some());
}
