//! The interfaces for Wireshark: the protocol by which it asks, the captures; and, in tshark, the
//! post-dissector.

mod wireshark;

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use waywarden_can_log::{LogFormat, Record, open_as};

use crate::support::workspace;

const PROGRAM: &str = env!("CARGO_BIN_EXE_waywarden");
const VEHICLE: &str = "examples/minimal.toml";
const FORGED: &str = "spduCryptoVerificationFailure";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(workspace());
    command
}

fn extcap(arguments: &[&str]) -> Output {
    let mut command = command(&["--quiet", "extcap"]);
    command.args(arguments).output().expect("it runs")
}

fn answer(arguments: &[&str]) -> String {
    let output = extcap(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn refusal(arguments: &[&str]) -> String {
    let output = extcap(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// A capture through standard output, as if it was Wireshark's pipe.
fn captured(interface: &str, arguments: &[&str]) -> Vec<u8> {
    let common = ["--extcap-interface", interface, "--capture"];
    let all = [&common[..], &["--fifo", "/dev/stdout"], arguments].concat();
    let output = extcap(&all);
    assert!(output.status.success(), "{all:?}: {output:?}");
    output.stdout
}

fn records(pcapng: Vec<u8>) -> Vec<Record> {
    let log = open_as(Cursor::new(pcapng), LogFormat::Capture).expect("a capture");
    log.map(|record| record.expect("a whole capture")).collect()
}

#[test]
fn interfaces_link_types_and_options_are_listed_as_wireshark_reads_them() {
    let version = env!("CARGO_PKG_VERSION");
    let listed = answer(&["--extcap-interfaces", "--extcap-version=4.0"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with(&format!("extcap {{version={version}}}{{help=")));
    assert_eq!(
        lines[1..],
        [
            "interface {value=waywarden-vehicle}{display=Waywarden: simulated vehicle (CAN)}",
            "interface {value=waywarden-station}{display=Waywarden: V2X stations}",
            "interface {value=waywarden-recording}\
             {display=Waywarden: recording of the V2X security service}",
        ]
    );
    let of = |interface, what| answer(&["--extcap-interface", interface, what]);
    assert_eq!(
        of("waywarden-vehicle", "--extcap-dlts"),
        "dlt {number=227}{name=CAN_SOCKETCAN}{display=SocketCAN}\n"
    );
    for interface in ["waywarden-station", "waywarden-recording"] {
        assert_eq!(
            of(interface, "--extcap-dlts"),
            "dlt {number=1}{name=EN10MB}{display=Ethernet}\n"
        );
    }
    let help = answer(&["--help"]);
    for (interface, first) in [
        ("waywarden-vehicle", "--vehicle"),
        ("waywarden-station", "--trust"),
        ("waywarden-recording", "--recording"),
    ] {
        let options = of(interface, "--extcap-config");
        assert!(options.starts_with(&format!("arg {{number=0}}{{call={first}}}")));
        for (number, line) in options.lines().enumerate() {
            assert!(line.starts_with(&format!("arg {{number={number}}}{{call=--")));
            let call = line
                .split("{call=")
                .nth(1)
                .and_then(|rest| rest.split('}').next());
            assert!(help.contains(call.expect("a call")), "{line}");
        }
    }
    let reload = ["--extcap-config", "--extcap-reload-option", "bus"];
    let reload = [&["--extcap-interface", "waywarden-vehicle"][..], &reload].concat();
    assert_eq!(answer(&reload), "");
}

#[test]
fn bad_input_is_named() {
    let vehicle = ["--extcap-interface", "waywarden-vehicle"];
    let capture = ["--capture", "--fifo", "/dev/stdout"];
    let of = |arguments: &[&str]| refusal(&[&vehicle[..], &capture, arguments].concat());
    assert!(of(&[]).contains("--vehicle: give a vehicle file"));
    assert!(of(&["--vehicle", "none.toml"]).contains("none.toml"));
    let no_bus = of(&["--vehicle", VEHICLE, "--bus", "none"]);
    assert!(no_bus.contains("has no such bus; it has "), "{no_bus}");
    let other = of(&["--vehicle", VEHICLE, "--trust", "somewhere"]);
    assert!(other.contains("--trust: it is for waywarden-station, not for waywarden-vehicle"));
    let filter = of(&["--vehicle", VEHICLE, "--extcap-capture-filter", "can"]);
    assert!(filter.contains("no capture filter"));
    assert!(of(&["--vehicle", VEHICLE, "--speed", "0"]).contains("a number from 0.001"));
    let missing = [
        "--capture",
        "--fifo",
        "target/no-such-pipe",
        "--vehicle",
        VEHICLE,
    ];
    assert!(refusal(&[&vehicle[..], &missing].concat()).contains("target/no-such-pipe"));
    assert!(refusal(&vehicle).contains("--extcap-dlts"));
    assert!(refusal(&[]).contains("--extcap-interfaces"));
    let station = ["--extcap-interface", "waywarden-station", "--speed", "2"];
    assert!(refusal(&[&station[..], &capture].concat()).contains("--speed"));
}

#[test]
fn a_vehicle_is_captured_as_run_logs_it() {
    let folder = TempDir::new().expect("a folder");
    let log = folder.path().join("log.pcapng");
    let log = log.to_str().expect("UTF-8");
    let run = [
        "run",
        VEHICLE,
        "--duration",
        "200ms",
        "--seed",
        "5",
        "--log",
        log,
    ];
    command(&run).output().expect("it runs");
    let expected = records(fs::read(log).expect("a log"));
    let options = ["--vehicle", VEHICLE, "--duration", "200ms", "--seed", "5"];
    let options = [&options[..], &["--speed", "max"]].concat();
    let found = records(captured("waywarden-vehicle", &options));
    assert!(expected.len() > 10, "{}", expected.len());
    let relative = |all: &[Record], zero: u64| {
        let one = |record: &Record| (record.at_ns - zero, format!("{:?}", record.entry));
        all.iter().map(one).collect::<Vec<_>>()
    };
    // Wireshark's times are those of the clock.
    let zero = found[0].at_ns - expected[0].at_ns;
    assert!(zero > 1_600_000_000_000_000_000, "{zero}");
    assert_eq!(relative(&found, zero), relative(&expected, 0));
}

#[test]
fn a_vehicle_takes_the_time_that_its_speed_says() {
    let options = ["--vehicle", VEHICLE, "--duration", "600ms", "--speed", "2"];
    let begun = Instant::now();
    captured("waywarden-vehicle", &options);
    assert!(begun.elapsed() >= Duration::from_millis(300));
}

#[test]
fn signals_and_closed_pipes_end_a_capture_well() {
    let common = ["extcap", "--extcap-interface", "waywarden-vehicle"];
    let capture = ["--capture", "--fifo", "/dev/stdout", "--vehicle", VEHICLE];
    let arguments = [&common[..], &capture, &["--speed", "0.01"]].concat();
    for is_signal in [true, false] {
        let mut child = command(&arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut pipe = child.stdout.take().expect("a pipe");
        // It runs once the first bytes are there.
        std::io::Read::read_exact(&mut pipe, &mut [0; 4]).expect("a beginning");
        if is_signal {
            let id = Pid::from_raw(child.id() as i32).expect("a process");
            kill_process(id, Signal::TERM).expect("a signal");
        } else {
            drop(pipe);
        }
        let begun = Instant::now();
        let status = child.wait().expect("an end");
        assert!(status.success(), "{is_signal}: {status}");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}

/// The lines of a recording: the messages of the examples, one of them refused, and other bytes.
fn recording(folder: &Path) -> PathBuf {
    let text = fs::read_to_string(workspace().join("examples/v2x/messages.hex"));
    let text = text.expect("the examples");
    let messages = text.lines().filter(|line| !line.starts_with('#'));
    let messages = messages.filter_map(|line| line.split_whitespace().last());
    let mut lines = String::new();
    for (number, message) in messages.take(3).chain(["c0ffee"]).enumerate() {
        let verdict = match number {
            1 => format!(
                r#""result":"{FORGED}","report":"FALSE_SIGNATURE","reason":"no fit","psid":36"#
            ),
            3 => r#""result":"spduParsingInvalidInput","report":"FALSE_SIGNATURE""#.to_owned(),
            _ => r#""result":"success","report":"SUCCESS","signer":"571f3cb01245ada8""#.to_owned(),
        };
        let tai = 700_000_000_000_000_u64 + 50_000 * number as u64;
        lines += &format!(
            "{{\"sequence\":{number},\"received\":{{\"tai\":{tai}}},\"latencyMicroseconds\":40,\
             \"message\":\"{message}\",\"verification\":{{{verdict}}}}}\n"
        );
    }
    let path = folder.join("verdicts-000001.jsonl");
    fs::write(&path, lines).expect("a recording");
    path
}

#[test]
fn a_recording_is_captured_with_its_verdicts() {
    let folder = TempDir::new().expect("a folder");
    let path = recording(folder.path());
    let options = ["--recording", path.to_str().expect("UTF-8")];
    let begun = Instant::now();
    let bytes = captured("waywarden-recording", &options);
    assert!(begun.elapsed() >= Duration::from_millis(150));
    let capture = folder.path().join("capture.pcapng");
    fs::write(&capture, &bytes).expect("a capture");
    let text = String::from_utf8_lossy(&bytes);
    for comment in [
        "waywarden accepted verdict=success signer=571f3cb01245ada8",
        "waywarden refused verdict=spduCryptoVerificationFailure psid=36 reason=no fit",
        "waywarden refused verdict=spduParsingInvalidInput",
    ] {
        assert!(text.contains(comment), "{comment}");
    }
    // The frames are those that `verify` reads: bare messages are in a WAVE short message now.
    let capture = capture.to_str().expect("UTF-8");
    let trust = ["--trust", "examples/v2x/trust", "--at", "generation"];
    let verify = [&["verify", capture, "--format", "jsonl"][..], &trust].concat();
    let verdicts = command(&verify).output().expect("it runs").stdout;
    let verdicts = String::from_utf8(verdicts).expect("UTF-8");
    assert_eq!(
        verdicts.matches("\"accepted\":true").count(),
        3,
        "{verdicts}"
    );
}

#[test]
fn a_damaged_recording_is_refused_with_its_line() {
    let folder = TempDir::new().expect("a folder");
    let path = recording(folder.path());
    let options = ["--extcap-interface", "waywarden-recording", "--capture"];
    let options = [&options[..], &["--fifo", "/dev/stdout", "--speed", "max"]].concat();
    let name = path.to_str().expect("UTF-8");
    let text = fs::read_to_string(&path).expect("a recording");
    let broken = text.replacen("\"sequence\":2", "\"sequence\":x", 1);
    fs::write(&path, broken).expect("a recording");
    let output = extcap(&[&options[..], &["--recording", name]].concat());
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        errors.contains("verdicts-000001.jsonl:3: no verdict"),
        "{errors}"
    );
    fs::write(&path, b"\x89MCAP0\r\n").expect("a recording");
    let mcap = refusal(&[&options[..], &["--recording", name]].concat());
    assert!(mcap.contains("format json-lines"), "{mcap}");
    // A part of a line at the end is no error: the service was killed.
    fs::write(&path, &text[..text.len() - 10]).expect("a recording");
    let cut = extcap(&[&options[..], &["--recording", name]].concat());
    assert!(cut.status.success());
}
