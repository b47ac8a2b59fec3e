//! The files that `waywarden run` keeps of a run: each is whole, or is not there at all.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::waywarden;
use serde_json::Value;

const CAR: &str = "examples/minimal.toml";

/// Runs the minimal car with more arguments; returns the exit code and what it complained about.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = waywarden();
    command.args(["run", CAR]).args(arguments);
    let output = command.timeout(Duration::from_secs(60)).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// Returns the sorted names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn items(file: &Path) -> Vec<Value> {
    let trace: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    trace["traceEvents"].as_array().unwrap().clone()
}

#[test]
fn a_run_is_kept_as_a_page_and_as_a_time_line() {
    let folder = tempfile::tempdir().unwrap();
    let (page, line) = (
        folder.path().join("run.html"),
        folder.path().join("run.json"),
    );
    let (code, complaint) = run(&[
        "--html",
        page.to_str().unwrap(),
        "--perfetto",
        line.to_str().unwrap(),
    ]);
    assert_eq!(code, Some(0), "{complaint}");
    assert_eq!(names(folder.path()), ["run.html", "run.json"]);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(page.contains("<svg") && page.contains("All figures"));
    let frames = items(&line)
        .iter()
        .filter(|item| item["cat"] == "frame")
        .count();
    assert!(frames > 100, "{frames} frames");
}

#[test]
fn a_time_line_can_be_a_part_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let line = |name: &str, window: &[&str]| {
        let file = folder.path().join(name);
        let mut arguments = vec!["--duration", "1s", "--perfetto", file.to_str().unwrap()];
        arguments.extend(window);
        let (code, complaint) = run(&arguments);
        assert_eq!(code, Some(0), "{complaint}");
        let items = items(&file);
        let starts = items.iter().filter(|item| item["cat"] == "frame");
        let starts: Vec<f64> = starts.map(|item| item["ts"].as_f64().unwrap()).collect();
        starts
    };
    let whole = line("whole.json", &[]);
    let inside = |from: f64, until: f64| {
        // No frame of the car lies across these moments.
        let inside = |at: &&f64| from <= **at && **at < until;
        whole.iter().filter(inside).copied().collect::<Vec<f64>>()
    };
    let part = line(
        "part.json",
        &["--perfetto-from", "250ms", "--perfetto-until", "0.5s"],
    );
    assert_eq!(part, inside(250e3, 500e3));
    assert!(part.len() > 10 && part.len() < whole.len() / 3);
    let rest = line("rest.json", &["--perfetto-from", "900ms"]);
    assert_eq!(rest, inside(900e3, 1.1e6));
    let first = line("first.json", &["--perfetto-until", "100ms"]);
    assert_eq!(first, inside(0.0, 100e3));
}

#[test]
fn a_window_that_shows_nothing_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let file = file.to_str().unwrap();
    let wrong = [
        (
            vec!["--perfetto-from", "2s", "--perfetto-until", "2s"],
            "--perfetto-until 2s",
        ),
        (vec!["--perfetto-from", "90s"], "--perfetto-from 90s"),
        (vec!["--perfetto-until", "0s"], "--perfetto-until 0s"),
        (vec!["--perfetto-from", "soon"], "soon"),
    ];
    for (window, named) in wrong {
        let arguments = [vec!["--perfetto", file], window].concat();
        let (code, complaint) = run(&arguments);
        assert_eq!(code, Some(2), "{complaint}");
        assert!(complaint.contains(named), "{complaint}");
        assert!(names(folder.path()).is_empty());
    }
    let (code, complaint) = run(&["--perfetto-from", "1s"]);
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("--perfetto <FILE>"), "{complaint}");
}

#[test]
fn a_place_that_cannot_be_written_is_named_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere/run.html");
    let line = folder.path().join("run.json");
    // So long that the test would not end if it ran.
    let (code, complaint) = run(&[
        "--duration",
        "24h",
        "--perfetto",
        line.to_str().unwrap(),
        "--html",
        nowhere.to_str().unwrap(),
    ]);
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("nowhere/run.html"), "{complaint}");
    assert!(names(folder.path()).is_empty());
}

/// The shell limits the size of files; the signal that tells so is ignored, so that writing fails
/// as it does on a full disk.
#[cfg(unix)]
#[test]
fn a_run_that_cannot_write_on_leaves_what_was_there() {
    for (option, name) in [
        ("--html", "run.html"),
        ("--perfetto", "run.json"),
        ("--trace", "run.jsonl"),
        ("--log", "run.log"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, "of the run before").unwrap();
        let output = std::process::Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh"])
            .arg(assert_cmd::cargo::cargo_bin("waywarden"))
            .args(["run", CAR, option])
            .arg(&file)
            .current_dir(crate::support::workspace())
            .output()
            .unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{option}: {complaint}");
        let begin = format!("error: {}: ", file.display());
        assert!(complaint.starts_with(&begin), "{option}: {complaint}");
        assert_eq!(fs::read(&file).unwrap(), b"of the run before", "{option}");
        assert_eq!(names(folder.path()), [name], "{option}");
    }
}
