//! An ECU image with SecOC: the streams of one ECU on one bus, protected and checked by the crates
//! as published, in a main loop over one transmit mailbox.
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

pub use self::authenticator::{Ends, Keys, SecocAuthenticator, authenticator};
pub use self::role::{OneRole, SecocRole, SecocStart, role};

/// Boots and runs, with everything on the stack.
///
/// # Panics
/// As [`boot`], [`role()`] and [`serve`].
pub fn run(mut link: impl Link) {
    let start: SecocStart = boot(&mut link);
    let board = Board::new(link, &start);
    let mut keys = Keys::new();
    let mut role = role(&start, &mut keys, &board);
    let roles = role.as_mut_slice();
    let node = node(&start.boot(), &start.record.streams, roles, &board);
    serve(&board, &mut Mailbox::new(node, start.status.now));
}
