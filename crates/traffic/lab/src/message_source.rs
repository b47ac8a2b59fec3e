//! The seam of vehicles' messages: beacons of one length, or those of a stack.

use waywarden_v2x_congestion::BusyRatio;

use crate::radio::{PlanePoint, RadioFrame};

/// A vehicle as its time step has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VehicleMotion {
    /// Place at that time.
    pub place: PlanePoint,
    /// Degrees from north to the east, if they are known.
    pub heading_degrees: Option<f64>,
    /// Metres a second, if they are known.
    pub speed_m_s: Option<f64>,
    /// Time of the step, in ns from the begin of the run.
    pub at_ns: u64,
}

/// A message of a vehicle that another one has received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageReception {
    /// Time of the frame's end, in ns from the begin of the run.
    pub time_ns: u64,
    /// Vehicle that sent it.
    pub sender: usize,
    /// Vehicle that received it.
    pub receiver: usize,
    /// The message, as [`RadioFrame::message`] has it.
    pub message: u32,
    /// Distance of the two at the begin of the time step, in metres.
    pub distance_m: f64,
}

/// Signer of a message, as its receiver's stack knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSigner {
    /// Any number by which the certificate is known.
    pub certificate: u64,
    /// True if the receiver has the certificate: from this message, or from one before.
    pub is_known: bool,
}

/// Says what vehicles send and when, and takes what they receive.
///
/// A run asks for each vehicle at each period, in the order of time. Vehicles are the numbers of
/// the trace. The same calls give the same messages.
pub trait MessageSource {
    /// Returns the time between two questions to a vehicle in ns, if it is not that of the run's
    /// beacons.
    fn period_ns(&self) -> Option<u64> {
        None
    }

    /// Returns the frame that a vehicle has to send now, if any.
    fn due(
        &mut self,
        time_ns: u64,
        vehicle: usize,
        motion: &VehicleMotion,
        beacon: RadioFrame,
    ) -> Option<RadioFrame>;

    /// A vehicle's frame begins.
    fn sent(&mut self, _time_ns: u64, _vehicle: usize, _frame: &RadioFrame) {}

    /// A vehicle has received a frame of another one.
    fn received(&mut self, _reception: &MessageReception) {}

    /// Returns the signer of a message that a vehicle has received; `None` for messages without
    /// contents, each with a certificate of its own.
    fn signer(&self, _receiver: usize, _message: u32) -> Option<MessageSigner> {
        None
    }

    /// A frame has left, or was dropped before: its message is received by no one any more.
    fn ended(&mut self, _frame: &RadioFrame) {}

    /// A vehicle has measured how busy the channel was in the last 100 ms.
    fn measured(&mut self, _time_ns: u64, _vehicle: usize, _ratio: BusyRatio) {}
}

/// Beacons of one length at one period \[ECQV-CITS §V\].
#[derive(Clone, Copy, Debug, Default)]
pub struct Beacons;

impl MessageSource for Beacons {
    fn due(
        &mut self,
        _time_ns: u64,
        _vehicle: usize,
        _motion: &VehicleMotion,
        beacon: RadioFrame,
    ) -> Option<RadioFrame> {
        Some(beacon)
    }
}
