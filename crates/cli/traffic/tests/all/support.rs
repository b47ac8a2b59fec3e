//! The parts that the tests of the command share.

use assert_cmd::Command;
use waywarden_testkit::workspace;

/// The command under test, in the workspace's folder.
pub(crate) fn waywarden() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_waywarden-traffic"));
    command.current_dir(workspace());
    command
}

/// Standard output as JSON.
pub(crate) fn json(command: &mut Command) -> serde_json::Value {
    let output = command.output().expect("it runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "no JSON: {error}: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}
