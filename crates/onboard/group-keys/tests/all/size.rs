//! Memory of a role with its arrays, checked against an upper bound. `docs/protocols/gke.md` has
//! the figures of the group roles.

use core::mem::size_of;

use waywarden_group_keys::{
    Address, GroupConfiguration, GroupPlan, GroupSuite, Member, MemberArrays, Orchestrator,
    OrchestratorArrays,
};
use waywarden_key_suites::{FourQ, P256, PublicKey};

/// A network of 32 ECUs and the orchestrator, in memory that is there anyway.
type Known = &'static GroupConfiguration<[(Address, PublicKey); 33]>;

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
            size_of::<GroupConfiguration<[(Address, PublicKey); 33]>>(),
            4_096,
        ),
    ]
}

#[test]
fn roles_stay_within_their_memory() {
    println!("plan: {} bytes", size_of::<GroupPlan>());
    for (suite, sizes) in [("FourQ", sizes::<FourQ>()), ("P-256", sizes::<P256>())] {
        for (what, bytes, most) in sizes {
            println!("{suite}, {what}: {bytes} bytes, at most {most}");
            assert!(bytes <= most, "{suite}, {what}: {bytes} > {most}");
        }
    }
}
