//! JSON Lines.

use waywarden_testkit::{Random, cases};
use waywarden_v2x_recording::RecordFormat;
use waywarden_v2x_service_protocol::ResponseBody;
use waywarden_v2x_service_protocol::json::decode_response;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;

use super::events::{accepted, event_line, random, record, refused, settings};

/// Records events and returns the file's text.
fn recorded(events: &[VerdictEvent]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    record(settings(folder.path(), RecordFormat::JsonLines), events);
    let path = folder.path().join("verdicts-000001.jsonl");
    std::fs::read_to_string(path).expect("a file")
}

/// Text of an event's line before its object.
const BEFORE: &str = r#"{"id":1,"status":"ok","operation":"event","lost":0,"event":"#;

#[test]
fn a_line_has_the_documented_fields() {
    let expected = concat!(
        r#"{"sequence":0,"received":{"utc":"2026-03-01T12:00:00.250000Z","tai":699451205250000},"#,
        r#""latencyMicroseconds":1500,"message":"0381ff","verification":{"#,
        r#""result":"success","report":"SUCCESS","signer":"01020304050607ab","psid":36,"#,
        r#""permissions":"010000","#,
        r#""generationTime":{"utc":"2026-03-01T12:00:00Z","tai":699451205000000},"#,
        r#""generationLocation":{"latitude":481500000,"longitude":115600000,"elevation":9296},"#,
        r#""payload":"2050"}}"#,
        "\n",
        r#"{"sequence":1,"received":{"utc":"2026-03-01T12:00:00Z","tai":699451205000000},"#,
        r#""latencyMicroseconds":20,"message":"ff","verification":{"#,
        r#""result":"spduParsingInvalidInput","report":"INCOMPATIBLE_PROTOCOL","#,
        r#""reason":"byte 0: \"version\": 255\n","field":"protocolVersion"}}"#,
        "\n",
    );
    assert_eq!(recorded(&[accepted(0), refused(1)]), expected);
}

#[test]
fn a_line_is_the_event_that_subscribers_get() {
    let mut source = Random::of_test("a_line_is_the_event_that_subscribers_get");
    let events: Vec<VerdictEvent> = (0..cases(200) as u64)
        .map(|sequence| random(&mut source, sequence))
        .collect();
    let text = recorded(&events);
    assert_eq!(text.lines().count(), events.len());
    for (line, event) in text.lines().zip(&events) {
        let response = format!("{BEFORE}{line}}}");
        assert_eq!(response, event_line(1, 0, event).trim_end());
        let body = decode_response(response.as_bytes()).expect("an event").body;
        let event = event.clone();
        assert_eq!(body, Ok(ResponseBody::Event { lost: 0, event }));
    }
}
