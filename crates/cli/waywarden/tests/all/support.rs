//! What the tests of the command share.

use std::ops::Deref;

use assert_cmd::Command;
use waywarden_testkit::CommandWorld;
pub(crate) use waywarden_testkit::{Ended, corpus, snapshot, workspace};

/// The command under test, in the workspace's folder.
pub(crate) fn waywarden() -> Command {
    let mut command = Command::cargo_bin("waywarden").expect("the command is built");
    command.current_dir(workspace());
    command
}

/// A folder with PKIs, and the command in it.
pub(crate) struct World(CommandWorld);

impl World {
    pub(crate) fn new() -> Self {
        Self(CommandWorld::new(env!("CARGO_BIN_EXE_waywarden")))
    }
}

impl Deref for World {
    type Target = CommandWorld;

    fn deref(&self) -> &CommandWorld {
        &self.0
    }
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
