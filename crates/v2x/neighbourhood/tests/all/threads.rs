//! Stations on threads, over both links.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use waywarden_testkit::Random;
use waywarden_v2x_link::{UdpLink, UdpSettings};
use waywarden_v2x_neighbourhood::real_time::{Running, StationLink, WireLink, medium};
use waywarden_v2x_neighbourhood::virtual_time::PlacedStation;
use waywarden_v2x_neighbourhood::{Command, NeighbourhoodEvent, ReceptionVerdict};
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::denm::DenmEvent as RoadEvent;
use waywarden_v2x_station::pseudonym::ChangeRules;

use crate::road::{Plan, laboratory, settings};

const RULES: ChangeRules = ChangeRules {
    silence_us: 100_000,
    ..ChangeRules::ON_DEMAND
};

/// Three stations on threads, until each has heard each other and one has become another.
fn talk(links: Vec<Box<dyn StationLink>>) {
    let mut random = Random::new(3);
    let laboratory = laboratory(&mut random, 1);
    let places: Vec<PlacedStation> = (0..3)
        .map(|at| {
            let settings = settings(MessageService::CamOverGeoNetworking, RULES);
            let plan = Plan {
                speed: 45.0,
                ..Plan::new(settings, at as f64)
            };
            plan.place(&laboratory, &mut random)
        })
        .collect();
    let running = Running::start(places.into_iter().zip(links).collect()).unwrap();
    running.command(0, Command::Trigger(RoadEvent::new(94, 0)));
    let begun = Instant::now();
    let (mut pairs, mut changed, mut events) = (BTreeSet::new(), 0, 0);
    while pairs.len() < 8 || events == 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{pairs:?}");
        let Some(happened) = running.next(Duration::from_millis(100)) else {
            continue;
        };
        match happened.event {
            NeighbourhoodEvent::Heard(reception) => {
                // A message can come while its sender, or the receiver, becomes another one.
                if let ReceptionVerdict::Accepted { signer, .. } = reception.verdict {
                    pairs.insert((happened.station, signer));
                }
                let is_event = reception.content.is_some_and(|content| {
                    matches!(
                        content.kind,
                        waywarden_v2x_station::content::StationMessageKind::Denm(_)
                    )
                });
                events += usize::from(is_event);
                if pairs.len() == 6 && changed == 0 {
                    running.command(0, Command::Cancel(None));
                    running.command(1, Command::ChangePseudonym);
                    changed = 1;
                }
            }
            NeighbourhoodEvent::PseudonymChanged { .. } => changed += 1,
            NeighbourhoodEvent::Impaired(cause) => panic!("{cause}"),
            NeighbourhoodEvent::CommandRefused { reason } => panic!("{reason}"),
            _ => {}
        }
    }
    assert_eq!(changed, 2);
    assert!(!running.is_broken());
    assert_eq!(running.lost_events(), 0);
    let (places, _) = running.stop();
    assert_eq!(places.len(), 3);
}

#[test]
fn stations_on_threads_hear_each_other_and_change_their_pseudonyms() {
    let links = medium(3).into_iter();
    talk(
        links
            .map(|link| Box::new(link) as Box<dyn StationLink>)
            .collect(),
    );
}

/// A group of this test's own, so that other tests are not heard.
fn udp() -> UdpSettings {
    let mut settings = UdpSettings::default();
    settings
        .group
        .set_port(20_000 + (std::process::id() % 20_000) as u16);
    settings
}

#[test]
fn stations_hear_each_other_over_udp_multicast() {
    let link = |_| {
        let link = UdpLink::open(udp()).unwrap();
        Box::new(WireLink::new(Box::new(link))) as Box<dyn StationLink>
    };
    talk((0..3).map(link).collect());
}
