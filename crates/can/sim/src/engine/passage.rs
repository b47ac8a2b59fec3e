//! Frames on the wire: one under way, and an episode that is followed bit by bit.

use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::timing::Picoseconds;

use crate::bitwise::{BusParty, Episode, MarkKind};
use crate::clock::Time;
use crate::confinement::ErrorCounters;
use crate::trace::Serial;

/// A frame under way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) bus_port: usize,
    pub(super) serial: Serial,
    pub(super) frame: Arc<Frame>,
    pub(super) started: Time,
}

/// An episode under way.
#[derive(Default)]
pub(super) struct Passage {
    pub(super) started: Time,
    pub(super) episode: Episode,
    /// The next mark to pass.
    pub(super) next: usize,
    /// End of its undisturbed part that was reported as such, from the start of frame.
    pub(super) reported: Picoseconds,
    /// The parties as they were at the start.
    pub(super) before: Vec<BusParty>,
    /// The parties as they are at the end.
    pub(super) after: Vec<BusParty>,
    /// The frame with which each party started.
    pub(super) flights: Vec<Option<Flight>>,
    /// True for each party that is still sending.
    pub(super) sending: Vec<bool>,
    pub(super) contenders: usize,
    /// The interferer that struck last.
    pub(super) struck_by: Option<usize>,
}

impl Passage {
    /// Takes out the marks of what was reported while the frame went by undisturbed. Error counters
    /// were not: there they change when the frame is accepted.
    pub(super) fn omit_reported(&mut self) {
        let reported = self.reported;
        self.episode.marks.retain(|mark| {
            let counts = matches!(mark.kind, MarkKind::Counters { .. } | MarkKind::State(_));
            counts || mark.at >= reported
        });
    }

    /// Returns a party's error counters as the marks passed so far have them, if they changed.
    pub(super) fn counters(&self, party: usize) -> Option<ErrorCounters> {
        let passed = self.episode.marks[..self.next].iter().rev();
        passed
            .filter(|mark| mark.party == party)
            .find_map(|mark| match mark.kind {
                MarkKind::Counters { tec, rec } => Some(ErrorCounters::with(tec, rec)),
                _ => None,
            })
    }

    /// Returns true if a party may still send the frame that it had at the start. That holds also
    /// for one that has lost arbitration, for it may begin again before the episode is over.
    pub(super) fn holds(&self, bus_port: usize) -> bool {
        self.flights.get(bus_port).is_some_and(Option::is_some)
    }

    /// Returns the transmission that a received frame belongs to, and whether it has its bits: one
    /// that is still being sent, and among several the one whose bits it has.
    pub(super) fn source_of(&self, frame: &Frame) -> Option<(&Flight, bool)> {
        let mut sending = self
            .flights
            .iter()
            .zip(&self.sending)
            .filter_map(|(flight, sending)| flight.as_ref().filter(|_| *sending));
        let same = sending
            .clone()
            .find(|flight| flight.frame.id() == frame.id() && flight.frame.data() == frame.data());
        let same = same.map(|flight| (flight, true));
        same.or_else(|| sending.next().map(|flight| (flight, false)))
    }
}
