//! The CAM rules against a reading of their own: `xtask/cam_rules.py`.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Output;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use waywarden_testkit::{python_with, workspace};

use super::figures;

const TRACE: &str = "examples/traffic/roundabout.csv.gz";

fn check(python: &Path, log: &Path) -> Output {
    let mut command = std::process::Command::new(python);
    command.current_dir(workspace()).arg("xtask/cam_rules.py");
    command.arg(TRACE).arg(log).output().unwrap()
}

/// Rewrites a log without one of its lines.
fn leave_out(log: &Path, line: usize) {
    let mut text = String::new();
    let mut packed = GzDecoder::new(File::open(log).unwrap());
    packed.read_to_string(&mut text).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.remove(line);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(lines.join("\n").as_bytes()).unwrap();
    fs::write(log, packed.finish().unwrap()).unwrap();
}

/// `make soak` has changed rules, and longer traces.
#[test]
fn no_message_is_missing_and_none_is_too_many() {
    let Some(python) = python_with("csv") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let out_text = out.to_str().unwrap();
    // Receivers do not matter: with little power the run is short.
    let options = ["--awareness", "cam", "--power", "0.01", "--messages", "csv"];
    let trace = workspace().join(TRACE);
    let found = figures(&trace, &[&options[..], &["--out", out_text]].concat());
    assert!(found["messages_sent"].as_u64().unwrap() > 10_000, "{found}");
    let log = out.join("generated.csv.gz");
    let output = check(&python, &log);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{output:?}");
    for cause in ["move ", "turn ", "speed ", "time "] {
        assert!(said.contains(cause), "{said}");
    }
    leave_out(&log, 6_000);
    let output = check(&python, &log);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("a message is missing"), "{said}");
}
