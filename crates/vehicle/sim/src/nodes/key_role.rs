//! The role that every key protocol has in an ECU of a vehicle.

use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::CanPayload;
use waywarden_ecu::{Guard, Withheld};
use waywarden_work::Instant;

/// A key protocol's role in an ECU of a vehicle. What happens to it, it reports as facts.
pub trait KeyRole: Guard + Send {
    /// Returns true if it has had a key since the boot of its ECU.
    fn has_key(&self) -> bool {
        false
    }

    /// Takes the result of the oldest check, for the ECU's program.
    fn checked(&mut self) -> Option<CheckedMessage> {
        None
    }

    /// Takes a message of a stream that it guards from an attacker, which is not the stream's
    /// sender but runs code in its place.
    ///
    /// # Errors
    /// [`Withheld`], also where the attacker has not got the keys.
    fn forge(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        let _ = (port, frame);
        Err(Withheld::Unauthorized)
    }

    /// Makes the frames of a message of a stream that it receives, with the keys that it has; none
    /// without.
    fn impersonate(&mut self, port: Port, frame: &Frame) -> Vec<Frame> {
        let _ = (port, frame);
        Vec::new()
    }
}

/// Result of a check, for the ECU's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckedMessage {
    /// It is authentic: the stream, by its place in the vehicle file, and the payload.
    Accepted(usize, CanPayload),
    /// It is not, or it never came whole.
    Refused(usize),
}

impl Node for Box<dyn KeyRole> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        (**self).handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        (**self).poll(now, room)
    }
}

impl Guard for Box<dyn KeyRole> {
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        (**self).hears(port, frame)
    }

    fn is_stirred(&self) -> bool {
        (**self).is_stirred()
    }

    fn guards(&self, id: Id) -> bool {
        (**self).guards(id)
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        (**self).send(port, frame)
    }
}
