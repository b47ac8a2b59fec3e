//! A log is judged as a log, and a pipe while it comes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use super::Bench;

const COUNTER: &str = "scheme = \"secoc\"\nprofile = \"autosar-1\"\nprotect = [0x120]";

/// The protected log of messages under 0x120, 10 ms apart.
fn protected(bench: &Bench, count: usize) -> Vec<String> {
    let line = |at: usize| format!("({}.{:02}0000) can0 120#{at:08X}\n", 1 + at / 100, at % 100);
    bench.write("a.log", &(0..count).map(line).collect::<String>());
    bench.protect(&bench.path("a.log"))
}

#[test]
fn log_with_gaps_is_authentic_and_an_ecu_would_have_refused_it() {
    let bench = Bench::new(COUNTER);
    let lines = protected(&bench, 1_000);
    let kept: Vec<String> = lines.into_iter().step_by(40).skip(15).collect();
    bench.write("p.log", &(kept.join("\n") + "\n"));
    let check = |arguments: &[&str]| bench.auth("check", &bench.path("p.log"), arguments);
    let (code, printed, said) = check(&[]);
    assert_eq!(code, Some(0), "{printed}{said}");
    assert!(
        said.contains("judged as a log, with hindsight, in one pass"),
        "{said}"
    );
    assert!(
        said.contains("0x120 on can0 begins at counter 601"),
        "{said}"
    );
    assert_eq!(check(&["--counter", "0x120=601"]).0, Some(0));
    assert_eq!(check(&["--counter", "900"]).0, Some(1));
    assert_ne!(check(&["--as-ecu"]).0, Some(0));
    let (code, _, said) = check(&["--counter", "0x121=1"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("has no stream 0x121; it has 0x120"), "{said}");
}

#[test]
fn wrong_key_has_a_hint_and_an_exit_code_of_its_own() {
    let bench = Bench::new(COUNTER);
    let lines = protected(&bench, 3);
    bench.write("p.log", &(lines.join("\n") + "\n"));
    bench.write(
        "auth.toml",
        &bench.read("auth.toml").replace("ccddeeff", "ccddeef0"),
    );
    let (code, _, said) = bench.auth("check", &bench.path("p.log"), &[]);
    assert_eq!(code, Some(3), "{said}");
    let hint = "no tag of any stream is right: wrong key, wrong data ids, or not protected";
    assert!(said.contains(hint), "{said}");
}

#[test]
fn verdict_in_a_pipe_comes_before_the_next_frame() {
    let bench = Bench::new(COUNTER);
    let lines = protected(&bench, 3);
    let mut check = Command::new(env!("CARGO_BIN_EXE_waywarden"))
        .args(["auth", "check", "-", "--verdicts", "-", "--config"])
        .arg(bench.path("auth.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = check.stdin.take().unwrap();
    let mut verdicts = BufReader::new(check.stdout.take().unwrap());
    for line in lines {
        writeln!(input, "{line}").unwrap();
        let mut verdict = String::new();
        verdicts.read_line(&mut verdict).unwrap();
        assert_eq!(verdict, format!("{line}  authentic\n"));
    }
    drop(input);
    assert!(check.wait().unwrap().success());
}

/// Nothing comes behind the message but a part of the next line.
#[test]
fn message_without_its_tag_is_missing_although_the_bus_is_silent() {
    for source in ["-", "/dev/stdin"] {
        follow_silent_bus(source);
    }
}

fn follow_silent_bus(source: &str) {
    let bench = Bench::new("scheme = \"vatican\"\nprotect = [0x120]");
    let lines = protected(&bench, 3);
    let mut check = Command::new(env!("CARGO_BIN_EXE_waywarden"))
        .args(["auth", "check", source, "--verdicts", "-", "--config"])
        .arg(bench.path("auth.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = check.stdin.take().unwrap();
    let mut verdicts = BufReader::new(check.stdout.take().unwrap());
    let mut next = || {
        let mut verdict = String::new();
        verdicts.read_line(&mut verdict).unwrap();
        verdict
    };
    let (begun, rest) = lines[1].split_at(9);
    write!(input, "{}\n{begun}", lines[0]).unwrap();
    assert_eq!(next(), format!("{}  missing\n", lines[0]));
    write!(input, "{rest}\n{}\n{}\n", lines[2], lines[3]).unwrap();
    for line in &lines[1..4] {
        assert_eq!(next(), format!("{line}  authentic\n"));
    }
    drop(input);
    let output = check.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("warning: 1 message given up after 1 s, although the tag came later"),
        "{said}"
    );
}

#[test]
fn frames_of_no_stream_are_refused_if_asked_and_damage_is_another_matter() {
    let bench = Bench::new(COUNTER);
    let mut lines = protected(&bench, 3);
    lines.push("(9.000000) can0 7DF#0100".to_owned());
    bench.write("p.log", &(lines.join("\n") + "\n"));
    let check = |arguments: &[&str]| bench.auth("check", &bench.path("p.log"), arguments).0;
    assert_eq!(check(&[]), Some(0));
    assert_eq!(check(&["--strict"]), Some(0));
    assert_eq!(check(&["--no-unknown"]), Some(1));
    bench.write("p.log", &(lines.join("\n") + "\nrubbish\n"));
    assert_eq!(check(&["--no-unknown"]), Some(1));
    assert_eq!(check(&["--strict"]), Some(2));
}

/// can-utils read six digits.
#[test]
fn messages_have_microseconds_unless_nanoseconds_are_asked_for() {
    let bench = Bench::new(COUNTER);
    let fine = "(1.000000001) can0 120#00000001\n(1.000002000) can0 120#00000002\n";
    bench.write("a.log", fine);
    let (_, printed, said) = bench.auth("protect", &bench.path("a.log"), &[]);
    assert!(printed.starts_with("(1.000000) can0 120#"), "{printed}");
    let note = "note: 1 time stamp rounded to microseconds, as can-utils need them; \
                --nanoseconds keeps them";
    assert!(said.contains(note), "{said}");
    let (_, printed, said) = bench.auth("protect", &bench.path("a.log"), &["--nanoseconds"]);
    assert!(printed.starts_with("(1.000000001) can0 120#"), "{printed}");
    assert!(!said.contains("rounded to microseconds"), "{said}");
}

#[test]
fn interface_that_cannot_be_opened_says_what_to_do() {
    let bench = Bench::new(COUNTER);
    let mut command = crate::support::waywarden();
    command.args(["auth", "check", "--interface", "nocan0", "--config"]);
    let output = command.arg(bench.path("auth.toml")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: --interface nocan0: "), "{said}");
}

#[test]
fn bit_rate_for_the_live_table_is_refused_for_a_file() {
    let bench = Bench::new(COUNTER);
    let lines = protected(&bench, 3);
    bench.write("p.log", &(lines.join("\n") + "\n"));
    let (code, _, said) = bench.auth("check", &bench.path("p.log"), &["--bitrate", "500k"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("waywarden bus load "), "{said}");
}
