//! Inputs that wait for their turn.

use waywarden_can::Frame;
use waywarden_can::node::{BusState, Input, Port, Slot, Ticket, Token};

/// An input that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stimulus {
    Frame { port: Port, frame: Frame },
    Sent { port: Port, token: Token },
    Withdrawn { port: Port, token: Token },
    Bus { port: Port, state: BusState },
    Done(Ticket),
    Retained(Slot),
    Timeout,
}

impl Stimulus {
    /// Returns it as the node's input.
    pub(super) fn as_input(&self) -> Input<'_> {
        match *self {
            Stimulus::Frame { port, ref frame } => Input::Frame { port, frame },
            Stimulus::Sent { port, token } => Input::Sent { port, token },
            Stimulus::Withdrawn { port, token } => Input::Withdrawn { port, token },
            Stimulus::Bus { port, state } => Input::Bus { port, state },
            Stimulus::Done(ticket) => Input::Done(ticket),
            Stimulus::Retained(slot) => Input::Retained(slot),
            Stimulus::Timeout => Input::Timeout,
        }
    }
}
