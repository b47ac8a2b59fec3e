//! The log of a running run, message by message and window by window.

use crate::message_source::VehicleMotion;
use crate::radio::VehiclePosition;

/// Sender of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transmitter {
    /// A vehicle, by its number.
    Vehicle(usize),
    /// A transmitter of the attack, from 0.
    Attacker(usize),
}

/// A message that a vehicle has received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceivedMessage {
    /// Time of the frame's end, in ns from the begin of the run.
    pub time_ns: u64,
    /// Generation time of the message, in ns from the begin of the run.
    pub made_ns: u64,
    /// Sender of the message.
    pub sender: Transmitter,
    /// The vehicle that received it.
    pub receiver: usize,
    /// True distance of the sender, in metres.
    pub distance_m: f64,
    /// Power with which it arrived, in mW.
    pub power_mw: f64,
}

/// A message that a vehicle has made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneratedMessage {
    /// Time at which it was made, in ns from the begin of the run.
    pub time_ns: u64,
    /// The vehicle that made it.
    pub vehicle: usize,
    /// Motion of the vehicle, as the last time step has it.
    pub motion: VehicleMotion,
}

/// Outcome of a message at a board with a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageVerdict {
    /// It was relevant, and verified in time for each application that it concerns.
    InTime,
    /// It was relevant, and verified too late for one of them.
    Late,
    /// It was verified, and relevant to none.
    Irrelevant,
    /// The queue dropped it: it was full, or the message had waited for too long.
    Dropped,
    /// The policy left it out.
    Skipped,
    /// The receiver did not know its signer, and could not verify it.
    UnknownSigner,
}

impl MessageVerdict {
    /// Returns its code, as logs have it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InTime => "in-time",
            Self::Late => "late",
            Self::Irrelevant => "irrelevant",
            Self::Dropped => "dropped",
            Self::Skipped => "skipped",
            Self::UnknownSigner => "unknown-signer",
        }
    }
}

/// A decision on a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageDecision {
    /// The message that was decided on.
    pub message: ReceivedMessage,
    /// Index of the board, among those that are compared.
    pub board: usize,
    /// Index of the policy, among those that are compared.
    pub policy: usize,
    /// Outcome of the message.
    pub verdict: MessageVerdict,
    /// Number of safety applications to which it was relevant.
    pub applications: u8,
    /// Time of the decision, in ns from the begin of the run.
    pub decided_ns: u64,
}

/// Receptions of the vehicles in a window of 100 ms. Those count that were on the road at its
/// begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowSummary {
    /// End of the window, in ns from the begin of the run.
    pub end_ns: u64,
    /// Number of vehicles that count.
    pub vehicles: u32,
    /// Number of messages that they received together.
    pub received: u64,
    /// Least number of messages that one of them received.
    pub least: u32,
    /// Greatest number of messages that one of them received.
    pub most: u32,
}

impl WindowSummary {
    pub(crate) fn add(&mut self, received: u32) {
        self.least = match self.vehicles {
            0 => received,
            _ => self.least.min(received),
        };
        self.most = self.most.max(received);
        self.vehicles += 1;
        self.received += u64::from(received);
    }
}

/// Takes what a run tells. Every call has an empty default; `()` takes nothing.
pub trait RunLog {
    /// Vehicles are here from now on, until the next call.
    fn placed(
        &mut self,
        _time_ns: u64,
        _vehicles: &mut dyn Iterator<Item = (usize, VehiclePosition)>,
    ) {
    }

    /// A vehicle has made a message: it waits for the channel from now on.
    fn generated(&mut self, _message: &GeneratedMessage) {}

    /// A vehicle has received a message.
    fn received(&mut self, _message: &ReceivedMessage) {}

    /// A receiver that verifies has decided on a message.
    fn decided(&mut self, _decision: &MessageDecision) {}

    /// A window of 100 ms has ended.
    fn window_ended(&mut self, _window: &WindowSummary) {}
}

impl RunLog for () {}

impl<L: RunLog> RunLog for Option<L> {
    fn placed(
        &mut self,
        time_ns: u64,
        vehicles: &mut dyn Iterator<Item = (usize, VehiclePosition)>,
    ) {
        if let Some(log) = self {
            log.placed(time_ns, vehicles);
        }
    }

    fn generated(&mut self, message: &GeneratedMessage) {
        if let Some(log) = self {
            log.generated(message);
        }
    }

    fn received(&mut self, message: &ReceivedMessage) {
        if let Some(log) = self {
            log.received(message);
        }
    }

    fn decided(&mut self, decision: &MessageDecision) {
        if let Some(log) = self {
            log.decided(decision);
        }
    }

    fn window_ended(&mut self, window: &WindowSummary) {
        if let Some(log) = self {
            log.window_ended(window);
        }
    }
}

/// Both take what a run tells.
impl<A: RunLog, B: RunLog> RunLog for (A, B) {
    fn placed(
        &mut self,
        time_ns: u64,
        vehicles: &mut dyn Iterator<Item = (usize, VehiclePosition)>,
    ) {
        let all: Vec<_> = vehicles.collect();
        self.0.placed(time_ns, &mut all.iter().copied());
        self.1.placed(time_ns, &mut all.iter().copied());
    }

    fn generated(&mut self, message: &GeneratedMessage) {
        self.0.generated(message);
        self.1.generated(message);
    }

    fn received(&mut self, message: &ReceivedMessage) {
        self.0.received(message);
        self.1.received(message);
    }

    fn decided(&mut self, decision: &MessageDecision) {
        self.0.decided(decision);
        self.1.decided(decision);
    }

    fn window_ended(&mut self, window: &WindowSummary) {
        self.0.window_ended(window);
        self.1.window_ended(window);
    }
}
