//! Worst-case response times of frames on CAN and CAN FD by analysis: no run of a bus that fits the
//! message set exceeds them.
//!
//! [`response_times`] is the revised analysis of [RTA §3]: blocking, busy periods with several
//! instances of one message, jitter, errors. Senders with FIFO queues follow [CAN-FIFO §3].
//! [`counter_peak`] bounds error counters, for errors that take senders off the bus are beyond the
//! analysis. Known offsets of one sender's messages count as in [`ReleasePhase`].
//! [`worst_case_length`] counts the bits of the longest frame. All numbers are whole
//! picoseconds; every rounding is upward. The crate knows no vehicle file and reads no files.
#![forbid(unsafe_code)]

mod analysis;
mod counter;
mod frame;
mod message;
mod server;
mod timetable;

pub use analysis::{iterate, response_times};
pub use counter::{CounterProgress, PASSIVE_ABOVE, counter_peak, is_bus_off};
pub use frame::{FrameKind, extended_fd, shortest_length, worst_case_extended, worst_case_length};
pub use message::{
    AnalysedBus, AnalysedMessage, Errors, NoBound, PortQueue, Priority, ReleasePhase,
};
pub use server::{Limit, RecurringJob, level_busy_period};
