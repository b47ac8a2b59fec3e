//! The image with SecOC for the emulated board.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use waywarden_can::mailbox::Mailbox;
use waywarden_firmware_link::{Answer, Request};
use waywarden_firmware_port::{Pipe, Place, entry};
use waywarden_firmware_secoc::{Board, Keys, Link, Node, OneRole, Start, boot, node, role, serve};

/// The pipe of the emulated board as the way to the world.
struct Wire(Pipe);

impl Link for Wire {
    fn exchange(&mut self, request: &Request<'_>) -> Answer<'_> {
        self.0.exchange(request)
    }

    fn instructions(&mut self) -> u64 {
        self.0.instructions()
    }

    fn pause(&mut self) -> bool {
        self.0.pause()
    }

    fn resume(&mut self) {
        self.0.resume();
    }
}

static START: Place<Start> = Place::new();
static BOARD: Place<Board<Wire>> = Place::new();
static KEYS: Place<Keys> = Place::new();
static ROLE: Place<OneRole<'static, Wire>> = Place::new();
static MAILBOX: Place<Mailbox<Node<'static, Wire>>> = Place::new();

#[entry]
fn main() -> ! {
    let mut pipe = Wire(Pipe::open());
    let start = START.put(|| boot(&mut pipe));
    let board = BOARD.put(|| Board::new(pipe, start));
    let keys = KEYS.put(Keys::new);
    let role = ROLE.put(|| role(start, keys, board));
    let mailbox = MAILBOX.put(|| Mailbox::new(node(start, role, board), start.status.now));
    serve(board, mailbox);
    // The pipe ends the image with the run.
    panic!("the run ended without an end");
}
