//! `waywarden verify --policy`: what a receiver verifies, defers and drops, on a simulated clock.

use std::path::Path;

use serde_json::Value;

use crate::support::capture::{CAPTURED, example, pcap_header, words, wsm};
use crate::support::{json, waywarden};

const EXAMPLES: &str = "examples/v2x/messages.hex";
const TRUST: [&str; 4] = ["--trust", "examples/v2x/trust", "--at", "generation"];

fn verify(path: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let mut command = waywarden();
    command.arg("verify").arg(path).args(TRUST).args(more);
    let code = command.output().unwrap().status.code();
    (code, json(command.args(["--format", "json"])))
}

/// Result, cause or verdict, and wait in milliseconds, of each message in the order of decisions.
fn decisions(all: &Value) -> Vec<(String, String, f64)> {
    let messages = all["messages"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let decided = messages.map(|one| {
        let why = match one["result"] == "dropped" {
            true => &one["cause"],
            false => &one["verdict"],
        };
        let wait = one["wait_ns"].as_f64().unwrap() / 1e6;
        (text(&one["result"]), text(why), wait)
    });
    decided.collect()
}

fn decided(expected: &[(&str, &str, f64)]) -> Vec<(String, String, f64)> {
    let own = |&(result, why, wait): &(&str, &str, f64)| (result.to_owned(), why.to_owned(), wait);
    expected.iter().map(own).collect()
}

fn refused(arguments: &[&str], remedy: &str) {
    let mut command = waywarden();
    command
        .args(["verify", EXAMPLES])
        .args(TRUST)
        .args(arguments);
    let output = command.output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
    assert!(complaint.contains(remedy), "{arguments:?}: {complaint}");
}

#[test]
fn warnings_are_verified_before_awareness_that_arrived_earlier() {
    // One arrives each millisecond and a verification takes five: CAM, CAM, DENM, BSM.
    let policy = ["--policy", "class", "--rate", "1000", "--capacity", "200"];
    let (code, all) = verify(Path::new(EXAMPLES), &policy);
    let expected = [
        ("verified", "success", 0.0),
        ("verified", "success", 3.0),
        ("deferred", "success", 9.0),
        ("verified", "success", 12.0),
    ];
    assert_eq!((code, decisions(&all)), (Some(0), decided(&expected)));
    let classes: Vec<&Value> = (0..4).map(|at| &all["messages"][at]["class"]).collect();
    assert_eq!(classes, ["awareness", "warning", "awareness", "awareness"]);
    let totals = &all["totals"];
    let counts = ["arrived", "verified", "deferred", "accepted", "waiting_max"];
    let counts = counts.map(|name| totals[name].as_u64().unwrap());
    assert_eq!(counts, [4, 4, 1, 4, 3]);
}

#[test]
fn an_exclusive_policy_drops_what_is_outside() {
    let policy = "circle:150m,exclusive";
    let ego = [
        "--ego",
        "-33.9,18.4,90",
        "--rate",
        "10",
        "--capacity",
        "100",
    ];
    let (code, all) = verify(
        Path::new(EXAMPLES),
        &[&["--policy", policy], &ego[..]].concat(),
    );
    // The DENM alone says where it was made, far away.
    assert_eq!(code, Some(1));
    assert_eq!(all["totals"]["dropped"]["outside"], 1);
    assert_eq!(all["totals"]["verified"], 3);
    assert_eq!(all["messages"][2]["zone"], "outside");
    assert_eq!(all["totals"]["policy"], policy);
}

#[test]
fn messages_arrive_when_they_were_captured_and_wait_at_most_a_second() {
    let mut capture = pcap_header();
    for (line, milliseconds) in [(0, 0), (1, 0), (2, 100)] {
        let frame = wsm(if line == 2 { 37 } else { 36 }, &example(line));
        let length = frame.len() as u32;
        let microseconds = CAPTURED.1 + milliseconds * 1_000;
        capture.extend(words(&[CAPTURED.0, microseconds, length, length]));
        capture.extend(frame);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("burst.pcap");
    std::fs::write(&path, capture).unwrap();
    // The second one waits a second, which is just not too long; the third would wait 1.9 s.
    let (code, all) = verify(&path, &["--policy", "fifo", "--capacity", "1"]);
    let expected = [
        ("verified", "success", 0.0),
        ("verified", "success", 1_000.0),
        ("dropped", "expired", 1_900.0),
    ];
    assert_eq!((code, decisions(&all)), (Some(1), decided(&expected)));
}

#[test]
fn a_full_queue_drops_and_the_bound_is_kept() {
    let policy = [
        "--policy",
        "fifo",
        "--rate",
        "1000",
        "--capacity",
        "1",
        "--queue",
        "1",
    ];
    let (code, all) = verify(Path::new(EXAMPLES), &policy);
    assert_eq!(code, Some(1));
    let totals = &all["totals"];
    assert_eq!(totals["waiting_max"], 1);
    assert_eq!(totals["dropped"]["queue-full"], 2);
    assert_eq!(totals["verified"], 2);
}

#[test]
fn certificates_and_unread_lines_take_no_place_in_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mixed.hex");
    let certificate = std::fs::read(crate::support::workspace().join("examples/v2x/implicit.oer"));
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    let text = format!(
        "{}\nff00\n{}\n",
        hex(&certificate.unwrap()),
        hex(&example(0))
    );
    std::fs::write(&path, text).unwrap();
    let policy = ["--policy", "fifo", "--rate", "1", "--capacity", "1"];
    let (code, all) = verify(&path, &policy);
    assert_eq!(code, Some(1));
    let totals = &all["totals"];
    let counts = ["arrived", "unscheduled", "verified", "accepted"];
    assert_eq!(
        counts.map(|name| totals[name].as_u64()),
        [1, 2, 1, 1].map(Some)
    );
}

#[test]
fn every_format_gives_the_same_messages_each_time() {
    let run = |format: &str| {
        let mut command = waywarden();
        command.args(["verify", EXAMPLES]).args(TRUST);
        command.args([
            "--policy",
            "class,deadline",
            "--rate",
            "50",
            "--capacity",
            "40",
        ]);
        let output = command.args(["--format", format]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{format}");
        String::from_utf8(output.stdout).unwrap()
    };
    for (format, parts) in [("table", 4), ("csv", 5), ("jsonl", 5)] {
        let text = run(format);
        let lines = match format {
            // Lines stand between rows, for their cells break.
            "table" => 1 + text.lines().filter(|line| line.starts_with('├')).count(),
            _ => text.lines().count(),
        };
        assert_eq!(lines, parts, "{format}: {text}");
        assert_eq!(text, run(format));
    }
    let lines = run("jsonl");
    let values: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let whole: Value = serde_json::from_str(&run("json")).unwrap();
    assert_eq!(whole["messages"], Value::Array(values[..4].to_vec()));
    assert_eq!(whole["totals"], values[4]["totals"]);
}

#[test]
fn wrong_options_are_refused_with_what_would_be_right() {
    let with = |more: &[&'static str]| -> Vec<&'static str> {
        [&["--policy", "fifo", "--capacity", "1"], more].concat()
    };
    refused(&["--policy", "fifo"], "--capacity <PER_SECOND>");
    refused(&["--capacity", "5"], "--policy <POLICY>");
    refused(&with(&[]), "messages.hex:1: does not say when it arrived");
    refused(&with(&["--rate", "0"]), "1..=1000000");
    refused(&with(&["--rate", "5", "--jobs", "2"]), "--jobs <N>");
    refused(
        &with(&["--rate", "5", "--ego", "91,0"]),
        "LATITUDE,LONGITUDE",
    );
    let circle = ["--policy", "circle:5m", "--rate", "5", "--capacity", "1"];
    refused(&circle, "--ego LAT,LON");
    refused(&["--policy", "nearest", "--capacity", "1"], "circle:150m");
}
