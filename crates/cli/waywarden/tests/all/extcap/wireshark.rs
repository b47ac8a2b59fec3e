//! tshark with the interfaces and the post-dissector.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use waywarden_testkit::{has_tshark, output_of};

use super::{FORGED, PROGRAM, VEHICLE, captured, command, recording};
use crate::support::workspace;

/// Packets that are captured of stations: of about three seconds.
const PACKETS: usize = 16;

/// Fields of the post-dissector that tshark finds in a capture: a line a packet.
fn dissected(capture: &Path, preferences: &[String], filter: &str) -> Vec<String> {
    let script = workspace().join("packaging/wireshark/waywarden.lua");
    let mut tshark = Command::new("tshark");
    tshark.arg(format!("-Xlua_script:{}", script.display()));
    tshark.arg("-r").arg(capture).args(["-Y", filter]);
    for preference in preferences {
        tshark.args(["-o", preference]);
    }
    tshark.args(["-T", "fields", "-E", "separator=|"]);
    for field in ["accepted", "verdict", "signer", "psid", "reason", "failure"] {
        tshark.args(["-e", &format!("waywarden.{field}")]);
    }
    output_of(&mut tshark).lines().map(str::to_owned).collect()
}

/// A capture of stations, one of them hostile, and the folder with their trust.
fn stations(folder: &Path) -> (PathBuf, PathBuf) {
    let (capture, trust) = (folder.join("n.pcapng"), folder.join("trust"));
    let mut station = command(&["station", "--stations", "3", "--attack", "forged"]);
    station.args(["--virtual-time", "--duration", "2s", "--record"]);
    station.arg(&capture).arg("--write-trust").arg(&trust);
    station.output().expect("it runs");
    (capture, trust)
}

#[test]
fn the_post_dissector_shows_comments_and_verdicts_of_files_and_of_a_run() {
    if !has_tshark() {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    // By the comments of a capture.
    let path = recording(folder.path());
    let options = [
        "--speed",
        "max",
        "--recording",
        path.to_str().expect("UTF-8"),
    ];
    let capture = folder.path().join("recording.pcapng");
    fs::write(&capture, captured("waywarden-recording", &options)).expect("a capture");
    let lines = dissected(&capture, &[], "frame");
    assert_eq!(
        lines,
        [
            "1|success|571f3cb01245ada8|||",
            "0|spduCryptoVerificationFailure||36|no fit|",
            "1|success|571f3cb01245ada8|||",
            "0|spduParsingInvalidInput||||",
        ]
    );
    assert_eq!(dissected(&capture, &[], "waywarden.refused").len(), 2);
    // By a file of verdicts, and by a run of the command: both tell the same.
    let (capture, trust) = stations(folder.path());
    assert!(dissected(&capture, &[], "waywarden").is_empty());
    let verdicts = folder.path().join("verdicts.jsonl");
    let mut verify = command(&["verify", "--at", "capture", "--format", "jsonl"]);
    let verify = verify.arg("--trust").arg(&trust).arg(&capture);
    fs::write(&verdicts, verify.output().expect("it runs").stdout).expect("verdicts");
    let of_file = [format!("waywarden.verdicts:{}", verdicts.display())];
    let of_run = [
        format!("waywarden.capture:{}", capture.display()),
        format!("waywarden.trust:{}", trust.display()),
        format!("waywarden.command:{PROGRAM}"),
    ];
    let all = dissected(&capture, &of_file, "waywarden");
    assert_eq!(all, dissected(&capture, &of_run, "frame"));
    let refused = dissected(&capture, &of_file, "waywarden.accepted == 0");
    assert!(!refused.is_empty() && refused.len() < all.len());
    let forged = |line: &String| line.starts_with(&format!("0|{FORGED}|")) && line.contains("|36|");
    assert!(refused.iter().all(forged), "{refused:?}");
    // A file without verdicts, and a command that is not there.
    let (ours, nothing) = (
        capture.display(),
        "waywarden.command:no-such-command".to_owned(),
    );
    for wrong in [
        vec![format!("waywarden.verdicts:{ours}")],
        vec![format!("waywarden.capture:{ours}"), nothing],
    ] {
        let packets = dissected(&capture, &wrong, "waywarden.failure");
        assert_eq!(packets.len(), all.len(), "{wrong:?}");
    }
}

/// A folder with the program that Wireshark starts, which calls the command under test.
fn extcap_folder(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let programs = folder.join("extcap");
    fs::create_dir(&programs).expect("a folder");
    let script = workspace().join("packaging/wireshark/waywarden-extcap");
    let script = fs::read_to_string(script).expect("the script");
    let called = script.replace("exec waywarden ", &format!("exec '{PROGRAM}' "));
    assert_ne!(called, script);
    let program = programs.join("waywarden-extcap");
    fs::write(&program, called).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
    programs
}

/// A program that is not root's: as root, tshark takes no folder of ours.
fn unprivileged(program: &str) -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("unshare");
    command.args(["--map-user=1000", "--map-group=1000", program]);
    command
}

#[test]
fn tshark_captures_from_a_vehicle_and_from_stations() {
    if !has_tshark() {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let programs = extcap_folder(folder.path());
    let tshark = |arguments: &[&str]| {
        let mut tshark = unprivileged("tshark");
        tshark.env("WIRESHARK_EXTCAP_DIR", &programs);
        tshark.current_dir(workspace()).args(arguments);
        tshark
    };
    if !unprivileged("true")
        .status()
        .is_ok_and(|status| status.success())
    {
        println!("skipped: root without user namespaces, whose folder tshark does not take");
        return;
    }
    let listed = output_of(&mut tshark(&["-D"]));
    assert!(
        listed.contains("waywarden-station (Waywarden: V2X stations)"),
        "{listed}"
    );
    // A vehicle: Wireshark gives the options of its dialogue.
    let vehicle = format!("extcap.waywarden_vehicle.vehicle:{VEHICLE}");
    let mut capture = tshark(&["-i", "waywarden-vehicle", "-o", &vehicle]);
    capture.args(["-o", "extcap.waywarden_vehicle.duration:100ms"]);
    capture.args(["-T", "fields", "-e", "frame.protocols", "-e", "can.id"]);
    let frames = output_of(&mut capture);
    let is_can = |line: &str| line.starts_with("can");
    assert!(
        frames.lines().count() > 5 && frames.lines().all(is_can),
        "{frames}"
    );
    // Stations, until so many packets were captured: then Wireshark ends the program.
    let (_, trust) = stations(folder.path());
    let port = 40_000 + std::process::id() % 20_000;
    let group = format!("239.118.50.89:{port}");
    let mut air = command(&["station", "--stations", "2", "--duration", "60s", "--group"]);
    let mut air = air
        .arg(&group)
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let script = workspace().join("packaging/wireshark/waywarden.lua");
    let script = format!("-Xlua_script:{}", script.display());
    let mut capture = tshark(&[
        &script,
        "-i",
        "waywarden-station",
        "-c",
        &PACKETS.to_string(),
    ]);
    let trust = format!("extcap.waywarden_station.trust:{}", trust.display());
    let group = format!("extcap.waywarden_station.group:{group}");
    capture.args(["-o", &trust, "-o", &group, "-T", "fields"]);
    capture.args(["-e", "waywarden.verdict", "-e", "frame.protocols"]);
    let lines = output_of(&mut capture);
    air.kill().expect("a process");
    air.wait().expect("an end");
    check_packets(&lines);
}

/// Every packet is a message with a verdict.
fn check_packets(lines: &str) {
    // The first messages may name certificates that came before the capture.
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), PACKETS, "{lines:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("success\t")),
        "{lines:?}"
    );
    for line in lines {
        let (verdict, protocols) = line.split_once('\t').expect("two fields");
        assert!(!verdict.is_empty(), "{line}");
        assert!(
            protocols.starts_with("eth:ethertype:gnw:ieee1609dot2"),
            "{line}"
        );
    }
}
