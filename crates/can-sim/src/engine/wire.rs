//! The bus inside the engine: who is on it, who wants it, what is on the wire.
//!
//! A frame that one controller sends undisturbed and another one acknowledges takes its exact
//! length and nothing is looked at bit by bit. Everything else is an episode of
//! [`crate::bitwise`], which `episode.rs` drives.

use std::collections::HashMap;
use std::rc::Rc;

use waywarden_can::bits::{FdVariant, INTERMISSION_BITS, frame_length};
use waywarden_can::node::BusState;
use waywarden_can::timing::{BitTiming, Picoseconds, duration};
use waywarden_can::{Format, Id};

use super::agenda::Due;
use super::ecu::Stimulus;
use super::passage::{Flight, Passage};
use super::{Simulation, SimulationError};
use crate::bitwise::Party;
use crate::clock::Time;
use crate::config::{BusConfig, ConfigError};
use crate::confinement::Counters;
use crate::controller::{Outgoing, acceptance_key};
use crate::interferer::{Interferer, Onset, Surroundings};
use crate::random::Random;
use crate::trace::{BusIndex, EcuIndex, Event, Serial, Sink};

/// For how many identifiers it is remembered who hears them: a flood of random ones must not fill
/// the memory.
const HEARERS_MAX: usize = 4_096;

/// In place of an arbitration key: this controller has nothing to send.
const NOTHING: u64 = u64::MAX;

/// Recessive bits at the end of each good frame: ACK delimiter, end of frame, intermission.
const RECOVERY_TAIL_BITS: u16 = 1 + 7 + INTERMISSION_BITS;

pub(super) struct Bus {
    pub(super) timing: BitTiming,
    pub(super) variant: FdVariant,
    pub(super) nominal_bit: Picoseconds,
    pub(super) interferers: Vec<Box<dyn Interferer>>,
    pub(super) seats: Vec<Seat>,
    /// Which seats' filters pass an identifier, by [`acceptance_key`], worked out at its first
    /// frame; filters do not change. At most [`HEARERS_MAX`] identifiers.
    hearers: HashMap<u32, Rc<[usize]>>,
    /// The names of the ECUs by seat, as interferers know them.
    pub(super) names: Vec<String>,
    /// What each seat competes with: an arbitration key or [`NOTHING`].
    pending: Vec<u64>,
    /// Until when each seat must not start, because it suspends transmission.
    held_until: Vec<Time>,
    /// The controllers as the bit-level model sees them: error counters, suspension, lag.
    pub(super) parties: Vec<Party>,
    pub(super) wire: Wire,
    /// When the last intermission ended, or will end.
    pub(super) free_at: Time,
    /// When arbitration is due, [`Time::NEVER`] if it is not.
    arbitration: Time,
    /// Whether any party has a history: error counters above zero, suspension, lag.
    pub(super) troubled: bool,
    /// How many seats are in bus-off.
    pub(super) off: usize,
    pub(super) recovery_check: u64,
    /// Counts wakes put down for interferers, so that old ones are told from the current one.
    pub(super) wake: u64,
    /// Up to when idle bits have been counted towards recovery.
    pub(super) idle_from: Time,
}

/// A controller's place on the bus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub(super) ecu: usize,
    pub(super) port: usize,
    /// Its ECU is powered.
    pub(super) attached: bool,
    /// A fault has cut it off the bus.
    pub(super) cut: bool,
}

impl Seat {
    /// Whether it sends, listens and acknowledges, unless it is in bus-off.
    pub(super) fn is_present(&self) -> bool {
        self.attached && !self.cut
    }
}

/// What is on the wire.
pub(super) enum Wire {
    /// Nothing, or intermission.
    Free,
    /// A frame that nothing disturbs.
    Frame(Flight),
    /// A frame that is followed bit by bit.
    Episode(Box<Passage>),
}

impl Bus {
    pub(super) fn new(config: BusConfig) -> Self {
        Bus {
            nominal_bit: config.timing.nominal.bit(),
            timing: config.timing,
            variant: config.variant,
            interferers: config.interferers,
            seats: Vec::new(),
            hearers: HashMap::new(),
            names: Vec::new(),
            pending: Vec::new(),
            held_until: Vec::new(),
            parties: Vec::new(),
            wire: Wire::Free,
            free_at: Time::ZERO,
            arbitration: Time::NEVER,
            troubled: false,
            off: 0,
            recovery_check: 0,
            wake: 0,
            idle_from: Time::ZERO,
        }
    }

    /// Gives a controller a place; it is attached at its ECU's boot.
    pub(super) fn seat(&mut self, ecu: usize, port: usize, name: &str) -> usize {
        self.seats.push(Seat {
            ecu,
            port,
            attached: false,
            cut: false,
        });
        self.names.push(name.to_owned());
        self.pending.push(NOTHING);
        self.held_until.push(Time::ZERO);
        self.parties.push(Party {
            listening: false,
            ..Party::receiver()
        });
        self.seats.len() - 1
    }

    /// Tells each interferer what bus it is on.
    pub(super) fn introduce_interferers(&mut self, random: &Random) -> Result<(), ConfigError> {
        for (at, one) in self.interferers.iter_mut().enumerate() {
            let surroundings = Surroundings {
                timing: &self.timing,
                variant: self.variant,
                names: &self.names,
                random: random.stream("interferer", at as u64),
            };
            one.begin(surroundings)
                .map_err(|error| ConfigError::Interferer {
                    name: one.name().to_owned(),
                    error,
                })?;
        }
        Ok(())
    }

    /// Whether this seat's frame is on the wire, alone or among colliding ones.
    pub(super) fn is_sending(&self, seat: usize) -> bool {
        match &self.wire {
            Wire::Free => false,
            Wire::Frame(flight) => flight.seat == seat,
            Wire::Episode(passage) => passage.is_sending(seat),
        }
    }

    /// Takes from the parties until when each must not start, and whether any has a history.
    pub(super) fn hold(&mut self) {
        self.troubled = false;
        for seat in 0..self.parties.len() {
            let party = &self.parties[seat];
            self.held_until[seat] = self.free_at + self.bits(u64::from(party.hold_bits()));
            self.troubled |= !party.counters.is_clear() || party.hold_bits() > 0;
        }
    }

    /// Returns what interferers are told of a start of frame.
    pub(super) fn onset<'a>(&self, at: Time, flight: &'a Flight) -> Onset<'a> {
        let length = frame_length(&flight.frame, self.variant);
        let intermission = u32::from(INTERMISSION_BITS);
        Onset {
            at,
            frame: Some(&flight.frame),
            bits: u32::from(length.total_bits()) + intermission,
            duration: duration(&length, &self.timing) + self.bits(u64::from(INTERMISSION_BITS)),
        }
    }

    pub(super) fn bits(&self, count: u64) -> Picoseconds {
        Picoseconds::new(self.nominal_bit.get().saturating_mul(count))
    }

    /// Returns who may start now with the lowest key, and how many compete.
    fn winner(&self, now: Time) -> Option<(u64, usize)> {
        let (mut lowest, mut contenders) = (NOTHING, 0);
        for (seat, &key) in self.pending.iter().enumerate() {
            if key != NOTHING && (!self.troubled || self.held_until[seat] <= now) {
                contenders += 1;
                lowest = lowest.min(key);
            }
        }
        (contenders > 0).then_some((lowest, contenders))
    }

    /// Returns the seats that compete now.
    pub(super) fn contenders(&self, now: Time) -> impl Iterator<Item = usize> + '_ {
        let may = move |seat: &usize| !self.troubled || self.held_until[*seat] <= now;
        (0..self.pending.len())
            .filter(|&seat| self.pending[seat] != NOTHING)
            .filter(may)
    }
}

impl Simulation {
    /// Connects a controller to its bus at boot, or takes it off at a reset.
    pub(super) fn attach(&mut self, ecu: usize, port: usize, attached: bool) {
        let controller = &mut self.ecus[ecu].ports[port];
        let bus = &mut self.buses[controller.config.bus];
        bus.off -= usize::from(controller.off);
        controller.restart();
        let seat = controller.seat;
        bus.seats[seat].attached = attached;
        bus.held_until[seat] = Time::ZERO;
        bus.parties[seat] = Party {
            listening: bus.seats[seat].is_present(),
            ..Party::receiver()
        };
        self.refresh(ecu, port);
    }

    /// Cuts a controller off its bus, or connects it again.
    pub(super) fn cut(&mut self, ecu: usize, port: usize, cut: bool) {
        let controller = &self.ecus[ecu].ports[port];
        let bus = &mut self.buses[controller.config.bus];
        bus.seats[controller.seat].cut = cut;
        bus.parties[controller.seat].listening = bus.seats[controller.seat].is_present();
        self.refresh(ecu, port);
    }

    pub(super) fn is_off(&self, ecu: usize, port: usize) -> bool {
        self.ecus[ecu].ports[port].off
    }

    /// Puts a frame into the controller.
    pub(super) fn enqueue(
        &mut self,
        ecu: usize,
        port: usize,
        outgoing: Outgoing,
        sink: &mut dyn Sink,
    ) {
        let controller = &mut self.ecus[ecu].ports[port];
        let bus = controller.config.bus;
        controller.push(outgoing, self.buses[bus].is_sending(controller.seat));
        let event = Event::Queued {
            ecu: EcuIndex(ecu),
            bus: BusIndex(bus),
            serial: Serial(outgoing.serial),
            waiting: controller.waiting(),
        };
        sink.record(self.now, &event);
        self.refresh(ecu, port);
    }

    /// Takes note of what a controller competes with, and has arbitration done if the bus is free.
    pub(super) fn refresh(&mut self, ecu: usize, port: usize) {
        let controller = &self.ecus[ecu].ports[port];
        let bus = &mut self.buses[controller.config.bus];
        let competes = bus.seats[controller.seat].is_present() && !controller.off;
        let next = if competes { controller.next() } else { None };
        bus.pending[controller.seat] = next.map_or(NOTHING, |outgoing| {
            u64::from(outgoing.frame.arbitration_key())
        });
        self.call_for_arbitration(self.ecus[ecu].ports[port].config.bus);
    }

    /// Has arbitration done as soon as the bus is free, if anyone is waiting.
    pub(super) fn call_for_arbitration(&mut self, at: usize) {
        let bus = &mut self.buses[at];
        if !matches!(bus.wire, Wire::Free) || bus.arbitration != Time::NEVER {
            return;
        }
        let earliest = bus
            .pending
            .iter()
            .zip(&bus.held_until)
            .filter(|&(&key, _)| key != NOTHING)
            .map(|(_, &until)| until)
            .min();
        let Some(until) = earliest else { return };
        bus.arbitration = until.max(self.now).max(bus.free_at);
        self.agenda.add(bus.arbitration, Due::Arbitrate { bus: at });
    }

    pub(super) fn arbitrate(
        &mut self,
        at: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), SimulationError> {
        let bus = &mut self.buses[at];
        bus.arbitration = Time::NEVER;
        let Some((lowest, contenders)) = bus.winner(self.now) else {
            self.call_for_arbitration(at);
            return Ok(());
        };
        self.let_idle_time_pass(at);
        let bus = &self.buses[at];
        let mut tied = bus
            .contenders(self.now)
            .filter(|&seat| bus.pending[seat] == lowest);
        let seat = tied.next().unwrap_or(0);
        let collision = tied.next().is_some();
        drop(tied);
        // A seat competes only while it has a frame.
        let Some(flight) = self.flight(at, seat) else {
            return Ok(());
        };
        self.report_start(at, &flight, contenders, sink);
        let plain = !collision && self.is_heard(at, seat);
        if self.is_disturbed(at, &flight) || !plain {
            self.begin_episode(at, contenders);
        } else {
            if contenders > 1 {
                self.report_losers(at, lowest, sink);
            }
            self.is_left_alone(at, &flight);
            self.begin_frame(at, flight);
        }
        Ok(())
    }

    /// Returns the frame that a seat has up next, as it goes out now.
    pub(super) fn flight(&self, at: usize, seat: usize) -> Option<Flight> {
        let Seat { ecu, port, .. } = self.buses[at].seats[seat];
        let controller = &self.ecus[ecu].ports[port];
        let Outgoing { serial, frame, .. } = *controller.next()?;
        let frame = match frame.format() {
            Format::Fd { .. } if self.state(at, seat) == BusState::Passive => {
                frame.with_error_state_indicator()
            }
            _ => frame,
        };
        Some(Flight {
            seat,
            serial: Serial(serial),
            frame,
            started: self.now,
        })
    }

    pub(super) fn state(&self, at: usize, seat: usize) -> BusState {
        self.buses[at].parties[seat].counters.state()
    }

    /// Whether somebody else is there to acknowledge, and nobody is still busy with the past.
    fn is_heard(&self, at: usize, sender: usize) -> bool {
        let bus = &self.buses[at];
        let mut heard = false;
        for (seat, party) in bus.parties.iter().enumerate() {
            if party.listening && party.counters.state() != BusState::Off {
                heard |= seat != sender;
                if party.lag.is_some() {
                    return false;
                }
            }
        }
        heard
    }

    pub(super) fn report_start(
        &self,
        at: usize,
        flight: &Flight,
        contenders: usize,
        sink: &mut dyn Sink,
    ) {
        let event = Event::Started {
            bus: BusIndex(at),
            ecu: EcuIndex(self.buses[at].seats[flight.seat].ecu),
            serial: flight.serial,
            frame: &flight.frame,
            contenders,
        };
        sink.record(self.now, &event);
    }

    fn report_losers(&self, at: usize, lowest: u64, sink: &mut dyn Sink) {
        let bus = &self.buses[at];
        for seat in bus
            .contenders(self.now)
            .filter(|&seat| bus.pending[seat] != lowest)
        {
            let Seat { ecu, port, .. } = bus.seats[seat];
            if let Some(outgoing) = self.ecus[ecu].ports[port].next() {
                let serial = Serial(outgoing.serial);
                let event = Event::ArbitrationLost {
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
        let end = self.now + duration(&length, &bus.timing);
        let accept = Time::from_picos(end.as_picos() - bus.nominal_bit.get());
        bus.free_at = end + bus.bits(u64::from(INTERMISSION_BITS));
        bus.wire = Wire::Frame(flight);
        self.agenda.add(accept, Due::Accept { bus: at });
        self.agenda.add(end, Due::Complete { bus: at });
    }

    /// The last bit but one of end of frame has passed: every other controller accepts the frame.
    pub(super) fn accept(&mut self, at: usize, sink: &mut dyn Sink) -> Result<(), SimulationError> {
        let Wire::Frame(flight) = self.buses[at].wire else {
            return Ok(());
        };
        if self.buses[at].troubled {
            self.count_received(at, flight.seat, sink)?;
        }
        for &seat in self.hearers(at, flight.frame.id()).iter() {
            let place = self.buses[at].seats[seat];
            let Seat { ecu, port, .. } = place;
            if seat != flight.seat && place.is_present() && !self.is_off(ecu, port) {
                self.take_in(ecu, port, (flight.serial, &flight.frame), sink)?;
            }
        }
        Ok(())
    }

    /// Returns the seats whose acceptance filters pass an identifier, in order.
    fn hearers(&mut self, at: usize, id: Id) -> Rc<[usize]> {
        let key = acceptance_key(id);
        if let Some(known) = self.buses[at].hearers.get(&key) {
            return known.clone();
        }
        let seats = self.buses[at].seats.iter().enumerate();
        let hearers: Rc<[usize]> = seats
            .filter(|(_, place)| {
                self.ecus[place.ecu].ports[place.port]
                    .config
                    .acceptance
                    .accepts(id)
            })
            .map(|(seat, _)| seat)
            .collect();
        let known = &mut self.buses[at].hearers;
        if known.len() < HEARERS_MAX {
            known.insert(key, hearers.clone());
        }
        hearers
    }

    /// A good frame takes one off the receive error counter of everybody who heard it.
    fn count_received(
        &mut self,
        at: usize,
        sender: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), SimulationError> {
        for seat in 0..self.buses[at].seats.len() {
            let place = self.buses[at].seats[seat];
            if seat != sender && place.is_present() && !self.is_off(place.ecu, place.port) {
                self.count(at, seat, Counters::received, sink)?;
            }
        }
        Ok(())
    }

    /// End of frame has passed: the frame is sent and the bus is free after intermission.
    pub(super) fn complete(
        &mut self,
        at: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), SimulationError> {
        let Wire::Frame(flight) = std::mem::replace(&mut self.buses[at].wire, Wire::Free) else {
            return Ok(());
        };
        let Seat { ecu, port, .. } = self.buses[at].seats[flight.seat];
        // After a reset, or a reset and a boot, the frame is no longer the controller's.
        if self.ecus[ecu].ports[port]
            .next()
            .is_some_and(|next| next.serial == flight.serial.0)
        {
            if self.buses[at].troubled {
                self.count(at, flight.seat, Counters::transmitted, sink)?;
                self.suspend_if_passive(at, flight.seat);
            }
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
        sink: &mut dyn Sink,
    ) -> Result<(), SimulationError> {
        let Seat { ecu, port, .. } = self.buses[at].seats[flight.seat];
        let Some(outgoing) = self.ecus[ecu].ports[port].take_next() else {
            return Ok(());
        };
        let event = Event::Sent {
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
            Stimulus::Sent {
                port,
                token: outgoing.token,
            },
            sink,
        )
    }

    /// Makes an error-passive sender wait before it may start again; whoever received meanwhile
    /// has waited enough.
    fn suspend_if_passive(&mut self, at: usize, sender: usize) {
        let bus = &mut self.buses[at];
        for (seat, party) in bus.parties.iter_mut().enumerate() {
            party.suspended = seat == sender && party.counters.state() == BusState::Passive;
        }
        bus.hold();
    }

    /// Takes back everything that waits in a controller, as bus-off and reset do.
    pub(super) fn flush(&mut self, ecu: usize, port: usize, sink: &mut dyn Sink) -> Vec<Outgoing> {
        let bus = BusIndex(self.ecus[ecu].ports[port].config.bus);
        let flushed: Vec<Outgoing> = self.ecus[ecu].ports[port].clear().into();
        for outgoing in &flushed {
            let serial = Serial(outgoing.serial);
            sink.record(
                self.now,
                &Event::Withdrawn {
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
