//! The image of any suite, with its storage.

use waywarden_can::mailbox::Mailbox;
use waywarden_firmware_ecu::{Board, boot, serve};
use waywarden_firmware_group_keys::{
    Directory, GroupNode, GroupStart, KeyAgreement, KeysInUse, MessageRole, PartyMemory, agreement,
    directory, memory, messages, node, roles,
};
use waywarden_firmware_port::{Pipe, Place};
use waywarden_firmware_secoc::Keys;

use crate::Suite;

static START: Place<GroupStart> = Place::new();
static BOARD: Place<Board<Pipe>> = Place::new();
static DIRECTORY: Place<Directory> = Place::new();
static MEMORY: Place<PartyMemory<Suite>> = Place::new();
static KEYS: Place<Keys> = Place::new();
static IN_USE: Place<KeysInUse> = Place::new();
static AGREEMENT: Place<KeyAgreement<'static, Pipe, Suite>> = Place::new();
static MESSAGES: Place<Option<MessageRole<'static, Pipe>>> = Place::new();
static MAILBOX: Place<Mailbox<GroupNode<'static, 'static, Pipe, Suite>>> = Place::new();

/// Boots and runs.
pub(crate) fn run(suite: Suite) -> ! {
    let mut pipe = Pipe::open();
    let start = START.put(|| boot(&mut pipe));
    let board = BOARD.put(|| Board::new(pipe, start));
    let directory = DIRECTORY.put(|| directory(start, &suite));
    let (keys, in_use) = (KEYS.put(Keys::new), IN_USE.put(KeysInUse::new));
    let memory = MEMORY.put(|| memory(start));
    let own = (&*in_use, &*board);
    let agreement = AGREEMENT.put(|| agreement(start, suite, directory, memory, own));
    let messages = MESSAGES.put(|| messages(start, keys, in_use, board));
    let mailbox = MAILBOX.put(|| {
        let roles = roles(agreement, messages.as_mut());
        Mailbox::new(node(start, roles, board), start.status.now)
    });
    serve(board, mailbox);
    // The pipe ends the image with the run.
    panic!("the run ended without an end");
}
