//! The messages of a drive: cars in full detail, attackers on the road, and all other vehicles.

use std::collections::BTreeMap;

use waywarden_traffic_lab::radio::{RadioFrame, RadioSettings};
use waywarden_traffic_lab::{MessageReception, MessageSource, VehicleMotion};
use waywarden_traffic_stations::{CertificateSource, Plane, VehicleStations};
use waywarden_v2x_congestion::BusyRatio;

use crate::attacker::Attacker;
use crate::detailed::{DetailedCar, Record, key, latency};
use crate::error::RoadError;
use crate::outcome::{BrakeRequest, RequestCause, RoadOutcome};
use crate::station::SignedMessage;

/// Messages of cars and attackers have numbers from here on.
const OWN: u32 = 1 << 31;
/// Braking before a message that makes its request true, in ns: two CAM are compared.
const BRAKED_NS: u64 = 1_500_000_000;

/// The source of a drive's messages.
pub(crate) struct RoadSource<C> {
    ordinary: VehicleStations<C>,
    certificates: C,
    cars: Vec<DetailedCar>,
    attackers: Vec<Attacker>,
    /// By vehicle: its car.
    by_vehicle: BTreeMap<usize, usize>,
    /// The first attacker is this vehicle.
    first_attacker: usize,
    radio: RadioSettings,
    plane: Plane,
    /// Messages on the air, and the number of each in the records.
    on_air: Vec<Option<(SignedMessage, usize)>>,
    records: Vec<Record>,
    /// By record and car: end of reception and of verification.
    receptions: BTreeMap<(usize, usize), (u64, u64)>,
    outcome: RoadOutcome,
    failure: Option<RoadError>,
}

impl<C: CertificateSource> RoadSource<C> {
    pub(crate) fn new(
        (ordinary, certificates): (VehicleStations<C>, C),
        cars: Vec<DetailedCar>,
        (attackers, first_attacker): (Vec<Attacker>, usize),
        radio: RadioSettings,
    ) -> Self {
        let numbered = cars.iter().enumerate();
        Self {
            by_vehicle: numbered
                .map(|(at, car)| (car.outcome.vehicle, at))
                .collect(),
            ordinary,
            certificates,
            cars,
            attackers,
            first_attacker,
            radio,
            plane: Plane::default(),
            on_air: Vec::new(),
            records: Vec::new(),
            receptions: BTreeMap::new(),
            outcome: RoadOutcome::default(),
            failure: None,
        }
    }

    /// Runs all cars to the end; returns what came of it.
    ///
    /// # Errors
    /// The first [`RoadError`].
    pub(crate) fn finish(mut self, end_ns: u64) -> Result<RoadOutcome, RoadError> {
        for at in 0..self.cars.len() {
            if self.failure.is_none() {
                self.failure = self.run(at, end_ns).err();
            }
        }
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.ordinary.finish().map_err(RoadError::Certificate)?;
        let cars = self.cars.into_iter().map(|mut own| {
            let log = own.car.log();
            own.outcome.signals_accepted = log.accepted;
            own.outcome.signals_forged = log.forged;
            own.outcome.signals_refused = log.refused;
            own.outcome.requests_refused = log.requests_refused;
            own.outcome
        });
        self.outcome.cars = cars.collect();
        self.outcome.requests.sort_by_key(|one| one.at_ns);
        Ok(self.outcome)
    }

    /// Runs a car up to a time, and takes what its brake ECU accepted.
    fn run(&mut self, at: usize, time_ns: u64) -> Result<(), RoadError> {
        let own = &mut self.cars[at];
        let run = own.car.run_until(time_ns);
        run.map_err(|error| RoadError::Simulation(error.to_string()))?;
        let hold_ns = own.car.v2x.hold.as_nanos();
        for accepted in own.car.requests() {
            own.outcome.requests_accepted += 1;
            if let Some(last) = accepted.origin.last
                && let Some(received) = self.receptions.remove(&(last, at))
            {
                let record = &self.records[last];
                let parts = latency(record, (at, received), accepted.at_ns);
                self.outcome.latencies.extend(parts);
            }
            if !accepted.is_requested {
                continue;
            }
            let record = accepted.origin.request.map(|request| self.records[request]);
            let cause = record.map_or(RequestCause::BusAttacker, |record| record.cause);
            let last = own.last_requests.insert(key(cause), accepted.at_ns);
            if last.is_some_and(|last| accepted.at_ns - last <= hold_ns) {
                continue;
            }
            let begin = record.map(|one| one.value_ns.map_or(one.generated_ns, |value| value.0));
            self.outcome.requests.push(BrakeRequest {
                receiver: at,
                at_ns: accepted.at_ns,
                cause,
                is_true: record.is_some_and(|record| record.is_true),
                metres: begin.map(|begin| own.car.speeds.metres(begin, accepted.at_ns)),
            });
        }
        Ok(())
    }

    fn car_due(
        &mut self,
        at: usize,
        time_ns: u64,
        vehicle: &VehicleMotion,
    ) -> Result<Option<(SignedMessage, Record)>, RoadError> {
        self.run(at, time_ns)?;
        let own = &mut self.cars[at];
        let generated_ns = time_ns.saturating_sub(own.signing_ns);
        let values = own.car.values(generated_ns);
        let claimed = VehicleMotion {
            speed_m_s: values.speed.map(|speed| speed.value),
            ..*vehicle
        };
        let place = Plane::place(vehicle, generated_ns);
        let mut motion = self.plane.motion(&claimed, &place, generated_ns);
        let yaw = values.yaw_rate;
        motion.yaw_rate_centidegrees_s = yaw.map(|yaw| (yaw.value * 100.0).round() as i16);
        motion.is_reversing |= values.reverse.is_some_and(|gear| gear.value != 0.0);
        own.motion = Some(motion);
        let brakes = values.brake.is_some_and(|brake| brake.value != 0.0);
        if brakes && !std::mem::replace(&mut own.brakes, brakes) {
            let radius = own.car.v2x.within_m.min(u32::from(u16::MAX)) as u16;
            own.station.brakes_hard(&motion, radius);
        }
        own.brakes = brakes;
        let message = own
            .station
            .due(&motion, &mut self.certificates, generated_ns);
        let Some(message) = message.map_err(RoadError::Certificate)? else {
            return Ok(None);
        };
        own.outcome.sent += 1;
        let has_speed = message.is_event || values.speed.is_some();
        own.outcome.sent_without_speed += u64::from(!has_speed);
        let value = if message.is_event {
            values.brake
        } else {
            values.speed
        };
        let hard = f64::from(own.car.v2x.hard_braking_m_s2);
        let from_ns = generated_ns.saturating_sub(BRAKED_NS);
        let record = Record {
            cause: RequestCause::Car(at),
            is_event: message.is_event,
            is_true: own.car.speeds.braked(from_ns, generated_ns, hard),
            value_ns: value.and_then(|value| Some((value.released_ns?, value.at_ns))),
            generated_ns,
            signed_ns: time_ns,
        };
        Ok(Some((message, record)))
    }

    fn attack_due(
        &mut self,
        attacker: usize,
        time_ns: u64,
        vehicle: &VehicleMotion,
    ) -> Result<Option<(SignedMessage, Record)>, RoadError> {
        let moving = (vehicle, &mut self.plane);
        let made = self.attackers[attacker].due(moving, &mut self.certificates, time_ns);
        let made = made.map_err(RoadError::Certificate)?;
        self.outcome.attack_frames += u64::from(made.is_some());
        let record = |message: SignedMessage| {
            let record = Record {
                cause: RequestCause::RoadAttacker,
                is_event: message.is_event,
                is_true: false,
                value_ns: None,
                generated_ns: time_ns,
                signed_ns: time_ns,
            };
            (message, record)
        };
        Ok(made.map(record))
    }

    /// Returns the frame of a message of a car or an attacker.
    fn frame(&mut self, (message, record): (SignedMessage, Record)) -> RadioFrame {
        let airtime_ns = self.radio.airtime_ns(message.bytes);
        self.records.push(record);
        let entry = Some((message, self.records.len() - 1));
        let free = self.on_air.iter().position(Option::is_none);
        let number = free.unwrap_or(self.on_air.len());
        match self.on_air.get_mut(number) {
            Some(place) => *place = entry,
            None => self.on_air.push(entry),
        }
        RadioFrame {
            airtime_ns,
            power_share: 1.0,
            message: OWN | number as u32,
        }
    }

    /// A car has received a message.
    fn car_received(&mut self, at: usize, reception: &MessageReception) {
        let own = &mut self.cars[at];
        let Some(motion) = own.motion else { return };
        let message = reception.message.checked_sub(OWN);
        let message = message.and_then(|number| self.on_air.get(number as usize)?.as_ref());
        own.outcome.received += u64::from(message.is_some());
        let Some(verified_ns) = own.judge.queue(reception.time_ns) else {
            own.outcome.dropped += u64::from(message.is_some());
            return;
        };
        let Some((message, record)) = message else {
            return;
        };
        let asks = own.judge.verify(
            &message.spdu,
            &mut own.station.signer,
            (&motion, &own.car.v2x),
            (verified_ns, &mut own.outcome),
        );
        if let Some(is_request) = asks {
            own.car.verified(verified_ns, *record, is_request);
            let times = (reception.time_ns, verified_ns);
            self.receptions.insert((*record, at), times);
        }
    }

    fn attacker(&self, vehicle: usize) -> Option<usize> {
        let attacker = vehicle.checked_sub(self.first_attacker)?;
        (attacker < self.attackers.len()).then_some(attacker)
    }
}

impl<C: CertificateSource> MessageSource for RoadSource<C> {
    fn period_ns(&self) -> Option<u64> {
        self.ordinary.period_ns()
    }

    fn due(
        &mut self,
        time_ns: u64,
        vehicle: usize,
        motion: &VehicleMotion,
        beacon: RadioFrame,
    ) -> Option<RadioFrame> {
        if self.failure.is_some() {
            return None;
        }
        let made = match (self.by_vehicle.get(&vehicle), self.attacker(vehicle)) {
            (Some(&car), _) => self.car_due(car, time_ns, motion),
            (None, Some(attacker)) => self.attack_due(attacker, time_ns, motion),
            (None, None) => return self.ordinary.due(time_ns, vehicle, motion, beacon),
        };
        match made {
            Ok(made) => made.map(|made| self.frame(made)),
            Err(failure) => {
                self.failure = Some(failure);
                None
            }
        }
    }

    fn sent(&mut self, time_ns: u64, vehicle: usize, frame: &RadioFrame) {
        self.outcome.frames += 1;
        if frame.message < OWN {
            self.ordinary.sent(time_ns, vehicle, frame);
        }
    }

    fn received(&mut self, reception: &MessageReception) {
        if let Some(&car) = self.by_vehicle.get(&reception.receiver) {
            return self.car_received(car, reception);
        }
        let number = reception.message.checked_sub(OWN);
        let message = number.and_then(|number| self.on_air.get(number as usize)?.as_ref());
        match (self.attacker(reception.receiver), message) {
            (Some(attacker), Some((message, record))) => {
                let is_of_car = matches!(self.records[*record].cause, RequestCause::Car(_));
                if is_of_car {
                    let message = message.clone();
                    self.attackers[attacker].heard(reception.time_ns, message);
                }
            }
            (None, None) => self.ordinary.received(reception),
            _ => {}
        }
    }

    fn ended(&mut self, frame: &RadioFrame) {
        match frame.message.checked_sub(OWN) {
            Some(number) => {
                if let Some(place) = self.on_air.get_mut(number as usize) {
                    *place = None;
                }
            }
            None => self.ordinary.ended(frame),
        }
    }

    fn measured(&mut self, time_ns: u64, vehicle: usize, ratio: BusyRatio) {
        if !self.by_vehicle.contains_key(&vehicle) && self.attacker(vehicle).is_none() {
            self.ordinary.measured(time_ns, vehicle, ratio);
        }
    }
}
