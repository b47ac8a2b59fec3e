//! The last transmissions, by serial number: what a latency is made of.

use std::collections::VecDeque;

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{BusIndex, EcuIndex, Serial};
use waywarden_work::Duration;

use super::{Step, span};

/// How many transmissions are remembered; older ones no longer count for latencies.
pub const WINDOW: usize = 1 << 17;

/// How many gateways a frame is followed back over.
const HOPS_MAX: usize = 16;

/// One transmission on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track {
    pub(super) stream: Option<usize>,
    /// When it was released at the first sender.
    pub(super) origin: Time,
    /// The transmission on the bus before, if a gateway forwarded it.
    previous: Option<Serial>,
    ecu: EcuIndex,
    pub(super) bus: BusIndex,
    pub(super) requested: Time,
    pub(super) queued: Time,
    pub(super) started: Time,
    pub(super) sent: Time,
    pub(super) losses: u32,
    pub(super) attempts: u32,
}

#[derive(Debug, Default)]
pub(super) struct Window {
    tracks: VecDeque<Track>,
    first: u64,
}

impl Track {
    pub(super) fn new(
        stream: Option<usize>,
        origin: Time,
        previous: Option<Serial>,
        (ecu, bus): (EcuIndex, BusIndex),
        at: Time,
    ) -> Self {
        Track {
            stream,
            origin,
            previous,
            ecu,
            bus,
            requested: at,
            queued: at,
            started: at,
            sent: at,
            losses: 0,
            attempts: 0,
        }
    }

    /// Returns the steps on this bus, with the time each took.
    fn steps(&self) -> [(Step, Duration); 3] {
        let waited = span(self.queued, self.started);
        let waiting = match self.attempts {
            0 | 1 => Step::Waiting(self.bus, self.losses),
            attempts => Step::Repeated(self.bus, attempts),
        };
        [
            (Step::SendTask(self.ecu), span(self.requested, self.queued)),
            (waiting, waited),
            (Step::OnTheWire(self.bus), span(self.started, self.sent)),
        ]
    }
}

impl Window {
    /// Adds the next transmission; serials count up from 1 without a gap.
    pub(super) fn open(&mut self, serial: Serial, track: Track) {
        if self.tracks.is_empty() {
            self.first = serial.0;
        }
        if self.tracks.len() == WINDOW {
            self.tracks.pop_front();
            self.first += 1;
        }
        self.tracks.push_back(track);
    }

    pub(super) fn track(&self, serial: Serial) -> Option<&Track> {
        self.tracks
            .get(usize::try_from(serial.0.checked_sub(self.first)?).ok()?)
    }

    pub(super) fn track_mut(&mut self, serial: Serial) -> Option<&mut Track> {
        self.tracks
            .get_mut(usize::try_from(serial.0.checked_sub(self.first)?).ok()?)
    }

    pub(super) fn change(&mut self, serial: Serial, change: impl FnOnce(&mut Track)) {
        if let Some(track) = self.track_mut(serial) {
            change(track);
        }
    }

    /// Returns the step that took longest on the way of `serial` into a receiver's hands.
    pub(super) fn longest_step(
        &self,
        serial: Serial,
        receiver: EcuIndex,
        delivered: Time,
    ) -> (Step, Duration) {
        let mut at = Some(serial);
        let mut arrived = (receiver, delivered);
        let mut longest = (Step::ReceiveTask(receiver), Duration::ZERO);
        for _ in 0..HOPS_MAX {
            let Some(mut track) = at.and_then(|serial| self.track(serial)).copied() else {
                break;
            };
            // A receiver has the frame one bit before it is over for the sender.
            if track.sent < track.started {
                track.sent = arrived.1;
            }
            let fetched = (Step::ReceiveTask(arrived.0), span(track.sent, arrived.1));
            for step in track.steps().into_iter().chain([fetched]) {
                if step.1 > longest.1 {
                    longest = step;
                }
            }
            let held = span(track.origin, track.requested);
            if track.previous.is_none() && held > longest.1 {
                longest = (Step::QueueFull(track.ecu), held);
            }
            arrived = (track.ecu, track.requested);
            at = track.previous;
        }
        longest
    }
}
