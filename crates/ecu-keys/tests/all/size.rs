//! How much memory a role takes, held by an upper bound. `docs/protocols/gke.md` has the figures of
//! the group roles.

use core::mem::size_of;

use waywarden_ecu_keys::group::{Member, Network, Orchestrator, Plan};
use waywarden_ecu_keys::lasan::{self, Ecu, Party, Permission, SecurityModule};
use waywarden_ecu_keys::suite::{FourQ, P256, PublicKey};
use waywarden_ecu_keys::{group::Address, suite::Suite};

/// A network of 32 ECUs and the orchestrator, in memory that is there anyway.
type Known = &'static Network<[(Address, PublicKey); 33]>;

/// Logical ECUs of 32 ECUs, and one more: with the orchestrator in each 63, without it or in the
/// symmetric scheme 32; where odd levels are promoted, a few more in trees of other sizes.
const TREE_WITH: usize = 64;
const OTHERS: usize = 33;

fn sizes<S: Suite>() -> [(&'static str, usize, usize); 5] {
    [
        ("member, trees", size_of::<Member<S, Known, 0>>(), 4_096),
        (
            "member, symmetric",
            size_of::<Member<S, Known, 32>>(),
            5_120,
        ),
        (
            "orchestrator, tree with it",
            size_of::<Orchestrator<S, Known, 32, TREE_WITH>>(),
            16_384,
        ),
        (
            "orchestrator, tree without it",
            size_of::<Orchestrator<S, Known, 32, OTHERS>>(),
            11_264,
        ),
        (
            "directory",
            size_of::<Network<[(Address, PublicKey); 33]>>(),
            4_096,
        ),
    ]
}

#[test]
fn roles_stay_within_their_memory() {
    println!("plan: {} bytes", size_of::<Plan>());
    for (suite, sizes) in [("FourQ", sizes::<FourQ>()), ("P-256", sizes::<P256>())] {
        for (what, bytes, most) in sizes {
            println!("{suite}, {what}: {bytes} bytes, at most {most}");
            assert!(bytes <= most, "{suite}, {what}: {bytes} > {most}");
        }
    }
}

/// A network of LASAN, in memory that is there anyway.
type Directory =
    &'static lasan::Network<&'static [u8], &'static [Party<&'static [u8]>], &'static [Permission]>;

/// An ECU with 8 streams, and a security module for 32 ECUs, four at a time, and 32 permissions.
/// Most of that are places for long messages: two of an ECU's and one of its own; three of each
/// handshake's and the start-up message.
fn lasan_sizes<S: lasan::Suite>() -> (usize, usize) {
    (
        size_of::<Ecu<S, Directory, 8>>(),
        size_of::<SecurityModule<S, Directory, 32, 4, 32>>(),
    )
}

#[test]
fn roles_of_lasan_stay_within_their_memory() {
    let sizes = [
        ("p256", lasan_sizes::<lasan::EcdheEcdsa>(), (5_120, 23_552)),
        (
            "fourq",
            lasan_sizes::<lasan::FourQSchnorrQ>(),
            (5_120, 23_552),
        ),
        (
            "ml-kem-512+fn-dsa-512",
            lasan_sizes::<lasan::MlKem512FnDsa512>(),
            (16_384, 57_344),
        ),
        (
            "ml-kem-768+ml-dsa-44",
            lasan_sizes::<lasan::MlKem768MlDsa44>(),
            (24_576, 90_112),
        ),
        (
            "ml-kem-768+ml-dsa-65",
            lasan_sizes::<lasan::MlKem768MlDsa65>(),
            (29_696, 110_592),
        ),
    ];
    for (suite, (ecu, module), (ecu_most, module_most)) in sizes {
        println!("{suite}: ECU {ecu} bytes, at most {ecu_most}");
        println!("{suite}: security module {module} bytes, at most {module_most}");
        assert!(ecu <= ecu_most && module <= module_most, "{suite}");
    }
}
