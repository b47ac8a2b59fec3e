//! Files of `--send`: what is read, and the place of each fault.

use serde_json::json;
use waywarden_command_line::exit::Failure;
use waywarden_testkit::workspace;
use waywarden_v2x_messages::Message;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::{MessageOfFile, load, option};

/// A warning of release 2 \[TS 103 831\], about a slippery road.
const WARNING: &str = include_str!("../../../tests/all/neighbourhood/denm2.json");

fn loaded(text: &str) -> Result<MessageOfFile, Failure> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("message.json");
    std::fs::write(&path, text).unwrap();
    let options = [option(path.to_str().unwrap()).unwrap()];
    load(&options).map(|mut all| all.remove(0))
}

/// The reason for which a file is refused.
fn refusal(text: &str) -> String {
    let Err(failure) = loaded(text) else {
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
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(layout.read(&message.message).unwrap(), file["value"]);
    }
    // Letters of a kind may be of either case, and without a release it is the one that fits.
    let lower = WARNING.replace("\"DENM\"", "\"denm\"");
    let without = WARNING.replace("\"release\": 2,", "");
    for text in [WARNING, &lower, &without] {
        let MessageOfFile { name, message, .. } = loaded(text).unwrap();
        assert_eq!(
            (name, message.psid, message.port),
            ("DENM", Psid(37), Some(2002))
        );
    }
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
        let MessageOfFile { message, .. } = loaded(&file.to_string()).unwrap();
        assert_eq!(message.psid, Psid(number));
    }
}

fn starts(reason: impl AsRef<str>, begin: &str) {
    let reason = reason.as_ref();
    assert!(reason.starts_with(begin), "{reason}\nin place of\n{begin}");
}

/// The reason for which the warning is refused if a part of it is another one.
fn changed(path: &str, value: serde_json::Value) -> String {
    let mut file: serde_json::Value = serde_json::from_str(WARNING).unwrap();
    *file.pointer_mut(path).expect(path) = value;
    refusal(&file.to_string())
}

#[test]
fn files_of_another_form_are_refused_with_line_or_member() {
    starts(
        refusal("{\n\"kind\": \"DENM\",\n"),
        ":3: not JSON: EOF while parsing",
    );
    starts(
        refusal("{\"kind\": \"DENM\", \"value\": {\"a\": 1,\n\"a\": 2}}"),
        ":2: value.a: the key is given twice",
    );
    starts(
        refusal("[]"),
        ": an object with kind, release and value is expected, not a list without elements",
    );
    starts(
        refusal(&format!("[{WARNING}]")),
        ": an object with kind, release and value is expected, not a list with one element",
    );
    starts(
        refusal(r#"{"kind": "DENM", "release": 2}"#),
        ": an object with kind, release and value is expected: value is missing",
    );
    starts(
        refusal(r#"{"kind": "DENM", "value": {}, "relase": 2}"#),
        ": relase is not known; there are kind, release,",
    );
    starts(
        refusal(r#"{"kind": ["DENM"], "value": {}}"#),
        ": kind: a text is expected, not a list with one element",
    );
    starts(
        refusal(r#"{"kind": "DEMN", "value": {}}"#),
        ": kind: DEMN: no kind of message with a layout: give one of CAM, CPM, DENM,",
    );
    starts(
        refusal(r#"{"kind": "DENM", "value": {}}"#),
        ": value: not DENM of release 1 (EN 302 637-3 V1.3.1): header is missing; not DENM of ",
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
        ": standard: no layout of this DENM is of EN 302 637-3: give TS 103 831 V2.3.1 or leave it \
         out",
    );
}

#[test]
fn refusals_name_file_place_and_remedy() {
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
        ": value.header.messageId: 2 is not the number of a DENM, which is 1",
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
    file["psid"] = json!([37]);
    starts(
        refusal(&file.to_string()),
        ": psid: an application is expected: its number, or as text a name or a number",
    );
}
