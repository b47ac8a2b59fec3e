//! A payload that comes in frames: the length is known from its step, the order from the bus.

use waywarden_can::segment::raw::{PayloadProgress, Reassembler};

use super::identifier::Step;
use waywarden_key_roles::Transport;

/// A payload of up to 64 bytes.
pub(super) struct Inbox(Reassembler<64>);

impl Inbox {
    pub(super) fn new(transport: Transport, step: Step) -> Self {
        let mut reassembler = Reassembler::new(transport.cut());
        // No payload of the protocol is empty or longer than 64 bytes.
        let _ = reassembler.expect(step.payload_length());
        Inbox(reassembler)
    }

    /// Takes the data of the next frame; none if none is expected.
    pub(super) fn push(&mut self, data: &[u8]) -> Option<PayloadProgress> {
        self.0.push(data).ok()
    }

    /// Fills the inbox with a payload of one's own.
    pub(super) fn put(&mut self, transport: Transport, payload: &[u8]) {
        for field in transport.cut().segments(payload) {
            let _ = self.0.push(&field);
        }
    }

    /// Returns the payload once it is complete.
    pub(super) fn take<const LENGTH: usize>(&self) -> Option<[u8; LENGTH]> {
        self.0.payload()?.try_into().ok()
    }
}
