//! Frames that are followed bit by bit: collisions, errors, interference, no node to acknowledge.
//!
//! The bit-level model works an episode out in one go; its marks then happen one after the other,
//! each at its own time, between everything else that the ECUs do meanwhile. What the ECUs do
//! cannot change the episode, for a controller takes up nothing new before intermission is over.

use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::node::BusState;
use waywarden_can::timing::Picoseconds;

use super::agenda::Due;
use super::bus::{BusPort, Wire};
use super::ecu::Stimulus;
use super::passage::{Flight, Passage};
use super::{Engine, EngineSink, Outcome, SimulationError};
use crate::bitwise::{self, BitMark, BitPlace, BusParty, MarkKind};
use crate::confinement::Recovery;
use crate::interferer;
use crate::trace::{BusIndex, EcuIndex, TraceEvent};

impl Engine {
    /// Follows what starts now bit by bit.
    pub(super) fn begin_episode(&mut self, at: usize, contenders: usize) -> Outcome {
        let bus_ports = self.buses[at].bus_ports.len();
        let mut flights = vec![None; bus_ports];
        let starters: Vec<usize> = self.buses[at].contenders(self.now).collect();
        for bus_port in starters {
            flights[bus_port] = self.flight(at, bus_port);
        }
        let bus = &mut self.buses[at];
        let mut before = bus.parties.clone();
        for (party, flight) in before.iter_mut().zip(&flights) {
            party.transmit = flight.as_ref().map(|flight: &Flight| *flight.frame);
        }
        if bus.flags > 0 {
            bus.parties
                .iter_mut()
                .for_each(|party| party.signals = None);
            bus.flags = 0;
        }
        let mut after = before.clone();
        if !bus.is_followed() {
            after.push(BusParty::observer());
        }
        let (interferers, started) = (&mut bus.interferers, self.now);
        let mut episode = bitwise::run(
            &bus.timing,
            bus.variant,
            &mut after,
            &mut |moment, strikes| {
                interferer::all_strike(interferers, started, moment, strikes);
            },
        );
        if after.len() > bus_ports {
            after.truncate(bus_ports);
            episode.end_without_observer(bus_ports);
        }
        if episode.end == Picoseconds::ZERO && contenders == 0 {
            // What interferers forced cancelled out: no controller saw any of it in this bit.
            (episode.end, episode.recessive_tail_bits) = (bus.nominal_bit, 1);
        } else if episode.end == Picoseconds::ZERO {
            let bus = bus.name.clone();
            return Err(Box::new(SimulationError::Standstill { bus }));
        }
        let sending = flights.iter().map(Option::is_some).collect();
        let passage = Passage {
            started,
            episode,
            before,
            after,
            flights,
            sending,
            contenders,
            ..Passage::default()
        };
        self.carry(at, Box::new(passage));
        Ok(())
    }

    /// Puts an episode that has been worked out on the wire; it goes on with its next mark.
    pub(super) fn carry(&mut self, at: usize, passage: Box<Passage>) {
        let bus = &mut self.buses[at];
        let episode = &passage.episode;
        bus.free_at = passage.started + episode.end;
        bus.quiet_from = passage.started + episode.quiet_from;
        let next = episode
            .marks
            .get(passage.next)
            .map_or(episode.end, |mark| mark.at);
        let due = (passage.started + next).max(self.now);
        bus.wire = Wire::Episode(passage);
        self.agenda.set(Due::Wire { bus: at }, due);
        self.await_integration(at);
    }

    /// Passes the marks that are due, and ends the episode after the last one.
    pub(super) fn pass_mark(&mut self, at: usize, sink: &mut dyn EngineSink) -> Outcome {
        loop {
            let Wire::Episode(passage) = &mut self.buses[at].wire else {
                return Ok(());
            };
            let Some(&mark) = passage.episode.marks.get(passage.next) else {
                return self.end_episode(at, sink);
            };
            let due = passage.started + mark.at;
            if due > self.now {
                self.agenda.set(Due::Wire { bus: at }, due);
                return Ok(());
            }
            passage.next += 1;
            if passage.next == passage.episode.marks.len() {
                let end = passage.started + passage.episode.end;
                self.agenda.set(Due::Wire { bus: at }, end.max(self.now));
                return self.take_mark(at, &mark, sink);
            }
            self.take_mark(at, &mark, sink)?;
        }
    }

    fn take_mark(&mut self, at: usize, mark: &BitMark, sink: &mut dyn EngineSink) -> Outcome {
        if let MarkKind::Disturbed { by, place, only } = mark.kind {
            self.report_disturbance(at, (by, place), only, sink);
            if let Wire::Episode(passage) = &mut self.buses[at].wire {
                passage.struck_by = Some(by);
            }
            return Ok(());
        }
        let bus_port = mark.party;
        let place = self.buses[at].bus_ports[bus_port];
        let BusPort { ecu, .. } = place;
        let (bus, index) = (BusIndex(at), EcuIndex(ecu));
        // An ECU that has left meanwhile no longer takes part, whatever was worked out for it.
        if !place.listening {
            return Ok(());
        }
        match mark.kind {
            MarkKind::Started(frame) => self.take_start(at, bus_port, &frame, sink),
            MarkKind::LostArbitration(_) => self.take_loss(at, bus_port, sink),
            MarkKind::Received(frame) => return self.take_reception(at, place, frame, sink),
            MarkKind::Sent => return self.take_sent(at, bus_port, sink),
            MarkKind::Error { kind, place } => {
                sink.record(
                    self.now,
                    &TraceEvent::Error {
                        bus,
                        ecu: index,
                        kind,
                        place,
                    },
                );
            }
            MarkKind::ErrorFlag { active } => {
                sink.record(
                    self.now,
                    &TraceEvent::ErrorFlag {
                        bus,
                        ecu: index,
                        active,
                    },
                );
            }
            MarkKind::OverloadFlag => {
                sink.record(self.now, &TraceEvent::OverloadFlag { bus, ecu: index });
            }
            MarkKind::Counters { tec, rec } => {
                sink.record(
                    self.now,
                    &TraceEvent::Counters {
                        bus,
                        ecu: index,
                        tec,
                        rec,
                    },
                );
            }
            MarkKind::State(state) => return self.take_state(at, bus_port, state, sink),
            MarkKind::Disturbed { .. } => {}
        }
        Ok(())
    }

    /// A controller has a frame: the one that was sent, or one that an interferer made of it.
    fn take_reception(
        &mut self,
        at: usize,
        BusPort { ecu, port, .. }: BusPort,
        frame: Frame,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let Wire::Episode(passage) = &self.buses[at].wire else {
            return Ok(());
        };
        let Some((source, is_intact)) = passage.source_of(&frame) else {
            return Ok(());
        };
        let (serial, sender) = (source.serial, source.bus_port);
        let message = match (is_intact, passage.struck_by) {
            (true, _) => source.frame.message(),
            (false, struck_by) => {
                let interferers = &self.buses[at].interferers;
                let by = struck_by.and_then(|by| interferers.get(by));
                let altered = by.map(|by| by.altered(source.frame.message()));
                altered.unwrap_or_default()
            }
        };
        // Interferers may have struck what was worked out with a sender that has left;
        // its frame has no sender. Otherwise its leaving was followed.
        let followed = passage.before[sender].leaves.is_some();
        if !followed && !self.buses[at].bus_ports[sender].listening {
            return Ok(());
        }
        let frame = Arc::new(frame.with_message(message));
        self.receive(ecu, port, (serial, &frame), sink)
    }

    fn report_disturbance(
        &self,
        at: usize,
        (by, place): (usize, BitPlace),
        only: Option<usize>,
        sink: &mut dyn EngineSink,
    ) {
        let only = only.and_then(|party| self.buses[at].bus_ports.get(party));
        let interferers = &self.buses[at].interferers;
        let event = TraceEvent::Interfered {
            bus: BusIndex(at),
            by: interferers.get(by).map_or("", |one| one.name()),
            place,
            only: only.map(|bus_port| EcuIndex(bus_port.ecu)),
        };
        sink.record(self.now, &event);
    }

    /// A party began to send. The first one has been reported as the winner; colliding ones and
    /// those that join later have not.
    fn take_start(&mut self, at: usize, bus_port: usize, frame: &Frame, sink: &mut dyn EngineSink) {
        let Wire::Episode(passage) = &mut self.buses[at].wire else {
            return;
        };
        let contenders = passage.contenders;
        let Some(flight) = &mut passage.flights[bus_port] else {
            return;
        };
        flight.frame = Arc::new(*frame);
        let (again, key) = (self.now > passage.started, flight.frame.arbitration_key());
        flight.started = self.now;
        let flight = flight.clone();
        passage.sending[bus_port] = true;
        let winner = passage
            .flights
            .iter()
            .flatten()
            .min_by_key(|flight| flight.frame.arbitration_key())
            .is_some_and(|first| {
                first.bus_port != bus_port && first.frame.arbitration_key() == key
            });
        if again || winner {
            self.report_start(at, &flight, contenders, sink);
        }
    }

    fn take_loss(&mut self, at: usize, bus_port: usize, sink: &mut dyn EngineSink) {
        let Wire::Episode(passage) = &mut self.buses[at].wire else {
            return;
        };
        passage.sending[bus_port] = false;
        if let Some(flight) = &passage.flights[bus_port] {
            let serial = flight.serial;
            let (bus, ecu) = (
                BusIndex(at),
                EcuIndex(self.buses[at].bus_ports[bus_port].ecu),
            );
            sink.record(self.now, &TraceEvent::ArbitrationLost { bus, ecu, serial });
        }
    }

    fn take_sent(&mut self, at: usize, bus_port: usize, sink: &mut dyn EngineSink) -> Outcome {
        let Wire::Episode(passage) = &mut self.buses[at].wire else {
            return Ok(());
        };
        passage.sending[bus_port] = false;
        let Some(flight) = passage.flights[bus_port].take() else {
            return Ok(());
        };
        self.sent(at, &flight, sink)
    }

    fn take_state(
        &mut self,
        at: usize,
        bus_port: usize,
        state: BusState,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let BusPort { ecu, port, .. } = self.buses[at].bus_ports[bus_port];
        self.report_state(at, bus_port, state, sink);
        if state != BusState::Off {
            return self.feed(ecu, &Stimulus::Bus { port, state }, sink);
        }
        self.buses[at].off += 1;
        if let Wire::Episode(passage) = &mut self.buses[at].wire {
            passage.sending[bus_port] = false;
            passage.flights[bus_port] = None;
        }
        self.ecus[ecu].ports[port].off = true;
        self.ecus[ecu].ports[port].recovery = Recovery::new();
        let flushed = self.flush(ecu, port, sink);
        self.feed(ecu, &Stimulus::Bus { port, state }, sink)?;
        for outgoing in flushed {
            self.feed(
                ecu,
                &Stimulus::Withdrawn {
                    port,
                    token: outgoing.token,
                },
                sink,
            )?;
        }
        Ok(())
    }

    /// All controllers are through, or can be left to themselves.
    fn end_episode(&mut self, at: usize, sink: &mut dyn EngineSink) -> Outcome {
        let bus = &mut self.buses[at];
        let Wire::Episode(passage) = std::mem::replace(&mut bus.wire, Wire::Free) else {
            return Ok(());
        };
        for ((party, after), bus_port) in bus
            .parties
            .iter_mut()
            .zip(passage.after)
            .zip(&bus.bus_ports)
        {
            // One that has left, or has joined since, stands as that made it stand.
            if bus_port.listening {
                // Asked for in the course of the episode, or without an occasion in it.
                let signals = after.signals.or(party.signals);
                let is_on = after.counters.state() != BusState::Off;
                *party = BusParty {
                    transmit: None,
                    signals: signals.filter(|_| is_on).map(|_| Picoseconds::ZERO),
                    ..after
                };
            }
        }
        bus.count_flags();
        bus.hold();
        let (sequences, tail) = (
            passage.episode.recessive_sequences,
            passage.episode.recessive_tail_bits,
        );
        self.settle_queues(at, sink)?;
        self.pass_recovery(at, sequences, tail);
        self.call_for_arbitration(at);
        self.await_integration(at);
        self.await_wake(at);
        Ok(())
    }

    /// Gives back frames that were withdrawn while on the wire and did not get through, and lets
    /// each queue choose again what competes next.
    fn settle_queues(&mut self, at: usize, sink: &mut dyn EngineSink) -> Outcome {
        for bus_port in 0..self.buses[at].bus_ports.len() {
            let BusPort { ecu, port, .. } = self.buses[at].bus_ports[bus_port];
            let controller = &mut self.ecus[ecu].ports[port];
            let taken = match controller.next() {
                Some(next) if next.withdrawn => controller.take_next(),
                _ => None,
            };
            controller.choose();
            self.refresh(ecu, port);
            if let Some(outgoing) = taken {
                self.give_back(ecu, port, &outgoing, sink)?;
            }
        }
        Ok(())
    }
}
