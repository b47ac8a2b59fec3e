//! Metrics of the service, for Prometheus.
//!
//! One method for each event: the engine, the sockets, the time source and the recordings call
//! them from any thread, and [`Metrics::text`] prints everything in the text format of OpenMetrics.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use waywarden_v2x_payload::{PayloadCheck, Subject};
use waywarden_v2x_schedule::DropCause;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use crate::engine::{Observer, cause_name, check_results};
use crate::server::{Counts, ServerStatistics};
use waywarden_v2x_service_protocol::Status;
use waywarden_v2x_service_protocol::verdict::PayloadResult;
use waywarden_v2x_time::UntrustedTime;

/// The media type of [`Metrics::text`].
pub const METRICS_MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Bounds of the buckets of verification, in seconds: 100 ms is the age at which a CAM is of no
/// use.
const VERIFICATION_BUCKETS: [f64; 13] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0,
];
/// Bounds of the buckets of signing, in seconds.
const SIGNING_BUCKETS: [f64; 11] = [
    0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25,
];

/// Every reason not to trust the time: a metric for each is there from the start.
const DISTRUSTS: [UntrustedTime; 8] = [
    UntrustedTime::NotConnected,
    UntrustedTime::NoFix,
    UntrustedTime::StaleFix,
    UntrustedTime::Jump,
    UntrustedTime::SystemClockDiffers,
    UntrustedTime::NotSynchronized,
    UntrustedTime::LeapSecondsExpired,
    UntrustedTime::LeapSecondsDiffer,
];

/// A file of recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingForm {
    /// JSON Lines.
    JsonLines,
    /// MCAP.
    Mcap,
}

/// Labels: pairs of a name and a value.
type Labels<const N: usize> = [(&'static str, &'static str); N];
/// The labels of a certificate: the entry's name, and the HashedId8.
type CertificateLabels = [(&'static str, String); 2];

/// Metrics of the service.
pub struct Metrics {
    registry: Registry,
    requests: Family<Labels<2>, Counter>,
    verdicts: Family<Labels<1>, Counter>,
    queue: Gauge,
    drops: Family<Labels<1>, Counter>,
    payload_checks: Family<Labels<2>, Counter>,
    verification: Histogram,
    signing: Histogram,
    connections: Gauge,
    trusted: Gauge,
    used: Gauge,
    distrust: Family<Labels<1>, Gauge>,
    certificates: Family<CertificateLabels, Gauge<f64, AtomicU64>>,
    recordings_lost: Family<Labels<1>, Counter>,
    recordings_failing: Gauge,
    reloads: Family<Labels<1>, Counter>,
    sockets: Arc<ServerStatistics>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// Makes metrics of a service that has just begun.
    #[must_use]
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("waywarden"),
            requests: Family::default(),
            verdicts: Family::default(),
            queue: Gauge::default(),
            drops: Family::default(),
            payload_checks: Family::default(),
            verification: Histogram::new(VERIFICATION_BUCKETS),
            signing: Histogram::new(SIGNING_BUCKETS),
            connections: Gauge::default(),
            trusted: Gauge::default(),
            used: Gauge::default(),
            distrust: Family::default(),
            certificates: Family::default(),
            recordings_lost: Family::default(),
            recordings_failing: Gauge::default(),
            reloads: Family::default(),
            sockets: Arc::default(),
        };
        metrics.register();
        // What may stay at zero for ever is there from the start, so that alarms can be set on it.
        for cause in DropCause::ALL {
            drop(metrics.drops.get_or_create(&[("cause", cause_name(cause))]));
        }
        for (subject, result) in Subject::ALL.iter().flat_map(|subject| {
            let results = PayloadResult::ALL.into_iter();
            results.map(|result| (*subject, result))
        }) {
            let labels = check_labels(subject, result);
            drop(metrics.payload_checks.get_or_create(&labels));
        }
        for reloaded in [true, false] {
            drop(metrics.reloads.get_or_create(&outcome(reloaded)));
        }
        for form in [RecordingForm::JsonLines, RecordingForm::Mcap] {
            drop(
                metrics
                    .recordings_lost
                    .get_or_create(&[("form", form.name())]),
            );
        }
        metrics.set_time(Some(UntrustedTime::NotConnected), None);
        metrics
    }

    fn register(&mut self) {
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        let all = &mut self.registry;
        all.register("build", "The version of the service", build);
        let help = "Requests that were answered, by operation and status";
        all.register("requests", help, self.requests.clone());
        let help = "Verdicts on messages, by the result of IEEE 1609.2";
        all.register("verdicts", help, self.verdicts.clone());
        let help = "Messages that wait for verification";
        all.register("queue_messages", help, self.queue.clone());
        let help = "Messages that were not verified, by cause";
        all.register("dropped", help, self.drops.clone());
        let help = "Properties of accepted payloads beside their certificate, by result";
        all.register("payload_checks", help, self.payload_checks.clone());
        let help = "From the arrival of a message to its verdict";
        let seconds = Unit::Seconds;
        all.register_with_unit("verification", help, seconds, self.verification.clone());
        let help = "From the arrival of a payload to its signed message";
        let seconds = Unit::Seconds;
        all.register_with_unit("signing", help, seconds, self.signing.clone());
        let help = "Stream connections that are open";
        all.register("connections", help, self.connections.clone());
        let help = "1 if the time is trusted, 0 if a reason speaks against it";
        all.register("time_trusted", help, self.trusted.clone());
        let help = "1 if messages are signed with the time, else 0";
        all.register("time_used", help, self.used.clone());
        let help = "Why the time is not trusted: 1 at the reason that counts now";
        all.register("time_distrust", help, self.distrust.clone());
        let help = "When a certificate that signs ends to be valid, in Unix time";
        let certificates = self.certificates.clone();
        all.register_with_unit("certificate_end", help, Unit::Seconds, certificates);
        let help = "Verdicts that were not recorded, by form";
        all.register("recordings_lost", help, self.recordings_lost.clone());
        let help = "Recordings that cannot write now";
        all.register("recordings_failing", help, self.recordings_failing.clone());
        let help = "Reloads of certificates and lists, by outcome";
        all.register("reloads", help, self.reloads.clone());
        let sockets = SocketCollector(Arc::clone(&self.sockets));
        all.register_collector(Box::new(sockets));
    }

    /// Returns the statistics of the servers of sockets and of HTTP.
    #[must_use]
    pub fn sockets(&self) -> Arc<ServerStatistics> {
        Arc::clone(&self.sockets)
    }

    /// A request was answered.
    pub fn answered(&self, operation: &'static str, status: Status) {
        let labels = [("operation", operation), ("status", status.name())];
        self.requests.get_or_create(&labels).inc();
    }

    /// So many stream connections are open.
    pub fn set_connections(&self, open: u64) {
        self.connections
            .set(i64::try_from(open).unwrap_or(i64::MAX));
    }

    /// Takes the reason why nothing is signed with the time, and the one that speaks against a
    /// time that is used nevertheless.
    pub fn set_time(&self, distrust: Option<UntrustedTime>, doubt: Option<UntrustedTime>) {
        self.used.set(i64::from(distrust.is_none()));
        let distrust = distrust.or(doubt);
        self.trusted.set(i64::from(distrust.is_none()));
        for reason in DISTRUSTS {
            let gauge = self.distrust.get_or_create(&[("reason", reason.name())]);
            gauge.set(i64::from(distrust == Some(reason)));
        }
    }

    /// These certificates sign: the name of each, by what it is called, and the end of its validity
    /// in seconds of Unix time. Those of before are forgotten.
    pub fn set_certificates<'c>(&self, all: impl Iterator<Item = (&'c str, HashedId8, u64)>) {
        self.certificates.clear();
        for (name, id, end) in all {
            let id = id.0.iter().map(|byte| format!("{byte:02x}")).collect();
            let labels = [("name", name.to_owned()), ("id", id)];
            self.certificates.get_or_create(&labels).set(end as f64);
        }
    }

    /// So many more verdicts were not recorded.
    pub fn recordings_lost(&self, form: RecordingForm, verdicts: u64) {
        let lost = self.recordings_lost.get_or_create(&[("form", form.name())]);
        lost.inc_by(verdicts);
    }

    /// So many recordings cannot write now.
    pub fn set_recordings_failing(&self, recordings: usize) {
        let recordings = i64::try_from(recordings).unwrap_or(i64::MAX);
        self.recordings_failing.set(recordings);
    }

    /// Certificates and lists were loaded again, or could not be.
    pub fn reloaded(&self, worked: bool) {
        self.reloads.get_or_create(&outcome(worked)).inc();
    }

    /// Prints everything, as [`METRICS_MEDIA_TYPE`].
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Observer for Metrics {
    fn verified(&self, result: ResultCode, latency: Duration) {
        let labels = [("result", result.name())];
        self.verdicts.get_or_create(&labels).inc();
        self.verification.observe(latency.as_secs_f64());
    }

    fn payload_checked(&self, check: &PayloadCheck) {
        for (subject, result) in check_results(check) {
            let labels = check_labels(subject, result);
            self.payload_checks.get_or_create(&labels).inc();
        }
    }

    fn waiting(&self, messages: usize) {
        self.queue.set(i64::try_from(messages).unwrap_or(i64::MAX));
    }

    fn dropped(&self, cause: DropCause) {
        self.drops
            .get_or_create(&[("cause", cause_name(cause))])
            .inc();
    }

    fn signed(&self, latency: Duration) {
        self.signing.observe(latency.as_secs_f64());
    }

    fn metrics(&self) -> String {
        self.text()
    }

    fn is_recording_failing(&self) -> bool {
        self.recordings_failing.get() > 0
    }

    fn sockets(&self) -> Option<serde_json::Value> {
        Some(self.sockets.json())
    }
}

/// Prints what sockets counted at the moment at which it is asked for.
#[derive(Debug)]
struct SocketCollector(Arc<ServerStatistics>);

impl Collector for SocketCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for family in self.0.families() {
            let (name, help) = (family.metric, family.help);
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            match family.counts {
                Counts::One(count) => metric.encode_counter::<NoLabelSet, _, u64>(&count, None)?,
                Counts::By(label, counts) => {
                    for (value, count) in counts {
                        let labels = [(label, value)];
                        let mut one = metric.encode_family(&labels)?;
                        one.encode_counter::<NoLabelSet, _, u64>(&count, None)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl RecordingForm {
    fn name(self) -> &'static str {
        match self {
            Self::JsonLines => "jsonLines",
            Self::Mcap => "mcap",
        }
    }
}

fn outcome(worked: bool) -> Labels<1> {
    [("outcome", if worked { "success" } else { "failure" })]
}

fn check_labels(subject: Subject, result: PayloadResult) -> Labels<2> {
    [("property", subject.name()), ("result", result.name())]
}
