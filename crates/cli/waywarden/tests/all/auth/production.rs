//! An independent program that follows the published rules of the profile `production` finds the
//! same in every frame of every log, both ways.

use std::process::Command;

use crate::support::workspace;
use waywarden_testkit::{cases, output_of, python_with};

#[test]
fn verdicts_are_those_of_the_published_rules() {
    let Some(python) = python_with("cryptography") else {
        return;
    };
    let oracle = workspace().join("crates/cli/waywarden/tests/all/auth/production_oracle.py");
    let rounds = cases(12).min(200).to_string();
    let mut command = Command::new(python);
    command
        .arg(oracle)
        .args(["compare", env!("CARGO_BIN_EXE_waywarden")]);
    let printed = output_of(command.args(["--rounds", &rounds]));
    assert!(printed.contains("authentic"), "{printed}");
}
