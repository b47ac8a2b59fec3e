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
