//! Symbols in place of signatures give the verdicts of real ones.

use waywarden_traffic_stations::{
    CongestionControl, HostileKind, HostileSettings, Judgement, StackSettings,
};
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_neighbourhood::CertificateForm;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;

use crate::support::{Car, Certificates, drive, drive_judged, settings};

/// Vehicles that come one after the other, far enough apart that messages are lost, and change
/// their pseudonyms.
fn figures(
    service: MessageService,
    form: CertificateForm,
    has_real_signatures: bool,
    seed: u64,
) -> (u64, waywarden_traffic_stations::StackFigures) {
    let cars: Vec<Car> = (0..6)
        .map(|car| Car {
            begin_m: f64::from(car) * 180.0,
            speed_m_s: 18.0 + f64::from(car),
            from: (car * 5) as u64,
            brakes: None,
        })
        .collect();
    let own = StackSettings {
        has_real_signatures,
        control: CongestionControl::Etsi(Algorithm::Adaptive),
        change: ChangeRules {
            period_us: Some(2_000_000),
            silence_us: 200_000,
            ..ChangeRules::default()
        },
        ..settings(service, seed)
    };
    let (report, figures, _) = drive(&cars, 60, own, Certificates::new(seed, form));
    (report.received, figures.unwrap())
}

/// Every figure is the same: lengths, receptions, which signers were unknown, what was asked.
#[test]
fn symbols_and_signatures_give_the_same_run() {
    let seed = waywarden_testkit::first_seed(11);
    println!("WAYWARDEN_SEED={seed}");
    for (service, form) in [
        (
            MessageService::CamOverGeoNetworking,
            CertificateForm::Explicit,
        ),
        (MessageService::BsmOverWsmp, CertificateForm::Implicit),
    ] {
        let symbols = figures(service, form, false, seed);
        assert_eq!(symbols, figures(service, form, true, seed), "{service:?}");
        let (received, figures) = symbols;
        assert!(received > 300 && figures.unknown_signer > 5, "{figures:?}");
        assert!(figures.changes > 5 && figures.requests > 0, "{figures:?}");
        assert_eq!(figures.refused, 0);
    }
}

/// Vehicles close together, half of them hostile, for long enough that a late message is sent.
fn hostile(
    (service, form): (MessageService, CertificateForm),
    kind: HostileKind,
    has_real_signatures: bool,
    seed: u64,
) -> (
    Vec<waywarden_traffic_stations::ReceivedJudgement>,
    waywarden_traffic_stations::StackFigures,
) {
    let cars: Vec<Car> = (0..8)
        .map(|car| Car {
            begin_m: f64::from(car) * 90.0,
            speed_m_s: 8.0 + f64::from(car),
            from: (car * 2) as u64,
            brakes: None,
        })
        .collect();
    let tenths = match kind {
        HostileKind::Late => 130,
        _ => 40,
    };
    let own = StackSettings {
        has_real_signatures,
        hostile: HostileSettings {
            kinds: vec![kind],
            share: 0.4,
        },
        ..settings(service, seed)
    };
    drive_judged(&cars, tenths, own, Certificates::new(seed, form))
}

/// Each judgement of each message at each receiver is the same, and each kind of hostile message
/// meets the refusal that it should.
#[test]
fn hostile_messages_are_judged_alike_by_symbols_and_signatures() {
    let seed = waywarden_testkit::first_seed(23);
    println!("WAYWARDEN_SEED={seed}");
    let stacks = [
        (
            MessageService::CamOverGeoNetworking,
            CertificateForm::Explicit,
        ),
        (MessageService::BsmOverWsmp, CertificateForm::Implicit),
    ];
    for stack in stacks {
        // Of those who misbehave, one that has several names and one that has many messages.
        let is_compared = |kind: &&HostileKind| {
            let compared = [HostileKind::Sybil, HostileKind::Flood];
            !kind.is_misbehaviour() || compared.contains(kind)
        };
        for kind in HostileKind::ALL.iter().filter(is_compared) {
            let symbols = hostile(stack, *kind, false, seed);
            let real = hostile(stack, *kind, true, seed);
            for (one, other) in symbols.0.iter().zip(&real.0) {
                assert_eq!(one, other, "{stack:?} {kind:?}");
            }
            assert_eq!(symbols, real, "{stack:?} {kind:?}");
            let figures = symbols.1.hostile.get(kind).cloned().unwrap_or_default();
            println!("{stack:?} {kind:?}: {figures:?}");
            assert!(figures.vehicles > 0 && figures.received > 20, "{figures:?}");
        }
    }
}

/// The reason of the refusals of each kind, and that honest messages are not refused.
#[test]
fn each_hostile_kind_is_refused_for_its_reason() {
    let seed = waywarden_testkit::first_seed(31);
    println!("WAYWARDEN_SEED={seed}");
    let stack = (
        MessageService::CamOverGeoNetworking,
        CertificateForm::Explicit,
    );
    for (kind, code) in [
        (HostileKind::Forged, ResultCode::CryptoVerificationFailure),
        (HostileKind::Replayed, ResultCode::RelevanceReplayedSpdu),
        (
            HostileKind::Late,
            ResultCode::RelevanceGenerationTimeTooFarInPast,
        ),
        (
            HostileKind::Expired,
            ResultCode::ConsistencyExpiredCertificateAtGenerationTime,
        ),
        (HostileKind::Revoked, ResultCode::ChainCertificateRevoked),
    ] {
        let (judgements, figures) = hostile(stack, kind, false, seed);
        let figures = &figures.hostile[&kind];
        let refused = figures.refused.get(&code).copied().unwrap_or(0);
        assert!(refused >= 15, "{kind:?}: {figures:?}");
        let hostile_senders: std::collections::HashSet<usize> = judgements
            .iter()
            .filter(|one| matches!(one.judgement, Judgement::Refused(_)))
            .map(|one| one.sender)
            .collect();
        assert!(hostile_senders.len() as u64 <= figures.vehicles, "{kind:?}");
    }
}

/// Nothing is wrong for a verifier in the false claims of a valid certificate.
#[test]
fn false_claims_are_accepted_by_verifiers() {
    let seed = waywarden_testkit::first_seed(41);
    println!("WAYWARDEN_SEED={seed}");
    let stack = (
        MessageService::CamOverGeoNetworking,
        CertificateForm::Explicit,
    );
    let misbehaving = HostileKind::ALL.iter();
    for kind in misbehaving.filter(|kind| kind.is_misbehaviour()) {
        let (_, figures) = hostile(stack, *kind, false, seed);
        let of_kind = &figures.hostile[kind];
        assert!(of_kind.refused.is_empty(), "{kind:?}: {of_kind:?}");
        assert!(of_kind.accepted > 20, "{kind:?}: {of_kind:?}");
        assert_eq!(figures.refused, 0, "{kind:?}");
    }
    let messages = |kind| {
        let (_, figures) = hostile(stack, kind, false, seed);
        figures.hostile[&kind].messages
    };
    let usual = messages(HostileKind::ReversedHeading);
    assert!(messages(HostileKind::Sybil) > 3 * usual, "four names");
    assert!(messages(HostileKind::Flood) > 10 * usual, "fifty a second");
}
