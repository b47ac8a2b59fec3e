//! V2X messages of a vehicle: the signals that they are made of, and the request that they cause.

use waywarden_work::Duration;

use crate::place::Located;

use super::{EcuIndex, StreamIndex};

/// V2X messages of a vehicle, from and to its buses.
#[derive(Clone, Debug, PartialEq)]
pub struct V2x {
    /// The ECU that sends and verifies messages.
    pub ecu: EcuIndex,
    /// Speed of the wheels, in m/s.
    pub speed: V2xSignal,
    /// Not zero while the vehicle brakes hard.
    pub brake: Option<V2xSignal>,
    /// Turn to the left, in degrees a second.
    pub yaw_rate: Option<V2xSignal>,
    /// Not zero while reverse is engaged.
    pub reverse: Option<V2xSignal>,
    /// The request that messages of other vehicles cause: 1, else 0.
    pub brake_request: V2xSignal,
    /// The receiver of the request.
    pub brake_ecu: EcuIndex,
    /// Deceleration from which on braking is hard, in m/s².
    pub hard_braking_m_s2: u32,
    /// Greatest distance of a vehicle whose hard braking is a request, in metres.
    pub within_m: u32,
    /// Duration of a request after its message.
    pub hold: Duration,
    /// Time to sign a message, if the file says so.
    pub signing: Option<Duration>,
    /// Time to verify a message, if the file says so.
    pub verification: Option<Duration>,
    /// Longest time from a wheel's message to the brake ECU of another vehicle.
    pub end_to_end: Option<Located<Duration>>,
}

/// A signal: big-endian bytes of a stream's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct V2xSignal {
    /// The stream.
    pub stream: StreamIndex,
    /// Its first byte.
    pub at: usize,
    /// Its length in bytes, 1 to 4.
    pub bytes: usize,
    /// Raw value of one unit.
    pub per_unit: u32,
}
