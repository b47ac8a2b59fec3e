//! An ECU image with SecOC: the streams of one ECU on one bus, protected and checked by the crates
//! as published, in a main loop over one transmit mailbox.
//!
//! For one boot its frames are those of the simulated ECU, byte for byte: the same record, the same
//! seed and the same retained values make the same node. Everything around it comes through a
//! [`Link`]; the caller has the storage, and there is no allocator.
#![no_std]
#![forbid(unsafe_code)]

mod authenticator;
mod board;
mod keys;
mod names;
mod node;
mod role;

use heapless::Vec;
use waywarden_can::mailbox::Mailbox;
use waywarden_can::node::{Boot, Retained, Slot};
use waywarden_firmware_link::{Answer, EcuRecord, Request, SLOTS_MAX, Status, VERSION};

pub use self::authenticator::{Ends, SecocAuthenticator};
pub use self::board::Board;
pub use self::keys::{KeyStore, Keys};
pub use self::names::Names;
pub use self::node::{Node, OneRole, node, role};
pub use self::role::Role;

/// True if messages are named and checks reported.
pub(crate) const LAB: bool = cfg!(feature = "lab");

/// The way to the world around an image.
pub trait Link {
    /// Sends a request and waits for the answer.
    fn exchange(&mut self, request: &Request<'_>) -> Answer<'_>;

    /// Returns the number of instructions since the start, those of exchanges and of pauses left
    /// out.
    fn instructions(&mut self) -> u64;

    /// Leaves the instructions from here on out of the count; returns true if they were in it.
    fn pause(&mut self) -> bool {
        false
    }

    /// Counts instructions again.
    fn resume(&mut self) {}
}

/// The values of a boot.
pub struct Start {
    /// The state of the world.
    pub status: Status,
    /// Picoseconds that an instruction takes.
    pub picoseconds: u32,
    /// Random bytes.
    pub seed: [u8; 32],
    /// The values that earlier boots stored.
    pub retained: Vec<(Slot, Retained), SLOTS_MAX>,
    /// The configuration of the ECU.
    pub record: EcuRecord,
}

impl Start {
    /// Returns what a node is made from.
    pub(crate) fn boot(&self) -> Boot<'_> {
        Boot {
            now: self.status.now,
            seed: self.seed,
            retained: &self.retained,
        }
    }
}

/// Says that the image has started, and takes what a boot gives.
///
/// # Panics
/// If the answer is not that of a boot, or its record is none.
#[inline(never)]
pub fn boot(link: &mut impl Link) -> Start {
    let request = Request::Boot { version: VERSION };
    let Answer::Boot {
        status,
        picoseconds,
        seed,
        retained,
        record,
    } = link.exchange(&request)
    else {
        panic!("the answer to the first request is not that of a boot");
    };
    let record = match EcuRecord::decode(record) {
        Ok(record) => record,
        Err(error) => panic!("the record of the ECU: {error}"),
    };
    Start {
        status,
        picoseconds,
        seed,
        // There are at most as many as there is room for: their reader has looked.
        retained: retained.iter().collect(),
        record,
    }
}

/// Runs the node until the run is over.
///
/// # Panics
/// If the node does not come to rest, or an answer is not of the kind of its request.
#[inline(never)]
pub fn serve<L: Link>(board: &Board<L>, mailbox: &mut Mailbox<Node<'_, L>>) {
    let mut device = board;
    while !board.is_finished() {
        if let Err(error) = mailbox.serve(&mut device) {
            panic!("the node: {error}");
        }
        let until = mailbox.next_deadline();
        if !board.has_more(until) {
            board.wait(until);
        }
    }
}

/// Boots and runs, with everything on the stack.
///
/// # Panics
/// As [`boot`], [`role()`] and [`serve`].
pub fn run(mut link: impl Link) {
    let start = boot(&mut link);
    let board = Board::new(link, &start);
    let mut keys = Keys::new();
    let mut role = role(&start, &mut keys, &board);
    let mut mailbox = Mailbox::new(node(&start, &mut role, &board), start.status.now);
    serve(&board, &mut mailbox);
}
