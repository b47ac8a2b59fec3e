//! Frames on the wire: queued, arbitrated, accepted, sent.
//!
//! A frame that one controller sends undisturbed and another one acknowledges takes its exact
//! length and nothing is looked at bit by bit. Everything else is an episode of
//! [`crate::bitwise`], which `episode.rs` drives.

use std::sync::Arc;

use waywarden_can::Format;
use waywarden_can::bits::{INTERMISSION_BITS, frame_length};
use waywarden_can::node::BusState;
use waywarden_can::timing::duration;

use super::agenda::Due;
use super::bus::{BusPort, Wire};
use super::ecu::Stimulus;
use super::passage::Flight;
use super::{Engine, EngineSink, Outcome};
use crate::clock::Time;
use crate::confinement::ErrorCounters;
use crate::controller::Outgoing;
use crate::trace::{BusIndex, EcuIndex, Serial, TraceEvent};

/// Recessive bits at the end of each good frame: ACK delimiter, end of frame, intermission.
const RECOVERY_TAIL_BITS: u16 = 1 + 7 + INTERMISSION_BITS;

impl Engine {
    pub(super) fn is_off(&self, ecu: usize, port: usize) -> bool {
        self.ecus[ecu].ports[port].off
    }

    /// Puts a frame into the controller.
    pub(super) fn enqueue(
        &mut self,
        ecu: usize,
        port: usize,
        outgoing: Outgoing,
        sink: &mut dyn EngineSink,
    ) {
        let controller = &mut self.ecus[ecu].ports[port];
        let bus = controller.config.bus;
        let serial = Serial(outgoing.serial);
        controller.push(outgoing, self.buses[bus].is_sending(controller.bus_port));
        let event = TraceEvent::Queued {
            ecu: EcuIndex(ecu),
            bus: BusIndex(bus),
            serial,
            waiting: controller.waiting(),
        };
        sink.record(self.now, &event);
        self.refresh(ecu, port);
    }

    /// Takes note of what a controller competes with, and has arbitration done if the bus is free.
    pub(super) fn refresh(&mut self, ecu: usize, port: usize) {
        let controller = &self.ecus[ecu].ports[port];
        let bus = &mut self.buses[controller.config.bus];
        let flags = bus.flags > 0 && bus.parties[controller.bus_port].signals.is_some();
        let competes = bus.bus_ports[controller.bus_port].listening && !controller.off && !flags;
        let next = if competes { controller.next() } else { None };
        let key = next.map(|outgoing| outgoing.frame.arbitration_key());
        bus.compete(controller.bus_port, key);
        self.call_for_arbitration(controller.config.bus);
    }

    /// Has arbitration done as soon as the bus is free, if anyone is waiting. An error flag that is
    /// to be sent then competes with all.
    pub(super) fn call_for_arbitration(&mut self, at: usize) {
        let bus = &self.buses[at];
        let arbitration = Due::Arbitrate { bus: at };
        let known = self.agenda.at(arbitration);
        // Who suspends transmission is not waited for by those that come later and do not.
        if bus.flags > 0 {
            return self.call_for_flags(at);
        }
        if bus.competing == 0
            || !matches!(bus.wire, Wire::Free)
            || (known != Time::NEVER && !bus.disturbed)
        {
            return;
        }
        let earliest = self.now.max(bus.free_at).max(bus.held());
        if earliest < known {
            self.agenda.set(arbitration, earliest);
        }
    }

    pub(super) fn arbitrate(&mut self, at: usize, sink: &mut dyn EngineSink) -> Outcome {
        let flag = self.buses[at].flag_at().is_some_and(|due| due <= self.now);
        let Some(winner) = self.buses[at].winner(self.now) else {
            if flag {
                return self.begin_flags(at);
            }
            self.call_for_arbitration(at);
            return Ok(());
        };
        self.let_idle_time_pass(at);
        // A port competes only while it has a frame.
        let Some(flight) = self.flight(at, winner.bus_port) else {
            return Ok(());
        };
        self.report_start(at, &flight, winner.contenders, sink);
        let plain = !flag && !winner.collides && self.buses[at].is_heard(winner.bus_port);
        if self.is_disturbed(at, &flight) || !plain {
            self.begin_episode(at, winner.contenders)?;
        } else {
            if winner.contenders > 1 {
                self.report_losers(at, winner.key, sink);
            }
            self.is_left_alone(at, &flight);
            self.begin_frame(at, flight);
        }
        Ok(())
    }

    /// Returns the frame that a port has up next, as it goes out now.
    pub(super) fn flight(&self, at: usize, bus_port: usize) -> Option<Flight> {
        let BusPort { ecu, port, .. } = self.buses[at].bus_ports[bus_port];
        let controller = &self.ecus[ecu].ports[port];
        let Outgoing { serial, frame, .. } = controller.next()?;
        let frame = match frame.format() {
            Format::Fd { .. } if self.state(at, bus_port) == BusState::Passive => {
                Arc::new(frame.with_error_state_indicator())
            }
            _ => frame.clone(),
        };
        Some(Flight {
            bus_port,
            serial: Serial(*serial),
            frame,
            started: self.now,
        })
    }

    pub(super) fn state(&self, at: usize, bus_port: usize) -> BusState {
        self.buses[at].parties[bus_port].counters.state()
    }

    pub(super) fn report_start(
        &self,
        at: usize,
        flight: &Flight,
        contenders: usize,
        sink: &mut dyn EngineSink,
    ) {
        let event = TraceEvent::Started {
            bus: BusIndex(at),
            ecu: EcuIndex(self.buses[at].bus_ports[flight.bus_port].ecu),
            serial: flight.serial,
            frame: &flight.frame,
            contenders,
        };
        sink.record(self.now, &event);
    }

    fn report_losers(&self, at: usize, lowest: u64, sink: &mut dyn EngineSink) {
        let bus = &self.buses[at];
        for bus_port in bus
            .contenders(self.now)
            .filter(|&bus_port| bus.pending[bus_port] != lowest)
        {
            let BusPort { ecu, port, .. } = bus.bus_ports[bus_port];
            if let Some(outgoing) = self.ecus[ecu].ports[port].next() {
                let serial = Serial(outgoing.serial);
                let event = TraceEvent::ArbitrationLost {
                    bus: BusIndex(at),
                    ecu: EcuIndex(ecu),
                    serial,
                };
                sink.record(self.now, &event);
            }
        }
    }

    fn begin_frame(&mut self, at: usize, flight: Flight) {
        let bus = &mut self.buses[at];
        let length = frame_length(&flight.frame, bus.variant);
        let ends = self.now + duration(&length, &bus.timing);
        let accept = Time::from_picos(ends.as_picos() - bus.nominal_bit.get());
        bus.free_at = ends + bus.bits(u64::from(INTERMISSION_BITS));
        bus.wire = Wire::Frame {
            flight,
            ends,
            accepted: false,
        };
        self.agenda.set(Due::Wire { bus: at }, accept);
        if self.buses[at].integrating > 0 {
            self.await_integration(at);
        }
    }

    /// Handles the next point in time of the frame or episode on the wire.
    pub(super) fn pass_wire(&mut self, at: usize, sink: &mut dyn EngineSink) -> Outcome {
        match &mut self.buses[at].wire {
            Wire::Free => Ok(()),
            Wire::Frame {
                flight,
                ends,
                accepted: accepted @ false,
            } => {
                *accepted = true;
                let flight = flight.clone();
                self.agenda.set(Due::Wire { bus: at }, *ends);
                self.accept(at, &flight, sink)
            }
            Wire::Frame { .. } => self.complete(at, sink),
            Wire::Episode(_) => self.pass_mark(at, sink),
        }
    }

    /// The last bit but one of end of frame has passed: every other controller accepts the frame.
    fn accept(&mut self, at: usize, flight: &Flight, sink: &mut dyn EngineSink) -> Outcome {
        if self.buses[at].disturbed {
            self.count_received(at, flight.bus_port, sink)?;
        }
        let (buses, ecus) = (&mut self.buses, &self.ecus);
        let id = flight.frame.id();
        let hearers = buses[at].hearers(id, |bus_port| {
            ecus[bus_port.ecu].ports[bus_port.port]
                .config
                .acceptance
                .accepts(id)
        });
        for &bus_port in hearers.iter() {
            let place = self.buses[at].bus_ports[bus_port];
            let BusPort { ecu, port, .. } = place;
            if bus_port != flight.bus_port && place.listening && !self.is_off(ecu, port) {
                self.take_in(ecu, port, (flight.serial, &flight.frame), sink)?;
            }
        }
        Ok(())
    }

    /// A good frame takes one off the receive error counter of every controller that received it.
    fn count_received(&mut self, at: usize, sender: usize, sink: &mut dyn EngineSink) -> Outcome {
        for bus_port in 0..self.buses[at].bus_ports.len() {
            let place = self.buses[at].bus_ports[bus_port];
            if bus_port != sender && place.listening && !self.is_off(place.ecu, place.port) {
                self.count(at, bus_port, ErrorCounters::received, sink)?;
            }
        }
        Ok(())
    }

    /// End of frame has passed: the frame is sent and the bus is free after intermission.
    fn complete(&mut self, at: usize, sink: &mut dyn EngineSink) -> Outcome {
        let Wire::Frame { flight, .. } = std::mem::replace(&mut self.buses[at].wire, Wire::Free)
        else {
            return Ok(());
        };
        // One that left in the very last bit does not know that its frame was sent; the others have
        // received it all the same.
        let knows = self.buses[at].bus_ports[flight.bus_port].listening;
        if self.buses[at].disturbed {
            if knows {
                self.count(at, flight.bus_port, ErrorCounters::transmitted, sink)?;
            }
            self.suspend_if_passive(at, flight.bus_port);
        }
        if knows {
            self.sent(at, &flight, sink)?;
        }
        self.pass_recovery(at, 0, u64::from(RECOVERY_TAIL_BITS));
        self.call_for_arbitration(at);
        if !self.buses[at].interferers.is_empty() {
            self.await_wake(at);
        }
        Ok(())
    }

    /// Takes a sent frame out of its queue and tells its node.
    pub(super) fn sent(
        &mut self,
        at: usize,
        flight: &Flight,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let BusPort { ecu, port, .. } = self.buses[at].bus_ports[flight.bus_port];
        let Some(outgoing) = self.ecus[ecu].ports[port].take_next() else {
            return Ok(());
        };
        let event = TraceEvent::Sent {
            bus: BusIndex(at),
            ecu: EcuIndex(ecu),
            serial: flight.serial,
            started: flight.started,
            frame: &flight.frame,
        };
        sink.record(self.now, &event);
        self.refresh(ecu, port);
        self.feed(
            ecu,
            &Stimulus::Sent {
                port,
                token: outgoing.token,
            },
            sink,
        )
    }

    /// Makes an error-passive sender wait before it may start again; a controller that received
    /// meanwhile has waited enough.
    fn suspend_if_passive(&mut self, at: usize, sender: usize) {
        let bus = &mut self.buses[at];
        for (bus_port, party) in bus.parties.iter_mut().enumerate() {
            let has_sent = bus_port == sender && party.listening;
            party.suspended = has_sent && party.counters.state() == BusState::Passive;
        }
        bus.hold();
    }

    /// Takes back everything that waits in a controller, as bus-off and reset do.
    pub(super) fn flush(
        &mut self,
        ecu: usize,
        port: usize,
        sink: &mut dyn EngineSink,
    ) -> Vec<Outgoing> {
        let bus = BusIndex(self.ecus[ecu].ports[port].config.bus);
        let flushed: Vec<Outgoing> = self.ecus[ecu].ports[port].clear().into();
        for outgoing in &flushed {
            let serial = Serial(outgoing.serial);
            sink.record(
                self.now,
                &TraceEvent::Withdrawn {
                    bus,
                    ecu: EcuIndex(ecu),
                    serial,
                },
            );
        }
        self.refresh(ecu, port);
        flushed
    }
}
