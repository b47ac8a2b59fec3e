//! Counts of messages verified in time.

use waywarden_v2x_schedule::SAFETY_APPLICATIONS;

/// Number of safety applications.
const APPLICATIONS: usize = SAFETY_APPLICATIONS.len();

/// Messages verified in time by a board with a policy.
///
/// A message is relevant to a safety application if its sender truly is within the application's
/// range, and honest. It is in time if it is verified within the application's latency, from when
/// the message was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// By application: relevant messages that were received.
    pub relevant: [u64; APPLICATIONS],
    /// By application: those that were verified in time.
    pub in_time: [u64; APPLICATIONS],
    /// Messages that were relevant to any application, and verified in time for all of those.
    pub messages_in_time: u64,
    /// Those that were verified, too late for an application.
    pub messages_late: u64,
    /// Those that were dropped.
    pub messages_dropped: u64,
    /// Those that the policy left out.
    pub messages_skipped: u64,
    /// Those whose signer the receiver did not know, so that it could not verify them.
    pub messages_unknown: u64,
    /// False messages that were received, and how many of them were verified.
    pub false_received: u64,
    /// False messages that were verified.
    pub false_verified: u64,
}

impl Score {
    /// Returns the share of relevant messages that was verified in time, over all applications;
    /// `None` if there were none.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        share(self.in_time.iter().sum(), self.relevant.iter().sum())
    }

    /// Returns that share of one application, by its place in [`SAFETY_APPLICATIONS`]; `None` if
    /// there were none or there is no such place.
    #[must_use]
    pub fn share_of(&self, application: usize) -> Option<f64> {
        let of = |counts: &[u64]| counts.get(application).copied().unwrap_or(0);
        share(of(&self.in_time), of(&self.relevant))
    }

    /// Adds what another receiver has.
    pub(crate) fn add(&mut self, other: &Self) {
        for at in 0..APPLICATIONS {
            self.relevant[at] += other.relevant[at];
            self.in_time[at] += other.in_time[at];
        }
        self.messages_in_time += other.messages_in_time;
        self.messages_late += other.messages_late;
        self.messages_dropped += other.messages_dropped;
        self.messages_skipped += other.messages_skipped;
        self.messages_unknown += other.messages_unknown;
        self.false_received += other.false_received;
        self.false_verified += other.false_verified;
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
