//! What the tests of the command share.

pub(crate) mod capture;

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// The command under test, in the workspace's folder.
pub(crate) fn waywarden() -> Command {
    let mut command = Command::cargo_bin("waywarden").expect("the command is built");
    command.current_dir(workspace());
    command
}

/// The workspace's folder.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the corpus; `None`, with a message, where the corpus is missing and may be.
pub(crate) fn corpus(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("WAYWARDEN_CORPUS")
        .map_or_else(|| workspace().join("../shared/corpus"), PathBuf::from);
    let file = root.join(path);
    if file.exists() {
        return Some(file);
    }
    let required = std::env::var("WAYWARDEN_REQUIRE_CORPUS").is_ok_and(|value| value == "1");
    assert!(
        !required,
        "the corpus is required and {} is missing",
        file.display()
    );
    println!("skipped: corpus not found");
    None
}

/// The rows of a document that is a list, from standard output.
pub(crate) fn rows(command: &mut Command) -> serde_json::Value {
    json(command)["rows"].take()
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
