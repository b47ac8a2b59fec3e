//! The number of frames of each scheme [GKE §V-C], exactly.

use waywarden_group_keys::{GroupProfile, Scheme, Step, Transport};
use waywarden_key_suites::{CurveSuite, FourQ, P256};
use waywarden_testkit::seeds;

use crate::network::{Fleet, NetworkConfig};
use crate::schemes::SCHEMES;

/// Sizes of networks: those around the powers of two, at which a tree gains a level; every one if
/// `WAYWARDEN_SEEDS` asks for more than usual.
fn sizes() -> Vec<u8> {
    match seeds(0) {
        0 => vec![2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32],
        _ => (2..=32).collect(),
    }
}

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
    for ecus in sizes() {
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
                let mut fleet = Fleet::<FourQ>::new(&NetworkConfig {
                    profile: GroupProfile::AsPublished,
                    transport,
                    ..NetworkConfig::new(scheme, ecus)
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

/// Returns the frames that `hardened` sends when nothing goes wrong: a freshness before each order,
/// a proof with its signature, an acknowledgement of each ECU, and no report.
fn hardened(scheme: Scheme, transport: Transport, n: usize) -> usize {
    let orders = match scheme {
        Scheme::TreeWithOrchestrator => 2 * n - 1,
        _ => n,
    };
    let (exchange, delivery, end) = match transport {
        Transport::Fd => (6, 2, 1 + 1),
        Transport::Classic => (33, 12, 3 + 8),
    };
    let distributed = match scheme {
        Scheme::SymmetricDistribution => 1 + n * delivery,
        _ => 0,
    };
    orders * exchange + distributed + end + n
}

fn counts_hold<S: CurveSuite + 'static>(ecus: u8, board: &'static str, transport: Transport) {
    for scheme in SCHEMES {
        let what = format!("{scheme:?} {ecus} {transport:?} {board} {}", S::NAME);
        let mut fleet = Fleet::<S>::new(&NetworkConfig {
            transport,
            board,
            ..NetworkConfig::new(scheme, ecus)
        });
        // Up to the first beacon.
        let mut now = 0;
        let n = usize::from(ecus);
        let end = Step::End.frame_count(transport);
        while fleet.frames(&[Step::Acknowledge]) < n && now < 60_000 {
            now += 50;
            fleet.run(now);
        }
        fleet.run(now + 300);
        println!("{what}: {:?}", fleet.sent);
        fleet.assert_agreed();
        assert_eq!(fleet.frames(&[Step::Report]), 0, "{what}");
        assert_eq!(fleet.frames(&[Step::End]), end, "{what}");
        let all = fleet.sent.values().sum::<usize>();
        assert_eq!(all, hardened(scheme, transport, n), "{what}");
    }
}

#[test]
fn the_hardened_schemes_take_the_exact_number_of_frames() {
    for ecus in sizes() {
        for transport in [Transport::Fd, Transport::Classic] {
            counts_hold::<FourQ>(ecus, "ideal", transport);
        }
    }
}

/// Many boards that take long: an ECU that waits for its turn hears that it comes.
#[test]
fn slow_boards_take_as_many() {
    for ecus in [2, 3, 8, 13, 32] {
        counts_hold::<FourQ>(ecus, "tc297", Transport::Fd);
        counts_hold::<P256>(ecus, "tc297", Transport::Fd);
    }
    counts_hold::<P256>(32, "tc297", Transport::Classic);
}
