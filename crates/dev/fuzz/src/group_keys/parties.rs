//! Parties: three members and an orchestrator, and their keys.

use waywarden_can::node::{Ports, Slot};
use waywarden_group_keys::{
    Address, AnyGroupSuite, GroupConfiguration, GroupSettings, GroupSuite, MemberIdentity,
    PlannedEcu,
};
use waywarden_key_suites::{PublicKey, Secret};

use crate::world::{ECUS, PORT, ROLES};

pub(super) type Directory = GroupConfiguration<[(Address, PublicKey); ROLES]>;

/// The secret behind a role's signing key.
fn signing_key(suite: AnyGroupSuite, at: usize) -> <AnyGroupSuite as GroupSuite>::SigningKey {
    suite.signing_key(&Secret::from_bytes([at as u8 + 1; 32]))
}

/// Returns the ECUs of the network and the orchestrator's address, from this address on.
pub(super) fn places(from: u8) -> ([PlannedEcu; ECUS], Address) {
    let place = |at: usize| PlannedEcu {
        address: Address(from + at as u8),
        // The one in the middle is the fastest.
        rank: u8::from(at != 1),
    };
    (std::array::from_fn(place), Address(from + ECUS as u8))
}

/// Returns the directory that all of them share.
pub(super) fn directory(suite: AnyGroupSuite, from: u8, settings: GroupSettings) -> Directory {
    let key = |at: usize| {
        let key = suite.public_key(&signing_key(suite, at));
        (Address(from + at as u8), key)
    };
    GroupConfiguration {
        settings,
        keys: std::array::from_fn(key),
    }
}

/// Returns the identity of a role.
pub(super) fn identity(
    suite: AnyGroupSuite,
    directory: &Directory,
    at: usize,
) -> MemberIdentity<AnyGroupSuite> {
    MemberIdentity {
        address: directory.keys[at].0,
        ports: Ports::NONE.with(PORT),
        suite,
        signing_key: signing_key(suite, at),
        slot: Slot(0),
    }
}
