//! Stories that random bytes do not tell.

use waywarden_can::Frame;
use waywarden_lasan::{LasanHeader, LasanKind, LasanSuite};
use waywarden_work::Instant;

use super::parties::{Directory, directory};
use super::*;
use crate::disturbance::{Disturbance, Passage};

const SUITE: AnyLasanSuite = AnyLasanSuite::of::<FourQSchnorrQ>();

fn settings_of(profile: LasanProfile) -> NetworkSettings {
    NetworkSettings {
        profile,
        ..settings(&mut Source(&[]), 1)
    }
}

/// A network in which ECU 0 does not hear everything.
fn network(directory: &Directory) -> Disturbance<LasanNetwork<'_>> {
    Disturbance::new(LasanNetwork::new(SUITE, directory).unwrap(), 0)
}

/// The security module begins a new epoch, and ECU 0 does not hear of it at first.
fn start_unheard(network: &mut Disturbance<LasanNetwork<'_>>) {
    network.world.network.module.start();
    network.act(ECUS);
    network.live(20, is_of(LasanKind::Startup));
}

fn is_of(kind: LasanKind) -> impl Fn(&Frame) -> bool {
    move |frame| LasanHeader::of(frame).is_some_and(|(header, _)| header.kind == kind)
}

/// All ECUs share a secret with the security module.
#[track_caller]
fn assert_authenticated(network: &Disturbance<LasanNetwork<'_>>) {
    let network = &network.world.network;
    for (at, ecu) in network.ecus.iter().enumerate() {
        let address = network.directory.parties[at].address;
        let own = ecu.exporter().map(|exporter| *exporter.as_bytes());
        let other = network.module.exporter(address);
        assert!(own.is_some(), "ECU {at}");
        assert_eq!(own, other.map(|exporter| *exporter.as_bytes()), "ECU {at}");
    }
}

#[test]
fn an_ecu_that_waits_for_its_turn_learns_of_a_new_start() {
    for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
        let directory = directory(SUITE, 1, settings_of(profile));
        let mut network = network(&directory);
        // It has the start-up message, and no invitation gives it its turn.
        network.live(200, is_of(LasanKind::Invite));
        start_unheard(&mut network);
        network.live(1_000, |_| false);
        assert_authenticated(&network);
    }
}

#[test]
fn an_ecu_with_a_session_learns_of_a_new_start() {
    for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
        let directory = directory(SUITE, 1, settings_of(profile));
        let mut network = network(&directory);
        network.live(500, |_| false);
        assert_authenticated(&network);
        start_unheard(&mut network);
        assert_eq!(network.world.seen.count("lost"), ECUS - 1, "{profile:?}");
        network.live(1_000, |_| false);
        assert_eq!(network.world.seen.count("lost"), ECUS, "{profile:?}");
        assert_authenticated(&network);
    }
}

#[test]
fn a_proof_that_was_not_acknowledged_is_acknowledged_when_it_comes_again() {
    for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
        let directory = directory(SUITE, 1, settings_of(profile));
        let mut network = network(&directory);
        // Long enough for two repetitions.
        network.live(50, |frame| {
            is_of(LasanKind::Acknowledge)(frame) || is_of(LasanKind::Grant)(frame)
        });
        network.live(2_000, |_| false);
        assert_eq!(network.world.seen.count("lost"), 0, "{profile:?}");
        assert_authenticated(&network);
    }
}

/// No time is so far off that it means never: a role that waits for that has its driver wait, and
/// at the end of time everything is due.
#[test]
fn a_network_at_rest_waits_for_nothing_or_for_something_that_comes() {
    for profile in [
        LasanProfile::AsPublished,
        LasanProfile::Hardened,
        LasanProfile::Compact,
    ] {
        let directory = directory(SUITE, 1, settings_of(profile));
        let mut network = network(&directory);
        // Streams are keyed again for as long as there is time.
        network.live(20_000, |_| false);
        assert!(network.world.now < Instant::MAX, "{profile:?}");
    }
}

#[test]
fn forged_messages_are_cut_as_genuine_ones() {
    for profile in [LasanProfile::AsPublished, LasanProfile::Hardened] {
        for transport in [Transport::Classic, Transport::Fd] {
            let settings = NetworkSettings {
                transport,
                ..settings_of(profile)
            };
            let directory = directory(SUITE, 1, settings);
            let mut network = network(&directory);
            let startup = LasanKind::Startup;
            let length = settings.lengths(SUITE.sizes()).of(startup).unwrap();
            let mut genuine: Vec<Frame> = Vec::new();
            for _ in 0..500 {
                let next = network.world.next().map(|waiting| waiting.frame);
                genuine.extend(next.filter(is_of(startup)));
                network.deliver(Passage::Whole, &mut Source(&[]));
                network.world.settle();
            }
            let (header, _) = LasanHeader::of(&genuine[0]).unwrap();
            let mut payload: Vec<u8> = genuine.iter().flat_map(|one| one.data().to_vec()).collect();
            payload.truncate(length);
            let forged = forged::frames(&settings, header, &payload);
            assert!(genuine.starts_with(&forged), "{profile:?} {transport:?}");
        }
    }
}
