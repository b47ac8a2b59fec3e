//! The watchdog of an image that computes too long without a request, on boards that have one.

pub(crate) use crate::board::{feed, watch as start};

/// Maximum number of instructions between two requests: 0.84 s at 80 MHz and one cycle each, and
/// six times what a P-256 verification takes.
pub const INSTRUCTIONS_MAX: u64 = 1 << 26;
