//! `waywarden station`: what it sends, read by other programs.

mod certificates;
mod faults;
mod live;
mod options;
mod positions;
mod sent;
mod tracks;

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use waywarden_testkit::{has_tshark, output_of, python_with};

use crate::support::{corpus, json, waywarden};

fn station(arguments: &[&str]) -> (i32, String, String) {
    let output = waywarden().arg("station").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Records a neighbourhood; returns the capture.
fn recorded(folder: &std::path::Path, more: &[&str]) -> std::path::PathBuf {
    let path = folder.join("stations.pcapng");
    let record = ["--record", path.to_str().unwrap(), "--virtual-time"];
    let (code, out, errors) = station(&[&record[..], more].concat());
    assert_eq!((code, &errors[..]), (0, ""), "{out}");
    path
}

#[test]
fn other_programs_read_the_recording_and_find_the_rules_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), &["--stations", "5", "--duration", "20s"]);
    if has_tshark() {
        let fields = ["-T", "fields", "-e", "frame.protocols"];
        let run = |more: &[&str]| output_of(Command::new("tshark").arg("-r").arg(&path).args(more));
        let all = run(&["-V"]);
        for wrong in ["Malformed", "Expert Info (Error", "Expert Info (Warning"] {
            assert!(!all.contains(wrong), "{wrong}");
        }
        for line in run(&fields).lines() {
            assert_eq!(line, "eth:ethertype:gnw:ieee1609dot2:btpb:its");
        }
    }
    // The rules, written once more in another language, over what pycrate reads.
    if let Some(python) = python_with("pycrate_asn1dir") {
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/all/neighbourhood/rules.py"
        );
        let found = output_of(Command::new(python).arg(script).arg(&path));
        assert!(found.starts_with("5 stations, "), "{found}");
    }
}

#[test]
fn verify_accepts_the_recording_with_the_trust_that_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let trust = folder.path().join("trust");
    let options = ["--stations", "3", "--duration", "3s", "--message", "bsm"];
    let trust_option = ["--write-trust", trust.to_str().unwrap()];
    let path = recorded(folder.path(), &[&options[..], &trust_option].concat());
    let verified = waywarden()
        .arg("verify")
        .arg(&path)
        .args(["--at", "capture", "--trust"])
        .arg(&trust)
        .output()
        .unwrap();
    let out = String::from_utf8(verified.stdout).unwrap();
    assert!(verified.status.success(), "{out}");
    assert!(out.contains("accepted"), "{out}");
    // Neither is written over.
    let (code, _, errors) = station(
        &[
            &["--virtual-time", "--duration", "1s"][..],
            &trust_option[..],
        ]
        .concat(),
    );
    assert_eq!(code, 2);
    assert!(errors.contains("trust"), "{errors}");
}

#[test]
fn same_seed_gives_the_same_recording() {
    let options = ["--stations", "2", "--duration", "2s", "--seed"];
    let bytes = |seed| {
        let folder = tempfile::tempdir().unwrap();
        let path = recorded(folder.path(), &[&options[..], &[seed]].concat());
        fs::read(path).unwrap()
    };
    assert_eq!(bytes("4"), bytes("4"));
    assert_ne!(bytes("4"), bytes("5"));
}

#[test]
fn attacks_are_refused_and_counted() {
    let (code, out, _) = station(&[
        "--stations",
        "2",
        "--virtual-time",
        "--duration",
        "3s",
        "--attack",
        "forged,replayed,displaced,flood-invalid",
        "--flood-rate",
        "50",
        "--format",
        "json",
    ]);
    assert_eq!(code, 0, "{out}");
    let summary: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let messages = &summary["messages"];
    for (attack, reason) in [
        ("forged", "spduCryptoVerificationFailure"),
        ("replayed", "spduRelevanceReplayedSpdu"),
        (
            "displaced",
            "spduConsistencyGenerationLocationOutsideValidityRegion",
        ),
        ("flood-invalid", "spduCryptoVerificationFailure"),
    ] {
        let counts = &messages[attack];
        assert_eq!(counts["accepted"], 0, "{counts}");
        assert!(counts["receptions"].as_u64() > Some(0), "{counts}");
        assert_eq!(counts["refused"][reason], counts["receptions"], "{counts}");
    }
    let honest = &messages["honest"];
    assert_eq!(honest["accepted"], honest["receptions"]);
}

#[test]
fn commands_from_standard_input_are_carried_out() {
    let mut child = Command::new(crate::support::PROGRAM)
        .args(["station", "--stations", "2", "--link", "memory"])
        .args(["--silence", "50ms", "--format", "json"])
        .args(["--duration", "20s"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"event 94\nstation 1 change\n").unwrap();
    let out = child.stdout.take().unwrap();
    let mut seen = (false, false);
    for line in std::io::BufRead::lines(std::io::BufReader::new(out)) {
        let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        seen.0 |= line["event"] == "heard" && line["kind"] == "denm";
        seen.1 |= line["event"] == "pseudonym-changed" && line["station"] == 1;
        if line["event"] == "summary" {
            break;
        }
        if seen == (true, true) {
            // It may have ended already.
            let _ = input.write_all(b"quit\n");
        }
    }
    assert_eq!(seen, (true, true));
    assert!(child.wait().unwrap().success());
}

/// The stations report the contents of CAMs and DENMs that pycrate reads in them.
#[test]
fn contents_of_messages_are_what_another_program_reads() {
    let Some(python) = python_with("pycrate_asn1dir") else {
        return;
    };
    let mut child = Command::new(crate::support::PROGRAM)
        .args(["station", "--stations", "2", "--link", "memory"])
        .args(["--format", "json", "--duration", "2500ms"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(b"event 94\nstation 1 event 97 2\n")
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    input.write_all(b"cancel\n").unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    fs::write(&path, out).unwrap();
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/all/neighbourhood/contents.py"
    );
    let found = output_of(Command::new(python).arg(script).arg(&path));
    let counts: serde_json::Value = serde_json::from_str(&found).unwrap();
    for kind in ["cam", "cause 94", "cause 97", "over"] {
        assert!(counts[kind].as_u64() > Some(0), "{kind}: {counts}");
    }
}

/// Real messages: a station finds of each what `verify` finds.
#[test]
fn station_that_hears_a_recording_reports_what_verify_reports() {
    let Some(path) = corpus("v2x/us_field/signed.hex") else {
        return;
    };
    let path = path.to_str().unwrap();
    let verified =
        json(waywarden().args(["verify", path, "--at", "generation", "--format", "json"]));
    let verified = verified["messages"].as_array().unwrap();
    let verdicts: Vec<_> = verified.iter().map(|one| one["verdict"].clone()).collect();
    let replay = [
        "--replay",
        path,
        "--replay-speed",
        "max",
        "--format",
        "json",
    ];
    let (code, out, errors) = station(&replay);
    assert_eq!((code, &errors[..]), (0, ""), "{out}");
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
    let heard = lines.filter(|line: &serde_json::Value| line["event"] == "heard");
    let heard: Vec<_> = heard.map(|line| line["result"].clone()).collect();
    assert_eq!(heard.len(), 843);
    assert_eq!(heard, verdicts);
}

#[test]
fn recording_of_stations_is_replayed_with_its_timing() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), &["--stations", "3", "--duration", "4s"]);
    let begun = std::time::Instant::now();
    let replay = ["--replay", path.to_str().unwrap(), "--replay-speed", "8"];
    let (code, out, _) = station(&[&replay[..], &["--format", "json"]].concat());
    assert_eq!(code, 0, "{out}");
    // Nothing is waited for after the last message.
    assert!(begun.elapsed() >= std::time::Duration::from_millis(300));
    let summary: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let counts = &summary["messages"]["unknown"];
    assert!(counts["receptions"].as_u64() > Some(20), "{counts}");
    assert_eq!(counts["accepted"], counts["receptions"]);
}

/// Two programs with certificates of a PKI hear each other, and one changes its pseudonym.
#[test]
fn stations_with_certificates_of_a_pki_hear_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let pki = folder.path().join("pki");
    let pki = pki.to_str().unwrap();
    let run = |words: &str| crate::support::pki(folder.path(), words);
    run("pki init @pki --no-passphrase --us");
    for name in ["car", "bus"] {
        run(&format!(
            "pki pseudonyms @pki --for {name} --weeks 1 --per-week 2"
        ));
    }
    let group = format!("239.118.50.89:{}", 20_000 + std::process::id() % 20_000);
    let start = |name: &str, duration: &str| {
        let options = [
            "station",
            "--pki",
            pki,
            "--as",
            name,
            "--group",
            &group,
            "--message",
            "bsm",
        ];
        let more = [
            "--silence",
            "50ms",
            "--duration",
            duration,
            "--format",
            "json",
        ];
        Command::new(crate::support::PROGRAM)
            .args(options)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut bus = start("bus", "60s");
    let mut car = start("car", "60s");
    let mut to_car = car.stdin.take().unwrap();
    let mut signers = std::collections::BTreeSet::new();
    let out = std::io::BufReader::new(bus.stdout.take().unwrap());
    for line in std::io::BufRead::lines(out) {
        let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        if line["event"] == "heard" && line["result"] == "success" {
            let is_new = signers.insert(line["signer"].as_str().unwrap().to_owned());
            if signers.len() == 1 && is_new {
                to_car.write_all(b"change\n").unwrap();
            }
        }
        if signers.len() == 2 {
            break;
        }
    }
    for child in [&mut bus, &mut car] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(signers.len(), 2);
}

#[test]
fn roadside_unit_stands_at_its_place_and_gpsd_that_is_not_there_is_reported() {
    let group = ["--group", "239.118.50.90:21118", "--format", "json"];
    let fixed = ["--position", "-33.9,18.4", "--duration", "1500ms"];
    let (code, out, _) = station(&[&group[..], &fixed].concat());
    assert_eq!(code, 0, "{out}");
    let summary: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    // Once a second, as it does not move.
    let sent = summary["messages"]["honest"]["sent"].as_u64();
    assert!((1..=2).contains(&sent.unwrap()), "{summary}");
    let gpsd = ["--position", "gpsd:127.0.0.1:9", "--duration", "300ms"];
    let (code, out, _) = station(&[&group[..], &gpsd].concat());
    assert_eq!(code, 1, "{out}");
    let first: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!(first["event"], "impaired");
    let reason = first["reason"].as_str().unwrap();
    assert!(reason.contains("gpsd is not connected"), "{reason}");
    assert_eq!(first["code"], "timeNotTrusted");
    let summary: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(summary["messages"], serde_json::json!({}));
    let silent = &summary["silent_stations"];
    assert_eq!(silent[0]["code"], "timeNotTrusted", "{summary}");
    assert_eq!(silent[0]["reason"], reason);
    let text = [&group[..3], &["text"], &gpsd].concat();
    let (code, out, _) = station(&text);
    assert_eq!(code, 1);
    assert_eq!(out.matches("sends nothing").count(), 1, "{out}");
    assert!(
        out.contains("Station 0 sent nothing: the time is not trusted"),
        "{out}"
    );
}
