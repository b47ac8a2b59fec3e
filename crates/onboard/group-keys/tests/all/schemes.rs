//! All schemes, suites, profiles and transports agree when nothing goes wrong.

use waywarden_group_keys::{OddLevel, Orchestration, Pace, Profile, Scheme, Transport};
use waywarden_key_suites::{FourQ, P256, Suite};

use crate::network::{Fleet, Recipe};

pub(crate) const SCHEMES: [Scheme; 3] = [
    Scheme::TreeWithOrchestrator,
    Scheme::TreeWithoutOrchestrator,
    Scheme::SymmetricDistribution,
];

fn agrees<S: Suite + 'static>(recipe: &Recipe) {
    let mut fleet = Fleet::<S>::new(recipe);
    fleet.run(1_000);
    fleet.assert_agreed();
}

#[test]
fn everybody_has_the_same_key_in_every_scheme() {
    for scheme in SCHEMES {
        for ecus in 1..=9 {
            for profile in [Profile::AsPublished, Profile::Hardened] {
                for transport in [Transport::Fd, Transport::Classic] {
                    let recipe = Recipe {
                        profile,
                        transport,
                        ..Recipe::new(scheme, ecus)
                    };
                    println!("{scheme:?} {ecus} {profile:?} {transport:?}");
                    agrees::<FourQ>(&recipe);
                }
            }
        }
    }
}

#[test]
fn p256_agrees_too() {
    for scheme in SCHEMES {
        agrees::<P256>(&Recipe::new(scheme, 5));
    }
}

#[test]
fn the_options_agree_too() {
    for scheme in SCHEMES {
        for orchestration in [Orchestration::Each, Orchestration::SignedAhead] {
            for pace in [Pace::ByLevel, Pace::AsReady] {
                for odd in [OddLevel::Skipped, OddLevel::Promoted] {
                    let recipe = Recipe {
                        orchestration,
                        pace,
                        odd,
                        ..Recipe::new(scheme, 6)
                    };
                    println!("{scheme:?} {orchestration:?} {pace:?} {odd:?}");
                    agrees::<FourQ>(&recipe);
                }
            }
        }
    }
}

#[test]
fn one_signature_starts_a_fixed_tree() {
    for ecus in 1..=12 {
        for profile in [Profile::AsPublished, Profile::Hardened] {
            println!("{ecus} {profile:?}");
            agrees::<FourQ>(&Recipe {
                orchestration: Orchestration::Once,
                profile,
                ..Recipe::new(Scheme::TreeWithoutOrchestrator, ecus)
            });
        }
    }
}
