//! The seam between a protocol role and whatever carries its frames.
//!
//! A [`Node`] is sans-I/O: time, frames, finished work and randomness come in as values; frames,
//! work and memory to keep go out as values. The simulator, a Linux driver and a microcontroller's
//! interrupt handlers drive the same code.
//!
//! # The contract
//!
//! 1. The driver calls [`Node::handle`] with one [`Input`], then [`Node::poll`] until it answers
//!    [`Output::Idle`]. It calls nothing else in between.
//! 2. `now` is the ECU's own monotonic clock. It never goes back.
//! 3. [`Output::Transmit`] appears only for a port that is in `room`. Each one is answered, later,
//!    by exactly one [`Input::Sent`] or [`Input::Withdrawn`] with its token, unless the ECU resets
//!    first. A role commits what it sent at `Sent`, not before. Frames a node sends are not handed
//!    back to it.
//! 4. [`Output::Work`] says that computation was done, or is about to be. What depends on its
//!    result must not leave before [`Input::Done`] with its ticket. The node may go on with
//!    everything else meanwhile: so a data frame can leave while its tag is computed, and
//!    periodic frames keep their period while a signature is checked. The simulator answers after
//!    the cost of the operation on the ECU's board; a driver on a real machine, where the
//!    computation has already taken its time, answers at once.
//! 5. [`Output::Retain`] asks for 32 bytes to survive a reset; [`Input::Retained`] says they will.
//! 6. [`Output::Idle`] names the next instant at which the node wants [`Input::Timeout`]. A later
//!    `Idle` replaces the deadline. A timeout may come late, never early.
//! 7. After a reset the driver makes a new node from a [`Boot`]: a fresh seed and what was
//!    retained. Nothing else survives, because nothing else is handed over.
//!
//! A driver bounds the polls after one input; a node bounds everything it queues.

use waywarden_work::{Instant, Operation};

use crate::frame::Frame;

/// One of the ECU's CAN controllers, counted from 0. At most [`Ports::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u8);

/// A set of ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ports(u32);

/// Names one transmission of this node; chosen by the node, unique among those under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u32);

/// Names one piece of work of this node; chosen by the node, unique among those under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u32);

/// A place in the memory that survives a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u8);

/// The content of a slot.
pub type Retained = [u8; 32];

/// The fault confinement state of a controller [ISO 11898-1 §12.1.4].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BusState {
    /// Error-active: takes part fully.
    Active,
    /// Error-passive: may send, but not destroy others' frames, and waits before sending again.
    Passive,
    /// Bus-off: neither sends nor acknowledges until it has recovered.
    Off,
}

/// The task of the ECU's operating system that does a piece of work. Which one pre-empts which is
/// the driver's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// Takes frames out of the controller.
    Receive,
    /// Prepares frames and puts them into the controller.
    Send,
    /// Long cryptographic computation.
    Crypto,
}

/// An input of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input<'a> {
    /// A frame was received without error.
    Frame {
        /// The port that received it.
        port: Port,
        /// The frame.
        frame: &'a Frame,
    },
    /// A frame of this node was sent and acknowledged.
    Sent {
        /// The port that sent it.
        port: Port,
        /// The token it was transmitted under.
        token: Token,
    },
    /// A frame of this node was taken back before it could be sent.
    Withdrawn {
        /// The port that it was handed to.
        port: Port,
        /// The token it was transmitted under.
        token: Token,
    },
    /// The controller changed its fault confinement state.
    Bus {
        /// The port of the controller.
        port: Port,
        /// The new state.
        state: BusState,
    },
    /// Work is finished; what depends on it may leave.
    Done(Ticket),
    /// The slot's new content will survive a reset.
    Retained(Slot),
    /// The instant named by the last [`Output::Idle`] has come.
    Timeout,
}

/// An output of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Output {
    /// This computation is the node's; its result may be used at [`Input::Done`].
    Work {
        /// Comes back in [`Input::Done`].
        ticket: Ticket,
        /// The task that does it.
        task: Task,
        /// The operation that is done.
        operation: Operation,
    },
    /// Send a frame on a port that has room.
    Transmit {
        /// The port.
        port: Port,
        /// Comes back in [`Input::Sent`] or [`Input::Withdrawn`].
        token: Token,
        /// The frame.
        frame: Frame,
    },
    /// Take back a frame that may still be waiting. If it is on the wire it is sent all the same.
    Withdraw {
        /// The port.
        port: Port,
        /// The token it was transmitted under.
        token: Token,
    },
    /// Keep 32 bytes over a reset.
    Retain {
        /// The slot.
        slot: Slot,
        /// The value to keep.
        value: Retained,
    },
    /// Nothing more until the next input, or until this instant.
    Idle(Option<Instant>),
}

/// The values that a new node is made from, besides its configuration.
#[derive(Clone, Copy)]
pub struct Boot<'a> {
    /// The ECU's clock.
    pub now: Instant,
    /// Random bytes, fresh at each boot; the only source of unpredictability a node has.
    pub seed: [u8; 32],
    /// The values that earlier boots retained, in order of slot.
    pub retained: &'a [(Slot, Retained)],
}

/// A protocol role, an application, a gateway or an attacker: whatever takes part on a bus by
/// sending and receiving whole frames. The module page states the contract.
pub trait Node {
    /// Takes one input.
    fn handle(&mut self, now: Instant, input: Input<'_>);

    /// Answers with the next thing the node wants; `room` are the ports that take a frame now.
    fn poll(&mut self, now: Instant, room: Ports) -> Output;
}

impl Ports {
    /// Maximum number of ports of an ECU.
    pub const MAX: u8 = 32;
    /// No port.
    pub const NONE: Ports = Ports(0);
    /// Every port.
    pub const ALL: Ports = Ports(u32::MAX);

    /// Returns the set with `port` added; ports from [`Ports::MAX`] on are never in a set.
    #[must_use]
    pub const fn with(self, port: Port) -> Self {
        if port.0 < Self::MAX {
            Ports(self.0 | (1 << port.0))
        } else {
            self
        }
    }

    /// Returns the set without `port`.
    #[must_use]
    pub const fn without(self, port: Port) -> Self {
        if port.0 < Self::MAX {
            Ports(self.0 & !(1 << port.0))
        } else {
            self
        }
    }

    /// Returns true if each port of this set is in another one.
    #[must_use]
    pub const fn is_within(self, other: Ports) -> bool {
        self.0 & !other.0 == 0
    }

    /// Returns true if `port` is in the set.
    #[must_use]
    pub const fn contains(self, port: Port) -> bool {
        port.0 < Self::MAX && self.0 & (1 << port.0) != 0
    }
}

impl Boot<'_> {
    /// Returns what was retained in `slot`.
    #[must_use]
    pub fn retained(&self, slot: Slot) -> Option<&Retained> {
        self.retained
            .iter()
            .find(|(at, _)| *at == slot)
            .map(|(_, value)| value)
    }
}

/// Error of a node that does not become idle, or of nodes that answer each other without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotIdle {
    /// Bound of the driver that was reached: a number of outputs, answers or frames.
    pub bound: usize,
}

impl core::fmt::Display for NotIdle {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let bound = self.bound;
        write!(f, "not idle after {bound} outputs, answers or frames")
    }
}

impl core::error::Error for NotIdle {}
