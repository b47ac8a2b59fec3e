//! Cars in full detail among the vehicles of a trace: each with its buses, its keys and its
//! attackers.
//!
//! ```text
//! recorded speed -> stream on the bus -> telematics ECU accepted it? -> CAM, DENM -> signed
//! the radio -> verified? -> stream of the telematics ECU -> brake ECU accepted it?
//! ```
//!
//! [`drive`](fn@drive) joins the simulator of a vehicle file with `[v2x]` and the traffic lab.
//! Other vehicles have the stack of `waywarden-traffic-stations`. Motion stays as it is recorded.
#![forbid(unsafe_code)]

mod attacker;
mod car;
mod car_log;
mod detailed;
mod drive;
mod error;
mod judgement;
mod outcome;
mod recording;
mod signal;
mod source;
mod station;

pub use attacker::RoadAttack;
pub use drive::{RoadSettings, drive};
pub use error::RoadError;
pub use outcome::{BrakeRequest, CarOutcome, LatencyParts, RequestCause, RoadOutcome};
pub use recording::{RecordedBraking, Recording};
