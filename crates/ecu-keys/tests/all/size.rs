//! How much memory a role takes with its arrays, held by an upper bound. `docs/protocols/gke.md` has the figures of
//! the group roles.

use core::mem::size_of;

use waywarden_ecu_keys::group::{
    Address, GroupSuite, Member, MemberArrays, Network, Orchestrator, OrchestratorArrays, Plan,
};
use waywarden_ecu_keys::lasan::{
    self, Ecu, EcuArrays, ModuleArrays, ModuleMessages, Party, Permission, SecurityModule,
    Suite as _,
};
use waywarden_ecu_keys::suite::{FourQ, P256, PublicKey};

/// A network of 32 ECUs and the orchestrator, in memory that is there anyway.
type Known = &'static Network<[(Address, PublicKey); 33]>;

/// Logical ECUs of 32 ECUs, and one more: with the orchestrator in each 63, without it or in the
/// symmetric scheme 32; where odd levels are promoted, a few more in trees of other sizes.
const TREE_WITH: usize = 64;
const OTHERS: usize = 33;

fn sizes<S: GroupSuite>() -> [(&'static str, usize, usize); 5] {
    let member = size_of::<Member<'_, S, Known>>();
    let orchestrator = size_of::<Orchestrator<'_, S, Known>>();
    [
        (
            "member, trees",
            member + size_of::<MemberArrays<S, 0>>(),
            4_096,
        ),
        (
            "member, symmetric",
            member + size_of::<MemberArrays<S, 32>>(),
            5_120,
        ),
        (
            "orchestrator, tree with it",
            orchestrator + size_of::<OrchestratorArrays<S, 32, TREE_WITH>>(),
            16_384,
        ),
        (
            "orchestrator, tree without it",
            orchestrator + size_of::<OrchestratorArrays<S, 32, OTHERS>>(),
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

/// An ECU with 8 streams, and a security module for 32 ECUs, four at a time, and 32 permissions, with
/// their arrays: `M` and `K` are the longest message and the public key. Most of that are places for
/// long messages: two of an ECU's and one of its own; three of each handshake's and the start-up
/// message.
fn lasan_sizes<S: lasan::Suite, const M: usize, const K: usize>() -> (usize, usize) {
    (
        size_of::<Ecu<'_, S, Directory>>() + size_of::<EcuArrays<M, K, 8>>(),
        size_of::<SecurityModule<'_, S, Directory>>()
            + size_of::<ModuleArrays<'_, S, 32, 4, 32>>()
            + size_of::<ModuleMessages<M, 4>>(),
    )
}

#[test]
fn roles_of_lasan_stay_within_their_memory() {
    let sizes = [
        (
            "p256",
            lasan_sizes::<
                lasan::EcdheEcdsa,
                { lasan::EcdheEcdsa::MESSAGE_MAX },
                { lasan::EcdheEcdsa::SIZES.public_key },
            >(),
            (5_120, 23_552),
        ),
        (
            "fourq",
            lasan_sizes::<
                lasan::FourQSchnorrQ,
                { lasan::FourQSchnorrQ::MESSAGE_MAX },
                { lasan::FourQSchnorrQ::SIZES.public_key },
            >(),
            (5_120, 23_552),
        ),
        (
            "ml-kem-512+fn-dsa-512",
            lasan_sizes::<
                lasan::MlKem512FnDsa512,
                { lasan::MlKem512FnDsa512::MESSAGE_MAX },
                { lasan::MlKem512FnDsa512::SIZES.public_key },
            >(),
            (16_384, 57_344),
        ),
        (
            "ml-kem-768+ml-dsa-44",
            lasan_sizes::<
                lasan::MlKem768MlDsa44,
                { lasan::MlKem768MlDsa44::MESSAGE_MAX },
                { lasan::MlKem768MlDsa44::SIZES.public_key },
            >(),
            (24_576, 90_112),
        ),
        (
            "ml-kem-768+ml-dsa-65",
            lasan_sizes::<
                lasan::MlKem768MlDsa65,
                { lasan::MlKem768MlDsa65::MESSAGE_MAX },
                { lasan::MlKem768MlDsa65::SIZES.public_key },
            >(),
            (29_696, 110_592),
        ),
    ];
    for (suite, (ecu, module), (ecu_most, module_most)) in sizes {
        println!("{suite}: ECU {ecu} bytes, at most {ecu_most}");
        println!("{suite}: security module {module} bytes, at most {module_most}");
        assert!(ecu <= ecu_most && module <= module_most, "{suite}");
    }
}
