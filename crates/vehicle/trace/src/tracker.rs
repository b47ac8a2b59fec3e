//! Follows each message of a run from its release to its outcome at every receiver, by the identity
//! that its frames carry.
//!
//! For each instance it keeps the time of its release and one byte for each receiver; the times of
//! its steps as long as it is under way.

mod ecus;
mod facts;
mod instances;
mod path;
mod taken;
mod way;

use std::collections::BTreeMap;

use waywarden_can::Frame;
use waywarden_can::node::BusState;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::Serial;
use waywarden_vehicle_file::{Attack, StreamIndex, VehicleFile};
use waywarden_work::Duration;

use self::ecus::Conditions;
use self::instances::Instances;
use self::taken::Taken;
use self::way::Way;
use super::identity::{MessageId, MessageIdentity, Tampering};
use super::in_flight::InFlight;
use super::outcome::{DeliveryOutcome, LossPlace};
use super::{TamperedBy, VehicleEvent};

pub use self::path::DeliveryStep;

/// The first delivery of a message to a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Genuine {
    /// The message.
    pub message: MessageId,
    /// The cause of it at its sender, if its software names one.
    pub cause: Option<u64>,
    /// The time of its release.
    pub released: Time,
    /// The step on its way that took longest, and how long.
    pub longest: (DeliveryStep, Duration),
    /// True if the ECU takes it for itself; false if it verified it for others.
    pub is_for_itself: bool,
}

/// The truth about a message that an ECU takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// Its sender sent it, and it was not taken before.
    Genuine(Genuine),
    /// Its sender did not send it, or sent it only once and it is here again.
    Forged {
        /// The attacker that made or sent it; none where an error on the bus repeats a frame, and
        /// for recorded logs.
        by: Option<TamperedBy>,
    },
}

/// The message that a transmission carries, and on which leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Flight {
    stream: usize,
    number: u32,
    leg: usize,
}

/// Follows the messages of a vehicle.
#[derive(Debug, Default)]
pub(super) struct Tracker {
    streams: Vec<Instances>,
    flights: InFlight<Flight>,
    ecus: Conditions,
    /// By ECU of the vehicle: its buses by port.
    ports: Vec<Vec<usize>>,
    /// By bus: the transmission that began last.
    on_bus: Vec<Option<Serial>>,
    /// By attacker: the gateway in which it changes frames, if it does.
    changes_in: Vec<Option<usize>>,
    /// By name: the place of an interferer behind the attackers.
    interferers: BTreeMap<String, usize>,
}

impl Tracker {
    pub(super) fn new(file: &VehicleFile, ecus: usize) -> Self {
        let streams = (0..file.streams.len()).map(|at| Way::of(file, StreamIndex(at)));
        let interferers = file.interferers.iter().enumerate();
        let interferers =
            interferers.map(|(at, one)| (one.name.value.clone(), file.attackers.len() + at));
        let changes_in = file.attackers.iter().map(|one| match one.attack {
            Attack::Modify { gateway, .. } => Some(gateway.0),
            _ => None,
        });
        let ports = file.ecus.iter();
        let ports = ports.map(|ecu| ecu.ports.iter().map(|bus| bus.0).collect());
        Tracker {
            streams: streams.map(Instances::new).collect(),
            flights: InFlight::default(),
            ecus: Conditions::new(ecus, file.buses.len()),
            ports: ports.collect(),
            on_bus: vec![None; file.buses.len()],
            changes_in: changes_in.collect(),
            interferers: interferers.collect(),
        }
    }

    /// Follows an event of the buses and of ECUs.
    pub(super) fn follow(&mut self, at: Time, event: &VehicleEvent<'_>) {
        match *event {
            VehicleEvent::Requested {
                ecu,
                bus,
                serial,
                frame,
                ..
            } => self.requested(at, (ecu.0, bus.0), serial, frame),
            VehicleEvent::Queued { serial, .. } => self.step(serial, |leg| leg.queued = at),
            VehicleEvent::Started { bus, serial, .. } => self.started(at, bus.0, serial),
            VehicleEvent::Interfered { bus, by, .. } => self.interfered(bus.0, by),
            VehicleEvent::ArbitrationLost { serial, .. } => {
                self.step(serial, |leg| leg.losses += 1);
            }
            VehicleEvent::Sent { serial, .. } => self.sent(at, serial),
            VehicleEvent::Withdrawn { bus, ecu, serial } => {
                let loss = self.ecus.withdrawn(ecu.0, bus.0);
                if let Some((flight, true)) = self.over(serial) {
                    self.streams[flight.stream].kill((flight.number, flight.leg), loss);
                }
            }
            VehicleEvent::Received {
                bus,
                ecu,
                serial,
                frame,
            } => self.received((ecu.0, bus.0), serial, frame),
            VehicleEvent::Delivered {
                bus, ecu, frame, ..
            } => {
                if let Some(message) = MessageIdentity::of(frame.message()).genuine()
                    && let Some(own) = self.streams.get_mut(message.stream)
                {
                    own.held(message.number, ecu.0, bus.0);
                }
            }
            VehicleEvent::Overrun { bus, ecu, serial } => {
                if let Some((flight, true)) = self.flight(serial) {
                    self.streams[flight.stream].overrun(flight.number, ecu.0, bus.0);
                }
            }
            VehicleEvent::Reset { ecu } => {
                self.ecus.reset(ecu.0);
                self.streams.iter_mut().for_each(|own| own.reset(ecu.0));
            }
            VehicleEvent::Boot { ecu, .. } => self.ecus.boot(ecu.0, at),
            VehicleEvent::Fault {
                ecu,
                kind: "bus-open",
                begins,
            } => self.ecus.cut(ecu.0, begins, at),
            VehicleEvent::State { bus, ecu, state } => {
                self.ecus.set_off(ecu.0, bus.0, state == BusState::Off);
            }
            VehicleEvent::Error { bus, ecu, .. } => self.ecus.saw_error(ecu.0, bus.0, at),
            _ => {}
        }
    }

    fn requested(&mut self, at: Time, (ecu, bus): (usize, usize), serial: Serial, frame: &Frame) {
        let identity = MessageIdentity::of(frame.message());
        let known = identity.message.and_then(|message| {
            let own = self.streams.get(message.stream)?;
            let leg = own.way.leg(ecu, bus)?;
            Some((message, leg))
        });
        let Some((message, leg)) = known else {
            return self.flights.add(serial, None);
        };
        let own = &mut self.streams[message.stream];
        let number = message.number;
        let is_interferer = |by: TamperedBy| by.attacker >= self.changes_in.len();
        let changed = match identity.tampered.is_some_and(is_interferer) {
            true => LossPlace::Overwritten,
            false => LossPlace::Modified,
        };
        let flight = match identity.tampered.map(|by| by.how) {
            None => {
                own.request((number, leg), serial.0, at);
                Some(Flight {
                    stream: message.stream,
                    number,
                    leg,
                })
            }
            Some(Tampering::Modified) => {
                own.kill((number, leg), changed.loss(false));
                None
            }
            Some(_) => None,
        };
        self.flights.add(serial, flight);
    }

    /// Returns the message of a transmission, and whether this is the first of its frames there.
    fn flight(&self, serial: Serial) -> Option<(Flight, bool)> {
        let flight = self.flights.get(serial)?;
        let leg = self.streams[flight.stream].leg(flight.number, flight.leg);
        Some((flight, leg.is_some_and(|leg| leg.first == serial.0)))
    }

    /// The same of one that is over.
    fn over(&mut self, serial: Serial) -> Option<(Flight, bool)> {
        let found = self.flight(serial);
        self.flights.take(serial);
        found
    }

    fn started(&mut self, at: Time, bus: usize, serial: Serial) {
        if let Some(on_bus) = self.on_bus.get_mut(bus) {
            *on_bus = Some(serial);
        }
        self.step(serial, |leg| {
            leg.started = at;
            leg.attempts += 1;
            if leg.first == serial.0 {
                leg.first_started = at;
            }
        });
    }

    fn interfered(&mut self, bus: usize, by: &str) {
        let struck_by = self.interferers.get(by).copied();
        if let Some(serial) = self.on_bus.get(bus).copied().flatten() {
            self.step(serial, |leg| leg.struck_by = struck_by);
        }
    }

    fn step(&mut self, serial: Serial, note: impl FnOnce(&mut path::LegState)) {
        if let Some(flight) = self.flights.get(serial)
            && let Some(leg) = self.streams[flight.stream].leg_mut(flight.number, flight.leg)
        {
            note(leg);
        }
    }

    fn sent(&mut self, at: Time, serial: Serial) {
        let Some((flight, is_first)) = self.over(serial) else {
            return;
        };
        let own = &mut self.streams[flight.stream];
        if is_first {
            own.sent((flight.number, flight.leg), at, &self.ecus);
        } else {
            if let Some(leg) = own.leg_mut(flight.number, flight.leg) {
                leg.sent = at;
            }
        }
    }

    fn received(&mut self, (ecu, bus): (usize, usize), serial: Serial, frame: &Frame) {
        let is_own = self.flights.get(serial).is_some();
        let MessageIdentity { message, tampered } = MessageIdentity::of(frame.message());
        let Some(message) = message else { return };
        let Some(own) = self.streams.get_mut(message.stream) else {
            return;
        };
        match tampered.map(|by| by.how) {
            None => own.received(message.number, ecu, bus),
            // On the wire; what a gateway sends on is no transmission of the message any more.
            Some(Tampering::Modified) if is_own => own.altered(message.number, ecu, bus),
            Some(_) => {}
        }
    }

    /// Returns the releases of a stream in order of time.
    pub(super) fn releases(&self, stream: usize) -> &[Time] {
        self.streams.get(stream).map_or(&[], |own| &own.released)
    }

    /// Returns the outcome of each instance of a stream at one of its receivers, by its place in
    /// the vehicle file.
    pub(super) fn outcomes(
        &self,
        stream: usize,
        receiver: usize,
    ) -> impl Iterator<Item = DeliveryOutcome> + '_ {
        let own = self.streams.get(stream);
        let taker = own.and_then(|own| own.takers.get(receiver));
        taker.into_iter().flat_map(Taken::outcomes)
    }

    /// Returns how often an instance of a stream came again to one of its receivers.
    pub(super) fn repeated(&self, stream: usize, receiver: usize) -> u64 {
        let own = self.streams.get(stream);
        let taker = own.and_then(|own| own.takers.get(receiver));
        taker.map_or(0, |taker| taker.repeated)
    }
}
