//! The findings of checks, each with the message that it is about.

use waywarden_can::MessageHandle;
use waywarden_can::node::Port;
use waywarden_can_auth::event::FrameOutcome;

/// The finding about a frame, and the message that it is about.
pub(super) type Finding = (FrameOutcome, MessageHandle);

/// The finding of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The port of the stream.
    pub port: Port,
    /// The finding.
    pub event: FrameOutcome,
    /// The message that it is about.
    pub message: MessageHandle,
    /// True if the message was to go on, and a shield had no room for it.
    pub is_stopped: bool,
}
