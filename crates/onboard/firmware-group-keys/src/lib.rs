//! An ECU image in a group that agrees on keys: a member or the orchestrator, and SecOC under keys
//! that follow the group's.
//!
//! `waywarden-firmware-ecu` has what images share, `waywarden-firmware-secoc` the authenticator.
//! One suite is compiled into an image; the caller has the storage, and there is no allocator.
#![no_std]
#![forbid(unsafe_code)]

mod agreement;
mod in_use;
mod memory;
mod node;
mod roles;

use waywarden_can::mailbox::Mailbox;
use waywarden_firmware_ecu::{Board, Start, boot, serve};
use waywarden_firmware_link::{GroupRecord, Link};
use waywarden_firmware_secoc::Keys;
use waywarden_group_keys::GroupSuite;

pub use self::agreement::{KeyAgreement, Orders};
pub use self::in_use::{FollowedKeys, KeysInUse};
pub use self::memory::{Directory, PartyMemory, directory, memory};
pub use self::node::{GroupNode, node};
pub use self::roles::{GroupEcuRole, MessageRole, Roles, agreement, messages, roles};

/// The values of a boot of an ECU in a group.
pub type GroupStart = Start<GroupRecord>;

/// Boots and runs, with everything on the stack.
///
/// # Panics
/// As [`boot`], [`directory()`], [`agreement()`], [`messages()`] and [`serve`].
pub fn run<S: GroupSuite + Copy>(suite: S, mut link: impl Link) {
    let start: GroupStart = boot(&mut link);
    let board = Board::new(link, &start);
    let directory = directory(&start, &suite);
    let (mut keys, in_use, mut memory) = (Keys::new(), KeysInUse::new(), memory(&start));
    let own = (&in_use, &board);
    let mut agreement = agreement(&start, suite, &directory, &mut memory, own);
    let mut messages = messages(&start, &mut keys, &in_use, &board);
    let roles = roles(&mut agreement, messages.as_mut());
    let node = node(&start, roles, &board);
    serve(&board, &mut Mailbox::new(node, start.status.now));
}
