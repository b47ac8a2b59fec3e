//! Outside programs that tests compare with.

use std::path::PathBuf;
use std::process::Command;

use crate::{required, workspace};

/// Returns a Python that has a module: `$WAYWARDEN_PYTHON`, or the one that `make oracles`
/// installs. Returns `None`, with a message, where there is none.
///
/// # Panics
///
/// If there is none under `WAYWARDEN_REQUIRE_ORACLES=1`.
#[must_use]
pub fn python_with(module: &str) -> Option<PathBuf> {
    let ours = || workspace().join("target/oracles/bin/python");
    let python = std::env::var_os("WAYWARDEN_PYTHON").map_or_else(ours, PathBuf::from);
    let import = format!("import {module}");
    let output = Command::new(&python).args(["-c", &import]).output();
    let works = output.as_ref().is_ok_and(|output| output.status.success());
    if !works {
        // Why an import fails is seen nowhere else.
        println!("{}: {output:?}", python.display());
    }
    found(works, module).then_some(python)
}

/// Returns whether tshark runs; prints a message where not.
///
/// # Panics
///
/// If it does not run under `WAYWARDEN_REQUIRE_ORACLES=1`.
#[must_use]
pub fn has_tshark() -> bool {
    found(runs(Command::new("tshark").arg("--version")), "tshark")
}

/// Returns whether a program answers to `--version`; prints a message where not.
///
/// # Panics
///
/// If it does not under `WAYWARDEN_REQUIRE_ORACLES=1`.
#[must_use]
pub fn has_program(name: &str) -> bool {
    found(runs(Command::new(name).arg("--version")), name)
}

/// Returns the program gpsd; `None`, with a message, where there is none. Debian has it in
/// `/usr/sbin`, which is not in the path of every user.
///
/// # Panics
///
/// If there is none under `WAYWARDEN_REQUIRE_ORACLES=1`.
#[must_use]
pub fn gpsd() -> Option<PathBuf> {
    let mut programs = ["gpsd", "/usr/sbin/gpsd"].into_iter().map(PathBuf::from);
    let program = programs.find(|program| runs(Command::new(program).arg("-V")));
    found(program.is_some(), "gpsd").then_some(program)?
}

/// Runs a command to its end and returns what it printed.
///
/// # Panics
///
/// If it cannot be run, fails, or prints anything but UTF-8.
pub fn output_of(command: &mut Command) -> String {
    let output = command.output().expect("a program that starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn runs(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

pub(crate) fn found(works: bool, name: &str) -> bool {
    assert!(
        works || !required("WAYWARDEN_REQUIRE_ORACLES"),
        "{name} is required and does not run"
    );
    if !works {
        println!("skipped: {name} not found");
    }
    works
}
