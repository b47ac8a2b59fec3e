//! The input of the analysis: messages, their queues, errors; and the causes of a missing bound.

/// The arbitration keys that a message may have, lower is more urgent. One key for an identifier
/// that does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priority {
    /// The most urgent key of the range.
    pub first: u32,
    /// The least urgent key of the range.
    pub last: u32,
}

/// The transmit queue that a message waits in. Ports are numbered by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortQueue {
    /// The most urgent frame of the port competes.
    Priority,
    /// The oldest frame of this port competes.
    Fifo(usize),
    /// Any frame of this port competes: the software around a full queue keeps no order.
    Unordered(usize),
}

/// A message on one bus. Times are picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalysedMessage {
    /// Its identifier as arbitration sees it.
    pub priority: Priority,
    /// The queue that it waits in.
    pub queue: PortQueue,
    /// The shortest time between two nominal releases; none if no shortest time is known.
    pub period: Option<u64>,
    /// The longest delay of a frame's entry into the queue after its nominal release: J of [RTA
    /// §3.1].
    pub jitter: u64,
    /// The part of the jitter that passes before the response is counted; 0 in [RTA §3.1].
    pub uncounted: u64,
    /// The longest frame with its intermission: C of [RTA §3.1].
    pub frame: u64,
    /// Number of frames that one release brings, at least 1; 1 in [RTA §3.1].
    pub burst: u64,
    /// The bus time that may be lost after each of its frames because the sender may be
    /// error-passive and suspends transmission; else 0.
    pub suspension: u64,
    /// Its place in the timetable of its sender, where that is known.
    pub phase: Option<ReleasePhase>,
}

/// The place of a message in the timetable of its sender: its frames enter the queue between
/// `offset` and `offset` + J after the releases of a multiple of `period`, on one clock. Times are
/// picoseconds of that clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleasePhase {
    /// The clock, numbered by the caller. Nothing is known between two clocks.
    pub clock: usize,
    /// The drift of the clock: its gain on true time, in millionths.
    pub ppm: i32,
    /// From a zero of the clock to the earliest arrival of one instance.
    pub offset: u64,
    /// The exact time between two instances.
    pub period: u64,
}

/// The errors that the bus may have, as in [RTA §3.4]: `burst` at once, and one more each
/// `interval`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// Maximum number of errors at once, at least 1.
    pub burst: u64,
    /// The shortest time between two that follow, in picoseconds, above 0.
    pub interval: u64,
    /// The time that one error takes besides the repeated frame: 31 bit times.
    pub overhead: u64,
}

/// All messages of one bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysedBus {
    /// The nominal bit time in picoseconds.
    pub bit: u64,
    /// Errors, if any are to be tolerated.
    pub errors: Option<Errors>,
    /// The messages.
    pub messages: Vec<AnalysedMessage>,
    /// Further queues that hold frames of a message: message and port. A FIFO counts these frames
    /// as its own.
    pub shared: Vec<(usize, usize)>,
}

/// Reason that a message has no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum NoBound {
    /// Frames as urgent as this one, or more urgent, and errors take all of the bus.
    #[error("this message and more urgent ones take all of the bus")]
    Overload,
    /// The jobs of a processor, as urgent as one of this message or more, take all of its time.
    #[error("a processor on its way has more urgent work than time")]
    ProcessorOverload,
    /// A message that goes first has no shortest period.
    #[error("a more urgent message has no limited rate")]
    UnlimitedRate,
    /// A message that goes first waits in a queue without a bound.
    #[error("a more urgent message has no bounded wait in its queue")]
    UnboundedQueue,
    /// The errors that are to be tolerated may take the sender off the bus.
    #[error(
        "errors at this rate may drive its sender bus-off: TEC above 255, with 8 more for each \
         error and 1 less for each frame sent"
    )]
    BusOff,
    /// The code of a message is in a frame of its own, which may come too late for a receiver.
    #[error(
        "its code, in a frame of its own, may come later than a receiver waits for it: 20 ms, and \
         no more than three further messages"
    )]
    LateCode,
    /// The code of a message is in a frame of its own, which may come before the message.
    #[error(
        "its code, in a frame of its own, may come before it: give that frame a less urgent \
         identifier"
    )]
    EarlyCode,
    /// The busy period is too long to be followed.
    #[error("the analysis does not converge")]
    NotConverged,
}
