//! The way to the world around an image.

use crate::{Answer, Request};

/// The way to the world around an image.
pub trait Link {
    /// Sends a request and waits for the answer.
    fn exchange(&mut self, request: &Request<'_>) -> Answer<'_>;

    /// Returns the number of instructions since the start, those of exchanges and of pauses left
    /// out.
    fn instructions(&mut self) -> u64;

    /// Leaves the instructions from here on out of the count; returns true if they were in it.
    fn pause(&mut self) -> bool {
        false
    }

    /// Counts instructions again.
    fn resume(&mut self) {}
}
