//! Payloads beside the certificate of their signer, as clients and counters get the result.

use std::sync::Arc;

use serde_json::{Value, json};
use waywarden_testkit::bytes_of;
use waywarden_v2x_pki::{GeographicPoint, Region};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::engine::{Engine, EngineSettings, VerificationSettings};
use waywarden_v2x_service::metrics::Metrics;
use waywarden_v2x_service_protocol::verdict::{PayloadResult, Report, Verification};
use waywarden_v2x_service_protocol::{RequestedOperation, ResponseBody, VerifyRequest};
use waywarden_v2x_time::TimeSource;
use waywarden_v2x_wire::ieee1609dot2::Duration;

use super::world;
use crate::support::{ask, cam, signed};

/// A CAM of a roadside unit in Modena.
const MODENA: &str = "020200000007000000fa08300e0e399afa000000000000000080";
/// The same, 570 km to the north.
const FAR: &str = "020200000007000000fa8ac678ce175997600000000000000080";
/// The CAM in Modena, with a container of emergency vehicles.
const EMERGENCY: &str = "020200000007000020fa08300e0e399afa00000000000000008a00";

/// Engine of a vehicle that may send no special container, in 50 km around Modena.
fn engine(payload_check: bool) -> (Engine, Arc<Metrics>) {
    let (mut world, time) = world();
    let centre = GeographicPoint {
        latitude: 446_470_000,
        longitude: 109_250_000,
    };
    world.region = Some(Region::Circle(centre, 50_000));
    let materials = world.materials_permitting(Duration::Hours(2), &[1, 0, 0]);
    let time: Arc<dyn TimeSource> = time;
    let settings = EngineSettings {
        verification: VerificationSettings {
            payload_check,
            ..VerificationSettings::default()
        },
        ..EngineSettings::default()
    };
    let metrics = Arc::new(Metrics::new());
    let observer = Arc::<Metrics>::clone(&metrics);
    let engine = Engine::start(materials, settings, time, observer).unwrap();
    (engine, metrics)
}

fn verdict(engine: &Engine, payload: &str, reports_payload_check: bool) -> Verification {
    let message = signed(engine, cam(&bytes_of(payload))).unwrap();
    let operation = RequestedOperation::Verify(VerifyRequest {
        message,
        psid: None,
        reports_payload_check,
    });
    match ask(engine, &Grant::default(), operation).unwrap() {
        ResponseBody::Verified(verification) => verification,
        other => panic!("{other:?}"),
    }
}

fn statistics(engine: &Engine) -> Value {
    match ask(engine, &Grant::default(), RequestedOperation::Statistics).unwrap() {
        ResponseBody::Statistics(json) => serde_json::from_str(&json).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn counts(not_checked: u64, passed: u64, failed: u64) -> Value {
    json!({"notChecked": not_checked, "passed": passed, "failed": failed})
}

#[test]
fn payload_outside_of_its_certificate_is_not_accepted_and_counted() {
    let (engine, metrics) = engine(true);
    for (payload, fault) in [
        (
            FAR,
            "the place 51.4935494, 9.1290299 is outside the certificate's region",
        ),
        (EMERGENCY, "the SSP does not permit emergency"),
    ] {
        let verdict = verdict(&engine, payload, false);
        assert_eq!(verdict.result, ResultCode::Success);
        assert!(!verdict.is_accepted());
        let text = verdict.payload_fault().unwrap();
        assert!(text.starts_with(fault), "{text}");
        assert_eq!(verdict.payload, None);
        assert_ne!(verdict.report, Report::Success);
    }
    assert!(verdict(&engine, MODENA, false).is_accepted());
    let checks = &statistics(&engine)["payloadChecks"];
    assert_eq!(checks["place"], counts(0, 2, 1));
    assert_eq!(checks["permissions"], counts(0, 2, 1));
    assert_eq!(checks["application"], counts(0, 3, 0));
    let text = metrics.text();
    let failed = "waywarden_payload_checks_total{property=\"place\",result=\"failed\"} 1";
    assert!(text.lines().any(|line| line == failed), "{text}");
}

#[test]
fn accepted_payload_reports_what_was_compared_if_the_request_asks() {
    // An older client, which does not ask, must not meet a field that it refuses.
    let silent = verdict(&engine(true).0, MODENA, false);
    assert!(silent.is_accepted());
    assert_eq!(silent.payload_check, None);
    let (engine, _) = engine(true);
    let verdict = |payload| *verdict(&engine, payload, true).payload_check.unwrap();
    let passed = verdict(MODENA);
    assert_eq!(passed.result, PayloadResult::Passed);
    assert_eq!(
        passed.text,
        "checked application, place, permissions, station-type"
    );
    let other = verdict("00");
    assert_eq!(other.result, PayloadResult::NotChecked);
    assert!(
        other.text.starts_with("application not checked: "),
        "{}",
        other.text
    );
    assert_eq!(verdict(FAR).result, PayloadResult::Failed);
}

#[test]
fn payload_is_not_checked_where_the_configuration_says_so() {
    let (engine, _) = engine(false);
    let verdict = verdict(&engine, FAR, true);
    assert!(verdict.is_accepted());
    assert_eq!(verdict.payload_check, None);
    let checks = &statistics(&engine)["payloadChecks"];
    assert_eq!(checks["place"]["failed"], 0);
}
