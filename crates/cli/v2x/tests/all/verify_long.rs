//! `waywarden verify` on long inputs: memory does not grow with their number, lists of errors are
//! bounded, and tables of keys are as large as the user says.

use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::support::{waywarden, workspace};

const TRUST: [&str; 4] = ["--trust", "examples/v2x/trust", "--at", "generation"];

/// 20,000 lines, each with a label of 3 kB, in 48 MiB of address space beside the program itself:
/// kept labels take 60 MB, more than there is, and the text of the answer as much again.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_number_of_inputs() {
    use std::fmt::Write as _;
    use std::process::{Command, Stdio};

    const LINES: usize = 20_000;
    const KIB: u64 = 48 << 10;

    let program = crate::support::PROGRAM;
    let limit = fs::metadata(program).unwrap().len() / 1_024 + KIB;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.hex");
    let label = "l".repeat(3_000);
    let mut lines = String::new();
    for number in 0..LINES {
        writeln!(lines, "{label}{number} 00").unwrap();
    }
    fs::write(&path, lines).unwrap();
    for format in ["json", "csv", "table"] {
        let answer = folder.path().join(format);
        let status = Command::new("sh")
            .args(["-c", &format!("ulimit -v {limit} && exec \"$@\""), "sh"])
            .arg(program)
            .args(["verify", "--format", format])
            .arg(&path)
            .stdout(Stdio::from(fs::File::create(&answer).unwrap()))
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(1), "{format}");
        let answer = fs::read_to_string(answer).unwrap();
        match format {
            "json" => {
                let all: Value = serde_json::from_str(&answer).unwrap();
                assert_eq!(all["inputs"], LINES);
                assert_eq!(all["messages"].as_array().unwrap().len(), LINES);
            }
            "csv" => assert_eq!(answer.lines().count(), 1 + LINES),
            _ => assert!(answer.contains(&format!("{LINES} inputs; ")), "{answer}"),
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn verify(words: &[&str]) -> Output {
    let mut command = waywarden();
    command.arg("verify").args(words);
    command.output().unwrap()
}

/// Programs that read the document as text rely on its form, which `docs/verify.md` shows.
#[test]
fn the_document_has_the_messages_first_and_the_totals_after_them() {
    let trusted = |file| verify(&[&[file], &TRUST[..], &["--format", "json"]].concat());
    for (file, messages) in [("examples/v2x/messages.hex", 4), ("nowhere.hex", 0)] {
        let written = text(&trusted(file).stdout);
        let all: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(all["messages"].as_array().unwrap().len(), messages);
        // The members in this order, with the indent that the other documents have.
        let mut places = Vec::new();
        for name in [
            "schema",
            "tool_version",
            "messages",
            "inputs",
            "passed_over",
            "parsed",
            "signature_valid",
            "signature_invalid",
            "accepted",
            "payload_failed",
            "verdicts",
            "errors",
            "errors_omitted",
            "warnings",
            "warnings_omitted",
        ] {
            let place = written.find(&format!("\n  \"{name}\": "));
            places.push(place.unwrap_or_else(|| panic!("{name} in {written}")));
        }
        assert!(places.is_sorted(), "{written}");
        assert_eq!(all.as_object().unwrap().len(), places.len());
        assert!(written.contains("\n  \"messages\": [") && written.ends_with("\n}\n"));
        assert_eq!(written.contains("\n    {\n      \"input\": "), messages > 0);
    }
}

#[test]
fn errors_are_listed_up_to_a_bound_and_counted_beyond_it() {
    let names: Vec<String> = (0..130).map(|number| format!("nowhere{number}")).collect();
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let output = verify(&[&files[..], &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all["errors"].as_array().unwrap().len(), 100);
    assert_eq!(all["errors_omitted"], 30);
    assert_eq!(all["warnings_omitted"], 0);
    let said = text(&output.stderr);
    assert_eq!(said.lines().count(), 101, "{said}");
    assert!(said.ends_with("error: 30 more files that cannot be read\n"));
}

#[test]
fn a_full_disk_is_reported_and_ends_the_run() {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    for format in ["json", "csv", "table"] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = std::process::Command::new(crate::support::PROGRAM)
            .current_dir(workspace())
            .args(["verify", "examples/v2x/messages.hex", "--format", format])
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{format}");
        let said = text(&output.stderr);
        assert!(said.starts_with("error: standard output: "), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

/// Verdicts do not depend on tables; the error for a wrong size shows right ones.
#[test]
fn tables_are_as_large_as_the_user_says() {
    let answer = |size: &str| {
        let size = ["--table-memory", size];
        verify(&[&["examples/v2x/messages.hex"], &TRUST[..], &size].concat())
    };
    let without = answer("0");
    assert_eq!(without.status.code(), Some(0), "{without:?}");
    for size in ["5KiB", "1MiB", "16mb", "65536"] {
        assert_eq!(answer(size).stdout, without.stdout, "{size}");
    }
    for size in ["many", "1.5MiB", ""] {
        let output = answer(size);
        assert_eq!(output.status.code(), Some(2), "{size}");
        let said = text(&output.stderr);
        assert!(
            said.contains("--table-memory") && said.contains("1MiB"),
            "{said}"
        );
    }
}
