//! Stations that break the rules.

use std::collections::BTreeMap;
use std::time::Duration;

use waywarden_testkit::Random;
use waywarden_v2x_neighbourhood::virtual_time::{PlacedStation, run};
use waywarden_v2x_neighbourhood::{
    AttackerSettings, CertificateForm, HostileStation, SenderOrigin, StationAttack, Summary,
    Tickets,
};
use waywarden_v2x_pki::GeographicPoint as Centre;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_station::{MessageService, StationSettings, VehicleType};

use crate::road::{BEGIN, Plan, laboratory, on_road, settings};

const CENTRE: Centre = Centre {
    latitude: 481_370_000,
    longitude: 115_750_000,
};

fn attacked(attacks: &[StationAttack], seconds: u64) -> Summary {
    let mut random = Random::new(77);
    let laboratory = laboratory(&mut random, 1);
    let service = MessageService::CamOverGeoNetworking;
    let mut places: Vec<PlacedStation> = (0..4)
        .map(|at| {
            let plan = Plan {
                speed: 45.0,
                ..Plan::new(settings(service, ChangeRules::ON_DEMAND), at as f64)
            };
            plan.place(&laboratory, &mut random)
        })
        .collect();
    let tickets = Tickets::new(&laboratory, 0, CertificateForm::Explicit).within(CENTRE, 5_000);
    let settings = AttackerSettings {
        station: StationSettings {
            vehicle: VehicleType::CAR,
            service,
            change: ChangeRules::ON_DEMAND,
        },
        attacks: attacks.to_vec(),
        rate_hz: 5.0,
        flood_hz: 400.0,
    };
    let seed = random.bytes(32).try_into().unwrap();
    let attacker = HostileStation::new(settings, Box::new(tickets), BEGIN, seed).unwrap();
    places.push(on_road(Box::new(attacker), Duration::ZERO, 5.0, 10.0));
    let mut summary = Summary::default();
    run(&mut places, Duration::from_secs(seconds), &mut |happened| {
        summary.take(&happened.event);
    });
    summary
}

#[test]
fn each_attack_is_refused_for_its_reason_and_honest_messages_are_not() {
    let attacks = [
        StationAttack::Forged,
        StationAttack::Replayed,
        StationAttack::Late,
        StationAttack::Displaced,
    ];
    let summary = attacked(&attacks, 13);
    let expected = BTreeMap::from([
        (StationAttack::Forged, ResultCode::CryptoVerificationFailure),
        (StationAttack::Replayed, ResultCode::RelevanceReplayedSpdu),
        (
            StationAttack::Late,
            ResultCode::RelevanceGenerationTimeTooFarInPast,
        ),
        (
            StationAttack::Displaced,
            ResultCode::ConsistencyGenerationLocationOutsideValidityRegion,
        ),
    ]);
    for (attack, code) in expected {
        let counts = &summary.by_origin[&SenderOrigin::Attack(attack)];
        let refused: Vec<_> = counts.refused.iter().collect();
        assert_eq!(refused, [(&code.name(), &counts.heard)], "{attack:?}");
        assert!(counts.heard >= 40, "{attack:?}: {}", counts.heard);
        // A station does not verify what comes in its own name.
        let is_echo = matches!(attack, StationAttack::Replayed | StationAttack::Late);
        assert_eq!(counts.own_address > 0, is_echo, "{attack:?}");
        assert_eq!(counts.accepted, 0);
    }
    let honest = &summary.by_origin[&SenderOrigin::Honest];
    assert_eq!((honest.accepted, honest.refused.len()), (honest.heard, 0));
}

#[test]
fn flood_is_refused_or_served_message_by_message() {
    for (attack, is_valid) in [
        (StationAttack::FloodInvalid, false),
        (StationAttack::FloodValid, true),
    ] {
        let summary = attacked(&[attack], 3);
        let flood = &summary.by_origin[&SenderOrigin::Attack(attack)];
        // 400 a second, ten times the honest traffic, at each of four receivers.
        let heard = flood.heard + flood.own_address;
        assert!((4_000..=5_000).contains(&heard), "{heard}");
        let refused = flood
            .refused
            .get(ResultCode::CryptoVerificationFailure.name());
        let early = flood.heard / 50;
        match is_valid {
            // Before the first certificate its signer is not known.
            true => assert!(flood.accepted >= flood.heard - early, "{flood:?}"),
            false => assert!(*refused.unwrap() >= flood.heard - early, "{flood:?}"),
        }
        let honest = &summary.by_origin[&SenderOrigin::Honest];
        assert_eq!(honest.accepted, honest.heard, "{honest:?}");
    }
}
