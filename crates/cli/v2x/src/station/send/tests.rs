//! Files of `--send`: what is read, and the place of each fault.

use serde_json::json;
use waywarden_testkit::workspace;
use waywarden_v2x_messages::Message;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::{FileContent, MessageOfFile, encode, load, option};

/// A warning of release 2 \[TS 103 831\], about a slippery road.
const WARNING: &str = include_str!("../../../tests/all/neighbourhood/denm2.json");

fn content(text: &str) -> FileContent {
    serde_json::from_str(text).unwrap()
}

/// The reason for which a file is refused.
fn refusal(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("message.json");
    std::fs::write(&path, text).unwrap();
    let options = [option(path.to_str().unwrap()).unwrap()];
    let Err(failure) = load(&options) else {
        panic!("it is taken: {text}");
    };
    let line = failure.lines().join("\n");
    let (_, reason) = line.split_once("message.json").expect("the file is named");
    reason.to_owned()
}

#[test]
fn option_has_a_file_and_a_period() {
    let parsed = |text: &str| {
        let option = option(text).unwrap();
        (option.path.to_str().unwrap().to_owned(), option.period_ms)
    };
    assert_eq!(parsed("a.json"), ("a.json".to_owned(), 1_000));
    assert_eq!(parsed("a.json@100"), ("a.json".to_owned(), 100));
    assert_eq!(parsed("a@b.json"), ("a@b.json".to_owned(), 1_000));
    assert_eq!(parsed("a@b@3600000"), ("a@b".to_owned(), 3_600_000));
    for wrong in [
        "",
        "@100",
        "a@9",
        "a@3600001",
        "a@",
        "a@99999999999999999999",
    ] {
        assert!(option(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn examples_are_encoded_under_their_applications() {
    let folder = workspace().join("examples/v2x/junction");
    for (file, name, port, psid) in [
        ("spatem.json", "SPATEM", 2004, 137),
        ("mapem.json", "MAPEM", 2003, 138),
    ] {
        let path = folder.join(file);
        let options = [option(&format!("{}@250", path.display())).unwrap()];
        let MessageOfFile {
            name: own, message, ..
        } = load(&options).unwrap().remove(0);
        assert_eq!(
            (own, message.port, message.psid),
            (name, Some(port), Psid(psid))
        );
        assert_eq!(message.period_us, 250_000);
        // The bytes say the same as the file.
        let layout = Message::of_kind(name).next().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(layout.read(&message.message).unwrap(), content(&text).value);
    }
    let (name, message) = encode(&content(WARNING)).unwrap();
    assert_eq!(
        (name, message.psid, message.port),
        ("DENM", Psid(37), Some(2002))
    );
}

#[test]
fn file_of_the_message_may_name_another_application() {
    for (psid, number) in [
        (json!(140), 140),
        (json!("0p80-02"), 130),
        (json!("MAPEM"), 138),
    ] {
        let mut file: serde_json::Value = serde_json::from_str(WARNING).unwrap();
        file["psid"] = psid;
        let (_, message) = encode(&content(&file.to_string())).unwrap();
        assert_eq!(message.psid, Psid(number));
    }
}

#[test]
fn refusals_name_file_place_and_remedy() {
    let changed = |path: &str, value: serde_json::Value| {
        let mut file: serde_json::Value = serde_json::from_str(WARNING).unwrap();
        *file.pointer_mut(path).expect(path) = value;
        refusal(&file.to_string())
    };
    let starts = |reason: String, begin: &str| {
        assert!(reason.starts_with(begin), "{reason}\nin place of\n{begin}");
    };
    starts(refusal("{\n\"kind\": \"DENM\",\n"), ":3: EOF while parsing");
    starts(refusal("[]"), ":1: ");
    starts(
        refusal(r#"{"kind": "DENM", "release": 2}"#),
        ":1: missing field `value`",
    );
    starts(
        refusal(r#"{"kind": "DENM", "value": {}, "relase": 2}"#),
        ":1: unknown field `relase`, expected one of `kind`, `release`,",
    );
    starts(
        refusal(r#"{"kind": "DEMN", "value": {}}"#),
        ": kind: DEMN: no kind of message with a layout: give one of CAM, CPM, DENM,",
    );
    starts(
        refusal(r#"{"kind": "DENM", "value": {}}"#),
        ": release: there are DENM of release 1 (EN 302 637-3 V1.3.1), ",
    );
    starts(
        refusal(r#"{"kind": "VAM", "release": 1, "value": {}}"#),
        ": release: VAM of release 1 has no layout: give that of VAM of release 2",
    );
    starts(
        refusal(r#"{"kind": "J2735-MessageFrame", "release": 1, "value": {}}"#),
        ": release: J2735-MessageFrame of release 1 has no layout: give none",
    );
    starts(
        refusal(r#"{"kind": "DENM", "release": 2, "standard": "EN 302 637-3", "value": {}}"#),
        ": standard: the layout of DENM is of TS 103 831 V2.3.1; give this or leave it out",
    );
    starts(
        changed("/value", json!([])),
        ": value: an object is expected",
    );
    starts(
        changed("/value/header/stationId", json!(-1)),
        ": value.header.stationId: -1 is not within 0..4294967295",
    );
    starts(
        changed(
            "/value/header",
            json!({"protocolVersion": 2, "messageID": 1, "stationId": 7}),
        ),
        ": value.header: ",
    );
    starts(
        changed("/value/header/messageId", json!(2)),
        ": value.header.messageId: it is not the number of a DENM",
    );
    let misspelt = changed("/value/denm", json!({"managment": {}}));
    assert!(
        misspelt.contains("value.denm") && misspelt.contains("managment is not known; there are"),
        "{misspelt}"
    );
    let mut file: serde_json::Value = serde_json::from_str(WARNING).unwrap();
    file["psid"] = json!("8002");
    starts(
        refusal(&file.to_string()),
        ": psid: \"8002\" is no application; 8002 may be the decimal PSID 8002 (write 0x1F42)",
    );
}
