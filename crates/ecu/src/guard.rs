//! The seam between an ECU's streams and what protects them: a role that has the last word on them.

use waywarden_can::node::{Node, Port};
use waywarden_can::{Frame, Id};

/// A role that may have the last word on streams of its ECU: an instance of a stream that it guards
/// does not go onto the bus, but to the role, which sends it in its own time and its own form.
///
/// A role that guards nothing leaves both functions as they are.
pub trait Guard: Node {
    /// Whether frames with this identifier leave only through this role.
    fn guards(&self, id: Id) -> bool {
        let _ = id;
        false
    }

    /// Takes an instance of a stream that it guards, in clear; the role sends it later, under the
    /// same identifier and by the same port, or it does not leave.
    ///
    /// # Errors
    /// [`Withheld`]: this instance does not leave.
    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        let _ = (port, frame);
        Err(Withheld::Unauthorised)
    }
}

/// Why an instance of a guarded stream does not leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// The ECU has no key of the stream: it may not send it, or not yet, or not any more.
    Unauthorised,
    /// The instance before is still with the role.
    Busy,
}

impl core::fmt::Display for Withheld {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Unauthorised => "the ECU has no key of the stream",
            Self::Busy => "the instance before has not left yet",
        })
    }
}

impl core::error::Error for Withheld {}
