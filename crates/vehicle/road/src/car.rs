//! The buses and ECUs of a car, run step by step with the road.

use std::collections::VecDeque;

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::{Simulation, SimulationError};
use waywarden_vehicle_file::{V2x, V2xSignal, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_sim::lower::lower_supplied;
use waywarden_vehicle_sim::programs::SuppliedPayloads;
use waywarden_vehicle_trace::{Fact, GroundTruth, JudgingSink};

use crate::car_log::{AcceptedRequest, AcceptedValue, CarLog, Origin};
use crate::error::RoadError;
use crate::recording::Speeds;
use crate::signal;

/// Time from one measurement of the sensors to the next, in ns.
const SENSOR_NS: u64 = 10_000_000;
/// A value is unavailable after this number of periods of its stream without a new one.
const PERIODS: u64 = 3;

/// A verified message takes effect at the telematics ECU.
#[derive(Clone, Copy, Debug)]
struct Effect {
    at_ns: u64,
    origin: usize,
    /// True if it asks for braking.
    is_request: bool,
}

/// Values of the signals that a message has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MessageValues {
    pub(crate) speed: Option<AcceptedValue>,
    pub(crate) brake: Option<AcceptedValue>,
    pub(crate) yaw_rate: Option<AcceptedValue>,
    pub(crate) reverse: Option<AcceptedValue>,
}

/// A car with its buses.
pub(crate) struct Car {
    simulation: Simulation<Fact>,
    truth: GroundTruth,
    log: CarLog,
    supplied: SuppliedPayloads,
    pub(crate) v2x: V2x,
    /// By signal's stream: its period, in ns.
    periods: Vec<u64>,
    pub(crate) speeds: Speeds,
    effects: VecDeque<Effect>,
    /// Messages that the request stream follows from now.
    origin: Origin,
    requested_until_ns: Option<u64>,
    measured_ns: u64,
}

impl Car {
    pub(crate) fn new(
        file: &VehicleFile,
        resources: &Resources,
        v2x: V2x,
        (seed, speeds): (u64, Speeds),
    ) -> Result<Self, RoadError> {
        let supplied = SuppliedPayloads::default();
        let lowered = lower_supplied(file, resources, seed, &supplied).map_err(RoadError::Lower)?;
        let mut car = Self {
            simulation: Simulation::new(lowered.config)
                .map_err(|error| RoadError::Simulation(error.to_string()))?,
            truth: lowered.truth,
            log: CarLog::new(v2x.clone()),
            supplied,
            periods: file
                .streams
                .iter()
                .map(|stream| stream.period.as_nanos())
                .collect(),
            v2x,
            speeds,
            effects: VecDeque::new(),
            origin: Origin::default(),
            requested_until_ns: None,
            measured_ns: 0,
        };
        car.request();
        Ok(car)
    }

    /// Has a verified message take effect; times of calls never go back.
    pub(crate) fn verified(&mut self, at_ns: u64, origin: usize, is_request: bool) {
        self.effects.push_back(Effect {
            at_ns,
            origin,
            is_request,
        });
    }

    /// Runs up to a time.
    pub(crate) fn run_until(&mut self, end_ns: u64) -> Result<(), SimulationError> {
        loop {
            let effect = self.effects.front().map(|effect| effect.at_ns);
            let clear = self.requested_until_ns;
            let next = [Some(self.measured_ns), effect, clear];
            let next = next.into_iter().flatten().min().unwrap_or(end_ns);
            let until = next.min(end_ns);
            self.simulation.run_until(
                Time::from_nanos(until),
                &mut JudgingSink {
                    truth: &mut self.truth,
                    next: &mut self.log,
                },
            )?;
            if next > end_ns {
                return Ok(());
            }
            if self.measured_ns == next {
                self.measure(next);
                self.measured_ns += SENSOR_NS;
            }
            if clear == Some(next) {
                self.requested_until_ns = None;
                self.origin.request = None;
                self.request();
            }
            let effect = self.effects.front().copied();
            if let Some(effect) = effect.filter(|effect| effect.at_ns <= next) {
                self.effects.pop_front();
                self.origin.last = Some(effect.origin);
                if effect.is_request {
                    self.origin.request = Some(effect.origin);
                    self.requested_until_ns = Some(next + self.v2x.hold.as_nanos());
                }
                self.request();
            }
        }
    }

    /// Takes the requests that the brake ECU accepted since the last call.
    pub(crate) fn requests(&mut self) -> Vec<AcceptedRequest> {
        std::mem::take(&mut self.log.requests)
    }

    /// Returns the values that a message has which is generated at a time.
    pub(crate) fn values(&self, time_ns: u64) -> MessageValues {
        let value = |signal: &V2xSignal| {
            let age = PERIODS * self.periods[signal.stream.0];
            self.log.value(signal, time_ns, age)
        };
        MessageValues {
            speed: value(&self.v2x.speed),
            brake: self.v2x.brake.as_ref().and_then(value),
            yaw_rate: self.v2x.yaw_rate.as_ref().and_then(value),
            reverse: self.v2x.reverse.as_ref().and_then(value),
        }
    }

    pub(crate) fn log(&self) -> &CarLog {
        &self.log
    }

    /// Sets the sensors: speed and hard braking as the trace has them. A trace has neither the yaw
    /// rate nor the gear: they are zero.
    fn measure(&mut self, time_ns: u64) {
        let speed = self.speeds.at(time_ns);
        let is_hard = self.speeds.deceleration(time_ns) >= f64::from(self.v2x.hard_braking_m_s2);
        let sensors = [
            (Some(self.v2x.speed), speed),
            (self.v2x.brake, f64::from(u8::from(is_hard))),
            (self.v2x.yaw_rate, 0.0),
            (self.v2x.reverse, 0.0),
        ];
        for (own, value) in sensors {
            if let Some(own) = own {
                let set = |payload: &mut [u8; 64]| signal::set(&own, payload, value);
                self.supplied.change(own.stream.0, set);
            }
        }
    }

    /// Sets the request stream from what it follows now.
    fn request(&mut self) {
        let own = self.v2x.brake_request;
        let value = f64::from(u8::from(self.origin.request.is_some()));
        self.supplied.set_cause(self.log.origins.len() as u64);
        self.log.origins.push(self.origin);
        let set = |payload: &mut [u8; 64]| signal::set(&own, payload, value);
        self.supplied.change(own.stream.0, set);
    }
}
