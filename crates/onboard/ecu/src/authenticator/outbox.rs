//! Frames that wait for room, each on every port that it has still to leave by.

use waywarden_can::Frame;
use waywarden_can::node::{Port, Ports};

use super::WAITING;
use super::queue::Queue;

/// A frame on its way out.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    ports: Ports,
    frame: Frame,
    is_announcement: bool,
}

/// Up to [`WAITING`] of them, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Outbox(Queue<Waiting, WAITING>);

impl Outbox {
    pub(super) const fn new() -> Self {
        Outbox(Queue::new())
    }

    pub(super) const fn is_full(&self) -> bool {
        self.0.is_full()
    }

    /// Adds a frame; returns whether there was room.
    pub(super) fn push(&mut self, ports: Ports, frame: Frame) -> bool {
        let waiting = Waiting {
            ports,
            frame,
            is_announcement: false,
        };
        self.0.push(waiting).is_ok()
    }

    /// Adds an announcement. What waits of the one before is worth nothing any more: so a bus that
    /// takes no frames costs one place, however long it lasts.
    pub(super) fn announce(&mut self, ports: Ports, frame: Frame) -> bool {
        self.0.take_first(|waiting| waiting.is_announcement);
        let waiting = Waiting {
            ports,
            frame,
            is_announcement: true,
        };
        self.0.push(waiting).is_ok()
    }

    /// Takes the oldest frame for a port with room.
    pub(super) fn pop(&mut self, room: Ports) -> Option<(Port, Frame)> {
        let mut free = None;
        let waiting = self.0.find_mut(|waiting| {
            free = first(waiting.ports, room);
            free.is_some()
        })?;
        let port = free?;
        let frame = waiting.frame;
        waiting.ports = waiting.ports.without(port);
        if waiting.ports == Ports::NONE {
            self.0.take_first(|waiting| waiting.ports == Ports::NONE);
        }
        Some((port, frame))
    }
}

/// The first port that is in both sets.
fn first(one: Ports, other: Ports) -> Option<Port> {
    let mut ports = (0..Ports::MAX).map(Port);
    ports.find(|port| one.contains(*port) && other.contains(*port))
}
