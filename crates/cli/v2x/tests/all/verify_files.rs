//! `waywarden verify` and `waywarden inspect` on files that are broken, foreign or hostile, and
//! the errors in documents for programs.

mod broken;
mod signatures;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::capture::{example, pcap, wsm};
use crate::support::{waywarden, workspace};

const TRUST: [&str; 4] = ["--trust", "examples/v2x/trust", "--at", "generation"];

/// A folder with files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn run(command: &str, path: &Path, more: &[&str]) -> Output {
    waywarden()
        .arg(command)
        .arg(path)
        .args(more)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Verifies: exit code, the document, and what is said beside it.
fn verify(path: &Path, more: &[&str]) -> (Option<i32>, Value, String) {
    let output = run("verify", path, &[more, &["--format", "json"]].concat());
    let words = said(&output);
    let all = serde_json::from_slice(&output.stdout);
    let all = all.unwrap_or_else(|error| panic!("{error}: {words}"));
    (output.status.code(), all, words)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn messages() -> String {
    fs::read_to_string(workspace().join("examples/v2x/messages.hex")).unwrap()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn counts(all: &Value) -> [u64; 2] {
    ["inputs", "accepted"].map(|name| all[name].as_u64().unwrap())
}

/// The document for programs has the errors, also where nothing can be read.
#[test]
fn the_document_is_printed_whatever_can_be_read() {
    let folder = Folder::new();
    let cut = folder.write("cut.hex", format!("{}zz\n", messages()));
    let nowhere = folder.0.path().join("nowhere.hex");
    let empty = folder.write("empty", "");
    let capture = folder.write("cut.pcap", &pcap(&[wsm(36, &example(0))])[..60]);
    for (path, inputs, place, error) in [
        (&nowhere, 0, Value::Null, "No such file"),
        (&empty, 0, Value::Null, "empty"),
        (&cut, 4, "line 5".into(), "no hexadecimal digits"),
        (&capture, 0, "packet 1".into(), "ends in the middle"),
    ] {
        let (code, all, words) = verify(path, &TRUST);
        assert_eq!((code, &all["inputs"]), (Some(2), &inputs.into()), "{all}");
        assert_eq!(all["messages"].as_array().unwrap().len(), inputs);
        let reported = &all["errors"][0];
        assert_eq!(reported["file"], path.display().to_string());
        assert_eq!(reported["place"], place);
        assert!(
            reported["error"].as_str().unwrap().contains(error),
            "{reported}"
        );
        assert!(!reported["remedy"].as_str().unwrap().is_empty());
        assert!(words.starts_with("error: "), "{words}");
        let shown = run("inspect", path, &["--format", "json"]);
        assert_eq!(shown.status.code(), Some(2));
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        let last = shown["rows"].as_array().unwrap().last().unwrap();
        assert!(last["error"].as_str().unwrap().contains(error), "{last}");
    }
    for option in ["--trust", "--signer-keys"] {
        let (code, all, _) = verify(&cut, &[option, "/nowhere"]);
        assert_eq!((code, counts(&all)), (Some(2), [0, 0]));
        let reported = all["errors"][0]["error"].as_str().unwrap();
        assert!(reported.contains("/nowhere"), "{reported}");
    }
    let whole = workspace().join("examples/v2x/messages.hex");
    let (code, all, _) = verify(&whole, &TRUST);
    assert_eq!((code, &all["errors"]), (Some(0), &Value::Array(Vec::new())));
}

#[test]
fn messages_without_a_time_of_their_own_are_judged_now_and_that_is_said() {
    let folder = Folder::new();
    let path = workspace().join("examples/v2x/messages.hex");
    let at = ["--trust", "examples/v2x/trust", "--at", "capture"];
    let (_, all, words) = verify(&path, &at);
    let expected = "4 messages do not say when they were captured, and judged at this moment";
    assert!(words.contains(expected), "{words}");
    assert!(all["warnings"][0].as_str().unwrap().contains(expected));
    let capture = folder.write("a.pcap", pcap(&[wsm(36, &example(0))]));
    let (code, all, words) = verify(&capture, &at);
    assert_eq!((code, counts(&all), words.as_str()), (Some(0), [1, 1], ""));
}

#[test]
fn standard_input_is_read() {
    let with = |command: &str, bytes: &[u8]| {
        let mut child = Command::new(crate::support::PROGRAM)
            .current_dir(workspace())
            .args([command, "-", "--format", "json"])
            .args(if command == "verify" { &TRUST[..] } else { &[] })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // In two parts, as pipes bring them.
        let (first, second) = bytes.split_at(1);
        pipe.write_all(first).unwrap();
        pipe.flush().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        pipe.write_all(second).unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        let all: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), all)
    };
    for bytes in [messages().into_bytes(), packed(messages().as_bytes())] {
        let (code, all) = with("verify", &bytes);
        assert_eq!((code, counts(&all)), (Some(0), [4, 4]));
        assert_eq!(all["messages"][3]["input"], "standard input:4");
    }
    let (code, all) = with("inspect", &example(0));
    assert_eq!(
        (code, &all["rows"][0]["input"]),
        (Some(0), &"standard input".into())
    );
}

/// The examples carry words where a message of the application would stand; that is reported, and
/// what is neither is reported as not read.
#[test]
fn what_is_carried_is_read_or_said_to_be_words() {
    let folder = Folder::new();
    let path = workspace().join("examples/v2x/messages.hex");
    let output = run("inspect", &path, &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!text.contains("not read"), "{text}");
    for expected in [
        "carries: 22 bytes of text in place of a GeoNetworking packet: \"a CAM would stand here\"",
        "carries: 22 bytes of text in place of a J2735-MessageFrame: \"a BSM would stand here\"",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    let mut other = example(0);
    let at = other.windows(5).position(|part| part == b"a CAM").unwrap();
    other[at] = 0xFF;
    let output = run("inspect", &folder.write("a.oer", other), &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("carries: GeoNetworking packet\n"), "{text}");
    assert!(text.contains("not read: "), "{text}");
}

/// Text in several forms, with bad lines between: each message is judged, each bad line reported.
#[test]
fn a_bad_line_is_reported_and_the_others_are_judged() {
    let folder = Folder::new();
    let digits = hex(&example(0));
    let wrapped: Vec<&str> = digits.as_bytes().chunks(76).map(as_text).collect();
    let text = format!(
        "{{\"time\": 1, \"payload\": \"{digits}\"}}\nlabel 010\n{}\n\n12:00 RX {digits} -70\n",
        wrapped.join("\n")
    );
    let path = folder.write("pasted.txt", text);
    let (code, all, words) = verify(&path, &TRUST);
    assert_eq!((code, &all["inputs"]), (Some(2), &3.into()), "{all}");
    let labels = [0, 1, 2].map(|at| all["messages"][at]["label"].as_str());
    let expected = [Some("payload"), None, Some("12:00 RX \u{2026} -70")];
    assert_eq!(labels, expected);
    let last = 2 + wrapped.len();
    let place = format!("{}:3-{last}", path.display());
    assert_eq!(all["messages"][1]["input"], place);
    assert_eq!(all["messages"][0]["verdict"], "success");
    assert_eq!(all["errors"].as_array().unwrap().len(), 1);
    assert_eq!(all["errors"][0]["place"], "line 2");
    assert!(
        words.contains("an odd number of hexadecimal digits (3)"),
        "{words}"
    );
    let shown = run("inspect", &path, &[]);
    assert_eq!(shown.status.code(), Some(2));
    assert!(
        said(&shown).contains(":2: an odd number"),
        "{}",
        said(&shown)
    );
}

fn as_text(letters: &[u8]) -> &str {
    std::str::from_utf8(letters).unwrap()
}
