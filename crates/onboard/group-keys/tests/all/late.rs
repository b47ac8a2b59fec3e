//! A slow board at a fast orchestrator: the proof of the key comes before the key. And an order
//! that comes long after its announcement.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::{Node, Ports};
use waywarden_group_keys::{
    GroupDirectory, GroupHeader, GroupProfile, GroupRoleEvent, Orchestration, Scheme, Step,
};
use waywarden_key_suites::FourQ;
use waywarden_work::{Duration, Instant};

use crate::hand::{Hand, ORCHESTRATOR, order, pair};
use crate::network::{Fleet, NetworkConfig, TestMember};
use crate::schemes::SCHEMES;

/// A fleet whose last ECU alone takes time to compute; it acts for itself alone, so the others do
/// not wait for it.
fn with_a_slow_one(network_config: &NetworkConfig) -> Fleet<FourQ> {
    Fleet::with(network_config, |config| {
        let slow = Board::builtin("tc297").unwrap();
        config.ecus[usize::from(network_config.ecus) - 1].board = Arc::new(slow);
    })
}

fn renew(fleet: &Fleet<FourQ>) {
    fleet
        .orchestrator
        .borrow_mut()
        .as_mut()
        .unwrap()
        .renew(false);
}

/// Returns how often the members said that they missed a key.
fn missed(fleet: &Fleet<FourQ>) -> usize {
    let events = |at: &mut TestMember<FourQ>| core::iter::from_fn(|| at.event()).collect();
    let members = fleet.members.iter();
    let events = members.flat_map(|member| -> Vec<GroupRoleEvent> {
        events(member.borrow_mut().as_mut().expect("it runs"))
    });
    events
        .filter(|event| matches!(event, GroupRoleEvent::Missed { .. }))
        .count()
}

fn one_proof_is_enough(network_config: &NetworkConfig) {
    println!("{network_config:?}");
    let mut fleet = with_a_slow_one(network_config);
    // The proof would be repeated 200 ms after the first one, and the beacon comes after a second.
    fleet.run(900);
    assert_eq!(missed(&fleet), 0);
    fleet.assert_agreed();
    let first = fleet.key(0);
    assert_eq!(fleet.frames(&[Step::Finish]), 1);
    // Again, with a key in use: what takes its place comes late, and no member asks for it.
    renew(&fleet);
    fleet.run(2_300);
    assert_eq!(missed(&fleet), 0);
    fleet.assert_agreed();
    assert_ne!(fleet.key(0), first);
    assert_eq!(fleet.frames(&[Step::Report]), 0);
    let acknowledged = fleet.frames(&[Step::Acknowledge]);
    assert_eq!(acknowledged, 2 * usize::from(network_config.ecus));
}

#[test]
fn a_proof_that_comes_before_the_key_is_not_lost() {
    for scheme in SCHEMES {
        one_proof_is_enough(&NetworkConfig::new(scheme, 3));
    }
    one_proof_is_enough(&NetworkConfig {
        orchestration: Orchestration::Once,
        ..NetworkConfig::new(Scheme::TreeWithoutOrchestrator, 3)
    });
}

/// A board that is slower than all others follows what they do as far as it can, and gets the rest
/// when it says what it lacks: the orchestrator slows down.
fn comes_to_the_key(network_config: &NetworkConfig) {
    println!("{network_config:?}");
    let mut fleet = with_a_slow_one(network_config);
    fleet.run(8_000);
    fleet.assert_agreed();
    let (first, reports) = (fleet.key(0), fleet.frames(&[Step::Report]));
    // Where all go on by themselves, a time-out that all take part in has to pass.
    let each = network_config.orchestration == Orchestration::Each;
    assert!(reports < 8 || !each, "{reports} reports");
    // From then on it can follow.
    renew(&fleet);
    fleet.run(14_000);
    fleet.assert_agreed();
    assert_ne!(fleet.key(0), first);
    assert!(fleet.frames(&[Step::Report]) <= reports + 1 || !each);
}

#[test]
fn a_board_that_cannot_follow_comes_to_the_key_in_the_end() {
    for ecus in [4, 8, 16, 31] {
        for scheme in SCHEMES {
            comes_to_the_key(&NetworkConfig::new(scheme, ecus));
        }
        comes_to_the_key(&NetworkConfig {
            orchestration: Orchestration::Once,
            ..NetworkConfig::new(Scheme::TreeWithoutOrchestrator, ecus)
        });
    }
}

/// An orchestrator with several buses waits `exchange` for the last one to send an announcement,
/// and sends the order then.
#[test]
fn an_order_that_waited_for_another_bus_is_obeyed() {
    let network = pair(GroupProfile::Hardened, [(1, 1), (2, 2)]);
    let exchange = network.settings().timing.exchange;
    let (_, frames) = order(&network, ORCHESTRATOR);
    for millis in [0, 1, 20] {
        let mut member = Hand::new(1, &network);
        assert_eq!(member.give(&frames[..1]), []);
        let due = Instant::ZERO + exchange;
        let _ = member.0.poll(due, Ports::ALL);
        let sent = member.give_at(due + Duration::from_millis(millis), &frames[1..]);
        let steps: Vec<Option<Step>> = sent
            .iter()
            .map(|frame| GroupHeader::of(frame).map(|(step, _)| step))
            .collect();
        assert_eq!(steps, [Some(Step::ShareA)], "{millis} ms");
    }
}

/// The renewals that members reported to have brought them no key, by member, the last of each.
fn starved(fleet: &Fleet<FourQ>) -> Vec<u32> {
    let last = |at: &mut TestMember<FourQ>| {
        let events = core::iter::from_fn(|| at.event());
        let starved = events.filter_map(|event| match event {
            GroupRoleEvent::Starved { renewals } => Some(renewals),
            _ => None,
        });
        starved.last().unwrap_or(0)
    };
    let members = fleet.members.iter();
    members
        .map(|member| last(member.borrow_mut().as_mut().expect("it runs")))
        .collect()
}

/// Renews 40 times at a fixed pace, without waiting for acknowledgements.
fn renewed_every(network_config: &NetworkConfig, millis: u64) -> Vec<u32> {
    let mut fleet = with_a_slow_one(network_config);
    let mut most = vec![0; usize::from(network_config.ecus)];
    for round in 1..=40 {
        fleet.run(round * millis);
        for (most, now) in most.iter_mut().zip(starved(&fleet)) {
            *most = now.max(*most);
        }
        renew(&fleet);
    }
    println!("{network_config:?}: {most:?} every {millis} ms");
    most
}

#[test]
fn a_member_that_no_renewal_brings_a_key_reports_that_it_starves() {
    for scheme in SCHEMES {
        for profile in [GroupProfile::Hardened, GroupProfile::AsPublished] {
            let network_config = NetworkConfig {
                profile,
                ..NetworkConfig::new(scheme, 3)
            };
            let hurried = renewed_every(&network_config, 20);
            assert!(hurried[2] >= 8, "{hurried:?}");
            // Renewals that all can follow starve no member.
            assert_eq!(renewed_every(&network_config, 1_000), [0; 3]);
        }
    }
}
