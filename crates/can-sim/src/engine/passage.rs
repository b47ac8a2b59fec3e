//! What is on the wire: a frame under way, and an episode that is followed bit by bit.

use std::rc::Rc;

use waywarden_can::Frame;

use crate::bitwise::{Episode, Party};
use crate::clock::Time;
use crate::trace::Serial;

/// A frame under way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) seat: usize,
    pub(super) serial: Serial,
    pub(super) frame: Rc<Frame>,
    pub(super) started: Time,
}

/// An episode under way.
pub(super) struct Passage {
    pub(super) started: Time,
    pub(super) episode: Episode,
    /// The next mark to pass.
    pub(super) next: usize,
    /// The parties as they are at the end.
    pub(super) after: Vec<Party>,
    /// What each party started with.
    pub(super) flights: Vec<Option<Flight>>,
    /// Who is still sending.
    pub(super) sending: Vec<bool>,
    pub(super) contenders: usize,
}

impl Passage {
    pub(super) fn is_sending(&self, seat: usize) -> bool {
        self.sending.get(seat).copied().unwrap_or(false)
    }

    /// Returns the transmission that a received frame belongs to: one that is still being sent,
    /// and among several the one whose bits it has.
    pub(super) fn source_of(&self, frame: &Frame) -> Serial {
        let mut sending = self
            .flights
            .iter()
            .zip(&self.sending)
            .filter_map(|(flight, sending)| flight.as_ref().filter(|_| *sending));
        let same = sending
            .clone()
            .find(|flight| flight.frame.id() == frame.id() && flight.frame.data() == frame.data());
        same.or_else(|| sending.next())
            .map_or(Serial(0), |flight| flight.serial)
    }
}
