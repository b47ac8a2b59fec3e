//! An ECU image with vatiCAN or LeiA, hardened: the streams of one ECU on one bus, each message
//! followed by its tag, by the crates as published.
//!
//! `waywarden-firmware-ecu` has what images share; here are the keys, the authenticator and the
//! role.
#![no_std]
#![forbid(unsafe_code)]

mod authenticator;
mod role;

use waywarden_can::mailbox::Mailbox;
use waywarden_firmware_ecu::{Board, boot, node, serve};
use waywarden_firmware_link::Link;

pub use self::authenticator::{Ends, Keys, PairedAuthenticator};
pub use self::role::{OneRole, PairedRole, PairedStart, role};

/// Boots and runs, with everything on the stack.
///
/// # Panics
/// As [`boot`], [`role()`] and [`serve`].
pub fn run(mut link: impl Link) {
    let start: PairedStart = boot(&mut link);
    let board = Board::new(link, &start);
    let (mut keys, mut ends) = (Keys::new(), Ends::new());
    let mut role = role(&start, &mut keys, &mut ends, &board);
    let roles = role.as_mut_slice();
    let node = node(&start.boot(), &start.record.streams, roles, &board);
    serve(&board, &mut Mailbox::new(node, start.status.now));
}
