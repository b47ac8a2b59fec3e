//! The mailboxes of an image's controller: one to send from, and some to receive into.

use std::collections::VecDeque;

use waywarden_can::Frame;
use waywarden_vehicle_resources::ImageFault;

/// The mailboxes.
#[derive(Debug)]
pub(super) struct Mailboxes {
    transmitting: Transmitting,
    received: VecDeque<Frame>,
    depth: usize,
}

/// The state of the transmit mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transmitting {
    /// It is empty.
    Free,
    /// It has a frame that the queue of the controller has not taken yet.
    Offered(Frame),
    /// Its frame waits for the bus.
    Queued,
}

impl Mailboxes {
    /// Makes empty ones, with room for `depth` received frames.
    pub(super) fn new(depth: usize) -> Self {
        Mailboxes {
            transmitting: Transmitting::Free,
            received: VecDeque::with_capacity(depth),
            depth,
        }
    }

    /// Puts a frame into the transmit mailbox.
    ///
    /// # Errors
    /// [`ImageFault::Malformed`] if there is one.
    pub(super) fn put(&mut self, frame: Frame) -> Result<(), ImageFault> {
        if self.transmitting != Transmitting::Free {
            let why = "a frame for a transmit mailbox that is not empty";
            return Err(ImageFault::Malformed(why.to_owned()));
        }
        self.transmitting = Transmitting::Offered(frame);
        Ok(())
    }

    /// Takes the frame that is to be queued, if the queue has room.
    pub(super) fn offered(&mut self, has_room: bool) -> Option<Frame> {
        let Transmitting::Offered(frame) = self.transmitting else {
            return None;
        };
        if !has_room {
            return None;
        }
        self.transmitting = Transmitting::Queued;
        Some(frame)
    }

    /// Empties the transmit mailbox.
    pub(super) fn free(&mut self) {
        self.transmitting = Transmitting::Free;
    }

    /// Returns true if the transmit mailbox is empty.
    pub(super) fn is_free(&self) -> bool {
        self.transmitting == Transmitting::Free
    }

    /// Takes a frame of the bus; returns false if there is no room for it.
    pub(super) fn receive(&mut self, frame: &Frame) -> bool {
        let has_room = self.received.len() < self.depth;
        if has_room {
            self.received.push_back(*frame);
        }
        has_room
    }

    /// Returns true if a received frame waits.
    pub(super) fn has_frame(&self) -> bool {
        !self.received.is_empty()
    }

    /// Takes the oldest received frame.
    pub(super) fn take(&mut self) -> Option<Frame> {
        self.received.pop_front()
    }
}
