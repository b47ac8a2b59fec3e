//! Shared parts of the command's tests.

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

/// Reads the tables of a text whose columns fold and whose cells break: for each its rows, of which
/// the first one has the headers.
pub(crate) fn tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let (mut rows_are_apart, mut is_new_row) = (false, true);
    for (at, line) in text.lines().enumerate() {
        match line.chars().next() {
            Some('┌') => {
                let rest = text.lines().skip(at + 1);
                let mut own = rest.take_while(|line| !line.starts_with('└'));
                rows_are_apart = own.any(|line| line.starts_with('├'));
                tables.push(Vec::new());
                is_new_row = true;
            }
            Some('╞' | '├') => is_new_row = true,
            Some('│') => {
                let table = tables.last_mut().expect("a table has begun");
                let cells = line.trim_matches('│').split('┆').map(str::trim);
                if is_new_row || table.len() > 1 && !rows_are_apart {
                    table.push(cells.map(str::to_owned).collect());
                } else {
                    let row = table.last_mut().expect("a row has begun");
                    for (cell, more) in row
                        .iter_mut()
                        .zip(cells)
                        .filter(|(_, more)| !more.is_empty())
                    {
                        // A name breaks behind a sign, a text at a blank.
                        let is_name = cell.is_empty() || cell.ends_with(['_', '-', '/', '.', ':']);
                        *cell += if is_name { "" } else { " " };
                        *cell += more;
                    }
                }
                is_new_row = false;
            }
            _ => {}
        }
    }
    tables
}
