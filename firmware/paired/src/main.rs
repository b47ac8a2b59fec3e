//! The image with vatiCAN or LeiA for the emulated board.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use waywarden_can::mailbox::Mailbox;
use waywarden_ecu::EcuRole;
use waywarden_firmware_ecu::{Board, EcuNode, boot, node, serve};
use waywarden_firmware_paired::{Ends, Keys, OneRole, PairedRole, PairedStart, role};
use waywarden_firmware_port::{Pipe, Place, entry, note};

type Role = PairedRole<'static, Pipe>;
type Roles = &'static mut [EcuRole<Role>];

static START: Place<PairedStart> = Place::new();
static BOARD: Place<Board<Pipe>> = Place::new();
static KEYS: Place<Keys> = Place::new();
static ENDS: Place<Ends> = Place::new();
static ROLE: Place<OneRole<'static, Pipe>> = Place::new();
static MAILBOX: Place<Mailbox<EcuNode<'static, Pipe, Roles, Role>>> = Place::new();

note!(PAIRED);

#[entry]
fn main() -> ! {
    let mut pipe = Pipe::open();
    let start = START.put(|| boot(&mut pipe));
    let board = BOARD.put(|| Board::new(pipe, start));
    let keys = KEYS.put(Keys::new);
    let ends = ENDS.put(Ends::new);
    let roles = ROLE.put(|| role(start, keys, ends, board)).as_mut_slice();
    let boot = start.boot();
    let mailbox = MAILBOX.put(|| {
        let node = node(&boot, &start.record.streams, roles, board);
        Mailbox::new(node, boot.now)
    });
    serve(board, mailbox);
    // The pipe ends the image with the run.
    panic!("the run ended without an end");
}
