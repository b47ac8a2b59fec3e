//! Each message is suppressed, modified, repeated or delayed once, and all are replayed at random.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{EcuFault, EcuFaultKind};
use waywarden_can_sim::random::Random;
use waywarden_group_keys::{Address, GroupHeader, Orchestration, Scheme, Step};
use waywarden_key_suites::{CurveSuite, FourQ, P256};

use crate::insider::{Foothold, Pass, frame_of, other_side};
use crate::network::{Fleet, NetworkConfig};
use crate::schemes::SCHEMES;

/// An action of the gateway on frames of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meddling {
    Drop,
    Flip,
    Repeat,
    /// Lets the next frame pass first.
    Delay,
    /// Puts the payload before it with this step in its place, of whatever exchange; of reports,
    /// the whole frame.
    Replace,
    /// Gives it the name of another step.
    Rename,
    /// Says it in the name of the other participant.
    Swap,
}

const MEDDLING: [Meddling; 7] = [
    Meddling::Drop,
    Meddling::Flip,
    Meddling::Repeat,
    Meddling::Delay,
    Meddling::Replace,
    Meddling::Rename,
    Meddling::Swap,
];

/// The steps on the way to a key, whatever the scheme and its starting message.
const STEPS: [Step; 9] = [
    Step::Freshness,
    Step::ShareA,
    Step::ShareB,
    Step::ConfirmationA,
    Step::ConfirmationB,
    Step::Finish,
    Step::End,
    Step::Acknowledge,
    Step::Report,
];

/// The gateway's switch, and the number of its actions.
#[derive(Default)]
struct Switch {
    on: AtomicBool,
    applied: AtomicUsize,
}

/// Meddles with every frame of a step while it is on.
fn meddle(with: Step, how: Meddling, switch: &Arc<Switch>) -> Pass {
    let (switch, mut held, mut last) = (switch.clone(), None, None);
    Box::new(move |port, frame| {
        let to = other_side(port);
        let mut out = Vec::new();
        let (step, header) = GroupHeader::of(frame).unwrap_or((Step::Start, UNKNOWN));
        if GroupHeader::of(frame).is_none() || step != with || !switch.on.load(Relaxed) {
            out.push((to, *frame));
            out.extend(held.take());
            return out;
        }
        match how {
            Meddling::Drop => {}
            Meddling::Flip => {
                let mut data = frame.data().to_vec();
                data[0] ^= 1;
                out.push((to, frame_of(header, step, &data)));
            }
            Meddling::Repeat => out.extend([(to, *frame), (to, *frame)]),
            Meddling::Delay => out.extend(held.replace((to, *frame))),
            Meddling::Replace => {
                let earlier: waywarden_can::Frame = last.replace(*frame).unwrap_or(*frame);
                let replaced = match step {
                    Step::Report => earlier,
                    _ => frame_of(header, step, earlier.data()),
                };
                out.push((to, replaced));
            }
            Meddling::Rename => out.push((to, frame_of(header, other(step), frame.data()))),
            Meddling::Swap => {
                let (first, second) = (header.second, header.first);
                let header = GroupHeader {
                    first,
                    second,
                    ..header
                };
                out.push((to, frame_of(header, step, frame.data())));
            }
        }
        if out != [(to, *frame)] {
            switch
                .applied
                .store(switch.applied.load(Relaxed) + 1, Relaxed);
        }
        out
    })
}

/// Returns a step whose name another one may be given.
fn other(step: Step) -> Step {
    match step {
        Step::ShareA => Step::ShareB,
        Step::ShareB => Step::ShareA,
        Step::ConfirmationA => Step::ConfirmationB,
        Step::ConfirmationB | Step::Start => Step::ConfirmationA,
        Step::MasterSignature => Step::Orchestration,
        Step::Orchestration => Step::Start,
        Step::MasterSecret => Step::ShareA,
        Step::Finish => Step::End,
        _ => Step::Finish,
    }
}

pub(super) const UNKNOWN: GroupHeader = GroupHeader {
    gives_way: false,
    first: Address::NONE,
    second: Address::NONE,
    result: Address::NONE,
};

/// Notes who was on which key, and fails if two were on different ones in the same epoch.
fn compare<S: CurveSuite + 'static>(fleet: &Fleet<S>, keys: &mut BTreeMap<u64, [u8; 32]>) {
    let members = (0..fleet.members.len()).map(|member| fleet.key(member));
    for (epoch, key) in members.chain([fleet.orchestrators_key()]).flatten() {
        let known = keys.entry(epoch).or_insert(key);
        assert_eq!(*known, key, "two keys for epoch {epoch}");
    }
}

fn withstands<S: CurveSuite + 'static>(network_config: &NetworkConfig, with: Step, how: Meddling) {
    let what = format!("{network_config:?} {} {with:?} {how:?}", S::NAME);
    println!("{what}");
    let switch = Arc::new(Switch::default());
    switch.on.store(true, Relaxed);
    let mut foothold = None;
    let fleet = &mut Fleet::<S>::with(network_config, |config| {
        // ECU 2 acts for itself alone, ECU 3 for a logical one too.
        let pass = meddle(with, how, &switch);
        foothold = Some(Foothold::between(config, &[1, 2], pass));
        if with == Step::Report {
            // Otherwise there is nothing to report.
            for ecu in [1, 2] {
                config.ecus[ecu].faults.push(EcuFault {
                    from: Time::from_nanos(400_000_000),
                    until: Time::from_nanos(401_000_000),
                    kind: EcuFaultKind::Reset,
                });
            }
        }
    });
    let foothold = foothold.unwrap();
    let mut keys = BTreeMap::new();
    for at in 1..=30 {
        fleet.run(at * 50);
        compare(fleet, &mut keys);
        // A second time, so that there is something of before to be said again.
        if at == 12 && with != Step::Report {
            let role = fleet.orchestrator.clone();
            role.borrow_mut().as_mut().unwrap().renew(false);
            foothold.stir();
        }
    }
    switch.on.store(false, Relaxed);
    assert!(switch.applied.load(Relaxed) > 0, "{what}: nothing was done");
    for at in 1..=60 {
        fleet.run(1_500 + at * 100);
        compare(fleet, &mut keys);
    }
    fleet.assert_agreed();
}

/// Does everything to every step of a scheme; returns how many manipulations that were.
fn withstands_all<S: CurveSuite + 'static>(network_config: &NetworkConfig) -> usize {
    let order = match network_config.orchestration {
        Orchestration::Once => Step::Start,
        _ => Step::Orchestration,
    };
    let distribution: &[Step] = match network_config.scheme {
        Scheme::SymmetricDistribution => &[Step::MasterSignature, Step::MasterSecret],
        _ => &[],
    };
    let steps = STEPS.iter().chain([&order]).chain(distribution);
    let steps: Vec<Step> = steps.copied().collect();
    for &with in &steps {
        for how in MEDDLING {
            withstands::<S>(network_config, with, how);
        }
    }
    steps.len() * MEDDLING.len()
}

pub(super) fn once() -> NetworkConfig {
    NetworkConfig {
        orchestration: Orchestration::Once,
        ..NetworkConfig::new(Scheme::TreeWithoutOrchestrator, 4)
    }
}

/// Each is done at least once, or its run fails. `ASSURANCE.md` has the number.
#[test]
fn no_change_of_any_message_puts_an_ecu_on_a_wrong_key() {
    let recipes = SCHEMES.map(|scheme| NetworkConfig::new(scheme, 4));
    let mut done: usize = recipes.iter().map(withstands_all::<FourQ>).sum();
    done += withstands_all::<FourQ>(&once());
    assert_eq!(done, 294);
}

#[test]
fn the_same_with_p256() {
    let network_config = NetworkConfig::new(Scheme::TreeWithoutOrchestrator, 4);
    let done = withstands_all::<P256>(&network_config);
    assert_eq!(done, 70);
}

/// Says again what was heard, whenever and changed or not, and asks in others' names.
fn says_anything_again(scheme: Scheme, seed: u64) {
    println!("{scheme:?} seed {seed}");
    let mut random = Random::new(seed);
    let mut foothold = None;
    let fleet = &mut Fleet::<FourQ>::with(&NetworkConfig::new(scheme, 4), |config| {
        foothold = Some(Foothold::on_the_bus(config));
    });
    let foothold = foothold.unwrap();
    let mut keys = BTreeMap::new();
    for at in 1..=60 {
        fleet.run(at * 25);
        compare(fleet, &mut keys);
        let heard = foothold.heard.lock().unwrap();
        for _ in 0..8 {
            let Some(frame) = heard.get(random.below(heard.len().max(1) as u64) as usize) else {
                continue;
            };
            let (step, header) = GroupHeader::of(frame).expect("only the protocol's are heard");
            let mut data = frame.data().to_vec();
            if random.chance(0.3) {
                data[random.below(frame.data().len() as u64) as usize] ^= 0x10;
            }
            foothold.inject(frame_of(header, step, &data));
        }
        if random.chance(0.2) {
            let first = Address(1 + random.below(5) as u8);
            let result = Address(random.below(14) as u8);
            let header = GroupHeader {
                first,
                result,
                ..UNKNOWN
            };
            foothold.inject(frame_of(header, Step::Report, &[0]));
        }
    }
    for at in 1..=60 {
        fleet.run(1_500 + at * 100);
        compare(fleet, &mut keys);
    }
    fleet.assert_agreed();
}

#[test]
fn no_repeated_message_puts_an_ecu_on_a_wrong_key() {
    for scheme in SCHEMES {
        for seed in 0..10 {
            says_anything_again(scheme, seed);
        }
    }
}
