//! The vehicles of a trace on the channel.

use waywarden_random::Random;
use waywarden_v2x_congestion::BusyRatio;
use waywarden_vehicle_tracks::fcd::TimeStep;

use crate::attack::{AttackSettings, Attacker, name};
use crate::comparison::Comparing;
use crate::message_source::{Beacons, MessageReception, MessageSource, VehicleMotion};
use crate::radio::{
    Medium, PlanePoint, Propagation, RadioFrame, RadioReception, RadioSettings, RadioSink,
    VehiclePosition,
};
use crate::report::TrafficReport;
use crate::road::Road;
use crate::run_log::{GeneratedMessage, ReceivedMessage, RunLog, Transmitter};
use crate::verification::PolicyComparison;

/// Settings of a run: radio, messages and attack.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// Settings of every radio.
    pub radio: RadioSettings,
    /// Loss on the way.
    pub propagation: Propagation,
    /// Frame length with MAC header and check sequence, in bytes.
    pub bytes: u32,
    /// Time from one message of a vehicle to its next, in ns.
    pub period_ns: u64,
    /// Attack by transmitters of false messages.
    pub attack: Option<AttackSettings>,
    /// Seed of the random generators.
    pub seed: u64,
}

impl RunSettings {
    /// 460 bytes ten times a second \[ECQV-CITS §V\].
    pub const DEFAULT: Self = Self {
        radio: RadioSettings::DEFAULT,
        propagation: Propagation::FREE_SPACE,
        bytes: 460,
        period_ns: 100_000_000,
        attack: None,
        seed: 1,
    };
}

/// The windows in which messages are counted, in ms: each is a multiple of the first.
const WINDOWS_MS: [u64; 2] = [20, 100];
const MILLISECOND: u64 = 1_000_000;

/// Time from the begin to the first false messages, in ns, so that there are vehicles to be near.
const ATTACK_AFTER_NS: u64 = 10_000 * MILLISECOND;

/// Observer of all receptions, with its counts.
#[derive(Clone, Debug)]
struct Observer<L, M> {
    source: M,
    road: Road,
    /// Time of the last step, in ns.
    stepped_ns: u64,
    report: TrafficReport,
    comparing: Comparing,
    attacker: Option<Attacker>,
    /// Stations below this one are transmitters of the attack; vehicles follow them.
    transmitters: usize,
    /// Place of each transmitter, once it stands there.
    places: Vec<PlanePoint>,
    log: L,
}

impl<L, M> Observer<L, M> {
    /// Returns which vehicle a station is.
    fn vehicle(&self, station: usize) -> Option<usize> {
        station.checked_sub(self.transmitters)
    }
}

impl<L: RunLog, M: MessageSource> RadioSink for Observer<L, M> {
    fn due(&mut self, time_ns: u64, station: usize, beacon: RadioFrame) -> Option<RadioFrame> {
        let Some(vehicle) = self.vehicle(station) else {
            return Some(beacon);
        };
        let placed = self.road.get(vehicle)?;
        let motion = VehicleMotion {
            place: placed.place,
            heading_degrees: placed.heading_degrees,
            speed_m_s: placed.speed_m_s,
            at_ns: self.stepped_ns,
        };
        let frame = self.source.due(time_ns, vehicle, &motion, beacon)?;
        self.log.generated(&GeneratedMessage {
            time_ns,
            vehicle,
            motion,
        });
        Some(frame)
    }

    fn ended(&mut self, frame: &RadioFrame) {
        self.source.ended(frame);
    }

    fn measured(&mut self, time_ns: u64, station: usize, ratio: BusyRatio) {
        if let Some(vehicle) = self.vehicle(station) {
            self.source.measured(time_ns, vehicle, ratio);
        }
    }

    fn sent(&mut self, time_ns: u64, sender: usize, frame: &RadioFrame) {
        match self.vehicle(sender) {
            Some(vehicle) => {
                self.report.sent(&self.road, vehicle);
                self.source.sent(time_ns, vehicle, frame);
            }
            None => self.report.false_sent += 1,
        }
    }

    fn received(&mut self, reception: &RadioReception) {
        let Some(receiver) = self.vehicle(reception.receiver) else {
            return;
        };
        let sender = self.vehicle(reception.sender);
        let Self {
            source,
            road,
            report,
            comparing,
            attacker,
            places,
            log,
            ..
        } = self;
        let Some(own) = road.get(receiver) else {
            return;
        };
        let message = |sender, place: Option<&PlanePoint>| ReceivedMessage {
            time_ns: reception.time_ns,
            made_ns: reception.made_ns,
            sender,
            receiver,
            distance_m: place.map_or(f64::NAN, |place| own.place.distance_m(place)),
            power_mw: reception.power_mw,
        };
        match (sender, attacker) {
            (Some(sender), _) => {
                report.received(road, sender, receiver);
                let other = road.get(sender);
                let place = other.map(|other| &other.place);
                let received = message(Transmitter::Vehicle(sender), place);
                source.received(&MessageReception {
                    time_ns: reception.time_ns,
                    sender,
                    receiver,
                    message: reception.message,
                    distance_m: received.distance_m,
                });
                let message = received;
                log.received(&message);
                if other.is_some() && comparing.verifies(receiver) {
                    let signer = source.signer(receiver, reception.message);
                    let named = (name(sender), true, signer);
                    comparing.received((own, other), named, message, log);
                }
            }
            (None, Some(attacker)) => {
                report.false_received += 1;
                let sender = attacker.sender(reception.sender, road.len());
                let named = (sender, attacker.is_valid(), None);
                let place = places.get(reception.sender);
                let message = message(Transmitter::Attacker(reception.sender), place);
                log.received(&message);
                comparing.received((own, None), named, message, log);
            }
            (None, None) => {}
        }
    }
}

/// A trace on the channel, time step by time step. It takes the memory of the vehicles alone.
#[derive(Clone, Debug)]
pub struct TrafficSimulation<L = (), M = Beacons> {
    medium: Medium,
    observer: Observer<L, M>,
    attack: Option<AttackSettings>,
    random: Random,
    /// The time of the first step: the begin of the run.
    begin_s: Option<f64>,
    /// For each length of windows, the end of the current one and the vehicles present at its
    /// begin.
    windows: [(u64, Vec<bool>); 2],
}

impl<L: RunLog> TrafficSimulation<L> {
    /// Begins without vehicles, which send beacons. `log` takes what happens.
    #[must_use]
    pub fn new(settings: &RunSettings, comparison: PolicyComparison, log: L) -> Self {
        Self::with_source(settings, comparison, log, Beacons)
    }
}

impl<L: RunLog, M: MessageSource> TrafficSimulation<L, M> {
    /// Begins without vehicles, which send what `source` says. `log` takes what happens.
    #[must_use]
    pub fn with_source(
        settings: &RunSettings,
        comparison: PolicyComparison,
        log: L,
        source: M,
    ) -> Self {
        let period = source.period_ns();
        let messages = (settings.bytes, period.unwrap_or(settings.period_ns));
        let medium = Medium::new(
            settings.radio,
            settings.propagation.clone(),
            messages,
            settings.seed,
        );
        let attack = settings.attack.filter(|attack| attack.transmitters > 0);
        Self {
            medium: match period {
                Some(_) => medium.measuring(),
                None => medium,
            },
            observer: Observer {
                source,
                stepped_ns: 0,
                road: Road::default(),
                report: TrafficReport::default(),
                comparing: Comparing::new(comparison),
                attacker: attack.map(|attack| Attacker::new(attack.kind, settings.seed)),
                transmitters: attack.map_or(0, |attack| attack.transmitters),
                places: Vec::new(),
                log,
            },
            attack,
            random: Random::new(settings.seed).stream("attack", 1),
            begin_s: None,
            windows: Default::default(),
        }
    }

    /// Goes on to a time step, and moves vehicles to where they are then. `position` gives where a
    /// vehicle is from its coordinates and its heading. Vehicles that are not in the step are not
    /// on the road.
    pub fn step(
        &mut self,
        step: &TimeStep,
        position: impl Fn(f64, f64, Option<f64>) -> VehiclePosition,
    ) {
        let begin = *self.begin_s.get_or_insert(step.time_s);
        // Time rises from step to step, by the reader. The conversion saturates.
        let time_ns = ((step.time_s - begin) * 1e9).round() as u64;
        self.advance(time_ns);
        let Observer {
            road,
            transmitters,
            stepped_ns,
            ..
        } = &mut self.observer;
        *stepped_ns = time_ns;
        road.clear();
        for vehicle in &step.vehicles {
            let position = position(vehicle.x, vehicle.y, vehicle.heading_degrees);
            road.put(vehicle.number, position, vehicle.speed_m_s);
        }
        for (number, placed) in road.iter().enumerate() {
            let position = placed.map(VehiclePosition::from);
            self.medium.place(*transmitters + number, position);
        }
        self.begin_attack();
        let Observer {
            road,
            report,
            comparing,
            log,
            ..
        } = &mut self.observer;
        report.place(road);
        comparing.place(road, log);
        let mut vehicles = road
            .present()
            .map(|(number, placed)| (number, placed.into()));
        log.placed(self.medium.now_ns(), &mut vehicles);
    }

    /// Returns the log.
    pub fn log(&mut self) -> &mut L {
        &mut self.observer.log
    }

    /// Puts transmitters beside the road, once there are vehicles.
    fn begin_attack(&mut self) {
        let Some(attack) = self.attack else { return };
        let present: Vec<_> = self.observer.road.present().collect();
        if present.is_empty() || self.medium.now_ns() < ATTACK_AFTER_NS {
            return;
        }
        for transmitter in 0..attack.transmitters {
            let chosen = self.random.below(present.len() as u64) as usize;
            let place = present[chosen].1.place;
            self.medium.send_each(transmitter, attack.period_ns);
            self.observer.places.push(place);
            self.medium.place(transmitter, Some(place.into()));
        }
        self.attack = None;
    }

    /// Ends the run so long after the last step; returns what was counted, the log and the source.
    #[must_use]
    pub fn finish(mut self, after_ns: u64) -> (TrafficReport, L, M) {
        let end = self.medium.now_ns() + after_ns;
        // The window that ends with the run is whole.
        self.advance(end + 1);
        let Observer {
            mut report,
            comparing,
            mut log,
            source,
            ..
        } = self.observer;
        report.scores = comparing.finish(&mut log);
        (report, log, source)
    }

    /// Goes on to a time, with the windows that end before: one that begins just then begins with
    /// the vehicles of the step.
    fn advance(&mut self, time: u64) {
        while self.windows[0].0 < time {
            let end = self.windows[0].0;
            self.medium.run_until(end, &mut self.observer);
            let Observer {
                road, report, log, ..
            } = &mut self.observer;
            for ((due, was_there), window_ms) in self.windows.iter_mut().zip(WINDOWS_MS) {
                if *due != end {
                    continue;
                }
                let window = report.end_window(window_ms, end, was_there);
                // At time 0 the first windows begin.
                if let Some(window) = window.filter(|_| end > 0) {
                    log.window_ended(&window);
                }
                was_there.clear();
                was_there.extend(road.iter().map(|placed| placed.is_some()));
                *due += window_ms * MILLISECOND;
            }
        }
        self.medium.run_until(time, &mut self.observer);
    }
}
