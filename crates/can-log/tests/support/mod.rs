//! Finds the corpus and the outside oracles for the integration tests.
#![allow(dead_code)] // each test binary uses its part

use std::path::PathBuf;

fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn required(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "1")
}

/// Returns a corpus file's bytes; `None` (with a message) where there is no corpus.
pub(crate) fn corpus(name: &str) -> Option<Vec<u8>> {
    let root = std::env::var_os("WAYWARDEN_CORPUS")
        .map_or_else(|| workspace().join("../shared/corpus"), PathBuf::from);
    match std::fs::read(root.join(name)) {
        Ok(bytes) => Some(bytes),
        Err(error) if required("WAYWARDEN_REQUIRE_CORPUS") => panic!("corpus {name}: {error}"),
        Err(_) => {
            println!("skipped: corpus not found");
            None
        }
    }
}
