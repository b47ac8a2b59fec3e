//! JSON Lines.

use serde_json::{Map, Value, json};
use waywarden_testkit::{Random, cases, hex_of};
use waywarden_v2x_security::time::Civil;
use waywarden_v2x_service::recording::Format;
use waywarden_v2x_service::verdict::{Report, VerdictEvent};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::events::{accepted, files, lines, random, record, refused, settings};

#[test]
fn a_line_has_the_documented_fields() {
    let folder = tempfile::tempdir().expect("a folder");
    record(
        settings(folder.path(), Format::JsonLines),
        &[accepted(0), refused(1)],
    );
    let expected = concat!(
        r#"{"sequence":0,"received":"2026-03-01T12:00:00.250000Z","#,
        r#""receivedMicroseconds":699451205250000,"latencyMicroseconds":1500,"accepted":true,"#,
        r#""verdict":"success","report":"SUCCESS","signer":"01020304050607ab","psid":36,"#,
        r#""permissions":"010000","generationTime":"2026-03-01T12:00:00Z","#,
        r#""generationTimeMicroseconds":699451205000000,"#,
        r#""generationLocation":{"latitude":481500000,"longitude":115600000,"elevation":9296},"#,
        r#""message":"0381ff","payload":"2050"}"#,
        "\n",
        r#"{"sequence":1,"received":"2026-03-01T12:00:00Z","#,
        r#""receivedMicroseconds":699451205000000,"latencyMicroseconds":20,"accepted":false,"#,
        r#""verdict":"spduParsingInvalidInput","report":"INCOMPATIBLE_PROTOCOL","#,
        r#""reason":"byte 0: \"version\": 255\n","field":"protocolVersion","message":"ff"}"#,
        "\n",
    );
    let path = folder.path().join("verdicts-000001.jsonl");
    assert_eq!(std::fs::read_to_string(path).expect("a file"), expected);
}

#[test]
fn every_field_of_json_lines_comes_back() {
    let mut source = Random::of_test("every_field_of_json_lines_comes_back");
    let events: Vec<VerdictEvent> = (0..cases(200) as u64)
        .map(|sequence| random(&mut source, sequence))
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    record(settings(folder.path(), Format::JsonLines), &events);
    let read: Vec<Value> = files(folder.path())
        .iter()
        .flat_map(|path| lines(path))
        .collect();
    let expected: Vec<Value> = events.iter().map(fields).collect();
    assert_eq!(read, expected);
}

fn fields(event: &VerdictEvent) -> Value {
    let of = &event.verification;
    let utc =
        |time: Time64| Civil::of(time).map_or_else(|| time.0.to_string(), |at| at.to_string());
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| {
        let is_absent = value.is_null() || value == "";
        (!is_absent).then(|| fields.insert(name.to_owned(), value));
    };
    set("sequence", json!(event.sequence));
    set("received", json!(utc(event.received)));
    set("receivedMicroseconds", json!(event.received.0));
    set(
        "latencyMicroseconds",
        json!(event.latency.as_micros() as u64),
    );
    set("accepted", json!(of.is_accepted()));
    set("verdict", json!(of.result.name()));
    set("report", json!(upper(of.report)));
    set("reason", json!(of.reason));
    set("certificate", json!(of.certificate.map(|id| hex_of(&id.0))));
    set("field", json!(of.field));
    set("signer", json!(of.signer.map(|id| hex_of(&id.0))));
    set("psid", json!(of.psid.map(|psid| psid.0)));
    set("generationTime", json!(of.generation_time.map(utc)));
    set(
        "generationTimeMicroseconds",
        json!(of.generation_time.map(|at| at.0)),
    );
    let place = of.generation_location.map(|place| {
        json!({
            "latitude": place.latitude.0,
            "longitude": place.longitude.0,
            "elevation": place.elevation.0,
        })
    });
    set("generationLocation", json!(place));
    let mut bytes = |name: &str, bytes: Option<&[u8]>| {
        bytes.map(|bytes| fields.insert(name.to_owned(), json!(hex_of(bytes))));
    };
    bytes("permissions", of.permissions.as_deref());
    bytes("message", Some(&event.message));
    bytes("payload", of.payload.as_deref());
    Value::Object(fields)
}

/// `FalseSignature` is `FALSE_SIGNATURE`.
fn upper(report: Report) -> String {
    let name = format!("{report:?}");
    let mut upper = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            upper.push('_');
        }
        upper.extend(letter.to_uppercase());
    }
    upper
}
