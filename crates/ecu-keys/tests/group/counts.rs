//! How many frames the schemes take [GKE §V-C], exactly.

use waywarden_ecu_keys::group::{Profile, Scheme, Step, Transport};
use waywarden_ecu_keys::suite::FourQ;

use crate::network::{Fleet, Recipe};

const PUBLISHED: [Step; 7] = [
    Step::Orchestration,
    Step::ShareA,
    Step::ShareB,
    Step::ConfirmationA,
    Step::ConfirmationB,
    Step::MasterSignature,
    Step::MasterSecret,
];

#[test]
fn the_published_schemes_take_the_exact_number_of_frames() {
    for ecus in 2..=32_u8 {
        let n = usize::from(ecus);
        for (scheme, fd, classic) in [
            (
                Scheme::TreeWithOrchestrator,
                5 * (2 * n - 1),
                32 * (2 * n - 1),
            ),
            (Scheme::TreeWithoutOrchestrator, 5 * n, 32 * n),
            (Scheme::SymmetricDistribution, 7 * n, 44 * n),
        ] {
            for (transport, expected) in [(Transport::Fd, fd), (Transport::Classic, classic)] {
                let mut fleet = Fleet::<FourQ>::new(&Recipe {
                    profile: Profile::AsPublished,
                    transport,
                    ..Recipe::new(scheme, ecus)
                });
                fleet.run(1_500);
                fleet.assert_agreed();
                assert_eq!(
                    fleet.frames(&PUBLISHED),
                    expected,
                    "{scheme:?} {n} {transport:?}"
                );
                assert_eq!(fleet.sent.values().sum::<usize>(), expected);
            }
        }
    }
}
