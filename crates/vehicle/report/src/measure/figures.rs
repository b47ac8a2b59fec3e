//! Figures of each bus, identifier, ECU and stream.

use std::collections::BTreeMap;

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::cpu::TimeSlice;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_vehicle_trace::{DeliveryOutcome, DeliveryStep, MessageId};
use waywarden_work::Duration;

use super::LOAD_WINDOW;
use super::histogram::Histogram;

/// Figures of one bus.
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

/// Figures of one identifier on one bus.
#[derive(Clone, Debug, Default)]
pub struct IdFigures {
    /// Frames sent.
    pub frames: u64,
    /// Time from the node's request to the end of the frame.
    pub latency: Histogram,
    /// Time from the end of one frame to the end of the next.
    pub gaps: Histogram,
    pub(super) last: Option<Time>,
}

/// Figures of one ECU.
#[derive(Clone, Debug, Default)]
pub struct EcuFigures {
    /// Number of its cores.
    pub cores: u8,
    /// Picoseconds of work on its cores by task: receive, send, crypto.
    pub busy: [u64; 3],
    /// Picoseconds of work on its cores by window of [`LOAD_WINDOW`], from the
    /// start on.
    pub windows: Vec<u64>,
    /// Figures of its hardware security module.
    pub module: ModuleFigures,
    /// Frames sent and acknowledged, on all buses.
    pub sent: u64,
    /// Received frames lost to a full queue.
    pub overruns: u64,
    /// Frames taken back by bus-off or reset, or by the node.
    pub withdrawn: u64,
    /// Figures of the image that is its software, if it has one.
    pub image: ImageFigures,
    /// Boots.
    pub boots: u32,
    /// The worst fault confinement state on any bus.
    pub worst_state: &'static str,
}

/// Figures of one hardware security module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModuleFigures {
    /// Picoseconds of work.
    pub busy: u64,
    /// Commands completed.
    pub commands: u64,
    /// The longest of them, in picoseconds.
    pub longest: u64,
}

/// Figures of one ECU image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageFigures {
    /// Instructions executed in all boots.
    pub instructions: u64,
    /// The time that they took on its microcontroller.
    pub computed: Duration,
    /// The longest time from one wait to the next.
    pub longest: Duration,
    /// The time since the last wait.
    since_wait: Duration,
    /// Number of its failures, and the first: its moment and its reason.
    pub failures: u64,
    /// The first failure.
    pub first_failure: Option<(Time, String)>,
}

impl ImageFigures {
    /// Counts a stretch of computing, after which the image waits or goes on.
    pub(super) fn executed(&mut self, instructions: u64, time: Duration, waits: bool) {
        self.instructions += instructions;
        self.computed += time;
        self.since_wait += time;
        self.longest = self.longest.max(self.since_wait);
        if waits {
            self.since_wait = Duration::ZERO;
        }
    }

    /// Counts a failure.
    pub(super) fn fail(&mut self, at: Time, why: &str) {
        self.failures += 1;
        self.first_failure
            .get_or_insert_with(|| (at, why.to_owned()));
    }
}

impl EcuFigures {
    /// Returns the share of its cores' time until `end` that this many picoseconds of work are.
    #[must_use]
    pub fn load(&self, busy: u64, end: Time) -> f64 {
        let time = end.as_picos() as f64 * f64::from(self.cores.max(1));
        if time > 0.0 { busy as f64 / time } else { 0.0 }
    }

    /// Returns the share of its cores' time that all work was in its busiest window.
    #[must_use]
    pub fn peak_load(&self) -> f64 {
        let peak = self.windows.iter().copied().max().unwrap_or(0);
        self.load(peak, Time::from_picos(WINDOW_PICOS))
    }

    /// Returns the picoseconds of computing, on cores and on the hardware security module.
    pub(super) const fn computing(&self) -> u64 {
        self.busy[2] + self.module.busy
    }
}

impl ModuleFigures {
    /// Counts a stretch of work: a whole command, unless a reset cut it off.
    pub(super) fn add(&mut self, slice: &TimeSlice, busy: u64) {
        self.busy += busy;
        self.commands += u64::from(slice.finished);
        self.longest = self.longest.max(busy);
    }
}

/// Figures of one stream over all its receivers.
#[derive(Clone, Debug, Default)]
pub struct StreamFigures {
    /// Instances that its sender's software released.
    pub released: u64,
    /// Instances for which the sender requested a frame.
    pub requested: u64,
    /// Instances that never left because a newer one took their place.
    pub skipped: u64,
    /// Instances that never left because their sender could not protect them.
    pub withheld: u64,
    /// First deliveries to receivers.
    pub delivered: u64,
    /// First deliveries later than the deadline.
    pub late: u64,
    /// Time from the release at the sender to a receiver's software.
    pub latency: Histogram,
    /// The slowest delivery and where its time went.
    pub worst: Option<SlowestDelivery>,
    /// The time when every receiver had had an instance.
    pub complete: Option<Time>,
    /// Figures by receiver, in the order of the vehicle file.
    pub receivers: Vec<ReceiverFigures>,
    /// The newest instance for which a frame was requested.
    pub(super) newest: Option<u32>,
}

/// Figures of one stream at one receiver.
#[derive(Clone, Debug)]
pub struct ReceiverFigures {
    /// The receiver.
    pub ecu: EcuIndex,
    /// First deliveries.
    pub delivered: u64,
    /// First deliveries later than the deadline.
    pub late: u64,
    /// Deliveries of an instance that it had had before.
    pub repeated: u64,
    /// The sum of all latencies of first deliveries, in nanoseconds.
    pub sum: u128,
    /// The longest of them.
    pub longest: Option<Duration>,
    /// The time of the first delivery.
    pub first: Option<Time>,
    /// Outcomes of all instances; known once the run is over.
    pub outcomes: Outcomes,
    /// Outcomes of those whose bound on latency lies within the run; without a bound of those
    /// whose deadline does.
    pub due: Outcomes,
    /// Instances of these that were not delivered between a boot of the sender or the receiver and
    /// the first delivery after it.
    pub due_at_start: Outcomes,
    /// The last of those that are due and were not delivered.
    pub missing: Option<u32>,
    /// Instances that sender or receiver could not handle while a security module did not let it
    /// have the key.
    pub shut_out: u64,
}

/// Number of instances by outcome.
pub type Outcomes = BTreeMap<DeliveryOutcome, u64>;

/// The slowest delivery of a stream and where its time went.
#[derive(Clone, Copy, Debug)]
pub struct SlowestDelivery {
    /// Time of arrival.
    pub at: Time,
    /// The message.
    pub message: MessageId,
    /// The receiver.
    pub receiver: EcuIndex,
    /// Latency of the delivery.
    pub latency: Duration,
    /// The step that took longest.
    pub step: DeliveryStep,
    /// Duration of that step.
    pub share: Duration,
}

impl StreamFigures {
    /// Counts an instance for which a security module lets a receiver, or the sender, have no key.
    pub(super) fn shut_out(&mut self, receiver: Option<EcuIndex>) {
        for one in &mut self.receivers {
            one.shut_out += u64::from(receiver.is_none_or(|ecu| ecu == one.ecu));
        }
    }
}

impl ReceiverFigures {
    pub(super) fn new(ecu: EcuIndex) -> Self {
        ReceiverFigures {
            ecu,
            delivered: 0,
            late: 0,
            repeated: 0,
            sum: 0,
            longest: None,
            first: None,
            outcomes: Outcomes::new(),
            due: Outcomes::new(),
            due_at_start: Outcomes::new(),
            missing: None,
            shut_out: 0,
        }
    }

    /// Returns the mean latency of first deliveries.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.sum.checked_div(u128::from(self.delivered))?;
        Some(Duration::from_nanos(
            u64::try_from(mean).unwrap_or(u64::MAX),
        ))
    }
}

/// Length of a window of load, in picoseconds.
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
