//! `waywarden verify` and `waywarden inspect` on examples, on real data and on what is neither.

mod certificates;
mod inspect;

use std::fs;
use std::io::Write as _;
use std::process::Output;

use serde_json::Value;

use crate::support::capture::{example, pcap, pcapng, wsm};
use crate::support::{corpus, waywarden};

fn run(words: &[&str]) -> Output {
    waywarden().args(words).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The exit code and the answer.
fn json(words: &[&str]) -> (Option<i32>, Value) {
    let mut command = waywarden();
    command.args(words).args(["--format", "json"]);
    let code = command.output().unwrap().status.code();
    (code, crate::support::json(&mut command))
}

const TRUST: &[&str] = &["--trust", "examples/v2x/trust", "--at", "generation"];

#[test]
fn the_examples_are_accepted_and_the_altered_one_is_not() {
    let (code, all) = json(&[&["verify", "examples/v2x/messages.hex"], TRUST].concat());
    assert_eq!(
        (code, &all["accepted"], &all["inputs"]),
        (Some(0), &4.into(), &4.into())
    );
    let (code, all) = json(&[&["verify", "examples/v2x/altered.hex"], TRUST].concat());
    assert_eq!((code, &all["accepted"]), (Some(1), &0.into()));
    let one = &all["messages"][0];
    assert_eq!(one["verdict"], "spduCryptoVerificationFailure");
    assert_eq!(
        (&one["field"], &one["label"]),
        (&"signature".into(), &"bsm-altered".into())
    );
    assert_eq!(
        (&one["signature_valid"], &all["signature_invalid"]),
        (&false.into(), &1.into())
    );
    // The same messages twice: the second time they are replays.
    let twice = [
        "verify",
        "examples/v2x/messages.hex",
        "examples/v2x/messages.hex",
    ];
    let (code, all) = json(&[&twice, TRUST].concat());
    assert_eq!(
        (code, &all["accepted"], &all["signature_valid"]),
        (Some(1), &4.into(), &8.into())
    );
    assert_eq!(all["verdicts"]["spduRelevanceReplayedSpdu"], 4);
    // Now they are too old; no authority is trusted without --trust.
    let (_, all) = json(&["verify", "examples/v2x/messages.hex"]);
    assert_eq!(
        (&all["accepted"], &all["signature_valid"]),
        (&0.into(), &0.into())
    );
    // Without it the signatures cannot be verified, which does not make them invalid.
    assert!(all["messages"][0]["signature_valid"].is_null());
    assert_eq!(all["signature_invalid"], 0);
}

/// One message in every kind of file.
#[test]
fn messages_come_in_all_kinds_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let spdu = example(0);
    let digits: String = spdu.iter().map(|byte| format!("{byte:02x}")).collect();
    let frames = [wsm(36, &spdu)];
    let (pcap, pcapng) = (pcap(&frames), pcapng(&frames));
    let files: [(&str, &[u8]); 4] = [
        ("message.oer", &spdu),
        ("line.txt", digits.as_bytes()),
        ("capture.pcap", &pcap),
        ("capture.pcapng", &pcapng),
    ];
    for (name, bytes) in files {
        let plain = folder.path().join(name);
        fs::write(&plain, bytes).unwrap();
        let packed = folder.path().join(format!("{name}.gz"));
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(bytes).unwrap();
        fs::write(&packed, writer.finish().unwrap()).unwrap();
        for path in [plain, packed] {
            let path = path.display().to_string();
            let at = if name.starts_with("capture") {
                "capture"
            } else {
                "2026-03-07T20:26:36Z"
            };
            let (code, all) = json(&["verify", &path, "--trust", "examples/v2x/trust", "--at", at]);
            assert_eq!(
                (code, &all["accepted"]),
                (Some(0), &1.into()),
                "{path}: {all}"
            );
            let kind = if name.starts_with("capture") {
                "WSM"
            } else {
                "SPDU"
            };
            assert_eq!(all["messages"][0]["kind"], kind);
            assert_eq!(run(&["inspect", &path]).status.code(), Some(0), "{path}");
        }
    }
}

#[test]
fn what_is_no_message_is_called_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let name = path.display().to_string();
    let cases: [(&[u8], i32, &str); 8] = [
        (
            b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
            2,
            "a PEM file",
        ),
        (&[0x30, 0x82, 1, 0, 0], 1, "X.509"),
        (&[2, 0, 0, 0], 1, "version 2"),
        (b"PK\x03\x04\x00", 1, "ZIP"),
        (&[3, 0x81, 0], 1, "missing"),
        (
            b"zz 0102\nlabel 010\n",
            2,
            ":2: an odd number of hexadecimal digits (3)",
        ),
        (&[0xD4, 0xC3, 0xB2, 0xA1, 0, 0], 2, "packet 0"),
        (&[0x1F, 0x8B, 9, 9], 2, "file: "),
    ];
    for (bytes, code, expected) in cases {
        fs::write(&path, bytes).unwrap();
        for command in ["verify", "inspect"] {
            let output = run(&[command, &name]);
            assert_eq!(
                output.status.code(),
                Some(code),
                "{expected}: {}",
                text(&output)
            );
            assert!(
                text(&output).contains(expected),
                "{expected}: {}",
                text(&output)
            );
        }
    }
    fs::write(&path, b"").unwrap();
    assert_eq!(run(&["verify", &name]).status.code(), Some(2));
    let output = run(&[
        "verify",
        &name,
        "--trust",
        &folder.path().display().to_string(),
    ]);
    assert!(
        text(&output).contains("has no certificate of IEEE 1609.2"),
        "{}",
        text(&output)
    );
    let output = run(&["verify", "examples/v2x/messages.hex", "--at", "yesterday"]);
    assert!(
        text(&output).contains("2026-03-01T12:00:00Z"),
        "{}",
        text(&output)
    );
    assert_eq!(run(&["verify", "nowhere.hex"]).status.code(), Some(2));
}

#[test]
fn real_certificates_and_messages() {
    if let Some(folder) = corpus("v2x/etsi_tsits_certs") {
        let folder = folder.display().to_string();
        let entries = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.extension().is_some_and(|end| end == "oer"));
        let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
        let names: Vec<&str> = files.iter().map(String::as_str).collect();
        let (_, all) = json(&[&["verify", "--trust", &folder], &names[..]].concat());
        let figures = ["inputs", "parsed", "signature_valid", "accepted"].map(|name| &all[name]);
        assert_eq!(figures, [105, 105, 105, 83].map(Value::from).each_ref());
    }
    if let Some(folder) = corpus("v2x/us_field") {
        let folder = folder.display().to_string();
        let messages = format!("{folder}/signed.hex");
        let keys = format!("{folder}/us_field_recovered_keys.json");
        let (code, all) = json(&["verify", &messages, "--signer-keys", &keys]);
        let figures = ["inputs", "parsed", "signature_valid", "accepted"].map(|name| &all[name]);
        assert_eq!(figures, [843, 843, 843, 0].map(Value::from).each_ref());
        assert_eq!(code, Some(1));
    }
    if let Some(folder) = corpus("v2x/eu_trust") {
        let folder = folder.display().to_string();
        let list = format!("{folder}/CE4CF6C19BFED720.oer");
        let (code, all) = json(&["verify", &list, "--trust", &folder, "--at", "generation"]);
        assert_eq!((code, &all["accepted"]), (Some(0), &1.into()), "{all}");
        let attack = format!("{folder}/CE4CF6C19BFED720_with_recursion_depth150.oer");
        let (code, all) = json(&["verify", &attack, "--trust", &folder]);
        assert_eq!(
            (code, &all["verdicts"]["spduParsingInvalidInput"]),
            (Some(1), &1.into())
        );
    }
}
