//! `waywarden bus load` second by second, and of what comes while it is read.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use waywarden_testkit::{Random, each_seed};

use crate::support::{json, waywarden};

/// 108 bits, one of stuffing and 3 of intermission: 224 us at 500 kbit/s.
const FRAME: &str = "555#5555555555555555";

/// Runs a load whose lines go to standard output, and returns them with standard error.
fn lines(log: &Path) -> (Vec<Value>, String) {
    let mut load = waywarden();
    load.args(["bus", "load", "--bitrate", "500k", "--lines"]);
    let output = load.arg(log).output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (lines.collect(), complaint)
}

fn write(path: &Path, stamps_us: impl IntoIterator<Item = (u64, &'static str)>) {
    let mut text = String::new();
    for (at, channel) in stamps_us {
        let (seconds, micros) = (at / 1_000_000, at % 1_000_000);
        writeln!(text, "({seconds}.{micros:06}) {channel} {FRAME}").unwrap();
    }
    fs::write(path, text).unwrap();
}

#[test]
fn each_second_with_frames_has_a_line_for_each_channel() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("gap.log");
    let first = (0..10).map(|at| (7_500_000 + at * 10_000, "can0"));
    // Years later, 3 s into it; the last one ends after its time stamp.
    let second = (0..4).map(|at| (900_000_010_500_000 + at * 1_000, "can1"));
    write(&log, first.chain(second));
    let (lines, said) = lines(&log);
    let line = |at: usize| {
        let field = |name: &str| lines[at][name].as_f64().unwrap();
        let [begin, long] = ["time_ns", "duration_s"].map(field);
        let channel = lines[at]["channel"].as_str().unwrap();
        (begin, channel, lines[at]["frames"].as_u64().unwrap(), long)
    };
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(line(0), (7.5e9, "can0", 10, 1.0));
    assert_eq!(line(1), (900_000_010.5e9, "can0", 0, 0.003));
    assert_eq!(line(2), (900_000_010.5e9, "can1", 4, 0.003));
    for (at, load) in [(0, 10.0 * 224e-6), (1, 0.0), (2, 4.0 * 224e-6 / 0.003)] {
        let found = lines[at]["load"].as_f64().unwrap();
        assert!((found - load).abs() < 1e-9, "{at}: {found}");
        assert_eq!(lines[at]["ids"], u64::from(load > 0.0));
    }
    assert_eq!(lines[1]["total_frames"], 10);
    assert!(said.contains("gap.log: 14 frames, 1 identifiers"), "{said}");
}

#[test]
fn rest_of_a_log_is_as_long_as_its_frames() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("short.log");
    write(&log, [(0, "can0"), (1_000_000, "can0")]);
    let (lines, _) = lines(&log);
    assert_eq!(lines[1]["duration_s"], 224e-6);
    assert_eq!(lines[1]["load"], 1.0);
}

/// Nothing is lost or counted twice between the seconds.
#[test]
fn seconds_of_a_random_log_sum_to_its_load() {
    each_seed(4, |seed| {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("random.log");
        let mut at = random.below(5_000_000);
        let mut stamps = Vec::new();
        for _ in 0..400 {
            at += match random.below(40) {
                0 => random.below(9_000_000),
                1 => 1_000_000 - at % 1_000_000,
                _ => 500 + random.below(20_000),
            };
            let channel = ["can0", "can1"][random.index(2)];
            stamps.push((at, channel));
        }
        write(&log, stamps);
        let (lines, _) = lines(&log);
        let mut load = waywarden();
        load.args(["bus", "load", "--bitrate", "500k", "--format", "json"]);
        let summary = json(load.arg(&log));
        for channel in summary["channels"].as_array().unwrap() {
            let own = lines
                .iter()
                .filter(|line| line["channel"] == channel["channel"]);
            let frames: u64 = own
                .clone()
                .map(|line| line["frames"].as_u64().unwrap())
                .sum();
            assert_eq!(frames, channel["frames"].as_u64().unwrap(), "seed {seed}");
            let number = |value: &Value, field: &str| value[field].as_f64().unwrap();
            let busy = |line| number(line, "load") * number(line, "duration_s");
            let busy: f64 = own.map(busy).sum();
            let whole = number(channel, "load") * number(&summary, "duration_s");
            assert!((busy - whole).abs() < 1e-9, "seed {seed}: {busy}, {whole}");
        }
    });
}

#[test]
fn standard_input_has_the_load_of_the_file() {
    let load = |log: &str| {
        let mut load = waywarden();
        load.args(["bus", "load", log, "--format", "json"]);
        load.args(["--bitrate", "500k", "--data-bitrate", "2M"]);
        load
    };
    let path = waywarden_testkit::workspace().join("examples/drive.log");
    let mut piped = load("-");
    piped.write_stdin(fs::read(path).unwrap());
    assert_eq!(json(&mut piped), json(&mut load("examples/drive.log")));

    let mut empty = load("-");
    let output = empty.write_stdin("").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.starts_with("error: -:"), "{complaint}");
    let output = load("-").args(["--lines"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "two forms");
}

#[test]
fn line_in_a_pipe_comes_when_its_second_is_over() {
    let mut load = Command::new(env!("CARGO_BIN_EXE_waywarden"))
        .args(["bus", "load", "-", "--bitrate", "500k", "--lines"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = load.stdin.take().unwrap();
    let mut answers = BufReader::new(load.stdout.take().unwrap());
    for second in 1..4 {
        writeln!(input, "({second}.000000) can0 {FRAME}").unwrap();
        if second > 1 {
            let mut line = String::new();
            answers.read_line(&mut line).unwrap();
            let line: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(line["time_ns"], (second - 1) * 1_000_000_000_u64);
            assert_eq!(line["frames"], 1);
        }
    }
    drop(input);
    assert!(load.wait().unwrap().success());
}

#[test]
fn interface_that_cannot_be_opened_says_what_to_do() {
    let mut load = waywarden();
    let output = load
        .args(["bus", "load", "--interface", "nocan0", "--bitrate", "500k"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(
        complaint.starts_with("error: --interface nocan0: "),
        "{complaint}"
    );
}
