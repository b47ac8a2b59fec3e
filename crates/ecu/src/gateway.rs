//! Routing between the buses of a gateway: frame by frame, unchanged, bounded.

use waywarden_can::node::{Port, Ports};
use waywarden_can::{Frame, Id};

/// Which frames a route carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Every frame.
    All,
    /// Frames with this identifier.
    Only(Id),
    /// Frames with a 29-bit identifier that has the bits of `value` where `mask` has ones.
    Extended {
        /// What the bits have to be.
        value: u32,
        /// Which bits count.
        mask: u32,
    },
}

impl Matching {
    /// Whether frames with this identifier match.
    #[must_use]
    pub const fn covers(self, id: Id) -> bool {
        match (self, id) {
            (Matching::All, _) => true,
            (Matching::Only(Id::Standard(one)), Id::Standard(id)) => one.raw() == id.raw(),
            (Matching::Only(Id::Extended(one)), Id::Extended(id)) => one.raw() == id.raw(),
            (Matching::Extended { value, mask }, Id::Extended(id)) => {
                (id.raw() ^ value) & mask == 0
            }
            _ => false,
        }
    }
}

/// From one port to another. Two opposite routes that match the same frame do not make a loop:
/// a node does not receive its own frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Where frames come in.
    pub from: Port,
    /// Where they go out.
    pub to: Port,
    /// Which of them.
    pub matching: Matching,
}

/// A frame that waits to be forwarded; storage for a [`Gateway`]'s queue.
pub type Forwarded = Option<(Port, Frame)>;

/// Routes and what waits to be forwarded, oldest first.
#[derive(Debug)]
pub struct Gateway<R, Q> {
    routes: R,
    queue: Q,
    oldest: usize,
    waiting: usize,
    dropped: u64,
}

impl<R: AsRef<[Route]>, Q: AsMut<[Forwarded]>> Gateway<R, Q> {
    /// Makes a gateway whose queue is as long as the storage.
    pub fn new(routes: R, mut queue: Q) -> Self {
        queue.as_mut().fill(None);
        Gateway {
            routes,
            queue,
            oldest: 0,
            waiting: 0,
            dropped: 0,
        }
    }

    /// Returns how many frames were lost because the queue was full.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Takes a received frame; it waits once for each route that matches.
    pub(crate) fn take(&mut self, from: Port, frame: &Frame) {
        let queue = self.queue.as_mut();
        for route in self.routes.as_ref() {
            if route.from != from || !route.matching.covers(frame.id()) {
                continue;
            }
            if self.waiting == queue.len() {
                self.dropped += 1;
                continue;
            }
            queue[(self.oldest + self.waiting) % queue.len()] = Some((route.to, *frame));
            self.waiting += 1;
        }
    }

    /// Returns the oldest frame for a port with room. A flooded port holds up no other: frames
    /// behind one that has to wait are looked at too, in order for each port.
    pub(crate) fn forward(&mut self, room: Ports) -> Option<(Port, Frame)> {
        let queue = self.queue.as_mut();
        let length = queue.len();
        for ahead in 0..self.waiting {
            let at = (self.oldest + ahead) % length;
            if !matches!(queue[at], Some((port, _)) if room.contains(port)) {
                continue;
            }
            let found = queue[at].take();
            // Close the gap by moving the older ones up, so that their order stays.
            for gap in (0..ahead).rev() {
                let (from, to) = (
                    (self.oldest + gap) % length,
                    (self.oldest + gap + 1) % length,
                );
                queue.swap(from, to);
            }
            self.oldest = (self.oldest + 1) % length;
            self.waiting -= 1;
            return found;
        }
        None
    }
}
