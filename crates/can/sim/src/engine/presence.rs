//! Controllers that come and go: at boot and reset, when a fault cuts them off and lets go.
//!
//! A controller that joins takes part after eleven recessive bits in a row, the bus integration of
//! [ISO 11898-1]. One may leave in the middle of a frame. If that matters to any other, the frame
//! is followed bit by bit from its start of frame, without its part that has passed. So it is
//! followed if one sends an error flag that no error made it send.

use waywarden_can::timing::Picoseconds;

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

    /// Makes an episode of a frame that was undisturbed up to now, still to be worked out.
    fn passage_of(&self, flight: Flight, now: Time) -> Passage {
        let (started, sender) = (flight.started, flight.bus_port);
        let mut before = self.parties.clone();
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
        bus.parties[bus_port].signals = None;
        bus.count_flags();
        match std::mem::replace(&mut bus.wire, Wire::Free) {
            Wire::Free => {}
            Wire::Frame {
                flight,
                accepted: false,
                ..
            } if flight.bus_port == bus_port || !bus.is_heard(flight.bus_port) => {
                let mut passage = Box::new(bus.passage_of(flight, self.now));
                passage.before[bus_port].listening = true;
                passage.before[bus_port].leaves = Some(self.now.since(passage.started));
                self.follow_again(at, passage);
            }
            Wire::Episode(mut passage) => {
                // Its counters stand still from now on.
                if let Some(counters) = passage.counters(bus_port) {
                    bus.parties[bus_port].counters = counters;
                }
                if bus.interferers.is_empty() {
                    passage.before[bus_port].leaves = Some(self.now.since(passage.started));
                    self.follow_again(at, passage);
                } else {
                    bus.wire = Wire::Episode(passage);
                }
            }
            unconcerned => bus.wire = unconcerned,
        }
    }

    /// A controller sends an error flag without an error, from its next bit but one on; if it is in
    /// an error frame or in intermission, or the bus has interferers that follow the bits already,
    /// then when that is over. Returns false if it does not take part.
    pub(crate) fn raise_flag(&mut self, ecu: usize, port: usize) -> bool {
        if !self.takes_part(ecu, port) {
            return false;
        }
        let controller = &self.ecus[ecu].ports[port];
        let (at, bus_port) = (controller.config.bus, controller.bus_port);
        let bus = &mut self.buses[at];
        match std::mem::replace(&mut bus.wire, Wire::Free) {
            Wire::Frame {
                flight,
                accepted: false,
                ..
            } => {
                let passage = Box::new(bus.passage_of(flight, self.now));
                self.flag_within(at, bus_port, passage);
            }
            Wire::Episode(passage) if bus.interferers.is_empty() => {
                self.flag_within(at, bus_port, passage);
            }
            unconcerned => {
                bus.wire = unconcerned;
                bus.await_flag(bus_port);
                self.refresh(ecu, port);
            }
        }
        true
    }

    fn flag_within(&mut self, at: usize, bus_port: usize, mut passage: Box<Passage>) {
        // At zero it would send the flag in place of the start of frame.
        let since = self.now.since(passage.started);
        let before = &mut passage.before[bus_port].signals;
        match before {
            // One flag an episode: the next one waits for the end of it.
            Some(_) => {
                let bus = &mut self.buses[at];
                bus.await_flag(bus_port);
                bus.wire = Wire::Episode(passage);
            }
            None => {
                *before = Some(since.max(Picoseconds::new(1)));
                self.follow_again(at, passage);
            }
        }
    }

    /// Works an episode out again from its start of frame, after a change of what a party does from
    /// now on. Up to now nothing changes; without interferers the rest follows from the start too.
    fn follow_again(&mut self, at: usize, mut passage: Box<Passage>) {
        let bus = &self.buses[at];
        let mut after = passage.before.clone();
        passage.episode = bitwise::run(&bus.timing, bus.variant, &mut after, &mut |_, _| {});
        passage.after = after;
        passage.omit_reported();
        self.carry(at, passage);
    }
}
