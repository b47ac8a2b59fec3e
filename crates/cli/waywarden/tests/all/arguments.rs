//! Wrong arguments of the command are refused, with what would be right.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{waywarden, workspace};

/// Runs the command; returns the exit code and what it complained about.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output = waywarden().args(arguments).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn refused(arguments: &[&str], remedy: &str) {
    let (code, complaint) = run(arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {complaint}");
    assert!(complaint.contains(remedy), "{arguments:?}: {complaint}");
}

#[test]
fn durations_are_those_of_vehicle_files() {
    let car = "examples/minimal.toml";
    for duration in ["1ms", "0.5 s", "0.0001min", "0.00001h"] {
        let (code, complaint) = run(&["run", car, "--duration", duration]);
        // One millisecond is too short for the requirement.
        assert!(matches!(code, Some(0 | 1)), "{duration}: {complaint}");
    }
    refused(&["run", car, "--duration", "10"], "24h");
}

#[test]
fn a_wrong_time_names_its_option() {
    for (time, remedy) in [
        ("-1ms", "not a duration such as 0.5ms"),
        ("soon", "not a duration such as 0.5ms"),
        ("5", "not a duration such as 0.5ms"),
        ("0ms", "above 0 and up to 100 ms"),
        ("101ms", "above 0 and up to 100 ms"),
    ] {
        let (code, complaint) = run(&["keys", "--scheme", "lasan", "--pacing", time]);
        assert_eq!(code, Some(2), "{time}: {complaint}");
        assert!(complaint.contains(remedy), "{time}: {complaint}");
        let named = format!("'{time}' for '--pacing <TIME>'");
        assert!(complaint.contains(&named), "{time}: {complaint}");
        // It is no mistake in the vehicle that follows from the options.
        assert!(!complaint.contains("built-in vehicle"), "{complaint}");
        assert!(!complaint.contains("tip:"), "{complaint}");
    }
    refused(
        &["keys", "--until", "-1s"],
        "-1s: not a duration such as 10s",
    );
}

#[test]
fn bit_timings_are_those_of_vehicle_files() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("s.log");
    fs::write(&log, "(0.0) can0 123#11\n(0.1) can0 123#11\n").unwrap();
    let log = log.to_str().unwrap();
    for point in ["2", "0.49", "0.96", "soon", "66.1"] {
        let load = ["bus", "load", log, "--bitrate", "500k", "--sample-point"];
        refused(&[&load[..], &[point]].concat(), "0.5 to 0.95");
    }
    let slow = ["--bitrate", "500k", "--data-bitrate", "250k"];
    refused(
        &[&["bus", "load", log][..], &slow].concat(),
        "below the nominal",
    );
    refused(
        &[&["bus", "bits", "123#11"][..], &slow].concat(),
        "below the nominal",
    );
}

#[test]
fn a_table_of_frames_with_nothing_to_compare_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("t.csv");
    let file = table.to_str().unwrap();
    fs::write(&table, "").unwrap();
    refused(&["bus", "bits", "--csv", file], "has no row");
    fs::write(&table, "kind,ext,id,data,nominal_bits\n").unwrap();
    refused(&["bus", "bits", "--csv", file], "has no row");
    fs::write(&table, "kind,ext,id,data\nclassic,0,123,11\n").unwrap();
    refused(
        &["bus", "bits", "--csv", file],
        "has no answers to compare with",
    );
    let (code, _) = run(&["bus", "bits", "--csv", file, "--format", "csv"]);
    assert_eq!(code, Some(0));
}

#[test]
fn the_grammar_of_a_frame_is_in_the_help() {
    let help = waywarden()
        .args(["bus", "bits", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for form in ["123#1122", "123#R4", "123##1AABB", "123#11.22"] {
        assert!(help.contains(form), "{help}");
        let (code, complaint) = run(&["bus", "bits", form]);
        assert_eq!(code, Some(0), "{form}: {complaint}");
    }
}

#[test]
fn a_reader_that_stops_is_no_failure() {
    for arguments in [
        &["completions", "bash"][..],
        &["bus", "bits", "123#1122", "--format", "json"],
        &["run", "examples/minimal.toml", "--trace", "-"],
    ] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("waywarden"))
            .current_dir(workspace())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The reader goes before the first byte.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaint}");
        assert_eq!(complaint, "");
    }
}

/// A vehicle file in `folder` that names a board and a log.
fn vehicle(folder: &Path, board: &str, log: &str, channel: &str) -> String {
    let text = format!(
        "[vehicle]\nname = 'car'\nduration = '10ms'\n[[bus]]\nname = 'b'\nbitrate = '500k'\n\
         [[ecu]]\nname = 'A'\nports = ['b']\nboard = '{board}'\n\
         [[replay]]\nlog = '{log}'\nchannels = {{ {channel} = 'b' }}\n"
    );
    let file = folder.join("car.toml");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn what_a_vehicle_file_names_and_is_not_there_is_placed_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("s.log"), "(0.0) can0 123#11\n").unwrap();
    let file = vehicle(at, "ideal", "s.log", "can0");
    assert_eq!(run(&["run", &file]).0, Some(0));
    let relative = "relative to the vehicle file's folder";
    vehicle(at, "no/board.toml", "s.log", "can0");
    refused(&["run", &file], &format!("{file}:10:9: "));
    refused(&["run", &file], relative);
    vehicle(at, "ideal", "no.log", "can0");
    refused(&["run", &file], &format!("{file}:12:7: "));
    refused(&["run", &file], relative);
    vehicle(at, "ideal", "s.log", "can7");
    refused(
        &["run", &file],
        &format!("{file}:12:7: log s.log has no channel can7"),
    );
    fs::write(&file, b"[vehicle]\nname = '\xE9'\n").unwrap();
    refused(&["run", &file], "car.toml:2: byte 0xE9");
}

#[test]
fn a_load_is_that_of_one_bus_over_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("s.log");
    let load = |text: &str| {
        fs::write(&log, text).unwrap();
        let mut command = waywarden();
        command.args(["bus", "load", "--bitrate", "500k"]).arg(&log);
        command
    };
    let two = "(0.0) can0 123#11\n(0.0) can1 123#11\n(0.1) can0 123#11\n";
    let summary = crate::support::json(load(two).args(["--format", "json"]));
    assert!(summary["load"].is_null(), "{summary}");
    assert!(summary["channels"][1]["load"].as_f64() > Some(0.0));
    let one = "(0.0) can0 123#11\n(0.1) can0 123#11\n";
    let summary = crate::support::json(load(one).args(["--format", "json"]));
    assert_eq!(summary["load"], summary["channels"][0]["load"]);
    for text in [
        "(7.0) can0 123#11\n",
        "(7.0) can0 123#11\n(6.0) can0 123#\n",
    ] {
        let output = load(text).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("one time stamp"));
    }
    let back = "(0.0) can0 123#11\n(0.2) can0 123#11\n(0.1) can0 123#11\n";
    let output = load(back).output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("warning: 1 frames are stamped earlier"),
        "{table}"
    );
}

#[test]
fn version_names_the_source_of_the_boundaries() {
    let output = waywarden().arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("© OpenStreetMap contributors"), "{text}");
    assert!(text.contains("Open Database License (ODbL)"), "{text}");
}
