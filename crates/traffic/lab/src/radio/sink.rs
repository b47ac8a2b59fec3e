//! The seam of the radio: frames that stations send, and what becomes of them.

use waywarden_v2x_congestion::{BusyRatio, MEASUREMENT_US};

/// A message that a station received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioReception {
    /// Time of the frame's end, in ns.
    pub time_ns: u64,
    /// Station that sent it.
    pub sender: usize,
    /// Station that received it.
    pub receiver: usize,
    /// Time at which the message was generated, in ns.
    pub made_ns: u64,
    /// Power with which it arrived, in mW.
    pub power_mw: f64,
    /// The message, as [`RadioFrame::message`] has it.
    pub message: u32,
}

/// A frame to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioFrame {
    /// Time on the air, in ns.
    pub airtime_ns: u64,
    /// Share of the power of [`RadioSettings`](super::RadioSettings), above 0 and at most 1.
    pub power_share: f64,
    /// Any number by which the sink knows the message.
    pub message: u32,
}

impl RadioFrame {
    /// The message of beacons, which have no contents.
    pub const BEACON: u32 = u32::MAX;
}

/// Takes what happens, and says what is sent.
pub trait RadioSink {
    /// Returns the frame that a station has to send now, if any: asked at each period of the
    /// station. Without an answer of its own each station sends the medium's `beacon`.
    fn due(&mut self, _time_ns: u64, _station: usize, beacon: RadioFrame) -> Option<RadioFrame> {
        Some(beacon)
    }

    /// A station sends a message: its frame begins.
    fn sent(&mut self, time_ns: u64, sender: usize, frame: &RadioFrame);

    /// A station has received a message.
    fn received(&mut self, reception: &RadioReception);

    /// A frame has left: its message is received by no one any more.
    fn ended(&mut self, _frame: &RadioFrame) {}

    /// A station on the road has measured how busy the channel was in the last
    /// [`MEASUREMENT_NS`], where the medium measures.
    fn measured(&mut self, _time_ns: u64, _station: usize, _ratio: BusyRatio) {}
}

/// Time of one measurement of the busy ratio, in ns.
pub const MEASUREMENT_NS: u64 = MEASUREMENT_US * 1_000;
