//! The image with SecOC for the emulated board.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use waywarden_can::mailbox::Mailbox;
use waywarden_firmware_port::{Pipe, Place, entry};
use waywarden_firmware_secoc::{Board, Keys, Node, OneRole, Start, boot, node, role, serve};

static START: Place<Start> = Place::new();
static BOARD: Place<Board<Pipe>> = Place::new();
static KEYS: Place<Keys> = Place::new();
static ROLE: Place<OneRole<'static, Pipe>> = Place::new();
static MAILBOX: Place<Mailbox<Node<'static, Pipe>>> = Place::new();

#[entry]
fn main() -> ! {
    let mut pipe = Pipe::open();
    let start = START.put(|| boot(&mut pipe));
    let board = BOARD.put(|| Board::new(pipe, start));
    let keys = KEYS.put(Keys::new);
    let role = ROLE.put(|| role(start, keys, board));
    let mailbox = MAILBOX.put(|| Mailbox::new(node(start, role, board), start.status.now));
    serve(board, mailbox);
    // The pipe ends the image with the run.
    panic!("the run ended without an end");
}
