//! One signed start for a fixed tree [GKE §V-C]: what it costs, and what an attacker makes of it.

use waywarden_can::Frame;
use waywarden_group_keys::{GroupHeader, GroupProfile, Orchestration, Scheme, Step, Transport};
use waywarden_key_suites::FourQ;

use crate::insider::Foothold;
use crate::network::{Fleet, NetworkConfig};
use crate::schemes::SCHEMES;

const PROFILES: [GroupProfile; 2] = [GroupProfile::AsPublished, GroupProfile::Hardened];

fn network_config(profile: GroupProfile, ecus: u8) -> NetworkConfig {
    NetworkConfig {
        profile,
        orchestration: Orchestration::Once,
        ..NetworkConfig::new(Scheme::TreeWithoutOrchestrator, ecus)
    }
}

#[test]
fn one_order_and_its_freshness_are_all_that_is_not_exchanged() {
    for ecus in 2..=16_u8 {
        let n = usize::from(ecus);
        for (transport, share, signature, finish) in [
            (Transport::Fd, 1, 1, 1 + 1),
            (Transport::Classic, 4, 8, 3 + 8),
        ] {
            let exchanges = n * 2 * (share + signature);
            for (profile, others) in [
                (GroupProfile::AsPublished, signature),
                (GroupProfile::Hardened, 1 + signature + finish + n),
            ] {
                let mut fleet = Fleet::<FourQ>::new(&NetworkConfig {
                    transport,
                    ..network_config(profile, ecus)
                });
                fleet.run(900);
                fleet.assert_agreed();
                let all = fleet.sent.values().sum::<usize>();
                assert_eq!(all, exchanges + others, "{n} {transport:?} {profile:?}");
            }
        }
    }
}

fn tapped(network_config: &NetworkConfig) -> (Fleet<FourQ>, Foothold) {
    let mut foothold = None;
    let fleet = Fleet::with(network_config, |config| {
        foothold = Some(Foothold::on_the_bus(config));
    });
    (fleet, foothold.unwrap())
}

/// A renewal while driving must not win over the traffic of the application.
fn gives_way(network_config: &NetworkConfig) {
    println!("{network_config:?}");
    let (mut fleet, foothold) = tapped(network_config);
    fleet.run(600);
    fleet.assert_agreed();
    let (before, first) = (foothold.heard.lock().unwrap().len(), fleet.key(0));
    let role = fleet.orchestrator.clone();
    role.borrow_mut().as_mut().unwrap().renew(true);
    foothold.stir();
    fleet.run(1_200);
    fleet.assert_agreed();
    assert_ne!(fleet.key(0), first);
    let heard = foothold.heard.lock().unwrap();
    let mut renewal = heard[before..].iter().filter_map(GroupHeader::of);
    assert!(renewal.all(|(_, header)| header.gives_way));
}

#[test]
fn a_renewal_gives_way_in_every_frame() {
    for profile in PROFILES {
        gives_way(&network_config(profile, 6));
        for scheme in SCHEMES {
            gives_way(&NetworkConfig {
                profile,
                ..NetworkConfig::new(scheme, 6)
            });
        }
    }
}

/// Returns the frames of these steps.
fn of_steps(frames: &[Frame], steps: &[Step]) -> Vec<Frame> {
    let of = |frame: &&Frame| GroupHeader::of(frame).is_some_and(|(step, _)| steps.contains(&step));
    frames.iter().filter(of).copied().collect()
}

/// A replayed start takes effect again within the unit of the time stamp: every ECU throws away its
/// secrets and exchanges again.
#[test]
fn a_replayed_start_is_obeyed_again() {
    for (profile, obeyed) in [
        (GroupProfile::AsPublished, true),
        (GroupProfile::Hardened, false),
    ] {
        let (mut fleet, foothold) = tapped(&network_config(profile, 4));
        fleet.run(600);
        fleet.assert_agreed();
        let recorded = foothold.heard.lock().unwrap().clone();
        let start = of_steps(&recorded, &[Step::Freshness, Step::Start]);
        assert!(!start.is_empty());
        start.iter().for_each(|frame| foothold.inject(*frame));
        fleet.run(900);
        let heard = foothold.heard.lock().unwrap();
        let shares = of_steps(&heard[recorded.len()..], &[Step::ShareA, Step::ShareB]);
        assert_eq!(!shares.is_empty(), obeyed, "{profile:?}");
    }
}

/// A start that the orchestrator did not sign for this moment: with another number of freshness, or
/// with one bit of the signature changed.
#[test]
fn a_start_that_the_orchestrator_did_not_sign_moves_no_one() {
    for forge_freshness in [true, false] {
        let (mut fleet, foothold) = tapped(&network_config(GroupProfile::Hardened, 4));
        fleet.run(600);
        let key = fleet.key(0);
        let recorded = foothold.heard.lock().unwrap().clone();
        for frame in of_steps(&recorded, &[Step::Freshness, Step::Start]) {
            let (step, _) = GroupHeader::of(&frame).unwrap();
            let mut data = frame.data().to_vec();
            match (step, forge_freshness) {
                // Later than all that was seen.
                (Step::Freshness, _) => data[6] = 1,
                (_, false) => data[20] ^= 1,
                _ => {}
            }
            foothold.inject(Frame::fd(frame.id(), &data).unwrap());
        }
        fleet.run(900);
        fleet.assert_agreed();
        assert_eq!(fleet.key(0), key);
        let heard = foothold.heard.lock().unwrap();
        let shares = of_steps(&heard[recorded.len()..], &[Step::ShareA, Step::ShareB]);
        assert!(shares.is_empty());
    }
}
