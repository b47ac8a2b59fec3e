//! Worst-case response times of frames on CAN and CAN FD by analysis: no run of a bus that fits the
//! message set exceeds them.
//!
//! [`response_times`] is the revised analysis of [RTA §3]: blocking, busy periods with several
//! instances of one message, jitter, errors. Senders with FIFO queues follow [CAN-FIFO §3].
//! [`worst_case_length`] counts the bits of the longest frame. All numbers are whole
//! picoseconds; every rounding is upward. The crate knows no vehicle file and reads no files.
#![forbid(unsafe_code)]

mod analysis;
mod frame;
mod message;

pub use analysis::{iterate, level_busy_period, response_times};
pub use frame::{FrameKind, shortest_length, worst_case_extended, worst_case_length};
pub use message::{Bus, Errors, Message, NoBound, Priority, Queue};
