//! The figures and verdicts of `waywarden run`, recomputed from the traces of random vehicles by a
//! program that shares no code with it: `xtask/truth-oracle`.

use std::process::Command;

use crate::support::workspace;
use waywarden_testkit::{python_with, seeds};

#[test]
fn figures_and_verdicts_of_random_vehicles_follow_from_their_traces() {
    let Some(python) = python_with("tomllib") else {
        return;
    };
    // `make soak` has a run of its own, with more of them.
    let seeds = seeds(60).min(200).to_string();
    let mut command = Command::new(python);
    command
        .arg(workspace().join("xtask/truth-oracle"))
        .args(["random", "--seeds", &seeds, "--jobs", "2"])
        .args(["--binary", env!("CARGO_BIN_EXE_waywarden")]);
    let output = command.output().expect("a program that starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}{errors}");
}
