//! Controllers that come and go: at boot and reset, when a fault cuts them off and lets go.
//!
//! A controller that joins takes part after eleven recessive bits in a row, the bus integration of
//! [ISO 11898-1]. One may leave in the middle of a frame. If that matters to any other, the frame
//! is followed bit by bit from its start of frame, without its part that has passed.

use super::Engine;
use super::agenda::Due;
use super::bus::{Bus, Wire};
use super::passage::{Flight, Passage};
use crate::bitwise::{self, BusParty};
use crate::clock::Time;

/// Recessive bits in a row after which a controller that has joined takes part.
const INTEGRATION_BITS: u64 = 11;

impl Bus {
    /// Returns the time at which a port that has joined takes part, if nothing starts before. Each
    /// frame ends with eleven recessive bits (ACK delimiter, end of frame, intermission). A port
    /// that joined during a frame takes part when the bus is free, and one that joined in those
    /// eleven bits later.
    fn integrates_at(&self, bus_port: usize) -> Time {
        let quiet = self.joined[bus_port].max(self.quiet_from);
        self.free_at.max(quiet + self.bits(INTEGRATION_BITS))
    }

    /// Makes an episode of an undisturbed frame that a port leaves now, still to be worked out.
    fn passage_of(&self, flight: Flight, leaver: usize, now: Time) -> Passage {
        let (started, sender) = (flight.started, flight.bus_port);
        let mut before = self.parties.clone();
        before[leaver].listening = true;
        before[sender].transmit = Some(*flight.frame);
        let mut flights = vec![None; before.len()];
        flights[sender] = Some(flight);
        Passage {
            started,
            reported: now.since(started),
            sending: flights.iter().map(Option::is_some).collect(),
            before,
            flights,
            ..Passage::default()
        }
    }

    /// Updates the bus after a port is attached, cut off, or neither any more.
    fn settle_presence(&mut self, bus_port: usize, now: Time) {
        let place = &mut self.bus_ports[bus_port];
        let present = place.is_present();
        if present && !place.listening {
            self.joined[bus_port] = now;
        }
        // Before the run began the bus was idle for long.
        let from_the_start = now == Time::ZERO && matches!(self.wire, Wire::Free);
        place.listening = present && (place.listening || from_the_start);
        self.parties[bus_port].listening = place.listening;
        let integrating = self.bus_ports.iter().filter(|place| place.is_integrating());
        self.integrating = integrating.count();
    }
}

impl Engine {
    /// Connects a controller to its bus at boot, or takes it off at a reset.
    pub(super) fn attach(&mut self, ecu: usize, port: usize, attached: bool) {
        let controller = &mut self.ecus[ecu].ports[port];
        let (at, bus_port) = (controller.config.bus, controller.bus_port);
        let off = std::mem::take(&mut controller.off);
        controller.restart();
        self.leave(at, bus_port);
        let bus = &mut self.buses[at];
        bus.off -= usize::from(off);
        bus.held_until[bus_port] = Time::ZERO;
        bus.parties[bus_port] = BusParty::receiver();
        bus.bus_ports[bus_port].attached = attached;
        bus.bus_ports[bus_port].listening = false;
        bus.settle_presence(bus_port, self.now);
        self.await_integration(at);
        self.refresh(ecu, port);
    }

    /// A fault cuts a controller off its bus, or lets go of it; there may be several at a time.
    pub(super) fn cut(&mut self, ecu: usize, port: usize, cut: bool) {
        let controller = &self.ecus[ecu].ports[port];
        let (at, bus_port) = (controller.config.bus, controller.bus_port);
        if cut {
            self.leave(at, bus_port);
        }
        let bus = &mut self.buses[at];
        let cuts = &mut bus.bus_ports[bus_port].cuts;
        *cuts = if cut {
            *cuts + 1
        } else {
            cuts.saturating_sub(1)
        };
        bus.settle_presence(bus_port, self.now);
        self.await_integration(at);
        self.refresh(ecu, port);
    }

    /// Puts down when the next controller that has joined will take part if the bus stays free.
    pub(super) fn await_integration(&mut self, at: usize) {
        let bus = &self.buses[at];
        if bus.integrating == 0 {
            return;
        }
        let integrating =
            (0..bus.bus_ports.len()).filter(|&bus_port| bus.bus_ports[bus_port].is_integrating());
        let next = integrating
            .map(|bus_port| bus.integrates_at(bus_port))
            .min();
        let next = next.unwrap_or(Time::NEVER).max(self.now);
        self.agenda.set(Due::Integration { bus: at }, next);
    }

    /// Controllers that have seen enough recessive bits take part from now on.
    pub(super) fn integrate(&mut self, at: usize) {
        // The end of what is on the wire puts it down again.
        if !matches!(self.buses[at].wire, Wire::Free) {
            return;
        }
        for bus_port in 0..self.buses[at].bus_ports.len() {
            let bus = &mut self.buses[at];
            let place = bus.bus_ports[bus_port];
            if place.is_integrating() && bus.integrates_at(bus_port) <= self.now {
                bus.integrating -= 1;
                bus.bus_ports[bus_port].listening = true;
                bus.parties[bus_port].listening = true;
                self.refresh(place.ecu, place.port);
            }
        }
        self.await_integration(at);
    }

    /// A controller loses its power or its connection now.
    fn leave(&mut self, at: usize, bus_port: usize) {
        let bus = &mut self.buses[at];
        if !std::mem::take(&mut bus.bus_ports[bus_port].listening) {
            return;
        }
        bus.parties[bus_port].listening = false;
        match std::mem::replace(&mut bus.wire, Wire::Free) {
            Wire::Free => {}
            Wire::Frame {
                flight,
                accepted: false,
                ..
            } if flight.bus_port == bus_port || !bus.is_heard(flight.bus_port) => {
                let passage = Box::new(bus.passage_of(flight, bus_port, self.now));
                self.follow_again(at, bus_port, passage);
            }
            Wire::Episode(passage) => {
                // Its counters stand still from now on.
                if let Some(counters) = passage.counters(bus_port) {
                    bus.parties[bus_port].counters = counters;
                }
                if bus.interferers.is_empty() {
                    self.follow_again(at, bus_port, passage);
                } else {
                    bus.wire = Wire::Episode(passage);
                }
            }
            unconcerned => bus.wire = unconcerned,
        }
    }
    /// Works an episode out again from its start of frame, with one party leaving now. Up to now
    /// nothing changes; without interferers the rest follows from the start as well.
    fn follow_again(&mut self, at: usize, bus_port: usize, mut passage: Box<Passage>) {
        let bus = &self.buses[at];
        passage.before[bus_port].leaves = Some(self.now.since(passage.started));
        let mut after = passage.before.clone();
        passage.episode = bitwise::run(&bus.timing, bus.variant, &mut after, &mut |_, _| {});
        passage.after = after;
        passage.omit_reported();
        self.carry(at, passage);
    }
}
