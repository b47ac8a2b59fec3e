//! All schemes, suites, profiles and transports agree when nothing goes wrong.

use waywarden_group_keys::{GroupProfile, MergeOrder, OddLevel, Orchestration, Scheme, Transport};
use waywarden_key_suites::{CurveSuite, FourQ, P256};

use crate::network::{Fleet, NetworkConfig};

pub(crate) const SCHEMES: [Scheme; 3] = [
    Scheme::TreeWithOrchestrator,
    Scheme::TreeWithoutOrchestrator,
    Scheme::SymmetricDistribution,
];

fn agrees<S: CurveSuite + 'static>(network_config: &NetworkConfig) {
    let mut fleet = Fleet::<S>::new(network_config);
    fleet.run(1_000);
    fleet.assert_agreed();
}

#[test]
fn all_have_the_same_key_in_every_scheme() {
    for scheme in SCHEMES {
        for ecus in 1..=9 {
            for profile in [GroupProfile::AsPublished, GroupProfile::Hardened] {
                for transport in [Transport::Fd, Transport::Classic] {
                    let network_config = NetworkConfig {
                        profile,
                        transport,
                        ..NetworkConfig::new(scheme, ecus)
                    };
                    println!("{scheme:?} {ecus} {profile:?} {transport:?}");
                    agrees::<FourQ>(&network_config);
                }
            }
        }
    }
}

#[test]
fn p256_agrees_too() {
    for scheme in SCHEMES {
        agrees::<P256>(&NetworkConfig::new(scheme, 5));
    }
}

#[test]
fn the_options_agree_too() {
    for scheme in SCHEMES {
        for orchestration in [Orchestration::Each, Orchestration::SignedAhead] {
            for merge_order in [MergeOrder::ByLevel, MergeOrder::AsReady] {
                for odd in [OddLevel::Skipped, OddLevel::Promoted] {
                    let network_config = NetworkConfig {
                        orchestration,
                        merge_order,
                        odd,
                        ..NetworkConfig::new(scheme, 6)
                    };
                    println!("{scheme:?} {orchestration:?} {merge_order:?} {odd:?}");
                    agrees::<FourQ>(&network_config);
                }
            }
        }
    }
}

#[test]
fn one_signature_starts_a_fixed_tree() {
    for ecus in 1..=12 {
        for profile in [GroupProfile::AsPublished, GroupProfile::Hardened] {
            println!("{ecus} {profile:?}");
            agrees::<FourQ>(&NetworkConfig {
                orchestration: Orchestration::Once,
                profile,
                ..NetworkConfig::new(Scheme::TreeWithoutOrchestrator, ecus)
            });
        }
    }
}
