//! `waywarden station --send`: messages of files, as other programs and `inspect` read them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use waywarden_testkit::{has_tshark, output_of};

use super::{recorded, station};
use crate::support::{json, pki, waywarden, workspace};

fn example(name: &str) -> PathBuf {
    workspace().join("examples/v2x/junction").join(name)
}

fn content(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The layers of a kind in the messages of a recording, as `inspect` shows them.
fn inspected(recording: &Path, kind: &str) -> Vec<Value> {
    let mut inspect = waywarden();
    inspect
        .arg("inspect")
        .arg(recording)
        .args(["--format", "json"]);
    let all = json(&mut inspect);
    let rows = all["rows"].as_array().unwrap().clone();
    let layers = rows.into_iter().flat_map(|row| {
        let layers = row["payload"].as_array().cloned();
        layers.unwrap_or_default()
    });
    layers.filter(|layer| layer["kind"] == kind).collect()
}

#[test]
fn messages_of_files_are_sent_verified_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let warning = workspace().join("crates/cli/v2x/tests/all/neighbourhood/denm2.json");
    let files = [
        format!("{}@100", example("spatem.json").display()),
        example("mapem.json").display().to_string(),
        warning.display().to_string(),
    ];
    let mut options = vec!["--stations", "2", "--duration", "4s", "--format", "json"];
    for file in &files {
        options.extend(["--send", file]);
    }
    let path = folder.path().join("sent.pcapng");
    let record = ["--virtual-time", "--record", path.to_str().unwrap()];
    let (code, out, errors) = station(&[&options[..], &record].concat());
    assert_eq!((code, &errors[..]), (0, ""), "{out}");
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (kind, least) in [("spatem", 35), ("mapem", 3), ("denm", 3), ("cam", 3)] {
        let heard = lines
            .iter()
            .filter(|line| line["event"] == "heard" && line["kind"] == kind);
        let own: Vec<_> = heard.filter(|line| line["station"] == 1).collect();
        assert!(own.len() >= least, "{kind}: {}", own.len());
        assert!(own.iter().all(|line| line["result"] == "success"), "{kind}");
        // The cause of the DENM, which is of release 2.
        let cause = own[0]["road_event"]["cause_code"].as_u64();
        assert_eq!(cause, (kind == "denm").then_some(6), "{kind}");
        let is_of_file = own.iter().all(|line| line["station_id"] == 5001);
        assert_eq!(is_of_file, kind != "cam", "{kind}");
    }
    for (name, kind) in [("spatem.json", "SPATEM"), ("mapem.json", "MAPEM")] {
        let layers = inspected(&path, kind);
        assert!(layers.len() >= 3, "{kind}");
        let value = content(&example(name))["value"].clone();
        assert!(layers.iter().all(|layer| layer["value"] == value), "{kind}");
    }
    if has_tshark() {
        let fields = [
            "-T",
            "fields",
            "-e",
            "frame.protocols",
            "-e",
            "its.messageID",
        ];
        let mut tshark = Command::new("tshark");
        let read = output_of(tshark.arg("-r").arg(&path).args(fields));
        assert!(
            read.lines()
                .all(|line| line.starts_with("eth:ethertype:gnw:ieee1609dot2:btpb:its"))
        );
        let verbose = output_of(Command::new("tshark").arg("-r").arg(&path).args(["-V"]));
        assert!(
            !verbose.contains("Malformed"),
            "tshark cannot read a message"
        );
    }
}

/// A recorded message is sent again: `inspect` writes what `--send` reads.
#[test]
fn layer_of_inspect_is_a_file_to_send() {
    let folder = tempfile::tempdir().unwrap();
    let path = recorded(folder.path(), &["--duration", "2s", "--stations", "2"]);
    let awareness = inspected(&path, "CAM").remove(0);
    let file = folder.path().join("cam.json");
    fs::write(&file, awareness.to_string()).unwrap();
    let again = folder.path().join("again");
    fs::create_dir(&again).unwrap();
    let send = [
        "--duration",
        "2s",
        "--stations",
        "2",
        "--send",
        file.to_str().unwrap(),
    ];
    let sent = inspected(&recorded(&again, &send), "CAM");
    let own = sent.iter().filter(|one| one["value"] == awareness["value"]);
    assert!(own.count() >= 2);
}

#[test]
fn certificate_without_the_permission_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    pki(folder.path(), "pki init @pki --no-passphrase");
    pki(folder.path(), "pki issue @pki --name car --psid CAM");
    let (file, own) = (example("spatem.json"), folder.path().join("pki"));
    let identity = [
        "--pki",
        own.to_str().unwrap(),
        "--as",
        "car",
        "--duration",
        "1s",
    ];
    let (code, out, errors) =
        station(&[&identity[..], &["--send", file.to_str().unwrap()]].concat());
    assert_eq!((code, &out[..]), (2, ""));
    for expected in [
        "spatem.json: the station's certificate does not permit this SPATEM: its appPermissions",
        "`waywarden pki issue --psid SPATEM`",
    ] {
        assert!(errors.contains(expected), "{errors}");
    }
}

/// Writes the example of each kind of message that the page lists; returns the options for them.
fn every_kind(folder: &Path) -> (Vec<String>, Vec<String>) {
    let page = fs::read_to_string(workspace().join("docs/stations.md")).unwrap();
    let row = page.lines().find(|line| line.starts_with("| `kind` |"));
    let words = row.expect("the kinds").split('`').skip(3).step_by(2);
    let kinds: Vec<String> = words.map(str::to_owned).collect();
    assert_eq!(kinds.len(), 11, "{kinds:?}");
    let mut options = Vec::new();
    for kind in &kinds {
        let release = match kind.as_str() {
            "J2735-MessageFrame" => vec![],
            "VAM" => vec!["--release", "2"],
            _ => vec!["--release", "1"],
        };
        let mut encode = waywarden();
        let encode = encode.args(["encode", "--example", kind]).args(release);
        let path = folder.join(format!("{kind}.json"));
        fs::write(&path, output_of_command(encode)).unwrap();
        options.extend(["--send".to_owned(), path.to_str().unwrap().to_owned()]);
    }
    (kinds, options)
}

fn output_of_command(command: &mut assert_cmd::Command) -> Vec<u8> {
    command.assert().success().get_output().stdout.clone()
}

#[test]
fn every_kind_of_the_page_is_sent_by_a_station_of_the_laboratory() {
    let folder = tempfile::tempdir().unwrap();
    let (kinds, send) = every_kind(folder.path());
    let mut options = vec!["--stations", "2", "--duration", "2s", "--format", "json"];
    options.push("--virtual-time");
    options.extend(send.iter().map(String::as_str));
    let (code, out, errors) = station(&options);
    assert_eq!((code, &errors[..]), (0, ""), "{out}");
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
    let heard: Vec<Value> = lines
        .filter(|line: &Value| line["event"] == "heard" && line["station"] == 1)
        .collect();
    for kind in kinds {
        // The example of a frame is a MAP.
        let name = match kind.as_str() {
            "J2735-MessageFrame" => "map".to_owned(),
            kind => kind.to_lowercase(),
        };
        let own = heard.iter().find(|line| line["kind"] == name);
        assert_eq!(own.expect(&name)["result"], "success", "{name}");
    }
}

/// The authorities that `pki init` makes permit each European message of the page.
#[test]
fn every_european_kind_of_the_page_is_sent_by_a_station_of_a_new_pki() {
    let folder = tempfile::tempdir().unwrap();
    let (kinds, send) = every_kind(folder.path());
    let european = |kind: &&String| *kind != "J2735-MessageFrame";
    let permissions: Vec<String> = kinds
        .iter()
        .filter(european)
        .map(|kind| format!("--psid {kind}"))
        .collect();
    pki(folder.path(), "pki init @pki --no-passphrase");
    let issue = format!("pki issue @pki --name rsu {}", permissions.join(" "));
    pki(folder.path(), &issue);
    let own = folder.path().join("pki");
    let path = folder.path().join("sent.pcapng");
    let group = format!("239.118.50.93:{}", 20_000 + std::process::id() % 20_000);
    let mut options = vec!["--pki", own.to_str().unwrap(), "--as", "rsu"];
    options.extend(["--group", &group, "--duration", "3s"]);
    options.extend(["--record", path.to_str().unwrap()]);
    let sent = send.chunks(2).filter(|option| !option[1].contains("J2735"));
    options.extend(sent.flatten().map(String::as_str));
    let (code, out, errors) = station(&options);
    assert_eq!((code, &errors[..]), (0, ""), "{out}");
    for kind in kinds.iter().filter(european) {
        let layers = inspected(&path, kind);
        assert!(!layers.is_empty(), "{kind}");
        let is_read = layers.iter().all(|layer| layer["error"].is_null());
        assert!(is_read, "{kind}: {layers:?}");
    }
    let trust = own.join("trust");
    let mut verify = waywarden();
    verify.arg("verify").arg(&path).arg("--trust").arg(&trust);
    let verified = json(verify.args(["--at", "capture", "--format", "json"]));
    let messages = verified["messages"].as_array().unwrap();
    assert!(messages.len() >= 10, "{verified}");
    for message in messages {
        assert_eq!(message["verdict"], "success", "{message}");
    }
}
