//! The screen, in a terminal that `script` makes.

use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Runs stations in a terminal, types once two of them hear each other, and ends them.
#[test]
fn stations_are_shown_live_and_commands_are_typed() {
    let program = crate::support::PROGRAM;
    let command =
        format!("stty rows 40 cols 120; {program} station --stations 2 --link memory --speed 45");
    let child = Command::new("script")
        .args(["-q", "-e", "-c", &command, "/dev/null"])
        .env("TERM", "xterm-256color")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: `script` is missing (apt-get install bsdutils)");
        return;
    };
    let mut input = child.stdin.take().unwrap();
    let mut out = child.stdout.take().unwrap();
    let (sender, parts) = channel();
    std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = out.read(&mut part) {
            let _ = sender.send(part[..count].to_vec());
        }
    });
    let size = |size| NonZero::new(size).unwrap();
    let mut terminal = vt100::Parser::new(size(40), size(120), 0);
    let mut wait = |what: &str| {
        let begun = Instant::now();
        while !terminal.screen().contents().contains(what) {
            let late = begun.elapsed() > Duration::from_secs(30);
            match parts.recv_timeout(Duration::from_secs(30)) {
                Ok(part) if !late => terminal.process(&part),
                _ => panic!("{what}: {}", terminal.screen().contents()),
            }
        }
    };
    wait("Stations in reach");
    wait("1 in reach");
    // A line that is no command is reported below the tables, and a warning is sent.
    input.write_all(b"jump\r").unwrap();
    wait("expected: event CAUSE");
    input.write_all(b"event 94\r").unwrap();
    wait("warning 94");
    // ^C. The summary stands on the screen that was there before.
    input.write_all(b"\x03").unwrap();
    wait("within 100 ms");
    assert!(child.wait().unwrap().success());
}
