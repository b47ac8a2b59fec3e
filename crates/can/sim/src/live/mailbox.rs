//! A program's place on a bus: frames that it sends, and events that it has not taken yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waywarden_can::Frame;
use waywarden_can::node::{BusState, Input, Node, Output, Port, Ports, Token};
use waywarden_work::Instant;

use super::LiveError;
use crate::bitwise::{BitPlace, ErrorKind};
use crate::clock::Time;
use crate::controller::TransmitOrder;
use crate::trace::Serial;

/// Settings of a mailbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailboxConfig {
    /// Its name in the trace.
    pub name: String,
    /// The order in which the controller sends the up to 32 frames that it holds.
    pub order: TransmitOrder,
    /// True if the program gets the frames and the error flags that it has sent.
    pub hears_itself: bool,
    /// True if the program gets the errors that its controller detects.
    pub hears_errors: bool,
    /// True if the program gets the arbitrations that its controller loses.
    pub hears_arbitration: bool,
    /// Maximum number of events that wait for the program; the oldest is dropped for a new one.
    pub inbox: usize,
    /// Maximum number of frames that wait to be sent.
    pub outbox: usize,
}

/// An event that a program gets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LiveEvent {
    /// A frame of another controller was received.
    Received(Frame),
    /// A frame of the program was sent and acknowledged.
    Sent(Frame),
    /// The controller detected an error, and has these error counters since the last change.
    Error {
        /// The kind of the error.
        kind: ErrorKind,
        /// The bit in which it was detected.
        place: BitPlace,
        /// True if it was detected while the controller sent.
        sending: bool,
        /// The transmit error counter.
        tec: u16,
        /// The receive error counter.
        rec: u16,
    },
    /// Another controller won the bus. The frame stays in the controller.
    ArbitrationLost {
        /// The frame.
        frame: Frame,
        /// Its name for [`LiveNetwork::withdraw`](super::LiveNetwork::withdraw).
        token: Token,
    },
    /// The controller began an error flag that the program asked for.
    ErrorFlag {
        /// The transmit error counter.
        tec: u16,
        /// The receive error counter.
        rec: u16,
    },
    /// The controller changed its fault confinement state.
    State {
        /// The new state.
        state: BusState,
        /// The transmit error counter.
        tec: u16,
        /// The receive error counter.
        rec: u16,
    },
}

/// Orders of a program to its controller: the program puts them in, the node takes them out.
#[derive(Default)]
pub(super) struct Orders {
    frames: VecDeque<Frame>,
    withdrawn: Vec<Token>,
}

pub(super) type Outgoing = Arc<Mutex<Orders>>;

/// A frame that the controller has.
pub(super) struct Requested {
    pub(super) serial: Serial,
    pub(super) token: Token,
    pub(super) frame: Frame,
}

pub(super) struct Mailbox {
    pub(super) outgoing: Outgoing,
    /// Frames that the controller has, at most as many as its queue holds.
    pub(super) requested: Vec<Requested>,
    pub(super) state: BusState,
    pub(super) tec: u16,
    pub(super) rec: u16,
    /// True while a frame of this mailbox is on the wire.
    pub(super) sending: bool,
    /// True from an error to the flag that signals it.
    pub(super) signals_error: bool,
    pub(super) dropped: u64,
    pub(super) arbitrations_lost: u64,
    pub(super) hears_itself: bool,
    pub(super) hears_errors: bool,
    pub(super) hears_arbitration: bool,
    is_closed: bool,
    inbox: VecDeque<(Time, LiveEvent)>,
    inbox_max: usize,
    outbox_max: usize,
}

impl Mailbox {
    pub(super) fn new(config: &MailboxConfig) -> Self {
        Mailbox {
            outgoing: Outgoing::default(),
            requested: Vec::new(),
            state: BusState::Active,
            tec: 0,
            rec: 0,
            sending: false,
            signals_error: false,
            dropped: 0,
            arbitrations_lost: 0,
            hears_itself: config.hears_itself,
            hears_errors: config.hears_errors,
            hears_arbitration: config.hears_arbitration,
            is_closed: false,
            inbox: VecDeque::new(),
            inbox_max: config.inbox.max(1),
            outbox_max: config.outbox.max(1),
        }
    }

    pub(super) fn push(&mut self, frame: Frame) -> Result<(), LiveError> {
        let waiting = self.waiting();
        if waiting >= self.outbox_max {
            return Err(LiveError::Full { waiting });
        }
        locked(&self.outgoing).frames.push_back(frame);
        Ok(())
    }

    pub(super) fn waiting(&self) -> usize {
        locked(&self.outgoing).frames.len() + self.requested.len()
    }

    pub(super) fn flush(&mut self) {
        locked(&self.outgoing).frames.clear();
    }

    /// Orders a frame back; returns false if the controller does not have it.
    pub(super) fn withdraw(&mut self, token: Token) -> bool {
        let is_there = self.requested.iter().any(|frame| frame.token == token);
        if is_there {
            locked(&self.outgoing).withdrawn.push(token);
        }
        is_there
    }

    /// Forgets a frame that the controller has no longer.
    pub(super) fn settle(&mut self, serial: Serial) {
        self.requested.retain(|frame| frame.serial != serial);
    }

    /// Gets no more events.
    pub(super) fn close(&mut self) {
        self.inbox = VecDeque::new();
        self.is_closed = true;
        (self.hears_itself, self.hears_errors, self.hears_arbitration) = (false, false, false);
    }

    pub(super) fn put(&mut self, at: Time, event: LiveEvent) {
        if self.is_closed {
            return;
        }
        if self.inbox.len() >= self.inbox_max {
            self.inbox.pop_front();
            self.dropped += 1;
        }
        self.inbox.push_back((at, event));
    }

    pub(super) fn take(&mut self) -> Option<(Time, LiveEvent)> {
        self.inbox.pop_front()
    }
}

/// The queue is complete after each change, whatever panicked elsewhere.
fn locked(outgoing: &Outgoing) -> MutexGuard<'_, Orders> {
    outgoing.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The node of a mailbox: it sends what the program has put in, in order, as the controller has
/// room. What it receives is taken from the trace, which has the exact time.
pub(super) struct MailboxNode {
    outgoing: Outgoing,
    token: u32,
}

impl MailboxNode {
    pub(super) fn new(outgoing: Outgoing) -> Self {
        MailboxNode { outgoing, token: 0 }
    }
}

impl Node for MailboxNode {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, _now: Instant, room: Ports) -> Output {
        let port = Port(0);
        let mut orders = locked(&self.outgoing);
        if let Some(token) = orders.withdrawn.pop() {
            return Output::Withdraw { port, token };
        }
        if !room.contains(port) {
            return Output::Idle(None);
        }
        let Some(frame) = orders.frames.pop_front() else {
            return Output::Idle(None);
        };
        self.token = self.token.wrapping_add(1);
        Output::Transmit {
            port,
            token: Token(self.token),
            frame,
        }
    }
}
