//! Honest stations that hear each other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use waywarden_testkit::Random;
use waywarden_v2x_neighbourhood::virtual_time::{PlacedStation, StationEvent, run};
use waywarden_v2x_neighbourhood::{NeighbourhoodEvent, ReceptionVerdict};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_signing::{CertificateRule, SendingProfile};
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_wire::detect::detect;
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, SignerIdentifier};

use crate::road::{Plan, laboratory, settings};

const CAM: MessageService = MessageService::CamOverGeoNetworking;

/// Returns true if a frame carries its signer's certificate.
fn has_certificate(frame: &[u8]) -> bool {
    let found = detect(frame).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = &found.data.content else {
        panic!("not signed");
    };
    matches!(signed.signer, SignerIdentifier::Certificate(_))
}

fn neighbourhood(seed: u64, count: usize, seconds: u64) -> Vec<(usize, u64, bool, usize)> {
    let mut random = Random::new(seed);
    let laboratory = laboratory(&mut random, 1);
    let mut places: Vec<PlacedStation> = (0..count)
        .map(|at| {
            let plan = Plan {
                speed: 5.0 + at as f64 * 2.0,
                ..Plan::new(settings(CAM, ChangeRules::ON_DEMAND), at as f64)
            };
            plan.place(&laboratory, &mut random)
        })
        .collect();
    let mut sent = Vec::new();
    let mut heard: BTreeMap<usize, BTreeSet<[u8; 6]>> = BTreeMap::new();
    let mut refused = Vec::new();
    run(&mut places, Duration::from_secs(seconds), &mut |happened| {
        let StationEvent {
            station,
            now,
            event,
        } = happened;
        match event {
            NeighbourhoodEvent::Sent { frame, .. } => {
                let bytes = &frame.bytes;
                sent.push((station, now.time.0, has_certificate(bytes), bytes.len()));
            }
            NeighbourhoodEvent::Heard(reception) => match reception.verdict {
                ReceptionVerdict::Accepted { .. } => {
                    heard.entry(station).or_default().insert(reception.link);
                }
                other => refused.push((now.elapsed, other.name())),
            },
            other => panic!("{other:?}"),
        }
    });
    for station in 0..count {
        assert_eq!(heard[&station].len(), count - 1, "station {station}");
    }
    // The first message of each carries the certificate, so nothing is ever refused.
    assert_eq!(refused, []);
    sent
}

#[test]
fn each_station_hears_each_other_and_everything_is_verified() {
    let sent = neighbourhood(31, 8, 12);
    for station in 0..8 {
        let own: Vec<_> = sent.iter().filter(|one| one.0 == station).collect();
        let gaps: Vec<u64> = own.windows(2).map(|two| two[1].1 - two[0].1).collect();
        assert!(gaps.iter().all(|gap| (100_000..=1_010_000).contains(gap)));
        // Once a second, in the first message after that second \[TS 103 097 §7.1.1\], and earlier
        // while the stations are new to each other.
        let is_settled = |time: &u64| *time >= own[0].1 + 2_000_000;
        let full = own.iter().filter(|one| one.2).map(|one| one.1);
        let full: Vec<u64> = full.filter(is_settled).collect();
        assert!(full.len() >= 4, "{full:?}");
        let seconds = full.windows(2).map(|two| two[1] - two[0]);
        for between in seconds {
            assert!((1_000_000..=2_000_000).contains(&between), "{between}");
        }
        assert!(own[0].2);
    }
    // Faster cars send more: 4 m at 19 m/s are 210 ms, and at 5 m/s 800 ms.
    let count = |station| sent.iter().filter(|one| one.0 == station).count();
    assert!(count(7) > 2 * count(0), "{} {}", count(7), count(0));
}

#[test]
fn the_same_seed_gives_the_same_neighbourhood() {
    assert_eq!(neighbourhood(5, 3, 3), neighbourhood(5, 3, 3));
    assert_ne!(neighbourhood(5, 3, 3), neighbourhood(6, 3, 3));
}

/// Certificates come each ten seconds only, and in the next message after one of an unknown ticket:
/// a station that comes in between gets them for its first message, and asks for what is lost.
#[test]
fn late_joiner_verifies_within_300_ms_of_its_first_message() {
    let mut random = Random::new(8);
    let laboratory = laboratory(&mut random, 1);
    let rarely = |sender: waywarden_v2x_signing::MessageSigner| {
        let profile = SendingProfile {
            certificate: CertificateRule::Every(10_000_000),
            ..SendingProfile::of(its_aid::CAM)
        };
        sender.with_profile(its_aid::CAM, profile)
    };
    let mut places: Vec<PlacedStation> = (0..6)
        .map(|at| {
            let plan = Plan {
                // Ten messages a second.
                speed: 45.0,
                joins: Duration::from_secs(if at == 5 { 4 } else { 0 }),
                sender: rarely,
                ..Plan::new(settings(CAM, ChangeRules::ON_DEMAND), at as f64)
            };
            plan.place(&laboratory, &mut random)
        })
        .collect();
    let mut came = None;
    let mut first = BTreeMap::new();
    run(&mut places, Duration::from_secs(6), &mut |happened| {
        let StationEvent {
            station,
            now,
            event,
        } = happened;
        if station != 5 {
            return;
        }
        match event {
            NeighbourhoodEvent::Sent { .. } => {
                came.get_or_insert(now.elapsed);
            }
            NeighbourhoodEvent::Heard(reception) => match reception.verdict {
                ReceptionVerdict::Accepted { .. } => {
                    first.entry(reception.link).or_insert(now.elapsed);
                }
                ReceptionVerdict::Refused { code, .. } => {
                    assert_eq!(code, ResultCode::ParsingCertificateNotFound);
                }
                ReceptionVerdict::PayloadRefused { reason: why }
                | ReceptionVerdict::Unanswered(why) => {
                    panic!("{why}")
                }
            },
            _ => {}
        }
    });
    let came = came.expect("a message");
    assert_eq!(first.len(), 5);
    for (link, first) in first {
        let waited = first.saturating_sub(came);
        println!(
            "{link:02x?}: {} ms after the first message",
            waited.as_millis()
        );
        assert!(waited <= Duration::from_millis(300), "{waited:?}");
    }
}

/// A station of another authority is heard once that authority's certificate was learnt.
#[test]
fn unknown_authority_is_learnt_through_requested_certificate() {
    let mut random = Random::new(9);
    let laboratory = laboratory(&mut random, 2);
    let mut places: Vec<PlacedStation> = (0..4)
        .map(|at| {
            let plan = Plan {
                speed: 45.0,
                authority: usize::from(at == 3),
                known: if at == 3 { 2 } else { 1 },
                ..Plan::new(settings(CAM, ChangeRules::ON_DEMAND), at as f64)
            };
            plan.place(&laboratory, &mut random)
        })
        .collect();
    let (mut refused, mut accepted) = (BTreeSet::new(), BTreeMap::new());
    let mut link_of_3 = None;
    run(&mut places, Duration::from_secs(4), &mut |happened| {
        let StationEvent {
            station,
            now,
            event,
        } = happened;
        match event {
            NeighbourhoodEvent::Sent { frame, .. } if station == 3 => {
                link_of_3.get_or_insert_with(|| <[u8; 6]>::try_from(&frame.bytes[6..12]).unwrap());
            }
            NeighbourhoodEvent::Heard(reception) if Some(reception.link) == link_of_3 => {
                match reception.verdict {
                    ReceptionVerdict::Accepted { .. } => {
                        accepted.entry(station).or_insert(now.elapsed);
                    }
                    ReceptionVerdict::Refused { code, .. } => {
                        refused.insert((station, code.name()));
                    }
                    ReceptionVerdict::PayloadRefused { reason: why }
                    | ReceptionVerdict::Unanswered(why) => {
                        panic!("{why}")
                    }
                }
            }
            _ => {}
        }
    });
    let lacking = ResultCode::ChainNotEnoughInformationToConstructChain.name();
    for station in 0..3 {
        assert!(refused.contains(&(station, lacking)), "{refused:?}");
        assert!(
            accepted[&station] < Duration::from_millis(1_500),
            "{accepted:?}"
        );
    }
}
