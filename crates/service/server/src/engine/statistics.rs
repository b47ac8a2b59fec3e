//! Statistics of the engine.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use waywarden_v2x_payload::{PayloadCheck, Subject};
use waywarden_v2x_schedule::DropCause;
use waywarden_v2x_security::ResultCode;

use waywarden_v2x_service_protocol::verdict::PayloadResult;
use waywarden_v2x_service_protocol::{RequestedOperation, Status};

/// Takes note of what the engine does, as it happens. Calls come from several threads and must not
/// wait.
pub trait Observer: Send + Sync {
    /// A message got this verdict, so long after it came.
    fn verified(&self, _result: ResultCode, _latency: Duration) {}
    /// The payload of an accepted message was checked against its certificate.
    fn payload_checked(&self, _check: &PayloadCheck) {}
    /// A message was not verified.
    fn dropped(&self, _cause: DropCause) {}
    /// So many signatures are verified for messages: their own and those of certificates.
    fn signatures(&self, _count: usize) {}
    /// The verifier is locked for a change, for which all verification waits.
    fn locked(&self) {}
    /// A message was signed, so long after the request came.
    fn signed(&self, _latency: Duration) {}
    /// A request was refused.
    fn refused(&self, _status: Status) {}
    /// So many messages wait for verification.
    fn waiting(&self, _messages: usize) {}
    /// Returns the metrics, in the text format of Prometheus.
    fn metrics(&self) -> String {
        String::new()
    }
    /// Returns true if a recording cannot write now.
    fn is_recording_failing(&self) -> bool {
        false
    }
    /// Returns the counts of sockets, as a JSON object; `None`: they are not known.
    fn sockets(&self) -> Option<serde_json::Value> {
        None
    }
}

/// Takes note of nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// The operations that are counted, by their names in the JSON form.
const OPERATIONS: [&str; 11] = [
    "sign",
    "verify",
    "verifyMany",
    "encrypt",
    "decrypt",
    "certificateStatus",
    "statistics",
    "health",
    "authenticate",
    "subscribe",
    "changeCertificate",
];

fn place_of(operation: &RequestedOperation) -> usize {
    match operation {
        RequestedOperation::Sign(_) => 0,
        RequestedOperation::Verify(_) => 1,
        RequestedOperation::VerifyMany(_) => 2,
        RequestedOperation::Encrypt(_) => 3,
        RequestedOperation::Decrypt(_) => 4,
        RequestedOperation::CertificateStatus(_) => 5,
        RequestedOperation::Statistics => 6,
        RequestedOperation::Health => 7,
        RequestedOperation::Authenticate(_) => 8,
        RequestedOperation::Subscribe => 9,
        RequestedOperation::ChangeCertificate(_) => 10,
    }
}

/// Latencies by powers of two of a microsecond: the last one has all above 2^30 us.
const LATENCIES: usize = 32;

/// Counters since the service began.
pub(super) struct Statistics {
    requests: [AtomicU64; OPERATIONS.len()],
    /// By the number of the result among [`ResultCode::ALL`].
    results: [AtomicU64; RESULTS_MAX],
    dropped: [AtomicU64; DropCause::ALL.len()],
    /// By property and result.
    payload_checks: [[AtomicU64; PayloadResult::ALL.len()]; Subject::ALL.len()],
    latencies: [AtomicU64; LATENCIES],
    signed: AtomicU64,
    reloads: AtomicU64,
    sequence: AtomicU64,
}

const RESULTS_MAX: usize = 64;
const _: () = assert!(ResultCode::ALL.len() <= RESULTS_MAX);

impl Default for Statistics {
    fn default() -> Self {
        Self {
            requests: Default::default(),
            results: [const { AtomicU64::new(0) }; RESULTS_MAX],
            dropped: Default::default(),
            payload_checks: Default::default(),
            latencies: Default::default(),
            signed: AtomicU64::default(),
            reloads: AtomicU64::default(),
            sequence: AtomicU64::default(),
        }
    }
}

impl Statistics {
    pub(super) fn requested(&self, operation: &RequestedOperation) {
        self.requests[place_of(operation)].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a verdict. Returns its number.
    pub(super) fn verified(&self, result: ResultCode, latency: Duration) -> u64 {
        self.results[result as usize].fetch_add(1, Ordering::Relaxed);
        let microseconds = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        let place = (u64::BITS - microseconds.leading_zeros()) as usize;
        self.latencies[place.min(LATENCIES - 1)].fetch_add(1, Ordering::Relaxed);
        self.sequence.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn payload_checked(&self, check: &PayloadCheck) {
        for (subject, result) in check_results(check) {
            let counts = &self.payload_checks[subject as usize];
            counts[result as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn dropped(&self, cause: DropCause) {
        self.dropped[cause as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn signed(&self) {
        self.signed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn reloaded(&self) {
        self.reloads.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns all of it as a JSON object.
    pub(super) fn json(&self, waiting: usize, sockets: Option<serde_json::Value>) -> String {
        let read = |one: &AtomicU64| one.load(Ordering::Relaxed);
        let requests = OPERATIONS.iter().zip(&self.requests);
        let requests = requests.map(|(name, count)| ((*name).to_owned(), read(count).into()));
        let results = ResultCode::ALL.iter();
        let results = results.map(|code| (code.name(), read(&self.results[*code as usize])));
        let results = results.filter(|(_, count)| *count > 0);
        let results = results.map(|(name, count)| (name.to_owned(), count.into()));
        let dropped = DropCause::ALL.iter();
        let dropped = dropped.map(|cause| {
            let count = read(&self.dropped[*cause as usize]);
            (cause_name(*cause).to_owned(), count.into())
        });
        let checks = Subject::ALL.iter().zip(&self.payload_checks);
        let checks = checks.map(|(subject, counts)| {
            let counts = PayloadResult::ALL.iter().zip(counts);
            let counts = counts.map(|(result, count)| (result.name(), read(count)));
            (subject.name().to_owned(), counts.collect())
        });
        let object = |members: serde_json::Map<_, _>| serde_json::Value::Object(members);
        let mut statistics = serde_json::json!({
            "requests": object(requests.collect()),
            "verdicts": object(results.collect()),
            "dropped": object(dropped.collect()),
            "payloadChecks": object(checks.collect()),
            "signed": read(&self.signed),
            "reloads": read(&self.reloads),
            "waiting": waiting,
            "latencyMicroseconds": {
                "median": self.quantile(0.5),
                "99%": self.quantile(0.99),
                "99.9%": self.quantile(0.999),
            },
        });
        if let Some(sockets) = sockets {
            statistics["sockets"] = sockets;
        }
        statistics.to_string()
    }

    /// The latency that this share of the messages had at most, in microseconds, rounded up to a
    /// power of two; `None` without messages.
    fn quantile(&self, share: f64) -> Option<u64> {
        let counts = self.latencies.each_ref();
        let counts = counts.map(|one| one.load(Ordering::Relaxed));
        let all: u64 = counts.iter().sum();
        let wanted = (all as f64 * share).ceil() as u64;
        let mut seen = 0;
        let place = counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        place.filter(|_| all > 0).map(|place| 1 << place)
    }
}

/// Returns the properties of a check with their results.
pub(crate) fn check_results(
    check: &PayloadCheck,
) -> impl Iterator<Item = (Subject, PayloadResult)> + '_ {
    let compared = check.checked.iter().map(|subject| {
        let has_failed = check.failures.iter().any(|one| one.subject() == *subject);
        let result = match has_failed {
            true => PayloadResult::Failed,
            false => PayloadResult::Passed,
        };
        (*subject, result)
    });
    let skipped = check.not_checked.iter();
    compared.chain(skipped.map(|(subject, _)| (*subject, PayloadResult::NotChecked)))
}

/// Returns the name of a cause in statistics and metrics.
pub(crate) fn cause_name(cause: DropCause) -> &'static str {
    match cause {
        DropCause::Outside => "outside",
        DropCause::Expired => "expired",
        DropCause::SenderFull => "senderFull",
        DropCause::QueueFull => "queueFull",
    }
}
