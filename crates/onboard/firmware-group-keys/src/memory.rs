//! The memory of a party, and the directory of its group.

use waywarden_firmware_link::{List, PARTIES_MAX};
use waywarden_group_keys::{
    Address, DEPTH_MAX, GroupConfiguration, GroupSuite, MemberArrays, OrchestratorArrays,
};
use waywarden_key_suites::PublicKey;

use crate::GroupStart;

/// Settings and public keys of a group.
pub type Directory = GroupConfiguration<List<(Address, PublicKey), PARTIES_MAX>>;

/// Room for the logical ECUs of a tree and one more: 15 members of 4 networks that each merge with
/// the orchestrator, and then in promoted pairs, make fewer than 48.
const LOGICAL_MAX: usize = 48;

/// The memory of a party: as much as a simulated one has on its heap.
#[expect(
    clippy::large_enum_variant,
    reason = "one place has room for either, as the record chooses"
)]
pub enum PartyMemory<S: GroupSuite> {
    /// Memory of a member.
    Member(MemberArrays<S, PARTIES_MAX, DEPTH_MAX>),
    /// Memory of an orchestrator.
    Orchestrator(OrchestratorArrays<S, PARTIES_MAX, LOGICAL_MAX, DEPTH_MAX>),
}

/// Makes the directory of a boot.
///
/// # Panics
/// If the group has another suite than this image.
pub fn directory<S: GroupSuite>(start: &GroupStart, suite: &S) -> Directory {
    let record = &start.record;
    if record.suite != suite.identifier() {
        let own = suite.name();
        panic!("the group has another suite than this image, which has {own}: use that of its own");
    }
    match record.settings() {
        Ok(settings) => Directory {
            settings,
            keys: record.directory.clone(),
        },
        Err(error) => panic!("the plan of the group: {error}"),
    }
}

/// Makes the memory of a boot, which is empty.
pub fn memory<S: GroupSuite>(start: &GroupStart) -> PartyMemory<S> {
    let record = &start.record;
    match record.address == record.plan.orchestrator {
        true => PartyMemory::Orchestrator(OrchestratorArrays::new()),
        false => PartyMemory::Member(MemberArrays::new()),
    }
}
