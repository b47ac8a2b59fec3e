//! A car in full detail with its station, and the records of messages.

use std::collections::BTreeMap;

use waywarden_v2x_station::Motion;

use crate::car::Car;
use crate::judgement::Judge;
use crate::outcome::{CarOutcome, LatencyParts, RequestCause};
use crate::station::SigningStation;

/// A car in full detail with its station.
pub(crate) struct DetailedCar {
    pub(crate) car: Car,
    pub(crate) station: SigningStation,
    pub(crate) judge: Judge,
    pub(crate) signing_ns: u64,
    /// Its motion as its last question had it.
    pub(crate) motion: Option<Motion>,
    pub(crate) brakes: bool,
    /// By cause: time of the last instance of a request, in ns.
    pub(crate) last_requests: BTreeMap<u8, u64>,
    pub(crate) outcome: CarOutcome,
}

/// A message that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) cause: RequestCause,
    pub(crate) is_event: bool,
    pub(crate) is_true: bool,
    /// Release by the wheel, and acceptance by the telematics ECU.
    pub(crate) value_ns: Option<(u64, u64)>,
    pub(crate) generated_ns: u64,
    pub(crate) signed_ns: u64,
}

impl DetailedCar {
    pub(crate) fn new(
        vehicle: usize,
        car: Car,
        station: SigningStation,
        (judge, signing_ns): (Judge, u64),
    ) -> Self {
        let hard = f64::from(car.v2x.hard_braking_m_s2);
        Self {
            outcome: CarOutcome {
                vehicle,
                hard_brakings: car.speeds.hard_brakings(hard),
                ..CarOutcome::default()
            },
            car,
            station,
            judge,
            signing_ns,
            motion: None,
            brakes: false,
            last_requests: BTreeMap::new(),
        }
    }
}

/// Returns the parts of a message's way; `None` if no wheel's message stands at its begin.
pub(crate) fn latency(
    record: &Record,
    (receiver, (received_ns, verified_ns)): (usize, (u64, u64)),
    accepted_ns: u64,
) -> Option<LatencyParts> {
    let RequestCause::Car(sender) = record.cause else {
        return None;
    };
    let (released, value) = record.value_ns?;
    Some(LatencyParts {
        sender,
        receiver,
        is_event: record.is_event,
        wheel_to_telematics: value - released,
        generation_wait: record.generated_ns - value,
        signing: record.signed_ns - record.generated_ns,
        radio: received_ns - record.signed_ns,
        verification: verified_ns - received_ns,
        telematics_to_brake: accepted_ns - verified_ns,
    })
}

/// Returns a key for a cause.
pub(crate) fn key(cause: RequestCause) -> u8 {
    match cause {
        RequestCause::BusAttacker => 0,
        RequestCause::RoadAttacker => 1,
        RequestCause::Car(at) => (at + 2).min(255) as u8,
    }
}
