//! What is measured of each bus, identifier, ECU and stream.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::cpu::Slice;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_work::Duration;

use super::LOAD_WINDOW;
use super::histogram::Histogram;

/// What was measured of one bus.
#[derive(Clone, Debug, Default)]
pub struct BusFigures {
    /// Frames sent and acknowledged.
    pub frames: u64,
    /// Picoseconds of frames and their intermissions.
    pub busy: u64,
    /// The same by window of [`LOAD_WINDOW`], from the start on.
    pub windows: Vec<u64>,
    /// Errors detected, by any controller.
    pub errors: u64,
    /// Strikes of interferers.
    pub strikes: u64,
}

/// What was measured of one identifier on one bus.
#[derive(Clone, Debug, Default)]
pub struct IdFigures {
    /// Frames sent.
    pub frames: u64,
    /// From the node's request to the end of the frame.
    pub latency: Histogram,
    /// From the end of one to the end of the next.
    pub gaps: Histogram,
    pub(super) last: Option<Time>,
}

/// What was measured of one ECU.
#[derive(Clone, Debug, Default)]
pub struct EcuFigures {
    /// Picoseconds of work on its cores by task: receive, send, crypto.
    pub busy: [u64; 3],
    /// Picoseconds of work on its cores by window of [`LOAD_WINDOW`], from the
    /// start on.
    pub windows: Vec<u64>,
    /// What its hardware security module did.
    pub module: ModuleFigures,
    /// Frames sent and acknowledged, on all buses.
    pub sent: u64,
    /// Received frames lost to a full queue.
    pub overruns: u64,
    /// Frames taken back by bus-off or reset, or by the node.
    pub withdrawn: u64,
    /// Boots.
    pub boots: u32,
    /// The worst fault confinement state on any bus.
    pub worst_state: &'static str,
}

/// What was measured of one hardware security module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModuleFigures {
    /// Picoseconds of work.
    pub busy: u64,
    /// Commands completed.
    pub commands: u64,
    /// The longest of them, in picoseconds.
    pub longest: u64,
}

impl EcuFigures {
    /// Returns the picoseconds of computing, on cores and on the hardware security module.
    pub(super) const fn computing(&self) -> u64 {
        self.busy[2] + self.module.busy
    }
}

impl ModuleFigures {
    /// Counts a stretch of work: a whole command, unless a reset cut it off.
    pub(super) fn add(&mut self, slice: &Slice, busy: u64) {
        self.busy += busy;
        self.commands += u64::from(slice.finished);
        self.longest = self.longest.max(busy);
    }
}

/// What was measured of one stream, over all its receivers.
#[derive(Clone, Debug, Default)]
pub struct StreamFigures {
    /// Instances the sender asked for.
    pub requested: u64,
    /// Deliveries to receivers that count.
    pub delivered: u64,
    /// Deliveries later than the deadline.
    pub late: u64,
    /// From the release at the sender to a receiver's hands.
    pub latency: Histogram,
    /// How the slowest delivery spent its time.
    pub worst: Option<Worst>,
    /// When every receiver had it for the first time.
    pub complete: Option<Time>,
    /// Instances that were withheld until then, which is a matter of start-up.
    pub(super) withheld_before: u64,
    /// Instances since then that came to an ECU that checks them and did not find them authentic.
    pub refused: u64,
    /// Which receivers have had it.
    pub(super) reached: Vec<bool>,
}

/// The slowest delivery of a stream and where its time went.
#[derive(Clone, Copy, Debug)]
pub struct Worst {
    /// When it arrived.
    pub at: Time,
    /// At which receiver.
    pub receiver: EcuIndex,
    /// How long it took.
    pub latency: Duration,
    /// The step that took longest.
    pub step: Step,
    /// How long that step took.
    pub share: Duration,
}

/// A part of a frame's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The sender's transmit queue had no room.
    QueueFull(EcuIndex),
    /// The sender's processor had other work before the driver call.
    SendTask(EcuIndex),
    /// Frames of higher priority, or frames before it in the queue, had the bus.
    Waiting(BusIndex, u32),
    /// Errors made it start again.
    Repeated(BusIndex, u32),
    /// The frame itself was on the wire.
    OnTheWire(BusIndex),
    /// The receiver's processor had other work before it took the frame out.
    ReceiveTask(EcuIndex),
    /// The receiver waited for the tag and checked it.
    Checking(EcuIndex),
}

/// How many picoseconds a window of load is.
const WINDOW_PICOS: u64 = LOAD_WINDOW.as_nanos() * 1_000;

/// Adds a stretch of work to each window that it reaches into.
pub(super) fn add_stretch(windows: &mut Vec<u64>, from: Time, to: Time) {
    let (mut from, to) = (from.as_picos(), to.as_picos());
    while from < to {
        let end = to.min((from / WINDOW_PICOS + 1) * WINDOW_PICOS);
        add_to_window(windows, Time::from_picos(from), end - from);
        from = end;
    }
}

/// Adds picoseconds to the window that a time is in.
pub(super) fn add_to_window(windows: &mut Vec<u64>, at: Time, busy: u64) {
    let window = (at.as_picos() / WINDOW_PICOS) as usize;
    if window >= windows.len() {
        windows.resize(window + 1, 0);
    }
    windows[window] += busy;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_of_work_is_divided_at_the_borders_of_windows() {
        let mut windows = Vec::new();
        let at = |tenths: u64| Time::from_picos(tenths * WINDOW_PICOS / 10);
        add_stretch(&mut windows, at(4), at(26));
        add_stretch(&mut windows, at(30), at(30));
        assert_eq!(windows, [6, 10, 6].map(|tenths| tenths * WINDOW_PICOS / 10));
    }
}
