//! Counts of messages by their result and their true kind of sender.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use waywarden_v2x_schedule::DropCause;

use crate::event::NeighbourhoodEvent;
use crate::frame::SenderOrigin;
use crate::security::ReceptionVerdict;

/// A message counts as verified in time if its verdict falls so long after it came: one period of
/// the fastest awareness messages.
pub const IN_TIME: Duration = Duration::from_millis(100);
/// Limit on kept latencies of each kind of sender.
const LATENCIES_MAX: usize = 1 << 20;

/// Counts of messages by result.
#[derive(Clone, Debug, Default)]
pub struct ResultCounts {
    /// Number of sent messages.
    pub sent: u64,
    /// Number of receptions.
    pub heard: u64,
    /// Number of accepted messages.
    pub accepted: u64,
    /// Number of refused messages, by the name of the result.
    pub refused: BTreeMap<&'static str, u64>,
    /// Number of messages that were not verified, by the cause.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Number of messages with a verdict [`IN_TIME`].
    pub in_time: u64,
    /// Number of unreadable frames.
    pub unreadable: u64,
    /// Number of frames that came to the station in whose name they are, which does not verify
    /// them.
    pub own_address: u64,
    latencies: Latencies,
}

/// Latencies in microseconds.
#[derive(Clone, Default)]
struct Latencies(Vec<u32>);

impl fmt::Debug for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} latencies", self.0.len())
    }
}

impl ResultCounts {
    /// Returns the latency that this share of the receptions does not exceed; `None` without any.
    #[must_use]
    pub fn latency(&self, share: Proportion) -> Option<Duration> {
        let mut sorted = self.latencies.0.clone();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        let at = (last as f64 * share.0).round() as usize;
        let micros = sorted.get(at.min(last))?;
        Some(Duration::from_micros(u64::from(*micros)))
    }

    /// Returns the share of receptions with a verdict [`IN_TIME`], from 0 to 1; `None` without
    /// any.
    #[must_use]
    pub fn share_in_time(&self) -> Option<f64> {
        (self.heard > 0).then(|| self.in_time as f64 / self.heard as f64)
    }

    fn latency_was(&mut self, latency: Duration) {
        self.in_time += u64::from(latency <= IN_TIME);
        if self.latencies.0.len() < LATENCIES_MAX {
            let micros = u32::try_from(latency.as_micros()).unwrap_or(u32::MAX);
            self.latencies.0.push(micros);
        }
    }
}

/// Returns the name of a cause in reports.
#[must_use]
pub fn drop_name(cause: DropCause) -> &'static str {
    match cause {
        DropCause::Outside => "outside",
        DropCause::Expired => "expired",
        DropCause::SenderFull => "senderFull",
        DropCause::QueueFull => "queueFull",
    }
}

/// A share, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proportion(pub f64);

/// Counts of the events in a neighbourhood.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Counts by the true kind of the sender.
    pub by_origin: BTreeMap<SenderOrigin, ResultCounts>,
    /// Number of changes of pseudonym.
    pub changes: u64,
    /// Number of due messages that were not signed.
    pub not_signed: u64,
    /// Number of frames that links lost, because the receiver was too slow.
    pub lost: u64,
}

impl Summary {
    /// Counts an event.
    pub fn take(&mut self, event: &NeighbourhoodEvent) {
        match event {
            NeighbourhoodEvent::Sent { frame, .. } => self.of(frame.origin).sent += 1,
            NeighbourhoodEvent::Heard(reception) => {
                let counts = self.of(reception.frame.origin);
                counts.heard += 1;
                match &reception.verdict {
                    ReceptionVerdict::Accepted { .. } => counts.accepted += 1,
                    other => *counts.refused.entry(other.name()).or_default() += 1,
                }
                counts.latency_was(reception.latency);
            }
            NeighbourhoodEvent::Dropped { origin, cause, .. } => {
                let counts = self.of(*origin);
                counts.heard += 1;
                *counts.dropped.entry(drop_name(*cause)).or_default() += 1;
            }
            NeighbourhoodEvent::Unreadable { origin, .. } => {
                let counts = self.of(*origin);
                counts.heard += 1;
                counts.unreadable += 1;
            }
            NeighbourhoodEvent::OwnAddress { origin } => self.of(*origin).own_address += 1,
            NeighbourhoodEvent::PseudonymChanged { .. } => self.changes += 1,
            NeighbourhoodEvent::NotSigned { .. } => self.not_signed += 1,
            NeighbourhoodEvent::Impaired(_)
            | NeighbourhoodEvent::Recovered(_)
            | NeighbourhoodEvent::ClockWarning { .. }
            | NeighbourhoodEvent::CommandRefused { .. } => {}
        }
    }

    fn of(&mut self, origin: SenderOrigin) -> &mut ResultCounts {
        self.by_origin.entry(origin).or_default()
    }
}
