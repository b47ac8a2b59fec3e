//! Payloads on their way out: one after the other, frame by frame, on every port of the group.

use waywarden_can::node::{Output, Port, Ports, Token};
use waywarden_work::Instant;

use super::identifier::{GroupHeader, Step};
use super::settings::GroupSettings;
use waywarden_key_roles::Storage;
use waywarden_key_roles::transmission::{Transmission, TransmissionRoute};

/// A payload and what it is.
#[derive(Clone, Copy)]
pub(super) struct Outgoing {
    pub(super) step: Step,
    pub(super) header: GroupHeader,
    pub(super) payload: [u8; 64],
}

/// A payload that is done with.
pub(super) struct Answered {
    pub(super) outgoing: Outgoing,
    /// True if it was sent whole; else it was taken back.
    pub(super) sent: bool,
}

/// A bounded queue of payloads. The first one may be under way: some of its frames handed over,
/// some of those not yet answered.
pub(super) struct Outbox<'a> {
    waiting: Storage<'a, Option<Outgoing>>,
    way: Transmission,
}

impl<'a> Outbox<'a> {
    pub(super) fn new(mut waiting: Storage<'a, Option<Outgoing>>) -> Self {
        waiting.clear();
        Outbox {
            waiting,
            way: Transmission::default(),
        }
    }

    /// Adds a payload; with all places taken it is lost, and the exchange times out.
    pub(super) fn push(&mut self, step: Step, header: GroupHeader, payload: [u8; 64]) {
        let outgoing = Outgoing {
            step,
            header,
            payload,
        };
        if let Some(place) = self.waiting.iter_mut().find(|place| place.is_none()) {
            *place = Some(outgoing);
        }
    }

    fn first(&self) -> Option<&Outgoing> {
        self.waiting.first()?.as_ref()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    /// Returns the next frame to be handed over.
    pub(super) fn poll(
        &mut self,
        now: Instant,
        (ports, settings): (Ports, &GroupSettings),
        room: Ports,
    ) -> Option<Output> {
        let Outgoing {
            step,
            header,
            payload,
        } = self.waiting.first()?.as_ref()?;
        let frames = step.frame_count(settings.transport);
        let route = route(ports, settings);
        // All frames of a payload have one identifier: controllers keep them in order.
        let next = self.way.next(now, frames, (&route, room), |_| false)?;
        let payload = &payload[..step.payload_length()];
        let frame = header.frame(settings, *step, payload, next.frame)?;
        Some(Output::Transmit {
            port: next.port,
            token: next.token,
            frame,
        })
    }

    /// A frame has been sent (or taken back); returns the payload if that ends it.
    pub(super) fn answered(
        &mut self,
        now: Instant,
        frame: (Port, Token, bool),
        (ports, settings): (Ports, &GroupSettings),
    ) -> Option<Answered> {
        let first = self.first();
        let frames = first.map_or(0, |at| at.step.frame_count(settings.transport));
        let route = route(ports, settings);
        let sent = self.way.answered(now, frame, frames, &route)?;
        self.take_first(sent)
    }

    /// Returns the first payload if the ports that it still waits for have had their time.
    pub(super) fn time_out(
        &mut self,
        now: Instant,
        (ports, settings): (Ports, &GroupSettings),
    ) -> Option<Answered> {
        let sent = self.way.time_out(now, &route(ports, settings))?;
        self.take_first(sent)
    }

    fn take_first(&mut self, sent: bool) -> Option<Answered> {
        let outgoing = self.waiting.first_mut()?.take()?;
        self.waiting.rotate_left(1);
        Some(Answered { outgoing, sent })
    }

    /// Returns the time until which it waits for ports that are behind.
    pub(super) fn due(&self) -> Option<Instant> {
        self.way.due()
    }

    /// Returns a port that lags now and did not, or does not any more.
    pub(super) fn change(&mut self) -> Option<(Port, bool)> {
        self.way.change()
    }
}

fn route(ports: Ports, settings: &GroupSettings) -> TransmissionRoute {
    // A gateway that is a member sends behind all that it forwards to a slower bus.
    let patience = settings.timing.exchange;
    TransmissionRoute { ports, patience }
}
