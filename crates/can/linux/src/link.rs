//! The interfaces of the driver to its environment: links that carry frames, a clock, and waiting.

use std::io;

use waywarden_can::Frame;
use waywarden_can::node::BusState;
use waywarden_work::{Duration, Instant};

use crate::error::CanLinkError;

/// The outcome of handing a frame over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// The link has it and will report [`LinkEvent::Echo`] once it was sent.
    Taken,
    /// The link has no room now; it does not report when it will.
    Full,
    /// The interface is down; the link does not have the frame.
    Down,
}

/// A received message or event of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEvent {
    /// Nothing now.
    Nothing,
    /// A frame from another station, or from another process on this machine.
    Frame(Frame),
    /// A frame handed over on this link was sent. Frames that look alike come in the order in
    /// which they were handed over.
    Echo(Frame),
    /// The controller is in this state now.
    State(BusState),
    /// The controller left bus-off; frames that were under way then are lost.
    Restarted,
    /// The interface went down; frames that were under way are lost.
    Down,
    /// Something was received that is neither a frame nor a change of state.
    Unreadable,
}

/// One CAN interface, used by one driver. Nothing here blocks.
pub trait CanLink {
    /// Hands a frame over for sending.
    ///
    /// # Errors
    /// [`CanLinkError`] when the link can no longer be used.
    fn send(&mut self, frame: &Frame) -> Result<Handed, CanLinkError>;

    /// Takes the oldest thing received.
    ///
    /// # Errors
    /// [`CanLinkError`] when the link can no longer be used.
    fn receive(&mut self) -> Result<LinkEvent, CanLinkError>;

    /// Returns how many received things were thrown away since the last call, for want of room.
    ///
    /// # Errors
    /// [`CanLinkError`] when the link can no longer be used.
    fn lost(&mut self) -> Result<u32, CanLinkError>;

    /// Returns true if the interface is up; asked only after it went down.
    fn is_up(&mut self) -> bool;
}

/// The machine: its clock, and waiting for several links at once.
pub trait Host {
    /// The links it can wait for.
    type Link: CanLink;

    /// Returns the time on a monotonic clock of the ECU's own. It never goes back.
    fn now(&self) -> Instant;

    /// Waits until a link has something to say, or until `longest` has passed (`None`: without
    /// end). It may return early, as after a signal.
    ///
    /// # Errors
    /// What the system says.
    fn wait(&mut self, links: &[Self::Link], longest: Option<Duration>) -> io::Result<()>;
}
