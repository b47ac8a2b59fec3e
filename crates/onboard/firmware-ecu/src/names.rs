//! The observer of an ECU's messages: it asks the simulation for their names, and reports those
//! that do not leave.

use waywarden_can::MessageHandle;
use waywarden_ecu::{KeptBack, MessageObserver};
use waywarden_firmware_link::{Link, Request};

use crate::{Board, LAB};

/// Names messages through the link; without `lab` it does nothing.
pub struct Names<'a, L>(pub(crate) &'a Board<L>);

impl<L: Link> MessageObserver for Names<'_, L> {
    fn released(&mut self, stream: usize) -> MessageHandle {
        match LAB {
            true => self.0.name(stream as u8),
            false => MessageHandle::NONE,
        }
    }

    fn sampled(&mut self, message: MessageHandle) {
        if LAB {
            self.0.report(&Request::Sampled(message));
        }
    }

    fn kept_back(&mut self, message: MessageHandle, why: KeptBack) {
        if LAB {
            self.0.report(&Request::KeptBack { message, why });
        }
    }
}
