//! Authentication and authorization under fire: losses, bit errors, frames received twice, resets
//! of ECUs and of the security module, late starters, cut wires, foreign traffic, and an attacker
//! who replays, readdresses, alters and makes up frames; ECUs are retired and windows end, too
//! ([`changes`]); all by seed. [`laws`] lists what must never happen. When the fire stops, every
//! ECU is authenticated and every stream is keyed within [`bound`], then and after another start.
//! An attacker at a gateway, who drops and reorders as well, has a file of his own (`middle.rs`).

mod attacker;
mod changes;
mod laws;

use std::sync::Arc;

use waywarden_can::node::{Boot, Port};
use waywarden_can::{Frame, Id};
use waywarden_can_sim::Config;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{EcuFault, EcuFaultKind};
use waywarden_can_sim::interferer::{BitErrors, DoubleReceive, ReceiverLocal};
use waywarden_can_sim::random::Random;
use waywarden_lasan::{Address, Transport};
use waywarden_lasan::{
    AddressSet, AuthenticationSuite, Credentials, EcdheEcdsa, EcuEvent, FourQSchnorrQ,
    LasanProfile, LasanTiming, MlKem512FnDsa512, MlKem768MlDsa44,
};
use waywarden_testkit::{only_seed, seeds};
use waywarden_testkit_can::{Chatter, Sometimes};
use waywarden_work::Duration;

use crate::network::{Fleet, NetworkConfig, node, permission, stream_of};
use attacker::Attacker;
use changes::Changes;
use laws::Laws;

/// The end of the disturbances.
const FIRE_MS: u64 = 1_500;

/// Time that all must be well without a break to count as well.
const CALM_MS: u64 = 200;

/// Number of tries of a confirmation or a request after which an ECU gives its session up.
const TRIES: u32 = 6;

/// Number of ECUs that the security module of the tests authenticates at a time.
const HANDSHAKES: u64 = 4;

/// Returns the bound on the time from the end of the fire until all are authorized, in
/// milliseconds.
///
/// An ECU may have to try six times before it knows that the security module does not answer. It
/// asks for the start-up message after a beacon (one patience) that it may not heed at once
/// (another), or in its turn (never more than one); that message is not sent again before the time
/// of an authentication is over. Its turn comes after the strikes against it are over (a patience),
/// and after all others' turns, each of which may be a failure that takes the whole time of an
/// authentication, its own too. What was refused or not acknowledged is tried again after a
/// patience. Where an ECU is retired, any ECU that was not notified holds keys until their time is
/// over.
fn bound(timing: &LasanTiming, ecus: u8) -> u64 {
    let millis = |duration: Duration| duration.as_nanos() / 1_000_000;
    let (answer, patience) = (millis(timing.answer), millis(timing.patience));
    let tries: u64 = (0..TRIES).map(|at| (answer << at).min(patience)).sum();
    let turns = u64::from(ecus).div_ceil(HANDSHAKES);
    let orderly = tries + 4 * patience + (2 + turns) * millis(timing.authentication);
    match timing.stream_key.as_nanos() {
        long if long > 10_000_000_000 => orderly,
        short => orderly + short / 1_000_000,
    }
}

fn end_of_fire() -> Time {
    Time::from_nanos(FIRE_MS * 1_000_000)
}

fn network_config<S: AuthenticationSuite>(random: &mut Random, seed: u64) -> NetworkConfig {
    let mut pick = |of: u64| random.below(of);
    let profile = [LasanProfile::Hardened, LasanProfile::Compact][pick(2) as usize];
    let credentials = [
        Credentials::Certificates,
        Credentials::Digests,
        Credentials::Keys,
    ][pick(3) as usize];
    let mut network_config = NetworkConfig::new(profile, credentials, 2 + pick(4) as u8);
    network_config.transport = [Transport::Fd, Transport::Classic][pick(2) as usize];
    network_config.board = ["ideal", "tc297"][pick(2) as usize];
    network_config.seed = seed;
    // Not every board has figures for every suite; and what is long takes its time.
    if S::CATEGORY > 0 {
        network_config.board = "ideal";
        if network_config.transport == Transport::Classic {
            network_config.timing.authentication = Duration::from_millis(3_000);
        }
    }
    for sender in 1..=network_config.ecus {
        let receivers: AddressSet = (1..=network_config.ecus)
            .map(Address)
            .filter(|at| at.0 != sender && pick(3) > 0)
            .collect();
        network_config.streams.push(permission(sender, receivers));
    }
    network_config
}

/// Sets fire to a configuration; returns whether there is an attacker.
fn ignite(config: &mut Config, random: &mut Random, parties: u8) {
    let until = end_of_fire();
    let bus = &mut config.buses[0];
    if random.chance(0.5) {
        let errors = BitErrors::new(2e-5);
        bus.interferers.push(Sometimes::boxed(errors, 1.0, until));
    }
    for node in &config.ecus {
        if random.chance(0.3) {
            let local = ReceiverLocal::new(node.name.clone(), 1e-4);
            bus.interferers.push(Sometimes::boxed(local, 1.0, until));
        }
    }
    if random.chance(0.5) {
        let twice = DoubleReceive::of_all(1_000);
        bus.interferers.push(Sometimes::boxed(twice, 0.2, until));
    }
    for node in &mut config.ecus {
        if random.chance(0.2) {
            node.start = Time::from_nanos(random.below(FIRE_MS * 1_000_000));
        }
        let from = random.below(FIRE_MS - 100);
        let until = from + 1 + random.below(FIRE_MS - from - 1);
        let kind = match random.below(5) {
            0 | 1 => EcuFaultKind::Reset,
            2 => EcuFaultKind::Open { port: 0 },
            3 => EcuFaultKind::Drift { ppb: 100_000 },
            _ => continue,
        };
        let [from, until] = [from, until].map(|at| Time::from_nanos(at * 1_000_000));
        if from > node.start {
            node.faults.push(EcuFault { from, until, kind });
        }
    }
    add_strangers(config, random, parties);
}

fn add_strangers(config: &mut Config, random: &mut Random, parties: u8) {
    if random.chance(0.5) {
        let seed = random.next_u64();
        let build = move |boot: &Boot<'_>| Chatter::boxed(boot, seed);
        let chatter = node("chatter".to_owned(), "ideal", Vec::new(), build);
        config.ecus.push(chatter);
    }
    if random.chance(0.6) {
        let seed = random.next_u64();
        let build = move |boot: &Boot<'_>| Attacker::boxed(boot, seed, parties, FIRE_MS);
        let attacker = node("attacker".to_owned(), "ideal", Vec::new(), build);
        config.ecus.push(attacker);
    }
}

/// Has each ECU that can send a frame of its stream, and takes what it received.
fn talk<S: AuthenticationSuite>(fleet: &Fleet<S>, laws: &Laws, now: u64) {
    for (at, ecu) in fleet.ecus.iter().enumerate() {
        let address = at as u8 + 1;
        if let Some(ecu) = ecu.borrow_mut().as_mut() {
            laws.received(address, ecu.received());
            if now.is_multiple_of(20) {
                let id = Id::standard(stream_of(address).0 as u16).unwrap();
                let payload = laws.next_payload(address);
                // Without a key it is not sent.
                let _ = ecu.send(Port(0), &Frame::fd(id, &payload).unwrap());
            }
        }
    }
}

/// Returns true if every ECU is authenticated, agrees with the security module, and every stream's
/// newest key is with all who may have it.
fn is_well<S: AuthenticationSuite>(fleet: &Fleet<S>, changes: &Changes) -> bool {
    let module = fleet.module.borrow();
    let Some(module) = module.as_ref() else {
        return false;
    };
    let agree = |at: u8| {
        let ecu = fleet.ecus[usize::from(at) - 1].borrow();
        let own = ecu.as_ref().and_then(|ecu| ecu.exporter());
        let other = module.exporter(Address(at));
        own.is_some() && own.map(|key| *key.as_bytes()) == other.map(|key| *key.as_bytes())
    };
    let mut parties = (1..=fleet.network_config.ecus).filter(|&at| changes.takes_part(at));
    let mut streams = fleet.network_config.streams.iter();
    parties.all(agree) && streams.all(|line| changes.is_settled(fleet, line))
}

/// Lets the network live until it has been well for a while; returns since when.
fn recover<S: AuthenticationSuite>(
    fleet: &mut Fleet<S>,
    (laws, changes): (&Laws, &mut Changes),
    from: u64,
    until: u64,
) -> Option<u64> {
    let mut well = None;
    for now in from..=until + CALM_MS {
        fleet.run(now);
        talk(fleet, laws, now);
        changes.apply(fleet, now);
        changes.check(fleet, now);
        well = match is_well(fleet, changes) && now >= FIRE_MS {
            true => well.or(Some(now)),
            false => None,
        };
        if let Some(since) = well.filter(|&since| now >= since + CALM_MS) {
            return Some(since);
        }
    }
    None
}

fn burn<S: AuthenticationSuite>(seed: u64) -> u64 {
    let mut random = Random::new(seed).stream("fire", 0);
    let mut network_config = network_config::<S>(&mut random, seed);
    let mut changes = Changes::new(&mut random, &mut network_config);
    println!("seed {seed}: {network_config:?} {changes:?} {}", S::NAME);
    let laws = Arc::new(Laws::new(&network_config));
    let (of_ecus, of_module) = (laws.clone(), laws.clone());
    let mut fleet = Fleet::<S>::watched(
        &network_config,
        |config| ignite(config, &mut random, network_config.module().0),
        move |address| {
            let laws = of_ecus.clone();
            Arc::new(move |ecu, output| laws.look(address, ecu, output))
        },
        Arc::new(move |module, _| of_module.look_at_module(module)),
    );
    let bound = bound(&network_config.timing, network_config.ecus);
    let Some(first) = recover(&mut fleet, (&laws, &mut changes), 0, FIRE_MS + bound) else {
        fleet.tell();
        panic!("seed {seed}: some ECUs are not authorized within {bound} ms");
    };
    again(&mut fleet, (&laws, &mut changes), first + CALM_MS, bound);
    first - FIRE_MS
}

/// Nothing is left of the fire that hinders another start.
fn again<S: AuthenticationSuite>(
    fleet: &mut Fleet<S>,
    (laws, changes): (&Laws, &mut Changes),
    from: u64,
    bound: u64,
) {
    let ecus = fleet.network_config.ecus;
    let parties = (1..=ecus).filter(|&at| changes.takes_part(at)).count();
    fleet.ecu_events.clear();
    if let Some(module) = fleet.module.borrow_mut().as_mut() {
        module.start();
    }
    let joined = |fleet: &Fleet<S>| {
        let events = fleet.ecu_events.iter();
        let joins = events.filter(|(_, event)| matches!(event, EcuEvent::Authenticated { .. }));
        let who: std::collections::BTreeSet<u8> = joins.map(|(at, _)| *at).collect();
        who.len() == parties
    };
    let mut now = from;
    while !joined(fleet) && now < from + bound {
        now += 1;
        fleet.run(now);
        talk(fleet, laws, now);
    }
    if !joined(fleet) || recover(fleet, (laws, changes), now, from + bound).is_none() {
        fleet.tell();
        panic!("another start did not come to its end");
    }
}

/// Burns all seeds, and names all that fail.
fn burn_all<S: AuthenticationSuite>(seeds: u64) {
    let seeds = match only_seed() {
        Some(seed) => seed..seed + 1,
        None => 0..seeds,
    };
    let mut longest = 0;
    let mut failed = Vec::new();
    for seed in seeds {
        match std::panic::catch_unwind(|| burn::<S>(seed)) {
            Ok(time) => longest = longest.max(time),
            Err(_) => failed.push(seed),
        }
    }
    println!(
        "{}: authorized at most {longest} ms after the fire",
        S::NAME
    );
    assert!(
        failed.is_empty(),
        "seeds {failed:?}: run one with WAYWARDEN_SEED=N"
    );
}

#[test]
fn fourq_survives() {
    burn_all::<FourQSchnorrQ>(seeds(64));
}

#[test]
fn p256_survives() {
    burn_all::<EcdheEcdsa>(seeds(160) / 10);
}

#[test]
fn ml_kem_768_with_ml_dsa_44_survives() {
    burn_all::<MlKem768MlDsa44>(seeds(160) / 10);
}

#[test]
fn ml_kem_512_with_fn_dsa_512_survives() {
    burn_all::<MlKem512FnDsa512>(seeds(160) / 10);
}
