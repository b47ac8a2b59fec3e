//! Detection of misbehaviour in traffic, and revocation by reports.

use waywarden_misbehaviour_authority::Policy;
use waywarden_traffic_stations::{
    HostileKind, HostileSettings, RevocationSettings, StackFigures, StackSettings,
};
use waywarden_v2x_misbehaviour::Thresholds;
use waywarden_v2x_neighbourhood::CertificateForm;
use waywarden_v2x_station::MessageService;

use crate::support::{Car, Certificates, drive_judged, settings};

/// Sixteen vehicles on two lanes for twelve seconds, of which some brake.
fn figures(kind: Option<(HostileKind, f64)>, reporters: Option<u8>, seed: u64) -> StackFigures {
    let cars: Vec<Car> = (0..16)
        .map(|car| Car {
            begin_m: f64::from(car) * 25.0,
            speed_m_s: 12.0 + f64::from(car % 2) * 3.0,
            from: (car % 4) as u64,
            brakes: (car % 5 == 0).then_some(60),
        })
        .collect();
    let revocation = reporters.map(|reporters| RevocationSettings {
        policy: Policy {
            reporters,
            ..Policy::default()
        },
        delay_ns: 1_000_000_000,
    });
    let own = StackSettings {
        detection: Some(Thresholds::STANDARD),
        revocation,
        position_error_m: 0.5,
        hostile: HostileSettings {
            kinds: kind.iter().map(|(kind, _)| *kind).collect(),
            share: kind.map_or(0.0, |(_, share)| share),
        },
        ..settings(MessageService::CamOverGeoNetworking, seed)
    };
    let certificates = Certificates::new(seed, CertificateForm::Explicit);
    drive_judged(&cars, 120, own, certificates).1
}

#[test]
fn honest_vehicles_are_not_suspicious() {
    let seed = waywarden_testkit::first_seed(51);
    println!("WAYWARDEN_SEED={seed}");
    let detection = figures(None, Some(3), seed).detection;
    println!("{detection:?}");
    assert!(detection.assessed > 5_000);
    assert!(detection.suspicious_share() < Some(0.01), "{detection:?}");
    assert_eq!(detection.revoked, 0);
}

/// False claims that contradict each other are found by those who hear them for some seconds.
#[test]
fn blatant_claims_are_found() {
    let seed = waywarden_testkit::first_seed(53);
    println!("WAYWARDEN_SEED={seed}");
    for kind in [
        HostileKind::ConstantPosition,
        HostileKind::RandomPosition,
        HostileKind::RandomOffset,
        HostileKind::ZeroSpeed,
        HostileKind::RandomSpeed,
        HostileKind::ReversedHeading,
        HostileKind::Flood,
    ] {
        let figures = figures(Some((kind, 0.25)), None, seed);
        let found = &figures.hostile[&kind].detection;
        assert!(found.pairs >= 10, "{kind:?}: {found:?}");
        let share = found.pairs_suspicious as f64 / found.pairs as f64;
        assert!(share >= 0.9, "{kind:?}: {found:?}");
        let [_, recall, _] = found.scores(&figures.detection);
        assert!(recall > Some(0.6), "{kind:?}: {found:?}");
    }
}

/// Three reporters revoke a vehicle: all refuse it then. Honest vehicles stay.
#[test]
fn reported_vehicles_are_revoked() {
    let seed = waywarden_testkit::first_seed(55);
    println!("WAYWARDEN_SEED={seed}");
    let figures = figures(Some((HostileKind::ReversedHeading, 0.25)), Some(3), seed);
    let hostile = &figures.hostile[&HostileKind::ReversedHeading];
    assert_eq!(hostile.detection.revoked, hostile.vehicles, "{hostile:?}");
    let refused: u64 = hostile.refused.values().sum();
    assert!(refused > hostile.accepted, "{hostile:?}");
    assert_eq!(figures.detection.revoked, 0, "{:?}", figures.detection);
}

/// As many liars as the rule demands revoke whom they hear, and one less revokes none.
#[test]
fn liars_revoke_if_there_are_enough() {
    let seed = waywarden_testkit::first_seed(57);
    println!("WAYWARDEN_SEED={seed}");
    let liars = |reporters| {
        let kind = Some((HostileKind::LyingReporter, 0.3));
        let figures = figures(kind, Some(reporters), seed);
        let liars = figures.hostile[&HostileKind::LyingReporter].vehicles;
        (liars, figures.detection.revoked)
    };
    let (count, _) = liars(16);
    let enough = u8::try_from(count).unwrap();
    assert!((2..16).contains(&enough), "{count}");
    assert_eq!(liars(enough + 1), (count, 0));
    let (_, revoked) = liars(enough);
    assert!(revoked > 0);
}
