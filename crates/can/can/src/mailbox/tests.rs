//! A scripted node on a device in memory.

extern crate std;

use std::collections::VecDeque;
use std::vec::Vec;

use super::*;
use crate::Id;

/// An input of a node.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Frame(u32),
    Sent(u32),
    Withdrawn(u32),
    Bus(BusState),
    Done(u32),
    Retained(u8),
    Timeout,
}

/// Wants each output once, and writes down its inputs.
#[derive(Default)]
struct Scripted {
    wants: VecDeque<Output>,
    due: Option<Instant>,
    seen: Vec<Seen>,
}

impl Node for Scripted {
    fn handle(&mut self, _now: Instant, input: Input<'_>) {
        self.seen.push(match input {
            Input::Frame { frame, .. } => Seen::Frame(frame.id().raw()),
            Input::Sent { token, .. } => Seen::Sent(token.0),
            Input::Withdrawn { token, .. } => Seen::Withdrawn(token.0),
            Input::Bus { state, .. } => Seen::Bus(state),
            Input::Done(ticket) => Seen::Done(ticket.0),
            Input::Retained(slot) => Seen::Retained(slot.0),
            Input::Timeout => Seen::Timeout,
        });
    }

    fn poll(&mut self, _now: Instant, room: Ports) -> Output {
        let blocked = matches!(self.wants.front(), Some(Output::Transmit { .. }));
        match blocked && !room.contains(PORT) {
            true => Output::Idle(self.due),
            false => self.wants.pop_front().unwrap_or(Output::Idle(self.due)),
        }
    }
}

struct Board {
    now: u64,
    received: VecDeque<Frame>,
    sent: Vec<u32>,
    is_sent: bool,
    stored: Vec<u8>,
    state: BusState,
}

impl Device for Board {
    fn now(&self) -> Instant {
        Instant::from_nanos(self.now)
    }

    fn receive(&mut self) -> Option<Frame> {
        self.received.pop_front()
    }

    fn send(&mut self, frame: &Frame) {
        self.sent.push(frame.id().raw());
        self.is_sent = false;
    }

    fn is_sent(&self) -> bool {
        self.is_sent
    }

    fn store(&mut self, slot: Slot, _value: &Retained) {
        self.stored.push(slot.0);
    }

    fn bus_state(&self) -> BusState {
        self.state
    }
}

fn board() -> Board {
    Board {
        now: 0,
        received: VecDeque::new(),
        sent: Vec::new(),
        is_sent: true,
        stored: Vec::new(),
        state: BusState::Active,
    }
}

fn frame(id: u16) -> Frame {
    Frame::classic(Id::standard(id).unwrap(), &[]).unwrap()
}

fn transmit(token: u32) -> Output {
    Output::Transmit {
        port: PORT,
        token: Token(token),
        frame: frame(token as u16),
    }
}

fn retain(slot: u8) -> Output {
    Output::Retain {
        slot: Slot(slot),
        value: [0; 32],
    }
}

fn driven(wants: impl IntoIterator<Item = Output>) -> Mailbox<Scripted> {
    let node = Scripted {
        wants: wants.into_iter().collect(),
        ..Scripted::default()
    };
    Mailbox::new(node, Instant::ZERO)
}

#[test]
fn a_second_frame_waits_until_the_first_is_acknowledged() {
    let mut board = board();
    let mut mailbox = driven([transmit(1), transmit(2)]);
    mailbox.serve(&mut board).unwrap();
    mailbox.serve(&mut board).unwrap();
    assert_eq!(board.sent, [1]);
    board.is_sent = true;
    mailbox.serve(&mut board).unwrap();
    assert_eq!(board.sent, [1, 2]);
    assert_eq!(mailbox.node().seen, [Seen::Timeout, Seen::Sent(1)]);
}

#[test]
fn answers_come_in_order_after_the_node_is_idle() {
    let mut board = board();
    let mut mailbox = driven([retain(3), retain(4)]);
    mailbox.serve(&mut board).unwrap();
    assert_eq!(board.stored, [3, 4]);
    let expected = [Seen::Timeout, Seen::Retained(3), Seen::Retained(4)];
    assert_eq!(mailbox.node().seen, expected);
}

#[test]
fn a_timeout_is_never_early() {
    let mut board = board();
    let mut mailbox = driven([]);
    mailbox.node_mut().due = Some(Instant::from_nanos(10));
    for now in [0, 9, 10] {
        board.now = now;
        mailbox.serve(&mut board).unwrap();
    }
    assert_eq!(mailbox.node().seen, [Seen::Timeout, Seen::Timeout]);
}

#[test]
fn bus_off_takes_the_frame_back_and_closes_the_port() {
    let mut board = board();
    let mut mailbox = driven([transmit(1), transmit(2)]);
    mailbox.serve(&mut board).unwrap();
    board.state = BusState::Off;
    board.is_sent = true;
    mailbox.serve(&mut board).unwrap();
    assert_eq!(board.sent, [1]);
    board.state = BusState::Active;
    mailbox.serve(&mut board).unwrap();
    assert_eq!(board.sent, [1, 2]);
    let expected = [
        Seen::Timeout,
        Seen::Withdrawn(1),
        Seen::Bus(BusState::Off),
        Seen::Bus(BusState::Active),
    ];
    assert_eq!(mailbox.node().seen, expected);
}

#[test]
fn a_flood_is_taken_in_portions() {
    let mut board = board();
    board.received = (0..100).map(frame).collect();
    let mut mailbox = driven([]);
    mailbox.serve(&mut board).unwrap();
    assert_eq!(board.received.len(), 100 - FRAMES_AT_ONCE);
}

#[test]
fn a_node_that_asks_for_too_much_is_refused() {
    let mut board = board();
    let many = (0..=ANSWERS as u8).map(retain);
    let error = NotIdle { bound: ANSWERS };
    assert_eq!(driven(many).serve(&mut board), Err(error));
    let enough = (0..ANSWERS as u8).map(retain);
    assert_eq!(driven(enough).serve(&mut board), Ok(()));
}
