//! Figures of a run with the stack.

use std::collections::BTreeMap;

use waywarden_v2x_security::ResultCode;

use crate::hostile::HostileKind;
use crate::receiver::Judgement;

/// Counts of all vehicles together. Times are in ns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StackFigures {
    /// Messages that vehicles made.
    pub messages: u64,
    /// Bytes of their frames, with MAC header and check sequence.
    pub bytes: u64,
    /// Messages that carried the certificate of their signer.
    pub with_certificate: u64,
    /// Bytes of these certificates.
    pub certificate_bytes: u64,
    /// Requests for certificates in messages.
    pub requests: u64,
    /// Requests for certificates that no vehicle has.
    pub requests_unanswerable: u64,
    /// Messages received, once for each receiver.
    pub received: u64,
    /// Those whose signer's certificate the receiver lacked: it could not verify them.
    pub unknown_signer: u64,
    /// Those that were refused for another reason.
    pub refused: u64,
    /// Certificates that a receiver lacked for some time, once for each receiver.
    pub lacked: u64,
    /// Those that came.
    pub came: u64,
    /// Time that those were lacked: sum and longest.
    pub lacked_ns: (u64, u64),
    /// Changes of pseudonyms.
    pub changes: u64,
    /// Times between two messages of one vehicle: number, sum and longest.
    pub intervals: (u64, u64, u64),
    /// Measurements of the busy ratio: number, sum and greatest.
    pub busy: (u64, f64, f64),
    /// Power of messages as a share of the radio's: sum over messages.
    pub power_share: f64,
    /// Warnings of hard braking.
    pub warnings: WarningFigures,
    /// The hostile vehicles by kind.
    pub hostile: BTreeMap<HostileKind, HostileFigures>,
}

/// Counts of warnings. Times are in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarningFigures {
    /// Times that a vehicle braked hard and warned of it.
    pub warnings: u64,
    /// Messages of these warnings.
    pub messages: u64,
    /// Warnings that were received and accepted, once for each receiver.
    pub received: u64,
    /// Time from the begin of the warning to its first message there: sum and longest.
    pub delay_ns: (u64, u64),
}

/// Counts of the hostile vehicles of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostileFigures {
    /// Number of vehicles.
    pub vehicles: u64,
    /// Their messages.
    pub messages: u64,
    /// Receptions of these by honest vehicles.
    pub received: u64,
    /// Those that were accepted.
    pub accepted: u64,
    /// Those whose signer the receiver did not know.
    pub unknown_signer: u64,
    /// Those that were refused, by reason.
    pub refused: BTreeMap<ResultCode, u64>,
}

impl WarningFigures {
    /// Returns the mean time from the begin of a warning to its first message at a receiver, in ms.
    #[must_use]
    pub fn mean_delay_ms(&self) -> Option<f64> {
        StackFigures::mean(self.delay_ns.0 as f64 / 1e6, self.received)
    }
}

impl HostileFigures {
    pub(crate) fn received(&mut self, judgement: Judgement) {
        self.received += 1;
        match judgement {
            Judgement::Accepted { .. } => self.accepted += 1,
            Judgement::UnknownSigner => self.unknown_signer += 1,
            Judgement::Refused(code) => *self.refused.entry(code).or_default() += 1,
        }
    }
}

impl StackFigures {
    /// Returns a mean; `None` of nothing.
    fn mean(sum: f64, count: u64) -> Option<f64> {
        (count > 0).then(|| sum / count as f64)
    }

    /// Returns the mean length of a frame, in bytes.
    #[must_use]
    pub fn mean_bytes(&self) -> Option<f64> {
        Self::mean(self.bytes as f64, self.messages)
    }

    /// Returns the share of messages that carried the certificate.
    #[must_use]
    pub fn certificate_share(&self) -> Option<f64> {
        Self::mean(self.with_certificate as f64, self.messages)
    }

    /// Returns the share of received messages whose signer was unknown.
    #[must_use]
    pub fn unknown_share(&self) -> Option<f64> {
        Self::mean(self.unknown_signer as f64, self.received)
    }

    /// Returns the mean time between two messages of a vehicle, in ms.
    #[must_use]
    pub fn mean_interval_ms(&self) -> Option<f64> {
        Self::mean(self.intervals.1 as f64 / 1e6, self.intervals.0)
    }

    /// Returns the mean time for which a certificate was lacked that came, in ms.
    #[must_use]
    pub fn mean_lacked_ms(&self) -> Option<f64> {
        Self::mean(self.lacked_ns.0 as f64 / 1e6, self.came)
    }

    /// Returns the mean busy ratio, over vehicles and time.
    #[must_use]
    pub fn mean_busy(&self) -> Option<f64> {
        Self::mean(self.busy.1, self.busy.0)
    }

    /// Returns the mean power of a message as a share of the radio's.
    #[must_use]
    pub fn mean_power_share(&self) -> Option<f64> {
        Self::mean(self.power_share, self.messages)
    }
}
