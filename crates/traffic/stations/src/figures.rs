//! Figures of a run with the stack.

use std::collections::BTreeMap;

use waywarden_v2x_misbehaviour::MisbehaviourClass;
use waywarden_v2x_security::ResultCode;

use crate::hostile::HostileKind;
use crate::receiver::Judgement;
use crate::scheme::{SentFrames, TRANSMISSION_MOST_NS};

/// Counts of all vehicles together. Times are in ns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StackFigures {
    /// Messages that vehicles made.
    pub messages: u64,
    /// Bytes of their frames, with MAC header and check sequence.
    pub bytes: u64,
    /// Frames of these messages: more than one for a message in fragments.
    pub frames: u64,
    /// Messages in fragments.
    pub fragmented: u64,
    /// Time of messages on the air: sum and longest.
    pub airtime_ns: (u64, u64),
    /// Messages that are on the air for longer than [`TRANSMISSION_MOST_NS`].
    pub too_long: u64,
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
    /// Detection by honest vehicles of messages of honest ones.
    pub detection: DetectionFigures,
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
    /// Detection by honest vehicles of those that were accepted.
    pub detection: DetectionFigures,
}

/// Counts of detection: of accepted messages that claim a place. Times are in ns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DetectionFigures {
    /// Messages that were assessed.
    pub assessed: u64,
    /// Those whose sender was suspicious then.
    pub suspicious: u64,
    /// Findings by class.
    pub findings: BTreeMap<MisbehaviourClass, u64>,
    /// Pairs of a vehicle that assesses and one that it hears.
    pub pairs: u64,
    /// Those where the other one was suspicious at any time.
    pub pairs_suspicious: u64,
    /// Time from the first message to the first that was suspicious: sum and longest.
    pub delay_ns: (u64, u64),
    /// Vehicles that the authority decided to revoke.
    pub revoked: u64,
    /// Time from the begin of a vehicle to that decision: sum and longest.
    pub revoked_ns: (u64, u64),
}

impl DetectionFigures {
    /// Returns the mean time from the begin of a vehicle to the decision to revoke it, in ms.
    #[must_use]
    pub fn mean_revoked_ms(&self) -> Option<f64> {
        StackFigures::mean(self.revoked_ns.0 as f64 / 1e6, self.revoked)
    }

    pub(crate) fn revoke(&mut self, after_ns: u64) {
        self.revoked += 1;
        self.revoked_ns.0 += after_ns;
        self.revoked_ns.1 = self.revoked_ns.1.max(after_ns);
    }

    /// Returns the share of messages whose sender was suspicious.
    #[must_use]
    pub fn suspicious_share(&self) -> Option<f64> {
        StackFigures::mean(self.suspicious as f64, self.assessed)
    }

    /// Returns the mean time to the first suspicious message of a vehicle, in ms.
    #[must_use]
    pub fn mean_delay_ms(&self) -> Option<f64> {
        StackFigures::mean(self.delay_ns.0 as f64 / 1e6, self.pairs_suspicious)
    }

    /// Returns precision, recall and F1 of detection where these are the messages to detect, and
    /// `honest` the others. Each is `None` of nothing.
    #[must_use]
    pub fn scores(&self, honest: &Self) -> [Option<f64>; 3] {
        let found = self.suspicious as f64;
        let precision = StackFigures::mean(found, self.suspicious + honest.suspicious);
        let recall = self.suspicious_share();
        let wrong = honest.suspicious + (self.assessed - self.suspicious);
        let f1 = StackFigures::mean(2.0 * found, 2 * self.suspicious + wrong);
        [precision, recall, f1]
    }
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

    /// Counts a message on the air.
    pub(crate) fn add_sent(&mut self, sent: &SentFrames) {
        self.messages += 1;
        self.bytes += u64::from(sent.bytes);
        self.frames += u64::from(sent.frames);
        self.fragmented += u64::from(sent.frames > 1);
        self.airtime_ns.0 += sent.airtime_ns;
        self.airtime_ns.1 = self.airtime_ns.1.max(sent.airtime_ns);
        self.too_long += u64::from(sent.airtime_ns > TRANSMISSION_MOST_NS);
    }

    /// Returns the mean length of a message with the headers of its frames, in bytes.
    #[must_use]
    pub fn mean_bytes(&self) -> Option<f64> {
        Self::mean(self.bytes as f64, self.messages)
    }

    /// Returns the mean number of frames of a message.
    #[must_use]
    pub fn mean_frames(&self) -> Option<f64> {
        Self::mean(self.frames as f64, self.messages)
    }

    /// Returns the mean time of a message on the air, in ms.
    #[must_use]
    pub fn mean_airtime_ms(&self) -> Option<f64> {
        Self::mean(self.airtime_ns.0 as f64 / 1e6, self.messages)
    }

    /// Returns the share of messages that are on the air for longer than
    /// [`TRANSMISSION_MOST_NS`].
    #[must_use]
    pub fn too_long_share(&self) -> Option<f64> {
        Self::mean(self.too_long as f64, self.messages)
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
