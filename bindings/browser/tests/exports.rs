//! The functions of the module, called as a page calls them.
#![allow(unsafe_code)]

use std::fs;
use std::slice;

use serde_json::Value;
use waywarden_browser::answer::Answer;
use waywarden_browser::exports::{
    waywarden_allocate, waywarden_answer_free, waywarden_answer_is_given, waywarden_answer_length,
    waywarden_answer_part, waywarden_check, waywarden_free, waywarden_inspect, waywarden_run,
    waywarden_schema, waywarden_verify,
};
use waywarden_testkit::workspace;

/// A text in memory of the module.
struct Given(*mut u8, usize);

impl Given {
    fn of(text: impl AsRef<[u8]>) -> Self {
        let text = text.as_ref();
        let at = waywarden_allocate(text.len());
        assert!(!at.is_null());
        unsafe { slice::from_raw_parts_mut(at, text.len()) }.copy_from_slice(text);
        Self(at, text.len())
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        unsafe { waywarden_free(self.0, self.1) }
    }
}

/// Reads an answer and frees it: its parts, or its faults.
fn taken(answer: *mut Answer) -> Result<Vec<String>, Value> {
    let mut parts = Vec::new();
    unsafe {
        let is_given = waywarden_answer_is_given(answer) == 1;
        while let part = waywarden_answer_part(answer, parts.len())
            && !part.is_null()
        {
            let length = waywarden_answer_length(answer, parts.len());
            let bytes = slice::from_raw_parts(part, length);
            parts.push(String::from_utf8(bytes.to_vec()).expect("it is UTF-8"));
        }
        assert_eq!(waywarden_answer_length(answer, parts.len()), 0);
        waywarden_answer_free(answer);
        match is_given {
            true => Ok(parts),
            false => Err(json(&parts[0])),
        }
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

fn example(path: &str) -> String {
    fs::read_to_string(workspace().join("examples").join(path)).expect(path)
}

fn run(text: &str, options: &str) -> Result<Vec<String>, Value> {
    let (text, options) = (Given::of(text), Given::of(options));
    taken(unsafe { waywarden_run(text.0, text.1, options.0, options.1) })
}

fn check(text: &str, options: &str) -> Result<Vec<String>, Value> {
    let (text, options) = (Given::of(text), Given::of(options));
    taken(unsafe { waywarden_check(text.0, text.1, options.0, options.1) })
}

fn verify(pasted: &str, trusted: &str, options: &str) -> Result<Value, Value> {
    let (pasted, trusted) = (Given::of(pasted), Given::of(trusted));
    let options = Given::of(options);
    let answer = unsafe {
        waywarden_verify(
            pasted.0, pasted.1, trusted.0, trusted.1, options.0, options.1,
        )
    };
    taken(answer).map(|parts| json(&parts[0]))
}

/// The certificates of the example as lines.
fn trust() -> String {
    let folder = workspace().join("examples/v2x/trust");
    let files = ["authority.oer", "root.oer"].map(|name| fs::read(folder.join(name)).expect(name));
    let lines = files.iter().map(|bytes| {
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        digits.collect::<String>() + "\n"
    });
    lines.collect()
}

#[test]
fn a_run_has_the_parts_that_were_asked_for() {
    let text = example("minimal.toml");
    let plain = run(&text, "{}").unwrap();
    assert_eq!(json(&plain[0])["schema"], "waywarden/run/1");
    assert!(plain[1].is_empty() && plain[2].is_empty() && plain[3] == "[]");
    let options = r#"{"duration_ms": 500, "seed": "18446744073709551615", "page": true,
        "time_line_ms": [100, 120], "name": "car.toml"}"#;
    let parts = run(&text, options).unwrap();
    let document = json(&parts[0]);
    assert_eq!(document["duration_ms"], 500.0);
    assert_eq!(document["seed"], u64::MAX);
    assert!(parts[0].contains("\"car.toml:"));
    assert!(parts[1].starts_with("<!DOCTYPE html>") && parts[1].contains("EngineSpeed"));
    let events = json(&parts[2])["traceEvents"].as_array().unwrap().len();
    assert!(events > 4, "{events}");
}

#[test]
fn faults_have_their_lines() {
    let text = example("minimal.toml").replace("period =", "perod =");
    let faults = check(&text, "{}").unwrap_err();
    let line = text.lines().position(|line| line.starts_with("perod"));
    let line = line.unwrap() + 1;
    let faults = faults["faults"].as_array().unwrap();
    let found = faults.iter().find(|fault| fault["line"] == line).unwrap();
    assert!(found["text"].as_str().unwrap().contains("did you mean"));
    let faults = check("[[bus]\n", "{}").unwrap_err();
    assert_eq!(faults["faults"][0]["line"], 1);
    assert!(check("", "{}").is_err());
}

#[test]
fn a_check_sums_the_vehicle_up() {
    let summary = json(&check(&example("compact-car.toml"), "{}").unwrap()[0]);
    assert_eq!(summary["name"], "compact-car");
    assert_eq!(summary["buses"].as_array().unwrap().len(), 3);
}

#[test]
fn options_that_cannot_be_are_refused() {
    let text = example("minimal.toml");
    for options in [
        "",
        "[]",
        r#"{"sead": 1}"#,
        r#"{"seed": "-1"}"#,
        r#"{"duration_ms": 0}"#,
        r#"{"duration_ms": 1e300}"#,
        r#"{"duration_ms": -5}"#,
        r#"{"time_line_ms": [5, 5]}"#,
        r#"{"time_line_ms": [0, 1001]}"#,
    ] {
        let faults = run(&text, options).unwrap_err();
        assert!(faults["faults"][0]["line"].is_null(), "{options}: {faults}");
    }
}

#[test]
fn files_that_a_vehicle_names_come_from_the_page() {
    let text = example("minimal.toml").replacen(
        "name = \"engine\"",
        "name = \"engine\"\nboard = \"boards/mine.toml\"",
        1,
    );
    let faults = check(&text, "{}").unwrap_err();
    let fault = faults["faults"][0]["text"].as_str().unwrap();
    assert!(fault.contains("boards/mine.toml"), "{fault}");
    let board = fs::read_to_string(workspace().join("crates/base/boards/data/m4.toml"));
    let options = serde_json::json!({ "files": { "mine.toml": board.unwrap() } });
    check(&text, &options.to_string()).unwrap();
    let broken = serde_json::json!({ "files": { "mine.toml": "name = 7" } });
    let faults = check(&text, &broken.to_string()).unwrap_err();
    assert!(faults["faults"][0]["line"].is_u64(), "{faults}");
}

#[test]
fn messages_are_judged_at_the_time_that_is_given() {
    let options = r#"{"at": "generation", "now": "2030-01-01T00:00:00Z"}"#;
    let verified = verify(&example("v2x/messages.hex"), &trust(), options).unwrap();
    let verdicts = verified["verdicts"].as_array().unwrap();
    assert_eq!((verdicts.len(), &verified["anchors"]), (4, &1.into()));
    assert!(verdicts.iter().all(|one| one["accepted"] == true));
    let later = r#"{"at": "2030-01-01T00:00:00Z", "now": "2030-01-01T00:00:00Z"}"#;
    let verified = verify(&example("v2x/messages.hex"), &trust(), later).unwrap();
    let verdicts = verified["verdicts"].as_array().unwrap();
    assert!(verdicts.iter().all(|one| one["accepted"] == false));
    let verified = verify(&example("v2x/altered.hex"), &trust(), options).unwrap();
    assert_eq!(verified["verdicts"][0]["signature_valid"], false);
    let verified = verify(&example("v2x/messages.hex"), "", options).unwrap();
    assert_eq!(verified["anchors"], 0);
    assert_eq!(verified["verdicts"][0]["accepted"], false);
    // In the clear, without a time of its own.
    verify("0381004003800443414d20", "", options).unwrap();
}

#[test]
fn what_is_no_message_or_time_is_refused() {
    let options = r#"{"at": "generation", "now": "2030-01-01T00:00:00Z"}"#;
    assert!(verify("", "", options).is_err());
    assert!(verify(&example("v2x/messages.hex"), "00", options).is_err());
    for options in [
        "{}",
        r#"{"at": "now", "now": "2030-01-01T00:00:00Z"}"#,
        r#"{"at": "2030", "now": "x"}"#,
    ] {
        assert!(
            verify(&example("v2x/messages.hex"), "", options).is_err(),
            "{options}"
        );
    }
}

#[test]
fn fields_are_shown_with_their_places() {
    let pasted = Given::of(example("v2x/messages.hex") + "0381\n");
    let parts = taken(unsafe { waywarden_inspect(pasted.0, pasted.1) }).unwrap();
    let rows = json(&parts[0]);
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 5);
    assert!(rows[0]["tree_text"].as_str().unwrap().contains("psid"));
    assert!(rows[4]["error"].is_string());
}

#[test]
fn messages_are_shown_with_release_and_standard() {
    let cam = "0202f37248b4ea00005a8ac678ce175997623022c6de3e239658ad00e0defe02c68a3f33f401ffba203f\
        ff945980";
    let pasted = Given::of(cam);
    let parts = taken(unsafe { waywarden_inspect(pasted.0, pasted.1) }).unwrap();
    let row = &json(&parts[0])[0];
    let layer = &row["payload"][0];
    assert_eq!(layer["kind"], "CAM");
    assert_eq!(layer["release"], 1);
    assert_eq!(layer["standard"], "EN 302 637-2 V1.4.1");
    assert!(layer["remark"].as_str().unwrap().contains("of release 2"));
    assert_eq!(layer["value"]["header"]["messageID"], 2);
    let tree = row["tree_text"].as_str().unwrap();
    assert!(
        tree.contains("CAM, release 1, EN 302 637-2 V1.4.1"),
        "{tree}"
    );
}

#[test]
fn any_bytes_have_an_answer() {
    for bytes in [
        &b"\xFF\xFE"[..],
        b"\0",
        b"{\"",
        b"[vehicle]\nname = \"\xC3\"",
    ] {
        let (one, two) = (Given::of(bytes), Given::of(bytes));
        let answer = unsafe { waywarden_check(one.0, one.1, two.0, two.1) };
        taken(answer).unwrap_err();
        taken(unsafe { waywarden_inspect(one.0, one.1) }).ok();
    }
    taken(unsafe { waywarden_check(std::ptr::null(), 0, std::ptr::null(), 0) }).unwrap_err();
    unsafe {
        waywarden_answer_free(std::ptr::null_mut());
        waywarden_free(std::ptr::null_mut(), 0);
    }
}

#[test]
fn the_schema_has_the_keys_of_a_vehicle_file() {
    let schema = json(&taken(waywarden_schema()).unwrap()[0]);
    assert!(schema["properties"]["bus"].is_object());
}
