//! Agreement under fire: losses, bit errors, frames received twice, resets, late starters, cut
//! wires, random chatter, all by seed. Whatever happens, no ECU is confirmed on a key of an epoch
//! for which another ECU has another key; and when it stops, every ECU gets the common key.

use std::collections::BTreeMap;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::Boot;
use waywarden_can_sim::Config;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{EcuFault, EcuFaultKind};
use waywarden_can_sim::interferer::{BitErrors, DoubleReceive, ReceiverLocal};
use waywarden_can_sim::random::Random;
use waywarden_group_keys::{MergeOrder, OddLevel, Orchestration, Scheme, Transport};
use waywarden_key_suites::{CurveSuite, FourQ, P256};
use waywarden_testkit::{only_seed, seeds};
use waywarden_testkit_can::{Chatter, Sometimes};

use crate::network::{Fleet, NetworkConfig, ecu};
use crate::schemes::SCHEMES;

/// The end of the disturbances, in milliseconds.
const FIRE_MS: u64 = 1_500;

/// The time after that until all must be on the common key: a beacon, a report, and twice the
/// patience of a whole path with the attempts that an absent ECU costs.
const BOUND_MS: u64 = 6_000;

fn end_of_fire() -> Time {
    Time::from_nanos(FIRE_MS * 1_000_000)
}

/// Sets fire to a configuration; the orchestrator is its last ECU.
fn ignite(config: &mut Config, random: &mut Random) {
    let bus = &mut config.buses[0];
    if random.chance(0.5) {
        bus.interferers
            .push(Sometimes::boxed(BitErrors::new(2e-5), 1.0, end_of_fire()));
    }
    for node in &config.ecus {
        if random.chance(0.3) {
            let local = ReceiverLocal::new(node.name.clone(), 1e-4);
            bus.interferers
                .push(Sometimes::boxed(local, 1.0, end_of_fire()));
        }
    }
    if random.chance(0.5) {
        bus.interferers.push(Sometimes::boxed(
            DoubleReceive::of_all(1_000),
            0.2,
            end_of_fire(),
        ));
    }
    for node in &mut config.ecus {
        if random.chance(0.2) {
            node.start = Time::from_nanos(random.below(FIRE_MS * 1_000_000));
        }
        let from = random.below(FIRE_MS - 100);
        let until = from + 1 + random.below(FIRE_MS - from - 1);
        let kind = match random.below(6) {
            0 => EcuFaultKind::Reset,
            1 => EcuFaultKind::Open { port: 0 },
            2 => EcuFaultKind::Drift { ppb: 100_000 },
            _ => continue,
        };
        let [from, until] = [from, until].map(|at| Time::from_nanos(at * 1_000_000));
        if from > node.start {
            node.faults.push(EcuFault { from, until, kind });
        }
        // Boards of unequal speed: the slower one falls behind.
        if random.chance(0.1) {
            node.board = Arc::new(Board::builtin("tc224").unwrap());
        }
    }
    if random.chance(0.5) {
        let seed = random.next_u64();
        let build = move |boot: &Boot<'_>| Chatter::boxed(boot, seed);
        config
            .ecus
            .push(ecu("chatter".to_owned(), "ideal", Vec::new(), build));
    }
}

fn network_config(random: &mut Random, seed: u64) -> NetworkConfig {
    let scheme = SCHEMES[random.below(3) as usize];
    let mut pick = |of: u64| random.below(of);
    let fixed = scheme == Scheme::TreeWithoutOrchestrator && pick(3) == 0;
    NetworkConfig {
        odd: [OddLevel::Skipped, OddLevel::Promoted][pick(2) as usize],
        transport: [Transport::Fd, Transport::Classic][pick(2) as usize],
        merge_order: [MergeOrder::AsReady, MergeOrder::ByLevel][pick(2) as usize],
        orchestration: match (fixed, pick(3)) {
            (true, _) => Orchestration::Once,
            (false, 0) => Orchestration::SignedAhead,
            (false, _) => Orchestration::Each,
        },
        board: ["ideal", "tc297"][pick(2) as usize],
        seed,
        ..NetworkConfig::new(scheme, 2 + pick(5) as u8)
    }
}

fn burn<S: CurveSuite + 'static>(seed: u64) {
    let mut random = Random::new(seed).stream("fire", 0);
    let network_config = network_config(&mut random, seed);
    println!("seed {seed}: {network_config:?} {}", S::NAME);
    let mut fleet = Fleet::<S>::with(&network_config, |config| ignite(config, &mut random));
    let mut keys = BTreeMap::new();
    let mut agreed = None;
    for now in (0..=FIRE_MS + BOUND_MS).step_by(10) {
        fleet.run(now);
        let holders = (0..usize::from(network_config.ecus)).map(|at| fleet.key(at));
        let holders: Vec<_> = holders.chain([fleet.orchestrators_key()]).collect();
        for &(epoch, key) in holders.iter().flatten() {
            let first = keys.entry(epoch).or_insert(key);
            assert_eq!(*first, key, "seed {seed}: two keys for epoch {epoch}");
        }
        let common = holders[0].is_some() && holders.iter().all(|at| *at == holders[0]);
        agreed = match agreed {
            Some(at) if common => Some(at),
            _ => common.then_some(now),
        };
        if now > FIRE_MS && agreed.is_some_and(|at| now > at + 200) {
            return;
        }
    }
    fleet.tell();
    fleet.assert_agreed();
    panic!("seed {seed}: some ECUs lost the common key");
}

/// Burns all seeds, and names all that fail.
fn burn_all<S: CurveSuite + 'static>(seeds: u64) {
    let seeds = match only_seed() {
        Some(seed) => seed..seed + 1,
        None => 0..seeds,
    };
    let fails = |seed: &u64| std::panic::catch_unwind(|| burn::<S>(*seed)).is_err();
    let failed: Vec<u64> = seeds.filter(fails).collect();
    assert!(
        failed.is_empty(),
        "seeds {failed:?}: run one with WAYWARDEN_SEED=N"
    );
}

#[test]
fn no_ecu_is_confirmed_on_another_key_and_all_get_the_common_one() {
    burn_all::<FourQ>(seeds(150));
}

#[test]
fn the_same_with_p256() {
    burn_all::<P256>(seeds(150) / 10);
}

/// Seeds that once left an ECU without the key. Slow boards at fast ones: one was taken in again
/// and again without learning that another ECU had been; one gave up exchanges of which it had
/// everything and had only not found the time to compute. And who was left out, or did not know who
/// was, kept waiting for its turn as long as it heard the others.
#[test]
fn seeds_that_once_failed_agree() {
    burn::<FourQ>(6_311);
    [58, 346, 668, 704, 893].into_iter().for_each(burn::<P256>);
}
