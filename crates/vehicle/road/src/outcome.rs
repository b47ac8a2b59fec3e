//! Outcome of a drive: times from wheel to brake, and requests that reached brakes.

use std::collections::BTreeMap;

/// Times of a message from the wheel of one car to the brake ECU of another, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyParts {
    /// Car that sent, by its place among the cars in full detail.
    pub sender: usize,
    /// Car that received.
    pub receiver: usize,
    /// True for a DENM, false for a CAM.
    pub is_event: bool,
    /// From the release of the wheel's message to its acceptance by the telematics ECU.
    pub wheel_to_telematics: u64,
    /// From then to the generation of the CAM or DENM.
    pub generation_wait: u64,
    /// Signing.
    pub signing: u64,
    /// From the signed message to the end of its frame at the receiver.
    pub radio: u64,
    /// From then to the end of its verification, with the wait for messages before it.
    pub verification: u64,
    /// From then to the acceptance of the stream by the brake ECU.
    pub telematics_to_brake: u64,
}

impl LatencyParts {
    /// Names of the parts, in their order.
    pub const NAMES: [&'static str; 6] = [
        "wheel-to-telematics",
        "wait-for-generation",
        "signing",
        "radio",
        "verification",
        "telematics-to-brake",
    ];

    /// Returns the parts in their order.
    #[must_use]
    pub const fn parts(&self) -> [u64; 6] {
        [
            self.wheel_to_telematics,
            self.generation_wait,
            self.signing,
            self.radio,
            self.verification,
            self.telematics_to_brake,
        ]
    }

    /// Returns the whole.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.parts().iter().sum()
    }
}

/// Cause of a brake request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestCause {
    /// A message of a car in full detail, by its place among them.
    Car(usize),
    /// A message that the attacker on the road made or sent again.
    RoadAttacker,
    /// A frame on the bus that the telematics ECU did not send.
    BusAttacker,
}

/// A brake request that a brake ECU accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrakeRequest {
    /// The car whose brake ECU accepted it.
    pub receiver: usize,
    /// Time of acceptance, in ns from the begin of the trace.
    pub at_ns: u64,
    /// Cause.
    pub cause: RequestCause,
    /// True if the car that caused it braked hard, as the trace has it.
    pub is_true: bool,
    /// Metres that the receiver drove since the wheel's message, or since the generation of a
    /// message that has none; `None` for a request from the bus.
    pub metres: Option<f64>,
}

/// Counts of a car in full detail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarOutcome {
    /// Number of the vehicle in the trace.
    pub vehicle: usize,
    /// Times that it began to brake hard, as the trace has it.
    pub hard_brakings: usize,
    /// Messages of signals that the telematics ECU accepted.
    pub signals_accepted: u64,
    /// Those of them that their sender had not sent.
    pub signals_forged: u64,
    /// Messages of signals that it refused.
    pub signals_refused: u64,
    /// CAM and DENM that it sent.
    pub sent: u64,
    /// CAM that said that their speed is unavailable.
    pub sent_without_speed: u64,
    /// Messages of cars in full detail and of attackers that it received.
    pub received: u64,
    /// Those that it verified.
    pub verified: u64,
    /// Those that it refused, by the result code of IEEE 1609.2.
    pub refused: BTreeMap<String, u64>,
    /// Those that it dropped because too many waited.
    pub dropped: u64,
    /// Instances of the request stream that the brake ECU accepted.
    pub requests_accepted: u64,
    /// Those that it refused.
    pub requests_refused: u64,
}

/// Outcome of a drive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoadOutcome {
    /// The cars in full detail, in the order of the settings.
    pub cars: Vec<CarOutcome>,
    /// Each message that arrived, in the order of acceptance by car.
    pub latencies: Vec<LatencyParts>,
    /// Requests that brake ECUs accepted, each once.
    pub requests: Vec<BrakeRequest>,
    /// Vehicles of the trace that were on the road.
    pub vehicles: usize,
    /// Frames of all vehicles on the radio.
    pub frames: u64,
    /// Frames of attackers on the road.
    pub attack_frames: u64,
}

impl RoadOutcome {
    /// Returns the longest time from wheel to brake, in ns.
    #[must_use]
    pub fn longest_ns(&self) -> Option<u64> {
        self.latencies.iter().map(LatencyParts::total).max()
    }

    /// Returns sentences on what never arrived; `name` names cars by their place.
    pub fn remarks(&self, name: impl Fn(usize) -> String) -> Vec<String> {
        let mut remarks = Vec::new();
        for (at, car) in self.cars.iter().enumerate() {
            let vehicle = name(at);
            if car.signals_accepted == 0 {
                remarks.push(format!(
                    "car {vehicle}: the telematics ECU accepted no signal; its messages have none"
                ));
            }
            if car.requests_accepted == 0 {
                remarks.push(format!(
                    "car {vehicle}: the brake ECU accepted no message of the request stream"
                ));
            }
        }
        if self.latencies.is_empty() {
            remarks.push("no wheel speed reached the brake ECU of another car".to_owned());
        }
        remarks
    }
}
