//! Messages that a station repeats as a user gave them.

use alloc::vec::Vec;

use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64};

/// Limit on the messages that a station repeats.
pub const REPEATED_MAX: usize = 16;
/// The least period of a repeated message, in microseconds: the time between two polls.
pub const REPETITION_MIN_US: u64 = 10_000;

/// A message that a station sends again and again, unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedMessage {
    /// Application under which it is signed.
    pub psid: Psid,
    /// Port of BTP, under which it travels in GeoNetworking; `None` for a WAVE short message.
    pub port: Option<u16>,
    /// The encoded message.
    pub message: Vec<u8>,
    /// Time from one to the next, in microseconds: at least [`REPETITION_MIN_US`].
    pub period_us: u64,
}

/// Messages with the times at which they are due.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repetition {
    messages: Vec<(RepeatedMessage, Time64)>,
}

impl Repetition {
    /// Repeats the first [`REPEATED_MAX`] of these messages from a time on.
    pub(crate) fn new(messages: Vec<RepeatedMessage>, starts: Time64) -> Self {
        let messages = messages.into_iter().take(REPEATED_MAX);
        Self {
            messages: messages.map(|message| (message, starts)).collect(),
        }
    }

    /// Begins again with every message.
    pub(crate) fn restart(&mut self, starts: Time64) {
        for (_, due) in &mut self.messages {
            *due = starts;
        }
    }

    /// Returns a message that is due, and takes note that it is sent.
    pub(crate) fn poll(&mut self, now: Time64) -> Option<RepeatedMessage> {
        for (message, due) in &mut self.messages {
            let period = message.period_us.max(REPETITION_MIN_US);
            let after = now.0.saturating_add(period);
            // After the clock went back, nothing waits for longer than a period.
            due.0 = due.0.min(after);
            if *due <= now {
                // The next one keeps its phase, unless this one comes late by more than a period.
                let next = due.0.saturating_add(period);
                due.0 = if next > now.0 { next } else { after };
                return Some(message.clone());
            }
        }
        None
    }
}
