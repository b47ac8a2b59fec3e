//! Orders that a gateway holds back until an ECU that they name has been removed: with the rest of
//! that ECU's keys the attacker goes through the agreement that the orchestrator gave up, and ends
//! it. No ECU may take that key into use.

mod gateway;

use std::sync::atomic::Ordering::Relaxed;
use waywarden_can::Frame;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{EcuFault, EcuFaultKind};
use waywarden_group_keys::{Address, GroupDirectory, GroupHeader, Orchestration, Scheme, Step};
use waywarden_key_suites::{CurveSuite, FourQ, P256};

use crate::insider::Foothold;
use crate::network::{Fleet, NetworkConfig};
use crate::schemes::SCHEMES;

use gateway::Delayed;

/// The ECU that is removed; the attacker has all its keys. It runs on as it was, cut off.
const REMOVED: u8 = 3;

const fn milli(at: u64) -> Time {
    Time::from_nanos(at * 1_000_000)
}

/// The freshness among held frames.
fn freshness_of(frames: &[Frame]) -> u64 {
    let of = |frame: &&Frame| matches!(GroupHeader::of(frame), Some((Step::Freshness, _)));
    let last = frames.iter().rev().find(of);
    u64::from_be_bytes(last.unwrap().data().try_into().unwrap())
}

fn is_order(step: Step) -> bool {
    matches!(step, Step::Freshness | Step::Orchestration)
}

/// Holds back the root's order.
fn holds_root(step: Step, header: GroupHeader, root: Address) -> (bool, bool) {
    let of_root = header.result == root && is_order(step);
    (of_root, of_root && step == Step::Orchestration)
}

/// Resets ECUs 1 and 2, between the removal and what was held back.
fn resets() -> Vec<(usize, EcuFault)> {
    let fault = EcuFault {
        from: milli(10_000),
        until: milli(10_001),
        kind: EcuFaultKind::Reset,
    };
    vec![(0, fault), (1, fault)]
}

fn held_back_root<S: CurveSuite + 'static>(
    scheme: Scheme,
    ecus: u8,
    with_a_key: bool,
    reset: bool,
) {
    println!("{scheme:?} with a key: {with_a_key}, reset: {reset}");
    let faults = if reset { resets() } else { Vec::new() };
    let network_config = NetworkConfig::new(scheme, ecus);
    let mut at = Delayed::<S>::new(&network_config, holds_root, !with_a_key, &faults);
    at.fleet.run(600);
    if with_a_key {
        at.fleet.assert_agreed();
        at.renew();
        at.fleet.run(1_200);
    }
    let held = at.gate.held.lock().unwrap().clone();
    assert_eq!(held.len(), 2);
    at.remove();
    at.fleet.run(12_000);
    let epoch = freshness_of(&held);
    let mut again = held;
    if reset {
        // They have lost the secret of their half, and are to agree on it once more.
        let plan = &at.fleet.directory.settings().plan;
        let half = plan.parent(Address(1));
        let passed = at.gate.passed.lock().unwrap();
        let of_half = |frame: &&Frame| {
            GroupHeader::of(frame)
                .is_some_and(|(step, header)| is_order(step) && header.result == half)
        };
        let orders: Vec<Frame> = passed.iter().filter(of_half).copied().collect();
        assert_eq!(orders.len(), 2);
        drop(passed);
        orders.iter().for_each(|frame| at.say(*frame));
        at.fleet.run(12_100);
        again.truncate(2);
    }
    at.withstands(&again, epoch, &[0, 1]);
}

#[test]
fn a_roots_order_held_back_until_a_removal_gives_no_one_a_key() {
    for with_a_key in [false, true] {
        held_back_root::<FourQ>(Scheme::TreeWithOrchestrator, 4, with_a_key, false);
        held_back_root::<FourQ>(Scheme::TreeWithoutOrchestrator, 3, with_a_key, false);
        held_back_root::<P256>(Scheme::TreeWithoutOrchestrator, 3, with_a_key, false);
    }
}

/// With the orchestrator in every leaf nothing can be said again to who has lost its secrets.
#[test]
fn nor_does_it_after_a_reset() {
    for with_a_key in [false, true] {
        held_back_root::<FourQ>(Scheme::TreeWithoutOrchestrator, 3, with_a_key, true);
        held_back_root::<P256>(Scheme::TreeWithoutOrchestrator, 3, with_a_key, true);
    }
}

/// Holds back what the others than the removed one are to be given.
fn holds_deliveries(step: Step, header: GroupHeader, root: Address) -> (bool, bool) {
    let delivery = matches!(step, Step::MasterSignature | Step::MasterSecret);
    let announced = step == Step::Freshness && header.result == root;
    let others = delivery && header.second != Address(REMOVED);
    let last = step == Step::MasterSecret && header.second == Address(4);
    (others || announced, last)
}

/// The orchestrator has distributed, and removes a member before it has proven the key.
#[test]
fn a_master_secret_held_back_until_a_removal_gives_no_one_a_key() {
    for with_a_key in [false, true] {
        let network_config = NetworkConfig {
            board: "tc297",
            ..NetworkConfig::new(Scheme::SymmetricDistribution, 4)
        };
        let mut at = Delayed::<FourQ>::new(&network_config, holds_deliveries, !with_a_key, &[]);
        if with_a_key {
            at.fleet.run(600);
            at.fleet.assert_agreed();
            at.renew();
        }
        let mut now = at.now();
        while !at.gate.shut.load(Relaxed) {
            now += 1;
            at.fleet.run(now);
            assert!(now < 1_200, "nothing was distributed");
        }
        let ends = at.fleet.frames(&[Step::End]);
        at.remove();
        at.fleet.run(12_000);
        let held = at.gate.held.lock().unwrap().clone();
        let epoch = freshness_of(&held);
        // The removed one gets its own, with the announcement that belongs to it.
        let mut again = held;
        let passed = at.gate.passed.lock().unwrap().clone();
        let own = |frame: &&Frame| {
            GroupHeader::of(frame)
                .is_some_and(|(step, _)| matches!(step, Step::MasterSignature | Step::MasterSecret))
        };
        again.extend(passed.iter().filter(own));
        // On either side of the gateway, that of the key before.
        assert_eq!(ends, 2 * usize::from(with_a_key), "it was never ended");
        at.withstands(&again, epoch, &[0, 1, 3]);
    }
}

/// Holds back nothing: ECUs 1 and 2 are cut off when the start comes.
fn holds_nothing(_: Step, _: GroupHeader, _: Address) -> (bool, bool) {
    (false, false)
}

/// One start for the whole tree: the half of the removed ECU is through, the others hear of it when
/// that one is removed, and have been reset or not.
#[test]
fn a_start_held_back_until_a_removal_gives_no_one_a_key() {
    for (with_a_key, reset) in [(false, false), (true, false), (true, true)] {
        println!("with a key: {with_a_key}, reset: {reset}");
        let begin = if with_a_key { 1_000 } else { 0 };
        let cut = EcuFault {
            from: milli(begin).max(Time::from_nanos(1_000)),
            until: milli(begin + 150),
            kind: EcuFaultKind::Open { port: 0 },
        };
        let again = EcuFault {
            from: milli(begin + 120),
            until: milli(begin + 121),
            kind: EcuFaultKind::Reset,
        };
        let mut faults = vec![(0, cut), (1, cut)];
        if reset {
            faults.extend([(0, again), (1, again)]);
        }
        let network_config = NetworkConfig {
            orchestration: Orchestration::Once,
            ..NetworkConfig::new(Scheme::TreeWithoutOrchestrator, 3)
        };
        let mut at = Delayed::<FourQ>::new(&network_config, holds_nothing, !with_a_key, &faults);
        if with_a_key {
            at.fleet.run(begin);
            at.fleet.assert_agreed();
            at.fleet.run(begin + 2);
            at.renew();
        }
        at.fleet.run(begin + 50);
        at.gate.shut.store(true, Relaxed);
        at.remove();
        at.fleet.run(begin + 200);
        let passed = at.gate.passed.lock().unwrap().clone();
        let of_start = |frame: &&Frame| {
            let root = at.fleet.directory.settings().plan.root();
            GroupHeader::of(frame).is_some_and(|(step, header)| {
                matches!(step, Step::Freshness | Step::Start) && header.result == root
            })
        };
        let mut again: Vec<Frame> = passed.iter().filter(of_start).copied().collect();
        assert_eq!(again.len(), 2);
        let epoch = freshness_of(&again);
        // The share of the other half was on the bus while they were cut off.
        let heard = at.foothold.heard.lock().unwrap().clone();
        let root = at.fleet.directory.settings().plan.root();
        let of_half = |frame: &&Frame| {
            let (step, header) = GroupHeader::of(frame).expect("only the protocol's are heard");
            step == Step::ShareB && header.result == root
        };
        again.extend(heard.iter().rfind(of_half));
        at.withstands(&again, epoch, &[0, 1]);
    }
}

/// The freshness of the key that was in use is kept over a reset: what was ordered on the way to it
/// is not obeyed again.
#[test]
fn a_member_that_was_reset_obeys_no_earlier_order() {
    for scheme in SCHEMES {
        let mut foothold = None;
        let mut fleet = Fleet::<FourQ>::with(&NetworkConfig::new(scheme, 4), |config| {
            foothold = Some(Foothold::on_the_bus(config));
            config.ecus[0].faults.push(EcuFault {
                from: milli(700),
                until: milli(701),
                kind: EcuFaultKind::Reset,
            });
        });
        let foothold = foothold.unwrap();
        fleet.run(600);
        fleet.assert_agreed();
        fleet.run(720);
        assert_eq!(fleet.key(0), None, "it was reset");
        let leaf = fleet.directory.settings().plan.parent(Address(1));
        let recorded = foothold.heard.lock().unwrap().clone();
        let of_leaf = |frame: &&Frame| {
            GroupHeader::of(frame)
                .is_some_and(|(step, header)| is_order(step) && header.result == leaf)
        };
        let orders: Vec<Frame> = recorded.iter().filter(of_leaf).copied().collect();
        assert_eq!(orders.len(), 2);
        let said = fleet.frames(&[Step::ShareA]);
        for (order, until) in orders.into_iter().zip([725, 760]) {
            foothold.inject(order);
            fleet.run(until);
        }
        assert_eq!(fleet.frames(&[Step::ShareA]), said, "{scheme:?}");
    }
}
