//! The path of one instance over the buses: how far it is on each, and the times of its steps.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_work::Duration;

use super::way::Way;
use crate::outcome::Loss;

/// A part of a message's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryStep {
    /// The sender's transmit queue had no room, or its software had other work.
    QueueFull(EcuIndex),
    /// The sender's processor had other work before the driver call.
    SendTask(EcuIndex),
    /// Frames of higher priority, or frames before it in the queue, had the bus; how often it lost
    /// arbitration.
    Waiting(BusIndex, u32),
    /// Errors made it start again; how often it started.
    Repeated(BusIndex, u32),
    /// The frame itself was on the wire.
    OnTheWire(BusIndex),
    /// The receiver's processor had other work before it took the frame out.
    ReceiveTask(EcuIndex),
    /// The receiver waited for the tag and checked it.
    Checking(EcuIndex),
}

/// The stage of an instance on one leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// With the sender's software; on a further leg, on its way to the gateway.
    Before,
    /// The gateway got it changed by an interferer.
    Altered,
    /// In the receive queue of the gateway.
    Arriving,
    /// With the software of the gateway.
    Held,
    /// Between the request and the end of its frame.
    Requested,
    /// Sent and acknowledged.
    Sent,
    /// It does not come to this bus any more.
    Dead(Loss),
}

/// An instance on one leg, and the times of its last frame there.
#[derive(Clone, Copy, Debug)]
pub(super) struct LegState {
    pub(super) stage: Stage,
    /// The serial number of its first frame, 0 before.
    pub(super) first: u64,
    /// The last start of that frame.
    pub(super) first_started: Time,
    pub(super) requested: Time,
    pub(super) queued: Time,
    pub(super) started: Time,
    pub(super) sent: Time,
    pub(super) losses: u32,
    pub(super) attempts: u32,
    /// The interferer that struck it last, by its place behind the attackers.
    pub(super) struck_by: Option<usize>,
}

impl LegState {
    pub(super) const NEW: LegState = LegState {
        stage: Stage::Before,
        first: 0,
        first_started: Time::ZERO,
        requested: Time::ZERO,
        queued: Time::ZERO,
        started: Time::ZERO,
        sent: Time::ZERO,
        losses: 0,
        attempts: 0,
        struck_by: None,
    };

    pub(super) const fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Sent | Stage::Dead(_))
    }

    /// Returns true if no intact frame has come to the gateway that sends it.
    pub(super) const fn has_not_come(&self) -> bool {
        matches!(self.stage, Stage::Before | Stage::Altered)
    }

    /// Returns true if a frame may still come to the gateway that sends it: an intact one also if
    /// the instance counted as lost, when its sender begins to send it again.
    pub(super) const fn awaits(&self, is_intact: bool) -> bool {
        match self.stage {
            Stage::Before => true,
            Stage::Altered | Stage::Dead(_) => is_intact,
            _ => false,
        }
    }

    /// Begins with a further frame.
    pub(super) fn request(&mut self, serial: u64, at: Time) {
        if self.first == 0 {
            self.first = serial;
        }
        *self = LegState {
            stage: match self.stage {
                Stage::Sent => Stage::Sent,
                _ => Stage::Requested,
            },
            first: self.first,
            first_started: self.first_started,
            requested: at,
            queued: at,
            started: at,
            sent: at,
            losses: 0,
            attempts: 0,
            struck_by: self.struck_by,
        };
    }

    /// Returns the steps on this bus, with the time that each took.
    fn steps(&self, ecu: EcuIndex, bus: BusIndex) -> [(DeliveryStep, Duration); 3] {
        let waiting = match self.attempts {
            0 | 1 => DeliveryStep::Waiting(bus, self.losses),
            attempts => DeliveryStep::Repeated(bus, attempts),
        };
        [
            (
                DeliveryStep::SendTask(ecu),
                span(self.requested, self.queued),
            ),
            (waiting, span(self.queued, self.started)),
            (DeliveryStep::OnTheWire(bus), span(self.started, self.sent)),
        ]
    }
}

/// Returns the step that took longest from the release of an instance into the hands of an ECU on
/// the bus of a leg.
pub(super) fn longest_step(
    way: &Way,
    state: impl Fn(usize) -> LegState,
    released: Time,
    (leg, ecu, at): (usize, EcuIndex, Time),
) -> (DeliveryStep, Duration) {
    let mut longest = (DeliveryStep::ReceiveTask(ecu), Duration::ZERO);
    let mut arrived = (ecu, at);
    let mut next = Some(leg);
    while let Some(leg) = next {
        let (mut state, place) = (state(leg), way.legs[leg]);
        let sender = EcuIndex(place.ecu);
        // A receiver has the frame one bit before it is over for the sender.
        if state.sent < state.started || state.sent > arrived.1 {
            state.sent = arrived.1;
        }
        let fetched = (
            DeliveryStep::ReceiveTask(arrived.0),
            span(state.sent, arrived.1),
        );
        let waited = match place.from {
            None => span(released, state.requested),
            Some(_) => Duration::ZERO,
        };
        let held = (DeliveryStep::QueueFull(sender), waited);
        let steps = state.steps(sender, BusIndex(place.bus)).into_iter();
        for step in steps.chain([fetched, held]) {
            if step.1 > longest.1 {
                longest = step;
            }
        }
        arrived = (sender, state.requested);
        next = place.from;
    }
    longest
}

/// Returns the time between two points in nanoseconds, rounded down; zero backwards.
pub(super) fn span(from: Time, to: Time) -> Duration {
    Duration::from_nanos(to.as_picos().saturating_sub(from.as_picos()) / 1_000)
}
