//! Messages that a car's ECUs accept, from the trace of its simulation.

use std::collections::BTreeMap;

use waywarden_can_sim::clock::Time;
use waywarden_vehicle_file::{V2x, V2xSignal};
use waywarden_vehicle_trace::{CheckOutcome, Fact, TraceSink, Truth, VehicleEvent};

use crate::signal;

/// Values of a signal that are kept: more than a message can be late.
const KEPT: usize = 256;

/// A value that the telematics ECU accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AcceptedValue {
    /// Time of acceptance, in ns.
    pub(crate) at_ns: u64,
    /// Time of release by its sender; `None` if the sender did not send it.
    pub(crate) released_ns: Option<u64>,
    pub(crate) value: f64,
}

/// An instance of the request stream that the brake ECU accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AcceptedRequest {
    pub(crate) at_ns: u64,
    pub(crate) is_requested: bool,
    /// Messages that the instance follows from; none for a frame of another sender.
    pub(crate) origin: Origin,
    /// True if the telematics ECU did not send it.
    pub(crate) is_forged: bool,
}

/// Verified messages that the payload of the request stream follows from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The last one.
    pub(crate) last: Option<usize>,
    /// The last one that asked for braking, while it holds.
    pub(crate) request: Option<usize>,
}

/// Log of a car.
#[derive(Debug)]
pub(crate) struct CarLog {
    v2x: V2x,
    /// By stream: values of signals, the oldest first, by the signal's first byte.
    values: BTreeMap<(usize, usize), Vec<AcceptedValue>>,
    /// By the cause of a message of the request stream: messages that it follows from.
    pub(crate) origins: Vec<Origin>,
    pub(crate) requests: Vec<AcceptedRequest>,
    pub(crate) accepted: u64,
    pub(crate) forged: u64,
    pub(crate) refused: u64,
    pub(crate) requests_refused: u64,
}

impl CarLog {
    pub(crate) fn new(v2x: V2x) -> Self {
        Self {
            v2x,
            values: BTreeMap::new(),
            origins: Vec::new(),
            requests: Vec::new(),
            accepted: 0,
            forged: 0,
            refused: 0,
            requests_refused: 0,
        }
    }

    /// Returns the value of a signal as the telematics ECU had it, if it is not older than
    /// `age_ns`.
    pub(crate) fn value(
        &self,
        signal: &V2xSignal,
        time_ns: u64,
        age_ns: u64,
    ) -> Option<AcceptedValue> {
        let values = self.values.get(&(signal.stream.0, signal.at))?;
        let last = values.iter().rev().find(|one| one.at_ns <= time_ns)?;
        (time_ns - last.at_ns <= age_ns).then_some(*last)
    }

    fn signals(&self) -> impl Iterator<Item = V2xSignal> + use<> {
        let V2x {
            speed,
            brake,
            yaw_rate,
            reverse,
            ..
        } = &self.v2x;
        [Some(*speed), *brake, *yaw_rate, *reverse]
            .into_iter()
            .flatten()
    }

    /// An ECU has taken a message as authentic.
    fn taken(&mut self, at: Time, ecu: usize, stream: usize, payload: &[u8], truth: Option<Truth>) {
        let at_ns = nanos(at);
        let genuine = match truth {
            Some(Truth::Genuine(genuine)) => Some(genuine),
            _ => None,
        };
        let signals = self.signals().filter(|one| one.stream.0 == stream);
        let signals: Vec<V2xSignal> = signals.collect();
        if ecu == self.v2x.ecu.0 && !signals.is_empty() {
            self.accepted += 1;
            self.forged += u64::from(genuine.is_none());
            for one in signals {
                let Some(value) = signal::value(&one, payload) else {
                    continue;
                };
                let values = self.values.entry((stream, one.at)).or_default();
                if values.len() == KEPT {
                    values.drain(..KEPT / 2);
                }
                values.push(AcceptedValue {
                    at_ns,
                    released_ns: genuine.map(|one| nanos(one.released)),
                    value,
                });
            }
        }
        let request = self.v2x.brake_request;
        if ecu == self.v2x.brake_ecu.0 && stream == request.stream.0 {
            let cause = genuine.and_then(|one| one.cause);
            let origin = cause.and_then(|cause| self.origins.get(cause as usize));
            let origin = origin.copied().unwrap_or_default();
            self.requests.push(AcceptedRequest {
                at_ns,
                is_requested: signal::value(&request, payload).is_some_and(|value| value != 0.0),
                origin,
                is_forged: genuine.is_none(),
            });
        }
    }
}

impl TraceSink for CarLog {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        let VehicleEvent::Noted { ecu, remark } = event else {
            return;
        };
        match remark.fact {
            Fact::Checked {
                stream,
                passes_to: None,
                outcome,
                ..
            } => match outcome {
                CheckOutcome::Authentic(payload) => {
                    self.taken(at, ecu.0, *stream, payload.as_bytes(), remark.truth);
                }
                CheckOutcome::Refused(_) => {
                    let is_signal = self.signals().any(|one| one.stream.0 == *stream);
                    let is_request = *stream == self.v2x.brake_request.stream.0;
                    self.refused += u64::from(is_signal && ecu.0 == self.v2x.ecu.0);
                    self.requests_refused += u64::from(is_request && ecu.0 == self.v2x.brake_ecu.0);
                }
                CheckOutcome::Resynced => {}
            },
            Fact::Taken {
                stream,
                frame,
                length,
            } => {
                let data = frame.data();
                let data = data.get(..usize::from(*length)).unwrap_or(data);
                self.taken(at, ecu.0, *stream, data, remark.truth);
            }
            _ => {}
        }
    }
}

pub(crate) fn nanos(at: Time) -> u64 {
    at.as_picos() / 1_000
}
