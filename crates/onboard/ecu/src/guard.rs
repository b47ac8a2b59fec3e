//! The seam between an ECU's streams and what protects them: a role that has the last word on them.

use waywarden_can::node::{Node, Port};
use waywarden_can::{Frame, Id};

/// A role that may have the last word on streams of its ECU: an instance of a stream that it guards
/// does not go onto the bus, but to the role, which sends it in its own time and its own form.
///
/// A role that guards nothing leaves both functions as they are.
pub trait Guard: Node {
    /// Returns true if a received frame concerns this role. Other frames are not handed to it, and
    /// it stays at rest meanwhile.
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        let _ = (port, frame);
        true
    }

    /// Returns true if a state beside the role has changed on which it acts, such as a key that
    /// another role shares with it. The role is then polled without an input of its own.
    fn is_stirred(&self) -> bool {
        false
    }

    /// Returns true if frames with this identifier leave only through this role.
    fn guards(&self, id: Id) -> bool {
        let _ = id;
        false
    }

    /// Takes an instance of a stream that it guards, in clear; the role sends it later, under the
    /// same identifier and by the same port, or it does not leave. All frames that it sends for it
    /// have the handle of this one.
    ///
    /// # Errors
    /// [`Withheld`]: this instance does not leave.
    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        let _ = (port, frame);
        Err(Withheld::Unauthorized)
    }
}

/// Reason that an instance of a guarded stream does not leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Withheld {
    /// The ECU has no key of the stream: it may not send it, or not yet, or not any more.
    Unauthorized,
    /// The instance before is still with the role, or there is no room for another.
    Busy,
    /// A value that must survive a reset before anything is sent is not written yet.
    Unretained,
    /// No freshness master has announced the epoch of the car yet.
    Unsynchronised,
    /// The stream's counter is at its end: until the next announcement, or until there is another
    /// key.
    Exhausted,
    /// The stream has no payloads of this length, or no frames of this format.
    Form,
    /// The retained values are damaged or used up: the role is out of service.
    Faulty,
}

impl core::fmt::Display for Withheld {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Unauthorized => "the ECU has no key of the stream",
            Self::Busy => "the instance before has not left yet",
            Self::Unretained => "what must survive a reset is not written yet",
            Self::Unsynchronised => "the epoch of the car has not been announced yet",
            Self::Exhausted => "the stream's counter is used up",
            Self::Form => "the stream has no payloads of this length or format",
            Self::Faulty => "what was retained is damaged or used up",
        })
    }
}

impl core::error::Error for Withheld {}
