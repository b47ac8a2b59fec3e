//! Figures of a run with a stack, as they are printed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waywarden_traffic_stations::{
    DetectionFigures, HostileFigures, HostileKind, SignatureScheme, StackFigures,
};

/// Figures of a run with a stack. Shares are of 1; each is `None` where there was nothing.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
pub(super) struct StackReport {
    /// Messages of vehicles: `cam` or `bsm`.
    awareness: String,
    congestion_control: String,
    /// Scheme that gives signatures and keys their sizes.
    signature_scheme: String,
    /// Mean length of a message, with MAC header and check sequence of its frames.
    bytes_mean: Option<f64>,
    /// Mean number of frames of a message.
    frames_mean: Option<f64>,
    /// Messages of several frames.
    fragmented: u64,
    /// Time of a message on the air.
    airtime_ms_mean: Option<f64>,
    airtime_ms_most: f64,
    /// Share of messages that are on the air for longer than 4 ms.
    airtime_over_4_ms: Option<f64>,
    /// Share of messages that carried the certificate of their signer.
    with_certificate: Option<f64>,
    /// Share of the bytes of all frames that were certificates.
    bytes_of_certificates: f64,
    /// Requests for certificates of others.
    certificate_requests: u64,
    /// Those for certificates that no vehicle has.
    certificate_requests_unanswerable: u64,
    /// Share of received messages whose signer the receiver did not know: it could not verify them.
    unknown_signer: Option<f64>,
    /// Received messages that were refused for another reason.
    refused: u64,
    /// Certificates that a receiver lacked for some time.
    certificates_lacked: u64,
    /// Those that came.
    certificates_came: u64,
    /// Time until they came.
    lacked_ms_mean: Option<f64>,
    lacked_ms_most: f64,
    /// Time from a message of a vehicle to its next.
    interval_ms_mean: Option<f64>,
    interval_ms_most: f64,
    /// Share of time in which the channel was busy, measured by each vehicle for 100 ms.
    busy_ratio_mean: Option<f64>,
    busy_ratio_most: f64,
    /// Power of messages as a share of the radio's.
    power_share_mean: Option<f64>,
    pseudonym_changes: u64,
    /// Times that a vehicle braked hard and warned of it.
    #[serde(default)]
    warnings: u64,
    /// Messages of these warnings.
    #[serde(default)]
    warning_messages: u64,
    /// Warnings that were received and accepted, once for each receiver.
    #[serde(default)]
    warnings_received: u64,
    /// Time from the begin of a warning to its first message at a receiver.
    #[serde(default)]
    warning_delay_ms_mean: Option<f64>,
    #[serde(default)]
    warning_delay_ms_most: f64,
    /// Detection of honest messages, where there are detectors.
    #[serde(default)]
    detection: Option<DetectionReport>,
    /// The hostile vehicles, by kind.
    #[serde(default)]
    hostile: Vec<HostileReport>,
}

/// Hostile vehicles of one kind.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
struct HostileReport {
    kind: String,
    /// Number of vehicles.
    vehicles: u64,
    /// Messages that they sent.
    messages: u64,
    /// Receptions of these by honest vehicles.
    received: u64,
    /// Those that were accepted.
    accepted: u64,
    /// Those whose signer the receiver did not know.
    unknown_signer: u64,
    /// Those that were refused, by the standard's name of the reason.
    refused: BTreeMap<String, u64>,
    /// Detection of those that were accepted.
    #[serde(default)]
    detection: Option<DetectionReport>,
}

/// Detection of accepted messages by honest vehicles.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
struct DetectionReport {
    /// Messages that were assessed.
    assessed: u64,
    /// Share of them whose sender was suspicious.
    suspicious: Option<f64>,
    /// Share of the hostile messages among those that were suspicious, all honest ones counted.
    precision: Option<f64>,
    /// The harmonic mean of that and of the share that was found.
    f1: Option<f64>,
    /// Pairs of a vehicle that assesses and one that it hears.
    pairs: u64,
    /// Those where the other one was suspicious at any time.
    pairs_suspicious: u64,
    /// Time from the first message to the first that was suspicious.
    delay_ms_mean: Option<f64>,
    delay_ms_most: f64,
    /// Vehicles that the authority decided to revoke.
    #[serde(default)]
    revoked: u64,
    /// Time from the begin of a vehicle to that decision.
    #[serde(default)]
    revoked_ms_mean: Option<f64>,
    /// Findings by class.
    findings: BTreeMap<String, u64>,
}

impl DetectionReport {
    /// `honest` are the figures of honest messages, where these are hostile ones.
    fn of(figures: &DetectionFigures, honest: Option<&DetectionFigures>) -> Option<Self> {
        if figures.assessed == 0 {
            return None;
        }
        let scores = honest.map(|honest| figures.scores(honest));
        let [precision, _, f1] = scores.unwrap_or_default();
        let findings = figures.findings.iter();
        Some(Self {
            assessed: figures.assessed,
            suspicious: figures.suspicious_share(),
            precision,
            f1,
            pairs: figures.pairs,
            pairs_suspicious: figures.pairs_suspicious,
            delay_ms_mean: figures.mean_delay_ms(),
            delay_ms_most: figures.delay_ns.1 as f64 / 1e6,
            revoked: figures.revoked,
            revoked_ms_mean: figures.mean_revoked_ms(),
            findings: findings
                .map(|(class, count)| (class.label().to_owned(), *count))
                .collect(),
        })
    }
}

impl HostileReport {
    fn of((kind, figures): (&HostileKind, &HostileFigures), honest: &DetectionFigures) -> Self {
        let refused = figures.refused.iter();
        Self {
            kind: kind.name().to_owned(),
            vehicles: figures.vehicles,
            messages: figures.messages,
            received: figures.received,
            accepted: figures.accepted,
            unknown_signer: figures.unknown_signer,
            refused: refused
                .map(|(code, count)| (code.name().to_owned(), *count))
                .collect(),
            detection: DetectionReport::of(&figures.detection, Some(honest)),
        }
    }
}

impl StackReport {
    /// Returns the figures of a run as they are printed.
    pub(super) fn of(
        (awareness, control): (&str, &str),
        scheme: SignatureScheme,
        figures: &StackFigures,
    ) -> Self {
        let ms = |ns: u64| ns as f64 / 1e6;
        let bytes = figures.bytes.max(1) as f64;
        Self {
            awareness: awareness.to_owned(),
            congestion_control: control.to_owned(),
            signature_scheme: scheme.name().to_owned(),
            bytes_mean: figures.mean_bytes(),
            frames_mean: figures.mean_frames(),
            fragmented: figures.fragmented,
            airtime_ms_mean: figures.mean_airtime_ms(),
            airtime_ms_most: ms(figures.airtime_ns.1),
            airtime_over_4_ms: figures.too_long_share(),
            with_certificate: figures.certificate_share(),
            bytes_of_certificates: figures.certificate_bytes as f64 / bytes,
            certificate_requests: figures.requests,
            certificate_requests_unanswerable: figures.requests_unanswerable,
            unknown_signer: figures.unknown_share(),
            refused: figures.refused,
            certificates_lacked: figures.lacked,
            certificates_came: figures.came,
            lacked_ms_mean: figures.mean_lacked_ms(),
            lacked_ms_most: ms(figures.lacked_ns.1),
            interval_ms_mean: figures.mean_interval_ms(),
            interval_ms_most: ms(figures.intervals.2),
            busy_ratio_mean: figures.mean_busy(),
            busy_ratio_most: figures.busy.2,
            power_share_mean: figures.mean_power_share(),
            pseudonym_changes: figures.changes,
            warnings: figures.warnings.warnings,
            warning_messages: figures.warnings.messages,
            warnings_received: figures.warnings.received,
            warning_delay_ms_mean: figures.warnings.mean_delay_ms(),
            warning_delay_ms_most: ms(figures.warnings.delay_ns.1),
            detection: DetectionReport::of(&figures.detection, None),
            hostile: {
                let kinds = figures.hostile.iter();
                let of = |kind| HostileReport::of(kind, &figures.detection);
                kinds.map(of).collect()
            },
        }
    }

    /// Returns the figures for people, with their names.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let share = |share: Option<f64>| share.map_or_else(none, percent);
        let ms = |ms: f64| format!("{ms:.0} ms");
        let time = |time: Option<f64>| time.map_or_else(none, ms);
        let number =
            |value: Option<f64>, unit| value.map_or_else(none, |value| format!("{value:.2}{unit}"));
        let bytes = self.bytes_mean.map(|bytes| format!("{bytes:.1}"));
        vec![
            ("message in bytes, mean", bytes.unwrap_or_else(none)),
            ("frames of a message, mean", number(self.frames_mean, "")),
            ("messages in fragments", self.fragmented.to_string()),
            ("time on the air, mean", number(self.airtime_ms_mean, " ms")),
            (
                "time on the air, longest",
                number(Some(self.airtime_ms_most), " ms"),
            ),
            (
                "messages on the air for over 4 ms",
                share(self.airtime_over_4_ms),
            ),
            (
                "interval of a vehicle's messages, mean",
                time(self.interval_ms_mean),
            ),
            (
                "interval of a vehicle's messages, longest",
                ms(self.interval_ms_most),
            ),
            ("channel busy ratio, mean", share(self.busy_ratio_mean)),
            (
                "channel busy ratio, greatest",
                percent(self.busy_ratio_most),
            ),
            ("power, mean share of --power", share(self.power_share_mean)),
            ("messages with certificate", share(self.with_certificate)),
            (
                "certificates, share of all bytes",
                percent(self.bytes_of_certificates),
            ),
            (
                "requests for certificates",
                self.certificate_requests.to_string(),
            ),
            (
                "requests for certificates that no vehicle has",
                self.certificate_requests_unanswerable.to_string(),
            ),
            ("received of unknown signers", share(self.unknown_signer)),
            (
                "certificates lacked for some time",
                self.certificates_lacked.to_string(),
            ),
            (
                "certificates lacked, that came",
                self.certificates_came.to_string(),
            ),
            ("certificates lacked, mean time", time(self.lacked_ms_mean)),
            ("certificates lacked, longest time", ms(self.lacked_ms_most)),
            ("changes of pseudonym", self.pseudonym_changes.to_string()),
        ]
    }

    /// Returns the figures of warnings, if there were any.
    pub(super) fn warning_rows(&self) -> Option<(String, String)> {
        let delay = self.warning_delay_ms_mean?;
        Some((
            "warnings of hard braking".to_owned(),
            format!(
                "{}, in {} messages; {} received, the first one after {delay:.1} ms, \
                 at most {:.0} ms",
                self.warnings,
                self.warning_messages,
                self.warnings_received,
                self.warning_delay_ms_most
            ),
        ))
    }

    /// Returns the figures of hostile vehicles for people, with their names.
    pub(super) fn hostile_rows(&self) -> impl Iterator<Item = (String, String)> {
        self.hostile.iter().map(|one| {
            let mut parts = vec![
                format!("{} vehicles", one.vehicles),
                format!("{} messages", one.messages),
                format!("{} received", one.received),
                format!("{} accepted", one.accepted),
                format!("{} of unknown signers", one.unknown_signer),
            ];
            let refused = one.refused.iter();
            parts.extend(refused.map(|(code, count)| format!("{count} {code}")));
            (format!("hostile, {}", one.kind), parts.join(", "))
        })
    }
}

fn none() -> String {
    "none".to_owned()
}
