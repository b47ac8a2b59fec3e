//! Verdicts to record, and recordings to look at.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::broadcast;
use waywarden_testkit::Random;
use waywarden_v2x_recording::{RecordFormat, Recording, RecordingCounts, RecordingSettings};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service_protocol::json::encode_response;
use waywarden_v2x_service_protocol::verdict::{Report, VerdictEvent, Verification};
use waywarden_v2x_service_protocol::{Response, ResponseBody};
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, HashedId8, Latitude, Longitude, Psid, ThreeDLocation, Time64,
};

use crate::values::verification;

/// 2026-03-01T12:00:00Z.
pub(super) const NOON: u64 = 699_451_205_000_000;

/// An accepted message with everything that a verdict has.
pub(super) fn accepted(sequence: u64) -> VerdictEvent {
    VerdictEvent {
        sequence,
        received: Time64(NOON + 250_000),
        latency: Duration::from_micros(1_500),
        message: Arc::from(&[0x03, 0x81, 0xFF][..]),
        verification: Arc::new(Verification {
            result: ResultCode::Success,
            report: Report::Success,
            reason: String::new(),
            certificate: None,
            field: Cow::Borrowed(""),
            signer: Some(HashedId8([1, 2, 3, 4, 5, 6, 7, 0xAB])),
            psid: Some(Psid(36)),
            permissions: Some(vec![1, 0, 0]),
            generation_time: Some(Time64(NOON)),
            generation_location: Some(ThreeDLocation {
                latitude: Latitude(481_500_000),
                longitude: Longitude(115_600_000),
                elevation: Elevation(9_296),
            }),
            payload: Some(vec![0x20, 0x50]),
            payload_check: None,
        }),
    }
}

/// A refused message of which nothing else is known.
pub(super) fn refused(sequence: u64) -> VerdictEvent {
    VerdictEvent {
        sequence,
        received: Time64(NOON),
        latency: Duration::from_micros(20),
        message: Arc::from(&[0xFF][..]),
        verification: Arc::new(Verification {
            result: ResultCode::ParsingInvalidInput,
            report: Report::IncompatibleProtocol,
            reason: "byte 0: \"version\": 255\n".to_owned(),
            certificate: None,
            field: Cow::Borrowed("protocolVersion"),
            signer: None,
            psid: None,
            permissions: None,
            generation_time: None,
            generation_location: None,
            payload: None,
            payload_check: None,
        }),
    }
}

/// Any verdict, whether it makes sense or not.
pub(super) fn random(random: &mut Random, sequence: u64) -> VerdictEvent {
    VerdictEvent {
        sequence,
        received: Time64(NOON + 1_000 * sequence + random.below(1_000)),
        latency: Duration::from_micros(random.u64() >> 20),
        message: Arc::from(random.bytes_up_to(400)),
        verification: Arc::new(verification(random)),
    }
}

/// Settings for a folder.
pub(super) fn settings(directory: &Path, format: RecordFormat) -> RecordingSettings {
    RecordingSettings {
        directory: directory.to_owned(),
        format,
        flush: Duration::from_millis(10),
        retry: Duration::from_millis(10),
        ..RecordingSettings::default()
    }
}

/// Records events and ends.
pub(super) fn record(settings: RecordingSettings, events: &[VerdictEvent]) -> RecordingCounts {
    let (sender, receiver) = broadcast::channel(events.len().max(1));
    let recording = Recording::start(settings, receiver).expect("a recording");
    for event in events {
        sender.send(event.clone()).expect("a receiver");
    }
    recording.stop()
}

/// Returns the files of a folder by name.
pub(super) fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("one").path()).collect();
    paths.sort();
    paths
}

/// Returns the names of the files of a folder.
pub(super) fn names(directory: &Path) -> Vec<String> {
    let name = |path: PathBuf| path.file_name().map(|name| name.display().to_string());
    files(directory).into_iter().filter_map(name).collect()
}

/// Waits until something holds, for at most a minute.
pub(super) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the line that a subscriber in the JSON form gets of a verdict.
pub(super) fn event_line(id: u64, lost: u64, event: &VerdictEvent) -> String {
    let event = event.clone();
    let body = Ok(ResponseBody::Event { lost, event });
    let line = encode_response(&Response { id, body }).expect("a line");
    String::from_utf8(line).expect("UTF-8")
}

/// Returns the objects of a file of JSON Lines whose last line may be torn.
pub(super) fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).expect("a file");
    let whole = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let object = |line| serde_json::from_str(line).expect("an object");
    whole.map(object).collect()
}
