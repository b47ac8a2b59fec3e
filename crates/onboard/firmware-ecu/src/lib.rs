//! The software that ECU images share: what a boot gives, the device, the node with its streams and
//! roles, and reports to the simulation.
//!
//! Everything around an image comes through a [`Link`]; the caller has the storage, and there is no
//! allocator. For one boot the frames of an image are those of the simulated ECU, byte for byte:
//! the same record, the same seed and the same retained values make the same node.
#![no_std]
#![forbid(unsafe_code)]

mod board;
mod names;
mod node;
mod role;

use heapless::Vec;
use waywarden_can::mailbox::Mailbox;
use waywarden_can::node::{Boot, Node, Retained, Slot};
use waywarden_firmware_link::{Answer, Link, Record, Request, SLOTS_MAX, Status, VERSION};

pub use self::board::Board;
pub use self::names::Names;
pub use self::node::{EcuNode, node};
pub use self::role::{KeySource, ReportingRole};

/// True if messages are named and checks reported.
pub const LAB: bool = cfg!(feature = "lab");

/// The values of a boot.
pub struct Start<R> {
    /// The state of the world.
    pub status: Status,
    /// Picoseconds that an instruction takes.
    pub picoseconds: u32,
    /// Random bytes.
    pub seed: [u8; 32],
    /// The values that earlier boots stored.
    pub retained: Vec<(Slot, Retained), SLOTS_MAX>,
    /// The configuration of the ECU.
    pub record: R,
}

impl<R> Start<R> {
    /// Returns what a node is made from.
    pub fn boot(&self) -> Boot<'_> {
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
/// If the answer is not that of a boot, or its record is none of this image.
#[inline(never)]
pub fn boot<R: Record>(link: &mut impl Link) -> Start<R> {
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
    let record = decoded(record);
    Start {
        status,
        picoseconds,
        seed,
        // There are at most as many as there is room for: their reader has looked.
        retained: retained.iter().collect(),
        record,
    }
}

/// Reads a record. On its own, so that what it is read from is not on the stack of the boot.
#[inline(never)]
fn decoded<R: Record>(bytes: &[u8]) -> R {
    match R::decode(bytes) {
        Ok(record) => record,
        Err(error) => panic!("the record of the ECU: {error}"),
    }
}

/// Runs the node until the run is over.
///
/// # Panics
/// If the node does not come to rest, or an answer is not of the kind of its request.
#[inline(never)]
pub fn serve<L: Link>(board: &Board<L>, mailbox: &mut Mailbox<impl Node>) {
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
