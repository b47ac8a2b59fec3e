//! Metrics: names, labels and values as Prometheus reads them.

use std::time::Duration;

use waywarden_v2x_schedule::DropCause;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::engine::Observer as _;
use waywarden_v2x_service::metrics::{Metrics, RecordingForm};
use waywarden_v2x_service_protocol::Status;
use waywarden_v2x_time::UntrustedTime;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

#[test]
fn every_event_is_counted_under_its_name() {
    let metrics = Metrics::new();
    metrics.answered("sign", Status::Ok);
    metrics.answered("sign", Status::TimeNotTrusted);
    metrics.verified(ResultCode::Success, Duration::from_millis(3));
    metrics.waiting(7);
    metrics.dropped(DropCause::QueueFull);
    metrics.signed(Duration::from_micros(80));
    metrics.set_connections(2);
    metrics.set_time(Some(UntrustedTime::StaleFix), None);
    let id = HashedId8([0xAB; 8]);
    metrics.set_certificates([("old", id, 1)].into_iter());
    metrics.set_certificates([("car", id, 1_800_000_000)].into_iter());
    metrics.recordings_lost(RecordingForm::Mcap, 3);
    metrics.reloaded(false);
    let text = metrics.text();
    for line in [
        "waywarden_requests_total{operation=\"sign\",status=\"ok\"} 1",
        "waywarden_requests_total{operation=\"sign\",status=\"timeNotTrusted\"} 1",
        "waywarden_verdicts_total{result=\"success\"} 1",
        "waywarden_verification_seconds_bucket{le=\"0.0025\"} 0",
        "waywarden_verification_seconds_bucket{le=\"0.005\"} 1",
        "waywarden_queue_messages 7",
        "waywarden_dropped_total{cause=\"queueFull\"} 1",
        "waywarden_dropped_total{cause=\"expired\"} 0",
        "waywarden_signing_seconds_bucket{le=\"0.0001\"} 1",
        "waywarden_connections 2",
        "waywarden_time_trusted 0",
        "waywarden_time_distrust{reason=\"staleFix\"} 1",
        "waywarden_time_distrust{reason=\"jump\"} 0",
        "waywarden_certificate_end_seconds{name=\"car\",id=\"abababababababab\"} 1800000000.0",
        "waywarden_recordings_lost_total{form=\"mcap\"} 3",
        "waywarden_reloads_total{outcome=\"failure\"} 1",
        "waywarden_reloads_total{outcome=\"success\"} 0",
        concat!(
            "waywarden_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\"} 1"
        ),
        "# EOF",
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    assert!(!text.contains("name=\"old\""), "{text}");
}

#[test]
fn trusted_time_has_no_reason_against_it() {
    let metrics = Metrics::new();
    metrics.set_time(None, None);
    let text = metrics.text();
    assert!(text.contains("waywarden_time_trusted 1"), "{text}");
    let reasons = text
        .lines()
        .filter(|line| line.starts_with("waywarden_time_distrust{"));
    assert_eq!(reasons.filter(|line| line.ends_with(" 0")).count(), 8);
    // A reason against a time that is used nevertheless.
    metrics.set_time(None, Some(UntrustedTime::SystemClockDiffers));
    let text = metrics.text();
    for line in [
        "waywarden_time_trusted 0",
        "waywarden_time_used 1",
        "waywarden_time_distrust{reason=\"systemClockDiffers\"} 1",
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
}
