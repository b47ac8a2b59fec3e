//! Messages that a station repeats as they were given: SPATEM, DENM of release 2, SPAT.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use waywarden_testkit::{Random, workspace};
use waywarden_v2x_messages::Message;
use waywarden_v2x_neighbourhood::virtual_time::{StationEvent, run};
use waywarden_v2x_neighbourhood::{
    CertificateForm, CertificateUse, InProcess, Laboratory, NeighbourhoodEvent, Participant,
    ReceptionVerdict, Tickets,
};
use waywarden_v2x_pki::GeographicPoint;
use waywarden_v2x_security::Verifier;
use waywarden_v2x_station::content::StationMessageKind;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_station::{MessageService, RepeatedMessage};
use waywarden_v2x_wire::btp::Btp;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::geonet::{ExtendedHeader, NetworkPacket};
use waywarden_v2x_wire::ieee1609dot2::Psid;

use crate::road::{BEGIN, Plan, laboratory, on_road, settings};

const CAM: MessageService = MessageService::CamOverGeoNetworking;

/// The bytes of a message whose value is in a file.
fn bytes_of(file: &str) -> Vec<u8> {
    let text = fs::read_to_string(workspace().join(file)).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let kind = file["kind"].as_str().unwrap();
    let release = file["release"].as_u64();
    let mut layouts = Message::of_kind(kind);
    let layout = layouts.find(|one| one.release().map(u64::from) == release);
    layout.unwrap().write(&file["value"]).unwrap()
}

fn spatem() -> RepeatedMessage {
    RepeatedMessage {
        psid: Psid(137),
        port: Some(2004),
        message: bytes_of("examples/v2x/junction/spatem.json"),
        period_us: 100_000,
    }
}

fn warning() -> RepeatedMessage {
    RepeatedMessage {
        psid: Psid(37),
        port: Some(2002),
        message: bytes_of("crates/cli/v2x/tests/all/neighbourhood/denm2.json"),
        period_us: 500_000,
    }
}

fn sender(
    laboratory: &Arc<Mutex<Laboratory>>,
    random: &mut Random,
    change: impl FnOnce(Tickets) -> Tickets,
    rules: ChangeRules,
) -> Participant {
    let tickets = change(Tickets::new(laboratory, 0, CertificateForm::Explicit));
    let mut verifier = Verifier::default();
    laboratory.lock().unwrap().teach(&mut verifier, 1).unwrap();
    let mut seed = || random.bytes(32).try_into().unwrap();
    let role = CertificateUse::DirectSender;
    let security = InProcess::new(role, Box::new(tickets), verifier, BEGIN, seed()).unwrap();
    Participant::new(settings(CAM, rules), Box::new(security), BEGIN, seed())
}

/// Application, kind and payload of an accepted message.
type Accepted = (Psid, StationMessageKind, Vec<u8>);

/// Lets a station repeat messages for so many seconds; returns the application, kind and payload
/// of what another one accepted, and the times at which each application sent.
fn heard(
    messages: Vec<RepeatedMessage>,
    rules: ChangeRules,
    seconds: u64,
) -> (Vec<Accepted>, BTreeMap<u64, Vec<Duration>>) {
    let mut random = Random::new(58);
    let laboratory = laboratory(&mut random, 1);
    let permitting = |tickets: Tickets| {
        let tickets = tickets.permitting(Psid(137), &[1, 0xE0]);
        tickets.permitting(Psid(130), &[])
    };
    let sender = sender(&laboratory, &mut random, permitting, rules);
    let sender = sender.repeating(messages).unwrap();
    let receiver = Plan::new(settings(CAM, ChangeRules::ON_DEMAND), 1.0);
    let mut places = [
        on_road(Box::new(sender), Duration::ZERO, 0.0, 0.0),
        receiver.place(&laboratory, &mut random),
    ];
    let (mut accepted, mut sent) = (Vec::new(), BTreeMap::<u64, Vec<Duration>>::new());
    run(&mut places, Duration::from_secs(seconds), &mut |happened| {
        let StationEvent {
            station,
            now,
            event,
        } = happened;
        match event {
            NeighbourhoodEvent::Sent { psid, .. } if station == 0 => {
                sent.entry(psid.0).or_default().push(now.elapsed);
            }
            NeighbourhoodEvent::Heard(reception) if station == 1 => {
                let ReceptionVerdict::Accepted { psid, payload, .. } = reception.verdict else {
                    panic!("{:?}", reception.verdict);
                };
                accepted.push((psid, reception.content.unwrap().kind, payload));
            }
            NeighbourhoodEvent::NotSigned { reason, .. } => panic!("{reason}"),
            _ => {}
        }
    });
    (accepted, sent)
}

#[test]
fn other_stations_verify_spatem_and_denm_and_hear_the_same_bytes() {
    let (spatem, warning) = (spatem(), warning());
    let messages = vec![spatem.clone(), warning.clone()];
    let (accepted, sent) = heard(messages, ChangeRules::ON_DEMAND, 3);
    for (message, name, least) in [(&spatem, "SPATEM", 28), (&warning, "DENM", 5)] {
        let own = accepted.iter().filter(|(psid, ..)| *psid == message.psid);
        let mut count = 0;
        for (_, kind, payload) in own {
            assert_eq!(kind.name(), Some(name));
            let packet: NetworkPacket<'_> = parse(payload).unwrap();
            let transport = Btp::parse(packet.upper, packet.payload).unwrap().unwrap();
            assert_eq!(Some(transport.destination_port()), message.port);
            assert_eq!(transport.payload(), message.message);
            let is_area = matches!(packet.extended, ExtendedHeader::GeoBroadcast { .. });
            assert_eq!(is_area, name == "DENM");
            count += 1;
        }
        assert!((least..=least + 2).contains(&count), "{name}: {count}");
        let times = &sent[&message.psid.0];
        for pair in times.windows(2) {
            let between = pair[1] - pair[0];
            let wrong = between.abs_diff(Duration::from_micros(message.period_us));
            assert!(wrong <= Duration::from_millis(10), "{name}: {between:?}");
        }
    }
    // Its own awareness messages go on.
    assert!(accepted.iter().any(|(psid, ..)| *psid == Psid(36)));
}

#[test]
fn messages_of_america_travel_as_short_messages_and_are_named() {
    // A frame of SPAT; the rest is not read.
    let spat = RepeatedMessage {
        psid: Psid(130),
        port: None,
        message: vec![0, 19, 3, 0, 0, 0],
        period_us: 1_000_000,
    };
    let (accepted, _) = heard(vec![spat.clone()], ChangeRules::ON_DEMAND, 2);
    let own: Vec<_> = accepted
        .iter()
        .filter(|(psid, ..)| *psid == spat.psid)
        .collect();
    assert!(!own.is_empty());
    for (_, kind, payload) in own {
        assert_eq!(*kind, StationMessageKind::Named("SPAT"));
        assert_eq!(payload, &spat.message);
    }
}

#[test]
fn nothing_is_repeated_while_the_station_is_silent() {
    let rules = ChangeRules {
        period_us: Some(2_000_000),
        silence_us: 1_000_000,
        ..ChangeRules::ON_DEMAND
    };
    let (_, sent) = heard(vec![spatem()], rules, 8);
    let times = &sent[&137];
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(longest.unwrap() >= Duration::from_secs(1), "{longest:?}");
}

#[test]
fn message_that_the_certificate_does_not_permit_is_refused_at_the_start() {
    let mut random = Random::new(59);
    let laboratory = laboratory(&mut random, 1);
    let rules = ChangeRules::ON_DEMAND;
    let plain = sender(&laboratory, &mut random, |tickets| tickets, rules);
    let (at, why) = plain.repeating(vec![warning(), spatem()]).err().unwrap();
    assert_eq!(
        (at, &why[..]),
        (1, "its appPermissions do not have the application")
    );
    // A CAM says where the station is, and this one is far outside of the region.
    let far = RepeatedMessage {
        psid: Psid(36),
        port: Some(2001),
        message: waywarden_testkit::bytes_of(
            "020200000007000000fa8ac678ce175997600000000000000080",
        ),
        period_us: 1_000_000,
    };
    let centre = GeographicPoint {
        latitude: 481_370_000,
        longitude: 115_750_000,
    };
    let narrow = |tickets: Tickets| tickets.within(centre, 20_000);
    let narrow = sender(&laboratory, &mut random, narrow, rules);
    let (at, why) = narrow.repeating(vec![far]).err().unwrap();
    assert!(
        at == 0 && why.contains("outside the certificate's region"),
        "{why}"
    );
}
