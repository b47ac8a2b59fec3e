//! Answers of each path, and refusals with their statuses.

use std::time::Duration;

use serde_json::{Value, json};
use waywarden_v2x_service::server::http::HttpSettings;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::{Running, settings};

#[test]
fn sign_answers_as_us_signing_services_do() {
    let running = Running::new(settings());
    // "payload"; what jpo-ode sends, and what jpo-security-svcs sends on.
    for validity in [json!(3600), json!("3600")] {
        let body = json!({"message": "cGF5bG9hZA==", "sigValidityOverride": validity});
        let (status, answer) = running.post("/sign", &body);
        assert_eq!(status, 200);
        let expected = json!({
            "message-signed": "A4EAcGF5bG9hZA==",
            "message-expiry": 1_795_415_195,
            "messageSigned": "A4EAcGF5bG9hZA==",
            "messageExpiry": "1795415195",
        });
        assert_eq!(answer, expected);
        let signed = running.stub.last.lock().unwrap().take().unwrap();
        assert_eq!(signed.payload, b"payload");
        assert_eq!(signed.lifetime, Some(Duration::from_secs(3600)));
    }
    for default in [
        json!({"message": ""}),
        json!({"message": "", "sigValidityOverride": 0}),
    ] {
        assert_eq!(running.post("/sign", &default).0, 200);
        let signed = running.stub.last.lock().unwrap().take().unwrap();
        assert_eq!((signed.psid, signed.lifetime), (Psid(131), None));
    }
}

/// The request of V2X-Hub's plugin for immediate forwarding, which knows a refusal by `code`.
#[test]
fn sign_answers_the_plugin_of_v2x_hub() {
    let types = [("map".to_owned(), Psid(131)), ("tim".to_owned(), Psid(7))];
    let running = Running::new(HttpSettings {
        sign_types: types.into_iter().collect(),
        ..settings()
    });
    let body = |kind: &str| json!({"type": kind, "message": "cGF5bG9hZA=="});
    let (status, answer) = running.post("/sign", &body("map"));
    assert_eq!(
        (status, &answer["signedMessage"]),
        (200, &json!("A4EAcGF5bG9hZA=="))
    );
    assert!(answer.get("code").is_none(), "{answer}");
    let signed = running.stub.last.lock().unwrap().take().unwrap();
    assert_eq!(
        (signed.psid, &signed.payload[..]),
        (Psid(131), &b"payload"[..])
    );
    for (kind, code) in [("tim", 403), ("spat", 400)] {
        let (status, answer) = running.post("/sign", &body(kind));
        assert_eq!((status, &answer["code"]), (code, &json!(code)), "{answer}");
        assert_eq!(answer["message"], answer["reason"]);
    }
}

#[test]
fn verify_answers_verdict_and_payload() {
    let running = Running::new(settings());
    let (status, answer) = running.post("/verify", &json!({"message": "A4EAcGF5bG9hZA=="}));
    let expected = json!({
        "verification": {"result": "success", "report": "SUCCESS", "psid": 32},
        "payload": "cGF5bG9hZA==",
    });
    assert_eq!((status, answer), (200, expected.clone()));

    let head = "POST /verify HTTP/1.1\r\nContent-Type: application/octet-stream\r\n";
    let (status, _, body) = running.ask(head, b"\x03\x81\x00payload");
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, answer), (200, expected));

    let (status, _, body) = running.ask(head, b"payload");
    let answer: Value = serde_json::from_slice(&body).unwrap();
    let expected = json!({"verification": {
        "result": "inconsistentInputParameters",
        "report": "UNSIGNED_MESSAGE",
        "reason": "not signed data",
        "field": "content",
    }});
    assert_eq!((status, answer), (200, expected));
}

#[test]
fn metrics_and_health_are_served() {
    let running = Running::new(settings());
    let (status, head, body) = running.ask("GET /metrics HTTP/1.1\r\n", b"");
    assert_eq!(
        (status, &body[..]),
        (200, &b"waywarden_messages_total 1\n# EOF\n"[..])
    );
    assert!(
        head.contains("content-type: application/openmetrics-text"),
        "{head}"
    );
    let (status, _, body) = running.ask("GET /health HTTP/1.1\r\n", b"");
    assert_eq!((status, &body[..]), (200, &b"{\"works\":true}"[..]));
}

#[test]
fn what_is_wrong_is_refused_by_status_with_a_reason() {
    let running = Running::new(settings());
    for (line, expected) in [
        ("GET / HTTP/1.1", 404),
        ("GET /sign HTTP/1.1", 405),
        ("PUT /verify HTTP/1.1", 405),
        ("POST /metrics HTTP/1.1", 405),
        ("POST /verify HTTP/1.1", 400),
        ("POST /sign HTTP/1.1", 401),
    ] {
        let (status, _, body) = running.ask(&format!("{line}\r\n"), b"");
        assert_eq!(status, expected, "{line}");
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert!(!answer["reason"].as_str().unwrap().is_empty());
    }
    let counted: Vec<_> = running.statistics.http_refused().collect();
    let expected = [(400, 1), (401, 1), (404, 1), (405, 3), (408, 0), (413, 0)];
    assert_eq!(counted, expected);
    for (body, reason) in [
        (json!({"message": "AA=="  , "pisd": 1}), "`pisd`"),
        (json!({"message": "not base64"}), "base64"),
        (
            json!({"message": "AA==", "sigValidityOverride": "soon"}),
            "sigValidityOverride",
        ),
        (json!({}), "`message`"),
        (json!([]), "JSON object"),
    ] {
        let (status, answer) = running.post("/sign", &body);
        assert_eq!(status, 400, "{body}");
        let text = answer["reason"].as_str().unwrap();
        assert!(text.contains(reason), "{text}");
    }
}

#[test]
fn the_case_of_a_content_type_does_not_matter() {
    let running = Running::new(settings());
    let head = "POST /verify HTTP/1.1\r\nContent-Type: Application/Octet-Stream\r\n";
    assert_eq!(running.ask(head, &[3, 129]).0, 200);
}
