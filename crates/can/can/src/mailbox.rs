//! Runs a [`Node`] on a CAN controller with one transmit mailbox: for firmware, on top of the chip
//! vendor's driver. It needs no allocator and no interrupts of its own.
//!
//! You implement [`Device`], five functions over your driver, and call [`Mailbox::serve`] from the
//! main loop: after each interrupt of the controller, and at least every millisecond. The module
//! [`node`](crate::node) states the contract that this driver keeps.
//!
//! # Example
//! ```
//! use waywarden_can::mailbox::{Device, Mailbox};
//! use waywarden_can::node::{Input, Node, Output, Port, Ports, Retained, Slot, Token};
//! use waywarden_can::{Frame, Id};
//! use waywarden_work::Instant;
//!
//! /// Answers each frame with the same data under 0x7E8.
//! struct Echo(Option<Frame>);
//!
//! impl Node for Echo {
//!     fn handle(&mut self, _now: Instant, input: Input<'_>) {
//!         if let Input::Frame { frame, .. } = input {
//!             let id = Id::standard(0x7E8).expect("11 bits");
//!             self.0 = Frame::classic(id, frame.data()).ok();
//!         }
//!     }
//!
//!     fn poll(&mut self, _now: Instant, room: Ports) -> Output {
//!         let frame = self.0.take_if(|_| room.contains(Port(0)));
//!         frame.map_or(Output::Idle(None), |frame| Output::Transmit {
//!             port: Port(0),
//!             token: Token(0),
//!             frame,
//!         })
//!     }
//! }
//!
//! /// A controller in memory; yours reads registers.
//! #[derive(Default)]
//! struct Board {
//!     received: Option<Frame>,
//!     mailbox: Option<Frame>,
//! }
//!
//! impl Device for Board {
//!     fn now(&self) -> Instant {
//!         Instant::ZERO
//!     }
//!     fn receive(&mut self) -> Option<Frame> {
//!         self.received.take()
//!     }
//!     fn send(&mut self, frame: &Frame) {
//!         self.mailbox = Some(*frame);
//!     }
//!     fn is_sent(&self) -> bool {
//!         self.mailbox.is_none()
//!     }
//!     fn store(&mut self, _slot: Slot, _value: &Retained) {}
//! }
//!
//! let mut board = Board::default();
//! let mut echo = Mailbox::new(Echo(None), board.now());
//! board.received = Frame::classic(Id::standard(0x7E0)?, &[1, 2, 3]).ok();
//! echo.serve(&mut board)?;
//! let answer = board.mailbox.expect("an answer");
//! assert_eq!((answer.id().raw(), answer.data()), (0x7E8, &[1, 2, 3][..]));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

#[cfg(feature = "alloc")]
mod memory;

use waywarden_work::Instant;

use crate::frame::Frame;
pub use crate::node::NotIdle;
use crate::node::{BusState, Input, Node, Output, Port, Ports, Retained, Slot, Ticket, Token};

#[cfg(feature = "alloc")]
pub use memory::{MemoryDevice, deliver};

/// The only port of a node that this driver drives.
pub const PORT: Port = Port(0);
/// Maximum number of received frames that one [`Mailbox::serve`] takes, so that a flood cannot
/// block it.
pub const FRAMES_AT_ONCE: usize = 64;
/// Maximum number of computations and slots that a node may request before it is idle.
pub const ANSWERS: usize = 16;
/// Maximum number of outputs that one input may cause.
const OUTPUTS: usize = 1 << 16;

/// Functions that a CAN controller driver provides.
pub trait Device {
    /// Returns the time since power-on, in nanoseconds; it never goes back.
    fn now(&self) -> Instant;

    /// Takes the oldest frame, received without error, from the receive queue.
    fn receive(&mut self) -> Option<Frame>;

    /// Puts a frame into the mailbox, which is empty.
    fn send(&mut self, frame: &Frame);

    /// Returns true if the frame that was put into the mailbox has been acknowledged on the bus.
    fn is_sent(&self) -> bool;

    /// Writes 32 bytes, and returns only once they would survive a loss of power.
    fn store(&mut self, slot: Slot, value: &Retained);

    /// Returns the fault confinement state. A device that reports bus off has emptied its mailbox.
    fn bus_state(&self) -> BusState {
        BusState::Active
    }
}

/// A node, and the state that its driver keeps for it.
pub struct Mailbox<N> {
    node: N,
    /// Token of the frame in the mailbox; it is answered once.
    sending: Option<Token>,
    due: Option<Instant>,
    state: BusState,
}

impl<N> Mailbox<N> {
    /// Creates a driver of a node that was created at `boot`.
    pub const fn new(node: N, boot: Instant) -> Self {
        Mailbox {
            node,
            sending: None,
            due: Some(boot),
            state: BusState::Active,
        }
    }

    /// Returns the node.
    pub const fn node(&self) -> &N {
        &self.node
    }

    /// Returns the instant of the device's clock by which [`Mailbox::serve`] must be called next if
    /// nothing happens on the bus before; none if only the bus has something for the node.
    pub const fn next_deadline(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the node, to command it or to take its events. The next [`Mailbox::serve`] executes
    /// its outputs.
    pub const fn node_mut(&mut self) -> &mut N {
        &mut self.node
    }
}

impl<N: Node> Mailbox<N> {
    /// Passes all pending inputs to the node and executes its outputs.
    ///
    /// # Errors
    /// [`NotIdle`]; outputs of the node beyond the bound are lost, so it must be created again, as
    /// after a reset.
    pub fn serve(&mut self, device: &mut (impl Device + ?Sized)) -> Result<(), NotIdle> {
        let now = device.now();
        let state = device.bus_state();
        if state != self.state {
            self.state = state;
            let port = PORT;
            if state == BusState::Off
                && let Some(token) = self.sending.take()
            {
                self.feed(now, Input::Withdrawn { port, token }, device)?;
            }
            self.feed(now, Input::Bus { port, state }, device)?;
        }
        // A role commits what it sent at `Sent`, so this comes only after the acknowledgement.
        if let Some(token) = self.sending.take_if(|_| device.is_sent()) {
            self.feed(now, Input::Sent { port: PORT, token }, device)?;
        }
        for _ in 0..FRAMES_AT_ONCE {
            let Some(frame) = device.receive() else { break };
            let (port, frame) = (PORT, &frame);
            self.feed(now, Input::Frame { port, frame }, device)?;
        }
        // A timeout may be late, but never early.
        if self.due.is_some_and(|due| due <= now) {
            return self.feed(now, Input::Timeout, device);
        }
        self.settle(now, device)
    }

    fn feed(
        &mut self,
        now: Instant,
        input: Input<'_>,
        device: &mut (impl Device + ?Sized),
    ) -> Result<(), NotIdle> {
        self.node.handle(now, input);
        self.settle(now, device)
    }

    /// Polls until the node is idle, and answers its requests. Answers are inputs, too, and wait
    /// for `Idle` like all others.
    fn settle(&mut self, now: Instant, device: &mut (impl Device + ?Sized)) -> Result<(), NotIdle> {
        let mut answers = Answers::default();
        for _ in 0..OUTPUTS {
            // A full mailbox has no room: the node keeps the frame and offers it again.
            let has_room = self.sending.is_none() && self.state != BusState::Off;
            let room = match has_room {
                true => Ports::NONE.with(PORT),
                false => Ports::NONE,
            };
            match self.node.poll(now, room) {
                Output::Transmit { token, frame, .. } => {
                    device.send(&frame);
                    self.sending = Some(token);
                }
                // The node has already computed it.
                Output::Work { ticket, .. } => answers.push(Answer::Done(ticket))?,
                Output::Retain { slot, value } => {
                    device.store(slot, &value);
                    answers.push(Answer::Retained(slot))?;
                }
                // The frame in the mailbox is sent nevertheless.
                Output::Withdraw { .. } => {}
                Output::Idle(due) => {
                    self.due = due;
                    match answers.pop() {
                        Some(Answer::Done(ticket)) => self.node.handle(now, Input::Done(ticket)),
                        Some(Answer::Retained(slot)) => {
                            self.node.handle(now, Input::Retained(slot));
                        }
                        None => return Ok(()),
                    }
                }
            }
        }
        Err(NotIdle { bound: OUTPUTS })
    }
}

#[derive(Clone, Copy)]
enum Answer {
    Done(Ticket),
    Retained(Slot),
}

/// Answers in the order of the requests.
#[derive(Default)]
struct Answers {
    ring: [Option<Answer>; ANSWERS],
    first: usize,
    count: usize,
}

impl Answers {
    fn push(&mut self, answer: Answer) -> Result<(), NotIdle> {
        if self.count == ANSWERS {
            return Err(NotIdle { bound: ANSWERS });
        }
        self.ring[(self.first + self.count) % ANSWERS] = Some(answer);
        self.count += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<Answer> {
        let answer = self.ring[self.first].take()?;
        self.first = (self.first + 1) % ANSWERS;
        self.count -= 1;
        Some(answer)
    }
}

#[cfg(test)]
mod tests;
