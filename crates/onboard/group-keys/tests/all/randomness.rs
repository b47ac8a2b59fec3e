//! Random numbers on which the group key depends [GKE §III-C]: an ECU may come without a source.

use waywarden_group_keys::{GroupHeader, GroupProfile, Orchestration, Scheme, Step};
use waywarden_key_suites::{CurveSuite, FourQ, P256};

use crate::insider::{Foothold, reseed};
use crate::knowledge::Knowledge;
use crate::network::{Fleet, NetworkConfig};

const ECUS: u8 = 4;
const CONSTANT: [u8; 32] = [0; 32];

/// Returns the group key of a network whose ECUs have these seeds, the orchestrator's last.
fn key_of<S: CurveSuite + 'static>(network_config: &NetworkConfig, seeds: &[[u8; 32]]) -> [u8; 32] {
    let mut fleet = Fleet::<S>::with(network_config, |config| {
        for (ecu, seed) in seeds.iter().enumerate() {
            reseed(config, ecu, *seed);
        }
    });
    fleet.run(600);
    fleet.assert_agreed();
    fleet.orchestrators_key().unwrap().1
}

fn recipes(scheme: Scheme) -> [NetworkConfig; 2] {
    [GroupProfile::AsPublished, GroupProfile::Hardened].map(|profile| NetworkConfig {
        profile,
        ..NetworkConfig::new(scheme, ECUS)
    })
}

fn constant_but_for_the_orchestrator(last: u8) -> [[u8; 32]; 5] {
    let mut seeds = [CONSTANT; 5];
    seeds[4] = [last; 32];
    seeds
}

fn the_orchestrators_seed_makes_the_key<S: CurveSuite + 'static>() {
    for network_config in recipes(Scheme::TreeWithOrchestrator) {
        let key = |last| key_of::<S>(&network_config, &constant_but_for_the_orchestrator(last));
        assert_ne!(key(1), key(2), "{:?}", network_config.profile);
        // Nothing else does: the simulator's own seeds have no part in it.
        assert_eq!(key(1), key(1));
    }
}

#[test]
fn with_constant_ecus_the_orchestrators_seed_makes_the_key() {
    the_orchestrators_seed_makes_the_key::<FourQ>();
    the_orchestrators_seed_makes_the_key::<P256>();
}

/// A case that [GKE] does not discuss: a known constant, as with a broken source, is worth what a
/// known random number is worth to an attacker that also listens. Fresh keys, no secret ones.
#[test]
fn a_constant_keeps_keys_apart_but_secret_only_while_it_is_secret() {
    for network_config in recipes(Scheme::TreeWithOrchestrator) {
        let mut foothold = None;
        let mut fleet = Fleet::<FourQ>::with(&network_config, |config| {
            (0..usize::from(ECUS)).for_each(|ecu| reseed(config, ecu, CONSTANT));
            foothold = Some(Foothold::on_the_bus(config));
        });
        fleet.run(600);
        fleet.assert_agreed();
        let heard = foothold.unwrap().heard;
        let listener =
            || Knowledge::<FourQ>::of_recording(&fleet.directory, &heard.lock().unwrap());
        let key = fleet.orchestrators_key().unwrap().1;
        assert!(!listener().group_keys().contains(&key));
        assert!(!listener().with_seed([1; 32]).group_keys().contains(&key));
        assert!(listener().with_seed(CONSTANT).group_keys().contains(&key));
    }
}

#[test]
fn in_the_symmetric_scheme_each_members_share_changes_the_key() {
    for network_config in recipes(Scheme::SymmetricDistribution) {
        let seeds = constant_but_for_the_orchestrator(7);
        let before = key_of::<FourQ>(&network_config, &seeds);
        assert_eq!(before, key_of::<FourQ>(&network_config, &seeds));
        for changed in 0..seeds.len() {
            let mut seeds = seeds;
            seeds[changed] = [0x33; 32];
            let after = key_of::<FourQ>(&network_config, &seeds);
            assert_ne!(
                before,
                after,
                "ECU {} {:?}",
                changed + 1,
                network_config.profile
            );
        }
    }
}

/// Returns the shares on the bus of a fixed tree in which the orchestrator, the last of an odd
/// level, waits for the others to speak first.
fn shares(listens_to_noise: bool) -> Vec<Vec<u8>> {
    let network_config = NetworkConfig {
        orchestration: Orchestration::Once,
        // While they compute the bus is free for noise.
        board: "tc297",
        ..NetworkConfig::new(Scheme::TreeWithoutOrchestrator, 2)
    };
    let mut foothold = None;
    let mut fleet = Fleet::<FourQ>::with(&network_config, |config| {
        (0..3).for_each(|ecu| reseed(config, ecu, [ecu as u8; 32]));
        foothold = Some(Foothold::on_the_bus(config));
    });
    let foothold = foothold.unwrap();
    for _ in 0..if listens_to_noise { 20 } else { 0 } {
        foothold.stir();
    }
    fleet.run(600);
    fleet.assert_agreed();
    let heard = foothold.heard.lock().unwrap();
    let steps = heard.iter().filter(|frame| {
        let step = GroupHeader::of(frame).map(|(step, _)| step);
        matches!(step, Some(Step::ShareA | Step::ShareB))
    });
    steps.map(|frame| frame.data().to_vec()).collect()
}

/// Randomness is drawn when a secret begins, and not each time that an ECU is asked what it wants:
/// foreign traffic does not use it up.
#[test]
fn waiting_draws_no_randomness() {
    let quiet = shares(false);
    assert_eq!(quiet.len(), 4);
    assert_eq!(quiet, shares(true));
}
