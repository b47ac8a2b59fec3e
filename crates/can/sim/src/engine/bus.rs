//! A bus inside the engine: who is on it, who wants it, what is on the wire.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use waywarden_can::Id;
use waywarden_can::bits::{FdVariant, INTERMISSION_BITS, frame_length};
use waywarden_can::node::BusState;
use waywarden_can::timing::{BitTiming, Picoseconds, duration};

use super::passage::{Flight, Passage};
use crate::bitwise::BusParty;
use crate::clock::Time;
use crate::config::{BusConfig, ConfigError};
use crate::controller::acceptance_key;
use crate::interferer::{Interferer, Onset, Surroundings};
use crate::random::Random;

/// Maximum number of identifiers whose receivers are cached: a flood of random ones must not fill
/// the memory.
const HEARERS_MAX: usize = 4_096;

/// In place of an arbitration key: this controller has nothing to send.
const NOTHING: u64 = u64::MAX;

pub(super) struct Bus {
    pub(super) name: String,
    pub(super) timing: BitTiming,
    pub(super) variant: FdVariant,
    pub(super) nominal_bit: Picoseconds,
    pub(super) interferers: Vec<Box<dyn Interferer>>,
    pub(super) bus_ports: Vec<BusPort>,
    /// The ports whose filters pass an identifier, by [`acceptance_key`], worked out at its first
    /// frame; filters do not change. At most [`HEARERS_MAX`] identifiers.
    hearers: HashMap<u32, Arc<[usize]>, BuildHasherDefault<KeyHasher>>,
    /// The names of the ECUs by port, as interferers know them.
    pub(super) names: Vec<String>,
    /// The arbitration key with which each port competes, or [`NOTHING`].
    pub(super) pending: Vec<u64>,
    /// Number of ports with a frame to send.
    pub(super) competing: usize,
    /// End of each port's suspended transmission, before which it must not start.
    pub(super) held_until: Vec<Time>,
    /// The controllers as the bit-level model sees them: error counters, suspension, lag.
    pub(super) parties: Vec<BusParty>,
    pub(super) wire: Wire,
    /// End of the last intermission, past or to come.
    pub(super) free_at: Time,
    /// End of the last dominant bit of the last episode, past or to come.
    pub(super) quiet_from: Time,
    /// Time at which each port joined the bus.
    pub(super) joined: Vec<Time>,
    /// Number of ports that have joined and do not take part yet.
    pub(super) integrating: usize,
    /// True if any party has a history: error counters above zero, suspension, lag.
    pub(super) disturbed: bool,
    /// Number of ports that are to send an error flag as soon as the bus is free.
    pub(super) flags: usize,
    /// Number of ports in bus-off.
    pub(super) off: usize,
    /// The time up to which idle bits have been counted towards recovery.
    pub(super) idle_from: Time,
}

/// Spreads acceptance keys with one multiplication: they are looked up for each frame, and the
/// table is too small for collisions to cost much.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    fn write_u32(&mut self, key: u32) {
        self.0 = (self.0 ^ u64::from(key)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// A controller's port on the bus.
#[derive(Clone, Copy, Debug)]
pub(super) struct BusPort {
    pub(super) ecu: usize,
    pub(super) port: usize,
    /// Its ECU is powered.
    pub(super) attached: bool,
    /// Number of faults that cut it off the bus.
    pub(super) cuts: u32,
    /// It takes part: it sends, listens and acknowledges, unless it is in bus-off.
    pub(super) listening: bool,
    /// Its ECU was taken away.
    pub(super) vacant: bool,
}

impl BusPort {
    /// Returns true if it is on the bus, though it may not take part yet.
    pub(super) fn is_present(&self) -> bool {
        self.attached && self.cuts == 0
    }

    /// Returns true if it is on the bus and still waits for enough recessive bits.
    pub(super) fn is_integrating(&self) -> bool {
        self.is_present() && !self.listening
    }
}

/// The winner of an arbitration.
pub(super) struct Winner {
    /// The arbitration key with which it competed.
    pub(super) key: u64,
    pub(super) bus_port: usize,
    /// Number of ports that competed.
    pub(super) contenders: usize,
    /// True if another port has the same key.
    pub(super) collides: bool,
}

/// The state of the wire.
pub(super) enum Wire {
    /// Nothing, or intermission.
    Free,
    /// A frame that nothing disturbs.
    Frame {
        flight: Flight,
        /// Its last bit of end of frame.
        ends: Time,
        /// True if the receivers have accepted it, one bit earlier.
        accepted: bool,
    },
    /// A frame that is followed bit by bit.
    Episode(Box<Passage>),
}

impl Bus {
    pub(super) fn new(config: BusConfig) -> Self {
        Bus {
            name: config.name,
            nominal_bit: config.timing.nominal.bit(),
            timing: config.timing,
            variant: config.variant,
            interferers: config.interferers,
            bus_ports: Vec::new(),
            hearers: HashMap::default(),
            names: Vec::new(),
            pending: Vec::new(),
            competing: 0,
            held_until: Vec::new(),
            parties: Vec::new(),
            wire: Wire::Free,
            free_at: Time::ZERO,
            quiet_from: Time::ZERO,
            joined: Vec::new(),
            integrating: 0,
            disturbed: false,
            flags: 0,
            off: 0,
            idle_from: Time::ZERO,
        }
    }

    /// Adds a controller's port and returns its index; it is attached at its ECU's boot.
    pub(super) fn bus_port(&mut self, ecu: usize, port: usize, name: &str) -> usize {
        self.bus_ports.push(BusPort {
            ecu,
            port,
            attached: false,
            cuts: 0,
            listening: false,
            vacant: false,
        });
        self.joined.push(Time::ZERO);
        self.names.push(name.to_owned());
        self.pending.push(NOTHING);
        self.held_until.push(Time::ZERO);
        self.parties.push(BusParty {
            listening: false,
            ..BusParty::receiver()
        });
        self.bus_ports.len() - 1
    }

    /// Adds a controller's port while the bus is in use; `place` is one that a controller of the
    /// same ECU had which left for good. Returns its index.
    pub(super) fn join(
        &mut self,
        place: Option<usize>,
        (ecu, port): (usize, usize),
        name: &str,
    ) -> usize {
        // Whose filter passes a known identifier is worked out again.
        self.hearers.clear();
        let Some(bus_port) = place else {
            return self.bus_port(ecu, port, name);
        };
        self.bus_ports[bus_port].vacant = false;
        name.clone_into(&mut self.names[bus_port]);
        bus_port
    }

    /// Frees the place of a port whose ECU has left for good.
    pub(super) fn vacate(&mut self, bus_port: usize) {
        self.hearers.clear();
        self.bus_ports[bus_port].vacant = true;
        self.bus_ports[bus_port].cuts = 0;
    }

    /// Returns the number of controllers on the bus.
    pub(super) fn members(&self) -> usize {
        let members = self.bus_ports.iter();
        members.filter(|place| !place.vacant).count()
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

    /// Returns true if this port's next frame is on the wire, or may still be in the episode there.
    pub(super) fn is_sending(&self, bus_port: usize) -> bool {
        // One that left in the middle of its frame has nothing on the wire any more.
        match &self.wire {
            _ if !self.bus_ports[bus_port].listening => false,
            Wire::Free => false,
            Wire::Frame { flight, .. } => flight.bus_port == bus_port,
            Wire::Episode(passage) => passage.holds(bus_port),
        }
    }

    /// Takes from the parties until when each must not start, and whether any has a history.
    pub(super) fn hold(&mut self) {
        self.disturbed = false;
        for bus_port in 0..self.parties.len() {
            let party = &self.parties[bus_port];
            self.held_until[bus_port] = self.free_at + self.bits(u64::from(party.hold_bits()));
            self.disturbed |= !party.counters.is_clear() || party.hold_bits() > 0;
        }
    }

    /// Puts down that a port is to send an error flag as soon as the bus is free.
    pub(super) fn await_flag(&mut self, bus_port: usize) {
        self.parties[bus_port].signals = Some(Picoseconds::ZERO);
        self.count_flags();
    }

    /// Takes from the parties how many are to send an error flag.
    pub(super) fn count_flags(&mut self) {
        let parties = self.parties.iter();
        self.flags = parties.filter(|party| party.signals.is_some()).count();
    }

    /// Returns the earliest time at which a port may begin an error flag that it is to send.
    pub(super) fn flag_at(&self) -> Option<Time> {
        if self.flags == 0 {
            return None;
        }
        let waiting = self.parties.iter().filter(|party| party.signals.is_some());
        let lag = |party: &BusParty| party.lag.map_or(0, |lag| u64::from(lag.bits));
        waiting
            .map(|party| self.free_at + self.bits(lag(party)))
            .min()
    }

    /// Returns a start of frame as interferers see it.
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

    /// Sets the arbitration key with which a port competes, or none.
    pub(super) fn compete(&mut self, bus_port: usize, key: Option<u32>) {
        let key = key.map_or(NOTHING, u64::from);
        let before = std::mem::replace(&mut self.pending[bus_port], key);
        self.competing -= usize::from(before != NOTHING);
        self.competing += usize::from(key != NOTHING);
    }

    /// Returns the time before which no port with a frame to send may start.
    pub(super) fn held(&self) -> Time {
        if !self.disturbed {
            return Time::ZERO;
        }
        let held = self.pending.iter().zip(&self.held_until);
        let competing = held.filter(|&(&key, _)| key != NOTHING);
        competing
            .map(|(_, &until)| until)
            .min()
            .unwrap_or(Time::ZERO)
    }

    /// Returns who of those that may start now has the lowest key.
    pub(super) fn winner(&self, now: Time) -> Option<Winner> {
        let mut winner = Winner {
            key: NOTHING,
            bus_port: 0,
            contenders: 0,
            collides: false,
        };
        for (bus_port, &key) in self.pending.iter().enumerate() {
            if key == NOTHING || (self.disturbed && self.held_until[bus_port] > now) {
                continue;
            }
            winner.contenders += 1;
            winner.collides = (winner.collides && key > winner.key) || key == winner.key;
            if key < winner.key {
                (winner.key, winner.bus_port) = (key, bus_port);
            }
        }
        (winner.contenders > 0).then_some(winner)
    }

    /// Returns true if another controller is there to acknowledge, and no controller is still busy
    /// with the past.
    pub(super) fn is_heard(&self, sender: usize) -> bool {
        let mut present = self.parties.iter().enumerate().filter(|(_, party)| {
            party.listening && (!self.disturbed || party.counters.state() != BusState::Off)
        });
        let others = |&(bus_port, _): &(usize, _)| bus_port != sender;
        if !self.disturbed {
            return present.any(|party| others(&party));
        }
        present.clone().all(|(_, party)| party.lag.is_none()) && present.any(|party| others(&party))
    }

    /// Returns true if any controller follows the bus.
    pub(super) fn is_followed(&self) -> bool {
        let on = |party: &BusParty| party.listening && party.counters.state() != BusState::Off;
        self.parties.iter().any(on)
    }

    /// Returns the ports whose acceptance filters pass an identifier, in order.
    pub(super) fn hearers(&mut self, id: Id, accepts: impl Fn(&BusPort) -> bool) -> Arc<[usize]> {
        let key = acceptance_key(id);
        if let Some(known) = self.hearers.get(&key) {
            return known.clone();
        }
        let bus_ports = self.bus_ports.iter().enumerate();
        let hearers: Arc<[usize]> = bus_ports
            .filter(|(_, place)| accepts(place))
            .map(|(bus_port, _)| bus_port)
            .collect();
        if self.hearers.len() < HEARERS_MAX {
            self.hearers.insert(key, hearers.clone());
        }
        hearers
    }

    /// Returns the ports that compete now.
    pub(super) fn contenders(&self, now: Time) -> impl Iterator<Item = usize> + '_ {
        let may = move |bus_port: &usize| !self.disturbed || self.held_until[*bus_port] <= now;
        (0..self.pending.len())
            .filter(|&bus_port| self.pending[bus_port] != NOTHING)
            .filter(may)
    }
}
