//! The seam between an ECU and an observer of its messages, as simulations have one. A
//! microcontroller has none, and pays nothing for it.

use waywarden_can::node::Port;
use waywarden_can::{Frame, MessageHandle};

use crate::guard::Withheld;

/// Follows the messages of one ECU: names each instance of its streams when it is released, and
/// hears of those that leave nowhere.
///
/// The name goes along in the frames that carry the message, see [`Frame::message`].
pub trait MessageObserver {
    /// Returns the name of an instance that is released now; `stream` is the place of its stream
    /// among those of the ECU.
    fn released(&mut self, stream: usize) -> MessageHandle {
        let _ = stream;
        MessageHandle::NONE
    }

    /// Takes note that the payload of a released instance is read now.
    fn sampled(&mut self, message: MessageHandle) {
        let _ = message;
    }

    /// Takes note that a released instance does not leave.
    fn kept_back(&mut self, message: MessageHandle, why: KeptBack) {
        let _ = (message, why);
    }

    /// Takes note that the gateway lost a frame to this port for want of room in its storage.
    fn dropped(&mut self, to: Port, frame: &Frame) {
        let _ = (to, frame);
    }
}

/// The reason why a released instance does not leave its ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptBack {
    /// A newer instance took its place before the transmit queue had room, or before the role that
    /// guards the stream was through with the one before.
    Skipped,
    /// The role that guards the stream could not protect it.
    Withheld(Withheld),
}

/// Follows nothing.
impl MessageObserver for () {}
