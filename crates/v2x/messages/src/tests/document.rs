//! Messages as JSON documents: each key once, members that are known, the standard of the layout.

use serde_json::{Value, json};

use crate::{Message, MessageDocument, MessageError, decode, parse_json};

fn refused(text: &str) -> (usize, String) {
    let error = parse_json(text.as_bytes()).expect_err(text);
    assert_eq!(
        error.to_string(),
        format!("line {}: {}", error.line(), error.reason())
    );
    (error.line(), error.reason().to_owned())
}

#[test]
fn a_key_that_is_given_twice_is_refused_with_its_path() {
    for (text, line, path) in [
        ("{\"a\": 1, \"a\": 1}", 1, "a"),
        (
            "{\"value\": {\n\"b\": [1, {\"c\": 2,\n\"c\": 3}]}}",
            3,
            "value.b[1].c",
        ),
        ("[[{}, {\"x\": {}, \"x\": []}]]", 1, "[0][1].x"),
        ("{\"a\": {\"...\": 1, \"...\": 2}}", 1, "a[\"...\"]"),
        // Keys are what they mean, not how they are written.
        ("{\"a\": 1, \"\\u0061\": 1}", 1, "a"),
        ("{\"a\\u001b\": 1, \"a\\u001b\": 1}", 1, "a\\u{1b}"),
    ] {
        let reason = format!("{path}: the key is given twice");
        assert_eq!(refused(text), (line, reason), "{text}");
    }
    let fault = |text| refused(text).1;
    assert!(fault("").starts_with("not JSON: EOF while parsing"));
    assert!(fault("{} {}").starts_with("not JSON: trailing characters"));
    assert!(fault(&"[".repeat(200)).starts_with("not JSON: recursion limit exceeded"));
    assert_eq!(refused("{\n\n\"kind\" 5}").0, 3);
}

#[test]
fn text_with_each_key_once_is_read_as_by_others() {
    for text in [
        "null",
        " [true, false, null, -1, 18446744073709551615, 0.1, 1e300, \"\\ud83d\\ude00\"] ",
        "{\"a\": {\"a\": {\"a\": []}}, \"b\": {\"a\": {}}}",
    ] {
        let expected: Value = serde_json::from_str(text).expect(text);
        assert_eq!(parse_json(text.as_bytes()), Ok(expected), "{text}");
    }
}

#[test]
fn the_document_of_each_message_is_encoded_again() {
    for message in Message::all() {
        let bytes = message.write(&message.example()).expect("the example");
        let decoded = decode(&bytes, Some(message.kind()), message.release());
        let text = decoded.expect("the example").to_json().to_string();
        let document = parse_json(text.as_bytes()).expect("JSON");
        let document = MessageDocument::of(&document).expect("a document");
        assert_eq!(
            document.encode().map(|(_, bytes)| bytes),
            Ok(bytes),
            "{text}"
        );
    }
}

#[test]
fn members_that_are_not_of_the_form_are_refused() {
    let fault = |document: Value| {
        let error = MessageDocument::of(&document).expect_err("no document");
        error.to_string()
    };
    let form = "an object with kind, release and value is expected";
    assert_eq!(
        fault(json!([1])),
        format!("{form}, not a list with one element")
    );
    assert_eq!(
        fault(json!({ "value": 1 })),
        format!("{form}: kind is missing")
    );
    assert_eq!(
        fault(json!({ "kind": "CAM" })),
        format!("{form}: value is missing")
    );
    let with = |name: &str, given: Value| {
        let mut document = json!({ "kind": "CAM", "value": {} });
        document[name] = given;
        document
    };
    assert_eq!(
        fault(with("relase", json!(1))),
        "relase is not known; there are kind, release, standard, psid, value, parts, remark"
    );
    assert_eq!(
        fault(with("kind", json!(5))),
        "kind: a text is expected, not 5"
    );
    assert_eq!(
        fault(with("release", json!("x"))),
        "release: 1 or 2 is expected, not \"x\""
    );
    assert_eq!(
        fault(with("release", json!(256))),
        "release: 1 or 2 is expected, not 256"
    );
    assert_eq!(
        fault(with("standard", json!({}))),
        "standard: a text is expected, not an object without members"
    );
    let document = with("release", Value::Null);
    let document = MessageDocument::of(&document).expect("a document");
    assert_eq!((document.kind, document.release), ("CAM", None));
}

#[test]
fn the_standard_is_that_of_the_layout() {
    let value = Message::find("CAM", Some(1)).expect("a layout").example();
    let encoded = |kind: &str, release: Option<u8>, standard: &str| {
        let document = json!({
            "kind": kind, "release": release, "standard": standard, "value": value,
        });
        let document = MessageDocument::of(&document).expect("a document");
        let encoded = document.encode().map(|(message, _)| message.standard());
        encoded.map_err(|error| (error.code(), error.in_document()))
    };
    let own = "EN 302 637-2 V1.4.1";
    assert_eq!(encoded("CAM", None, own), Ok(own));
    // Letters of a kind may be of either case.
    assert_eq!(encoded("cam", Some(1), own), Ok(own));
    let other = encoded("CAM", Some(1), "TS 103 900 V2.3.1").expect_err("of release 2");
    assert_eq!(
        other,
        (
            "standard",
            "standard: no layout of this CAM is of TS 103 900 V2.3.1: give EN 302 637-2 V1.4.1 or \
             leave it out"
                .to_owned()
        )
    );
    // The version in the header is that of another layout.
    assert_eq!(
        encoded("CAM", Some(1), "EN 302 637-2 V1.3.2").map_err(|one| one.0),
        Err("standard")
    );
    // The standard names the release.
    let (code, fault) = encoded("CAM", None, "TS 103 900 V2.3.1").expect_err("of release 2");
    assert_eq!(code, "value");
    assert!(
        fault.starts_with("value.") && !fault.contains("not CAM"),
        "{fault}"
    );
}

#[test]
fn a_fault_names_the_member_that_it_is_about() {
    let fault = |document: Value| {
        let document = MessageDocument::of(&document).expect("a document");
        let error: MessageError = document.encode().expect_err("a fault");
        error.in_document()
    };
    let starts = |document: Value, begin: &str| {
        let fault = fault(document);
        assert!(fault.starts_with(begin), "{fault}");
    };
    starts(
        json!({ "kind": "DEMN", "value": 1 }),
        "kind: DEMN: no kind of message",
    );
    starts(
        json!({ "kind": "VAM", "release": 1, "value": 1 }),
        "release: VAM of release 1 has no layout: give that of",
    );
    starts(
        json!({ "kind": "VAM", "value": 1 }),
        "value: an object is expected, not 1",
    );
    starts(
        json!({ "kind": "VAM", "value": { "header": { "stationId": 1 } } }),
        "value.header: protocolVersion is missing",
    );
    starts(
        json!({ "kind": "DENM", "value": {} }),
        "value: not DENM of release 1 (EN 302 637-3 V1.3.1): header is missing; not DENM of \
         release 2 (TS 103 831 V2.3.1): header is missing",
    );
}
