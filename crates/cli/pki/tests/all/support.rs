//! The parts that the tests of the commands share.

use std::ffi::OsString;
use std::ops::Deref;

use assert_cmd::Command;
use waywarden_command_line::program;
use waywarden_command_v2x::program::V2xArguments;
use waywarden_testkit::{CommandWorld, OtherCommands};
pub(crate) use waywarden_testkit::{Ended, corpus, snapshot, workspace};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_waywarden-pki");

/// The command under test, in the workspace's folder.
pub(crate) fn waywarden() -> Command {
    let mut command = Command::new(PROGRAM);
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

/// A folder with PKIs, and the commands in it.
pub(crate) struct World(CommandWorld);

impl World {
    pub(crate) fn new() -> Self {
        let names = &["sign", "verify", "inspect", "encrypt", "decrypt"];
        Self(CommandWorld::new(PROGRAM).with(OtherCommands { names, run }))
    }
}

impl Deref for World {
    type Target = CommandWorld;

    fn deref(&self) -> &CommandWorld {
        &self.0
    }
}

fn run(words: Vec<OsString>) -> Ended {
    let arguments = [OsString::from("waywarden")].into_iter().chain(words);
    let finished = program::run_here::<V2xArguments>(arguments.collect());
    Ended {
        code: Some(finished.code.into()),
        out: finished.out,
        complaint: finished.complaint,
    }
}
